"""Pharaoh's notation of word alignments: a line per sentence, `0-0 1-2 2-1`, words counted from 0.

Possible links are `2p1`, `2?1` or `2-1:P`. A number from 0 to 1 behind a link, `0-0:0.93`, is its probability, as of
awesome-align and SimAlign. Sources: Koehn 2004, Pharaoh: a beam search decoder for phrase-based
statistical machine translation models; Och & Ney 2003 for possible links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Bytes, Floats, Ints
from treesql.kernels.scanning import links as kernel
from treesql.kernels.scanning.links import LinkPairs
from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import Links, LinkWarnings, base_of, lines_of_links, link_batch
from treesql.readers.fields import Faults, Text, refuse_long
from treesql.readers.source import Source
from treesql.runtime import arrays

SUFFIXES = (".pharaoh", ".align", ".gdfa")
KIND = "alignment"

BASE = 0

_LINK = re.compile(rb"[0-9]{1,9}(?:[-sSpP?][0-9]{1,9}|-[0-9]{1,9}:[SPsp])")
_NUMBER_BEHIND = re.compile(rb"[-+.0-9].*|nan|inf", re.IGNORECASE)
_PROBABILITY = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NEGATIVE = re.compile(rb"-[0-9]+[-spSP?]-?[0-9]+(?::\w)?|[0-9]+[-spSP?]-[0-9]+(?::\w)?")
_LONG = re.compile(rb"[0-9]+(?:[-sSpP?][0-9]+|-[0-9]+:[SPsp])")
_COLUMNS = re.compile(rb"\s*[0-9]+\s+[0-9]+\s+[0-9]+(\s|$)")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    yield from read_pairs(source, state, options, BASE)


def read_pairs(source: Source, state: State, options: Options, usual: int) -> Iterator[Batch]:
    """The links of a file with a sentence a line. usual: the base if none is given. Raises InvalidInput, UsageError."""
    base = base_of(options, usual)
    faults, warnings, empty = Faults(source.name), LinkWarnings(), True
    for data, line in lines_of_links(source, faults, options.max_sentence):
        empty = False
        text = np.frombuffer(data, dtype=np.uint8)
        pairs, probability = kernel.parse_pairs(text), None
        if pairs is None and not faults.found and (split := kernel.split_probabilities(text)) is not None:
            pairs = kernel.parse_pairs(split[0])
            probability = None if pairs is None else _probabilities(data, split, len(pairs.left))
            pairs = None if probability is None else pairs
        if pairs is None:
            _find_malformed(data, line, faults)
        elif base:
            _check_zero(pairs, line, faults)
        if faults.full:
            break
        if pairs is not None:
            lengths = pairs.per_line
            refuse_long(lengths, line + np.arange(len(lengths)), options.max_sentence, faults, "links")
        if pairs is not None and not faults.found:
            n = len(pairs.per_line)
            left, right = (values + (1 - base) for values in (pairs.left, pairs.right))
            links = Links(np.repeat(np.arange(n), pairs.per_line), left, right, pairs.sure, probability)
            yield link_batch(links, line + np.arange(n), source.name, state, options, warnings)
    if empty and not faults.found:
        faults.add(
            0,
            "the file is empty",
            "give a file with a line for every sentence; a sentence without links is an empty line",
        )
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


def _probabilities(data: bytes, split: tuple[Bytes, Ints, Ints, Ints], n: int) -> Floats | None:
    """The probabilities of n links, NaN where one has none; None if any is not a number from 0 to 1."""
    _, link, starts, lengths = split
    values = arrays.cast(Text(data).strings((starts, lengths)), pa.string())
    if not all(map(is_probability, arrays.call("unique", values).to_pylist())):
        return None
    probabilities = np.full(n, np.nan)
    probabilities[link] = np.frombuffer(arrays.cast(values, pa.float64()).buffers()[1], dtype=np.float64)
    return probabilities


def is_probability(text: str) -> bool:
    """Whether a text is a number from 0 to 1."""
    return bool(_PROBABILITY.fullmatch(text)) and 0 <= float(text) <= 1


def _find_malformed(data: bytes, first: int, faults: Faults) -> None:
    """Add a fault for the first malformed link of every line."""
    for number, line in enumerate(data.split(b"\n")[:-1], first):
        wrong = next((token for token in line.replace(b"\t", b" ").split(b" ") if token and not _is_link(token)), None)
        if wrong is None:
            continue
        shown = wrong[:60].decode("utf-8", "replace") + ("..." if len(wrong) > 60 else "")
        column = len(line[: line.find(wrong)].decode("utf-8", "replace")) + 1
        link, colon, number_behind = wrong.partition(b":")
        if colon and _LINK.fullmatch(link) and _NUMBER_BEHIND.fullmatch(number_behind):
            text = number_behind[:60].decode("utf-8", "replace")
            hint = "write links as 3-4:0.93, possible ones as 3-4:P"
            faults.add(number, f"`{text}` of `{shown}` is not a number from 0 to 1", hint, column)
        elif _NEGATIVE.fullmatch(wrong):
            faults.add(
                number, f"`{shown}` has a negative position", "count words from 0, or from 1 with --base 1", column
            )
        elif _LONG.fullmatch(wrong):
            faults.add(
                number,
                f"`{shown}` has a position of more than 9 digits",
                "count words from 0, or from 1 with --base 1",
                column,
            )
        else:
            hint = "write links as 3-4, possible ones as 3p4, 3?4 or 3-4:P"
            if _COLUMNS.match(line):
                hint = "for lines of sentence, source and target give --from wpt"
            faults.add(number, f"`{shown}` is not a link", hint, column)
        if faults.full:
            return


def _is_link(token: bytes) -> bool:
    link, colon, probability = token.partition(b":")
    is_number = bool(colon) and is_probability(probability.decode("utf-8", "replace"))
    return bool(_LINK.fullmatch(link if is_number else token))


def _check_zero(pairs: LinkPairs, first: int, faults: Faults) -> None:
    """Add a fault for the first link of a word 0 where words count from 1."""
    zero = np.flatnonzero((pairs.left == 0) | (pairs.right == 0))
    if len(zero):
        line = first + int(np.searchsorted(np.cumsum(pairs.per_line), zero[0], side="right"))
        what = f"a link of word 0, `{pairs.left[zero[0]]}-{pairs.right[zero[0]]}`"
        faults.add_once(line, what, "words count from 1 here; if they count from 0, give --base 0", kind="word 0")
