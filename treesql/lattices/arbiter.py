"""Arbiters: classifiers that decide without a reference which edges of a lattice to prune.

An arbiter judges edges by their features (the query edge_features). It is learned from examples: edges of lattices with
references, labelled by whether the path nearest to a reference takes the edge, or by the edge's effect on standard word
count distance. Fitting needs scikit-learn, applying numpy alone. Lattices are pruned by an arbiter, and
by posterior, by distance and at random to equal density. Source: Bernreuther 2005, Lattice evaluation techniques,
sections 4.1.2 and 3.4.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql._version import __version__
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError, not_applicable, plural, why_unreadable
from treesql.evaluation.hooks.lattice import find_undefined_lattices
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import EMPTY_REFERENCES, Task
from treesql.functions.arrays import flatten
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.lattices import learners, pruning
from treesql.lattices.pruning import Decide, EdgeDecisions, LatticeArrays, PruningInput, find_posteriors
from treesql.readers import LATTICE, Options
from treesql.results.result import Result
from treesql.runtime.arrays import integers
from treesql.runtime.failures import convert_errors_of_class
from treesql.scoring import scores
from treesql.scoring.items import declared_values
from treesql.scoring.scores import signature as cite
from treesql.significance import tests
from treesql.significance.methods import RUNS, SEED
from treesql.significance.tests import Counts
from treesql.storage import exporting, loading

FORMAT = "treesql arbiter"
"""Value of `format` in files of arbiters."""

VERSION = 1
"""Version of the format of such files."""

PRUNE, KEEP = "prune", "keep"
LABELS = ("path", "tau")
"""Labels to learn: whether an edge is on the path nearest to a reference, or the label by thresholds of tau."""

BELOW, ABOVE = -1.0, 1.0
"""Default thresholds of labels."""

REGULARISATION = 1.0
_LISTS = {"scores": "score", "score_distances": "score_distance", "score_agreements": "score_agreement"}
_NUMBERED = re.compile(r"score(_distance|_agreement)?_\d+")
_KEYS = ("sentence", "edge")
_ORDER = [(name, "ascending") for name in _KEYS]
_WEIGHTS = pa.schema(
    {"feature": pa.string(), "coefficient": pa.float64(), "mean": pa.float64(), "deviation": pa.float64()}
)


@dataclass(frozen=True)
class Feature:
    """A feature: its mean and deviation in the examples, and the coefficient of (x - mean) / deviation."""

    name: str
    mean: float
    deviation: float
    coefficient: float


@dataclass(frozen=True)
@convert_errors_of_class
class Arbiter:
    """What speaks for pruning an edge: the intercept and the sum of coefficient * (x - mean) / deviation, which a
    logistic regression makes log-odds; or what a classifier of scikit-learn says.

    scores: number of scores of an edge, 0 if none of them is a feature; prune, keep: numbers of examples; label: of
    LABELS; regularisation: C of scikit-learn; learned_from: signature of the examples, or empty; learner: of
    treesql.lattices.learners, or the name of a classifier, which is fitted to `training` again: standardised features,
    float64[n, features], and whether to prune, bool[n], with `seed`.
    """

    features: tuple[Feature, ...]
    intercept: float
    scores: int
    prune: int
    keep: int
    label: str = LABELS[0]
    regularisation: float = REGULARISATION
    learned_from: str = ""
    learner: str = learners.LOGISTIC
    seed: int = SEED
    training: tuple[Floats, Flags] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def _classifier(self) -> Any:
        """The classifier, fitted; None of linear learners."""
        return None if self.training is None else learners.fit_classifier(self.learner, self.seed, *self.training)

    @property
    def has_probabilities(self) -> bool:
        """Whether log_odds are log-odds, so that edges can be pruned by their probability."""
        if self.training is not None:
            return learners.gives_probabilities(self._classifier)
        return self.learner == learners.LOGISTIC

    def log_odds(self, table: pa.Table) -> Floats:
        """What speaks for pruning, for every row of a table from `features`: float64[n], log-odds of some learners.

        Raises UsageError if the lattices have other features than the examples.
        """
        if self.scores:
            n_scores = _count_scores(table)
            if n_scores != self.scores:
                expected = f"{self.scores} {plural(self.scores, 'score')}"
                what = f"the arbiter was fitted on edges with {expected}, these have {n_scores or 'none'}"
                raise UsageError(f"{what}; fit one on lattices of this kind")
        missing = [feature.name for feature in self.features if feature.name not in table.column_names]
        if missing:
            raise UsageError(
                f"the arbiter was fitted on features that are not here: {', '.join(missing)}; fit it again"
            )
        data = [(_column(table, feature.name) - feature.mean) / feature.deviation for feature in self.features]
        if self._classifier is not None:
            return learners.judge(self._classifier, np.column_stack(data)) if len(table) else np.zeros(0)
        total = np.full(len(table), self.intercept, dtype=np.float64)
        for feature, column in zip(self.features, data, strict=True):
            total += feature.coefficient * column
        return total

    def weights(self) -> Result:
        """The intercept, then the features by the size of their coefficients, descending; a classifier has none."""
        linear = self.training is None
        rows: list[dict[str, object]] = [{"feature": "intercept", "coefficient": self.intercept}] * linear
        rows += [
            {
                "feature": feature.name,
                "coefficient": feature.coefficient if linear else None,
                "mean": feature.mean,
                "deviation": feature.deviation,
            }
            for feature in sorted(self.features, key=lambda feature: -abs(feature.coefficient))
        ]
        return Result(pa.Table.from_pylist(rows, _WEIGHTS))

    def text(self) -> str:
        """The content of the arbiter's file, JSON (docs/arbiter.md)."""
        content = {
            "format": FORMAT, "version": VERSION, "treesql": __version__, "intercept": self.intercept,
            "features": [vars(feature) for feature in self.features], "scores": self.scores, "label": self.label,
            "examples": {PRUNE: self.prune, KEEP: self.keep}, "regularisation": self.regularisation,
            "learned_from": self.learned_from, "learner": self.learner, "seed": self.seed,
            "training": None if self.training is None else _written_training(self.training),
        }  # fmt: skip
        return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def examples(
    task: Task,
    below: float = BELOW,
    above: float = ABOVE,
    *,
    raw: bool = False,
) -> Result:
    """A row per edge: `sentence, edge`, its features, `tau, tau_normalised, on_oracle_path, label`.

    label: `prune` if tau is less than `below` divided by the number of edges of the lattice, `keep` if it is more than
    `above` divided by it, else NULL; raw: thresholds are not divided. on_oracle_path: whether the edge is on the path
    nearest to a reference. Raises UsageError, and as `open_inputs` does.
    """
    if not (math.isfinite(below) and math.isfinite(above) and below <= above):
        raise UsageError(f"labels need two finite thresholds, the lower first, not {below:g} and {above:g}")
    if not task.shared.get("reference"):
        raise UsageError("name at least one reference: --reference FILE")
    edge_features, effects = catalog.query("edge_features"), catalog.query("edge_effects")
    unused = [name for name in task.parameters if name not in {parameter.name for parameter in effects.parameters}]
    if unused:
        raise not_applicable(unused, "examples")
    with open_inputs(task, [edge_features, effects]) as inputs:
        [system] = inputs.systems
        values = effects.values(inputs.values(system, [effects]))
        taus = scores.run_query(inputs.engine, effects, values).sort_by(_ORDER)
        table = features(scores.run_query(inputs.engine, edge_features, {"lattice_corpus": system}))
        signature = cite(inputs.engine, effects, "label", values)
    if not len(table):
        raise UsageError(f"{system} has no edges to learn from")
    for name in ("tau", "tau_normalised", "on_oracle_path"):
        table = table.append_column(name, taus[name])
    tau = _column(taus, "tau")
    edges = np.ones(1) if raw else np.bincount(integers(taus["sentence"]))[integers(taus["sentence"])]
    prune, keep = tau < below / edges, tau > above / edges
    options = f"{'raw' if raw else 'normalised'}|below:{below:g}|above:{above:g}"
    labels = np.where(prune, PRUNE, KEEP)
    table = table.append_column("label", pa.array(labels.tolist(), pa.string(), mask=~(prune | keep)))
    return Result(table, {"label": signature.replace("label|", f"label|{options}|", 1)})


def features(rows: pa.Table) -> pa.Table:
    """The rows of edge_features by lattice and edge, lists of scores as columns `score_1`, `score_2`, ....

    A score that an edge lacks is 0: readers add edges without scores.
    """
    table = rows.sort_by(_ORDER)
    for name, single in _LISTS.items():
        values, offsets = flatten(table[name])
        scores = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
        lengths = np.diff(offsets)
        for at in range(int(lengths.max(initial=0))):
            column = np.zeros(len(table))
            column[lengths > at] = scores[offsets[:-1][lengths > at] + at]
            table = table.append_column(f"{single}_{at + 1}", pa.array(column))
        table = table.drop_columns([name])
    return table


def feature_names(columns: Sequence[str]) -> list[str]:
    """The columns of a table of examples that are features."""
    known_names = {column.name for column in catalog.query("edge_features").columns} - {*_KEYS, *_LISTS}
    return [name for name in columns if name in known_names or _NUMBERED.fullmatch(name)]


def read_examples(path: str) -> pa.Table:
    """The examples in a Parquet file. Raises InvalidInput if it cannot be read or has no labels."""
    import pyarrow.parquet as pq

    hint = "name a Parquet file of `treesql lattice examples`"
    try:
        table = pq.read_table(pa.BufferReader(Path(path).read_bytes()))
    except pa.ArrowException as error:
        raise _fault(path, f"this is not a Parquet file ({str(error).splitlines()[0]})", hint) from None
    except OSError as error:
        raise _fault(path, why_unreadable(error), hint) from None
    check_examples(table, path)
    return table


def check_examples(table: pa.Table, path: str) -> None:
    """Raises InvalidInput if a table has no examples. path: its file in the message."""
    names = feature_names(table.column_names)
    if not {"label", "on_oracle_path"}.issubset(table.column_names) or not names:
        raise _fault(
            path, "this is not a file of examples: columns are missing", "make them with `treesql lattice examples`"
        )
    known_labels = {PRUNE, KEEP, None}
    others = sorted({str(label) for label in table["label"].unique().to_pylist() if label not in known_labels})
    if others:
        raise _fault(path, f"there is a label {others[0]!r}", f"labels are {PRUNE}, {KEEP}, or none")
    if table["on_oracle_path"].type != pa.bool_() or table["on_oracle_path"].null_count:
        raise _fault(path, "on_oracle_path is not true or false everywhere", "make the examples again")


def fit(
    table: pa.Table,
    names: Sequence[str] = (),
    *,
    label: str = LABELS[0],
    regularisation: float = REGULARISATION,
    learner: str = learners.LOGISTIC,
    seed: int = SEED,
    source: str = "examples",
) -> Arbiter:
    """Fit an arbiter to examples, features standardised, by scikit-learn.

    names: of the features, all if empty. label: `path`, to prune what is not on the nearest path, or `tau`, what is
    labelled `prune`, without the examples that have no label. learner: `logistic`, a logistic regression; `regression`,
    a ridge regression of the label, or with `tau` of -tau_normalised of all edges; `ranking`, by which edges to prune
    rank above others of their lattice; or a classifier of scikit-learn. regularisation: C, the inverse of its strength.
    seed: of pairs and classifiers. source: name of the table in messages. Raises UsageError, UnknownName, InvalidInput.
    """
    if not (math.isfinite(regularisation) and regularisation > 0):
        raise UsageError(f"regularisation is a finite number above 0, not {regularisation:g}")
    if seed < 0:
        raise UsageError("a seed is a number from 0 on")
    chosen = _choose_features(table, names)
    rows, prune = _labelled_rows(table, label, source)
    target = prune.astype(np.float64)
    if (learner, label) == (learners.REGRESSION, "tau"):
        target = -_column(table, "tau_normalised")
        rows = np.flatnonzero(np.isfinite(target))
        target = target[rows]
    data = np.column_stack([_column(table, name)[rows] for name in chosen])
    _check_finite(chosen, data, source)
    mean, deviation = data.mean(axis=0), data.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    standardised, training = (data - mean) / deviation, None
    coefficients, intercept = np.zeros(len(chosen)), 0.0
    if learner == learners.LOGISTIC:
        coefficients, intercept = learners.fit_logistic(standardised, prune, regularisation)
    elif learner == learners.REGRESSION:
        coefficients, intercept = learners.fit_regression(standardised, target, regularisation)
    elif learner == learners.RANKING:
        lattice = integers(table["sentence"])[rows]
        coefficients, intercept = learners.fit_ranking(standardised, prune, lattice, regularisation, seed)
    else:
        training = (standardised, prune)
        learners.fit_classifier(learner, seed, *training)
    fitted = zip(chosen, mean, deviation, coefficients, strict=True)
    uses_scores = any(_NUMBERED.fullmatch(name) for name in chosen)
    return Arbiter(
        tuple(Feature(name, *map(float, numbers)) for name, *numbers in fitted),
        intercept,
        _count_scores(table) if uses_scores else 0,
        int(prune.sum()),
        int((~prune).sum()),
        label,
        regularisation,
        (table.schema.metadata or {}).get(b"signature", b"").decode(),
        learner,
        seed,
        training,
    )


def _choose_features(table: pa.Table, names: Sequence[str]) -> list[str]:
    """The features to learn from, all if none are named. Raises UnknownName."""
    known = feature_names(table.column_names)
    for name in names:
        if name not in known:
            raise UnknownName("feature of the examples", name, known)
    return list(dict.fromkeys(names)) or known


def _labelled_rows(table: pa.Table, label: str, source: str) -> tuple[Ints, Flags]:
    """The rows of examples that have a label, and whether it is to prune. Raises UnknownName, InvalidInput."""
    if label not in LABELS:
        raise UnknownName("label", label, LABELS)
    if label == "tau":
        labels = np.array(table["label"].to_pylist(), dtype=object)
        rows, hint = np.flatnonzero((labels == PRUNE) | (labels == KEEP)), "move the thresholds of the labels"
        prune = labels[rows] == PRUNE
    else:
        prune = ~np.asarray(table["on_oracle_path"].to_numpy(), dtype=bool)
        rows, hint = np.arange(len(prune)), "give lattices with more than one path"
    for name, n in ((PRUNE, int(prune.sum())), (KEEP, int((~prune).sum()))):
        if not n:
            what = f"of {len(table)} {plural(len(table), 'example')} none says `{name}`; an arbiter learns from both"
            raise _fault(source, what, hint)
    return rows, prune


def _check_finite(names: Sequence[str], data: Floats, source: str) -> None:
    """Raises InvalidInput if a feature has values that are missing or infinite."""
    for name, column in zip(names, data.T, strict=True):
        n_bad = int(np.count_nonzero(~np.isfinite(column)))
        if n_bad:
            what = f"the feature {name} is not a finite number in {n_bad} {plural(n_bad, 'example')}"
            raise _fault(source, what, "leave it out with --features, or make the examples again")


def read(path: str) -> Arbiter:
    """An arbiter from its file. Raises InvalidInput."""
    hint = "name a file of `treesql lattice fit`"
    try:
        content = json.loads(Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise _fault(path, why_unreadable(error), hint) from None
    except (ValueError, RecursionError):
        raise _fault(path, "this is not an arbiter: not JSON", hint) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _fault(path, f"this is not an arbiter: it has no `format: {FORMAT}`", hint)
    if content.get("version") != VERSION:
        what = f"version {content.get('version')} of arbiters, known is {VERSION}"
        raise _fault(path, what, "use the treesql that made it, or fit it again")
    try:
        fitted = tuple(
            Feature(str(entry["name"]), *(_number(entry[key]) for key in ("mean", "deviation", "coefficient")))
            for entry in content["features"]
        )
        if not fitted or any(feature.deviation <= 0 for feature in fitted):
            raise ValueError("features")
        if content["label"] not in LABELS:
            raise ValueError(f"label {content['label']!r}")
        return Arbiter(
            fitted,
            _number(content["intercept"]),
            scores=int(_number(content["scores"])),
            prune=int(_number(content["examples"][PRUNE])),
            keep=int(_number(content["examples"][KEEP])),
            label=str(content["label"]),
            regularisation=_number(content["regularisation"]),
            learned_from=str(content["learned_from"]),
            learner=str(content.get("learner", learners.LOGISTIC)),
            seed=int(_number(content.get("seed", SEED))),
            training=_read_training(content, len(fitted)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _fault(path, f"this arbiter is damaged ({error})", "fit it again") from None


def _written_training(training: tuple[Floats, Flags]) -> str:
    """Examples as text: Parquet in Base64."""
    import pyarrow.parquet as pq

    data, prune = training
    columns = {**{str(at): column for at, column in enumerate(data.T)}, "prune": prune}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({name: pa.array(column) for name, column in columns.items()}), sink, compression="zstd")
    return base64.b64encode(sink.getvalue()).decode("ascii")


def _read_training(content: Mapping[str, Any], n_features: int) -> tuple[Floats, Flags] | None:
    """The examples that a classifier is fitted to again; None of linear learners. Raises ValueError."""
    import pyarrow.parquet as pq

    if content.get("training") is None:
        if content.get("learner", learners.LOGISTIC) not in learners.LINEAR:
            raise ValueError("training")
        return None
    try:
        table = pq.read_table(pa.BufferReader(base64.b64decode(str(content["training"]), validate=True)))
        columns = [table[str(at)].cast(pa.float64()).to_numpy() for at in range(n_features)]
        return np.column_stack(columns), np.asarray(table["prune"].cast(pa.bool_()).to_numpy(), dtype=bool)
    except (pa.ArrowException, KeyError):
        raise ValueError("training") from None


def _number(value: object) -> float:
    """A finite number. Raises ValueError, TypeError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite")
    return float(value)


def _fault(path: str, what: str, hint: str) -> InvalidInput:
    return InvalidInput([Diagnostic.error(path, 0, what, hint)])


def _count_scores(table: pa.Table) -> int:
    """Number of scores of an edge in a table from `features`."""
    return sum(1 for name in table.column_names if re.fullmatch(r"score_\d+", name))


def _column(table: pa.Table, name: str) -> Floats:
    """A column as numbers, NaN for NULL."""
    values: Floats = table[name].cast(pa.float64()).to_numpy()
    return values


NONE, ARBITER, POSTERIOR, ORACLE, RANDOM = "none", "arbiter", "posterior", "oracle", "random"
"""How lattices are pruned: not at all, by an arbiter, by posteriors, by distance to the references, at random."""

PROBABILITY = 0.5
"""Default probability above which edges are pruned."""

_SCORED = {"graph_error": "ger_rate", "word_count_distance": "swcd"}
_TABLES = ("sentences", "lattices", "lattice_edges", "lattice_words")
_ROWS = pa.schema(
    {"pruning": pa.string()}
    | {name: pa.int64() for name in ("n_nodes", "edges", "pruned", "trimmed", "kept_path_edges")}
    | {"density": pa.float64(), "ger": pa.int64()}
    | {name: pa.float64() for name in ("ger_rate", "swcd", "ger_p", "swcd_p")}
    | {"seed": pa.int64()}
)


@dataclass(frozen=True)
class PruningCut:
    """Which edges fail: a share of each lattice's edges, the most probable first, or all above a probability; or as few
    of all, the most probable first, as leave a density of at most this.

    Raises UsageError if several are given, or a share or probability is not from 0 to 1.
    """

    share: float | None = None
    probability: float | None = None
    density: float | None = None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.share, self.probability, self.density)) > 1:
            raise UsageError("edges are pruned by a share, by a probability or to a density; name one of them")
        for what, number in (("share of edges", self.share), ("probability", self.probability)):
            if number is not None and not (math.isfinite(number) and 0 <= number <= 1):
                raise UsageError(f"a {what} is a number from 0 to 1, not {number:g}")

    def failing(self, lattices: LatticeArrays, log_odds: Floats) -> Flags:
        """Whether each edge fails. Of edges with equal probability the first fail first."""
        if self.share is not None:
            return rank(lattices, -log_odds) < np.round(np.round(self.share * _sizes(lattices), 9))[lattices.owner]
        from scipy.special import expit

        limit = PROBABILITY if self.probability is None else self.probability
        above: Flags = expit(log_odds) > limit
        return above


def rank(lattices: LatticeArrays, values: Floats) -> Ints:
    """The 0-based rank of every edge in its lattice, by value; ties are ranked by the order of edges."""
    owner = lattices.owner
    order = np.lexsort((values, owner))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - lattices.edge_offsets[owner[order]]
    return ranks


def _sizes(lattices: LatticeArrays) -> Ints:
    """Number of edges of every lattice."""
    return np.diff(lattices.edge_offsets)


def by_arbiter(model: Arbiter, cut: PruningCut) -> Decide:
    """Return a rule that prunes by an arbiter; of paths with equally few failing edges the likeliest is kept."""

    def measure(pruning_input: PruningInput) -> tuple[Floats, Floats]:
        query = catalog.query("edge_features")
        values = {"lattice_corpus": pruning_input.values["lattice_corpus"]}
        odds = model.log_odds(features(scores.run_query(pruning_input.engine, query, values)))
        return -odds, -odds

    def decide(pruning_input: PruningInput) -> EdgeDecisions:
        if cut.share is None and not model.has_probabilities:
            raise UsageError(
                f"the learner {model.learner} has no probabilities; name a --share of the edges or a --density"
            )
        values, preference = measure(pruning_input)
        return pruning.decide_edges(pruning_input.lattices, cut.failing(pruning_input.lattices, -values), preference)

    return decide if cut.density is None else pruning.to_density(cut.density, measure)


def apply(
    task: Task,
    model: Arbiter,
    cut: PruningCut,
    out: Path | None = None,
    to: str | None = None,
    *,
    seed: int = SEED,
    runs: int = RUNS,
) -> Result:
    """Prune the lattices of a task by an arbiter, write them, and return a row for each pruning.

    Rows are `none`, the unpruned lattices, and `arbiter`; with references also `oracle` and `random`, one draw by the
    seed, and `posterior` if edges have scores, which leave as many edges or few more, and errors and distances of all.
    ger_p, swcd_p: two-sided p-values of a shuffling test against this draw, by the same seed. Raises UsageError, and
    what `evaluate` raises.
    """
    form = None if out is None else exporting.check_target(out, LATTICE, to)
    min_redundancy = _min_redundancy(task)
    names = [
        "edge_features",
        "edge_posteriors",
        *([*_SCORED, "reference_texts", "lattice_correspondence"] if task.shared.get("reference") else []),
    ]
    columns = [name for table in _TABLES for name in schemas.table(table).names]
    with open_inputs(task, [catalog.query(name) for name in names], columns) as inputs:
        [system] = inputs.systems
        lattices, values = pruning.read(inputs.engine, system), inputs.corpus_values(system)
        pruning_input = PruningInput(inputs.engine, values, lattices)
        decisions = {NONE: np.zeros(len(lattices.from_node), dtype=np.int8)}
        decisions[ARBITER] = by_arbiter(model, cut)(pruning_input)
        if task.shared.get("reference"):
            decisions |= baseline_decisions(pruning_input, pruning.count_left(decisions[ARBITER]), min_redundancy, seed)
        corpora = {name: system if name == ARBITER else f"{system} ({name})" for name in decisions}
        pruned = {corpora[name]: decided for name, decided in decisions.items()}
        tables = pruning.without_edges(inputs.engine, system, inputs.of_role("reference"), lattices, pruned)
        references = {name: value for name, value in values.items() if name != "lattice_corpus"}
    with loading.connect_to_rows(tables, Options(), allows_files=out is not None) as engine:
        seeds = {RANDOM: seed}
        rows = [_count(name, lattices, decided, seeds.get(name)) for name, decided in decisions.items()]
        signatures: dict[str, str] = {}
        if task.shared.get("reference"):
            compared = {name: {"lattice_corpus": corpus, **references} for name, corpus in corpora.items()}
            for query in _SCORED:
                counts = _add_scores(engine, query, compared, rows, signatures, min_redundancy, seed=seed, runs=runs)
                for warning in find_undefined_lattices(system, _total(counts, "undefined_lattices")):
                    task.warn(warning)
        if out is not None and form is not None:
            exporting.write(engine, system, out, form, task.warn)
    return Result(pa.Table.from_pylist(rows, _ROWS), signatures, frozenset({"ger_rate"}))


def baseline_decisions(
    pruning_input: PruningInput, edges: int, min_redundancy: float, seed: int
) -> dict[str, EdgeDecisions]:
    """Decisions by posteriors if edges have scores, by normalised tau, and at random by the same share of each lattice.

    At least `edges` edges are left, and as few more as possible.
    """
    from treesql.kernels.lattices.lattice_pruning import edge_taus

    lattices = pruning_input.lattices
    taus = edge_taus(pruning.encode_texts(pruning_input), min_redundancy)
    sizes = _sizes(lattices)[lattices.owner]
    chance = np.random.default_rng(seed).random(len(sizes))
    return {
        **_by_posterior(pruning_input, edges),
        ORACLE: _decide_as_dense(lattices, taus.tau * sizes, taus.numerator, edges),
        RANDOM: _decide_as_dense(lattices, (rank(lattices, chance) + 0.5) / sizes, chance, edges),
    }


def _by_posterior(pruning_input: PruningInput, edges: int) -> dict[str, EdgeDecisions]:
    """Decisions by posteriors of the scores as they are; none if not all edges have as many scores."""
    corpus = pruning_input.values["lattice_corpus"]
    faults = catalog.query("edge_score_faults")
    if len(scores.run_query(pruning_input.engine, faults, {"lattice_corpus": corpus})):
        return {}
    return {POSTERIOR: _decide_as_dense(pruning_input.lattices, *find_posteriors(pruning_input), edges)}


def _decide_as_dense(lattices: LatticeArrays, values: Floats, preference: Floats, edges: int) -> EdgeDecisions:
    """Decisions if edges fail by value, ascending: as many as leave `edges` edges, or as few more as possible."""
    n = pruning.most_failing(lattices, values, preference, edges)
    return pruning.decide_on_first(lattices, values, preference, n)


def _min_redundancy(task: Task) -> float:
    """The parameter of this name. Raises UsageError for others, and for values below 0 or not finite."""
    unused = [name for name in task.parameters if name not in ("min_redundancy", EMPTY_REFERENCES)]
    if unused:
        raise not_applicable(unused, "an arbiter")
    if "min_redundancy" in task.parameters and not task.shared.get("reference"):
        raise UsageError("the least redundancy needs references")
    catalog.query("tau_span").check(task.parameters)
    return float(str(task.parameters.get("min_redundancy", 1.0)))


def _count(name: str, lattices: LatticeArrays, decisions: EdgeDecisions, seed: int | None) -> dict[str, object]:
    """A row of the result without its scores."""
    from treesql.kernels.lattices.lattice_pruning import KEPT_FOR_PATH, PRUNED, TRIMMED

    n_nodes, left = int(lattices.n_nodes.sum()), pruning.count_left(decisions)
    counted = {"pruned": PRUNED, "trimmed": TRIMMED, "kept_path_edges": KEPT_FOR_PATH}
    counts = {column: int(np.count_nonzero(decisions == decision)) for column, decision in counted.items()}
    return {"pruning": name, "n_nodes": n_nodes, "edges": left, **counts, "density": left / n_nodes, "seed": seed}


def _add_scores(
    engine: Engine, name: str, corpora: Mapping[str, Mapping[str, object]],
    rows: Sequence[dict[str, object]], signatures: dict[str, str], min_redundancy: float, *, seed: int, runs: int,
) -> Counts:  # fmt: skip
    """Add a metric's score, and p of its difference from random pruning, to the rows; return the arbiter's sums."""
    query = catalog.query(name)
    [score] = [ratio for ratio in query.ratios if ratio.name == _SCORED[name]]
    parameters = {
        pruned: declared_values(query, {**values, "min_redundancy": min_redundancy})
        for pruned, values in corpora.items()
    }
    counts = {}
    for pruned, values in parameters.items():
        [sums] = scores.sentence_sums(engine, [name], values)
        counts[pruned] = Counts(query.counts, sums.values[:, 0])
    for row in rows:
        pruned_counts = counts[str(row["pruning"])]
        [[value]] = tests.evaluate_scores([score], pruned_counts.columns, pruned_counts.sums).tolist()
        row[score.name] = None if math.isnan(value) else value
        if name == "graph_error":
            row["ger"] = _total(pruned_counts, "ger")
        if row["pruning"] in (ARBITER, POSTERIOR, ORACLE):
            [tested] = tests.shuffling_test([score], pruned_counts, counts[RANDOM], runs=runs, seed=seed)
            row[f"{score.name.removesuffix('_rate')}_p"] = tested.p
    signatures[score.name] = cite(engine, query, score.name, parameters[ARBITER])
    return counts[ARBITER]


def _total(counts: Counts, column: str) -> int:
    """The sum of a column, 0 if the metric has no such column."""
    names = [count.name for count in counts.columns]
    return int(counts.sums[0, names.index(column)]) if column in names else 0
