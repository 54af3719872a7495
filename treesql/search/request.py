"""A request compiled for a database."""

from __future__ import annotations

from dataclasses import dataclass, replace

from treesql.search.grew import compiler, syntax
from treesql.search.grew.compiler import Selection
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import GrewRequest


@dataclass(frozen=True)
class PreparedRequest:
    """A request, what it selects, its names in the database, its statement, and warnings of unknown names."""

    request: GrewRequest
    selection: Selection
    names: NameProperties
    sql: str
    warnings: tuple[str, ...] = ()

    def select(self, selection: Selection) -> PreparedRequest:
        """Return the request compiled for another selection."""
        return replace(self, selection=selection, sql=compiler.compile_request(self.request, selection, self.names))

    def select_count(self) -> PreparedRequest:
        """Return the request compiled for the number of matches."""
        return self.select(replace(self.selection, columns=(), by=(), count=True, limit=None, sort=None))

    def select_sentences(self) -> PreparedRequest:
        """Return the request compiled for the corpora and numbers of all sentences with matches."""
        keys = (syntax.CORPUS, syntax.SENTENCE)
        return self.select(replace(self.selection, columns=(), by=keys, limit=None, sort=None))
