"""Attacks on the server: short forms of those of `tests/robustness/server_attacks.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robustness import server_attacks


@pytest.mark.slow
def test_every_page_of_hostile_names_is_reached(tmp_path: Path) -> None:
    assert server_attacks.crawl(tmp_path, seed=1, size=8) == []


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize(("name", "size"), [("crawl", 100), ("limits", 3), ("clients", 3), ("changes", 1)])
def test_an_attack_finds_nothing(name: str, size: int, tmp_path: Path) -> None:
    assert server_attacks.run(tmp_path, 7, {name: size}) == {name: []}
