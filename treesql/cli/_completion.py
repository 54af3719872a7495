"""What a shell completes: corpora of the database on the line, names of the catalogue, files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

import treesql

if TYPE_CHECKING:
    from treesql import Kind, QueryInfo


def corpora(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The corpora of the database that is named before; none where it cannot be read."""
    parsed = ctx.params.get("inputs") or ctx.params.get("treebanks")
    first = next(iter(parsed or ctx.args), None)  # arguments before an option without its value are not parsed
    path = ctx.params.get("db") or ctx.params.get("source") or first
    if not isinstance(path, str) or not os.path.isfile(path):
        return []
    try:
        with treesql.connect(path, read_only=True, safe=True) as database:
            return _starting_with(incomplete, database.corpora)
    except treesql.TreesqlError:
        return []


def inputs(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The corpora of --db, else files."""
    return corpora(ctx, incomplete) if ctx.params.get("db") else [CompletionItem(incomplete, type="file")]


def queries(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """The queries of the catalogue."""
    return _starting_with(incomplete, (query.name for query in treesql.queries()))


def metrics(kind: Kind, incomplete: str) -> list[CompletionItem]:
    """Metrics of a kind and their scores."""
    scores = (name for metric in kind.all_metrics for name in kind.columns_of_metrics[metric])
    return _last_of_list(incomplete, [*kind.all_metrics, *scores])


def tables(kind: Kind, incomplete: str) -> list[CompletionItem]:
    """The statistics of a kind."""
    return _last_of_list(incomplete, kind.tables)


def columns(kind: Kind, incomplete: str) -> list[CompletionItem]:
    """Columns to group the items of a kind by."""
    read = [_query(name) for name in kind.all_metrics]
    return _last_of_list(
        incomplete, ["sentence", *(name for relation in read for name in (*relation.columns, *relation.attributes))]
    )


def _last_of_list(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    """Names, also the last one of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{item.value}") for item in _starting_with(last, names)]


def _query(name: str) -> QueryInfo:
    return treesql.queries(name)[0]


def _starting_with(start: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(set(names)) if name.startswith(start)]
