"""Elements of whole sentences of TIGER-XML without a call for each: what stands between values repeats.

A block is cut at its quotation marks into values and what stands between them: a name, or tags and a name. Of these
pieces a file has a few dozen, each of which is read once. Only XML that has nothing but elements and values in double
quotes is read like this; everything else, and every fault, is left to expat.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.readers.fields import Field
from treesql.readers.tiger_elements import CONTAINERS

SENTENCE, GRAPH, WORD, PHRASE, EDGE, WORD_SECONDARY, PHRASE_SECONDARY, OUTSIDE = range(8)
"""Kinds of elements; secondary edges by the element that has them; outside of sentences."""

MAX_PIECES = 1_000
"""Maximum number of different pieces of a block, of which a file that a program wrote has a few dozen."""

_KINDS = {b"s": SENTENCE, b"graph": GRAPH, b"t": WORD, b"nt": PHRASE, b"edge": EDGE, b"secedge": WORD_SECONDARY}
_GRAPH = ("body", "s", "graph")
_PATHS = {
    OUTSIDE: ("body",), SENTENCE: ("body", "s"), GRAPH: _GRAPH, WORD: (*_GRAPH, "terminals", "t"),
    PHRASE: (*_GRAPH, "nonterminals", "nt"), EDGE: (*_GRAPH, "nonterminals", "nt", "edge"),
    WORD_SECONDARY: (*_GRAPH, "terminals", "t", "secedge"),
    PHRASE_SECONDARY: (*_GRAPH, "nonterminals", "nt", "secedge"),
}  # fmt: skip
"""The elements around and with each kind."""

_BARE = frozenset({"graph", "terminals", "nonterminals"})
"""Elements that may have no attributes."""

_BLANK = rb"[ \t\n]"
_NAME = rb"([A-Za-z_][A-Za-z0-9_.:-]*)"
_ATTRIBUTE = re.compile(_BLANK + rb"+" + _NAME + _BLANK + rb"*=" + _BLANK + rb"*")
_TAGS = re.compile(
    rb"(?:%(b)s*(/?>))?((?:%(b)s*<(?:/[a-z]+%(b)s*|[a-z]+%(b)s*/?)>)*)%(b)s*(?:<([a-z]+)%(b)s+%(n)s%(b)s*=%(b)s*)?"
    % {b"b": _BLANK, b"n": _NAME}
)
_TAG = re.compile(rb"<(/?)([a-z]+)[ \t\n]*(/?)>")
_CONTROLS = bytes(range(ord(" ")))
_ENTITY = re.compile(rb"&([a-z]*);|&")
_ENTITIES = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"quot": b'"', b"apos": b"'"}


class _Piece(NamedTuple):
    """What stands in front of a value: the name of its attribute, and the tags before it where it begins an element.

    kind: of the element that begins, -1 for none; ends: `>` or `/>` where a tag ends; sign: the place of its `<`.
    """

    name: bytes
    kind: int = -1
    ends: bytes = b""
    tags: Sequence[tuple[bytes, bytes, bytes]] = ()
    sign: int = 0


@dataclass(frozen=True)
class Elements:
    """The elements of a block in its order.

    data: the block, and behind it the values that had entities. kind, sentence (from 0), line (from 0), owner (the word
    or phrase that is open or was the last, -1 for none), first_value: of every element. columns: by kind and name of an
    attribute, the number of the value of every element of this kind, -1 for none. names: of the attribute of every
    value. escaped: the values that had entities. blanks: whether a value has a blank; none has a line break or a tab.
    """

    data: bytes
    values: Field
    kind: Ints
    sentence: Ints
    line: Ints
    owner: Ints
    first_value: Ints
    columns: Mapping[tuple[int, str], Ints]
    names: Sequence[str]
    name: Ints
    escaped: Ints
    blanks: bool

    def text(self, value: int) -> str:
        """A value."""
        start, length = int(self.values[0][value]), int(self.values[1][value])
        return self.data[start : start + length].decode()


def scan(data: bytes) -> Elements | None:
    """The elements of a block that begins between two sentences and ends behind one; None if it is not so plain."""
    from treesql.kernels import keys  # here, as few commands need it

    raw = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(raw == ord('"'))
    if not len(quotes) or len(quotes) % 2 or not _is_text(data):
        return None
    starts, ends = quotes[::2] + 1, quotes[1::2]
    begins = np.concatenate([[0], ends + 1])
    number, firsts = keys.number_keys(keys.hash_pieces(raw, begins, np.concatenate([starts - 1, [len(data)]]) - begins))
    if len(firsts) > MAX_PIECES:
        return None
    stops = np.concatenate([starts - 1, [len(data)]])
    texts = [data[begins[at] : stops[at]] for at in firsts.tolist()]
    pieces = [_read_piece(text) for text in texts]
    counts = np.bincount(number)
    if data.count(b"<") > _n_outside(texts, counts, b"<") or np.count_nonzero(raw < ord(" ")) > _n_outside(
        texts, counts, _CONTROLS
    ):
        return None
    known = [piece for piece in pieces if piece is not None]
    if len(known) < len(pieces):
        return None
    kinds = np.array([piece.kind for piece in known])[number]
    opening = np.flatnonzero(kinds >= 0)
    named = np.array([bool(piece.name) for piece in known])[number]
    if not len(opening) or opening[0] or named[-1] or not named[:-1].all():
        return None
    kind, owner = _with_owners(kinds[opening])
    if not _follow(known, np.concatenate([number[opening], number[-1:]]), kind):
        return None
    signs = begins[opening] + np.array([piece.sign for piece in known])[number[opening]]
    element = np.cumsum(kinds[:-1] >= 0) - 1
    names = sorted({piece.name for piece in known})
    name = np.array([names.index(piece.name) for piece in known])[number[:-1]]
    columns = _columns(kind, element, name, [each.decode() for each in names])
    decoded = _decoded(data, starts, ends - starts)
    if columns is None or decoded is None:
        return None
    line = np.searchsorted(np.flatnonzero(raw == ord("\n")), signs)
    sentence = np.cumsum(kind == SENTENCE) - 1
    shown = [each.decode() for each in names]
    blanks = data.count(b" ") > _n_outside(texts, counts, b" ")
    return Elements(
        decoded[0], decoded[1], kind, sentence, line, owner, opening, columns, shown, name, decoded[2], blanks
    )


def _is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 with characters that XML has, as far as they are not below the blank."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\xef\xbf" not in data  # where U+FFFE and U+FFFF are, and some that are rare


def _read_piece(text: bytes) -> _Piece | None:
    if found := _ATTRIBUTE.fullmatch(text):
        return _Piece(found[1])
    found = _TAGS.fullmatch(text)
    if not found or (found[3] and found[3] not in _KINDS):
        return None
    kind = _KINDS[found[3]] if found[3] else -1
    return _Piece(found[4] or b"", kind, found[1] or b"", _TAG.findall(found[2]), text.rfind(b"<"))


def _n_outside(texts: Sequence[bytes], counts: Ints, signs: bytes) -> int:
    """How many of these characters stand outside of values, in pieces with these numbers."""
    times = zip(texts, counts.tolist(), strict=True)
    return sum((len(text) - len(text.translate(None, signs))) * n for text, n in times)


def _with_owners(kind: Ints) -> tuple[Ints, Ints]:
    """The kinds of elements, with those of secondary edges, and the word or phrase that begins at or before each."""
    places = np.arange(len(kind))
    owner = np.maximum.accumulate(np.where((kind == WORD) | (kind == PHRASE), places, -1))
    secondary = (kind == WORD_SECONDARY) & (owner >= 0)
    of_phrase = secondary & (kind[owner] == PHRASE)
    return np.where(of_phrase, PHRASE_SECONDARY, kind), owner


def _follow(pieces: Sequence[_Piece], number: Ints, kind: Ints) -> bool:
    """Whether every element may follow the one before it, with these tags between them."""
    before = np.concatenate([[OUTSIDE], kind])
    pairs = np.unique(number * len(_PATHS) + before)
    return all(_may_follow(pieces[pair // len(_PATHS)], pair % len(_PATHS)) for pair in pairs.tolist())


def _may_follow(piece: _Piece, before: int) -> bool:
    path = list(_PATHS[before])
    graphs = sum(tag == b"graph" and not closes for closes, tag, _ in piece.tags) + (piece.kind == GRAPH)
    if graphs > (before == SENTENCE):  # a second one is refused
        return False
    if bool(piece.ends) != (before != OUTSIDE):
        return False
    if piece.ends == b"/>":
        path.pop()
    for closes, tag, empty in piece.tags:
        name = tag.decode()
        if closes:
            if path.pop() != name or not path:
                return False
            continue
        if name not in _BARE or path[-1] not in CONTAINERS[name]:
            return False
        if not empty:
            path.append(name)
    if piece.kind < 0:
        return path == ["body"]
    name = next(name for name, kind in _KINDS.items() if kind == piece.kind).decode()
    return path[-1] in CONTAINERS[name]


def _columns(kind: Ints, element: Ints, name: Ints, names: Sequence[str]) -> dict[tuple[int, str], Ints] | None:
    """The columns of Elements; None if an element has an attribute twice."""
    columns: dict[tuple[int, str], Ints] = {}
    rank = np.zeros(len(kind), dtype=np.int64)
    sizes = np.bincount(kind, minlength=len(_PATHS))
    for one in range(len(_PATHS)):
        rank[kind == one] = np.arange(sizes[one])
    codes = kind[element] * len(names) + name
    for code in np.flatnonzero(np.bincount(codes)).tolist():
        values, of = np.flatnonzero(codes == code), code // len(names)
        column = np.full(sizes[of], -1, dtype=np.int64)
        column[rank[element[values]]] = values
        if np.count_nonzero(column >= 0) < len(values):
            return None
        columns[of, names[code % len(names)]] = column
    return columns


def _decoded(data: bytes, starts: Ints, lengths: Ints) -> tuple[bytes, Field, Ints] | None:
    """The data with values behind it whose entities are replaced; where all values stand, and which these are."""
    signs = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("&"))
    escaped = np.unique(np.searchsorted(starts, signs, side="right") - 1)
    if not len(escaped):
        return data, (starts, lengths), escaped
    texts = []
    for at in escaped.tolist():
        text = data[starts[at] : starts[at] + lengths[at]]
        if any(name not in _ENTITIES for name in _ENTITY.findall(text)):
            return None
        texts.append(_ENTITY.sub(lambda found: _ENTITIES[found[1]], text))
    sizes = np.array([len(text) for text in texts])
    starts, lengths = starts.copy(), lengths.copy()
    starts[escaped], lengths[escaped] = len(data) + np.cumsum(sizes) - sizes, sizes
    return b"".join([data, *texts]), (starts, lengths), escaped
