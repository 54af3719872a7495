"""Tables in Markdown, as GitHub reads it.

Source: GitHub Flavored Markdown Spec 0.29, Tables (extension).
"""

from __future__ import annotations

import re

from treesql.results.documents import CONTROLS, NEWLINES, Cell, DocumentTable

_SPECIAL = re.compile(r"[\\`*<|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[])|&(?=#?\w+;)")
"""Characters that would not be text; `_` within a word is."""


def markdown(table: DocumentTable) -> str:
    """Return a table with pipes, numbers right-aligned, and its notes as paragraphs below it."""
    if not table.heads:
        return ""
    from rich.cells import cell_len

    lines = [[escape(head) for head in table.heads], *([_cell(cell) for cell in row] for row in table.rows)]
    widths = [max(3, *map(cell_len, column)) for column in zip(*lines, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if right else '-'}" for width, right in zip(widths, table.numeric, strict=True)]

    def padded(line: list[str]) -> str:
        cells = []
        for text, width, right in zip(line, widths, table.numeric, strict=True):
            blanks = " " * (width - cell_len(text))
            cells.append(blanks + text if right else text + blanks)
        return f"| {' | '.join(cells)} |"

    notes = "".join(f"\n{escape(note)}\n" for note in table.notes)
    return "\n".join([padded(lines[0]), f"| {' | '.join(rule)} |", *map(padded, lines[1:])]) + "\n" + notes


def escape(text: str) -> str:
    """Return a text that stands in a cell as it is; a newline is `<br>`."""
    return NEWLINES.sub("<br>", _SPECIAL.sub(r"\\\g<0>", CONTROLS.sub("\ufffd", text)))


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return f"{f'**{text}**' if cell.best else text}{cell.more}"
