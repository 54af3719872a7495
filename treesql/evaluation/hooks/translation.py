"""Translations: options of metrics that are out of range."""

from __future__ import annotations

from treesql.errors import UsageError
from treesql.evaluation.hooks import Hook
from treesql.evaluation.task import Task

RANGES = {
    "char_order": (0, 8),
    "word_order": (0, 4),
    "beta": (0, 1000),
    "exponent": (1, 100),
    "smooth_value": (0, 1000),
}
"""By option, its least and greatest value; counts of longer n-grams have no column."""


class TranslationHook(Hook):
    """Nothing is read or installed."""

    def check(self, task: Task) -> None:
        """Raise UsageError for numbers out of range."""
        for name, (low, high) in RANGES.items():
            try:
                value = float(str(task.parameters.get(name, low)))
            except ValueError:
                continue  # the query says that it is no number
            if not low <= value <= high:
                raise UsageError(f"{name} is {value:g}; it is a number from {low} to {high}")


HOOK = TranslationHook()
