"""Performance-density graphs: against numbers computed by hand and by removing edges."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import treesql
from tests.house.rules import in_turn
from tests.lattice_tasks import lattice_task
from tests.lattices.curved_lattices import DENSE, MIDDLE, SPARSE, sigma2_and_redundancy, tau
from tests.reports.pages import check_page
from treesql.cli import group
from treesql.errors import TreesqlError, UnknownName, UsageError
from treesql.evaluation.task import Task
from treesql.lattices import curve_points, density_curves, tau_tables
from treesql.lattices.curve_names import CURVE_TABLES
from treesql.lattices.density_curves import CurveOptions, compare_orders


def task(*names: str, **how: object) -> Task:
    return lattice_task([f"{name}.jsonl" for name in names], ["reference.txt"], **how)  # type: ignore[arg-type]


def test_points_sparsest_first(curved: Path) -> None:
    found = curve_points.find_points(task("dense", "sparse", "middle")).result()
    assert found.columns == ["system", "density", "ger_rate", "swcd"]
    assert [row["system"] for row in found.rows()] == ["sparse.jsonl", "middle.jsonl", "dense.jsonl"]
    assert [row["density"] for row in found.rows()] == [0.75, 1, 2]
    assert [row["ger_rate"] for row in found.rows()] == pytest.approx([1 / 3, 0, 0])
    for row, edges in zip(found.rows(), (SPARSE, MIDDLE, DENSE), strict=True):
        sigma2, redundancy = sigma2_and_redundancy(edges)
        assert row["swcd"] == pytest.approx(math.sqrt(sigma2) / redundancy / 4)
    assert set(found.signatures) == {f"{row['system']}:{name}" for row in found.rows() for name in found.columns[1:]}
    assert "ger_rate" in found.percent


@pytest.mark.thorough
def test_translations_beside_lattices(curved: Path) -> None:
    names = ["oracle_wer", "ger", "wer", "oracle_bleu"]
    hypotheses = ["dense.txt", "sparse.txt", "middle.txt"]
    found = curve_points.find_points(task("dense", "sparse", "middle"), names, hypotheses).result()
    assert found.columns[2:] == names
    assert [row["oracle_wer"] for row in found.rows()] == pytest.approx([1 / 3, 0, 0])
    assert [row["wer"] for row in found.rows()] == pytest.approx([1 / 3, 0, 1])
    assert [row["ger"] for row in found.rows()] == [1, 0, 0]
    assert "measure:ger" in found.signatures["dense.jsonl:oracle_wer"]
    assert found.signatures["dense.jsonl:wer"].startswith("wer|lowercase:no|")


def test_search_errors_of_outputs(curved: Path) -> None:
    """Of `a x c` and `a b c` the output is the first, which has the greater cost in the lattice of both."""
    for name, edges in (("sparse", SPARSE), ("middle", MIDDLE)):
        scored = [[*edge, {"x": 2.0}.get(edge[2][0], 0.0)] for edge in edges]  # type: ignore[index]
        (curved / f"{name}.jsonl").write_text(json.dumps({"n_nodes": 4, "edges": scored}) + "\n")
    files, output = ["middle.jsonl", "sparse.jsonl"], ["sparse.txt"] * 2
    metrics = ["search_error_share", "ger", "search_errors"]
    study = treesql.lattices.curve(
        *files, reference="reference.txt", metric=metrics, hypotheses=output, score_sense="cost"
    )
    assert study.points.columns[2:] == metrics
    assert [tuple(row.values())[2:] for row in study.points.rows()] == [(0, 1, 0), (1, 0, 1)]
    assert {"search_error_share"} == study.points.percent
    for factor, expected in (("-1", [0, 1]), ("1", [0, 0])):
        weighted = treesql.lattices.curve(
            *files, reference="reference.txt", metric="search_errors", hypotheses=output, edge_weights=factor
        )
        assert [row["search_errors"] for row in weighted.points.rows()] == expected
        assert f"edge_weights:{factor}" in weighted.points.signatures["middle.jsonl:search_errors"]


@pytest.mark.thorough
def test_points_from_a_database(curved: Path) -> None:
    with treesql.connect("a.duckdb") as db:
        for name in ("sparse", "middle"):
            db.load(f"{name}.jsonl", corpus=name)
            db.load(f"{name}.txt", corpus=f"{name} decoded")
        db.load("reference.txt", corpus="reference")
    wanted = lattice_task(["middle", "sparse"], ["reference"], database="a.duckdb")
    found = curve_points.find_points(
        wanted, ["wer", "oracle_wer"], ["middle decoded", "sparse decoded"], macro=True
    ).result()
    assert [tuple(row.values()) for row in found.rows()] == [
        ("sparse", 0.75, pytest.approx(1 / 3), pytest.approx(1 / 3)), ("middle", 1, 0, 0)
    ]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [1 / 3, 1 / 3]),
        ({"edge_weights": "2"}, [1 / 3, 1 / 3]),
        ({"edge_weights": "-1"}, [1 / 3, 0]),
        ({"scores": "cost"}, [1 / 3, 0]),
    ],
)
def test_paths_with_the_best_scores(curved: Path, how: dict[str, str], expected: list[float]) -> None:
    """Of `a x c` and `a b c`, the second has the greater cost: beside the nearest path, also of pruned lattices."""
    cost = {"x": -1.0, "b": -2.0}
    for name, edges in (("sparse", SPARSE), ("middle", MIDDLE)):
        scored = [[*edge, cost.get(edge[2][0], 0.0)] for edge in edges]  # type: ignore[index]
        (curved / f"{name}.jsonl").write_text(json.dumps({"n_nodes": 4, "edges": scored}) + "\n")
    files = ["middle.jsonl", "sparse.jsonl"]
    metrics = ["oracle_wer", "best_wer", "best_error_rate"]
    study = treesql.lattices.curve(*files, reference="reference.txt", metric=metrics, thresholds=[-100], **how)
    rows = study.points.rows()
    assert [row["threshold"] for row in rows] == [None, None, -100, -100]
    assert [row["oracle_wer"] for row in rows] == pytest.approx([1 / 3, 0] * 2)
    assert [row["best_wer"] for row in rows] == pytest.approx(expected * 2)
    assert [row["best_error_rate"] for row in rows] == pytest.approx(expected * 2)
    [cited] = [text for name, text in study.points.signatures.items() if name == "middle.jsonl:best_wer"]
    assert "|measure:score" in cited
    assert ("edge_weights" in cited) == ("edge_weights" in how)
    alone = treesql.lattices.curve(*files, reference="reference.txt", metric="oracle_wer", measure="score", **how)
    assert [row["oracle_wer"] for row in alone.points.rows()] == pytest.approx(expected)


def test_three_ways_to_one_number(curved: Path) -> None:
    found = curve_points.find_points(task("dense", "sparse", "middle"), ["ger"]).result()
    asked = CurveOptions(at=[0.875], between=[(0.75, 1.5)], shapes=["line"])
    rows = density_curves.summarise(found, asked).rows()
    assert [(row["way"], row["parameter"], row["value"]) for row in rows[:3]] == [
        ("interpolated", "0.875", 0.5),
        ("integral", "0.75 to 1.5", 0.125),
        ("mean", "0.75 to 1.5", pytest.approx(1 / 6)),
    ]  # fmt: skip
    assert [row["parameter"] for row in rows[3:]] == ["level", "slope", "r_squared"]
    x, y = [0.75, 1, 2], [1, 0, 0]
    slope = sum((a - 1.25) * (b - 1 / 3) for a, b in zip(x, y, strict=True)) / sum((a - 1.25) ** 2 for a in x)
    assert rows[4]["value"] == pytest.approx(slope)
    usual = density_curves.summarise(found, CurveOptions()).rows()
    assert [row["way"] for row in usual] == ["integral", "mean", "logarithm", "logarithm", "logarithm"]
    assert usual[0]["value"] == pytest.approx(0.125)


def test_a_line_to_another_metric(curved: Path) -> None:
    found = curve_points.find_points(task("dense", "sparse", "middle"), ["ger", "swcd"]).result()
    [row] = density_curves.fit_lines(found, "swcd").rows()
    assert (row["metric"], row["predicted"], row["points"]) == ("ger", "swcd", 3)
    a, b, c = [one["swcd"] for one in found.rows()]
    assert row["intercept"] == pytest.approx((b + c) / 2)
    assert row["slope"] == pytest.approx(a - (b + c) / 2)
    # ger is 1, 0, 0: two pairs differ in both, and tau-b is their surplus over the root of 2 * 3
    alike = (a > b) + (a > c)
    assert (row["pairs"], row["agreement"]) == (2, alike / 2)
    assert row["kendall"] == pytest.approx((2 * alike - 2) / math.sqrt(2 * 3))
    assert row["kendall_p"] == pytest.approx(1 if alike == 1 else 2 / 3)


@pytest.mark.parametrize(("predicted", "agreement"), [("bleu", 1), ("oracle_bleu", 1), ("wer", 0), ("n_words", 1)])
def test_a_cost_agrees_with_a_gain_in_the_opposite_order(predicted: str, agreement: int) -> None:
    found = compare_orders("swcd", predicted, [0.3, 0.2, 0.1], [1, 2, 3])
    assert (found["kendall"], found["pairs"], found["agreement"]) == (pytest.approx(-1), 3, agreement)
    assert compare_orders("swcd", predicted, [0.3, 0.2], [1, 1])["agreement"] is None


def test_pruned_shares_by_removal(curved: Path) -> None:
    thresholds = [-5, -1, 0, 0.5, 1, 4]
    for raw in (False, True):
        found = tau_tables.find_tables(task("sparse", "dense"), ["pruned"], thresholds, raw=raw)["pruned"].rows()
        assert [row["threshold"] for row in found] == [*thresholds, *thresholds]
        for at, row in enumerate(found):
            edges = SPARSE if at < len(thresholds) else DENSE
            least = row["threshold"] / (1 if raw else len(edges))
            failing = sum(tau(edges, edge) < least for edge in range(len(edges)))
            assert (row["edges"], row["pruned"]) == (len(edges), failing)
            assert row["pruned_share"] == failing / len(edges)


def test_logistic_growth_of_pruned_shares(curved: Path) -> None:
    shares = tau_tables.find_tables(task("sparse", "dense"), ["pruned"], curve_points.thresholds_between(-8, 8))[
        "pruned"
    ]
    found = tau_tables.fit_growth(shares)
    assert [row["system"] for row in found.rows()] == ["sparse.jsonl", "dense.jsonl"]
    assert all(row["growth"] > 0 and row["thresholds"] == 41 for row in found.rows())
    assert curve_points.thresholds_between(-2, 2)[20:22] == [0, 0.1]


def test_an_empty_reference_prunes_nothing(curved: Path) -> None:
    (curved / "reference.txt").write_text("\n")
    found = tau_tables.find_tables(task("sparse"), ["pruned"], [0.0, 5.0])["pruned"].rows()
    assert [row["pruned"] for row in found] == [0, 0]


@in_turn(
    ("names", "metrics", "hypotheses", "told"),
    [
        (["dense"], [], [], "lattices of two densities at least"),
        (["dense", "../{}/dense"], [], [], "have the same density, 2"),
        (["dense", "sparse"], ["bleu"], [], "bleu is of translations: name hypotheses"),
        (["dense", "sparse"], ["ger"], ["a", "b"], "do not apply without a score of theirs"),
        (["dense", "sparse"], ["search_errors"], [], "search_errors is of the output of a decoder: name it"),
        (["dense", "sparse"], ["bleu"], ["dense.txt"], "2 of lattices and 1 of hypotheses"),
        (["dense", "sparse"], ["density"], [], "is the x-axis of the curve"),
    ],
)
def test_what_is_no_curve_is_told(
    curved: Path, names: list[str], metrics: list[str], hypotheses: list[str], told: str
) -> None:
    given = [name.format(curved.name) for name in names]
    with pytest.raises(UsageError, match=told):
        curve_points.find_points(task(*given), metrics, hypotheses).result()


def test_names_are_told(curved: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean swcd"):
        curve_points.find_points(task("dense", "sparse"), ["swdc"]).result()
    with pytest.raises(UnknownName, match="measure"):
        curve_points.find_points(task("dense", "sparse"), ["oracle_wer"], measure="wer").result()
    found = curve_points.find_points(task("dense", "sparse"), ["ger"]).result()
    with pytest.raises(UnknownName, match="metric of the curve"):
        density_curves.fit_lines(found, "bleu")
    with pytest.raises(UsageError, match="name another metric to predict ger from"):
        density_curves.fit_lines(found, "ger")


def run(*arguments: str) -> Result:
    names = ["dense.jsonl", "sparse.jsonl", "middle.jsonl", "-r", "reference.txt"]
    return CliRunner().invoke(group, ["lattice", "curve", *names, *arguments], catch_exceptions=False)


@pytest.mark.slow
def test_the_command_prints_each_table(curved: Path) -> None:
    rows = json.loads(run("--format", "json").stdout)
    assert [row["ger_rate"] for row in rows] == pytest.approx([1 / 3, 0, 0])
    rows = json.loads(run("--table", "numbers", "--at", "1.5", "--metric", "ger", "--format", "json").stdout)
    assert rows == [
        {"metric": "ger", "way": "interpolated", "parameter": "1.5", "value": 0, "value_low": None, "value_high": None}
    ]
    rows = json.loads(run("--table", "line", "--to", "swcd", "--format", "json").stdout)
    assert [row["metric"] for row in rows] == ["ger_rate"]
    rows = json.loads(run("--table", "pruned", "--thresholds", "-2:2", "--format", "json").stdout)
    assert len(rows) == 3 * 41
    assert len(run("--table", "growth", "--format", "csv").stdout.splitlines()) == 4
    assert "ger_rate,swcd|lattice:dense.jsonl@" in run("--signature").stdout


@pytest.mark.slow
def test_the_command_draws_and_reports(curved: Path) -> None:
    run("--chart", "points.svg", "--fit", "logarithm", "-o", "points.parquet")
    svg = (curved / "points.svg").read_text()
    assert all(f">{text}<" in svg for text in ("ger_rate", "swcd", "logarithm"))
    table = pq.read_table("points.parquet")
    assert table.num_rows == 3
    assert b"swcd|" in table.schema.metadata[b"signature"]
    run("--table", "line", "--to", "swcd", "--chart", "line.svg", "-o", "x.csv")
    assert "<svg" in (curved / "line.svg").read_text()
    page = ["--report", "-o", "page.html", "--data", "data", "--to", "swcd", "--at", "1.5"]
    assert "ger_rate" in run(*page).stdout
    [heading, *_] = check_page((curved / "page.html").read_text()).headings
    assert re.fullmatch(r"ger_rate goes from [\d.]+% at density [\d.]+ to [\d.]+% at density [\d.]+", heading[1])
    assert "Linear prediction" in (curved / "page.html").read_text()
    written = {file.name for file in (curved / "data").iterdir()}
    of_one_system = [name for name in CURVE_TABLES if name != "differences"]
    assert written >= {f"{name}.parquet" for name in of_one_system} | {"points.svg", "pruned.svg"}


@in_turn(
    ("arguments", "told"),
    [
        (["--table", "line"], "needs the metric"),
        (["--raw-threshold", "--table", "pruned"], "name them with --thresholds"),
        (["--to", "swcd"], "--to is for --table line"),
        (["--chart", "a.gif"], "nothing is written as .gif; name a file that ends in .svg, .png or .pdf$"),
        (["--at", "1", "--table", "pruned"], "--at is for --table numbers or differences"),
        (["--between", "1", "2"], "--between is for --table numbers"),
        (["--fit", "line"], "--fit is for --table numbers, and for the picture"),
        (["--thresholds", "1,2", "--table", "spans"], "--thresholds and --raw-threshold are for"),
        (["--table", "pruned", "--thresholds", "2:1"], "from a smaller to a greater number"),
        (["--table", "pruned", "--metric", "ger"], "--metric, --hypothesis and --macro are for"),
        (["--table", "numbers", "--at", "1e9"], r"1e\+09 is outside"),
        (["--measure", "pmed"], "name metrics that begin with oracle_"),
        (["--edge-weights", "1"], "name metrics that begin with best_, or with oracle_ and --measure score"),
        (["--edge-weights", "1", "--table", "growth"], "--edge-weights is for --table points"),
        (["--report"], "nothing is written as .csv; name a file that ends in .html or .htm$"),
        (["--data", "d"], "--data is for the tables behind a page"),
        (["--metric", "best_bleu"], "edge 0 of lattice 1 has 0 scores, as all edges"),
    ],
)
def test_options_of_no_use_are_refused(curved: Path, arguments: list[str], told: str) -> None:
    with pytest.raises(TreesqlError, match=told):
        run(*arguments, "-o", "out.csv")
    assert not (curved / "out.csv").exists()


def test_a_report_needs_a_page(curved: Path) -> None:
    with pytest.raises(UsageError, match="--report needs a page to write"):
        run("--report")
