"""Load corpora into a folder of Parquet, remove them from it, and upgrade it, each whole or not at all.

Parts are written to a hidden folder first. A lock is held only while they are moved to their places and the manifest is
written, so that several processes may load different corpora at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from treesql import readers
from treesql.catalog import macros
from treesql.engines import connections, manifests
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_folders import connect_to_parts, parts_by_table, show_parts
from treesql.engines.manifests import FEATURES, MANIFESTS, Manifest, folder_name, manifest_path
from treesql.errors import UnknownName, UsageError
from treesql.readers import PARQUET, Options
from treesql.runtime import atomic_files, interrupts
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusPlan
from treesql.storage.folder_parts import CorpusParts
from treesql.storage.loading import CorpusFiles, Loaded, Progress
from treesql.storage.many_corpora import CorpusLoads, Reading

try:
    import fcntl
except ImportError:  # a system without these locks: one writer at a time
    fcntl = None  # type: ignore[assignment]


def load_into_folder(
    folder: str, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora into a folder, which is made if it is missing. Raises as `load_into_file` does."""
    check_folder(folder)
    for one in plan.corpora:
        readers.check_options(one.form, options)
        folder_name(one.corpus)
    with _made(folder), opened(folder) as engine, atomic_files.hidden_folder(Path(folder)) as hidden:
        loads = FolderLoads(folder, hidden, plan, options, replace, progress)
        return loads.load_together(engine) if plan.together else loads.load_each(engine)


def drop_corpus(folder: str, corpus: str) -> None:
    """Remove a corpus from a folder: its manifest, then its parts. Raises UnknownName, DatabaseError."""
    known = manifests.corpora_of(manifests.read_manifests(folder))
    if corpus not in known:
        raise UnknownName("corpus", corpus, known)
    with _locked(Path(folder)), interrupts.committing():
        manifest_path(Path(folder), corpus).unlink(missing_ok=True)
        _remove_parts(Path(folder), corpus, {})


def check_folder(folder: str) -> None:
    """Raise UsageError or DatabaseError unless corpora can be loaded into a folder, existing or not."""
    if "://" in folder:
        raise UsageError(f"{folder}: treesql reads object stores, and writes local folders; load into one, and copy it")
    root = Path(folder)
    if root.exists() and (not root.is_dir() or (not manifests.is_data_set(folder) and any(_shown(root)))):
        if root.is_dir():
            manifests.read_manifests(folder)  # raises with the reason
        raise UsageError(f"{folder}: this is not a folder; name another one")
    if root.is_dir() and manifests.is_data_set(folder):
        manifests.read_manifests(folder)


ROWS_WAITING = 24
"""Maximum number of Arrow tables of a corpus that wait to be written: those of a part, which is written at once."""


class FolderLoads(CorpusLoads):
    """Corpora that are loaded into a folder one after the other."""

    rows_waiting = ROWS_WAITING

    def __init__(
        self, folder: str, hidden: Path, plan: CorpusPlan, options: Options, replaces: bool, progress: Progress | None
    ) -> None:
        super().__init__(plan.corpora, options, replaces, progress)
        self._folder, self._hidden = Path(folder), hidden
        self._known = manifests.read_manifests(folder)

    def load_each(self, engine: DuckDB) -> list[Loaded]:
        """Load each corpus whole or not at all. Raises as `many_corpora.load_each` does."""
        known = set() if self._replace else set(manifests.corpora_of(self._known))
        for one in self._corpora:
            if one.corpus in known:
                self.refuse(one, loading.exists_already(one.corpus))
        wanted = [one for one in self._corpora if one.corpus not in known]
        with self.reading(wanted) as readings:
            for one, reading in readings:
                self.load(engine, one, reading)
        return self.result()

    def load_together(self, engine: DuckDB) -> list[Loaded]:
        """Load all corpora, or none. Raises the first error."""
        with self.reading(self._corpora) as readings:
            made = [self._made_of(engine, one, reading) for one, reading in readings]
        with interrupts.committing():
            for _, manifest in made:
                self._commit(manifest)
        return [loaded for loaded, _ in made]

    def write(self, engine: DuckDB, one: CorpusFiles) -> tuple[Loaded, Manifest]:
        """Read a corpus and write its parts to the hidden folder; `commit` adds them. Raises as `load_whole` does."""
        with self.reading([one]) as readings:
            [(_, reading)] = [next(readings)]
            return self._made_of(engine, one, reading)

    def load_whole(self, engine: DuckDB, one: CorpusFiles, reading: Reading) -> Loaded:
        """Load one corpus. Raises InvalidInput, UnknownName, UsageError; then the folder is as it was."""
        loaded, manifest = self._made_of(engine, one, reading)
        with interrupts.committing():
            self._commit(manifest)
        return loaded

    def _made_of(self, engine: DuckDB, one: CorpusFiles, reading: Reading) -> tuple[Loaded, Manifest]:
        """Write the parts of a corpus to the hidden folder."""
        self._check_room(one)
        parts = CorpusParts(engine.connection, self._hidden, one, self._options)
        for table, rows in reading.items():
            parts.add(table, rows)
            self._bytes.report()
        parts.write_rest()
        others = [manifest for manifest in self._known if manifest.corpus != one.corpus]
        shown = {name: list(paths) for name, paths in parts_by_table(str(self._folder), others).items()}
        for name, paths in parts.paths().items():
            shown.setdefault(name, []).extend(paths)
        show_parts(engine.connection, shown)
        engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE {FEATURES} AS FROM main.{FEATURES} LIMIT 0")
        loaded, manifest = parts.finish(engine, reading.result)
        if one.form == PARQUET:
            loading.check_links(engine, one.corpus)
        return loaded, manifest

    def _check_room(self, one: CorpusFiles) -> None:
        """Raises UsageError where the name is taken, UnknownName where a linked corpus is missing."""
        names = manifests.corpora_of(self._known)
        if one.corpus in names and not self._replace:
            raise loading.exists_already(one.corpus)
        for linked in loading.linked_corpora(one):
            if linked not in names:
                raise UnknownName("corpus", linked, names)

    def _commit(self, manifest: Manifest) -> None:
        made = commit(self._folder, self._hidden, manifest, replaces=self._replace)
        self._known = [one for one in self._known if one.corpus != made.corpus] + [made]


def commit(folder: Path, hidden: Path, manifest: Manifest, *, replaces: bool) -> Manifest:
    """Move the parts of a corpus to their places, and then the manifest that names them, which is returned.

    replaces: whether a corpus of this name is replaced; otherwise one that is there raises UsageError.
    """
    with _locked(folder):
        path = manifest_path(folder, manifest.corpus)
        if path.exists() and not replaces:
            raise loading.exists_already(manifest.corpus)
        placed = place_parts(folder, hidden, manifest)
        made = hidden / path.name
        manifests.write_manifest(made, placed)
        os.replace(made, path)
        _remove_parts(folder, placed.corpus, _files(placed))
        return placed


def place_parts(folder: Path, hidden: Path, manifest: Manifest) -> Manifest:
    """Move the parts of a manifest from a hidden folder to their places, under names that no file has there.

    Readers of the manifest that is replaced find their parts until the new one is there.
    """
    placed: dict[str, tuple[manifests.Part, ...]] = {}
    for table, parts in manifest.parts.items():
        here = folder / table / folder_name(manifest.corpus)
        here.mkdir(parents=True, exist_ok=True)
        new = []
        for part in parts:
            name, again = part.file, 1
            while (here / name).exists():
                again += 1
                name = part.file.replace(".parquet", f"-{again}.parquet")
            os.replace(hidden / table / here.name / part.file, here / name)
            new.append(replace(part, file=name))
        placed[table] = tuple(new)
    return replace(manifest, parts=placed)


def _files(manifest: Manifest) -> dict[str, set[str]]:
    return {table: {part.file for part in parts} for table, parts in manifest.parts.items()}


def _remove_parts(folder: Path, corpus: str, kept: dict[str, set[str]]) -> None:
    """Remove the parts of a corpus that no manifest names: those that were replaced, or that a killed writer left."""
    for here in folder.glob(f"*/{folder_name(corpus)}"):
        for file in here.glob("part-*.parquet"):
            if file.name not in kept.get(here.parent.name, ()):
                file.unlink(missing_ok=True)
        for empty in (here, here.parent):
            with suppress(OSError):  # it has other files
                empty.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The block in which the parts of a folder are moved; other processes wait for its end."""
    if fcntl is None:
        yield
        return
    opened = os.open(folder / MANIFESTS, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


@contextmanager
def _made(folder: str) -> Iterator[None]:
    """A folder for corpora; one that was made for them is removed if none could be loaded."""
    root = Path(folder)
    new = not root.exists()
    try:
        with atomic_files.removed_if_empty(*((root / MANIFESTS, root) if new else ())):
            (root / MANIFESTS).mkdir(parents=True, exist_ok=True)
            atomic_files.remove_leftovers(root)
            yield
    except OSError as error:
        if error.filename is not None and str(error.filename).startswith(str(root)):
            raise UsageError(f"{folder}: {atomic_files.system_message(error)}; choose another place") from None
        raise


@contextmanager
def opened(folder: str) -> Iterator[DuckDB]:
    """Yield an engine in memory that writes parts, with the corpora of the folder."""
    with DuckDB(connections.connect_alone(), macros.all_macros()) as engine:
        connect_to_parts(engine.connection, parts_by_table(folder, manifests.read_manifests(folder)))
        yield engine


def _shown(root: Path) -> Iterator[Path]:
    return (path for path in root.iterdir() if not path.name.startswith("."))
