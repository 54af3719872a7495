"""Transducers as OpenFst prints them: `FROM TO INPUT [OUTPUT] [WEIGHT]`, `FINAL [WEIGHT]`; a blank line between two.

The first line's state is the initial one; words are the output labels. Source: OpenFst, fstcompile and fstprint.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.kernels import links
from treesql.kernels import text as kernel
from treesql.kernels.text import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text
from treesql.readers.graphs import Graphs, finite, labelled, made, states, symbols_of
from treesql.readers.lattices import Remarks
from treesql.readers.mending import mended
from treesql.readers.source import Source

SUFFIXES = (".fst.txt", ".att")
KIND = "lattice"
SCORE_SENSES = ("cost",)

_FORM = "write FROM TO INPUT [OUTPUT] [WEIGHT] or FINAL [WEIGHT]"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    faults, remarks = Faults(source.name), Remarks()
    symbols = symbols_of(options.symbols)
    line, n_lattices = 1, 0
    for chunk in source.chunks(limit=options.max_sentence):
        data = mended(chunk.data, line, chunk.last, faults, returns=False)
        data = data if data.endswith(b"\n") or not data else data + b"\n"
        text = Text(data)
        starts, lengths, counts = links.find_fields(text.raw)
        offsets = np.append(0, np.cumsum(counts))
        lines, lattice = blocks(counts)
        n_lattices += int(lattice[-1]) + 1 if len(lines) else 0
        graphs, data = _graphs(data, (starts, lengths), offsets, lines, lattice, line, symbols, faults, remarks)
        line += data_lines(text)
        if faults.full:
            break
        rows = None if graphs is None else made(graphs, data, None, source.name, state, options, faults, remarks)
        if rows is not None:
            yield rows
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice")
    faults.raise_any()
    state.warnings += remarks.told(source.name)


def _graphs(
    data: bytes, fields: Field, offsets: Ints, lines: Ints, lattice: Ints, line: int, symbols: dict[bytes, bytes] |
    None, faults: Faults, remarks: Remarks,
) -> tuple[Graphs | None, bytes]:  # fmt: skip
    """The lattices of a chunk. lines: those that are not blank, counted from 0, and their lattices."""
    text = Text(data)
    starts, lengths = fields

    def column(rows: Ints, position: int) -> Field:
        return starts[offsets[rows] + position], lengths[offsets[rows] + position]

    counts = np.diff(offsets)[lines]
    wrong = lines[counts > 5]
    faults.each(wrong + line, lambda at: f"{offsets[wrong[at] + 1] - offsets[wrong[at]]} fields in this line", _FORM)
    if len(wrong) or not len(lines):
        return None, data
    is_arc = counts > 2
    arcs, arc_lattice, arc_counts = lines[is_arc], lattice[is_arc], counts[is_arc]
    finals, final_lattice, final_counts = lines[~is_arc], lattice[~is_arc], counts[~is_arc]
    transduces = _transduces(text, column, arcs, arc_lattice, arc_counts, int(lattice[-1]) + 1)[arc_lattice]
    mixed = arcs[transduces & (arc_counts == 3)]
    faults.each(mixed + line, lambda at: "3 fields in this line, where others have 5", _FORM)
    hint = "number the states 0, 1, 2, ..."
    from_node = states(text, column(arcs, 0), arcs + line, faults, hint)
    to_node = states(text, column(arcs, 1), arcs + line, faults, hint)
    final_node = states(text, column(finals, 0), finals + line, faults, hint)
    weighted = arc_counts > np.where(transduces, 4, 3)
    scores = column(arcs[weighted], 0)
    last = offsets[arcs[weighted] + 1] - 1
    scores = starts[last], lengths[last]
    final_scores = column(finals[final_counts == 2], 1)
    hint = "write weights as 0.25 or 1e-3; leave out arcs and final states that cannot be taken"
    finite(text, scores, arcs[weighted] + line, faults, "weight", hint)
    finite(text, final_scores, finals[final_counts == 2] + line, faults, "weight", hint)
    if faults.found:
        return None, data
    labels = np.where(transduces, 3, 2) + offsets[arcs]
    data, words, is_word = labelled(
        data, (starts[labels], lengths[labels]), arcs + line, arc_lattice, symbols, faults, remarks
    )
    if faults.found:
        return None, data
    first = np.flatnonzero(np.diff(lattice, prepend=-1))
    first_node = kernel.integers(text.raw, *column(lines[first], 0))[0]
    graphs = Graphs(
        line=lines[first] + line,
        first_node=first_node,
        edge_line=arcs + line,
        lattice=arc_lattice,
        from_node=from_node,
        to_node=to_node,
        n_words=is_word.astype(np.int64),
        words=(words[0][is_word], words[1][is_word]),
        n_scores=weighted.astype(np.int64),
        scores=scores,
        final_lattice=final_lattice,
        final_node=final_node,
        n_final_scores=(final_counts == 2).astype(np.int64),
        final_scores=final_scores,
    )
    return graphs, data


def _transduces(text: Text, column: object, arcs: Ints, lattice: Ints, counts: Ints, n: int) -> Flags:
    """By lattice whether its arcs have output labels: where none has 3 fields, unless the fourth is a number in all,
    and in some the third is none, or the fourth no whole one, as the numbers of labels are.
    """
    from treesql.kernels import scanning  # here, for it brings the compiler

    assert callable(column)
    short = np.bincount(lattice[counts == 3], minlength=n) > 0
    long = np.bincount(lattice[counts == 5], minlength=n) > 0
    four = counts == 4
    fourth = scanning.number_kinds(text.raw, *column(arcs[four], 3))
    is_word = scanning.number_kinds(text.raw, *column(arcs[four], 2)) == scanning.NO_NUMBER
    weights = np.bincount(lattice[four], weights=fourth == scanning.NO_NUMBER, minlength=n) == 0
    telling = np.bincount(lattice[four], weights=is_word | (fourth != scanning.INTEGER), minlength=n) > 0
    transduces: Flags = long | ~(short | (weights & telling))
    return transduces


def blocks(counts: Ints) -> tuple[Ints, Ints]:
    """The lines that are not blank, and for each the number of its run of such lines. counts: fields of every line."""
    lines = np.flatnonzero(counts)
    return lines, np.cumsum(np.diff(lines, prepend=-2) > 1) - 1


def data_lines(text: Text) -> int:
    """The number of line ends of a chunk."""
    return int(np.count_nonzero(text.raw == kernel.NEWLINE))
