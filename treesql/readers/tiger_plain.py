"""Trees of blocks of TIGER-XML that are as plain as programs write them, without an object for each element.

A block with anything else, or with any fault, is left to the reader that goes from element to element: it knows all of
XML, and what to say of a fault. Both make the same rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Ints, Keys
from treesql.readers.fields import Field, Text, take
from treesql.readers.phrases import PhraseNumbers, SecondaryEdges, TreeChunk, distinct_edges, with_prefix, without_open
from treesql.readers.tiger_pieces import (
    EDGE,
    GRAPH,
    PHRASE,
    PHRASE_SECONDARY,
    SENTENCE,
    WORD,
    WORD_SECONDARY,
    Elements,
    scan,
)
from treesql.readers.tiger_texts import COLUMNS, contains, further, misc

_REQUIRED = (
    (SENTENCE, "id"), (WORD, "id"), (WORD, "word"), (PHRASE, "id"), (EDGE, "idref"), (WORD_SECONDARY, "idref"),
    (PHRASE_SECONDARY, "idref"),
)  # fmt: skip
"""Attributes that elements must have."""

_ABSENT = -1
"""The number of a value that there is not; and of the place of an element without a parent."""


class _Numbers(NamedTuple):
    """Words and phrases by the numbers that they have in their sentences, from 1 on; 0 is the root.

    word, phrase: of every element of a kind; refers: the element that each reference names, words first.
    """

    word: Ints
    phrase: Ints
    refers: Ints


def read_plain(block: bytes, first_line: int) -> TreeChunk | None:
    """The trees of whole sentences; None where the other reader has to read them. first_line: of the block."""
    found = scan(block)
    return None if found is None else _Trees(found).chunk(first_line)


class _Trees:
    """The trees of the elements of a block."""

    def __init__(self, found: Elements) -> None:
        self._found, self._data = found, found.data
        self._of = {kind: np.flatnonzero(found.kind == kind) for kind in range(PHRASE_SECONDARY + 1)}
        self._rank = np.zeros(len(found.kind), dtype=np.int64)
        for places in self._of.values():
            self._rank[places] = np.arange(len(places))

    def chunk(self, first_line: int) -> TreeChunk | None:
        found, of = self._found, self._of
        n_sentences = len(of[SENTENCE])
        leaf_offsets = self._offsets(found.sentence[of[WORD]], n_sentences)
        if any((self._column(*one) == _ABSENT).any() for one in _REQUIRED) or (np.diff(leaf_offsets) == 0).any():
            return None
        if any((found.values[1][self._column(*one)] == 0).any() for one in ((SENTENCE, "id"), (WORD, "word"))):
            return None
        numbers = self._number()
        if numbers is None:
            return None
        linked = self._link(numbers)
        secondary = self._secondary(numbers)
        if linked is None or secondary is None:
            return None
        (above, functions), (parents, phrase_functions), kept = linked
        node_offsets = self._offsets(found.sentence[of[PHRASE]][kept], n_sentences)
        phrases = PhraseNumbers(leaf_offsets, node_offsets, above, parents)
        if len(phrases.found.faults):
            return None
        values = self._texts(functions)
        rest = self._prefixed(self._values(phrase_functions), b"-", unless=b"=")
        category = self._values(self._column(PHRASE, "cat")[kept])
        text = Text(self._data)
        word, node, parent, label, sentence = secondary
        nodes, over = phrases.of_phrases(sentence, node), phrases.of_phrases(sentence, parent)
        edges = SecondaryEdges(sentence, word, nodes, over, self._values(label))
        form, sent_id = (
            (found.values[0][at], found.values[1][at])
            for at in (self._column(WORD, "word"), self._column(SENTENCE, "id"))
        )
        chunk = TreeChunk(
            line=found.line[of[SENTENCE]] + first_line,
            leaf_offsets=leaf_offsets,
            node_offsets=node_offsets,
            form=form,
            tag=self._values(self._column(WORD, "pos")),
            phrase=phrases.found.phrase,
            leaf_line=found.line[of[WORD]] + first_line,
            label=take(category, phrases.order),
            rest=take(rest, phrases.order),
            parent=phrases.found.parent,
            first=phrases.found.first,
            last=phrases.found.last,
            depth=phrases.found.depth,
            continuous=phrases.found.continuous,
            texts=values,
            sent_id=sent_id,
            secondary=distinct_edges(self._data, edges),
            spaced=True,
            text=text,
        )
        return None if found.blanks and self._has_blank_names(chunk) else chunk

    def _has_blank_names(self, chunk: TreeChunk) -> bool:
        """Whether an id, a category or a label has a blank."""
        assert chunk.rest is not None
        assert chunk.sent_id is not None
        assert chunk.secondary is not None
        blanks = chunk.text.raw == ord(" ")
        names = chunk.label, chunk.rest, chunk.sent_id, chunk.secondary.label
        return any(contains(blanks, field).any() for field in names)

    def _number(self) -> _Numbers | None:
        """None for ids that are not distinct, references to none, and roots that are no roots."""
        found, of = self._found, self._of
        named = (WORD, "id"), (PHRASE, "id")
        referring = (EDGE, "idref"), (WORD_SECONDARY, "idref"), (PHRASE_SECONDARY, "idref"), (GRAPH, "root")
        places, values = zip(
            *((of[kind], self._column(kind, name)) for kind, name in (*named, *referring)), strict=True
        )
        n_ids = len(places[0]) + len(places[1])
        place, value = np.concatenate(places), np.concatenate(values)
        rooted = value != _ABSENT
        rooted[rooted] = found.values[1][value[rooted]] > 0
        if not rooted[: len(place) - len(places[-1])].all():
            return None
        number = np.full(len(place), _ABSENT, dtype=np.int64)
        number[rooted] = self._distinct(value[rooted], found.sentence[place[rooted]])
        if (number[:n_ids] != np.arange(n_ids)).any() or (number >= n_ids).any():
            return None
        n_words, roots = len(places[0]), number[len(place) - len(places[-1]) :]
        above_all = self._roots(roots - n_words)
        kept = np.ones(len(places[1]), dtype=bool)
        kept[above_all] = False
        phrase = np.zeros(len(kept), dtype=np.int64)
        phrase[kept] = self._ranks(found.sentence[places[1]][kept])
        self._unrooted = found.sentence[places[-1]][(roots >= 0) & ~np.isin(roots - n_words, above_all)]
        return _Numbers(self._ranks(found.sentence[places[0]]), phrase, number[n_ids:])

    def _roots(self, phrases: Ints) -> Ints:
        """Those of these phrases that are the root above all others, which is no phrase."""
        ids, categories = self._column(PHRASE, "id"), self._column(PHRASE, "cat")
        return np.array([
            at for at in phrases[phrases >= 0].tolist()
            if self._found.text(ids[at]).endswith("VROOT")
            or (categories[at] != _ABSENT and self._found.text(categories[at]) == "VROOT")
        ], dtype=np.int64)  # fmt: skip

    def _distinct(self, values: Ints, sentence: Ints) -> Ints:
        """Numbers of values that differ, or are in different sentences."""
        from treesql.kernels import keys

        mixed = self._hashes(values) + sentence.astype(np.uint64) * keys.SPREAD
        return keys.number_keys(mixed * keys.SPREAD)[0]

    def _link(self, numbers: _Numbers) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints], Flags] | None:
        """Of words and of phrases the parents and the values of their functions; which phrases are kept.

        None for two parents, a root below a phrase, and two roots.
        """
        found, of = self._found, self._of
        kept, n_words = numbers.phrase > 0, len(numbers.word)
        child = numbers.refers[: len(of[EDGE])]
        n_ids = n_words + len(kept)
        below_root = np.concatenate([np.ones(n_words, dtype=bool), kept])[child].all()
        if not below_root or np.bincount(child, minlength=1).max() > 1:
            return None
        parents, labels = np.full(n_ids, _ABSENT, dtype=np.int64), np.full(n_ids, _ABSENT, dtype=np.int64)
        parents[child] = numbers.phrase[self._rank[found.owner[of[EDGE]]]]
        labels[child] = self._column(EDGE, "label")
        tops = np.bincount(found.sentence[of[PHRASE]][kept & (parents[n_words:] < 0)], minlength=len(of[SENTENCE]))
        if (tops[self._unrooted] > 1).any():
            return None
        raw = np.frombuffer(self._data, dtype=np.uint8)
        given = labels[labels != _ABSENT]
        if len(found.escaped) and np.isin(given, found.escaped).any():
            return None
        if b"|" in self._data and contains(raw == ord("|"), (found.values[0][given], found.values[1][given])).any():
            return None
        parents = np.maximum(parents, 0)
        return (parents[:n_words], labels[:n_words]), (parents[n_words:][kept], labels[n_words:][kept]), kept

    def _secondary(self, numbers: _Numbers) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
        """Of secondary edges the word and the phrase that hang there, the parent, the value of the label, the sentence.

        None where they are between two words or above the root.
        """
        found, of, n_words = self._found, self._of, len(numbers.word)
        places = np.concatenate([of[WORD_SECONDARY], of[PHRASE_SECONDARY]])
        signed = np.concatenate([numbers.word, -numbers.phrase])  # as the other reader numbers them
        ranks = self._rank[found.owner[places]]
        owner = signed[np.where(found.kind[places] == WORD_SECONDARY, ranks, ranks + n_words)]
        target = signed[numbers.refers[len(of[EDGE]) :][: len(places)]]
        swapped = target > 0
        owner, target = np.where(swapped, target, owner), np.where(swapped, owner, target)
        if (target > 0).any() or (owner == 0).any():
            return None
        label = np.concatenate([self._column(kind, "label") for kind in (WORD_SECONDARY, PHRASE_SECONDARY)])
        order = np.argsort(places)
        columns = np.maximum(owner, 0), np.maximum(-owner, 0), -target, label, found.sentence[places]
        return tuple(column[order] for column in columns)  # type: ignore[return-value]

    def _texts(self, functions: Ints) -> dict[str, Field]:
        """Further columns of the words."""
        made = {"lemma": self._values(self._column(WORD, "lemma")), "feats": self._values(self._column(WORD, "morph"))}
        function = self._values(functions)
        if any(kind == WORD and name not in COLUMNS for kind, name in self._found.columns):
            made["misc"] = self._with_further(functions)
        else:
            made["misc"] = self._prefixed(function, b"Function=")
        return made

    def _with_further(self, functions: Ints) -> Field:
        """The functions and further attributes of words; each that is not like another is made once."""
        from treesql.kernels import keys

        found, words = self._found, self._of[WORD]
        ends = np.concatenate([found.first_value, [len(found.name)]])
        combined = np.where(functions == _ABSENT, 0, self._hashes(np.maximum(functions, 0))).astype(np.uint64)
        begins, stops = ends[words], ends[words + 1]
        own = np.array([name not in COLUMNS for name in found.names])
        for place in range(int((stops - begins).max())):
            at = np.minimum(begins + place, stops - 1)
            counts = (begins + place < stops) & own[found.name[at]]
            mixed = (self._hashes(at) + found.name[at].astype(np.uint64)) * keys.SPREAD
            combined = np.where(counts, (combined ^ mixed) * keys.SPREAD + np.uint64(place), combined)
        which, firsts = keys.number_keys(combined)
        texts = []
        for word in firsts.tolist():
            values = {found.names[found.name[at]]: found.text(at) for at in range(begins[word], stops[word])}
            label = found.text(functions[word]) if functions[word] != _ABSENT else ""
            texts.append(misc(label, further(values)).encode())
        sizes = np.array([len(text) for text in texts], dtype=np.int64)
        starts = len(self._data) + np.cumsum(sizes) - sizes
        self._data = b"".join([self._data, *texts])
        return starts[which], sizes[which]

    def _column(self, kind: int, name: str) -> Ints:
        column = self._found.columns.get((kind, name))
        return np.full(len(self._of[kind]), _ABSENT, dtype=np.int64) if column is None else column

    def _values(self, numbers: Ints) -> Field:
        """Values by their numbers; those that are open or absent have no length."""
        starts, lengths = (np.where(numbers == _ABSENT, 0, part[numbers]) for part in self._found.values)
        return without_open(self._data, starts, lengths)

    def _prefixed(self, field: Field, prefix: bytes, *, unless: bytes | None = None) -> Field:
        self._data, made = with_prefix(self._data, field, prefix, unless=unless)
        return made

    def _hashes(self, numbers: Ints) -> Keys:
        from treesql.kernels import keys

        starts, lengths = self._found.values
        return keys.hash_pieces(np.frombuffer(self._data, dtype=np.uint8), starts[numbers], lengths[numbers])

    def _offsets(self, sentence: Ints, n: int) -> Ints:
        counts = np.bincount(sentence, minlength=n)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _ranks(self, sentence: Ints) -> Ints:
        """The numbers of elements in their sentences, from 1."""
        starts = self._offsets(sentence, int(sentence[-1]) + 1 if len(sentence) else 0)
        return np.arange(1, len(sentence) + 1) - starts[sentence] if len(sentence) else sentence
