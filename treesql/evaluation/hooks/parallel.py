"""Parallel treebanks: links are checked against the trees of both sides, and weights are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql.catalog import Query
from treesql.errors import UsageError
from treesql.evaluation.hooks.alignment import check_links
from treesql.evaluation.task import Hook, Inputs, Task
from treesql.scoring import relation_tables

WEIGHTS = ("weight_a", "weight_b", "weight_links")


class ParallelHook(Hook):
    """The weights of the parallel treebank score, and the links."""

    def check(self, task: Task) -> None:
        """Raises UsageError if all weights are 0, or too small or large to be summed."""
        weights = [float(str(task.parameters.get(name, 1))) for name in WEIGHTS]
        if not any(weights):
            raise UsageError("all weights are 0; give at least one that is more")
        greatest = max(weights)
        if not relation_tables.MIN_LARGEST_WEIGHT <= greatest <= relation_tables.MAX_LARGEST_WEIGHT:
            hint = "multiply all weights by one number, so that they have the size of 1"
            raise UsageError(f"the largest weight is {greatest:g}; {hint}")

    def precomputed(self, queries: Sequence[Query]) -> None:
        """None: the notation of links is guessed from all of them."""
        return None

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: None) -> Mapping[str, str]:
        """Check the links."""
        [source], [target] = inputs.of_role("gold_a"), inputs.of_role("gold_b")
        check_links(inputs, "gold_links", "system_links", source, target)
        return {}


HOOK = ParallelHook()
