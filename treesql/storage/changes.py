"""SQL that changes rows: in one transaction with checks of the new rows and updates of derived rows and columns.

Rows are summed up by sentence before and after (a sum of hashes, which no order of rows changes), so that only changed
sentences are checked. What a reader would refuse is refused; derived columns and rows are recomputed; the record of a
changed corpus says so, with a digest of its rows instead of that of its files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import duckdb
import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.catalog.schemas import Derived, quote
from treesql.engines.conditions import check_parsing_time
from treesql.engines.duckdb import DuckDB, delete_pairs, in_transaction, returns_rows, transaction, values_of_statement
from treesql.engines.streams import with_arrow_types
from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput, UsageError, Warn
from treesql.kernels.arrays import Ints
from treesql.readers import Options
from treesql.readers.alignments.links import LinkWarnings
from treesql.readers.dependencies.columns import METADATA, RepeatedFeatures
from treesql.runtime import failures
from treesql.storage import derived_rows, link_checks, loading, row_rules
from treesql.storage.row_rules import CheckedRows, RuleFault

_READS = frozenset({"SELECT", "EXPLAIN", "SET", "VARIABLE_SET", "ATTACH", "DETACH", "LOAD", "EXPORT", "PREPARE"}) | {
    "PRAGMA", "CALL", "VACUUM", "RELATION"
}  # fmt: skip
"""Types of statements that change no rows, unless they contain one that does."""

_WRITES = frozenset({"insert", "update", "delete", "merge", "truncate", "import"})
"""Words of statements that change rows inside others: `WITH x AS (UPDATE ...)`, EXPLAIN ANALYZE, IMPORT DATABASE."""

_BEGIN_STATEMENT = re.compile(r"\b(begin|start\s+transaction)\b", re.IGNORECASE)
_NO_TRANSACTION = frozenset(
    {"TRANSACTION", "ATTACH", "DETACH", "CALL", "VACUUM", "PRAGMA", "COPY_DATABASE", "EXPORT", "LOAD"}
)
"""Types of statements that cannot run in a transaction, or reach other databases."""

_LABELS = "constituent_labels"
"""The table that is derived from others, but for the order of its numbers."""

_FILL_LABELS = """
INSERT INTO constituent_labels
SELECT $corpus, row_number() OVER (ORDER BY l.label NULLS FIRST), l.label
FROM (SELECT c.label FROM constituents AS c WHERE c.corpus = $corpus
      UNION
      SELECT w.xpos FROM words AS w WHERE w.corpus = $corpus) AS l
"""
_NAMES = [f"s.{name}" for name in METADATA]
_NAMED_BY = f"hash({', '.join(METADATA)})"
"""SQL for a digest of the columns of sentences that comments define: `named_by` of `before_sentences`."""

_EDITABLE = frozenset({"corpus", "treebank", "language", "score_sense"})
"""Columns of corpora that a user may change."""

_READ_ONLY = "SELECT d.readonly FROM duckdb_databases() AS d WHERE d.database_name = current_database()"
_DDL = """
SELECT t.table_name, t.sql FROM duckdb_tables() AS t
WHERE t.database_name = current_database() AND t.schema_name = 'main' AND NOT t.temporary
"""


def may_change_rows(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether statements may change rows and can run in one transaction; False where they cannot be parsed.

    Raises UsageError for statements about transactions among those that may change rows of treesql's tables.
    """
    check_parsing_time(connection, sql)
    try:
        types = [str(statement.type).rpartition(".")[2] for statement in connection.extract_statements(sql)]
    except (duckdb.Error, ValueError, TypeError):  # a kind of statement that the client cannot name; what is no text
        return False  # running it reports what is wrong
    words = catalog.words(sql.lower())
    if _READS.issuperset(types) and words.isdisjoint(_WRITES):
        return False
    [(read_only,)] = connection.execute(_READ_ONLY).fetchall()
    if read_only:
        return False
    if "EXECUTE" not in types and words.isdisjoint(schemas.all_tables()):
        return _NO_TRANSACTION.isdisjoint(types) and not in_transaction(connection)
    if "TRANSACTION" in types:
        raise UsageError(
            "BEGIN, COMMIT and ROLLBACK cannot be used here: all statements of one call are one transaction, which is "
            "checked before it is committed; leave them out"
        )
    return True


def roll_back_begun(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Roll back a transaction that failed statements began; one that was open before is the caller's."""
    if _BEGIN_STATEMENT.search(sql):
        with suppress(duckdb.Error):  # no transaction is open
            connection.execute("ROLLBACK")


def run(
    engine: DuckDB,
    sql: str,
    parameters: Mapping[str, object],
    warn: Warn = lambda warning: None,
) -> list[pa.Table]:
    """Run statements in one transaction, and return the rows of each that has some.

    warn: called with the warnings about changed sentences, after the transaction.
    Raises InvalidInput where changed rows are invalid, UsageError where records or columns of treesql were changed,
    QueryError; then nothing has changed.
    """
    connection = engine.connection
    words = catalog.words(sql.lower())
    every = list(schemas.corpus_tables())
    statements = connection.extract_statements(sql)
    prepared = any(str(statement.type).endswith("EXECUTE") for statement in statements)
    named = [table for table in every if table.name != "corpora" and (prepared or table.name in words)]
    if in_transaction(connection):
        hint = "commit it or roll it back; SQL that changes rows is a transaction of its own"
        raise UsageError(f"a transaction is open on this connection; {hint}")
    with transaction(connection):
        before = _StateBefore(connection, named)
        try:
            rows = _execute(connection, statements, parameters)
        except duckdb.Error as error:
            if failures.was_interrupted(error):
                raise
            raise failures.statement_error(error, sql) from None
        warnings = _check_and_update_rows(
            engine, before, named, features=prepared or not words.isdisjoint(("features", "feature_lists"))
        )
        before.forget(connection)
    for warning in warnings:
        warn(warning)
    return rows


class _StateBefore:
    """The state before statements run; sums of rows are in temporary tables `before_TABLE`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, named: Sequence[schemas.Table]) -> None:
        self.named = named
        self.ddl = _ddl(connection)
        self.installation = _rows(connection, "installation")
        self.corpora = {str(row["corpus"]): row for row in _rows(connection, "corpora")}
        for table in named:
            connection.execute(f"CREATE OR REPLACE TEMP TABLE before_{table.name} AS {_sums(table)}")

    def forget(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Drop the sums."""
        for table in self.named:
            connection.execute(f"DROP TABLE before_{table.name}")
        connection.execute("DROP TABLE changed_sentences")
        connection.execute("DROP TABLE IF EXISTS differing")


def _check_and_update_rows(
    engine: DuckDB, before: _StateBefore, named: Sequence[schemas.Table], *, features: bool
) -> list[Diagnostic]:
    """Check changed rows, update derived ones and the records of the corpora; returns the warnings about them.

    Raises InvalidInput, UsageError.
    """
    connection = engine.connection
    _check_ddl_unchanged(connection, before)
    after = {str(row["corpus"]): row for row in _rows(connection, "corpora")}
    _check_records(connection, before.corpora, after)
    _fill_changed_sentences(connection, named)
    sql = "SELECT corpus, bool_or(own), list(DISTINCT of_table) FROM changed_sentences GROUP BY corpus ORDER BY corpus"
    found = {
        corpus: (has_own, set(changed_tables)) for corpus, has_own, changed_tables in connection.execute(sql).fetchall()
    }
    _check_known_corpora(connection, found.keys() | before.corpora.keys(), after)
    for corpus, (_, changed) in found.items():
        if corpus in after:
            _check_and_fill(connection, corpus, after[corpus], changed)
    for corpus in found.keys() | (before.corpora.keys() - after.keys()):
        delete_pairs(connection, corpus)
    _check_links(engine, [corpus for corpus in found if corpus in after])
    texts = {"words", "tokens", "empty_nodes"}
    if features:
        connection.execute("DELETE FROM feature_lists")
    of_features = (
        list(after) if features else [name for name, (_, tables) in found.items() if texts & tables and name in after]
    )
    if of_features:
        loading.fill_feature_lists(engine, of_features, Options())
    if any(texts & tables for _, tables in found.values()):
        loading.delete_unused_features(engine)
    for corpus, row in after.items():
        has_own = corpus in found and found[corpus][0]
        known = before.corpora.get(corpus)
        if has_own or known is None or known["score_sense"] != row["score_sense"]:
            _update_record(connection, corpus, row)
    return [
        warning
        for corpus in found
        if corpus in after
        for warning in find_warnings(connection, corpus, str(after[corpus]["kind"]))
    ]


def _check_and_fill(
    connection: duckdb.DuckDBPyConnection, corpus: str, row: Mapping[str, object], changed: set[str]
) -> None:
    """Check the rows of a corpus and update derived ones. Raises InvalidInput."""
    kind, reading = str(row["kind"]), row["reading"]
    cycles = reading is None or "permissive" in str(reading).split()
    rows = rows_to_check(connection, corpus, kind)
    tables = [table for table in schemas.corpus_tables() if table.name != "corpora"]
    derivations = [
        (table, derivation) for table in tables for derivation in table.derived if schemas.is_of_kind(derivation, kind)
    ]
    if kind == "constituency":
        connection.execute(f"DELETE FROM {_LABELS} WHERE corpus = $corpus", {"corpus": corpus})
        connection.execute(_FILL_LABELS, {"corpus": corpus})
    for table, derived in derivations:
        if derived.counted:
            derived_rows.fill(rows, table, derived, corpus, cycles=cycles)
    given = [table for table in tables if not _is_derived(table)]
    _refuse(corpus, (fault for table in given for fault in _find_faults(rows, table, changed)))
    _fill_computed(connection, corpus)
    if kind == "constituency":
        rows = replace(rows, tables=rows.whole)  # as labels may have other numbers
    for table, derived in derivations:
        if not derived.counted and changed & {table.name, *schemas.tables_read(derived.sql)}:
            if derived.given and derived.columns and table.name in changed:
                _refuse(corpus, _find_renamed(rows, table, derived))
            _refuse(corpus, derived_rows.fill(rows, table, derived, corpus, cycles=cycles))
            if not derived.columns:
                _refuse(corpus, _find_faults(rows, table, changed | {table.name}))
            if derived.given and not derived.columns:
                _refuse(corpus, _find_replaced(rows, table, derived))


def rows_to_check(connection: duckdb.DuckDBPyConnection, corpus: str, kind: str, of_table: str = "") -> CheckedRows:
    """The rows of sentences that were changed; of_table: SQL for the tables in which they were."""
    every = {table.name: f"SELECT * FROM main.{table.name} WHERE corpus = $corpus" for table in schemas.corpus_tables()}
    changed = f"SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus{of_table}"
    tables = {
        name: f"{sql} AND sentence IN ({changed.format(table=name)})"
        if "sentence" in schemas.table(name).names
        else sql
        for name, sql in every.items()
    }
    of_sentences = changed.format(table="sentences")
    every["sentences"] = f"SELECT *, sentence IN ({of_sentences}) AS changed FROM main.sentences WHERE corpus = $corpus"
    return CheckedRows(connection, kind, tables, every, {"corpus": corpus})


def _find_faults(rows: CheckedRows, table: schemas.Table, changed: set[str]) -> Iterator[RuleFault]:
    """What is wrong with the rows of a table, as far as it was changed, or what it is compared with."""
    if changed & {table.name, "sentences"}:
        yield from row_rules.find_structure_faults(rows, table)
    rules = [
        rule
        for rule in table.rules
        if schemas.is_of_kind(rule, rows.kind)
        and (rule.where or changed & {table.name, *schemas.tables_read(rule.rows or "")})
    ]
    yield from row_rules.find_row_faults(rows, table, rules)


def _refuse(corpus: str, faults: Iterable[RuleFault]) -> None:
    """Raises InvalidInput where there are faults."""
    diagnostics = [
        Diagnostic.error(
            corpus,
            0,
            f"{fault.table}: {', '.join(f'{name} {value}' for name, value in fault.key.items())}: {fault.what}",
            fault.hint,
        )
        for fault in faults
    ]
    if diagnostics:
        raise InvalidInput(diagnostics[:FAULTS_SHOWN])


def _fill_computed(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute columns from others of their row."""
    among = "corpus = $corpus AND sentence IN (SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus)"
    for table in schemas.corpus_tables():
        for column in table.columns:
            if column.computed:
                made = f"UPDATE {table.name} SET {column.name} = {column.computed} WHERE {among}"
                connection.execute(f"{made} AND {column.name} IS DISTINCT FROM ({column.computed})", {"corpus": corpus})


def _find_renamed(rows: CheckedRows, table: schemas.Table, derived: Derived) -> Iterator[RuleFault]:
    """Sentences whose derived columns were changed, and not to what they are derived from."""
    renamed = f"""
    SELECT s.sentence FROM main.sentences AS s
    LEFT JOIN before_sentences AS b ON b.corpus = s.corpus AND b.sentence = s.sentence
    WHERE s.corpus = $corpus AND CASE WHEN b.sentence IS NULL THEN coalesce({", ".join(_NAMES)}) IS NOT NULL
                                      ELSE b.named_by <> {_NAMED_BY} END"""
    among = {table.name: f"SELECT * FROM ({rows.tables[table.name]}) AS t WHERE t.sentence IN ({renamed})"}
    yield from derived_rows.find_stale(replace(rows, tables={**rows.tables, **among}), table, derived, cycles=False)


def _find_replaced(rows: CheckedRows, table: schemas.Table, derived: Derived) -> Iterator[RuleFault]:
    """The sentences whose rows of a derived table were changed, and not to what they are derived from."""
    sql = f"""
    SELECT x.sentence FROM differing AS x
    WHERE x.sentence IN (SELECT d.sentence FROM changed_sentences AS d
                         WHERE d.corpus = $corpus AND d.of_table = '{table.name}')
    ORDER BY 1 LIMIT {FAULTS_SHOWN}"""
    what, hint = (
        f"it has other rows than those derived from {derived.source}",
        f"change {derived.source}; these rows follow",
    )
    for (sentence,) in rows.connection.execute(sql, rows.values).fetchall():
        yield RuleFault(table.name, {"sentence": sentence}, what, hint)


def find_warnings(connection: duckdb.DuckDBPyConnection, corpus: str, kind: str) -> Iterator[Diagnostic]:
    """The warnings about the changed sentences of a corpus, each about the table that was changed."""
    rows = rows_to_check(connection, corpus, kind, " AND d.of_table = '{table}'")
    if kind == "alignment":
        links = LinkWarnings()
        [(links.outside,)] = rows.execute(row_rules.UNLIKELY).fetchall()
        yield from links.warnings(corpus)
    elif kind == "dependency":
        warned = row_rules.find_warned(rows, RepeatedFeatures())
        ids = rows.execute(row_rules.REPEATED_IDS.format(by="s.file, s.sent_id"), whole=True).fetchnumpy()["sentence"]
        warned[row_rules.IDS] = np.sort(np.asarray(ids, np.int64))

        def names(sentences: Ints) -> list[str | None]:
            sql = "SELECT s.sentence, s.sent_id FROM sentences AS s WHERE list_contains($sentences, s.sentence)"
            statement = rows.statement(sql, whole=True)
            values = {**rows.values, "sentences": sentences.tolist()}
            known = dict(connection.execute(statement, values).fetchall())
            return [known.get(sentence) for sentence in sentences.tolist()]

        for warning in row_rules.warnings_of(warned, names, "sentence", corpus, 0):
            yield Diagnostic.warning(corpus, 0, warning.what, warning.hint)


def _check_ddl_unchanged(connection: duckdb.DuckDBPyConnection, before: _StateBefore) -> None:
    """Raises UsageError where tables of treesql were changed."""
    after = _ddl(connection)
    for name in schemas.all_tables():
        if after.get(name) != before.ddl.get(name):
            raise UsageError(
                f"{name} is a table of treesql, whose columns and conditions stay as they are; make a table of your "
                "own, and join the two"
            )
    if _rows(connection, "installation") != before.installation:
        raise UsageError("installation is maintained by treesql and cannot be changed")


def _check_records(
    connection: duckdb.DuckDBPyConnection,
    before: Mapping[str, Mapping[str, object]],
    after: Mapping[str, Mapping[str, object]],
) -> None:
    """Raises UsageError where the table corpora is inconsistent, or columns of it were changed that no user may."""
    [(n,)] = connection.execute("SELECT count(*) FROM corpora").fetchall()
    if n != len(after):
        raise UsageError("corpora: two corpora have one name; give each its own")
    for corpus, row in after.items():
        for what in row_rules.find_record_faults(row):
            raise UsageError(f"corpora: {corpus}: {what}")
        for name, value in row.items():
            if corpus in before and name not in _EDITABLE and value != before[corpus][name]:
                free = ", ".join(sorted(_EDITABLE))
                raise UsageError(f"corpora: {name} of {corpus} is maintained by treesql; only {free} can be changed")


def _check_known_corpora(
    connection: duckdb.DuckDBPyConnection, corpora: set[str], after: Mapping[str, Mapping[str, object]]
) -> None:
    """Raises InvalidInput where corpora have rows and are not in the table corpora."""
    faults = []
    for corpus in sorted(corpora - after.keys()):
        for table in schemas.corpus_tables():
            sql = f"SELECT count(*) FROM {table.name} WHERE corpus = ?"
            [(n,)] = connection.execute(sql, [corpus]).fetchall()
            if n:
                what = f"{table.name} has {n:,} rows of this corpus, which is not in corpora"
                faults.append(
                    Diagnostic.error(corpus, 0, what, "add it there, rename it in all tables, or use `treesql drop`")
                )
    if faults:
        raise InvalidInput(faults[:FAULTS_SHOWN])


def _check_links(engine: DuckDB, changed: Sequence[str]) -> None:
    """Raises InvalidInput where links of or to changed corpora lie outside of their sentences."""
    if not changed:
        return
    sql = """
    SELECT DISTINCT a.corpus, s.corpus, t.corpus FROM alignments AS a
    LEFT JOIN corpora AS s ON s.corpus = a.source_corpus
    LEFT JOIN corpora AS t ON t.corpus = a.target_corpus
    WHERE a.corpus IN (SELECT unnest($changed)) OR s.corpus IN (SELECT unnest($changed))
       OR t.corpus IN (SELECT unnest($changed))
    ORDER BY ALL
    """
    for corpus, source, target in engine.rows(sql, {"changed": list(changed)}):
        if source or target:
            link_checks.check_links(engine, corpus, source, target, {})


def _fill_changed_sentences(connection: duckdb.DuckDBPyConnection, named: Sequence[schemas.Table]) -> None:
    """Fill the table changed_sentences. own: whether anything changed that is not derived."""
    columns = "corpus VARCHAR, sentence INTEGER, of_table VARCHAR, own BOOLEAN"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE changed_sentences ({columns})")
    for table in named:
        connection.execute(
            f"""
            INSERT INTO changed_sentences
            SELECT coalesce(b.corpus, a.corpus), coalesce(b.sentence, a.sentence), '{table.name}',
                   b.own IS DISTINCT FROM a.own
            FROM before_{table.name} AS b
            FULL JOIN ({_sums(table)}) AS a ON a.corpus = b.corpus AND a.sentence = b.sentence
            WHERE (b.n, b.whole) IS DISTINCT FROM (a.n, a.whole)
            """
        )


def _sums(table: schemas.Table) -> str:
    """SQL for sums of the rows of a table by sentence: of all columns, and of those that are not derived."""
    sentence = "sentence" if "sentence" in table.names else "0"
    further = f", any_value({_NAMED_BY}) AS named_by" if table.name == "sentences" else ""
    return f"""
    SELECT corpus, {sentence} AS sentence, count(*) AS n, sum({_hash(table.names)}) AS whole,
           {_sum_of_given(table)} AS own{further}
    FROM {table.name} GROUP BY corpus{", sentence" if sentence == "sentence" else ""}
    """


def _sum_of_given(table: schemas.Table, without: frozenset[str] = frozenset()) -> str:
    """SQL for the sum of the columns that are not derived, NULL where all are."""
    made = {name for derivation in table.derived if not derivation.given for name in derivation.columns}
    made |= {column.name for column in table.columns if column.computed} | without | {"corpus"}
    names = [name for name in table.names if name not in made]
    return "CAST(NULL AS HUGEINT)" if _is_derived(table) else f"sum({_hash(names)})"


def _is_derived(table: schemas.Table) -> bool:
    """Whether all rows of a table are derived from others."""
    return table.name == _LABELS or any(not derivation.columns for derivation in table.derived)


def _hash(names: Sequence[str]) -> str:
    return f"hash({', '.join(map(quote, names))})"


def _update_record(connection: duckdb.DuckDBPyConnection, corpus: str, row: Mapping[str, object]) -> None:
    """Update the record of a changed corpus: its sizes, a digest of its rows, and the time of the change."""
    parts = [f"score_sense {row['score_sense']}"]
    for table in schemas.corpus_tables():
        if table.name == "corpora" or _is_derived(table):
            continue
        checksum = _sum_of_given(table, frozenset({"file"}))  # the same file may lie elsewhere
        sql = f"SELECT count(*), {checksum} FROM {table.name} WHERE corpus = ?"
        [(n, total)] = connection.execute(sql, [corpus]).fetchall()
        if n:
            parts.append(f"{table.name} {n} {total}")
    connection.execute(
        """
        UPDATE corpora SET sha256 = $sha256, changed_at = $now,
               n_sentences = (SELECT count(*) FROM sentences AS s WHERE s.corpus = $corpus),
               n_words = (SELECT count(*) FROM words AS w WHERE w.corpus = $corpus)
        WHERE corpus = $corpus
        """,
        {
            "sha256": hashlib.sha256("\n".join(parts).encode()).hexdigest(),
            "now": datetime.now(UTC).replace(tzinfo=None),
            "corpus": corpus,
        },
    )


def _execute(
    connection: duckdb.DuckDBPyConnection, statements: Sequence[duckdb.Statement], parameters: Mapping[str, object]
) -> list[pa.Table]:
    """Run statements one after the other; the rows of each that is a SELECT or returns some."""
    rows = []
    for statement in statements:
        relation = connection.sql(
            statement, params=values_of_statement(statement, parameters, alone=len(statements) == 1)
        )
        if relation is None:
            continue
        table = with_arrow_types(
            relation
        ).to_arrow_table()  # fetched at once: a SELECT with changes in it does nothing before
        if returns_rows(statement, table.column_names):
            rows.append(table)
    return rows


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, object]]:
    return list(connection.sql(f"SELECT * FROM {table} ORDER BY ALL").to_arrow_table().to_pylist())


def _ddl(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(connection.execute(_DDL).fetchall())
