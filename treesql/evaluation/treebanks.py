"""Score and compare systems on several treebanks: a task for each, one after another, and averages over all, macro and
micro, as rows below those of the treebanks.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from treesql import catalog, significance
from treesql.errors import Diagnostic, UnknownName, UsageError
from treesql.evaluation.evaluate import (
    alignment_warning,
    choose_shown,
    count_groups,
    count_systems,
    evaluate_systems,
    fit_comparison,
    have_aligned_words,
    open_and_run,
    score_systems,
    show_wide,
    task_of_main_score,
    task_to_compare,
    warn_if_nothing_is_scored,
    with_all_columns,
)
from treesql.evaluation.task import Inputs, Task, check_task
from treesql.kernels.arrays import Floats
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.runtime import steps
from treesql.scoring.items import sum_name
from treesql.scoring.sorting import order_of_groups
from treesql.significance.averages import ResampledAverages
from treesql.significance.intervals import ends_of_known, percentile_interval
from treesql.significance.methods import AVERAGES, MICRO, RUNS, SEED, Method
from treesql.significance.tests import evaluate_scores

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison
    from treesql.significance.counted_metrics import CountedMetric, GroupedCounts


Key = tuple[Any, ...]
"""The values of a group's columns."""

Resamples = dict[tuple[str, str, Key], ResampledAverages]
"""Resampled averages by metric, system and group."""


@dataclass(frozen=True)
class ScoredTreebanks:
    """The scores of systems on treebanks, as `evaluate.score_systems` returns them with sums.

    parts: by treebank and system; metrics: whose columns they have.
    """

    parts: Mapping[str, Mapping[str, Result]]
    metrics: Sequence[str]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(next(iter(self.parts.values())))

    @property
    def groups(self) -> list[str]:
        """The columns that items are grouped by."""
        return group_columns(next(iter(next(iter(self.parts.values())).values())), self.metrics)

    def result(self) -> Result:
        """The rows of all treebanks and systems, with their names as first columns."""
        rows: list[pa.Table] = []
        cited: dict[str, str] = {}
        for treebank, of_systems in self.parts.items():
            for system, part in of_systems.items():
                rows.append(with_names(part.arrow(), system, treebank))
                cited |= {f"{system}:{treebank}:{score}": text for score, text in part.signatures.items()}
        results = [part for of_systems in self.parts.values() for part in of_systems.values()]
        return with_all_columns(rows, results, cited)


def add_averages(scored: ScoredTreebanks, resamples: Resamples) -> Result:
    """Return the rows of all treebanks, then of every system `macro` and `micro`, of all groups.

    macro: the means of the treebanks' scores, of those that have a value, without counts; micro: sums of counts, and
    the scores of the sums.
    """
    import pyarrow.compute as pc

    scores = scored.result()
    table = _with_scores_as_doubles(scores.arrow(), scored.metrics)
    rows, cited = [table], dict(scores.signatures)
    for system in scored.systems:
        of_system = table.filter(pc.equal(table["system"], system))
        rows += [_average(of_system, scored, average, resamples, system) for average in AVERAGES]
        for average in AVERAGES:
            cited |= {f"{system}:{average}:{name}": text for name, text in _cite(scored, system, average).items()}
    return Result(pa.concat_tables(rows), cited, scores.percent, scores.directions)


def with_names(rows: pa.Table, system: str, treebank: str) -> pa.Table:
    """The rows of a system on a treebank, with the names of both as first columns."""
    named = rows
    for at, (column, name) in enumerate((("system", system), ("treebank", treebank))):
        named = named.add_column(at, column, pa.array([name] * rows.num_rows, pa.string()))
    return named


def group_columns(part: Result, metrics: Sequence[str]) -> list[str]:
    """The columns of a table of scores that no metric computes."""
    queries = [catalog.query(name) for name in metrics]
    measured = {sum_name(query, count) for query in queries for count in query.counts}
    measured |= {count.name for query in queries for count in query.counts}
    measured |= {f"{score.name}{end}" for query in queries for score in query.scores for end in ("", "_low", "_high")}
    return [name for name in part.columns if name not in measured]


def _with_scores_as_doubles(table: pa.Table, metrics: Sequence[str]) -> pa.Table:
    """The table with scores that are whole numbers as DOUBLE, because their means are not whole."""
    for score in (score for name in metrics for score in catalog.query(name).ratios):
        at = table.schema.get_field_index(score.name)
        if not pa.types.is_floating(table.schema.types[at]):
            table = table.set_column(at, score.name, table[score.name].cast(pa.float64()))
    return table


def _average(of_system: pa.Table, scored: ScoredTreebanks, average: str, resamples: Resamples, system: str) -> pa.Table:
    """The rows of an average of one system: one, or one for each group, sorted."""
    queries = [catalog.query(name) for name in scored.metrics]
    keys = ["system", *scored.groups]
    summed = [name for query in queries for name in (sum_name(query, count) for count in query.counts)]
    means = [score.name for query in queries for score in query.ratios]
    aggregates = [(name, "sum") for name in summed] + [(name, "mean") for name in means]
    aggregated = of_system.group_by(keys, use_threads=False).aggregate(aggregates)
    if scored.groups:
        order = order_of_groups([aggregated[name].to_pylist() for name in scored.groups])
        aggregated = aggregated.take(pa.array(order, pa.int64()))  # of none, too
    columns: dict[str, Any] = {name: aggregated[name] for name in keys}
    columns["treebank"] = pa.array([average] * len(aggregated), pa.string())
    columns |= {score: aggregated[f"{score}_mean"] for score in means}
    if average == MICRO:
        columns |= {name: aggregated[f"{name}_sum"] for name in summed}
        for query in reversed(queries):  # a count of several metrics is that of the first
            columns |= _micro(query, aggregated)
    groups = _keys(aggregated, scored.groups)
    for query in queries:
        ends = _intervals(query, [resamples.get((query.name, system, key)) for key in groups], average)
        columns |= {
            name: ends_of_known(columns[name.rpartition("_")[0]].to_pylist(), of_groups)
            for name, of_groups in ends.items()
        }
    arrays = [
        _column(columns[field.name], field.type) if field.name in columns else pa.nulls(len(aggregated), field.type)
        for field in of_system.schema
    ]
    return pa.table(arrays, schema=of_system.schema)


def _keys(rows: pa.Table, groups: Sequence[str]) -> list[Key]:
    """The values of the columns of groups by row; of all items without groups."""
    return [tuple(row.values()) for row in rows.select(groups).to_pylist()] if groups else [()]


def _micro(query: catalog.Query, summed: pa.Table) -> dict[str, Any]:
    """The counts that are shown, and the scores of sums; NULL where a metric has no items."""
    sums = {count.name: summed[f"{sum_name(query, count)}_sum"] for count in query.counts}
    columns: dict[str, Any] = {count.name: sums[count.name] for count in query.counts if count.shown}
    values = np.stack([column.cast(pa.float64()).to_numpy() for column in sums.values()], axis=1)
    scores = evaluate_scores(query.ratios, query.counts, values)
    columns |= {
        score.name: pa.array(column, pa.float64(), from_pandas=True)
        for score, column in zip(query.ratios, scores.T, strict=True)
    }
    return columns


def _intervals(query: catalog.Query, of_groups: Sequence[ResampledAverages | None], average: str) -> dict[str, Any]:
    """The ends of the intervals of a metric's scores, for the groups that were resampled."""
    if not any(of_groups):
        return {}
    ends: dict[str, list[float | None]] = {}
    for averages in of_groups:
        runs = None if averages is None else averages.runs_of(average)
        for at, score in enumerate(query.ratios):
            low, high = (None, None) if runs is None else percentile_interval(runs[:, at])
            ends.setdefault(f"{score.name}_low", []).append(low)
            ends.setdefault(f"{score.name}_high", []).append(high)
    return ends


def _column(values: Any, kind: pa.DataType) -> pa.ChunkedArray | pa.Array:
    return pa.array(values, kind) if isinstance(values, list) else values.cast(kind)


def _cite(scored: ScoredTreebanks, system: str, average: str) -> dict[str, str]:
    """The signatures of an average by score, with digests of the treebanks' corpora."""
    parts = [of_systems[system] for of_systems in scored.parts.values()]
    return {
        score: signature_text.over([part.signatures[score] for part in parts], [f"average:{average}"])
        for score in parts[0].signatures
    }


Treebanks = Mapping[str, Task]
"""Tasks of one kind and the same systems, by the name of the treebank."""


class TreebanksToScore:
    """The scores of several treebanks, added while the inputs of each are open. whole: the task of all treebanks.

    Raises what `evaluate` raises.
    """

    def __init__(self, whole: Task, treebanks: Iterable[str]) -> None:
        check_task(whole)
        check_names(treebanks)
        if whole.matrix is not None:
            raise UsageError("a matrix is that of one file; name files instead of folders or patterns")
        self._whole = whole
        self._resampled: Resamples = {}
        self._parts: dict[str, Mapping[str, Result]] = {}
        self._aligned: list[str] = []

    def add(self, name: str, inputs: Inputs) -> None:
        """Score a treebank, with the sums that averages are made from."""
        observed: list[tuple[catalog.Query, int, Mapping[int, Floats]]] = []
        part = score_systems(inputs, sums=True, observe=lambda *resampled: observed.append(resampled))
        self._add_resampled(observed, part, inputs.task)
        self._task, self._parts[name] = inputs.task, part
        self._aligned.extend([name] * have_aligned_words(inputs))

    def _add_resampled(
        self,
        observed: Sequence[tuple[catalog.Query, int, Mapping[int, Floats]]],
        part: Mapping[str, Result],
        task: Task,
    ) -> None:
        """Add the resampled sums of a treebank to the averages. observed: by metric, group and system."""
        groups = group_columns(next(iter(part.values())), task.choice.metrics)
        keys = [_keys(result.arrow(), groups) for result in part.values()]
        for query, group, of_systems in observed:
            for system, sums in of_systems.items():
                key = query.name, list(part)[system], keys[system][group]
                if key not in self._resampled:
                    self._resampled[key] = ResampledAverages(query.ratios, query.counts, runs=RUNS, seed=SEED)
                self._resampled[key].add(len(self._parts), sums)

    def result(self) -> Result:
        """The rows of all treebanks, and the averages; as `evaluate_treebanks` returns them."""
        whole, task = self._whole, self._task
        warn_of_treebanks(whole, self._aligned)
        warn_if_nothing_is_scored(
            task, [result for part in self._parts.values() for result in part.values()], place_of(whole)
        )
        scored = ScoredTreebanks(self._parts, task.choice.metrics)
        averaged = scored.result() if "sent_id" in scored.groups else add_averages(scored, self._resampled)
        shown = choose_shown(averaged, ["system", "treebank", *scored.groups], task)
        cited = {key: text for key, text in averaged.signatures.items() if key.rpartition(":")[2] in shown.columns}
        return Result(shown.arrow(), cited, shown.percent, shown.directions)


class TreebanksToCompare:
    """The counts of systems on several treebanks, added while the inputs of each are open. whole: as above.

    Raises what `evaluate.compare` raises.
    """

    def __init__(self, whole: Task, treebanks: Treebanks, method: Method) -> None:
        self._whole, self._method = task_to_compare(whole, method), method
        check_names(treebanks)
        significance.compare.check_treebank_test(method)
        self.tasks = {name: task_to_compare(task, method) for name, task in treebanks.items()}
        self._counted: dict[str, list[CountedMetric]] = {}
        self._aligned: list[str] = []

    def add(self, name: str, inputs: Inputs) -> None:
        """Count the systems of a treebank."""
        inputs = replace(inputs, task=self.tasks[name])
        self._counted[name] = count_systems(inputs, self._method)
        self._aligned.extend([name] * have_aligned_words(inputs))

    def result(self) -> Comparison:
        """The comparison on every treebank and by averages, as `compare_treebanks` returns it."""
        whole = self._whole
        warn_of_treebanks(whole, self._aligned)
        fitting = fit_comparison(self._counted, whole.kind, whole.choice.named)
        return significance.compare.compare_treebanks(fitting, self._method, whole.warn, whole.choice.order)


def evaluate_treebanks(whole: Task, treebanks: Treebanks) -> Result:
    """One row per treebank and system, or also group; the first columns are `system` and `treebank`.

    whole: the task of all treebanks, whose inputs hold many files. The last rows are `macro` and `micro` of every
    system, unless rows are sentences or those of a table. Raises what `evaluate` raises.
    """
    if whole.wide:
        return _evaluate_wide(whole, treebanks)
    scored = TreebanksToScore(whole, treebanks)
    if whole.tables:
        return _tables(treebanks)
    for name, task in steps.each(treebanks.items(), "treebanks"):
        with naming(name):
            open_and_run(task, functools.partial(scored.add, name))
    return scored.result()


def _evaluate_wide(whole: Task, treebanks: Treebanks) -> Result:
    """The systems of all treebanks side by side: a row per treebank, or per group the macro-average over them."""
    whole, main = task_of_main_score(whole)
    check_names(treebanks)
    counted: dict[str, GroupedCounts] = {}
    aligned: list[str] = []

    def count(name: str, inputs: Inputs) -> None:
        counted[name] = count_groups(inputs, main)
        aligned.extend([name] * have_aligned_words(inputs))

    for name, task in steps.each(treebanks.items(), "treebanks"):
        with naming(name):
            open_and_run(task_of_main_score(task)[0], functools.partial(count, name), sums=True)
    warn_of_treebanks(whole, aligned)
    return show_wide(counted, whole, main)


def compare_treebanks(whole: Task, treebanks: Treebanks, method: Method) -> Comparison:
    """Compare all pairs of systems on every treebank, and by macro- and micro-averages, as `evaluate.compare` does.

    Sentences are exchanged and resampled within treebanks. Raises what `evaluate.compare` raises.
    """
    compared = TreebanksToCompare(whole, treebanks, method)
    for name, task in steps.each(compared.tasks.items(), "compared treebanks"):
        with naming(name):
            open_and_run(task, functools.partial(compared.add, name))
    return compared.result()


def warn_of_treebanks(whole: Task, aligned: Sequence[str]) -> None:
    """Warn of treebanks, if there are some, with words that are aligned by their characters."""
    if aligned:
        what = f"words of {', '.join(aligned)} are not those of every system, and are aligned by their characters"
        whole.warn(Diagnostic.warning(place_of(whole), 0, what, alignment_warning("").hint))


@contextmanager
def naming(treebank: str) -> Iterator[None]:
    """Name the treebank in the error of a column, comment or feature that it lacks."""
    try:
        yield
    except UnknownName as error:
        raise UnknownName(error.kind, error.name, error.known, error.note, treebank) from None


def _tables(treebanks: Treebanks) -> Result:
    """The rows of statistics, by treebank and system."""
    return ScoredTreebanks({name: evaluate_systems(task) for name, task in treebanks.items()}, ()).result()


def check_names(treebanks: Iterable[str]) -> None:
    """Raise UsageError for a treebank that has the name of an average."""
    for name in treebanks:
        if name in AVERAGES:
            raise UsageError(f"a treebank is called {name}, as the row of an average is; rename its files")


def place_of(task: Task) -> str:
    """The first shared input, which warnings about all treebanks name."""
    return task.inputs[0].path
