"""Options that are parameters of queries: their choices stand in the query's header alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import click

import treesql

Command = TypeVar("Command", bound=Callable[..., Any])


class QueryChoice(click.Choice[str]):
    """The choices of a parameter of a query, which is read when they are needed: `treesql --help` shows none."""

    def __init__(self, query: str, parameter: str) -> None:
        self.query, self.parameter, self.case_sensitive = query, parameter, True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The values."""
        [found] = [one for one in treesql.queries(self.query)[0].parameters if one.name == self.parameter]
        return found.choices


def parameter_option(query: str, name: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """An option for a parameter with choices of a query of the catalogue. more: other arguments of `click.option`."""
    return click.option(
        f"--{name.replace('_', '-')}",
        type=QueryChoice(query, name),
        help=help,
        **{"show_default": "default" in more, **more},
    )
