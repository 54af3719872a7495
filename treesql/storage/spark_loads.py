"""Load corpora into a folder of Parquet by the executors of Spark: all of them, or none.

Executors read files and write parts to a hidden folder that they share with the driver. The driver moves parts to their
places, and writes the manifest, once every corpus could be read.
"""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Callable, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from treesql import readers
from treesql.engines import manifests
from treesql.engines.corpus_groups import CorpusGroup, folder_name
from treesql.engines.spark import SparkFolder
from treesql.errors import Diagnostic, InvalidInput, TreesqlError, UsageError
from treesql.readers import PARQUET, Options
from treesql.runtime import atomic_files, interrupts
from treesql.storage import folders, loading
from treesql.storage.corpus_plans import CorpusPlan
from treesql.storage.loading import CorpusFiles, Loaded, Progress

TASKS_PER_CORE = 4
"""Number of tasks for each core, so that cores which are done take over from others."""


@dataclass(frozen=True)
class _Written:
    """A corpus whose parts are in a hidden folder, or the error that refuses it."""

    folder: str
    loaded: Loaded | None = None
    group: CorpusGroup | None = None
    error: TreesqlError | None = None


def can_load(plan: CorpusPlan) -> bool:
    """Whether executors can load corpora: several, each from its own files; others are loaded by the driver."""
    alone = (one.form != PARQUET and not loading.linked_corpora(one) for one in plan.corpora)
    return len(plan.corpora) > 1 and not plan.together and all(alone)


def load_on_executors(
    engine: SparkFolder, plan: CorpusPlan, options: Options, *, replace: bool = False, progress: Progress | None = None
) -> list[Loaded]:
    """Load planned corpora by the tasks of Spark, all or none. Raises InvalidInput with the faults of all files."""
    folder = Path(engine.folder).absolute()
    folders.check_folder(str(folder))
    folders.remove_leftovers(folder)
    known = manifests.corpora_of(manifests.read_manifest(str(folder), find_parts=False))
    for one in plan.corpora:
        readers.check_options(one.form, options)
        folder_name(one.corpus)
        if one.corpus in known and not replace:
            raise loading.exists_already(one.corpus)
    with atomic_files.hidden_folder(folder) as hidden:
        call = _task(plan.corpora, options, str(folder), str(hidden))
        written = _run(engine, call, len(plan.corpora))
        _check(written, len(plan.corpora))
        with interrupts.committing():
            groups = [(Path(made.folder), made.group) for made in written if made.group is not None]
            folders.commit(folder, hidden, groups, replaces=replace)
    if progress is not None:
        progress(sum(Path(file).stat().st_size for one in plan.corpora for file in one.files if Path(file).is_file()))
    return [made.loaded for made in written if made.loaded is not None]


def _check(written: Sequence[_Written], n: int) -> None:
    """Raise the only error, or InvalidInput with all faults."""
    errors = [one.error for one in written if one.error is not None]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        faults: list[Diagnostic] = []
        for error in errors:
            own = getattr(error, "faults", None)
            faults += own or [Diagnostic.error("", 0, str(error), "no corpus was added")]
        raise InvalidInput(faults)
    if len(written) != n:
        raise UsageError(f"{len(written)} of {n} corpora came back from the executors; nothing was added, load again")


def _run(engine: SparkFolder, call: Callable[[pa.Array], pa.Array], n: int) -> list[_Written]:
    """Return what tasks have written, in order."""
    found = engine.map_numbers(call, n, min(n, engine.n_cores * TASKS_PER_CORE))
    return [pickle.loads(one) for one in found]


def _task(corpora: Sequence[CorpusFiles], options: Options, folder: str, hidden: str) -> Callable[[pa.Array], pa.Array]:
    """Return what an executor does with the numbers of corpora."""
    files, here = tuple(corpora), os.getcwd()

    def load(numbers: pa.Array) -> pa.Array:
        from treesql.storage.spark_loads import write_corpora

        chosen = [files[number] for number in numbers.to_pylist()]
        return pa.array(
            [pickle.dumps(one) for one in write_corpora(chosen, options, folder, hidden, here)], pa.binary()
        )

    return load


def write_corpora(
    corpora: Sequence[CorpusFiles], options: Options, folder: str, hidden: str, here: str
) -> list[_Written]:
    """Write the parts of corpora, on an executor. A task that runs again writes to a folder of its own.

    here: the driver's working directory, to which paths of files are relative.
    """
    own = Path(hidden) / uuid.uuid4().hex
    own.mkdir(parents=True)
    found = []
    with chdir(here if Path(here).is_dir() else "."), folders.opened(folder) as engine:
        for one in corpora:
            loads = folders.FolderLoads(folder, own, CorpusPlan((one,), together=True), options, True, None)
            try:
                loaded, group = loads.write(engine, one)
                found.append(_Written(str(own), loaded, group))
            except TreesqlError as error:
                found.append(_Written(str(own), error=error))
    return found
