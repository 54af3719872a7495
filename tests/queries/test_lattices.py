"""Scores of lattices: a worked example, distances by hand, several references, and what is not defined."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import bare, heard
from tests.evaluation.lines import PLF, REFERENCES, lattices, row, written
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds
from treesql.errors import Incomparable, TreesqlError
from treesql.kernels.lattices import bleu_paths, lattice_oracles
from treesql.scoring import scores


def score(lattice: str, *references: str, **how: Any) -> dict[str, Any]:
    return row(treesql.score("lattice", systems=[lattice], reference=references, **how))


def test_a_worked_example() -> None:
    """The second lattice has one word too few or too many nowhere; the third has no `not`."""
    found = row(lattices())
    assert list(found) == ["system", *kinds.kind("lattice").shown]
    assert (found["system"], found["lattices"], found["n_nodes"], found["n_edges"]) == ("lattices.plf", 3, 15, 25)
    assert found["density"] == 25 / 15
    assert (found["ger"], found["ger_rate"]) == (1, 1 / 13)
    assert found["gwer"] == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert (found["pmed"], found["proven"]) == (1, 3)
    assert found["gper"] == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert found["gbleu_proven"] == 3


def test_sizes_need_no_reference() -> None:
    assert row(lattices([], metric="density"))["density"] == 25 / 15


def test_word_count_distance_by_hand() -> None:
    """the a cat hat cats sat sits against the cat sat: P = 3, Q = 7, D = 3; once is best, and 7 - 6 + 3 = 4."""
    found = lattices(metric=["word_count_distance", "reference_coverage"], by="sentence").rows()[0]
    assert (found["redundancy"], found["under_bound"]) == (1, 0)
    assert found["swcd"] == found["swcd_unbounded"] == pytest.approx(math.sqrt(4) / 4)
    assert (found["word_precision"], found["word_recall"], found["uniformity"]) == (3 / 7, 1, pytest.approx(1))


def test_words_are_covered_as_often_as_lattice_and_reference_have_them(tmp_path: Path) -> None:
    """a b b against a a b: a and b are covered once each; a third of the lattice is spread over two a."""
    files = written(tmp_path / "a.plf", "((('a',1,1),),(('b',1,1),('b',1,1),),)"), written(tmp_path / "a.txt", "a a b")
    found = score(*files, metric="reference_coverage")
    assert (found["word_precision"], found["word_recall"]) == (2 / 3, 2 / 3)
    entropy = -(2 * (1 / 6) * math.log(1 / 6) + (2 / 3) * math.log(2 / 3))
    assert found["uniformity"] == pytest.approx(entropy / math.log(3))


def test_the_bound_of_redundancy(tmp_path: Path) -> None:
    """a against a a: P = 2, Q = 1, D = 4; half a time fits exactly, once leaves 1 - 4 + 4 = 1."""
    files = written(tmp_path / "a.plf", "((('a',1,1),),)"), written(tmp_path / "a.txt", "a a")
    found = score(*files, metric="word_count_distance")
    assert (found["swcd"], found["swcd_unbounded"], found["redundancy"], found["under_bound"]) == (0.5, 0, 0.5, 1)
    assert score(*files, metric="swcd", min_redundancy=0.0)["swcd"] == 0


def test_edges_and_their_n_grams() -> None:
    """Of `it was a big` and `red house` all bigrams, trigrams and the one of four words are in the reference."""
    found = lattices(metric="edge_n_grams", by="sentence").rows()[1]
    # it that (it was a big) is was a big great (red house) house red house: 12 of 16 words are in the reference
    assert found["edge_precision_1"] == 13 / 16
    assert [found[f"edge_precision_{n}"] for n in (2, 3, 4)] == [1, 1, 1]
    assert found["edge_precision"] == pytest.approx((13 / 16 + 3) / 4)


def test_an_n_gram_of_several_references_matches_once(tmp_path: Path) -> None:
    references = [written(tmp_path / name, line) for name, line in (("r.txt", "a b"), ("s.txt", "a c"))]
    lattice = written(tmp_path / "l.plf", "((('a',1,1),('x',1,1),),)")
    assert score(lattice, *references, metric="edge_precision_1")["edge_precision_1"] == 1 / 2


def test_of_several_references_the_nearest_counts() -> None:
    assert [one["ger"] for one in lattices(REFERENCES, by="sentence", metric="ger").rows()] == [0, 0, 0]


LATTICES = """{"n_nodes": 2, "edges": [[0, 1, ["b", "a", "c"]], [0, 1, ["a", "c"]], [0, 1, ["a", "b", "x", "c", "y"]]]}
{"n_nodes": 3, "edges": [[0, 1, ["x"]], [1, 2, ["c"]]]}
"""


def test_costs_of_edits_and_exchanges(tmp_path: Path) -> None:
    """For `a b c` two substitutions or an exchange, a deletion, or two insertions; for `c d` two substitutions, or an
    insertion and a deletion. Of several references that whose edits cost least is the nearest."""
    file, text, other = (tmp_path / name for name in ("l.jsonl", "a.txt", "b.txt"))
    file.write_text(LATTICES)
    text.write_text("a b c\nc d\n")
    other.write_text("q q q q\nx\n")
    expected: list[tuple[dict[str, Any], list[list[str]], list[float], int]] = [
        ({}, [["a", "c"], ["x", "c"]], [1, 2], 3),
        ({"deletion_cost": 1.5, "insertion_cost": 0.7}, [["a", "b", "x", "c", "y"], ["x", "c"]], [1.4, 2], 4),
        ({"deletion_cost": 3.25}, [["b", "a", "c"], ["x", "c"]], [2, 2], 4),
        ({"substitution_cost": 1.000001, "deletion_cost": 0.99}, [["a", "c"], ["x", "c"]], [0.99, 1.99], 3),
        ({"reordering": "swap"}, [["b", "a", "c"], ["x", "c"]], [1, 2], 3),
        ({"reordering": "swap", "deletion_cost": 0.5}, [["a", "c"], ["x", "c"]], [0.5, 1.5], 3),
    ]
    for costs, forms, least, edits in expected:
        paths = treesql.lattices.oracle(file, reference=text, **costs)
        assert paths.arrow()["path_forms"].to_pylist() == forms, costs
        assert paths.arrow()["least"].to_pylist() == least, costs
        found = treesql.score("lattice", file, reference=text, metric="graph_error", **costs)
        [row] = found.rows()
        assert (row["ger"], row["ger_rate"]) == (edits, edits / 5), costs
        assert row["ger_cost"] == round(sum(least), 6)
        assert row["ger_cost_rate"] == pytest.approx(sum(least) / 5)
        assert all(f"{name}:{value}" in found.signature for name, value in costs.items())
    [_, row] = treesql.lattices.oracle(file, reference=[text, other], substitution_cost=0.5, insertion_cost=0.25).rows()
    assert (row["reference"], row["least"], row["path_errors"]) == ("b.txt", 0.25, 1)
    steps = treesql.score("lattice", file, reference=text, errors=True, deletion_cost=3.25).rows()
    assert [row["edits"] for row in steps] == [2, 2]


@in_turn(
    ("costs", "told"),
    [
        ({"measure": "gwer", "deletion_cost": 2}, "deletion_cost= is of edits, not of gwer: add measure='ger'"),
        ({"measure": "bleu", "reordering": "swap"}, "reordering= is of edits, not of bleu"),
        ({"insertion_cost": -1}, "insertion_cost is -1; it is a number from 0 to 1000"),
        ({"insertion_cost": 1e9}, "insertion_cost is 1e\\+09; it is a number from 0 to 1000"),
        ({"substitution_cost": float("nan")}, "substitution_cost is nan; it is a number from 0 to 1000"),
        ({"substitution_cost": 0.1234567}, "substitution_cost is 0.1234567; it .* with 6 decimals at most"),
        ({"reordering": "all"}, "reordering cannot be 'all'; choose one of none, swap"),
    ],
)
def test_costs_that_are_none(tmp_path: Path, costs: dict[str, Any], told: str) -> None:
    (tmp_path / "l.jsonl").write_text(LATTICES)
    (tmp_path / "a.txt").write_text("a\nb\n")
    with pytest.raises(TreesqlError, match=told):
        treesql.lattices.oracle(tmp_path / "l.jsonl", reference=tmp_path / "a.txt", **costs)


def test_of_references_whose_lengths_are_as_close_the_shorter_counts(tmp_path: Path) -> None:
    """The path has two words, the references one and three: whichever is first, it is not too short."""
    references = [written(tmp_path / name, line) for name, line in (("r.txt", "a b c"), ("s.txt", "a"))]
    lattice = written(tmp_path / "l.plf", "((('a',1,1),),(('b',1,1),))")
    for ordered in (references, references[::-1]):
        assert score(lattice, *ordered, metric="gbleu_effective")["gbleu_effective"] == 1
        [best] = treesql.lattices.oracle(lattice, reference=ordered, measure="bleu").rows()
        assert best["reference"] == "s.txt"


def test_of_references_that_are_as_near_the_first_has_the_words_of_the_rate(tmp_path: Path) -> None:
    references = [written(tmp_path / name, line) for name, line in (("r.txt", "a b"), ("s.txt", "b"))]
    lattice = written(tmp_path / "l.plf", "((('a',1,1),),)")
    for ordered, rate in ((references, 1 / 2), (references[::-1], 1)):
        found = score(lattice, *ordered, metric=["ger", "ger_rate"])
        assert (found["ger"], found["ger_rate"]) == (1, rate)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lattice", "translation"])
def test_sums_by_sentence_are_those_of_the_corpus(examples: treesql.Database, kind: str) -> None:
    """What intervals and tests of significance resample."""
    corpora = {"lattice_corpus": "lattices"} if kind == "lattice" else {"hypothesis_corpus": "hypotheses"}
    names = kinds.kind(kind).metrics
    [whole] = examples.score(*names, **corpora, reference_corpus="references").rows()
    for name in names:
        query = catalog.query(name)
        given = corpora if name == "lattice_size" else {**corpora, "reference_corpus": "references"}
        rows = scores.run_query(examples.engine, query, given)
        counts = ", ".join(f"CAST(sum(i.{column.name}) AS {column.type}) AS {column.name}" for column in query.counts)
        of_sentences = f"SELECT i.sentence, {counts} FROM rows AS i GROUP BY i.sentence"
        expressions = ", ".join(f"{score.expression} AS {score.name}" for score in query.scores)
        relation = bare(examples).from_arrow(rows).query("rows", f"SELECT {expressions} FROM ({of_sentences}) AS s")
        resampled = dict(zip(relation.columns, relation.fetchall()[0], strict=True))
        assert resampled == {score.name: pytest.approx(whole[score.name]) for score in query.scores}


def test_an_empty_reference_leaves_the_rates_of_its_lattice_undefined(tmp_path: Path) -> None:
    plf = written(tmp_path / "a.plf", "((('a',1,1),),)", "()", "((('a',1,1),),)")
    reference = written(tmp_path / "a.txt", "a", "", "")
    with heard():
        found = score(plf, reference, metric="word_count_distance")
    assert (found["undefined_lattices"], found["swcd"]) == (2, 0)
    metrics = ["ger", "ger_rate", "gwer"]
    by_sentence = treesql.score("lattice", systems=[plf], reference=reference, metric=metrics, by="sentence").rows()
    assert [one["ger"] for one in by_sentence] == [0, 0, 1]
    assert [one["ger_rate"] for one in by_sentence] == [0, None, None]
    assert [one["gwer"] for one in by_sentence] == [0, None, 1]


def test_a_lattice_that_shares_no_word_has_no_unbounded_distance(tmp_path: Path) -> None:
    files = written(tmp_path / "a.plf", "((('a',1,1),),)"), written(tmp_path / "a.txt", "b")
    found = score(*files, metric=["swcd", "swcd_unbounded"])
    assert (found["swcd"], found["swcd_unbounded"]) == (pytest.approx(math.sqrt(2) / 2), None)


def test_a_score_without_a_value_has_no_interval(tmp_path: Path) -> None:
    """Some samples lack the lattice for which it is not defined."""
    plf = written(tmp_path / "a.plf", "((('a',1,),),)", "((('b',1,),),)")
    reference = written(tmp_path / "a.txt", "a", "c")
    with heard():
        found = score(plf, reference, metric=["swcd", "swcd_unbounded"], ci=True)
    assert found["swcd_low"] < found["swcd"] < found["swcd_high"]
    assert [found[f"swcd_unbounded{end}"] for end in ("", "_low", "_high")] == [None] * 3
    for role, file in (("reference", reference), ("lattice", plf)):
        (tmp_path / role).mkdir()
        Path(file).rename(tmp_path / role / Path(file).name)
    with heard():
        found = treesql.score(
            "lattice",
            reference=tmp_path / "reference",
            systems={"a": tmp_path / "lattice"},
            metric="swcd_unbounded",
            ci=True,
        )
    averages = [row for row in found.rows() if row["treebank"] in ("macro", "micro")]
    assert [row["swcd_unbounded_high"] for row in averages] == [None] * 2


def test_an_infinite_distance_is_not_left_out(tmp_path: Path) -> None:
    plf = written(tmp_path / "a.plf", "((('a',1,),),)", "((('b',1,),),)")
    reference = written(tmp_path / "a.txt", "a", "c")
    given = {"systems": [plf], "reference": reference, "metric": ["swcd", "swcd_unbounded"]}
    assert row(treesql.score("lattice", **given))["swcd"] == pytest.approx(math.sqrt(2) / 4)
    free = row(treesql.score("lattice", **given, min_redundancy=0.0))
    assert free["swcd"] is free["swcd_unbounded"] is None
    by_sentence = treesql.score("lattice", **given, min_redundancy=0.0, by="sentence")
    assert [one["swcd"] for one in by_sentence.rows()] == [0, None]


def test_references_that_do_not_correspond(tmp_path: Path) -> None:
    few = written(tmp_path / "few.txt", "the cat sat")
    with pytest.raises(Incomparable, match=r"lattice 2 of lattices.plf has no counterpart in few.txt"):
        lattices([few])
    many = written(tmp_path / "many.txt", "a", "b", "c", "d")
    with pytest.raises(
        Incomparable, match=r"the last reference is number 4, the last lattice of lattices\.plf number 3"
    ):
        lattices([REFERENCES[0], many])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*empty reference beside others")
def test_best_bleu_is_that_of_the_paths_as_a_translation(tmp_path: Path) -> None:
    """The counts of the paths are those that `score translation` finds in their words, by corpus and by sentence."""
    plf = written(
        tmp_path / "a.plf",
        "((('the',1,1),('a',1,1),),(('cat',1,1),('hat',1,2),),(('sat',1,1),('sits',1,1),),(('down',1,1),),)",
        "((('the',1,1),),(('the',1,1),('dog',1,1),),(('barks',1,1),('',1,1),),)",
        "()",
        "((('x',1,1),('y',1,1),),)",
    )
    texts = [written(tmp_path / "0.txt", "the cat sat down there", "a dog barks", "", "z"),
             written(tmp_path / "1.txt", "a hat sat", "the dog", "z", "z z")]  # fmt: skip
    paths = treesql.lattices.oracle(plf, reference=texts, measure="bleu")
    assert [one["path_forms"] for one in paths.rows()][:3] == [["the", "cat", "sat", "down"], ["the", "dog"], []]
    assert all(one["proven"] and one["path_errors"] is one["least"] is None for one in paths.rows())
    words = written(tmp_path / "words.txt", *(" ".join(one["path_forms"]) for one in paths.rows()))
    for how in ({}, {"by": "sentence"}):
        own = treesql.score("lattice", systems=[plf], reference=texts, metric="graph_bleu", **how).rows()
        other = treesql.score("translation", systems=[words], reference=texts, metric="n_gram_matches", **how).rows()
        assert [one["gbleu"] for one in own] == [one["bleu"] for one in other]
        assert [one["gbleu_effective"] for one in own] == [one["bleu_effective"] for one in other]
    assert [one["path_score"] for one in paths.rows()] == pytest.approx([one["bleu_effective"] for one in other])
    assert [one["greatest"] for one in paths.rows()] == pytest.approx([one["path_score"] for one in paths.rows()])
    assert [one["reference"].rsplit("/")[-1] for one in paths.rows()] == ["1.txt", "1.txt", "0.txt", "0.txt"]


def test_other_measures_search_no_bleu(monkeypatch: pytest.MonkeyPatch) -> None:
    """oracle_paths joins both searches, of which one runs."""
    monkeypatch.setattr(bleu_paths, "best_paths", None)
    assert len(treesql.lattices.oracle(PLF, reference=REFERENCES, phrases=True).rows()) == 3
    monkeypatch.undo()
    monkeypatch.setattr(lattice_oracles, "nearest_paths", None)
    assert len(treesql.lattices.oracle(PLF, reference=REFERENCES, phrases=True, measure="bleu").rows()) == 3


def test_words_of_references_count_as_often_as_in_the_one_that_has_most(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a a b\n")
    (tmp_path / "two.txt").write_text("a c c c\n")
    (tmp_path / "l.plf").write_text("((('a',0.5,1),),(('b',0.5,1),),)\n")
    db.load(tmp_path / "l.plf", corpus="l")
    for name in ("one", "two"):
        db.load(tmp_path / f"{name}.txt", corpus=name)
    found = db.query("word_counts", lattice_corpus="l", reference_corpus="one", other_corpora="two")
    counts = {row["form"]: (row["lattice_count"], row["reference_count"]) for row in found}
    assert counts == {"a": (1, 2), "b": (1, 1), "c": (0, 3)}
