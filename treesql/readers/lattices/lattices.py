"""The rows of lattices of any format, as Arrow batches of schemas/: sentences, lattices, their edges and words; and
what formats with a lattice a line, PLF and JSON lines, have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import (
    Columns,
    Faults,
    Field,
    Text,
    group_of_items,
    items_before_group,
    list_array,
    list_array_or_null,
    no_comments,
    record_batch,
    refuse_long,
    repeated,
)
from treesql.runtime import arrays

SENTENCE_MARKS = (b"<s>", b"</s>", b"!SENT_START", b"!SENT_END")
"""Marks of the beginning and end of a sentence, which are words like others in every format."""

Names = tuple[Ints, Ints, Ints]
"""Fields of a text, and which of them have escapes."""


@dataclass(frozen=True)
class LatticeChunk:
    """The lattices of a chunk, whose edges all lead from a lower to a higher number of a node.

    line, n_nodes, n_finals: of every lattice; name: a field of length 0 is none. edge_offsets: (lattices + 1,);
    word_offsets, score_offsets: (edges + 1,) where each one's items begin and end; final_score_offsets: (lattices + 1,)
    the same of the weights of final nodes, None in formats that have none. scores:
    fields, or their values.
    """

    text: Text
    line: Ints
    name: Field
    n_nodes: Ints
    n_finals: Ints
    edge_offsets: Ints
    from_node: Ints
    to_node: Ints
    word_offsets: Ints
    words: Field
    score_offsets: Ints
    scores: Field | pa.Array
    final_score_offsets: Ints | None = None
    final_scores: Field | None = None


class LatticeWarnings:
    """Warnings about the lattices of a file: edges on no complete path, repeated names, and others. noun: of lines."""

    def __init__(self, noun: str = "line") -> None:
        self._noun = noun
        self._edges = 0
        self._lines: list[int] = []
        self._others: list[Diagnostic] = []
        self._again = 0
        self._names: list[str] = []
        self._first = 0

    def add(self, lines: Ints, dead_edges: Ints) -> None:
        """Count the edges of further lattices."""
        self._edges += int(dead_edges.sum())
        self._lines += lines[dead_edges > 0].tolist()

    def add_names(self, names: pa.Array, lines: Ints, known: set[str]) -> None:
        """Add lattices and count repeated names. known: the names of the corpus so far; None is no name."""
        for name, line in zip(names.to_pylist(), lines.tolist(), strict=True):
            if name in known:
                self._again += 1
                self._first = self._first or line
                if len(self._names) < MAX_NAMED:
                    self._names.append(name)
            elif name is not None:
                known.add(name)

    def note(self, warning: Diagnostic) -> None:
        """Add any other warning, once for each wording."""
        if warning.what not in (other.what for other in self._others):
            self._others.append(warning)

    def warnings(self, path: str) -> list[Diagnostic]:
        """The warnings."""
        if self._again:
            noun = "lattice has" if self._again == 1 else "lattices have"
            named = ", ".join(self._names) + (", ..." if self._again > MAX_NAMED else "")
            what = f"{self._again} {noun} a repeated id: {named}"
            self._others.append(Diagnostic.warning(path, self._first, what, "make every id unique"))
            self._again = 0
        if not self._edges:
            return self._others
        named = ", ".join(map(str, self._lines[:MAX_NAMED])) + (", ..." if len(self._lines) > MAX_NAMED else "")
        noun = "edge lies" if self._edges == 1 else "edges lie"
        what = f"{self._edges} {noun} on no path from the first node to the last, in the lattice"
        what += f" of {self._noun} {named}" if len(self._lines) == 1 else f"s of {self._noun}s {named}"
        return [
            *self._others,
            Diagnostic.warning(path, self._lines[0], what, "they count among edges and words all the same"),
        ]


def lattice_batch(
    lattices: LatticeChunk,
    path: str,
    state: State,
    options: Options,
    faults: Faults,
    warnings: LatticeWarnings,
    line_of: Callable[[int], int] | None = None,
) -> Batch | None:
    """The rows of every table to be read; None where the file has faults. `state` counts the sentences.

    Lattices without a complete path are faults; edges on none are warnings.
    """
    from treesql.kernels.lattices.lattices import lattice_structure  # here, as few commands need it

    refuse_long(np.diff(lattices.edge_offsets), lattices.line, options.max_sentence, faults, "edges")
    n_words = np.diff(lattices.word_offsets[lattices.edge_offsets])
    refuse_long(n_words, lattices.line, options.max_sentence, faults)
    if faults.found:
        return None
    shape = lattice_structure(lattices.n_nodes, lattices.edge_offsets, lattices.from_node, lattices.to_node)
    for lattice in np.flatnonzero(shape.complete == 0).tolist():
        what = "no path leads from the first node to the last"
        faults.add(int(lattices.line[lattice]), what, "let at least one; a lattice with nothing in it is `()` in PLF")
    if faults.found:
        return None
    warnings.add(lattices.line, shape.dead_edges)
    if lattices.name[1].any():
        warnings.add_names(lattices.text.strings(lattices.name, lattices.name[1] == 0), lattices.line, state.ids)
    _warn_of_sentence_marks(lattices, path, warnings)
    made = {"sentences": _sentence_columns(lattices, path), "lattices": _lattice_columns(lattices, shape.dead_edges)}
    if options.wants("lattice_edges"):
        made["lattice_edges"] = _edge_columns(lattices)
    if options.wants("lattice_words"):
        made["lattice_words"] = _word_columns(lattices)
    batches = {name: record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += len(lattices.line)
    return batches


def _warn_of_sentence_marks(lattices: LatticeChunk, path: str, warnings: LatticeWarnings) -> None:
    for mark in SENTENCE_MARKS:
        is_mark = (lattices.words[1] == len(mark)) & kernel.starts_with(lattices.text.windows, mark, *lattices.words)
        if is_mark.any():
            edge = np.searchsorted(lattices.word_offsets, np.flatnonzero(is_mark)[0], side="right") - 1
            lattice = np.searchsorted(lattices.edge_offsets, edge, side="right") - 1
            what = f"{mark.decode()} counts as a word"
            hint = "marks of sentences are words in every format; remove them unless references have them, too"
            warnings.note(Diagnostic.warning(path, int(lattices.line[lattice]), what, hint))


def _sentence_columns(lattices: LatticeChunk, path: str) -> Columns:
    n = len(lattices.line)
    return {
        "sentence": lambda: np.arange(n),
        "sent_id": lambda: lattices.text.strings(lattices.name, lattices.name[1] == 0),
        "comments": lambda: no_comments(n),
        "file": lambda: repeated(path, n),
        "line": lambda: lattices.line,
        "n_words": lambda: np.zeros(n, dtype=np.int64),
    }


def _lattice_columns(lattices: LatticeChunk, dead_edges: Ints) -> Columns:
    columns: Columns = {
        "sentence": lambda: np.arange(len(lattices.line)),
        "n_nodes": lambda: lattices.n_nodes,
        "n_edges": lambda: np.diff(lattices.edge_offsets),
        "n_finals": lambda: lattices.n_finals,
        "dead_edges": lambda: dead_edges,
    }
    offsets, fields = lattices.final_score_offsets, lattices.final_scores
    if offsets is None or fields is None:
        return columns
    return {
        **columns,
        "final_scores": lambda: list_array_or_null(offsets, lattices.text.strings(fields).cast(pa.float64())),
    }


def _edge_columns(lattices: LatticeChunk) -> Columns:
    n = len(lattices.from_node)

    def scores() -> pa.Array:
        return arrays.cast(lattices.text.strings(lattices.scores), pa.float64())

    return {
        "sentence": lambda: group_of_items(lattices.edge_offsets),
        "edge": lambda: np.arange(n) - items_before_group(lattices.edge_offsets),
        "from_node": lambda: lattices.from_node,
        "to_node": lambda: lattices.to_node,
        "edge_words": lambda: list_array(lattices.word_offsets, lattices.text.strings(lattices.words)),
        "scores": lambda: list_array(
            lattices.score_offsets, scores() if isinstance(lattices.scores, tuple) else lattices.scores
        ),
    }


def _word_columns(lattices: LatticeChunk) -> Columns:
    n = len(lattices.words[0])
    edge = group_of_items(lattices.word_offsets)
    return {
        "sentence": lambda: group_of_items(lattices.edge_offsets)[edge],
        "edge": lambda: edge - items_before_group(lattices.edge_offsets)[edge],
        "position": lambda: np.arange(1, n + 1) - items_before_group(lattices.word_offsets),
        "form": lambda: lattices.text.strings(lattices.words),
    }


def replace_fields(data: bytes, names: Field, which: Flags, rename: Callable[[bytes], bytes]) -> tuple[bytes, Field]:
    """Replace some fields by other texts, which are appended to the data; `rename` is called once for each text."""
    rows = np.flatnonzero(which)
    if not len(rows):
        return data, names
    chosen = Text(data).strings((names[0][rows], names[1][rows]))
    encoded = arrays.call("dictionary_encode", arrays.cast(chosen, pa.large_binary()))
    texts = [rename(text) for text in encoded.dictionary.to_pylist()]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    starts = len(data) + np.cumsum(lengths) - lengths
    which_text = np.frombuffer(encoded.indices.buffers()[1], dtype=np.int32, count=len(rows))
    new_starts, new_lengths = names[0].copy(), names[1].copy()
    new_starts[rows], new_lengths[rows] = starts[which_text], lengths[which_text]
    return b"".join([data, *texts]), (new_starts, new_lengths)


def after_last_line(block: bytes) -> int:
    """Offset after the last line of a block, where a format with a lattice a line may be cut."""
    return block.rfind(b"\n") + 1
