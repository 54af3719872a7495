"""Rows of one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    pass

CorpusConnection = tuple[duckdb.DuckDBPyConnection, str]
"""A corpus, and the connection that reaches it."""

Rows = tuple[Mapping[str, Any], ...]
"""Rows of a table that belong to one sentence, in order."""
