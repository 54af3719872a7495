"""False positives and speed of tests of significance, compared with sacrebleu's paired approximate randomisation.

python benchmarks/significance.py [--alarms GOLD.conllu SYSTEM.conllu SYSTEM.conllu]

Prints Markdown; one thread, CPU seconds. Without --alarms the speed is measured, which needs sacrebleu. With it, the
share of true null hypotheses that every test rejects at 5%: on made-up systems whose errors come in clusters or do not,
and on the two real ones, whose sentences are exchanged at random, so that neither is better than the other.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import machine, table, target

import treesql
from treesql.catalog.header import Score
from treesql.kernels.arrays import Ints
from treesql.kernels.sampling import resampling
from treesql.significance import intervals, mcnemar, methods, tests
from treesql.significance.tests import Counts

LAS = Score("las", "percent", "sum(correct_words) / nullif(sum(words), 0)", "")
AER = Score("aer", "percent", "1 - (sum(sure_hits) + sum(possible_hits)) / nullif(sum(proposed) + sum(sure), 0)", "")
F1 = Score("f1", "percent", "2 * sum(sure_hits) / nullif(sum(proposed) + sum(sure), 0)", "")
ALIGNED = ("proposed", "sure_hits", "possible_hits", "sure")
TIMES = 9
HYPOTHESES = 2000
DRAWS = 500
"""Runs of the bootstrap for every hypothesis."""

Pair = tuple[Ints, Ints]
"""Per sentence, the words that the first system alone, and that the second alone, has right."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alarms", nargs=3, type=Path, metavar=("GOLD", "SYSTEM", "SYSTEM"))
    given = parser.parse_args()
    if given.alarms:
        alarms(*given.alarms)
    else:
        speed()


def speed() -> None:
    chance = np.random.default_rng(0)
    rows, reached = [], []
    for n in (447, 2000):
        a, b = (_aligned(chance, n) for _ in "ab")
        for score in (AER, F1):
            ours, theirs = _in_turn(partial(tests.shuffling_test, [score], a, b), partial(_sacrebleu, score, a, b))
            what = f"10,000 shuffles of {score.name.upper()}, {n:,} sentences"
            rows.append([what, f"{1000 * ours:.1f}", f"{1000 * theirs:.0f}", f"{theirs / ours:.0f}"])
            reached.append(target(f"{what}, at least 100 times", f"{theirs / ours:.0f} times", theirs / ours >= 100))
    words = chance.integers(3, 45, 2000)
    first, second = (Counts.of({"words": words, "correct_words": chance.binomial(words, 0.85)}) for _ in "ab")
    [exact] = _in_turn(lambda: tests.shuffling_test([LAS], first, second))
    [draws] = _in_turn(
        lambda: [
            tests.evaluate_scores([LAS], first.columns, sums)
            for sums in intervals.resample_together([first.values, second.values], methods.RUNS, methods.SEED)
        ]
    )
    rows.append(["exact p of LAS, 2,000 sentences", f"{1000 * exact:.1f}", "", ""])
    rows.append(["10,000 draws of the bootstrap, both systems, 2,000 sentences", f"{1000 * draws:.0f}", "", ""])
    reached.append(target("exact p of LAS in 20 ms", f"{1000 * exact:.1f} ms", exact <= 0.02))
    print(table(["", "treesql, ms", "sacrebleu, ms", "times"], rows))
    print("\n".join(reached))
    print(f"\n{machine('sacrebleu')}")


def alarms(gold: Path, first: Path, second: Path) -> None:
    chance = np.random.default_rng(0)
    kinds: list[tuple[str, Callable[[], Pair]]] = [
        (f"made up, {name}, {n:,} sentences", partial(made_up, chance, n, spread))
        for spread, name in ((0.0, "independent"), (1.0, "in clusters"), (2.0, "in strong clusters"))
        for n in (50, 300, 1000)
    ]
    for metric in ("uas", "las"):
        real = discordant(gold, first, second, metric)
        kinds.append(
            (f"{metric.upper()} of two real parsers, {len(real[0]):,} sentences", partial(exchanged, chance, real))
        )
    print(table(["errors", "shuffling", "bootstrap", "McNemar exact", "chi-square", "mid-p"], ()), end="")
    for name, draw in kinds:
        rejections = np.array([_rejected(draw(), seed) for seed in range(HYPOTHESES)])
        print(
            "| " + " | ".join([name, *(f"{100 * share:.1f}%" for share in rejections.mean(axis=0))]) + " |", flush=True
        )
    print(f"\n{machine()}")


def made_up(chance: np.random.Generator, n: int, spread: float) -> Pair:
    """Two systems right in 85% of words or so. How hard a sentence is for a system differs: log odds of this spread."""
    words = chance.integers(5, 41, n)
    ease = 1 / (1 + np.exp(-(1.75 + spread * chance.standard_normal((2, n)))))
    both = chance.binomial(words, ease[0] * ease[1])
    first = chance.binomial(words - both, ease[0] * (1 - ease[1]) / (1 - ease[0] * ease[1]))
    rest = 1 - ease[0] * ease[1] - ease[0] * (1 - ease[1])
    second = chance.binomial(words - both - first, (1 - ease[0]) * ease[1] / rest)
    return first, second


def exchanged(chance: np.random.Generator, real: Pair) -> Pair:
    """Two systems' sentences exchanged at random: whatever each of the two new systems is, it is no better."""
    swap = chance.integers(0, 2, len(real[0])).astype(bool)
    return np.where(swap, real[1], real[0]), np.where(swap, real[0], real[1])


def discordant(gold: Path, first: Path, second: Path, metric: str) -> Pair:
    column = {"uas": "correct_head", "las": "correct_edge"}[metric]
    with treesql.connect() as db:
        for corpus, path in (("gold", gold), ("a", first), ("b", second)):
            with warnings.catch_warnings(action="ignore", category=treesql.TreesqlWarning):
                db.load(path, corpus=corpus)
        rows = db.sql(
            f"""SELECT CAST(sum(a.{column} * (1 - b.{column})) AS BIGINT) AS one,
                       CAST(sum(b.{column} * (1 - a.{column})) AS BIGINT) AS other
                FROM attachment('gold', 'a') AS a
                JOIN attachment('gold', 'b') AS b ON b.sentence = a.sentence AND b.word = a.word GROUP BY a.sentence"""
        ).arrow()
    return rows["one"].to_numpy(), rows["other"].to_numpy()


def _rejected(pair: Pair, seed: int) -> list[bool]:
    """Whether each test rejects at 5%."""
    first, second = pair
    differences = first - second
    drawn = resampling.bootstrap_sums(differences[:, None].astype(float), DRAWS, seed)[:, 0]
    p = [resampling.exchange_p_value(differences), intervals.bootstrap_p(drawn, np.zeros(DRAWS)) or 0.0]
    p += [mcnemar.mcnemar_p(int(first.sum()), int(second.sum()), kind) for kind in ("exact", "chi2", "mid-p")]
    return [value < methods.LEVEL for value in p]


def _aligned(chance: np.random.Generator, n: int) -> Counts:
    """Counts of an alignment of n sentences, like those of the English-French shared task."""
    sure = np.random.default_rng(n).integers(2, 25, n)
    proposed = np.maximum(chance.binomial(sure + 6, 0.8), 1)
    sure_hits = np.minimum(chance.binomial(sure, 0.8), proposed)
    possible_hits = np.minimum(sure_hits + chance.binomial(6, 0.6, n), proposed)
    return Counts.of(dict(zip(ALIGNED, (proposed, sure_hits, possible_hits, sure), strict=True)))


def _sacrebleu(score: Score, a: Counts, b: Counts) -> float | None:
    """sacrebleu's own test, of a stand-in for a metric, whose statistics are the counts; summed as by its metrics."""
    from sacrebleu.metrics.base import Score as Scored
    from sacrebleu.significance import Result, _paired_ar_test
    from sacrebleu.utils import sum_of_lists

    rows = [side.values.astype(int).tolist() for side in (a, b)]

    class Aligned:
        def _extract_corpus_statistics(self, hypotheses: object, references: object) -> Any:
            return rows[1]

        def _aggregate_and_compute(self, stats: list[list[int]]) -> Any:
            proposed, sure_hits, possible_hits, sure = sum_of_lists(stats)
            hits = sure_hits + possible_hits if score is AER else 2 * sure_hits
            ratio = hits / (proposed + sure)
            return Scored(score.name, 1 - ratio if score is AER else ratio)

    metric: Any = Aligned()
    base: Any = {score.name: (rows[0], Result(metric._aggregate_and_compute(rows[0]).score))}
    result = _paired_ar_test(base, "b", [""] * len(rows[0]), None, {score.name: metric}, methods.RUNS, -1, 12345)
    p: float | None = result[1][score.name].p_value
    return p


def _in_turn(*calls: Callable[[], object]) -> list[float]:
    """The median CPU seconds of calls that take turns; a turn is the best of three, as the first warms the caches."""
    costs: list[list[float]] = [[] for _ in calls]
    for _ in range(TIMES):
        for call, spent in zip(calls, costs, strict=True):
            spent.append(min(_seconds(call) for _ in range(3)))
    return [statistics.median(spent) for spent in costs]


def _seconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


if __name__ == "__main__":
    main()
