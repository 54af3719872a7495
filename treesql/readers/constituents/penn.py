"""Penn brackets: `(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat))))`, a tree a line or over several.

Sources: Bies et al. 1995, Bracketing Guidelines for Treebank II Style; EVALB (Sekine & Collins) for trees left open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.constituents.phrases import TreeChunk, tree_batch
from treesql.readers.fields import Faults, FilePosition, Text, clean_text, refuse_long
from treesql.readers.source import Source

if TYPE_CHECKING:
    from treesql.kernels.scanning.brackets import BracketScan

SUFFIXES = (".mrg", ".psd", ".penn", ".ptb", ".bracket")
KIND = "constituency"

_TOKEN = re.compile(rb"[^ \t\n()]*")

# By kind of fault, in the order of treesql.kernels.scanning.brackets: what is wrong (`{}` is the token there, `{line}`
# the line of the next tree) and what to do.
FAULTS = (
    ("`)` closes no bracket", "remove it, or open its bracket"),
    ("{} is outside of all brackets", "write trees alone, such as (S (NP (NN water)) (VP (VBZ flows)))"),
    ("{} is next to a bracket but has no bracket itself", "write every word as (TAG word)"),
    ("{} is a second word in one bracket", "write every word as (TAG word)"),
    ("a bracket without a label", "label it; only the outermost may go without one"),
    ("{} holds no word and no phrase", "remove it, or write its word; () or (()) is a sentence without a tree"),
    ("an empty bracket in a tree", "remove it; () or (()) is a sentence without a tree"),
    (
        "this tree is not closed before the next begins, in line {line}",
        "close its brackets, or indent the lines of a tree that takes several",
    ),
    ("this tree is not closed at the end of the file", "close its brackets; the file may be cut off"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The trees of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels.scanning import brackets  # here, as few commands need it

    faults = Faults(source.name)
    position, lines = FilePosition(), BlankLines()
    style, n_trees, depth = brackets.UNKNOWN, 0, 0

    def cut(block: bytes) -> int:
        nonlocal depth
        place, depth = brackets.find_split(np.frombuffer(block, dtype=np.uint8), depth)
        return place

    for chunk in source.chunks(cut_of=cut, limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults, returns=False)
        position.begin_chunk(data)
        text = Text(data)
        scan = brackets.scan(text.raw, position.line, style)
        if style == brackets.UNKNOWN and chunk.last and brackets.CUT_OFF in scan.faults[:, 0]:
            scan = brackets.scan(text.raw, position.line, brackets.INDENTED)
        style = scan.style
        n_trees += len(scan.line)
        _add_faults(scan, position, text, faults)
        refuse_long(np.diff(scan.leaf_offsets), scan.line, options.max_sentence, faults)
        if faults.full:
            break
        lines.add(scan.line, scan.last_line)
        if not faults.found and len(scan.line):
            yield tree_batch(_trees(scan, text), source.name, state, options)
    if not n_trees and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one tree")
    warning = lines.warning(source.name)
    if warning and options.strict and not faults.found:
        faults.add(warning.line, warning.what, "remove them, or write (()) for a sentence without a tree")
    faults.raise_any()
    state.warnings += [warning] if warning else []


def _trees(scan: BracketScan, text: Text) -> TreeChunk:
    return TreeChunk(
        text=text,
        line=scan.line,
        leaf_offsets=scan.leaf_offsets,
        node_offsets=scan.node_offsets,
        form=(scan.form_start, scan.form_length),
        tag=(scan.tag_start, scan.tag_length),
        phrase=scan.phrase,
        leaf_line=scan.leaf_line,
        label=(scan.label_start, scan.label_length),
        rest=(scan.label_start + scan.label_length, scan.rest_length),
        parent=scan.parent,
        first=scan.first,
        last=scan.last,
        depth=scan.depth,
    )


def _add_faults(scan: BracketScan, position: FilePosition, text: Text, faults: Faults) -> None:
    """Add the faults of a chunk; of faults outside of trees only the first in a line."""
    from treesql.kernels.scanning.brackets import TEXT_OUTSIDE

    last_line = faults.found[-1].line if faults.found else 0
    for kind, offset, other in scan.faults.tolist():
        line, column = position.line_and_column(offset)
        if kind <= TEXT_OUTSIDE and line == last_line:
            continue
        what, hint = FAULTS[kind]
        what = what.replace("{line}", str(position.line_and_column(other)[0]))
        if "{}" in what:
            what = what.replace("{}", _token(text, offset))
        faults.add(line, what, hint, column)
        last_line = line


def _token(text: Text, offset: int) -> str:
    """The text up to a blank or a bracket; other white space, such as a form feed, is part of it."""
    token = _TOKEN.match(text.data, offset, offset + 1000)
    start, lengths = np.array([offset]), np.array([len(token[0]) if token else 0])
    return text.quote((start, lengths), 0)


class BlankLines:
    """Blank lines among trees that are one a line, which EVALB reads as sentences without a tree."""

    def __init__(self) -> None:
        self._last = 0
        self._one_a_line, self._adjacent = True, False
        self._blank: list[int] = []
        self._n_blank = 0

    def add(self, first: Ints, last: Ints) -> None:
        """Add trees by their first and last lines."""
        if not len(first):
            return
        before = np.concatenate([[self._last], last[:-1]])
        gaps = first - before
        self._one_a_line &= bool((first == last).all() and (gaps > 0).all())
        self._adjacent |= bool((gaps[before > 0] == 1).any())
        self._n_blank += int(np.maximum(gaps - 1, 0).sum())
        for tree in np.flatnonzero(gaps > 1)[:MAX_NAMED].tolist():
            self._blank += range(int(before[tree]) + 1, int(first[tree]))
        del self._blank[MAX_NAMED:]
        self._last = int(last[-1])

    def warning(self, path: str) -> Diagnostic | None:
        """The warning, None where no such line is blank."""
        if not (self._one_a_line and self._adjacent and self._blank):
            return None
        noun = "line" if self._n_blank == 1 else "lines"
        named = ", ".join(map(str, self._blank)) + (", ..." if self._n_blank > MAX_NAMED else "")
        what = f"{self._n_blank} blank {noun} between trees with one line each: {named}"
        return Diagnostic.warning(
            path, self._blank[0], what, "they are not sentences; write (()) for one without a tree"
        )
