"""Spark as an engine: the same rows and scores as DuckDB's, on a folder of Parquet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, thorough_but
from tests.engines.spark_session import start_session
from tests.house.sample_values import CORPORA, sample_values
from treesql import catalog
from treesql.engines.spark_types import with_keys

pytest.importorskip("pyspark")
pytest.importorskip("sqlglot")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning"),
]


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    started = start_session()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def folder(examples: treesql.Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "corpora"
    examples.export(path, to="parquet")
    return path


@pytest.fixture(scope="module")
def on_spark(session: Any, folder: Path) -> Iterator[treesql.Database]:
    with treesql.connect(folder, spark=session) as db:
        yield db


@pytest.mark.parametrize(
    "how",
    thorough_but([{}, {"by": "upos"}, {"where": "upos = 'NOUN'", "by": "sentence"}, {"ci": True}], {"ci": True}),
    ids=str,
)
def test_scores_are_those_of_duckdb(
    on_spark: treesql.Database, examples: treesql.Database, how: dict[str, Any]
) -> None:
    asked = {"gold": "gold", "systems": ["parser-a", "parser-b"], "metric": "attachment", **how}
    found, expected = (db.score("dependency", **asked) for db in (on_spark, examples))
    assert found.rows() == expected.rows()
    assert found.rows()
    assert all("|spark:" in text for text in found.signatures.values())


def same(found: object, expected: object) -> bool:
    """Whether values are equal: fractions within 1e-12, whatever goes through `ln`; all others exactly."""
    if isinstance(found, float) and isinstance(expected, float):
        return found == expected or math.isclose(found, expected, rel_tol=1e-12) or (found != found != expected)
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order that the last digits of fractions do not change."""

    def key(value: object) -> object:
        return round(value, 9) if isinstance(value, float) else int(value) if isinstance(value, Decimal) else value

    return sorted(rows, key=lambda row: repr([key(value) for value in row.values()]))


@pytest.mark.parametrize("query", thorough_but(catalog.all_queries(), "attachment", "agreement", "robinson_foulds"))
def test_rows_are_those_of_duckdb(
    query: str, on_spark: treesql.Database, examples: treesql.Database, folder: Path
) -> None:
    """On a database of DuckDB, on the folder, and on Spark; without audits, which are queries as well."""
    asked = catalog.query(query)
    values = asked.values(sample_values(asked, system=None if asked.family in CORPORA else "parser-a"))
    kinds = {column.name: column.type for column in asked.columns}
    if why := on_spark.engine.unsupported(asked):
        assert len(why) > 10
        return
    with treesql.connect(folder) as in_place:
        of_engines = [
            in_order(with_keys(db.engine.table(asked.statement.sql, values), kinds).to_pylist())
            for db in (examples, in_place, on_spark)
        ]
    assert same(of_engines[1], of_engines[0])
    assert same(of_engines[2], of_engines[0])


def test_few_queries_do_not_run(on_spark: treesql.Database) -> None:
    refused = [one.name for one in catalog.all_queries().values() if on_spark.engine.unsupported(one)]
    assert len(refused) <= 5


def test_comparisons_are_those_of_duckdb(on_spark: treesql.Database, examples: treesql.Database) -> None:
    asked = {"gold": "gold", "systems": ["parser-a", "parser-b"], "metric": "attachment.las"}
    found, expected = (db.compare("dependency", **asked) for db in (on_spark, examples))
    assert found.rows() == expected.rows()


@pytest.mark.parametrize(
    ("request_", "how"),
    [
        ("pattern { V -[obj]-> O }", {}),
        ("pattern { V -[obj]-> O }", {"by": "V.lemma"}),
        ("pattern { N [upos=NOUN] }", {"count": True}),
        ("NP < NN", {"count": True}),
        ("pattern { V -[obj]-> O }", {"columns": "V.form, text"}),
    ],
)
def test_matches_are_those_of_duckdb(
    on_spark: treesql.Database, examples: treesql.Database, request_: str, how: dict[str, Any]
) -> None:
    found, expected = (db.find(request_, **how) for db in (on_spark, examples))
    assert in_order(found.rows()) == in_order(expected.rows())
    assert found.rows()


def test_sql_is_that_of_spark(on_spark: treesql.Database) -> None:
    found = on_spark.sql("SELECT sum(words) AS n FROM attachment('gold', 'parser-a') WHERE upos = :tag", {"tag": "DET"})
    assert found.rows() == [{"n": 4}]
    with pytest.raises(treesql.QueryError, match="no_such_column"):
        on_spark.sql("SELECT no_such_column FROM words")


def test_executors_load_all_or_nothing(session: Any, tmp_path: Path) -> None:
    gold = (FIXTURES / "gold.conllu").read_bytes()
    files = [tmp_path / f"c{number}.conllu" for number in range(6)]
    for file in files:
        file.write_bytes(gold)
    for file in files[1:3]:
        file.write_bytes(gold.replace(b"\t2\t", b"\tzz\t", 1))
    treesql.load(f"{tmp_path}/corpora/", FIXTURES / "gold.conllu", corpus="first")
    with treesql.connect(tmp_path / "corpora", spark=session) as db:
        with pytest.raises(treesql.InvalidInput) as refused:
            db.load(*files)
        assert [(Path(fault.path).name, fault.line > 0) for fault in refused.value.faults] == [
            ("c1.conllu", True),
            ("c2.conllu", True),
        ]
        assert db.corpora == ["first"]
        db.load(files[0], *files[3:])
        assert sorted(db.corpora) == ["c0", "c3", "c4", "c5", "first"]
        [row] = db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'c4'").rows()
        assert row["n"] == sum(line.split(b"\t")[0].isdigit() for line in gold.splitlines())


def test_the_users_session_keeps_its_settings(session: Any, folder: Path) -> None:
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.ansi.enabled", "false")
    with treesql.connect(folder, spark=session) as db:
        assert db.score("attachment", gold_corpus="gold", system_corpus="parser-a").rows()
    assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert session.conf.get("spark.sql.ansi.enabled") == "false"
