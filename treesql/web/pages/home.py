"""The first page: the corpora, and requests to try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.examples import EXAMPLES
from treesql.web.visits import Visit, command_line

COLUMNS = ("corpus", "kind", "treebank", "language", "sentences", "words", "format", "loaded")


def answer(visit: Visit) -> Answer:
    """List the corpora."""
    visit.address.check(())
    corpora = visit.database.info()
    if not visit.is_page:
        return answers.of_rows(corpora, visit.form)

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        return link("corpora", row["corpus"]) if name == "corpus" else None

    return rendering.page(
        visit, "home.html", "Corpora", table=rendering.table_of(corpora, linked=linked, heads=COLUMNS),
        examples=EXAMPLES, command=command_line("info", visit.shown),
    )  # fmt: skip
