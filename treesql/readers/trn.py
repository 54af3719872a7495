"""Transcripts of NIST's sclite: a sentence a line, `the cat (utt1)`, its id in the last parentheses.

Blank lines and comments (`;;`) are passed over. Alternatives, `{ a / b }`, are not expanded. Source: NIST, SCTK, trn
input format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treesql.errors import Diagnostic
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Text
from treesql.readers.ids import LinesWithIds, ids_in_parentheses
from treesql.readers.source import Source
from treesql.readers.text import read_with_ids

SUFFIXES = (".trn",)
KIND = "text"

_ALTERNATIVES = re.compile(rb"(?:^|[ \t])\{[ \t]", re.MULTILINE)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lines of a file, chunk by chunk. Raises InvalidInput."""
    lines: list[int] = []

    def cut(text: Text, line: int, faults: Faults) -> LinesWithIds:
        lines.extend(line + text.data.count(b"\n", 0, one.end()) for one in _ALTERNATIVES.finditer(text.data))
        return ids_in_parentheses(text, line, faults)

    yield from read_with_ids(source, state, options, cut, "give every sentence an id of its own")
    if lines:
        n = len(set(lines))
        what = f"alternatives, `{{ a / b }}`, in {n} line{'s' if n > 1 else ''} are read as words"
        state.warnings.append(Diagnostic.warning(source.name, lines[0], what, "write one of the alternatives alone"))
