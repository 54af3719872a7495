"""The page of word order, on real treebanks: its tables are what its commands print, and counts are those of conllu."""

from __future__ import annotations

import glob
import gzip
import re
import shlex
from collections import Counter
from math import log2

import pytest
from click.testing import CliRunner

import treesql
from tests.conformance.cases import DATA, needs
from tests.conftest import ROOT
from treesql.cli import group

PUD = DATA / "ud" / "r2" / "Czech-PUD"
LANGUAGES = 12
PAGE = (ROOT / "docs" / "word_order.md").read_text("utf-8")
REQUEST = "pattern { V [upos=VERB]; V -[nsubj]-> S; V -[obj]-> O }"

TABLES = re.findall(r"^```text\n\$ treesql (.*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
QUESTIONS = [command.replace(r"\|", "|") for command in re.findall(r"\| `treesql (.*)` \|$", PAGE, re.MULTILINE)]


def printed(command: str) -> str:
    """What a command prints whose words with stars a shell would replace by folders of the data."""
    words = [
        found
        for word in shlex.split(command)
        for found in (sorted(glob.glob(word, root_dir=DATA)) if word.startswith("ud/") and "*" in word else [word])
    ]
    words = [str(DATA / word) if word.startswith("ud/") else word for word in words]
    done = CliRunner().invoke(group, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@needs(PUD)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TABLES)))
def test_tables_of_the_page(number: int) -> None:
    command, table = TABLES[number]
    assert printed(command) == table


@needs(PUD)
@pytest.mark.slow
@pytest.mark.spread(4)
@pytest.mark.parametrize("command", QUESTIONS)
def test_each_question_has_an_answer(command: str) -> None:
    rows = printed(command).splitlines()[2:]
    assert len(rows) >= 2
    assert "__undefined__" not in rows[0]


def test_the_page_asks_twelve_questions() -> None:
    assert len(TABLES) == 2
    assert len(QUESTIONS) == 12


@needs(PUD)
@pytest.mark.slow
def test_orders_by_another_library() -> None:
    conllu = pytest.importorskip("conllu")
    expected: dict[str, Counter[str]] = {}
    for path in sorted(PUD.parent.glob("*-PUD/*.conllu.gz")):
        counts = expected.setdefault(path.parent.name.removesuffix("-PUD"), Counter())
        for sentence in conllu.parse(gzip.decompress(path.read_bytes()).decode()):
            words = [word for word in sentence if isinstance(word["id"], int)]
            for verb in words:
                below = [word for word in words if word["head"] == verb["id"]]
                subjects = [word for word in below if word["deprel"] == "nsubj"]
                objects = [word for word in below if word["deprel"] == "obj"]
                for s, o in ((s, o) for s in subjects for o in objects if verb["upos"] == "VERB"):
                    places = {s["id"]: "S", verb["id"]: "V", o["id"]: "O"}
                    counts["".join(places[place] for place in sorted(places))] += 1
    folder = str(PUD.parent)
    how = {"by": "order(S,V,O), language", "each": "folder", "corpus": "*-PUD"}
    found: dict[str, Counter[str]] = {}
    for row in treesql.find(folder, REQUEST, **how).rows():  # type: ignore[arg-type]
        found.setdefault(row["language"], Counter())[row["order(S,V,O)"]] = row["count"]
    assert len(found) == LANGUAGES
    assert found == expected
    grid = treesql.find(folder, REQUEST, grid=True, share="column", entropy=True, **how)  # type: ignore[arg-type]
    for language, counts in expected.items():
        shares = [count / counts.total() for count in counts.values()]
        assert grid[language][-1] == pytest.approx(-sum(share * log2(share) for share in shares), abs=1e-9)
        for row in grid.rows()[:-2]:
            assert row[language] == pytest.approx(counts[row["order(S,V,O)"]] / counts.total())
