"""Signals at chosen moments: what is interrupted has not been done, and what was done is not called interrupted."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, thorough_but
from treesql.cli import main
from treesql.runtime import interrupts
from treesql.storage import exporting, loading

pytestmark = pytest.mark.slow

GOLD = str(FIXTURES / "gold.conllu")
INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
Send = Callable[[], None]


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    """That of Python: Spark leaves its own, and where pytest runs in the background signals are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def db(gold_and_parser: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(gold_and_parser, tmp_path))


@pytest.fixture(params=INTERRUPTED, ids=lambda number: signal.Signals(number).name)
def number(request: pytest.FixtureRequest) -> signal.Signals:
    return signal.Signals(request.param)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*arguments: object) -> tuple[int, str]:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        return int(end.value.code or 0), capfd.readouterr().err.strip()

    return call


def corpora(path: Path) -> list[str]:
    with treesql.connect(path, read_only=True) as db:
        return db.corpora


def sending(number: int, *, swallowed: bool = False) -> Send:
    """Sends a signal to this process; it is lost on its way, as in a kernel, if `swallowed`."""

    def send() -> None:
        try:
            os.kill(os.getpid(), number)
            for _ in range(1000):  # Python calls handlers between its own instructions
                pass
        except KeyboardInterrupt:
            if not swallowed:
                raise

    return send


def before(monkeypatch: pytest.MonkeyPatch, module: object, name: str, send: Send) -> None:
    usual = getattr(module, name)

    def first(*given: object, **named: object) -> object:
        send()
        return usual(*given, **named)

    monkeypatch.setattr(module, name, first)


def while_committing(monkeypatch: pytest.MonkeyPatch, send: Send, *, after: bool) -> None:
    """Sends while something is made permanent, before or after it was."""
    usual = interrupts.committing

    @contextmanager
    def committing() -> Iterator[None]:
        with usual():
            if not after:
                send()
            yield
            if after:
                send()

    monkeypatch.setattr(interrupts, "committing", committing)


@pytest.mark.spread(7)
@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize("options", [["--corpus", "new"], ["--corpus", "gold", "--replace"]])
def test_a_load_that_is_interrupted_has_not_happened(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, options: list[str], swallowed: bool
) -> None:
    before(monkeypatch, loading, "finish_corpora", sending(number, swallowed=swallowed))
    (db.parent / "new.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert run("load", db, db.parent / "new.conllu", *options) == (INTERRUPTED[number], "interrupted")
    with treesql.connect(db, read_only=True) as now:
        assert now.corpora == ["gold", "parser-a"]
        assert now.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold'").rows() == [{"n": 30}]


@pytest.mark.spread(7)
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["t.duckdb", "made.duckdb"])
def test_a_load_that_cannot_be_stopped_any_more_says_so(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, name: str, after: bool
) -> None:
    while_committing(monkeypatch, sending(number), after=after)
    assert run("load", db.parent / name, GOLD, "--corpus", "new") == (0, "the signal came too late: this was done")
    assert corpora(db.parent / name)[-1] == "new"
    assert sorted(path.name for path in db.parent.iterdir()) == sorted({"t.duckdb", name})


def several(folder: Path) -> Path:
    """A folder with three corpora."""
    (folder / "ud").mkdir()
    for name in ("1", "2", "3"):
        shutil.copy(GOLD, folder / "ud" / f"{name}.conllu")
    return folder / "ud"


def at_call(number: int, act: Send) -> Send:
    """Acts at a call of this number, not at others."""
    calls = itertools.count(1)
    return lambda: act() if next(calls) == number else None


@pytest.mark.spread(5)
@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize(("name", "kept"), [("t.duckdb", ["gold", "parser-a"]), ("made.duckdb", [])])
def test_an_interrupted_load_of_several_corpora_keeps_whole_ones(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, name: str, kept: list[str], swallowed: bool
) -> None:
    """Kept are whole corpora; of small ones, which are inserted together, whole groups."""
    folder = several(db.parent)
    monkeypatch.setattr(loading, "GROUP_BYTES", 0)
    before(monkeypatch, loading, "finish_corpora", at_call(2, sending(number, swallowed=swallowed)))
    said = "interrupted; 1 of 3 corpora was loaded, the last one is '1'"
    assert run("load", db.parent / name, folder) == (INTERRUPTED[number], said)
    assert corpora(db.parent / name) == [*kept, "1"]
    with treesql.connect(db.parent / name, read_only=True) as now:
        rows = now.sql("SELECT w.corpus, count(*) AS n FROM words AS w GROUP BY w.corpus").rows()
    assert {row["corpus"]: row["n"] for row in rows} == dict.fromkeys([*kept, "1"], 30)
    assert sorted(path.name for path in db.parent.iterdir()) == sorted({"t.duckdb", name, "ud"})


@pytest.mark.spread(5)
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["t.duckdb", "made.duckdb"])
def test_signals_during_a_commit_end_a_load_of_several_corpora_after_it(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, name: str, after: bool
) -> None:
    monkeypatch.setattr(loading, "GROUP_BYTES", 0)
    while_committing(monkeypatch, sending(number), after=after)
    said = "interrupted; 1 of 3 corpora was loaded, the last one is '1'"
    assert run("load", db.parent / name, several(db.parent)) == (INTERRUPTED[number], said)
    assert corpora(db.parent / name)[-1] == "1"


def test_signals_during_the_last_commit_come_too_late(run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    folder = several(db.parent)
    assert run("load", db, folder / "1.conllu", folder / "2.conllu") == (0, "")
    while_committing(monkeypatch, sending(signal.SIGINT), after=True)
    assert run("load", db, folder / "3.conllu") == (0, "the signal came too late: this was done")
    assert corpora(db) == ["gold", "parser-a", "1", "2", "3"]


def test_an_interrupt_before_the_first_of_several_corpora_makes_no_database(  # type: ignore[no-untyped-def]
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    folder = several(tmp_path)
    before(monkeypatch, loading, "write_records", sending(number))
    assert run("load", tmp_path / "made.duckdb", folder) == (INTERRUPTED[number], "interrupted")
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("moment", thorough_but(range(4), 1))
def test_a_load_of_several_corpora_that_is_killed(tmp_path: Path, moment: int) -> None:
    """Whole corpora in their order, and the same command loads the others."""
    folder = tmp_path / "ud"
    folder.mkdir()
    names = [f"{at:02}" for at in range(30)]
    for name in names:
        (folder / f"{name}.conllu").write_bytes(Path(GOLD).read_bytes() * 60)
    command = [sys.executable, "-W", "ignore", "-m", "treesql", "load", "made.duckdb", "ud"]
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    path = tmp_path / "made.duckdb"
    while not path.exists() and child.poll() is None:
        time.sleep(0.01)
    time.sleep(moment * 0.3)
    child.kill()
    child.communicate()
    with treesql.connect(path, read_only=True) as db:
        sql = (
            "SELECT c.corpus, count(*) AS n FROM corpora AS c JOIN words AS w ON w.corpus = c.corpus GROUP BY c.corpus"
        )
        found = {row["corpus"]: row["n"] for row in db.sql(sql).rows()}
    assert found == dict.fromkeys(names[: len(found)], 1800)
    assert found
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == (2 if found else 0)
    assert corpora(path) == names
    assert sorted(one.name for one in tmp_path.iterdir()) == ["made.duckdb", "ud"]


def test_an_interrupted_load_leaves_no_database(  # type: ignore[no-untyped-def]
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    before(monkeypatch, loading, "finish_corpora", sending(number))
    assert run("load", tmp_path / "made.duckdb", GOLD, "--corpus", "new") == (INTERRUPTED[number], "interrupted")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_drop(run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    before(monkeypatch, loading, "_delete", sending(signal.SIGTERM, swallowed=True))
    assert run("drop", db, "gold") == (143, "interrupted")
    assert corpora(db) == ["gold", "parser-a"]


def test_an_interrupted_export_leaves_nothing(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    before(monkeypatch, exporting.parquet, "write_part", sending(number))
    assert run("export", db, db.parent / "data") == (INTERRUPTED[number], "interrupted")
    assert [path.name for path in db.parent.iterdir()] == ["t.duckdb"]


def test_statements_that_were_carried_out_are_not_called_interrupted(  # type: ignore[no-untyped-def]
    run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQL runs in a second thread: that the first one hears a signal does not tell how far the second one is."""
    while_committing(monkeypatch, sending(signal.SIGINT), after=True)
    statements = "UPDATE words SET lemma = 'x'; UPDATE words SET xpos = 'y'"
    assert run("sql", db, statements, "--write") == (0, "the signal came too late: this was done")
    assert sql_rows(db, "SELECT DISTINCT lemma, xpos FROM words") == [{"lemma": "x", "xpos": "y"}]


@pytest.mark.parametrize(
    "statements",
    [
        "DELETE FROM words; SELECT error('x') FROM sentences",
        "DELETE FROM words; UPDATE sentences SET sentence = -1",
        "CREATE TABLE mine AS SELECT 1 AS a; DELETE FROM words; INSERT INTO nothing SELECT 1",
    ],
)
def test_statements_are_carried_out_all_or_none(run, db: Path, statements: str) -> None:  # type: ignore[no-untyped-def]
    assert run("sql", db, statements, "--write")[0] == 2
    assert [row["n"] for row in sql_rows(db, "SELECT count(*) AS n FROM words")] == [60]
    assert sql_rows(db, "SELECT table_name FROM duckdb_tables() WHERE table_name = 'mine'") == []


@pytest.mark.parametrize(
    "statements", ["BEGIN; CREATE TABLE mine AS SELECT 1 AS a; COMMIT", "CHECKPOINT", "ATTACH ':memory:' AS m"]
)
def test_statements_that_cannot_stand_in_a_transaction(run, db: Path, statements: str) -> None:  # type: ignore[no-untyped-def]
    assert run("sql", db, statements, "--write") == (0, "")
    assert len(sql_rows(db, "SELECT 1 AS a FROM duckdb_tables() WHERE table_name = 'mine'")) == ("mine" in statements)


def sql_rows(path: Path, statement: str) -> list[dict[str, object]]:
    with treesql.connect(path, read_only=True) as db:
        return db.sql(statement).rows()


def test_ignored_signals_stay_ignored(run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """As under nohup, and in the background of a script."""
    before(monkeypatch, loading, "finish_corpora", sending(signal.SIGHUP))
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run("load", db, GOLD, "--corpus", "new") == (0, "")
    finally:
        signal.signal(signal.SIGHUP, usual)


def test_handlers_are_put_back(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    usual = [signal.getsignal(number) for number in INTERRUPTED]
    run("info", db)
    assert [signal.getsignal(number) for number in INTERRUPTED] == usual


@pytest.mark.parametrize("in_kernel", [False, True])
def test_in_python_an_interrupted_load_is_rolled_back(
    db: Path, monkeypatch: pytest.MonkeyPatch, in_kernel: bool
) -> None:
    def interrupted(*given: object) -> None:
        if in_kernel:
            raise SystemError("CPUDispatcher(<function scan>) returned a result with an exception set") from (
                KeyboardInterrupt()
            )
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(loading, "finish_corpora", interrupted)
    with treesql.connect(db) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.load(GOLD, corpus="new")
        assert opened.corpora == ["gold", "parser-a"]


def test_in_python_a_commit_is_not_interrupted_halfway(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller's own handler raises comes when the corpus is there."""
    while_committing(monkeypatch, sending(signal.SIGINT), after=False)
    with treesql.connect(db) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.load(GOLD, corpus="new")
        assert opened.corpora == ["gold", "parser-a", "new"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_load_in_another_thread(db: Path) -> None:
    def load() -> None:
        with treesql.connect(db) as opened:
            opened.load(GOLD, corpus="new")

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert corpora(db)[-1] == "new"


def test_a_signal_in_a_callback_is_kept_and_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Python ignores exceptions of callbacks, as those of weak references."""
    with interrupts.listening():
        item = Item()
        reference = weakref.ref(item, lambda _: signal.raise_signal(signal.SIGTERM))
        del item
        assert interrupts.heard() == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt), interrupts.committing():
            pass
    assert capfd.readouterr().err == ""
    assert reference() is None


def sleep_in_pieces(seconds: float) -> None:
    for _ in range(round(100 * seconds)):
        time.sleep(0.01)


def test_a_signal_while_duckdb_is_imported_is_raised_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb.__spec__, "_initializing", True, raising=False)
    with interrupts.listening():
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.heard() == signal.SIGTERM
        monkeypatch.undo()
        with pytest.raises(KeyboardInterrupt):
            sleep_in_pieces(10)


class Item:
    """Something that weak references can refer to."""
