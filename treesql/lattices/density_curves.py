"""Performance-density curves: scores of lattices of one corpus at several densities, and numbers and fits from them.

Source: Bernreuther 2005, Lattice evaluation techniques, section 2.3, figures 2.11, 3.12, 3.17 and 3.20.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import kinds, schemas
from treesql.catalog.kinds import Kind
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError, not_applicable
from treesql.evaluation.chosen_columns import choose_columns
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.requests import make_task
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import Task
from treesql.lattices import curve_fitting, order_agreement, single_system
from treesql.readers import TEXT, Options
from treesql.results.result import Result
from treesql.scoring import scores, statistics
from treesql.scoring.signatures import signature as cite
from treesql.storage import in_memory
from treesql.storage.loading import LATTICE

ORACLE = "oracle_"
"""Prefix of scores of translations that are computed of the words of nearest paths."""

DEFAULT_METRICS = ("ger_rate", "swcd")
"""The default metrics of a curve."""

DEFAULT_SHAPE = "logarithm"
"""The curve that is fitted by default."""

N_THRESHOLDS = 41
"""Number of thresholds between the first and the last."""

DEFAULT_RANGE = (-8.0, 8.0)
"""The default first and last threshold: those of the thesis."""

_MEASURES = ("ger", "gwer", "pmed", "gper", "bleu")
_SUMMARY = pa.schema({"metric": pa.string(), "way": pa.string(), "parameter": pa.string(), "value": pa.float64()})

_LINES = pa.schema(
    {"metric": pa.string(), "predicted": pa.string(), "points": pa.int64()}
    | {name: pa.float64() for name in ("slope", "intercept", "r", "p")}
    | order_agreement.COLUMNS
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
    """Numbers to compute from a curve.

    at: densities to interpolate at; between: pairs of densities to integrate between; shapes: curves to fit, of
    curve_fitting.SHAPES. If all are empty, the integral over all densities and a fit of DEFAULT_SHAPE.
    """

    at: Sequence[float] = ()
    between: Sequence[tuple[float, float]] = ()
    shapes: Sequence[str] = ()

    def or_default(self, x: Sequence[float]) -> CurveOptions:
        """These options, or if all are empty, the default for points at these densities."""
        empty = not (self.at or self.between or self.shapes)
        return CurveOptions((), [(min(x), max(x))], [DEFAULT_SHAPE]) if empty else self


def score_points(
    task: Task,
    metrics: Sequence[str] = (),
    hypotheses: Sequence[str] = (),
    *,
    measure: str = "ger",
    macro: bool = False,
) -> Result:
    """One row per file or corpus of lattices, sorted by density: `system, density`, and a column per metric.

    metrics: columns of `score lattice`, or metrics of the catalogue for all their columns; columns of `score
    translation` for the `hypotheses`, files or corpora in the order of the lattices; the same with the prefix `oracle_`
    for the words of the paths that are nearest by `measure`. macro: density is the mean over lattices. The keys of
    signatures are `system:score`. Raises UsageError for fewer than two densities or equal ones, and what
    translation.evaluate raises.
    """
    named = _choose_columns(metrics, hypotheses)
    density = "density_macro" if macro else "density"
    if density in named[LATTICE]:
        raise UsageError(f"{density} is the x-axis of the curve; name metrics")
    if len(task.systems) < curve_fitting.MIN_POINTS:
        raise UsageError("a curve needs lattices of two densities at least; name two files")
    if hypotheses and len(hypotheses) != len(task.systems):
        what = f"here are {len(task.systems)} of lattices and {len(hypotheses)} of hypotheses"
        raise UsageError(f"give hypotheses for every density, in the same order; {what}")
    if named[TEXT] or named[ORACLE]:
        check_rereadable(task, "scores of translations read lattices and references again")
    found = evaluate(
        replace(task, metrics=[density, *named[LATTICE]]),
        lambda inputs: single_system.check_one_system(inputs.engine, inputs.systems),
        single_system.QUERIES,
    )
    rows = found.arrow().rename_columns(["system", "density", *named[LATTICE]])
    signatures, percent = dict(found.signatures), set(found.percent)
    systems = rows["system"].to_pylist()
    if named[TEXT]:
        of_texts = {"reference": task.shared.get("reference"), "ids": task.reading.ids}
        texts = make_task(_kind(TEXT), hypotheses, of_texts, task.database, metric=named[TEXT])
        rows = _append_scores(
            rows, evaluate(replace(texts, warn=task.warn)), systems, named[TEXT], "", signatures, percent
        )
    if named[ORACLE]:
        rows = _append_scores(
            rows, _oracle_scores(task, named[ORACLE], measure), systems, named[ORACLE], ORACLE, signatures, percent
        )
    rows = rows.select(["system", "density", *named["order"]]).sort_by([("density", "ascending")])
    _check_densities(rows)
    return Result(rows, signatures, frozenset(percent))


def check_rereadable(task: Task, why: str) -> None:
    """Raises UsageError if standard input would be read twice."""
    if not task.database and task.reads_standard_input:
        raise UsageError(f"{why}, and standard input can be read only once; name files")


def metric_values(found: Result, metric: str) -> tuple[list[float], list[float]]:
    """The densities and scores of the points that have a score. Raises UnknownName, UsageError (fewer than two)."""
    if metric not in found.columns[2:]:
        raise UnknownName("metric of the curve", metric, found.columns[2:])
    rows = [row for row in found.rows() if row[metric] is not None and np.isfinite(row[metric])]
    if len(rows) < curve_fitting.MIN_POINTS:
        raise UsageError(f"{metric} has a value at {len(rows)} of {len(found)} densities; a curve needs two")
    return [row["density"] for row in rows], [float(row[metric]) for row in rows]


def summarise(found: Result, options: CurveOptions) -> Result:
    """Three ways from a curve to one number: `metric, way, parameter, value`, several rows for a fitted curve.

    way: `interpolated` at the density that is the parameter; `integral` and `mean` between two; the name of a fitted
    curve, with its parameters and r_squared. Raises UsageError.
    """
    rows: list[dict[str, object]] = []
    for metric in found.columns[2:]:
        x, y = metric_values(found, metric)
        chosen = options.or_default(x)

        def add(way: str, parameter: str, value: float | None, metric: str = metric) -> None:
            rows.append({"metric": metric, "way": way, "parameter": parameter, "value": value})

        for density in chosen.at:
            add("interpolated", f"{density:g}", curve_fitting.interpolate(x, y, density))
        for low, high in chosen.between:
            whole = curve_fitting.integrate(x, y, low, high)
            add("integral", f"{low:g} to {high:g}", whole)
            add("mean", f"{low:g} to {high:g}", whole / (high - low))
        for shape in chosen.shapes:
            fitted = curve_fitting.fit_points(metric, x, y, shape)
            for name, value in fitted.parameters.items():
                add(shape, name, value)
            add(shape, "r_squared", fitted.r_squared)
    return Result(pa.Table.from_pylist(rows, _SUMMARY), found.signatures)


def fit_lines(found: Result, predicted: str) -> Result:
    """Predict a metric from every other one by a line (figure 3.12): `metric, predicted, points, slope, ..., r, p`.

    And how far the two agree on the order of lattices: order_agreement.COLUMNS. Raises UnknownName, UsageError.
    """
    metric_values(found, predicted)
    others = [name for name in found.columns[2:] if name != predicted]
    if not others:
        raise UsageError(f"name another metric to predict {predicted} from")
    rows = []
    for metric in others:
        both = [row for row in found.rows() if row[metric] is not None and row[predicted] is not None]
        x, y = [row[metric] for row in both], [row[predicted] for row in both]
        fitted = curve_fitting.fit_line(x, y)
        rows.append(
            {"metric": metric, "predicted": predicted, "points": fitted.n, "slope": fitted.slope}
            | {"intercept": fitted.intercept, "r": fitted.r, "p": fitted.p}
            | order_agreement.compare_orders(metric, predicted, x, y)
        )
    return Result(pa.Table.from_pylist(rows, _LINES), found.signatures, frozenset({"agreement"}))


def pruned_shares(task: Task, thresholds: Sequence[float], *, raw: bool = False) -> Result:
    """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`.

    All tau are those of the whole lattice; edges are counted before any is kept so that a path remains. raw: an edge
    fails if tau is below the threshold itself, not below the threshold divided by the number of edges of its lattice
    (figures 3.17 and 3.20). Raises UsageError, and what `evaluate` raises.
    """
    if not thresholds or not np.isfinite(thresholds).all():
        raise UsageError("thresholds are finite numbers; name one at least")
    effects, size = catalog.query("edge_removals"), catalog.query("lattice_size")
    if not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    unused = [name for name in task.parameters if name not in {one.name for one in effects.parameters}]
    if unused:
        raise not_applicable(unused, "pruned shares")
    rows, signatures = [], {}
    with open_inputs(task, [effects, size]) as inputs:
        for system in inputs.systems:
            parameters = inputs.values(system, [effects])
            taus = statistics.run_query(inputs.engine, effects, parameters)
            values = effects.values(parameters)
            signatures[f"{system}:pruned_share"] = cite(inputs.engine, effects, "pruned_share", values, None)
            [density] = scores.score(inputs.engine, ["lattice_size"], {"lattice_corpus": system}).rows()
            tau = taus["tau"].to_numpy()
            sentence = taus["sentence"].to_numpy()
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


def fit_growth(shares: Result) -> Result:
    """Fit a logistic curve to the pruned shares of every system: `system, density, thresholds, midpoint, growth, ...`.

    share = 1 / (1 + exp(-growth * (threshold - midpoint))). midpoint: the threshold that prunes half of the
    edges; growth: four times the slope there. Raises UsageError.
    """
    rows = []
    for (system, density), (x, y) in shares_by_system(shares).items():
        fitted = curve_fitting.fit_curve(x, y, "logistic")
        rows.append(
            {"system": system, "density": density, "thresholds": fitted.n}
            | {"r_squared": fitted.r_squared, **fitted.parameters}
        )
    return Result(pa.Table.from_pylist(rows, _GROWTH), shares.signatures)


def thresholds_between(low: float, high: float) -> list[float]:
    """N_THRESHOLDS equidistant thresholds. Raises UsageError."""
    if not (np.isfinite([low, high]).all() and low < high):
        raise UsageError(f"thresholds go from a smaller to a greater number, not from {low:g} to {high:g}")
    return [round(float(one), 12) for one in np.linspace(low, high, N_THRESHOLDS)]


def _choose_columns(metrics: Sequence[str], hypotheses: Sequence[str]) -> Mapping[str, list[str]]:
    """The columns to compute of lattices, hypotheses and oracle paths; under `order` all of them in order."""
    named: dict[str, list[str]] = {LATTICE: [], TEXT: [], ORACLE: [], "order": []}
    known = {kind: set(_names_of_kind(kind)) for kind in (LATTICE, TEXT)}
    for name in metrics or DEFAULT_METRICS:
        plain = name.removeprefix(ORACLE)
        if name in known[LATTICE]:
            kind, columns, shown = LATTICE, _columns(LATTICE, [name]), ""
        elif name != plain and plain in known[TEXT]:
            kind, columns, shown = ORACLE, _columns(TEXT, [plain]), ORACLE
        elif name in known[TEXT]:
            if not hypotheses:
                raise UsageError(
                    f"{name} is of translations: name hypotheses, or write {ORACLE}{name} for oracle paths"
                )
            kind, columns, shown = TEXT, _columns(TEXT, [name]), ""
        else:
            every = known[LATTICE] | known[TEXT] | {ORACLE + one for one in known[TEXT]}
            raise UnknownName("metric", name, every)
        named[kind] += [one for one in columns if one not in named[kind]]
        named["order"] += [shown + one for one in columns if shown + one not in named["order"]]
    if hypotheses and not named[TEXT]:
        raise UsageError("hypotheses do not apply without a score of translations among the metrics: bleu, wer, ...")
    return named


def _kind(content: str) -> Kind:
    """The kind that scores lattices, or texts."""
    return kinds.kind("translation" if content == TEXT else content)


def _columns(content: str, names: Sequence[str]) -> list[str]:
    """The columns of metrics, counts and scores of a kind."""
    return list(choose_columns(_kind(content), names).order)


def _names_of_kind(kind: str) -> list[str]:
    metrics = _kind(kind).all_metrics
    return [*metrics, *(name for metric in metrics for name in _columns(kind, [metric]))]


def _append_scores(
    rows: pa.Table, scored: Result, systems: Sequence[str], columns: Sequence[str], prefix: str,
    signatures: dict[str, str], percent: set[str],
) -> pa.Table:  # fmt: skip
    """The rows with the scores as further columns; adds signatures and names of percentages to those given."""
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


def _oracle_scores(task: Task, columns: Sequence[str], measure: str) -> Result:
    """Scores of the words of the nearest paths as translations, a row per system."""
    if measure not in _MEASURES:
        raise UnknownName("measure", measure, _MEASURES)
    words = catalog.query("oracle_words")
    metrics = [catalog.query(name) for name in choose_columns(_kind(TEXT), columns).metrics]
    parts: list[pa.Table] = []
    signatures: dict[str, str] = {}
    with open_inputs(replace(task, warn=lambda warning: None), [words, *metrics]) as inputs:
        for system in inputs.systems:
            parameters = {**inputs.corpus_values(system), "measure": measure}
            oracle_words = statistics.run_query(inputs.engine, words, parameters)
            with _connect_to_text(inputs, system, oracle_words) as engine:
                declared = {one.name for query in metrics for one in query.parameters}
                corpora = {k: v for k, v in inputs.corpus_values(system).items() if k in declared}
                corpora["hypothesis_corpus"] = system
                scored = scores.score(engine, [query.name for query in metrics], corpora)
            parts.append(scored.arrow().select(columns).add_column(0, "system", pa.array([system])))
            signatures |= {f"{system}:{name}": f"{text}|measure:{measure}" for name, text in scored.signatures.items()}
    return Result(pa.concat_tables(parts), signatures, scored.percent)


def _connect_to_text(inputs: Inputs, system: str, words: pa.Table) -> Engine:
    """An engine with the references, and with the words (sentence, word, form) as a corpus of text."""
    tables: dict[str, list[tuple[str, pa.Table]]] = {"corpora": [], "sentences": [], "words": []}
    columns = [name for name in schemas.table("corpora").names if name != "corpus"]
    values = (f"'{TEXT}' AS kind" if name == "kind" else f"c.{schemas.quote(name)}" for name in columns)
    records = f"SELECT {', '.join(values)} FROM corpora AS c WHERE c.corpus = $corpus"
    sentences = """
        SELECT s.sentence, s.sent_id, s.file, s.line, s.n_words
        FROM sentences AS s
        WHERE s.corpus = $corpus
        ORDER BY s.sentence
    """
    forms = "SELECT w.sentence, w.word, w.form FROM words AS w WHERE w.corpus = $corpus"
    for name in dict.fromkeys([system, *inputs.of_role("reference")]):
        named = {"corpus": name}
        tables["corpora"].append((name, inputs.engine.table(records, named)))
        rows = inputs.engine.table(sentences, named)
        tables["sentences"].append((name, _with_lengths(rows, words) if name == system else rows))
        tables["words"].append((name, words if name == system else inputs.engine.table(forms, named)))
    return in_memory.connect_to_rows(tables, Options(columns={"sentences": frozenset(), "words": frozenset()}))


def _with_lengths(sentences: pa.Table, words: pa.Table) -> pa.Table:
    """Sentences, in order, with their numbers of words."""
    place = np.searchsorted(sentences["sentence"].to_numpy(), words["sentence"].to_numpy())
    lengths = np.bincount(place, minlength=len(sentences))
    at = sentences.schema.get_field_index("n_words")
    return sentences.set_column(at, "n_words", pa.array(lengths, pa.int32()))


def _check_densities(rows: pa.Table) -> None:
    named = list(zip(rows["density"].to_pylist(), rows["system"].to_pylist(), strict=True))
    for system in (system for density, system in named if density is None):
        raise UsageError(f"{system} has no lattices; a curve needs a density")
    for (one, a), (other, b) in itertools.pairwise(named):
        if one == other:
            raise UsageError(
                f"{a} and {b} have the same density, {one:g}; a curve needs lattices of different densities"
            )


def shares_by_system(shares: Result) -> dict[tuple[str, float], tuple[list[float], list[float]]]:
    """Thresholds and shares by system and density. Raises UsageError if a system has no edges."""
    found: dict[tuple[str, float], tuple[list[float], list[float]]] = {}
    for row in shares.rows():
        if row["pruned_share"] is None:
            raise UsageError(f"{row['system']} has no edges that could be pruned")
        x, y = found.setdefault((row["system"], row["density"]), ([], []))
        x.append(row["threshold"])
        y.append(row["pruned_share"])
    return found
