"""Items -> partial sums: the one statement by which the counts of several metrics of the same corpora are summed.

A plan is made once for a task. Its statement sums the counts of every metric per group, to whole numbers that add up,
over the whole corpora or over one block of sentences after another; `scores` evaluates the scores over the sums.
Groups, conditions and strata name columns of the items, and of the tables that these are joined with; of numbers,
groups may be bins: `n_words/10`.

Before anything is summed: audits, which say that corpora can be compared, and the table `word_alignments`, which pairs
the words of corpora of one text where these are not the same words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, documents, schemas
from treesql.catalog.header import Column, Score
from treesql.catalog.queries import (
    CORPORA_OF_PAIRS,
    JOINED_BY_ID,
    OF_WORDS,
    PLACES,
    Attribute,
    attributes_named,
    attributes_of,
    further_corpora,
    pairs_words,
    reachable_tables,
)
from treesql.catalog.schemas import ALIGNMENTS, literal, quote
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine, conditions
from treesql.engines.relations import of_range
from treesql.errors import (
    Diagnostic,
    Incomparable,
    NumberTooLarge,
    StatementError,
    UnknownColumn,
    UnknownName,
    UsageError,
    suggest_quotes,
)
from treesql.kernels.sampling.fixed_point import UNITS
from treesql.runtime.arrays import call, cast_rows
from treesql.runtime.arrays import compute as pc

MAX_AUDIT_FAULTS = 5
"""Maximum number of faults of an audit that are reported."""


_RECORDS = """
SELECT c.corpus, c.kind, c.format, c.n_sentences, c.files[1].path, len(c.files), c.sha256, c.reading, c.treesql_version,
       c.changed_at IS NOT NULL
FROM corpora AS c
"""


class Record(NamedTuple):
    """What the table `corpora` says of a corpus. path: of its first file, of n_files; version: of the treesql that has
    loaded it."""

    corpus: str
    kind: str
    format: str
    n_sentences: int
    path: str | None
    n_files: int
    sha256: str
    reading: str | None
    version: str
    changed: bool

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Record:
        """The record of a row of `corpora`."""
        files = row["files"]
        return cls(
            row["corpus"], row["kind"], row["format"], row["n_sentences"], files[0]["path"], len(files), row["sha256"],
            row["reading"], row["treesql_version"], row["changed_at"] is not None,
        )  # fmt: skip


class ReadOnce:
    """What signatures read from an engine, each statement once. For as long as its rows stay as they are."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.version, self.is_small = engine.name, engine.version, engine.is_small
        self.records = engine.records
        self._found: dict[str, list[tuple[Any, ...]]] = {}

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a small SELECT, as of an engine."""
        key = f"{statement}{values}"
        if key not in self._found:
            self._found[key] = self._engine.rows(statement, values)
        return self._found[key]


def records_of(engine: Engine | ReadOnce) -> dict[str, Record]:
    """The records of all corpora by name."""
    if engine.is_small:
        return {row["corpus"]: Record.of(row) for row in engine.records}
    return {row[0]: Record(*row) for row in engine.rows(_RECORDS)}


def record_of(engine: Engine | ReadOnce, corpus: str) -> Record:
    """The record of a corpus."""
    if engine.is_small:
        return records_of(engine)[corpus]
    [row] = engine.rows(f"{_RECORDS}WHERE c.corpus = $corpus", {"corpus": corpus})
    return Record(*row)


def check_corpora(engine: Engine, query: Query, values: Mapping[str, object]) -> None:
    """Raise UnknownName if a parameter names a corpus that is not loaded."""
    known = records_of(engine)
    for parameter in query.parameters:
        if parameter.name.endswith("_corpus") and str(values[parameter.name]) not in known:
            raise UnknownName("corpus", str(values[parameter.name]), known)


def check_corpus(engine: Engine, name: str) -> None:
    """Raise UnknownName for a corpus that is not loaded."""
    known = records_of(engine)
    if name not in known:
        raise UnknownName("corpus", name, known)


def check_audit(engine: Engine, audit: Query, values: Mapping[str, object]) -> None:
    """Run an audit. Raises Incomparable if it finds anything."""
    bound = audit.values(declared_values(audit, values))
    rows = execute(
        engine,
        with_clause([*audit.statement.expressions, ("faults", audit.statement.body)])
        + "SELECT f.file, f.line, f.problem, f.hint, count(*) OVER () AS n FROM faults AS f\n"
        + f"ORDER BY f.file, f.line, f.problem LIMIT {MAX_AUDIT_FAULTS}",
        audit.name,
        bound,
        aggregated=True,
    ).to_pylist()
    if rows:
        faults = [Diagnostic.error(row["file"], row["line"], row["problem"], row["hint"]) for row in rows]
        raise Incomparable(faults, rows[0]["n"] - len(faults))


def check_distinct_scores(scores_of: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError if two metrics have a score of the same name: only the name identifies columns and rows.

    scores_of: by metric, the names of scores.
    """
    metric_of: dict[str, str] = {}
    for metric, scores in scores_of.items():
        for score in scores:
            if metric_of.setdefault(score, metric) != metric:
                raise UsageError(f"{metric_of[score]} and {metric} both have a score {score}; name one at a time")


def scored_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a metric declares, and of the corpora that its attributes describe."""
    further = further_corpora(query)
    return declared_values(query, values) | {name: values[name] for name in further if name in values}


def declared_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a query declares."""
    return {p.name: values[p.name] for p in query.parameters if p.name in values}


def execute(engine: Engine, sql: str, name: str, values: Mapping[str, object], *, aggregated: bool = False) -> pa.Table:
    """Return the rows of a SELECT. Raises QueryError, which names the query."""
    try:
        return engine.table(sql, values, aggregated=aggregated)
    except StatementError as error:
        raise error.of_query(name) from None


_COMPARED = frozenset({"tree_correspondence"})
"""Audits that find nothing where the words are known to be the same, or are aligned."""

COMPARED_TEXTS = _COMPARED | {"text_correspondence"}
"""Audits that find nothing where words are aligned: their texts are the same."""

_AUDITS_OF_NUMBERS = frozenset({"alignment_correspondence", "missing_trees"})
"""Audits of sentences that one of several corpora lacks, by their numbers alone."""

_IDS = "SELECT s.sentence, s.sent_id FROM sentences AS s WHERE s.corpus = $corpus ORDER BY s.sentence"

_TYPES_OF_IDS = pa.schema([("sentence", pa.int32()), ("sent_id", pa.string())])

_STATE = """
SELECT concat_ws(' ', c.corpus, c.sha256, c.loaded_at, c.changed_at) AS state
FROM corpora AS c
WHERE c.corpus = $gold_corpus OR c.corpus = $system_corpus
ORDER BY c.corpus
"""

_N_ROWS = f"""
SELECT count(*) AS n FROM {ALIGNMENTS} AS a
WHERE a.gold = $gold_corpus AND a.system = $system_corpus
"""

_IS_ALIGNED = f"""
SELECT count(*) AS n
FROM (SELECT 1 AS one FROM {ALIGNMENTS} AS a
      WHERE a.gold = $gold_corpus AND a.system = $system_corpus LIMIT 1) AS f
"""


Pair = Mapping[str, str]
"""The corpora whose words are paired, by their parameters."""


def pair_words(
    engine: Engine, queries: Iterable[Query], values: Mapping[str, object], *, of_blocks: bool = False
) -> frozenset[str]:
    """Align the words of two corpora for this engine, if a query pairs them and they differ.

    values: of the parameters of the queries. of_blocks: whether nothing is compared or aligned now: `have_same_words`
    and `align_block` do it for every block. Returns the names of audits that find nothing now. Raises Incomparable
    where the texts differ as well.
    """
    pair = pair_of(queries, values)
    if not pair or of_blocks:
        return _COMPARED if pair else frozenset()
    key = (pair["gold_corpus"], pair["system_corpus"])
    state = _state(engine, pair)
    aligned = _is_aligned(engine, pair)
    if aligned and engine.paired.setdefault(key, (state, False)) == (state, False):
        return COMPARED_TEXTS
    if not aligned and engine.paired.get(key) == (state, True):
        return _COMPARED
    same = _compare_words(engine, pair)
    if aligned or not same:
        _fill(engine, pair, empty=same)
    engine.paired[key] = (state, same)
    return _COMPARED if same else COMPARED_TEXTS


def align_block(engine: Engine, pair: Pair) -> None:
    """Align the words of a block of two corpora of one text by their characters, in place of those of the block before.

    Raises Incomparable where the texts differ as well.
    """
    check_audit(engine, catalog.query("text_correspondence"), pair)
    _fill(engine, pair, empty=False)


def align_words(engine: Engine, gold: str, system: str) -> int:
    """Store the alignment of a system's words with those of a gold corpus, for all who read the database.

    Returns the number of its rows: 0 where the words are the same, so that they correspond by their positions. Engines
    that cannot write to their database keep it themselves. Raises UnknownName, Incomparable where the texts differ.
    """
    for corpus in (gold, system):
        check_corpus(engine, corpus)
    pair = dict(zip(CORPORA_OF_PAIRS, (gold, system), strict=True))
    same = _compare_words(engine, pair)
    _fill(engine, pair, empty=same, stored=True)
    engine.paired[gold, system] = (_state(engine, pair), same)
    return int(engine.rows(_N_ROWS, pair)[0][0])


def is_aligned(engine: Engine, queries: Iterable[Query], values: Mapping[str, object]) -> bool:
    """Whether queries pair words that are aligned by their characters, in the database or for this engine."""
    pair = pair_of(queries, values)
    return bool(pair) and _is_aligned(engine, pair)


def _state(engine: Engine, pair: Pair) -> str:
    """What changes whenever the rows of one of two corpora do; those of small engines do not."""
    return "" if engine.is_small else str(engine.rows(_STATE, pair))


def _is_aligned(engine: Engine, pair: Pair) -> bool:
    if engine.is_small:  # its table of alignments is empty until `pair_words` fills it
        _, same = engine.paired.get((pair["gold_corpus"], pair["system_corpus"]), ("", True))
        return not same
    return bool(engine.rows(_IS_ALIGNED, pair)[0][0])


def pair_of(queries: Iterable[Query], values: Mapping[str, object]) -> dict[str, str]:
    """The corpora whose words queries pair; empty where none does, or sentences correspond by their ids."""
    pair = {name: str(values[name]) for name in CORPORA_OF_PAIRS if name in values}
    is_paired = len(pair) == len(CORPORA_OF_PAIRS) and values.get("match") != "sent_id"
    return pair if is_paired and any(map(pairs_words, queries)) else {}


def correspond_by_id(queries: Sequence[Query]) -> bool:
    """Whether sentences correspond by their ids, where they have some."""
    return any(JOINED_BY_ID in name for query in queries for name, _ in query.statement.expressions)


def rows_read(engine: Engine, table: str, corpus: str, columns: Sequence[str]) -> pa.Table | None:
    """Columns of a corpus as they were read, of a small engine, which takes less than a statement; None where its rows
    are in several parts, or not next to each other. columns: none that are computed; NULL where they were not read."""
    parts: list[pa.Table] = []
    for name, rows in engine.rows_read.get(table, ()):
        if name in (None, corpus):
            part = rows if name is not None else _rows_next_to_each_other(rows, corpus)
            if part is None:
                return None
            parts += [part] if len(part) else []
    if len(parts) != 1:
        return None
    [whole] = parts
    types = schemas.table(table).arrow_schema()
    for column in columns:
        if column not in whole.column_names:
            whole = whole.append_column(column, pa.nulls(len(whole), types.field(column).type))
    return whole.select(columns)


def _rows_next_to_each_other(rows: pa.Table, corpus: str) -> pa.Table | None:
    """Those of a corpus among rows that name theirs; None where others are between them."""
    is_of_corpus = call("equal", rows["corpus"], pa.scalar(corpus, rows["corpus"].type))
    places = np.flatnonzero(is_of_corpus.to_numpy())
    if len(places) and places[-1] - places[0] >= len(places):
        return None
    return rows.slice(places[0] if len(places) else 0, len(places))


def may_have_nulls(engine: Engine, table: str, column: str) -> bool:
    """Whether a column of a table may have NULLs, as far as is known without a statement."""
    parts = engine.rows_read.get(table, ())
    return not parts or any(column not in rows.column_names or rows[column].null_count for _, rows in parts)


def _audits_of_heads(engine: Engine) -> frozenset[str]:
    """The audit of gold sentences without heads, where no word is without one."""
    return frozenset() if may_have_nulls(engine, "words", "head") else frozenset({"unparsed_gold"})


def ids_of_sentences(engine: Engine, corpus: str) -> pa.Table:
    """The numbers and ids of a corpus's sentences, `sentence` and `sent_id`, in order."""
    read = rows_read(engine, "sentences", corpus, _TYPES_OF_IDS.names)
    if read is not None and np.all(np.diff(read["sentence"].to_numpy()) > 0):
        return cast_rows(read, _TYPES_OF_IDS)
    return engine.table(_IDS, {"corpus": corpus})


def audits_of_order(engine: Engine, queries: Iterable[Query], values: Mapping[str, object]) -> frozenset[str]:
    """The audits of corresponding sentences that find nothing, as none has an id, and all have the same numbers.

    Of small engines alone, where the ids have been read and the audits take longer than all else.
    """
    audits = {audit for query in queries for audit in query.audit_queries} if engine.is_small else set()
    return frozenset(audit.name for audit in audits if _are_in_one_order(engine, audit, values))


def _are_in_one_order(engine: Engine, audit: Query, values: Mapping[str, object]) -> bool:
    by_id = correspond_by_id([audit])
    if not by_id and audit.name not in _AUDITS_OF_NUMBERS:
        return False
    declared = {parameter.name for parameter in audit.parameters}
    named = [
        str(value) for name, value in values.items() if name in declared and name.endswith(("_corpus", "_corpora"))
    ]
    corpora = [corpus for names in named if names for corpus in names.split(",")]
    columns = ["sentence", "sent_id"] if by_id else ["sentence"]
    read = [rows_read(engine, "sentences", corpus, columns) for corpus in corpora]
    numbered = [rows for rows in read if rows is not None]
    if len(numbered) < len(corpora):
        return False
    first = numbered[0]["sentence"]
    if not len(first) or any(not rows["sentence"].equals(first) for rows in numbered):
        return False
    if by_id:
        return all(rows["sent_id"].null_count == len(rows) for rows in numbered)
    records = records_of(engine)
    are_all = np.array_equal(first.to_numpy(), np.arange(len(first)))
    return are_all and all(records[corpus].n_sentences == len(first) for corpus in corpora)


def _compare_words(engine: Engine, pair: Pair) -> bool:
    """Whether two corpora have the same words. Raises Incomparable where they have not even the same text."""
    same = have_same_words(engine, pair)
    if not same:
        check_audit(engine, catalog.query("text_correspondence"), pair)
    return same


def have_same_words(engine: Engine, pair: Pair) -> bool:
    """Whether two corpora have the same words in the same sentences."""
    gold, system = (rows_read(engine, "words", corpus, ("sentence", "word", "form")) for corpus in pair.values())
    if gold is not None and gold.equals(system):
        return True
    return bool(engine.rows(catalog.query("same_words").statement.sql, pair)[0][0])


def _fill(engine: Engine, pair: Pair, *, empty: bool, stored: bool = False) -> None:
    """Replace the alignment of two corpora of the same text. empty: by none. stored: in the database."""
    keys = dict(zip(("gold", "system"), pair.values(), strict=True))
    statement = (
        "SELECT $gold_corpus AS gold, $system_corpus AS system, a.sentence, a.word, a.system_sentence, a.system_word\n"
        f"FROM (\n{catalog.query('aligned_words').statement.sql}\n) AS a"
    )
    engine.fill_table(ALIGNMENTS, keys, None if empty else statement, pair, stored=stored)


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


def find_columns(
    engine: Engine,
    query: Query,
    by: Sequence[str],
    condition: str | None,
    values: Mapping[str, object],
    *,
    absent_keys: bool = False,
) -> tuple[tuple[ItemColumn, ...], tuple[ItemColumn, ...]]:
    """Return the columns, or bins of them, that groups of a metric's items name, and those that an SQL condition names,
    each once; it may name others in subqueries.

    The case of columns in a condition does not matter, as in SQL, that of features and of the keys of comments does.
    values: of the metric's parameters. absent_keys: as for `plan_scores`. Raises UnknownName, UsageError.
    """
    _check_distinct("group by", by)
    groups = _ColumnScope.of_metric(engine, query, values, "column to group by", absent_keys)
    of_groups = tuple(groups.find_grouping(name) for name in by)
    items = _ColumnScope.of_metric(engine, query, values, absent_keys=absent_keys)
    named = {column.name: column for name in names_in_condition(condition) for column in items.find_named(name)}
    _check_distinct("select items by", list(named))
    return of_groups, tuple(named.values())


def find_of_sentences(engine: Engine, name: str, corpus: str) -> ItemColumn:
    """Return a column, or bins of one, of the sentences `i` of a corpus, which is the parameter `corpus` in its SQL.

    Raises UnknownName, UsageError.
    """
    return _ColumnScope(engine, None, "corpus", corpus, "column of sentences").find_grouping(name)


def names_in_condition(condition: str | None, *, subqueries: bool = True) -> list[str]:
    """Return the names of columns in a condition, written as groups are: `upos`, `meta."text[phon]"`, `feats.Case`.

    subqueries: whether to search these, which may have columns of their own.
    """
    column_names = []
    for *qualified_by, name in conditions.find_references(condition, subqueries=subqueries) if condition else ():
        prefix = f"{'.'.join(qualified_by).lower()}."
        if prefix == documents.COMMENT_PREFIX:
            column_names.append(documents.written_comment(name))
        elif prefix == FEATURE_PREFIX:
            column_names.append(f"{FEATURE_PREFIX}{name}")
        elif documents.comment_key(name) is not None or "/" not in name:  # bins are groups alone
            column_names.append(name)
    return column_names


def with_column_names(condition: str, columns: Sequence[ItemColumn]) -> str:
    """Return a condition that names columns as they are called: `"meta.speaker"` for `meta.speaker`."""
    named = {}
    for column in columns:
        key = documents.comment_key(column.name)
        if key is not None:
            named[documents.COMMENT_PREFIX.removesuffix("."), key] = quote(column.name)
        elif column.name.startswith(FEATURE_PREFIX):
            named[FEATURE_PREFIX.removesuffix("."), column.name.removeprefix(FEATURE_PREFIX)] = quote(column.name)
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
    return "\n".join(dict.fromkeys(join for column in columns for join in column.joins))


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
    absent_keys: as for `plan_scores`.
    """

    engine: Engine
    query: Query | None
    parameter: str
    corpus: object
    what: str
    absent_keys: bool = False

    @classmethod
    def of_metric(
        cls, engine: Engine, query: Query, values: Mapping[str, object], what: str = "", absent_keys: bool = False
    ) -> _ColumnScope:
        """Return the scope of the items of a metric. values: of its parameters."""
        parameter, what = str(query.reference_corpus), what or f"column of the items of {query.name}"
        return cls(engine, query, parameter, values.get(parameter), what, absent_keys)

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
        if self.query and column in {count.name for count in self.query.counts}:
            raise UsageError(f"{column} is a count; group by another column, or select items by it: --where")
        group = next(self._find_columns(column), None) or self._find_feature(column)
        if group is None:
            raise self.unknown(column)
        if width is None:
            return group
        return replace(group, name=name, bins=make_bins(name, column, group.kind, width))

    def find_named(self, name: str) -> Iterator[ItemColumn]:
        """Yield the column that a condition names; none for the name of something else, as in a subquery.

        Raises UnknownName for a comment or feature that the corpus lacks; UsageError for one that has the name of a
        column in another case.
        """
        key = documents.comment_key(name)
        if key is not None:
            item_column: ItemColumn | None = self._find_comment(key, name)
        else:
            item_column = next(self._find_columns(name.lower()), None)
            if item_column is not None and name != name.lower() and name in self.features:
                raise UsageError(f"{name} is a feature and a column; write {FEATURE_PREFIX}{name} or {name.lower()}")
            item_column = item_column or self._find_feature(name)
        if item_column is None and name.startswith(FEATURE_PREFIX):
            raise self.unknown(name)
        if item_column is not None:
            yield item_column

    def unknown(self, name: str, where: str = "") -> UnknownName:
        """Return the error of a name that is not there. where: the condition with it."""
        known = {name for table in self.tables for name in schemas.table(table).names}
        if self.query:
            known |= {column.name for column in self.query.columns} - {column.name for column in self.query.counts}
            known.update(self.features, attributes_of(self.query))
        note = f"a comment is written {documents.COMMENT_PREFIX}KEY" if "sentences" in self.tables else ""
        error = UnknownName(self.what, name, known, note)
        if not error.near:
            error.note = suggest_quotes(where, name) or note
        return error

    def _find_columns(self, name: str) -> Iterator[ItemColumn]:
        """Yield the columns of a name that are not features: of the items, of tables of the corpus, and attributes."""
        types = {column.name: column.type for column in self.query.columns} if self.query else {}
        if name in types:
            yield ItemColumn(name, f"i.{quote(name)}", types[name])
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
        if not self.absent_keys:
            keys = documents.comment_keys("c.corpus = $corpus")
            known = [known for (known,) in self.engine.rows(keys, {"corpus": self.corpus})]
            if key not in known:
                raise documents.unknown_comment(key, known)
        alias = quote(documents.written_comment(key))
        values = (
            f"SELECT v.sentence, min_by(v.value, v.position) AS value FROM comments AS v WHERE v.key = {literal(key)}"
        )
        comment_values = f"{values} AND v.value IS NOT NULL AND v.corpus = ${self.parameter} GROUP BY v.sentence"
        join = f"LEFT JOIN ({comment_values}) AS {alias} ON {alias}.sentence = i.sentence"
        return ItemColumn(name, f"{alias}.value", table="sentences", joins=(join,))

    def _find_feature(self, name: str) -> ItemColumn | None:
        """Return a morphological feature of the words of the corpus; None if they lack it."""
        feature = name.removeprefix(FEATURE_PREFIX)
        is_absent_key = self.absent_keys and name != feature and "words" in self.tables
        if not is_absent_key and feature not in self.features:
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

GROWING: Mapping[str, Mapping[int, str]] = {
    "double": {3: "3..4", 5: "5..8", 9: "9..16", 17: "17..32", 33: "33 and more"},
    "log": {5: "5..9", 10: "10..99", 100: "100..999", 1000: "1000 and more"},
}
"""In place of a width: bins that grow, for lengths and distances and, as those of compare-mt (Neubig et al. 2019), for
numbers of occurrences; by lower bounds, and numbers below have a bin each."""


@dataclass(frozen=True)
class Bins:
    """Bins of a width, as it is written, that begin at its multiples, or of GROWING. fractional: of a column of
    fractions."""

    width: str
    fractional: bool

    def number(self, value: str) -> str:
        """Return SQL for the number of a value's bin: the lower bound divided by the width; NULL for no value."""
        if self.width in GROWING:
            starts = " ".join(f"WHEN {value} >= {low} THEN {low}" for low in sorted(GROWING[self.width], reverse=True))
            return f"CAST(CASE {starts} ELSE {value} END AS BIGINT)"
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
            low, high = (
                f"CAST({bin_number} AS DECIMAL(19, 0)) * {width}" for bin_number in (number, f"({number} + 1)")
            )
        elif self.width in GROWING:
            names = " ".join(f"WHEN {low} THEN '{name}'" for low, name in GROWING[self.width].items())
            return f"CASE {number} {names} ELSE CAST({number} AS VARCHAR) END"
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
    if column and width in GROWING:
        return column, width
    if not (column and _WIDTH.fullmatch(width) and float(width) > 0):
        digits = f"a number above 0, of {MAX_WIDTH_DIGITS} digits at most, or {' or '.join(GROWING)}"
        raise UsageError(f"cannot group by {name}: bins are written COLUMN/WIDTH, and WIDTH is {digits}: n_words/10")
    return column, width.lstrip("0") if width.isdigit() else width


def make_bins(name: str, column: str, kind: str, width: str) -> Bins:
    """Return the bins of a column of a type. Raises UsageError for a column or width that bins cannot have."""
    if kind not in (*WHOLE, *FRACTIONAL):
        raise UsageError(f"cannot group by {name}: bins are of numbers, and {column} is {kind}; group by {column}")
    if width in GROWING and kind not in WHOLE:
        raise UsageError(f"cannot group by {name}: bins that grow are of whole numbers; write a width: {column}/0.1")
    if kind in WHOLE and not (width in GROWING or width.isdigit()):
        raise UsageError(f"cannot group by {name}: {column} has whole numbers, and so has the width of its bins")
    return Bins(width, kind in FRACTIONAL)


NO_ITEMS = "FALSE"
"""Condition on the items of a metric that lack a column of the grouping or of the condition."""

WHOLE_SUM = "HUGEINT"
"""Type of the sums of fractional counts as whole numbers."""

PARTIAL_SUM = "DECIMAL(38, 0)"
"""Type of whole sums outside of DuckDB: Arrow has it, but no HUGEINT."""

MAX_COUNT = 1e25
"""Bound of fractional counts: their sums in units of 1 / UNITS fit the type WHOLE_SUM, which has 128 bits."""


@dataclass(frozen=True)
class MetricPart:
    """The part of a table of scores that one metric computes.

    items: the name of its table expression. by: what they are grouped by; where: the condition, named: the columns that
    it names. attributes: those that groups and the condition name, each with its table expression, which are further
    columns of the items. sums: whether the sums of all counts are further columns of the scores.
    """

    query: Query
    items: str
    by: tuple[ItemColumn, ...] = ()
    where: str | None = None
    named: tuple[ItemColumn, ...] = ()
    attributes: tuple[tuple[Attribute, str], ...] = ()
    sums: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the counts that are shown, of the scores, and of the sums."""
        shown = (*(c.name for c in self.query.counts if c.shown), *(s.name for s in self.scores))
        return (*shown, *(sum_name(self.query, c) for c in self.query.counts)) if self.sums else shown

    @property
    def scores(self) -> tuple[Score, ...]:
        """Scores of the metric; those that are text about a sentence only if sentences are the groups."""
        return self.query.scores if self.is_by_sentence else self.query.ratios

    @property
    def is_by_sentence(self) -> bool:
        """Whether the groups are the sentences of the gold corpus."""
        return len(self.by) == 1 and self.by[0].is_sentence

    @property
    def own_columns(self) -> set[str]:
        """The columns that groups and the condition name, and that are in no other table."""
        return {column_of(column.name) for column in (*self.by, *self.named) if not column.joins}

    @cached_property
    def keys(self) -> list[str]:
        """The columns of the values of the groupings in rows of sums."""
        return [f"key_{number}" for number in range(len(self.by))]


@dataclass(frozen=True)
class ScoringPlan:
    """The SQL of several metrics of the same corpora, with their audits and the values of their parameters.

    faults: SQL for the number of faults that audits find; empty without audits. table: the name of a table of partial
    sums that are computed already; None where the statement of the scores computes them.
    """

    parts: tuple[MetricPart, ...]
    values: Mapping[str, object]
    audits: tuple[Query, ...]
    expressions: Sequence[tuple[str, str]]
    faults: str
    table: str | None = None

    @property
    def prefix(self) -> str:
        """`WITH ...` for what the sums of its parts read, or nothing."""
        return with_clause(self.expressions)

    @cached_property
    def sum_columns(self) -> list[str]:
        """The columns of sums in rows of all parts: one for every count of the largest part."""
        return [f"sum_{at}" for at in range(max(len(part.query.counts) for part in self.parts))]

    def check_audits(self, engine: Engine) -> None:
        """Raise Incomparable if an audit finds anything."""
        for audit in self.audits:
            check_audit(engine, audit, self.values)

    def execute(self, engine: Engine, sql: str, *, aggregated: bool = True) -> pa.Table:
        """Return the rows of a statement. Raises Incomparable, UnknownName, QueryError."""
        try:
            return engine.table(sql, self.values, aggregated=aggregated)
        except StatementError as error:
            self.check_audits(engine)  # a fault that stops a kernel may be one that an audit names
            first = self.parts[0]
            where = first.where or ""
            if isinstance(error, UnknownColumn) and error.column.lower() in catalog.words(where.lower()):
                scope = _ColumnScope.of_metric(engine, first.query, self.values)
                raise scope.unknown(error.column, where) from None
            if isinstance(error, NumberTooLarge):
                self._check_sizes(engine)
            raise error.of_query(", ".join(part.query.name for part in self.parts)) from None

    @property
    def is_of_sentences(self) -> bool:
        """Whether the items of a sentence depend on no other sentence, so that sums of ranges of sentences add up."""
        queries = [*(part.query for part in self.parts), *self.audits]
        queries += [attribute_query.query for part in self.parts for attribute_query, _ in part.attributes]
        named = {column_of(column.name) for part in self.parts for column in (*part.by, *part.named)}
        return not (
            any(catalog.reads_tables(part.where) for part in self.parts)
            or named.intersection(documents.MARKS)
            or catalog.cross_sentences(queries, self.values)
        )

    def rows_of(self, at: int, *, by_sentence: bool = False) -> str:
        """Return SQL in FROM for the rows of sums of a part: its columns `key_0`, ..., `sum_0`, ... and `sentence`."""
        if self.table is None:
            return f"(\n{_sums_of_items(self.parts[at], by_sentence=by_sentence)}\n)"
        return f"(SELECT t.* FROM {quote(self.table)} AS t WHERE t.part = {at})"

    @cached_property
    def added_up(self) -> list[str]:
        """SQL that adds up each of the columns of sums in rows `s`."""
        values = (f"s.{name}" for name in self.sum_columns)
        return [f"sum({value})" if self.table is None else f"sum(CAST({value} AS {WHOLE_SUM}))" for value in values]

    def partial_sums(self, engine: Engine, sentences: range | None = None, *, by_sentence: bool) -> pa.Table | None:
        """Return the sums of the counts of a block of sentences per group, and per sentence where asked for.

        They add up: a row for every part and group, with columns `part`, `sentence`, `key_0`, ..., `sum_0`, ...
        sentences: those of the block, of whatever the engine holds; None for all. Returns None where audits find faults
        among some sentences, and none in the whole. Raises Incomparable, QueryError.
        """
        sql = self._partial_sums_statement(by_sentence=by_sentence)
        sums = self.execute(engine, sql if sentences is None else of_range(engine, sql, sentences))
        if not self.faults:
            return sums
        is_sum = pc.less(sums["part"], len(self.parts))
        if any(sums.filter(pc.invert(is_sum))["sum_0"].to_pylist()):
            self.check_audits(engine)
            if sentences is not None:
                return None
        return sums.filter(is_sum)

    def _partial_sums_statement(self, *, by_sentence: bool) -> str:
        """The rows of sums of all parts; where there are audits, that of the part after the last one has the number of
        faults in `sum_0`."""
        names = self.sum_columns
        keys = ["sentence"] * by_sentence + self.parts[0].keys
        rows = []
        for at, part in enumerate(self.parts):
            columns = [f"s.{key}" for key in keys]
            columns += [f"CAST(s.{name} AS {PARTIAL_SUM}) AS {name}" for name in names[: len(part.query.counts)]]
            columns += _nulls(names[len(part.query.counts) :], PARTIAL_SUM)
            rows.append(
                f"SELECT {at} AS part, {', '.join(columns)}\nFROM {self.rows_of(at, by_sentence=by_sentence)} AS s"
            )
        if self.faults:
            faults = [f"CAST({self.faults} AS {PARTIAL_SUM}) AS {names[0]}", *_nulls(names[1:], PARTIAL_SUM)]
            rows.append(f"SELECT {', '.join([str(len(self.parts)), *['NULL'] * len(keys), *faults])}")
        return self.prefix + "\nUNION ALL\n".join(rows)

    def counts_of(self, sums: pa.Table) -> dict[str, int]:
        """Return the counts that are shown, over all groups of partial sums."""
        totals: dict[str, int] = {}
        for at, part in enumerate(self.parts):
            rows = sums.filter(pc.equal(sums["part"], at)) if len(self.parts) > 1 else sums
            for name, count in zip(self.sum_columns, part.query.counts, strict=False):
                if count in part.query.shown_counts:
                    totals[count.name] = totals.get(count.name, 0) + (pc.sum(rows[name]).as_py() or 0)
        return totals

    def sentences_with(self, sums: pa.Table, name: str) -> list[int]:
        """Return the sentences in whose partial sums a count is not 0, in order."""
        sentences: set[int] = set()
        for at, part in enumerate(self.parts):
            counted = [column for column, count in zip(self.sum_columns, part.query.counts, strict=False)
                       if count.name == name]  # fmt: skip
            for column in counted:
                is_counted = pc.and_(pc.equal(sums["part"], at), pc.greater(sums[column], 0))
                sentences.update(sums.filter(is_counted)["sentence"].to_pylist())
        return sorted(sentences)

    def over_sums(self, table: str) -> ScoringPlan:
        """Return the plan that computes the same scores from the partial sums of all blocks, in a table."""
        return replace(self, audits=(), expressions=(), faults="", table=table)

    def _check_sizes(self, engine: Engine) -> None:
        """Raise UsageError if a fractional count cannot be summed: it is infinite, NaN or huge."""
        for part in self.parts:
            for count in part.query.counts:
                if count.type != "DOUBLE":
                    continue
                sql = (
                    f"{self.prefix}SELECT i.sentence, i.{count.name}\nFROM {selected_items(part)} AS i\n"
                    f"WHERE NOT abs(i.{count.name}) < {MAX_COUNT}\nORDER BY i.sentence, i.{count.name} LIMIT 1"
                )
                for row in execute(engine, sql, part.query.name, self.values).to_pylist():
                    value = f"{count.name} of sentence {row['sentence']} is {row[count.name]:g}"
                    raise UsageError(f"{part.query.name}: {value}, and only numbers below {MAX_COUNT:g} are summed")


def _nulls(names: Sequence[str], kind: str) -> list[str]:
    """Return SQL for columns without values."""
    return [f"CAST(NULL AS {kind}) AS {name}" for name in names]


def _sums_of_items(part: MetricPart, *, by_sentence: bool) -> str:
    """Return SQL for the counts of a part summed to whole numbers per group, and per sentence where asked for.

    Fractional counts are summed in units of 1 / UNITS, so that no partial sum is rounded: sums are equal for any order
    of rows, blocks and number of threads.
    """
    keys = [("i.sentence", "sentence")] * by_sentence + [
        (column.key, key) for column, key in zip(part.by, part.keys, strict=True)
    ]
    columns = [f"{value} AS {name}" for value, name in keys]
    for number, count in enumerate(part.query.counts):
        value = f"i.{count.name}"
        if count.type == "DOUBLE":
            value = f"CAST(round({value} * {UNITS}) AS {WHOLE_SUM})"
        columns.append(f"sum({value}) AS sum_{number}")
    group = f"\nGROUP BY {', '.join(value for value, _ in keys)}" if keys else ""
    return f"SELECT {', '.join(columns)}\nFROM {selected_items(part)} AS i\n{joins_of(part.by)}{group}"


def sum_name(query: Query, count: Column) -> str:
    """Return the name of the column with the sum of a count, which no score or count of another metric has."""
    return f"{query.name}__{count.name}"


def selected_items(part: MetricPart) -> str:
    """Return SQL for the scored items of a part, with their attributes and the columns that the condition names."""
    items = f"({_with_attributes(part)})" if part.attributes else part.items
    joined = [column for column in part.named if column.joins]
    if joined:
        columns = ", ".join(f"{column.value} AS {quote(column.name)}" for column in joined)
        items = f"(SELECT i.*, {columns} FROM {items} AS i\n{joins_of(joined)})"
    if not part.where:
        return items
    named = items if items == part.items else f"{items} AS {part.items}"
    return f"(SELECT * FROM {named} WHERE ({with_column_names(part.where, part.named)}\n))"


def _with_attributes(part: MetricPart) -> str:
    """Return SQL for the items with the columns of their attributes; tables are joined once, whatever is read."""
    aliases: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    columns, joins = ["i.*"], []
    for attribute, table in part.attributes:
        if (table, attribute.keys) not in aliases:
            alias = aliases[table, attribute.keys] = f"a{len(aliases)}"
            same = " AND ".join(f"{alias}.{key} = i.{column}" for column, key in attribute.keys)
            joins.append(f"LEFT JOIN {table} AS {alias} ON {same}")
        columns.append(f"{aliases[table, attribute.keys]}.{attribute.column.name} AS {attribute.name}")
    return f"SELECT {', '.join(columns)} FROM {part.items} AS i " + " ".join(joins)


def find_metric(name: str) -> Query:
    """Return the metric of a name. Raises UnknownName, UsageError."""
    if name not in catalog.names():
        metrics_with_score = [
            query.name for query in catalog.all_queries().values() if name in {score.name for score in query.scores}
        ]
        if metrics_with_score:
            raise UsageError(f"{name} is a score; name its metric, {' or '.join(metrics_with_score)}")
    query = catalog.query(name)
    if query.kind != "metric":
        metrics = [entry.name for entry in catalog.all_queries().values() if entry.kind == "metric"]
        raise UsageError(f"{name} is a {query.kind} and has no scores; metrics are {', '.join(metrics)}")
    return query


def scores_of(columns: Mapping[str, Sequence[str]]) -> list[tuple[Query, tuple[Score, ...]]]:
    """Return the metrics, each with its ratios among the chosen columns, in the order of these.

    columns: by metric, the names of counts and scores. Raises UsageError for a metric without a ratio among them, and
    for two scores of one name.
    """
    ratios_of_metrics = []
    for name, chosen in columns.items():
        query = catalog.query(name)
        ratios = {ratio.name: ratio for ratio in query.ratios}
        scores = tuple(ratios[score_name] for score_name in chosen if score_name in ratios)
        if not scores:
            known = ", ".join(ratio.name for ratio in query.ratios)
            raise UsageError(f"{', '.join(chosen)} of {name} cannot be compared; its scores are {known}")
        ratios_of_metrics.append((query, scores))
    check_distinct_scores({query.name: [score.name for score in scores] for query, scores in ratios_of_metrics})
    return ratios_of_metrics


def plan_scores(
    engine: Engine,
    metrics: Sequence[str],
    parameters: Mapping[str, object],
    by: Sequence[str],
    where: str | None,
    columns: Sequence[str] = (),
    *,
    of_blocks: bool = False,
    absent_keys: bool = False,
) -> ScoringPlan:
    """Return what `score` runs; words that it pairs are aligned before, if they differ.

    columns: further columns of the items that are read. of_blocks: whether words are aligned later, block by
    block, by `word_alignments.align_block`. absent_keys: whether features and comments that the corpus lacks may be
    named, by `feats.` and `meta.`: they are NULL. Raises UsageError, UnknownName, Incomparable.
    """
    if not metrics:
        raise UsageError("name at least one metric")
    queries = [find_metric(name) for name in metrics]
    check_distinct_scores({query.name: [score.name for score in query.scores] for query in queries})
    if where is not None:
        engine.check_condition(where)
    values = values_of(queries, parameters)
    check_corpora(engine, queries[0], values)
    values |= _further_values(engine, queries, parameters, by, where)
    done_audits = pair_words(engine, queries, values, of_blocks=of_blocks) | audits_of_order(engine, queries, values)
    done_audits |= _audits_of_heads(engine)
    needed = {audit.name: audit for query in queries for audit in query.audit_queries if audit.name not in done_audits}
    audits = tuple(needed.values())
    for audit in audits:
        values |= audit.values(declared_values(audit, values))  # the defaults of what only audits declare
    by_columns, named_columns = find_columns(engine, queries[0], by, where, values, absent_keys=absent_keys)
    first = MetricPart(queries[0], "", by_columns, where, named_columns)
    parts = [first, *(_further_part(engine, first, query, values, absent_keys) for query in queries[1:])]
    named = [attributes_named(part.query, part.own_columns) for part in parts]
    calls = {attribute.call: attribute.query for attributes in named for attribute in attributes}
    read = [_query_read(part, columns) for part in parts]
    expressions, names = catalog.expand_together([*read, *audits], list(calls))
    n_called = len(queries) + len(audits)
    tables = dict(zip(calls, names[n_called:], strict=True))
    faults = " + ".join(f"(SELECT count(*) FROM {name})" for name in names[len(queries) : n_called])
    whole = tuple(
        replace(part, items=name, attributes=tuple((attribute, tables[attribute.call]) for attribute in attributes))
        for part, name, attributes in zip(parts, names, named, strict=False)
    )
    return ScoringPlan(whole, values, audits, expressions, faults)


def values_of(queries: Sequence[Query], parameters: Mapping[str, object]) -> dict[str, object]:
    """Return a value for every parameter of several queries. Raises UnknownName, UsageError."""
    names = {p.name for query in queries for p in query.parameters}
    for name in parameters:
        if name not in names and not any(name in further_corpora(query) for query in queries):
            raise UnknownName(f"parameter of {', '.join(query.name for query in queries)}", name, names)
    return {
        name: value for query in queries for name, value in query.values(declared_values(query, parameters)).items()
    }


def _further_values(
    engine: Engine, queries: Sequence[Query], parameters: Mapping[str, object], by: Sequence[str], where: str | None
) -> dict[str, object]:
    """Return the corpora that the attributes of groups and the condition describe and no metric declares.

    Raises UsageError, UnknownName.
    """
    names = {column_of(name) for name in by}.union(catalog.words((where or "").lower()))
    corpora: dict[str, object] = {}
    for parameter, attribute in {
        name: attribute_of_corpus
        for query in queries
        for name, attribute_of_corpus in further_corpora(query, names).items()
    }.items():
        if parameter not in parameters:
            role = parameter.removesuffix("_corpus").removesuffix(OF_WORDS)
            raise UsageError(f"{attribute} is of the {role} words, and no corpus of them is named; name it: --{role}")
        check_corpus(engine, str(parameters[parameter]))
        corpora[parameter] = parameters[parameter]
    return corpora


def _further_part(
    engine: Engine, first: MetricPart, query: Query, values: Mapping[str, object], absent_keys: bool
) -> MetricPart:
    """Return a further metric of the same table.

    It has no items, so that its scores are NULL, if its items lack a grouping column or a column of the condition.
    """
    without_items = MetricPart(query, "", tuple(column.without_items for column in first.by), NO_ITEMS)
    try:
        names = [column.name for column in first.by]
        by, named = find_columns(engine, query, names, first.where, values, absent_keys=absent_keys)
    except (UnknownName, UsageError):
        return without_items
    columns = {column.name: column for column in named}
    outside = {name.lower() for name in names_in_condition(first.where, subqueries=False)}
    needed = [column for column in first.named if column.table is None or column.name.lower() in outside]
    if not columns.keys() >= {column.name for column in needed}:
        return without_items
    pairs = [*zip(by, first.by, strict=True), *((columns[column.name], column) for column in needed)]
    return MetricPart(query, "", by, first.where, named) if all(_is_same(*pair) for pair in pairs) else without_items


def _is_same(column: ItemColumn, of_first: ItemColumn) -> bool:
    """Whether a column of items is that of the first metric's, whose own columns are those of words."""
    return column.table == of_first.table or (of_first.table is None and column.table == "words")


def _query_read(part: MetricPart, columns: Sequence[str]) -> Query:
    """Return the query whose rows are summed: the metric's, or its totals, where groups, the condition and further
    columns name nothing else of its items."""
    totals = part.query.totals_query
    if totals is None or part.where == NO_ITEMS or catalog.contains_query(part.where):
        return part.query
    if any(column.table not in (None, *OF_SENTENCES) for column in (*part.by, *part.named)):
        return part.query
    named = part.own_columns.union(columns)
    counts = {count.name for count in part.query.counts}
    kept = {column.name for column in totals.columns} - counts
    return totals if not ({column.name for column in part.query.columns} - kept).intersection(named) else part.query
