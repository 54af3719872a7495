"""SQL: an editor beside the names of tables and queries, and results in pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

import treesql
from treesql import QueryInfo, Result, UsageError
from treesql.web import answers, rendering
from treesql.web.answers import Answer
from treesql.web.visits import Visit, Window, command_line, silent

PARAMETERS = ("q", "limit", "offset", "timeout")

DEFAULT_LIMIT = 100
"""Number of rows of a page, unless the address says another."""

FIRST = ("words", "sentences", "corpora", "constituents", "alignments")
"""Tables that stand before the others."""

_LITERAL = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/", re.DOTALL)
_READING = re.compile(r"\s*(SELECT|FROM|WITH|VALUES|DESCRIBE|SUMMARIZE|SHOW)\b", re.IGNORECASE)


def answer(visit: Visit) -> Answer:
    """Run a statement."""
    visit.address.check(PARAMETERS)
    statement = visit.address.get("q").strip()
    if not statement:
        if not visit.is_page:
            raise UsageError("name a statement; q=SELECT count(*) FROM words")
        return answer_form(visit)
    if ";" in _LITERAL.sub("", statement).rstrip("; \n\t"):
        raise UsageError("these are several statements; write one")
    window = visit.window(DEFAULT_LIMIT)
    with visit.listening():
        results = visit.database.stream_each(statement, progress=silent)
        first = next(results, None)
        if first is None:
            raise UsageError("this statement returns no rows; write one that does, such as SELECT * FROM words")
        if window.limit is None and not window.offset:
            return answers.of_rows(first, visit.form)
        rows, total = _read_part(first, window)
    if not visit.is_page:
        return answers.of_rows(rows, visit.form, total=total, more=window.more(total))
    return _page(visit, statement, rows, window.shown(total))


def answer_form(visit: Visit) -> Answer:
    """The form alone, with the statement of the address, if it has one."""
    return _page(visit, visit.address.get("q").strip(), None, Window(visit.address).shown(0))


def leaves_nothing(statement: str) -> bool:
    """Whether a statement certainly leaves nothing that later ones find: it is none, or one that only reads."""
    if not statement.strip():
        return True
    return _READING.match(statement) is not None and ";" not in statement.rstrip("; \n\t")


def _read_part(reader: Any, window: Window) -> tuple[Result, int]:
    """The rows of a window, and the number of all rows."""
    batches, total = [], 0
    end = None if window.limit is None else window.offset + window.limit
    for batch in reader:
        first = max(window.offset - total, 0)
        last = len(batch) if end is None else min(end - total, len(batch))
        if last > first:
            batches.append(batch.slice(first, last - first))
        total += len(batch)
    return Result(pa.Table.from_batches(batches, reader.schema)), total


def _page(visit: Visit, statement: str, rows: Result | None, shown: Mapping[str, Any]) -> Answer:
    order = {name: number for number, name in enumerate(FIRST)}
    tables = sorted(visit.database.tables().rows(), key=lambda table: order.get(table["name"], len(order)))
    queries = [(query.name, _call(query), query.doc) for query in treesql.queries()]
    return rendering.page(
        visit, "sql.html", "SQL", statement=statement, tables=tables, n_first=len(FIRST), queries=queries,
        table=None if rows is None else rendering.table_of(rows),
        command="" if rows is None else command_line("sql", visit.shown, statement), **shown,
    )  # fmt: skip


def _call(query: QueryInfo) -> str:
    """A query as a macro in SQL, with the parameters that have no default."""
    needed = [parameter.name for parameter in query.parameters if parameter.default is None]
    return f"{query.name}({', '.join(f'{name} := {chr(39)}...{chr(39)}' for name in needed)})"
