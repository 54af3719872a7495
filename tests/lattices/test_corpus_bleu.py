"""Paths of a corpus whose BLEU together is the best found."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import treesql
from tests.conftest import thorough_but
from tests.evaluation.lines import written
from tests.kernels import lattices as slow
from tests.kernels.bleu import counts, random_items
from treesql.errors import UsageError
from treesql.lattices.oracle_paths import bleu_of

LETTERS = "abcdefgh"


def json_line(lattice: slow.Lattice) -> str:
    edges = [[start, to, [LETTERS[word] for word in words]] for start, to, words in lattice[1]]
    return json.dumps({"n_nodes": lattice[0], "edges": edges}) + "\n"


@pytest.mark.parametrize(
    ("found", "corpus", "sentence"),
    [
        ([4, 3, 2, 1, 4, 3, 2, 1, 4, 4], 1, 1),
        ([3, 2, 1, 0, 3, 2, 1, 0, 3, 3], 0, 1),
        ([2, 0, 0, 0, 4, 3, 2, 1, 4, 8], np.exp(-1) * (1 / 2 * 1 / 6 * 1 / 8 * 1 / 8) ** 0.25, None),
        ([0, 0, 0, 0, 4, 3, 2, 1, 4, 4], 0, 0),
        ([0] * 10, 0, 0),
    ],
)
def test_bleu_of_counts(found: list[int], corpus: float, sentence: float | None) -> None:
    assert bleu_of(np.array([found]))[0] == pytest.approx(corpus)
    own = bleu_of(np.array([found]), "gbleu_effective")[0]
    assert own == pytest.approx(corpus if sentence is None else sentence)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*has an empty reference beside others")
@pytest.mark.parametrize(("n_corpora", "n_solved", "n_improved"), thorough_but([(2, 1, 0), (12, 8, 2)], (2, 1, 0)))
def test_the_paths_are_no_worse_than_those_of_the_sentences_and_no_better_than_all(
    tmp_path: Path, n_corpora: int, n_solved: int, n_improved: int
) -> None:
    """Corpora of four lattices, of which all combinations of paths are tried; most are solved."""
    solved, improved = 0, 0
    for seed in range(n_corpora):
        items = random_items(seed, 4)
        lattices, n = tmp_path / f"{seed}.jsonl", max(len(texts) for _, texts in items)
        lattices.write_text("".join(json_line(lattice) for lattice, _ in items))
        texts = [[given[min(at, len(given) - 1)] for _, given in items] for at in range(n)]
        lines = [[" ".join(LETTERS[word] for word in text) for text in one] for one in texts]
        how = {
            "reference": [written(tmp_path / f"{seed}-{at}.txt", *one) for at, one in enumerate(lines)],
            "measure": "bleu",
        }
        best, alone = (treesql.lattices.oracle(lattices, corpus_bleu=one, **how).rows() for one in (True, False))
        assert best == treesql.lattices.oracle(lattices, corpus_bleu=True, **how).rows()
        options = [
            {tuple(counts(slow.text(lattice, path), given)) for path in slow.paths(lattice)} for lattice, given in items
        ]
        most = bleu_of(np.array([np.sum(one, axis=0) for one in product(*options)])).max()
        found, first = bleu_of(np.array([
            np.sum([
                counts(slow.text(lattice, row["path_edges"]), given)
                for (lattice, given), row in zip(items, rows, strict=True)
            ], axis=0)
            for rows in (best, alone)
        ]))  # fmt: skip
        assert first <= found <= most + 1e-12
        assert not any(row["proven"] for row in best)
        for (lattice, given), row in zip(items, best, strict=True):
            own = counts(slow.text(lattice, row["path_edges"]), given)
            assert (row["path_words"], row["n_reference_words"]) == (own[8], own[9])
            assert row["path_score"] == pytest.approx(bleu_of(np.array([own]), "gbleu_effective")[0])
        solved += found == pytest.approx(most)
        improved += found > first
    assert solved >= n_solved
    assert improved >= n_improved


def test_a_corpus_of_one_lattice_or_without_edges(tmp_path: Path) -> None:
    for line, text in (("((('a',1,1),('b',1,1),),(('c',1,1),),)", "b c"), ("()", "a"), ("()", "")):
        how = {"reference": written(tmp_path / "a.txt", text), "measure": "bleu", "corpus_bleu": True}
        [row] = treesql.lattices.oracle(written(tmp_path / "a.plf", line), **how).rows()
        assert row["path_forms"] == (["b", "c"] if text == "b c" else [])


def test_the_option_is_for_bleu() -> None:
    with pytest.raises(UsageError, match="corpus_bleu=True finds paths by BLEU, not by ger: add measure='bleu'"):
        treesql.lattices.oracle("lattices.plf", reference="lattices.txt", corpus_bleu=True)
