"""Searches: a request on a database or a file, with its matches, sentences, drawings, statement and costs."""

from __future__ import annotations

import io
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, TypeVar, Unpack

from treesql import readers
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB
from treesql.engines.streams import ReportProgress, run_interruptibly
from treesql.errors import NothingFound, TreesqlError, TreesqlWarning, UsageError, issue
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.runtime.limits import Limit, LimitedEngine, check_seconds
from treesql.scoring.treebank_inputs import open_treebanks
from treesql.search import costs, drawings, planning, running
from treesql.search.costs import ClauseCost
from treesql.search.drawings import DrawnMatch
from treesql.search.grew import compiler
from treesql.search.planning import NO_LIMIT, PlannedQuestion, as_texts
from treesql.search.question import Asked, Question
from treesql.search.request import PreparedRequest
from treesql.storage.corpus_plans import Inputs, as_paths, each_of
from treesql.writers import conllu

DRAWN_IN_NOTEBOOK = 3
"""Maximum number of matches that a notebook draws."""

MAX_WARNINGS = 20
"""Maximum number of warnings about the names of a request."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class SearchCosts:
    """What a search costs: the number of words or edges that match each clause alone, its statement, DuckDB's plan."""

    clauses: tuple[ClauseCost, ...]
    sql: str
    plan: str

    def __str__(self) -> str:
        lines = []
        for cost in self.clauses:
            counted = "" if cost.matches is None else f"  -- {cost.matches:,} {cost.what}{'s' * (cost.matches != 1)}"
            lines.append(f"{cost.item} {{ {cost.clause} }}{counted}")
        return "\n".join([*lines, "", self.sql, "", self.plan])


@dataclass(frozen=True)
@convert_errors_of_class
class DrawnMatches:
    """The first matches of a search, drawn. matches: number of all matches."""

    drawn: tuple[DrawnMatch, ...]
    matches: int
    request: str

    def text(self, *, width: int | None = None, colour: bool = False) -> str:
        """The drawings as text. width: of a row in columns; colour: whether to use terminal colours."""
        return "\n".join(f"{drawing.title}\n\n{drawing.text(width, colour)}" for drawing in self.drawn)

    def svg(self) -> str:
        """The drawing as an SVG document. Raises UsageError unless there is one."""
        if len(self.drawn) != 1:
            n = len(self.drawn)
            raise UsageError(f"a picture has one drawing, and here are {n}; choose -o FILE.html or --limit 1")
        [drawing] = self.drawn
        return drawing.svg()

    def html(self) -> str:
        """One self-contained HTML page with all drawings."""
        return pages.render("drawings.html", title="Matches", figures=self.figures, request=self.request)

    def _repr_html_(self) -> str:
        return pages.notebook(*self.notebook_figures)

    @property
    def figures(self) -> list[Figure]:
        """The drawings for a page."""
        return [drawing.figure for drawing in self.drawn]

    @property
    def notebook_figures(self) -> list[Figure]:
        """The drawings for a notebook, each with its title."""
        return [drawing.in_notebook for drawing in self.drawn]

    def __len__(self) -> int:
        return len(self.drawn)

    def __str__(self) -> str:
        return self.text().rstrip("\n")


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Matches(Result):
    """A row per match. Notebooks draw the first matches above the table, as long as the database is open."""

    _draw: Callable[[int], DrawnMatches] | None = field(default=None, compare=False)

    def draw(self, limit: int = drawings.DEFAULT_MATCHES) -> DrawnMatches:
        """Return drawings of the first matches, for which the request runs again. Raises UsageError, DatabaseError."""
        if limit < 0:
            raise UsageError(NO_LIMIT)
        if self._draw is None:
            raise UsageError("these matches cannot be drawn; `prepare(...).draw()` draws those of a request")
        return self._draw(limit)

    def _repr_html_(self) -> str:
        with warnings.catch_warnings(), suppress(TreesqlError):
            warnings.simplefilter("ignore", TreesqlWarning)
            return self._in_notebook(*self.draw(DRAWN_IN_NOTEBOOK).notebook_figures)
        return self._in_notebook()


class Search:
    """Requests on a database, or on files and folders, made by `prepare`.

    It is used as a context manager, or closed. Every method runs the request; `timeout` is its maximum number of
    seconds, 0 for no limit, 60 if left out, and `progress` is called ten times a second with the percentage that is
    done and 100, and lets Ctrl-C end the search at once. Where nothing matches, they warn with NothingFound.
    """

    def __init__(
        self,
        limited: LimitedEngine[Any],
        planned: PlannedQuestion,
        *,
        timeout: float | None = None,
    ) -> None:
        """timeout: limit by default."""
        self._limits, self._planned = limited, planned
        check_seconds(timeout)
        self._timeout = running.DEFAULT_SECONDS if timeout is None else timeout
        self._opened = ExitStack()
        warnings = list(dict.fromkeys(warning for request in planned.requests for warning in request.warnings))
        for warning in warnings[:MAX_WARNINGS]:
            issue(warning)
        if len(warnings) > MAX_WARNINGS:
            issue(f"{len(warnings) - MAX_WARNINGS:,} further names of the request are unknown")

    @property
    def _engine(self) -> Engine:
        engine: Engine = self._limits.engine
        return engine

    @property
    def sql(self) -> str:
        """The statement that finds the matches."""
        return self._planned.sql

    @property
    def keys(self) -> list[str]:
        """Keys to count matches by: labels of named edges, lemmas and tags; of constituents, their labels and texts."""
        tree = self._prepared.tree
        if tree is not None:
            return [f"{name}.{key}" for key in ("label", "text") for name in tree.names]
        nodes, edges = compiler.bound_names(self._prepared.grew)
        return [f"{edge}.label" for edge in edges] + [f"{name}.{key}" for key in ("lemma", "upos") for name in nodes]

    @property
    def _prepared(self) -> PreparedRequest:
        return self._planned.request

    @convert_errors
    def matches(self, *, timeout: float | None = None, progress: ReportProgress | None = None) -> Result:
        """Return a row per match, or per group of matches. Raises TimeLimit, MemoryLimit, QueryError, UsageError."""
        return self._matches_within(self._limits.new_limit(self._seconds(timeout)), progress)

    def _matches_within(self, within: Limit, progress: ReportProgress | None) -> Result:
        table, why = self._run(lambda: running.find_table_within(self._engine, self._planned, within), progress, within)
        _issue_reasons(why)
        result = self._planned.finish(table)
        if not (self._planned.drawn and len(result)):
            return result
        planned, timeout, limits = self._planned, self._timeout, weakref.ref(self._limits)

        def draw(limit: int) -> DrawnMatches:
            engine = limits()
            if engine is None:
                raise UsageError("the database of these matches is closed; find them again")
            chosen = replace(planned.request, selection=replace(planned.request.selection, limit=limit))
            return Search(engine, replace(planned, requests=(chosen,)), timeout=timeout).draw()

        return Matches(result.arrow(), result.signatures, result.percent, _draw=draw)

    @convert_errors
    def sentences(self, *, timeout: float | None = None, progress: ReportProgress | None = None) -> Iterator[bytes]:
        """Return the sentences with matches as CoNLL-U, as they were read, in large parts. Raises as `matches` does."""
        if self._prepared.tree is not None:
            raise UsageError("sentences as CoNLL-U are those of dependency trees; choose rows, or drawings")
        seconds = self._seconds(timeout)
        numbers_by_corpus, why = self._run(
            lambda: running.find_sentences(self._engine, self._prepared, seconds), progress
        )
        _issue_reasons(why)
        size = conllu.SENTENCES_AT_ONCE
        runs = (
            (name, numbers[at : at + size])
            for name, numbers in numbers_by_corpus.items()
            for at in range(0, len(numbers), size)
        )
        return (self._conllu(corpus, run) for corpus, run in runs)

    @convert_errors
    def _conllu(self, corpus: str, sentences: Sequence[int]) -> bytes:
        part = io.BytesIO()
        conllu.write_chosen(self._engine, corpus, sentences, part)
        return part.getvalue()

    @convert_errors
    def draw(
        self, *, counted: bool = True, timeout: float | None = None, progress: ReportProgress | None = None
    ) -> DrawnMatches:
        """Return drawings of the first 10 matches, or of `limit`. Raises what `matches` raises.

        counted: whether `matches` is the number of all matches, which takes a second statement, or of those drawn.
        """
        seconds = self._seconds(timeout)
        drawn, matches, why = self._run(
            lambda: drawings.draw_matches(self._engine, self._prepared, seconds, counted=counted), progress
        )
        _issue_reasons(why)
        return DrawnMatches(tuple(drawn), matches, self._prepared.request.text)

    @convert_errors
    def count(self, *, timeout: float | None = None, progress: ReportProgress | None = None) -> int:
        """Return the number of all matches, whatever the limit of their rows. Raises what `matches` raises."""
        seconds, counted = self._seconds(timeout), self._prepared.select_count()
        table, why = self._run(lambda: running.find_matches(self._engine, counted, seconds), progress)
        _issue_reasons(why)
        return int(table["count"][0].as_py())

    @convert_errors
    def explain(self, *, progress: ReportProgress | None = None) -> SearchCosts:
        """Return the number of words or edges that match each clause, the statement, and DuckDB's plan."""
        clauses, plan = self._run(
            lambda: (
                costs.clause_costs(self._engine, self._prepared),
                costs.query_plan(self._engine, self._prepared),
            ),
            progress,
        )
        return SearchCosts(tuple(clauses), self.sql, plan)

    def _seconds(self, timeout: float | None) -> float:
        check_seconds(timeout)
        return self._timeout if timeout is None else timeout

    def _run(self, work: Callable[[], Found], progress: ReportProgress | None, within: Limit | None = None) -> Found:
        """Run work within a limit; by default that of memory alone, for work that limits its time itself."""
        limit = within or self._limits.new_limit(0)
        return self._limits.run(lambda: run_interruptibly(self._engine, work, progress), limit)

    def close(self) -> None:
        """Close what was opened for the search; a database that was open stays open."""
        self._opened.close()

    def __enter__(self) -> Search:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@convert_errors
def prepare(
    source: Inputs,
    request: str | None = None,
    *,
    each: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
    **asked: Unpack[Asked],
) -> Search:
    """Prepare a request, for its matches, its sentences, drawings, its SQL or its costs.

    Parameters as for `find`. Warns with TreesqlWarning. Raises RequestError, UnknownName, UsageError, InvalidInput,
    DatabaseError.
    """
    question = Question(request, **asked)
    with ExitStack() as stack, readers.max_sentence(max_sentence):
        opened = _open(_paths(source), question, each=each, permissive=permissive, strict=strict)
        engine = stack.enter_context(opened)
        search = Search(LimitedEngine(engine), planning.plan(engine, question))
        search._opened = stack.pop_all()
        return search


@convert_errors
def find(
    source: Inputs, request: str | None = None, *, requests: Mapping[str, str] | None = None,
    columns: str | Sequence[str] = (), by: str | Sequence[str] = (), whether: str | Sequence[str] = (),
    count: bool = False, kwic: int | None = None, sort: str | None = None, grid: bool = False,
    share: str | None = None, ci: bool = False, entropy: bool = False, per_million: bool = False,
    association: bool = False, reference: str | Sequence[str] = (), min_count: int = 1,
    corpus: str | Sequence[str] | None = None, enhanced: bool = False, limit: int | None = None,
    syntax: str | None = None, group: Mapping[str, str] | None = None, offset: int = 0, order: str | None = None,
    each: str | None = None, timeout: float | None = None, permissive: bool = False, strict: bool = False,
    max_sentence: int | str | None = None, progress: ReportProgress | None = None,
) -> Result:  # fmt: skip
    """Return a row per match of a request, for example `find("x.conllu", "pattern { V -[obj]-> O }")`.

    source: a database; or a file, in its place bytes, an open file or a list of sentences, or a folder whose files are
    one treebank, or a list of several. each: `file` or `folder`, to make every file or folder a treebank, named as
    `treesql.load` names corpora. request, requests, columns, by, whether, count, kwic, sort, grid, share, ci, entropy,
    per_million, association, reference, min_count, corpus, enhanced, limit, syntax, group, offset, order, timeout: as
    for `Database.find`. permissive, strict, max_sentence: of files, as for `treesql.load`. progress: as for `Search`.
    Warns with TreesqlWarning, and with NothingFound of reasons why nothing matches. Raises RequestError, TimeLimit,
    MemoryLimit, UnknownName, UsageError, InvalidInput, DatabaseError, QueryError.
    """
    paths = _paths(source)
    question = Question(
        request, requests=requests or {}, columns=columns, by=by, whether=whether, count=count, kwic=kwic,
        sort=sort, grid=grid, share=share, ci=ci, entropy=entropy, per_million=per_million, association=association,
        reference=reference, min_count=min_count, corpus=corpus, enhanced=enhanced, limit=limit, syntax=syntax,
        group=group or {}, offset=offset, order=order,
    )  # fmt: skip
    with (
        readers.max_sentence(max_sentence),
        _open(paths, question, each=each, permissive=permissive, strict=strict) as engine,
    ):
        return find_within(LimitedEngine(engine), question, timeout=timeout, progress=progress)


def _paths(source: Inputs) -> list[str]:
    """Return the paths of one input or several. Raises UsageError, InvalidInput."""
    return as_paths(each_of(source) if isinstance(source, Sequence) else [source], "source")


def _open(
    paths: Sequence[str], question: Question, *, each: str | None, permissive: bool, strict: bool
) -> AbstractContextManager[DuckDB]:
    """Return an engine of what is searched: of files and folders, only the corpora of a question are read."""
    corpora = [*as_texts(question.corpus), *as_texts(question.reference)] if question.corpus else None
    return open_treebanks(paths, None, warn=issue, corpora=corpora, each=each, permissive=permissive, strict=strict)


def find_within(
    limited: LimitedEngine[Any], question: Question, *, timeout: float | None, progress: ReportProgress | None
) -> Result:
    """Plan a question and return its matches, both within one limit of time. Parameters and errors as for `find`."""
    check_seconds(timeout)
    limit = limited.new_limit(running.DEFAULT_SECONDS if timeout is None else timeout)
    planned = limited.run(lambda: planning.plan(limited.engine, question), limit)
    return Search(limited, planned, timeout=timeout)._matches_within(limit, progress)


def _issue_reasons(reasons: Sequence[str]) -> None:
    for reason in reasons:
        issue(reason, NothingFound)
