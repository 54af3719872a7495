"""What NIST's transcripts, `.trn`, `.stm` and `.ctm`, have in common: words that are none, and segments with times.

`@` is no word, and the tag of `word;tag` is no part of it. Alternatives, `{ a / b }`, and words that may be missing,
`(uh)`, are refused: they need an alignment of their own. Source: NIST, SCTK, sclite, input formats.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Floats, Ints
from treesql.readers import Options
from treesql.readers.fields import Faults, clean_text
from treesql.readers.source import Source

IGNORED = b"IGNORE_TIME_SEGMENT_IN_SCORING"
"""The transcript of a segment that is not scored."""

_NO_WORD = re.compile(rb"(?<![^ \t\n])@(?:[ \t]+|(?=[\n(])|\Z)")
_TAG = re.compile(rb"^[ \t]*;;[^\n]*|(?<![^ \t\n])([^\s;()]+);[^\s;()]+(?=[\s(]|\Z)", re.MULTILINE)
_REFUSED = [
    (re.compile(rb"(?:(?<=\s)|\A)\{(?=[ \t])"), "alternatives, `{ a / b }`,", "write one of them alone"),
    (re.compile(rb"<ALT(?:_BEGIN|_END)?>"), "alternatives, <ALT_BEGIN>,", "keep one of them alone"),
    (
        re.compile(rb"(?:(?<=\s)|\A)\([^\s()]+\)(?=\s|\Z)"),
        "a word that may be missing, `(uh)`,",
        "take its brackets off to count it, or take it out",
    ),
]
_SEGMENT = re.compile(rb"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+(<[^<>\s]*>)(?=\s|\Z))?[ \t]*(.*?)\s*")


def only_words(
    data: bytes, first: int, faults: Faults, *, ids: bool = False, null_words: bool = False
) -> tuple[bytes, int]:
    """Transcripts without `@` and tags, and the number of tags; what cannot be scored is a fault.

    first: number of the first line; ids: whether lines end in ids in parentheses; null_words: whether `@` stays.
    """
    lines: set[tuple[int, str]] = set()
    for pattern, what, hint in _REFUSED:
        for match in pattern.finditer(data) if not faults.full else ():
            begin = data.rfind(b"\n", 0, match.start()) + 1
            is_comment = data[begin : match.start() + 2].lstrip().startswith(b";;")
            rest = data[match.end() : data.find(b"\n", match.end())].strip()
            if not is_comment and (not ids or rest.endswith(b")")) and (begin, what) not in lines:
                lines.add((begin, what))
                faults.add(first + data.count(b"\n", 0, begin), f"{what} cannot be scored", hint)
    n_tags = sum(match[1] is not None for match in _TAG.finditer(data))
    if n_tags:
        data = _TAG.sub(lambda match: match[1] or match[0], data)
    if not null_words:
        data = _NO_WORD.sub(b"", data) if b"@" in data else data
    return data, n_tags


def tag_warnings(path: str, n_tags: int) -> list[Diagnostic]:
    """The warning that tags are left out, where there are some."""
    if not n_tags:
        return []
    what = f"{n_tags} word{'s have' if n_tags > 1 else ' has'} a tag, `word;tag`, which is left out"
    return [Diagnostic.warning(path, 0, what, "words are compared without tags, as sclite does")]


def read_whole(source: Source, options: Options, faults: Faults) -> bytes:
    """A file whose lines belong together, with a line end behind the last one; an empty one is a fault."""
    chunks = source.chunks(cut_of=lambda block: block.rfind(b"\n") + 1, limit=options.max_sentence)
    data = b"".join(chunk.data for chunk in chunks)
    if not data.strip():
        faults.add(0, "the file is empty", "give a file with a line for every segment or word")
    data = clean_text(data, 1, True, faults, returns=False)
    return data if data.endswith(b"\n") else data + b"\n"


@dataclass(frozen=True)
class TimedSegment:
    """A line of `.stm`. key: recording, channel and speaker; rank: from 1, of its time among those of its key."""

    line: int
    key: tuple[str, str, str]
    begin: float
    end: float
    times: tuple[str, str]
    label: str
    words: bytes
    ignored: bool
    rank: int = 0

    @property
    def sent_id(self) -> str:
        """Recording, channel, speaker and rank: segments that have these in common are scored against each other."""
        return f"{' '.join(self.key)} {self.rank}"

    @property
    def comments(self) -> list[str]:
        """What else its line has, as comments of the sentence."""
        names = ("recording", "channel", "speaker", "begin", "end")
        comments = [f"# {name} = {value}" for name, value in zip(names, (*self.key, *self.times), strict=True)]
        return [*comments, f"# label = {self.label}"] if self.label else comments


def parse_segments(data: bytes, faults: Faults) -> list[TimedSegment]:
    """The segments of a `.stm` file in the order of its lines; blank lines and comments (`;;`) are passed over."""
    segments: list[TimedSegment] = []
    for line, text in enumerate(data.split(b"\n"), 1):
        if not text.strip() or text.lstrip().startswith(b";;"):
            continue
        if faults.full:
            break
        fields = _SEGMENT.fullmatch(text)
        if fields is None:
            faults.add(line, "this is no segment", "write RECORDING CHANNEL SPEAKER BEGIN END [<LABEL>] WORDS")
            continue
        *key, begin, end, label = ((field or b"").decode("utf-8", "replace") for field in fields.groups()[:6])
        times = [parse_time(time, line, faults) for time in (begin, end)]
        if times[1] < times[0]:
            faults.add(line, f"this segment ends at {end}, before it begins at {begin}", "write BEGIN and then END")
        ignored = fields[7].upper() == IGNORED
        segments.append(
            TimedSegment(
                line, (key[0], key[1], key[2]), times[0], times[1], (begin, end), label[1:-1], fields[7], ignored
            )
        )
    return list(_ranked(segments))


def _ranked(segments: Sequence[TimedSegment]) -> Iterator[TimedSegment]:
    ranks: dict[tuple[str, str, str], list[int]] = {}
    for at in sorted(range(len(segments)), key=lambda at: (segments[at].begin, segments[at].end)):
        ranks.setdefault(segments[at].key, []).append(at)
    rank_of = {at: rank for places in ranks.values() for rank, at in enumerate(places, 1)}
    for at, segment in enumerate(segments):
        yield TimedSegment(**{**segment.__dict__, "rank": rank_of[at]})


def parse_time(text: str, line: int, faults: Faults) -> float:
    """A time in seconds; what is no finite number from 0 is a fault, and 0."""
    try:
        time = float(text) if "_" not in text else -1.0
    except ValueError:
        time = -1.0
    if not 0 <= time < math.inf:
        faults.add(line, f"`{text[:60]}` is no time in seconds", "write times as 12.34; comments begin with ;;")
        return 0.0
    return time


def load_segments(options: Options) -> list[TimedSegment] | None:
    """The segments of the reference, None where none is given. Raises InvalidInput."""
    if options.segments is None:
        return None
    source = Source(options.segments, digest=False)
    faults = Faults(source.name)
    segments = parse_segments(read_whole(source, options, faults), faults)
    faults.raise_any()
    return segments


def segments_at(times: Floats, segments: Sequence[TimedSegment], faults: Faults) -> Ints:
    """The segment of each of some ascending times: the first that ends behind it, else the last one.

    So words between two segments belong to the later one. segments: of one recording and channel; those that overlap
    are a fault.
    """
    order = sorted(range(len(segments)), key=lambda at: (segments[at].begin, segments[at].end))
    for before, after in itertools.pairwise(order):
        if segments[after].begin < segments[before].end:
            what = (
                f"this segment overlaps with that of line {segments[before].line}, so that words cannot be cut by them"
            )
            faults.add(segments[after].line, what, "give speakers that overlap a channel each")
    ends = np.array([segments[at].end for at in order])
    segment_of_time: Ints = np.array(order, dtype=np.int64)[
        np.minimum(np.searchsorted(ends, times, side="right"), len(order) - 1)
    ]
    return segment_of_time
