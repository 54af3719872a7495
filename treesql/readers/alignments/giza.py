"""GIZA++'s A3.final files: three lines a sentence pair, with the target positions behind every source word.

Source: Och & Ney 2003, A systematic comparison of various statistical alignment models.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treesql.errors import UsageError
from treesql.kernels.scanning.text import NEWLINE
from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import PAIRS_HINT, Links, LinkWarnings, link_batch
from treesql.readers.fields import Faults, FilePosition, clean_text, refuse_long, replace_returns
from treesql.readers.source import Cut, Source

if TYPE_CHECKING:
    from treesql.kernels.scanning.giza import GizaScan

SUFFIXES = (".A3.final",)
KIND = "alignment"

BASE = 1
FIXED_BASE = True
"""Words always count from 1."""

LINES_PER_PAIR = 3
"""Number of lines of a sentence pair."""

# By kind of fault, in the order of treesql.kernels.scanning.giza: what is wrong (`{0}`, `{1}`: the numbers that differ)
# and what to do.
FAULTS = (
    (
        "no line such as `# Sentence pair (1) source length 3 target length 4 alignment score : 0.1`",
        "every sentence pair has three lines, and this is the first; check whether a line is missing or too many",
    ),
    ("expected sentence pair {1}, found {0}", "put the pairs in order, and leave none out"),
    ("{0} target words, where the line above says {1}", "check whether a word has a blank in it"),
    ("a line of source words that does not begin with NULL", "begin it with `NULL ({ })`"),
    ("this is not a `word ({ 1 2 })`", "write after every source word the positions of its target words in `({ })`"),
    ("target word {0} of a sentence of {1}", "check whether the lines are those of one sentence pair"),
    ("{0} source words, where the first line says {1}", "check whether a word has a blank in it"),
    ("the last sentence pair has not all of its three lines", "the file may be cut off; fetch or make it again"),
)


_PAIR = re.compile(rb"\s*[0-9]+[-sSpP?][0-9]+[:\s]")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    from treesql.kernels.scanning import giza  # here, as few commands need it

    if options.notation.base not in (None, 1):
        raise UsageError("GIZA++ counts words from 1; leave the base out")
    faults, warnings, position, last = Faults(source.name), LinkWarnings(), FilePosition(), -1
    for chunk in source.chunks(cut_of=_whole_pairs(), limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults)
        data = replace_returns(data, position.line, faults, b" ")  # no further line: files are cut behind every third
        if data and not data.endswith(b"\n"):
            data += b"\n"
        if position.line == 1 and _PAIR.match(data):
            faults.add(1, FAULTS[0][0], PAIRS_HINT)
            break
        position.begin_chunk(data)
        scan = giza.scan(np.frombuffer(data, dtype=np.uint8), last)
        for kind, offset, *two in scan.faults.tolist():
            what, hint = FAULTS[kind]
            faults.add(
                position.line_and_column(offset)[0], what.replace("{0}", str(two[0])).replace("{1}", str(two[1])), hint
            )
        if faults.full:
            break
        n_links = np.bincount(scan.sentence, minlength=len(scan.number))
        first_lines = position.line + LINES_PER_PAIR * np.arange(len(n_links))
        refuse_long(n_links, first_lines, options.max_sentence, faults, "links")
        if len(scan.number):
            last = int(scan.number[-1])
        if not faults.found and len(scan.number):
            yield _batch(scan, position.line, source.name, state, options, warnings)
    if last < 0 and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one sentence pair")
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


def _batch(scan: GizaScan, line: int, path: str, state: State, options: Options, warnings: LinkWarnings) -> Batch:
    """The rows of a run of sentence pairs, target words without a source word being links only with null_links."""
    links = Links(scan.sentence, scan.source, scan.target, np.ones(len(scan.source), dtype=bool))
    if not options.notation.null_links:
        links = links.take(scan.source > 0)
    lines = line + LINES_PER_PAIR * np.arange(len(scan.number))
    return link_batch(links, lines, path, state, options, warnings)


def _whole_pairs() -> Cut:
    """Where blocks may be cut: behind the third line of a sentence pair."""
    n_lines = 0

    def cut(block: bytes) -> int:
        nonlocal n_lines
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == NEWLINE)
        whole = np.flatnonzero((n_lines + 1 + np.arange(len(ends))) % LINES_PER_PAIR == 0)
        n_lines += len(ends)
        return int(ends[whole[-1]]) + 1 if len(whole) else 0

    return cut
