"""Spark Connect: a client without Java, whose statements a server runs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.engines.spark_session import SETTINGS
from tests.extras import require_extra
from treesql.engines import spark_session

require_extra("spark-connect")

SCORES: dict[str, Any] = {"gold": "gold", "systems": ["parser-a", "parser-b"], "metric": "attachment.las"}
EDITS = {"reference_corpus": "gold", "hypothesis_corpus": "parser-a"}
NOUNS = "pattern { N [upos=NOUN]; e: H -> N }"


def asked(db: treesql.Database) -> dict[str, Any]:
    """Rows of whatever can be asked of a database on Spark."""
    answers = {
        "sql": db.sql("SELECT upos, count(*) AS n FROM words WHERE upos IS NOT NULL GROUP BY upos ORDER BY upos"),
        "query": db.query("dependency_tree_edit", **EDITS),
        "score": db.score("dependency", **SCORES),
        "intervals": db.score("dependency", **SCORES, ci=True),
        "compare": db.compare("dependency", **SCORES),
        "count": db.find(NOUNS, count=True),
        "groups": db.find(NOUNS, by="e.label"),
        "matches": db.find(NOUNS, limit=3),
    }
    return {name: found.rows() for name, found in answers.items()}


def ask_by_connect(folder: str, new: str) -> None:
    """Print the answers of a server that runs in this process, and end with an error: PySpark has one kind of session
    for a process."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote("local[2]").config(map=SETTINGS).getOrCreate()
    try:
        with treesql.connect(folder, spark=session) as db:
            answers = asked(db)
            try:
                db.sql("SELECT nonsense FROM words")
            except treesql.TreesqlError as error:
                answers["error"] = str(error)
        os.chdir(FIXTURES)  # where executors do not run
        with treesql.connect(new, spark=session) as db:
            db.load("gold.conllu", "parser-a.conllu")
            answers["loaded"] = db.sql("SELECT corpus, count(*) AS n FROM words GROUP BY corpus ORDER BY corpus").rows()
            print(json.dumps(answers))
            db.load("parser-b.conllu", "bad/blank_line_first.conllu")
    finally:
        session.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_answers_are_those_of_duckdb(examples: treesql.Database, tmp_path: Path) -> None:
    """All of them; and the process ends, for which connections have to be closed."""
    folder = tmp_path / "corpora"
    examples.export(folder, to="parquet")
    module, new = "tests.engines.test_spark_connect", f"{tmp_path}/new/"
    run = f"import {module} as asking; asking.ask_by_connect({str(folder)!r}, {new!r})"
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", run], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1
    assert "bad/blank_line_first.conllu:1: a blank line too many" in done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    error, loaded = found.pop("error"), found.pop("loaded")
    assert "`nonsense` cannot be resolved" in error.splitlines()[0]
    assert loaded == [{"corpus": "gold", "n": 30}, {"corpus": "parser-a", "n": 30}]
    assert found == json.loads(json.dumps(asked(examples)))


def test_a_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is not there, and one that is something else: PySpark would ask both again for ten minutes."""
    monkeypatch.setattr(spark_session, "ANSWERS_WITHIN", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(treesql.DatabaseError, match=f"no server of Spark Connect answers at sc://127.0.0.1:{port}"):
            spark_session.start(f"sc://127.0.0.1:{port}")
    with pytest.raises(treesql.DatabaseError, match="start one, or correct the address"):
        spark_session.start(f"sc://127.0.0.1:{port}")


def test_addresses_without_a_host_and_a_missing_client_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(treesql.UsageError, match="sc:// is no address of Spark Connect"):
        spark_session.start("sc://")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(treesql.UsageError, match=r"pip install 'pyspark\[connect\]'"):
        spark_session.start("sc://127.0.0.1")
