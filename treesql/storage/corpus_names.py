"""Names of corpora, treebanks and languages from the names of files, as Universal Dependencies has them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from treesql import readers
from treesql.errors import UsageError
from treesql.readers.source import without_packed_ending
from treesql.storage import ud_names


def treebank_and_language(path: str) -> tuple[str | None, str | None]:
    """The treebank and the language of a file of Universal Dependencies by its folder: English-EWT and English.

    The folder is the nearest one of a name such as `UD_English-EWT`; or the file's own, `English-EWT`, where the file
    is called like `en_ewt-ud-dev.conllu`. None for other files.
    """
    parents = Path(os.path.abspath(path)).parents
    named = [ud_names.read_folder(parent.name) for parent in parents]
    found = next((folder for folder in named if folder is not None and folder.released), None)
    if found is None:
        file, folder = ud_names.read_file(Path(path).name), named[0]
        if file is not None and file.released and folder is not None and (folder.name or "").lower() == file.name:
            found = folder
    return (None, None) if found is None else (found.treebank, found.language)


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
