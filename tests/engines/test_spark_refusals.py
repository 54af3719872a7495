"""What is said in one line where Spark cannot be used; no session is started."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.extras import require_extra
from treesql.engines.spark import session as spark_session

require_extra("spark")


@pytest.mark.parametrize("package", ["pyspark", "sqlglot"])
def test_a_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(treesql.UsageError, match=r"pip install 'treesql\[spark\]'"):
        treesql.connect("corpora/", spark=object())


def test_missing_java_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(treesql.DatabaseError, match="Java 17 or later: install it"):
        treesql.connect("corpora/", spark="local[1]")


class Session:
    """A session of another version of Spark."""

    def __init__(self, version: str) -> None:
        self.version = version

    def newSession(self) -> None:
        raise AssertionError("it is not asked")


def test_what_is_no_session_of_a_known_version_is_refused() -> None:
    with pytest.raises(treesql.UsageError, match="spark is int; pass a SparkSession"):
        treesql.connect("corpora/", spark=4)
    with pytest.raises(treesql.UsageError, match=r"of Spark 3\.5\.1; .* need 4\.1 or later"):
        spark_session.own_session(Session("3.5.1"))


def test_options_of_the_command_line(run: Any) -> None:
    refused = run("score", "dependency", "gold", "a", "--master", "local[1]")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--engine spark" in refused.err
    refused = run("score", "dependency", "gold", "a", "--engine", "spark")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--db" in refused.err
    assert run("sql", "corpora/", "SELECT 1", "--engine", "spark", "--write").code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("master", "what"),
    [
        ("nonsense", "Java ended at once (it has to be 17"),
        pytest.param("local[x]", "org.apache.spark.SparkException: ", marks=pytest.mark.thorough),
    ],
)
def test_wrong_addresses_are_named_on_the_last_line(tmp_path: Path, master: str, what: str) -> None:
    """In a process of its own, after the messages of Java."""
    treesql.load(f"{tmp_path}/corpora/", FIXTURES / "gold.conllu")
    command = [sys.executable, "-m", "treesql", "sql", f"{tmp_path}/corpora", "SELECT 1", "--engine", "spark"]
    done = subprocess.run([*command, "--master", master], capture_output=True, text=True, timeout=200)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, done.stdout) == (2, "")
    assert last.startswith(f"no Spark session starts at {master}: {what}")
    assert last.endswith("check the address: local[4], spark://HOST:7077, yarn or sc://HOST")
    assert "FutureWarning" not in done.stderr


@pytest.mark.parametrize("interrupted", [True, False])
def test_an_interrupt_ends_a_java_that_is_being_started(monkeypatch: pytest.MonkeyPatch, interrupted: bool) -> None:
    from pyspark import java_gateway
    from pyspark.sql import SparkSession

    killed: list[str] = []

    class Java:
        def kill(self) -> None:
            killed.append("java")

    def start(builder: object) -> str:
        java_gateway.Popen()  # type: ignore[attr-defined]
        if interrupted:
            raise KeyboardInterrupt
        return "session"

    monkeypatch.setattr(java_gateway, "Popen", Java)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", start)
    if interrupted:
        with pytest.raises(KeyboardInterrupt):
            spark_session._start("local[1]")
    else:
        assert spark_session._start("local[1]") == "session"
    assert killed == ["java"] * interrupted
    assert java_gateway.Popen is Java  # type: ignore[attr-defined]
    assert spark_session._java_starting == []


require_extra("spark-connect")


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
