"""Questions to statements: the requests of a question compiled, and the statement of its table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.catalog import kinds
from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import DatabaseError, RequestError, StatementError, UsageError
from treesql.results.cells import Numbers, count_cells, order_values, shares_of_totals
from treesql.results.concordance import Concordance
from treesql.results.matrix import Grid
from treesql.results.result import Result
from treesql.scoring.treebank_inputs import as_list
from treesql.search import group_tables, syntaxes
from treesql.search.constituents.relations import has_tops
from treesql.search.constituents.statements import compile_statement
from treesql.search.constituents.syntax import Formula, OneOf, SameValue, Shape, TreeRequest, conditions_of
from treesql.search.grew import compiler, contexts, parser, syntax, vocabulary
from treesql.search.grew.lexer import Regex
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import CORPUS, SENTENCE, ContextKey, GrewRequest, Key, Span
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.group_tables import Groups
from treesql.search.question import Question
from treesql.search.request import PreparedRequest
from treesql.search.selection import Selection, distinct_keys
from treesql.search.syntaxes import KINDS
from treesql.storage import loading

MARKED = Key(ContextKey(contexts.MARKED, None, None, Span(0, 0)), contexts.MATCH, "")
"""The column of the matches of a concordance with the matched words marked, of which the result has both."""


@dataclass(frozen=True)
class PlannedQuestion:
    """The compiled requests of a question, and its table.

    sql: the statement to show; statement: the one to run, whose rows `finish` makes a result of. explained: whether an
    empty table means that the only request has no matches. drawn: whether its rows are matches, which can be drawn.
    """

    requests: tuple[PreparedRequest, ...]
    sql: str
    statement: str
    finish: Callable[[pa.Table], Result]
    explained: bool = False
    drawn: bool = False

    @property
    def request(self) -> PreparedRequest:
        """The only request. Raises UsageError if there are several."""
        if len(self.requests) > 1:
            raise UsageError("sentences, drawings and costs are those of one request; name one")
        return self.requests[0]


@dataclass(frozen=True)
class _SearchedCorpora:
    """The corpora of a question: those searched in order, the reference, and the choice that statements have."""

    searched: tuple[str, ...]
    reference: tuple[str, ...]
    chosen: tuple[str, ...] | None


def plan(engine: Engine, question: Question) -> PlannedQuestion:
    """Compile a question for a database. Raises RequestError, UsageError, UnknownName, DatabaseError."""
    corpora = _find_corpora(engine, question)
    if question.requests and not question.grouped:
        return _plan_summary(engine, question, corpora)
    if question.requests or question.grid or (question.grouped and question.measured):
        return _plan_groups(engine, question, corpora)
    if question.count and question.per_million:
        return _plan_rate(engine, question, corpora)
    return _plan_matches(engine, question, corpora)


def _plan_matches(engine: Engine, question: Question, corpora: _SearchedCorpora) -> PlannedQuestion:
    """Plan matches, a concordance, groups with their counts alone, or the number of matches."""
    prepared = prepare(
        engine, str(question.request), language=question.language, columns=question.columns, by=question.by,
        whether=question.whether, count=question.count, corpora=corpora.chosen, enhanced=question.enhanced,
        limit=question.limit, kwic=question.kwic, sort=question.sort, group=question.group, offset=question.offset,
        order=question.order,
    )  # fmt: skip
    if question.kwic is None:
        matches = not (question.grouped or question.count)
        return PlannedQuestion((prepared,), prepared.sql, prepared.sql, Result, explained=True, drawn=matches)
    columns = tuple(MARKED if key.name == MARKED.name else key for key in prepared.selection.columns)
    marked = prepared.select(replace(prepared.selection, columns=columns))

    def finish(rows: pa.Table) -> Result:
        return Concordance.of_marked(rows, contexts.MARKS)

    return PlannedQuestion((prepared,), prepared.sql, marked.sql, finish, explained=True)


def _plan_rate(engine: Engine, question: Question, corpora: _SearchedCorpora) -> PlannedQuestion:
    """Plan the number of matches and their rate."""
    prepared = prepare(
        engine,
        str(question.request),
        language=question.language,
        count=True,
        corpora=corpora.chosen,
        enhanced=question.enhanced,
        group=question.group,
    )
    sql = group_tables.counts_statement(
        Groups(prepared.sql, (), corpora.searched), share=None, per_million=True, min_count=1, limit=None
    )
    return PlannedQuestion((prepared,), sql, sql, Result)


def _plan_groups(engine: Engine, question: Question, corpora: _SearchedCorpora) -> PlannedQuestion:
    """Plan groups with shares, rates, keyness or association, or as a grid."""
    prepared = _prepare_requests(engine, question, corpora)
    keys = distinct_keys(next(iter(prepared.values())).selection.by)
    names = [key.name for key in keys]
    if question.requests:
        names.insert(0, REQUEST)
    question.check_keys(names)
    more = (CORPUS,) if corpora.reference else ()
    statements = {name: _unordered(request, (*keys, *more)) for name, request in prepared.items()}
    sql = union_statement(statements) if question.requests else next(iter(statements.values()))
    requests = tuple(prepared.values())
    groups = Groups(sql, tuple(names), corpora.searched)
    if question.grid:
        return _plan_grid(engine, question, requests, groups)
    sql = _measures_statement(groups, question, corpora.reference)
    percent = frozenset({"share", "share_low", "share_high"} if question.ci else {"share"} if question.share else ())
    explained = not question.requests and question.min_count == 1
    return PlannedQuestion(requests, sql, sql, lambda rows: Result(rows, percent=percent), explained)


def _measures_statement(groups: Groups, question: Question, reference: Sequence[str]) -> str:
    least, most, sort = question.min_count, question.limit, question.sort
    if reference:
        return group_tables.keyness_statement(groups, reference, min_count=least, limit=most, sort=sort)
    if question.association:
        return group_tables.association_statement(groups, min_count=least, limit=most, sort=sort)
    return group_tables.counts_statement(
        groups, share=question.share, per_million=question.per_million, min_count=least, limit=most, sort=sort,
        ci=question.ci,
    )  # fmt: skip


def _plan_grid(
    engine: Engine, question: Question, requests: tuple[PreparedRequest, ...], groups: Groups
) -> PlannedQuestion:
    sql = group_tables.counts_statement(groups, share=None, per_million=False, min_count=1, limit=None)
    words = _words(engine, groups.corpora) if question.per_million else None

    def finish(rows: pa.Table) -> Result:
        grid = grid_of(rows, share=question.share, words=words, limit=question.limit, entropy=question.entropy)
        percent = frozenset(grid.column_names[1:] if question.share else ())
        if not question.entropy:
            return Result(grid, percent=percent)
        return Grid(grid, percent=percent, of_groups=len(grid) - 1)

    return PlannedQuestion(requests, sql, sql, finish, explained=not question.requests)


def _plan_summary(engine: Engine, question: Question, corpora: _SearchedCorpora) -> PlannedQuestion:
    """Plan a row per request and corpus; of two corpora, the second is the reference unless one is named."""
    prepared = _prepare_requests(engine, question, corpora)
    statements = {name: _unordered(request, (CORPUS, SENTENCE)) for name, request in prepared.items()}
    reference = corpora.reference or (corpora.searched[1:] if len(corpora.searched) == 2 else ())
    sql = summary_statement(statements, corpora.searched, reference, question.limit)
    return PlannedQuestion(tuple(prepared.values()), sql, sql, Result)


def _prepare_requests(engine: Engine, question: Question, corpora: _SearchedCorpora) -> dict[str, PreparedRequest]:
    """Return the compiled requests by name, with their groups or else counts; an only request may have no name."""
    named = question.requests or {"": str(question.request)}
    return {
        name: prepare(
            engine, text, language=question.language, by=question.by, whether=question.whether,
            count=not question.grouped, corpora=corpora.chosen, enhanced=question.enhanced, group=question.group,
        )
        for name, text in named.items()
    }  # fmt: skip


def _unordered(prepared: PreparedRequest, keys: Sequence[Key]) -> str:
    """Return the statement of the groups by some keys, in any order."""
    return prepared.select(replace(prepared.selection, by=tuple(keys), count=False, ordered=False)).sql


def _find_corpora(engine: Engine, question: Question) -> _SearchedCorpora:
    reference = tuple(dict.fromkeys(as_texts(question.reference)))
    chosen = tuple(as_list(question.corpus) or ())
    kind = KINDS[question.language]
    if reference:
        searched_corpora(engine, reference, kind)
    corpora = searched_corpora(engine, chosen, kind) or tuple(loading.corpus_names(engine))
    searched = tuple(dict.fromkeys([*corpora, *reference]))
    if reference and not set(searched) - set(reference):
        raise UsageError(
            f"{', '.join(reference)} would be compared with itself; name another corpus (--corpus) or reference"
        )
    return _SearchedCorpora(searched, reference, searched if reference else chosen or None)


def _words(engine: Engine, corpora: Sequence[str]) -> dict[str, int]:
    """Return the number of words of some corpora."""
    words = dict(engine.rows("SELECT c.corpus, c.n_words FROM corpora AS c"))
    return {name: int(words[name]) for name in corpora}


TOTAL = "total"
"""Name of the row and of the column of totals."""

MAX_COLUMNS = 1000
"""Maximum number of columns of a grid."""

ENTROPY = "entropy"
"""Name of the row of entropies."""

MAX_CELLS = 20_000_000
"""Maximum number of cells of a grid: 160 MB of counts."""


def grid_of(
    groups: pa.Table, *, share: str | None, words: Mapping[str, int] | None, limit: int | None, entropy: bool = False
) -> pa.Table:
    """Return groups as a grid, the values with most matches first, the totals last.

    groups: two keys and `count`. share: `row`, `column` or `all`, the total that counts are divided by. words: by
    corpus, for rates per million words. limit: maximum number of rows; the totals are always those of all groups.
    entropy: whether a further row has that of each column, in bits, also of all groups. Raises UsageError for a grid
    that is too large.
    """
    names = groups.column_names[:2]
    counts = groups["count"].to_numpy()
    (row_at, rows), (column_at, columns) = (order_values(groups[name], counts) for name in names)
    shown = len(rows) if limit is None else min(limit, len(rows))
    _check_size(names, shown, len(columns))
    cells = count_cells((shown + 1, len(columns)), (np.minimum(row_at, shown), column_at), counts)
    cells = np.delete(cells, shown, axis=0)  # the sum of the rows beyond the limit
    values = _divided(cells, share, _words_of_cells(names, rows[:shown], columns, words))
    labels = [str(names[0]), *_distinct([*columns, TOTAL], names[0])]
    names_of_rows = [*rows[:shown], TOTAL]
    if entropy:
        names_of_rows.append(ENTROPY)
        values = np.vstack([values, _entropies(counts, row_at, column_at, len(columns))])
    return pa.table([pa.array(names_of_rows), *(pa.array(column) for column in values.T)], labels)


def _entropies(counts: Numbers, row_at: Numbers, column_at: Numbers, n_columns: int) -> Numbers:
    """Return the entropy of the rows in every column, and in all together, in bits: float64[columns + 1]."""
    of_rows = np.bincount(row_at, counts)
    weights = [*(counts[column_at == column] for column in range(n_columns)), of_rows[of_rows > 0]]
    bits = [np.log2(n.sum()) - (n * np.log2(n)).sum() / n.sum() if len(n) else 0.0 for n in weights]
    return np.maximum(bits, 0.0)  # of one value, it may be rounded to less


def _check_size(names: list[str], rows: int, columns: int) -> None:
    if columns > MAX_COLUMNS:
        raise UsageError(
            f"{names[1]} has {columns:,} values, and a grid at most {MAX_COLUMNS:,} columns; exchange the keys, or "
            "choose one with fewer values"
        )
    if rows * columns > MAX_CELLS:
        raise UsageError(f"a grid of {rows:,} rows and {columns:,} columns is too large; limit its rows (--limit)")


def _words_of_cells(
    names: list[str], rows: list[str], columns: list[str], words: Mapping[str, int] | None
) -> Numbers | None:
    """Return the number of words that each cell counts in: of a corpus in its row or column, of all elsewhere."""
    if words is None:
        return None
    total = sum(words.values())
    totals = np.full((len(rows) + 1, len(columns) + 1), total, np.float64)
    if names[1] == CORPUS.name:
        totals[:, :-1] = [words[name] for name in columns]
    if names[0] == CORPUS.name:
        totals[:-1] = np.array([words[name] for name in rows], np.float64).reshape(-1, 1)
    return totals


def _divided(cells: Numbers, share: str | None, words: Numbers | None) -> Numbers:
    if words is not None:
        rates: Numbers = np.divide(cells * 1e6, words, out=np.full(cells.shape, np.nan), where=words > 0)
        return rates
    return cells if share is None else shares_of_totals(cells, share, nothing=0.0)


def _distinct(names: Iterable[str], first: str) -> list[str]:
    """Return names of columns, numbered where a name, in any case, was used before them: the last ones keep `total`."""
    distinct_names: list[str] = []
    used = {first.lower(), TOTAL}
    *values, last = names
    for name in values:
        number, distinct = 1, name
        while distinct.lower() in used:
            number += 1
            distinct = f"{name} {number}"
        used.add(distinct.lower())
        distinct_names.append(distinct)
    return [*distinct_names, last]


REQUEST = "request"
"""The column with the name of a request, the first key of groups."""


def union_statement(statements: Mapping[str, str]) -> str:
    """Return one statement of the rows of all requests, the name of the request first. statements: by this name."""
    parts = (f"SELECT {literal(name)}, m.*\nFROM (\n{sql}\n) AS m" for name, sql in statements.items())
    return "\nUNION ALL\n".join(parts)


def summary_statement(
    statements: Mapping[str, str], corpora: Sequence[str], reference: Sequence[str], limit: int | None
) -> str:
    """Return the statement of a row per request and corpus: matches, sentences with matches, rate per million words.

    With a reference also keyness, of each other corpus against all corpora of the reference together. statements: by
    name of the request, the counts of matches by corpus and sentence. corpora: in the order of the rows.
    """
    names = ", ".join(f"({number}, {literal(name)})" for number, name in enumerate(statements, 1))
    places = ", ".join(f"({number}, {literal(name)})" for number, name in enumerate(corpora, 1))
    counts = f"""\
SELECT r.place AS request_place, r.request, p.place AS corpus_place, p.corpus, c.n_words AS words,
       CAST(coalesce(sum(m.count), 0) AS BIGINT) AS matches, count(m.sentence) AS sentences
FROM (VALUES {names}) AS r(place, request)
CROSS JOIN (VALUES {places}) AS p(place, corpus)
JOIN corpora AS c ON c.corpus = p.corpus
LEFT JOIN (
{union_statement(statements)}
) AS m(request, corpus, sentence, count) ON m.request = r.request AND m.corpus = p.corpus
GROUP BY r.place, r.request, p.place, p.corpus, c.n_words"""
    columns = "n.request, n.corpus, n.matches, n.sentences, per_million(n.matches, n.words) AS per_million"
    order = "ORDER BY n.request_place, n.corpus_place" + ("" if limit is None else f"\nLIMIT {limit}")
    if not reference:
        return f"SELECT {columns}\nFROM (\n{counts}\n) AS n\n{order}"
    is_reference = f"n.corpus IN ({', '.join(map(literal, reference))})"
    compared = "n.matches, n.words, o.matches, o.words"
    return f"""\
WITH counts AS (
{counts}
)
SELECT {columns},
       CASE WHEN {is_reference} THEN NULL ELSE keyness({compared}) END AS g2,
       CASE WHEN {is_reference} THEN NULL ELSE log_ratio({compared}) END AS log_ratio
FROM counts AS n
JOIN (SELECT n.request_place, CAST(sum(n.matches) AS BIGINT) AS matches, CAST(sum(n.words) AS BIGINT) AS words
      FROM counts AS n
      WHERE {is_reference}
      GROUP BY n.request_place) AS o ON o.request_place = n.request_place
{order}"""


WHETHER = "whether "
"""Beginning of the names of keys that split matches by clauses."""

MAX_GROUP = 9
"""Largest number of a group of a regular expression that DuckDB extracts."""


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
    whether_texts = as_texts(whether)
    if language == syntaxes.GREW:
        parsed = parser.parse(request)
        splits = [parser.parse_whether(text) for text in whether_texts]
    else:
        parsed = syntaxes.parse_tree_request(request, language)
        splits = [_tree_whether(text) for text in whether_texts]
        if enhanced:
            raise UsageError("enhanced graphs are those of dependency trees; leave --enhanced out")
    wanted = Selection(
        tuple(parse_keys(columns)), (*parse_keys(by), *splits), count, enhanced=enhanced, limit=limit, offset=offset,
        order=order,
    )  # fmt: skip
    check_wanted(wanted, kwic)
    chosen = searched_corpora(engine, corpora, syntaxes.KINDS[language])
    group_keys = {name: _parse_group_key(name, language) for name in group or {}}
    values = tuple((group_keys[name], value) for name, value in (group or {}).items())
    wanted = replace(wanted, corpora=chosen, group=values)
    if isinstance(parsed, TreeRequest):
        asking = [key for key in (*splits, *group_keys.values()) if isinstance(key.term, syntax.WhetherKey)]
        formulas = {key.name: (syntaxes.parse_tree_relations(key.text, parsed, language), key.text) for key in asking}
        return _prepare_tree(engine, parsed, wanted, kwic, sort, formulas)
    return _prepare_grew(engine, parsed, wanted, kwic, sort)


def _parse_group_key(name: str, language: str) -> Key:
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


def _prepare_grew(
    engine: Engine, parsed: GrewRequest, wanted: Selection, kwic: int | None, sort: str | None
) -> PreparedRequest:
    """wanted: what is asked of matches. kwic: number of words of context of a concordance; sort: its column."""
    keys = wanted.keys
    enhanced = wanted.enhanced or compiler.uses_enhanced_edges(parsed, keys)
    nodes, edges = compiler.bound_names(parsed)
    shown = [name for node in nodes for name in (node, f"{node}.form")] + [f"{edge}.label" for edge in edges]
    wanted = replace(wanted, enhanced=enhanced)
    selection = _selection(engine, wanted, kwic, sort, shown if nodes else [*shown, "text"], [*nodes, *edges])
    _check_expressions(engine, _regular_expressions(parsed, keys))
    if compiler.has_edges(parsed, keys):
        check_heads(engine, selection.corpora, enhanced=enhanced)
    known = Vocabulary(engine, selection.corpora, enhanced)
    names, warnings = vocabulary.resolve_names(known, parsed, keys)
    sql = compiler.compile_request(parsed, selection, names)
    return PreparedRequest(parsed, selection, names, sql, tuple(warnings))


def _prepare_tree(
    engine: Engine, parsed: TreeRequest, wanted: Selection, kwic: int | None, sort: str | None,
    whether: Mapping[str, tuple[Formula, str]],
) -> PreparedRequest:  # fmt: skip
    shown = [key for name in parsed.names for key in (f"{name}.label", f"{name}.text")]
    selection = _selection(engine, wanted, kwic, sort, shown, parsed.names)
    _check_expressions(engine, _tree_expressions(parsed, whether))
    _check_groups(engine, parsed, whether)
    vocabulary.check_comments(Vocabulary(engine, selection.corpora), wanted.keys)
    rules = head_rules_of(engine, selection.corpora)
    tops = has_tops(engine, selection.corpora)
    sql = compile_statement(parsed, selection, whether, rules, tops=tops)
    return PreparedRequest(parsed, selection, NameProperties(), sql, whether=whether, head_rules=rules, tops=tops)


def _selection(
    engine: Engine, wanted: Selection, kwic: int | None, sort: str | None, default: Sequence[str], names: Sequence[str]
) -> Selection:
    """Return what is selected. default: the columns of matches where none are named; names: those that are bound."""
    if kwic is not None:
        around = tuple(concordance_columns(engine, wanted, kwic))
        wanted = replace(wanted, columns=around, sort=parse_sort(sort, kwic))
    elif not wanted.count and not wanted.by:
        chosen = ", ".join([*sentence_columns(engine, wanted.corpora), *default])
        shown = with_sentence(wanted.columns) if wanted.columns else parser.parse_keys(chosen)
        wanted = replace(wanted, columns=tuple(shown))
    sides = context_sides(engine, wanted)
    columns, by = (contexts.with_contexts(keys, sides, names) for keys in (wanted.columns, wanted.by))
    return replace(wanted, columns=tuple(columns), by=tuple(by))


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
    for text, condition in _tree_conditions(request, whether):
        if isinstance(condition, OneOf):
            yield from ((text, value, condition.span) for value in condition.values if isinstance(value, Regex))


def _tree_conditions(
    request: TreeRequest, whether: Mapping[str, tuple[Formula, str]]
) -> Iterator[tuple[str, OneOf | SameValue | Shape]]:
    """Yield the conditions of a request and of what splits its matches, each with its text."""
    formulas = [(request.formula, request.text), (request.head.condition, request.text), *whether.values()]
    for formula, text in formulas:
        yield from ((text, condition) for condition in conditions_of(formula))


def _check_groups(engine: Engine, request: TreeRequest, whether: Mapping[str, tuple[Formula, str]]) -> None:
    """Raise RequestError for a group that its regular expression, which RE2 accepts, does not have."""
    for text, condition in _tree_conditions(request, whether):
        if not isinstance(condition, SameValue) or condition.pattern is None or condition.group == 0:
            continue
        names = ", ".join(f"'{number}'" for number in range(1, min(condition.group, MAX_GROUP) + 1))
        try:
            engine.rows(f"SELECT regexp_extract('', $pattern, [{names}])", {"pattern": condition.pattern})
        except StatementError:
            known = False
        else:
            known = condition.group <= MAX_GROUP
        if not known:
            what = f"the expression has no group {condition.group}"
            raise RequestError(
                text, condition.span.start, what, f"groups are counted from 1 to {MAX_GROUP}, by their `(`"
            )


def _regular_expressions(request: GrewRequest, keys: Iterable[Key]) -> Iterator[tuple[str, Regex, Span]]:
    for text, clause in vocabulary.clauses_with_texts(request, keys):
        for test in vocabulary.tests_of(clause):
            yield from ((text, value, test.span) for value in test.values if isinstance(value, Regex))
        if isinstance(clause, syntax.Edge) and isinstance(clause.labels, syntax.Labels):
            yield from ((text, value, clause.span) for value in clause.labels.values if isinstance(value, Regex))
        if isinstance(clause, syntax.FeatureComparison) and isinstance(clause.right, Regex):
            yield text, clause.right, clause.span


_TREES = {
    "dependency": ("dependency trees", "this request is for annotated words, such as those of CoNLL-U"),
    "constituency": ("constituency trees", "a Grew request, for dependency trees, begins with `pattern {`"),
}


def searched_corpora(engine: Engine, chosen: Sequence[str] | None, kind: str) -> tuple[str, ...] | None:
    """Return the corpora to search, None for all. kind: of the corpora that requests are for.

    Words without heads are searched, too: see `check_heads`.

    Raises UnknownName, UsageError, DatabaseError.
    """
    sql = "SELECT c.corpus, c.kind FROM corpora AS c ORDER BY c.loaded_at, c.corpus"
    kinds: dict[str, str] = dict(engine.rows(sql))
    if not kinds:
        raise DatabaseError("the database has no corpus; load one first")
    trees, hint = _TREES[kind]
    chosen = None if chosen is None else loading.chosen_corpora(chosen, list(kinds))
    for name in chosen or ():
        if kinds[name] != kind:
            raise UsageError(f"{name!r} has {readers.describe_kind(kinds[name])}, not {trees}; {hint}")
    corpora_of_kind = tuple(name for name, corpus_kind in kinds.items() if corpus_kind == kind)
    if not corpora_of_kind:
        raise DatabaseError(f"there are no {trees} here; {hint}")
    if chosen:
        return tuple(dict.fromkeys(chosen))
    return None if len(corpora_of_kind) == len(kinds) else corpora_of_kind


def check_heads(engine: Engine, corpora: Sequence[str] | None, *, enhanced: bool) -> None:
    """Raise DatabaseError if no word of the corpora has a head. enhanced: or an enhanced edge."""
    among = "TRUE" if corpora is None else f"w.corpus IN ({', '.join(map(literal, corpora))})"
    tables = {"words": "w.head IS NOT NULL", **({"enhanced_edges": "TRUE"} if enhanced else {})}
    for table, has_head in tables.items():
        if engine.rows(f"SELECT 1 FROM {table} AS w WHERE {among} AND {has_head} LIMIT 1"):
            return
    raise DatabaseError("the database has no dependency trees; requests with edges need words with heads")


def sentence_columns(engine: Engine, corpora: Sequence[str] | None) -> list[str]:
    """Return the columns that identify a sentence: its corpus if there are several, and its number if it has no id."""
    several = len(corpora or loading.corpus_names(engine)) > 1
    unnamed = engine.rows("SELECT 1 FROM sentences AS s WHERE s.sent_id IS NULL LIMIT 1")
    return ["corpus"] * several + ["sentence"] * bool(unnamed) + ["sent_id"]


def head_rules_of(engine: Engine, corpora: Sequence[str] | None) -> dict[str, str]:
    """Return the set of head rules of every searched constituency corpus: by edge labels where its format has them."""
    sql = "SELECT c.corpus, c.format FROM corpora AS c WHERE c.kind = 'constituency' ORDER BY c.loaded_at, c.corpus"
    return {name: kinds.head_rules_of(form) for name, form in engine.rows(sql) if corpora is None or name in corpora}


NO_LIMIT = "the limit is a number of rows or drawings, at least 0"
"""What is wrong with a limit below 0."""


def as_texts(values: str | Sequence[str]) -> list[str]:
    """Return one text or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def parse_keys(texts: str | Sequence[str]) -> list[Key]:
    """Return the keys of one text or several. Raises RequestError, UsageError."""
    written = [] if texts == "" else as_texts(texts)
    if not all(text.strip() for text in written):
        raise UsageError("a key is empty; write keys, with commas between, such as X.lemma, or leave them out")
    return [key for text in written for key in parser.parse_keys(text)]


def check_wanted(wanted: Selection, kwic: int | None) -> None:
    """Raise UsageError for outputs that exclude each other, or a limit that is none."""
    if bool(wanted.columns or kwic is not None) + bool(wanted.by) + wanted.count > 1:
        raise UsageError(
            "columns (of matches or of a concordance), groups (by, whether) and the count exclude each other; "
            "choose one of them"
        )
    if wanted.limit is not None and wanted.limit < 0:
        raise UsageError(NO_LIMIT)


def with_sentence(keys: Sequence[Key]) -> Sequence[Key]:
    """Return the requested columns, preceded by the sentence's id unless it is among them."""
    return keys if any(key.name == "sent_id" for key in keys) else [*parser.parse_keys("sent_id"), *keys]


def concordance_columns(engine: Engine, selection: Selection, words: int) -> list[Key]:
    """Return the sentence, the requested columns, and the words before, in and after the match."""
    if words < 0:
        raise UsageError(f"a concordance has words of context, not {words}; write kwic=0 or more")
    chosen = [key for key in selection.columns if key.name not in contexts.SIDES]
    named = {key.name for key in chosen}
    sentence = [name for name in sentence_columns(engine, selection.corpora) if name not in named]
    return [
        *(parser.parse_keys(", ".join(sentence)) if sentence else ()),
        *chosen,
        *(Key(_side(name, words), name, name) for name in contexts.SIDES),
    ]


def parse_sort(sort: str | None, words: int) -> ContextKey | None:
    """Return the context that a concordance is sorted by. Raises UsageError."""
    if sort is not None and sort not in contexts.SIDES:
        raise UsageError(f"a concordance is not sorted by {sort!r}; choose one of {', '.join(contexts.SIDES)}")
    return None if sort is None else _side(sort, words)


def context_sides(engine: Engine, selection: Selection) -> Collection[str]:
    """Return the keys that are contexts: `text`, too, if a sentence has no such comment."""
    sides: tuple[str, ...] = contexts.SIDES
    if any(key.name == contexts.TEXT for key in selection.keys):
        among = Vocabulary(engine, selection.corpora)
        sides += (contexts.TEXT,) * among.has_sentence_without_text()
    return sides


def _side(name: str, words: int) -> ContextKey:
    return ContextKey(name, None if name == contexts.MATCH else words, None, Span(0, len(name)))
