"""The manifest of a folder of Parquet: one JSON file, which names its corpora and the parts that hold their rows.

Nothing else counts: corpora are added, replaced and removed by writing the manifest anew, which is moved to its place.
It ends with the SHA-256 of what is before it.

    FOLDER/_manifest/manifest.json
    FOLDER/TABLE/NAME/part-00000.parquet
    FOLDER/TABLE/~together/part-3f9a0c12.parquet

A corpus has parts of its own in the folder NAME, or shares the parts of a group of small corpora. The folder of a
corpus is no `key=value`: programs that take such a folder for a column would guess its type from the names of corpora,
where the column `corpus` of the parts has one.

No name of a part is given twice, not even of one that was removed, so that a connection that is open never takes
another part for its own: but for those that a folder begins with, names have a random end, `part-00000-5b21f09e`.

A part of one corpus holds the rows of BLOCK_SENTENCES sentences, sorted by the table's key; part K begins with sentence
K * BLOCK_SENTENCES, so that parts of one number of corresponding corpora have the same sentences.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from treesql._version import __version__
from treesql.catalog import schemas
from treesql.engines.corpus_groups import CorpusGroup, Part, groups_of
from treesql.errors import DatabaseError, UsageError

BLOCK_SENTENCES = 1 << 15
"""Number of sentences of a part, but for the last one of a corpus: about half a million words."""

GOOGLE = ("gs://", "gcs://")
"""How addresses of Google's object store begin."""

ANSWERS_WITHIN = 20
"""Seconds in which it has to answer."""

MANIFESTS = "_manifest"
"""Name of the folder of the manifest. Engines that read folders of Parquet leave out names that begin with `_`."""

FILE = "manifest.json"
"""Name of the manifest."""

LAYOUT = 3
"""Version of the layout of folders and manifest; that of the tables is SCHEMA_VERSION."""

AGAIN = "restore the folder from a backup, load the corpus again with --replace, or drop it"
"""What to do about a part that is damaged."""

Identity = tuple[int, int, int]
"""Which file a manifest is: inode, time of the last change in nanoseconds, number of bytes."""

Found = TypeVar("Found")

_TRIES = 20
"""Maximum number of times that a folder is read which others change meanwhile."""

_AGAIN = "restore the folder from a backup, or load its corpora into a new one"
_ANEW = "load its corpora again into a new folder"
_LINK = "this link leads out of the folder"
_END = '\n], "sha256": "'


def is_folder(path: str) -> bool:
    """Whether a path names a folder of Parquet rather than a database file: an address, a folder, or ends in `/`."""
    return "://" in path or path.endswith(("/", os.sep)) or Path(path).is_dir()


def is_data_set(path: str) -> bool:
    """Whether a path is a folder with a manifest; addresses of object stores are not looked at."""
    return "://" in path or (Path(path) / MANIFESTS).is_dir()


def make_folder(folder: str) -> tuple[Path, ...]:
    """Make a folder without corpora where there is none, or an empty one, if its name ends in `/`.

    Return the folders that were made, the innermost first: none where one with corpora or other files stands. Raises
    DatabaseError.
    """
    root = Path(folder)
    if "://" in folder or not folder.endswith("/") or (root.exists() and (not root.is_dir() or any(root.iterdir()))):
        return ()
    inside = root / MANIFESTS
    made = tuple(parent for parent in (inside, *inside.parents) if not parent.exists())
    try:
        inside.mkdir(parents=True)
    except OSError as error:
        raise DatabaseError(f"{folder}: {error.strerror}; choose another place") from None
    return made


def remove_empty_folders(made: Sequence[Path]) -> None:
    """Remove the folders that `make_folder` made if no corpora were loaded into them."""
    for empty in made:
        with suppress(OSError):  # it has files
            empty.rmdir()


def read_manifest(folder: str, *, find_parts: bool = True) -> list[CorpusGroup]:
    """The corpora of a folder in the order in which they were loaded.

    find_parts: whether every part must be there, in its size; not for object stores. Raises DatabaseError.
    """
    if "://" in folder:
        return _parsed(_read_remote(folder), f"{folder.rstrip('/')}/{MANIFESTS}/{FILE}", folder)
    path = manifest_path(Path(folder))
    text = _read_local(folder, path)
    groups = [] if text is None else _parsed(text, str(path), folder)
    for part, what in find_faults(groups, folder) if find_parts else ():
        raise DatabaseError(f"{part}: this part is damaged ({what}); {AGAIN}")
    return groups


def manifest_path(folder: Path) -> Path:
    """The manifest of a local folder."""
    return folder / MANIFESTS / FILE


def identity_of(folder: str) -> Identity | None:
    """The manifest that a folder has now; None without one, and of object stores, which are not asked."""
    try:
        status = None if "://" in folder else os.stat(manifest_path(Path(folder)))
    except OSError:
        return None
    return None if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def retry_changed(
    folder: str, read: Callable[[], Found], is_whole: Callable[[Found], bool] = lambda content: True
) -> Found:
    """What `read` returns of a folder, asked again where it fails and others have replaced the manifest meanwhile.

    is_whole: whether it did not fail. Raises DatabaseError.
    """
    for _ in range(_TRIES):
        before = identity_of(folder)
        try:
            content = read()
            if is_whole(content) or identity_of(folder) == before:
                return content
        except DatabaseError:
            if identity_of(folder) == before:
                raise
    return read()


def corpora_of(groups: Sequence[CorpusGroup]) -> list[str]:
    """The names of the corpora in the order in which they were loaded."""
    entries = (entry for group in groups for entry in group.corpora)
    return [entry.corpus for entry in sorted(entries, key=lambda entry: (entry.loaded_at, entry.corpus))]


def _read_local(folder: str, path: Path) -> str | None:
    """The text of a manifest; None of a folder without corpora."""
    root = Path(folder)
    if not root.exists():
        raise DatabaseError(
            f"{folder}: there is no such folder; `treesql load {folder.rstrip('/')}/ FILE...` makes one"
        )
    if not path.parent.is_dir():
        raise DatabaseError(_explain_missing(root, folder))
    if not os.path.lexists(path):
        if any(path.parent.glob("corpus=*.json")):
            raise DatabaseError(f"{path.parent}: made by an older treesql; {_ANEW}")
        if any(root.glob("corpora/*/part-*.parquet")):
            raise DatabaseError(f"{path}: the manifest of this folder is missing; {_AGAIN}")
        return None
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) or _leads_out(path, root):
            raise DatabaseError(f"{path}: this is no file of this folder; {_AGAIN}")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatabaseError(f"{path}: this manifest cannot be read ({error}); {_AGAIN}") from None


def refuse_link_out(path: Path, folder: Path) -> None:
    """Raise DatabaseError where links on the way from a folder to a path, which may be missing, lead out of it."""
    if _leads_out(path, folder):
        raise DatabaseError(f"{path}: {_LINK}; put the folder that it leads to in its place")


def _leads_out(path: Path, root: Path) -> bool:
    """Whether links on the way from a folder to a path lead out of the folder."""
    return not path.resolve().is_relative_to(root.resolve())


def _explain_missing(root: Path, folder: str) -> str:
    """The message for a folder without a manifest."""
    if any(root.glob("corpora/*/*.parquet")):
        return f"{folder}: exported by an older treesql, without a manifest; {_ANEW}"
    if not any(root.iterdir()):
        return f"{folder}: this folder is empty; `treesql load {folder} FILE...` loads corpora into it"
    return f"{folder}: this folder was not made by treesql; name one made by `treesql load FOLDER/` or `export`"


def _read_remote(folder: str) -> str:
    """The manifest of a folder in an object store, by the file system that Arrow has for its address."""
    import pyarrow as pa
    import pyarrow.fs as arrow_fs

    try:
        address = folder.rstrip("/")
        if address.startswith(GOOGLE) and "?" not in address:  # Arrow would ask again for a quarter of an hour
            address += f"?retry_limit_seconds={ANSWERS_WITHIN}"
        system, root = arrow_fs.FileSystem.from_uri(address)
        [info] = system.get_file_info([f"{root}/{MANIFESTS}/{FILE}"])
        if info.type == arrow_fs.FileType.NotFound:
            raise DatabaseError(
                f"{folder}: there is no manifest here; name a folder made by `treesql load` or `export`"
            )
        with system.open_input_stream(info.path) as stream:
            return str(stream.read().decode("utf-8"))
    except (OSError, pa.ArrowException, ValueError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "check the address, the network and the credentials in your environment"
        raise DatabaseError(f"{folder}: {what}; {hint}") from None


def _parsed(text: str, path: str, folder: str) -> list[CorpusGroup]:
    """The groups of a manifest. Raises DatabaseError where it is of another version or damaged."""
    import json  # here, for database files have no manifests

    try:
        values = json.loads(text)
        version, layout = int(values["schema_version"]), int(values["layout"])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise DatabaseError(f"{path}: this manifest is damaged; {_AGAIN}") from None
    if version > schemas.SCHEMA_VERSION or layout > LAYOUT:
        raise DatabaseError(f"{path}: made by a newer treesql (tables of version {version}); update treesql to read it")
    if version < schemas.SCHEMA_VERSION or layout < LAYOUT:
        raise DatabaseError(f"{path}: made by an older treesql (tables of version {version}); {_ANEW}")
    before, _, digest = text.rpartition(_END)
    if digest != f'{hashlib.sha256(before.encode()).hexdigest()}"}}\n':
        raise DatabaseError(f"{path}: this manifest is not as it was written; {_AGAIN}")
    try:
        groups = groups_of(values["groups"])
    except (ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise DatabaseError(f"{path}: this manifest is damaged ({error}); {_AGAIN}") from None
    return sorted(groups, key=lambda group: (group.corpora[0].loaded_at, group.corpora[0].corpus))


def manifest_text(groups: Sequence[CorpusGroup]) -> str:
    """The text of the manifest of groups, one in a line."""
    import json

    head = {
        "layout": LAYOUT, "schema_version": schemas.SCHEMA_VERSION, "treesql": __version__,
        "block_sentences": BLOCK_SENTENCES,
    }  # fmt: skip
    lines = ",\n".join(json.dumps(asdict(group), ensure_ascii=False) for group in groups)
    text = f'{json.dumps(head)[:-1]}, "groups": [\n{lines}'
    return f'{text}{_END}{hashlib.sha256(text.encode()).hexdigest()}"}}\n'


def write_manifest(path: Path, groups: Sequence[CorpusGroup]) -> None:
    """Write a manifest to a file that is moved to its place afterwards. Raises OSError."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(manifest_text(groups))
        file.flush()
        os.fsync(file.fileno())


def find_faults(groups: Sequence[CorpusGroup], folder: str) -> Iterator[tuple[str, str]]:
    """The parts that are missing, no files of the folder, or of another size than listed; and what is wrong."""
    root = Path(os.path.abspath(folder))
    entries: dict[Path, dict[str, os.DirEntry[str]]] = {}
    for group in groups:
        for table, parts in group.parts.items():
            here = root / table / group.folder
            leads_out = (here.is_symlink() or here.parent.is_symlink()) and _leads_out(here, root)
            if here not in entries:
                entries[here] = {} if leads_out else _entries(here)
            for part in parts:
                what = _LINK if leads_out else _fault(part, entries[here].get(part.file), root)
                if what:
                    yield f"{here}/{part.file}", what


def _entries(here: Path) -> dict[str, os.DirEntry[str]]:
    try:
        with os.scandir(here) as entries:
            return {entry.name: entry for entry in entries}
    except OSError:  # its parts are missing
        return {}


def _fault(part: Part, entry: os.DirEntry[str] | None, root: Path) -> str:
    """What is wrong with the file of a part; nothing if all is well."""
    try:
        state = None if entry is None else entry.stat()
    except OSError:  # a link to nothing
        state = None
    if entry is None or state is None:
        return f"it is missing, where the manifest names a part of {part.bytes:,} bytes"
    if not stat.S_ISREG(state.st_mode):
        return "this is no regular file"
    if entry.is_symlink() and _leads_out(Path(entry.path), root):
        return _LINK
    if state.st_size != part.bytes:
        return f"it has {state.st_size:,} bytes, where the manifest names a part of {part.bytes:,}"
    return ""
