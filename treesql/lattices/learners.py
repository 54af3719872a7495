"""Learners of arbiters: they make a number for every edge, larger where more speaks for pruning it.

`logistic`, `regression` and `ranking` are linear in the features; any classifier of scikit-learn can be named as well.
scikit-learn fits all of them. Sources: Bernreuther 2005, Lattice evaluation techniques, 4.1.2, which leaves the learner
open; Joachims 2002, Optimizing search engines using clickthrough data (ranking by differences of pairs).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treesql.errors import UnknownName, UsageError
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.runtime.failures import missing_package

LOGISTIC, REGRESSION, RANKING = LINEAR = ("logistic", "regression", "ranking")

MAX_PAIRS = 200_000
"""Maximum number of pairs that a ranking is fitted to; of more, a sample."""

MAX_STEPS = 1_000
"""Maximum number of steps of a fit."""

TOLERANCE = 1e-8
"""Largest derivative of the mean loss at which a fit ends. Features are correlated, so coefficients still change long
after the loss hardly does."""


def fit_logistic(
    data: Floats, prune: Flags, regularisation: float, *, with_intercept: bool = True
) -> tuple[Floats, float]:
    """Coefficients and intercept of a logistic regression of prune[n] on data[n, features]. Raises UsageError."""
    sklearn_exceptions, linear_model = _sklearn("exceptions"), _sklearn("linear_model")
    from scipy.linalg import LinAlgWarning

    model = linear_model.LogisticRegression(
        C=regularisation, solver="newton-cholesky", tol=TOLERANCE, max_iter=MAX_STEPS, fit_intercept=with_intercept
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", sklearn_exceptions.ConvergenceWarning)
        # Where a Newton step is singular, scikit-learn falls back to another solver.
        warnings.simplefilter("ignore", LinAlgWarning)
        try:
            model.fit(data, prune)
        except sklearn_exceptions.ConvergenceWarning:
            raise UsageError(f"no fit was found in {MAX_STEPS:,} steps; take a smaller --regularisation") from None
    return model.coef_[0], float(np.ravel(model.intercept_)[0]) if with_intercept else 0.0


def fit_regression(data: Floats, target: Floats, regularisation: float) -> tuple[Floats, float]:
    """Coefficients and intercept of a ridge regression of target[n] on data[n, features], with penalty 1 / C."""
    model = _sklearn("linear_model").Ridge(alpha=1 / regularisation).fit(data, target)
    return np.asarray(model.coef_, dtype=np.float64), float(model.intercept_)


def fit_ranking(data: Floats, prune: Flags, lattice: Ints, regularisation: float, seed: int) -> tuple[Floats, float]:
    """Coefficients by which edges to prune rank above others of their lattice: a logistic regression on differences.

    lattice: (n,) of every edge. Of more than MAX_PAIRS pairs a sample by the seed. Raises UsageError.
    """
    worse, better = pairs(prune, lattice, seed)
    if not len(worse):
        raise UsageError("no lattice has edges of both labels; a ranking learns from pairs of one lattice")
    differences = data[worse] - data[better]
    turned = np.arange(len(differences)) % 2 == 1  # so that both classes occur
    differences[turned] *= -1
    return fit_logistic(differences, ~turned, regularisation, with_intercept=False)


def pairs(prune: Flags, lattice: Ints, seed: int) -> tuple[Ints, Ints]:
    """Indices of edges to prune and of others of the same lattice, each pair once or a sample of MAX_PAIRS pairs."""
    order = np.lexsort((~prune, lattice))
    starts = np.flatnonzero(np.diff(lattice[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    n_worse = np.add.reduceat(prune[order].astype(np.int64), starts) if len(starts) else starts
    n_pairs = n_worse * (sizes - n_worse)
    total = int(n_pairs.sum())
    chosen = np.arange(total)
    if total > MAX_PAIRS:
        chosen = np.sort(np.random.default_rng(seed).choice(total, MAX_PAIRS, replace=False))
    owner = np.searchsorted(np.cumsum(n_pairs), chosen, side="right")
    place = chosen - (np.cumsum(n_pairs) - n_pairs)[owner]
    others = (sizes - n_worse)[owner]
    worse = starts[owner] + place // np.maximum(others, 1)
    better = starts[owner] + n_worse[owner] + place % np.maximum(others, 1)
    return order[worse], order[better]


MAX_SEED = (1 << 32) - 1
"""Largest seed of a classifier of scikit-learn."""


def make_classifier(name: str, seed: int) -> Any:
    """A classifier of scikit-learn with its defaults, and this seed if it takes one. Raises UnknownName, UsageError."""
    known = dict(_sklearn("utils").all_estimators(type_filter="classifier"))
    if name not in known:
        raise UnknownName("learner", name, [*LINEAR, *known])
    try:
        made = known[name]()
    except TypeError:
        raise UsageError(f"the learner {name} is made of other estimators; name one that stands alone") from None
    if "random_state" in made.get_params():
        if seed > MAX_SEED:
            raise UsageError(f"a seed of the learner {name} is a number from 0 to {MAX_SEED}, not {seed}")
        made.set_params(random_state=seed)
    return made


def fit_classifier(name: str, seed: int, data: Floats, prune: Flags) -> Any:
    """A fitted classifier. Raises UnknownName, UsageError."""
    made = make_classifier(name, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return made.fit(data, prune)
        except ValueError as error:
            raise UsageError(f"the learner {name} cannot learn from these examples: {error}") from None


def gives_probabilities(model: Any) -> bool:
    """Whether a fitted classifier has a probability of every edge."""
    return hasattr(model, "predict_proba")


def judge(model: Any, data: Floats) -> Floats:
    """What speaks for pruning, by a fitted classifier: float64[n], log-odds if it has probabilities."""
    if gives_probabilities(model):
        probability = np.clip(model.predict_proba(data)[:, 1], 1e-12, 1 - 1e-12)
        return np.asarray(np.log(probability) - np.log1p(-probability), dtype=np.float64)
    judged = model.decision_function(data) if hasattr(model, "decision_function") else model.predict(data)
    return np.asarray(judged, dtype=np.float64)


def _sklearn(module: str) -> Any:
    """A module of scikit-learn. Raises UsageError where it is not installed."""
    import importlib

    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError as error:
        use, install = "an arbiter is fitted by scikit-learn", "pip install 'treesql[arbiter]'"
        raise missing_package(error, ("sklearn",), use, install) from None
