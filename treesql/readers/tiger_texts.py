"""Values of TIGER-XML as the columns of words have them, and those that no column takes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treesql.kernels.arrays import Flags
from treesql.readers.fields import Faults, Field
from treesql.readers.phrases import TreeChunk
from treesql.readers.tiger_elements import OPEN

COLUMNS = frozenset({"id", "word", "lemma", "pos", "morph"})
"""Attributes of words that have a column; others are in `misc`."""


def check_texts(trees: TreeChunk, faults: Faults) -> None:
    """Add a fault for every value with a tab or a line break, and every id, category and label with a blank."""
    data = trees.text.data
    if any(sign in data for sign in (b"\t", b"\n", b"\r")):
        raw = np.isin(trees.text.raw, list(b"\t\n\r"))
        for values in (trees.form, trees.tag, *trees.texts.values()):
            for at in np.flatnonzero(contains(raw, values or trees.form)).tolist():
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
        for at in np.flatnonzero(contains(raw, field)).tolist():
            what = f"a blank in {trees.text.quote(field, at)}"
            faults.add(int(trees.line[of[at]]), what, "write ids, categories and labels without blanks")


def contains(marked: Flags, field: Field) -> Flags:
    """Which fields contain a marked byte."""
    before = np.concatenate([[0], np.cumsum(marked)])
    found: Flags = before[field[0] + field[1]] > before[field[0]]
    return found


def further(word: Mapping[str, str]) -> str:
    """The attributes of a word that have no column, each behind a `|`."""
    pairs = [(name, value) for name, value in word.items() if name not in COLUMNS and value and value != OPEN]
    return "".join(f"|{name}={escaped(value)}" for name, value in pairs)


def escaped(value: str) -> str:
    """A value as `misc` holds it, in which `|` separates."""
    return value.replace("&", "&amp;").replace("|", "&#124;")


def misc(function: str, more: str) -> str:
    """The function of a word and its further attributes."""
    return more[1:] if not function or function == OPEN else f"Function={function}{more}"
