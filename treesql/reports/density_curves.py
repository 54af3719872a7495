"""The report page of a study of lattices at several densities."""

from __future__ import annotations

from pathlib import Path

from treesql._version import __version__
from treesql.engines.duckdb import DuckDB
from treesql.lattices import curve_fitting
from treesql.lattices.curve_points import check_rereadable
from treesql.lattices.curve_tables import CurveStudy
from treesql.reports import html
from treesql.reports.html import Exhibit
from treesql.runtime.failures import convert_errors

MAX_SPANS = 20
"""Maximum number of lattices on the page; the files have all."""


@convert_errors
def write_report(study: CurveStudy, folder: str | Path) -> list[Exhibit]:
    """Write every table as Parquet and CSV, every picture as SVG, and one page to a folder; whole or not at all.

    study: as `treesql.lattices.curve` returns it. Without a metric to predict the table of lines is left out. Raises
    UsageError, and what its tables raise.
    """
    folder = Path(folder)
    html.check_free(folder)
    check_rereadable(study.task, "a report reads lattices and references again")
    made = [*_of_points(study), *_of_shares(study), *_of_taus(study)]
    points = study.points
    provenance = {
        "Signatures": list(points.signatures.values()),
        "Versions": [f"treesql {__version__}", f"{DuckDB.name} {DuckDB.version}"],
    }
    names = study.systems or list(study.task.systems)
    summary = f"{'Systems' if study.systems else 'Lattices'}, {len(points)} points: {', '.join(names)}."
    html.write_report(folder, "Performance and density of lattices", made, provenance, summary)
    return made


def _of_points(study: CurveStudy) -> list[Exhibit]:
    text = "Every metric against density, edges for each node, a line per curve, and the fits that were requested."
    made = [Exhibit("points", "Performance and density", text, study.points, study.svg("points"))]
    shapes = study.options.or_default(study.points.arrow()["density"].to_pylist()).shapes
    formulas = "; ".join(f"{name} is {curve_fitting.SHAPES[name].formula}" for name in shapes) or "none"
    text = (
        "The curve interpolated at a density; its integral between two, and that divided by their distance, with "
        f"straight lines between points; parameters of curves fitted by least squares ({formulas})."
    )
    made.append(Exhibit("numbers", "Three ways to one number", text, study.numbers))
    if study.predicted is not None:
        text = f"The line with the smallest squared error from each metric to {study.predicted}, and Pearson's r."
        made.append(Exhibit("line", "Linear prediction", text, study.line, study.svg("line")))
    if len(study.systems) > 1:
        text = (
            "The scores of two systems at the same density, by straight lines between points, their difference, and "
            "its 95% interval by the bootstrap: the same sentences drawn for all points; densities are those of all."
        )
        picture = study.svg("differences")
        made.append(Exhibit("differences", "Differences at equal density", text, study.differences, picture))
    return made


def _of_taus(study: CurveStudy) -> list[Exhibit]:
    text = "The range of tau in every lattice, by the number of its nodes, its density, and the number of its edges."
    made = [Exhibit("spans", "Span of tau", text, study.spans, study.svg("spans"), MAX_SPANS)]
    text = "The distribution of tau over the edges of all lattices, as it is and times the edges of the lattice."
    return [*made, Exhibit("quantiles", "Quantiles of tau", text, study.quantiles, study.svg("quantiles"))]


def _of_shares(study: CurveStudy) -> list[Exhibit]:
    over = "" if study.raw else " for each edge of its lattice"
    text = f"The share of edges whose tau is below the threshold{over}, before any is kept so that a path remains."
    made = [Exhibit("pruned", "Pruned edges", text, study.pruned, study.svg("pruned"))]
    text = f"{curve_fitting.SHAPES['logistic'].formula}, x the threshold, fitted to these shares by least squares."
    return [*made, Exhibit("growth", "Logistic growth", text, study.growth)]
