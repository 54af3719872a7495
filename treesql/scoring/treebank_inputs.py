"""Treebanks of statistics and requests: files and folders loaded into memory, or a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from treesql import catalog, readers
from treesql.catalog import schemas
from treesql.catalog.schemas import literal, quote
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import is_database, open_database
from treesql.errors import UsageError, Warn
from treesql.readers import DEPENDENCY, Options
from treesql.readers.source import STANDARD_INPUT, Content, expand
from treesql.scoring import relation_tables
from treesql.storage import corpus_plans, loading
from treesql.storage.corpus_plans import CorpusFiles

_RELATION_TABLES = frozenset({"relation_classes", "relation_weights"})


@contextmanager
def open_treebanks(
    paths: Sequence[str],
    queries: Sequence[str] | None,
    *,
    warn: Warn = lambda warning: None,
    classes_file: str | None = None,
    corpora: Sequence[str] | None = None,
    each: str | None = None,
    permissive: bool = False,
    strict: bool = False,
) -> Iterator[DuckDB]:
    """Yield an engine with treebanks, and of files only what the queries read. SQL on it reaches no files.

    paths: files and folders, or one database, whose corpora name their treebanks. queries: names in the catalogue; None
    to read all. warn: called with every warning. classes_file: CSV that replaces relation_classes. corpora: names and
    patterns of those to read; None for all. each: `file` or `folder`, which is a treebank each, named as `load` names
    corpora; None for one treebank of each path. Raises UsageError, UnknownName, InvalidInput, DatabaseError.
    """
    if not paths:
        raise UsageError("name at least one treebank")
    if any(map(_is_database, paths)):
        if len(paths) > 1:
            raise UsageError("a database is the only input; name one database, or files and folders")
        if each is not None:
            raise UsageError("--each is for files and folders; a database has its corpora, which --corpus chooses")
        if permissive or strict:
            raise UsageError("options for reading files (--permissive, --strict) do not apply to a database")
        opened = open_database(paths[0], read_only=True, safe=True)
    else:
        files = _plan_treebanks(paths, each)
        if corpora is not None:
            names = loading.chosen_corpora(corpora, [file.corpus for file in files])
            files, corpora = [file for file in files if file.corpus in names], None
        opened = load_treebanks(files, queries, warn=warn, permissive=permissive, strict=strict)
    with opened as engine:
        _choose(engine, corpora, classes_file)
        yield engine


def _plan_treebanks(paths: Sequence[str], each: str | None) -> list[CorpusFiles]:
    """Return the treebanks of files and folders, as `open_treebanks` reads them. Raises UsageError, InvalidInput."""
    if each is None:
        return [plan_treebank(path, name) for name, path in zip(treebank_names(paths), paths, strict=True)]
    if any(path == STANDARD_INPUT or isinstance(path, Content) for path in paths):
        raise UsageError("--each is for files and folders; what is not in a file is one treebank")
    planned = corpus_plans.plan_corpora(paths, Options(), each=each).corpora
    named = Counter(corpus.treebank for corpus in planned)
    return [corpus if named[corpus.treebank] == 1 else replace(corpus, treebank=None) for corpus in planned]


@contextmanager
def selected(engine: Engine, corpora: Sequence[str] | None, classes_file: str | Path | None = None) -> Iterator[None]:
    """Restrict an open database in this block to some corpora, and give relations other classes; nothing of it stays.

    Parameters as for `open_treebanks`. Raises UnknownName, InvalidInput.
    """
    with engine.restoring():
        _choose(engine, corpora, classes_file)
        yield


def as_list(names: str | Sequence[str] | None) -> list[str] | None:
    """Return one name or several as a list."""
    return [names] if isinstance(names, str) else None if names is None else list(names)


def path_text(path: str | Path | None) -> str | None:
    """Return a path as text, or None."""
    return None if path is None else str(path)


def load_treebanks(
    files: Sequence[CorpusFiles],
    queries: Iterable[str] | None,
    *,
    warn: Warn = lambda warning: None,
    permissive: bool = False,
    strict: bool = False,
) -> DuckDB:
    """Return an engine of corpora in memory, with the columns and relations that the queries read, and with classes and
    weights of relations; with all where they are None. Raises InvalidInput."""
    queries_run = None if queries is None else [catalog.query(name) for name in queries]
    columns = None if queries_run is None else catalog.columns_read(queries_run)
    named = None if queries_run is None else catalog.words_of_queries(queries_run) | _RELATION_TABLES
    options = Options(permissive, strict, columns)
    engine, _ = loading.load_into_memory(files, options, named, warn=warn, lent=named is not None)
    return engine


def plan_treebank(path: str, corpus: str, treebank: str | None = None) -> CorpusFiles:
    """Return a file, or the treebank files of a folder, as one corpus to load, in the language that its folder names.

    Raises InvalidInput, UsageError.
    """
    found = expand([path], readers.endings_in_folders(DEPENDENCY))
    files_there = [file for file in found if not isinstance(file, Content)]
    language = corpus_plans.treebank_and_language(files_there[0])[1] if files_there else None
    [files] = corpus_plans.plan_loads(found, corpus, treebank=treebank, language=language)
    return files


def treebank_names(paths: Sequence[str]) -> list[str]:
    """Return the base names of files and folders, or the paths where two base names are equal. Raises UsageError."""
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise UsageError(f"{twice} is named twice; name every treebank once")
    return corpus_plans.names_of_inputs(paths)


def _is_database(path: str) -> bool:
    return not isinstance(path, Content) and is_database(path)


def _choose(engine: Engine, corpora: Sequence[str] | None, classes_file: str | Path | None) -> None:
    """Restrict the engine to some corpora, and give relations other classes. Raises UnknownName, InvalidInput."""
    if corpora is not None:
        chosen = ", ".join(map(literal, loading.chosen_corpora(corpora, loading.corpus_names(engine))))
        columns = ", ".join(f"c.{quote(name)}" for name in schemas.table("corpora").names)
        rows = engine.table(f"SELECT {columns} FROM corpora AS c WHERE c.corpus IN ({chosen})")
        engine.replace_rows("corpora", rows)
    if classes_file is not None:
        relation_tables.install_classes(engine, str(classes_file))
