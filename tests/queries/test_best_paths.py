"""Best paths, numbers of paths and posteriors of edges against all paths of small lattices; unusable scores."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from random import Random

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.kernels.lattices import distance
from tests.small_lattices import Edge, all_paths, by_hand, load, random_lattice
from treesql.errors import Incomparable, QueryError, TreesqlError, UsageError
from treesql.scoring import scores

LATTICE: tuple[int, list[Edge]] = (3, [[0, 1, ["a"], -1], [0, 1, ["b"], -0.5], [1, 2, ["c"], -1], [1, 2, [], -1]])
"""Its best path is `b c`, of two as good the one with the smaller edges; `a c` is worse."""


def words_of(edges: list[Edge], path: list[int]) -> list[str]:
    return list(itertools.chain.from_iterable(edges[edge][2] for edge in path))  # type: ignore[call-overload]


def coded(words: list[str]) -> tuple[int, ...]:
    return tuple(ord(word[0]) for word in words)


@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("sense", "weights", "factors"), [(None, "", (1, 1)), ("cost", "", (-1, -1)), (None, "0.5,-2", (0.5, -2))]
)
def test_best_paths_and_their_errors_against_all_paths(
    tmp_path: Path, sense: str | None, weights: str, factors: tuple[float, float]
) -> None:
    chance = Random(11)
    lattices = [random_lattice(chance) for _ in range(30)]
    references = [[chance.choice("ab") for _ in range(chance.randint(0, 4))] for _ in lattices]
    (tmp_path / "r.txt").write_text("".join(" ".join(words) + "\n" for words in references))
    with load(tmp_path, lattices, sense) as db:
        db.load(tmp_path / "r.txt", corpus="r")
        corpora = {"lattice_corpus": "lattices", "reference_corpus": "r"}
        found = db.query("oracle_paths", measure="score", edge_weights=weights, **corpora).rows()
        nearest = {row["sentence"]: row["path_errors"] for row in db.query("oracle_paths", **corpora).rows()}
        errors = db.query("decoding_errors", edge_weights=weights, **corpora).rows()
        counts = db.query("path_density", lattice_corpus="lattices").rows()
    ordered = sorted(found, key=lambda row: row["sentence"])
    for row, (n, edges), reference in zip(ordered, lattices, references, strict=True):
        scores = [sum(f * float(str(one)) for f, one in zip(factors, edge[3:], strict=True)) for edge in edges]
        best = max(all_paths(n, edges), key=lambda path: sum(scores[edge] for edge in path))
        assert (row["path_edges"], row["path_forms"]) == (best, words_of(edges, best))
        assert row["path_score"] == pytest.approx(sum(scores[edge] for edge in best), abs=1e-12)
        assert row["path_errors"] == distance(coded(words_of(edges, best)), coded(reference))[0]
    for row, (n, edges) in zip(sorted(counts, key=lambda row: row["sentence"]), lattices, strict=True):
        assert row["log_paths"] == pytest.approx(math.log(len(all_paths(n, edges))), abs=1e-12)
    split = {row["sentence"]: (row["oracle_errors"], row["best_errors"] - row["oracle_errors"]) for row in errors}
    assert split == {at: (nearest[at], row["path_errors"] - nearest[at]) for at, row in enumerate(ordered)}
    assert {(row["model_errors"] > 0) for row in errors} == {True, False}
    assert all(row["model_error_lattices"] == (row["model_errors"] > 0) for row in errors)


def test_a_worked_example(tmp_path: Path) -> None:
    """1-best `b c` has an error that `a c` avoids; four paths, three nodes, two words."""
    file, text = tmp_path / "lattices.jsonl", tmp_path / "r.txt"
    with load(tmp_path, [LATTICE]):
        text.write_text("a c\n")
    names = ["ger", "best_errors", "model_errors", "best_error_rate", "root_density", "word_root_density", "gbleu"]
    [row] = treesql.score("lattice", systems=[file], reference=text, metric=names).rows()
    assert [row[name] for name in names[:4]] == [0, 1, 1, 0.5]
    assert [row[name] for name in names[4:6]] == pytest.approx([4 ** (1 / 3), 2])
    [best] = treesql.lattices.oracle(file, measure="score").rows()
    assert (best["path_edges"], best["path_score"]) == ([1, 2], -1.5)
    [worst] = treesql.lattices.oracle(file, reference=text, measure="score", scores="cost").rows()
    assert (worst["path_edges"], worst["path_score"], worst["path_errors"]) == ([0, 2], 2.0, 0)
    [other] = treesql.lattices.oracle(file, reference=text, measure="score", edge_weights="-1").rows()
    assert other["path_edges"] == [0, 2]
    assert "score -1.5, 1 error" in str(treesql.lattices.show(file, 0, reference=text, measure="score"))


def test_search_errors_of_a_decoder(tmp_path: Path) -> None:
    """`a c` scores -2 where the best path has -1.5; `b c` is that path; `a b` and nothing are on no path, `b` is better
    than -0.5 - 1 = -1.5 by no more than 1e-6."""
    edges = LATTICE[1]
    lattices = [LATTICE, LATTICE, LATTICE, LATTICE, (3, [*edges[:3], [1, 2, [], -1 - 1e-7]])]
    file, text = tmp_path / "lattices.jsonl", tmp_path / "output.txt"
    with load(tmp_path, lattices):
        text.write_text("a c\nb c\na b\n\nb\n")
    rows = treesql.score("lattice", file, hypothesis=text, metric="decoder_search", by="sentence").rows()
    assert [(row["search_errors"], row["outside_lattice"]) for row in rows] == [(1, 0), (0, 0), (0, 1), (0, 1), (0, 0)]
    assert [row["search_error_share"] for row in rows] == [1, 0, None, None, 0]
    # As log-likelihoods of weight -1, and as costs, the worst path is the best: `a c` or `a`.
    for other in ({"edge_weights": "-1"}, {"score_sense": "cost"}):
        [row] = treesql.score("lattice", file, hypothesis=text, metric="decoder_search", **other).rows()
        assert [row[name] for name in ("search_errors", "outside_lattice", "search_error_share")] == [2, 2, 2 / 3]
    reference = tmp_path / "reference.txt"
    reference.write_text("a\n" * 5)
    [row] = treesql.score("lattice", file, reference=reference, hypothesis=text).rows()
    assert (row["lattices"], row["search_errors"], row["search_error_share"]) == (5, 1, 1 / 3)
    named = {"one": [str(file), str(text)], "two": {"lattice": str(file), "hypothesis": str(text)}}
    rows = treesql.score("lattice", systems=named, metric="search_errors").rows()
    assert [(row["system"], row["search_errors"]) for row in rows] == [("one", 1), ("two", 1)]


def test_outputs_that_do_not_correspond_or_are_not_read(tmp_path: Path) -> None:
    file, text = tmp_path / "lattices.jsonl", tmp_path / "output.txt"
    with load(tmp_path, [LATTICE, LATTICE]):
        text.write_text("a c\n")
    with pytest.raises(Incomparable, match=r"lattice 2 of lattices\.jsonl has no counterpart in output\.txt") as raised:
        treesql.score("lattice", file, hypothesis=text, metric="decoder_search")
    assert "give every lattice an output, line by line; an empty line is an empty output" in str(raised.value)
    text.write_text("a c\n" * 3)
    with pytest.raises(
        Incomparable, match=r"the last output is number 3, the last lattice of lattices\.jsonl number 2"
    ):
        treesql.score("lattice", file, hypothesis=text, metric="decoder_search")
    with pytest.raises(TreesqlError, match="lattice_size does not read hypothesis=FILE; leave it out"):
        treesql.score("lattice", file, hypothesis=text, metric="density")
    with pytest.raises(TreesqlError, match=r"name the hypothesis: .*, which decoder_search reads"):
        treesql.score("lattice", file, metric="search_errors")
    with pytest.raises(TreesqlError, match="each system has its own hypothesis"):
        treesql.score("lattice", file, file, hypothesis=text, metric="search_errors")


def test_distances_of_scores_are_from_the_best_edge_between_the_same_nodes(tmp_path: Path) -> None:
    edges: list[Edge] = [[0, 1, ["a"], -3], [0, 1, ["b"], -1], [0, 2, ["c"], -0.5], [1, 2, ["d"], -1]]
    with load(tmp_path, [(3, edges)]) as db:
        rows = db.query("edge_scores", lattice_corpus="lattices").rows()
    assert {row["edge"]: row["score_distance"] for row in rows} == {0: 2, 1: 0, 2: 0, 3: 0}


def test_one_node_has_one_path_and_nothing_on_it(tmp_path: Path) -> None:
    with load(tmp_path, [(1, []), LATTICE]) as db:
        [one, _] = sorted(db.query("best_paths", lattice_corpus="lattices").rows(), key=lambda row: row["sentence"])
        [density, _] = sorted(db.query("path_density", lattice_corpus="lattices").rows(), key=lambda x: x["sentence"])
    assert (one["path_score"], one["path_edges"], one["path_forms"]) == (0.0, [], [])
    assert density["log_paths"] == 0.0


def test_scores_that_cannot_be_weighted(tmp_path: Path) -> None:
    plain: tuple[int, list[Edge]] = (2, [[0, 1, ["a"]], [0, 1, ["b"]]])
    file = tmp_path / "lattices.jsonl"
    with load(tmp_path, [plain]) as db:
        (tmp_path / "r.txt").write_text("a\n")
        db.load(tmp_path / "r.txt", corpus="r")
        # Macros run no audits: the function refuses what they would report, and other measures need no scores.
        with pytest.raises(QueryError, match="edge 0 has no score"):
            db.sql("FROM oracle_paths('lattices', 'r', measure := 'score')").rows()
        [row] = db.sql("SELECT o.path_errors FROM oracle_paths('lattices', 'r') AS o").rows()
        assert row == {"path_errors": 0}
    for reference in ((), tmp_path / "r.txt"):
        with pytest.raises(Incomparable, match="best paths need lattices with scores"):
            treesql.lattices.oracle(file, reference=reference, measure="score")
    with pytest.raises(TreesqlError, match="add measure='score'"):
        treesql.lattices.oracle(file, reference=tmp_path / "r.txt", edge_weights="1")
    with pytest.raises(Incomparable, match="2 weights are given"):
        treesql.lattices.oracle(file, measure="score", edge_weights="1,2")


def test_weights_of_n_gram_precisions(tmp_path: Path) -> None:
    """Of `a b` and `x`, two words of three and the pair are in `a b c`; there is no longer n-gram."""
    with load(tmp_path, [(3, [[0, 1, ["a", "b"]], [1, 2, ["x"]]])]) as db:
        (tmp_path / "r.txt").write_text("a b c\n")
        db.load(tmp_path / "r.txt", corpus="r")
        for weights, expected in {"1": 2 / 3, "0,1": 1.0, "0.5,0.5": 5 / 6, "3,1": 3.0, "1,0,1": None}.items():
            found = db.score("edge_n_grams", lattice_corpus="lattices", reference_corpus="r", precision_weights=weights)
            assert found.rows()[0]["edge_precision"] == (expected and pytest.approx(expected))
        [row] = db.score("edge_n_grams", lattice_corpus="lattices", reference_corpus="r").rows()
        assert (row["edge_precision_1"], row["edge_precision"]) == (pytest.approx(2 / 3), None)
        for weights in ("1,,1", "0", "1,1,1,1,1", "nan"):
            with pytest.raises(Incomparable, match="one to four numbers from 0 on"):
                db.score("edge_n_grams", lattice_corpus="lattices", reference_corpus="r", precision_weights=weights)


@pytest.mark.spread(2, rest="slow")
@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
@pytest.mark.parametrize(
    ("sense", "weights", "scale", "factors"),
    [
        (None, "", 1.0, (1, 1)), ("cost", "", 1.0, (-1, -1)), (None, "0.5,-2", 1.0, (0.5, -2)),
        ("cost", "1,0", 0.3, (0.3, 0)), (None, "", 0.0, (0, 0)),
    ],
)  # fmt: skip
def test_posteriors_are_shares_of_the_sum_over_all_paths(
    tmp_path: Path, sense: str | None, weights: str, scale: float, factors: tuple[float, float]
) -> None:
    chance = Random(5)
    lattices = [random_lattice(chance) for _ in range(40)]
    expected = []
    for n, edges in lattices:
        pairs = [[float(str(one)) for one in edge[3:]] for edge in edges]
        expected += by_hand(n, edges, [factors[0] * one + factors[1] * two for one, two in pairs])
    with load(tmp_path, lattices, sense) as db:
        found = scores.run_statistic(
            db._engine, "edge_posteriors", {"lattice_corpus": "lattices", "edge_weights": weights, "scale": scale}
        )
    assert found.arrow()["posterior"].to_pylist() == pytest.approx(expected, abs=1e-12)


def test_one_path_and_large_scores(tmp_path: Path) -> None:
    one: list[Edge] = [[0, 1, ["a"], -1e6], [1, 2, ["b"], -2e6]]
    two: list[Edge] = [[0, 1, ["a"], -1e6], [0, 1, [], -1e6]]
    with load(tmp_path, [(3, one), (2, two)]) as db:
        found = (
            scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices"})
            .arrow()["posterior"]
            .to_pylist()
        )
    assert found == pytest.approx([1.0, 1.0, 0.5, 0.5], abs=1e-9)


@in_turn(
    ("scored", "weights", "message"),
    [
        ([[1.0], []], "", "edge 1 of lattice 1 has 0 scores, others have 1"),
        ([[], []], "", "posteriors and best paths need lattices with scores"),
        ([[1.0], [2.0]], "1,2", "has 1 score, 2 weights are given"),
        ([[1.0], [2.0]], "nan", "not all finite numbers"),
        ([[1.0], [2.0]], "1e999", "not all finite numbers"),
        ([[1.0], [2.0]], "one", "not all finite numbers"),
    ],
)
def test_scores_that_cannot_be_weighted_are_refused(
    tmp_path: Path, scored: list[list[float]], weights: str, message: str
) -> None:
    edges: list[Edge] = [[0, 1, [word], *given] for word, given in zip("ab", scored, strict=True)]
    with load(tmp_path, [(2, edges)]) as db, pytest.raises(Incomparable, match=message):
        scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices", "edge_weights": weights})


def test_scores_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    with load(tmp_path, [(2, [[0, 1, ["a"], 1e200]])]) as db, pytest.raises(TreesqlError, match="edge 0 has the score"):
        scores.run_statistic(db._engine, "edge_posteriors", {"lattice_corpus": "lattices"})


@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
def test_the_share_of_best_paths_that_are_those_of_other_weights(tmp_path: Path) -> None:
    """Against the best paths themselves, a row for each weights, as the command and a database have it."""
    chance = Random(5)
    lattices = [random_lattice(chance) for _ in range(20)]
    weights = ["1,0", "0,1", "0.5,-2"]
    with load(tmp_path, lattices, None) as db:
        found = db.score("lattice", "lattices", metric="agreement", edge_weights=weights)
        alone = db.score("lattice", "lattices", metric="agreement", edge_weights="0,1", compared_weights="1,0")
        paths = [db.query("best_paths", lattice_corpus="lattices", edge_weights=one).rows() for one in weights]
        by_sentence = [{row["sentence"]: row["path_edges"] for row in rows} for rows in paths]
        with pytest.raises(Incomparable, match="2 scores, 3 weights are given"):
            db.score("lattice", "lattices", metric="agreement", edge_weights="1,0", compared_weights="1,0,0")
        for given, told in ((["1,0", "1,0"], "1,0 is given twice"), ([], "is an empty list")):
            with pytest.raises(UsageError, match=told):
                db.score("lattice", "lattices", metric="agreement", edge_weights=given)
        single = db.score("lattice", "lattices", metric="agreement", edge_weights=["0,1"], compared_weights="1,0")
        with pytest.raises(UsageError, match="edge_weights= does not apply to lattice_size"):
            db.score("lattice", "lattices", metric="density", edge_weights=weights)
    assert found.columns == ["system", "edge_weights", "agreement"]
    equal = [sum(rows[at] == path for at, path in by_sentence[0].items()) / 20 for rows in by_sentence]
    assert [(row["edge_weights"], row["agreement"]) for row in found.rows()] == list(zip(weights, equal, strict=True))
    assert equal[0] == 1 > equal[1]
    assert alone.rows() == single.rows() == [{"system": "lattices", "agreement": equal[1]}]
    assert found.signatures["0,1:lattices:agreement"] == alone.signatures["lattices:agreement"]


def test_several_weights_need_files_and_show_errors(tmp_path: Path) -> None:
    with load(tmp_path, [LATTICE]):
        (tmp_path / "r.txt").write_text("a c\n")
    lattices, reference = str(tmp_path / "lattices.jsonl"), str(tmp_path / "r.txt")
    found = treesql.score("lattice", lattices, reference=reference, edge_weights=["1", "-1"])
    assert found.columns == ["system", "edge_weights", "best_error_rate", "agreement"]
    assert [row["best_error_rate"] for row in found.rows()] == [0.5, 0]
    ordered = treesql.score("lattice", lattices, reference=reference, edge_weights=["1", "-1"], sort="edge_weights")
    assert ordered["edge_weights"] == ["-1", "1"]
    table = treesql.score("lattice", lattices, edge_weights=["1", "-1"], table="edge_posteriors")
    alone = treesql.score("lattice", lattices, edge_weights="-1", table="edge_posteriors")
    assert sorted(set(table["edge_weights"])) == ["-1", "1"]
    rows = [{**row, "edge_weights": None} for row in table.rows() if row["edge_weights"] == "-1"]
    assert rows == [{**row, "edge_weights": None} for row in alone.rows()]
    with pytest.raises(UsageError, match="standard input can be read only once"):
        treesql.score("lattice", "-", reference=reference, edge_weights=["1", "-1"])


@pytest.mark.spread(2, rest="slow")
@pytest.mark.filterwarnings("ignore:.*edges lie on no path")
@pytest.mark.parametrize("low", [0.0, 1.0])
def test_distance_of_posterior_counts_against_all_paths(tmp_path: Path, low: float) -> None:
    chance = Random(7)
    lattices = [random_lattice(chance) for _ in range(20)]
    references = [[chance.choice("abc") for _ in range(chance.randint(1, 4))] for _ in lattices]
    (tmp_path / "r.txt").write_text("".join(" ".join(words) + "\n" for words in references))
    with load(tmp_path, lattices, None) as db:
        db.load(tmp_path / "r.txt", corpus="r")
        given = {"lattice_corpus": "lattices", "reference_corpus": "r", "edge_weights": "1,0.5", "scale": 0.5}
        rows = db.query("posterior_word_distance", min_redundancy=low, **given).rows()
        score = db.score("posterior_word_distance", min_redundancy=low, **given)[0]["swcd_posterior"]
    total, infinite = 0.0, False
    for row in sorted(rows, key=lambda row: row["sentence"]):
        n, edges = lattices[row["sentence"]]
        reference = references[row["sentence"]]
        scores = [0.5 * (float(str(edge[3])) + 0.5 * float(str(edge[4]))) for edge in edges]
        counts = dict.fromkeys("abc", 0.0)
        for edge, posterior in zip(edges, by_hand(n, edges, scores), strict=True):
            for word in edge[2]:  # type: ignore[attr-defined]
                counts[word] = counts.get(word, 0.0) + posterior
        squares = sum(reference.count(word) ** 2 for word in counts)
        redundancy = max(low, sum(counts[word] * reference.count(word) for word in counts) / squares)
        if redundancy == 0:
            infinite = True
            assert row["posterior_infinite"] == 1
            continue
        sigma2 = sum((counts[word] - redundancy * reference.count(word)) ** 2 for word in counts)
        assert row["posterior_deviation"] == pytest.approx(math.sqrt(sigma2) / redundancy, abs=1e-6)
        total += math.sqrt(sigma2) / redundancy
    assert infinite == (score is None)
    if low:
        assert score == pytest.approx(total / sum(n for n, _ in lattices), rel=1e-9)


def test_agreement_of_weights_on_the_fixture() -> None:
    """`best_path_agreement`: two of three best paths are those by the first weights if all weigh the same."""
    rows = treesql.score(
        "lattice", FIXTURES / "lattices.plf", metric="best_path_agreement", edge_weights=["1", "0", "-1"]
    ).rows()
    assert [row["agreement"] for row in rows] == [1, 2 / 3, 0]
    with pytest.raises(treesql.TreesqlError, match="2 weights are given"):  # `compared_weight_faults`
        treesql.score("lattice", FIXTURES / "lattices.plf", metric="agreement", edge_weights=["1", "1,2"])
