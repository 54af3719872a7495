"""treesql nbest: commands for n-best lists."""

from __future__ import annotations

import click

from treesql.cli import LazyGroup


@click.group(cls=LazyGroup, package=__name__)
def command() -> None:
    """Find out how good n-best lists are."""
