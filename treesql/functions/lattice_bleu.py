"""SQL function that finds the path of a lattice with the best BLEU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import flatten, integer_array, list_array, to_arrow
from treesql.functions.function import Function
from treesql.functions.lattice import EDGES, PACKED_EDGES, ROWS_OF_LATTICES, batch_of
from treesql.kernels.arrays import Ints, positions_in_list
from treesql.runtime.arrays import call

if TYPE_CHECKING:
    from treesql.kernels.bleu_paths import BleuPaths
    from treesql.kernels.lattices import LatticeBatch

_FIELDS = "bleu DOUBLE, words INTEGER, closest INTEGER, proven BOOLEAN, bound DOUBLE, matches INTEGER[]"


def best_bleu(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """The path of every lattice with the best sentence BLEU, as a struct of the fields that the function declares."""
    from treesql.kernels.bleu_paths import best_paths  # here, as few commands need it

    batch, text_offsets, numbers, words = batch_with_references(n_nodes, edges, references)
    best = best_paths(batch, text_offsets)
    none = ~best.found
    path_edges, forms = edges_and_forms(batch, numbers, words, best)
    orders = best.counts.shape[1] // 2 - 1
    fields = {
        "bleu": to_arrow(np.where(none, 0.0, best.value), none),
        "words": integer_array(best.counts[:, -2], none),
        "closest": integer_array(best.counts[:, -1], none),
        "proven": to_arrow(best.proven | none),
        "bound": to_arrow(np.where(none, 0.0, best.bound), none),
        "matches": list_array(integer_array(best.counts[:, :orders].ravel()), np.arange(len(none) + 1) * orders),
        "edges": path_edges,
        "forms": forms,
    }
    return pa.StructArray.from_arrays([*fields.values()], names=[*fields])


def batch_with_references(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray
) -> tuple[LatticeBatch, Ints, Ints, pa.Array]:
    """Lattices with all their references: as `batch_of` returns them, but `reference_offsets` delimit references; where
    these begin and end, the numbers of edges, and the words. Raises InvalidRow, and ValueError for a NULL."""
    texts, reference_offsets = flatten(references)
    if texts.null_count:
        raise ValueError("a list of this function cannot hold NULL")
    words, text_offsets = flatten(texts)
    joined = pa.chunked_array([list_array(words, text_offsets[reference_offsets])])
    batch, numbers, lattice_words = batch_of(n_nodes, edges, joined)
    return batch._replace(reference_offsets=reference_offsets), text_offsets, numbers, lattice_words


def edges_and_forms(batch: LatticeBatch, numbers: Ints, words: pa.Array, best: BleuPaths) -> tuple[pa.Array, pa.Array]:
    """The edges of paths by their numbers, and their words, as lists."""
    places = np.repeat(batch.edge_offsets[:-1], np.diff(best.offsets)) + best.edges
    lengths = np.diff(batch.word_offsets)[places]
    word_places = np.repeat(batch.word_offsets[places], lengths) + positions_in_list(lengths)
    word_ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)[best.offsets]
    edge_lists = list_array(integer_array(numbers[places]), best.offsets)
    return edge_lists, list_array(call("take", words, to_arrow(word_places.astype(np.int64))), word_ends)


FUNCTIONS = (
    Function(
        "best_bleu_path",
        "the path of a lattice with the best sentence BLEU against all references: exponential smoothing, only orders "
        "that the path has n-grams of. `matches` of each order are clipped; `closest` is the length of the reference "
        "closest in length. `proven` is false where the search ended at its limit; `bound` is an upper bound of all",
        (("n_nodes", "INTEGER"), ("edges", PACKED_EDGES), ("references", "VARCHAR[][]")),
        f"STRUCT({_FIELDS}, edges INTEGER[], forms VARCHAR[])",
        best_bleu,
        (("3", EDGES, "[['b', 'c'], ['a']]"),),
        rows=ROWS_OF_LATTICES,
    ),
)
