"""Search, and sentences by their numbers, on inputs after public bug reports; values of other tools and definitions."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conformance.cases import CASES, needs
from treesql.errors import TreesqlWarning, UsageError

REPORTS = CASES / "reports"

pytestmark = needs(REPORTS)


def test_every_sentence_is_shown_by_its_number(tmp_path: Path) -> None:
    with treesql.connect() as db:
        with pytest.warns(TreesqlWarning, match="2 sentences with a repeated sent_id: 1, 2"):
            db.load(REPORTS / "repeated-ids.conllu", corpus="trees")
        for number, form in enumerate(("dog", "cat", "cow", "hen")):
            assert db.sentence(f"#{number}").words[0]["form"] == form
            assert db.sentence(number).words[0]["form"] == form
        with pytest.raises(UsageError, match="by its number: '#1', '#3'"):
            db.sentence("2")
