"""Transducers as OpenFst prints them: `FROM TO INPUT [OUTPUT] [WEIGHT]`, `FINAL [WEIGHT]`; a blank line between two.

The first line's state is the initial one; words are the output labels; an arc or final state without a weight costs 0.
Source: OpenFst, fstcompile and fstprint.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.kernels.arrays import Flags
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults
from treesql.readers.lattices.graphs import check_finite, find_words
from treesql.readers.lattices.lattices import LatticeWarnings
from treesql.readers.lattices.transducers import (
    ArcFile,
    ArcLines,
    ArcWeights,
    FoundGraphs,
    Symbols,
    assemble,
    parse_nodes,
    read_transducers,
    split_lines,
)
from treesql.readers.source import Source

SUFFIXES = (".fst.txt", ".att")
KIND = "lattice"
SCORE_SENSES = ("cost",)

_FORM = "write FROM TO INPUT [OUTPUT] [WEIGHT] or FINAL [WEIGHT]"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    yield from read_transducers(source, state, options, _find_graphs)


def _find_graphs(file: ArcFile, symbols: Symbols, faults: Faults, warnings: LatticeWarnings) -> FoundGraphs | None:
    """The lattices of a chunk; None where there are faults."""
    if not file.check_widths(file.lines, _FORM, faults):
        return None
    arcs, finals = split_lines(file.lines)
    transduces = _transduces(file, arcs)[arcs.lattice]
    mixed = arcs.take(transduces & (arcs.n_fields == 3))
    faults.each(file.numbers(mixed), lambda at: "3 fields in this line, where others have 5", _FORM)
    nodes = parse_nodes(file, arcs, finals, "number the states 0, 1, 2, ...", faults)
    weighted = arcs.n_fields > np.where(transduces, 4, 3)
    weights = _weights(file, arcs, weighted, finals, faults)
    if faults.found:
        return None
    labels = file.fields(arcs, np.where(transduces, 3, 2))
    data, words, is_word = find_words(
        file.text.data, labels, file.numbers(arcs), arcs.lattice, symbols, faults, warnings
    )  # fmt: skip
    if faults.found:
        return None
    first_lines = file.numbers(file.lines.take(file.lines.starts))
    return assemble(file, data, first_lines, file.lines, nodes, weights, 1, words, is_word)


def _weights(file: ArcFile, arcs: ArcLines, weighted: Flags, finals: ArcLines, faults: Faults) -> ArcWeights:
    """The weights of arcs and final states; what is no finite number is a fault. weighted: which arcs have one."""
    with_weight, finals_with_weight = arcs.take(weighted), finals.take(finals.n_fields == 2)
    scores, final_scores = file.last_fields(with_weight), file.fields(finals_with_weight, 1)
    hint = "write weights as 0.25 or 1e-3; leave out arcs and final states that cannot be taken"
    check_finite(file.text, scores, file.numbers(with_weight), faults, "weight", hint)
    check_finite(file.text, final_scores, file.numbers(finals_with_weight), faults, "weight", hint)
    return ArcWeights(weighted.astype(np.int64), scores, (finals.n_fields == 2).astype(np.int64), final_scores)


def _transduces(file: ArcFile, arcs: ArcLines) -> Flags:
    """Whether the arcs of each lattice have output labels.

    They have where an arc has five fields. They also have where none has three, unless the fourth fields are weights:
    all are numbers, and in some arc the third is no number or the fourth no whole one, as numbers of labels are.
    """

    n = file.n_lattices
    short = np.bincount(arcs.lattice[arcs.n_fields == 3], minlength=n) > 0
    long = np.bincount(arcs.lattice[arcs.n_fields == 5], minlength=n) > 0
    four = arcs.take(arcs.n_fields == 4)
    fourth = kernel.number_kinds(file.text.raw, *file.fields(four, 3))
    is_word = kernel.number_kinds(file.text.raw, *file.fields(four, 2)) == kernel.NO_NUMBER
    weights = np.bincount(four.lattice, weights=fourth == kernel.NO_NUMBER, minlength=n) == 0
    telling = np.bincount(four.lattice, weights=is_word | (fourth != kernel.INTEGER), minlength=n) > 0
    transduces: Flags = long | ~(short | (weights & telling))
    return transduces
