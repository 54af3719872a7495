"""A parser's scores across treebanks, beside what their languages are like: tables, correlations, pictures, a report.

Source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft).
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from treesql import correlation, reports
from treesql._version import __version__
from treesql.drawing import charts
from treesql.errors import FormatError, UsageError
from treesql.evaluation.pairs import find_pairs
from treesql.reports import Exhibit
from treesql.results.result import Result
from treesql.scoring import relation_tables, scores, statistics

FEWEST = correlation.FEWEST
ENTROPY_TITLE = "Averaged word dependency entropy"
AVERAGED = "averaged wde"
"""What the averaged entropies of the gold treebanks are called among the weights."""

CLASS_SCORES = ("content_precision", "content_recall", "function_precision", "function_recall")
SCORES = ("las", "uas", "wlas", *CLASS_SCORES)
CORRELATED = ("function_share", "content_share", "wlas", "las", *CLASS_SCORES)
"""The measures of table 3, in its order."""

VARIED = ("las", "wlas", "content_precision", "content_recall")
"""The measures of figure 5."""

_STATISTICS = ("relation_shares", "standardised_type_token", "averaged_word_entropy", "unclassified_relations")
_METRICS = ("attachment", "weighted_attachment", "relation_class_scores")
_MEASURES = pa.schema(
    {"treebank": pa.string(), "words": pa.int64()}
    | {name: pa.float64() for name in ("sttr", "function_share", "content_share", *SCORES)}
)
_FIGURE3 = pa.schema(
    {"class": pa.string(), "treebank": pa.string(), "sttr": pa.float64(), "share": pa.float64()}
    | {"n": pa.int64(), "r": pa.float64(), "r_squared": pa.float64()}
)


@dataclass(frozen=True)
class Task:
    """Where gold treebanks and outputs lie, and how they are measured.

    system: which of several outputs. classes, weights: files in place of the built-in classes and of the averaged word
    dependency entropies. warn: called with all that is worth a look.
    """

    gold: str
    systems: str
    system: str | None = None
    classes: str | None = None
    weights: str | None = None
    permissive: bool = False
    strict: bool = False
    warn: Callable[[FormatError], object] = lambda warning: None


@dataclass(frozen=True)
class Measured:
    """The measures per treebank with their signatures, the averaged entropies, what weighed, and the files read."""

    measures: Result
    entropies: Result
    weights: str
    files: tuple[tuple[str, str], ...]


def measure(task: Task) -> Measured:
    """The measures of every treebank that has an output, one row each.

    words, sttr and shares are those of the whole treebank, scores those of the file that was parsed. Raises UsageError
    (fewer than three treebanks among others), UnknownName, InvalidInput, Incomparable, QueryError.
    """
    pairs = find_pairs(task.gold, task.systems, task.system, task.warn)
    if len(pairs) < FEWEST:
        found = ", ".join(pair.treebank for pair in pairs) or "none"
        raise UsageError(f"a correlation across treebanks needs three of them with an output, here are: {found}")
    gold = {
        (pair, file): statistics.plan_treebank(str(file), f"{pair.treebank}/{file}", pair.treebank)
        for pair in pairs
        for file in pair.files
    }  # corpora of a treebank sort like its files, whose words the type/token ratio counts in this order
    reading = {"permissive": task.permissive, "strict": task.strict}
    with statistics.load_treebanks(list(gold.values()), _STATISTICS, warn=task.warn, **reading) as connection:
        _use_classes(connection, task)
        for remark in statistics.warnings_of_statistics(connection):
            task.warn(remark)
        rows = _properties(connection)
        entropies = statistics.statistic(connection, "averaged_word_entropy")
        weights = _use_weights(connection, task, entropies)
        for warning in statistics.find_unweighted(connection, weights):
            task.warn(warning)
        files = _files_of(connection)
    signatures: dict[str, str] = {}
    systems = {pair: statistics.plan_treebank(str(pair.system), f"{pair.treebank} system") for pair in pairs}
    wanted = [one for pair in pairs for one in (gold[pair, pair.scored], systems[pair])]
    warn = _warn_of({str(pair.system) for pair in pairs}, task)
    with statistics.load_treebanks(wanted, _METRICS, warn=warn, **reading) as connection:
        _use_classes(connection, task)
        _use_weights(connection, task, entropies)
        for pair in pairs:
            corpora = {"gold_corpus": gold[pair, pair.scored].corpus, "system_corpus": systems[pair].corpus}
            result = scores.score(connection, _METRICS, {**corpora, "weights": weights})
            rows[pair.treebank] |= {name: value for name, value in result.rows()[0].items() if name in SCORES}
            signatures |= {f"{pair.treebank}:{name}": text for name, text in result.signatures.items()}
        files |= _files_of(connection)
    for path in (task.classes, task.weights):
        if path:
            files[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    percent = frozenset({"function_share", "content_share", *SCORES})
    measures = Result(pa.Table.from_pylist(list(rows.values()), _MEASURES), signatures, percent)
    return Measured(measures, entropies, weights, tuple(sorted(files.items())))


def correlations(measured: Measured, warn: Callable[[FormatError], object] = lambda warning: None) -> Result:
    """Pearson correlations of the measures of table 3 across treebanks."""
    return correlation.pearson(measured.measures.arrow(), CORRELATED, source="measures", warn=warn)


def cumulative_variance(measures: Result, order: str | None = None) -> Result:
    """How the variance grows as treebanks are added, best first: `metric, k, treebank, score, variance`.

    variance: population variance over the k best. order: the score that ranks treebanks, each metric itself if None.
    """
    ranked = "\nUNION ALL\n".join(
        f"SELECT {at} AS at, '{name}' AS metric, m.treebank, m.{name} AS score, m.{order or name} AS rank FROM m"
        for at, name in enumerate(VARIED)
    )
    with duckdb.connect() as connection:
        connection.register("m", measures.arrow())
        table = connection.sql(
            f"""
            SELECT v.metric, row_number() OVER best AS k, v.treebank, v.score, var_pop(v.score) OVER best AS variance
            FROM ({ranked}) AS v
            WHERE v.score IS NOT NULL
            WINDOW best AS (PARTITION BY v.at ORDER BY v.rank DESC, v.treebank ROWS UNBOUNDED PRECEDING)
            ORDER BY v.at, k
            """
        ).to_arrow_table()
    return Result(table, percent=frozenset({"score"}))


def exhibits(
    measured: Measured, order: str | None = None, warn: Callable[[FormatError], object] = lambda warning: None
) -> list[Exhibit]:
    """The tables and figures of the experiment, each with its picture and a paragraph about it."""
    measures = measured.measures
    pairs = correlations(measured, warn)
    return [
        Exhibit(
            "table1", "Treebanks", "Words of every gold treebank, all its files together, punctuation included.",
            Result(measures.arrow().select(["treebank", "words"])),
        ),
        _figure2(measured),
        Exhibit(
            "measures", "Measures", _measures_text(measured.weights), measures,
        ),
        _table3(pairs),
        _figure3(measures),
        _figure4(measures),
        _figure5(measures, order),
    ]  # fmt: skip


def report(task: Task, folder: Path, order: str | None = None) -> Result:
    """The whole experiment, written to a folder; returns the measures. Raises as `measure`, and UsageError."""
    reports.require_free(folder)
    measured = measure(task)
    shown = exhibits(measured, order, task.warn)
    provenance = {
        "Signatures": list(measured.measures.signatures.values()),
        "Versions": [
            f"treesql {__version__}", f"duckdb {duckdb.__version__}", f"Python {platform.python_version()}"
        ],
        "Files (SHA-256)": [f"{digest}  {path}" for path, digest in measured.files],
    }  # fmt: skip
    n = len(measured.measures)
    parser = f"the parser {task.system}" if task.system else "a parser"
    summary = (
        f"How {parser} does on {n} treebanks, and how that goes together with what their languages are like. "
        f"Gold treebanks: {task.gold}; outputs: {task.systems}."
    )
    reports.write(folder, "Parsing across languages", shown, provenance, summary)
    return measured.measures


def _use_classes(connection: duckdb.DuckDBPyConnection, task: Task) -> None:
    if task.classes:
        relation_tables.install_classes(connection, task.classes)


def _use_weights(connection: duckdb.DuckDBPyConnection, task: Task, entropies: Result) -> str:
    """Put the weights in place: those given, or the averaged entropies; returns the name of the set."""
    if task.weights:
        return relation_tables.install_weights(
            connection, relation_tables.weights_name(task.weights), relation_tables.read_weights(task.weights)
        )
    return relation_tables.install_weights(
        connection, AVERAGED, [(row["relation"], row["wde"]) for row in entropies.rows()]
    )


def _files_of(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The files that were read, with their digests."""
    sql = "SELECT f.file.path, f.file.sha256 FROM (SELECT unnest(c.files) AS file FROM corpora AS c) AS f"
    return dict(connection.execute(sql).fetchall())


def _warn_of(paths: set[str], task: Task) -> Callable[[FormatError], object]:
    """A function that passes on warnings about these files alone."""
    return lambda warning: task.warn(warning) if warning.path in paths else None


def _properties(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, object]]:
    """Size, type/token ratio and shares of every treebank."""
    rows: dict[str, dict[str, object]] = {}
    for name in ("relation_shares", "standardised_type_token"):
        for row in statistics.statistic(connection, name).rows():
            rows.setdefault(row["treebank"], {}).update(row)
    return rows


def _measures_text(weights: str) -> str:
    averaged = weights == AVERAGED
    weighing = "the averaged entropy of its gold relation" if averaged else f"its gold relation's weight in {weights}"
    return (
        "Words, standardised type/token ratio (mean over chunks of 1000 words) and shares of function and content "
        "relations are those of the whole treebank; scores are those of the parsed file, universal relations compared, "
        f"punctuation scored. wlas weighs every word by {weighing}. Precision counts the words that the parser gives a "
        "relation of the class, recall those whose gold relation is in it; a word is right if head and relation are."
    )


def _figure2(measured: Measured) -> Exhibit:
    return Exhibit(
        "figure2", ENTROPY_TITLE,
        "The entropy of the forms that occur with a relation, divided by the logarithm of the number of the treebank's "
        "distinct forms, as the mean over treebanks, a treebank without the relation counting 0.5.",
        measured.entropies, entropy_chart(measured.entropies),
    )  # fmt: skip


def entropy_chart(entropies: Result) -> str:
    """The bar chart of figure 2, from the rows of averaged_word_entropy."""
    rows = [(row["relation"], row["wde"], row["class"]) for row in entropies.rows()]
    return charts.bars(rows, title=ENTROPY_TITLE, value="averaged WDE", groups=relation_tables.CLASSES)


def _table3(pairs: Result) -> Exhibit:
    title = "Correlations across treebanks"
    return Exhibit(
        "table3", title,
        "Pearson's r of every pair of measures over the treebanks that have both, with the two-sided p.",
        pairs, correlation.heat_map(pairs),
    )  # fmt: skip


def _figure3(measures: Result) -> Exhibit:
    title = "Type/token ratio and shares of relations"
    rows = []
    for kind in ("content", "function"):
        share = f"{kind}_share"
        [pair] = correlation.pearson(measures.arrow(), ["sttr", share]).rows()
        square = None if pair["r"] is None else pair["r"] ** 2
        rows += [
            {"class": kind, "treebank": row["treebank"], "sttr": row["sttr"], "share": row[share]}
            | {"n": pair["n"], "r": pair["r"], "r_squared": square}
            for row in measures.rows()
        ]
    points: dict[str, list[tuple[float, float, str]]] = {}
    for row in rows:
        told = "" if row["r"] is None else f" (r = {row['r']:.2f}, r² = {row['r_squared']:.2f})"
        own = points.setdefault(f"{row['class']} relations{told}", [])
        if row["sttr"] is not None:
            own.append((row["sttr"], row["share"], row["treebank"]))
    return Exhibit(
        "figure3", title,
        "The share of content and of function relations among a treebank's words against its standardised type/token "
        "ratio, with Pearson's r and its square, the share of variance explained; a treebank of fewer than 1000 words "
        "has no such ratio.",
        Result(pa.Table.from_pylist(rows, _FIGURE3), percent=frozenset({"share"})),
        charts.scatter(points, title=title, x="standardised type/token ratio", y="share of words"),
    )  # fmt: skip


def _figure4(measures: Result) -> Exhibit:
    title = "LAS, content precision and content recall"
    shown = ("las", "content_precision", "content_recall")
    table = measures.arrow().select(["treebank", *shown]).sort_by([("las", "descending"), ("treebank", "ascending")])
    result = Result(table, percent=frozenset(shown))
    groups = {
        name: [(float(at), row[name]) for at, row in enumerate(result.rows()) if row[name] is not None]
        for name in shown
    }
    names = [row["treebank"] for row in result.rows()]
    return Exhibit(
        "figure4", title,
        "Every treebank's labelled attachment score beside the precision and recall of content relations, best first.",
        result, charts.lines(groups, title=title, x="", y="score", names=names),
    )  # fmt: skip


def _figure5(measures: Result, order: str | None) -> Exhibit:
    title = "Cumulative variance, best treebanks first"
    result = cumulative_variance(measures, order)
    groups: dict[str, list[tuple[float, float]]] = {}
    for row in result.rows():
        groups.setdefault(row["metric"], []).append((row["k"], row["variance"]))
    by = f"in the order of {order}" if order else "each metric in its own order"
    return Exhibit(
        "figure5", title,
        f"The population variance of a score over the k best treebanks, {by}; scores are shares from 0 to 1.",
        result, charts.lines(groups, title=title, x="number of treebanks", y="variance"),
    )  # fmt: skip
