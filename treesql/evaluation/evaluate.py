"""Score several systems against one gold standard, from files or from corpora of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import Diagnostic, Incomparable
from treesql.evaluation.inputs import MAX_NAMED, OpenInputs, open_inputs
from treesql.evaluation.task import (
    Task,
    check_task,
    check_used_options,
    columns_needed,
    file_names,
    needs_whole_files,
    with_aligned_words,
)
from treesql.readers import Options
from treesql.results.result import Result
from treesql.scoring import block_sums, selection, statistics
from treesql.scoring import scores as scoring_scores
from treesql.scoring.signatures import signature
from treesql.significance import compare as significance_compare
from treesql.significance import intervals
from treesql.significance.comparison import Comparison
from treesql.significance.tests import Counts, Method
from treesql.storage import in_memory, loading

Found = TypeVar("Found")


def evaluate(task: Task) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the name of the corpus or file.

    If a system has the gold text but other words, all systems are scored by the metrics that align words by their
    characters. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    check_task(task)
    check_used_options(task)
    if task.tables and not task.database and all(query.sums for query in task.queries) and not needs_whole_files(task):
        return _in_blocks(task)
    return _open_and_run(task, _score, lambda task: task.queries)


def compare(task: Task, names: Sequence[str] = (), method: Method | None = None) -> Comparison:
    """Compare all pairs of systems. names: scores or metrics, by default all of the task's metrics.

    Raises what `evaluate` raises.
    """
    check_task(task)
    significance_compare.check_two_systems(task.labels)

    def run(opened: OpenInputs, task: Task) -> Comparison:
        chosen = selection.select_scores(task.metrics, names)
        pairs = zip(task.labels, task.corpora, strict=True)
        systems = {label: _values(opened, task, name) for label, name in pairs}
        how = method or Method()

        def find_warnings(system: str, counts: Counts) -> Iterator[Diagnostic]:
            return _find_incomparable_sentences(opened.engine, task, systems[system], counts.totals)

        return significance_compare.compare(
            opened.engine, chosen, systems, how, where=task.where, find_warnings=find_warnings, warn=task.warn
        )

    stratum = method.stratum if method else None
    return _open_and_run(
        replace(task, read=(stratum,) if stratum else ()),
        run,
        lambda task: [query for query, _ in selection.select_scores(task.metrics, names)],
    )


def with_system_column(name: str, rows: pa.Table) -> pa.Table:
    """The rows with the name of their system as first column."""
    return rows.add_column(0, "system", pa.array([name] * len(rows), pa.string()))


def _open_and_run(
    task: Task, run: Callable[[OpenInputs, Task], Found], queries_of: Callable[[Task], Sequence[catalog.Query]]
) -> Found:
    """Open the inputs of a task and run it; if words differ, run the task whose metrics align them.

    queries_of: the queries that a task runs. Standard input can be read only once, so inputs that come from it are
    opened once, with the columns of both tasks.
    """
    aligning = with_aligned_words(task)
    if aligning is None:
        with open_inputs(task, queries_of(task)) as opened:
            return run(opened, task)
    read_once = task.reads_standard_input
    try:
        with open_inputs(task, [*queries_of(task), *queries_of(aligning)] if read_once else queries_of(task)) as opened:
            try:
                return run(opened, task)
            except Incomparable:
                if read_once:
                    return _run_aligned(opened, aligning, run)
                raise
    except Incomparable:
        if read_once:
            raise
    with open_inputs(replace(aligning, warn=lambda warning: None), queries_of(aligning)) as opened:
        return _run_aligned(opened, aligning, run)


def _run_aligned(opened: OpenInputs, task: Task, run: Callable[[OpenInputs, Task], Found]) -> Found:
    """Run a task that aligns words, with a warning."""
    result = run(opened, task)
    what = "its words are not those of every system, and are aligned by their characters"
    task.warn(
        Diagnostic.warning(
            opened.gold, 0, what, "uas, las, la and wlas are F1, with precision and recall in further columns"
        )
    )
    return result


def _in_blocks(task: Task) -> Result:
    """The tables of all systems, computed with one block of a file in memory at a time."""
    options = Options(task.permissive, task.strict, columns_needed(task, task.queries))
    warned: set[str] = set()

    def warn_once(warning: Diagnostic) -> None:
        if str(warning) not in warned:
            warned.add(str(warning))
            task.warn(warning)

    gold = f"gold {file_names([task.gold])[0]}"
    labelled: list[pa.Table] = []
    cited: dict[str, str] = {}
    for name, path in zip(task.corpora, task.systems, strict=True):
        [reference] = loading.plan_loads([task.gold], gold, task.form)
        [system] = loading.plan_loads([path], name, task.form)
        counted, readings = block_sums.sum_blocks(reference, system, task.queries, options, warn_once)
        values = {"gold_corpus": gold, "system_corpus": name}
        with in_memory.connect_to_rows({}, options, frozenset()) as engine:
            for request, reading in zip((reference, system), readings, strict=True):
                loading.write_record(engine, request, options, reading)
            for query, totals in zip(task.queries, counted, strict=True):
                labelled.append(with_system_column(name, block_sums.statistic_table(engine, query, totals)))
                text = signature(engine, query, query.name, query.values(values), None)
                cited[f"{name}:{query.name}"] = text
    return Result(pa.concat_tables(labelled), cited, statistics.share_columns(task.queries[0]))


def _score(opened: OpenInputs, task: Task) -> Result:
    """The rows of all systems, with their names as first column."""
    names = task.labels
    values = [_values(opened, task, name) for name in task.corpora]
    parts = [_score_system(opened.engine, task, one) for one in values]
    for one, part in zip(values, parts, strict=True):
        for warning in _find_incomparable_sentences(
            opened.engine, task, one, {} if task.tables or task.by else part.rows()[0]
        ):
            task.warn(warning)
    if task.where and not any(_is_scored(part, task) for part in parts):
        what = "no item meets the condition"
        task.warn(
            Diagnostic.warning(
                opened.gold, 0, what, f"`treesql queries {task.metrics[0]}` lists the columns of its items"
            )
        )
    if task.ci:
        parts = intervals.add_intervals(
            opened.engine, parts, task.metrics, values, by=task.by, where=task.where, warn=task.warn
        )
    labelled = [with_system_column(name, part.arrow()) for name, part in zip(names, parts, strict=True)]
    signatures = {
        f"{name}:{score}": text
        for name, part in zip(names, parts, strict=True)
        for score, text in part.signatures.items()
    }
    return Result(pa.concat_tables(labelled), signatures, parts[0].percent)


def _is_scored(part: Result, task: Task) -> bool:
    """Whether a count of a system is not 0, or if no counts are shown, whether a score has a value."""
    counts = {count.name for query in task.queries for count in query.counts if count.shown}
    if counts:
        return any(row[name] for row in part.rows() for name in counts.intersection(row))
    scores = {score.name for query in task.queries for score in query.scores}
    return any(row[name] is not None for row in part.rows() for name in scores.intersection(row))


def _values(opened: OpenInputs, task: Task, system: str) -> dict[str, object]:
    """The values of parameters for one system."""
    return {**task.parameters, **opened.parameters, "gold_corpus": opened.gold, "system_corpus": system}


def _score_system(engine: Engine, task: Task, values: Mapping[str, object]) -> Result:
    if not task.tables:
        return scoring_scores.score(engine, task.metrics, values, by=task.by, where=task.where)
    results = [statistics.run_statistic(engine, name, values) for name in task.tables]
    cited = {name: text for one in results for name, text in one.signatures.items()}
    return Result(pa.concat_tables([one.arrow() for one in results]), cited, results[0].percent)


def _find_incomparable_sentences(
    engine: Engine, task: Task, values: Mapping[str, object], counts: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    """Warnings that name sentences which cannot be compared, if the counts of a system include any."""
    if task.where or task.kind != "constituency":
        return
    outcomes = {"error": "whose compared words differ", "skip": "without words to compare"}
    checks: list[tuple[str, str, Mapping[Any, str], str]] = []
    if counts.get("errors") or counts.get("skipped"):
        checks.append(("evaluated_trees", "outcome", outcomes, "they count for no bracket score"))
    if counts.get("unlike_leaves"):
        checks.append(("robinson_foulds", "comparable", {0: "with other leaves than gold's"}, "they have no distances"))
    if "quartets" in task.metrics and _has_large_trees(engine, str(values["gold_corpus"])):
        what = "with other leaves than gold's, or too many for quartets"
        checks.append(("quartets", "comparable", {0: what}, "they count for no quartet score"))
    for name, column, values_found, hint in checks:
        query = catalog.query(name)
        given = {p.name: values[p.name] for p in query.parameters if p.name in values}
        found = statistics.run_query(engine, query, given).select(["sentence", column])
        for value, what in values_found.items():
            numbers = found.filter(pc.field(column) == value).sort_by("sentence")["sentence"].to_pylist()
            if numbers:
                shown = [str(number) for number in numbers[:MAX_NAMED]] + ["..."] * (len(numbers) > MAX_NAMED)
                trees = f"{len(numbers)} sentence{'s' if len(numbers) > 1 else ''} {what}: {', '.join(shown)} (from 0)"
                yield Diagnostic.warning(str(values["system_corpus"]), 0, trees, hint)


def _has_large_trees(engine: Engine, corpus: str) -> bool:
    """Whether a sentence of a corpus may be too large for quartets; MOST_CELLS is not reached below 10,000 leaves."""
    sql = "SELECT count(*) FROM sentences AS s WHERE s.corpus = $corpus AND s.n_words > 10000"
    [(n_large,)] = engine.rows(sql, {"corpus": corpus})
    return bool(n_large)
