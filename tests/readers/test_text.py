"""Plain text: a sentence a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import Options, State
from treesql.readers.source import describe_foreign


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
    st.lists(st.text(st.characters(exclude_characters="\0\n\r\ufeff", exclude_categories=["Cs"])), min_size=1).filter(
        lambda lines: not describe_foreign("\n".join(lines).encode())
    ),
    st.integers(1, 40),
)
def test_any_text(scratch: Path, lines: list[str], size: int) -> None:
    scratch.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    found = read_rows(scratch, "text", size=size)
    expected = [word for line in lines for word in line.replace("\t", " ").split(" ") if word]
    assert [row["form"] for row in found.get("words", [])] == expected
    assert [row["text"] for row in found["sentences"]] == lines


BLANKS = [" ", "\t", "  "]
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs"], exclude_characters="()\ufeff{}@;"), min_size=1
)
LINES = st.lists(st.tuples(st.lists(WORDS, max_size=4), st.sampled_from(BLANKS)), min_size=1, max_size=6)


@given(LINES, st.integers(1, 40), st.sampled_from(["first", "last", "wrapped", "trn"]))
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
    scratch.write_text(";; a comment (x)\nthe uh cat(a 1)\n\n (a2)\t\n", encoding="utf-8")
    found = read_rows(scratch, "trn")
    sentences = columns(found["sentences"])
    assert sentences["sent_id"] == ["a 1", "a2"]
    assert sentences["line"] == [2, 4]
    assert sentences["text"] == ["the uh cat", ""]
    assert columns(found["words"])["line"] == [2, 2, 2]


def test_what_is_no_word_in_transcripts(scratch: Path) -> None:
    """`@` is none, and a tag is no part of a word; ids and comments stay."""
    text = "@ a d @ @ e @ (u@;1)\n;; @ x;y (uh) { a / b }\na;n d;(x (u 2;b)\n@ (u3)\na@b @c ; d;; x; (u4)\n"
    scratch.write_text(text, encoding="utf-8")
    state = State()
    sentences = columns(read_rows(scratch, "trn", state=state)["sentences"])
    assert sentences["text"] == ["a d e", "a d;(x", "", "a@b @c ; d;; x;"]
    assert sentences["sent_id"] == ["u@;1", "u 2;b", "u3", "u4"]
    assert [one.what for one in state.warnings] == ["1 word has a tag, `word;tag`, which is left out"]


ALTERNATIVES = "alternatives, `{ a / b }`, cannot be scored"
OPTIONAL = "a word that may be missing, `(uh)`, cannot be scored"


@in_turn(
    ("form", "text", "lines"),
    [
        ("trn", "{ a / b } c (1)\n{laugh} a (2)\nd { a / b } { c / @ } (3)\n", {1: ALTERNATIVES, 3: ALTERNATIVES}),
        ("trn", "a (uh) b (1)\n(uh) (2)\n(u3)\na (u 4)\n", {1: OPTIONAL, 2: OPTIONAL}),
        ("stm", "r 1 s 0 1 a { b / c }\n;; (uh)\nr 1 s 1 2 <o> (uh)\n", {1: ALTERNATIVES, 3: OPTIONAL}),
        ("ctm", "r 1 0 1 a\nr 1 * * <ALT_BEGIN>\n", {2: "alternatives, <ALT_BEGIN>, cannot be scored"}),
        ("ctm", "r 1 0 1 (uh)\nr 1 1 1 (%b) 0.9\n", {1: OPTIONAL, 2: OPTIONAL}),
    ],
)
def test_what_cannot_be_scored_in_transcripts(scratch: Path, form: str, text: str, lines: dict[int, str]) -> None:
    scratch.write_text(text, encoding="utf-8")
    found = faults_of(scratch, form)
    assert {fault.line: fault.what for fault in found} == lines
    assert all(fault.hint for fault in found)


STM = """\
;; comment
u2 1 s1 0 1.5 <o,f0,male> a  dog
u1 1 s2 2.00 3 <o>
u1 1 s1 4.00 5.00 last words;x

u1 1 s1 0.00 2.00 the @ cat
u1 1 s1 3.00 4.00 <o> ignore_time_segment_in_scoring
"""


def test_segments(scratch: Path) -> None:
    """Ids are recording, channel, speaker and rank in time; labels, times and segments not scored are no words."""
    scratch.write_text(STM, encoding="utf-8")
    state = State()
    tables = read_rows(scratch, "stm", state=state)
    sentences = columns(tables["sentences"])
    assert sentences["sent_id"] == ["u2 1 s1 1", "u1 1 s2 1", "u1 1 s1 3", "u1 1 s1 1"]
    assert sentences["text"] == ["a  dog", "", "last words", "the cat"]
    assert sentences["line"] == [2, 3, 4, 6]
    assert sentences["comments"][0] == [
        "# recording = u2", "# channel = 1", "# speaker = s1", "# begin = 0", "# end = 1.5", "# label = o,f0,male",
    ]  # fmt: skip
    assert [row["form"] for row in tables["words"]] == ["a", "dog", "last", "words", "the", "cat"]
    assert [row["line"] for row in tables["words"]] == [2, 2, 4, 4, 6, 6]
    assert [(one.line, one.what) for one in state.warnings] == [
        (0, "1 word has a tag, `word;tag`, which is left out"),
        (7, "1 segment that is not scored, IGNORE_TIME_SEGMENT_IN_SCORING"),
    ]


def test_words_with_times(scratch: Path) -> None:
    """A sentence is a channel of a recording; words are in the order of time."""
    scratch.write_text(";; c\nu2 A 0.5 0.1 x 0.9\nu1 1 1.0 0.5 c\nu1 1 0.2 .5 b;t NA lex\n\nu1 1 0 0 @\nu2 B 0 1 y\n")
    state = State()
    tables = read_rows(scratch, "ctm", state=state)
    sentences = columns(tables["sentences"])
    assert sentences["sent_id"] == ["u2 A", "u1 1", "u2 B"]
    assert sentences["text"] == ["x", "b c", "y"]
    assert sentences["line"] == [2, 3, 7]
    assert sentences["comments"][1] == ["# recording = u1", "# channel = 1"]
    assert [(row["sentence"], row["word"], row["form"]) for row in tables["words"]] == [
        (0, 1, "x"), (1, 1, "b"), (1, 2, "c"), (2, 1, "y"),
    ]  # fmt: skip


def test_words_with_times_are_cut_by_segments(scratch: Path, tmp_path: Path) -> None:
    """By midpoints; words between segments belong to the later one, words of ignored segments to none."""
    (tmp_path / "ref.stm").write_text(STM)
    lines = [
        "u1 1 0.0 1.0 a", "u1 1 1.6 0.8 b", "u1 1 1.7 0.8 c", "u1 1 3.2 0.1 gone", "u1 1 4.5 0.2 d", "u1 1 9 1 late",
        "u9 1 0 1 unknown", "u1 1 0.5 1.2 a2",
    ]  # fmt: skip
    scratch.write_text("\n".join(lines) + "\n")
    state = State()
    options = Options(segments=str(tmp_path / "ref.stm"))
    sentences = columns(read_rows(scratch, "ctm", state=state, options=options)["sentences"])
    assert dict(zip(sentences["sent_id"], sentences["text"], strict=True)) == {
        "u2 1 s1 1": "", "u1 1 s2 1": "b c", "u1 1 s1 3": "d late", "u1 1 s1 1": "a a2",
    }  # fmt: skip
    [warning] = state.warnings
    assert (warning.line, warning.what.split(",")[0]) == (7, "1 words of `u9 1`")
    (tmp_path / "ref.stm").write_text("u1 1 a 0 2 x\nu1 1 b 1.5 3 y\n")
    [fault] = faults_of(scratch, "ctm", options=options)
    assert (Path(str(fault.path)).name, fault.line) == ("ref.stm", 2)
    assert fault.what.startswith("this segment overlaps with that of line 1")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("u1 1 s1 0 2 a\nu1 1 s1 3 4 b\nu1 1 s1 4 5 c\n", {"u1 1 s1 1": "a", "u1 1 s1 3": "c"}),
        ("u1 1 s1 4 5 c\nu1 1 s1 0 2 a\n", {"u1 1 s1 1": "a", "u1 1 s1 3": "c"}),
    ],
)
def test_segments_of_a_hypothesis_that_the_reference_does_not_score(
    scratch: Path, tmp_path: Path, text: str, ids: dict[str, str]
) -> None:
    """They are left out where the hypothesis has them, and counted where it does not."""
    (tmp_path / "ref.stm").write_text(STM)
    scratch.write_text(text)
    sentences = columns(read_rows(scratch, "stm", options=Options(segments=str(tmp_path / "ref.stm")))["sentences"])
    assert dict(zip(sentences["sent_id"], sentences["text"], strict=True)) == ids


@in_turn(
    ("form", "text", "line", "what"),
    [
        ("stm", "u1 1 s\n", 1, "this is no segment"),
        ("stm", "u1 1 s 0 x a\n", 1, "`x` is no time in seconds"),
        ("stm", "u1 1 s 2 1 a\n", 1, "this segment ends at 1, before it begins at 2"),
        ("stm", ";; a\n", 0, "the file has no segment"),
        ("ctm", "u1 1 0 1 a\nu1 1 0 1\n", 2, "4 fields in this line"),
        ("ctm", "u1 1 0 1 a 1 lex s x\n", 1, "9 fields in this line"),
        ("ctm", "u1 1 0 -1 a\n", 1, "`-1` is no time in seconds"),
        ("ctm", "u1 1 nan 1 a\nu1 1 inf 1 a\n", 1, "`nan` is no time in seconds"),
        ("ctm", "", 0, "the file is empty"),
    ],
)
def test_times_that_are_refused(scratch: Path, form: str, text: str, line: int, what: str) -> None:
    scratch.write_text(text)
    fault = faults_of(scratch, form)[0]
    assert (fault.line, fault.what) == (line, what)


@in_turn(
    ("text", "what"),
    [
        ("u1 1 spk 0.00 1.00 <o> the cat\nu1 1 spk 1.00 2.0 dog\n", "this looks like stm, words with times"),
        (";; words\nu1 1 0.00 0.30 the\nu1 1 0.30 0.4 cat 0.9\n", "this looks like ctm, words with times"),
        ("1\n00:00:01,000 --> 00:00:02,000\nthe cat\n", "this looks like subtitles, with times"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nthe cat\n", "this looks like subtitles, with times"),
        ("SPEAKER u1 1 0.00 1.00 <NA> <NA> spk <NA>\n", "this looks like RTTM, speakers with times"),
    ],
)
def test_texts_with_times_are_refused(scratch: Path, text: str, what: str) -> None:
    scratch.write_text(text)
    [fault] = faults_of(scratch, "text")
    assert (fault.line, fault.what) == (1, what)
    assert "--ids none" in fault.hint
    read_rows(scratch, "text", options=Options(ids="none"))


@pytest.mark.parametrize("text", ["he ran 1.5 2.5 miles\nno times here\n", "a b 1 2 c\n", "1.5 2.5 3.5\n"])
def test_texts_with_numbers_are_texts(scratch: Path, text: str) -> None:
    scratch.write_text(text)
    assert len(read_rows(scratch, "text")["sentences"]) == text.count("\n")


@in_turn(
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
@in_turn("size", [3, 1000])
def test_ids_that_are_refused(
    scratch: Path, form: str, ids: str | None, data: str, line: int, what: str, size: int
) -> None:
    scratch.write_text(data)
    found = faults_of(scratch, form, size=size, options=Options(ids=ids))
    assert [(fault.line, fault.what) for fault in found] == [(line, what)]
