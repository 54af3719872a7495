"""Damage to folders of Parquet is seen: all kinds by SQL and as it is loaded, by hand by all doors."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.conftest import thorough_but
from tests.robustness.damaged_folders import DAMAGES, DOORS, SMALL, FolderDamage

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.mark.slow
@pytest.mark.parametrize(("every", "n_small"), thorough_but([(9, 2), (1, SMALL)], (9, 2)))
def test_no_damage_is_silent_by_any_door(tmp_path: Path, every: int, n_small: int) -> None:
    """every: n-th door; the first is SQL on all tables, the last loads. n_small: number of corpora that share parts."""
    doors = {name: DOORS[name] for name in list(DOORS)[::every]}
    campaign, chance = FolderDamage(tmp_path, doors, n_small=n_small), Random(1)
    found = [campaign.run(damage, chance, is_large=True) for damage in dict.fromkeys(DAMAGES)]
    assert [one for one in found if one.wrong] == []
    assert [one for one in found if one.place != "manifest" and "load" not in one.refused] == []
