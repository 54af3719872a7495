"""A study of lattices at several densities: its tables, each computed once, and their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treesql import readers
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.task import Task
from treesql.lattices import curve_pictures
from treesql.lattices.curve_differences import find_differences
from treesql.lattices.curve_metrics import DEFAULT_METRICS
from treesql.lattices.curve_names import CURVE_TABLES
from treesql.lattices.curve_pictures import PictureOptions
from treesql.lattices.curve_points import CurvePoints, find_points
from treesql.lattices.curve_systems import Variants
from treesql.lattices.density_curves import CurveOptions, fit_lines, summarise
from treesql.lattices.tau_tables import find_quantiles, find_spans, fit_growth, pruned_shares
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors_of_class


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
        n, of = len(self.task.systems), f" of the systems {', '.join(self.systems)}" if self.systems else ""
        shown = ", ".join(self.metrics or DEFAULT_METRICS)
        return f"<treesql.lattices.CurveStudy of {shown}: lattices of {n} files{of}; tables: {', '.join(CURVE_TABLES)}>"

    def _repr_html_(self) -> str:
        """The picture above the table of the points."""
        return self.svg() + self.points._repr_html_()

    @property
    def points(self) -> Result:
        """The scores at every density: `system, density`, and a column per metric."""
        return self._points.result()

    @property
    def numbers(self) -> Result:
        """Numbers from the curves of each metric: `metric, way, parameter, value`."""
        return summarise(self.points, self.options)

    @property
    def line(self) -> Result:
        """The lines that predict a metric from every other one. Raises UsageError where none is to be predicted."""
        return fit_lines(self.points, self._predicted)

    @property
    def differences(self) -> Result:
        """The differences of systems at equal density, with intervals: a row per metric, density and pair."""
        return self._differences

    @property
    def pruned(self) -> Result:
        """The share of edges that fail at thresholds: `system, density, threshold, edges, pruned, pruned_share`."""
        return self._shares

    @property
    def growth(self) -> Result:
        """The logistic growth of these shares, by system."""
        return fit_growth(self.pruned)

    @property
    def spans(self) -> Result:
        """The range of tau in every lattice: `system, density, sentence, n_nodes, n_edges, ..., span`."""
        return self._spans

    @property
    def quantiles(self) -> Result:
        """The distribution of tau over the edges of all lattices: `system, density, n_edges, quantile, tau, ...`."""
        return self._quantiles

    def table(self, name: str) -> Result:
        """A table by its name, one of CURVE_TABLES. Raises UnknownName."""
        if name not in CURVE_TABLES:
            raise UnknownName("table", name, CURVE_TABLES)
        found: Result = getattr(self, name)
        return found

    def svg(self, name: str = "points") -> str:
        """The picture of a table: for `numbers` the points, for `growth` the shares. Raises UnknownName."""
        if name in ("points", "numbers"):
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

    @cached_property
    def _points(self) -> CurvePoints:
        return self._find_points(counted=False)

    @cached_property
    def _differences(self) -> Result:
        if len(self.systems) < 2:  # before anything is read
            raise UsageError("differences are of two systems at least: --system NAME=FILE,FILE,... for each")
        return find_differences(self._find_points(counted=True), self.options.at, warn=self.task.warn)

    def _find_points(self, *, counted: bool) -> CurvePoints:
        with readers.max_sentence(self.max_sentence):
            return find_points(
                self.task, self.metrics, self.hypotheses, measure=self.measure, edge_weights=self.edge_weights,
                macro=self.macro, systems=self.systems, variants=self.variants, counted=counted,
            )  # fmt: skip

    @cached_property
    def _shares(self) -> Result:
        with readers.max_sentence(self.max_sentence):
            return pruned_shares(
                self.task, self.thresholds, raw=self.raw, systems=self.systems, redundancies=self.variants.redundancies
            )

    @cached_property
    def _spans(self) -> Result:
        with readers.max_sentence(self.max_sentence):
            return find_spans(self.task, self.systems, self.variants.redundancies)

    @cached_property
    def _quantiles(self) -> Result:
        with readers.max_sentence(self.max_sentence):
            return find_quantiles(self.task, self.systems, self.variants.redundancies)

    @property
    def _predicted(self) -> str:
        if self.predicted is None:
            raise UsageError("a line needs the metric to predict: --to METRIC")
        return self.predicted
