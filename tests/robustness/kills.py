"""Commands that write, ended by signals at random moments: what they change is as before, or as after, never between.

    python -m tests.robustness.kills --kills 200 --seed 1

prints what came of every command and signal; the exit code is 1 if anything was wrong. Every kill has its own copy of a
folder. Afterwards all tables are compared with those before and after, what was said with what was done, and the next
command must leave nothing in the folder that does not belong there.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

import treesql
from tests.conftest import FIXTURES
from treesql.catalog import schemas
from treesql.cli import main

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
DATABASE = "t.duckdb"
FOLDER = "corpora"
SMALL = 24
"""Number of small corpora, which share parts in a folder."""

INTERRUPTED = {signal.SIGINT: 130, signal.SIGTERM: 143}
SENTENCES = 2000
SECONDS = 120
"""So long a command may take; one that takes longer hangs."""

TIMES = ("loaded_at", "changed_at")

State = dict[str, object]


@dataclass(frozen=True)
class Case:
    """A command line in a folder. again: the next command, the same one if left out; makes: what may be there then."""

    name: str
    command: tuple[str, ...]
    makes: frozenset[str] = frozenset()
    again: tuple[str, ...] | None = None
    corpora: tuple[str, ...] = ()
    """The corpora that it loads, in order, each in a transaction: a kill leaves the first of them, whole."""

    @property
    def result(self) -> str:
        """What the command writes."""
        return next(iter(self.makes), FOLDER if FOLDER in self.command else DATABASE)


def _writes(name: str, *command: str, out: str) -> Case:
    return Case(name, command, frozenset({out}))


CASES = (
    Case("load", ("load", DATABASE, "new.conllu", "--corpus", "new"), again=("drop", DATABASE, "gold")),
    Case(
        "load into a new database", ("load", "made.duckdb", "new.conllu", "--corpus", "new"),
        frozenset({"made.duckdb"}), ("load", "made.duckdb", "gold.conllu", "--corpus", "next"),
    ),
    Case(
        "load many", ("load", DATABASE, "folder"), again=("drop", DATABASE, "gold"),
        corpora=("part0", "part1", "part2", "part3"),
    ),
    Case("load --replace", ("load", DATABASE, "new.conllu", "--corpus", "gold", "--replace")),
    Case("drop", ("drop", DATABASE, "large"), again=("drop", DATABASE, "gold")),
    Case("sql --write", ("sql", DATABASE, "UPDATE words SET lemma = 'x'; UPDATE words SET xpos = 'y'", "--write")),
    _writes("export", "export", DATABASE, "data", out="data"),
    Case("load many into a folder", ("load", FOLDER, "small"), again=("drop", FOLDER, "gold")),
    Case("load --replace into a folder", ("load", FOLDER, "new.conllu", "--corpus", "gold", "--replace")),
    Case("drop from a folder", ("drop", FOLDER, "large"), again=("drop", FOLDER, "gold")),
    Case("load a folder into a folder", ("load", FOLDER, "other"), again=("drop", FOLDER, "gold")),
    _writes("export --to conllu", "export", DATABASE, "large.conllu", "--corpus", "large", out="large.conllu"),
    _writes(
        "lattice prune", "lattice", "prune", "many.plf", "-r", "many.txt", "--phrases", "-o", "pruned.plf",
        out="pruned.plf",
    ),
    _writes("sql -o", "sql", DATABASE, "FROM words", "-o", "words.csv", out="words.csv"),
    _writes("symmetrise", "align", "symmetrise", "many.pharaoh", "many.pharaoh", "-o", "one.wpt", out="one.wpt"),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What came of one kill. wrong: what must not be; empty if all is well."""

    case: str
    signal: signal.Signals
    state: str
    wrong: tuple[str, ...] = ()
    leftovers: int = 0


def prepare(folder: Path, *, sentences: int = SENTENCES) -> None:
    """A database with corpora, files to load, and lattices."""
    folder.mkdir(parents=True)
    gold = (FIXTURES / "gold.conllu").read_bytes()
    (folder / "gold.conllu").write_bytes(gold)
    (folder / "new.conllu").write_bytes(
        b"".join(gold.replace(b"sent_id = ", b"sent_id = %d-" % at) for at in range(sentences // 5))
    )
    (folder / "folder").mkdir()
    for part in range(4):
        text = (folder / "new.conllu").read_bytes().replace(b"sent_id = ", b"sent_id = part%d-" % part)
        (folder / "folder" / f"part{part}.conllu").write_bytes(text)
    (folder / "many.plf").write_bytes((FIXTURES / "lattices.plf").read_bytes() * (sentences // 30))
    (folder / "many.txt").write_bytes((FIXTURES / "lattices.txt").read_bytes() * (sentences // 30))
    (folder / "many.pharaoh").write_bytes((FIXTURES / "links.pharaoh").read_bytes() * (sentences // 5))
    (folder / "small").mkdir()
    for at in range(SMALL):
        (folder / "small" / f"small{at}.conllu").write_bytes(gold.replace(b"sent_id = ", b"sent_id = small%d-" % at))
    for path in (folder / DATABASE, f"{folder / FOLDER}/"):
        treesql.load(path, folder / "gold.conllu", corpus="gold")
        treesql.load(path, folder / "new.conllu", corpus="large")
    for corpus in ("one", "two"):
        treesql.load(f"{folder}/other/", folder / "new.conllu", corpus=corpus)


def state_of(path: Path) -> State:
    """A digest of every table of a database, or of every file of a folder; nothing where there is nothing."""
    if not path.exists():
        return {}
    if path.suffix == ".duckdb":
        return _tables(path)
    if path.name == FOLDER:
        return _rows_of_folder(path)
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path.parent)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _rows_of_folder(path: Path) -> State:
    """A digest of every table of a folder of Parquet, in which no part may be damaged."""
    found: State = {}
    assert not treesql.check(path).faults
    with treesql.connect(path, read_only=True) as db:
        for table in ("corpora", *schemas.all_tables()):
            columns = ", ".join(f'"{one.name}"' for one in schemas.table(table).columns if one.name not in TIMES)
            sql = f'SELECT count(*) AS n, CAST(sum(hash({columns})) AS VARCHAR) AS hash FROM "{table}"'
            found[table] = tuple(db.sql(sql).rows()[0].values())
    return found


def _tables(path: Path) -> State:
    found: State = {}
    with duckdb.connect(str(path), read_only=True) as connection:
        sql = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
        columns: dict[str, list[str]] = {}
        for table, column in connection.execute(sql).fetchall():
            if column not in TIMES:
                columns.setdefault(table, []).append(f'"{column}"')
        views = {name for (name,) in connection.execute("SELECT view_name FROM duckdb_views()").fetchall()}
        for table, names in columns.items():
            if table not in views:
                sql = f'SELECT count(*), CAST(sum(hash({", ".join(names)})) AS VARCHAR) FROM "{table}"'
                found[table] = connection.execute(sql).fetchall()[0]
    return found


def _parted(path: Path, corpora: Sequence[str]) -> list[str]:
    """What is wrong with a database in which the first of some corpora should be, whole, beside the other ones."""
    with treesql.connect(path, read_only=True) as db:
        sizes = {str(row["corpus"]): row for row in db.sql("SELECT c.* FROM corpora AS c").rows()}
        there = [name for name in corpora if name in sizes]
        wrong = [] if there == list(corpora[: len(there)]) else [f"loaded without those before: {there}"]
        for table, count in (("sentences", "n_sentences"), ("words", "n_words")):
            found = db.sql(f"SELECT t.corpus, count(*) AS n FROM {table} AS t GROUP BY t.corpus").rows()
            rows = {str(row["corpus"]): row["n"] for row in found}
            if rows != {name: size[count] for name, size in sizes.items()}:
                wrong.append(f"{table}: {rows}")
        if not {"gold", "large"} <= sizes.keys():
            wrong.append(f"earlier corpora are gone: {list(sizes)}")
    return wrong


class Campaign:
    """Commands, each run once to its end in a copy of a folder, and then killed in others."""

    def __init__(self, folder: Path, cases: Sequence[Case] = CASES, *, sentences: int = SENTENCES) -> None:
        self._folder, self._made = folder, 0
        self._current = folder / "current"
        prepare(self._current, sentences=sentences)
        self.cases = cases
        self._known: dict[str, tuple[float, State, State]] = {}

    def kill(self, case: Case, number: signal.Signals, moment: float) -> Outcome:
        """End a command with a signal. moment: when, as a share of the time that it takes."""
        seconds, before, after = self._usual(case)
        folder = self._copy()
        child = self._start(case.command, folder)
        time.sleep(seconds * moment)
        child.send_signal(number)
        try:
            _, said = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return Outcome(case.name, number, "hangs", ("hangs",))
        wrong: list[str] = []
        try:
            state = state_of(folder / case.result)
        except duckdb.Error as error:
            return Outcome(case.name, number, "broken", (str(error),))
        name = "before" if state == before else "after" if state == after else "between"
        if name == "between" and case.corpora and not _parted(folder / case.result, case.corpora):
            name = "part"
        if name == "between":
            wrong.append(f"a state between: {state}")
        wrong += _lies(number, name, child.returncode, said)
        left = {path.name for path in folder.iterdir() if path.name.startswith(".")}
        wrong += self._next(case, folder)
        shutil.rmtree(folder)
        return Outcome(case.name, number, name, tuple(wrong), len(left))

    def _usual(self, case: Case) -> tuple[float, State, State]:
        """How long a command takes, and what it writes, before and after."""
        if case.name not in self._known:
            folder = self._copy()
            before = state_of(folder / case.result)
            began = time.monotonic()
            child = self._start(case.command, folder)
            _, said = child.communicate(timeout=SECONDS)
            seconds = time.monotonic() - began
            assert child.returncode == 0, said
            after = state_of(folder / case.result)
            assert before != after, case.name
            self._known[case.name] = seconds, before, after
            shutil.rmtree(folder)
        return self._known[case.name]

    def _copy(self) -> Path:
        self._made += 1
        return Path(shutil.copytree(self._current, self._folder / str(self._made)))

    def _start(self, command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-m", "treesql", *command]
        pipe = subprocess.PIPE
        return subprocess.Popen(arguments, cwd=folder, stdout=pipe, stderr=pipe, text=True)

    def _next(self, case: Case, folder: Path) -> list[str]:
        """What is wrong with the folder after the next command there."""
        for made in case.makes if case.again is None else ():
            target = folder / made
            (shutil.rmtree if target.is_dir() else Path.unlink)(target) if target.exists() else None  # type: ignore[operator]
        said = io.TextIOWrapper(io.BytesIO())
        with contextlib.chdir(folder), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            try:
                main(list(case.again or case.command))
            except SystemExit as end:
                code = end.code
        said.seek(0)
        wrong = [f"the next command failed: {said.read()}"] if code else []
        known = {path.name for path in self._current.iterdir()} | case.makes
        left = {path.name for path in folder.iterdir()} - known
        return [*wrong, f"left after the next command: {sorted(left)}"] if left else wrong


def _lies(number: signal.Signals, state: str, code: int, said: str) -> list[str]:
    """What was said and is not so. A signal that comes before treesql listens ends it without a word."""
    if number == signal.SIGKILL:
        return [] if code in (0, -number) else [f"exit code {code}: {said}"]
    stopped = (INTERRUPTED[number], -number)
    ended = {"before": stopped, "part": stopped, "after": (0,)}.get(state, ())
    wrong = [] if code in ended else [f"exit code {code} and {state}: {said}"]
    if "treesql failed" in said or ("Traceback" in said and code != -number):
        wrong.append(said)
    if ("interrupted" in said) != (code == INTERRUPTED[number]) and code != -number:
        wrong.append(f"exit code {code}: {said}")
    return wrong


def run(
    campaign: Campaign, kills: int, seed: int, tell: Callable[[Outcome], object] = lambda outcome: None
) -> list[Outcome]:
    """Kill commands, one after the other, with signals in turn, at moments that the seed chooses."""
    chance = random.Random(seed)
    found = []
    for at in range(kills):
        turn, which = divmod(at, len(campaign.cases))
        number = SIGNALS[(turn + which) % len(SIGNALS)]
        found.append(campaign.kill(campaign.cases[which], number, chance.uniform(0.25, 1.1)))
        tell(found[-1])
    return found


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder) / "kills")
        found = run(campaign, asked.kills, asked.seed, lambda one: print(one, flush=True) if one.wrong else None)
    counted = Counter((one.case, one.signal.name, one.state) for one in found)
    for (case, number, state), n in sorted(counted.items()):
        print(f"{case:26} {number:8} {state:8} {n:4}")
    left = sum(one.leftovers for one in found)
    wrong = sum(bool(one.wrong) for one in found)
    print(f"{len(found)} kills, {wrong} with something wrong; {left} leftovers, which the next command removed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(_main())
