"""An engine that has only what the protocol names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from treesql.engines import Engine


class CountingEngine:
    """An engine that passes statements on to another one, and keeps them."""

    name = "counting"
    version = "1"
    precomputed: frozenset[str] = frozenset()
    only_sums = False
    is_small = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.statements: list[str] = []
        self.paired: dict[tuple[str, str], tuple[str, bool]] = {}
        self.records: list[dict[str, Any]] = []
        self.rows_read: Mapping[str, Sequence[tuple[str | None, pa.Table]]] = {}

    def table(
        self, statement: str, values: Mapping[str, object] | None = None, *, aggregated: bool = False
    ) -> pa.Table:
        self.statements.append(statement)
        return self._engine.table(statement, values, aggregated=aggregated)

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        self.statements.append(statement)
        return self._engine.rows(statement, values)

    def replace_rows(
        self, table: str, rows: pa.Table, *, where: str | None = None, is_value: str | None = None
    ) -> None:
        self._engine.replace_rows(table, rows, where=where, is_value=is_value)

    def fill_table(
        self, table: str, keys: Mapping[str, str], statement: str | None, values: Mapping[str, object], *,
        stored: bool = False,
    ) -> None:  # fmt: skip
        self._engine.fill_table(table, keys, statement, values, stored=stored)

    def with_tables(self, tables: Mapping[str, pa.Table]) -> AbstractContextManager[Engine]:
        return self._engine.with_tables(tables)

    def check_condition(self, condition: str) -> None:
        self._engine.check_condition(condition)

    def interrupt(self) -> None:
        self._engine.interrupt()

    def close(self) -> None:
        """The other engine stays open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
