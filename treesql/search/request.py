"""A request that was compiled for a database."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.search.grew.compiler import Selection
from treesql.search.grew.scopes import NameProperties
from treesql.search.grew.syntax import GrewRequest


@dataclass(frozen=True)
class PreparedRequest:
    """A request with its options, the names it uses in the database, its statement, and remarks on unknown names."""

    request: GrewRequest
    wanted: Selection
    names: NameProperties
    sql: str
    remarks: tuple[str, ...] = ()
