"""Checks of consistency: by hand, then against a loop over the words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treesql

pytestmark = pytest.mark.filterwarnings("ignore:.*several roots")

Word = tuple[str, str, str, int, str]
"""Form, lemma, part of speech, head, relation."""


def words(text: str) -> list[Word]:
    """Words `FORM/LEMMA/UPOS/HEAD/RELATION` with blanks between."""
    found = []
    for word in text.split():
        form, lemma, upos, head, relation = word.split("/")
        found.append((form, lemma, upos, int(head), relation))
    return found


def write(path: Path, sentences: list[list[Word]]) -> Path:
    lines = []
    for number, sentence in enumerate(sentences, 1):
        lines.append(f"# sent_id = s{number}")
        for at, (form, lemma, upos, head, relation) in enumerate(sentence, 1):
            lines.append("\t".join([str(at), form, lemma, upos, f"x{upos}", "_", str(head), relation, "_", "_"]))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


Stats = Callable[..., list[tuple[Any, ...]]]
"""The rows of a table of a treebank of these sentences, without the treebank."""


@pytest.fixture(scope="module")
def stats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stats]:
    path = tmp_path_factory.mktemp("treebank") / "t.conllu"
    loaded: tuple[str, ...] = ()
    with treesql.connect() as db:

        def call(table: str, *sentences: str, **how: Any) -> list[tuple[Any, ...]]:
            nonlocal loaded
            if sentences != loaded:
                db.load(write(path, [words(sentence) for sentence in sentences]), corpus="t", replace=True)
                loaded = sentences
            return [tuple(row.values())[1:] for row in db.stats(table=table, **how).rows()]

        yield call


MUCH = "too/too/ADV/2/advmod much/much/{}/0/root ././PUNCT/2/punct"


def test_tags_that_vary_between_the_same_neighbours(stats: Stats) -> None:
    sentences = MUCH.format("ADV"), MUCH.format("ADJ"), MUCH.format("ADV"), "So/so/ADV/2/advmod much/much/DET/0/root"
    assert stats("variation_tags", *sentences) == [
        ("too", "much", ".", "ADV", 2, "s1", 2),
        ("too", "much", ".", "ADJ", 1, "s2", 2),
    ]
    assert [row[3] for row in stats("variation_tags", *sentences, tagset="xpos")] == ["xADV", "xADJ"]
    assert stats("variation_tags", sentences[0], sentences[3]) == []
    ends = "much/much/ADV/0/root", "Much/much/ADJ/0/root"
    assert stats("variation_tags", *ends) == []
    assert stats("variation_tags", *ends, forms="lower") == [
        (".S", "much", ".E", "ADJ", 1, "s2", 1), (".S", "much", ".E", "ADV", 1, "s1", 1)
    ]  # fmt: skip


EAT = "We/we/PRON/2/nsubj {}/eat/VERB/0/{} fish/fish/NOUN/2/{} there/there/ADV/2/advmod"


def test_relations_that_vary_between_the_same_words(stats: Stats) -> None:
    sentences = EAT.format("eat", "root", "obj"), EAT.format("eat", "root", "obl"), EAT.format("ate", "root", "dep")
    found = [("fish", "eat", "left", "We _ 0 _ there", relation, 1) for relation in ("obj", "obl")]
    assert [row[:6] for row in stats("variation_relations", *sentences)] == found
    lemmas = stats("variation_relations", *sentences, forms="lemma")
    assert [(row[4], row[6], row[7]) for row in lemmas] == [("dep", "s3", 3), ("obj", "s1", 3), ("obl", "s2", 3)]
    elsewhere = sentences[1].replace("We/we", "They/they")
    assert stats("variation_relations", sentences[0], elsewhere) == []
    for surroundings, shown in (("none", ""), ("head", "root")):
        rows = stats("variation_relations", sentences[0], elsewhere, surroundings=surroundings)
        assert [row[3:5] for row in rows] == [(shown, "obj"), (shown, "obl")]
    whole = [f"eat/eat/VERB/0/root fish/fish/NOUN/1/{relation}" for relation in ("obj", "obl")]
    assert [row[3:5] for row in stats("variation_relations", *whole)] == [
        (".S _ 0 _ .E", "obj"),
        (".S _ 0 _ .E", "obl"),
    ]


def test_relations_that_occur_once(stats: Stats) -> None:
    found = stats("single_relations", EAT.format("eat", "root", "obj"), EAT.format("eat", "root", "obl:unmarked"))
    assert found == [("obj", "fish", "NOUN", "s1", 3), ("obl:unmarked", "fish", "NOUN", "s2", 3)]


def test_words_that_are_not_always_punctuation(stats: Stats) -> None:
    found = stats(
        "punctuation_words",
        "Hm/hm/INTJ/0/root ././PUNCT/1/punct -/-/PUNCT/1/punct",
        "Hm/hm/PUNCT/0/root ././PUNCT/1/punct -/-/PUNCT/1/dep",
        "Hm/hm/INTJ/0/root ././PUNCT/1/punct -/-/SYM/1/punct:x",
    )  # fmt: skip
    assert found == [("-", "always", 3, 2, 2, "s2", 3), ("Hm", "never", 3, 1, 0, "s2", 1)]


def test_shapes(stats: Stats) -> None:
    trees = "a/a/X/0/root b/b/X/0/root c/c/X/1/dep", "a/a/X/0/root b/b/X/4/dep c/c/X/1/dep d/d/X/1/dep", "a/a/X/0/root"
    crossing = "a/a/X/3/dep b/b/X/4/dep c/c/X/4/dep d/d/X/0/root"
    assert stats("multiple_roots", *trees) == [("s1", 2, 2, "b")]
    found = stats("non_projective_words", *trees, crossing)
    assert found == [("s1", 3, "c", "dep", 1, "a"), ("s2", 2, "b", "dep", 4, "d"), ("s4", 1, "a", "dep", 3, "c")]


def test_the_number_of_cases_of_every_check(stats: Stats) -> None:
    sentences = MUCH.format("ADV"), MUCH.format("ADJ"), "a/a/X/0/root b/b/X/0/root c/c/X/1/dep"
    rows = stats("consistency_checks", *sentences)
    assert {row[0]: row[1:] for row in rows} == {
        "variation_tags": (1, "s1", 2),
        "multiple_roots": (1, "s3", 2),
        "non_projective_words": (1, "s3", 3),
        "single_relations": (1, "s3", 3),
    }


def test_the_example_of_a_check_is_the_most_frequent_case(stats: Stats) -> None:
    """Of a in 2 sentences and of much in 3."""
    sentences = [f"a/a/{upos}/0/root b/b/X/1/dep" for upos in "XY"] + [MUCH.format(upos) for upos in ("X", "Y", "X")]
    assert [row[1:] for row in stats("consistency_checks", *sentences) if row[0] == "variation_tags"] == [(2, "s3", 2)]


def test_pairs_of_different_directions_are_different_cases(stats: Stats) -> None:
    """a beside b, its head, alone in its sentence: p and q vary on one side of it, r and s on the other."""
    left, right = "b/b/X/0/root a/a/X/1/{}", "a/a/X/2/{} b/b/X/0/root"
    sentences = [text.format(relation) for text, pair in ((left, "pq"), (right, "rs")) for relation in pair]
    assert [row[1] for row in stats("consistency_checks", *sentences) if row[0] == "variation_relations"] == [2]


def test_a_consistent_treebank(stats: Stats) -> None:
    assert stats("consistency_checks", MUCH.format("ADV"), MUCH.format("ADV")) == []


def test_corpora_of_one_treebank_are_read_together(db: treesql.Database, tmp_path: Path) -> None:
    for corpus, upos in (("train", "ADV"), ("dev", "ADJ")):
        db.load(write(tmp_path / f"{corpus}.conllu", [words(MUCH.format(upos))]), corpus=corpus, treebank="mine")
    assert [row["tag"] for row in db.stats(table="variation_tags").rows()] == ["ADJ", "ADV"]
    assert db.stats(table="variation_tags", corpus="dev").rows() == []


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"table": "variation_tag"}, "variation_tags"),
        ({"table": "variation_tags", "relations": True}, "table= has its own rows"),
        ({"table": "single_relations", "tagset": "xpos"}, "tagset= does not apply to single_relations"),
        ({"forms": "lemma"}, "forms= does not apply to treebank_statistics"),
        ({"table": "variation_tags", "tagset": "feats"}, "choose one of upos, xpos"),
    ],
)
def test_requests_that_are_refused(tmp_path: Path, how: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "t.conllu", [words("a/a/X/0/root")])
    with pytest.raises((treesql.UsageError, treesql.UnknownName), match=message):
        treesql.stats(path, **how)


@st.composite
def treebanks(draw: st.DrawFn) -> list[list[Word]]:
    def sentence() -> list[Word]:
        n = draw(st.integers(1, 5))
        letters = st.sampled_from("ab")
        return [
            (draw(letters), "_", draw(st.sampled_from("XY")), at, draw(st.sampled_from(["p", "q"]))) for at in range(n)
        ]

    return [sentence() for _ in range(draw(st.integers(1, 8)))]


@pytest.mark.slow
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(treebanks())
def test_variation_is_that_of_a_loop(tmp_path: Path, sentences: list[list[Word]]) -> None:
    """Heads are the words before, so that pairs are neighbours."""
    tags: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    relations: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        forms = [".S", *(word[0] for word in sentence), ".E"]
        for at, (form, _, upos, head, relation) in enumerate(sentence, 1):
            tags[forms[at - 1], form, forms[at + 1]][upos] += 1
            if head:
                relations[form, forms[head], f"{forms[head - 1]} _ 0 _ {forms[at + 1]}"][relation] += 1
    path = write(tmp_path / "t.conllu", sentences)
    found = treesql.stats(path, table="variation_tags").rows()
    assert {(row["before"], row["form"], row["after"], row["tag"], row["words"]) for row in found} == {
        (*key, tag, n) for key, counts in tags.items() if len(counts) > 1 for tag, n in counts.items()
    }
    pairs = treesql.stats(path, table="variation_relations").rows()
    assert {(row["form"], row["head_form"], row["surrounding"], row["relation"], row["words"]) for row in pairs} == {
        (*key, relation, n) for key, counts in relations.items() if len(counts) > 1 for relation, n in counts.items()
    }
