"""Which metrics of a kind are scored, and which of their columns are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treesql import catalog
from treesql.catalog.kinds import Kind, all_kinds
from treesql.errors import UnknownName, UsageError
from treesql.scoring import items


@dataclass(frozen=True)
class Choice:
    """Metrics, with the columns to show of each, and all columns in the order of a table.

    named: the columns that are named one by one, which are shown whatever the words of systems are.
    """

    columns: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...]
    named: frozenset[str] = frozenset()

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self.columns)


def _kinds_that_score(name: str) -> str:
    """Return what helps with an addition that another kind has, or whose abbreviation its text explains."""
    with_it = [f"`treesql score {one.name} --with {name}`" for one in all_kinds().values() if name in one.with_]
    explained = [f"`treesql score {one.name}`" for one in all_kinds().values() if f"({name.upper()})" in one.doc]
    found = [*with_it, *explained]
    return f"{' and '.join(found)} {'have' if len(found) > 1 else 'has'} it" if found else ""


def choose_columns(kind: Kind, names: Sequence[str], added: Sequence[str] = (), *, by: Sequence[str] = ()) -> Choice:
    """The metrics and columns of a kind that are named.

    names: metrics for all their columns, or counts and scores, alone or as `metric.score`. added: names of additions.
    Raises UnknownName, UsageError.
    """
    wanted = list(names)
    if tuple(by) == ("sentence",) and tuple(names) == kind.shown:
        wanted += kind.shown_by_sentence
    for one in dict.fromkeys(added):
        if one not in kind.with_:
            raise UnknownName(f"addition to the kind {kind.name}", one, kind.with_, _kinds_that_score(one))
        wanted += kind.with_[one].metrics
    found: dict[str, list[str]] = {}
    order: list[str] = []
    named = {name.rpartition(".")[2] for name in wanted if name not in kind.all_metrics}
    for name in wanted:
        metric, columns = _find(kind, name)
        found.setdefault(metric, []).extend(one for one in columns if one not in found[metric])
        order += [one for one in columns if one not in order]
    listed = [name for name in kind.all_metrics if name in found]
    in_order = list(found) if not kind.shown else listed
    return Choice({name: tuple(found[name]) for name in in_order}, tuple(order), frozenset(named))


def _find(kind: Kind, name: str) -> tuple[str, list[str]]:
    """The metric of a name, and the columns that it names. Raises UnknownName, UsageError."""
    metric, _, column = name.rpartition(".")
    if not metric and name in kind.all_metrics:
        return name, kind.columns(name)
    if metric:
        _check_metric(kind, metric)
        if column not in kind.columns(metric):
            raise UnknownName(f"score of {metric}", column, kind.columns(metric))
        return metric, [column]
    having = [one for one in kind.all_metrics if column in kind.columns(one)]
    default = [one for one in having if one in kind.metrics]
    if len(default or having) == 1 or (default and kind.shown):
        return (default or having)[0], [column]
    if having:
        listed = " or ".join(f"{one}.{column}" for one in default or having)
        raise UsageError(f"{column} is a score of several metrics; write {listed}")
    _check_metric(kind, name)
    raise AssertionError(name)


def _check_metric(kind: Kind, name: str) -> None:
    """Raises UnknownName, UsageError unless a metric is of a kind."""
    if name in kind.all_metrics:
        return
    if name in catalog.names():
        items.find_metric(name)
        raise UsageError(f"{name} is not a metric of the kind {kind.name}; these are {', '.join(kind.all_metrics)}")
    known = [*kind.all_metrics, *(column for one in kind.all_metrics for column in kind.columns(one))]
    raise UnknownName("metric or score", name, dict.fromkeys(known), catalog.note_of_old_name(name))
