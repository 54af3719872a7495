"""Calls that go on where a limit was hit: when the caller gets an answer, and what becomes of the database."""

from __future__ import annotations

import _thread
import inspect
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import treesql
from tests.conftest import FIXTURES, bare, wait_until_free
from treesql.engines import conditions
from treesql.errors import DatabaseError, MemoryLimit, QueryError, TimeLimit, TreesqlWarning, UsageError
from treesql.runtime import interrupts, limits
from treesql.search import running
from treesql.significance import compare, intervals
from treesql.storage import changes

pytestmark = pytest.mark.slow

GOLD, A = (FIXTURES / f"{name}.conllu" for name in ("gold", "parser-a"))
STOPPED = "a call that was stopped still runs in this database; try again when it has ended"
PAIR = {"gold_corpus": "gold", "system_corpus": "a"}


HELD = 60
"""Seconds after which a call is released if nothing else does it; none of these tests waits so long."""


class Holding:
    """A SQL function `hold(n)` that no interrupt ends: it returns 1 once it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.memory: list[np.ndarray] = []

    def __call__(self, number: int) -> int:
        self.memory.append(np.ones(number, np.uint8))
        assert self.released.wait(HELD)
        self.memory.clear()
        return 1

    def install(self, db: treesql.Database) -> None:
        bare(db).create_function("hold", self, ["BIGINT"], "INTEGER")


@pytest.fixture
def holding() -> Iterator[Holding]:
    function = Holding()
    yield function
    function.released.set()


@pytest.fixture
def hit_once_held(holding: Holding, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time are hit as soon as a call is held, whatever the seconds before took, and not otherwise."""
    usual = limits.Limit.left.fget
    assert usual is not None

    def left(limit: limits.Limit) -> float:
        seconds: float = usual(limit)
        return 0.0 if holding.memory and limit.seconds < float("inf") else seconds

    monkeypatch.setattr(limits.Limit, "left", property(left))


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to its thread is left sooner."""
    assert limits.GRACE < 1
    monkeypatch.setattr(limits, "GRACE", 0.2)


@pytest.fixture
def db(holding: Holding, hit_once_held: None) -> Iterator[treesql.Database]:
    """A database in memory with a limit of time, which is hit once a call is held."""
    db = treesql.connect(timeout=HELD)
    db.load(GOLD, corpus="gold")
    db.load(A, corpus="a")
    holding.install(db)
    yield db
    holding.released.set()
    wait_until_free(db)
    db.close()


@contextmanager
def in_time(kind: type[Exception] = TimeLimit) -> Iterator[None]:
    """Raises the error when the call was waited for a while, and before it is released: on a busy machine as well."""
    began = time.monotonic()
    with pytest.raises(kind):
        yield
    assert limits.GRACE < time.monotonic() - began < HELD / 2


def drain(db: treesql.Database, sql: str) -> None:
    for _ in db.stream(sql):
        pass


CALLS: dict[str, Callable[[treesql.Database], object]] = {
    "sql": lambda db: db.sql("SELECT hold(1) AS n"),
    "planning": lambda db: db.sql("SELECT * FROM range((SELECT hold(1)))"),
    "stream": lambda db: db.stream("SELECT hold(1) AS n FROM range(3) ORDER BY n"),
    "batches": lambda db: drain(db, "SELECT hold(i) AS n FROM range(1) t(i)"),
    "changes": lambda db: db.sql("UPDATE words SET lemma = hold(1) WHERE word = 1"),
    "score": lambda db: db.score("attachment", where="word >= hold(1)", **PAIR),
    "compare": lambda db: db.compare("attachment", systems=["gold", "a"], gold_corpus="gold", where="word >= hold(1)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_answered_in_time(db: treesql.Database, holding: Holding, name: str) -> None:
    with in_time():
        CALLS[name](db)
    with pytest.raises(DatabaseError, match=STOPPED):
        db.sql("SELECT 1")
    holding.released.set()
    wait_until_free(db)
    assert db.sql("SELECT count(*) AS n FROM words WHERE lemma = '1'").rows() == [{"n": 0}]
    assert len(db.score("attachment", **PAIR)) == 1


def hold_back(monkeypatch: pytest.MonkeyPatch, module: object, name: str, holding: Holding) -> None:
    def held(*given: object, **named: object) -> object:
        holding(1)
        raise AssertionError("nobody takes this")

    monkeypatch.setattr(module, name, held)


@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        (compare, "compare_counted", lambda db: db.compare("attachment", systems=["gold", "a"], gold_corpus="gold")),
        (intervals, "add_intervals", lambda db: db.score("attachment", ci=True, **PAIR)),
        (running, "find_table_within", lambda db: db.find("pattern { A [] }")),
        (running, "find_table_within", lambda db: db.find("pattern { A [] }", timeout=HELD)),
    ],
)
def test_computations_outside_of_duckdb(
    db: treesql.Database, holding: Holding, monkeypatch: pytest.MonkeyPatch, module: object, name: str,
    call: Callable[[treesql.Database], object],
) -> None:  # fmt: skip
    hold_back(monkeypatch, module, name, holding)
    with in_time():
        call(db)
    with pytest.raises(DatabaseError, match=STOPPED):
        call(db)


def test_what_a_stopped_call_begins_later_is_stopped_too(
    db: treesql.Database, holding: Holding, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = bare(db)

    def compared(*given: object, **named: object) -> object:
        holding(1)
        return connection.execute("SELECT count(*) FROM range(1000000000000)").fetchall()

    monkeypatch.setattr(compare, "compare_counted", compared)
    with in_time():
        db.compare("attachment", systems=["gold", "a"], gold_corpus="gold")
    holding.released.set()
    wait_until_free(db)


def test_memory(holding: Holding) -> None:
    with treesql.connect(memory="200MB") as db:
        holding.install(db)
        began = time.monotonic()
        with pytest.raises(MemoryLimit):
            db.sql("SELECT hold(400000000)")
        assert time.monotonic() - began < HELD / 2
        with pytest.raises(DatabaseError, match=STOPPED):
            db.sql("SELECT 1")
        holding.released.set()
        wait_until_free(db)
        assert db.sql("SELECT 1 AS a").rows() == [{"a": 1}]


USES: dict[str, Callable[[treesql.Database], object]] = {
    "load": lambda db: db.load(GOLD, corpus="again"),
    "drop": lambda db: db.drop("gold"),
    "corpora": lambda db: db.corpora,
    "info": lambda db: db.info(),
    "stream": lambda db: db.stream("SELECT 1"),
    "query": lambda db: db.query("attachment", **PAIR),
    "score": lambda db: db.score("attachment", **PAIR),
    "compare": lambda db: db.compare("attachment", systems=["gold", "a"], gold_corpus="gold"),
    "find": lambda db: db.find("pattern { A [] }"),
    "sentence": lambda db: db.sentence(0, corpus="gold"),
    "export": lambda db: db.export("out.conllu", corpus="gold"),
    "connection": lambda db: db.connection,
}


def test_while_a_stopped_call_runs_all_others_are_refused(db: treesql.Database, holding: Holding) -> None:
    with pytest.raises(TimeLimit):
        db.sql("SELECT hold(1)")
    for name, call in USES.items():
        with pytest.raises(DatabaseError) as raised:
            call(db)
        assert str(raised.value) == STOPPED, name
    holding.released.set()
    wait_until_free(db)
    assert db.corpora == ["gold", "a"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT hold(1); INSERT INTO relation_classes VALUES ('nsubj', 'x')",
        "INSERT INTO relation_classes SELECT 'nsubj', hold(1)",
        "CREATE TABLE relation_copies AS SELECT hold(1) AS n",
        "BEGIN; CREATE TABLE mine (n INTEGER); INSERT INTO mine SELECT hold(1); COMMIT",
    ],
)
def test_a_stopped_call_writes_nothing(db: treesql.Database, holding: Holding, sql: str) -> None:
    state = "SELECT (SELECT count(*) FROM relation_classes) AS rows, count(*) AS tables FROM duckdb_tables()"
    before = db.sql(state).rows()
    with in_time():
        db.sql(sql)
    holding.released.set()
    wait_until_free(db)
    assert db.sql(state).rows() == before
    assert db.sql("CREATE TABLE other AS SELECT 1 AS n; SELECT n FROM other").rows() == [{"n": 1}]


def test_a_transaction_of_the_user_is_rolled_back(db: treesql.Database, holding: Holding) -> None:
    db.sql("BEGIN")
    db.sql("CREATE TABLE mine AS SELECT 1 AS n")
    with pytest.raises(TimeLimit):
        db.sql("SELECT hold(1)")
    holding.released.set()
    wait_until_free(db)
    with pytest.raises(QueryError, match="mine"):
        db.sql("FROM mine")


@pytest.mark.usefixtures("hit_once_held")
def test_a_closed_database_is_closed_when_the_call_has_ended(tmp_path: Path, holding: Holding) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path, timeout=HELD) as db:
        holding.install(db)
        stream = db.stream("SELECT i, CASE WHEN i = 500000 THEN hold(i) END AS n FROM range(1000000) t(i)")
        stream.read_next_batch()
        with in_time():
            stream.read_all()
        began = time.monotonic()
    assert time.monotonic() - began < HELD / 2
    with pytest.raises(DatabaseError):  # it is open for writing
        treesql.connect(path, read_only=True)
    holding.released.set()
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            treesql.connect(path, read_only=True).close()
        except DatabaseError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("it was never closed")


@pytest.mark.parametrize(("held", "timeout"), [(False, None), (True, 60)])
def test_ctrl_c(holding: Holding, held: bool, timeout: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "raises_here", lambda: True)  # also where pytest runs in the background
    sql = "SELECT hold(1)" if held else "SELECT count(*) FROM range(1000000000000)"
    db = treesql.connect(timeout=timeout)
    holding.install(db)
    threading.Timer(0.3, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        db.sql(sql)
    assert (0.3 + limits.GRACE if held else 0.3) <= time.monotonic() - began < HELD / 2
    if held:
        with pytest.raises(DatabaseError, match=STOPPED):
            db.sql("SELECT 1")
        holding.released.set()
        wait_until_free(db)
    assert db.sql("SELECT 1 AS a").rows() == [{"a": 1}]
    db.close()


def test_errors_come_with_their_traceback(db: treesql.Database) -> None:
    with pytest.raises(QueryError, match="nonsense") as raised:
        db.sql("SELECT nonsense")
    names = [frame.name for frame in raised.traceback]
    assert names.index("test_errors_come_with_their_traceback") < names.index("_open")


@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize("timeout", [None, 0, 30])
def test_the_caller_does_the_work_that_nothing_is_to_stop(
    timeout: float | None, heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    monkeypatch.setattr(interrupts, "raises_here", lambda: heard)
    monkeypatch.setattr(changes, "may_change_rows", lambda *given: threads.append(threading.current_thread()))
    with treesql.connect(timeout=timeout) as db:
        db.sql("SELECT 1")
    assert (threads == [threading.current_thread()]) == (not timeout and not heard)


@pytest.mark.parametrize("timeout", [None, 30])
def test_warnings_name_the_line_of_the_caller(timeout: float | None) -> None:
    with treesql.connect(timeout=timeout) as db:
        for name, path in (("gold", GOLD), ("a", A)):
            db.load(path, corpus=name)
        cases: list[Callable[[], object]] = [
            lambda: db.sql("UPDATE words SET head = 0, deprel = 'root' WHERE corpus = 'a' AND sentence = 0"),
            lambda: db.stream("UPDATE words SET head = 0, deprel = 'root' WHERE corpus = 'a' AND sentence = 1"),
            lambda: db.find("pattern { A [upos=NONE] }"),
            lambda: db.score("attachment", ci=True, where="sentence = 0", **PAIR),
            lambda: db.compare("attachment", systems=["gold", "a"], gold_corpus="gold", where="sentence = 0"),
        ]
        for case in cases:
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                case()
            assert all(issubclass(one.category, TreesqlWarning) for one in found)
            assert {one.filename for one in found} == {__file__}
            assert found, inspect.getsource(case)


EXIT = """
import sys, time
import treesql

class Slow:
    '''Removed while Python ends, which takes until the call has ended.'''
    sleep = staticmethod(time.sleep)
    def __del__(self):
        self.sleep(3)

db = treesql.connect(timeout=0.1)
db.connection.create_function("hold", lambda n: time.sleep(2) or n, ["BIGINT"], "BIGINT")
try:
    db.sql(sys.argv[1])
except treesql.TreesqlError as error:
    print(type(error).__name__, flush=True)
if sys.argv[2] == "slow":
    sys.slow = Slow()
sys.exit(7)
"""
CALL = "SELECT length(repeat('x', {}))"


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        (CALL.format(4_000_000_000), "fast"),
        pytest.param(CALL.format(400_000_000), "slow", marks=pytest.mark.thorough),
        pytest.param("SELECT hold(1)", "slow", marks=pytest.mark.thorough),
        ("SELECT hold(i) FROM range(2) t(i)", "slow"),
    ],
)
def test_python_ends_while_the_call_runs(sql: str, end: str) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", EXIT, sql, end], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "TimeLimit\n", "")
    assert time.monotonic() - began < (30 if end == "slow" else 20)


def nested(depth: int) -> str:
    """A statement that takes long to parse."""
    return f"FROM {'(' * depth}words JOIN words AS v ON FALSE{')' * depth}"


def test_texts_that_take_long_to_parse(gold_and_parser: Path) -> None:
    script = "import sys, treesql\ntreesql.connect(timeout=1).sql(sys.argv[1])"
    commands: list[list[str]] = [
        ["-c", script, nested(4000)],
        ["-m", "treesql", "sql", str(gold_and_parser), nested(4000), "--timeout", "1"],
    ]
    for words in commands:
        began = time.monotonic()
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=60)
        assert "stopped after 1 seconds" in done.stderr
        assert time.monotonic() - began < 30


def test_texts_that_take_too_long_to_parse_are_refused_where_a_limit_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "_MAX_PARSING", 0.05)
    with treesql.connect(timeout=60) as db:
        db.load(GOLD, corpus="gold")
        calls: list[Callable[[], object]] = [
            lambda: db.sql(nested(800)),
            lambda: db.score("attachment", gold_corpus="gold", system_corpus="gold", where=f"1 IN ({nested(800)})"),
        ]
        for call in calls:
            with pytest.raises(UsageError, match="characters of SQL take too long to parse; shorten them"):
                call()
    with treesql.connect() as db:
        assert db.sql(nested(800)).rows() == []
