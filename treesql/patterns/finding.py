"""Requests asked of a database: what its names are, the statement, the time limit, and why nothing is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TypeVar

import duckdb
import pyarrow as pa

from treesql import limits, loading, readers
from treesql.errors import DatabaseError, QueryError, RequestError, UnknownName, UsageError
from treesql.patterns import compiler, costs, parser, reasons, syntax, vocabulary
from treesql.patterns.compiler import Wanted
from treesql.patterns.lexer import Regex
from treesql.patterns.scopes import Names
from treesql.patterns.syntax import Key, Request, Span
from treesql.patterns.vocabulary import Vocabulary

SECONDS = 60.0
"""Seconds that a request may take, unless told otherwise."""

Given = TypeVar("Given", str, Sequence[str])


@dataclass(frozen=True)
class Question:
    """A request with all that was said about it, its statement, and what should be known of it."""

    request: Request
    wanted: Wanted
    names: Names
    sql: str
    remarks: tuple[str, ...] = ()


def ask(
    connection: duckdb.DuckDBPyConnection,
    request: str,
    *,
    columns: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    whether: str | Sequence[str] = (),
    count: bool = False,
    corpora: Sequence[str] | None = None,
    enhanced: bool = False,
    limit: int | None = None,
) -> Question:
    """Read a request and compile it for a database.

    columns, by: keys, or text with commas between them. Raises RequestError, UsageError, UnknownName, DatabaseError.
    """
    read = parser.parse(request)
    shown = _keys(columns)
    groups = [*_keys(by), *(parser.parse_whether(one) for one in _listed(whether))]
    if bool(shown) + bool(groups) + count > 1:
        raise UsageError("columns, groups (by, whether) and the count exclude each other; choose one of them")
    if limit is not None and limit < 0:
        raise UsageError("the limit is a number of rows, not below 0")
    wanted = Wanted((), tuple(groups), count, _corpora(connection, corpora), enhanced, limit)
    enhanced = enhanced or compiler.asks_enhanced(read, [*shown, *groups])
    if not count and not groups:
        chosen = _with_sentence(shown) if shown else _default_columns(connection, read, wanted)
        wanted = replace(wanted, columns=tuple(chosen))
    wanted = replace(wanted, enhanced=enhanced)
    _check_expressions(connection, read, [*shown, *groups])
    known = Vocabulary(connection, wanted.corpora, enhanced)
    names, remarks = vocabulary.look_up(known, read, [*shown, *groups])
    sql = compiler.compile_request(read, wanted, names)
    return Question(read, wanted, names, sql, tuple(remarks))


def _limited(
    connection: duckdb.DuckDBPyConnection, seconds: float, question: Question
) -> AbstractContextManager[limits.Limit]:
    """Stop the connection's work after some seconds (0: never). Raises TimeLimit, which names the costliest clause."""
    return limits.limited(connection, seconds, explain=lambda: costs.costliest(connection, question))


def find(connection: duckdb.DuckDBPyConnection, question: Question, seconds: float) -> tuple[pa.Table, list[str]]:
    """All rows, and where there are none, why. Raises TimeLimit, QueryError."""
    with _limited(connection, seconds, question) as limit:
        table = _rows(connection, question)
        return table, reasons.why_nothing(connection, question, limit.left) if nothing(question, table) else []


def find_sentences(
    connection: duckdb.DuckDBPyConnection, question: Question, seconds: float
) -> tuple[dict[str, list[int]], list[str]]:
    """By corpus, the sentences with matches, in order; and where there are none, why. Raises TimeLimit, QueryError."""
    wanted = replace(question.wanted, columns=(), by=tuple(parser.parse_keys("corpus, sentence")), limit=None)
    sql = compiler.compile_request(question.request, wanted, question.names)
    with _limited(connection, seconds, question) as limit:
        table = _rows(connection, replace(question, sql=sql))
        why = reasons.why_nothing(connection, question, limit.left) if not table.num_rows else []
    order = {name: at for at, name in enumerate(loading.names(connection))}
    rows = zip(table["corpus"].to_pylist(), table["sentence"].to_pylist(), strict=True)
    found: dict[str, list[int]] = {}
    for corpus, sentence in sorted(rows, key=lambda row: (order[row[0]], row[1]))[: question.wanted.limit]:
        found.setdefault(corpus, []).append(sentence)
    return found, why


def nothing(question: Question, table: pa.Table) -> bool:
    """Whether a table says that nothing was found."""
    if question.wanted.limit == 0:
        return False
    return table["count"][0].as_py() == 0 if question.wanted.count else not table.num_rows


def _rows(connection: duckdb.DuckDBPyConnection, question: Question) -> pa.Table:
    try:
        return connection.sql(question.sql).to_arrow_table()
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise QueryError(str(error), question.sql, "find", question.request.text) from None


def _listed(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _keys(given: str | Sequence[str]) -> list[Key]:
    return [key for text in _listed(given) if text.strip() for key in parser.parse_keys(text)]


def _with_sentence(keys: list[Key]) -> list[Key]:
    """The columns asked for, with the sentence's id before them unless it is among them."""
    return keys if any(key.name == "sent_id" for key in keys) else [*parser.parse_keys("sent_id"), *keys]


def _default_columns(connection: duckdb.DuckDBPyConnection, request: Request, wanted: Wanted) -> list[Key]:
    """The sentence, the nodes with their forms and the labels of named edges."""
    nodes, edges = compiler.bound(request)
    several = len(wanted.corpora or loading.names(connection)) > 1
    unnamed = connection.execute("SELECT 1 FROM sentences AS s WHERE s.sent_id IS NULL LIMIT 1").fetchall()
    columns = ["corpus"] * several + ["sentence"] * bool(unnamed) + ["sent_id"]
    for node in nodes:
        columns += [node, f"{node}.form"]
    columns += [f"{edge}.label" for edge in edges]
    if not nodes:
        columns.append("text")
    return parser.parse_keys(", ".join(columns))


def _corpora(connection: duckdb.DuckDBPyConnection, chosen: Sequence[str] | None) -> tuple[str, ...] | None:
    """The corpora to search, None for all. Raises UnknownName, UsageError, DatabaseError."""
    sql = "SELECT c.corpus, c.kind FROM corpora AS c ORDER BY c.loaded_at, c.corpus"
    kinds: dict[str, str] = dict(connection.execute(sql).fetchall())
    if not kinds:
        raise DatabaseError("the database holds no corpus; load one first")
    for name in chosen or ():
        if name not in kinds:
            raise UnknownName("corpus", name, kinds)
        if kinds[name] != "dependency":
            raise UsageError(f"{name!r} has {readers.content(kinds[name])}; requests are for dependency trees")
    dependency = tuple(name for name, kind in kinds.items() if kind == "dependency")
    parsed = connection.execute("SELECT 1 FROM words AS w WHERE w.head IS NOT NULL LIMIT 1").fetchall()
    if not dependency or not parsed:
        raise DatabaseError("the database has no dependency trees; requests need words with heads")
    if chosen:
        return tuple(dict.fromkeys(chosen))
    return None if len(dependency) == len(kinds) else dependency


def _check_expressions(connection: duckdb.DuckDBPyConnection, request: Request, keys: Iterable[Key]) -> None:
    """Raises RequestError where a regular expression is none for RE2."""
    for text, regex, span in _expressions(request, keys):
        try:
            connection.execute("SELECT regexp_full_match('', ?)", [regex.pattern]).fetchall()
        except duckdb.Error as error:
            why = str(error).split(": ", 1)[-1].splitlines()[0]
            hint = "expressions are those of RE2, without look-ahead and references back"
            raise RequestError(text, span.start, f"the regular expression cannot be used: {why}", hint) from None


def _expressions(request: Request, keys: Iterable[Key]) -> Iterator[tuple[str, Regex, Span]]:
    for text, clause in vocabulary.with_texts(request, keys):
        for test in vocabulary.tests_of(clause):
            yield from ((text, value, test.span) for value in test.values if isinstance(value, Regex))
        if isinstance(clause, syntax.Edge) and isinstance(clause.labels, syntax.Labels):
            yield from ((text, value, clause.span) for value in clause.labels.values if isinstance(value, Regex))
        if isinstance(clause, syntax.Comparison) and isinstance(clause.right, Regex):
            yield text, clause.right, clause.span
