"""Tables of counts as matrices: a row per value of one column, a column per value of another, and totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treesql.errors import UsageError
from treesql.results import signature_text
from treesql.results.result import Result

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SHARES = ("row", "column", "all")
"""What a cell can be a share of: the total of its row, of its column or of the matrix."""

TOTAL, OTHER = "total", "other"
"""Names of the last row and column, and of those that sum all values beyond the limit."""

MAX_VALUES = 1000
"""Maximum number of values, each a row and a column of a matrix."""


@dataclass(frozen=True)
class MatrixLayout:
    """How a table becomes a matrix.

    share: of SHARES, None for counts. limit: the number of values that have a row and a column, None for all.
    """

    share: str | None = None
    limit: int | None = None

    @property
    def cited(self) -> list[str]:
        """The parts of signatures that name it."""
        return [f"matrix:{self.share or 'counts'}", *([] if self.limit is None else [f"limit:{self.limit}"])]

    def __post_init__(self) -> None:
        if self.share is not None and self.share not in SHARES:
            raise UsageError(f"share cannot be {self.share!r}; choose one of {', '.join(SHARES)}")
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise UsageError(f"limit is {self.limit!r}; name a whole number of values, 1 or more")


def make_matrix(table: Result, rows: str, columns: str, count: str, layout: MatrixLayout, *, by: str) -> Result:
    """Return a table of counts as matrices, one for every value of the column `by`, which stays the first column.

    All matrices have a row and a column for every value of the columns `rows` and `columns`, in the same order: by the
    sum of their counts in both, descending, then by name. A pair without a row in the table counts 0; a share of
    nothing is NULL. Raises UsageError for too many values.
    """
    import numpy as np
    import pyarrow as pa

    given = table.arrow()
    groups = given[by].to_pylist()
    places = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    counts = given[count].to_numpy().astype(np.int64)
    pairs = [given[name].to_pylist() for name in (rows, columns)]
    names, number = _number_values(pairs, counts, layout.limit)
    cells = np.zeros((len(places), len(names) + 1, len(names) + 1), dtype=np.int64)
    at_row, at_column = (np.array([number[value] for value in column], dtype=np.int64) for column in pairs)
    at_group = np.array([places[one] for one in groups], dtype=np.int64)
    np.add.at(cells, (at_group, at_row, at_column), counts)
    cells[:, -1, :] = cells.sum(axis=1)
    cells[:, :, -1] = cells.sum(axis=2)
    shown = [*names, _unused(TOTAL, names)]
    labels = {_unused(by, shown): [one for one in places for _ in shown], _unused(rows, shown): shown * len(places)}
    body = cells.reshape(-1, len(shown)) if layout.share is None else _shares(cells, layout.share)
    arrays = [pa.array(values, pa.string()) for values in labels.values()]
    arrays += [pa.array(body[:, at], from_pandas=True) for at in range(len(shown))]
    percent = frozenset(shown) if layout.share else frozenset()
    cited = {name: signature_text.insert(text, layout.cited) for name, text in table.signatures.items()}
    return Result(pa.table(arrays, names=[*labels, *shown]), cited, percent)


def _number_values(
    pairs: Sequence[Sequence[str]], counts: npt.NDArray[np.int64], limit: int | None
) -> tuple[list[str], dict[str, int]]:
    """Return the names of the rows, and the row of every value. Raises UsageError."""
    sums: dict[str, int] = {}
    for column in pairs:
        for value, n in zip(column, counts.tolist(), strict=True):
            sums[value] = sums.get(value, 0) + n
    ordered = sorted(sums, key=lambda value: (-sums[value], value))
    shown = ordered if limit is None else ordered[:limit]
    if len(shown) > MAX_VALUES:
        raise UsageError(f"{len(shown):,} values are too many for a matrix; name --limit N for the N most frequent")
    number = {value: min(at, len(shown)) for at, value in enumerate(ordered)}
    return [*shown, *[_unused(OTHER, shown)] * (len(shown) < len(ordered))], number


def _unused(name: str, names: Sequence[str]) -> str:
    """Return a name, in parentheses if it is among others."""
    while name in names:
        name = f"({name})"
    return name


def _shares(cells: npt.NDArray[np.int64], share: str) -> npt.NDArray[np.float64]:
    """Return the cells as shares of totals, NaN where these are 0."""
    import numpy as np

    whole = {"row": cells[:, :, -1:], "column": cells[:, -1:, :], "all": cells[:, -1:, -1:]}[share]
    found = np.full(cells.shape, np.nan)
    np.divide(cells, whole, out=found, where=whole != 0)
    return found.reshape(-1, cells.shape[-1])
