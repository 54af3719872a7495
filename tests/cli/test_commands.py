"""The commands, as a shell sees them: output, errors, exit codes."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import treesql
from tests.cli.conftest import GOLD, A, B
from tests.conftest import FIXTURES, conllu, thorough_but
from tests.house.rules import in_turn


@pytest.mark.slow
def test_load_info_drop(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("load", db, B, "--corpus", "b", "--treebank", "T", "--language", "en")
    assert done == (0, "b: 5 sentences, 30 words\n", "")
    rows = json.loads(run("info", db, "--format", "json").out)
    assert [row["corpus"] for row in rows] == ["gold", "parser-a", "b"]
    assert (rows[2]["treebank"], rows[2]["language"], rows[2]["words"], rows[2]["files"]) == ("T", "en", 30, 1)
    assert run("drop", db, "b") == (0, "b: dropped\n", "")
    assert [row["corpus"] for row in json.loads(run("info", db, "--format", "json").out)] == ["gold", "parser-a"]
    again = run("load", db, B, "--corpus", "gold")
    assert (again.code, again.out) == (2, "")
    assert "corpus 'gold' is loaded already" in again.err
    assert run("load", db, B, "--corpus", "gold", "--replace").code == 0


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["drop", "DB", "gould"], "unknown corpus 'gould'; did you mean gold?"),
        (["drop", "none.duckdb", "x"], "there is no such database"),
        (["info", "none.duckdb"], "there is no such database"),
        (["load", "DB", "none.conllu", "--corpus", "x"], "none.conllu: there is no such file; check the path"),
        (["load", "DB", GOLD], "corpus 'gold' is loaded already"),
        (["load", "DB", "-"], "the corpus of standard input needs a name: --corpus NAME"),
        (["load", "DB", GOLD, "--corpus", "x", "--each", "file"], "leave out --corpus, or --each"),
        (["load", "DB", A, "--reverse"], "these files have no links"),
        (["load", "DB", A, "--ids", "first"], "--ids first is for plain texts"),
        (["load", "DB", GOLD, "--corpus", "x", "--from", "conlu"], "unknown format 'conlu'; did you mean conllu"),
        (["load", "DB", "--corpus", "x"], "missing argument 'PATH...'"),
        (["sql", "DB", "SELECT nonsense FROM words"], "nonsense"),
        (["sql", "DB", "DELETE FROM words"], "read-only"),
        (["sql", "DB", "COPY words TO 'x.csv'"], "disabled"),
        (["queries", "exact_mtch"], "did you mean exact_match"),
        (["queries", "--sql"], "name the query"),
        (["queries", "attachment", "--format", "csv"], "are for the list of queries"),
        (["score", "dependency", "gold", "parser-a", "--db", "DB", "--permissive"], "cannot be combined with --db"),
        (["score", "alignment", "gold", "parser-a", "--db", "DB", "--base", "1"], "cannot be combined with --db"),
        (["score", "alignment", "gold", "parser-a", "--db", "DB", "--gold-reverse"], "cannot be combined with --db"),
        (["score", "alignment", "gold", "parser-a", "--db", "DB", "--gold-from", "wpt"], "be combined with --db"),
        (["score", "dependency", "gold", "parser-a", "--db", "DB", "--by", "words"], "words is a count"),
        (["export", "DB", "none/x"], "name a place that can be written"),
        (["score", "dependency", GOLD, A, "--metrics", "las"], "'--metrics'; did you mean --metric?\n"),
        (["export", "DB", "gold", "-o", "x.conllu"], "'-o'; OUT is an argument: `treesql export DB OUT`\n"),
        (["load", "DB", f"gold={GOLD}"], f"{GOLD} is there; a corpus has its name from --corpus NAME"),
        (["compare", "dependency", GOLD, f"a={A}", A], "a system from --system NAME=FILE"),
        (["score", "dependency", GOLD, "a parser.conllu"], "a parser.conllu: there is no such file; check the path"),
        (["load", "DB", GOLD, "--corpus", ""], "cannot be empty"),
        (["score", "dependency", GOLD], "SYSTEM is missing; name GOLD SYSTEM..."),
        (["score", "dependency", GOLD, A, A], "a system is named twice"),
        (["score", "dependency", GOLD, A, "--by", "depht"], "did you mean depth"),
        (["score", "dependency", GOLD, A, "--where", "nonsense"], "unknown column of the items of attachment"),
        (["score", "dependency", "-", "-"], "standard input can be read only once"),
        (["score", "dependency", GOLD, A, "--punctuation", "none"], "invalid value for '--punctuation'"),
        (["score", "dependency", "gold", "nobody", "--db", "DB"], "unknown corpus 'nobody'"),
        (["score", "dependency", GOLD, A, "-o", "no/such/folder.csv"], "name a place that can be written"),
        (["export", "DB", "DB"], "exists; remove it"),
        (["export", "DB", "-"], "nothing is written to standard output by the name -; name a file or folder"),
        (["export", "DB", "-", "--to", "conllu", "--corpus", "gold"], "nothing is written to standard output"),
        (["load", "-", GOLD, "--corpus", "x"], "nothing is written to standard output by the name -"),
        (["score", "dependency", GOLD, A, "-o", "-"], "nothing is written to standard output by the name -"),
        (["scor"], "unknown command 'scor'; did you mean score"),
        (["score", "dependency", GOLD, A, "--where", "upos = NOUN"], "; texts stand in single quotes: 'NOUN'"),
        (["score", "dependency", GOLD, A, "--where", "deprel IN ('det', nsubj)"], "in single quotes: 'nsubj'"),
        (["sql", "DB", 'FROM words WHERE corpus = "gold"'], "\ntexts stand in single quotes: 'gold'\n"),
        (["find", GOLD, "V nsubj S"], "a Grew request, for dependency trees, begins with `pattern {`"),
        (["find", "DB", "nsubj", "--corpus", "gold"], "begins with `pattern {`"),
        (["sql", "DB", "SELECT id FROM words"], "\n`DESCRIBE words` lists the columns of a table, `SHOW TABLES`"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_clear_message_and_code_2(run, db: Path, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    before = db.read_bytes()
    done = run(*(str(db) if argument == "DB" else argument for argument in arguments))
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert "Traceback" not in done.err
    assert db.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "dependency", GOLD, A, "--where", "distance = distanc"],
        ["score", "dependency", GOLD, A, "--where", "nonsense IS NULL"],
        ["sql", "DB", "FROM words WHERE depth = dept"],
        ["sql", "DB", "SELECT nonsense FROM words"],
    ],
)
def test_an_unknown_column_is_no_text(run, db: Path, arguments: list[str]) -> None:  # type: ignore[no-untyped-def]
    done = run(*(str(db) if argument == "DB" else argument for argument in arguments))
    assert done.code == 2
    assert "quotes" not in done.err


def test_debug_shows_the_traceback(db: Path) -> None:
    command = [sys.executable, "-m", "treesql", "--debug", "drop", str(db), "x"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_bad_input_leaves_no_database(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bad.conllu").write_bytes(conllu("a:2:x b:1:x", "a:7:root", "a:0:root"))
    done = run("load", tmp_path / "new.duckdb", tmp_path / "bad.conllu", "--corpus", "x")
    assert done.code == 2
    path = tmp_path / "bad.conllu"
    assert done.err.splitlines() == [
        f"{path}:1: heads form a cycle, 1 -> 2 -> 1, and no word is a root; "
        "give one of them another head, or load with --permissive",
        f"{path}:4: HEAD `7` is not a word of the sentence; write 0 for a root, else the ID of the head",
    ]
    assert [file.name for file in tmp_path.iterdir()] == ["bad.conllu"]


def test_check(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("check", GOLD, A) == (0, "2 files, read as conllu: nothing wrong\n", "")
    (tmp_path / "bad.conllu").write_bytes(conllu("a:7:root"))
    (tmp_path / "roots.conllu").write_bytes(conllu("a:0:root b:0:root"))
    done = run("check", GOLD, tmp_path)
    assert (done.code, done.out) == (1, "")
    first, second = done.err.splitlines()
    assert first == "3 files, read as conllu: 1 error"
    assert second.startswith(f"{tmp_path}/bad.conllu:1: HEAD `7` is not a word")
    done = run("check", tmp_path / "roots.conllu")
    assert (done.code, done.out) == (0, "1 file, read as conllu: no errors, 1 warning\n")
    assert done.err.startswith(f"warning: {tmp_path}/roots.conllu:1: 1 sentence with several roots: line 1; ")
    assert run("check", "--strict", tmp_path / "roots.conllu").code == 1
    assert run("check", "--warnings-as-errors", tmp_path / "roots.conllu") == (1, done.out, done.err)
    assert run("check", "--warnings-as-errors", GOLD).code == 0
    (tmp_path / "plain.txt").write_text("A text.\n")
    assert run("check", tmp_path / "plain.txt").out == "1 file, read as text: nothing wrong\n"


def test_check_says_that_it_lists_no_more_errors(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path, other = tmp_path / "bad.conllu", tmp_path / "other.conllu"
    path.write_bytes(conllu(*["a:7:root"] * 30))
    other.write_bytes(conllu(*["a:7:root"] * 3))
    first, *errors, last = run("check", path, other).err.splitlines()
    assert (first, len(errors)) == ("2 files, read as conllu: 23 errors or more", 23)
    assert last == (
        f"{path}: no more than 20 errors of a file are listed; fix these first, or list more with --max-errors N"
    )
    first, *errors = run("check", path, other, "--max-errors", "31").err.splitlines()
    assert (first, len(errors)) == ("2 files, read as conllu: 33 errors", 33)
    *errors, last = run("score", "dependency", GOLD, path).err.splitlines()
    assert (len(errors), last.split(": ", 1)[1]) == (20, "no more than 20 errors of a file are listed; fix these first")
    with pytest.raises(treesql.UsageError, match="max_errors is 0; it is a number, 1 or more"):
        treesql.check(path, max_errors=0)


def test_sql_in_every_format(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    columns = "form, head, enter / 2 AS half, [form, upos] AS both"
    sql = f"SELECT {columns} FROM words WHERE corpus = 'gold' AND sentence = 4 ORDER BY word"
    expected = [
        {"form": "Hello", "head": 0, "half": 0.5, "both": ["Hello", "INTJ"]},
        {"form": "!", "head": 1, "half": 1.0, "both": ["!", "PUNCT"]},
    ]
    assert json.loads(run("sql", db, sql, "--format", "json").out) == expected
    rows = list(csv.DictReader(io.StringIO(run("sql", db, sql, "--format", "csv").out)))
    assert rows[0] == {"form": "Hello", "head": "0", "half": "0.5", "both": '["Hello","INTJ"]'}
    assert run("sql", db, sql, "-o", tmp_path / "out.parquet").code == 0
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == expected
    table = run("sql", db, sql).out
    assert [line.split() for line in table.splitlines() if "Hello" in line] == [
        ["Hello", "0", "0.5", "[Hello,", "INTJ]"]
    ]
    nothing = "SELECT form, [1] AS l FROM words WHERE FALSE"
    assert json.loads(run("sql", db, nothing, "--format", "json").out) == []
    assert run("sql", db, nothing, "--format", "csv").out.replace('"', "") == "form,l\n"


def test_sql_from_standard_input_and_with_write(run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT count(*) AS n FROM words"))
    assert json.loads(run("sql", db, "-", "--format", "json").out) == [{"n": 60}]
    assert run("sql", db, "CREATE TABLE mine AS SELECT 1 AS a", "--write").code == 0
    assert json.loads(run("sql", db, "FROM mine", "--format", "json").out) == [{"a": 1}]


@pytest.mark.parametrize("command", [("sql", "-"), ("find", "--file", "-")])
def test_standard_input_that_is_no_text(
    run, db: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:  # type: ignore[no-untyped-def]
    """Whether the locale reads other bytes as half surrogate pairs, or refuses them."""
    for errors in ("strict", "surrogateescape"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x89PNG"), "utf-8", errors))
        refused = run(command[0], db, *command[1:])
        assert (refused.code, refused.err.split(";")[0]) == (2, "standard input is not UTF-8")


@pytest.mark.slow
def test_a_query_is_interrupted(db: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "treesql",
        "sql",
        str(db),
        "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
    ]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    try:
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
    assert (child.returncode, out, err.strip()) == (130, "", "interrupted")


def read_terminal(ours: int) -> None:
    """Read all that is shown, as a terminal does: what nobody reads would hold the command back."""
    with contextlib.suppress(OSError):  # the other end is closed
        while os.read(ours, 65536):
            pass


COUNTING = ["sql", "DB", "SELECT count(*) FROM range(30000000) AS a WHERE sqrt(a.range) > 1"]


@pytest.mark.parametrize(
    "arguments",
    thorough_but(
        [["load", "NEW", GOLD, "--corpus", "c"], ["check", GOLD], COUNTING, ["score", "dependency", GOLD, A]], COUNTING
    ),
)
@pytest.mark.slow
def test_on_a_terminal(db: Path, arguments: list[str]) -> None:
    """Progress is shown on standard error alone."""
    names = {"DB": str(db), "NEW": str(db.parent / "new.duckdb")}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "treesql", *(names.get(argument, argument) for argument in arguments)]
    reading = threading.Thread(target=read_terminal, args=(ours,))
    reading.start()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    reading.join()
    os.close(ours)
    assert done.returncode == 0
    assert done.stdout
    assert "\x1b" not in done.stdout


def test_score_dependency(run) -> None:  # type: ignore[no-untyped-def]
    rows = json.loads(run("score", "dependency", GOLD, A, B, "--format", "json").out)
    assert list(rows[0])[:6] == ["system", "words", "uas", "las", "la", "exact_match"]
    assert [row["system"] for row in rows] == ["parser-a.conllu", "parser-b.conllu"]
    assert [row["uas"] for row in rows] == [25 / 30, 27 / 30]
    assert rows[0]["las"] == 24 / 30
    table = run("score", "dependency", GOLD, A).out
    assert "83.33%" in table


def test_score_dependency_of_corpora_is_the_same(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    from_files = json.loads(run("score", "dependency", GOLD, A, "--by", "upos", "--format", "json").out)
    from_db = json.loads(
        run("score", "dependency", "gold", "parser-a", "--db", db, "--by", "upos", "--format", "json").out
    )
    assert [{**row, "system": "parser-a.conllu"} for row in from_db] == from_files


def test_score_dependency_by_sentence(run) -> None:  # type: ignore[no-untyped-def]
    rows = json.loads(run("score", "dependency", GOLD, A, "--by", "sentence", "--format", "json").out)
    assert [(row["sentence"], row["sent_id"], row["words"]) for row in rows][:2] == [(0, "mat", 7), (1, "know", 5)]
    assert [row["exact_match"] for row in rows] == [0, 0, 0, 0, 1]


def test_score_dependency_with_conditions(run) -> None:  # type: ignore[no-untyped-def]
    [row] = json.loads(run("score", "dependency", GOLD, A, "--where", "gold_deprel = 'det'", "--format", "json").out)
    assert (row["words"], row["las"]) == (4, 1)


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "where",
    [
        "form IN (SELECT w.form FROM words AS w JOIN features AS f ON f.feats = w.feats WHERE f.name = 'Tense')",
        "sentence IN (SELECT sentence FROM trees WHERE non_projective_edges > 0)",
        "sentence IN (SELECT sentence FROM words WHERE Lemma = 'sit')",
    ],
)  # fmt: skip
def test_a_condition_may_ask_anything(run, db: Path, where: str) -> None:  # type: ignore[no-untyped-def]
    """The same from files, of which no more is read than is needed, as from a database."""
    how = ("--metric", "attachment", "--where", where, "--format", "json")
    from_files = run("score", "dependency", GOLD, A, *how)
    from_db = run("score", "dependency", "gold", "parser-a", "--db", db, *how)
    assert json.loads(from_files.out)[0] == {**json.loads(from_db.out)[0], "system": "parser-a.conllu"}
    assert 0 < json.loads(from_files.out)[0]["words"] < 30


def test_several_roots_in_a_database(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "roots.conllu").write_bytes(conllu("a:0:root b:0:root"))
    run("load", tmp_path / "t.duckdb", tmp_path / "roots.conllu", "--corpus", "c")
    done = run("score", "dependency", "c", "c", "--db", tmp_path / "t.duckdb", "--metric", "uas")
    assert done.code == 0
    assert done.err.count("1 sentence with several roots: line 1") == 1
    done = run("score", "dependency", "c", "c", "--db", tmp_path / "t.duckdb", "--strict")
    assert (done.code, done.out) == (2, "")
    assert "1 sentence with several roots" in done.err


def test_output_goes_where_it_is_sent(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Through a link to its file, and into a pipe, which stays one; a file that fails is left as it was."""
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert run("info", db, "-o", tmp_path / "link.csv").code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith('"corpus"')
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        assert run("info", db, "-o", tmp_path / "pipe", "--format", "csv").code == 0
        assert reader.stdout is not None
        assert reader.stdout.read().startswith('"corpus"')
    assert (tmp_path / "pipe").is_fifo()
    assert run("sql", db, "SELECT CAST(form AS INTEGER) FROM words", "-o", tmp_path / "real.csv").code == 2
    assert (tmp_path / "real.csv").read_text().startswith('"corpus"')


def test_numbers_and_odd_types(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    sql = "SELECT sum(word) AS total, 1.5 AS half, 1 AS total, INTERVAL 1 DAY AS day, 'x'::BLOB AS bytes FROM words"
    [row] = json.loads(run("sql", db, sql, "--format", "json").out)
    assert row == {"total": 238, "half": 1.5, "total_2": 1, "day": "1 day", "bytes": "x"}
    assert run("sql", db, sql, "--format", "csv").out.splitlines()[1].startswith("238,1.5,1,")


def test_long_tables_are_quick(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    out = run("sql", db, "SELECT range AS n, ':cat:' AS form, '日本' AS wide FROM range(20000)").out.splitlines()
    assert len(out) == 20002
    assert out[2].split() == ["0", ":cat:", "日本"]


def test_score_dependency_reads_standard_input_and_gz(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu.gz").write_bytes(gzip.compress(Path(GOLD).read_bytes()))
    command = [
        sys.executable,
        "-m",
        "treesql",
        "score",
        "dependency",
        str(tmp_path / "gold.conllu.gz"),
        "-",
        "--format",
        "csv",
    ]
    done = subprocess.run(command, input=Path(A).read_text(), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].startswith('"stdin",30,0.8333333333333334,')


def test_signatures_are_printed_and_stored(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    how = ("--metric", "attachment,exact_match")
    out = run("score", "dependency", GOLD, A, *how, "--signature").out
    [told] = [line for line in out.splitlines() if line.startswith("words,uas,las,la,")]
    assert "|gold:gold.conllu@" in told
    assert "|system:parser-a.conllu@" in told
    done = run("score", "dependency", GOLD, A, *how, "--format", "json", "--signature")
    assert json.loads(done.out)
    assert done.err.splitlines()[0] == told
    run("score", "dependency", GOLD, A, *how, "-o", tmp_path / "s.parquet")
    assert pq.read_metadata(tmp_path / "s.parquet").metadata[b"signature"].decode().splitlines()[0] == told


def test_queries(run) -> None:  # type: ignore[no-untyped-def]
    rows = json.loads(run("queries", "--all", "--format", "json").out)
    scores = ", ".join(f"{name}{side}" for name in ("uas", "las", "la") for side in ("", "_precision", "_recall"))
    expected = {"query": "attachment", "kind": "metric", "family": "dependency", "scores": scores}
    assert any(expected.items() <= row.items() for row in rows)
    described = run("queries", "attachment").out
    f1 = "2 * sum(correct_head) / nullif(sum(gold_words) + sum(system_words), 0)"
    assert f"| `uas` | `{f1}` | higher | unlabelled attachment score" in described
    assert run("queries", "attachment", "--sql").out.startswith("WITH sentence_pairs AS (")


def test_align_words(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Of a system without gold's words, and of one that has them."""
    db = str(tmp_path / "x.duckdb")
    for name, sentence in (("gold", "ca:2:aux n't:0:root"), ("parser", "can't:0:root")):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(sentence))
        run("load", db, tmp_path / f"{name}.conllu")
    done = run("sql", db, "FROM conll18('gold', 'parser')")
    assert done.code == 2
    assert "differ; align them first, with `treesql align words`" in done.err
    assert run("align", "words", db, "gold", "parser").out == "gold, parser: 3 rows\n"
    counted = run("sql", db, "SELECT count(*) AS n FROM attachment('gold', 'parser')", "--format", "json")
    assert json.loads(counted.out) == [{"n": 3}]
    assert run("align", "words", db, "gold", "gold").out == "gold, gold: the words are the same\n"
    assert run("align", "words", db, "gold", "none").code == 2


def test_export_and_load_again(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("export", db, tmp_path / "data").out == f"{tmp_path / 'data'}: 13 files\n"
    done = run("load", tmp_path / "again.duckdb", tmp_path / "data")
    assert sorted(done.out.splitlines()) == ["gold: 5 sentences, 30 words", "parser-a: 5 sentences, 30 words"]
    assert run("export", tmp_path / "again.duckdb", tmp_path / "back.conllu", "--corpus", "gold").code == 0
    assert (tmp_path / "back.conllu").read_bytes() == Path(GOLD).read_bytes()


@pytest.mark.slow
def test_output_cut_off_by_a_pipe_is_no_error(db: Path) -> None:
    command = f"{sys.executable} -m treesql sql {db} 'SELECT range FROM range(3000000)' --format csv | head -n 2"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines() == ['"range"', "0"]
    assert (done.returncode, done.stderr) == (0, "")


def test_quiet_prints_no_warnings(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    roots = tmp_path / "roots.conllu"
    roots.write_bytes(conllu("a:0:root b:0:root"))
    for command in (["check", roots], ["load", tmp_path / "t.duckdb", roots, "--corpus", "roots", "--replace"]):
        assert "1 sentence with several roots" in run(*command).err
        assert run(*command, "--quiet").err == ""


@pytest.mark.parametrize("name", ["9", "0009"])
def test_an_unknown_number_names_the_range(run, db: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    done = run("show", db, name)
    assert done.code == 2
    assert "by its sent_id, such as " in done.err
    assert "or by its number, '#0' to '#4'" in done.err
    assert "name one by its number, '#0' to '#2'" in run("lattice", "show", FIXTURES / "lattices.plf", name).err


@in_turn(
    ("arguments", "told"),
    [
        (["find", GOLD, "--limt", "3"], "unknown option '--limt'; did you mean --limit?"),
        (["info", "a", "--wxyzzy"], "unknown option '--wxyzzy'; see `treesql info --help`"),
        (["--nonsense"], "unknown option '--nonsense'; see `treesql --help`"),
        (["find", GOLD, "-LRB-"],
         "unknown option '-L'; an argument that begins with - stands after --, as in `treesql find ... -- -NONE-`"),
        (["score", "dependency", GOLD, GOLD, "--with", "ted"],
         "unknown addition to the kind dependency 'ted'; known: enhanced; `treesql score constituency --with ted` and "
         "`treesql score trees` have it"),
        (["load"], "missing argument 'DB'; see `treesql load --help`"),
        (["info", "a", "b"], "got unexpected extra argument (b); see `treesql info --help`"),
        (["find", GOLD, "gold", "x"], "gold: there is no such file; check the path"),
        (["nbest", GOLD], f"{GOLD} is a file; write before it what treesql nbest is to do: oracle"),
        (["find", GOLD, "x", "--sort", "x"],
         "only a concordance (--kwic N) and groups (--by KEY) without --grid are sorted; leave --sort out"),
        (["stats", GOLD, "--classes"], "option '--classes' requires an argument"),
        (["show", GOLD, "mat", "--svg", "--html"], "--svg and --html exclude each other; choose one of them"),
        (["show", GOLD, "mat", "--html", "-o", "a.svg"],
         "--html does not go with the ending of a.svg; leave one of them out"),
        (["find", GOLD, "pattern { N [] }", "--by", ""],
         "a key is empty; write keys, with commas between, such as X.lemma, or leave them out"),
        (["score", "dependency", GOLD, A, "--by", ""], "a name is empty; write a name, or several with commas between"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line(run, arguments: list[str], told: str) -> None:  # type: ignore[no-untyped-def]
    assert run(*arguments) == (2, "", f"{told}\n")


def test_the_rows_of_every_statement_are_written(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    sql = "SELECT 1 AS a; SELECT 2 AS b"
    assert run("sql", db, sql, "-o", tmp_path / "two.csv").code == 0
    assert (
        (tmp_path / "two.csv").read_text("utf-8") == run("sql", db, sql, "--format", "csv").out == '"a"\n1\n\n"b"\n2\n'
    )
