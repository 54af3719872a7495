"""Word alignments as JSON lines, an object a sentence: `{"links": [[0, 0, 0.93], [1, 2]]}`.

A link is a list of the source and the target word, counted from 0, and if it has one, its probability. Its key may
also be `alignment`; `possible` may hold further links, which are not sure. Other keys are passed over. Sentences
correspond by their order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import Links, LinkWarnings, base_of, lines_of_links, link_batch
from treesql.readers.fields import Faults, refuse_long
from treesql.readers.lattices.jsonl import LineFault, load_line, shown
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
    base = base_of(options, BASE)
    faults, warnings, empty = Faults(source.name), LinkWarnings(), True
    for data, line in lines_of_links(source, faults, options.max_sentence):
        empty = False
        rows = [
            _read_line(content, number, base, faults) for number, content in enumerate(data.split(b"\n")[:-1], line)
        ]
        lengths = np.array([len(row) for row in rows])
        refuse_long(lengths, line + np.arange(len(rows)), options.max_sentence, faults, "links")
        if faults.full:
            break
        if faults.found:
            continue
        flat = [link for row in rows for link in row]
        left, right = (np.array([link[at] for link in flat], dtype=np.int64) + (1 - base) for at in (0, 1))
        probability = np.array([link[2] for link in flat], dtype=np.float64)
        sure = np.array([link[3] for link in flat], dtype=bool)
        links = Links(np.repeat(np.arange(len(rows)), lengths), left, right, sure, probability)
        yield link_batch(links, line + np.arange(len(rows)), source.name, state, options, warnings)
    if empty and not faults.found:
        faults.add(0, "the file is empty", "give a file with an object for every sentence")
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


def _read_line(content: bytes, line: int, base: int, faults: Faults) -> list[tuple[int, int, float, bool]]:
    """The links of a line: both words, the probability, NaN where it has none, and whether it is sure."""
    try:
        record = load_line(content)
        key = next((key for key in SURE if isinstance(record, dict) and key in record), None)
        if key is None:
            raise LineFault("this is no object with `links`", _FORM)
        made = [(*_link(link, base), True) for link in _list(record[key])]
        return made + [(*_link(link, base), False) for link in _list(record.get("possible", []))]
    except LineFault as fault:
        faults.add(line, *fault.args)
        return []


def _list(given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise LineFault(f"{shown(given)} is no list of links", _FORM)
    return given


def _link(given: Any, base: int) -> tuple[int, int, float]:
    if not isinstance(given, list) or len(given) not in (2, 3):
        raise LineFault(f"{shown(given)} is not a link", _FORM)
    for word in given[:2]:
        if isinstance(word, bool) or not isinstance(word, int) or not base <= word < _MAX:
            what = f"{shown(word)} of {shown(given)} is not the number of a word"
            raise LineFault(what, f"count words from {base}")
    probability = given[2] if len(given) == 3 else math.nan
    if isinstance(probability, bool) or not isinstance(probability, int | float) or probability < 0 or probability > 1:
        raise LineFault(f"{shown(probability)} of {shown(given)} is not a number from 0 to 1", _FORM)
    return given[0], given[1], float(probability)
