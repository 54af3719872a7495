"""treesql align: words are aligned, and alignments made from others."""

from __future__ import annotations

from typing import Any

import click

import treesql
from treesql.cli import Group
from treesql.cli._options import base_option, completing, listed, max_sentence_option, parameter_option, print_text
from treesql.results.pages import counted


@click.group(cls=Group)
def align_command() -> None:
    """Align words, and make word alignments from others."""


FORMATS = tuple(form.name for form in treesql.formats("alignment") if form.written and form.kind == "alignment")
"""Formats of the output."""


@align_command.command(
    "symmetrise",
    examples=[
        "fixtures/links.pharaoh fixtures/links-a.pharaoh",
        "fixtures/links.pharaoh fixtures/links-a.pharaoh --method union -o union.pharaoh",
    ],
)
@click.argument("forward")
@click.argument("reverse")
@parameter_option("symmetrised", "method", "How the links of both are combined.", default="grow-diag-final-and")
@parameter_option("symmetrised", "variant", "Words of a link beside another that are not linked yet.", default="either")
@click.option(
    "--reverse", "turned", is_flag=True, help="In REVERSE the target word comes first, as in the output of GIZA++."
)
@base_option
@max_sentence_option
@click.option("--source", metavar="TEXT", help="The source sentences: links outside of them are refused.")
@click.option("--target", metavar="TEXT", help="The target sentences: links outside of them are refused.")
@click.option(
    "--from",
    "source_form",
    metavar="FORMAT",
    help=f"Format of the files: {listed('alignment')}. [default: by ending, else pharaoh]",
)
@click.option("--to", "target_form", type=click.Choice(FORMATS), help="Format of OUT. [default: by ending]")
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
def symmetrise_command(
    forward: str, reverse: str, turned: bool, source_form: str | None, target_form: str | None, out: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Make one alignment from FORWARD, of source with target words, and REVERSE, of target with source words.

    In both files the source word comes first, unless --reverse is given for REVERSE. The output counts words from 0
    (Pharaoh) or from 1 (WPT), and all its links are sure.
    """
    links = treesql.symmetrise(forward, reverse, reverse=turned, format=source_form, to=target_form, out=out, **options)
    if out:
        click.echo(f"{out}: {counted(len(links), 'link')}")
    else:
        print_text(links.content, None)


@align_command.command("words", examples=["examples.duckdb gold parser-a", "examples.duckdb gold news"])
@click.argument("db", type=click.Path())
@click.argument("gold", shell_complete=completing("corpora"))
@click.argument("system", shell_complete=completing("corpora"))
def words_command(db: str, gold: str, system: str) -> None:
    """Store in the database DB which words of two parses of one text, GOLD and SYSTEM, are counterparts.

    SQL then pairs these words in any client, until one of the corpora changes. `treesql score` needs no such step.
    """
    with treesql.connect(db, existing=True) as database:
        rows = database.align_words(gold, system)
    click.echo(f"{gold}, {system}: {counted(rows, 'row') if rows else 'the words are the same'}")
