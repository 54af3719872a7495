"""Tune the weights of the scores of edges, in turn with pruning, towards a score of the best paths of lattices.

A search step changes one weight: the best paths of all lattices for all of its values (their envelopes) give the score
as a step function of it, whose best value is taken, exactly. A pruning step keeps the weights: of several thresholds of
posteriors by them, that is taken whose lattices have the best paths with the best score, of several the one with the
fewest edges. What makes the score worse is left as it was, so that it never falls.

Sources: Macherey et al. 2008, Lattice-based minimum error rate training for statistical machine translation;
Bernreuther 2005, Lattice evaluation techniques, 3.2.5 (search and lattices are optimised in turn).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog.kinds import COST
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Task
from treesql.functions.arrays import flatten, list_array, to_arrow
from treesql.functions.lattice import batch_with_references
from treesql.functions.translation import shared_word_n_grams
from treesql.kernels.arrays import Flags, Floats, Ints, positions_in_list
from treesql.kernels.lattices.lattices import LatticeBatch, places_on_paths
from treesql.lattices import pruning
from treesql.lattices.oracle_paths import bleu_of
from treesql.results.result import Result
from treesql.runtime.arrays import call, cast
from treesql.scoring import items, scores

BLEU, GER = OBJECTIVES = ("bleu", "ger")
"""What is tuned: BLEU of the best paths, the larger the better, or their word error rate, the smaller the better."""

WORDS = "words"
"""The name of the weight of the number of words of an edge."""

ITERATIONS, SEED, THRESHOLDS = 10, 12345, "0,0.001,0.01,0.05,0.1"
"""Defaults: maximum number of rounds of all weights and a pruning step, the seed of their order, and thresholds."""

_NARROW = 1e-7
"""Width of intervals of weights, relative to their ends, that are passed over, as rounding may miss them."""


@dataclass(frozen=True)
class TuningStep:
    """A step of the tuning. changed: the weight, `pruning`, or "" before the first step. weights: of the scores of an
    edge in order, and of its words. pruning_weights, threshold: of the posteriors below which edges are pruned; value:
    of the objective."""

    changed: str
    weights: tuple[float, ...]
    pruning_weights: tuple[float, ...]
    threshold: float
    density: float
    value: float


def tune(
    task: Task, objective: str, *, thresholds: Sequence[float], iterations: int = ITERATIONS, seed: int = SEED,
    edge_weights: str = "", scale: float = 1.0,
    progress: Callable[[TuningStep], object] = lambda step: None,
) -> Result:  # fmt: skip
    """Return a row per step. edge_weights: those to begin with; scale: factor of the scores in posteriors; progress:
    called with every step. Raises UsageError, UnknownName, Incomparable, and as `open_inputs` does."""
    if objective not in OBJECTIVES:
        raise UnknownName("objective", objective, OBJECTIVES)
    _check(task, iterations, seed, scale)
    pruning.by_posteriors(thresholds, scale=scale)
    names = ("lattice_references", "lattice_correspondence", "edge_score_faults", "weighted_edges")
    columns = ("from_node", "to_node", "edge_words", "scores", "n_nodes", "n_edges", "n_finals", "final_scores")
    with open_inputs(task, [catalog.query(name) for name in names], columns) as inputs:
        [system] = inputs.systems
        values = inputs.corpus_values(system)
        parameters = {"lattice_corpus": system, "edge_weights": edge_weights}
        items.check_audit(inputs.engine, catalog.query("edge_score_faults"), parameters)
        items.check_audit(inputs.engine, catalog.query("lattice_correspondence"), values)
        rows = scores.run_query(inputs.engine, catalog.query("lattice_references"), values).sort_by("sentence")
        edges = pruning.read(inputs.engine, system).edges
        sense = inputs.engine.rows(
            "SELECT c.score_sense FROM corpora AS c WHERE c.corpus = $corpus", {"corpus": system}
        )
    features = _features(edges)
    weights = _parse_weights(edge_weights, features.shape[1] - 1, -1.0 if sense == [(COST,)] else 1.0)
    texts = _References.of(rows, objective)
    steps = _Tuning(texts, features, tuple(thresholds), scale, progress).run(weights, iterations, Random(seed))
    return _result(steps, objective)


def _check(task: Task, iterations: int, seed: int, scale: float) -> None:
    """Raises UsageError."""
    if not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    if iterations < 1:
        raise UsageError(f"--iterations is {iterations}; it is a number of rounds from 1 on")
    if seed < 0:
        raise UsageError(f"--seed is {seed}; it is a number from 0 on")
    if not (math.isfinite(scale) and scale >= 0):
        raise UsageError(f"--scale is {scale}; it is a number from 0 on")


def _features(edges: pa.Table) -> Floats:
    """By edge its scores, 0 where an edge to an added final node has none, and its number of words."""
    values, offsets = flatten(edges["scores"])
    _, word_offsets = flatten(edges["edge_words"])
    lengths = np.diff(offsets)
    features = np.zeros((len(edges), int(lengths.max(initial=0)) + 1))
    features[np.repeat(np.arange(len(edges)), lengths), positions_in_list(lengths)] = values.to_numpy()
    features[:, -1] = np.diff(word_offsets)
    return features


def _parse_weights(text: str, n_scores: int, default: float) -> tuple[float, ...]:
    """The weights of scores and words. text: as the audit accepts it."""
    if not text:
        return (*[default] * n_scores, 0.0)
    numbers, _, words = text.partition(f",{WORDS}=")
    return (*map(float, numbers.split(",")), float(words or 0))


def format_weights(weights: Sequence[float]) -> str:
    """Weights of scores and words as --edge-weights takes them."""
    *numbers, words = (f"{weight:.17g}" if float(f"{weight:g}") != weight else f"{weight:g}" for weight in weights)
    return ",".join(numbers) + (f",{WORDS}={words}" if weights[-1] else "")


@dataclass(frozen=True)
class _References:
    """Lattices with their references, and what paths are scored by.

    batch: its references are delimited by reference_offsets, their words by text_offsets; texts: of every reference,
    its words as numbers between blanks.
    """

    batch: LatticeBatch
    text_offsets: Ints
    texts: pa.Array
    objective: str

    @classmethod
    def of(cls, rows: pa.Table, objective: str) -> _References:
        """rows: of `lattice_references`, by sentence."""
        columns = (rows[name] for name in ("n_nodes", "edges", "reference_lists"))
        batch, text_offsets, _, _ = batch_with_references(*columns)
        return cls(batch, text_offsets, _texts(batch.references, text_offsets), objective)

    def count(self, lattice: Ints, offsets: Ints, words: Ints) -> Ints:
        """The counts of texts that the objective is computed from. lattice: (texts,); offsets: (texts + 1,)."""
        if self.objective == BLEU:
            return self._count_n_grams(lattice, offsets, words)
        return self._count_edits(lattice, offsets, words)

    def _count_n_grams(self, lattice: Ints, offsets: Ints, words: Ints) -> Ints:
        """In the order of `bleu_of`."""
        firsts, sizes = self.batch.reference_offsets[lattice], np.diff(self.batch.reference_offsets)[lattice]
        places = np.repeat(firsts, sizes) + positions_in_list(sizes)
        references = list_array(call("take", self.texts, to_arrow(places)), np.append(0, np.cumsum(sizes)))
        longest = pa.array([4] * len(lattice), pa.int32())
        arguments = (pa.chunked_array([column]) for column in (_texts(words, offsets), references, longest))
        found = shared_word_n_grams(*arguments).flatten().to_numpy().reshape(len(lattice), 6)
        n_words = found[:, 0]
        totals = np.stack([np.maximum(n_words - order, 0) for order in range(4)], axis=1)
        return np.concatenate([found[:, 2:], totals, found[:, :2]], axis=1).astype(np.int64)

    def _count_edits(self, lattice: Ints, offsets: Ints, words: Ints) -> Ints:
        """Edits to the nearest reference, of several the first, and its number of words."""
        from treesql.kernels.lattices.lattice_oracles import nearest_paths  # here, as BLEU needs none

        firsts, sizes = self.batch.reference_offsets[lattice], np.diff(self.batch.reference_offsets)[lattice]
        owner, places = np.repeat(np.arange(len(lattice)), sizes), np.repeat(firsts, sizes) + positions_in_list(sizes)
        lengths, text_lengths = np.diff(offsets)[owner], np.diff(self.text_offsets)[places]
        n, starts = len(owner), np.append(0, np.cumsum(lengths))
        chains = LatticeBatch(
            np.full(n, 2), np.arange(n + 1), np.zeros(n, np.int64), np.ones(n, np.int64), starts,
            words[np.repeat(offsets[owner], lengths) + positions_in_list(lengths)],
            np.append(0, np.cumsum(text_lengths)),
            self.batch.references[np.repeat(self.text_offsets[places], text_lengths) + positions_in_list(text_lengths)],
        )  # fmt: skip
        edits = nearest_paths(chains).edits
        order = np.lexsort((np.arange(n), edits, owner))
        _, first = np.unique(owner[order], return_index=True)
        nearest = order[first]
        return np.stack([edits[nearest], text_lengths[nearest]], axis=1)

    def evaluate(self, sums: Ints) -> Floats:
        """The objective by row of sums; an error rate without words of references is 0."""
        if self.objective == BLEU:
            return bleu_of(sums)
        return np.asarray(sums[:, 0] / np.maximum(sums[:, 1], 1))

    def gain(self, value: Floats) -> Floats:
        """What is larger for better values."""
        return value if self.objective == BLEU else -value


def _texts(words: Ints, offsets: Ints) -> pa.Array:
    """Words as texts of numbers between blanks."""
    listed = list_array(cast(to_arrow(words), pa.string()), offsets)
    return call("binary_join", listed, pa.scalar(" "))


class _Tuning:
    """Steps of tuning. kept: the edges that pruning has left; of these are the paths that are searched."""

    def __init__(
        self, texts: _References, features: Floats, thresholds: tuple[float, ...], scale: float,
        progress: Callable[[TuningStep], object],
    ) -> None:  # fmt: skip
        self.texts, self.features, self.thresholds, self.scale = texts, features, thresholds, scale
        self.progress = progress
        self.kept = np.ones(len(features), dtype=np.bool_)
        self.steps: list[TuningStep] = []

    def run(self, weights: tuple[float, ...], iterations: int, chance: Random) -> list[TuningStep]:
        """All steps, until a round changes nothing."""
        self._add("", weights, weights, 0.0, self._value(weights, self.kept))
        names = [*(f"score {number}" for number in range(1, len(weights))), WORDS]
        for _ in range(iterations):
            before, n_edges = self.steps[-1], self.kept.sum()
            order = list(range(len(weights)))
            chance.shuffle(order)
            for at in order:
                self._search(at, names[at])
            self._prune()
            if self.steps[-1].value == before.value and self.kept.sum() == n_edges:
                break
        return self.steps

    def _add(
        self, changed: str, weights: tuple[float, ...], pruning_weights: tuple[float, ...], threshold: float,
        value: float,
    ) -> None:  # fmt: skip
        density = float(self.kept.sum() / max(int(self.texts.batch.n_nodes.sum()), 1))
        self.steps.append(TuningStep(changed, weights, pruning_weights, threshold, density, value))
        self.progress(self.steps[-1])

    def _search(self, at: int, name: str) -> None:
        """Change one weight to the value for which the best paths have the best score."""
        last = self.steps[-1]
        weight = self._best_weight(at, last)
        if weight is not None:
            weights = (*last.weights[:at], weight, *last.weights[at + 1 :])
            value = self._value(weights, self.kept)
            if self._is_better(value, last.value):
                self._add(name, weights, last.pruning_weights, last.threshold, value)
                return
        self._add(name, last.weights, last.pruning_weights, last.threshold, last.value)

    def _best_weight(self, at: int, last: TuningStep) -> float | None:
        """The middle of the widest interval of values with the best score; None if none is better than the last."""
        from treesql.kernels.lattices.envelopes import find_envelopes

        batch, features = self._remaining(self.kept)
        others = tuple(0.0 if place == at else weight for place, weight in enumerate(last.weights))
        found = find_envelopes(batch, _weighted(features, others), features[:, at].copy())
        n_lines = np.diff(found.line_offsets)
        lattice = np.repeat(np.arange(len(n_lines)), n_lines)
        counts = self._count_paths(batch, lattice, found.offsets, found.edges)
        is_first = np.isneginf(found.starts)
        changes = counts[~is_first] - counts[np.flatnonzero(~is_first) - 1]
        borders = found.starts[~is_first]
        order = np.argsort(borders, kind="stable")
        sums = np.cumsum(np.concatenate([counts[is_first].sum(axis=0)[np.newaxis], changes[order]]), axis=0)
        ends = np.concatenate([[-np.inf], borders[order], [np.inf]])
        low, high = ends[:-1], ends[1:]
        size = np.where(np.isfinite(ends), np.abs(ends), 0.0)
        wide = high - low > _NARROW * np.maximum(1.0, np.maximum(size[:-1], size[1:]))
        gains = np.where(wide, self.texts.gain(self.texts.evaluate(sums)), -np.inf)
        best = gains.max()
        if not best > self.texts.gain(np.array([last.value]))[0]:
            return None
        candidates = np.flatnonzero(gains == best)
        chosen = candidates[np.argmax((high - low)[candidates])]
        return _short_number(float(low[chosen]), float(high[chosen]))

    def _prune(self) -> None:
        """Prune at the threshold of posteriors by these weights for which the best paths have the best score."""
        from treesql.kernels.lattices import lattice_pruning
        from treesql.kernels.lattices.lattices import path_sums

        last, batch = self.steps[-1], self.texts.batch
        weighted = _weighted(self.features, last.weights)
        posteriors = path_sums(batch, self.scale * weighted).posteriors
        best, fewest, kept_best, threshold_best = last.value, int(self.kept.sum()), None, 0.0
        for threshold in self.thresholds:
            outcome = lattice_pruning.prune(*batch[:4], posteriors < threshold, weighted).outcome
            kept = outcome <= lattice_pruning.KEPT_FOR_PATH
            value = self._value(last.weights, kept)
            n_edges = int(kept.sum())
            if self._is_better(value, best) or (value == best and n_edges < fewest):
                best, fewest, kept_best, threshold_best = value, n_edges, kept, threshold
        if kept_best is None:
            self._add("pruning", last.weights, last.pruning_weights, last.threshold, last.value)
            return
        self.kept = kept_best
        self._add("pruning", last.weights, last.weights, threshold_best, best)

    def _is_better(self, value: float, other: float) -> bool:
        gains = self.texts.gain(np.array([value, other]))
        return bool(gains[0] > gains[1])

    def _value(self, weights: Sequence[float], kept: Flags) -> float:
        """The objective of the best paths along the edges that are kept."""
        from treesql.kernels.lattices.lattices import best_paths

        batch, features = self._remaining(kept)
        best = best_paths(batch, _weighted(features, weights))
        lattice = np.flatnonzero(np.isfinite(best.scores))
        offsets = np.append(best.offsets[:-1][lattice], best.offsets[-1])
        counts = self._count_paths(batch, lattice, offsets, best.edges)
        return float(self.texts.evaluate(counts.sum(axis=0)[np.newaxis])[0])

    def _remaining(self, kept: Flags) -> tuple[LatticeBatch, Floats]:
        """The lattices with these edges alone, and the features of these."""
        batch = self.texts.batch
        if kept.all():
            return batch, self.features
        ends = np.append(0, np.cumsum(kept))
        lengths = np.diff(batch.word_offsets)
        words = batch.words[np.repeat(kept, lengths)]
        return batch._replace(
            edge_offsets=ends[batch.edge_offsets], from_node=batch.from_node[kept], to_node=batch.to_node[kept],
            word_offsets=np.append(0, np.cumsum(lengths[kept])), words=words,
        ), self.features[kept]  # fmt: skip

    def _count_paths(self, batch: LatticeBatch, lattice: Ints, offsets: Ints, edges: Ints) -> Ints:
        """The counts of paths. lattice: of each; offsets: (paths + 1,); edges: numbered within their lattice."""
        _, word_places, ends = places_on_paths(batch, lattice, offsets, edges)
        return self.texts.count(lattice, ends, batch.words[word_places])


def _weighted(features: Floats, weights: Sequence[float]) -> Floats:
    """The weighted sums of features, added in their order: the same bytes everywhere."""
    total = np.zeros(len(features))
    for column, weight in enumerate(weights):
        total += weight * features[:, column]
    return total


def _short_number(low: float, high: float) -> float:
    """A number with few digits well between two others, which may be infinite."""
    if math.isinf(low):
        low = -2.0 if math.isinf(high) else high - 2 * max(1.0, abs(high))
    if math.isinf(high):
        high = low + 2 * max(1.0, abs(low))
    middle, margin = (low + high) / 2, (high - low) / 4
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low + margin < short < high - margin:
            return short
    return middle


def _result(steps: Sequence[TuningStep], objective: str) -> Result:
    score = "bleu" if objective == BLEU else "best_error_rate"
    rows: Mapping[str, Any] = {
        "step": pa.array(range(len(steps)), pa.int64()),
        "changed": pa.array([step.changed or None for step in steps], pa.string()),
        "edge_weights": pa.array([format_weights(step.weights) for step in steps], pa.string()),
        "pruning_weights": pa.array([format_weights(step.pruning_weights) for step in steps], pa.string()),
        "threshold": pa.array([step.threshold for step in steps], pa.float64()),
        "density": pa.array([step.density for step in steps], pa.float64()),
        score: pa.array([step.value for step in steps], pa.float64()),
    }
    return Result(pa.table(dict(rows)), percent=frozenset({score}))
