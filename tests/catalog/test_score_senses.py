"""Costs and log-likelihoods: which scores are better, kept with the corpus, and the same best path when written."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import treesql
from tests.readers.reading import read_rows
from treesql import readers
from treesql.errors import TreesqlWarning, UnknownName, UsageError

Edge = tuple[int, int, str, tuple[float, ...]]
"""From, to, the word, and scores of which the smaller are better."""

Graph = tuple[int, list[Edge], dict[int, tuple[float, ...]]]
"""Number of nodes, edges, and final nodes with their costs."""

PARTS = [0.25, 1.5, 3.125, 0.0, 7.75, 12.5]
"""Sums of these are exact."""


def graph(seed: int, *, finals: int) -> Graph:
    chance = random.Random(seed)
    n = chance.randint(3, 6)

    def costs() -> tuple[float, ...]:
        return (chance.choice(PARTS), chance.choice(PARTS))

    edges = [(node, node + 1, f"w{node}", costs()) for node in range(n - 1)]
    for at in range(chance.randint(1, 6)):
        start = chance.randrange(n - 1)
        edges.append((start, chance.randrange(start + 1, n), f"v{at}", costs()))
    edges.sort(key=lambda edge: edge[:2])
    return n, edges, {node: costs() for node in [n - 1, *range(1, finals)]}


def paths(of: Graph) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Every path: its cost and its words. Brute force."""
    _, edges, finals = of

    def on(node: int, cost: float, words: tuple[str, ...]) -> Iterator[tuple[float, tuple[str, ...]]]:
        if node in finals:
            yield cost + sum(finals[node]), words
        for start, to, word, costs in edges:
            if start == node:
                yield from on(to, cost + sum(costs), (*words, word))

    yield from on(0, 0.0, ())


def shortest(text: str) -> tuple[float, set[tuple[str, ...]]]:
    """The least cost in OpenFst's text, and the words of all paths that have it: tropical semiring, arcs relaxed until
    nothing changes. Shares nothing with treesql.
    """
    rows = [line.split() for line in text.split("\n") if line.strip()]
    arcs = [(r[0], r[1], r[3], float(r[4]) if len(r) > 4 else 0.0) for r in rows if len(r) > 2]
    finals = {r[0]: float(r[1]) if len(r) > 1 else 0.0 for r in rows if len(r) <= 2}
    best: dict[str, tuple[float, set[tuple[str, ...]]]] = {arcs[0][0]: (0.0, {()})}
    changed = True
    while changed:
        changed = False
        for start, to, word, cost in arcs:
            if start not in best:
                continue
            here, texts = best[start]
            found = {(*one, word) if word != "<eps>" else one for one in texts}
            there, known = best.get(to, (math.inf, set()))
            if here + cost < there or (here + cost == there and not found <= known):
                best[to] = (here + cost, found if here + cost < there else found | known)
                changed = True
    ends = [(best[node][0] + cost, best[node][1]) for node, cost in finals.items() if node in best]
    least = min(cost for cost, _ in ends)
    return least, set().union(*(texts for cost, texts in ends if cost == least))


def best_of(of: Graph) -> tuple[float, set[tuple[str, ...]]]:
    found = list(paths(of))
    least = min(cost for cost, _ in found)
    return least, {words for cost, words in found if cost == least}


def as_slf(of: Graph) -> str:
    n, edges, _ = of
    lines = [f"N={n} L={len(edges)}", *(f"I={node}" for node in range(n))]
    lines += [f"J={at} S={a} E={b} W={w} a={-s[0]} l={-s[1]}" for at, (a, b, w, s) in enumerate(edges)]
    return "\n".join(lines) + "\n"


def as_kaldi(of: Graph) -> str:
    _, edges, finals = of
    arcs = [f"{a} {b} {w} {s[0]},{s[1]}," for a, b, w, s in edges]
    return "\n".join(["utt1", *arcs, *(f"{node} {s[0]},{s[1]}," for node, s in finals.items())]) + "\n\n"


def as_openfst(of: Graph) -> str:
    _, edges, finals = of
    arcs = [f"{a}\t{b}\t{w}\t{w}\t{sum(s)}" for a, b, w, s in edges]
    return "\n".join([*arcs, *(f"{node}\t{sum(s)}" for node, s in finals.items())]) + "\n\n"


def as_jsonl(of: Graph) -> str:
    n, edges, _ = of
    return json.dumps({"n_nodes": n, "edges": [[a, b, [w], *(-one for one in s)] for a, b, w, s in edges]}) + "\n"


def as_jsonl_of_costs(of: Graph) -> str:
    n, edges, _ = of
    return json.dumps({"n_nodes": n, "edges": [[a, b, [w], *s] for a, b, w, s in edges]}) + "\n"


def as_plf(of: Graph) -> str:
    n, edges, _ = of
    columns = []
    for node in range(n - 1):
        arcs = "".join(f"('{w}',{-s[0]},{-s[1]},{b - a})," for a, b, w, s in edges if a == node)
        columns.append(f"({arcs}),")
    return f"({''.join(columns)})\n"


WITHOUT_FINAL_WEIGHTS = [
    (as_slf, "a.slf", None),
    (as_jsonl, "a.jsonl", None),
    (as_jsonl_of_costs, "a.jsonl", "cost"),
    (as_plf, "a.plf", None),
]


@pytest.mark.spread(8)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("written", "name", "scores"), WITHOUT_FINAL_WEIGHTS, ids=lambda one: getattr(one, "__name__", one)
)
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_the_shortest_path_in_openfst_is_the_best(
    db: treesql.Database, tmp_path: Path, written: Callable[[Graph], str], name: str, scores: str | None, seed: int
) -> None:
    n, edges, _ = graph(seed, finals=1)
    of: Graph = (n, edges, {n - 1: ()})
    (tmp_path / name).write_text(written(of))
    db.load(tmp_path / name, corpus="a", scores=scores)
    db.export(tmp_path / "a.fst.txt")
    assert shortest((tmp_path / "a.fst.txt").read_text()) == best_of(of)


@pytest.mark.spread(8)
@pytest.mark.parametrize("finals", [1, 2])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("written", "name"), [(as_kaldi, "a.lat"), (as_openfst, "a.fst.txt")])
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_final_weights_are_kept(
    db: treesql.Database, tmp_path: Path, written: Callable[[Graph], str], name: str, seed: int, finals: int
) -> None:
    of = graph(seed, finals=finals)
    (tmp_path / name).write_text(written(of))
    db.load(tmp_path / name, corpus="a")
    db.export(tmp_path / "b.fst.txt")
    assert shortest((tmp_path / "b.fst.txt").read_text()) == best_of(of)
    [row] = db.sql("SELECT n_finals, final_scores FROM lattices").rows()
    kept = next(iter(of[2].values()))
    one = list(kept) if name == "a.lat" else [sum(kept)]
    assert row == {"n_finals": finals, "final_scores": one if finals == 1 else None}


@pytest.mark.parametrize("seed", range(3))
def test_openfst_itself_finds_the_same_path(db: treesql.Database, tmp_path: Path, seed: int) -> None:
    pywrapfst = pytest.importorskip("pywrapfst")
    n, edges, _ = graph(seed, finals=1)
    of: Graph = (n, edges, {n - 1: ()})
    (tmp_path / "a.slf").write_text(as_slf(of))
    db.load(tmp_path / "a.slf", corpus="a")
    with pytest.warns(TreesqlWarning, match="unweighted sum"):
        db.export(tmp_path / "a.fst.txt")
    text = (tmp_path / "a.fst.txt").read_text()
    symbols = pywrapfst.SymbolTable()
    symbols.add_symbol("<eps>")
    for row in map(str.split, text.split("\n")):
        symbols.add_symbol(row[2]) if len(row) > 2 else None
    compiler = pywrapfst.Compiler(isymbols=symbols, osymbols=symbols)
    compiler.write(text)
    found = pywrapfst.shortestpath(compiler.compile())
    assert float(str(pywrapfst.shortestdistance(found, reverse=True)[found.start()])) == pytest.approx(best_of(of)[0])


def test_costs_and_log_likelihoods_come_back(db: treesql.Database, tmp_path: Path) -> None:
    """What is read of a format again means the same: the sign is turned where the format holds the other."""
    (tmp_path / "a.fst.txt").write_text("0\t1\ta\ta\t2.5\n0\t1\tb\tb\n1\t0.5\n\n")
    db.load(tmp_path / "a.fst.txt", corpus="a")
    (tmp_path / "b.jsonl").write_text('{"n_nodes": 2, "edges": [[0, 1, ["a"], -2.5, 0, 1], [0, 1, ["b"], 4]]}\n')
    db.load(tmp_path / "b.jsonl", corpus="b")
    for name in ("a.jsonl", "a.plf"):
        with pytest.warns(TreesqlWarning, match="weights of the final nodes of 1 lattice are not written"):
            db.export(tmp_path / name, corpus="a")
        rows = read_rows(tmp_path / name, name.split(".")[1])
        assert [row["scores"] for row in rows["lattice_edges"]] == [[-2.5], [0.0]]
    db.export(tmp_path / "c.jsonl", corpus="b")
    assert [row["scores"] for row in read_rows(tmp_path / "c.jsonl", "jsonl")["lattice_edges"]] == [[-2.5, 0, 1], [4]]
    with pytest.warns(TreesqlWarning, match="of several scores of 1 edge the unweighted sum is written"):
        db.export(tmp_path / "c.fst.txt", corpus="b")
    assert (tmp_path / "c.fst.txt").read_text() == "0\t1\ta\ta\t1.5\n0\t1\tb\tb\t-4.0\n1\n\n"
    db.export(tmp_path / "d.fst.txt", corpus="a")
    assert (tmp_path / "d.fst.txt").read_text() == "0\t1\ta\ta\t2.5\n0\t1\tb\tb\n1\t0.5\n\n"


def test_what_scores_are_is_kept_with_the_corpus(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.plf").write_text("((('a',0.5,1),),)\n")
    (tmp_path / "a.txt").write_text("a\n")
    db.load(tmp_path / "a.plf", corpus="a")
    db.load(tmp_path / "a.plf", corpus="b", scores="cost")
    db.load(tmp_path / "a.txt", corpus="c")
    sql = "SELECT corpus, score_sense FROM corpora ORDER BY corpus"
    assert [row["score_sense"] for row in db.sql(sql).rows()] == ["log_likelihood", "cost", None]
    db.export(tmp_path / "out", to="parquet")
    with treesql.connect() as other:
        other.load(tmp_path / "out")
        assert other.sql(sql).rows() == db.sql(sql).rows()


def test_scores_of_formats_that_say_what_they_are(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.fst.txt").write_text("0\t1\ta\ta\t2.5\n1\n")
    with pytest.raises(UsageError, match="the scores of openfst files are costs; scores= is for plf, jsonl and nbest"):
        db.load(tmp_path / "a.fst.txt", corpus="a", scores="log_likelihood")
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(UsageError, match="scores= is for lattices and n-best lists; text files have no scores"):
        db.load(tmp_path / "a.txt", corpus="a", scores="cost")
    (tmp_path / "a.plf").write_text("()\n")
    with pytest.raises(UnknownName, match="kind of scores"):
        db.load(tmp_path / "a.plf", corpus="a", scores="costs")
    assert db.corpora == []


def test_every_format_of_lattices_says_what_its_scores_are() -> None:
    found = {form: readers.score_sense(form) for form in readers.formats()}
    assert {form for form, sense in found.items() if sense} == {
        form for form in readers.formats() if readers.kind(form) in ("lattice", "nbest")
    }
    assert {form for form, sense in found.items() if sense == "cost"} == {"openfst", "kaldi"}
