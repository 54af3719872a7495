"""Lattices to be pruned by an arbiter, and lattices of several densities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.extras import require_extra
from tests.lattices.curved_lattices import DENSE, MIDDLE, REFERENCE, SPARSE
from tests.lattices.scored_lattices import LATTICES, REFERENCES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with lattices and their references."""
    lines = [json.dumps({"n_nodes": n, "edges": edges}) for n, edges in LATTICES]
    (tmp_path / "lattices.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "unscored.jsonl").write_text('{"n_nodes": 2, "edges": [[0, 1, ["a"]], [0, 1, ["b"]]]}\n')
    (tmp_path / "references.txt").write_text("\n".join(REFERENCES) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def curved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with lattices of three densities, hypotheses and their reference."""
    for name, edges in {"sparse": SPARSE, "middle": MIDDLE, "dense": DENSE}.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"n_nodes": 4, "edges": edges}) + "\n")
        (tmp_path / f"{name}.txt").write_text({"sparse": "a x c", "middle": "a b c", "dense": "y y x"}[name] + "\n")
    (tmp_path / "reference.txt").write_text(REFERENCE + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def learning() -> None:
    """Skip the test where nothing can fit an arbiter."""
    require_extra("arbiter")
