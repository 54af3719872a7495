"""Python Lattice Format: `((('the',0.5,1),('a',0.1,1),),(('cat',1,1),),)`, a lattice a line; `()` is an empty one.

Sources: Moses manual, Word Lattices; cdec, test inputs (dictionaries of scores).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Text
from treesql.readers.lattices import Lattices, Remarks, after_last_line, batch, renamed
from treesql.readers.mending import mended
from treesql.readers.places import Places
from treesql.readers.source import LONGEST, Source

SUFFIXES = (".plf",)
KIND = "lattice"

# By kind of fault, in the order of treesql.kernels.plf: what is wrong (`{}` is the text there, `{other}` a node) and
# what to do.
FAULTS = (
    ("{} stands where a lattice should begin", "write a lattice a line, such as ((('the',0.5,1),),(('cat',1,1),),)"),
    ("{} stands where a comma or a bracket should", "write ((('WORD',SCORE,STEP),...),...)"),
    ("{} is no word in quotes", "write 'WORD'; escape quotes in it as \\'"),
    ("a quote that is not closed in its line", "close it; escape quotes in words as \\'"),
    ("{} is no number", "write scores as 0.25 or 1e-3, and the step as a whole number"),
    ("{} is no finite number", "write scores as 0.25 or 1e-3; leave out edges that cannot be taken"),
    ("an edge without a step, a whole number behind its scores", "say how many nodes it leads ahead: ('the',0.5,1)"),
    ("step {} is no whole number", "say how many nodes the edge leads ahead: ('the',0.5,1)"),
    ("step {} is below 1", "let edges lead ahead; lattices have no cycles"),
    ("a bracket that is not closed at the end of the line", "close it, and keep a lattice in one line"),
    ("{} stands behind the bracket that closes the lattice", "write a lattice a line"),
    ("an edge leads to node {other}, behind the last", "let no step lead further than the last node"),
)

_ESCAPED = re.compile(rb"\\(['\"\\])")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels import plf  # here, for it brings the compiler

    faults, remarks = Faults(source.name), Remarks()
    places = Places()
    n_lattices = 0
    for chunk in source.chunks(cut_of=after_last_line, limit=LONGEST):
        places.leave()
        data = mended(chunk.data, places.line, chunk.last, faults, returns=False)
        places.enter(data)
        found = plf.scan(np.frombuffer(data, dtype=np.uint8), places.line, phrases=options.phrases)
        n_lattices += len(found.line)
        for kind, offset, other in found.faults.tolist():
            line, column = places.of(offset)
            what, hint = FAULTS[kind]
            faults.add(line, what.replace("{}", shown(data, offset)).replace("{other}", str(other)), hint, column)
        if faults.full:
            break
        if faults.found or not len(found.line):
            continue
        starts, lengths, escapes = found.words
        data, words = renamed(data, (starts, lengths), escapes == 1, lambda word: _ESCAPED.sub(rb"\1", word))
        lattices = Lattices(
            text=Text(data),
            line=found.line,
            name=(found.name[0], found.name[1]),
            n_nodes=found.n_nodes,
            n_finals=np.ones(len(found.line), dtype=np.int64),
            edge_offsets=found.edge_offsets,
            from_node=found.from_node,
            to_node=found.to_node,
            word_offsets=found.word_offsets,
            words=words,
            score_offsets=found.score_offsets,
            scores=(found.scores[0], found.scores[1]),
        )
        rows = batch(lattices, source.name, state, options, faults, remarks)
        if rows is not None:
            yield rows
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice; () is an empty one")
    faults.raise_any()
    state.warnings += remarks.told(source.name)


def shown(data: bytes, offset: int) -> str:
    """What stands at a place, for an error message: up to a blank, a comma or a bracket."""
    text = data[offset : offset + 60].split(b"\n")[0]
    token = re.match(rb"[^\s,(){}\[\]]+|.", text, re.DOTALL)
    return f"`{token[0].decode('utf-8', 'replace')}`" if token else "the end of the line"
