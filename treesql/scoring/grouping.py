"""Grouping: the columns that the items of a metric are grouped by, and the tables that have them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from treesql.catalog import Query, documents, schemas
from treesql.catalog.attributes import PLACES, attributes_of, reachable_tables
from treesql.catalog.schemas import literal, quote
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError
from treesql.scoring.bins import Bins, make_bins, split_width

_FEATURES = """
SELECT DISTINCT unnest(l.name_list) FROM feature_lists AS l
WHERE EXISTS (SELECT 1 FROM words AS w WHERE w.feats = l.feats)
"""

_COMMENT_KEYS = "SELECT c.key FROM comments AS c GROUP BY c.key ORDER BY count(*) DESC, c.key"

FEATURE_PREFIX = "feats."
"""Optional prefix of the name of a morphological feature, which distinguishes it from a column."""


@dataclass(frozen=True)
class Grouping:
    """A column that items are grouped by: of the items themselves, or of a table that they are joined with.

    name: as it is given, `upos` or `n_words/10`. value: SQL for its value, where items are `i`; kind: its type; table:
    where it is from, None for items; joins: the tables joined with them, in order. counted: whether `value` is the key
    of a group of sums already.
    """

    name: str
    value: str
    kind: str = "VARCHAR"
    table: str | None = None
    joins: tuple[str, ...] = ()
    bins: Bins | None = None
    counted: bool = False

    @property
    def key(self) -> str:
        """SQL for what is equal in a group, and what groups are sorted by: the value, or the number of its bin."""
        return self.bins.number(self.value) if self.bins and not self.counted else self.value

    def label(self, key: str) -> str:
        """Return SQL for the name of a group, given SQL for its key."""
        return self.bins.label(key) if self.bins else key

    @property
    def is_sentence(self) -> bool:
        """Whether its groups are single sentences."""
        return self.name == "sentence" and self.table is None

    @property
    def without_items(self) -> Grouping:
        """The same column for a metric whose items lack it."""
        return Grouping(self.name, "NULL", bins=self.bins)


def find_groupings(engine: Engine, query: Query, by: Sequence[str]) -> tuple[Grouping, ...]:
    """Return the groupings of a metric's items by columns or bins of them. Raises UnknownName, UsageError."""
    lower = [name.lower() for name in by]
    for name in by:
        if lower.count(name.lower()) > 1:  # SQL does not distinguish upper and lower case
            raise UsageError(f"cannot group by {name} twice; name each column once, whatever its case")
    return tuple(_find_grouping(engine, query, name) for name in by)


def column_of(name: str) -> str:
    """Return the column of a group, `n_words` of `n_words/10`, that of a comment's key, or the view that has comments.

    Raises UsageError for a wrong width.
    """
    key = documents.comment_key(name)
    if key is None:
        return split_width(name)[0]
    return documents.DOCUMENT_IDS.get(key, key if key in documents.KEYS_WITH_COLUMNS else "comments")


def joins_of(groupings: Sequence[Grouping]) -> str:
    """Return SQL that joins items with the tables of groupings, each table once."""
    return "\n".join(dict.fromkeys(join for one in groupings for join in one.joins))


def is_feature(name: str, known: Collection[str]) -> bool:
    """Whether a group is a morphological feature. known: the columns that there are."""
    column = column_of(name)
    return column.startswith(FEATURE_PREFIX) or (column not in known and documents.comment_key(name) is None)


def _find_grouping(engine: Engine, query: Query, name: str) -> Grouping:
    key = documents.comment_key(name)
    if key is not None:
        return replace(_find_comment(engine, query, key), name=name)
    column, width = split_width(name)
    if column in {one.name for one in query.counts}:
        raise UsageError(f"{column} is a count; group by another column, or select items by it: --where")
    found = next(_find_columns(query, column), None) or _find_feature(engine, query, column)
    if width is None:
        return found
    return replace(found, name=name, bins=make_bins(name, column, found.kind, width))


def _find_columns(query: Query, name: str) -> Iterator[Grouping]:
    """Yield the columns of a name that are not features: of the items, of tables of the gold corpus, and attributes."""
    columns = {column.name: column.type for column in query.columns}
    if name in columns:
        yield Grouping(name, f"i.{quote(name)}", columns[name])
    reachable = reachable_tables(query)
    if "sentences" in reachable and name in documents.MARKS:
        alias = f"g_{name}"
        reaching = documents.reaching(name, f"${query.reference_corpus}")
        join = f"LEFT JOIN (\n{reaching}\n) AS {alias} ON {alias}.sentence = i.sentence"
        yield Grouping(name, f"{alias}.name", table="sentences", joins=(join,))
    for table in reachable:
        if name in schemas.table(table).names:
            kind = schemas.table(table)[name].type
            yield Grouping(name, f"g_{table}.{quote(name)}", kind, table, (_join(table, query),))
    attribute = attributes_of(query).get(name)
    if attribute:
        yield Grouping(name, f"i.{quote(name)}", attribute.column.type, attribute.call)


def _find_comment(engine: Engine, query: Query, key: str) -> Grouping:
    """Return the grouping by a comment of the gold sentences; that of a document's id holds to the next document.

    Raises UnknownName.
    """
    if "sentences" not in reachable_tables(query):
        raise UnknownName("column to group by", documents.written_comment(key), [one.name for one in query.columns])
    if key in documents.DOCUMENT_IDS or key in documents.KEYS_WITH_COLUMNS:
        return next(_find_columns(query, documents.DOCUMENT_IDS.get(key, key)))
    known = [one for (one,) in engine.rows(_COMMENT_KEYS)]
    if key not in known:
        raise documents.unknown_comment(key, known)
    alias = quote(documents.written_comment(key))
    values = f"SELECT v.sentence, min_by(v.value, v.position) AS value FROM comments AS v WHERE v.key = {literal(key)}"
    own = f"{values} AND v.value IS NOT NULL AND v.corpus = ${query.reference_corpus} GROUP BY v.sentence"
    join = f"LEFT JOIN ({own}) AS {alias} ON {alias}.sentence = i.sentence"
    return Grouping(key, f"{alias}.value", table="sentences", joins=(join,))


def _find_feature(engine: Engine, query: Query, name: str) -> Grouping:
    """Return the grouping by a morphological feature of the gold words. Raises UnknownName."""
    reachable = reachable_tables(query)
    features = [one for (one,) in engine.rows(_FEATURES)] if "words" in reachable else []
    feature = name.removeprefix(FEATURE_PREFIX)
    if feature in features:
        alias = quote(f"{FEATURE_PREFIX}{feature}")
        values = f"SELECT v.feats, min(v.value) AS value FROM features AS v WHERE v.name = {literal(feature)}"
        join = f"LEFT JOIN ({values} GROUP BY v.feats) AS {alias} ON {alias}.feats = g_words.feats"
        return Grouping(name, f"{alias}.value", table="features", joins=(_join("words", query), join))
    known = {column.name for column in query.columns} - {column.name for column in query.counts}
    known.update(features, attributes_of(query), *(schemas.table(table).names for table in reachable))
    note = f"a comment is written {documents.COMMENT_PREFIX}KEY" if "sentences" in reachable else ""
    raise UnknownName("column to group by", name, known, note)


def _join(table: str, query: Query) -> str:
    """Return SQL that joins items with their rows in a table of the gold corpus."""
    alias = f"g_{table}"
    matches = [f"{alias}.corpus = ${query.reference_corpus}", *(f"{alias}.{key} = i.{key}" for key in PLACES[table])]
    return f"LEFT JOIN {table} AS {alias} ON {' AND '.join(matches)}"
