"""A corpus: its origin, tables whose numbers lead to their hits, and its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treesql import Result, UsageError
from treesql.errors import UnknownName
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.pages.sentences import WHOLE
from treesql.web.visits import Visit, command_line, silent

PARAMETERS = ("table", "text", "key", "value", "limit", "offset", "timeout")

USUAL = 50
"""Number of rows of a page."""

COUNTED = {
    "relations": ("Relations", "pattern { e: H -> X }", "e.label"),
    "parts_of_speech": ("Parts of speech", "pattern { X [upos] }", "X.upos"),
    "relations_by_part_of_speech": ("Relations by part of speech", "pattern { e: H -> X }", "X.upos, e.label"),
    "lemmas": ("Lemmas by part of speech", "pattern { X [lemma] }", "X.upos, X.lemma"),
    "word_order": ("Order of head and dependent", "pattern { e: H -> X; H [upos] }", "e.label, H#X"),
}
"""By table, its title, the request whose hits it counts, and its keys."""

SENTENCES = "sentences"


def answer(visit: Visit) -> Answer:
    """Show a corpus, or one of its tables."""
    visit.address.check(PARAMETERS)
    if len(visit.address.parts) != 2:
        raise UnknownName("page", "/".join(visit.address.parts), ["corpora/NAME"])
    name = visit.check_corpus(visit.address.parts[1])
    about = visit.corpora[name]
    is_tree = about["kind"] == "dependency"
    if visit.form == "conllu":
        search = visit.database.prepare(WHOLE, corpus=name, syntax="grew")
        return answers.of_parts(search.sentences(timeout=visit.timeout, progress=silent), visit.form)
    table = visit.address.get("table")
    if not table and not visit.is_page:
        return answers.of_rows(Result.of([about]), visit.form)
    known = [*COUNTED, SENTENCES] if is_tree else []
    if table and table not in known:
        raise UnknownName("table", table, known)
    return _answer_table(visit, name, table or SENTENCES if is_tree else "", known)


def _answer_table(visit: Visit, name: str, table: str, known: list[str]) -> Answer:
    about = visit.corpora[name]
    limit, offset = visit.bounds(USUAL)
    shown: dict[str, Any] = {"table": None, "total": 0, "more": None, "before": None, "offset": offset}
    command = command_line("info", visit.shown)
    if table:
        with visit.listening():
            found, total, command = (
                _sentences(visit, name, limit, offset) if table == SENTENCES else _counted(visit, name, table)
            )
        part = found if table == SENTENCES else Result(found.arrow().slice(offset, limit))
        more = visit.more(limit, offset, total)
        if not visit.is_page:
            return answers.of_rows(part, visit.form, total=total, more=more)
        before = visit.address.link(offset=max(offset - int(limit or 0), 0), limit=limit) if offset else None
        shown |= {"table": _linked(visit, name, table, part), "total": total, "more": more, "before": before}
    return rendering.page(
        visit, "corpus.html", name, name=name, about=about, chosen=table, known=known, command=command,
        titles={**{one: title for one, (title, *_) in COUNTED.items()}, SENTENCES: "Sentences"}, **shown,
    )  # fmt: skip


def _counted(visit: Visit, name: str, table: str) -> tuple[Result, int, str]:
    _, request, by = COUNTED[table]
    found = visit.database.find(
        request, corpus=name, by=by, share="all", per_million=True, timeout=visit.timeout, progress=silent
    )
    options: dict[str, Any] = {"corpus": name, "by": by, "share": "all", "per_million": True}
    return found, len(found), command_line("find", visit.shown, request, **options)


def _sentences(visit: Visit, name: str, limit: int | None, offset: int) -> tuple[Result, int, str]:
    """The sentences that a text and a comment choose."""
    request, key = WHOLE, visit.address.get("key")
    conditions = []
    if text := visit.address.get("text"):
        conditions.append(f"meta.text = /.*{_pattern(text)}.*/i")
    if key:
        if not all(part.isidentifier() for part in key.split("-")):
            raise UsageError(f"{key!r} is no name of a comment; write a name such as speaker")
        conditions.append(f'meta.{key} = "{_quoted(visit.address.get("value"))}"')
    if conditions:
        request = f"pattern {{ {'; '.join(conditions)} }}"
    how: dict[str, Any] = {"corpus": name, "syntax": "grew", "timeout": visit.timeout, "progress": silent}
    total = int(visit.database.find(request, count=True, **how).rows()[0]["count"])
    columns = "sentence, sent_id, text"
    found = visit.database.find(request, columns=columns, limit=limit, offset=offset, **how)
    return found, total, command_line("find", visit.shown, request, corpus=name, columns=columns, limit=limit)


def _pattern(text: str) -> str:
    """An expression that matches a text and nothing else."""
    return "".join(one if one.isalnum() or one == " " else f"\\x{{{ord(one):x}}}" for one in text)


def _quoted(text: str) -> str:
    """A text between quotes. Raises UsageError."""
    if '"' in text or "\\" in text or "\n" in text:
        raise UsageError("a value has no quotes, backslashes and newlines here; search by a Grew request instead")
    return text


def _linked(visit: Visit, name: str, table: str, found: Result) -> rendering.WebTable:
    if table == SENTENCES:

        def to_sentence(row: Mapping[str, Any], column: str) -> str | None:
            own_name = row["sentence"] if row["sent_id"] is None else row["sent_id"]
            return link("sentences", name, own_name) if column in ("sentence", "sent_id") else None

        return rendering.table_of(found, linked=to_sentence)
    title, request, by = COUNTED[table]
    keys = [key.strip() for key in by.split(",")]

    def to_hits(row: Mapping[str, Any], column: str) -> str | None:
        values = [str(row[key]) for key in keys]
        return link("search", q=request, corpus=name, key=keys, value=values) if column == "count" else None

    return rendering.table_of(Result(found.arrow(), percent=frozenset({"share"})), title, linked=to_hits)
