"""treesql lattice oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from treesql.cli._options import edge_weights_option, lattice_options, parameter_option, reference_option, scores_option
from treesql.cli._output import destination, print_result
from treesql.results.tables import ENDINGS, FORMATS


@click.command()
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@parameter_option(
    "oracle_paths",
    "measure",
    "What is minimal: edits, edits per word of the path, position-independent errors, these per word; or, for bleu, "
    "maximal: sentence BLEU. score: the largest sum of the weighted scores of edges.",
    default="ger",
)
@click.option(
    "--corpus-bleu", is_flag=True, help="With --measure bleu: the paths whose BLEU together is the best found."
)
@edge_weights_option
@lattice_options
@scores_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS]),
    help="How to print; text: the words of a path per line.  [default: by the ending of -o, else text]",
)
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
def command(lattices: str, source_form: str | None, form: str | None, out: str | None, **how: Any) -> None:
    """Print the path of every lattice that is nearest to a reference: its words on a line, as `treesql score
    translation` reads them; in other formats also its edges, its errors, and whether it is proven. With --measure
    score, print the path with the best scores, for which references are not needed.
    """
    import treesql

    found = treesql.lattices.oracle(lattices, format=source_form, **how)
    printed = form or {**ENDINGS, ".txt": "text"}.get(Path(out or "").suffix.lower(), "text")
    if printed == "text":
        with destination(out, "text") as file:
            file.writelines(" ".join(words or []).encode() + b"\n" for words in found.arrow()["path_forms"].to_pylist())
    else:
        print_result(found, printed, out)
