"""Two lattices with scores, an arbiter that prunes by them, and the command line."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from tests.lattice_tasks import lattice_task
from treesql.cli import group
from treesql.evaluation.task import Task
from treesql.lattices.arbiter import Arbiter, Feature

LATTICES = [
    (4, [
        [0, 1, ["the"], -1.0], [0, 1, ["a"], -3.0], [1, 2, ["cat"], -0.5], [1, 2, ["the", "hat"], -2.5],
        [2, 3, ["sat"], -1.0], [1, 3, ["cat", "sat"], -4.0], [2, 3, [], -2.0], [0, 1, ["the"], -6.0],
    ]),
    (3, [[0, 1, ["a"], -1.0], [1, 2, ["dog"], -2.0], [1, 2, ["fog"], -1.5], [0, 1, ["an"], -2.0]]),
]  # fmt: skip
REFERENCES = ["the cat sat", "a dog"]


def task(references: bool = True, **how: Any) -> Task:
    return lattice_task(["lattices.jsonl"], ["references.txt"] if references else [], **how)


def by_score(scores: int = 1) -> Arbiter:
    """Prunes what has a small score."""
    return Arbiter((Feature("score_1", -2.0, 2.0, -3.0),), 0.5, scores, 1, 1)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments), catch_exceptions=False)
