"""A reference and what a system has in its place, a word above the other, with edits in colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

import treesql
from treesql import Kind, Sentence
from treesql.results import edits_layout
from treesql.web import rendering
from treesql.web.addresses import link
from treesql.web.visits import Visit, command_line

KINDS = ("lattice", "translation")
"""Kinds whose systems are no trees: of a lattice the path that is nearest to the reference is shown."""


def table_of(kind: Kind) -> str | None:
    """The table of aligned sentences of a kind, None if it has none."""
    return next((flag.table for flag in kind.flags.values() if flag.screen == "edits"), None)


def kind_of(visit: Visit, found: Sentence) -> Kind | None:
    """The kind by which a sentence and the system that the address names are aligned; None where both have trees."""
    system = visit.address.get("system")
    if not system:
        return None
    is_lattice = visit.corpora[visit.check_corpus(system)]["kind"] == "lattice"
    if not is_lattice and (found.parsed or found.constituents):
        return None
    return treesql.kinds(KINDS[0] if is_lattice else KINDS[1])[0]


def command_of(visit: Visit, found: Sentence) -> str:
    """The command that shows the sentences with errors."""
    kind = kind_of(visit, found)
    name, system = kind.name if kind else "", visit.address.get("system")
    return command_line("score", name, system, reference=found.corpus, db=visit.shown, errors=True)


def edits_of(visit: Visit, found: Sentence) -> Markup | None:
    """A sentence of a reference above that of the system that the address names; None where both have trees."""
    kind, system = kind_of(visit, found), visit.address.get("system")
    if kind is None:
        return None
    rows = visit.database.score(kind.name, reference=found.corpus, systems=[system], table=table_of(kind)).rows()
    for row in rows:
        if row["sent_id"] == found.sent_id if row["sent_id"] and found.sent_id else row["sentence"] == found.sentence:
            return rendering.drawing(edits_layout.html(row))
    return rendering.drawing(f"<p>{rendering.escaped(system)} has the same words.</p>")


def paragraphs(visit: Visit, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, Markup]]:
    """The rows of a table of aligned sentences: what each is called, where the sentence is, and its edits."""
    reference = visit.address.get("reference")
    return [
        (
            f"{row['system']}, {row['sent_id'] or row['sentence']}: {row['edits']} edits",
            link("sentences", reference, row["sent_id"] or row["sentence"], system=row["system"]),
            rendering.drawing(edits_layout.html(row)),
        )
        for row in rows
    ]
