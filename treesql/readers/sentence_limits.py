"""How large a sentence, tree or lattice may be, so that a damaged or hostile file cannot take all memory.

One size bounds both: the bytes that it may have, and its words, edges or links, one for every BYTES_PER_WORD of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from treesql.errors import UsageError
from treesql.runtime.argument_types import with_checked_arguments

if TYPE_CHECKING:
    from treesql.kernels.arrays import Ints
    from treesql.readers.faults import Faults

OPTION = "--max-sentence"
BYTES_PER_WORD = 16

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LARGEST = 1 << 31
"""Offsets into a chunk of a file are of 32 bits."""

_DEFAULT = ContextVar("max_sentence", default=16 << 20)


def default() -> int:
    """Maximum number of bytes of a sentence by default."""
    return _DEFAULT.get()


@with_checked_arguments
@contextmanager
def max_sentence(size: int | str | None) -> Iterator[None]:
    """Within this block, the maximum size of a sentence, tree or lattice is this one where none is named.

    size: a number of bytes, or a size such as "64MB", with a word or edge for every 16 of them; None for no change.
    Raises UsageError.
    """
    token = _DEFAULT.set(default() if size is None else parse(size))
    try:
        yield
    finally:
        _DEFAULT.reset(token)


def parse(text: str | int) -> int:
    """A number of bytes, such as `64MB`, `500 kB`, `1g` or `4096`; units are powers of 1024. Raises UsageError."""
    found = re.fullmatch(r"([0-9]{1,10})\s*([kmg]?)i?b?", str(text).strip(), re.IGNORECASE | re.ASCII)
    size = int(found[1]) * _UNITS[found[2].lower()] if found else 0
    if not 0 < size < _LARGEST:
        raise UsageError(f"the largest sentence cannot be {text!r}; write a size below 2 GB, such as 64MB")
    return size


def shown(size: int) -> str:
    """A number of bytes in the largest unit that it is a whole number of."""
    unit = next(unit for unit in ("g", "m", "k", "") if size % _UNITS[unit] == 0)
    return f"{size // _UNITS[unit]} {unit if unit == 'k' else unit.upper()}B"


def fault(size: int) -> tuple[str, str]:
    """What is wrong with a larger sentence, and what to do about it."""
    larger = shown(4 * size).replace(" ", "")
    return (
        f"a sentence of more than {shown(size)}",
        f"check whether something is left open; {OPTION} {larger} takes larger ones",
    )


def refuse_long(counts: Ints, lines: Ints, size: int, faults: Faults, noun: str = "words") -> None:
    """Note the sentences with more words, edges or links than a sentence of `size` bytes may have.

    counts, lines: of every sentence.
    """
    most = max(size // BYTES_PER_WORD, 1)
    if len(counts) and int(counts.max()) > most:
        for at in (counts > most).nonzero()[0].tolist():
            needed = shown(-(-int(counts[at]) * BYTES_PER_WORD // (1 << 20)) << 20).replace(" ", "")
            what = f"{counts[at]:,} {noun}, more than the {most:,} of {OPTION} {shown(size).replace(' ', '')}"
            faults.add(int(lines[at]), what, f"check whether lines are missing; {OPTION} {needed} takes them")
