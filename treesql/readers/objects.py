"""What is given in memory in place of a file: bytes, open files, and lists of sentences in the notation of a format."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

from treesql.catalog.formats import USUAL
from treesql.errors import Diagnostic, InvalidInput, UsageError, shortened
from treesql.readers import ALIGNMENT, DEPENDENCY, TEXT, format_of_ending, formats, recognise_format
from treesql.readers.source import CHUNK_BYTES, STANDARD_INPUT, Content, Source
from treesql.runtime.failures import shown

Buffer = bytes | bytearray | memoryview
"""Bytes that are in memory."""

BYTES, LIST = "bytes", "list"
"""What stands for the name of a file in signatures."""

_WHAT = "a file, bytes, an open file, or a list of sentences"
_OF_TEXTS = "check the path; in Python, a text is given as an open file (io.StringIO), or as a list of sentences"


@runtime_checkable
class Readable(Protocol):
    """An open file, of bytes or of text, or whatever else has `read`."""

    def read(self) -> Any:
        """The rest of the file."""


File = str | Path | bytes | Readable | Sequence[str]
"""A path, or what is given in memory in place of a file: bytes, an open file, a list of sentences."""


def is_in_memory(value: object) -> bool:
    """Whether a value is bytes, an open file, or a list of sentences instead of files."""
    if isinstance(value, Content | Buffer) or hasattr(value, "read"):
        return True
    return _is_list(value) and len(value) > 0 and not _names_files(value)


def as_path(value: Any, name: str, kind: str | None = None, form: str | None = None) -> str:
    """The path of a file as it is; what is given in memory as its content, by the name that messages cite.

    kind: of corpora, whose usual format lists of sentences have unless `form` names another one; None for the one that
    the first sentence looks like. Raises UsageError for other values, InvalidInput for damaged bytes of a packed file.
    """
    if isinstance(value, Content):
        return value
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
        if form is not None and form not in formats():
            raise UsageError(f"{name} is a list of sentences; --from {form} names no format of theirs")
        return Content(name, _joined(value, name, form or _format_of(value, kind)), LIST)
    raise UsageError(f"{name} is {shown(value)}; give {_WHAT}")


def as_paths(values: Sequence[Any], name: str, kind: str | None = None, form: str | None = None) -> list[str]:
    """The paths of several files, as `as_path` returns each. Where there are several, numbers follow the name."""
    names = [name] if len(values) == 1 else [f"{name} {number}" for number in range(1, len(values) + 1)]
    return [as_path(value, named, kind, form) for value, named in zip(values, names, strict=True)]


def _format_of(items: Sequence[str], kind: str | None) -> str:
    """The format of sentences of a kind of corpora; of any kind, the one that the first of them looks like."""
    if kind is not None:
        return USUAL[kind]
    return recognise_format(next(filter(str.strip, items), "").encode()) or TEXT


def _is_list(value: Any) -> TypeGuard[Sequence[str]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(item, str) for item in value)


def _names_files(items: Sequence[str]) -> bool:
    """Whether texts name files, instead of being sentences: one is there, or has the ending of a format."""
    if list(items) == [STANDARD_INPUT]:
        return True
    return any(_looks_like_a_file(item) or (any(map(str.isalnum, item)) and _is_there(item)) for item in items)


def _is_there(path: str) -> bool:
    if os.path.exists(path):  # not for a sentence that is longer than any name, or has a NUL in it
        return True
    is_pattern = glob.has_magic(path) and not any(map(str.isspace, path))
    try:
        return is_pattern and any(glob.iglob(path, recursive=True))
    except (OSError, ValueError):
        return False


def _looks_like_a_file(item: str) -> bool:
    return bool(item) and not any(map(str.isspace, item)) and format_of_ending(item) is not None


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
