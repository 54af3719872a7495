"""The report page of a study of lattices at several densities."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from treesql.engines.duckdb import DuckDB
from treesql.evaluation.task import EMPTY_REFERENCES
from treesql.lattices import curve_fitting
from treesql.lattices.curve_points import check_rereadable
from treesql.lattices.curve_tables import CurveStudy
from treesql.reports import html
from treesql.reports.html import DIFFERENCES, Exhibit
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors
from treesql.significance.methods import RUNS, SEED

MAX_SPANS = 20
"""Maximum number of lattices on the page; the files have all."""


@convert_errors
def write_report(study: CurveStudy, out: str | Path, data: str | Path | None = None) -> list[Exhibit]:
    """Write every table as Parquet and CSV, every picture as SVG, and one page; whole or not at all.

    study: as `treesql.lattices.curve` returns it. out: a page, FILE.html, with `data` as the new folder of tables and
    pictures, or no data without it; or a new folder for all. Without a metric to predict the table of lines is left
    out. Raises UsageError, and what its tables raise.
    """
    out, folder = Path(out), None if data is None else Path(data)
    html.check_place(out, folder)
    check_rereadable(study.task, "a report reads lattices and references again")
    study.compute_all()
    exhibits = [*_of_points(study), *_of_shares(study), *_of_taus(study)]
    points = study.points
    provenance = {
        "Command": [_command(study)],
        "Signatures": list(points.signatures.values()),
        "Seeds and runs": [f"seed {SEED} of intervals", f"{RUNS:,} runs of the bootstrap"],
        "Files (SHA-256)": list(_digests(study)),
        "Versions": html.versions(f"{DuckDB.name} {DuckDB.version}"),
    }
    names = study.systems or list(study.task.systems)
    summary = f"{'Systems' if study.systems else 'Lattices'}, {len(points)} points: {', '.join(names)}."
    shown = {name: lines for name, lines in provenance.items() if lines}
    html.write_report(out, "Performance and density of lattices", exhibits, shown, summary, folder)
    return exhibits


def _command(study: CurveStudy) -> str:
    """The command line of a study."""
    task, reading, chosen, variants = study.task, study.task.reading, study.options, study.variants
    files = [path for files in task.systems.values() for path in files.values()]
    options: dict[str, object] = {
        "system": [f"{name}={','.join(_paths(study, names))}" for name, names in study.systems.items()],
        "reference": list(task.shared.get("reference", ())),
        "empty-references": task.parameters.get(EMPTY_REFERENCES),
        "db": task.database if isinstance(task.database, str) else None, "metrics": ",".join(study.metrics),
        "hypothesis": list(study.hypotheses), "measure": None if study.measure == "ger" else study.measure,
        "edge-weights": study.edge_weights, "macro": study.macro,
        "min-redundancy": list(variants.redundancies) or task.parameters.get("min_redundancy"),
        "at": list(chosen.at), "between": [tuple(bounds) for bounds in chosen.between], "fit": list(chosen.shapes),
        "to": study.predicted, "thresholds": ",".join(f"{threshold:g}" for threshold in variants.thresholds),
        "raw-threshold": study.raw, "density-of": variants.density_of,
        "together": [",".join(names) for names in study.pictures.together],
        "overlay": [",".join(names) for names in study.pictures.overlay], "log": study.pictures.log,
        "from": next(iter(reading.formats.values()), None), "phrases": reading.phrases, "symbols": reading.symbols,
        "scores": reading.scores, "ids": reading.ids, "max-sentence": study.max_sentence,
    }  # fmt: skip
    return html.command_line(["treesql", "lattice", "curve", *([] if study.systems else files)], options)


def _paths(study: CurveStudy, names: Sequence[str]) -> list[str]:
    return [path for name in names for path in study.task.systems[name].values()]


def _digests(study: CurveStudy) -> Iterator[str]:
    """The files that were read, with their digests; none of a database."""
    if study.task.database is None:
        paths = [file.path for file in study.task.inputs] + list(study.hypotheses)
        for path in dict.fromkeys(paths):
            if Path(path).is_file():
                with Path(path).open("rb") as file:
                    yield f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path}"


def _of_points(study: CurveStudy) -> list[Exhibit]:
    text = "Every metric against density, edges for each node, a line per curve, and the fits that were requested."
    exhibits = [Exhibit("points", "Performance and density", text, study.points, study.svg("points"))]
    shapes = study.options.or_default(study.points.arrow()["density"].to_pylist()).shapes
    formulas = "; ".join(f"{name} is {curve_fitting.SHAPES[name].formula}" for name in shapes) or "none"
    text = (
        "The curve interpolated at a density; its integral between two, and that divided by their distance, with "
        f"straight lines between points; parameters of curves fitted by least squares ({formulas})."
    )
    exhibits.append(Exhibit("numbers", "Three ways to one number", text, study.numbers))
    if study.predicted is not None:
        text = f"The line with the smallest squared error from each metric to {study.predicted}, and Pearson's r."
        exhibits.append(Exhibit("line", "Linear prediction", text, study.line, study.svg("line")))
    if len(study.systems) > 1:
        text = (
            "The scores of two systems at the same density, by straight lines between points, their difference, and "
            "its 95% interval by the bootstrap: the same sentences drawn for all points; densities are those of all."
        )
        picture = study.svg("differences")
        differences = study.differences
        exhibits.append(
            Exhibit(
                "differences", "Differences at equal density", text, differences, picture, part=DIFFERENCES,
                words=_in_words(differences),
            )
        )  # fmt: skip
    return exhibits


def _in_words(differences: Result) -> list[str]:
    """What intervals of differences say, a line per pair of systems, metric and curve."""
    excludes_zero: dict[str, list[bool]] = {}
    for row in differences.rows():
        if row["difference"] is None:
            continue
        other = "".join(
            f", {name} {row[name]:g}" for name in ("threshold", "min_redundancy") if row.get(name) is not None
        )
        verdicts = excludes_zero.setdefault(f"{row['system_a']} and {row['system_b']}, {row['metric']}{other}", [])
        verdicts.append(row["difference_low"] > 0 or row["difference_high"] < 0)
    return [
        f"{name}: the interval excludes 0 at {sum(verdicts)} of {len(verdicts)} densities"
        f"{'' if any(verdicts) else ', so that no difference is shown'}."
        for name, verdicts in excludes_zero.items()
    ]


def _of_taus(study: CurveStudy) -> list[Exhibit]:
    text = "The range of tau in every lattice, by the number of its nodes, its density, and the number of its edges."
    exhibits = [Exhibit("spans", "Span of tau", text, study.spans, study.svg("spans"), MAX_SPANS, DIFFERENCES)]
    text = "The distribution of tau over the edges of all lattices, as it is and times the edges of the lattice."
    picture = study.svg("quantiles")
    return [*exhibits, Exhibit("quantiles", "Quantiles of tau", text, study.quantiles, picture, part=DIFFERENCES)]


def _of_shares(study: CurveStudy) -> list[Exhibit]:
    over = "" if study.raw else " for each edge of its lattice"
    text = f"The share of edges whose tau is below the threshold{over}, before any is kept so that a path remains."
    exhibits = [Exhibit("pruned", "Pruned edges", text, study.pruned, study.svg("pruned"), part=DIFFERENCES)]
    text = f"{curve_fitting.SHAPES['logistic'].formula}, x the threshold, fitted to these shares by least squares."
    return [*exhibits, Exhibit("growth", "Logistic growth", text, study.growth, part=DIFFERENCES)]
