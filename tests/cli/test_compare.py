"""treesql compare and --ci, as users call them."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path

import click
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.cli.conftest import GOLD, A, B
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql.cli import group, main, scores

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(*arguments: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run(*arguments, "--format", "json"))
    return found


def test_rows_of_the_first_metric() -> None:
    found = rows("compare", "dependency", GOLD, A, B)
    assert [row["metric"] for row in found] == ["uas", "las", "la"]
    assert list(found[0])[:9] == [
        "metric", "system_a", "system_b", "score_a", "score_b", "difference", "p", "p_corrected", "test",
    ]  # fmt: skip
    assert (found[1]["system_a"], found[1]["system_b"]) == ("parser-a.conllu", "parser-b.conllu")


def test_named_systems_and_options_of_the_score_command() -> None:
    how = ("--metric", "las", "--punctuation", "form", "--seed", "3", "--runs", "100", "--test", "bootstrap")
    [row] = rows("compare", "dependency", GOLD, "--system", f"one={A}", "--system", f"two={B}", *how)
    assert (row["system_a"], row["system_b"], row["score_a"]) == ("one", "two", 19 / 25)
    assert (row["test"], row["seed"], row["runs"]) == ("paired bootstrap", 3, 100)


TESTS = ["shuffling", "bootstrap", "mcnemar"]


@pytest.mark.spread(2)
@pytest.mark.parametrize("test", TESTS)
def test_p_alone_is_that_beside_intervals(test: str) -> None:
    bounds = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    how = ("compare", "dependency", GOLD, A, B, "--metric", "las", "--test", test)
    [row], [alone] = rows(*how), rows(*how, "--no-ci")
    assert all(row[name] is not None for name in bounds)
    assert alone == {**row, **dict.fromkeys(bounds)}


@pytest.mark.parametrize("test", [TESTS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in TESTS[1:])])
def test_p_alone_on_the_screen(test: str) -> None:
    how = ("compare", "dependency", GOLD, A, B, "--metric", "las", "--test", test)
    assert run(*how, "--ci") == run(*how)
    shown = run(*how, "--no-ci")
    assert "10.00 points (p = " in shown
    assert "nterval" not in shown + run(*how, "--no-ci", "--format", "markdown")


def test_what_people_see() -> None:
    shown = run("compare", "dependency", GOLD, A, B, "--metric", "las", "--signature")
    assert "80.00 (66.67 to 90.00)" in shown
    assert "las: parser-b.conllu scores better than parser-a.conllu by 10.00 points" in shown
    assert "chance can explain that" in shown
    assert "las|match:order|punctuation:all" in shown
    three = [word for name, path in (("a", A), ("b", B), ("c", GOLD)) for word in ("--system", f"{name}={path}")]
    crossed = run("compare", "dependency", GOLD, *three, "--metric", "las")
    assert "corrected by Holm" in crossed
    assert "scores better than" in crossed
    assert "Differences in tables: row minus column." in crossed


def test_queries_tell_which_scores_are_better() -> None:
    described = run("queries", "agreement")
    assert "| score | is | better | meaning |" in described
    assert "| lower | alignment error rate" in described
    assert "| higher | F1 of proposed against sure links |" in described
    assert "|  | edges per node |" in run("queries", "lattice_size")


def test_many_scores_stand_below_each_other() -> None:
    """Nine scores of two systems would be wider than any screen."""
    shown = run("compare", "alignment", LINKS, LINKS, LINKS_A)
    assert re.search(r"^ measure +links.pharaoh +links-a.pharaoh$", shown, re.MULTILINE)
    assert re.search(r"^ aer ↓ +0.00 \(0.00 to 0.00\) +29.63 \(", shown, re.MULTILINE)
    assert max(map(len, shown.split("\n\n")[0].splitlines())) < 120


@pytest.mark.slow
def test_a_database(db: Path) -> None:
    how = ("--db", str(db), "--metric")
    [row] = rows("compare", "dependency", "gold", "parser-a", "gold", *how, "wlas", "--stratum", "newdoc")
    assert row["metric"] == "wlas"
    [row] = rows("compare", "dependency", "gold", "--system", "x=parser-a", "--system", "y=gold", *how, "las")
    assert (row["system_a"], row["score_a"], row["score_b"]) == ("x", 24 / 30, 1)


@pytest.mark.slow
def test_intervals_beside_scores() -> None:
    plain = rows("score", "dependency", GOLD, A, B)
    found = rows("score", "dependency", GOLD, A, B, "--ci")
    names = list(found[0])
    assert [{name: row[name] for name in plain[0]} for row in found] == plain
    assert names[names.index("las") :][:3] == ["las", "las_low", "las_high"]
    assert all(row["las_low"] <= row["las"] <= row["las_high"] for row in found)  # type: ignore[operator]
    assert "%" in run("score", "dependency", GOLD, A, "--ci", "--by", "upos", "--metric", "attachment")


@in_turn(
    ("arguments", "message"),
    [
        (("compare", "dependency", GOLD, A), "two systems at least"),
        (("compare", "dependency", GOLD), "SYSTEM is missing; name GOLD SYSTEM..."),
        (("compare", "dependency", GOLD, A, "--system", f"b={B}"), "not both"),
        (("compare", "dependency", GOLD, "--system", B), "write NAME=FILE"),
        (("compare", "dependency", GOLD, A, A), "named twice"),
        (("compare", "dependency", GOLD, A, B, "--metric", "lass"), "unknown metric or score 'lass'; did you mean las"),
        (("compare", "dependency", GOLD, A, B, "--metric", "wer"), "unknown metric or score 'wer'"),
        (
            ("compare", "dependency", GOLD, A, B, "--metric", "edit_operations.wer"),
            "edit_operations is not a metric of the kind dependency; these are attachment, exact_match, ",
        ),
        (
            ("compare", "translation", A, B, "-r", GOLD, "--metric", "attachment"),
            "attachment is not a metric of the kind tr",
        ),
        (("compare", "dependency", GOLD, A, B, "--stratum", "doc"), "unknown column of sentences 'doc'"),
        (("compare", "dependency", GOLD, A, B, "--test", "t"), "'t' is not one of"),
        (("compare", "nothing", GOLD, A, B), "unknown command of treesql compare 'nothing'"),
        (("compare", "dependency", GOLD, A, B, "--metric", "wlas", "--test", "mcnemar"), "right or wrong"),
        (("score", "dependency", GOLD, A, "--ci", "--by", "sentence"), "leaves nothing to resample"),
        (("score", "dependency", GOLD, A, "--ci", "--table", "conll18"), "and --ci are for scores"),
        (("compare", "dependency", GOLD, A, B, "--conll18"), "unknown option"),
        (("compare", "dependency", GOLD, A, B, "--table", "conll18"), "unknown option"),
        (("compare", "dependency", GOLD, A, B, "--metric", "words"), "words of attachment cannot be compared"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 2
    assert message in capsys.readouterr().err


LINKS, LINKS_A = (str(FIXTURES / f"{name}.pharaoh") for name in ("links", "links-a"))
REFERENCE, HYPOTHESIS = (str(FIXTURES / f"{name}.conllu") for name in ("reference", "hypothesis"))
LINKED = str(FIXTURES / "reference-hypothesis.align")


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Trees, lattices and links that are less than those of the examples."""
    folder = tmp_path_factory.mktemp("others")
    written = {
        "other.nwk": "((raccoon,seal),((bear,sea_lion),('maple tree','cat''s cradle')));\n"
        "(raccoon,(bear,sea_lion),seal);\n(((gull,auk),tern),(plover,(snipe,'sand piper')))shorebirds;\n",
        "other.plf": "((('the',1),),)\n((('it',1),),)\n((('I',1),),)\n",
        "other.align": "0-3 3-2\n0-4 4-3\n0-0\n0-0\n\n",
    }
    for name, text in written.items():
        (folder / name).write_text(text)
    return {name: str(folder / name) for name in written}


KINDS: dict[str, tuple[list[str], dict[str, list[str]], list[str], str]] = {
    "dependency": ([GOLD], {"a": [A], "b": [B]}, [], "uas las la"),
    "constituency": (["gold.mrg"], {"a": ["test.mrg"], "b": ["gold.mrg"]}, [], "precision recall f1"),
    "newick": (["trees.nwk"], {"a": ["other.nwk"], "b": ["trees.nwk"]}, [], "rfd"),
    "alignment": ([LINKS], {"a": [LINKS], "b": [LINKS_A]}, [], "precision recall aer"),
    "parallel": ([GOLD, GOLD, LINKS], {"a": [A, B, LINKS_A], "b": [B, B, LINKS_A]}, [], "uas_a uas_b aer pts joint_f1"),
    "paths": (
        [REFERENCE],
        {"a": [HYPOTHESIS, LINKED], "b": [HYPOTHESIS, "other.align"]},
        [],
        "distance distance_macro",
    ),
    "trees": ([REFERENCE], {"a": [HYPOTHESIS], "b": [REFERENCE]}, [], "tree_edit_normalised"),
    "translation": ([], {"a": ["hypotheses.txt"], "b": ["lattices-2.txt"]}, ["-r", "lattices.txt"], "wer per bleu"),
    "lattice": ([], {"a": ["lattices.plf"], "b": ["other.plf"]}, ["-r", "lattices.txt"], "ger_rate swcd"),
}
"""By kind: the gold standards, two systems, options, and scores."""


def test_every_kind_that_is_scored_can_be_compared() -> None:
    known = scores.score_command.list_commands(click.Context(scores.score_command))
    assert scores.compare_command.list_commands(click.Context(scores.compare_command)) == known
    assert set(known) == set(KINDS), "KINDS above has a line for every kind, with two systems on fixtures"


@pytest.mark.spread(6)
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind(kind: str, others: dict[str, str]) -> None:
    """Its scores are those of `treesql score`, and --ci puts intervals beside them that are those of the comparison."""

    def at(name: str) -> str:
        return others.get(name) or (str(FIXTURES / name) if "." in name and "/" not in name else name)

    golds, systems, options, metrics = KINDS[kind]
    options = [at(one) for one in options]
    named = [word for name, files in systems.items() for word in ("--system", f"{name}={','.join(map(at, files))}")]
    chosen = [word for metric in metrics.split() for word in ("--metric", metric)]
    found = rows("compare", kind, *map(at, golds), *named, *options, *chosen)
    assert [row["metric"] for row in found] == metrics.split()
    for row in found:
        assert (row["system_a"], row["system_b"]) == ("a", "b")
        assert 0 < row["p"] <= 1  # type: ignore[operator]
    for side, files in systems.items():
        pairs = (
            itertools.zip_longest(map(at, golds), map(at, files))
            if len(golds) > 1
            else [(*map(at, golds), *map(at, files))]
        )
        [scored] = rows("score", kind, *(one for pair in pairs for one in pair), *options, "--ci")
        for row in found:
            assert row[f"score_{side}"] == pytest.approx(scored[str(row["metric"])], rel=1e-14)
    shown = run("compare", kind, *map(at, golds), *named, *options)
    assert "Intervals: 95%" in shown


@pytest.mark.spread(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_may_stand_twice_by_two_names(kind: str, others: dict[str, str]) -> None:
    """As a check that what is the same is found to be so; every kind takes that."""
    golds, systems, options, _ = KINDS[kind]
    files = ",".join(others.get(one) or str(FIXTURES / one) for one in systems["a"])
    named = [word for name in ("one", "two") for word in ("--system", f"{name}={files}")]
    options = [str(FIXTURES / one) if "." in one else one for one in options]
    for row in rows("compare", kind, *(str(FIXTURES / one) for one in golds), *named, *options):
        assert (row["difference"], row["p"], row["wins_a"], row["wins_b"]) == (0, 1, 0, 0), row["metric"]


@in_turn("kind", KINDS)
def test_one_system_is_not_compared(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind says so in one line, before it reads anything."""
    golds, systems, options, _ = KINDS[kind]
    nowhere = ",".join("nowhere.conllu" for _ in systems["a"])
    with pytest.raises(SystemExit) as end:
        main(["compare", kind, *("nowhere.conllu" for _ in golds), "--system", f"alone={nowhere}", *options])
    assert end.value.code == 2
    told = "a comparison takes two systems at least, and only alone is given; `treesql score` scores one\n"
    assert capsys.readouterr().err == told


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ("parallel", GOLD, GOLD, LINKS, f"a={A},{B},{LINKS_A}", f"b={B},{B},{LINKS_A}", "--metric", "uas_a"),
        ("trees", GOLD, f"a={A}", f"b={B}", "--metric", "tree_edit_normalised"),
        ("translation", f"a={A}", f"b={GOLD}", "-r", GOLD, "--metric", "wer"),
    ],
    ids=["parallel", "trees", "translation"],
)
def test_documents_are_strata(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """The column that says where a document begins is read for every kind."""
    marked = tmp_path / "gold.conllu"
    text = Path(GOLD).read_text()
    marked.write_text("# newdoc id = one\n" + text.replace("\n\n", "\n\n# newdoc id = two\n", 1))
    kind, *rest = (str(marked) if one == GOLD else one for one in arguments)
    given = [word for one in rest for word in (("--system", one) if "=" in one else (one,))]
    assert {row["strata"] for row in rows("compare", kind, *given, "--stratum", "newdoc")} == {2}


@pytest.mark.parametrize(
    ("form", "arguments", "columns"),
    [
        ("csv", ["score", "alignment", LINKS, LINKS_A], "system, proposed, sure, possible, precision, recall, aer"),
        ("json", ["score", "parallel", GOLD, A, GOLD, B, LINKS, LINKS_A], "system, uas_a, uas_b, aer, pts"),
        (
            "parquet",
            ["compare", "alignment", LINKS, LINKS, LINKS_A],
            "metric, system_a, system_b, score_a, score_b, difference, p, p_corrected, test",
        ),
    ],
    ids=["alignment", "parallel", "compare"],
)
def test_columns_that_scripts_rely_on(arguments: list[str], columns: str, form: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    run(*arguments, "--format", form, "-o", str(out))
    if form == "parquet":
        head = pq.read_schema(out).names
    elif form == "json":
        head = list(json.loads(out.read_text())[0])
    else:
        head = next(csv.reader(out.read_text().splitlines()))
    assert head[: columns.count(",") + 1] == columns.split(", ")
