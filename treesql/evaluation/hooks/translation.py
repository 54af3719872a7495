"""Translations: options of metrics that are out of range, and references that are empty where others are not."""

from __future__ import annotations

from collections.abc import Sequence

from treesql import catalog
from treesql.catalog import Query
from treesql.errors import Diagnostic, UsageError
from treesql.evaluation.hooks import Hook
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import Task

RANGES = {
    "char_order": (0, 8),
    "word_order": (0, 4),
    "beta": (0, 1000),
    "exponent": (1, 100),
    "smooth_value": (0, 1000),
}
"""By option, its least and greatest value; counts of longer n-grams have no column."""


_EMPTY = """
SELECT min(o.sentence), count(*)
FROM (SELECT r.sentence, min(r.n_words) AS fewest, max(r.n_words) AS most
      FROM ({references}) AS r
      GROUP BY r.sentence) AS o
WHERE o.fewest = 0 AND o.most > 0
"""
"""The first sentence that has an empty reference beside another one, and how many have."""


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

    def warn(self, inputs: Inputs, queries: Sequence[Query]) -> None:
        """Warn of references that are empty where others of the sentence are not, unless these are missing."""
        references = inputs.of_role("reference")
        counts = inputs.task.parameters.get("empty_references", "count") == "count"
        if len(references) < 2 or not counts:
            return
        query = catalog.query("reference_sentences")
        corpora = inputs.values(inputs.systems[0], [query])
        values = query.values({**corpora, "numbered_as": inputs.corpus_values(inputs.systems[0])["hypothesis_corpus"]})
        [(first, n)] = inputs.engine.rows(_EMPTY.format(references=query.statement.sql), values)
        if n:
            noun = "sentence has" if n == 1 else "sentences have"
            what = f"{n} {noun} an empty reference beside others, the first is {first + 1}; it counts as a reference"
            hint = "--empty-references missing leaves it out"
            inputs.task.warn(Diagnostic.warning(", ".join(references), 0, what, hint))


HOOK = TranslationHook()
