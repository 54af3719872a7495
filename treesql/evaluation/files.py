"""Score, compare and explain files, or corpora of a database that is named by its path: requests in the words of the
command line and of Python -> tasks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import kinds, schemas
from treesql.catalog.kinds import SENSES, Kind, Role
from treesql.engines import Engine
from treesql.errors import (
    Diagnostic,
    InvalidInput,
    UnknownName,
    UsageError,
    is_for_command_line,
    issue,
    not_applicable,
    shortened,
)
from treesql.evaluation.evaluate import compare as compare_systems
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Reading, Task, check_task, hook_of
from treesql.readers import LATTICE, TEXT, Notation
from treesql.readers.frames import pair_sentences
from treesql.results.matrix import MatrixLayout
from treesql.results.result import Explanation, Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import check_type, convert_errors, shown
from treesql.scoring.sorting import column_to_sort_by, sort_rows
from treesql.significance.methods import AVERAGES, RUNS, SEED, Method
from treesql.storage import corpus_plans
from treesql.storage.corpus_plans import Buffer, Frame, Readable, names_of_inputs

if TYPE_CHECKING:
    from treesql.significance.comparison import Comparison


Systems = str | Path | bytes | Readable | Sequence[Any] | Frame | Mapping[str, Any]
"""Systems: files or corpora, or by name; of a system with several roles a sequence of them in order, or by role.

In place of a file also bytes, an open file, a list of sentences in the notation of the role's format, data frames."""

Names = str | Sequence[str]
"""Names, in a text separated by commas."""

Files = str | Path | Sequence[str | Path]
"""A file, or several."""

OUTPUT = ("metric", "table", "with_", "matrix", "share", "sort", "limit", "wide", "baseline")
"""Keywords of all kinds that choose what is returned."""

COMMON = (
    "systems", "db", *OUTPUT, "by", "where", "ci", "test", "runs", "seed", "correction", "stratum", "max_sentence",
)  # fmt: skip
"""Keywords of all kinds."""

PLAIN = ("permissive", "strict", "phrases", "symbols", "ids")
"""Options of reading that are the same for all roles."""

BETWEEN_INPUTS = " + "
"""Stands between the files of a system that is named after several."""

SCORE_SENSE = "score_sense"
"""The option of lattices in data frames that says what the scores of their edges are, of catalog.kinds.SENSES."""

SWITCHES = ("permissive", "strict", "phrases", "null_links")
"""Options of reading that are on or off, besides `reverse` of every notation."""


@convert_errors
def score(
    kind: str,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    metric: Names = (),
    table: Names = (),
    with_: Names = (),
    by: Names | None = (),
    where: str | None = None,
    ci: bool = False,
    matrix: bool = False,
    share: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    wide: bool = False,
    baseline: str | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Result:
    """Score systems, a row per system: `score("dependency", "gold.conllu", "a.conllu", "b.conllu")`.

    kind: as of `treesql score KIND`; treesql.kinds() describes them. inputs: files in the order of the command, `gold`
    and then the systems, or by name: `score("dependency", gold="gold.conllu", systems=["a.conllu", "b.conllu"])`.
    systems: files, or a mapping of names to files, which may also be the last of the inputs; of a system with several
    files a sequence, or a mapping of roles. Folders or patterns in place of files are paired by the names of their
    files: a row per treebank, then `macro` and `micro`. db: a database, whose corpora are named
    in place of files. metric: metrics, or scores and counts of them; table: statistics to return instead; with_:
    additions of the kind. by: a row for every combination of columns, `"upos,n_words/10"`: `sentence`, columns of
    items, gold words, sentences or corpora, their attributes, morphological features, or comments of sentences
    (`meta.speaker`), of numbers also bins; where: an SQL condition on these; ci: add 95% intervals. matrix: the
    table as a matrix with totals, of the `limit` most frequent values and `other`; share: of its row, its column or
    all, instead of counts. sort: a column, or a count of the metrics that is not shown, by which rows are sorted:
    groups ascending, counts and scores descending, `-COLUMN` the other way round; averages stay below treebanks, sorted
    likewise. limit: maximum number of rows after that, of treebanks and of each average; of tables for every system.
    wide: one score of all systems side by side, a row per group or treebank and one of all, with differences from the
    system `baseline`, the first if left out, and their p as of `compare`, corrected by Holm's method for all of the
    table. max_sentence: maximum size of a sentence in files.
    given: further roles (gold, reference, ...), parameters of the metrics (punctuation="form"), and options of the
    kind, as on the command line, with `format` for --from. Warns with TreesqlWarning. Raises UsageError, UnknownName,
    InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    evaluated_kind = kinds.kind(kind)

    def task_of(values: Mapping[str, Any], metric: Names) -> Task:
        return make_task(
            evaluated_kind, systems, values, _path(db), metric=metric, table=table, with_=with_, by=by,
            where=where, ci=ci, matrix=matrix, share=share, sort=sort, limit=limit, wide=wide, baseline=baseline,
            inputs=inputs,
        )  # fmt: skip

    with readers.max_sentence(max_sentence):
        return score_each(evaluated_kind, given, metric, task_of)


@convert_errors
def compare(
    kind: str,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    metric: Names = (),
    with_: Names = (),
    where: str | None = None,
    test: str = "shuffling",
    runs: int = RUNS,
    seed: int = SEED,
    correction: str = "holm",
    stratum: str | None = None,
    ci: bool = True,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Comparison:
    """Compare all pairs of systems: `compare("dependency", "gold.conllu", "a.conllu", "b.conllu")`.

    metric: scores, or metrics for all their scores; the main ones of the kind if left out. test: shuffling, bootstrap,
    mcnemar, mcnemar-chi2 or mcnemar-mid-p, with runs and seed; correction: holm, bonferroni, bh, by or none. stratum: a
    column of sentences, bins of one, or a comment; those with one value are exchanged together. ci: whether to draw 95%
    intervals, too. Everything else as for `score`.
    """
    with readers.max_sentence(max_sentence):
        evaluated_kind = kinds.kind(kind)
        task = make_task(
            evaluated_kind, systems, given, _path(db), inputs=inputs, metric=metric, with_=with_, where=where
        )
        return compare_task(task, Method(test, runs, seed, correction, stratum, ci))


@convert_errors
def explain(
    kind: str,
    sentence: str | int,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    width: int | None = None,
    max_sentence: int | str | None = None,
    **given: Any,
) -> Explanation:
    """Explain the score of a sentence of one system: `explain("paths", "s1", "r.conllu", "h.conllu", "links.align")`.

    sentence: its sent_id, or its number, from 0: 2 or "#2". width: columns of the drawing; None for any. Everything
    else as for `score`; what is explained is what the kind's default metrics count.
    """
    evaluated_kind = kinds.kind(kind)
    if not evaluated_kind.explains:
        known = ", ".join(other.name for other in kinds.all_kinds().values() if other.explains)
        raise UsageError(f"sentences of the kind {kind} cannot be explained; those of {known} can")
    with readers.max_sentence(max_sentence):
        task = make_task(evaluated_kind, systems, given, _path(db), inputs=inputs)
        check_task(task)
        if db is None and task.may_hold_treebanks:
            raise UsageError("one sentence of one file is explained; name files instead of folders or patterns")
        if len(task.systems) > 1:
            raise UsageError("one system is explained at a time; name one")
        with open_inputs(task, [catalog.query(name) for name in task.hook.explained_by]) as opened:
            return task.hook.explain(opened, sentence, width)


def _path(db: str | Path | None) -> str | None:
    return None if db is None else str(db)


def score_each(
    kind: Kind, given: Mapping[str, Any], metric: Names, task_of: Callable[[Mapping[str, Any], Names], Task]
) -> Result:
    """The rows of a task, or of one for each of several values of a parameter, which then has a column.

    task_of: the task of these options and metrics. Raises UsageError.
    """
    several = {name: given[name] for name in kind.several if isinstance(given.get(name), list | tuple)}
    if not several:
        return score_task(task_of(given, metric))
    [(name, values)] = several.items()
    others = {key: value for key, value in given.items() if key != name}
    if len(values) == 1:
        return score_task(task_of({**others, name: values[0]}, metric))
    shown = kind.several[name]
    option = f"--{name.replace('_', '-')}"
    task = task_of(others, metric)
    if not (task.tables or task.metrics):
        task = task_of(others, [*shown.metrics, shown.compared])
    _check_values(option, values, task)
    declared = {parameter.name for query in task.queries for parameter in query.parameters}
    if name not in declared:
        raise not_applicable([option], ", ".join(query.name for query in task.queries))
    first = {shown.first: values[0]} if shown.first in declared else {}
    task, hidden = _with_column_to_sort_by(task, (name,))
    results = {
        value: _score_rows(replace(task, parameters={**task.parameters, name: value, **first})) for value in values
    }
    return _arrange(task, _with_values(name, results), hidden)


def _check_values(option: str, values: Sequence[Any], task: Task) -> None:
    """Raises UsageError for values that have no row each."""
    if task.wide:
        raise UsageError(f"--wide shows the scores of one {option}; give one value")
    if not values:
        raise UsageError(f"{option} is an empty list; give one value, or several")
    for value in values:
        if list(values).count(value) > 1:
            raise UsageError(f"{option} {value} is given twice; name each once")
    if not task.database and task.reads_standard_input:
        raise UsageError(f"several {option} read inputs again, and standard input can be read only once; name files")


def _with_values(name: str, results: Mapping[Any, Result]) -> Result:
    """Results with the same columns, one below the other, with the values that they are of behind the system."""
    first = next(iter(results.values()))
    at = first.columns.index("system") + 1
    tables = [
        result.arrow().add_column(at, name, pa.array([str(value)] * len(result), pa.string()))
        for value, result in results.items()
    ]
    signatures = {
        f"{value}:{column}": text for value, result in results.items() for column, text in result.signatures.items()
    }
    return Result(pa.concat_tables(tables), signatures, first.percent, first.directions)


def score_task(task: Task) -> Result:
    """The rows of a task, as it sorts them; if its inputs hold many files or corpora, of all treebanks and averages."""
    task, hidden = _with_column_to_sort_by(task)
    return _arrange(task, _score_rows(task), hidden)


def _with_column_to_sort_by(task: Task, added: Sequence[str] = ()) -> tuple[Task, frozenset[str]]:
    """The task, which also scores the column that its rows are sorted by, and the columns that are there for that
    alone. added: columns that its rows get. Raises UnknownName."""
    if task.sort is None or task.tables or task.wide:
        return task, frozenset()
    name = column_to_sort_by(task.sort)
    displayed = task.choice.order
    groups = ["system", *added, *(["treebank"] if task.may_hold_treebanks else []), *task.by]
    groups += ["sent_id"] if "sentence" in task.by else []
    bounds = [f"{score}{end}" for score in displayed for end in ("_low", "_high")] if task.ci else []
    if name in (*displayed, *groups, *bounds):
        return task, frozenset()
    counts = [count.name for query in task.queries for count in query.shown_counts]
    if name not in counts:
        raise UnknownName("column to sort by", name, dict.fromkeys([*groups, *displayed, *counts]))
    with_count = replace(task, metrics=[*(task.metrics or task.default_names), name])
    return with_count, frozenset(with_count.choice.order).difference(displayed)


def _arrange(task: Task, result: Result, hidden: Collection[str]) -> Result:
    """The rows of scores as a task sorts and limits them, without hidden columns; averages stay below treebanks."""
    if task.tables or (task.sort is None and task.limit is None):
        return result
    rows, keys = result.arrow(), frozenset(task.by)
    parts = [rows]
    if task.wide:
        parts = [rows[:-1], rows[-1:]]  # that of all stays below
    elif task.may_hold_treebanks and "treebank" in rows.column_names:
        names = rows["treebank"]
        parts = [rows.filter(pc.invert(pc.is_in(names, value_set=pa.array(AVERAGES))))]
        parts += [rows.filter(pc.equal(names, average)) for average in AVERAGES]
    rows = pa.concat_tables([sort_rows(part, task.sort, keys, task.limit) for part in parts])
    columns = [name for name in rows.column_names if name.removesuffix("_low").removesuffix("_high") not in hidden]
    cited = {name: text for name, text in result.signatures.items() if name.rpartition(":")[2] not in hidden}
    return replace(result, _table=rows.select(columns), signatures=cited)


def _score_rows(task: Task) -> Result:
    """The rows of a task in the usual order."""
    treebanks = _split_by_treebank(task)
    if treebanks is None:
        return evaluate(task)
    from treesql.evaluation.treebanks import evaluate_treebanks  # here, for single files need no averages

    return evaluate_treebanks(task, treebanks)


def compare_task(task: Task, method: Method) -> Comparison:
    """The comparison of a task's systems, likewise."""
    treebanks = _split_by_treebank(task)
    if treebanks is None:
        return compare_systems(task, method)
    from treesql.evaluation.treebanks import compare_treebanks  # here, as above

    return compare_treebanks(task, treebanks, method)


def _split_by_treebank(task: Task) -> dict[str, Task] | None:
    """A task for every treebank by its name; None if the inputs are single ones."""
    if not task.may_hold_treebanks:
        return None
    from treesql.evaluation.paired_files import split_by_treebank  # here, as above

    return split_by_treebank(task)


def make_task(
    kind: Kind,
    systems: Systems,
    given: Mapping[str, Any],
    database: str | Engine | None = None,
    *,
    inputs: Sequence[Systems] = (),
    metric: Names = (),
    table: Names = (),
    with_: Names = (),
    by: Names | None = (),
    where: str | None = None,
    ci: bool = False,
    matrix: bool = False,
    share: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    wide: bool = False,
    baseline: str | None = None,
) -> Task:
    """The task of a request. given: roles, parameters, options and flags of the kind; inputs: roles by their order.

    Raises UsageError, UnknownName.
    """
    remaining = {name: value for name, value in given.items() if value is not None}
    by_order, systems = _name_inputs(kind, inputs, systems, remaining)
    remaining |= by_order
    input_paths = _InputPaths(kind, remaining, database is not None)
    _check_types(kind, remaining)
    flags = [name for name in list(remaining) if name in kind.flags and remaining.pop(name)]
    parameters = {name: remaining.pop(name) for name in list(remaining) if name in kind.declared}
    _add_parameters(kind, flags, parameters)
    tables = split(table) + [flag.table for name in flags if (flag := kind.flags[name]).table]
    added = split(with_) + [flag.with_ for name in flags if (flag := kind.flags[name]).with_]
    tables, added = _choose_output(kind, tables, added, split(metric), flags)
    shared, own_roles = input_paths.by_role(remaining)
    remaining = {name: value for name, value in remaining.items() if name not in shared.keys() | own_roles.keys()}
    reading = _reading(kind, remaining)
    options = {name: remaining.pop(name) for name in list(remaining) if name in kind.options}
    if remaining:
        known = [*(role.name for role in kind.roles), *kind.declared, *kind.reading, *kind.options, *kind.flags]
        raise UnknownName(f"option of the kind {kind.name}", next(iter(remaining)), [*known, *COMMON])
    task = Task(
        kind, _systems(kind, systems, own_roles, input_paths), shared, database, metrics=split(metric),
        default_metrics=hook_of(kind).default_metrics(options), added=added, tables=tables, parameters=parameters,
        by=split_groups(by), where=where, ci=ci, matrix=_layout(matrix, share, sort, limit), sort=sort,
        limit=None if matrix else limit, wide=wide, baseline=baseline, reading=reading, options=options,
        warn=issue,
    )  # fmt: skip
    if task.frames:
        pair_sentences(task.frames)
    return task


def with_inputs(task: Task, system: str, inputs: Mapping[str, Any], options: Mapping[str, Any]) -> Task:
    """A task with other inputs, which its one system has. inputs: by role; options: of the task's request.

    Raises UsageError.
    """
    given = {name: value for name, value in inputs.items() if value is not None}
    shared, own = _InputPaths(task.kind, options, loaded=False).by_role(given)
    task = replace(task, systems={system: own}, shared=shared)
    if task.frames:
        pair_sentences(task.frames)
    return task


def _add_parameters(kind: Kind, flags: Sequence[str], parameters: dict[str, Any]) -> None:
    """Add the parameters that flags stand for. Raises UsageError for those that are given with another value."""
    for name in flags:
        for parameter, value in kind.flags[name].parameters.items():
            if parameters.setdefault(parameter, value) != value:
                raise UsageError(
                    f"--{name} and {parameter} {parameters[parameter]} exclude each other; give one of them"
                )


def _check_types(kind: Kind, given: Mapping[str, Any]) -> None:
    """Raises UsageError for flags that are not on or off, and for options of the kind's hook that are no files."""
    for name, value in given.items():
        if (name in kind.flags or _is_switch(kind, name)) and not isinstance(value, bool):
            raise UsageError(f"{name} is {value!r}; it is True or False")
        if name in kind.options:
            check_type(name, value, Files if kind.options[name].multiple else str | Path)


def _name_inputs(
    kind: Kind, inputs: Sequence[Systems], systems: Systems, given: Mapping[str, Any]
) -> tuple[dict[str, Any], Systems]:
    """The inputs that are named by their order, by role, and the systems. Raises UsageError.

    inputs: the roles of the kind that are no options, in its order, without those that are given by name, nor those of
    systems where these are. Of a kind whose systems have one input each, the last ones are a system each. A list or a
    mapping at the end is all systems.
    """
    _check_named(systems)
    at_end = bool(inputs) and not systems and not isinstance(inputs[-1], str | Path)
    if at_end:
        *inputs, systems = inputs
        _check_named(systems)
    own_roles = [role for role in kind.own if not role.option]
    roles = [role for role in kind.roles if not role.option and role.name not in given]
    if systems:
        roles = [role for role in roles if role not in own_roles]
    several = len(own_roles) == 1 and own_roles[0] in roles
    nothing = not (inputs or systems or given)
    if len(inputs) > len(roles) and at_end:
        raise UsageError(f"a list at the end is the files of all systems; what is in memory has no name, so {_NAMED}")
    if len(inputs) > len(roles) and systems:
        raise UsageError(f"give systems as {' '.join(role.written for role in own_roles)}, or with --system, not both")
    if (len(inputs) < len(roles) and (inputs or nothing)) or (len(inputs) > len(roles) and not several):
        role_names = " ".join(role.written for role in roles) + "..." * several
        missing = [role.written for role in roles[len(inputs) :]]
        if missing:
            raise UsageError(f"{', '.join(missing)} is missing; name {role_names or 'systems alone'}")
        extra = inputs[len(roles)]
        what = f"{extra if isinstance(extra, str | Path) else shown(extra)} is one too many"
        raise UsageError(f"{what}; name {role_names or 'systems alone'}")
    by_role: dict[str, Any] = dict(zip((role.name for role in roles), inputs, strict=False))
    if several and inputs:
        del by_role[own_roles[0].name]
        return by_role, list(inputs[len(roles) - 1 :])
    return by_role, systems


def _choose_output(
    kind: Kind, tables: list[str], added: list[str], metrics: Sequence[str], flags: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The tables to show, and the additions to the default metrics. Raises UsageError for several choices."""
    if len(tables) > 1 or (tables and metrics):
        by_flag = {flag.table: f"--{name}" for name, flag in kind.flags.items() if flag.table and name in flags}
        named = [by_flag.get(table, f"--table {table}") for table in tables] + [f"--metric {name}" for name in metrics]
        raise UsageError(f"{' and '.join(named)} each choose the output: a table, or scores; give one of them")
    if added and metrics:
        raise UsageError("--with adds to the default metrics, --metric replaces them; give one of them")
    if not (tables and added):
        return tables, added
    [table] = tables
    more = [kind.with_[name].tables[table] for name in added if name in kind.with_ and table in kind.with_[name].tables]
    if not more:
        raise UsageError(f"--with {added[0]} adds to the default scores, and {table} is a table; give one of them")
    return [table, *more], []


def _is_switch(kind: Kind, name: str) -> bool:
    """Whether an option of reading is on or off."""
    return name in kind.reading and (name in SWITCHES or name.endswith("reverse"))


_AT_COMMAS = re.compile(r'(?:"[^"]*"|[^,"]|")+')
"""Names between commas; those inside quotation marks belong to a name."""


def split(names: Names) -> list[str]:
    """Names, also those separated by commas. Raises UsageError for what is no text, or empty."""
    listed = [] if names == "" else [names] if isinstance(names, str) else names
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) and name for name in listed):
        empty = isinstance(listed, Sequence) and "" in listed
        what = "a name is empty" if empty else f"{names!r} is not text"
        raise UsageError(f"{what}; write a name, or several with commas between")
    return [name.strip() for listing in listed for name in _AT_COMMAS.findall(listing) if name.strip()]


def split_groups(by: Names | None) -> tuple[str, ...]:
    """Names of groups, also those separated by commas. Raises UsageError where there is none in what is given."""
    groups = () if by is None else tuple(split(by))
    if by and not groups:
        raise UsageError(f"by is {by!r}; name a column, or several with commas between")
    return groups


def _layout(matrix: bool, share: str | None, sort: str | None, limit: int | None) -> MatrixLayout | None:
    """How a table becomes a matrix; None if it stays as it is. Raises UsageError."""
    if matrix and sort is not None:
        raise not_applicable(["--sort"], "a matrix, whose values are sorted by their counts")
    if matrix:
        return MatrixLayout(share, limit)
    if share is not None:
        raise not_applicable(["--share"], "scores and tables, but to a matrix: --matrix")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise UsageError(f"limit is {limit!r}; name a whole number of rows, 1 or more")
    return None


class _InputPaths:
    """The inputs of a request as paths, and what is given in memory in their place.

    options: of the request, of which some are formats. loaded: whether corpora of a database are named.
    """

    def __init__(self, kind: Kind, options: Mapping[str, Any], loaded: bool) -> None:
        self.kind, self.loaded = kind, loaded
        self._formats = {role.name: options.get(role.format) or kind.usual_format for role in kind.roles}

    def by_role(self, given: Mapping[str, Any]) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
        """The inputs by role: those that all systems share, and those of the only system. Raises UsageError."""
        shared = {role.name: self.paths(role, given[role.name]) for role in self.kind.shared if role.name in given}
        own = {role.name: self.paths(role, given[role.name])[0] for role in self.kind.own if role.name in given}
        return shared, own

    def path(self, role: Role, value: Any, name: str) -> str:
        """One input of a role. name: by which messages cite what is given in memory. Raises UsageError."""
        if self.loaded:
            return corpus_plans.as_corpus(value, name)
        return corpus_plans.as_path(value, name, _content_of(role), self._formats[role.name])

    def is_one(self, value: Any) -> bool:
        """Whether a value is one input, and not a sequence of several."""
        return isinstance(value, str | Path) or (not self.loaded and corpus_plans.is_in_memory(value))

    def paths(self, role: Role, value: Any) -> tuple[str, ...]:
        """The inputs of a role. Raises UsageError for several where one is expected."""
        if self.is_one(value) or not isinstance(value, Sequence) or isinstance(value, Buffer):
            return (self.path(role, value, role.name),)
        if not value and role.side == kinds.SYSTEM:
            raise UsageError(f"{role.name} is an empty list; name a file or corpus")
        if len(value) > 1 and not role.several:
            several = f"{len(value)} are given{corpus_plans.other_than_texts(value)}"
            raise UsageError(f"{role.name} is one file or corpus, and {several}")
        return tuple(self.path(role, item, f"{role.name} {number}") for number, item in enumerate(value, start=1))


def _content_of(role: Role) -> str:
    """The kind of corpora that a role reads; a text where it reads any with words."""
    return TEXT if role.reads == kinds.WORDS else role.reads


def _reading(kind: Kind, given: dict[str, Any]) -> Reading:
    """How files are read; takes the options out of what is given. Raises UsageError."""
    options = {name: given.pop(name) for name in list(given) if name in kind.reading}
    sense = given.pop(SCORE_SENSE, None) if any(role.reads == LATTICE for role in kind.roles) else None
    if sense not in (None, *SENSES):
        raise UnknownName("kind of scores", str(sense), SENSES)
    roles = {role.format: role for role in kind.roles}
    formats = {name: str(options[name]) for name in roles if options.get(name)}
    prefixes = dict.fromkeys(role.notation for role in kind.roles if role.is_alignment)
    notations = {}
    for prefix in prefixes:
        base = options.get(f"{prefix}base")
        if base is not None and str(base) not in ("0", "1"):
            raise UsageError(f"{prefix}base is {base!r}; it is 0 or 1")
        reverse, nulls = bool(options.get(f"{prefix}reverse")), bool(options.get("null_links"))
        notations[prefix] = Notation(None if base is None else int(base), reverse, nulls)
    plain = {name: options[name] for name in PLAIN if options.get(name)}
    if "symbols" in plain:
        plain["symbols"] = str(plain["symbols"])
    return Reading(formats=formats, notations=notations, scores=sense, **plain)


def _check_named(systems: Systems) -> None:
    """Raises UsageError for a system that is data frames, and has no name."""
    named = isinstance(systems, Mapping) and (len(systems) == 1 or not {*systems} <= {*schemas.all_tables()})
    if corpus_plans.is_framed(systems) and not named:
        raise UsageError(f"what is in memory has no name; {_NAMED}")


_NAMED = 'name the systems: systems={"NAME": ...}'


def _systems(
    kind: Kind, systems: Systems, own_inputs: Mapping[str, str], input_paths: _InputPaths
) -> dict[str, dict[str, str]]:
    """The inputs of the systems by name and role. Raises UsageError.

    own_inputs: inputs of roles that were given by the role's name: those of the only system.
    """
    if isinstance(systems, str | Path):
        systems = [systems]
    if isinstance(systems, Buffer) or not isinstance(systems, Sequence | Mapping):
        what = "name a file or corpus, several in a list, or a mapping of names to files, or to what is in memory"
        raise UsageError(f"systems is {shown(systems)}; {what}")
    if isinstance(systems, Mapping):
        parts = [_parts(kind, system, input_paths, str(name)) for name, system in systems.items()]
    else:
        parts = [_parts(kind, system, input_paths) for system in systems]
    if own_inputs:
        if len(parts) > 1:
            what = f"each system has its own {', '.join(own_inputs)}"
            raise UsageError(f"{what}: name it with the system, --system {kind.written_system}")
        given = parts[0] if parts else {}
        twice = [name for name in own_inputs if name in given]
        if twice:
            raise UsageError(f"{', '.join(twice)} is given by name and with the system; give it once")
        parts = [{**given, **own_inputs}]
    if isinstance(systems, Mapping) and systems:
        return dict(zip(map(str, systems), parts, strict=True))
    names = _names(kind, parts, input_paths.loaded)
    if len(set(names)) < len(names):
        raise UsageError("a system is named twice; name each once")
    return dict(zip(names, parts, strict=True))


def _parts(kind: Kind, system: Any, input_paths: _InputPaths, called: str | None = None) -> dict[str, str]:
    """The inputs of a system by role. called: its name; without one, it is in files. Raises UsageError."""
    roles = {role.name: role for role in kind.own}
    needed = [role for role in kind.own if not role.option]
    if isinstance(system, Mapping) and not corpus_plans.is_framed(system):
        for name in system:
            if name not in roles:
                raise UnknownName(f"role of a system of the kind {kind.name}", name, roles)
        inputs: Sequence[tuple[str, Any]] = list(system.items())
    elif (
        not isinstance(system, Sequence)
        or isinstance(system, str | Path | Buffer)
        or (input_paths.is_one(system) and (len(needed) == 1 or not isinstance(system, list | tuple)))
    ):
        inputs = list(zip(roles, [system], strict=False))
    else:
        if not system or len(system) > len(roles):
            several = f"{len(system)} are given{corpus_plans.other_than_texts(system)}"
            raise UsageError(f"a system of the kind {kind.name} is {kind.written_system}, and {several}")
        inputs = list(zip(roles, system, strict=False))
    if called is None and any(not isinstance(one, str) and corpus_plans.is_in_memory(one) for _, one in inputs):
        raise UsageError(f"what is in memory has no name; {_NAMED}")
    sentence = next((value for _, value in inputs if corpus_plans.is_sentence(value)), None)
    if called is None and sentence is not None and not input_paths.loaded and not is_for_command_line():
        hint = 'sentences are of a system with a name: systems={"a": [...]}'
        raise InvalidInput([Diagnostic.error(shortened(sentence), 0, "there is no such file", hint)])
    alone = len(inputs) == 1
    return {
        role: input_paths.path(roles[role], value, (called or role) if alone else f"{called} {role}")
        for role, value in inputs
    }


def _names(kind: Kind, systems: Sequence[Mapping[str, str]], loaded: bool) -> list[str]:
    """The names of systems that were given without: those of their files, or corpora; numbers where a role lacks."""
    roles: Collection[str] = kind.named_by or [kind.own[0].name]
    of_roles = [[system[role] for system in systems if role in system] for role in roles]
    if any(len(paths) < len(systems) for paths in of_roles):
        return [str(number) for number in range(1, len(systems) + 1)]
    of_files = [paths if loaded else names_of_inputs(paths, before_stars=True) for paths in of_roles]
    return [BETWEEN_INPUTS.join(parts) for parts in zip(*of_files, strict=True)]
