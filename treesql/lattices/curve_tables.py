"""A study of lattices at several densities: its tables, each computed once, and their pictures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.drawing import charts
from treesql.drawing.svg import as_element
from treesql.errors import UnknownName, UsageError, Warn
from treesql.evaluation.task import Task
from treesql.kernels.arrays import Floats
from treesql.lattices import curve_pictures
from treesql.lattices.curve_names import CURVE_TABLES
from treesql.lattices.curve_pictures import PictureOptions
from treesql.lattices.curve_points import (
    CURVE_KEYS,
    DEFAULT_METRICS,
    UNPRUNED,
    CurvePoint,
    CurvePoints,
    Variants,
    find_points,
)
from treesql.lattices.density_curves import CurveOptions, fit_lines, summarise
from treesql.lattices.tau_tables import PRUNED, QUANTILES, SPANS, find_tables, fit_growth
from treesql.results import signature_text
from treesql.results.pages import Figure
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors_of_class
from treesql.significance.intervals import few_sentences_warning, percentile_interval, resample_together
from treesql.significance.methods import RUNS, SEED
from treesql.significance.tests import evaluate_scores


@convert_errors_of_class
@dataclass(frozen=True, repr=False)
class CurveStudy:
    """Lattices of several densities: arguments of treesql.lattices.curve_points, and the tables.

    systems: the corpora of the task by system, empty if there is only one without a name; variants: curves of each;
    thresholds: of pruned shares. Tables raise UsageError, and what `evaluate` raises.
    """

    task: Task
    metrics: Sequence[str] = ()
    hypotheses: Sequence[str] = ()
    measure: str = "ger"
    edge_weights: str = ""
    macro: bool = False
    options: CurveOptions = field(default_factory=CurveOptions)
    predicted: str | None = None
    thresholds: Sequence[float] = ()
    raw: bool = False
    max_sentence: int | str | None = None
    systems: Mapping[str, Sequence[str]] = field(default_factory=dict)
    variants: Variants = field(default_factory=Variants)
    pictures: PictureOptions = field(default_factory=PictureOptions)

    def __repr__(self) -> str:
        n, of_systems = len(self.task.systems), f" of the systems {', '.join(self.systems)}" if self.systems else ""
        shown = ", ".join(self.metrics or DEFAULT_METRICS)
        tables = ", ".join(CURVE_TABLES)
        return f"<treesql.lattices.CurveStudy of {shown}: lattices of {n} files{of_systems}; tables: {tables}>"

    def _repr_html_(self) -> str:
        """The picture, whose panels wrap, above the table of the points."""
        return self.points._in_notebook(Figure(svg=as_element("".join(charts.panels_of(self.svg())))))

    @cached_property
    def points(self) -> Result:
        """The scores at every density: `system, density`, and a column per metric."""
        counted = "_counted_points" in vars(self)
        return (self._counted_points if counted else self._find_points(counted=False)).result()

    @cached_property
    def numbers(self) -> Result:
        """Numbers from the curves of each metric: `metric, way, parameter, value`."""
        return summarise(self.points, self.options, self.task.warn)

    @cached_property
    def line(self) -> Result:
        """The lines that predict a metric from every other one. Raises UsageError where none is to be predicted."""
        return fit_lines(self.points, self._predicted, self.task.warn)

    @cached_property
    def differences(self) -> Result:
        """The differences of systems at equal density, with intervals: a row per metric, density and pair."""
        if len(self.systems) < 2 and not self.variants.thresholds:  # before anything is read
            raise UsageError(_TOO_FEW)
        return find_differences(self._counted_points, self.options.at, warn=self.task.warn)

    @cached_property
    def pruned(self) -> Result:
        """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`."""
        return self._find_tables(PRUNED)[PRUNED]

    @cached_property
    def growth(self) -> Result:
        """The logistic growth of these shares, by system."""
        return fit_growth(self.pruned, self.task.warn)

    @cached_property
    def spans(self) -> Result:
        """The range of tau in every lattice: `system, density, sentence, n_nodes, n_edges, ..., span`."""
        return self._find_tables(SPANS)[SPANS]

    @cached_property
    def quantiles(self) -> Result:
        """The distribution of tau over the edges of all lattices: `system, density, n_edges, quantile, tau, ...`."""
        return self._find_tables(QUANTILES)[QUANTILES]

    def table(self, name: str) -> Result:
        """A table by its name, one of CURVE_TABLES. Raises UnknownName."""
        if name not in CURVE_TABLES:
            raise UnknownName("table", name, CURVE_TABLES)
        result: Result = getattr(self, name)
        return result

    def svg(self, name: str = "points") -> str:
        """The picture of a table: for `numbers` the points, for `growth` the shares. Raises UnknownName."""
        if name in ("points", "numbers"):
            if self.options.shapes:
                _ = self.numbers  # warns of curves that the picture lacks
            return curve_pictures.draw_points(self.points, self.options.shapes, self.pictures)
        if name == "line":
            return curve_pictures.draw_lines(self.points, self._predicted)
        if name == "differences":
            return curve_pictures.draw_differences(self.differences, self.pictures)
        if name == "spans":
            return curve_pictures.draw_spans(self.spans, self.pictures)
        if name == "quantiles":
            return curve_pictures.draw_quantiles(self.quantiles, self.pictures)
        if name not in CURVE_TABLES:
            raise UnknownName("table", name, CURVE_TABLES)
        return curve_pictures.draw_shares(self.pruned)

    def compute_all(self) -> None:
        """Compute what all tables are made of, each point and each tau once, and not once more for every table."""
        if len(self.systems) > 1:
            _ = self._counted_points
        vars(self).update(self._find_tables(PRUNED, SPANS, QUANTILES))

    @cached_property
    def _counted_points(self) -> CurvePoints:
        return self._find_points(counted=True)

    def _find_points(self, *, counted: bool) -> CurvePoints:
        with readers.max_sentence(self.max_sentence):
            return find_points(
                self.task, self.metrics, self.hypotheses, measure=self.measure, edge_weights=self.edge_weights,
                macro=self.macro, systems=self.systems, variants=self.variants, counted=counted,
            )  # fmt: skip

    def _find_tables(self, *names: str) -> dict[str, Result]:
        with readers.max_sentence(self.max_sentence):
            return find_tables(
                self.task, names, self.thresholds, raw=self.raw, systems=self.systems,
                redundancies=self.variants.redundancies,
            )  # fmt: skip

    @property
    def _predicted(self) -> str:
        if self.predicted is None:
            raise UsageError("a line needs the metric to predict: --to METRIC")
        return self.predicted


_ROWS = {"metric": pa.string(), "density": pa.float64(), "system_a": pa.string(), "system_b": pa.string()}
_ROWS |= {name: pa.float64() for name in ("score_a", "score_b", "difference", "difference_low", "difference_high")}
_ROWS |= {"sentences": pa.int64()}

Curve = Sequence[CurvePoint]
"""The points of one curve by density."""


def find_differences(curves: CurvePoints, at: Sequence[float] = (), *, warn: Warn = lambda warning: None) -> Result:
    """A row per metric, density and pair of systems: both scores there, by straight lines, and their difference.

    curves: those of systems with counts; of one system with thresholds these are systems, as are lattices UNPRUNED.
    at: densities, by default those of all points that lie on both curves. The interval is the 95% percentile interval
    of the bootstrap: sentences are drawn with replacement, the same for all points of all systems, and scores are
    computed of the sums of their counts; densities stay those of all sentences. Raises UsageError if there are not two
    systems, or a density is outside of a curve.
    """
    curves = _by_threshold(curves)
    systems = list(dict.fromkeys(point.system for point in curves.points))
    if len(systems) < 2:
        raise UsageError(_TOO_FEW)
    if any(point.density is None for point in curves.points):
        raise UsageError("differences need a density at every point")
    rows: list[dict[str, object]] = []
    for metric in curves.metrics:
        resampled = _Resampled(curves.points, metric)
        for names, a, b in _pairs(curves.points, systems):
            rows += [
                {"metric": metric, **names, "density": density, **resampled.difference(a, b, density)}
                for density in at or _shared_densities(a, b)
            ]
    if not rows:
        raise UsageError("no density lies on the curves of two systems; there is no difference at equal density")
    n_sentences = rows[0]["sentences"]
    few = few_sentences_warning(systems[0], [np.ones(int(str(n_sentences)), dtype=np.bool_)], "sentences")
    if few:
        warn(few)
    variant_values = (curves.variants.thresholds, curves.variants.redundancies)
    keys = {name: pa.float64() for name, given in zip(CURVE_KEYS, variant_values, strict=True) if given}
    cited = {name: signature_text.insert(text, [f"bootstrap:{RUNS}", f"seed:{SEED}"]) for name, text in _cited(curves)}
    return Result(pa.Table.from_pylist(rows, pa.schema(keys | _ROWS)), cited)


_TOO_FEW = "differences are of two systems at least: --system NAME=FILE,FILE,... for each, or of one at --thresholds"


def _by_threshold(curves: CurvePoints) -> CurvePoints:
    """The curves of one system at several thresholds as those of a system for each; others as they are."""
    if not curves.variants.thresholds or len({point.system for point in curves.points}) > 1:
        return curves
    names = {None: UNPRUNED} | {threshold: f"threshold {threshold:g}" for threshold in curves.variants.thresholds}
    points = [replace(point, system=names[point.threshold], threshold=None) for point in curves.points]
    return replace(curves, points=points, variants=replace(curves.variants, thresholds=()))


class _Resampled:
    """The scores of a metric at all points: of all sentences, and of every draw of them."""

    def __init__(self, points: Sequence[CurvePoint], metric: str) -> None:
        scores_and_counts = [point.counts[metric] for point in points]
        counts = [point_counts for _, point_counts in scores_and_counts]
        self.n_sentences = len(counts[0].values)
        if any(len(point_counts.values) != self.n_sentences for point_counts in counts):
            raise UsageError(f"{metric}: systems have different sentences; give all of them the same ones")
        [score] = dict.fromkeys(score for score, _ in scores_and_counts)
        drawn = resample_together([point_counts.values for point_counts in counts], RUNS, SEED)
        self.observed = {
            id(p): evaluate_scores([score], c.columns, c.sums)[0] for p, c in zip(points, counts, strict=True)
        }
        self.drawn = {
            id(point): evaluate_scores([score], point_counts.columns, sums)[:, 0]
            for point, point_counts, sums in zip(points, counts, drawn, strict=True)
        }

    def difference(self, a: Curve, b: Curve, density: float) -> dict[str, object]:
        """Both scores at a density, their difference and its interval."""
        score_a, score_b = (float(_interpolate(curve, self.observed, density)[0]) for curve in (a, b))
        drawn_a, drawn_b = (_interpolate(curve, self.drawn, density) for curve in (a, b))
        low, high = percentile_interval(drawn_a - drawn_b)
        values = {"score_a": score_a, "score_b": score_b, "difference": score_a - score_b}
        known: dict[str, object] = {name: None if np.isnan(value) else value for name, value in values.items()}
        return {
            **known, "system_a": a[0].system, "system_b": b[0].system, "difference_low": low, "difference_high": high,
            "sentences": self.n_sentences,
        }  # fmt: skip


def _interpolate(curve: Curve, scores: dict[int, Floats], density: float) -> Floats:
    """The scores at a density, by straight lines between the points beside it. Raises UsageError outside."""
    x = [float(str(point.density)) for point in curve]
    if not x[0] <= density <= x[-1]:
        curve_range = f"the curve of {curve[0].system}, which goes from {x[0]:g} to {x[-1]:g}"
        raise UsageError(f"{density:g} is outside of {curve_range}")
    right = min(max(int(np.searchsorted(x, density)), 1), len(x) - 1)
    low, high = scores[id(curve[right - 1])], scores[id(curve[right])]
    if density in (x[right - 1], x[right]):
        return low if density == x[right - 1] else high
    share = (density - x[right - 1]) / (x[right] - x[right - 1])
    return low + share * (high - low)


def _pairs(points: Sequence[CurvePoint], systems: Sequence[str]) -> Iterator[tuple[dict[str, object], Curve, Curve]]:
    """The curves of each pair of systems, and the other columns that tell curves apart."""
    curves: dict[tuple[float | None, float | None], dict[str, list[CurvePoint]]] = {}
    for point in points:
        curves.setdefault((point.threshold, point.redundancy), {}).setdefault(point.system, []).append(point)
    for key, by_system in curves.items():
        for curve in by_system.values():
            _check_distinct(curve)
        for a, b in itertools.combinations(systems, 2):
            yield dict(zip(CURVE_KEYS, key, strict=True)), by_system[a], by_system[b]


def _check_distinct(curve: Curve) -> None:
    for a, b in itertools.pairwise(curve):
        if a.density == b.density:
            what = f"{a.lattices} and {b.lattices} have the same density, {a.density:g}"
            threshold = a.system if a.threshold is None else f"threshold {a.threshold:g}"
            raise UsageError(f"{what}, once pruned at {threshold}; --density-of unpruned tells them apart")


def _shared_densities(a: Curve, b: Curve) -> list[float]:
    """The densities of all points that lie on both curves, ascending."""
    low, high = (extreme(float(str(curve[end].density)) for curve in (a, b)) for extreme, end in ((max, 0), (min, -1)))
    densities = {float(str(point.density)) for point in (*a, *b)}
    return sorted(density for density in densities if low <= density <= high)


def _cited(curves: CurvePoints) -> list[tuple[str, str]]:
    """The signatures of the metrics."""
    return [(name, text) for name, text in curves.signatures.items() if name.rpartition(":")[2] in curves.metrics]
