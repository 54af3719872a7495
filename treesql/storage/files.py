"""Files as users name them: loaded into a database, or checked without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treesql.engines import manifests
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_database, open_or_make
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.errors import (
    FAULTS_SHOWN,
    Diagnostic,
    InvalidCorpora,
    InvalidInput,
    UsageError,
    issue,
    list_faults,
    plural,
)
from treesql.readers import Notation, Options, sentence_limits
from treesql.readers.faults import max_faults
from treesql.runtime.failures import convert_errors
from treesql.storage import data_set_plans, folders, loading, many_corpora
from treesql.storage.checking import check_files
from treesql.storage.corpus_plans import CorpusPlan, plan_corpora
from treesql.storage.loading import CorpusFiles, Loaded

if TYPE_CHECKING:
    from treesql.engines.spark import SparkFolder

CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.reading, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded, strftime(c.changed_at, '%Y-%m-%d %H:%M') AS changed
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""
"""A row per corpus: sizes, files, origin."""

Report = Callable[[int, int | None], object]
"""Called with the number of bytes that were read, and of those to be read; None where that is unknown."""


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
        full = any(n >= self.max_errors for n in Counter(one.path for one in self.faults).values())
        errors = f"{n_faults} {plural(n_faults, 'error')}" + " or more" * full
        what = f"no errors, {n_warnings} {plural(n_warnings, 'warning')}" if n_warnings else "nothing wrong"
        read = f", read as {self.format}" if self.format else ""
        return f"{len(self.files)} {plural(len(self.files), 'file')}{read}: {errors if n_faults else what}"

    def __str__(self) -> str:
        return "\n".join([*list_faults(self.faults, self.max_errors), *map(str, self.warnings)])


@convert_errors
def load(
    db: str | Path,
    *paths: str | Path,
    corpus: str | None = None,
    each: str | None = None,
    format: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    replace: bool = False,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    source_corpus: str | None = None,
    target_corpus: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    scores: str | None = None,
    ids: str | None = None,
    progress: Report | None = None,
) -> LoadedCorpora:
    """Load files as one corpus, or each as a corpus, or the corpora of a Parquet data set, into a database file.

    db: the file; if it does not exist it is made, with the first corpus that can be loaded. Or a folder of Parquet, an
    existing one or a name that ends in `/`.
    paths: files, compressed or not, patterns or folders, `-` for standard input. corpus: the name of one corpus of
    all files. Without it every file is a corpus, or with `each="folder"` every folder, named after it: equal names
    have their folders in front, treebank and language are those of Universal Dependencies' names if left out,
    and each corpus is a transaction. A data set is one transaction, and its corpora have names.
    format: a name that `treesql load --help` lists, such as conllu; by the files' endings if left out.
    replace: whether to replace corpora of these names. permissive: whether to load sentences whose heads form a
    cycle, without a tree index. strict: whether to refuse sentences with several roots. Of word alignments: base,
    the number of a sentence's first word; reverse, whether the target word comes first; null_links, whether to keep
    links to the empty word; source_corpus, target_corpus, the loaded corpora whose words are linked. Of lattices:
    phrases, whether a label with blanks is several words; symbols, the table of the labels' numbers; scores, the
    kind of the scores of PLF, JSON lines and n-best lists, cost or log_likelihood. ids: first or last, the word of
    every line of a plain text that is its id; none for a text without ids. max_sentence: maximum number of bytes of a
    sentence, tree or lattice, a number or a size such as "64MB", with a word or edge for every 16 of them; 16 MB if
    left out. progress: called with the number of bytes read, and of those to read, None where that is unknown. Warns
    with TreesqlWarning. Raises InvalidInput, UsageError, UnknownName, DatabaseError; InvalidCorpora of several corpora,
    once the others are loaded, which it holds.
    """
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
    notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
    plan = plan_corpora(
        paths, options, corpus=corpus, each=each, form=format, treebank=treebank, language=language, notation=notation
    )
    return load_planned(str(db), plan, options, replace=replace, progress=progress)


@convert_errors
def drop(db: str | Path, *corpora: str) -> None:
    """Remove corpora from a database file or a folder of Parquet, all or none, also those with damaged parts.

    Raises UnknownName; DatabaseError where the database cannot be read, or where a damaged part is shared with corpora
    that are to stay.
    """
    if manifests.is_folder(str(db)):
        folders.drop_corpora(str(db), dict.fromkeys(corpora))
        return
    with open_database(str(db), existing=True) as engine:
        loading.drop_corpora(engine, dict.fromkeys(corpora))


@convert_errors
def check(
    *paths: str | Path,
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
    read = tuple(data_set_plans.without_unlisted(loading.find_files(paths, format)))
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, None, ids)
    form = None
    collecting = max_faults.set(max_errors)
    faults, readable = _find_damaged_parts(map(str, paths), read)
    warnings: Sequence[Diagnostic] = ()
    try:
        files = _plan_readable(readable, format, Notation(base, reverse, null_links), faults) if readable else ()
        form = next((one.form for one in files), None)
        warnings = check_files(files, options, with_total(progress, readable))
    except InvalidInput as error:
        faults += error.faults
    finally:
        max_faults.reset(collecting)
    return FileCheck(read, tuple(faults), () if faults else tuple(warnings), form, max_errors)


def _find_damaged_parts(paths: Iterable[str], files: Sequence[str]) -> tuple[list[Diagnostic], Sequence[str]]:
    """The parts of folders that are not as they were written, and the files that are in none of these folders."""
    damaged = {path: data_set_plans.find_damage(path) for path in paths if Path(path).is_dir()}
    roots = [Path(path) for path, faults in damaged.items() if faults]
    readable = [file for file in files if not any(Path(file).is_relative_to(root) for root in roots)]
    return [fault for faults in damaged.values() for fault in faults], readable


def _plan_readable(
    files: Sequence[str], format: str | None, notation: Notation, faults: list[Diagnostic]
) -> Sequence[CorpusFiles]:
    """Plan the reading of files, without those of no format that is read, whose faults are added to `faults`."""
    try:
        return loading.plan_loads(files, None, format, notation=notation)
    except InvalidInput as error:
        faults += error.faults
        unreadable = {fault.path for fault in error.faults}
        others = [file for file in files if file not in unreadable]
        return _plan_readable(others, format, notation, faults) if 0 < len(others) < len(files) else ()


class LoadedCorpora(list[Loaded]):
    """Corpora that were loaded. left_out: number of files of folders and patterns whose endings no format has."""

    def __init__(self, loaded: Iterable[Loaded], left_out: int = 0) -> None:
        super().__init__(loaded)
        self.left_out = left_out


def load_planned(
    into: DuckDB | SparkFolder | str,
    plan: CorpusPlan,
    options: Options,
    *,
    replace: bool = False,
    progress: Report | None = None,
) -> LoadedCorpora:  # fmt: skip
    """Load planned corpora into a database that is open, or into a file, and issue their warnings.

    Raises what `many_corpora.load_together` and `load_each` raise.
    """
    report = with_total(progress, [path for one in plan.corpora for path in one.files])
    if not isinstance(into, DuckDB | str):
        from treesql.storage import spark_loads  # here, for few databases are on Spark

        into = into if spark_loads.can_load(plan) else into.local
    try:
        if not isinstance(into, DuckDB | str):
            loaded = spark_loads.load_on_executors(into, plan, options, replace=replace, progress=report)
        elif isinstance(into, DuckDBFolder):
            try:
                loaded = folders.load_into_folder(into.folder, plan, options, replace=replace, progress=report)
            finally:  # some may be loaded where others are refused
                into.refresh()
        elif isinstance(into, str) and manifests.is_folder(into):
            loaded = folders.load_into_folder(into, plan, options, replace=replace, progress=report)
        elif plan.together:
            with nullcontext(into) if isinstance(into, DuckDB) else open_or_make(into) as engine:
                loaded = many_corpora.load_together(engine, plan.corpora, options, replace=replace, progress=report)
        elif isinstance(into, DuckDB):
            loaded = many_corpora.load_each(into, plan.corpora, options, replace=replace, progress=report)
        else:
            loaded = many_corpora.load_into_file(into, plan.corpora, options, replace=replace, progress=report)
    except InvalidCorpora as error:
        error.loaded = LoadedCorpora(error.loaded, plan.left_out)
        _issue_warnings(error.loaded)
        raise
    _issue_warnings(loaded)
    return LoadedCorpora(loaded, plan.left_out)


def _issue_warnings(loaded: Iterable[Loaded]) -> None:
    for warning in (warning for one in loaded for warning in one.warnings):
        issue(warning)


def reading_options(
    permissive: bool,
    strict: bool,
    phrases: bool,
    symbols: str | Path | None,
    max_sentence: int | str | None,
    scores: str | None,
    ids: str | None,
) -> Options:
    """The options of readers as `treesql.load` describes them. Raises UsageError."""
    table = None if symbols is None else str(symbols)
    size = sentence_limits.default() if max_sentence is None else sentence_limits.parse(max_sentence)
    return Options(permissive, strict, phrases=phrases, symbols=table, max_sentence=size, scores=scores, ids=ids)


def with_total(report: Report | None, paths: Iterable[str]) -> loading.Progress | None:
    """A function that adds up the bytes read of files, and reports them with their total."""
    if report is None:
        return None
    call, files = report, [Path(path) for path in paths]
    total = sum(file.stat().st_size for file in files) if all(file.is_file() for file in files) else None
    done = 0
    call(done, total)

    def advance(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        call(done, total)

    return advance
