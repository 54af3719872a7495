"""CoNLL-U: every column of every table on small files made by hand, then random files against a naive reader."""

from __future__ import annotations

import gzip
import io
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.readers import valid
from tests.readers.files import CONLLU
from tests.readers.reading import columns, read_rows
from treesql.readers import Options, State


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    path = tmp_path_factory.mktemp("conllu") / "full.conllu"
    path.write_text(CONLLU, "utf-8")
    found = read_rows(path)
    for row in found["sentences"]:
        row["file"] = Path(str(row["file"])).name
    return found


def test_tables(tables: dict[str, list[dict[str, object]]]) -> None:
    assert set(tables) == {"sentences", "words", "tokens", "empty_nodes", "enhanced_edges"}


def test_sentences(tables: dict[str, list[dict[str, object]]]) -> None:
    assert columns(tables["sentences"]) == {
        "sentence": [0, 1],
        "sent_id": ["s1", None],
        "text": ["Vámonos al mar", None],
        "newdoc": ["d1", None],
        "newpar": ["", "p2"],
        "comments": [
            [
                "# newdoc id = d1",
                "# newpar",
                "# sent_id = s1",
                "# text = Vámonos al mar",
                "#no key here",
                "# text = the first one counts",
            ],
            ["# newpar id = p2"],
        ],
        "file": ["full.conllu", "full.conllu"],
        "line": [1, 18],
        "n_words": [5, 2],
    }


def test_words(tables: dict[str, list[dict[str, object]]]) -> None:
    assert columns(tables["words"]) == {
        "sentence": [0, 0, 0, 0, 0, 1, 1],
        "word": [1, 2, 3, 4, 5, 1, 2],
        "form": ["Vamos", "nos", "a", "el", "mar", "10\u00a0000 km", "_"],
        "lemma": ["ir", "nosotros", "a", "el", "mar", None, "_"],
        "upos": ["VERB", "PRON", "ADP", "DET", "NOUN", "NUM", "SYM"],
        "xpos": ["VM", "PP", "SP", "DA", "NC", None, None],
        "feats": ["Mood=Imp|Number=Plur", "Case=Acc", None, "Definite=Def", "Gender=Masc", None, None],
        "head": [0, 1, 5, 5, 1, None, None],
        "deprel": ["root", "obj", "case", "det", "obl", None, None],
        "deps": ["0:root", "1:obj|0.1:nsubj:xsubj", "5:case", "5:det", "1:obl:a|4.1:dep", None, None],
        "misc": ["Gloss=go", None, None, None, "SpaceAfter=No|X", None, None],
        "depth": [1, 2, 3, 3, 2, None, None],
        "enter": [1, 2, 4, 5, 3, None, None],
        "leave": [5, 2, 4, 5, 5, None, None],
        "projective": [True, True, True, True, True, None, None],
        "span_start": [0, 0, 7, 7, 9, 12, 19],
        "span_end": [7, 7, 9, 9, 12, 19, 20],
        "multiword": [True, True, True, True, False, False, False],
        "line": [9, 10, 12, 13, 16, 19, 20],
    }


def test_tokens(tables: dict[str, list[dict[str, object]]]) -> None:
    assert columns(tables["tokens"]) == {
        "sentence": [0, 0],
        "first": [1, 3],
        "last": [2, 4],
        "form": ["Vámonos", "al"],
        "lemma": ["vamos", None],
        "upos": ["VERB", None],
        "xpos": ["V", None],
        "feats": ["Typo=Yes", None],
        "misc": ["SpaceAfter=No", None],
        "line": [8, 11],
    }


def test_empty_nodes(tables: dict[str, list[dict[str, object]]]) -> None:
    assert columns(tables["empty_nodes"]) == {
        "sentence": [0, 0, 0],
        "word": [0, 4, 4],
        "index": [1, 1, 2],
        "form": [None, "gran", None],
        "lemma": [None, "grande", None],
        "upos": ["PRON", None, None],
        "xpos": ["PRP", None, None],
        "feats": ["Person=1", None, None],
        "deps": ["2:nsubj", "5:amod", None],
        "misc": ["CopyOf=1", None, None],
        "line": [7, 14, 15],
    }


def test_enhanced_edges(tables: dict[str, list[dict[str, object]]]) -> None:
    assert columns(tables["enhanced_edges"]) == {
        "sentence": [0] * 9,
        "head": [2, 0, 1, 0, 5, 5, 5, 1, 4],
        "head_index": [0, 0, 0, 1, 0, 0, 0, 0, 1],
        "dependent": [0, 1, 2, 2, 3, 4, 4, 5, 5],
        "dependent_index": [1, 0, 0, 0, 0, 0, 1, 0, 0],
        "deprel": ["nsubj", "root", "obj", "nsubj:xsubj", "case", "det", "amod", "obl:a", "dep"],
    }


def word(number: int | str, form: str = "w", lemma: str = "_", head: int | str = 0, misc: str = "_") -> str:
    return f"{number}\t{form}\t{lemma}\t_\t_\t_\t{head}\t_\t_\t{misc}\n"


@in_turn(
    ("comment", "values"),
    [
        ("# sent_id = a", {"sent_id": "a"}),
        ("#sent_id=a", {"sent_id": "a"}),
        ("#  sent_id  =  a b  ", {"sent_id": "a b"}),
        ("# sent_id = a = b", {"sent_id": "a = b"}),
        ("# sent_id = ", {"sent_id": ""}),
        ("# sent_id", {}),
        ("# sent_ids = a", {}),
        ("# Sent_id = a", {}),
        ("## sent_id = a", {}),
        ("# text = Zwölf Boxkämpfer jagen Viktor.", {"text": "Zwölf Boxkämpfer jagen Viktor."}),
        ("# text_en = no", {}),
        ("# newdoc", {"newdoc": ""}),
        ("# newdoc ", {"newdoc": ""}),
        ("# newdoc id = d", {"newdoc": "d"}),
        ("#newdoc id=d", {"newdoc": "d"}),
        ("# newdocument = d", {}),
        ("# newpar", {"newpar": ""}),
        ("# newpar id = p", {"newpar": "p"}),
        ("# newparagraph", {}),
        ("#", {}),
        ("# ", {}),
        ("# =", {}),
    ],
)
def test_what_comments_say(scratch: Path, comment: str, values: dict[str, str]) -> None:
    """A comment in the last line before the words must not be read on into them."""
    scratch.write_text(comment + "\n" + word(1) + "\n", "utf-8")
    [sentence] = read_rows(scratch)["sentences"]
    assert {
        key: sentence[key] for key in ("sent_id", "text", "newdoc", "newpar") if sentence[key] is not None
    } == values
    assert sentence["comments"] == [comment]


@in_turn(
    ("form", "lemma", "expected"),
    [
        ("_", "_", ("_", "_")),
        ("_", "a", ("_", "a")),
        ("a", "_", ("a", None)),
        ("__", "_", ("__", None)),
        (" ", " ", (" ", " ")),
        ("a b", "é", ("a b", "é")),
        ("twelve bytes", "thirteen bytes", ("twelve bytes", "thirteen bytes")),
        ("\u2028", "\x85\x0b\x0c\x1c", ("\u2028", "\x85\x0b\x0c\x1c")),
        ("\x01", "a\rb", ("\x01", "a\rb")),
    ],
)
def test_form_and_lemma(scratch: Path, form: str, lemma: str, expected: tuple[str, str | None]) -> None:
    """In words and in multiword tokens alike."""
    lines = word("1-2", form, lemma, head="_") + word(1, form, lemma) + word(2, "b", head=1) + "\n"
    scratch.write_bytes(lines.encode())
    tables = read_rows(scratch)
    assert [(row["form"], row["lemma"]) for row in (tables["words"][0], tables["tokens"][0])] == [expected, expected]


def test_spans_leave_out_spaces_of_all_kinds(scratch: Path) -> None:
    forms = ["a b", "1\u00a0000\u202f000", "\u3000", "\u200b", "é漢😀", "c"]
    scratch.write_text("".join(word(i, form, head=i - 1) for i, form in enumerate(forms, 1)) + "\n", "utf-8")
    words = read_rows(scratch)["words"]
    assert [(row["span_start"], row["span_end"]) for row in words] == [
        (0, 2),
        (2, 9),
        (9, 9),
        (9, 10),
        (10, 13),
        (13, 14),
    ]


def test_a_sentence_that_is_not_parsed_between_others(scratch: Path) -> None:
    sentences = [word(1) + word(2, head=1), word(1, head="_") + word(2, head="_"), word(1, head=2) + word(2)]
    scratch.write_text("\n".join(sentences) + "\n")
    words = columns(read_rows(scratch)["words"])
    assert words["head"] == [0, 1, None, None, 2, 0]
    assert words["depth"] == [1, 2, None, None, 2, 1]
    assert words["enter"] == [1, 2, None, None, 2, 1]
    assert words["leave"] == [2, 2, None, None, 2, 2]
    assert words["projective"] == [True, True, None, None, True, True]
    assert words["span_end"] == [1, 2, 3, 4, 5, 6]


def test_an_edge_that_is_not_projective(scratch: Path) -> None:
    scratch.write_text("".join(word(i, head=head) for i, head in enumerate([3, 4, 0, 3], 1)) + "\n")
    words = columns(read_rows(scratch)["words"])
    assert words["projective"] == [True, False, True, True]
    assert (words["enter"], words["leave"]) == ([2, 4, 1, 3], [2, 4, 4, 4])


def test_several_files_are_counted_on(tmp_path: Path) -> None:
    state = State()
    tables = []
    for name, form in (("a", "one"), ("b", "two words"), ("c", "é")):
        path = tmp_path / f"{name}.conllu"
        path.write_text(f"# sent_id = {name}\n" + word(1, form) + "\n" + word(1, form) + "\n", "utf-8")
        tables.append(read_rows(path, state=state))
    assert [row["sentence"] for table in tables for row in table["sentences"]] == [0, 1, 2, 3, 4, 5]
    assert [row["sentence"] for table in tables for row in table["words"]] == [0, 1, 2, 3, 4, 5]
    assert [row["span_start"] for table in tables for row in table["words"]] == [0, 3, 6, 14, 22, 23]
    assert [row["line"] for table in tables for row in table["sentences"]] == [1, 4] * 3
    assert [Path(row["file"]).name for table in tables for row in table["sentences"]] == [
        name + ".conllu" for name in "aabbcc"
    ]
    assert (state.sentences, state.characters, state.warnings) == (6, 24, [])


def test_only_what_is_wanted(scratch: Path) -> None:
    scratch.write_text(CONLLU, "utf-8")
    tables = read_rows(scratch, options=Options(columns={"words": frozenset({"head"}), "tokens": frozenset()}))
    assert {name: list(rows[0]) for name, rows in tables.items()} == {
        "sentences": ["sentence"],
        "words": ["sentence", "word", "head"],
        "tokens": ["sentence", "first"],
    }
    assert [row["head"] for row in tables["words"]] == [0, 1, 5, 5, 1, None, None]


def test_every_column_alone(scratch: Path) -> None:
    """A column does not depend on which others are wanted."""
    scratch.write_text(CONLLU, "utf-8")
    for table, rows in read_rows(scratch).items():
        for column in rows[0]:
            options = Options(columns={table: frozenset({column})})
            alone = read_rows(scratch, options=options)[table]
            assert [row[column] for row in alone] == [row[column] for row in rows], (table, column)


def from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> str:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return "-"


@in_turn("kind", ["gz", "gz of two members", "stdin", "gz on stdin"])
def test_other_ways_to_come_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    data = CONLLU.encode()
    plain = tmp_path / "file.conllu"
    plain.write_bytes(data)
    expected = read_rows(plain)
    packed = gzip.compress(data[:333]) + gzip.compress(data[333:]) if "two" in kind else gzip.compress(data)
    if "stdin" in kind:
        path = from_standard_input(monkeypatch, data if kind == "stdin" else packed)
    else:
        path = str(tmp_path / "file.conllu.gz")
        Path(path).write_bytes(packed)
    found = read_rows(path)
    assert {row.pop("file") for row in found["sentences"]} == {"<stdin>" if path == "-" else path}
    for row in expected["sentences"]:
        del row["file"]
    assert found == expected


@given(valid.files)
def test_random_files_against_a_naive_reader(scratch: Path, file: str) -> None:
    scratch.write_bytes(file.encode())
    tables = read_rows(scratch)
    expected = valid.naive(file)
    kept = {
        "words": ["word", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"],
        "tokens": ["first", "last", "form", "lemma", "upos", "xpos", "feats", "misc"],
        "empty_nodes": ["word", "index", "form", "lemma", "upos", "xpos", "feats", "deps", "misc"],
        "enhanced_edges": ["head", "head_index", "dependent", "dependent_index", "deprel"],
    }
    for table, names in kept.items():
        assert [tuple(row[name] for name in ["sentence", *names]) for row in tables[table]] == expected[table]
    assert [(row["span_start"], row["span_end"]) for row in tables["words"]] == valid.spans(file)


@pytest.mark.slow
@given(valid.files)
@settings(deadline=None, max_examples=20)
def test_random_files_have_their_lines_and_comments(scratch: Path, file: str) -> None:
    scratch.write_bytes(file.encode())
    tables = read_rows(scratch)
    lines = file.split("\n")
    for table in ("words", "tokens", "empty_nodes"):
        for row in tables[table]:
            assert lines[row["line"] - 1].split("\t")[1] == (row["form"] or "_")
    for row, sentence in zip(tables["sentences"], file.split("\n\n"), strict=False):
        first, *rest = sentence.split("\n")
        assert lines[row["line"] - 1] == first
        comments = [line for line in (first, *rest) if line.startswith("#")]
        assert row["comments"] == comments
        for key in ("sent_id", "text"):
            given = [re.match(f"# *{key} *=(.*)", comment, re.DOTALL) for comment in comments]
            assert row[key] == next((match[1].strip(" ") for match in given if match), None)


@given(valid.files, st.integers(1, 300))
def test_the_same_rows_whatever_the_size_of_chunks(scratch: Path, file: str, size: int) -> None:
    scratch.write_bytes(file.encode())
    whole, parts = State(), State()
    assert read_rows(scratch, state=parts, size=size) == read_rows(scratch, state=whole)
    assert (parts.sentences, parts.characters) == (whole.sentences, whole.characters)
    assert list(map(str, parts.warnings)) == list(map(str, whole.warnings))


def test_blanks_at_the_edges_of_fields_are_warned_of(scratch: Path) -> None:
    """With line and column of the first of every column; the values stay as they are. FORM may have blanks inside."""
    lines = [
        "# text = a ", "1\ta b\ta\tVERB \t_\t_\t0\troot\t_\t_", "2\té\té\tX\t_\tA=1\t1\t punct\t_\t_",
        "3\tc\tc\tX \t_\tA=1\u00a0\t1\tdep\t_\t_ ", "",
    ]  # fmt: skip
    scratch.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    state = State()
    tables = read_rows(scratch, state=state)
    assert [(one.line, one.column, one.what) for one in state.warnings] == [
        (2, 9, "2 values have blanks at the edge of UPOS, first `VERB `"),
        (3, 17, "1 value has a blank at the edge of DEPREL, first ` punct`"),
        (4, 12, "1 value has a blank at the edge of FEATS, first `A=1\u00a0`"),
        (4, 25, "1 value has a blank at the edge of MISC, first `_ `"),
    ]
    assert [row["deprel"] for row in tables["words"]] == ["root", " punct", "dep"]
