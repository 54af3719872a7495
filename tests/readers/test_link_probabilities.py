"""Links with probabilities, as pairs of words, and as JSON lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows

LINKS = [(0, 1, 1, 0.9), (0, 2, 2, None), (2, 1, 2, 1.0), (2, 3, 1, 0.0)]
"""Sentence, source and target word, and probability."""

FILES = {
    "pharaoh": "0-0:0.9\t1-1\n\n2-0:0 0-1:1.0\n",
    "wordpairs": "a b ||| x y ||| b<sep>y a<sep>x:0.9\n ||| x ||| \nc d: e ||| z d:0.5 ||| e<sep>z:0 c<sep>d:0.5:1e0\n",
    "jsonl_alignment": '{"links": [[0, 0, 0.9], [1, 1]]}\n{"links": []}\n{"alignment": [[2, 0, 0], [0, 1, 1]]}\n',
}


@in_turn("form", FILES)
@in_turn("size", [1, 1 << 16])
def test_probabilities(form: str, size: int, scratch: Path) -> None:
    scratch.write_text(FILES[form], encoding="utf-8")
    rows = read_rows(scratch, form, size=size)
    found = [columns(rows["alignments"])[name] for name in ("sentence", "source", "target", "confidence")]
    assert [*zip(*found, strict=True)] == LINKS
    assert len(rows["sentences"]) == 3


def test_letters_and_probabilities(scratch: Path) -> None:
    scratch.write_text("0-0:P 1-1:0.5 2p2:0.25\n", encoding="utf-8")
    found = columns(read_rows(scratch, "pharaoh")["alignments"])
    assert found["sure"] == [False, True, False]
    assert found["confidence"] == [None, 0.5, 0.25]


def test_words_that_occur_twice(scratch: Path) -> None:
    """Each pair is of the words nearest to the diagonal that it does not link yet."""
    scratch.write_text("the a the ||| le b le ||| the<sep>le the<sep>le\n", encoding="utf-8")
    found = columns(read_rows(scratch, "wordpairs")["alignments"])
    assert [*zip(found["source"], found["target"], strict=True)] == [(1, 1), (3, 3)]
    with treesql.connect(":memory:") as database, pytest.warns(treesql.TreesqlWarning, match="2 pairs of words that"):
        database.load(scratch, corpus="a", format="wordpairs")


@in_turn(
    ("form", "line", "what"),
    [
        ("pharaoh", "0-0:1.5", "`1.5` of `0-0:1.5` is not a number from 0 to 1"),
        ("pharaoh", "0-0:-0.5", "`-0.5` of `0-0:-0.5` is not a number from 0 to 1"),
        ("pharaoh", "0-0:0.5 1-1:nan", "`nan` of `1-1:nan` is not a number from 0 to 1"),
        ("pharaoh", "0-0:0.5 1:0.5", "`1:0.5` is not a link"),
        ("pharaoh", "0-0:", "`0-0:` is not a link"),
        ("talp", "1-1:2", "`2` of `1-1:2` is not a number from 0 to 1"),
        ("wordpairs", "a ||| b ||| a<sep>b:1.5", "`1.5` of `a<sep>b:1.5` is not a number from 0 to 1"),
        ("wordpairs", "a ||| b ||| a<sep>c", "`c` of `a<sep>c` is no word of the target sentence"),
        ("wordpairs", "a ||| b ||| a-b", "`a-b` is not a pair of words"),
        ("wordpairs", "a<sep>b", "1 field between |||, not 3"),
        ("wordpairs", "a ||| b ||| a<sep>b a<sep>b", "`a<sep>b` stands more often than its words"),
        ("jsonl_alignment", '{"links": [[0, 0, 1.5]]}', "1.5 of [0, 0, 1.5] is not a number from 0 to 1"),
        ("jsonl_alignment", '{"links": [[0, "a"]]}', '"a" of [0, "a"] is not the number of a word'),
        ("jsonl_alignment", '{"links": [[0, -1]]}', "-1 of [0, -1] is not the number of a word"),
        ("jsonl_alignment", '{"links": [[0]]}', "[0] is not a link"),
        ("jsonl_alignment", '{"pairs": []}', "this is no object with `links`"),
        ("jsonl_alignment", "[]", "this is no object with `links`"),
        ("jsonl_alignment", "{", "this is not JSON"),
        ("jsonl_alignment", "", "the file is empty"),
        ("wordpairs", "", "the file is empty"),
    ],
)
def test_what_is_refused(form: str, line: str, what: str, scratch: Path) -> None:
    scratch.write_text(line + "\n" * bool(line), encoding="utf-8")
    [fault] = faults_of(scratch, form)
    assert what in fault.what
    assert fault.line == bool(line)
