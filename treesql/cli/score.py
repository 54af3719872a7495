"""treesql score: a command for every kind of annotation."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING, Any

import click

import treesql
from treesql.cli._options import (
    KindGroup,
    check_engine,
    completing_of,
    connect_to_spark,
    engine_options,
    inputs_argument,
    keywords,
    kind_options,
    named_systems,
    scoring_options,
    with_options,
)
from treesql.cli._output import (
    destination,
    format_of,
    output_options,
    picture_format,
    print_picture,
    print_result,
    screen_width,
)
from treesql.errors import UsageError
from treesql.results.matrix import SHARES
from treesql.results.tables import ENDINGS, PICTURES

if TYPE_CHECKING:
    from treesql import Kind


def _make(kind: Kind) -> click.Command:
    """The command that scores systems of a kind."""
    params: list[click.Parameter] = [inputs_argument(kind), *kind_options(kind)]
    params.append(
        click.Option(
            ["--by"], metavar="COLUMN,...", multiple=True, shell_complete=completing_of(kind, "columns"), help=_BY
        )
    )
    params += _table_options(kind) if kind.tables else []
    if kind.explains:
        text = (
            "Draw a sentence, named by its sent_id or its number ('#2', from 0), with what differs, and list that; "
            "with -o FILE.svg, .png or .pdf the picture, with the graph of all paths."
        )
        params.append(click.Option(["--explain"], metavar="SENTENCE", help=text))
    help_text = f"{kind.doc}\n\n{_FOLDERS}"
    made = click.Command(kind.name, callback=lambda **given: _score(kind, **given), params=params, help=help_text)
    return with_options(made, output_options, scoring_options, engine_options)


_FOLDERS = (
    "Folders or patterns ('out/*.conllu') in place of files: files are paired by name, with a row per treebank, then "
    "macro- and micro-averages."
)

_BY = (
    "A row per group: sentence, a column of items, gold words or sentences, an attribute (gold_distance), a "
    'morphological feature (Number), or a comment (meta.speaker, meta."newdoc id"); COLUMN/N for bins of width N '
    "(n_words/10). Repeatable, also with commas: a row per combination."
)


@click.group(cls=KindGroup, make=_make)
def command() -> None:
    """Score systems against a gold standard or references."""


def _table_options(kind: Kind) -> list[click.Option]:
    """The options that limit a table, or show it as a matrix."""
    tables = " or ".join(kind.matrices)
    of_matrices = [
        click.Option(["--matrix"], is_flag=True, help=f"Print the table as a matrix with totals: {tables}."),
        click.Option(
            ["--share"],
            type=click.Choice(SHARES),
            help="Cells of the matrix as shares of the total of their row, their column or the matrix.",
        ),
    ]
    rows = "Maximum number of rows of a table for every system"
    in_matrix = "; of values in a matrix, the most frequent, with the sum of all others as other"
    limit = click.Option(
        ["--limit"], type=click.IntRange(min=1), metavar="N", help=f"{rows}{in_matrix if kind.matrices else ''}."
    )
    return [*(of_matrices if kind.matrices else []), limit]


def _score(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], form: str | None, out: str | None, signature: bool,
    engine: str, master: str | None, explain: str | None = None, **given: Any,
) -> None:  # fmt: skip
    on_spark = check_engine(engine, master)
    chosen = {**named_systems(named), **keywords(given)}
    if on_spark:
        if explain is not None:
            raise UsageError("--explain draws one sentence; leave out --engine spark")
        with connect_to_spark(chosen.pop("db", None), master) as database:
            found = database.score(kind.name, *inputs, **chosen)
        print_result(found, form, out, signature=signature)
        return
    if explain is not None:
        _explain(kind, explain, inputs, chosen, form, out, signature)
        return
    layout = next((flag.layout for name, flag in kind.flags.items() if flag.layout and chosen.get(name)), None)
    if layout:
        n_systems = len(inputs) + len(named) + 1 - sum(not role.option for role in kind.roles)
        if form or signature or n_systems > 1:
            raise UsageError(
                f"--{layout} prints one SYSTEM in its layout; leave out options that choose other rows or columns"
            )
        found = treesql.score(kind.name, *inputs, **chosen)
        if "treebank" in found.columns:
            raise UsageError(f"--{layout} prints one file in its layout; name files instead of folders or patterns")
        with destination(out, "table") as file:
            file.write(importlib.import_module(f"treesql.results.{layout}_layout").layout(found.rows()).encode())
        return
    found = treesql.score(kind.name, *inputs, **chosen)
    screen = next((flag.screen for name, flag in kind.flags.items() if flag.screen and chosen.get(name)), None)
    if screen and form is None and out is None and not signature:
        layout_of = importlib.import_module(f"treesql.results.{screen}_layout").layout
        click.echo(layout_of(found.rows(), screen_width()), nl=False)  # without colours if it is no terminal
        return
    one_row_each = "system" if len(found) == len(set(found.arrow()["system"].to_pylist())) else None
    print_result(found, form, out, signature=signature, turned_by=None if given["by"] else one_row_each)


def _explain(
    kind: Kind, sentence: str, inputs: tuple[str, ...], chosen: dict[str, Any], form: str | None, out: str | None,
    signature: bool,
) -> None:  # fmt: skip
    if signature or not chosen.keys().isdisjoint({"by", "where", "ci", "metric", "table", *kind.flags}):
        raise UsageError("--explain draws one sentence; leave out options that choose scores and tables")
    drawn = picture_format(out, ENDINGS) in PICTURES.values()
    if drawn and form:
        raise UsageError(f"--format is of tables; {out} is a picture")
    found = treesql.explain(kind.name, sentence, *inputs, width=shutil.get_terminal_size().columns, **chosen)
    if drawn:
        print_picture(found.svg(), out)
        return
    if out is None and format_of(form, out) == "table":
        click.echo(found.drawing)
    print_result(found.paths, form, out)
