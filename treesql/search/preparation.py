"""Preparation of requests: parse the text, check it against a database, and compile it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from treesql import readers
from treesql.engines import Engine
from treesql.errors import DatabaseError, RequestError, StatementError, UnknownName, UsageError
from treesql.search.grew import compiler, parser, syntax, vocabulary
from treesql.search.grew.compiler import Selection
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import GrewRequest, Key, Span
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.request import PreparedRequest
from treesql.storage import loading


def prepare(
    engine: Engine,
    request: str,
    *,
    columns: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    whether: str | Sequence[str] = (),
    count: bool = False,
    corpora: Sequence[str] | None = None,
    enhanced: bool = False,
    limit: int | None = None,
) -> PreparedRequest:
    """Parse a request and compile it for a database.

    columns, by: keys, or text with commas between them. Raises RequestError, UsageError, UnknownName, DatabaseError.
    """
    parsed = parser.parse(request)
    shown = _parse_keys(columns)
    groups = [*_parse_keys(by), *(parser.parse_whether(one) for one in _as_list(whether))]
    if bool(shown) + bool(groups) + count > 1:
        raise UsageError("columns, groups (by, whether) and the count exclude each other; choose one of them")
    if limit is not None and limit < 0:
        raise UsageError("the limit is a number of rows, at least 0")
    enhanced = enhanced or compiler.uses_enhanced_edges(parsed, [*shown, *groups])
    selection = Selection((), tuple(groups), count, _searched_corpora(engine, corpora), enhanced, limit)
    if not count and not groups:
        keys = _with_sentence(shown) if shown else _default_columns(engine, parsed, selection)
        selection = replace(selection, columns=tuple(keys))
    _check_expressions(engine, parsed, [*shown, *groups])
    known = Vocabulary(engine, selection.corpora, enhanced)
    names, warnings = vocabulary.resolve_names(known, parsed, [*shown, *groups])
    sql = compiler.compile_request(parsed, selection, names)
    return PreparedRequest(parsed, selection, names, sql, tuple(warnings))


def _as_list(values: str | Sequence[str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _parse_keys(texts: str | Sequence[str]) -> list[Key]:
    return [key for text in _as_list(texts) if text.strip() for key in parser.parse_keys(text)]


def _with_sentence(keys: list[Key]) -> list[Key]:
    """Return the requested columns, preceded by the sentence's id unless it is among them."""
    return keys if any(key.name == "sent_id" for key in keys) else [*parser.parse_keys("sent_id"), *keys]


def _default_columns(engine: Engine, request: GrewRequest, selection: Selection) -> list[Key]:
    """Return the sentence, the nodes with their forms and the labels of named edges."""
    nodes, edges = compiler.bound_names(request)
    several = len(selection.corpora or loading.corpus_names(engine)) > 1
    unnamed = engine.rows("SELECT 1 FROM sentences AS s WHERE s.sent_id IS NULL LIMIT 1")
    columns = ["corpus"] * several + ["sentence"] * bool(unnamed) + ["sent_id"]
    for node in nodes:
        columns += [node, f"{node}.form"]
    columns += [f"{edge}.label" for edge in edges]
    if not nodes:
        columns.append("text")
    return parser.parse_keys(", ".join(columns))


def _searched_corpora(engine: Engine, chosen: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the corpora to search, None for all. Raises UnknownName, UsageError, DatabaseError."""
    sql = "SELECT c.corpus, c.kind FROM corpora AS c ORDER BY c.loaded_at, c.corpus"
    kinds: dict[str, str] = dict(engine.rows(sql))
    if not kinds:
        raise DatabaseError("the database has no corpus; load one first")
    for name in chosen or ():
        if name not in kinds:
            raise UnknownName("corpus", name, kinds)
        if kinds[name] != "dependency":
            raise UsageError(f"{name!r} has {readers.describe_kind(kinds[name])}; requests are for dependency trees")
    dependency = tuple(name for name, kind in kinds.items() if kind == "dependency")
    parsed = engine.rows("SELECT 1 FROM words AS w WHERE w.head IS NOT NULL LIMIT 1")
    if not dependency or not parsed:
        raise DatabaseError("the database has no dependency trees; requests need words with heads")
    if chosen:
        return tuple(dict.fromkeys(chosen))
    return None if len(dependency) == len(kinds) else dependency


def _check_expressions(engine: Engine, request: GrewRequest, keys: Iterable[Key]) -> None:
    """Raise RequestError for a regular expression that RE2 rejects."""
    for text, regex, span in _regular_expressions(request, keys):
        try:
            engine.rows("SELECT regexp_full_match('', $pattern)", {"pattern": regex.pattern})
        except StatementError as error:
            why = error.message.split(": ", 1)[-1].splitlines()[0]
            hint = "expressions are those of RE2, without look-ahead and back-references"
            raise RequestError(text, span.start, f"the regular expression cannot be used: {why}", hint) from None


def _regular_expressions(request: GrewRequest, keys: Iterable[Key]) -> Iterator[tuple[str, Regex, Span]]:
    for text, clause in vocabulary.clauses_with_texts(request, keys):
        for test in vocabulary.tests_of(clause):
            yield from ((text, value, test.span) for value in test.values if isinstance(value, Regex))
        if isinstance(clause, syntax.Edge) and isinstance(clause.labels, syntax.Labels):
            yield from ((text, value, clause.span) for value in clause.labels.values if isinstance(value, Regex))
        if isinstance(clause, syntax.FeatureComparison) and isinstance(clause.right, Regex):
            yield text, clause.right, clause.span
