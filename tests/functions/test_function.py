"""Functions as they are declared: what they say, rows at a time, interrupts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.functions import FUNCTIONS
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
