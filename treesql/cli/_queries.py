"""Options that are parameters of queries: choices and defaults stand in the query's header."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

import treesql

Command = TypeVar("Command", bound=Callable[..., Any])


def parameter_option(query: str, name: str, help: str, **more: Any) -> Callable[[Command], Command]:
    """An option for a parameter with choices of a query of the catalogue. more: other arguments of `click.option`."""
    [found] = [one for one in treesql.queries(query)[0].parameters if one.name == name]
    usual = {"default": found.default, "show_default": True}
    return click.option(f"--{name}", type=click.Choice(found.choices), help=help, **{**usual, **more})
