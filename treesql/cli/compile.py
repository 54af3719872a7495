"""treesql compile."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Compile all kernels beforehand, so that no later command waits for them.

    Other commands compile what large inputs need when they first need it. Compiled kernels are kept in the folder of
    the user's caches, for all installations, or in that of the environment variable NUMBA_CACHE_DIR; so images of
    containers and clusters set it, and run this command once.
    """
    import treesql

    kept = treesql.compile()
    click.echo(f"all kernels are compiled: {kept.entries} in {kept.folder}, {kept.bytes / 1e6:.0f} MB")
