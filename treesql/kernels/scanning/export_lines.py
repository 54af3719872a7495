"""Scanner of NEGRA's export format over text as one byte array: a line per word and phrase, between #BOS and #EOS.

A single pass that creates no strings: the results are byte offsets. O(bytes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treesql.kernels.arrays import Bytes, Ints
from treesql.kernels.compiling import compiled, read_only

NEWLINE, TAB, BLANK, HASH, PERCENT = 10, 9, 32, 35, 37

FIRST_PHRASE, LAST_PHRASE = 500, 999
"""Numbers of phrases in a sentence."""

NO_NUMBER, NOT_CLOSED, NOT_OPENED, OTHER_END, VERSION, OUTSIDE, FIELDS, NO_PARENT, TWICE, UNKNOWN, CUT_OFF = range(11)
"""Kinds of faults; of those in a sentence at most one is reported."""

MAX_FAULTS = 64
"""Maximum number of faults reported per block of text."""

_MAX_FIELDS = 64
"""Maximum number of fields of a line: six, and those of 29 secondary edges."""

NAME, LEMMA, TAG, MORPHOLOGY, FUNCTION = 0, 2, 4, 6, 8
"""Rows of the starts of fields of words and phrases, which those of their lengths follow."""

PARENT, PARENT_AT, LINE = 10, 11, 12
_ROWS = 13
"""Further rows of words and phrases, and the number of all."""


class ExportScan(NamedTuple):
    """Sentences found in a text.

    sentences: (7, sentences + 1) line; start and length of what follows the last #EOS, up to the end of the line #BOS;
    start and length of the number after #BOS; words and phrases before it, with totals at the end. words, phrases:
    (13, n) start and length of name, lemma, tag, morphology and function, length 0 for what has no column; the parent
    (counted from 1 among the phrases of the sentence as given, 0 for none), where it stands, and the line. secondary:
    (7, n) sentence, word and phrase that hang there, one of them being 0; start and length of the label, the parent and
    where it stands. faults: (n, 4) kind, offset of what is wrong, line, and another offset, line or number. state: of
    the text so far, for the next block.
    """

    sentences: Ints
    words: Ints
    phrases: Ints
    secondary: Ints
    faults: Ints
    state: Ints


def initial_state() -> Ints:
    """The state before a file: line, version of the format, and whether it is in a table between #BOT and #EOT."""
    return np.array([1, 3, 0], dtype=np.int64)


def with_version(state: Ints, version: int) -> Ints:
    """A state with another version of the format."""
    return np.array([state[0], version, state[2]], dtype=np.int64)


def scan(text: Bytes, state: Ints) -> ExportScan:
    """Scan a text that begins with a line outside of sentences."""
    lines = int(np.count_nonzero(text == NEWLINE)) + 1
    gaps = int(np.count_nonzero(text == TAB)) + int(np.count_nonzero(text == BLANK))
    arrays, counts = _scan(read_only(text)[0], state, lines, gaps // 2 + 1)
    sentences, words, phrases, secondary, faults, after = arrays
    n_sentences, n_words, n_phrases, n_secondary, n_faults = counts
    return ExportScan(
        sentences[:, : n_sentences + 1], words[:, :n_words], phrases[:, :n_phrases], secondary[:, :n_secondary],
        faults[:n_faults], after,
    )  # fmt: skip


@compiled
def _is(text: Bytes, start: int, end: int, word: Bytes) -> bool:
    """Whether a token is this word."""
    if end - start != len(word):
        return False
    same = True
    for at in range(len(word)):
        same = same and text[start + at] == word[at]
    return same


@compiled
def _next_field(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return where the next field of a line begins and ends."""
    while at < end and (text[at] == TAB or text[at] == BLANK):
        at += 1
    start = at
    while at < end and text[at] != TAB and text[at] != BLANK:
        at += 1
    return start, at


@compiled
def _split(text: Bytes, at: int, end: int, starts: Ints, ends: Ints) -> int:
    """Find the fields of a line, up to a comment; return their number, of which the first _MAX_FIELDS are stored."""
    n = 0
    while True:
        start, stop = _next_field(text, at, end)
        comment = start > at and stop - start > 1 and text[start] == PERCENT and text[start + 1] == PERCENT
        if start == stop or comment:
            return n
        if n < _MAX_FIELDS:
            starts[n], ends[n] = start, stop
        n += 1
        at = stop


@compiled
def _phrase_number(text: Bytes, start: int, end: int) -> int:
    """Return the number of a phrase that a field is; 0 for the root, -1 for anything else."""
    if end - start == 1 and text[start] == 48:
        return 0
    if end - start != 3:
        return -1
    number = 0
    for at in range(start, end):
        if text[at] < 48 or text[at] > 57:
            return -1
        number = 10 * number + text[at] - 48
    return number if number >= FIRST_PHRASE else -1


@compiled
def _store(starts: Ints, ends: Ints, version: int, parent: int, line: int, row: Ints) -> None:
    """Store the fields of a word or phrase; version 3 has no lemma."""
    k = 0
    for field in range(5):
        if field != 1 or version == 4:
            row[2 * field], row[2 * field + 1] = starts[k], ends[k] - starts[k]
            k += 1
    row[PARENT], row[PARENT_AT], row[LINE] = parent, starts[k], line


@compiled
def _resolve(rows: Ints, parent: int, place: Ints) -> int:
    """Replace numbers of parents by their places in the sentence; return the first row whose parent is unknown, or -1.

    rows: (13, n) or (7, n); parent: the row of the numbers.
    """
    for at in range(rows.shape[1]):
        number = rows[parent, at]
        if number > 0:
            if place[number] == 0:
                return at
            rows[parent, at] = place[number]
    return -1


@compiled
def _fault(faults: Ints, n: int, kind: int, at: int, line: int, detail: int) -> int:
    """Add a fault to n others; return how many there are."""
    if n == len(faults):
        return n
    faults[n, 0], faults[n, 1], faults[n, 2], faults[n, 3] = kind, at, line, detail
    return n + 1


@compiled
def _unknown(faults: Ints, n: int, row: Ints) -> int:
    """Add the fault of a word or phrase whose parent is unknown."""
    return _fault(faults, n, UNKNOWN, row[PARENT_AT], row[LINE], row[NAME])


_BOS, _EOS, _BOT, _EOT, _FORMAT = (
    np.frombuffer(word, dtype=np.uint8) for word in (b"#BOS", b"#EOS", b"#BOT", b"#EOT", b"#FORMAT")
)


@compiled
def _scan(
    text: Bytes, state: Ints, n_lines: int, n_edges: int
) -> tuple[tuple[Ints, Ints, Ints, Ints, Ints, Ints], tuple[int, int, int, int, int]]:
    sentences, secondary = np.zeros((7, n_lines + 1), np.int64), np.zeros((7, n_edges), np.int64)
    words, phrases = np.zeros((_ROWS, n_lines), np.int64), np.zeros((_ROWS, n_lines), np.int64)
    faults = np.zeros((MAX_FAULTS, 4), np.int64)
    starts, ends = np.zeros(_MAX_FIELDS, np.int64), np.zeros(_MAX_FIELDS, np.int64)
    place = np.zeros(LAST_PHRASE + 1, np.int64)
    line, version, table = state[0] - 1, state[1], state[2]
    n_sentences = n_words = n_phrases = n_secondary = n_faults = 0
    word, phrase, edge = 0, 0, 0  # the first of the sentence
    is_open = broken = outside = False
    above, at, n = 0, 0, len(text)
    while at < n:
        begin = end = at
        while end < n and text[end] != NEWLINE:
            end += 1
        at = end + 1
        line += 1
        token, stop = _next_field(text, begin, end)
        rest, rest_end = _next_field(text, stop, end)
        comment = stop - token > 1 and token == begin and text[begin] == PERCENT and text[begin + 1] == PERCENT
        if _is(text, token, stop, _EOS):
            above = at
            if not is_open:
                n_faults = _fault(faults, n_faults, NOT_OPENED, begin, line, 0)
                continue
            id_start = sentences[3, n_sentences]
            id_end = id_start + sentences[4, n_sentences]
            if not broken and not _is(text, rest, rest_end, text[id_start:id_end]):
                n_faults, broken = _fault(faults, n_faults, OTHER_END, begin, line, id_start), True
            if not broken:
                unknown = _resolve(words[:, word:n_words], PARENT, place)
                if unknown >= 0:
                    n_faults, broken = _unknown(faults, n_faults, words[:, word + unknown]), True
            if not broken:
                unknown = _resolve(phrases[:, phrase:n_phrases], PARENT, place)
                if unknown >= 0:
                    n_faults, broken = _unknown(faults, n_faults, phrases[:, phrase + unknown]), True
            if not broken:
                unknown = _resolve(secondary[:, edge:n_secondary], 5, place)
                if unknown >= 0:
                    edges = secondary[:, edge + unknown]
                    hanging = words[:, word + edges[1] - 1] if edges[1] > 0 else phrases[:, phrase + edges[2] - 1]
                    n_faults = _fault(faults, n_faults, UNKNOWN, edges[6], hanging[LINE], hanging[NAME])
                    broken = True
            if broken:
                n_words, n_phrases, n_secondary = word, phrase, edge
            n_sentences += 1
            is_open = False
        elif table == 0 and _is(text, token, stop, _BOS):
            if is_open:
                if not broken:
                    n_faults = _fault(faults, n_faults, NOT_CLOSED, begin, sentences[0, n_sentences], line)
                n_words, n_phrases, n_secondary = word, phrase, edge
            place[:] = 0
            is_open, broken = True, rest == rest_end
            word, phrase, edge = n_words, n_phrases, n_secondary
            for row, value in enumerate((line, above, end - above, rest, rest_end - rest, n_words, n_phrases)):
                sentences[row, n_sentences] = value
            if broken:
                n_faults = _fault(faults, n_faults, NO_NUMBER, begin, line, 0)
        elif is_open:
            if broken or token == stop or comment:
                continue
            fields = _split(text, begin, end, starts, ends)
            expected = version + 2
            if fields < expected or (fields - expected) % 2 != 0 or fields > _MAX_FIELDS:
                n_faults, broken = _fault(faults, n_faults, FIELDS, begin, line, 10 * fields + version), True
                continue
            parent = _phrase_number(text, starts[expected - 1], ends[expected - 1])
            phrase_number = _phrase_number(text, starts[0] + 1, ends[0]) if text[starts[0]] == HASH else -1
            if parent < 0:
                n_faults, broken = _fault(faults, n_faults, NO_PARENT, starts[expected - 1], line, 0), True
            elif phrase_number > 0 and place[phrase_number] > 0:
                n_faults, broken = _fault(faults, n_faults, TWICE, starts[0], line, 0), True
            elif phrase_number > 0:
                _store(starts, ends, version, parent, line, phrases[:, n_phrases])
                n_phrases += 1
                place[phrase_number] = n_phrases - phrase
            else:
                _store(starts, ends, version, parent, line, words[:, n_words])
                n_words += 1
            for k in range(expected, 0 if broken else fields, 2):
                upper = _phrase_number(text, starts[k + 1], ends[k + 1])
                if upper < 0:
                    n_faults, broken = _fault(faults, n_faults, NO_PARENT, starts[k + 1], line, 0), True
                    break
                secondary[0, n_secondary] = n_sentences
                secondary[1, n_secondary] = 0 if phrase_number > 0 else n_words - word
                secondary[2, n_secondary] = n_phrases - phrase if phrase_number > 0 else 0
                secondary[3, n_secondary], secondary[4, n_secondary] = starts[k], ends[k] - starts[k]
                secondary[5, n_secondary], secondary[6, n_secondary] = upper, starts[k + 1]
                n_secondary += 1
        elif _is(text, token, stop, _EOT):
            table = 0
        elif _is(text, token, stop, _BOT):
            table = 1
        elif _is(text, token, stop, _FORMAT):
            more, more_end = _next_field(text, rest_end, end)
            known = rest_end - rest == 1 and more == more_end and (text[rest] == 51 or text[rest] == 52)
            version = 4 if known and text[rest] == 52 else 3
            if not known:
                n_faults = _fault(faults, n_faults, VERSION, rest, line, end)
        elif table == 0 and token < stop and not comment:
            n_faults = n_faults if outside else _fault(faults, n_faults, OUTSIDE, token, line, 0)
            outside = True
    if is_open:
        if not broken:
            n_faults = _fault(faults, n_faults, CUT_OFF, 0, sentences[0, n_sentences], 0)
        n_words, n_phrases, n_secondary = word, phrase, edge
    sentences[5, n_sentences], sentences[6, n_sentences] = n_words, n_phrases
    after = np.array([line + 1, version, table])
    return (
        (sentences, words, phrases, secondary, faults, after),
        (n_sentences, n_words, n_phrases, n_secondary, n_faults),
    )
