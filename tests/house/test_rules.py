"""What the rules of the house share: all that break one are reported, not the first alone."""

from __future__ import annotations

import inspect

import pytest

from tests.house.rules import in_turn


def test_every_value_is_checked_in_turn_and_all_that_fail_are_reported() -> None:
    seen: list[tuple[str, int, int]] = []

    @in_turn("other", [0, 1])
    @in_turn(("value", "limit"), [(1, 5), (7, 5), (8, 9)])
    def check(fixture: str, value: int, limit: int, other: int) -> None:
        seen.append((fixture, value, other))
        assert value < limit
        if other:
            with pytest.raises(ValueError, match="never"):
                int("1")

    assert list(inspect.signature(check).parameters) == ["fixture"]
    with pytest.raises(pytest.fail.Exception) as failed:
        check(fixture="f")
    assert seen == [("f", value, other) for other in (0, 1) for value in (1, 7, 8)]
    text = str(failed.value)
    assert text.startswith("2 break this rule\n0, (0,): Failed: 1 break this rule\n1, (7, 5): AssertionError")
    assert "1, (1,): Failed: 3 break this rule" in text
    assert text.count("DID NOT RAISE") == 2
