"""What a comparison says in words, and in documents."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from treesql.results.result import Result
from treesql.significance import comparison
from treesql.significance.comparison import Comparison
from treesql.significance.methods import Method


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


def compared(p_of_b: float | None, p_of_c: float, correction: str = "holm") -> Comparison:
    """Three systems by a score that is better when it is lower; c against b is significant."""
    scores = {
        "system": ["a", "b", "c"],
        "ter": [0.5, 0.4, 0.25],
        "ter_low": [0.4, 0.3, 0.2],
        "ter_high": [0.6, 0.5, 0.3],
    }
    percent = frozenset({"ter", "ter_low", "ter_high"})
    pairs = (("a", "b", p_of_b), ("a", "c", p_of_c), ("b", "c", 0.001))
    rows = [
        {"metric": "ter", "direction": "lower", "system_a": a, "system_b": b, "p": p, "p_corrected": p}
        for a, b, p in pairs
    ]
    tests = pa.Table.from_pylist([{**row, "test": "stratified shuffling"} for row in rows])
    method = Method(runs=1000, seed=7, correction=correction)
    return Comparison(tests, scores=Result(pa.table(scores), {}, percent, {"ter": "lower"}), method=method)


def test_daggers_are_of_differences_to_the_first_system() -> None:
    """Not of c to b; the best score is the lowest."""
    head, _, *rows = compared(0.05, 0.0499).markdown().split("\n\n")[0].splitlines()
    assert head.split("|")[2].strip() == "ter ↓ (%)"
    assert [row.split("|")[2].strip() for row in rows] == [
        "50.00 [40.00, 60.00]", "40.00 [30.00, 50.00]", "**25.00**† [20.00, 30.00]",
    ]  # fmt: skip
    assert "†" not in compared(None, 0.2).markdown().split("\n\n")[0]
    assert "40.00\\textdagger{} [30.00, 50.00]" in compared(0.01, 0.01).latex()
    assert "<strong>25.00</strong>† [20.00, 30.00]</td>" in compared(0.01, 0.01)._repr_html_()


def test_a_line_explains_daggers_arrows_and_intervals() -> None:
    legend, test, correction = compared(0.01, 0.01).markdown().strip().split("\n\n")[1:]
    assert legend == (
        "† differs from a: p \\< 0.05. ↓ lower is better. Intervals: 95%, percentile bootstrap of sentences, "
        "1,000 runs, seed 7."
    )
    assert test.startswith("p (stratified shuffling, two-sided): share of 1,000 random exchanges of sentences")
    assert correction == "p is corrected by Holm's method for 3 pairs; intervals are not."
    assert "p is not corrected for the 3 pairs" in compared(0.01, 0.01, "none").html()


def test_systems_across() -> None:
    assert compared(0.01, 0.01).markdown(turned_by="system").splitlines()[:3] == [
        "| measure   |                    a |                     b |                         c |",
        "| --------- | -------------------: | --------------------: | ------------------------: |",
        "| ter ↓ (%) | 50.00 [40.00, 60.00] | 40.00† [30.00, 50.00] | **25.00**† [20.00, 30.00] |",
    ]
