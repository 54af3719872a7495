"""Files as users name them: loaded into a database, or checked without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_or_make
from treesql.errors import Diagnostic, InvalidInput, issue
from treesql.readers import Notation, Options, sentence_limits
from treesql.runtime.failures import convert_errors
from treesql.storage import loading
from treesql.storage.loading import CorpusFiles, Loaded

CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.reading, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded, strftime(c.changed_at, '%Y-%m-%d %H:%M') AS changed
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""
"""A row per corpus: sizes, files, origin."""

Report = Callable[[int, int | None], object]
"""Called with the number of bytes that were read, and of those to be read; None where that is unknown."""


@dataclass(frozen=True)
class FileCheck:
    """What was found in files: the files that were read, errors for which they would be refused, and warnings."""

    files: tuple[str, ...]
    faults: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.faults, *self.warnings)))


@convert_errors
def load(
    db: str | Path,
    *paths: str | Path,
    corpus: str | None = None,
    format: str | None = None,
    treebank: str | None = None,
    language: str | None = None,
    replace: bool = False,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    source_corpus: str | None = None,
    target_corpus: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    scores: str | None = None,
    ids: str | None = None,
    progress: Report | None = None,
) -> list[Loaded]:
    """Load files as one corpus, or the corpora of a Parquet data set, into a database file, in one transaction.

    db: the file; if it does not exist it is made, whole or not at all. Other parameters as for `Database.load`. Warns
    with TreesqlWarning. Raises InvalidInput, UsageError, UnknownName, DatabaseError.
    """
    notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
    files = loading.plan_loads(paths, corpus, format, treebank, language, notation=notation)
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
    with open_or_make(str(db)) as engine:
        loaded = load_planned(engine, files, options, replace=replace, progress=progress)
    return issue_warnings(loaded)


@convert_errors
def check(
    *paths: str | Path,
    format: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    base: int | None = None,
    reverse: bool = False,
    null_links: bool = False,
    phrases: bool = False,
    symbols: str | Path | None = None,
    max_sentence: int | str | None = None,
    ids: str | None = None,
    progress: Report | None = None,
) -> FileCheck:
    """Read files without loading them, and return what is wrong with them.

    Parameters as for `Database.load`. Raises InvalidInput where there is no such file, UsageError, UnknownName.
    """
    files = loading.plan_loads(paths, None, format, named=False, notation=Notation(base, reverse, null_links))
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, None, ids)
    read = tuple(path for one in files for path in one.files)
    try:
        warnings = loading.check_files(files, options, with_total(progress, read))
    except InvalidInput as error:
        return FileCheck(read, error.faults, ())
    return FileCheck(read, (), tuple(warnings))


def load_planned(
    engine: DuckDB,
    files: Sequence[CorpusFiles],
    options: Options,
    *,
    replace: bool = False,
    progress: Report | None = None,
) -> list[Loaded]:
    """Load planned corpora. Raises what `loading.load` raises."""
    paths = [path for one in files for path in one.files]
    return loading.load(engine, files, options, replace=replace, progress=with_total(progress, paths))


def issue_warnings(loaded: list[Loaded]) -> list[Loaded]:
    """Issue the warnings of corpora; return these."""
    for warning in (warning for one in loaded for warning in one.warnings):
        issue(warning)
    return loaded


def reading_options(
    permissive: bool,
    strict: bool,
    phrases: bool,
    symbols: str | Path | None,
    max_sentence: int | str | None,
    scores: str | None,
    ids: str | None,
) -> Options:
    """The options of readers as `Database.load` describes them. Raises UsageError."""
    table = None if symbols is None else str(symbols)
    size = sentence_limits.default() if max_sentence is None else sentence_limits.parse(max_sentence)
    return Options(permissive, strict, phrases=phrases, symbols=table, max_sentence=size, scores=scores, ids=ids)


def with_total(report: Report | None, paths: Iterable[str]) -> loading.Progress | None:
    """A function that adds up the bytes read of files, and reports them with their total."""
    if report is None:
        return None
    call, files = report, [Path(path) for path in paths]
    total = sum(file.stat().st_size for file in files) if all(file.is_file() for file in files) else None
    done = 0
    call(done, total)

    def advance(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        call(done, total)

    return advance
