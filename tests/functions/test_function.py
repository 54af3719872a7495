"""Functions as they are declared: what they say, their arguments and arrays, rows at a time, interrupts."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.functions.calls import call_of, valid
from tests.house.rules import in_turn
from treesql.errors import QueryError, TreesqlError
from treesql.functions import FUNCTIONS
from treesql.functions.arrays import flatten
from treesql.functions.function import Function
from treesql.runtime import threads


def test_every_function_says_what_it_is() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(set(names)) == len(names) > 5
    assert all(function.doc and function.parameters for function in FUNCTIONS)


def test_slow_functions_take_few_rows_at_a_time() -> None:
    sizes = []

    def doubled(values: pa.ChunkedArray) -> pa.Array:
        sizes.append(len(values))
        return pc.multiply(values.combine_chunks(), 2)

    function = Function("doubled", "twice", (("n", "INTEGER"),), "INTEGER", doubled, (), rows=3)
    assert function.bounded(pa.chunked_array([[1, 2, 3, 4], [5, 6, 7]])).to_pylist() == [2, 4, 6, 8, 10, 12, 14]
    assert sorted(sizes) == [1, 3, 3]


ARGUMENTS = {
    "spanning_tree": """SELECT a.reference_heads, a.reference_relations, a.hypothesis_heads, a.hypothesis_relations,
                               a.reference_links, a.hypothesis_links
                        FROM aligned_trees('reference', 'hypothesis', 'links') AS a""",
    "nearest_path": """SELECT l.n_nodes, l.edges, r.text_forms
                       FROM lattice_lists AS l
                       JOIN reference_texts('references', numbered_as := 'lattices') AS r ON r.sentence = l.sentence
                       WHERE l.corpus = 'lattices'""",
    "split_keys": "SELECT t.tree, 'unrooted' FROM packed_trees('trees') AS t",
}
FILES = {
    "reference": "reference.conllu",
    "hypothesis": "hypothesis.conllu",
    "links": "reference-hypothesis.align",
    "lattices": "lattices.plf",
    "references": "lattices.txt",
    "trees": "gold.mrg",
}


@pytest.mark.compiled
def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of fixtures, repeated until several threads share them, and a fault in the last row."""
    by_name = {function.name: function for function in FUNCTIONS}
    with treesql.connect() as db:
        for corpus, file in FILES.items():
            db.load(FIXTURES / file, corpus=corpus)
        given = {name: db.sql(sql).arrow() for name, sql in ARGUMENTS.items()}
    for name, rows in given.items():
        columns = pa.concat_tables([rows] * (1 + 1000 // len(rows))).combine_chunks().columns
        found = []
        for n in (1, 2, 7):
            monkeypatch.setattr(threads, "n_cores", lambda n=n: n)
            found.append(by_name[name].bounded(*columns))
        assert len(found[0]) == len(columns[0]) >= 1000
        assert all(one.equals(found[0]) for one in found)
    heads = pa.chunked_array([[[0]] * 999 + [[5]]], pa.list_(pa.int32()))
    relations, links = (pa.chunked_array([[[value]] * 1000]) for value in ("root", 1))
    with pytest.raises(ValueError, match="spanning_tree, row 1000 of 1000"):
        by_name["spanning_tree"].bounded(heads, relations, heads, relations, links, links)


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), None])
def test_an_interrupted_kernel(cause: BaseException | None) -> None:
    """numba tells Ctrl-C as a SystemError."""

    def stopped(values: pa.ChunkedArray) -> pa.Array:
        raise SystemError("returned a result with an exception set") from cause

    function = Function("stopped", "never", (("n", "INTEGER"),), "INTEGER", stopped, ())
    with pytest.raises(KeyboardInterrupt if cause else SystemError):
        function.bounded(pa.chunked_array([[1]]))


LISTS = [["a", "b"], [], ["c"], ["d", "e", "f"], []]


@in_turn("kind", [pa.list_(pa.string()), pa.large_list(pa.string())])
@in_turn(("first", "last"), [(0, 5), (1, 4), (2, 2), (3, 5), (4, 5)])
def test_lists_and_parts_of_them(kind: pa.DataType, first: int, last: int) -> None:
    whole = pa.array(LISTS, kind)
    items, offsets = flatten(whole.slice(first, last - first))
    assert items.to_pylist() == [item for one in LISTS[first:last] for item in one]
    assert offsets.tolist() == [sum(map(len, LISTS[first:at])) for at in range(first, last + 1)]
    in_chunks = pa.chunked_array([whole.slice(first, 1), whole.slice(first + 1)]) if first < 4 else whole.slice(first)
    assert flatten(in_chunks)[0].to_pylist() == [item for one in LISTS[first:] for item in one]


def test_a_list_that_is_null_has_no_items() -> None:
    items, offsets = flatten(pa.array([["a"], None, ["b", "c"]]).slice(1))
    assert (items.to_pylist(), offsets.tolist()) == (["b", "c"], [0, 0, 2])


@in_turn(
    ("call", "what"),
    [
        ("symmetrise([1, 2], [1], [3, 3], 'union', 'either')", r"symmetrise, row 1 of 1: .*many: lists of 2 and of 1"),
        ("symmetrise([1, 1], [2, 2], [3, 3], 'grow-diag', 'either')", "1-2 comes after 1-2"),
        ("symmetrise([2, 1], [1, 1], [3, 3], 'grow-diag', 'either')", "1-1 comes after 2-1"),
        ("symmetrise([1], [1], [4], 'union', 'either')", "a direction is 1, 2 or 3, for both: 4"),
        ("symmetrise([-1], [1], [3], 'union', 'either')", "a link is to no word: -1"),
        ("symmetrise([1], [1], [2], 'grow', 'either')", "grow-diag-final-and, not grow$"),
        ("symmetrise([1], [1], [2], 'grow-diag', 'no')", "the variant is either or both, not no$"),
        ("match_links([1, 2], [1], [1], [1])", "sources and targets of links must be as many: lists of 2 and of 1"),
        ("match_links([1], [1], [1], [-1])", "match_links, row 1 of 1: a link is to no word: -1"),
        ("path_encoding([0, 5], ['a', 'b'], 2, 1)", "path_encoding, row 1 of 1: a head is no word of the sentence: 5"),
        ("spanning_tree([0, 1], ['a', 'b'], [0], ['a'], [-4], [1])", "a link is to no word of the sentence: -4"),
        ("edit_steps(CAST(range(9000) AS VARCHAR[]), CAST(range(9000) AS VARCHAR[]))",
         "9,001 by 9,001 words are too many to compare; no more than 67,108,864 pairs are"),
        ("common_subsequence(CAST(range(70000) AS VARCHAR[]), CAST(range(70000) AS VARCHAR[]))", "too many to compare"),
        ("dependency_tree_edit_distance([0 FOR i IN range(9000)], ['a' FOR i IN range(9000)], "
         "[0 FOR i IN range(9000)], ['a' FOR i IN range(9000)], [], [], 'deprel')", "too many to compare"),
    ],
)  # fmt: skip
def test_arguments_that_fit_no_kernel(db: treesql.Database, call: str, what: str) -> None:
    with pytest.raises(QueryError, match=what) as raised:
        db.sql(f"SELECT {call}")
    assert "\n" not in str(raised.value)


def values(db: treesql.Database, function: Function, rows: list[list[Any]]) -> list[object] | str:
    """The values of rows in one call, or its error."""
    try:
        return db.sql(call_of(function, rows)).arrow()["found"].to_pylist()
    except TreesqlError as error:
        return str(error)


@pytest.mark.parametrize("trials", [1, pytest.param(20, marks=pytest.mark.thorough)])
@in_turn("function", FUNCTIONS)
def test_rows_of_one_call(examples: treesql.Database, function: Function, trials: int) -> None:
    chance = Random(function.name)
    for _ in range(trials):
        rows = [valid(function, chance, 3) for _ in range(2)]
        together = values(examples, function, rows)
        alone = [values(examples, function, [row]) for row in rows]
        if isinstance(together, str) and not any(isinstance(one, str) for one in alone):
            assert "must be the same" in together
        elif isinstance(together, list):
            assert [[value] for value in together] == alone
