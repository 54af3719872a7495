"""treesql lattice show."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli._lattices import lattice_options, reference_option
from treesql.cli._output import destination, format_by_ending, warn


@click.command()
@click.argument("lattices")
@click.argument("sentence")
@reference_option
@click.option("--db", "database", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--measure",
    type=click.Choice(["ger", "gwer", "pmed", "gper"]),
    default="ger",
    show_default=True,
    help="The measure that is minimal on the marked path, as in `treesql lattice oracle`.",
)
@lattice_options
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file, as SVG if it ends in .svg."
)
def command(
    lattices: str, sentence: str, references: tuple[str, ...], measure: str, source_form: str | None, out: str | None,
    **how: Any,
) -> None:  # fmt: skip
    """Draw one lattice: a line per edge below its first node.

    SENTENCE is the name of the lattice, or its 0-based number. With references the nearest path is marked.
    """
    from treesql.drawing.lattices import count_paths, svg, text
    from treesql.evaluation.translation import LATTICE, TranslationTask
    from treesql.lattices.oracle_paths import view_lattice

    form = format_by_ending(out, {".svg": "svg", ".txt": "text"})
    task = TranslationTask(LATTICE, [lattices], references, form=source_form, warn=lambda one: warn([one]), **how)
    found = view_lattice(task, sentence, measure)
    with destination(out, "text") as file:
        if form == "svg":
            file.write(svg(found.n_nodes, found.edges, found.path).encode())
            return
        colour = out is None and sys.stdout.isatty()
        file.write((text(found.n_nodes, found.edges, found.path, colour=colour) + "\n\n").encode())
        size = f"{found.n_nodes} nodes, {len(found.edges)} edges, {count_paths(found.n_nodes, found.edges)} paths"
        file.write(f"{found.name}: {size}\n".encode())
        if found.caption:
            file.write(f"{found.caption}\n".encode())
