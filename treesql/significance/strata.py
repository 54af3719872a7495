"""Strata: sentences that are exchanged and resampled together."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import numpy as np

from treesql.catalog import Query, documents
from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.kernels.arrays import Ints
from treesql.scoring import scores as scoring_scores
from treesql.scoring.items import column_of, find_of_sentences, joins_of
from treesql.scoring.scores import SentenceSums

Values = Mapping[str, object]
"""Values of a query's parameters, by name."""

STANDARDS = ("gold", "reference")
"""Prefixes of the parameters that name the corpora with which systems are compared."""


def find_gold_corpus(query: Query, systems: Mapping[str, Values]) -> str:
    """Return the corpus on which all systems are compared. Raises UsageError if there is none."""
    names = [p.name for p in query.parameters if p.name.endswith("_corpus")]
    corpora = {name: {str(values.get(name)) for values in systems.values()} for name in names}
    several = [name for name in names if len(corpora[name]) > 1 and name.startswith(STANDARDS)]
    shared = [name for name in names if len(corpora[name]) == 1]
    if several or not (shared or len(names) == 1):
        raise UsageError(f"{query.name}: systems are compared on one and the same {(several or names)[0]}")
    first = ([name for name in shared if name.startswith(STANDARDS)] or shared or names)[0]
    return str(next(iter(systems.values()))[first])


def add_later_sentences(numbers: Ints, summed: Mapping[str, SentenceSums]) -> tuple[Ints, dict[str, SentenceSums]]:
    """Add the sentences that only systems have to strata and counts, each as a stratum of its own."""
    aligned = align_sentences(summed.values())
    n_sentences = len(next(iter(aligned)).sentences)
    later = int(numbers.max(initial=-1)) + 1 + np.arange(n_sentences - len(numbers))
    return np.concatenate([numbers, later]), dict(zip(summed, aligned, strict=True))


def align_sentences(summed: Iterable[SentenceSums]) -> list[SentenceSums]:
    """Return the counts of several systems for all sentences that any of them has."""
    summed = list(summed)
    sentences = functools.reduce(np.union1d, (sums.sentences for sums in summed))
    return [sums.extend_to(sentences) for sums in summed]


def number_strata(engine: Engine, gold: str, column: str | None) -> Ints:
    """Return the number of every sentence's stratum; without a column, every sentence is a stratum.

    column: of sentences, one of their comments, or bins, as groups name them. A sentence without a value is a stratum.
    Raises UnknownName, UsageError, also if none has a value.
    """
    if column is None:
        return np.arange(len(scoring_scores.sentence_numbers(engine, gold)))
    stratum = find_of_sentences(engine, column, gold)
    sentences = f"FROM sentences AS i\n{joins_of([stratum])}\nWHERE i.corpus = $corpus"
    [(n_values,)] = engine.rows(f"SELECT count({stratum.key}) {sentences}", {"corpus": gold})
    if not n_values:
        raise UsageError(f"--stratum {column}: no sentence of {gold} has a value there, so that there are no groups")
    mark = column_of(column)
    values = f"SELECT i.sentence, CAST({stratum.key} AS VARCHAR) AS number\n{sentences}"
    if mark in documents.MARKS:  # two of one name are two documents
        values = documents.reaching(mark, "$corpus")
    sql = (
        "SELECT CAST(dense_rank() OVER (ORDER BY s.number NULLS LAST,\n"
        "  CASE WHEN s.number IS NULL THEN s.sentence END) - 1 AS BIGINT) AS number\n"
        f"FROM (\n{values}\n) AS s\nORDER BY s.sentence"
    )
    numbers: Ints = engine.table(sql, {"corpus": gold})["number"].to_numpy()
    return numbers
