"""Score dependency trees of translations against those of references, with links between their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from treesql import catalog
from treesql.drawing import pairs
from treesql.drawing.dependencies import Tree
from treesql.engines import Engine
from treesql.engines.duckdb_files import open_database
from treesql.errors import UnknownName, UsageError, Warn
from treesql.evaluation.evaluate import with_system_column
from treesql.evaluation.inputs import check_single_roots
from treesql.evaluation.task import Task as TreeTask
from treesql.evaluation.task import columns_needed
from treesql.readers import Notation, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import audits, scores, selection
from treesql.scoring.sql import with_clause
from treesql.significance import compare as significance_compare
from treesql.significance import intervals
from treesql.significance.comparison import Comparison
from treesql.significance.tests import Method
from treesql.storage import in_memory, loading
from treesql.storage.loading import ALIGNMENT, CorpusFiles

PATHS = ("path_disparities", "path_coverage")
"""The metrics of `score paths`."""

LINKED_COSTS = ("aligned", "aligned_strict")
"""Costs of tree edits that depend on an alignment."""

COSTLY = "costly"
"""Mark of the edges and links of paths that differ."""

DEFAULT_NOTATION = Notation()
"""Links as the format of the alignment defines them."""

ENDS = ("reference_first", "reference_last", "hypothesis_first", "hypothesis_last")
"""The columns of the words at the ends of a path."""

_COSTLY = """
SELECT i.sentence, l.sent_id, i.reference_words, i.hypothesis_words, i.reference_path, i.hypothesis_path, i.disparity,
       i.maximum, i.reference_first, i.reference_last, i.hypothesis_first, i.hypothesis_last
FROM items AS i
JOIN sentences AS l ON l.corpus = $reference_corpus AND l.sentence = i.sentence
WHERE i.disparity > 0{condition}
ORDER BY i.disparity DESC, i.maximum, i.sentence, i.reference_first, i.reference_last
"""
_TREES = "SELECT * FROM trees AS t WHERE t.sentence = $sentence"
_SENTENCE = """
SELECT s.sentence FROM sentences AS s
WHERE s.corpus = $corpus AND (s.sent_id = $name OR CAST(s.sentence AS VARCHAR) = $name)
ORDER BY CASE WHEN s.sent_id = $name THEN 0 ELSE 1 END, s.sentence
"""


@dataclass(frozen=True)
class AlignedTreesTask:
    """Inputs and options of an evaluation of aligned trees.

    reference, hypothesis, alignment: files, or names of corpora of `database`; the alignment links words of the
    reference (source) and of the hypothesis (target), None if only trees are compared. parameters: of the metrics,
    except corpora. form, permissive, strict: how trees are read; alignment_form, notation: how the alignment is read.
    ci: add confidence intervals. read: columns to read in addition to those of the metrics. warn: called with every
    warning.
    """

    metrics: Sequence[str]
    reference: str
    hypothesis: str
    alignment: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    form: str | None = None
    alignment_form: str | None = None
    notation: Notation = DEFAULT_NOTATION
    permissive: bool = False
    strict: bool = False
    ci: bool = False
    read: Sequence[str] = ()
    warn: Warn = lambda warning: None

    @property
    def inputs(self) -> dict[str, str]:
        """The files or corpora by the parameters that name them."""
        paths = {"reference": self.reference, "hypothesis": self.hypothesis, ALIGNMENT: self.alignment}
        return {f"{name}_corpus": path for name, path in paths.items() if path is not None}

    @property
    def trees(self) -> TreeTask:
        """The same inputs without the alignment, as a task for scores of trees."""
        return TreeTask(
            self.metrics, self.reference, [self.hypothesis], self.parameters, self.database, self.by, self.where,
            permissive=self.permissive, strict=self.strict, read=self.read, warn=self.warn,
        )  # fmt: skip


@dataclass(frozen=True)
class Explanation:
    """The drawn trees of a sentence with their links, and the paths that differ, by difference, descending."""

    drawing: str
    paths: Result


def tree_edit_metric(costs: str, alignment: str | None) -> tuple[str, dict[str, object]]:
    """The metric of an edit distance at these costs, and its parameters. Raises UsageError."""
    if costs in LINKED_COSTS:
        if alignment is None:
            raise UsageError(
                f"words correspond by an alignment at costs {costs}: --alignment FILE; to compare, --system NAME=B,FILE"
            )
        return "aligned_dependency_tree_edit", {"costs": costs}
    if alignment is not None:
        raise UsageError(
            f"an alignment cannot be combined with costs {costs}; choose costs {' or '.join(LINKED_COSTS)}"
        )
    return "dependency_tree_edit", {"costs": costs}


def evaluate(task: AlignedTreesTask) -> Result:
    """A row, or one per group; the first column, `system`, is the hypothesis.

    Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    with _open_inputs(task) as (engine, corpora):
        values = {**task.parameters, **corpora}
        found = scores.score(engine, task.metrics, values, by=task.by, where=task.where)
        if task.ci:
            [found] = intervals.add_intervals(
                engine, [found], task.metrics, [values], by=task.by, where=task.where, warn=task.warn
            )
        rows = with_system_column(corpora["hypothesis_corpus"], found.arrow())
        return Result(rows, found.signatures, found.percent)


def compare(tasks: Mapping[str, AlignedTreesTask], names: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems. names: scores or metrics, by default all of the tasks' metrics.

    tasks: by name of the system; they differ only in hypothesis and alignment. Raises what `evaluate` raises.
    """
    significance_compare.check_two_systems(tasks)
    first = next(iter(tasks.values()))
    chosen = selection.select_scores(first.metrics, names)
    metrics = [query.name for query, _ in chosen]
    read = (method.stratum,) if method.stratum else ()
    opened = {name: replace(task, metrics=metrics, read=read) for name, task in tasks.items()}
    with _open_all(opened) as (engine, corpora):
        systems = {name: {**tasks[name].parameters, **own} for name, own in corpora.items()}
        return significance_compare.compare(engine, chosen, systems, method, where=first.where, warn=first.warn)


def costly_paths(task: AlignedTreesTask) -> Result:
    """The paths of all sentences that differ, sorted by difference, descending. Raises what `evaluate` raises."""
    with _open_inputs(task) as (engine, corpora):
        return Result(_costly(engine, corpora, None).drop_columns(list(ENDS)))


def explain(task: AlignedTreesTask, sentence: str, width: int | None = None) -> Explanation:
    """Explain the score of one sentence, named by its sent_id in the reference or by its 0-based number.

    width: columns of the drawing; None for any. Edges on paths that differ, and the links at their ends, are marked.
    Raises UnknownName, and what `evaluate` raises.
    """
    with _open_inputs(task) as (engine, corpora):
        number = _number(engine, corpora["reference_corpus"], sentence)
        paths = _costly(engine, corpora, number)
        query = catalog.query("aligned_trees")
        sql = with_clause([*query.statement.expressions, ("trees", query.statement.body)]) + _TREES
        [row] = engine.table(sql, {**corpora, "sentence": number}).to_pylist()
        return Explanation(_draw(row, paths.to_pylist(), width), Result(paths.drop_columns(list(ENDS))))


def _draw(row: dict[str, Any], paths: Sequence[dict[str, Any]], width: int | None) -> str:
    trees = []
    for side in ("reference", "hypothesis"):
        heads = row[f"{side}_heads"]
        edges = {word for path in paths for word in _words_on_path(heads, path[f"{side}_first"], path[f"{side}_last"])}
        marks = dict.fromkeys(edges, COSTLY)
        trees.append(Tree(row[f"{side}_forms"], heads, row[f"{side}_relations"], marks=marks))
    ends = {(path[f"reference_{end}"], path[f"hypothesis_{end}"]) for path in paths for end in ("first", "last")}
    linked = zip(row["reference_links"], row["hypothesis_links"], strict=True)
    links = [pairs.Link(*link, mark=COSTLY if link in ends else "") for link in linked]
    return pairs.text(trees[0], trees[1], links, width=width)


def _words_on_path(heads: Sequence[int], first: int, last: int) -> set[int]:
    """The words whose edges are on the path between two words."""
    ancestors: list[set[int]] = []
    for word in (first, last):
        found = set()
        while word:
            found.add(word)
            word = heads[word - 1]
        ancestors.append(found)
    return ancestors[0] ^ ancestors[1]


def _number(engine: Engine, corpus: str, name: str) -> int:
    found = engine.rows(_SENTENCE, {"corpus": corpus, "name": name})
    if not found:
        sql = "SELECT coalesce(sent_id, CAST(sentence AS VARCHAR)) FROM sentences WHERE corpus = $corpus"
        known = engine.rows(sql, {"corpus": corpus})
        raise UnknownName(f"sentence of {corpus}", name, [one for (one,) in known])
    return int(found[0][0])


def _costly(engine: Engine, corpora: Mapping[str, str], sentence: int | None) -> pa.Table:
    """The paths that differ, of one sentence or of all."""
    query = catalog.query("path_disparities")
    for audit in query.audit_queries:
        audits.check_audit(engine, audit, corpora)
    condition, values = ("", {}) if sentence is None else (" AND i.sentence = $sentence", {"sentence": sentence})
    sql = with_clause([*query.statement.expressions, ("items", query.statement.body)])
    sql += _COSTLY.format(condition=condition)
    return engine.table(sql, {**corpora, **values})


@contextmanager
def _open_inputs(task: AlignedTreesTask) -> Iterator[tuple[Engine, dict[str, str]]]:
    """An engine with all corpora, and their names by the parameters of metrics."""
    with _open_all({"": task}) as (engine, corpora):
        yield engine, corpora[""]


@contextmanager
def _open_all(
    tasks: Mapping[str, AlignedTreesTask],
) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    """An engine with the corpora of several tasks, and their names by task and by parameter."""
    first = next(iter(tasks.values()))
    for task in tasks.values():
        for name in task.metrics:
            roles = {p.name for p in scores.find_metric(name).parameters if p.name.endswith("_corpus")}
            if roles - task.inputs.keys():
                raise UsageError(f"{name} needs {', '.join(sorted(roles - task.inputs.keys()))}")
    with _database(tasks) if first.database else _files(tasks) as (engine, corpora):
        kinds = dict(engine.rows("SELECT corpus, kind FROM corpora"))
        for parameter, corpus in dict.fromkeys(pair for own in corpora.values() for pair in own.items()):
            kind = ALIGNMENT if parameter == "alignment_corpus" else "dependency"
            if kinds.get(corpus, kind) != kind:
                expected = "an alignment" if kind == ALIGNMENT else "dependency trees"
                raise UsageError(f"{corpus} is of the kind {kinds[corpus]}; name {expected} here")
        yield engine, corpora


@contextmanager
def _database(
    tasks: Mapping[str, AlignedTreesTask],
) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    first = next(iter(tasks.values()))
    if first.form or first.alignment_form or first.permissive or first.notation != DEFAULT_NOTATION:
        raise UsageError("options for reading files cannot be combined with --db")
    assert first.database
    with open_database(first.database, read_only=True, safe=True) as engine:
        for corpus in dict.fromkeys([first.reference, *(task.hypothesis for task in tasks.values())]):
            check_single_roots(engine, corpus, first.trees)
        yield engine, {name: task.inputs for name, task in tasks.items()}


@contextmanager
def _files(
    tasks: Mapping[str, AlignedTreesTask],
) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    first = next(iter(tasks.values()))
    inputs = list(dict.fromkeys(pair for task in tasks.values() for pair in task.inputs.items()))
    paths = [path for _, path in inputs]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    if len(set(names)) < len(names):
        names = [f"{parameter.removesuffix('_corpus')} {path}" for parameter, path in inputs]
    corpora = dict(zip(inputs, names, strict=True))
    files: list[CorpusFiles] = []
    for (parameter, path), name in corpora.items():
        is_alignment = parameter == "alignment_corpus"
        form = first.alignment_form if is_alignment else first.form
        notation = first.notation if is_alignment else None
        kind = ALIGNMENT if is_alignment else "dependency"
        files += loading.plan_loads([path], name, form, notation=notation, kind=kind)
    columns = columns_needed(first.trees, first.trees.queries)
    engine, loaded = in_memory.load_into_memory(files, Options(first.permissive, first.strict, columns))
    with engine:
        for warning in loading.distinct_warnings(loaded):
            first.warn(warning)
        yield (
            engine,
            {name: {pair[0]: corpora[pair] for pair in task.inputs.items()} for name, task in tasks.items()},
        )
