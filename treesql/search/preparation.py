"""Preparation of requests: parse the text, check it against a database, and compile it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from treesql import readers
from treesql.engines import Engine
from treesql.errors import DatabaseError, RequestError, StatementError, UnknownName, UsageError
from treesql.search.grew import compiler, contexts, parser, syntax, vocabulary
from treesql.search.grew.compiler import Selection
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import ContextKey, GrewRequest, Key, Span
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.request import PreparedRequest
from treesql.storage import loading

NO_LIMIT = "the limit is a number of rows or drawings, at least 0"
"""What is wrong with a limit below 0."""


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
    kwic: int | None = None,
    sort: str | None = None,
) -> PreparedRequest:
    """Parse a request and compile it for a database.

    columns, by: keys, or text with commas between them. kwic: number of words of context of a concordance; sort: its
    column by which it is sorted. Raises RequestError, UsageError, UnknownName, DatabaseError.
    """
    parsed = parser.parse(request)
    shown = parse_keys(columns)
    groups = [*parse_keys(by), *(parser.parse_whether(one) for one in as_texts(whether))]
    if bool(shown or kwic is not None) + bool(groups) + count > 1:
        raise UsageError(
            "columns (of matches or of a concordance), groups (by, whether) and the count exclude each other; "
            "choose one of them"
        )
    if limit is not None and limit < 0:
        raise UsageError(NO_LIMIT)
    enhanced = enhanced or compiler.uses_enhanced_edges(parsed, [*shown, *groups])
    selection = Selection((), (), count, searched_corpora(engine, corpora), enhanced, limit)
    if kwic is not None:
        selection = replace(
            selection,
            columns=tuple(_concordance_columns(engine, shown, selection, kwic)),
            sort=_parse_sort(sort, kwic),
        )
    elif not count and not groups:
        keys = _with_sentence(shown) if shown else _default_columns(engine, parsed, selection)
        selection = replace(selection, columns=tuple(keys))
    selection = _with_contexts(engine, parsed, replace(selection, by=tuple(groups)))
    _check_expressions(engine, parsed, [*shown, *groups])
    known = Vocabulary(engine, selection.corpora, enhanced)
    names, warnings = vocabulary.resolve_names(known, parsed, [*shown, *groups])
    sql = compiler.compile_request(parsed, selection, names)
    return PreparedRequest(parsed, selection, names, sql, tuple(warnings))


def as_texts(values: str | Sequence[str]) -> list[str]:
    """Return one text or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def parse_keys(texts: str | Sequence[str]) -> list[Key]:
    """Return the keys of one text or several. Raises RequestError, UsageError."""
    written = [] if texts == "" else as_texts(texts)
    if not all(text.strip() for text in written):
        raise UsageError("a key is empty; write keys, with commas between, such as X.lemma, or leave them out")
    return [key for text in written for key in parser.parse_keys(text)]


def _with_sentence(keys: list[Key]) -> list[Key]:
    """Return the requested columns, preceded by the sentence's id unless it is among them."""
    return keys if any(key.name == "sent_id" for key in keys) else [*parser.parse_keys("sent_id"), *keys]


def _default_columns(engine: Engine, request: GrewRequest, selection: Selection) -> list[Key]:
    """Return the sentence, the nodes with their forms and the labels of named edges."""
    nodes, edges = compiler.bound_names(request)
    columns = _sentence_columns(engine, selection)
    for node in nodes:
        columns += [node, f"{node}.form"]
    columns += [f"{edge}.label" for edge in edges]
    if not nodes:
        columns.append("text")
    return parser.parse_keys(", ".join(columns))


def _with_contexts(engine: Engine, request: GrewRequest, selection: Selection) -> Selection:
    """Return a selection whose keys of contexts are known as such: `text`, too, if a sentence has no such comment."""
    names = [name for bound in compiler.bound_names(request) for name in bound]
    sides: tuple[str, ...] = contexts.SIDES
    if any(key.name == contexts.TEXT for key in selection.keys):
        among = Vocabulary(engine, selection.corpora)
        sides += (contexts.TEXT,) * among.has_sentence_without_text()
    columns, by = (contexts.with_contexts(keys, sides, names) for keys in (selection.columns, selection.by))
    return replace(selection, columns=tuple(columns), by=tuple(by))


def _sentence_columns(engine: Engine, selection: Selection) -> list[str]:
    """Return the columns that identify a sentence: its corpus if there are several, and its number if it has no id."""
    several = len(selection.corpora or loading.corpus_names(engine)) > 1
    unnamed = engine.rows("SELECT 1 FROM sentences AS s WHERE s.sent_id IS NULL LIMIT 1")
    return ["corpus"] * several + ["sentence"] * bool(unnamed) + ["sent_id"]


def _concordance_columns(engine: Engine, shown: Sequence[Key], selection: Selection, words: int) -> list[Key]:
    """Return the sentence, the requested columns, and the words before, in and after the match."""
    if words < 0:
        raise UsageError(f"a concordance has words of context, not {words}; write kwic=0 or more")
    chosen = [key for key in shown if key.name not in contexts.SIDES]
    named = {key.name for key in chosen}
    sentence = [name for name in _sentence_columns(engine, selection) if name not in named]
    return [
        *(parser.parse_keys(", ".join(sentence)) if sentence else ()),
        *chosen,
        *(Key(_side(name, words), name, name) for name in contexts.SIDES),
    ]


def _parse_sort(sort: str | None, words: int) -> ContextKey | None:
    if sort is not None and sort not in contexts.SIDES:
        raise UsageError(f"a concordance is not sorted by {sort!r}; choose one of {', '.join(contexts.SIDES)}")
    return None if sort is None else _side(sort, words)


def _side(name: str, words: int) -> ContextKey:
    return ContextKey(name, None if name == contexts.MATCH else words, None, Span(0, len(name)))


def searched_corpora(engine: Engine, chosen: Sequence[str] | None) -> tuple[str, ...] | None:
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
