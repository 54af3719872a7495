"""treesql check."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from treesql.cli._output import bytes_bar
from treesql.cli._reading import ids_option, label_options, notation_options, reading_options
from treesql.errors import TreesqlWarning


@click.command()
@click.argument("files", nargs=-1, required=True)
@notation_options
@label_options
@ids_option
@reading_options()
def command(files: tuple[str, ...], source_form: str | None, **how: Any) -> None:
    """Read FILES without loading them; exit with 1 if there are errors.

    A file that cannot be read, or whose format is not recognised, is an error of the file; exit code 2 is for bad
    usage, such as files that do not exist.
    """
    import treesql

    with bytes_bar("checking") as progress:
        found = treesql.check(*files, format=source_form, progress=progress, **how)
    if found.faults:
        click.echo("\n".join(map(str, found.faults)), err=True)
        sys.exit(1)
    for warning in found.warnings:
        warnings.warn(str(warning), TreesqlWarning, stacklevel=1)
    n = len(found.warnings)
    what = f"no errors, {n} warning{'s' if n > 1 else ''}" if n else "nothing wrong"
    click.echo(f"{len(found.files)} file{'s' if len(found.files) > 1 else ''}: {what}")
