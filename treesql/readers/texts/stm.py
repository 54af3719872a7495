"""Segments with times of NIST's sclite, `.stm`: `RECORDING CHANNEL SPEAKER BEGIN END [<LABEL>] WORDS`, one a line.

A sentence's id is its recording, channel and speaker, and its number among their segments in the order of time.
Segments whose words are IGNORE_TIME_SEGMENT_IN_SCORING are left out. Source: NIST, SCTK, sclite, stm input format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from treesql.errors import Diagnostic
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults
from treesql.readers.source import Source
from treesql.readers.texts.text import MadeLines, batch_of_lines
from treesql.readers.texts.transcripts import (
    TimedSegment,
    load_segments,
    only_words,
    parse_segments,
    read_whole,
    tag_warnings,
)

SUFFIXES = (".stm",)
KIND = "text"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The segments of a file. Raises InvalidInput."""
    faults = Faults(source.name)
    data, n_tags = only_words(read_whole(source, options, faults), 1, faults)
    segments = parse_segments(data, faults)
    if not segments and not faults.found:
        faults.add(0, "the file has no segment", "give a file with a line for every segment")
    faults.raise_any()
    reference = load_segments(options)
    ignored = [segment for segment in segments if segment.ignored]
    scored = (
        _scored(segments, reference)
        if reference is not None
        else [segment for segment in segments if not segment.ignored]
    )
    made = MadeLines(
        b"".join(segment.words + b"\n" for segment in scored),
        [segment.sent_id for segment in scored],
        [segment.line for segment in scored],
        [segment.comments for segment in scored],
    )
    yield batch_of_lines(made, source.name, state, options, faults)
    faults.raise_any()
    state.warnings += tag_warnings(source.name, n_tags)
    if ignored:
        n = len(ignored)
        what = f"{n} segment{'s that are' if n > 1 else ' that is'} not scored, IGNORE_TIME_SEGMENT_IN_SCORING"
        state.warnings.append(Diagnostic.warning(source.name, ignored[0].line, what, "no sentence stands for it"))


def _scored(segments: Sequence[TimedSegment], reference: Sequence[TimedSegment]) -> list[TimedSegment]:
    """The segments of a hypothesis without those that its reference does not score, with the ranks of the reference.

    Where a speaker has as many segments as are scored of them, those that are not scored are missing already.
    """
    n_segments = Counter(segment.key for segment in segments)
    n_scored = Counter(segment.key for segment in reference if not segment.ignored)
    n_all = Counter(segment.key for segment in reference)
    ranks = {
        key: [segment.rank for segment in reference if segment.key == key and not segment.ignored] for key in n_scored
    }
    scored = []
    for segment in segments:
        if n_segments[segment.key] == n_scored[segment.key] < n_all[segment.key]:
            scored.append(TimedSegment(**{**segment.__dict__, "rank": sorted(ranks[segment.key])[segment.rank - 1]}))
        elif not segment.ignored and (
            n_segments[segment.key] != n_all[segment.key] or segment.rank in ranks.get(segment.key, [])
        ):
            scored.append(segment)
    return scored
