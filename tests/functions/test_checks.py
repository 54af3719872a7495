"""Arguments that fit no kernel."""

from __future__ import annotations

import pytest

import treesql
from tests.house.rules import in_turn
from treesql.errors import QueryError


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
