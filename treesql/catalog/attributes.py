"""Attributes: columns of words and sentences that items are joined with where a group or a condition names them.

They are the columns of the queries of the kind `attributes` in a metric's folder. Every corpus of the metric has them:
`gold_distance` is that of the gold tree, `system_distance` the system's; `distance` is short for the first. If the
corpus of a query is named as a column of the items, `source`, attributes are those of the word at this position in
`source_words_corpus`, which need not be a corpus of the metric: `source_upos`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from treesql.catalog.header import Column
from treesql.catalog.queries import Query, in_folder

KEYS = ("sentence", "word", "source", "reference_form")
"""Columns of queries of attributes that say what is described: a sentence, a word in it, a source word of links, or a
word wherever it occurs."""

PLACES: Mapping[str, tuple[str, ...]] = {"words": ("sentence", "word"), "sentences": ("sentence",), "corpora": ()}
"""Tables of the gold corpus that items are joined with, and the columns that find their row."""

OF_WORDS = "_words"
"""Ends the name of a corpus whose words a column of items counts: `source_words_corpus`, `source`."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of the items of a metric.

    name: as groups and conditions have it. query: whose column it is, column: that column; parameter: of the metric or
    of `query` alone, the corpus that is described. keys: pairs of a column of the items and the column of `query` that
    is equal to it.
    """

    name: str
    query: Query
    column: Column
    parameter: str
    keys: tuple[tuple[str, str], ...]

    @property
    def call(self) -> str:
        """The query with the corpus that is described, as queries refer to each other."""
        return f"{self.query.name}({self.query.reference_corpus} := ${self.parameter})"


@lru_cache(maxsize=256)
def attributes_of(metric: Query) -> Mapping[str, Attribute]:
    """Return the attributes of a metric's items by their names; columns of the items come before them."""
    own = {column.name for column in metric.columns}
    found: dict[str, Attribute] = {}
    for query in in_folder(metric.family, "attributes"):
        described = [column.name for column in query.columns if column.name in KEYS]
        linked = _side(str(query.reference_corpus)).removesuffix(OF_WORDS)
        if {"sentence", linked} <= own:
            found |= _at_position(query, linked, own)
            continue
        for parameter in (p.name for p in metric.parameters if p.name.endswith("_corpus")):
            keys = _keys(own, described, None if parameter == metric.reference_corpus else _side(parameter))
            if keys is None:
                continue
            for column in query.columns:
                names = [f"{_side(parameter)}_{column.name}", *[column.name] * (parameter == metric.reference_corpus)]
                for name in names if column.name not in KEYS else ():
                    if name not in own:
                        found[name] = Attribute(name, query, column, parameter, keys)
    return found


def further_corpora(metric: Query, names: Iterable[str] | None = None) -> dict[str, str]:
    """Return the parameters of the corpora that attributes describe and the metric does not declare.

    Each with an attribute of it. names: words of which some are attributes; None for all.
    """
    known = attributes_of(metric)
    named = known if names is None else known.keys() & set(names)
    declared = {parameter.name for parameter in metric.parameters}
    return {known[name].parameter: name for name in sorted(named) if known[name].parameter not in declared}


def reachable_tables(metric: Query) -> list[str]:
    """Return the tables of the gold corpus that a metric's items can be joined with."""
    columns = {column.name for column in metric.columns}
    return [table for table, keys in PLACES.items() if columns.issuperset(keys)]


def attributes_named(metric: Query, names: Iterable[str]) -> list[Attribute]:
    """Return the attributes of a metric's items that are among names, which may be any words of SQL."""
    known = attributes_of(metric)
    return [known[name] for name in sorted(known.keys() & set(names))]


def queries_named(metrics: Iterable[Query], names: Iterable[str]) -> list[Query]:
    """Return the queries of the attributes of several metrics that are among names."""
    wanted = set(names)
    if not wanted:
        return []
    found = {one.query.name: one.query for metric in metrics for one in attributes_named(metric, wanted)}
    return list(found.values())


def _at_position(query: Query, side: str, own: set[str]) -> dict[str, Attribute]:
    """Return the attributes of the words at the positions that a column of the items has. side: that column."""
    keys = (("sentence", "sentence"), (side, "word"))
    names = {f"{side}_{column.name}": column for column in query.columns if column.name not in KEYS}
    parameter = str(query.reference_corpus)
    return {name: Attribute(name, query, column, parameter, keys) for name, column in names.items() if name not in own}


def _side(parameter: str) -> str:
    return parameter.removesuffix("_corpus")


def _keys(own: set[str], described: list[str], side: str | None) -> tuple[tuple[str, str], ...] | None:
    """Return the columns of items that find what is described, by its keys; None if the items lack one.

    side: of a corpus whose sentences may not be those of the items: `system_sentence`, and `system_word` unless the
    words have the same positions.
    """
    if side is None or "sentence" not in described:
        pairs = tuple((key, key) for key in described)
    elif f"{side}_sentence" in own:
        pairs = tuple((f"{side}_{key}" if f"{side}_{key}" in own else key, key) for key in described)
    else:
        return None
    return pairs if {column for column, _ in pairs} <= own else None
