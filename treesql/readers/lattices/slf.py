"""HTK's standard lattice format: `N=3 L=2`, nodes `I=0 W=the`, links `J=0 S=0 E=1 W=cat a=-1.5 l=-2.5`; one a file.

A word stands on a link or on the node that it ends in; !NULL, !ENTER and !EXIT are none. Paths begin at `start=` and
end at `end=` of the header, else where no link leads to and where none leads from. Scores are stored as natural
logarithms: those to another `base=` are converted, and a link without a score that others have costs nothing. Source:
Young et al., The HTK Book, HTK standard lattice format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.scanning import text as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text, clean_text
from treesql.readers.lattices.graphs import ZERO, Graphs, check_finite, fill_scores, graph_batch, parse_states
from treesql.readers.lattices.lattices import LatticeWarnings, replace_fields
from treesql.readers.source import Source

SUFFIXES = (".slf",)
KIND = "lattice"
SCORE_SENSES = ("log_likelihood",)

_SHORT = {"VERSION": "V", "UTTERANCE": "U", "NODES": "N", "LINKS": "L", "START": "S", "END": "E", "WORD": "W"}
_SHORT |= {"SUBS": "L", "acoustic": "a", "language": "l"}
_NO_WORDS = (b"!NULL", b"!ENTER", b"!EXIT")
_NUMBERED = "number nodes and links 0, 1, 2, ..., each once"
_NONE = -1

_SCORES = ("a", "l")
_OTHER_SCORES = re.compile(r"[rpn]|x[0-9]")
"""Scores of links that are not read: of pronunciations, posteriors, n-grams, and further ones of SRILM."""

_WITHOUT_EFFECT = re.compile(
    r"[VUNL]|SUBLAT|start|end|base|lmname|vocab|hmms|feats|dir=f|\w*scale=1(\.0*)?|\w*penalty=[+-]?0?\.?0*"
)
"""Fields of the header, some with values, that are read, or without effect on words and scores."""

_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)
_NO_OCTAL = re.compile(rb"\\[0-7]")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattice of a file. Raises InvalidInput."""
    faults, warnings = Faults(source.name), LatticeWarnings()
    for chunk in source.chunks(cut_of=lambda block: 0, limit=options.max_sentence):
        data = clean_text(chunk.data, 1, True, faults, returns=False)
        graph = _graph(data, state, options, faults, warnings)
        if graph is not None:
            rows = graph_batch(*graph, source.name, state, options, faults, warnings)
            if rows is not None:
                yield rows
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


class _Lines:
    """The fields of a file by line and key. A line is of a node (first key I), of a link (J) or of the header."""

    def __init__(self, data: bytes) -> None:
        from treesql.kernels.scanning.slf import find_fields  # here, as few commands need it

        self.text = Text(data)
        fields, offsets = find_fields(self.text.raw)
        self.line, self.place, self.key_length, self.start, self.length, self.escapes = fields
        encoded = self.text.strings((self.place, self.key_length)).cast(pa.large_binary()).dictionary_encode()
        keys = [key.decode("utf-8", "replace") for key in encoded.dictionary.to_pylist()]
        names = [_SHORT.get(key, key) for key in keys]
        self._key = np.frombuffer(encoded.indices.buffers()[1], dtype=np.int32, count=len(self.line))
        self._numbers: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            self._numbers.setdefault(name, []).append(at)
        filled = np.flatnonzero(np.diff(offsets))
        self.first = offsets[filled]
        self.nodes, self.links = filled[self._is("I")[self.first]], filled[self._is("J")[self.first]]
        self.header = np.setdiff1d(filled, np.concatenate([self.nodes, self.links]))

    def _is(self, key: str) -> Flags:
        """Which fields have a key."""
        return np.isin(self._key, self._numbers.get(key, []))

    def field_numbers(self, key: str, lines: Ints) -> Ints:
        """For each of some lines the number of its field of a key, -1 where there is none."""
        fields = np.flatnonzero(self._is(key))[::-1]  # of several in a line the first stays
        by_line = np.full(int(self.line[-1]) + 1, _NONE, dtype=np.int64)
        by_line[self.line[fields]] = fields
        numbers: Ints = by_line[lines]
        return numbers

    def declared(self, key: str) -> Ints:
        """The fields of the header of a key."""
        return np.flatnonzero(self._is(key) & np.isin(self.line, self.header))

    def values(self, fields: Ints) -> Field:
        """Where values stand."""
        return self.start[fields], self.length[fields]

    def value(self, field: int) -> str:
        """A value as it is written."""
        start, length = int(self.start[field]), int(self.length[field])
        return self.text.data[start : start + length].decode("utf-8", "replace")

    def keys(self, lines: Ints) -> list[str]:
        """The keys of some lines, each once."""
        used = set(self._key[np.isin(self.line, lines)].tolist())
        return [name for name, numbers in self._numbers.items() if not used.isdisjoint(numbers)]


class _Nodes(NamedTuple):
    """The numbers of the nodes, in the order of their lines, and those at both ends of every link."""

    number: Ints
    from_node: Ints
    to_node: Ints


def _graph(
    data: bytes, state: State, options: Options, faults: Faults, warnings: LatticeWarnings
) -> tuple[Graphs, bytes, Field] | None:
    """The lattice, the text that its words stand in, and its name; None where there are faults."""
    lines = _Lines(data)
    if not len(lines.first):
        faults.add(0, "the file is empty", "give a file with a lattice")
        return None
    _check_lines(lines, faults)
    nodes = None if faults.found else _find_nodes(lines, faults)
    if nodes is None:
        return None
    first_node, final_node = _ends_of_paths(lines, nodes, faults)
    data, words, is_word = _words(lines, data, nodes, faults)
    data, name = _name(lines, data, faults)
    data, n_scores, scores = _scores(lines, data, faults)
    if faults.found:
        return None
    if options.wants("lattice_edges", "scores"):
        _warn_of_ignored_fields(lines, faults.path, state, warnings)
    nothing = np.zeros(0, dtype=np.int64)
    graphs = Graphs(
        line=np.array([lines.line[lines.first[0]] + 1], dtype=np.int64),
        first_node=first_node,
        edge_line=lines.links + 1,
        lattice=np.zeros(len(lines.links), dtype=np.int64),
        from_node=nodes.from_node,
        to_node=nodes.to_node,
        n_words=is_word.astype(np.int64),
        words=(words[0][is_word], words[1][is_word]),
        n_scores=n_scores,
        scores=scores,
        final_lattice=np.zeros(len(final_node), dtype=np.int64),
        final_node=final_node,
        n_final_scores=np.zeros(len(final_node), dtype=np.int64),
        final_scores=(nothing, nothing),
        nodes=(np.zeros(len(nodes.number), dtype=np.int64), nodes.number),
    )
    return graphs, data, name


def _find_nodes(lines: _Lines, faults: Faults) -> _Nodes | None:
    """The nodes; None where some are not as the header says, repeated, or missing."""
    node = parse_states(
        lines.text, lines.values(lines.field_numbers("I", lines.nodes)), lines.nodes + 1, faults, _NUMBERED
    )
    ends = [_end(lines, key, faults) for key in ("S", "E")]
    _check_count(lines, "N", "nodes", len(lines.nodes), faults)
    _check_count(lines, "L", "links", len(lines.links), faults)
    if faults.found:
        return None
    _, first_of, times = np.unique(node, return_index=True, return_counts=True)
    again = np.setdiff1d(np.arange(len(node)), first_of) if (times > 1).any() else node[:0]
    faults.each(lines.nodes[again] + 1, lambda at: f"node {node[again[at]]} is given twice", _NUMBERED)
    for end in ends:
        missing = np.flatnonzero(~np.isin(end, node))
        for line, name in zip((lines.links[missing] + 1).tolist(), end[missing].tolist(), strict=True):
            faults.add(line, f"node {name} does not exist", "give every node a line I=")
    return None if faults.found else _Nodes(node, *ends)


def _ends_of_paths(lines: _Lines, nodes: _Nodes, faults: Faults) -> tuple[Ints, Ints]:
    """The node where paths begin, and those where they end; several of the former are a fault."""
    first = _terminal(lines, "start", np.setdiff1d(nodes.number, nodes.to_node), nodes.number, faults)
    final = _terminal(lines, "end", np.setdiff1d(nodes.number, nodes.from_node), nodes.number, faults)
    if len(first) > 1:
        shown = ", ".join(map(str, first[:5].tolist())) + (", ..." if len(first) > 5 else "")
        what = f"no link leads to nodes {shown}: paths could begin at any of them"
        faults.add(int(lines.nodes[0]) + 1, what, "say in the header where they begin: start=N")
    # Where a link leads to, or from, every node, there is a cycle, which is found when the nodes are put in order.
    return first if len(first) else nodes.number[:1], final if len(final) else nodes.number[-1:]


def _name(lines: _Lines, data: bytes, faults: Faults) -> tuple[bytes, Field]:
    """The name of the lattice, a field of length 0 where it has none, and the text that it stands in."""
    names = lines.declared("U")[:1]
    if not len(names):
        nothing = np.zeros(1, dtype=np.int64)
        return data, (nothing, nothing)
    return _without_escapes(lines, data, names, faults)


def _check_lines(lines: _Lines, faults: Faults) -> None:
    """Note what is no field, and what this reader does not know: sub-lattices and a second lattice."""
    bare = np.flatnonzero(lines.key_length == 0)
    for at in bare.tolist():
        start = int(lines.place[at])
        shown = re.split(rb"[ \t\n]", lines.text.data[start : start + 60], maxsplit=1)[0].decode("utf-8", "replace")
        faults.add(int(lines.line[at]) + 1, f"`{shown}` is not KEY=VALUE", "write KEY=VALUE; comments begin with #")
    behind = lines.header[lines.header > np.append(lines.links, lines.line[-1])[0]] + 1
    faults.each(behind, lambda at: "a header after links", "give every lattice a file of its own")
    subs = lines.nodes[lines.field_numbers("L", lines.nodes) != _NONE] + 1
    faults.each(subs, lambda at: "a node that stands for another lattice", "expand sub-lattices first")
    if not len(lines.nodes) and not faults.found:
        faults.add(int(lines.line[0]) + 1, "a lattice without nodes", "give every node a line I=")


def _end(lines: _Lines, key: str, faults: Faults) -> Ints:
    """The node at one end of every link."""
    fields = lines.field_numbers(key, lines.links)
    lacking = fields == _NONE
    faults.each(lines.links[lacking] + 1, lambda at: f"a link without {key}=", "write J=, S= and E= for every link")
    return parse_states(lines.text, lines.values(fields[~lacking]), lines.links[~lacking] + 1, faults, _NUMBERED)


def _check_count(lines: _Lines, key: str, noun: str, count: int, faults: Faults) -> None:
    """Note a header that promises another number of nodes or links."""
    for at in lines.declared(key).tolist():
        value = lines.text.quote(lines.values(np.array([at])), 0)
        if value != f"`{count}`":
            what = f"the header says {key}={value.strip('`')}, and {count} {noun} are there"
            faults.add(int(lines.line[at]) + 1, what, "check whether the file is cut off")


def _terminal(lines: _Lines, key: str, without: Ints, node: Ints, faults: Faults) -> Ints:
    """Where paths begin or end: the node that the header declares, else those that no link leads to or from."""
    fields = lines.declared(key)
    if not len(fields):
        return without
    values = np.unique(parse_states(lines.text, lines.values(fields), lines.line[fields] + 1, faults, _NUMBERED))
    line = int(lines.line[fields[-1]]) + 1
    if len(values) > 1:
        faults.add(line, f"several nodes are declared: {key}={values[0]} and {key}={values[1]}", "declare one")
    elif not np.isin(values, node).all():
        faults.add(line, f"node {values[0]} does not exist", "give every node a line I=")
    return values[:1]


def _words(lines: _Lines, data: bytes, nodes: _Nodes, faults: Faults) -> tuple[bytes, Field, Flags]:
    """The words of the links, and which have one."""
    fields = lines.field_numbers("W", lines.links)
    order = np.argsort(nodes.number)
    places = np.searchsorted(nodes.number, nodes.to_node, sorter=order)
    at_end = lines.field_numbers("W", lines.nodes)[order[places]]
    fields = np.where(fields == _NONE, at_end, fields)
    lacking = fields == _NONE
    hint = "give W= on every link, or on every node; !NULL is not a word"
    faults.each(lines.links[lacking] + 1, lambda at: "no word on this link nor on the node that it leads to", hint)
    if faults.found:
        return data, (fields, fields), lacking
    words = lines.values(fields)
    windows = lines.text.windows
    empty = words[1] == 0
    for name in _NO_WORDS:
        empty |= (words[1] == len(name)) & kernel.starts_with(windows, name, *words)
    data, words = _without_escapes(lines, data, fields, faults)
    return data, words, ~empty


def _without_escapes(lines: _Lines, data: bytes, fields: Ints, faults: Faults) -> tuple[bytes, Field]:
    """The values of fields with the signs that their escapes stand for: `\\'` is a sign, `\\304` an octal byte."""
    escaped = lines.escapes[fields] == 1
    wrong: dict[bytes, str] = {}

    def resolve(value: bytes) -> bytes:
        resolved = _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]) if len(match[1]) == 3 else match[1], value)
        try:
            resolved.decode()
        except UnicodeDecodeError:
            wrong[value] = "has escapes that are not UTF-8"
        if b"\0" in resolved:
            wrong[value] = "has a NUL byte"
        if any(len(match[1]) == 1 and _NO_OCTAL.fullmatch(match[0]) for match in _ESCAPE.finditer(value)):
            wrong[value] = "has an escape without three octal digits"
        return resolved

    starts, lengths = lines.values(fields)
    resolved = replace_fields(data, (starts, lengths), escaped, resolve)
    for at in np.flatnonzero(escaped).tolist() if wrong else ():
        what = wrong.get(data[int(starts[at]) : int(starts[at] + lengths[at])])
        if what is not None:
            hint = "write the bytes of UTF-8 as \\303\\204, and a backslash as \\\\"
            faults.add(int(lines.line[fields[at]]) + 1, f"{lines.text.quote((starts, lengths), at)} {what}", hint)
    return resolved


def _scores(lines: _Lines, data: bytes, faults: Faults) -> tuple[bytes, Ints, Field]:
    """The acoustic and language scores of every link as natural logarithms, and the text that they stand in.

    Of the two, every link has those that any link has; one that it lacks is 0.
    """
    columns = [fields for key in _SCORES if ((fields := lines.field_numbers(key, lines.links)) != _NONE).any()]
    fields = np.column_stack(columns) if columns else np.zeros((len(lines.links), 0), dtype=np.int64)
    given = fields != _NONE
    flat = fields[given]
    places = lines.values(flat)
    check_finite(lines.text, places, lines.line[flat] + 1, faults, "score", "write scores as -1432.27 or 1e-3")
    base = _base(lines, faults)
    if faults.found:
        return data, given.sum(axis=1), places
    if base != math.e:
        data, places = _as_natural_logarithms(lines, data, flat, base, faults)
    n_scores, places = fill_scores(given.ravel().astype(np.int64), places, 1, len(data))
    return data + ZERO, n_scores.reshape(given.shape).sum(axis=1), places


def _base(lines: _Lines, faults: Faults) -> float:
    """The base of the logarithms that scores are, e if the header has none or 1, 0 for plain probabilities."""
    fields = lines.declared("base").tolist()
    values = {lines.value(at) for at in fields}
    try:
        bases = {float(value) for value in values}
    except ValueError:
        bases = {-1.0}
    [base] = bases if len(bases) == 1 else [-1.0 if bases else math.e]
    if not 0 <= base < math.inf:
        shown = " and ".join(f"base={value}" for value in sorted(values))
        hint = "give one number: 10, 2, ...; 0 for probabilities; without it scores are natural logarithms"
        faults.add(int(lines.line[fields[-1]]) + 1, f"the header says {shown}", hint)
    return math.e if base == 1 else base


def _as_natural_logarithms(
    lines: _Lines, data: bytes, fields: Ints, base: float, faults: Faults
) -> tuple[bytes, Field]:
    """Scores that are logarithms to a base, or probabilities (0), as natural logarithms behind the text."""
    given = lines.text.strings(lines.values(fields)).cast(pa.float64()).to_numpy(zero_copy_only=False)
    if base > 0:
        return _append_numbers(data, given * math.log(base))
    wrong = np.flatnonzero(given <= 0)
    faults.each(
        lines.line[fields[wrong]] + 1,
        lambda at: f"{lines.value(int(fields[wrong[at]]))} is no probability that a path can have",
        "base=0 says that scores are probabilities, above 0; remove links that no path takes",
    )
    return _append_numbers(data, np.log(np.where(given > 0, given, 1.0)))


def _append_numbers(data: bytes, values: Floats) -> tuple[bytes, Field]:
    """Numbers as text behind some text, in as many digits as they need."""
    texts = pa.array(values).cast(pa.large_string())
    _, offsets, digits = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64, count=len(texts) + 1)
    return data + (digits.to_pybytes() if digits else b"")[: int(ends[-1])], (len(data) + ends[:-1], np.diff(ends))


def _warn_of_ignored_fields(lines: _Lines, path: str, state: State, warnings: LatticeWarnings) -> None:
    """Warn of fields of the header that are not applied, and of scores of links that are not read; once in a corpus."""
    known = {warning.what for warning in state.warnings}

    def warn(field: int, what: str, hint: str) -> None:
        if what not in known:
            warnings.note(Diagnostic.warning(path, int(lines.line[field]) + 1, what, hint))

    for name in lines.keys(lines.header):
        field = int(lines.declared(name)[-1])
        value = lines.value(field)
        if not (_WITHOUT_EFFECT.fullmatch(name) or _WITHOUT_EFFECT.fullmatch(f"{name}={value}")):
            hint = "--edge-weights weighs acoustic and language scores; nothing else is applied"
            warn(field, f"{name}={value} of the header is not applied", hint)
    for name in lines.keys(lines.links):
        if _OTHER_SCORES.fullmatch(name):
            field = int(np.flatnonzero(lines.field_numbers(name, lines.links) != _NONE)[0])
            warn(
                int(lines.field_numbers(name, lines.links)[field]),
                f"the scores {name}= of links are not read",
                "scores are a=, l=",
            )
