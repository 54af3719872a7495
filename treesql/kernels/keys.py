"""64-bit hash keys of pieces of a text, and consecutive numbers for distinct keys."""

from __future__ import annotations

import numpy as np

from treesql.kernels.arrays import Bytes, Ints, Keys
from treesql.kernels.compiling import compiled, read_only

BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""Parameters of FNV-1a of 64 bits."""

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, a multiplier that spreads keys over a hash table. Source: Knuth 1973, 6.4."""


def hash_pieces(text: Bytes, starts: Ints, lengths: Ints) -> Keys:
    """Return a 64-bit key for every piece of a text. Equal pieces have equal keys, on all machines. O(bytes).

    The probability that any two of n different pieces share a key is n * n / 2**65: 3e-8 for a million.

    Source: Fowler, Noll & Vo, FNV-1a of 64 bits.
    """
    return np.asarray(_hash_pieces(*read_only(text, starts, lengths)))


def number_keys(keys: Keys) -> tuple[Ints, Ints]:
    """Return the number of every key, 0, 1, ... in order of first appearance, and the position of each first
    appearance.

    Expected O(keys), by a hash table with open addressing.
    """
    numbers, firsts, n_distinct = _number_keys(*read_only(keys))
    return numbers, firsts[:n_distinct].copy()


@compiled(wraps=True)
def _hash_pieces(text: Bytes, starts: Ints, lengths: Ints) -> Keys:
    keys = np.empty(len(starts), np.uint64)
    for piece in range(len(starts)):
        key = BASIS
        for at in range(starts[piece], starts[piece] + lengths[piece]):
            key = (key ^ np.uint64(text[at])) * PRIME
        keys[piece] = key
    return keys


@compiled(wraps=True)  # as what it calls for every key: interpreted, a change of the mode takes longer than that
def _number_keys(keys: Keys) -> tuple[Ints, Ints, int]:
    bits = 8
    numbers, firsts = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    table = np.full(1 << bits, -1, np.int64)
    n_distinct = 0
    for at in range(len(keys)):
        if 2 * n_distinct >= len(table):
            bits += 2
            table = np.full(1 << bits, -1, np.int64)
            for number in range(n_distinct):
                place = _find_slot(table, keys, firsts, keys[firsts[number]], bits)
                table[place] = number
        place = _find_slot(table, keys, firsts, keys[at], bits)
        if table[place] < 0:
            table[place] = n_distinct
            firsts[n_distinct] = at
            n_distinct += 1
        numbers[at] = table[place]
    return numbers, firsts, n_distinct


@compiled(wraps=True)
def _find_slot(table: Ints, keys: Keys, firsts: Ints, key: np.uint64, bits: int) -> np.int64:
    """Return the slot of the table that contains a key, or the free slot for it."""
    place = np.int64((key * SPREAD) >> np.uint64(64 - bits))
    while table[place] >= 0 and keys[firsts[table[place]]] != key:
        place = (place + 1) & (len(table) - 1)
    return place
