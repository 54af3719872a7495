"""Concordances: a row per match, with the words before, in and after it, aligned as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treesql.results.result import Result
from treesql.results.tables import on_screen, screen_table, text_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.text import Text

LEFT, MATCH, RIGHT = "left", "match", "right"
"""Columns of the words before, in and after the match."""

MIN_WIDTH = 10
"""Minimum number of terminal cells of each of these columns."""

_BETWEEN = 3
"""Cells between columns."""

_CUT = "…"


@dataclass(frozen=True, repr=False)
class Concordance(Result):
    """A table whose last columns are `left`, `match` and `right`.

    marked: the matches with each matched word behind `marks[0]`, the names of its nodes and `marks[1]`, and before
    `marks[2]`.
    """

    marked: pa.ChunkedArray | None = None
    marks: tuple[str, str, str] = ("", "", "")

    @classmethod
    def of_marked(cls, rows: pa.Table, marks: tuple[str, str, str]) -> Concordance:
        """A concordance of rows whose column `match` has the names of nodes and marks around the matched words."""
        import pyarrow.compute as pc

        begin, between, end = marks
        marked = rows[MATCH]
        match = pc.replace_substring_regex(marked, f"{begin}[^{between}]*{between}|{end}", "")
        at = rows.column_names.index(MATCH)
        return cls(rows.set_column(at, MATCH, match), marked=marked, marks=marks)

    def pieces(self) -> list[list[tuple[str, str]]]:
        """The matches in pieces: each a text and the names of the nodes that it matches; none between matched words.

        Where matched words are not marked, as those of constituents, a match is one piece without names.
        """
        if self.marked is None:
            return [[(_cell(value), "")] for value in self.arrow()[MATCH].to_pylist()]
        begin, between, end = self.marks
        matches = []
        for marked in self.marked.to_pylist():
            before, *others = str(marked).split(begin)
            pieces = [(before, "")]
            for other in others:
                names, _, text = other.partition(between)
                word, _, rest = text.partition(end)
                pieces += [(word, names.strip()), (rest, "")]
            matches.append([piece for piece in pieces if piece[0]])
        return matches

    def _rendered(self, screen: int) -> str:
        return render_concordance(self, screen)

    def _text_blocks(self) -> Iterator[str]:
        return text_blocks(self._table, self.percent, right=frozenset({LEFT}))

    def _slice(self, first: int, rows: int) -> Concordance:
        marked = None if self.marked is None else self.marked.slice(first, rows)
        return replace(self, _table=self._table.slice(first, rows), marked=marked)


def render_concordance(concordance: Concordance, screen: int) -> str:
    """A concordance as lines of text, where the contexts before the matches end in one column.

    screen: cells per line of a terminal, for which contexts are cut, long matches folded and matched words bold.
    """
    from rich.cells import cell_len

    cells = {name: [_cell(value) for value in concordance.arrow()[name].to_pylist()] for name in concordance.columns}
    widths = _widths({name: max(map(cell_len, (name, *column))) for name, column in cells.items()}, screen)
    table = screen_table()
    for name, width in widths.items():
        side = "right" if name == LEFT else "left"
        cut = name in (LEFT, RIGHT)
        table.add_column(name, justify=side, width=width, no_wrap=cut, overflow="ellipsis" if cut else "fold")  # type: ignore[arg-type]
    shown = {
        **cells,
        LEFT: [_cut_front(text, widths[LEFT]) for text in cells[LEFT]],
        MATCH: _styled_matches(concordance),
    }
    for row in zip(*shown.values(), strict=True):
        table.add_row(*row)
    return on_screen(table, max(screen, sum(widths.values()) + _BETWEEN * len(widths)))


def _widths(longest: dict[str, int], screen: int) -> dict[str, int]:
    """The widths of columns: the match has at most half of what the others leave, the contexts share the rest."""
    rest = screen - sum(width for name, width in longest.items() if name not in (LEFT, MATCH, RIGHT))
    rest -= _BETWEEN * len(longest)
    match = min(longest[MATCH], max(rest // 2, MIN_WIDTH))
    contexts = max(rest - match, 2 * MIN_WIDTH)
    left = min(longest[LEFT], max(contexts // 2, contexts - longest[RIGHT]))
    return {**longest, LEFT: left, MATCH: match, RIGHT: min(longest[RIGHT], contexts - left)}


def _cell(value: object) -> str:
    return "-" if value is None else str(value)


def _cut_front(text: str, width: int) -> str:
    """The end of a text that is wider than some cells, after an ellipsis."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    start = next(at for at in range(1, len(text) + 1) if cell_len(text[at:]) < width)
    return _CUT + text[start:]


def _styled_matches(concordance: Concordance) -> list[Text]:
    """The matches, their matched words bold."""
    from rich.text import Text

    return [
        Text.assemble(*((text, "bold" if names else "") for text, names in pieces)) for pieces in concordance.pieces()
    ]
