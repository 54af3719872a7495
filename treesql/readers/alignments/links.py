"""The rows of word alignments of any format, as Arrow batches of schemas/: sentences, alignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.errors import Diagnostic, UsageError, plural
from treesql.kernels.arrays import Flags, Floats, Ints, SmallInts
from treesql.kernels.scanning import links as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, LineFault, clean_text, no_comments, numbers, refuse_long, repeated
from treesql.readers.source import Source

BASES = (0, 1)

PAIRS_HINT = "for links such as 0-0 give --from pharaoh, or --from talp where words count from 1"
"""What to do where a file of another format has pairs of positions."""

Link = tuple[int, int, float, bool]
"""Both words, from 1, the probability, NaN where there is none, and whether the link is sure."""

CHUNK = 1 << 19
"""Bytes read at a time: few enough for the arrays made from them to stay in the processor's cache."""


@dataclass(frozen=True)
class Links:
    """Links of a run of sentences: number of the sentence, both words (1-based, 0: the empty word), whether sure.

    confidence: of every link, NaN where none is given; None if none is anywhere.
    """

    sentence: Ints
    source: Ints | SmallInts
    target: Ints | SmallInts
    sure: Flags
    confidence: Floats | None = None

    def take(self, which: Ints | Flags) -> Links:
        """Some of the links."""
        confidence = None if self.confidence is None else self.confidence[which]
        return Links(self.sentence[which], self.source[which], self.target[which], self.sure[which], confidence)


def concatenate_links(runs: Sequence[Links]) -> Links:
    """Links one after the other."""
    none = Links(
        np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=bool)
    )
    runs = [none, *runs]
    confidence = None
    if any(run.confidence is not None for run in runs):
        given = [np.full(len(run.sentence), np.nan) if run.confidence is None else run.confidence for run in runs]
        confidence = np.concatenate(given)
    return Links(
        np.concatenate([run.sentence for run in runs]),
        np.concatenate([run.source for run in runs]),
        np.concatenate([run.target for run in runs]),
        np.concatenate([run.sure for run in runs]),
        confidence,
    )


class LinkWarnings:
    """Warnings about the links of a file, counted over its chunks."""

    def __init__(self) -> None:
        self.null, self.repeated, self.both, self.outside = 0, 0, 0, 0

    def warnings(self, path: str) -> Iterator[Diagnostic]:
        """One warning for each kind of finding."""
        if self.null:
            what = f"{self.null:,} {plural(self.null, 'null link is', 'null links are')} left out"
            yield Diagnostic.warning(path, 0, what, "--null-links keeps links to the empty word, 0")
        if self.repeated:
            what = f"{self.repeated:,} {plural(self.repeated, 'link is', 'links are')} repeated"
            yield Diagnostic.warning(path, 0, what, "each counts once")
        if self.both:
            what = f"{self.both:,} {plural(self.both, 'link is', 'links are')} given as sure and as possible"
            yield Diagnostic.warning(path, 0, what, "a link given as both is sure")
        if self.outside:
            what = f"{self.outside:,} {plural(self.outside, 'confidence is', 'confidences are')} below 0 or above 1"
            yield Diagnostic.warning(path, 0, what, "they are kept as they are")


def base_of(options: Options, usual: int) -> int:
    """The number of a sentence's first word. Raises UsageError."""
    base = options.notation.base
    if base is None:
        return usual
    if base not in BASES:
        raise UsageError(f"the base is 0 or 1, the number of a sentence's first word; not {base}")
    return base


def lines_of_links(source: Source, faults: Faults, limit: int) -> Iterator[tuple[bytes, int]]:
    """A file in runs of whole lines, each run with the number of its first line; every line ends with a newline.

    limit: the bytes that a line may have. Raises InvalidInput.
    """
    line = 1
    for chunk in source.chunks(CHUNK, cut_of=lambda block: block.rfind(b"\n") + 1, limit=limit):
        data = clean_text(chunk.data, line, chunk.last, faults, returns=False)
        if data and not data.endswith(b"\n"):
            data += b"\n"
        if data:
            yield data, line
        line += data.count(b"\n")


def read_line_by_line(
    source: Source, state: State, options: Options, links_of: Callable[[bytes], list[Link]], empty_hint: str
) -> Iterator[Batch]:
    """The links of a file with a sentence a line, chunk by chunk. Raises InvalidInput.

    links_of: the links of a line, which raises LineFault. empty_hint: what to do about a file without lines.
    """
    faults, warnings, empty = Faults(source.name), LinkWarnings(), True
    for data, line in lines_of_links(source, faults, options.max_sentence):
        empty = False
        rows: list[list[Link]] = []
        for number, content in enumerate(data.split(b"\n")[:-1], line):
            try:
                rows.append(links_of(content))
            except LineFault as fault:
                faults.add(number, *fault.args)
                rows.append([])
        lengths, numbers_of_lines = np.array([len(row) for row in rows]), line + np.arange(len(rows))
        refuse_long(lengths, numbers_of_lines, options.max_sentence, faults, "links")
        if faults.full:
            break
        if faults.found:
            continue
        left, right, probability, sure = np.array([link for row in rows for link in row]).reshape(-1, 4).T
        sentences = np.repeat(np.arange(len(rows)), lengths)
        links = Links(sentences, left.astype(np.int64), right.astype(np.int64), sure > 0, probability.copy())
        yield link_batch(links, numbers_of_lines, source.name, state, options, warnings)
    if empty and not faults.found:
        faults.add(0, "the file is empty", empty_hint)
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


def link_batch(
    links: Links,
    line: Ints,
    path: str,
    state: State,
    options: Options,
    warnings: LinkWarnings,
    *,
    names: pa.Array | None = None,
) -> Batch:
    """The rows of a run of sentences; `state` counts on. line: of every sentence, 0-based numbers of which links have.

    names: the sent_ids of the sentences, where the format has some.
    Links are reversed, or without null links, as the options say; they are sorted, and repeated ones dropped.
    """
    notation = options.notation
    if notation.reverse:
        links = replace(links, source=links.target, target=links.source)
    if not notation.null_links:
        links = _without_null(links, warnings)
    links = _once(links, warnings)
    made = {"sentences": _sentences(line, path, state) | ({} if names is None else {"sent_id": names})}
    if options.wants("alignments"):
        made["alignments"] = _alignments(links, state, options)
    state.sentences += len(line)
    return {name: _link_record_batch(name, columns, options) for name, columns in made.items()}


def _without_null(links: Links, warnings: LinkWarnings) -> Links:
    if not len(links.source) or (int(links.source.min()) > 0 and int(links.target.min()) > 0):
        return links
    real = (links.source > 0) & (links.target > 0)
    warnings.null += int(np.count_nonzero(~real))
    return links.take(real)


def _once(links: Links, warnings: LinkWarnings) -> Links:
    """The links in order, of equal ones the first; sure if one of them is."""
    order, again = kernel.sort_order(links.sentence, links.source, links.target)
    if order is not None:
        links = links.take(order)
    if again is None:
        return links
    first = np.flatnonzero(~again)
    n_sure = np.add.reduceat(links.sure.astype(np.int64), first)
    n = np.diff(np.append(first, len(again)))
    both = (n_sure > 0) & (n_sure < n)
    warnings.both += int(np.count_nonzero(both))
    warnings.repeated += int(np.count_nonzero((n > 1) & ~both))
    return replace(links.take(first), sure=n_sure > 0)


Columns = dict[str, pa.Array]


def _sentences(line: Ints, path: str, state: State) -> Columns:
    n = len(line)
    return {
        "sentence": numbers(np.arange(n) + state.sentences, pa.int32()),
        "comments": no_comments(n),
        "file": repeated(path, n),
        "line": numbers(line, pa.int64()),
        "n_words": numbers(np.zeros(n, dtype=np.int64), pa.int32()),
    }


def _alignments(links: Links, state: State, options: Options) -> Columns:
    n, notation = len(links.sentence), options.notation
    columns = {
        "sentence": numbers(links.sentence + state.sentences, pa.int32()),
        "source": numbers(links.source, pa.int32()),
        "target": numbers(links.target, pa.int32()),
        "sure": numbers(links.sure, pa.bool_()),
    }
    corpora = {"source_corpus": notation.source_corpus, "target_corpus": notation.target_corpus}
    for name, corpus in corpora.items():
        if corpus is not None and options.wants("alignments", name):
            columns[name] = repeated(corpus, n)
    if links.confidence is not None and options.wants("alignments", "confidence"):
        absent = np.isnan(links.confidence)
        validity = pa.py_buffer(np.packbits(~absent, bitorder="little")) if absent.any() else None
        columns["confidence"] = pa.Array.from_buffers(pa.float64(), n, [validity, pa.py_buffer(links.confidence)])
    return columns


def _link_record_batch(table: str, columns: Columns, options: Options) -> pa.RecordBatch:
    """The columns that are wanted, in the table's order."""
    wanted = None if options.columns is None else options.columns.get(table, frozenset())
    fields = [field for field in schemas.table(table).arrow_schema(wanted) if field.name in columns]
    return pa.RecordBatch.from_arrays([columns[field.name] for field in fields], schema=pa.schema(fields))
