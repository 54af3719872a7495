"""Statistics: queries whose rows are a table of their own, not the items of scores."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.schemas import quote
from treesql.engines import Engine
from treesql.engines.spark_types import with_keys
from treesql.errors import Diagnostic, Warn
from treesql.readers import describe_kind
from treesql.results.result import Result
from treesql.scoring import signatures
from treesql.scoring.audits import check_audit, check_corpora, declared_values, execute
from treesql.scoring.word_alignments import pair_words

_SHARE = re.compile(r"(^|_)(share|accuracy|agreement|precision|recall|f1|aer)$")
"""Matches the name of a column of shares."""

CORPUS = "corpus_name"
"""The parameter of the corpus that a relation is of, and the column of it in the table of a relation that is held."""

_TABLES_OF_KINDS = {
    "constituency": frozenset({"constituents", "constituent_lists", "constituent_labels", "secondary_edges"}),
    "lattice": frozenset({"lattices", "lattice_edges", "lattice_words"}),
    "alignment": frozenset({"alignments"}),
    "nbest": frozenset({"hypotheses"}),
}
"""Tables that only corpora of a kind have, by kind."""

_OF_TREES = frozenset({"head", "deprel", "udeprel", "depth", "projective", "enhanced_edges"})
"""Columns and tables that say that words are those of dependency trees."""

_WITH_WORDS = frozenset({"dependency", "constituency", "text"})
"""Kinds of corpora that have words."""

_HAVE = ("has", "have")
"""The verb of one corpus, and of several."""

_ORDERED = re.compile(r"\bORDER BY [^()]*$")
"""Matches a query that orders its rows; the ORDER BY of a window or a list is in parentheses."""


def run_statistic(engine: Engine, name: str, values: Mapping[str, object] = {}) -> Result:
    """Return the rows of a statistic, with its columns of shares marked, and its signature under its name.

    values: of parameters; those that the statistic does not declare are ignored. Raises UnknownName, UsageError,
    Incomparable, QueryError.
    """
    query = catalog.query(name)
    return run_with_signature(engine, query, declared_values(query, values), share_columns(query))


def run_for_sentence(engine: Engine, name: str, values: Mapping[str, object], sentence: int) -> pa.Table:
    """Return the rows of a statistic that are about one sentence, computed without the others where DuckDB can.

    Raises what `run_statistic` raises.
    """
    query = catalog.query(name)
    values = query.values(values)
    _check(engine, query, values)
    sql = f"SELECT r.* FROM (\n{query.statement.sql}\n) AS r WHERE r.sentence = {int(sentence)}"
    return execute(engine, sql, query.name, values, aggregated=True)


def run_with_signature(
    engine: Engine,
    query: Query,
    values: Mapping[str, object],
    percent: frozenset[str] = frozenset(),
) -> Result:
    """Return the rows of any query of the catalogue, and one signature under its name.

    Raises what `run_query` raises.
    """
    rows = run_query(engine, query, values)
    signature = signatures.signature(engine, query, query.name, query.values(values), None)
    return Result(rows, {query.name: signature}, percent)


def run_query(engine: Engine, query: Query, values: Mapping[str, object]) -> pa.Table:
    """Return the rows of any query of the catalogue, in the query's own order or else ordered by all columns.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = query.values(values)
    _check(engine, query, values)
    sql = query.statement.replacing({name: held_rows(name) for name in engine.held}).sql
    if not _ORDERED.search(query.body):
        order = ", ".join(f"r.{quote(column.name)} NULLS LAST" for column in query.columns)
        sql = f"SELECT r.* FROM (\n{sql}\n) AS r ORDER BY {order}"
    rows = execute(engine, sql, query.name, values, aggregated=query.kind == "statistic")
    return with_keys(rows, {column.name: column.type for column in query.columns})


def _check(engine: Engine, query: Query, values: Mapping[str, object]) -> None:
    """Align the words that a query pairs, if they differ, and run its audits. Raises UnknownName, Incomparable."""
    check_corpora(engine, query, values)
    done = pair_words(engine, [query], values)
    for audit in query.audit_queries:
        if audit.name not in done:
            check_audit(engine, audit, values)


def held_rows(relation: str) -> str:
    """Return SQL for the rows of a relation that the engine holds, of the corpora that its parameters name."""
    query = catalog.query(relation)
    columns = ", ".join(f"h.{quote(column.name)}" for column in query.columns)
    same = " AND ".join(f"h.{name} = ${name}" for name in corpora_named(query))
    return f"SELECT {columns} FROM main.{quote(relation)} AS h WHERE {same}"


def corpora_named(query: Query) -> list[str]:
    """Return the parameters of a query that name a corpus."""
    return [one.name for one in query.parameters if one.name.endswith("_corpus") or one.name == CORPUS]


def run_and_warn(engine: Engine, query: Query, values: Mapping[str, object], warn: Warn) -> Result:
    """Return what `run_with_signature` does; warn where there are no rows, as no corpus is of a kind that has some.

    Raises what `run_query` raises.
    """
    found = run_with_signature(engine, query, values)
    mismatch = None if len(found) or query.kind == "audit" else find_mismatch(engine, query, values)
    if mismatch:
        warn(Diagnostic.warning(query.name, 0, mismatch, "`treesql queries` lists the others"))
    return found


def kinds_read(query: Query) -> frozenset[str]:
    """Return the kinds of corpora that a query is about, by the tables that it reads; none if it is about any.

    Of words, those of dependency trees if it reads heads or relations.
    """
    own = frozenset(kind for kind, tables in _TABLES_OF_KINDS.items() if not tables.isdisjoint(query.sources))
    if own or "words" not in query.sources:
        return own
    return frozenset({"dependency"}) if not _OF_TREES.isdisjoint(query.statement.identifiers) else _WITH_WORDS


def find_mismatch(engine: Engine, query: Query, values: Mapping[str, object]) -> str | None:
    """Return what is wrong if no corpus is of a kind that a query without rows is about; None where one is.

    values: of parameters; the corpora are those that these name, else all.
    """
    kinds = dict(engine.rows("SELECT c.corpus, c.kind FROM corpora AS c"))
    named = [str(value) for name, value in values.items() if name.endswith("_corpus") or name == CORPUS]
    corpora = [name for name in named if name in kinds] or list(kinds)
    of = kinds_read(query)
    if not of or not corpora or any(kinds[name] in of for name in corpora):
        return None
    read = " or ".join(describe_kind(kind) for kind in sorted(of))
    found = " and ".join(dict.fromkeys(describe_kind(kinds[name]) for name in corpora))
    return f"{query.name} is about {read}, and {', '.join(corpora[:3])} {_HAVE[len(corpora) > 1]} {found}"


def share_columns(query: Query) -> frozenset[str]:
    """Return the names of a statistic's columns that are shares."""
    return frozenset(column.name for column in query.columns if _SHARE.search(column.name))
