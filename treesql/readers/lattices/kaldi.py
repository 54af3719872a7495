"""Kaldi's lattices as text: a key, arcs `FROM TO WORD GRAPH,ACOUSTIC[,TRANSITIONS]`, finals, and a blank line.

Arcs of lattices that are not compact have an input label before the word. Missing weights cost 0. Source: Kaldi,
lat/kaldi-lattice.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text
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

SUFFIXES = (".lat",)
KIND = "lattice"
SCORE_SENSES = ("cost",)

_ARC = "write FROM TO WORD GRAPH,ACOUSTIC[,TRANSITIONS]"
_STATES = "number the states 0, 1, 2, ...; put a blank line before every key"
_COMMA = ord(",")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    yield from read_transducers(source, state, options, _find_graphs, _detect_htk)


def _detect_htk(data: bytes) -> tuple[str, str] | None:
    if data.lstrip().startswith((b"VERSION=", b"#")):
        return "this is a lattice in HTK's format", "read it with --from slf"
    return None


def _find_graphs(file: ArcFile, symbols: Symbols, faults: Faults, warnings: LatticeWarnings) -> FoundGraphs | None:
    """The lattices of a chunk with their keys; None where there are faults."""
    is_key = np.zeros(len(file.lines), dtype=bool)
    is_key[file.lines.starts] = True
    keys, lines = file.lines.take(is_key), file.lines.take(~is_key)
    file.check_widths(lines, _ARC, faults)
    arcs, finals = split_lines(lines)
    nodes = parse_nodes(file, arcs, finals, _STATES, faults)
    if faults.found:
        return None
    weights = _weights(file, arcs, finals, faults)
    if faults.found:
        return None
    labels = file.fields(arcs, np.where(arcs.n_fields == 5, 3, 2))
    data, words, is_word = find_words(
        file.text.data, labels, file.numbers(arcs), arcs.lattice, symbols, faults, warnings
    )  # fmt: skip
    if faults.found:
        return None
    return assemble(file, data, file.numbers(keys), lines, nodes, weights, 2, words, is_word, file.rests(keys))


def _weights(file: ArcFile, arcs: ArcLines, finals: ArcLines, faults: Faults) -> ArcWeights:
    """The graph and acoustic costs of arcs and final states."""
    weighted, weighted_finals = arcs.n_fields > 3, finals.n_fields == 2
    with_weight, finals_with_weight = arcs.take(weighted), finals.take(weighted_finals)
    scores = _costs(file.text, file.last_fields(with_weight), file.numbers(with_weight), faults)
    final_scores = _costs(file.text, file.fields(finals_with_weight, 1), file.numbers(finals_with_weight), faults)
    return ArcWeights(2 * weighted, scores, 2 * weighted_finals, final_scores)


def _costs(text: Text, weights: Field, lines: Ints, faults: Faults) -> Field:
    """The graph and acoustic cost of every weight, one after the other; a weight without them is a fault."""
    weight, starts, lengths = kernel.split(text.raw, _COMMA, *weights)
    n_parts = np.bincount(weight, minlength=len(lines))
    wrong = np.flatnonzero((n_parts < 2) | (n_parts > 3))
    hint = "write GRAPH,ACOUSTIC or GRAPH,ACOUSTIC,TRANSITIONS"
    faults.each(
        lines[wrong], lambda at: f"weight {text.quote(weights, int(wrong[at]))} is not of two or three parts", hint
    )
    costs = np.arange(len(weight)) - (np.cumsum(n_parts) - n_parts)[weight] < 2
    check_finite(text, (starts[costs], lengths[costs]), lines[weight[costs]], faults, "cost", hint)
    return starts[costs], lengths[costs]
