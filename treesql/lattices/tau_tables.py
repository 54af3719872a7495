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
from treesql.catalog import Query
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn, not_applicable
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import EMPTY_REFERENCES, Task
from treesql.lattices import curve_fitting
from treesql.lattices.density_curves import bounded, with_bounds
from treesql.results.result import Result
from treesql.scoring import scores
from treesql.scoring.scores import signature as cite

DRAWN_QUANTILE = 0.75
"""The quantile of a picture, which single edges hardly change: that of figure 3.23."""

_SHARES = {"threshold": pa.float64(), "edges": pa.int64(), "pruned": pa.int64(), "pruned_share": pa.float64()}
_GROWTH = {"thresholds": pa.int64()}
_GROWTH |= {name: pa.float64() for name in (*with_bounds("midpoint", "growth"), "r_squared")}
_KEYS = ("system", "lattices", "min_redundancy", "density")
"""Columns that name lattices, and the bound of the redundancy that tau is computed with."""


@dataclass(frozen=True)
class _Taus:
    """A query of tau, ready to run on lattices.

    keys: the first columns of its rows; name: of its signature; n_edges: of all lattices.
    """

    engine: Engine
    query: Query
    parameters: Mapping[str, object]
    keys: Mapping[str, object]
    name: str
    n_edges: int

    def rows(self) -> pa.Table:
        return scores.run_query(self.engine, self.query, self.parameters)

    def signature(self, column: str) -> tuple[str, str]:
        return f"{self.name}:{column}", cite(self.engine, self.query, column, self.query.values(self.parameters), None)


def pruned_shares(
    task: Task, thresholds: Sequence[float], *, raw: bool = False,
    systems: Mapping[str, Sequence[str]] | None = None, redundancies: Sequence[float] = (),
) -> Result:  # fmt: skip
    """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`.

    All tau are those of the whole lattice; edges are counted before any is kept so that a path remains. raw: an edge
    fails if tau is below the threshold itself, not below the threshold divided by the number of edges of its lattice
    (figures 3.17 and 3.20). systems: the corpora of each, which adds the column `lattices`; redundancies: several
    bounds, which add `min_redundancy`. Raises UsageError, and what `evaluate` raises.
    """
    if not thresholds or not np.isfinite(thresholds).all():
        raise UsageError("thresholds are finite numbers; name one at least")
    rows: list[dict[str, object]] = []
    signatures: dict[str, str] = {}
    with _open(task, "edge_removals", systems, redundancies) as variants:
        for variant in variants:
            signatures.update([variant.signature("pruned_share")])
            taus = variant.rows()
            tau, sentence = taus["tau"].to_numpy(), taus["sentence"].to_numpy()
            scale = np.ones(len(tau)) if raw else np.bincount(sentence, minlength=1)[sentence]
            for threshold in thresholds:
                n = int(np.count_nonzero(tau < threshold / scale))
                share = n / len(tau) if len(tau) else None
                rows.append(
                    {**variant.keys, "threshold": float(threshold)}
                    | {"edges": len(tau), "pruned": n, "pruned_share": share}
                )
    return _table(rows, _SHARES, signatures, frozenset({"pruned_share"}), ["threshold"])


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


def find_spans(
    task: Task, systems: Mapping[str, Sequence[str]] | None = None, redundancies: Sequence[float] = ()
) -> Result:
    """The range of tau in every lattice: `system, density`, and the columns of `tau_span` (figures 3.18, 3.19).

    Parameters and errors as for `pruned_shares`.
    """
    return _of_query(task, "tau_span", "span", "sentence", systems, redundancies, sized=False)


def find_quantiles(
    task: Task, systems: Mapping[str, Sequence[str]] | None = None, redundancies: Sequence[float] = ()
) -> Result:
    """The distribution of tau over edges: `system, density, n_edges`, and the columns of `tau_quantiles` (figure 3.23).

    Parameters and errors as for `pruned_shares`.
    """
    return _of_query(task, "tau_quantiles", "tau", "quantile", systems, redundancies, sized=True)


def _of_query(
    task: Task, query: str, cited: str, order: str, systems: Mapping[str, Sequence[str]] | None,
    redundancies: Sequence[float], *, sized: bool,
) -> Result:  # fmt: skip
    """The rows of a query for all lattices, with the columns that name these first; if `sized` also their edges."""
    rows: list[dict[str, object]] = []
    signatures: dict[str, str] = {}
    types: dict[str, pa.DataType] = {"n_edges": pa.int64()} if sized else {}
    with _open(task, query, systems, redundancies) as variants:
        for variant in variants:
            signatures.update([variant.signature(cited)])
            table = variant.rows()
            keys = {**variant.keys, "n_edges": variant.n_edges}
            types |= {field.name: field.type for field in table.schema}
            rows += [{**keys, **row} for row in table.to_pylist()]
    return _table(rows, types, signatures, order=[order])


@contextmanager
def _open(
    task: Task, query: str, systems: Mapping[str, Sequence[str]] | None, redundancies: Sequence[float]
) -> Iterator[Iterator[_Taus]]:
    """Open lattices and references. Raises UsageError without references, or for parameters without effect."""
    taus, size = catalog.query(query), catalog.query("lattice_size")
    if not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    # tau is of words, empty references have none
    declared = {parameter.name for parameter in taus.parameters} | {EMPTY_REFERENCES}
    unused = [name for name in task.parameters if name not in declared]
    if unused:
        raise not_applicable(unused, "pruned shares")
    owners = {corpus: name for name, corpora in (systems or {}).items() for corpus in corpora}
    with open_inputs(task, [taus, size]) as inputs:

        def each() -> Iterator[_Taus]:
            for corpus in inputs.systems:
                parameters = inputs.values(corpus, [taus])
                [row] = scores.score(inputs.engine, ["lattice_size"], {"lattice_corpus": corpus}).rows()
                for least in redundancies or (None,):
                    given = parameters if least is None else {**parameters, "min_redundancy": least}
                    keys: dict[str, object] = {"system": owners.get(corpus, corpus), "lattices": corpus}
                    keys |= {"min_redundancy": least, "density": row["density"]}
                    name = corpus if least is None else f"{corpus} by {least:g}"
                    yield _Taus(inputs.engine, taus, given, keys, name, row["n_edges"])

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
