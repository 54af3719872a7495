"""sent_id, text, newdoc and newpar of sentences, from their comments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from treesql.kernels import text as kernel
from treesql.kernels.arrays import Ints
from treesql.readers.fields import Field, Text, take

METADATA = {"sent_id": b"", "text": b"", "newdoc": b"id", "newpar": b"id"}
"""Columns of sentences that comments define, with what may stand between the key and the `=`."""


def find_metadata(text: Text, comments: Field, sentence: Ints, n: int, names: Iterable[str]) -> dict[str, pa.Array]:
    """Columns of METADATA for n sentences; where a key stands twice, the first counts. sentence: of every comment."""
    starts, lengths = kernel.trim(text.raw, comments[0] + 1, comments[1] - 1)
    values = {}
    for key in names:
        suffix = METADATA[key]
        here = np.flatnonzero(kernel.starts_with(text.windows, key.encode(), starts, lengths))
        rest = kernel.trim(text.raw, starts[here] + len(key), lengths[here] - len(key))
        bare = np.flatnonzero(rest[1] == 0) if suffix else here[:0]
        if suffix:
            named = kernel.starts_with(text.windows, suffix, *rest)
            rest = kernel.trim(text.raw, rest[0] + len(suffix) * named, rest[1] - len(suffix) * named)
        given = kernel.starts_with(text.windows, b"=", *rest)
        given[bare] = True
        skip = (rest[1] > 0).astype(np.int64)
        field = kernel.trim(text.raw, rest[0] + skip, rest[1] - skip)
        values[key] = _first_of_each(text, take(field, given), sentence[here[given]], n)
    return values


def _first_of_each(text: Text, field: Field, sentence: Ints, n: int) -> pa.Array:
    first = np.flatnonzero(np.append(True, sentence[1:] != sentence[:-1])[: len(sentence)])
    found = sentence[first]
    starts, lengths = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    starts[found], lengths[found] = field[0][first], field[1][first]
    absent = np.ones(n, dtype=bool)
    absent[found] = False
    return text.strings((starts, lengths), absent)
