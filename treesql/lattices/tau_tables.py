"""Tables of tau over densities: shares of edges below thresholds and their growth, spans of lattices, quantiles.

Source: Bernreuther 2005, Lattice evaluation techniques, figures 3.17 to 3.20 and 3.23.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn, not_applicable
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import EMPTY_REFERENCES, Task
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import bounded, with_bounds
from treesql.results.result import Result
from treesql.runtime import steps
from treesql.scoring import scores
from treesql.scoring.scores import signature as cite

DRAWN_QUANTILE = 0.75
"""The quantile of a picture, which single edges hardly change: that of figure 3.23."""

REMOVALS = "edge_removals"
"""The relation with the tau of every edge, which the others are computed from; all declare the same parameters."""

PRUNED, SPANS, QUANTILES = "pruned", "spans", "quantiles"
"""Names of tables."""

_QUERIES = {SPANS: ("tau_span", "span", "sentence", False), QUANTILES: ("tau_quantiles", "tau", "quantile", True)}
"""By table its query, the name in signatures, the column by which rows are ordered, and whether edges are counted."""

_SHARES = {"threshold": pa.float64(), "edges": pa.int64(), "pruned": pa.int64(), "pruned_share": pa.float64()}
_GROWTH = {"thresholds": pa.int64()}
_GROWTH |= {name: pa.float64() for name in (*with_bounds("midpoint", "growth"), "r_squared")}
_KEYS = ("system", "lattices", "min_redundancy", "density")
"""Columns that name lattices, and the bound of the redundancy that tau is computed with."""


@dataclass(frozen=True)
class _Taus:
    """Lattices on which queries of tau are run.

    keys: the first columns of rows; name: of signatures; n_edges: of all lattices.
    """

    engine: Engine
    parameters: Mapping[str, object]
    keys: Mapping[str, object]
    name: str
    n_edges: int

    def rows(self, query: str) -> pa.Table:
        return scores.run_query(self.engine, catalog.query(query), self.parameters)

    def signature(self, query: str, column: str) -> tuple[str, str]:
        entry = catalog.query(query)
        return f"{self.name}:{column}", cite(self.engine, entry, column, self.parameters)

    @contextmanager
    def holding(self, removals: pa.Table) -> Iterator[None]:
        """Run queries over rows of edge_removals that are known."""
        for name in scores.corpora_named(catalog.query(REMOVALS)):
            corpus = pa.scalar(str(self.parameters[name]), pa.string())
            removals = removals.append_column(name, pa.repeat(corpus, len(removals)))
        before = self.engine.precomputed
        with self.engine.with_tables({REMOVALS: removals}):
            self.engine.precomputed = before | {REMOVALS}
            try:
                yield
            finally:
                self.engine.precomputed = before


def find_tables(
    task: Task, names: Sequence[str], thresholds: Sequence[float] = (), *, raw: bool = False,
    systems: Mapping[str, Sequence[str]] | None = None, redundancies: Sequence[float] = (),
) -> dict[str, Result]:  # fmt: skip
    """Tables by their names, each tau computed once for all of them.

    pruned: the share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`. All
    tau are those of the whole lattice; edges are counted before any is kept so that a path remains. raw: an edge fails
    if tau is below the threshold itself, not below the threshold divided by the number of edges of its lattice (figures
    3.17 and 3.20). spans: the range of tau in every lattice: `system, density`, and the columns of `tau_span` (figures
    3.18, 3.19). quantiles: the distribution of tau over edges: `system, density, n_edges`, and the columns of
    `tau_quantiles` (figure 3.23). systems: the corpora of each, which adds the column `lattices`; redundancies: several
    bounds, which add `min_redundancy`. Raises UsageError, and what `evaluate` raises.
    """
    tables = [_PrunedShares(thresholds, raw) if name == PRUNED else _TauRows(*_QUERIES[name]) for name in names]
    with _open(task, [table.query for table in tables], systems, redundancies) as variants:
        for variant in variants:
            removals = variant.rows(REMOVALS)
            with variant.holding(removals):
                for table in tables:
                    table.add(variant, removals)
    return {name: table.result() for name, table in zip(names, tables, strict=True)}


class _PrunedShares:
    """The table of pruned shares. Raises UsageError for thresholds that are none."""

    query = REMOVALS

    def __init__(self, thresholds: Sequence[float], raw: bool) -> None:
        if not thresholds or not np.isfinite(thresholds).all():
            raise UsageError("thresholds are finite numbers; name one at least")
        self._thresholds, self._raw = thresholds, raw
        self._rows: list[dict[str, object]] = []
        self._signatures: dict[str, str] = {}

    def add(self, variant: _Taus, removals: pa.Table) -> None:
        self._signatures.update([variant.signature(REMOVALS, "pruned_share")])
        tau, sentence = removals["tau"].to_numpy(), removals["sentence"].to_numpy()
        scale = np.ones(len(tau)) if self._raw else np.bincount(sentence, minlength=1)[sentence]
        for threshold in self._thresholds:
            n = int(np.count_nonzero(tau < threshold / scale))
            share = n / len(tau) if len(tau) else None
            self._rows.append(
                {**variant.keys, "threshold": float(threshold)}
                | {"edges": len(tau), "pruned": n, "pruned_share": share}
            )

    def result(self) -> Result:
        return _table(self._rows, _SHARES, self._signatures, frozenset({"pruned_share"}), ["threshold"])


def fit_growth(shares: Result, warn: Warn = lambda warning: None) -> Result:
    """Fit a logistic curve to the pruned shares of every system: `system, density, thresholds, midpoint, growth, ...`.

    share = 1 / (1 + exp(-growth * (threshold - midpoint))). midpoint: the threshold that prunes half of the
    edges; growth: four times the slope there; both with the bounds of 95% intervals. reason: why no curve fits, if
    there are such rows, of which it warns. Raises UsageError.
    """
    rows = []
    for key, (x, y) in shares_by_lattices(shares).items():
        row: dict[str, object] = {**dict(key), "thresholds": len(x)}
        try:
            fitted = curve_fitting.fit_curve(x, y, "logistic")
            row |= {"r_squared": fitted.r_squared, **bounded(fitted.parameters, fitted.intervals)}
        except UsageError as error:
            row["reason"] = str(error)
            warn(
                Diagnostic.warning(
                    str(row.get("lattices", row["system"])), 0, str(error), "the other numbers are not affected"
                )
            )
        rows.append(row)
    reason = {"reason": pa.string()} if any("reason" in row for row in rows) else {}
    return _table(rows, _GROWTH | reason, shares.signatures)


def shares_by_lattices(shares: Result) -> dict[tuple[tuple[str, object], ...], tuple[list[float], list[float]]]:
    """Thresholds and shares by the columns that name the lattices. Raises UsageError if some have no edges."""
    grouped: dict[tuple[tuple[str, object], ...], tuple[list[float], list[float]]] = {}
    for row in shares.rows():
        if row["pruned_share"] is None:
            raise UsageError(f"{row['system']} has no edges that could be pruned")
        key = tuple((name, row[name]) for name in _KEYS if name in row)
        x, y = grouped.setdefault(key, ([], []))
        x.append(row["threshold"])
        y.append(row["pruned_share"])
    return grouped


class _TauRows:
    """The rows of a query for all lattices, with the columns that name these first; if `sized` also their edges."""

    def __init__(self, query: str, cited: str, order: str, sized: bool) -> None:
        self.query, self._cited, self._order = query, cited, order
        self._rows: list[dict[str, object]] = []
        self._signatures: dict[str, str] = {}
        self._types: dict[str, pa.DataType] = {"n_edges": pa.int64()} if sized else {}

    def add(self, variant: _Taus, removals: pa.Table) -> None:
        self._signatures.update([variant.signature(self.query, self._cited)])
        table = variant.rows(self.query)
        keys = {**variant.keys, "n_edges": variant.n_edges}
        self._types |= {field.name: field.type for field in table.schema}
        self._rows += [{**keys, **row} for row in table.to_pylist()]

    def result(self) -> Result:
        return _table(self._rows, self._types, self._signatures, order=[self._order])


@contextmanager
def _open(
    task: Task, names: Sequence[str], systems: Mapping[str, Sequence[str]] | None, redundancies: Sequence[float]
) -> Iterator[Iterator[_Taus]]:
    """Open lattices and references. Raises UsageError without references, or for parameters without effect."""
    queries = [catalog.query(name) for name in (REMOVALS, *names, "lattice_size")]
    if not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    # tau is of words, empty references have none
    declared = {parameter.name for parameter in queries[0].parameters} | {EMPTY_REFERENCES}
    unused = [name for name in task.parameters if name not in declared]
    if unused:
        raise not_applicable(unused, "pruned shares")
    owners = {corpus: name for name, corpora in (systems or {}).items() for corpus in corpora}
    with open_inputs(task, queries) as inputs:

        def each() -> Iterator[_Taus]:
            for corpus in steps.each(inputs.systems, "densities with tau"):
                parameters = inputs.values(corpus, queries[:1])
                [row] = scores.score(inputs.engine, ["lattice_size"], {"lattice_corpus": corpus}).rows()
                for least in redundancies or (None,):
                    given = parameters if least is None else {**parameters, "min_redundancy": least}
                    keys: dict[str, object] = {"system": owners.get(corpus, corpus), "lattices": corpus}
                    keys |= {"min_redundancy": least, "density": row["density"]}
                    name = corpus if least is None else f"{corpus} by {least:g}"
                    yield _Taus(inputs.engine, given, keys, name, row["n_edges"])

        yield each()


def _table(
    rows: Sequence[Mapping[str, object]], types: Mapping[str, pa.DataType], signatures: Mapping[str, str],
    percent: frozenset[str] = frozenset(), order: Sequence[str] = (),
) -> Result:  # fmt: skip
    """Rows with the columns that name their lattices where they tell some apart, sorted by density."""
    first = rows[0] if rows else {}
    shown = {"system": pa.string(), "density": pa.float64()}
    if any("lattices" in row and row["system"] != row["lattices"] for row in rows):
        shown = {"system": pa.string(), "lattices": pa.string(), "density": pa.float64()}
    if first.get("min_redundancy") is not None:
        shown["min_redundancy"] = pa.float64()
    names = [name for name in _KEYS if name in shown]
    schema = pa.schema({name: shown[name] for name in names} | dict(types))
    table = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)
    groups = [name for name in names if name in ("system", "min_redundancy")] if "lattices" in names else names[1:-1]
    systems = list(dict.fromkeys(table["system"].to_pylist()))
    rank = pa.array([systems.index(name) for name in table["system"].to_pylist()], pa.int64())
    by = [("rank" if name == "system" else name, "ascending") for name in [*groups, "density", *order]]
    table = table.append_column("rank", rank).sort_by(by).drop_columns(["rank"])
    return Result(table, dict(signatures), percent)
