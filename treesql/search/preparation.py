"""Preparation of requests: parse the text, check it against a database, and compile it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from treesql.engines import Engine
from treesql.errors import RequestError, StatementError, UsageError
from treesql.search import syntaxes
from treesql.search.columns import (
    as_texts,
    check_wanted,
    concordance_columns,
    context_sides,
    parse_keys,
    parse_sort,
    with_sentence,
)
from treesql.search.constituents import statements
from treesql.search.constituents.relations import has_tops
from treesql.search.constituents.syntax import Formula, OneOf, SameValue, Shape, TreeRequest, conditions_of
from treesql.search.corpora import check_heads, head_rules_of, searched_corpora, sentence_columns
from treesql.search.grew import compiler, contexts, parser, syntax, vocabulary
from treesql.search.grew.lexer import Regex
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import GrewRequest, Key, Span
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.request import PreparedRequest
from treesql.search.selection import Selection

WHETHER = "whether "
"""Beginning of the names of keys that split matches by clauses."""

MAX_GROUP = 9
"""Largest number of a group of a regular expression that DuckDB extracts."""


@dataclass(frozen=True)
class _Wanted:
    """What is asked of a request, as keys. kwic: number of words of context of a concordance; sort: its column."""

    shown: list[Key]
    groups: list[Key]
    count: bool
    corpora: tuple[str, ...] | None
    limit: int | None
    kwic: int | None
    sort: str | None
    group: tuple[tuple[Key, str], ...] = ()
    offset: int = 0
    order: str | None = None


def prepare(
    engine: Engine,
    request: str,
    *,
    language: str = syntaxes.GREW,
    columns: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    whether: str | Sequence[str] = (),
    count: bool = False,
    corpora: Sequence[str] | None = None,
    enhanced: bool = False,
    limit: int | None = None,
    kwic: int | None = None,
    sort: str | None = None,
    group: Mapping[str, str] | None = None,
    offset: int = 0,
    order: str | None = None,
) -> PreparedRequest:
    """Parse a request and compile it for a database.

    language: of `syntaxes`. columns, by: keys, or text with commas between them. kwic: number of words of context of a
    concordance; sort: its column by which it is sorted. group: values of keys that matches must have. Raises
    RequestError, UsageError, UnknownName, DatabaseError.
    """
    parsed: GrewRequest | TreeRequest
    asked = as_texts(whether)
    if language == syntaxes.GREW:
        parsed = parser.parse(request)
        splits = [parser.parse_whether(one) for one in asked]
    else:
        parsed = syntaxes.parse_tree_request(request, language)
        splits = [_tree_whether(one) for one in asked]
        if enhanced:
            raise UsageError("enhanced graphs are those of dependency trees; leave --enhanced out")
    shown, groups = parse_keys(columns), [*parse_keys(by), *splits]
    check_wanted(shown, groups, count, kwic, limit)
    chosen = searched_corpora(engine, corpora, syntaxes.KINDS[language])
    held = {name: _parse_held_key(name, language) for name in group or {}}
    values = tuple((held[name], value) for name, value in (group or {}).items())
    wanted = _Wanted(shown, groups, count, chosen, limit, kwic, sort, values, offset, order)
    if isinstance(parsed, TreeRequest):
        asking = [key for key in (*splits, *held.values()) if isinstance(key.term, syntax.WhetherKey)]
        formulas = {key.name: (syntaxes.parse_tree_relations(key.text, parsed, language), key.text) for key in asking}
        return _prepare_tree(engine, parsed, wanted, formulas)
    return _prepare_grew(engine, parsed, wanted, enhanced)


def _parse_held_key(name: str, language: str) -> Key:
    """Return the key of a group by its name in the table of groups. Raises RequestError, UsageError."""
    clauses = name.removeprefix(WHETHER)
    if clauses != name:
        return parser.parse_whether(clauses) if language == syntaxes.GREW else _tree_whether(clauses)
    keys = parse_keys(name)
    if len(keys) != 1 or isinstance(keys[0].term, syntax.ContextKey):
        raise UsageError(f"a group has a value for a key, and {name!r} is none; name a key such as X.lemma")
    return keys[0]


def _tree_whether(clauses: str) -> Key:
    return Key(syntax.WhetherKey((), Span(0, len(clauses))), f"{WHETHER}{clauses}", clauses)


def _prepare_grew(engine: Engine, parsed: GrewRequest, wanted: _Wanted, enhanced: bool) -> PreparedRequest:
    keys = [*wanted.shown, *wanted.groups, *(key for key, _ in wanted.group)]
    enhanced = enhanced or compiler.uses_enhanced_edges(parsed, keys)
    nodes, edges = compiler.bound_names(parsed)
    shown = [name for node in nodes for name in (node, f"{node}.form")] + [f"{edge}.label" for edge in edges]
    selection = _selection(engine, wanted, shown if nodes else [*shown, "text"], [*nodes, *edges])
    selection = replace(selection, enhanced=enhanced)
    _check_expressions(engine, _regular_expressions(parsed, keys))
    if compiler.has_edges(parsed, keys):
        check_heads(engine, selection.corpora, enhanced=enhanced)
    known = Vocabulary(engine, selection.corpora, enhanced)
    names, warnings = vocabulary.resolve_names(known, parsed, keys)
    sql = compiler.compile_request(parsed, selection, names)
    return PreparedRequest(parsed, selection, names, sql, tuple(warnings))


def _prepare_tree(
    engine: Engine, parsed: TreeRequest, wanted: _Wanted, whether: Mapping[str, tuple[Formula, str]]
) -> PreparedRequest:
    shown = [key for name in parsed.names for key in (f"{name}.label", f"{name}.text")]
    selection = _selection(engine, wanted, shown, parsed.names)
    _check_expressions(engine, _tree_expressions(parsed, whether))
    _check_groups(engine, parsed, whether)
    keys = [*wanted.shown, *wanted.groups, *(key for key, _ in wanted.group)]
    vocabulary.check_comments(Vocabulary(engine, selection.corpora), keys)
    rules = head_rules_of(engine, selection.corpora)
    tops = has_tops(engine, selection.corpora)
    sql = statements.compile_statement(parsed, selection, whether, rules, tops=tops)
    return PreparedRequest(parsed, selection, NameProperties(), sql, whether=whether, head_rules=rules, tops=tops)


def _selection(engine: Engine, wanted: _Wanted, default: Sequence[str], names: Sequence[str]) -> Selection:
    """Return what is selected. default: the columns of matches where none are named; names: those that are bound."""
    selection = Selection(
        (), (), wanted.count, wanted.corpora, False, wanted.limit, group=wanted.group, offset=wanted.offset,
        order=wanted.order,
    )  # fmt: skip
    if wanted.kwic is not None:
        around = tuple(concordance_columns(engine, wanted.shown, selection, wanted.kwic))
        selection = replace(selection, columns=around, sort=parse_sort(wanted.sort, wanted.kwic))
    elif not wanted.count and not wanted.groups:
        chosen = ", ".join([*sentence_columns(engine, wanted.corpora), *default])
        keys = with_sentence(wanted.shown) if wanted.shown else parser.parse_keys(chosen)
        selection = replace(selection, columns=tuple(keys))
    selection = replace(selection, by=tuple(wanted.groups))
    sides = context_sides(engine, selection)
    columns, by = (contexts.with_contexts(keys, sides, names) for keys in (selection.columns, selection.by))
    return replace(selection, columns=tuple(columns), by=tuple(by))


def _check_expressions(engine: Engine, expressions: Iterable[tuple[str, Regex, Span]]) -> None:
    """Raise RequestError for a regular expression that RE2 rejects."""
    for text, regex, span in expressions:
        try:
            engine.rows("SELECT regexp_full_match('', $pattern)", {"pattern": regex.pattern})
        except StatementError as error:
            why = error.message.split(": ", 1)[-1].splitlines()[0]
            hint = "expressions are those of RE2, without look-ahead and back-references"
            raise RequestError(text, span.start, f"the regular expression cannot be used: {why}", hint) from None


def _tree_expressions(
    request: TreeRequest, whether: Mapping[str, tuple[Formula, str]]
) -> Iterator[tuple[str, Regex, Span]]:
    for text, one in _tree_conditions(request, whether):
        if isinstance(one, OneOf):
            yield from ((text, value, one.span) for value in one.values if isinstance(value, Regex))


def _tree_conditions(
    request: TreeRequest, whether: Mapping[str, tuple[Formula, str]]
) -> Iterator[tuple[str, OneOf | SameValue | Shape]]:
    """Yield the conditions of a request and of what splits its matches, each with its text."""
    formulas = [(request.formula, request.text), (request.head.condition, request.text), *whether.values()]
    for formula, text in formulas:
        yield from ((text, one) for one in conditions_of(formula))


def _check_groups(engine: Engine, request: TreeRequest, whether: Mapping[str, tuple[Formula, str]]) -> None:
    """Raise RequestError for a group that its regular expression, which RE2 accepts, does not have."""
    for text, one in _tree_conditions(request, whether):
        if not isinstance(one, SameValue) or one.pattern is None or one.group == 0:
            continue
        names = ", ".join(f"'{number}'" for number in range(1, min(one.group, MAX_GROUP) + 1))
        try:
            engine.rows(f"SELECT regexp_extract('', $pattern, [{names}])", {"pattern": one.pattern})
        except StatementError:
            known = False
        else:
            known = one.group <= MAX_GROUP
        if not known:
            what = f"the expression has no group {one.group}"
            raise RequestError(text, one.span.start, what, f"groups are counted from 1 to {MAX_GROUP}, by their `(`")


def _regular_expressions(request: GrewRequest, keys: Iterable[Key]) -> Iterator[tuple[str, Regex, Span]]:
    for text, clause in vocabulary.clauses_with_texts(request, keys):
        for test in vocabulary.tests_of(clause):
            yield from ((text, value, test.span) for value in test.values if isinstance(value, Regex))
        if isinstance(clause, syntax.Edge) and isinstance(clause.labels, syntax.Labels):
            yield from ((text, value, clause.span) for value in clause.labels.values if isinstance(value, Regex))
        if isinstance(clause, syntax.FeatureComparison) and isinstance(clause.right, Regex):
            yield text, clause.right, clause.span
