"""Results as text."""

from __future__ import annotations

from collections.abc import Iterator

from treesql.results.concordance import LEFT, Concordance, render_concordance
from treesql.results.result import Result
from treesql.results.tables import render_text, text_blocks


def render(result: Result, *, screen: int | None = None) -> str:
    """A result as lines of text, with a header. screen: as for `render_text`; None for plain text of any width."""
    if screen is None:
        return "".join(render_blocks(result))
    if isinstance(result, Concordance):
        return render_concordance(result, screen)
    return render_text(result.arrow(), result.percent, screen=screen)


def render_blocks(result: Result) -> Iterator[str]:
    """Plain text of any width, in texts of some thousand rows each."""
    right = frozenset({LEFT} if isinstance(result, Concordance) else ())
    return text_blocks(result.arrow(), result.percent, right=right)
