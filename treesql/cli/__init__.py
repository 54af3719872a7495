"""The command line. Commands are the modules of this package, found by being there; each is imported when it is run."""

from __future__ import annotations

import sys

import click

from treesql import __version__, kernels, limits
from treesql.cli._lazy import LazyGroup
from treesql.errors import QueryError, TreesqlError


@click.group(cls=LazyGroup, package=__name__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="treesql")
def group(debug: bool) -> None:
    """SQL for treebanks: load trees, alignments and lattices into tables, query them, score systems."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and exit: 0 done, 1 a check failed, 2 bad usage or bad input, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.stderr.isatty():
        kernels.when_compiling.append(_tell_compiling)
    try:
        sys.exit(group.main(arguments, prog_name="treesql", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TreesqlError as error:
        _exit_if_interrupted(error)
        if "--debug" in arguments:
            raise
        told = limits.out_of_memory(error) or error
        click.echo(told.brief if isinstance(told, QueryError) else str(told), err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        _exit_if_interrupted(KeyboardInterrupt())
    except Exception as error:
        _exit_if_interrupted(error)
        if "--debug" in arguments:
            raise
        if too_much := limits.out_of_memory(error):
            click.echo(str(too_much), err=True)
            sys.exit(2)
        reason = str(error).strip().splitlines() or [""]
        click.echo(f"treesql failed: {type(error).__name__}: {reason[0]}; treesql --debug shows where", err=True)
        sys.exit(2)


def _tell_compiling() -> None:
    click.echo("compiling what this needs; once for an installation, for up to half a minute", err=True)


def _exit_if_interrupted(error: BaseException) -> None:
    """Exit with 130 if an error is Ctrl-C, of which DuckDB tells in messages of its own."""
    message = str(error)
    if isinstance(error, KeyboardInterrupt) or "Query interrupted" in message or "UDF: KeyboardInterrupt" in message:
        click.echo("interrupted", err=True)
        sys.exit(130)
