"""Word alignments: the notations are read alike, base and direction as they are given, and bad input is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.readers.files import GIZA
from tests.readers.reading import faults_of, read_rows
from treesql.errors import UsageError
from treesql.readers import Notation, Options, State

Link = tuple[int, int, int, bool]


def notation(**how: object) -> Options:
    return Options(notation=Notation(**how))  # type: ignore[arg-type]


def links_of(path: Path, data: bytes | str, form: str, *, state: State | None = None, **how: object) -> list[Link]:
    """Sentence, source, target, sure of every link."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    rows = read_rows(path, form, options=notation(**how), state=state)["alignments"]
    return [(row["sentence"], row["source"], row["target"], row["sure"]) for row in rows]


def what_is_wrong(path: Path, data: bytes | str, form: str, **how: object) -> list[tuple[int, str]]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return [(fault.line, fault.what) for fault in faults_of(path, form, options=notation(**how))]


LINKS = [(0, 1, 1, True), (0, 1, 3, False), (0, 2, 2, True), (2, 11, 1, False), (2, 12, 4, True)]


@in_turn(
    ("form", "text"),
    [
        ("pharaoh", "0-0 0p2 1-1\n\n10p0 11-3\n"),
        ("pharaoh", "0-0 0?2 1-1\n\n10?0 11-3"),
        ("pharaoh", "0-0:S 0-2:P 1-1:s\n\n10-0:p 11-3:S\n"),
        ("pharaoh", "  0-0\t0P2  01s1 \n\n11S3 10p0\n"),
        ("talp", "1-1 1p3 2-2\n\n11p1 12-4\n"),
        ("wpt", "0001 1 1 S\n1 2 2\n1 1 3 P\n3 11 1 p\n  3\t12 4   s 0.5\n"),
        ("wpt", "3 12 4 1\n1 1 1 -0.5 S\n1 2 2 1e-3\n1 1 3 P 0\n3 11 1 .5 P\n"),
    ],
)
def test_notations_are_read_alike(scratch: Path, form: str, text: str) -> None:
    assert links_of(scratch, text, form) == LINKS


def test_base_and_direction_are_as_given(scratch: Path) -> None:
    assert links_of(scratch, "0-4\n", "talp", base=0) == [(0, 1, 5, True)]
    assert links_of(scratch, "1-5\n", "pharaoh", base=1) == [(0, 1, 5, True)]
    assert links_of(scratch, "1 0 4\n", "wpt", base=0) == [(0, 1, 5, True)]
    assert links_of(scratch, "0-4 1-0\n", "pharaoh", reverse=True) == [(0, 1, 2, True), (0, 5, 1, True)]
    assert links_of(scratch, GIZA, "giza", reverse=True)[0] == (0, 1, 1, True)
    with pytest.raises(UsageError, match="the base is 0 or 1, the number of a sentence's first word; not 2"):
        links_of(scratch, "1-1\n", "pharaoh", base=2)
    with pytest.raises(UsageError, match=r"GIZA\+\+ counts words from 1"):
        links_of(scratch, GIZA, "giza", base=0)


def test_giza_takes_any_words(scratch: Path) -> None:
    """Also braces and numbers; what stands behind NULL has no source word."""
    assert links_of(scratch, GIZA, "giza") == [(0, 1, 1, True), (0, 2, 2, True), (0, 2, 4, True), (1, 1, 1, True)]
    assert links_of(scratch, GIZA, "giza", null_links=True)[0] == (0, 0, 3, True)


def test_repeated_links_count_once_and_sure_wins(scratch: Path) -> None:
    state = State()
    found = links_of(scratch, "0-0 0p0 1-1 1-1 1-1 2p2 2p2\n", "pharaoh", state=state)
    assert found == [(0, 1, 1, True), (0, 2, 2, True), (0, 3, 3, False)]
    assert [warning.what for warning in state.warnings] == [
        "2 links are repeated",
        "1 link is given as sure and as possible",
    ]
    assert links_of(scratch, "1 1 1 P\n2 1 1 S\n1 1 1 S\n", "wpt") == [(0, 1, 1, True), (1, 1, 1, True)]


def test_null_links_are_left_out_and_counted(scratch: Path) -> None:
    state = State()
    assert links_of(scratch, "1 0 4\n1 1 1\n2 3 0 P\n", "wpt", state=state) == [(0, 1, 1, True)]
    assert [warning.what for warning in state.warnings] == ["2 null links are left out"]
    assert links_of(scratch, "1 0 4\n1 1 1\n", "wpt", null_links=True) == [(0, 0, 4, True), (0, 1, 1, True)]


def test_confidences_are_kept(scratch: Path) -> None:
    scratch.write_text("1 1 1 S 0.25\n1 2 2 -1e-3\n1 3 3\n")
    rows = read_rows(scratch, "wpt")["alignments"]
    assert [row["confidence"] for row in rows] == [0.25, -0.001, None]


def test_sentences_of_alignments(scratch: Path) -> None:
    scratch.write_text("2 1 1\n5 1 1\n2 2 2\n")
    state = State(sentences=10)
    tables = read_rows(scratch, "wpt", state=state)
    assert [(row["sentence"], row["line"], row["n_words"]) for row in tables["sentences"]] == [
        (10, 1, 0), (11, 1, 0), (12, 2, 0), (13, 2, 0), (14, 2, 0),
    ]  # fmt: skip
    assert [row["sentence"] for row in tables["alignments"]] == [11, 11, 14]
    assert state.sentences == 15


def test_an_empty_submission_proposes_nothing(scratch: Path) -> None:
    state = State()
    assert links_of(scratch, "", "wpt", state=state) == []
    assert [warning.what for warning in state.warnings] == ["the file is empty"]


BAD = {
    ("pharaoh", ""): [(0, "the file is empty")],
    ("pharaoh", "0-0\n-1-2 1--2\n0-0\n"): [(2, "`-1-2` has a negative position")],
    ("pharaoh", "0-0 1-\n2\n0-0-0\n0x0\n"): [
        (1, "`1-` is not a link"),
        (2, "`2` is not a link"),
        (3, "`0-0-0` is not a link"),
        (4, "`0x0` is not a link"),
    ],
    ("pharaoh", "0p0:S 0-0\n0-0:X\n0-0:P0-0\n"): [
        (1, "`0p0:S` is not a link"),
        (2, "`0-0:X` is not a link"),
        (3, "`0-0:P0-0` is not a link"),
    ],
    ("pharaoh", "0-1234567890\n"): [(1, "`0-1234567890` has a position of more than 9 digits")],
    ("pharaoh", "0001 1 1 S\n"): [(1, "this does not look like pharaoh: `0001` is not a link; it looks like wpt")],
    ("pharaoh", "0-0\n0-0\r\n"): [(2, "this line ends in CR LF, the lines before in LF")],
    ("talp", "1-1\n2-2 0-1 1-0\n"): [(2, "a link of word 0, `0-1`")],
    ("wpt", "1 1 1\n\n1 2 2\n"): [(2, "an empty line")],
    ("wpt", "1 1\n1 1 1 S 1 1\n"): [(1, "2 fields"), (2, "6 fields")],
    ("wpt", "0-0 1-1\n"): [(1, "this does not look like wpt: 2 fields; it looks like pharaoh")],
    ("wpt", "0-0\n"): [(1, "this does not look like wpt: 1 field; it looks like pharaoh")],
    ("wpt", "1 -1 1\nx 1 1\n0 1 1\n"): [
        (1, "the source word `-1` is negative"),
        (2, "the sentence `x` is not a number of up to 9 digits"),
        (3, "a link of sentence 0"),
    ],
    ("wpt", "1 1 1 S P\n1 1 1 1 2\n1 1 1 X\n1 1 1 1e\n"): [
        (1, "two letters, S and P"),
        (2, "two confidences, `1` and `2`"),
        (3, "`X` is not a confidence, S or P"),
        (4, "`1e` is not a confidence, S or P"),
    ],
    ("wpt", "123456789 1 1\n"): [(0, "a link of sentence 123456789, and no more than 1 links")],
}


@in_turn(("form", "text"), BAD)
def test_bad_links(scratch: Path, form: str, text: str) -> None:
    assert what_is_wrong(scratch, text, form) == BAD[form, text]


HEADER_WANTED = "no line such as `# Sentence pair (1) source length 3 target length 4 alignment score : 0.1`"


@in_turn(
    ("old", "new", "line", "what"),
    [
        (b"source length 3", b"source length three", 1, HEADER_WANTED),
        (b"source length 3", b"source length 4", 3, "3 source words, where the first line says 4"),
        (b"target length 4", b"target length 5", 2, "4 target words, where the line above says 5"),
        (b"({ 2 4 })", b"({ 2 5 })", 3, "target word 5 of a sentence of 4"),
        (b"({ 2 4 })", b"({ 2 0 })", 3, "target word 0 of a sentence of 4"),
        (b"({ 2 4 })", b"({ 2 x })", 3, "this is not a `word ({ 1 2 })`"),
        (b"({ 2 4 })", b"", 3, "this is not a `word ({ 1 2 })`"),
        (b"NULL ({ 3 })", b"", 3, "a line of source words that does not begin with NULL"),
        (b"pair (2)", b"pair (4)", 4, "expected sentence pair 2, found 4"),
        (b"\nNULL ({ }) NULL ({ 1 })", b"", 4, "the last sentence pair has not all of its three lines"),
    ],
)
def test_bad_giza(scratch: Path, old: bytes, new: bytes, line: int, what: str) -> None:
    assert what_is_wrong(scratch, GIZA.replace(old, new, 1), "giza") == [(line, what)]


@in_turn("form", ["wpt", "giza"])
@in_turn("line", ["0-0 1p2\n", "0-0 1-1 2-2\n", "0?0 1-1 2-2 3-3 4-4 5-5\n"])
def test_pairs_in_a_file_of_another_format(scratch: Path, form: str, line: str) -> None:
    """The fault says which format has such links."""
    scratch.write_text(line, "utf-8")
    [fault] = faults_of(scratch, form)
    assert fault.line == 1
    assert "--from pharaoh" in fault.hint


def test_giza_of_pairs_has_one_fault(scratch: Path) -> None:
    what = f"this does not look like giza: {HEADER_WANTED}; it looks like pharaoh"
    assert what_is_wrong(scratch, "0-0 1-1\n" * 9, "giza") == [(1, what)]


@given(st.lists(st.lists(st.tuples(st.integers(0, 70_000), st.integers(0, 12), st.sampled_from("-p?")))))
def test_any_pairs(scratch: Path, sentences: list[list[tuple[int, int, str]]]) -> None:
    """Against sets of links, line by line."""
    text = "".join(" ".join(f"{i}{mark}{j}" for i, j, mark in links) + "\n" for links in sentences)
    expected = []
    for number, links in enumerate(sentences):
        sure = {(i, j) for i, j, mark in links if mark == "-"}
        every = {(i, j) for i, j, _ in links}
        expected += [(number, i + 1, j + 1, (i, j) in sure) for i, j in sorted(every)]
    if sentences:
        assert links_of(scratch, text, "pharaoh") == expected
