"""HTML: pages of reports and of the site, tables of documents, and parts of notebooks, from the templates beside this
module, in which all text is escaped.

The first of them imports jinja2 (50 ms); scores on a screen need none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treesql._version import __version__
from treesql.results.tables import runs_right_to_left

if TYPE_CHECKING:
    from jinja2 import Environment

PALETTE = (
    ("#0b62a8", "#6cb2f5"), ("#a85200", "#f0a04b"), ("#59636e", "#aab4bf"), ("#1a6b3c", "#7fd19b"),
    ("#6b3fa0", "#c4a7f7"), ("#b3261e", "#ff8a80"), ("#8a5a00", "#f3c969"), ("#0f6f78", "#6fd0d8"),
)  # fmt: skip
"""Colours by system, on light pages and on dark ones, which the style sheet has as --s1, --s2, ..."""

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that HTML and XML forbid, LaTeX refuses, and that control terminals."""

UNBROKEN = 24
"""Maximum number of characters of code in a text that no line breaks: of an arrow, an option, a short command."""

NEWLINES = re.compile("\r\n|[\n\r\u2028\u2029]")


@dataclass(frozen=True)
class Figure:
    """A drawing under its caption: an SVG element, or aligned words, or why there is none.

    text: the sentence; href: where the caption leads; around: the sentences before and after it. edits: steps of an
    alignment of words, each an operation, a word of the reference and one of the hypothesis; rows: their names.
    scrolls: whether the element may be wider than the page, and scrolls in a box of its own.
    """

    caption: str = ""
    svg: str = ""
    text: str = ""
    edits: Sequence[tuple[str, str, str]] = ()
    rows: tuple[str, str] = ("reference", "system")
    scrolls: bool = True
    why: str = ""
    href: str | None = None
    around: Sequence[str] = ()


def render(template: str, **shown: Any) -> str:
    """The text that a template makes of what it names."""
    return CONTROLS.sub("\ufffd", _environment().get_template(template).render(**shown))


def render_text(text: str, **shown: Any) -> str:
    """The text that a template makes which is no file of this package, but may extend one."""
    return CONTROLS.sub("\ufffd", _environment().from_string(text).render(**shown))


def stream(template: str, size: int, **shown: Any) -> Iterator[str]:
    """The same in parts. size: number of values of a part, about."""
    parts = _environment().get_template(template).stream(**shown)
    parts.enable_buffering(size)
    return (CONTROLS.sub("\ufffd", part) for part in parts)


def notebook(*figures: Figure, table: object = None) -> str:
    """Drawings, and a table below them, for a notebook: without ids, scripts and style sheets.

    table: a treesql.results.documents.DocumentTable.
    """
    return render("notebook.html", figures=figures, table=table)


def counted(number: int, noun: str) -> str:
    """A number of things: `1 word`, `2,000 words`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _direction(steps: Sequence[tuple[str, str, str]]) -> str:
    """The direction of aligned words, as HTML names it."""
    return "rtl" if runs_right_to_left(word for _, *words in steps for word in words) else "ltr"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def split_lines(text: str) -> str:
        return Markup("<br>").join(NEWLINES.split(text)) if NEWLINES.search(text) else text

    def breakable(name: str) -> str:
        """A name that lines may break before a dot, a slash or an underscore that a letter follows, a signature after
        its bars."""
        parts = re.split(r"(?<=\|)" if "|" in name else r"(?=[./_][^\W\d])", name)
        return Markup("<wbr>").join(parts) if len(parts) > 1 else name

    def coded(text: str) -> str:
        """A text whose parts in backquotes are code, on one line if short; those without letters keep quotes, as commas
        are hard to see."""
        parts = text.split("`")
        if len(parts) % 2 == 0:
            return text
        return Markup("").join(
            Markup("<code{}>{}</code>").format(
                Markup(' style="white-space: nowrap"') if len(part) <= UNBROKEN else "",
                part if re.search(r"\w", part) else f"'{part}'",
            )
            if at % 2
            else part
            for at, part in enumerate(parts)
        )

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        auto_reload=False,
    )  # fmt: skip
    environment.globals.update(palette=PALETTE, version=__version__, zip=zip)
    environment.filters.update(
        count=lambda number: f"{number:,}",
        counted=counted,
        lines=split_lines,
        direction=_direction,
        breakable=breakable,
        coded=coded,
        by_options=lambda command: re.split(r"(?<= )(--?[a-z][\w-]*|-\[[^]\s]*\]->)", command),
    )
    return environment
