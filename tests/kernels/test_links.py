"""Links as they are written."""

from __future__ import annotations

import itertools
import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treesql.kernels.scanning import links

LINK = re.compile(r"([0-9]{1,9})(?:([-sSpP?])([0-9]{1,9})|-([0-9]{1,9}):([sSpP]))")


def scanned(text: str) -> list[list[tuple[int, int, bool]]] | None:
    """By line, token by token."""
    found: list[list[tuple[int, int, bool]]] = []
    for line in text.split("\n")[:-1]:
        found.append([])
        for token in line.replace("\t", " ").split(" "):
            if not token:
                continue
            match = LINK.fullmatch(token)
            if match is None:
                return None
            left, sign, right, other, letter = match.groups()
            found[-1].append((int(left), int(right or other), (sign or letter) not in ("p", "P", "?")))
    return found


def by_line(text: str) -> list[list[tuple[int, int, bool]]] | None:
    found = links.parse_pairs(np.frombuffer(text.encode(), dtype=np.uint8))
    if found is None:
        return None
    rows = list(zip(found.left.tolist(), found.right.tolist(), found.sure.tolist(), strict=True))
    ends = np.cumsum(found.per_line).tolist()
    return [rows[end - n : end] for end, n in zip(ends, found.per_line.tolist(), strict=True)]


def test_pairs_by_hand() -> None:
    assert by_line("0-0 12p345\n\n7?8 1000000-0:P 3s4\t5-6:S\n") == [
        [(0, 0, True), (12, 345, False)],
        [],
        [(7, 8, False), (1000000, 0, False), (3, 4, True), (5, 6, True)],
    ]
    assert by_line("\n") == [[]]


piece = st.sampled_from(
    ["1-2", "12p3", "123?4567", "3-4:P", "9-10:s", " ", "\t", "\n", "-", ":", "P", "1", "0000000012-1", "x"]
)


@given(st.lists(piece | st.just(" "), max_size=12).map("".join))
@settings(max_examples=20)
def test_pairs_against_regular_expressions(text: str) -> None:
    assert by_line(text + "\n") == scanned(text + "\n")


def fields(text: str) -> list[list[bytes]]:
    raw = np.frombuffer(text.encode(), dtype=np.uint8)
    starts, lengths, per_line = links.find_fields(raw)
    found = [raw[start : start + length].tobytes() for start, length in zip(starts, lengths, strict=True)]
    ends = np.cumsum(per_line).tolist()
    return [found[end - n : end] for end, n in zip(ends, per_line.tolist(), strict=True)]


@given(st.text(alphabet="1aé \t\n\r\v", max_size=14))
@settings(max_examples=20)
def test_fields_against_split(text: str) -> None:
    wanted = [re.split("[ \t]+", line.strip(" \t")) for line in text.split("\n")]
    assert fields(text + "\n") == [[field.encode() for field in line if field] for line in wanted]


@given(st.lists(st.text("0123456789", min_size=1, max_size=12) | st.text("09/:-a", min_size=2, max_size=5), max_size=5))
def test_numbers_against_int(written: list[str]) -> None:
    raw = np.frombuffer("".join(f"{one} " for one in written).encode() + b"\n", dtype=np.uint8)
    starts, lengths, _ = links.find_fields(raw)
    found = links.parse_numbers(raw, starts, lengths)
    if all(re.fullmatch("[0-9]{1,9}", one) for one in written):
        assert found is not None
        assert found.tolist() == [int(one) for one in written]
    else:
        assert found is None


def test_no_field_is_no_number() -> None:
    raw = np.frombuffer(b"12 \n", dtype=np.uint8)
    assert links.parse_numbers(raw, np.array([0, 2]), np.array([2, 0])) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2) | st.integers(65_000, 70_000))))
def test_order_and_repeats(rows: list[tuple[int, int, int]]) -> None:
    rows.sort(key=lambda row: row[0])
    columns = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(3)]
    order, again = links.sort_order(*columns)
    order = np.arange(len(rows)) if order is None else order
    arranged = [rows[i] for i in order.tolist()]
    assert arranged == sorted(rows)
    repeats = [False, *(a == b for a, b in itertools.pairwise(arranged))][: len(rows)]
    assert (again.tolist() if again is not None else [False] * len(rows)) == repeats
