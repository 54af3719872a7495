"""Statements over some sentences alone, whatever tables and views they read.

Where corpora are large, a statement over one range of sentences after another takes little memory: nothing that is
scored or searched crosses a sentence.
"""

from __future__ import annotations

from functools import lru_cache

from treesql.catalog import schemas
from treesql.catalog.sql_text import replace_relation
from treesql.engines import Engine


def of_range(engine: Engine, sql: str, sentences: range) -> str:
    """Return a statement that reads only sentences of a range, of whatever corpus."""
    reading, relations = _reading_ranges(sql)
    if not relations:
        return sql
    bodies = ((name, body if body is not None else engine.rows_of(name, sentences)) for name, body in relations)
    selected = ",\n".join(f"{_of_range(name)} AS NOT MATERIALIZED (\n{body}\n)" for name, body in bodies)
    for begin in ("WITH RECURSIVE ", "WITH "):
        if reading.startswith(begin):
            return f"{begin}{selected},\n{reading.removeprefix(begin)}"
    return f"WITH {selected}\n{reading}"


@lru_cache(maxsize=8)
def _reading_ranges(sql: str) -> tuple[str, tuple[tuple[str, str | None], ...]]:
    """Return a statement that reads relations of a range instead of tables and views with sentences, and these.

    Each relation has the SQL of a view, None for a table, and stands behind those that it reads.
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

    return replaced(sql), tuple(found.items())


def _of_range(relation: str) -> str:
    return f"{relation}_of_range"
