"""Kernels as SQL functions, and the macros that need them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import treesql
from tests.conftest import FIXTURES, bare
from treesql import catalog
from treesql.errors import QueryError
from treesql.functions import FUNCTIONS
from treesql.functions.function import Function

KERNEL = [query.name for query in catalog.all_queries().values() if query.needs_kernel]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with gold and parser-a, parses, links and links-a, reference, hypothesis and their alignment.

    Lattices, and the texts references and hypotheses.
    """
    path = tmp_path_factory.mktemp("functions") / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus in ("gold", "parser-a", "reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        for side in ("gold", "test"):
            db.load(FIXTURES / f"{side}.mrg", corpus=f"{side} parses")
        for corpus in ("links", "links-a"):
            db.load(FIXTURES / f"{corpus}.pharaoh", corpus=corpus)
        db.load(FIXTURES / "reference-hypothesis.align", corpus="alignment")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lattices.txt", corpus="references")
        db.load(FIXTURES / "hypotheses.txt", corpus="hypotheses")
    return path


@pytest.fixture(params=["memory", "file", "read-only", "safe"])
def connection(request: pytest.FixtureRequest, file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of every kind."""
    how = {"file": {}, "read-only": {"read_only": True}, "safe": {"read_only": True, "safe": True}}.get(request.param)
    with treesql.connect() if how is None else treesql.connect(file, **how) as db:
        yield bare(db)


def matches(connection: duckdb.DuckDBPyConnection, left: object, right: object) -> object:
    sql = "SELECT common_subsequence(CAST(? AS VARCHAR[]), CAST(? AS VARCHAR[]))"
    [(found,)] = connection.execute(sql, [left, right]).fetchall()
    return found


def positions(*pairs: tuple[int, int]) -> list[dict[str, int]]:
    return [{"left_position": left, "right_position": right} for left, right in pairs]


def test_common_subsequence(connection: duckdb.DuckDBPyConnection) -> None:
    assert matches(connection, ["a"], ["a"]) == positions((1, 1))
    assert matches(connection, ["a", "b", "c"], ["x", "b", "c"]) == positions((2, 2), (3, 3))
    assert matches(connection, ["é", "漢", "a long form of more than twelve bytes"], ["漢", "é"]) == positions((2, 1))
    assert matches(connection, ["a"], ["A"]) == []


def test_nothing_to_match(connection: duckdb.DuckDBPyConnection) -> None:
    assert matches(connection, [], []) == []
    assert matches(connection, ["a"], []) == []
    assert matches(connection, [], ["a"]) == []
    assert matches(connection, None, ["a"]) is None
    assert matches(connection, ["a"], None) is None
    assert connection.execute("SELECT common_subsequence([], [])").fetchall() == [([],)]
    none = "SELECT common_subsequence(a, a) FROM (SELECT ['a'] AS a) WHERE a = ['b']"
    assert connection.execute(none).fetchall() == []


def test_lists_among_nulls(connection: duckdb.DuckDBPyConnection) -> None:
    found = connection.execute("""
        SELECT number, common_subsequence(a, b)
        FROM (VALUES (1, ['x', 'y'], ['y']), (2, NULL, ['y']), (3, ['z'], []), (4, ['p'], ['q', 'p']), (5, ['r'], NULL))
            AS t(number, a, b)
        ORDER BY number
    """).fetchall()
    assert found == [(1, positions((2, 1))), (2, None), (3, []), (4, positions((1, 2))), (5, None)]


def test_more_rows_than_a_chunk(connection: duckdb.DuckDBPyConnection) -> None:
    """10,000 rows in several threads, some of them NULL, some chosen by a filter; checked by SQL of another kind."""
    rows = """
        SELECT i, CASE WHEN i % 7 = 3 THEN NULL ELSE [CAST(i + j AS VARCHAR) FOR j IN range(i % 5)] END AS a,
               [CAST(i + j AS VARCHAR) FOR j IN range(1, 2 + i % 3)] AS b
        FROM range(10000) AS r(i)
        WHERE i % 11 <> 5
    """
    [(total, wrong, nulls)] = connection.execute(f"""
        SELECT count(*), count(*) FILTER (
                   WHERE length(found) <> length(list_intersect(a, b))
                      OR NOT list_bool_and([a[f.left_position] = b[f.right_position] FOR f IN found])),
               count(*) FILTER (WHERE found IS NULL)
        FROM (SELECT i, a, b, common_subsequence(a, b) AS found FROM ({rows}))
    """).fetchall()
    assert (total, wrong) == (10000 - 909, 0)
    assert nulls == sum(1 for i in range(10000) if i % 7 == 3 and i % 11 != 5)
    [(matched,)] = connection.execute(f"SELECT sum(len(common_subsequence(a, b))) FROM ({rows})").fetchall()
    shared = (max(0, min(i % 5, 2 + i % 3) - 1) for i in range(10000) if i % 7 != 3 and i % 11 != 5)
    assert matched == sum(shared) > 2048


REFERENCE = "[2, 4, 4, 0, 7, 7, 4], ['DET', 'NSUBJ', 'AUX', 'root', 'DET', 'CMP', 'DOBJ']"
HYPOTHESIS = "[2, 3, 0, 5, 3], ['DET', 'NSUBJ', 'root', 'DET', 'DOBJ']"
PAIR = f"{REFERENCE}, {HYPOTHESIS}, [1, 2, 4, 5, 6], [4, 5, 3, 1, 2]"


def value(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    [(found,)] = connection.execute(f"SELECT {sql}").fetchall()
    return found


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
        db.connection,
        "path_disparity({'ascending': ['XCOMP', 'XCOMP'], 'direction': 'alpha', 'descending': []}, "
        "{'ascending': [], 'direction': 'beta', 'descending': ['XCOMP', 'XCOMP']})",
    )
    assert found == {"disparity": 5, "maximum": 5}


def test_spanning_tree(db: treesql.Database) -> None:
    edges = [(1, 2, 0, 2), (2, 3, 2, 2), (3, 4, 2, 3), (4, 5, 1, 3)]
    expected = [dict(zip(("first", "second", "disparity", "maximum"), edge, strict=True)) for edge in edges]
    assert value(db.connection, f"spanning_tree({PAIR})") == expected
    assert value(db.connection, "spanning_tree([], [], [], [], [], [])") == []
    assert value(db.connection, "spanning_tree(NULL, [], [], [], [], [])") is None
    relation = "spanning_tree([0, 1], ['root', 'nmod:poss'], [0, 1], ['root', '{}'], [1, 2], [1, 2])[1].disparity"
    assert value(db.connection, relation.format("nmod:poss")) == 0
    assert value(db.connection, relation.format("nmod")) == 1  # a relation is one symbol, compared whole


def test_spanning_trees_of_many_rows(db: treesql.Database) -> None:
    """More than a chunk, in several threads, some of them NULL: the same for every row as alone."""
    found = db.connection.execute(f"""
        SELECT i % 4, count(*), min(d), max(d) FROM (
            SELECT i, list_sum([e.disparity FOR e IN spanning_tree({REFERENCE}, {HYPOTHESIS}, a, b)]) AS d
            FROM (SELECT i, [[1, 2, 4, 5, 6], [1, 6], NULL, [4]][i % 4 + 1] AS a,
                         [[4, 5, 3, 1, 2], [4, 2], [1], [3]][i % 4 + 1] AS b
                  FROM range(10000) AS r(i)))
        GROUP BY i % 4 ORDER BY i % 4
    """).fetchall()
    assert found == [(0, 2500, 5, 5), (1, 2500, 4, 4), (2, 2500, None, None), (3, 2500, None, None)]


@pytest.mark.parametrize(
    ("costs", "expected"), [("structure", 2), ("deprel", 2), ("aligned", 6), ("aligned_strict", 6)]
)
def test_dependency_tree_edit_distance(db: treesql.Database, costs: str, expected: int) -> None:
    """zss and apted find the same."""
    assert value(db.connection, f"dependency_tree_edit_distance({PAIR}, '{costs}')") == expected


def test_tree_edit_distances_at_different_costs(db: treesql.Database) -> None:
    sql = f"""
        SELECT list(dependency_tree_edit_distance({PAIR}, c) ORDER BY i)
        FROM (VALUES (1, 'aligned'), (2, 'structure'), (3, NULL), (4, 'aligned_strict')) AS t(i, c)
    """
    assert db.connection.execute(sql).fetchall() == [([6, 2, None, 6],)]
    assert value(db.connection, "dependency_tree_edit_distance([], [], [0, 1], ['a', 'b'], [], [], 'deprel')") == 2


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("spanning_tree([2, 1], ['a', 'b'], [0], ['a'], [1], [1])", "its heads form a cycle"),
        ("spanning_tree([5], ['a'], [0], ['a'], [1], [1])", "a head is no word of the sentence"),
        ("spanning_tree([0], ['a'], [0], ['a'], [2], [1])", "a link is to no word of the sentence"),
        ("spanning_tree([0], ['a'], [0], ['a'], [1], [])", "the two lists of links are not of one length"),
        ("spanning_tree([0], ['a', 'b'], [0], ['a'], [1], [1])", "not as many heads as relations"),
        ("spanning_tree([NULL], ['a'], [0], ['a'], [1], [1])", "a number is missing"),
        ("path_encoding([0], ['a'], 1, 2)", "there is no such word in the sentence"),
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
    ids=range(13),
)  # fmt: skip
def test_trees_and_links_that_are_none(db: treesql.Database, call: str, what: str) -> None:
    with pytest.raises((QueryError, OSError), match=what):
        db.sql(f"SELECT {call}")


EDGE = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]"


@pytest.mark.parametrize("function", ["nearest_path", "nearest_path_per_word", "nearest_bag", "nearest_bag_per_word"])
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
def test_lattices_that_are_none(function: str, n_nodes: int, edges: str, what: str) -> None:
    """In the third of four rows, on the safe connection; in one line, with the row and the value."""
    sql = f"""
        SELECT {function}(t.n, t.e, ['x']) FROM (
            SELECT unnest([3, 2, {n_nodes}, 2]) AS n,
                   unnest([CAST([(0, 0, 1, ['a'])] AS {EDGE}), [], CAST({edges} AS {EDGE}), []]) AS e) AS t
    """
    place = "" if "NULL" in what else ", row 3 of 4"
    with treesql.connect(safe=True) as db, pytest.raises(QueryError, match=f"^{function}{place}: [^\n]*{what}[^\n]*$"):
        db.sql(sql)


@pytest.mark.parametrize("function", ["nearest_path", "nearest_path_per_word", "nearest_bag", "nearest_bag_per_word"])
def test_nodes_without_edges_take_no_memory(function: str) -> None:
    """Nodes are numbered in a lattice of two billion as in one of three, with the same paths."""
    [row] = (
        treesql.connect()
        .sql(f"""
        SELECT {function}(2147483647, [(4, 0, 1000, ['a']), (6, 1000, 2147483646, ['b', 'c'])], ['a', 'c']) AS many,
               {function}(3, [(4, 0, 1, ['a']), (6, 1, 2, ['b', 'c'])], ['a', 'c']) AS few,
               {function}(2147483647, [(4, 0, 1000, ['a'])], ['a', 'c']) AS incomplete
    """)
        .rows()
    )
    assert row["many"] == row["few"]
    assert row["many"]["edges"] == [4, 6]
    assert row["incomplete"]["errors"] is None


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("symmetrise([1, 2], [1], [3, 3], 'union')", r"symmetrise, row 1 of 1: .*must be as many: lists of 2 and of 1"),
        ("symmetrise([1, 1], [2, 2], [3, 3], 'grow-diag')", "1-2 stands behind 1-2"),
        ("symmetrise([2, 1], [1, 1], [3, 3], 'grow-diag')", "1-1 stands behind 2-1"),
        ("symmetrise([1], [1], [4], 'union')", "a direction is 1, 2 or 3, for both: 4"),
        ("symmetrise([-1], [1], [3], 'union')", "a link is to no word: -1"),
        ("symmetrise([1], [1], [2], 'grow')", "grow-diag-final-and, not grow$"),
        ("path_encoding([0, 5], ['a', 'b'], 2, 1)", "path_encoding, row 1 of 1: a head is no word of the sentence: 5"),
        ("spanning_tree([0, 1], ['a', 'b'], [0], ['a'], [-4], [1])", "a link is to no word of the sentence: -4"),
        ("edit_steps(CAST(range(9000) AS VARCHAR[]), CAST(range(9000) AS VARCHAR[]))",
         "9,001 by 9,001 words are too many to compare; no more than 67,108,864 pairs are"),
        ("common_subsequence(CAST(range(70000) AS VARCHAR[]), CAST(range(70000) AS VARCHAR[]))", "too many to compare"),
        ("dependency_tree_edit_distance([0 FOR i IN range(9000)], ['a' FOR i IN range(9000)], "
         "[0 FOR i IN range(9000)], ['a' FOR i IN range(9000)], [], [], 'deprel')", "too many to compare"),
    ],
    ids=range(11),
)  # fmt: skip
def test_arguments_that_fit_no_kernel(db: treesql.Database, call: str, what: str) -> None:
    with pytest.raises(QueryError, match=what) as raised:
        db.sql(f"SELECT {call}")
    assert "\n" not in str(raised.value)


def test_quartets_of_too_many_leaves(db: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from treesql.kernels import quartets

    monkeypatch.setattr(quartets, "MOST_LEAVES", 5)
    words = "'phrases': [1 FOR i IN range(6)], 'forms': range(6)::UBIGINT[], 'kinds': [0::UTINYINT FOR i IN range(6)]"
    tree = f"{{'parents': [0], {words}}}"
    with pytest.raises(QueryError, match="quartet_counts, row 1 of 1: 6 leaves, but quartets are counted of 5 at most"):
        db.sql(f"SELECT quartet_counts({tree}, {tree}, 'order')")


def test_links_sorted_in_every_row(db: treesql.Database) -> None:
    """A row may begin where the one before ended, rows without links in between."""
    sql = """
        SELECT symmetrise(t.s, t.s, [3 FOR i IN t.s], 'grow-diag') AS links
        FROM (VALUES ([]), ([5, 6]), ([]), ([]), ([1]), ([1, 2]), ([])) AS t(s)
    """
    assert [len(row["links"]) for row in db.sql(sql).rows()] == [0, 2, 0, 0, 1, 2, 0]


def test_the_row_of_a_fault_in_slow_functions(db: treesql.Database) -> None:
    """Of all that were given at once, not of the few that are compared at a time."""
    tree = "{'parents': CAST([i // 200] AS INTEGER[]), 'phrases': [1], 'forms': [1::UBIGINT], 'kinds': [0::UTINYINT]}"
    what = "quartet_counts, row 201 of 300: the phrases of a tree must be in preorder; phrase 1 is below 1"
    with pytest.raises(QueryError, match=what):
        db.sql(f"SELECT quartet_counts(t, t, 'order') FROM (SELECT {tree} AS t FROM range(300) AS r(i))")


def test_every_function_says_what_it_is() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(set(names)) == len(names) > 5
    assert all(function.doc and function.parameters for function in FUNCTIONS)


def test_symmetrised_links_of_rows(db: treesql.Database) -> None:
    """Methods may differ from row to row; sentences without links, and NULL, are rows as well."""
    sql = """
        SELECT symmetrise(v.s, v.t, v.d, v.m) AS links
        FROM (VALUES ([1, 1, 2], [1, 2, 2], [3, 1, 2], 'union'), ([1, 1, 2], [1, 2, 2], [3, 1, 2], 'intersection'),
                     ([1, 1, 9], [1, 2, 9], [3, 1, 2], 'grow-diag'), ([], [], [], 'grow-diag-final'),
                     (NULL, NULL, NULL, 'union'), ([1, 1, 9], [1, 2, 9], [3, 1, 2], 'grow-diag-final-and'))
             AS v(s, t, d, m)
    """
    found = [row["links"] for row in db.sql(sql).rows()]
    assert [links and [(link["source"], link["target"]) for link in links] for links in found] == [
        [(1, 1), (1, 2), (2, 2)],
        [(1, 1)],
        [(1, 1), (1, 2)],
        [],
        None,
        [(1, 1), (1, 2), (9, 9)],
    ]


def oracle(function: str, edges: str, reference: str) -> dict[str, Any]:
    packed = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]"
    with treesql.connect() as db:
        sql = f"SELECT {function}(3, CAST({edges} AS {packed}), CAST({reference} AS VARCHAR[])) AS path"
        path: dict[str, Any] = db.sql(sql).rows()[0]["path"]
    return path


EDGES = "[(7, 1, 2, ['c']), (2, 0, 1, ['a', 'b']), (4, 0, 2, ['b', 'a', 'c', 'd'])]"


@pytest.mark.parametrize(
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
def test_nearest_paths(function: str, reference: str, expected: tuple[int, int, list[int]]) -> None:
    """Edges in any order, by any numbers; the path is told by these."""
    path = oracle(function, EDGES, reference)
    assert (path["errors"], path["words"], path["edges"]) == expected
    assert path["proven"]
    assert path["forms"] == (["a", "b", "c"] if expected[2] == [2, 7] else ["b", "a", "c", "d"])


@pytest.mark.slow
def test_keys_are_the_same_whatever_buffers_hold_the_texts(db: treesql.Database) -> None:
    """DuckDB's settings choose the Arrow type of texts."""
    sql = "SELECT list(text_key(t) ORDER BY t) AS keys FROM (VALUES ('a'), ('b'), ('a longer text')) AS v(t)"
    [usual] = db.sql(sql).rows()
    assert len(set(usual["keys"])) == 3
    for setting in ("arrow_large_buffer_size", "produce_arrow_string_view"):
        with treesql.connect() as other:
            other.connection.execute(f"SET {setting} = true")
            assert other.sql(sql).rows() == [usual]


def test_paths_without_words_have_no_quotient() -> None:
    for function in ("nearest_path_per_word", "nearest_bag_per_word"):
        path = oracle(function, "[(0, 0, 2, [])]", "['a']")
        assert (path["errors"], path["words"], path["edges"], path["forms"]) == (None, None, [], [])


def test_edit_steps() -> None:
    with treesql.connect() as db:
        [row] = db.sql("SELECT edit_steps(['a', 'b', 'c'], ['a', 'x', 'c', 'd']) AS steps").rows()
    assert [tuple(step.values()) for step in row["steps"]] == [
        ("match", 1, 1), ("substitution", 2, 2), ("match", 3, 3), ("deletion", None, 4),
    ]  # fmt: skip


def macros(connection: duckdb.DuckDBPyConnection) -> set[str]:
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table_macro'"
    return {name for (name,) in connection.execute(sql).fetchall()}


def test_macros_that_need_kernels_ask_for_their_corpora(db: treesql.Database) -> None:
    """They are there in a database in memory as well."""
    assert {"aligned_words", "aligned_attachment", "conll18", "enhanced_attachment"} <= set(KERNEL)
    for name in KERNEL:
        given = (p for p in catalog.query(name).parameters if p.default is None)
        values = ", ".join(f"'{p.choices[0] if p.choices else 'none'}'" for p in given)
        with pytest.raises((QueryError, OSError), match=f"{name}: there is no corpus none"):
            db.sql(f"FROM {name}({values})")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"read_only": True, "safe": True}])
def test_macros_that_need_kernels_work_on_a_file(file: Path, options: dict[str, bool]) -> None:
    before = file.read_bytes() if options else b""
    with treesql.connect(file, **options) as db:
        for name in KERNEL:
            query = catalog.query(name)
            given = [p for p in query.parameters if p.default is None]
            parses = query.family == "constituency"
            gold, system = ("gold parses", "test parses") if parses else ("gold", "parser-a")
            values = {"gold_corpus": gold, "system_corpus": system, "side_corpus": gold, "tree_corpus": gold}
            values |= {"forward_corpus": "links", "backward_corpus": "links-a"}
            if query.family in ("lattice", "translation"):
                values |= {"lattice_corpus": "lattices", "reference_corpus": "references"}
                values |= {"hypothesis_corpus": "hypotheses"}
            fallback = {p.name: p.choices[0] if p.choices else p.name.removesuffix("_corpus") for p in given}
            call = ", ".join(f"'{values.get(p.name, fallback[p.name])}'" for p in given)
            rows = db.sql(f"SELECT * FROM {name}({call})")
            assert len(rows), name
            assert rows.columns == [column.name for column in query.columns], name
        assert len(db.sql("FROM aligned_words('gold', 'parser-a')")) == 30
        assert db.score("aligned_attachment", gold_corpus="gold", system_corpus="parser-a").rows()[0]["uas"] == 25 / 30
    if options:
        assert file.read_bytes() == before


def test_a_file_knows_no_kernels(file: Path) -> None:
    """Any DuckDB client can open it and use the other macros."""
    with duckdb.connect(str(file), read_only=True) as plain:
        assert macros(plain) & set(catalog.all_queries()) == set(catalog.all_queries()) - set(KERNEL)
        assert plain.execute("SELECT sum(correct_head) FROM attachment('gold', 'parser-a')").fetchall() == [(25,)]
        with pytest.raises(duckdb.CatalogException, match="aligned_attachment"):
            plain.execute("FROM aligned_attachment('gold', 'parser-a')")
        with pytest.raises(duckdb.CatalogException, match="common_subsequence"):
            plain.execute("SELECT common_subsequence(['a'], ['a'])")


def test_a_plain_client_leaves_a_file_as_it_should_be(file: Path) -> None:
    """Written to by another client in between, it opens again with all macros."""
    with duckdb.connect(str(file)) as plain:
        plain.execute("CREATE TABLE mine AS SELECT 1 AS a")
    with treesql.connect(file) as db:
        assert len(db.sql("FROM aligned_words('gold', 'gold')")) == 30
        db.load(FIXTURES / "parser-b.conllu", corpus="b")
        assert len(db.sql("FROM aligned_words('gold', 'b')")) == 30


def test_slow_functions_take_few_rows_at_a_time() -> None:
    sizes = []

    def doubled(values: pa.ChunkedArray) -> pa.Array:
        sizes.append(len(values))
        return pc.multiply(values.combine_chunks(), 2)

    function = Function("doubled", "twice", (("n", "INTEGER"),), "INTEGER", doubled, rows=3)
    assert function.bounded(pa.chunked_array([[1, 2, 3, 4], [5, 6, 7]])).to_pylist() == [2, 4, 6, 8, 10, 12, 14]
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), None])
def test_an_interrupted_kernel(cause: BaseException | None) -> None:
    """numba tells Ctrl-C as a SystemError."""

    def stopped(values: pa.ChunkedArray) -> pa.Array:
        raise SystemError("returned a result with an exception set") from cause

    function = Function("stopped", "never", (("n", "INTEGER"),), "INTEGER", stopped)
    with pytest.raises(KeyboardInterrupt if cause else SystemError):
        function.bounded(pa.chunked_array([[1]]))
