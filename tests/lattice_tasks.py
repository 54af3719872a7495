"""Tasks of lattices and translations, for tests of the rooms that take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treesql.catalog import kinds
from treesql.errors import Warn
from treesql.evaluation.files import make_task
from treesql.evaluation.task import Task
from treesql.lattices import pruning
from treesql.lattices.pruning import Decide


def lattice_task(
    systems: Sequence[str], references: Sequence[str] = (), *, kind: str = "lattice", warn: Warn = lambda warning: None,
    database: str | None = None, metric: Sequence[str] = (), scores: str | None = None, **how: Any,
) -> Task:  # fmt: skip
    """The task; how: parameters and options of reading."""
    made = make_task(kinds.kind(kind), list(systems), {"reference": list(references), **how}, database, metric=metric)
    made = replace(made, reading=replace(made.reading, scores=scores)) if scores else made
    return replace(made, warn=warn)


def by_distance(threshold: float = 0.0, **how: Any) -> Decide:
    """The rule of one threshold; how: as for `by_distances`."""
    decide_each = pruning.by_distances([threshold], **how)
    return lambda pruning_input: next(iter(decide_each(pruning_input)))
