"""Which texts of a long series were there before, in 8 bytes a text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints, Keys
from treesql.kernels.keys import hash_pieces


class SeenTexts:
    """The keys of texts, in sorted runs, each more than twice as long as the next.

    Texts are compared by 64-bit keys: the probability that any two of a million different ones are taken for the same
    is 3e-8.
    """

    def __init__(self) -> None:
        self._runs: list[Keys] = []

    def add(self, texts: pa.Array) -> Flags:
        """Add texts; returns which of them were there before, or earlier among them. NULL is no text."""
        keys, order = self._sort(texts)
        repeated = np.zeros(len(texts), dtype=bool)
        again = np.append(False, keys[1:] == keys[:-1]) if len(keys) else np.zeros(0, dtype=bool)
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            again |= run[places] == keys
        repeated[order] = again
        self._keep(keys[~again])
        return repeated

    def _sort(self, texts: pa.Array) -> tuple[Keys, Ints]:
        """The keys of texts that are not NULL in ascending order, equal ones in theirs, and the places of the texts."""
        known = np.flatnonzero(np.asarray(texts.is_valid()))
        strings = texts.cast(pa.large_string())
        _, offsets, data = strings.buffers()
        ends = np.frombuffer(offsets, np.int64)[strings.offset :][: len(strings) + 1]
        raw = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
        keys = hash_pieces(raw, ends[:-1][known], np.diff(ends)[known])
        order = np.argsort(keys, kind="stable")
        return keys[order], known[order]

    def _keep(self, keys: Keys) -> None:
        if len(keys):
            self._runs.append(keys)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))
