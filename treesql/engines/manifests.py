"""Manifests of a folder of Parquet: one JSON file per corpus, which names the parts that hold its rows.

A corpus is in the folder once its manifest is, and parts that no manifest names do not count: so corpora are added and
replaced whole or not at all, and writers of different corpora need not wait for each other.

    FOLDER/_manifest/corpus=NAME.json
    FOLDER/TABLE/NAME/part-00000.parquet

The folder of a corpus is no `key=value`: programs that take such a folder for a column would guess its type from the
names of corpora, where the column `corpus` of the parts has one.

A part holds the rows of BLOCK_SENTENCES sentences, sorted by the table's key; part K begins with sentence
K * BLOCK_SENTENCES, so that parts of one number of corresponding corpora have the same sentences.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as escape
from urllib.parse import unquote

from treesql.catalog import schemas
from treesql.errors import DatabaseError, UsageError

if TYPE_CHECKING:
    import pyarrow.fs as arrow_fs

BLOCK_SENTENCES = 1 << 15
"""Number of sentences of a part, but for the last one of a corpus: about half a million words."""

GOOGLE = ("gs://", "gcs://")
"""How addresses of Google's object store begin."""

ANSWERS_WITHIN = 20
"""Seconds in which it has to answer."""

MANIFESTS = "_manifest"
"""Name of the folder of manifests. Engines that read folders of Parquet leave out names that begin with `_`."""

LAYOUT = 2
"""Version of the layout of folders and manifests; that of the tables is SCHEMA_VERSION."""

FIRST_LAYOUT = 1
"""Version of the layout whose parts are in TABLE/corpus=NAME."""

LONGEST_NAME = 250
"""Maximum number of bytes of `corpus=NAME`, the name of a file without its ending, and of a folder."""

FEATURES = "feature_lists"
"""The table without a column `corpus` that has parts for every corpus: its FEATS and MISC strings."""

_PREFIX = "corpus="
"""What the names of manifests begin with."""

_AGAIN = "remove it and load the corpus again, or restore the folder from a backup"


@dataclass(frozen=True)
class Part:
    """A file of rows of one table. file: its name; first, last: the sentences, None in tables without such a column."""

    file: str
    rows: int
    bytes: int
    sha256: str
    first: int | None = None
    last: int | None = None

    def may_have(self, sentences: range) -> bool:
        """Whether rows of some of these sentences may be in it."""
        return (self.first is None or self.first < sentences.stop) and (
            self.last is None or self.last >= sentences.start
        )


@dataclass(frozen=True)
class Manifest:
    """The parts of a corpus by table, and how it was read: format and reading are those of its row in `corpora`."""

    corpus: str
    kind: str
    format: str
    reading: str | None
    sha256: str
    n_sentences: int
    n_words: int
    loaded_at: str
    schema_version: int
    treesql: str
    parts: Mapping[str, tuple[Part, ...]]
    layout: int = LAYOUT
    block_sentences: int = BLOCK_SENTENCES

    def as_json(self) -> str:
        """The text of the manifest's file."""
        import json  # here, for database files have no manifests

        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    def paths(self, folder: str, table: str, sentences: range | None = None) -> list[str]:
        """The files of a table. sentences: leave out files that have none of these."""
        parts = [part for part in self.parts.get(table, ()) if sentences is None or part.may_have(sentences)]
        return [f"{folder_of(folder, table, self.corpus)}/{part.file}" for part in parts]


def is_folder(path: str) -> bool:
    """Whether a path names a folder of Parquet rather than a database file: an address, a folder, or ends in `/`."""
    return "://" in path or path.endswith(("/", os.sep)) or Path(path).is_dir()


def is_data_set(path: str) -> bool:
    """Whether a path is a folder with manifests; addresses of object stores are not looked at."""
    return "://" in path or (Path(path) / MANIFESTS).is_dir()


def folder_of(folder: str, table: str, corpus: str, layout: int = LAYOUT) -> str:
    """The folder of the parts of a table and corpus."""
    return f"{folder.rstrip('/')}/{table}/{corpus_name(corpus) if layout == FIRST_LAYOUT else folder_name(corpus)}"


def folder_name(corpus: str) -> str:
    """The name of the folders of a corpus; engines leave out those that begin with `_` or `.`.

    Raises UsageError where it is too long.
    """
    name = corpus_name(corpus).removeprefix(_PREFIX)
    return f"%{ord(name[0]):X}{name[1:]}" if name.startswith(("_", ".")) else name


def corpus_name(corpus: str) -> str:
    """`corpus=NAME` with what cannot be in the name of a file escaped. Raises UsageError where it is too long."""
    name = f"{_PREFIX}{escape(corpus, safe='')}"
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"the name {corpus[:30]!r}... is too long for a folder of its own; load the corpus under a shorter one"
        )
    return name


def make_folder(folder: str) -> tuple[Path, ...]:
    """Make a folder without corpora where there is none, or an empty one, if its name ends in `/`.

    Return the folders that were made, the innermost first: none where one with corpora or other files stands. Raises
    DatabaseError.
    """
    root = Path(folder)
    if "://" in folder or not folder.endswith("/") or (root.exists() and (not root.is_dir() or any(root.iterdir()))):
        return ()
    inside = root / MANIFESTS
    made = tuple(one for one in (inside, *inside.parents) if not one.exists())
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


def read_manifests(folder: str) -> list[Manifest]:
    """The corpora of a folder in the order in which they were loaded, whose parts were found as their manifests say.

    Raises DatabaseError.
    """
    found = list(_read_remote(folder) if "://" in folder else _read_local(folder))
    manifests = [_parse(text, path, folder) for path, text in found]
    if "://" not in folder:
        for one in manifests:
            _check_parts(one, folder)
    return sorted(manifests, key=lambda one: (one.loaded_at, one.corpus))


def _read_local(folder: str) -> Iterator[tuple[str, str]]:
    root = Path(folder)
    if not root.exists():
        raise DatabaseError(
            f"{folder}: there is no such folder; `treesql load {folder.rstrip('/')}/ FILE...` makes one"
        )
    if not (root / MANIFESTS).is_dir():
        raise DatabaseError(_explain_missing(root, folder))
    for path in sorted((root / MANIFESTS).glob("corpus=*.json")):
        try:
            yield str(path), path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DatabaseError(f"{path}: this manifest cannot be read ({error}); {_AGAIN}") from None


def _explain_missing(root: Path, folder: str) -> str:
    """The message for a folder without manifests."""
    if any(root.glob("corpora/*/*.parquet")):
        return f"{folder}: exported by an older treesql, without manifests; run `treesql upgrade {folder}`"
    if not any(root.iterdir()):
        return f"{folder}: this folder is empty; `treesql load {folder} FILE...` loads corpora into it"
    return f"{folder}: this folder was not made by treesql; name one made by `treesql load FOLDER/` or `export`"


def _read_remote(folder: str) -> Iterator[tuple[str, str]]:
    """The manifests of a folder in an object store, by the file system that Arrow has for its address."""
    import pyarrow as pa
    import pyarrow.fs as arrow_fs

    try:
        address = folder.rstrip("/")
        if address.startswith(GOOGLE) and "?" not in address:  # Arrow would ask again for a quarter of an hour
            address += f"?retry_limit_seconds={ANSWERS_WITHIN}"
        system, root = arrow_fs.FileSystem.from_uri(address)
        selector = arrow_fs.FileSelector(f"{root}/{MANIFESTS}", allow_not_found=True)
        infos = [info for info in system.get_file_info(selector) if info.base_name.endswith(".json")]
        if not infos:
            raise DatabaseError(
                f"{folder}: there is no manifest here; name a folder made by `treesql load` or `export`"
            )
        for info in infos:
            yield info.path, _read_file(system, info.path)
    except (OSError, pa.ArrowException, ValueError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "check the address, the network and the credentials in your environment"
        raise DatabaseError(f"{folder}: {what}; {hint}") from None


def _read_file(system: arrow_fs.FileSystem, path: str) -> str:
    with system.open_input_stream(path) as stream:
        return str(stream.read().decode("utf-8"))


def _parse(text: str, path: str, folder: str) -> Manifest:
    """A manifest from its text. Raises DatabaseError where it is of another version or damaged."""
    import json  # here, as above

    try:
        found: dict[str, Any] = json.loads(text)
        version, layout = int(found["schema_version"]), int(found["layout"])
    except (ValueError, KeyError, TypeError):
        raise DatabaseError(f"{path}: this manifest is damaged; {_AGAIN}") from None
    if version > schemas.SCHEMA_VERSION or layout > LAYOUT:
        raise DatabaseError(f"{path}: made by a newer treesql (tables of version {version}); update treesql to read it")
    if version < schemas.SCHEMA_VERSION or layout < LAYOUT:
        raise DatabaseError(
            f"{path}: made by an older treesql (tables of version {version}); run `treesql upgrade {folder}`"
        )
    return parse_any(found, path)


def parse_any(found: Mapping[str, Any], path: str) -> Manifest:
    """A manifest of any version. Raises DatabaseError where it is damaged."""
    try:
        parts = {table: tuple(Part(**one) for one in listed) for table, listed in found["parts"].items()}
        manifest = Manifest(**{**found, "parts": parts})
        if unquote(Path(path).name.removesuffix(".json")) != f"corpus={manifest.corpus}":
            raise ValueError("the corpus is another one")
        return manifest
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DatabaseError(f"{path}: this manifest is damaged; {_AGAIN}") from None


def _check_parts(manifest: Manifest, folder: str) -> None:
    """Raises DatabaseError where a part is missing, or has another size than its manifest says."""
    for table, listed in manifest.parts.items():
        here = folder_of(folder, table, manifest.corpus)
        sizes = _sizes(here)
        for part in listed:
            size = sizes.get(part.file)
            if size != part.bytes:
                found = "it is missing" if size is None else f"it has {size:,} bytes"
                own = manifest_path(Path(folder), manifest.corpus)
                raise DatabaseError(
                    f"{here}/{part.file}: {found}, where {own.name} names a part of {part.bytes:,}; restore the folder "
                    f"from a backup, or remove {own} and load the corpus again"
                )


def _sizes(folder: str) -> dict[str, int]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat().st_size for entry in entries}
    except OSError:
        return {}


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest to a file that is moved to its place afterwards. Raises OSError."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(manifest.as_json())
        file.flush()
        os.fsync(file.fileno())


def manifest_path(folder: Path, corpus: str) -> Path:
    """The file of the manifest of a corpus."""
    return folder / MANIFESTS / f"{corpus_name(corpus)}.json"


def corpora_of(manifests: Sequence[Manifest]) -> list[str]:
    """The names of the corpora."""
    return [one.corpus for one in manifests]
