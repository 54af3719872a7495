"""Correlation between the numeric columns of a table whose rows are treebanks, sentences or systems."""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError, Warn, why_unreadable
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.significance.coefficients import MIN_ROWS, TITLES, check_method, correlate_columns, count_ordered_pairs
from treesql.significance.methods import AVERAGES

ENDINGS = (".csv", ".json", ".parquet")
STANDARD_INPUT = "-"
_SCHEMA = pa.schema(
    {"metric_a": pa.string(), "metric_b": pa.string(), "method": pa.string(), "n": pa.int64(), "r": pa.float64()}
    | {
        "r_low": pa.float64(),
        "r_high": pa.float64(),
        "p": pa.float64(),
        "pairs": pa.int64(),
        "same_order": pa.float64(),
    }
)


def read_table(path: str) -> pa.Table:
    """A table from a .csv, .json (a list of row objects) or .parquet file, or CSV from standard input for `-`.

    Raises InvalidInput, UsageError.
    """
    ending = ".csv" if path == STANDARD_INPUT else Path(path).suffix
    if ending not in ENDINGS:
        raise UsageError(f"{path}: a table is a file that ends in {', '.join(ENDINGS)}, or - for CSV on standard input")
    try:
        if path == STANDARD_INPUT:
            table = _parse(sys.stdin.buffer, ending)
        else:
            with open(path, "rb") as file:
                table = _parse(file, ending)
    except OSError as error:
        what = why_unreadable(error)
        raise InvalidInput([Diagnostic.error(path, 0, what, "name a file that can be read")]) from None
    except (ValueError, TypeError, OverflowError) as error:  # errors of Arrow included
        what = f"this is not a {ending.removeprefix('.')} table ({str(error).splitlines()[0]})"
        raise InvalidInput(
            [Diagnostic.error(path, 0, what, "give a row of the same columns for every treebank")]
        ) from None
    twice = [name for name in table.column_names if table.column_names.count(name) > 1]
    if twice:
        raise InvalidInput([Diagnostic.error(path, 1, f"several columns are called `{twice[0]}`", "rename them")])
    return table


def correlate_table(
    table: pa.Table,
    columns: Sequence[str] | None = None,
    *,
    method: str = "pearson",
    complete: bool = False,
    source: str = "table",
    warn: Warn = lambda warning: None,
) -> Result:
    """The correlation of every pair of columns.

    A row is `metric_a, metric_b, method, n, r, r_low, r_high, p, pairs, same_order`. columns: those to correlate, in
    order; by default all numeric ones. Rows of averages, whose `treebank` is `macro` or `micro` in a table with
    systems, are left out. n: rows in which both columns have a value, or if `complete`, all columns. r: the coefficient
    of the method, of coefficients.METHODS; r_low, r_high: its 95 % interval, by Fisher's z; p: two-sided. All are NULL
    if n is below 3 or a column is constant, of which a warning names `source` as the place. pairs: pairs of rows that
    differ in both columns; same_order: the share of them of which both columns have the larger value in the same row.
    Raises UsageError, UnknownName.
    """
    check_method(method)
    chosen = _choose_columns(table, columns)
    table = _without_averages(table)
    if len(table) < MIN_ROWS:
        raise UsageError(f"a correlation needs at least three rows; here are {len(table)}")
    for unit in ("sentence", "treebank"):
        if {"system", unit} <= set(table.column_names) and (systems := len(table["system"].unique())) > 1:
            what = f"the rows are {unit}s of {systems} systems"
            warn(Diagnostic.warning(source, 0, what, f"select one system to correlate its {unit}s alone"))
    values = {name: [_finite(value) for value in table.column(name).to_pylist()] for name in chosen}
    if complete:
        whole = [None not in row for row in zip(*values.values(), strict=True)]
        values = {name: list(itertools.compress(column, whole)) for name, column in values.items()}
    for name, column in values.items():
        present = [value for value in column if value is not None]
        if len(set(present)) < 2:
            what = f"the column {name} is constant" if present else f"the column {name} has no values"
            warn(Diagnostic.warning(source, 0, what, "its correlations are NULL"))
    rows = []
    for a, b in itertools.combinations(chosen, 2):
        value_pairs = [(x, y) for x, y in zip(values[a], values[b], strict=True) if x is not None and y is not None]
        rows.append(
            {"metric_a": a, "metric_b": b, "method": method, "n": len(value_pairs), **_of_pair(method, value_pairs)}
        )
    return Result(pa.Table.from_pylist(rows, _SCHEMA), percent=frozenset({"same_order"}))


def _without_averages(table: pa.Table) -> pa.Table:
    """The table without the averages below the rows of treebanks."""
    if not {"system", "treebank"} <= set(table.column_names):
        return table
    return table.filter(pc.invert(pc.is_in(table["treebank"].cast(pa.string()), pa.array(AVERAGES))))


def matrix(correlations: Result) -> Result:
    """The pairs as a matrix of text: a row and a column per metric, the upper triangle filled.

    r has two decimals, followed by `*` if p < .05 and `**` if p < .01, and by its interval.
    """
    pairs = {(row["metric_a"], row["metric_b"]): _cell(row) for row in correlations.rows()}
    order = list(dict.fromkeys([*(a for a, _ in pairs), *(b for _, b in pairs)]))
    columns = {name: [("1" if a == name else pairs.get((a, name), "")) for a in order] for name in order}
    return Result(pa.table({"metric": order, **columns}))


def heat_map(correlations: Result) -> str:
    """The matrix as an SVG drawing."""
    from treesql.drawing import charts

    cells = {(row["metric_a"], row["metric_b"]): row["r"] for row in correlations.rows()}
    method = next((row["method"] for row in correlations.rows()), "pearson")
    names = list(dict.fromkeys([*(a for a, _ in cells), *(b for _, b in cells)]))
    return charts.heat_map(names, cells, title=f"Correlations: {TITLES[method]}, {rows_text(correlations)}")


def rows_text(correlations: Result) -> str:
    """How many rows the pairs have: `n = 12`, or `n = 8 to 12`."""
    sizes = sorted({row["n"] for row in correlations.rows()} or {0})
    return f"n = {sizes[0]}" + f" to {sizes[-1]}" * (len(sizes) > 1)


def fit_text(row: Mapping[str, Any]) -> str:
    """A correlation as a legend has it: `r = 0.45, 95% interval -0.20 to 0.82, n = 12`."""
    interval = "" if row["r_low"] is None else f", 95% interval {row['r_low']:.2f} to {row['r_high']:.2f}"
    return f"r = {row['r']:.2f}{interval}, n = {row['n']}"


def _choose_columns(table: pa.Table, columns: Sequence[str] | None) -> list[str]:
    numeric = [field.name for field in table.schema if _is_number(field.type)]
    if columns is None:
        chosen = numeric
    else:
        for name in columns:
            if name not in table.column_names:
                raise UnknownName("column", name, numeric)
            if name not in numeric and table.column(name).null_count < len(table):
                raise UsageError(f"the column {name} has no numbers; columns that do: {', '.join(numeric) or 'none'}")
        chosen = list(dict.fromkeys(columns))
    if len(chosen) < 2:
        raise UsageError(f"a correlation needs two columns of numbers; here is {', '.join(chosen) or 'none'}")
    return chosen


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _finite(value: object) -> float | None:
    """A finite number, or None."""
    number = None if value is None else float(value)  # type: ignore[arg-type]
    return number if number is not None and math.isfinite(number) else None


def _of_pair(method: str, value_pairs: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    a, b = zip(*value_pairs, strict=True) if value_pairs else ((), ())
    coefficient, order = correlate_columns(method, a, b), count_ordered_pairs(a, b)
    interval = {"r_low": coefficient.low, "r_high": coefficient.high}
    return {"r": coefficient.value, **interval, "p": coefficient.p, "pairs": order.pairs, "same_order": order.share}


def _cell(row: Mapping[str, Any]) -> str:
    r, low, high, p = (row[name] for name in ("r", "r_low", "r_high", "p"))
    if r is None:
        return "-"
    interval = "" if low is None else f" [{_rounded(low)}, {_rounded(high)}]"
    return _rounded(r) + ("**" if p < 0.01 else "*" if p < 0.05 else "") + interval


def _rounded(r: float) -> str:
    return f"{round(r, 2) + 0.0:.2f}"


def _parse(file: BinaryIO, ending: str) -> pa.Table:
    if ending == ".json":
        rows = json.load(file)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("not a list of objects")
        names = dict.fromkeys(name for row in rows for name in row)
        return pa.table({name: [row.get(name) for row in rows] for name in names})
    if ending == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(pa.BufferReader(file.read()))
    from pyarrow import csv

    return csv.read_csv(file)
