"""Score and compare systems: a task -> the scores of every system, for all kinds of annotation.

Which columns are shown depends on whether the words of a system are aligned, which the sums say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from treesql import catalog, significance
from treesql.catalog import documents
from treesql.catalog.header import CurveColumns
from treesql.catalog.kinds import Kind
from treesql.catalog.schemas import BY_CHARACTERS
from treesql.errors import Diagnostic, Incomparable, UsageError
from treesql.evaluation import sources
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import (
    Inputs,
    MainScore,
    Task,
    check_task,
    columns_named,
    find_main_score,
    names_feature,
    naming_corpus,
    with_attributes,
    words_named,
)
from treesql.readers.frames import Frames
from treesql.readers.source import PACKED_ENDINGS, is_readable_file, size_of
from treesql.results.matrix import make_matrix
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors_of_class
from treesql.scoring import items, scores
from treesql.scoring.items import column_of, is_aligned
from treesql.scoring.sorting import keys_of, order_of_groups, sort_rows
from treesql.significance.methods import Method

if TYPE_CHECKING:
    from treesql.catalog.header import Column
    from treesql.scoring.scores import GroupSums
    from treesql.significance.comparison import Comparison
    from treesql.significance.counted_metrics import CountedMetric, GroupedCounts
    from treesql.significance.intervals import Observe
    from treesql.significance.tests import Counts
    from treesql.significance.wide_scores import WideScores


_NAMES = "SELECT s.sentence, s.sent_id FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id IS NOT NULL"

MIN_BYTES = 1 << 26
"""Size of files below which all of them are read before they are scored, which takes fewer statements."""

PACKED = 8
"""How many times smaller a packed file is, about."""

Found = TypeVar("Found")

Summed = TypeVar("Summed", "Counts", "GroupSums")


def evaluate(task: Task) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the system's name.

    Words of a system that has the gold text but other words are aligned by their characters. Each system is scored as
    if it were the only one: columns that one lacks are NULL in its rows. Raises UsageError, UnknownName, InvalidInput,
    Incomparable, QueryError, DatabaseError.
    """
    if task.wide:
        return _evaluate_wide(task)
    result = join_systems(evaluate_systems(task))
    curve = task.queries[0].curve if len(task.tables) == 1 else None
    if curve is not None:
        return ScoreCurve(result.arrow(), result.signatures, result.percent, result.directions, columns_drawn=curve)
    if task.matrix is None:
        return result
    shown = task.queries[0].matrix
    assert shown is not None  # check_task
    return make_matrix(result, shown.rows, shown.columns, shown.count, task.matrix, by="system")


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class ScoreCurve(Result):
    """The rows of a table that can be drawn, such as `threshold_curve`. columns_drawn: those that are drawn."""

    columns_drawn: CurveColumns = field(kw_only=True)

    def svg(self) -> str:
        """A chart per system, with a line per column."""
        from treesql.drawing import charts

        over, by_system = self.columns_drawn.over, dict[str, list[dict[str, Any]]]()
        for row in self.rows():
            by_system.setdefault(row["system"], []).append(row)
        panels = []
        for system, rows in by_system.items():
            lines = [
                charts.Line(name, [(row[over], row[name]) for row in rows if row[name] is not None], at, at)
                for at, name in enumerate(self.columns_drawn.lines)
            ]
            panels.append(charts.LinePanel(system, lines, over))
        shown = ", ".join(self.columns_drawn.lines)
        return charts.line_panels(panels, title=f"{shown[0].upper()}{shown[1:]} by {over}")


def _evaluate_wide(task: Task) -> WideScores:
    """The systems of a task side by side."""
    chosen, main = task_of_main_score(task)

    def run(inputs: Inputs) -> GroupedCounts:
        counted = count_groups(inputs, main)
        warn_of_aligned_words(inputs)
        return counted

    return show_wide({"": open_and_run(chosen, run, sums=True)}, task, main)


def task_of_main_score(task: Task) -> tuple[Task, MainScore]:
    """The task with the one score that is shown side by side, for which sums per sentence are kept.

    Raises UsageError, UnknownName.
    """
    check_task(task)
    if len(task.metrics) > 1:
        raise UsageError(
            f"--wide shows one score, and {' and '.join(task.metrics)} are several; name one with --metric"
        )
    main = find_main_score(task)
    metrics = [f"{main.query.name}.{main.score.name}"]
    chosen = replace(task, metrics=metrics, added=(), ci=True, wide=False, baseline=None)
    check_task(chosen)
    return chosen, main


def count_groups(inputs: Inputs, main: MainScore) -> GroupedCounts:
    """The counts of the groups of all systems, with warnings of the kind's hook, and of few sentences."""
    task = inputs.task
    with nullcontext(inputs) if inputs.plans else sources.summed_once(inputs) as summed:
        systems = {name: summed.values(name, [main.query]) for name in summed.systems}
        counted = significance.counted_metrics.count_groups(
            summed.engine, main.query, main.score, systems, by=task.by, where=task.where, plans=summed.plans
        )
        whole = counted.of_all()
        for name, counts in whole.items():
            for warning in task.hook.find_warnings(summed, name, task.choice.metrics, counts.totals):
                task.warn(warning)
    scored = [np.any(counts.values, axis=1) for counts in whole.values()]
    few = significance.intervals.few_sentences_warning(counted.gold, scored, "sentences", ci=False)
    if task.where and not any(map(np.any, scored)):
        _warn_of_nothing(task, counted.gold)
    elif few and len(whole) > 1:
        task.warn(few)
    return counted


def show_wide(treebanks: Mapping[str, GroupedCounts], task: Task, main: MainScore) -> WideScores:
    """The table of systems side by side. treebanks: as for `wide_scores`.

    A score that depends on how words are paired is computed in one way for all.
    """
    from treesql.significance.wide_scores import wide_scores  # which other tables spare

    if any(_are_aligned(counted.columns, counted.sums.values()) for counted in treebanks.values()):
        treebanks = {
            name: replace(counted, sums={key: _as_aligned(sums, counted.columns) for key, sums in counted.sums.items()})
            for name, counted in treebanks.items()
        }
    keys = list(dict.fromkeys(key for counted in treebanks.values() for key in counted.keys))
    ordered = [keys[at] for at in order_of_groups([list(values) for values in zip(*keys, strict=True)])]
    baseline = task.baseline or next(iter(task.systems))
    size = main.count if main.count == task.kind.report.count else None  # of others a system may have more
    return wide_scores(treebanks, ordered, task.by, baseline, size)


def evaluate_systems(task: Task) -> dict[str, Result]:
    """The scores of every system by its name. See `evaluate`."""
    check_task(task)
    return open_and_run(task, evaluate_inputs, sums=True)


def evaluate_inputs(inputs: Inputs) -> dict[str, Result]:
    """The columns to show of every system of inputs that are open, with what is to be warned of. See `evaluate`."""
    task = inputs.task
    parts = score_systems(inputs)
    warn_of_aligned_words(inputs)
    if task.tables:
        return _first_rows(parts, task)
    warn_if_nothing_is_scored(task, parts.values(), _gold(inputs))
    return {name: choose_shown(part, [*task.by, "sent_id"], task) for name, part in parts.items()}


def compare(task: Task, method: Method) -> Comparison:
    """Compare all pairs of systems by the task's metrics and scores, if it names none by the main ones of the kind.

    Raises what `evaluate` raises.
    """
    task = task_to_compare(task, method)

    def run(inputs: Inputs) -> list[CountedMetric]:
        counted = count_systems(inputs, method)
        warn_of_aligned_words(inputs)
        return counted

    counted = {"": open_and_run(task, run)}
    [fitting] = fit_comparison(counted, task.kind, task.choice.named).values()
    return significance.compare.compare_counted(fitting, method, task.warn, task.choice.order)


def count_systems(inputs: Inputs, method: Method) -> list[CountedMetric]:
    """The counts of all systems that a comparison takes, with warnings of the kind's hook."""
    task = inputs.task
    chosen = items.scores_of(task.choice.columns)
    systems = {name: inputs.values(name, [query for query, _ in chosen]) for name in inputs.systems}
    unsummed = replace(inputs, plans={})  # what is unscored there is so for the metrics that are shown

    def find_warnings(system: str, counts: Counts) -> Iterator[Diagnostic]:
        return task.hook.find_warnings(unsummed, system, task.choice.metrics, counts.totals)

    return [
        significance.counted_metrics.count_metric(
            inputs.engine, query, ratios, systems, method, where=task.where, find_warnings=find_warnings,
            plans=inputs.plans,
        )
        for query, ratios in chosen
    ]  # fmt: skip


def task_to_compare(task: Task, method: Method) -> Task:
    """The task with the scores that are compared where none is named. Raises UsageError, UnknownName."""
    significance.compare.check_two_systems(task.systems)
    if task.tables:
        raise UsageError("scores are compared, not tables; leave out what chooses a table")
    main = task.kind.compared or (() if task.kind.alternatives else task.kind.all_metrics[:1])
    task = replace(task, metrics=task.metrics or main, read=(column_of(method.stratum),) if method.stratum else ())
    check_task(task)
    return task


def open_and_run(
    task: Task, run: Callable[[Inputs], Found], queries: Sequence[catalog.Query] = (), *, sums: bool = False
) -> Found:
    """Open the inputs of a task, and return what `run` returns.

    queries: those that it runs, if not only the task's. sums: whether it only scores, so that large files are read in
    blocks, unless something in one of these cannot be compared: then they are compared whole.
    """
    if sums and _is_large(task):
        # The whole files are compared where a block cannot be, to name all that differs.
        with suppress(Incomparable), sources.open_in_blocks(task) as inputs:
            return run(inputs)
    with open_inputs(task, queries or task.queries) as inputs:
        return run(inputs)


def _is_large(task: Task) -> bool:
    """Whether a task reads files that are large, and what it computes are sums over independent sentences."""
    if task.database is not None or task.reads_standard_input or _size(task) < MIN_BYTES:
        return False
    if task.hook.precomputed(task.queries) is None or catalog.reads_tables(task.where):
        return False
    queries = with_attributes(task, task.queries)
    audits = [audit for query in queries for audit in query.audit_queries]
    if catalog.cross_sentences([*queries, *audits], {**task.kind.parameters, **task.parameters}):
        return False
    if task.tables and not all(query.reads_sums_alone for query in queries):
        return False
    # A later block may have the key of a comment.
    names_comment = any(documents.comment_key(name) is not None for name in columns_named(task))
    named_in_blocks = words_named(task).isdisjoint({*documents.MARKS, *sources.KNOWN_AT_THE_END})
    return named_in_blocks and not names_feature(task, queries) and not names_comment


def _size(task: Task) -> int:
    """The number of bytes of the files of a task, about; 0 where one is no single file."""
    paths = [task_input.path for task_input in task.inputs]
    if any(path.endswith(".parquet") or not is_readable_file(path) or isinstance(path, Frames) for path in paths):
        return 0
    return sum(size_of(path) * (PACKED if path.endswith(PACKED_ENDINGS) else 1) for path in paths)


def warn_of_aligned_words(inputs: Inputs) -> None:
    """Warn if the words of a system are aligned by their characters, unless all that is scored expects this."""
    if have_aligned_words(inputs):
        inputs.task.warn(alignment_warning(_gold(inputs), tables=bool(inputs.task.tables)))


def have_aligned_words(inputs: Inputs) -> bool:
    """Whether words of a system are aligned by their characters, in scores or tables that usually need not."""
    basic = any("tree_correspondence" in query.audits for query in inputs.task.queries)
    return basic and any(_is_aligned(inputs, name) for name in inputs.systems)


def _is_aligned(inputs: Inputs, system: str) -> bool:
    """Whether the words of a system are aligned by their characters."""
    return system in inputs.aligned or is_aligned(inputs.engine, inputs.task.queries, inputs.values(system))


def alignment_warning(gold: str, *, tables: bool = False) -> Diagnostic:
    """The warning that the words of systems and of a gold corpus are aligned. tables: for tables, not scores."""
    what = "its words are not those of every system, and are aligned by their characters"
    hint = "uas, las, la and wlas are F1, with precision and recall in further columns"
    if tables:
        hint = "a word without a counterpart is an error of the side that has it"
    return Diagnostic.warning(gold, 0, what, hint)


def _gold(inputs: Inputs) -> str:
    """The first corpus that all systems share, else the first one."""
    shared = [inputs.of_role(role.name) for role in inputs.task.kind.shared]
    return next((corpora[0] for corpora in shared if corpora), inputs.by_role[0][1])


def _first_rows(parts: Mapping[str, Result], task: Task) -> dict[str, Result]:
    """Tables, sorted as the task says, with no more rows of each system than its limit."""
    keys = frozenset[str]().union(*map(keys_of, task.queries))
    return {
        name: replace(part, _table=sort_rows(part.arrow(), task.sort, keys, task.limit)) for name, part in parts.items()
    }


def score_systems(inputs: Inputs, *, sums: bool = False, observe: Observe | None = None) -> dict[str, Result]:
    """The rows of all systems, with all columns of their metrics.

    sums: add the sums of all counts. observe: called with resampled sums, if intervals are asked for.
    """
    task = inputs.task
    hook = task.hook
    metrics = () if task.tables else task.choice.metrics
    systems = inputs.systems[1:] if task.compares_with_first else inputs.systems
    parts = {name: _name_sentences(inputs, _score_system(inputs, name, sums)) for name in systems}
    for name, part in parts.items() if metrics else ():
        for warning in hook.find_warnings(inputs, name, metrics, _sums(part, metrics)):
            task.warn(warning)
    if not task.ci:
        return parts
    values = [inputs.values(name, task.queries) for name in parts]
    bounded = significance.intervals.add_intervals(
        inputs.engine, list(parts.values()), metrics, values, by=task.by, where=task.where, warn=task.warn,
        plans=[inputs.plans.get(name) for name in parts], observe=observe or (lambda query, group, sums: None),
    )  # fmt: skip
    return dict(zip(parts, bounded, strict=True))


def warn_if_nothing_is_scored(task: Task, parts: Collection[Result], place: str) -> None:
    """Warn if no item of any system meets the condition."""
    if task.where and not any(_is_scored(part, task.choice.metrics) for part in parts):
        _warn_of_nothing(task, place)


def _warn_of_nothing(task: Task, place: str) -> None:
    hint = f"`treesql queries {task.choice.metrics[0]}` lists the columns of its items"
    task.warn(Diagnostic.warning(place, 0, "no item meets the condition", hint))


def _name_sentences(inputs: Inputs, part: Result) -> Result:
    """Give rows of sentences that have no sent_id of their own that of the text which names them."""
    rows, corpus = part.arrow(), naming_corpus(inputs)
    if inputs.task.tables or corpus is None or not {"sentence", "sent_id"} <= {*rows.column_names}:
        return part
    if not rows["sent_id"].null_count:
        return part
    names = inputs.engine.table(_NAMES, {"corpus": corpus})
    named_ids = names["sent_id"].take(pc.index_in(rows["sentence"], names["sentence"].combine_chunks()))
    ids = pc.coalesce(rows["sent_id"], named_ids.cast(rows["sent_id"].type))
    return replace(part, _table=rows.set_column(rows.column_names.index("sent_id"), "sent_id", ids))


def _score_system(inputs: Inputs, name: str, sums: bool) -> Result:
    task = inputs.task
    values = inputs.values(name, task.queries)
    if not task.tables:
        return scores.score(
            inputs.engine, task.choice.metrics, values, by=task.by, where=task.where, sums=sums,
            plan=inputs.plans.get(name),
        )  # fmt: skip
    results = [scores.run_statistic(inputs.engine, table, values) for table in task.tables]
    cited = {table: text for result in results for table, text in result.signatures.items()}
    rows = pa.concat_tables([result.arrow() for result in results])
    qualified = (column.partition(".") for column in task.kind.of_other_words)
    other = [column for table, _, column in qualified if table in task.tables]
    if other and not _is_aligned(inputs, name):
        rows = rows.drop_columns(other)
    return Result(rows, cited, results[0].percent)


def choose_shown(part: Result, groups: Sequence[str], task: Task) -> Result:
    """The groups, and the columns to show, each score with the ends of its interval if it has one."""
    columns = task.choice.order
    part = fit_columns(part, task.kind, task.choice.named)
    bounded = [name for column in columns for name in (column, f"{column}_low", f"{column}_high")]
    known = part.columns
    shown = [name for name in known if name in groups]
    shown += [name for name in bounded if name in known]
    cited = {name: text for name, text in part.signatures.items() if name in columns and name in known}
    directions = {name: direction for name, direction in part.directions.items() if name in columns}
    return Result(part.arrow().select(list(dict.fromkeys(shown))), cited, part.percent, directions)


def _sums(part: Result, metrics: Sequence[str]) -> Mapping[str, float]:
    """The counts that are shown, over all groups."""
    counts = {count.name for name in metrics for count in catalog.query(name).shown_counts}
    rows = part.rows()
    return {name: sum(row[name] or 0 for row in rows) for name in counts.intersection(part.columns)}


def _is_scored(part: Result, metrics: Sequence[str]) -> bool:
    """Whether a count of a system is not 0, or if no counts are shown, whether a score has a value."""
    counts = _sums(part, metrics)
    if counts:
        return any(counts.values())
    names = {score.name for name in metrics for score in catalog.query(name).scores}
    return any(row[name] is not None for row in part.rows() for name in names.intersection(row))


def join_systems(parts: Mapping[str, Result]) -> Result:
    """The rows of all systems in one table, with their names as first column; a column that one lacks is NULL."""
    labelled = []
    for name, part in parts.items():
        names = pa.array([name] * len(part), pa.string())
        labelled.append(part.arrow().add_column(0, "system", names))
    signatures = {f"{name}:{score}": text for name, part in parts.items() for score, text in part.signatures.items()}
    return with_all_columns(labelled, parts.values(), signatures)


def with_all_columns(rows: Sequence[pa.Table], parts: Collection[Result], signatures: dict[str, str]) -> Result:
    """Tables, one below the other, with the columns of all. parts: the results that they are made of."""
    columns: list[str] = []
    for table in rows:
        at = 0
        for name in table.column_names:
            if name not in columns:
                columns.insert(at, name)
            at = columns.index(name) + 1
    percent = frozenset[str]().union(*(part.percent for part in parts))
    directions = {name: direction for part in parts for name, direction in part.directions.items()}
    whole = pa.concat_tables(rows, promote_options="default").select(columns)
    return Result(whole, signatures, percent, directions)


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
    aligned = any(
        _are_aligned(metric.query.counts, metric.by_sentence.values())
        for counted in treebanks.values()
        for metric in counted
    )
    hidden = frozenset() if aligned else frozenset(kind.of_other_words).difference(named)

    def fitting(counted_metric: CountedMetric) -> CountedMetric:
        if aligned:
            counted_metric = replace(
                counted_metric,
                by_sentence={
                    name: _as_aligned(counts, counts.columns) for name, counts in counted_metric.by_sentence.items()
                },
                by_stratum={
                    name: _as_aligned(counts, counts.columns) for name, counts in counted_metric.by_stratum.items()
                },
            )
        kept = [at for at, score in enumerate(counted_metric.scores) if score.name not in hidden]
        discordant = {pair: [counts[at] for at in kept] for pair, counts in counted_metric.discordant.items()}
        return replace(counted_metric, scores=[counted_metric.scores[at] for at in kept], discordant=discordant)

    return {name: [fitting(metric) for metric in counted] for name, counted in treebanks.items()}


def _are_aligned(columns: Sequence[Column], systems: Iterable[Counts | GroupSums]) -> bool:
    """Whether words of a system were aligned by their characters, as the counts say."""
    at = _place(columns)
    return at is not None and any(counts.values[:, at].any() for counts in systems)


def _place(columns: Sequence[Column]) -> int | None:
    names = [count.name for count in columns]
    return names.index(BY_CHARACTERS) if BY_CHARACTERS in names else None


def _as_aligned(counts: Summed, columns: Sequence[Column]) -> Summed:
    """Counts of a system as if its words were aligned by their characters, where they can be."""
    at = _place(columns)
    if at is None:
        return counts
    values = counts.values.copy()
    values[:, at] = np.any(values, axis=1)
    return replace(counts, values=values)
