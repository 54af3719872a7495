"""SQL functions of word alignments and of words that two sentences share."""

from __future__ import annotations

import duckdb

import treesql


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


def test_links_sorted_in_every_row(db: treesql.Database) -> None:
    """A row may begin where the one before ended, rows without links in between."""
    sql = """
        SELECT symmetrise(t.s, t.s, [3 FOR i IN t.s], 'grow-diag', 'either') AS links
        FROM (VALUES ([]), ([5, 6]), ([]), ([]), ([1]), ([1, 2]), ([])) AS t(s)
    """
    assert [len(row["links"]) for row in db.sql(sql).rows()] == [0, 2, 0, 0, 1, 2, 0]


def test_symmetrised_links_of_rows(db: treesql.Database) -> None:
    """Methods may differ from row to row; sentences without links, and NULL, are rows as well."""
    sql = """
        SELECT symmetrise(v.s, v.t, v.d, v.m, 'either') AS links
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


def test_matched_links_of_rows(db: treesql.Database) -> None:
    """Words of one row are none of another; a row without links, and NULL, are rows as well."""
    sql = """
        SELECT match_links(v.s, v.t, v.u, v.w) AS pairs
        FROM (VALUES ([1, 3], [1, 3], [1], [2]), ([1], [1], [], []), ([], [], [], []), (NULL, NULL, [1], [1]),
                     ([7, 1, 2], [7, 1, 9], [2, 1], [1, 8]), ([0], [5], [0], [6]))
             AS v(s, t, u, w)
    """
    found = [row["pairs"] for row in db.sql(sql).rows()]
    assert found == [positions((1, 1)), [], [], None, positions((2, 2), (3, 1)), []]
