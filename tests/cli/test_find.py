"""treesql find, as a shell sees it."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import FIXTURES, ROOT, Run
from tests.house.rules import in_turn
from treesql.runtime import limits

GOLD = str(FIXTURES / "gold.conllu")
A = str(FIXTURES / "parser-a.conllu")
NOUNS = "pattern { X [upos=NOUN] }"


def test_matches_in_every_format(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    request = "pattern { V [upos=VERB]; e: V -[obl]-> N }"
    done = run("find", db, request, "--corpus", "gold")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].split() == ["sent_id", "V", "V.form", "N", "N.form", "e.label"]
    assert done.out.splitlines()[2].split() == ["mat", "3", "sat", "6", "mat", "obl"]
    for form, read in (("json", json.loads), ("csv", lambda text: list(csv.DictReader(io.StringIO(text))))):
        done = run("find", db, request, "--corpus", "gold", "--columns", "N.form,text", "--format", form)
        assert read(done.out)[0] == {"sent_id": "mat", "N.form": "mat", "text": "The cat sat on the mat."}
    run("find", db, request, "-o", tmp_path / "m.parquet")
    assert pq.read_table(tmp_path / "m.parquet").column_names[0] == "corpus"


def test_counts_and_groups(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("find", db, NOUNS, "--count") == Run(0, "14\n", "")
    assert json.loads(run("find", db, NOUNS, "--count", "--format", "json").out) == [{"count": 14}]
    rows = json.loads(run("find", db, "pattern { e: H -> X; X [upos=NOUN] }", "--by", "e.label", "--corpus", "gold",
                          "--format", "json").out)  # fmt: skip
    assert {row["e.label"]: row["count"] for row in rows} == {
        "nsubj": 1,
        "obl": 1,
        "nsubj:pass": 1,
        "nmod": 1,
        "obl:unmarked": 1,
        "obj": 1,
        "orphan": 1,
    }
    assert list(rows[0]) == ["e.label", "count"]
    done = run("find", db, "pattern { X -[nsubj]-> Y }", "--whether", "Y << X", "--corpus", "gold", "--format", "json")
    assert json.loads(done.out) == [{"Y << X": "Yes", "count": 3}]


def test_files_and_folders(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("find", GOLD, NOUNS, "--count").out == "7\n"
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.conllu").write_bytes(Path(GOLD).read_bytes())
    assert run("find", tmp_path / "t", NOUNS, "--count").out == "7\n"
    (tmp_path / "r.grew").write_text(f"% nouns\n{NOUNS}\n")
    assert run("find", GOLD, "-f", tmp_path / "r.grew", "--count").out == "7\n"


def test_sentences(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    request = "pattern { X -[orphan|cop]-> Y }"
    done = run("find", db, request, "--corpus", "gold", "-o", tmp_path / "found.conllu")
    assert done == Run(0, "", "warning: no edge has the relation 'cop'; did you mean conj?\n")
    text = (tmp_path / "found.conllu").read_text()
    assert text in Path(GOLD).read_text()
    assert text.count("# sent_id") == 1
    assert run("find", tmp_path / "found.conllu", request, "--count").out == "1\n"
    both = run("find", db, NOUNS, "--format", "conllu", "--limit", "2").out
    assert both.count("# sent_id") == 2
    assert Path(GOLD).read_text().startswith(both.split("\n\n")[0])


def test_concordances(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    request = "pattern { V [upos=VERB]; V -[obj]-> O }"
    done = run("find", db, request, "--corpus", "gold", "--kwic", "2")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].split() == ["sent_id", "left", "match", "right"]
    done = run("find", db, request, "--corpus", "gold", "--kwic", "2", "--columns", "O.upos", "--format", "csv")
    assert done.out == '"sent_id","O.upos","left","match","right"\n"tea","NOUN","Ann","drinks tea","and Bob"\n'
    run("find", db, NOUNS, "--kwic", "1", "--sort", "right", "-o", tmp_path / "c.parquet")
    assert pq.read_table(tmp_path / "c.parquet").column_names[-3:] == ["left", "match", "right"]
    sql = run("find", db, NOUNS, "--kwic", "1", "--sort", "left", "--sql").out
    rows = run("find", db, NOUNS, "--kwic", "1", "--sort", "left", "--format", "csv").out
    assert run("sql", db, sql, "--format", "csv").out == rows


def test_tables_of_groups(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    edges = "pattern { e: H -> X; H [upos] }"
    done = run("find", db, edges, "--by", "X.upos", "--share", "all", "--limit", "1")
    assert done.out.splitlines()[2].split() == ["NOUN", "14", "28.00%"]
    done = run("find", db, edges, "--by", "H.upos,X.upos", "--grid", "--limit", "1", "--format", "json")
    assert [row["total"] for row in json.loads(done.out)] == [30, 50]
    done = run("find", db, edges, "--by", "X.upos", "--reference", "gold", "--min-count", "15", "--format", "json")
    assert [(row["X.upos"], row["count"], row["reference_count"], row["g2"]) for row in json.loads(done.out)] == []
    done = run("find", db, edges, "--by", "X.upos", "--reference", "gold", "--min-count", "12", "--format", "json")
    assert [(row["X.upos"], row["count"], row["reference_count"], row["g2"]) for row in json.loads(done.out)] == [
        ("NOUN", 7, 7, 0.0)
    ]
    done = run("find", db, edges, "--by", "H.upos,X.upos", "--association", "--limit", "1", "--format", "json")
    assert list(json.loads(done.out)[0]) == ["H.upos", "X.upos", "count", "expected", "pmi", "log_dice", "g2"]
    done = run("find", db, NOUNS, "--count", "--per-million", "--format", "json")
    assert json.loads(done.out) == [{"count": 14, "per_million": pytest.approx(14e6 / 60)}]


def test_several_requests(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    named = ["--request", f"nouns={NOUNS}", "--request", "verbs=pattern { X [upos=VERB] }"]
    rows = json.loads(run("find", db, *named, "--format", "json").out)
    assert [tuple(row.values())[:4] for row in rows] == [
        ("nouns", "gold", 7, 3), ("nouns", "parser-a", 7, 3), ("verbs", "gold", 4, 4), ("verbs", "parser-a", 4, 4),
    ]  # fmt: skip
    assert list(rows[0]) == ["request", "corpus", "matches", "sentences", "per_million", "g2", "log_ratio"]
    assert run("find", db, *named[:2], "--format", "conllu", "--corpus", "gold").out.count("# sent_id") == 3


def test_sql_runs_as_it_is_printed(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    sql = run("find", db, NOUNS, "--sql").out
    rows = run("find", db, NOUNS, "--format", "csv").out
    assert run("sql", db, sql, "--format", "csv").out == rows


def test_explain(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("find", db, "pattern { X [upos=NOUN]; X -> Y } without { X << Y }", "--explain", "--corpus", "gold")
    assert done.out.startswith("pattern { X [upos=NOUN] }  -- 7 words\npattern { X -> Y }  -- 30 edges\n")
    assert "FROM words AS" in done.out
    assert "Seq Scan" in done.out


def test_drawings(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    request = "pattern { V [upos=VERB]; V -[obl]-> N }"
    done = run("find", GOLD, request, "--draw", "--limit", "1")
    assert done.out.startswith("mat\n\n")
    assert "*obl" in done.out
    assert "═N═" in done.out
    assert run("find", GOLD, request, "--draw", "--limit", "1", "-o", tmp_path / "d.svg").code == 0
    assert (tmp_path / "d.svg").read_text().startswith("<svg")
    assert run("find", GOLD, NOUNS, "--draw", "-o", tmp_path / "d.html").code == 0
    assert (tmp_path / "d.html").read_text().count('<div class="drawn"') == 7
    done = run("find", GOLD, "pattern { X [upos] }", "--draw", "-o", tmp_path / "d.txt")
    assert done.err == "20 more matches; --limit N draws N\n"


def test_remarks(run) -> None:  # type: ignore[no-untyped-def]
    done = run("find", GOLD, "pattern { X [upos=NOUM] }", "--count")
    assert (done.code, done.out) == (0, "0\n")
    assert done.err == "warning: nothing found: no word has `upos=NOUM`; did you mean NOUN?\n"
    done = run("find", GOLD, "pattern { X -[nsbj]-> Y }", "--count")
    assert (done.code, done.out) == (0, "0\n")
    assert done.err.startswith("warning: no edge has the relation 'nsbj'; did you mean nsubj")


def test_several_files_and_each_of_a_folder(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A request is the last argument, unless it is in a file or has a name."""
    (tmp_path / "r.grew").write_text(NOUNS)
    table = "corpus,count\ngold.conllu,7\nparser-a.conllu,7\n"
    for request in ([NOUNS], ["-f", tmp_path / "r.grew"]):
        done = run("find", GOLD, A, *request, "--by", "corpus", "--format", "csv")
        assert (done.code, done.out.replace('"', "")) == (0, table), done.err
    named = run("find", GOLD, A, "--request", f"n={NOUNS}", "--by", "corpus", "--format", "csv")
    assert named.out.replace('"', "") == "request,corpus,count\nn,gold.conllu,7\nn,parser-a.conllu,7\n"
    folder = FIXTURES / "folders" / "gold"
    done = run("find", folder, NOUNS, "--each", "file", "--by", "treebank", "--sort", "treebank", "--format", "csv")
    assert done.out.replace('"', "") == "treebank,count\nnews,5\ntalk,2\n"
    one = run("find", folder, NOUNS, "--each", "file", "--corpus", "n*", "--by", "treebank", "--format", "csv")
    assert one.out.replace('"', "") == "treebank,count\nnews,5\n"
    assert run("find", folder, NOUNS, "--by", "treebank", "--format", "csv").out.endswith('"gold",7\n')


@in_turn(
    ("arguments", "message"),
    [
        ([GOLD], "name one request"),
        ([GOLD, NOUNS, "-f", "x"], "name one request"),
        ([GOLD, "-f", "none.grew"], "none.grew: there is no such file"),
        (
            [GOLD, "pattern { X [upos=NOUN }"],
            "column 24: found `}`; expected `|`, `,` or `]`\n  pattern { X [upos=NOUN }",
        ),
        ([GOLD, NOUNS, "--count", "--by", "X.form"], "exclude each other"),
        ([GOLD, NOUNS, "--count", "--format", "conllu"], "sentences (--format conllu) have no columns"),
        ([GOLD, NOUNS, "--count", "--draw"], "drawings (--draw) have no columns"),
        (
            [GOLD, NOUNS, "--draw", "-o", "x.gif"],
            "x.gif: nothing is written as .gif; name a file that ends in .svg, .png, .pdf, .html",
        ),
        ([GOLD, NOUNS, "--draw", "-o", "x.svg"], "a picture has one drawing, and here are 7"),
        ([GOLD, NOUNS, "--corpus", "x"], "unknown corpus 'x'"),
        ([GOLD, NOUNS, "--kwic", "3", "--by", "X.form"], "a concordance (--kwic) has a row per match"),
        ([GOLD, NOUNS, "--kwic", "3", "--draw"], "drawings (--draw) have no columns"),
        ([GOLD, NOUNS, "--kwic", "3", "--format", "conllu"], "sentences (--format conllu) have no columns"),
        ([GOLD, NOUNS, "--kwic", "-1"], "invalid value for '--kwic'"),
        ([GOLD, NOUNS, "--sort", "left"], "only a concordance (--kwic N) and groups"),
        ([GOLD, NOUNS, "--by", "X.form", "--grid"], "a grid has two keys"),
        ([GOLD, NOUNS, "--reference", "x", "--by", "X.form"], "unknown corpus 'x'"),
        ([GOLD, NOUNS, "--request", f"a={NOUNS}"], "name one request"),
        ([GOLD, "--request", NOUNS], "has no name; write NAME=REQUEST"),
        ([GOLD, "none.conllu", NOUNS], "none.conllu: there is no such file"),
        (["none", "nowhere", NOUNS], "none: there is no such file"),
        ([GOLD, GOLD, NOUNS], "gold.conllu is named twice"),
        ([NOUNS, GOLD], "gold.conllu is a file or folder, and the last argument is the request"),
        ([GOLD, NOUNS, "--engine", "spark", "--each", "file"], "leave it out"),
        ([GOLD, A, NOUNS, "--engine", "spark"], "one folder of Parquet"),
        ([GOLD, "--request", f"a={NOUNS}", "--request", f"a={NOUNS}"], "two requests have the name 'a'"),
        ([GOLD, "--request", f"a={NOUNS}", "--request", f"b={NOUNS}", "--draw"], "are those of one request"),
        ([GOLD, NOUNS, "--timeout", "-1"], "invalid value for '--timeout'"),
        (["none.duckdb", NOUNS], "there is no such database"),
        (["none.conllu", NOUNS], "there is no such file"),
        ([str(FIXTURES / "gold.mrg"), NOUNS], "no dependency trees"),
        ([str(FIXTURES / "bad" / "head_open.conllu"), NOUNS], "head_open.conllu:"),
    ],
)
def test_bad_usage(run, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    done = run("find", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


SLOW = "pattern { A []; B []; C []; D []; E []; F []; G []; H [] }"


def test_the_time_limit(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(limits, "GRACE", 60.0)  # after which this process would be ended
    done = run("find", GOLD, SLOW + " pattern { I [] }", "--count", "--timeout", "0.2")
    assert (done.code, done.out) == (2, "")
    assert "stopped after 0.2 seconds; `" in done.err
    assert "costs most: 35 words match" in done.err


@pytest.mark.slow
def test_interrupting(long_sentence: Path) -> None:
    command = [sys.executable, "-m", "treesql", "find", str(long_sentence), SLOW, "--count", "--timeout", "0"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err.lstrip()) == (130, b"", b"interrupted\n")


def test_a_group_an_offset_and_an_order(gold_and_parser: Path, run) -> None:  # type: ignore[no-untyped-def]
    request = ("find", gold_and_parser, "pattern { e: H -> X; H [upos] }", "--corpus", "gold")
    assert run(*request, "--group", "e.label=nsubj", "--count").out == "3\n"
    assert run(*request, "--group", "whether H << X=Yes", "--group", "H.upos=VERB", "--count").out == "8\n"
    rows = run(*request, "--format", "csv").out.splitlines()
    part = run(*request, "--format", "csv", "--offset", 20, "--limit", 3).out.splitlines()
    assert part == [rows[0], *rows[21:24]]
    by_length = run(*request, "--format", "tsv", "--order", "length", "--columns", "sent_id", "--limit", 1).out
    assert by_length == "sent_id\nhello\n"
    refused = run(*request, "--group", "nsubj")
    assert (refused.code, refused.err) == (2, "--group 'nsubj' has no key; write KEY=VALUE, such as X.lemma=go\n")
