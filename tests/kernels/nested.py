"""Trees over leaves as nested lists, in plain Python: `[[0, 1], 2]`; what the kernels take is made of them."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from treesql.kernels.trees import skeletons

Tree = int | list["Tree"]


Leaves = frozenset[int]


@st.composite
def trees(draw: st.DrawFn, order: list[int]) -> Tree:
    """Trees of any shape, unary nodes among them: neighbours are gathered below new nodes."""
    items: list[Tree] = list(order)
    for _ in range(draw(st.integers(0, len(order)))):
        low = draw(st.integers(0, len(items) - 1))
        high = draw(st.integers(low, min(len(items) - 1, low + 3)))
        items[low : high + 1] = [items[low : high + 1]]
    return items


@st.composite
def pairs(draw: st.DrawFn, smallest: int = 0, largest: int = 8) -> tuple[int, Tree, Tree]:
    """Two trees over n leaves: in the same order, in orders that are nearly the same, or in any."""
    n = draw(st.integers(smallest, largest))
    one = draw(st.permutations(range(n)))
    other = list(one)
    if n > 1:
        for _ in range(draw(st.integers(0, 2))):
            i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
            other[i], other[j] = other[j], other[i]
    if draw(st.booleans()) and draw(st.booleans()):
        other = draw(st.permutations(range(n)))
    return n, draw(trees(one)), draw(trees(other))


def chain(leaves: list[int]) -> Tree:
    """Left-branching: [[[0, 1], 2], 3]."""
    tree: Tree = leaves[0]
    for leaf in leaves[1:]:
        tree = [tree, leaf]
    return tree


def flat(tree: Tree) -> tuple[list[int], list[int]]:
    """Parents and leaves of the nodes in preorder."""
    parents: list[int] = []
    leaves: list[int] = []
    waiting = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        if isinstance(node, list):
            waiting += [(child, len(parents)) for child in reversed(node)]
        parents.append(parent)
        leaves.append(-1 if isinstance(node, list) else node)
    return parents, leaves


def batch(several: list[Tree]) -> skeletons.Skeletons:
    spans, orders = [], []
    for tree in several:
        parents, leaves = flat(tree)
        ends = list(accumulate(leaf >= 0 for leaf in leaves))
        starts = [0, *ends]
        for at in range(len(parents) - 1, 0, -1):
            ends[parents[at]] = max(ends[parents[at]], ends[at])
        spans.append(list(zip(starts, ends, strict=False)))
        orders.append([leaf for leaf in leaves if leaf >= 0])
    return of_spans(spans, orders)


def of_spans(several: list[list[tuple[int, int]]], orders: list[list[int]]) -> skeletons.Skeletons:
    """Skeletons of trees whose nodes cover the positions first..end-1 of their leaves, in preorder.

    Nodes of one leaf, and of the same leaves as the node before, are left out; a node above all leaves is added.
    """
    kept = []
    for spans, leaves in zip(several, orders, strict=True):
        nodes: list[tuple[int, int]] = []
        for span in [(0, len(leaves)), *spans]:
            if span[1] - span[0] >= 2 and span not in nodes[-1:]:
                nodes.append(span)
        kept.append(nodes)
    flat_nodes = [span for nodes in kept for span in nodes]
    return skeletons.Skeletons(
        ints([0, *accumulate(map(len, kept))]),
        ints([first for first, _ in flat_nodes]),
        ints([end for _, end in flat_nodes]),
        ints([0, *accumulate(map(len, orders))]),
        ints([leaf for leaves in orders for leaf in leaves]),
    )


def ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def below(tree: Tree) -> Leaves:
    return frozenset().union(*map(below, tree)) if isinstance(tree, list) else frozenset([tree])


def clusters(tree: Tree) -> set[Leaves]:
    """The leaf sets of all inner nodes."""
    return {below(tree)}.union(*map(clusters, tree)) if isinstance(tree, list) else set()


def quartet_side(nodes: set[Leaves], four: tuple[int, ...]) -> Leaves | None:
    """The two leaves that stand with the first one or against it, None for a star."""
    for node in nodes:
        inside = node.intersection(four)
        if len(inside) == 2:
            return inside if four[0] in inside else frozenset(four) - inside
    return None


def conflict(a: Leaves, b: Leaves, n: int, unrooted: bool) -> bool:
    return bool(a & b and a - b and b - a) and not (unrooted and len(a | b) == n)
