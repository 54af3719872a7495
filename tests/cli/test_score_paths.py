"""treesql score paths and treesql score trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql.cli import group, main
from treesql.errors import UsageError

FILES = [str(FIXTURES / name) for name in ("reference.conllu", "hypothesis.conllu", "reference-hypothesis.align")]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["score", *arguments], catch_exceptions=False)


def rows(*arguments: str) -> list[dict[str, object]]:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0
    found: list[dict[str, object]] = json.loads(result.stdout)
    return found


def test_paths() -> None:
    [row] = rows("paths", *FILES)
    assert (row["system"], row["disparity"], row["maximum"]) == ("hypothesis.conllu", 6, 19)
    assert row["distance"] == pytest.approx(6 / 19)
    assert (row["sentences"], row["sentences_without_distance"]) == (5, 2)
    by_sentence = rows("paths", *FILES, "--by", "sentence")
    assert [(row["sentence"], row["disparity"]) for row in by_sentence] == [(0, 5), (1, 1), (2, 0), (3, 0), (4, 0)]
    [chosen] = rows("paths", *FILES, "--where", "maximum > 2")
    assert (chosen["disparity"], chosen["maximum"]) == (3, 3)


def test_base_and_direction(tmp_path: Path) -> None:
    """The same links counted from 1, the hypothesis in front, and in another format."""
    expected = rows("paths", *FILES)
    lines = Path(FILES[2]).read_text().splitlines()
    pairs = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]
    turned, wpt = tmp_path / "turned.align", tmp_path / "links.txt"
    turned.write_text("".join(" ".join(f"{j + 1}-{i + 1}" for i, j in line) + "\n" for line in pairs))
    assert rows("paths", *FILES[:2], str(turned), "--base", "1", "--reverse") == expected
    wpt.write_text("".join(f"{at} {i + 1} {j + 1}\n" for at, line in enumerate(pairs, 1) for i, j in line))
    assert rows("paths", *FILES[:2], str(wpt), "--alignment-from", "wpt") == expected


def test_explain() -> None:
    result = run("paths", *FILES, "--explain", "letters")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "yesterday she wrote two letters ↓!5 ↓1 ↓!2 ↓3 ↓4" in words
    assert "she wrote two letters yesterday" in words
    assert "(advmod, alpha, ) (advmod, beta, ) 1 2" in words
    assert [row["disparity"] for row in rows("paths", *FILES, "--explain", "0")] == [3, 2]


def test_explain_as_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    result = run("paths", *FILES, "--explain", "sherlock", "-o", str(out))
    assert (result.exit_code, result.stdout) == (0, "")
    drawn = treesql.explain("paths", "sherlock", reference=FILES[0], systems=[(FILES[1], FILES[2])]).svg()
    assert out.read_text() == drawn
    assert drawn.count(">0/2<") == 2  # the determiners
    assert ">becoming ~ becomes<" in drawn
    with pytest.raises(UsageError, match=r"--format is of tables; .*x.svg is a picture"):
        run("paths", *FILES, "--explain", "sherlock", "-o", str(out), "--format", "csv")


def test_errors() -> None:
    found = rows("paths", *FILES, "--errors")
    assert [row["sent_id"] for row in found] == ["sherlock", "sherlock", "letters"]
    assert {row["system"] for row in found} == {"hypothesis.conllu"}
    assert rows("paths", *FILES, "--table", "path_differences") == found
    named = rows("paths", FILES[0], "--system", f"one={FILES[1]},{FILES[2]}", "--errors")
    assert named == [{**row, "system": "one"} for row in found]


@pytest.mark.spread(2)
@pytest.mark.parametrize("costs", ["structure", "deprel", "aligned", "aligned_strict"])
def test_trees(costs: str) -> None:
    links = ["--alignment", FILES[2]] if costs.startswith("aligned") else []
    [row] = rows("trees", *FILES[:2], "--costs", costs, *links)
    total = {"structure": 5, "deprel": 5, "aligned": 10, "aligned_strict": 11}[costs]
    assert row == {"system": "hypothesis.conllu", "tree_edit": total, "tree_edit_normalised": total / 31}
    if costs == "structure":
        assert rows("trees", *FILES[:2], "--costs", costs, "--by", "sentence")[0]["sentence"] == 0
    system = f"one={','.join([FILES[1], *links[1:]])}"
    assert rows("trees", FILES[0], "--system", system, "--costs", costs) == [{**row, "system": "one"}]


def test_an_alignment_chooses_the_costs_that_need_it() -> None:
    [row] = rows("trees", *FILES[:2], "--alignment", FILES[2])
    assert row["tree_edit"] == 10


@pytest.mark.slow
def test_from_a_database(tmp_path: Path) -> None:
    path = str(tmp_path / "t.duckdb")
    with treesql.connect(path) as db:
        for corpus, file in zip(("reference", "hypothesis", "links"), FILES, strict=True):
            db.load(file, corpus=corpus)
    [row] = rows("paths", "reference", "hypothesis", "links", "--db", path)
    assert row == {**rows("paths", *FILES)[0], "system": "hypothesis"}
    [row] = rows("trees", "reference", "hypothesis", "--costs", "aligned", "--alignment", "links", "--db", path)
    assert row["tree_edit"] == 10


def test_signatures() -> None:
    told = run("paths", *FILES, "--signature").stdout
    assert "disparity,maximum,distance,distance_macro,sentences" in told
    assert "|reference:reference.conllu@" in told
    assert "alignment:reference-hypothesis.align@" in told
    assert (
        "tree_edit,tree_edit_normalised|costs:structure|"
        in run("trees", *FILES[:2], "--costs", "structure", "--signature").stdout
    )


@in_turn(
    ("arguments", "what"),
    [
        (["paths", *FILES, "--explain", "nobody"], "unknown sentence"),
        (["paths", *FILES, "--explain", "rain", "--by", "sentence"], "--explain draws one sentence; leave out"),
        (["paths", *FILES, "--explain", "rain", "--wide"], "--explain draws one sentence; leave out"),
        (["paths", *FILES, "--explain", "rain", "--limit", "1"], "--explain draws one sentence; leave out"),
        (["paths", *FILES, "--explain", "rain", "--sort", "n"], "--explain draws one sentence; leave out"),
        (["paths", *FILES, "--errors", "--where", "disparity > 1"], "are for scores"),
        (["paths", *FILES, "--errors", "--explain", "rain"], "--explain draws one sentence; leave out"),
        (["paths", *FILES, "--by", "colour"], "colour"),
        (["paths", *FILES, "--reverse"], "base and direction of the alignment right"),
        (["paths", *FILES, "--base", "1"], "words count from 1 here"),
        (["paths", FILES[0], FILES[1], FILES[0]], "reference.conllu has dependency trees, and alignment is for"),
        (["paths", FILES[0], "nothing.conllu", FILES[2]], "nothing.conllu"),
        (["trees", *FILES[:2], "--costs", "aligned"], "--alignment FILE"),
        (["trees", *FILES[:2], "--alignment", FILES[2], "--costs", "deprel"], "does not read --alignment FILE"),
        (["trees", FILES[0], str(FIXTURES / "gold.mrg")], "gold.mrg has constituency trees, and hypothesis is for"),
        (["paths", *FILES, FILES[1]], f"{FILES[1]} is one too many; name REFERENCE HYPOTHESIS ALIGNMENT"),
        (["paths", *FILES[:2]], "ALIGNMENT is missing; name REFERENCE HYPOTHESIS ALIGNMENT"),
        (["paths", *FILES, "--system", "a=b,c"], "give systems as HYPOTHESIS ALIGNMENT, or with --system, not both"),
        (["paths", FILES[0], "--system", f"a={FILES[1]}"], "name the alignment: ALIGNMENT"),
        (["paths", FILES[0], "--system", "a=b,c,d"], "is NAME=HYPOTHESIS,ALIGNMENT, and 3 are given"),
    ],
)
def test_one_clear_line_and_exit_code_2(arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["score", *arguments])
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert what in told
    assert "Traceback" not in told
