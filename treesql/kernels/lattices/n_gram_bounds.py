"""Upper bounds of what paths of an unfolded lattice are worth, from every state and number of words on.

A reference's n-gram matches no more often than it occurs there, which depends on the whole path. As min(x, c) <= mu * x
+ (1 - mu) * c for every mu in [0, 1], a path that gains mu for every occurrence of an n-gram, with matches valued by
lines, is worth at least as much; the best such path is found by dynamic programming
backwards, for every number of words. Subgradient steps lower the bound. Sources: Held & Karp 1971 (subgradient steps);
Sokolov, Wisniewski & Yvon 2012, Lattice BLEU oracles in machine translation (Lagrangian relaxation of clipping).

What a path of a lattice is worth by its matches with references: sentence BLEU, or a linear function of its counts.

BLEU is computed as its logarithm, with exponential smoothing and over the orders that a path has n-grams of. A value is
the sum of a part that depends on the number of words alone and of one function per order of the matches; both functions
(the logarithm, smoothed at 0, and a multiple) are concave, so that a line that touches them bounds them from above.
Sources: Papineni et al. 2002; Chen & Cherry 2014 (smoothing); Zens & Ney 2005, Word graphs for statistical machine
translation (BLEU of lattices).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import ZERO, compiled, copy
from treesql.kernels.lattices.n_gram_lattices import ORDERS, NGramLattice, NGrams, Phrases, count_matches

COUNTS = 2 * ORDERS + 2
"""Counts of BLEU: matches and n-grams of each order, words of the path and of the closest reference."""

NEVER = -1e300
"""The value of paths without matches: the logarithm of BLEU 0."""

LN_2 = float(np.log(2.0))


class Objective(NamedTuple):
    """by_length, orders: by number of words, the part of the value that depends on it, and the number of orders; share:
    the weight of the sum over orders. gains: (ORDERS,), the value of a match; none for BLEU."""

    by_length: Floats
    orders: Ints
    share: Floats
    gains: Floats


@compiled
def make_objective(longest: int, reference_offsets: Ints, gains: Floats) -> Objective:
    """Return the objective of a lattice. longest: number of words of its longest path; reference_offsets:
    (references + 1,); gains: (COUNTS,), what each count is worth, or none for BLEU."""
    by_length, orders = np.empty(longest + 1), np.full(longest + 1, ORDERS, dtype=np.int64)
    share = np.ones(longest + 1)
    for length in range(longest + 1):
        closest = closest_length(reference_offsets, length)
        if len(gains):
            value = gains[2 * ORDERS] * length + gains[2 * ORDERS + 1] * closest
            for order in range(ORDERS):
                value += gains[ORDERS + order] * max(length - order, 0)
            by_length[length] = value
            continue
        orders[length] = min(length, ORDERS)
        if length == 0:
            by_length[length] = NEVER
            continue
        share[length] = 1.0 / orders[length]
        value = min(0.0, 1.0 - closest / length)
        for order in range(orders[length]):
            value -= math.log(float(length - order)) * share[length]
        by_length[length] = value
    return Objective(by_length, orders, share, gains[:ORDERS])


@compiled
def closest_length(reference_offsets: Ints, length: int) -> int:
    """Return the length of the reference that is closest to `length`, the shorter of two."""
    best = ZERO
    for at in range(len(reference_offsets) - 1):
        reference_length = reference_offsets[at + 1] - reference_offsets[at]
        nearer, as_near = (
            abs(reference_length - length) < abs(best - length),
            abs(reference_length - length) == abs(best - length),
        )
        if at == 0 or nearer or (as_near and reference_length < best):
            best = reference_length
    return best


@compiled
def value_of(objective: Objective, length: int, matches: Ints) -> float:
    """Return the value of a path. length: its number of words; matches: those of each order."""
    total = 0.0
    if len(objective.gains):
        for order in range(ORDERS):
            total += objective.gains[order] * matches[order]
        return float(objective.by_length[length] + total)
    if length == 0 or matches[0] == 0:
        return NEVER
    zeros = 0
    for order in range(objective.orders[length]):
        zeros += matches[order] == 0
        total += math.log(float(matches[order])) if matches[order] > 0 else -LN_2 * zeros
    return float(objective.by_length[length] + objective.share[length] * total)


@compiled
def tangents(objective: Objective, around: Floats) -> Floats:
    """Return lines that bound the values of matches from above: (2, ORDERS), the slopes and the values at 0.

    around: (ORDERS,), matches at which the lines touch, between two integers at both of these.
    """
    lines = np.zeros((2, ORDERS))
    for order in range(ORDERS):
        if len(objective.gains):
            lines[0, order] = objective.gains[order]
            continue
        low = np.floor(around[order])
        if low < 1 or around[order] == 1:
            slope, low, height = LN_2, 1.0, 0.0
        else:
            height = math.log(low)
            slope = 1.0 / low if around[order] == low else math.log(low + 1.0) - height
        lines[0, order], lines[1, order] = slope, height - slope * low
    return lines


TOLERANCE = 1e-9
"""Difference of values (of logarithms, for BLEU) below which they are equal."""

_TOWARDS = 0.3
"""Share by which the lines' points of contact approach the matches of the last path."""


class Bounds(NamedTuple):
    """The best continuations of partial paths.

    offsets: (states,), where the cells of each state begin: one for each number of words from `low` to `high`, or, if
    fine is 0, one for all. ahead: by cell, what is gained from there to the end; gain: by arc; price: by n-gram, what a
    match of it adds; by_length: by number of words of the whole path, what is added to the gains, multiplied by `share`
    of the objective.
    """

    offsets: Ints
    fine: int
    ahead: Floats
    gain: Floats
    price: Floats
    by_length: Floats


@compiled
def allocate_bounds(lattice: NGramLattice, n_grams: NGrams, max_cells: int) -> Bounds:
    """Return bounds to be filled, with about `max_cells` cells at most."""
    n, cells = len(lattice.low), np.int64(0)
    offsets = np.arange(n)
    for state in range(n):
        cells += lattice.high[state] - lattice.low[state] + 1
    fine = np.int64(cells <= max_cells)
    if fine:
        for state in range(1, n):
            offsets[state] = offsets[state - 1] + lattice.high[state - 1] - lattice.low[state - 1] + 1
    else:
        cells = np.int64(n)
    n_lengths = lattice.high[0] + 1
    return Bounds(offsets, int(fine), np.empty(cells), np.empty(len(lattice.target)), np.zeros(len(n_grams.order)),
                  np.empty(n_lengths))  # fmt: skip


@compiled
def fill_bounds(
    lattice: NGramLattice, n_grams: NGrams, objective: Objective, lines: Floats, shares: Floats, bounds: Bounds
) -> tuple[float, int]:  # fmt: skip
    """Fill the bounds; return that of all paths, and the number of words at which it is attained. shares: mu by
    n-gram. O(arcs * lengths)."""
    rest = np.zeros(ORDERS)  # by order, what n-grams give that their matches do not gain
    for gram in range(1, len(n_grams.order)):
        order = n_grams.order[gram] - 1
        bounds.price[gram] = lines[0, order] * shares[gram]
        rest[order] += lines[0, order] * (1.0 - shares[gram]) * n_grams.times[gram]
    for arc in range(len(lattice.target)):
        total = 0.0
        for at in range(lattice.match_offsets[arc], lattice.match_offsets[arc + 1]):
            gram = lattice.matches[at]
            while gram > 0:
                total += bounds.price[gram]
                gram = n_grams.suffix[gram]
        bounds.gain[arc] = total
    _fill_cells(lattice, bounds)
    for length in range(len(bounds.by_length)):
        total = 0.0
        for order in range(objective.orders[length]):
            total += lines[1, order] + rest[order]
        bounds.by_length[length] = objective.by_length[length] + objective.share[length] * total
    return bound_of(lattice, objective, bounds, ZERO, ZERO, 0.0)


@compiled
def _fill_cells(lattice: NGramLattice, bounds: Bounds) -> None:
    """Fill the cells from the gains of the arcs, backwards."""
    ahead, fine = bounds.ahead, bounds.fine
    for state in range(len(lattice.low) - 1, -1, -1):
        low, offset = lattice.low[state], bounds.offsets[state]
        final = lattice.arc_offsets[state] == lattice.arc_offsets[state + 1]
        for at in range((lattice.high[state] - low) * fine + 1):
            ahead[offset + at] = 0.0 if final else NEVER
        for arc in range(lattice.arc_offsets[state], lattice.arc_offsets[state + 1]):
            below = lattice.target[arc]
            shift = (lattice.low[below] + lattice.length[arc] - low) * fine + offset
            below_offset, gain = bounds.offsets[below], bounds.gain[arc]
            for at in range((lattice.high[below] - lattice.low[below]) * fine + 1):
                ahead[shift + at] = max(ahead[shift + at], ahead[below_offset + at] + gain)


@compiled
def bound_of(
    lattice: NGramLattice, objective: Objective, bounds: Bounds, state: int, length: int, gained: float
) -> tuple[float, int]:  # fmt: skip
    """Return the bound of paths that begin with `length` words, gain `gained` by these and go on from a state, and the
    number of words at which it is attained."""
    best, best_length = -np.inf, length + lattice.low[state]
    cell, first = bounds.offsets[state], length + lattice.low[state]
    for words in range(first, length + lattice.high[state] + 1):
        value = bounds.by_length[words] + objective.share[words] * (gained + bounds.ahead[cell])
        cell += bounds.fine
        if value > best:
            best, best_length = value, words
    return best, best_length


@compiled
def follow_bound(lattice: NGramLattice, bounds: Bounds, length: int, path: Ints) -> int:
    """Write the edges of the path with `length` words that attains the cells; return their number."""
    state, n_path = 0, 0
    while lattice.arc_offsets[state] < lattice.arc_offsets[state + 1]:
        value = bounds.ahead[bounds.offsets[state] + (length - lattice.low[state]) * bounds.fine]
        chosen = lattice.arc_offsets[state]
        for arc in range(chosen, lattice.arc_offsets[state + 1]):
            below, left = lattice.target[arc], length - lattice.length[arc]
            if bounds.fine and not lattice.low[below] <= left <= lattice.high[below]:
                continue
            cell = bounds.offsets[below] + (left - lattice.low[below]) * bounds.fine
            if bounds.ahead[cell] + bounds.gain[arc] == value:
                chosen = arc
                break
        path[n_path] = lattice.edge[chosen]
        n_path, length, state = n_path + 1, length - lattice.length[chosen], lattice.target[chosen]
    return n_path


class BestPath(NamedTuple):
    """The best known path: values: its own, and an upper bound of all; sizes: its edges and words; matches: (ORDERS,);
    path: its edges."""

    values: Floats
    sizes: Ints
    matches: Ints
    path: Ints


class Relaxation(NamedTuple):
    """What bounds depend on: around: (ORDERS,), matches at which lines touch their values; lines: the slopes of these
    lines and their values at 0; shares: by n-gram, mu; rare: by n-gram, whether a path has it more often than a
    reference."""

    around: Floats
    lines: Floats
    shares: Floats
    rare: Ints


@compiled
def keep_if_better(
    objective: Objective, phrases: Phrases, n_grams: NGrams, path: Ints, seen: Ints, matches: Ints, best: BestPath
) -> float:  # fmt: skip
    """Return the value of a path, and keep the path if it is better than the best one, or the first one."""
    length = count_matches(path, phrases, n_grams, seen, matches)
    value = value_of(objective, length, matches)
    if best.sizes[0] < 0 or value > best.values[0] + TOLERANCE:
        best.values[0], best.sizes[0], best.sizes[1] = value, len(path), length
        copy(matches, best.matches, ORDERS)
        copy(path, best.path, len(path))
    return value


@compiled
def lower_bounds(
    lattice: NGramLattice, n_grams: NGrams, phrases: Phrases, objective: Objective, bounds: Bounds, steps: int,
    relaxed: Relaxation, best: BestPath,
) -> None:  # fmt: skip
    """Lower the bound of all paths by some subgradient steps; try the paths that attain it.

    `relaxed` and `bounds` are those of the lowest bound.
    """
    path = np.empty(len(best.path), dtype=np.int64)
    seen, matches = np.empty(len(n_grams.order), dtype=np.int64), np.empty(ORDERS, dtype=np.int64)
    shares, around, lines = relaxed.shares.copy(), relaxed.around.copy(), relaxed.lines.copy()
    lowest, size, stale = np.inf, 1.0, 0
    for _ in range(steps):
        bound, length = fill_bounds(lattice, n_grams, objective, lines, shares, bounds)
        n_path = follow_bound(lattice, bounds, length, path)
        keep_if_better(objective, phrases, n_grams, path[:n_path], seen, matches, best)
        if bound < lowest:
            lowest, stale = bound, 0
            copy(around, relaxed.around, ORDERS)
            copy(lines[0], relaxed.lines[0], ORDERS)
            copy(lines[1], relaxed.lines[1], ORDERS)
            copy(shares, relaxed.shares, len(shares))
        else:
            stale += 1
            if stale > 3:
                size, stale = size * 0.6, 0
        if lowest <= best.values[0] + TOLERANCE:
            break
        norm = 0.0
        for gram in range(1, len(seen)):
            if relaxed.rare[gram]:
                slope = (seen[gram] - n_grams.times[gram]) * lines[0, n_grams.order[gram] - 1]
                norm += slope * slope
        gap = min(bound - best.values[0], 1.0) if len(objective.gains) == 0 else bound - best.values[0]
        for gram in range(1, len(seen)):
            if relaxed.rare[gram] and norm > 0:
                slope = (seen[gram] - n_grams.times[gram]) * lines[0, n_grams.order[gram] - 1]
                step = size * gap / (objective.share[length] * norm) * slope
                shares[gram] = min(max(shares[gram] - step, 0.0), 1.0)
        for order in range(ORDERS):
            around[order] += _TOWARDS * size * (matches[order] - around[order])
        lines = tangents(objective, around)
    best.values[1] = min(best.values[1], lowest)
    fill_bounds(lattice, n_grams, objective, relaxed.lines, relaxed.shares, bounds)
