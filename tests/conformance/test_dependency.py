"""Attachment scores against the numbers that the field's own scorers print for real parser outputs.

eval07.pl and eval.pl compare whole relations, `-p` leaves punctuation (by its form) out in the one and in in the other;
the scorers of the CoNLL 2017 and 2018 shared tasks and of Universal Dependencies cut relations at the colon.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs, of_one_pair
from tests.conftest import heard
from treesql.errors import InvalidInput

FOLDER = CASES / "dependency"
pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

RAW = "udpipe_raw"
"""The system whose words differ from the gold words."""


def runs() -> Iterator[Any]:
    """Every run of a scorer that printed numbers for the same words."""
    for path in sorted(FOLDER.glob("expected/*.json")):
        case = json.loads(path.read_text())
        for run in case["runs"]:
            if run.get("results") and case["system"] != RAW:
                yield pytest.param(run, id=f"{path.stem}-{run['script']}{run['options']}".replace(" ", ""))


@cache
def scored(gold: str, system: str, relations: str, punctuation: str) -> dict[str, Any]:
    given = {"gold": FOLDER / gold, "systems": [FOLDER / system]}
    how = {"metric": "attachment", "relations": relations, "punctuation": punctuation}
    [row] = treesql.score("dependency", **given, **how).rows()
    return row


def options(run: dict[str, Any]) -> tuple[str, str]:
    """Relations and punctuation as a script has them."""
    script = run["script"].split()[0]
    if script not in ("eval07.pl", "eval.pl"):
        return "universal", "all"
    leaves_out = ("-p" in run["options"]) == (script == "eval07.pl")
    return "full", "form" if leaves_out else "all"


@pytest.mark.parametrize("run", of_one_pair(runs(), every=12))
def test_uas_las_la_to_the_printed_digit(run: dict[str, Any]) -> None:
    row = scored(run["gold"], run["system"], *options(run))
    compared = 0
    for result in run["results"]:
        if result["metric"] in ("UAS", "LAS", "LA") and result["field"] in ("percent", "f1"):
            assert round(100 * row[result["metric"].lower()], 2) == result["value"], result
            if "total" in result:
                assert row["words"] == result["total"]
                assert round(row[result["metric"].lower()] * row["words"]) == result["correct"]
            compared += 1
        elif result["metric"] == "LAS" and result["field"] == "correct":
            assert round(row["las"] * row["words"]) == result["value"]
            compared += 1
    assert compared


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("significance/*.json"))]
)
@pytest.mark.slow
def test_words_right_of_two_systems(path: Path) -> None:
    case = json.loads(path.read_text())
    for test in case["tests"]:
        punctuation = "all" if test["scope"] == "all" else "form"
        for system in ("A", "B"):
            metric, _, relations = test["metric"].lower().partition("_")
            row = scored(f"pairs/{case['gold']}", f"pairs/{case[system]}", relations or "full", punctuation)
            assert row["words"] == test["words"]
            assert row[metric] == pytest.approx(test[system], abs=1e-12)
            assert row[metric] * row["words"] == pytest.approx(test[f"{system}_right"])


@pytest.mark.slow
def test_words_that_differ_are_aligned_and_it_is_said() -> None:
    """eval07.pl and eval.pl stop there."""
    gold, system = (str(FOLDER / "pairs" / f"English-EWT.{name}.conllu.gz") for name in ("gold", RAW))
    with heard() as told:
        [row] = treesql.score("dependency", gold=gold, systems=[system]).rows()
    assert "its words are not those of every system" in told[-1]
    assert [round(100 * row[name], 2) for name in ("uas", "las", "las_precision", "las_recall")] == [
        73.55, 68.5, 68.58, 68.42,
    ]  # fmt: skip
    with heard() as told:
        table = treesql.score("dependency", gold=gold, systems=[system], table="upos_accuracy").rows()
    assert "a word without a counterpart is an error" in told[-1]
    found = [sum(one[name] for one in table) for name in ("correct_heads", "correct_edges", "words")]
    assert [round(100 * right / found[2], 2) for right in found[:2]] == [
        round(100 * row[name], 2) for name in ("uas_recall", "las_recall")
    ]


def test_several_roots_are_scored_with_a_warning_and_refused_if_asked() -> None:
    gold, system = (str(FOLDER / "pairs" / f"Danish.{name}.conllu.gz") for name in ("gold", "malt"))
    with heard() as told:
        treesql.score("dependency", gold=gold, systems=[system], metric="las")
    [warning] = told
    # the CoNLL 2018 scorer stops at the same sentence: "There are 3 roots in a sentence at line 99"
    assert "Danish.malt.conllu.gz:80: 61 sentences with several roots" in warning
    with pytest.raises(InvalidInput, match=r"Danish.malt.conllu.gz:80: 3 roots"):
        treesql.score("dependency", gold=gold, systems=[system], metric="las", strict=True)
