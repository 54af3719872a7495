"""Random constituency trees, and what a naive reader makes of a tree."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Tree = tuple[str, Any]
"""A label with the trees below it, or a tag with its word."""

labels = st.sampled_from(
    ["S", "NP", "NP-SBJ", "NP-SBJ-1", "VP=2", "PP-LOC=2", "-X-", "=", "=A", "ADJP|ADVP", "Ü-Ä", "A-"]
)
tags = st.sampled_from(
    ["NN", "DT", ",", "''", "-NONE-", "-LRB-", "PRP$", "NN-TMP", "ÄÖ", "a-tag-of-more-than-12-bytes"]
)
words = st.sampled_from(
    ["water", "*T*-1", "'s", "-LRB-", "é漢😀", "a\u00a0b", "#", "=", "\\/", "a-word-of-more-than-12-bytes"]
)
leaves = st.tuples(tags, words)
trees = st.recursive(leaves, lambda below: st.tuples(labels, st.lists(below, min_size=1, max_size=4)), max_leaves=12)
blanks = st.text(" \t", max_size=2)


@st.composite
def sentences(draw: st.DrawFn) -> list[Tree]:
    """The trees at the top of a sentence: none, mostly one."""
    n = draw(st.sampled_from([0, 1, 1, 1, 1, 2]))
    return [draw(trees) for _ in range(n)]


def line(tops: list[Tree]) -> str:
    """A sentence as the writer has it."""
    if len(tops) == 1:
        return one_line(tops[0])
    return f"({' '.join(map(one_line, tops))})" if tops else "(())"


def one_line(tree: Tree) -> str:
    label, content = tree
    return f"({label} {content if isinstance(content, str) else ' '.join(map(one_line, content))})"


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[list[Tree]]]:
    """A file in which blanks and line ends are scattered, lines inside a tree being indented; and its sentences."""
    found = draw(st.lists(sentences(), min_size=1, max_size=5))
    gap = st.sampled_from(["", " ", "\n ", "\t", "\n\n  ", " \n\t"])
    parts = []

    def write(tree: Tree) -> str:
        label, content = tree
        inside = draw(gap) or " "
        if isinstance(content, str):
            return f"({draw(blanks)}{label}{inside}{content}{draw(blanks)})"
        return f"({draw(blanks)}{label}" + "".join(draw(gap) + write(child) for child in content) + f"{draw(gap)})"

    for tops in found:
        outer = len(tops) != 1 or draw(st.booleans())
        text = "".join(draw(gap) + write(tree) for tree in tops)
        if not tops:
            text = draw(st.sampled_from(["", "()", " ( )", "\n ()"]))
        parts.append(f"({text}{draw(gap)})" if outer else text.lstrip() if text else text)
        parts.append(draw(st.sampled_from(["\n", "\n\n", " \n", "", "\n  "])))
    return "".join(parts), found


def naive(found: list[list[Tree]]) -> dict[str, list[tuple[Any, ...]]]:
    """Words (sentence, word, form, xpos, phrase) and constituents of sentences, by walking through their trees."""
    rows: dict[str, list[tuple[Any, ...]]] = {"words": [], "constituents": []}
    for number, tops in enumerate(found):
        n_words, n_nodes = 0, 0

        def walk(tree: Tree, parent: int | None, depth: int, number: int = number) -> None:
            nonlocal n_words, n_nodes
            label, content = tree
            if isinstance(content, str):
                n_words += 1
                rows["words"].append((number, n_words, content, label, parent))
                return
            n_nodes += 1
            node, first, at = n_nodes, n_words + 1, len(rows["constituents"])
            rows["constituents"].append(())
            for child in content:
                walk(child, node, depth + 1)
            end = next((i for i, sign in enumerate(label) if i and sign in "-="), len(label))
            end = len(label) if label[0] == "-" else end
            rows["constituents"][at] = (
                number, node, parent, label[:end], label[end:] or None, first, n_words, depth, True,
            )  # fmt: skip

        for tree in tops:
            walk(tree, None, 1)
    return rows
