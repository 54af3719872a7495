"""Tables of counts as matrices: a row per value of one column, a column per value of another, and totals; with a row of
entropies, grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treesql.errors import UsageError
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.results.tables import cells_by_column, render_text, text_array, text_blocks

if TYPE_CHECKING:
    import pyarrow as pa

    from treesql.results.documents import DocumentTable

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

    from treesql.results.cells import count_cells, order_values, shares_of_totals

    counted_rows = table.arrow()
    counts = counted_rows[count].to_numpy()
    pairs = pa.chunked_array(
        [chunk for name in (rows, columns) for chunk in counted_rows[name].chunks], counted_rows[rows].type
    )
    places, values = order_values(pairs, np.tile(counts, 2))
    names = _shown_names(values, layout.limit)
    at_row, at_column = np.minimum(places, max(len(names) - 1, 0)).reshape(2, -1)
    encoded = counted_rows[by].combine_chunks().dictionary_encode()
    groups, at_group = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    cells = count_cells((len(groups), len(names), len(names)), (at_group, at_row, at_column), counts)
    shown = [*names, _unused(TOTAL, names)]
    labels = {_unused(by, shown): [group for group in groups for _ in shown], _unused(rows, shown): shown * len(groups)}
    body = cells if layout.share is None else shares_of_totals(cells, layout.share, nothing=np.nan)
    arrays = [pa.array(values, pa.string()) for values in labels.values()]
    arrays += [pa.array(body[..., at].ravel(), from_pandas=True) for at in range(len(shown))]
    percent = frozenset(shown) if layout.share else frozenset()
    signatures = {name: signature_text.insert(text, layout.cited) for name, text in table.signatures.items()}
    return Result(pa.table(arrays, names=[*labels, *shown]), signatures, percent)


def _shown_names(values: list[str], limit: int | None) -> list[str]:
    """Return the names of the rows, the last one for all values beyond the limit. Raises UsageError."""
    shown = values[:limit]
    if len(shown) > MAX_VALUES:
        raise UsageError(f"{len(shown):,} values are too many for a matrix; name --limit N for the N most frequent")
    return [*shown, *[_unused(OTHER, shown)] * (len(shown) < len(values))]


def _unused(name: str, names: Sequence[str]) -> str:
    """Return a name, in parentheses if it is among others."""
    while name in names:
        name = f"({name})"
    return name


@dataclass(frozen=True, repr=False)
class Grid(Result):
    """Counts, rates or shares of groups as rows and columns, above a row of entropies in bits, which are not shown as
    the rows above them are. of_groups: the number of these."""

    of_groups: int = 0

    def _rendered(self, screen: int) -> str:
        return render_text(self._texts(), right=frozenset(self.columns[1:]), screen=screen)

    def _text_blocks(self) -> Iterator[str]:
        return text_blocks(self._texts(), right=frozenset(self.columns[1:]))

    def _arranged(self) -> DocumentTable:
        from treesql.results.documents import Presentation, arrange

        return replace(arrange(self._texts(), Presentation()), numeric=[False, *[True] * (len(self.columns) - 1)])

    def _slice(self, first: int, rows: int) -> Grid:
        of_groups = min(max(self.of_groups - first, 0), rows)
        return replace(self, _table=self._table.slice(first, rows), of_groups=of_groups)

    def _texts(self) -> pa.Table:
        import pyarrow as pa

        rows = self._table.slice(0, self.of_groups)
        for at, name in enumerate(self.columns[1:] if not self.percent else (), start=1):
            if all(value.is_integer() for value in rows[name].to_pylist()):  # counts beside entropies are DOUBLE
                rows = rows.set_column(at, name, rows[name].cast(pa.int64()))
        cells = cells_by_column(rows, self.percent)
        entropies = self._table.slice(self.of_groups)
        label, *names = self.columns
        columns = {label: [*cells[label], *entropies[label].to_pylist()]}
        for name in names:
            columns[name] = [*cells[name], *(f"{value:.3f}" for value in entropies[name].to_pylist())]
        return pa.table({name: text_array(column) for name, column in columns.items()})
