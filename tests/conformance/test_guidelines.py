"""Rules about trees against what the validator of Universal Dependencies says (udtools of 2026-08-22, level 3)."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from hashlib import sha256

import pytest

import treesql
from tests.conformance.cases import DATA, needs

EWT = DATA / "ud/r2/English-EWT/en_ewt-ud-dev.conllu.gz"
PUD = DATA / "ud/r2"

RELATIONS = [
    "nsubj", "obj", "obl", "nmod", "advmod", "det", "case", "amod", "conj",
    "punct", "fixed", "flat", "goeswith", "appos", "cc", "mark", "aux", "cop",
    "clf", "root", "expl", "nummod", "obl:agent", "nsubj:outer", "csubj", "acl", "orphan",
]  # fmt: skip
TAGS = ["NOUN", "VERB", "DET", "PRON", "PUNCT", "ADP", "AUX", "PROPN", "ADV", "PART", "ADJ", "NUM", "SYM", "CCONJ"]
FEATURES = ["Poss=Yes", "ExtPos=DET", "Polarity=Neg", "ExtPos=ADP|Polarity=Neg", "ExtPos=PROPN"]


def with_errors() -> bytes:
    """1,500 sentences with relations, tags, features and heads that are drawn at random."""
    text, drawn = gzip.decompress(EWT.read_bytes()).decode(), random.Random(7)
    sentences = []
    for part in [part for part in text.split("\n\n") if part.strip()][:1500]:
        lines = [line.split("\t") for line in part.split("\n")]
        words = {int(line[0]): line for line in lines if len(line) == 10 and line[0].isdigit()}
        heads = {word: int(line[6]) for word, line in words.items()}
        for word, line in words.items():
            if (drawn.random() < 0.06 and heads[word] != 0) or drawn.random() < 0.01:
                line[7] = drawn.choice(RELATIONS)
            if drawn.random() < 0.05:
                line[3] = drawn.choice(TAGS)
            if drawn.random() < 0.02:
                line[5] = drawn.choice(FEATURES)
            if drawn.random() < 0.05 and heads[word] != 0:
                head = above = drawn.choice(list(words))
                while above and above != word:
                    above = heads[above]
                if above != word:
                    heads[word] = head
        for word, line in words.items():
            line[6], line[8] = str(heads[word]), "_"
        kept = [line for line in lines if not (len(line) == 10 and "." in line[0])]
        sentences.append("\n".join("\t".join(line) for line in kept))
    return ("\n\n".join(sentences) + "\n\n").encode()


EXPECTED = {
    "0-is-not-root": 24, "goeswith-gap": 36, "leaf-aux-cop": 96, "leaf-cc": 49, "leaf-clf": 41, "leaf-det": 36,
    "leaf-fixed": 38, "leaf-goeswith": 29, "leaf-mark-case": 129, "leaf-punct": 93, "obl-should-be-nmod": 39,
    "punct-causes-nonproj": 88, "punct-is-nonproj": 140, "rel-upos-advmod": 64, "rel-upos-aux": 94,
    "rel-upos-case": 61, "rel-upos-cc": 66, "rel-upos-cop": 69, "rel-upos-det": 86, "rel-upos-expl": 52,
    "rel-upos-fixed": 7, "rel-upos-mark": 50, "rel-upos-nummod": 34, "rel-upos-punct": 182, "right-to-left-appos": 29,
    "right-to-left-conj": 33, "right-to-left-fixed": 27, "right-to-left-flat": 34, "right-to-left-goeswith": 24,
    "root-is-not-0": 48, "too-many-objects": 3, "too-many-subjects": 31, "upos-rel-punct": 216,
}  # fmt: skip
"""Its errors by rule; the rules of morphology, of spaces and of enhanced dependencies are others."""

POSITIONS = "de94f783cd3f2d3bfb75b7510d907dea29a64bdf62500fc0fedcd27abaf10a8a"
"""The digest of its rules with sentence and word, sorted."""


@needs(EWT)
def test_errors_of_all_rules() -> None:
    rows = treesql.stats(with_errors(), table="guideline_checks").rows()
    assert Counter(row["name"] for row in rows) == EXPECTED
    positions = sorted((row["name"], row["sent_id"], row["word"]) for row in rows)
    assert sha256(repr(positions).encode()).hexdigest() == POSITIONS


@needs(PUD)
@pytest.mark.parametrize(
    ("treebank", "expected"),
    [
        ("Chinese-PUD/zh_pud", {"leaf-clf": 378, "obl-should-be-nmod": 5, "too-many-objects": 1}),
        pytest.param("German-PUD/de_pud", {"obl-should-be-nmod": 26}, marks=pytest.mark.slow),
        pytest.param("Czech-PUD/cs_pud", {}, marks=pytest.mark.slow),
        pytest.param("Finnish-TDT/fi_tdt", {}, marks=pytest.mark.slow),
    ],
)
def test_published_treebanks(treebank: str, expected: dict[str, int]) -> None:
    rows = treesql.stats(PUD / f"{treebank}-ud-test.conllu.gz", table="guideline_checks").rows()
    assert Counter(row["name"] for row in rows) == expected
