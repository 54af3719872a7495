"""treesql score: a command for every kind of annotation."""

from __future__ import annotations

import click

from treesql.cli._lazy import LazyGroup


@click.group(cls=LazyGroup, package=__name__)
def command() -> None:
    """Score systems against a gold standard."""
