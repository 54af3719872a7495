"""Score and compare systems on several treebanks: a task for each, one after another, and averages over all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from treesql import catalog, significance
from treesql.errors import Diagnostic, UnknownName, UsageError
from treesql.evaluation.averages import Key, Resamples, ScoredTreebanks, add_averages, group_columns
from treesql.evaluation.evaluate import (
    alignment_warning,
    choose_shown,
    count_systems,
    evaluate_systems,
    fit_comparison,
    have_aligned_words,
    open_and_run,
    score_systems,
    task_to_compare,
    warn_if_nothing_is_scored,
)
from treesql.evaluation.task import Inputs, Task, check_task
from treesql.kernels.arrays import Floats
from treesql.results.result import Result
from treesql.significance.averages import ResampledAverages
from treesql.significance.methods import AVERAGES, RUNS, SEED, Method

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison
    from treesql.significance.counted_metrics import CountedMetric


Treebanks = Mapping[str, Task]
"""Tasks of one kind and the same systems, by the name of the treebank."""


@dataclass(frozen=True)
class _Part:
    """The scores of one treebank: by system, and resampled sums by metric, system and group.

    is_aligned: whether words of a system are aligned by their characters.
    """

    task: Task
    of_systems: Mapping[str, Result]
    is_aligned: bool
    resampled: dict[tuple[str, str, Key], Floats] = field(default_factory=dict)


def evaluate_treebanks(whole: Task, treebanks: Treebanks) -> Result:
    """One row per treebank and system, or also group; the first columns are `system` and `treebank`.

    whole: the task of all treebanks, whose inputs hold many files. The last rows are `macro` and `micro` of every
    system, unless rows are sentences or those of a table. Raises what `evaluate` raises.
    """
    check_task(whole)
    check_names(treebanks)
    if whole.matrix is not None:
        raise UsageError("a matrix is that of one file; name files instead of folders or patterns")
    if whole.tables:
        return _tables(treebanks)
    resampled: Resamples = {}
    found: dict[str, _Part] = {}
    for number, (name, task) in enumerate(treebanks.items()):
        with naming(name):
            part = open_and_run(task, _score, task.queries)
        _add_resampled(resampled, number, part)
        found[name] = replace(part, resampled={})
    warn_of_treebanks(whole, [name for name, part in found.items() if part.is_aligned])
    parts = {name: part.of_systems for name, part in found.items()}
    task = next(iter(found.values())).task
    warn_if_nothing_is_scored(task, [one for of in parts.values() for one in of.values()], place_of(whole))
    scored = ScoredTreebanks(parts, task.choice.metrics)
    averaged = scored.result() if "sent_id" in scored.groups else add_averages(scored, resampled)
    shown = choose_shown(averaged, ["system", "treebank", *scored.groups], task)
    cited = {key: text for key, text in averaged.signatures.items() if key.rpartition(":")[2] in shown.columns}
    return Result(shown.arrow(), cited, shown.percent, shown.directions)


def compare_treebanks(whole: Task, treebanks: Treebanks, method: Method) -> Comparison:
    """Compare all pairs of systems on every treebank, and by macro- and micro-averages, as `evaluate.compare` does.

    Sentences are exchanged and resampled within treebanks. Raises what `evaluate.compare` raises.
    """
    whole = task_to_compare(whole, method)
    check_names(treebanks)
    significance.compare.check_treebank_test(method)
    tasks = {name: task_to_compare(task, method) for name, task in treebanks.items()}
    counted: dict[str, list[CountedMetric]] = {}
    aligned: list[str] = []

    def count(inputs: Inputs) -> list[CountedMetric]:
        found = count_systems(inputs, method)
        aligned.extend([name] * have_aligned_words(inputs))
        return found

    for name, task in tasks.items():
        with naming(name):
            counted[name] = open_and_run(task, count, task.queries)
    warn_of_treebanks(whole, aligned)
    fitting = fit_comparison(counted, whole.kind, whole.choice.named)
    return significance.compare.compare_treebanks(fitting, method, whole.warn, whole.choice.order)


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


def _score(inputs: Inputs) -> _Part:
    """Score one treebank, with the sums that averages are made from."""
    systems, metrics = inputs.systems, inputs.task.choice.metrics
    seen: list[tuple[catalog.Query, int, Mapping[int, Floats]]] = []
    of_systems = score_systems(inputs, sums=True, observe=lambda *resampled: seen.append(resampled))
    part = _Part(inputs.task, of_systems, have_aligned_words(inputs))
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
