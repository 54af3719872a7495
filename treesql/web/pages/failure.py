"""Errors: as JSON, and where a page was asked for as a page."""

from __future__ import annotations

from treesql.web import answers, rendering
from treesql.web.answers import Answer
from treesql.web.visits import Visit


def answer(visit: Visit, what: str, hint: str, status: int) -> Answer:
    """The answer of a request that failed."""
    if not visit.is_page:
        return answers.of_error(what, hint, status)
    return rendering.page(visit, "failure.html", "This did not work", status=status, what=what, hint=hint)
