"""Pages from templates, in which all text is escaped, and tables for them; errors as JSON, or as a page where one was
asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treesql import Result
from treesql.results import pages
from treesql.results.documents import Cell, DocumentTable
from treesql.results.tables import with_shown_texts
from treesql.web import answers
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.faults import Failed
from treesql.web.visits import Visit

DATA = ("json", "csv", "tsv", "parquet")
"""Formats of tables that a page offers."""

NOT_FOUND, FAILED = "Not found", "This did not work"
"""Titles of the pages of errors."""

MAX_CELL = 400
"""Maximum number of characters of a cell of a page; data have all."""


MIN_LARGE = 10_000
"""Minimum of the largest number of a column in which all have one decimal."""

_COUNT = re.compile(r"^n_(?=[a-z]+s$)")
"""Matches what stands before what is counted in the name of a column, as in `n_nodes`."""

Linked = Callable[[Mapping[str, Any], str], str | None]
"""Where the cell of a row and a column leads."""


def table_of(
    rows: Result, caption: str = "", *, linked: Linked | None = None, heads: Sequence[str] = (),
    only_filled: bool = False, is_plain: bool = False,
) -> DocumentTable:  # fmt: skip
    """A table of rows. linked: where cells lead; heads: the columns to show, by default all; only_filled: of these the
    ones with a value in a row; is_plain: whether heads are words, without underscores."""
    shown_rows = with_shown_texts(rows.arrow()).to_pylist()
    ends = {f"{name}{end}" for name in rows.columns for end in ("_low", "_high")}
    shown = [name for name in (heads or rows.columns) if name not in ends]
    if only_filled and shown_rows:
        shown = [name for name in shown if any(row[name] is not None for row in shown_rows)]
    numeric = [
        all(_is_number(row[name]) for row in shown_rows) and any(row[name] is not None for row in shown_rows)
        for name in shown
    ]
    of_one_decimal = {name for name in shown if _need_one_decimal([row[name] for row in shown_rows])}
    shown_rows = [
        {
            name: f"{value:,.1f}" if name in of_one_decimal and value is not None else value
            for name, value in row.items()
        }
        for row in shown_rows
    ]
    cells = [
        [Cell(_text_of(row, name, name in rows.percent), href=linked(row, name) if linked else None) for name in shown]
        for row in shown_rows
    ]
    titles = [_COUNT.sub("", name).replace("_", " ") for name in shown] if is_plain else shown
    return DocumentTable(titles, numeric, cells, caption=caption)


def _need_one_decimal(values: Sequence[object]) -> bool:
    """Whether numbers are large and not whole, such as rates per million, so that six digits of each are uneven."""
    numbers = [abs(value) for value in values if isinstance(value, float) and value]
    return bool(numbers) and max(numbers) >= MIN_LARGE and min(numbers) >= 1


def _text_of(row: Mapping[str, Any], name: str, percent: bool) -> str:
    """The text of a cell, with its interval if there is one."""
    text = cell_text(row[name], percent)
    if row.get(f"{name}_low") is None:
        return text
    low, high = (cell_text(row[f"{name}{end}"], percent) for end in ("_low", "_high"))
    return f"{text} ({low} to {high})"


def cell_text(value: object, percent: bool = False) -> str:
    """A value as the text of a cell."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(cell_text, value))
    if isinstance(value, float):
        return f"{100 * value:.2f}%" if percent else f"{value:,.6g}"
    text = str(value)
    return text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…"


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def page(visit: Visit, template: str, title: str, **shown: Any) -> Answer:
    """A page made from a template of the site. shown: what the template names."""
    text = pages.render(f"site/{template}", visit=visit, title=title, link=link, DATA=DATA, **shown)
    return answers.of_text(text)


def answer(visit: Visit, what: str, hint: str, status: int) -> Answer:
    """The answer of a request that failed."""
    if not visit.is_page:
        return answers.of_error(what, hint, status)
    failure = visit.failure or Failed(what, hint)
    title = NOT_FOUND if status == answers.NOT_FOUND else FAILED
    return replace(page(replace(visit, failure=failure), "failure.html", title), status=status)
