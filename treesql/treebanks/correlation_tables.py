"""Correlations between the columns of a table, or between measures of a parser across treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treesql import readers
from treesql.errors import UsageError, issue
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.scoring.treebank_inputs import path_text
from treesql.treebanks import correlation
from treesql.treebanks.typology import TypologyTask, measure


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Correlations(Result):
    """A row per pair of columns: `metric_a, metric_b, method, n, r, p, pairs, same_order`."""

    def matrix(self) -> Result:
        """The pairs as a matrix of text, with `*` where p < .05 and `**` where p < .01."""
        return correlation.matrix(self)

    def svg(self) -> str:
        """The matrix as a heat map."""
        return correlation.heat_map(self)


@convert_errors
def correlate(
    table: Result | str | Path,
    system_dir: str | Path | None = None,
    *,
    method: str = "pearson",
    columns: str | Sequence[str] | None = None,
    complete: bool = False,
    system: str | Sequence[str] | None = None,
    classes: str | Path | None = None,
    weights: str | Path | None = None,
    punctuation: str = "all",
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> Correlations:
    """Return correlations between the numeric columns of a table, or between measures across treebanks.

    table: a result, a .csv, .json or .parquet file, `-` for CSV from standard input; with `system_dir` a folder of gold
    treebanks, and `system_dir` a folder of outputs, as `treesql.typology` reads them. method: `pearson`, `spearman`
    (rho) or `kendall` (tau-b). columns: those to correlate, with commas between, else all with numbers. complete:
    whether to use only rows in which all of these have a value. system, classes, weights, punctuation, permissive,
    strict, max_sentence: of folders, as for `treesql.typology`. Warns with TreesqlWarning. Raises UsageError,
    UnknownName, InvalidInput, Incomparable.
    """
    if system_dir is not None:
        if isinstance(table, Result):
            raise UsageError("a table of results stands alone; name GOLD_DIR and SYSTEM_DIR for treebanks")
        with readers.max_sentence(max_sentence):
            task = TypologyTask(
                str(table), str(system_dir), system, path_text(classes), path_text(weights), permissive, strict, issue,
                punctuation,
            )  # fmt: skip
            rows = _of_one_system(task).arrow()
    else:
        folder_options = {"system": system, "classes": classes, "weights": weights, "permissive": permissive}
        folder_options |= {"strict": strict, "punctuation": punctuation != "all"}
        for name in (name for name, value in folder_options.items() if value):
            raise UsageError(f"--{name} does not apply to a table; name GOLD_DIR and SYSTEM_DIR")
        rows = table.arrow() if isinstance(table, Result) else correlation.read_table(str(table))
    chosen = [name.strip() for name in columns.split(",")] if isinstance(columns, str) and columns else columns
    source = "result" if isinstance(table, Result) else "<stdin>" if str(table) == "-" else str(table)
    result = correlation.correlate_table(
        rows, chosen or None, method=method, complete=complete, source=source, warn=issue
    )
    return Correlations(result.arrow(), result.signatures, result.percent)


def _of_one_system(task: TypologyTask) -> Result:
    """The measures of the only system. Raises UsageError for several."""
    measured = measure(task)
    if len(measured.systems) > 1:
        raise UsageError(f"several systems: {', '.join(measured.systems)}; choose one: --system {measured.systems[0]}")
    return measured.of_system(measured.systems[0])
