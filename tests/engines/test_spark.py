"""Spark as an engine: the same rows and scores as DuckDB's, on a folder of Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.engines.spark_session import start_session

pytest.importorskip("pyspark")
pytest.importorskip("sqlglot")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*only 5 sentences:treesql.TreesqlWarning"),
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
    "how", [{}, {"by": "upos"}, {"where": "upos = 'NOUN'", "by": "sentence"}, {"ci": True}], ids=str
)
def test_scores_are_those_of_duckdb(
    on_spark: treesql.Database, examples: treesql.Database, how: dict[str, Any]
) -> None:
    asked = {"gold": "gold", "systems": ["parser-a", "parser-b"], "metric": "attachment", **how}
    found, expected = (db.score("dependency", **asked) for db in (on_spark, examples))
    assert found.rows() == expected.rows()
    assert found.rows()
    assert all("|spark:" in text for text in found.signatures.values())
