"""What is expected of every input: rows or a list of faults; the same ones however it is cut; a round trip."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

import treesql
from tests.conftest import bare
from tests.robustness.notations import PARQUET, Notation
from treesql.catalog import schemas
from treesql.errors import FAULTS_SHOWN, Diagnostic, InvalidInput, TreesqlError
from treesql.readers import Options
from treesql.readers.source import CHUNK_BYTES, packing_of, unpacked

IN_ORDER = {"penn", "newick", "export", "discbracket", "text", "trn", "pharaoh", "talp", "wpt", "giza"}
"""Formats whose faults are found in the order of the file."""

RECOVERING = {"penn", "newick"}
"""Formats where the faults that are found beside the first one depend on chunks: brackets do not match after it, and
names of leaves are compared only in chunks without a fault."""

_LABELS = {"constituent_labels", "constituent_lists"}
LOSSY = {
    "openfst": {"lattices", "lattice_edges", "lattice_words"}, "wpt": {"corpora", "sentences"},
    "export": _LABELS | {"sentences"}, "tigerxml": _LABELS,
}  # fmt: skip
"""By format, tables whose rows may come back otherwise: OpenFst's edges are sorted by the states that they leave, of
several final nodes one is left, and sentences behind the last link have no place in WPT's lines; export and TIGER-XML
list phrases in another order, so that labels get other numbers, and of export's lines above sentences further heads go.
"""

PLACES = {"file", "line", "files", "sha256", "format", "loaded_at"}
"""Columns that tell where rows come from."""


def judge(notation: Notation, data: bytes, options: Options, path: Path, random: Random, *, round_trip: bool) -> str:
    """What is wrong with how an input is read, empty where nothing is. path: a file that may be overwritten."""
    path.write_bytes(data)
    outcome, complaint = _outcome(notation, path, CHUNK_BYTES, options)
    if complaint:
        return complaint
    if notation.form:
        size = random.choice((7, 50, 1000))
        again, complaint = _outcome(notation, path, size, options)
        if complaint or not _alike(outcome, again, notation, _was_cleaned(data)):
            return complaint or f"another outcome when {size} bytes are read at a time"
    if isinstance(outcome, list) or notation.form is None or not round_trip:
        return ""
    return _round_trip(notation, data, options, path, random)


def _outcome(notation: Notation, path: Path, size: int, options: Options) -> tuple[Any, str]:
    """What comes of a file: what is read, or the texts of faults; and what is wrong with that."""
    try:
        with _warnings_are_errors():
            return notation.read(path, size, options), ""
    except InvalidInput as error:
        return _Faults(error), _faults(error, path.read_bytes(), path)
    except TreesqlError as error:
        return [str(error)], "" if str(error) else "an error without a message"
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error)[:300]}"


class _Faults(list[str]):
    """The texts of faults."""

    def __init__(self, error: InvalidInput) -> None:
        super().__init__(map(str, error.faults))


def _alike(one: Any, other: Any, notation: Notation, cleaned: bool) -> bool:
    """Whether two outcomes are the same. cleaned: whether the bytes were changed before they were read, by chunks.

    Columns and lattices are checked one thing after the other for all sentences of a chunk, so which faults of a file
    are told depends on its chunks; and so does which come first, where there are more than are told.
    """
    if isinstance(one, _Faults) and isinstance(other, _Faults):
        return (
            cleaned
            or notation.form not in IN_ORDER
            or len(one) >= FAULTS_SHOWN
            or len(other) >= FAULTS_SHOWN
            or one == other
            or (notation.form in RECOVERING and (one[0] in other or other[0] in one))
        )
    return bool(one == other)


def _was_cleaned(data: bytes) -> bool:
    """Whether there is anything that no text should have: CRs, NULs, a byte order mark, bytes that are not UTF-8."""
    try:
        return not {"\r", "\0", "\ufeff"}.isdisjoint(data.decode())
    except UnicodeDecodeError:
        return True


def _faults(error: InvalidInput, data: bytes, path: Path) -> str:
    """Every fault names a line that is there, and says what to do."""
    if not 1 <= len(error.faults) <= FAULTS_SHOWN:
        return f"{len(error.faults)} faults"
    packed = data.startswith((b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh", b"\x28\xb5\x2f\xfd"))
    last = data.count(b"\n") + data.count(b"\r") + 2
    for fault in error.faults:
        if not isinstance(fault, Diagnostic) or not fault.what or not fault.hint:
            return f"a fault without what or hint: {fault!r}"
        if "\n" in str(fault) or "\r" in str(fault):
            return f"a fault of several lines: {str(fault)!r}"
        if fault.line < 0 or (fault.line > last and not packed and fault.path == str(path)):
            return f"a fault in line {fault.line} of {last}"
    return ""


@contextmanager
def _warnings_are_errors() -> Iterator[None]:
    """All warnings but treesql's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", treesql.TreesqlWarning)
        yield


def _round_trip(notation: Notation, data: bytes, options: Options, path: Path, random: Random) -> str:
    """Loaded, written and loaded again there are the same rows; of CoNLL-U, the same bytes are written.

    They are written in their own format, if it is written, or as Parquet.
    """
    assert notation.form
    given = {name: getattr(options, name) for name in ("permissive", "strict", "phrases", "ids")}
    form = notation.form if notation.writes and random.random() < 0.7 else PARQUET
    out = path.with_name("out" if form == PARQUET else "out.file")
    shutil.rmtree(out, ignore_errors=True)
    out.unlink(missing_ok=True)
    db = _empty()
    try:
        with _warnings_are_errors():
            db.load(path, corpus="a", format=notation.form, replace=True, **given)
            before = _rows(db, "a")
            try:
                db.export(out, corpus="a", to=form)
            except InvalidInput as error:  # what a format has no place for
                return "" if form != PARQUET else f"not written: {error}"
            if form == "conllu" and out.read_bytes() != _unpacked(data):
                return "other bytes are written than were read"
            db.load(
                out,
                corpus="a",
                format=form,
                replace=True,
                **(given if form != PARQUET else {"permissive": options.permissive}),
            )
            after = _rows(db, "a")
    except Exception as error:
        return f"{type(error).__name__} after reading, {form}: {str(error)[:300]}"
    for name in LOSSY.get(form, ()):
        before[name] = after[name] = []
    return _difference(form, before, after) if after != before else ""


def _difference(form: str, before: dict[str, list[Any]], after: dict[str, list[Any]]) -> str:
    name = next(name for name in before if before[name] != after[name])
    pairs = zip(before[name], after[name], strict=False)
    differ = next((pair for pair in pairs if pair[0] != pair[1]), (len(before[name]), len(after[name])))
    return f"other rows of {name} after a round trip through {form}: {str(differ)[:600]}"


@cache
def _empty() -> treesql.Database:
    return treesql.connect()


def _rows(db: treesql.Database, corpus: str) -> dict[str, list[Any]]:
    """All rows of a corpus, but for where they come from."""
    found = {}
    for table in schemas.corpus_tables():
        columns = [schemas.quote(name) for name in table.names if name not in PLACES]
        sql = f"SELECT {', '.join(columns)} FROM {schemas.quote(table.name)} WHERE corpus = '{corpus}' ORDER BY ALL"
        rows: pa.Table = bare(db).sql(sql).to_arrow_table()
        found[table.name] = rows.to_pylist()
    return found


def _unpacked(data: bytes) -> bytes:
    packing = packing_of(data)
    return data if packing is None else b"".join(unpacked([data], packing, "data"))
