"""Words with times of NIST's sclite, `.ctm`: `RECORDING CHANNEL BEGIN DURATION WORD [CONFIDENCE]`, a word a line.

A sentence is what a channel of a recording has, in the order of time. Against a reference in segments (`.stm`), it is
what a segment has: words whose midpoint lies in it, or before it and behind the segment before.
Source: NIST, SCTK, sclite, ctm input format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Floats, Ints
from treesql.kernels.scanning import links as lines
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, Field, Text, take
from treesql.readers.source import Source
from treesql.readers.texts.text import MadeLines, batch_of_lines
from treesql.readers.texts.transcripts import (
    TimedSegment,
    load_segments,
    only_words,
    parse_time,
    read_whole,
    segments_at,
    tag_warnings,
)

SUFFIXES = (".ctm",)
KIND = "text"

_FORM = "write RECORDING CHANNEL BEGIN DURATION WORD [CONFIDENCE]"
_COMMENT, _NO_WORD = ord(";"), ord("@")
MIN_FIELDS, MAX_FIELDS = 5, 8


class _TimedWords(NamedTuple):
    """Words sorted by channel and time. channel: of `channels`, ascending; midpoint: in seconds; line: from 1."""

    text: Text
    channels: list[str]
    channel: Ints
    midpoint: Floats
    word: Field
    line: Ints


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The words of a file. Raises InvalidInput."""
    faults = Faults(source.name)
    data, n_tags = only_words(read_whole(source, options, faults), 1, faults, null_words=True)
    faults.raise_any()
    words = _find_words(data, faults)
    faults.raise_any()
    segments = load_segments(options)
    made = _by_channel(words) if segments is None else _by_segment(words, segments, source.name, state, options)
    yield batch_of_lines(made, source.name, state, options, faults)
    faults.raise_any()
    state.warnings += tag_warnings(source.name, n_tags)


def _find_words(data: bytes, faults: Faults) -> _TimedWords:
    """The words of a file; what is none is a fault."""
    text = Text(data)
    starts, lengths, counts = lines.find_fields(text.raw)
    before = np.cumsum(counts) - counts
    here = np.flatnonzero(counts)
    first = starts[before[here]]
    is_comment = (text.raw[first] == _COMMENT) & (text.raw[np.minimum(first + 1, len(data) - 1)] == _COMMENT)
    here = here[~is_comment]
    wrong = here[(counts[here] < MIN_FIELDS) | (counts[here] > MAX_FIELDS)]
    faults.each(wrong + 1, lambda at: f"{counts[wrong[at]]} fields in this line", _FORM)
    if not len(here) and not faults.found:
        faults.add(0, "the file has no word", "give a file with a line for every word")
    faults.raise_any()
    places = before[here]
    begin, duration = (_times(text, take((starts, lengths), places + at), here + 1, faults) for at in (2, 3))
    names = _channel_names(text, take((starts, lengths), places), take((starts, lengths), places + 1))
    channel = np.frombuffer(names.indices.buffers()[1], dtype=np.int32, count=len(names)).astype(np.int64)
    order = np.lexsort((begin, channel))
    word = take((starts, lengths), places + 4)
    order = order[~((word[1] == 1) & (text.raw[word[0]] == _NO_WORD))[order]]
    return _TimedWords(
        text, names.dictionary.to_pylist(), channel[order], (begin + duration / 2)[order], take(word, order),
        here[order] + 1,
    )  # fmt: skip


def _times(text: Text, fields: Field, line: Ints, faults: Faults) -> Floats:
    """Times in seconds; what is none is a fault."""
    strings = text.strings(fields).cast(pa.string())
    try:
        times: Floats = strings.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        times = np.full(len(strings), np.nan)
    if not ((times >= 0) & np.isfinite(times)).all():
        given = zip(strings.to_pylist(), line.tolist(), strict=True)
        times = np.array([0.0 if faults.full else parse_time(value, at, faults) for value, at in given])
    return times


def _channel_names(text: Text, recording: Field, channel: Field) -> pa.DictionaryArray:
    """Recording and channel of every word, with a blank between."""
    import pyarrow.compute as pc  # here, for it takes longer to import than a small file to read

    parts = [text.strings(field).cast(pa.string()) for field in (recording, channel)]
    return pc.binary_join_element_wise(*parts, pa.scalar(" ", pa.string())).dictionary_encode()


def _by_channel(words: _TimedWords) -> MadeLines:
    """A sentence for every channel of a recording, in the order of the file."""
    n = len(words.channels)
    ids = words.channels
    return MadeLines(
        _lines_of(words, words.channel, n), ids, _first_lines(words, words.channel, n),
        [_comments(name) for name in words.channels],
    )  # fmt: skip


def _by_segment(
    words: _TimedWords, segments: Sequence[TimedSegment], path: str, state: State, options: Options
) -> MadeLines:
    """A sentence for every segment that is scored. Raises InvalidInput for segments that overlap."""
    faults = Faults(str(options.segments))
    of_channel: dict[str, list[int]] = {}
    for at, segment in enumerate(segments):
        of_channel.setdefault(" ".join(segment.key[:2]), []).append(at)
    place = np.full(len(words.channel), -1, dtype=np.int64)
    for number, name in enumerate(words.channels):
        here = words.channel == number
        known = np.array(of_channel.get(name, []), dtype=np.int64)
        if len(known):
            place[here] = known[segments_at(words.midpoint[here], [segments[at] for at in known], faults)]
        else:
            what = f"{int(here.sum())} words of `{name}`, of which {options.segments} has no segment, are left out"
            hint = "name recordings and channels alike in both"
            state.warnings.append(Diagnostic.warning(path, int(words.line[here].min()), what, hint))
    faults.raise_any()
    scored = [at for at, segment in enumerate(segments) if not segment.ignored]
    number_of = np.full(len(segments) + 1, -1, dtype=np.int64)
    number_of[scored] = np.arange(len(scored))
    sentence = number_of[place]
    order = np.lexsort((words.midpoint, sentence))
    order = order[sentence[order] >= 0]
    kept = _TimedWords(
        words.text, words.channels, sentence[order], words.midpoint[order], take(words.word, order), words.line[order]
    )
    return MadeLines(
        _lines_of(kept, kept.channel, len(scored)),
        [segments[at].sent_id for at in scored],
        _first_lines(kept, kept.channel, len(scored)),
        [segments[at].comments for at in scored],
    )


def _lines_of(words: _TimedWords, sentence: Ints, n: int) -> bytes:
    """The words of each of n sentences on a line, with blanks between. sentence: of every word, ascending."""
    starts, lengths = words.word
    widths = lengths + 1
    ends = np.cumsum(widths)
    raw = words.text.raw
    source = np.repeat(starts - (ends - widths), widths) + np.arange(int(ends[-1]) if len(ends) else 0)
    out = raw[np.minimum(source, len(raw) - 1)] if len(source) else raw[:0]
    out = out.copy()
    out[ends - 1] = ord(" ")
    last = np.flatnonzero(np.diff(sentence, append=n) > 0)
    parts = np.split(out, ends[last])
    filled = dict(zip(sentence[last].tolist(), parts, strict=False))
    return b"".join(filled[at][:-1].tobytes() + b"\n" if at in filled else b"\n" for at in range(n))


def _first_lines(words: _TimedWords, sentence: Ints, n: int) -> list[int]:
    """The first line of each of n sentences, of those without words that of the sentence before."""
    first_lines = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(first_lines, sentence, words.line)
    lines_found: list[int] = []
    for line in first_lines.tolist():
        lines_found.append(line if line < np.iinfo(np.int64).max else (lines_found[-1] if lines_found else 1))
    return lines_found


def _comments(name: str) -> list[str]:
    recording, channel = name.split(" ")
    return [f"# recording = {recording}", f"# channel = {channel}"]
