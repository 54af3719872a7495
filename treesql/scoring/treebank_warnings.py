"""Warnings about the treebanks of statistics: few words, relations without a class or a weight."""

from __future__ import annotations

from collections.abc import Iterator

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.scoring.statistics import CORPUS, held_rows, run_query

EDGE_COUNTS = "enhanced_edge_counts"
"""The relation with the number of enhanced edges of a corpus."""

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


def count_enhanced_edges(engine: Engine, corpus: str) -> tuple[int, int]:
    """Return how many enhanced edges a corpus has, and how many of these come from an empty node or go to one."""
    query = catalog.query(EDGE_COUNTS)
    sql = held_rows(query.name) if query.name in engine.held else query.statement.sql
    [counts] = engine.rows(sql, {CORPUS: corpus})
    return counts


def find_uncompared_edges(corpus: str, edges: int, of_empty_nodes: int) -> Iterator[Diagnostic]:
    """Warn of a corpus that has no enhanced edges, and of edges that no score compares."""
    if not edges:
        what = "no enhanced dependencies: its column DEPS is empty"
        yield Diagnostic.warning(corpus, 0, what, "scores of enhanced edges are 0 or NULL without them")
    if of_empty_nodes:
        verb = "comes from an empty node, or goes to one," if of_empty_nodes == 1 else "come from or go to empty nodes"
        what = f"{of_empty_nodes:,} of {edges:,} enhanced edges {verb} and {'is' if of_empty_nodes == 1 else 'are'}"
        hint = "collapse empty nodes in all files to have these edges scored"
        yield Diagnostic.warning(corpus, 0, f"{what} not compared", hint)


def _warn_by_treebank(engine: Engine, query: str, values: dict[str, str], what: str, hint: str) -> Iterator[Diagnostic]:
    relations: dict[str, list[str]] = {}
    for row in run_query(engine, catalog.query(query), values).to_pylist():
        relations.setdefault(row["treebank"], []).append(f"{row['relation']} ({row['words']})")
    for treebank, names in relations.items():
        yield Diagnostic.warning(treebank, 0, f"relations {what}: {', '.join(names)}", hint)
