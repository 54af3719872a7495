"""Kernels as SQL functions over Arrow batches: a module per family lists its functions as FUNCTIONS."""

from __future__ import annotations

from treesql.functions import (
    alignment,
    constituency,
    lattice,
    lattice_bleu,
    lattice_scores,
    parses,
    paths,
    translation,
    word_texts,
)
from treesql.functions.function import Function as Function

FUNCTIONS = (
    *alignment.FUNCTIONS,
    *constituency.FUNCTIONS,
    *lattice.FUNCTIONS,
    *lattice_bleu.FUNCTIONS,
    *lattice_scores.FUNCTIONS,
    *parses.FUNCTIONS,
    *paths.FUNCTIONS,
    *translation.FUNCTIONS,
    *word_texts.FUNCTIONS,
)
