"""Prune lattices: remove the edges that raise standard word count distance to references, or by any other rule.

A rule is a function from lattices to a decision for every edge. `decide_edges` makes decisions from failing edges so
that one path always remains and edges on no path are trimmed. Rows, files and the report are the same for all rules.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.functions.arrays import encode_strings, flatten
from treesql.kernels.arrays import Flags, Floats, Ints, positions_in_list
from treesql.readers.fields import numbers
from treesql.runtime.failures import with_checked_arguments
from treesql.scoring import audits, statistics

if TYPE_CHECKING:
    from treesql.kernels.edge_effects import EdgeWords

EdgeDecisions = NDArray[np.int8]
"""For every edge KEPT, KEPT_FOR_PATH, PRUNED or TRIMMED of treesql.kernels.lattice_pruning."""

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


def by_distance(
    threshold: float = 0.0, *, raw: bool = False, greedy: bool = False, min_redundancy: float = 1.0
) -> Decide:
    """Return a rule that prunes edges whose tau, the change of distance to the references without them, is too small.

    threshold: divided by the number of edges of the lattice unless `raw`. greedy: prune the worst edge, recompute tau,
    and repeat. min_redundancy: minimum of the redundancy. Raises UsageError.
    """
    decide_each = by_distances([threshold], raw=raw, greedy=greedy, min_redundancy=min_redundancy)
    return lambda pruning_input: next(iter(decide_each(pruning_input)))


def by_distances(
    thresholds: Sequence[float], *, raw: bool = False, greedy: bool = False, min_redundancy: float = 1.0
) -> DecideEach:
    """Return a rule as `by_distance` does that decides at several thresholds, from values of tau computed once.

    Raises UsageError.
    """
    for threshold in thresholds:
        if not math.isfinite(threshold):
            raise UsageError(
                f"a threshold is a finite number, not {threshold}; 0 prunes what makes the distance larger"
            )
    catalog.query("tau_span").check({"min_redundancy": min_redundancy})

    def decide(pruning_input: PruningInput) -> Iterator[EdgeDecisions]:
        from treesql.kernels import lattice_pruning
        from treesql.kernels.edge_effects import edge_taus

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
    from treesql.kernels import lattice_pruning

    if not len(failing) == len(preference) == len(lattices.from_node):
        raise ValueError(
            f"{len(lattices.from_node)} edges have {len(failing)} decisions, {len(preference)} preferences"
        )
    if np.isnan(preference).any():
        raise ValueError("a preference is not a number")
    return lattice_pruning.prune(
        lattices.n_nodes, lattices.edge_offsets, lattices.from_node, lattices.to_node, failing, preference
    ).outcome


def read(engine: Engine, corpus: str) -> LatticeArrays:
    """The lattices of a corpus."""
    edges = engine.table(_EDGES, {"corpus": corpus})
    rows = engine.table(_LATTICES, {"corpus": corpus})
    sentence = _ints(rows["sentence"])
    ends = np.searchsorted(_ints(edges["sentence"]), sentence, side="right")
    return LatticeArrays(
        sentence,
        _ints(rows["n_nodes"]),
        np.concatenate([[0], ends]).astype(np.int64),
        _ints(edges["from_node"]),
        _ints(edges["to_node"]),
        rows,
        edges,
    )


def encode_texts(pruning_input: PruningInput) -> EdgeWords:
    """The words of lattices and references as numbers, for the kernels. Raises UsageError, Incomparable."""
    if "reference_corpus" not in pruning_input.values:
        raise UsageError("name at least one reference: --reference FILE")
    audits.check_audit(pruning_input.engine, catalog.query("lattice_correspondence"), pruning_input.values)
    given = {name: value for name, value in pruning_input.values.items() if name != "lattice_corpus"}
    given["numbered_as"] = pruning_input.values["lattice_corpus"]
    found = statistics.run_query(pruning_input.engine, catalog.query("reference_texts"), given)
    found = found.sort_by([("sentence", "ascending"), ("reference_rank", "ascending"), ("reference", "ascending")])
    return encode(pruning_input.lattices, found["sentence"], found["text_forms"])


def encode(lattices: LatticeArrays, sentences: pa.ChunkedArray, texts: pa.ChunkedArray) -> EdgeWords:
    """Encode words as numbers. sentences: of the references, ascending; texts: their words."""
    from treesql.kernels.edge_effects import EdgeWords

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
        found = {one: engine.table(sql, {"corpus": one}) for one in (system, *others)}
        tables[name] = [(one, found[one]) for one in others]
        tables[name] += [
            (one, _with_new_digest(found[system], decided) if name == "corpora" else found[system])
            for one, decided in decisions.items()
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
    from treesql.kernels.lattice_pruning import KEPT_FOR_PATH

    remaining: Flags = decisions <= KEPT_FOR_PATH
    return remaining


def _names(table: str) -> Sequence[str]:
    return tuple(schemas.table(table).names)


def _ints(column: pa.Array | pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)
