"""Check files: read without being loaded, for their faults and warnings alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from treesql import readers
from treesql.errors import FAULTS_SHOWN, MAX_NAMED, Diagnostic, InvalidInput, UsageError, list_faults, plural
from treesql.readers import Batch, Notation, Options, State, column_names_in
from treesql.readers.dependencies.columns import Finding
from treesql.readers.fields import max_faults
from treesql.readers.source import Source, is_readable_file
from treesql.runtime.failures import convert_errors
from treesql.storage import corpus_plans
from treesql.storage.corpus_plans import CorpusFiles, File
from treesql.storage.files import Report, reading_options, with_total
from treesql.storage.loading import CorpusSummary, Direct, Progress, options_of, rows_of_corpus

_WITH_TEXTS = ("conllu", "conllup")
"""Formats with texts beside words that say where blanks are."""

_SHOWN = 12
"""Maximum number of characters that are shown of texts that differ."""

_TEXT = re.compile(r"#\s*text\s*=")

_RIGHT_TO_LEFT = r"[\p{L}&&[\x{590}-\x{8FF}\x{FB1D}-\x{FDFF}\x{FE70}-\x{FEFF}\x{10800}-\x{10FFF}\x{1E800}-\x{1EFFF}]]"
"""A letter of a script that is written from right to left: the blocks where Unicode has all of them (UAX 9)."""


@dataclass(frozen=True)
class FileCheck:
    """What was found in files: the files that were read, errors for which they would be refused, and warnings.

    format: what they were read as, None where nothing says which format they are of. max_errors: maximum number of
    errors of a file that were collected.
    """

    files: tuple[str, ...]
    faults: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    format: str | None = None
    max_errors: int = FAULTS_SHOWN

    @property
    def summary(self) -> str:
        """The files, what they were read as, and how much was found, in a line."""
        n_faults, n_warnings = len(self.faults), len(self.warnings)
        full = any(n >= self.max_errors for n in Counter(fault.path for fault in self.faults).values())
        errors = f"{n_faults} {plural(n_faults, 'error')}" + " or more" * full
        what = f"no errors, {n_warnings} {plural(n_warnings, 'warning')}" if n_warnings else "nothing wrong"
        read = f", read as {self.format}" if self.format else ""
        return f"{len(self.files)} {plural(len(self.files), 'file')}{read}: {errors if n_faults else what}"

    def __str__(self) -> str:
        return "\n".join([*list_faults(self.faults, self.max_errors), *map(str, self.warnings)])


@convert_errors
def check(
    *paths: File,
    format: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    ids: str | None = None,
    max_errors: int = FAULTS_SHOWN,
    progress: Report | None = None,
) -> FileCheck:
    """Read files without loading them, and return what is wrong with them: also files that cannot be read, or whose
    format neither ending nor content says.

    max_errors: maximum number of errors of a file that are listed. Other parameters as for `treesql.load`. Raises
    InvalidInput where there is no such file, UsageError, UnknownName.
    """
    if max_errors < 1:
        raise UsageError(f"max_errors is {max_errors}; it is a number, 1 or more")
    named = corpus_plans.as_paths(paths, "file", form=format)
    read = tuple(corpus_plans.without_unlisted(corpus_plans.find_files(named, format)))
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, None, ids)
    form = None
    collecting = max_faults.set(max_errors)
    faults, readable = _find_damaged_parts(named, read)
    warnings: Sequence[Diagnostic] = ()
    try:
        files = _plan_readable(readable, format, Notation(base, reverse, null_links), faults) if readable else ()
        form = next((corpus.form for corpus in files), None)
        warnings = _check_files(files, options, with_total(progress, readable))
    except InvalidInput as error:
        faults += error.faults
    finally:
        max_faults.reset(collecting)
    return FileCheck(read, tuple(faults), () if faults else tuple(warnings), form, max_errors)


def _find_damaged_parts(paths: Iterable[str], files: Sequence[str]) -> tuple[list[Diagnostic], Sequence[str]]:
    """The parts of folders that are not as they were written, and the files that are in none of these folders."""
    folders = [path for path in paths if not is_readable_file(path) and Path(path).is_dir()]
    damaged = {path: corpus_plans.find_damaged_parts(path) for path in folders}
    roots = [Path(path) for path, faults in damaged.items() if faults]
    readable = [file for file in files if not any(Path(file).is_relative_to(root) for root in roots)]
    return [fault for faults in damaged.values() for fault in faults], readable


def _plan_readable(
    files: Sequence[str], format: str | None, notation: Notation, faults: list[Diagnostic]
) -> Sequence[CorpusFiles]:
    """Plan the reading of files, without those of no format that is read, whose faults are added to `faults`."""
    try:
        return corpus_plans.plan_loads(files, None, format, notation=notation)
    except InvalidInput as error:
        faults += error.faults
        unreadable = {fault.path for fault in error.faults}
        others = [file for file in files if file not in unreadable]
        return _plan_readable(others, format, notation, faults) if 0 < len(others) < len(files) else ()


def _check_files(wanted: Sequence[CorpusFiles], options: Options, progress: Progress | None = None) -> list[Diagnostic]:
    """Read files without loading them; returns the warnings. Raises InvalidInput with the faults of all files.

    What is accepted with a warning of a file's layout (line ends, byte order mark, final blank line) is a fault here.
    Texts that are not those of their words, and those that begin in the other direction of writing, are warned of.
    """
    warnings: list[Diagnostic] = []
    layouts: list[Diagnostic] = []
    faults: list[Diagnostic] = []
    for corpus in wanted:
        readers.check_options(corpus.form, options)
        if corpus.form == readers.PARQUET or corpus.is_framed:
            try:
                warnings += _check_rows(corpus, options, progress)
            except InvalidInput as error:
                faults += error.faults
            continue
        state = State(warnings=corpus.find_misnamed())
        options = options_of(corpus, options)
        for path in corpus.files:
            source = Source(path, progress, digest=False)
            state.sent_ids = None  # the files may be of several corpora
            texts = _TextWarnings()
            try:
                for batch in readers.read(source, corpus.form, state, options):
                    if corpus.form in _WITH_TEXTS:
                        texts.add(batch, says_blanks=_says_blanks(source, corpus.form))
            except InvalidInput as error:
                faults += error.faults
                continue
            state.warnings += texts.warnings(source.name)
            layout = source.layout.warning(source.name)
            if layout is not None:
                layouts.append(layout)
                faults.append(replace(layout, severity="error"))
        try:
            readers.check_corpus(corpus.form, corpus.files[0], state)
        except InvalidInput as error:
            faults += error.faults
        warnings += [warning for warning in state.warnings if warning not in layouts]
    if faults:
        raise InvalidInput(faults)
    return warnings


def _check_rows(corpus: CorpusFiles, options: Options, progress: Progress | None) -> Sequence[Diagnostic]:
    """The warnings about a corpus of a data set, or of data frames. Raises InvalidInput."""
    reading = Direct(rows_of_corpus(corpus, options, progress))
    for _ in reading.items():
        pass
    summary: CorpusSummary = reading.result
    return summary.warnings


class _TextWarnings:
    """What is wrong with the texts of the sentences of a file."""

    def __init__(self) -> None:
        self._differing = Finding("whose # text is not FORM and SpaceAfter", "correct the one or the other")
        hint = "programs that go by the first letter (UAX 9) show it in the wrong direction"
        self._turned = Finding("whose text begins with a letter of the other direction of writing", hint)

    def add(self, batch: Batch, *, says_blanks: bool) -> None:
        """Add the sentences of a chunk. says_blanks: whether the file has forms, and MISC, which has SpaceAfter."""
        sentences = _frame(batch["sentences"]).filter(pl.col("text").is_not_null())
        if says_blanks:
            texts = sentences.join(_texts_of_words(batch), on="sentence", how="left", maintain_order="left")
            self._add(self._differing, texts.filter(_plain("text") != pl.col("written")), _first_difference)
        right_to_left, letters = (pl.col("text").str.count_matches(pattern) for pattern in (_RIGHT_TO_LEFT, r"\p{L}"))
        first = pl.col("text").str.extract(r"(\p{L})").str.contains(_RIGHT_TO_LEFT)
        turned = (right_to_left > 0) & (first != (2 * right_to_left > letters))
        self._add(self._turned, sentences.filter(turned), lambda row: "")

    def warnings(self, path: str) -> Iterator[Diagnostic]:
        """A warning for each kind of finding."""
        return (finding.warning(path) for finding in (self._differing, self._turned) if finding.count)

    def _add(self, finding: Finding, rows: pl.DataFrame, detail: Callable[[dict[str, Any]], str]) -> None:
        shown = rows.head(MAX_NAMED).rows(named=True)
        lines = np.array([_line_of_text(row) for row in shown], dtype=np.int64)
        names = [f"{row['sent_id'] or f'line {line}'}{detail(row)}" for row, line in zip(shown, lines, strict=True)]
        finding.add(np.arange(len(shown)), list(names), lines, rows.height)


def _says_blanks(source: Source, form: str) -> bool:
    """Whether a file has the column MISC, which says where blanks are."""
    first_line = source.head.decode("utf-8", "replace").partition("\n")[0]
    return form == readers.CONLLU or "MISC" in (column_names_in(first_line) or ())


def _frame(rows: pa.RecordBatch) -> pl.DataFrame:
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _texts_of_words(batch: Batch) -> pl.DataFrame:
    """By sentence, what its words and multiword tokens are as a text, with single blanks."""
    words = _frame(batch["words"]).select("sentence", "form", "misc", first="word", last="word")
    tokens = _frame(batch["tokens"]).select("sentence", "form", "misc", "first", "last")
    around = tokens.select("sentence", "first", "last")
    apart = words.join_asof(around, on="first", by="sentence", suffix="_of_token", check_sortedness=False)
    apart = apart.filter((pl.col("first") > pl.col("last_of_token")).fill_null(True)).select(tokens.columns)
    is_joined = pl.concat_str(pl.lit("|"), "misc", pl.lit("|")).str.contains("|SpaceAfter=No|", literal=True)
    blank = pl.when(is_joined.fill_null(False)).then(pl.lit("")).otherwise(pl.lit(" "))
    units = pl.concat([tokens, apart]).sort("sentence", "first")
    joined = pl.concat_str("form", blank).str.join("").alias("written")
    return units.group_by("sentence", maintain_order=True).agg(joined).with_columns(_plain("written"))


def _plain(column: str) -> pl.Expr:
    """A text with single blanks, and none at its ends."""
    return pl.col(column).str.replace_all(r"\s+", " ").str.strip_chars(" ")


def _line_of_text(row: dict[str, Any]) -> int:
    """The line of a sentence's text, which is one of its comments."""
    comments = row["comments"] or []
    at = next((at for at, comment in enumerate(comments) if _TEXT.match(comment)), 0)
    return int(row["line"]) + at


def _first_difference(row: dict[str, Any]) -> str:
    """Where a text differs from that of its words, and what they have there."""
    text, written = (" ".join(str(row[name]).split()) for name in ("text", "written"))
    same = (character == other for character, other in zip(text, written, strict=False))
    at = next((at for at, is_same in enumerate(same) if not is_same), min(len(text), len(written)))
    return f" (character {at + 1}: {text[at : at + _SHOWN]!r}, in its words {written[at : at + _SHOWN]!r})"
