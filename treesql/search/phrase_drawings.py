"""Drawings of matches in constituency trees: the tree of the sentence, matched nodes marked and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treesql.drawing.constituents import PhraseTree
from treesql.engines import Engine


def draw(engine: Engine, row: Mapping[str, Any], names: Sequence[str]) -> PhraseTree:
    """Return the tree of a match. row: its corpus, sentence, and the kind, phrase and first word of every node."""
    key = {"corpus": row["corpus"], "sentence": row["sentence"]}
    words = engine.rows(
        "SELECT w.form, w.xpos, w.phrase FROM words AS w WHERE w.corpus = $corpus AND w.sentence = $sentence"
        " ORDER BY w.word",
        key,
    )
    phrases = engine.rows(
        "SELECT n.label, n.parent FROM tree_nodes AS n WHERE n.corpus = $corpus AND n.sentence = $sentence"
        " AND n.kind = 'phrase' ORDER BY n.node",
        key,
    )
    highlights: dict[int, list[str]] = {}
    highlighted: dict[int, list[str]] = {}
    shown = names if len(names) > 1 else [""]
    for name, label in zip(names, shown, strict=True):
        kind = row[f"{name}.kind"]
        if kind == "phrase":
            highlights.setdefault(int(row[f"{name}.phrase"]), []).append(label)
        elif kind is not None:
            highlighted.setdefault(int(row[f"{name}.first"]), []).append(label)
    return PhraseTree(
        [form for form, _, _ in words],
        [label for label, _ in phrases],
        [parent for _, parent in phrases],
        [phrase for _, _, phrase in words],
        [tag for _, tag, _ in words] if any(tag for _, tag, _ in words) else None,
        {node: ", ".join(filter(None, labels)) for node, labels in highlights.items() if node > 0},
        {word: ", ".join(filter(None, labels)) for word, labels in highlighted.items()},
        {node: "matched" for node in highlights if node > 0},  # the top without a label, 0, is not drawn
    )
