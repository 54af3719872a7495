"""treesql check."""

from __future__ import annotations

import sys

import click

from treesql.cli._output import progress_bar, warn
from treesql.cli._reading import ids_option, label_options, notation, notation_options, reading_options
from treesql.errors import InvalidInput


@click.command()
@click.argument("files", nargs=-1, required=True)
@notation_options
@label_options
@ids_option
@reading_options()
def command(
    files: tuple[str, ...], source_form: str | None, permissive: bool, strict: bool,
    base: str | None, reverse: bool, null_links: bool, phrases: bool, symbols: str | None, ids: str | None,
) -> None:  # fmt: skip
    """Read FILES without loading them; exit with 1 if there are errors."""
    from treesql.readers import Options
    from treesql.storage import loading

    how = notation(base, reverse, null_links)
    loads = loading.plan_loads(files, None, source_form, named=False, notation=how)
    paths = [path for one in loads for path in one.files]
    options = Options(permissive, strict, phrases=phrases, symbols=symbols, ids=ids)
    try:
        with progress_bar("checking", paths) as progress:
            warn(loading.check_files(loads, options, progress))
    except InvalidInput as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    click.echo(f"{len(paths)} file{'s' if len(paths) > 1 else ''}: nothing wrong")
