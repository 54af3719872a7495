"""The options of commands that score systems."""

from __future__ import annotations

import click

from treesql.cli._limits import limit_options
from treesql.cli._options import Command

signature_option = click.option("--signature", is_flag=True, help="Print what each number was computed from.")

ci_option = click.option(
    "--ci",
    is_flag=True,
    help="Add 95% intervals, SCORE_low and SCORE_high: the bootstrap over sentences, 10,000 runs, seed 12345.",
)


def scoring_options(command: Command) -> Command:
    """`--ci`, `--signature`, `--timeout` and `--memory`."""
    return ci_option(signature_option(limit_options(command)))
