"""Bad constituency trees: fixtures/bad/ has a file for each kind of fault, and one slip is one fault."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import faults_of, read_rows
from treesql.errors import FAULTS_SHOWN, rename_options
from treesql.readers import State
from treesql.readers.source import CHUNK_BYTES

BAD = FIXTURES / "bad"
SUFFIXES = {"penn": "mrg", "newick": "nwk", "export": "export"}

Place = tuple[int, int, str]
"""Line, column and what is wrong."""

REFUSED: dict[str, dict[str, list[Place]]] = {
    "penn": {
        "bracket_too_few_and_one_too_many": [
            (2, 1, "this tree is not closed before the next begins, in line 3"),
            (4, 21, "`)` closes no bracket"),
        ],
        "bracket_too_few_at_the_end": [(3, 1, "this tree is not closed at the end of the file")],
        "bracket_too_few_before_the_next_tree": [(2, 1, "this tree is not closed before the next begins, in line 3")],
        "bracket_too_few_over_several_lines": [(4, 1, "this tree is not closed before the next begins, in line 7")],
        "bracket_too_many": [(2, 42, "`)` closes no bracket")],
        "bracket_too_many_over_several_lines": [(4, 1, "`)` closes no bracket")],
        "carriage_returns_alone": [(1, 0, "lines end in CR alone")],
        "conllu": [(1, 1, "this does not look like penn: `#` is outside of all brackets; it looks like conllu")],
        "empty": [(0, 0, "the file is empty")],
        "empty_bracket_beside_a_tree": [(2, 2, "an empty bracket in a tree")],
        "empty_bracket_inside": [(2, 9, "an empty bracket in a tree")],
        "label_missing": [(2, 9, "a bracket without a label")],
        "label_without_content": [(2, 25, "`VP` holds no word and no phrase")],
        "latin_1": [(2, 0, "byte 0xe9 is not UTF-8 here")],
        "more_than_twenty_faults": [(line, 12, "`b` is a second word in one bracket") for line in range(1, 21)],
        "only_blank_lines": [(0, 0, "the file is empty")],
        "tag_of_several_bytes": [(2, 25, "`an` is next to a bracket but has no bracket itself")],
        "two_faults_in_a_tree": [(2, 13, "`the` is next to a bracket but has no bracket itself")],
        "two_words_in_a_bracket": [(2, 21, "`cream` is a second word in one bracket")],
        "word_before_a_phrase": [(2, 13, "`the` is next to a bracket but has no bracket itself")],
        "word_beside_a_phrase": [(2, 24, "`and` is next to a bracket but has no bracket itself")],
        "words_behind_a_tree": [(2, 22, "`falls` is outside of all brackets")],
        "words_without_brackets": [
            (1, 1, "`water` is outside of all brackets"),
            (2, 1, "`the` is outside of all brackets"),
        ],
    },
    "newick": {
        "bracket_too_few": [(2, 1, "this tree has a bracket that is not closed")],
        "bracket_too_many": [(2, 6, "`)` closes no bracket")],
        "brackets_without_leaves": [(1, 2, "a leaf without a name")],
        "comma_outside": [(1, 2, "a comma outside of all brackets")],
        "comment_not_closed": [(2, 3, "a comment that is not closed")],
        "comment_not_opened": [(1, 3, "`]` closes no comment")],
        "empty": [(0, 0, "the file is empty")],
        "end_missing": [(2, 6, "no `;` ends this tree")],
        "end_missing_between": [(1, 6, "no `;` ends this tree")],
        "leaf_with_an_empty_name": [(1, 4, "a leaf without a name")],
        "leaf_without_a_name": [(2, 4, "a leaf without a name")],
        "leaf_without_a_name_at_the_end": [(1, 6, "a leaf without a name")],
        "leaf_without_a_name_but_a_length": [(1, 4, "a leaf without a name")],
        "length_missing": [(1, 8, "a branch length that is not a number")],
        "length_no_number": [(1, 8, "a branch length that is not a number")],
        "length_twice": [(1, 5, "expected a comma, a bracket or `;`, found `:2`")],
        "name_twice": [(2, 11, "`a` is the name of two leaves of this tree")],
        "name_twice_quoted": [(1, 13, "`it's` is the name of two leaves of this tree")],
        "name_with_a_blank": [(1, 8, "expected a comma, a bracket or `;`, found `lion`")],
        "name_with_an_apostrophe": [(1, 5, "a quoted name that is not closed in its line")],
        "nexus": [(1, 0, "this is a NEXUS file")],
        "quote_not_closed": [(1, 4, "a quoted name that is not closed in its line")],
    },
    "export": {
        "empty": [(0, 0, "the file is empty")],
        "end_of_another": [(6, 1, "`#EOS 2` ends sentence 1")],
        "end_without_a_beginning": [(7, 1, "#EOS without #BOS")],
        "fields_of_version_3": [(3, 1, "5 fields where version 4 has 6")],
        "number_missing": [(2, 1, "#BOS without a number")],
        "parent_a_word": [(3, 16, "parent `2` is not a phrase")],
        "parent_missing": [(3, 16, "parent 501 of `water` does not exist")],
        "parent_no_number": [(3, 16, "parent `S` is not a phrase")],
        "phrase_below_itself": [(5, 14, "phrase #500 is below itself")],
        "phrase_twice": [(6, 1, "phrase #500 is given twice")],
        "phrase_without_words": [(6, 1, "phrase #501 has no words")],
        "secondary_edge_without_a_parent": [(3, 1, "6 fields where version 3 has 5")],
        "sentence_not_closed": [(7, 1, "this sentence is not closed at the end of the file")],
        "sentence_not_closed_before_the_next": [
            (2, 1, "this sentence is not closed before the next begins, in line 4")
        ],
        "too_few_fields": [(3, 1, "4 fields where version 3 has 5")],
        "version_5": [(1, 9, "format `5`")],
        "words_outside": [(7, 0, "`water` is outside of all sentences")],
    },
}
TAKEN = {
    ("penn", "blank_lines_here_and_there"): [(2, 0, "2 blank lines between trees with one line each: 2, 5")],
    ("penn", "byte_order_mark"): [(0, 0, "the file begins with a byte order mark")],
    ("penn", "carriage_returns"): [(0, 0, "lines end in CR LF")],
    ("newick", "carriage_returns"): [(0, 0, "lines end in CR LF")],
    ("export", "carriage_returns"): [(0, 0, "lines end in CR LF")],
}
ALL = [(form, name) for form, names in REFUSED.items() for name in names]


def test_every_file_has_its_expectation() -> None:
    for form, suffix in SUFFIXES.items():
        expected = REFUSED[form].keys() | {name for taken, name in TAKEN if taken == form}
        assert {path.stem for path in BAD.glob(f"*.{suffix}")} == expected


@in_turn("size", [CHUNK_BYTES, 64, 7])
@in_turn(("form", "name"), ALL)
def test_refused(form: str, name: str, size: int) -> None:
    path = BAD / f"{name}.{SUFFIXES[form]}"
    faults = faults_of(path, form, size=size)
    assert [(fault.line, fault.column, fault.what) for fault in faults] == REFUSED[form][name]
    for fault in faults:
        assert fault.hint
        place = "".join(f":{number}" for number in (fault.line, fault.column) if number)
        assert str(fault) == f"{path}{place}: {fault.what}; {rename_options(fault.hint)}"


@in_turn("size", [CHUNK_BYTES, 64, 7])
@in_turn(("form", "name"), TAKEN)
def test_taken_with_a_warning(form: str, name: str, size: int) -> None:
    state = State()
    assert read_rows(BAD / f"{name}.{SUFFIXES[form]}", form, state=state, size=size)["sentences"]
    assert [(warning.line, warning.column, warning.what) for warning in state.warnings] == TAKEN[form, name]


@pytest.mark.spread(8)
@pytest.mark.parametrize(("form", "name"), ALL)
def test_the_same_faults_wherever_chunks_are_cut(form: str, name: str) -> None:
    path = BAD / f"{name}.{SUFFIXES[form]}"
    whole = [str(fault) for fault in faults_of(path, form)]
    for size in (*range(1, 16), *range(17, 60, 6)):
        assert [str(fault) for fault in faults_of(path, form, size=size)] == whole, size


def test_no_more_than_twenty_faults_are_shown() -> None:
    assert len(REFUSED["penn"]["more_than_twenty_faults"]) == FAULTS_SHOWN


@pytest.mark.parametrize(
    ("form", "name"), [("penn", "gold.mrg"), ("newick", "trees.nwk"), ("export", "discontinuous.export")]
)
def test_gzip_that_ends_too_early(tmp_path: Path, form: str, name: str) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((FIXTURES / name).read_bytes())[:-9])
    [fault] = [fault for fault in faults_of(path, form) if "gzip" in fault.what]
    assert fault.what == "this gzip file ends too early"


@pytest.mark.parametrize(("form", "text"), [("penn", "(A a) {}"), ("newick", "(a,b {});")])
def test_long_values_are_shown_in_part(scratch: Path, form: str, text: str) -> None:
    scratch.write_text(text.format("é" * 50), "utf-8")
    [fault] = faults_of(scratch, form)
    assert "`ééé" in fault.what
    assert "é...`" in fault.what
