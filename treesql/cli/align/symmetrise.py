"""treesql align symmetrise."""

from __future__ import annotations

import click

from treesql import readers, writers
from treesql.catalog.formats import listed
from treesql.cli._output import counted, destination, warn
from treesql.cli._reading import base_option, max_sentence_option, notation
from treesql.errors import UsageError

FORMATS = tuple(name for name, form in writers.formats().items() if form.kind == "alignment")
"""Formats of the output."""

METHODS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")


@click.command()
@click.argument("forward")
@click.argument("reverse")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[-1],
    show_default=True,
    help="How the links of both are combined.",
)
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
    help=f"Format of the files: {listed(readers.formats(), 'alignment')}. [default: by ending, else pharaoh]",
)
@click.option("--to", "target_form", type=click.Choice(FORMATS), help="Format of OUT. [default: by ending]")
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
def command(
    forward: str, reverse: str, method: str, turned: bool, base: str | None, source: str | None, target: str | None,
    source_form: str | None, target_form: str | None, out: str | None,
) -> None:  # fmt: skip
    """Make one alignment from FORWARD, of source with target words, and REVERSE, of target with source words.

    In both files the source word comes first, unless --reverse is given for REVERSE. The output counts words from 0
    (Pharaoh) or from 1 (WPT), and all its links are sure.
    """
    from treesql.evaluation import symmetrisation

    files = (forward, notation(base, False, False)), (reverse, notation(base, turned, False))
    loads = symmetrisation.plan_directions(*files, source_form, source, target)
    form = target_form or _format_of(out)
    if out and out.endswith(".gz"):
        raise UsageError(f"{out}: links are not written compressed; name a file without .gz")
    with destination(out, form) as file:
        n_links = symmetrisation.symmetrise(loads, method, file, form, lambda one: warn([one]))
    if out:
        click.echo(f"{out}: {counted(n_links, 'link')}")


def _format_of(out: str | None) -> str:
    """The format of a file by its ending, by default pharaoh. Raises UsageError for formats that are not written."""
    from treesql import readers
    from treesql.storage import loading

    form = readers.format_of([out or ""], None, loading.ALIGNMENT)
    if form not in FORMATS:
        raise UsageError(
            f"{out}: links are written as {' or '.join(FORMATS)}, not as {form}; name another file, or --to"
        )
    return form
