"""Checks of the columns of a Parquet file: that they exist, have their types and values, and meet the CHECKs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pyarrow as pa

from treesql.catalog.schemas import Table, TableColumn
from treesql.errors import HeaderError
from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.readers.fields import Faults
from treesql.runtime import arrays
from treesql.runtime.arrays import compute as pc

HINT = "export the data set again"

_COMPARISON = re.compile(r"\"?(\w+)\"? (>=|>|<>) (?:(-?\d+)|'(.*)'|\"?(\w+)\"?)")
_LEAST = re.compile(r"\"?(\w+)\"? >= (-?\d+)")
_CHOICE = re.compile(r"(\w+) IN \((.*)\)")
_COMPARE = {">=": "greater_equal", ">": "greater", "<>": "not_equal"}
"""Functions of Arrow that compare as the signs of SQL do."""


def check_schema(schema: pa.Schema, table: Table, faults: Faults) -> None:
    """Note columns that are missing or of another type."""
    for column in table.columns:
        at = schema.get_field_index(column.name)
        if at < 0:
            faults.add(0, f"there is no column {column.name}", HINT)
        elif not _same(schema.field(at).type, column.arrow_type):
            what = f"column {column.name} is {schema.field(at).type}, not {column.arrow_type}"
            faults.add(0, what.replace("string_view", "string"), HINT)


def _same(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether two types hold the same values; there are several for texts, and timestamps may name a zone."""
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if pa.types.is_string_view(wanted):
        return any(is_text(found) for is_text in texts)
    if pa.types.is_list(wanted):
        return pa.types.is_list(found) and _same(found.value_type, wanted.value_type)
    if pa.types.is_struct(wanted):
        return (
            pa.types.is_struct(found)
            and [field.name for field in found] == [field.name for field in wanted]
            and all(_same(one.type, other.type) for one, other in zip(found, wanted, strict=True))
        )
    if pa.types.is_timestamp(wanted):
        return bool(pa.types.is_timestamp(found) and found.unit == wanted.unit)
    return bool(found == wanted)


def check_values(batch: pa.RecordBatch, table: Table, first: int, faults: Faults) -> None:
    """Note values that are missing, no text in UTF-8, or outside of what a column may hold.

    first: the number of the first row in its file, counted from 1.
    """
    for name, values in zip(batch.schema.names, batch.columns, strict=True):
        column = table[name]
        try:
            if not (_is_text(values) or (pa.types.is_list(values.type) and _is_text(values.flatten()))):
                values.validate(full=True)
        except pa.ArrowInvalid as error:
            faults.add(first, f"column {name} cannot be read from here on: {str(error).splitlines()[0]}", HINT)
            continue
        if column.required and values.null_count:
            faults.add(first + _first(values.is_null()), f"{name} is missing", HINT)
        if pa.types.is_list(values.type) and values.flatten().null_count:
            owners = pc.list_parent_indices(values).filter(values.flatten().is_null())
            faults.add(first + owners[0].as_py(), f"an item of {name} is missing", HINT)
        _check_no_nul(values, name, first, faults)
    if faults.found:
        return
    for column in table.columns:
        if column.check and column.name in batch.schema.names:
            _check(batch, column, first, faults)


def _check_no_nul(values: pa.Array, name: str, first: int, faults: Faults) -> None:
    """Note the first text with a NUL byte."""
    texts = values.flatten() if pa.types.is_list(values.type) else values
    data = texts.buffers()[-1] if pa.types.is_string(texts.type) else None
    if data and np.frombuffer(data, np.uint8).min(initial=1) == 0:
        found = pc.fill_null(pc.match_substring(texts, "\0"), False)
        if pc.any(found).as_py():
            at = _first(found)
            row = pc.list_parent_indices(values)[at].as_py() if texts is not values else at
            faults.add(first + row, f"{name} has a NUL byte", HINT)


def _is_text(values: pa.Array) -> bool:
    """Whether values are texts in UTF-8: their bytes are as a whole, and no text begins within a character.

    That takes a third of what it takes to look at every text for itself.
    """
    if not pa.types.is_string(values.type) or not len(values):
        return False
    _, buffer, data = values.buffers()
    offsets = np.frombuffer(buffer, np.int32, len(values) + 1, values.offset * 4)
    first, last = int(offsets[0]), int(offsets[-1])
    if data is None or first == last:
        return True
    ends = pa.py_buffer(np.array([first, last], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_utf8(), 1, [None, ends, data]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    starts = np.frombuffer(data, np.uint8, last).take(offsets[:-1], mode="clip")
    return not bool((starts.view(np.int8) < -64).any())  # 0x80 to 0xbf stand within characters


def _check(batch: pa.RecordBatch, column: TableColumn, first: int, faults: Faults) -> None:
    """Note the first row that does not meet the CHECK of a column, if all columns that it names are there."""
    of, holds = condition(column.check or "")
    if not all(name in batch.schema.names for name in of):
        return
    if (least := _LEAST.fullmatch(column.check or "")) and pa.types.is_integer(batch.column(column.name).type):
        found = pc.min(batch.column(column.name)).as_py()
        if found is None or found >= int(least[2]):
            return
    held = holds(*(batch.column(name) for name in of))
    if pc.all(held).as_py() is False:  # NULL meets any check
        at = _first(pc.invert(held))
        value = batch.column(column.name)[at].as_py()
        faults.add(first + at, f"{column.name} is {value}, but {column.check} must hold", HINT)


def condition(check: str) -> tuple[tuple[str, ...], Callable[..., pa.Array]]:
    """The columns that a CHECK of schemas/ names, and what tells for their values whether it holds. Raises HeaderError.

    Checks compare a column with another one, a number or a text, or name the texts that it may hold.
    """
    if found := _CHOICE.fullmatch(check):
        choices = pa.array(re.findall(r"'([^']*)'", found[2]), pa.string())
        return (found[1],), lambda values: pc.if_else(
            values.is_null(), None, pc.is_in(values.cast(pa.string()), value_set=choices)
        )
    if found := _COMPARISON.fullmatch(check):
        one, sign, number, text, other = found.groups()
        compare = partial(arrays.call, _COMPARE[sign])
        if other is not None:
            return (one, other), compare
        constant = int(number) if number is not None else text
        return (one,), lambda values: compare(values, pa.scalar(constant, values.type))
    raise HeaderError(f"a check compares a column with a column, a number or a text: {check}")


def check_texts(batch: pa.RecordBatch, names: Iterable[str], first: int, faults: Faults, signs: str = "\t\n\r") -> None:
    """Note texts that are empty or have one of some signs: a tab or a line end, which no file of fields can have."""
    for name in names:
        if name not in batch.schema.names:
            continue
        values = batch.column(name)
        lengths = pc.binary_length(values)
        if pc.min(lengths).as_py() == 0:
            faults.add(first + _first(pc.equal(lengths, 0)), f"{name} is empty", HINT)
        data = values.buffers()[-1]
        if signs and data and (" " in signs or np.frombuffer(data, np.uint8).min(initial=ord(" ")) < ord(" ")):
            # readers of fields take a carriage return for a sign like any other, except at the end of a line
            in_fields = "[\t\n]|\r$" if name == "misc" else "[\t\n]"
            wrong = pc.match_substring_regex(values, in_fields if signs == "\t\n\r" else f"[{signs}]")
            if pc.any(wrong).as_py():
                blank = "a blank, a tab" if " " in signs else "a tab"
                what = f"{blank}, a line end or a bracket" if "(" in signs else f"{blank} or a line end"
                faults.add(first + _first(wrong), f"{name} has {what}", HINT)


def check_open_values(batch: pa.RecordBatch, names: Iterable[str], first: int, faults: Faults) -> None:
    """Note texts that are `_`, which means NULL in files of ten columns."""
    for name in names:
        if name in batch.schema.names:
            wrong = pc.equal(batch.column(name), "_")
            if pc.any(wrong).as_py():
                faults.add(first + _first(wrong), f"{name} is `_`, where NULL should be", HINT)


def string_bytes(values: pa.Array) -> tuple[Bytes, Ints, Ints]:
    """The bytes of texts, and where each starts and how long it is."""
    if not len(values):
        none = np.zeros(0, dtype=np.int64)
        return np.zeros(0, dtype=np.uint8), none, none
    _, buffer, data = values.buffers()
    offsets = np.frombuffer(buffer, np.int32, len(values) + 1, values.offset * 4).astype(np.int64)
    raw = np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]]
    return raw, offsets[:-1] - offsets[0], np.diff(offsets)


def all_flags(values: pa.Array) -> Flags:
    """Flags without NULL as an array."""
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.bool_)


def ints(values: pa.Array, absent: int = -1) -> Ints:
    """Integers as 64 bits, others in place of NULL."""
    kind = np.dtype(f"i{values.type.byte_width}")
    buffer = values.buffers()[1] if len(values) else b""
    found = np.frombuffer(buffer, kind, len(values), values.offset * kind.itemsize if len(values) else 0)
    found = found.astype(np.int64)
    if values.null_count:
        found[missing(values)] = absent
    return found


def missing(values: pa.Array) -> Flags:
    """Which values are NULL."""
    return np.asarray(values.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)


def _first(flags: pa.Array) -> int:
    """The first row for which a flag is set."""
    return int(pc.index(flags, True).as_py())
