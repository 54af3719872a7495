"""The report of a typology study: tables, pictures and one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from treesql import readers
from treesql.drawing import charts
from treesql.drawing.whiskers import Interval
from treesql.engines.duckdb import DuckDB
from treesql.errors import Warn, issue
from treesql.reports import html
from treesql.reports.html import ANSWER, DIFFERENCES, SCORES, Exhibit, Lanes, StudyAnswer
from treesql.reports.score_charts import Panel, value_lanes
from treesql.results.pages import counted
from treesql.results.result import Result
from treesql.results.tables import number_text
from treesql.runtime.failures import convert_errors
from treesql.scoring.treebank_inputs import path_text
from treesql.treebanks import correlation
from treesql.treebanks.descriptions import ENTROPY_TITLE, entropy_chart
from treesql.treebanks.typology import (
    AVERAGED,
    OWN,
    PROPERTIES,
    TypologyMeasures,
    TypologyTask,
    correlations,
    cumulative_variance,
    measure,
)

_SCORED_WORDS = {
    "all": "punctuation scored", "form": "words of punctuation characters alone not scored",
    "relation": "words with deprel punct or upos PUNCT not scored",
}  # fmt: skip
"""By the values of the parameter punctuation, what is said of scores."""

_FIGURE3 = pa.schema(
    {"class": pa.string(), "treebank": pa.string(), "sttr": pa.float64(), "share": pa.float64()}
    | {"n": pa.int64(), "r": pa.float64(), "r_low": pa.float64(), "r_high": pa.float64(), "r_squared": pa.float64()}
)

_SHARES_AND_SCORES = pa.schema(
    {"metric": pa.string(), "treebank": pa.string(), "share": pa.float64(), "score": pa.float64()}
    | {"n": pa.int64(), "r": pa.float64(), "r_low": pa.float64(), "r_high": pa.float64(), "p": pa.float64()}
)


def make_exhibits(
    measured: TypologyMeasures, order: str | None = None, warn: Warn = lambda warning: None
) -> list[Exhibit]:
    """The tables and figures of the experiment, each with its picture and a paragraph of explanation.

    Of several systems, each has tables and figures of its own, with its name behind theirs; the page folds those of all
    but the first.
    """
    treebanks = measured.treebanks
    several = len(measured.systems) > 1
    exhibits = [
        _systems(measured) if several else _figure4(measured.of_system(measured.systems[0]), part=ANSWER),
        Exhibit(
            "table1", "Treebanks", "Words of every gold treebank, all its files together, punctuation included.",
            Result(treebanks.arrow().select(["treebank", "words"])),
        ),
        _figure2(measured),
        Exhibit("measures", "Measures", _measures_text(measured.task), measured.measures),
        _figure3(treebanks),
    ]  # fmt: skip
    if not several:
        return [*exhibits, *_of_system(measured, measured.systems[0], order, warn)]
    for system in measured.systems:
        group = "" if system == measured.systems[0] else f"The same for {system}"
        exhibits += [
            replace(exhibit, name=f"{exhibit.name}-{system}", title=f"{exhibit.title}: {system}", group=group)
            for exhibit in (_figure4(measured.of_system(system)), *_of_system(measured, system, order, warn))
        ]
    return exhibits


def make_answer(measured: TypologyMeasures) -> StudyAnswer:
    """Which system is best on how many treebanks; of one system, where it is best and worst, and whether a property of
    the treebanks correlates with its scores."""
    las = _las(measured)
    averages = {row["system"]: f"{number_text(row['las'], True)}%" for row in measured.averages.rows()}
    names = _best_first(las)
    if len(las) > 1:
        wins = {
            system: sum(scores.get(name) == max(of.get(name, 0.0) for of in las.values()) for name in names)
            for system, scores in las.items()
        }
        most = max(wins.values())
        first = [system for system, n in wins.items() if n == most]
        has = "has" if len(first) == 1 else "each have"
        others = sorted(wins.keys() - first, key=lambda system: (-wins[system], system))
        also = "".join(f", {system} on {wins[system]}" for system in others)
        return StudyAnswer(
            f"{' and '.join(first)} {has} the best las on {most} of {len(names)} treebanks{also}",
            [
                f"Means over treebanks: {', '.join(f'{system} {text}' for system, text in averages.items())}.",
                "Whether a difference is more than chance explains, treesql compare dependency tests.",
            ],
        )
    [(system, scores)] = las.items()
    if not names:
        return StudyAnswer(f"{system}: no treebank has a score")
    ends = (f"{number_text(scores[name], True)}% on {name}" for name in (names[-1], names[0]))
    heading = f"{system}: las {averages[system]} on average, from {' to '.join(ends)}"
    return StudyAnswer(heading, _about_properties(measured.of_system(system)))


def _about_properties(measures: Result) -> list[str]:
    """The property of the treebanks that correlates most with labelled attachment, in a sentence; none without any."""
    pairs = {name: _correlate(measures, name, "las")[0] for name in PROPERTIES}
    pairs = {name: pair for name, pair in pairs.items() if pair["r"] is not None}
    if not pairs:
        return []
    name = max(pairs, key=lambda name: abs(pairs[name]["r"]))
    pair = pairs[name]
    if pair["r_low"] is None:
        verdict = "three treebanks are too few for an interval"
    elif pair["r_low"] > 0 or pair["r_high"] < 0:
        verdict = "its interval excludes 0"
    else:
        verdict = "its interval includes 0, so that no correlation is shown"
    return [
        f"Of {len(pairs)} properties of the treebanks, {name} correlates most with las: {correlation.fit_text(pair)}; "
        f"{verdict}."
    ]


def _of_system(measured: TypologyMeasures, system: str, order: str | None, warn: Warn) -> list[Exhibit]:
    """The tables and figures of one system."""
    measures = measured.of_system(system)
    return [
        _table3(correlations(measured, system, warn)),
        _figure5(measures, order),
        _shares_and_scores("figure6", "function", measures),
        _shares_and_scores("figure7", "content", measures),
    ]


@convert_errors
def typology(
    gold_dir: str | Path,
    system_dir: str | Path,
    out: str | Path = "typology",
    *,
    data: str | Path | None = None,
    order: str | None = None,
    system: str | Sequence[str] | None = None,
    classes: str | Path | None = None,
    weights: str | Path | None = None,
    punctuation: str = "all",
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> Result:
    """Correlate parsers' scores across treebanks with properties of the treebanks; return the measures.

    A row per system and treebank, and below them the macro-average of every system.

    gold_dir: gold treebanks, folders or files named after treebanks. system_dir: outputs, `NAME.conllu`,
    `NAME.SYSTEM.conllu` (or .gz), or folders of files named after systems. out: the page to write, FILE.html, with
    `data` as the new folder of tables and figures; or a new folder for all of them and report.html. order: the score
    that ranks treebanks in the figure of cumulative variance, else each metric itself. system: which systems, else all.
    classes: CSV with `relation,class`. weights: of relations in wlas, `averaged` (the default) for word dependency
    entropies averaged over the gold treebanks, `own` for those of each treebank, or a file; further columns, wlas_own
    or wlas_averaged, have those that were not chosen. punctuation: which words are scored, as in `attachment`; shares
    of relations count all. permissive, strict, max_sentence: as for `treesql.load`.
    Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError.
    """
    with readers.max_sentence(max_sentence):
        task = TypologyTask(
            str(gold_dir), str(system_dir), system, path_text(classes), path_text(weights), permissive, strict, issue,
            punctuation, max_sentence,
        )  # fmt: skip
        return write_report(task, Path(out), order, None if data is None else Path(data))


def write_report(task: TypologyTask, out: Path, order: str | None = None, data: Path | None = None) -> Result:
    """Run the experiment, write its page, return the measures. out, data: as `typology` has them.

    Raises UsageError, and what `measure` raises.
    """
    html.check_place(out, data)
    measured = measure(task)
    shown = make_exhibits(measured, order, task.warn)
    provenance = {
        "Command": [_command(task, order)],
        "Signatures": list(measured.measures.signatures.values()),
        "Versions": html.versions(f"{DuckDB.name} {DuckDB.version}"),
        "Files (SHA-256)": [f"{digest}  {path}" for path, digest in measured.files],
    }
    systems, n = measured.systems, len(measured.treebanks)
    summary = f"Typology · {', '.join(systems)} · {counted(n, 'treebank')}"
    html.write_report(out, "Parsing across languages", shown, provenance, summary, data, make_answer(measured))
    return measured.measures


def _command(task: TypologyTask, order: str | None) -> str:
    """The command line of a study."""
    systems = [task.system] if isinstance(task.system, str) else list(task.system or ())
    options: dict[str, object] = {
        "order": order, "system": systems, "classes": task.classes, "weights": task.weights,
        "punctuation": task.punctuation, "permissive": task.permissive, "strict": task.strict,
        "max-sentence": task.max_sentence,
    }  # fmt: skip
    return html.command_line(["treesql", "typology", task.gold, task.systems], options)


def _measures_text(task: TypologyTask) -> str:
    weighing = {
        AVERAGED: "the entropy of its gold relation averaged over these treebanks",
        OWN: "the entropy of its gold relation in its own treebank",
    }
    columns = [
        f"{column} weights a word by {weighing.get(weights, f'the weight of its gold relation in {weights}')}"
        for column, weights in task.weights_of.items()
    ]
    return (
        "Words, standardised type/token ratio (mean over chunks of 1000 words) and shares of function and content "
        "relations are those of the whole treebank; scores are those of the parsed file, universal relations compared, "
        f"{_SCORED_WORDS[task.punctuation]}. {'; '.join(columns)}. Precision counts the words to which the parser "
        "gives a relation of the class, recall those whose gold relation is in it; a word is right if head and "
        "relation are. macro is the mean over a parser's treebanks."
    )


def _las(measured: TypologyMeasures) -> dict[str, dict[str, float]]:
    """Labelled attachment by system and treebank."""
    return {
        system: {row["treebank"]: row["las"] for row in measured.of_system(system).rows() if row["las"] is not None}
        for system in measured.systems
    }


def _best_first(scores: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Treebanks, that with the best score of all systems first."""
    best: dict[str, float] = {}
    for of_system in scores.values():
        for name, score in of_system.items():
            best[name] = max(best.get(name, 0.0), score)
    return sorted(best, key=lambda name: (-best[name], name))


def _lanes(scores: Mapping[str, Mapping[str, float]], names: Sequence[str], of_systems: bool) -> Lanes:
    """A lane per treebank, with a mark per series of scores. of_systems: whether a series is a system."""
    intervals = {
        name: {series: Interval(of_series.get(name)) for series, of_series in scores.items()} for name in names
    }
    lanes, scale = value_lanes(intervals, {}, percent=True, of_systems=of_systems)
    return Lanes(list(scores), Panel("", "percent", lanes), scale)


def _systems(measured: TypologyMeasures) -> Exhibit:
    title = "Labelled attachment by treebank and parser"
    las = _las(measured)
    names = _best_first(las)
    groups = {
        system: [(float(at), scores[name]) for at, name in enumerate(names) if name in scores]
        for system, scores in las.items()
    }
    return Exhibit(
        "systems", title,
        "The treebank with the best score first; the table has the means over treebanks (macro).",
        measured.averages, charts.lines(groups, title=title, x="", y="LAS", names=names),
        part=ANSWER, lanes=_lanes(las, names, of_systems=True),
    )  # fmt: skip


def _figure2(measured: TypologyMeasures) -> Exhibit:
    return Exhibit(
        "figure2", ENTROPY_TITLE,
        "The entropy of the forms that occur with a relation, divided by the logarithm of the number of the treebank's "
        "distinct forms, as the mean over treebanks, a treebank without the relation counting 0.5.",
        measured.entropies, entropy_chart(measured.entropies), part=DIFFERENCES,
    )  # fmt: skip


def _table3(pairs: Result) -> Exhibit:
    title = "Correlations across treebanks"
    return Exhibit(
        "table3", title,
        "Pearson's r of every pair of these measures over the treebanks that have both, with its 95% interval by "
        "Fisher's z and the two-sided p.",
        pairs, correlation.heat_map(pairs), part=DIFFERENCES,
    )  # fmt: skip


def _figure3(measures: Result) -> Exhibit:
    title = "Type/token ratio and shares of relations"
    rows, points = [], {}
    for kind in ("content", "function"):
        share = f"{kind}_share"
        pair, shares = _correlate(measures, "sttr", share)
        square = None if pair["r"] is None else pair["r"] ** 2
        rows += [
            {"class": kind, "treebank": row["treebank"], "sttr": row["sttr"], "share": row[share]}
            | {**{name: pair[name] for name in ("n", "r", "r_low", "r_high")}, "r_squared": square}
            for row in measures.rows()
        ]
        fit = "" if square is None else f"\n({correlation.fit_text(pair)}, r² = {square:.2f})"
        points[f"{kind} relations{fit}"] = shares
    return Exhibit(
        "figure3", title,
        "The share of content and of function relations among a treebank's words against its standardised type/token "
        "ratio, with Pearson's r and its square, the share of variance explained; a treebank of fewer than 1000 words "
        "has no such ratio.",
        Result(pa.Table.from_pylist(rows, _FIGURE3), percent=frozenset({"share"})),
        charts.scatter(points, title=title, x="standardised type/token ratio", y="share of words")
        if any(points.values())
        else None,
        part=DIFFERENCES,
    )  # fmt: skip


def _figure4(measures: Result, part: str = SCORES) -> Exhibit:
    title = "LAS, content precision and content recall"
    shown = ("las", "content_precision", "content_recall")
    table = measures.arrow().select(["treebank", *shown]).sort_by([("las", "descending"), ("treebank", "ascending")])
    result = Result(table, percent=frozenset(shown))
    rows = result.rows()
    names = [row["treebank"] for row in rows]
    groups = {name: [(float(at), row[name]) for at, row in enumerate(rows) if row[name] is not None] for name in shown}
    scores = {name: {row["treebank"]: row[name] for row in rows} for name in shown}
    return Exhibit(
        "figure4", title,
        "Every treebank's labelled attachment score with the precision and recall of content relations, best first.",
        result, charts.lines(groups, title=title, x="", y="score", names=names),
        part=part, lanes=_lanes(scores, names, of_systems=False),
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
        part=DIFFERENCES,
    )  # fmt: skip


def _shares_and_scores(name: str, kind: str, measures: Result) -> Exhibit:
    title = f"Share of {kind} relations, and their precision and recall"
    share = f"{kind}_share"
    rows, points = [], {}
    for metric in (f"{kind}_precision", f"{kind}_recall"):
        pair, scores = _correlate(measures, share, metric)
        rows += [
            {"metric": metric, "treebank": row["treebank"], "share": row[share], "score": row[metric]}
            | {name: pair[name] for name in ("n", "r", "r_low", "r_high", "p")}
            for row in measures.rows()
        ]
        fit = "" if pair["r"] is None else f"\n({correlation.fit_text(pair)}, p {_rounded_p(pair['p'])})"
        points[f"{metric.replace('_', ' ')}{fit}"] = scores
    return Exhibit(
        name, title,
        f"The precision and recall of {kind} relations against their share of a treebank's words, with Pearson's r and "
        "its two-sided p: whether relations are easier where they are frequent.",
        Result(pa.Table.from_pylist(rows, _SHARES_AND_SCORES), percent=frozenset({"share", "score"})),
        charts.scatter(points, title=title, x="share of words", y="score"),
        part=DIFFERENCES,
    )  # fmt: skip


def _correlate(measures: Result, x: str, y: str) -> tuple[dict[str, Any], list[tuple[float, float, str]]]:
    """The correlation of two measures, and the points of the treebanks that have both."""
    [pair] = correlation.correlate_table(measures.arrow(), [x, y]).rows()
    points = [(row[x], row[y], row["treebank"]) for row in measures.rows() if None not in (row[x], row[y])]
    return pair, points


def _rounded_p(p: float) -> str:
    return "< 0.01" if p < 0.01 else f"= {p:.2f}"
