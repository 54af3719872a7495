"""Rows of a corpus -> parts of a folder of Parquet, a block of sentences each, in a hidden folder first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines.connections import Connection
from treesql.engines.corpus_groups import FEATURES, CorpusGroup, Part, folder_name
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_folders import PartsByTable, Paths
from treesql.engines.manifests import BLOCK_SENTENCES
from treesql.engines.part_files import part_name, sorted_by, write_part
from treesql.readers import Options
from treesql.storage import in_memory, loading
from treesql.storage.loading import CorpusFiles, CorpusSummary, Loaded
from treesql.writers import parquet

_IN_ORDER = frozenset({"sentences", "words"})
"""Tables whose rows every reader yields sorted by their keys."""

_ROWS = "rows of a block"
"""Name of the view of the rows of a part while they are written."""


class CorpusParts:
    """The parts of one corpus that is read: rows wait until those of a block of sentences are complete.

    connection: to DuckDB in memory, which computes columns and writes; folder: that the parts are written to.
    """

    def __init__(self, connection: Connection, folder: Path, wanted: CorpusFiles, options: Options) -> None:
        self.wanted = wanted
        self._connection, self._folder, self._options = connection, folder, options
        self._waiting: dict[str, list[pa.Table]] = {}
        self._blocks: dict[str, int] = {}
        self._record: list[pa.Table] = []
        self.parts: dict[str, list[Part]] = {}

    def add(self, table: Table, rows: pa.Table) -> None:
        """Take the next rows of a table, and write those blocks of it that they complete."""
        if not rows.num_rows:
            return
        if table.name == "corpora":  # of a data set
            self._record.append(rows)
            return
        self._waiting.setdefault(table.name, []).append(rows)
        if "sentence" not in rows.schema.names:
            return
        last = rows["sentence"][-1].as_py() // BLOCK_SENTENCES
        while self._blocks.setdefault(table.name, rows["sentence"][0].as_py() // BLOCK_SENTENCES) < last:
            self._write_block(table)

    def finish(self, engine: DuckDB, reading: CorpusSummary) -> tuple[Loaded, CorpusGroup]:
        """Write what still waits, the record and the features of the corpus; return what was loaded, and its parts.

        engine: of the corpora of the folder and of these parts. Raises InvalidInput where links lie outside of their
        sentences.
        """
        for rows in self._record:
            loading.insert_rows(engine, schemas.table("corpora"), rows, self.wanted.corpus, self._options)
        loaded = loading.finish_corpus(engine, self.wanted, self._options, reading)
        corpus = literal(self.wanted.corpus)
        columns = ", ".join(map(quote, schemas.table("corpora").names))
        self._write(
            schemas.table("corpora"), f"SELECT {columns} FROM corpora WHERE corpus = {corpus}", engine.connection
        )
        if self._options.wants(FEATURES):
            sql = f"SELECT feats, name_list, value_list FROM {FEATURES} ORDER BY feats"
            self._write(schemas.table(FEATURES), sql, engine.connection)
        listed = {table: tuple(parts) for table, parts in self.parts.items() if parts}
        return loaded, CorpusGroup(parquet.entries_of(engine, [self.wanted.corpus]), listed)

    def write_rest(self) -> None:
        """Write the rows that wait, after the last ones."""
        for name in self._waiting:
            while self._waiting[name]:
                self._write_block(schemas.table(name))

    def paths(self) -> PartsByTable:
        """The files that were written, by table."""
        return {
            table: Paths([str(self._part_path(table, part.file)) for part in parts], [])
            for table, parts in self.parts.items()
        }

    def _part_path(self, table: str, file: str) -> Path:
        return self._folder / table / folder_name(self.wanted.corpus) / file

    def _write_block(self, table: Table) -> None:
        """Write the rows of the first block of sentences that waits, or all of a table without sentences."""
        waiting = pa.concat_tables(self._waiting[table.name])
        block: int | None = None
        rows, rest = waiting, waiting.slice(waiting.num_rows)
        if "sentence" in waiting.schema.names:
            block = self._blocks.setdefault(table.name, waiting["sentence"][0].as_py() // BLOCK_SENTENCES)
            sentences = np.asarray(waiting["sentence"])
            end = int(np.searchsorted(sentences, (block + 1) * BLOCK_SENTENCES))
            rows, rest = waiting.slice(0, end), waiting.slice(end)
            self._blocks[table.name] = block + 1
        self._waiting[table.name] = [rest] if rest.num_rows else []
        if rows.num_rows:
            self._connection.register(_ROWS, rows)
            try:
                self._write(table, self._select(table, rows), self._connection, block)
            finally:
                self._connection.unregister(_ROWS)

    def _select(self, table: Table, rows: pa.Table) -> str:
        """The SELECT of a block's rows, with the corpus and computed columns."""
        columns = [f"{literal(self.wanted.corpus)} AS corpus"]
        columns += [in_memory.selected_column(table, column, rows, self._options) for column in table.columns[1:]]
        order = "" if table.name in _IN_ORDER else sorted_by(table)
        return f"SELECT {', '.join(columns)} FROM {quote(_ROWS)}{order}"

    def _write(self, table: Table, sql: str, connection: Connection, block: int | None = None) -> None:
        parts = self.parts.setdefault(table.name, [])
        path = self._part_path(table.name, part_name(block or 0))
        part = write_part(connection, sql, path, table, self.wanted.corpus, parquet.sentences_of(block))
        if part is not None:
            parts.append(part)
