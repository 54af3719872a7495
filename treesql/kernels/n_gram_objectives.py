"""What a path of a lattice is worth by its matches with references: sentence BLEU, or a linear function of its counts.

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
from treesql.kernels.compiling import ZERO, compiled
from treesql.kernels.n_gram_lattices import ORDERS

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
    """Return the objective of a lattice whose longest path has so many words. reference_offsets: (references + 1,);
    gains: (COUNTS,), what each count is worth, or none for BLEU."""
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
    """Return the length of the reference that is closest to so many words, the shorter of two."""
    best = ZERO
    for at in range(len(reference_offsets) - 1):
        own = reference_offsets[at + 1] - reference_offsets[at]
        nearer, as_near = abs(own - length) < abs(best - length), abs(own - length) == abs(best - length)
        if at == 0 or nearer or (as_near and own < best):
            best = own
    return best


@compiled
def value_of(objective: Objective, length: int, matches: Ints) -> float:
    """Return the value of a path with so many words and matches of each order."""
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
