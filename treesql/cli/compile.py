"""treesql compile."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Compile all kernels beforehand, so that no later command waits for them.

    Other commands compile what they need when they first need it, once per installation. This one is for images of
    containers and for clusters, whose processes may have no place of their own to write to: it writes into the folder
    of treesql, or into that of the environment variable NUMBA_CACHE_DIR.
    """
    import treesql

    treesql.compile()
    click.echo("all kernels are compiled")
