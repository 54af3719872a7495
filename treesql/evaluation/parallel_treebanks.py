"""Score parallel treebanks: trees of two languages and the links between their words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from treesql import catalog, readers
from treesql.engines import Engine
from treesql.engines.duckdb_files import open_database
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.evaluation.evaluate import with_system_column
from treesql.readers import Notation, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import relation_tables, scores, selection
from treesql.significance import compare as significance_compare
from treesql.significance import intervals
from treesql.significance.comparison import Comparison
from treesql.significance.tests import Method
from treesql.storage import in_memory, link_checks, loading

METRIC = "pts"


@dataclass(frozen=True)
class ParallelTreebank:
    """The three parts of a parallel treebank, files or corpora of a database: source trees, target trees, links."""

    a: str
    b: str
    links: str

    @property
    def parts(self) -> dict[str, str]:
        """The parts by their names."""
        return {"a": self.a, "b": self.b, "links": self.links}


@dataclass(frozen=True)
class ParallelTask:
    """Inputs and options of an evaluation of parallel treebanks.

    systems: by their names. parameters: of the metric, except corpora. form, links_form, gold_links_form: formats of
    trees, the systems' links and the gold links. notation, gold_notation: how links are read. by, where, permissive,
    strict, ci, read, warn: as in treesql.evaluation.task.Task.
    """

    gold: ParallelTreebank
    systems: Mapping[str, ParallelTreebank]
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    form: str | None = None
    links_form: str | None = None
    gold_links_form: str | None = None
    notation: Notation = field(default_factory=Notation)
    gold_notation: Notation = field(default_factory=Notation)
    permissive: bool = False
    strict: bool = False
    ci: bool = False
    read: Sequence[str] = ()
    warn: Warn = lambda warning: None


def evaluate(task: ParallelTask) -> Result:
    """One row per system, or per system and group; the first column, `system`, is its name.

    Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    with open_parallel(task) as (engine, corpora):
        results = {
            system: scores.score(engine, [METRIC], {**task.parameters, **given}, by=task.by, where=task.where)
            for system, given in corpora.items()
        }
        if task.ci:
            values = [{**task.parameters, **given} for given in corpora.values()]
            found = intervals.add_intervals(
                engine, [*results.values()], [METRIC], values, by=task.by, where=task.where, warn=task.warn
            )
            results = dict(zip(results, found, strict=True))
        rows = [with_system_column(system, result.arrow()) for system, result in results.items()]
    signatures = {
        f"{system}:{score}": text for system, result in results.items() for score, text in result.signatures.items()
    }
    return Result(pa.concat_tables(rows), signatures, next(iter(results.values())).percent)


def compare(task: ParallelTask, metrics: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems. metrics: scores, by default all of the metric. Raises what `evaluate` raises."""
    significance_compare.check_two_systems(task.systems)
    read = (method.stratum,) if method.stratum else ()
    with open_parallel(replace(task, read=read)) as (engine, corpora):
        systems = {name: {**task.parameters, **given} for name, given in corpora.items()}
        chosen = selection.select_scores([METRIC], metrics)
        return significance_compare.compare(engine, chosen, systems, method, where=task.where, warn=task.warn)


@contextmanager
def open_parallel(task: ParallelTask) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    """An engine with all corpora, and for every system the corpora that the metric compares, by parameter.

    Links outside of the gold sentences are refused; warns of systems' links that are probably misread. Raises what
    `evaluate` raises.
    """
    if not task.systems:
        raise UsageError("name at least one system")
    _check_weights(task.parameters)
    with _database(task) if task.database else _files(task) as (engine, corpora):
        _check_kinds(engine, corpora)
        gold = next(iter(corpora.values()))
        forms = dict(engine.rows("SELECT corpus, format FROM corpora"))
        for corpus, notation, of in [
            (gold["gold_links_corpus"], task.gold_notation, "gold-"),
            *((given["system_links_corpus"], task.notation, "") for given in corpora.values()),
        ]:
            others = {} if task.database else link_checks.other_readings(forms[corpus], notation, of)
            link_checks.check_links(engine, corpus, gold["gold_a_corpus"], gold["gold_b_corpus"], others)
        for warning in {str(one): one for one in _suggest_notations(engine, task, forms, corpora)}.values():
            task.warn(warning)
        yield engine, corpora


def _suggest_notations(
    engine: Engine,
    task: ParallelTask,
    forms: Mapping[str, str],
    corpora: Mapping[str, Mapping[str, str]],
) -> Iterator[Diagnostic]:
    """Warnings of systems' links that agree with the gold links far better in another notation."""
    for given in corpora.values():
        gold, links = given["gold_links_corpus"], given["system_links_corpus"]
        others = (
            link_checks.readings_of_loaded()
            if task.database
            else link_checks.readings_with_gold(forms[links], task.notation, forms[gold], task.gold_notation)
        )
        warning = link_checks.suggest_notation(engine, gold, links, others)
        if warning:
            yield warning


@contextmanager
def _database(task: ParallelTask) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    how = (task.form, task.links_form, task.gold_links_form, task.permissive, task.strict)
    if any(how) or Notation() != task.notation or Notation() != task.gold_notation:
        raise UsageError("options for reading files (--from, --base, --permissive, ...) cannot be combined with --db")
    assert task.database
    with open_database(task.database, read_only=True, safe=True) as engine:
        yield engine, {name: _parameters(task.gold.parts, system.parts) for name, system in task.systems.items()}


@contextmanager
def _files(task: ParallelTask) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    files = [*task.gold.parts.values(), *(path for one in task.systems.values() for path in one.parts.values())]
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    treebanks = {"gold": task.gold, **{f"system {name}": system for name, system in task.systems.items()}}
    loads, corpora = [], {}
    file_names = [Path(path).name for path in files]
    for name, treebank in treebanks.items():
        corpora[name] = {
            part: file if file_names.count(file := Path(path).name) == 1 else f"{file} ({part} of {name})"
            for part, path in treebank.parts.items()
        }
        for part, path in treebank.parts.items():
            loads += _plan_loads(task, corpora[name][part], part, path, gold=name == "gold")
    columns = ["sent_id", "file", "line", "n_words", *task.read, *_columns_named(task)]
    read = None if catalog.contains_query(task.where) else catalog.columns_read([catalog.query(METRIC)], columns)
    engine, loaded = in_memory.load_into_memory(loads, Options(task.permissive, task.strict, read))
    with engine:
        for warning in loading.distinct_warnings(loaded):
            task.warn(warning)
        yield engine, {name: _parameters(corpora["gold"], corpora[f"system {name}"]) for name in task.systems}


def _columns_named(task: ParallelTask) -> list[str]:
    """The words of the group and the condition, any of which may be a column."""
    return sorted(catalog.words(f"{task.by or ''} {(task.where or '').lower()}"))


def _plan_loads(task: ParallelTask, corpus: str, part: str, path: str, *, gold: bool) -> list[loading.CorpusFiles]:
    if part != "links":
        return loading.plan_loads([path], corpus, task.form, kind="dependency")
    form, notation = (task.gold_links_form, task.gold_notation) if gold else (task.links_form, task.notation)
    return loading.plan_loads([path], corpus, form, notation=notation, kind=loading.ALIGNMENT)


def _parameters(gold: Mapping[str, str], system: Mapping[str, str]) -> dict[str, str]:
    sides = (("gold", gold), ("system", system))
    return {f"{side}_{part}_corpus": corpus for side, parts in sides for part, corpus in parts.items()}


def _check_weights(parameters: Mapping[str, object]) -> None:
    """Raises UsageError if a weight is negative or not a finite number, or if all are 0."""
    weights = {name: float(str(parameters.get(name, 1))) for name in ("weight_a", "weight_b", "weight_links")}
    for name, weight in weights.items():
        if not 0 <= weight < math.inf:
            raise UsageError(f"{name} is {weight:g}; a weight is a number, 0 or more")
    if not any(weights.values()):
        raise UsageError("all weights are 0; give at least one that is more")
    greatest = max(weights.values())
    if not relation_tables.MIN_LARGEST_WEIGHT <= greatest <= relation_tables.MAX_LARGEST_WEIGHT:
        hint = "multiply all weights by one number, so that they have the size of 1"
        raise UsageError(f"the largest weight is {greatest:g}; {hint}")


def _check_kinds(engine: Engine, corpora: Mapping[str, Mapping[str, str]]) -> None:
    """Raises UnknownName; UsageError if trees are named in place of links, or links in place of trees."""
    kinds = dict(engine.rows("SELECT corpus, kind FROM corpora"))
    for parameter, corpus in dict.fromkeys(pair for given in corpora.values() for pair in given.items()):
        if corpus not in kinds:
            raise UnknownName("corpus", corpus, kinds)
        expected = loading.ALIGNMENT if "links" in parameter else "dependency"
        if kinds[corpus] != expected:
            content, expected_content = readers.describe_kind(kinds[corpus]), readers.describe_kind(expected)
            raise UsageError(f"{corpus} has {content}, and {parameter} is for {expected_content}")
