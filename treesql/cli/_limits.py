"""The options that limit the time and memory of a command."""

from __future__ import annotations

import click

from treesql.cli._options import Command
from treesql.errors import UsageError
from treesql.runtime import limits


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
        "--memory", type=_parse_size, metavar="SIZE", callback=_limit_memory, expose_value=False,
        help="Stop if more memory is needed than this: 500MB, 2GB, 1GiB.  [default: DuckDB's]",
    )(command)  # fmt: skip


def limit_time(ctx: click.Context, seconds: float | None, grace: float = 0.0) -> None:
    """End the process after some seconds, unless the command is done. grace: further seconds to wait."""
    if seconds:
        ctx.call_on_close(limits.unlimit_process)
        limits.limit_process(seconds=seconds, grace=grace)


def _parse_size(text: str) -> int:
    try:
        return limits.parse_size(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def _limit_time(ctx: click.Context, param: click.Parameter, seconds: float | None) -> None:
    limit_time(ctx, None if ctx.resilient_parsing else seconds)


def _limit_memory(ctx: click.Context, param: click.Parameter, size: int | None) -> None:
    if size and not ctx.resilient_parsing:
        ctx.call_on_close(limits.unlimit_process)
        limits.limit_process(memory=size)
