"""Prune the lattices of a task by any rule, and report what changed: edges, density, errors, distance, oracle BLEU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Task
from treesql.functions.arrays import flatten
from treesql.kernels.arrays import Ints
from treesql.lattices import oracle_texts
from treesql.lattices.pruning import (
    Decide,
    DecideEach,
    EdgeDecisions,
    LatticeArrays,
    PruningInput,
    read,
    without_edges,
)
from treesql.readers import LATTICE, Options
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.scoring import scores
from treesql.scoring.audits import declared_values
from treesql.storage import exporting, in_memory

_DISTANCE = "word_count_distance"
_QUERIES = ("oracle_paths", _DISTANCE, "lattice_size", "n_gram_matches", "edge_posteriors")
"""Queries that run before and after pruning."""

_FLOATS = (
    "threshold", "density_before", "density_after", "swcd_before", "swcd_after", "oracle_bleu_before",
    "oracle_bleu_after", "oracle_pruned_share",
)  # fmt: skip
"""Columns of the report that are no whole numbers."""


def prune(
    task: Task,
    decide: Decide,
    out: Path | None = None,
    to: str | None = None,
    *,
    min_redundancy: float = 1.0,
) -> Result:
    """Prune the lattices of a task, write them, and return one row of what changed.

    task: one file or corpus of lattices, and references, which may be left out if the rule needs none: then errors and
    distances are NULL. out: the file, or None; to: its format, by default that of its ending; min_redundancy: of the
    reported distances. Raises what `evaluate` raises.
    """
    form = None if out is None else exporting.check_target(out, LATTICE, to)
    with _open(task) as pruning_input:
        lattices, values = pruning_input.lattices, pruning_input.values
        system = str(values["lattice_corpus"])
        before = _score(pruning_input.engine, values, min_redundancy)
        decisions = decide(pruning_input)
        tables = _without_edges(pruning_input, decisions)
    with in_memory.connect_to_rows(tables, Options(), allows_files=out is not None) as engine:
        after = _score(engine, values, min_redundancy)
        if out is not None and form is not None:
            exporting.write(engine, system, out, form, task.warn)
    _warn_of_empty_references(task, system, before)
    return _report([_measure(system, lattices, decisions, before, after)])


def prune_each(
    task: Task, thresholds: Sequence[float], decide_each: DecideEach, *, min_redundancy: float = 1.0
) -> Result:
    """One row of what changes at each threshold, without writing lattices. Raises UsageError, as `prune`."""
    rows = []
    with _open(task) as pruning_input:
        lattices, values = pruning_input.lattices, pruning_input.values
        system = str(values["lattice_corpus"])
        before = _score(pruning_input.engine, values, min_redundancy)
        for threshold, decisions in zip(thresholds, decide_each(pruning_input), strict=True):
            with in_memory.connect_to_rows(_without_edges(pruning_input, decisions), Options()) as engine:
                after = _score(engine, values, min_redundancy)
            row = _measure(system, lattices, decisions, before, after)
            rows.append({"system": system, "threshold": threshold, **row})
    _warn_of_empty_references(task, system, before)
    return _report(rows)


@contextmanager
def _open(task: Task) -> Iterator[PruningInput]:
    """Open the lattices of a task, and its references."""
    queries = [catalog.query(name) for name in (*_QUERIES, "word_counts", "lattice_shapes", "weighted_edges")]
    columns = [
        name
        for table in ("sentences", "lattices", "lattice_edges", "lattice_words")
        for name in schemas.table(table).names
    ]
    with open_inputs(task, queries, columns) as inputs:
        [system] = inputs.systems
        yield PruningInput(inputs.engine, inputs.corpus_values(system), read(inputs.engine, system))


def _without_edges(pruning_input: PruningInput, decisions: EdgeDecisions) -> dict[str, list[tuple[str, pa.Table]]]:
    """The tables of lattices without pruned and trimmed edges, under the same name, and of the references."""
    values = pruning_input.values
    references = _references(values)
    system = str(values["lattice_corpus"])
    return without_edges(pruning_input.engine, system, references, pruning_input.lattices, {system: decisions})


def _references(values: Mapping[str, object]) -> list[str]:
    """The corpora of the references that parameters of queries name."""
    named = [str(values.get("reference_corpus", "")), *str(values.get("other_corpora", "")).split(",")]
    return [name for name in named if name]


def _warn_of_empty_references(task: Task, system: str, before: _PruningScores) -> None:
    if before.undefined:
        noun = "lattice has an empty reference" if before.undefined == 1 else "lattices have empty references"
        what = f"{before.undefined} {noun}, from which no distance is defined"
        task.warn(Diagnostic.warning(system, 0, what, "by distance their edges are not pruned"))


@dataclass(frozen=True)
class _PruningScores:
    """Scores of lattices, None without references. undefined: number of lattices whose distance is not defined."""

    ger: int | None
    swcd: float | None
    oracle_bleu: float | None
    paths: pa.Table | None
    undefined: int


def _score(engine: Engine, values: Mapping[str, object], min_redundancy: float) -> _PruningScores:
    if "reference_corpus" not in values:
        return _PruningScores(None, None, None, None, 0)
    paths = oracle_texts.find_paths(engine, values, "ger")
    given = declared_values(catalog.query(_DISTANCE), {**values, "min_redundancy": min_redundancy})
    [row] = scores.score(engine, [_DISTANCE], given).rows()
    errors = pc.sum(paths["path_errors"]).as_py()
    bleu = oracle_texts.score_words(
        engine, values, oracle_texts.words_of_paths(paths), "n_gram_matches", "bleu", _references(values)
    )
    return _PruningScores(errors, row["swcd"], bleu, paths, row["undefined_lattices"])


def _measure(
    system: str, lattices: LatticeArrays, decisions: EdgeDecisions, before: _PruningScores, after: _PruningScores
) -> dict[str, Any]:
    """What changed: a row of the report."""
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED

    n_nodes, n_edges = int(lattices.n_nodes.sum()), len(decisions)
    pruned, trimmed, kept = (int((decisions == one).sum()) for one in (PRUNED, TRIMMED, KEPT_FOR_PATH))
    left = n_edges - pruned - trimmed
    on_path = None if before.paths is None else decisions[_edge_indices(lattices, before.paths)]
    lost = None if on_path is None else int((on_path == PRUNED).sum())
    return {
        "system": system,
        "lattices": len(lattices.sentence),
        "n_nodes": n_nodes,
        "edges_before": n_edges,
        "edges_after": left,
        "pruned": pruned,
        "trimmed": trimmed,
        "kept_path_edges": kept,
        "density_before": n_edges / n_nodes,
        "density_after": left / n_nodes,
        "ger_before": before.ger,
        "ger_after": after.ger,
        "swcd_before": before.swcd,
        "swcd_after": after.swcd,
        "oracle_bleu_before": before.oracle_bleu,
        "oracle_bleu_after": after.oracle_bleu,
        "oracle_edges": None if on_path is None else len(on_path),
        "oracle_edges_pruned": lost,
        "oracle_pruned_share": lost / len(on_path)
        if on_path is not None and lost is not None and len(on_path)
        else None,
    }


def _report(rows: Sequence[Mapping[str, Any]]) -> Result:
    """The rows as a table."""
    kinds = {"system": pa.string(), **dict.fromkeys(_FLOATS, pa.float64())}
    columns = {name: pa.array([row[name] for row in rows], kinds.get(name, pa.int64())) for name in rows[0]}
    return Result(
        pa.table(columns), percent=frozenset({"oracle_bleu_before", "oracle_bleu_after", "oracle_pruned_share"})
    )


def _edge_indices(lattices: LatticeArrays, paths: pa.Table) -> Ints:
    """The indices of the edges of oracle paths among all edges."""
    edges, offsets = flatten(paths["path_edges"])
    lattice = np.searchsorted(lattices.sentence, _as_ints(paths["sentence"]))
    return lattices.edge_offsets[np.repeat(lattice, np.diff(offsets))] + _as_ints(edges)


def _as_ints(column: pa.Array | pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)
