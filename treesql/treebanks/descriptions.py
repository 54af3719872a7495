"""Treebanks described by numbers: sizes, shares of relations, shapes of trees, and word dependency entropy."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa

from treesql import catalog, readers
from treesql.catalog import Query, queries
from treesql.catalog.query_list import FOLDERS_OF_STATS, NAMES_IN_QUERIES
from treesql.drawing import charts, terminal
from treesql.engines import Engine
from treesql.errors import StatementError, UnknownName, UsageError, issue, not_applicable
from treesql.evaluation.hooks.dependency import find_unclassified_relations, find_warnings
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.scoring.relation_tables import CLASSES
from treesql.scoring.scores import find_mismatch, kinds_read, run_query, run_statistic
from treesql.scoring.sorting import column_to_sort_by, keys_of, sort_rows
from treesql.scoring.treebank_inputs import as_list, open_treebanks, path_text, selected
from treesql.storage import corpus_plans
from treesql.storage.corpus_plans import File
from treesql.treebanks.accepted_checks import ALL_CHECKS, check_files, leave_out_accepted, write_accepted

ENTROPY_TITLE = "Averaged word dependency entropy"

STATISTICS, PROFILE, LATTICES = "treebank_statistics", "relation_profile", "lattice_statistics"
_FORMS = "treebank_forms"
LENGTHS, FRAMES = "dependency_lengths", "dependency_frames"
"""The statistic with intervals, and the one whose words and relations are chosen."""

RATIO_ENDS, COVERAGE = ("ratio_low", "ratio_high"), ("covered_types", "covered_type_share")
"""Columns beside those of statistics: the ends of the intervals of a ratio, and what a vocabulary covers."""

GROUP_OF_ARCS = ("treebank", "relation", "n_words")
"""Its columns of groups, but for single sentences."""

_ENTROPIES = ("averaged_word_entropy", "word_entropy", "unclassified_relations")


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Entropies(Result):
    """Word dependency entropies. averaged: a row per relation, over all treebanks."""

    averaged: Result = field(default_factory=lambda: Result(pa.table({})))

    def svg(self) -> str:
        """The averages as a bar chart."""
        return entropy_chart(self.averaged)

    def with_bars(self) -> Result:
        """The averages with a column `bar` of characters, which distinguish the classes."""
        return terminal.with_bars(self.averaged, "wde", "class", CLASSES)

    def coloured_bars(self) -> str:
        """The averages as text for a terminal, with bars in a colour per class."""
        return terminal.with_coloured_bars(self.averaged, "wde", "class", CLASSES)


class TableParameters(TypedDict, total=False):
    """Parameters of the tables of `stats`; each says which it has, and what they are."""

    forms: str | None
    tagset: str | None
    surroundings: str | None
    word_tags: str | None
    lemma: str | None
    frame_relations: str | None
    order: bool
    case: bool
    by: str | None
    punctuation: str | None


@convert_errors
def stats(
    *treebanks: File,
    relations: bool = False,
    table: str | None = None,
    vocabulary: File | None = None,
    sort: str | None = None,
    limit: int | None = None,
    corpus: str | Sequence[str] | None = None,
    each: str | None = None,
    classes: str | Path | None = None,
    permissive: bool = False,
    strict: bool = False,
    accepted: str | Path | None = None,
    accept: str | Path | None = None,
    max_sentence: int | str | None = None,
    **parameters: Unpack[TableParameters],
) -> Result:
    """Return sizes, type/token ratio, shares of function and content relations and shapes of trees, by treebank.

    treebanks: files, or in their place bytes, open files or lists of sentences; folders whose files are one treebank;
    or one database. relations: whether to return a row per treebank and relation instead. table: another statistic to
    return instead: a check of consistency such as variation_tags, consistency_checks for the number of cases of each,
    all_checks for the rows of all, without those of the file `accepted`, and written to the file `accept`;
    of dependency trees dependency_lengths (with 95% intervals of its ratio, by the bootstrap over sentences),
    dependency_frames, tree_shapes; of constituency trees grammar_rules, subcategorisation_frames, label_gaps; of both
    gap_degrees. parameters: of this table (`treesql.queries(table)[0].parameters`). vocabulary: a treebank, text
    or database; covered_types and covered_type_share are of the types that it has, too. sort: a column of the output,
    keys ascending, numbers descending, `-COLUMN` the other way round; limit: maximum number of rows after that. corpus:
    names or patterns of those to describe, else all. each: `file` or `folder`, to make every file or folder a treebank,
    named as `treesql.load` names corpora. classes: CSV with `relation,class`. permissive, strict, max_sentence: as for
    `treesql.load`. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, DatabaseError.
    """
    description = _Description.of(relations, table, classes, sort, limit, vocabulary, accepted, accept, **parameters)
    queries_read = (description.query, "unclassified_relations", LATTICES, _FORMS)
    with readers.max_sentence(max_sentence), open_treebanks(
        corpus_plans.as_paths(treebanks, "treebank"), queries_read, warn=issue,
        classes_file=path_text(classes), corpora=as_list(corpus), each=each,
        permissive=permissive, strict=strict,
    ) as engine:  # fmt: skip
        return _describe(engine, description)


def stats_of(
    engine: Engine,
    relations: bool = False,
    corpus: str | Sequence[str] | None = None,
    classes: str | Path | None = None,
    *,
    table: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    vocabulary: File | None = None,
    accepted: str | Path | None = None,
    accept: str | Path | None = None,
    **parameters: Unpack[TableParameters],
) -> Result:
    """Return what `stats` returns of the corpora of an open database."""
    description = _Description.of(relations, table, classes, sort, limit, vocabulary, accepted, accept, **parameters)
    with selected(engine, as_list(corpus), classes):
        return _describe(engine, description)


@convert_errors
def wde(
    *treebanks: File,
    forms: str = "form",
    vocabulary: str = "treebank",
    absent: str = "half",
    long: bool = False,
    corpus: str | Sequence[str] | None = None,
    each: str | None = None,
    classes: str | Path | None = None,
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> Entropies:
    """Return word dependency entropies: how evenly the words of a relation are distributed over forms.

    A row per relation, averaged over treebanks. forms: what is counted, `form`, `lower` or `lemma`. vocabulary:
    normalise by the number of distinct forms of the `treebank`, or of the `relation`. absent: value of a treebank
    without the relation, `half` for 0.5 or `skip` for none. long: whether to return a row per treebank and relation.
    Other parameters as for `stats`. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput,
    DatabaseError.
    """
    _check_absent(absent, long)
    paths = corpus_plans.as_paths(treebanks, "treebank")
    with readers.max_sentence(max_sentence), open_treebanks(
        paths, _ENTROPIES, warn=issue,
        classes_file=path_text(classes), corpora=as_list(corpus), each=each,
        permissive=permissive, strict=strict,
    ) as engine:  # fmt: skip
        return _entropies(engine, forms, vocabulary, absent, long, ", ".join(paths))


def wde_of(
    engine: Engine,
    forms: str = "form",
    vocabulary: str = "treebank",
    absent: str = "half",
    long: bool = False,
    corpus: str | Sequence[str] | None = None,
    classes: str | Path | None = None,
) -> Entropies:
    """Return what `wde` returns of the corpora of an open database."""
    _check_absent(absent, long)
    with selected(engine, as_list(corpus), classes):
        return _entropies(engine, forms, vocabulary, absent, long, "the database")


def entropy_chart(averaged: Result) -> str:
    """The averages as a bar chart, from the rows of averaged_word_entropy."""
    rows = [(row["relation"], row["wde"], row["class"]) for row in averaged.rows()]
    return charts.bars(rows, title=ENTROPY_TITLE, value="averaged WDE", groups=CLASSES)


@dataclass(frozen=True)
class _Description:
    """A statistic that describes treebanks, and values of its parameters.

    accepted, accept: files with findings to leave out, and for those that are shown.
    """

    query: str
    values: Mapping[str, str]
    sort: str | None
    limit: int | None
    vocabulary: pa.Array | None = None
    accepted: str | Path | None = None
    accept: str | Path | None = None

    @classmethod
    def of(
        cls, relations: bool, table: str | None, classes: str | Path | None, sort: str | None, limit: int | None,
        vocabulary: File | None, accepted: str | Path | None = None, accept: str | Path | None = None,
        **parameters: Unpack[TableParameters],
    ) -> _Description:  # fmt: skip
        """The statistic of a request. Raises UnknownName, UsageError."""
        for key in parameters.keys() - TableParameters.__annotations__.keys():
            raise UnknownName(
                "parameter", key, inspect.signature(stats).parameters.keys() | TableParameters.__annotations__
            )
        statistic_names = [
            query.name for folder in FOLDERS_OF_STATS for query in queries.in_folder(folder, "statistic")
        ]
        if table is not None and table not in statistic_names:
            raise UnknownName("table", table, statistic_names)
        if table is not None and (relations or classes):
            raise UsageError("--table has its own rows; --relations and --classes are for sizes and shares")
        name = table or (PROFILE if relations else STATISTICS)
        values = {
            NAMES_IN_QUERIES.get(key, key): "yes" if value is True else str(value)
            for key, value in parameters.items()
            if value is not None and value is not False
        }
        declared = {parameter.name for parameter in catalog.query(name).parameters}
        if unused := [f"--{key}" for key in parameters if NAMES_IN_QUERIES.get(key, key) in values.keys() - declared]:
            raise not_applicable(unused, name)
        for parameter in catalog.query(name).parameters:
            value = values.get(parameter.name)
            renamed = parameter.name in NAMES_IN_QUERIES.values()
            if renamed and parameter.choices and value is not None and value not in parameter.choices:
                known = ", ".join(parameter.choices)
                written = next(
                    (key for key, name in NAMES_IN_QUERIES.items() if name == parameter.name), parameter.name
                )
                raise UsageError(f"--{written} of --table {name} is one of {known}, not {value}")
        if limit is not None and limit < 0:
            raise UsageError("the limit is a number of rows, at least 0")
        if vocabulary is not None and name != STATISTICS:
            raise not_applicable(["--vocabulary"], name)
        files = {"--accepted": accepted, "--accept": accept}
        if name != ALL_CHECKS and (given := [option for option, path in files.items() if path is not None]):
            raise not_applicable(given, name)
        check_files(accepted, accept)
        _check_sort(sort, name)
        read = None if vocabulary is None else _vocabulary(vocabulary)
        return cls(name, values, sort, limit, read, accepted, accept)


def _check_sort(sort: str | None, name: str) -> None:
    """Raise UnknownName for a column that no table of a statistic can have."""
    columns = [column.name for column in catalog.query(name).columns]
    if name == STATISTICS:
        columns += [*COVERAGE, *(column.name for column in catalog.query(LATTICES).columns)]
    columns += RATIO_ENDS if name == LENGTHS else []
    columns += ["language"] if "treebank" in columns else []
    if sort is not None and column_to_sort_by(sort) not in columns:
        raise UnknownName("column to sort by", column_to_sort_by(sort), columns)


def _describe(engine: Engine, description: _Description) -> Result:
    """The rows of a statistic. Raises UsageError where the data is of a kind that it is not about."""
    name, kinds = description.query, {kind for (kind,) in engine.rows("SELECT c.kind FROM corpora AS c")}
    if name == STATISTICS and kinds == {"lattice"}:
        name = LATTICES
    if name == FRAMES:
        _check_frames(engine, description.values)
    result = run_statistic(engine, name, description.values)
    if name == LENGTHS:
        result = _with_intervals(engine, result, description.values)
    mismatch = None if len(result) else find_mismatch(engine, catalog.query(name), description.values)
    if mismatch:
        raise UsageError(f"{mismatch}; {_what_applies(kinds)}")
    if name in (STATISTICS, PROFILE):
        for warning in find_warnings(engine):
            issue(warning)
    if description.vocabulary is not None:
        if name == LATTICES:
            raise not_applicable(["--vocabulary"], "lattices")
        result = _with_coverage(engine, result, description.vocabulary)
    query = catalog.query(name)
    shown = _with_keys(result, query, description.values.get("grouped_by"))
    if description.accepted is not None:
        shown = leave_out_accepted(shown, description.accepted)
    shown = replace(shown, _table=sort_rows(shown.arrow(), description.sort, keys_of(query), description.limit))
    if description.accept is not None:
        write_accepted(shown, description.accept)
    return shown


def _check_frames(engine: Engine, values: Mapping[str, str]) -> None:
    """Warn of relations of frames that no word has. Raises UsageError for tags that no word has, UnknownName for a
    lemma that no word with them has."""
    defaults = {parameter.name: parameter.default for parameter in catalog.query(FRAMES).parameters}
    tags, relations = (values.get(name, str(defaults[name])) for name in ("word_tags", "frame_relations"))
    sql = "SELECT count(*) FROM words AS w WHERE w.head IS NOT NULL"
    tagged = "w.head IS NOT NULL AND regexp_matches(coalesce(w.upos, w.xpos), $tags)"
    try:
        rows = engine.rows(f"SELECT DISTINCT w.lemma FROM words AS w WHERE {tagged}", {"tags": tags})
    except StatementError as error:
        why = error.message.split(": ", 1)[-1].splitlines()[0]
        raise UsageError(f"--word-tags {tags}: the regular expression cannot be used: {why}") from None
    if not rows and engine.rows(sql) != [(0,)]:
        raise UsageError(f"--word-tags {tags}: no word has a part of speech with a match; name others, such as ^V")
    lemma = values.get("of_lemma")
    if lemma and (lemma,) not in rows:
        raise UnknownName(f"lemma of words tagged {tags}", lemma, (name for (name,) in rows if name))
    if relations in ("core", "all"):
        return
    found = {relation for (relation,) in engine.rows("SELECT DISTINCT w.udeprel FROM words AS w")}
    if lacking := [name for name in relations.replace(" ", "").split(",") if name not in found]:
        named = ", ".join(lacking)
        issue(f"--frame-relations: no word has the relation {named}; name universal ones, without subtypes")


def _with_keys(result: Result, query: Query, by: str | None) -> Result:
    """The rows of a statistic without the columns of groups that its parameter does not ask for."""
    choices = next((parameter.choices for parameter in query.parameters if parameter.name == "grouped_by"), ())
    keys = {choice: "sent_id" if choice == "sentence" else choice for choice in choices}
    unused = [column for choice, column in keys.items() if choice != by and column in result.columns[1:]]
    rows = result.arrow().drop_columns(unused)
    if by == "language":
        rows = rows.rename_columns({"treebank": "language"})
    return Result(rows, result.signatures, result.percent)


def _with_intervals(engine: Engine, result: Result, values: Mapping[str, str]) -> Result:
    """Lengths of dependencies with the 95% intervals of their ratio, by the bootstrap over the sentences of a row."""
    from treesql.significance.intervals import percentile_interval, resample_together  # which other statistics spare
    from treesql.significance.methods import RUNS, SEED

    rows = result.arrow()
    low: list[float | None] = [None] * len(rows)
    high = list(low)
    if values.get("grouped_by") != "sentence":
        sums = run_query(engine, catalog.query("arc_length_sums"), values)
        groups = pc.index_in(_keys_of_arcs(sums), value_set=_keys_of_arcs(rows)).to_numpy()
        counts = np.stack([sums[name].to_numpy() for name in ("length", "projective_sixths")], axis=1).astype(float)
        for group in range(len(rows)):
            [resampled] = resample_together([counts[groups == group]], RUNS, SEED)
            with np.errstate(divide="ignore", invalid="ignore"):
                low[group], high[group] = percentile_interval(6 * resampled[:, 0] / resampled[:, 1])
    for name, ends in zip(RATIO_ENDS, (low, high), strict=True):
        rows = rows.append_column(name, pa.array(ends, pa.float64()))
    return Result(rows, result.signatures, result.percent)


def _keys_of_arcs(table: pa.Table) -> pa.ChunkedArray:
    """The groups of rows about arcs, each as a text."""
    columns = [table[name].cast(pa.string()) for name in GROUP_OF_ARCS]
    return pc.binary_join_element_wise(*columns, "\n", null_handling="replace")


def _vocabulary(vocabulary: File) -> pa.Array:
    """The distinct forms of a treebank, a text or all corpora of a database. Raises what `stats` raises."""
    paths = corpus_plans.as_paths([vocabulary], "vocabulary")
    with open_treebanks(paths, (_FORMS,), warn=issue) as engine:
        forms = run_query(engine, catalog.query(_FORMS), {})["form"].unique()
    if not len(forms):
        raise UsageError(f"{paths[0]} has no words; name a treebank or a text as the vocabulary")
    return forms


def _with_coverage(engine: Engine, result: Result, vocabulary: pa.Array) -> Result:
    """The statistics with the number and share of the types that a vocabulary has, behind those of all types."""
    forms = run_query(engine, catalog.query(_FORMS), {}).select(["treebank", "form"])
    types = forms.group_by(["treebank", "form"]).aggregate([])
    covered = types.append_column("covered", pc.is_in(types["form"], value_set=vocabulary).cast(pa.int64()))
    sums = covered.group_by("treebank").aggregate([("covered", "sum")])
    by_treebank = dict(zip(sums["treebank"].to_pylist(), sums["covered_sum"].to_pylist(), strict=True))
    table = result.arrow()
    counts = pa.array([by_treebank[name] for name in table["treebank"].to_pylist()], pa.int64())
    shares = pc.divide(counts.cast(pa.float64()), table["types"].cast(pa.float64()))
    at = table.schema.get_field_index("singletons") + 1
    for name, column in zip(COVERAGE, (counts, shares), strict=True):
        table = table.add_column(at, name, column)
        at += 1
    return replace(result, _table=table, percent=result.percent | {COVERAGE[1]})


def _what_applies(kinds: Set[str]) -> str:
    """What describes data of these kinds instead."""
    statistics = [query for folder in FOLDERS_OF_STATS for query in queries.in_folder(folder, "statistic")]
    fitting = [f"--table {query.name}" for query in statistics if not kinds_read(query).isdisjoint(kinds)]
    plain = not kinds.isdisjoint({"dependency", "constituency", "text", "lattice"})
    listed = [*(["the default table"] * plain), *fitting]
    return (
        f"what applies: {', '.join(listed)}"
        if listed
        else "name treebanks; `treesql score` and `treesql info` take this"
    )


def _check_absent(absent: str, long: bool) -> None:
    if long and absent != "half":
        raise UsageError("--absent is for the average, which --long does not print")


def _entropies(engine: Engine, forms: str, vocabulary: str, absent: str, long: bool, source: str) -> Entropies:
    """source: the treebanks in errors."""
    for warning in find_unclassified_relations(engine):
        issue(warning)
    parameters = {"forms": forms, "vocabulary": vocabulary}
    averaged = run_statistic(engine, "averaged_word_entropy", {"absent": absent, **parameters})
    shown = run_statistic(engine, "word_entropy", parameters) if long else averaged
    if not len(shown):
        raise UsageError(f"{source}: no word has a relation; these entropies are of dependency trees")
    return Entropies(shown.arrow(), shown.signatures, shown.percent, averaged=averaged)
