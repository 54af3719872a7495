"""Trees whose top branches and has no label: it is a node, as one with a label would be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.house.rules import in_turn

TREES = """( (NP-SBJ (NNP Kim)) (VP (VBD slept)) )
( (S (NP (PRP it)) (VP (VBD rained))) (. .) )
( (NNP Kim) (, ,) (NP (NNP Ada) (CC and) (NNP Bo)) )
"""
NOT_BRANCHING = "( (S (NP (NNP Kim)) (VP (VBD slept))) )\n"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """The trees without labels at the top, the same with labels, and one whose top does not branch."""
    folder: Path = tmp_path_factory.mktemp("tops")
    with treesql.connect() as db:
        for name, text in {
            "bare": TREES,
            "labelled": TREES.replace("( (", "(X ("),
            "unary": NOT_BRANCHING,
        }.items():
            (folder / f"{name}.mrg").write_text(text)
            db.load(folder / f"{name}.mrg", corpus=name)
        yield db


@in_turn(
    ("request_text", "expected"),
    [
        ("@NP $. VP", 2),
        ("NP-SBJ $ VP", 1),
        ("VP > _ROOT_", 1),
        ("_ROOT_ <2 /,/", 1),
        ("_ROOT_ <... { S ; /\\./ }", 1),
        ("_ROOT_ <<: S", 0),
    ],
)
def test_sisters_and_children_of_the_top(trees: treesql.Database, request_text: str, expected: int) -> None:
    assert trees.find(request_text, corpus="bare", count=True).rows() == [{"count": expected}]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "request_text",
    [
        "__", "__ < __", "__ << NNP", "_ROOT_", "_ROOT_ < NP|NP-SBJ", "NNP >, __", "__ <- /\\./", "__ <-2 __",
        "__ <3 __", "__ >: __", "__ $ __", "__ $. __", "__ $,, __", "__ . __", "__ .. __", "__ <<, Kim",
        "__ <<- slept", "__ <<: __", "__ !> __", "__ !$ __",
        "NNP > (__ < NP)", "__ <+(__) Bo", "__ <<< slept", "__=a < (__=b $. __=c)",
        '[cat="NP"] $ [pos="NNP"]', "root(#n) & #n:[]", '#n > [pos="NNP"] & arity(#n,3)', '[] >2 [pos="PRP"]',
    ],
)  # fmt: skip
def test_the_top_counts_as_one_with_a_label(trees: treesql.Database, request_text: str) -> None:
    bare, labelled = (trees.find(request_text, corpus=name, count=True).rows() for name in ("bare", "labelled"))
    assert bare == labelled
    assert bare[0]["count"] > 0


def test_the_top_in_tables_and_drawings(trees: treesql.Database) -> None:
    search = trees.prepare("_ROOT_=top < VP=v", corpus="bare", columns="top.label, top.rule, top.text, v.parent")
    row = {"sent_id": None, "top.label": "", "top.rule": "NP VP", "top.text": "Kim slept", "v.parent": ""}
    assert search.matches().rows() == [row]
    [drawn] = search.draw().drawn
    assert drawn.tree.highlights == {2: "v"}


def test_a_top_that_does_not_branch_is_no_node(trees: treesql.Database) -> None:
    assert trees.find("S !> __", corpus="unary", count=True).rows() == [{"count": 1}]
    assert "tops" not in trees.prepare("S", corpus="unary").sql
