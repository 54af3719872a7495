"""Addresses of servers of Spark Connect; what a server answers is compared in test_spark.py."""

from __future__ import annotations

import socket
import sys

import pytest

import treesql
from tests.extras import require_extra
from treesql.engines import spark_session

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
