"""Lattices without the edges that make them worse: by standard word count distance to references, or as others decide.

What decides gives a fate to every edge of a batch; `kept` makes fates of failing edges, so that a path is always left
and edges on none are trimmed, whoever decided. The rest is the same for all: rows, files, what it cost.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import Diagnostic, UsageError
from treesql.evaluation import translation
from treesql.evaluation.translation import LATTICE, TranslationTask
from treesql.functions.arrays import encode_strings, flatten
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.readers import Options
from treesql.readers.fields import numbers
from treesql.results.result import Result
from treesql.scoring import audits, scores, statistics
from treesql.storage import exporting, in_memory

if TYPE_CHECKING:
    from treesql.kernels.lattice_pruning import EdgeWords

EdgeDecisions = NDArray[np.int8]
"""By edge KEPT, KEPT_FOR_PATH, PRUNED or TRIMMED of treesql.kernels.lattice_pruning."""

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
_QUERIES = ("oracle_paths", "word_count_distance", "lattice_size")
"""What is asked of lattices, before and after."""


@dataclass(frozen=True)
class Lattices:
    """The lattices of a corpus one after the other in the order of their sentences, edges in that of their numbers.

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
        """For every edge its lattice, counted from 0."""
        return np.repeat(np.arange(len(self.sentence)), np.diff(self.edge_offsets))


@dataclass(frozen=True)
class PruningInput:
    """What a decision may look at: the lattices, and a connection that holds them and the references.

    values: of the parameters of queries that name corpora: lattice_corpus, and with references reference_corpus and
    other_corpora.
    """

    connection: duckdb.DuckDBPyConnection
    values: Mapping[str, object]
    lattices: Lattices


Decide = Callable[[PruningInput], EdgeDecisions]
"""What becomes of every edge."""


def by_distance(
    threshold: float = 0.0, *, raw: bool = False, greedy: bool = False, min_redundancy: float = 1.0
) -> Decide:
    """Prune edges whose tau, what standard word count distance to the references is without them, is below a threshold.

    raw: not the threshold for each edge of the lattice, but the threshold as it is. greedy: one edge after the other,
    the worst first, tau computed anew. min_redundancy: how often the references are taken at least. Raises
    UsageError.
    """
    if not math.isfinite(threshold):
        raise UsageError(f"a threshold is a finite number, not {threshold}; 0 prunes what makes the distance larger")
    if not (math.isfinite(min_redundancy) and min_redundancy >= 0):
        raise UsageError(f"the least redundancy is a number from 0 on, not {min_redundancy}; 1 is usual")

    def decide(asked: PruningInput) -> EdgeDecisions:
        from treesql.kernels import lattice_pruning  # here, for it brings the compiler

        lattices = asked.lattices
        texts = texts_of(asked)
        if greedy:
            return lattice_pruning.prune_greedily(
                lattices.n_nodes, lattices.from_node, lattices.to_node, texts, min_redundancy, threshold, not raw
            )
        worth = lattice_pruning.edge_taus(texts, min_redundancy)
        sizes = np.diff(lattices.edge_offsets)
        limit = threshold if raw else threshold / np.repeat(sizes, sizes)
        return decide_edges(lattices, worth.tau < limit, worth.numerator)

    return decide


def decide_edges(lattices: Lattices, failing: Flags, preference: Floats) -> EdgeDecisions:
    """The fates of edges of which some fail.

    failing, preference: (edges,). Where no path is left without the failing edges, the one with fewest of them is
    kept, of several that with the largest sum of preferences, then that of the smallest edges. ValueError: a
    preference is NaN, or there is not one for every edge.
    """
    from treesql.kernels import lattice_pruning  # here, for it brings the compiler

    if not len(failing) == len(preference) == len(lattices.from_node):
        raise ValueError(
            f"{len(lattices.from_node)} edges have {len(failing)} decisions, {len(preference)} preferences"
        )
    if np.isnan(preference).any():
        raise ValueError("a preference is not a number")
    return lattice_pruning.prune(
        lattices.n_nodes, lattices.edge_offsets, lattices.from_node, lattices.to_node, failing, preference
    ).outcome


def prune(
    task: TranslationTask,
    decide: Decide,
    out: Path | None = None,
    to: str | None = None,
    *,
    min_redundancy: float = 1.0,
) -> Result:
    """Prune the lattices of a task, write them, and tell what that did.

    task: one file or corpus of lattices, and references, which may be left out if the decision needs none: then
    errors and distances are NULL. out: the file, or None; to: its format, if its ending does not tell it;
    min_redundancy: of the distances that are told. Returns one row. Raises as translation.evaluate does.
    """
    form = None if out is None else exporting.check_target(out, LATTICE, to)
    queries = [catalog.query(name) for name in (*_QUERIES, "word_counts", "packed_lattices")]
    needed = [name for table in ("sentences", "lattices", "lattice_edges", "lattice_words") for name in _names(table)]
    with translation.open_translation(task, queries, needed) as found:
        [system] = found.systems
        values = found.values(LATTICE, system)
        before = _measured(found.connection, values, min_redundancy)
        lattices = read(found.connection, system)
        fates = decide(PruningInput(found.connection, values, lattices))
        held = without_edges(found.connection, system, found.references, lattices, {system: fates})
    with in_memory.connect_to_rows(held, Options()) as connection:
        after = _measured(connection, values, min_redundancy)
        if out is not None and form is not None:
            exporting.write(connection, system, out, form, task.warn)
    if before.undefined:
        have = "lattice has an empty reference" if before.undefined == 1 else "lattices have empty references"
        what = f"{before.undefined} {have}, from which no distance is defined"
        task.warn(Diagnostic.warning(system, 0, what, "by distance their edges are not pruned"))
    return _report(system, lattices, fates, before, after)


def read(connection: duckdb.DuckDBPyConnection, corpus: str) -> Lattices:
    """The lattices of a corpus."""
    edges = connection.sql(_EDGES, params={"corpus": corpus}).to_arrow_table()
    rows = connection.sql(_LATTICES, params={"corpus": corpus}).to_arrow_table()
    sentence = _ints(rows["sentence"])
    ends = np.searchsorted(_ints(edges["sentence"]), sentence, side="right")
    return Lattices(
        sentence,
        _ints(rows["n_nodes"]),
        np.concatenate([[0], ends]).astype(np.int64),
        _ints(edges["from_node"]),
        _ints(edges["to_node"]),
        rows,
        edges,
    )


def texts_of(asked: PruningInput) -> EdgeWords:
    """The words of lattices and references as the kernels take them. Raises UsageError, Incomparable."""
    if "reference_corpus" not in asked.values:
        raise UsageError("name at least one reference: --reference FILE")
    audits.check_audit(asked.connection, catalog.query("lattice_correspondence"), asked.values)
    given = {name: value for name, value in asked.values.items() if name != "lattice_corpus"}
    given["numbered_as"] = asked.values["lattice_corpus"]
    found = statistics.run_query(asked.connection, catalog.query("reference_texts"), given)
    found = found.sort_by([("sentence", "ascending"), ("reference_rank", "ascending"), ("reference", "ascending")])
    return encode(asked.lattices, found["sentence"], found["text_forms"])


def encode(lattices: Lattices, sentences: pa.ChunkedArray, texts: pa.ChunkedArray) -> EdgeWords:
    """Words as numbers. sentences: of the references, ascending; texts: their words."""
    from treesql.kernels.lattice_pruning import EdgeWords  # here, for it brings the compiler

    words, word_offsets = flatten(lattices.edges["edge_words"])
    given, text_offsets = flatten(texts)
    word_ids, given_ids = encode_strings(words.cast(pa.string()), given.cast(pa.string()))
    ends = np.searchsorted(_ints(sentences), lattices.sentence, side="right")
    n_words = max(int(ids.max(initial=-1)) for ids in (word_ids, given_ids)) + 1
    return EdgeWords(
        n_words,
        lattices.edge_offsets,
        word_offsets,
        word_ids,
        np.concatenate([[0], ends]).astype(np.int64),
        text_offsets,
        given_ids,
    )


def rows_of(lattices: Lattices, fates: EdgeDecisions) -> dict[str, pa.Table]:
    """The rows of lattices, lattice_edges and lattice_words without pruned and trimmed edges, edges numbered anew."""
    stays = _remains(fates)
    owner = lattices.owner[stays]
    sizes = np.bincount(owner, minlength=len(lattices.sentence))
    edge = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
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


@dataclass(frozen=True)
class _Measures:
    """What lattices score, None without references: oracle paths, and lattices whose distance is not defined."""

    ger: int | None
    swcd: float | None
    paths: pa.Table | None
    undefined: int


def _measured(connection: duckdb.DuckDBPyConnection, values: Mapping[str, object], min_redundancy: float) -> _Measures:
    if "reference_corpus" not in values:
        return _Measures(None, None, None, 0)
    paths = statistics.run_query(connection, catalog.query("oracle_paths"), values)
    given = {**values, "min_redundancy": min_redundancy}
    [row] = scores.score(connection, ["word_count_distance"], given).rows()
    return _Measures(pc.sum(paths["path_errors"]).as_py(), row["swcd"], paths, row["undefined_lattices"])


def without_edges(
    connection: duckdb.DuckDBPyConnection, system: str, references: Sequence[str], lattices: Lattices,
    fates: Mapping[str, EdgeDecisions],
) -> dict[str, list[tuple[str, pa.Table]]]:  # fmt: skip
    """The lattices of a system without pruned and trimmed edges, and the references, to be held elsewhere.

    fates: by what the corpus is called there, one or several. Lattices that lack edges have a digest of their own.
    """
    held: dict[str, list[tuple[str, pa.Table]]] = {}
    for name in ("corpora", "sentences", "words"):
        columns = ", ".join(schemas.quote(column) for column in _names(name) if column != "corpus")
        sql = f"SELECT {columns} FROM {name} WHERE corpus = $corpus"
        others = dict.fromkeys(references)
        found = {one: connection.sql(sql, params={"corpus": one}).to_arrow_table() for one in (system, *others)}
        held[name] = [(one, found[one]) for one in others]
        held[name] += [
            (one, _with_new_digest(found[system], fate) if name == "corpora" else found[system])
            for one, fate in fates.items()
        ]
    for corpus, fate in fates.items():
        for name, rows in rows_of(lattices, fate).items():
            held.setdefault(name, []).append((corpus, rows))
    return held


def _with_new_digest(record: pa.Table, fates: EdgeDecisions) -> pa.Table:
    """The row of a corpus, with a digest that tells what it lacks."""
    stays = _remains(fates)
    if stays.all():
        return record
    digest = hashlib.sha256(record["sha256"][0].as_py().encode() + stays.tobytes()).hexdigest()
    return record.set_column(record.schema.get_field_index("sha256"), "sha256", pa.array([digest], pa.string()))


def _report(system: str, lattices: Lattices, fates: EdgeDecisions, before: _Measures, after: _Measures) -> Result:
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED  # here, for it brings the compiler

    n_nodes, n_edges = int(lattices.n_nodes.sum()), len(fates)
    pruned, trimmed, spared = (int((fates == fate).sum()) for fate in (PRUNED, TRIMMED, KEPT_FOR_PATH))
    left = n_edges - pruned - trimmed
    on_path = None if before.paths is None else fates[_places(lattices, before.paths)]
    lost = None if on_path is None else int((on_path == PRUNED).sum())
    row: dict[str, Any] = {
        "system": system,
        "lattices": len(lattices.sentence),
        "n_nodes": n_nodes,
        "edges_before": n_edges,
        "edges_after": left,
        "pruned": pruned,
        "trimmed": trimmed,
        "kept_path_edges": spared,
        "density_before": n_edges / n_nodes,
        "density_after": left / n_nodes,
        "ger_before": before.ger,
        "ger_after": after.ger,
        "swcd_before": before.swcd,
        "swcd_after": after.swcd,
        "oracle_edges": None if on_path is None else len(on_path),
        "oracle_edges_pruned": lost,
        "oracle_pruned_share": lost / len(on_path)
        if on_path is not None and lost is not None and len(on_path)
        else None,
    }
    kinds = {"system": pa.string(), **dict.fromkeys(_FLOATS, pa.float64())}
    columns = {name: pa.array([value], kinds.get(name, pa.int64())) for name, value in row.items()}
    return Result(pa.table(columns), percent=frozenset({"oracle_pruned_share"}))


_FLOATS = ("density_before", "density_after", "swcd_before", "swcd_after", "oracle_pruned_share")


def _places(lattices: Lattices, paths: pa.Table) -> Ints:
    """Where the edges of oracle paths stand among all edges."""
    edges, offsets = flatten(paths["path_edges"])
    lattice = np.searchsorted(lattices.sentence, _ints(paths["sentence"]))
    return lattices.edge_offsets[np.repeat(lattice, np.diff(offsets))] + _ints(edges)


def _remains(fates: EdgeDecisions) -> Flags:
    """Which edges are left."""
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH  # here, for it brings the compiler

    left: Flags = fates <= KEPT_FOR_PATH
    return left


def _names(table: str) -> Sequence[str]:
    return tuple(schemas.table(table).names)


def _ints(column: pa.Array | pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)
