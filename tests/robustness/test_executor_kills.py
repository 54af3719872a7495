"""An executor of Spark is killed in the middle of a score: a short form of `tests.robustness.executor_kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extras import require_extra
from tests.robustness.executor_kills import kill_in_scores, make_folder, start_cluster

require_extra("spark")


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kills", [1, 20])
def test_the_numbers_are_right_without_an_executor(tmp_path: Path, kills: int) -> None:
    folder = make_folder(tmp_path)
    session = start_cluster()
    try:
        found = list(kill_in_scores(session, folder, kills, seed=1))
    finally:
        session.stop()
    assert [one.problem for one in found if one.problem] == []
    assert len(found) == kills
    assert any(one.running for one in found)
