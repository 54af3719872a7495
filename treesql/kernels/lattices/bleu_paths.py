"""Lattice paths with the best sentence BLEU, and those that are worth most by a linear function of its counts, with a
certificate.

The lattice is unfolded so that every arc has its n-grams (treesql.kernels.lattices.n_gram_lattices); a bound of all
paths comes from lines that touch the logarithm and from Lagrange multipliers of clipped counts
(treesql.kernels.lattices.n_gram_bounds); labels that exceed neither the bound nor a limited number find the best path,
and prove it where the bounds of all that were left out do not exceed its value.

Sources: Papineni et al. 2002; Zens & Ney 2005, Word graphs for statistical machine translation; Sokolov, Wisniewski &
Yvon 2012, Lattice BLEU oracles in machine translation.

Exact search for the best path of an unfolded lattice, by labels: partial paths that may still be the best.

A label of a state has its number of words, its matches of each order and, for each n-gram that a path can have more
often than a reference, how many more occurrences can match: no more than the path still can have. A label is dropped if
its bound (treesql.kernels.lattices.n_gram_bounds) does not exceed the value of the best known path, or if another label
of the state with as many words has at least as many matches, whatever words follow. Of the others a limited number per
state is extended, those of the highest bounds. If none was dropped for this reason whose bound exceeds the value of the
best path, this is proven to be the best. Sources: Desrochers & Soumis 1988, A generalized permanent labelling algorithm
for the shortest path problem with time windows (labels and dominance); Zens & Ney 2005 (BLEU of word graphs).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treesql.kernels.arrays import Bytes, Flags, Floats, Ints, SmallInts
from treesql.kernels.compiling import ONE, ZERO, compiled, copy, scratch
from treesql.kernels.lattices.lattices import LatticeBatch
from treesql.kernels.lattices.n_gram_bounds import (
    COUNTS,
    NEVER,
    TOLERANCE,
    BestPath,
    Bounds,
    Objective,
    Relaxation,
    allocate_bounds,
    bound_of,
    closest_length,
    keep_if_better,
    lower_bounds,
    make_objective,
    tangents,
    value_of,
)
from treesql.kernels.lattices.n_gram_lattices import (
    MAX_STATES,
    MAX_STEPS,
    ORDERS,
    NGramLattice,
    NGrams,
    Phrases,
    find_n_grams,
    unfold_lattice,
)

_COMPARED = 64
"""Maximum number of labels with as many words that a label is compared with."""

_EXTENSION = 16
"""Operations of an extension beside those for each length and each counted n-gram."""


@scratch
class PathLabels(NamedTuple):
    """Room for labels. length, parent, arc, following: (room,), words, the extended label before it, the arc from
    there, and the next label of its state or of as many words; matches: (room, ORDERS); left: (room, counted n-grams),
    occurrences that can still match; gained, bound: (room,), by the prices of `Bounds`; history: (2, extended labels),
    the one before and the arc."""

    length: SmallInts
    parent: SmallInts
    arc: SmallInts
    following: SmallInts
    matches: SmallInts
    left: Bytes
    gained: Floats
    bound: Floats
    history: SmallInts


class Counted(NamedTuple):
    """The n-grams whose matches labels count exactly. column: by n-gram, its place, or -1; n_gram: by place; ahead:
    (states, n-grams), the most occurrences from a state on, no more than a label can hold."""

    column: Ints
    n_gram: Ints
    ahead: Bytes


def allocate_labels(room: int, columns: int, extended: int) -> PathLabels:
    """Allocate room for labels."""
    small: list[NDArray[np.int32]] = [np.empty(room, dtype=np.int32) for _ in range(4)]
    return PathLabels(
        small[0], small[1], small[2], small[3], np.empty((room, ORDERS), dtype=np.int32),
        np.empty((room, columns), dtype=np.uint8), np.empty(room), np.empty(room),
        np.empty((2, extended), dtype=np.int32),
    )  # fmt: skip


@compiled
def find_counted(lattice: NGramLattice, n_grams: NGrams, max_columns: int, rare: Ints) -> Counted:
    """Return the n-grams that a path can have more often than every reference, and mark these in `rare`; those with the
    smallest numbers are counted. O(arcs * n-grams)."""
    n_states, n = len(lattice.low), len(n_grams.order)
    total = np.zeros(n, dtype=np.int64)
    for at in range(len(lattice.matches)):
        gram = lattice.matches[at]
        while gram > 0:
            total[gram] += 1
            gram = n_grams.suffix[gram]
    column, ahead = np.full(n, -1, dtype=np.int64), np.zeros((max_columns, n_states), dtype=np.uint8)
    most, members = np.empty(n_states, dtype=np.int64), np.empty(max_columns, dtype=np.int64)
    n_columns = 0
    for gram in range(1, n):
        if total[gram] <= n_grams.times[gram] or _count_ahead(lattice, n_grams, gram, most) <= n_grams.times[gram]:
            continue
        rare[gram] = 1
        if n_columns == max_columns or n_grams.times[gram] > 254:
            continue
        column[gram], members[n_columns] = n_columns, gram
        for state in range(n_states):
            ahead[n_columns, state] = min(most[state], 255)
        n_columns += 1
    return Counted(column, members[:n_columns], np.ascontiguousarray(ahead[:n_columns].T))


@compiled
def _count_ahead(lattice: NGramLattice, n_grams: NGrams, counted: int, most: Ints) -> int:
    """Count the most occurrences of an n-gram on a path from each state to the end; return that of all paths."""
    order = n_grams.order[counted]
    for state in range(len(most) - 1, -1, -1):
        most[state] = 0
        for arc in range(lattice.arc_offsets[state], lattice.arc_offsets[state + 1]):
            occurrences = most[lattice.target[arc]]
            for at in range(lattice.match_offsets[arc], lattice.match_offsets[arc + 1]):
                gram = lattice.matches[at]
                while n_grams.order[gram] > order:
                    gram = n_grams.suffix[gram]
                occurrences += gram == counted
            most[state] = max(most[state], occurrences)
    return int(most[0])


@compiled
def search_labels(
    lattice: NGramLattice, n_grams: NGrams, phrases: Phrases, objective: Objective, bounds: Bounds, counted: Counted,
    labels: PathLabels, beam: int, operations: Ints, best: BestPath,
) -> float:  # fmt: skip
    """Extend no more than `beam` labels of each state; return the highest bound of the other labels.

    operations: (1,), those that are left, reduced by those done; without any, one label of each state is extended.
    """
    n_states, n_columns = len(lattice.low), counted.ahead.shape[1]
    newest = np.full(n_states, -1, dtype=np.int64)
    free = np.full(2, -1, dtype=np.int64)  # labels given back, and the last one in use
    known = np.empty(len(best.path), dtype=np.int64)
    seen, matches = np.empty(len(n_grams.order), dtype=np.int64), np.empty(ORDERS, dtype=np.int64)
    last_of_length = np.full(lattice.high[0] + 1, -1, dtype=np.int64)
    dropped, n_extended = -np.inf, 0
    first = _take_label(labels, free)
    labels.length[first], labels.parent[first], labels.arc[first], labels.following[first] = 0, -1, -1, -1
    labels.gained[first] = 0.0
    for order in range(ORDERS):
        labels.matches[first, order] = 0
    labels.bound[first], _ = bound_of(lattice, objective, bounds, ZERO, ZERO, 0.0)
    for column in range(n_columns):
        labels.left[first, column] = n_grams.times[counted.n_gram[column]]
    newest[0] = first
    for state in range(n_states):
        if newest[state] < 0:
            continue
        chosen = _sort_labels(labels, newest[state])
        n_chosen = 0
        for label in chosen:
            if labels.bound[label] <= best.values[0] + TOLERANCE or _is_dominated(
                labels, label, last_of_length, n_grams, counted
            ):
                continue
            if n_chosen >= beam or (n_chosen > 0 and operations[0] < 0) or n_extended == labels.history.shape[1]:
                dropped = max(dropped, labels.bound[label])
                continue
            n_chosen += 1
            labels.following[label] = last_of_length[labels.length[label]]
            last_of_length[labels.length[label]] = label
            labels.history[0, n_extended], labels.history[1, n_extended] = labels.parent[label], labels.arc[label]
            dropped = max(dropped, _extend(
                lattice, n_grams, phrases, objective, bounds, counted, labels, state, label, n_extended, newest, free,
                known, seen, matches, best,
            ))  # fmt: skip
            n_extended += 1
            arcs = lattice.arc_offsets[state + 1] - lattice.arc_offsets[state]
            operations[0] -= arcs * (_EXTENSION + n_columns + lattice.high[state] - lattice.low[state])
        for label in chosen:
            last_of_length[labels.length[label]] = -1
            labels.following[label], free[0] = free[0], label
    return dropped


@compiled
def _take_label(labels: PathLabels, free: Ints) -> int:
    """Return a free label, -1 if there is none."""
    if free[0] >= 0:
        label = free[0]
        free[0] = labels.following[label]
        return int(label)
    if free[1] + 1 == len(labels.length):
        return -1
    free[1] += 1
    return int(free[1])


@compiled
def _sort_labels(labels: PathLabels, newest: int) -> Ints:
    """Return the labels of a state, those of the highest bounds first, of equal ones the oldest."""
    n, label = 0, newest
    while label >= 0:
        n, label = n + 1, labels.following[label]
    members, low = np.empty(n, dtype=np.int64), np.empty(n)
    label = newest
    for at in range(n - 1, -1, -1):
        members[at], low[at] = label, -labels.bound[label]
        label = labels.following[label]
    return members[np.argsort(low, kind="mergesort")]


@compiled
def _is_dominated(labels: PathLabels, label: int, last_of_length: Ints, n_grams: NGrams, counted: Counted) -> bool:
    """Whether an extended label of the state with as many words has at least as many matches at the end, whatever
    follows: what it cannot match any more, its matches make up for."""
    other = last_of_length[labels.length[label]]
    more = np.empty(ORDERS, dtype=np.int64)
    for _ in range(_COMPARED):
        if other < 0:
            return False
        better = True
        for order in range(ORDERS):
            more[order] = np.int64(labels.matches[other, order]) - labels.matches[label, order]
            better = better and more[order] >= 0
        if better:
            for column in range(len(counted.n_gram)):
                lost = np.int64(labels.left[label, column]) - np.int64(labels.left[other, column])
                if lost > 0:
                    more[n_grams.order[counted.n_gram[column]] - 1] -= lost
            if more.min() >= 0:
                return True
        other = labels.following[other]
    return False


@compiled
def _extend(
    lattice: NGramLattice, n_grams: NGrams, phrases: Phrases, objective: Objective, bounds: Bounds, counted: Counted,
    labels: PathLabels, state: int, label: int, parent: int, newest: Ints, free: Ints, known: Ints, seen: Ints,
    matches: Ints, best: BestPath,
) -> float:  # fmt: skip
    """Extend a label by every arc of its state; return the highest bound of what had to be dropped."""
    dropped = -np.inf
    for arc in range(lattice.arc_offsets[state], lattice.arc_offsets[state + 1]):
        new = _take_label(labels, free)
        below = lattice.target[arc]
        length = np.int64(labels.length[label]) + lattice.length[arc]
        if new < 0:
            bound, _ = bound_of(lattice, objective, bounds, below, length, labels.gained[label] + bounds.gain[arc])
            dropped = max(dropped, bound)
            continue
        _follow_arc(lattice, n_grams, bounds, counted, labels, label, arc, new)
        if lattice.arc_offsets[below] == lattice.arc_offsets[below + 1]:
            for order in range(ORDERS):
                matches[order] = labels.matches[new, order]
            bound = value_of(objective, length, matches)
            if bound > best.values[0] + TOLERANCE:
                n_path = _trace(lattice, labels, parent, arc, known)
                value = keep_if_better(objective, phrases, n_grams, known[len(known) - n_path :], seen, matches, best)
                if value < bound - TOLERANCE:  # not all n-grams are counted
                    dropped = max(dropped, bound)
        else:
            bound, _ = bound_of(lattice, objective, bounds, below, length, labels.gained[new])
            if bound > best.values[0] + TOLERANCE:
                labels.length[new], labels.bound[new], labels.parent[new], labels.arc[new] = length, bound, parent, arc
                labels.following[new], newest[below] = newest[below], new
                continue
        labels.following[new], free[0] = free[0], new
    return dropped


@compiled
def _follow_arc(
    lattice: NGramLattice, n_grams: NGrams, bounds: Bounds, counted: Counted, labels: PathLabels, label: int, arc: int,
    new: int,
) -> None:  # fmt: skip
    """Count the matches of a label that is another one with an arc more."""
    below, n_columns = lattice.target[arc], counted.ahead.shape[1]
    for order in range(ORDERS):
        labels.matches[new, order] = labels.matches[label, order]
    for column in range(n_columns):
        labels.left[new, column] = labels.left[label, column]
    gained = labels.gained[label] + bounds.gain[arc]
    for at in range(lattice.match_offsets[arc], lattice.match_offsets[arc + 1]):
        gram = lattice.matches[at]
        while gram > 0:
            column = counted.column[gram]
            if column >= 0 and labels.left[new, column] == 0:
                gained -= bounds.price[gram]
            else:
                labels.matches[new, n_grams.order[gram] - 1] += 1
                if column >= 0:
                    labels.left[new, column] -= 1
            gram = n_grams.suffix[gram]
    for column in range(n_columns):
        labels.left[new, column] = min(labels.left[new, column], counted.ahead[below, column])
    labels.gained[new] = gained


@compiled
def _trace(lattice: NGramLattice, labels: PathLabels, parent: int, arc: int, known: Ints) -> int:
    """Write the edges of a complete path to the end of `known`; return their number."""
    n = 0
    while arc >= 0:
        n += 1
        known[len(known) - n] = lattice.edge[arc]
        arc, parent = labels.history[1, parent], labels.history[0, parent]
    return n


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
    paths = _Found(
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
            paths,
        )  # fmt: skip
    has_path = paths.n_path >= 0
    lengths = np.maximum(paths.n_path, 0)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(offsets[:-1] - ends[:-1], lengths)
    value, bound = paths.values[:, 0], paths.values[:, 1]
    proven = has_path & (bound <= value + TOLERANCE)
    if not len(gains):
        value, bound = np.exp(value), np.minimum(np.exp(bound), 1.0)
    return BleuPaths(has_path, value, np.where(proven, value, bound), proven, paths.counts, ends, paths.path[places])


def _cost(first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, *others: object) -> float:
    """What a search takes is not known before, and grows faster than the lattices."""
    return STEPS_PER_PAIR_OF_EDGES * float((np.diff(edge_offsets[first:]) ** 2).sum())


@compiled(cost=_cost)
def _search_lattices(
    first: int, most_operations: int, n_nodes: Ints, edge_offsets: Ints, from_node: Ints, to_node: Ints,
    word_offsets: Ints, words: Ints, reference_offsets: Ints, references: Ints, text_offsets: Ints, gains: Floats,
    stages: Ints, limits: Ints, code_of: Ints, labels: PathLabels, paths: _Found,
) -> int:  # fmt: skip
    """Search the lattices from `first` on, until the operations done exceed a maximum; return the next one."""
    operations = np.empty(1, dtype=np.int64)
    for lattice in range(first, len(n_nodes)):
        if most_operations < 0:
            return lattice
        low, high = edge_offsets[lattice], edge_offsets[lattice + 1]
        texts = text_offsets[reference_offsets[lattice] : reference_offsets[lattice + 1] + 1]
        reference_words = references[texts[0] : texts[-1]]
        codes = np.empty(len(reference_words), dtype=np.int64)
        n_codes = 1
        for at in range(len(reference_words)):
            if code_of[reference_words[at]] == 0:
                code_of[reference_words[at]], n_codes = n_codes, n_codes + 1
            codes[at] = code_of[reference_words[at]]
        phrases = Phrases(word_offsets[low : high + 1], words, code_of)
        n_grams = find_n_grams(codes, texts - texts[0], n_codes)
        graph = unfold_lattice(
            n_nodes[lattice], from_node[low:high], to_node[low:high], phrases, n_grams, limits[3], limits[4]
        )
        if len(graph.low) > 0:
            best = _allocate_best(paths.path[paths.offsets[lattice] : paths.offsets[lattice + 1]])
            operations[0] = limits[2]
            _search(graph, n_grams, phrases, texts, gains, stages, limits, labels, operations, best)
            if best.values[0] <= NEVER:
                _find_shortest(graph, n_grams, phrases, texts, limits, best)
            paths.values[lattice, 0], paths.values[lattice, 1] = best.values[0], best.values[1]
            paths.n_path[lattice] = best.sizes[0]
            copy(best.matches, paths.counts[lattice], ORDERS)
            for order in range(ORDERS):
                paths.counts[lattice, ORDERS + order] = max(best.sizes[1] - order, 0)
            paths.counts[lattice, 2 * ORDERS] = best.sizes[1]
            paths.counts[lattice, 2 * ORDERS + 1] = closest_length(texts, best.sizes[1])
            most_operations -= limits[2] - operations[0]
        for word in reference_words:
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
