"""What is given in memory in place of a file: bytes, open files, lists of sentences in the notation of a format, data
frames.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

from treesql.catalog import schemas
from treesql.catalog.kinds import USUAL
from treesql.errors import Diagnostic, InvalidInput, UsageError, shortened
from treesql.readers import ALIGNMENT, DEPENDENCY, TEXT, format_of_ending, formats, recognise_format
from treesql.readers.frames import as_frames
from treesql.readers.source import CHUNK_BYTES, STANDARD_INPUT, Content, Source
from treesql.runtime.failures import shown

Buffer = bytes | bytearray | memoryview
"""Bytes that are in memory."""

BYTES, LIST = "bytes", "list"
"""What stands for the name of a file in signatures."""

_WHAT = "a file, bytes, an open file, a list of sentences, or data frames"
_OF_TEXTS = "check the path; in Python, a text is given as an open file (io.StringIO), or as a list of sentences"


@runtime_checkable
class Readable(Protocol):
    """An open file, of bytes or of text, or whatever else has `read`."""

    def read(self) -> Any:
        """The rest of the file."""


@runtime_checkable
class Frame(Protocol):
    """A data frame: of Polars, pandas or Arrow, a relation of DuckDB, or whatever else gives its rows to Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as a capsule of Arrow's C stream interface."""


File = str | Path | bytes | Readable | Sequence[str] | Frame | Mapping[str, Any]
"""A path, or what is given in memory in place of a file: bytes, an open file, a list of sentences, a data frame with
the rows of a table, or a mapping of names of tables to data frames."""

Inputs = File | Sequence[File]
"""A file or a corpus, or several; or what is given in memory in its place."""


def is_in_memory(value: object) -> bool:
    """Whether a value is bytes, an open file, a list of sentences, or data frames instead of files."""
    if isinstance(value, Content | Buffer) or hasattr(value, "read") or is_framed(value):
        return True
    return _is_list(value) and len(value) > 0 and not _names_files(value)


def is_framed(value: object) -> bool:
    """Whether a value is a data frame, or a mapping of names of tables to some."""
    if isinstance(value, Mapping):
        return any(name in schemas.all_tables() for name in value)
    return isinstance(value, Frame) or hasattr(value, "collect_schema")  # a lazy frame of Polars


def as_path(value: Any, name: str, kind: str | None = None, form: str | None = None) -> str:
    """The path of a file as it is; what is given in memory as its content, by the name that messages cite.

    kind: of corpora, whose usual format lists of sentences have unless `form` names another one; None for the one that
    the first sentence looks like. Raises UsageError for other values, InvalidInput for damaged bytes of a packed file,
    and for frames that are no rows of a table.
    """
    if isinstance(value, Content):
        return value
    if is_framed(value):
        return as_frames(value, name, kind)
    if isinstance(value, str | Path):
        if "\n" in str(value) and not _is_there(str(value)):
            path = shortened(str(value).replace("\n", "\\x0a"))
            raise InvalidInput([Diagnostic.error(path, 0, "there is no such file", _OF_TEXTS)])
        return str(value)
    if hasattr(value, "read"):
        try:
            value = value.read()
            value = value.encode() if isinstance(value, str) else value
        except (OSError, ValueError) as error:  # it is closed, or of another encoding
            raise UsageError(f"{name} cannot be read: {error}; give {_WHAT}") from None
    if isinstance(value, Buffer):
        return Content(name, _unpacked(name, bytes(value)), BYTES)
    if _is_list(value):
        if value and _names_files(value):
            raise UsageError(f"{name} is a list of files, and one is read; give one")
        if form is not None and form not in formats():
            raise UsageError(f"{name} is a list of sentences; --from {form} names no format of theirs")
        return Content(name, _joined(value, name, form or _format_of(value, kind)), LIST)
    if isinstance(value, Mapping) and value:
        names = ", ".join(map(str, value))
        raise UsageError(
            f"{name} is a mapping without a table: {names}; give {{TABLE: frame}}, such as {{'words': frame}}"
        )
    raise UsageError(f"{name} is {shown(value)}; give {_WHAT}")


def as_paths(
    values: Sequence[Any], name: str, kind: str | None = None, form: str | None = None, *, loaded: bool = False
) -> list[str]:
    """The paths of several files, as `as_path` returns each. Where there are several, numbers follow the name.

    loaded: whether corpora of a database are named, which stay as they are. Raises UsageError for others then.
    """
    if loaded:
        return [as_corpus(value, name) for value in values]
    names = [name] if len(values) == 1 else [f"{name} {number}" for number in range(1, len(values) + 1)]
    return [as_path(value, named, kind, form) for value, named in zip(values, names, strict=True)]


def as_corpus(value: Any, name: str) -> str:
    """The name of a corpus of a database as it is. Raises UsageError for other values."""
    if not isinstance(value, str | Path):
        raise UsageError(f"{name} is {shown(value)}; name a corpus of the database, or leave out db")
    return str(value)


def each_of(values: Any) -> list[Any]:
    """The inputs in what may be one of them, or several."""
    if isinstance(values, str | Path) or is_in_memory(values):
        return [values]
    return list(values)


def other_than_texts(items: Sequence[Any]) -> str:
    """What messages add where several values are given: the first one that is no sentence of a list."""
    others = ((number, item) for number, item in enumerate(items, start=1) if not isinstance(item, str | Path))
    return next((f"; item {number} is {shown(item)}, and a sentence is text" for number, item in others), "")


def _format_of(items: Sequence[str], kind: str | None) -> str:
    """The format of sentences of a kind of corpora; of any kind, the one that the first of them looks like."""
    if kind is not None:
        return USUAL[kind]
    return recognise_format(next(filter(str.strip, items), "").encode()) or TEXT


def _is_list(value: Any) -> TypeGuard[Sequence[str]]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return False
    return all(isinstance(item, str) and not isinstance(item, Content) for item in value)


def _names_files(items: Sequence[str]) -> bool:
    """Whether texts name files, instead of being sentences: one is there, or has the ending of a format."""
    if list(items) == [STANDARD_INPUT]:
        return True
    return any(_looks_like_a_file(item) or (_is_there(item) and any(map(str.isalnum, item))) for item in items)


def _is_there(path: str) -> bool:
    if os.path.exists(path):  # not for a sentence that is longer than any name, or has a NUL in it
        return True
    try:
        return _is_a_word(path) and glob.has_magic(path) and any(glob.iglob(path, recursive=True))
    except (OSError, ValueError):
        return False


def _looks_like_a_file(item: str) -> bool:
    return _is_a_word(item) and format_of_ending(item) is not None


def _is_a_word(item: str) -> bool:
    """Whether a text is not empty and has no white space."""
    return item.split() == [item]


def _joined(items: Sequence[str], name: str, form: str) -> bytes:
    """The text of a file with one sentence for every item. Raises UsageError for an item that is not one sentence."""
    if not items:
        raise UsageError(f"{name} is an empty list; give {_WHAT}")
    kind = formats()[form].kind
    blocks = kind == DEPENDENCY
    sentences = [item.replace("\r\n", "\n") for item in items]
    sentences = [item.strip("\n") if blocks else item.removesuffix("\n") for item in sentences]
    for number, sentence in enumerate(sentences, start=1):
        if blocks and (not sentence.strip() or "\n\n" in sentence):
            raise UsageError(f"{name}: item {number} is not one sentence of {form}; give one for each")
        if kind in (TEXT, ALIGNMENT) and ("\n" in sentence or "\r" in sentence):
            raise UsageError(f"{name}: item {number} has a line break in it; give a sentence for each item")
    between = "\n\n" if blocks else "\n"
    try:
        return f"{between.join(sentences)}{between}".encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} has a character that is none of Unicode: {error.object[error.start]!a}") from None


def _unpacked(name: str, data: bytes) -> bytes:
    """Bytes without the packing that their first ones name."""
    source = Source(Content(name, data, BYTES), digest=False)
    return b"".join(source.unpacked_blocks(CHUNK_BYTES))
