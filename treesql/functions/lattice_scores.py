"""SQL function that sums over all paths of a lattice by the scores of its edges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import flatten, list_array, to_arrow, to_numpy
from treesql.functions.checks import InvalidRow, row_of
from treesql.functions.function import Function
from treesql.functions.lattice import ROWS_OF_LATTICES, batch_of
from treesql.kernels.arrays import Floats, Ints

PACKED_SCORED_EDGES = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], score DOUBLE)[]"
"""The edges of a lattice with a score each, in any order."""

MAX_SCORE = 1e100
"""Maximum size of a score, so that no sum along a path overflows."""


def edge_posteriors(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The posteriors of the edges of every lattice, in the order of their numbers."""
    from treesql.kernels.lattice_scores import path_sums  # here, for it brings the compiler

    no_words = list_array(pa.array([], pa.string()), np.zeros(len(n_nodes) + 1, dtype=np.int64))
    batch, numbers, _ = batch_of(n_nodes, edges, pa.chunked_array([no_words]))
    sums = path_sums(batch, _scores_of(edges, batch.edge_offsets, numbers))
    return list_array(to_arrow(sums.posteriors), batch.edge_offsets)


def _scores_of(edges: pa.ChunkedArray, offsets: Ints, numbers: Ints) -> Floats:
    """The scores of edges in the order of their numbers, as `batch_of` sorts them. Raises InvalidRow."""
    packed, _ = flatten(edges)
    lattice = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((to_numpy(packed.field("edge"), np.int64), lattice))
    scores: Floats = to_numpy(packed.field("score"), np.float64)[order]
    wrong = ~(np.abs(scores) <= MAX_SCORE)  # also NaN
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidRow(
            row_of(at, offsets), f"edge {numbers[at]} has the score {scores[at]}; none is larger than {MAX_SCORE:g}"
        )
    return scores


FUNCTIONS = (
    Function(
        "path_posteriors",
        "the posterior of every edge of a lattice, in the order of their numbers: the share of the sum of exp(score) "
        "over all paths that paths with the edge have, by the forward-backward algorithm; 0 for edges on no path",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES)),
        "DOUBLE[]",
        edge_posteriors,
        rows=ROWS_OF_LATTICES,
    ),
)
