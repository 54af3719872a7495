"""SQL functions of lattices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import treesql
from tests.house.rules import in_turn
from treesql.errors import QueryError
from treesql.kernels.lattices import bleu_paths, lattice_oracles

NEAREST = ("nearest_path", "nearest_path_per_word", "nearest_bag", "nearest_bag_per_word")
EDGE = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]"


@pytest.fixture(scope="module")
def safe() -> Iterator[treesql.Database]:
    """An empty database in memory with a safe connection."""
    with treesql.connect(safe=True) as empty:
        yield empty


@pytest.mark.spread(5)
@pytest.mark.parametrize("function", [*NEAREST, "best_bleu_path"])
@pytest.mark.parametrize(
    ("n_nodes", "edges", "what"),
    [
        (2, "[(3, 0, 1000000000, ['a'])]", "edge 3 leads from node 0 to node 1000000000; .* lattice are 0 to 1"),
        (3, "[(0, -7, 1, ['a'])]", "edge 0 leads from node -7 to node 1; "),
        (3, "[(0, 0, 1, ['a']), (5, 2, 2, [])]", "edge 5 leads from node 2 to node 2; "),
        (1, "[(0, 0, 1, ['a'])]", "edge 0 leads from node 0 to node 1; .* this lattice has one node"),
        (0, "[]", "a lattice has 1 node or more, not 0"),
        (-(2**31), "[]", "a lattice has 1 node or more, not -2147483648"),
        (3, "[(1, 1, 2, ['a']), (1, 0, 1, ['b'])]", "edge 1 is there twice"),
        (2, "[(0, NULL, 1, ['a'])]", "cannot hold NULL"),
    ],
    ids=range(8),
)
def test_lattices_that_are_none(safe: treesql.Database, function: str, n_nodes: int, edges: str, what: str) -> None:
    """In the third of four rows, on the safe connection; in one line, with the row and the value."""
    reference = "[['x']]" if function == "best_bleu_path" else "['x']"
    sql = f"""
        SELECT {function}(t.n, t.e, {reference}) FROM (
            SELECT unnest([3, 2, {n_nodes}, 2]) AS n,
                   unnest([CAST([(0, 0, 1, ['a'])] AS {EDGE}), [], CAST({edges} AS {EDGE}), []]) AS e) AS t
    """
    place = "" if "NULL" in what else ", row 3 of 4"
    with pytest.raises(QueryError, match=f"^{function}{place}: [^\n]*{what}[^\n]*$"):
        safe.sql(sql)


@in_turn("function", NEAREST)
def test_nodes_without_edges_take_no_memory(db: treesql.Database, function: str) -> None:
    """Nodes are numbered in a lattice of two billion as in one of three, with the same paths."""
    [row] = db.sql(f"""
        SELECT {function}(2147483647, [(4, 0, 1000, ['a']), (6, 1000, 2147483646, ['b', 'c'])], ['a', 'c']) AS many,
               {function}(3, [(4, 0, 1, ['a']), (6, 1, 2, ['b', 'c'])], ['a', 'c']) AS few,
               {function}(2147483647, [(4, 0, 1000, ['a'])], ['a', 'c']) AS incomplete
    """).rows()
    assert row["many"] == row["few"]
    assert row["many"]["edges"] == [4, 6]
    assert row["incomplete"]["errors"] is None


def oracle(db: treesql.Database, function: str, edges: str, reference: str) -> dict[str, Any]:
    sql = f"SELECT {function}(3, CAST({edges} AS {EDGE}), CAST({reference} AS VARCHAR[])) AS path"
    path: dict[str, Any] = db.sql(sql).rows()[0]["path"]
    return path


EDGES = "[(7, 1, 2, ['c']), (2, 0, 1, ['a', 'b']), (4, 0, 2, ['b', 'a', 'c', 'd'])]"


@in_turn(
    ("function", "reference", "expected"),
    [
        ("nearest_path", "['a', 'b', 'c']", (0, 3, [2, 7])),
        ("nearest_path", "['b', 'a', 'c']", (1, 4, [4])),
        ("nearest_path", "[]", (3, 3, [2, 7])),
        ("nearest_path_per_word", "['a', 'x', 'c', 'd']", (2, 4, [4])),
        ("nearest_bag", "['c', 'b', 'a']", (0, 3, [2, 7])),
        ("nearest_bag_per_word", "['d', 'c', 'b', 'a']", (0, 4, [4])),
    ],
)
def test_nearest_paths(
    db: treesql.Database, function: str, reference: str, expected: tuple[int, int, list[int]]
) -> None:
    """Edges in any order, by any numbers; the path is told by these."""
    path = oracle(db, function, EDGES, reference)
    assert (path["errors"], path["words"], path["edges"]) == expected
    assert path["proven"]
    assert path["forms"] == (["a", "b", "c"] if expected[2] == [2, 7] else ["b", "a", "c", "d"])


def test_paths_without_words_have_no_quotient(db: treesql.Database) -> None:
    for function in ("nearest_path_per_word", "nearest_bag_per_word"):
        path = oracle(db, function, "[(0, 0, 2, [])]", "['a']")
        assert (path["errors"], path["words"], path["edges"], path["forms"]) == (None, None, [], [])


@pytest.mark.parametrize("function", ["nearest_path", "nearest_path_per_word"])
def test_a_lattice_that_takes_too_long(db: treesql.Database, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line quotes the reference, by which the sentence is found."""
    monkeypatch.setattr(lattice_oracles, "MAX_TABLE_CELLS", 5)
    line = f"^{function}[^\n]*: reference 'a b c ...': 3 edges and 3 reference words need 21 comparisons[^\n]*$"
    with pytest.raises(QueryError, match=line):
        oracle(db, function, EDGES, "['a', 'b', 'c']")


def best_bleu(db: treesql.Database, n_nodes: int, edges: str, references: str) -> dict[str, Any]:
    sql = f"SELECT best_bleu_path({n_nodes}, CAST({edges} AS {EDGE}), CAST({references} AS VARCHAR[][])) AS path"
    path: dict[str, Any] = db.sql(sql).rows()[0]["path"]
    return path


@in_turn(
    ("references", "bleu", "matches", "edges"),
    [
        ("[['a', 'b', 'c']]", 1, [3, 2, 1, 0], [2, 7]),
        ("[['x'], ['b', 'a', 'c', 'd']]", 1, [4, 3, 2, 1], [4]),
        ("[['a', 'b'], ['b', 'c']]", (1 * 1 * 1 / 2) ** (1 / 3), [3, 2, 0, 0], [2, 7]),
        ("[[]]", 0, [0, 0, 0, 0], [2, 7]),
        ("[]", 0, [0, 0, 0, 0], [2, 7]),
    ],
)
def test_best_bleu_paths(
    db: treesql.Database, references: str, bleu: float, matches: list[int], edges: list[int]
) -> None:
    """All references count together: of two, both bigrams of `a b c` match, and of its trigram half of one."""
    path = best_bleu(db, 3, EDGES, references)
    assert (path["bleu"], path["matches"], path["edges"]) == (pytest.approx(bleu), matches, edges)
    assert path["proven"]
    assert path["forms"] == (["a", "b", "c"] if edges == [2, 7] else ["b", "a", "c", "d"])


def test_a_lattice_without_a_path_has_no_bleu(db: treesql.Database) -> None:
    path = best_bleu(db, 2147483647, "[(4, 0, 1000, ['a'])]", "[['a']]")
    assert (path["bleu"], path["words"], path["bound"], path["edges"]) == (None, None, None, [])
    assert best_bleu(db, 2147483647, "[(4, 0, 2147483646, ['a'])]", "[['a']]")["bleu"] == 1


def test_references_of_bleu_are_not_null(db: treesql.Database) -> None:
    with pytest.raises(QueryError, match=r"^best_bleu_path: a list of this function cannot hold NULL$"):
        best_bleu(db, 3, EDGES, "[['a'], NULL]")


def test_an_unproven_bleu_has_a_bound(db: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without labels and steps only the path of the first bound is known, and the bound is not attained."""
    real = bleu_paths.best_paths
    effort = bleu_paths.BleuEffort(stages=((1, 0),))
    monkeypatch.setattr(bleu_paths, "best_paths", lambda *given: real(*given, effort=effort))
    edges = "[(0, 0, 1, ['a', 'a']), (1, 0, 1, ['a', 'x']), (2, 1, 2, ['a', 'b']), (3, 1, 2, ['b', 'x'])]"
    path = best_bleu(db, 3, edges, "[['a', 'b', 'a', 'c', 'x']]")
    assert not path["proven"]
    assert path["bleu"] < path["bound"] <= 1
