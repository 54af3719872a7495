"""Grouping: the column that the items of a metric are grouped by, and the tables that have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treesql.catalog import Query, documents, schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError

_FEATURES = """
SELECT DISTINCT unnest(l.name_list) FROM feature_lists AS l
WHERE EXISTS (SELECT 1 FROM words AS w WHERE w.feats = l.feats)
"""

FEATURE_PREFIX = "feats."
"""Optional prefix of the name of a morphological feature, which distinguishes it from a column."""


@dataclass(frozen=True)
class Grouping:
    """A column that items are grouped by: of the items themselves, or of a table that they are joined with.

    expression: its SQL, where items are `i`; join: the tables joined with them.
    """

    column: str
    expression: str
    table: str | None = None
    join: str = ""


def find_grouping(engine: Engine, query: Query, by: str) -> Grouping:
    """Return the grouping of a metric's items by a column, by its name. Raises UnknownName, UsageError."""
    columns = {column.name for column in query.columns} - {column.name for column in query.counts}
    if by in {column.name for column in query.counts}:
        raise UsageError(f"{by} is a count; group by another column, or select items by it: --where")
    if by in columns:
        return Grouping(by, f"i.{quote(by)}")
    places = [("words", ("sentence", "word")), ("sentences", ("sentence",)), ("corpora", ())]
    reachable = {table: keys for table, keys in places if columns.issuperset(keys)}
    if "sentences" in reachable and by in documents.MARKS:
        reaching = documents.reaching(by, f"${query.reference_corpus}")
        return Grouping(by, "g.name", "sentences", f"LEFT JOIN (\n{reaching}\n) AS g ON g.sentence = i.sentence")
    for table, keys in reachable.items():
        if by in schemas.table(table).names:
            return Grouping(by, f"g.{quote(by)}", table, _join(table, keys, query))
    if "words" in reachable:
        features = [name for (name,) in engine.rows(_FEATURES)]
        name = by.removeprefix(FEATURE_PREFIX)
        if name in features:
            values = f"SELECT v.feats, min(v.value) AS value FROM features AS v WHERE v.name = {literal(name)}"
            join = f"LEFT JOIN ({values} GROUP BY v.feats) AS f ON f.feats = g.feats"
            return Grouping(by, "f.value", "features", f"{_join('words', reachable['words'], query)}\n{join}")
        columns = columns.union(features)
    raise UnknownName("column to group by", by, columns.union(*(schemas.table(table).names for table in reachable)))


def _join(table: str, keys: Sequence[str], query: Query) -> str:
    """Return SQL that joins items with their rows in a table of the gold corpus."""
    matches = [f"g.corpus = ${query.reference_corpus}", *(f"g.{key} = i.{key}" for key in keys)]
    return f"LEFT JOIN {table} AS g ON {' AND '.join(matches)}"
