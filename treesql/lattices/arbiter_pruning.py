"""Lattices pruned by an arbiter, beside the same pruned by distance to references and at random, equally dense.

Source: Bernreuther 2005, Lattice evaluation techniques, section 4.1.2 (the arbiter), 3.4 (pruning by distance).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import UsageError
from treesql.evaluation import translation
from treesql.evaluation.translation import LATTICE, TranslationTask, open_translation
from treesql.lattices import arbiter, pruning
from treesql.lattices.arbiter import Arbiter
from treesql.lattices.pruning import Decide, EdgeDecisions, Flags, Floats, Lattices, PruningInput
from treesql.readers import Options
from treesql.results.result import Result
from treesql.scoring import scores, statistics
from treesql.scoring.signatures import signature as cite
from treesql.significance import tests
from treesql.significance.tests import RUNS, SEED, Counts
from treesql.storage import exporting, in_memory

Ints = npt.NDArray[np.int64]

NONE, ARBITER, ORACLE, RANDOM = "none", "arbiter", "oracle", "random"
"""How lattices are pruned: not at all, by an arbiter, by distance to the references, or whichever edges come."""

PROBABILITY = 0.5
"""Above it edges are pruned if nothing else is said."""

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
    """Which edges fail: a share of each lattice's, those that most likely are to be pruned, or all above a probability.

    Raises UsageError where both are given, or one is not from 0 to 1.
    """

    share: float | None = None
    probability: float | None = None

    def __post_init__(self) -> None:
        if self.share is not None and self.probability is not None:
            raise UsageError("edges are pruned by a share or by a probability; name one of them")
        for what, number in (("share of edges", self.share), ("probability", self.probability)):
            if number is not None and not (math.isfinite(number) and 0 <= number <= 1):
                raise UsageError(f"a {what} is a number from 0 to 1, not {number:g}")

    def failing(self, lattices: Lattices, log_odds: Floats) -> Flags:
        """Whether each edge fails. Of edges that are as likely to be pruned the first fail first."""
        if self.share is not None:
            return rank(lattices, -log_odds) < np.round(self.share * _sizes(lattices))[lattices.owner]
        from scipy.special import expit

        limit = PROBABILITY if self.probability is None else self.probability
        above: Flags = expit(log_odds) > limit
        return above


def rank(lattices: Lattices, values: Floats) -> Ints:
    """For every edge how many of its lattice come before it in the order of values, equal ones in that of the edges."""
    owner = lattices.owner
    order = np.lexsort((values, owner))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order)) - lattices.edge_offsets[owner[order]]
    return found


def _sizes(lattices: Lattices) -> Ints:
    """Number of edges of every lattice."""
    return np.diff(lattices.edge_offsets)


def by_arbiter(judge: Arbiter, cut: PruningCut) -> Decide:
    """What prunes as an arbiter says; where no path is left, that of the fewest and likeliest edges is kept."""

    def decide(asked: PruningInput) -> EdgeDecisions:
        query = catalog.query("edge_features")
        found = statistics.run_query(asked.connection, query, {"lattice_corpus": asked.values["lattice_corpus"]})
        odds = judge.log_odds(arbiter.features(found))
        return pruning.decide_edges(asked.lattices, cut.failing(asked.lattices, odds), -odds)

    return decide


def apply(
    task: TranslationTask,
    judge: Arbiter,
    cut: PruningCut,
    out: Path | None = None,
    to: str | None = None,
    *,
    seed: int = SEED,
    runs: int = RUNS,
) -> Result:
    """Prune the lattices of a task by an arbiter, write them, and tell what is left: a row for each pruning.

    Rows are `none`, the lattices as they are, and `arbiter`; with references also `oracle` and `random`, one draw by
    the seed, which leave as many edges or a few more, and errors and distances of all. ger_p, swcd_p: of a shuffling
    test against this draw, two-sided, by the same seed. Raises UsageError, and as translation.evaluate does.
    """
    form = None if out is None else exporting.form_of(out, LATTICE, to)
    least = _least(task)
    names = ["edge_features", *([*_SCORED, "reference_texts", "lattice_correspondence"] if task.references else [])]
    needed = [name for table in _TABLES for name in schemas.table(table).names]
    with open_translation(task, [catalog.query(name) for name in names], needed) as found:
        [system] = found.systems
        asked = PruningInput(found.connection, found.values(LATTICE, system), pruning.read(found.connection, system))
        fates = {NONE: np.zeros(len(asked.lattices.from_node), dtype=np.int8), ARBITER: by_arbiter(judge, cut)(asked)}
        if task.references:
            fates |= baseline_decisions(asked, _count_left(fates[ARBITER]), least, seed)
        called = {name: system if name == ARBITER else f"{system} ({name})" for name in fates}
        pruned = {called[name]: fate for name, fate in fates.items()}
        held = pruning.without_edges(found.connection, system, found.references, asked.lattices, pruned)
        references = {name: value for name, value in asked.values.items() if name != "lattice_corpus"}
    with in_memory.connect_to_rows(held, Options()) as connection:
        rows = [_counted(name, asked.lattices, fate, seed if name == RANDOM else None) for name, fate in fates.items()]
        signatures: dict[str, str] = {}
        if task.references:
            corpora = {name: {"lattice_corpus": called[name], **references} for name in fates}
            for query in _SCORED:
                counts = _add_scores(connection, query, corpora, rows, signatures, least, seed=seed, runs=runs)
                for warning in translation.find_undefined_lattices(system, _total(counts, "undefined_lattices")):
                    task.warn(warning)
        if out is not None and form is not None:
            exporting.write(connection, system, out, form, task.warn)
    return Result(pa.Table.from_pylist(rows, _ROWS), signatures, frozenset({"ger_rate"}))


def baseline_decisions(asked: PruningInput, edges: int, min_redundancy: float, seed: int) -> dict[str, EdgeDecisions]:
    """The fates of edges that fail by tau times the edges of their lattice, and at random, the same share of each.

    About `edges` are left, not fewer.
    """
    from treesql.kernels import lattice_pruning  # here, for it brings the compiler

    lattices = asked.lattices
    worth = lattice_pruning.edge_taus(pruning.texts_of(asked), min_redundancy)
    sizes = _sizes(lattices)[lattices.owner]
    chance = np.random.default_rng(seed).random(len(sizes))
    return {
        ORACLE: _decide_as_dense(lattices, worth.tau * sizes, worth.numerator, edges),
        RANDOM: _decide_as_dense(lattices, (rank(lattices, chance) + 0.5) / sizes, chance, edges),
    }


def _decide_as_dense(lattices: Lattices, values: Floats, preference: Floats, edges: int) -> EdgeDecisions:
    """The fates where edges fail in the order of values, as many as leave `edges` edges, or as few more as can be."""
    order = np.argsort(values, kind="stable")

    def pruned(n: int) -> EdgeDecisions:
        failing = np.zeros(len(order), dtype=bool)
        failing[order[:n]] = True
        return pruning.decide_edges(lattices, failing, preference)

    low, high = 0, len(order)
    while low < high:  # the more fail, the fewer are left
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _count_left(pruned(middle)) >= edges else (low, middle - 1)
    return pruned(low)


def _least(task: TranslationTask) -> float:
    useless = [name for name in task.parameters if name != "min_redundancy"]
    if useless:
        raise UsageError(f"of no use for an arbiter: {', '.join(useless)}")
    if task.parameters and not task.references:
        raise UsageError("a least redundancy is of use with references alone")
    least = float(str(task.parameters.get("min_redundancy", 1.0)))
    if not (math.isfinite(least) and least >= 0):
        raise UsageError(f"the least redundancy is a number from 0 on, not {least}; 1 is usual")
    return least


def _count_left(fates: EdgeDecisions) -> int:
    """How many edges are left."""
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH  # here, for it brings the compiler

    return int(np.count_nonzero(fates <= KEPT_FOR_PATH))


def _counted(name: str, lattices: Lattices, fates: EdgeDecisions, seed: int | None) -> dict[str, object]:
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED  # here, for it brings the compiler

    n_nodes, left = int(lattices.n_nodes.sum()), _count_left(fates)
    told = {"pruned": PRUNED, "trimmed": TRIMMED, "kept_path_edges": KEPT_FOR_PATH}
    counts = {what: int(np.count_nonzero(fates == fate)) for what, fate in told.items()}
    return {"pruning": name, "n_nodes": n_nodes, "edges": left, **counts, "density": left / n_nodes, "seed": seed}


def _add_scores(
    connection: duckdb.DuckDBPyConnection, name: str, corpora: Mapping[str, Mapping[str, object]],
    rows: Sequence[dict[str, object]], signatures: dict[str, str], least: float, *, seed: int, runs: int,
) -> Counts:  # fmt: skip
    """Put a metric's score, and p of its difference from that of random pruning, into the rows; returns the arbiter's
    sums."""
    query = catalog.query(name)
    [score] = [one for one in query.ratios if one.name == _SCORED[name]]
    given = {"min_redundancy": least} if any(one.name == "min_redundancy" for one in query.parameters) else {}
    counts = {}
    for pruned, values in corpora.items():
        [sums] = scores.sentence_sums(connection, [name], {**values, **given})
        counts[pruned] = Counts(query.counts, sums.values[:, 0])
    for row in rows:
        own = counts[str(row["pruning"])]
        [[value]] = tests.evaluate_scores(connection, [score], own.columns, own.sums).tolist()
        row[score.name] = None if math.isnan(value) else value
        if name == "graph_error":
            row["ger"] = _total(own, "ger")
        if row["pruning"] in (ARBITER, ORACLE):
            [tested] = tests.shuffling_test(connection, [score], own, counts[RANDOM], runs=runs, seed=seed)
            row[f"{score.name.removesuffix('_rate')}_p"] = tested.p
    values = query.values({**corpora[ARBITER], **given})
    signatures[score.name] = cite(connection, query, score.name, values, None)
    return counts[ARBITER]


def _total(counts: Counts, column: str) -> int:
    """The sum of a column, 0 where the metric has none of this name."""
    names = [one.name for one in counts.columns]
    return int(counts.sums[0, names.index(column)]) if column in names else 0
