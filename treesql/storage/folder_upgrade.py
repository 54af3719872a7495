"""Upgrade a folder of Parquet: the parts of older tables, and data sets without manifests, of older exports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote as escape
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines import connections, manifests, part_checks
from treesql.engines.corpus_groups import FEATURES, TOGETHER, CorpusGroup, folder_name
from treesql.engines.duckdb import DuckDB
from treesql.engines.manifests import MANIFESTS
from treesql.errors import DatabaseError, UsageError
from treesql.runtime import atomic_files, failures, interrupts
from treesql.storage import folders
from treesql.writers import parquet

_AGAIN = "load its corpora again"

_FIRST_LAYOUT = 1
"""Version of the layout whose parts are in TABLE/corpus=NAME."""


@dataclass(frozen=True)
class _OldCorpus:
    """A corpus as an older treesql wrote it: its files by table, the version of the tables, and that of the layout."""

    name: str
    version: int
    files: Mapping[str, Sequence[str]]
    layout: int = 0

    @property
    def is_current(self) -> bool:
        """Whether there is nothing to upgrade."""
        return self.version == schemas.SCHEMA_VERSION and self.layout == manifests.LAYOUT


def upgrade_folder(folder: str) -> tuple[int, int]:
    """Upgrade the corpora of a folder, all or none; returns the versions before and after.

    Where they are of this version, the digests of their parts are compared with the manifest. Raises DatabaseError,
    UsageError.
    """
    if "://" in folder:
        raise UsageError(f"{folder}: treesql writes no object stores; upgrade a local copy")
    root = Path(folder)
    if not root.is_dir():
        raise DatabaseError(f"{folder}: there is no such folder")
    atomic_files.remove_leftovers(root)
    found = _corpora_of_manifest(root) or _corpora_with_manifests(root) or _corpora_without(root)
    if not found or all(one.is_current for one in found):
        folders.remove_leftovers(root)
        if damaged := part_checks.find_all_damage(folder, manifests.read_manifest(folder)):
            raise DatabaseError(f"{damaged[0].path}: {damaged[0].what}; {damaged[0].hint}")
        return schemas.SCHEMA_VERSION, schemas.SCHEMA_VERSION
    newer = [one.version for one in found if one.version > schemas.SCHEMA_VERSION]
    if newer:
        raise DatabaseError(f"{folder}: made by a newer treesql (tables of version {newer[0]}); update treesql")
    (root / MANIFESTS).mkdir(exist_ok=True)
    with atomic_files.hidden_folder(root) as hidden:
        made = hidden / "made"
        groups = [group for one in found for group in _rewrite(root, made, one)]
        with interrupts.committing():
            folders.replace_all(root, hidden, made, groups)
            for one in found:
                _remove_files(root, one)
            for path in (root / MANIFESTS).glob("corpus=*.json"):
                path.unlink()
            with suppress(OSError):  # the strings of all corpora, which older exports had in one file
                (root / FEATURES / f"{FEATURES}.parquet").unlink()
    return min(one.version for one in found), schemas.SCHEMA_VERSION


def _corpora_of_manifest(root: Path) -> list[_OldCorpus]:
    """The corpora of a folder of this layout, whose tables may be older. Raises DatabaseError."""
    path = manifests.manifest_path(root)
    if not path.exists():
        return []
    try:
        text = json.loads(path.read_text("utf-8"))
        found = []
        for group in text["groups"]:
            names = [str(entry["corpus"]) for entry in group["corpora"]]
            here = TOGETHER if len(names) > 1 else folder_name(names[0])
            files = {
                table: [f"{root}/{table}/{here}/{part['file']}" for part in parts]
                for table, parts in group["parts"].items()
            }
            found += [_OldCorpus(name, int(text["schema_version"]), files, int(text["layout"])) for name in names]
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DatabaseError(f"{path}: this manifest is damaged; {_AGAIN}") from None


def _corpora_with_manifests(root: Path) -> list[_OldCorpus]:
    """The corpora of a folder of an older layout, which had a manifest for each."""
    found = []
    for path in sorted((root / MANIFESTS).glob("corpus=*.json")):
        try:
            text = json.loads(path.read_text("utf-8"))
            name, layout = str(text["corpus"]), int(text["layout"])
            here = f"corpus={escape(name, safe='')}" if layout == _FIRST_LAYOUT else folder_name(name)
            files = {
                table: [f"{root}/{table}/{here}/{part['file']}" for part in parts]
                for table, parts in text["parts"].items()
            }
            found.append(_OldCorpus(name, int(text["schema_version"]), files, layout))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise DatabaseError(f"{path}: this manifest is damaged; {_AGAIN}") from None
    return found


def _corpora_without(root: Path) -> list[_OldCorpus]:
    """The corpora of a data set of an older export: TABLE/corpus=NAME/TABLE.parquet, and one file of features."""
    found = []
    for record in sorted(root.glob("corpora/*/*.parquet")):
        name = record.parent.name
        files = {path.parent.parent.name: [str(path)] for path in sorted(root.glob(f"*/{name}/*.parquet"))}
        features = root / FEATURES / f"{FEATURES}.parquet"
        if features.exists():
            files[FEATURES] = [str(features)]
        found.append(_OldCorpus(unquote(name.removeprefix("corpus=")), _version_of(record), files))
    return found


def _version_of(path: Path) -> int:
    """The version of the tables of a Parquet file. Raises DatabaseError."""
    try:
        return int((pq.read_metadata(path).metadata or {})[b"schema_version"])
    except (KeyError, ValueError, OSError, pa.ArrowException):
        raise DatabaseError(f"{path}: this is not a file of a data set of treesql; {_AGAIN}") from None


def _rewrite(root: Path, made: Path, one: _OldCorpus) -> list[CorpusGroup]:
    """Write the rows of a corpus as parts of this version to the folder `made`."""
    with DuckDB(connections.connect_alone(None)) as engine:
        try:
            for table in [*schemas.corpus_tables(), schemas.table(FEATURES)]:
                engine.connection.execute(_view(engine, table, one.files.get(table.name, ()), one.name))
            groups = parquet.write_groups(engine, [one.name], made)
        except duckdb.Error as error:
            if failures.was_interrupted(error):
                raise
            raise DatabaseError(f"{root}: corpus {one.name!r}: {failures.describe_error(error)}; {_AGAIN}") from None
    for table in schemas.corpus_tables():
        if (
            groups[0].corpora[0].kind == "constituency"
            and table.name.startswith("constituent_")
            and table.name not in one.files
        ):
            raise DatabaseError(f"{root}: corpus {one.name!r} has no {table.name}; {_AGAIN}")
    return groups


def _remove_files(root: Path, one: _OldCorpus) -> None:
    """Remove the files of an older export or layout, and folders that are empty then; others are gone already."""
    for table, files in one.files.items():
        here = root / table / folder_name(one.name)
        for path in map(Path, files):
            if path.parent not in (here, root / FEATURES):
                path.unlink(missing_ok=True)
                with suppress(OSError):  # it has other files
                    path.parent.rmdir()


def _view(engine: DuckDB, table: Table, files: Sequence[str], corpus: str) -> str:
    """The view of the rows of older files with today's columns: new ones are computed from the others, or NULL."""
    if not files:
        columns = ", ".join(f"CAST(NULL AS {one.type}) AS {quote(one.name)}" for one in table.columns)
        return f"CREATE VIEW {quote(table.name)} AS SELECT {columns} WHERE FALSE"
    rows = f"read_parquet([{', '.join(map(literal, files))}], hive_partitioning = false)"
    known = {name for (name, *_) in engine.connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()}
    values = {
        one.name: literal(corpus)
        if one.name == "corpus"
        else quote(one.name)
        if one.name in known
        else one.computed or "NULL"
        for one in table.columns
    }
    columns = ", ".join(f"CAST({values[one.name]} AS {one.type}) AS {quote(one.name)}" for one in table.columns)
    is_shared = Path(files[0]).parent.name == TOGETHER and "corpus" in known
    chosen = f" WHERE corpus = {literal(corpus)}" if is_shared else ""
    return f"CREATE VIEW {quote(table.name)} AS SELECT {columns} FROM {rows}{chosen}"
