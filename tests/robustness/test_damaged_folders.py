"""Damage to folders of Parquet is seen: two folders as they are loaded, all kinds by two doors in the slow test, all by
hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import thorough_but
from tests.robustness import damaged_folders
from tests.robustness.damaged_folders import DAMAGES, DOORS, FolderDamage

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


def test_no_damage_is_silent(tmp_path: Path) -> None:
    found = damaged_folders.run(FolderDamage(tmp_path, {"load": DOORS["load"]}, n_small=2), 2, 5)
    assert [(one.refused, one.wrong) for one in found] == [(("load",), ())] * 2


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([6, 1], 6))
def test_no_damage_is_silent_by_any_door(tmp_path: Path, every: int) -> None:
    """every: n-th door; the first is SQL on all tables."""
    doors = {name: DOORS[name] for name in list(DOORS)[::every]}
    found = damaged_folders.run(FolderDamage(tmp_path, doors), len(DAMAGES), 1)
    assert [one for one in found if one.wrong] == []
