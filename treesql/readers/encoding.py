"""Faults of encoding and line ends, which all text formats refuse: reported once in a file, and fixed to read on."""

from __future__ import annotations

from treesql.readers.faults import Faults
from treesql.readers.fields import Text


def clean_text(data: bytes, first: int, last: bool, faults: Faults, *, returns: bool = True) -> bytes:
    """Report faults of encoding and of line ends, and return the bytes of a chunk without them.

    first: number of its first line; last: whether the file ends with it; returns: whether a CR may stand in a line.
    """
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        faults.add(1, "the file begins with two byte order marks", "save it as UTF-8 without them")
        data = data[3:]
    if b"\r" in data and b"\r\n" in data:
        line = first + data.count(b"\n", 0, data.find(b"\r\n"))
        faults.add_once(
            line,
            "this line ends in CR LF, the lines before in LF",
            "convert the file to LF line ends, for example with dos2unix",
        )
        data = data.replace(b"\r\n", b"\n")
    if not returns or (first == 1 and last and b"\n" not in data):
        data = replace_returns(data, first, faults, b"\n")
    if b"\0" in data:
        line = first + data.count(b"\n", 0, data.find(b"\0"))
        faults.add_once(line, "a NUL byte", "remove it; a file that has many is of UTF-16, or no text", kind="NUL")
    invalid = Text(data).invalid_utf8()
    if invalid is not None:
        line = first + data.count(b"\n", 0, invalid)
        what = f"byte 0x{data[invalid]:02x} is not UTF-8 here"
        faults.add_once(line, what, "convert the file to UTF-8, for example with iconv", kind="UTF-8")
    return data


def replace_returns(data: bytes, first: int, faults: Faults, instead: bytes) -> bytes:
    """The bytes with `instead` for each CR, which is a fault. first: number of their first line."""
    if b"\r" not in data:
        return data
    line = first + data.count(b"\n", 0, data.find(b"\r"))
    faults.add_once(line, "lines end in CR alone", "convert the file to LF line ends, for example with mac2unix")
    return data.replace(b"\r", instead)
