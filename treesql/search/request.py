"""A request compiled for a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from treesql.search.constituents import statements
from treesql.search.constituents.syntax import Formula, TreeRequest
from treesql.search.grew import compiler, syntax
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import GrewRequest
from treesql.search.selection import Selection


@dataclass(frozen=True)
class PreparedRequest:
    """A request, what it selects, its statement, and warnings of unknown names.

    names: the names of a Grew request in the database; whether: of a tree request, formulas with their texts by the
    names of the keys that ask for them; head_rules: the set of head rules of every corpus that it searches; tops:
    whether a tree of these has a top without a label that branches.
    """

    request: GrewRequest | TreeRequest
    selection: Selection
    names: NameProperties
    sql: str
    warnings: tuple[str, ...] = ()
    whether: Mapping[str, tuple[Formula, str]] = field(default_factory=dict)
    head_rules: Mapping[str, str] = field(default_factory=dict)
    tops: bool = False

    @property
    def grew(self) -> GrewRequest:
        """The Grew request that this is."""
        assert isinstance(self.request, GrewRequest)
        return self.request

    @property
    def tree(self) -> TreeRequest | None:
        """The tree request that this is, None for one of Grew."""
        return self.request if isinstance(self.request, TreeRequest) else None

    def select(self, selection: Selection) -> PreparedRequest:
        """Return the request compiled for another selection."""
        if isinstance(self.request, TreeRequest):
            sql = statements.compile_statement(self.request, selection, self.whether, self.head_rules, tops=self.tops)
        else:
            sql = compiler.compile_request(self.request, selection, self.names)
        return replace(self, selection=selection, sql=sql)

    def select_count(self) -> PreparedRequest:
        """Return the request compiled for the number of matches."""
        return self.select(
            replace(self.selection, columns=(), by=(), count=True, limit=None, sort=None, offset=0, order=None)
        )

    def select_sentences(self) -> PreparedRequest:
        """Return the request compiled for the corpora and numbers of all sentences with matches."""
        keys = (syntax.CORPUS, syntax.SENTENCE)
        whole = replace(self.selection, columns=(), by=keys, count=False, limit=None, sort=None, offset=0, order=None)
        return self.select(whole)
