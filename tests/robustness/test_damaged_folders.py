"""Damage to folders of Parquet is seen: two folders as they are loaded, all kinds by two doors in the slow test, all by
hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.conftest import thorough_but
from tests.robustness import damaged_folders
from tests.robustness.damaged_folders import DAMAGES, DOORS, SMALL, FolderDamage

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.mark.slow
def test_no_damage_is_silent(tmp_path: Path) -> None:
    found = damaged_folders.run(FolderDamage(tmp_path, {"load": DOORS["load"]}, n_small=2), 2, 5)
    assert [(one.refused, one.wrong) for one in found] == [(("load",), ())] * 2


@pytest.mark.slow
@pytest.mark.parametrize(("every", "n_small"), thorough_but([(6, 4), (1, SMALL)], (6, 4)))
def test_no_damage_is_silent_by_any_door(tmp_path: Path, every: int, n_small: int) -> None:
    """every: n-th door; the first is SQL on all tables. n_small: number of corpora that share parts."""
    doors = {name: DOORS[name] for name in list(DOORS)[::every]}
    campaign, chance = FolderDamage(tmp_path, doors, n_small=n_small), Random(1)
    found = [campaign.run(damage, chance, is_large=True) for damage in dict.fromkeys(DAMAGES)]
    assert [one for one in found if one.wrong] == []
