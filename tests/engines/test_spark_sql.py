"""Spark's SQL for DuckDB's: what sqlglot leaves different. The rows are compared in test_spark.py."""

from __future__ import annotations

import pyarrow as pa
import pytest
import sqlglot

from tests.conftest import thorough_but
from tests.house.rules import in_turn
from treesql import catalog
from treesql.engines.spark import shared as spark_shared
from treesql.engines.spark.engine import table_function, to_spark
from treesql.engines.spark.functions import call_function, compute
from treesql.engines.spark.shared import SharedStatement, count_reads, share_relations
from treesql.engines.spark.types import arrow_type, passed_type, spark_type, with_type


@in_turn(
    ("duckdb", "spark"),
    [
        ("SELECT $a + $b AS x", "SELECT :a + :b AS x"),
        ("SELECT l[i] AS x, l[1] AS y FROM t", "TRY_ELEMENT_AT(l, CAST(i AS INT))"),
        ("SELECT l[1] AS y FROM t", "TRY_ELEMENT_AT(l, CAST(1 AS INT))"),
        ("SELECT len(l) AS n, length(s) AS m FROM t", "CARDINALITY((l)) AS n, LENGTH(s) AS m"),
        ("SELECT [x.a FOR x IN l IF x.b > 1] AS y FROM t", "TRANSFORM(FILTER(l, x -> x.b > 1), x -> x.a)"),
        ("SELECT list(x ORDER BY y) AS l FROM t", "ARRAY_SORT(COLLECT_LIST(NAMED_STRUCT('k0', y, 'v', x)))"),
        ("SELECT sum(CAST(n AS HUGEINT)) AS s FROM t", "SUM(CAST(n AS BIGINT))"),
        ("SELECT sum(CAST(round(n * 2.0) AS HUGEINT)) AS s FROM t", "SUM(CAST(ROUND(n * 2.0e0) AS DECIMAL(38, 0)))"),
        ("SELECT regexp_replace(s, '(a)', '\\1') AS s FROM t", "DUCKDB_REGEXP_REPLACE(s, '(a)', '\\\\1', '')"),
        ("SELECT unnest(a) AS x, unnest(b) AS y FROM t", "LATERAL VIEW EXPLODE(ARRAYS_ZIP("),
        ("SELECT * FROM a AS l ASOF JOIN b AS r ON l.x >= r.y", "r.y = l._last_key"),
        ("WITH n AS NOT MATERIALIZED (SELECT 1 AS x) SELECT n.x FROM n", "WITH n AS (SELECT 1 AS x)"),
        ("SELECT 1 AS x FROM t WHERE (FALSE)", "WHERE FALSE"),
        ("SELECT error('no') AS x", "RAISE_ERROR('no')"),
    ],
)
def test_translations(duckdb: str, spark: str) -> None:
    assert spark in to_spark(duckdb)


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([8, 1], 8))
def test_every_query_and_its_function_have_a_translation(every: int) -> None:
    """every: n-th query of the three kinds that Spark scores."""
    scored = ("dependency", "constituency", "lattice")
    for query in [query for query in catalog.all_queries().values() if query.family in scored][::every]:
        assert ":=" not in to_spark(query.statement.sql)
    made = table_function(catalog.query("attachment"))
    assert "attachment.gold_corpus" in made
    assert ":gold_corpus" not in made


def test_relations_that_are_named_often_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`two` reads t twice through `one`; `three` names two twice; `climb` names itself."""
    sql = (
        "WITH one AS (SELECT x FROM t), two AS (SELECT a.x FROM one AS a JOIN one AS b ON a.x = b.x), "
        "three AS (SELECT x FROM two UNION ALL SELECT x FROM two) SELECT x FROM three"
    )
    assert share_relations(sql) == SharedStatement({}, sql)
    monkeypatch.setattr(spark_shared, "LARGEST_PLAN", 3)
    apart = share_relations.__wrapped__(sql)
    two = "WITH one AS (SELECT x FROM t) SELECT a.x FROM one AS a JOIN one AS b ON a.x = b.x"
    assert apart.shared == {"two": two}
    assert apart.statement == "WITH three AS (SELECT x FROM two UNION ALL SELECT x FROM two) SELECT x FROM three"
    climbing = (
        "WITH RECURSIVE climb AS (SELECT x, 1 AS n FROM t UNION ALL SELECT u.x, c.n + 1 FROM climb AS c "
        "JOIN u ON u.y = c.x) "
        "SELECT a.x FROM climb AS a JOIN climb AS b ON a.x = b.n"
    )
    found = share_relations.__wrapped__(climbing)
    assert found.shared["climb"].startswith("WITH RECURSIVE climb AS (")
    assert found.shared["climb"].endswith("SELECT * FROM climb")
    assert found.statement == "SELECT a.x FROM climb AS a JOIN climb AS b ON a.x = b.n"


def test_relations_with_named_columns_are_left_and_names_have_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_shared, "LARGEST_PLAN", 1)
    body = "SELECT u.x FROM u JOIN v ON u.x = v.x"
    columns = f"WITH t(a) AS ({body}) SELECT l.a FROM t AS l JOIN t AS r ON l.a = r.a"
    assert share_relations.__wrapped__(columns) == SharedStatement({}, columns)
    apart = share_relations.__wrapped__(f"WITH T AS ({body}) SELECT t.x FROM t JOIN T AS r ON t.x = r.x")
    assert apart.shared == {"t": body}
    renamed = spark_shared._renamed("SELECT t.x FROM T CROSS JOIN db.t AS d", {"t": "t_1"})
    assert renamed == "SELECT t.x FROM t_1 AS T CROSS JOIN db.t AS d"
    qualified = f"WITH t AS ({body}) SELECT t.x FROM t CROSS JOIN db.t AS d"
    assert not share_relations.__wrapped__(qualified).shared
    hiding = f"WITH t AS ({body}) SELECT a.x FROM t AS a JOIN (WITH t AS (SELECT 1 AS x) SELECT x FROM t) AS b"
    assert share_relations.__wrapped__(f"{hiding} ON a.x = b.x JOIN t AS c ON c.x = a.x").shared == {}


class StoppedSession:
    """A session that raises for whatever it is asked, and counts the views that it should drop."""

    _jsparkSession = None

    def __init__(self) -> None:
        self.catalog, self.dropped = self, 0

    def sql(self, sql: str, args: object) -> None:
        raise ValueError("the first error")

    def dropTempView(self, name: str) -> None:
        self.dropped += 1
        raise ConnectionError("stopped")


def test_what_cannot_be_dropped_hides_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT 1 AS x"
    monkeypatch.setattr(spark_shared, "share_relations", lambda _: SharedStatement({"t": sql, "s": sql}, sql))
    session = StoppedSession()
    with pytest.raises(ValueError, match="the first error"), spark_shared.computed_once(session, sql, {}):
        pass
    assert session.dropped == 2


@pytest.mark.slow
def test_no_statement_of_the_catalogue_has_a_large_plan() -> None:
    for name in ("conll18", "version_rows", "word_dependencies"):
        apart = share_relations(to_spark(catalog.query(name).statement.sql))
        assert all(
            count_reads(sqlglot.parse_one(one, read="spark")) <= 60 for one in [*apart.shared.values(), apart.statement]
        )


def test_types() -> None:
    kind = "STRUCT(keys UBIGINT[], name VARCHAR)[]"
    assert spark_type(kind) == "array<struct<keys:array<bigint>,name:string>>"
    rows = pa.array([[{"keys": [2**64 - 1, 1, None], "name": "a"}], None, []], arrow_type(kind))
    passed = with_type(rows, passed_type(arrow_type(kind)))
    assert passed.to_pylist() == [[{"keys": [-1, 1, None], "name": "a"}], None, []]
    assert with_type(passed, arrow_type(kind)).equals(rows)
    assert with_type(passed.slice(1), arrow_type(kind)).to_pylist() == [None, []]


def test_functions_of_executors() -> None:
    upper_sigma = pa.array(["ΟΔΟΣ", None, "A"])
    assert compute("duckdb_lower", (upper_sigma,)).to_pylist() == ["οδοσ", None, "a"]
    same = pa.array(["b", "b"])
    assert compute("duckdb_regexp_replace", (pa.array(["abb", "b"]), same, same, pa.array(["g", "g"]))).to_pylist() == [
        "abb",
        "b",
    ]
    words = [{"word": 1, "form": "du ", "first": 1, "last": 2, "token": "do "}, {"word": 3, "form": "x "}]
    kind = arrow_type("STRUCT(word INTEGER, form VARCHAR, first INTEGER, last INTEGER, token VARCHAR)[]")
    texts = compute("text_of_words", (pa.array([words, words], kind), pa.array([1, 2]), pa.array([3, 3])))
    assert texts.to_pylist() == ["do x", "x"]
    one, other = pa.array([["a", "b"], None, ["a"]]), pa.array([["b"], ["a"], ["c"]])
    found = call_function("matching_size", (one, other, pa.array([2.0] * 3))).to_pylist()
    assert found[1] is None
    assert found[0] == 1
