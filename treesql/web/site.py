"""The site of a database: from an address to an answer."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import treesql
from treesql import process
from treesql.errors import (
    DatabaseError,
    MemoryLimit,
    QueryError,
    RefusedStatement,
    TimeLimit,
    TreesqlError,
    UnknownName,
)
from treesql.web import answers, rendering
from treesql.web.addresses import HTML, Address
from treesql.web.answer_files import PART
from treesql.web.answers import Answer
from treesql.web.examples import Examples
from treesql.web.faults import describe_failure
from treesql.web.messages import state_of
from treesql.web.pages import corpora, scores, search, sentences, sql
from treesql.web.rendering import DATA
from treesql.web.visits import Visit

PAGES: dict[str, Callable[[Visit], Answer]] = {
    "": corpora.answer_home,
    "corpora": corpora.answer,
    "search": search.answer,
    "sentences": sentences.answer,
    "sql": sql.answer,
    "score": scores.score,
    "compare": scores.compare,
    "report": scores.report,
}
"""The pages, by the first part of their paths."""

REQUEST_FORMS: dict[str, Callable[[Visit], Answer]] = {
    "search": search.answer_form,
    "sql": sql.answer_form,
    "score": scores.answer_form,
    "compare": scores.answer_form,
}
"""The forms of pages alone, in which a request that failed stays."""

FORMS = {"corpora": ("conllu",), "search": ("conllu",), "sentences": ("conllu", "svg")}
"""Formats of pages besides those of tables."""

MAX_TOTALS = 1000
"""Maximum number of searches whose numbers of hits are kept."""

BEGIN_IN_FOLDERS = 32_000_000
"""Number of bytes of an answer from a folder of Parquet that wait until it begins: until then it can be made again, if
the folder has changed meanwhile."""

_ENDS_CONNECTION = (TimeLimit, MemoryLimit, DatabaseError)
"""Errors after which a connection is not used any more."""


class Site:
    """The pages of a database, on a safe read-only connection, which is made anew where its files have changed."""

    def __init__(self, path: str, *, seconds: float) -> None:
        """seconds: limit of a request."""
        self._path, self._seconds = path, seconds
        self._database: treesql.Database | None = None
        self._state: object = None
        self._totals: dict[str, int] = {}
        self._examples = Examples()
        self._visit = self._visit_of(Address((), (), HTML))
        self._must_reconnect = self._reconnects_after = self._is_used = False
        self.begin_at = BEGIN_IN_FOLDERS if os.path.isdir(path) else PART

    def answer(self, path: str, query: str = "") -> Answer:
        """Answer a request; its errors are answers, too. `finish` follows when it was written, or `failure`.

        Raises KeyboardInterrupt.
        """
        self._must_reconnect = self._reconnects_after = True
        self._is_used = False
        self._visit = self._visit_of(Address((), (), HTML))
        try:
            self._visit = self._visit_of(Address.parse(path, query))
            address = self._visit.address
            address.refuse_nul()
            first = address.parts[0] if address.parts else ""
            if first not in PAGES:
                raise UnknownName("page", first, [name for name in PAGES if name])
            known = (HTML, *DATA, *FORMS.get(first, ()))
            if address.form not in known:
                raise UnknownName("format of this page", address.form, known)
            if len(self._totals) > MAX_TOTALS:
                self._totals.clear()
            self._visit = self._visit.with_corpora_of_forms()
            answer = PAGES[first](self._visit)
            self._reconnects_after = first == "sql" and not sql.leaves_nothing(address.get("q"))
            return answer
        except Exception as error:
            return self.failure(error)

    def finish(self) -> None:
        """Keep the connection for further requests, unless the last one, which is over, may have left something."""
        self._must_reconnect = self._reconnects_after

    def failure(self, error: BaseException) -> Answer:
        """The answer to the last request, which has failed. Raises KeyboardInterrupt for an error that reports one."""
        converted = process.as_treesql_error(error)
        if isinstance(converted, KeyboardInterrupt):
            raise converted
        if not isinstance(converted, TreesqlError):
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"treesql failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            print(f"{what} ({Path(place.filename).name}, line {place.lineno})", file=sys.stderr)
            return rendering.answer(self._visit, what, "this is an error of treesql; please report it", answers.FAILED)
        self._reconnects_after = self._visit.address.parts[:1] == ("sql",) or isinstance(converted, _ENDS_CONNECTION)
        if isinstance(converted, QueryError) and not isinstance(converted, RefusedStatement):
            what, hint = converted.brief, ""
        else:
            what, hint = answers.said_of(converted)
        status = answers.UNAVAILABLE if isinstance(error, OSError) else answers.status_of(converted)
        visit = replace(self._visit, failure=describe_failure(self._visit.address, converted, what, hint))
        if visit.is_page and (form := REQUEST_FORMS.get((visit.address.parts or ("",))[0])):
            with suppress(TreesqlError):
                return replace(form(visit), status=status, said=(what, hint))
        return rendering.answer(visit, what, hint, status)

    def _visit_of(self, address: Address) -> Visit:
        return Visit(address, self.connect, self._path, self._seconds, self._totals, examples=self._examples)

    def warm(self) -> None:
        """Answer what every page needs once, so that the first request is as fast as others."""
        self.answer("/")
        self.finish()

    def connect(self) -> treesql.Database:
        """Return the connection, a new one if there is none or the database has changed. Raises DatabaseError."""
        self._is_used = True
        state = state_of(self._path)
        if self._database is None or state != self._state:
            self.close()
            if state != self._state:
                self._totals.clear()
                self._examples = Examples()
            self._state = state
            self._database = treesql.connect(
                self._path, read_only=True, existing=True, safe=True, timeout=self._seconds
            )
        return self._database

    def prepare(self) -> None:
        """Connect before the next request, which reports it where that is not possible."""
        with suppress(TreesqlError, OSError):
            self.connect()

    def try_example(self, is_needed: Callable[[], bool] = lambda: False) -> bool:
        """Try a question that pages may offer; return whether there are others. For moments without a request.

        is_needed: whether there is one; it then waits no longer.
        """
        if self._examples.are_left:
            try:
                self._examples.try_next(self.connect, is_needed)
            except (TreesqlError, OSError):  # not offered, then
                self.close()
        return self._examples.are_left

    def has_changed(self) -> bool:
        """Whether the last answer, an error, may be one as files of the folder are not there any more.

        A part is never replaced by another one of its name, so that what was read is that of one state.
        """
        return self._is_used and state_of(self._path) != self._state

    def renew(self) -> None:
        """Close the connection after a request that may have left something: an open result, a temporary view, or
        memory that is in use."""
        if self._must_reconnect or process.memory_is_short():
            self.close()
            self._must_reconnect = False

    def close(self) -> None:
        """Close the connection."""
        if self._database is not None:
            self._database.close()
            self._database = None
            gc.collect()  # errors and their frames are circles, and may hold results that keep the database open

    def __enter__(self) -> Site:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
