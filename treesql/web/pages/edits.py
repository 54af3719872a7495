"""A reference and what a system has in its place, a word above the other, with edits in colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import treesql
from treesql import Kind, Sentence
from treesql.results import edits_layout
from treesql.results.pages import Figure, counted
from treesql.web.addresses import link
from treesql.web.visits import TREES, Visit, command_line

Steps = Sequence[tuple[str, str, str]]
"""Steps of an alignment of words, as a Figure has them."""


def table_of(kind: Kind) -> str | None:
    """The table of aligned sentences of a kind, None if it has none."""
    return next((flag.table for flag in kind.flags.values() if flag.screen == "edits"), None)


def kind_of(visit: Visit, sentence: Sentence) -> Kind | None:
    """The kind by which a sentence and the system that the address names are aligned; None if they are drawn."""
    system = visit.address.get("system")
    if not system:
        return None
    if {visit.corpora[name]["kind"] for name in (sentence.corpus, visit.check_corpus(system))} <= set(TREES):
        return None
    aligning = [kind.name for kind in treesql.kinds() if table_of(kind)]
    for candidates in visit.database.candidates(*aligning):
        shared, own = candidates.kind.shared[0], candidates.kind.own[0]
        if sentence.corpus in candidates.corpora[shared.name] and system in candidates.corpora[own.name]:
            return candidates.kind
    return None


def command_of(visit: Visit, sentence: Sentence) -> str:
    """The command that shows the sentences with errors."""
    kind = kind_of(visit, sentence)
    name, system = kind.name if kind else "", visit.address.get("system")
    return command_line("score", name, system, reference=sentence.corpus, db=visit.shown, errors=True)


def edits_of(visit: Visit, sentence: Sentence) -> Figure | None:
    """A sentence of a reference above that of the system that the address names; None if they are drawn."""
    kind, system = kind_of(visit, sentence), visit.address.get("system")
    if kind is None:
        return None
    for row in visit.database.edits(sentence, system=system).rows():
        rows = str(row["reference"]), str(system)
        return Figure(edits_layout.LEGEND, edits=edits_layout.steps(row), rows=rows)
    # Scoring refuses a system that lacks a sentence: without a row it has the same words.
    return Figure(why=f"{system} has the same words.")


def paragraphs(visit: Visit, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, Steps]]:
    """The rows of a table of aligned sentences: what each is called, where the sentence is, and its edits."""
    reference = visit.address.get("reference")
    names = _names_in_reference(visit, reference, rows)
    return [
        (
            f"{row['system']}, {row['sent_id'] or row['sentence']}: {counted(row['edits'], 'edit')} against"
            f" {row['reference']}",
            link("sentences", reference, name, system=row["system"]),
            edits_layout.steps(row),
        )
        for name, row in zip(names, rows, strict=True)
    ]


def _names_in_reference(visit: Visit, reference: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of the sentences of rows in the reference.

    They correspond by sent_id if both corpora have some, each once, else by number.
    """
    names = visit.database.sentence_names(reference, [row["sentence"] for row in rows])
    has_ids = _has_ids(visit, reference)
    return [
        row["sent_id"] if has_ids and row["sent_id"] and not name.startswith("#") else name
        for row in rows
        for name in [names[row["sentence"]]]
    ]


def _has_ids(visit: Visit, corpus: str) -> bool:
    """Whether the sentences of a corpus have sent_ids, as the first one shows."""
    return bool(visit.corpora[corpus]["sentences"]) and visit.database.sentence(0, corpus=corpus).sent_id is not None
