"""Byte scanners against what Python itself says of the same bytes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.kernels.scanning import text as kernel

Fields = list[tuple[int, int]]
"""Where fields begin and end."""

# Signs that matter to the scanners, spaces of 1, 2 and 3 bytes, look-alikes of spaces, letters of 2 to 4 bytes.
SIGNS = "\t\n _#=|:.-059a" + "\u00a0\u1680\u2000\u200a\u202f\u205f\u3000" + "\u200b\u2028\ufeffé漢😀"
characters = st.sampled_from(SIGNS) | st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=40)


def array(text: str | bytes) -> kernel.Bytes:
    return np.frombuffer(text.encode() if isinstance(text, str) else text, dtype=np.uint8)


def columns(fields: Fields) -> tuple[kernel.Ints, kernel.Ints]:
    """Starts and lengths, as the kernels take fields."""
    starts = np.array([begin for begin, _ in fields], dtype=np.int64)
    return starts, np.array([end for _, end in fields], dtype=np.int64) - starts


@st.composite
def fields_of(draw: st.DrawFn, texts: st.SearchStrategy[str], disjoint: bool = False) -> tuple[bytes, Fields]:
    """A text and fields of it that begin and end between characters; the whole text is one, unless disjoint."""
    text = draw(texts)
    places = [len(text[:i].encode()) for i in range(len(text) + 1)]
    ends = draw(st.lists(st.sampled_from(places), max_size=12))
    if disjoint:
        ends.sort()
    fields = [(min(pair), max(pair)) for pair in zip(ends[::2], ends[1::2], strict=False)]
    return text.encode(), fields if disjoint else [*fields, (0, places[-1])]


def cut(data: bytes, fields: Iterable[tuple[int, int]]) -> list[bytes]:
    return [data[begin:end] for begin, end in fields]


@given(texts)
@example("")
@example("\n")
@example("\t\t\n\n")
def test_lines_and_tabs(text: str) -> None:
    marks, ends = kernel.lines_and_tabs(array(text))
    data = text.encode()
    assert marks.tolist() == [at for at, byte in enumerate(data) if byte in b"\t\n"]
    assert [int(marks[end]) for end in ends] == [at for at, byte in enumerate(data) if byte == 10]


@given(st.binary(max_size=40))
def test_windows(data: bytes) -> None:
    padded = bytes(4) + data + bytes(16)
    found = kernel.windows(array(data))
    assert [found[i].tobytes() for i in range(len(data) + 1)] == [padded[i : i + 16] for i in range(len(data) + 1)]


def views(data: bytes, fields: Fields, kind: pa.DataType) -> pa.Array:
    starts, lengths = columns(fields)
    words = kernel.string_views(kernel.windows(array(data)), starts, lengths)
    made = pa.Array.from_buffers(kind, len(fields), [None, pa.py_buffer(words), pa.py_buffer(data)])
    made.validate(full=True)
    return made


@given(fields_of(st.text(characters, max_size=60)))
def test_string_views(given: tuple[bytes, Fields]) -> None:
    data, fields = given
    expected = pa.array([part.decode() for part in cut(data, fields)], pa.string_view())
    assert views(data, fields, pa.string_view()).equals(expected)


@in_turn("length", [0, 1, 4, 5, 11, 12, 13, 40])
@in_turn("letters", ["abcdefghij", "é漢😀a"])
def test_string_views_at_both_ends_of_a_text(length: int, letters: str) -> None:
    """The bytes around a short field must not leak into its view."""
    data = (letters * 20).encode()
    for text, begin in ((data, 0), (data, len(data) - length), (data[:length], 0), (data, 17)):
        field = text[begin : begin + length]
        found = views(text, [(begin, begin + length)], pa.binary_view())
        assert found.equals(pa.array([field], pa.binary_view()))


@in_turn(
    ("field", "value"),
    [
        ("0", 0),
        ("7", 7),
        ("10", 10),
        ("007", None),
        ("999999999", 999999999),
        ("1000000000", None),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1-2", None),
        ("_", None),
        ("1a", None),
        ("a1", None),
        (" 1", None),
        ("/", None),
        (":", None),
        ("٣", None),
    ],
)
def test_integers(field: str, value: int | None) -> None:
    """Digits on either side of the field are not its own."""
    data = f"5{field}5".encode()
    values, plain = kernel.integers(array(data), *columns([(1, len(data) - 1), (0, 1)]))
    assert (values.tolist(), plain.tolist()) == ([value or 0, 5], [value is not None, True])


@given(fields_of(st.text("0123456789a-é", max_size=30)))
def test_many_integers(given: tuple[bytes, Fields]) -> None:
    data, fields = given
    expected = [int(part) if re.fullmatch(rb"0|[1-9][0-9]{0,8}", part) else None for part in cut(data, fields)]
    values, plain = kernel.integers(array(data), *columns(fields))
    assert [value if ok else None for value, ok in zip(values.tolist(), plain.tolist(), strict=True)] == expected
    assert not values[~plain].any()


@given(fields_of(texts), st.sampled_from(b":.-"), st.integers(1, 45))
def test_find_byte(given: tuple[bytes, Fields], byte: int, within: int) -> None:
    data, fields = given
    expected = [part[:within].find(byte) for part in cut(data, fields)]
    assert kernel.find_byte(array(data), byte, *columns(fields), within).tolist() == expected


def test_find_byte_looks_at_twenty_bytes() -> None:
    data = b"x" * 19 + b":" + b"x" * 20 + b":"
    assert kernel.find_byte(array(data), ord(":"), *columns([(0, 20), (20, 41)])).tolist() == [19, -1]


@given(fields_of(st.text("ab||é", max_size=30), disjoint=True))
@example((b"", []))
@example((b"", [(0, 0)]))
@example((b"|", [(0, 0), (0, 1), (1, 1)]))
@example((b"|a|", [(1, 2)]))
def test_split(given: tuple[bytes, Fields]) -> None:
    data, fields = given
    owners, starts, lengths = kernel.split(array(data), ord("|"), *columns(fields))
    expected = [(at, part) for at, field in enumerate(cut(data, fields)) for part in field.split(b"|")]
    found = cut(data, zip(starts, starts + lengths, strict=True))
    assert list(zip(owners.tolist(), found, strict=True)) == expected
    assert (np.diff(starts) >= 0).all()


@given(fields_of(st.text("newdocé", max_size=30)), st.sampled_from(["", "n", "new", "doé", "newdocnewdoc"]))
@example((b"new", [(0, 2), (0, 3), (3, 3)]), "new")
def test_starts_with(given: tuple[bytes, Fields], prefix: str) -> None:
    data, fields = given
    found = kernel.starts_with(kernel.windows(array(data)), prefix.encode(), *columns(fields))
    assert found.tolist() == [part.startswith(prefix.encode()) for part in cut(data, fields)]


@given(fields_of(st.text(" \u00a0\ta", max_size=20)))
@example((b"", [(0, 0)]))
@example((b"   ", [(0, 3), (3, 3), (1, 2)]))
def test_trim(given: tuple[bytes, Fields]) -> None:
    data, fields = given
    before = columns(fields)
    kept = [column.copy() for column in before]
    starts, lengths = kernel.trim(array(data), *before)
    for (begin, end), start, length in zip(fields, starts.tolist(), lengths.tolist(), strict=True):
        assert begin <= start <= start + length <= end
        assert data[start : start + length] == data[begin:end].strip(b" ")
    assert all(map(np.array_equal, before, kept)), "the arguments were changed"


@given(texts)
@example("")
@example("\u00a0")
@example("é")
def test_uncounted(text: str) -> None:
    expected: list[int] = []
    at = 0
    for character in text:
        size = len(character.encode())
        expected += range(at if unicodedata.category(character) == "Zs" else at + 1, at + size)
        at += size
    assert kernel.utf8_continuation_bytes(array(text)).tolist() == expected


def test_uncounted_knows_every_space_of_unicode() -> None:
    """They all lie in the first of its 17 planes; the second is looked at for what might be taken for them."""
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    raw = array(everything)
    uncounted = np.zeros(len(raw), dtype=bool)
    uncounted[kernel.utf8_continuation_bytes(raw)] = True
    first_bytes = (raw & 0xC0) != 0x80
    spaces = np.flatnonzero(uncounted[first_bytes])
    assert [everything[i] for i in spaces] == [c for c in everything if unicodedata.category(c) == "Zs"]


@given(fields_of(texts))
def test_count_characters(given: tuple[bytes, Fields]) -> None:
    data, fields = given
    expected = [sum(unicodedata.category(c) != "Zs" for c in part.decode()) for part in cut(data, fields)]
    assert kernel.count_characters(kernel.utf8_continuation_bytes(array(data)), *columns(fields)).tolist() == expected


@given(fields_of(texts))
def test_has_uncounted(given: tuple[bytes, Fields]) -> None:
    """Fields for which it is false have as many characters as bytes; true it is of every other, and of long ones."""
    data, fields = given
    starts, lengths = columns(fields)
    views = kernel.string_views(kernel.windows(array(data)), starts, lengths)
    expected = [len(part) > 12 or any(byte >= 0x80 or byte == 32 for byte in part) for part in cut(data, fields)]
    assert kernel.may_have_uncounted(views, lengths).tolist() == expected
