"""SQL functions of all paths of a lattice: posteriors and the best path by the scores of edges, the number of paths."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import flatten, integer_array, list_array, to_arrow, to_numpy
from treesql.functions.checks import InvalidRow, row_of
from treesql.functions.function import Function
from treesql.functions.lattice import EDGES, PACKED_EDGES, ROWS_OF_LATTICES, batch_of, list_paths
from treesql.kernels.arrays import Floats, Ints

PACKED_SCORED_EDGES = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], score DOUBLE)[]"
"""The edges of a lattice with a score each, in any order."""

MAX_SCORE = 1e100
"""Maximum size of a score, so that no sum along a path overflows."""


def edge_posteriors(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The posteriors of the edges of every lattice, in the order of their numbers."""
    from treesql.kernels.lattices import path_sums  # here, as few commands need it

    batch, numbers, _ = batch_of(n_nodes, edges, _no_references(n_nodes))
    sums = path_sums(batch, _scores_of(edges, batch.edge_offsets, numbers))
    return list_array(to_arrow(sums.posteriors), batch.edge_offsets)


def best_path(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The path of every lattice with the greatest sum of scores: this sum, its words and edges."""
    from treesql.kernels.lattices import best_paths  # here, as few commands need it

    batch, numbers, words = batch_of(n_nodes, edges, _no_references(n_nodes))
    best = best_paths(batch, _scores_of(edges, batch.edge_offsets, numbers))
    path_edges, path_forms = list_paths(batch, numbers, words, best.offsets, best.edges)
    none = np.isneginf(best.scores)
    n_words = np.diff(path_forms.offsets.to_numpy())
    columns = [to_arrow(best.scores, none), integer_array(n_words, none), path_edges, path_forms]
    return pa.StructArray.from_arrays(columns, names=["score", "words", "edges", "forms"])


def log_path_count(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The natural logarithm of the number of complete paths of every lattice."""
    from treesql.kernels.lattices import path_sums  # here, as few commands need it

    batch, _, _ = batch_of(n_nodes, edges, _no_references(n_nodes))
    found = path_sums(batch, np.zeros(len(batch.from_node))).log_sums
    return to_arrow(found)


def _no_references(n_nodes: pa.ChunkedArray) -> pa.ChunkedArray:
    """An empty reference for every lattice."""
    return pa.chunked_array([list_array(pa.array([], pa.string()), np.zeros(len(n_nodes) + 1, dtype=np.int64))])


def _scores_of(edges: pa.ChunkedArray, offsets: Ints, numbers: Ints) -> Floats:
    """The scores of edges in the order of their numbers, as `batch_of` sorts them. Raises InvalidRow."""
    packed, _ = flatten(edges)
    lattice = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((to_numpy(packed.field("edge"), np.int64), lattice))
    given = packed.field("score")
    if given.null_count:
        at = int(np.flatnonzero(given.is_null().to_numpy(zero_copy_only=False)[order])[0])
        raise InvalidRow(row_of(at, offsets), f"edge {numbers[at]} has no score; give every edge of a lattice a score")
    scores: Floats = to_numpy(given, np.float64)[order]
    wrong = ~(np.abs(scores) <= MAX_SCORE)  # also NaN
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidRow(
            row_of(at, offsets), f"edge {numbers[at]} has the score {scores[at]}; none is larger than {MAX_SCORE:g}"
        )
    return scores


_EXAMPLES = (
    (
        "2",
        "[{edge: 1, from_node: 0, to_node: 1, words: ['a'], score: -1}, "
        "{edge: 2, from_node: 0, to_node: 1, words: ['b'], score: -2}]",
    ),
)

FUNCTIONS = (
    Function(
        "path_posteriors",
        "the posterior of every edge of a lattice, in the order of their numbers: the share of the sum of exp(score) "
        "over all paths that paths with the edge have, by the forward-backward algorithm; 0 for edges on no path",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES)),
        "DOUBLE[]",
        edge_posteriors,
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "best_scored_path",
        "the path of a lattice with the greatest sum of scores, of several the one with the smallest numbers of edges, "
        "the first edge first; `score` is NULL without a complete path",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES)),
        "STRUCT(score DOUBLE, words INTEGER, edges INTEGER[], forms VARCHAR[])",
        best_path,
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "log_path_count",
        "the natural logarithm of the number of complete paths of a lattice, those with the same words counted each; "
        "minus infinity without one",
        (("n_nodes", "INTEGER"), ("edges", PACKED_EDGES)),
        "DOUBLE",
        log_path_count,
        (("3", EDGES),),
        rows=ROWS_OF_LATTICES,
    ),
)
