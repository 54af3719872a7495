"""Tables in HTML: an element for any page, without ids, scripts and style sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape as escape_text
from itertools import chain

from treesql.results.documents import CONTROLS, NEWLINES, Cell, DocumentTable, in_blocks

_RIGHT = ' style="text-align: right"'


def html(table: DocumentTable) -> Iterator[str]:
    """Yield the blocks of a `table` element, numbers right-aligned; its notes are the caption, below it."""
    notes = "<br>\n".join(map(escape, table.notes))
    parts = [f'<caption style="caption-side: bottom; text-align: left">{notes}</caption>'] if notes else []
    heads = [
        f'<th scope="col"{_style(right)}>{escape(head)}</th>'
        for head, right in zip(table.heads, table.numeric, strict=True)
    ]
    rows: Iterable[str] = ()
    if heads:
        parts += [f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
        rows = chain((_row(row, table.numeric) for row in table.rows), ["</tbody>"])
    yield from in_blocks(chain(["<table>", *parts], rows, ["</table>"]))


def escape(text: str) -> str:
    """Return a text for an element; a newline is `<br>`."""
    if text.isalnum():
        return text
    return NEWLINES.sub("<br>", escape_text(CONTROLS.sub("\ufffd", text)))


def _row(row: Sequence[Cell], numeric: Sequence[bool]) -> str:
    """Return a row; a first cell that is no number is its head."""
    cells = []
    for at, (cell, right) in enumerate(zip(row, numeric, strict=True)):
        text = escape(cell.text)
        content = (f"<strong>{text}</strong>" if cell.best else text) + escape(cell.more)
        is_head = at == 0 and not right
        cells.append(f'<th scope="row">{content}</th>' if is_head else f"<td{_style(right)}>{content}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _style(right: bool) -> str:
    return _RIGHT if right else ""
