"""Bins of numbers, as groups: `n_words/10` is `0..9`, `10..19` and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treesql.errors import UsageError

WHOLE, FRACTIONAL = ("INTEGER", "BIGINT"), ("DOUBLE",)
"""Types of columns that bins are of."""

MAX_WIDTH_DIGITS = 9
"""Maximum number of digits of a width, on either side of its point."""

MAX_NUMBER = "1e15"
"""Bound of the numbers of bins of fractional columns; a value beyond, and one that is no number, has no bin."""

ROUNDED_TO = 9
"""Decimals that quotients of a fractional value and a width keep: 0.3 / 0.1 is 2.9999999999999996, and begins bin 3."""

_WIDTH = re.compile(rf"\d{{1,{MAX_WIDTH_DIGITS}}}(\.\d{{1,{MAX_WIDTH_DIGITS}}})?", re.ASCII)
_LABEL = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\..+)?")
"""Matches the name of a bin, as `Bins.label` writes it."""


@dataclass(frozen=True)
class Bins:
    """Bins of a width, as it is written, that begin at its multiples. fractional: of a column of fractions."""

    width: str
    fractional: bool

    def number(self, value: str) -> str:
        """Return SQL for the number of a value's bin: the lower bound divided by the width; NULL for no value."""
        divided = f"CAST({value} AS DOUBLE) / {self.width}"
        if not self.fractional:
            return f"CAST(floor({divided}) AS BIGINT)"
        divided = f"CAST({value} AS DOUBLE) / CAST('{self.width}' AS DOUBLE)"
        return f"CASE WHEN abs({divided}) < {MAX_NUMBER} THEN CAST(floor(round({divided}, {ROUNDED_TO})) AS BIGINT) END"

    def label(self, number: str) -> str:
        """Return SQL for the name of a bin: `10..19`, `3` of width 1; of fractions `0.5..0.6`, its end not included."""
        if self.fractional:
            decimals = len(self.width.partition(".")[2])
            width = f"CAST('{self.width}' AS DECIMAL({MAX_WIDTH_DIGITS + decimals}, {decimals}))"
            low, high = (f"CAST({one} AS DECIMAL(19, 0)) * {width}" for one in (number, f"({number} + 1)"))
        elif self.width == "1":
            return f"CAST({number} AS VARCHAR)"
        else:
            low, high = f"{number} * {self.width}", f"{number} * {self.width} + {int(self.width) - 1}"
        return f"CAST({low} AS VARCHAR) || '..' || CAST({high} AS VARCHAR)"


def split_width(name: str) -> tuple[str, str | None]:
    """Return the column and the width of a group, `n_words/10`; no width of a column alone. Raises UsageError."""
    column, slash, width = name.rpartition("/")
    if not slash:
        return name, None
    if not (column and _WIDTH.fullmatch(width) and float(width) > 0):
        digits = f"a number above 0, of {MAX_WIDTH_DIGITS} digits at most"
        raise UsageError(f"cannot group by {name}: bins are written COLUMN/WIDTH, and WIDTH is {digits}: n_words/10")
    return column, width.lstrip("0") if width.isdigit() else width


def make_bins(name: str, column: str, kind: str, width: str) -> Bins:
    """Return the bins of a column of a type. Raises UsageError for a column or width that bins cannot have."""
    if kind not in (*WHOLE, *FRACTIONAL):
        raise UsageError(f"cannot group by {name}: bins are of numbers, and {column} is {kind}; group by {column}")
    if kind in WHOLE and not width.isdigit():
        raise UsageError(f"cannot group by {name}: {column} has whole numbers, and so has the width of its bins")
    return Bins(width, kind in FRACTIONAL)


def find_start(label: str) -> float | None:
    """Return the lower bound of a bin by its name; None for a text that is none."""
    found = _LABEL.fullmatch(label)
    return None if found is None else float(found[1])
