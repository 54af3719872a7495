"""What changed between two versions of a treebank, or where two annotators differ; and which lattices of two files are
equal, but for their scores."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from treesql import catalog, readers
from treesql.engines import Engine
from treesql.engines.duckdb_files import open_database
from treesql.errors import Diagnostic, UsageError, issue, not_applicable
from treesql.evaluation.paired_files import pair_corpora
from treesql.readers import DEPENDENCY, LATTICE, WITHOUT_WORDS, Options, describe_kind
from treesql.readers.source import STANDARD_INPUT, expand
from treesql.results.pages import counted
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.scoring import scores
from treesql.scoring.treebank_inputs import load_treebanks
from treesql.storage import corpus_plans, loading
from treesql.storage.corpus_plans import File, as_path
from treesql.treebanks import version_blocks

AGREEMENT, BY_GROUP, CHANGES, WORDS = "version_agreement", "version_agreement_by", "version_changes", "changed_words"
"""The statistics: a row per column, per group and column, per change of values, per change of one unit."""

SENTENCES = "version_sentences"

LATTICES = "lattice_differences"
"""The statistic of lattices: a row per lattice."""

_MAY_BE_EMPTY = ("lemma", "upos", "xpos", "feats", "head", "deprel", "misc")
"""Columns of words whose values may be missing, which are compared."""

BY_TEXT = "match sentences by their text, then by their place: --match text"
MIN_PAIRED_SHARE = 0.5
"""Share of the sentences of the smaller version below which few correspond."""

_ONE_TREEBANK = "name two versions of one treebank"


@dataclass(frozen=True, repr=False)
class VersionDifferences(Result):
    """What changed between two versions. unpaired: how many sentences have no counterpart, for rows of all columns;
    counted: of lattices, how many differ in what."""

    unpaired: str = ""
    counted: str = ""


@dataclass(frozen=True)
class VersionRequest:
    """What to return of two versions; the fields are the keywords of `diff`."""

    by: str | None = None
    changes: bool = False
    list: bool = False
    column: str | None = None
    match: str = "sent_id"
    comments: bool = False
    limit: int | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for options that exclude each other."""
        if self.changes and self.list:
            raise UsageError("--changes and --list each choose the rows; give one of them")
        if self.by and self.list:
            raise UsageError("--by groups counts, and --list lists words; give one of them")
        if self.column and not (self.changes or self.list):
            raise UsageError("--column chooses changes; add --changes or --list")
        if self.limit is not None and self.limit < 0:
            raise UsageError(f"limit={self.limit}: write a number of rows from 0")

    @property
    def statistic(self) -> str:
        """The statistic that has the rows."""
        return WORDS if self.list else CHANGES if self.changes else BY_GROUP if self.by else AGREEMENT

    @property
    def values(self) -> dict[str, object]:
        """The parameters of the statistic."""
        compared = "all" if self.comments or self.column == "comments" else None
        parameters = {
            "match": self.match, "grouping": self.by, "changed_column": self.column, "compared_comments": compared
        }  # fmt: skip
        return {name: value for name, value in parameters.items() if value is not None}


@convert_errors
def diff(
    old: File,
    new: File,
    *,
    db: str | Path | None = None,
    by: str | None = None,
    changes: bool = False,
    list: bool = False,
    column: str | None = None,
    match: str = "sent_id",
    comments: bool = False,
    limit: int | None = None,
    format: str | None = None,
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> VersionDifferences:
    """Return what changed between two versions of a treebank, or in what two annotators differ, by column; of lattices
    a row each, with the columns `words` (whether the word sequences of all paths are the same), `graph` (all edges,
    with any numbers of nodes) and `scores` (those of equal graphs): `same`, `differs` or `unknown`.

    A row for sentences, words, multiword tokens and empty nodes and for every column of these, with the number of
    those that are the same and changed, their agreement, Cohen's kappa and Krippendorff's alpha. Words are aligned by
    their characters inside sentences with the same sent_id, or else the same text.

    old, new: files, or in their place bytes, open files or lists of sentences, or folders of dependency treebanks; or
    files of lattices, which correspond by their ids if both have some, else by their order, and take `format` and
    `limit` alone; corpora of the database `db`, or patterns of these, such as `*-v1` and `*-v2`, which are paired by
    what stands for the stars, with rows by treebank. by: upos or deprel, a row per value of the old version and column.
    changes: whether to return old and new values with the number of words instead. list: whether to return every change
    instead. column: the column of these changes, else all. match: `text` pairs sentences by their text alone. comments:
    whether to compare all comments, beside text, newdoc and newpar. limit: maximum number of rows. format, permissive,
    strict, max_sentence: of files, as for `treesql.load`. Warns with TreesqlWarning. Raises UsageError, UnknownName,
    InvalidInput, QueryError, DatabaseError.
    """
    request = VersionRequest(by, changes, list, column, match, comments, limit)
    reads = LATTICE if db is None and _has_lattices((old, new), format) else DEPENDENCY
    statistic = LATTICES if reads == LATTICE else request.statistic
    if db is not None:
        if format or permissive or strict:
            raise UsageError("options for reading files (--from, --permissive, --strict) do not apply to a database")
        with open_database(str(db), read_only=True, safe=True) as engine:
            return diff_of(engine, str(old), str(new), request)
    with readers.max_sentence(max_sentence), _open_files(
        as_path(old, "old", reads, format), as_path(new, "new", reads, format), request, statistic, format,
        permissive=permissive, strict=strict,
    ) as (engine, names):  # fmt: skip
        return diff_of(engine, *names, request)


def diff_of(engine: Engine, old: str, new: str, request: VersionRequest) -> VersionDifferences:
    """Return what `diff` returns of two corpora on an engine, or of those of two patterns, by treebank."""
    known = loading.corpus_names(engine)
    if all(name not in known and glob.has_magic(name) for name in (old, new)):
        return _diff_each(engine, pair_corpora(old, new, known), request)
    return _diff_pair(engine, old, new, request)


def _diff_each(engine: Engine, pairs: Mapping[str, tuple[str, str]], request: VersionRequest) -> VersionDifferences:
    """The differences of the corpora of several treebanks, whose name is the first column. pairs: by this name."""
    parts = {
        treebank: _diff_pair(engine, old, new, replace(request, limit=None)) for treebank, (old, new) in pairs.items()
    }
    tables = [
        part.arrow().add_column(0, "treebank", pa.array([treebank] * len(part), pa.string()))
        for treebank, part in parts.items()
    ]
    rows = pa.concat_tables(tables, promote_options="default")
    signatures = {
        f"{treebank}:{name}": text for treebank, part in parts.items() for name, text in part.signatures.items()
    }
    return VersionDifferences(
        rows if request.limit is None else rows.slice(0, request.limit),
        signatures,
        frozenset[str]().union(*(part.percent for part in parts.values())),
        unpaired="\n".join(part.unpaired for part in parts.values() if part.unpaired),
        counted="\n".join(f"{treebank}: {part.counted}" for treebank, part in parts.items() if part.counted),
    )


def _diff_pair(engine: Engine, old: str, new: str, request: VersionRequest) -> VersionDifferences:
    """The differences of two corpora."""
    corpora = {"old_corpus": old, "new_corpus": new}
    kinds = dict(engine.rows("SELECT c.corpus, c.kind FROM corpora AS c"))
    if kinds.get(old) == kinds.get(new) == LATTICE:
        return _diff_lattices(engine, old, new, request)
    _check_words(kinds, old, new)
    for warning in _find_empty_columns(engine, old, new, request.column):
        issue(warning)
    result = scores.run_statistic(engine, request.statistic, {**request.values, **corpora})
    for warning in _find_warnings(engine, {**corpora, "match": request.match}, result):
        issue(warning)
    rows = result.arrow()
    if not request.by and "group" in rows.column_names:
        rows = rows.drop_columns(["group"])
    rows = rows if request.limit is None else rows.slice(0, request.limit)
    return VersionDifferences(rows, result.signatures, result.percent, unpaired=_describe_unpaired(result, old, new))


@contextmanager
def _open_files(
    old: str, new: str, request: VersionRequest, statistic: str, form: str | None, *, permissive: bool, strict: bool
) -> Iterator[tuple[Engine, tuple[str, str]]]:
    """Open two files or folders, and name their corpora: after the paths, `old` and `new` before equal ones."""
    if old == new == STANDARD_INPUT:
        raise UsageError("standard input can be read only once; name a file")
    names = ("old", "new") if old == new else (old, new)
    files = []
    for name, path in zip(names, (old, new), strict=True):
        endings = readers.endings_in_folders(LATTICE if statistic == LATTICES else DEPENDENCY, form)
        files += corpus_plans.plan_loads(expand([path], endings), name, form)
    read = [LATTICES, "lattice_counterparts"] if statistic == LATTICES else [statistic, SENTENCES]
    if statistic not in (WORDS, LATTICES) and version_blocks.are_large(files):
        values = {**request.values, "old_corpus": names[0], "new_corpus": names[1]}
        read.append(version_blocks.SUMS)
        engine = version_blocks.read_in_blocks(files, read, values, Options(permissive, strict), issue)
        if engine is not None:
            with engine:
                yield engine, names
            return
    with load_treebanks(files, read, warn=issue, permissive=permissive, strict=strict) as engine:
        yield engine, names


def _has_lattices(inputs: Sequence[File], form: str | None) -> bool:
    """Whether the first of two inputs has lattices, by the name of the format, its own, or the ending of the file."""
    name = form or getattr(inputs[0], "form", None) or readers.format_of_ending(str(inputs[0])) or ""
    return name in readers.formats() and readers.formats()[name].kind == LATTICE


def _diff_lattices(engine: Engine, old: str, new: str, request: VersionRequest) -> VersionDifferences:
    """A row per lattice. Raises UsageError for options that choose among the words of treebanks."""
    defaults = VersionRequest(limit=request.limit)
    given = [f"--{name}" for name, value in vars(request).items() if value != getattr(defaults, name)]
    if given:
        raise not_applicable(given, "lattices, which have a row each")
    result = scores.run_statistic(engine, LATTICES, {"lattice_corpus": old, "other_lattice_corpus": new})
    rows = result.arrow()
    n_unknown = rows["words"].to_pylist().count("unknown")
    if n_unknown:
        what = f"the word sequences of {n_unknown} lattice{'s' if n_unknown > 1 else ''} are too many to be compared"
        issue(Diagnostic.warning(new, 0, what, "words is unknown there"))
    if not any(name is not None for name in rows["sent_id"].to_pylist()):
        rows = rows.drop_columns(["sent_id"])
    shown = rows if request.limit is None else rows.slice(0, request.limit)
    return VersionDifferences(shown, result.signatures, counted=_count_lattices(rows))


def _count_lattices(rows: pa.Table) -> str:
    """How many lattices differ: `2 lattices: words differ in 1, graphs in 1, scores of equal graphs in 0.`"""
    columns = {"words differ": "words", "graphs": "graph", "scores of equal graphs": "scores"}
    parts = [f"{name} in {rows[column].to_pylist().count('differs'):,}" for name, column in columns.items()]
    return f"{counted(len(rows), 'lattice')}: {', '.join(parts)}."


def _check_words(kinds: Mapping[str, str], *corpora: str) -> None:
    """Raises UsageError for corpora of a kind without words. kinds: by corpus."""
    for corpus in corpora:
        if kinds.get(corpus) in WITHOUT_WORDS:
            what = f"{corpus} has {describe_kind(kinds[corpus])}, and words are compared"
            raise UsageError(f"{what}; name two treebanks, or two files of lattices")


def _find_empty_columns(engine: Engine, old: str, new: str, column: str | None) -> Iterator[Diagnostic]:
    """Warn of columns that are empty throughout in one of two versions alone, where all values of the other changed.

    column: the one that is asked for, None for all.
    """
    filled = {corpus: _filled_columns(engine, corpus) for corpus in (old, new)}
    for side, corpus, other in (("old", old, new), ("new", new, old)):
        if any(filled[corpus].values()):
            lacking = [name for name in filled[other] if filled[other][name] and not filled[corpus][name]]
            names = " and ".join(name.upper() for name in lacking if column in (None, name))
            if names:
                what = f"this {side} version has no {names} throughout, and {other} has"
                yield Diagnostic.warning(corpus, 0, what, "every value of the other version counts as changed")


def _filled_columns(engine: Engine, corpus: str) -> dict[str, bool]:
    """Whether any word or sentence of a corpus has a value, by column that may be empty."""
    counts = ", ".join(f"count(w.{name}) AS {name}" for name in _MAY_BE_EMPTY)
    edges = "SELECT e.corpus FROM enhanced_edges AS e WHERE e.corpus = $corpus LIMIT 1"
    texts = "SELECT count(s.text) FROM sentences AS s WHERE s.corpus = $corpus"
    sql = (
        f"SELECT {counts}, (SELECT count(*) FROM ({edges}) AS found), ({texts})\n"
        "FROM words AS w WHERE w.corpus = $corpus"
    )
    [row] = engine.rows(sql, {"corpus": corpus})
    return dict(zip((*_MAY_BE_EMPTY, "deps", "text"), map(bool, row), strict=True))


def _describe_unpaired(result: Result, old: str, new: str) -> str:
    """How many sentences of two versions have no partner, for rows of all columns; empty where all have one."""
    row = next((row for row in result.rows() if row.get("column") == "sentence" and "only_old" in row), None)
    if row is None or not (row["only_old"] or row["only_new"]):
        return ""
    paired = row["same"] + row["changed"]
    unpaired = (
        {old: row["only_old"], new: row["only_new"]} if old != new else {"OLD": row["only_old"], "NEW": row["only_new"]}
    )
    parts = [f"{n:,} of {paired + n:,} sentences of {name}" for name, n in unpaired.items()]
    return f"Without a counterpart: {', '.join(parts)}."


def _find_warnings(engine: Engine, values: dict[str, object], result: Result) -> Iterator[Diagnostic]:
    """Warn of versions of which no or few sentences correspond, of pairs without a sent_id of both, and of words that
    mostly have no counterpart."""
    old, new = str(values["old_corpus"]), str(values["new_corpus"])
    by_id = values["match"] == "sent_id"
    pairs = _find_pairs(engine, values)
    ways, n = Counter(pairs["paired_by"].to_pylist()), pairs.num_rows
    sizes = dict(engine.rows(_SIZES, {"old": old, "new": new}))
    repeats = by_id and ways["sent_id"] < min(sizes.values()) and engine.rows(_REPEATED, {"old": old, "new": new})
    why = ", and sent_ids that are repeated pair none" if repeats else ""
    by_text = (f"make every sent_id unique, or {BY_TEXT}" if repeats else BY_TEXT) if by_id else _ONE_TREEBANK
    if not n:
        yield Diagnostic.warning(new, 0, f"no sentence corresponds to one of {old}{why}", by_text)
        return
    if n < MIN_PAIRED_SHARE * min(sizes.values()):
        shares = " and ".join(f"{size - n:,} of {size:,} of {name}" for name, size in sizes.items())
        yield Diagnostic.warning(new, 0, f"most sentences have no counterpart, {shares}{why}", by_text)
    elif by_id and ways["sent_id"] < n:
        counted = ", ".join(f"{ways[way]:,} by {meaning}" for way, meaning in _WAYS if ways[way])
        shared = "unique sent_id" if repeats else "sent_id"
        what = f"{n - ways['sent_id']:,} of {n:,} pairs of sentences do not share a {shared}: {counted}{why}"
        hint = by_text if repeats else "give corresponding sentences the same sent_id"
        yield Diagnostic.warning(new, 0, what, hint)
    units = [row for row in result.rows() if row.get("column") in ("sentence", "word") and "only_old" in row]
    unpaired_units = [row["column"] for row in units if row["only_old"] > row["same"] + row["changed"]]
    if ways["sent_id"] and unpaired_units == ["word"]:
        what = "most words have no counterpart: its sent_ids seem to be of other sentences"
        yield Diagnostic.warning(new, 0, what, BY_TEXT)


def _find_pairs(engine: Engine, values: Mapping[str, object]) -> pa.Table:
    """The rows of version_sentences, which the engine may hold."""
    query = catalog.query(SENTENCES)
    if SENTENCES not in engine.precomputed:
        return scores.run_query(engine, query, values)
    named = {name: values[name] for name in scores.corpora_named(query)}
    return engine.table(scores.precomputed_rows(SENTENCES), named)


_SIZES = "SELECT c.corpus, c.n_sentences FROM corpora AS c WHERE c.corpus IN ($old, $new)"
_REPEATED = """
SELECT s.sent_id
FROM sentences AS s
WHERE s.corpus IN ($old, $new) AND s.sent_id IS NOT NULL
GROUP BY s.corpus, s.sent_id
HAVING count(*) > 1
LIMIT 1
"""
_WAYS = (("sent_id", "sent_id"), ("text", "text"), ("order", "their place between other pairs"))
"""How sentences correspond, as version_sentences says it, and in warnings."""
