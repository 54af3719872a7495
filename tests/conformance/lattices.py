"""The lattices of lattice/: what is recorded of them, and files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.conformance.cases import CASES

FOLDER = CASES / "lattice"


def near(value: Any) -> Any:
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)


def write_lattices(path: Path, lattices: list[tuple[int, list[Any]]]) -> Path:
    path.write_text("".join(json.dumps({"n_nodes": n, "edges": edges}) + "\n" for n, edges in lattices))
    return path


def write_texts(path: Path, texts: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(words) + "\n" for words in texts))
    return path


def expected_rows(name: str, k: int) -> pl.DataFrame:
    expected = pl.read_parquet(FOLDER / name / "expected.parquet")
    return expected.filter(pl.col("k") == k).sort("lattice_id")


def corpus_row(name: str, k: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads((FOLDER / name / "corpus.json").read_text())
    return next(row for row in found if row["k"] == k)
