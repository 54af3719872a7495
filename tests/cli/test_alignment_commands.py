"""Commands of word alignments and of parallel treebanks, as a shell sees them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.conftest import conllu
from tests.evaluation.word_alignments import GOLD, LINKS, LINKS_A, PARSER_A, PARSER_B, written


def test_the_command_that_scores_alignments(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("score", "alignment", LINKS, LINKS, LINKS_A, "--format", "csv", "--source", GOLD)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0])[:7] == ["system", "proposed", "sure", "possible", "precision", "recall", "aer"]
    assert [(row["system"], row["proposed"]) for row in rows] == [("links.pharaoh", "15"), ("links-a.pharaoh", "15")]
    code, _, err = run("score", "alignment", LINKS, LINKS_A, "--base", "2")
    assert code == 2
    assert "'2' is not one of '0', '1'" in err
    code, _, err = run("score", "alignment", LINKS, written(tmp_path / "empty.pharaoh", ""))
    assert (code, err.split("empty.pharaoh: ")[1].split(";")[0]) == (2, "the file is empty")
    code, _, err = run("score", "alignment", LINKS, GOLD)
    assert (code, "conllu files have no links" in err or "dependency trees" in err) == (2, True)


def test_a_file_that_is_gold_and_system_is_told_of_once(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    null = written(tmp_path / "null.wpt", "1 1 1\n1 0 1\n")
    twice = written(tmp_path / "twice.wpt", "1 1 1\n1 1 1\n")
    trees = written(tmp_path / "trees.conllu", conllu("a:0:root b:0:foo").decode())
    for arguments, told in (
        (("score", "alignment", null, null), ["1 null link is left out"]),
        (("score", "alignment", null, twice, null), ["1 null link is left out", "1 link is repeated"]),
        (("score", "dependency", trees, trees, "--metric", "content_recall"),
         ["1 sentence with several roots", "relations that belong to no class"]),
        (("score", "parallel", trees, trees, trees, trees, null, null),
         ["1 sentence with several roots", "1 null link is left out"]),
        (("align", "symmetrise", null, null), ["1 null link is left out"]),
    ):  # fmt: skip
        code, _, err = run(*arguments)
        assert code == 0
        assert [one for one in told if err.count(one) != 1] == []
        assert err.count("warning: ") == len(told)


def test_the_command_that_scores_parallel_treebanks(run) -> None:  # type: ignore[no-untyped-def]
    files = (GOLD, PARSER_A, GOLD, PARSER_B, LINKS, LINKS_A)
    code, out, err = run("score", "parallel", *files, "--format", "csv", "--weight-links", "0")
    assert (code, err) == (0, "")
    [row] = csv.DictReader(io.StringIO(out))
    assert list(row) == ["system", "uas_a", "uas_b", "aer", "pts", "joint_f1"]
    assert row["system"] == "parser-a.conllu + parser-b.conllu + links-a.pharaoh"
    assert float(row["pts"]) == pytest.approx((float(row["uas_a"]) + float(row["uas_b"])) / 2)


def test_the_command_that_symmetrises(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    forward, backward = written(tmp_path / "f", "0-1 1-2\n"), written(tmp_path / "b", "1-0 1-1\n")
    code, out, err = run("align", "symmetrise", forward, backward, "--reverse", "--method", "union")
    assert (code, out, err) == (0, "0-1 1-1 1-2\n", "")
    code, out, err = run("align", "symmetrise", forward, backward, "--reverse", "--variant", "both")
    assert (code, out, err) == (0, "0-1 1-2\n", "")
    code, _, err = run("align", "symmetrise", forward, backward, "--method", "union", "--variant", "both")
    assert (code, "--variant is for the methods that grow, not for union; leave it out" in err) == (2, True)
    to = str(tmp_path / "out.wpt")
    code, out, _ = run("align", "symmetrise", forward, backward, "--reverse", "-o", to)
    assert (code, out) == (0, f"{to}: 3 links\n")
    assert Path(to).read_text() == "1 1 2 S\n1 2 2 S\n1 2 3 S\n"
    code, _, err = run("align", "symmetrise", forward, written(tmp_path / "c", "0-0\n0-0\n"), "-o", str(tmp_path / "x"))
    assert code == 2
    assert "sentence 2 of the backward alignment has no counterpart in the forward alignment" in err
    for name, what in (("x.talp", "links are written as pharaoh or wpt, not as talp"), ("x.wa.gz", "compressed")):
        code, _, err = run("align", "symmetrise", forward, backward, "--reverse", "-o", str(tmp_path / name))
        assert (code, what in err, (tmp_path / name).exists()) == (2, True, False)
    assert not (tmp_path / "x").exists()


def test_loading_alignments_by_command(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    db = str(tmp_path / "a.duckdb")
    assert run("load", db, GOLD, "--corpus", "text")[0] == 0
    code, out, _ = run("load", db, LINKS, "--corpus", "l", "--source-corpus", "text", "--target-corpus", "text")
    assert (code, out) == (0, "l: 5 sentences, 15 links\n")
    code, _, err = run("load", db, LINKS, "--corpus", "r", "--base", "1")
    assert (code, "a link of word 0, `0-0`" in err) == (2, True)
    assert run("check", LINKS, "--reverse")[0] == 0
