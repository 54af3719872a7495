"""Plain text: a sentence a line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import State


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
        (b"a\r\n", "line ends in CR LF"),
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
