"""Columns of systems whose words are the gold words, and of others, whose words are aligned by their characters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.catalog.kinds import Kind
from treesql.catalog.schemas import BY_CHARACTERS
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc

if TYPE_CHECKING:
    from treesql.significance.counted_metrics import CountedMetric
    from treesql.significance.tests import Counts


def fit_columns(part: Result, kind: Kind, named: Collection[str] = ()) -> Result:
    """The scores without the columns of words that no system has; those that one lacks are NULL in its rows.

    part: of one system, or of several by the column `system`. named: columns that stay.
    """
    table = part.arrow()
    if BY_CHARACTERS not in table.column_names:
        return part
    n_aligned = table[BY_CHARACTERS].to_pylist()
    systems = table["system"].to_pylist() if "system" in table.column_names else [""] * len(table)
    others = {system for system, n in zip(systems, n_aligned, strict=True) if n}
    for columns, fits in ((kind.of_other_words, others), (kind.of_same_words, set(systems) - others)):
        bounded = {f"{name}{end}" for name in columns if name not in named for end in ("", "_low", "_high")}
        shown = [name for name in table.column_names if name in bounded]
        if not fits:
            table = table.drop_columns(shown)
        elif fits != set(systems):
            table = _only_of(table, shown, pa.array([system in fits for system in systems]))
    return replace(part, _table=table)


def _only_of(table: pa.Table, columns: Sequence[str], rows: pa.Array) -> pa.Table:
    """The table with NULL in columns of other rows than some, which are true."""
    for name in columns:
        values = pc.if_else(rows, table[name], pa.scalar(None, table[name].type))
        table = table.set_column(table.column_names.index(name), name, values)
    return table


def fit_comparison(
    treebanks: Mapping[str, Sequence[CountedMetric]], kind: Kind, named: Collection[str]
) -> dict[str, Sequence[CountedMetric]]:
    """The counts with the scores to compare: those of other words only if a system has some, unless they are named.

    A score that depends on how words are paired is computed in one way for all systems.
    """
    aligned = any(_are_aligned(one) for counted in treebanks.values() for one in counted)
    hidden = frozenset() if aligned else frozenset(kind.of_other_words).difference(named)

    def fitting(one: CountedMetric) -> CountedMetric:
        if aligned and _place(one) is not None:
            one = replace(
                one,
                by_sentence={name: _as_aligned(one, counts) for name, counts in one.by_sentence.items()},
                by_stratum={name: _as_aligned(one, counts) for name, counts in one.by_stratum.items()},
            )
        kept = [at for at, score in enumerate(one.scores) if score.name not in hidden]
        discordant = {pair: [found[at] for at in kept] for pair, found in one.discordant.items()}
        return replace(one, scores=[one.scores[at] for at in kept], discordant=discordant)

    return {name: [fitting(one) for one in counted] for name, counted in treebanks.items()}


def _are_aligned(one: CountedMetric) -> bool:
    """Whether words of a system were aligned by their characters, as the counts say."""
    at = _place(one)
    return at is not None and any(counts.values[:, at].any() for counts in one.by_sentence.values())


def _place(one: CountedMetric) -> int | None:
    names = [count.name for count in one.query.counts]
    return names.index(BY_CHARACTERS) if BY_CHARACTERS in names else None


def _as_aligned(one: CountedMetric, counts: Counts) -> Counts:
    """Counts of a system as if its words were aligned by their characters."""
    values = counts.values.copy()
    values[:, _place(one)] = np.any(values, axis=1)
    return replace(counts, values=values)
