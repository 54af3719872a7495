"""Mutations of queries can be made, and default tests read every query."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.house.rules import assert_none
from tests.robustness.query_mutations import MUTATIONS
from tests.robustness.related_tests import is_read
from treesql import catalog

SHARED = {"reference_word_counts"}
"""Attributes of the name of another folder's, `reference_frequency`."""


def test_mutations_are_of_texts_that_files_have_once() -> None:
    assert_none(str(one) for one in MUTATIONS if (ROOT / one.file).read_text("utf-8").count(one.old) != 1)


@pytest.mark.slow
def test_every_query_is_read_by_a_default_test() -> None:
    assert_none(query for query in catalog.all_queries().keys() - SHARED if not is_read(query))
