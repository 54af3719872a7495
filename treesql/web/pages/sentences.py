"""A sentence: its trees, its words, its CoNLL-U, the sentences around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from treesql import DrawnSentences, Result, Sentence, TreesqlError
from treesql.errors import UnknownName
from treesql.results.documents import DocumentTable
from treesql.results.pages import Figure
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.pages.edits import command_of, edits_of
from treesql.web.visits import TREES, Visit, command_line, silent

PARAMETERS = ("system", "aligned", "links", "timeout")

MAX_LISTED = 1000
"""Maximum number of words or edges that a page lists; of a larger sentence, data have all."""

MAX_LAYERS = 2
"""Maximum number of layers of other corpora that a page draws, each in some 50 ms; the others it leads to."""

WHOLE = "pattern { }"
"""The request that every sentence matches once."""


def answer(visit: Visit) -> Answer:
    """Show a sentence, alone, with a parser's tree, or with its translation."""
    visit.address.check(PARAMETERS)
    if len(visit.address.parts) != 3:
        raise UnknownName("page", "/".join(visit.address.parts), ["sentences/CORPUS/ID"])
    _, corpus, name = visit.address.parts
    sentence = visit.database.sentence(name, corpus=visit.check_corpus(corpus))
    if visit.form == "conllu":
        return answers.of_text(conllu_of(visit, sentence), visit.form, name="sentence")
    if visit.form == "svg":
        return answers.of_text(_drawn(visit, sentence).svg(), visit.form, name="sentence")
    if not visit.is_page:
        return answers.of_rows(Result.of(sentence.words or sentence.lattice_edges), visit.form)
    return _page(visit, sentence)


def conllu_of(visit: Visit, sentence: Sentence) -> bytes:
    """A sentence as CoNLL-U, as it was read."""
    group = {"sentence": str(sentence.sentence)}
    search = visit.database.prepare(WHOLE, corpus=sentence.corpus, syntax="grew", group=group)
    return b"".join(search.sentences(timeout=visit.timeout, progress=silent))


def _drawn(visit: Visit, sentence: Sentence) -> DrawnSentences:
    """The drawings of a sentence, with those of another corpus that the address names."""
    chosen = {name: visit.address.get(name) for name in ("system", "aligned", "links") if visit.address.get(name)}
    if "aligned" not in chosen:
        chosen.pop("links", None)
    for name in chosen.values():
        visit.check_corpus(name)
    enhanced = bool(sentence.enhanced_edges)
    linked = {} if chosen else _linked(visit, sentence)
    if linked:
        return visit.database.show(sentence.sentence, **linked)  # type: ignore[arg-type]
    if not chosen:
        return DrawnSentences(((sentence, sentence.drawings(enhanced=enhanced)),))
    return visit.database.show(sentence.sentence, corpus=sentence.corpus, **chosen)  # type: ignore[arg-type]


def _linked(visit: Visit, sentence: Sentence) -> dict[str, str]:
    """What is drawn of a sentence of an alignment: the source with its links to the target; nothing of others."""
    corpora = {row["layer"]: row["corpus"] for row in visit.database.layers(sentence).rows()}
    if "source" not in corpora or "target" not in corpora:
        return {}
    return {"corpus": corpora["source"], "aligned": corpora["target"], "links": sentence.corpus}


def _page(visit: Visit, sentence: Sentence) -> Answer:
    edits = None
    with visit.listening():
        try:
            sentence.check_size()
            edits = edits_of(visit, sentence)
            drawing = edits or _drawn(visit, sentence).figure
        except TreesqlError as error:
            if visit.address.parameters:
                raise
            drawing = Figure(why=str(error))
        rows = sentence.words or sentence.lattice_edges
    before, after = sentences_around(visit, sentence)
    name = visit.address.parts[2]
    named = {parameter: visit.address.get(parameter) for parameter in ("system", "aligned", "links")}
    options = _linked(visit, sentence) or {"corpus": sentence.corpus, **named}
    return rendering.page(
        visit, "sentence.html", f"{sentence.corpus}: {sentence.name}", sentence=sentence, name=name, drawing=drawing,
        before=before, after=after, layers=_layers(visit, sentence),
        table=_table_of(rows) if rows else None, kind=visit.corpora[sentence.corpus]["kind"],
        command=command_of(visit, sentence) if edits else command_line(
            "show", visit.shown, name, enhanced=bool(sentence.enhanced_edges) and not any(named.values()), **options),
    )  # fmt: skip


@dataclass(frozen=True)
class Layer:
    """What another corpus has of a sentence. drawing: None of what is not drawn on this page."""

    title: str
    href: str
    drawing: Figure | None = None
    is_shown: bool = False


def _layers(visit: Visit, sentence: Sentence) -> list[Layer]:
    """All that other corpora have of a sentence; the first ones are drawn, those that can be."""
    layers: list[Layer] = []
    kind = visit.corpora[sentence.corpus]["kind"]
    chosen = tuple(visit.address.get(name) for name in ("system", "aligned", "links"))
    for row in visit.database.layers(sentence).rows():
        corpus, title = row["corpus"], row["corpus"]
        with_: dict[str, str] = {"system": corpus}
        if row["layer"] == "translation":
            title, with_ = f"{corpus}, linked by {row['links']}", {"aligned": corpus, "links": row["links"]}
        elif row["layer"] in ("source", "target"):
            title, with_ = f"{corpus}, the {row['layer']}", {"corpus": corpus}
        elif row["kind"] != kind and row["kind"] in TREES:
            title, with_ = f"{corpus}, {row['kind']}", {"corpus": corpus}
        is_other = "corpus" in with_
        parts = (corpus, f"#{row['sentence']}") if is_other else visit.address.parts[1:]
        href = link("sentences", *parts, **({} if is_other else with_))
        is_shown = not is_other and chosen == tuple(with_.get(name, "") for name in ("system", "aligned", "links"))
        drawing = None
        if row["layer"] in ("same words", "translation") and len(layers) < MAX_LAYERS and not any(chosen):
            number = row["sentence"] if is_other else sentence.sentence
            what: Any = {"corpus": sentence.corpus, **with_}
            with suppress(TreesqlError):
                shown = visit.database.show(number, **what)
                if shown.are_equal:
                    title = f"{title}, no differences"
                else:
                    drawing = shown.figure
        layers.append(Layer(title, href, drawing, is_shown))
    return layers


def _table_of(rows: Sequence[Mapping[str, Any]]) -> DocumentTable:
    """The first words or edges of a sentence in the columns with values, with how many there are if not all."""
    n_rows, fewer = len(rows), len(rows) > MAX_LISTED
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    rows = [{name: row[name] for name in columns} for row in rows[:MAX_LISTED]]
    caption = f"The first {MAX_LISTED:,} of {n_rows:,}; the data below have all." if fewer else ""
    return rendering.table_of(Result.of(rows), caption)


def sentences_around(visit: Visit, sentence: Sentence) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """The sentences before and after a sentence, each with where it is."""
    before = after = None
    rows = visit.database.neighbours(sentence).rows()
    names = visit.database.sentence_names(sentence.corpus, [row["sentence"] for row in rows])
    for row in rows:
        near = {"href": link("sentences", sentence.corpus, names[row["sentence"]]), "text": row["text"] or ""}
        before, after = (near, after) if row["sentence"] < sentence.sentence else (before, near)
    return before, after
