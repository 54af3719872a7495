"""The functions of `treesql.lattices`: on lattices and references in files, or corpora of a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from treesql import readers
from treesql.catalog import kinds
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.files import make_task
from treesql.evaluation.task import EMPTY_REFERENCES, Task
from treesql.lattices import arbiter, curve_points, oracle_paths, pruning, weight_tuning
from treesql.lattices.arbiter import Arbiter
from treesql.lattices.curve_pictures import PictureOptions
from treesql.lattices.curve_points import Systems, Variants
from treesql.lattices.curve_tables import CurveStudy
from treesql.lattices.density_curves import CurveOptions
from treesql.lattices.learners import LOGISTIC
from treesql.lattices.oracle_paths import LatticeView
from treesql.lattices.pruning import Decide, DecideEach, Measure
from treesql.lattices.weight_tuning import TuningStep
from treesql.readers import LATTICE, TEXT
from treesql.readers.frames import arrow_table
from treesql.results.result import Result
from treesql.results.tables import format_by_ending, open_whole
from treesql.runtime.failures import convert_errors
from treesql.significance.methods import SEED
from treesql.storage import corpus_plans, tables
from treesql.storage.corpus_plans import File, Frame, Inputs

DISTANCE, POSTERIOR = "distance", "posterior"
"""What edges are pruned by: the change of distance to references, or their posterior."""


@convert_errors
def oracle(
    lattices: File,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    measure: str = "ger",
    corpus_bleu: bool = False,
    edge_weights: str = "",
    substitution_cost: float = 1,
    insertion_cost: float = 1,
    deletion_cost: float = 1,
    reordering: str = "none",
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Return the path of every lattice that is nearest to a reference: its edges, words, errors, whether it is proven.

    lattices, reference: files, what is in memory in their place, or corpora of `db`. empty_references: `missing` if a
    reference without words, beside others of the lattice, is none, else `count`. measure: what is minimal, `ger` for
    edits, `gwer` for edits per word of the path, `pmed` for position-independent errors, `gper` for these per word; for
    `bleu` the largest sentence BLEU; for `score` the largest sum of the scores of edges, which needs no reference.
    corpus_bleu: with `bleu`, the paths whose BLEU together is the best found. edge_weights: with `score`, a weight for
    each score of an edge, with commas between, else -1 for costs and 1 for log-likelihoods. substitution_cost,
    insertion_cost, deletion_cost: with `ger`, what edits cost; an insertion is an extra word of the path. reordering:
    with `ger`, `swap` if two neighbouring words in exchanged order cost 1, else `none`. format, phrases, symbols,
    scores: of lattices, as for `treesql.load`; score_sense: of data frames, what scores are, `cost` or
    `log_likelihood`; ids, max_sentence: of references too. Warns with TreesqlWarning. Raises UsageError, UnknownName,
    InvalidInput, Incomparable, QueryError, DatabaseError.
    """
    with readers.max_sentence(max_sentence):
        task = _task([lattices], reference, empty_references, db, format, phrases, symbols, ids, scores or score_sense)
        costs = {
            "substitution_cost": substitution_cost, "insertion_cost": insertion_cost, "deletion_cost": deletion_cost,
            "reordering": reordering,
        }  # fmt: skip
        return oracle_paths.find_oracle_paths(
            task, measure, corpus_bleu=corpus_bleu, edge_weights=edge_weights, costs=costs
        )


@convert_errors
def show(
    lattices: File,
    sentence: str | int,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    measure: str = "ger",
    edge_weights: str = "",
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> LatticeView:
    """Draw one lattice: its `text()` has a line per edge below its first node, its `svg()` is a picture.

    sentence: the name of the lattice, or its number, from 0: 2 or "#2". With references the nearest path by `measure`
    is marked. Other parameters, warnings and errors as for `oracle`.
    """
    with readers.max_sentence(max_sentence):
        task = _task([lattices], reference, empty_references, db, format, phrases, symbols, ids, scores or score_sense)
        return oracle_paths.view_lattice(task, sentence, measure, edge_weights=edge_weights)


@convert_errors
def prune(
    lattices: File,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    threshold: float | Sequence[float] | None = None,
    density: float | None = None,
    criterion: str = DISTANCE,
    raw_threshold: bool = False,
    greedy: bool = False,
    min_redundancy: float = 1.0,
    edge_weights: str = "",
    scale: float = 1.0,
    decide: Decide | None = None,
    out: str | Path | None = None,
    to: str | None = None,
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Prune edges that raise standard word count distance to references, or improbable ones; return what changed.

    threshold: edges whose tau is below this, else 0, are pruned, divided by the number of edges of the lattice unless
    `raw_threshold`; several thresholds have a row each, and nothing is written. density: in place of a threshold, as
    few edges are pruned as leave at most this many per node of all lattices. criterion: `distance`, or `posterior`,
    which prunes edges with a posterior below the threshold and needs no references; edge_weights, scale: of its scores,
    as for the query edge_posteriors. greedy: prune the worst edge, recompute tau, and repeat. min_redundancy: minimum
    redundancy of the references in tau and swcd, 0 for none. decide: another rule, a function of a PruningInput that
    returns EdgeDecisions; it may need no references. out: a file for the pruned lattices, written whole or not at all;
    to: its format, else that of its ending. Other parameters, warnings and errors as for `oracle`.
    """
    _check_target(out, to)
    if density is not None and (threshold is not None or greedy or decide is not None):
        raise UsageError("--density takes the place of --threshold, --greedy and other rules; give one of them")
    limit = 0.0 if threshold is None else threshold
    thresholds = [limit] if isinstance(limit, int | float) else curve_points.parse_thresholds(limit)
    if len(thresholds) > 1 and (out is not None or decide is not None):
        where = f"several thresholds have a row each, and {out or 'another rule'} has no place for them"
        raise UsageError(f"{where}; give one threshold, or leave -o out")
    checked = thresholds if density is None else ()
    if criterion == DISTANCE and decide is None and not corpus_plans.each_of(reference):
        raise UsageError("name at least one reference: --reference FILE")
    each, measure = _criterion(
        criterion, checked, edge_weights, scale, raw=raw_threshold, greedy=greedy, min_redundancy=min_redundancy
    )
    if density is not None:
        decide = pruning.to_density(density, measure)
    with readers.max_sentence(max_sentence):
        task = _task([lattices], reference, empty_references, db, format, phrases, symbols, ids, scores or score_sense)
        if len(thresholds) > 1:
            return pruning.prune_each(task, thresholds, each, min_redundancy=min_redundancy)
        rule = decide or (lambda pruning_input: next(iter(each(pruning_input))))
        return pruning.prune(task, rule, _path(out), to, min_redundancy=min_redundancy)


def _criterion(
    criterion: str, thresholds: Sequence[float], edge_weights: str, scale: float, *, raw: bool, greedy: bool,
    min_redundancy: float,
) -> tuple[DecideEach, Measure]:  # fmt: skip
    """The rule that prunes at thresholds, and what it measures edges by. Raises UsageError, UnknownName."""
    if criterion == POSTERIOR:
        pruning.check_use(raw_threshold=raw, greedy=greedy, thresholds=thresholds)
        each = pruning.by_posteriors(thresholds, edge_weights=edge_weights, scale=scale)
        return each, pruning.posterior_measure(edge_weights=edge_weights, scale=scale)
    if criterion != DISTANCE:
        raise UnknownName("criterion", criterion, (DISTANCE, POSTERIOR))
    if edge_weights or scale != 1:
        raise UsageError("--edge-weights and --scale are of posteriors: add --criterion posterior")
    each = pruning.by_distances(thresholds, raw=raw, greedy=greedy, min_redundancy=min_redundancy)
    return each, pruning.distance_measure(raw=raw, min_redundancy=min_redundancy)


@convert_errors
def tune(
    lattices: File,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    objective: str = weight_tuning.BLEU,
    iterations: int = weight_tuning.ITERATIONS,
    seed: int = weight_tuning.SEED,
    thresholds: str | Sequence[float] = weight_tuning.THRESHOLDS,
    edge_weights: str = "",
    scale: float = 1.0,
    progress: Callable[[TuningStep], object] | None = None,
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Tune the weights of scores of edges, in turn with pruning; return a row per step, the last of which has them.

    objective: of the path with the best scores of every lattice, `bleu`, or `ger` for its word error rate. A step
    searches all values of one weight, of a score or of the number of words, exactly, in an order by `seed`; or it
    prunes by posteriors at one of `thresholds`, a text with commas or numbers. The objective never becomes worse. At
    most `iterations` rounds of all weights and a pruning step. edge_weights: those to begin with; scale: factor of
    scores in posteriors. progress: called with every step. Other parameters, warnings and errors as for `oracle`.
    """
    numbers = curve_points.parse_thresholds(thresholds)
    with readers.max_sentence(max_sentence):
        task = _task([lattices], reference, empty_references, db, format, phrases, symbols, ids, scores or score_sense)
        return weight_tuning.tune(
            task, objective, iterations=iterations, seed=seed, thresholds=numbers, edge_weights=edge_weights,
            scale=scale, progress=progress or (lambda step: None),
        )  # fmt: skip


@convert_errors
def examples(
    lattices: File,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    below: float = arbiter.BELOW,
    above: float = arbiter.ABOVE,
    raw_threshold: bool = False,
    min_redundancy: float | None = None,
    out: str | Path | None = None,
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Return training examples for an arbiter: a row per edge with features, tau, a label, and the nearest path.

    below, above: edges are labelled `prune` below the first and `keep` above the second tau, divided by the number of
    edges of the lattice unless `raw_threshold`. min_redundancy: minimum redundancy of the references in tau, else 1.
    out: a Parquet file to write to. Other parameters, warnings and errors as for `oracle`.
    """
    format_by_ending(out, {".parquet": "parquet"})
    with readers.max_sentence(max_sentence):
        task = _task(
            [lattices], reference, empty_references, db, format, phrases, symbols, ids, min_redundancy=min_redundancy
        )
        result = arbiter.examples(task, below, above, raw=raw_threshold)
    if out is not None:
        tables.write(result, out, format="parquet")
    return result


@convert_errors
def fit(
    examples: Result | Frame | str | Path,
    *,
    features: str | Sequence[str] = (),
    label: str = arbiter.LABELS[0],
    learner: str = LOGISTIC,
    regularisation: float = arbiter.REGULARISATION,
    seed: int = SEED,
    out: str | Path | None = None,
) -> Arbiter:
    """Fit an arbiter to examples, which judges how much speaks for pruning an edge.

    examples: what `examples` returned, its file, or a data frame of these rows. features: those to learn from, with
    commas between, else all. label: `path`, to keep the path nearest to a reference, or `tau`, the labels by two
    thresholds. learner: `logistic`, for the probability that an edge is to be pruned, `regression` of the label or of
    tau, `ranking` of the edges of a lattice, or a classifier of scikit-learn with its defaults. regularisation: C of
    the first three, the inverse of its strength; seed: of a ranking's sample, and of classifiers. out: a file to write
    the arbiter to. Needs treesql[arbiter]. Raises UsageError, UnknownName, InvalidInput.
    """
    if isinstance(examples, Result):
        signed = {"signature": examples.signature} if examples.signatures else None
        source, table = "examples", examples.arrow().replace_schema_metadata(signed)
        arbiter.check_examples(table, source)
    elif isinstance(examples, Frame):
        source, table = "examples", arrow_table(examples, "examples")
        arbiter.check_examples(table, source)
    else:
        source = str(examples)
        table = arbiter.read_examples(source)
    chosen = tuple(name.strip() for name in features.split(",")) if isinstance(features, str) else tuple(features)
    fitted = arbiter.fit(
        table, [name for name in chosen if name], label=label, regularisation=regularisation, learner=learner,
        seed=seed, source=source,
    )  # fmt: skip
    if out is not None:
        with open_whole(out) as file:
            file.write(fitted.text().encode())
    return fitted


@convert_errors
def apply(
    model: Arbiter | str | Path,
    lattices: File,
    *,
    reference: Inputs = (),
    empty_references: str | None = None,
    share: float | None = None,
    probability: float | None = None,
    density: float | None = None,
    min_redundancy: float | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    to: str | None = None,
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> Result:
    """Prune lattices by an arbiter, which needs no reference; return a row for each pruning.

    model: an arbiter, or its file. share: prune this share of the edges of each lattice; probability: prune edges whose
    probability of being pruned is above this, else 0.5; density: prune as few, the most probable first, as leave at
    most this many edges per node of all lattices. With references the lattices are also pruned by distance to them
    (oracle) and at random, one draw by `seed`, to the same density, and all are scored. Other parameters, warnings and
    errors as for `prune`.
    """
    if seed is not None and not corpus_plans.each_of(reference):
        raise UsageError("--seed and --signature need references: --reference FILE")
    _check_target(out, to)
    if seed is not None and seed < 0:
        raise UsageError("a seed is a number from 0 on")
    cut = arbiter.PruningCut(share, probability, density)
    with readers.max_sentence(max_sentence):
        sense = scores or score_sense
        task = _task([lattices], reference, empty_references, db, format, phrases, symbols, ids, sense, min_redundancy)
        fitted = model if isinstance(model, Arbiter) else arbiter.read(str(model))
        return arbiter.apply(task, fitted, cut, _path(out), to, seed=SEED if seed is None else seed)


@convert_errors
def curve(
    *lattices: File,
    system: Systems = (),
    reference: Inputs = (),
    empty_references: str | None = None,
    metric: str | Sequence[str] = (),
    hypotheses: Inputs = (),
    measure: str | None = None,
    edge_weights: str = "",
    macro: bool = False,
    min_redundancy: float | Sequence[float] | None = None,
    at: Sequence[float] = (),
    between: Sequence[tuple[float, float]] = (),
    fit: str | Sequence[str] = (),
    to: str | None = None,
    thresholds: str | Sequence[float] | None = None,
    raw_threshold: bool = False,
    density_of: str | None = None,
    together: Sequence[str | Sequence[str]] = (),
    overlay: Sequence[str | Sequence[str]] = (),
    log: bool = False,
    db: str | Path | None = None,
    format: str | None = None,
    phrases: bool = False,
    symbols: str | Path | None = None,
    scores: str | None = None,
    score_sense: str | None = None,
    ids: str | None = None,
    max_sentence: int | str | None = None,
) -> CurveStudy:
    """Study scores of lattices of one corpus at several densities; tables are computed when they are asked for.

    lattices: files of one system with the same sentences, each of another density; system: instead of these, files of
    several systems by name. metric: columns of `score lattice`, of `score translation` for `hypotheses`, the output of
    a decoder for each of the lattices, or these with `oracle_` for the words of the nearest paths by `measure`, or with
    `best_` for those of the paths with the best scores, weighted by `edge_weights`, with commas between; else ger_rate
    and swcd. macro: density is the mean over lattices. min_redundancy: as for `examples`; several have a curve each.
    at: densities to interpolate at; between: pairs to integrate between; fit: curves to fit. to: the metric to predict
    from every other one by a line. thresholds: numbers, or a text with commas, also of ranges LOW:HIGH; lattices are
    also pruned at each, for a curve of its own; tables of pruned shares have those of -8:8 if none are given;
    raw_threshold: not divided by the number of edges. density_of: `unpruned`, for pruned lattices at the density that
    they had, or a system whose densities stand for those of all. together, overlay, log: of pictures: metrics that
    share a panel; pairs of metrics in a panel with two axes; logarithmic axes. The rest is as for `examples`.
    """
    metrics = _names(metric)
    _check_curve(metrics, measure, raw_threshold and thresholds is None)
    files, given = _curve_files(lattices, system, db)
    least = _redundancies(min_redundancy)
    sense, first = scores or score_sense, next(iter(least), None)
    task = _task(given, reference, empty_references, db, format, phrases, symbols, ids, sense, first)
    systems = _by_system(files, task)
    outputs = corpus_plans.as_paths(corpus_plans.each_of(hypotheses), "hypotheses", TEXT, loaded=db is not None)
    options = CurveOptions(tuple(at), tuple(between), [fit] if isinstance(fit, str) else tuple(fit))
    chosen = None if thresholds is None else curve_points.parse_thresholds(thresholds)
    variants = Variants(chosen or (), raw_threshold, least if len(least) > 1 else (), density_of)
    return CurveStudy(
        task, tuple(metrics), tuple(outputs), measure or "ger", edge_weights, macro, options, to,
        chosen or curve_points.thresholds_between(*curve_points.DEFAULT_RANGE), raw_threshold, max_sentence,
        systems, variants, PictureOptions([*map(_names, together)], [*map(_names, overlay)], log),
    )  # fmt: skip


def _by_system(files: Mapping[str, Sequence[str]], task: Task) -> dict[str, list[str]]:
    """The systems of a task, one for each file, by the name of the system that has these files."""
    corpora = iter(task.systems)
    return {name: [next(corpora) for _ in paths] for name, paths in files.items()}


def _check_curve(metrics: Sequence[str], measure: str | None, raw_defaults: bool) -> None:
    """Raises UsageError for a measure without paths to find, and for default thresholds that are not normalised."""
    if raw_defaults:
        raise UsageError("--raw-threshold has no default thresholds: name them with --thresholds LOW:HIGH")
    if measure and not any(name.startswith(curve_points.ORACLE) for name in metrics):
        raise UsageError("--measure is for the words of nearest paths: name metrics that begin with oracle_")


def _redundancies(given: float | Sequence[float] | None) -> list[float]:
    """Bounds of the redundancy. Raises UsageError."""
    redundancies = [given] if isinstance(given, int | float) else list(given or ())
    curve_points.check_redundancies(redundancies)
    return redundancies


def _curve_files(
    lattices: Sequence[File], system: Systems, db: str | Path | None
) -> tuple[dict[str, list[str]], list[str]]:
    """The files of named systems, and all files. Raises UsageError."""
    if lattices and system:
        raise UsageError("give lattices of one system as LATTICES, or those of several with --system, not both")
    if isinstance(system, Mapping):
        system = {
            str(name): corpus_plans.as_paths(corpus_plans.each_of(given), str(name), LATTICE, loaded=db is not None)
            for name, given in system.items()
        }
    files = curve_points.parse_systems(system)
    lattice_files = [file for paths in files.values() for file in paths]
    lattice_files = lattice_files or corpus_plans.as_paths(lattices, "lattices", LATTICE, loaded=db is not None)
    if not lattice_files:
        raise UsageError("name lattices: LATTICES..., or --system NAME=FILE,FILE,... for each system")
    return files, lattice_files


def _names(names: str | Sequence[str]) -> list[str]:
    """Names, in a text with commas between."""
    return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)


def _task(
    lattices: Sequence[File],
    reference: Inputs,
    empty_references: str | None,
    db: str | Path | None,
    format: str | None,
    phrases: bool,
    symbols: str | Path | None,
    ids: str | None,
    scores: str | None = None,
    min_redundancy: float | None = None,
) -> Task:
    if empty_references is not None and not corpus_plans.each_of(reference):
        raise UsageError("--empty-references is for references: --reference FILE")
    references = reference if corpus_plans.each_of(reference) else None
    shared = {"format": format, "phrases": phrases, "symbols": symbols, "ids": ids, "reference": references}
    chosen = {"min_redundancy": min_redundancy, EMPTY_REFERENCES: empty_references}
    paths = corpus_plans.as_paths(lattices, "lattices", LATTICE, format, loaded=db is not None)
    task = make_task(kinds.kind("lattice"), paths, {**shared, **chosen}, None if db is None else str(db))
    return replace(task, reading=replace(task.reading, scores=scores))


def _path(out: str | Path | None) -> Path | None:
    return None if out is None else Path(out)


def _check_target(out: str | Path | None, to: str | None) -> None:
    if to and out is None:
        raise UsageError("--to needs a file to write: -o OUT")
