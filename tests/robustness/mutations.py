"""Mutated inputs: a generator that makes any number of them, each the same whenever it is made again."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Sequence
from random import Random

from tests.readers.packed import zstandard

SIGNS = (
    *(
        b"\t",
        b"\n",
        b" ",
        b"_",
        b"#",
        b"|",
        b":",
        b"-",
        b".",
        b"0",
        b"1",
        b"9",
        b"(",
        b")",
        b"[",
        b"]",
        b";",
        b",",
        b"'",
    ),
    *(b'"', b"\\", b"{", b"}", b"=", b"%", b"*", b"/", b"<", b">", b"+", b"~", b"\0", b"\x1a", b"\x1f\x8b"),
    *(
        b"\n\n",
        b"\r\n",
        b"\r",
        b"\t\t",
        b"  ",
        b"\n\n\n",
        b"\xef\xbb\xbf",
        b"\x80",
        b"\xc2",
        b"\xc0\x80",
        b"\xed\xa0\x80",
    ),
    *("é".encode(), "漢".encode(), "\u00a0".encode(), "\u2028".encode(), "😀".encode(), "\u0661".encode(), b"\xff\xfe"),
)
"""Bytes that mean something to one reader or another."""

NUMBERS = (
    *(
        b"-1",
        b"+1",
        b"00",
        b"01",
        b"1.",
        b".5",
        b"1_0",
        b"0x1",
        b"1e3",
        b"1e999",
        b"-1e999",
        b"nan",
        b"inf",
        b"-0",
        b"1e-999",
    ),
    *(b"127", b"128", b"255", b"256", b"32767", b"65536", b"999999999", b"1000000000", b"2147483647", b"2147483648"),
    *(b"4294967295", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"9" * 40, b"1" * 400),
)
"""Numbers at which types end."""

WORDS = (
    *(b"NULL", b"({", b"})", b"!NULL", b"<eps>", b"*EPS*", b"-NONE-", b"#BOS", b"#EOS", b"#FORMAT 4", b"#BOT"),
    *(b"# sent_id = 1", b"# newdoc", b"A=1|A=2", b"1-2", b"1.1", b"0.1", b"1:a|1:a", b"\\ud800", b"\\u0000", b"\\'"),
    *(b"#NEXUS", b"S", b"P", b"(utt-1)", b";;"),
    *(b'"n_nodes"', b'"edges"', b'"id"', b"I=0", b"J=0", b"W=", b"start=", b"pattern", b"without", b"re\"(\""),
)  # fmt: skip
"""Words of the notations."""


PACKINGS: Sequence[Callable[[bytes], bytes]] = (
    lambda data: gzip.compress(data, mtime=0), lzma.compress, bz2.compress, zstandard
)  # fmt: skip
"""What packs files in the ways that are read."""

Change = Callable[[bytes, Random, Sequence[bytes]], bytes]


def mutated(seeds: Sequence[bytes], random: Random, most: int = 1 << 16) -> bytes:
    """One of the seeds with one to six changes, of up to `most` bytes; now and then signs alone."""
    if random.random() < 0.05:
        pieces = [random.choice((*SIGNS, *NUMBERS, *WORDS)) for _ in range(random.randint(0, 40))]
        data = b"".join(pieces)
    else:
        data = random.choice(seeds)
        for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
            data = random.choice(CHANGES)(data, random, seeds)[:most]
    if random.random() < 0.02:
        packed = random.choice(PACKINGS)(data)
        return packed if random.random() < 0.3 else _replace(packed, random, seeds)
    return data


def _at(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def _insert(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    at = _at(data, random)
    return data[:at] + random.choice(random.choice((SIGNS, SIGNS, NUMBERS, WORDS))) + data[at:]


def _replace(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    at = _at(data, random)
    piece = random.choice((random.choice(SIGNS), random.randbytes(random.randint(1, 3))))
    return data[:at] + piece + data[at + len(piece) :]


def _delete(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    at = _at(data, random)
    return data[:at] + data[at + random.choice((1, 1, 2, 3, 8, 40)) :]


def _cut_off(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    return data[: _at(data, random)]


def _flip(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _number(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    """Another number in place of one."""
    places = [at for at, byte in enumerate(data) if 48 <= byte < 58]
    if not places:
        return data
    start = end = random.choice(places)
    while end < len(data) and 48 <= data[end] < 58:
        end += 1
    own = data[start:end][:18]
    near = (b"%d" % (int(own) + random.choice((-2, -1, 1, 2, 10))),)
    return data[:start] + random.choice((*NUMBERS, *near * 10)) + data[end:]


def _lines(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    """A line removed, repeated, moved, or taken from a seed."""
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines) + 1)
    other = random.choice(seeds).split(b"\n")
    match random.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines[to:to] = [lines[at]] * random.choice((1, 1, 2, 30))
        case 2:
            lines.insert(min(to, len(lines) - 1), lines.pop(at))
        case _:
            lines.insert(to, random.choice(other))
    return b"\n".join(lines)


def _field(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    """Another field in place of one, between blanks or tabs, or an empty one."""
    sign = random.choice((b"\t", b" ", b"|", b",", b"="))
    fields = data.split(sign)
    fields[random.randrange(len(fields))] = random.choice(
        (b"", random.choice(fields), random.choice((*NUMBERS, *WORDS)))
    )
    return sign.join(fields)


def _repeat(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    """A piece many times."""
    start = _at(data, random)
    piece = data[start : start + random.choice((1, 1, 2, 5, 20, 200))]
    return data[:start] + piece * random.choice((2, 3, 10, 100, 1000)) + data[start:]


def _splice(data: bytes, random: Random, seeds: Sequence[bytes]) -> bytes:
    other = random.choice(seeds)
    return data[: _at(data, random)] + other[_at(other, random) :]


CHANGES: tuple[Change, ...] = (
    *(_insert, _insert, _replace, _replace, _delete, _cut_off, _flip, _number, _number),
    *(_lines, _lines, _field, _field, _repeat, _splice),
)
