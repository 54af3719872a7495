"""treesql check."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from treesql.cli._options import ids_option, label_options, notation_options, reading_options
from treesql.cli._output import bytes_bar
from treesql.errors import FAULTS_SHOWN, TreesqlWarning, list_faults


@click.command()
@click.argument("files", nargs=-1, required=True)
@notation_options
@label_options
@ids_option
@click.option(
    "--max-errors",
    type=click.IntRange(min=1),
    default=FAULTS_SHOWN,
    show_default=True,
    metavar="N",
    help="Maximum number of errors of a file that are listed.",
)
@click.option("--warnings-as-errors", is_flag=True, help="Exit with 1 if there are warnings, too.")
@reading_options()
def command(files: tuple[str, ...], source_form: str | None, warnings_as_errors: bool, **how: Any) -> None:
    """Read FILES without loading them; exit with 1 if there are errors.

    In a folder of Parquet, every part that is not as it was written is an error.

    A file that cannot be read, or whose format is not recognised, is an error of the file; exit code 2 is for bad
    usage, such as files that do not exist.
    """
    import treesql

    with bytes_bar("checking") as progress:
        found = treesql.check(*files, format=source_form, progress=progress, **how)
    if found.faults:
        lines = list_faults(found.faults, found.max_errors, "fix these first, or list more with --max-errors N")
        click.echo("\n".join([found.summary, *lines]), err=True)
        sys.exit(1)
    for warning in found.warnings:
        warnings.warn(str(warning), TreesqlWarning, stacklevel=1)
    click.echo(found.summary)
    sys.exit(bool(found.warnings and warnings_as_errors))
