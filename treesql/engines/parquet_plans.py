"""What the plan of a statement reads of Parquet: which columns, and how many of the first rows at most."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_NAME = re.compile(r"\w+")

_LIMITS = ("STREAMING_LIMIT", "LIMIT")

_ROW_BY_ROW = ("PROJECTION", "UNION")
"""Operators whose first rows are made of the first rows that they are given."""

_OF_ALL_ROWS = {"Function", "Projections", "Estimated Cardinality", "File Filters", "Scanning Files"}
"""What a plan says of a scan that leaves out no row of a file that it reads."""


class Reads(NamedTuple):
    """What is read. columns: these, and perhaps others; rows: at most so many, the first ones of the files that are
    not filtered out, infinity for any."""

    columns: frozenset[str]
    rows: float


def reads_of(plan: str, *, keeps_order: bool) -> Reads:
    """What the plan of a statement as JSON reads. keeps_order: whether rows have the order of their files.

    Raises ValueError.
    """
    scans = list(_scans(json.loads(plan), float("inf")))
    columns = frozenset(name for node, _ in scans for name in _NAME.findall(json.dumps(node["extra_info"])))
    return Reads(columns, max((rows for _, rows in scans), default=float("inf")) if keeps_order else float("inf"))


def _scans(plan: Iterable[Any], rows: float) -> Iterator[tuple[Any, float]]:
    """The scans of files, and how many of their first rows are read at most. rows: that these nodes have to make."""
    for node in plan:
        name, says = node.get("name", "").upper(), node.get("extra_info", {})
        if "PARQUET" in name:
            yield node, rows if says.keys() <= _OF_ALL_ROWS else float("inf")
        yield from _scans(node.get("children", ()), _rows_below(name, says, rows))


def _rows_below(name: str, says: Mapping[str, Any], rows: float) -> float:
    """How many of the first rows of its input an operator reads at most, to make so many rows."""
    if name in _LIMITS and str(says.get("Limit", "")).isdecimal() and str(says.get("Offset", "0")).isdecimal():
        return min(rows, int(says["Limit"])) + int(says.get("Offset", "0"))
    return rows if name in _ROW_BY_ROW else float("inf")
