"""Lattices of formats that name their nodes as they like: numbered in order, with one initial and one final node."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text, clean_text, take
from treesql.readers.lattices.lattices import LatticeChunk, LatticeWarnings, lattice_batch, replace_fields
from treesql.readers.source import Source

_NUMBER = re.compile(rb"[0-9]{1,18}")

ZERO = b"0"
"""What a missing score is: the weight One of the tropical semiring. Source: OpenFst, fstcompile."""

EMPTY = frozenset([b"<eps>", b"<epsilon>"])
"""Symbols that are no word."""


@dataclass(frozen=True)
class Graphs:
    """Lattices as their file has them: nodes are any numbers from 0.

    line: of every lattice; first_node: where its paths begin. Of edges: line, lattice, from_node, to_node (lattices
    ascending), how many words (0 or 1) and scores each has, and these as fields. Of final nodes: lattice, node, line,
    and scores likewise. nodes: further nodes, with their lattices.
    """

    line: Ints
    first_node: Ints
    edge_line: Ints
    lattice: Ints
    from_node: Ints
    to_node: Ints
    n_words: Ints
    words: Field
    n_scores: Ints
    scores: Field
    final_lattice: Ints
    final_node: Ints
    n_final_scores: Ints
    final_scores: Field
    nodes: tuple[Ints, Ints] | None = None


@dataclass(frozen=True)
class ArrangedGraphs:
    """What LatticeChunk takes of the same lattices: see there. preceded: whose first node an edge leads to."""

    n_nodes: Ints
    n_finals: Ints
    edge_offsets: Ints
    from_node: Ints
    to_node: Ints
    word_offsets: Ints
    score_offsets: Ints
    scores: Field
    final_score_offsets: Ints
    final_scores: Field
    preceded: Flags


def arrange(graphs: Graphs, faults: Faults) -> ArrangedGraphs | None:
    """Number the nodes so that all edges lead ahead, from 0 to the last; None where there are faults.

    An edge that leads to the first node leaves the lattice `preceded`, which is then in no order.

    Where several nodes are final, or edges leave the final node, a node is added, with an edge from each final node
    that has no word and the scores of that node; these edges come behind the others of their lattice. The scores of a
    final node that stays the last are kept apart.
    """
    n = len(graphs.line)
    for lattice in np.flatnonzero(np.bincount(graphs.final_lattice, minlength=n) == 0).tolist():
        faults.add(int(graphs.line[lattice]), "a lattice without a final node", "say where its paths end")
    if faults.found:
        return None
    dense = _NumberedNodes(graphs)
    added = _with_one_end(graphs, dense)
    return _in_order(added, graphs, dense, faults)


def graph_batch(
    graphs: Graphs, data: bytes, name: Field | None, path: str, state: State, options: Options, faults: Faults,
    warnings: LatticeWarnings,
) -> Batch | None:  # fmt: skip
    """The rows of lattices. name: fields, those of length 0 being none. None where there are faults."""
    arranged = arrange(graphs, faults)
    if arranged is not None and arranged.preceded.any():
        graphs = _without_edges_to_first_node(graphs, arranged.preceded, path, warnings)
        arranged = arrange(graphs, faults)
    if arranged is None:
        return None
    n = len(graphs.line)
    nothing = np.zeros(n, dtype=np.int64)
    lattices = LatticeChunk(
        text=Text(data),
        line=graphs.line,
        name=name or (nothing, nothing),
        n_nodes=arranged.n_nodes,
        n_finals=arranged.n_finals,
        edge_offsets=arranged.edge_offsets,
        from_node=arranged.from_node,
        to_node=arranged.to_node,
        word_offsets=arranged.word_offsets,
        words=graphs.words,
        score_offsets=arranged.score_offsets,
        scores=arranged.scores,
        final_score_offsets=arranged.final_score_offsets,
        final_scores=arranged.final_scores,
    )
    return lattice_batch(lattices, path, state, options, faults, warnings)


def _without_edges_to_first_node(graphs: Graphs, lattices: Flags, path: str, warnings: LatticeWarnings) -> Graphs:
    """The lattices without the edges to their first node, with a warning: as there is no cycle, no path has them."""
    dead = lattices[graphs.lattice] & (graphs.to_node == graphs.first_node[graphs.lattice])
    n = int(dead.sum())
    line = int(graphs.edge_line[np.flatnonzero(dead)[0]])
    noun = "edge leads" if n == 1 else "edges lead"
    what = f"{n} {noun} to a first node, from nodes that no path reaches"
    warnings.note(Diagnostic.warning(path, line, what, "they are left out; other edges on no path count"))
    kept = ~dead
    of_word = np.repeat(kept, graphs.n_words)
    of_score = np.repeat(kept, graphs.n_scores)
    return replace(
        graphs, edge_line=graphs.edge_line[kept], lattice=graphs.lattice[kept], from_node=graphs.from_node[kept],
        to_node=graphs.to_node[kept], n_words=graphs.n_words[kept], words=take(graphs.words, of_word),
        n_scores=graphs.n_scores[kept], scores=take(graphs.scores, of_score),
        nodes=_with_nodes(graphs, graphs.lattice[dead], graphs.from_node[dead]),
    )  # fmt: skip


def _with_nodes(graphs: Graphs, lattices: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """The further nodes of lattices, and those of left out edges."""
    more_lattices, more_nodes = graphs.nodes or (lattices[:0], nodes[:0])
    return np.concatenate([more_lattices, lattices]), np.concatenate([more_nodes, nodes])


class _NumberedNodes:
    """The nodes of every lattice numbered from 0, in the order of their own numbers."""

    def __init__(self, graphs: Graphs) -> None:
        n = len(graphs.line)
        more_lattices, more_nodes = graphs.nodes or (graphs.lattice[:0], graphs.lattice[:0])
        lattices = [graphs.lattice, graphs.lattice, graphs.final_lattice, np.arange(n), more_lattices]
        nodes = [graphs.from_node, graphs.to_node, graphs.final_node, graphs.first_node, more_nodes]
        keys = (np.concatenate(lattices) << 32) | np.concatenate(nodes)
        self.names, inverse = np.unique(keys, return_inverse=True)
        self.n_nodes = np.bincount(self.names >> 32, minlength=n)
        self.starts = np.cumsum(self.n_nodes) - self.n_nodes
        numbers = inverse - self.starts[np.concatenate(lattices)]
        ends = np.cumsum([len(part) for part in lattices])
        self.from_node, self.to_node, self.final_node, self.first_node, _ = np.split(numbers, ends[:-1])

    def name(self, lattice: int, node: int) -> int:
        """What the file calls a node."""
        return int(self.names[self.starts[lattice] + node] & 0xFFFFFFFF)


@dataclass(frozen=True)
class _WithOneFinalNode:
    """Lattices whose last node is final, and left by no edge; it has changed places with the node `exchanged`."""

    n_nodes: Ints
    n_finals: Ints
    lattice: Ints
    from_node: Ints
    to_node: Ints
    first_node: Ints
    n_words: Ints
    n_scores: Ints
    scores: Field
    final_score_offsets: Ints
    final_scores: Field
    exchanged: Ints


def _with_one_end(graphs: Graphs, dense: _NumberedNodes) -> _WithOneFinalNode:
    n = len(graphs.line)
    n_finals = np.bincount(graphs.final_lattice, minlength=n)
    final = np.zeros(n, dtype=np.int64)
    final[graphs.final_lattice] = dense.final_node  # where there is one
    left = np.zeros(n, dtype=bool)
    left[graphs.lattice[dense.from_node == final[graphs.lattice]]] = True
    joined = (n_finals > 1) | left
    n_nodes = dense.n_nodes + joined
    exchanged = np.where(
        joined, dense.n_nodes, final
    )  # this node and the last change places; itself where one is added

    def moved(lattice: Ints, node: Ints) -> Ints:
        last = n_nodes[lattice] - 1
        return np.where(node == exchanged[lattice], last, np.where(node == last, exchanged[lattice], node))

    more = np.flatnonzero(joined[graphs.final_lattice])
    places = np.searchsorted(graphs.lattice, graphs.final_lattice[more], side="right")
    score_offsets = np.concatenate([[0], np.cumsum(graphs.n_scores)])
    final_owner = np.repeat(np.arange(len(graphs.final_node)), graphs.n_final_scores)
    kept = joined[graphs.final_lattice][final_owner]
    score_places = score_offsets[np.repeat(places, graphs.n_final_scores[more])]
    starts, lengths = graphs.scores
    final_starts, final_lengths = graphs.final_scores
    return _WithOneFinalNode(
        n_nodes=n_nodes,
        n_finals=n_finals,
        lattice=np.insert(graphs.lattice, places, graphs.final_lattice[more]),
        from_node=np.insert(
            moved(graphs.lattice, dense.from_node), places, moved(graphs.final_lattice, dense.final_node)[more]
        ),
        to_node=np.insert(moved(graphs.lattice, dense.to_node), places, n_nodes[graphs.final_lattice[more]] - 1),
        first_node=moved(np.arange(n), dense.first_node),
        n_words=np.insert(graphs.n_words, places, 0),
        n_scores=np.insert(graphs.n_scores, places, graphs.n_final_scores[more]),
        scores=(
            np.insert(starts, score_places, final_starts[kept]),
            np.insert(lengths, score_places, final_lengths[kept]),
        ),
        final_score_offsets=_offsets(np.bincount(graphs.final_lattice[final_owner[~kept]], minlength=n)),
        final_scores=(final_starts[~kept], final_lengths[~kept]),
        exchanged=exchanged,
    )


def _in_order(ended: _WithOneFinalNode, graphs: Graphs, dense: _NumberedNodes, faults: Faults) -> ArrangedGraphs | None:
    from treesql.kernels.lattices import lattices as kernel  # here, as few commands need it

    edge_offsets = _offsets(np.bincount(ended.lattice, minlength=len(graphs.line)))
    numbers, node_offsets, cycle = kernel.sort_topologically(
        ended.n_nodes, edge_offsets, ended.from_node, ended.to_node, ended.first_node
    )

    def name(lattice: int, node: int) -> int:
        last = int(ended.n_nodes[lattice]) - 1
        there = int(ended.exchanged[lattice])
        return dense.name(lattice, there if node == last else last if node == there else node)

    for lattice in np.flatnonzero(cycle >= 0).tolist():
        edges = slice(int(edge_offsets[lattice]), int(edge_offsets[lattice + 1]))
        into = np.flatnonzero(ended.to_node[edges] == cycle[lattice])[0]
        line = _edge_lines(graphs, lattice)[into]
        what = f"a cycle leads through node {name(lattice, int(cycle[lattice]))}"
        faults.add(int(line), what, "remove an edge of it; lattices have no cycles")
    if faults.found:
        return None
    starts = node_offsets[ended.lattice]
    return ArrangedGraphs(
        n_nodes=ended.n_nodes,
        n_finals=ended.n_finals,
        edge_offsets=edge_offsets,
        from_node=numbers[starts + ended.from_node],
        to_node=numbers[starts + ended.to_node],
        word_offsets=_offsets(ended.n_words),
        score_offsets=_offsets(ended.n_scores),
        scores=ended.scores,
        final_score_offsets=ended.final_score_offsets,
        final_scores=ended.final_scores,
        preceded=numbers[node_offsets[:-1] + ended.first_node] > 0,
    )


def _edge_lines(graphs: Graphs, lattice: int) -> Ints:
    lines: Ints = graphs.edge_line[graphs.lattice == lattice]
    return lines


def _offsets(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def parse_states(text: Text, fields: Field, lines: Ints, faults: Faults, hint: str) -> Ints:
    """Fields as numbers of states; those that are none are faults."""
    values, plain = kernel.integers(text.raw, *fields)
    wrong = np.flatnonzero(~plain)
    faults.each(lines[wrong], lambda at: f"{text.quote(fields, int(wrong[at]))} is not a state number", hint)
    return values


def check_finite(text: Text, fields: Field, lines: Ints, faults: Faults, what: str, hint: str) -> None:
    """Note the fields that are no finite numbers."""
    kinds = kernel.number_kinds(text.raw, *fields)
    wrong = np.flatnonzero((kinds == kernel.NO_NUMBER) | (kinds == kernel.NOT_FINITE))
    faults.each(lines[wrong], lambda at: f"{what} {text.quote(fields, int(wrong[at]))} is not a finite number", hint)


def fill_scores(n_scores: Ints, scores: Field, width: int, zero: int) -> tuple[Ints, Field]:
    """`width` scores for every item, 0 for items without scores. zero: where a 0 stands in the text."""
    has = n_scores > 0
    starts, lengths = np.full((len(has), width), zero), np.ones((len(has), width), dtype=np.int64)
    starts[has], lengths[has] = scores[0].reshape(-1, width), scores[1].reshape(-1, width)
    return np.full(len(has), width), (starts.ravel(), lengths.ravel())


def find_words(
    data: bytes,
    labels: Field,
    lines: Ints,
    lattice: Ints,
    symbols: dict[bytes, bytes] | None,
    faults: Faults,
    warnings: LatticeWarnings,
) -> tuple[bytes, Field, Flags]:
    """The words of edges, and which edges have one.

    symbols: words by their numbers; a name stands for itself. Without them the labels of a lattice are numbers if all
    are, and 0 is no word.
    """
    text = Text(data)
    if symbols is not None:
        unknown = _unknown(text, labels, symbols)
        faults.each(
            lines[unknown],
            lambda at: f"symbol {text.quote(labels, int(unknown[at]))} is not in the table of symbols",
            "give the table that these lattices were made with",
        )
        data, labels = replace_fields(
            data, labels, np.ones(len(lines), dtype=bool), lambda label: symbols.get(label, label)
        )
        return data, labels, ~_among(Text(data), labels, EMPTY)
    _, plain = kernel.integers(text.raw, *labels)
    n = int(lattice.max()) + 1 if len(lattice) else 0
    named = np.bincount(lattice, weights=~plain, minlength=n)[lattice] > 0 if n else plain
    if not named.all():
        line = int(lines[np.flatnonzero(~named)[0]])
        hint = "--symbols FILE says what they stand for; without it 0 is not a word, and words are numbers"
        warnings.note(Diagnostic.warning(faults.path, line, "the labels are numbers", hint))
    zero = (labels[1] == 1) & (text.raw[labels[0]] == kernel.ZERO)
    return data, labels, ~(_among(text, labels, EMPTY) | (zero & ~named))


def read_symbols(path: str) -> dict[bytes, bytes]:
    """A table of symbols, `WORD NUMBER` a line: names by their numbers and by themselves; 0 is <eps>.

    Raises InvalidInput.
    """
    source = Source(path)
    faults = Faults(source.name)
    data = clean_text(b"".join(chunk.data for chunk in source.chunks()), 1, True, faults, returns=False)
    names: dict[bytes, bytes] = {}
    name_of_number: dict[bytes, bytes] = {}
    for line, fields in enumerate(map(bytes.split, data.split(b"\n")), 1):
        if not fields:
            continue
        if len(fields) != 2 or not _NUMBER.fullmatch(fields[1]):
            shown = b" ".join(fields)[:60].decode("utf-8", "replace")
            faults.add(line, f"this line is `{shown}`", "write a symbol and its number in every line")
            continue
        number = b"%d" % int(fields[1])
        if fields[0] in names or number in name_of_number:
            shown = (fields[0] if fields[0] in names else number)[:60].decode("utf-8", "replace")
            faults.add(line, f"`{shown}` is given twice", "give every symbol one number, and every number one symbol")
            continue
        names[fields[0]] = name_of_number[number] = b"<eps>" if number == b"0" else fields[0]
    if not name_of_number and not faults.found:
        faults.add(0, "the table of symbols is empty", "write a symbol and its number in every line")
    faults.raise_any()
    return {**names, **name_of_number}


def load_symbols(path: str | None) -> dict[bytes, bytes] | None:
    """The table of symbols at a path, if one is given."""
    return None if path is None else read_symbols(path)


def _unknown(text: Text, labels: Field, symbols: dict[bytes, bytes]) -> Ints:
    encoded = text.strings(labels).cast(pa.large_binary()).dictionary_encode()
    unknown = np.array([label not in symbols for label in encoded.dictionary.to_pylist()], dtype=bool)
    indices = np.frombuffer(encoded.indices.buffers()[1], dtype=np.int32, count=len(labels[0]))
    return np.flatnonzero(unknown[indices]) if len(unknown) else np.zeros(0, dtype=np.int64)


def _among(text: Text, labels: Field, names: frozenset[bytes]) -> Flags:
    windows = text.windows
    is_among = np.zeros(len(labels[0]), dtype=bool)
    for name in names:
        is_among |= (labels[1] == len(name)) & kernel.starts_with(windows, name, *labels)
    return is_among
