"""Relations that stand in for tables and views in a statement: cached lists, and ranges of sentences.

A statement is not changed for them: a common table expression hides the table or view that has its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol

from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import is_hidden, relations_of, shadowing, words
from treesql.engines import Engine

_ALL_COLUMNS = re.compile(r"(?:\bSELECT\s+|\.|,\s*)\*")
"""Matches what selects all columns, `*` or `w.*`."""

MAX_WORDS = 2_000_000
"""Number of words, or edges of lattices, of the corpora whose lists a connection caches; those made first give way."""

WORDS_OF_SENTENCE = 25
"""Number of words as which a sentence counts where a corpus has none, but links."""

Execute = Callable[[str, Mapping[str, object]], list[tuple[Any, ...]]]
"""Runs a statement with values of its parameters, and returns its rows."""

_RECORDS = """
SELECT c.corpus, c.kind, c.format, c.n_sentences, c.files[1].path, len(c.files), c.sha256, c.reading, c.treesql_version,
       c.changed_at IS NOT NULL
FROM corpora AS c
"""

_CREATE = """
CREATE TEMP TABLE IF NOT EXISTS cached_lists
  (list_view VARCHAR, corpus VARCHAR, state VARCHAR, size BIGINT, made BIGINT)
"""

_CORPORA = f"""
SELECT c.corpus,
       CAST(greatest(c.n_words, {WORDS_OF_SENTENCE} * c.n_sentences,
                     (SELECT sum(l.n_edges) FROM lattices AS l WHERE l.corpus = c.corpus)) AS BIGINT) AS size,
       concat_ws(' ', c.sha256, c.loaded_at, c.changed_at) AS state
FROM corpora AS c
WHERE c.corpus IN (SELECT unnest($names))
ORDER BY c.corpus
"""
"""The size of corpora, and what changes whenever their rows do."""

_CACHED = "SELECT k.list_view, k.corpus, k.state, k.size FROM cached_lists AS k ORDER BY k.made"

_ADD = """
INSERT INTO cached_lists
SELECT $list_view, $corpus, $state, $size, (SELECT coalesce(max(k.made), 0) + 1 FROM cached_lists AS k)
"""


class Record(NamedTuple):
    """What the table `corpora` says of a corpus. path: of its first file, of n_files; version: of the treesql that has
    loaded it."""

    corpus: str
    kind: str
    format: str
    n_sentences: int
    path: str | None
    n_files: int
    sha256: str
    reading: str | None
    version: str
    changed: bool


class ReadsRows(Protocol):
    """What reads rows as an engine does."""

    @property
    def is_small(self) -> bool:
        """As of `Engine`."""

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """As of `Engine`."""


def records_of(engine: ReadsRows) -> dict[str, Record]:
    """The records of all corpora by name."""
    return {row[0]: Record(*row) for row in engine.rows(_RECORDS)}


def record_of(engine: ReadsRows, corpus: str) -> Record:
    """The record of a corpus; of a small engine it is among those that are read once."""
    if engine.is_small:
        return records_of(engine)[corpus]
    [row] = engine.rows(f"{_RECORDS}WHERE c.corpus = $corpus", {"corpus": corpus})
    return Record(*row)


@cache
def list_views() -> tuple[str, ...]:
    """The names of the views of schemas/ that have lists, a row per sentence of a corpus."""
    views = schemas.all_views().values()
    return tuple(view.name for view in views if any(column.type.endswith("[]") for column in view.columns))


def reading_cached(execute: Execute, statement: str, values: Mapping[str, object]) -> str:
    """Return the statement, with cached lists in place of views of lists; they are made where they lack.

    values: of its parameters; the corpora among them are all whose lists it reads. Where they are too large, the
    statement stays as it is. What is cached stands in temporary tables alone, so that a transaction that is rolled back
    takes its lists with it; lists of a corpus that has changed since are made again.
    """
    if not any(view in statement for view in list_views()):
        return statement
    named = relations_of(statement)
    read = [view for view in list_views() if view in named and not is_hidden(statement, view)]
    if not read:
        return statement
    names = sorted({value for name, value in values.items() if name.endswith("corpus") and isinstance(value, str)})
    corpora = {name: (size, state) for name, size, state in execute(_CORPORA, {"names": names})}
    if len(read) * sum(size for size, _ in corpora.values()) > MAX_WORDS:
        return statement
    execute(_CREATE, {})
    for view in read:
        _cache_lists(execute, view, corpora)
    return shadowing(statement, {view: f"SELECT k.* FROM {quote(_table(view))} AS k" for view in read})


def _cache_lists(execute: Execute, view: str, corpora: Mapping[str, tuple[int, str]]) -> None:
    """Have the lists of corpora among the cached ones of a view."""
    table = quote(_table(view))
    execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} AS SELECT v.* FROM {quote(view)} AS v LIMIT 0", {})
    for corpus, (size, state) in corpora.items():
        kept = {(cached_view, name): (cached_state, n) for cached_view, name, cached_state, n in execute(_CACHED, {})}
        cached = kept.pop((view, corpus), None)
        if cached is not None and cached[0] == state:
            continue
        left = MAX_WORDS - size - sum(n for _, n in kept.values())
        for (cached_view, name), (_, n) in kept.items():
            if left < 0 and name not in corpora:
                _drop(execute, cached_view, name)
                left += n
        _drop(execute, view, corpus)
        execute(f"INSERT INTO {table} SELECT v.* FROM {quote(view)} AS v WHERE v.corpus = $corpus", {"corpus": corpus})
        execute(_ADD, {"list_view": view, "corpus": corpus, "state": state, "size": size})


def _drop(execute: Execute, view: str, corpus: str) -> None:
    execute("DELETE FROM cached_lists WHERE list_view = $list_view AND corpus = $corpus",
            {"list_view": view, "corpus": corpus})  # fmt: skip
    execute(f"DELETE FROM {quote(_table(view))} WHERE corpus = $corpus", {"corpus": corpus})


def _table(view: str) -> str:
    return f"cached_{view}"


def of_range(engine: Engine, sql: str, sentences: range) -> str:
    """Return a statement that reads only sentences of a range, of whatever corpus.

    Where corpora are large, a statement over one range of sentences after another takes little memory: nothing that is
    scored or searched crosses a sentence.
    """
    return shadowing(
        sql,
        {
            name: read if isinstance(read, str) else engine.select_range(name, sentences, read)
            for name, read in _relations_of_sentences(sql)
        },
    )


@lru_cache(maxsize=8)
def _relations_of_sentences(sql: str) -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    """Return the tables and views with sentences that a statement reads, each behind those that it reads itself.

    A view has its SQL, a table the columns that are read, for in some subqueries DuckDB reads all that there are.
    """
    tables = {name for name, table in schemas.all_tables().items() if "sentence" in table.names}
    views = {
        name: view.body
        for name, view in schemas.all_views().items()
        if "sentence" in {column.name for column in view.columns}
    }
    relations: dict[str, str | None] = {}

    def find(text: str) -> None:
        for name in sorted(relations_of(text) & (views.keys() | tables) - relations.keys()):
            if name in views:
                find(views[name])
            relations[name] = views.get(name)

    find(sql)
    texts = [sql, *(text for text in relations.values() if text is not None)]
    named = None if any(map(_ALL_COLUMNS.search, texts)) else frozenset().union(*map(words, texts))
    return tuple((name, _columns(name, named) if text is None else text) for name, text in relations.items())


def _columns(table: str, named: frozenset[str] | None) -> tuple[str, ...]:
    """The columns of a table that are named, but `sentence` always; all for None."""
    return tuple(name for name in schemas.table(table).names if named is None or name in named or name == "sentence")
