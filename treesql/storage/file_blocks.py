"""Corpora of files, read side by side in blocks of whole sentences, so that memory does not grow with the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.errors import Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers import Options, State
from treesql.readers import reading as reading_of
from treesql.readers.source import Source
from treesql.storage import in_memory, loading
from treesql.storage.loading import CorpusFiles, CorpusSummary

MIN_BLOCK_WORDS = 130_000
"""Minimum number of words of a corpus in a block, except in the last one; of links or edges where it has no words."""

SENTENCE = "sentence"
"""The column of the number of a sentence."""

Rows = dict[str, pa.Table]
"""Rows of a corpus by table."""


@dataclass
class BufferedCorpus:
    """A corpus whose files are read chunk by chunk, and its rows that are in no block yet."""

    files: CorpusFiles
    options: Options
    state: State
    sources: Sequence[Source]
    batches: Iterator[readers.Batch]
    rows: Rows = field(default_factory=dict)
    ended: bool = False
    n_words: int = 0

    def advance(self) -> None:
        """Read the next chunk."""
        batch = next(self.batches, None)
        if batch is None:
            self.ended = True
            return
        for name, new in batch.items():
            more = pa.Table.from_batches([new])
            self.n_words += new.num_rows if name == "words" else 0
            self.rows[name] = pa.concat_tables([self.rows[name], more]) if name in self.rows else more

    @property
    def words(self) -> int:
        """Number of words, links or edges that were read and are in no block yet."""
        return max((rows.num_rows for rows in self.rows.values() if SENTENCE in rows.schema.names), default=0)

    @property
    def last_sentence(self) -> int:
        """The number of the last sentence that was read; a chunk of a file ends with a sentence."""
        return int(self.rows["sentences"]["sentence"][-1].as_py())

    def ends(self) -> tuple[Ints, Ints]:
        """Return the numbers of the sentences, and the offset after the last character of each."""
        sentence, offset = (_integers(self.rows["words"][name]) for name in ("sentence", "span_end"))
        last = np.flatnonzero(np.append(sentence[1:] != sentence[:-1], True))
        return sentence[last], offset[last]

    def sentence_until(self, offset: int) -> int:
        """Return the number of the first sentence that ends at an offset."""
        sentence, ends = self.ends()
        return int(sentence[np.searchsorted(ends, offset)])

    def take(self, sentence: int | None) -> Rows:
        """Remove and return the rows up to a sentence, or all. Rows of no sentence, such as labels, stay."""
        taken: Rows = {}
        for name, rows in self.rows.items():
            if SENTENCE not in rows.schema.names:
                taken[name] = rows
                continue
            n = rows.num_rows
            if sentence is not None:
                n = int(np.searchsorted(_integers(rows[SENTENCE]), sentence, side="right"))
            taken[name], self.rows[name] = rows.slice(0, n), rows.slice(n)
        return taken

    def summary(self) -> CorpusSummary:
        """What was read, after the last row."""
        digests = tuple(source.sha256 for source in self.sources)
        how = reading_of(self.files.form, self.options, self.state)
        return CorpusSummary(
            self.state.sentences, self.n_words, digests, tuple(self.state.warnings), how,
            layouts=tuple(self.state.layouts),
        )  # fmt: skip


def open_corpus(files: CorpusFiles, options: Options) -> BufferedCorpus:
    """Return a corpus of which nothing is read yet. Reading it raises InvalidInput."""
    state, sources = State(warnings=files.find_misnamed()), [Source(path) for path in files.files]
    options = loading.options_of(files, options)

    def batches() -> Iterator[readers.Batch]:
        for source in sources:
            for batch in readers.read(source, files.form, state, options):
                yield batch if options.ids != readers.NONE else loading.without_ids(batch)
        readers.check_corpus(files.form, files.files[0], state)

    return BufferedCorpus(files, options, state, sources, batches())


def distinct_warnings(sides: Sequence[BufferedCorpus]) -> list[Diagnostic]:
    """The warnings about files that were read, each once."""
    return list({str(warning): warning for side in sides for warning in side.state.warnings}.values())


def blocks_of_sentences(sides: Sequence[BufferedCorpus]) -> Iterator[in_memory.RowsByTable]:
    """Yield blocks of the rows of all corpora, by table: those of the sentences of one range of numbers."""
    while True:
        for side in sides:
            while side.words < MIN_BLOCK_WORDS and not side.ended:
                side.advance()
        last = min((side.last_sentence for side in sides if not side.ended), default=None)
        yield _by_table(sides, [side.take(last) for side in sides])
        if last is None:
            return


def blocks_of_text(sides: Sequence[BufferedCorpus]) -> Iterator[in_memory.RowsByTable]:
    """Yield blocks of the rows of two corpora of one text, by table: up to a common end of sentences."""
    min_words = MIN_BLOCK_WORDS
    while not all(side.ended for side in sides):
        for side in sides:
            while side.words < min_words and not side.ended:
                side.advance()
        cut: list[int] | list[None] = [None, None]
        if not all(side.ended for side in sides):
            one, other = (side.ends()[1] if side.words else np.zeros(0, dtype=np.int64) for side in sides)
            common = np.intersect1d(one, other)
            if not len(common):
                min_words *= 2
                continue
            cut = [side.sentence_until(int(common[-1])) for side in sides]
        min_words = MIN_BLOCK_WORDS
        yield _by_table(sides, [side.take(sentence) for side, sentence in zip(sides, cut, strict=True)])


def _by_table(sides: Sequence[BufferedCorpus], taken: Sequence[Rows]) -> in_memory.RowsByTable:
    names = dict.fromkeys(name for rows in taken for name in rows)
    of_sides = [(side.files.corpus, rows) for side, rows in zip(sides, taken, strict=True)]
    return {name: [(corpus, rows[name]) for corpus, rows in of_sides if name in rows] for name in names}


def _integers(column: pa.ChunkedArray) -> Ints:
    """Return a column of integers without NULL as a NumPy array."""
    chunks = [
        np.frombuffer(chunk.buffers()[1], dtype=f"i{chunk.type.bit_width // 8}")[chunk.offset :][: len(chunk)]
        for chunk in column.chunks
    ]
    return np.concatenate(chunks).astype(np.int64) if chunks else np.zeros(0, dtype=np.int64)
