"""The faults found in one file, gathered up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput


class Faults:
    """Collects what is wrong with a file, by line; keeps the first FAULTS_SHOWN."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Diagnostic] = []
        self._kinds: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether no further fault is kept."""
        return len(self.found) >= FAULTS_SHOWN

    def add(self, line: int, what: str, hint: str, column: int = 0) -> None:
        """Note a fault; line or column 0 where none can be named."""
        if not self.full:
            self.found.append(Diagnostic.error(self.path, int(line), what, hint, int(column)))

    def add_once(self, line: int, what: str, hint: str, kind: str | None = None) -> None:
        """Note a fault unless one of its kind, else of its wording, is there."""
        if (kind or what) not in self._kinds:
            self._kinds.add(kind or what)
            self.add(line, what, hint)

    def each(self, lines: Iterable[int], what: Callable[[int], str], hint: str) -> None:
        """One fault for every line; `what` is given the position in `lines`."""
        for position, line in enumerate(lines):
            if self.full:
                return
            self.add(line, what(position), hint)

    def raise_any(self) -> None:
        """Raises InvalidInput if there is any fault."""
        if self.found:
            raise InvalidInput(sorted(self.found, key=lambda fault: (fault.line, fault.column)))
