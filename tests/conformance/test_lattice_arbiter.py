"""An arbiter fitted on one half of the lattices of the cases, and the other half pruned by it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conformance.cases import needs
from tests.conformance.lattices import FOLDER
from tests.conftest import thorough_but
from tests.extras import require_extra
from tests.lattice_tasks import lattice_task
from treesql.evaluation.task import Task
from treesql.lattices import arbiter
from treesql.lattices.arbiter import PruningCut

pytestmark = needs(FOLDER)

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
