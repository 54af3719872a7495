"""Results as text."""

from __future__ import annotations

from treesql.results.concordance import Concordance, render_concordance
from treesql.results.result import Result
from treesql.results.tables import render_text


def render(result: Result, *, screen: int | None = None) -> str:
    """A result as lines of text, with a header. screen: as for `render_text`."""
    if isinstance(result, Concordance):
        return render_concordance(result, screen=screen)
    return render_text(result.arrow(), result.percent, screen=screen)
