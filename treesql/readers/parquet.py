"""Parquet data sets as `treesql export` writes them: OUT/TABLE/NAME/part-00000.parquet. Rows are read as they are:
whether they follow the rules of schemas/ is checked by `storage/data_sets.py`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Table
from treesql.errors import Diagnostic, InvalidInput
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults
from treesql.readers.source import Source
from treesql.runtime.arrays import call, cast

SUFFIXES = (".parquet",)
KIND = "any"
ROWS = 1 << 16
HINT = "export the data set again"
HINT_FILE = "name a folder written by `treesql export` of this version, or load the original files"


def corpus_of(path: str) -> str | None:
    """The corpus whose rows a file of a data set holds; None for other files, and for features, which are derived."""
    tables = {table.name for table in schemas.corpus_tables()}
    return unquote(Path(path).parent.name) if table_of(path) in tables else None


def table_of(path: str) -> str:
    """The table whose rows a file of a data set holds: TABLE/NAME/FILE."""
    return Path(path).parent.parent.name


def has_words(path: str) -> bool:
    """Whether a corpus may have words: unless the corpora file of its data set says that it has none."""
    import pyarrow.parquet as pq

    try:
        return bool(pq.ParquetFile(path).read(columns=["n_words"]).column(0)[0].as_py())
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError):
        return True


def in_order(paths: Iterable[str]) -> list[str]:
    """The files of a corpus, its record first."""
    return sorted(paths, key=lambda path: (table_of(path) != "corpora", path))


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The rows of one file of a data set, but for `corpus` and the columns that are computed. Raises InvalidInput."""
    import pyarrow.parquet as pq

    faults = Faults(source.name)
    with _readable(source), pq.ParquetFile(source.path) as file:
        table = _table(source, file)
        check_schema(file.schema_arrow, table, faults)
        faults.raise_any()
        names = [
            column.name
            for column in table.columns[1:]
            if column.name in table.key or (options.wants(table.name, column.name) and not column.computed)
        ]
        row = 1
        for batch in _batches(file, names, source.path, state.stored_corpus):
            batch = _with_strings(batch)
            _check_bytes(batch, row, faults)
            faults.raise_any()
            yield {table.name: batch}
            row += batch.num_rows


def _batches(file: Any, columns: Sequence[str], path: str, corpus: str | None) -> Iterator[pa.RecordBatch]:
    """The rows of a file. corpus: that whose rows they are, where the file has those of others; None for all."""
    if corpus is None:
        yield from file.iter_batches(ROWS, columns=columns)
        return
    rows, spans = _shared_rows(path, os.stat(path).st_mtime_ns)
    start, n = spans.get(corpus, (0, 0))
    yield from rows.select(columns).slice(start, n).to_batches(ROWS)


@lru_cache(maxsize=64)
def _shared_rows(path: str, changed_at: int) -> tuple[pa.Table, dict[str, tuple[int, int]]]:
    """The rows of a file of small corpora, and where those of each begin, with their number: they are sorted."""
    import pyarrow.parquet as pq

    rows = pq.ParquetFile(path).read().combine_chunks()
    runs = call("run_end_encode", rows["corpus"].combine_chunks())
    ends = runs.run_ends.to_pylist()
    starts = [0, *ends]
    names = runs.values.to_pylist()
    return rows, {name: (start, end - start) for name, start, end in zip(names, starts, ends, strict=False)}


def _with_strings(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch with texts of 32-bit offsets, whatever the file declares."""
    for at, field in enumerate(batch.schema):
        if pa.types.is_large_string(field.type) or pa.types.is_string_view(field.type):
            batch = batch.set_column(at, field.name, cast(batch.column(at), pa.string()))
        elif pa.types.is_list(field.type) and (
            pa.types.is_large_string(field.type.value_type) or pa.types.is_string_view(field.type.value_type)
        ):
            batch = batch.set_column(at, field.name, cast(batch.column(at), pa.list_(pa.string())))
    return batch


@contextmanager
def _readable(source: Source) -> Iterator[None]:
    """Whatever pyarrow finds wrong with the bytes of a file as a fault in it."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0].split(". ")[0].rstrip(".")
        raise InvalidInput(
            [Diagnostic.error(source.name, 0, f"this is not a Parquet file ({reason})", HINT_FILE)]
        ) from None


def _table(source: Source, file: Any) -> Table:
    """The table that a file says it is of. Raises InvalidInput."""
    metadata = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    name = metadata.get("table", "")
    version = metadata.get("schema_version")
    if name not in schemas.all_tables() or version != str(schemas.SCHEMA_VERSION):
        origin = f"of version {version}" if version else "not of treesql"
        raise InvalidInput([Diagnostic.error(source.name, 0, f"this Parquet file is {origin}", HINT_FILE)])
    return schemas.table(name)


def check_schema(schema: pa.Schema, table: Table, faults: Faults) -> None:
    """Note columns that are missing or of another type."""
    for column in table.columns:
        at = schema.get_field_index(column.name)
        if at < 0:
            faults.add(0, f"there is no column {column.name}", HINT)
        elif not _same(schema.field(at).type, column.arrow_type):
            what = f"column {column.name} is {schema.field(at).type}, not {column.arrow_type}"
            faults.add(0, what.replace("string_view", "string"), HINT)


def _same(actual: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether two types hold the same values; there are several for texts, and timestamps may name a zone."""
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if pa.types.is_string_view(wanted):
        return any(is_text(actual) for is_text in texts)
    if pa.types.is_list(wanted):
        return pa.types.is_list(actual) and _same(actual.value_type, wanted.value_type)
    if pa.types.is_struct(wanted):
        return (
            pa.types.is_struct(actual)
            and [field.name for field in actual] == [field.name for field in wanted]
            and all(_same(field.type, other.type) for field, other in zip(actual, wanted, strict=True))
        )
    if pa.types.is_timestamp(wanted):
        return bool(pa.types.is_timestamp(actual) and actual.unit == wanted.unit)
    return bool(actual == wanted)


def _check_bytes(batch: pa.RecordBatch, row: int, faults: Faults) -> None:
    """Note columns whose bytes are no values, such as texts that are not in UTF-8. row: of the first one, from 1."""
    for name, values in zip(batch.schema.names, batch.columns, strict=True):
        try:
            if not (_is_text(values) or (pa.types.is_list(values.type) and _is_text(call("list_flatten", values)))):
                values.validate(full=True)
        except pa.ArrowInvalid as error:
            faults.add(row, f"column {name} cannot be read from here on: {str(error).splitlines()[0]}", HINT)


def _is_text(values: pa.Array) -> bool:
    """Whether values are texts in UTF-8: their bytes are as a whole, and no text begins within a character.

    That takes a third of what it takes to look at every text for itself.
    """
    if not pa.types.is_string(values.type) or not len(values):
        return False
    _, buffer, data = values.buffers()
    offsets = np.frombuffer(buffer, np.int32, len(values) + 1, values.offset * 4)
    first, last = int(offsets[0]), int(offsets[-1])
    if data is None or first == last:
        return True
    ends = pa.py_buffer(np.array([first, last], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_utf8(), 1, [None, ends, data]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    starts = np.frombuffer(data, np.uint8, last).take(offsets[:-1], mode="clip")
    return not bool((starts.view(np.int8) < -64).any())  # 0x80 to 0xbf stand within characters
