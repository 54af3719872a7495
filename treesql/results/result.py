"""The result of a query or a score: a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treesql.errors import UnknownName, UsageError
from treesql.results import signature_text
from treesql.results.documents import SYSTEM, DocumentTable, Presentation, arrange
from treesql.runtime.failures import convert_errors_of_class

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    import polars as pl
    import pyarrow as pa


MAX_ROWS_IN_NOTEBOOK = 100
"""Maximum number of rows that a notebook shows."""


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Result:
    """A table: `.arrow()`, `.pl()` or `.df()`; for documents `.markdown()`, `.latex()` or `.html()`.

    signatures: for every score column its signature, to be cited with the number; percent: the columns with shares in
    [0, 1], which are shown as percentages on a screen and in documents; directions: by score column, whether `higher`,
    `lower` or `neither` is better.
    """

    _table: pa.Table
    signatures: dict[str, str] = field(default_factory=dict)
    percent: frozenset[str] = frozenset()
    directions: dict[str, str] = field(default_factory=dict)

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

    def markdown(self, *, turned_by: str | None = None) -> str:
        """The table in Markdown. turned_by: a column, such as `system`, whose values are to be the heads of columns.

        In documents, shares are percentages, intervals stand in the cells of their scores, and the best score of
        several systems is bold: of the systems with the same values in all columns that are no scores.
        """
        from treesql.results import markdown

        return markdown.markdown(self._turned(turned_by))

    def latex(self, *, turned_by: str | None = None) -> str:
        """The table in LaTeX, with the rules of the package booktabs. See `markdown`."""
        from treesql.results import latex

        return latex.latex(self._turned(turned_by))

    def html(self, *, turned_by: str | None = None) -> str:
        """The table as an HTML element, for any page. See `markdown`."""
        from treesql.results import html

        return html.html(self._turned(turned_by))

    def _turned(self, key: str | None) -> DocumentTable:
        arranged = self._arranged()
        if key is not None and key not in arranged.heads:
            raise UnknownName("column", key, arranged.heads)
        return arranged if key is None else arranged.transpose(key)

    def _arranged(self) -> DocumentTable:
        """The cells of the table in a document."""
        scores = {name.rpartition(":")[2] for name in self.signatures} | self.directions.keys() | self.percent
        ends = {f"{name}{end}" for name in self.columns for end in ("_low", "_high")}
        groups = [name for name in self.columns if name != SYSTEM and name not in scores | ends]
        return arrange(self._table, Presentation(self.percent, self.directions, groups))

    def head(self, rows: int) -> Result:
        """The first rows."""
        return replace(self, _table=self._table.slice(0, rows))

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
        more = len(self) - MAX_ROWS_IN_NOTEBOOK
        if more <= 0:
            return self.html()
        return f"{self.head(MAX_ROWS_IN_NOTEBOOK).html()}<p>{more:,} more rows</p>\n"
