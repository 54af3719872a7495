"""Rows of constituency trees for writers whose notations have gaps: columns as Arrow, and texts joined by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.kernels.arrays import Ints
from treesql.kernels.trees.discontinuous_trees import NumberedPhrases, number_phrases
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers

SENTENCES_AT_ONCE = 10_000

_RANGE = "t.corpus = $corpus AND t.sentence BETWEEN $first AND $last"
_SENTENCES = f"""
SELECT t.sentence, t.sent_id, t.comments, t.file FROM sentences AS t WHERE {_RANGE} ORDER BY t.sentence
"""
_WORDS = f"""
SELECT t.sentence, t.word, t.form, t.lemma, t.xpos, t.feats, t.misc, coalesce(t.phrase, 0) AS phrase
FROM words AS t WHERE {_RANGE} ORDER BY t.sentence, t.word
"""
_PHRASES = f"""
SELECT t.sentence, t.node, t.label, t.functions, coalesce(t.parent, 0) AS parent, t.first, t.depth
FROM constituents AS t WHERE {_RANGE} ORDER BY t.sentence, t.node
"""
_EDGES = f"""
SELECT t.sentence, coalesce(t.word, 0) AS word, coalesce(t.node, 0) AS node, coalesce(t.parent, 0) AS parent, t.label
FROM secondary_edges AS t WHERE {_RANGE} ORDER BY t.sentence, t.word, t.node, t.parent, t.label
"""

TIGERXML = "tigerxml"
FUNCTION = "Function="
"""What stands before the function of a word in its `misc`."""


@dataclass(frozen=True)
class PhraseRows:
    """The rows of some sentences by table, sorted by their keys. words.phrase, phrases.parent: 0 for none.

    form: the format of the files of the corpus.
    """

    form: str
    sentences: pa.Table
    words: pa.Table
    phrases: pa.Table
    edges: pa.Table

    @cached_property
    def leaf_offsets(self) -> Ints:
        """Where the words of every sentence begin and end."""
        return self._offsets(self.words)

    @cached_property
    def node_offsets(self) -> Ints:
        """Where the phrases of every sentence begin and end."""
        return self._offsets(self.phrases)

    @cached_property
    def numbered(self) -> NumberedPhrases:
        """The trees, phrases being in preorder."""
        above, parents = integers(self.words["phrase"]), integers(self.phrases["parent"])
        return number_phrases(self.leaf_offsets, self.node_offsets, above, parents)

    def place_of(self, table: pa.Table) -> Ints:
        """The sentence of every row of a table, numbered from 0 among these sentences."""
        return np.searchsorted(integers(self.sentences["sentence"]), integers(table["sentence"]))

    def _offsets(self, table: pa.Table) -> Ints:
        counts = np.bincount(self.place_of(table), minlength=self.sentences.num_rows)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def read_rows(engine: Engine, values: dict[str, object]) -> PhraseRows:
    """The rows of the sentences $first to $last of a corpus."""
    [(form,)] = engine.rows("SELECT c.format FROM corpora AS c WHERE c.corpus = $corpus", values)
    return PhraseRows(form, *(engine.table(sql, values) for sql in (_SENTENCES, _WORDS, _PHRASES, _EDGES)))


def texts(column: pa.ChunkedArray) -> pa.Array:
    """A column of texts as one array of large strings."""
    combined = column.cast(pa.large_string()).combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


def joined(parts: pa.Array, offsets: Ints) -> pa.Array:
    """Texts joined in groups. offsets: where the texts of each begin and end; no text is NULL."""
    plain = pa.concat_arrays([parts, pa.array([], pa.large_string())])  # without an offset of its own
    _, ends, data = plain.buffers()
    places = np.frombuffer(ends, np.int64, len(plain) + 1)[offsets] if len(plain) else np.zeros(len(offsets), np.int64)
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, [None, pa.py_buffer(places), data])


def repeated(text: str, counts: Ints) -> pa.Array:
    """A text as often as each count says, joined."""
    known = pa.array([text * n for n in range(int(counts.max(initial=0)) + 1)], pa.large_string())
    return known.take(pa.array(counts))


def concatenated(*parts: pa.Array | str) -> pa.Array:
    """Texts put together row by row."""
    scalars = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*scalars, pa.scalar("", pa.large_string()))


def word_functions(rows: PhraseRows) -> pa.Array:
    """The function of every word, from `misc`; NULL for none. Of TIGER-XML further attributes follow it there."""
    misc = texts(rows.words["misc"])
    rest = pc.utf8_slice_codeunits(misc, len(FUNCTION))
    if rows.form == TIGERXML:
        rest = pc.list_element(pc.split_pattern(pc.fill_null(rest, ""), "|", max_splits=1), 0)
    has_function = pc.fill_null(pc.starts_with(misc, FUNCTION), False)
    return pc.if_else(has_function, rest, pa.scalar(None, pa.large_string()))


def unsigned_functions(phrases: pa.Table) -> pa.Array:
    """The functions of every phrase without the sign `-` before them; NULL for none."""
    functions = texts(phrases["functions"])
    return pc.if_else(pc.starts_with(functions, "-"), pc.utf8_slice_codeunits(functions, 1), functions)


def merged(groups: Sequence[tuple[Ints, pa.Array]], n: int) -> pa.Array:
    """Texts of several kinds joined by sentence: the kinds in order, and of each its texts in order.

    groups: of every kind the sentence of each text, not falling, and the texts; n: number of sentences.
    """
    owner = np.concatenate([sentence for sentence, _ in groups])
    order = np.argsort(owner, kind="stable")
    parts = pa.concat_arrays([part for _, part in groups]).take(pa.array(order))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))])
    return joined(parts, offsets)


def warn_of_secondary_edges(engine: Engine, corpus: str, form: str) -> list[Diagnostic]:
    """A warning where a corpus has secondary edges, which are not written."""
    sql = "SELECT count(*) FROM secondary_edges AS e WHERE e.corpus = $corpus"
    [(n,)] = engine.rows(sql, {"corpus": corpus})
    if not n:
        return []
    what = f"{form} has no place for {n} secondary edge{'s' if n > 1 else ''} of the corpus"
    return [Diagnostic.warning(corpus, 0, what, "write it as export, tigerxml or parquet to keep them")]
