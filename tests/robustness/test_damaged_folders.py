"""Damage to folders of Parquet is seen: a few folders by two doors, and in the slow test every kind by four; the
campaign has all doors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robustness import damaged_folders
from tests.robustness.damaged_folders import DAMAGES, DOORS, FolderDamage

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


def test_no_damage_is_silent(tmp_path: Path) -> None:
    doors = {name: DOORS[name] for name in ("count", "load")}
    found = damaged_folders.run(FolderDamage(tmp_path, doors), 4, 5)
    assert [one for one in found if one.wrong] == []
    assert all("load" in one.refused for one in found)


@pytest.mark.slow
def test_no_kind_of_damage_is_silent(tmp_path: Path) -> None:
    doors = {name: DOORS[name] for name in ("sql", "first rows", "find", "export")}
    found = damaged_folders.run(FolderDamage(tmp_path, doors), len(DAMAGES), 1)
    assert [one for one in found if one.wrong] == []
