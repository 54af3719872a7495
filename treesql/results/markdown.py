"""Tables in Markdown, as GitHub reads it.

Source: GitHub Flavored Markdown Spec 0.29, Tables (extension).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from treesql.results.documents import CONTROLS, NEWLINES, Cell, DocumentTable, cell_width, in_blocks

_SPECIAL = re.compile(r"[\\`*<|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[])|&(?=#?\w+;)")
"""Characters that would not be text; `_` within a word is."""


def markdown(table: DocumentTable) -> Iterator[str]:
    """Yield the blocks of a table with pipes, numbers right-aligned, and its notes as paragraphs below it."""
    if not table.heads:
        return
    heads = [escape(head) for head in table.heads]
    widths = [max(3, cell_width(head)) for head in heads]
    for row in table.rows:
        widths = [max(width, cell_width(_cell(cell))) for width, cell in zip(widths, row, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if right else '-'}" for width, right in zip(widths, table.numeric, strict=True)]

    def padded(line: Iterable[str]) -> str:
        cells = []
        for text, width, right in zip(line, widths, table.numeric, strict=True):
            blanks = " " * (width - cell_width(text))
            cells.append(blanks + text if right else text + blanks)
        return f"| {' | '.join(cells)} |"

    rows = (padded(map(_cell, row)) for row in table.rows)
    yield from in_blocks(chain([padded(heads), f"| {' | '.join(rule)} |"], rows))
    yield "".join(f"\n{escape(note)}\n" for note in table.notes)


def escape(text: str) -> str:
    """Return a text that stands in a cell as it is; a newline is `<br>`."""
    if text.isalnum():
        return text
    return NEWLINES.sub("<br>", _SPECIAL.sub(r"\\\g<0>", CONTROLS.sub("\ufffd", text)))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return f"{f'**{text}**' if cell.best else text}{cell.more}"
