"""The site of a database: from an address to an answer."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType

import treesql
from treesql import process
from treesql.errors import DatabaseError, MemoryLimit, QueryError, TimeLimit, TreesqlError, UnknownName
from treesql.web.addresses import HTML, Address
from treesql.web.answers import Answer
from treesql.web.pages import corpora, failure, home, scores, search, sentences, sql
from treesql.web.rendering import DATA
from treesql.web.visits import Visit

PAGES: dict[str, Callable[[Visit], Answer]] = {
    "": home.answer,
    "corpora": corpora.answer,
    "search": search.answer,
    "sentences": sentences.answer,
    "sql": sql.answer,
    "score": scores.score,
    "compare": scores.compare,
    "report": scores.report,
}
"""The pages, by the first part of their paths."""

FORMS = {"corpora": ("conllu",), "search": ("conllu",), "sentences": ("conllu", "svg")}
"""Formats of pages besides those of tables."""

MAX_TOTALS = 1000
"""Maximum number of searches whose numbers of hits are kept."""


class Site:
    """The pages of a database, on a safe read-only connection. Raises DatabaseError, UsageError."""

    def __init__(self, path: str, *, seconds: float, memory: str | int) -> None:
        """seconds, memory: limits of a request."""
        self._path, self._seconds, self._memory = path, seconds, memory
        self._database = self._connect()
        self._spoilt = False
        self._totals: dict[str, int] = {}

    def answer(self, path: str, query: str = "") -> Answer:
        """Answer a request; its errors are answers, too. Raises KeyboardInterrupt."""
        first = ""
        address, self._spoilt = Address((), (), HTML), True
        try:
            address = Address.parse(path, query)
            first = address.parts[0] if address.parts else ""
            if first not in PAGES:
                raise UnknownName("page", first, [name for name in PAGES if name])
            known = (HTML, *DATA, *FORMS.get(first, ()))
            if address.form not in known:
                raise UnknownName("format of this page", address.form, known)
            if len(self._totals) > MAX_TOTALS:
                self._totals.clear()
            answer = PAGES[first](Visit(address, self._database, self._path, self._seconds, self._totals))
            self._spoilt = first == "sql" and not sql.leaves_nothing(address.get("q"))
            return answer
        except Exception as error:
            found = process.as_treesql_error(error)
            if not isinstance(found, TreesqlError):
                raise
            said = found.brief if isinstance(found, QueryError) else ""
            visit = Visit(address, self._database, self._path, self._seconds)
            self._spoilt = first == "sql" or isinstance(found, TimeLimit | MemoryLimit | DatabaseError)
            return failure.answer(visit, found, said)

    def warm(self) -> None:
        """Answer what every page needs once, so that the first request is as fast as others."""
        self.answer("/")

    def renew(self) -> None:
        """Connect again after a request that may have left something: an open result, a temporary view, a call that
        was stopped and still runs. Raises DatabaseError where that one does not end."""
        if self._spoilt:
            self._database.close()
            gc.collect()  # errors and their frames are circles, and may hold results that keep the database open
            self._database = self._connect()
            self._spoilt = False

    def _connect(self) -> treesql.Database:
        return treesql.connect(
            self._path, read_only=True, existing=True, safe=True, timeout=self._seconds, memory=self._memory
        )

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def __enter__(self) -> Site:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
