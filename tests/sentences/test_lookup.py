"""Sentences found by their names, numbers, and counterparts in a system's output."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from tests.sentences.reading import sentence
from treesql.drawing.pairs import TreePair
from treesql.errors import TreesqlWarning, UnknownName, UsageError
from treesql.readers import Options
from treesql.sentences import lookup


def test_a_sentence_is_found_by_its_name_or_number(examples: treesql.Database) -> None:
    found = examples.sentence("tea", corpus="gold")
    assert (found.sentence, found.text, len(found.words)) == (3, "Ann drinks tea and Bob coffee.", 7)
    assert examples.sentence(3, corpus="gold") == found
    assert repr(found) == "<Sentence tea of gold, 7 words>"


def test_a_pattern_of_corpora_is_searched(examples: treesql.Database) -> None:
    assert examples.sentence("tea", corpus="g*").corpus == "gold"
    assert [one.corpus for one, _ in examples.show("tea", corpus="parser-[a]").drawn] == ["parser-a"]
    assert examples.show("tea", corpus="parser-*", system="parser-b").drawn[0][0].corpus == "parser-a"


@pytest.mark.parametrize(
    ("name", "corpus", "message"),
    [
        ("teaa", "gold", "unknown sentence 'teaa'; did you mean tea?"),
        ("99", "gold", "'99'; name one by its sent_id, such as hearing, or by its number, '#0' to '#4'"),
        ("tea", None, "several corpora: gold, parser-a, parser-b; choose one with corpus=NAME"),
        ("tea", "gould", "unknown corpus 'gould'; did you mean gold"),
        ("tea", "parser-*", "several corpora: parser-a, parser-b; choose"),
        ("teaa", "parser-*", "did you mean tea"),
        ("tea", "x*", "unknown corpus"),
    ],
    ids=["near", "number", "several", "corpus", "pattern", "near in a pattern", "no corpus of a pattern"],
)
def test_a_name_that_does_not_lead_to_one_sentence(
    examples: treesql.Database, name: str, corpus: str | None, message: str
) -> None:
    with pytest.raises((UnknownName, UsageError), match=message.replace("?", r"\?")):
        examples.sentence(name, corpus=corpus)


@pytest.mark.filterwarnings("ignore:.*repeated sent_id")
def test_a_name_that_stands_twice_in_a_corpus(db: treesql.Database, tmp_path: Path) -> None:
    for file in "ab":
        (tmp_path / f"{file}.conllu").write_bytes(b"# sent_id = x\n" + conllu("a:0:root"))
    db.load(tmp_path / "a.conllu", tmp_path / "b.conllu", corpus="c")
    with pytest.raises(UsageError, match="several sentences 'x'; name one of them by its number: '#0', '#1'"):
        db.sentence("x")
    assert db.sentence(1).sentence == db.sentence("#1").sentence == 1


NUMBERED = ("1", "2", "1", "2", "#0", None)
"""The sent_ids of sentences, of which those that look like numbers are the numbers of others."""


@pytest.fixture
def numbered(db: treesql.Database, tmp_path: Path) -> treesql.Database:
    sentences = [
        (b"" if name is None else f"# sent_id = {name}\n".encode()) + conllu(f"{form}:0:root")
        for name, form in zip(NUMBERED, "abcdef", strict=True)
    ]
    (tmp_path / "numbered.conllu").write_bytes(b"".join(sentences))
    with pytest.warns(TreesqlWarning, match="2 sentences with a repeated sent_id"):
        db.load(tmp_path / "numbered.conllu", corpus="numbered")
    return db


def test_no_sent_id_hides_the_number_of_a_sentence(numbered: treesql.Database) -> None:
    for number, form in enumerate("abcdef"):
        for name in (number, f"#{number}"):
            assert numbered.sentence(name).words[0]["form"] == form
            assert form in numbered.show(name).text()
    with pytest.raises(UsageError, match="several sentences '1'; name one of them by its number: '#0', '#2'"):
        numbered.sentence("1")
    with pytest.raises(UsageError, match=r"unknown sentence '#6'; .*by its number, '#0' to '#5'"):
        numbered.sentence("#6")


def test_the_names_of_sentences_lead_to_them(numbered: treesql.Database, examples: treesql.Database) -> None:
    names = numbered.sentence_names("numbered", range(6))
    assert names == {number: f"#{number}" for number in range(6)}
    assert examples.sentence_names("gold", [3, 0]) == {3: "tea", 0: "mat"}
    assert examples.sentence_names("gold", []) == {}


def test_sentences_with_repeated_ids_correspond_by_number(numbered: treesql.Database) -> None:
    found = [numbered.sentence(number) for number in range(4)]
    others = lookup.find_counterparts(numbered.engine, found, "numbered")
    assert [one.sentence for one in others] == [0, 1, 2, 3]


def test_sentences_without_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="they have no sent_id, name one by its number, '#0' to '#0'"):
        sentence(conllu("a:0:root"), tmp_path / "a.conllu", "b")


def test_sentences_that_a_parser_has_split_or_joined(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_bytes(conllu("Hi:0:root Ann:1:vocative", "Go:0:root", "Stop:0:root now:1:advmod"))
    (tmp_path / "parser.conllu").write_bytes(conllu("Hi:0:root", "Ann:2:nsubj Go:0:root", "Stop:0:root now:1:advmod"))
    with (
        lookup.open_file(str(tmp_path / "gold.conllu"), Options()) as (gold, gold_name),
        lookup.open_file(str(tmp_path / "parser.conllu"), Options()) as (parser, name),
    ):
        first, second, third = lookup.find_sentences(gold, ["0", "1", "2"], gold_name)
        found = lookup.find_counterparts(parser, [first, second, third], name)
    assert [one.name for one in found] == ["0 + 1", "1", "2"]
    assert [word["form"] for word in found[0].words] == ["Hi", "Ann", "Go"]
    assert [word["head"] for word in found[0].words] == [0, 3, 0]
    [(_, drawing)] = first.drawings(system=found[0])
    assert isinstance(drawing, TreePair)
    assert [(link.first, link.second) for link in drawing.links] == [(1, 1), (2, 2)]
    assert drawing.first.marks == {2: "missed"}
    assert drawing.second.marks == {2: "wrong"}  # Go, which the gold sentence has not, is not judged
    [(_, drawing)] = second.drawings(system=found[1])
    assert isinstance(drawing, TreePair)
    assert [(link.first, link.second) for link in drawing.links] == [(1, 2)]


def test_sentences_without_a_text_are_listed_and_searched_by_their_words(db: treesql.Database, tmp_path: Path) -> None:
    """Links have the texts of their source."""
    token = "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    words = "".join(f"{at}\t{form}\t_\t_\t_\t_\t{at - 1}\tdep\t_\t_\n" for at, form in enumerate(["do", "n't", "!"], 1))
    bare = f"{token}{words}\n".replace("\t0\tdep", "\t0\troot")
    (tmp_path / "a.conllu").write_text(f"{bare}# text = Yes.\n1\tYes.\t_\t_\t_\t_\t0\troot\t_\t_\n\n{bare}", "utf-8")
    (tmp_path / "links.pharaoh").write_text("0-0\n0-0\n2-2\n", "utf-8")
    db.load(tmp_path / "a.conllu", corpus="a")
    db.load(tmp_path / "links.pharaoh", corpus="links", source_corpus="a", target_corpus="a")
    for corpus in ("a", "links"):
        assert [row["text"] for row in db.sentences(corpus).rows.rows()] == ["don't!", "Yes.", "don't!"]
        assert [row["text"] for row in db.sentences(corpus, limit=1, offset=2).rows.rows()] == ["don't!"]
    assert db.sentences("a", text="n't!").total == 2
    assert [db.sentence(number, corpus="a").plain for number in (0, 1)] == ["don't!", "Yes."]
