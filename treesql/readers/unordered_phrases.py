"""Trees given as the parents of their words and phrases, in any order: numbered in preorder, and texts for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.readers.fields import Field
from treesql.readers.phrases import SecondaryEdges

OPEN = b"--"
"""The mark of an open value in NEGRA's and TIGER's formats."""

ENDLESS, WORDLESS = 0, 1
"""Kinds of faults, as in treesql.kernels.discontinuous_trees."""


class PhraseNumbers:
    """The phrases of a chunk in preorder, from the parents of words and phrases, counted from 1 in each sentence."""

    def __init__(self, leaf_offsets: Ints, node_offsets: Ints, above: Ints, parents: Ints) -> None:
        from treesql.kernels import discontinuous_trees  # here, as few commands need it

        self.found = discontinuous_trees.number_phrases(leaf_offsets, node_offsets, above, parents)
        self._offsets = node_offsets
        sentence = np.repeat(np.arange(len(node_offsets) - 1), np.diff(node_offsets))
        self.order = self.found.order + node_offsets[sentence]
        self._numbers = np.zeros(len(parents), dtype=np.int64)
        self._numbers[self.order] = np.arange(1, len(parents) + 1) - node_offsets[sentence]

    def faults(self) -> Iterator[tuple[int, int]]:
        """The kind of each fault, and the phrase that has it, among all that were given."""
        for tree, kind, place in self.found.faults.tolist():
            yield kind, int(self._offsets[tree]) + place

    def of_phrases(self, sentence: Ints, places: Ints) -> Ints:
        """The numbers in preorder of phrases, by sentence and place among those given, from 1; 0 stays."""
        given = places > 0
        numbers = np.zeros(len(places), dtype=np.int64)
        numbers[given] = self._numbers[self._offsets[sentence[given]] + places[given] - 1]
        return numbers


def distinct_edges(data: bytes, edges: SecondaryEdges) -> SecondaryEdges:
    """Secondary edges without those that repeat another, in order."""
    from treesql.kernels import keys

    labels, _ = keys.number_keys(keys.hash_pieces(np.frombuffer(data, dtype=np.uint8), *edges.label))
    rows = np.stack([edges.sentence, edges.word, edges.node, edges.parent, labels])
    kept = np.sort(np.unique(rows, axis=1, return_index=True)[1])
    start, length = edges.label
    return SecondaryEdges(
        edges.sentence[kept], edges.word[kept], edges.node[kept], edges.parent[kept], (start[kept], length[kept])
    )


def without_open(data: bytes, starts: Ints, lengths: Ints) -> Field:
    """Fields of which those that are open have no length."""
    raw = np.frombuffer(data, dtype=np.uint8)
    is_open = lengths == len(OPEN)
    two = starts[is_open]
    is_open[is_open] = (raw[two] == OPEN[0]) & (raw[two + 1] == OPEN[1])
    return starts, np.where(is_open, 0, lengths)


def with_prefix(data: bytes, field: Field, prefix: bytes, unless: bytes | None = None) -> tuple[bytes, Field]:
    """The data with texts behind it that have a prefix, and where these stand; texts of no length stay.

    unless: a first byte of texts that get none.
    """
    from treesql.kernels import keys

    raw = np.frombuffer(data, dtype=np.uint8)
    starts, lengths = field
    which, firsts = keys.number_keys(keys.hash_pieces(raw, starts, lengths))
    texts = [data[starts[at] : starts[at] + lengths[at]] for at in firsts.tolist()]
    texts = [prefix + text if text and not (unless and text.startswith(unless)) else text for text in texts]
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    places = len(data) + np.cumsum(sizes) - sizes
    return b"".join([data, *texts]), (places[which], sizes[which])
