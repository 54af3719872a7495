"""Curves over the lattice cases: recorded scores, edges that fall away, and an arbiter fitted on one half of them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conformance.cases import needs
from tests.conformance.lattices import FOLDER, corpus_row, expected_rows, near, write_lattices, write_texts
from tests.conftest import thorough_but
from tests.extras import require_extra
from tests.lattice_tasks import lattice_task
from treesql.evaluation.task import Task
from treesql.lattices import arbiter, curve_points, tau_tables
from treesql.lattices.arbiter import PruningCut

pytestmark = needs(FOLDER)

LEVELS = (1, 4)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lattices, decoded paths and first references of both sets."""
    folder = tmp_path_factory.mktemp("curves")
    for name in ("fisher", "pud"):
        lattices = pl.read_parquet(FOLDER / name / "lattices.parquet").sort("lattice_id")
        edges = pl.read_parquet(FOLDER / name / "edges.parquet").sort("lattice_id", "edge_id")
        write_texts(folder / f"{name}.txt", [one[0] for one in lattices["refs"].to_list()])
        for k in LEVELS:
            packed = edges.filter(pl.col("rank") < k).group_by("lattice_id", maintain_order=True)
            rows = packed.agg("src", "dst", "words").iter_rows(named=True)
            write_lattices(
                folder / f"{name}{k}.jsonl",
                [
                    (n, list(zip(one["src"], one["dst"], one["words"], strict=True)))
                    for n, one in zip(lattices["n_nodes"], rows, strict=True)
                ],
            )
            write_texts(folder / f"{name}{k}.txt", expected_rows(name, k)["onebest"].to_list())
    return folder


def task(files: Path, name: str) -> Task:
    return lattice_task([str(files / f"{name}{k}.jsonl") for k in LEVELS], [str(files / f"{name}.txt")])


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_but(["fisher", "pud"], "pud"))
def test_points(files: Path, name: str) -> None:
    names = ["ger_rate", "swcd", "bleu", "wer", "oracle_wer"]
    hypotheses = [str(files / f"{name}{k}.txt") for k in LEVELS]
    for k, row in zip(
        LEVELS, curve_points.find_points(task(files, name), names, hypotheses).result().rows(), strict=True
    ):
        expected = corpus_row(name, k)
        assert row["density"] == near(expected["density_micro"])
        assert row["ger_rate"] == row["oracle_wer"] == near(expected["ger_sum"] / expected["ref_words"])
        assert row["swcd"] == near(expected["swcd_bounded1"])
        assert 100 * row["bleu"] == near(expected["onebest_sacrebleu"])
        assert row["wer"] == near(expected["onebest_jiwer_wer"])


@pytest.mark.parametrize("name", [pytest.param("fisher", marks=pytest.mark.compiled), "pud"])
def test_pruned_shares(files: Path, name: str) -> None:
    """Some tau equal the threshold but for the last digit of floating point numbers, on either side."""
    recorded = [row for row in json.loads((FOLDER / name / "prune.json").read_text()) if row["k"] in LEVELS]
    thresholds = sorted({row["threshold"] for row in recorded})
    around = [threshold + distance for threshold in thresholds for distance in (-1e-9, 0, 1e-9)]
    found = tau_tables.find_tables(task(files, name), ["pruned"], around)["pruned"].rows()
    exact = 0
    for row, below, at, above in zip(recorded, found[::3], found[1::3], found[2::3], strict=True):
        assert at["edges"] == row["edges"]
        assert below["pruned"] <= row["failing_edges"] <= above["pruned"]
        assert at["pruned"] == row["failing_edges"] or below["pruned"] < above["pruned"]
        exact += at["pruned"] == row["failing_edges"]
    assert exact >= len(recorded) - 2


K = 4
HALF = 100


def half(folder: Path, first: int) -> Task:
    """Lattices with their scores, and first references."""
    lattices = pl.read_parquet(FOLDER / "fisher" / "lattices.parquet").sort("lattice_id")[first : first + HALF]
    edges = (
        pl.read_parquet(FOLDER / "fisher" / "edges.parquet").filter(pl.col("rank") < K).sort("lattice_id", "edge_id")
    )
    packed = edges.group_by("lattice_id", maintain_order=True).agg("src", "dst", "words", "score")
    rows = lattices.join(packed, on="lattice_id", maintain_order="left").rows(named=True)
    told = [
        {
            "n_nodes": row["n_nodes"],
            "edges": list(zip(*(row[name] for name in ("src", "dst", "words", "score")), strict=True)),
        }
        for row in rows
    ]
    (folder / f"{first}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in told))
    (folder / f"{first}.txt").write_text("".join(" ".join(row["refs"][0]) + "\n" for row in rows))
    return lattice_task([str(folder / f"{first}.jsonl")], [str(folder / f"{first}.txt")])


@pytest.mark.slow
@pytest.mark.parametrize("label", thorough_but(["tau", "path"], "tau"))
def test_an_arbiter_beats_chance(tmp_path: Path, label: str) -> None:
    require_extra("arbiter")
    judge = arbiter.fit(arbiter.examples(half(tmp_path, 0)).arrow(), label=label)
    found = arbiter.apply(half(tmp_path, HALF), judge, PruningCut(share=0.5)).rows()
    rows = {row["pruning"]: row for row in found}
    for peer in ("random", "oracle"):  # a few more edges, as one that fails may take others with it
        assert 0 <= rows[peer]["edges"] - rows["arbiter"]["edges"] <= 10
    assert rows["arbiter"]["ger"] < rows["random"]["ger"]
    assert rows["arbiter"]["ger_p"] < 0.01
    assert rows["oracle"]["swcd"] < rows["none"]["swcd"]
