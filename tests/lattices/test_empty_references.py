"""References of unequal number: an empty reference beside others is the nearest one, unless it is said to be missing.

Lattice 1 has the paths `x` and `y`, its references are empty and `x b c d`; lattice 2 is `x z`, as both references are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import Run
from treesql.errors import TreesqlWarning, UsageError

pytestmark = pytest.mark.filterwarnings("ignore:.*an empty reference beside others:treesql.TreesqlWarning")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The references and the option, for calls that name the lattices."""
    monkeypatch.chdir(tmp_path)
    Path("l.plf").write_text("((('x',0,1),('y',0,1),),)\n((('x',0,1),),(('z',0,1),),)\n")
    Path("r1").write_text("\nx z\n")
    Path("r2").write_text("x b c d\nx z\n")
    Path("lists").write_text("0 ||| a b ||| F= 0 ||| 0\n0 ||| q ||| F= 0 ||| 0\n1 ||| x z ||| F= 0 ||| 0\n")
    return {"reference": ["r1", "r2"]}


MISSING = {"empty_references": "missing"}
SCORES = {
    "ger": (1, 3),
    "ger_rate": (1 / 2, 3 / 6),
    "gwer": (1 / 2, 3 / 2),
    "pmed": (1, 3),
    "gper": (1 / 2, 3 / 2),
    "best_errors": (1, 3),
    "path_error_rate": (1 / 2, 3 / 6),
    "word_root_density": (2 ** (1 / 2), 2 ** (1 / 6)),
}
"""By score its value where the empty reference is one, and where it is missing."""


def test_the_nearest_reference(files: dict[str, Any]) -> None:
    asked = {"metric": list(SCORES), **files}
    results = [treesql.score("lattice", "l.plf", **asked, **how) for how in ({}, MISSING)]
    [first], [second] = (result.rows() for result in results)
    for score, values in SCORES.items():
        assert (first[score], second[score]) == pytest.approx(values, rel=1e-12), score
        signatures = [result.signatures[f"l.plf:{score}"] for result in results]
        assert ["|empty_references:missing|" in signature for signature in signatures] == [False, True], score


def test_a_reference_that_is_missing_is_no_first_one(files: dict[str, Any]) -> None:
    """The order of references decides nothing: without the first one, the second is the first."""
    rows = treesql.score("lattice", "l.plf", metric="word_root_density", by="sentence", **files, **MISSING).rows()
    assert [row["word_root_density"] for row in rows] == pytest.approx([2 ** (1 / 4), 1])


@pytest.mark.slow
def test_the_warning_is_of_scores_that_depend_on_it(files: dict[str, Any], recwarn: pytest.WarningsRecorder) -> None:
    """No word is in an empty reference, so that counts of words are the same with and without it."""
    treesql.score("lattice", "l.plf", metric="swcd,word_recall,edge_precision_1", **files)
    treesql.score("lattice", "l.plf", metric="ger", **files, **MISSING)
    treesql.lattices.oracle("l.plf", **files, **MISSING)
    treesql.nbest.oracle("lists", **files, **MISSING)
    assert not list(recwarn)
    what = "1 sentence has an empty reference beside others, the first is 1"
    for call in (
        lambda: treesql.score("lattice", "l.plf", metric="ger", **files),
        lambda: treesql.lattices.oracle("l.plf", **files),
        lambda: treesql.nbest.oracle("lists", **files),
    ):
        with pytest.warns(TreesqlWarning, match=what):
            call()
    with pytest.raises(UsageError, match="does not apply to word_count_distance"):
        treesql.score("lattice", "l.plf", metric="swcd", **files, **MISSING)
    with pytest.raises(UsageError, match="for references"):
        treesql.lattices.oracle("l.plf", measure="score", **MISSING)


@pytest.mark.slow
def test_oracle_paths(files: dict[str, Any]) -> None:
    """The path `x` has one 1-gram, which matches; it is as long as the closest reference, or a quarter of it."""
    for option, score, closest in (({}, 1.0, 0), (MISSING, math.exp(1 - 4), 4)):
        for corpus_bleu in (bool(option),):
            found = treesql.lattices.oracle("l.plf", measure="bleu", corpus_bleu=corpus_bleu, **files, **option)
            row = found.rows()[0]
            assert (row["path_forms"], row["n_reference_words"]) == (["x"], closest)
            assert row["path_score"] == pytest.approx(score, rel=1e-12)
        assert treesql.lattices.oracle("l.plf", **files, **option).rows()[0]["path_errors"] == (3 if option else 1)
        assert "r2 has 4" in treesql.lattices.show("l.plf", 0, **files, **MISSING).text()


@pytest.mark.thorough
def test_pruned_lattices(files: dict[str, Any]) -> None:
    with pytest.warns(TreesqlWarning, match="1 sentence has an empty reference beside others, the first is 1"):
        counted = treesql.lattices.prune("l.plf", **files)
    missing = treesql.lattices.prune("l.plf", **files, **MISSING)
    assert [found.rows()[0]["ger_before"] for found in (counted, missing)] == [1, 3]


def test_lists(files: dict[str, Any]) -> None:
    """List 1 is `a b`, then `q`: 2 and 1 edits from nothing, 4 each from `x b c d` but for the b; list 2 is right."""
    counted = [row["wer"] for row in treesql.nbest.oracle("lists", n="1,2", **files).rows()]
    missing = [row["wer"] for row in treesql.nbest.oracle("lists", n="1,2", **files, **MISSING).rows()]
    assert (counted, missing) == ([2 / 2, 1 / 2], [3 / 6, 3 / 6])
    with pytest.raises(UsageError, match="empty_references cannot be 'no'; choose one of count, missing"):
        treesql.nbest.oracle("lists", **files, empty_references="no")


@pytest.mark.slow
def test_curves(files: dict[str, Any]) -> None:
    """A denser lattice with the same words has the same errors."""
    Path("dense.plf").write_text("((('x',0,1),('y',0,1),('v',0,1),),)\n((('x',0,1),),(('z',0,1),),)\n")
    for name in ("h1", "h2"):
        Path(name).write_text("x\nx z\n")
    for option, errors, words in ((MISSING, 3, 6),):
        study = treesql.lattices.curve(
            "l.plf", "dense.plf", metric="ger,oracle_wer,wer", hypotheses=["h1", "h2"], **files, **option
        )
        for row in study.points.rows():
            assert (row["ger"], row["oracle_wer"], row["wer"]) == (errors, errors / words, errors / words)
        assert study.spans.rows()
        oracles = treesql.lattices.curve("l.plf", "dense.plf", metric="oracle_wer", **files, **option)
        assert oracles.points.rows()[0]["oracle_wer"] == errors / words


def test_ids_of_references_that_correspond_by_their_order(files: dict[str, Any]) -> None:
    """Lattices without ids have their references by order, whatever ids these have."""
    Path("r1.trn").write_text("(a-1)\nx z (a-2)\n")
    Path("r2.trn").write_text("x b c d (b-1)\nx z (b-2)\n")
    named = {"reference": ["r1.trn", "r2.trn"]}
    assert treesql.score("lattice", "l.plf", metric="ger", **named, **MISSING).rows()[0]["ger"] == 3
    with pytest.warns(TreesqlWarning, match="1 sentence has an empty reference beside others, the first is 1"):
        treesql.score("lattice", "l.plf", metric="ger", **named)


@pytest.mark.slow
def test_the_command_line_and_the_report(files: dict[str, Any], run: Callable[..., Run]) -> None:
    references = ["-r", "r1", "-r", "r2", "--empty-references", "missing"]
    shown = run("lattice", "oracle", "l.plf", *references, "--format", "csv")
    assert shown.out.splitlines()[1].split(",")[2:5] == ['"r2"', "4", "3"]
    shown = run("nbest", "oracle", "lists", *references, "--n", "2", "--format", "csv")
    assert shown.out.splitlines()[1] == "2,2,0,0.5,0.5"
    shown = run("report", "lattice", "l.plf", *references, "-o", "page.html", "--data", "tables")
    assert shown.code == 0, shown.err
    assert "empty_references:missing" in Path("page.html").read_text()
    assert ",3,0.5,0,0.75," in Path("tables/scores.csv").read_text()  # ger, ger_rate and its interval
