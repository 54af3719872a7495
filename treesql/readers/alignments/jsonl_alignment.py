"""Word alignments as JSON lines, an object a sentence: `{"links": [[0, 0, 0.93], [1, 2]]}`.

A link is a list of the source and the target word, counted from 0, and if it has one, its probability. Its key may
also be `alignment`; `possible` may hold further links, which are not sure. Other keys are passed over. Sentences
correspond by their order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import Link, base_of, read_line_by_line
from treesql.readers.fields import LineFault
from treesql.readers.lattices.jsonl import load_line, shown
from treesql.readers.source import Source

SUFFIXES = (".align.jsonl",)
KIND = "alignment"

BASE = 0

SURE = ("links", "alignment")
"""Keys of sure links."""

_FORM = 'write {"links": [[0, 0, 0.93], [1, 2]]} in every line'
_MAX = 10**9


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    base, hint = base_of(options, BASE), "give a file with an object for every sentence"
    yield from read_line_by_line(source, state, options, lambda content: _links_of(content, base), hint)


def _links_of(content: bytes, base: int) -> list[Link]:
    record = load_line(content)
    key = next((key for key in SURE if isinstance(record, dict) and key in record), None)
    if key is None:
        raise LineFault("this is no object with `links`", _FORM)
    links = [(*_link(link, base), True) for link in _list(record[key])]
    return links + [(*_link(link, base), False) for link in _list(record.get("possible", []))]


def _list(given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise LineFault(f"{shown(given)} is no list of links", _FORM)
    return given


def _link(given: Any, base: int) -> tuple[int, int, float]:
    """Both words, from 1, and the probability of a link."""
    if not isinstance(given, list) or len(given) not in (2, 3):
        raise LineFault(f"{shown(given)} is not a link", _FORM)
    for word in given[:2]:
        if isinstance(word, bool) or not isinstance(word, int) or not base <= word < _MAX:
            what = f"{shown(word)} of {shown(given)} is not the number of a word"
            raise LineFault(what, f"count words from {base}")
    probability = given[2] if len(given) == 3 else math.nan
    if isinstance(probability, bool) or not isinstance(probability, int | float) or probability < 0 or probability > 1:
        raise LineFault(f"{shown(probability)} of {shown(given)} is not a number from 0 to 1", _FORM)
    return given[0] + 1 - base, given[1] + 1 - base, float(probability)
