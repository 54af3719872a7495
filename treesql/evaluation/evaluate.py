"""Scoring several systems against one gold standard, from files or from the corpora of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import Diagnostic, Incomparable
from treesql.evaluation.inputs import NAMED, OpenInputs, open_inputs
from treesql.evaluation.task import Task, across, check, check_used_options, columns_needed, names_of, shared_input
from treesql.readers import Options
from treesql.results.result import Result
from treesql.scoring import block_sums, selection, statistics
from treesql.scoring import scores as scoring_scores
from treesql.scoring.signatures import signature
from treesql.significance import compare as significance_compare
from treesql.significance import intervals
from treesql.significance.comparison import Comparison
from treesql.significance.tests import Counts, Method
from treesql.storage import loading

Answer = TypeVar("Answer")


def evaluate(task: Task) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the corpus or the file's name.

    Where a system's words are not the gold words, but its text is the same, all systems are scored by the metrics that
    align words by their characters. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError,
    DatabaseError.
    """
    check(task)
    check_used_options(task)
    if task.tables and not task.database and all(query.sums for query in task.queries) and not shared_input(task):
        return _in_blocks(task)
    return _open_and_answer(task, _answer, lambda task: task.queries)


def compare(task: Task, names: Sequence[str] = (), method: Method | None = None) -> Comparison:
    """All pairs of systems compared by scores of a task's metrics, or of others; names as for `choosing.choose`.

    Raises what `evaluate` raises.
    """
    check(task)
    significance_compare.check_two_systems(task.labels)

    def answer(opened: OpenInputs, task: Task) -> Comparison:
        chosen = selection.select_scores(task.metrics, names)
        pairs = zip(task.labels, task.corpora, strict=True)
        systems = {label: _values(opened, task, name) for label, name in pairs}
        how = method or Method()

        def look(system: str, counts: Counts) -> Iterator[Diagnostic]:
            return _incomparable_sentences(opened.connection, task, systems[system], counts.totals)

        return significance_compare.compare(
            opened.connection, chosen, systems, how, where=task.where, find_warnings=look, warn=task.warn
        )

    stratum = method.stratum if method else None
    return _open_and_answer(
        replace(task, read=(stratum,) if stratum else ()),
        answer,
        lambda task: [query for query, _ in selection.select_scores(task.metrics, names)],
    )


def with_system_column(name: str, rows: pa.Table, connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """The rows behind the name of their system."""
    system = duckdb.ConstantExpression(name).alias("system")
    return connection.from_arrow(rows).select(system, duckdb.StarExpression()).to_arrow_table()


def _open_and_answer(
    task: Task, answer: Callable[[OpenInputs, Task], Answer], needed: Callable[[Task], Sequence[catalog.Query]]
) -> Answer:
    """The answer to a task from what it opens; where words differ, to the task whose metrics align them.

    needed: the queries that the answer will ask.
    """
    aligning = across(task)
    if aligning is None:
        with open_inputs(task, needed(task)) as opened:
            return answer(opened, task)
    at_once = task.reads_standard_input
    try:
        with open_inputs(task, [*needed(task), *needed(aligning)] if at_once else needed(task)) as opened:
            try:
                return answer(opened, task)
            except Incomparable:
                if at_once:
                    return _warn_of_alignment(opened, aligning, answer)
                raise
    except Incomparable:
        if at_once:
            raise
    with open_inputs(replace(aligning, warn=lambda warning: None), needed(aligning)) as opened:
        return _warn_of_alignment(opened, aligning, answer)


def _warn_of_alignment(opened: OpenInputs, task: Task, answer: Callable[[OpenInputs, Task], Answer]) -> Answer:
    result = answer(opened, task)
    what = "its words are not those of every system, and are aligned by their characters"
    task.warn(
        Diagnostic.warning(opened.gold, 0, what, "uas, las, la and wlas are F1, with precision and recall beside them")
    )
    return result


def _in_blocks(task: Task) -> Result:
    """The tables of all systems, of whose files no more than a block is in memory at a time."""
    options = Options(task.permissive, task.strict, columns_needed(task, task.queries))
    warned: set[str] = set()

    def warn_once(warning: Diagnostic) -> None:
        if str(warning) not in warned:
            warned.add(str(warning))
            task.warn(warning)

    gold = f"gold {names_of([task.gold])[0]}"
    labelled: list[pa.Table] = []
    cited: dict[str, str] = {}
    for name, path in zip(task.corpora, task.systems, strict=True):
        [reference] = loading.plan_loads([task.gold], gold, task.form)
        [system] = loading.plan_loads([path], name, task.form)
        counted, readings = block_sums.sum_blocks(reference, system, task.queries, options, warn_once)
        values = {"gold_corpus": gold, "system_corpus": name}
        with duckdb.connect() as connection:
            connection.execute(schemas.table("corpora").ddl)
            for request, reading in zip((reference, system), readings, strict=True):
                loading.write_record(connection, request, options, reading)
            for query, totals in zip(task.queries, counted, strict=True):
                labelled.append(
                    with_system_column(name, block_sums.statistic_table(connection, query, totals), connection)
                )
                told = signature(connection, query, query.name, query.values(values), None)
                cited[f"{name}:{query.name}"] = told
    return Result(pa.concat_tables(labelled), cited, statistics.share_columns(task.queries[0]))


def _answer(opened: OpenInputs, task: Task) -> Result:
    """The rows of all systems, each behind its name."""
    names = task.labels
    values = [_values(opened, task, name) for name in task.corpora]
    parts = [_of_system(opened.connection, task, one) for one in values]
    for one, part in zip(values, parts, strict=True):
        for warning in _incomparable_sentences(
            opened.connection, task, one, {} if task.tables or task.by else part.rows()[0]
        ):
            task.warn(warning)
    if task.where and not any(_counted(part, task) for part in parts):
        what = "nothing meets the condition"
        task.warn(
            Diagnostic.warning(
                opened.gold, 0, what, f"`treesql queries {task.metrics[0]}` tells the columns of its items"
            )
        )
    if task.ci:
        parts = intervals.add_intervals(
            opened.connection, parts, task.metrics, values, by=task.by, where=task.where, warn=task.warn
        )
    labelled = [
        with_system_column(name, part.arrow(), opened.connection) for name, part in zip(names, parts, strict=True)
    ]
    signatures = {
        f"{name}:{score}": text
        for name, part in zip(names, parts, strict=True)
        for score, text in part.signatures.items()
    }
    return Result(pa.concat_tables(labelled), signatures, parts[0].percent)


def _counted(part: Result, task: Task) -> bool:
    """Whether anything was counted of a system, or where no counts are shown, whether a score has a value."""
    counts = {count.name for query in task.queries for count in query.counts if count.shown}
    if counts:
        return any(row[name] for row in part.rows() for name in counts.intersection(row))
    scores = {score.name for query in task.queries for score in query.scores}
    return any(row[name] is not None for row in part.rows() for name in scores.intersection(row))


def _values(opened: OpenInputs, task: Task, system: str) -> dict[str, object]:
    """The values of parameters for one system."""
    return {**task.parameters, **opened.parameters, "gold_corpus": opened.gold, "system_corpus": system}


def _of_system(connection: duckdb.DuckDBPyConnection, task: Task, values: Mapping[str, object]) -> Result:
    if not task.tables:
        return scoring_scores.score(connection, task.metrics, values, by=task.by, where=task.where)
    results = [statistics.run_statistic(connection, name, values) for name in task.tables]
    cited = {name: text for one in results for name, text in one.signatures.items()}
    return Result(pa.concat_tables([one.arrow() for one in results]), cited, results[0].percent)


def _incomparable_sentences(
    connection: duckdb.DuckDBPyConnection, task: Task, values: Mapping[str, object], counted: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    """Which sentences cannot be compared, where what is counted of a system says that there are some."""
    if task.where or task.kind != "constituency":
        return
    named = {"error": "whose compared words differ", "skip": "without words to compare"}
    asked: list[tuple[str, str, Mapping[Any, str], str]] = []
    if counted.get("errors") or counted.get("skipped"):
        asked.append(("evaluated_trees", "outcome", named, "they count for no bracket score"))
    if counted.get("unlike_leaves"):
        asked.append(("robinson_foulds", "comparable", {0: "with other leaves than gold's"}, "they have no distances"))
    for name, column, which, hint in asked:
        query = catalog.query(name)
        known = {p.name: values[p.name] for p in query.parameters if p.name in values}
        found = statistics.run_query(connection, query, known).select(["sentence", column])
        for value, what in which.items():
            chosen = connection.from_arrow(found).filter(f"{column} = {value!r}").order("sentence")
            numbers = [sentence for (sentence,) in chosen.select("sentence").fetchall()]
            if numbers:
                shown = [str(number) for number in numbers[:NAMED]] + ["..."] * (len(numbers) > NAMED)
                trees = f"{len(numbers)} sentence{'s' if len(numbers) > 1 else ''} {what}: {', '.join(shown)} (from 0)"
                yield Diagnostic.warning(str(values["system_corpus"]), 0, trees, hint)
