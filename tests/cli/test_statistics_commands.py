"""stats, wde, correlate and typology, as a shell sees them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import GOLD, A
from tests.conftest import FIXTURES, Run, conllu
from tests.house.rules import in_turn
from tests.reports.pages import check_page


def rows(done: Run) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_stats(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    [gold, parsed] = rows(run("stats", GOLD, A, "--format", "csv"))
    for name in ("treebank", "sentences", "words", "types", "sttr", "function_share", "content_share"):
        assert name in gold
    assert (gold["treebank"], gold["sentences"], gold["words"], gold["sttr"]) == ("gold.conllu", "5", "30", "")
    assert (float(gold["function_share"]), parsed["words"]) == (0.3, "30")
    done = run("stats", GOLD, A)
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["measure", "gold.conllu", "parser-a.conllu"]
    assert ["words", "30", "30"] in lines
    assert ["function_share", "30.00%", "30.00%"] in lines
    assert ["sttr", "-", "-"] in lines
    assert done.err.splitlines() == [
        f"warning: {name}.conllu: 30 words, fewer than the 1000 of a chunk; its standardised type/token ratio is NULL"
        for name in ("gold", "parser-a")
    ]
    assert run("stats", GOLD, "-o", tmp_path / "s.parquet").code == 0
    assert pq.read_table(tmp_path / "s.parquet").column("words").to_pylist() == [30]


def test_relations_and_classes(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = {row["relation"]: row for row in rows(run("stats", GOLD, "--relations", "--format", "csv"))}
    assert list(found["det"]) == ["treebank", "relation", "class", "words", "share", "types", "mean_dependency_length"]
    assert (found["det"]["class"], found["det"]["words"], found["det"]["types"]) == ("function", "4", "3")
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\n")
    done = run("stats", GOLD, "--relations", "--format", "csv", "--classes", tmp_path / "c.csv")
    assert {row["relation"]: row["class"] for row in rows(done)}["det"] == "content"
    assert "gold.conllu: relations that belong to no class: punct (5), root (5)," in done.err


def test_wde(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("wde", GOLD, "--chart", tmp_path / "w.svg")
    assert done.code == 0
    bars = {line.split()[0]: line.split()[-1] for line in done.out.splitlines()[2:]}
    assert set(bars["root"]) == {"="}
    assert set(bars["det"]) == {"#"}
    assert set(bars["punct"]) == {"."}
    assert (tmp_path / "w.svg").read_text().startswith("<svg")
    averaged = rows(run("wde", GOLD, A, "--format", "csv", "--absent", "skip"))
    assert list(averaged[0]) == ["relation", "class", "treebanks", "words", "wde"]
    long = rows(run("wde", GOLD, A, "--long", "--format", "csv", "--vocabulary", "relation"))
    assert list(long[0]) == ["treebank", "relation", "words", "types", "wde"]
    assert {row["treebank"] for row in long} == {"gold.conllu", "parser-a.conllu"}
    assert max(float(row["wde"]) for row in long) == pytest.approx(1)
    assert run("wde", GOLD, "--long", "--absent", "skip").code == 2


def test_lemmas_that_are_not_there(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "x.conllu").write_bytes(conllu("a:0:root"))
    assert run("wde", GOLD, "--forms", "lemma").code == 0
    done = run("wde", GOLD, tmp_path / "x.conllu", "--forms", "lemma")
    assert (done.code, done.out) == (2, "")
    assert "no word of x.conllu has a lemma" in done.err


def test_a_database(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    db = tmp_path / "t.duckdb"
    for corpus, path in (("gold", GOLD), ("a", A)):
        assert run("load", db, path, "--corpus", corpus, "--treebank", "T").code == 0
    before = db.read_bytes()
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\n")
    [row] = rows(run("stats", db, "--format", "csv", "--classes", tmp_path / "c.csv"))
    assert (row["treebank"], row["words"]) == ("T", "60")
    assert float(row["content_share"]) == pytest.approx(8 / 60)
    assert run("wde", db).code == 0
    assert run("stats", db, GOLD).code == 2
    assert db.read_bytes() == before


def test_correlate_a_table(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "t.csv").write_text("name,a,b,c\nx,1,2,7\ny,2,4,7\nz,3,6,7\n")
    done = run("correlate", tmp_path / "t.csv", "--chart", tmp_path / "h.svg")
    assert [line.split() for line in done.out.splitlines()][2:] == [
        ["a", "1", "1.00**", "-"],
        ["b", "1", "-"],
        ["c", "1"],
        ["n", "=", "3"],
    ]
    assert done.err == f"warning: {tmp_path}/t.csv: the column c is constant; its correlations are NULL\n"
    assert "<svg" in (tmp_path / "h.svg").read_text()
    [row] = json.loads(run("correlate", tmp_path / "t.csv", "--columns", "b, a", "--format", "json").out)
    assert row == {
        "metric_a": "b", "metric_b": "a", "method": "pearson", "n": 3, "r": pytest.approx(1),
        "r_low": None, "r_high": None, "p": pytest.approx(0, abs=1e-6), "pairs": 3, "same_order": 1,
    }  # fmt: skip
    columns = ["metric_a", "metric_b", "method", "n", "r", "r_low", "r_high", "p", "pairs", "same_order"]
    assert run("correlate", tmp_path / "t.csv", "--long").out.split()[:10] == columns


def test_correlate_folders(run, treebank_folders: tuple[str, str]) -> None:  # type: ignore[no-untyped-def]
    found = rows(run("correlate", *treebank_folders, "--columns", "las,uas,words", "--format", "csv"))
    assert [(row["metric_a"], row["metric_b"], row["n"]) for row in found] == [
        ("las", "uas", "3"), ("las", "words", "3"), ("uas", "words", "3"),
    ]  # fmt: skip


@pytest.mark.slow
def test_typology(run, treebank_folders: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    found = rows(run("typology", *treebank_folders, "--format", "csv", "--order", "las"))
    assert list(found[0]) == [
        "system", "treebank", "words", "sttr", "function_share", "content_share", "las", "uas", "wlas", "wlas_own",
        "content_precision", "content_recall", "function_precision", "function_recall",
    ]  # fmt: skip
    again = run("typology", *treebank_folders)
    assert (again.code, again.out) == (2, "")
    assert "typology exists and is not empty" in again.err
    page = (tmp_path / "typology" / "report.html").read_text()
    assert "treesql typology" in page
    check_page(page)


@in_turn(
    ("arguments", "message"),
    [
        (["stats"], "missing argument 'TREEBANK...'"),
        (["stats", "none.conllu"], "there is no such file"),
        (["stats", GOLD, "--classes", "none.csv"], "none.csv: there is no such file"),
        (["wde", GOLD, "--forms", "stem"], "invalid value for '--forms'"),
        (["correlate", GOLD], "a table is a file that ends in .csv"),
        (["correlate", "a", "b", "c"], "name one table, or a folder"),
        (["correlate", "t.csv", "--system", "x"], "--system does not apply to a table"),
        (["typology", "none", "none"], "none: there is no such folder"),
        (["typology", GOLD, GOLD], "this is a file"),
    ],
)
def test_bad_usage(run, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_statistics_of_relations_where_there_are_none(run) -> None:  # type: ignore[no-untyped-def]
    """Constituency trees: no shares, and no entropies."""
    trees = str(FIXTURES / "gold.mrg")
    [found] = rows(run("stats", trees, "--format", "csv"))
    assert {name: found[name] for name in found if name.endswith("_share")} == dict.fromkeys(
        [
            "function_share", "content_share", "other_share", "non_projective_sentence_share",
            "non_projective_edge_share",
        ], "",
    )  # fmt: skip
    done = run("wde", trees)
    assert (done.code, done.out) == (2, "")
    assert "gold.mrg: no word has a relation" in done.err


def test_sentences_of_several_systems_are_told(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = ["system,sentence,f1,rfd", "a,0,1,0", "a,1,.5,.5", "b,0,.75,.2", "b,1,.9,.1"]
    for n, told in ((len(lines), True), (3, False)):
        (tmp_path / "s.csv").write_text("\n".join([*lines[:n], *["a,2,.1,.8"] * (not told)]) + "\n")
        done = run("correlate", str(tmp_path / "s.csv"), "--columns", "f1,rfd")
        assert done.code == 0
        assert ("the rows are sentences of 2 systems" in done.err) == told
