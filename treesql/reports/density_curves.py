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
from treesql.lattices.density_curves import curves_of, direction_of, metrics_of
from treesql.reports import html
from treesql.reports.html import ANSWER, DIFFERENCES, SCORES, Exhibit, StudyAnswer
from treesql.results.pages import counted
from treesql.results.result import Result
from treesql.results.tables import number_text
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
    summary = f"Density curves · {', '.join(names)} · {counted(len(points), 'point')}"
    shown = {name: lines for name, lines in provenance.items() if lines}
    html.write_report(out, "Performance and density of lattices", exhibits, shown, summary, folder, _answer(study))
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
    several = len(study.systems) > 1
    text = "Every metric against density, edges for each node, a line per curve, and the fits that were requested."
    part = SCORES if several else ANSWER
    exhibits = [Exhibit("points", "Performance and density", text, study.points, study.svg("points"), part=part)]
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
    if several:
        text = (
            "The scores of two systems at the same density, by straight lines between points, their difference, and "
            "its 95% interval by the bootstrap: the same sentences drawn for all points; densities are those of all."
        )
        picture = study.svg("differences")
        differences = study.differences
        exhibits.append(
            Exhibit(
                "differences", "Differences at equal density", text, differences, picture, part=ANSWER,
                words=_in_words(differences),
            )
        )  # fmt: skip
    return exhibits


def _answer(study: CurveStudy) -> StudyAnswer:
    """At how many densities the first two systems differ in the first metric; of one system, from where to where the
    metrics of its first curve go."""
    verdicts = _find_verdicts(study.differences) if len(study.systems) > 1 else {}
    if verdicts:
        (first, second, metric), signs = next(iter(verdicts.items()))
        n, n_apart = len(signs), sum(map(bool, signs))
        if not n_apart:
            return StudyAnswer(
                f"No difference in {metric} between {first} and {second} is shown at any of {n} densities"
            )
        direction = direction_of(metric.partition(",")[0])
        said = f"{first} and {second} differ in {metric}"
        if direction != "neither" and len(set(filter(None, signs))) == 1:
            is_better = (1 if direction == "higher" else -1) in signs
            better, worse = (first, second) if is_better else (second, first)
            said = f"{better} is better than {worse} in {metric}"
        return StudyAnswer(
            f"{said} at {n_apart} of {n} densities",
            ["There the 95% interval of the difference excludes 0. Intervals are not corrected for their number."],
        )
    curve, *_ = curves_of(study.points).values()
    lines = []
    for name in metrics_of(curve):
        points = sorted((row["density"], row[name]) for row in curve.rows() if row[name] is not None)
        share = name in study.points.percent
        ends = [
            f"{number_text(score, share)}{'%' * share} at density {density:.3g}"
            for density, score in dict.fromkeys((points[0], points[-1]) if points else ())
        ]
        if ends:
            lines.append(f"{name} goes from {' to '.join(ends)}" if len(ends) > 1 else f"{name} is {ends[0]}")
    heading, *others = lines or ["No metric has a value"]
    return StudyAnswer(heading, [f"{line}." for line in others])


def _find_verdicts(differences: Result) -> dict[tuple[str, str, str], list[int]]:
    """By pair of systems, and metric and curve, the signs of the intervals at all densities: 1 above 0, -1 below it,
    0 where they include it."""
    verdicts: dict[tuple[str, str, str], list[int]] = {}
    for row in differences.rows():
        if row["difference"] is None:
            continue
        other = "".join(
            f", {name} {row[name]:g}" for name in ("threshold", "min_redundancy") if row.get(name) is not None
        )
        signs = verdicts.setdefault((row["system_a"], row["system_b"], f"{row['metric']}{other}"), [])
        signs.append((row["difference_low"] > 0) - (row["difference_high"] < 0))
    return verdicts


def _in_words(differences: Result) -> list[str]:
    """What intervals of differences say, a line per pair of systems, metric and curve."""
    return [
        f"{first} and {second}, {metric}: the interval excludes 0 at {sum(map(bool, signs))} of {len(signs)} densities"
        f"{'' if any(signs) else ', so that no difference is shown'}."
        for (first, second, metric), signs in _find_verdicts(differences).items()
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
