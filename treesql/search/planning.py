"""Questions to statements: the requests of a question compiled, and the statement of its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.results.concordance import Concordance
from treesql.results.result import Result
from treesql.scoring.treebank_inputs import as_list
from treesql.search import group_tables, preparation, request_tables
from treesql.search.columns import as_texts
from treesql.search.corpora import searched_corpora
from treesql.search.grew import contexts
from treesql.search.grew.syntax import CORPUS, SENTENCE, ContextKey, Key, Span
from treesql.search.grids import grid_of
from treesql.search.group_tables import Groups
from treesql.search.question import Question
from treesql.search.request import PreparedRequest
from treesql.search.request_tables import REQUEST
from treesql.search.selection import distinct_keys
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
    prepared = preparation.prepare(
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
    prepared = preparation.prepare(
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
    statements = {name: _unordered(one, (*keys, *more)) for name, one in prepared.items()}
    sql = request_tables.union_statement(statements) if question.requests else next(iter(statements.values()))
    requests = tuple(prepared.values())
    groups = Groups(sql, tuple(names), corpora.searched)
    if question.grid:
        return _plan_grid(engine, question, requests, groups)
    sql = _measures_statement(groups, question, corpora.reference)
    percent = frozenset({"share"} if question.share else ())
    explained = not question.requests and question.min_count == 1
    return PlannedQuestion(requests, sql, sql, lambda rows: Result(rows, percent=percent), explained)


def _measures_statement(groups: Groups, question: Question, reference: Sequence[str]) -> str:
    least, most = question.min_count, question.limit
    if reference:
        return group_tables.keyness_statement(groups, reference, min_count=least, limit=most)
    if question.association:
        return group_tables.association_statement(groups, min_count=least, limit=most)
    return group_tables.counts_statement(
        groups, share=question.share, per_million=question.per_million, min_count=least, limit=most
    )


def _plan_grid(
    engine: Engine, question: Question, requests: tuple[PreparedRequest, ...], groups: Groups
) -> PlannedQuestion:
    sql = group_tables.counts_statement(groups, share=None, per_million=False, min_count=1, limit=None)
    words = _words(engine, groups.corpora) if question.per_million else None

    def finish(rows: pa.Table) -> Result:
        grid = grid_of(rows, share=question.share, words=words, limit=question.limit)
        return Result(grid, percent=frozenset(grid.column_names[1:] if question.share else ()))

    return PlannedQuestion(requests, sql, sql, finish, explained=not question.requests)


def _plan_summary(engine: Engine, question: Question, corpora: _SearchedCorpora) -> PlannedQuestion:
    """Plan a row per request and corpus; of two corpora, the second is the reference unless one is named."""
    prepared = _prepare_requests(engine, question, corpora)
    statements = {name: _unordered(one, (CORPUS, SENTENCE)) for name, one in prepared.items()}
    reference = corpora.reference or (corpora.searched[1:] if len(corpora.searched) == 2 else ())
    sql = request_tables.summary_statement(statements, corpora.searched, reference, question.limit)
    return PlannedQuestion(tuple(prepared.values()), sql, sql, Result)


def _prepare_requests(engine: Engine, question: Question, corpora: _SearchedCorpora) -> dict[str, PreparedRequest]:
    """Return the compiled requests by name, with their groups or else counts; an only request may have no name."""
    named = question.requests or {"": str(question.request)}
    return {
        name: preparation.prepare(
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
    found = searched_corpora(engine, chosen, kind) or tuple(loading.corpus_names(engine))
    searched = tuple(dict.fromkeys([*found, *reference]))
    if reference and not set(searched) - set(reference):
        raise UsageError(
            f"{', '.join(reference)} would be compared with itself; name another corpus (--corpus) or reference"
        )
    return _SearchedCorpora(searched, reference, searched if reference else chosen or None)


def _words(engine: Engine, corpora: Sequence[str]) -> dict[str, int]:
    """Return the number of words of some corpora."""
    words = dict(engine.rows("SELECT c.corpus, c.n_words FROM corpora AS c"))
    return {name: int(words[name]) for name in corpora}
