"""A task: systems, a gold standard, the scores to compute, and how files are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import UnknownName, UsageError, Warn, not_applicable
from treesql.readers import Notation
from treesql.readers.source import STANDARD_INPUT
from treesql.scoring import scores
from treesql.scoring.grouping import FEATURE_PREFIX
from treesql.storage import loading

DEPENDENCY = ("attachment", "exact_match", "relation_class_scores", "weighted_attachment")
"""The metrics of `score dependency` if gold standard and system have the same words."""

CONSTITUENCY = ("evalb", "robinson_foulds", "generalised_robinson_foulds", "quartets")
"""The metrics of `score constituency`."""

NEWICK = CONSTITUENCY[1:]
"""The metrics of `score newick`."""

ALIGNED_DEPENDENCY = ("aligned_attachment", "aligned_class_scores", "aligned_weighted_attachment")
"""The metrics of `score dependency` if only the text is the same."""

DEPENDENCY_KIND = "dependency"

ALWAYS_READ = ("sent_id", "file", "line")
"""Columns that messages name places by."""


@dataclass(frozen=True)
class Alignments:
    """How files of alignments are read, and the texts, files or corpora of the database, whose words they link.

    notation: of the systems' files; its base also applies to a gold file of the same format without a base.
    gold_notation, gold_form: of the gold file.
    """

    notation: Notation = field(default_factory=Notation)
    gold_notation: Notation = field(default_factory=Notation)
    gold_form: str | None = None
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class Task:
    """Inputs and options of an evaluation.

    gold, systems: files, or names of corpora of `database`. parameters: of the metrics, except corpora. tables:
    statistics whose rows replace the scores. weights: a table of weights, or treebanks whose averaged word dependency
    entropies are the weights. classes: a CSV file that replaces the table relation_classes. rules: a parameter file of
    EVALB, or the name of a parameter set. form, permissive, strict: how files are read. kind: of the corpora, and the
    family of the metrics. alignments: how files of alignments are read. ci: add confidence intervals. names: of the
    systems, by default those of their files or corpora. read: columns to read in addition to those of the metrics.
    options: command-line options by the name of their parameter, for messages. warn: called with every warning.
    """

    metrics: Sequence[str]
    gold: str
    systems: Sequence[str]
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    tables: Sequence[str] = ()
    weights: Sequence[str] = ()
    classes: str | None = None
    rules: str | None = None
    form: str | None = None
    permissive: bool = False
    strict: bool = False
    kind: str = "dependency"
    alignments: Alignments = field(default_factory=Alignments)
    ci: bool = False
    names: Sequence[str] = ()
    read: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    warn: Warn = lambda warning: None

    @property
    def queries(self) -> list[catalog.Query]:
        """The queries that run for every pair of corpora."""
        return [catalog.query(name) for name in self.tables or self.metrics]

    @property
    def reads_standard_input(self) -> bool:
        """Whether a file is standard input, which can be read only once."""
        return not self.database and STANDARD_INPUT in (self.gold, *self.systems)

    @property
    def texts(self) -> dict[str, str]:
        """The texts whose words are linked, by the names of their parameters: `source` and `target`."""
        texts = {"source": self.alignments.source, "target": self.alignments.target}
        return {name: text for name, text in texts.items() if text is not None}

    @property
    def corpora(self) -> list[str]:
        """The corpora of the systems; files are loaded under their names."""
        return list(self.systems) if self.database else list(self.names) or file_names(self.systems)

    @property
    def labels(self) -> list[str]:
        """The names of the systems in results."""
        return list(self.names) or self.corpora

    @property
    def gold_corpus(self) -> str:
        """The corpus of the gold standard."""
        if self.database:
            return self.gold
        [name] = file_names([self.gold])
        return f"gold {name}" if name in self.corpora else name

    @property
    def distinct_corpora(self) -> list[str]:
        """The gold corpus and the systems'; a file that is used several times counts once, by its first name."""
        by_path: dict[str, str] = {}
        for path, corpus in zip((self.gold, *self.systems), (self.gold_corpus, *self.corpora), strict=True):
            by_path.setdefault(path, corpus)
        return list(by_path.values())


def check_task(task: Task) -> None:
    """Raises UsageError, UnknownName for a task that is wrong whatever its files contain."""
    if not task.systems:
        raise UsageError("name at least one system")
    if not task.database and [task.gold, *task.systems, *task.texts.values()].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    if len(set(task.corpora)) < len(task.systems) or len(set(task.labels)) < len(task.systems):
        raise UsageError("a system is named twice; name each once")
    if task.tables and (task.by or task.where):
        raise UsageError("a table has its own rows; --by and --where are for scores")
    if task.tables and task.ci:
        raise UsageError("a table has no intervals; --ci is for scores")
    for name in () if task.tables else task.metrics:
        if scores.find_metric(name).family != task.kind:
            known = [q.name for q in catalog.all_queries().values() if q.kind == "metric" and q.family == task.kind]
            raise UsageError(f"{name} is not a metric of the kind {task.kind}; these are {', '.join(known)}")
    if task.tables:
        known = [query.name for query in catalog.all_queries().values() if _is_table(query, task.kind)]
        for name in task.tables:
            if name not in known:
                raise UnknownName(f"table of the kind {task.kind}", name, known)


def _is_table(query: catalog.Query, kind: str) -> bool:
    """Whether a query is a statistic of gold and system of a kind."""
    corpora = [parameter.name for parameter in query.parameters if parameter.name.endswith("_corpus")]
    return query.kind == "statistic" and query.family == kind and corpora == ["gold_corpus", "system_corpus"]


def check_used_options(task: Task) -> None:
    """Raises UsageError if no query uses a parameter of the task."""
    declared = {parameter.name for query in task.queries for parameter in query.parameters}
    unused = [task.options.get(name, name) for name in task.parameters if name not in declared]
    unused += [name for name in ("weights", "classes") if task.tables and getattr(task, name)]
    if unused:
        names = ", ".join(query.name for query in task.queries)
        raise not_applicable(unused, names)


def with_aligned_words(task: Task) -> Task | None:
    """The task with metrics that align words by their characters; None if its metrics have no such variant."""
    if task.tables or tuple(task.metrics[: len(DEPENDENCY)]) != DEPENDENCY or task.parameters.get("match") == "sent_id":
        return None
    parameters = {name: value for name, value in task.parameters.items() if name != "match"}
    return replace(task, metrics=(*ALIGNED_DEPENDENCY, *task.metrics[len(DEPENDENCY) :]), parameters=parameters)


def needs_whole_files(task: Task) -> bool:
    """Whether files cannot be read in blocks: several systems share standard input, or a file is a data set."""
    read_again = task.gold == STANDARD_INPUT and len(task.systems) > 1
    return read_again or any(path.endswith(".parquet") for path in (task.gold, *task.systems))


def columns_needed(task: Task, queries: Sequence[catalog.Query]) -> dict[str, frozenset[str]] | None:
    """The columns of the tables that a task may read; None for all.

    A condition that contains a query may read any column; a group that is not a column is a morphological feature.
    """
    condition = (task.where or "").lower()
    if catalog.contains_query(condition):
        return None
    words = [
        *ALWAYS_READ,
        *task.read,
        *["n_words"] * (task.kind in (loading.ALIGNMENT, "constituency")),
        *re.findall(r"\w+", f"{task.by or ''} {condition}"),
    ]
    if _is_feature(task):
        words.append("feats")
    read = catalog.columns_read(queries, words)
    if task.kind == DEPENDENCY_KIND:
        entropies = catalog.columns_read([catalog.query("word_entropy")])
        read["words"] = read.get("words", frozenset()) | entropies["words"] - {"lemma"}  # entropies of forms
        read |= {name: entropies[name] | read.get(name, frozenset()) for name in entropies.keys() - {"words"}}
    return read | ({"feature_lists": frozenset({"feats"})} if _is_feature(task) else {})


def _is_feature(task: Task) -> bool:
    known = {column.name for query in task.queries for column in query.columns}
    known.update(name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names)
    return task.by is not None and (task.by.startswith(FEATURE_PREFIX) or task.by not in known)


def file_names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths if two names are equal."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)
