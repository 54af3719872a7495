"""Which texts of a long series were there before, in 8 bytes a text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints, Keys
from treesql.runtime import arrays

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


class SeenTexts:
    """The keys of texts, in sorted runs, each more than twice as long as the next.

    Texts are compared by 64-bit keys: the probability that any two of a million different ones are taken for the same
    is 3e-8.
    """

    def __init__(self) -> None:
        self._runs: list[Keys] = []

    def add(self, texts: pa.Array) -> Flags:
        """Add texts; returns which of them were there before, or earlier among them. NULL is no text."""
        known = np.flatnonzero(np.asarray(arrays.call("is_valid", texts)))
        repeated = np.zeros(len(texts), dtype=bool)
        if not len(known):
            return repeated
        keys = text_keys(arrays.call("drop_null", arrays.cast(texts, pa.large_string())))
        order: Ints = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.append(False, keys[1:] == keys[:-1])
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            again |= run[places] == keys
        repeated[known[order]] = again
        self._keep(keys[~again])
        return repeated

    def _keep(self, keys: Keys) -> None:
        if len(keys):
            self._runs.append(keys)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))


def text_keys(texts: pa.Array) -> Keys:
    """The same as treesql.kernels.keys.of_pieces, by array operations over distinct texts: without the compiler."""
    encoded = arrays.call("dictionary_encode", arrays.cast(texts, pa.large_string()))
    _, buffer, data = encoded.dictionary.buffers()
    n = len(encoded.dictionary)
    offsets = np.frombuffer(buffer, np.int64, n + 1, encoded.dictionary.offset * 8) if n else np.zeros(1, np.int64)
    raw = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
    order = np.argsort(-np.diff(offsets), kind="stable")
    starts, lengths = offsets[:-1][order], np.diff(offsets)[order]
    keys = np.full(n, _BASIS)
    for place in range(int(lengths.max(initial=0))):
        longer = int(np.searchsorted(-lengths, -place, side="left"))
        keys[:longer] = (keys[:longer] ^ raw[starts[:longer] + place].astype(np.uint64)) * _PRIME
    found = np.empty(n, np.uint64)
    found[order] = keys
    return np.asarray(found[np.asarray(encoded.indices)])
