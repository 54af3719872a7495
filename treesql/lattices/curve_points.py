"""Scores of lattices at several densities, of one system or several, as they are and pruned: the points of curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query, kinds, schemas
from treesql.catalog.header import Score
from treesql.catalog.kinds import Kind
from treesql.engines import Engine
from treesql.errors import Diagnostic, UnknownName, UsageError, Warn
from treesql.evaluation.files import make_task
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import EMPTY_REFERENCES, Inputs, Task, check_task, choose_columns
from treesql.lattices import curve_fitting, pruning
from treesql.lattices.oracle_texts import SCORE, connect_to_texts, find_paths, measures, text_values, words_of_paths
from treesql.readers import LATTICE, TEXT, Options
from treesql.results.result import Result
from treesql.runtime import steps
from treesql.runtime.arrays import compute as pc
from treesql.scoring import scores
from treesql.significance.correspondence import renumber_sums, same_ids, sentence_ids
from treesql.significance.tests import Counts
from treesql.storage import loading
from treesql.storage.corpus_plans import File, each_of

Systems = Mapping[str, File | Sequence[File]] | Sequence[str]
"""Files or corpora by the name of their system, or what is in memory in place of files; or texts `NAME=FILE,FILE`."""

N_THRESHOLDS = 41
"""Number of thresholds of a range."""

DEFAULT_RANGE = (-8.0, 8.0)
"""The default first and last threshold: those of the thesis."""

UNPRUNED = "unpruned"
"""The name of lattices as they are, whose density pruned ones may stand at."""


@dataclass(frozen=True)
class Variants:
    """Variants of the lattices of each system, a curve each.

    thresholds: lattices as they are, and pruned at each of these, which are not divided by the number of edges if
    `raw`. redundancies: bounds of the redundancy; empty for that of the task. density_of: UNPRUNED, or a system whose
    densities those of all systems are replaced by, file by file.
    """

    thresholds: Sequence[float] = ()
    raw: bool = False
    redundancies: Sequence[float] = ()
    density_of: str | None = None

    def check(self, systems: Mapping[str, Sequence[str]]) -> None:
        """Raises UsageError for densities that there are not."""
        if self.density_of is None:
            return
        if self.density_of == UNPRUNED and UNPRUNED not in systems:
            if not self.thresholds:
                raise UsageError("--density-of unpruned is for lattices pruned here: name --thresholds, or a system")
            return
        if self.density_of not in systems:
            named = ", ".join([*systems, UNPRUNED] if self.thresholds else systems) or "none is named"
            raise UsageError(f"--density-of {self.density_of} is no system of this curve: {named}")
        n = len(systems[self.density_of])
        for name, files in systems.items():
            if len(files) != n:
                what = f"the system {name} has {_files(len(files))} and {self.density_of} has {n}"
                raise UsageError(f"{what}; --density-of {self.density_of} needs one file per density of each")


NO_VARIANTS = Variants()
"""Lattices as they are, with the redundancy of the task."""


def parse_systems(given: Systems) -> dict[str, list[str]]:
    """Files by system. Raises UsageError for a system that is named twice or has no files."""
    systems: dict[str, list[str]] = {}
    for name, files in _named_files(given):
        hint = f"write --system {name or 'NAME'}=FILE,FILE,..., a file per density"
        if not name:
            raise UsageError(f"a system has no name; {hint}")
        if name in systems:
            raise UsageError(f"the system {name} is named twice; name it once, with all its files")
        if not files:
            raise UsageError(f"the system {name} has no files; {hint}")
        if not all(files):
            raise UsageError(f"the system {name} has an empty name among its files; {hint}")
        systems[name] = files
    owners = [(file, name) for name, files in systems.items() for file in files]
    for at, (file, name) in enumerate(owners):
        for other in (other for same, other in owners[:at] if same == file):
            if other == name:
                raise UsageError(f"{file} is given twice; name each file once")
            hint = "name a copy of it, or a link to it, for one of them"
            raise UsageError(f"{file} is of the systems {other} and {name}; {hint}")
    return systems


def _named_files(given: Systems) -> list[tuple[str, list[str]]]:
    if isinstance(given, Mapping):
        return [(str(name), list(map(str, each_of(files)))) for name, files in given.items()]
    named = []
    for text in [given] if isinstance(given, str) else given:
        name, sign, files = text.partition("=")
        if not sign:
            raise UsageError(f"--system {text}: write NAME=FILE,FILE,..., a file per density")
        named.append((name.strip(), [file.strip() for file in files.split(",")] if files.strip() else []))
    return named


def parse_thresholds(given: str | Sequence[float]) -> list[float]:
    """Thresholds, ascending. given: numbers, with commas between; LOW:HIGH for N_THRESHOLDS between.

    Raises UsageError.
    """
    thresholds: list[float] = []
    for part in given.split(",") if isinstance(given, str) else given:
        low, sign, high = str(part).partition(":")
        thresholds += thresholds_between(_number(low, part), _number(high, part)) if sign else [_number(low, part)]
    if not thresholds:
        raise UsageError("name at least one threshold: --thresholds -1,0,1")
    for threshold in thresholds:
        if thresholds.count(threshold) > 1:
            raise UsageError(f"the threshold {threshold:g} is given twice; name each once")
    return sorted(thresholds)


def thresholds_between(low: float, high: float) -> list[float]:
    """N_THRESHOLDS equidistant thresholds. Raises UsageError."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"thresholds go from a smaller to a greater number, not from {low:g} to {high:g}")
    return [round(float(value), 12) for value in np.linspace(low, high, N_THRESHOLDS)]


def check_redundancies(given: Sequence[float]) -> None:
    """Raises UsageError for bounds that are negative or given twice."""
    for redundancy in given:
        catalog.query("tau_span").check({"min_redundancy": redundancy})
        if list(given).count(redundancy) > 1:
            raise UsageError(f"--min-redundancy {redundancy:g} is given twice; name each once")


def _number(text: str, given: object) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        several = " with commas between, -1,0,1, or a range, -8:8" if isinstance(given, str) else ""
        raise UsageError(f"`{given}` is no threshold; write finite numbers{several}")
    return number


def _files(n: int) -> str:
    return "1 file" if n == 1 else f"{n} files"


CURVE_KEYS = ("threshold", "min_redundancy")
"""Columns that tell the curves of one system apart."""


@dataclass(frozen=True)
class CurvePoint:
    """Lattices of one density, and what was found of them.

    system: the name of the system, empty if there is only one without a name; lattices: the name of the file or corpus.
    counts: by metric the counts per sentence that the score is computed from, if they were asked for.
    """

    system: str
    lattices: str
    threshold: float | None
    redundancy: float | None
    density: float | None
    values: Mapping[str, object]
    counts: Mapping[str, tuple[Score, Counts]] = field(default_factory=dict)


@dataclass(frozen=True)
class CurvePoints:
    """All points, the names of the metrics in order, signatures by `lattices:metric`, and which are percentages."""

    points: Sequence[CurvePoint]
    metrics: Sequence[str]
    signatures: Mapping[str, str]
    percent: frozenset[str]
    variants: Variants

    def result(self) -> Result:
        """A row per point: `system, density` and the metrics; of named systems with `lattices`, of several curves of a
        system with the columns that tell them apart."""
        has_systems = any(point.system for point in self.points)
        shown = [self.variants.thresholds, self.variants.redundancies]
        keys = [name for name, given in zip(CURVE_KEYS, shown, strict=True) if given]
        rows = []
        for point in self.points:
            row: dict[str, object] = {"system": point.system or point.lattices, "lattices": point.lattices}
            row |= {"threshold": point.threshold, "min_redundancy": point.redundancy, "density": point.density}
            rows.append({**point.values, **row})
        order = ["system", *(["lattices"] if has_systems else []), *keys, "density"]
        floats = {"density", *CURVE_KEYS}
        columns = {
            name: pa.array([row[name] for row in rows], pa.float64() if name in floats else None)
            for name in [*order, *self.metrics]
        }
        return Result(pa.table(columns), dict(self.signatures), self.percent)


@dataclass(frozen=True)
class _Variant:
    """One corpus of lattices to score: its engine, its name there, and the values of the corpus parameters."""

    engine: Engine
    threshold: float | None
    redundancy: float | None
    values: Mapping[str, object]


def find_points(
    task: Task, metrics: Sequence[str] = (), hypotheses: Sequence[str] = (), *, measure: str = "ger",
    edge_weights: str = "", macro: bool = False, systems: Mapping[str, Sequence[str]] | None = None,
    variants: Variants = NO_VARIANTS, counted: bool = False,
) -> CurvePoints:  # fmt: skip
    """The points of all curves: by system, then by variant, then by density.

    metrics: columns of `score lattice`, or metrics of the catalogue for all their columns; columns of `score
    translation` for the `hypotheses`, files or corpora in the order of the lattices; the same with the prefix `oracle_`
    for the words of the paths that are nearest by `measure`, with `best_` for those of the paths with the best scores,
    weighted by `edge_weights` (of weighted_edges). macro: density is the mean over lattices. systems: the
    corpora of the task by system, by default all are of one. counted: also find counts per sentence. Raises UsageError
    for fewer than two densities or equal ones, and what `evaluate` raises.
    """
    columns_of = choose_metrics(metrics, hypotheses)
    density = "density_macro" if macro else "density"
    owners = systems or {"": list(task.systems)}
    _check(task, columns_of, density, owners, hypotheses, measure, variants)
    lattice = _with_weights(replace(task, metrics=[density, *columns_of[LATTICE]]), edge_weights, columns_of, measure)
    check_task(
        _without_empty_references(lattice) if columns_of[ORACLE] or columns_of[BEST] or columns_of[TEXT] else lattice
    )
    measured = {ORACLE: (measure, edge_weights if measure == SCORE else ""), BEST: (SCORE, edge_weights)}
    measured = {prefix: method for prefix, method in measured.items() if columns_of[prefix]}
    outputs = [
        _find_output_points(task, content, columns_of[content], hypotheses, edge_weights, counted)
        for content in (TEXT, OUTPUT)
        if columns_of[content]
    ]
    signatures = {key: text for output in outputs for key, text in output.signatures.items()}
    percent, points = {name for output in outputs for name in output.percent}, []
    with _open(lattice, columns_of, variants) as inputs:
        check_systems(inputs.engine, owners, task.warn)
        of_systems = [(system, corpus) for system, corpora in owners.items() for corpus in corpora]
        for system, corpus in steps.each(of_systems, "densities"):
            for variant in _variants(inputs, corpus, variants):
                part = _score(inputs, corpus, variant, columns_of, measured, counted=counted)
                signatures |= part.signatures
                percent |= part.percent
                values, counts = dict(part.values), dict(part.counts)
                for output in outputs:
                    values |= output.values[corpus]
                    counts |= output.counts[corpus]
                value = part.values[density]
                at = None if value is None else float(str(value))
                points.append(CurvePoint(system, corpus, variant.threshold, variant.redundancy, at, values, counts))
    _check_densities(points)
    points = _sorted(_with_density_of(points, owners, variants.density_of), owners)
    return CurvePoints(points, columns_of["order"], signatures, frozenset(percent), variants)


def _check(
    task: Task, columns_of: Mapping[str, Sequence[str]], density: str, systems: Mapping[str, Sequence[str]],
    hypotheses: Sequence[str], measure: str, variants: Variants,
) -> None:  # fmt: skip
    """Raises UsageError for a curve that cannot be, whatever the files contain."""
    if density in columns_of[LATTICE]:
        raise UsageError(f"{density} is the x-axis of the curve; name metrics")
    for name, corpora in systems.items():
        if len(corpora) < curve_fitting.MIN_POINTS:
            of_system = f"of the system {name}; --system {name}=FILE,FILE,..." if name else "; name two files"
            raise UsageError(f"a curve needs lattices of two densities at least{' ' if name else ''}{of_system}")
    if hypotheses and len(hypotheses) != len(task.systems):
        what = f"here are {len(task.systems)} of lattices and {len(hypotheses)} of hypotheses"
        raise UsageError(f"give hypotheses for every density, in the same order; {what}")
    if hypotheses and variants.thresholds:
        raise UsageError(
            "hypotheses are not of the lattices pruned at --thresholds: write these with `lattice prune -o`, decode "
            "them, and name both as a system each"
        )
    if columns_of[ORACLE] and measure not in measures():
        raise UnknownName("measure", measure, measures())
    variants.check({name: corpora for name, corpora in systems.items() if name})
    if variants.thresholds and not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    if columns_of[TEXT] or columns_of[OUTPUT]:
        check_rereadable(task, "scores of hypotheses read lattices and references again")


def _with_weights(task: Task, edge_weights: str, columns_of: Mapping[str, Sequence[str]], measure: str) -> Task:
    """The task with weights of scores of edges for the metrics that read them. Raises UsageError if nothing does."""
    reads_weights = any(parameter.name == "edge_weights" for query in task.queries for parameter in query.parameters)
    if not edge_weights:
        return task
    if not (reads_weights or columns_of[OUTPUT] or columns_of[BEST] or (columns_of[ORACLE] and measure == SCORE)):
        raise UsageError(
            f"--edge-weights are of paths with the best scores: name metrics that begin with {BEST}, or with "
            f"{ORACLE} and --measure {SCORE}"
        )
    return replace(task, parameters={**task.parameters, "edge_weights": edge_weights}) if reads_weights else task


def _without_empty_references(task: Task) -> Task:
    """The task without the parameter that scores of translations take as well."""
    return replace(
        task, parameters={name: value for name, value in task.parameters.items() if name != EMPTY_REFERENCES}
    )


def check_rereadable(task: Task, reason: str) -> None:
    """Raises UsageError if standard input would be read twice."""
    if not task.database and task.reads_standard_input:
        raise UsageError(f"{reason}, and standard input can be read only once; name files")


@contextmanager
def _open(task: Task, columns_of: Mapping[str, Sequence[str]], variants: Variants) -> Iterator[Inputs]:
    """Open lattices and references with all that is read of them."""
    queries = [*task.queries, *map(catalog.query, QUERIES)]
    if columns_of[ORACLE] or columns_of[BEST]:
        queries += [catalog.query("oracle_paths"), catalog.query("edge_score_faults")]
        queries += queries_of(TEXT, [*columns_of[ORACLE], *columns_of[BEST]])
    columns: list[str] = []
    if variants.thresholds:
        queries += [catalog.query(name) for name in ("reference_texts", "lattice_shapes", "weighted_edges")]
        tables = ("sentences", "lattices", "lattice_edges", "lattice_words")
        columns = [name for table in tables for name in schemas.table(table).names]
    with open_inputs(task, queries, columns) as inputs:
        yield inputs


def _variants(inputs: Inputs, corpus: str, variants: Variants) -> Iterator[_Variant]:
    """The lattices of a corpus as they are, then pruned at every threshold; these for every bound of the redundancy."""
    values = inputs.corpus_values(corpus)
    min_redundancy = inputs.task.parameters.get("min_redundancy")
    for redundancy in variants.redundancies or (None,):
        yield _Variant(inputs.engine, None, redundancy, values)
        if not variants.thresholds:
            continue
        least = redundancy if redundancy is not None else 1.0 if min_redundancy is None else float(str(min_redundancy))
        lattices = pruning.read(inputs.engine, corpus)
        pruning_input = pruning.PruningInput(inputs.engine, values, lattices)
        rules = pruning.by_distances(variants.thresholds, raw=variants.raw, min_redundancy=least)
        decisions = {
            f"{corpus} at {threshold:g}": decided
            for threshold, decided in zip(variants.thresholds, rules(pruning_input), strict=True)
        }
        tables = pruning.without_edges(inputs.engine, corpus, inputs.of_role("reference"), lattices, decisions)
        with loading.connect_to_rows(tables, Options()) as engine:
            for threshold, name in zip(variants.thresholds, decisions, strict=True):
                yield _Variant(engine, threshold, redundancy, {**values, "lattice_corpus": name})


@dataclass(frozen=True)
class _PointScores:
    """Scores of one corpus by column, with their signatures and counts per sentence."""

    values: Mapping[str, object]
    signatures: Mapping[str, str]
    percent: frozenset[str]
    counts: Mapping[str, tuple[Score, Counts]]

    def merge(self, other: _PointScores) -> _PointScores:
        """These scores and others of the same corpus."""
        return _PointScores(
            {**self.values, **other.values},
            {**self.signatures, **other.signatures},
            self.percent | other.percent,
            {**self.counts, **other.counts},
        )


def _score(
    inputs: Inputs, corpus: str, variant: _Variant, columns_of: Mapping[str, Sequence[str]],
    measured: Mapping[str, tuple[str, str]], *, counted: bool,
) -> _PointScores:  # fmt: skip
    """Score the lattices of a variant, and the words of paths by each measure and weights of `measured`, by prefix."""
    task = inputs.task
    queries = task.queries
    values = {**inputs.values(corpus, queries), **variant.values}
    if variant.redundancy is not None:
        values["min_redundancy"] = variant.redundancy
    declared = {parameter.name for query in queries for parameter in query.parameters}
    values = {name: value for name, value in values.items() if name in declared}
    result = scores.score(variant.engine, [query.name for query in queries], values)
    [row] = result.rows()
    label = str(variant.values["lattice_corpus"])
    for warning in task.hook.find_warnings(inputs, label, [query.name for query in queries], row):
        task.warn(warning)
    source = f"{label} by {variant.redundancy:g}" if variant.redundancy is not None else label
    cited = {f"{source}:{name}": text for name, text in result.signatures.items() if name in task.metrics}
    percent = {name for name in result.percent if name in columns_of[LATTICE]}
    counts = (
        _counts(variant.engine, LATTICE, columns_of[LATTICE], values, inputs) if counted and columns_of[LATTICE] else {}
    )
    scored = {name: row[name] for name in task.metrics}
    point_scores = _PointScores(scored, cited, frozenset(percent), counts)
    for prefix, method in measured.items():
        part = _score_paths(inputs, variant, source, prefix, columns_of[prefix], method, counted=counted)
        point_scores = point_scores.merge(part)
    return point_scores


def _score_paths(
    inputs: Inputs,
    variant: _Variant,
    source: str,
    prefix: str,
    columns: Sequence[str],
    method: tuple[str, str],
    *,
    counted: bool,
) -> _PointScores:
    """Score the words of the paths of a variant. method: the measure of paths, and weights of scores."""
    translations = queries_of(TEXT, columns)
    measure, edge_weights = method
    words = words_of_paths(find_paths(variant.engine, variant.values, measure, edge_weights))
    label = str(variant.values["lattice_corpus"])
    with connect_to_texts(
        variant.engine, label, inputs.of_role("reference"), {label: (words, None)}, translations
    ) as engine:
        parameters = text_values(translations, variant.values)
        result = scores.score(engine, [query.name for query in translations], parameters)
        counts = _counts(engine, TEXT, columns, parameters, inputs) if counted else {}
    [row] = result.rows()
    cited = f"|measure:{measure}" + (f"|edge_weights:{edge_weights}" if edge_weights else "")
    return _PointScores(
        {prefix + name: row[name] for name in columns},
        {
            f"{source}:{prefix}{name}": prefix + text + cited
            for name, text in result.signatures.items()
            if name in columns
        },
        frozenset(prefix + name for name in result.percent),
        {prefix + name: score_counts for name, score_counts in counts.items()},
    )


def _counts(
    engine: Engine, content: str, columns: Sequence[str], values: Mapping[str, object], inputs: Inputs
) -> dict[str, tuple[Score, Counts]]:
    """The counts per sentence behind each column, in the order of the first reference."""
    by_column: dict[str, tuple[Score, Counts]] = {}
    corpus = str(values["hypothesis_corpus" if content == TEXT else "lattice_corpus"])
    [gold, *_] = inputs.of_role("reference") or [corpus]
    for metric, score_names in choose_columns(kind_of(content), columns).columns.items():
        query = catalog.query(metric)
        declared = {
            name: value for name, value in values.items() if name in {parameter.name for parameter in query.parameters}
        }
        [summed] = scores.sentence_sums(engine, [metric], declared)
        counts = Counts(query.counts, renumber_sums(engine, query, summed, corpus, gold).values[:, 0])
        for name in score_names:
            known_score = next((ratio for ratio in query.ratios if ratio.name == name), None)
            by_column[name] = (known_score or Score(name, "number", f"sum({name})", ""), counts)
    return by_column


@dataclass(frozen=True)
class _OutputPoints:
    """Scores and counts of hypotheses by the corpus of their lattices."""

    values: Mapping[str, Mapping[str, object]]
    signatures: Mapping[str, str]
    percent: frozenset[str]
    counts: Mapping[str, Mapping[str, tuple[Score, Counts]]]


def _find_output_points(
    task: Task, content: str, columns: Sequence[str], hypotheses: Sequence[str], edge_weights: str, counted: bool
) -> _OutputPoints:
    """Score the output of a decoder for each of the lattices: as a translation, or in its lattice."""
    outputs = _output_task(task, content, columns, hypotheses, edge_weights)
    check_task(outputs)
    values: dict[str, dict[str, object]] = {}
    counts: dict[str, dict[str, tuple[Score, Counts]]] = {}
    signatures: dict[str, str] = {}
    percent: frozenset[str] = frozenset()
    with open_inputs(outputs, outputs.queries) as inputs:
        for lattices, name in zip(task.systems, inputs.systems, strict=True):
            parameters = inputs.values(name, outputs.queries)
            result = scores.score(inputs.engine, [query.name for query in outputs.queries], parameters)
            [row] = result.rows()
            for warning in outputs.hook.find_warnings(inputs, name, outputs.choice.metrics, row):
                task.warn(warning)
            values[lattices] = {column: row[column] for column in columns}
            signatures |= {f"{lattices}:{key}": text for key, text in result.signatures.items() if key in columns}
            of_kind = TEXT if content == TEXT else LATTICE
            counts[lattices] = _counts(inputs.engine, of_kind, columns, parameters, inputs) if counted else {}
            percent = result.percent
    return _OutputPoints(values, signatures, percent & frozenset(columns), counts)


def _output_task(
    task: Task, content: str, columns: Sequence[str], hypotheses: Sequence[str], edge_weights: str
) -> Task:
    """The task of scoring hypotheses: as texts, or with their lattices, whose names are those of the systems."""
    if content == TEXT:
        empty_references = task.parameters.get(EMPTY_REFERENCES)
        shared = {"reference": task.shared.get("reference"), "ids": task.reading.ids}
        given = {**shared, EMPTY_REFERENCES: empty_references}
        return replace(make_task(kind_of(TEXT), hypotheses, given, task.database, metric=columns), warn=task.warn)
    parameters = {"edge_weights": edge_weights} if edge_weights else {}
    systems = {
        name: {**roles, "hypothesis": hypothesis}
        for (name, roles), hypothesis in zip(task.systems.items(), hypotheses, strict=True)
    }
    return replace(task, metrics=columns, systems=systems, parameters=parameters)


def _with_density_of(
    points: Sequence[CurvePoint], systems: Mapping[str, Sequence[str]], density_of: str | None
) -> list[CurvePoint]:
    """The points at the densities of the unpruned lattices, or those of a system, file by file."""
    if density_of is None:
        return list(points)
    densities = {point.lattices: point.density for point in points if point.threshold is None}
    if density_of == UNPRUNED and UNPRUNED not in systems:
        return [replace(point, density=densities[point.lattices]) for point in points]
    place = {corpus: at for corpora in systems.values() for at, corpus in enumerate(corpora)}
    return [replace(point, density=densities[systems[density_of][place[point.lattices]]]) for point in points]


def _sorted(points: Sequence[CurvePoint], systems: Mapping[str, Sequence[str]]) -> list[CurvePoint]:
    """Points by system in the order given, by variant, then by density; unpruned lattices first."""
    order = list(systems)

    def key(point: CurvePoint) -> tuple[float, ...]:
        threshold = -np.inf if point.threshold is None else point.threshold
        return (order.index(point.system), point.redundancy or 0, threshold, point.density or 0)

    return sorted(points, key=key)


def _check_densities(points: Sequence[CurvePoint]) -> None:
    """Raises UsageError for lattices of a system, as they are, that have no density, or the same."""
    for point in points:
        if point.density is None:
            raise UsageError(f"{point.lattices} has no lattices; a curve needs a density")
    unpruned = [point for point in points if point.threshold is None]
    for _, curve in itertools.groupby(unpruned, lambda point: (point.system, point.redundancy)):
        ranked = sorted(curve, key=lambda point: point.density or 0)
        for a, b in itertools.pairwise(ranked):
            if a.density == b.density:
                what = f"{a.lattices} and {b.lattices} have the same density, {a.density:g}"
                raise UsageError(f"{what}; a curve needs lattices of different densities")


MAX_LACKING = 0.02
"""Maximum share of the lattices that lack a word of the same system's sparser ones: wider search may lose a path."""

QUERIES = ("word_counts", "lattice_size")
"""Queries that read the columns that `check_one_system` reads."""

_SIZES = "SELECT l.n_edges, l.n_nodes FROM lattices AS l WHERE l.corpus = $corpus"
_LACKING = """
SELECT count(DISTINCT a.name)
FROM (SELECT CASE WHEN $named THEN s.sent_id ELSE CAST(s.sentence AS VARCHAR) END AS name, w.form
      FROM lattice_words AS w
      JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
      WHERE w.corpus = $sparse AND s.corpus = $sparse) AS a
LEFT JOIN (SELECT DISTINCT CASE WHEN $named THEN s.sent_id ELSE CAST(s.sentence AS VARCHAR) END AS name, w.form
           FROM lattice_words AS w
           JOIN sentences AS s ON s.corpus = w.corpus AND s.sentence = w.sentence
           WHERE w.corpus = $dense AND s.corpus = $dense) AS b ON b.name = a.name AND b.form = a.form
WHERE b.form IS NULL
"""


def check_systems(engine: Engine, systems: Mapping[str, Sequence[str]], warn: Warn = lambda warning: None) -> None:
    """Raises UsageError if lattices are of different sentences; warns where those of a system may be of several.

    Files do not name their system. But denser lattices of a system contain the words of its sparser ones, unless they
    were pruned or decoded in another way; those of another system lack some.

    systems: the corpora of each by its name, which is empty for the only one.
    """
    for name, corpora in systems.items():
        check_one_system(engine, corpora, name, warn)
    for first, second in itertools.pairwise(systems):
        a, b = systems[first][0], systems[second][0]
        ids, others = sentence_ids(engine, a), sentence_ids(engine, b)
        have_ids = bool(len(ids)) and not ids.null_count and not others.null_count
        if len(ids) != len(others) or (have_ids and not same_ids(ids, others)):
            raise UsageError(
                f"{a} of the system {first} and {b} of {second} are of other sentences; give all systems the same ones"
            )


def check_one_system(
    engine: Engine, corpora: Sequence[str], system: str = "", warn: Warn = lambda warning: None
) -> None:
    """Raises UsageError if lattices are of different sentences; warns of those that may be of several systems.

    Such are two neighbours by density of which the denser lacks words of the sparser in more than a share of
    MAX_LACKING lattices. Lattices with ids correspond by them.
    """
    sizes = {name: engine.table(_SIZES, {"corpus": name}) for name in corpora}
    total = {name: [pc.sum(rows[column]).as_py() or 0 for column in rows.column_names] for name, rows in sizes.items()}
    by_density = sorted(sizes, key=lambda name: total[name][0] / max(total[name][1], 1))
    for sparse, dense in itertools.pairwise(by_density):
        ids, others = sentence_ids(engine, sparse), sentence_ids(engine, dense)
        have_ids = bool(len(ids)) and not ids.null_count and not others.null_count
        n = len(sizes[sparse])
        if n != len(sizes[dense]) or (have_ids and not same_ids(ids, others)):
            raise UsageError(
                f"{sparse} and {dense} are of other sentences; a curve is of one system and the same sentences"
            )
        values = {"sparse": sparse, "dense": dense, "named": have_ids}
        [(lacking,)] = engine.rows(_LACKING, values)
        if lacking > MAX_LACKING * n:
            what = f"{lacking} of {n} lattices lack words of {sparse}, which is sparser"
            hint = f"move it, if it is not of the system {system}"
            if not system:
                hint = "name each system with its files, if they are of several: --system NAME=FILE,FILE,..."
            warn(Diagnostic.warning(dense, 0, what, hint))


ORACLE = "oracle_"
"""Prefix of scores of translations that are computed of the words of nearest paths."""

BEST = "best_"
"""Prefix of scores of translations that are computed of the words of the paths with the best scores of edges."""

OUTPUT = "output"
"""What scores of hypotheses in their lattices are of."""

DEFAULT_METRICS = ("ger_rate", "swcd")
"""The default metrics of a curve."""


def choose_metrics(metrics: Sequence[str], hypotheses: Sequence[str]) -> Mapping[str, list[str]]:
    """The columns to compute of lattices, hypotheses, oracle and best paths; under `order` all of them in order."""
    columns_of: dict[str, list[str]] = {LATTICE: [], TEXT: [], OUTPUT: [], ORACLE: [], BEST: [], "order": []}
    known = {kind: set(_names_of_kind(kind)) for kind in (LATTICE, TEXT)}
    for name in metrics or DEFAULT_METRICS:
        prefix = next((start for start in (ORACLE, BEST) if name.startswith(start)), "")
        plain = name.removeprefix(prefix)
        if name in known[LATTICE]:
            kind, columns, shown = _part_of_lattice(name, hypotheses), _columns(LATTICE, [name]), ""
        elif prefix and plain in known[TEXT]:
            kind, columns, shown = prefix, _columns(TEXT, [plain]), prefix
        elif name in known[TEXT]:
            if not hypotheses:
                raise UsageError(
                    f"{name} is of translations: name hypotheses, or write {ORACLE}{name} for oracle paths, "
                    f"{BEST}{name} for the paths with the best scores of edges"
                )
            kind, columns, shown = TEXT, _columns(TEXT, [name]), ""
        else:
            known_names = (
                known[LATTICE] | known[TEXT] | {prefix + metric for prefix in (ORACLE, BEST) for metric in known[TEXT]}
            )
            raise UnknownName("metric", name, known_names)
        columns_of[kind] += [column for column in columns if column not in columns_of[kind]]
        columns_of["order"] += [shown + column for column in columns if shown + column not in columns_of["order"]]
    if hypotheses and not (columns_of[TEXT] or columns_of[OUTPUT]):
        raise UsageError(
            "hypotheses do not apply without a score of theirs among the metrics: bleu, wer, search_errors"
        )
    return columns_of


def _part_of_lattice(name: str, hypotheses: Sequence[str]) -> str:
    """LATTICE, or OUTPUT for a metric or column that also reads hypotheses. Raises UsageError where there are none."""
    declared = {parameter.name for query in queries_of(LATTICE, [name]) for parameter in query.parameters}
    if "hypothesis_corpus" not in declared:
        return LATTICE
    if not hypotheses:
        raise UsageError(f"{name} is of the output of a decoder: name it, --hypothesis FILE")
    return OUTPUT


def kind_of(content: str) -> Kind:
    """The kind that scores lattices, or texts."""
    return kinds.kind("translation" if content == TEXT else content)


def queries_of(content: str, columns: Sequence[str]) -> list[Query]:
    """The metrics of columns of a kind."""
    return [catalog.query(name) for name in choose_columns(kind_of(content), columns).metrics]


def _columns(content: str, names: Sequence[str]) -> list[str]:
    """The columns of metrics, counts and scores of a kind."""
    return list(choose_columns(kind_of(content), names).order)


def _names_of_kind(kind: str) -> list[str]:
    metrics = kind_of(kind).all_metrics
    return [*metrics, *(name for metric in metrics for name in _columns(kind, [metric]))]
