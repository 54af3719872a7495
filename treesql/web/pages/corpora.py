"""A corpus: its origin, tables whose numbers lead to their hits, and its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treesql import Kind, Result
from treesql.errors import UnknownName, plural
from treesql.results import pages
from treesql.results.documents import DocumentTable
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.pages.sentences import WHOLE
from treesql.web.visits import TREES, Visit, Window, command_line, literal, silent

MANY_CORPORA = 24
"""Number of corpora from which the groups of the first page are folded."""

MAX_COMPARED = 6
"""Maximum number of groups of corpora that the first page offers to compare."""

PARAMETERS = ("table", "text", "key", "value", "limit", "offset", "timeout")

DEFAULT_LIMIT = 50
"""Number of rows of a page, unless the address says another."""

COUNTED = {
    "relations": ("Relations", "pattern { e: H -> X }", "e.label"),
    "parts_of_speech": ("Parts of speech", "pattern { X [upos] }", "X.upos"),
    "relations_by_part_of_speech": ("Relations by part of speech", "pattern { e: H -> X }", "X.upos, e.label"),
    "lemmas": ("Lemmas by part of speech", "pattern { X [lemma] }", "X.upos, X.lemma"),
    "word_order": ("Order of head and dependent", "pattern { e: H -> X; H [upos] }", "e.label, H#X"),
}
"""By table, its title, the request whose hits it counts, and its keys."""

HEADS = {
    "e.label": "relation", "X.upos": "part of speech", "X.lemma": "lemma", "H#X": "order", "upos": "part of speech",
    "feature_value": "value", "upos_share": "share",
}  # fmt: skip
"""What pages call columns of these tables."""

QUERIED = {
    "features": ("Features by part of speech", "feature_inventory"),
    "ambiguous_lemmas": ("Lemmas with several parts of speech", "ambiguous_lemmas"),
}
"""By table, its title, and the query of the catalogue that has its rows."""

SENTENCES = "sentences"

FIRST_TEXTS = """
SELECT s.corpus, coalesce(s.text, text_between(s, 1, s.n_words)) AS text FROM sentences AS s WHERE s.sentence = 0
"""
"""The first sentences of all corpora."""


def answer_home(visit: Visit) -> Answer:
    """Say what the database has: its corpora, questions that find something, systems to compare."""
    visit.address.check(())
    if not visit.is_page:
        return answers.of_rows(visit.database.info(), visit.form)
    rows = list(visit.corpora.values())
    are_many = len(rows) > MANY_CORPORA
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        treebank = str(row["treebank"] or row["language"] or "") if are_many else ""
        groups.setdefault((treebank, str(row["kind"])), []).append(row)
    n_words = sum(int(str(row["words"])) for row in rows)
    title = f"{len(rows):,} {plural(len(rows), 'corpus', 'corpora')}, {pages.counted(n_words, 'word')}"
    answer = rendering.page(
        visit, "home.html", title, groups=groups, are_folded=are_many, compared=_systems(visit)[:MAX_COMPARED],
        first_texts={} if are_many else _first_texts(visit, groups),
        searched={name: row for name, row in visit.corpora.items() if row["kind"] in TREES}, trees=TREES,
        command=command_line("info", visit.shown),
    )  # fmt: skip
    return replace(answer, is_final=not visit.examples.are_left)


def _first_texts(visit: Visit, groups: Mapping[tuple[str, str], list[Mapping[str, Any]]]) -> dict[str, str]:
    """The first sentence of each corpus, without those that an earlier corpus has, such as the gold one of parsers."""
    texts = {row["corpus"]: row["text"] for row in visit.database.sql(FIRST_TEXTS).rows()}
    corpora: dict[str, str] = {}
    for row in (row for rows in groups.values() for row in rows):
        corpora.setdefault(texts.get(row["corpus"]) or "", row["corpus"])
    return {corpus: text for text, corpus in corpora.items()}


def _systems(visit: Visit) -> list[tuple[Kind, Mapping[str, list[str]]]]:
    """Groups of corpora that can be scored, each once, with the first kind of evaluation that they are for."""
    found: dict[frozenset[str], tuple[Kind, Mapping[str, list[str]]]] = {}
    for candidates in visit.candidates:
        for group in candidates.proposed:
            found.setdefault(frozenset(name for names in group.values() for name in names), (candidates.kind, group))
    return list(found.values())


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
    known = [SENTENCES, *COUNTED, *QUERIED] if is_tree else [SENTENCES]
    if table and table not in known:
        raise UnknownName("table", table, known)
    return _answer_table(visit, name, table or SENTENCES, known)


def _answer_table(visit: Visit, name: str, table: str, known: list[str]) -> Answer:
    window = visit.window(DEFAULT_LIMIT)
    with visit.listening():
        if table == SENTENCES:
            part, total, command = _sentences(visit, name, window)
        else:
            rows, command = _counted(visit, name, table)
            part, total = window.cut(rows), len(rows)
    if not visit.is_page:
        return answers.of_rows(part, visit.form, total=total, more=window.more(total))
    return rendering.page(
        visit, "corpus.html", name, name=name, about=visit.corpora[name], chosen=table, known=known, command=command,
        is_searched=visit.corpora[name]["kind"] in TREES,
        titles={key: title for key, (title, *_) in {**COUNTED, **QUERIED, SENTENCES: ("Sentences",)}.items()},
        table=_linked(visit, name, table, part), **window.shown(total),
    )  # fmt: skip


def _counted(visit: Visit, name: str, table: str) -> tuple[Result, str]:
    """All rows of a table of counts, and the command that prints them."""
    if table in QUERIED:
        query = QUERIED[table][1]
        rows = visit.database.query(query, corpus_name=name)
        statement = f"FROM {query}(corpus_name := {literal(name)})"
        shares = frozenset(column for column in rows.columns if column.endswith("share"))
        counts = Result(rows.arrow().drop_columns(["corpus"]), percent=shares)
        return counts, command_line("sql", visit.shown, statement)
    _, request, by = COUNTED[table]
    options: dict[str, Any] = {"corpus": name, "by": by, "share": "all", "per_million": True}
    counts = visit.database.find(request, **options, timeout=visit.timeout, progress=silent)
    return counts, command_line("find", visit.shown, request, **options)


def _sentences(visit: Visit, name: str, window: Window) -> tuple[Result, int, str]:
    """The sentences that a text and a comment choose, their number, and the command that prints all."""
    conditions = {name: visit.address.get(name) for name in ("text", "key", "value")}
    conditions["value"] = conditions["value"] if conditions["key"] else ""
    sentences = visit.database.sentences(name, **conditions, limit=window.limit, offset=window.offset, progress=silent)
    statement = f"SELECT sentence, sent_id, text FROM sentences WHERE corpus = {literal(name)}"
    return sentences.rows, sentences.total, command_line("sql", visit.shown, statement)


def _clauses(row: Mapping[str, Any]) -> str:
    """The conditions of Grew that a row of a table is about; nothing where they cannot be written."""
    values = {"upos": row["upos"], **({row["feature"]: row["feature_value"]} if "feature" in row else {})}
    values |= {"lemma": row["lemma"]} if "lemma" in row else {}
    names = all(
        part.isidentifier() for name in values for part in name.replace("[", "_").rstrip("]").split("_") if part
    )
    if not names or any(value is None or set(value) & set('"\\\n') for value in values.values()):
        return ""
    written = {name.replace("[", "__").rstrip("]"): value for name, value in values.items()}
    return ", ".join(f'{name}="{value}"' for name, value in written.items())


def _linked(visit: Visit, name: str, table: str, rows: Result) -> DocumentTable:
    if table == SENTENCES:
        names = visit.database.sentence_names(name, [row["sentence"] for row in rows.rows()])

        def to_sentence(row: Mapping[str, Any], column: str) -> str | None:
            is_name = column in ("sentence", "sent_id") and row[column] is not None
            return link("sentences", name, names[row["sentence"]]) if is_name else None

        heads = [column for column in rows.columns if column != "words" or visit.corpora[name]["words"]]
        if all(row["sent_id"] is not None for row in rows.rows()):
            heads.remove("sentence")
        return rendering.table_of(rows, linked=to_sentence, heads=heads, only_filled=True)
    if table in QUERIED:

        def to_words(row: Mapping[str, Any], column: str) -> str | None:
            clauses = _clauses(row)
            return (
                link("search", q=f"pattern {{ X [{clauses}] }}", corpus=name) if column == "words" and clauses else None
            )

        return _with_heads(rendering.table_of(rows, linked=to_words, is_plain=True))
    _, request, by = COUNTED[table]
    keys = [key.strip() for key in by.split(",")]

    def to_hits(row: Mapping[str, Any], column: str) -> str | None:
        values = [str(row[key]) for key in keys]
        return link("search", q=request, corpus=name, key=keys, value=values) if column == "count" else None

    counts = Result(rows.arrow(), percent=frozenset({"share"}))
    return _with_heads(rendering.table_of(counts, linked=to_hits, is_plain=True))


def _with_heads(table: DocumentTable) -> DocumentTable:
    return replace(table, heads=[HEADS.get(head.replace(" ", "_"), head) for head in table.heads])
