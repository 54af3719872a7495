"""SQL functions of translations."""

from __future__ import annotations

import treesql


def test_edit_steps() -> None:
    with treesql.connect() as db:
        [row] = db.sql("SELECT edit_steps(['a', 'b', 'c'], ['a', 'x', 'c', 'd']) AS steps").rows()
    assert [tuple(step.values()) for step in row["steps"]] == [
        ("match", 1, 1), ("substitution", 2, 2), ("match", 3, 3), ("deletion", None, 4),
    ]  # fmt: skip
