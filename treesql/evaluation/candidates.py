"""Corpora of a database that kinds of evaluation can score: those that fit each role, and those that seem to be the
same sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treesql.catalog.kinds import SYSTEM, WORDS, Kind, Role
from treesql.evaluation.inputs import is_read_by
from treesql.readers import TEXT

Info = Mapping[str, Any]
"""A row of `Database.info`."""


@dataclass(frozen=True)
class Candidates:
    """The corpora that a kind of evaluation can score.

    corpora: by role, those that fit it, where any with words do texts before trees. proposed: groups of corpora that
    seem to be the same sentences: one by the role that all systems share, the first that has the role's name or a
    treebank, or all with its name if it may have several; the others as `system`. are_enough: whether there is a
    corpus for every role that needs one, and a text where any with words do.
    """

    kind: Kind
    corpora: Mapping[str, list[str]]
    proposed: Sequence[Mapping[str, list[str]]]
    are_enough: bool


def find_candidates(kind: Kind, rows: Sequence[Info]) -> Candidates:
    """Find the corpora that fit the roles of a kind. rows: of `Database.info`."""
    rows = [row for row in rows if kind.usual_format in (None, row["format"])]
    fitting = {
        role.name: sorted(
            (row for row in rows if is_read_by(role, row["kind"])),
            key=lambda row, reads=role.reads: reads == WORDS and row["kind"] != TEXT,  # type: ignore[misc]
        )
        for role in kind.roles
    }
    corpora = {name: [row["corpus"] for row in found] for name, found in fitting.items()}
    return Candidates(kind, corpora, _propose(kind, fitting), _are_enough(kind, fitting))


def _are_enough(kind: Kind, fitting: Mapping[str, Sequence[Info]]) -> bool:
    needed = kind.needed
    return all(
        len(fitting[role.name]) >= sum(other.reads == role.reads for other in needed[: number + 1])
        and (role.reads != WORDS or fitting[role.name][0]["kind"] == TEXT)
        for number, role in enumerate(needed)
    )


def _propose(kind: Kind, fitting: Mapping[str, Sequence[Info]]) -> list[dict[str, list[str]]]:
    if not kind.shared or sum(not role.option for role in kind.own) > 1:
        return []
    shared, own = kind.shared[0], kind.own[0]
    rows = {
        row["corpus"]: row
        for role in (shared, own) for row in fitting[role.name] if role.reads != WORDS or row["kind"] == TEXT
    }  # fmt: skip
    proposed = []
    for alike in find_alike(list(rows.values()), by_words=shared.reads == own.reads != WORDS):
        golds = [row for row in alike if is_read_by(shared, row["kind"])]
        golds.sort(key=lambda row: (not _is_named_after(shared, row), not _treebank(row)))
        named = [row["corpus"] for row in golds if shared.several and _is_named_after(shared, row)]
        for chosen in (named, [row["corpus"] for row in golds[:1]]):
            systems = [row["corpus"] for row in alike if row["corpus"] not in chosen and is_read_by(own, row["kind"])]
            if chosen and systems:
                proposed.append({shared.name: chosen, SYSTEM: systems})
                break
    return proposed


def _is_named_after(role: Role, row: Info) -> bool:
    """Whether the name of a corpus has that of a role, or a word that it begins with: `ref0` is a reference."""
    words = re.findall(r"[a-z]{3,}", row["corpus"].lower())
    return role.name in row["corpus"] or any(role.name.startswith(word) for word in words)


def find_alike(rows: Iterable[Info], *, by_words: bool) -> list[list[Info]]:
    """The corpora that seem to be the same sentences, two and more: as many, and of no two treebanks.

    A parser's output often has no treebank, and is beside gold that has one. by_words: whether they have as many words.
    """
    by_size: dict[tuple[object, ...], list[Info]] = {}
    for row in rows:
        by_size.setdefault((row["sentences"], row["words"] if by_words else None), []).append(row)
    found = []
    for alike in by_size.values():
        named = dict.fromkeys(map(_treebank, alike))
        several = len(named.keys() - {""}) > 1
        found += [[row for row in alike if _treebank(row) == name] for name in named] if several else [alike]
    return [alike for alike in found if len(alike) > 1]


def _treebank(row: Info) -> str:
    return str(row["treebank"] or row["language"] or "")
