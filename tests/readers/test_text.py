"""Plain text: a sentence a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import Options, State


def test_lines_are_sentences_and_blanks_divide_words(scratch: Path) -> None:
    scratch.write_text("the  cat\n\n\tsat down \n¡1\u00a0000!", encoding="utf-8")
    state = State()
    tables = read_rows(scratch, "text", state=state)
    sentences = columns(tables["sentences"])
    assert sentences["n_words"] == [2, 0, 2, 1]
    assert sentences["text"] == ["the  cat", "", "\tsat down ", "¡1\u00a0000!"]
    assert sentences["line"] == [1, 2, 3, 4]
    words = columns(tables["words"])
    assert words["form"] == ["the", "cat", "sat", "down", "¡1\u00a0000!"]
    assert words["sentence"] == [0, 0, 2, 2, 3]
    assert words["word"] == [1, 2, 1, 2, 1]
    assert words["span_end"] == [3, 6, 9, 13, 19]
    assert state.sentences == 4


def test_what_is_refused(scratch: Path) -> None:
    for data, what in (
        (b"", "the file is empty"),
        (b"a\nb\r\n", "this line ends in CR LF, the lines before in LF"),
        (b"\xff", "byte 0xff is not UTF-8 here"),
    ):
        scratch.write_bytes(data)
        assert [fault.what for fault in faults_of(scratch, "text")] == [what]


@given(
    st.lists(st.text(st.characters(exclude_characters="\0\n\r\ufeff", exclude_categories=["Cs"])), min_size=1),
    st.integers(1, 40),
)
@settings(deadline=None)
def test_any_text(scratch: Path, lines: list[str], size: int) -> None:
    scratch.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    found = read_rows(scratch, "text", size=size)
    expected = [word for line in lines for word in line.replace("\t", " ").split(" ") if word]
    assert [row["form"] for row in found.get("words", [])] == expected
    assert [row["text"] for row in found["sentences"]] == lines


BLANKS = [" ", "\t", "  "]
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs"], exclude_characters="()\ufeff{"), min_size=1
)
LINES = st.lists(st.tuples(st.lists(WORDS, max_size=4), st.sampled_from(BLANKS)), min_size=1, max_size=6)


@given(LINES, st.integers(1, 40), st.sampled_from(["first", "last", "wrapped", "trn"]))
@settings(deadline=None)
def test_any_text_with_ids(scratch: Path, made: list[tuple[list[str], str]], size: int, where: str) -> None:
    lines = []
    for at, (words, blank) in enumerate(made):
        name = f"é{at}" if where in ("first", "last") else f"(é{at})"
        lines.append(blank.join([name, *words] if where == "first" else [*words, name]))
    scratch.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    form = "trn" if where == "trn" else "text"
    options = Options(ids=None if where == "trn" else where.replace("wrapped", "last"))
    found = read_rows(scratch, form, size=size, options=options)
    assert [row["sent_id"] for row in found["sentences"]] == [f"é{at}" for at in range(len(made))]
    assert [row["text"] for row in found["sentences"]] == [blank.join(words) for words, blank in made]
    assert [row["n_words"] for row in found["sentences"]] == [len(words) for words, _ in made]
    expected = [(at, word) for at, (words, _) in enumerate(made) for word in words]
    assert [(row["sentence"], row["form"]) for row in found.get("words", [])] == expected


def test_transcripts(scratch: Path) -> None:
    """Blank lines and comments are passed over; an id may have blanks, and its bracket may touch the last word."""
    scratch.write_text(";; a comment (x)\nthe (uh) cat(a 1)\n\n (a2)\t\n", encoding="utf-8")
    found = read_rows(scratch, "trn")
    sentences = columns(found["sentences"])
    assert sentences["sent_id"] == ["a 1", "a2"]
    assert sentences["line"] == [2, 4]
    assert sentences["text"] == ["the (uh) cat", ""]
    assert columns(found["words"])["line"] == [2, 2, 2]


def test_alternatives_of_transcripts_are_warned_of(scratch: Path) -> None:
    scratch.write_text("{ a / b } c (1)\n{laugh} a (2)\nd { a / b } { c / @ } (3)\n", encoding="utf-8")
    state = State()
    read_rows(scratch, "trn", state=state)
    [warning] = state.warnings
    assert (warning.line, warning.what) == (1, "alternatives, `{ a / b }`, in 2 lines are read as words")


@pytest.mark.parametrize(
    ("form", "ids", "data", "line", "what"),
    [
        ("trn", None, "a (1)\nb\n", 2, "no id in parentheses ends this line"),
        ("trn", None, "a (1)\n(b) c\n", 2, "no id in parentheses ends this line"),
        ("trn", None, "a ( )\n", 1, "an empty id"),
        ("trn", None, "\n;; a\n", 0, "the file has no sentence"),
        ("trn", None, "a (1)\n\nb (1)\n", 3, "the id `1` is in line 1 already"),
        ("text", "first", "a b\n\nc d\n", 2, "a line without an id"),
        ("text", "first", "the cat\na dog\nthe dog\n", 3, "the id `the` is in line 1 already"),
        ("text", "last", "a (1)\nb 1\n", 2, "the id `1` is in line 1 already"),
    ],
)
@pytest.mark.parametrize("size", [3, 1000])
def test_ids_that_are_refused(
    scratch: Path, form: str, ids: str | None, data: str, line: int, what: str, size: int
) -> None:
    scratch.write_text(data)
    found = faults_of(scratch, form, size=size, options=Options(ids=ids))
    assert [(fault.line, fault.what) for fault in found] == [(line, what)]
