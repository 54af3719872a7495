"""Parquet data sets as `treesql export` writes them: OUT/TABLE/corpus=NAME/TABLE.parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from treesql import tables
from treesql.errors import FormatError, InvalidInput
from treesql.readers import Batch, Options, State
from treesql.readers.source import Source

SUFFIXES = (".parquet",)
ROWS = 1 << 16
HINT = "name a folder written by `treesql export` of this version, or load the original files"


def corpus_of(path: str) -> str | None:
    """The corpus whose rows a file of a data set holds; None for a file of no corpus, such as the features."""
    folder = Path(path).parent.name
    return unquote(folder.removeprefix("corpus=")) if folder.startswith("corpus=") else None


def has_words(path: str) -> bool:
    """Whether the corpora file of a data set does not tell that there are no words."""
    import pyarrow.parquet as pq

    try:
        return bool(pq.ParquetFile(path).read(columns=["n_words"]).column(0)[0].as_py())
    except (pa.ArrowException, OSError, KeyError, IndexError):
        return True


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The rows of one file of a data set. Raises InvalidInput."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(source.path)
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).split(".")[0]
        raise InvalidInput([FormatError(source.name, 0, f"this is no Parquet file ({reason})", HINT)]) from None
    with file:
        metadata = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
        name = metadata.get("table", "")
        version = metadata.get("schema_version")
        if name not in tables.all_tables() or version != str(tables.SCHEMA_VERSION):
            found = f"of version {version}" if version else "not of treesql"
            raise InvalidInput([FormatError(source.name, 0, f"this Parquet file is {found}", HINT)])
        if not options.wants(name):
            return
        table = tables.table(name)
        known = [
            column
            for column in file.schema_arrow.names
            if column in table.names and (name == "corpora" or column in table.key or options.wants(name, column))
        ]
        for batch in file.iter_batches(ROWS, columns=known):
            if name == "sentences":
                state.sentences += batch.num_rows
            yield {name: batch}
