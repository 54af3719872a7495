"""Arbiters: what prunes lattices without a reference, having learned from edges of others that references judge.

An arbiter is a logistic regression on features of edges (the query edge_features). It learns from examples, which say
whether the path nearest to a reference takes the edge, and whether standard word count distance wants it. scikit-learn
fits it; to apply one numpy is enough. Source: Bernreuther 2005, Lattice evaluation techniques, section 4.1.2, which
proposes arbiters.
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
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError
from treesql.evaluation.translation import LATTICE, TranslationTask, open_translation
from treesql.functions.arrays import flatten
from treesql.kernels.arrays import Floats, Ints
from treesql.results.result import Result
from treesql.scoring import statistics
from treesql.scoring.signatures import signature as cite

FORMAT = "treesql arbiter"
"""What a file of an arbiter says that it is."""

VERSION = 1
"""The version of such files."""

PRUNE, KEEP = "prune", "keep"
LABELS = ("path", "tau")
"""What an arbiter learns: to keep the path that is nearest to a reference, or what the labels by tau say."""

BELOW, ABOVE = -1.0, 1.0
"""The thresholds of labels if none are named."""

REGULARISATION = 1.0
STEPS = 1_000
"""So many steps a fit may take."""

TOLERANCE = 1e-8
"""A fit ends where no derivative of the mean loss is larger. Features go together, so that long before the loss hardly
changes, but coefficients do."""

_LISTS = {"scores": "score", "score_distances": "score_distance", "score_agreements": "score_agreement"}
_NUMBERED = re.compile(r"score(_distance|_agreement)?_\d+")
_PLACES = ("sentence", "edge")
_WEIGHTS = pa.schema(
    {"feature": pa.string(), "coefficient": pa.float64(), "mean": pa.float64(), "deviation": pa.float64()}
)


@dataclass(frozen=True)
class Feature:
    """What an arbiter has learned of a feature: its mean and deviation in the examples, and the weight of (x - mean) /
    deviation for pruning."""

    name: str
    mean: float
    deviation: float
    coefficient: float


@dataclass(frozen=True)
class Arbiter:
    """A logistic regression: the log-odds that an edge is to be pruned are the intercept and the sum of
    coefficient * (x - mean) / deviation.

    scores: how many scores edges have, 0 if none of them is a feature; prune, keep: numbers of examples; label: what it
    learned, of LABELS; regularisation: C of scikit-learn; learned_from: signature of the examples, if they have one.
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
        """For every row of features, as `features` makes them, the log-odds that it is to be pruned: float64[n].

        Raises UsageError where the lattices have other features than those that it was fitted on.
        """
        if self.scores:
            here = sum(1 for name in table.column_names if re.fullmatch(r"score_\d+", name))
            if here != self.scores:
                given = _counted(self.scores, "score")
                what = f"the arbiter was fitted on edges with {given}, these have {here or 'none'}"
                raise UsageError(f"{what}; fit one on lattices of this kind")
        lacking = [feature.name for feature in self.features if feature.name not in table.column_names]
        if lacking:
            raise UsageError(f"the arbiter was fitted on features that are not here: {', '.join(lacking)}; fit it anew")
        total = np.full(len(table), self.intercept, dtype=np.float64)
        for one in self.features:
            total += one.coefficient * (_column(table, one.name) - one.mean) / one.deviation
        return total

    def weights(self) -> Result:
        """The features, those that weigh most first, behind the intercept."""
        rows: list[dict[str, object]] = [{"feature": "intercept", "coefficient": self.intercept}]
        rows += [
            {"feature": one.name, "coefficient": one.coefficient, "mean": one.mean, "deviation": one.deviation}
            for one in sorted(self.features, key=lambda one: -abs(one.coefficient))
        ]
        return Result(pa.Table.from_pylist(rows, _WEIGHTS))

    def text(self) -> str:
        """The arbiter as a file has it, JSON (docs/arbiter.md)."""
        told = {
            "format": FORMAT, "version": VERSION, "treesql": __version__, "intercept": self.intercept,
            "features": [vars(one) for one in self.features], "scores": self.scores, "label": self.label,
            "examples": {PRUNE: self.prune, KEEP: self.keep}, "regularisation": self.regularisation,
            "learned_from": self.learned_from,
        }  # fmt: skip
        return json.dumps(told, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def examples(
    task: TranslationTask,
    below: float = BELOW,
    above: float = ABOVE,
    *,
    raw: bool = False,
) -> Result:
    """A row per edge: `sentence, edge`, its features, `tau, tau_normalised, on_oracle_path, label`.

    label: `prune` where tau is less than `below` divided by the edges of the lattice, `keep` where it is more than
    `above` so divided, NULL between and where tau is not defined; raw: not divided. on_oracle_path: whether
    the edge lies on the path that is nearest to a reference. Raises UsageError, and as translation.evaluate does.
    """
    if not (math.isfinite(below) and math.isfinite(above) and below <= above):
        raise UsageError(f"labels need two finite thresholds, the lower first, not {below:g} and {above:g}")
    if not task.references:
        raise UsageError("name at least one reference: --reference FILE")
    known, effects = catalog.query("edge_features"), catalog.query("edge_effects")
    useless = [name for name in task.parameters if name not in {one.name for one in effects.parameters}]
    if useless:
        raise UsageError(f"of no use for examples: {', '.join(useless)}")
    with open_translation(task, [known, effects]) as found:
        [system] = found.systems
        values = effects.values({**task.parameters, **found.values(LATTICE, system)})
        made = statistics.run_query(found.connection, effects, values).sort_by(
            [(name, "ascending") for name in _PLACES]
        )
        table = features(statistics.run_query(found.connection, known, {"lattice_corpus": system}))
        signature = cite(found.connection, effects, "label", values, None)
    if not len(table):
        raise UsageError(f"{system} has no edges to learn from")
    for name in ("tau", "tau_normalised", "on_oracle_path"):
        table = table.append_column(name, made[name])
    tau = _column(made, "tau")
    edges = np.ones(1) if raw else np.bincount(_ints(made, "sentence"))[_ints(made, "sentence")]
    prune, keep = tau < below / edges, tau > above / edges
    told = f"{'raw' if raw else 'normalised'}|below:{below:g}|above:{above:g}"
    labels = np.where(prune, PRUNE, KEEP)
    table = table.append_column("label", pa.array(labels.tolist(), pa.string(), mask=~(prune | keep)))
    return Result(table, {"label": signature.replace("label|", f"label|{told}|", 1)})


def features(found: pa.Table) -> pa.Table:
    """The rows of edge_features in the order of lattices and edges, lists of scores as columns `score_1`, ....

    An edge has 0 for a score that others have and it lacks, as edges that were added by a reader.
    """
    table = found.sort_by([(name, "ascending") for name in _PLACES])
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
    """Those of the columns of a table of examples that are features."""
    known = {column.name for column in catalog.query("edge_features").columns} - {*_PLACES, *_LISTS}
    return [name for name in columns if name in known or _NUMBERED.fullmatch(name)]


def read_examples(path: str) -> pa.Table:
    """The examples in a Parquet file. Raises InvalidInput where it cannot be read or lacks labels."""
    import pyarrow.parquet as pq

    hint = "name a Parquet file of `treesql lattice examples`"
    try:
        table = pq.read_table(pa.BufferReader(Path(path).read_bytes()))
    except pa.ArrowException as error:
        raise _fault(path, f"this is no Parquet file ({str(error).splitlines()[0]})", hint) from None
    except OSError as error:
        raise _fault(path, error.strerror or str(error), hint) from None
    names = feature_names(table.column_names)
    if not {"label", "on_oracle_path"}.issubset(table.column_names) or not names:
        raise _fault(path, "these are no examples: columns are missing", "make them with `treesql lattice examples`")
    known = {PRUNE, KEEP, None}
    others = sorted({str(one) for one in table["label"].unique().to_pylist() if one not in known})
    if others:
        raise _fault(path, f"there is a label {others[0]!r}", f"labels are {PRUNE}, {KEEP}, or none")
    if table["on_oracle_path"].type != pa.bool_() or table["on_oracle_path"].null_count:
        raise _fault(path, "on_oracle_path is not true or false everywhere", "make the examples anew")
    return table


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
    labelled so, without examples that have no label. regularisation: C, the inverse of its strength. source: what
    messages call the table. Raises UsageError, UnknownName, InvalidInput.
    """
    known = feature_names(table.column_names)
    for name in names:
        if name not in known:
            raise UnknownName("feature of the examples", name, known)
    if not (math.isfinite(regularisation) and regularisation > 0):
        raise UsageError(f"regularisation is a finite number above 0, not {regularisation:g}")
    chosen = list(dict.fromkeys(names)) or known
    if label not in LABELS:
        raise UnknownName("label", label, LABELS)
    if label == "tau":
        told = np.array(table["label"].to_pylist(), dtype=object)
        rows, hint = np.flatnonzero((told == PRUNE) | (told == KEEP)), "move the thresholds of the labels"
        prune = told[rows] == PRUNE
    else:
        prune = ~np.asarray(table["on_oracle_path"].to_numpy(), dtype=bool)
        rows, hint = np.arange(len(prune)), "give lattices with more than one path"
    for name, n in ((PRUNE, int(prune.sum())), (KEEP, int((~prune).sum()))):
        if not n:
            what = f"of {_counted(len(table), 'example')} none says `{name}`; an arbiter learns from both"
            raise _fault(source, what, hint)
    data = np.column_stack([_column(table, name)[rows] for name in chosen])
    for name, column in zip(chosen, data.T, strict=True):
        wrong = int(np.count_nonzero(~np.isfinite(column)))
        if wrong:
            what = f"the feature {name} is no finite number in {_counted(wrong, 'example')}"
            raise _fault(source, what, "leave it out with --features, or make the examples anew")
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise UsageError("an arbiter is fitted by scikit-learn: pip install 'treesql[arbiter]'") from None
    import warnings

    from scipy.linalg import LinAlgWarning

    mean, deviation = data.mean(axis=0), data.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    model = LogisticRegression(C=regularisation, solver="newton-cholesky", tol=TOLERANCE, max_iter=STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.simplefilter("ignore", LinAlgWarning)  # of steps that Newton cannot take: another solver takes over
        try:
            model.fit((data - mean) / deviation, prune)
        except ConvergenceWarning:
            raise UsageError(f"no fit was found in {STEPS:,} steps; take a smaller --regularisation") from None
    made = zip(chosen, mean, deviation, model.coef_[0], strict=True)
    scores = sum(1 for name in table.column_names if re.fullmatch(r"score_\d+", name))
    metadata = table.schema.metadata or {}
    return Arbiter(
        tuple(Feature(name, *map(float, numbers)) for name, *numbers in made),
        float(model.intercept_[0]),
        scores if any(_NUMBERED.fullmatch(name) for name in chosen) else 0,
        int(prune.sum()),
        int((~prune).sum()),
        label,
        regularisation,
        metadata.get(b"signature", b"").decode(),
    )


def read(path: str) -> Arbiter:
    """An arbiter from its file. Raises InvalidInput."""
    hint = "name a file of `treesql lattice fit`"
    try:
        told = json.loads(Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise _fault(path, error.strerror or str(error), hint) from None
    except (ValueError, RecursionError):
        raise _fault(path, "this is no arbiter: no JSON", hint) from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise _fault(path, f"this is no arbiter: it does not say `format: {FORMAT}`", hint)
    if told.get("version") != VERSION:
        what = f"version {told.get('version')} of arbiters, known is {VERSION}"
        raise _fault(path, what, "take the treesql that made it, or fit it anew")
    try:
        made = tuple(
            Feature(str(one["name"]), *(_number(one[key]) for key in ("mean", "deviation", "coefficient")))
            for one in told["features"]
        )
        if not made or any(one.deviation <= 0 for one in made):
            raise ValueError("features")
        if told["label"] not in LABELS:
            raise ValueError(f"label {told['label']!r}")
        return Arbiter(
            made,
            _number(told["intercept"]),
            scores=int(_number(told["scores"])),
            prune=int(_number(told["examples"][PRUNE])),
            keep=int(_number(told["examples"][KEEP])),
            label=str(told["label"]),
            regularisation=_number(told["regularisation"]),
            learned_from=str(told["learned_from"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _fault(path, f"this arbiter is damaged ({error})", "fit it anew") from None


def _number(value: object) -> float:
    """A finite number. Raises ValueError, TypeError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite")
    return float(value)


def _fault(path: str, what: str, hint: str) -> InvalidInput:
    return InvalidInput([Diagnostic.error(path, 0, what, hint)])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _column(table: pa.Table, name: str) -> Floats:
    """A column as numbers, NaN where it has none."""
    found: Floats = table[name].cast(pa.float64()).to_numpy()
    return found


def _ints(table: pa.Table, name: str) -> Ints:
    return np.asarray(table[name].to_numpy(), dtype=np.int64)
