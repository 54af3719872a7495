"""TIGER-XML: words, phrases and edges as XML elements; phrases may be discontinuous, secondary edges are kept.

Source: Lezius, Biesinger & Gerstenberger 2002, TIGER-XML Quick Reference Guide; the TIGER corpus 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text, take
from treesql.readers.phrases import SecondaryEdges, TreeChunk, tree_batch
from treesql.readers.sentence_limits import refuse_long
from treesql.readers.source import Source
from treesql.readers.tiger_elements import OPEN, ElementReader, StoppedParsing, TigerSentence
from treesql.readers.tiger_links import MAX_SHOWN, LinkedSentence
from treesql.readers.unordered_phrases import ENDLESS, PhraseNumbers, distinct_edges, with_prefix, without_open

SUFFIXES = (".tigerxml", ".tiger.xml")
KIND = "constituency"

BLOCK_BYTES = 1 << 18
"""Maximum number of bytes that are parsed at once."""

WORDS_AT_ONCE = 5_000
"""Number of words from which on the sentences that are read become rows."""

_SEPARATOR = "\0"
"""What separates texts that are joined: no character of XML."""

_COLUMNS = frozenset({"id", "word", "lemma", "pos", "morph"})
"""Attributes of words that have a column; others are in `misc`."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, some at a time. Raises InvalidInput."""
    faults = Faults(source.name)
    elements = ElementReader(faults, options.max_sentence)
    found: list[TigerSentence] = []
    n = n_words = 0
    for part in source.chunks(BLOCK_BYTES, cut_of=len):
        try:
            elements.feed(part.data, part.last)
        except StoppedParsing:
            break
        n_words += sum(len(one.words) for one in elements.found)
        found += elements.found
        n += len(elements.found)
        elements.found.clear()
        if found and (n_words >= WORDS_AT_ONCE or part.last):
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
    _check_texts(chunk, faults)
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
        known = [_escaped(label) for label in known]
    functions = texts.add(known)
    more = [_further(word) if len(word) > len(_COLUMNS) or not word.keys() <= _COLUMNS else "" for word in words]
    if any(more):
        misc = texts.add([_misc(function, rest) for function, rest in zip(known, more, strict=True)])
    else:
        misc = texts.prefixed(functions, b"Function=")
    rest = texts.prefixed(texts.add([label for one in linked for label in one.phrase_functions]), b"-", unless=b"=")
    category = texts.add([phrase.get("cat", "") for phrase in phrases])
    columns = {
        "lemma": texts.add([word.get("lemma", "") for word in words]),
        "feats": texts.add([word.get("morph", "") for word in words]),
        "misc": misc,
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


def _check_texts(trees: TreeChunk, faults: Faults) -> None:
    """Add a fault for every value with a tab or a line break, and every id, category and label with a blank."""
    data = trees.text.data
    if any(sign in data for sign in (b"\t", b"\n", b"\r")):
        raw = np.isin(trees.text.raw, list(b"\t\n\r"))
        for values in (trees.form, trees.tag, *trees.texts.values()):
            for at in np.flatnonzero(_contains(raw, values or trees.form)).tolist():
                what = f"a tab or a line break in a value of {trees.text.quote(trees.form, at)}"
                faults.add(int(trees.leaf_line[at]), what, "take it out")
    raw = np.isin(trees.text.raw, list(b" \t\n\r"))
    sentence = np.repeat(np.arange(len(trees.line)), np.diff(trees.node_offsets))
    assert trees.rest is not None
    assert trees.sent_id is not None
    assert trees.secondary is not None
    labels = (
        (trees.label, sentence), (trees.rest, sentence), (trees.sent_id, np.arange(len(trees.line))),
        (trees.secondary.label, trees.secondary.sentence),
    )  # fmt: skip
    for field, of in labels:
        for at in np.flatnonzero(_contains(raw, field)).tolist():
            what = f"a blank in {trees.text.quote(field, at)}"
            faults.add(int(trees.line[of[at]]), what, "write ids, categories and labels without blanks")


def _contains(marked: Flags, field: Field) -> Flags:
    """Which fields contain a marked byte."""
    before = np.concatenate([[0], np.cumsum(marked)])
    found: Flags = before[field[0] + field[1]] > before[field[0]]
    return found


def _numbers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _offsets(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)


def _further(word: Mapping[str, str]) -> str:
    """The attributes of a word that have no column, each behind a `|`."""
    pairs = [(name, value) for name, value in word.items() if name not in _COLUMNS and value and value != OPEN]
    return "".join(f"|{name}={_escaped(value)}" for name, value in pairs)


def _escaped(value: str) -> str:
    """A value as `misc` holds it, in which `|` separates."""
    return value.replace("&", "&amp;").replace("|", "&#124;")


def _misc(function: str, more: str) -> str:
    """The function of a word and its further attributes."""
    return more[1:] if not function or function == OPEN else f"Function={function}{more}"


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
