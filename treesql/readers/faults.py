"""The faults of one file, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar

from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput

max_faults = ContextVar("max_faults", default=FAULTS_SHOWN)
"""Maximum number of faults that are collected of a file."""


class Faults:
    """Collects the faults of a file, up to `max_faults`, by default FAULTS_SHOWN.

    rows_before: of a part of a table, the number of rows in the parts before it, which numbers of rows include.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows_before = 0
        self._limit = max_faults.get()
        self.found: list[Diagnostic] = []
        self._kinds: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return len(self.found) >= self._limit

    def add(self, line: int, what: str, hint: str, column: int = 0) -> None:
        """Add a fault; line or column 0 where none can be named."""
        if not self.full:
            line = int(line) - self.rows_before if line else 0
            self.found.append(Diagnostic.error(self.path, line, what, hint, int(column)))

    def add_once(self, line: int, what: str, hint: str, kind: str | None = None) -> None:
        """Add a fault unless the file has one of its kind (None: of its wording) already."""
        if (kind or what) not in self._kinds:
            self._kinds.add(kind or what)
            self.add(line, what, hint)

    def each(self, lines: Iterable[int], what: Callable[[int], str], hint: str) -> None:
        """Add a fault for every line; `what` is called with the position in `lines`."""
        for position, line in enumerate(lines):
            if self.full:
                return
            self.add(line, what(position), hint)

    def raise_any(self) -> None:
        """Raises InvalidInput if there is any fault."""
        if self.found:
            raise InvalidInput(sorted(self.found, key=lambda fault: (fault.line, fault.column)))
