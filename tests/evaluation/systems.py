"""Parsers scored."""

from __future__ import annotations

from typing import Any

import treesql
from tests.conftest import FIXTURES

GOLD, A, B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


def score(*systems: str, gold: str = GOLD, **options: Any) -> treesql.Result:
    return treesql.score("dependency", gold=gold, systems=systems, **options)


def rows(*systems: str, **options: Any) -> list[dict[str, Any]]:
    return score(*systems, **options).rows()


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """But for the last digits of sums in another order."""
    return rounded(found) == rounded(expected)


def rounded(found: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    """Rows as pairs, so that the order of their columns counts."""
    return [[(name, round(v, 9) if isinstance(v, float) else v) for name, v in row.items()] for row in found]
