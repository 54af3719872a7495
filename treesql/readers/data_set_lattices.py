"""Checks between the tables of lattices in a Parquet data set."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Ints
from treesql.kernels.lattices import used_nodes
from treesql.readers.data_set import DataSetState, check_numbered, positions_in_groups
from treesql.readers.data_set_columns import HINT, ints
from treesql.readers.fields import Faults
from treesql.runtime.arrays import compute as pc

NODES = 100_000
NODES_PER_EDGE = 64
"""Maximum number of nodes of a lattice: NODES, and NODES_PER_EDGE more for each edge. Pruning leaves nodes without
edges, and memory is allocated for all nodes."""


SCORE_LIMIT = 1e300
"""Scores are below this: their numbers have up to 300 digits before the point in files."""


def check_lattices(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """A lattice for every sentence, with no more nodes than its edges can have a use for."""
    check_numbered(batch, "sentence", first, first - 1, faults)
    n_nodes, n_edges, dead = (ints(batch.column(name)) for name in ("n_nodes", "n_edges", "dead_edges"))
    many = n_nodes > NODES + NODES_PER_EDGE * n_edges
    if many.any():
        at = int(many.argmax())
        faults.add(first + at, f"{n_nodes[at]:,} nodes, where there are {n_edges[at]:,} edges", HINT)
    lacking = (n_edges == 0) & (n_nodes > 1)
    if lacking.any():
        faults.add(first + int(lacking.argmax()), "no path leads from the first node to the last", HINT)
    n_finals, sizes = ints(batch.column("n_finals")), np.full(len(batch), -1, dtype=np.int64)
    if "final_scores" in batch.schema.names:
        scores = batch.column("final_scores")
        check_scores("final_scores", scores, first, faults)
        sizes = ints(pc.list_value_length(scores))
        odd = (sizes >= 0) & (n_finals > 1)
        if odd.any():
            what = "final_scores is not NULL, but edges from several final nodes have their scores"
            faults.add(first + int(odd.argmax()), what, HINT)
    known.n_finals = np.concatenate([known.n_finals, n_finals])
    known.final_sizes = np.concatenate([known.final_sizes, sizes])
    known.warnings.lattices.add(first + np.arange(len(batch)), dead)
    if known.n_nodes is None or known.n_edges is None or known.dead_edges is None:
        known.n_nodes, known.n_edges, known.dead_edges = n_nodes, n_edges, dead
    else:
        known.n_nodes = np.concatenate([known.n_nodes, n_nodes])
        known.n_edges = np.concatenate([known.n_edges, n_edges])
        known.dead_edges = np.concatenate([known.dead_edges, dead])


def check_scores(name: str, scores: pa.Array, first: int, faults: Faults) -> None:
    """Note the first score that no file can have: one that is not finite, or too large for sums to be so."""
    values = scores.flatten()
    wrong = pc.invert(pc.less(pc.abs(values), SCORE_LIMIT))
    if pc.any(wrong).as_py():
        at = int(pc.index(wrong, True).as_py())
        value, row = values[at].as_py(), pc.list_parent_indices(scores)[at].as_py()
        what = "a score is not a number" if value != value else f"the score {value} is not a finite number"
        of = " of the final node" if name == "final_scores" else ""
        faults.add(first + row, f"{what}{of}", "leave out edges that cannot be taken; write scores below 1e300")


def check_lattice_edges(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Edges are numbered 0, 1, ... in their lattices and lead to nodes of these; a path leads through all of each."""
    if known.n_edges is None or known.n_nodes is None or known.dead_edges is None:
        return
    names = ("sentence", "edge", "from_node", "to_node")
    sentence, edge, start, end = (ints(batch.column(name)) for name in names)
    known.check_sentences(sentence, first, faults)
    known.check_layout("lattice_edges", known.n_edges, (sentence, edge), ("sentence", "edge"), 0, faults)
    if faults.found:
        return
    known.check_below("to_node", end, known.n_nodes[sentence], first, faults)
    if "scores" in batch.schema.names:
        check_scores("scores", batch.column("scores"), first, faults)
        n_scores = ints(pc.list_value_length(batch.column("scores")))
        final = known.final_sizes[sentence]
        wrong = (final >= 0) & (n_scores > final)
        if wrong.any():
            at = int(wrong.argmax())
            what = f"{n_scores[at]} scores, where the final node of the lattice has {final[at]}"
            faults.add(first + at, what, HINT)
    several = known.n_finals[sentence] > 1
    if several.any():
        n_words = ints(pc.list_value_length(batch.column("edge_words")))
        wrong = several & (end == known.n_nodes[sentence] - 1) & (n_words > 0)
        if wrong.any():
            at = int(wrong.argmax())
            what = f"an edge with words leads to the node after {known.n_finals[sentence[at]]} final nodes"
            faults.add(first + at, what, HINT)
    words = batch.column("edge_words")
    known.words_on_edges.append(ints(pc.list_value_length(words)).astype(np.int32))
    if known.options.wants("lattice_words", "form"):
        _add_texts(known, "edge_words", words.flatten())
    if faults.found:
        return
    offsets, columns = known.whole("lattice_edges", known.n_edges, {"from": start, "to": end})
    lattices = slice(int(columns["group"][0]), int(columns["group"][0]) + len(offsets) - 1)
    _check_paths(known, lattices, offsets, columns, first - 1 + len(batch), faults)


def _check_paths(
    known: DataSetState, lattices: slice, offsets: Ints, columns: dict[str, Ints], last_row: int, faults: Faults
) -> None:
    """Of whole lattices: whether a path leads from the first node to the last, and how many edges are on none."""
    assert known.n_nodes is not None
    assert known.dead_edges is not None
    n_nodes, dead_edges, n_edges = known.n_nodes[lattices], known.dead_edges[lattices], np.diff(offsets)
    owner = np.repeat(np.arange(len(n_nodes)), n_edges)
    begin, end = columns["from"], columns["to"]
    if int(n_nodes.sum()) > 2 * len(begin) + 2 * len(n_nodes):
        n_nodes, begin, end = used_nodes(n_nodes, owner, begin, end)
    nodes = np.concatenate([[0], np.cumsum(n_nodes)])
    total = int(nodes[-1])
    leaving = np.bincount(begin + nodes[owner], minlength=total) > 0
    entering = np.bincount(end + nodes[owner], minlength=total) > 0
    starts, ends = np.zeros(total, dtype=np.bool_), np.zeros(total, dtype=np.bool_)
    starts[nodes[:-1]] = ends[nodes[1:] - 1] = True
    # Where every node is entered and left, but for the first and the last, all edges lie on paths.
    loose = (leaving != entering) & ~starts & ~ends | starts & ~ends & ~leaving | ends & ~starts & ~entering
    complete, dead = np.ones(len(n_nodes), dtype=np.bool_), np.zeros(len(n_nodes), dtype=np.int64)
    if loose.any():
        from treesql.kernels.lattices import lattice_structure  # here, as few commands need it

        shape = lattice_structure(n_nodes, offsets, begin, end)
        complete, dead = shape.complete > 0, shape.dead_edges
    row = last_row - len(known.left["lattice_edges"]["from"]) - int(offsets[-1]) + 1 if len(offsets) else 0
    for lattice in np.flatnonzero(~complete)[:1].tolist():
        what = f"no path leads from the first node to the last, in the lattice of sentence {lattices.start + lattice}"
        faults.add(row + int(offsets[lattice]), what, HINT)
    for lattice in np.flatnonzero(dead != dead_edges)[:1].tolist():
        what = f"{dead[lattice]} edges on no path, where dead_edges is {dead_edges[lattice]}"
        faults.add(row + int(offsets[lattice]), f"{what}, in the lattice of sentence {lattices.start + lattice}", HINT)


def check_lattice_words(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Words are those of edge_words."""
    if known.n_edges is None or not known.options.wants("lattice_edges"):
        return
    found = [ints(batch.column(name)) for name in ("sentence", "edge", "position")]
    starts = known.starts("lattice_words", np.concatenate([np.zeros(0, np.int32), *known.words_on_edges]))
    if first - 1 + len(batch) > starts[-1]:
        faults.add(first, "more rows than words on edges", HINT)
        return
    edge, position = positions_in_groups(starts, first - 1, len(batch))
    edges = known.starts("lattice_edges", known.n_edges)
    sentence = np.searchsorted(edges, edge, side="right") - 1
    number = edge - edges[sentence]
    wrong = (found[0] != sentence) | (found[1] != number) | (found[2] != position + 1)
    if wrong.any():
        at = int(wrong.argmax())
        here = f"sentence {found[0][at]}, edge {found[1][at]}, position {found[2][at]}"
        what = f"expected sentence {sentence[at]}, edge {number[at]}, position {position[at] + 1}, found {here}"
        faults.add(first + at, what, HINT)
    if "form" in batch.schema.names:
        _add_texts(known, "form", batch.column("form"))


def _add_texts(known: DataSetState, what: str, texts: pa.Array) -> None:
    """Add the bytes of texts to the checksum of what they are of."""
    if pa.types.is_string_view(texts.type):
        texts = texts.cast(pa.string())
    if len(texts):
        kind = np.dtype(np.int64 if pa.types.is_large_string(texts.type) else np.int32)
        _, offsets, data = texts.buffers()
        ends = np.frombuffer(offsets, kind, len(texts) + 1, texts.offset * kind.itemsize)
        known.add(what, np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]])
