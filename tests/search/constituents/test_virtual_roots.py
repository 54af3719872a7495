"""Phrases and words below the virtual root of trees are sisters, as they are in Tregex and TIGERSearch."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES


@pytest.mark.filterwarnings("ignore:.*no place for 1 secondary edge")
def test_sisters_below_the_virtual_root(tmp_path: Path, db: treesql.Database) -> None:
    db.load(FIXTURES / "discontinuous.export", corpus="trees")
    asked = {
        "S $ /^\\.$/": 1, "S $. /^\\.$/": 1, "/^\\.$/ $, S": 1, "NP $ /^\\.$/": 0,
        '[cat="S"] $ [pos="."]': 1, '[cat="NP"] $ [pos="."]': 0,
    }  # fmt: skip
    for form, n in (("export", 6), ("tigerxml", 2), ("discbracket", 2)):
        db.export(tmp_path / f"trees.{form}", corpus="trees")
        db.load(tmp_path / f"trees.{form}", corpus=form)
        for request in list(asked)[-n:]:
            assert db.find(request, corpus=form, count=True).rows() == [{"count": asked[request]}], (form, request)
