"""Parsers scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.conftest import FIXTURES
from treesql.errors import Diagnostic
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.task import DEPENDENCY, Task

GOLD, A, B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


class Told(list[Diagnostic]):
    """Warnings."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def rows(*systems: str, gold: str = GOLD, metrics: Sequence[str] = DEPENDENCY, **options: Any) -> list[dict[str, Any]]:
    return evaluate(Task(metrics, gold, systems, **options)).rows()


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """But for the last digits of sums in another order."""
    return rounded(found) == rounded(expected)


def rounded(found: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    """Rows as pairs, so that the order of their columns counts."""
    return [[(name, round(v, 9) if isinstance(v, float) else v) for name, v in row.items()] for row in found]
