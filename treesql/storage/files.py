"""Load files as users name them into a database file, an open database, or a folder of Parquet; drop corpora."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from treesql.engines import manifests
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_database
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.errors import InvalidCorpora, issue
from treesql.readers import Notation, Options, default_max_sentence, parse_max_sentence
from treesql.readers.source import is_readable_file, size_of
from treesql.runtime.failures import convert_errors
from treesql.storage import corpus_plans, folders, loading
from treesql.storage.corpus_plans import CorpusPlan, File, plan_corpora
from treesql.storage.loading import Loaded

if TYPE_CHECKING:
    from treesql.engines.spark.engine import SparkFolder

CORPORA = """
SELECT c.corpus, c.kind, c.treebank, c.language, c.format, c.reading, c.n_sentences AS sentences, c.n_words AS words,
       len(c.files) AS files, left(c.sha256, 12) AS sha256, c.treesql_version AS treesql,
       strftime(c.loaded_at, '%Y-%m-%d %H:%M') AS loaded, strftime(c.changed_at, '%Y-%m-%d %H:%M') AS changed
FROM corpora AS c ORDER BY c.loaded_at, c.corpus
"""
"""A row per corpus: sizes, files, origin."""

Report = Callable[[int, int | None], object]
"""Called with the number of bytes that were read, and of those to be read; None where that is unknown."""


@convert_errors
def load(
    db: str | Path,
    *paths: File,
    corpus: str | None = None,
    each: str | None = None,
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
) -> LoadedCorpora:
    """Load files as one corpus, or each as a corpus, or the corpora of a Parquet data set, into a database file.

    db: the file; if it does not exist it is made, with the first corpus that can be loaded. Or a folder of Parquet, an
    existing one or a name that ends in `/`.
    paths: files, compressed or not, patterns or folders, `-` for standard input; in place of a file bytes, an open
    file or a list of sentences, with `corpus`. corpus: the name of one corpus of all files. Without it every file is a
    corpus, or with `each="folder"` every folder, named after it: equal names have their folders in front, treebank and
    language are those of Universal Dependencies' names if left out, and each corpus is a transaction. A data set is one
    transaction, and its corpora have names. format: a name that `treesql load --help` lists, such as conllu; by the
    files' endings if left out. replace: whether to replace corpora of these names. permissive: whether to load
    sentences whose heads form a cycle, without a tree index. strict: whether to refuse sentences with several roots. Of
    word alignments: base, the number of a sentence's first word; reverse, whether the target word comes first;
    null_links, whether to keep links to the empty word; source_corpus, target_corpus, the loaded corpora whose words
    are linked. Of lattices: phrases, whether a label with blanks is several words; symbols, the table of the labels'
    numbers; scores, the kind of the scores of PLF, JSON lines and n-best lists, cost or log_likelihood. ids: first or
    last, the word of every line of a plain text that is its id; none for a text without ids. max_sentence: maximum
    number of bytes of a sentence, tree or lattice, a number or a size such as "64MB", with a word or edge for every 16
    of them; 16 MB if left out. progress: called with the number of bytes read, and of those to read, None where that is
    unknown. Warns with TreesqlWarning. Raises InvalidInput, UsageError, UnknownName, DatabaseError; InvalidCorpora of
    several corpora, once the others are loaded, which it holds.
    """
    options = reading_options(permissive, strict, phrases, symbols, max_sentence, scores, ids)
    notation = Notation(base, reverse, null_links, source_corpus, target_corpus)
    plan = plan_corpora(
        corpus_plans.as_paths(paths, "file", form=format),
        options,
        corpus=corpus,
        each=each,
        form=format,
        treebank=treebank,
        language=language,
        notation=notation,
    )
    return load_planned(str(db), plan, options, replace=replace, progress=progress)


@convert_errors
def drop(db: str | Path, *corpora: str) -> None:
    """Remove corpora from a database file or a folder of Parquet, all or none, also those with damaged parts.

    Raises UnknownName; DatabaseError where the database cannot be read, or where a damaged part is shared with corpora
    that are to stay.
    """
    if manifests.is_folder(str(db)):
        folders.drop_corpora(str(db), dict.fromkeys(corpora))
        return
    with open_database(str(db), existing=True) as engine:
        loading.drop_corpora(engine, dict.fromkeys(corpora))


class LoadedCorpora(list[Loaded]):
    """Corpora that were loaded. left_out: number of files of folders and patterns whose endings no format has."""

    def __init__(self, loaded: Iterable[Loaded], left_out: int = 0) -> None:
        super().__init__(loaded)
        self.left_out = left_out


def load_planned(
    into: DuckDB | SparkFolder | str,
    plan: CorpusPlan,
    options: Options,
    *,
    replace: bool = False,
    progress: Report | None = None,
) -> LoadedCorpora:
    """Load planned corpora into a database that is open, a file or a folder, and issue their warnings.

    Raises what `loading.load_into_file` raises.
    """
    report = with_total(progress, [path for corpus in plan.corpora for path in corpus.files])
    place = into if isinstance(into, DuckDB | str) or folders.can_load_on_executors(plan) else into.local
    try:
        if isinstance(place, str) and not manifests.is_folder(place):
            loaded = loading.load_into_file(place, plan, options, replace=replace, progress=report)
        elif isinstance(place, DuckDBFolder | str):
            folder = place if isinstance(place, str) else place.folder
            loaded = folders.load_into_folder(folder, plan, options, replace=replace, progress=report)
        elif isinstance(place, DuckDB):
            loaded = loading.load_into_engine(place, plan, options, replace=replace, progress=report)
        else:
            loaded = folders.load_on_executors(place, plan, options, replace=replace, progress=report)
    except InvalidCorpora as error:
        error.loaded = LoadedCorpora(error.loaded, plan.left_out)
        _issue_warnings(error.loaded)
        raise
    _issue_warnings(loaded)
    return LoadedCorpora(loaded, plan.left_out)


def _issue_warnings(loaded: Iterable[Loaded]) -> None:
    for warning in (warning for corpus in loaded for warning in corpus.warnings):
        issue(warning)


def reading_options(
    permissive: bool,
    strict: bool,
    phrases: bool,
    symbols: str | Path | None,
    max_sentence: int | str | None,
    scores: str | None,
    ids: str | None,
) -> Options:
    """The options of readers as `treesql.load` describes them. Raises UsageError."""
    table = None if symbols is None else str(symbols)
    size = default_max_sentence() if max_sentence is None else parse_max_sentence(max_sentence)
    return Options(permissive, strict, phrases=phrases, symbols=table, max_sentence=size, scores=scores, ids=ids)


def with_total(report: Report | None, paths: Iterable[str]) -> loading.Progress | None:
    """A function that adds up the bytes read of files, and reports them with their total."""
    if report is None:
        return None
    call, files = report, list(paths)
    total = sum(map(size_of, files)) if all(map(is_readable_file, files)) else None
    done = 0
    call(done, total)

    def advance(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        call(done, total)

    return advance
