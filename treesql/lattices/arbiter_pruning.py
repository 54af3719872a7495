"""Prune lattices by an arbiter; compare with pruning by posterior, by distance and at random, to equal density.

Source: Bernreuther 2005, Lattice evaluation techniques, section 4.1.2 (the arbiter), 3.4 (pruning by distance).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import UsageError, not_applicable
from treesql.evaluation.hooks.lattice import find_undefined_lattices
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import EMPTY_REFERENCES, Task
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.lattices import arbiter, pruning
from treesql.lattices.arbiter import Arbiter
from treesql.lattices.posterior_pruning import find_posteriors
from treesql.lattices.pruning import Decide, EdgeDecisions, LatticeArrays, PruningInput
from treesql.readers import LATTICE, Options
from treesql.results.result import Result
from treesql.scoring import scores, statistics
from treesql.scoring.audits import declared_values
from treesql.scoring.signatures import signature as cite
from treesql.significance import tests
from treesql.significance.methods import RUNS, SEED
from treesql.significance.tests import Counts
from treesql.storage import exporting, in_memory

NONE, ARBITER, POSTERIOR, ORACLE, RANDOM = "none", "arbiter", "posterior", "oracle", "random"
"""How lattices are pruned: not at all, by an arbiter, by posteriors, by distance to the references, at random."""

PROBABILITY = 0.5
"""Default probability above which edges are pruned."""

_SCORED = {"graph_error": "ger_rate", "word_count_distance": "swcd"}
_TABLES = ("sentences", "lattices", "lattice_edges", "lattice_words")
_ROWS = pa.schema(
    {"pruning": pa.string()}
    | {name: pa.int64() for name in ("n_nodes", "edges", "pruned", "trimmed", "kept_path_edges")}
    | {"density": pa.float64(), "ger": pa.int64()}
    | {name: pa.float64() for name in ("ger_rate", "swcd", "ger_p", "swcd_p")}
    | {"seed": pa.int64()}
)


@dataclass(frozen=True)
class PruningCut:
    """Which edges fail: a share of each lattice's edges, the most probable first, or all above a probability.

    Raises UsageError if both are given, or one is not from 0 to 1.
    """

    share: float | None = None
    probability: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and self.probability is not None:
            raise UsageError("edges are pruned by a share or by a probability; name one of them")
        for what, number in (("share of edges", self.share), ("probability", self.probability)):
            if number is not None and not (math.isfinite(number) and 0 <= number <= 1):
                raise UsageError(f"a {what} is a number from 0 to 1, not {number:g}")

    def failing(self, lattices: LatticeArrays, log_odds: Floats) -> Flags:
        """Whether each edge fails. Of edges with equal probability the first fail first."""
        if self.share is not None:
            return rank(lattices, -log_odds) < np.round(np.round(self.share * _sizes(lattices), 9))[lattices.owner]
        from scipy.special import expit

        limit = PROBABILITY if self.probability is None else self.probability
        above: Flags = expit(log_odds) > limit
        return above


def rank(lattices: LatticeArrays, values: Floats) -> Ints:
    """The 0-based rank of every edge in its lattice, by value; ties are ranked by the order of edges."""
    owner = lattices.owner
    order = np.lexsort((values, owner))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - lattices.edge_offsets[owner[order]]
    return ranks


def _sizes(lattices: LatticeArrays) -> Ints:
    """Number of edges of every lattice."""
    return np.diff(lattices.edge_offsets)


def by_arbiter(model: Arbiter, cut: PruningCut) -> Decide:
    """Return a rule that prunes by an arbiter; of paths with equally few failing edges the likeliest is kept."""

    def decide(pruning_input: PruningInput) -> EdgeDecisions:
        query = catalog.query("edge_features")
        values = {"lattice_corpus": pruning_input.values["lattice_corpus"]}
        rows = statistics.run_query(pruning_input.engine, query, values)
        odds = model.log_odds(arbiter.features(rows))
        return pruning.decide_edges(pruning_input.lattices, cut.failing(pruning_input.lattices, odds), -odds)

    return decide


def apply(
    task: Task,
    model: Arbiter,
    cut: PruningCut,
    out: Path | None = None,
    to: str | None = None,
    *,
    seed: int = SEED,
    runs: int = RUNS,
) -> Result:
    """Prune the lattices of a task by an arbiter, write them, and return a row for each pruning.

    Rows are `none`, the unpruned lattices, and `arbiter`; with references also `oracle` and `random`, one draw by the
    seed, and `posterior` if edges have scores, which leave as many edges or few more, and errors and distances of all.
    ger_p, swcd_p: two-sided p-values of a shuffling test against this draw, by the same seed. Raises UsageError, and
    what `evaluate` raises.
    """
    form = None if out is None else exporting.check_target(out, LATTICE, to)
    min_redundancy = _min_redundancy(task)
    names = [
        "edge_features",
        "edge_posteriors",
        *([*_SCORED, "reference_texts", "lattice_correspondence"] if task.shared.get("reference") else []),
    ]
    columns = [name for table in _TABLES for name in schemas.table(table).names]
    with open_inputs(task, [catalog.query(name) for name in names], columns) as inputs:
        [system] = inputs.systems
        lattices, values = pruning.read(inputs.engine, system), inputs.corpus_values(system)
        pruning_input = PruningInput(inputs.engine, values, lattices)
        decisions = {NONE: np.zeros(len(lattices.from_node), dtype=np.int8)}
        decisions[ARBITER] = by_arbiter(model, cut)(pruning_input)
        if task.shared.get("reference"):
            decisions |= baseline_decisions(pruning_input, _count_left(decisions[ARBITER]), min_redundancy, seed)
        corpora = {name: system if name == ARBITER else f"{system} ({name})" for name in decisions}
        pruned = {corpora[name]: decided for name, decided in decisions.items()}
        tables = pruning.without_edges(inputs.engine, system, inputs.of_role("reference"), lattices, pruned)
        references = {name: value for name, value in values.items() if name != "lattice_corpus"}
    with in_memory.connect_to_rows(tables, Options(), allows_files=out is not None) as engine:
        seeds = {RANDOM: seed}
        rows = [_count(name, lattices, decided, seeds.get(name)) for name, decided in decisions.items()]
        signatures: dict[str, str] = {}
        if task.shared.get("reference"):
            compared = {name: {"lattice_corpus": corpus, **references} for name, corpus in corpora.items()}
            for query in _SCORED:
                counts = _add_scores(engine, query, compared, rows, signatures, min_redundancy, seed=seed, runs=runs)
                for warning in find_undefined_lattices(system, _total(counts, "undefined_lattices")):
                    task.warn(warning)
        if out is not None and form is not None:
            exporting.write(engine, system, out, form, task.warn)
    return Result(pa.Table.from_pylist(rows, _ROWS), signatures, frozenset({"ger_rate"}))


def baseline_decisions(
    pruning_input: PruningInput, edges: int, min_redundancy: float, seed: int
) -> dict[str, EdgeDecisions]:
    """Decisions by posteriors if edges have scores, by normalised tau, and at random by the same share of each lattice.

    At least `edges` edges are left, and as few more as possible.
    """
    from treesql.kernels.edge_effects import edge_taus

    lattices = pruning_input.lattices
    taus = edge_taus(pruning.encode_texts(pruning_input), min_redundancy)
    sizes = _sizes(lattices)[lattices.owner]
    chance = np.random.default_rng(seed).random(len(sizes))
    return {
        **_by_posterior(pruning_input, edges),
        ORACLE: _decide_as_dense(lattices, taus.tau * sizes, taus.numerator, edges),
        RANDOM: _decide_as_dense(lattices, (rank(lattices, chance) + 0.5) / sizes, chance, edges),
    }


def _by_posterior(pruning_input: PruningInput, edges: int) -> dict[str, EdgeDecisions]:
    """Decisions by posteriors of the scores as they are; none if not all edges have as many scores."""
    corpus = pruning_input.values["lattice_corpus"]
    faults = catalog.query("edge_score_faults")
    if len(statistics.run_query(pruning_input.engine, faults, {"lattice_corpus": corpus})):
        return {}
    found = find_posteriors(pruning_input)
    return {POSTERIOR: _decide_as_dense(pruning_input.lattices, found.posterior, found.score, edges)}


def _decide_as_dense(lattices: LatticeArrays, values: Floats, preference: Floats, edges: int) -> EdgeDecisions:
    """Decisions if edges fail by value, ascending: as many as leave `edges` edges, or as few more as possible."""
    order = np.argsort(values, kind="stable")

    def pruned(n: int) -> EdgeDecisions:
        failing = np.zeros(len(order), dtype=bool)
        failing[order[:n]] = True
        return pruning.decide_edges(lattices, failing, preference)

    low, high = 0, len(order)
    while low < high:  # bisection: the more edges fail, the fewer are left
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _count_left(pruned(middle)) >= edges else (low, middle - 1)
    return pruned(low)


def _min_redundancy(task: Task) -> float:
    """The parameter of this name. Raises UsageError for others, and for values below 0 or not finite."""
    unused = [name for name in task.parameters if name not in ("min_redundancy", EMPTY_REFERENCES)]
    if unused:
        raise not_applicable(unused, "an arbiter")
    if "min_redundancy" in task.parameters and not task.shared.get("reference"):
        raise UsageError("the least redundancy needs references")
    catalog.query("tau_span").check(task.parameters)
    return float(str(task.parameters.get("min_redundancy", 1.0)))


def _count_left(decisions: EdgeDecisions) -> int:
    """Number of edges that are left."""
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH

    return int(np.count_nonzero(decisions <= KEPT_FOR_PATH))


def _count(name: str, lattices: LatticeArrays, decisions: EdgeDecisions, seed: int | None) -> dict[str, object]:
    """A row of the result without its scores."""
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED

    n_nodes, left = int(lattices.n_nodes.sum()), _count_left(decisions)
    counted = {"pruned": PRUNED, "trimmed": TRIMMED, "kept_path_edges": KEPT_FOR_PATH}
    counts = {column: int(np.count_nonzero(decisions == decision)) for column, decision in counted.items()}
    return {"pruning": name, "n_nodes": n_nodes, "edges": left, **counts, "density": left / n_nodes, "seed": seed}


def _add_scores(
    engine: Engine, name: str, corpora: Mapping[str, Mapping[str, object]],
    rows: Sequence[dict[str, object]], signatures: dict[str, str], min_redundancy: float, *, seed: int, runs: int,
) -> Counts:  # fmt: skip
    """Add a metric's score, and p of its difference from random pruning, to the rows; return the arbiter's sums."""
    query = catalog.query(name)
    [score] = [one for one in query.ratios if one.name == _SCORED[name]]
    given = {
        pruned: declared_values(query, {**values, "min_redundancy": min_redundancy})
        for pruned, values in corpora.items()
    }
    counts = {}
    for pruned, values in given.items():
        [sums] = scores.sentence_sums(engine, [name], values)
        counts[pruned] = Counts(query.counts, sums.values[:, 0])
    for row in rows:
        pruned_counts = counts[str(row["pruning"])]
        [[value]] = tests.evaluate_scores([score], pruned_counts.columns, pruned_counts.sums).tolist()
        row[score.name] = None if math.isnan(value) else value
        if name == "graph_error":
            row["ger"] = _total(pruned_counts, "ger")
        if row["pruning"] in (ARBITER, POSTERIOR, ORACLE):
            [tested] = tests.shuffling_test([score], pruned_counts, counts[RANDOM], runs=runs, seed=seed)
            row[f"{score.name.removesuffix('_rate')}_p"] = tested.p
    signatures[score.name] = cite(engine, query, score.name, query.values(given[ARBITER]), None)
    return counts[ARBITER]


def _total(counts: Counts, column: str) -> int:
    """The sum of a column, 0 if the metric has no such column."""
    names = [one.name for one in counts.columns]
    return int(counts.sums[0, names.index(column)]) if column in names else 0
