"""What went wrong with a request, with the place in it, and what may stand there instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from treesql.errors import QueryError, RequestError
from treesql.web.addresses import Address

MAX_REPAIRS = 3
"""Maximum number of names that may stand in the place of a wrong one."""

_NAMED = re.compile(r"`([^`]+)`|'([^']+)'|\"([^\"]+)\"|with name ([^\s!]+)")
_PROPOSED = re.compile(r"[Dd]id you mean (.+?)\?|Candidate bindings: (.+)")
_ENGINE = re.compile(r"^(?:[A-Z][a-z]+ )+Error: ")
_WORD = re.compile(r"[\w:.]+")


@dataclass(frozen=True)
class Fault:
    """A request in three parts, of which the second is wrong. repairs: by name, where the request with it is."""

    before: str
    text: str
    after: str
    repairs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """What a page says of a request that failed. detail: what the engine says."""

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
    if isinstance(error, QueryError) and error.name is None:
        first, *others = what.splitlines()
        hints = [line for line in others if line.startswith("`")]
        fault = find_fault(address, address.get("q"), error.message)
        return Failed(_ENGINE.sub("", first), " ".join(hints), fault, error.message)
    return Failed(what, hint)


def find_fault(address: Address, text: str, message: str) -> Fault | None:
    """The first part of a request that a message names, None if it names none of it."""
    names = (next(filter(None, match.groups())) for match in _NAMED.finditer(message))
    named = next((name for name in names if name in text), None)
    if named is None:
        return None
    at = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", text)
    start = at.start() if at else text.index(named)
    before, after = text[:start], text[start + len(named) :]
    label, operator, value = named.rpartition("=")
    repairs = {
        name: address.link(q=f"{before}{label}{operator}{name}{after}", limit=None, offset=None)
        for name in _proposed_names(message, value)
        if len(address.several("q")) == 1
    }
    return Fault(before, named, after, repairs)


def _proposed_names(message: str, wrong: str) -> list[str]:
    """The names that a message proposes; of a list of all that there are, those that are like the wrong one."""
    match = _PROPOSED.search(message)
    if match is None:
        return []
    meant, candidates = match.groups()
    if meant:
        return [word for word in _WORD.findall(meant) if word != "or"][:MAX_REPAIRS]
    return difflib.get_close_matches(wrong, _WORD.findall(candidates), MAX_REPAIRS)
