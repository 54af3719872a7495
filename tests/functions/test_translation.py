"""SQL functions of translations."""

from __future__ import annotations

import pytest

import treesql
from treesql.functions import translation


@pytest.mark.parametrize("started", [True, False])
def test_edit_steps(started: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the compiler, and of a few rows without it, where it has not been started."""
    monkeypatch.setattr(translation, "_is_compiler_started", lambda: started)
    with treesql.connect() as db:
        [row] = db.sql("SELECT edit_steps(['a', 'b', 'c'], ['a', 'x', 'c', 'd']) AS steps").rows()
    assert [tuple(step.values()) for step in row["steps"]] == [
        ("match", 1, 1), ("substitution", 2, 2), ("match", 3, 3), ("deletion", None, 4),
    ]  # fmt: skip
