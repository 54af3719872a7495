r"""Tables in LaTeX: a tabular with the rules of the package booktabs.

Texts are escaped for pdfLaTeX with UTF-8. Letters that its fonts lack, such as Greek or Chinese ones, need XeLaTeX or
LuaLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from treesql.results.documents import CONTROLS, NEWLINES, Cell, DocumentTable, in_blocks

_COMMANDS = {
    **{character: f"\\{character}" for character in "_%&#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "†": r"\textdagger{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "\ufffd": "?",
}
_SPECIAL = re.compile(rf"[{re.escape(''.join(_COMMANDS))}]|-(?=-)|'(?=')|`(?=`)|,(?=,)|[?!](?=`)")
"""Characters with a command, and first ones of pairs that fonts join to dashes, quotes and inverted marks."""

_MINUS = re.compile(r"(?<![\w.])-(?=[\d.i])")


def latex(table: DocumentTable) -> Iterator[str]:
    """Yield the blocks of a tabular, numbers right-aligned, and its notes as small text below it."""
    if not table.heads:
        return
    columns = "".join("r" if right else "l" for right in table.numeric)
    notes = [r"\par\smallskip", r"{\footnotesize", *(f"{escape(note)}\\par" for note in table.notes), "}"]
    head = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line([_guarded(escape(head)) for head in table.heads]),
        r"\midrule",
    ]
    rows = (_line([_cell(cell, right) for cell, right in zip(row, table.numeric, strict=True)]) for row in table.rows)
    yield from in_blocks(chain(head, rows, [r"\bottomrule", r"\end{tabular}", *(notes if table.notes else [])]))


def escape(text: str) -> str:
    """Return a text that LaTeX sets as it is, on one line."""
    if text.isalnum():
        return text
    text = NEWLINES.sub(" ", CONTROLS.sub("\ufffd", text)).replace("\t", " ")
    return _SPECIAL.sub(lambda found: _COMMANDS.get(found[0], f"{found[0]}{{}}"), text)


def _line(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: Cell, number: bool) -> str:
    text = _signed(cell.text) if number else _guarded(escape(cell.text))
    bold = rf"\textbf{{{text}}}" if cell.best else text
    return f"{bold}{_signed(cell.more)}"


def _signed(text: str) -> str:
    """Return numbers with minus signs for hyphens, and a dash for none."""
    return "--" if text == "-" else _MINUS.sub("$-$", escape(text))


def _guarded(text: str) -> str:
    r"""Return a cell that does not begin with `[` or `*`, which \\ before it would take for its argument."""
    return f"{{{text[0]}}}{text[1:]}" if text[:1] in ("[", "*") else text
