"""The result of a query or a score, a table; and why a sentence has its score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from treesql.errors import UnknownName, UsageError
from treesql.results import signature_text
from treesql.results.tables import (
    cells_by_column,
    check_held,
    least_text_width,
    render_text,
    text_array,
    text_blocks,
    text_width,
    with_texts,
)
from treesql.runtime.failures import check_type, convert_errors_of_class

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    import polars as pl
    import pyarrow as pa

    from treesql.results.documents import DocumentTable
    from treesql.results.pages import Figure


MAX_ROWS_IN_NOTEBOOK = 100
"""Maximum number of rows that a notebook shows."""

MAX_COLUMNS, MAX_TURNED = 8, 4
"""Number of columns up to which Polars prints all, and of rows up to which more are printed below each other."""

_ELSEWHERE = {
    **dict.fromkeys(("dicts", "to_dicts", "to_dict", "to_pylist", "to_list", "fetchall", "records", "iter_rows",
                     "iterrows", "itertuples"), ".rows(), a list of dictionaries"),
    **dict.fromkeys(("to_pandas", "fetchdf", "to_df", "pandas"), ".df(), a data frame of pandas"),
    **dict.fromkeys(("to_polars", "polars"), ".pl(), a data frame of Polars"),
    **dict.fromkeys(("to_arrow", "fetch_arrow_table", "to_arrow_table"), ".arrow(), an Arrow table"),
    **{f"{verb}_{form}": f'treesql.write(result, "FILE.{form}")'
       for verb in ("to", "write") for form in ("csv", "json", "parquet")},
    "write": 'treesql.write(result, "FILE.csv")', "save": 'treesql.write(result, "FILE.csv")',
    "to_markdown": ".markdown()", "to_latex": ".latex()", "to_html": ".html()", "to_string": "str(result)",
    "width": ".shape", "height": "len(result)", "size": ".shape", "schema": ".arrow().schema",
    "dtypes": ".arrow().schema",
}  # fmt: skip
"""What there is instead of what tables of other libraries have, by its name there."""


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Result:
    """A table: `.arrow()`, `.pl()` or `.df()`; for documents `.markdown()`, `.latex()` or `.html()`.

    It is a sequence of rows: `len`, iteration and `result[0]` have dictionaries, `result["las"]` has the values of a
    column. Libraries that take Arrow's C stream take it as it is: `polars.DataFrame(result)`, `FROM result` in DuckDB.
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

        check_held(self._table, "Polars")
        return pl.DataFrame(self._table)

    def df(self) -> pd.DataFrame:
        """The rows as a pandas data frame. Raises UsageError where pandas is not installed."""
        if find_spec("pandas") is None:
            hint = "`pip install pandas`, or take .pl(), a data frame of Polars, or .arrow()"
            raise UsageError(f"pandas is not installed; {hint}")
        check_held(self._table, "pandas")
        return self._table.to_pandas()

    def rows(self) -> list[dict[str, Any]]:
        """The rows as a list of dictionaries."""
        check_held(self._table, "Python")
        return list(self._table.to_pylist())

    def markdown(self, *, turned_by: str | None = None) -> str:
        """The table in Markdown. turned_by: a column, such as `system`, whose values are to be the heads of columns.

        In documents, shares are percentages, intervals stand in the cells of their scores, and the best score of
        several systems is bold: of the systems with the same values in all columns that are no scores.
        """
        return "".join(self.blocks("markdown", turned_by=turned_by))

    def latex(self, *, turned_by: str | None = None) -> str:
        """The table in LaTeX, with the rules of the package booktabs. See `markdown`."""
        return "".join(self.blocks("latex", turned_by=turned_by))

    def html(self, *, turned_by: str | None = None) -> str:
        """The table as an HTML element, for any page. See `markdown`."""
        return "".join(self.blocks("html", turned_by=turned_by))

    def blocks(self, form: str, *, turned_by: str | None = None) -> Iterator[str]:
        """The table in a format of documents, markdown, latex or html, in texts of some thousand rows each."""
        from treesql.results import documents

        rendered: Iterator[str] = getattr(documents, form)(self._turned(turned_by))
        return rendered

    def _turned(self, key: str | None) -> DocumentTable:
        arranged = self._arranged()
        if key is not None and key not in arranged.heads:
            raise UnknownName("column", key, arranged.heads)
        return arranged if key is None else arranged.transpose(key)

    def _arranged(self) -> DocumentTable:
        """The cells of the table in a document."""
        from treesql.results.documents import SYSTEM, Presentation, arrange

        scores = {name.rpartition(":")[2] for name in self.signatures} | self.directions.keys() | self.percent
        ends = {f"{name}{end}" for name in self.columns for end in ("_low", "_high")}
        groups = [name for name in self.columns if name != SYSTEM and name not in scores | ends]
        return arrange(self._table, Presentation(self.percent, self.directions, groups))

    def head(self, rows: int = 5) -> Result:
        """The first rows."""
        return self._slice(0, rows)

    def tail(self, rows: int = 5) -> Result:
        """The last rows."""
        return self._slice(max(len(self) - rows, 0), rows)

    def _rendered(self, screen: int) -> str:
        return render_text(self._table, self.percent, screen=screen)

    def _text_blocks(self) -> Iterator[str]:
        return text_blocks(self._table, self.percent)

    def _slice(self, first: int, rows: int) -> Result:
        return replace(self, _table=self._table.slice(first, rows))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and that of columns."""
        return len(self), len(self.columns)

    @property
    def signature(self) -> str:
        """All signatures, those of a system in one line without repeated parts: `uas,las|gold:...`."""
        return "\n".join(signature_text.joined(self.signatures.values()))

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __getitem__(self, key: str | int) -> Any:
        if isinstance(key, int):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there is no row {key}; the rows are 0 to {len(self) - 1}")
            return self._slice(key % len(self), 1).rows()[0]
        check_type("key", key, str | int)
        if key not in self.columns:
            raise UnknownName("column", key, self.columns)
        check_held(self._table.select([key]), "Python")
        return self._table[key].to_pylist()

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError, which names what there is instead."""
        import difflib  # here, for it is imported where something is misspelt

        attributes = [attribute for attribute in dir(type(self)) if not attribute.startswith("_")]
        if name.startswith("_"):
            hint = ""
        elif name in self.columns:
            hint = f'; write result["{name}"]'
        elif name in _ELSEWHERE:
            hint = f"; write {_ELSEWHERE[name]}"
        elif near := difflib.get_close_matches(name, attributes, n=3, cutoff=0.6):
            hint = f"; did you mean {' or '.join(near)}?"
        else:
            hint = "; .pl() and .df() are data frames of Polars and pandas, .rows() is a list of dictionaries"
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}", name=name, obj=self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """As Polars prints it; few rows of many columns as commands print them, so that no score is left out."""
        if len(self.columns) > MAX_COLUMNS and 0 < len(self) <= MAX_TURNED:
            turned = transpose(self, self.columns[0])
            if len(set(turned.columns)) == len(turned.columns):
                return render(turned).rstrip("\n")
        try:
            return str(self.pl())
        except UsageError:  # values that Polars lacks
            return str(replace(self, _table=next(with_texts([self._table]))).pl())

    def _repr_html_(self) -> str:
        return self._in_notebook()

    def _in_notebook(self, *figures: Figure) -> str:
        """Drawings, and the first rows below them."""
        from treesql.results import pages

        more = max(len(self) - MAX_ROWS_IN_NOTEBOOK, 0)
        return pages.notebook(*figures, table=replace(self.head(MAX_ROWS_IN_NOTEBOOK)._arranged(), more=more))


def render(result: Result, *, screen: int | None = None) -> str:
    """A result as lines of text, with a header. screen: as for `render_text`; None for plain text of any width."""
    return "".join(render_blocks(result)) if screen is None else result._rendered(screen)


def render_blocks(result: Result) -> Iterator[str]:
    """Plain text of any width, in texts of some thousand rows each."""
    return result._text_blocks()


@dataclass(frozen=True, repr=False)
class TransposedResult(Result):
    """The cells of a table as texts: a row per column, named in the first one, and a column per value of another."""

    def _rendered(self, screen: int) -> str:
        return render_text(self._table, right=self._numbers, whole=self._measures, screen=screen)

    def _text_blocks(self) -> Iterator[str]:
        return text_blocks(self._table, right=self._numbers)

    @property
    def _measures(self) -> frozenset[str]:
        return frozenset(self.columns[:1])

    @property
    def _numbers(self) -> frozenset[str]:
        return frozenset(self.columns[1:])

    @property
    def least_width(self) -> int:
        """Number of characters of a line on a screen where names are folded as much as may be."""
        return least_text_width(self._table, right=self._numbers, whole=self._measures)


def transpose(result: Result, key: str) -> TransposedResult:
    """The transposed table; the values of the column `key` become column names."""
    import pyarrow as pa

    cells = cells_by_column(result.arrow(), result.percent)
    heads = cells.pop(key)
    columns = [list(cells), *map(list, zip(*cells.values(), strict=True))]
    return TransposedResult(pa.table(list(map(text_array, columns)), names=["measure", *heads]))


def is_too_wide(result: Result, key: str, width: int, *, folded: bool = False) -> bool:
    """Whether a table is too wide for a number of characters, and its transposed table is not.

    folded: whether a screen folds names; then the transposed one is also taken if both are too wide, but it less so.
    """
    table, transposed = result.arrow(), transpose(result, key)
    if text_width(table, result.percent) <= width:
        return False
    if folded:
        return transposed.least_width <= max(width, least_text_width(table, result.percent))
    return text_width(transposed.arrow()) < width


@dataclass(frozen=True)
@convert_errors_of_class
class Explanation:
    """A drawing of a sentence as text, as an SVG document and as elements of a page, the paths that differ, and the
    graph of all paths.

    graph: a row per pair of links with its weights, and whether it was chosen; rows of the query meta_graph.
    """

    drawing: str
    paths: Result
    graph: Result
    picture: str
    page: str

    def __str__(self) -> str:
        return self.drawing

    def svg(self) -> str:
        """The trees with their links, and below them the graph, as an SVG document."""
        return self.picture
