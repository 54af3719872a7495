"""Score lattices and translations against references, from files or from corpora of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from treesql import catalog, readers
from treesql.engines import Engine
from treesql.engines.duckdb_files import open_database
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn, not_applicable
from treesql.readers import FIRST, LAST, TEXT, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import scores, selection
from treesql.significance import compare as significance_compare
from treesql.significance import correspondence, intervals
from treesql.significance.comparison import Comparison
from treesql.significance.tests import Counts, Method
from treesql.storage import in_memory, loading

LATTICE = "lattice"

METRICS = {
    LATTICE: (
        "lattice_size", "graph_error", "graph_word_error", "word_set_graph_error", "word_set_graph_error_rate",
        "word_count_distance", "edge_n_grams", "reference_coverage",
    ),
    TEXT: ("edit_operations", "position_independent_errors", "n_gram_matches"),
}  # fmt: skip
"""The metrics of the catalogue by kind of corpus."""

COLUMNS = {
    LATTICE: (
        "lattices", "n_nodes", "n_edges", "density", "ger", "ger_rate", "gwer", "pmed", "proven", "gper", "redundancy",
        "swcd", "swcd_unbounded", "edge_precision_1", "edge_precision_2", "edge_precision_3", "edge_precision_4",
    ),
    TEXT: (
        "hypothesis_words", "reference_words", "wer", "wer_hypothesis", "per", "per_hypothesis", "bleu",
        "n_gram_precision_1", "n_gram_precision_2", "n_gram_precision_3", "n_gram_precision_4", "brevity_penalty",
    ),
}  # fmt: skip
"""The columns that are shown by default."""

COMPARED = {LATTICE: ("ger_rate", "swcd"), TEXT: ("wer", "per", "bleu")}
"""The scores by which systems are compared by default."""

_UNPROVEN = {"unproven": "pmed", "gper_unproven": "gper"}
"""Counts of lattices whose score is not proven, and that score."""

_WARNED_COUNTS = ("undefined_lattices", *_UNPROVEN)
_PARAMETER = {LATTICE: "lattice_corpus", TEXT: "hypothesis_corpus"}
_ALWAYS_READ = ("sent_id", "file", "line", "n_words", "word", "form")


@dataclass(frozen=True)
class TranslationTask:
    """Inputs and options of an evaluation of lattices or translations.

    kind: lattice, or text for translations. systems, references: files, or names of corpora of `database`. columns:
    counts, scores or metrics to show instead of the default. parameters: of the metrics, except corpora. form,
    phrases, symbols, scores: how files of systems are read; ids: position of the id in lines of plain text, for
    references too. ci: add confidence intervals. names: of the systems, by default those of their files or corpora.
    read: columns to read in addition to those of the metrics. warn: called with every warning.
    """

    kind: str
    systems: Sequence[str]
    references: Sequence[str]
    columns: Sequence[str] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    form: str | None = None
    phrases: bool = False
    symbols: str | None = None
    scores: str | None = None
    ids: str | None = None
    ci: bool = False
    names: Sequence[str] = ()
    read: Sequence[str] = ()
    warn: Warn = lambda warning: None


@dataclass(frozen=True)
class TranslationInputs:
    """An engine with all corpora, and the names of systems and references in it."""

    engine: Engine
    systems: Sequence[str]
    references: Sequence[str]

    def values(self, kind: str, system: str) -> dict[str, object]:
        """The corpus parameters of a query for one system."""
        first, *others = self.references or ("",)
        corpora = {"reference_corpus": first, "other_corpora": ",".join(others)} if self.references else {}
        return {_PARAMETER[kind]: system, **corpora}


def evaluate(
    task: TranslationTask,
    check: Callable[[TranslationInputs], object] = lambda inputs: None,
    check_reads: Sequence[str] = (),
) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the corpus or the file's name.

    check: called with all corpora before they are scored; check_reads: queries that name the columns that it reads.
    Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    columns, metrics = select_columns(task.kind, task.columns, task.by)
    queries = [catalog.query(name) for name in metrics]
    declared = _declared(task, queries)
    with open_translation(task, [*queries, *map(catalog.query, check_reads)]) as inputs:
        check(inputs)
        values = [_values(inputs, task, declared, system) for system in inputs.systems]
        parts = [scores.score(inputs.engine, metrics, one, by=task.by, where=task.where) for one in values]
        if task.ci:
            parts = intervals.add_intervals(
                inputs.engine, parts, metrics, values, by=task.by, where=task.where, warn=task.warn
            )
    for system, part in zip(inputs.systems, parts, strict=True):
        rows = part.rows()
        counts = {name: sum(row[name] or 0 for row in rows) for name in _WARNED_COUNTS if name in part.columns}
        for warning in _find_uncertain_scores(system, counts):
            task.warn(warning)
    return _join(inputs.systems, parts, task, columns)


def _join(systems: Sequence[str], parts: Sequence[Result], task: TranslationTask, columns: Sequence[str]) -> Result:
    """The rows of all systems in one table, with the columns to show."""
    groups = [name for name in (task.by, "sent_id") if name in parts[0].columns]
    bounded = [name for column in columns for name in (column, f"{column}_low", f"{column}_high")]
    shown = ["system", *groups, *(name for name in bounded if name in parts[0].columns)]
    tables = [_with_system_column(system, part) for system, part in zip(systems, parts, strict=True)]
    signatures = {
        f"{system}:{name}": text
        for system, part in zip(systems, parts, strict=True)
        for name, text in part.signatures.items()
        if name in columns
    }
    return Result(pa.concat_tables(tables).select(shown), signatures, parts[0].percent)


def compare(task: TranslationTask, names: Sequence[str], method: Method) -> Comparison:
    """Compare all pairs of systems. names: scores or metrics, by default COMPARED. Raises what `evaluate` raises."""
    significance_compare.check_two_systems(task.names or task.systems)
    if len(set(task.names)) < len(task.names):
        raise UsageError("a system is named twice; name each once")
    choice = selection.select_scores(METRICS[task.kind], names or COMPARED[task.kind])
    queries = [query for query, _ in choice]
    declared = _declared(task, queries)
    read = (method.stratum,) if method.stratum else ()

    def find_warnings(system: str, counts: Counts) -> Iterator[Diagnostic]:
        return _find_uncertain_scores(system, counts.totals)

    with open_translation(replace(task, read=read), queries) as inputs:
        names_of_corpora = zip(task.names or inputs.systems, inputs.systems, strict=True)
        systems = {name: _values(inputs, task, declared, corpus) for name, corpus in names_of_corpora}
        return significance_compare.compare(
            inputs.engine, choice, systems, method, where=task.where, find_warnings=find_warnings, warn=task.warn
        )


def select_columns(kind: str, named: Sequence[str], by: str | None = None) -> tuple[list[str], list[str]]:
    """The columns to show, and the metrics that compute them. Raises UnknownName.

    named: columns, or metrics for all their columns; the default ones if empty.
    """
    of = {name: _columns(name) for name in METRICS[kind]}
    default = (*COLUMNS[kind], "bleu_effective") if kind == TEXT and by == "sentence" else COLUMNS[kind]
    columns: list[str] = []
    for name in named or default:
        known = of.get(name) or [name for members in of.values() if name in members][:1]
        if not known:
            raise UnknownName("metric", name, [*of, *(column for members in of.values() for column in members)])
        columns += [column for column in known if column not in columns]
    metrics: list[str] = []
    for column in columns:
        metrics += [next(name for name, members in of.items() if column in members)]
    return columns, [name for name in of if name in metrics]


@contextmanager
def open_translation(
    task: TranslationTask, queries: Sequence[catalog.Query], columns: Sequence[str] = ()
) -> Iterator[TranslationInputs]:
    """Open all corpora with the columns that the queries read. SQL on the engine cannot reach files.

    columns: further columns to read of the tables that the queries read.
    """
    if not task.systems:
        raise UsageError("name at least one file")
    with _open_database(task) if task.database else _open_files(task, queries, columns) as inputs:
        _check_kinds(inputs.engine, task.kind, inputs.systems, inputs.references)
        _check_ids(inputs, task, queries)
        yield inputs


@contextmanager
def _open_database(task: TranslationTask) -> Iterator[TranslationInputs]:
    if task.form or task.phrases or task.symbols or task.scores or task.ids:
        raise UsageError("options for reading files (--from, --phrases, --symbols, ...) cannot be combined with --db")
    if any("," in name for name in task.references[1:]):
        raise UsageError("if there are several references, their corpora cannot have a comma in their names")
    assert task.database
    with open_database(task.database, read_only=True, safe=True) as engine:
        yield TranslationInputs(engine, task.systems, task.references)


@contextmanager
def _open_files(
    task: TranslationTask, queries: Sequence[catalog.Query], columns: Sequence[str]
) -> Iterator[TranslationInputs]:
    if [*task.systems, *task.references].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    systems = list(task.names) or _names(task.systems)
    if len(set(systems)) < len(systems):
        raise UsageError("a file is named twice; name each once")
    references = _reference_names(task.references, systems)
    files = [
        one
        for name, path in zip(systems, task.systems, strict=True)
        for one in loading.plan_loads([path], name, task.form, kind=task.kind)
    ]
    for one in files:
        readers.check_options(one.form, Options(scores=task.scores))
    files += [
        one
        for name, path in zip(references, task.references, strict=True)
        for one in loading.plan_loads([path], name, kind=TEXT)
    ]
    if task.ids in (FIRST, LAST) and not any(one.form == TEXT for one in files):
        raise UsageError(f"--ids {task.ids} is for plain texts, and none of these files is one")
    named = [*_ALWAYS_READ, *columns, *task.read, *catalog.words(f"{task.by or ''} {(task.where or '').lower()}")]
    read = None if catalog.contains_query(task.where) else catalog.columns_read(queries, named)
    if read is not None:  # systems are paired by ids, whatever the queries read
        read["sentences"] = read.get("sentences", frozenset()) | {"sent_id"}
    options = Options(columns=read, phrases=task.phrases, symbols=task.symbols, scores=task.scores, ids=task.ids)
    engine, loaded = in_memory.load_into_memory(files, options)
    with engine:
        for warning in loading.distinct_warnings(loaded):
            task.warn(warning)
        yield TranslationInputs(engine, systems, references)


def _check_ids(inputs: TranslationInputs, task: TranslationTask, queries: Sequence[catalog.Query]) -> None:
    """Raises UsageError where systems have their sentences in different orders. Warns of ids that are read as words."""
    if not any("references_with_ids" in name for query in queries for name, _ in query.statement.expressions):
        return
    corpora = inputs.engine, inputs.systems, inputs.references
    correspondence.check_one_order(*corpora)
    if task.ids is None:
        for warning in correspondence.find_likely_ids(*corpora, read_now=task.database is None):
            task.warn(warning)


def _declared(task: TranslationTask, queries: Sequence[catalog.Query]) -> set[str]:
    """The names of the parameters of queries. Raises UsageError if references are missing or a parameter is unused."""
    declared = {parameter.name for query in queries for parameter in query.parameters}
    if not task.references and "reference_corpus" in declared:
        raise UsageError("name at least one reference: --reference FILE")
    unused = [name for name in task.parameters if name not in declared]
    if unused:
        raise not_applicable(unused, ", ".join(query.name for query in queries))
    return declared


def _values(inputs: TranslationInputs, task: TranslationTask, declared: set[str], system: str) -> dict[str, object]:
    """The values of parameters for one system."""
    values = {**task.parameters, **inputs.values(task.kind, system)}
    return {name: value for name, value in values.items() if name in declared}


def _with_system_column(system: str, part: Result) -> pa.Table:
    """The rows with the name of their system as first column."""
    table = part.arrow()
    return table.add_column(0, "system", pa.array([system] * table.num_rows, pa.string()))


def find_undefined_lattices(system: str, lattices: int) -> Iterator[Diagnostic]:
    """A warning where lattices have empty references."""
    if lattices:
        what = "lattice has an empty reference" if lattices == 1 else "lattices have empty references"
        yield Diagnostic.warning(
            system, 0, f"{lattices} {what}, for which swcd is not defined", "it is that of the others"
        )


def _find_uncertain_scores(system: str, counts: Mapping[str, float]) -> Iterator[Diagnostic]:
    """Warnings of lattices whose scores are not defined, or not proven. counts: sums by the name of the count."""
    yield from find_undefined_lattices(system, int(counts.get("undefined_lattices", 0)))
    for name, score in _UNPROVEN.items():
        unproven = int(counts.get(name, 0))
        if unproven:
            what = f"{score} of {unproven} lattice{'s' if unproven > 1 else ''} is the best found, and not proven"
            how = f"treesql score lattice --by sentence --metrics {score},{name}"
            yield Diagnostic.warning(system, 0, what, f"`{how}` shows which")


def _columns(metric: str) -> list[str]:
    query = catalog.query(metric)
    return [*(column.name for column in query.counts if column.shown), *(score.name for score in query.scores)]


def _check_kinds(engine: Engine, kind: str, systems: Sequence[str], references: Sequence[str]) -> None:
    """Raises UnknownName if a corpus does not exist, UsageError if it is of another kind than what is scored."""
    kinds = dict(engine.rows("SELECT corpus, kind FROM corpora"))
    for corpus in (*systems, *references):
        if corpus not in kinds:
            raise UnknownName("corpus", corpus, kinds)
    for corpus in systems:
        if (kinds[corpus] == LATTICE) != (kind == LATTICE):
            scored = "lattices" if kind == LATTICE else "texts"
            raise UsageError(f"{corpus} is of the kind {kinds[corpus]}, and these scores are of {scored}")
    for corpus in references:
        if kinds[corpus] in (LATTICE, "alignment"):
            raise UsageError(f"{corpus} is of the kind {kinds[corpus]}; references are texts")


def _names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths if two names are equal."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _reference_names(paths: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Distinct names for references that sort in the order of the files, except for the first."""
    names = [name.replace(",", ";") for name in _names(paths)]
    distinct = len(set(names)) == len(names) and not set(names) & set(taken)
    if distinct and names[1:] == sorted(names[1:]):
        return names
    width = len(str(len(names)))
    return [f"reference {number:0{width}} {name}" for number, name in enumerate(names, 1)]
