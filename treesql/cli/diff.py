"""treesql diff."""

from __future__ import annotations

from typing import Any

import click

from treesql.cli._options import QueryChoice, limit_options, parameter_option, reading_options, signature_option
from treesql.cli._output import format_of, output_options, print_result


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--db", metavar="DB", help="OLD and NEW are corpora of this database.")
@click.option(
    "--by", type=click.Choice(["upos", "deprel"]), help="A row per column and part of speech, or relation, in OLD."
)
@click.option("--changes", is_flag=True, help="Count the changes instead: old value, new value, words.")
@click.option("--list", "list", is_flag=True, help="List what changed, was added or removed instead.")
@click.option(
    "--column", type=QueryChoice("changed_words", "changed_column"), help="With --changes, --list: only this column."
)
@parameter_option(
    "version_sentences", "match", "Pair sentences by sent_id, or else by text; or by text alone.", default="sent_id"
)
@click.option("--comments", is_flag=True, help="Compare all comments, not only text, newdoc and newpar.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows.")
@reading_options()
@signature_option
@limit_options
@output_options
def command(
    old: str, new: str, source_form: str | None, form: str | None, out: str | None, signature: bool, **how: Any
) -> None:
    """List what changed between two versions of a treebank, or where two annotators differ: a row per column.

    OLD and NEW are files, or folders of treebank files. Sentences correspond by sent_id, words by their characters:
    inserted sentences, other tokens and shifted positions of heads are no changes. Beside words, multiword tokens
    (range), empty nodes and the comments text, newdoc and newpar are compared. kappa is Cohen's, alpha Krippendorff's.
    """
    import treesql

    found = treesql.diff(old, new, format=source_form, **how)
    print_result(found, form, out, signature=signature)
    if out is not None or format_of(form, out) != "table":
        return
    if found.unpaired:
        click.echo(found.unpaired)
    if not how["comments"] and how["column"] in (None, "any"):
        click.echo("Comments other than text, newdoc and newpar are not compared; --comments compares them.")
