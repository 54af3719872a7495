"""The rules of queries/ and schemas/: headers tell the truth, names do not collide, SQL is portable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb
import polars as pl
import pytest

import treesql
from tests.conftest import bare
from tests.house.rules import assert_none, check_each, every_nth
from tests.house.sample_values import CORPORA, sample_value, sample_values
from treesql import catalog
from treesql.catalog import Query, schemas
from treesql.catalog.header import NUMBERS
from treesql.catalog.macro_calls import write_in
from treesql.catalog.queries import JOINED_BY_ID
from treesql.catalog.schemas import quote
from treesql.engines.connections import install_functions
from treesql.engines.duckdb import rolled_back
from treesql.scoring import scores as scoring

QUERIES = catalog.all_queries()
VIEWS = schemas.all_views()
METRICS = {name: query for name, query in QUERIES.items() if query.kind == "metric"}
PORTABLE = {name: query for name, query in QUERIES.items() if query.engine == "portable"}
WITH_A_REFERENCE = {name: query for name, query in QUERIES.items() if query.reference_corpus}
NOT_IN_THE_EXAMPLES = {
    "ambiguous_lemmas",
    "discontinuous_brackets",
    "function_tags",  # has items, none of them with a function
    "interleaved_phrases",
    "partly_empty_references",
    "phrase_blocks",
    "reference_ids",
    "references_with_ids",
    "repeated_sent_ids",
    "several_roots",
    # consistent
    *("multiple_roots", "pair_contexts", "punctuation_words", "tag_contexts", "variation_relations", "variation_tags"),
    "version_new_deps",  # the parser has no enhanced dependencies
    *("version_empty_nodes", "version_node_values", "version_new_nodes"),  # nor empty nodes
    *("version_further_columns", "version_further_values"),  # of CoNLL-U Plus
    "version_comment_values",  # compared by option
    # the corpus against itself has no errors
    *("attachment_errors", "error_contexts", "error_words", "frame_confusions"),
}
"""Queries that find nothing in the fixture `examples`: those of tests/queries have them find something."""


def literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def test_a_query_says_what_it_is() -> None:
    def check(query: Query) -> None:
        assert query.doc
        assert query.source
        assert all(entry.doc for entry in (*query.parameters, *query.columns, *query.scores))
        assert all(one.ranges for one in query.parameters if one.type in NUMBERS), "name its values: DOUBLE(0..1)"
        assert query.engine == "portable" or re.match(r"(duckdb|kernel): \w+", query.engine), "say why"
        assert bool(query.scores) == (query.kind == "metric")
        written = [*(score.written for score in query.scores), *(expression for _, expression in query.terms)]
        assert all(any(f"{{{name}}}" in (one or "") for one in written) for name, _ in query.terms), "a term is named"
        if query.kind == "audit":
            assert [column.name for column in query.columns] == ["file", "line", "problem", "hint"]

    check_each(check, QUERIES)


def test_what_the_examples_lack_are_queries() -> None:
    assert_none(NOT_IN_THE_EXAMPLES - QUERIES.keys())


@cache
def returned(query: Query, examples: treesql.Database) -> treesql.Result:
    """The rows of a query with values of its parameters."""
    return examples.query(query.name, **sample_values(query))


def executed(examples: treesql.Database, query: Query, around: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers to a statement around the SQL of a query, of which only the macros that it calls are made."""
    sql = query.statement.sql
    examples.engine.make_macros(query.statement.identifiers & schemas.all_macros().keys())
    return bare(examples).execute(around.format(sql=sql), query.statement.bind(sample_values(query))).fetchall()


@every_nth(12, QUERIES, slow=8)
def test_declared_columns_are_those_returned(values: dict[str, Query], examples: treesql.Database) -> None:
    def check(query: Query) -> None:
        result = returned(query, examples)
        assert result.columns == [column.name for column in query.columns]
        empty = query.kind == "audit" or query.name in NOT_IN_THE_EXAMPLES
        assert len(result) or empty, "no row; if the examples lack what it finds, name it in NOT_IN_THE_EXAMPLES"

    check_each(check, values)


@every_nth(9, QUERIES)
def test_declared_types(values: dict[str, Query], examples: treesql.Database) -> None:
    """DuckDB says them without a run."""

    def check(query: Query) -> None:
        found = executed(examples, query, "DESCRIBE FROM ({sql})")
        assert [(name, kind) for name, kind, *_ in found] == [(one.name, one.type) for one in query.columns]

    check_each(check, values)


def test_declared_columns_of_views(examples: treesql.Database) -> None:
    def check(view: catalog.Header) -> None:
        relation = bare(examples).sql(f"FROM {view.name}")
        assert relation.columns == [column.name for column in view.columns]
        assert [str(kind) for kind in relation.types] == [column.type for column in view.columns]

    check_each(check, VIEWS)


@pytest.mark.filterwarnings("ignore:.*enhanced edges come")
@every_nth(8, METRICS)
def test_every_score_computes_from_sums_alone(values: dict[str, Query], examples: treesql.Database) -> None:
    def check(query: Query) -> None:
        columns = {column.name for column in query.columns}
        for score in query.scores:
            without_sums = re.sub(r"\bsum\(\w+\)", "", score.expression)
            assert not re.search(r"\b(sum|avg|count|min|max)\b", without_sums), "aggregates are sum(column) alone"
            assert not columns.intersection(re.findall(r"\w+", without_sums))
            assert columns.issuperset(score.counts)
        [row] = scoring.score(examples.engine, [query.name], sample_values(query)).rows()
        computed = all(isinstance(row[score.name], float) for score in query.scores if score.unit != "text")
        assert computed or query.name in NOT_IN_THE_EXAMPLES
        assert len(query.reference_corpus or "") > len("_corpus")

    check_each(check, values)


def test_no_score_has_a_value_where_nothing_is_known(examples: treesql.Database) -> None:
    """As beside a metric whose items are chosen by a column that this one lacks."""

    def check(query: Query) -> None:
        sums = ", ".join(f"CAST(NULL AS {column.type}) AS {column.name}" for column in query.counts)
        scores = ", ".join(f"{score.expression} AS {score.name}" for score in query.scores)
        [row] = examples.sql(f"SELECT {scores} FROM (SELECT {sums})").rows()
        assert row == {score.name: None for score in query.scores}

    check_each(check, METRICS)


def test_names_do_not_collide() -> None:
    everything = [*QUERIES.values(), *VIEWS.values()]
    columns = {column.name for entry in everything for column in entry.columns}
    columns |= {column.name for table in schemas.all_tables().values() for column in table.columns}
    parameters = {parameter.name for query in QUERIES.values() for parameter in query.parameters}
    # Of two metrics of trees of translations, one with an alignment, only one is scored. Metrics of different
    # families are never scored side by side.
    scores = [(q.family, "aligned" in q.name, score.name) for q in QUERIES.values() for score in q.scores]
    # In a macro an unqualified name that equals a parameter is the parameter. `punctuation` is both, by the field's
    # names; the last test here sees to it that columns are qualified everywhere.
    assert_none(f"{name} is a parameter and a column" for name in (parameters & columns) ^ {"punctuation"})
    # The share of equal labels is called agreement by everybody; it is never a column beside the metric of alignments.
    assert_none(f"{name} is a query and a column" for name in (set(QUERIES) & columns) ^ {"agreement"})
    assert_none(f"{name} is a query and a table" for name in set(QUERIES) & {*VIEWS, *schemas.all_tables()})
    assert_none(
        f"{score[-1]} is a score of two metrics of {score[0]}" for score in set(scores) if scores.count(score) > 1
    )


def test_no_query_selects_everything() -> None:
    def check(entry: catalog.Header) -> None:
        assert not re.search(r"select\s+\*|\w\.\*", entry.body, re.IGNORECASE)

    check_each(check, {**QUERIES, **VIEWS})


@pytest.fixture(scope="module")
def frames(examples: treesql.Database) -> dict[str, pl.DataFrame]:
    """All tables and views of the examples, by name."""
    return {name: examples.sql(f"FROM {schemas.quote(name)}").pl() for name in (*schemas.all_tables(), *VIEWS)}


@every_nth(12, PORTABLE)
def test_portable_queries_run_on_polars_verbatim(
    values: dict[str, Query], examples: treesql.Database, frames: dict[str, pl.DataFrame]
) -> None:
    """With literals in place of the parameters; the rows are the same as DuckDB's."""

    def check(query: Query) -> None:
        values = sample_values(query, system=None if query.family in CORPORA else "parser-a")
        sql = query.statement.sql
        for name, value in sorted(values.items(), key=lambda item: -len(item[0])):
            sql = sql.replace(f"${name}", literal(value))
        with pl.SQLContext(frames) as context:
            found = context.execute(sql, eager=True)
        expected = examples.query(query.name, **values).pl()
        assert found.columns == expected.columns
        key = expected.columns
        assert sorted(map(repr, found.select(key).rows())) == sorted(map(repr, expected.rows()))

    check_each(check, values)


@every_nth(18, WITH_A_REFERENCE, slow=8)
def test_corpus_filters_reach_the_scans(values: dict[str, Query], examples: treesql.Database) -> None:
    several = {
        table.name
        for table in schemas.corpus_tables()
        if examples.sql(f"SELECT count(DISTINCT corpus) AS n FROM {table.name}").rows() != [{"n": 1}]
    }

    def check(query: Query) -> None:
        [(_, plan)] = executed(examples, query, "EXPLAIN (FORMAT json) {sql}")
        scans = [node["extra_info"] for node in nodes(json.loads(plan)) if node["name"].strip() == "SEQ_SCAN"]
        assert scans or "EMPTY_RESULT" in plan  # statistics alone may tell that an audit finds nothing
        for scan in scans:
            if scan["Table"].rsplit(".")[-1] in several - {"corpora"}:
                assert "corpus =" in str(scan.get("Filters", "")), scan

    check_each(check, values)


def nodes(plan: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in plan:
        yield node
        yield from nodes(node["children"])


@pytest.fixture(scope="module")
def without_rows() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection on which queries can be planned in no time."""
    with duckdb.connect() as connection:
        install_functions(connection)
        for table in schemas.all_tables().values():
            connection.execute(table.ddl)
        for view in VIEWS.values():
            connection.execute(f"CREATE VIEW {view.name} AS\n{view.body}")
        for statement in schemas.statements(schemas.all_macros().values(), temporary=True):
            connection.execute(statement)
        yield connection


@every_nth(18, QUERIES, slow=8)
def test_fractions_are_summed_in_fixed_point(values: dict[str, Query], without_rows: duckdb.DuckDBPyConnection) -> None:
    """Sums and means of doubles depend on the order of rows, and so on threads."""

    def check(query: Query) -> None:
        sql = query.statement.sql
        for name, value in sorted(sample_values(query).items(), key=lambda item: -len(item[0])):
            sql = sql.replace(f"${name}", literal(value))
        asked = "SELECT json_serialize_plan($sql, optimize := false)"
        plan = json.loads(without_rows.execute(asked, {"sql": sql}).fetchall()[0][0])
        assert not plan["error"], plan
        for node in objects(plan):
            if node.get("type") == "BOUND_AGGREGATE" or str(node.get("type")).startswith("WINDOW"):
                name = node["qname"]["path"][-1] if "qname" in node else ""
                if name not in ("min", "max", "quantile_cont"):
                    assert node["return_type"]["id"] not in ("DOUBLE", "FLOAT"), f"{name} of fractions"

    check_each(check, values)


def test_what_is_summed_over_blocks_is_whole() -> None:
    """Sums by key are whole numbers; tables over them alone are made without all sentences in memory."""
    for query in QUERIES.values():
        if query.adds_up:
            assert {column.type for column in query.columns if column.shown} == {"BIGINT"}, query.name
    summed = {name for name, query in QUERIES.items() if query.kind == "statistic" and query.reads_sums_alone}
    assert {"conll18", "iwpt20", "word_entropy"} <= summed


def objects(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
    for inside in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from objects(inside)


@every_nth(24, QUERIES, slow=12)
def test_macros_return_what_the_queries_return(values: dict[str, Query], examples: treesql.Database) -> None:
    def check(query: Query) -> None:
        required = ", ".join(literal(sample_value(query, p)) for p in query.parameters if p.default is None)
        found = examples.sql(f"FROM {query.name}({required})")
        assert sorted(map(str, found.rows())) == sorted(map(str, returned(query, examples).rows()))

    check_each(check, values)


@every_nth(24, QUERIES, slow=12)
def test_values_written_in_change_no_row(values: dict[str, Query], examples: treesql.Database) -> None:
    """As small scores run statements: without what values and empty relations rule out, and what nothing reads then,
    and with relations that are made once."""
    empty = frozenset({schemas.ALIGNMENTS, JOINED_BY_ID})
    assert not any(bare(examples).execute(f"SELECT count(*) FROM {schemas.ALIGNMENTS}").fetchall()[0])
    assert JOINED_BY_ID in NOT_IN_THE_EXAMPLES

    def check(query: Query) -> None:
        statement = query.statement
        written = write_in(statement.sql, statement.bind(sample_values(query)), empty, schemas.tables_with_rows())
        expected = executed(examples, query, "{sql}")
        if written is not None:
            with rolled_back(bare(examples)):
                for name, select in written.settled:
                    bare(examples).execute(f"CREATE TEMP TABLE {quote(name)} AS\n{select}")
                found = bare(examples).execute(written.sql, written.arguments)
                assert [name for name, *_ in found.description] == [column.name for column in query.columns]
                assert sorted(map(str, found.fetchall())) == sorted(map(str, expected))

    check_each(check, values)


def test_columns_are_qualified() -> None:
    """In every query a column stands behind its table's alias: an unqualified one may be taken for a parameter."""
    columns = {column.name for table in schemas.all_tables().values() for column in table.columns}
    unqualified = re.compile(rf"(?<![\w.$'])(?:{'|'.join(sorted(columns))})\b(?!\s*\(|')")
    found = {name: unqualified.findall(_code(entry.body)) for name, entry in QUERIES.items()}
    assert_none(found)


def _code(sql: str) -> str:
    """SQL without strings, comments and aliases."""
    sql = re.sub(r"'(?:[^']|'')*'|--[^\n]*", "", sql)
    return re.sub(r"\bAS \w+|\b(FROM|JOIN) \w+", "", sql)
