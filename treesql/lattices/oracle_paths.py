"""The path of every lattice that is nearest to a reference, and one lattice with this path for drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treesql import catalog
from treesql.catalog import Query
from treesql.drawing.lattices import DrawnEdge, describe_paths, svg, text
from treesql.errors import UsageError
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Inputs, Task
from treesql.lattices.corpus_bleu import find_corpus_paths
from treesql.lattices.oracle_texts import SCORE, find_paths
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors_of_class
from treesql.scoring import scores
from treesql.sentences import sentence_names

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
        return svg(self.n_nodes, self.edges, self.path)

    def __str__(self) -> str:
        return self.text().rstrip("\n")


def find_oracle_paths(task: Task, measure: str, *, corpus_bleu: bool = False, edge_weights: str = "") -> Result:
    """The path of every lattice that is nearest to a reference: a row with its edges, words, errors and `proven`.

    corpus_bleu: the paths, with the measure `bleu`, whose BLEU together is the best found. edge_weights: with `score`,
    for which a task without references has the best paths without errors. Raises UsageError, and as `open_inputs` does.
    """
    referenced = _check(task, measure, edge_weights)
    if corpus_bleu and measure != "bleu":
        raise UsageError(f"--corpus-bleu finds paths by BLEU, not by {measure}: add --measure bleu")
    with open_inputs(task, _queries(referenced, measure)) as inputs:
        [system] = inputs.systems
        values = inputs.corpus_values(system)
        if referenced:
            rows = find_paths(inputs.engine, values, measure, edge_weights)
        else:
            given = {"lattice_corpus": system, "edge_weights": edge_weights}
            rows = scores.run_query(inputs.engine, catalog.query("best_paths"), given).sort_by("sentence")
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
        _, number = sentence_names.locate(inputs.engine, sentence, system, what="lattice")
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
