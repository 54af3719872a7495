"""Ids of lists, each of which may begin once."""

from __future__ import annotations

from treesql.readers.faults import Faults


class SeenIds:
    """The ids of the lists of a file so far, with the line of each."""

    def __init__(self) -> None:
        self._lines: dict[bytes, int] = {}

    def check(self, one: bytes, line: int, faults: Faults) -> None:
        """Add an id; a second list of one is a fault."""
        first = self._lines.setdefault(one, line)
        if first != line:
            what = f"a second list of `{one[:60].decode('utf-8', 'replace')}`, which has one in line {first}"
            faults.add(line, what, "put all hypotheses of a sentence together, with an id of its own")
