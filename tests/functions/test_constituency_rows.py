"""SQL functions of constituency trees over more rows than DuckDB passes at once, some without a tree."""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from tests.functions.packed_trees import Case, case, keyed, packed, plain
from tests.functions.trees_by_hand import both, forest, known
from tests.kernels.ordered_trees import edit_distance
from tests.kernels.phrases import still_in_order
from treesql.functions.constituency import LABELLED, TREE
from treesql.kernels.skeletons import NAME

N_ROWS = 5000


@pytest.fixture(scope="module")
def pool() -> list[Case | None]:
    """Trees over five words, one in seven none at all."""
    chance = Random(3)
    found: list[Case | None] = []
    for number in range(35):
        forms = chance.sample(range(1, 6), 5)
        parents = [0]
        for node in range(1, chance.randint(1, 4)):
            path = [node]  # what a phrase can stand below in preorder
            while path[-1]:
                path.append(parents[path[-1] - 1])
            parents.append(chance.choice(path))
        phrases = [chance.randint(0, len(parents)) for _ in forms]
        tree = case(parents, phrases, forms)
        in_order = still_in_order(tree.tree, list(range(5)))
        found.append(None if number % 7 == 3 else tree if in_order else case([0], [1] * 5, forms))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("function", ["split_counts", "quartet_counts", "skeleton_edit_distance"])
def test_many_rows(treebank: duckdb.DuckDBPyConnection, pool: list[Case | None], function: str) -> None:
    """Several vectors, with rows left out by a filter and with missing trees."""
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    expected = {
        (i, j): None if gold is None or test is None else known(function, both(gold, test, NAME))
        for i, gold in enumerate(pool)
        for j, test in enumerate(pool[:7])
    }
    how = "'name', 'unrooted'" if function == "split_counts" else "'name'"
    found = treebank.execute(
        f"""
        SELECT i, {function}(pool[1 + i % {n}], pool[1 + i % 7], {how})
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {TREE}[]) AS pool)
        WHERE i % 11 <> 5
        ORDER BY i
        """,
        [trees],
    ).fetchall()
    assert len(found) > 2 * 2048
    for i, value in found:
        assert plain(value) == expected[i % n, i % 7]


@pytest.mark.compiled
def test_many_keys_and_labelled_trees(treebank: duckdb.DuckDBPyConnection, pool: list[Case | None]) -> None:
    n = len(pool)
    trees = [None if tree is None else packed(tree) for tree in pool]
    alone = keyed(treebank, trees, "rooted")
    found = treebank.execute(
        f"""
        SELECT i, split_keys(pool[1 + i % {n}], 'rooted')
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {TREE}[]) AS pool)
        WHERE i % 11 <> 5
        ORDER BY i
        """,
        [trees],
    ).fetchall()
    assert len(found) > 2 * 2048
    assert all((None if value is None else (value["leaf_key"], value["keys"])) == alone[i % n] for i, value in found)
    labelled = [None if tree is None else packed(tree, labelled=True) for tree in pool]
    found = treebank.execute(
        f"""
        SELECT i, constituent_tree_edit_distance(pool[1 + i % {n}], pool[1])
        FROM range({N_ROWS}) AS r(i), (SELECT CAST(? AS {LABELLED}[]) AS pool)
        ORDER BY i
        """,
        [labelled],
    ).fetchall()
    assert len(found) == N_ROWS
    first = pool[0]
    assert first is not None
    edits = [None if tree is None else edit_distance(forest(tree), forest(first), 1) for tree in pool]
    assert all(value == edits[i % n] for i, value in found)
