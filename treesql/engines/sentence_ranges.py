"""Statements over some sentences alone, whatever tables and views they read.

Where corpora are large, a statement over one range of sentences after another takes little memory: nothing that is
scored or searched crosses a sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache

from treesql.catalog import schemas
from treesql.catalog.sql_text import replace_relation, words
from treesql.engines import Engine

_ALL_COLUMNS = re.compile(r"(?:\bSELECT\s+|\.|,\s*)\*")
"""Matches what selects all columns, `*` or `w.*`."""


def of_range(engine: Engine, sql: str, sentences: range) -> str:
    """Return a statement that reads only sentences of a range, of whatever corpus."""
    reading, relations = _reading_ranges(sql)
    bodies = []
    for name, read in relations:
        body = read if isinstance(read, str) else engine.select_range(name, sentences, read)
        bodies.append(f"{_of_range(name)} AS NOT MATERIALIZED (\n{body}\n)")
    if not bodies:
        return sql
    selected = ",\n".join(bodies)
    for begin in ("WITH RECURSIVE ", "WITH "):
        if reading.startswith(begin):
            return f"{begin}{selected},\n{reading.removeprefix(begin)}"
    return f"WITH {selected}\n{reading}"


@lru_cache(maxsize=8)
def _reading_ranges(sql: str) -> tuple[str, tuple[tuple[str, str | tuple[str, ...]], ...]]:
    """Return a statement that reads relations of a range in place of tables and views with sentences, and these.

    A relation of a view has its SQL, that of a table the columns that are read, for in some subqueries DuckDB reads all
    that there are. Each stands behind those that it reads itself.
    """
    views = {
        name: one.body
        for name, one in schemas.all_views().items()
        if "sentence" in {column.name for column in one.columns}
    }
    names = [*views, *(name for name, one in schemas.all_tables().items() if "sentence" in one.names)]
    found: dict[str, str | None] = {}

    def replaced(text: str) -> str:
        for name in names:
            new = replace_relation(text, name, _of_range(name)) if name in text else None
            if new is None:
                continue
            text = new
            if name not in found:
                found[name] = replaced(views[name]) if name in views else None
        return text

    reading = replaced(sql)
    texts = [reading, *(text for text in found.values() if text is not None)]
    named = None if any(map(_ALL_COLUMNS.search, texts)) else frozenset().union(*map(words, texts))
    return reading, tuple((name, _columns(name, named) if text is None else text) for name, text in found.items())


def _columns(table: str, named: frozenset[str] | None) -> tuple[str, ...]:
    """The columns of a table that are named, but `sentence` always; all for None."""
    return tuple(name for name in schemas.table(table).names if named is None or name in named or name == "sentence")


def _of_range(relation: str) -> str:
    return f"{relation}_of_range"
