"""The twenty questions of the docs: a request and a statement that agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import treesql
from tests.conformance.cases import DATA, missing
from tests.conftest import FIXTURES, ROOT
from tests.house.rules import in_turn
from tests.search.treebank import SENTENCES

TEST = DATA / "ud/r2/English-EWT/en_ewt-ud-test.conllu.gz"
PAGE = (ROOT / "docs" / "questions.md").read_text("utf-8")
QUESTIONS = {
    letter: (request, statement)
    for letter, request, statement in re.findall(
        r"^## \((\w)\)(?:(?!^## ).)*?^```grew\n(.*?)^```(?:(?!^## ).)*?^```sql\n(.*?)^```",
        PAGE,
        re.MULTILINE | re.DOTALL,
    )
}


@pytest.fixture(scope="module", params=["examples", "small", "ewt"])
def treebank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path = {"examples": FIXTURES / "gold.conllu", "ewt": TEST}.get(request.param)
    if path is None:
        path = tmp_path_factory.mktemp("questions") / "small.conllu"
        path.write_text(SENTENCES.split("# sent_id = four")[0])
    if not path.exists():
        pytest.skip(missing(path))
    with treesql.connect() as db:
        db.load(path, corpus="ewt")
        yield db


def test_there_are_twenty() -> None:
    assert "".join(QUESTIONS) == "abcdefghijklmnopqrst"


@in_turn("letter", QUESTIONS)
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_the_request_and_the_statement_agree(treebank: treesql.Database, letter: str) -> None:
    request, statement = QUESTIONS[letter]
    rows = treebank.sql(statement).rows()
    by = re.search(r"% by: (.*)", request)
    if letter == "e":
        assert mean_lengths(treebank, request) == {row["deprel"]: (row["edges"], row["mean_length"]) for row in rows}
    elif letter == "t":
        assert treebank.find(request, count=True).rows()[0]["count"] == sum(pairs(row["adjectives"]) for row in rows)
    elif letter == "c":
        found = treebank.find(request, columns="sentence, X").rows()
        assert {(row["sentence"], row["X"]) for row in found} == {(row["sentence"], row["word"]) for row in rows}
    elif by:
        groups = [tuple(row.values()) for row in treebank.find(request, by=by[1]).rows()]
        assert Counter(groups) == Counter(tuple(row.values()) for row in rows)
    else:
        assert treebank.find(request, count=True).rows() == [{"count": len(rows)}]


def mean_lengths(db: treesql.Database, request: str) -> dict[str, Any]:
    edges: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    for row in db.find(request, by="e.label, e.length").rows():
        edges[row["e.label"]] += row["count"]
        lengths[row["e.label"]] += row["count"] * row["e.length"]
    return {label: (n, pytest.approx(lengths[label] / n)) for label, n in edges.items()}


def pairs(n: int) -> int:
    return n * (n - 1) // 2
