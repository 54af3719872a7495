"""The options of commands that read files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def reading_options(command: Command) -> Command:
    """`--from`, `--permissive` and `--strict`."""
    for option in (
        click.option(
            "--strict",
            is_flag=True,
            help="Refuse sentences with several roots, and blank lines among trees one a line.",
        ),
        click.option("--permissive", is_flag=True, help="Take sentences whose heads form a cycle."),
        click.option(
            "--from",
            "source_form",
            metavar="FORMAT",
            help="Format of the files: conllu, conllx, penn, newick, export. [default: by ending]",
        ),
    ):
        command = option(command)
    return command
