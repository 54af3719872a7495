"""Sentences of a file or a database, drawn: alone, with a parser's trees, or with translations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypedDict, Unpack

from treesql import catalog, readers
from treesql.drawing import svg
from treesql.drawing.svg import WIDTH
from treesql.engines import Engine
from treesql.engines.duckdb_files import is_database, open_database
from treesql.errors import UnknownName, UsageError, issue
from treesql.readers import ALIGNMENT, Notation, Options
from treesql.readers.frames import Frames, pair_sentences
from treesql.readers.source import Content
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.sentences import bitext, lookup, views
from treesql.sentences.sentence import Sentence, Translation
from treesql.sentences.sentence_names import EngineCorpus
from treesql.sentences.views import Captioned
from treesql.storage import loading
from treesql.storage.corpus_plans import File, as_path


@dataclass(frozen=True)
@convert_errors_of_class
class DrawnSentences:
    """Sentences with their drawings. legends: of drawings as text, and of pictures."""

    drawn: tuple[tuple[Sentence, Captioned], ...]
    legends: tuple[str, str] = ("", "")

    def text(self, *, width: int | None = None, colour: bool = False) -> str:
        """The drawings as text. width: of a row in columns, None for any; colour: whether to use terminal colours."""
        parts = []
        for sentence, drawings in self.drawn:
            title = f"{sentence.name}: {sentence.text}" if sentence.text else sentence.name
            texts = [
                f"{caption}\n" * bool(caption) + drawing.characters(width, colour) for caption, drawing in drawings
            ]
            parts.append(f"{title}\n\n" + "\n".join(texts))
        return "\n".join(parts) + (f"\n{self.legends[0]}\n" if self.legends[0] else "")

    def svg(self, *, width: float | None = WIDTH) -> str:
        """All drawings as one SVG document. width: of a row of words in pixels, None for a single row."""
        pictures = [
            (": ".join(filter(None, [sentence.name * (len(self.drawn) > 1), caption])), drawing.picture(width))
            for sentence, parts in self.drawn
            for caption, drawing in parts
        ]
        title = "; ".join(sentence.text or sentence.name for sentence, _ in self.drawn)
        return svg.stack(pictures).svg(title, standalone=True)

    def html(self, *, width: float | None = WIDTH) -> str:
        """One self-contained HTML page with all drawings. width: as for `svg`; without it, rows fit the window."""
        corpora = ", ".join(dict.fromkeys(sentence.corpus for sentence, _ in self.drawn))
        figures = []
        for sentence, drawings in self.drawn:
            title = sentence.text or sentence.name
            if width == WIDTH:
                drawn = svg.page_of(drawings, title)
            else:
                picture = svg.stack((caption, drawing.picture(width)) for caption, drawing in drawings)
                drawn = picture.svg(title, standalone=False)
            figures.append(Figure(sentence.name, drawn, sentence.text or "", scrolls=width != WIDTH))
        legend = self.legends[1]
        if width == WIDTH:
            legend = views.legend_of_pictures(legend, "".join(figure.svg for figure in figures))
        return pages.render("drawings.html", title=corpora, summary=legend, figures=figures)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        return pages.notebook(Figure(svg=svg.as_element(self.svg())))

    @cached_property
    def figure(self) -> Figure:
        """All drawings for a page, under a legend of the marks that they have."""
        drawn = "".join(
            svg.page_of(
                [(": ".join(filter(None, [sentence.name * (len(self.drawn) > 1), caption])), drawing)],
                sentence.text or sentence.name,
            )
            for sentence, drawings in self.drawn
            for caption, drawing in drawings
        )
        return Figure(views.legend_of_pictures(self.legends[1], drawn), drawn, scrolls=False)

    @property
    def are_equal(self) -> bool:
        """Whether pictures of two trees show no difference."""
        return self.figure.caption == views.NO_DIFFERENCES


@convert_errors
def show(
    source: File,
    *names: str | int,
    corpus: str | None = None,
    system: File | None = None,
    relations: str | None = None,
    aligned: File | None = None,
    links: File | None = None,
    links_from: str | None = None,
    base: int | None = None,
    reverse: bool = False,
    grid: bool = False,
    enhanced: bool = False,
    head_rules: str | None = None,
    format: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> DrawnSentences:
    """Draw sentences: their dependency trees, constituency trees, or both.

    source: a database or a file; in place of files also bytes, open files, lists of sentences or data frames. names:
    sent_ids, or numbers in the corpus, from 0: 2 or "#2". corpus: of the database, or a pattern.
    system: a parser's output, or a corpus of the database, whose trees are compared by `relations`, `universal` or
    `full`. aligned: a translation, drawn below with the links between the words: `links`, a file or a corpus, by
    default the alignment of both in the database. links_from, base, reverse: format and notation of files of links.
    grid: whether to draw the links as a grid instead of the trees; then `system` is another alignment, compared with
    the links. enhanced: whether to draw the enhanced graph below the words. head_rules: a set of head rules, such as
    `collins`, by which pictures show the heads of phrases; by default those that the treebank marks. format,
    permissive, strict, max_sentence: of files, as for `treesql.load`. Warns with TreesqlWarning. Raises UnknownName,
    UsageError, InvalidInput, DatabaseError.
    """
    what = _Request(
        names, corpus, _file(system, "system", ALIGNMENT if grid else None), relations, _file(aligned, "aligned"),
        _file(links, "links", ALIGNMENT), links_from, Notation(base, reverse), grid, enhanced, head_rules,
    )  # fmt: skip
    path = as_path(source, "source", form=format)
    shown = (path, what.system, what.aligned, what.links)
    pair_sentences([framed for framed in shown if isinstance(framed, Frames)])
    with ExitStack() as stack, readers.max_sentence(max_sentence):
        database = None
        if not isinstance(path, Content) and is_database(path):
            database = stack.enter_context(open_database(path, read_only=True, safe=True, sealed=True))
        return _draw(what, _Corpora(stack, path, format, permissive, strict, database))


def _file(value: File | None, name: str, kind: str | None = None) -> str | None:
    return None if value is None or (isinstance(value, str) and not value) else as_path(value, name, kind)


class DrawnWith(TypedDict, total=False):
    """What sentences of a database are drawn with: words of `show`."""

    corpus: str | None
    system: str | Path | None
    relations: str | None
    aligned: str | Path | None
    links: str | Path | None
    grid: bool
    enhanced: bool
    head_rules: str | None


def show_of(engine: Engine, *names: str | int, **options: Unpack[DrawnWith]) -> DrawnSentences:
    """Draw sentences of an open database, as `show` does."""
    system, aligned, links = map(path_or_none, (options.get("system"), options.get("aligned"), options.get("links")))
    what = _Request(
        names, options.get("corpus"), system, options.get("relations"), aligned, links, grid=options.get("grid", False),
        enhanced=options.get("enhanced", False), head_rules=options.get("head_rules"),
    )  # fmt: skip
    with ExitStack() as stack:
        return _draw(what, _Corpora(stack, "", None, False, False, engine))


def path_or_none(path: str | Path | None) -> str | None:
    """A path as text; None for none, and for an empty name."""
    return str(path) if path else None


@dataclass(frozen=True)
class _Request:
    """What `show` is asked for. Raises UsageError for what does not go together."""

    names: tuple[str | int, ...]
    corpus: str | None
    system: str | None
    relations: str | None
    aligned: str | None
    links: str | None
    links_from: str | None = None
    notation: Notation = field(default_factory=Notation)
    grid: bool = False
    enhanced: bool = False
    head_rules: str | None = None

    def __post_init__(self) -> None:
        reading_links = self.links_from or self.notation != Notation()
        if self.relations and not self.system:
            raise UsageError("--relations is for comparing two trees; name the other one with --system")
        if self.grid and not self.aligned:
            raise UsageError("--grid draws the links to the words of a translation; name it with --aligned")
        if self.grid and (self.enhanced or self.relations or self.head_rules):
            raise UsageError("--grid draws no trees; leave out --enhanced, --relations and --head-rules")
        if self.system and self.aligned and not self.grid:
            raise UsageError("--system and --aligned both draw another tree below; choose one of them")
        if not self.aligned and (self.links or reading_links):
            raise UsageError("--links and how they are read are for translations; name one with --aligned")
        if not self.links and not (self.grid and self.system) and reading_links:
            raise UsageError("--links-from, --base and --reverse are for a file of links; name it with --links")


def _draw(what: _Request, corpora: _Corpora) -> DrawnSentences:
    sentences = corpora.find(what.names, what.corpus, what.aligned or what.system, what.head_rules)
    if what.grid:
        return _draw_grids(sentences, what, corpora)
    systems: Sequence[Sentence | None] = [None] * len(sentences)
    translations: Sequence[Translation | None] = [None] * len(sentences)
    legends = ("", "")
    if what.system:
        systems = corpora.counterparts(sentences, what.system, what.head_rules)
        parsed = any(sentence.parsed for sentence in sentences)
        legends = views.LEGEND if parsed else views.LEGEND_OF_PHRASES, views.LEGEND_OF_BOTH
    if what.aligned:
        translations = corpora.translations(sentences, what.aligned, what.links, what.links_from, what.notation)
        legends = views.LEGEND_OF_LINKS, views.LEGEND_OF_LINES
    corpora.check_reading()
    drawn = (
        (
            sentence,
            sentence.drawings(
                system=other, aligned=pair, enhanced=what.enhanced, relations=what.relations or "universal"
            ),
        )
        for sentence, other, pair in zip(sentences, systems, translations, strict=True)
    )
    return DrawnSentences(tuple(drawn), legends)


def _draw_grids(sentences: Sequence[Sentence], what: _Request, corpora: _Corpora) -> DrawnSentences:
    assert what.aligned is not None
    reading = what.links_from, what.notation
    pairs = corpora.translations(sentences, what.aligned, what.links, *reading)
    compared: Sequence[Translation | None] = [None] * len(sentences)
    if what.system:
        compared = corpora.translations(sentences, what.aligned, what.system, *reading)
    corpora.check_reading()
    drawn = (
        (sentence, sentence.drawings(grid=True, aligned=pair, system_links=None if other is None else other.links))
        for sentence, pair, other in zip(sentences, pairs, compared, strict=True)
    )
    return DrawnSentences(tuple(drawn), views.LEGENDS_OF_COMPARED_GRID if what.system else views.LEGENDS_OF_GRID)


@dataclass
class _Corpora:
    """Corpora of files and of a database, open until the stack closes. read: whether any file was read."""

    stack: ExitStack
    source: str
    form: str | None
    permissive: bool
    strict: bool
    database: Engine | None
    read: bool = False

    @property
    def names(self) -> list[str]:
        """The corpora of the database."""
        return [] if self.database is None else loading.corpus_names(self.database)

    def find(
        self, names: Sequence[str | int], corpus: str | None, other: str | None, head_rules: str | None
    ) -> list[Sentence]:
        """The sentences. other: the corpus that they are drawn with, which is not searched."""
        if self.database is None:
            if corpus:
                raise UsageError("--corpus chooses in a database; a file is one corpus")
            engine, name = self._open(self.source)
            sentences = lookup.find_sentences(engine, names, name)
        else:
            engine = self.database
            sentences = lookup.find_sentences(
                engine, names, corpus, other if other in self.names and other != corpus else None
            )
        return sentences if head_rules is None else [with_heads(engine, sentence, head_rules) for sentence in sentences]

    def counterparts(self, sentences: Sequence[Sentence], system: str, head_rules: str | None) -> Sequence[Sentence]:
        """The same sentences in a parser's output."""
        engine, corpus = self._corpus(system)
        others = lookup.find_counterparts(engine, sentences, corpus)
        return others if head_rules is None else [with_heads(engine, sentence, head_rules) for sentence in others]

    def translations(
        self, sentences: Sequence[Sentence], aligned: str, links: str | None, form: str | None, notation: Notation
    ) -> Sequence[Translation]:
        """The translations of the sentences, with the links."""
        other = self._corpus(aligned)
        if links is None and self.database is not other[0]:
            raise UsageError("--aligned needs the links between the words: --links FILE")
        if links is None:
            links = bitext.find_alignment(other[0], sentences[0].corpus, aligned)
        return bitext.find_translations(sentences, other, self._corpus(links, form, notation))

    def check_reading(self) -> None:
        """Raises UsageError if options of reading files are given and no file was read."""
        if not self.read and (self.form or self.permissive or self.strict):
            raise UsageError("options for reading files (--from, --permissive, --strict) do not apply to a database")

    def _corpus(self, name: str, form: str | None = None, notation: Notation | None = None) -> EngineCorpus:
        """A corpus of the database, or a file. notation: of an alignment."""
        if self.database is not None:
            if name in self.names:
                if form or notation not in (None, Notation()):
                    raise UsageError(f"{name} is loaded; --links-from, --base and --reverse are for files")
                return self.database, name
            if not Path(name).exists():
                raise UnknownName("file or corpus", name, self.names)
        return self._open(name, form, notation)

    def _open(self, path: str, form: str | None = None, notation: Notation | None = None) -> EngineCorpus:
        self.read |= notation is None
        kind = None if notation is None else ALIGNMENT
        options = Options(self.permissive, self.strict)
        file_form = form if notation is not None else self.form
        opened = lookup.open_file(path, options, file_form, issue, notation=notation, kind=kind)
        return self.stack.enter_context(opened)


def with_heads(engine: Engine, sentence: Sentence, head_rules: str) -> Sentence:
    """Return a sentence whose drawings show the head of every phrase, by a set of the table `head_rules`.

    Raises UnknownName, UsageError where the sentence has no phrases.
    """
    rule_sets = [name for (name,) in engine.rows("SELECT DISTINCT h.rule_set FROM head_rules AS h ORDER BY h.rule_set")]
    if head_rules not in rule_sets:
        raise UnknownName("set of head rules", head_rules, rule_sets)
    if not sentence.constituents:
        raise UsageError(f"--head-rules is for phrases, and {sentence.place} has none; leave it out")
    values = {
        "tree_corpus": sentence.corpus,
        "head_rules": head_rules,
        "first_sentence": sentence.sentence,
        "last_sentence": sentence.sentence,
    }
    sql = f"SELECT h.node, h.child_node, h.child_word FROM ({catalog.query('head_children').statement.sql}) AS h"
    return replace(sentence, heads=tuple(engine.table(sql, values).to_pylist()))
