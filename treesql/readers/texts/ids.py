"""Ids of sentences in plain texts: the first or the last word of every line, or the text in its last parentheses.

Kaldi writes `utt1 the cat`, NIST's transcripts have `the cat (utt1)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.kernels.scanning import links as lines
from treesql.kernels.scanning import text as kernel
from treesql.readers import FIRST, LAST
from treesql.readers.fields import Faults, Field, Text, max_faults, take

MIN_LINES = 2
"""Minimum number of lines of a text whose words may look like ids."""

_OPEN, _CLOSE, _SPACE = (ord(sign) for sign in "() ")


@dataclass(frozen=True)
class LinesWithIds:
    """Some lines of a chunk: their places among its lines, their ids, and the part that holds their words."""

    places: Ints
    ids: Field
    rest: Field

    def only_words(self, raw: Bytes) -> Bytes:
        """The chunk with blanks for all but line ends and words, which stay where they are."""
        starts, lengths = self.rest
        change = np.zeros(len(raw) + 1, dtype=np.int8)
        change[starts] += 1
        change[starts + lengths] -= 1
        kept = np.cumsum(change[:-1], dtype=np.int8) > 0
        blanked: Bytes = np.where(kept | (raw == kernel.NEWLINE), raw, np.uint8(_SPACE))
        return blanked


def find_lines(raw: Bytes) -> Field:
    """The lines of a chunk that ends with a line end."""
    ends = np.flatnonzero(raw == kernel.NEWLINE)
    starts = np.append(0, ends[:-1] + 1)
    return starts, ends - starts


def ids_at_one_end(text: Text, where: str, line: int, faults: Faults) -> LinesWithIds:
    """Every line's first or last word as its id, without parentheses around it. line: the number of the first line."""
    starts, lengths, counts = lines.find_fields(text.raw)
    line_starts, line_lengths = find_lines(text.raw)
    bare = np.flatnonzero(counts == 0)
    hint = f"write its id as the {where} word of every line, or read the file without --ids"
    faults.each(line + bare, lambda at: "a line without an id", hint)
    places = np.flatnonzero(counts)
    ends = np.cumsum(counts)[places]
    line_ends = line_starts[places] + line_lengths[places]
    if where == FIRST:
        ids = take((starts, lengths), ends - counts[places])
        rest = ids[0] + ids[1], line_ends
    else:
        ids = take((starts, lengths), ends - 1)
        rest = line_starts[places], ids[0]
    return LinesWithIds(
        places, _unwrapped(text.raw, ids), kernel.trim(_without_tabs(text.raw), rest[0], rest[1] - rest[0])
    )


def ids_in_parentheses(text: Text, line: int, faults: Faults) -> LinesWithIds:
    """What stands in the last parentheses of every line as its id; blank lines and comments (`;;`) are passed over."""
    raw = _without_tabs(text.raw)
    starts, lengths = kernel.trim(raw, *find_lines(raw))
    comment = (lengths > 1) & (raw[starts] == ord(";")) & (raw[np.minimum(starts + 1, len(raw) - 1)] == ord(";"))
    places = np.flatnonzero((lengths > 0) & ~comment)
    starts, ends = starts[places], starts[places] + lengths[places]
    marks = np.append(-1, np.flatnonzero(raw == _OPEN))
    opened = marks[np.searchsorted(marks, ends) - 1]
    closed = (raw[ends - 1] == _CLOSE) & (opened >= starts)
    ids = kernel.trim(raw, np.where(closed, opened + 1, starts), np.where(closed, ends - opened - 2, 0))
    hint = "write the words of a line and then its id, as `the cat (utt1)`"
    faults.each(line + places[~closed], lambda at: "no id in parentheses ends this line", hint)
    empty = np.flatnonzero(closed & (ids[1] == 0))
    faults.each(line + places[empty], lambda at: "an empty id", hint)
    return LinesWithIds(places, ids, kernel.trim(raw, starts, np.where(closed, opened - starts, 0)))


def _without_tabs(raw: Bytes) -> Bytes:
    """The chunk with blanks for tabs."""
    blanked: Bytes = np.where(raw == kernel.TAB, np.uint8(_SPACE), raw)
    return blanked


def _unwrapped(raw: Bytes, fields: Field) -> Field:
    """Fields without parentheses around them."""
    wrapped = _in_parentheses(raw, fields).astype(np.int64)
    return fields[0] + wrapped, fields[1] - 2 * wrapped


def _in_parentheses(raw: Bytes, fields: Field) -> Flags:
    starts, lengths = fields
    flags: Flags = (lengths > 2) & (raw[starts] == _OPEN) & (raw[starts + lengths - 1] == _CLOSE)
    return flags


class Ids:
    """The ids of a file, of which repeated ones are faults."""

    def __init__(self) -> None:
        self._found: list[pa.Array] = []
        self._lines: list[Ints] = [np.zeros(0, dtype=np.int64)]

    def add(self, text: Text, ids: Field, lines: Ints) -> None:
        """Add the ids of a chunk. lines: their numbers."""
        self._found.append(text.strings(ids).cast(pa.large_string()))
        self._lines.append(lines)

    def check(self, faults: Faults, hint: str) -> None:
        """Add a fault for every id that an earlier line has."""
        line, first = np.concatenate(self._lines), _first_places(self._found)
        again = np.flatnonzero(first != np.arange(len(first)))
        if len(again):
            again = again[: max_faults.get()]
            names = pa.chunked_array(self._found).take(pa.array(again)).to_pylist()
            faults.each(
                line[again],
                lambda at: f"the id `{names[at][:60]}` is in line {line[first[again[at]]]} already",
                hint,
            )

    @property
    def distinct(self) -> bool:
        """Whether no id is repeated."""
        first = _first_places(self._found)
        return bool((first == np.arange(len(first))).all())


def _first_places(texts: list[pa.Array]) -> Ints:
    """For every text the first position of an equal one."""
    if not texts:
        return np.zeros(0, dtype=np.int64)
    encoded = pa.chunked_array(texts).combine_chunks().dictionary_encode()
    numbers = np.frombuffer(encoded.indices.buffers()[1], dtype=np.int32, count=len(encoded))
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    places: Ints = first[which]
    return places


class LikelyIds:
    """Whether the first or last words of all lines of a text look like ids.

    They do where no two are the same, some line has further words, and the first ones have letters and digits, or the
    last ones parentheses.
    """

    def __init__(self) -> None:
        self._n, self._longest = 0, 0
        self._ids: dict[str, Ids] = {FIRST: Ids(), LAST: Ids()}
        self._shown: dict[str, str] = {}

    def add(self, text: Text, fields: Field, counts: Ints) -> None:
        """Add the words of a chunk. counts: how many each line has."""
        if not self._ids or not len(counts):
            return
        self._n += len(counts)
        self._longest = max(self._longest, int(counts.max()))
        ends = np.cumsum(counts)
        for where, which in ((FIRST, ends - counts), (LAST, ends - 1)):
            if where in self._ids:
                here = take(fields, which) if (counts > 0).all() else None
                if (
                    here is None
                    or not (_have_letters_and_digits if where == FIRST else _in_parentheses)(text.raw, here).all()
                ):
                    del self._ids[where]
                    continue
                self._shown.setdefault(where, text.quote(here, 0))
                self._ids[where].add(text, here, np.zeros(0, dtype=np.int64))

    def warnings(self, path: str) -> list[Diagnostic]:
        """A warning where first or last words look like ids."""
        diagnostics = []
        for where, ids in self._ids.items():
            if self._n >= MIN_LINES and self._longest > 1 and ids.distinct:
                diagnostics.append(looks_like_ids(path, where, self._shown[where]))
        return diagnostics[:1]


def looks_like_ids(path: str, where: str, shown: str) -> Diagnostic:
    """The warning that words look like ids. shown: one of them."""
    end = {FIRST: "begins", LAST: "ends"}[where]
    what = f"every line {end} with what looks like an id, as {shown}, and is read as a word"
    return Diagnostic.warning(path, 1, what, f"--ids {where} reads ids, --ids none says that these are words")


def _have_letters_and_digits(raw: Bytes, fields: Field) -> Flags:
    """Which fields have a digit, and a letter, hyphen or underscore, of ASCII."""
    starts, lengths = fields
    lower = raw | np.uint8(32)
    digit = (raw >= ord("0")) & (raw <= ord("9"))
    letter = ((lower >= ord("a")) & (lower <= ord("z"))) | (raw == ord("-")) | (raw == ord("_"))
    mixed: Flags = _any_flag(digit, starts, lengths) & _any_flag(letter, starts, lengths)
    return mixed


def _any_flag(flags: Flags, starts: Ints, lengths: Ints) -> Flags:
    """Whether there is any flag in each field."""
    before = np.append(0, np.cumsum(flags))
    flagged: Flags = before[starts + lengths] > before[starts]
    return flagged
