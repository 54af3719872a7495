"""treesql score constituency and newick: columns, EVALB's layout, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql.cli import group

GOLD, TEST = str(FIXTURES / "gold.mrg"), str(FIXTURES / "test.mrg")

LAYOUT = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
============================================================================
   1    9    0  100.00  85.71     6      6    7      0      8     8   100.00
   2    6    0  100.00 100.00     7      7    7      0      5     5   100.00
   3    6    0   60.00  75.00     3      5    4      0      5     4    80.00
   4    7    0  100.00 100.00     6      6    6      0      6     6   100.00
   5    8    0  100.00 100.00     6      6    6      0      4     4   100.00
============================================================================
                 93.33  93.33     28    30    30      0     28    27    96.43
=== Summary ===

-- All --
Number of sentence        =      5
Number of Error sentence  =      0
Number of Skip  sentence  =      0
Number of Valid sentence  =      5
Bracketing Recall         =  93.33
Bracketing Precision      =  93.33
Bracketing FMeasure       =  93.33
Complete match            =  60.00
Average crossing          =   0.00
No crossing               = 100.00
2 or less crossing        = 100.00
Tagging accuracy          =  96.43

-- len<=8 --
Number of sentence        =      4
Number of Error sentence  =      0
Number of Skip  sentence  =      0
Number of Valid sentence  =      4
Bracketing Recall         =  91.67
Bracketing Precision      =  95.65
Bracketing FMeasure       =  93.62
Complete match            =  75.00
Average crossing          =   0.00
No crossing               = 100.00
2 or less crossing        = 100.00
Tagging accuracy          =  95.00
"""


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(group, ["score", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(*arguments, "--format", "json"))
    return found


def test_the_columns_that_scripts_rely_on() -> None:
    [row] = rows("constituency", GOLD, TEST)
    wanted = ["system", "sentences", "errors", "skipped", "matched", "gold", "test", "crossing", "precision", "recall"]
    wanted += ["f1", "rfd", "grfd", "qd", "gqd"]
    assert [name for name in row if name in wanted] == wanted
    assert (row["system"], row["matched"], row["gold"], row["test"]) == ("test.mrg", 28, 30, 30)
    [more] = rows("constituency", GOLD, TEST, "--with", "ted", "--with", "sentences")
    assert set(more) - set(row) >= {"ted", "ted_skeleton", "complete_match", "tagging_accuracy"}
    by_sentence = rows("constituency", GOLD, TEST, "--by", "sentence")
    assert [(one["sentence"], one["status"]) for one in by_sentence] == [(at, "ok") for at in range(5)]


def test_the_layout_of_evalb(tmp_path: Path) -> None:
    collins = ["TOP", "-NONE-", ",", ":", "``", "''", "."]
    lines = ["CUTOFF_LEN 8", "DELETE_LABEL_FOR_LENGTH -NONE-", "EQ_LABEL ADVP PRT"]
    (tmp_path / "short.prm").write_text("\n".join([*lines, *(f"DELETE_LABEL {label}" for label in collins)]))
    assert printed("constituency", GOLD, TEST, "--evalb", "--rules", str(tmp_path / "short.prm")) == LAYOUT


def test_trees_that_evalb_cannot_compare_are_named(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "g.mrg").write_text("(S (X a))\n(S (X a))\n(S (X a))\n")
    (tmp_path / "t.mrg").write_text("(S (X b))\n(())\n(S (X a))\n")
    given = ["constituency", str(tmp_path / "g.mrg"), str(tmp_path / "t.mrg")]
    (tmp_path / "u.mrg").write_text("(S (X a))\n(S (X a))\n(S (X a))\n")
    for arguments in (["score", *given], ["compare", *given, str(tmp_path / "u.mrg"), "--runs", "10"]):
        done = run(*arguments)
        assert done.code == 0
        assert "warning: t.mrg: 1 sentence whose compared words differ: 0 (from 0); " in done.err
        assert "warning: t.mrg: 1 sentence without words to compare: 1 (from 0); " in done.err
    layout = printed("constituency", str(tmp_path / "g.mrg"), str(tmp_path / "t.mrg"), "--evalb").splitlines()
    assert [line.split()[2] for line in layout[3:6]] == ["1", "2", "0"]


def test_newick() -> None:
    trees = str(FIXTURES / "trees.nwk")
    [row] = rows("newick", trees, trees)
    assert (row["unlike_leaves"], row["rfd"], row["grfd"], row["qd"]) == (0, 0, 0, 0)
    assert {"system", "sentences", "rfd", "grfd", "qd", "gqd"} <= set(row)
    assert "precision" not in row


@in_turn(
    ("arguments", "message"),
    [
        (
            ["constituency", "gold.mrg", "gold.conllu"],
            "gold.conllu has dependency trees, and system is for constituency trees",
        ),
        (["constituency", "gold.mrg", "test.mrg", "--rules", "COLINS"], "did you mean COLLINS"),
        (
            ["constituency", "gold.mrg", "test.mrg", "--evalb", "--by", "sentence"],
            "a table has its own rows and columns",
        ),
        (["constituency", "gold.mrg", "test.mrg", "--metric", "attachment"], "not a metric of the kind constituency"),
        (["constituency", "gold.mrg", "test.mrg", "--with", "ted", "--metric", "evalb"], "--with adds"),
        (["constituency", "gold.mrg", "test.mrg", "--evalb", "--with", "ted"], "evalb_table is a table"),
        (["constituency", "gold.mrg", "test.mrg", "gold.mrg", "--evalb"], "--evalb prints one SYSTEM in its layout"),
        (["constituency", "gold.mrg", "test.mrg", "--evalb", "--signature"], "--evalb prints one SYSTEM in its layout"),
        (["constituency", "gold.mrg", "test.mrg", "--evalb", "--format", "csv"], "--evalb prints one SYSTEM in its la"),
        (["constituency", "gold.mrg", "discontinuous.export"], "has no counterpart"),
        (["newick", "trees.nwk", "gold.mrg"], "gold.mrg:1"),
        (
            ["newick", "trees.nwk", "trees.nwk", "--metric", "evalb"],
            "evalb is not a metric of the kind newick; these are robinson_foulds, ",
        ),
    ],
)
def test_bad_usage(run, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    done = run("score", *(str(FIXTURES / one) if one.partition(".")[2] else one for one in arguments))
    assert done.code == 2
    assert message in done.err
