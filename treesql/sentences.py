"""Sentences out of the tables, each an object that shows its trees: in a terminal, a notebook, a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from treesql import portraits
from treesql.catalog.schemas import literal
from treesql.drawing import svg
from treesql.drawing.dependencies import WIDTH
from treesql.errors import FormatError, TreesqlError, UnknownName, UsageError
from treesql.portraits import Captioned
from treesql.readers import Notation, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.storage import in_memory, loading

if TYPE_CHECKING:
    from treesql.bitexts import Translation

Held = tuple[duckdb.DuckDBPyConnection, str]
"""A corpus, and the connection that reaches it."""

Rows = tuple[Mapping[str, Any], ...]
"""Rows of a table that belong to one sentence, in order."""

MOST_WORDS = 5000
"""Maximum number of words of a sentence that is drawn: a picture takes seconds then, and four times as long for twice
as many."""

_NEAR = 21
"""So many names are looked at for one that may have been meant."""

_TABLES = {
    "words": ("word, form, lemma, upos, xpos, feats, head, deprel, udeprel, phrase, span_start, span_end", "word"),
    "tokens": ("first, last, form", "first"),
    "empty_nodes": ('word, "index", form, lemma, upos, xpos, feats', 'word, "index"'),
    "enhanced_edges": ("head, head_index, dependent, dependent_index, deprel", "dependent, dependent_index, head"),
    "constituents": ("node, parent, label, functions", "node"),
}


@dataclass(frozen=True, repr=False)
class Sentence:
    """A sentence with its trees; `print` draws it, and so does a notebook.

    sentence: its number in the corpus, from 0; words, tokens, ...: its rows of the tables that are called so.
    """

    corpus: str
    sentence: int
    sent_id: str | None
    text: str | None
    words: Rows
    tokens: Rows = ()
    empty_nodes: Rows = ()
    enhanced_edges: Rows = ()
    constituents: Rows = ()

    @property
    def name(self) -> str:
        """Its sent_id, or its number where it has none."""
        return self.sent_id if self.sent_id is not None else str(self.sentence)

    @property
    def place(self) -> str:
        """What a message calls it."""
        return f"sentence {self.name!r} of {self.corpus}"

    @property
    def parsed(self) -> bool:
        """Whether it has a dependency tree."""
        return any(word["head"] is not None for word in self.words)

    @property
    def surface(self) -> str:
        """Its characters as they are written, without white space."""
        inside = {at for token in self.tokens for at in range(token["first"], token["last"] + 1)}
        forms = [(token["first"], token["form"]) for token in self.tokens]
        forms += [(word["word"], word["form"]) for word in self.words if word["word"] not in inside]
        return "".join("".join(form.split()) for _, form in sorted(forms))

    def drawings(
        self,
        *,
        system: Sentence | None = None,
        aligned: Translation | None = None,
        enhanced: bool = False,
        relations: str = "universal",
        highlights: Mapping[int, str] | None = None,
        marks: Mapping[int, str] | None = None,
    ) -> Captioned:
        """Its trees, to be drawn, each with a caption; see `svg`."""
        self._check_size()
        for other in (system, None if aligned is None else aligned.sentence):
            if other is not None:
                other._check_size()
        if relations not in ("universal", "full"):
            raise UsageError(f"relations are compared `universal` or `full`, not {relations!r}")
        if aligned is not None:
            if enhanced or system is not None:
                raise UsageError(
                    "a translation takes the room of a system's tree and of enhanced edges; choose one of them"
                )
            return portraits.pair(self, aligned, highlights or {}, marks or {})
        if system is None:
            return portraits.trees(self, enhanced, highlights or {}, marks or {})
        if enhanced or marks:
            raise UsageError("a system's tree takes the room of enhanced edges, and marks its own; choose one of them")
        return portraits.comparison(self, system, relations, highlights or {})

    def _check_size(self) -> None:
        """Raises UsageError where there are too many words to be drawn."""
        if len(self.words) > MOST_WORDS:
            size = f"{self.place} has {len(self.words):,} words, and {MOST_WORDS:,} at most are drawn"
            rows = f"FROM words WHERE corpus = {literal(self.corpus)} AND sentence = {self.sentence} ORDER BY word"
            raise UsageError(f"{size}; look at them in SQL: {rows}")

    def svg(self, *, width: float | None = WIDTH, standalone: bool = True, **what: Any) -> str:
        """Its trees as an SVG document, or with `standalone=False` as an element for a page.

        width: of a row of words in pixels, None for a single row. system: the same sentence by a parser, drawn with
        what is wrong in it. aligned: its translation, drawn below it with links between the words. enhanced: whether
        the enhanced graph is drawn below the words. relations: `universal` or `full`, how they are compared with those
        of the system. highlights: positions of words that stand out, each with a name to write at it, or ``. marks:
        positions of dependents whose edge is marked, each with its mark (see drawing.arcs.Arc). Raises UsageError where
        there is nothing to draw.
        """
        picture = svg.stack((caption, one.picture(width)) for caption, one in self.drawings(**what))
        return picture.svg(self.text or self.name, standalone=standalone)

    def characters(self, *, width: int | None = None, colour: bool = False, **what: Any) -> str:
        """The same in characters. width: columns of a row; colour: with the codes of a terminal."""
        drawings = self.drawings(**what)
        return "\n".join(f"{caption}\n" * bool(caption) + one.characters(width, colour) for caption, one in drawings)

    def __str__(self) -> str:
        return self.characters().rstrip("\n") if self._drawable else self._plain

    def __repr__(self) -> str:
        return f"<Sentence {self.name} of {self.corpus}, {len(self.words)} words>"

    def _repr_svg_(self) -> str | None:
        return self.svg() if self._drawable else None

    def _repr_html_(self) -> str:
        if not self._drawable:
            return f'<p dir="auto">{escape(self._plain)}</p>'
        return f'<div style="overflow-x: auto">{self.svg(standalone=False)}</div>'

    @property
    def _drawable(self) -> bool:
        return len(self.words) <= MOST_WORDS and (self.parsed or bool(self.constituents))

    @property
    def _plain(self) -> str:
        return self.text or " ".join(word["form"] for word in self.words)


def find(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], corpus: str | None = None, beside: str | None = None
) -> list[Sentence]:
    """Sentences by sent_id, or else by their number in the corpus, from 0; in the order of the names.

    corpus: where to look; None for all but `beside`. Raises UnknownName where there is none of a name, UsageError where
    there are several.
    """
    if corpus is not None and not loading.corpus_exists(connection, corpus):
        raise UnknownName("corpus", corpus, loading.corpus_names(connection))
    chosen = {"corpus": corpus, "beside": beside}
    return [_fetch(connection, *_place(connection, name, chosen)) for name in names]


def counterparts(connection: duckdb.DuckDBPyConnection, sentences: Sequence[Sentence], corpus: str) -> list[Sentence]:
    """The same sentences in another corpus: those with their sent_id, or where it has none, with their number.

    Where that is another text, because a parser has found other sentences, those that share characters with it, counted
    from the beginning of the corpora, side by side. Raises UnknownName, UsageError.
    """
    sql = "SELECT count(s.sent_id) > 0 FROM sentences AS s WHERE s.corpus = ?"
    [(named,)] = connection.execute(sql, [corpus]).fetchall()
    return [_counterpart(connection, one, corpus, bool(named)) for one in sentences]


def numbered(connection: duckdb.DuckDBPyConnection, corpus: str, sentence: Sentence) -> Sentence:
    """The sentence of another corpus that has the number of one. Raises UsageError where there is none."""
    sql = "SELECT count(*) FROM sentences AS s WHERE s.corpus = ?"
    [(n_sentences,)] = connection.execute(sql, [corpus]).fetchall()
    if sentence.sentence >= n_sentences:
        raise UsageError(f"{corpus} has only {n_sentences} sentences, none that corresponds to {sentence.place}")
    return _fetch(connection, corpus, sentence.sentence)


def _counterpart(connection: duckdb.DuckDBPyConnection, sentence: Sentence, corpus: str, named: bool) -> Sentence:
    found: Sentence | None = None
    unknown: TreesqlError | None = None
    try:
        if named and sentence.sent_id is not None:
            [found] = find(connection, [sentence.sent_id], corpus)
        else:
            found = numbered(connection, corpus, sentence)
    except (UnknownName, UsageError) as error:
        unknown = error
    if found is None or portraits.shift(sentence, found) is None:
        overlapping = _overlapping(connection, sentence, corpus)
        if overlapping is not None and portraits.shift(sentence, overlapping) is not None:
            return overlapping
    if found is None:
        assert unknown is not None
        raise unknown
    return found


def _overlapping(connection: duckdb.DuckDBPyConnection, sentence: Sentence, corpus: str) -> Sentence | None:
    """The sentences of another corpus that share characters with one, as one sentence with several trees."""
    spans = [(word["span_start"], word["span_end"]) for word in sentence.words if word["span_start"] is not None]
    if not spans:
        return None
    sql = (
        "SELECT DISTINCT w.sentence FROM words AS w WHERE w.corpus = ? AND w.span_end > ? AND w.span_start < ? "
        "ORDER BY w.sentence"
    )
    numbers = connection.execute(sql, [corpus, min(spans)[0], max(spans)[1]]).fetchall()
    parts = [_fetch(connection, corpus, number) for (number,) in numbers]
    if not parts or any(part.constituents for part in parts):
        return None
    words: list[Mapping[str, Any]] = []
    tokens: list[Mapping[str, Any]] = []
    for part in parts:
        before = len(words)
        tokens += [{**one, "first": one["first"] + before, "last": one["last"] + before} for one in part.tokens]
        words += [
            {**one, "word": one["word"] + before, "head": one["head"] + before if one["head"] else one["head"]}
            for one in part.words
        ]
    name = " + ".join(part.name for part in parts)
    return Sentence(corpus, parts[0].sentence, name, None, tuple(words), tuple(tokens))


@contextmanager
def held(
    path: str,
    options: Options,
    form: str | None = None,
    warn: Callable[[FormatError], object] = lambda warning: None,
    *,
    notation: Notation | None = None,
    kind: str | None = None,
) -> Iterator[Held]:
    """A file as a corpus in memory, and the corpus's name: the file's. warn: called with all that is worth a look.

    notation: how the links of an alignment are written. kind: what the sentences are to be. Raises InvalidInput,
    UsageError.
    """
    name = "stdin" if path == STANDARD_INPUT else Path(path).name
    wanted = loading.plan_loads([path], name, form, notation=notation, kind=kind)
    connection, loaded = in_memory.load_into_memory(wanted, options)
    with connection:
        for warning in loading.distinct_warnings(loaded):
            warn(warning)
        yield connection, loaded[0].corpus


def page(
    sentences: Sequence[tuple[Sentence, Captioned]], title: str, legend: str = "", width: float | None = WIDTH
) -> str:
    """One HTML page that needs nothing but itself, in the reader's light or dark scheme."""
    parts = [_HEAD.format(title=escape(title))]
    if legend:
        parts.append(f"<p>{escape(legend)}</p>")
    for sentence, drawings in sentences:
        picture = svg.stack((caption, one.picture(width)) for caption, one in drawings)
        told = f'<p dir="auto">{escape(sentence.text)}</p>' if sentence.text else ""
        drawn = picture.svg(sentence.text or sentence.name, standalone=False)
        parts.append(
            f"<figure>\n<figcaption><b>{escape(sentence.name)}</b>{told}</figcaption>\n"
            f'<div class="wide">{drawn}</div>\n</figure>'
        )
    return "\n".join([*parts, "</body>\n</html>\n"])


_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 'Noto Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; margin: 2rem auto; padding: 0 1rem;
  max-width: 64rem; }}
h1 {{ font-size: 1.3rem; }}
figure {{ margin: 0 0 3rem; }}
figcaption p {{ margin: 0 0 0.5rem; }}
.wide {{ overflow-x: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>"""


def _place(connection: duckdb.DuckDBPyConnection, name: str, chosen: Mapping[str, str | None]) -> tuple[str, int]:
    """The corpus and number of a sentence."""
    where = (
        "(s.corpus = $corpus OR CAST($corpus AS VARCHAR) IS NULL AND s.corpus NOT IN "
        "(SELECT c.corpus FROM corpora AS c WHERE c.kind IN ('alignment', 'lattice'))) "
        "AND (CAST($beside AS VARCHAR) IS NULL OR s.corpus <> $beside)"
    )
    sql = f"SELECT s.corpus, s.sentence FROM sentences AS s WHERE {where} AND "
    found = connection.execute(sql + "s.sent_id = $name", {**chosen, "name": name}).fetchall()
    if not found and name.isascii() and name.isdigit() and len(name) < 10:
        found = connection.execute(sql + "s.sentence = $name", {**chosen, "name": int(name)}).fetchall()
    if not found:
        sql = (
            f"SELECT DISTINCT s.sent_id, jaro_winkler_similarity(s.sent_id, $name) AS similarity "
            f"FROM sentences AS s WHERE {where} AND s.sent_id IS NOT NULL ORDER BY similarity DESC, s.sent_id "
            f"LIMIT {_NEAR}"
        )
        near = [one for one, _ in connection.execute(sql, {**chosen, "name": name}).fetchall()]
        if near:
            raise UnknownName("sentence", name, near)
        [(last,)] = connection.execute(f"SELECT max(s.sentence) FROM sentences AS s WHERE {where}", chosen).fetchall()
        hint = f"they have no sent_id, name one by its number, 0 to {last}" if last is not None else "there is none"
        raise UsageError(f"unknown sentence {name!r}; {hint}")
    corpora = sorted({own for own, _ in found})
    if len(corpora) > 1:
        raise UsageError(
            f"sentence {name!r} is there in several corpora: {', '.join(corpora)}; choose one with --corpus NAME"
        )
    if len(found) > 1:
        numbers = ", ".join(str(at) for _, at in sorted(found))
        raise UsageError(f"{corpora[0]} has several sentences {name!r}; name one of them by its number: {numbers}")
    return str(found[0][0]), int(found[0][1])


def _fetch(connection: duckdb.DuckDBPyConnection, corpus: str, sentence: int) -> Sentence:
    key = {"corpus": corpus, "sentence": sentence}

    def rows(table: str, columns: str, order: str = "1") -> Rows:
        sql = f"SELECT {columns} FROM {table} WHERE corpus = $corpus AND sentence = $sentence ORDER BY {order}"
        relation = connection.sql(sql, params=key)
        return tuple(dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall())

    [own] = rows("sentences", "sent_id, text")
    found = {table: rows(table, columns, order) for table, (columns, order) in _TABLES.items()}
    return Sentence(corpus, sentence, own["sent_id"], own["text"], **found)
