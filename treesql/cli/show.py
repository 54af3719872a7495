"""treesql show."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treesql import readers
from treesql.catalog.formats import listed
from treesql.cli._output import DEFAULT_WIDTH, destination, format_by_ending, warn
from treesql.cli._reading import base_option, reading_options
from treesql.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from treesql import Database
    from treesql.readers import Notation
    from treesql.sentences.rows import EngineCorpus
    from treesql.sentences.sentence import Sentence, Translation
    from treesql.sentences.views import Captioned

ENDINGS = {".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text"}


@click.command()
@click.argument("source", metavar="DB|FILE")
@click.argument("names", nargs=-1, required=True, metavar="SENT_ID...")
@click.option("--corpus", metavar="NAME", help="The corpus of the database. [default: the one that has the sentence]")
@click.option("--system", metavar="FILE|NAME", help="A parser's output, or a corpus of the database, to compare with.")
@click.option(
    "--relations",
    type=click.Choice(["universal", "full"]),
    help="How relations are compared with the system's. [default: universal]",
)
@click.option("--aligned", metavar="FILE|NAME", help="A translation, drawn below with links between the words.")
@click.option(
    "--links",
    metavar="FILE|NAME",
    help="The links to the words of the translation: 0-0 1-2, a line per sentence. "
    "[default: the database's alignment of the two]",
)
@click.option(
    "--links-from", "links_form", metavar="FORMAT", help=f"Format of --links: {listed(readers.formats(), 'alignment')}."
)
@base_option
@click.option("--reverse", is_flag=True, help="Alignments: the word of the translation comes first.")
@click.option("--enhanced", is_flag=True, help="Also draw the enhanced graph, below the words.")
@click.option("--svg", "form", flag_value="svg", help="Draw as SVG.")
@click.option("--html", "form", flag_value="html", help="Write a page.")
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file: .svg, .html or text.")
@click.option(
    "--width",
    type=click.IntRange(min=0),
    help="Width in columns (SVG, HTML: pixels) at which a sentence breaks; 0: never. [default: the screen; 1000]",
)
@reading_options()
def command(
    source: str, names: tuple[str, ...], corpus: str | None, system: str | None, relations: str | None,
    aligned: str | None, links: str | None, links_form: str | None, base: str | None, reverse: bool, enhanced: bool,
    form: str | None, out: str | None, width: int | None, source_form: str | None, permissive: bool, strict: bool,
) -> None:  # fmt: skip
    """Draw sentences: their dependency trees, constituency trees, or both.

    A sentence is named by its sent_id, or by its 0-based number in the corpus, as in the tables. With --system, gold
    edges are above the words and the system's below; wrong and missed edges have a cross and are drawn in colour. If
    the system has other words, its tree is drawn below with links between the words. With --aligned, the tree of the
    translation, the sentence of the same number, is drawn below.
    """
    from treesql.readers import Notation

    if relations and not system:
        raise UsageError("--relations is for comparing two trees; name the other one with --system")
    if system and aligned:
        raise UsageError("--system and --aligned both draw another tree below; choose one of them")
    if not aligned and (links or links_form or base or reverse):
        raise UsageError("--links and how they are read are for translations; name one with --aligned")
    if not links and (links_form or base or reverse):
        raise UsageError("--links-from, --base and --reverse are for a file of links; name it with --links")
    form = form or format_by_ending(out, ENDINGS) or "text"
    notation = Notation(None if base is None else int(base), reverse)
    with ExitStack() as stack:
        corpora = _Corpora(stack, source, source_form, permissive, strict)
        found = corpora.find(names, corpus, system or aligned)
        others = corpora.counterparts(found, system) if system else [None] * len(found)
        pairs = (
            corpora.translations(found, aligned, links, links_form, notation) if aligned else [None] * len(found)
        )  # fmt: skip
        corpora.check_reading()
    drawn = [
        (one, one.drawings(system=other, aligned=pair, enhanced=enhanced, relations=relations or "universal"))
        for one, other, pair in zip(found, others, pairs, strict=True)
    ]
    legends = _legends(bool(system), aligned is not None)
    with destination(out, form) as file:
        file.write(_render(drawn, form, width, out, legends).encode())


@dataclass
class _Corpora:
    """Corpora of files and of a database, open until the stack closes. read: whether any file was read."""

    stack: ExitStack
    source: str
    form: str | None
    permissive: bool
    strict: bool
    database: Database | None = None
    read: bool = False

    def __post_init__(self) -> None:
        import treesql
        from treesql.engines.duckdb_files import is_database

        if is_database(self.source):
            self.database = self.stack.enter_context(treesql.connect(self.source, read_only=True, safe=True))

    def find(self, names: Sequence[str], corpus: str | None, other: str | None) -> list[Sentence]:
        """The sentences. other: the corpus that they are drawn with, which is not searched."""
        from treesql.sentences import lookup

        if self.database is None:
            if corpus:
                raise UsageError("--corpus chooses in a database; a file is one corpus")
            engine, name = self._open(self.source)
            return lookup.find_sentences(engine, names, name)
        excluded = other if other in self.database.corpora else None
        return lookup.find_sentences(self.database.engine, names, corpus, excluded)

    def counterparts(self, found: Sequence[Sentence], system: str) -> Sequence[Sentence]:
        """The same sentences in a parser's output."""
        from treesql.sentences import lookup

        engine, corpus = self._corpus(system)
        return lookup.find_counterparts(engine, found, corpus)

    def translations(
        self, found: Sequence[Sentence], aligned: str, links: str | None, form: str | None, notation: Notation
    ) -> Sequence[Translation]:
        """The translations of the sentences, with the links."""
        from treesql.sentences import bitext

        other = self._corpus(aligned)
        if links is None and (self.database is None or self.database.engine is not other[0]):
            raise UsageError("--aligned needs the links between the words: --links FILE")
        if links is None:
            links = bitext.find_alignment(other[0], found[0].corpus, aligned)
        return bitext.find_translations(found, other, self._corpus(links, form, notation))

    def check_reading(self) -> None:
        """Raises UsageError if options of reading files are given and no file was read."""
        if not self.read and (self.form or self.permissive or self.strict):
            raise UsageError("options for reading files (--from, --permissive, --strict) do not apply to a database")

    def _corpus(self, name: str, form: str | None = None, notation: Notation | None = None) -> EngineCorpus:
        """A corpus of the database, or a file. notation: of an alignment."""
        from treesql.evaluation.aligned_trees import DEFAULT_NOTATION

        if self.database is not None:
            if name in self.database.corpora:
                if form or notation not in (None, DEFAULT_NOTATION):
                    raise UsageError(f"{name} is loaded; --links-from, --base and --reverse are for files")
                return self.database.engine, name
            if not Path(name).exists():
                raise UnknownName("file or corpus", name, self.database.corpora)
        return self._open(name, form, notation)

    def _open(self, path: str, form: str | None = None, notation: Notation | None = None) -> EngineCorpus:
        from treesql.readers import Options
        from treesql.sentences import lookup
        from treesql.storage import loading

        self.read |= notation is None
        kind = None if notation is None else loading.ALIGNMENT
        options = Options(self.permissive, self.strict)
        file_form = form if notation is not None else self.form
        opened = lookup.open_file(path, options, file_form, lambda one: warn([one]), notation=notation, kind=kind)
        return self.stack.enter_context(opened)


def _legends(compared: bool, aligned: bool) -> tuple[str, str]:
    """The legends of characters, and of colours and lines."""
    from treesql.sentences import views

    if compared:
        return views.LEGEND, views.LEGEND_OF_COLOURS
    return (views.LEGEND_OF_LINKS, views.LEGEND_OF_LINES) if aligned else ("", "")


def _render(
    drawn: list[tuple[Sentence, Captioned]], form: str, width: int | None, out: str | None, legends: tuple[str, str]
) -> str:
    from treesql.drawing import svg
    from treesql.drawing.dependencies import WIDTH
    from treesql.sentences.sentence import html_page

    pixels = WIDTH if width is None else width or None
    signs, colours = legends
    if form == "html":
        corpora = ", ".join(dict.fromkeys(one.corpus for one, _ in drawn))
        return html_page(drawn, corpora, colours, pixels)
    if form == "svg":
        pictures = [
            (": ".join(filter(None, [sentence.name * (len(drawn) > 1), caption])), one.picture(pixels))
            for sentence, parts in drawn
            for caption, one in parts
        ]
        title = "; ".join(sentence.text or sentence.name for sentence, _ in drawn)
        return svg.stack(pictures).svg(title, standalone=True)
    screen = out is None and sys.stdout.isatty()
    columns = (_columns() if screen else DEFAULT_WIDTH) if width is None else width or None
    colour = screen and "NO_COLOR" not in os.environ
    parts = []
    for sentence, drawings in drawn:
        title = f"{sentence.name}: {sentence.text}" if sentence.text else sentence.name
        texts = [f"{caption}\n" * bool(caption) + one.characters(columns, colour) for caption, one in drawings]
        parts.append(f"{title}\n\n" + "\n".join(texts))
    return "\n".join(parts) + (f"\n{signs}\n" if signs else "")


def _columns() -> int:
    from rich.console import Console

    return Console().width
