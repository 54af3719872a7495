"""Prune edges by their posteriors: by the confidence of the scores that made the lattice, without references.

Source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition; Bernreuther 2005,
Lattice evaluation techniques, 4.1 (pruning without references).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from treesql import catalog
from treesql.errors import UsageError
from treesql.kernels.arrays import Floats
from treesql.lattices.pruning import DecideEach, EdgeDecisions, PruningInput, decide_edges
from treesql.scoring import statistics


class EdgePosteriors(NamedTuple):
    """posterior: (edges,) from 0 to 1; score: (edges,) the weighted sums of scores."""

    posterior: Floats
    score: Floats


def by_posteriors(thresholds: Sequence[float], *, edge_weights: str = "", scale: float = 1.0) -> DecideEach:
    """Return a rule that prunes edges whose posterior is below each threshold; the posteriors are computed once.

    If no path remains, of those with fewest failing edges the one with the best scores is kept. edge_weights, scale: of
    the query `edge_posteriors`. Raises UsageError; the rule raises Incomparable for scores that cannot be weighted.
    """
    for threshold in thresholds:
        if not 0 <= threshold <= 1:  # nor is NaN
            raise UsageError(f"a threshold of posteriors is a number from 0 to 1, not {threshold:g}")
    if not np.isfinite(scale):
        raise UsageError(f"a scale of scores is a finite number, not {scale}; 1 leaves them as they are")

    def decide(pruning_input: PruningInput) -> Iterator[EdgeDecisions]:
        found = find_posteriors(pruning_input, edge_weights, scale)
        for threshold in thresholds:
            yield decide_edges(pruning_input.lattices, found.posterior < threshold, found.score)

    return decide


def check_use(*, raw_threshold: bool, greedy: bool, thresholds: Sequence[float]) -> None:
    """Raises UsageError for options of pruning by distance, and for thresholds that prune nothing."""
    if raw_threshold or greedy:
        raise UsageError("--raw-threshold and --greedy are of tau, not of posteriors")
    if list(thresholds) == [0]:
        raise UsageError("no posterior is below 0: name a threshold from 0 to 1, such as --threshold 0.01")


def find_posteriors(pruning_input: PruningInput, edge_weights: str = "", scale: float = 1.0) -> EdgePosteriors:
    """The posteriors of all edges, in their order. Raises Incomparable for scores that cannot be weighted."""
    corpus = pruning_input.values["lattice_corpus"]
    values = {"lattice_corpus": corpus, "edge_weights": edge_weights, "scale": scale}
    rows = statistics.run_query(pruning_input.engine, catalog.query("edge_posteriors"), values)
    return EdgePosteriors(rows["posterior"].to_numpy(), rows["edge_score"].to_numpy())
