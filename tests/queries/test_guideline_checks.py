"""Rules about trees, each by a sentence that breaks it and by one that does not, and the list of all findings."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.annotated_words import sentence

pytestmark = pytest.mark.filterwarnings("ignore:.*several roots")


V = "v/VERB/0/root"
"""A verb as the root, word 1."""

CASES: dict[str, list[tuple[str, int]]] = {
    f"{V} b/NOUN/1/obj c/NOUN/1/obl": [],
    "v/VERB/0/obj": [("0-is-not-root", 1)],
    f"{V} b/NOUN/1/root": [("root-is-not-0", 2)],
    f"{V} b/NOUN/1/det": [("rel-upos-det", 2)],
    f"{V} b/PRON/1/det": [],
    f"{V} b/NOUN/1/det/ExtPos=DET": [],
    f"{V} b/DET/1/det/Case=Nom|ExtPos=ADP": [("rel-upos-det", 2)],
    f"{V} b/VERB/1/nummod": [("rel-upos-nummod", 2)],
    f"{V} b/NOUN/1/nummod": [],
    f"{V} b/NOUN/1/advmod": [("rel-upos-advmod", 2)],
    f"{V} b/NOUN/1/advmod c/X/2/goeswith": [],
    f"{V} b/NOUN/1/expl": [("rel-upos-expl", 2)],
    f"{V} b/VERB/1/aux:pass": [("rel-upos-aux", 2)],
    f"{V} b/VERB/1/cop": [("rel-upos-cop", 2)],
    f"{V} b/PRON/1/cop": [],
    f"{V} b/PROPN/1/case": [("rel-upos-case", 2)],
    f"{V} b/VERB/1/case": [],
    f"{V} b/INTJ/1/mark": [("rel-upos-mark", 2)],
    f"{V} b/VERB/1/mark": [],
    f"{V} b/VERB/1/cc": [("rel-upos-cc", 2)],
    f"{V} b/SYM/1/punct": [("rel-upos-punct", 2)],
    f"{V} b/PUNCT/1/obj": [("upos-rel-punct", 2)],
    "b/PUNCT/0/root": [],
    f"{V} b/PROPN/1/obl c/ADP/2/fixed": [("rel-upos-fixed", 2)],
    f"{V} b/ADP/1/obl c/PROPN/2/fixed": [("rel-upos-fixed", 3)],
    "b/NOUN/2/conj v/VERB/0/root": [("right-to-left-conj", 1)],
    "b/NOUN/2/appos v/NOUN/0/root": [("right-to-left-appos", 1)],
    "b/NOUN/2/flat:name v/NOUN/0/root": [("right-to-left-flat", 1)],
    "b/ADV/2/fixed v/ADV/0/root": [("right-to-left-fixed", 1)],
    "b/X/2/goeswith v/NOUN/0/root": [("goeswith-gap", 2), ("right-to-left-goeswith", 1)],
    f"{V} b/ADP/1/case c/NOUN/2/nmod": [("leaf-mark-case", 3)],
    f"{V} b/SCONJ/1/mark c/ADV/2/advmod d/ADV/2/obl": [],
    f"{V} b/AUX/1/aux c/ADV/2/advmod": [("leaf-aux-cop", 3)],
    f"{V} b/AUX/1/cop c/PART/2/advmod/Polarity=Neg": [],
    f"{V} b/AUX/1/cop c/NOUN/2/advmod:x/Polarity=Neg": [("leaf-aux-cop", 3), ("rel-upos-advmod", 3)],
    f"{V} b/DET/1/det c/NOUN/2/nmod": [("leaf-det", 3)],
    f"{V} b/DET/1/det/Poss=Yes c/NOUN/2/nmod": [],
    f"{V} b/NOUN/1/clf c/NOUN/2/nmod": [("leaf-clf", 3)],
    f"{V} b/CCONJ/1/cc c/CCONJ/2/cc": [("leaf-cc", 3)],
    f"{V} b/ADP/1/obl c/ADP/2/fixed d/ADP/3/fixed": [("leaf-fixed", 4)],
    f"{V} b/NOUN/1/obj c/X/2/goeswith d/X/3/goeswith": [("leaf-goeswith", 4)],
    "b/NOUN/2/obj v/VERB/0/root c/X/1/goeswith d/PUNCT/3/punct": [("goeswith-gap", 1)],
    "v/VERB/0/root b/NOUN/1/obj c/X/2/goeswith d/PUNCT/3/punct": [("leaf-goeswith", 4)],
    f"{V} b/PUNCT/1/punct c/NOUN/2/nmod": [("leaf-punct", 3)],
    f"{V} b/PUNCT/1/punct c/PUNCT/2/punct": [],
    f"{V} b/NOUN/1/nsubj c/NOUN/1/csubj": [("too-many-subjects", 1)],
    f"{V} b/NOUN/1/nsubj c/NOUN/1/nsubj:outer": [],
    f"{V} b/NOUN/1/nsubj c/NOUN/1/nsubj/_/Subject=Outer": [],
    f"{V} b/NOUN/1/obj c/NOUN/1/obj d/NOUN/1/obj": [("too-many-objects", 1)],
    f"{V} b/NOUN/1/obj c/NOUN/1/obl d/X/2/goeswith": [("goeswith-gap", 2)],
    f"{V} b/NOUN/1/obj c/NOUN/2/obl:at": [("obl-should-be-nmod", 3)],
    f"{V} b/NOUN/1/obj c/NOUN/2/obl d/AUX/2/cop": [],
    f"{V} b/NOUN/1/conj c/NOUN/2/obl": [],
    "a/NOUN/3/nsubj b/PUNCT/4/punct v/VERB/0/root d/NOUN/1/nmod": [("punct-is-nonproj", 2)],
    "a/NOUN/4/nsubj b/PUNCT/1/punct c/NOUN/1/nmod v/VERB/0/root": [],
    f"{V} b/NOUN/1/obj c/PUNCT/1/punct d/NOUN/2/nmod": [("punct-causes-nonproj", 3)],
    "a/NOUN/2/nsubj v/VERB/0/root b/PUNCT/2/punct d/NOUN/1/nmod": [],
}  # fmt: skip
"""Sentences, and what breaks a rule in them."""


def test_rules_by_hand() -> None:
    """All sentences are one treebank."""
    text = "".join(sentence(words, str(number)) for number, words in enumerate(CASES))
    found: dict[str, list[tuple[str, int]]] = {}
    for row in treesql.stats(text.encode(), table="guideline_checks"):
        found.setdefault(row["sent_id"], []).append((row["name"], row["word"]))
    assert {words: found.get(str(number), []) for number, words in enumerate(CASES)} == CASES


def test_words_without_annotation_break_no_rule() -> None:
    text = sentence("a/_/0/_ b/_/1/_ c/_/1/det d/_/3/case")
    assert len(treesql.stats(text.encode(), table="guideline_checks")) == 0


def test_what_is_said() -> None:
    text = sentence("v/VERB/0/root of/ADP/1/case the/DET/2/det a/NOUN/1/obj b/NOUN/1/obj")
    rows = treesql.stats(text.encode(), table="guideline_checks").rows()
    assert [row["what"] for row in rows] == ["of is case and has the dependent the (det)", "2 objects"]


def test_all_checks_have_the_rows_of_each(tmp_path: Path) -> None:
    """Every row of a statistic of consistency is there, with its sentence, word and form."""
    text = "".join(
        sentence(words, f"s{number}")
        for number, words in enumerate(
            [
                "the/DET/2/det cat/NOUN/3/nsubj sat/VERB/0/root ./PUNCT/3/punct",
                "the/DET/2/det cat/VERB/3/obj sat/VERB/0/root ./SYM/3/punct",
                "a/NOUN/3/nsubj b/PUNCT/4/punct v/VERB/0/root d/NOUN/1/nmod",
                "x/NOUN/0/root y/NOUN/0/root z/NOUN/2/conj",
            ],
            9,
        )
    )
    path = tmp_path / "t.conllu"
    path.write_text(text, "utf-8")
    every = treesql.stats(path, table="all_checks")
    assert every.columns == ["treebank", "name", "sent_id", "word", "form", "what"]
    for table in (
        "variation_tags", "variation_relations", "single_relations", "punctuation_words", "multiple_roots",
        "non_projective_words",
    ):  # fmt: skip
        rows = treesql.stats(path, table=table).rows()
        assert rows, table
        expected = sorted((row["sent_id"], row["word"], row["form"]) for row in rows)
        assert [(row["sent_id"], row["word"], row["form"]) for row in every if row["name"] == table] == expected, table
    guidelines = treesql.stats(path, table="guideline_checks").rows()
    names = {row["name"] for row in guidelines}
    assert [row for row in every if row["name"] in names] == guidelines
    said = {row["what"] for row in every if row["name"] == "variation_tags" and row["form"] == "cat"}
    assert said == {"NOUN 1 of 2 times in the _ sat", "VERB 1 of 2 times in the _ sat"}
