"""Scores of metrics that are chosen by columns: counts are left out, and every score has one name."""

from __future__ import annotations

import pytest

from treesql.errors import UsageError
from treesql.scoring import items


def names(**columns: list[str]) -> list[tuple[str, list[str]]]:
    """By metric, in the order of the columns."""
    return [(query.name, [score.name for score in scores]) for query, scores in items.scores_of(columns)]


def test_scores_are_in_the_order_in_which_they_are_named() -> None:
    assert names(attachment=["words", "uas", "las", "la"]) == [("attachment", ["uas", "las", "la"])]
    assert names(exact_match=["exact_match", "exact_match_unlabelled"], attachment=["la", "uas"]) == [
        ("exact_match", ["exact_match", "exact_match_unlabelled"]), ("attachment", ["la", "uas"]),
    ]  # fmt: skip
    assert names() == []


def test_counts_alone_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match=r"^words of attachment cannot be compared; its scores are uas, uas_prec"):
        names(attachment=["words"])


def test_two_scores_of_one_name() -> None:
    with pytest.raises(
        UsageError,
        match="and aligned_dependency_tree_edit both have a score tree_edit_normalised; name one",
    ):
        names(dependency_tree_edit=["tree_edit_normalised"], aligned_dependency_tree_edit=["tree_edit_normalised"])
    assert len(names(attachment=["las"], exact_match=["exact_match"])) == 2
