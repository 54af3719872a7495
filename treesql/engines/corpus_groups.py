"""Corpora of a folder of Parquet in groups, and the parts that hold the rows of each, as the manifest lists them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar
from urllib.parse import quote as escape

from treesql.catalog import schemas
from treesql.errors import UsageError

TOGETHER = "~together"
"""Name of the folders of parts of several corpora. No corpus has it: its `~` would be escaped."""

LONGEST_NAME = 250
"""Maximum number of bytes of the name of a corpus's folder."""

FEATURES = "feature_lists"
"""The table without a column `corpus` that has parts for every corpus: its FEATS and MISC strings."""


@dataclass(frozen=True)
class Part:
    """A file of rows of one table. file: its name; first, last: the sentences, None in tables without such a column.

    sha256: of its bytes. crc32: the checksums of `parquet_parts`, 8 hexadecimal digits each.
    """

    file: str
    rows: int
    bytes: int
    sha256: str
    crc32: str
    first: int | None = None
    last: int | None = None

    def may_have(self, sentences: range) -> bool:
        """Whether rows of some of these sentences may be in it."""
        return (self.first is None or self.first < sentences.stop) and (
            self.last is None or self.last >= sentences.start
        )


@dataclass(frozen=True)
class Entry:
    """A corpus of a folder: what its row in `corpora` says of it."""

    corpus: str
    kind: str
    format: str
    reading: str | None
    sha256: str
    n_sentences: int
    n_words: int
    loaded_at: str


@dataclass(frozen=True)
class CorpusGroup:
    """Corpora whose rows are in the same parts, by table: one corpus, or several small ones."""

    corpora: tuple[Entry, ...]
    parts: Mapping[str, tuple[Part, ...]]

    @property
    def names(self) -> list[str]:
        """The names of the corpora."""
        return [entry.corpus for entry in self.corpora]

    @property
    def is_shared(self) -> bool:
        """Whether its parts hold rows of several corpora."""
        return len(self.corpora) > 1

    @property
    def folder(self) -> str:
        """The name of the folders of the parts."""
        return TOGETHER if self.is_shared else folder_name(self.corpora[0].corpus)

    @property
    def signature(self) -> str:
        """What the metadata of its parts say of the corpora: the name of one, which a digest may follow, or of all."""
        if not self.is_shared:
            return self.corpora[0].corpus
        return f"{len(self.corpora)} corpora@{hashlib.sha256(chr(10).join(self.names).encode()).hexdigest()}"

    def paths(self, root: str, table: str, sentences: range | None = None) -> list[str]:
        """The files of a table. sentences: leave out files that have none of these."""
        parts = [part for part in self.parts.get(table, ()) if sentences is None or part.may_have(sentences)]
        return [f"{root.rstrip('/')}/{table}/{self.folder}/{part.file}" for part in parts]


def folder_name(corpus: str) -> str:
    """The name of the folders of a corpus; engines leave out those that begin with `_` or `.`.

    Raises UsageError where it is too long.
    """
    name = escape(corpus, safe="")
    if name.startswith(("_", ".", "~")):
        name = f"%{ord(name[0]):X}{name[1:]}"
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"the name {corpus[:30]!r}... is too long for a folder of its own; load the corpus under a shorter one"
        )
    return name


Made = TypeVar("Made", Part, Entry)

_PART = re.compile(r"part-[0-9A-Za-z-]+\.parquet")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CRC32 = re.compile(r"(?:[0-9a-f]{8}){2,}")


def groups_of(values: Any) -> list[CorpusGroup]:
    """The groups that a manifest lists. Raises ValueError, TypeError, KeyError, AttributeError with what is wrong."""
    groups = [_group(group) for group in _list(values, "groups")]
    _refuse_repeated("corpus", (name for group in groups for name in group.names))
    _refuse_repeated(
        "part",
        (
            f"{table}/{group.folder}/{part.file}"
            for group in groups
            for table, parts in group.parts.items()
            for part in parts
        ),
    )
    return groups


def _group(values: Any) -> CorpusGroup:
    corpora = tuple(_made(Entry, entry) for entry in _list(values["corpora"], "corpora"))
    if not corpora:
        raise ValueError("a group has no corpora")
    for entry in corpora:
        folder_name(entry.corpus)
    if not isinstance(values["parts"], Mapping):
        raise TypeError("parts are not by table")
    parts = {}
    for table, listed in values["parts"].items():
        if table not in schemas.all_tables() or not ("corpus" in schemas.table(table).names or table == FEATURES):
            raise ValueError(f"there is no table {table!r} of parts")
        parts[table] = tuple(_made(Part, part) for part in _list(listed, table))
    if not parts.get("corpora"):
        raise ValueError(f"{corpora[0].corpus!r} has no part of corpora")
    return CorpusGroup(corpora, parts)


def _list(values: Any, name: str) -> list[Any]:
    if not isinstance(values, list):
        raise TypeError(f"{name} is no list")
    return values


def _made(kind: type[Made], values: Any) -> Made:
    """A part or an entry with values of the right types."""
    if not isinstance(values, dict) or values.keys() != {field.name for field in fields(kind)}:
        raise ValueError(f"{kind.__name__.lower()} with other keys")
    for field in fields(kind):
        if not _VALUES[str(field.type)](values[field.name]):
            raise TypeError(f"{field.name} is {str(values[field.name])[:40]!r}")
    for name, pattern in (("file", _PART), ("crc32", _CRC32), ("sha256", _SHA256)):
        if name in values and not pattern.fullmatch(values[name]):
            raise ValueError(f"{name} is {values[name][:40]!r}")
    return kind(**values)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_VALUES: Mapping[str, Callable[[object], bool]] = {
    "str": lambda value: isinstance(value, str),
    "str | None": lambda value: value is None or isinstance(value, str),
    "int": _is_number,
    "int | None": lambda value: value is None or _is_number(value),
}
"""By type, whether a value is of it."""


def _refuse_repeated(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the {what} {name!r} is listed twice")
        seen.add(name)
