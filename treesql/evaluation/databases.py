"""Score and compare corpora of an open database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treesql import catalog, significance
from treesql.catalog import kinds
from treesql.catalog.kinds import Kind
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError, issue
from treesql.evaluation import evaluate
from treesql.evaluation.evaluate import evaluate_systems
from treesql.evaluation.files import OUTPUT, Names, Systems, compare_task, make_task, score_each, split_groups
from treesql.evaluation.task import Task, choose_columns
from treesql.results.result import Result
from treesql.runtime.failures import check_type
from treesql.scoring import items, scores
from treesql.sentences.sentence import Sentence
from treesql.significance.methods import Method
from treesql.storage.loading import corpus_names

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison


def score_loaded(
    engine: Engine, names: Sequence[Systems], given: Mapping[str, Any], *, by: Names | None, where: str | None, ci: bool
) -> Result:
    """Score corpora of an open database: of a kind with its roles, or by metrics with the parameters of their queries.

    names: a kind, whose rows begin with the system's name, and its inputs, or metrics of one system. Raises what
    `score` raises.
    """
    if names and names[0] in kinds.names():

        def task_of(values: Mapping[str, Any], metric: Names) -> Task:
            return _loaded_task(engine, names, {**values, "metric": metric}, by=by, where=where, ci=ci)

        return score_each(kinds.kind(str(names[0])), given, given.get("metric", ()), task_of)
    task = metrics_task(engine, _metric_names(names), given, by=by, where=where, ci=ci)
    [result] = evaluate_systems(task).values()
    return result


def align_loaded(engine: Engine, sentence: Sentence, system: str) -> Result:
    """Align a sentence of a reference with what a system of the same database has in its place. Raises as `score`."""
    of_corpora = dict(engine.rows("SELECT c.corpus, c.kind FROM corpora AS c"))
    if system not in of_corpora:
        raise UnknownName("corpus", system, of_corpora)
    kind = kinds.kind("lattice" if of_corpora[system] == "lattice" else "translation")
    table = next(flag.table for flag in kind.flags.values() if flag.screen == "edits")
    named = [("reference", sentence.corpus), (kind.own[0].name, system)]
    values = {str(role.parameter): corpus for role in kind.roles for name, corpus in named if role.name == name}
    ids = "SELECT s.sentence FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id = $sent_id"
    numbers = engine.rows(ids, {"corpus": system, "sent_id": sentence.sent_id}) if sentence.sent_id else []
    number = numbers[0][0] if numbers else sentence.sentence
    return Result(scores.run_for_sentence(engine, str(table), values, number))


def compare_loaded(
    engine: Engine,
    names: Sequence[Systems],
    systems: Systems,
    given: Mapping[str, Any],
    method: Method,
    *,
    where: str | None,
) -> Comparison:
    """Compare corpora of an open database, as `score_loaded` names them.

    systems: corpora, or by name their roles; with metrics, the values of the parameters in which they differ.
    """
    if names and names[0] in kinds.names():
        return compare_task(_loaded_task(engine, names, {"systems": systems, **given}, where=where), method)
    metrics = _metric_names(names)
    kind = _kind_of(metrics)
    choice = choose_columns(kind, metrics)
    chosen = items.scores_of(choice.columns)
    corpus = str(kind.own[0].parameter)
    if not isinstance(systems, str | Path | Sequence | Mapping):
        raise UsageError(f"systems is {systems!r}; name corpora of the database")
    listed = [systems] if isinstance(systems, str | Path) else systems
    values_of = listed if isinstance(listed, Mapping) else {str(name): name for name in listed}
    values = {
        name: {**given, **(roles if isinstance(roles, Mapping) else {corpus: str(roles)})}
        for name, roles in values_of.items()
    }
    for system_values in values.values():
        items.values_of([query for query, _ in chosen], system_values)
    significance.compare.check_two_systems(values)
    count_metric = significance.counted_metrics.count_metric
    counted = [count_metric(engine, query, ratios, values, method, where=where) for query, ratios in chosen]
    [fitting] = evaluate.fit_comparison({"": counted}, kind, choice.named).values()
    return significance.compare.compare_counted(fitting, method, issue, choice.order)


def _loaded_task(engine: Engine, names: Sequence[Systems], given: Mapping[str, Any], **choices: Any) -> Task:
    """The task of a kind on an open database. names: the kind, then its inputs in order."""
    kind, inputs = kinds.kind(str(names[0])), names[1:]
    metrics = {*kind.all_metrics, *(score.name for name in kind.all_metrics for score in catalog.query(name).ratios)}
    if any(isinstance(metric, str) and metric in metrics for metric in inputs) and not metrics & set(
        corpus_names(engine)
    ):
        raise UsageError(f"{kind.name} is a kind of evaluation; name its metrics by metric=")
    options = dict(given)
    chosen = {name: options.pop(name) for name in OUTPUT if name in options}
    systems = options.pop("systems", ())
    return make_task(kind, systems, options, engine, inputs=inputs, **chosen, **choices)


def _metric_names(names: Sequence[Systems]) -> list[str]:
    """Names of metrics or scores. Raises UsageError where there are none."""
    if not names:
        raise UsageError("name at least one metric")
    for name in names:
        check_type("names", name, str)
    return [str(name) for name in names]


def metrics_task(
    engine: Engine, names: Sequence[str], values: Mapping[str, Any], *, by: Names | None, where: str | None, ci: bool
) -> Task:
    """The task of metrics of one system, given the values of the parameters of their queries.

    Raises UnknownName, UsageError.
    """
    queries = [items.find_metric(name) for name in names]
    items.values_of(queries, values)
    kind = kinds.kind_of_metric(queries[0])
    remaining = dict(values)
    shared: dict[str, tuple[str, ...]] = {}
    system_roles: dict[str, str] = {}
    for role in kind.roles:
        if role.corpus not in remaining:
            continue
        corpora = [str(remaining.pop(role.corpus))]
        corpora += [name for name in str(remaining.pop(role.several, "") if role.several else "").split(",") if name]
        if role.side == kinds.GOLD:
            shared[role.name] = tuple(corpora)
        else:
            system_roles[role.name] = corpora[0]
    name = next(iter(system_roles.values()), queries[0].name)
    return Task(
        kind, {name: system_roles}, shared, database=engine, metrics=list(names), parameters=remaining,
        by=split_groups(by), where=where, ci=ci, warn=issue,
    )  # fmt: skip


def _kind_of(names: Sequence[str]) -> Kind:
    """The kind of the first metric or score that is named. Raises UnknownName, UsageError."""
    metric, _, score = names[0].rpartition(".")
    if metric or score in catalog.names():
        return kinds.kind_of_metric(items.find_metric(metric or score))
    having = [query for query in catalog.all_queries().values() if score in {ratio.name for ratio in query.ratios}]
    families = {query.family for query in having}
    if len(families) == 1:
        return kinds.kind_of_metric(having[0])
    if having:
        listed = " or ".join(f"{query.name}.{score}" for query in having)
        raise UsageError(f"{score} is a score of several metrics; write {listed}")
    metrics = [query for query in catalog.all_queries().values() if query.kind == "metric"]
    known = {*(query.name for query in metrics), *(ratio.name for query in metrics for ratio in query.ratios)}
    raise UnknownName("metric or score", score, known)
