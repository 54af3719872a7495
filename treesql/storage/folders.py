"""Load corpora into a folder of Parquet, and remove them from it, each whole or not at all.

Parts are written to a hidden folder first, a block of sentences each. A lock is held only while they are moved to their
places and the manifest is written, so that several processes may load different corpora at a time. Under it, parts that
the manifest does not list are removed, as killed processes leave them. With Spark, executors read files and write parts
to a hidden folder that they share with the driver, which moves them once every corpus could be read.
"""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from dataclasses import replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Table, literal, quote
from treesql.engines import connections, manifests, parquet_parts
from treesql.engines.connections import MEMORY, Connection
from treesql.engines.corpus_groups import FEATURES, CorpusGroup, Part, folder_name
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_database
from treesql.engines.duckdb_folders import NO_PATHS, PartsByTable, Paths, connect_to_parts, parts_by_table, show_parts
from treesql.engines.manifests import BLOCK_SENTENCES, MANIFESTS
from treesql.engines.parquet_parts import part_name, sorted_by, write_part
from treesql.errors import DatabaseError, Diagnostic, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.readers import PARQUET, Options
from treesql.runtime import atomic_files, interrupts
from treesql.runtime.threads import run_in_threads
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles, CorpusPlan
from treesql.storage.loading import CorpusLoads, CorpusSummary, Files, Loaded, Progress, Reading
from treesql.writers import parquet

if TYPE_CHECKING:
    from treesql.engines.spark.engine import SparkFolder

try:
    import fcntl
except ImportError:  # a system without these locks: one writer at a time
    fcntl = None  # type: ignore[assignment]

TASKS_PER_CORE = 4
"""Number of Spark's tasks for each core, so that cores which are done take over from others."""

_IN_ORDER = frozenset({"sentences", "words"})
"""Tables whose rows every reader yields sorted by their keys."""

_ROWS = "rows of a block"
"""Name of the view of the rows of a part while they are written."""


def load_into_folder(
    folder: str, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora into a folder, which is made if it is missing. Raises as `load_into_file` does."""
    check_folder(folder)
    for files in plan.corpora:
        folder_name(files.corpus)
    with _made(folder), opened(folder) as engine, atomic_files.hidden_folder(Path(folder)) as hidden:
        loads = FolderLoads(folder, hidden, plan, options, replace, progress)
        return loads.load_together(engine) if plan.together else loads.load_each(engine)


def drop_corpora(folder: str, corpora: Collection[str]) -> None:
    """Remove corpora from a folder, whose own parts may be damaged. Raises UnknownName, DatabaseError."""
    root = Path(folder)
    check_folder(folder)
    known = manifests.corpora_of(manifests.read_manifest(folder, find_parts=False))
    for corpus in corpora:
        if corpus not in known:
            raise UnknownName("corpus", corpus, known)
    remove_leftovers(root)
    with atomic_files.hidden_folder(root) as hidden, _locked(root), interrupts.committing():
        groups = manifests.read_manifest(folder, find_parts=False)
        _change(root, hidden, groups, _without(root, hidden, groups, corpora))


def check_folder(folder: str) -> None:
    """Raise UsageError or DatabaseError unless corpora can be loaded into a folder, existing or not."""
    if "://" in folder:
        raise UsageError(f"{folder}: treesql reads object stores, and writes local folders; load into one, and copy it")
    root = Path(folder)
    if root.is_dir() and (manifests.is_data_set(folder) or any(_shown(root))):
        manifests.read_manifest(folder, find_parts=False)
    elif root.exists() and not root.is_dir():
        raise UsageError(f"{folder}: this is not a folder; name another one")


SHOWN = 16
"""Maximum number of corpora that an error names."""

ROWS_WAITING = 24
"""Maximum number of Arrow tables of a corpus that wait to be written: those of a part, which is written at once."""


class FolderLoads(CorpusLoads):
    """Corpora that are loaded into a folder one after the other, small ones in groups."""

    rows_waiting = ROWS_WAITING

    def __init__(
        self, folder: str, hidden: Path, plan: CorpusPlan, options: Options, replaces: bool, progress: Progress | None
    ) -> None:
        super().__init__(plan.corpora, options, replaces, progress)
        self._folder, self._hidden = Path(folder), hidden
        self._known = manifests.read_manifest(folder, find_parts=False)

    def names(self, engine: DuckDB) -> Collection[str]:
        """The corpora of the folder."""
        return manifests.corpora_of(self._known)

    def load_together(self, engine: DuckDB) -> list[Loaded]:
        """Load all corpora, or none. Raises the first error."""
        made = self.write(engine)
        self._commit([group for _, group in made])
        return [loaded for loaded, _ in made]

    def write(self, engine: DuckDB) -> list[tuple[Loaded, CorpusGroup]]:
        """Write the parts of all corpora to the hidden folder; `commit` adds them. Raises the first error."""
        with self.reading([(corpus,) for corpus in self._corpora]) as readings:
            return [self._write_parts(engine, corpus, reading) for (corpus,), reading in readings]

    def load_groups(self, engine: DuckDB, readings: Iterable[tuple[Files, Reading]], *, alone: bool) -> None:
        """Load groups of corpora one after the other."""
        for group, reading in readings:
            self.load_group(engine, group, reading)

    def load_one(self, engine: DuckDB, corpus: CorpusFiles, reading: Reading) -> Loaded:
        """Load one corpus. Raises InvalidInput, UnknownName, UsageError; then the folder is as it was."""
        loaded, group = self._write_parts(engine, corpus, reading)
        self._commit([group])
        return loaded

    def load_small(self, engine: DuckDB, reading: Reading) -> list[Loaded]:
        """Load a group of corpora at once, through tables in memory, without those that are refused."""
        with open_database(MEMORY) as tables:
            loaded = self.insert_group(tables, reading, () if self._replace else self.names(engine))
            if loaded:
                self._commit(parquet.write_groups(tables, [corpus.corpus for corpus in loaded], self._hidden))
        return loaded

    def _write_parts(self, engine: DuckDB, corpus: CorpusFiles, reading: Reading) -> tuple[Loaded, CorpusGroup]:
        """Write the parts of a corpus to the hidden folder."""
        loading.check_room(corpus, self.names(engine), replaces=self._replace)
        parts = CorpusParts(engine.connection, self._hidden, corpus, self._options)
        for table, rows in reading.items():
            parts.add(table, rows)
            self._bytes.report()
        parts.write_rest()
        others = [
            group
            for group in self._known
            if group.names != [corpus.corpus]
            and (corpus.form == PARQUET or not {*corpus.linked}.isdisjoint(group.names))
        ]
        parquet_parts.check_parts(parquet_parts.parts_of(str(self._folder), others))
        shown = dict(parts_by_table(str(self._folder), others))
        for name, paths in parts.paths().items():
            own_paths, shared = shown.get(name, NO_PATHS)
            shown[name] = Paths([*own_paths, *paths.own], shared)
        show_parts(engine.connection, shown)
        engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE {FEATURES} AS FROM main.{FEATURES} LIMIT 0")
        loaded, group = parts.finish(engine, reading.result)
        loading.check_stored_links(engine, [corpus])
        return loaded, group

    def _commit(self, groups: Sequence[CorpusGroup]) -> None:
        with interrupts.committing():
            made = [(self._hidden, group) for group in groups]
            self._known = commit(self._folder, self._hidden, made, replaces=self._replace)


class CorpusParts:
    """The parts of one corpus that is read: rows wait until those of a block of sentences are complete.

    connection: to DuckDB in memory, which computes columns and writes; folder: that the parts are written to.
    """

    def __init__(self, connection: Connection, folder: Path, wanted: CorpusFiles, options: Options) -> None:
        self.wanted = wanted
        self._connection, self._folder, self._options = connection, folder, options
        self._waiting: dict[str, list[pa.Table]] = {}
        self._blocks: dict[str, int] = {}
        self._record: list[pa.Table] = []
        self.parts: dict[str, list[Part]] = {}

    def add(self, table: Table, rows: pa.Table) -> None:
        """Take the next rows of a table, and write those blocks of it that they complete."""
        if not rows.num_rows:
            return
        if table.name == "corpora":  # of a data set
            self._record.append(rows)
            return
        self._waiting.setdefault(table.name, []).append(rows)
        if "sentence" not in rows.schema.names:
            return
        last = rows["sentence"][-1].as_py() // BLOCK_SENTENCES
        while self._blocks.setdefault(table.name, rows["sentence"][0].as_py() // BLOCK_SENTENCES) < last:
            self._write_block(table)

    def finish(self, engine: DuckDB, reading: CorpusSummary) -> tuple[Loaded, CorpusGroup]:
        """Write what still waits, the record and the features of the corpus; return what was loaded, and its parts.

        engine: of the corpora of the folder and of these parts. Raises InvalidInput where links lie outside of their
        sentences.
        """
        for rows in self._record:
            loading.insert_rows(engine, schemas.table("corpora"), rows, self.wanted.corpus, self._options)
        [loaded] = loading.finish_corpora(engine, [(self.wanted, reading)], self._options)
        corpus = literal(self.wanted.corpus)
        columns = ", ".join(map(quote, schemas.table("corpora").names))
        self._write(
            schemas.table("corpora"), f"SELECT {columns} FROM corpora WHERE corpus = {corpus}", engine.connection
        )
        if self._options.wants(FEATURES):
            sql = f"SELECT feats, name_list, value_list FROM {FEATURES} ORDER BY feats"
            self._write(schemas.table(FEATURES), sql, engine.connection)
        listed = {table: tuple(parts) for table, parts in self.parts.items() if parts}
        return loaded, CorpusGroup(parquet.entries_of(engine, [self.wanted.corpus]), listed)

    def write_rest(self) -> None:
        """Write the rows that wait, after the last ones."""
        for name in self._waiting:
            while self._waiting[name]:
                self._write_block(schemas.table(name))

    def paths(self) -> PartsByTable:
        """The files that were written, by table."""
        return {
            table: Paths([str(self._part_path(table, part.file)) for part in parts], [])
            for table, parts in self.parts.items()
        }

    def _part_path(self, table: str, file: str) -> Path:
        return self._folder / table / folder_name(self.wanted.corpus) / file

    def _write_block(self, table: Table) -> None:
        """Write the rows of the first block of sentences that waits, or all of a table without sentences."""
        waiting = pa.concat_tables(self._waiting[table.name])
        block: int | None = None
        rows, rest = waiting, waiting.slice(waiting.num_rows)
        if "sentence" in waiting.schema.names:
            block = self._blocks.setdefault(table.name, waiting["sentence"][0].as_py() // BLOCK_SENTENCES)
            sentences = np.asarray(waiting["sentence"])
            end = int(np.searchsorted(sentences, (block + 1) * BLOCK_SENTENCES))
            rows, rest = waiting.slice(0, end), waiting.slice(end)
            self._blocks[table.name] = block + 1
        self._waiting[table.name] = [rest] if rest.num_rows else []
        if rows.num_rows:
            self._connection.register(_ROWS, rows)
            try:
                self._write(table, self._select(table, rows), self._connection, block)
            finally:
                self._connection.unregister(_ROWS)

    def _select(self, table: Table, rows: pa.Table) -> str:
        """The SELECT of a block's rows, with the corpus and computed columns."""
        order = "" if table.name in _IN_ORDER else sorted_by(table)
        columns = loading.select_list(table, rows, self._options, self.wanted.corpus)
        return f"SELECT {columns} FROM {quote(_ROWS)}{order}"

    def _write(self, table: Table, sql: str, connection: Connection, block: int | None = None) -> None:
        parts = self.parts.setdefault(table.name, [])
        path = self._part_path(table.name, part_name(block or 0))
        part = write_part(connection, sql, path, table, self.wanted.corpus, parquet.sentences_of(block))
        if part is not None:
            parts.append(part)


def commit(
    folder: Path, hidden: Path, made: Sequence[tuple[Path, CorpusGroup]], *, replaces: bool
) -> list[CorpusGroup]:
    """Move the parts of groups of corpora to their places, and then the manifest: all, or none.

    hidden: a folder for new files. made: groups, each with the folder that its parts are in. replaces: whether corpora
    of these names are replaced; otherwise one that is there raises UsageError. Returns all groups.
    """
    with _locked(folder):
        known = manifests.read_manifest(str(folder), find_parts=False)
        new = {name for _, group in made for name in group.names}
        if not replaces:
            for name in sorted(new.intersection(manifests.corpora_of(known))):
                raise loading.exists_already(name)
        is_new = not manifests.manifest_path(folder).exists()
        if is_new:  # parts without a manifest are a damaged folder
            _replace_manifest(folder, hidden, [])
        others = _without(folder, hidden, known, new)
        groups = [*others, *(place_parts(folder, whence, group, is_new=is_new) for whence, group in made)]
        _change(folder, hidden, known, groups)
        return groups


def _without(folder: Path, hidden: Path, groups: Sequence[CorpusGroup], removed: Collection[str]) -> list[CorpusGroup]:
    """Groups without some corpora: those that lose one of theirs are written anew."""
    kept = []
    for group in groups:
        left = [name for name in group.names if name not in removed]
        if len(left) == len(group.names):
            kept.append(group)
        elif left:
            _check_shared(folder, group)
            with opened(str(folder), [group]) as engine:
                kept.append(place_parts(folder, hidden, parquet.write_group(engine, left, hidden)))
    return kept


def _check_shared(folder: Path, group: CorpusGroup) -> None:
    """Raise DatabaseError where a part of a group is damaged, of which some corpora are to stay."""
    try:
        parquet_parts.check_parts(parquet_parts.parts_of(str(folder), [group]))
    except DatabaseError as error:
        names = sorted(group.names)
        listed = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        raise DatabaseError(f"{error}; it is of {listed}, which are replaced or dropped together") from None


def _change(folder: Path, hidden: Path, before: Sequence[CorpusGroup], groups: Sequence[CorpusGroup]) -> None:
    """Write the manifest of groups, and remove the parts of those before that are none of them.

    Each is on the disk before the next begins, so that a machine that stops at any time leaves a whole folder.
    """
    placed = [folder.joinpath(*place) for place in _places(groups) - _places(before)]
    run_in_threads([partial(atomic_files.sync, path) for path in placed])
    for changed in {above for path in placed for above in list(path.parents)[:3]}:  # its corpus, table and root
        atomic_files.sync(changed)
    _replace_manifest(folder, hidden, groups)
    atomic_files.sync(folder / MANIFESTS)
    _remove_unlisted(folder, _places(before), groups)


def _replace_manifest(folder: Path, hidden: Path, groups: Sequence[CorpusGroup]) -> None:
    made = hidden / manifests.FILE
    manifests.write_manifest(made, groups)
    os.replace(made, manifests.manifest_path(folder))


def place_parts(folder: Path, hidden: Path, group: CorpusGroup, *, is_new: bool = False) -> CorpusGroup:
    """Move the parts of a group from a hidden folder to their places, under names that no part has had there.

    Readers of the manifest that is replaced find their parts until the new one is there. is_new: whether the folder has
    never had parts. Raises DatabaseError where a link leads out of the folder.
    """
    placed: dict[str, tuple[Part, ...]] = {}
    for table, parts in group.parts.items():
        here = folder / table / group.folder
        manifests.refuse_link_out(here, folder)
        here.mkdir(parents=True, exist_ok=True)
        new = []
        for part in parts:
            name = part.file if is_new or len(group.corpora) > 1 else _at_random(part.file)  # shared ones have such
            while os.path.lexists(here / name):
                name = _at_random(part.file)
            os.replace(hidden / table / here.name / part.file, here / name)
            new.append(replace(part, file=name))
        placed[table] = tuple(new)
    return replace(group, parts=placed)


def _at_random(file: str) -> str:
    return file.replace(".parquet", f"-{os.urandom(4).hex()}.parquet")


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left in a folder: hidden folders, and parts that the manifest does not list."""
    atomic_files.remove_leftovers(folder)
    if fcntl is not None and manifests.manifest_path(folder).exists():
        with _locked(folder):
            _remove_strays(folder, manifests.read_manifest(str(folder), find_parts=False))


def _remove_strays(folder: Path, groups: Sequence[CorpusGroup]) -> None:
    """Remove the parts that no group has, while nobody else moves parts."""
    places: set[Place] = set()
    for table in schemas.all_tables():
        for name in _names(folder / table):
            places |= {(table, name, file) for file in _names(folder / table / name) if fnmatch(file, "part-*.parquet")}
            if not _is_linked(folder, table, name):
                _remove_empty(folder / table / name)
    _remove_unlisted(folder, places, groups)


def _remove_unlisted(folder: Path, places: set[Place], groups: Sequence[CorpusGroup]) -> None:
    """Remove those parts that no group has: none behind a link, and no file that a part of a group is by another name.

    Systems of files differ in whether names in capitals are others.
    """
    listed = _places(groups)
    unlisted = sorted(place for place in places - listed if not _is_linked(folder, *place))
    kept = {_file_id(folder.joinpath(*place)) for place in (listed if unlisted else ())}
    for place in unlisted:
        path = folder.joinpath(*place)
        if _file_id(path) not in kept:
            path.unlink(missing_ok=True)
        _remove_empty(path.parent)


Place = tuple[str, str, str]
"""Of a part in a folder: table, name of the folder of its corpora, file."""


def _places(groups: Sequence[CorpusGroup]) -> set[Place]:
    return {
        (table, group.folder, part.file) for group in groups for table, parts in group.parts.items() for part in parts
    }


def _is_linked(folder: Path, *names: str) -> bool:
    """Whether one of the names on the way from a folder to a file in it is a link."""
    return any(folder.joinpath(*names[:n]).is_symlink() for n in range(1, len(names) + 1))


def _names(folder: Path) -> list[str]:
    """The names in a folder; none in what is no folder, or a link."""
    try:
        return [] if folder.is_symlink() else os.listdir(folder)
    except OSError:
        return []


def _file_id(path: Path) -> tuple[int, int] | None:
    """What two names of one file have in common; None of a file that is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _remove_empty(here: Path) -> None:
    """Remove the folder of a corpus, and that of a table, if they are empty."""
    for empty in (here, here.parent):
        with suppress(OSError):  # it has files
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
            remove_leftovers(root)
            yield
    except OSError as error:
        if error.filename is not None and str(error.filename).startswith(str(root)):
            raise UsageError(f"{folder}: {atomic_files.system_message(error)}; choose another place") from None
        raise


@contextmanager
def opened(folder: str, groups: Sequence[CorpusGroup] = ()) -> Iterator[DuckDB]:
    """Yield an engine in memory that writes parts, with the corpora of groups of the folder."""
    with DuckDB(connections.connect_alone(), schemas.all_macros()) as engine:
        connect_to_parts(engine.connection, parts_by_table(folder, groups))
        yield engine


def _shown(root: Path) -> Iterator[Path]:
    return (path for path in root.iterdir() if not path.name.startswith("."))


Written = tuple[str, Loaded, CorpusGroup]
"""A corpus whose parts an executor has written, and the hidden folder that they are in."""


def can_load_on_executors(plan: CorpusPlan) -> bool:
    """Whether executors can load corpora: several, each from its own files; others are loaded by the driver."""
    alone = (corpus.form != PARQUET and not corpus.linked for corpus in plan.corpora)
    return len(plan.corpora) > 1 and not plan.together and all(alone)


def load_on_executors(
    engine: SparkFolder, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora by the tasks of Spark, all or none. Raises InvalidInput with the faults of all files."""
    folder, n = Path(engine.folder).absolute(), len(plan.corpora)
    check_folder(str(folder))
    remove_leftovers(folder)
    known = manifests.corpora_of(manifests.read_manifest(str(folder), find_parts=False))
    for corpus in plan.corpora:
        folder_name(corpus.corpus)
        loading.check_room(corpus, known, replaces=replace)
    with atomic_files.hidden_folder(folder) as hidden:
        task = _task(plan.corpora, options, str(folder), str(hidden))
        answers = engine.map_numbers(task, n, min(n, engine.n_cores * TASKS_PER_CORE))
        written = _without_errors([pickle.loads(pickled) for pickled in answers], n)
        with interrupts.committing():
            commit(folder, hidden, [(Path(task_folder), group) for task_folder, _, group in written], replaces=replace)
    if progress is not None:
        progress(
            sum(Path(file).stat().st_size for corpus in plan.corpora for file in corpus.files if Path(file).is_file())
        )
    return [loaded for _, loaded, _ in written]


def _without_errors(answers: Sequence[Written | TreesqlError], n: int) -> list[Written]:
    """What executors have written. Raises their only error, or InvalidInput with all faults."""
    errors = [answer for answer in answers if isinstance(answer, TreesqlError)]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        faults: list[Diagnostic] = []
        for error in errors:
            error_faults = getattr(error, "faults", None)
            faults += error_faults or [Diagnostic.error("", 0, str(error), "no corpus was added")]
        raise InvalidInput(faults)
    if len(answers) != n:
        raise UsageError(f"{len(answers)} of {n} corpora came back from the executors; nothing was added, load again")
    return [answer for answer in answers if not isinstance(answer, TreesqlError)]


def _task(corpora: Sequence[CorpusFiles], options: Options, folder: str, hidden: str) -> Callable[[pa.Array], pa.Array]:
    """Return what an executor does with the numbers of corpora."""
    files, here = tuple(corpora), os.getcwd()

    def load(numbers: pa.Array) -> pa.Array:
        from treesql.storage.folders import write_corpora

        written = write_corpora([files[number] for number in numbers.to_pylist()], options, folder, hidden, here)
        return pa.array(map(pickle.dumps, written), pa.binary())

    return load


def write_corpora(
    corpora: Sequence[CorpusFiles], options: Options, folder: str, hidden: str, here: str
) -> Iterator[Written | TreesqlError]:
    """Write the parts of corpora, on an executor. A task that runs again writes to a folder of its own.

    here: the driver's working directory, to which paths of files are relative.
    """
    task_folder = Path(hidden) / uuid.uuid4().hex
    task_folder.mkdir(parents=True)
    with chdir(here if Path(here).is_dir() else "."), opened(folder) as engine:
        for corpus in corpora:
            loads = FolderLoads(folder, task_folder, CorpusPlan((corpus,), together=True), options, True, None)
            try:
                [(loaded, group)] = loads.write(engine)
                yield str(task_folder), loaded, group
            except TreesqlError as error:
                yield error
