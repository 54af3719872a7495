"""Lattices as JSON lines: `{"id": "a", "n_nodes": 2, "edges": [[0, 1, ["the", "cat"], -0.5]]}`, an object a line.

Node 0 is the first, n_nodes - 1 the last, edges lead ahead: [from, to, words, score...]; other keys are passed over.
treesql's own exact form of lattices whose edges stand for phrases. Python's parser of JSON reads the lines, and the
columns of a lattice's edges are checked together: 33 MB take 1.5 CPU seconds. A scanner of bytes of our own took half
of that, and 350 lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from math import isfinite
from operator import ge
from typing import Any

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, JoinedTexts, LineFault, Text, clean_text, floats, offsets_of
from treesql.readers.lattices.lattices import LatticeChunk, LatticeWarnings, after_last_line, lattice_batch
from treesql.readers.source import Source

SUFFIXES = (".jsonl",)
KIND = "lattice"
SCORE_SENSES = ("log_likelihood", "cost")

MAX_NODES, MAX_SCORE = 1 << 31, 1e300
"""Numbers of nodes and scores are below these, so that sums of scores are finite."""

NODES_PER_BYTE = 16
"""Maximum number of nodes for each byte of a line: pruning leaves nodes without edges, and memory is taken for all."""

_FORM = 'write {"n_nodes": N, "edges": [...]} in every line'
_EDGE = 'write [FROM, TO, ["WORD", ...]], with scores after the words if there are any'


EdgeColumns = tuple[list[int], list[int], list[int], list[str], list[int], list[float]]
"""Of edges from_node, to_node, the number of words, the words of all, the number of scores, the scores of all."""


def load_line(content: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a line of JSON. pairs: makes the objects, as for `json.loads`. Raises LineFault."""
    hint = "write an object a line, as `json.dumps` of Python does"
    try:
        return json.loads(content, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise LineFault(f"this is not JSON: {error.msg}", hint, error.colno) from None
    except (ValueError, RecursionError):
        raise LineFault("this is not JSON", hint) from None


def id_of(line: dict[str, Any]) -> str | None:
    """The `id` of a line, None if it has none. Raises LineFault."""
    name = line.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int) or not is_text(str(name))):
        raise LineFault(f"{shown(name)} is not an id", "write a string or a whole number")
    return None if name is None else str(name)


def is_text(text: str) -> bool:
    """Whether a text has neither a NUL nor half a character."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def shown(value: Any) -> str:
    """A value for an error message."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput."""
    faults, remarks, line = Faults(source.name), LatticeWarnings(), 1
    for part in source.chunks(cut_of=after_last_line, limit=options.max_sentence):
        lattices = _Lattices()
        for content in clean_text(part.data, line, part.last, faults, returns=False).splitlines():
            try:
                lattices.add(line, content)
            except LineFault as fault:
                faults.add(line, *fault.args)
            line += 1
        if faults.full:
            break
        if lattices.line and not faults.found:
            rows = lattice_batch(lattices.chunk(), source.name, state, options, faults, remarks)
            if rows is not None:
                yield rows
    if line == 1 and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one lattice")
    faults.raise_any()
    state.warnings += remarks.warnings(source.name)


class _Lattices:
    """The lattices of a chunk."""

    def __init__(self) -> None:
        self.line: list[int] = []
        self._names: list[str] = []
        self._n_nodes: list[int] = []
        self._n_edges: list[int] = []
        self._edges: tuple[list[Any], ...] = ([], [], [], [], [], [])

    def add(self, line: int, content: bytes) -> None:
        """Add the lattice of a line. Raises LineFault."""
        lattice = load_line(content, _distinct_keys) if content.strip() else None
        if not isinstance(lattice, dict):
            what = f"`{shown(lattice)}`" if content.strip() else "the end of the line"
            raise LineFault(f"expected an object, found {what}", _FORM)
        if "edges" not in lattice:
            raise LineFault("a lattice without `edges`", "give them, if only []")
        if "n_nodes" not in lattice:
            what = "give the number of its nodes, the first and the last included"
            raise LineFault("a lattice without `n_nodes`", what)
        n_nodes, edges, most = lattice["n_nodes"], lattice["edges"], NODES_PER_BYTE * len(content)
        if type(n_nodes) is not int or not 0 < n_nodes < MAX_NODES:
            raise LineFault(f"`{shown(n_nodes)}` is not a number of nodes", "write a whole number from 1 on")
        if n_nodes > most:
            what = f"more than {most} nodes, {NODES_PER_BYTE} for each byte of the line"
            raise LineFault(what, "leave out nodes that no edge leads to or from")
        if not isinstance(edges, list):
            raise LineFault(f"`edges` is `{shown(edges)}`, no list", _FORM)
        name = id_of(lattice)
        read: tuple[list[Any], ...] = _read_edges(edges, n_nodes)
        for values, further in zip(self._edges, read, strict=True):
            values += further
        self.line.append(line)
        self._names.append(name or "")
        self._n_nodes.append(n_nodes)
        self._n_edges.append(len(edges))

    def chunk(self) -> LatticeChunk:
        """The lattices as arrays."""
        from_node, to_node, n_words, words, n_scores, scores = self._edges
        texts = JoinedTexts()
        names, forms = texts.add(self._names), texts.add(words)
        return LatticeChunk(
            text=Text(texts.data),
            line=np.array(self.line),
            name=names,
            n_nodes=np.array(self._n_nodes),
            n_finals=np.ones(len(self.line), dtype=np.int64),
            edge_offsets=offsets_of(self._n_edges),
            from_node=np.array(from_node, dtype=np.int64),
            to_node=np.array(to_node, dtype=np.int64),
            word_offsets=offsets_of(n_words),
            words=forms,
            score_offsets=offsets_of(n_scores),
            scores=floats(scores),
        )


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LineFault(f"the key `{twice}` is given twice", "give it once")
    return made


def _read_edges(edges: list[Any], n_nodes: int) -> EdgeColumns:
    """The columns of the edges of a lattice. Raises LineFault, which names the first edge with a fault."""
    try:
        return _columns_of(edges, n_nodes)
    except LineFault:
        for number, edge in enumerate(edges, 1):
            try:
                _columns_of([edge], n_nodes)
            except LineFault as fault:
                what, hint = fault.args
                raise LineFault(f"edge {number} of `edges`, `{shown(edge)}`: {what}", hint) from None
        raise


def _columns_of(edges: list[Any], n_nodes: int) -> EdgeColumns:
    if not _all_of({list}, edges) or min(map(len, edges), default=3) < 3:
        raise LineFault("not a complete edge", _EDGE)
    from_node, to_node, words = ([edge[at] for edge in edges] for at in range(3))
    if not _all_of({int}, from_node) or not _all_of({int}, to_node) or min(from_node, default=0) < 0:
        raise LineFault("not the numbers of two nodes", "number nodes 0, 1, 2, ...")
    if any(map(ge, from_node, to_node)):
        hint = "number nodes so that all edges lead from a lower to a higher number"
        raise LineFault("it leads back, or to its own node", hint)
    if max(to_node, default=0) >= n_nodes:
        what = f"it leads to node {max(to_node)}, which does not exist"
        raise LineFault(what, "let n_nodes count the first and the last node")
    if not _all_of({list}, words) or not _all_of({str}, forms := [*chain.from_iterable(words)]):
        raise LineFault("its words are no list of texts", 'write a list of strings, such as ["the", "cat"] or []')
    if not all(forms):
        raise LineFault("an empty word", "leave it out; [] is an edge without words")
    if not is_text("".join(forms)):
        raise LineFault("a word with a NUL or half a character in it", "take it out")
    scores = [score for edge in edges for score in edge[3:]]
    is_small = _all_of({int, float}, scores) and max(map(abs, scores), default=0) < MAX_SCORE
    if not is_small or not all(map(isfinite, scores)):  # NaN is not always the maximum
        raise LineFault(f"a score that is not a number below {MAX_SCORE:g}", "write scores as 0.25 or 1e-3")
    return from_node, to_node, [*map(len, words)], forms, [len(edge) - 3 for edge in edges], scores


def _all_of(kinds: set[type], values: Iterable[Any]) -> bool:
    """Whether values are of some types; truth values are not numbers."""
    return set(map(type, values)) <= kinds
