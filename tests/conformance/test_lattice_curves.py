"""Curves over the lattice cases: recorded scores at each density, and edges that fail after real removals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conformance.cases import needs
from tests.conformance.lattices import FOLDER, corpus_row, expected_rows, near, write_lattices, write_texts
from tests.conftest import thorough_but
from tests.lattice_tasks import lattice_task
from treesql.evaluation.task import Task
from treesql.lattices import curve_points, tau_tables

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
    found = tau_tables.pruned_shares(task(files, name), around).rows()
    exact = 0
    for row, below, at, above in zip(recorded, found[::3], found[1::3], found[2::3], strict=True):
        assert at["edges"] == row["edges"]
        assert below["pruned"] <= row["failing_edges"] <= above["pruned"]
        assert at["pruned"] == row["failing_edges"] or below["pruned"] < above["pruned"]
        exact += at["pruned"] == row["failing_edges"]
    assert exact >= len(recorded) - 2
