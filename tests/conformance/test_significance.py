"""p-values and intervals against references: exact distributions, all exchanges counted in fractions, given resamples.

The references of shuffle_las are convolutions of the same definition; those of shuffle_alignment are a million random
exchanges, which ours must agree with within 4 standard errors.
"""

from __future__ import annotations

import itertools
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treesql
from tests.conformance.cases import CASES, needs
from treesql.catalog.header import Score
from treesql.kernels.sampling import resampling
from treesql.significance import intervals, mcnemar, tests
from treesql.significance.tests import Counts

ALIGN = CASES / "align"
DEPENDENCY = CASES / "dependency"
pytestmark = needs(ALIGN)

UAS = Score("uas", "percent", "sum(correct_head) / nullif(sum(words), 0)", "")
LAS = Score("las", "percent", "sum(correct_edge) / nullif(sum(words), 0)", "")
AER = Score("aer", "percent", "1 - (sum(sure_hits) + sum(possible_hits)) / nullif(sum(proposed) + sum(sure), 0)", "")
F1 = Score("sure_f1", "percent", "2 * sum(sure_hits) / nullif(sum(proposed) + sum(sure), 0)", "")
PARSED = ("words", "correct_head", "correct_edge")
ALIGNED = ("proposed", "sure_hits", "possible_hits", "sure")


@cache
def case(name: str) -> Any:
    return json.loads((ALIGN / name).read_text())


def references() -> Any:
    return case("significance.json") if ALIGN.exists() else {}


def counts(rows: list[list[int]], names: tuple[str, ...]) -> Counts:
    return Counts.of(dict(zip(names, np.array(rows).T, strict=True)))


@cache
def parsed(language: str, system: str, left_out: bool) -> Counts:
    """Per sentence the words, right heads, and right heads with relations."""

    def trees(name: str) -> list[list[list[str]]]:
        lines = (ALIGN / "pts" / f"{language}.{name}").read_text().splitlines()
        return [[word.split(":", 1) for word in line.split()] for line in lines]

    rows = []
    punctuation = (ALIGN / "pts" / f"{language}.punct").read_text().splitlines()
    for gold, own, marks in zip(trees("gold"), trees(f"sys{system}"), punctuation, strict=True):
        scored = [(g, s) for g, s, mark in zip(gold, own, marks, strict=True) if not (left_out and mark == "1")]
        rows.append([len(scored), sum(g[0] == s[0] for g, s in scored), sum(g == s for g, s in scored)])
    return counts(rows, PARSED)


@cache
def aligned(system: str, sentences: tuple[int, ...] | None = None) -> Counts:
    """Per sentence the links proposed, those among them that are sure and possible, and the sure gold links."""
    rows = []
    gold = (ALIGN / "wa" / "enfr.gold.sp0").read_text().splitlines()
    own = (ALIGN / "wa" / f"enfr.{system}.ph0").read_text().splitlines()
    for number, (g, s) in enumerate(zip(gold, own, strict=True)):
        if sentences is None or number in sentences:
            sure = {link for link in g.split() if "-" in link}
            possible = sure | {link.replace("p", "-") for link in g.split()}
            links = set(s.split())
            rows.append([len(links), len(links & sure), len(links & possible), len(sure)])
    return counts(rows, ALIGNED)


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("name", references().get("shuffle_las", {}))
def test_exact_shuffling_of_uas_and_las(name: str) -> None:
    language, pair, metric, scope = name.split("|")
    a, b = (parsed(language, system, scope == "nopunct") for system in pair.split("-"))
    expected = case("significance.json")["shuffle_las"][name]
    score = {"uas": UAS, "las": LAS}[metric]
    [found] = tests.shuffling_test([score], a, b)
    assert found == tests.TestedScore(pytest.approx(expected["exact_p_two_sided"], rel=1e-11), "exact shuffling")
    column = PARSED.index(score.counts[0])
    differences = (a.values - b.values)[:, column].astype(np.int64)
    assert differences.sum() == expected["diff_tokens"]
    assert np.count_nonzero(differences) == expected["nonzero"]
    if expected["per_sentence"]:
        assert differences.tolist() == expected["per_sentence"]
    least, distribution = resampling.exchange_distribution(differences)
    sums = 2 * (least + np.arange(len(distribution))) - np.abs(differences).sum()
    one_sided = distribution[sums >= abs(differences.sum())].sum()
    strict = distribution[np.abs(sums) > abs(differences.sum())].sum()
    assert one_sided == pytest.approx(expected["exact_p_one_sided"], rel=1e-11)
    assert strict == pytest.approx(expected["exact_p_two_sided_strict"], rel=1e-11)
    # a sample of ours, where exactness is not to be had
    moved = resampling.sums_of_random_subsets((a.values - b.values)[:, [column]], 10_000, 1)
    sampled = np.count_nonzero(np.abs(differences.sum() - 2 * moved) >= abs(differences.sum())) / 10_000
    assert sampled == pytest.approx(found.p, abs=4 * math.sqrt(max(found.p or 0, 1e-4) / 10_000))


@pytest.mark.parametrize("name", references().get("mcnemar_tokens", {}))
def test_mcnemar_on_words(name: str) -> None:
    same_as_expected(case("significance.json")["mcnemar_tokens"][name])


def test_mcnemar_on_counts() -> None:
    for expected in case("significance.json")["mcnemar_counts"]:
        same_as_expected(expected)


def same_as_expected(expected: dict[str, Any]) -> None:
    b, c = expected["b"], expected["c"]
    for kind, key in (("exact", "exact_two_sided"), ("chi2", "chi2_cc_clipped_p"), ("mid-p", "mid_p")):
        if key in expected:
            assert mcnemar.mcnemar_p(b, c, kind) == pytest.approx(expected[key], rel=1e-10)
    if "exact_rational" in expected:
        assert mcnemar.mcnemar_p(b, c) == pytest.approx(expected["exact_rational"], rel=1e-12)


@pytest.mark.parametrize("name", references().get("cross_tables", {}))
def test_corrections(name: str) -> None:
    expected = case("significance.json")["cross_tables"][name]
    for how in ("holm", "bonferroni", "bh", "by"):
        assert tests.correct_p_values(expected["p"], how) == pytest.approx(expected[how], rel=1e-13)
    *found, last = tests.correct_p_values([*expected["p"], None], "holm")
    assert found == pytest.approx(expected["holm"], rel=1e-13)
    assert last is None


@pytest.mark.parametrize("pair", references().get("enumerated", {}).get("results", {}))
def test_all_exchanges_of_few_sentences(pair: str) -> None:
    reference = case("significance.json")["enumerated"]
    expected = reference["results"][pair]
    a, b = (aligned(system, tuple(reference["sentences"])) for system in pair.split("|"))
    aer, f1 = tests.shuffling_test([AER, F1], a, b)
    assert aer == tests.TestedScore(expected["count_ge"] / expected["total"], "exact shuffling")
    assert f1 == tests.TestedScore(expected["f1_count_ge"] / expected["total"], "exact shuffling")


@pytest.mark.parametrize("pair", references().get("shuffle_alignment", {}))
def test_shuffling_of_aer_and_f1(pair: str) -> None:
    expected = case("significance.json")["shuffle_alignment"][pair]
    a, b = (aligned(system) for system in pair.split("|"))
    scores = tests.evaluate_scores([AER, F1], a.columns, np.concatenate([a.sums, b.sums]))
    assert scores[0] - scores[1] == pytest.approx([expected["aer_diff"], expected["sure_f1_diff"]], abs=1e-13)
    runs = 40_000
    tested = tests.shuffling_test([AER, F1], a, b, runs=runs)
    for one, name in zip(tested, ("aer", "sure_f1"), strict=True):
        assert one.test == "stratified shuffling"
        p = expected[f"{name}_p_two_sided_1e6"]
        assert one.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) * (1 / runs + 1e-6)) + 1 / runs)


@pytest.mark.parametrize("score", [UAS, LAS, AER, F1], ids=lambda score: score.name)
def test_given_exchanges_and_draws(score: Score) -> None:
    """The swaps and the resamples stand in the file, so that no random numbers are needed."""
    fixed = case("resample_fixed.json")
    kind, names = ("parse", PARSED) if score in (UAS, LAS) else ("align", ALIGNED)
    a, b = counts(fixed[f"{kind}_a"], names), counts(fixed[f"{kind}_b"], names)
    expected = fixed["results"][score.name]

    def of(sums: tests.Floats) -> tests.Floats:
        return tests.evaluate_scores([score], a.columns, sums)[:, 0]

    observed = of(np.concatenate([a.sums, b.sums]))
    assert observed == pytest.approx([expected["score_a"], expected["score_b"]], rel=1e-14)
    swaps = np.array([[int(bit) for bit in run] for run in fixed["swaps"]], np.uint8)
    choices = np.packbits(swaps, axis=1, bitorder="little").T
    moved = resampling.sums_of_subsets(a.values - b.values, choices)
    apart = np.abs(of(a.sums - moved) - of(b.sums + moved))
    distance = abs(observed[0] - observed[1])
    assert np.count_nonzero(apart >= distance - 1e-12) == expected["ge"]
    assert np.count_nonzero(apart > distance + 1e-12) == expected["gt"]
    draws = np.array(fixed["bootstrap"])
    one, other = (of(resampling.sums_of_draws(side.values, draws)) for side in (a, b))
    assert intervals.count_wins(one, other) == (expected["boot_wins_a"], expected["boot_ties"], expected["boot_wins_b"])
    assert intervals.percentile_interval(one - other) == pytest.approx(expected["ci_percentile"], abs=1e-15)
    assert (one - other).mean() == pytest.approx(expected["boot_mean"], abs=1e-15)


@pytest.mark.spread(3)
@pytest.mark.slow
@needs(DEPENDENCY)
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem) for path in sorted(DEPENDENCY.glob("significance/*.json"))]
)
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_systems_compared(path: Path) -> None:
    """McNemar exactly; shuffling and intervals, which were sampled there, within the error of sampling."""
    reference = json.loads(path.read_text())
    with treesql.connect() as db:
        for corpus in ("gold", "A", "B"):
            db.load(DEPENDENCY / "pairs" / reference[corpus], corpus=corpus)
        for scope, relations in itertools.product(("all", "form"), ("full", "universal")):
            given = {"punctuation": scope, "relations": relations, "gold_corpus": "gold"}
            wanted = {
                "attachment." + one["metric"].lower().removesuffix("_universal"): one
                for one in reference["tests"]
                if (one["scope"] == "all") == (scope == "all")
                and one["metric"].endswith("_universal") == (relations == "universal")
            }
            sampled = {name: one for name, one in wanted.items() if one["sentence_sign_flip_p"] is not None}
            exact = db.compare(*wanted, systems=["A", "B"], test="mcnemar", runs=10, **given).rows()
            for row, expected in zip(exact, wanted.values(), strict=True):
                assert (row["score_a"], row["score_b"]) == (expected["A"], expected["B"])
                assert row["p"] == pytest.approx(expected["mcnemar_exact_p"], rel=1e-9)
                chi2 = mcnemar.mcnemar_p(expected["only_A_right"], expected["only_B_right"], "chi2")
                assert chi2 == pytest.approx(expected["mcnemar_chi2_corrected_p"], rel=1e-9)
            if sampled:
                shuffled = db.compare(*sampled, systems=["A", "B"], **given).rows()
                for row, expected in zip(shuffled, sampled.values(), strict=True):
                    p = row["p"]
                    assert expected["sentence_sign_flip_p"] == pytest.approx(p, abs=4 * math.sqrt(p / 10_000) + 1e-4)
                    ends = expected["sentence_bootstrap"]["ci95_difference"]
                    assert [row["difference_low"], row["difference_high"]] == pytest.approx(ends, abs=0.003)
