"""What went wrong with a request, with the place in it, and what may stand there instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import treesql
from treesql.errors import QueryError, RefusedStatement, RequestError, UnknownName
from treesql.web.addresses import Address

MAX_REPAIRS = 3
"""Maximum number of names that may stand in the place of a wrong one."""

MAX_KNOWN = 12
"""Maximum number of names that a page offers where none is like the wrong one."""

_NAMED = re.compile(r"`([^`]+)`|'([^']+)'|\"([^\"]+)\"|with name ([^\s!]+)")
_COLUMN = re.compile(r'column named ("[^"]+")')
_PLACE = re.compile(r"^(LINE (\d+): )(.*)\n( *)\^", re.MULTILINE)
_PROPOSED = re.compile(r"[;\n]? ?[Dd]id you mean (.+?)\?|Candidate bindings: (.+)")
_ENGINE = re.compile(r"^(?:[A-Z][a-z]+ )+Error: ")
_VALUE = re.compile(r"""(.*=\s*["'/]?)([^"'/\]]+)(["'/]?\]?)""")
_WORD = re.compile(r"[\w:.]+")


@dataclass(frozen=True)
class Fault:
    """A request in three parts, of which the second is wrong. repairs: by name, where the request with it is; alike:
    whether these names are like the wrong one, and not all that there are."""

    before: str = ""
    text: str = ""
    after: str = ""
    repairs: Mapping[str, str] = field(default_factory=dict)
    alike: bool = True


@dataclass(frozen=True)
class Failed:
    """What a page says of a request that failed. detail: what the engine says, or further errors."""

    what: str
    hint: str
    fault: Fault | None = None
    detail: str = ""


def describe_failure(address: Address, error: BaseException, what: str, hint: str) -> Failed:
    """What a page says of an error. what, hint: what its answer as data says."""
    if isinstance(error, RequestError):
        at, text = error.at, error.request
        place = Fault(text[:at], text[at : at + 1], text[at + 1 :])
        return Failed(f"Line {error.line}, column {error.column}: {error.what}", error.hint, place)
    if isinstance(error, UnknownName):
        return _describe_unknown(address, error)
    if isinstance(error, QueryError) and error.name is None and not isinstance(error, RefusedStatement):
        first, *others = what.splitlines()
        hints = [line for line in others if line.startswith("`")]
        fault = find_fault(address, address.get("q"), error.message)
        return Failed(_ENGINE.sub("", first), " ".join(hints), fault, error.message)
    first, *others = what.splitlines() or [""]
    return Failed(_ENGINE.sub("", first), hint, detail=what if others else "")


def _describe_unknown(address: Address, error: UnknownName) -> Failed:
    """What a page says of a name that there is not: those that there are, each leading to what was meant by it."""
    names = error.near or (error.known if len(error.known) <= MAX_KNOWN else [])
    repairs = {name: href for name in names if (href := _renamed(address, error.name, name))}
    fault = find_fault(address, address.get("q"), f"'{error.name}'") if len(address.several("q")) == 1 else None
    what = f"unknown {error.kind} {error.name!r}"
    return Failed(
        what, error.note if repairs else error.hint, replace(fault or Fault(), repairs=repairs, alike=bool(error.near))
    )


def _renamed(address: Address, wrong: str, name: str) -> str:
    """The address with a name in the place of a wrong one; nothing if the address does not have that."""
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)")
    parts = tuple(name if part == wrong else part for part in address.parts)
    parameters = tuple((key, pattern.sub(lambda _: name, value)) for key, value in address.parameters)
    renamed = replace(address, parts=parts, parameters=parameters)
    return "" if renamed == address else renamed.link()


def find_fault(address: Address, text: str, message: str) -> Fault | None:
    """The part of a request that a message points at, else the first that it names; None if it names none of it."""
    columns = _COLUMN.findall(message)
    names = (next(filter(None, match.groups())) for match in _NAMED.finditer(" ".join([*columns, message])))
    named = next((name for name in names if name in text), None)
    if named is None:
        return None
    start = _start_in_line(text, message, named)
    if start is None:
        at = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", text)
        start = at.start() if at else text.index(named)
    before, after = text[:start], text[start + len(named) :]
    match = _VALUE.fullmatch(named)
    label, value, rest = match.groups() if match else ("", named, "")
    repairs = {
        name: address.link(q=f"{before}{label}{name}{rest}{after}", limit=None, offset=None)
        for name in _proposed_names(message, value) or (_columns_like(value, text) if columns else [])
        if len(address.several("q")) == 1
    }
    return Fault(before, named, after, repairs)


def without_proposals(message: str) -> str:
    """A message without the names that it proposes."""
    return _PROPOSED.sub("", message)


def _start_in_line(text: str, message: str, named: str) -> int | None:
    """Where the place begins that a message of the engine marks below its line; None of a line that it has cut."""
    match = _PLACE.search(message)
    if match is None:
        return None
    head, number, shown, spaces = match.groups()
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: int(number) - 1])) + len(spaces) - len(head)
    return start if shown in text and text.startswith(named, start) else None


def _proposed_names(message: str, wrong: str) -> list[str]:
    """The names that a message proposes; of a list of all that there are, those that are like the wrong one."""
    match = _PROPOSED.search(message)
    if match is None:
        return []
    meant, candidates = match.groups()
    if meant:
        return [word for word in _WORD.findall(meant) if word != "or"][:MAX_REPAIRS]
    return difflib.get_close_matches(wrong, _WORD.findall(candidates), MAX_REPAIRS)


def _columns_like(wrong: str, statement: str) -> Sequence[str]:
    """The columns of the queries in a statement that are like a wrong name."""
    named = set(_WORD.findall(statement))
    columns = {column for query in treesql.queries() if query.name in named for column in query.columns}
    return difflib.get_close_matches(wrong, sorted(columns), MAX_REPAIRS)
