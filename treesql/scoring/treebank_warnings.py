"""Warnings about the treebanks of statistics: few words, relations without a class or a weight."""

from __future__ import annotations

from collections.abc import Iterator

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.scoring.statistics import run_query

CHUNK_WORDS = 1000
"""Number of words of a chunk of the standardised type/token ratio, as in the query."""


def find_warnings(engine: Engine) -> Iterator[Diagnostic]:
    """Warn of treebanks smaller than a chunk, of words without a head, and of relations without a class."""
    sizes = engine.rows(
        "SELECT coalesce(c.treebank, c.corpus), CAST(sum(c.n_words) AS BIGINT) FROM corpora AS c\n"
        "GROUP BY coalesce(c.treebank, c.corpus) ORDER BY coalesce(c.treebank, c.corpus)"
    )
    for treebank, words in sizes:
        if words < CHUNK_WORDS:
            what = f"{words} word{'s' if words > 1 else ''}, fewer than the {CHUNK_WORDS} of a chunk"
            yield Diagnostic.warning(treebank, 0, what, "its standardised type/token ratio is NULL")
    yield from _find_unparsed_words(engine)
    yield from find_unclassified_relations(engine)


def _find_unparsed_words(engine: Engine) -> Iterator[Diagnostic]:
    """Warn once per dependency treebank of its words without a head."""
    rows = engine.rows(
        "SELECT coalesce(c.treebank, c.corpus) AS treebank, count(*), count(*) - count(w.head)\n"
        "FROM words AS w JOIN corpora AS c ON c.corpus = w.corpus\nWHERE c.kind = 'dependency'\n"
        "GROUP BY coalesce(c.treebank, c.corpus) ORDER BY treebank"
    )
    for treebank, words, unparsed in rows:
        if unparsed:
            what = f"{unparsed} of {words} words {'has' if unparsed == 1 else 'have'} no head"
            yield Diagnostic.warning(treebank, 0, what, "shares of relations are those in the other words")


def find_unclassified_relations(engine: Engine, corpus_name: str = "") -> Iterator[Diagnostic]:
    """Warn once per treebank, or for one corpus, of its relations outside the table relation_classes."""
    hint = "they count as other; --classes FILE classifies them"
    values = {"corpus_name": corpus_name}
    yield from _warn_by_treebank(engine, "unclassified_relations", values, "that belong to no class", hint)


def find_unweighted_relations(engine: Engine, weights: str, corpus_name: str = "") -> Iterator[Diagnostic]:
    """Warn once per treebank, or for one corpus, of its relations that a set of weights lacks."""
    hint = "each of their words counts 0.5"
    values = {"weights": weights, "corpus_name": corpus_name}
    yield from _warn_by_treebank(engine, "unweighted_relations", values, "without a weight", hint)


def find_missing_enhanced_edges(engine: Engine, corpus: str) -> Iterator[Diagnostic]:
    """Warn of a corpus that has no enhanced edges."""
    sql = "SELECT count(*) FROM (SELECT e.corpus FROM enhanced_edges AS e WHERE e.corpus = $corpus LIMIT 1) AS found"
    if engine.rows(sql, {"corpus": corpus}) == [(0,)]:
        yield missing_enhanced_edges(corpus)


def missing_enhanced_edges(corpus: str) -> Diagnostic:
    """The warning of a corpus that has no enhanced edges."""
    what = "no enhanced dependencies: its column DEPS is empty"
    return Diagnostic.warning(corpus, 0, what, "scores of enhanced edges are 0 or NULL without them")


def _warn_by_treebank(engine: Engine, query: str, values: dict[str, str], what: str, hint: str) -> Iterator[Diagnostic]:
    relations: dict[str, list[str]] = {}
    for row in run_query(engine, catalog.query(query), values).to_pylist():
        relations.setdefault(row["treebank"], []).append(f"{row['relation']} ({row['words']})")
    for treebank, names in relations.items():
        yield Diagnostic.warning(treebank, 0, f"relations {what}: {', '.join(names)}", hint)
