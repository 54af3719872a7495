"""The kernels on constituency trees give the reference numbers of cases/constituency (see its README.md)."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.conformance.cases import CASES, needs
from tests.kernels.nested import Tree, batch, ints, of_spans
from treesql.kernels.trees import quartets, skeletons, splits
from treesql.kernels.trees.tree_edit import OrderedTrees, from_skeletons, to_postorder, tree_edit_distances

FOLDER = CASES / "constituency"
pytestmark = needs(FOLDER)

PUNCTUATION = {",", ":", "``", "''", ".", "-NONE-"}

Case = dict[str, Any]


class Node(NamedTuple):
    """A node of a parse: a word has no children, a tag has a word alone."""

    label: str
    children: list[Node]

    @property
    def is_tag(self) -> bool:
        return len(self.children) == 1 and not self.children[0].children


def cases(name: str) -> list[Case]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def parses(name: str) -> list[Node]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [cleaned(parse(line)) for line in lines]


def parse(text: str) -> Node:
    stack: list[Node] = [Node("", [])]
    for token in re.findall(r"\(\s*[^\s()]*|\)|[^\s()]+", text):
        if token == ")":
            stack.pop()
        else:
            node = Node(token[1:].strip() if token[0] == "(" else token, [])
            stack[-1].children.append(node)
            if token[0] == "(":
                stack.append(node)
    (root,) = stack[0].children
    return root


def cleaned(node: Node) -> Node:
    """Without traces and what they leave empty, and without functional suffixes."""
    if node.is_tag:
        return node
    children = [cleaned(child) for child in node.children if any(tag.label != "-NONE-" for tag in tags(child))]
    label = node.label if node.label.startswith("-") else re.split("[-=]", node.label)[0]
    return Node(label, children)


def tags(node: Node) -> Iterator[Node]:
    if node.is_tag:
        yield node
    else:
        for child in node.children:
            yield from tags(child)


def spans(node: Node, start: int = 1) -> Iterator[tuple[int, int]]:
    """The words of every constituent, counted from 1, in preorder."""
    if node.is_tag:
        return
    yield start, start + sum(1 for _ in tags(node)) - 1
    for child in node.children:
        yield from spans(child, start)
        start += sum(1 for _ in tags(child))


def skeletons_of(trees: list[Node], kept: list[bool]) -> skeletons.Skeletons:
    """Skeletons over the words that are kept: whether each word of all trees is."""
    flags = iter(kept)
    several, orders = [], []
    for tree in trees:
        before = [0, *accumulate(next(flags) for _ in tags(tree))]
        several.append([(before[first - 1], before[last]) for first, last in spans(tree)])
        orders.append(list(range(before[-1])))
    return of_spans(several, orders)


def ordered(trees: list[Node], numbers: dict[str, int]) -> OrderedTrees:
    """All nodes with their labels; equal strings, equal numbers."""
    parents: list[int] = []
    labels: list[int] = []
    offsets = [0]
    for tree in trees:
        waiting = [(tree, -1)]
        while waiting:
            node, parent = waiting.pop()
            own = len(parents) - offsets[-1]
            waiting += [(child, own) for child in reversed(node.children)]
            parents.append(parent)
            labels.append(numbers.setdefault(node.label, len(numbers)))
        offsets.append(len(parents))
    return to_postorder(ints(offsets), ints(parents), ints(labels))


def rows(columns: tuple[np.ndarray[Any, Any], ...], names: tuple[str, ...]) -> list[dict[str, int]]:
    return [dict(zip(names, row, strict=True)) for row in np.array(columns).T.tolist()]


def check(expected: list[Case], gold: skeletons.Skeletons, test: skeletons.Skeletons) -> tuple[int, int]:
    """Compare all numbers; returns how many trees had quartets and how many had sets."""
    with_quartets, with_sets = 0, 0
    counts = rows(quartets.count_quartets(gold, test), quartets.Quartets._fields)
    rooted = rows(splits.compare_splits(gold, test), splits.Splits._fields)
    unrooted = rows(splits.compare_splits(gold, test, unrooted=True), splits.Splits._fields)
    sizes = np.diff(gold.leaf_offsets).tolist()
    for case, n, four, with_root, without_root in zip(expected, sizes, counts, rooted, unrooted, strict=True):
        assert n == case["n"]
        if case["quartets"] is None:
            assert n < 4
            assert set(four.values()) == {-1}
        else:
            assert four == {name: case["quartets"][name] for name in four}
            with_quartets += 1
        for found, kind in ((with_root, "rooted"), (without_root, "unrooted")):
            if kind in case:
                assert found == {name: case[kind][name] for name in found}
                assert found["gold"] + found["test"] - 2 * found["common"] == case[kind]["rf"]
                with_sets += kind == "rooted"
            else:
                assert not any(found.values())
    return with_quartets, with_sets


@pytest.mark.parametrize(
    ("name", "trees", "counts"),
    [
        pytest.param("wsj", 300, {"all": (293, 300), "nopunct": (285, 297)}, marks=pytest.mark.thorough),
        pytest.param("generated", 200, {"all": (154, 181), "nopunct": (122, 163)}, marks=pytest.mark.thorough),
        ("hand", 26, {"all": (13, 25), "nopunct": (12, 24)}),
    ],
)
def test_parses(name: str, trees: int, counts: dict[str, tuple[int, int]]) -> None:
    """counts: how many pairs have quartets and how many have sets, with all words and without punctuation."""
    lines = zip(
        cases(f"{name}.expected.jsonl.gz"),
        parses(f"{name}.gold.mrg.gz"),
        parses(f"{name}.test.mrg.gz"),
        strict=True,
    )
    with_the_same_words = [line for line in lines if "all" in line[0]]
    expected = [case for case, _, _ in with_the_same_words]
    gold, test = [tree for _, tree, _ in with_the_same_words], [tree for _, _, tree in with_the_same_words]
    assert len(expected) == trees
    everything = [True for tree in gold for _ in tags(tree)]
    words = [tag.label not in PUNCTUATION for tree in gold for tag in tags(tree)]
    for part, kept, ted in (("all", everything, "skeleton"), ("nopunct", words, "skeleton_nopunct")):
        one, other = skeletons_of(gold, kept), skeletons_of(test, kept)
        assert check([case[part] for case in expected], one, other) == counts[part]
        shapes = tree_edit_distances(from_skeletons(one), from_skeletons(other))
        assert shapes.tolist() == [case["ted"][ted] for case in expected]
    numbers: dict[str, int] = {}
    labelled = tree_edit_distances(ordered(gold, numbers), ordered(test, numbers))
    assert labelled.tolist() == [case["ted"]["labelled"] for case in expected]


def newick(text: str, numbers: dict[str, int]) -> Tree:
    """Names and brackets only, which is what the cases have."""
    top: list[Tree] = []
    stack = [top]
    for token in re.findall(r"[()]|[^(),;\s]+", text):
        if token == "(":
            node: list[Tree] = []
            stack[-1].append(node)
            stack.append(node)
        elif token == ")":
            stack.pop()
        else:
            stack[-1].append(numbers.setdefault(token, len(numbers)))
    (tree,) = top
    return tree


@pytest.mark.thorough
def test_newick() -> None:
    """Leaves in any order, up to 200 of them."""
    given = cases("newick.jsonl.gz")
    gold, test = [], []
    for case in given:
        numbers: dict[str, int] = {}
        gold.append(newick(case["a"], numbers))
        test.append(newick(case["b"], numbers))
    assert check([case["expected"] for case in given], batch(gold), batch(test)) == (150, 150)
