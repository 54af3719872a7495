"""The commands about lattices and translations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import FIXTURES
from treesql.cli import group
from treesql.errors import TreesqlError, UsageError

PLF = str(FIXTURES / "lattices.plf")
REFERENCES = ["-r", str(FIXTURES / "lattices.txt"), "-r", str(FIXTURES / "lattices-2.txt")]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments), catch_exceptions=False)


def test_score_lattice() -> None:
    result = run("score", "lattice", PLF, "--phrases", *REFERENCES[:2], "--format", "json")
    [row] = json.loads(result.stdout)
    assert list(row)[:6] == ["system", "lattices", "n_nodes", "n_edges", "density", "ger"]
    assert (row["ger"], row["n_edges"], row["proven"]) == (1, 25, 3)
    assert {"swcd", "swcd_unbounded", "gwer", "pmed", "gper", "redundancy", "ger_rate"} < set(row)
    assert {f"edge_precision_{n}" for n in (1, 2, 3, 4)} < set(row)


def test_score_lattice_by_sentence_and_some_columns() -> None:
    columns = ["--metric", "ger,pmed, proven", "--by", "sentence", "--format", "csv"]
    result = run("score", "lattice", PLF, "--phrases", *REFERENCES, *columns)
    assert result.stdout.splitlines()[0] == '"system","sentence","sent_id","ger","pmed","proven"'
    assert len(result.stdout.splitlines()) == 4


def test_a_redundancy_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^--min-redundancy is -1; it is a number, 0 or more$"):
        run("score", "lattice", PLF, *REFERENCES, "--min-redundancy", "-1")


def test_score_translation() -> None:
    result = run("score", "translation", str(FIXTURES / "hypotheses.txt"), *REFERENCES[:2], "--format", "json")
    [row] = json.loads(result.stdout)
    assert row["wer"] == pytest.approx(5 / 13)
    assert {"per", "bleu", "wer_hypothesis", "brevity_penalty"} < set(row)


def test_lattice_oracle(tmp_path: Path) -> None:
    out = tmp_path / "words.txt"
    assert run("lattice", "oracle", PLF, "--phrases", *REFERENCES[:2], "-o", str(out)).output == ""
    assert out.read_text() == "the cat sat\nit was a big red house\nI do know\n"
    result = run("score", "translation", str(out), *REFERENCES[:2], "--metric", "wer", "--format", "csv")
    assert result.stdout.splitlines()[1].split(",")[1] == str(1 / 13)
    rows = json.loads(run("lattice", "oracle", PLF, "--phrases", *REFERENCES[:2], "--format", "json").stdout)
    assert rows[1]["path_edges"] == [0, 4, 5, 7, 9]
    assert [row["path_errors"] for row in rows] == [0, 0, 1]


def test_lattice_show(tmp_path: Path) -> None:
    result = run("lattice", "show", PLF, "2", *REFERENCES[:2])
    assert result.output.splitlines() == [
        "0* * I     -> 1",
        "1*   don't -> 2",
        "   * do    -> 2",
        "2* * know  -> 3",
        "     no    -> 3",
        "3*",
        "",
        "lattice 2: 4 nodes, 5 edges, 4 paths",
        "ger 1 error, 3 words, lattices.txt has 4: I do know",
    ]
    run("lattice", "show", PLF, "0", "-o", str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").read_text().count("<rect") == 7
    with pytest.raises(TreesqlError, match="unknown lattice '9'"):
        run("lattice", "show", PLF, "9")


@pytest.mark.slow
def test_load_and_export(tmp_path: Path) -> None:
    db = str(tmp_path / "a.duckdb")
    assert run("load", db, PLF, "--corpus", "a", "--phrases").output == "a: 3 lattices, 25 edges\n"
    result = run("export", db, str(tmp_path / "a.plf"))
    assert "phrases of 1 lattice are written word by word" in result.stderr
    assert run("load", db, str(tmp_path / "a.plf"), "--corpus", "b").output == "b: 3 lattices, 29 edges\n"
    run("export", db, str(tmp_path / "a.jsonl"), "--corpus", "a")
    assert run("load", db, str(tmp_path / "a.jsonl"), "--corpus", "c").output == "c: 3 lattices, 25 edges\n"
    for name in ("a", "b", "c"):
        load = run("load", db, str(FIXTURES / "lattices.txt"), "--corpus", "r", "--replace")
        assert load.exit_code == 0
        scored = run("score", "lattice", name, "-r", "r", "--db", db, "--metric", "ger", "--format", "json")
        assert json.loads(scored.stdout)[0]["ger"] == 1
    run("export", db, str(tmp_path / "data"), "--corpus", "a")
    scored = run("score", "lattice", str(tmp_path / "data"), *REFERENCES[:2], "--format", "json")
    assert json.loads(scored.stdout)[0]["ger"] == 1
    assert run("check", PLF).output == "1 file, read as plf: nothing wrong\n"
