"""Names of Universal Dependencies: folders such as `UD_English-EWT`, files such as `en_ewt-ud-dev.conllu`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RELEASED = re.compile(r"UD_(?P<language>[A-Z]\w*)(?:-(?P<name>\w+))?")
_BARE = re.compile(r"(?P<language>[A-Z][A-Za-z_]*)-(?P<name>\w+)")
"""A folder's name as released, and without `UD_`, as other folders may be called as well: `Parser-A`."""

_FILE = re.compile(
    r"(?P<code>[a-z]{2,3}(?:_(?P<name>[a-z0-9]+))?)(?P<ud>-ud)?(?:-(?P<part>train|dev|test))?(?P<rest>[-.].*)?"
)


@dataclass(frozen=True)
class FolderName:
    """What a folder's name says. treebank: `English-EWT`; language: `English`; name: `EWT`; released: after `UD_`."""

    treebank: str
    language: str
    name: str | None
    released: bool


@dataclass(frozen=True)
class FileName:
    """What a file's name says. code: `en_ewt`; name: `ewt`; released: whether `-ud` follows; part: train, dev or test;
    rest: what follows that, with the ending.
    """

    code: str
    name: str | None
    released: bool
    part: str | None
    rest: str


def read_folder(name: str) -> FolderName | None:
    """Return what the name of a folder says, None if it is not like one of Universal Dependencies."""
    released = _RELEASED.fullmatch(name)
    found = released or _BARE.fullmatch(name)
    if found is None:
        return None
    treebank = name.removeprefix("UD_") if released else name
    return FolderName(treebank, found["language"].replace("_", " "), found["name"], released is not None)


def read_file(name: str) -> FileName | None:
    """Return what the name of a file says, or the code alone; None if it is not like one of Universal Dependencies."""
    found = _FILE.fullmatch(name)
    if found is None:
        return None
    return FileName(found["code"], found["name"], bool(found["ud"]), found["part"], found["rest"] or "")
