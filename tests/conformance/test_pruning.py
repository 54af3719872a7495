"""The cases of lattice/: what every edge is worth, which edges are pruned, and the path that is kept."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import treesql
from tests.conformance.conftest import CASES, needs

FOLDER = CASES / "lattice"

pytestmark = needs(FOLDER)


def near(values: Any) -> Any:
    return pytest.approx(values, rel=1e-9, abs=1e-9)


def number(text: str) -> float:
    return float(text) if "inf" in text else float(Fraction(text))


def small() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "small" / "lattices.jsonl").read_text().splitlines()]


def write_texts(path: Path, texts: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(words) + "\n" for words in texts))
    return path


def write_set(name: str, k: int, path: Path) -> pl.DataFrame:
    """Write the lattices of a level as JSON lines; returns them with their references."""
    lattices = pl.read_parquet(FOLDER / name / "lattices.parquet").sort("lattice_id")
    edges = pl.read_parquet(FOLDER / name / "edges.parquet").filter(pl.col("rank") < k)
    packed = edges.sort("lattice_id", "edge_id").group_by("lattice_id", maintain_order=True).agg("src", "dst", "words")
    with path.open("w") as file:
        for n, one in zip(lattices["n_nodes"], packed.iter_rows(named=True), strict=True):
            file.write(
                json.dumps({"n_nodes": n, "edges": list(zip(one["src"], one["dst"], one["words"], strict=True))}) + "\n"
            )
    return lattices


@pytest.fixture(scope="module")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[treesql.Database, dict[str, object]]]:
    """The small lattices and the parameters of queries for all references; the last one fills up fewer."""
    folder = tmp_path_factory.mktemp("small")
    n = max(len(case["refs"]) for case in small())
    with treesql.connect() as db:
        with pytest.warns(treesql.errors.TreesqlWarning, match="edges lie on no path"):
            db.load(FOLDER / "small" / "lattices.jsonl", corpus="lattices")
        for at in range(n):
            texts = [case["refs"][min(at, len(case["refs"]) - 1)] for case in small()]
            db.load(write_texts(folder / f"{at}.txt", texts), corpus=f"r{at}")
        others = ",".join(f"r{at}" for at in range(1, n))
        yield db, {"lattice_corpus": "lattices", "reference_corpus": "r0", "other_corpora": others}


@pytest.mark.parametrize(("low", "key"), [(1.0, "bounded1"), (0.0, "unbounded")])
def test_tau_is_that_of_real_removal(
    small_database: tuple[treesql.Database, dict[str, object]], low: float, key: str
) -> None:
    db, given = small_database
    found = db.query("edge_effects", min_redundancy=low, **given).pl().sort("sentence", "edge")
    expected = [number(text) for case in small() for text in case[key]["tau"]]
    assert len(found) == len(expected)
    for tau, other in zip(found["tau"], expected, strict=True):
        assert tau == other if math.isinf(other) else tau == near(other)


def test_tau_of_phrase_lattices(db: treesql.Database, tmp_path: Path) -> None:
    lattices = write_set("fisher", 4, tmp_path / "lattices.jsonl")
    db.load(tmp_path / "lattices.jsonl", corpus="lattices")
    db.load(write_texts(tmp_path / "r.txt", [one[0] for one in lattices["refs"].to_list()]), corpus="r")
    found = db.query("edge_effects", lattice_corpus="lattices", reference_corpus="r").pl().sort("sentence", "edge")
    expected = pl.read_parquet(FOLDER / "fisher" / "tau_k4.parquet").sort("lattice_id", "edge_id")
    assert found["tau"].to_list() == near(expected["tau"].to_list())
    assert found["delta_redundancy"].to_list() == near(expected["delta_lambda_hat"].to_list())
    assert found["delta_sigma2"].to_list() == near(expected["delta_sigma2"].to_list())
