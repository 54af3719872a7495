"""A visit: an address, the database that it is about, and what its page needs of both."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from treesql import Candidates, Database, NothingFound, Result, TreesqlError, TreesqlWarning
from treesql.errors import UnknownName
from treesql.reports import html
from treesql.web.addresses import HTML, MAX_LIMIT, Address
from treesql.web.examples import Examples
from treesql.web.faults import Failed, Fault, find_fault, without_proposals

TREES = ("dependency", "constituency")
"""Kinds of corpora that requests search."""

_NEWLINE = re.compile("\r\n|\r|\n")
_OPTION = re.compile(r"; --[a-z-]+ [^;]*$")
"""What an option of the command line would do about a warning."""


@dataclass(frozen=True)
class Window:
    """The rows of a table that an answer has: from an offset on, at most `limit`, or all."""

    address: Address
    limit: int | None = None
    offset: int = 0

    def cut(self, rows: Result) -> Result:
        """The rows that the answer has, of all."""
        return Result(rows.arrow().slice(self.offset, self.limit), rows.signatures, rows.percent, rows.directions)

    def more(self, total: int) -> str | None:
        """Where the next rows are, if there are more."""
        if self.limit is None or self.offset + self.limit >= total:
            return None
        return self.address.link(self.address.form, limit=self.limit, offset=self.offset + self.limit)

    def shown(self, total: int) -> dict[str, Any]:
        """What a template names of the rows, and where those before and after them are."""
        start = max(self.offset - int(self.limit or 0), 0)
        before = self.address.link(limit=self.limit, offset=start) if self.offset else None
        return {"limit": self.limit, "offset": self.offset, "total": total, "before": before, "more": self.more(total)}


@dataclass(frozen=True)
class Visit:
    """One request. connect: returns the connection to the database; shown: how its user named that; seconds: the limit
    of time of the server; totals: numbers of hits that are known, by search; examples: questions that find something;
    failure: what the page is to say, of a request that failed."""

    address: Address
    connect: Callable[[], Database]
    shown: str
    seconds: float
    totals: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    examples: Examples = field(default_factory=Examples)
    failure: Failed | None = None

    @cached_property
    def database(self) -> Database:
        """The database. Raises DatabaseError."""
        return self.connect()

    def with_corpora_of_forms(self) -> Visit:
        """The visit with the names of corpora as they are, where a browser has sent their newlines as CR LF, as it does
        in forms."""
        sent = [value for _, value in self.address.parameters if "\r\n" in value]
        if not sent:
            return self
        names = {_NEWLINE.sub("\r\n", name): name for name in self.corpora}
        names |= {name: name for name in self.corpora}
        parameters = tuple((name, names.get(value, value)) for name, value in self.address.parameters)
        return replace(self, address=replace(self.address, parameters=parameters))

    @property
    def form(self) -> str:
        """The format of the answer."""
        return self.address.form

    @property
    def is_page(self) -> bool:
        """Whether the answer is a page."""
        return self.form == HTML

    @property
    def timeout(self) -> float:
        """Maximum number of seconds."""
        return self.address.seconds(self.seconds)

    @cached_property
    def corpora(self) -> dict[str, dict[str, object]]:
        """The corpora by their names, as `info` describes them."""
        return {str(row["corpus"]): row for row in self.database.info().rows()}

    @cached_property
    def candidates(self) -> list[Candidates]:
        """The kinds of evaluation for which there are corpora."""
        return self.database.candidates()

    @property
    def offered(self) -> dict[str, str]:
        """The pages that the corpora have something for, by path, with their names."""
        try:
            kinds = [row["kind"] for row in self.corpora.values()]
        except TreesqlError:
            kinds = list(TREES)
        offered = {"": "Corpora"}
        offered |= {"search": "Search"} if set(kinds) & set(TREES) else {}
        offered |= {"score": "Scores", "compare": "Compare"} if kinds and self.candidates else {}
        return {**offered, "sql": "SQL"}

    def fault_in(self, text: str) -> Fault | None:
        """The part of a request that its warnings, or the reasons why nothing is found, name.

        The first of these messages that names one is then the first reason, without the names that the fault proposes.
        """
        for messages in (self.warnings, self.reasons):
            for message in messages:
                if fault := find_fault(self.address, text, message):
                    messages.remove(message)
                    self.reasons.insert(0, without_proposals(message) if fault.repairs else message)
                    return fault
        return None

    def check_corpus(self, name: str) -> str:
        """Return the name of a corpus of the database, and of nothing else. Raises UnknownName."""
        if name not in self.corpora:
            named = [corpus for corpus, row in self.corpora.items() if row["kind"] == name]
            note = f"{name} is a kind of corpora; name one of them" if named else ""
            raise UnknownName("corpus", name, named or self.corpora, note)
        return name

    def window(self, default: int) -> Window:
        """The rows that the address asks for; no limit where all rows are asked for as data."""
        offset = self.address.number("offset", 0, most=10**9)
        if self.address.get("limit") == "" and not self.is_page:
            return Window(self.address, None, offset)
        return Window(self.address, self.address.number("limit", default, least=1, most=MAX_LIMIT), offset)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Keep the warnings of a block, and the reasons why nothing was found, for the page."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TreesqlWarning)
            try:
                yield
            finally:
                for warning in caught:
                    messages = self.reasons if issubclass(warning.category, NothingFound) else self.warnings
                    message = _OPTION.sub("", str(warning.message))
                    if issubclass(warning.category, TreesqlWarning) and message not in messages:
                        messages.append(message)


def silent(done: float, total: float) -> None:
    """A report of progress that reports nothing: with one, a statement can be interrupted."""


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def command_line(*words: str, **options: str | int | bool | Sequence[str] | None) -> str:
    """A command of treesql as one writes it in a shell."""
    written = {
        name.rstrip("_").replace("_", "-"): value if value is None or isinstance(value, str | int) else list(value)
        for name, value in options.items()
    }
    return html.command_line(["treesql", *words], written)
