"""A task: systems, what they are compared with, the scores to compute, how files are read; the corpora by role; and
what a kind may need beyond its declaration, a hook.
"""

from __future__ import annotations

import glob
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from treesql import catalog, readers
from treesql.catalog import kinds, schemas
from treesql.catalog.header import Score
from treesql.catalog.kinds import Kind, Role, all_kinds
from treesql.catalog.queries import attributes_of, further_corpora, queries_named
from treesql.engines import Engine
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn, first_names, not_applicable
from treesql.readers import ALIGNMENT, Notation, Options
from treesql.readers.frames import Frames
from treesql.readers.source import STANDARD_INPUT, is_readable_file
from treesql.results.matrix import MatrixLayout
from treesql.results.result import Explanation
from treesql.scoring import items
from treesql.scoring.items import ScoringPlan, column_of, is_feature, names_in_condition
from treesql.storage import link_checks
from treesql.storage.corpus_plans import names_of_inputs


@dataclass(frozen=True)
class Choice:
    """Metrics, with the columns to show of each, and all columns in the order of a table.

    named: the columns that are named one by one, which are shown whatever the words of systems are.
    """

    columns: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...]
    named: frozenset[str] = frozenset()

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(self.columns)


def _kinds_that_score(name: str) -> str:
    """Return what helps with an addition that another kind has, or whose abbreviation its text explains."""
    with_it = [f"`treesql score {kind.name} --with {name}`" for kind in all_kinds().values() if name in kind.with_]
    explained = [f"`treesql score {kind.name}`" for kind in all_kinds().values() if f"({name.upper()})" in kind.doc]
    commands = [*with_it, *explained]
    return f"{' and '.join(commands)} {'have' if len(commands) > 1 else 'has'} it" if commands else ""


def choose_columns(kind: Kind, names: Sequence[str], added: Sequence[str] = (), *, by: Sequence[str] = ()) -> Choice:
    """The metrics and columns of a kind that are named.

    names: metrics for all their columns, or counts and scores, alone or as `metric.score`. added: names of additions.
    Raises UnknownName, UsageError.
    """
    requested = list(names)
    if tuple(by) == ("sentence",) and tuple(names[: len(kind.shown)]) == kind.shown:
        requested += kind.shown_by_sentence
    for addition in dict.fromkeys(added):
        if addition not in kind.with_:
            raise UnknownName(f"addition to the kind {kind.name}", addition, kind.with_, _kinds_that_score(addition))
        requested += kind.with_[addition].metrics
    columns_of: dict[str, list[str]] = {}
    order: list[str] = []
    named = {name.rpartition(".")[2] for name in requested if name not in kind.all_metrics}
    for name in requested:
        metric, columns = _find(kind, name)
        columns_of.setdefault(metric, []).extend(column for column in columns if column not in columns_of[metric])
        order += [column for column in columns if column not in order]
    listed = [name for name in kind.all_metrics if name in columns_of]
    in_order = list(columns_of) if not kind.shown else listed
    return Choice({name: tuple(columns_of[name]) for name in in_order}, tuple(order), frozenset(named))


def _find(kind: Kind, name: str) -> tuple[str, list[str]]:
    """The metric of a name, and the columns that it names. Raises UnknownName, UsageError."""
    metric, _, column = name.rpartition(".")
    if not metric and name in kind.all_metrics:
        return name, kind.columns_of_metrics[name]
    if metric:
        if metric not in kind.all_metrics:
            raise _no_metric(kind, metric)
        if column not in kind.columns_of_metrics[metric]:
            raise UnknownName(f"score of {metric}", column, kind.columns_of_metrics[metric])
        return metric, [column]
    having = [metric_name for metric_name in kind.all_metrics if column in kind.columns_of_metrics[metric_name]]
    default = [metric_name for metric_name in having if metric_name in kind.metrics]
    if len(default or having) == 1 or (default and kind.shown):
        return (default or having)[0], [column]
    if having:
        listed = " or ".join(f"{metric_name}.{column}" for metric_name in default or having)
        raise UsageError(f"{column} is a score of several metrics; write {listed}")
    raise _no_metric(kind, name)


def _no_metric(kind: Kind, name: str) -> UnknownName | UsageError:
    """The error of a name that no metric of a kind has. Raises UsageError for a query that is no metric."""
    if name in catalog.names():
        items.find_metric(name)
        return UsageError(f"{name} is not a metric of the kind {kind.name}; these are {', '.join(kind.all_metrics)}")
    known = [*kind.all_metrics, *(column for metric in kind.all_metrics for column in kind.columns_of_metrics[metric])]
    return UnknownName("metric or score", name, dict.fromkeys(known), catalog.note_of_old_name(name))


ALWAYS_READ = ("sent_id", "file", "line")
"""Columns that messages name places by."""

EMPTY_REFERENCES = "empty_references"
"""The parameter that says whether a reference without words, beside others, is one."""


@dataclass(frozen=True, kw_only=True)
class Reading(Options):
    """How files are read. formats: by the name of the role's option; notations: of links, by the role's prefix."""

    formats: Mapping[str, str] = field(default_factory=dict)
    notations: Mapping[str, Notation] = field(default_factory=dict)

    def links_of(self, role: Role) -> Notation:
        """The notation of a role's links."""
        return self.notations.get(role.notation, Notation())

    @property
    def given(self) -> list[str]:
        """The options of the command line that change how files are read; strictness also applies to databases."""
        options = [f"--{name.removesuffix('format').replace('_', '-')}from" for name in self.formats]
        for prefix, notation in self.notations.items():
            option = prefix.replace("_", "-")
            options += [f"--{option}base"] * (notation.base is not None) + [f"--{option}reverse"] * notation.reverse
            options += ["--null-links"] * notation.null_links
        names = ("permissive", "phrases", "symbols", "scores", "ids")
        return list(dict.fromkeys([*options, *(f"--{name}" for name in names if getattr(self, name))]))


@dataclass(frozen=True)
class Input:
    """A file or corpus in its role; system: whose it is, None if it is the same for all systems."""

    role: Role
    path: str
    system: str | None = None


def has_many_files(path: str) -> bool:
    """Whether an input is a folder, or a pattern such as `out/*.conllu`, instead of a file or a device."""
    if path == STANDARD_INPUT or is_readable_file(path):
        return False
    return Path(path).is_dir() or glob.has_magic(path)


@dataclass(frozen=True)
class Task:
    """Inputs and options of an evaluation.

    shared: by role, the inputs that are the same for all systems: files, or corpora of `database`; several for a role
    that may have several. systems: by name, the inputs of each system by role. database: the path of a database, or an
    engine that is open; None for files. metrics: those to score, or scores and counts of them; default_metrics: those
    where it is empty, if options choose them. added: names of additions. tables: statistics whose rows replace the
    scores; matrix: how they become a matrix, None if they do not; limit: maximum number of their rows for a system, or
    of rows of scores; None for all. sort: the column by which rows are sorted before, see `sorting.sort_rows`. wide:
    whether the systems stand side by side, with differences from the system `baseline`, None for the first. parameters:
    of the metrics, except corpora. options: of the kind's hook; prepared: what it has read of what they name, None
    before. read: columns and tables to read in addition to those of the metrics; whole: read all columns. warn: called
    with every warning.
    """

    kind: Kind
    systems: Mapping[str, Mapping[str, str]]
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    database: str | Engine | None = None
    metrics: Sequence[str] = ()
    default_metrics: Sequence[str] = ()
    added: Sequence[str] = ()
    tables: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    by: Sequence[str] = ()
    where: str | None = None
    ci: bool = False
    matrix: MatrixLayout | None = None
    limit: int | None = None
    wide: bool = False
    baseline: str | None = None
    sort: str | None = None
    reading: Reading = field(default_factory=Reading)
    options: Mapping[str, object] = field(default_factory=dict)
    prepared: Any = None
    read: Sequence[str] = ()
    whole: bool = False
    warn: Warn = lambda warning: None

    @cached_property
    def hook(self) -> Hook:
        """What the kind needs beyond its declaration."""
        return hook_of(self.kind)

    @cached_property
    def inputs(self) -> list[Input]:
        """All inputs, each once: those of all systems, then those of each."""
        task_inputs = [Input(role, path) for role in self.kind.shared for path in self.shared.get(role.name, ())]
        for name, roles in self.systems.items():
            task_inputs += [Input(role, roles[role.name], name) for role in self.kind.own if role.name in roles]
        return list(dict.fromkeys(task_inputs))

    @cached_property
    def frames(self) -> list[Frames]:
        """The inputs that are data frames."""
        return [task_input.path for task_input in self.inputs if isinstance(task_input.path, Frames)]

    @property
    def roles(self) -> set[str]:
        """The names of the roles that have inputs."""
        return {task_input.role.name for task_input in self.inputs}

    @cached_property
    def choice(self) -> Choice:
        """The metrics to score, and the columns of each to show. Raises UnknownName, UsageError."""
        return choose_columns(self.kind, self._named() or self.default_names, self.added, by=self.by)

    @cached_property
    def queries(self) -> list[catalog.Query]:
        """The queries that run for every system."""
        return [catalog.query(name) for name in self.tables or self.choice.metrics]

    @property
    def compares_with_first(self) -> bool:
        """Whether its table has rows for the systems but the first one, which they are compared with."""
        return any(parameter.name == kinds.BASELINE for query in self.queries for parameter in query.parameters)

    @property
    def reads_standard_input(self) -> bool:
        """Whether a file is standard input, which can be read only once."""
        return self.database is None and any(task_input.path == STANDARD_INPUT for task_input in self.inputs)

    @property
    def may_hold_treebanks(self) -> bool:
        """Whether an input is a folder, or a pattern of files or corpora."""
        many = glob.has_magic if self.database is not None else has_many_files
        return any(many(task_input.path) for task_input in self.inputs)

    def _named(self) -> Sequence[str]:
        """The names of metrics and columns; a column that several alternatives have is that of the fitting one."""
        shared = [
            name
            for name in self.metrics
            if sum(name in self.kind.columns_of_metrics[metric] for metric in self.kind.metrics) > 1
        ]
        if not (self.kind.alternatives and shared):
            return self.metrics
        metric = _find_alternative(self)
        return [f"{metric}.{name}" if name in shared else name for name in self.metrics]

    @property
    def default_names(self) -> Sequence[str]:
        """The columns and metrics of a kind where none is named."""
        if self.kind.alternatives:
            return [_find_alternative(self)]
        names = self.default_metrics or self.kind.shown or self.kind.metrics or self.kind.all_metrics
        return [
            *names,
            *(name for role in self.kind.roles if role.adds and role.name in self.roles for name in role.adds),
        ]


def check_inputs(task: Task) -> None:
    """Raises UsageError for inputs that cannot be opened, whatever they contain."""
    if not task.systems:
        raise UsageError(
            f"name at least one system: {' '.join(role.written for role in task.kind.own if not role.option)}"
        )
    if task.database is None and [task_input.path for task_input in task.inputs].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    if task.database is not None and task.reading.given:
        raise UsageError(f"options for reading files ({', '.join(task.reading.given)}) cannot be combined with --db")


def check_task(task: Task) -> None:
    """Raises UsageError, UnknownName for a task that is wrong whatever its files contain."""
    check_inputs(task)
    for name in task.tables:
        if name not in task.kind.tables:
            raise UnknownName(f"table of the kind {task.kind.name}", name, task.kind.tables)
    _check_roles(task)
    _check_matrix(task)
    if task.compares_with_first and len(task.systems) < 2:
        raise UsageError(f"{task.tables[0]} compares systems with the first one; name two at least")
    _check_wide(task)
    if task.tables and (task.by or task.where or task.ci or task.metrics):
        raise UsageError("a table has its own rows and columns; --metric, --by, --where and --ci are for scores")
    check_parameters(task)


def check_parameters(task: Task) -> None:
    """Raises UsageError for parameters that no query of a task has, or values that they cannot have."""
    declared = {parameter.name for query in task.queries for parameter in query.parameters}
    unused = [_option(task, name) for name in task.parameters if name not in declared]
    if unused:
        raise not_applicable(unused, ", ".join(query.name for query in task.queries))
    for query in task.queries:
        query.check(task.parameters)


def _option(task: Task, name: str) -> str:
    """The option that gives a parameter its value: the flag that stands for it, or the one of its name."""
    value = task.parameters[name]
    flags = [flag for flag, meaning in task.kind.flags.items() if meaning.parameters.get(name) == value]
    return f"--{(flags or [name])[0].replace('_', '-')}"


def _check_roles(task: Task) -> None:
    """Raises UsageError for roles without inputs that a query needs, and for inputs that none reads."""
    given, queries = task.roles, task.queries
    needed = {parameter.name for query in queries for parameter in query.parameters}
    for role in task.kind.roles:
        needs = role.parameter in needed
        one_lacks_it = role.side == kinds.SYSTEM and any(role.name not in roles for roles in task.systems.values())
        if needs and (role.name not in given or one_lacks_it):
            names = ", ".join(query.name for query in queries if role.parameter in {p.name for p in query.parameters})
            raise UsageError(_missing(role) + (f", which {names} reads" if task.metrics else ""))
        if role.name in given and not needs and not role.checked and role.option and not role.several:
            names = ", ".join(query.name for query in queries)
            raise UsageError(f"{names} does not read {_name(role)}; leave it out, or choose other metrics")


def _check_matrix(task: Task) -> None:
    """Raises UsageError if a matrix is to be made of scores, or of a table that has not two columns and a count."""
    if task.matrix is None:
        return
    if len(task.tables) != 1 or task.queries[0].matrix is None:
        choices = " or ".join(f"--table {name}" for name in task.kind.matrices) or f"none of the kind {task.kind.name}"
        what = f"{task.tables[0]} is no table" if task.tables else "scores are no table"
        raise UsageError(f"{what} of counts of two columns; a matrix (--matrix) is made of one: {choices}")


def _check_wide(task: Task) -> None:
    """Raises UsageError, UnknownName if systems cannot be shown side by side."""
    if not task.wide:
        if task.baseline is not None:
            raise not_applicable(["--baseline"], "scores one below the other, but to systems side by side: --wide")
        return
    if task.tables or task.ci:
        raise UsageError("--wide shows one score of all systems side by side, with p; leave out --ci and tables")
    if "sentence" in task.by:
        raise UsageError("--wide exchanges sentences; a row per sentence leaves nothing to exchange")
    if task.baseline not in (None, *task.systems):
        raise UnknownName("system", str(task.baseline), task.systems)


@dataclass(frozen=True)
class MainScore:
    """The one score of systems side by side, buckets and sentences. count: the count that says how large a group is,
    None for none."""

    query: catalog.Query
    score: Score
    count: str | None

    @property
    def percent(self) -> bool:
        """Whether it is a share."""
        return self.score.unit == "percent"

    @property
    def lower(self) -> bool:
        """Whether lower scores are better."""
        return self.score.direction == "lower"


def find_main_score(task: Task) -> MainScore:
    """The first score that was named, else that of the kind. Raises UsageError where counts alone are named."""
    kind, chosen = task.kind, task.choice
    metric, _, name = (kind.report.score or chosen.metrics[0]).partition(".")
    count = kind.report.count
    first = task.metrics[0] if task.metrics else None
    if metric not in chosen.columns or (first and first != metric):
        metrics = {
            column: metric_name for metric_name in reversed(chosen.metrics) for column in chosen.columns[metric_name]
        }
        ratios = [key for key in chosen.order if key in {score.name for score in catalog.query(metrics[key]).ratios}]
        if not ratios:
            raise UsageError("counts are no score; name one with --metric")
        metric, name = metrics[ratios[0]], ratios[0]
    query = catalog.query(metric)
    score = next(ratio for ratio in query.ratios if not name or ratio.name == name)
    counts = {score_count.name for score_count in query.counts}
    shown_counts = (score_count.name for score_count in query.shown_counts)
    return MainScore(query, score, count if count in counts else next(shown_counts, None))


def _missing(role: Role) -> str:
    return f"name {'at least one' if role.several else 'the'} {role.name}: {_name(role)}"


def _name(role: Role) -> str:
    """A role as the command line has it: `--reference FILE`, or GOLD."""
    return f"--{role.name} {role.written}" if role.option else role.written


def _find_alternative(task: Task) -> str:
    """The first metric that takes the parameters and reads all inputs. Raises UsageError."""
    metrics = [catalog.query(name) for name in task.kind.metrics]
    declared = {query.name: {parameter.name: parameter for parameter in query.parameters} for query in metrics}
    for role in task.kind.roles:
        if role.name not in task.roles and all(role.parameter in known for known in declared.values()):
            raise UsageError(_missing(role))
    taking, others = [], []
    for query in metrics:
        known = declared[query.name]
        refused = [name for name in task.parameters if name not in known]
        refused += [
            f"{name} is {' or '.join(known[name].choices)}"
            for name, value in task.parameters.items()
            if name in known and known[name].choices and value not in known[name].choices
        ]
        if refused:
            others.append(f"in {query.name}, {' and '.join(refused)}")
            continue
        wrong = [
            f"needs {_name(role)}"
            for role in task.kind.roles
            if role.parameter in known and role.name not in task.roles
        ]
        wrong += [
            f"does not read {_name(role)}"
            for role in task.kind.roles
            if role.name in task.roles and role.parameter not in known
        ]
        if not wrong:
            return query.name
        taking.append(f"{query.name} {' and '.join(wrong)}")
    given = " and ".join(f"{name} {value}" for name, value in task.parameters.items())
    raise UsageError(f"{f'with {given}, ' if given else ''}{'; '.join([*taking, *others])}")


def columns_needed(
    task: Task, queries: Sequence[catalog.Query], *, aligning: bool = True
) -> dict[str, frozenset[str]] | None:
    """The columns of the tables that a task may read; None for all. aligning: as for `catalog.columns_read`.

    A condition that contains a query may read any column; a group that is not a column is a morphological feature.
    """
    condition = (task.where or "").lower()
    if task.whole or catalog.contains_query(condition):
        return None
    words = [*ALWAYS_READ, *task.read, *words_named(task)]
    contents = {role.reads for role in task.kind.roles if not role.checked}
    if contents != {"dependency"}:
        words.append("n_words")
    if kinds.WORDS in contents:
        words += ["word", "form", "text"]  # words that look like ids
    if names_feature(task, queries):
        words.append("feats")
    read = catalog.columns_read(with_attributes(task, queries), words, aligning=aligning)
    if kinds.WORDS in contents or any(role.names for role in task.kind.roles):  # ids pair and name, whatever is read
        read["sentences"] = read.get("sentences", frozenset()) | {"sent_id"}
    if any(parameter.name == "weights" for query in queries for parameter in query.parameters):
        entropies = catalog.columns_read([catalog.query("word_entropy")])
        read["words"] = read.get("words", frozenset()) | entropies["words"] - {"lemma"}  # entropies of forms
        read |= {name: entropies[name] | read.get(name, frozenset()) for name in entropies.keys() - {"words"}}
    return read | ({"feature_lists": frozenset({"feats"})} if names_feature(task, queries) else {})


def words_named(task: Task) -> set[str]:
    """The columns of the groups of a task, and the words and columns of its condition."""
    return {*map(column_of, columns_named(task)), *re.findall(r"\w+", (task.where or "").lower())}


def columns_named(task: Task) -> list[str]:
    """The columns that the groups and the condition of a task name, as groups have them."""
    return [*task.by, *names_in_condition(task.where)]


def with_attributes(task: Task, queries: Sequence[catalog.Query]) -> list[catalog.Query]:
    """Queries, and those of the attributes that the groups and the condition of a task name."""
    return [*queries, *queries_named(queries, words_named(task))]


def names_feature(task: Task, queries: Sequence[catalog.Query]) -> bool:
    """Whether a group or a name in the condition is a morphological feature."""
    known = {column.name for query in queries for column in query.columns}
    known.update(name for query in queries for name in attributes_of(query))
    known.update(name for table in ("words", "sentences", "corpora") for name in schemas.table(table).names)
    return any(is_feature(name, known) for name in columns_named(task))


def corpus_names(task: Task) -> dict[Input, str]:
    """The names under which files are loaded; corpora of a database keep theirs.

    A system of one file gives it its name; other files have their own, unless another input has it.
    """
    if task.database is not None:
        for task_input in task.inputs:
            if task_input.role.several and "," in task_input.path:
                raise UsageError(f"the corpus {task_input.path} has a comma in its name; load it under another name")
        return {task_input: task_input.path for task_input in task.inputs}
    single = all(len(roles) == 1 for roles in task.systems.values())
    names_of_files: dict[Input, str] = {}
    for task_input in sorted(task.inputs, key=lambda task_input: task_input.system is None):
        plain = (
            task_input.system
            if single and task_input.system is not None
            else names_of_inputs([task_input.path], before_stars=True)[0]
        )
        names = [plain, f"{task_input.role.name} {plain}", f"{task_input.role.name} {task_input.path}"]
        names += [f"{task_input.role.name} {number} {task_input.path}" for number in range(1, len(task.inputs) + 1)]
        names_of_files[task_input] = next(name for name in names if name not in names_of_files.values())
    for role in task.kind.roles:
        if role.several:
            names_of_files |= _sorted_names(
                {task_input: name for task_input, name in names_of_files.items() if task_input.role == role},
                names_of_files,
            )
    return {task_input: names_of_files[task_input] for task_input in task.inputs}


def _sorted_names(names: Mapping[Input, str], all_names: Mapping[Input, str]) -> dict[Input, str]:
    """Names without commas for the corpora of one role, which sort in the order of the files except for the first."""
    plain = {task_input: name.replace(",", ";") for task_input, name in names.items()}
    listed = list(plain.values())
    taken = {name for task_input, name in all_names.items() if task_input not in names}
    if listed[1:] == sorted(listed[1:]) and len(set(listed)) == len(listed) and taken.isdisjoint(listed):
        return plain
    width = len(str(len(plain)))
    return {
        task_input: f"{task_input.role.name} {at:0{width}} {name}"
        for at, (task_input, name) in enumerate(plain.items(), 1)
    }


@dataclass(frozen=True)
class Inputs:
    """An engine with all corpora of a task, and their names by input.

    installed: values of parameters that the kind's hook has set. plans: by system, how it is scored where the engine
    holds partial sums in place of the corpora's rows. unscored: then, by system, sentences that count for no score;
    aligned: systems whose words are aligned by their characters.
    """

    task: Task
    engine: Engine
    corpora: Mapping[Input, str]
    installed: Mapping[str, str] = field(default_factory=dict)
    plans: Mapping[str, ScoringPlan] = field(default_factory=dict)
    unscored: Mapping[str, Mapping[tuple[str, str], list[int]]] = field(default_factory=dict)
    aligned: frozenset[str] = frozenset()

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.task.systems)

    def of_role(self, role: str, system: str | None = None) -> list[str]:
        """The corpora of a role: those shared by all systems, or those of one system."""
        return [
            name
            for task_input, name in self.corpora.items()
            if task_input.role.name == role and task_input.system == system
        ]

    @property
    def by_role(self) -> list[tuple[Role, str]]:
        """All corpora with their roles, each once."""
        return list(dict.fromkeys((task_input.role, corpus) for task_input, corpus in self.corpora.items()))

    def by_side(self, side: str) -> list[str]:
        """The corpora of the systems, or of the gold standard or references, each once in a role."""
        return [corpus for role, corpus in self.by_role if role.side == side]

    def values(self, system: str, queries: Sequence[catalog.Query] | None = None) -> dict[str, object]:
        """The values of parameters for a system; queries: only those of one of them or of its attributes."""
        values = {**self.task.kind.parameters, **self.task.parameters, **self.installed, **self.corpus_values(system)}
        values |= zip([kinds.BASELINE], self.of_role(self.task.kind.own[0].name, self.systems[0]), strict=False)
        if queries is None:
            return values
        declared = {parameter.name for query in queries for parameter in query.parameters}
        declared.update(name for query in queries for name in further_corpora(query))
        return {name: value for name, value in values.items() if name in declared}

    def corpus_values(self, system: str) -> dict[str, object]:
        """The parameters that name corpora, for a system, and the one that says which of them are references."""
        given = self.task.parameters
        values = {name: given[name] for name in (EMPTY_REFERENCES,) if name in given}
        for role in self.task.kind.roles:
            corpora = self.of_role(role.name, system if role.side == kinds.SYSTEM else None)
            if corpora:
                values[role.corpus] = corpora[0]
            if corpora and role.several:
                values[role.several] = ",".join(corpora[1:])
        return values


def naming_corpus(inputs: Inputs) -> str | None:
    """The corpus whose ids name sentences that have none: of the role that the kind declares, else that of the source
    words for which links were loaded; None where there is neither."""
    task = inputs.task
    named = [corpus for role in task.kind.roles if role.names for corpus in inputs.of_role(role.name)]
    links = [corpus for role in task.kind.roles if role.is_alignment for corpus in inputs.of_role(role.name)]
    if named or not links or task.database is None:
        return next(iter(named), None)
    return link_checks.linked_texts(inputs.engine, links[0])[0]


def notation_of(task: Task, role: Role, form: str) -> Notation:
    """The notation of a role's links in a format; without a base of its own, that of systems' files of this format."""
    notation = task.reading.links_of(role)
    if notation.base is not None or not role.notation:
        return notation
    for task_input in task.inputs:
        if task_input.role.is_alignment and not task_input.role.notation:
            their = task.reading.formats.get(task_input.role.format)
            if task.database is not None or readers.format_of([task_input.path], their, ALIGNMENT) == form:
                return replace(notation, base=task.reading.links_of(task_input.role).base)
    return notation


Unscored = Mapping[tuple[str, str], list[int]]
"""By what is wrong with sentences, and what follows from it, their numbers in order."""

SentencesWith = Callable[[str], list[int]]
"""Returns the sentences in which a count, by its name, is not 0."""


class ScoredSystem(NamedTuple):
    """A system whose scores are summed. metrics: those that are scored; counts: sums of its counts, by name;
    sentences_with: the sentences in which a count is not 0, where that is known already."""

    system: str
    metrics: Sequence[str]
    counts: Mapping[str, Any]
    sentences_with: SentencesWith | None = None


class Hook:
    """The hook of a kind that needs none: nothing is checked, installed or warned of.

    Scores are sums over independent sentences, and large files are scored in blocks of these, unless `precomputed` is
    None.

    explained_by: the queries that `explain` reads, of kinds that explain a sentence.
    """

    explained_by: tuple[str, ...] = ()

    def precomputed(self, queries: Sequence[catalog.Query]) -> tuple[str, ...] | None:
        """The sums by key with the parameter `corpus_name` that `warn` reads, and nothing else of the corpora.

        None if it reads more, so that files are not scored in blocks.
        """
        return ()

    def used_options(self, queries: Sequence[catalog.Query]) -> Set[str]:
        """The options of the hook that these queries depend on, and that are none of their parameters."""
        return frozenset()

    def default_metrics(self, options: Mapping[str, object]) -> Sequence[str]:
        """The metrics that options choose where none is named; empty for those of the kind."""
        return ()

    def check(self, task: Task) -> None:
        """Raise UsageError for options that contradict each other or are out of range."""

    def prepare(self, task: Task) -> Any:
        """Read what options name, before the inputs are open; the result is passed to `install`."""

    def install(self, inputs: Inputs, queries: Sequence[catalog.Query], prepared: Any) -> Mapping[str, str]:
        """Install tables that options name, check the corpora, and return values of parameters."""
        return {}

    def warn(self, inputs: Inputs, queries: Sequence[catalog.Query]) -> None:
        """Warn of what the corpora lack."""

    def find_warnings(
        self, inputs: Inputs, system: str, metrics: Sequence[str], counts: Mapping[str, Any]
    ) -> Iterator[Diagnostic]:
        """Warn of a system's scores. counts: sums of its counts, by name; metrics: those that are scored."""
        in_blocks = system in inputs.plans
        scored = ScoredSystem(system, metrics, counts)
        unscored = inputs.unscored[system] if in_blocks else self.find_unscored(inputs, scored)
        for (what, hint), numbers in unscored.items():
            n = f"{len(numbers)} sentence{'s' if len(numbers) > 1 else ''}"
            yield Diagnostic.warning(
                str(inputs.values(system)["system_corpus"]), 0, f"{n} {what}: {first_names(numbers)} (from 0)", hint
            )

    names_sentences = False
    """Whether `find_unscored` reads `sentences_with`."""

    def find_unscored(self, inputs: Inputs, scored: ScoredSystem) -> Unscored:
        """Sentences that count for no score of a system, of a block or of all."""
        return {}

    def explain(self, inputs: Inputs, sentence: str | int, width: int | None) -> Explanation:
        """Explain the score of a sentence. width: columns of the drawing, None for any."""
        raise UsageError(f"a sentence of the kind {inputs.task.kind.name} cannot be explained")


def hook_of(kind: Kind) -> Hook:
    """The hook of a kind, or of the family of its metrics."""
    for name in (kind.name, *sorted(kind.family - {kind.name})):
        module = f"treesql.evaluation.hooks.{name}"
        if find_spec(module):
            hook: Hook = importlib.import_module(module).HOOK
            return hook
    return Hook()
