"""The path of every lattice that is nearest to a reference, and one lattice with this path for drawing; paths whose
BLEU, all of them together, is the best found.

BLEU of a corpus is no sum over its lattices. Its logarithm is replaced by a line around the current sums of counts: a
gain per match of each order, a cost per n-gram, a gain per word where the paths are too short. The best path of every
lattice by these gains (treesql.kernels.lattices.bleu_paths) gives new sums, until they are those of an earlier round.
Sources: Zens & Ney 2005, Word graphs for statistical machine translation; Sokolov, Wisniewski & Yvon 2012, Lattice BLEU
oracles in machine translation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.drawing.lattices import DrawnEdge, Lattice, describe_paths, text
from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Inputs, Task
from treesql.functions.arrays import flatten, integer_array
from treesql.functions.lattice import batch_with_references, list_paths
from treesql.kernels.arrays import Floats, Ints
from treesql.lattices.oracle_texts import SCORE, find_paths
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors_of_class
from treesql.scoring import scores
from treesql.sentences import sentence_names
from treesql.significance import expressions

_N_NODES = "SELECT l.n_nodes FROM lattices AS l WHERE l.corpus = $corpus AND l.sentence = $sentence"
_EDGES = """
SELECT e.edge, e.from_node, e.to_node, e.edge_words
FROM lattice_edges AS e
WHERE e.corpus = $corpus AND e.sentence = $sentence
ORDER BY e.edge
"""


@dataclass(frozen=True)
@convert_errors_of_class
class LatticeView:
    """One lattice to be drawn.

    path: edges of the path that is nearest to a reference, none without references; caption: that path in words, or
    nothing.
    """

    name: str
    n_nodes: int
    edges: Sequence[DrawnEdge]
    path: frozenset[int]
    caption: str

    def text(self, *, colour: bool = False) -> str:
        """A line per edge below its first node, then the size and the path. colour: the path is bold, for terminals."""
        size = f"{self.n_nodes} nodes, {len(self.edges)} edges, {describe_paths(self.n_nodes, self.edges)}"
        drawn = text(self.n_nodes, self.edges, self.path, colour=colour)
        return f"{drawn}\n\n{self.name}: {size}\n" + (f"{self.caption}\n" if self.caption else "")

    def svg(self) -> str:
        """The lattice as an SVG document."""
        return Lattice(self.n_nodes, self.edges, self.path).svg(self.name, standalone=True)

    def __str__(self) -> str:
        return self.text().rstrip("\n")


def find_oracle_paths(
    task: Task, measure: str, *, corpus_bleu: bool = False, edge_weights: str = "", costs: Mapping[str, object] = {}
) -> Result:
    """The path of every lattice that is nearest to a reference: a row with its edges, words, errors and `proven`.

    corpus_bleu: the paths, with the measure `bleu`, whose BLEU together is the best found. edge_weights: with `score`,
    for which a task without references has the best paths without errors. costs: with `ger`, parameters of
    `oracle_paths` that say what edits cost. Raises UsageError, and as `open_inputs` does.
    """
    referenced = _check(task, measure, edge_weights)
    check_costs(measure, costs)
    if corpus_bleu and measure != "bleu":
        raise UsageError(f"--corpus-bleu finds paths by BLEU, not by {measure}: add --measure bleu")
    with open_inputs(task, _queries(referenced, measure)) as inputs:
        [system] = inputs.systems
        values = inputs.corpus_values(system)
        if referenced:
            rows = find_paths(inputs.engine, {**values, **costs}, measure, edge_weights)
        else:
            parameters = {"lattice_corpus": system, "edge_weights": edge_weights}
            rows = scores.run_query(inputs.engine, catalog.query("best_paths"), parameters).sort_by("sentence")
        if corpus_bleu:
            rows = find_corpus_paths(inputs.engine, values, rows)
        sql = "SELECT s.sent_id FROM sentences AS s WHERE s.corpus = $corpus ORDER BY s.sentence"
        names = inputs.engine.table(sql, {"corpus": system})
    return Result(rows.add_column(1, "sent_id", names["sent_id"]))


def view_lattice(task: Task, sentence: str | int, measure: str, *, edge_weights: str = "") -> LatticeView:
    """One lattice, named by its sent_id or its number, with its nearest path if the task has references.

    Raises UnknownName, UsageError, and as `open_inputs` does.
    """
    referenced = bool(task.shared.get("reference"))
    if referenced:
        _check(task, measure, edge_weights)
    names = ["lattice_shapes", "weighted_edges"]
    queries = _queries(True, measure) if referenced else []
    with open_inputs(task, [*map(catalog.query, names), *queries]) as inputs:
        [system] = inputs.systems
        _, number = sentence_names.locate(inputs.engine, sentence, [system], what="lattice")
        key = {"corpus": system, "sentence": number}
        [(n_nodes,)] = inputs.engine.rows(_N_NODES, key)
        edges = [DrawnEdge(*row) for row in inputs.engine.rows(_EDGES, key)]
        path, caption = frozenset[int](), ""
        if referenced:
            row = _oracle_path(inputs, system, number, measure, edge_weights)
            path, caption = frozenset(row["path_edges"]), _describe(row, measure)
    return LatticeView(f"lattice {sentence}", n_nodes, edges, path, caption)


def _oracle_path(inputs: Inputs, system: str, sentence: int, measure: str, edge_weights: str) -> dict[str, Any]:
    rows = find_paths(inputs.engine, inputs.corpus_values(system), measure, edge_weights)
    [row] = rows.filter(pc.field("sentence") == sentence).to_pylist()
    return dict(row)


def _check(task: Task, measure: str, edge_weights: str) -> bool:
    """Whether the task has references. Raises UsageError for a measure that needs some, and for weights without use."""
    if edge_weights and measure != SCORE:
        raise UsageError(f"--edge-weights are of scores of edges, not of {measure}: add --measure {SCORE}")
    if not task.shared.get("reference") and measure != SCORE:
        raise UsageError("name at least one reference: --reference FILE")
    return bool(task.shared.get("reference"))


def check_costs(measure: str, costs: Mapping[str, object]) -> None:
    """Raises UsageError for costs of edits that are none, or that the measure does not have."""
    query = catalog.query("oracle_paths")
    query.check(costs)
    defaults = {parameter.name: parameter.default for parameter in query.parameters}
    given = [name for name, cost in costs.items() if str(cost) != str(defaults[name]) and cost != 1]
    if given and measure != "ger":
        raise UsageError(f"--{given[0].replace('_', '-')} is of edits, not of {measure}: add --measure ger")


def _queries(referenced: bool, measure: str) -> list[Query]:
    """The queries that find paths."""
    names = ["oracle_paths" if referenced else "best_paths", *["edge_score_faults"] * (measure == SCORE)]
    return [catalog.query(name) for name in names]


def _describe(row: Mapping[str, Any], measure: str) -> str:
    """The nearest path in words: its errors or score, its length, its reference, its forms."""
    if measure == SCORE:
        n = row["path_errors"]
        worth, proof = f"{row['path_score']:g}, {n} error{'' if n == 1 else 's'}", ""
    elif row["path_score"] is not None:
        worth, proof = f"{row['path_score']:.4f}", "" if row["proven"] else ", not proven to be the best"
    elif row["path_errors"] is None:
        return "no path has words"
    else:
        worth = f"{row['path_errors']} error{'' if row['path_errors'] == 1 else 's'}"
        proof = "" if row["proven"] else ", not proven to be the fewest"
    words = f"{row['path_words']} words, {row['reference']} has {row['n_reference_words']}"
    return f"{measure} {worth}, {words}{proof}: {' '.join(row['path_forms'])}"


MAX_ROUNDS = 50
"""Maximum number of rounds."""

_STAGES = ((12, 8), (30, 200))
"""Effort of the search for the best path by gains, as in treesql.kernels.lattices.bleu_paths."""

_COUNTS = (
    "matches_1", "matches_2", "matches_3", "matches_4", "n_grams_1", "n_grams_2", "n_grams_3", "n_grams_4",
    "hypothesis_words", "closest_words",
)  # fmt: skip
"""The columns of graph_bleu in the order of the kernel's counts."""

_STEPS = (1.0, 0.5, 0.25, 0.125)
"""Shares by which sums approach those of a round, tried in turn while rounds repeat themselves."""


def find_corpus_paths(engine: Engine, values: Mapping[str, object], rows: pa.Table) -> pa.Table:
    """Return the rows of oracle_paths with the paths whose corpus BLEU is the best of at most MAX_ROUNDS rounds.

    values: of the parameters of lattice_references. rows: oracle_paths for `bleu`, by sentence: the paths to begin
    with. No path is proven.
    """
    from treesql.kernels.lattices.bleu_paths import BleuEffort, best_paths  # here, as few commands need it

    lattices = scores.run_query(engine, catalog.query("lattice_references"), values).sort_by("sentence")
    columns = (lattices[name] for name in ("n_nodes", "edges", "reference_lists"))
    batch, text_offsets, numbers, words = batch_with_references(*columns)
    best = best_paths(batch, text_offsets)
    sums = best.counts.sum(axis=0)
    best_bleu, around, known, step = bleu_of(sums[np.newaxis])[0], sums.astype(np.float64), {tuple(sums)}, 0
    for _ in range(MAX_ROUNDS):
        paths = best_paths(batch, text_offsets, gains_of(around), BleuEffort(stages=_STAGES))
        sums = paths.counts.sum(axis=0)
        if (bleu := bleu_of(sums[np.newaxis])[0]) > best_bleu:
            best, best_bleu = paths, bleu
        step += tuple(sums) in known
        if step == len(_STEPS):
            break
        known.add(tuple(sums))
        around += _STEPS[step] * (sums - around)
    edges, forms = list_paths(batch, numbers, words, best.offsets, best.edges)
    names, closest = lattices["reference_names"], best.counts[:, -1]
    changed = {
        "reference": _closest_references(names, batch.reference_offsets, text_offsets, closest),
        "n_reference_words": integer_array(closest),
        "path_words": integer_array(best.counts[:, -2]),
        "path_score": pa.array(bleu_of(best.counts, "gbleu_effective")),
        "proven": pa.array(np.zeros(len(best.counts), dtype=bool)),
        "path_edges": edges,
        "path_forms": forms,
    }
    for name, values_of_paths in changed.items():
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), values_of_paths)
    return rows


def bleu_of(counts: Ints, score: str = "gbleu") -> Floats:
    """BLEU by row, as the score of `graph_bleu` has it. counts: (rows, COUNTS) of
    treesql.kernels.lattices.n_gram_bounds."""
    query = catalog.query("graph_bleu")
    [expression] = [candidate for candidate in query.scores if candidate.name == score]
    return expressions.values(expression, dict(zip(_COUNTS, counts.T.astype(np.float64), strict=True)))


def gains_of(sums: Floats) -> Floats:
    """The derivatives of the logarithm of corpus BLEU by its counts, in the order of `bleu_of`, times the words.

    An order without matches has the gain of one match.
    """
    orders = len(sums) // 2 - 1
    at_least_one = np.maximum(sums, 1.0)
    words, closest = at_least_one[-2:]
    gains = np.zeros(len(sums))
    gains[:orders] = 1 / (orders * at_least_one[:orders])
    gains[orders : 2 * orders] = -1 / (orders * at_least_one[orders : 2 * orders])
    if words < closest:
        gains[-2:] = closest / words**2, -1 / words
    return np.asarray(gains * words)


def _closest_references(names: pa.ChunkedArray, offsets: Ints, text_offsets: Ints, closest: Ints) -> pa.Array:
    """The name of the first reference of every lattice that has the length of the closest one."""
    lattice = np.repeat(np.arange(len(closest)), np.diff(offsets))
    equal = np.flatnonzero(np.diff(text_offsets) == closest[lattice])
    _, first = np.unique(lattice[equal], return_index=True)
    return flatten(names)[0].take(pa.array(equal[first]))
