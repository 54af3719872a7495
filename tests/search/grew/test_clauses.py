"""Clauses and keys of Grew 1.20: features that are defined or not, the first of two features, sizes of subtrees."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from tests.house.rules import in_turn
from treesql.errors import RequestError, TreesqlWarning, UnknownName


@pytest.mark.filterwarnings("ignore::treesql.NothingFound")
@in_turn(
    ("request_text", "expected"),
    [
        ("", 3),
        ("% a comment alone\n", 3),
        ("pattern { X [upos]; X.Number }", 6),
        ("pattern { X [upos]; X.Number = * }", 6),
        ("pattern { X [upos]; !X.Number }", 9),
        ("pattern { X [upos=VERB] } without { X.Number }", 2),
        ("pattern { e: H -> X; e.2 }", 1),
        ("pattern { e: H -> X; H [upos]; !e.2 }", 11),
        ("pattern { X [Degree=Pos/upos=DET] }", 4),
        ("pattern { X [Degree=Pos/upos=ADJ] }", 2),
        ("pattern { X [Case=Nom/Degree=Pos/upos=DET] }", 5),
        ('pattern { X [upos]; X.Degree/upos = "DET" }', 2),
        ('pattern { X [upos]; X.Degree/upos = "ADJ" }', 0),
        ("pattern { meta.speaker }", 2),
        ("pattern { !meta.speaker }", 1),
    ],
)
def test_counts(small: treesql.Database, request_text: str, expected: int) -> None:
    assert small.find(request_text, count=True).rows() == [{"count": expected}]


def test_a_feature_alone_binds_no_node(small: treesql.Database) -> None:
    with pytest.raises(RequestError, match="`X` is not bound by the request"):
        small.find("pattern { X.Mood }")


RELATIONS = ("nsubj", "punct", "conj", "obj", "nmod:poss", "discourse", "punct:x")
LEFT_OUT = {"punct", "discourse", "vocative", "parataxis", "conj", "appos", "orphan", "list", "reparandum"}


def sizes_of(word: int, heads: list[int], relations: list[str]) -> tuple[int, int, int, int]:
    """height, proj_size, cont_proj_size and constituent_size of a word, by recursion, as Grew defines them."""

    def children(of: int) -> list[tuple[int, str]]:
        return [
            (child, relation.split(":")[0])
            for child, (head, relation) in enumerate(zip(heads, relations, strict=True), 1)
            if head == of
        ]

    def height(of: int) -> int:
        return 1 + max([height(child) for child, relation in children(of) if relation != "punct"], default=0)

    def below(of: int, left_out: set[str], counted: bool = True) -> dict[int, bool]:
        """The words below a word, and itself, and whether each counts; whatever hangs on punctuation does not."""
        found = {of: counted}
        for child, relation in children(of):
            if relation not in left_out:
                found |= below(child, set(), counted and relation != "punct")
        return found

    whole = below(word, {"punct"})
    run = {word}
    while more := {at + step for at in run for step in (-1, 1)} & whole.keys() - run:
        run |= more
    constituent = below(word, LEFT_OUT)
    return height(word), sum(whole.values()), sum(whole[at] for at in run), sum(constituent.values())


def test_sizes_of_subtrees(db: treesql.Database, tmp_path: Path) -> None:
    rng = random.Random(4)
    trees = []
    for _ in range(40):
        n = rng.randint(1, 9)
        order = rng.sample(range(1, n + 1), n)
        heads, relations = [0] * n, ["root"] * n
        for at, word in enumerate(order[1:], 1):
            heads[word - 1], relations[word - 1] = rng.choice(order[:at]), rng.choice(RELATIONS)
        trees.append((heads, relations))
    texts = [
        " ".join(
            f"w{at}:{head}:{relation.replace(':', '~')}" for at, (head, relation) in enumerate(zip(*tree, strict=True))
        )
        for tree in trees
    ]
    (tmp_path / "t.conllu").write_bytes(conllu(*texts).replace(b"~", b":"))
    db.load(tmp_path / "t.conllu", corpus="t")
    keys = "sentence, X.__id__, X.height, proj_size(X), X.cont_proj_size, constituent_size(X)"
    for enhanced in (False, True):
        rows = db.find('pattern { X [form=re"w.*"] }', columns=keys, enhanced=enhanced).arrow().drop_columns("sent_id")
        found = [tuple(row.values()) for row in rows.to_pylist()]
        assert found == [
            (number, word, *sizes_of(word, *tree))
            for number, tree in enumerate(trees)
            for word in range(1, len(tree[0]) + 1)
        ]
    deep = sum(sizes_of(word, *tree)[0] > 2 for tree in trees for word in range(1, len(tree[0]) + 1))
    assert db.find("pattern { X [form]; height(X) > 2 }", count=True).rows() == [{"count": deep}]
    apart = db.find("pattern { X [form]; cont_proj_size(X) < proj_size(X) }", count=True).rows()[0]["count"]
    assert apart == sum(
        one[2] < one[1] for tree in trees for one in [sizes_of(w, *tree) for w in range(1, len(tree[0]) + 1)]
    )


DOCUMENTS = """# newdoc id = alpha
# newpar
# text[phon] = a

1\ta\t_\t_\t_\t_\t0\troot\t_\t_

# odd key here = x

1\tb\t_\t_\t_\t_\t0\troot\t_\t_

# newdoc id = beta

1\tc\t_\t_\t_\t_\t0\troot\t_\t_

""".replace("\n\n1", "\n1")


def test_comments_with_any_key(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text(DOCUMENTS)
    db.load(tmp_path / "t.conllu", corpus="t")

    def counts(key: str) -> dict[str, int]:
        return {row[key]: row["count"] for row in db.find("pattern { }", by=key).rows()}

    assert counts("newdoc") == counts('meta."newdoc id"') == {"alpha": 2, "beta": 1}
    assert counts("newpar") == {"": 2, "__undefined__": 1}
    assert counts('meta."text[phon]"') == {"a": 1, "__undefined__": 2}
    for request, expected in {
        'pattern { meta."newdoc id" = alpha }': 2,
        'pattern { meta."odd key here" }': 1,
        'pattern { !meta."odd key here" }': 2,
        'global { "text[phon]" = "a" }': 1,
    }.items():
        assert db.find(request, count=True).rows() == [{"count": expected}]
    with pytest.raises(RequestError, match=r'a comment with other signs in its key is written `meta\."newdoc id"`'):
        db.find("pattern { }", by="newdoc id")
    with pytest.raises(UnknownName, match=r'did you mean odd key here\?; most sentences have meta\."newdoc id", meta'):
        db.find("pattern { }", by='meta."odd key"')


def test_every_value_of_a_feature_that_stands_twice_is_found(db: treesql.Database, tmp_path: Path) -> None:
    feats = ("A=1|A=2", "A=1", "A=1,2", "_")
    rows = [f"{at}\tw{at}\t_\tX\t_\t{one}\t{at - 1}\tdep\t_\t_\n" for at, one in enumerate(feats, 1)]
    (tmp_path / "t.conllu").write_text("".join(rows) + "\n")
    with pytest.warns(TreesqlWarning, match=r"t\.conllu:1: 1 sentence with a repeated feature in FEATS: line 1"):
        db.load(tmp_path / "t.conllu", corpus="t")
    for condition, words in {"A=1": [1, 2], "A=2": [1], "A<>2": [2, 3], "A=1|2": [1, 2], "A": [1, 2, 3]}.items():
        found = db.find(f"pattern {{ X [{condition}] }}", columns="X").rows()
        assert [row["X"] for row in found] == words
    found = db.find('pattern { X [upos]; X.A = "2" }', columns="X").rows()
    assert [row["X"] for row in found] == [1]
