"""The options that limit the time and memory of a command."""

from __future__ import annotations

import click

from treesql import process
from treesql.cli._options import Command
from treesql.errors import UsageError


def limit_options(command: Command) -> Command:
    """`--timeout` and `--memory`, which end the process when exceeded."""
    timeout = click.option(
        "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", callback=_limit_time, expose_value=False,
        help="Stop after this many seconds.  [default: never]",
    )  # fmt: skip
    return timeout(memory_option(command))


def memory_option(command: Command) -> Command:
    """`--memory` alone, for commands with a time limit of their own."""
    return click.option(
        "--memory", type=_check_size, metavar="SIZE", callback=_limit_memory, expose_value=False,
        help="Stop if more memory is needed than this: 500MB, 2GB, 1GiB.  [default: DuckDB's; 1.5GB for a folder]",
    )(command)  # fmt: skip


def limit_time(ctx: click.Context, seconds: float | None, *, interrupted: bool = False) -> None:
    """End the process after some seconds, unless the command is done. interrupted: whether statements are as well."""
    if seconds:
        ctx.call_on_close(process.unlimit)
        process.limit(seconds=seconds, interrupted=interrupted)


def _check_size(text: str) -> int:
    try:
        return process.check_size(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def _limit_time(ctx: click.Context, param: click.Parameter, seconds: float | None) -> None:
    limit_time(ctx, None if ctx.resilient_parsing else seconds)


def _limit_memory(ctx: click.Context, param: click.Parameter, size: int | None) -> None:
    if size and not ctx.resilient_parsing:
        ctx.call_on_close(process.unlimit)
        process.limit(memory=size)
