"""Scores, and counts of sentences for them."""

from __future__ import annotations

from treesql.catalog.header import Score
from treesql.significance.tests import Counts

ACCURACY = Score("accuracy", "percent", "sum(hits) / nullif(sum(words), 0)", "")
F1 = Score("f1", "percent", "2 * sum(hits) / nullif(sum(found) + sum(words), 0)", "")
PRECISION = Score("precision", "percent", "sum(hits) / nullif(sum(found), 0)", "")


def counts(hits: object, words: object, found: object = None) -> Counts:
    return Counts.of({"hits": hits, "words": words, **({} if found is None else {"found": found})})
