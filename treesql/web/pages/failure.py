"""Errors: as JSON, and where a page was asked for as a page."""

from __future__ import annotations

from treesql.errors import TreesqlError
from treesql.web import answers, rendering
from treesql.web.answers import Answer
from treesql.web.visits import Visit


def answer(visit: Visit, error: TreesqlError, brief: str = "") -> Answer:
    """The answer of a request that failed. brief: the message, where it is shorter than that of the error."""
    status = answers.status_of(error)
    what, hint = answers.said_of(error) if not brief else (brief, "")
    if not visit.is_page:
        return answers.of_error(what, hint, status)
    return rendering.page(visit, "failure.html", "This did not work", status=status, what=what, hint=hint)
