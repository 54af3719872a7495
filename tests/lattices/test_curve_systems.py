"""Curves of several systems, thresholds and bounds: what each alone has, together; differences, pictures, faults."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import treesql
from tests.house.rules import in_turn
from tests.lattices.curved_lattices import DENSE, MIDDLE, SPARSE, tau
from treesql import lattices
from treesql.cli import group
from treesql.errors import TreesqlError, TreesqlWarning, UnknownName, UsageError
from treesql.lattices import curve_points
from treesql.lattices.curve_points import parse_systems, parse_thresholds

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

SYSTEMS = {"epps": ["sparse.jsonl", "dense.jsonl"], "un": ["un1.jsonl", "un2.jsonl"]}
GIVEN: dict[str, Any] = {"system": SYSTEMS, "reference": "reference.txt"}


@pytest.fixture
def systems(curved: Path) -> Path:
    """Two sentences; the second system has z and w in place of b and x, at the densities 0.75 and 2."""
    made: dict[str, list[list[Any]]] = {"sparse": SPARSE, "middle": MIDDLE, "dense": DENSE}
    made |= {name: [[a, b, [{"b": "z", "x": "w"}.get(word, word) for word in words]] for a, b, words in made[of]]
             for name, of in (("un1", "sparse"), ("un2", "dense"))}  # fmt: skip
    for name, edges in made.items():
        lines = [json.dumps({"n_nodes": 4, "edges": one}) for one in (edges, [*edges[:-1], [2, 3, ["q"]]])]
        (curved / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (curved / "reference.txt").write_text("a b c\na b q\n")
    return curved


def rows(found: treesql.Result, *, without: tuple[str, ...] = (), **wanted: object) -> list[dict[str, Any]]:
    """The rows that have these values, without these columns and some columns."""
    return [
        {name: value for name, value in row.items() if name not in (*without, *wanted)}
        for row in found.rows()
        if all(row[name] == value for name, value in wanted.items())
    ]


@pytest.mark.slow
def test_every_system_has_the_curve_that_it_has_alone(systems: Path) -> None:
    study = lattices.curve(**GIVEN, metric="ger_rate,swcd,oracle_bleu", at=[1.5], fit="line")
    assert study.points.columns == ["system", "lattices", "density", "ger_rate", "swcd", "oracle_bleu"]
    assert repr(study).startswith("<treesql.lattices.CurveStudy of ger_rate, swcd, oracle_bleu: lattices of 4 files of")
    assert "<svg" in study._repr_html_()
    assert study._repr_html_().endswith(study.points._repr_html_())
    assert study.points.arrow()["system"].to_pylist() == ["epps", "epps", "un", "un"]
    for name, files in SYSTEMS.items():
        alone = lattices.curve(
            *files, reference="reference.txt", metric="ger_rate,swcd,oracle_bleu", at=[1.5], fit="line"
        )
        own = [{"system": row.pop("lattices"), **row} for row in rows(study.points, system=name)]
        assert own == alone.points.rows()
        assert rows(study.numbers, system=name) == alone.numbers.rows()
        assert {key: study.points.signatures[key] for key in alone.points.signatures} == alone.points.signatures
    [best, *_] = rows(study.points, system="epps", lattices="dense.jsonl")
    assert best["ger_rate"] == 0  # the dense lattices contain both references


@pytest.mark.slow
def test_differences_are_those_of_compare_at_the_densities_of_points(systems: Path) -> None:
    """At a density that both systems have, with the same draws."""
    found = lattices.curve(**GIVEN, metric="ger_rate,swcd").differences
    assert [row["density"] for row in rows(found, metric="swcd")] == [0.75, 2]
    for density, a, b in ((0.75, "sparse.jsonl", "un1.jsonl"), (2, "dense.jsonl", "un2.jsonl")):
        compared = treesql.compare(
            "lattice", systems={"epps": a, "un": b}, reference="reference.txt", metric=["ger_rate", "swcd"]
        )
        for row in compared.rows():
            [own] = rows(found, metric=row["metric"], density=density)
            for name in ("score_a", "score_b", "difference", "difference_low", "difference_high", "sentences"):
                assert own[name] == pytest.approx(row[name], abs=1e-12), name
    assert "bootstrap:10000|seed:12345" in found.signature


@pytest.mark.slow
def test_differences_of_thresholds_are_those_of_pruned_files(systems: Path) -> None:
    files = SYSTEMS["epps"]
    given: dict[str, Any] = {"reference": "reference.txt", "metric": "ger_rate,swcd", "density_of": "unpruned"}
    found = lattices.curve(*files, thresholds=[0, -1], **given).differences
    assert found.columns[0] == "metric"
    for file in files:
        treesql.lattices.prune(file, reference="reference.txt", threshold=0, out=f"pruned-{file}")
    pruned = {"unpruned": files, "0": [f"pruned-{file}" for file in files]}
    wanted = lattices.curve(system=pruned, **given).differences.rows()
    assert len(wanted) == 4
    assert any(row["difference"] for row in wanted)
    assert rows(found, system_a="unpruned", system_b="threshold 0") == [
        {name: value for name, value in row.items() if name not in ("system_a", "system_b")} for row in wanted
    ]
    assert {(row["system_a"], row["system_b"]) for row in found.rows()} == {
        ("unpruned", "threshold -1"), ("unpruned", "threshold 0"), ("threshold -1", "threshold 0"),
    }  # fmt: skip


@pytest.mark.thorough
def test_differences_between_points_lie_on_straight_lines(systems: Path) -> None:
    study = lattices.curve(**GIVEN, metric="swcd", at=[1.0])
    [found] = study.differences.rows()
    ends = {row["lattices"]: row["swcd"] for row in study.points.rows()}
    share = (1 - 0.75) / (2 - 0.75)
    wanted = [(1 - share) * ends[a] + share * ends[b] for a, b in SYSTEMS.values()]
    assert [found["score_a"], found["score_b"]] == pytest.approx(wanted)
    assert found["difference"] == pytest.approx(wanted[0] - wanted[1])
    assert found["difference_low"] <= found["difference"] <= found["difference_high"]


@pytest.mark.thorough
def test_differences_of_three_systems_are_those_of_every_pair(systems: Path) -> None:
    for name in ("sparse", "dense"):
        (systems / f"third-{name}.jsonl").write_bytes((systems / f"{name}.jsonl").read_bytes())
    three = SYSTEMS | {"third": ["third-sparse.jsonl", "third-dense.jsonl"]}
    given: dict[str, Any] = {"reference": "reference.txt", "metric": "swcd", "at": [1.0]}
    found = lattices.curve(system=three, **given).differences
    pairs = [("epps", "un"), ("epps", "third"), ("un", "third")]
    assert [(row["system_a"], row["system_b"]) for row in found.rows()] == pairs
    for row in found.rows():
        both = {name: three[name] for name in (row["system_a"], row["system_b"])}
        assert lattices.curve(system=both, **given).differences.rows() == [row]
    assert found.rows()[1]["difference"] == 0, "epps and third have the same lattices"


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.thorough
def test_pruned_curves_are_those_of_written_files(systems: Path, raw: bool) -> None:
    thresholds = [0.5] if raw else [-1.0]
    study = lattices.curve(
        "sparse.jsonl", "dense.jsonl", reference="reference.txt", thresholds=thresholds, raw_threshold=raw,
        metric="ger,pmed,swcd,oracle_bleu",
    )  # fmt: skip
    plain = lattices.curve("sparse.jsonl", "dense.jsonl", reference="reference.txt", metric="ger,pmed,swcd,oracle_bleu")
    assert rows(study.points, threshold=None) == plain.points.rows()
    for threshold in thresholds:
        for name in ("sparse", "dense"):
            report = lattices.prune(
                f"{name}.jsonl", reference="reference.txt", threshold=threshold, raw_threshold=raw, out="pruned.jsonl"
            ).rows()[0]
            scored = treesql.score("lattice", systems="pruned.jsonl", reference="reference.txt",
                                   metric=["density", "ger", "pmed", "swcd"]).rows()[0]  # fmt: skip
            [own] = rows(study.points, threshold=threshold, system=f"{name}.jsonl")
            assert own.pop("oracle_bleu") == pytest.approx(report["oracle_bleu_after"])
            assert own == {name: pytest.approx(scored[name]) for name in own}
            [before] = rows(plain.points, system=f"{name}.jsonl")
            assert report["oracle_bleu_before"] == before["oracle_bleu"]


@pytest.mark.thorough
def test_pruned_lattices_stand_at_other_densities(systems: Path) -> None:
    files = {"reference": "reference.txt", "metric": "ger", "thresholds": [0, 2]}
    own = lattices.curve("sparse.jsonl", "dense.jsonl", **files, density_of="unpruned").points  # type: ignore[arg-type]
    assert own.arrow()["density"].to_pylist() == [0.75, 2] * 3
    of_system = lattices.curve(
        system={"a": ["sparse.jsonl", "dense.jsonl"], "b": ["un1.jsonl", "middle.jsonl"]},
        reference="reference.txt", metric="ger", density_of="a",
    )  # fmt: skip
    with pytest.warns(TreesqlWarning, match="1 of 2 lattices lack words of un1"):
        assert of_system.points.arrow()["density"].to_pylist() == [0.75, 2] * 2
    of_system = lattices.curve(**GIVEN, metric="ger", density_of="un")
    assert of_system.points.arrow()["density"].to_pylist() == [0.75, 2, 0.75, 2]


@pytest.mark.thorough
def test_several_bounds_of_the_redundancy(systems: Path) -> None:
    found = lattices.curve("sparse.jsonl", "dense.jsonl", reference="reference.txt", metric="swcd",
                           min_redundancy=[0, 0.5, 1]).points  # fmt: skip
    for least in (0, 0.5, 1):
        alone = lattices.curve("sparse.jsonl", "dense.jsonl", reference="reference.txt", metric="swcd",
                               min_redundancy=least).points  # fmt: skip
        assert rows(found, min_redundancy=least) == alone.rows()
        assert f"min_redundancy:{float(least)}" in found.signatures[f"sparse.jsonl by {least:g}:swcd"]


@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.thorough
def test_a_row_per_threshold_is_that_of_each_alone(systems: Path, greedy: bool) -> None:
    found = lattices.prune("dense.jsonl", reference="reference.txt", threshold=[2, -1], greedy=greedy)
    assert found.arrow()["threshold"].to_pylist() == [-1, 2]
    for threshold in (-1, 2):
        alone = lattices.prune("dense.jsonl", reference="reference.txt", threshold=threshold, greedy=greedy)
        assert rows(found, threshold=threshold) == alone.rows()


def test_several_thresholds_have_no_file(systems: Path) -> None:
    with pytest.raises(UsageError, match=r"several thresholds have a row each, and out\.jsonl has no place for them"):
        lattices.prune("dense.jsonl", reference="reference.txt", threshold=[0, 1], out="out.jsonl")
    assert not Path("out.jsonl").exists()


def test_spans_and_quantiles_by_removal(curved: Path) -> None:
    """Of one lattice and its reference, a b c, by real removal of every edge."""
    study = lattices.curve("sparse.jsonl", "middle.jsonl", "dense.jsonl", reference="reference.txt")
    for row, edges in zip(study.spans.rows(), (SPARSE, MIDDLE, DENSE), strict=True):
        taus = [tau(edges, at) for at in range(len(edges))]
        assert row["span"] == pytest.approx(max(taus) - min(taus))
        assert (row["n_edges"], row["edges_per_node"], row["density"]) == (len(edges), len(edges) / 4, len(edges) / 4)
    found = rows(study.quantiles, quantile=0.75)
    taus = sorted(tau(DENSE, at) for at in range(8))
    assert found[2]["tau"] == pytest.approx(taus[5] + 0.25 * (taus[6] - taus[5]))
    assert found[2]["tau_normalised"] == pytest.approx(8 * found[2]["tau"])
    assert [row["n_edges"] for row in found] == [3, 4, 8]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.thorough
def test_pictures_name_what_they_show(systems: Path) -> None:
    study = lattices.curve(
        **GIVEN, metric="ger_rate,word_recall,swcd", thresholds="-1", together=["ger_rate,word_recall"], log=True
    )  # fmt: skip
    shown = texts(study.svg())
    assert {"ger_rate, word_recall", "epps, unpruned, ger_rate", "un, threshold -1, word_recall", "swcd"} <= set(shown)
    plain = lattices.curve(**GIVEN, overlay=["ger_rate,swcd"])
    overlaid = texts(plain.svg())
    assert {"epps, ger_rate and swcd, r = -1.000", "un, ger_rate and swcd"} <= set(overlaid), "one of them is constant"
    assert {"epps - un", "swcd"} <= set(texts(plain.svg("differences")))
    assert "epps, density 2" in texts(plain.svg("spans"))
    assert {"epps", "un", "75% quantile by edges"} <= set(texts(plain.svg("quantiles")))
    with pytest.raises(UnknownName, match="table"):
        plain.svg("point")
    for option, names, told in (
        ("together", ["swcd"], "name two metrics at least"),
        ("together", ["swcd,ger"], "unknown metric of the curve 'ger'"),
        ("overlay", ["swcd,ger_rate,swcd"], "name two metrics, with a comma"),
    ):
        with pytest.raises(TreesqlError, match=told):
            lattices.curve(**GIVEN, **{option: names}).svg()  # type: ignore[arg-type]


def run(*arguments: str) -> str:
    done = CliRunner().invoke(group, ["lattice", "curve", "-r", "reference.txt", *arguments], catch_exceptions=False)
    return done.stdout


@pytest.mark.slow
def test_the_command_takes_systems(systems: Path) -> None:
    named = ["--system", "epps=sparse.jsonl,dense.jsonl", "--system", "un=un1.jsonl,un2.jsonl"]
    found = json.loads(run(*named, "--metric", "ger_rate", "--format", "json"))
    assert found == lattices.curve(**GIVEN, metric="ger_rate").points.rows()


@pytest.mark.thorough
def test_the_report_has_the_differences_of_systems(systems: Path) -> None:
    named = ["--system", "epps=sparse.jsonl,dense.jsonl", "--system", "un=un1.jsonl,un2.jsonl"]
    run(*named, "--report", "out", "--metric", "ger_rate,swcd")
    page = Path("out/report.html").read_text()
    assert "Differences at equal density" in page
    assert re.findall(r'<h1 id="answer">([^<]+)', page) == ["epps is better than un in ger_rate at 1 of 2 densities"]
    assert {"differences.csv", "spans.svg", "quantiles.parquet"} <= {file.name for file in Path("out").iterdir()}


A, B = "--system=a=sparse.jsonl,dense.jsonl", "--system=b=un1.jsonl,un2.jsonl"


@pytest.mark.slow
@in_turn(
    ("arguments", "told"),
    [
        ([A, "--system=a=un1.jsonl,un2.jsonl"], "the system a is named twice; name it once, with all its files"),
        ([A, "--system=b="], "the system b has no files; write --system b=FILE,FILE,..., a file per density"),
        ([A, "--system=b=un1.jsonl"], "two densities at least of the system b; --system b=FILE,FILE,..."),
        ([A, "--system=b=un1.jsonl,,un2.jsonl"], "the system b has an empty name among its files"),
        ([A, "--system=un1.jsonl"], "--system un1.jsonl: write NAME=FILE,FILE,..., a file per density"),
        ([A, "--system=b=un1.jsonl,dense.jsonl"], "dense.jsonl is of the systems a and b; name a copy"),
        ([A, "--system=b=un1.jsonl,none.jsonl"], "none.jsonl"),
        ([A, "un1.jsonl"], "or those of several with --system, not both"),
        ([], "name lattices: LATTICES..., or --system"),
        ([A, "--system=b=short.jsonl,un2.jsonl"], "of other sentences"),
        ([A, "--system=b=short.jsonl,short2.jsonl"], "other sentences|lattices and|correspond"),
        ([A, B, "--thresholds", "0.1,x"], "`x` is no threshold; write finite numbers with commas between"),
        ([A, B, "--thresholds", "0,inf"], "`inf` is no threshold"),
        ([A, B, "--thresholds", "1,0,1"], "the threshold 1 is given twice"),
        ([A, B, "--thresholds", ","], "`` is no threshold"),
        ([A, B, "--thresholds", "3:-3"], "from a smaller to a greater number, not from 3 to -3"),
        ([A, B, "--density-of", "unpruned"], "name --thresholds, or a system"),
        ([A, B, "--density-of", "c"], "--density-of c is no system of this curve: a, b"),
        ([A, "--table", "differences"], "differences are of two systems at least"),
        ([A, B, "--table", "differences", "--at", "5"], "5 is outside of the curve of a, which goes from 0.75 to 2"),
        ([A, B, "--min-redundancy", "-1"], "--min-redundancy is -1; it is a number, 0 or more"),
        ([A, B, "--min-redundancy", "1", "--min-redundancy", "1"], "--min-redundancy 1 is given twice"),
        ([A, B, "--log"], "are for pictures: --chart FILE"),
        ([A, B, "--thresholds", "0", "--metric", "bleu", *["--hypothesis=sparse.txt"] * 4], "write these with"),
    ],
)  # fmt: skip
def test_faults_are_one_line(systems: Path, arguments: list[str], told: str) -> None:
    lines = (systems / "un1.jsonl").read_text().splitlines()
    (systems / "short.jsonl").write_text(lines[0] + "\n")
    (systems / "short2.jsonl").write_text((systems / "un2.jsonl").read_text().splitlines()[0] + "\n")
    with pytest.raises(TreesqlError, match=told) as error:
        run(*arguments)
    assert len(str(error.value).splitlines()) == 1


def test_names_and_numbers_of_several_curves() -> None:
    assert parse_systems(["a=x, y", "b=z"]) == {"a": ["x", "y"], "b": ["z"]}
    assert parse_systems({"a": Path("x"), "b": ["y", Path("z")]}) == {"a": ["x"], "b": ["y", "z"]}
    assert parse_thresholds("1,-1, 0.5") == [-1, 0.5, 1]
    assert parse_thresholds([2, -2]) == [-2, 2]
    assert parse_thresholds("-8:8") == curve_points.thresholds_between(-8, 8)
    assert len(curve_points.CURVE_KEYS) == 2
