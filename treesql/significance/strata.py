"""Sentences that are exchanged and drawn together."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import duckdb
import numpy as np

from treesql.catalog import Query, documents, schemas
from treesql.catalog.schemas import quote
from treesql.errors import UnknownName, UsageError
from treesql.kernels.arrays import Ints
from treesql.scoring import scores as scoring_scores
from treesql.scoring.scores import SentenceSums

Values = Mapping[str, object]

STANDARDS = ("gold", "reference")
"""How parameters begin that name what systems are compared with."""


def find_gold_corpus(query: Query, systems: Mapping[str, Values]) -> str:
    """The corpus that all systems are compared on, whose sentences are exchanged. Raises UsageError if none is."""
    names = [p.name for p in query.parameters if p.name.endswith("_corpus")]
    given = {name: {str(values.get(name)) for values in systems.values()} for name in names}
    several = [name for name in names if len(given[name]) > 1 and name.startswith(STANDARDS)]
    shared = [name for name in names if len(given[name]) == 1]
    if several or not (shared or len(names) == 1):
        raise UsageError(f"{query.name}: systems are compared on one and the same {(several or names)[0]}")
    first = (shared or names)[0]
    return str(next(iter(systems.values()))[first])


def add_later_sentences(numbers: Ints, summed: Mapping[str, SentenceSums]) -> tuple[Ints, dict[str, SentenceSums]]:
    """Strata and counts for the sentences of gold, and for those behind that some system has, which stand alone."""
    found = align_sentences(summed.values())
    n_sentences = len(next(iter(found)).sentences)
    later = int(numbers.max(initial=-1)) + 1 + np.arange(n_sentences - len(numbers))
    return np.concatenate([numbers, later]), dict(zip(summed, found, strict=True))


def align_sentences(summed: Iterable[SentenceSums]) -> list[SentenceSums]:
    """The counts of several systems, of all sentences that any of them has."""
    summed = list(summed)
    sentences = functools.reduce(np.union1d, (one.sentences for one in summed))
    return [one.of(sentences) for one in summed]


def number_strata(connection: duckdb.DuckDBPyConnection, gold: str, column: str | None) -> Ints:
    """The number of every sentence's stratum: its own without a column; a sentence without a value stands alone.

    Raises UnknownName, and UsageError where no sentence has a value.
    """
    if column is None:
        return np.arange(len(scoring_scores.sentence_numbers(connection, gold)))
    known = schemas.table("sentences").names
    if column not in known:
        raise UnknownName("column of sentences", column, known)
    [(given,)] = connection.execute(
        f"SELECT count(l.{quote(column)}) FROM sentences AS l WHERE l.corpus = ?", [gold]
    ).fetchall()
    if not given:
        raise UsageError(f"--stratum {column}: no sentence of {gold} has a value there, so that nothing is grouped")
    values = (
        documents.reaching(column, "$corpus")
        if column in documents.MARKS
        else (
            f"SELECT l.sentence, coalesce(CAST(l.{quote(column)} AS VARCHAR), '<' || l.sentence || '>') AS number\n"
            "FROM sentences AS l\nWHERE l.corpus = $corpus"
        )
    )
    sql = (
        "SELECT CAST(dense_rank() OVER (ORDER BY s.number) - 1 AS BIGINT) AS number\n"
        f"FROM (\n{values}\n) AS s\nORDER BY s.sentence"
    )
    numbers: Ints = connection.sql(sql, params={"corpus": gold}).to_arrow_table()["number"].to_numpy()
    return numbers
