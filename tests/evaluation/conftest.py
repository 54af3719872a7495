"""Files and databases of parsers whose words are gold's, or differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.evaluation.systems import GOLD, A, B
from tests.queries.tokens import Token, Word, file_of


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the fixtures, "don't" being one word and "The cat" another, "Hello !" part of the sentence before."""
    sentences = []
    for block in Path(GOLD).read_text("utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[0] != "#"]
        sentences.append([row for row in rows if row[0].isdigit()])
    made: list[list[Token]] = []
    root = 0
    for number, rows in enumerate(sentences):
        forms = [row[1] for row in rows]
        if number == 0:
            forms[:2] = ["Thecat"]
        if number == 1:
            forms[1:3] = ["don't"]
        if number < len(sentences) - 1:
            root = 1 + forms.index(next(row[1] for row in rows if row[6] == "0"))
            made.append([])
        words = [Word(form, root, "nsubj", "_", "NOUN", "_", "Number=Plur") for form in forms]
        if number < len(sentences) - 1:
            words[root - 1].head, words[root - 1].deprel = 0, "root"
        made[-1] += [Token(word.form, [word]) for word in words]
    path = tmp_path_factory.mktemp("cut") / "cut.conllu"
    path.write_text(file_of(*made), "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, cut: str) -> str:
    path = tmp_path_factory.mktemp("database") / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in (("gold", GOLD), ("parser-a", A), ("parser-b", B), ("cut", cut)):
            db.load(file, corpus=corpus)
    return str(path)
