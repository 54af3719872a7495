"""Numbers of matches of parts of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treesql.engines import Engine
from treesql.search.grew.syntax import GrewRequest, Item
from treesql.search.request import PreparedRequest


def count_matches(engine: Engine, prepared: PreparedRequest, items: Sequence[Item]) -> int:
    """Return the number of matches of some items alone."""
    part = replace(prepared, request=GrewRequest(prepared.grew.text, tuple(items)))
    [(n,)] = engine.rows(part.select_count().sql)
    return int(n)
