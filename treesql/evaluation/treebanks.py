"""Score and compare systems on several treebanks: a task for each, one after another, and averages over all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from treesql import catalog, significance
from treesql.errors import Diagnostic, Incomparable, UnknownName, UsageError
from treesql.evaluation.averages import Key, Resamples, ScoredTreebanks, add_averages, group_columns
from treesql.evaluation.evaluate import (
    are_scored_apart,
    choose_shown,
    count_systems,
    each_system,
    evaluate_systems,
    once,
    open_and_run,
    score_systems,
    task_to_compare,
    warn_if_nothing_is_scored,
    with_all_columns,
)
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import Task, check_task, with_aligned_words
from treesql.kernels.arrays import Floats
from treesql.results.result import Result
from treesql.significance.averages import ResampledAverages
from treesql.significance.methods import AVERAGES, RUNS, SEED, Method

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison

Found = TypeVar("Found")

Treebanks = Mapping[str, Task]
"""Tasks of one kind and the same systems, by the name of the treebank."""


@dataclass(frozen=True)
class _Part:
    """The scores of one treebank: by system, and resampled sums by metric, system and group."""

    task: Task
    of_systems: Mapping[str, Result]
    resampled: dict[tuple[str, str, Key], Floats] = field(default_factory=dict)


def evaluate_treebanks(whole: Task, treebanks: Treebanks) -> Result:
    """One row per treebank and system, or also group; the first columns are `system` and `treebank`.

    whole: the task of all treebanks, whose inputs hold many files. The last rows are `macro` and `micro` of every
    system, unless rows are sentences or those of a table. If words of a system differ in any treebank, all its
    treebanks are scored by the metrics that align words, and those of other systems are not. Raises what `evaluate`
    raises.
    """
    check_task(whole)
    check_names(treebanks)
    if whole.matrix is not None:
        raise UsageError("a matrix is that of one file; name files instead of folders or patterns")
    if whole.tables:
        return _tables(treebanks)
    if not are_scored_apart(whole):
        return _evaluate_together(whole, treebanks)
    warn = once(whole.warn)
    whole = replace(whole, warn=warn)
    treebanks = {name: replace(one, warn=warn) for name, one in treebanks.items()}
    try:
        return _evaluate_together(whole, treebanks, align=False)
    except Incomparable:
        found = {}
        for one in each_system(whole):
            [system] = one.systems
            own = {name: replace(task, systems={system: task.systems[system]}) for name, task in treebanks.items()}
            found[system] = _evaluate_together(one, own)
        return _join_systems(found, list(treebanks))


def _evaluate_together(whole: Task, treebanks: Treebanks, *, align: bool = True) -> Result:
    """The rows of systems by the same metrics. align: whether these align words where words differ."""
    resampled: dict[bool, Resamples] = {False: {}, True: {}}

    def add_resampled(aligned: bool, number: int, part: _Part) -> _Part:
        _add_resampled(resampled[aligned], number, part)
        return replace(part, resampled={})

    found = run_alike(whole, treebanks, _score, add_resampled, align=align)
    parts = {name: part.of_systems for name, part in found.items()}
    task = next(iter(found.values())).task
    warn_if_nothing_is_scored(task, [one for of in parts.values() for one in of.values()], place_of(whole))
    scored = ScoredTreebanks(parts, task.choice.metrics)
    kept = resampled[len(resampled[True]) > 0]
    averaged = scored.result() if "sent_id" in scored.groups else add_averages(scored, kept)
    shown = choose_shown(averaged, ["system", "treebank", *scored.groups], task.choice.order)
    cited = {key: text for key, text in averaged.signatures.items() if key.rpartition(":")[2] in task.choice.order}
    return Result(shown.arrow(), cited, shown.percent, shown.directions)


def compare_treebanks(whole: Task, treebanks: Treebanks, method: Method) -> Comparison:
    """Compare all pairs of systems on every treebank, and by macro- and micro-averages, as `evaluate.compare` does.

    Sentences are exchanged and resampled within treebanks. Raises what `evaluate.compare` raises.
    """
    whole = task_to_compare(whole, method)
    check_names(treebanks)
    significance.compare.check_treebank_test(method)
    tasks = {name: task_to_compare(task, method) for name, task in treebanks.items()}
    counted = run_alike(whole, tasks, lambda inputs: count_systems(inputs, method))
    return significance.compare.compare_treebanks(counted, method, whole.warn, whole.choice.order)


def run_alike(
    whole: Task,
    treebanks: Treebanks,
    run: Callable[[Inputs], Found],
    keep: Callable[[bool, int, Found], Found] = lambda aligned, number, found: found,
    queries_of: Callable[[Task], Sequence[catalog.Query]] = lambda task: task.queries,
    align: bool = True,
) -> dict[str, Found]:
    """Run every task, all with words aligned if one needs it, with one warning that names those that do.

    keep: called with what `run` returns for a treebank, by its number, and whether words were aligned; returns what is
    kept of it. queries_of: the queries that a task runs. align: whether words that differ are aligned, instead of
    raising Incomparable. Raises what `evaluate` raises; UnknownName with the treebank.
    """
    found: dict[str, Found] = {}
    needing: list[str] = []
    for number, (name, task) in enumerate(treebanks.items()):
        with _naming(name):
            part, gold = open_and_run(task, run, queries_of, align=align)
        found[name] = keep(gold is not None, number, part)
        needing += [name] * (gold is not None)
    for number, (name, task) in enumerate(treebanks.items() if needing else ()):
        aligning = with_aligned_words(replace(task, warn=lambda warning: None))
        if name not in needing and aligning is not None:
            part, _ = open_and_run(aligning, run, queries_of)
            found[name] = keep(True, number, part)
    if needing:
        what = f"words of {', '.join(needing)} are not those of every system, and are aligned by their characters"
        hint = (
            "so are those of all treebanks; uas, las, la and wlas are F1, with precision and recall in further columns"
        )
        whole.warn(Diagnostic.warning(place_of(whole), 0, what, hint))
    return found


@contextmanager
def _naming(treebank: str) -> Iterator[None]:
    """Name the treebank in the error of a column, comment or feature that it lacks."""
    try:
        yield
    except UnknownName as error:
        raise UnknownName(error.kind, error.name, error.known, error.note, treebank) from None


def _join_systems(parts: Mapping[str, Result], treebanks: Sequence[str]) -> Result:
    """The rows of systems that were scored one by one, by treebank and system; then those of averages."""
    import pyarrow.compute as pc

    rows = [part.arrow() for part in parts.values()]
    of_treebanks = [table.filter(pc.equal(table["treebank"], treebank)) for treebank in treebanks for table in rows]
    averages = [table.filter(pc.is_in(table["treebank"], pa.array(AVERAGES))) for table in rows]
    cited = {key: text for part in parts.values() for key, text in part.signatures.items()}
    return with_all_columns([*of_treebanks, *averages], parts.values(), cited)


def _score(inputs: Inputs) -> _Part:
    """Score one treebank, with the sums that averages are made from."""
    systems, metrics = inputs.systems, inputs.task.choice.metrics
    seen: list[tuple[catalog.Query, int, Mapping[int, Floats]]] = []
    of_systems = score_systems(inputs, sums=True, observe=lambda *resampled: seen.append(resampled))
    part = _Part(inputs.task, of_systems)
    groups = group_columns(of_systems[systems[0]], metrics)
    keys = {
        name: [tuple(row.values()) for row in one.arrow().select(groups).to_pylist()] if groups else [()]
        for name, one in of_systems.items()
    }
    for query, group, sums in seen:
        for system, of_group in sums.items():
            part.resampled[query.name, systems[system], keys[systems[system]][group]] = of_group
    return part


def _add_resampled(averages: Resamples, number: int, part: _Part) -> None:
    """Add the resampled sums of a treebank to the averages."""
    for key, sums in part.resampled.items():
        query = catalog.query(key[0])
        if key not in averages:
            averages[key] = ResampledAverages(query.ratios, query.counts, runs=RUNS, seed=SEED)
        averages[key].add(number, sums)


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
