"""Python Lattice Format: `((('the',0.5,1),('a',0.1,1),),(('cat',1,1),),)`, a lattice a line; `()` is an empty one.

Sources: Moses manual, Word Lattices; cdec, test inputs (dictionaries of scores).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, FilePosition, Text, clean_text
from treesql.readers.lattices.lattices import (
    LatticeChunk,
    LatticeWarnings,
    after_last_line,
    lattice_batch,
    replace_fields,
)
from treesql.readers.source import Source

SUFFIXES = (".plf",)
KIND = "lattice"
SCORE_SENSES = ("log_likelihood", "cost")

# By kind of fault, in the order of treesql.kernels.scanning.plf: what is wrong (`{}` is the text there, `{other}` a
# node) and what to do.
FAULTS = (
    (
        "expected the beginning of a lattice, found {}",
        "write a lattice a line, such as ((('the',0.5,1),),(('cat',1,1),),)",
    ),
    ("expected a comma or a bracket, found {}", "write ((('WORD',SCORE,STEP),...),...)"),
    ("{} is not a word in quotes", "write 'WORD'; escape quotes in it as \\'"),
    ("a quote that is not closed in its line", "close it; escape quotes in words as \\'"),
    ("{} is not a number", "write scores as 0.25 or 1e-3, and the step as a whole number"),
    ("{} is not a finite number", "write scores as 0.25 or 1e-3; leave out edges that cannot be taken"),
    ("an edge without a step, a whole number after its scores", "say how many nodes it leads ahead: ('the',0.5,1)"),
    ("step {} is not a whole number", "say how many nodes the edge leads ahead: ('the',0.5,1)"),
    ("step {} is below 1", "let edges lead ahead; lattices have no cycles"),
    ("a bracket that is not closed at the end of the line", "close it, and keep a lattice in one line"),
    ("{} comes after the bracket that closes the lattice", "write a lattice a line"),
    ("an edge leads to node {other}, beyond the last", "let no step lead further than the last node"),
)

_ESCAPED = re.compile(rb"\\(['\"\\])")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels.scanning import plf  # here, as few commands need it

    faults, remarks = Faults(source.name), LatticeWarnings()
    position = FilePosition()
    n_lattices = 0
    for chunk in source.chunks(cut_of=after_last_line, limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults, returns=False)
        position.begin_chunk(data)
        scan = plf.scan(np.frombuffer(data, dtype=np.uint8), position.line, phrases=options.phrases)
        n_lattices += len(scan.line)
        for kind, offset, other in scan.faults.tolist():
            line, column = position.line_and_column(offset)
            what, hint = FAULTS[kind]
            faults.add(line, what.replace("{}", _shown(data, offset)).replace("{other}", str(other)), hint, column)
        if faults.full:
            break
        if faults.found or not len(scan.line):
            continue
        data, words = replace_fields(data, (scan.words[0], scan.words[1]), scan.words[2] == 1, _plain)
        no_names = np.zeros(len(scan.line), dtype=np.int64)
        lattices = LatticeChunk(
            text=Text(data),
            line=scan.line,
            name=(no_names, no_names),
            n_nodes=scan.n_nodes,
            n_finals=np.ones(len(scan.line), dtype=np.int64),
            edge_offsets=scan.edge_offsets,
            from_node=scan.from_node,
            to_node=scan.to_node,
            word_offsets=scan.word_offsets,
            words=words,
            score_offsets=scan.score_offsets,
            scores=(scan.scores[0], scan.scores[1]),
        )
        rows = lattice_batch(lattices, source.name, state, options, faults, remarks)
        if rows is not None:
            yield rows
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice; () is an empty one")
    faults.raise_any()
    state.warnings += remarks.warnings(source.name)


def _plain(word: bytes) -> bytes:
    return _ESCAPED.sub(rb"\1", word)


def _shown(data: bytes, offset: int) -> str:
    """What stands at a place, for an error message: up to a blank, a comma or a bracket."""
    text = data[offset : offset + 60].split(b"\n")[0]
    token = re.match(rb"[^\s,(){}\[\]]+|.", text, re.DOTALL)
    return f"`{token[0].decode('utf-8', 'replace')}`" if token else "the end of the line"
