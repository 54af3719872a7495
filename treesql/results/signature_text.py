"""Signatures as text: their parts, and several of them joined.

A signature is a score's name and parts `key:value` between bars; a bar in a value has a backslash before it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

_ENDS = ("q", "v", "duckdb")
"""The keys of the last parts of a signature: the query's digest, and the versions of treesql and DuckDB."""


_DIGITS = 6
"""Number of hexadecimal digits of a digest."""


def insert(text: str, parts: Sequence[str]) -> str:
    """A signature with further parts before the query's digest."""
    fields = split(text)
    return "|".join([*fields[: -len(_ENDS)], *parts, *fields[-len(_ENDS) :]])


def both(first: str, second: str, parts: Sequence[str]) -> str:
    """The signature of a number computed from two numbers of one metric, without repeated parts."""
    pairs = zip(split(first), split(second), strict=True)
    flat = [part for pair in pairs for part in dict.fromkeys(pair)]
    return insert("|".join(flat), parts)


def over(texts: Sequence[str], parts: Sequence[str]) -> str:
    """The signature of a number computed from numbers of several treebanks, with further parts.

    Parts that differ have the number of treebanks and a digest in place of their value: `gold:3@5d0c11`.
    """
    fields = []
    for same in zip(*map(split, texts), strict=True):
        key = same[0].partition(":")[0]
        fields.append(same[0] if len(set(same)) == 1 else f"{key}:{digest_of(same)}")
    return insert("|".join(fields), parts)


def digest_of(parts: Sequence[str]) -> str:
    """The number of parts and a digest of them: `3@5d0c11`."""
    return f"{len(parts)}@{hashlib.sha256(repr(tuple(parts)).encode()).hexdigest()[:_DIGITS]}"


def split(text: str) -> list[str]:
    """The parts of a signature, the score's name first."""
    return re.split(r"(?<!\\)\|", text)


def joined(texts: Iterable[str]) -> list[str]:
    """Signatures, consistent ones joined: `uas,las|...`, without repeated parts.

    Digests of queries are listed in the order of the scores' metrics.
    """
    groups: list[tuple[list[str], dict[str, list[str]]]] = []
    for text in texts:
        name, *rest = split(text)
        parts: dict[str, list[str]] = {}
        for part in rest:
            key, _, value = part.partition(":")
            parts.setdefault(key, []).append(value)
        if not groups or name in groups[-1][0] or not _agree(groups[-1][1], parts):
            groups.append(([], {}))
        names, known = groups[-1]
        names.append(name)
        _add(known, parts)
    return ["|".join([",".join(names), *_written(parts)]) for names, parts in groups]


def _agree(known: Mapping[str, Sequence[str]], more: Mapping[str, Sequence[str]]) -> bool:
    return all(known[key] == values for key, values in more.items() if key in known and key != "q")


def _add(known: dict[str, list[str]], more: Mapping[str, Sequence[str]]) -> None:
    """Add parts to those of other scores, new ones before the query's digest."""
    ends = {key: known.pop(key) for key in list(known) if key in _ENDS}
    for key, values in more.items():
        where = ends if key in _ENDS else known
        where.setdefault(key, []).extend(value for value in values if value not in where.get(key, []))
    known.update(ends)


def _written(parts: Mapping[str, Sequence[str]]) -> list[str]:
    fields = []
    for key, values in parts.items():
        together = [",".join(values)] if key == "q" else values
        fields += [f"{key}:{value}" if value else key for value in together]
    return fields
