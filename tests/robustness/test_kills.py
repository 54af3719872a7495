"""Commands that write are killed at random moments: a short form of what `python -m tests.robustness.kills` does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.robustness.kills import CASES, SIGNALS, Campaign, run

FEW = ("load", "load many", "load --replace", "drop", "export", "lattice prune", "load into a new database")


@pytest.mark.thorough
@pytest.mark.parametrize("kills", [len(FEW), 20])
def test_what_is_killed_is_as_before_or_as_after(tmp_path: Path, kills: int) -> None:
    cases = [case for case in CASES if case.name in FEW]
    found = run(Campaign(tmp_path / "kills", cases, sentences=600), kills, seed=1)
    assert [one for one in found if one.wrong] == []
    assert len(found) == kills
    assert set(Counter(one.signal for one in found)) == set(SIGNALS)
    assert {one.case for one in found} == set(FEW)
