"""Lattices that have the same word sequences, graphs and scores, and those that have not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, Run
from treesql.errors import Incomparable, TreesqlWarning, UsageError
from treesql.kernels.lattices import lattice_equality

ONE: tuple[int, list[list[Any]]] = (4, [[0, 1, ["a"], -1], [0, 2, ["a"], -2], [1, 3, ["b"], -3], [2, 3, [], -4]])
OTHERS: list[tuple[int, list[list[Any]]]] = [
    (4, [[1, 3, [], -4], [0, 1, ["a"], -2], [2, 3, ["b"], -3], [0, 2, ["a"], -1]]),
    (4, [[1, 3, [], -4], [0, 1, ["a"], -1], [2, 3, ["b"], -3], [0, 2, ["a"], -2]]),
    (5, [*ONE[1]]),
    (2, [[0, 1, ["a", "b"], -4], [0, 1, ["a"], -6]]),
    (4, [*ONE[1][:3], [2, 3, ["b"], -4]]),
    (4, [*ONE[1], [2, 3, [], -4]]),
]
"""Renumbered; with scores of two edges exchanged; with another node; as phrases; with a word; with an edge twice."""

EXPECTED = [
    ("same", "same", "same"), ("same", "same", "differs"), ("same", "differs", None), ("same", "differs", None),
    ("differs", "differs", None), ("same", "differs", None),
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore:.*edges? lies? on no path")


def write(path: Path, lattices: list[tuple[int, list[list[Any]]]], ids: str = "") -> Path:
    rows = [{"n_nodes": n, "edges": [[*edge] for edge in edges]} for n, edges in lattices]
    named = [{"id": name, **row} for name, row in zip(ids, rows, strict=True)] if ids else rows
    path.write_text("".join(json.dumps(row) + "\n" for row in named))
    return path


def verdicts(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["words"], row["graph"], row["scores"]) for row in rows]


def test_lattices_by_order_and_by_ids(tmp_path: Path) -> None:
    """A node more has the number of the last one, so that the edges to it lead elsewhere."""
    others = [(n, [[a, n - 1 if b == 3 else b, *rest] for a, b, *rest in edges]) for n, edges in OTHERS]
    old, new = write(tmp_path / "a.jsonl", [ONE] * 6), write(tmp_path / "b.jsonl", others)
    found = treesql.diff(old, new)
    assert found.columns == ["sentence", "words", "graph", "scores"]
    assert verdicts(found.rows()) == EXPECTED
    assert "lattice_differences" in found.signature
    assert verdicts(treesql.diff(old, new, limit=2).rows()) == EXPECTED[:2]
    named = write(tmp_path / "c.jsonl", [ONE] * 6, "uvwxyz"), write(tmp_path / "d.jsonl", others[::-1], "zyxwvu")
    rows = treesql.diff(*named).rows()
    assert [row["sent_id"] for row in rows] == list("uvwxyz")
    assert verdicts(rows) == EXPECTED
    with treesql.connect() as db:
        db.load(old, corpus="old")
        db.load(new, corpus="new")
        assert verdicts(db.diff("old", "new").rows()) == EXPECTED
    assert verdicts(treesql.diff(old.read_bytes(), new.read_bytes(), format="jsonl").rows()) == EXPECTED


def test_costs_are_negative_log_likelihoods(tmp_path: Path) -> None:
    costs, likelihoods = tmp_path / "a.fst.txt", tmp_path / "b.jsonl"
    costs.write_text("0 1 a a 1.5\n0 1 b b 2\n1\n")
    likelihoods.write_text('{"n_nodes": 2, "edges": [[0, 1, ["b"], -2], [0, 1, ["a"], -1.5]]}\n')
    assert verdicts(treesql.diff(costs, likelihoods).rows()) == [("same", "same", "same")]
    costs.write_text("0 1 a a -1.5\n0 1 b b -2\n1\n")
    assert verdicts(treesql.diff(costs, likelihoods).rows()) == [("same", "same", "differs")]
    costs.write_text("0 1 a a 1.5\n0 1 b b 2\n1 1\n")  # all paths cost 1 more
    assert verdicts(treesql.diff(costs, likelihoods).rows()) == [("same", "same", "differs")]


def test_all_formats_of_one_lattice(tmp_path: Path) -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "lattices.plf", corpus="plf", phrases=True)
        db.export(tmp_path / "l.jsonl", corpus="plf")
        db.load(tmp_path / "l.jsonl", corpus="jsonl")
        rows = db.diff("plf", "jsonl").rows()
    assert verdicts(rows) == [("same", "same", "same")] * 3


def test_too_many_sequences_are_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = write(tmp_path / "a.jsonl", [ONE]), write(tmp_path / "b.jsonl", [OTHERS[3]])
    monkeypatch.setattr(lattice_equality, "MAX_SETS", 1)
    with pytest.warns(TreesqlWarning, match="the word sequences of 1 lattice are too many"):
        assert verdicts(treesql.diff(old, new).rows()) == [("unknown", "differs", None)]


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    old, new = write(tmp_path / "a.jsonl", [ONE] * 2), write(tmp_path / "b.jsonl", [ONE])
    with pytest.raises(
        Incomparable, match=r"lattice 2 of .*a\.jsonl has no counterpart in .*b\.jsonl; give every lattice a"
    ):
        treesql.diff(old, new)
    for how, name in (({"changes": True}, "changes=True"), ({"by": "upos"}, "by="), ({"match": "text"}, "match=")):
        with pytest.raises(UsageError, match=f"^{name} does not apply to lattices, which have a row each"):
            treesql.diff(old, old, **how)  # type: ignore[arg-type]
    for inputs in ((old, FIXTURES / "gold.conllu"), (FIXTURES / "gold.conllu", old)):
        with pytest.raises(UsageError, match=r"a\.jsonl has lattices, and words are compared; name two treebanks, or"):
            treesql.diff(*inputs)


def test_the_command(run: Any, tmp_path: Path) -> None:
    old, new = write(tmp_path / "a.jsonl", [ONE]), write(tmp_path / "b.jsonl", [OTHERS[0]])
    done: Run = run("diff", str(old), str(new))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[-2].split() == ["0", "same", "same", "same"]
    assert lines[-1] == "1 lattice: words differ in 0, graphs in 0, scores of equal graphs in 0."
    more = write(tmp_path / "c.jsonl", [ONE, ONE, ONE])
    other = write(tmp_path / "d.jsonl", [OTHERS[0], OTHERS[1], OTHERS[4]])
    found = run("diff", str(more), str(other), "--limit", "1").out.splitlines()[-1]
    assert found == "3 lattices: words differ in 1, graphs in 1, scores of equal graphs in 1."
