"""The result of a query or a score: a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treesql.errors import UsageError
from treesql.results import signature_text

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Result:
    """A table: `.arrow()`, `.pl()` or `.df()`.

    signatures: for every score column its signature, to be cited with the number; percent: the columns with shares in
    [0, 1], which are shown as percentages on a screen.
    """

    _table: pa.Table
    signatures: dict[str, str] = field(default_factory=dict)
    percent: frozenset[str] = frozenset()

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, object]]) -> Result:
        """A table of dictionaries with the same keys."""
        import pyarrow as pa

        return cls(pa.Table.from_pylist(list(rows)))

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self._table

    def pl(self) -> pl.DataFrame:
        """The rows as a Polars data frame."""
        import polars as pl

        return pl.DataFrame(self._table)

    def df(self) -> pd.DataFrame:
        """The rows as a pandas data frame. Raises UsageError where pandas is not installed."""
        if find_spec("pandas") is None:
            hint = "`pip install pandas`, or take .pl(), a data frame of Polars, or .arrow()"
            raise UsageError(f"pandas is not installed; {hint}")
        return self._table.to_pandas()

    def rows(self) -> list[dict[str, Any]]:
        """The rows as a list of dictionaries."""
        return list(self._table.to_pylist())

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    @property
    def signature(self) -> str:
        """All signatures, those of a system in one line without repeated parts: `uas,las|gold:...`."""
        return "\n".join(signature_text.joined(self.signatures.values()))

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        return str(self.pl())

    def _repr_html_(self) -> str:
        return self.pl()._repr_html_()
