"""Methods of comparison: the tests and corrections that there are, and the choice of one."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.errors import UsageError

TESTS = ("shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p")
"""Names of tests."""

CORRECTIONS = ("holm", "bonferroni", "bh", "by", "none")
"""Names of corrections for several pairs."""

RUNS = 10_000
"""Number of random exchanges or resamples by default."""

SEED = 12345
"""Seed of the random numbers by default."""

MACRO, MICRO = AVERAGES = ("macro", "micro")
"""Names of averages over treebanks, in place of a treebank's."""

LEVEL = 0.05
"""Significance level: a difference with a p below it is significant, and intervals exclude this share."""


@dataclass(frozen=True)
class Method:
    """A method of comparison. Raises UsageError.

    runs, seed: of shuffling and bootstrap. correction: for several pairs. stratum: the column of sentences, or the
    comment, whose equal values are exchanged and resampled together. ci: whether scores and differences have bootstrap
    intervals.
    """

    test: str = "shuffling"
    runs: int = RUNS
    seed: int = SEED
    correction: str = "holm"
    stratum: str | None = None
    ci: bool = True

    def __post_init__(self) -> None:
        for what, name, known in (("test", self.test, TESTS), ("correction", self.correction, CORRECTIONS)):
            if name not in known:
                raise UsageError(f"there is no {what} {name!r}; choose one of {', '.join(known)}")
        if self.runs < 1:
            raise UsageError("a test has at least 1 run")
        if not 0 <= self.seed < 2**128:
            raise UsageError("a seed is a number from 0 on")
        if self.stratum and self.test.startswith("mcnemar"):
            raise UsageError("McNemar's test counts items, whatever sentences they are in; strata are for shuffling")

    @property
    def resamples(self) -> int:
        """The number of resamples that are drawn."""
        return self.runs if self.ci or self.test == "bootstrap" else 0
