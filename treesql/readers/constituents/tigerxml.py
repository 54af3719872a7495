"""TIGER-XML: words, phrases and edges as XML elements; phrases may be discontinuous, secondary edges are kept.

Source: Lezius, Biesinger & Gerstenberger 2002, TIGER-XML Quick Reference Guide; the TIGER corpus 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.constituents.phrases import (
    ENDLESS,
    PhraseNumbers,
    SecondaryEdges,
    TreeChunk,
    distinct_edges,
    tree_batch,
    without_open,
)
from treesql.readers.constituents.tiger_elements import MAX_SHOWN, OPEN, ElementReader, LinkedSentence, TigerSentence
from treesql.readers.fields import Faults, Field, JoinedTexts, Text, offsets_of, refuse_long, take
from treesql.readers.source import Source

SUFFIXES = (".tigerxml", ".tiger.xml")
KIND = "constituency"

COLUMNS = frozenset({"id", "word", "lemma", "pos", "morph"})
"""Attributes of words that have a column; others are in `misc`."""

BLOCK_BYTES = 1 << 18
"""Number of bytes that are read at once."""

WORDS_AT_ONCE = 5_000
"""Number of words from which on the sentences that are read become rows."""

_BAR = "&#124;"
"""The sign `|` in a value that `misc` holds, where it separates."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a file, some at a time: 24,000 words in a quarter of a second. Raises InvalidInput."""
    faults = Faults(source.name)
    elements = ElementReader(faults, options.max_sentence)
    n = 0
    for part in source.chunks(BLOCK_BYTES, cut_of=len):
        elements.feed(part.data, part.last)
        sentences = elements.sentences
        if sentences and (part.last or sum(len(sentence.words) for sentence in sentences) >= WORDS_AT_ONCE):
            n += len(sentences)
            yield from _batches(sentences, source.name, state, options, faults)
            sentences.clear()
        if faults.full:
            break
    if not n and not faults.found:
        faults.add(0, "the file has no sentences", "give a file with at least one <s> in its <body>")
    faults.raise_any()


def _batches(
    sentences: Sequence[TigerSentence], path: str, state: State, options: Options, faults: Faults
) -> Iterator[Batch]:
    """The rows of sentences; none where one of them has a fault."""
    linked = [LinkedSentence(sentence, faults) for sentence in sentences]
    if faults.found:
        return
    leaf_offsets = offsets_of([len(sentence.words) for sentence in sentences])
    node_offsets = offsets_of([len(tree.phrases) for tree in linked])
    refuse_long(np.diff(leaf_offsets), _numbers(tree.line for tree in sentences), options.max_sentence, faults)
    above, parents = (_numbers(chain.from_iterable(values)) for values in (
        (tree.above for tree in linked), (tree.parents for tree in linked)
    ))  # fmt: skip
    numbers = PhraseNumbers(leaf_offsets, node_offsets, above, parents)
    _add_tree_faults(linked, numbers, faults)
    chunk = _trees(sentences, linked, numbers, (leaf_offsets, node_offsets))
    _check_texts(chunk, faults)
    if not faults.found:
        yield tree_batch(chunk, path, state, options)


def _trees(
    sentences: Sequence[TigerSentence],
    linked: Sequence[LinkedSentence],
    numbers: PhraseNumbers,
    offsets: tuple[Ints, Ints],
) -> TreeChunk:
    texts = JoinedTexts()
    words = [word for sentence in sentences for word in sentence.words]
    phrases = [tree.sentence.phrases[at] for tree in linked for at in tree.phrases]
    functions = (label for tree in linked for label in tree.word_functions)
    phrase_functions = (label for tree in linked for label in tree.phrase_functions)
    columns = {
        "lemma": _add(texts, [word.get("lemma", "") for word in words]),
        "feats": _add(texts, [word.get("morph", "") for word in words]),
        "misc": texts.add([_misc(word, label) for word, label in zip(words, functions, strict=True)]),
    }
    category = _add(texts, [phrase.get("cat", "") for phrase in phrases])
    rest = texts.add([_with_hyphen(label) for label in phrase_functions])
    return TreeChunk(
        line=_numbers(sentence.line for sentence in sentences),
        leaf_offsets=offsets[0],
        node_offsets=offsets[1],
        form=texts.add([word["word"] for word in words]),
        tag=_add(texts, [word.get("pos", "") for word in words]),
        phrase=numbers.numbered.phrase,
        leaf_line=_numbers(line for sentence in sentences for line in sentence.word_lines),
        label=take(category, numbers.order),
        rest=take(rest, numbers.order),
        parent=numbers.numbered.parent,
        first=numbers.numbered.first,
        last=numbers.numbered.last,
        depth=numbers.numbered.depth,
        continuous=numbers.numbered.continuous,
        texts=columns,
        sent_id=texts.add([sentence.name for sentence in sentences]),
        secondary=_secondary(linked, numbers, texts),
        spaced=True,
        text=Text(texts.data),
    )


def _secondary(linked: Sequence[LinkedSentence], numbers: PhraseNumbers, texts: JoinedTexts) -> SecondaryEdges:
    rows = [(at, *edge) for at, tree in enumerate(linked) for edge in tree.secondary]
    places = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4)
    sentence, word, node, parent = places.T
    label = _add(texts, [row[4] for row in rows])
    nodes, parents = numbers.of_phrases(sentence, node), numbers.of_phrases(sentence, parent)
    return distinct_edges(texts.data, SecondaryEdges(sentence, word, nodes, parents, label))


def _add_tree_faults(linked: Sequence[LinkedSentence], numbers: PhraseNumbers, faults: Faults) -> None:
    """Add the faults of phrases that are below themselves or have no words."""
    places = [(tree.sentence, at) for tree in linked for at in tree.phrases] if len(numbers.numbered.faults) else []
    for kind, phrase in numbers.faults():
        sentence, at = places[phrase]
        name, line = sentence.phrases[at]["id"][:MAX_SHOWN], sentence.phrase_lines[at]
        if kind == ENDLESS:
            faults.add(line, f"phrase `{name}` is below itself", "let every path of edges lead up to the root")
        else:
            faults.add(line, f"phrase `{name}` has no words", "remove it, or hang words on it")


def _numbers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _add(texts: JoinedTexts, values: Sequence[str]) -> Field:
    """Where further texts stand, of which those that are open have no length."""
    starts, lengths = texts.add(values)
    return without_open(texts.data, starts, lengths)


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
    for field, sentence_of_label in labels:
        for at in np.flatnonzero(_contains(raw, field)).tolist():
            what = f"a blank in {trees.text.quote(field, at)}"
            faults.add(int(trees.line[sentence_of_label[at]]), what, "write ids, categories and labels without blanks")


def _contains(marked: Flags, field: Field) -> Flags:
    """Which fields contain a marked byte."""
    before = np.concatenate([[0], np.cumsum(marked)])
    contains: Flags = before[field[0] + field[1]] > before[field[0]]
    return contains


def _misc(word: Mapping[str, str], function: str) -> str:
    """The function of a word and its attributes that have no column."""
    pairs = [] if function in ("", OPEN) else [f"Function={function.replace('|', _BAR)}"]
    if len(word) > len(COLUMNS) or not word.keys() <= COLUMNS:
        more = [pair for pair in word.items() if pair[0] not in COLUMNS and pair[1] not in ("", OPEN)]
        pairs += [f"{name}={value.replace('&', '&amp;').replace('|', _BAR)}" for name, value in more]
    return "|".join(pairs)


def _with_hyphen(label: str) -> str:
    """The label of the edge to a phrase as `functions` has it."""
    if label == OPEN:
        return ""
    return label if label.startswith("=") or not label else f"-{label}"
