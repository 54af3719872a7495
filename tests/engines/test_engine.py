"""Rooms above run on any engine that keeps the protocol, and the errors of DuckDB are those of engines."""

from __future__ import annotations

import io
import pickle
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import treesql
from tests.engines.counting import CountingEngine
from tests.house.rules import in_turn
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB
from treesql.engines.streams import run_interruptibly
from treesql.errors import (
    DatabaseError,
    Interrupted,
    NumberTooLarge,
    QueryError,
    StatementError,
    TreesqlWarning,
    UnknownColumn,
    UsageError,
    issue,
)
from treesql.runtime.failures import as_treesql_error
from treesql.scoring import items, scores
from treesql.search import planning, running
from treesql.sentences import lookup
from treesql.significance import compare, counted_metrics, intervals
from treesql.significance.methods import Method
from treesql.writers import conllu, penn, plf

PAIR = {"gold_corpus": "gold", "system_corpus": "parser-a"}
SYSTEMS = {name: {"gold_corpus": "gold", "system_corpus": name} for name in ("parser-a", "parser-b")}


@pytest.fixture
def counting(examples: treesql.Database) -> CountingEngine:
    return CountingEngine(examples.engine)


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("by", [(), ("sentence",), ("upos", "depth", "system_distance/2")])
def test_scores_and_sums_are_those_of_the_engine(
    examples: treesql.Database, counting: CountingEngine, by: tuple[str, ...]
) -> None:
    metrics = ["attachment", "exact_match", "content_attachment"]
    given = {"by": by, "where": "upos <> 'PUNCT'"}
    found = scores.score(counting, metrics, PAIR, **given)
    expected = scores.score(examples.engine, metrics, PAIR, **given)
    assert found.arrow().equals(expected.arrow())
    assert {text.replace("counting:1", f"duckdb:{duckdb.__version__}") for text in found.signatures.values()} == set(
        expected.signatures.values()
    )
    ours, theirs = (scores.sentence_sums(engine, metrics, PAIR, **given) for engine in (counting, examples.engine))
    for one, other in zip(ours, theirs, strict=True):
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.sentences, other.sentences)


def test_items_are_computed_once(counting: CountingEngine) -> None:
    """One statement sums all metrics and runs the audits."""
    metrics = ["attachment", "exact_match"]
    for count in (scores.score, scores.sentence_sums):
        counting.statements.clear()
        count(counting, metrics, PAIR)
        assert sum("word_pairs" in one for one in counting.statements) == 1


def written(engine: Engine, corpus: str, writer: Callable[..., object]) -> bytes:
    out = io.BytesIO()
    writer(engine, corpus, range(5), out)
    return out.getvalue()


COMPARED = items.scores_of({"attachment": ["uas", "las", "la"]})


@in_turn(
    "work",
    [
        lambda engine: scores.run_statistic(engine, "word_entropy", {"corpus_name": "gold"}).arrow(),
        lambda engine: compare.compare_counted(
            [counted_metrics.count_metric(engine, *compared, SYSTEMS, Method()) for compared in COMPARED], Method()
        ).arrow(),
        lambda engine: compare.compare_counted(
            [counted_metrics.count_metric(engine, *COMPARED[0], SYSTEMS, Method("mcnemar"))], Method("mcnemar")
        ).arrow(),
        lambda engine: intervals.add_intervals(
            engine, [scores.score(engine, ["attachment"], PAIR)], ["attachment"], [PAIR]
        )[0].arrow(),
        lambda engine: running.find_matches(
            engine, planning.prepare(engine, "pattern { V [upos=VERB]; V -[1=nsubj]-> S }"), 60
        ),
        lambda engine: running.find_matches(engine, planning.prepare(engine, "pattern { N [upos=VERBE] }"), 60),
        lambda engine: lookup.find_sentences(engine, ["0"], "gold"),
        lambda engine: written(engine, "gold", conllu.write),
        lambda engine: written(engine, "gold parses", penn.write),
        lambda engine: written(engine, "lattices", plf.write),
    ],
)  # fmt: skip
def test_the_protocol_is_enough_for_all_rooms(
    examples: treesql.Database, counting: CountingEngine, work: Callable[[Engine], object]
) -> None:
    assert work(counting) == work(examples.engine)
    assert counting.statements


def test_values_beyond_the_parameters_are_ignored(examples: treesql.Database) -> None:
    sql = "SELECT $a AS a, '$b' AS b"
    assert examples.engine.rows(sql, {"a": 1, "b": 2}) == [(1, "$b")]
    assert examples.engine.table(sql, {"a": 1, "b": 2}).to_pylist() == [{"a": 1, "b": "$b"}]


@in_turn("run", ["table", "rows"])
@in_turn(
    ("sql", "kind"),
    [
        ("SELECT nothing FROM words", UnknownColumn),
        ("SELECT w.nothing FROM words AS w", UnknownColumn),
        ("SELECT CAST(1e40 AS HUGEINT)", NumberTooLarge),
        ("SELECT 1 FROM nothing WHERE $a = 1", StatementError),
        ("SELECT FROM FROM", StatementError),
    ],
)
def test_statements_that_fail(examples: treesql.Database, run: str, sql: str, kind: type[StatementError]) -> None:
    with pytest.raises(StatementError) as caught:
        getattr(examples.engine, run)(sql, {"a": 1, "b": 2})
    error = caught.value
    assert type(error) is kind
    assert isinstance(error, DatabaseError)
    assert "\n" not in str(error)
    assert error.sql == sql
    assert error.parameters == ({"a": 1} if "$a" in sql else {})
    assert isinstance(error.__cause__, duckdb.Error)
    assert not isinstance(error, UnknownColumn) or error.column == "nothing"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))
    named = error.of_query("mine")
    assert isinstance(named, QueryError)
    assert (named.message, named.sql, named.name) == (QueryError(error.message, sql).message, sql, "mine")
    assert examples.engine.rows("SELECT 1") == [(1,)]


def test_an_interrupted_statement_says_so(db: treesql.Database) -> None:
    caught: list[BaseException] = []

    def count() -> None:
        try:
            db.engine.table("SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b")
        except Exception as error:
            caught.append(error)

    working = threading.Thread(target=count)
    working.start()
    while working.is_alive():
        db.engine.interrupt()
        time.sleep(0.01)
    [error] = caught
    assert isinstance(error, Interrupted)
    assert isinstance(as_treesql_error(error), KeyboardInterrupt)


def test_memory_that_is_not_enough() -> None:
    with duckdb.connect(config={"memory_limit": "10MB", "temp_directory": ""}) as connection:
        engine = DuckDB(connection)
        with pytest.raises(MemoryError) as caught:
            engine.table("SELECT list(i) FROM range(100000000) AS r(i)")
    assert isinstance(as_treesql_error(caught.value), treesql.errors.MemoryLimit)


def weights(engine: Engine) -> set[tuple[object, ...]]:
    return set(engine.rows("SELECT weight_set, relation, weight FROM relation_weights"))


def test_rows_are_replaced_for_one_engine_alone(gold_database: Path) -> None:
    def rows(name: str, *pairs: tuple[str, float]) -> pa.Table:
        relations, numbers = zip(*pairs, strict=True)
        return pa.table({"weight": numbers, "relation": relations, "weight_set": [name] * len(pairs)})

    with treesql.connect(gold_database) as db:
        db.sql("INSERT INTO relation_weights VALUES ('a', 'det', 1), ('b', 'det', 2)")
        before = weights(db.engine)
    with treesql.connect(gold_database, read_only=True, safe=True) as db:
        db.engine.replace_rows(
            "relation_weights", rows("b", ("det", 3.0), ("obj", 4.0)), where="weight_set", is_value="b"
        )
        others = {row for row in before if row[0] != "b"}
        assert weights(db.engine) == others | {("b", "det", 3), ("b", "obj", 4)}
        db.engine.replace_rows("relation_weights", rows("c", ("det", 5.0)))
        assert weights(db.engine) == {("c", "det", 5)}
    with treesql.connect(gold_database) as db:
        assert weights(db.engine) == before


@pytest.mark.parametrize("by", [(), ("upos",), ("sentence",)])
def test_scores_over_sums_are_those_over_items(examples: treesql.Database, by: tuple[str, ...]) -> None:
    """As on engines that add up counts alone."""
    engine = CountingEngine(examples.engine)
    engine.only_sums = True
    values = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    found, expected = (scores.score(one, ["attachment"], values, by=by) for one in (engine, examples.engine))
    assert found.rows() == expected.rows()
    sums = [scores.sentence_sums(one, ["attachment"], values, by=by)[0].values for one in (engine, examples.engine)]
    assert sums[0].tolist() == sums[1].tolist()


def test_work_beside_its_progress_has_its_warnings_errors_and_end() -> None:
    """And a report that is interrupted stops the work."""

    def warn() -> int:
        issue("odd")
        return 1

    def fail() -> int:
        raise UsageError("wrong")

    with treesql.connect() as db:
        with pytest.warns(TreesqlWarning, match="odd"):
            assert run_interruptibly(db.engine, warn, lambda done, total: None) == 1
        with pytest.raises(UsageError, match="wrong"):
            run_interruptibly(db.engine, fail, lambda done, total: None)

        def stop(done: float, total: float) -> None:
            raise KeyboardInterrupt

        def count() -> list[tuple[int, ...]]:
            return db.engine.rows("SELECT sum(hash(i + j) % 7) FROM range(1000000) AS a(i), range(1000000) AS b(j)")

        with pytest.raises(KeyboardInterrupt):
            run_interruptibly(db.engine, count, stop)
        assert db.engine.rows("SELECT 1") == [(1,)]
