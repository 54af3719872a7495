"""Lattices as lines of arcs and final states, with a blank line between two: what OpenFst and Kaldi print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.scanning import links
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text, clean_text
from treesql.readers.lattices.graphs import ZERO, Graphs, fill_scores, graph_batch, load_symbols, parse_states
from treesql.readers.lattices.lattices import LatticeWarnings
from treesql.readers.source import Source

Symbols = dict[bytes, bytes] | None
"""Words by their numbers, as `graphs.read_symbols` returns them; None where no table is given."""


@dataclass(frozen=True)
class ArcLines:
    """Some lines of a chunk: their numbers, counted from 0, their lattices, and how many fields each has."""

    number: Ints
    lattice: Ints
    n_fields: Ints

    def __len__(self) -> int:
        return len(self.number)

    def take(self, which: Ints | Flags) -> ArcLines:
        """Some of the lines."""
        return ArcLines(self.number[which], self.lattice[which], self.n_fields[which])

    @property
    def starts(self) -> Ints:
        """The first line of every lattice that has any, as positions among these lines."""
        return np.flatnonzero(np.diff(self.lattice, prepend=-1))


class ArcFile:
    """The fields of a chunk of lines. first_line: number of its first line in the file; lines: those not blank."""

    def __init__(self, data: bytes, first_line: int) -> None:
        self.text, self.first_line = Text(data), first_line
        self._starts, self._lengths, counts = links.find_fields(self.text.raw)
        self._offsets = np.append(0, np.cumsum(counts))
        self.n_lines = int(np.count_nonzero(self.text.raw == kernel.NEWLINE))
        number = np.flatnonzero(counts)
        self.lines = ArcLines(number, np.cumsum(np.diff(number, prepend=-2) > 1) - 1, counts[number])
        self.n_lattices = int(self.lines.lattice[-1]) + 1 if len(number) else 0

    def numbers(self, lines: ArcLines) -> Ints:
        """The numbers of lines in the file, counted from 1."""
        return lines.number + self.first_line

    def fields(self, lines: ArcLines, position: int | Ints) -> Field:
        """A field of every line. position: counted from 0, of all lines or of each."""
        at = self._offsets[lines.number] + position
        return self._starts[at], self._lengths[at]

    def last_fields(self, lines: ArcLines) -> Field:
        """The last field of every line."""
        return self.fields(lines, lines.n_fields - 1)

    def rests(self, lines: ArcLines) -> Field:
        """Every line from its first field to its last."""
        starts, _ = self.fields(lines, 0)
        last, lengths = self.last_fields(lines)
        return starts, last + lengths - starts

    def check_widths(self, lines: ArcLines, hint: str, faults: Faults) -> bool:
        """Whether no line has more fields than an arc can have; the others are faults."""
        wrong = lines.take(lines.n_fields > 5)
        faults.each(self.numbers(wrong), lambda at: f"{wrong.n_fields[at]} fields in this line", hint)
        return not len(wrong)

    def first_nodes(self, lines: ArcLines, n: int) -> Ints:
        """For each of n lattices the state of its first line, 0 where it has none."""
        nodes = np.zeros(n, dtype=np.int64)
        firsts = lines.take(lines.starts)
        nodes[firsts.lattice] = kernel.integers(self.text.raw, *self.fields(firsts, 0))[0]
        return nodes


class ArcNodes(NamedTuple):
    """The states of arcs and of final states."""

    from_node: Ints
    to_node: Ints
    final_node: Ints


def split_lines(lines: ArcLines) -> tuple[ArcLines, ArcLines]:
    """Arcs, which have three fields or more, and final states."""
    is_arc = lines.n_fields > 2
    return lines.take(is_arc), lines.take(~is_arc)


def parse_nodes(file: ArcFile, arcs: ArcLines, finals: ArcLines, hint: str, faults: Faults) -> ArcNodes:
    """The states that lines name; what is no number is a fault."""

    def parse(lines: ArcLines, position: int) -> Ints:
        return parse_states(file.text, file.fields(lines, position), file.numbers(lines), faults, hint)

    return ArcNodes(parse(arcs, 0), parse(arcs, 1), parse(finals, 0))


class ArcWeights(NamedTuple):
    """The scores of arcs and of final states: how many each has, and these one after the other."""

    n_scores: Ints
    scores: Field
    n_final_scores: Ints
    final_scores: Field

    def complete(self, width: int, zero: int) -> ArcWeights:
        """Every arc and final state with `width` scores, 0 where it has none. zero: where a 0 stands in the text."""
        arcs = fill_scores(self.n_scores, self.scores, width, zero)
        return ArcWeights(*arcs, *fill_scores(self.n_final_scores, self.final_scores, width, zero))


class FoundGraphs(NamedTuple):
    """The lattices of a chunk, the text that their words stand in, whether any arc or final state has a weight, and
    their names, None in formats without names."""

    graphs: Graphs
    data: bytes
    weighted: bool
    name: Field | None = None


def assemble(
    file: ArcFile,
    data: bytes,
    first_lines: Ints,
    lines: ArcLines,
    nodes: ArcNodes,
    weights: ArcWeights,
    width: int,
    words: Field,
    is_word: Flags,
    name: Field | None = None,
) -> FoundGraphs:
    """The lattices of a chunk. first_lines: number of the first line of every lattice; words: by arc, as `is_word`.

    width: number of scores of a weight; an arc or final state without a weight has the weight One, whose scores are 0.
    """
    arcs, finals = split_lines(lines)
    weighted = bool(weights.n_scores.any() or weights.n_final_scores.any())
    weights = weights.complete(width, len(data))
    graphs = Graphs(
        line=first_lines,
        first_node=file.first_nodes(lines, len(first_lines)),
        edge_line=file.numbers(arcs),
        lattice=arcs.lattice,
        from_node=nodes.from_node,
        to_node=nodes.to_node,
        n_words=is_word.astype(np.int64),
        words=(words[0][is_word], words[1][is_word]),
        n_scores=weights.n_scores,
        scores=weights.scores,
        final_lattice=finals.lattice,
        final_node=nodes.final_node,
        n_final_scores=weights.n_final_scores,
        final_scores=weights.final_scores,
    )
    return FoundGraphs(graphs, data + ZERO, weighted, name)


def read_transducers(
    source: Source,
    state: State,
    options: Options,
    find_graphs: Callable[[ArcFile, Symbols, Faults, LatticeWarnings], FoundGraphs | None],
    detect_other_format: Callable[[bytes], tuple[str, str] | None] = lambda data: None,
) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput.

    find_graphs: returns the lattices of a chunk, None where there are faults. detect_other_format: says of the first
    bytes of a file of another format what it is, and what to do.
    """
    faults, warnings = Faults(source.name), LatticeWarnings()
    symbols = load_symbols(options.symbols)
    line, n_lattices, weighted = 1, 0, False
    for chunk in source.chunks(limit=options.max_sentence):
        data = clean_text(chunk.data, line, chunk.last, faults, returns=False)
        if line == 1 and (other := detect_other_format(data)):
            faults.add(1, *other)
            break
        file = ArcFile(data if data.endswith(b"\n") or not data else data + b"\n", line)
        n_lattices += file.n_lattices
        line += file.n_lines
        graphs = find_graphs(file, symbols, faults, warnings) if file.n_lattices else None
        if graphs is not None:
            weighted = weighted or graphs.weighted
            rows = graph_batch(graphs.graphs, graphs.data, graphs.name, source.name, state, options, faults, warnings)
            if rows is not None:
                yield rows
        if faults.full:
            break
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice")
    faults.raise_any()
    if not weighted and options.wants("lattice_edges", "scores"):
        what = "no arc and no final state has a weight, so that all cost 0"
        hint = "sizes and graph errors need none; best paths and posteriors do"
        warnings.note(Diagnostic.warning(source.name, 0, what, hint))
    state.warnings += warnings.warnings(source.name)
