"""Phrases and words below the virtual root of trees are sisters, as they are in Tregex and TIGERSearch."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES


@pytest.mark.filterwarnings("ignore:.*no place for 1 secondary edge")
@pytest.mark.parametrize("form", ["export", "tigerxml", "discbracket"])
def test_sisters_below_the_virtual_root(tmp_path: Path, form: str) -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "discontinuous.export", corpus="trees")
        db.export(tmp_path / f"trees.{form}", corpus="trees")
    with treesql.connect() as db:
        db.load(tmp_path / f"trees.{form}", corpus="trees")
        asked = {
            "S $ /^\\.$/": 1, "S $. /^\\.$/": 1, "/^\\.$/ $, S": 1, "NP $ /^\\.$/": 0,
            '[cat="S"] $ [pos="."]': 1, '[cat="NP"] $ [pos="."]': 0,
        }  # fmt: skip
        assert {request: db.find(request, count=True).rows()[0]["count"] for request in asked} == asked
