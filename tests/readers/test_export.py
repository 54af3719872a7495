"""NEGRA's export format: every column on a small file, both versions, tables and comments, shapes of trees."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import State


def test_every_column() -> None:
    state = State()
    path = FIXTURES / "discontinuous.export"
    tables = read_rows(path, "export", state=state)
    assert columns(tables["sentences"]) == {
        "sentence": [0, 1],
        "sent_id": ["1", "2"],
        "comments": [
            [
                "%% word, lemma, tag, morphology, function, parent, secondary edges",
                "#FORMAT 4",
                '#BOS 1 0 0 0 %% "a book arrived about bees": the phrase of the book is discontinuous',
            ],
            ["#BOS 2 0 0 0"],
        ],
        "file": [str(path)] * 2,
        "line": [3, 14],
        "n_words": [6, 2],
    }
    assert columns(tables["words"]) == {
        "sentence": [0] * 6 + [1] * 2,
        "word": [1, 2, 3, 4, 5, 6, 1, 2],
        "form": ["A", "book", "arrived", "about", "bees", ".", "Bees", "hum"],
        "lemma": ["a", "book", "arrive", "about", "bee", ".", "bee", "hum"],
        "xpos": ["DT", "NN", "VBD", "IN", "NNS", ".", "NNS", "VBP"],
        "feats": [None, "Sg", "Past", None, "Pl", None, "Pl", "Pres"],
        "deprel": [None] * 8,
        "misc": [f"Function={name}" if name else None for name in ["NK", "NK", "HD", "HD", "NK", None, "NK", "HD"]],
        "phrase": [2, 2, 1, 3, 3, None, 2, 1],
        "span_start": [0, 1, 5, 12, 17, 21, 22, 26],
        "span_end": [1, 5, 12, 17, 21, 22, 26, 29],
        "multiword": [False] * 8,
        "line": [4, 5, 6, 7, 8, 9, 15, 16],
    }
    assert columns(tables["constituents"]) == {
        "sentence": [0, 0, 0, 1, 1],
        "node": [1, 2, 3, 1, 2],
        "parent": [None, 1, 2, None, 1],
        "label": ["S", "NP", "PP", "S", "NP"],
        "functions": [None, "-SB", "-MNR", None, "-SB"],
        "first": [1, 1, 4, 1, 1],
        "last": [5, 5, 5, 2, 1],
        "depth": [1, 2, 3, 1, 2],
        "continuous": [True, False, True, True, True],
    }
    [edge] = tables["secondary_edges"]
    assert edge == {"sentence": 1, "word": 1, "node": None, "parent": 1, "label": "SB"}
    assert not state.warnings


@pytest.mark.parametrize("head", ["", "#FORMAT 3\n", "%% a comment\n\n#BOT ORIGIN\n0 a.txt\n#BOS 1\n#EOT ORIGIN\n"])
def test_version_3_and_what_stands_above(scratch: Path, head: str) -> None:
    scratch.write_text(
        head + "#BOS 7 1 9 0 %% a\nwater  NN -- SB  500 %% b\n%% c\n% NN -- -- 0 \nflows\t\tVBZ\t--\tHD\t500\n"
        "#500\tS\t--\t--\t0\n#EOS 7\n\n#BOS 8\n#EOS 8\n"
    )
    tables = read_rows(scratch, "export")
    assert [(row["sent_id"], row["n_words"]) for row in tables["sentences"]] == [("7", 3), ("8", 0)]
    assert [(row["form"], row["xpos"], row["phrase"]) for row in tables["words"]] == [
        ("water", "NN", 1),
        ("%", "NN", None),
        ("flows", "VBZ", 1),
    ]
    [node] = tables["constituents"]
    assert (node["label"], node["first"], node["last"], node["continuous"]) == ("S", 1, 3, False)


@in_turn("seed", range(30))
def test_random_trees_against_sets_of_words(scratch: Path, seed: int) -> None:
    """Any words may hang on any phrase; those below a phrase are found by asking each word for all above it."""
    rng = random.Random(seed)
    n_words, n_nodes = rng.randint(1, 9), rng.randint(1, 5)
    above = {500 + i: rng.choice([0, *range(500, 500 + i)]) for i in range(n_nodes)}
    words = [rng.choice([0, *above]) for _ in range(n_words)]
    words += [node for node in above if node not in words]
    rng.shuffle(words)
    lines = [f"w{i}\tX\t--\t--\t{parent}" for i, parent in enumerate(words)]
    numbers = list(above)
    rng.shuffle(numbers)
    lines += [f"#{number}\tL{number}\t--\t--\t{above[number]}" for number in numbers]
    scratch.write_text("\n".join(["#BOS 1", *lines, "#EOS 1"]) + "\n")
    tables = read_rows(scratch, "export", size=rng.choice([10, 1000]))

    def path(node: int) -> list[int]:
        return [node, *path(above[node])] if node else []

    below = {node: [i for i, parent in enumerate(words, 1) if node in path(parent)] for node in above}
    order = sorted(above, key=lambda node: [(below[up][0], up) for up in reversed(path(node))])
    names = ("label", "first", "last", "depth", "continuous")
    expected = []
    for node in order:
        first, last = below[node][0], below[node][-1]
        expected.append((f"L{node}", first, last, len(path(node)), last - first + 1 == len(below[node])))
    assert [tuple(row[name] for name in names) for row in tables["constituents"]] == expected
    number = {node: at for at, node in enumerate(order, 1)}
    assert [row["parent"] for row in tables["constituents"]] == [number.get(above[node]) for node in order]
    assert [row["phrase"] for row in tables["words"]] == [number.get(parent) for parent in words]


def test_phrases_may_be_deep(scratch: Path) -> None:
    lines = ["#BOS 1", "w\tX\t--\t--\t999"] + [
        f"#{n}\tL\t--\t--\t{n - 1 if n > 500 else 0}" for n in range(999, 499, -1)
    ]
    scratch.write_text("\n".join([*lines, "#EOS 1"]) + "\n")
    assert [row["depth"] for row in read_rows(scratch, "export")["constituents"]] == list(range(1, 501))


FOURTH = "#BOS 1\nis\tbe\tVB\t--\t--\t500\nJohn\tJohn\tNP\t--\t--\t0 %% c\n#500\t--\tVP\t--\t--\t0\n#EOS 1\n"


def test_version_4_without_a_line_that_names_it(scratch: Path) -> None:
    """Lines of six fields are of version 4; the third version has five, and pairs behind them."""
    scratch.write_text(FOURTH)
    state = State()
    tables = read_rows(scratch, "export", state=state)
    assert [(row["form"], row["lemma"], row["xpos"]) for row in tables["words"]] == [
        ("is", "be", "VB"), ("John", "John", "NP"),
    ]  # fmt: skip
    assert [one.what.split(",")[0] for one in state.warnings] == ["no line names the version"]
    scratch.write_text(FOURTH.replace("500\n", "500 SB 500\n"))
    assert [row["lemma"] for row in read_rows(scratch, "export")["words"]] == ["be", "John"]
    scratch.write_text("#FORMAT 3\n" + FOURTH)
    assert faults_of(scratch, "export")[0].line == 3
    scratch.write_text("#BOS 1\nis\tVB\t--\t--\t500\tSB\t500\n#500\tVP\t--\t--\t0\n#EOS 1\n")
    assert [row["lemma"] for row in read_rows(scratch, "export")["words"]] == [None]
