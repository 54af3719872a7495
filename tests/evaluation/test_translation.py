"""Scores of lattices and translations: worked examples, several references, and what cannot be scored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.kernels import lattices as slow
from treesql import catalog
from treesql.errors import Incomparable, InvalidInput, UnknownName, UsageError
from treesql.evaluation import translation
from treesql.evaluation.translation import (
    COLUMNS,
    LATTICE,
    METRICS,
    TranslationTask,
    compare,
    evaluate,
    select_columns,
)
from treesql.kernels import position_independent
from treesql.lattices.oracle_paths import find_oracle_paths
from treesql.readers import TEXT
from treesql.scoring import statistics
from treesql.significance.tests import Method

PLF = str(FIXTURES / "lattices.plf")
REFERENCES = [str(FIXTURES / "lattices.txt"), str(FIXTURES / "lattices-2.txt")]
LETTERS = "abcde"


def written(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def text(words: Sequence[int]) -> str:
    return " ".join(LETTERS[word] for word in words)


def row(task: TranslationTask) -> dict[str, Any]:
    [found] = evaluate(task).rows()
    return found


def lattices(references: Sequence[str] = REFERENCES[:1], columns: Sequence[str] = (), **how: Any) -> TranslationTask:
    return TranslationTask(LATTICE, [PLF], references, columns, phrases=True, **how)


def test_a_worked_example() -> None:
    """The second lattice has one word too few or too many nowhere; the third has no `not`."""
    found = row(lattices())
    assert list(found) == ["system", *COLUMNS[LATTICE]]
    assert (found["system"], found["lattices"], found["n_nodes"], found["n_edges"]) == ("lattices.plf", 3, 15, 25)
    assert found["density"] == 25 / 15
    assert (found["ger"], found["ger_rate"]) == (1, 1 / 13)
    assert found["gwer"] == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert (found["pmed"], found["proven"]) == (1, 3)
    assert found["gper"] == pytest.approx((0 + 0 + 1 / 3) / 3)


def test_word_count_distance_by_hand() -> None:
    """the a cat hat cats sat sits against the cat sat: P = 3, Q = 7, D = 3; once is best, and 7 - 6 + 3 = 4."""
    found = evaluate(lattices(columns=["word_count_distance", "reference_coverage"], by="sentence")).rows()[0]
    assert found["redundancy"] == 1
    assert found["swcd"] == found["swcd_unbounded"] == pytest.approx(math.sqrt(4) / 4)
    assert (found["word_precision"], found["word_recall"], found["uniformity"]) == (3 / 7, 1, pytest.approx(1))


def test_the_bound_of_redundancy(tmp_path: Path) -> None:
    """a against a a: P = 2, Q = 1, D = 4; half a time fits exactly, once leaves 1 - 4 + 4 = 1."""
    plf, reference = written(tmp_path / "a.plf", "((('a',1,1),),)"), written(tmp_path / "a.txt", "a a")
    found = row(TranslationTask(LATTICE, [plf], [reference], ["word_count_distance"]))
    assert (found["swcd"], found["swcd_unbounded"], found["redundancy"], found["under_bound"]) == (0.5, 0, 0.5, 1)
    free = row(TranslationTask(LATTICE, [plf], [reference], ["swcd"], {"min_redundancy": 0.0}))
    assert free["swcd"] == 0


def test_edges_and_their_n_grams() -> None:
    """Of `it was a big` and `red house` all bigrams, trigrams and the one of four words are in the reference."""
    found = evaluate(lattices(columns=["edge_n_grams"], by="sentence")).rows()[1]
    # it that (it was a big) is was a big great (red house) house red house: 12 of 16 words are in the reference
    assert found["edge_precision_1"] == 13 / 16
    assert [found[f"edge_precision_{n}"] for n in (2, 3, 4)] == [1, 1, 1]
    assert found["edge_precision"] == pytest.approx((13 / 16 + 3) / 4)


def test_of_several_references_the_nearest_counts() -> None:
    found = evaluate(lattices(REFERENCES, by="sentence")).rows()
    assert [one["ger"] for one in found] == [0, 0, 0]
    rows = find_oracle_paths(lattices(REFERENCES), "ger").rows()
    assert [one["reference"] for one in rows] == ["lattices.txt", "lattices.txt", "lattices-2.txt"]
    assert [" ".join(one["path_forms"]) for one in rows] == ["the cat sat", "it was a big red house", "I don't know"]


def test_references_keep_their_order_whatever_their_names(tmp_path: Path) -> None:
    hypothesis = written(tmp_path / "h.txt", "a b")
    references = [
        written(tmp_path / f"{name}.txt", line) for name, line in [("z", "x y"), ("y", "a c"), ("b", "a d e")]
    ]
    with treesql.connect() as db:
        db.load(hypothesis, corpus="h")
        for name, path in zip("zyb", references, strict=True):
            db.load(path, corpus=name)
        steps = db.query("edit_operations", hypothesis_corpus="h", reference_corpus="z", other_corpora="y,b").rows()
        assert {one["reference"] for one in steps} == {"y"}
    found = row(TranslationTask(TEXT, [hypothesis], references, ["edit_operations"]))
    assert (found["wer"], found["reference_words"]) == (1 / 2, 2)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "wer", "per", "bleu"),
    [
        ("", "", None, None, 0),
        ("", "a b", 1, 1, 0),
        ("a b", "", None, None, 0),
        ("a b", "a b", 0, 0, 0),
        ("a b c d", "a b c d", 0, 0, 1),
        ("a b c d", "e f g h", 1, 1, 0),
        ("a a b c", "a b c a", 2 / 4, 0, (1 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25),
        ("a b c d", "d c b a", 1, 0, (1 * 1 / 6 * 1 / 8 * 1 / 8) ** 0.25),
        ("a b c", "a b c d e f", 1 / 2, 1 / 2, 0),
    ],
)
def test_translations_by_hand(
    tmp_path: Path, hypothesis: str, reference: str, wer: float, per: float, bleu: float
) -> None:
    found = row(TranslationTask(TEXT, [written(tmp_path / "h", hypothesis)], [written(tmp_path / "r", reference)]))
    assert (found["wer"], found["per"]) == (wer, per)
    assert found["bleu"] == pytest.approx(bleu)


def test_bleu_of_a_short_sentence_counts_the_orders_that_it_has(tmp_path: Path) -> None:
    """sacrebleu 2.6.0: sentence_bleu("a b c", ["a b d e"]) with effective order, of given tokens."""
    task = TranslationTask(
        TEXT, [written(tmp_path / "h", "a b c")], [written(tmp_path / "r", "a b d e")], ["n_gram_matches"]
    )
    found = row(task)
    assert found["bleu"] == 0
    assert found["bleu_effective"] == pytest.approx(math.exp(1 - 4 / 3) * (2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3))
    assert found["brevity_penalty"] == pytest.approx(math.exp(1 - 4 / 3))


def test_the_closest_reference_length_counts_and_of_two_the_shorter(tmp_path: Path) -> None:
    references = [written(tmp_path / name, line) for name, line in [("a", "x"), ("b", "a b"), ("c", "a b c d")]]
    task = TranslationTask(TEXT, [written(tmp_path / "h", "a b c")], references, ["brevity_penalty"])
    assert row(task)["brevity_penalty"] == 1
    [item] = items(task, "n_gram_matches")
    assert item["closest_words"] == 2


def test_words_with_blanks_are_not_taken_for_several(tmp_path: Path) -> None:
    """As Vietnamese treebanks have them: two words are the same if they are cut at the same place."""
    texts = {"h": ["a b", "c"], "r": ["a", "b c"]}
    for name, words in texts.items():
        rows = "".join(f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in enumerate(words, 1))
        (tmp_path / f"{name}.conllu").write_text(rows + "\n")
    lattice = written(tmp_path / "h.jsonl", '{"n_nodes": 2, "edges": [[0, 1, ["a b", "c"]], [0, 1, ["a", "b c"]]]}')
    reference = str(tmp_path / "r.conllu")
    assert row(TranslationTask(TEXT, [str(tmp_path / "h.conllu")], [reference]))["n_gram_precision_2"] == 0
    assert row(TranslationTask(LATTICE, [lattice], [reference]))["edge_precision_2"] == 1 / 2
    with treesql.connect() as db:
        db.load(lattice, corpus="lattice")
        db.load(reference, corpus="reference")
        rows = db.query("edge_n_grams", lattice_corpus="lattice", reference_corpus="reference").rows()
    found = [(row["n_gram"], row["edge_matches_2"]) for row in rows if row["n_gram_order"] == 2]
    assert sorted(found) == [("a b c", 0), ("a b c", 1)]


@pytest.mark.parametrize(("reference", "penalty"), [("a b", 0), ("", 1)])
def test_an_empty_translation_is_short_unless_nothing_was_to_be_said(
    reference: str, penalty: float, tmp_path: Path
) -> None:
    references = [written(tmp_path / "r", reference)]
    found = row(TranslationTask(TEXT, [written(tmp_path / "h", "")], references, ["brevity_penalty", "bleu"]))
    assert (found["brevity_penalty"], found["bleu"]) == (penalty, 0)  # sacrebleu 2.6.0 gives the same


def items(task: TranslationTask, metric: str) -> list[dict[str, Any]]:
    with treesql.connect() as db:
        db.load(*task.systems, corpus="h", format="text")
        for at, path in enumerate(task.references):
            db.load(path, corpus=f"r{at}", format="text")
        others = ",".join(f"r{at}" for at in range(1, len(task.references)))
        return db.query(metric, hypothesis_corpus="h", reference_corpus="r0", other_corpora=others).rows()


@pytest.mark.slow
@given(st.lists(st.tuples(slow.words, slow.words, slow.words), min_size=1, max_size=4))
@settings(deadline=None, max_examples=12)
def test_error_rates_against_slow_definitions(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[tuple[slow.Words, slow.Words, slow.Words]]
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    paths = [written(folder / str(at), *(text(one[at]) for one in sentences)) for at in range(3)]
    found = row(TranslationTask(TEXT, paths[:1], paths[1:], ["wer", "wer_hypothesis", "per", "per_hypothesis"]))
    edits, words = 0, 0
    errors, bag_words = 0, 0
    for hypothesis, *references in sentences:
        nearest = min(references, key=lambda one: slow.distance(hypothesis, one)[0])
        edits, words = edits + slow.distance(hypothesis, nearest)[0], words + len(nearest)
        nearest = min(references, key=lambda one: slow.bag_distance(hypothesis, one))
        errors, bag_words = errors + slow.bag_distance(hypothesis, nearest), bag_words + len(nearest)
    n = sum(len(one[0]) for one in sentences)
    assert found["wer"] == (edits / words if words else None)
    assert found["wer_hypothesis"] == (edits / n if n else None)
    assert found["per"] == (errors / bag_words if bag_words else None)
    assert found["per_hypothesis"] == (errors / n if n else None)


def test_which_words_are_taken_for_which(examples: treesql.Database) -> None:
    sql = """
        SELECT o.sentence, o.hypothesis_form, o.reference_form FROM edit_operations('hypotheses', 'references') AS o
        WHERE o.operation = 'substitution' ORDER BY o.sentence, o.step
    """
    found = [tuple(one.values()) for one in examples.sql(sql).rows()]
    assert found == [(0, "sits", "sat"), (1, "is", "was"), (1, "great", "big"), (2, "don't", "do")]


def test_an_oracle_is_a_translation(examples: treesql.Database, tmp_path: Path) -> None:
    words = examples.query(
        "oracle_words", lattice_corpus="lattices", reference_corpus="references", measure="pmed"
    ).pl()
    lines = [" ".join(words.filter(words["sentence"] == at).sort("word")["form"]) for at in range(3)]
    path = written(tmp_path / "oracle.txt", *lines)
    found = row(TranslationTask(TEXT, [path], REFERENCES[:1], ["position_independent_errors"]))
    assert found["word_set_errors"] == row(lattices())["pmed"]


@pytest.mark.parametrize("kind", [LATTICE, TEXT])
def test_sums_by_sentence_are_those_of_the_corpus(examples: treesql.Database, kind: str) -> None:
    """What intervals and tests of significance resample."""
    corpora = {"lattice_corpus": "lattices"} if kind == LATTICE else {"hypothesis_corpus": "hypotheses"}
    for name in METRICS[kind]:
        query = catalog.query(name)
        given = corpora if name == "lattice_size" else {**corpora, "reference_corpus": "references"}
        rows = statistics.run_query(examples.engine, query, given)
        counts = ", ".join(f"CAST(sum(i.{column.name}) AS {column.type}) AS {column.name}" for column in query.counts)
        of_sentences = f"SELECT i.sentence, {counts} FROM rows AS i GROUP BY i.sentence"
        expressions = ", ".join(f"{score.expression} AS {score.name}" for score in query.scores)
        relation = examples.connection.from_arrow(rows).query(
            "rows", f"SELECT {expressions} FROM ({of_sentences}) AS s"
        )
        resampled = dict(zip(relation.columns, relation.fetchall()[0], strict=True))
        whole = examples.score(name, **given).rows()[0]
        assert resampled == {score.name: pytest.approx(whole[score.name]) for score in query.scores}


def test_an_empty_reference_leaves_word_count_distance_undefined(tmp_path: Path) -> None:
    plf = written(tmp_path / "a.plf", "((('a',1,1),),)", "()", "((('a',1,1),),)")
    reference = written(tmp_path / "a.txt", "a", "", "")
    told: list[str] = []
    task = TranslationTask(LATTICE, [plf], [reference], ["word_count_distance"], warn=lambda one: told.append(str(one)))
    found = row(task)
    assert (found["undefined_lattices"], found["swcd"]) == (2, 0)
    assert told == ["a.plf: 2 lattices have empty references, for which swcd is not defined; it is that of the others"]
    other = written(tmp_path / "b.plf", "((('b',1,1),),)", "()", "()")
    asked = TranslationTask(LATTICE, [plf, other], [reference], warn=lambda one: told.append(str(one)))
    compare(asked, ["swcd"], Method(runs=10))
    assert told[1:3] == [told[0], told[0].replace("a.plf", "b.plf")]
    by_sentence = evaluate(
        TranslationTask(LATTICE, [plf], [reference], ["ger", "ger_rate", "gwer"], by="sentence")
    ).rows()
    assert [one["ger"] for one in by_sentence] == [0, 0, 1]
    assert [one["ger_rate"] for one in by_sentence] == [0, None, None]
    assert [one["gwer"] for one in by_sentence] == [0, None, 1]


def test_scores_that_are_not_proven_are_told_of() -> None:
    [told] = translation._find_uncertain_scores("a", {"unproven": 1, "gper_unproven": 0})
    assert told.what == "pmed of 1 lattice is the best found, and not proven"
    assert "treesql score lattice --by sentence --metrics pmed,unproven" in told.hint
    assert not [*translation._find_uncertain_scores("a", {"proven": 2})]


def test_a_condition_leaves_no_unproven_lattice_untold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three lattices none is proven here, of which the condition chooses two, for `score` and for `compare`."""
    real = position_independent.nearest_paths_as_bags

    def without_proof(*given: Any, **how: Any) -> position_independent.BagPaths:
        found = real(*given, **how)
        return found._replace(proven=found.proven & False)

    monkeypatch.setattr(position_independent, "nearest_paths_as_bags", without_proof)
    plf, other = (written(tmp_path / name, *["((('a',1,1),),)"] * 3) for name in ("a.plf", "b.plf"))
    references = written(tmp_path / "a.txt", "a", "b", "b")
    told: list[str] = []
    task = TranslationTask(
        LATTICE, [plf, other], [references], ["pmed", "gper"], warn=lambda one: told.append(one.what)
    )
    evaluate(replace(task, where="sentence > 0"))
    compare(replace(task, where="sentence > 0"), ["pmed_rate", "gper"], Method(runs=10))
    expected = [f"{score} of 2 lattices is the best found, and not proven" for score in ("pmed", "gper")]
    assert told[:4] == expected * 2
    assert sorted(one for one in told[4:] if "not proven" in one) == sorted(expected * 2)
    told.clear()
    evaluate(replace(task, columns=(), where="n_nodes > 0"))  # of which the other metrics know nothing
    assert told == []


def test_a_lattice_that_shares_no_word_has_no_unbounded_distance(tmp_path: Path) -> None:
    plf, reference = written(tmp_path / "a.plf", "((('a',1,1),),)"), written(tmp_path / "a.txt", "b")
    found = row(TranslationTask(LATTICE, [plf], [reference], ["swcd", "swcd_unbounded"]))
    assert (found["swcd"], found["swcd_unbounded"]) == (pytest.approx(math.sqrt(2) / 2), None)


def test_an_infinite_distance_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.plf").write_text("((('a',1,),),)\n((('b',1,),),)\n")
    (tmp_path / "a.txt").write_text("a\nc\n")
    given = TranslationTask(LATTICE, [str(tmp_path / "a.plf")], [str(tmp_path / "a.txt")], ["swcd", "swcd_unbounded"])
    assert row(given)["swcd"] == pytest.approx(math.sqrt(2) / 4)
    free = replace(given, parameters={"min_redundancy": 0.0})
    assert row(free)["swcd"] is row(free)["swcd_unbounded"] is None
    assert [one["swcd"] for one in evaluate(replace(free, by="sentence")).rows()] == [0, None]


def test_references_that_do_not_correspond(tmp_path: Path) -> None:
    few = written(tmp_path / "few.txt", "the cat sat")
    with pytest.raises(Incomparable, match=r"lattice 2 of lattices.plf has no counterpart in few.txt"):
        evaluate(lattices([few]))
    many = written(tmp_path / "many.txt", "a", "b", "c", "d")
    with pytest.raises(
        Incomparable, match=r"the last reference is number 4, the last lattice of lattices\.plf number 3"
    ):
        evaluate(lattices([REFERENCES[0], many]))


def test_what_cannot_be_scored(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name at least one reference"):
        evaluate(lattices([]))
    assert row(lattices([], ["density"]))["density"] == 25 / 15
    with pytest.raises(UnknownName, match="did you mean ger"):
        evaluate(lattices(columns=["gerr"]))
    with pytest.raises(UsageError, match=r"hypotheses\.txt is of the kind text, and these scores are of lattices"):
        evaluate(TranslationTask(LATTICE, [str(FIXTURES / "hypotheses.txt")], REFERENCES, form="text"))
    with pytest.raises(UsageError, match="a file is named twice"):
        evaluate(TranslationTask(LATTICE, [PLF, PLF], REFERENCES))
    with pytest.raises(UsageError, match="min_redundancy does not apply to lattice_size"):
        evaluate(lattices(columns=["density"], parameters={"min_redundancy": 0.5}))
    with pytest.raises(InvalidInput, match="there is no such file"):
        evaluate(lattices(["missing.txt"]))


def test_corpora_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with treesql.connect(path) as db:
        db.load(PLF, corpus="lattices", phrases=True)
        for at, name in enumerate(REFERENCES):
            db.load(name, corpus=f"reference-{at}")
    names = ["reference-0", "reference-1"]
    found = row(TranslationTask(LATTICE, ["lattices"], names, ["ger", "swcd"], database=str(path)))
    expected = row(lattices(REFERENCES, ["ger", "swcd"]))
    assert {**found, "system": ""} == {**expected, "system": ""}
    with pytest.raises(UnknownName, match="did you mean reference-1"):
        evaluate(TranslationTask(LATTICE, ["lattices"], ["reference-0", "reference-3"], database=str(path)))
    with treesql.connect(path) as db, pytest.raises(Incomparable, match="names a corpus that does not exist"):
        db.score("graph_error", lattice_corpus="lattices", reference_corpus="reference-0", other_corpora="reference-3")


def test_columns_and_metrics_are_chosen_by_name() -> None:
    assert select_columns(LATTICE, ["swcd", "lattice_size"]) == (
        ["swcd", "lattices", "n_nodes", "n_edges", "density", "density_macro"], ["lattice_size", "word_count_distance"],
    )  # fmt: skip
    assert "bleu_effective" in select_columns(TEXT, [], "sentence")[0]


def test_signatures_name_what_was_scored() -> None:
    found = evaluate(lattices(REFERENCES, ["swcd"])).signature
    digest = "[0-9a-f]{6}"
    pattern = rf"swcd\|min_redundancy:1\.0\|lattice:lattices\.plf@{digest}\(phrases\)\|reference:lattices\.txt@{digest}"
    assert re.match(rf"{pattern}\|other:lattices-2\.txt@{digest}\|q:", found)
