"""What a page says, read back from its HTML."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

import html5lib


@dataclass
class ReadTable:
    """A table of a page: the caption, the heads of its columns, and the texts of its rows."""

    caption: str
    heads: list[str]
    rows: list[list[str]]


@dataclass
class ReadPage:
    """A page: its tables, its headings with their level, ids, addresses, and the faults that a strict parser finds."""

    tables: list[ReadTable]
    headings: list[tuple[int, str]]
    ids: list[str]
    references: list[str]
    scripts: list[str]
    faults: list[Any] = field(default_factory=list)

    def table(self, caption: str) -> ReadTable:
        """The table of a caption."""
        [found] = [one for one in self.tables if one.caption == caption]
        return found

    @property
    def scores(self) -> ReadTable:
        """The table of all scores: a row per score, or per system."""
        return next(one for one in self.tables if one.heads[:1] in (["measure"], ["system"], ["treebank"]))

    @property
    def differences(self) -> list[ReadTable]:
        """The tables below that of all scores, up to the first of buckets: those of a comparison."""
        at = self.tables.index(self.scores) + 1
        return list(itertools.takewhile(lambda one: not one.caption, self.tables[at:]))


def read_page(text: str) -> ReadPage:
    """Parse a page as a browser does."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(text)
    elements = [one for one in root.iter() if isinstance(one.tag, str)]
    return ReadPage(
        [_read_table(one) for one in elements if one.tag == "table"],
        [(int(one.tag[1]), _text(one)) for one in elements if re.fullmatch("h[1-6]", one.tag)],
        [one.attrib["id"] for one in elements if "id" in one.attrib],
        [one.attrib[name] for one in elements for name in ("href", "src", "action", "data") if name in one.attrib],
        [_text(one) for one in elements if one.tag == "script"],
        parser.errors,
    )


def _read_table(table: Any) -> ReadTable:
    captions = [_text(one) for one in table.iter("caption")]
    heads = [_text(cell) for head in table.iter("thead") for cell in head.iter() if cell.tag in ("th", "td")]
    rows = [
        [_text(cell) for cell in row if cell.tag in ("th", "td")]
        for body in table.iter("tbody")
        for row in body.iter("tr")
    ]
    return ReadTable(captions[0] if captions else "", heads, rows)


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())
