"""treesql lattice show."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli._options import edge_weights_option, lattice_options, parameter_option, reference_option, scores_option
from treesql.cli._output import picture_format, print_picture, print_text
from treesql.results.tables import PICTURES


@click.command()
@click.argument("lattices")
@click.argument("sentence")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@parameter_option(
    "oracle_paths",
    "measure",
    "The measure that is minimal on the marked path, as in `treesql lattice oracle`.",
    default="ger",
)
@edge_weights_option
@lattice_options
@scores_option
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file: .svg, .png, .pdf or text."
)
def command(lattices: str, sentence: str, source_form: str | None, out: str | None, **how: Any) -> None:
    """Draw one lattice: a line per edge below its first node.

    SENTENCE is the name of the lattice, or its number from 0, such as '#2'. With references the nearest path is marked.
    """
    import treesql

    form = picture_format(out, {".txt": "text"})
    found = treesql.lattices.show(lattices, sentence, format=source_form, **how)
    colour = out is None and sys.stdout.isatty()
    if form in PICTURES.values():
        print_picture(found.svg(), out)
    else:
        print_text(found.text(colour=colour), out)
