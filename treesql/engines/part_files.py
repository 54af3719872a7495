"""Rows of SQL -> one part of a folder of Parquet, and its line in a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines.connections import Connection
from treesql.engines.corpus_groups import Part
from treesql.engines.part_checks import checksums, sha256_of

_COMPRESSION = "COMPRESSION zstd, COMPRESSION_LEVEL 1"
"""How parts are compressed: by level 3 they are a twenty-fifth smaller, and loading takes a twentieth longer."""


def part_name(number: int) -> str:
    """The name of a part of a corpus."""
    return f"part-{number:05d}.parquet"


def write_part(
    connection: Connection, sql: str, path: Path, table: Table, signature: str, sentences: range | None = None
) -> Part | None:
    """Write the rows of a SELECT to a file, and return what the manifest says of it; None, and no file, without rows.

    signature: `corpus@sha256`, for the metadata of the file, which also has the versions. sentences: that the rows are
    of.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {
        "treesql": __version__,
        "schema_version": str(schemas.SCHEMA_VERSION),
        "table": table.name,
        "signature": signature,
    }
    pairs = ", ".join(f"{quote(key)}: {literal(value)}" for key, value in metadata.items())
    [(n,)] = connection.execute(
        f"COPY ({sql}) TO {literal(str(path))} (FORMAT parquet, {_COMPRESSION}, KV_METADATA {{{pairs}}})"
    ).fetchall()
    if not n:
        path.unlink()
        return None
    first, last = (None, None) if sentences is None else (sentences.start, sentences.stop - 1)
    return Part(path.name, n, path.stat().st_size, sha256_of(path), checksums(path), first, last)


def sorted_by(table: Table) -> str:
    """The ORDER BY of a table's parts: its key without the corpus."""
    order: Sequence[str] = [name for name in table.key if name != "corpus"]
    return f" ORDER BY {', '.join(map(quote, order))}" if order else ""
