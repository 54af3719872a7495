"""Share of true null hypotheses that every test rejects at 5%, for equally good systems whose errors come in clusters.

python benchmarks/null_rejection.py [--hypotheses N] [--only TEXT]

Prints Markdown: a row for a score of the catalogue and a kind of errors, with the share of N true hypotheses that each
test rejects and its 95% interval (Clopper and Pearson). How hard a sentence is differs from sentence to sentence (log
odds of a normal distribution, half of its variance common to both systems, half a system's own), or from document to
document.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
from measure import machine, table, target
from scipy.stats import binomtest

from treesql import catalog
from treesql.catalog.header import Score
from treesql.significance import intervals, mcnemar, methods, tests
from treesql.significance.tests import Counts

HYPOTHESES = 1000
RUNS = 500
"""Runs of sampled shuffling and of the bootstrap for every hypothesis."""

SENTENCES = 200
DOCUMENT = 10
"""Sentences of a document."""

TESTS = ("shuffling", "bootstrap", "McNemar exact", "chi-square", "mid-p")
SURE = 0.999
"""How sure the interval is that decides about a test, as there are many rows."""

Array = npt.NDArray[np.float64]
System = Mapping[str, npt.NDArray[np.generic]]
Discordant = tuple[int, int]


@dataclass(frozen=True)
class Drawn:
    """What was counted of two systems, a row per sentence, and of the items that one alone has right."""

    a: System
    b: System
    discordant: Discordant | None = None


@dataclass(frozen=True)
class Errors:
    """How hard the sentences are: log odds, with the standard deviations of sentences and of documents."""

    name: str
    sentences: int
    of_sentences: float = 0.0
    of_documents: float = 0.0

    def ease(self, chance: np.random.Generator, base: float = 1.75) -> Array:
        """The probability that something is right: float64[2 systems, sentences]."""
        odds = np.full((2, self.sentences), base)
        odds += self.of_sentences * _effects(chance, self.sentences)
        odds += self.of_documents * _effects(chance, self.sentences)[:, self.documents]
        ease: Array = 1 / (1 + np.exp(-odds))
        return ease

    @property
    def documents(self) -> npt.NDArray[np.int64]:
        """The number of every sentence's document."""
        return np.arange(self.sentences) // DOCUMENT


def _effects(chance: np.random.Generator, n: int) -> Array:
    """Normal numbers of variance 1, half of it common to both systems: float64[2, n]."""
    effects: Array = (chance.standard_normal(n) + chance.standard_normal((2, n))) / np.sqrt(2)
    return effects


def words(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Words with heads, right or wrong."""
    n = chance.integers(5, 41, errors.sentences)
    first_ease, second_ease = errors.ease(chance)
    both = chance.binomial(n, first_ease * second_ease)
    first = chance.binomial(n - both, first_ease * (1 - second_ease) / (1 - first_ease * second_ease))
    second = chance.binomial(
        n - both - first,
        (1 - first_ease) * second_ease / (1 - first_ease * second_ease - first_ease * (1 - second_ease)),
    )
    a, b = ({"words": n, "correct_edge": both + right} for right in (first, second))
    return Drawn(a, b, (int(first.sum()), int(second.sum())))


def whole_sentences(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Sentences, right as a whole or not."""
    right = chance.random((2, errors.sentences)) < errors.ease(chance, 0.0)
    ones = np.ones(errors.sentences, np.int64)
    a, b = ({"sentences": ones, "exact_sentences": is_right.astype(np.int64)} for is_right in right)
    return Drawn(a, b, (int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())))


def weighted_words(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Words of two weights, of content and of function."""
    n, light = chance.integers(3, 20, errors.sentences), chance.integers(2, 20, errors.sentences)
    gold = 0.9137 * n + 0.2719 * light

    def system(ease: Array) -> System:
        return {"gold_weight": gold, "correct_weight": 0.9137 * chance.binomial(n, ease)
                + 0.2719 * chance.binomial(light, ease)}  # fmt: skip

    a, b = map(system, errors.ease(chance))
    return Drawn(a, b)


def raw_text(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Words that systems find themselves, more or fewer than there are."""
    gold = chance.integers(5, 41, errors.sentences)

    def system(ease: Array) -> System:
        proposed = np.maximum(gold + chance.integers(-2, 3, errors.sentences), 1)
        correct = chance.binomial(np.minimum(gold, proposed), ease)
        return {"gold_words": gold, "system_words": proposed, "correct_edge": correct}

    a, b = map(system, errors.ease(chance))
    return Drawn(a, b)


def links(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Links between words; a system proposes more of them where it finds the sentence easy."""
    sure, possible = chance.integers(2, 25, errors.sentences), chance.integers(0, 12, errors.sentences)

    def system(ease: Array) -> System:
        hits, more = chance.binomial(sure, ease), chance.binomial(possible, ease / 2)
        wrong = chance.binomial(sure + 2, (1 - ease) / 2)
        return {"proposed": hits + more + wrong, "sure": sure, "matched_sure": hits, "matched_possible": hits + more}

    a, b = map(system, errors.ease(chance))
    return Drawn(a, b)


def brackets(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Constituents; a system finds more or fewer than there are."""
    gold = chance.integers(3, 40, errors.sentences)
    ones, none = np.ones(errors.sentences, np.int64), np.zeros(errors.sentences, np.int64)

    def system(ease: Array) -> System:
        matched = chance.binomial(gold, ease)
        proposed = matched + chance.binomial(gold, 1 - ease)
        return {"sentences": ones, "errors": none, "skipped": none, "matched": matched, "gold": gold, "test": proposed}

    a, b = map(system, errors.ease(chance))
    return Drawn(a, b)


def edits(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Words of a hypothesis that are missing or replaced, and insertions, which also come in clusters."""
    reference = chance.integers(3, 41, errors.sentences)
    a, b = (
        {"reference_words": reference, "edits": chance.binomial(reference, 1 - ease) + chance.poisson(4 * (1 - ease))}
        for ease in errors.ease(chance)
    )
    return Drawn(a, b)


def n_grams(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Translations whose words match or do not; n-grams match where all their words do."""
    reference = chance.integers(6, 41, errors.sentences)

    def system(ease: Array) -> System:
        length = np.maximum(reference + chance.integers(-3, 4, errors.sentences), 4)
        right = chance.random((errors.sentences, 44)) < ease[:, None]
        right &= np.arange(44) < length[:, None]
        counts: dict[str, npt.NDArray[np.generic]] = {"hypothesis_words": length, "closest_words": reference}
        run = right
        for size in (1, 2, 3, 4):
            counts |= {f"matches_{size}": run.sum(axis=1), f"n_grams_{size}": length - size + 1}
            run = run[:, :-1] & right[:, size:]
        return counts

    a, b = (system(ease) for ease in errors.ease(chance, 0.5))
    return Drawn(a, b)


def lattices(chance: np.random.Generator, errors: Errors) -> Drawn:
    """Lattices with nodes of a number of their own, and deviations that are no whole numbers."""

    def system(ease: Array) -> System:
        nodes = chance.integers(5, 60, errors.sentences)
        deviation = nodes * (1 - ease) * chance.gamma(2.0, 0.5, errors.sentences)
        return {"deviation": deviation, "scored_nodes": nodes, "infinite_lattices": np.zeros(len(nodes), np.int64)}

    a, b = map(system, errors.ease(chance))
    return Drawn(a, b)


class Draw(Protocol):
    """A function that draws two systems."""

    __name__: str

    def __call__(self, chance: np.random.Generator, errors: Errors, /) -> Drawn: ...  # noqa: D102


def score_of(metric: str, name: str) -> Score:
    """A score of the catalogue."""
    return next(ratio for ratio in catalog.query(metric).ratios if ratio.name == name)


LAS, F1, AER, BLEU = (
    score_of(*names)
    for names in (("attachment", "las"), ("evalb", "f1"), ("agreement", "aer"), ("n_gram_matches", "bleu"))
)
# DuckDB's greatest() changes nothing, but no linear form is known of it: so exchanges have to be sampled.
SAMPLED_LAS = Score("las", "percent", f"greatest({LAS.expression}, 0)", "")
KINDS: list[tuple[str, Draw, Score]] = [
    ("LAS", words, LAS),
    ("LAS, sampled", words, SAMPLED_LAS),
    ("exact match", whole_sentences, score_of("exact_match", "exact_match")),
    ("WLAS", weighted_words, score_of("weighted_attachment", "wlas")),
    ("LAS of raw text", raw_text, score_of("attachment", "las")),
    ("AER", links, AER),
    ("F1 of constituents", brackets, F1),
    ("WER", edits, score_of("edit_operations", "wer")),
    ("BLEU", n_grams, BLEU),
    ("SWCD", lattices, score_of("word_count_distance", "swcd")),
]
CLUSTERS, STRONG = Errors("in clusters", SENTENCES, 1.0), Errors("in strong clusters", SENTENCES, 2.0)
INDEPENDENT, FEW = Errors("independent", SENTENCES), Errors("in clusters", 9, 1.0)
DOCUMENTS = Errors("alike in documents", 1000, 1.0, 0.7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hypotheses", type=int, default=HYPOTHESES, metavar="N", help="for every row")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this text")
    given = parser.parse_args()
    some = {"LAS", "AER"}
    rows = [(name, errors, draw, score, False) for errors in (INDEPENDENT, CLUSTERS, STRONG, FEW) for name, draw, score
            in KINDS if errors is CLUSTERS or name in some]  # fmt: skip
    rows += [(name, DOCUMENTS, draw, score, whole) for name, draw, score in KINDS if name in some
             for whole in (False, True)]  # fmt: skip
    print(table(["score", "errors", "sentences", "how shuffled", *TESTS], ()), end="")
    kept = []
    for name, errors, draw, score, whole in rows:
        exchanged = "documents" if whole else "sentences"
        title = f"{name}, {errors.name}, {errors.sentences} sentences" + ", documents exchanged" * whole
        if given.only.lower() not in title.lower():
            continue
        decide = partial(_rejected, score, errors, draw, whole)
        rejections = [decide(seed) for seed in range(given.hypotheses)]
        cells = [_share([rejects for _, rejects in rejections], test) for test in TESTS]
        shuffled = ", ".join(sorted({test for test, _ in rejections}))
        shown = [name, errors.name, f"{errors.sentences:,}", f"{exchanged}: {shuffled}", *cells]
        print("| " + " | ".join(shown) + " |", flush=True)
        if errors is not DOCUMENTS or whole:
            kept.append((title, [rejects for _, rejects in rejections]))
    print()
    for title, rejects in kept:
        low, _ = _interval([rejected["shuffling"] for rejected in rejects], SURE)
        share = sum(rejected["shuffling"] for rejected in rejects) / len(rejects)
        print(target(f"shuffling of {title} rejects no more than 5%", f"{share:.1%}", low <= methods.LEVEL))
    print(f"\n{machine('scipy')}")


def _rejected(score: Score, errors: Errors, draw: Draw, whole: bool, seed: int) -> tuple[str, dict[str, bool]]:
    """How was shuffled, and which tests reject at 5% that two systems are equally good, who are."""
    systems = f"{draw.__name__} {errors}"  # the same ones however they are tested, others in every other row
    drawn = draw(np.random.default_rng([seed, zlib.crc32(systems.encode())]), errors)
    a, b = (Counts.of(counts) for counts in (drawn.a, drawn.b))
    if whole:
        a, b = (counts.strata(errors.documents) for counts in (a, b))
    [shuffled] = tests.shuffling_test([score], a, b, runs=RUNS, seed=seed)
    drawn_sums = intervals.resample_together([a.values, b.values], RUNS, seed)
    runs = (tests.evaluate_scores([score], a.columns, sums)[:, 0] for sums in drawn_sums)
    p = {"shuffling": shuffled.p, "bootstrap": intervals.bootstrap_p(*runs)}
    if drawn.discordant is not None and not whole:
        for test, kind in zip(TESTS[2:], ("exact", "chi2", "mid-p"), strict=True):
            p[test] = mcnemar.mcnemar_p(*drawn.discordant, kind)
    return shuffled.test, {test: value is not None and value < methods.LEVEL for test, value in p.items()}


def _share(rejects: list[dict[str, bool]], test: str) -> str:
    """A share of rejections with its interval, as a cell of the table."""
    if test not in rejects[0]:
        return ""
    rejected = [tests_of_pair[test] for tests_of_pair in rejects]
    low, high = _interval(rejected, 0.95)
    return f"{sum(rejected) / len(rejected):.1%} ({100 * low:.1f} to {100 * high:.1f})"


def _interval(rejected: list[bool], sure: float) -> tuple[float, float]:
    bounds = binomtest(sum(rejected), len(rejected)).proportion_ci(sure)
    return float(bounds.low), float(bounds.high)


if __name__ == "__main__":
    main()
