"""Which names of files are of one treebank."""

from __future__ import annotations

import pytest

from treesql.errors import UsageError
from treesql.evaluation.paired_files import pair_names


def pair(gold: list[str], names: list[str]) -> dict[str, str]:
    return pair_names(gold, names, "out", "gold")


@pytest.mark.parametrize(
    ("gold", "name"),
    [
        ("en_ewt-ud-dev", "en_ewt"),
        ("en_ewt", "en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "en_ewt-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-EWT"),
        ("UD_English-EWT/en_ewt-ud-dev", "English-EWT/out"),
        ("UD_English-EWT/en_ewt-ud-dev", "a/en_ewt-ud-dev.parsed"),
        ("UD_Norwegian/no-ud-test", "no"),
    ],
)
def test_names_of_one_treebank(gold: str, name: str) -> None:
    assert pair([gold], [name]) == {gold: name}


@pytest.mark.parametrize(
    ("gold", "name"),
    [
        ("en_ewt-ud-dev", "en_ewt-ud-test"),
        ("en_ewt-ud-dev", "en_gum-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-GUM/en_ewt-ud-dev"),
        ("UD_English-EWT/en_ewt-ud-dev", "UD_English-EWT/en_gum"),
        ("de-en", "de-fr"),
        ("de.en", "de.fr"),
        ("de", "dev"),
        ("wsj/23", "23"),
        ("1", "2"),
        ("", "en_ewt"),
    ],
)
def test_names_of_two_treebanks(gold: str, name: str) -> None:
    assert pair([gold], [name]) == {}


def test_nothing_is_paired_by_order() -> None:
    assert pair([], []) == {}
    assert pair(["a", "b", "c"], ["b", "c", "d"]) == {"b": "b", "c": "c"}
    assert pair(["en_ewt", "de_gsd-ud-test"], ["de_gsd", "fr_gsd"]) == {"de_gsd-ud-test": "de_gsd"}


def test_an_equal_name_comes_first() -> None:
    assert pair(["en_ewt-ud-dev"], ["en_ewt", "en_ewt-ud-dev"]) == {"en_ewt-ud-dev": "en_ewt-ud-dev"}


def test_several_candidates_are_an_error_that_names_them() -> None:
    both = ["en_ewt-ud-dev", "en_ewt-ud-test"]
    with pytest.raises(UsageError, match=r"out: en_ewt may be en_ewt-ud-dev or en_ewt-ud-test of gold; .* same name"):
        pair(both, ["en_ewt"])
    with pytest.raises(UsageError, match="out: en_ewt may be"):
        pair(both, ["en_ewt", "en_ewt-ud-dev"])  # and is not the other one because one is left
    with pytest.raises(UsageError, match="gold: en_ewt may be x/en_ewt-ud-dev or y/en_ewt-ud-dev of out"):
        pair(["en_ewt"], ["x/en_ewt-ud-dev", "y/en_ewt-ud-dev"])
