"""Lattices as JSON lines: `{"id": "a", "n_nodes": 2, "edges": [[0, 1, ["the", "cat"], -0.5]]}`, an object a line.

Node 0 is the first, n_nodes - 1 the last, edges lead ahead: [from, to, words, score...]; other keys are passed over.
treesql's own exact form of lattices whose edges stand for phrases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Text
from treesql.readers.lattices import Lattices, Remarks, after_last_line, batch, renamed
from treesql.readers.mending import mended
from treesql.readers.places import Places
from treesql.readers.plf import shown
from treesql.readers.source import LONGEST, Source

SUFFIXES = (".jsonl",)
KIND = "lattice"

_EDGE = 'write [FROM, TO, ["WORD", ...]], and scores behind if there are any'

# By kind of fault, in the order of treesql.kernels.lattice_json.
FAULTS = (
    ("{} is not JSON here", "write an object a line, as `json.dumps` of Python does"),
    ("{} stands where an object should", 'write {"n_nodes": N, "edges": [...]} in every line'),
    ("a lattice without `edges`", "give them, if only []"),
    ("a lattice without `n_nodes`", "give the number of its nodes, the first and the last included"),
    ("{} is no number of nodes", "write a whole number from 1 on"),
    ("{} stands where an edge should be complete", _EDGE),
    ("{} is no number of a node", "number nodes 0, 1, 2, ..."),
    ("{} stands where the words of an edge should", 'write a list of strings, such as ["the", "cat"] or []'),
    ("an empty word", "leave it out; [] is an edge without words"),
    ("{} is no finite number", "write scores as 0.25 or 1e-3"),
    ("an edge leads back, or to its own node", "number nodes so that all edges lead from a lower to a higher number"),
    ("an edge leads to node {other}, which is not there", "let n_nodes count the first and the last node"),
    ("a key that stands twice", "give it once"),
    ("{} is no id", "write a string or a whole number"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels import lattice_json  # here, for it brings the compiler

    faults, remarks = Faults(source.name), Remarks()
    places = Places()
    n_lattices = 0
    for chunk in source.chunks(cut_of=after_last_line, limit=LONGEST):
        places.leave()
        data = mended(chunk.data, places.line, chunk.last, faults, returns=False)
        places.enter(data)
        found = lattice_json.scan(np.frombuffer(data, dtype=np.uint8), places.line)
        n_lattices += len(found.line)
        for kind, offset, other in found.faults.tolist():
            line, column = places.of(offset)
            what, hint = FAULTS[kind]
            faults.add(line, what.replace("{}", shown(data, offset)).replace("{other}", str(other)), hint, column)
        if faults.full:
            break
        if faults.found or not len(found.line):
            continue
        data, words = renamed(data, (found.words[0], found.words[1]), found.words[2] == 1, _decoded)
        data, name = renamed(data, (found.name[0], found.name[1]), found.name[2] == 1, _decoded)
        lattices = Lattices(
            text=Text(data),
            line=found.line,
            name=name,
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
        faults.add(0, "the file is empty", "give a file with at least one lattice")
    faults.raise_any()
    state.warnings += remarks.told(source.name)


def _decoded(text: bytes) -> bytes:
    """A string with its escapes resolved; half of a surrogate pair becomes a question mark."""
    decoded: str = json.loads(b'"' + text + b'"')
    return decoded.encode("utf-8", "replace")
