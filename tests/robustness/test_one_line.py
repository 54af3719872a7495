"""Whatever goes wrong is told in one clear line, with exit code 2, and the database is left as it was.

A row of a table: what is arranged in a folder with a database, a command line, and what the line says.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES, thorough_but
from tests.robustness.kills import state_of
from tests.storage.parts import restamp
from treesql.cli import main
from treesql.errors import TreesqlError

pytestmark = pytest.mark.slow

GOLD, A, LATTICES, TEXTS, LINKS = (
    str(FIXTURES / name) for name in ("gold.conllu", "parser-a.conllu", "lattices.plf", "lattices.txt", "links.pharaoh")
)
DB = "t.duckdb"
LONG = "x" * 300
SURROGATE = "caf\udce9"
Arrange = Callable[[Path], object]


def nothing(folder: Path) -> None:
    """The database as it is."""


def changed(*statements: str) -> Arrange:
    def arrange(folder: Path) -> None:
        with duckdb.connect(str(folder / DB)) as connection:
            for statement in statements:
                connection.execute(statement)

    return arrange


def cut(size: int) -> Arrange:
    return lambda folder: os.truncate(folder / DB, size)


def flipped(folder: Path) -> None:
    """Every byte of its middle third is another."""
    data = bytearray((folder / DB).read_bytes())
    third = len(data) // 3
    data[third : 2 * third] = bytes(byte ^ 255 for byte in data[third : 2 * third])
    (folder / DB).write_bytes(data)


def written(name: str, content: bytes) -> Arrange:
    return lambda folder: (folder / name).write_bytes(content)


def replaced_by_folder(folder: Path) -> None:
    (folder / DB).unlink()
    (folder / DB).mkdir()
    (folder / DB / "notes").touch()


def data_set(table: str, column: str, value: int) -> Arrange:
    """A data set in `data`, with one value that a CHECK of its table forbids."""

    def arrange(folder: Path) -> None:
        with treesql.connect(folder / DB, read_only=True) as db:
            db.export(folder / "data", corpus="gold")
        path = folder / "data" / table / "gold" / "part-00000.parquet"
        found = pq.read_table(path, partitioning=None)
        at = found.schema.get_field_index(column)
        kind = found.schema.field(at)
        values = pa.array([value, *found[column].to_pylist()[1:]], kind.type)
        pq.write_table(found.set_column(at, kind, values), path)
        restamp(folder / "data")

    return arrange


def hostile_names(folder: Path) -> None:
    """A data set whose files' names are no names of files."""
    changed("UPDATE sentences SET file = CASE WHEN sentence = 0 THEN '..' ELSE chr(0) || 'x' END")(folder)


Row = tuple[Arrange, Sequence[str], str]

DAMAGED: dict[str, Row] = {
    f"{name}, {command[0]}": (arrange, command, fragment)
    for name, arrange, fragment in (
        ("no version", changed("DELETE FROM installation"), "its table installation does not name its version"),
        ("other installation", changed("DROP TABLE installation", "CREATE TABLE installation AS SELECT 1 AS a"),
         "its table installation does not name its version"),
        ("cut off", cut(20_000), "check whether the file is whole"),
        ("cut in its header", cut(100), "check whether the file is whole"),
        ("a folder", replaced_by_folder, "this folder was not made by treesql"),
    )
    for command in (
        ("info", DB), ("load", DB, GOLD, "--corpus", "new"), ("drop", DB, "gold"),
        ("export", DB, "out"), ("sql", DB, "FROM words"), ("find", DB, "pattern { N [] }"), ("stats", DB),
        ("show", DB, "mat"), ("score", "dependency", "gold", "parser-a", "--db", DB),
    )
}  # fmt: skip

ROWS: dict[str, Row] = {
    **DAMAGED,
    "flipped bytes": (flipped, ("sql", DB, "FROM words"), "t.duckdb"),
    "no table of words": (
        changed("DROP VIEW trees", "DROP VIEW edges", "DROP TABLE words"), ("show", DB, "mat", "--corpus", "gold"),
        "its tables are not as treesql made them; load its corpora again",
    ),
    "a CHECK, by SQL": (nothing, ("sql", DB, "UPDATE words SET head = -1", "--write"), "CHECK constraint failed"),
    "a CHECK, by a data set": (
        data_set("words", "head", -1), ("load", "n.duckdb", "data"), "head"
    ),
    "a CHECK, by a data set that replaces": (
        data_set("words", "head", -1), ("load", DB, "data", "--corpus", "gold", "--replace"), "head"
    ),
    "a long cell of classes": (
        written("long.csv", b"relation,class\n" + b'"' + b"x" * 200_000 + b'",content\n'),
        ("score", "dependency", GOLD, A, "--classes", "long.csv"), "long.csv:2: this is not a line of a table",
    ),
    "a long cell of weights": (
        written("long.csv", b"relation,weight\n" + b'"' + b"x" * 200_000 + b'",1\n'),
        ("score", "dependency", GOLD, A, "--weights", "long.csv"), "long.csv:2: this is not a line of a table",
    ),
    "a long name to export": (
        lambda folder: treesql.connect(folder / "n.duckdb").load(GOLD, corpus=LONG),
        ("export", "n.duckdb", "out"), "is too long for a folder of its own; load the corpus under a shorter one",
    ),
    "a long name of a database": (nothing, ("load", LONG, GOLD, "--corpus", "a"), "File name too long"),
    "a long name of a file": (nothing, ("sql", DB, "SELECT 1", "-o", LONG + ".csv"), "File name too long"),
    "a long name of an export": (nothing, ("export", DB, LONG), "File name too long"),
    "a corpus that is not UTF-8": (nothing, ("load", DB, GOLD, "--corpus", SURROGATE), "is not UTF-8"),
    "a file that is not UTF-8": (nothing, ("check", SURROGATE), "is not UTF-8"),
    "a statement that is not UTF-8": (nothing, ("sql", DB, f"SELECT '{SURROGATE}'"), "is not UTF-8"),
    "a corpus with NUL": (nothing, ("load", DB, GOLD, "--corpus", "a\0b"), "NUL"),
    "a database with NUL": (nothing, ("load", "a\0b", GOLD, "--corpus", "a"), "NUL"),
    "a file with NUL": (nothing, ("sql", DB, "SELECT 1", "-o", "a\0b.csv"), "NUL"),
    "an export with NUL": (nothing, ("export", DB, "a\0b"), "NUL"),
    "the folder above": (nothing, ("export", DB, ".."), "exists; remove it"),
    "no folder there": (nothing, ("export", DB, "none/out"), "name a place that can be written"),
    "no folder for a database": (nothing, ("load", "none/t.duckdb", GOLD, "--corpus", "a"), "none/t.duckdb: No such"),
    "a folder to write to": (nothing, ("lattice", "prune", LATTICES, "-r", TEXTS, "--phrases", "-o", "."), "exists"),
    "a name of two lines": (nothing, ("check", "a\nb.conllu"), "a\\x0ab.conllu: there is no such file"),
    "a name that steers a terminal": (nothing, ("info", "\x1b[31m"), "\\x1b[31m: there is no such database"),
    "a request that is not UTF-8": (
        written("request", b"\xff"), ("find", DB, "-f", "request"), "request: this is not UTF-8"
    ),
}  # fmt: skip


@pytest.fixture
def folder(gold_and_parser: Path, tmp_path: Path) -> Path:
    shutil.copy(gold_and_parser, tmp_path / DB)
    return tmp_path


def told(error: str) -> list[str]:
    """The lines of an error, without warnings and the line that tells of a compilation."""
    return [line for line in error.splitlines() if line.strip() and not line.startswith(("warning: ", "compiling "))]


def tables(path: Path) -> object:
    """A digest of a database, or the bytes of what cannot be opened."""
    if not path.is_file():
        return None
    try:
        return state_of(path)
    except duckdb.Error:
        return path.read_bytes()


@pytest.mark.spread(12)
@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_one_line_and_2(row: Row, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arrange, command, fragment = row
    arrange(folder)
    before, names = tables(folder / DB), sorted(path.name for path in folder.iterdir())
    capfd.readouterr()
    with contextlib.chdir(folder), pytest.raises(SystemExit) as end:
        main(list(command))
    lines = told(capfd.readouterr().err)
    assert (end.value.code, len(lines)) == (2, 1), lines
    assert fragment in lines[0]
    assert len(lines[0]) < 600
    assert "treesql failed" not in lines[0]
    assert ".treesql-" not in lines[0]
    assert tables(folder / DB) == before
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".wal") == names


PRINTING = (
    ("info", DB), ("sql", DB, "FROM words"), ("sql", DB, "FROM words", "--format", "csv"),
    ("sql", DB, "FROM words", "--format", "json"), ("sql", DB, "FROM words", "--format", "parquet"),
    ("queries", "attachment"), ("check", GOLD),
    ("show", DB, "mat", "--corpus", "gold"), ("find", DB, "pattern { N [] }", "--count"),
    ("align", "symmetrise", LINKS, LINKS),
)  # fmt: skip


def shell(folder: Path, redirection: str, *command: str) -> subprocess.CompletedProcess[str]:
    line = ["bash", "-o", "pipefail", "-c", f'"$@" {redirection}', "-", sys.executable, "-m", "treesql", *command]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", [PRINTING[0], ("load", DB, GOLD, "--corpus", "new"), ("drop", DB, "gold")])
def test_nothing_begins_with_standard_output_closed(folder: Path, command: tuple[str, ...]) -> None:
    before = tables(folder / DB)
    done = shell(folder, ">&-", *command)
    assert (done.returncode, told(done.stderr)) == (
        2, ["standard output is closed; send it to a file or a pipe, or to /dev/null"]
    )  # fmt: skip
    assert tables(folder / DB) == before


@pytest.mark.spread(8)
@pytest.mark.parametrize("command", PRINTING)
def test_standard_output_on_a_full_device(folder: Path, command: tuple[str, ...]) -> None:
    done = shell(folder, ">/dev/full", *command)
    what = "standard output: No space left on device; make room on the disk, or name another place"
    assert (done.returncode, told(done.stderr)) == (2, [what])


def test_what_was_done_and_could_not_be_told(folder: Path) -> None:
    done = shell(folder, ">/dev/full", "load", DB, GOLD, "--corpus", "new")
    assert done.returncode == 2
    assert told(done.stderr)[0].endswith("(the command itself was completed)")
    with treesql.connect(folder / DB, read_only=True) as db:
        assert "new" in db.corpora


@pytest.mark.parametrize("redirection", thorough_but(["2>&-", "<&-", "| true"], "| true"))
def test_other_streams_that_are_closed(folder: Path, redirection: str) -> None:
    assert shell(folder, redirection, "load", DB, GOLD, "--corpus", "new").returncode == 0
    assert shell(folder, redirection, "info", DB).returncode == 0


@pytest.mark.parametrize(
    "command", [("load", DB, "-", "--corpus", "new"), ("check", "-"), ("sql", DB, "-"), ("find", DB, "-f", "-")]
)
def test_standard_input_that_is_closed(folder: Path, command: tuple[str, ...]) -> None:
    done = shell(folder, "<&-", *command)
    assert (done.returncode, told(done.stderr)) == (
        2, ["standard input is closed; name a file instead of -"]
    )  # fmt: skip


WRITING = {
    "load": ("load", DB, "many.conllu", "--corpus", "new"),
    "load into a new database": ("load", "n.duckdb", "many.conllu", "--corpus", "new"),
    "load --replace": ("load", DB, "many.conllu", "--corpus", "gold", "--replace"),
    "sql --write":
        ("sql", DB, "CREATE TABLE mine AS SELECT range AS a, hash(range) AS b FROM range(900000)", "--write"),
    "export": ("export", DB, "out"),
    "export --to conllu": ("export", DB, "out.conllu", "--corpus", "large"),
    "export .gz": ("export", DB, "out.conllu.gz", "--corpus", "large"),
    **{f"-o {end}": ("sql", DB, "SELECT range AS a, hash(range) AS b FROM range(300000)", "-o", f"out.{end}")
       for end in ("csv", "json", "parquet", "txt")},
}  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of a few thousand sentences, and a file of as many."""
    folder = tmp_path_factory.mktemp("large")
    gold = Path(GOLD).read_bytes()
    many = b"".join(gold.replace(b"sent_id = ", b"sent_id = %d-" % at) for at in range(600))
    (folder / "many.conllu").write_bytes(many)
    with treesql.connect(folder / DB) as db:
        db.load(GOLD, corpus="gold")
        db.load(folder / "many.conllu", corpus="large")
    return folder


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", WRITING)
def test_no_room_on_the_disk(name: str, large: Path, tmp_path: Path) -> None:
    """Files may not grow beyond a size; the system says so as it does of a full disk."""
    folder = tmp_path / "copy"
    shutil.copytree(large, folder)
    before, names = state_of(folder / DB), {path.name for path in folder.iterdir()}
    limit = 100_000 if "conllu" not in name and "gz" not in name and name != "export" else 10_000

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "treesql", *WRITING[name]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, preexec_fn=limited, timeout=120)
    lines = told(done.stderr)
    assert (done.returncode, len(lines)) == (2, 1), lines
    assert "make room on the disk" in lines[0]
    assert ".treesql-" not in lines[0]
    assert state_of(folder / DB) == before
    assert {path.name for path in folder.iterdir()} - {f"{DB}.wal"} == names


CALLS: dict[str, Callable[[treesql.Database, Path], object]] = {
    "load, NUL": lambda db, folder: db.load(GOLD, corpus="a\0b"),
    "load, surrogate": lambda db, folder: db.load(GOLD, corpus=SURROGATE),
    "load, file with NUL": lambda db, folder: db.load("a\0b", corpus="a"),
    "load, folder": lambda db, folder: db.load(folder / "empty", corpus="a"),
    "drop, surrogate": lambda db, folder: db.drop(SURROGATE),
    "sql, surrogate": lambda db, folder: db.sql(f"SELECT '{SURROGATE}'"),
    "sql, value": lambda db, folder: db.sql("SELECT $a", {"a": SURROGATE}),
    "sql, value of no type": lambda db, folder: db.sql("SELECT $a + 1", {"a": object()}),
    "sql, large value": lambda db, folder: db.sql("SELECT CAST($a AS BIGINT)", {"a": 10**50}),
    "sql, CHECK": lambda db, folder: db.sql("UPDATE words SET head = -1"),
    "sql, error in a row": lambda db, folder: db.sql("SELECT error(form) FROM words"),
    "stream, error in a row": lambda db, folder: db.stream("SELECT error(form) FROM words").read_all(),
    "query, no number": lambda db, folder: db.query("attachment", gold_corpus="gold", system_corpus=SURROGATE),
    "query, unknown": lambda db, folder: db.query("nothing"),
    "score, condition": lambda db, folder: db.score(
        "attachment", gold_corpus="gold", system_corpus="gold", where="sqrt(-1) > CAST('x' AS INTEGER)"
    ),
    "compare, seed": lambda db, folder: db.compare(
        "attachment", systems=["gold", "parser-a"], gold_corpus="gold", seed=-1
    ),
    "compare, runs": lambda db, folder: db.compare(
        "attachment", systems=["gold", "parser-a"], gold_corpus="gold", runs=-1
    ),
    "find, NUL": lambda db, folder: db.find('pattern { N [form="a\0b"'),
    "find, surrogate": lambda db, folder: db.find(f'pattern {{ N [form="{SURROGATE}"] }}'),
    "find, limit": lambda db, folder: db.find("pattern { N [] }", limit=-1),
    "find, large limit": lambda db, folder: db.find("pattern { N [] }", limit=10**30),
    "sentence, number": lambda db, folder: db.sentence(10**30, corpus="gold"),
    "sentence, surrogate": lambda db, folder: db.sentence(SURROGATE),
    "export, NUL": lambda db, folder: db.export(folder / "a\0b"),
    "export, long": lambda db, folder: db.export(folder / LONG),
    "export, surrogate": lambda db, folder: db.export(folder / "out", corpus=SURROGATE),
    "connect, folder": lambda db, folder: treesql.connect(folder),
    "connect, NUL": lambda db, folder: treesql.connect("a\0b"),
    "connect, surrogate and no folder": lambda db, folder: treesql.connect(folder / SURROGATE / "t.duckdb"),
    "closed": lambda db, folder: (db.close(), db.info()),
    "closed, corpora": lambda db, folder: (db.close(), db.corpora),
    "closed, load": lambda db, folder: (db.close(), db.load(GOLD, corpus="a")),
    "closed, score": lambda db, folder: (db.close(), db.score("attachment", gold_corpus="gold", system_corpus="gold")),
}  # fmt: skip


@pytest.mark.spread(12)
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_python_raises_only_errors_of_treesql(call: Callable[[treesql.Database, Path], object], folder: Path) -> None:
    (folder / "empty").mkdir()
    before = state_of(folder / DB)
    with treesql.connect(folder / DB) as db, pytest.raises(TreesqlError) as caught:
        call(db, folder)
    assert str(caught.value).strip()
    assert state_of(folder / DB) == before


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", ["a\nb", "..", ".", "/", "../../x", "'; DROP TABLE words; --", " ", "a|b", "日" * 25])
def test_odd_names_of_corpora(name: str, folder: Path) -> None:
    with treesql.connect(folder / DB) as db:
        db.load(GOLD, corpus=name)
        db.export(folder / "out", corpus=name)
        db.export(folder / "texts", corpus=name, to="conllu")
        assert db.score("attachment", gold_corpus=name, system_corpus=name).rows()[0]["uas"] == 1
    with treesql.connect(folder / "again.duckdb") as db:
        db.load(folder / "out")
        assert db.corpora == [name]
    assert (folder / "texts" / "gold.conllu").read_bytes() == Path(GOLD).read_bytes()
    assert {path.name for path in folder.parent.iterdir()} >= {folder.name}


def test_names_of_files_that_are_none(folder: Path) -> None:
    """Where a data set says so, of files that were never read here."""
    hostile_names(folder)
    with treesql.connect(folder / DB) as db:
        files = db.export(folder / "texts", corpus="gold", to="conllu")
    assert sorted(file.name for file in files) == ["2-file.conllu", "file.conllu"]
    assert all(file.parent == folder / "texts" for file in files)
