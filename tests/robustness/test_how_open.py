"""What fails because of how a database is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES

GOLD = str(FIXTURES / "gold.conllu")


def test_how_a_database_is_open_is_the_cause(gold_and_parser: Path) -> None:
    """Neither the statement nor the file is blamed."""
    request = "pattern { V [upos=VERB] }"
    with treesql.connect(gold_and_parser, read_only=True) as db:
        for work in (lambda: db.load(GOLD, corpus="new"), lambda: db.drop("gold")):
            with pytest.raises(treesql.DatabaseError, match="the database is open for reading alone; open it"):
                work()
        matches = db.find(request)
        with pytest.raises(treesql.UsageError, match="the limit is a number of rows or drawings, at least 0"):
            matches.draw(-1)
    works: list[Callable[[], object]] = [
        matches.draw, db.info, db.stats, lambda: db.find(request), lambda: db.sql("SELECT 1"), lambda: db.show("mat"),
        lambda: db.load(GOLD, corpus="new"), lambda: db.drop("gold"), lambda: db.diff("gold", "parser-a"),
        lambda: db.score("dependency", gold="gold", systems=["gold"]),
    ]  # fmt: skip
    for work in works:
        with pytest.raises(treesql.DatabaseError, match="the database is closed; open it again"):
            work()
    assert "Database" in db._repr_html_()
