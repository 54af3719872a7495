"""SQL functions over the paths of a lattice: the nearest to a reference, that with the best BLEU, posteriors and the
best path by the scores of edges, the score of a text, the number of paths; and whether two lattices are equal.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    InvalidRow,
    check_lattices,
    constant,
    constant_choice,
    encode_strings,
    flatten,
    integer_array,
    list_array,
    row_of,
    to_arrow,
    to_numpy,
)
from treesql.functions.function import Function
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.lattices.lattices import LatticeBatch, places_on_paths, used_nodes
from treesql.runtime.arrays import call, cast

if TYPE_CHECKING:
    from treesql.kernels.lattices.lattice_oracles import EditCosts, OraclePaths


PACKED_EDGES = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[])[]"
"""The edges of a lattice, in any order."""

ROWS_OF_LATTICES = 64
"""Maximum number of lattices of a call."""

NAMED_WORDS = 5
"""Number of words of a reference that an error quotes."""

_ORACLE = (("n_nodes", "INTEGER"), ("edges", PACKED_EDGES), ("reference", "VARCHAR[]"))
EDGES = (
    "[{edge: 1, from_node: 0, to_node: 1, words: ['a']}, {edge: 2, from_node: 0, to_node: 1, words: ['b', 'a']}, "
    "{edge: 3, from_node: 1, to_node: 2, words: ['c']}]"
)
"""A lattice of three nodes in SQL, for examples."""

_EXAMPLES = (("3", EDGES, "['b', 'c']"),)
_PATH = "STRUCT(errors INTEGER, words INTEGER, proven BOOLEAN, bound DOUBLE, edges INTEGER[], forms VARCHAR[])"


def nearest_path(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray, *, bag: bool, quotient: bool
) -> pa.Array:
    """For every lattice the path that is nearest to its reference.

    bag: whatever the order of words; quotient: by errors for each word of the path.
    """
    from treesql.kernels.lattices import lattice_oracles, position_independent

    batch, edge_numbers, words = batch_of(n_nodes, edges, references)
    if bag:
        best = position_independent.nearest_paths_as_bags(batch, quotient=quotient)
        errors, proven, bound = best.errors, best.proven, best.bound
        n_words, offsets, path = best.n_words, best.offsets, best.edges
    else:
        search = lattice_oracles.nearest_paths_per_word if quotient else lattice_oracles.nearest_paths
        try:
            paths = search(batch)
        except lattice_oracles.LatticeTooLarge as error:
            first = " ".join(map(str, references.combine_chunks()[error.lattice].as_py()[:NAMED_WORDS]))
            raise InvalidRow(error.lattice, f"reference '{first} ...': {error.what}") from None
        errors, proven = paths.edits, np.ones(len(paths.edits), dtype=bool)
        n_words, offsets, path = paths.n_words, paths.offsets, paths.edges
        bound = errors / np.where(paths.n_words > 0, paths.n_words, 1) if quotient else errors.astype(np.float64)
    none = errors < 0
    path_lists = list_paths(batch, edge_numbers, words, offsets, path)
    return _paths(errors, n_words, proven, np.where(none, 0.0, bound), path_lists, none)


def _paths(
    errors: Ints, n_words: Ints, proven: Flags, bound: Floats, path_lists: tuple[pa.Array, pa.Array], none: Flags
) -> pa.Array:
    """Paths as a struct. path_lists: as `list_paths` returns them; none: whether a lattice has no path."""
    columns = [integer_array(errors, none), integer_array(n_words, none), to_arrow(proven), to_arrow(bound, none)]
    names = ["errors", "words", "proven", "bound", "edges", "forms"]
    return pa.StructArray.from_arrays([*columns, *path_lists], names=names)


REORDERINGS = ("none", "swap")

COST_UNIT = 1_000_000
"""Costs of edits are whole numbers of millionths."""

MAX_COST = 1000
"""Maximum cost of an edit."""


def cheapest_path(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray, *given: pa.ChunkedArray
) -> pa.Array:
    """For every lattice the path whose edits cost least. given: costs of a substitution, an insertion and a deletion,
    and one of REORDERINGS, the same in all rows."""
    from treesql.kernels.lattices.lattice_oracles import UNIT_COSTS, EditCosts, LatticeTooLarge

    *named, reordering = given
    fixed = [_in_millionths(name, column) for name, column in zip(EditCosts._fields, named, strict=True)]
    swaps = constant_choice(reordering, REORDERINGS) == 1
    shared = math.gcd(*fixed, COST_UNIT) if swaps else math.gcd(*fixed) or 1
    batch, edge_numbers, words = batch_of(n_nodes, edges, references)
    try:
        paths = _search(batch, EditCosts(*(cost // shared for cost in fixed)), COST_UNIT // shared if swaps else None)
        path_lists = list_paths(batch, edge_numbers, words, paths.offsets, paths.edges)
        errors = _search(_chains(batch, paths), UNIT_COSTS, 1 if swaps else None).edits
    except LatticeTooLarge as error:
        raise InvalidRow(error.lattice, error.what) from None
    none = paths.edits < 0
    costs = np.where(none, 0, paths.edits) * shared / COST_UNIT
    return _paths(errors, paths.n_words, np.ones(len(none), dtype=bool), costs, path_lists, none)


def _in_millionths(name: str, column: pa.ChunkedArray) -> int:
    """A cost that is the same in all rows as a number of millionths. Raises ValueError."""
    cost = constant(f"{name}_cost", column, 1.0)
    millionths = round(cost * COST_UNIT) if 0 <= cost <= MAX_COST else -1
    if millionths < 0 or abs(millionths - cost * COST_UNIT) > 1e-6:
        raise ValueError(f"{name}_cost is {cost}; it is a number from 0 to {MAX_COST} with six decimals at most")
    return millionths


def _search(batch: LatticeBatch, costs: EditCosts, swap: int | None) -> OraclePaths:
    """The paths whose edits cost least; swap: the cost of an exchange, None without any."""
    from treesql.kernels.lattices import lattice_oracles

    if swap is None:
        return lattice_oracles.nearest_paths(batch, costs=costs)
    return lattice_oracles.nearest_paths_with_swaps(batch, costs, swap)


def _chains(batch: LatticeBatch, paths: OraclePaths) -> LatticeBatch:
    """A lattice with the words of each path on one edge, and without edges where there is no path."""
    n = len(batch.n_nodes)
    found = (paths.edits >= 0).astype(np.int64)
    _, word_places, _ = places_on_paths(batch, np.arange(n), paths.offsets, paths.edges)
    per_path = np.maximum(paths.n_words, 0)[found > 0]
    edge_offsets, word_offsets = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (found, per_path))
    nodes = np.zeros(len(per_path), dtype=np.int64)
    sizes = np.full(n, 2, dtype=np.int64)
    return LatticeBatch(sizes, edge_offsets, nodes, nodes + 1, word_offsets, batch.words[word_places], *batch[6:])


def list_paths(
    batch: LatticeBatch, edge_numbers: Ints, words: pa.Array, offsets: Ints, path: Ints
) -> tuple[pa.Array, pa.Array]:
    """The numbers of the edges of a path of every lattice, and its words.

    offsets: (lattices + 1,); path: the edges of all paths, numbered within their lattice; others as of `batch_of`.
    """
    places, word_places, word_ends = places_on_paths(batch, np.arange(len(offsets) - 1), offsets, path)
    return (
        list_array(integer_array(edge_numbers[places]), offsets),
        list_array(call("take", words, to_arrow(word_places)), word_ends),
    )


def batch_of(
    n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray
) -> tuple[LatticeBatch, Ints, pa.Array]:
    """Lattices as arrays, their edges in the order of their numbers; these numbers, and the words.

    Nodes that no edge touches are left out where there are many. Raises InvalidRow.
    """
    packed, edge_offsets = flatten(edges)
    numbers, from_node, to_node = (to_numpy(packed.field(name), np.int64) for name in ("edge", "from_node", "to_node"))
    sizes = to_numpy(n_nodes.combine_chunks(), np.int64)
    check_lattices(sizes, edge_offsets, numbers, from_node, to_node)
    lattice = np.repeat(np.arange(len(edge_offsets) - 1), np.diff(edge_offsets))
    if len(numbers) and not ((np.diff(numbers) > 0) | (np.diff(lattice) > 0)).all():
        order = np.lexsort((numbers, lattice))
        packed = call("take", packed, to_arrow(order))
        numbers, from_node, to_node = numbers[order], from_node[order], to_node[order]
        _check_numbers(numbers, lattice)
    if (sizes > 2 * np.diff(edge_offsets) + 2).any():
        sizes, from_node, to_node = used_nodes(sizes, lattice, from_node, to_node)
    words, word_offsets = flatten(pa.chunked_array([packed.field("words")]))
    reference_forms, reference_offsets = flatten(references)
    word_ids, reference_ids = encode_strings(cast(words, pa.string()), cast(reference_forms, pa.string()))
    batch = LatticeBatch(
        sizes, edge_offsets, from_node, to_node, word_offsets, word_ids, reference_offsets, reference_ids,
    )  # fmt: skip
    return batch, numbers, words


def _check_numbers(numbers: Ints, lattice: Ints) -> None:
    """Check that no two edges of a lattice, in the order of their numbers, have one number."""
    again = (numbers[1:] == numbers[:-1]) & (lattice[1:] == lattice[:-1])
    if again.any():
        at = int(again.argmax())
        raise InvalidRow(int(lattice[at]), f"edge {numbers[at]} is there twice")


_FIELDS = "bleu DOUBLE, words INTEGER, closest INTEGER, proven BOOLEAN, bound DOUBLE, matches INTEGER[]"


def best_bleu(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.Array:
    """The path of every lattice with the best sentence BLEU, as a struct of the fields that the function declares."""
    from treesql.kernels.lattices.bleu_paths import best_paths  # here, as few commands need it

    batch, text_offsets, numbers, words = batch_with_references(n_nodes, edges, references)
    best = best_paths(batch, text_offsets)
    none = ~best.found
    path_edges, forms = list_paths(batch, numbers, words, best.offsets, best.edges)
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


PACKED_SCORED_EDGES = "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], score DOUBLE)[]"
"""The edges of a lattice with a score each, in any order."""

MAX_SCORE = 1e100
"""Maximum size of a score, so that no sum along a path overflows."""


def edge_posteriors(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The posteriors of the edges of every lattice, in the order of their numbers."""
    from treesql.kernels.lattices.lattices import path_sums  # here, as few commands need it

    batch, numbers, _ = batch_of(n_nodes, edges, _no_references(n_nodes))
    sums = path_sums(batch, _scores_of(edges, batch.edge_offsets, numbers))
    return list_array(to_arrow(sums.posteriors), batch.edge_offsets)


def best_path(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The path of every lattice with the greatest sum of scores: this sum, its words and edges."""
    from treesql.kernels.lattices.lattices import best_paths  # here, as few commands need it

    batch, numbers, words = batch_of(n_nodes, edges, _no_references(n_nodes))
    best = best_paths(batch, _scores_of(edges, batch.edge_offsets, numbers))
    path_edges, path_forms = list_paths(batch, numbers, words, best.offsets, best.edges)
    none = np.isneginf(best.scores)
    n_words = np.diff(path_forms.offsets.to_numpy())
    columns = [to_arrow(best.scores, none), integer_array(n_words, none), path_edges, path_forms]
    return pa.StructArray.from_arrays(columns, names=["score", "words", "edges", "forms"])


def score_of_words(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray, texts: pa.ChunkedArray) -> pa.Array:
    """The greatest sum of scores of a path of every lattice with the words of a text."""
    from treesql.kernels.lattices.lattices import scores_of_words  # here, as few commands need it

    batch, numbers, _ = batch_of(n_nodes, edges, texts)
    return to_arrow(scores_of_words(batch, _scores_of(edges, batch.edge_offsets, numbers)))


def log_path_count(n_nodes: pa.ChunkedArray, edges: pa.ChunkedArray) -> pa.Array:
    """The natural logarithm of the number of complete paths of every lattice."""
    from treesql.kernels.lattices.lattices import path_sums  # here, as few commands need it

    batch, _, _ = batch_of(n_nodes, edges, _no_references(n_nodes))
    log_counts = path_sums(batch, np.zeros(len(batch.from_node))).log_sums
    return to_arrow(log_counts)


NUMBERED_EDGES = (
    "STRUCT(edge INTEGER, from_node INTEGER, to_node INTEGER, words VARCHAR[], phrase INTEGER, scored INTEGER)[]"
)
"""The edges of a lattice, in any order, with numbers that are equal where words are, and where words and scores are."""

_VERDICTS = pa.array(["unknown", "differs", "same"])


def compare_lattices(*columns: pa.ChunkedArray) -> pa.Array:
    """For every pair of lattices whether their word sequences, graphs and scores are the same. columns: the numbers of
    nodes and the edges of one, and of the other."""
    from treesql.kernels.lattices import lattice_equality  # here, as few commands need it
    from treesql.kernels.lattices.lattice_equality import SAME

    sides, words = [], []
    numbers: dict[str, list[Ints]] = {"phrase": [], "scored": []}
    for n_nodes, edges in (columns[:2], columns[2:]):
        batch, _, forms = batch_of(n_nodes, edges, _no_references(n_nodes))
        lattice = np.repeat(np.arange(len(batch.n_nodes)), np.diff(batch.edge_offsets))
        sizes, from_node, to_node = used_nodes(batch.n_nodes, lattice, batch.from_node, batch.to_node)
        sides.append(batch._replace(n_nodes=sizes, from_node=from_node, to_node=to_node))
        words.append(cast(forms, pa.string()))
        packed, _ = flatten(edges)
        order = np.lexsort((to_numpy(packed.field("edge"), np.int64), lattice))
        for name, listed in numbers.items():
            listed.append(to_numpy(packed.field(name), np.int64)[order])
    coded = encode_strings(*words)
    one, other = (side._replace(words=ids) for side, ids in zip(sides, coded, strict=True))
    graph, scores = (lattice_equality.compare_graphs(one, labels[0], other, labels[1]) for labels in numbers.values())
    verdicts = [lattice_equality.compare_word_sets(one, other, graph == SAME), graph, scores]
    arrays = [call("take", _VERDICTS, to_arrow(verdict + 1)) for verdict in verdicts]
    arrays[2] = call("if_else", to_arrow(graph == SAME), arrays[2], pa.scalar(None, pa.string()))
    return pa.StructArray.from_arrays(arrays, names=["words", "graph", "scores"])


def _no_references(n_nodes: pa.ChunkedArray) -> pa.ChunkedArray:
    """An empty reference for every lattice."""
    return pa.chunked_array([list_array(pa.array([], pa.string()), np.zeros(len(n_nodes) + 1, dtype=np.int64))])


def _scores_of(edges: pa.ChunkedArray, offsets: Ints, numbers: Ints) -> Floats:
    """The scores of edges in the order of their numbers, as `batch_of` sorts them. Raises InvalidRow."""
    packed, _ = flatten(edges)
    lattice = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((to_numpy(packed.field("edge"), np.int64), lattice))
    score_lists = packed.field("score")
    if score_lists.null_count:
        at = int(np.flatnonzero(score_lists.is_null().to_numpy(zero_copy_only=False)[order])[0])
        raise InvalidRow(row_of(at, offsets), f"edge {numbers[at]} has no score; give every edge of a lattice a score")
    scores: Floats = to_numpy(score_lists, np.float64)[order]
    wrong = ~(np.abs(scores) <= MAX_SCORE)  # also NaN
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidRow(
            row_of(at, offsets), f"edge {numbers[at]} has the score {scores[at]}; none is larger than {MAX_SCORE:g}"
        )
    return scores


_POSTERIOR_EXAMPLES = (
    (
        "2",
        "[{edge: 1, from_node: 0, to_node: 1, words: ['a'], score: -1}, "
        "{edge: 2, from_node: 0, to_node: 1, words: ['b'], score: -2}]",
    ),
)

FUNCTIONS = (
    Function(
        "nearest_path",
        "the path of a lattice with the smallest edit distance to a reference (graph error rate, GER)",
        _ORACLE,
        _PATH,
        partial(nearest_path, bag=False, quotient=False),
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "cheapest_path",
        "the path of a lattice whose edits cost least, with costs of a substitution, of an insertion (an extra word of "
        "the path) and of a deletion, from 0 to 1000 with six decimals at most; `reordering` is `none`, or `swap`: two "
        "neighbouring words of the path that the reference has in exchanged order cost 1. `bound` is the cost, "
        "`errors` the fewest edits and exchanges of that path, whatever they cost",
        (
            *_ORACLE,
            ("substitution_cost", "DOUBLE"),
            ("insertion_cost", "DOUBLE"),
            ("deletion_cost", "DOUBLE"),
            ("reordering", "VARCHAR"),
        ),
        _PATH,
        cheapest_path,
        tuple((*example, "0.99", "1", "1", f"'{choice}'") for example in _EXAMPLES for choice in REORDERINGS),
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "nearest_path_per_word",
        "the path of a lattice with the smallest edit distance to a reference divided by the number of the path's "
        "words (GWER); `errors` is NULL if no path has words",
        _ORACLE,
        _PATH,
        partial(nearest_path, bag=False, quotient=True),
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "nearest_bag",
        "the path of a lattice with the smallest position-independent edit distance to a reference (PMED). `proven` "
        "is false where the search ended at its limit; `bound` is a lower bound of the smallest distance",
        _ORACLE,
        _PATH,
        partial(nearest_path, bag=True, quotient=False),
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "nearest_bag_per_word",
        "the path of a lattice with the smallest position-independent edit distance divided by the number of the "
        "path's words (GPER); `proven` and `bound` as for `nearest_bag`",
        _ORACLE,
        _PATH,
        partial(nearest_path, bag=True, quotient=True),
        _EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
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
    Function(
        "path_posteriors",
        "the posterior of every edge of a lattice, in the order of their numbers: the share of the sum of exp(score) "
        "over all paths that paths with the edge have, by the forward-backward algorithm; 0 for edges on no path",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES)),
        "DOUBLE[]",
        edge_posteriors,
        _POSTERIOR_EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "best_scored_path",
        "the path of a lattice with the greatest sum of scores, of several the one with the smallest numbers of edges, "
        "the first edge first; `score` is NULL without a complete path",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES)),
        "STRUCT(score DOUBLE, words INTEGER, edges INTEGER[], forms VARCHAR[])",
        best_path,
        _POSTERIOR_EXAMPLES,
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "score_of_words",
        "the greatest sum of scores of a path of a lattice that has the words of a text; minus infinity if none has",
        (("n_nodes", "INTEGER"), ("edges", PACKED_SCORED_EDGES), ("forms", "VARCHAR[]")),
        "DOUBLE",
        score_of_words,
        tuple((*example, "['b']") for example in _POSTERIOR_EXAMPLES),
        rows=ROWS_OF_LATTICES,
    ),
    Function(
        "compare_lattices",
        "whether two lattices have paths with the same words (`words`), the same edges whatever the numbers of nodes "
        "(`graph`), and these with the same scores (`scores`, NULL where graphs differ): `same`, `differs`, or "
        "`unknown` where that takes too long. `phrase` numbers edges by their words, `scored` by words and scores",
        (
            ("n_nodes", "INTEGER"),
            ("edges", NUMBERED_EDGES),
            ("other_n_nodes", "INTEGER"),
            ("other_edges", NUMBERED_EDGES),
        ),
        "STRUCT(words VARCHAR, graph VARCHAR, scores VARCHAR)",
        compare_lattices,
        (
            (
                "2",
                "[{edge: 0, from_node: 0, to_node: 1, words: ['a'], phrase: 1, scored: 1}]",
                "2",
                "[{edge: 0, from_node: 0, to_node: 1, words: ['a'], phrase: 1, scored: 2}]",
            ),
            (
                "4",
                "[{edge: 0, from_node: 0, to_node: 1, words: [], phrase: 1, scored: 1}, "
                "{edge: 1, from_node: 0, to_node: 2, words: [], phrase: 1, scored: 1}, "
                "{edge: 2, from_node: 1, to_node: 3, words: ['a'], phrase: 2, scored: 2}, "
                "{edge: 3, from_node: 2, to_node: 3, words: ['a'], phrase: 2, scored: 2}]",
                "2",
                "[{edge: 0, from_node: 0, to_node: 1, words: ['a'], phrase: 1, scored: 2}]",
            ),
        ),
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
