"""Performance-density graphs: scores of lattices of one corpus at several densities, and what becomes of such curves.

Source: Bernreuther 2005, Lattice evaluation techniques, section 2.3, figures 2.11, 3.12, 3.17 and 3.20.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.translation import (
    LATTICE,
    METRICS,
    TranslationInputs,
    TranslationTask,
    evaluate,
    open_translation,
    select_columns,
)
from treesql.lattices import curve_fitting, single_system
from treesql.lattices.curve_fitting import Fitted
from treesql.readers import TEXT, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.results.result import Result
from treesql.scoring import scores, statistics
from treesql.scoring.signatures import signature as cite
from treesql.storage import in_memory

ORACLE = "oracle_"
"""What stands before the scores of translations where these are the nearest paths' words."""

USUAL = ("ger_rate", "swcd")
"""The metrics of a curve if none are named."""

SHAPE = "logarithm"
"""The curve that is fitted if none is named."""

STEPS = 41
"""So many thresholds are tried between two."""

RANGE = (-8.0, 8.0)
"""The first and the last threshold if none are named: what the thesis tries."""

_MEASURES = ("ger", "gwer", "pmed", "gper")
_SUMMARY = pa.schema({"metric": pa.string(), "way": pa.string(), "parameter": pa.string(), "value": pa.float64()})

_LINES = pa.schema(
    {"metric": pa.string(), "predicted": pa.string(), "points": pa.int64()}
    | {name: pa.float64() for name in ("slope", "intercept", "r", "p")}
)

_SHARES = pa.schema(
    {"system": pa.string(), "density": pa.float64(), "threshold": pa.float64(), "edges": pa.int64()}
    | {"pruned": pa.int64(), "pruned_share": pa.float64()}
)

_GROWTH = pa.schema(
    {"system": pa.string(), "density": pa.float64(), "thresholds": pa.int64()}
    | {name: pa.float64() for name in ("midpoint", "growth", "r_squared")}
)


@dataclass(frozen=True)
class CurveOptions:
    """What is asked of a curve beside its points.

    at: densities to interpolate at; between: pairs of densities to integrate between; shapes: curves to fit, of
    curves.SHAPES. If all are empty, the integral over all densities and SHAPE.
    """

    at: Sequence[float] = ()
    between: Sequence[tuple[float, float]] = ()
    shapes: Sequence[str] = ()

    def of(self, x: Sequence[float]) -> CurveOptions:
        """The same, or what is usual for points at these densities."""
        nothing = not (self.at or self.between or self.shapes)
        return CurveOptions((), [(min(x), max(x))], [SHAPE]) if nothing else self


def points(
    task: TranslationTask,
    metrics: Sequence[str] = (),
    hypotheses: Sequence[str] = (),
    *,
    measure: str = "ger",
    macro: bool = False,
) -> Result:
    """One row per lattices of the task, sparsest first: `system, density`, and a column per metric.

    metrics: columns of `score lattice`, or metrics of the catalogue, which stand for all their columns; columns of
    `score translation` for the `hypotheses`, files or corpora in the order of the lattices; these after `oracle_`
    for the words of the paths that are nearest by `measure`. macro: density is the mean over lattices. A score's
    signature stands under `system:score`. Raises UsageError where densities are fewer than two, or the same, and as
    translation.evaluate does.
    """
    named = _chosen(metrics, hypotheses)
    density = "density_macro" if macro else "density"
    if density in named[LATTICE]:
        raise UsageError(f"{density} is what the curve goes along; name metrics")
    if len(task.systems) < curve_fitting.FEWEST:
        raise UsageError("a curve needs lattices of two densities at least; name two files")
    if hypotheses and len(hypotheses) != len(task.systems):
        what = f"here are {len(task.systems)} of lattices and {len(hypotheses)} of hypotheses"
        raise UsageError(f"give hypotheses for every density, in the same order; {what}")
    if named[TEXT] or named[ORACLE]:
        require_files(task, "scores of translations read lattices and references again")
    found = evaluate(
        replace(task, columns=[density, *named[LATTICE]]),
        lambda held: single_system.require_one_system(held.connection, held.systems),
        single_system.NEEDED,
    )
    rows = found.arrow().rename_columns(["system", "density", *named[LATTICE]])
    signatures, percent = dict(found.signatures), set(found.percent)
    systems = rows["system"].to_pylist()
    if named[TEXT]:
        texts = TranslationTask(
            TEXT, hypotheses, task.references, named[TEXT], database=task.database, ids=task.ids, warn=task.warn
        )  # fmt: skip
        rows = _beside(rows, evaluate(texts), systems, named[TEXT], "", signatures, percent)
    if named[ORACLE]:
        rows = _beside(
            rows, _oracle_scores(task, named[ORACLE], measure), systems, named[ORACLE], ORACLE, signatures, percent
        )
    rows = rows.select(["system", "density", *named["order"]]).sort_by([("density", "ascending")])
    _require_densities(rows)
    return Result(rows, signatures, frozenset(percent))


def require_files(task: TranslationTask, why: str) -> None:
    """Raises UsageError where something is to be read twice that can be read only once."""
    if not task.database and STANDARD_INPUT in (*task.systems, *task.references):
        raise UsageError(f"{why}, and standard input can be read only once; name files")


def values(found: Result, metric: str) -> tuple[list[float], list[float]]:
    """The densities and scores of the points that have a score. Raises UnknownName, UsageError (fewer than two)."""
    if metric not in found.columns[2:]:
        raise UnknownName("metric of the curve", metric, found.columns[2:])
    rows = [row for row in found.rows() if row[metric] is not None and np.isfinite(row[metric])]
    if len(rows) < curve_fitting.FEWEST:
        raise UsageError(f"{metric} has a value at {len(rows)} of {len(found)} densities; a curve needs two")
    return [row["density"] for row in rows], [float(row[metric]) for row in rows]


def numbers(found: Result, asked: CurveOptions) -> Result:
    """The three ways from a curve to one number: `metric, way, parameter, value`, several rows for a fitted curve.

    way: `interpolated` at the density that is the parameter; `integral` and `mean` between two; the name of a fitted
    curve, with its parameters and r_squared. Raises UsageError.
    """
    rows: list[dict[str, object]] = []
    for metric in found.columns[2:]:
        x, y = values(found, metric)
        wanted = asked.of(x)

        def add(way: str, parameter: str, value: float | None, metric: str = metric) -> None:
            rows.append({"metric": metric, "way": way, "parameter": parameter, "value": value})

        for place in wanted.at:
            add("interpolated", f"{place:g}", curve_fitting.interpolated(x, y, place))
        for low, high in wanted.between:
            whole = curve_fitting.area(x, y, low, high)
            add("integral", f"{low:g} to {high:g}", whole)
            add("mean", f"{low:g} to {high:g}", whole / (high - low))
        for shape in wanted.shapes:
            fitted = fit_points(metric, x, y, shape)
            for name, value in fitted.parameters.items():
                add(shape, name, value)
            add(shape, "r_squared", fitted.r_squared)
    return Result(pa.Table.from_pylist(rows, _SUMMARY), found.signatures)


def lines(found: Result, predicted: str) -> Result:
    """How well every other metric predicts one by a line (figure 3.12): `metric, predicted, points, slope, ..., r, p`.

    Raises UnknownName, UsageError.
    """
    values(found, predicted)
    others = [name for name in found.columns[2:] if name != predicted]
    if not others:
        raise UsageError(f"name a metric beside {predicted} that it is to be predicted from")
    rows = []
    for metric in others:
        both = [row for row in found.rows() if row[metric] is not None and row[predicted] is not None]
        fitted = curve_fitting.line([row[metric] for row in both], [row[predicted] for row in both])
        rows.append(
            {"metric": metric, "predicted": predicted, "points": fitted.n, "slope": fitted.slope}
            | {"intercept": fitted.intercept, "r": fitted.r, "p": fitted.p}
        )
    return Result(pa.Table.from_pylist(rows, _LINES), found.signatures)


def pruned_shares(task: TranslationTask, thresholds: Sequence[float], *, raw: bool = False) -> Result:
    """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`.

    All tau are those of the whole lattice; pruned edges are counted before any is kept for a path's sake. raw: an edge
    fails where tau is below the threshold itself, not below the threshold for each edge of its lattice (figures 3.17
    and 3.20). Raises as translation.evaluate does, and UsageError.
    """
    if not thresholds or not np.isfinite(thresholds).all():
        raise UsageError("thresholds are finite numbers; name one at least")
    effects, size = catalog.query("edge_removals"), catalog.query("lattice_size")
    if not task.references:
        raise UsageError("name at least one reference: --reference FILE")
    unknown = [name for name in task.parameters if name not in {one.name for one in effects.parameters}]
    if unknown:
        raise UsageError(f"of no use for pruned shares: {', '.join(unknown)}")
    rows, signatures = [], {}
    with open_translation(task, [effects, size]) as found:
        for system in found.systems:
            given = {**task.parameters, **found.values(LATTICE, system)}
            made = statistics.run_query(found.connection, effects, given)
            values = effects.values(given)
            signatures[f"{system}:pruned_share"] = cite(found.connection, effects, "pruned_share", values, None)
            [density] = scores.score(found.connection, ["lattice_size"], {"lattice_corpus": system}).rows()
            tau = made["tau"].to_numpy()
            sentence = made["sentence"].to_numpy()
            scale = np.ones(len(tau)) if raw else np.bincount(sentence, minlength=1)[sentence]
            for threshold in thresholds:
                n = int(np.count_nonzero(tau < threshold / scale))
                share = n / len(tau) if len(tau) else None
                rows.append(
                    {"system": system, "density": density["density"], "threshold": float(threshold)}
                    | {"edges": len(tau), "pruned": n, "pruned_share": share}
                )
    table = pa.Table.from_pylist(rows, _SHARES).sort_by([("density", "ascending"), ("threshold", "ascending")])
    return Result(table, signatures, percent=frozenset({"pruned_share"}))


def growth(shares: Result) -> Result:
    """A logistic curve fitted to every lattices' pruned shares: `system, density, thresholds, midpoint, growth, ...`.

    share = 1 / (1 + exp(-growth * (threshold - midpoint))). midpoint: the threshold at which it prunes a half; growth:
    four times the slope there. Raises UsageError.
    """
    rows = []
    for (system, density), (x, y) in shares_by_system(shares).items():
        fitted = curve_fitting.fit(x, y, "logistic")
        rows.append(
            {"system": system, "density": density, "thresholds": fitted.n}
            | {"r_squared": fitted.r_squared, **fitted.parameters}
        )
    return Result(pa.Table.from_pylist(rows, _GROWTH), shares.signatures)


def thresholds_between(low: float, high: float) -> list[float]:
    """STEPS thresholds at equal distances. Raises UsageError."""
    if not (np.isfinite([low, high]).all() and low < high):
        raise UsageError(f"thresholds go from a smaller to a greater number, not from {low:g} to {high:g}")
    return [round(float(one), 12) for one in np.linspace(low, high, STEPS)]


def _chosen(metrics: Sequence[str], hypotheses: Sequence[str]) -> Mapping[str, list[str]]:
    """The columns by what they are of: lattices, hypotheses, oracle paths; and all of them in order."""
    named: dict[str, list[str]] = {LATTICE: [], TEXT: [], ORACLE: [], "order": []}
    known = {kind: set(_names(kind)) for kind in (LATTICE, TEXT)}
    for name in metrics or USUAL:
        plain = name.removeprefix(ORACLE)
        if name in known[LATTICE]:
            kind, columns, shown = LATTICE, select_columns(LATTICE, [name])[0], ""
        elif name != plain and plain in known[TEXT]:
            kind, columns, shown = ORACLE, select_columns(TEXT, [plain])[0], ORACLE
        elif name in known[TEXT]:
            if not hypotheses:
                raise UsageError(f"{name} is of translations: name hypotheses, or say {ORACLE}{name} for oracle paths")
            kind, columns, shown = TEXT, select_columns(TEXT, [name])[0], ""
        else:
            every = known[LATTICE] | known[TEXT] | {ORACLE + one for one in known[TEXT]}
            raise UnknownName("metric", name, every)
        named[kind] += [one for one in columns if one not in named[kind]]
        named["order"] += [shown + one for one in columns if shown + one not in named["order"]]
    if hypotheses and not named[TEXT]:
        raise UsageError("hypotheses are of no use without a score of translations among the metrics: bleu, wer, ...")
    return named


def _names(kind: str) -> list[str]:
    return [*METRICS[kind], *(name for metric in METRICS[kind] for name in select_columns(kind, [metric])[0])]


def _beside(
    rows: pa.Table, scored: Result, systems: Sequence[str], columns: Sequence[str], prefix: str,
    signatures: dict[str, str], percent: set[str],
) -> pa.Table:  # fmt: skip
    """The rows with further columns, in the same order; their signatures and kinds are added to the others."""
    table = scored.arrow()
    names = dict(zip(table["system"].to_pylist(), systems, strict=True))
    for key, text in scored.signatures.items():
        system, _, name = key.rpartition(":")
        if name in columns:
            signatures[f"{names[system]}:{prefix}{name}"] = prefix + text
    percent |= {prefix + name for name in scored.percent}
    for name in columns:
        rows = rows.append_column(prefix + name, table[name])
    return rows


def _oracle_scores(task: TranslationTask, columns: Sequence[str], measure: str) -> Result:
    """Scores of translations of the words of the nearest paths, a row per system."""
    if measure not in _MEASURES:
        raise UnknownName("measure", measure, _MEASURES)
    words = catalog.query("oracle_words")
    metrics = [catalog.query(name) for name in select_columns(TEXT, columns)[1]]
    parts: list[pa.Table] = []
    signatures: dict[str, str] = {}
    with open_translation(replace(task, warn=lambda warning: None), [words, *metrics]) as found:
        for system in found.systems:
            made = statistics.run_query(found.connection, words, {**found.values(LATTICE, system), "measure": measure})
            with _with_text(found, system, made) as connection:
                declared = {one.name for query in metrics for one in query.parameters}
                given = {k: v for k, v in found.values(TEXT, system).items() if k in declared}
                scored = scores.score(connection, [query.name for query in metrics], given)
            parts.append(scored.arrow().select(columns).add_column(0, "system", pa.array([system])))
            signatures |= {f"{system}:{name}": f"{text}|measure:{measure}" for name, text in scored.signatures.items()}
    return Result(pa.concat_tables(parts), signatures, scored.percent)


def _with_text(found: TranslationInputs, system: str, words: pa.Table) -> duckdb.DuckDBPyConnection:
    """A connection with the references, and the words (sentence, word, form) as the text of a corpus."""
    held: dict[str, list[tuple[str, pa.Table]]] = {"corpora": [], "sentences": [], "words": []}
    records = f"SELECT c.* EXCLUDE (corpus) REPLACE ('{TEXT}' AS kind) FROM corpora AS c WHERE c.corpus = $corpus"
    sentences = """
        SELECT s.sentence, s.sent_id, s.file, s.line,
               CASE WHEN s.corpus = $system THEN coalesce(w.n, 0) ELSE s.n_words END AS n_words
        FROM sentences AS s
        LEFT JOIN (SELECT o.sentence, CAST(count(*) AS INTEGER) AS n FROM oracle AS o GROUP BY o.sentence) AS w
            ON w.sentence = s.sentence
        WHERE s.corpus = $corpus
        ORDER BY s.sentence
    """
    found.connection.register("oracle", words)
    forms = "SELECT w.sentence, w.word, w.form FROM words AS w WHERE w.corpus = $corpus"
    for name in dict.fromkeys([system, *found.references]):
        named = {"corpus": name}
        held["corpora"].append((name, found.connection.sql(records, params=named).to_arrow_table()))
        rows = found.connection.sql(sentences, params={"system": system, **named}).to_arrow_table()
        held["sentences"].append((name, rows))
        own = words if name == system else found.connection.sql(forms, params=named).to_arrow_table()
        held["words"].append((name, own))
    found.connection.unregister("oracle")
    return in_memory.connect_to_rows(held, Options(columns={"sentences": frozenset(), "words": frozenset()}))


def _require_densities(rows: pa.Table) -> None:
    named = list(zip(rows["density"].to_pylist(), rows["system"].to_pylist(), strict=True))
    for system in (system for density, system in named if density is None):
        raise UsageError(f"{system} holds no lattices; a curve needs a density")
    for (one, a), (other, b) in itertools.pairwise(named):
        if one == other:
            raise UsageError(
                f"{a} and {b} have the same density, {one:g}; a curve needs lattices of different densities"
            )


def shares_by_system(shares: Result) -> dict[tuple[str, float], tuple[list[float], list[float]]]:
    """For every lattices thresholds and shares. Raises UsageError where there are no edges."""
    found: dict[tuple[str, float], tuple[list[float], list[float]]] = {}
    for row in shares.rows():
        if row["pruned_share"] is None:
            raise UsageError(f"{row['system']} has no edges that could be pruned")
        x, y = found.setdefault((row["system"], row["density"]), ([], []))
        x.append(row["threshold"])
        y.append(row["pruned_share"])
    return found


def fit_points(metric: str, x: Sequence[float], y: Sequence[float], shape: str) -> Fitted:
    """Fit a curve of a shape through points. Raises UsageError, which names the metric."""
    try:
        return curve_fitting.fit(x, y, shape)
    except UsageError as error:
        raise UsageError(f"{metric}: {error}") from None


def curve_points(fitted: Fitted, low: float, high: float) -> list[tuple[float, float]]:
    """A fitted curve as many points."""
    across = np.linspace(low, high, 200)
    return list(zip(across.tolist(), fitted.at(across).tolist(), strict=True))
