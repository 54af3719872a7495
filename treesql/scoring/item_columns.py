"""Columns that groups, conditions and strata name: of items, and of the tables that items are joined with.

Of numbers, groups may be bins: `n_words/10`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from treesql.catalog import Query, documents, schemas
from treesql.catalog.queries import PLACES, attributes_of, reachable_tables
from treesql.catalog.schemas import literal, quote
from treesql.engines import Engine, conditions
from treesql.errors import UnknownName, UsageError

_FEATURES = """
SELECT DISTINCT unnest(l.name_list) FROM feature_lists AS l
WHERE EXISTS (SELECT 1 FROM words AS w WHERE w.corpus = $corpus AND w.feats = l.feats)
"""

FEATURE_PREFIX = "feats."
"""Optional prefix of the name of a morphological feature, which distinguishes it from a column."""

OF_SENTENCES = ("sentences", "corpora")
"""Tables of which a sentence has one row."""


@dataclass(frozen=True)
class ItemColumn:
    """A column of items: their own, or of a table that they are joined with.

    name: as it is given, `upos` or `n_words/10`. value: SQL for its value, where items are `i`; kind: its type; table:
    where it is from, None for items; joins: the tables joined with them, in order. bins: those of its values that are
    groups. counted: whether `value` is the key of a group of sums already.
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
    def without_items(self) -> ItemColumn:
        """The same column for a metric whose items lack it."""
        return ItemColumn(self.name, "NULL", bins=self.bins)


def find_groupings(
    engine: Engine, query: Query, by: Sequence[str], values: Mapping[str, object]
) -> tuple[ItemColumn, ...]:
    """Return the columns, or bins of them, that groups of a metric's items name.

    values: of its parameters. Raises UnknownName, UsageError.
    """
    _check_distinct("group by", by)
    scope = _ColumnScope.of_metric(engine, query, values, "column to group by")
    return tuple(scope.find_grouping(name) for name in by)


def find_in_condition(
    engine: Engine, query: Query, condition: str | None, values: Mapping[str, object]
) -> tuple[ItemColumn, ...]:
    """Return the columns of a metric's items that an SQL condition names, each once; it may name others in subqueries.

    The case of columns does not matter, as in SQL, that of features and of the keys of comments does. values: of the
    metric's parameters. Raises UnknownName for a comment that no sentence has, UsageError.
    """
    scope = _ColumnScope.of_condition(engine, query, values)
    found = {column.name: column for name in names_in_condition(condition) for column in scope.find_named(name)}
    _check_distinct("select items by", list(found))
    return tuple(found.values())


def find_of_sentences(engine: Engine, name: str, corpus: str) -> ItemColumn:
    """Return a column, or bins of one, of the sentences `i` of a corpus, which is the parameter `corpus` in its SQL.

    Raises UnknownName, UsageError.
    """
    return _ColumnScope(engine, None, "corpus", corpus, "column of sentences").find_grouping(name)


def unknown_column(engine: Engine, query: Query, name: str, values: Mapping[str, object]) -> UnknownName:
    """Return the error of a column that a condition names and a metric's items lack."""
    return _ColumnScope.of_condition(engine, query, values).unknown(name)


def names_in_condition(condition: str | None, *, subqueries: bool = True) -> list[str]:
    """Return the names of columns in a condition, written as groups are: `upos`, `meta."text[phon]"`, `feats.Case`.

    subqueries: whether to search these, which may have columns of their own.
    """
    found = []
    for *qualified_by, name in conditions.find_references(condition, subqueries=subqueries) if condition else ():
        prefix = f"{'.'.join(qualified_by).lower()}."
        if prefix == documents.COMMENT_PREFIX:
            found.append(documents.written_comment(name))
        elif prefix == FEATURE_PREFIX:
            found.append(f"{FEATURE_PREFIX}{name}")
        elif documents.comment_key(name) is not None or "/" not in name:  # bins are groups alone
            found.append(name)
    return found


def with_column_names(condition: str, columns: Sequence[ItemColumn]) -> str:
    """Return a condition that names columns as they are called: `"meta.speaker"` for `meta.speaker`."""
    named = {}
    for one in columns:
        key = documents.comment_key(one.name)
        if key is not None:
            named[documents.COMMENT_PREFIX.removesuffix("."), key] = quote(one.name)
        elif one.name.startswith(FEATURE_PREFIX):
            named[FEATURE_PREFIX.removesuffix("."), one.name.removeprefix(FEATURE_PREFIX)] = quote(one.name)
    return conditions.replace_references(condition, named) if named else condition


def column_of(name: str) -> str:
    """Return the column of a group, `n_words` of `n_words/10`, that of a comment's key, or the view that has comments.

    Raises UsageError for a wrong width.
    """
    key = documents.comment_key(name)
    if key is None:
        return split_width(name)[0]
    return documents.DOCUMENT_IDS.get(key, key if key in documents.KEYS_WITH_COLUMNS else "comments")


def joins_of(columns: Sequence[ItemColumn]) -> str:
    """Return SQL that joins items with the tables of columns, each table once."""
    return "\n".join(dict.fromkeys(join for one in columns for join in one.joins))


def is_feature(name: str, known: Collection[str]) -> bool:
    """Whether a group is a morphological feature. known: the columns that there are."""
    column = column_of(name)
    return column.startswith(FEATURE_PREFIX) or (column not in known and documents.comment_key(name) is None)


def _check_distinct(what: str, names: Sequence[str]) -> None:
    """Raise UsageError for names of columns that SQL does not distinguish: upper and lower case are the same."""
    lower = [name.lower() for name in names]
    for name in names:
        if lower.count(name.lower()) > 1:
            raise UsageError(f"cannot {what} {name} twice; name each column once, whatever its case")


@dataclass(frozen=True)
class _ColumnScope:
    """Where names are looked up: among the columns of a metric's items, and in tables of the gold corpus.

    query: the metric, None for sentences as items. parameter: the one that names the corpus. what: a name should be.
    """

    engine: Engine
    query: Query | None
    parameter: str
    corpus: object
    what: str

    @classmethod
    def of_metric(cls, engine: Engine, query: Query, values: Mapping[str, object], what: str) -> _ColumnScope:
        """Return the scope of the items of a metric. values: of its parameters."""
        parameter = str(query.reference_corpus)
        return cls(engine, query, parameter, values.get(parameter), what)

    @classmethod
    def of_condition(cls, engine: Engine, query: Query, values: Mapping[str, object]) -> _ColumnScope:
        """Return the scope of a condition on the items of a metric. values: of its parameters."""
        return cls.of_metric(engine, query, values, f"column of the items of {query.name}")

    @property
    def tables(self) -> Sequence[str]:
        """The tables of the corpus that the items can be joined with."""
        return reachable_tables(self.query) if self.query else OF_SENTENCES

    @cached_property
    def features(self) -> list[str]:
        """The morphological features of the words of the corpus."""
        if "words" not in self.tables:
            return []
        return [name for (name,) in self.engine.rows(_FEATURES, {"corpus": self.corpus})]

    def find_grouping(self, name: str) -> ItemColumn:
        """Return the column, or bins, of a group. Raises UnknownName, UsageError."""
        key = documents.comment_key(name)
        if key is not None:
            return self._find_comment(key, name)
        column, width = split_width(name)
        if self.query and column in {one.name for one in self.query.counts}:
            raise UsageError(f"{column} is a count; group by another column, or select items by it: --where")
        found = next(self._find_columns(column), None) or self._find_feature(column)
        if found is None:
            raise self.unknown(column)
        if width is None:
            return found
        return replace(found, name=name, bins=make_bins(name, column, found.kind, width))

    def find_named(self, name: str) -> Iterator[ItemColumn]:
        """Yield the column that a condition names; none for the name of something else, as in a subquery.

        Raises UnknownName for a comment or feature that the corpus lacks; UsageError for one that has the name of a
        column in another case.
        """
        key = documents.comment_key(name)
        if key is not None:
            found: ItemColumn | None = self._find_comment(key, name)
        else:
            found = next(self._find_columns(name.lower()), None)
            if found is not None and name != name.lower() and name in self.features:
                raise UsageError(f"{name} is a feature and a column; write {FEATURE_PREFIX}{name} or {name.lower()}")
            found = found or self._find_feature(name)
        if found is None and name.startswith(FEATURE_PREFIX):
            raise self.unknown(name)
        if found is not None:
            yield found

    def unknown(self, name: str) -> UnknownName:
        """Return the error of a name that is not there."""
        known = {name for table in self.tables for name in schemas.table(table).names}
        if self.query:
            known |= {one.name for one in self.query.columns} - {one.name for one in self.query.counts}
            known.update(self.features, attributes_of(self.query))
        note = f"a comment is written {documents.COMMENT_PREFIX}KEY" if "sentences" in self.tables else ""
        return UnknownName(self.what, name, known, note)

    def _find_columns(self, name: str) -> Iterator[ItemColumn]:
        """Yield the columns of a name that are not features: of the items, of tables of the corpus, and attributes."""
        own = {column.name: column.type for column in self.query.columns} if self.query else {}
        if name in own:
            yield ItemColumn(name, f"i.{quote(name)}", own[name])
        yield from self._find_in_tables(name)
        attribute = attributes_of(self.query).get(name) if self.query else None
        if attribute:
            yield ItemColumn(name, f"i.{quote(name)}", attribute.column.type, attribute.call)

    def _find_in_tables(self, name: str) -> Iterator[ItemColumn]:
        """Yield the columns of a name in tables of the corpus; a document or paragraph holds to the next mark."""
        if "sentences" in self.tables and name in documents.MARKS:
            alias = f"g_{name}"
            reaching = documents.reaching(name, f"${self.parameter}")
            join = f"LEFT JOIN (\n{reaching}\n) AS {alias} ON {alias}.sentence = i.sentence"
            yield ItemColumn(name, f"{alias}.name", table="sentences", joins=(join,))
        for table in self.tables:
            if name in schemas.table(table).names:
                kind = schemas.table(table)[name].type
                yield ItemColumn(name, f"g_{table}.{quote(name)}", kind, table, (self._join(table),))

    def _find_comment(self, key: str, name: str) -> ItemColumn:
        """Return a comment of the sentences, under the name of its group. Raises UnknownName."""
        if "sentences" not in self.tables:
            raise self.unknown(name)
        if key in documents.DOCUMENT_IDS or key in documents.KEYS_WITH_COLUMNS:
            return replace(next(self._find_in_tables(documents.DOCUMENT_IDS.get(key, key))), name=name)
        keys = documents.comment_keys("c.corpus = $corpus")
        known = [known for (known,) in self.engine.rows(keys, {"corpus": self.corpus})]
        if key not in known:
            raise documents.unknown_comment(key, known)
        alias = quote(documents.written_comment(key))
        values = (
            f"SELECT v.sentence, min_by(v.value, v.position) AS value FROM comments AS v WHERE v.key = {literal(key)}"
        )
        own = f"{values} AND v.value IS NOT NULL AND v.corpus = ${self.parameter} GROUP BY v.sentence"
        join = f"LEFT JOIN ({own}) AS {alias} ON {alias}.sentence = i.sentence"
        return ItemColumn(name, f"{alias}.value", table="sentences", joins=(join,))

    def _find_feature(self, name: str) -> ItemColumn | None:
        """Return a morphological feature of the words of the corpus; None if they lack it."""
        feature = name.removeprefix(FEATURE_PREFIX)
        if feature not in self.features:
            return None
        alias = quote(f"{FEATURE_PREFIX}{feature}")
        values = f"SELECT v.feats, min(v.value) AS value FROM features AS v WHERE v.name = {literal(feature)}"
        join = f"LEFT JOIN ({values} GROUP BY v.feats) AS {alias} ON {alias}.feats = g_words.feats"
        return ItemColumn(name, f"{alias}.value", table="features", joins=(self._join("words"), join))

    def _join(self, table: str) -> str:
        """Return SQL that joins items with their rows in a table of the corpus."""
        alias = f"g_{table}"
        matches = [f"{alias}.corpus = ${self.parameter}", *(f"{alias}.{key} = i.{key}" for key in PLACES[table])]
        return f"LEFT JOIN {table} AS {alias} ON {' AND '.join(matches)}"


WHOLE, FRACTIONAL = ("INTEGER", "BIGINT"), ("DOUBLE",)
"""Types of columns that bins are of."""

MAX_WIDTH_DIGITS = 9
"""Maximum number of digits of a width, on either side of its point."""

MAX_NUMBER = "1e15"
"""Bound of the numbers of bins of fractional columns; a value beyond, and one that is no number, has no bin."""

ROUNDED_TO = 9
"""Decimals that quotients of a fractional value and a width keep: 0.3 / 0.1 is 2.9999999999999996, and begins bin 3."""

_WIDTH = re.compile(rf"\d{{1,{MAX_WIDTH_DIGITS}}}(\.\d{{1,{MAX_WIDTH_DIGITS}}})?", re.ASCII)
_LABEL = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\..+)?")
"""Matches the name of a bin, as `Bins.label` writes it."""


@dataclass(frozen=True)
class Bins:
    """Bins of a width, as it is written, that begin at its multiples. fractional: of a column of fractions."""

    width: str
    fractional: bool

    def number(self, value: str) -> str:
        """Return SQL for the number of a value's bin: the lower bound divided by the width; NULL for no value."""
        divided = f"CAST({value} AS DOUBLE) / {self.width}"
        if not self.fractional:
            return f"CAST(floor({divided}) AS BIGINT)"
        divided = f"CAST({value} AS DOUBLE) / CAST('{self.width}' AS DOUBLE)"
        return f"CASE WHEN abs({divided}) < {MAX_NUMBER} THEN CAST(floor(round({divided}, {ROUNDED_TO})) AS BIGINT) END"

    def label(self, number: str) -> str:
        """Return SQL for the name of a bin: `10..19`, `3` of width 1; of fractions `0.5..0.6`, its end not included."""
        if self.fractional:
            decimals = len(self.width.partition(".")[2])
            width = f"CAST('{self.width}' AS DECIMAL({MAX_WIDTH_DIGITS + decimals}, {decimals}))"
            low, high = (f"CAST({one} AS DECIMAL(19, 0)) * {width}" for one in (number, f"({number} + 1)"))
        elif self.width == "1":
            return f"CAST({number} AS VARCHAR)"
        else:
            low, high = f"{number} * {self.width}", f"{number} * {self.width} + {int(self.width) - 1}"
        return f"CAST({low} AS VARCHAR) || '..' || CAST({high} AS VARCHAR)"


def split_width(name: str) -> tuple[str, str | None]:
    """Return the column and the width of a group, `n_words/10`; no width of a column alone. Raises UsageError."""
    column, slash, width = name.rpartition("/")
    if not slash:
        return name, None
    if not (column and _WIDTH.fullmatch(width) and float(width) > 0):
        digits = f"a number above 0, of {MAX_WIDTH_DIGITS} digits at most"
        raise UsageError(f"cannot group by {name}: bins are written COLUMN/WIDTH, and WIDTH is {digits}: n_words/10")
    return column, width.lstrip("0") if width.isdigit() else width


def make_bins(name: str, column: str, kind: str, width: str) -> Bins:
    """Return the bins of a column of a type. Raises UsageError for a column or width that bins cannot have."""
    if kind not in (*WHOLE, *FRACTIONAL):
        raise UsageError(f"cannot group by {name}: bins are of numbers, and {column} is {kind}; group by {column}")
    if kind in WHOLE and not width.isdigit():
        raise UsageError(f"cannot group by {name}: {column} has whole numbers, and so has the width of its bins")
    return Bins(width, kind in FRACTIONAL)


def find_start(label: str) -> float | None:
    """Return the lower bound of a bin by its name; None for a text that is none."""
    found = _LABEL.fullmatch(label)
    return None if found is None else float(found[1])
