"""Senses of the scores of a lattice's edges: the values of corpora.score_sense."""

from __future__ import annotations

COST, LOG_LIKELIHOOD = SENSES = ("cost", "log_likelihood")
"""Costs: smaller is better. Log-likelihoods: larger is better."""
