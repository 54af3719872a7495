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
    ignored = [one for one in segments if one.ignored]
    scored = _scored(segments, reference) if reference is not None else [one for one in segments if not one.ignored]
    made = MadeLines(
        b"".join(one.words + b"\n" for one in scored),
        [one.sent_id for one in scored],
        [one.line for one in scored],
        [one.comments for one in scored],
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
    n_segments = Counter(one.key for one in segments)
    n_scored = Counter(one.key for one in reference if not one.ignored)
    n_all = Counter(one.key for one in reference)
    ranks = {key: [one.rank for one in reference if one.key == key and not one.ignored] for key in n_scored}
    found = []
    for one in segments:
        if n_segments[one.key] == n_scored[one.key] < n_all[one.key]:
            found.append(TimedSegment(**{**one.__dict__, "rank": sorted(ranks[one.key])[one.rank - 1]}))
        elif not one.ignored and (n_segments[one.key] != n_all[one.key] or one.rank in ranks.get(one.key, [])):
            found.append(one)
    return found
