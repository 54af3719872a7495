"""Kaldi's lattices as text: a key, arcs `FROM TO WORD GRAPH,ACOUSTIC[,TRANSITIONS]`, finals, and a blank line.

Arcs of lattices that are not compact have an input label before the word. Source: Kaldi, lat/kaldi-lattice.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.kernels import links
from treesql.kernels import text as kernel
from treesql.kernels.text import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text
from treesql.readers.graphs import Graphs, finite, labelled, made, states, symbols_of
from treesql.readers.lattices import Remarks
from treesql.readers.mending import mended
from treesql.readers.openfst import blocks, data_lines
from treesql.readers.source import Source

SUFFIXES = (".lat",)
KIND = "lattice"
SCORE_SENSES = ("cost",)

_ARC = "write FROM TO WORD GRAPH,ACOUSTIC[,TRANSITIONS]"
_COMMA = ord(",")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    faults, remarks = Faults(source.name), Remarks()
    symbols = symbols_of(options.symbols)
    line, n_lattices = 1, 0
    for chunk in source.chunks(limit=options.max_sentence):
        data = mended(chunk.data, line, chunk.last, faults, returns=False)
        data = data if data.endswith(b"\n") or not data else data + b"\n"
        text = Text(data)
        if line == 1 and data.lstrip().startswith((b"VERSION=", b"#")):
            faults.add(1, "this is a lattice in HTK's format", "read it with --from slf")
            break
        starts, lengths, counts = links.find_fields(text.raw)
        offsets = np.append(0, np.cumsum(counts))
        lines, lattice = blocks(counts)
        n_lattices += int(lattice[-1]) + 1 if len(lines) else 0
        if len(lines):
            found = _graphs(data, (starts, lengths), offsets, lines, lattice, line, symbols, faults, remarks)
            if found is not None:
                graphs, name, words = found
                rows = made(graphs, words, name, source.name, state, options, faults, remarks)
                if rows is not None:
                    yield rows
        line += data_lines(text)
        if faults.full:
            break
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice")
    faults.raise_any()
    state.warnings += remarks.told(source.name)


def _graphs(
    data: bytes, fields: Field, offsets: Ints, lines: Ints, lattice: Ints, line: int, symbols: dict[bytes, bytes] |
    None, faults: Faults, remarks: Remarks,
) -> tuple[Graphs, Field, bytes] | None:  # fmt: skip
    """The lattices of a chunk with their keys, and the text that their words stand in."""
    text = Text(data)
    starts, lengths = fields
    first = np.flatnonzero(np.diff(lattice, prepend=-1))
    keys = lines[first]
    end = offsets[keys + 1] - 1
    name = (starts[offsets[keys]], starts[end] + lengths[end] - starts[offsets[keys]])
    rest = np.ones(len(lines), dtype=bool)
    rest[first] = False
    lines, lattice = lines[rest], lattice[rest]
    counts = np.diff(offsets)[lines]

    def column(rows: Ints, position: int) -> Field:
        return starts[offsets[rows] + position], lengths[offsets[rows] + position]

    wrong = lines[counts > 5]
    faults.each(wrong + line, lambda at: f"{offsets[wrong[at] + 1] - offsets[wrong[at]]} fields in this line", _ARC)
    is_arc = counts > 2
    arcs, arc_lattice, arc_counts = lines[is_arc], lattice[is_arc], counts[is_arc]
    finals, final_lattice, final_counts = lines[~is_arc], lattice[~is_arc], counts[~is_arc]
    hint = "number the states 0, 1, 2, ...; a blank line stands before every key"
    from_node = states(text, column(arcs, 0), arcs + line, faults, hint)
    to_node = states(text, column(arcs, 1), arcs + line, faults, hint)
    final_node = states(text, column(finals, 0), finals + line, faults, hint)
    if faults.found:
        return None
    weighted = arc_counts > 3
    heavy = arcs[weighted]
    last = offsets[heavy + 1] - 1
    scores = _weights(text, (starts[last], lengths[last]), heavy + line, faults)
    heavy_finals = finals[final_counts == 2]
    final_scores = _weights(text, column(heavy_finals, 1), heavy_finals + line, faults)
    if faults.found:
        return None
    labels = np.where(arc_counts == 5, 3, 2) + offsets[arcs]
    data, words, is_word = labelled(
        data, (starts[labels], lengths[labels]), arcs + line, arc_lattice, symbols, faults, remarks
    )
    if faults.found:
        return None
    first_node = np.zeros(len(keys), dtype=np.int64)
    firsts = np.flatnonzero(np.diff(lattice, prepend=-1))
    first_node[lattice[firsts]] = kernel.integers(text.raw, *column(lines[firsts], 0))[0]
    graphs = Graphs(
        line=keys + line,
        first_node=first_node,
        edge_line=arcs + line,
        lattice=arc_lattice,
        from_node=from_node,
        to_node=to_node,
        n_words=is_word.astype(np.int64),
        words=(words[0][is_word], words[1][is_word]),
        n_scores=2 * weighted,
        scores=scores,
        final_lattice=final_lattice,
        final_node=final_node,
        n_final_scores=2 * (final_counts == 2),
        final_scores=final_scores,
    )
    return graphs, name, data


def _weights(text: Text, weights: Field, lines: Ints, faults: Faults) -> Field:
    """The graph and acoustic cost of every weight, one after the other; what is none is a fault."""
    weight, starts, lengths = kernel.split(text.raw, _COMMA, *weights)
    n_parts = np.bincount(weight, minlength=len(lines))
    wrong = np.flatnonzero((n_parts < 2) | (n_parts > 3))
    hint = "write GRAPH,ACOUSTIC or GRAPH,ACOUSTIC,TRANSITIONS"
    faults.each(
        lines[wrong], lambda at: f"weight {text.quote(weights, int(wrong[at]))} is not of two or three parts", hint
    )
    costs = np.arange(len(weight)) - (np.cumsum(n_parts) - n_parts)[weight] < 2
    finite(text, (starts[costs], lengths[costs]), lines[weight[costs]], faults, "cost", hint)
    return starts[costs], lengths[costs]
