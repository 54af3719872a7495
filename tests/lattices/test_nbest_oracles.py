"""The paths of lattices and the hypotheses of lists that are nearest to references."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.evaluation.lines import PLF, REFERENCES
from treesql.catalog import kinds
from treesql.errors import Incomparable, UnknownName, UsageError
from treesql.evaluation.files import make_task
from treesql.lattices.oracle_paths import find_oracle_paths

Row = dict[str, Any]
COSTS: dict[str, tuple[str, Callable[[Row], float]]] = {
    "wer": ("edit_operations", lambda row: row["substitutions"] + row["insertions"] + row["deletions"]),
    "per": ("position_independent_errors", lambda row: row["word_set_errors"]),
    "ter": ("edits_with_shifts", lambda row: row["shifted_edits"]),
    "bleu": ("n_gram_matches", lambda row: -row["bleu_effective"]),
    "chrf": ("character_n_grams", lambda row: -row["chrf"]),
}
"""By measure the metric of translations, and what is least for the best hypothesis."""


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def moses(path: Path, lists: Sequence[Sequence[str]]) -> Path:
    return write(path, [f"{at} ||| {text} ||| F= {rank} ||| {-rank}"
                        for at, one in enumerate(lists) for rank, text in enumerate(one)])  # fmt: skip


def random_lists(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Lists of hypotheses, and for every list two references."""
    made = random.Random(seed)
    words = ["a", "b", "cat", "Häuser", "sat\u00a0down", "b.", "aab"]

    def text(longest: int) -> str:
        return " ".join(made.choices(words, k=made.randint(0, longest)))

    lists: list[list[str]] = []
    references: list[list[str]] = []
    for _ in range(30):
        references.append([text(90 if made.random() < 0.1 else 9), text(9)])
        lists.append([])
        for _ in range(made.randint(1, 6)):
            near = references[-1][0].split(" ")
            made.shuffle(near)
            lists[-1].append(made.choice([text(9), " ".join(near[: made.randint(0, len(near))])]).strip())
    return lists, references


@pytest.mark.filterwarnings("ignore:.*empty reference beside others:treesql.TreesqlWarning")
@pytest.mark.slow
@pytest.mark.spread(6)
@pytest.mark.parametrize("n_references", [2, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("measure", COSTS)
def test_brute_force(measure: str, n_references: int, tmp_path: Path) -> None:
    lists, references = random_lists(n_references)
    found = [write(tmp_path / f"r{at}.txt", [two[at] for two in references]) for at in range(n_references)]
    rows = treesql.nbest.oracle(moses(tmp_path / "a.nbest", lists), reference=found, measure=measure, n="3,1,9").rows()
    assert [row["n"] for row in rows] == [1, 3, 9]
    flat = write(tmp_path / "flat.txt", [text for one in lists for text in one])
    of_flat = [
        write(tmp_path / f"f{at}.txt", [two[at] for one, two in zip(lists, references, strict=True) for _ in one])
        for at in range(n_references)
    ]
    metric, cost = COSTS[measure]
    by = treesql.score(
        "translation", systems=[flat], reference=of_flat, metric=metric, by="sentence", ids="none"
    ).rows()
    costs = {row["sentence"]: cost(row) for row in by}
    start = 0
    best: dict[int, list[str]] = {1: [], 3: [], 9: []}
    for one in lists:
        for n, texts in best.items():
            texts.append(one[min(range(min(n, len(one))), key=lambda at: (costs.get(start + at, 0), at))])
        start += len(one)
    scores = []
    for n, texts in best.items():
        chosen = write(tmp_path / f"best-{n}.txt", texts)
        [row] = treesql.score("translation", systems=[chosen], reference=found, metric=metric, ids="none").rows()
        scores.append(row[measure])
    assert [row[measure] for row in rows] == scores
    assert [row[f"{measure}_1_best"] for row in rows] == scores[:1] * 3
    assert rows[0]["better_lists"] == 0 < rows[2]["better_lists"]


def test_a_list_is_read_down_to_the_rank_that_is_asked_for(tmp_path: Path) -> None:
    """Two of two words are wrong in the first hypothesis, one in the second, none in the third."""
    lists, reference = moses(tmp_path / "a.nbest", [["x y", "a x", "a b"]]), write(tmp_path / "r.txt", ["a b"])
    rows = treesql.nbest.oracle(lists, reference=reference, n=[1, 2]).rows()
    assert [(row["n"], row["wer"], row["wer_1_best"]) for row in rows] == [(1, 1, 1), (2, 1 / 2, 1)]


@pytest.mark.thorough
def test_weights_sort_lists(tmp_path: Path) -> None:
    lists = moses(tmp_path / "a.nbest", [["x", "a b", "a c"], ["y", "a d", "a b"]])
    reference = write(tmp_path / "r.txt", ["a b", "a b"])
    assert first_best(lists, reference, "") == 1.0
    assert first_best(lists, reference, "F=1") == 0.25  # the last of every list
    assert first_best(lists, reference, "score=-1") == 0.25
    assert first_best(lists, reference, "2") == 0.25
    for weights, error, text in (
        ("G=1", UnknownName, "unknown feature .G.; known: F, score"),
        ("1,2", UsageError, "2 numbers, and hypotheses have 1 feature;"),
        ("F=x", UsageError, "the weight x is not a finite number"), ("F=1,2", UsageError, "2 without a name"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            first_best(lists, reference, weights)


def first_best(lists: Path, reference: Path, weights: str) -> float:
    [row] = treesql.nbest.oracle(lists, reference=reference, n=1, weights=weights).rows()
    assert row["wer"] == row["wer_1_best"]
    return float(row["wer"])


@pytest.mark.slow
def test_ids_and_databases(tmp_path: Path) -> None:
    """Kaldi's keys are ids; references with ids may be in another order."""
    write(tmp_path / "k.nbest", ["b-1 x y", "b-2 x", "a-1 u v"])
    write(tmp_path / "r.txt", ["a u v", "b x"])
    how: dict[str, Any] = {"reference": tmp_path / "r.txt", "ids": "first", "n": [1, 2]}
    rows = treesql.nbest.oracle(tmp_path / "k.nbest", **how).rows()
    assert [(row["wer"], row["wer_1_best"], row["better_lists"]) for row in rows] == [(1 / 3, 1 / 3, 0), (0, 1 / 3, 1)]
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as database:
        database.load(tmp_path / "k.nbest", corpus="lists")
        database.load(tmp_path / "r.txt", corpus="texts", ids="first")
    assert treesql.nbest.oracle("lists", reference="texts", db=path, n="1,2").rows() == rows


def test_what_is_refused(tmp_path: Path) -> None:
    lists = moses(tmp_path / "a.nbest", [["a"], ["b"]])
    one, two = write(tmp_path / "r1.txt", ["a"]), write(tmp_path / "r2.txt", ["a", "b"])
    for how, error, text in (
        ({"reference": one}, Incomparable, "list 2 of a.nbest has no counterpart in r1.txt"),
        ({}, UsageError, "name at least one reference"),
        ({"reference": two, "n": "0"}, UsageError, "n is 0; write numbers from 1 on"),
        ({"reference": two, "n": "1,,2"}, UsageError, "n is empty"),
        ({"reference": two, "n": []}, UsageError, "n is empty"),
        ({"reference": two, "measure": "mer"}, UsageError, "mer"),
        ({"reference": two, "tokenize": "13a"}, UsageError, "tokenize= is for bleu"),
        ({"reference": lists}, UsageError, "reference is for words"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            treesql.nbest.oracle(lists, **how)


@pytest.mark.spread(3)
@pytest.mark.parametrize("measure", COSTS)
def test_empty_hypotheses(measure: str, tmp_path: Path) -> None:
    lists = moses(tmp_path / "l.nbest", [["", ""], [""]])
    reference = write(tmp_path / "r.txt", ["a b", "c"])
    rows = treesql.nbest.oracle(lists, reference=reference, measure=measure, n="1,2").rows()
    assert [row["better_lists"] for row in rows] == [0, 0]
    assert {row[measure] for row in rows} == {row[f"{measure}_1_best"] for row in rows}
    assert {row[measure] for row in rows} == {0.0 if measure in ("bleu", "chrf") else 1.0}


def test_of_several_references_the_nearest_counts() -> None:
    task = make_task(kinds.kind("lattice"), PLF, {"reference": REFERENCES, "phrases": True})
    rows = find_oracle_paths(task, "ger").rows()
    assert [one["reference"] for one in rows] == ["lattices.txt", "lattices.txt", "lattices-2.txt"]
    assert [" ".join(one["path_forms"]) for one in rows] == ["the cat sat", "it was a big red house", "I don't know"]
