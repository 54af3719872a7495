"""Python Lattice Format: `((('the',0.5,1),('a',0.1,1),),(('cat',1,1),),)`, a lattice a line; `()` is an empty one.

Sources: Moses manual, Word Lattices; cdec, test inputs (dictionaries of scores).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from treesql.readers import Batch, Options, State
from treesql.readers.lattices import read_lines
from treesql.readers.source import Source

SUFFIXES = (".plf",)
KIND = "lattice"
SCORE_SENSES = ("log_likelihood", "cost")

# By kind of fault, in the order of treesql.kernels.plf: what is wrong (`{}` is the text there, `{other}` a node) and
# what to do.
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
    from treesql.kernels import plf  # here, as few commands need it

    empty = "give a file with at least one lattice; () is an empty one"
    scan = partial(plf.scan, phrases=options.phrases)
    yield from read_lines(source, state, options, scan, FAULTS, _plain, empty)


def _plain(word: bytes) -> bytes:
    return _ESCAPED.sub(rb"\1", word)
