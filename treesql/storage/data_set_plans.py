"""Files of Parquet as the user names them -> the corpora of data sets: those that manifests list, if there are any."""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from treesql import readers
from treesql.engines import manifests, part_checks
from treesql.engines.corpus_groups import FEATURES
from treesql.engines.part_checks import StoredPart
from treesql.errors import DatabaseError, Diagnostic, UsageError
from treesql.readers import PARQUET

_SUFFIXES = (".parquet",)
_NEEDED = frozenset({"corpora", "sentences", "words"})


@dataclass(frozen=True)
class StoredCorpus:
    """A corpus of a data set. files: in the order in which they are read. parts: its parts, if a manifest lists them.

    shares_parts: whether the parts hold other corpora as well. folder, manifest: which has the parts, and lists them.
    """

    name: str
    files: tuple[str, ...]
    parts: tuple[StoredPart, ...] = ()
    shares_parts: bool = False
    folder: str = ""
    manifest: manifests.Identity | None = None

    def find_damage(self) -> list[Diagnostic]:
        """The parts that are not as they were written. Raises DatabaseError where the folder has another manifest."""
        found = part_checks.find_damage(self.parts)
        if found and manifests.identity_of(self.folder) != self.manifest:
            raise _changed(self.folder)
        return found


def find_damage(folder: str) -> list[Diagnostic]:
    """The parts of a folder that are not as they were written; none where it has no manifest. Raises DatabaseError."""
    if not manifests.is_data_set(folder):
        return []
    return manifests.retry_changed(
        folder,
        lambda: part_checks.find_all_damage(folder, manifests.read_manifest(folder, find_parts=False)),
        lambda found: not found,
    )


def find_corpora(files: Sequence[str]) -> dict[str, StoredCorpus]:
    """The corpora of data sets by name: of a folder with a manifest those that it lists, as far as files are named.

    Raises UsageError where a corpus lacks tables, DatabaseError.
    """
    found: dict[str, StoredCorpus] = {}
    for root, named in _by_folder(files).items():
        found |= _listed(root, named) if manifests.is_data_set(root) else _unlisted(list(named.values()))
    if not found:
        raise UsageError("these Parquet files are not a data set; name the folder that `treesql export` wrote")
    return found


def without_unlisted(files: Sequence[str]) -> list[str]:
    """Files without those that are in the place of parts and that no manifest lists. Raises DatabaseError."""
    unlisted: set[Path] = set()
    for root, named in _by_folder([file for file in files if file.endswith(_SUFFIXES)]).items():
        if manifests.is_data_set(root):
            groups = manifests.read_manifest(root, find_parts=False)
            unlisted |= named.keys() - {Path(part.path) for part in part_checks.parts_of(root, groups)}
    return [file for file in files if _absolute(file) not in unlisted]


def _absolute(file: str) -> Path:
    """An absolute path; paths are equal in any notation of the system."""
    return Path(os.path.abspath(file))


def _changed(folder: str) -> DatabaseError:
    return DatabaseError(f"{folder}: the folder has changed while it was read; load it again")


def _by_folder(files: Sequence[str]) -> dict[str, dict[Path, str]]:
    """Files by the folder that a data set would be, FOLDER/TABLE/NAME/FILE, and by their absolute paths."""
    folders: dict[str, dict[Path, str]] = {}
    for file in files:
        above = Path(file).parents
        folders.setdefault(str(above[2] if len(above) > 2 else above[-1]), {})[_absolute(file)] = file
    return folders


def _listed(root: str, named: dict[Path, str]) -> dict[str, StoredCorpus]:
    """The corpora that the manifest of a folder lists. named: files by their absolute paths."""
    reader = readers.reader_module(PARQUET)
    found = {}
    identity = manifests.identity_of(root)
    groups = manifests.retry_changed(root, lambda: manifests.read_manifest(root))
    listed = {Path(part.path) for part in part_checks.parts_of(root, groups)}
    if not all(path.exists() for path in named.keys() - listed):  # removed since they were found
        raise _changed(root)
    for group in groups:
        parts = [part for part in part_checks.parts_of(root, [group]) if Path(part.path) in named]
        tables = {part.table for part in parts}
        files = reader.in_order(named[Path(part.path)] for part in parts if part.table != FEATURES)
        for entry in group.corpora if files else ():
            _refuse_lacking(entry.corpus, tables, has_words=entry.n_words > 0)
            found[entry.corpus] = StoredCorpus(
                entry.corpus, tuple(files), tuple(parts), len(group.corpora) > 1, root, identity
            )
    return found


def _unlisted(files: Sequence[str]) -> dict[str, StoredCorpus]:
    """The corpora of files without a manifest, each with parts of its own."""
    reader = readers.reader_module(PARQUET)
    members: dict[str, list[str]] = {}
    for file in files:
        name = reader.corpus_of(file)
        if name is not None:
            members.setdefault(name, []).append(file)
    found = {}
    for name, listed in members.items():
        tables = {reader.table_of(file): file for file in listed}
        _refuse_lacking(name, tables.keys(), has_words="corpora" not in tables or reader.has_words(tables["corpora"]))
        found[name] = StoredCorpus(name, tuple(reader.in_order(listed)))
    return found


def _refuse_lacking(corpus: str, tables: Set[str], *, has_words: bool) -> None:
    """Raises UsageError where a corpus lacks tables that it must have.

    has_words: whether it may have words; if not, it is an alignment, lattices, or a text of empty lines.
    """
    lacking = sorted(_NEEDED - tables) if has_words else sorted({"corpora"} - tables)
    if lacking:
        raise UsageError(f"the data set has no {' and no '.join(lacking)} of {corpus!r}; export it again")
