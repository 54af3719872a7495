"""N-best lists of Moses and Kaldi, and as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import Options

LISTS = FIXTURES / "lists.nbest"


def test_moses() -> None:
    rows = read_rows(LISTS, "nbest")
    assert columns(rows["sentences"])["line"] == [1, 3, 5]
    found = columns(rows["hypotheses"])
    assert found["sentence"] == [0, 0, 1, 1, 2]
    assert found["rank"] == [1, 2, 1, 2, 1]
    assert found["text"] == ["the cat sat", "the cat sat down", "hello", "", "I do know"]
    assert found["score"] == [-4.2, -4.9, -0.1, -7.0, -3.0]
    assert found["features"][0] == [-9.5, -1.5, -2.0]
    assert found["feature_names"][3] == ["LM0", "TM0", "TM0"]


def test_kaldi(scratch: Path) -> None:
    scratch.write_text("utt-a-1 the  cat\nutt-a-2\nutt-b-1 x\n", encoding="utf-8")
    rows = read_rows(scratch, "nbest")
    assert columns(rows["sentences"])["sent_id"] == ["utt-a", "utt-b"]
    found = columns(rows["hypotheses"])
    assert (found["rank"], found["text"]) == ([1, 2, 1], ["the  cat", "", "x"])
    assert found["features"] == [[], [], []]


def test_json(scratch: Path) -> None:
    lists = [
        {"id": "a", "hypotheses": [{"text": "the cat", "score": -4.2, "features": {"lm": -1, "tm": 2}}]},
        {"id": "b", "hypotheses": [{"words": ["x", "y"], "features": {"tm": 3, "lm": 4}}]},
    ]
    scratch.write_text("".join(json.dumps(one) + "\n" for one in lists), encoding="utf-8")
    found = columns(read_rows(scratch, "nbest")["hypotheses"])
    assert found["text"] == ["the cat", "x y"]
    assert found["score"] == [-4.2, None]
    assert found["features"] == [[-1.0, 2.0], [4.0, 3.0]]
    scratch.write_text('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n{"id": 2, "text": "c"}\n', encoding="utf-8")
    found = columns(read_rows(scratch, "nbest")["hypotheses"])
    assert (found["sentence"], found["rank"]) == ([0, 0, 1], [1, 2, 1])


def test_lattices() -> None:
    """Two nodes, an edge for each hypothesis."""
    rows = read_rows(LISTS, "nbest_lattice")
    assert columns(rows["lattices"])["n_nodes"] == [2, 2, 2]
    edges = columns(rows["lattice_edges"])
    assert (edges["from_node"], edges["to_node"]) == ([0] * 5, [1] * 5)
    assert edges["edge_words"] == [
        ["the", "cat", "sat"],
        ["the", "cat", "sat", "down"],
        ["hello"],
        [],
        ["I", "do", "know"],
    ]
    assert edges["scores"] == [[-4.2], [-4.9], [-0.1], [-7.0], [-3.0]]


def test_lists_are_loaded_and_recognised(scratch: Path) -> None:
    scratch.write_bytes(LISTS.read_bytes())
    with treesql.connect(":memory:") as database:
        [loaded] = database.load(scratch, corpus="lists", format="nbest")
        assert (loaded.n_sentences, loaded.n_hypotheses) == (3, 5)
        [row] = database.sql("SELECT kind, format FROM corpora").rows()
        assert row == {"kind": "nbest", "format": "nbest"}


GOOD = "0 ||| a b ||| F= 1 ||| 2\n"
REFUSED = [
    (GOOD + "2 ||| a ||| F= 1 ||| 2", "the list of sentence `2` is where that of 1 was expected: one is missing"),
    ("1 ||| a ||| F= 1 ||| 2", "the list of sentence `1` is where that of 0 was expected: one is missing"),
    (GOOD + "1 ||| a ||| F= 1 ||| 2\n" + GOOD[:-1], "a second list of sentence `0`, after that of 1"),
    (GOOD + "x ||| a ||| F= 1 ||| 2", "`x` is not the number of a sentence"),
    (GOOD + "||| a ||| F= 1 ||| 2", "is not the number of a sentence"),
    (GOOD + "0 ||| a ||| F= 1 2 ||| 2", "the number of feature values is 2, and 1 in the first hypothesis"),
    (GOOD + "0 ||| a ||| F= ||| 2", "the number of feature values is 0, and 1 in the first hypothesis"),
    (GOOD + "0 ||| a ||| G= 1 ||| 2", "a value of the feature `G`, where the first hypothesis has one of `F`"),
    (GOOD + "0 ||| a ||| F= x ||| 2", "the feature's value `x` is not a finite number"),
    (GOOD + "0 ||| a ||| F= 1 ||| nan", "the score `nan` is not a finite number"),
    (GOOD + "0 ||| a", "2 fields between |||, where the first line has 4"),
    ("a-1 x\na-3 y", "`a-3` is not hypothesis 2 of its key"),
    ("a-1 x\nb-1 y\na-1 z", "a second list of `a`, which has one in line 1"),
    ("a-1 x\nb y", "`b` is not a key and a rank"),
    ("a-1 x\n ", "an empty line is not a key and a rank"),
    (GOOD + "0 a 2", "1 field between |||, where the first line has 4"),
    ('{"id": "a", "hypotheses": ["x"]}\n{"id": "a", "hypotheses": ["y"]}', "a second list of `a`"),
    ('{"id": "a", "hypotheses": ["x"]}\n{"hypotheses": ["y"]}', "a list without an id, where others have one"),
    ('{"hypotheses": [{"text": "x", "features": [1]}, {"text": "y", "features": [1, 2]}]}', "feature values is 2"),
    ('{"hypotheses": []}', "`hypotheses` is no list of one hypothesis or more"),
    ('{"hypotheses": ["x"]', "this is not JSON"),
    ("", "the file is empty"),
]


@pytest.mark.parametrize("form", ["nbest", "nbest_lattice"])
def test_what_is_refused(form: str, scratch: Path) -> None:
    for text, what in REFUSED:
        scratch.write_text(text + "\n" * bool(text), encoding="utf-8")
        first = faults_of(scratch, form)[0]
        assert what in first.what, text
        assert "\n" not in str(first)
        assert first.line == (text.count("\n") + 1 if text else 0)


TEXTS = st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"])), max_size=4).map(" ".join)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)


ANY_LISTS = st.lists(st.lists(st.tuples(TEXTS, NUMBERS, NUMBERS), min_size=1, max_size=3), min_size=1, max_size=4)


@given(ANY_LISTS, st.integers(1, 60))
def test_any_lists_in_any_chunks(scratch: Path, lists: list[list[tuple[str, float, float]]], size: int) -> None:
    """All three notations have the same rows, however the file is cut."""
    flat = [(at, rank, *one) for at, of in enumerate(lists) for rank, one in enumerate(of, 1) if "|||" not in one[0]]
    if len(flat) != sum(map(len, lists)):
        return
    made = {
        "moses": "".join(f"{at} ||| {text} ||| F= {one!r} ||| {two!r}\n" for at, _, text, one, two in flat),
        "kaldi": "".join(f"k-{at}-{rank} {text}\n" for at, rank, text, _, _ in flat),
        "json": "".join(
            json.dumps({"id": f"k-{at}", "text": text, "score": two, "features": [one]}) + "\n"
            for at, _, text, one, two in flat
        ),
    }
    for notation, content in made.items():
        scratch.write_text(content, encoding="utf-8")
        rows: list[dict[str, Any]] = read_rows(scratch, "nbest", size=size)["hypotheses"]
        found = columns(rows)
        assert [*zip(found["sentence"], found["rank"], strict=True)] == [(at, rank) for at, rank, *_ in flat]
        wanted = [text if notation == "json" else text.strip() for _, _, text, _, _ in flat]
        assert found["text"] == wanted
        if notation != "kaldi":
            assert found["score"] == [two for *_, two in flat]
            assert found["features"] == [[one] for *_, one, _ in flat]


BARS = st.lists(st.sampled_from(["|", "||", "|||", "||||", "a", "a|||", "|||a", "ö|", "0"]), max_size=6)


@given(st.lists(BARS, min_size=1, max_size=9), st.sampled_from([" ", "\t", "  "]), st.integers(1, 60))
def test_bars(scratch: Path, hypotheses: list[list[str]], blank: str, size: int) -> None:
    """Only three bars between blanks end a field, wherever they stand."""
    lines = [blank.join(["0", "|||", *words, "|||", "F=", "1", "|||", "-2"]) for words in hypotheses]
    good = [line for line, words in zip(lines, hypotheses, strict=True) if "|||" not in words]
    if good:
        scratch.write_text("\n".join(good), encoding="utf-8")
        found = columns(read_rows(scratch, "nbest", size=size)["hypotheses"])
        assert found["text"] == [blank.join(words) for words in hypotheses if "|||" not in words]
    scratch.write_text("0 ||| a ||| F= 1 ||| -2\n" + "\n".join(lines), encoding="utf-8")
    if any("|||" in words for words in hypotheses):
        at, n = next((at, 4 + words.count("|||")) for at, words in enumerate(hypotheses, 2) if "|||" in words)
        first = faults_of(scratch, "nbest", size=size)[0]
        assert (first.line, first.what) == (at, f"{n} fields between |||, where the first line has 4")


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 200))
@settings(deadline=None, max_examples=10)
def test_first_hypotheses(scratch: Path, sizes: list[int], last_rank: int, size: int) -> None:
    """The first hypotheses of every list are the rows of all with these ranks, in all notations."""
    flat = [(at, rank) for at, n in enumerate(sizes) for rank in range(1, n + 1)]
    made = (
        "".join(f"{at} ||| hypothesis {rank} of {at} ||| F= {rank} {at} ||| -{rank}\n" for at, rank in flat),
        "".join(f"k-{at}-{rank} hypothesis {rank} of {at}\n" for at, rank in flat),
        "".join(
            json.dumps({"id": at, "text": f"hypothesis {rank} of {at}", "score": rank}) + "\n" for at, rank in flat
        ),
    )
    for content in made:
        scratch.write_text(content, encoding="utf-8")
        every = read_rows(scratch, "nbest", size=size)
        first = read_rows(scratch, "nbest", size=size, options=Options(last_rank=last_rank))
        assert first["sentences"] == every["sentences"]
        assert first["hypotheses"] == [row for row in every["hypotheses"] if row["rank"] <= last_rank]


def test_bytes_that_are_not_unicode(scratch: Path) -> None:
    for data in (b"0 ||| \xe9 ||| F= 1 ||| 2\n", b"0 ||| a ||| \xe9= 1 ||| 2\n", b"\xe9-1 a\n"):
        scratch.write_bytes(data)
        [fault] = faults_of(scratch, "nbest")
        assert "is not UTF-8 here" in fault.what
    scratch.write_bytes(b"0-0:\xa0\n")
    assert "is not UTF-8 here" in faults_of(scratch, "pharaoh")[0].what
