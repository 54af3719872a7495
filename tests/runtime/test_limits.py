"""Limits of time and memory, of connections and of command lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, Run, bare, wait_until_free
from treesql.errors import MemoryLimit, QueryError, TimeLimit, UsageError
from treesql.runtime import limits

pytestmark = pytest.mark.slow

ENDLESS = "SELECT count(*) AS n FROM range(1000000000000)"
MANY_STRINGS = "SELECT sum(length(repeat('x', 1000000 + i))) AS n FROM range(1000000) t(i)"
FEWER_STRINGS = MANY_STRINGS.replace("1000000 + i", "100000 + i")  # an interrupt comes after some thousands
GOLD, A = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a"))
REQUEST = "pattern { A []; B []; C []; D []; E []; F []; G []; H []; I []; J [] }"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500MB", 500_000_000),
        ("2GB", 2_000_000_000),
        ("1GiB", 1 << 30),
        ("1.5 gib", 3 << 29),
        ("64k", 64_000),
        ("10KiB", 10_240),
        ("1T", 10**12),
        ("12B", 12),
        ("123", 123),
        (123, 123),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert limits.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "0", "0GB", "-1GB", "1e9", "1 GBB", "1PB", "nan", "inf", "1,5GB", "1iB"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        limits.parse_size(text)


class Clock:
    """A clock that goes on by itself, and by what is added to `skipped`."""

    skipped = 0.0
    sleep = staticmethod(time.sleep)

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of limits."""
    monkeypatch.setattr(limits, "time", clock := Clock())
    return clock


@contextmanager
def hurried(db: treesql.Database) -> Iterator[None]:
    """A limit of 0.2 seconds in the block: what is to be answered needs more on a busy machine."""
    db._limits._seconds = db._timeout = 0.2
    yield
    db._limits._seconds = db._timeout = None


@pytest.fixture
def pair() -> Iterator[treesql.Database]:
    with treesql.connect() as db:
        db.load(GOLD, corpus="gold")
        db.load(A, corpus="a")
        yield db


def test_a_statement_is_stopped_and_the_next_one_is_answered(pair: treesql.Database) -> None:
    for _ in range(2):
        told = r"stopped after 0.2 seconds; narrow the request, or raise --timeout \(timeout="
        with hurried(pair), pytest.raises(TimeLimit, match=told):
            pair.sql(ENDLESS)
        assert pair.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 60}]


def test_everything_that_is_asked_has_the_limit(pair: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXPLAINING", 30.0)
    monkeypatch.setattr(limits, "GRACE", 60.0)
    slow = f"word >= 0 * (SELECT n FROM ({ENDLESS}))"
    given = {"gold_corpus": "gold", "system_corpus": "a", "where": slow}
    with hurried(pair):
        with pytest.raises(TimeLimit):
            pair.score("attachment", **given)  # type: ignore[arg-type]
        with pytest.raises(TimeLimit):
            pair.compare("attachment", systems=["gold", "a"], gold_corpus="gold", where=slow)
        with pytest.raises(TimeLimit, match="costs most"):
            pair.find(REQUEST, count=True)
        assert pair.find("pattern { V [upos=VERB] }", count=True, timeout=0).rows()
    assert len(pair.score("attachment", gold_corpus="gold", system_corpus="a")) == 1


def test_a_call_has_its_own_limit(db: treesql.Database) -> None:
    db.load(GOLD, corpus="gold")
    with pytest.raises(TimeLimit, match=r"stopped after 0.1 seconds"):
        db.find(REQUEST, count=True, timeout=0.1)


def test_only_the_work_between_batches_counts(clock: Clock) -> None:
    with treesql.connect(timeout=60) as db:
        reader = db.stream("SELECT i, repeat('x', 100) AS x FROM range(3000000) t(i)")
        assert len(reader.read_next_batch()) > 0
        clock.skipped += 100
        assert len(reader.read_next_batch()) > 0


def test_batches_are_stopped() -> None:
    with treesql.connect(timeout=0.3) as db, pytest.raises(TimeLimit):
        for _ in db.stream("SELECT i FROM range(1000000000000) t(i) WHERE hash(i) % 7 = 1"):
            pass


def test_nothing_is_interrupted_when_the_work_is_done() -> None:
    with treesql.connect() as db:
        with limits.limited(bare(db), 0.05):
            pass
        time.sleep(0.1)
        assert db.sql("SELECT count(*) AS n FROM range(30000000)").rows() == [{"n": 30000000}]
        before = threading.active_count()
        with limits.limited(bare(db), 100, 10**12):
            pass
        time.sleep(0.1)
        assert threading.active_count() <= before


def test_what_fails_for_another_reason_is_told_as_it_is() -> None:
    with treesql.connect(timeout=60) as db, pytest.raises(QueryError, match="nonsense"):
        db.sql("SELECT nonsense FROM words")


def test_memory() -> None:
    with treesql.connect(memory="100MB") as db:
        [row] = db.sql("SELECT current_setting('memory_limit') AS m").rows()
        assert row["m"] == "95.3 MiB"
        for sql in ("SELECT list(i) AS l FROM range(30000000) t(i)", FEWER_STRINGS):
            with pytest.raises(
                MemoryLimit, match=r"more memory than 100 MB; process less at a time, or raise --memory \(memory="
            ):
                db.sql(sql)
            wait_until_free(db)  # on a busy machine, DuckDB ends later than the call
        assert db.sql("SELECT 1 AS a").rows() == [{"a": 1}]


def test_a_safe_connection_writes_no_temporary_files(gold_and_parser: Path) -> None:
    with treesql.connect(gold_and_parser, read_only=True, safe=True, memory="50MB") as db, pytest.raises(MemoryLimit):
        db.sql("SELECT i FROM range(100000000) t(i) ORDER BY hash(i) LIMIT 1 OFFSET 90000000")
    assert not Path(f"{gold_and_parser}.tmp").exists()


@pytest.mark.parametrize("timeout", [-1, float("inf"), float("nan")])
def test_no_seconds(timeout: float) -> None:
    with pytest.raises(UsageError, match="write a number of seconds"):
        treesql.connect(timeout=timeout)
    with treesql.connect() as db:
        db.load(GOLD, corpus="gold")
        for call in (
            lambda: db.find("pattern { A [] }", timeout=timeout),
            lambda: treesql.find(GOLD, "pattern { A [] }", timeout=timeout),
        ):
            with pytest.raises(UsageError, match="write a number of seconds"):
                call()


def test_out_of_memory_is_known_by_what_duckdb_says() -> None:
    error = duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block of size 256.0 KiB")
    assert str(limits.as_memory_limit(error, 10**9)).startswith("stopped: this takes more memory than 1 GB;")
    assert "than DuckDB takes by default" in str(limits.as_memory_limit(error))
    assert limits.as_memory_limit(ValueError("memory")) is None


def command(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "treesql", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, cwd=folder)


SLOW = f"word >= 0 * (SELECT n FROM ({ENDLESS}))"
COMMANDS = [
    ["sql", "DB", ENDLESS],
    ["sql", "DB", ENDLESS, "--write"],
    ["find", "LONG", REQUEST, "--count"],
    ["score", "dependency", GOLD, A, "--where", SLOW],
    ["compare", "dependency", GOLD, GOLD, A, "--where", SLOW],
    ["score", "dependency", "gold", "parser-a", "--db", "DB", "--where", SLOW],
]


@pytest.mark.spread(3)
@pytest.mark.parametrize("arguments", COMMANDS)
def test_commands_are_ended(gold_and_parser: Path, long_sentence: Path, arguments: list[str]) -> None:
    words = [{"DB": str(gold_and_parser), "LONG": str(long_sentence)}.get(word, word) for word in arguments]
    done = command(*words, "--timeout", 1)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("stopped after 1 seconds; ")
    assert "raise --timeout (timeout= in Python)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["sql", "DB", MANY_STRINGS],
        ["sql", "DB", "SELECT length(repeat('x', 4000000000))"],
        ["score", "dependency", GOLD, A, "--where", f"word >= 0 * (SELECT n FROM ({MANY_STRINGS}))"],
    ],
)
def test_commands_that_take_too_much_memory_are_ended(gold_and_parser: Path, arguments: list[str]) -> None:
    words = [str(gold_and_parser) if word == "DB" else word for word in arguments]
    done = command(*words, "--memory", "500MB")
    assert (done.returncode, done.stdout) == (2, "")
    told = (
        "stopped: this takes more memory than 500 MB; process less at a time, or raise --memory (memory= in Python)\n"
    )
    assert done.stderr == told


def test_nothing_is_left_of_what_was_to_be_written(gold_and_parser: Path, tmp_path: Path) -> None:
    sql = "SELECT i, length(repeat('x', 1000000 + i)) AS n FROM range(100000000) t(i)"
    done = command("sql", gold_and_parser, sql, "--timeout", 1, "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_no_temporary_files_are_left(gold_and_parser: Path, tmp_path: Path) -> None:
    spilling = "SELECT max(i) AS n FROM (SELECT i FROM range(300000000) t(i) ORDER BY hash(i) LIMIT 200000000)"
    path = shutil.copy(gold_and_parser, tmp_path)
    where = f"word >= 0 * (SELECT n FROM ({spilling}))"
    for words in (["sql", path, spilling, "--write"], ["score", "dependency", GOLD, A, "--where", where]):
        done = command(*words, "--memory", "450MB", "--timeout", 2, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert [one.name for one in tmp_path.iterdir()] == ["t.duckdb"]


@pytest.mark.parametrize(
    "kind",
    ["score alignment", "score constituency", "score lattice", "score newick", "score parallel", "score paths",
     "score translation", "score trees", "compare alignment", "compare lattice", "stats", "wde", "correlate",
     "typology"],
)  # fmt: skip
def test_commands_with_the_options(kind: str, run: Callable[..., Run]) -> None:
    shown = run(*kind.split(), "--help", "--all").out
    assert "--timeout SECONDS" in shown
    assert "--memory SIZE" in shown


def test_limits_that_are_not_hit_change_nothing() -> None:
    limited = command("score", "dependency", GOLD, A, "--timeout", 300, "--memory", "20GB")
    assert limited.stdout == command("score", "dependency", GOLD, A).stdout


def test_planning_a_request_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of the database to plan a request takes of the time of `find`."""
    from treesql.search import planning

    plan = planning.plan

    def plan_slowly(engine: Any, question: Any) -> object:
        engine.rows("SELECT sum(i % 7) FROM range(3000000000) AS r(i)")
        return plan(engine, question)

    monkeypatch.setattr(planning, "plan", plan_slowly)
    for opened, given in (({"timeout": 0.3}, {}), ({}, {"timeout": 0.3})):
        with treesql.connect(**opened) as db:  # type: ignore[arg-type]
            db.load(FIXTURES / "gold.conllu")
            with pytest.raises(TimeLimit, match=r"stopped after 0.3 seconds"):
                db.find("pattern { X [upos=NOUN] }", **given)  # type: ignore[arg-type]
    with pytest.raises(TimeLimit, match=r"stopped after 0.3 seconds"):
        treesql.find(FIXTURES / "gold.conllu", "pattern { X [upos=NOUN] }", timeout=0.3)
