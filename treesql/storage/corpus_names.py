"""Names of corpora, treebanks and languages from those of files and folders, such as Universal Dependencies has them:
`UD_English-EWT/en_ewt-ud-dev.conllu`.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treesql import readers
from treesql.errors import UsageError
from treesql.readers.source import STANDARD_INPUT, without_packed_ending

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


def treebank_and_language(path: str) -> tuple[str | None, str | None]:
    """The treebank and the language of a file of Universal Dependencies by its folder: English-EWT and English.

    The folder is the nearest one of a name such as `UD_English-EWT`; or the file's own, `English-EWT`, where the file
    is called like `en_ewt-ud-dev.conllu`. None for other files.
    """
    parents = Path(os.path.abspath(path)).parents
    named = [read_folder(parent.name) for parent in parents]
    found = next((folder for folder in named if folder is not None and folder.released), None)
    if found is None:
        file, folder = read_file(Path(path).name), named[0]
        if file is not None and file.released and folder is not None and (folder.name or "").lower() == file.name:
            found = folder
    return (None, None) if found is None else (found.treebank, found.language)


def names_of_inputs(paths: Sequence[str], *, before_stars: bool = False) -> list[str]:
    """The last parts of paths that are read for one piece of work; the paths themselves where two are equal.

    before_stars: whether a pattern is named by the folder before its stars.
    """
    names = [name_of_input(_before_stars(path) if before_stars else path) for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def name_of_input(path: str) -> str:
    """The last part of a path, of a folder such as `..` its own name; `stdin` for standard input."""
    return "stdin" if path == STANDARD_INPUT else Path(os.path.abspath(path)).name or path


def _before_stars(path: str) -> str:
    if not glob.has_magic(path) or Path(path).exists():
        return path
    parts = itertools.takewhile(lambda part: not glob.has_magic(part), Path(path).parts)
    return os.path.join("", *parts) or path


def names_of_files(paths: Sequence[str]) -> Mapping[str, str]:
    """A name for every file: its own without the ending of a format. Raises UsageError where no names are left.

    Equal names have that of their folder in front, and the folders above while they are equal. Files of one folder that
    differ in their endings alone keep these.
    """
    stems = {path: (_folder(path), _without_ending(Path(path).name)) for path in paths}
    alike = Counter(stems.values())
    return _distinct(
        {
            path: (folder, stem if alike[folder, stem] == 1 else Path(path).name)
            for path, (folder, stem) in stems.items()
        }
    )


def names_of_folders(paths: Sequence[str]) -> Mapping[str, str]:
    """A name for every file, that of its folder: equal for files of one folder, otherwise distinct."""
    folders = {_folder(path) for path in paths}
    names = _distinct({str(folder): (folder.parent, folder.name or str(folder)) for folder in folders})
    return {path: names[str(_folder(path))] for path in paths}


def _distinct(places: Mapping[str, tuple[Path, str]]) -> Mapping[str, str]:
    """Names that differ: with as many folders in front as this takes. places: the folder of every one, and its name."""
    names = {one: name for one, (_, name) in places.items()}
    folders = {one: [part for part in folder.parts if part != folder.anchor] for one, (folder, _) in places.items()}
    while equal := [one for one, n in _counts(names).items() if n > 1]:
        if not any(folders[one] for one in equal):
            raise UsageError(
                f"several files would be the corpus {names[equal[0]]!r}; load them one by one with --corpus"
            )
        for one in equal:
            if folders[one]:
                names[one] = f"{folders[one].pop()}/{names[one]}"
    return names


def _counts(names: Mapping[str, str]) -> Mapping[str, int]:
    """How many have the name of each."""
    counts = Counter(names.values())
    return {one: counts[name] for one, name in names.items()}


def _folder(path: str) -> Path:
    return Path(os.path.abspath(path)).parent


def _without_ending(name: str) -> str:
    """The name of a file without its endings; that of a format stays if it is all there is."""
    return readers.without_ending(name) or without_packed_ending(name)
