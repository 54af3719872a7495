"""N-grams that the hypotheses of n-best lists share with references, and BLEU and chrF of every hypothesis.

Sources: Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation; Chen & Cherry 2014, A
systematic comparison of smoothing techniques for sentence-level BLEU; Popović 2015, chrF: character n-gram F-score for
automatic MT evaluation.
"""

from __future__ import annotations

import math

import numpy as np

from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.compiling import ONE, ZERO, compiled, read_only
from treesql.kernels.keys import SPREAD
from treesql.kernels.nbest_texts import Texts

BLEU_ORDER, CHRF_ORDER = 4, 6
"""Maximum lengths of n-grams, of words and of characters."""

_BETA_SQUARE = 4.0
"""The weight of recall in chrF."""


def bleu(hypotheses: Texts, references: Texts) -> Floats:
    """Return BLEU of every hypothesis over the orders that it has, with exponential smoothing: (hypotheses,).

    An n-gram matches as often as the reference has it that has it most often. Expected O(words).
    """
    matches = shared_n_grams(hypotheses, references, BLEU_ORDER)
    found = np.zeros(len(matches))
    _bleu(*(*read_only(matches, *hypotheses[1:], *references[1:]), found))
    return found


def chrf(hypotheses: Texts, references: Texts) -> Floats:
    """Return chrF of every hypothesis against the only reference of its list: (hypotheses,). Expected O(characters).

    Items are characters, without white space.
    """
    matches = shared_n_grams(hypotheses, references, CHRF_ORDER)
    found = np.zeros(len(matches))
    _chrf(*(*read_only(matches, *hypotheses[1:], *references[1:]), found))
    return found


def shared_n_grams(hypotheses: Texts, references: Texts, longest: int) -> Ints:
    """Return the n-grams of every hypothesis that one of the references has: (hypotheses, longest)."""
    found = np.zeros((len(hypotheses.offsets) - 1, longest), np.int64)
    _count(*(*read_only(*hypotheses, *references), found))
    return found


@compiled(wraps=True)
def _find_n_gram(slots: Ints, keys: Ints, key: int) -> int:
    """Return the slot of an n-gram, or the free slot for it. slots: numbers of n-grams plus 1, 0 for free ones."""
    last = len(slots) - 1
    slot = np.int64((np.uint64(key) * SPREAD) >> np.uint64(32)) & last
    while slots[slot] > 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return int(slot)


@compiled
def _count(
    items: Ints, offsets: Ints, lists: Ints, references: Ints, reference_offsets: Ints, reference_lists: Ints,
    found: Ints,
) -> None:  # fmt: skip
    """An n-gram is found by the number of all its items but the last, and the last."""
    longest, width = found.shape[1], ONE
    for item in references:
        width = max(width, int(item) + 1)
    table, keys = np.zeros(8, np.int64), np.zeros(0, np.int64)
    limits, own, met, last = keys, keys, keys, np.empty(longest, np.int64)
    for one in range(len(lists) - 1):
        first, end = reference_lists[one], reference_lists[one + 1]
        room = (reference_offsets[end] - reference_offsets[first]) * longest
        if room > len(keys):
            keys, limits = np.zeros(2 * room, np.int64), np.zeros(2 * room, np.int64)
            own, met = np.zeros(2 * room, np.int64), np.zeros(2 * room, np.int64)
        size = 8
        while size < 2 * room:
            size *= 2
        if size > len(table):
            table = np.zeros(size, np.int64)
        slots = table[:size]
        slots[:] = 0
        grams = ZERO
        for row in range(first, end):
            grams = _add_reference(
                references[reference_offsets[row] : reference_offsets[row + 1]], slots, keys, width, limits, own, last,
                grams,
            )  # fmt: skip
        for at in range(lists[one], lists[one + 1]):
            n_met = 0
            last[:] = -1
            for item in items[offsets[at] : offsets[at + 1]]:
                for order in range(longest - 1, -1, -1):
                    gram = -1
                    if 0 < item < width and (order == 0 or last[order - 1] >= 0):
                        before = 0 if order == 0 else last[order - 1] + 1
                        gram = slots[_find_n_gram(slots, keys, before * width + item)] - 1
                    last[order] = gram
                    if gram >= 0:
                        if own[gram] == 0:
                            met[n_met] = gram
                            n_met += 1
                        own[gram] += 1
                        found[at, order] += own[gram] <= limits[gram]
            for place in range(n_met):
                own[met[place]] = 0
        for gram in range(grams):
            limits[gram] = 0


@compiled
def _add_reference(
    items: Ints, slots: Ints, keys: Ints, width: int, limits: Ints, own: Ints, last: Ints, grams: int
) -> int:
    """Raise the limits of n-grams to their numbers in a reference, and return the number of n-grams known.

    Two passes count them, and set the counts back.
    """
    for step in range(2):
        last[:] = -1
        for place in range(len(items)):
            for order in range(min(place + 1, len(last)) - 1, -1, -1):
                before = 0 if order == 0 else last[order - 1] + 1
                key = before * width + items[place]
                slot = _find_n_gram(slots, keys, key)
                if slots[slot] == 0:
                    keys[grams] = key
                    grams += 1
                    slots[slot] = grams
                gram = slots[slot] - 1
                last[order] = gram
                if step == 0:
                    own[gram] += 1
                    limits[gram] = max(limits[gram], own[gram])
                else:
                    own[gram] = 0
    return grams


@compiled
def _bleu(
    matches: Ints, offsets: Ints, lists: Ints, reference_offsets: Ints, reference_lists: Ints, found: Floats
) -> None:
    for one in range(len(lists) - 1):
        for at in range(lists[one], lists[one + 1]):
            n, closest = offsets[at + 1] - offsets[at], -1
            for row in range(reference_lists[one], reference_lists[one + 1]):
                size = reference_offsets[row + 1] - reference_offsets[row]
                nearer, as_near = abs(size - n) < abs(closest - n), abs(size - n) == abs(closest - n)
                if closest < 0 or nearer or (as_near and size < closest):
                    closest = size
            if matches[at, 0] == 0:
                continue
            orders, total, misses = min(n, matches.shape[1]), min(0.0, 1.0 - closest / n), 0
            for order in range(orders):
                misses += matches[at, order] == 0
                share = matches[at, order] if matches[at, order] > 0 else 0.5**misses
                total += math.log(share / (n - order)) / orders
            found[at] = math.exp(total)


@compiled
def _chrf(
    matches: Ints, offsets: Ints, lists: Ints, reference_offsets: Ints, reference_lists: Ints, found: Floats
) -> None:
    for one in range(len(lists) - 1):
        row = reference_lists[one]
        size = reference_offsets[row + 1] - reference_offsets[row]
        for at in range(lists[one], lists[one + 1]):
            n = offsets[at + 1] - offsets[at]
            orders = min(n, size, matches.shape[1])
            precision, recall = 0.0, 0.0
            for order in range(orders):
                precision += matches[at, order] / (n - order)
                recall += matches[at, order] / (size - order)
            if precision + recall > 0:
                precision, recall = precision / orders, recall / orders
                found[at] = (1 + _BETA_SQUARE) * precision * recall / (_BETA_SQUARE * precision + recall)
