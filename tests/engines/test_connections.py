"""The database in memory of a process: connections that know nothing of each other, and its renewal."""

from __future__ import annotations

import gc
import os
import signal
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, bare
from treesql.catalog import schemas
from treesql.engines import connections
from treesql.engines.duckdb import DuckDB
from treesql.functions import FUNCTIONS
from treesql.readers import Options
from treesql.runtime import limits
from treesql.storage import loading

PAIRS = "SELECT len(common_subsequence(['a', 'b'], ['b', 'c']))"


def test_connections_share_no_table() -> None:
    with connections.connect() as one, connections.connect() as other:
        one.execute("CREATE TEMP TABLE t AS SELECT 1 AS a")
        one.register("rows", pa.table({"a": [2]}))
        for name in ("t", "rows"):
            with pytest.raises(duckdb.CatalogException, match=name):
                other.execute(f"FROM {name}")
        assert one.execute("FROM t UNION ALL FROM rows ORDER BY a").fetchall() == [(1,), (2,)]


def test_what_every_database_has_is_parsed_once() -> None:
    """Tables, views and types of functions; whatever has used the statements before, they create the same."""

    sql = """
    SELECT sql FROM duckdb_tables() UNION ALL SELECT sql FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT concat(function_name, CAST(parameter_types AS VARCHAR), return_type) FROM duckdb_functions()
              WHERE list_contains($names, function_name)
    ORDER BY ALL"""

    def made() -> list[tuple[object, ...]]:
        with treesql.connect() as db:
            return bare(db).execute(sql, {"names": [function.name for function in FUNCTIONS]}).fetchall()

    first = made()
    parsed, types = dict(connections._created), dict(connections._types)
    assert {table.ddl for table in schemas.all_tables().values()} <= parsed.keys()
    assert len(first) == len(schemas.all_tables()) + len(schemas.all_views()) + len(FUNCTIONS)
    assert made() == first
    assert (connections._created, connections._types) == (parsed, types)


def test_few_rows_are_for_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is lent and what is connected; a file of blocks, whose rows are not known yet, is for all of them."""
    threads, n_threads = "SELECT current_setting('threads')", []
    files = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"

    def note(engine: DuckDB) -> DuckDB:
        n_threads.extend(engine.connection.execute(threads).fetchall())
        return engine

    for name in ("copy_rows", "connect_to_rows"):
        opened = getattr(loading, name)
        monkeypatch.setattr(loading, name, lambda *given, opened=opened, **named: note(opened(*given, **named)))
    with duckdb.connect() as usual:
        [(many,)] = usual.execute(threads).fetchall()
    for few, expected in ((1000, 1), (3, many)):
        monkeypatch.setattr(connections, "FEW_ROWS", few)
        treesql.score("dependency", *files, metric="attachment")
        treesql.score("dependency", *files, metric="attachment", where="true")
        assert n_threads == [(expected,)] * 2
        n_threads.clear()
    monkeypatch.setattr(connections, "FEW_ROWS", 1000)
    loading.connect_to_rows({}, Options()).close()
    assert n_threads == [(many,)]


def test_sql_reaches_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    files = f"FROM '{tmp_path}/a.csv'", f"COPY (SELECT 1) TO '{tmp_path}/b.csv'", "SET enable_external_access = true"
    with connections.connect() as connection:
        for sql in files:
            with pytest.raises(duckdb.Error):
                connection.execute(sql)
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


def test_it_is_renewed_while_connections_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """For another limit of memory, and after many connections; functions are known to both databases."""
    gc.collect()  # connections of other tests
    first = connections.connect({"common_subsequence"})
    monkeypatch.setattr(limits, "duckdb_memory", lambda: 123_000_000)
    second = connections.connect({"common_subsequence"})
    limit = "SELECT current_setting('memory_limit')"
    assert second.execute(limit).fetchall() == [("117.3 MiB",)] != first.execute(limit).fetchall()
    monkeypatch.setattr(connections, "MAX_USES", 1)
    third = connections.connect({"common_subsequence"})
    for connection in (first, second, third):
        assert connection.execute(PAIRS).fetchall() == [(1,)]
    del first, second, third, connection
    with connections.connect():
        assert sum(kept.few for kept in connections._kept) == 1, "those of which no connection is left are closed"


def test_functions_that_were_interrupted_are_installed_again() -> None:
    class Interrupted:
        def sqltype(self, name: str) -> object:
            with duckdb.connect() as connection:
                return connection.sqltype(name)

        def create_function(self, *given: object, **named: object) -> None:
            raise KeyboardInterrupt

    known: set[str] = set()
    with pytest.raises(KeyboardInterrupt):
        connections.install_functions(Interrupted(), {"common_subsequence"}, known)  # type: ignore[arg-type]
    assert not known


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_has_its_own() -> None:
    """Also where another thread, which is not in the child, was opening one."""
    forked, held = threading.Event(), threading.Event()

    def hold() -> None:
        with connections._lock:
            held.set()
            forked.wait(10)

    with connections.connect() as connection:
        thread = threading.Thread(target=hold)
        thread.start()
        assert held.wait(10)
        child = os.fork()
        if not child:
            code = 1
            signal.alarm(10)
            try:
                with connections.connect() as own:
                    code = 0 if own.execute("SELECT sum(i) FROM range(100000) t(i)").fetchall() else 2
                connections._close(lambda one: True)
            finally:
                os._exit(code)
        forked.set()
        thread.join()
        assert os.waitpid(child, 0)[1] == 0
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
