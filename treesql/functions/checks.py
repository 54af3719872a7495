"""Checks of the arguments of SQL functions: kernels trust offsets, nodes, positions and sizes.

Every check is a few array operations over the rows of a call, and raises InvalidRow for the first row with a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Ints

MAX_CELLS = 1 << 26
"""Maximum number of cells in the table of one row: half a gigabyte of 64-bit cells."""


class InvalidRow(ValueError):
    """An invalid argument. row: counted from 0 in the call; what: the value and the fault."""

    def __init__(self, row: int, what: str) -> None:
        self.row, self.what = row, what
        super().__init__(row, what)

    def __str__(self) -> str:
        return f"row {self.row + 1}: {self.what}"


def check_lengths(what: str, offsets: Ints, *others: Ints) -> None:
    """Check that lists which belong together have one length in every row. offsets: where those of each row begin."""
    for other in others:
        if not np.array_equal(offsets, other):
            one, two = np.diff(offsets), np.diff(other)
            row = int(np.flatnonzero(one != two)[0])
            raise InvalidRow(row, f"{what}: lists of {one[row]} and of {two[row]}")


def check_range(what: str, values: NDArray[Any], low: int, high: Ints | int, offsets: Ints) -> None:
    """Check that low <= value <= high. high: one number, or one for every row, whose values `offsets` delimits."""
    if not len(values) or (int(values.min()) >= low and _within(values, high, offsets)):
        return
    most = high if isinstance(high, int) else np.repeat(high, np.diff(offsets))
    at = int(((values < low) | (values > most)).argmax())
    raise InvalidRow(row_of(at, offsets), f"{what}: {values[at]}")


def _within(values: NDArray[Any], high: Ints | int, offsets: Ints) -> bool:
    """Whether no value is above the limit of its row. Compares the maximum of each row, which is faster."""
    if isinstance(high, int):
        return int(values.max()) <= high
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    return bool((np.maximum.reduceat(values, offsets[filled]) <= high[filled]).all())


def check_heads(heads: Ints, offsets: Ints) -> None:
    """Check that heads are words of their sentence, or 0. Whether they form a cycle is left to the kernels."""
    check_range("a head is no word of the sentence", heads, 0, np.diff(offsets), offsets)


def check_tree(parents: NDArray[Any], node_offsets: Ints, phrases: NDArray[Any], word_offsets: Ints) -> None:
    """Check that phrases come after those above them, and that words are below phrases of their tree."""
    check_parents(parents, node_offsets)
    check_range("a word is below no phrase of its tree", phrases, 0, np.diff(node_offsets), word_offsets)


def check_parents(parents: NDArray[Any], offsets: Ints) -> None:
    """Check that the phrases of every tree, counted from 1, come after those above them; 0 is above all."""
    own = np.arange(len(parents)) - np.repeat(offsets[:-1], np.diff(offsets))
    wrong = (parents < 0) | (parents > own)
    if wrong.any():
        at = int(wrong.argmax())
        what = f"the phrases of a tree must be in preorder; phrase {own[at] + 1} is below {parents[at]}"
        raise InvalidRow(row_of(at, offsets), what)


def check_link_order(source: Ints, target: Ints, offsets: Ints) -> None:
    """Check that links are sorted by source and target in every row, and that none is repeated."""
    if len(source) < 2:
        return
    rising = (source[1:] > source[:-1]) | ((source[1:] == source[:-1]) & (target[1:] > target[:-1]))
    starts = offsets[1:-1]
    rising[starts[(starts > 0) & (starts < len(source))] - 1] = True
    if not rising.all():
        at = int((~rising).argmax()) + 1
        link = f"{source[at]}-{target[at]} comes after {source[at - 1]}-{target[at - 1]}"
        raise InvalidRow(row_of(at, offsets), f"links must be sorted by source and target, each given once; {link}")


def check_lattices(n_nodes: Ints, offsets: Ints, edge: Ints, from_node: Ints, to_node: Ints) -> None:
    """Check that every lattice has a node, and that its edges lead from a lower to a higher one of its nodes.

    n_nodes: (lattices,); offsets: (lattices + 1,); edge: (edges,) the numbers by which edges are named.
    """
    if len(n_nodes) and int(n_nodes.min()) < 1:
        row = int(n_nodes.argmin())
        raise InvalidRow(row, f"a lattice has 1 node or more, not {n_nodes[row]}")
    rising = bool((to_node > from_node).all())
    if not len(edge) or (rising and int(from_node.min()) >= 0 and _within(to_node, n_nodes - 1, offsets)):
        return
    wrong = (from_node < 0) | (from_node >= to_node) | (to_node >= np.repeat(n_nodes, np.diff(offsets)))
    at = int(wrong.argmax())
    row = row_of(at, offsets)
    led = f"edge {edge[at]} leads from node {from_node[at]} to node {to_node[at]}"
    nodes = f"nodes of this lattice are 0 to {n_nodes[row] - 1}" if n_nodes[row] > 1 else "this lattice has one node"
    raise InvalidRow(row, f"{led}; edges lead from a lower to a higher node, and {nodes}")


def check_cells(what: str, heights: Ints, widths: Ints) -> None:
    """Check that the table of every row has no more than MAX_CELLS cells. heights, widths: its rows and columns."""
    if not len(heights) or int(heights.max()) * int(widths.max()) <= MAX_CELLS:
        return
    cells = heights.astype(np.float64) * widths
    row = int(cells.argmax())
    if cells[row] > MAX_CELLS:
        size = f"{heights[row]:,} by {widths[row]:,} {what}"
        raise InvalidRow(row, f"{size} are too many to compare; no more than {MAX_CELLS:,} pairs are")


@contextmanager
def explain_faults(*checks: Callable[[], None]) -> Iterator[None]:
    """Where a kernel raises ValueError, run checks that name the row and the value.

    For kernels that check every value themselves, so that valid values are checked once.
    """
    try:
        yield
    except ValueError:
        for check in checks:
            check()
        raise


def row_of(at: int, offsets: Ints) -> int:
    """The row of an item of a list."""
    return int(np.searchsorted(offsets, at, side="right")) - 1
