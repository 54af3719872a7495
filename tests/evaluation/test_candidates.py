"""db.candidates(): corpora that kinds of evaluation can score."""

from __future__ import annotations

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.errors import UnknownName
from treesql.evaluation.candidates import find_alike, find_candidates


def row(
    corpus: str, treebank: str | None, words: int, kind: str = "dependency", form: str = "conllu"
) -> dict[str, object]:
    return {
        "corpus": corpus, "kind": kind, "sentences": 2, "words": words, "treebank": treebank, "language": None,
        "format": form,
    }  # fmt: skip


def test_systems_without_a_treebank_are_beside_gold_that_has_one() -> None:
    gold, parsed, other = row("g", "German-PUD", 9), row("p", None, 9), row("o", None, 8)
    assert find_alike([gold, parsed, other], by_words=True) == [[gold, parsed]]
    czech, french = row("c", "Czech-PUD", 9), row("f", "French-PUD", 9)
    assert find_alike([czech, french, parsed], by_words=True) == []  # of which one is it?
    assert find_alike([czech, french, czech], by_words=True) == [[czech, czech]]
    [dependency] = treesql.kinds("dependency")
    assert find_candidates(dependency, [parsed, gold]).proposed == [{"gold": ["g"], "system": ["p"]}]


def test_texts_are_proposed_by_their_number_of_sentences_and_by_their_names() -> None:
    texts = [row("output", None, 7, "text"), row("reference", None, 8, "text"), row("trees", None, 8)]
    [translation] = treesql.kinds("translation")
    found = find_candidates(translation, texts)
    assert found.corpora == {role: ["output", "reference", "trees"] for role in ("hypothesis", "reference")}
    assert found.proposed == [{"reference": ["reference"], "system": ["output"]}]
    assert found.are_enough
    assert not find_candidates(translation, texts[:1]).are_enough  # no score is without a reference
    assert not find_candidates(translation, texts[2:] * 2).are_enough  # trees of one text have the same words
    several = [row(name, None, 8, "text") for name in ("mt-a", "mt-b", "ref0", "ref1")]
    assert find_candidates(translation, several).proposed == [
        {"reference": ["ref0", "ref1"], "system": ["mt-a", "mt-b"]}
    ]
    assert find_candidates(translation, several[2:]).proposed == [{"reference": ["ref0"], "system": ["ref1"]}]


def test_kinds_of_one_format_are_for_corpora_in_it() -> None:
    [newick] = treesql.kinds("newick")
    assert not find_candidates(newick, [row(name, None, 8, "constituency", "penn") for name in "ab"]).are_enough
    assert find_candidates(newick, [row(name, None, 8, "constituency", "newick") for name in "ab"]).are_enough


def test_every_role_that_needs_a_corpus_has_one_of_its_own(db: treesql.Database) -> None:
    assert db.candidates() == []
    for name in ("gold", "parser-a"):
        db.load(FIXTURES / f"{name}.conllu", corpus=name)
    assert [found.kind.name for found in db.candidates()] == ["dependency", "trees"]
    [parallel] = db.candidates("parallel")
    assert not parallel.are_enough
    assert parallel.corpora["gold_a"] == ["gold", "parser-a"]
    db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
    assert "lattice" in [found.kind.name for found in db.candidates()]  # a size needs no reference
    with pytest.raises(UnknownName):
        db.candidates("nothing")
