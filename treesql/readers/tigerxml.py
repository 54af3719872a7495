"""TIGER-XML: words, phrases and edges as XML elements; phrases may be discontinuous, secondary edges are kept.

Source: Lezius, Biesinger & Gerstenberger 2002, TIGER-XML Quick Reference Guide; the TIGER corpus 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text, refuse_long, take
from treesql.readers.phrases import (
    ENDLESS,
    PhraseNumbers,
    SecondaryEdges,
    TreeChunk,
    distinct_edges,
    tree_batch,
    with_prefix,
    without_open,
)
from treesql.readers.source import Source
from treesql.readers.tiger_elements import ElementReader, StoppedParsing, TigerSentence
from treesql.readers.tiger_links import MAX_SHOWN, LinkedSentence
from treesql.readers.tiger_plain import read_plain
from treesql.readers.tiger_texts import COLUMNS, check_texts, escaped, further, misc

SUFFIXES = (".tigerxml", ".tiger.xml")
KIND = "constituency"

BLOCK_BYTES = 1 << 19
"""Number of bytes that are read at once."""

FED_BYTES = 1 << 18
"""Maximum number of bytes that are parsed at once."""

WORDS_AT_ONCE = 5_000
"""Number of words from which on the sentences that are read become rows."""

_FIRST = re.compile(rb"<s[ \t\n>]")
_END = b"</s>"
_ENCODING = re.compile(
    rb"""<\?xml\s+version\s*=\s*["']1\.0["'](?:\s+encoding\s*=\s*["'][Uu][Tt][Ff]-8["'])?"""
    rb"""(?:\s+standalone\s*=\s*["'][a-z]+["'])?\s*\?>"""
)
"""The first line of a file in UTF-8."""

_SEPARATOR = "\0"
"""What separates texts that are joined: no character of XML."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, some at a time. Raises InvalidInput."""
    faults = Faults(source.name)
    blocks = _Blocks(ElementReader(faults, options.max_sentence), options.max_sentence)
    found: list[TigerSentence] = []
    n = n_words = 0
    for part in source.chunks(BLOCK_BYTES, cut_of=len):
        ends = faults.full
        for trees in blocks.read(part.data, part.last):
            if isinstance(trees, TreeChunk):
                if found:
                    yield from _batches(found, source.name, state, options, faults)
                    found, n_words = [], 0
                n += len(trees.line)
                if not faults.found:
                    yield tree_batch(trees, source.name, state, options)
            else:
                n_words += sum(len(one.words) for one in trees)
                found += trees
                n += len(trees)
            if found and n_words >= WORDS_AT_ONCE:
                yield from _batches(found, source.name, state, options, faults)
                found, n_words = [], 0
            ends = ends or faults.full
        if ends or blocks.stopped:
            break
    if found and not blocks.stopped:
        yield from _batches(found, source.name, state, options, faults)
    if not n and not faults.found:
        faults.add(0, "the file has no sentences", "give a file with at least one <s> in its <body>")
    faults.raise_any()


class _Blocks:
    """The sentences of blocks of a file: as trees where they are plain, else from element to element.

    One parser sees the whole file: of plain sentences it is given the line ends alone.
    """

    def __init__(self, elements: ElementReader, limit: int) -> None:
        self.stopped = False
        self._elements, self._limit = elements, limit
        self._head: bytes | None = b""  # what was read, until the first sentence
        self._plain = True
        self._carry, self._line = b"", 1

    def read(self, data: bytes, last: bool) -> Iterator[TreeChunk | list[TigerSentence]]:
        """The sentences that end in a block."""
        block = self._carry + data
        self._carry = b""
        if self._plain and self._head is not None:
            begin = _FIRST.search(block)
            head = block[: begin.start()] if begin else block
            self._head += head
            if begin or len(self._head) > BLOCK_BYTES:
                self._plain = self._may_be_plain(self._head)
                if self._plain:
                    yield from self._feed(head, False)
                    self._plain, block = self._elements.between_sentences, block[len(head) :]
                self._head = None
        if self._plain and self._head is None and not self.stopped:
            cut = block.rfind(_END) + len(_END)
            if cut >= len(_END):
                yield from self._sentences(block[:cut])
                block = block[cut:]
            if self._plain and not last and len(block) <= BLOCK_BYTES:
                self._carry = block
                return
            self._plain = False
        if not self.stopped:
            yield from self._feed(block, last)

    def _may_be_plain(self, head: bytes) -> bool:
        """Whether nothing before the first sentence changes how the rest is to be read."""
        encoding = _ENCODING.match(head)
        rest = head[encoding.end() :] if encoding else head
        return len(head) <= BLOCK_BYTES and b"<!" not in rest and b"<?" not in rest

    def _sentences(self, block: bytes) -> Iterator[TreeChunk | list[TigerSentence]]:
        trees = read_plain(block, self._line) if len(block) <= self._limit else None
        if trees is not None:
            self._elements.pass_over(block)
            self._line += block.count(b"\n")
            yield trees
            return
        yield from self._feed(block, False)
        self._plain = self._elements.between_sentences and b"<!" not in block and b"<?" not in block

    def _feed(self, block: bytes, last: bool) -> Iterator[list[TigerSentence]]:
        elements = self._elements
        self._line += block.count(b"\n")
        for start in range(0, max(len(block), 1), FED_BYTES):
            part = block[start : start + FED_BYTES]
            try:
                elements.feed(part, last and start + FED_BYTES >= len(block))
            except StoppedParsing:
                self.stopped = True
                return
            yield [*elements.found]
            elements.found.clear()


def _batches(
    found: Sequence[TigerSentence], path: str, state: State, options: Options, faults: Faults
) -> Iterator[Batch]:
    """The rows of sentences; none where one of them has a fault."""
    linked = [LinkedSentence(sentence, faults) for sentence in found]
    if faults.found:
        return
    leaf_offsets = _offsets([len(sentence.words) for sentence in found])
    node_offsets = _offsets([len(one.phrases) for one in linked])
    refuse_long(np.diff(leaf_offsets), _numbers(one.line for one in found), options.max_sentence, faults)
    above, parents = (_numbers(chain.from_iterable(values)) for values in (
        (one.above for one in linked), (one.parents for one in linked)
    ))  # fmt: skip
    numbers = PhraseNumbers(leaf_offsets, node_offsets, above, parents)
    _add_tree_faults(linked, numbers, faults)
    chunk = _trees(found, linked, numbers, (leaf_offsets, node_offsets))
    check_texts(chunk, faults)
    if not faults.found:
        yield tree_batch(chunk, path, state, options)


def _trees(
    found: Sequence[TigerSentence], linked: Sequence[LinkedSentence], numbers: PhraseNumbers, offsets: tuple[Ints, Ints]
) -> TreeChunk:
    texts = _JoinedTexts()
    words = [word for sentence in found for word in sentence.words]
    phrases = [one.sentence.phrases[at] for one in linked for at in one.phrases]
    order = numbers.order
    known = [label for one in linked for label in one.word_functions]
    if any("|" in label for label in set(known)):
        known = [escaped(label) for label in known]
    functions = texts.add(known)
    more = [further(word) if len(word) > len(COLUMNS) or not word.keys() <= COLUMNS else "" for word in words]
    if any(more):
        further_texts = texts.add([misc(function, rest) for function, rest in zip(known, more, strict=True)])
    else:
        further_texts = texts.prefixed(functions, b"Function=")
    rest = texts.prefixed(texts.add([label for one in linked for label in one.phrase_functions]), b"-", unless=b"=")
    category = texts.add([phrase.get("cat", "") for phrase in phrases])
    columns = {
        "lemma": texts.add([word.get("lemma", "") for word in words]),
        "feats": texts.add([word.get("morph", "") for word in words]),
        "misc": further_texts,
    }
    return TreeChunk(
        line=_numbers(sentence.line for sentence in found),
        leaf_offsets=offsets[0],
        node_offsets=offsets[1],
        form=texts.add([word["word"] for word in words], is_open=False),
        tag=texts.add([word.get("pos", "") for word in words]),
        phrase=numbers.found.phrase,
        leaf_line=_numbers(line for sentence in found for line in sentence.word_lines),
        label=take(category, order),
        rest=take(rest, order),
        parent=numbers.found.parent,
        first=numbers.found.first,
        last=numbers.found.last,
        depth=numbers.found.depth,
        continuous=numbers.found.continuous,
        texts=columns,
        sent_id=texts.add([sentence.name for sentence in found], is_open=False),
        secondary=_secondary(linked, numbers, texts),
        spaced=True,
        text=Text(texts.data),
    )


def _secondary(linked: Sequence[LinkedSentence], numbers: PhraseNumbers, texts: _JoinedTexts) -> SecondaryEdges:
    rows = [(at, *edge) for at, one in enumerate(linked) for edge in one.secondary]
    places = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4)
    sentence, word, node, parent = places.T
    label = texts.add([row[4] for row in rows])
    nodes, parents = numbers.of_phrases(sentence, node), numbers.of_phrases(sentence, parent)
    return distinct_edges(texts.data, SecondaryEdges(sentence, word, nodes, parents, label))


def _add_tree_faults(linked: Sequence[LinkedSentence], numbers: PhraseNumbers, faults: Faults) -> None:
    """Add the faults of phrases that are below themselves or have no words."""
    places = [(one.sentence, at) for one in linked for at in one.phrases] if len(numbers.found.faults) else []
    for kind, phrase in numbers.faults():
        sentence, at = places[phrase]
        name, line = sentence.phrases[at]["id"][:MAX_SHOWN], sentence.phrase_lines[at]
        if kind == ENDLESS:
            faults.add(line, f"phrase `{name}` is below itself", "let every path of edges lead up to the root")
        else:
            faults.add(line, f"phrase `{name}` has no words", "remove it, or hang words on it")


def _numbers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _offsets(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)


class _JoinedTexts:
    """Texts one after the other, in UTF-8."""

    def __init__(self) -> None:
        self.data = b""

    def add(self, values: Sequence[str], *, is_open: bool = True) -> Field:
        """Where further texts stand. is_open: whether `--` is none."""
        added = (_SEPARATOR.join(values) + _SEPARATOR).encode() if values else b""
        ends = np.flatnonzero(np.frombuffer(added, dtype=np.uint8) == 0) + len(self.data)
        starts = np.concatenate([[len(self.data)], ends + 1])[: len(ends)].astype(np.int64)
        self.data += added
        return without_open(self.data, starts, ends - starts) if is_open else (starts, ends - starts)

    def prefixed(self, field: Field, prefix: bytes, *, unless: bytes | None = None) -> Field:
        """The same texts with a prefix. unless: a first byte of texts that get none."""
        self.data, found = with_prefix(self.data, field, prefix, unless=unless)
        return found
