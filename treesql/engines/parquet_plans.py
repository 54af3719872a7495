"""What the plan of a statement reads of Parquet: columns, corpora, sentences, and how many of the first rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_NAME = re.compile(r"\w+")

_TEXT = "'(?:[^']|'')*'"

_OF_CORPORA = re.compile(
    rf"\(url_decode\(parse_filename\(parse_dirpath\(filename\)\)\) (?:= {_TEXT}|IN \({_TEXT}(?:, {_TEXT})*\))\)"
)
"""A filter that leaves out the files of other corpora than these."""

_COMPARED = re.compile(r"sentence (<=?|>=?|!?=) (-?\d+)")

_OF_SENTENCES = re.compile(rf"{_COMPARED.pattern}(?: AND {_COMPARED.pattern})*")
"""A filter by sentences alone, without its brackets."""

_LIMITS = ("STREAMING_LIMIT", "LIMIT")

_ROW_BY_ROW = ("PROJECTION", "UNION")
"""Operators whose first rows are made of the first rows that they are given."""

_OF_ALL_ROWS = {"Function", "Projections", "Estimated Cardinality", "File Filters", "Scanning Files"}
"""What a plan says of a scan that leaves out no row of a file that it reads."""

_FIRST, _LAST = -(1 << 31), 1 << 31
"""Numbers before and behind those of all sentences."""


class Scan(NamedTuple):
    """What a scan reads. corpora: files of these, of all if None; sentences: parts that may have some of these.

    rows: at most so many, the first ones of these files, infinity for any.
    """

    corpora: frozenset[str] | None
    sentences: range
    rows: float


class Reads(NamedTuple):
    """What is read. columns: these, and perhaps others, by any of the scans."""

    columns: frozenset[str]
    scans: tuple[Scan, ...]


def reads_of(plan: str, *, keeps_order: bool) -> Reads:
    """What the plan of a statement as JSON reads. keeps_order: whether rows have the order of their files.

    Raises ValueError.
    """
    scans = list(_scans(json.loads(plan), float("inf")))
    columns = frozenset(name for says, _ in scans for name in _NAME.findall(json.dumps(says)))
    return Reads(columns, tuple(_scan(says, rows if keeps_order else float("inf")) for says, rows in scans))


def _scans(plan: Iterable[Any], rows: float) -> Iterator[tuple[Mapping[str, Any], float]]:
    """What a plan says of scans of files, and how many of their first rows are read at most.

    rows: that these nodes have to make.
    """
    for node in plan:
        name, says = node.get("name", "").upper(), node.get("extra_info", {})
        if "PARQUET" in name:
            yield says, rows if says.keys() <= _OF_ALL_ROWS else float("inf")
        yield from _scans(node.get("children", ()), _rows_below(name, says, rows))


def _rows_below(name: str, says: Mapping[str, Any], rows: float) -> float:
    """How many of the first rows of its input an operator reads at most, to make so many rows."""
    if name in _LIMITS and str(says.get("Limit", "")).isdecimal() and str(says.get("Offset", "0")).isdecimal():
        return min(rows, int(says["Limit"])) + int(says.get("Offset", "0"))
    return rows if name in _ROW_BY_ROW else float("inf")


def _scan(says: Mapping[str, Any], rows: float) -> Scan:
    """What a scan reads by its filters, all of which hold; one that is not understood leaves out nothing."""
    files, filters = says.get("File Filters", ""), says.get("Filters", [])
    corpora = None
    if isinstance(files, str) and _OF_CORPORA.fullmatch(files):
        corpora = frozenset(text[1:-1].replace("''", "'") for text in re.findall(_TEXT, files))
    elif files:
        rows = float("inf")
    listed = [filters] if isinstance(filters, str) else filters
    if any(one.count("'") % 2 for one in listed):  # a text with line ends, which is cut into several
        listed = []
    start, stop = _FIRST, _LAST
    for one in listed:
        bare = one.translate({ord("("): None, ord(")"): None})
        for sign, number in _COMPARED.findall(bare) if _OF_SENTENCES.fullmatch(bare) else ():
            low, high = _bounds(sign, int(number))
            start, stop = max(start, low), min(stop, high)
    return Scan(corpora, range(start, stop), rows)


def _bounds(sign: str, number: int) -> tuple[int, int]:
    """Between which a sentence is that compares so with a number: from the first one to before the second."""
    low = {"=": number, ">=": number, ">": number + 1}.get(sign, _FIRST)
    high = {"=": number + 1, "<=": number + 1, "<": number}.get(sign, _LAST)
    return low, high
