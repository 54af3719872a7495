"""treesql align: work on word alignments."""

from __future__ import annotations

import click

from treesql.cli import LazyGroup


@click.group(cls=LazyGroup, package=__name__)
def command() -> None:
    """Align words, and make word alignments from others."""
