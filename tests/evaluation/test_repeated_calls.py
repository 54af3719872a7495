"""Calls again and again in one process: each sees its own rows alone, and none leaves anything behind."""

from __future__ import annotations

import ctypes
import gc
import io
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, ROOT
from treesql import engines
from treesql.engines import connections
from treesql.engines.duckdb import DuckDB
from treesql.errors import StatementError
from treesql.kernels.compiling import INTERPRETED_SECONDS
from treesql.readers import Options
from treesql.runtime.limits import memory_in_use
from treesql.storage import loading

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

MOST_BYTES = 5_000_000
"""By which N_CALLS calls may let a process grow, but for the first N_WARM."""

N_CALLS = 10_000

N_WARM = 1_000
"""Number of calls after which a process has imported and cached what it needs, and compiled or loaded its kernels."""

N_FEW = 3
"""Number of sentences of calls of which there are many: what a call leaves behind does not depend on these."""

KINDS = {
    "dependency": ("gold.conllu", "parser-a.conllu", "\n\n"),
    "constituency": ("gold.mrg", "test.mrg", "\n"),
    "alignment": ("links.pharaoh", "links-a.pharaoh", "\n"),
    "translation": ("lattices.txt", "hypotheses.txt", "\n"),
}
"""By kind the gold file, a system's, and what stands between sentences."""

METRICS = {"dependency": "attachment", "constituency": "evalb", "alignment": "agreement", "translation": "bleu"}
"""By kind a metric that takes little time."""

N_BATCHES = {"dependency": 20, "constituency": 1, "alignment": 20, "translation": 2}
"""By kind the number of batches of a scorer for every score: most of those that take least time."""

WAYS: list[Callable[[Path, str], Any]] = [
    lambda path, between: path,
    lambda path, between: path.read_bytes(),
    lambda path, between: io.StringIO(path.read_text("utf-8")),
    lambda path, between: path.read_text("utf-8").rstrip("\n").split(between),
]
"""Ways in, by a file and what stands between its sentences."""

RULES = frozenset({"evalb_label_rules", "evalb_rules", "evalb_word_classes"})
"""Relations that are the same in every call of EVALB, and are made once."""

GOLD, PARSERS = FIXTURES / "gold.conllu", [FIXTURES / f"parser-{name}.conllu" for name in "ab"]


def calls() -> list[Callable[[], Any]]:
    """A score of every kind in every way in, and a comparison."""

    def scoring(kind: str, of: Callable[[Path, str], Any]) -> Callable[[], Any]:
        *names, between = KINDS[kind]
        gold, system = (FIXTURES / name for name in names)
        role = "reference" if kind == "translation" else "gold"
        return lambda: treesql.score(kind, **{role: of(gold, between)}, systems={"a": of(system, between)}).rows()

    scores = [scoring(kind, of) for of in WAYS for kind in KINDS]
    return [*scores, lambda: treesql.compare("dependency", GOLD, *PARSERS, runs=20).rows()]


def in_use() -> tuple[int, int, int]:
    """The numbers of threads, of open files, and of connections in use to databases that the process keeps."""
    gc.collect()
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    return threading.active_count(), files, sum(len(kept.used) for kept in connections._kept)


def few_calls(folder: Path) -> list[Callable[[], Any]]:
    """Scores of few sentences of every kind in every way in, and batches of scorers, which take less time.

    folder: of their files.
    """
    made: list[Callable[[], Any]] = []
    for kind, (*names, between) in KINDS.items():
        gold, system = (folder / name for name in names)
        for path in (gold, system):
            sentences = (FIXTURES / path.name).read_text("utf-8").split(between)[:N_FEW]
            path.write_text("".join(sentence + between for sentence in sentences), "utf-8")
        gold_role, role = ("reference", "hypothesis") if kind == "translation" else ("gold", "system")
        scorer = treesql.Scorer(kind, METRICS[kind])
        for of in WAYS:
            read_gold, read_system = partial(of, gold, between), partial(of, system, between)
            made.append(partial(_score, kind, gold_role, read_gold, read_system))
            made += N_BATCHES[kind] * [partial(_update, scorer, {gold_role: read_gold, role: read_system})]
    return made


def _score(kind: str, role: str, gold: Callable[[], Any], system: Callable[[], Any]) -> None:
    treesql.score(kind, metric=METRICS[kind], systems={"a": system()}, **{role: gold()})


def _update(scorer: treesql.Scorer, inputs: Mapping[str, Callable[[], Any]]) -> None:
    scorer.update(**{role: read() for role, read in inputs.items()})


def memory_at_rest() -> int:
    """Bytes that the process has once what is kept for further calls is closed, and what is free is given back.

    Between calls it has what DuckDB keeps for as many calls as use one database, and gaps of what it has freed.
    """
    connections._close(lambda kept: not kept.used)
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError, TypeError):  # of other C libraries than GNU's
        ctypes.CDLL(None).malloc_trim(0)
    return memory_in_use()


def test_calls_leave_no_thread_file_or_connection() -> None:
    made = calls()[::3]
    first = [call() for call in made]
    before = in_use()
    assert before[-1] == 0
    assert [call() for call in made] == first
    assert in_use() == before
    for lent in (lent for kept in connections._kept for lent in kept.idle):
        assert lent.rows.shown is None
        filled = lent.connection.execute("SELECT table_name FROM duckdb_tables() WHERE estimated_size > 0").fetchall()
        assert {name.partition(" ")[0] for (name,) in filled} <= {
            "relation_classes", "evalb_parameters", "head_rules", "class_members", *RULES
        }  # fmt: skip


def test_a_call_sees_nothing_of_another(tmp_path: Path) -> None:
    """The second one has fewer sentences, of the same name, without multiword tokens; a third one has parameters."""
    path = tmp_path / "parser-a.conllu"
    both = treesql.score("dependency", GOLD, PARSERS[0], metric="attachment").rows()
    path.write_text("1\tno\tno\tADV\t_\t_\t0\troot\t_\t_\n\n")
    assert treesql.score("dependency", path, path, metric="words").rows()[0]["words"] == 1
    rules = tmp_path / "own.prm"
    rules.write_text("DELETE_LABEL NP\n")
    trees = (FIXTURES / "gold.mrg", FIXTURES / "test.mrg")
    plain = treesql.score("constituency", *trees, metric="evalb").rows()
    assert treesql.score("constituency", *trees, metric="evalb", rules=rules).rows() != plain
    assert treesql.score("constituency", *trees, metric="evalb").rows() == plain
    assert treesql.score("dependency", GOLD, PARSERS[0], metric="attachment").rows() == both


def test_rules_that_replace_others_count_for_their_call_alone(tmp_path: Path) -> None:
    """Also once relations were made of those that they replace, for further calls."""
    rules = tmp_path / "COLLINS.prm"
    rules.write_text("DELETE_LABEL NP\nEQ_LABEL VP S\nDELETE_WORD the\nLABELED 1\n")
    trees = (FIXTURES / "gold.mrg", FIXTURES / "test.mrg")
    expected: list[list[dict[str, Any]]] = []
    for own in (None, rules):
        with treesql.connect() as db:
            for corpus, path in zip("gs", trees, strict=True):
                db.load(path, corpus=corpus)
            expected.append(db.score("constituency", "g", "s", metric="evalb", rules=own).rows())
    assert expected[0] != expected[1]
    counted = [[{**row, "system": "test.mrg"} for row in rows] for rows in expected]
    for _ in range(3):
        for rows, own in zip(counted, (None, rules), strict=True):
            assert treesql.score("constituency", *trees, metric="evalb", rules=own).rows() == rows
    made = {name for kept in connections._kept for lent in kept.idle for name in lent.made}
    assert {name.partition(" ")[0] for name in made} >= RULES


def test_a_scorer_keeps_the_rules_with_which_it_was_made(tmp_path: Path) -> None:
    """Whatever becomes of their file; scorers with other rules are not merged, although these have the same name."""
    rules = tmp_path / "own.prm"
    rules.write_text("DELETE_LABEL TOP\n")
    trees = {"gold": FIXTURES / "gold.mrg", "system": FIXTURES / "test.mrg"}
    scorer = treesql.Scorer("constituency", metric="evalb", rules=rules)
    scorer.update(**trees)
    expected = scorer.compute().rows()
    rules.write_text("DELETE_LABEL NP\n")
    other = treesql.Scorer("constituency", metric="evalb", rules=rules)
    other.update(**trees)
    assert other.compute().rows()[0]["gold"] < expected[0]["gold"]
    with pytest.raises(treesql.UsageError, match="made with the same arguments"):
        scorer.merge(other)
    rules.unlink()
    scorer.reset()
    scorer.update(**trees)
    assert pickle.loads(pickle.dumps(scorer)).compute().rows() == expected


def test_what_fails_leaves_nothing() -> None:
    """An error that an audit finds, one of a kernel, and one of a condition, which has a connection of its own."""
    expected = treesql.score("dependency", GOLD, PARSERS[0]).rows()
    for _ in range(2):
        with pytest.raises(treesql.TreesqlError):
            treesql.score("dependency", GOLD, FIXTURES / "hypothesis.conllu")
        with pytest.raises(treesql.TreesqlError):
            treesql.score("constituency", FIXTURES / "gold.mrg", ["(S (X no))"])
        with pytest.raises(treesql.TreesqlError):
            treesql.score("dependency", GOLD, PARSERS[0], where="no_such_column = 1")
    assert treesql.score("dependency", GOLD, PARSERS[0]).rows() == expected
    assert in_use()[-1] == 0


def test_conditions_run_on_no_connection_that_is_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    lent: list[connections.Lent] = []
    borrow = connections.borrow
    monkeypatch.setattr(connections, "borrow", lambda *given, **few: lent.append(borrow(*given, **few)) or lent[-1])
    treesql.score("dependency", GOLD, PARSERS[0], where="upos = 'NOUN'")
    assert not lent
    treesql.score("dependency", GOLD, PARSERS[0])
    assert len(lent) == 1


def test_threads_have_connections_of_their_own() -> None:
    made = calls()[:4]
    expected = [call() for call in made]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            assert list(pool.map(lambda call: call(), made)) == expected
    assert in_use()[-1] == 0


def test_plans_are_kept_and_rows_are_read_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For other sentences and names of corpora, once further tables are made, and without too many plans."""
    monkeypatch.setattr(connections, "_kept", [])
    tree = "{id}\tw\tw\tX\t_\t_\t{head}\tx\t_\t_\n"
    gold = tmp_path / "gold.conllu"
    gold.write_text(tree.format(id=1, head=0) + tree.format(id=2, head=1) + "\n")

    def las(name: str, head: int) -> float:
        system = tmp_path / f"{name}.conllu"
        system.write_text(tree.format(id=1, head=head) + tree.format(id=2, head=1 - head // 2) + "\n")
        [row] = treesql.score("dependency", gold, system, metric="attachment").rows()
        assert row["system"] == f"{name}.conllu"
        return float(row["las"])

    assert [las("a", 0), las("a", 2), las("b", 2), las("b", 0)] == [1, 0, 0, 1]
    [lent] = connections._kept[-1].idle
    kept = dict(lent.prepared)
    assert [las("c", 2), las("d", 0)] == [0, 1]
    assert lent.prepared == kept
    assert any(str(of).startswith("WITH") for of, _ in kept)
    treesql.score("constituency", FIXTURES / "gold.mrg", FIXTURES / "test.mrg", metric="evalb")
    monkeypatch.setattr(connections, "MAX_PREPARED", 3)
    assert [las("a", 0), las("a", 2)] == [1, 0]
    assert len(lent.prepared) == 3
    [(n_statements,)] = lent.connection.execute("SELECT count(*) FROM duckdb_prepared_statements()").fetchall()
    assert n_statements == 3


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements whose plans are kept, as they are run."""
    statements: list[str] = []
    run = connections.Lent.execute_prepared

    def execute(lent: connections.Lent, sql: str, of: Any, arguments: Any = ()) -> Any:
        statements.append(sql)
        return run(lent, sql, of, arguments)

    monkeypatch.setattr(connections.Lent, "execute_prepared", execute)
    return statements


def test_what_was_read_is_not_asked_for_again(statements: list[str]) -> None:
    """Words that are equal, and heads that none lacks: a batch is one INSERT and one SELECT, in which nothing is left
    that its parameters rule out."""
    scorer = treesql.Scorer("dependency", metric="attachment")
    for _ in range(3):
        scorer.reset()
        statements.clear()
        scorer.update(gold=GOLD, system=PARSERS[0])
    [insert, select] = statements
    assert insert.startswith('INSERT INTO "words"')
    assert not {"sentence_pairs", "unparsed_gold", "word_alignments"} & set(select.split())
    assert scorer.compute().rows() == [
        {**row, "system": "system"} for row in treesql.score("dependency", GOLD, PARSERS[0], metric="attachment").rows()
    ]


def test_sums_of_few_sentences_are_not_split_by_sentence(statements: list[str], tmp_path: Path) -> None:
    """Sentences that cannot be compared are asked for where there are some; rules and audits without faults are not."""
    gold = (FIXTURES / "gold.mrg").read_text()
    other = tmp_path / "other.mrg"
    other.write_text(gold.replace("ferry", "boat"))
    scorer = treesql.Scorer("constituency", metric="evalb")
    for system, n_statements in (((FIXTURES / "gold.mrg"), 1), (other, 2)):
        for _ in range(3):
            scorer.reset()
            statements.clear()
            scorer.update(gold=FIXTURES / "gold.mrg", system=system)
        selects = [sql for sql in statements if not sql.startswith("INSERT")]
        assert len(selects) == n_statements
        assert not {"i.sentence", "evalb_parameters", "sentence_pairs"}.intersection(
            selects[0].replace(",", " ").split()
        )
        assert "UNION" not in selects[0]
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence whose compared words differ: 0 "):
        scorer.compute()


def test_what_comes_again_reads_tables_that_are_empty_elsewhere(tmp_path: Path) -> None:
    """Alignments of words that differ, and ids by which sentences correspond: from the second call on, statements are
    without what has no rows, and these have some."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    row = "{}\t{}\t_\tX\t_\t_\t{}\tx\t_\t{}\n"
    gold.write_text(row.format(1, "ab", 2, "_") + row.format(2, "c", 0, "_") + "\n")
    parts = row.format(1, "a", 3, "SpaceAfter=No") + row.format(2, "b", 3, "_")
    system.write_text(parts + row.format(3, "c", 0, "_") + "\n")
    reference, hypothesis = tmp_path / "reference.trn", tmp_path / "hypothesis.trn"
    reference.write_text("a b c (one)\nd e (two)\n")
    hypothesis.write_text("d e (two)\na b x (one)\n")
    for _ in range(3):
        [found] = treesql.score("dependency", gold, gold, metric="attachment").rows()
        assert found["uas"] == 1
        [found] = treesql.score("dependency", gold, system, metric="attachment").rows()
        assert found["uas"] == pytest.approx(2 / 5)
        [found] = treesql.score("translation", systems=[hypothesis], reference=hypothesis, metric="wer").rows()
        assert found["wer"] == 0
        [found] = treesql.score(
            "translation",
            systems=[hypothesis],
            reference=reference,
            metric="wer",
        ).rows()
        assert found["wer"] == pytest.approx(1 / 5)


def test_statements_on_many_rows_are_optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_kept", [])
    monkeypatch.setattr(engines.duckdb, "FEW_ROWS", 10)
    scores = [treesql.score("dependency", GOLD, PARSERS[0]).rows() for _ in range(3)]
    assert scores[0] == scores[1] == scores[2]
    [lent] = connections._kept[-1].idle
    assert not [of for of, _ in lent.prepared if isinstance(of, str)]


def test_a_statement_that_fails_leaves_the_rows_to_be_read() -> None:
    """An error undoes the transaction of a lent connection, whose rows are written once more."""
    lent = connections.borrow()
    with DuckDB(lent.connection, lent=lent) as engine:
        lent.connection.begin()
        engine.write(lambda: lent.connection.execute("CREATE TEMP TABLE tried (corpus VARCHAR)"))
        rows = duckdb.sql("SELECT 'a' AS corpus").to_arrow_table()
        engine.insert("tried", rows, {"corpus": "corpus"})
        with pytest.raises(StatementError):
            engine.rows("SELECT error(c.corpus) FROM tried AS c")
        assert engine.rows("SELECT c.corpus FROM tried AS c") == [("a",)]
        for value in ("b", "c"):
            with engine.with_tables({"further": duckdb.sql(f"SELECT '{value}' AS corpus").to_arrow_table()}):
                with pytest.raises(StatementError):
                    engine.rows("SELECT error(c.corpus) FROM further AS c")
                assert engine.rows("SELECT c.corpus FROM further AS c") == [(value,)]
        with pytest.raises(StatementError):
            engine.rows("FROM further")
        assert engine.rows("SELECT c.corpus FROM tried AS c") == [("a",)]
    with pytest.raises(duckdb.CatalogException):
        lent.connection.execute("FROM tried")


def test_errors_that_abort_a_transaction_are_raised() -> None:
    """Rows of Arrow cannot be forgotten in it then, which hides neither an error nor an interrupt."""
    rows = pa.table({"priority": ["x"]})
    changes: list[Callable[[DuckDB], Any]] = [
        lambda engine: engine.replace_rows("head_rules", rows),
        lambda engine: engine.connection.execute("SELECT CAST(f.priority AS INTEGER) FROM further AS f").fetchall(),
    ]
    for change in changes:
        engine = loading.copy_rows({}, Options(), frozenset({"head_rules"}), of_lines=False)
        with pytest.raises(duckdb.ConversionException), engine, engine.with_tables({"further": rows}):
            change(engine)


def test_interrupts_of_planning_are_raised() -> None:
    class Interrupted:
        def execute(self, sql: str) -> None:
            if sql.startswith("PREPARE"):
                raise KeyboardInterrupt
            if sql == "PRAGMA enable_optimizer":
                raise duckdb.TransactionException("Current transaction is aborted (please ROLLBACK)")

    lent = connections.Lent(Interrupted())  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        lent.execute_prepared("SELECT 1", "SELECT 1")


def test_what_is_made_once_leaves_the_rows_that_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made outside of the transaction of a call, also where it fails; an interrupt closes the connection."""
    monkeypatch.setattr(connections, "_kept", [])
    read = "SELECT a.n > 0, f.corpus FROM a CROSS JOIN tried AS t JOIN further AS f ON f.corpus = t.corpus"
    counting = f"WITH a AS (SELECT count(*) AS n FROM head_rules AS h) {read}"
    failing = f"WITH a AS (SELECT error(h.rule_set) AS n FROM head_rules AS h) {read}"
    stopped = f"WITH a AS (SELECT max(h.priority) AS n FROM head_rules AS h) {read}"
    rows = duckdb.sql("SELECT 'a' AS corpus").to_arrow_table()

    @contextmanager
    def lent_engine(made: Callable[[set[str]], set[str]] = set) -> Iterator[tuple[connections.Lent, DuckDB]]:
        engine = loading.copy_rows({}, Options(), frozenset({"head_rules"}), of_lines=False)
        lent = engine._lent
        assert lent is not None
        lent.made = made(lent.made)
        with engine:
            engine.write(lambda: lent.connection.execute("CREATE TEMP TABLE tried (corpus VARCHAR)"))
            engine.insert("tried", rows, {"corpus": "corpus"})
            with engine.with_tables({"further": rows}):
                yield lent, engine

    made_once = "SELECT count(*) FROM duckdb_tables() AS t WHERE t.table_name LIKE 'a %'"
    for n_made in (0, 1, 1):
        with lent_engine() as (lent, engine):
            for _ in range(2):
                assert engine.rows(counting) == [(True, "a")]
                with pytest.raises(StatementError):
                    engine.rows(failing)
            assert lent.connection.execute(made_once).fetchall() == [(n_made,)]

    class Interrupting(set[str]):
        def add(self, name: str) -> None:
            raise KeyboardInterrupt

    with lent_engine() as (_, engine):
        assert engine.rows(stopped) == [(True, "a")]
    with pytest.raises(KeyboardInterrupt), lent_engine(Interrupting) as (_, engine):
        engine.rows(stopped)
    assert not connections._kept[-1].idle
    with lent_engine() as (_, engine):
        assert engine.rows(stopped) == [(True, "a")]


@pytest.mark.slow
def test_10000_calls_grow_the_process_little(tmp_path: Path) -> None:
    """So that of each call less than 600 bytes stay. Kernels are compiled or loaded by the first calls, not when what
    small inputs take has added up."""
    code = (
        "import itertools, sys, pathlib\n"
        "from tests.evaluation.test_repeated_calls import N_CALLS, N_WARM, few_calls, in_use, memory_at_rest\n"
        "made = itertools.cycle(few_calls(pathlib.Path(sys.argv[1])))\n"
        "for call in itertools.islice(made, N_WARM): call()\n"
        "used, before = in_use(), memory_at_rest()\n"
        "for call in itertools.islice(made, N_CALLS - N_WARM): call()\n"
        "assert in_use() == used, (used, in_use())\n"
        "print(memory_at_rest() - before, end='')"
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith(("TREESQL_", "PYTEST_"))}
    env[INTERPRETED_SECONDS] = "0"
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)
    assert done.stderr == ""
    assert int(done.stdout) < MOST_BYTES
