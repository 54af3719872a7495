"""What a comparison says in words."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.significance import comparison


def told(p: Sequence[float | None]) -> list[str]:
    """What is said of a pair for each p."""
    row = {"metric": "las", "direction": "higher", "difference": 0.01}
    row |= {"difference_low": 0.005, "difference_high": 0.015}
    rows = [{**row, "system_a": f"a{at}", "system_b": "b", "p_corrected": one} for at, one in enumerate(p)]
    return list(comparison._conclusions(rows, percent=True))


def test_many_pairs_are_told_of_together() -> None:
    """Of more than six pairs only those have sentences of their own whose difference chance can explain."""
    first, *others = told([0.01, 0.05, 0.0499, None, 0.001, 1.0, 0.001])
    assert first == "las: of 7 differences, 4 are more than chance explains."
    assert [line.split()[1] for line in others] == ["a1", "a3", "a5"]
    assert [line.split()[1] for line in told([0.01] * 6)] == [f"a{at}" for at in range(6)]
