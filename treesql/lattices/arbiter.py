"""Arbiters: classifiers that decide without a reference which edges of a lattice to prune.

An arbiter is a logistic regression on features of edges (the query edge_features). It is trained on examples: edges of
lattices with references, labelled by whether the path nearest to a reference takes the edge, or by the edge's effect on
standard word count distance. Fitting needs scikit-learn, applying numpy alone. Source: Bernreuther 2005, Lattice
evaluation techniques, section 4.1.2.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql._version import __version__
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError, not_applicable, plural
from treesql.evaluation.inputs import open_inputs
from treesql.evaluation.task import Task
from treesql.functions.arrays import flatten
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.results.result import Result
from treesql.runtime.failures import convert_errors_of_class, missing_package
from treesql.scoring import statistics
from treesql.scoring.signatures import signature as cite

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
MAX_STEPS = 1_000
"""Maximum number of steps of a fit."""

TOLERANCE = 1e-8
"""Largest derivative of the mean loss at which a fit ends. Features are correlated, so coefficients still change long
after the loss hardly does."""

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
    """A logistic regression: the log-odds that an edge is to be pruned are the intercept and the sum of
    coefficient * (x - mean) / deviation.

    scores: number of scores of an edge, 0 if none of them is a feature; prune, keep: numbers of examples; label: of
    LABELS; regularisation: C of scikit-learn; learned_from: signature of the examples, or empty.
    """

    features: tuple[Feature, ...]
    intercept: float
    scores: int
    prune: int
    keep: int
    label: str = LABELS[0]
    regularisation: float = REGULARISATION
    learned_from: str = ""

    def log_odds(self, table: pa.Table) -> Floats:
        """The log-odds that an edge is to be pruned, for every row of a table from `features`: float64[n].

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
        total = np.full(len(table), self.intercept, dtype=np.float64)
        for one in self.features:
            total += one.coefficient * (_column(table, one.name) - one.mean) / one.deviation
        return total

    def weights(self) -> Result:
        """The intercept, then the features by the size of their coefficients, descending."""
        rows: list[dict[str, object]] = [{"feature": "intercept", "coefficient": self.intercept}]
        rows += [
            {"feature": one.name, "coefficient": one.coefficient, "mean": one.mean, "deviation": one.deviation}
            for one in sorted(self.features, key=lambda one: -abs(one.coefficient))
        ]
        return Result(pa.Table.from_pylist(rows, _WEIGHTS))

    def text(self) -> str:
        """The content of the arbiter's file, JSON (docs/arbiter.md)."""
        content = {
            "format": FORMAT, "version": VERSION, "treesql": __version__, "intercept": self.intercept,
            "features": [vars(one) for one in self.features], "scores": self.scores, "label": self.label,
            "examples": {PRUNE: self.prune, KEEP: self.keep}, "regularisation": self.regularisation,
            "learned_from": self.learned_from,
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
    unused = [name for name in task.parameters if name not in {one.name for one in effects.parameters}]
    if unused:
        raise not_applicable(unused, "examples")
    with open_inputs(task, [edge_features, effects]) as inputs:
        [system] = inputs.systems
        values = effects.values(inputs.values(system, [effects]))
        taus = statistics.run_query(inputs.engine, effects, values).sort_by(_ORDER)
        table = features(statistics.run_query(inputs.engine, edge_features, {"lattice_corpus": system}))
        signature = cite(inputs.engine, effects, "label", values, None)
    if not len(table):
        raise UsageError(f"{system} has no edges to learn from")
    for name in ("tau", "tau_normalised", "on_oracle_path"):
        table = table.append_column(name, taus[name])
    tau = _column(taus, "tau")
    edges = np.ones(1) if raw else np.bincount(_ints(taus, "sentence"))[_ints(taus, "sentence")]
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
    known = {column.name for column in catalog.query("edge_features").columns} - {*_KEYS, *_LISTS}
    return [name for name in columns if name in known or _NUMBERED.fullmatch(name)]


def read_examples(path: str) -> pa.Table:
    """The examples in a Parquet file. Raises InvalidInput if it cannot be read or has no labels."""
    import pyarrow.parquet as pq

    hint = "name a Parquet file of `treesql lattice examples`"
    try:
        table = pq.read_table(pa.BufferReader(Path(path).read_bytes()))
    except pa.ArrowException as error:
        raise _fault(path, f"this is not a Parquet file ({str(error).splitlines()[0]})", hint) from None
    except OSError as error:
        raise _fault(path, error.strerror or str(error), hint) from None
    check_examples(table, path)
    return table


def check_examples(table: pa.Table, path: str) -> None:
    """Raises InvalidInput if a table has no examples. path: its file in the message."""
    names = feature_names(table.column_names)
    if not {"label", "on_oracle_path"}.issubset(table.column_names) or not names:
        raise _fault(
            path, "this is not a file of examples: columns are missing", "make them with `treesql lattice examples`"
        )
    known = {PRUNE, KEEP, None}
    others = sorted({str(one) for one in table["label"].unique().to_pylist() if one not in known})
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
    source: str = "examples",
) -> Arbiter:
    """Fit an arbiter to examples, features standardised, by scikit-learn's LogisticRegression.

    names: of the features, all if empty. label: `path`, to prune what is not on the nearest path, or `tau`, what is
    labelled `prune`, without the examples that have no label. regularisation: C, the inverse of its strength. source:
    name of the table in messages. Raises UsageError, UnknownName, InvalidInput.
    """
    if not (math.isfinite(regularisation) and regularisation > 0):
        raise UsageError(f"regularisation is a finite number above 0, not {regularisation:g}")
    chosen = _choose_features(table, names)
    rows, prune = _labelled_rows(table, label, source)
    data = np.column_stack([_column(table, name)[rows] for name in chosen])
    _check_finite(chosen, data, source)
    mean, deviation = data.mean(axis=0), data.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    coefficients, intercept = _regress((data - mean) / deviation, prune, regularisation)
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


def _regress(data: Floats, prune: Flags, regularisation: float) -> tuple[Floats, float]:
    """Coefficients and intercept of a logistic regression. Raises UsageError."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        use, install = "an arbiter is fitted by scikit-learn", "pip install 'treesql[arbiter]'"
        raise missing_package(error, ("sklearn",), use, install) from None
    import warnings

    from scipy.linalg import LinAlgWarning

    model = LogisticRegression(C=regularisation, solver="newton-cholesky", tol=TOLERANCE, max_iter=MAX_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        # Where a Newton step is singular, scikit-learn falls back to another solver.
        warnings.simplefilter("ignore", LinAlgWarning)
        try:
            model.fit(data, prune)
        except ConvergenceWarning:
            raise UsageError(f"no fit was found in {MAX_STEPS:,} steps; take a smaller --regularisation") from None
    return model.coef_[0], float(model.intercept_[0])


def read(path: str) -> Arbiter:
    """An arbiter from its file. Raises InvalidInput."""
    hint = "name a file of `treesql lattice fit`"
    try:
        content = json.loads(Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise _fault(path, error.strerror or str(error), hint) from None
    except (ValueError, RecursionError):
        raise _fault(path, "this is not an arbiter: not JSON", hint) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _fault(path, f"this is not an arbiter: it has no `format: {FORMAT}`", hint)
    if content.get("version") != VERSION:
        what = f"version {content.get('version')} of arbiters, known is {VERSION}"
        raise _fault(path, what, "use the treesql that made it, or fit it again")
    try:
        fitted = tuple(
            Feature(str(one["name"]), *(_number(one[key]) for key in ("mean", "deviation", "coefficient")))
            for one in content["features"]
        )
        if not fitted or any(one.deviation <= 0 for one in fitted):
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
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _fault(path, f"this arbiter is damaged ({error})", "fit it again") from None


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


def _ints(table: pa.Table, name: str) -> Ints:
    return np.asarray(table[name].to_numpy(), dtype=np.int64)
