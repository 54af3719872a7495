"""EVALB's parameter files: what is compared of two constituency trees, and what counts as equal.

Source: EVALB (Sekine & Collins 1997, revision of 2006), its README, COLLINS.prm and new.prm.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from treesql.engines.duckdb import shadow_table
from treesql.errors import Diagnostic, UnknownName, Warn
from treesql.readers.encoding import clean_text
from treesql.readers.faults import Faults
from treesql.readers.source import Source

SUFFIX = ".prm"

Pair = tuple[str, str]


@dataclass(frozen=True)
class EvalbParameters:
    """What a parameter file says, EVALB's defaults elsewhere.

    deleted: labels whose brackets are left out, and tags whose words are; deleted_for_length: tags whose words do not
    count for the length of a sentence; quotes: tags that may be mistaken for a quote's; equal_labels, equal_words: what
    is the same, either way round. notes: what was passed over.
    """

    labelled: bool = True
    deleted: tuple[str, ...] = ()
    deleted_for_length: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    equal_labels: tuple[Pair, ...] = ()
    equal_words: tuple[Pair, ...] = ()
    cutoff_length: int = 40
    max_error: int = 10
    debug: int = 0
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def rows(self) -> list[tuple[str, str, str | None]]:
        """As rows of evalb_parameters, without the name of the set. Labels that pairs make equal form a class."""
        one_value = [
            ("LABELED", str(int(self.labelled))),
            ("CUTOFF_LEN", str(self.cutoff_length)),
            ("MAX_ERROR", str(self.max_error)),
            *(("DELETE_LABEL", label) for label in self.deleted),
            *(("DELETE_LABEL_FOR_LENGTH", label) for label in self.deleted_for_length),
            *(("QUOTE_LABEL", label) for label in self.quotes),
        ]
        rows: list[tuple[str, str, str | None]] = [(name, value, None) for name, value in dict.fromkeys(one_value)]
        for name, pairs in (("EQ_LABEL", self.equal_labels), ("EQ_WORD", self.equal_words)):
            rows += [(name, value, same_as) for value, same_as in _classes(pairs)]
        return rows


# Parameters by the fields that they fill: with one number, with a list of labels, with a list of pairs.
_NUMBERS = {"DEBUG": "debug", "MAX_ERROR": "max_error", "CUTOFF_LEN": "cutoff_length", "LABELED": "labelled"}
_LABELS = {"DELETE_LABEL": "deleted", "DELETE_LABEL_FOR_LENGTH": "deleted_for_length", "QUOTE_LABEL": "quotes"}
_PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORD": "equal_words"}
_PASSED_OVER = {"DISC_ONLY": "all phrases are compared, not only discontinuous ones"}


def install_rules(connection: duckdb.DuckDBPyConnection, given: str, warn: Warn = lambda note: None) -> str:
    """The name of a parameter set: `given` itself, or the file's that is put in under its own, in place of another.

    A database file stays as it is: a temporary table shadows its own. warn: called with what is passed over.
    Raises UnknownName, InvalidInput.
    """
    known = [name for (name,) in connection.execute("SELECT DISTINCT parameter_set FROM evalb_parameters").fetchall()]
    if Path(given).is_file():
        name = Path(given).name.removesuffix(SUFFIX)
        shadow_table(connection, "evalb_parameters")
        connection.execute("DELETE FROM evalb_parameters WHERE parameter_set = ?", [name])
        parameters = read_parameters(given)
        for note in parameters.notes:
            warn(note)
        rows = [(name, *row) for row in parameters.rows]
        connection.executemany("INSERT INTO evalb_parameters VALUES (?, ?, ?, ?)", rows)
        return name
    if given.removesuffix(SUFFIX) not in known:
        raise UnknownName("parameter file", given, known)
    return given.removesuffix(SUFFIX)


def read_parameters(path: str | Path) -> EvalbParameters:
    """The parameters of a file. Raises InvalidInput."""
    source = Source(str(path))
    faults = Faults(source.name)
    data = b"".join(chunk.data for chunk in source.chunks())
    text = clean_text(data, 1, True, faults, returns=False).decode("utf-8", "replace")
    lines = ParameterLines(faults)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            lines.add(number, [(found[0], found.start() + 1) for found in re.finditer(r"\S+", line)])
    faults.raise_any()
    return lines.parameters


class ParameterLines:
    """The lines of a parameter file, one after the other."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._values: dict[str, int | bool] = {}
        self._lists: dict[str, list[str]] = {}
        self._pairs: dict[str, list[Pair]] = {}
        self._notes: list[Diagnostic] = []

    @property
    def parameters(self) -> EvalbParameters:
        """What all of them say."""
        given: dict[str, object] = {name: tuple(values) for name, values in self._lists.items()}
        given.update((name, tuple(pairs)) for name, pairs in self._pairs.items())
        given.update(self._values)
        return EvalbParameters(**given, notes=tuple(self._notes))  # type: ignore[arg-type]

    def add(self, line: int, words: list[tuple[str, int]]) -> None:
        """A line: its words, with their columns."""
        (name, column), *rest = words
        values = [value for value, _ in rest]
        if name in _PASSED_OVER:
            self._notes.append(
                Diagnostic.warning(self._faults.path, line, f"{name} is passed over", _PASSED_OVER[name], column)
            )
        elif name not in _NUMBERS | _LABELS | _PAIRS:
            self._faults.add(line, f"unknown parameter `{name}`", _nearest(name), column)
        elif len(values) != (expected := 2 if name in _PAIRS else 1):
            what = f"{name} has {len(values)} value{'' if len(values) == 1 else 's'} where it needs {expected}"
            self._faults.add(line, what, f"write {name}{' LABEL' * expected}, one of them a line", column)
        elif name in _NUMBERS:
            self._add_number(line, name, *rest[0])
        elif name in _LABELS:
            self._lists.setdefault(_LABELS[name], []).append(values[0])
        else:
            self._pairs.setdefault(_PAIRS[name], []).append((values[0], values[1]))

    def _add_number(self, line: int, name: str, value: str, column: int) -> None:
        own = _NUMBERS[name]
        if own in self._values:
            self._faults.add(line, f"{name} stands twice", "give it once", 1)
        elif not re.fullmatch("[0-9]{1,9}" if name != "LABELED" else "[01]", value):
            hint = "write 1 for labelled or 0 for unlabelled" if name == "LABELED" else "write a number, such as 40"
            self._faults.add(line, f"{name} is `{value}`", hint, column)
        else:
            self._values[own] = value == "1" if name == "LABELED" else int(value)


def _classes(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """For every member of a class of equals, but the one that stands first, that one."""
    first: dict[str, str] = {}
    for one, other in pairs:
        kept, dropped = first.setdefault(one, one), first.setdefault(other, other)
        first.update((member, kept) for member, own in first.items() if own == dropped)
    yield from ((member, own) for member, own in first.items() if member != own)


def _nearest(name: str) -> str:
    known = [*_NUMBERS, *_LABELS, *_PAIRS, *_PASSED_OVER]
    near = difflib.get_close_matches(name.upper(), known, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(known))}"
