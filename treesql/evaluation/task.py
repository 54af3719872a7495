"""What can be asked of systems and a gold standard: which scores, of what, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from treesql import catalog
from treesql.catalog import schemas
from treesql.errors import UsageError, Warn
from treesql.readers import Notation
from treesql.readers.source import STANDARD_INPUT
from treesql.scoring import scores
from treesql.scoring.grouping import FEATURE
from treesql.storage import loading

DEPENDENCY = ("attachment", "exact_match", "relation_class_scores", "weighted_attachment")
"""The metrics of `score dependency` where both sides have the same words."""

CONSTITUENCY = ("evalb", "robinson_foulds", "generalised_robinson_foulds", "quartets")
"""The metrics of `score constituency`."""

NEWICK = CONSTITUENCY[1:]
"""Those of `score newick`."""

ACROSS = ("aligned_attachment", "aligned_class_scores", "aligned_weighted_attachment")
"""Those where only the text is the same."""

DEPENDENCY_KIND = "dependency"

ALWAYS_READ = ("sent_id", "file", "line")
"""Columns that warnings and faults name places by."""


@dataclass(frozen=True)
class Alignments:
    """How files of alignments are written, and the texts, files or corpora of the database, whose words they link.

    notation: of the systems' files; its base is the gold file's, too, where that has none and is of the same format.
    gold_notation, gold_form: of the gold file.
    """

    notation: Notation = field(default_factory=Notation)
    gold_notation: Notation = field(default_factory=Notation)
    gold_form: str | None = None
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class Task:
    """What to score, and how.

    gold, systems: files, or names of corpora of `database`. parameters: of the metrics, corpora left out. tables:
    names of statistics whose rows are wanted in place of scores. weights: a table of weights, or treebanks whose
    averaged word dependency entropies weigh. classes: a CSV file in place of the table relation_classes. rules: a
    parameter file of EVALB, or the name of a parameter set. form, permissive, strict: how files are read. kind: of the
    corpora that the metrics are for, which is the metrics' family. alignments: how these are written, if they are such.
    ci: intervals beside the scores. names: what the systems are called, if not by their files or corpora. read: columns
    that are needed beside those of the metrics. options: by their names, how parameters were given, for messages.
    warn: called with everything that is worth a look.
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
        """What is asked of every pair of corpora."""
        return [catalog.query(name) for name in self.tables or self.metrics]

    @property
    def reads_standard_input(self) -> bool:
        """Whether a file of it can be read only once."""
        return not self.database and STANDARD_INPUT in (self.gold, *self.systems)

    @property
    def texts(self) -> dict[str, str]:
        """The texts whose words are linked, by what they are called in SQL: `source` and `target`."""
        given = {"source": self.alignments.source, "target": self.alignments.target}
        return {name: text for name, text in given.items() if text is not None}

    @property
    def corpora(self) -> list[str]:
        """The corpora of the systems: files are loaded under the names that are given them."""
        return list(self.systems) if self.database else list(self.names) or names_of(self.systems)

    @property
    def labels(self) -> list[str]:
        """What the systems are called in results."""
        return list(self.names) or self.corpora

    @property
    def gold_corpus(self) -> str:
        """The corpus of the gold standard."""
        if self.database:
            return self.gold
        [name] = names_of([self.gold])
        return f"gold {name}" if name in self.corpora else name

    @property
    def distinct_corpora(self) -> list[str]:
        """The gold corpus and the systems', a file that is both, or several of them, by its first name alone."""
        named: dict[str, str] = {}
        for path, corpus in zip((self.gold, *self.systems), (self.gold_corpus, *self.corpora), strict=True):
            named.setdefault(path, corpus)
        return list(named.values())


def check(task: Task) -> None:
    """Raises UsageError, UnknownName where a task cannot be done, whatever its files hold."""
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
        if scores.metric(name).family != task.kind:
            known = [q.name for q in catalog.all_queries().values() if q.kind == "metric" and q.family == task.kind]
            raise UsageError(f"{name} is no metric of the kind {task.kind}; these are {', '.join(known)}")
    if task.tables:
        for query in task.queries:
            if query.kind != "statistic" or not query.reference_corpus:
                known = [q.name for q in catalog.all_queries().values() if q.kind == "statistic" and q.reference_corpus]
                raise UsageError(f"{query.name} is no table of gold and system; tables are {', '.join(known)}")


def check_used_options(task: Task) -> None:
    """Raises UsageError if something was given that none of the queries takes."""
    declared = {parameter.name for query in task.queries for parameter in query.parameters}
    useless = [task.options.get(name, name) for name in task.parameters if name not in declared]
    useless += [name for name in ("weights", "classes") if task.tables and getattr(task, name)]
    if useless:
        names = ", ".join(query.name for query in task.queries)
        raise UsageError(f"{names}: of no use here: {', '.join(useless)}")


def across(task: Task) -> Task | None:
    """The same task where words differ; None if it cannot be had."""
    if task.tables or tuple(task.metrics[: len(DEPENDENCY)]) != DEPENDENCY or task.parameters.get("match") == "sent_id":
        return None
    parameters = {name: value for name, value in task.parameters.items() if name != "match"}
    return replace(task, metrics=(*ACROSS, *task.metrics[len(DEPENDENCY) :]), parameters=parameters)


def shared_input(task: Task) -> bool:
    """Whether several systems are compared with what can be read only once, or a data set, which is no such file."""
    again = task.gold == STANDARD_INPUT and len(task.systems) > 1
    return again or any(path.endswith(".parquet") for path in (task.gold, *task.systems))


def columns_needed(task: Task, queries: Sequence[catalog.Query]) -> dict[str, frozenset[str]] | None:
    """The columns of the tables that a task may read; None for all.

    A condition with a query of its own may read anything; a group that is no column is a morphological feature.
    """
    condition = (task.where or "").lower()
    if catalog.contains_query(condition):
        return None
    words = [
        *ALWAYS_READ,
        *task.read,
        *["n_words"] * (task.kind == loading.ALIGNMENT),
        *re.findall(r"\w+", f"{task.by or ''} {condition}"),
    ]
    if _is_feature(task):
        words.append("feats")
    read = catalog.columns_read(queries, words)
    if task.kind == DEPENDENCY_KIND:
        entropies = catalog.columns_read([catalog.query("word_entropy")])
        read["words"] = read.get("words", frozenset()) | entropies["words"] - {"lemma"}  # of forms as they stand
        read |= {name: entropies[name] | read.get(name, frozenset()) for name in entropies.keys() - {"words"}}
    return read | ({"feature_lists": frozenset({"feats"})} if _is_feature(task) else {})


def _is_feature(task: Task) -> bool:
    known = {column.name for query in task.queries for column in query.columns}
    known.update(name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names)
    return task.by is not None and (task.by.startswith(FEATURE) or task.by not in known)


def names_of(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths where two would be the same."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)
