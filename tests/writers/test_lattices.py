"""Lattices that are written and read again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.kernels import lattices as slow
from tests.readers.reading import read_rows
from treesql.errors import InvalidInput, TreesqlWarning

WORDS = ["a", "it's", "back\\slash", '"', "漢字"]


def texts(tables: dict[str, list[dict[str, object]]], sentence: int) -> Counter[tuple[str, ...]]:
    """The words of all paths of a lattice."""
    rows = [row for row in tables.get("lattice_edges", []) if row["sentence"] == sentence]
    n = next(row["n_nodes"] for row in tables["lattices"] if row["sentence"] == sentence)
    edges = tuple((row["from_node"], row["to_node"], tuple(row["edge_words"])) for row in rows)  # type: ignore[arg-type]
    return Counter(slow.text((n, edges), path) for path in slow.paths((n, edges)))  # type: ignore[arg-type, misc]


@pytest.mark.slow
@given(st.lists(slow.lattices(), min_size=1, max_size=4))
@settings(deadline=None, max_examples=6)
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_the_same_paths_come_back(tmp_path_factory: pytest.TempPathFactory, lattices: list[slow.Lattice]) -> None:
    folder = tmp_path_factory.mktemp("lattices")
    named = [
        (n, [[start, to, [WORDS[word] for word in words], 0.5] for start, to, words in edges]) for n, edges in lattices
    ]
    lines = [json.dumps({"n_nodes": n, "edges": edges}) for n, edges in named]
    (folder / "in.jsonl").write_text("\n".join(lines) + "\n")
    before = read_rows(folder / "in.jsonl", "jsonl")
    with treesql.connect() as db:
        db.load(folder / "in.jsonl", corpus="a")
        for name, form in [("out.jsonl", "jsonl"), ("out.plf", "plf"), ("out.fst.txt", "openfst")]:
            db.export(folder / name)
            after = read_rows(folder / name, form)
            assert [texts(after, at) for at in range(len(named))] == [texts(before, at) for at in range(len(named))]
            if form == "jsonl":
                assert after["lattices"] == before["lattices"]
                assert after.get("lattice_edges") == before.get("lattice_edges")


def test_what_is_written(db: treesql.Database, tmp_path: Path) -> None:
    edges = [[0, 2, ["the", "cat"], -0.5, 2], [0, 1, ["it's"]], [1, 2, []]]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "x", "n_nodes": 3, "edges": edges}) + "\n")
    db.load(tmp_path / "a.jsonl", corpus="a")
    with pytest.warns(TreesqlWarning, match="phrases of 1 lattice are written word by word"):
        db.export(tmp_path / "a.plf")
    assert (tmp_path / "a.plf").read_text() == ("((('the',-0.5,2.0,1),('it\\'s',2),),(('cat',2),),(('*EPS*',1),),)\n")
    with pytest.warns(TreesqlWarning) as told:
        db.export(tmp_path / "a.fst.txt")
    assert [str(one.message).split("a.jsonl:1: ")[1].split(";")[0] for one in told] == [
        "phrases of 1 lattice are written word by word, with nodes in between",
        "of several scores of 1 edge the unweighted sum is written",
    ]
    assert (tmp_path / "a.fst.txt").read_text() == (
        "0\t1\tthe\tthe\t-1.5\n0\t2\tit's\tit's\n1\t3\tcat\tcat\n2\t3\t<eps>\t<eps>\n3\n\n"
    )
    db.export(tmp_path / "b.jsonl")
    written = '{"id": "x", "n_nodes": 3, "edges": [[0, 2, ["the","cat"], -0.5, 2.0], [0, 1, ["it\'s"]], [1, 2, []]]}\n'
    assert (tmp_path / "b.jsonl").read_text() == written


def test_nodes_without_edges_are_told_of(db: treesql.Database, tmp_path: Path) -> None:
    """As pruning leaves them: OpenFst's text has no place for them, and density and distance depend on their number."""
    lines = [
        {"n_nodes": 3, "edges": [[0, 2, ["a"]]]},
        {"n_nodes": 2, "edges": [[0, 1, ["b"]]]},
        {"n_nodes": 1, "edges": []},
    ]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    db.load(tmp_path / "a.jsonl", corpus="a")
    with pytest.warns(TreesqlWarning, match="nodes without edges are left out of 1 lattice; n_nodes changes"):
        db.export(tmp_path / "a.fst.txt")
    db.export(tmp_path / "a.plf")
    assert [row["n_nodes"] for row in read_rows(tmp_path / "a.plf", "plf")["lattices"]] == [3, 2, 1]


def test_a_word_that_is_no_symbol(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.plf").write_text("((('new york',1,1),),)\n")
    db.load(tmp_path / "a.plf", corpus="a")
    with pytest.raises(InvalidInput, match=r"a\.plf:1: `new york` cannot be a symbol"):
        db.export(tmp_path / "a.fst.txt")
    assert not (tmp_path / "a.fst.txt").exists()


def test_parquet_keeps_lattices(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.plf").write_text("((('a',0.5,1),('b',1),),)\n()\n")
    db.load(tmp_path / "a.plf", corpus="a")
    db.export(tmp_path / "out", to="parquet")
    with treesql.connect() as other:
        other.load(tmp_path / "out")
        for table in ("lattices", "lattice_edges", "lattice_words"):
            assert other.sql(f"FROM {table} ORDER BY ALL").rows() == db.sql(f"FROM {table} ORDER BY ALL").rows()
