"""What a shell completes: corpora of the database on the line, names of the catalogue, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

import treesql

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from treesql import Kind, QueryInfo

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
"""What a parameter of click takes as `shell_complete`."""


def complete_corpora(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The corpora of the database that is named before; none where it cannot be read."""
    first = next(iter(ctx.args), None)  # arguments before an option without its value are not parsed
    path = ctx.params.get("db") or ctx.params.get("source") or first
    if not isinstance(path, str) or not os.path.isfile(path):
        return []
    try:
        with treesql.connect(path, read_only=True, safe=True) as database:
            return _starting_with(incomplete, database.corpora)
    except treesql.TreesqlError:
        return []


def complete_inputs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The corpora of --db, else files."""
    if ctx.params.get("db"):
        return complete_corpora(ctx, param, incomplete)
    return [_item(incomplete, type="file")]


def complete_queries(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The queries of the catalogue."""
    return _starting_with(incomplete, (query.name for query in treesql.queries()))


def of_metrics(kind: Kind) -> Completer:
    """Completes metrics of a kind and their scores."""
    return _of_names(lambda: [*kind.all_metrics, *(name for one in kind.all_metrics for name in kind.columns(one))])


def of_tables(kind: Kind) -> Completer:
    """Completes the statistics of a kind."""
    return _of_names(lambda: kind.tables)


def of_columns(kind: Kind) -> Completer:
    """Completes columns to group the items of a kind by."""

    def names() -> list[str]:
        metrics = [_query(name) for name in kind.all_metrics]
        return ["sentence", *(name for one in metrics for name in (*one.columns, *one.attributes))]

    return _of_names(names)


def _of_names(find_names: Callable[[], Iterable[str]]) -> Completer:
    """Completes names, also the last one of a list with commas."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [_item(f"{before}{comma}{one.value}") for one in _starting_with(last, find_names())]

    return complete


def _query(name: str) -> QueryInfo:
    return treesql.queries(name)[0]


def _starting_with(start: str, names: Iterable[str]) -> list[CompletionItem]:
    return [_item(name) for name in sorted(set(names)) if name.startswith(start)]


def _item(value: str, type: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem  # here, for nothing but a shell that completes needs it

    return CompletionItem(value, type)
