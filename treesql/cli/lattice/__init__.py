"""treesql lattice: what is done with lattices beside scoring them."""

from __future__ import annotations

import click

from treesql.cli._lazy import LazyGroup


@click.group(cls=LazyGroup, package=__name__)
def command() -> None:
    """Oracle paths of lattices, lattices pruned by references or arbiters, curves over density, and drawings."""
