"""Lattices and translations against one or several references, from files or from the corpora of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from treesql import catalog, readers
from treesql.drawing.lattices import DrawnEdge
from treesql.engines.duckdb import open_connection
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.readers import FIRST, LAST, TEXT, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import scores, selection, statistics
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
"""By what is scored, the metrics of the catalogue for it."""

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
"""The columns that are shown if none are named."""

COMPARED = {LATTICE: ("ger_rate", "swcd"), TEXT: ("wer", "per", "bleu")}
"""The scores by which systems are compared if none are named."""

_UNPROVEN = {"unproven": "pmed", "gper_unproven": "gper"}
"""For how many lattices a score is not proven, and the score."""

_LOOKED_AT = ("undefined_lattices", *_UNPROVEN)
_PARAMETER = {LATTICE: "lattice_corpus", TEXT: "hypothesis_corpus"}
_ALWAYS_READ = ("sent_id", "file", "line", "n_words", "word", "form")


@dataclass(frozen=True)
class TranslationTask:
    """What to score, and how.

    kind: lattice, or text for translations. systems, references: files, or names of corpora of `database`. columns:
    counts, scores or metrics to show, instead of the usual. parameters: of the metrics, corpora left out. form,
    phrases, symbols, scores: how files of systems are read; ids: where ids of plain texts stand, in references too.
    ci: intervals beside the scores. names: what the systems are called, if not by their files or corpora. read: columns
    that are needed beside those of the metrics. warn: called with everything that is worth a look.
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
    """A connection that holds all corpora, and what systems and references are called in it."""

    connection: duckdb.DuckDBPyConnection
    systems: Sequence[str]
    references: Sequence[str]

    def values(self, kind: str, system: str) -> dict[str, object]:
        """The corpora of a system's query."""
        first, *others = self.references or ("",)
        corpora = {"reference_corpus": first, "other_corpora": ",".join(others)} if self.references else {}
        return {_PARAMETER[kind]: system, **corpora}


def evaluate(
    task: TranslationTask, look: Callable[[TranslationInputs], object] = lambda found: None, needed: Sequence[str] = ()
) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the corpus or the file's name.

    look: called with all corpora before they are scored; needed: queries that read what it reads. Raises UsageError,
    UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    columns, metrics = select_columns(task.kind, task.columns, task.by)
    queries = [catalog.query(name) for name in metrics]
    declared = _declared(task, queries)
    with open_translation(task, [*queries, *map(catalog.query, needed)]) as found:
        look(found)
        values = [_values(found, task, declared, system) for system in found.systems]
        parts = [scores.score(found.connection, metrics, one, by=task.by, where=task.where) for one in values]
        if task.ci:
            parts = intervals.add_intervals(
                found.connection, parts, metrics, values, by=task.by, where=task.where, warn=task.warn
            )
    for system, part in zip(found.systems, parts, strict=True):
        scored = part.rows()
        counted = {name: sum(row[name] or 0 for row in scored) for name in _LOOKED_AT if name in part.columns}
        for warning in _remarks(system, counted):
            task.warn(warning)
    groups = [name for name in (task.by, "sent_id") if name in parts[0].columns]
    bounded = [name for column in columns for name in (column, f"{column}_low", f"{column}_high")]
    shown = ["system", *groups, *(name for name in bounded if name in parts[0].columns)]
    rows = pa.concat_tables(
        [_with_system_column(system, part) for system, part in zip(found.systems, parts, strict=True)]
    )
    signatures = {
        f"{system}:{name}": text
        for system, part in zip(found.systems, parts, strict=True)
        for name, text in part.signatures.items()
        if name in columns
    }
    return Result(rows.select(shown), signatures, parts[0].percent)


def compare(task: TranslationTask, names: Sequence[str], method: Method) -> Comparison:
    """All pairs of systems compared by the usual scores, or by others; names as for `choosing.choose`.

    Raises what `evaluate` raises.
    """
    significance_compare.check_two_systems(task.names or task.systems)
    if len(set(task.names)) < len(task.names):
        raise UsageError("a system stands twice; name each once")
    choice = selection.select_scores(METRICS[task.kind], names or COMPARED[task.kind])
    queries = [query for query, _ in choice]
    declared = _declared(task, queries)
    read = (method.stratum,) if method.stratum else ()

    def look(system: str, counts: Counts) -> Iterator[Diagnostic]:
        return _remarks(system, counts.totals)

    with open_translation(replace(task, read=read), queries) as found:
        called = task.names or found.systems
        systems = {
            label: _values(found, task, declared, system) for label, system in zip(called, found.systems, strict=True)
        }
        return significance_compare.compare(
            found.connection, choice, systems, method, where=task.where, find_warnings=look, warn=task.warn
        )


def select_columns(kind: str, named: Sequence[str], by: str | None = None) -> tuple[list[str], list[str]]:
    """The columns that are shown, and the metrics that they are of. Raises UnknownName.

    named: columns, or metrics, which stand for all their columns; the usual ones if empty.
    """
    of = {name: _columns(name) for name in METRICS[kind]}
    usual = (*COLUMNS[kind], "bleu_effective") if kind == TEXT and by == "sentence" else COLUMNS[kind]
    columns: list[str] = []
    for name in named or usual:
        known = of.get(name) or [name for members in of.values() if name in members][:1]
        if not known:
            raise UnknownName("metric", name, [*of, *(column for members in of.values() for column in members)])
        columns += [column for column in known if column not in columns]
    metrics: list[str] = []
    for column in columns:
        metrics += [next(name for name, members in of.items() if column in members)]
    return columns, [name for name in of if name in metrics]


def oracles(task: TranslationTask, measure: str) -> Result:
    """The path of every lattice that is nearest to a reference, a row each: its edges and words, errors, and whether
    that is proven. Raises as `evaluate` does.
    """
    query = catalog.query("oracle_paths")
    if not task.references:
        raise UsageError("name at least one reference: --reference FILE")
    with open_translation(task, [query]) as found:
        [system] = found.systems
        rows = statistics.run_query(found.connection, query, {**found.values(LATTICE, system), "measure": measure})
        sql = "SELECT s.sent_id FROM sentences AS s WHERE s.corpus = $corpus ORDER BY s.sentence"
        names = found.connection.sql(sql, params={"corpus": system}).to_arrow_table()
    return Result(rows.sort_by("sentence").add_column(1, "sent_id", names["sent_id"]))


@dataclass(frozen=True)
class LatticeView:
    """One lattice to be drawn: its name, nodes, edges, the edges of the nearest path, and what that is, in words."""

    name: str
    n_nodes: int
    edges: Sequence[DrawnEdge]
    path: frozenset[int]
    told: str


def view_lattice(task: TranslationTask, sentence: str, measure: str) -> LatticeView:
    """One lattice, by its name or its 0-based number, with the path that is nearest to a reference, if any is given.

    Raises UnknownName, and as `evaluate` does.
    """
    oracle = catalog.query("oracle_paths")
    with open_translation(task, [catalog.query("packed_lattices"), *[oracle] * bool(task.references)]) as found:
        [system] = found.systems
        names = found.connection.execute(
            "SELECT s.sentence, s.sent_id FROM sentences AS s WHERE s.corpus = ? ORDER BY s.sentence", [system]
        ).fetchall()
        numbers = {**{str(number): number for number, _ in names}, **{name: number for number, name in names if name}}
        if sentence not in numbers:
            raise UnknownName("lattice", sentence, numbers)
        values = [system, numbers[sentence]]
        [(n_nodes,)] = found.connection.execute(_NODES, values).fetchall()
        edges = [DrawnEdge(*row) for row in found.connection.execute(_EDGES, values).fetchall()]
        path, told = frozenset[int](), ""
        if task.references:
            rows = statistics.run_query(found.connection, oracle, {**found.values(LATTICE, system), "measure": measure})
            [row] = rows.filter(pc.field("sentence") == numbers[sentence]).to_pylist()
            path, told = frozenset(row["path_edges"]), _nearest(row, measure)
    return LatticeView(f"lattice {sentence}", n_nodes, edges, path, told)


_NODES = "SELECT l.n_nodes FROM lattices AS l WHERE l.corpus = ? AND l.sentence = ?"
_EDGES = """
SELECT e.edge, e.from_node, e.to_node, e.edge_words
FROM lattice_edges AS e
WHERE e.corpus = ? AND e.sentence = ?
ORDER BY e.edge
"""


def _nearest(row: Mapping[str, Any], measure: str) -> str:
    """The nearest path in words."""
    if row["path_errors"] is None:
        return "no path has words"
    errors = f"{row['path_errors']} error{'' if row['path_errors'] == 1 else 's'}, {row['path_words']} words"
    certain = "" if row["proven"] else ", not proven to be the fewest"
    return (
        f"{measure} {errors}, {row['reference']} has {row['n_reference_words']}{certain}: {' '.join(row['path_forms'])}"
    )


@contextmanager
def open_translation(
    task: TranslationTask, queries: Sequence[catalog.Query], columns: Sequence[str] = ()
) -> Iterator[TranslationInputs]:
    """What the queries need of all corpora. What runs on the connection reaches no files.

    columns: further ones that are needed of the tables that the queries read.
    """
    if not task.systems:
        raise UsageError("name at least one file")
    if task.database:
        if task.form or task.phrases or task.symbols or task.scores or task.ids:
            raise UsageError(
                "how files are read (--from, --phrases, --symbols, --scores, --ids) is of no use with --db"
            )
        if any("," in name for name in task.references[1:]):
            raise UsageError("a reference corpus beside others cannot have a comma in its name")
        with open_connection(task.database, read_only=True, safe=True) as connection:
            _check_kinds(connection, task)
            _check_ids(connection, task, queries, task.systems, task.references)
            yield TranslationInputs(connection, task.systems, task.references)
        return
    if [*task.systems, *task.references].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    systems = list(task.names) or _names(task.systems)
    if len(set(systems)) < len(systems):
        raise UsageError("a file stands twice; name each once")
    references = _reference_names(task.references, systems)
    wanted = [
        one
        for name, path in zip(systems, task.systems, strict=True)
        for one in loading.plan_loads([path], name, task.form, kind=task.kind)
    ]
    for one in wanted:
        readers.check_options(one.form, Options(scores=task.scores))
    wanted += [
        one
        for name, path in zip(references, task.references, strict=True)
        for one in loading.plan_loads([path], name, kind=TEXT)
    ]
    if task.ids in (FIRST, LAST) and not any(one.form == TEXT for one in wanted):
        raise UsageError(f"--ids {task.ids} is for plain texts, and none of these files is one")
    named = [*_ALWAYS_READ, *columns, *task.read, *catalog.words(f"{task.by or ''} {(task.where or '').lower()}")]
    read = None if catalog.contains_query(task.where) else catalog.columns_read(queries, named)
    if read is not None:  # systems are paired by ids, whatever the queries read
        read["sentences"] = read.get("sentences", frozenset()) | {"sent_id"}
    options = Options(columns=read, phrases=task.phrases, symbols=task.symbols, scores=task.scores, ids=task.ids)
    connection, loaded = in_memory.load_into_memory(wanted, options)
    with connection:
        for warning in loading.distinct_warnings(loaded):
            task.warn(warning)
        _check_kinds(connection, TranslationTask(task.kind, systems, references))
        _check_ids(connection, task, queries, systems, references)
        yield TranslationInputs(connection, systems, references)


def _check_ids(
    connection: duckdb.DuckDBPyConnection,
    task: TranslationTask,
    queries: Sequence[catalog.Query],
    systems: Sequence[str],
    references: Sequence[str],
) -> None:
    """Warn of ids that are read as words. Raises UsageError where sentences of systems are in different orders."""
    if not any("references_with_ids" in name for query in queries for name, _ in query.statement.expressions):
        return
    correspondence.check_one_order(connection, systems, references)
    if task.ids is None:
        for warning in correspondence.find_likely_ids(connection, systems, references, read_now=task.database is None):
            task.warn(warning)


def _declared(task: TranslationTask, queries: Sequence[catalog.Query]) -> set[str]:
    """The names of the parameters of queries. Raises UsageError where references lack, or a parameter is of no use."""
    declared = {parameter.name for query in queries for parameter in query.parameters}
    if not task.references and "reference_corpus" in declared:
        raise UsageError("name at least one reference: --reference FILE")
    useless = [name for name in task.parameters if name not in declared]
    if useless:
        raise UsageError(f"of no use for {', '.join(query.name for query in queries)}: {', '.join(useless)}")
    return declared


def _values(found: TranslationInputs, task: TranslationTask, declared: set[str], system: str) -> dict[str, object]:
    """The values of parameters for one system."""
    values = {**task.parameters, **found.values(task.kind, system)}
    return {name: value for name, value in values.items() if name in declared}


def _with_system_column(system: str, part: Result) -> pa.Table:
    """The rows behind the name of their system."""
    table = part.arrow()
    return table.add_column(0, "system", pa.array([system] * table.num_rows, pa.string()))


def warn_of_undefined(system: str, lattices: int) -> Iterator[Diagnostic]:
    """A warning where lattices have empty references."""
    if lattices:
        have = "lattice has an empty reference" if lattices == 1 else "lattices have empty references"
        yield Diagnostic.warning(
            system, 0, f"{lattices} {have}, for which swcd is not defined", "it is that of the others"
        )


def _remarks(system: str, counted: Mapping[str, float]) -> Iterator[Diagnostic]:
    """What is worth a warning about scores: lattices for which they are not defined, or not proven.

    counted: sums of counts by name, those of them that are known.
    """
    yield from warn_of_undefined(system, int(counted.get("undefined_lattices", 0)))
    for name, score in _UNPROVEN.items():
        unproven = int(counted.get(name, 0))
        if unproven:
            what = f"{score} of {unproven} lattice{'s' if unproven > 1 else ''} is the best found, and not proven"
            how = f"treesql score lattice --by sentence --metrics {score},{name}"
            yield Diagnostic.warning(system, 0, what, f"`{how}` shows which")


def _columns(metric: str) -> list[str]:
    query = catalog.query(metric)
    return [*(column.name for column in query.counts if column.shown), *(score.name for score in query.scores)]


def _check_kinds(connection: duckdb.DuckDBPyConnection, task: TranslationTask) -> None:
    """Raises UnknownName, UsageError if a corpus is not there, or not of the kind that is scored."""
    kinds = dict(connection.execute("SELECT corpus, kind FROM corpora").fetchall())
    for corpus in (*task.systems, *task.references):
        if corpus not in kinds:
            raise UnknownName("corpus", corpus, kinds)
    for corpus in task.systems:
        if (kinds[corpus] == LATTICE) != (task.kind == LATTICE):
            wanted = "lattices" if task.kind == LATTICE else "texts"
            raise UsageError(f"{corpus} is of the kind {kinds[corpus]}, and these scores are of {wanted}")
    for corpus in task.references:
        if kinds[corpus] in (LATTICE, "alignment"):
            raise UsageError(f"{corpus} is of the kind {kinds[corpus]}; references are texts")


def _names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths where two would be the same."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _reference_names(paths: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names for references, whose order is that of the files, the first one apart."""
    names = [name.replace(",", ";") for name in _names(paths)]
    distinct = len(set(names)) == len(names) and not set(names) & set(taken)
    if distinct and names[1:] == sorted(names[1:]):
        return names
    width = len(str(len(names)))
    return [f"reference {number:0{width}} {name}" for number, name in enumerate(names, 1)]
