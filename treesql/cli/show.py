"""treesql show."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from treesql.cli._options import base_option, completing, listed, reading_options
from treesql.cli._output import DEFAULT_WIDTH, picture_format, print_picture, print_text, screen_width
from treesql.errors import UsageError
from treesql.results.tables import PICTURES

TEXTS = {".html": "html", ".htm": "html", ".txt": "text"}
"""Formats of drawings that are no pictures, by the ending of the file."""


@click.command()
@click.argument("source", metavar="DB|FILE", type=click.Path())
@click.argument("names", nargs=-1, required=True, metavar="SENT_ID...")
@click.option("--corpus", metavar="NAME", shell_complete=completing("corpora"),
              help="The corpus of the database. [default: the one that has the sentence]")  # fmt: skip
@click.option(
    "--system",
    metavar="FILE|NAME",
    help="A parser's output, or a corpus of the database, to compare with; with --grid another alignment.",
)
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
@click.option("--links-from", "links_form", metavar="FORMAT", help=f"Format of --links: {listed('alignment')}.")
@base_option
@click.option("--reverse", is_flag=True, help="Alignments: the word of the translation comes first.")
@click.option("--grid", is_flag=True, help="Draw the links to the words of the translation as a grid, without trees.")
@click.option("--enhanced", is_flag=True, help="Also draw the enhanced graph, below the words.")
@click.option(
    "--head-rules",
    metavar="NAME",
    help="The set of head rules, such as collins or negra, by which pictures of phrases show heads. "
    "[default: the heads that the treebank marks]",
)
@click.option("--svg", is_flag=True, help="Draw as SVG.")
@click.option("--html", is_flag=True, help="Write a page.")
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(dir_okay=False),
    help="Write to this file: .svg, .png, .pdf, .html or text.",
)
@click.option(
    "--width",
    type=click.IntRange(min=0),
    help="Width in columns (SVG, HTML: pixels) at which a sentence breaks; 0: never. [default: the screen; 1000]",
)
@reading_options()
def command(
    source: str, names: tuple[str, ...], links_form: str | None, svg: bool, html: bool, out: str | None,
    width: int | None, source_form: str | None, **how: Any,
) -> None:  # fmt: skip
    """Draw sentences: their dependency trees, constituency trees, or both.

    A sentence is named by its sent_id, or by its number in the corpus from 0, as in the tables: '#2', in quotes, is the
    third sentence, whatever sent_ids there are. With --system, gold edges are above the words and the system's below;
    wrong and missed edges have a cross and are drawn in colour. If the system has other words, its tree is drawn below
    with links between the words. With --aligned, the tree of the translation, the sentence of the same number, is drawn
    below.

    With --grid, the links are drawn as a grid, words of the sentence by words of the translation: squares, filled if
    they are sure. --system is then another alignment, whose links are discs; wrong and missed ones are drawn in colour.
    """
    import treesql

    form = _form(svg, html, out)
    found = treesql.show(source, *names, links_from=links_form, format=source_form, **how)
    pixels = {} if width is None else {"width": width or None}
    if form in PICTURES.values():
        print_picture(found.svg(**pixels), out, form)
    elif form == "html":
        print_text(found.html(**pixels), out)
    else:
        screen = out is None and sys.stdout.isatty()
        columns = (screen_width() if screen else DEFAULT_WIDTH) if width is None else width or None
        print_text(found.text(width=columns, colour=screen and "NO_COLOR" not in os.environ), out)


def _form(svg: bool, html: bool, out: str | None) -> str:
    """The format of the drawing: as named, else by the ending of the file. Raises UsageError where they differ."""
    by_ending = picture_format(out, TEXTS)
    named = [name for name, given in (("svg", svg), ("html", html)) if given]
    if len(named) > 1:
        raise UsageError("--svg and --html exclude each other; choose one of them")
    if named and by_ending not in (None, *named):
        raise UsageError(f"--{named[0]} does not go with the ending of {out}; leave one of them out")
    return (named or [by_ending or "text"])[0]
