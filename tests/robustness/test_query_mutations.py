"""Mutations of queries can be made, and default tests read every query."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.house.rules import assert_none
from tests.robustness.query_mutations import MUTATIONS, related_tests
from tests.robustness.related_tests import is_read
from treesql import catalog

SHARED = {"reference_word_counts"}
"""Attributes of the name of another folder's, `reference_frequency`."""


def test_mutations_are_of_texts_that_files_have_once() -> None:
    assert_none(str(one) for one in MUTATIONS if (ROOT / one.file).read_text("utf-8").count(one.old) != 1)


def test_mutations_of_modules_have_tests() -> None:
    of_modules = [one for one in MUTATIONS if one.file.endswith(".py")]
    assert_none(
        f"{one.file}: there is no {test}, and the mutation names no other tests"
        for one in of_modules
        for test in one.tests or related_tests(one)
        if not (ROOT / test.partition("::")[0]).exists()
    )


@pytest.mark.slow
def test_every_query_is_read_by_a_default_test() -> None:
    assert_none(query for query in catalog.all_queries().keys() - SHARED if not is_read(query))
