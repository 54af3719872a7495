"""Lattices as JSON lines: `{"id": "a", "n_nodes": 2, "edges": [[0, 1, ["the", "cat"], -0.5]]}`, an object a line.

Node 0 is the first, n_nodes - 1 the last, edges lead ahead: [from, to, words, score...]; other keys are passed over.
treesql's own exact form of lattices whose edges stand for phrases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from treesql.readers import Batch, Options, State
from treesql.readers.lattices import read_lines
from treesql.readers.source import Source

SUFFIXES = (".jsonl",)
KIND = "lattice"
SCORE_SENSES = ("log_likelihood", "cost")

_EDGE = 'write [FROM, TO, ["WORD", ...]], with scores after the words if there are any'

# By kind of fault, in the order of treesql.kernels.lattice_json.
FAULTS = (
    ("{} is not JSON here", "write an object a line, as `json.dumps` of Python does"),
    ("expected an object, found {}", 'write {"n_nodes": N, "edges": [...]} in every line'),
    ("a lattice without `edges`", "give them, if only []"),
    ("a lattice without `n_nodes`", "give the number of its nodes, the first and the last included"),
    ("{} is not a number of nodes", "write a whole number from 1 on"),
    ("expected a complete edge, found {}", _EDGE),
    ("{} is not a node number", "number nodes 0, 1, 2, ..."),
    ("expected the words of an edge, found {}", 'write a list of strings, such as ["the", "cat"] or []'),
    ("an empty word", "leave it out; [] is an edge without words"),
    ("{} is not a finite number", "write scores as 0.25 or 1e-3"),
    ("an edge leads back, or to its own node", "number nodes so that all edges lead from a lower to a higher number"),
    ("an edge leads to node {other}, which does not exist", "let n_nodes count the first and the last node"),
    ("a key that is given twice", "give it once"),
    ("{} is not an id", "write a string or a whole number"),
    ("more than {other} nodes, 16 for each byte of the line", "leave out nodes that no edge leads to or from"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels import lattice_json  # here, as few commands need it

    empty = "give a file with at least one lattice"
    yield from read_lines(source, state, options, lattice_json.scan, FAULTS, _decoded, empty)


def _decoded(text: bytes) -> bytes:
    """A string with its escapes resolved."""
    decoded: str = json.loads(b'"' + text + b'"')
    return decoded.encode()
