"""Parts of a folder of Parquet: what the plan of a statement reads of them, checksums of what is read, and how they are
written, with their lines in a manifest.

A part has a CRC-32 of its footer, one of the bytes outside of columns, and one of the bytes of each column with its
Bloom filters. They are compared the first time that a process reads these columns, and again where the file changed.
A CRC-32 finds any flipped bit, and takes a third of the time of SHA-256, which `treesql check` compares.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from treesql._version import __version__
from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines import manifests
from treesql.engines.connections import Connection
from treesql.engines.corpus_groups import CorpusGroup, Part
from treesql.engines.manifests import AGAIN
from treesql.errors import DatabaseError, Diagnostic
from treesql.readers.fields import Faults
from treesql.readers.parquet import check_schema
from treesql.runtime.threads import run_in_threads

_NAME = re.compile(r"\w+")

_TEXT = "'(?:[^']|'')*'"

_OF_CORPORA = re.compile(
    rf"\(url_decode\(parse_filename\(parse_dirpath\(filename\)\)\) (?:= {_TEXT}|IN \({_TEXT}(?:, {_TEXT})*\))\)"
)
"""A filter that leaves out the files of other corpora than these."""

_COMPARED = re.compile(r"sentence (<=?|>=?|!?=) (-?\d+)")

_OF_SENTENCES = re.compile(rf"{_COMPARED.pattern}(?: AND {_COMPARED.pattern})*")
"""A filter by sentences alone, without its brackets."""

_LIMITS = ("STREAMING_LIMIT", "LIMIT")

_ROW_BY_ROW = ("PROJECTION", "UNION")
"""Operators whose first rows are made of the first rows that they are given."""

_OF_ALL_ROWS = {"Function", "Projections", "Estimated Cardinality", "File Filters", "Scanning Files"}
"""What a plan says of a scan that leaves out no row of a file that it reads."""

_FIRST, _LAST = -(1 << 31), 1 << 31
"""Numbers before and behind those of all sentences."""


class Scan(NamedTuple):
    """What a scan reads. corpora: files of these, of all if None; sentences: parts that may have some of these.

    rows: at most so many, the first ones of these files, infinity for any.
    """

    corpora: frozenset[str] | None
    sentences: range
    rows: float


class Reads(NamedTuple):
    """What is read. columns: these, and perhaps others, by any of the scans."""

    columns: frozenset[str]
    scans: tuple[Scan, ...]


def reads_of(plan: str, *, keeps_order: bool) -> Reads:
    """What the plan of a statement as JSON reads. keeps_order: whether rows have the order of their files.

    Raises ValueError.
    """
    scans = list(_scans(json.loads(plan), float("inf")))
    columns = frozenset(name for says, _ in scans for name in _NAME.findall(json.dumps(says)))
    return Reads(columns, tuple(_scan(says, rows if keeps_order else float("inf")) for says, rows in scans))


def _scans(plan: Iterable[Any], rows: float) -> Iterator[tuple[Mapping[str, Any], float]]:
    """What a plan says of scans of files, and how many of their first rows are read at most.

    rows: that these nodes have to make.
    """
    for node in plan:
        name, says = node.get("name", "").upper(), node.get("extra_info", {})
        if "PARQUET" in name:
            yield says, rows if says.keys() <= _OF_ALL_ROWS else float("inf")
        yield from _scans(node.get("children", ()), _rows_below(name, says, rows))


def _rows_below(name: str, says: Mapping[str, Any], rows: float) -> float:
    """How many of the first rows of its input an operator reads at most, to make so many rows."""
    if name in _LIMITS and str(says.get("Limit", "")).isdecimal() and str(says.get("Offset", "0")).isdecimal():
        return min(rows, int(says["Limit"])) + int(says.get("Offset", "0"))
    return rows if name in _ROW_BY_ROW else float("inf")


def _scan(says: Mapping[str, Any], rows: float) -> Scan:
    """What a scan reads by its filters, all of which hold; one that is not understood leaves out nothing."""
    files, filters = says.get("File Filters", ""), says.get("Filters", [])
    corpora = None
    if isinstance(files, str) and _OF_CORPORA.fullmatch(files):
        corpora = frozenset(text[1:-1].replace("''", "'") for text in re.findall(_TEXT, files))
    elif files:
        rows = float("inf")
    listed = [filters] if isinstance(filters, str) else filters
    if any(filter_text.count("'") % 2 for filter_text in listed):  # a text with line ends, which is cut into several
        listed = []
    start, stop = _FIRST, _LAST
    for filter_text in listed:
        bare = filter_text.translate({ord("("): None, ord(")"): None})
        for sign, number in _COMPARED.findall(bare) if _OF_SENTENCES.fullmatch(bare) else ():
            low, high = _bounds(sign, int(number))
            start, stop = max(start, low), min(stop, high)
    return Scan(corpora, range(start, stop), rows)


def _bounds(sign: str, number: int) -> tuple[int, int]:
    """Between which a sentence is that compares so with a number: from the first one to before the second."""
    low = {"=": number, ">=": number, ">": number + 1}.get(sign, _FIRST)
    high = {"=": number + 1, "<=": number + 1, "<": number}.get(sign, _LAST)
    return low, high


_BLOCK_BYTES = 1 << 18
_TAIL = 8
"""Number of bytes behind a footer: its length, and `PAR1`."""

_NOT_WRITTEN = "its bytes are not those that were written"

_MISSING = "it is missing"

Ranges = list[tuple[int, int]]
"""Where bytes begin and end."""


@dataclass(frozen=True)
class StoredPart:
    """A part in its place. group: the corpora that it is of."""

    path: str
    table: str
    part: Part
    group: CorpusGroup


def parts_of(folder: str, groups: Iterable[CorpusGroup], tables: Collection[str] | None = None) -> Iterator[StoredPart]:
    """The parts of tables, if left out of all."""
    root = os.path.abspath(folder)
    for group in groups:
        for table, parts in group.parts.items():
            if tables is None or table in tables:
                for part, path in zip(parts, group.paths(root, table), strict=True):
                    yield StoredPart(path, table, part, group)


def read_by(parts: Iterable[StoredPart], scan: Scan) -> Iterator[StoredPart]:
    """Those of the parts, in their order, of which a scan of some table reads rows."""
    before: dict[tuple[str, bool], int] = {}
    for part in parts:
        if scan.corpora is None or not scan.corpora.isdisjoint(part.group.names):
            files = part.table, part.group.is_shared
            if before.get(files, 0) < scan.rows and part.part.may_have(scan.sentences):
                yield part
            before[files] = before.get(files, 0) + part.part.rows


def checksums(path: Path) -> str:
    """The checksums of a part that was written: of the footer, of what is between, and of each column."""
    with open(path, "rb", buffering=0) as file:
        footer, metadata = _footer_span(file), pq.read_metadata(path)
        columns = _places(metadata, lambda name: True)
        return "".join(_crc32(file, ranges) for ranges in ([footer], _between(columns, footer[0]), *columns.values()))


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Checked:
    """What this process has compared: by file, its state then, and the columns; by table, columns as they should be."""

    lock = threading.Lock()
    columns: ClassVar[dict[str, tuple[tuple[object, ...], frozenset[str]]]] = {}
    schemas: ClassVar[dict[str, Any]] = {}


def unchecked(parts: Iterable[StoredPart], columns: Collection[str] | None = None) -> list[StoredPart]:
    """The parts that were not compared in these columns, if left out in all, since they were changed.

    Raises DatabaseError where one is missing.
    """
    return [part for part in parts if _columns_left(part, columns)]


def check_parts(
    parts: Iterable[StoredPart], columns: Collection[str] | None = None, stopped: Callable[[], bool] = lambda: False
) -> None:
    """Compare the columns of parts, if left out all, that were not compared before, by as many threads as are free.

    stopped: whether to leave out the parts that no thread has begun. Raises DatabaseError.
    """

    def check(part: StoredPart) -> None:
        if not stopped() and (wrong := compare(part, columns)):
            raise damaged(part, wrong)

    run_in_threads([partial(check, part) for part in unchecked(parts, columns)])


def _columns_left(part: StoredPart, columns: Collection[str] | None) -> frozenset[str]:
    """The columns of a part that are still to be compared, and the empty name where nothing of it was."""
    state, done = _Checked.columns.get(part.path, ((), frozenset()))
    every = _all_columns(part.table)
    wanted = every if columns is None else every.intersection(["", *columns])
    if wanted <= done and state == _state(part):
        return frozenset()
    return wanted - done if state == _state(part) else wanted


@cache
def _all_columns(table: str) -> frozenset[str]:
    """The columns of a table, and the empty name."""
    return frozenset(["", *schemas.table(table).names])


def _state(part: StoredPart) -> tuple[object, ...]:
    """What changes where a part was changed. Raises DatabaseError."""
    try:
        status = os.stat(part.path)
    except OSError:
        raise damaged(part, _MISSING) from None
    return status.st_size, status.st_mtime_ns, status.st_ino, part.part.crc32


def damaged(part: StoredPart, what: str) -> DatabaseError:
    """The error of a part that is not as it was written."""
    return DatabaseError(f"{part.path}: this part is damaged ({what}); {AGAIN}")


def find_damage(
    parts: Iterable[StoredPart], faults: Mapping[Path, str] = MappingProxyType({}), *, again: bool = False
) -> list[Diagnostic]:
    """The parts that are not as they were written. faults: what is wrong with some. again: as for `compare`."""

    def check(part: StoredPart) -> str:
        try:
            return faults.get(Path(part.path)) or compare(part, again=again)
        except DatabaseError:
            return _MISSING

    listed = list(parts)
    wrong = run_in_threads([partial(check, part) for part in listed])
    return [
        Diagnostic.error(part.path, 0, f"this part is damaged ({what})", AGAIN)
        for part, what in zip(listed, wrong, strict=True)
        if what
    ]


def find_all_damage(folder: str, groups: Sequence[CorpusGroup]) -> list[Diagnostic]:
    """The parts of a folder that are not as they were written, by their SHA-256, and what their footers say."""
    faults = {Path(path): what for path, what in manifests.find_faults(groups, folder)}
    return find_damage(parts_of(folder, groups), faults, again=True)


def compare(part: StoredPart, columns: Collection[str] | None = None, *, again: bool = False) -> str:
    """Compare columns of a part, if left out all, that were not compared before; what is wrong, if anything is.

    again: whether all are compared, whatever was before, and the SHA-256. Raises DatabaseError where it is missing.
    """
    left = _all_columns(part.table) if again else _columns_left(part, columns)
    if not left:
        return ""
    state = _state(part)
    try:
        with open(part.path, "rb", buffering=0) as file:
            wrong = _find_damage(part, file, left)
        if not wrong and again and sha256_of(part.path) != part.part.sha256:
            wrong = _NOT_WRITTEN
    except (OSError, pa.ArrowException, ValueError, OverflowError, MemoryError) as error:
        wrong = (str(error) or type(error).__name__).splitlines()[0]
    if not wrong:
        _remember(part, state, left)
    return wrong


def _remember(part: StoredPart, state: tuple[object, ...], columns: frozenset[str]) -> None:
    with _Checked.lock:
        before, done = _Checked.columns.get(part.path, ((), frozenset()))
        _Checked.columns[part.path] = state, columns | done if before == state else columns


def remember(parts: Iterable[StoredPart]) -> None:
    """Have parts count as compared, which another process has done. Raises DatabaseError where one is missing."""
    for part in parts:
        _remember(part, _state(part), _all_columns(part.table))


def forget(parts: Iterable[StoredPart]) -> None:
    """Have parts count as never compared, which are gone: so what is remembered does not grow."""
    with _Checked.lock:
        for part in parts:
            _Checked.columns.pop(part.path, None)


def _find_damage(part: StoredPart, file: FileIO, columns: frozenset[str]) -> str:
    """What is wrong with columns of a part, and with its footer; nothing if all is well."""
    n_bytes = os.fstat(file.fileno()).st_size
    if n_bytes != part.part.bytes:
        return f"it has {n_bytes:,} bytes, where the manifest names {part.part.bytes:,}"
    footer, between, *sums = (part.part.crc32[at : at + 8] for at in range(0, len(part.part.crc32), 8))
    span = _footer_span(file)
    if "" in columns and _crc32(file, [span]) != footer:
        return _NOT_WRITTEN
    metadata = _metadata(part.path, _state(part))
    if "" in columns and (wrong := _find_other(part, metadata)):
        return wrong
    places = _places(metadata, columns.__contains__)
    if len(places) != len(sums):
        return _NOT_WRITTEN
    compared = [(ranges, expected) for ranges, expected in zip(places.values(), sums, strict=True) if ranges]
    if columns >= _all_columns(part.table):
        compared.append((_between(places, span[0]), between))
    return "" if all(_crc32(file, ranges) == expected for ranges, expected in compared) else _NOT_WRITTEN


def _find_other(part: StoredPart, metadata: Any) -> str:
    """What a part is that its manifest does not say."""
    kept = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in (metadata.metadata or {}).items()}  # fmt: skip
    if metadata.num_rows != part.part.rows:
        return f"it has {metadata.num_rows:,} rows, where the manifest names {part.part.rows:,}"
    if kept.get("table") != part.table or kept.get("schema_version") != str(schemas.SCHEMA_VERSION):
        return f"it is of the table {kept.get('table')} in version {kept.get('schema_version')}"
    signature, expected = kept.get("signature", ""), part.group.signature
    if signature != expected and not (len(part.group.corpora) == 1 and signature.startswith(f"{expected}@")):
        return f"it is of other corpora, {signature.rpartition('@')[0] or signature!r}"
    known = _Checked.schemas.get(part.table)
    if known is None or not metadata.schema.equals(known):
        faults = Faults(part.path)
        check_schema(metadata.schema.to_arrow_schema(), schemas.table(part.table), faults)
        if faults.found:
            return faults.found[0].what
        _Checked.schemas[part.table] = metadata.schema
    return ""


def _footer_span(file: FileIO) -> tuple[int, int]:
    """Where the footer of a Parquet file begins, and where the file ends. Raises ValueError."""
    end = os.fstat(file.fileno()).st_size
    file.seek(max(end - _TAIL, 0))
    tail = file.read(_TAIL)
    start = end - _TAIL - int.from_bytes(tail[:4], "little")
    if start < 0:
        raise ValueError(_NOT_WRITTEN)
    return start, end


@lru_cache(maxsize=64)
def _metadata(path: str, state: tuple[object, ...]) -> Any:
    """What the footer of a file says. state: of the file, that it is read again where it changed."""
    return pq.read_metadata(path)


def _places(metadata: Any, wanted: Callable[[str], bool]) -> dict[str, Ranges]:
    """Where the bytes of each column are, with their Bloom filters, by its name; nowhere if it is not wanted."""
    names = [metadata.schema.column(number).path.partition(".")[0] for number in range(metadata.num_columns)]
    places: dict[str, Ranges] = {name: [] for name in names}
    leaves = [(number, places[name]) for number, name in enumerate(names) if wanted(name)]
    for at in range(metadata.num_row_groups if leaves else 0):
        rows = metadata.row_group(at)
        for number, ranges in leaves:
            column = rows.column(number)
            start = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            ranges.append((start, start + column.total_compressed_size))
            if column.bloom_filter_offset:
                ranges.append((column.bloom_filter_offset, column.bloom_filter_offset + column.bloom_filter_length))
    return places


def _between(places: Mapping[str, Ranges], end: int) -> Ranges:
    """Where the bytes of no column are, before the footer, which begins at `end`."""
    between, last = [], 0
    for start, stop in sorted([*(extent for ranges in places.values() for extent in ranges), (end, end)]):
        if start > last:
            between.append((last, start))
        last = max(last, stop)
    return between


def _crc32(file: FileIO, ranges: Ranges) -> str:
    """The checksum of bytes of a file, in hexadecimal digits. Raises OSError, ValueError where there are fewer."""
    checksum = 0
    buffer = memoryview(bytearray(_BLOCK_BYTES))
    for start, end in ranges:
        file.seek(start)
        while start < end:
            n_bytes = file.readinto(buffer[: min(end - start, _BLOCK_BYTES)])
            if not n_bytes:
                raise ValueError(_NOT_WRITTEN)
            checksum = zlib.crc32(buffer[:n_bytes], checksum)
            start += n_bytes
    return f"{checksum:08x}"


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
