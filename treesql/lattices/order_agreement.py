"""How far a metric orders lattices as another score does, above all the score of a decoder.

Source: Bernreuther 2005, Lattice evaluation techniques, definition 3.4: of two lattices, the better one by the metric
is also the better one by the decoder's translation.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from treesql import catalog
from treesql.catalog import kinds
from treesql.significance.coefficients import correlate_columns, count_ordered_pairs

COLUMNS = {
    "spearman": pa.float64(), "spearman_p": pa.float64(), "kendall": pa.float64(), "kendall_p": pa.float64(),
    "pairs": pa.int64(), "agreement": pa.float64(),
}  # fmt: skip
"""Columns of `compare_orders`."""

_KINDS = ("lattice", "translation")


def compare_orders(metric: str, predicted: str, x: Sequence[float], y: Sequence[float]) -> dict[str, float | None]:
    """The agreement of two scores on the order of n lattices: COLUMNS.

    metric, predicted: names of the scores x[n] and y[n]. Spearman's rho and Kendall's tau-b with two-sided p, None for
    fewer than three. pairs: those that differ in both scores; agreement: the share of them of which the same one is the
    better by both. Of a score without a better side, larger counts as better.
    """
    rho, tau = (correlate_columns(method, x, y) for method in ("spearman", "kendall"))
    if _is_cost(metric) != _is_cost(predicted):
        x = [-one for one in x]
    order = count_ordered_pairs(x, y)
    return {
        "spearman": rho.value, "spearman_p": rho.p, "kendall": tau.value, "kendall_p": tau.p, "pairs": order.pairs,
        "agreement": order.share,
    }  # fmt: skip


def _is_cost(name: str) -> bool:
    """Whether lower scores of this name are better."""
    scores = (
        score
        for kind in _KINDS
        for metric in kinds.kind(kind).all_metrics
        for score in catalog.query(metric).scores
        if score.name == name.removeprefix("oracle_")
    )
    return next((score.direction == "lower" for score in scores), False)
