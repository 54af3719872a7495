"""Pages from templates, in which all text is escaped, and tables for them; errors as JSON, or as a page where one was
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from treesql import Result
from treesql._version import __version__
from treesql.results.tables import with_shown_texts
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.visits import Visit

DATA = ("json", "csv", "tsv", "parquet")
"""Formats of tables that a page offers."""

MAX_CELL = 400
"""Maximum number of characters of a cell of a page; data have all."""


@dataclass(frozen=True)
class WebCell:
    """A cell of a table. href: where its text leads; number: whether it is right-aligned; mark: a class of styles."""

    text: str
    href: str | None = None
    number: bool = False
    mark: str = ""


@dataclass(frozen=True)
class WebTable:
    """A table of a page. caption: what it shows; sortable: whether clicks on its heads sort it; style: a class."""

    heads: Sequence[str]
    rows: Sequence[Sequence[WebCell]]
    caption: str = ""
    numbers: frozenset[str] = frozenset()
    sortable: bool = True
    style: str = ""


Linked = Callable[[Mapping[str, Any], str], str | None]
"""Where the cell of a row and a column leads."""


def table_of(rows: Result, caption: str = "", *, linked: Linked | None = None, heads: Sequence[str] = ()) -> WebTable:
    """A table of rows. linked: where cells lead; heads: the columns to show, by default all."""
    found = with_shown_texts(rows.arrow()).to_pylist()
    ends = {f"{name}{end}" for name in rows.columns for end in ("_low", "_high")}
    shown = [name for name in (heads or rows.columns) if name not in ends]
    numbers = frozenset(
        name
        for name in shown
        if all(_is_number(row[name]) for row in found) and any(row[name] is not None for row in found)
    )
    cells = [
        [
            WebCell(_text_of(row, name, name in rows.percent), linked(row, name) if linked else None, name in numbers)
            for name in shown
        ]
        for row in found
    ]
    return WebTable(shown, cells, caption, numbers)


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


def page(visit: Visit, template: str, title: str, *, status: int = answers.OK, **shown: Any) -> Answer:
    """A page made from a template. shown: what the template names."""
    made = _environment().get_template(template).render(visit=visit, title=title, **shown)
    return answers.of_text(made, status=status)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(link=link, version=__version__, DATA=DATA)
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment


def escaped(text: str) -> Markup:
    """A text as HTML."""
    return escape(text)


def drawing(svg: str) -> Markup:
    """A drawing of treesql, whose texts are escaped where it is made."""
    return Markup(svg)


def answer(visit: Visit, what: str, hint: str, status: int) -> Answer:
    """The answer of a request that failed."""
    if not visit.is_page:
        return answers.of_error(what, hint, status)
    return rendering.page(visit, "failure.html", "This did not work", status=status, what=what, hint=hint)
