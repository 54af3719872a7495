"""Lattice paths with the best sentence BLEU, and those that are worth most by a linear function of its counts, with a
certificate.

The lattice is unfolded so that every arc has its n-grams (treesql.kernels.n_gram_lattices); a bound of all paths comes
from lines that touch the logarithm and from Lagrange multipliers of clipped counts (treesql.kernels.n_gram_bounds);
labels that exceed neither the bound nor a limited number find the best path, and prove it where the bounds of all that
were left out do not exceed its value (treesql.kernels.n_gram_labels).

Sources: Papineni et al. 2002; Zens & Ney 2005, Word graphs for statistical machine translation; Sokolov, Wisniewski &
Yvon 2012, Lattice BLEU oracles in machine translation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.compiling import ONE, ZERO, compiled, copy
from treesql.kernels.lattices import LatticeBatch
from treesql.kernels.n_gram_bounds import (
    TOLERANCE,
    BestPath,
    Relaxation,
    allocate_bounds,
    lower_bounds,
)
from treesql.kernels.n_gram_labels import PathLabels, allocate_labels, find_counted, search_labels
from treesql.kernels.n_gram_lattices import (
    MAX_STATES,
    MAX_STEPS,
    ORDERS,
    NGramLattice,
    NGrams,
    Phrases,
    find_n_grams,
    unfold_lattice,
)
from treesql.kernels.n_gram_objectives import (
    COUNTS,
    NEVER,
    closest_length,
    make_objective,
    tangents,
)


class BleuEffort(NamedTuple):
    """Limits of the search for a proof.

    stages: pairs of a number of subgradient steps and a maximum number of labels per state, tried in turn; labels:
    maximum number of labels at a time; extended: of extended labels of a stage; columns: of n-grams whose matches are
    counted exactly; cells: of cells of bounds by number of words; states, steps: of the unfolded lattice, which is
    unfolded by fewer words where it has more. operations: maximum number of elementary steps of all stages for a
    lattice, each about a nanosecond.
    """

    stages: tuple[tuple[int, int], ...] = ((12, 8), (30, 100), (60, 2000), (60, 50_000))
    labels: int = 1 << 17
    extended: int = 1 << 20
    columns: int = 64
    cells: int = 1 << 22
    states: int = MAX_STATES
    steps: int = MAX_STEPS
    operations: int = 1 << 31


DEFAULT_EFFORT = BleuEffort()

OPERATIONS_PER_CALL = 1 << 30
"""Number of operations after which a kernel call ends with the current lattice, so that Python can respond to an
interrupt."""

STEPS_PER_PAIR_OF_EDGES = 60
"""Steps of the search for each pair of edges of a lattice."""

NO_GAINS = np.empty(0)
"""Gains that stand for BLEU."""


class BleuPaths(NamedTuple):
    """By lattice: found, whether there is a path; its value, an upper bound of the values of all paths, and whether the
    path is proven to be the best; counts: (lattices, COUNTS), its matches of each order, n-grams of each order, words
    and those of the reference that is closest in length. offsets: (lattices + 1,), the start and end of each path in
    `edges`; edges are numbered within the lattice."""

    found: Flags
    value: Floats
    bound: Floats
    proven: Flags
    counts: Ints
    offsets: Ints
    edges: Ints


class _Found(NamedTuple):
    """By lattice: value and bound, the counts, the edges of the path, which begin at `offsets` in `path`."""

    values: Floats
    counts: Ints
    n_path: Ints
    offsets: Ints
    path: Ints


def best_paths(
    batch: LatticeBatch, text_offsets: Ints, gains: Floats = NO_GAINS, effort: BleuEffort = DEFAULT_EFFORT
) -> BleuPaths:
    """Return for every lattice the path with the best sentence BLEU against all its references.

    text_offsets: (all references + 1,), the start and end of each reference in `batch.references`; the references of
    each lattice are delimited by `batch.reference_offsets`. gains: (COUNTS,), what each count is worth, 0 or more for
    matches; the path with the largest sum is then returned. Sentence BLEU has exponential smoothing and leaves out
    orders without n-grams; if it is 0 for all paths, one with the fewest words is returned. Of several best paths any
    one is returned, always the same.
    """
    n = len(batch.n_nodes)
    offsets = np.concatenate([[0], np.cumsum(batch.n_nodes)]).astype(np.int64)
    found = _Found(
        np.full((n, 2), NEVER), np.zeros((n, COUNTS), dtype=np.int64), np.full(n, -1, dtype=np.int64), offsets,
        np.empty(int(offsets[-1]), dtype=np.int64),
    )  # fmt: skip
    code_of = np.zeros(1 + int(max(batch.words.max(initial=0), batch.references.max(initial=0))), dtype=np.int64)
    labels = allocate_labels(effort.labels, effort.columns, effort.extended)
    stages = np.array(effort.stages, dtype=np.int64).reshape(-1, 2)
    limits = np.array([effort.cells, effort.columns, effort.operations, effort.states, effort.steps], dtype=np.int64)
    done = 0
    while done < n:
        done = _search_lattices(
            done, OPERATIONS_PER_CALL, *batch, text_offsets, gains.astype(np.float64), stages, limits, code_of, labels,
            found,
        )  # fmt: skip
    there = found.n_path >= 0
    lengths = np.maximum(found.n_path, 0)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - ends[:-1], lengths)
    value, bound = found.values[:, 0], found.values[:, 1]
    proven = there & (bound <= value + TOLERANCE)
    if not len(gains):
        value, bound = np.exp(value), np.minimum(np.exp(bound), 1.0)
    return BleuPaths(there, value, np.where(proven, value, bound), proven, found.counts, ends, found.path[places])


def _cost(first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, *others: object) -> float:
    """What a search takes is not known before, and grows faster than the lattices."""
    return STEPS_PER_PAIR_OF_EDGES * float((np.diff(edge_offsets[first:]) ** 2).sum())


@compiled(cost=_cost)
def _search_lattices(
    first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints,
    word_offsets: Ints, words: Ints, reference_offsets: Ints, references: Ints, text_offsets: Ints, gains: Floats,
    stages: Ints, limits: Ints, code_of: Ints, labels: PathLabels, found: _Found,
) -> int:  # fmt: skip
    """Search the lattices from `first` on, until the operations done exceed a maximum; return the next one."""
    operations = np.empty(1, dtype=np.int64)
    for lattice in range(first, len(n_nodes)):
        if most_operations < 0:
            return lattice
        low, high = edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = text_offsets[reference_offsets[lattice] : reference_offsets[lattice + 1] + 1]
        given = references[texts[0] : texts[-1]]
        codes = np.empty(len(given), dtype=np.int64)
        n_codes = 1
        for at in range(len(given)):
            if code_of[given[at]] == 0:
                code_of[given[at]], n_codes = n_codes, n_codes + 1
            codes[at] = code_of[given[at]]
        phrases = Phrases(word_offsets[low : high + 1], words, code_of)
        n_grams = find_n_grams(codes, texts - texts[0], n_codes)
        graph = unfold_lattice(
            n_nodes[lattice], from_node[low:high], to_node[low:high], phrases, n_grams, limits[3], limits[4]
        )
        if len(graph.low) > 0:
            best = _allocate_best(found.path[found.offsets[lattice] : found.offsets[lattice + 1]])
            operations[0] = limits[2]
            _search(graph, n_grams, phrases, texts, gains, stages, limits, labels, operations, best)
            if best.values[0] <= NEVER:
                _find_shortest(graph, n_grams, phrases, texts, limits, best)
            found.values[lattice, 0], found.values[lattice, 1] = best.values[0], best.values[1]
            found.n_path[lattice] = best.sizes[0]
            copy(best.matches, found.counts[lattice], ORDERS)
            for order in range(ORDERS):
                found.counts[lattice, ORDERS + order] = max(best.sizes[1] - order, 0)
            found.counts[lattice, 2 * ORDERS] = best.sizes[1]
            found.counts[lattice, 2 * ORDERS + 1] = closest_length(texts, best.sizes[1])
            most_operations -= limits[2] - operations[0]
        for word in given:
            code_of[word] = 0
    return len(n_nodes)


@compiled
def _allocate_best(path: Ints) -> BestPath:
    """Return a best path that is yet to be found."""
    values, sizes = np.full(2, NEVER), np.full(2, -1, dtype=np.int64)
    values[1] = np.inf
    return BestPath(values, sizes, np.zeros(ORDERS, dtype=np.int64), path)


@compiled
def _search(
    graph: NGramLattice, n_grams: NGrams, phrases: Phrases, texts: Ints, gains: Floats, stages: Ints, limits: Ints,
    labels: PathLabels, operations: Ints, best: BestPath,
) -> None:  # fmt: skip
    """Find the best path, and a bound of all."""
    objective = make_objective(graph.high[0], texts, gains)
    around = np.full(ORDERS, 1.0)
    for order in range(ORDERS):
        around[order] = max(0.5 * (closest_length(texts, graph.high[0]) - order), 1.0)
    rare = np.zeros(len(n_grams.order), dtype=np.int64)
    counted = find_counted(graph, n_grams, limits[1], rare)
    relaxed = Relaxation(around, tangents(objective, around), np.ones(len(n_grams.order)), rare)
    bounds = allocate_bounds(graph, n_grams, limits[0])
    sweep = ZERO
    for arc in range(len(graph.target)):
        sweep += 2 + graph.length[arc] + (graph.high[graph.target[arc]] - graph.low[graph.target[arc]]) * bounds.fine
    for stage in range(len(stages)):
        lower_bounds(graph, n_grams, phrases, objective, bounds, stages[stage, 0], relaxed, best)
        operations[0] -= sweep * stages[stage, 0]
        if best.values[1] <= best.values[0] + TOLERANCE:
            break
        dropped = search_labels(
            graph, n_grams, phrases, objective, bounds, counted, labels, stages[stage, 1], operations, best
        )
        best.values[1] = min(best.values[1], max(dropped, best.values[0]))
        if best.values[1] <= best.values[0] + TOLERANCE or operations[0] < 0:
            break
    if graph.context < ORDERS - 1:  # matches across edges are missing in bounds
        best.values[1] = np.inf if len(gains) else 0.0


@compiled
def _find_shortest(
    graph: NGramLattice, n_grams: NGrams, phrases: Phrases, texts: Ints, limits: Ints, best: BestPath
) -> None:
    """Replace the best path by one with the fewest words."""
    gains = np.zeros(COUNTS)
    gains[2 * ORDERS] = -1.0
    value, bound = best.values
    objective = make_objective(graph.high[0], texts, gains)
    relaxed = Relaxation(
        np.ones(ORDERS),
        np.zeros((2, ORDERS)),
        np.ones(len(n_grams.order)),
        np.zeros(len(n_grams.order), dtype=np.int64),
    )
    bounds = allocate_bounds(graph, n_grams, limits[0])
    best.sizes[0] = -1
    lower_bounds(graph, n_grams, phrases, objective, bounds, ONE, relaxed, best)
    best.values[0], best.values[1] = value, bound
