"""SQL that takes long to parse, where a limit of time or memory is set."""

from __future__ import annotations

import time

import duckdb

from treesql.errors import UsageError
from treesql.runtime import limits

_SHORT_TEXT = 500
"""Number of characters of SQL that are parsed at once; time grows with the square of nested parentheses."""

_MAX_PARSING = 0.5
"""Maximum number of seconds to parse a text where a limit of time or memory is set."""


def check_parsing_time(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise UsageError where a limit is set and a text takes long to parse.

    While `extract_statements` parses, Python stands still, and no limit is noticed: call this before, which parses too.
    """
    if len(sql) > _SHORT_TEXT and limits.are_set():
        began = time.monotonic()
        connection.execute("SELECT len(json_serialize_sql($sql))", {"sql": sql}).fetchall()
        if time.monotonic() - began > _MAX_PARSING:
            raise UsageError(f"these {len(sql):,} characters of SQL take too long to parse; shorten them")
