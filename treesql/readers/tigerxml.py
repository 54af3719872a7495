"""TIGER-XML: words, phrases and edges as XML elements; phrases may be discontinuous, secondary edges are kept.

Source: Lezius, Biesinger & Gerstenberger 2002, TIGER-XML Quick Reference Guide; the TIGER corpus 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text
from treesql.readers.phrases import SecondaryEdges, TreeChunk, tree_batch
from treesql.readers.source import Source
from treesql.readers.tiger_elements import OPEN, ROOT, ElementReader, StoppedParsing, TigerSentence
from treesql.readers.unordered_phrases import ENDLESS, PhraseNumbers, distinct_edges

SUFFIXES = (".tigerxml", ".tiger.xml")
KIND = "constituency"

BLOCK_BYTES = 1 << 18
"""Maximum number of bytes that are parsed at once."""

WORDS_AT_ONCE = 20_000
"""Number of words from which on the sentences that are read become rows."""

_SEPARATOR = "\0"
"""What separates texts that are joined: no character of XML."""

_BLANK = re.compile(r"[\t\n\r]")
_BLANK_IN_LABEL = re.compile(r"[ \t\n\r]")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, some at a time. Raises InvalidInput."""
    faults = Faults(source.name)
    elements = ElementReader(faults, options.max_sentence)
    found: list[TigerSentence] = []
    n = n_words = 0
    for chunk in source.chunks(BLOCK_BYTES, cut_of=len):
        try:
            elements.feed(chunk.data, chunk.last)
        except StoppedParsing:
            break
        n_words += sum(len(one.words) for one in elements.found)
        found += elements.found
        n += len(elements.found)
        elements.found.clear()
        if found and (n_words >= WORDS_AT_ONCE or chunk.last):
            yield from _batches(found, source.name, state, options, faults)
            found, n_words = [], 0
        if faults.full:
            break
    if not n and not faults.found:
        faults.add(0, "the file has no sentences", "give a file with at least one <s> in its <body>")
    faults.raise_any()


def _batches(
    found: Sequence[TigerSentence], path: str, state: State, options: Options, faults: Faults
) -> Iterator[Batch]:
    """The rows of sentences; none where one of them has a fault."""
    linked = [_LinkedSentence(sentence, faults) for sentence in found]
    if faults.found:
        return
    words = [word for sentence in found for word in sentence.words]
    phrases = [phrase for sentence in found for phrase in sentence.phrases]
    leaf_offsets = _offsets([len(sentence.words) for sentence in found])
    node_offsets = _offsets([len(sentence.phrases) for sentence in found])
    above = np.array([parent for one in linked for parent in one.above], dtype=np.int64)
    parents = np.array([parent for one in linked for parent in one.parents], dtype=np.int64)
    numbers = PhraseNumbers(leaf_offsets, node_offsets, above, parents)
    for kind, place in numbers.faults():
        _, name, line = phrases[place]
        what = f"phrase `{name[:60]}` is below itself" if kind == ENDLESS else f"phrase `{name[:60]}` has no words"
        hint = "let every path of edges lead up to the root" if kind == ENDLESS else "remove it, or hang words on it"
        faults.add(line, what, hint)
    if faults.found:
        return
    texts = _JoinedTexts()
    order = numbers.order.tolist()
    labels = [label for one in linked for label in one.phrase_functions]
    functions = [label for one in linked for label in one.word_functions]
    forms, lemmas, tags, morphs, more, lines = zip(*words, strict=True) if words else [()] * 6
    chunk = TreeChunk(
        line=np.array([sentence.line for sentence in found], dtype=np.int64),
        leaf_offsets=leaf_offsets,
        node_offsets=node_offsets,
        form=texts.add(forms),
        tag=texts.add(_without_open(tags)),
        phrase=numbers.found.phrase,
        leaf_line=np.array(lines, dtype=np.int64),
        label=texts.add(_without_open([phrases[at][0] for at in order])),
        rest=texts.add([_signed(labels[at]) for at in order]),
        parent=numbers.found.parent,
        first=numbers.found.first,
        last=numbers.found.last,
        depth=numbers.found.depth,
        continuous=numbers.found.continuous,
        texts={
            "lemma": texts.add(_without_open(lemmas)),
            "feats": texts.add(_without_open(morphs)),
            "misc": texts.add([_misc(one, rest) for one, rest in zip(functions, more, strict=True)]),
        },
        sent_id=texts.add([sentence.name for sentence in found]),
        secondary=_secondary(linked, numbers, texts),
        spaced=True,
        text=Text(texts.data),
    )
    yield tree_batch(chunk, path, state, options)


class _LinkedSentence:
    """A sentence with the parents and functions of its words and phrases, counted from 1; notes its first fault.

    secondary: word and phrase that hang there, one of them 0, the further parent, and the label.
    """

    def __init__(self, sentence: TigerSentence, faults: Faults) -> None:
        self.above, self.word_functions = [-1] * len(sentence.words), [""] * len(sentence.words)
        self.parents, self.phrase_functions = [-1] * len(sentence.phrases), [""] * len(sentence.phrases)
        self.secondary: list[tuple[int, int, int, str]] = []
        fault = self._link(sentence) or self._link_secondary(sentence) or self._check(sentence)
        if fault:
            faults.add(*fault)

    def _link(self, sentence: TigerSentence) -> tuple[int, str, str] | None:
        numbers, above, parents = sentence.numbers, self.above, self.parents
        for name, label, parent, line in sentence.edges:
            number = numbers.get(name)
            if number is None:
                return line, f"an edge to `{name[:60]}`, which the sentence does not have", "name a word or a phrase"
            if number > 0 and above[number - 1] < 0:
                above[number - 1], self.word_functions[number - 1] = parent, label
            elif number < 0 and parents[-number - 1] < 0:
                parents[-number - 1], self.phrase_functions[-number - 1] = parent, label
            else:
                what = f"`{name[:60]}` has two parents" if number != ROOT else "the root is below a phrase"
                return line, what, "keep one edge to it; further parents are secondary edges, <secedge>"
        return None

    def _link_secondary(self, sentence: TigerSentence) -> tuple[int, str, str] | None:
        """In TIGER the element with the edge hangs below what it names; a word can only hang."""
        for owner, name, label, line in sentence.secondary:
            number = sentence.numbers.get(name)
            if number is None:
                what = f"a secondary edge to `{name[:60]}`, which the sentence does not have"
                return line, what, "name a phrase"
            if number > 0:
                owner, number = number, owner
            if number > 0 or owner == ROOT:
                return line, "a secondary edge between two words, or below nothing", "let it lead to a phrase"
            word, node = (owner, 0) if owner > 0 else (0, -owner)
            self.secondary.append((word, node, -number, "" if label == OPEN else label))
        return None

    def _check(self, sentence: TigerSentence) -> tuple[int, str, str] | None:
        """Find a second root, and texts that no table holds; words without a parent hang below the root."""
        tops = [at for at, parent in enumerate(self.parents) if parent < 0]
        if len(tops) > 1 and sentence.root and sentence.numbers.get(sentence.root) != ROOT:
            names = " and ".join(f"`{sentence.phrases[at][1][:60]}`" for at in tops[:2])
            hint = 'hang one below the other, or both below a phrase of the category "VROOT", named as root'
            return sentence.phrases[tops[1]][2], f"two roots, {names}", hint
        if sentence.root and sentence.root not in sentence.numbers:
            return sentence.line, f"root `{sentence.root[:60]}` does not exist", "name a phrase or a word"
        self.above = [max(parent, 0) for parent in self.above]
        self.parents = [max(parent, 0) for parent in self.parents]
        for word in sentence.words:
            if _BLANK.search("".join(word[:5])):
                return word[5], f"a tab or a line break in a value of `{word[0][:60]}`", "take it out"
        labels = [*self.word_functions, *self.phrase_functions, *(label for *_, label in self.secondary)]
        categories = [category for category, _, _ in sentence.phrases]
        if _BLANK_IN_LABEL.search("".join([sentence.name, *labels, *categories])):
            return sentence.line, "a blank in an id, a category or the label of an edge", "take it out"
        return None


def _secondary(linked: Sequence[_LinkedSentence], numbers: PhraseNumbers, texts: _JoinedTexts) -> SecondaryEdges:
    rows = [(at, *edge) for at, one in enumerate(linked) for edge in one.secondary]
    places = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4)
    sentence, word, node, parent = places.T
    label = texts.add([row[4] for row in rows])
    nodes, parents = numbers.of_phrases(sentence, node), numbers.of_phrases(sentence, parent)
    return distinct_edges(texts.data, SecondaryEdges(sentence, word, nodes, parents, label))


def _offsets(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)


def _without_open(values: Sequence[str]) -> list[str]:
    return ["" if value == OPEN else value for value in values]


def _signed(label: str) -> str:
    """The function of a phrase with the sign that tables have before it."""
    return "" if not label or label == OPEN else label if label[0] == "=" else f"-{label}"


def _misc(function: str, more: str) -> str:
    """The function of a word and its further attributes."""
    return more[1:] if not function or function == OPEN else f"Function={function}{more}"


class _JoinedTexts:
    """Texts one after the other, in UTF-8."""

    def __init__(self) -> None:
        self.data = b""

    def add(self, values: Sequence[str]) -> Field:
        """Where further texts stand."""
        added = (_SEPARATOR.join(values) + _SEPARATOR).encode() if values else b""
        ends = np.flatnonzero(np.frombuffer(added, dtype=np.uint8) == 0) + len(self.data)
        starts = np.concatenate([[len(self.data)], ends + 1])[: len(ends)].astype(np.int64)
        self.data += added
        return starts, ends - starts
