"""Execution of requests within a time limit, with the reasons for an empty result."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import QueryError, StatementError
from treesql.runtime import limits
from treesql.search import costs, reasons
from treesql.search.request import PreparedRequest
from treesql.storage import loading

DEFAULT_SECONDS = 60.0
"""Maximum number of seconds that a request may take, by default."""


def find_matches(engine: Engine, prepared: PreparedRequest, seconds: float) -> tuple[pa.Table, list[str]]:
    """Return all rows, and the reasons if there are no matches. Raises TimeLimit, QueryError."""
    with _limit_time(engine, prepared, seconds) as limit:
        table = _run(engine, prepared)
        empty = is_empty(prepared, table)
        return table, reasons.explain_empty_result(engine, prepared, limit.left) if empty else []


def find_sentences(engine: Engine, prepared: PreparedRequest, seconds: float) -> tuple[dict[str, list[int]], list[str]]:
    """Return the sentences with matches by corpus, in order, and the reasons if there are none.

    Raises TimeLimit, QueryError.
    """
    with _limit_time(engine, prepared, seconds) as limit:
        table = _run(engine, prepared.select_sentences())
        why = reasons.explain_empty_result(engine, prepared, limit.left) if not table.num_rows else []
    order = {name: at for at, name in enumerate(loading.corpus_names(engine))}
    rows = zip(table["corpus"].to_pylist(), table["sentence"].to_pylist(), strict=True)
    found: dict[str, list[int]] = {}
    for corpus, sentence in sorted(rows, key=lambda row: (order[row[0]], row[1]))[: prepared.selection.limit]:
        found.setdefault(corpus, []).append(sentence)
    return found, why


def is_empty(prepared: PreparedRequest, table: pa.Table) -> bool:
    """Whether a table shows that there are no matches."""
    if prepared.selection.limit == 0:
        return False
    return table["count"][0].as_py() == 0 if prepared.selection.count else not table.num_rows


def _limit_time(engine: Engine, prepared: PreparedRequest, seconds: float) -> AbstractContextManager[limits.Limit]:
    """Stop the engine's work after some seconds (0: never). Raises TimeLimit, which names the costliest clause."""
    return limits.limited(engine, seconds, explain=lambda: costs.describe_costliest_clause(engine, prepared))


def _run(engine: Engine, prepared: PreparedRequest) -> pa.Table:
    try:
        return engine.table(prepared.sql)
    except StatementError as error:
        raise QueryError(error.message, prepared.sql, "find", prepared.request.text) from None
