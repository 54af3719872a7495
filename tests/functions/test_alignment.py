"""SQL functions of word alignments, of words that two sentences share, and of translations."""

from __future__ import annotations

from pathlib import Path
from random import Random

import duckdb
import pytest

import treesql
from tests.house.rules import in_turn
from treesql.functions import translation


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


@pytest.mark.parametrize("few", [translation.MAX_SMALL_ROWS, 0])
def test_edit_steps(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same whether words are numbered by Arrow or, of a few rows, without it."""
    monkeypatch.setattr(translation, "MAX_SMALL_ROWS", few)
    with treesql.connect() as db:
        [row] = db.sql("SELECT edit_steps(['a', 'b', 'c'], ['a', 'x', 'c', 'd']) AS steps").rows()
    assert [tuple(step.values()) for step in row["steps"]] == [
        ("match", 1, 1), ("substitution", 2, 2), ("match", 3, 3), ("deletion", None, 4),
    ]  # fmt: skip


def test_word_texts() -> None:
    """Edits by kind, and n-grams of the reference that has most of each; blanks and tabs separate words."""
    with treesql.connect() as db:
        [row] = db.sql(
            """SELECT edit_counts('a b  c', 'a x\tc d', false) AS equal,
                      edit_counts('b c a', 'a b c d', true) AS sclite, edit_counts('', 'a', false) AS empty,
                      shared_word_n_grams('a a b', ['a b', 'a a c b', ''], 2) AS shared,
                      shared_word_n_grams('a', [''], 1) AS none"""
        ).rows()
    assert row == {
        "equal": [2, 1, 0, 1], "sclite": [2, 1, 0, 1], "empty": [0, 0, 0, 1], "shared": [3, 2, 3, 2], "none": [1, 0, 0],
    }  # fmt: skip


def test_totals_are_the_sums_of_edit_operations(tmp_path: Path) -> None:
    """Those of the nearest of two references, by both weights; a sentence without words has no operations."""
    chance, texts = Random(3), ("h", "r", "s")
    for name in texts:
        lines = (" ".join(chance.choices("abcdé", k=chance.randint(0, 9))) for _ in range(60))
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    names = "hits, substitutions, insertions, deletions, edits, hypothesis_words, reference_words"
    sums = ", ".join(f"CAST(sum({name}) AS BIGINT) AS {name}" for name in names.split(", "))
    with treesql.connect() as db:
        for name in texts:
            db.load(tmp_path / f"{name}.txt", corpus=name)
        for others in ("", "s"):
            for weights in ("equal", "sclite"):
                given = f"('h', 'r', other_corpora := '{others}', edit_weights := '{weights}')"
                keys = "sentence, reference, reference_length"
                items = db.sql(f"SELECT {keys}, {sums} FROM edit_operations{given} GROUP BY {keys} ORDER BY sentence")
                totals = db.sql(f"SELECT {keys}, {names} FROM edit_totals{given} ORDER BY sentence")
                assert totals.rows() == items.rows()


CALLS_WITH_LENGTHS = (
    "shared_n_grams(['a'], ['a'], {})",
    "shared_character_n_grams('a', 'a', {}, true)",
    "shared_word_n_grams('a', ['a'], {})",
)


@in_turn("call", CALLS_WITH_LENGTHS)
@in_turn("longest", [1, 1000])
def test_lengths_of_n_grams_up_to_the_bound(db: treesql.Database, call: str, longest: int) -> None:
    [row] = db.sql(f"SELECT {call.format(longest)} AS found")
    assert row["found"]


@in_turn("call", CALLS_WITH_LENGTHS)
@in_turn("longest", [-1, 1001, 1_000_000_000])
def test_lengths_of_n_grams_are_bounded(db: treesql.Database, call: str, longest: int) -> None:
    """What is counted takes memory for every length, up to that of the longest n-grams asked for."""
    with pytest.raises(treesql.TreesqlError, match=f"longest is {longest}; it is a number from 0 to 1000"):
        db.sql(f"SELECT {call.format(longest)} AS found")
