"""treesql show."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treesql.cli._output import PAGE, destination, warn
from treesql.cli._reading import reading_options
from treesql.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from duckdb import DuckDBPyConnection

    from treesql.portraits import Captioned
    from treesql.sentences import Sentence


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
@click.option("--enhanced", is_flag=True, help="Draw the enhanced graph, too, below the words.")
@click.option("--svg", "form", flag_value="svg", help="Draw as SVG.")
@click.option("--html", "form", flag_value="html", help="Write a page.")
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file: .svg, .html or text.")
@click.option(
    "--width",
    type=click.IntRange(min=0),
    help="Columns (SVG, HTML: pixels) after which a sentence is broken; 0: never. [default: the screen; 1000]",
)
@reading_options
def command(
    source: str, names: tuple[str, ...], corpus: str | None, system: str | None, relations: str | None,
    enhanced: bool, form: str | None, out: str | None, width: int | None, source_form: str | None,
    permissive: bool, strict: bool,
) -> None:  # fmt: skip
    """Draw sentences: their dependency trees, constituency trees, or both, whatever they have.

    A sentence is named by its sent_id, or by its number in the corpus, from 0, as in the tables. With --system, gold
    edges are above the words and the system's below; what is wrong in one and missed in the other has a cross, and is
    drawn in colour. Where a parser has other words, its tree is another one below, with links between.
    """
    if relations and not system:
        raise UsageError("--relations says how two trees are compared; name the other one with --system")
    form = form or {".svg": "svg", ".html": "html", ".htm": "html"}.get(Path(out or "").suffix)
    found, others = _sentences(source, names, corpus, system, source_form, permissive, strict)
    drawn = [
        (gold, gold.drawings(system=other, enhanced=enhanced, relations=relations or "universal"))
        for gold, other in zip(found, others, strict=True)
    ]
    with destination(out, form or "text") as file:
        file.write(_written(drawn, form, width, out, bool(system)).encode())


def _sentences(
    source: str, names: tuple[str, ...], corpus: str | None, system: str | None, source_form: str | None,
    permissive: bool, strict: bool,
) -> tuple[list[Sentence], list[Sentence] | list[None]]:  # fmt: skip
    """The sentences, and for each that of the system."""
    import treesql
    from treesql import sentences, storage
    from treesql.readers import Options

    def held(path: str) -> AbstractContextManager[tuple[DuckDBPyConnection, str]]:
        return sentences.held(path, Options(permissive, strict), source_form, lambda one: warn([one]))

    if not storage.is_database(source):
        if corpus:
            raise UsageError("--corpus chooses in a database; a file is one corpus")
        with held(source) as (connection, name):
            found = sentences.find(connection, names, name)
    else:
        with treesql.connect(source, read_only=True, safe=True) as database:
            inside = system in database.corpora
            if (system is None or inside) and (source_form or permissive or strict):
                raise UsageError("how files are read (--from, --permissive, --strict) is of no use with a database")
            found = sentences.find(database.connection, names, corpus, system if inside else None)
            if system and inside:
                return found, sentences.counterparts(database.connection, found, system)
            if system and not Path(system).exists():
                raise UnknownName("file or corpus", system, database.corpora)
    if system is None:
        return found, [None] * len(found)
    with held(system) as (connection, name):
        return found, sentences.counterparts(connection, found, name)


def _written(
    drawn: list[tuple[Sentence, Captioned]], form: str | None, width: int | None, out: str | None, compared: bool
) -> str:
    from treesql import sentences
    from treesql.drawing import svg
    from treesql.drawing.dependencies import WIDTH
    from treesql.portraits import LEGEND, LEGEND_OF_COLOURS

    pixels = WIDTH if width is None else width or None
    if form == "html":
        corpora = ", ".join(dict.fromkeys(one.corpus for one, _ in drawn))
        return sentences.page(drawn, corpora, LEGEND_OF_COLOURS if compared else "", pixels)
    if form == "svg":
        pictures = [
            (": ".join(filter(None, [sentence.name * (len(drawn) > 1), caption])), one.picture(pixels))
            for sentence, parts in drawn
            for caption, one in parts
        ]
        title = "; ".join(sentence.text or sentence.name for sentence, _ in drawn)
        return svg.stacked(pictures).svg(title, standalone=True)
    screen = out is None and sys.stdout.isatty()
    columns = (_columns() if screen else PAGE) if width is None else width or None
    colour = screen and "NO_COLOR" not in os.environ
    parts = []
    for sentence, drawings in drawn:
        told = f"{sentence.name}: {sentence.text}" if sentence.text else sentence.name
        texts = [f"{caption}\n" * bool(caption) + one.characters(columns, colour) for caption, one in drawings]
        parts.append(f"{told}\n\n" + "\n".join(texts))
    return "\n".join(parts) + (f"\n{LEGEND}\n" if compared else "")


def _columns() -> int:
    from rich.console import Console

    return Console().width
