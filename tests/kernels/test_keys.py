"""Keys of pieces of a text, against plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treesql.kernels import keys


def twin(piece: bytes) -> int:
    """FNV-1a, of 64 bits."""
    key = 0xCBF29CE484222325
    for byte in piece:
        key = (key ^ byte) * 0x100000001B3 % 2**64
    return key


@given(st.lists(st.binary(max_size=12), max_size=20))
def test_keys_of_pieces(pieces: list[bytes]) -> None:
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    text = np.frombuffer(b"".join(pieces), dtype=np.uint8)
    assert keys.hash_pieces(text, np.cumsum(lengths) - lengths, lengths).tolist() == [twin(piece) for piece in pieces]


def test_keys_that_others_have_published() -> None:
    """Of the authors' test vectors: nothing, `a` and `foobar`."""
    text = np.frombuffer(b"foobar", dtype=np.uint8)
    found = keys.hash_pieces(text, np.array([0, 4, 0]), np.array([0, 1, 6]))
    assert found.tolist() == [0xCBF29CE484222325, 0xAF63DC4C8601EC8C, 0x85944171F73967E8]


@given(st.lists(st.integers(0, 30) | st.integers(0, 2**64 - 1), max_size=300))
def test_numbers_of_distinct_keys(values: list[int]) -> None:
    numbers, firsts = keys.number_keys(np.array(values, dtype=np.uint64))
    distinct = list(dict.fromkeys(values))
    assert numbers.tolist() == [distinct.index(value) for value in values]
    assert firsts.tolist() == [values.index(value) for value in distinct]


def test_many_keys() -> None:
    """The table grows several times."""
    values = np.arange(100_000, dtype=np.uint64) % np.uint64(30_011)
    numbers, firsts = keys.number_keys(values)
    assert np.array_equal(numbers, values.astype(np.int64))
    assert np.array_equal(firsts, np.arange(30_011))
