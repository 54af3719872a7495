"""Spark as an engine: the same rows and scores as DuckDB's, on a folder of Parquet."""

from __future__ import annotations

import ast
import csv
import json
import logging.handlers
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, ROOT, conllu, thorough_but
from tests.engines.asked_of_spark import asked
from tests.engines.spark_session import WITH_A_SERVER, address_of_server, start_session
from tests.extras import missing_extra, require_extra
from tests.house.sample_values import CORPORA, sample_values
from treesql import catalog
from treesql.engines.spark.types import with_keys

require_extra("spark")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning"),
]


OF_THE_USER = {"spark.sql.session.timeZone": "Asia/Tokyo", "spark.sql.ansi.enabled": "false"}


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """A user's session, with settings of its own."""
    started = start_session(settings=WITH_A_SERVER)
    for name, value in OF_THE_USER.items():
        started.conf.set(name, value)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def folder(examples: treesql.Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "corpora"
    examples.export(path, to="parquet")
    return path


@pytest.fixture(scope="module")
def on_spark(session: Any, folder: Path) -> Iterator[treesql.Database]:
    with treesql.connect(folder, spark=session) as db:
        yield db


def test_the_python_of_the_page_runs(
    session: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the session that runs, which Spark returns to whoever asks for one."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, "corpus")
    page = (ROOT / "docs" / "spark.md").read_text("utf-8").replace("/data/corpus", "corpus")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {})
    assert "VERB" in capsys.readouterr().out
    with open("scores.csv", encoding="utf-8", newline="") as file:
        assert [float(row["las"]) for row in csv.DictReader(file)] == [0.8]


def test_the_notebook_on_spark_has_the_outputs_that_it_gives(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All its cells but the last one, which ends the session: here it is the one that runs."""
    monkeypatch.chdir(ROOT / "docs" / "notebooks")
    cells = json.loads(Path("billion_words.ipynb").read_text("utf-8"))["cells"]
    *codes, last = (cell for cell in cells if cell["cell_type"] == "code")
    assert "".join(last["source"]) == "db.close()\nsession.stop()"
    names: dict[str, Any] = {}
    for code in codes:
        statements = ast.parse("".join(code["source"]))
        shown = ast.Expression(statements.body.pop().value)  # type: ignore[attr-defined]
        exec(compile(statements, "a cell", "exec"), names)
        made = eval(compile(shown, "a cell", "eval"), names)._repr_html_()
        assert made == "".join(code["outputs"][-1]["data"]["text/html"])
    assert names["session"].sparkContext is session.sparkContext
    names["db"].close()


@pytest.fixture(scope="module")
def in_place(folder: Path) -> Iterator[treesql.Database]:
    with treesql.connect(folder) as db:
        yield db


ACROSS = {
    "gold": ("we:4:nsubj ca:4:aux n't:4:advmod go:0:root", "home:0:root"),
    "other": ("we:3:nsubj can't:3:aux go:0:root home:3:obl",),
    "same": ("we:4:nsubj ca:4:aux n't:2:advmod go:0:root", "home:0:root"),
}
OF_COMMENTS = {"by": "meta.sent_id", "where": """meta."newdoc id" = 'examples' AND feats.Number = 'Sing'"""}


@pytest.mark.parametrize(
    "how",
    thorough_but(
        [{}, {"by": "upos"}, {"where": "upos = 'NOUN'", "by": "sentence"}, {"ci": True}, OF_COMMENTS],
        OF_COMMENTS,
    ),
    ids=str,
)  # fmt: skip
def test_scores_are_those_of_duckdb(
    on_spark: treesql.Database, examples: treesql.Database, how: dict[str, Any]
) -> None:
    """Intervals are asked for by Spark Connect, two systems on the page."""
    asked = {"gold": "gold", "systems": ["parser-a"], "metric": "attachment", **how}
    found, expected = (db.score("dependency", **asked) for db in (on_spark, examples))
    assert found.rows() == expected.rows()
    assert found.rows()
    assert all("|spark:" in text for text in found.signatures.values())


@pytest.fixture(scope="module")
def across_words(session: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[treesql.Database, ...]]:
    """A folder with a system of other words and sentences, and one with the gold words, on Spark and in place."""
    path = tmp_path_factory.mktemp("across") / "corpora"
    with treesql.connect() as db:
        for name, sentences in ACROSS.items():
            (path.parent / f"{name}.conllu").write_bytes(conllu(*sentences))
            db.load(path.parent / f"{name}.conllu", corpus=name)
        db.export(path, to="parquet")
    with treesql.connect(path, spark=session) as on_spark, treesql.connect(path) as in_place:
        yield on_spark, in_place


def test_words_that_differ_are_aligned_as_by_duckdb(across_words: tuple[treesql.Database, ...]) -> None:
    assert [db.align_words("gold", "other") for db in across_words] == [6, 6]


@pytest.mark.thorough
@pytest.mark.parametrize("metric", ["attachment,exact_match,wlas", "tagging"])
def test_scores_of_words_that_differ_are_those_of_duckdb(
    across_words: tuple[treesql.Database, ...], metric: str
) -> None:
    assert [db.align_words("gold", "same") for db in across_words] == [0, 0]
    found, expected = (db.score("dependency", "gold", "other", "same", metric=metric).rows() for db in across_words)
    assert found == expected
    if metric != "tagging":
        assert [row["aligned_pairs"] for row in found] == [3, None]


@pytest.mark.thorough
def test_tables_of_errors_where_words_differ_are_those_of_duckdb(across_words: tuple[treesql.Database, ...]) -> None:
    tables = [db.score("dependency", "gold", "other", errors=True).rows() for db in across_words]
    assert tables[0] == tables[1]


def same(found: object, expected: object) -> bool:
    """Whether values are equal: fractions within 1e-12, whatever goes through `ln`; all others exactly."""
    if isinstance(found, float) and isinstance(expected, float):
        return found == expected or math.isclose(found, expected, rel_tol=1e-12) or (found != found != expected)
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order that the last digits of fractions do not change."""

    def key(value: object) -> object:
        return round(value, 9) if isinstance(value, float) else int(value) if isinstance(value, Decimal) else value

    return sorted(rows, key=lambda row: repr([key(value) for value in row.values()]))


@pytest.mark.parametrize("query", thorough_but(catalog.all_queries(), "agreement", "robinson_foulds", "segmentation"))
def test_rows_are_those_of_duckdb(
    query: str, on_spark: treesql.Database, examples: treesql.Database, in_place: treesql.Database
) -> None:
    """On a database of DuckDB, on the folder, and on Spark; without audits, which are queries as well."""
    asked = catalog.query(query)
    values = asked.values(sample_values(asked, system=None if asked.family in CORPORA else "parser-a"))
    kinds = {column.name: column.type for column in asked.columns}
    of_engines = [
        in_order(with_keys(db.engine.table(asked.statement.sql, values), kinds).to_pylist())
        for db in (examples, in_place, on_spark)
    ]
    assert same(of_engines[1], of_engines[0])
    assert same(of_engines[2], of_engines[0])


@pytest.mark.thorough
def test_comparisons_are_those_of_duckdb(on_spark: treesql.Database, examples: treesql.Database) -> None:
    asked = {"gold": "gold", "systems": ["parser-a", "parser-b"], "metric": "attachment.las", "stratum": "meta.sent_id"}
    found, expected = (db.compare("dependency", **asked) for db in (on_spark, examples))
    assert found.rows() == expected.rows()


@pytest.mark.parametrize(
    ("request_", "how"),
    thorough_but(
        [
            ("pattern { V -[obj]-> O }", {}),
            ("pattern { V -[obj]-> O }", {"by": "V.lemma"}),
            ("pattern { N [upos=NOUN] }", {"count": True}),
            ("NP < NN", {"count": True}),
            ("pattern { V -[obj]-> O }", {"columns": "V.form, text"}),
            ("NP < (NN=noun)", {"columns": "noun.form, text"}),
        ],
        ("pattern { V -[obj]-> O }", {"by": "V.lemma"}),
        ("NP < (NN=noun)", {"columns": "noun.form, text"}),
    ),
)
def test_matches_are_those_of_duckdb(
    on_spark: treesql.Database, examples: treesql.Database, request_: str, how: dict[str, Any]
) -> None:
    found, expected = (db.find(request_, timeout=0, **how) for db in (on_spark, examples))
    assert in_order(found.rows()) == in_order(expected.rows())
    assert found.rows()


def test_concordances_are_refused(on_spark: treesql.Database) -> None:
    with pytest.raises(
        treesql.QueryError, match=r"\[UNSUPPORTED_SUBQUERY[^\n]*; no concordances on Spark: leave Spark out"
    ):
        on_spark.find("pattern { V -[obj]-> O }", kwic=2, timeout=0)


def test_sql_is_that_of_spark(on_spark: treesql.Database) -> None:
    found = on_spark.sql("SELECT sum(words) AS n FROM attachment('gold', 'parser-a') WHERE upos = :tag", {"tag": "DET"})
    assert found.rows() == [{"n": 4}]
    with pytest.raises(treesql.QueryError, match="no_such_column"):
        on_spark.sql("SELECT no_such_column FROM words")


def test_errors_are_logged_for_the_user_alone(on_spark: treesql.Database, session: Any) -> None:
    from pyspark.errors import PySparkException

    handler = logging.handlers.BufferingHandler(100)
    log = logging.getLogger("SQLQueryContextLogger")
    log.addHandler(handler)
    try:
        with pytest.raises(treesql.QueryError):
            on_spark.sql("SELECT no_such_column FROM words")
        assert not handler.buffer
        with pytest.raises(PySparkException):
            session.sql("SELECT no_such_column FROM range(1)")
        assert len(handler.buffer) == 1
    finally:
        log.removeHandler(handler)
    assert len(log.filters) == 1
    assert not log.disabled


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT (1", "", "SELECT 'a"])
def test_syntax_errors_are_those_of_spark(on_spark: treesql.Database, sql: str) -> None:
    with pytest.raises(treesql.QueryError) as refused:
        on_spark.sql(sql)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("n", [6, pytest.param(2000, marks=pytest.mark.thorough)])
def test_executors_load_all_or_nothing(session: Any, tmp_path: Path, n: int) -> None:
    gold = (FIXTURES / "gold.conllu").read_bytes()
    files = [tmp_path / f"c{number:04d}.conllu" for number in range(n)]
    for file in files:
        file.write_bytes(gold)
    bad = [1, n // 2, n - 1]
    wrong = gold.replace(b"\t2\t", b"\tzz\t", 1)
    line = 1 + next(at for at, text in enumerate(wrong.split(b"\n")) if b"\tzz\t" in text)
    for number in bad:
        files[number].write_bytes(wrong)
    treesql.load(f"{tmp_path}/corpora/", FIXTURES / "gold.conllu", corpus="first")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "corpora").rglob("*.*")}
    with treesql.connect(tmp_path / "corpora", spark=session) as db:
        with pytest.raises(treesql.InvalidInput) as refused:
            db.load(*files)
        assert [(Path(fault.path).name, fault.line) for fault in refused.value.faults] == [
            (files[number].name, line) for number in bad
        ]
        assert db.corpora == ["first"]
        assert {path: path.stat().st_mtime_ns for path in (tmp_path / "corpora").rglob("*.*")} == before
        db.load(*(file for number, file in enumerate(files) if number not in bad))
        assert len(db.corpora) == n - 2
        [row] = db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'c0002'").rows()
        assert row["n"] == sum(line.split(b"\t")[0].isdigit() for line in gold.splitlines())


def test_new_folders_are_made_and_filled(session: Any, tmp_path: Path, run: Any) -> None:
    """By Python and by `treesql load --engine spark`; a name without a slash, and `existing`, make none."""
    for path, how in ((f"{tmp_path}/none", {}), (f"{tmp_path}/none/", {"existing": True})):
        with pytest.raises(treesql.DatabaseError, match="there is no such folder"):
            treesql.connect(path, spark=session, **how)
        assert not (tmp_path / "none").exists()
    for path in ("own", "none/inner"):
        (tmp_path / "own").mkdir(exist_ok=True)
        with treesql.connect(f"{tmp_path}/{path}/", spark=session):
            assert (tmp_path / path).exists()
        assert [inside.name for inside in tmp_path.rglob("*")] == ["own"]  # it was there
    files = [FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"]
    with treesql.connect(f"{tmp_path}/new/", spark=session) as db:
        assert db.corpora == []
        assert db.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 0}]
        db.load(*files)
        assert sorted(db.corpora) == ["gold", "parser-a"]
        assert db.find("pattern { N [upos=NOUN] }", count=True).rows() == [{"count": 14}]
    loaded = run("load", f"{tmp_path}/more/", *map(str, files), "--engine", "spark", "--master", "local[2]")
    assert (loaded.code, loaded.out) == (0, "gold: 5 sentences, 30 words\nparser-a: 5 sentences, 30 words\n")
    with treesql.connect(tmp_path / "more") as db:
        assert sorted(db.corpora) == ["gold", "parser-a"]


@pytest.mark.skipif(bool(missing_extra("spark-connect")), reason=missing_extra("spark-connect"))
def test_answers_by_spark_connect_are_those_of_duckdb(
    session: Any, folder: Path, examples: treesql.Database, tmp_path: Path
) -> None:
    """All of them, by a client in a process without Java; and it ends, for which connections have to be closed."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.engines.asked_of_spark"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK", "JAVA"))
    }
    environment["PATH"] = str(tmp_path)
    done = subprocess.run(
        [*command, address_of_server(session), str(folder), f"{tmp_path}/new/"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert "bad/blank_line_first.conllu:1: a blank line too many" in done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    error, loaded = found.pop("error"), found.pop("loaded")
    assert "`nonsense` cannot be resolved" in error.splitlines()[0]
    assert loaded == [{"corpus": "gold", "n": 30}, {"corpus": "parser-a", "n": 30}]
    assert found == json.loads(json.dumps(asked(examples)))


@pytest.mark.thorough
def test_executors_with_another_python_are_named(
    session: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of another version, as the driver says it; without the package, as a script in place of Python says it."""
    context = session.sparkContext
    asked = {"reference_corpus": "reference", "hypothesis_corpus": "hypothesis"}
    with monkeypatch.context() as patch:
        patch.setattr(context, "pythonVer", "3.9")
        with (
            treesql.connect(folder, spark=session) as db,
            pytest.raises(treesql.TreesqlError, match=r"different version.*executors need Python 3\.\d+ with") as error,
        ):
            db.query("dependency_tree_edit", **asked)
    assert "executors need" in str(error.value).splitlines()[0]
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c \'{WITHOUT_TREESQL}\' "$@"\n')
    script.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setattr(context, "pythonExec", str(script))
        with (
            treesql.connect(folder, spark=session) as db,
            pytest.raises(treesql.TreesqlError, match=r"No module named .*executors need Python") as error,
        ):
            db.query("dependency_tree_edit", **asked)
    assert "executors need" in str(error.value).splitlines()[0]


WITHOUT_TREESQL = """
import runpy, sys
sys.modules["treesql"] = None
name = sys.argv[2]
sys.argv = sys.argv[2:]
runpy.run_module(name, run_name="__main__")
"""


@pytest.mark.parametrize("has_footer", thorough_but([True, False], True))
def test_parts_with_other_bytes_are_named(session: Any, folder: Path, tmp_path: Path, has_footer: bool) -> None:
    """Of the size that the manifest says: Spark finds them as it reads."""
    damaged = shutil.copytree(folder, tmp_path / "corpora")
    part = damaged / "words" / "parser-a" / "part-00000.parquet"
    whole = bytearray(part.read_bytes())
    pages = slice(4, len(whole) - 8 - int.from_bytes(whole[-8:-4], "little") if has_footer else None)
    whole[pages] = bytes(len(whole[pages]))
    part.write_bytes(whole)
    with (
        treesql.connect(damaged, spark=session) as db,
        pytest.raises(treesql.TreesqlError, match=r"part-00000\.parquet") as error,
    ):
        db.query("attachment", gold_corpus="gold", system_corpus="parser-a")
    assert str(error.value).startswith(f"{part}: this part is damaged (")


def test_the_users_session_keeps_its_settings(session: Any, on_spark: treesql.Database) -> None:
    """Which change no answer of a database on it."""
    assert on_spark.sql("SELECT current_timezone() AS zone").rows() == [{"zone": "UTC"}]
    assert {name: session.conf.get(name) for name in OF_THE_USER} == OF_THE_USER
