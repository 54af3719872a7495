"""treesql lattice: commands for lattices other than scoring."""

from __future__ import annotations

import click

from treesql.cli import LazyGroup


@click.group(cls=LazyGroup, package=__name__)
def command() -> None:
    """Find oracle paths, prune by references or arbiters, plot scores over density, and draw lattices."""
