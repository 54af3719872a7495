"""treesql compare and --ci, as users call them."""

from __future__ import annotations

import json
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

import treesql
from tests.conftest import FIXTURES
from treesql.cli import compare, group, main
from treesql.errors import UsageError
from treesql.significance import Method

GOLD, A, B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


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


def test_what_people_see() -> None:
    shown = run("compare", "dependency", GOLD, A, B, "--metric", "las", "--signature")
    assert "80.00 (66.67 to 90.00)" in shown
    assert "las: parser-b.conllu is 10.00 points above parser-a.conllu" in shown
    assert "chance can explain that" in shown
    assert "las|match:order|punctuation:all" in shown
    three = [word for name, path in (("a", A), ("b", B), ("c", GOLD)) for word in ("--system", f"{name}={path}")]
    crossed = run("compare", "dependency", GOLD, *three, "--metric", "las")
    assert "corrected by Holm" in crossed
    assert "points above" in crossed


def test_a_database(tmp_path: object) -> None:
    db = f"{tmp_path}/x.duckdb"
    for name, path in (("gold", GOLD), ("a", A), ("b", B)):
        run("load", db, path, "--corpus", name)
    [row] = rows("compare", "dependency", "gold", "a", "b", "--db", db, "--metric", "wlas", "--stratum", "newdoc")
    assert row["metric"] == "wlas"
    [row] = rows("compare", "dependency", "gold", "--system", "x=a", "--system", "y=b", "--db", db, "--metric", "las")
    assert (row["system_a"], row["score_a"]) == ("x", 24 / 30)


def test_intervals_beside_scores() -> None:
    plain = rows("score", "dependency", GOLD, A, B)
    found = rows("score", "dependency", GOLD, A, B, "--ci")
    names = list(found[0])
    assert [{name: row[name] for name in plain[0]} for row in found] == plain
    assert names[names.index("las") :][:3] == ["las", "las_low", "las_high"]
    assert all(row["las_low"] <= row["las"] <= row["las_high"] for row in found)  # type: ignore[operator]
    assert "%" in run("score", "dependency", GOLD, A, "--ci", "--by", "upos", "--metric", "attachment")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "dependency", GOLD, A), "two systems at least"),
        (("compare", "dependency", GOLD), "at least one system"),
        (("compare", "dependency", GOLD, A, "--system", f"b={B}"), "not both ways"),
        (("compare", "dependency", GOLD, "--system", B), "write NAME=FILE"),
        (("compare", "dependency", GOLD, A, A), "stands twice"),
        (("compare", "dependency", GOLD, A, B, "--metric", "lass"), "unknown metric or score 'lass'"),
        (("compare", "dependency", GOLD, A, B, "--stratum", "doc"), "unknown column of sentences 'doc'"),
        (("compare", "dependency", GOLD, A, B, "--test", "t"), "'t' is not one of"),
        (("compare", "nothing", GOLD, A, B), "No such command 'nothing'"),
        (("compare", "dependency", GOLD, A, B, "--metric", "wlas", "--test", "mcnemar"), "right or wrong"),
        (("score", "dependency", GOLD, A, "--ci", "--by", "sentence"), "leaves nothing to draw"),
        (("score", "dependency", GOLD, A, "--ci", "--table", "conll18"), "--ci is for scores"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_systems_of_several_files() -> None:
    assert compare._systems(2, (), ("a=x,y", "b=u,v")) == (["a", "b"], [("x", "y"), ("u", "v")])
    with pytest.raises(UsageError, match="name each with --system NAME=FILE,FILE"):
        compare._systems(2, ("x", "y"), ())
    with pytest.raises(UsageError, match="write NAME=FILE,FILE"):
        compare._systems(2, (), ("a=x",))


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_kind_of_several_files_has_its_own_comparison() -> None:
    """As parallel treebanks: three GOLDs, and three files for each system."""
    seen: list[object] = []

    def compared(task: object, metrics: object, method: Method) -> object:
        seen.append((task, metrics, method.seed))
        with treesql.connect() as db:
            for name, path in (("gold", GOLD), ("a", A), ("b", B)):
                db.load(path, corpus=name)
            return db.compare("attachment.las", systems=["a", "b"], gold_corpus="gold")

    @click.command()
    @click.option("--weight", type=int)
    @click.option("--table")
    def command() -> None:
        """Score parallel treebanks."""

    module = SimpleNamespace(task=lambda gold, systems, weight: (gold, systems, weight), FILES=3, command=command,
                             compare=compared)  # fmt: skip
    made = compare._command("parallel", module)  # type: ignore[arg-type]
    arguments = ["x", "y", "z", "--system", "s=a,b,c", "--system", "t=d,e,f", "--weight", "2", "--metric", "pts"]
    done = CliRunner().invoke(made, [*arguments, "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith('"metric","system_a"')
    assert seen == [((("x", "y", "z"), {"s": ("a", "b", "c"), "t": ("d", "e", "f")}, 2), ("pts",), 12345)]
    assert "--table" not in made.get_help(click.Context(made))
