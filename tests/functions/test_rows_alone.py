"""A row of a call has the value that it has alone, or the call says which argument must be the same in all rows."""

from __future__ import annotations

from random import Random
from typing import Any

import treesql
from tests.functions.calls import call_of, valid
from tests.house.rules import in_turn
from treesql.errors import TreesqlError
from treesql.functions import FUNCTIONS, Function


def values(db: treesql.Database, function: Function, rows: list[list[Any]]) -> list[object] | str:
    """The values of rows in one call, or its error."""
    try:
        return db.sql(call_of(function, rows)).arrow()["found"].to_pylist()
    except TreesqlError as error:
        return str(error)


@in_turn("function", FUNCTIONS)
def test_rows_of_one_call(examples: treesql.Database, function: Function) -> None:
    chance = Random(function.name)
    for _ in range(2):
        rows = [valid(function, chance, 3) for _ in range(2)]
        together = values(examples, function, rows)
        alone = [values(examples, function, [row]) for row in rows]
        if isinstance(together, str) and not any(isinstance(one, str) for one in alone):
            assert "must be the same" in together
        elif isinstance(together, list):
            assert [[value] for value in together] == alone
