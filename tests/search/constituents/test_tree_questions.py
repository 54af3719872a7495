"""The twenty questions about constituency trees of the docs: two requests and a statement that agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

import treesql
from tests.conformance.cases import CASES, missing
from tests.conftest import ROOT

TREES = """\
(TOP (S (NP (NP (DT the) (NN end)) (PP (IN of) (NP (DT the) (NN year))))
  (VP (VBD saw) (NP (NNP Ann)) (NP (DT a) (NN fall)) (ADVP (RB now)))))
(TOP (S (NP (NNP Ann))
  (VP (VBZ says) (SBAR (IN that) (S (NP (NP (NNP Bob)) (CC and) (NP (NNP Cy))) (VP (MD will) (VP (VB go))))))))
(TOP (S (S (VP (VBG going))) (VP (VBZ is) (ADJP (JJ nice)))))
"""
WSJ = CASES / "constituency/wsj.gold.mrg.gz"
QUESTIONS = {
    letter: blocks
    for letter, *blocks in re.findall(
        r"^## \((\w)\).*?^```tregex\n(.*?)^```.*?^```tiger\n(.*?)^```.*?^```sql\n(.*?)^```",
        (ROOT / "docs" / "tree_questions.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
}


@pytest.fixture(scope="module", params=["examples", "wsj"])
def treebank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path = WSJ
    if request.param == "examples":
        path = tmp_path_factory.mktemp("trees") / "examples.mrg"
        path.write_text(TREES)
    if not path.exists():
        pytest.skip(missing(path))
    with treesql.connect() as db:
        db.load(path, corpus="wsj")
        yield db


def heads(db: treesql.Database, request: str, syntax: str) -> set[tuple[object, ...]]:
    head = re.match(r"(?:#|\w+=)(\w+)", request)
    name = head[1] if head else "node"
    columns = ["sentence", *(f"{name}.{key}" for key in ("kind", "first", "last", "phrase"))]
    rows = db.find(request, columns=columns, syntax=syntax).rows()
    return {tuple(row[column] for column in columns) for row in rows}


def test_there_are_twenty() -> None:
    assert "".join(QUESTIONS) == "abcdefghijklmnopqrst"


@pytest.mark.spread(24)
@pytest.mark.parametrize("letter", QUESTIONS)
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_requests_and_statement_agree(treebank: treesql.Database, letter: str) -> None:
    *requests, statement = QUESTIONS[letter]
    keys = [re.match(r"% by: (.*)\n", request) for request in requests]
    texts = [re.sub(r"^%.*\n", "", request) for request in requests]
    rows = [tuple(row.values()) for row in treebank.sql(statement).rows()]
    for key, text, syntax in zip(keys, texts, ("tregex", "tiger"), strict=True):
        if key:
            found = treebank.find(text, by=key[1], syntax=syntax)
            assert Counter(tuple(row.values()) for row in found.rows()) == Counter(rows), syntax
        else:
            assert len(heads(treebank, text, syntax)) == len({row[:2] for row in rows}), syntax
    if not keys[0]:
        assert heads(treebank, texts[0], "tregex") == heads(treebank, texts[1], "tiger")
    assert rows, "nothing is found"
