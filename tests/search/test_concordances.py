"""db.find(kwic=...), and contexts as keys: left, match, right, N.left(5)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn
from treesql.errors import RequestError, UsageError
from treesql.results.concordance import Concordance


def lines(found: treesql.Result) -> list[tuple[str, str, str]]:
    return [(row["left"], row["match"], row["right"]) for row in found.rows()]


def test_a_row_per_match_with_its_context(small: treesql.Database) -> None:
    found = small.find("pattern { V [upos=VERB]; V -[1=nsubj]-> S }", kwic=1)
    assert found.rows() == [
        {"sent_id": "one", "left": "old", "match": "dogbarks", "right": "do"},
        {"sent_id": "two", "left": "", "match": "dogs dog", "right": "the"},
        {"sent_id": "three", "left": "", "match": "it a b", "right": "c"},
    ]
    assert lines(small.find("pattern { V [lemma=bark] }", kwic=9)) == [("The old dog", "barks", "don't")]
    assert lines(small.find("pattern { V [lemma=bark] }", kwic=0)) == [("", "barks", "")]


def test_multiword_tokens_are_whole_where_all_of_their_words_are(small: treesql.Database) -> None:
    assert lines(small.find("pattern { X [form=do] }", kwic=2)) == [("dogbarks", "do", "n't")]
    assert lines(small.find('pattern { X [form="n\'t"] }', kwic=1)) == [("do", "n't", "")]
    assert lines(small.find('pattern { X [form="n\'t"]; X -> Y }', kwic=1)) == [("barks", "don't", "")]


def test_the_anchor_and_empty_nodes_have_no_words(small: treesql.Database) -> None:
    assert lines(small.find('pattern { X [form="__0__"] }', kwic=2))[0] == ("", "", "The old")
    assert lines(small.find("pattern { X -[root]-> Y }", kwic=1))[0] == ("dog", "barks", "do")
    empty = small.find("pattern { X [upos=VERB, lemma=dog] }", kwic=2, enhanced=True)
    assert lines(empty) == [("dogs", "dog", "the old"), ("old dogs", "", "")]
    edge = "pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }"
    assert lines(small.find(edge, kwic=1))[1] == ("", "dogs dog the old dogs", "")


def test_further_columns_stand_before_the_context(small: treesql.Database) -> None:
    found = small.find("pattern { V [upos=VERB] }", kwic=1, columns="V.lemma, V", limit=1)
    assert found.rows() == [
        {"sent_id": "one", "V.lemma": "bark", "V": 4, "left": "dog", "match": "barks", "right": "do"}
    ]
    assert small.find("pattern { V [upos=VERB] }", kwic=1, columns="sent_id, left").columns == [
        "sent_id", "left", "match", "right",
    ]  # fmt: skip


def test_sentences_without_ids(examples: treesql.Database, db: treesql.Database, tmp_path: Path) -> None:
    request = "pattern { X [upos=PROPN] }"
    assert examples.find(request, kwic=1).columns[:3] == ["corpus", "sentence", "sent_id"]
    (tmp_path / "a.conllu").write_bytes(conllu("a:2:det b:0:root"))
    db.load(tmp_path / "a.conllu", corpus="a")
    assert db.find("pattern { X -[det]-> Y }", kwic=1).columns == ["sentence", "sent_id", "left", "match", "right"]


def test_sorting(db: treesql.Database, tmp_path: Path) -> None:
    sentences = [
        "the:2:det X:0:root a:2:x b:2:x",
        "A:3:x Big:3:x X:0:root a:3:x A:3:x",
        "X:0:root",
        "small:2:x X:0:root B:2:x",
    ]
    (tmp_path / "a.conllu").write_bytes(conllu(*sentences))
    db.load(tmp_path / "a.conllu", corpus="a")
    request = "pattern { N [form=X] }"
    assert [row["left"] for row in db.find(request, kwic=2, sort="left").rows()] == ["", "A Big", "small", "the"]
    assert [row["right"] for row in db.find(request, kwic=2, sort="right").rows()] == ["", "a A", "a b", "B"]
    assert [row["left"] for row in db.find(request, kwic=2, sort="left", limit=2).rows()] == ["", "A Big"]
    words = db.find(
        "pattern { N [form] } without { * -[root]-> N } without { N -[root]-> X }", kwic=1, sort="match"
    ).rows()
    assert [row["match"] for row in words] == ["a", "A", "a", "A", "b", "B", "Big", "small", "the"]
    tied = db.find(request, kwic=0, sort="left").rows()
    assert [row["sentence"] for row in tied] == [0, 1, 2, 3]


def test_contexts_are_keys(small: treesql.Database) -> None:
    request = "pattern { V [upos=VERB]; V -[obj]-> O }"
    columns = "left, match, right, left(1), right(1), O.left(2), V.left(1), V.right(9), O.right(0)"
    assert small.find(request, columns=columns).rows() == [
        {
            "sent_id": "two", "left": "dogs", "match": "dog the old dogs", "right": "", "left(1)": "dogs",
            "right(1)": "", "O.left(2)": "the old", "V.left(1)": "dogs", "V.right(9)": "the old dogs", "O.right(0)": "",
        }
    ]  # fmt: skip
    found = small.find("pattern { N [upos=NOUN] }", by="N.left(1)").rows()
    assert {row["N.left(1)"]: row["count"] for row in found} == {"old": 2, "": 1, "b": 1}


def test_the_text_of_a_sentence_is_its_comment_or_else_its_words(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(b"# text = A, B\n" + conllu("a:2:det b:0:root", "c:2:det d:0:root"))
    db.load(tmp_path / "a.conllu", corpus="a")
    request = "pattern { X -[det]-> Y }"
    assert db.find(request, columns="Y.form, text").rows() == [
        {"sent_id": None, "Y.form": "a", "text": "A, B"}, {"sent_id": None, "Y.form": "c", "text": "c d"},
    ]  # fmt: skip
    assert db.find(request, by="text").rows() == [{"text": "A, B", "count": 1}, {"text": "c d", "count": 1}]
    assert [row["text"] for row in db.find("global { is_projective }").rows()] == ["A, B", "c d"]
    assert [row["text"] for row in db.find("pattern { text -[det]-> Y }", columns="text").rows()] == [2, 2]
    assert db.find(request, kwic=1, columns="text", limit=1).columns[1:] == [
        "sent_id",
        "text",
        "left",
        "match",
        "right",
    ]


def test_a_node_or_an_edge_of_that_name_comes_first(small: treesql.Database) -> None:
    found = small.find(
        "pattern { left [upos=VERB]; right: left -[obj]-> match }", columns="left, right, match, left.left(1)"
    )
    assert found.rows() == [{"sent_id": "two", "left": 2, "right": "obj", "match": 5, "left.left(1)": "dogs"}]


def test_the_matched_words_are_marked_with_the_names_of_their_nodes(small: treesql.Database) -> None:
    found = small.find("pattern { V [upos=VERB]; V -[obj]-> O }", kwic=1)
    assert isinstance(found, Concordance)
    assert found.pieces() == [[("dog", "V"), (" the old ", ""), ("dogs", "O")]]
    token = small.find('pattern { V [lemma=bark]; N [form="n\'t"]; D [form=do] }', kwic=0)
    assert isinstance(token, Concordance)
    assert token.pieces() == [[("barks", "V"), (" ", ""), ("don't", "N D")]]


def test_the_printed_statement_gives_the_same_rows(small: treesql.Database) -> None:
    for sort in (None, "left", "right", "match"):
        search = small.prepare("pattern { X -> Y; X [upos] }", kwic=2, sort=sort, limit=5)
        assert small.sql(search.sql).rows() == search.matches().rows()


@in_turn(
    ("request_", "given", "error", "message"),
    [
        ("pattern { X [] }", {"kwic": -1}, UsageError, "kwic=0 or more"),
        ("pattern { X [] }", {"kwic": 2, "by": "X.form"}, UsageError, "a concordance (kwic=) has a row per match"),
        ("pattern { X [] }", {"kwic": 2, "count": True}, UsageError, "exclude each other"),
        ("pattern { X [] }", {"sort": "left"}, UsageError, "only a concordance"),
        ("pattern { X [] }", {"kwic": 2, "sort": "up"}, UsageError, "choose one of left, match, right"),
        ("global { is_projective }", {"kwic": 2}, RequestError, "a match of this request has no words"),
        ("pattern { X [] }", {"columns": "Y.left(2)"}, RequestError, "`Y` is not bound"),
        ("pattern { X [] }", {"columns": "X.left(-2)"}, RequestError, "expected a number of words"),
        ("pattern { X [] }", {"columns": "left(1.5)"}, RequestError, "expected a number of words"),
        ("pattern { X [] }", {"columns": "left(a)"}, RequestError, "expected a number"),
    ],
)
def test_bad_concordances(
    small: treesql.Database, request_: str, given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        small.find(request_, **given)  # type: ignore[arg-type]
    assert message in str(raised.value)


@dataclass
class Sentence:
    """A random sentence: forms, heads, whether a blank follows, and multiword tokens."""

    forms: list[str]
    heads: list[int]
    blanks: list[bool]
    tokens: list[tuple[int, int, str, bool]] = field(default_factory=list)

    def text(self, first: int, last: int) -> str:
        out, at = "", max(first, 1)
        while at <= min(last, len(self.forms)):
            token = next((t for t in self.tokens if t[0] == at and t[1] <= last), None)
            form, blank = (token[2], token[3]) if token else (self.forms[at - 1], self.blanks[at - 1])
            out += form + " " * blank
            at = token[1] + 1 if token else at + 1
        return out.rstrip(" ")

    def conllu(self) -> str:
        rows = []
        for at, (form, head, blank) in enumerate(zip(self.forms, self.heads, self.blanks, strict=True), 1):
            for first, last, text, after in self.tokens:
                if first == at:
                    rows.append(f"{first}-{last}\t{text}" + "\t_" * 7 + f"\t{'_' if after else 'SpaceAfter=No'}")
            relation = "dep" if head else "root"
            misc = "_" if blank else "SpaceAfter=No|X=1"
            rows.append(f"{at}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t{misc}")
        return "\n".join(rows) + "\n\n"


def random_sentence(chosen: random.Random) -> Sentence:
    size = chosen.randint(1, 9)
    heads = [chosen.randint(0, at) for at in range(size)]
    heads = [0 if at == 0 else head or 1 for at, head in enumerate(heads)]
    forms = [chosen.choice(["a", "B", "cé", "日本"]) for _ in range(size)]
    found = Sentence(forms, heads, [chosen.random() < 0.7 for _ in range(size)])
    at = 1
    while at < size:
        if chosen.random() < 0.4:
            last = min(at + chosen.randint(1, 2), size)
            found.tokens.append((at, last, f"{at}{last}", chosen.random() < 0.6))
            at = last
        at += 1
    return found


def test_contexts_equal_those_of_an_obvious_program(db: treesql.Database, tmp_path: Path) -> None:
    chosen = random.Random(8)
    sentences = [random_sentence(chosen) for _ in range(200)]
    (tmp_path / "r.conllu").write_text("".join(one.conllu() for one in sentences), "utf-8")
    db.load(tmp_path / "r.conllu", corpus="r")
    for words in (0, 1, 3):
        expected = []
        for number, one in enumerate(sentences):
            for child, head in sorted(enumerate(one.heads, 1), key=lambda edge: (edge[1], edge[0])):
                if head:
                    first, last = sorted((child, head))
                    contexts = (
                        one.text(first - words, first - 1),
                        one.text(first, last),
                        one.text(last + 1, last + words),
                    )
                    expected.append((number, *contexts))
        found = db.find("pattern { X -[dep]-> Y }", kwic=words).rows()
        assert [(row["sentence"], row["left"], row["match"], row["right"]) for row in found] == expected


def test_as_plain_text_the_left_contexts_end_before_the_matches(tmp_path: Path) -> None:
    found = treesql.find(FIXTURES / "gold.conllu", "pattern { V [upos=VERB] }", kwic=2)
    treesql.write(found, tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text().splitlines() == [
        " sent_id         left   match       right",
        " " + "─" * 42,
        " mat          The cat   sat         on the",
        " know           don't   know        .",
        " hearing   hearing is   scheduled   on the",
        " tea              Ann   drinks      tea and",
    ]
