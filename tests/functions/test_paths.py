"""SQL functions of dependency paths and trees."""

from __future__ import annotations

import duckdb
import pytest

import treesql
from tests.conftest import bare
from tests.functions.call import value
from tests.house.rules import in_turn
from treesql.errors import QueryError

REFERENCE = "[2, 4, 4, 0, 6, 7, 4], ['DET', 'NSUBJ', 'AUX', 'root', 'DET', 'CMP', 'DOBJ']"


HYPOTHESIS = "[2, 3, 0, 5, 3], ['DET', 'NSUBJ', 'root', 'DET', 'DOBJ']"


PAIR = f"{REFERENCE}, {HYPOTHESIS}, [1, 2, 4, 5, 6], [4, 5, 3, 1, 2]"


def encoded(ascending: list[str], direction: str, descending: list[str]) -> dict[str, object]:
    return {"ascending": ascending, "direction": direction, "descending": descending}


def test_paths(connection: duckdb.DuckDBPyConnection) -> None:
    """From `the` to `Sherlock` in both trees, as the source has them."""
    one, other = f"path_encoding({REFERENCE}, 1, 6)", f"path_encoding({HYPOTHESIS}, 4, 2)"
    assert value(connection, one) == encoded(["DET", "NSUBJ"], "alpha", ["DOBJ", "CMP"])
    assert value(connection, other) == encoded(["DET", "DOBJ"], "beta", ["NSUBJ"])
    assert value(connection, f"path_disparity({one}, {other})") == {"disparity": 4, "maximum": 5}
    assert value(connection, f"path_encoding({REFERENCE}, 4, 4)") == encoded([], "beta", [])
    itself = f"path_disparity({one}, path_encoding({HYPOTHESIS}, 4, 4))"
    assert value(connection, itself) == {"disparity": 0, "maximum": 0}
    assert value(connection, f"path_encoding({REFERENCE}, NULL, 1)") is None
    assert value(connection, "path_encoding([0, 1], ['root', NULL], 2, 1)") == encoded([None], "beta", [])  # type: ignore[list-item]


def test_a_path_upside_down(db: treesql.Database) -> None:
    """The five operations of the source's example, where one string would cost two."""
    found = value(
        bare(db),
        "path_disparity({'ascending': ['XCOMP', 'XCOMP'], 'direction': 'alpha', 'descending': []}, "
        "{'ascending': [], 'direction': 'beta', 'descending': ['XCOMP', 'XCOMP']})",
    )
    assert found == {"disparity": 5, "maximum": 5}


def test_spanning_tree(db: treesql.Database) -> None:
    edges = [(1, 2, 0, 2), (2, 3, 2, 2), (3, 5, 3, 3), (4, 5, 0, 2)]
    expected = [dict(zip(("first", "second", "disparity", "maximum"), edge, strict=True)) for edge in edges]
    assert value(bare(db), f"spanning_tree({PAIR})") == expected
    assert value(bare(db), "spanning_tree([], [], [], [], [], [])") == []
    assert value(bare(db), "spanning_tree(NULL, [], [], [], [], [])") is None
    relation = "spanning_tree([0, 1], ['root', 'nmod:poss'], [0, 1], ['root', '{}'], [1, 2], [1, 2])[1].disparity"
    assert value(bare(db), relation.format("nmod:poss")) == 0
    assert value(bare(db), relation.format("nmod")) == 1  # a relation is one symbol, compared whole


@pytest.mark.compiled
def test_spanning_trees_of_many_rows(db: treesql.Database) -> None:
    """More than a chunk, in several threads, some of them NULL: the same for every row as alone."""
    sql = f"""
        SELECT i % 4, count(*), min(d), max(d) FROM (
            SELECT i, list_sum([e.disparity FOR e IN spanning_tree({REFERENCE}, {HYPOTHESIS}, a, b)]) AS d
            FROM (SELECT i, [[1, 2, 4, 5, 6], [1, 6], NULL, [4]][i % 4 + 1] AS a,
                         [[4, 5, 3, 1, 2], [4, 2], [1], [3]][i % 4 + 1] AS b
                  FROM range(10000) AS r(i)))
        GROUP BY i % 4 ORDER BY i % 4
    """
    found = bare(db).execute(sql).fetchall()
    assert found == [(0, 2500, 5, 5), (1, 2500, 4, 4), (2, 2500, None, None), (3, 2500, None, None)]


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("costs", "expected"), [("structure", 2), ("deprel", 2), ("aligned", 6), ("aligned_strict", 6)]
)
def test_dependency_tree_edit_distance(db: treesql.Database, costs: str, expected: int) -> None:
    """zss and apted find the same."""
    assert value(bare(db), f"dependency_tree_edit_distance({PAIR}, '{costs}')") == expected


def test_tree_edit_distances_at_different_costs(db: treesql.Database) -> None:
    sql = f"""
        SELECT list(dependency_tree_edit_distance({PAIR}, c) ORDER BY i)
        FROM (VALUES (1, 'aligned'), (2, 'structure'), (3, NULL), (4, 'aligned_strict')) AS t(i, c)
    """
    assert bare(db).execute(sql).fetchall() == [([6, 2, None, 6],)]
    assert value(bare(db), "dependency_tree_edit_distance([], [], [0, 1], ['a', 'b'], [], [], 'deprel')") == 2


@in_turn(
    ("call", "what"),
    [
        ("spanning_tree([2, 1], ['a', 'b'], [0], ['a'], [1], [1])", "its heads form a cycle"),
        ("spanning_tree([5], ['a'], [0], ['a'], [1], [1])", "a head is no word of the sentence"),
        ("spanning_tree([0], ['a'], [0], ['a'], [2], [1])", "a link is to no word of the sentence"),
        ("spanning_tree([0], ['a'], [0], ['a'], [1], [])", "the two lists of links are not of one length"),
        ("spanning_tree([0], ['a', 'b'], [0], ['a'], [1], [1])", "not as many heads as relations"),
        ("spanning_tree([NULL], ['a'], [0], ['a'], [1], [1])", "a number is missing"),
        ("path_encoding([0], ['a'], 1, 2)", "there is no word 2 in the sentence, which has 1"),
        ("path_encoding([2, 1], ['a', 'b'], 1, 2)", "its heads form a cycle"),
        ("path_disparity({'ascending': NULL, 'direction': 'alpha', 'descending': ['a']}, "
         "path_encoding([0, 1], ['a', 'b'], 1, 2))", "a list is missing"),
        ("path_disparity({'ascending': [], 'direction': NULL, 'descending': ['a']}, "
         "path_encoding([0, 1], ['a', 'b'], 1, 2))", "a path has no direction"),
        ("dependency_tree_edit_distance([0], ['a'], [0], ['a'], [], [], 'free')",
         "costs are structure, deprel, aligned, aligned_strict, not free"),
        ("dependency_tree_edit_distance([2, 1], ['a', 'b'], [0], ['a'], [], [], 'deprel')", "do not make a tree"),
        ("dependency_tree_edit_distance([0], ['a'], [0], ['a'], [1], [2], 'aligned')", "a link is to no word"),
    ],
)  # fmt: skip
def test_trees_and_links_that_are_none(db: treesql.Database, call: str, what: str) -> None:
    with pytest.raises((QueryError, OSError), match=what):
        db.sql(f"SELECT {call}")
