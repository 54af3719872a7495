"""Transcripts of NIST's sclite: a sentence a line, `the cat (utt1)`, its id in the last parentheses.

Blank lines and comments (`;;`) are passed over. What else is no word: see transcripts. Source: NIST, SCTK, trn input
format.
"""

from __future__ import annotations

from collections.abc import Iterator

from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults
from treesql.readers.source import Source
from treesql.readers.texts.ids import ids_in_parentheses
from treesql.readers.texts.text import read_with_ids
from treesql.readers.texts.transcripts import only_words, tag_warnings

SUFFIXES = (".trn",)
KIND = "text"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lines of a file, chunk by chunk. Raises InvalidInput."""
    tags: list[int] = []

    def prepare(data: bytes, line: int, faults: Faults) -> bytes:
        words, n_tags = only_words(data, line, faults, ids=True)
        tags.append(n_tags)
        return words

    hint = "give every sentence an id of its own"
    yield from read_with_ids(source, state, options, ids_in_parentheses, hint, prepare)
    state.warnings += tag_warnings(source.name, sum(tags))
