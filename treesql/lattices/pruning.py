"""Prune lattices: remove the edges that raise standard word count distance to references, or by any other rule.

A rule is a function from lattices to a decision for every edge. `decide_edges` makes decisions from failing edges so
that one path always remains and edges on no path are trimmed. Rows, files and the report are the same for all rules.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Task
from treesql.functions.arrays import encode_strings, flatten
from treesql.kernels.arrays import Flags, Floats, Ints, positions_in_list
from treesql.lattices import oracle_texts
from treesql.readers import LATTICE, Options
from treesql.readers.fields import numbers
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers
from treesql.runtime.failures import with_checked_arguments
from treesql.scoring import items, scores
from treesql.scoring.items import declared_values
from treesql.storage import exporting, loading

if TYPE_CHECKING:
    from treesql.kernels.lattices.lattice_pruning import EdgeWords


EdgeDecisions = NDArray[np.int8]
"""For every edge KEPT, KEPT_FOR_PATH, PRUNED or TRIMMED of treesql.kernels.lattices.lattice_pruning."""

_EDGES = """
SELECT e.sentence, e.edge, e.from_node, e.to_node, e.edge_words, e.scores
FROM lattice_edges AS e
WHERE e.corpus = $corpus
ORDER BY e.sentence, e.edge
"""
_LATTICES = """
SELECT l.sentence, l.n_nodes, l.n_edges, l.n_finals, l.final_scores
FROM lattices AS l
WHERE l.corpus = $corpus
ORDER BY l.sentence
"""


@dataclass(frozen=True)
class LatticeArrays:
    """The lattices of a corpus as flat arrays, by sentence, their edges by number.

    sentence, n_nodes: (lattices,); edge_offsets: (lattices + 1,); from_node, to_node: (edges,); rows, edges: the rows
    of the tables lattices and lattice_edges.
    """

    sentence: Ints
    n_nodes: Ints
    edge_offsets: Ints
    from_node: Ints
    to_node: Ints
    rows: pa.Table
    edges: pa.Table

    @property
    def owner(self) -> Ints:
        """The 0-based lattice of every edge."""
        return np.repeat(np.arange(len(self.sentence)), np.diff(self.edge_offsets))


@dataclass(frozen=True)
class PruningInput:
    """Input of a pruning rule: the lattices, and an engine with their tables and those of the references.

    values: of the corpus parameters of queries: lattice_corpus, and with references reference_corpus and other_corpora.
    """

    engine: Engine
    values: Mapping[str, object]
    lattices: LatticeArrays


Decide = Callable[[PruningInput], EdgeDecisions]
"""A pruning rule: returns a decision for every edge."""

DecideEach = Callable[[PruningInput], Iterator[EdgeDecisions]]
"""A pruning rule at several thresholds: yields a decision for every edge at each."""


Measure = Callable[[PruningInput], tuple[Floats, Floats]]
"""What edges are pruned by: the values of all edges, of which the smallest fail first, and their preferences."""


def distance_measure(*, raw: bool = False, min_redundancy: float = 1.0) -> Measure:
    """Return what measures edges by tau times the number of edges of their lattice, or if `raw` by tau itself."""
    catalog.query("tau_span").check({"min_redundancy": min_redundancy})

    def measure(pruning_input: PruningInput) -> tuple[Floats, Floats]:
        from treesql.kernels.lattices.lattice_pruning import edge_taus

        taus = edge_taus(encode_texts(pruning_input), min_redundancy)
        sizes = np.diff(pruning_input.lattices.edge_offsets)
        return taus.tau if raw else taus.tau * np.repeat(sizes, sizes), taus.numerator

    return measure


def by_distances(
    thresholds: Sequence[float], *, raw: bool = False, greedy: bool = False, min_redundancy: float = 1.0
) -> DecideEach:
    """Return a rule that prunes edges whose tau, the change of distance to the references without them, is too small.

    thresholds: divided by the number of edges of the lattice unless `raw`; tau is computed once for all. greedy: prune
    the worst edge, recompute tau, and repeat. min_redundancy: minimum of the redundancy. Raises UsageError.
    """
    for threshold in thresholds:
        if not math.isfinite(threshold):
            raise UsageError(
                f"a threshold is a finite number, not {threshold}; 0 prunes what makes the distance larger"
            )
    catalog.query("tau_span").check({"min_redundancy": min_redundancy})

    def decide(pruning_input: PruningInput) -> Iterator[EdgeDecisions]:
        from treesql.kernels.lattices import lattice_pruning
        from treesql.kernels.lattices.lattice_pruning import edge_taus

        lattices = pruning_input.lattices
        texts = encode_texts(pruning_input)
        if greedy:
            for threshold in thresholds:
                yield lattice_pruning.prune_greedily(
                    lattices.n_nodes, lattices.from_node, lattices.to_node, texts, min_redundancy, threshold, not raw
                )
            return
        taus = edge_taus(texts, min_redundancy)
        sizes = np.diff(lattices.edge_offsets)
        for threshold in thresholds:
            limit = threshold if raw else threshold / np.repeat(sizes, sizes)
            yield decide_edges(lattices, taus.tau < limit, taus.numerator)

    return decide


@with_checked_arguments
def decide_edges(lattices: LatticeArrays, failing: Flags, preference: Floats) -> EdgeDecisions:
    """Decide on all edges from those that fail: one path always remains, and edges on no path are trimmed.

    failing, preference: (edges,). If no path remains without the failing edges, the path with the fewest of them is
    kept, of several the one with the largest sum of preferences, then with the smallest edges. Raises ValueError if a
    preference is NaN, or an array has another length.
    """
    from treesql.kernels.lattices import lattice_pruning

    if not len(failing) == len(preference) == len(lattices.from_node):
        raise ValueError(
            f"{len(lattices.from_node)} edges have {len(failing)} decisions, {len(preference)} preferences"
        )
    if np.isnan(preference).any():
        raise ValueError("a preference is not a number")
    return lattice_pruning.prune(
        lattices.n_nodes, lattices.edge_offsets, lattices.from_node, lattices.to_node, failing, preference
    ).outcome


def decide_on_first(lattices: LatticeArrays, values: Floats, preference: Floats, n: int) -> EdgeDecisions:
    """Decide on all edges if the n with the smallest values fail, of equal ones the first."""
    failing = np.zeros(len(values), dtype=bool)
    failing[np.argsort(values, kind="stable")[:n]] = True
    return decide_edges(lattices, failing, preference)


def most_failing(lattices: LatticeArrays, values: Floats, preference: Floats, edges: int) -> int:
    """The largest number of edges that may fail by value, ascending, so that at least `edges` edges are left."""
    low, high = 0, len(values)
    while low < high:  # bisection: the more edges fail, the fewer are left
        middle = (low + high + 1) // 2
        enough = count_left(decide_on_first(lattices, values, preference, middle)) >= edges
        low, high = (middle, high) if enough else (low, middle - 1)
    return low


def to_density(density: float, measure: Measure) -> Decide:
    """Return a rule that prunes edges by a measure, ascending, as few as leave a density of at most this.

    density: edges per node of all lattices together. Raises UsageError, also the rule where no pruning leaves so few.
    """
    if not (math.isfinite(density) and density >= 0):
        raise UsageError(f"a density is a number from 0 on, not {density:g}")

    def decide(pruning_input: PruningInput) -> EdgeDecisions:
        lattices = pruning_input.lattices
        values, preference = measure(pruning_input)
        n_nodes = int(lattices.n_nodes.sum())
        edges = math.floor(density * n_nodes + 1e-9)
        unpruned = decide_on_first(lattices, values, preference, 0)
        if count_left(unpruned) <= edges:
            return unpruned
        n, most = most_failing(lattices, values, preference, edges + 1) + 1, int(np.count_nonzero(values < np.inf))
        if n > most:
            left = count_left(decide_on_first(lattices, values, preference, most)) / n_nodes
            raise UsageError(f"no pruning leaves a density of {density:g}: a path of every lattice remains, {left:g}")
        return decide_on_first(lattices, values, preference, n)

    return decide


def count_left(decisions: EdgeDecisions) -> int:
    """Number of edges that are left."""
    return int(np.count_nonzero(_remains(decisions)))


def read(engine: Engine, corpus: str) -> LatticeArrays:
    """The lattices of a corpus."""
    edges = engine.table(_EDGES, {"corpus": corpus})
    rows = engine.table(_LATTICES, {"corpus": corpus})
    sentence = integers(rows["sentence"])
    ends = np.searchsorted(integers(edges["sentence"]), sentence, side="right")
    return LatticeArrays(
        sentence,
        integers(rows["n_nodes"]),
        np.concatenate([[0], ends]).astype(np.int64),
        integers(edges["from_node"]),
        integers(edges["to_node"]),
        rows,
        edges,
    )


def encode_texts(pruning_input: PruningInput) -> EdgeWords:
    """The words of lattices and references as numbers, for the kernels. Raises UsageError, Incomparable."""
    if "reference_corpus" not in pruning_input.values:
        raise UsageError("name at least one reference: --reference FILE")
    items.check_audit(pruning_input.engine, catalog.query("lattice_correspondence"), pruning_input.values)
    parameters = {name: value for name, value in pruning_input.values.items() if name != "lattice_corpus"}
    parameters["numbered_as"] = pruning_input.values["lattice_corpus"]
    texts = scores.run_query(pruning_input.engine, catalog.query("reference_texts"), parameters)
    texts = texts.sort_by([("sentence", "ascending"), ("reference_rank", "ascending"), ("reference", "ascending")])
    return encode(pruning_input.lattices, texts["sentence"], texts["text_forms"])


def encode(lattices: LatticeArrays, sentences: pa.ChunkedArray, texts: pa.ChunkedArray) -> EdgeWords:
    """Encode words as numbers. sentences: of the references, ascending; texts: their words."""
    from treesql.kernels.lattices.lattice_pruning import EdgeWords

    words, word_offsets = flatten(lattices.edges["edge_words"])
    reference_forms, text_offsets = flatten(texts)
    word_ids, reference_ids = encode_strings(words.cast(pa.string()), reference_forms.cast(pa.string()))
    ends = np.searchsorted(integers(sentences), lattices.sentence, side="right")
    n_words = max(int(ids.max(initial=-1)) for ids in (word_ids, reference_ids)) + 1
    return EdgeWords(
        n_words,
        lattices.edge_offsets,
        word_offsets,
        word_ids,
        np.concatenate([[0], ends]).astype(np.int64),
        text_offsets,
        reference_ids,
    )


def remaining_rows(lattices: LatticeArrays, decisions: EdgeDecisions) -> dict[str, pa.Table]:
    """The rows of lattices, lattice_edges and lattice_words without pruned and trimmed edges, edges renumbered."""
    stays = _remains(decisions)
    owner = lattices.owner[stays]
    sizes = np.bincount(owner, minlength=len(lattices.sentence))
    edge = positions_in_list(sizes)
    edges = lattices.edges.filter(pa.array(stays))
    edges = edges.set_column(1, "edge", numbers(edge, pa.int32()))
    forms, offsets = flatten(edges["edge_words"])
    lengths = np.diff(offsets)
    position = np.arange(1, len(forms) + 1) - np.repeat(offsets[:-1], lengths)
    words = {
        "sentence": numbers(np.repeat(lattices.sentence[owner], lengths), pa.int32()),
        "edge": numbers(np.repeat(edge, lengths), pa.int32()),
        "position": numbers(position, pa.int32()),
        "form": forms,
    }
    rows = lattices.rows.set_column(2, "n_edges", numbers(sizes, pa.int32()))
    none = numbers(np.zeros(len(sizes), dtype=np.int64), pa.int32())
    return {
        "lattices": rows.append_column("dead_edges", none),
        "lattice_edges": edges,
        "lattice_words": pa.table(words),
    }


def without_edges(
    engine: Engine, system: str, references: Sequence[str], lattices: LatticeArrays,
    decisions: Mapping[str, EdgeDecisions],
) -> dict[str, list[tuple[str, pa.Table]]]:  # fmt: skip
    """Tables with the lattices of a system without pruned and trimmed edges, and with the references.

    decisions: by the name of the new corpus, one or several. A corpus without some edges gets a new digest.
    """
    tables: dict[str, list[tuple[str, pa.Table]]] = {}
    for name in ("corpora", "sentences", "words"):
        columns = ", ".join(schemas.quote(column) for column in _names(name) if column != "corpus")
        sql = f"SELECT {columns} FROM {name} WHERE corpus = $corpus"
        others = dict.fromkeys(references)
        by_corpus = {corpus: engine.table(sql, {"corpus": corpus}) for corpus in (system, *others)}
        tables[name] = [(corpus, by_corpus[corpus]) for corpus in others]
        tables[name] += [
            (corpus, _with_new_digest(by_corpus[system], decided) if name == "corpora" else by_corpus[system])
            for corpus, decided in decisions.items()
        ]
    for corpus, decided in decisions.items():
        for name, rows in remaining_rows(lattices, decided).items():
            tables.setdefault(name, []).append((corpus, rows))
    return tables


def _with_new_digest(record: pa.Table, decisions: EdgeDecisions) -> pa.Table:
    """The row of a corpus, with a digest of the original and the removed edges."""
    stays = _remains(decisions)
    if stays.all():
        return record
    digest = hashlib.sha256(record["sha256"][0].as_py().encode() + stays.tobytes()).hexdigest()
    return record.set_column(record.schema.get_field_index("sha256"), "sha256", pa.array([digest], pa.string()))


def _remains(decisions: EdgeDecisions) -> Flags:
    """Whether each edge is left."""
    from treesql.kernels.lattices.lattice_pruning import KEPT_FOR_PATH

    remaining: Flags = decisions <= KEPT_FOR_PATH
    return remaining


def _names(table: str) -> Sequence[str]:
    return tuple(schemas.table(table).names)


_DISTANCE = "word_count_distance"
_QUERIES = ("oracle_paths", _DISTANCE, "lattice_size", "n_gram_matches", "edge_posteriors")
"""Queries that run before and after pruning."""

_FLOATS = (
    "threshold", "density_before", "density_after", "swcd_before", "swcd_after", "oracle_bleu_before",
    "oracle_bleu_after", *(_SHARES := ("oracle_pruned_share", "bad_kept_share")),
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
    with loading.connect_to_rows(tables, Options(), allows_files=out is not None) as engine:
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
            with loading.connect_to_rows(_without_edges(pruning_input, decisions), Options()) as engine:
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
    names = [str(values.get("reference_corpus", "")), *str(values.get("other_corpora", "")).split(",")]
    return [name for name in names if name]


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
    parameters = declared_values(catalog.query(_DISTANCE), {**values, "min_redundancy": min_redundancy})
    [row] = scores.score(engine, [_DISTANCE], parameters).rows()
    errors = pc.sum(paths["path_errors"]).as_py()
    bleu = oracle_texts.score_words(
        engine, values, oracle_texts.words_of_paths(paths), "n_gram_matches", "bleu", _references(values)
    )
    return _PruningScores(errors, row["swcd"], bleu, paths, row["undefined_lattices"])


def _measure(
    system: str, lattices: LatticeArrays, decisions: EdgeDecisions, before: _PruningScores, after: _PruningScores
) -> dict[str, Any]:
    """What changed: a row of the report."""
    from treesql.kernels.lattices.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED

    n_nodes, n_edges = int(lattices.n_nodes.sum()), len(decisions)
    pruned, trimmed, kept = (int((decisions == outcome).sum()) for outcome in (PRUNED, TRIMMED, KEPT_FOR_PATH))
    left = n_edges - pruned - trimmed
    on_path = None if before.paths is None else decisions[_edge_indices(lattices, before.paths)]
    lost = None if on_path is None else int((on_path == PRUNED).sum())
    bad_left = None if on_path is None else left - count_left(on_path)
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
        "oracle_pruned_share": None if on_path is None else _share(lost, len(on_path)),
        "bad_edges": None if on_path is None else n_edges - len(on_path),
        "bad_edges_kept": bad_left,
        "bad_kept_share": None if on_path is None else _share(bad_left, n_edges - len(on_path)),
    }


def _share(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None


def _report(rows: Sequence[Mapping[str, Any]]) -> Result:
    """The rows as a table."""
    kinds = {"system": pa.string(), **dict.fromkeys(_FLOATS, pa.float64())}
    columns = {name: pa.array([row[name] for row in rows], kinds.get(name, pa.int64())) for name in rows[0]}
    return Result(pa.table(columns), percent=frozenset({"oracle_bleu_before", "oracle_bleu_after", *_SHARES}))


def _edge_indices(lattices: LatticeArrays, paths: pa.Table) -> Ints:
    """The indices of the edges of oracle paths among all edges."""
    edges, offsets = flatten(paths["path_edges"])
    lattice = np.searchsorted(lattices.sentence, integers(paths["sentence"]))
    return lattices.edge_offsets[np.repeat(lattice, np.diff(offsets))] + integers(edges)


def by_posteriors(thresholds: Sequence[float], *, edge_weights: str = "", scale: float = 1.0) -> DecideEach:
    """Return a rule that prunes edges whose posterior is below each threshold; the posteriors are computed once.

    If no path remains, of those with fewest failing edges the one with the best scores is kept. edge_weights, scale: of
    the query `edge_posteriors`. Raises UsageError; the rule raises Incomparable for scores that cannot be weighted.

    Source: Wessel et al. 2001, Confidence measures for large vocabulary continuous speech recognition; Bernreuther
    2005, Lattice evaluation techniques, 4.1 (pruning without references).
    """
    for threshold in thresholds:
        if not 0 <= threshold <= 1:  # nor is NaN
            raise UsageError(f"a threshold of posteriors is a number from 0 to 1, not {threshold:g}")
    measure = posterior_measure(edge_weights=edge_weights, scale=scale)

    def decide(pruning_input: PruningInput) -> Iterator[EdgeDecisions]:
        posteriors, preference = measure(pruning_input)
        for threshold in thresholds:
            yield decide_edges(pruning_input.lattices, posteriors < threshold, preference)

    return decide


def posterior_measure(*, edge_weights: str = "", scale: float = 1.0) -> Measure:
    """Return what measures edges by their posteriors. Parameters and errors as for `by_posteriors`."""
    if not np.isfinite(scale):
        raise UsageError(f"a scale of scores is a finite number, not {scale}; 1 leaves them as they are")
    return lambda pruning_input: find_posteriors(pruning_input, edge_weights, scale)


def check_use(*, raw_threshold: bool, greedy: bool, thresholds: Sequence[float]) -> None:
    """Raises UsageError for options of pruning by distance, and for thresholds that prune nothing."""
    if raw_threshold or greedy:
        raise UsageError("--raw-threshold and --greedy are of tau, not of posteriors")
    if list(thresholds) == [0]:
        raise UsageError("no posterior is below 0: name a threshold from 0 to 1, such as --threshold 0.01")


def find_posteriors(pruning_input: PruningInput, edge_weights: str = "", scale: float = 1.0) -> tuple[Floats, Floats]:
    """The posteriors of all edges, from 0 to 1, and their weighted sums of scores, in the order of the edges.

    Raises Incomparable for scores that cannot be weighted.
    """
    corpus = pruning_input.values["lattice_corpus"]
    values = {"lattice_corpus": corpus, "edge_weights": edge_weights, "scale": scale}
    rows = scores.run_query(pruning_input.engine, catalog.query("edge_posteriors"), values)
    return rows["posterior"].to_numpy(), rows["edge_score"].to_numpy()
