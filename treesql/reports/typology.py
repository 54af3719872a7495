"""The report of a typology study: tables, pictures and one page."""

from __future__ import annotations

import platform
from pathlib import Path

import pyarrow as pa

from treesql._version import __version__
from treesql.drawing import charts
from treesql.engines.duckdb import DuckDB
from treesql.errors import Warn, issue
from treesql.readers import sentence_limits
from treesql.reports import html
from treesql.reports.html import Exhibit
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.scoring.treebank_inputs import path_text
from treesql.treebanks import correlation
from treesql.treebanks.descriptions import ENTROPY_TITLE, entropy_chart
from treesql.treebanks.typology import (
    AVERAGED,
    TypologyMeasures,
    TypologyTask,
    correlations,
    cumulative_variance,
    measure,
)

_FIGURE3 = pa.schema(
    {"class": pa.string(), "treebank": pa.string(), "sttr": pa.float64(), "share": pa.float64()}
    | {"n": pa.int64(), "r": pa.float64(), "r_squared": pa.float64()}
)


def make_exhibits(
    measured: TypologyMeasures, order: str | None = None, warn: Warn = lambda warning: None
) -> list[Exhibit]:
    """The tables and figures of the experiment, each with its picture and a paragraph of explanation."""
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


@convert_errors
def typology(
    gold_dir: str | Path,
    system_dir: str | Path,
    out: str | Path = "typology",
    *,
    order: str | None = None,
    system: str | None = None,
    classes: str | Path | None = None,
    weights: str | Path | None = None,
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> Result:
    """Correlate a parser's scores across treebanks with properties of the treebanks; return the measures.

    gold_dir: gold treebanks, folders or files named after treebanks. system_dir: outputs, `NAME.conllu`,
    `NAME.SYSTEM.conllu` (or .gz), or folders with one file. out: the folder to write tables, figures and report.html
    to. order: the score that ranks treebanks in the figure of cumulative variance, else each metric itself. system:
    which outputs, if there are several. classes: CSV with `relation,class`. weights: file with weights of relations in
    wlas, else averaged word dependency entropies. permissive, strict, max_sentence: as for `treesql.load`. Warns with
    TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError.
    """
    with sentence_limits.max_sentence(max_sentence):
        task = TypologyTask(
            str(gold_dir), str(system_dir), system, path_text(classes), path_text(weights), permissive, strict, issue
        )
        return write_report(task, Path(out), order)


def write_report(task: TypologyTask, folder: Path, order: str | None = None) -> Result:
    """Run the experiment, write it to a folder, return the measures. Raises UsageError, and what `measure` raises."""
    html.check_free(folder)
    measured = measure(task)
    shown = make_exhibits(measured, order, task.warn)
    provenance = {
        "Signatures": list(measured.measures.signatures.values()),
        "Versions": [
            f"treesql {__version__}", f"{DuckDB.name} {DuckDB.version}", f"Python {platform.python_version()}"
        ],
        "Files (SHA-256)": [f"{digest}  {path}" for path, digest in measured.files],
    }  # fmt: skip
    n = len(measured.measures)
    parser = f"the parser {task.system}" if task.system else "a parser"
    summary = (
        f"Scores of {parser} on {n} treebanks, and their correlation with properties of the languages. "
        f"Gold treebanks: {task.gold}; outputs: {task.systems}."
    )
    html.write_report(folder, "Parsing across languages", shown, provenance, summary)
    return measured.measures


def _measures_text(weights: str) -> str:
    averaged = weights == AVERAGED
    weighing = "the averaged entropy of its gold relation" if averaged else f"its gold relation's weight in {weights}"
    return (
        "Words, standardised type/token ratio (mean over chunks of 1000 words) and shares of function and content "
        "relations are those of the whole treebank; scores are those of the parsed file, universal relations compared, "
        f"punctuation scored. wlas weights words by {weighing}. Precision counts the words that the parser gives a "
        "relation of the class, recall those whose gold relation is in it; a word is right if head and relation are."
    )


def _figure2(measured: TypologyMeasures) -> Exhibit:
    return Exhibit(
        "figure2", ENTROPY_TITLE,
        "The entropy of the forms that occur with a relation, divided by the logarithm of the number of the treebank's "
        "distinct forms, as the mean over treebanks, a treebank without the relation counting 0.5.",
        measured.entropies, entropy_chart(measured.entropies),
    )  # fmt: skip


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
        fit = "" if row["r"] is None else f" (r = {row['r']:.2f}, r² = {row['r_squared']:.2f})"
        group = points.setdefault(f"{row['class']} relations{fit}", [])
        if row["sttr"] is not None:
            group.append((row["sttr"], row["share"], row["treebank"]))
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
        "Every treebank's labelled attachment score with the precision and recall of content relations, best first.",
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
