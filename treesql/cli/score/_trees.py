"""The options of the commands that score trees of leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def tree_options(command: Command) -> Command:
    """`--db`, `--by`, `--where`, `--rooted` and `--unrooted`."""
    for option in (
        click.option(
            "--rooted/--unrooted",
            "rooting",
            default=None,
            callback=lambda context, option, value: None if value is None else ["unrooted", "rooted"][value],
            help="Compare clusters of leaves in rfd and grfd, or bipartitions.  [default: rooted]",
        ),
        click.option("--where", metavar="SQL", help="Score only the items that meet this condition on their columns."),
        click.option("--by", metavar="COLUMN", help="A row per group: sentence, a column of items or gold sentences."),
        click.option("--db", type=click.Path(), help="Take GOLD and SYSTEM as corpora of this database."),
    ):
        command = option(command)
    return command
