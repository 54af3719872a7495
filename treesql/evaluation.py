"""Scoring several systems against one gold standard, from files or from the corpora of a database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from treesql import catalog, loading, scoring, scratch, storage, tables
from treesql.errors import FormatError, InvalidInput, UsageError
from treesql.readers import Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results import Result

DEPENDENCY = ("attachment", "exact_match")
"""The metrics of `score dependency`."""

NAMED = 5
"""So many sentences are named in a warning."""

ALWAYS_READ = frozenset({"sent_id"})
"""Columns that warnings name sentences by."""


@dataclass(frozen=True)
class Task:
    """What to score, and how.

    gold, systems: files, or names of corpora of `database`. parameters: of the metrics, corpora left out. form,
    permissive, strict: how files are read. warn: called with everything that is worth a look.
    """

    metrics: Sequence[str]
    gold: str
    systems: Sequence[str]
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    form: str | None = None
    permissive: bool = False
    strict: bool = False
    warn: Callable[[FormatError], object] = lambda warning: None


def evaluate(task: Task) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the corpus or the file's name.

    Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    if not task.systems:
        raise UsageError("name at least one system")
    if not task.database and [task.gold, *task.systems].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    names = task.systems if task.database else _names(task.systems)
    if len(set(names)) < len(names):
        raise UsageError("a system stands twice; name each once")
    parts: list[Result] = []
    labelled: list[pa.Table] = []
    with _opened(task, names) as (connection, gold):
        for name in names:
            values = {**task.parameters, "gold_corpus": gold, "system_corpus": name}
            parts.append(scoring.score(connection, task.metrics, values, by=task.by, where=task.where))
            system = duckdb.ConstantExpression(name).alias("system")
            rows = connection.from_arrow(parts[-1].arrow()).select(system, duckdb.StarExpression())
            labelled.append(rows.to_arrow_table())
    signatures = {
        f"{name}:{score}": text
        for name, part in zip(names, parts, strict=True)
        for score, text in part.signatures.items()
    }
    return Result(pa.concat_tables(labelled), signatures, parts[0].percent)


@contextmanager
def _opened(task: Task, names: Sequence[str]) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    """A connection that holds all corpora, and the gold corpus's name in it. What it runs reaches no files."""
    if task.database:
        if task.form or task.permissive:
            raise UsageError("how files are read (--from, --permissive) is of no use with --db; the corpora are loaded")
        with storage.open_connection(task.database, read_only=True, safe=True) as connection:
            for corpus in dict.fromkeys((task.gold, *names)):
                _look_for_roots(connection, corpus, task)
            yield connection, task.gold
        return
    [gold] = _names([task.gold])
    if gold in names:
        gold = f"gold {gold}"
    options = Options(task.permissive, task.strict, columns_needed(task))
    files = [(gold, task.gold), *zip(names, task.systems, strict=True)]
    wanted = [one for corpus, path in files for one in loading.requests([path], corpus, task.form)]
    connection, loaded = scratch.hold(wanted, options)
    with connection:
        for warning in (warning for one in loaded for warning in one.warnings):
            task.warn(warning)
        yield connection, gold


def _look_for_roots(connection: duckdb.DuckDBPyConnection, corpus: str, task: Task) -> None:
    """Warn of sentences with several roots in a loaded corpus, or refuse them, as for files."""
    found = scoring.run(connection, catalog.query("several_roots"), {"tree_corpus": corpus}).to_pylist()
    if not found:
        return
    names = [row["sent_id"] or f"line {row['line']}" for row in found[:NAMED]] + ["..."] * (len(found) > NAMED)
    what = f"{len(found)} sentence{'s' if len(found) > 1 else ''} with several roots: {', '.join(names)}"
    file, line = found[0]["file"], found[0]["line"]
    if task.strict:
        raise InvalidInput([FormatError(file, line, what, "give one word HEAD 0, or score without --strict")])
    task.warn(FormatError(file, line, what, "they are scored as they are; --strict refuses them"))


def columns_needed(task: Task) -> dict[str, frozenset[str]] | None:
    """The columns of the tables that a task may read, those whose name occurs in its SQL; None for all.

    A condition with a query of its own may read anything.
    """
    condition = (task.where or "").lower()
    if re.search(r"\b(select|from)\b", condition):
        return None
    queries = [query for name in task.metrics for query in (catalog.query(name), *catalog.query(name).audit_queries)]
    words = set(re.findall(r"\w+", f"{task.by} {condition}")).union(*(q.statement.identifiers for q in queries))
    sources = frozenset({"corpora"}).union(*(query.sources for query in queries))
    return {name: frozenset(tables.table(name).names) & (words | ALWAYS_READ) for name in sources}


def _names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths where two would be the same."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)
