"""Bad input: fixtures/bad/ has a file for each kind of fault, and one slip is one fault.

Most files are a sentence with a fault in lines 5 to 8 or so, between two good ones.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql.errors import FAULTS_SHOWN
from treesql.readers import Options, State
from treesql.readers.source import CHUNK_BYTES

BAD = FIXTURES / "bad"

REFUSED = {
    "blank_line_first": [(1, "a blank line too many")],
    "blank_line_last": [(14, "a blank line too many")],
    "byte_order_mark_inside": [(5, "1 field where CoNLL-U has 10")],
    "carriage_returns_alone": [(1, "lines end in CR alone")],
    "comment_inside_sentence": [(7, "a comment is between the words of a sentence")],
    "comments_without_sentence": [(5, "comments without a sentence")],
    "cut_off_in_a_line": [(12, "4 fields where CoNLL-U has 10")],
    "cut_off_in_comments": [(10, "comments without a sentence")],
    "cycle_of_nine": [(6, "heads form a cycle, 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> ... -> 1, and no word is")],
    "cycle_of_two": [(7, "heads form a cycle, 2 -> 3 -> 2")],
    "deps_empty_node_missing": [(6, "DEPS has `2.1:nsubj`, whose head does not exist")],
    "deps_empty_node_zero": [(6, "DEPS has `2.0:nsubj`, ")],
    "deps_head_missing": [(6, "DEPS has `4:nsubj`, whose head does not exist")],
    "deps_malformed": [(6, "DEPS has `nsubj`, which is not a relation")],
    "deps_twice": [(6, "DEPS has `2:nsubj` twice")],
    "deps_with_a_bar_too_many": [(6, "DEPS has ``, which is not a relation")],
    "deps_without_relation": [(6, "DEPS has `2:`, which is not a relation")],
    "empty": [(0, "the file is empty")],
    "empty_node_misplaced": [(7, "empty node `2.1` is not after that word")],
    "empty_node_out_of_turn": [(8, "empty node `2.2` is not the next one")],
    "empty_node_too_late": [(8, "empty node `1.1` is not after that word")],
    "empty_node_with_deprel": [(8, "an empty node has DEPREL `dep`")],
    "empty_node_with_head": [(8, "an empty node has HEAD `0`")],
    "head_is_the_word_itself": [(8, "heads form a cycle, 3 -> 3")],
    "head_negative": [(8, "HEAD `-1` is not a number")],
    "head_not_a_number": [(8, "HEAD `two` is not a number")],
    "head_open": [(8, "HEAD is `_`, although other words of the sentence have heads")],
    "head_outside_the_sentence": [(8, "HEAD `4` is not a word of the sentence")],
    "head_with_a_zero_in_front": [(8, "HEAD `02` is not a number")],
    "id_empty": [(7, "ID is empty")],
    "id_gap": [(8, "ID `4` is not the next one")],
    "id_gap_before_a_range": [(7, "ID `3` is not the next one")],
    "id_gap_before_an_empty_node": [(7, "ID `3` is not the next one")],
    "id_not_a_number": [(7, "ID `two` is not a number")],
    "id_with_a_zero_in_front": [(7, "ID `02` is not a number")],
    "lemma_empty": [(7, "LEMMA is empty")],
    "misc_empty": [(7, "MISC is empty")],
    "more_than_twenty_faults": [(2 * i - 1, f"HEAD `{i + 1}` is not a word of the sentence") for i in range(1, 21)],
    "no_blank_line_before_a_comment": [(9, "a comment is between the words of a sentence")],
    "no_blank_line_between": [(9, "ID `1` is not the next one")],
    "no_root": [(6, "heads form a cycle, 1 -> 2 -> 3 -> 1, and no word is a root")],
    "only_blank_lines": [(0, "the file is empty")],
    "range_backwards": [(7, "`2-1` ends before it begins")],
    "range_beyond_the_sentence": [(8, "`3-4` ends before it begins or beyond the sentence")],
    "range_misplaced": [(6, "`2-3` is not right before its first word")],
    "range_with_deprel": [(7, "a multiword token has DEPREL `root`")],
    "range_with_deps": [(7, "a multiword token has DEPS `0:root`")],
    "range_with_head": [(7, "a multiword token has HEAD `0`")],
    "range_above_an_empty_node": [(1, "`1-2` is not right before its first word")],
    "ranges_overlapping": [(8, "`2-3` overlaps the multiword token before")],
    "sentence_without_words": [(6, "a sentence without words")],
    "spaces_for_tabs": [(7, "1 field where CoNLL-U has 10")],
    "too_few_fields": [(7, "9 fields where CoNLL-U has 10")],
    "too_many_fields": [(7, "11 fields where CoNLL-U has 10")],
    "two_blank_lines": [(5, "a blank line too many")],
}
TAKEN = {
    "byte_order_mark": [(0, "the file begins with a byte order mark")],
    "carriage_returns": [(0, "lines end in CR LF")],
    "no_final_blank_line": [(0, "no blank line follows the last sentence")],
    "no_final_newline": [(0, "no line end and no blank line follow the last sentence")],
    "sent_id_twice": [(10, "1 sentence with a repeated sent_id: before")],
    "several_roots": [(5, "1 sentence with several roots: bad")],
}


def test_every_file_has_its_expectation() -> None:
    assert {path.stem for path in BAD.glob("*.conllu")} == REFUSED.keys() | TAKEN.keys()


@in_turn("size", [CHUNK_BYTES, 64])
@in_turn("name", REFUSED)
def test_refused(name: str, size: int) -> None:
    path = BAD / f"{name}.conllu"
    faults = faults_of(path, size=size)
    assert [fault.line for fault in faults] == [line for line, _ in REFUSED[name]], "one slip is one fault"
    for fault, (_, what) in zip(faults, REFUSED[name], strict=True):
        assert fault.what.startswith(what)
        assert fault.hint
        assert str(fault).startswith(f"{path}:{fault.line}: " if fault.line else f"{path}: ")


def test_a_file_of_another_format(scratch: Path) -> None:
    """Its fields are what is wrong, rather than its last line; the format may be another."""
    scratch.write_text("0-0 1-1\n0-0\n", "utf-8")
    [fault] = faults_of(scratch)
    what = "this does not look like conllu: 1 field where CoNLL-U has 10; it looks like pharaoh"
    assert (fault.line, fault.what, fault.hint) == (1, what, "read it with --from pharaoh")


def test_a_line_with_too_few_fields_in_a_sentence_that_is_cut_off(scratch: Path) -> None:
    """Other lines show that the format is the right one."""
    word = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
    scratch.write_text(f"{word}\n{word}2\tb\n3\tc", "utf-8")
    [fault] = faults_of(scratch)
    assert (fault.line, fault.what) == (4, "2 fields where CoNLL-U has 10")
    assert "--from" not in fault.hint


@in_turn("size", [CHUNK_BYTES, 64])
@in_turn("name", TAKEN)
def test_taken_with_a_warning(name: str, size: int) -> None:
    state = State()
    assert len(read_rows(BAD / f"{name}.conllu", state=state, size=size)["sentences"]) == 3
    assert [(warning.line, warning.what) for warning in state.warnings] == TAKEN[name]
    assert all(warning.hint for warning in state.warnings)


@in_turn(
    "name",
    [
        "blank_line_first",
        "blank_line_last",
        "cut_off_in_comments",
        "only_blank_lines",
        "two_blank_lines",
    ],
)
def test_the_same_faults_wherever_chunks_are_cut(name: str) -> None:
    """Every line end of the file is the last byte of a chunk once."""
    path = BAD / f"{name}.conllu"
    whole = [str(fault) for fault in faults_of(path)]
    line_ends = [at for at, byte in enumerate(path.read_bytes(), 1) if byte == ord("\n")]
    for size in line_ends:
        assert [str(fault) for fault in faults_of(path, size=size)] == whole, size


def test_no_more_than_twenty_faults_are_shown() -> None:
    assert len(REFUSED["more_than_twenty_faults"]) == FAULTS_SHOWN == 20


def test_strict_refuses_several_roots() -> None:
    [fault] = faults_of(BAD / "several_roots.conllu", options=Options(strict=True))
    assert (fault.line, fault.what) == (5, "2 roots")
    assert fault.hint


@pytest.mark.parametrize("name", ["cycle_of_two", "head_is_the_word_itself", "no_root"])
def test_permissive_takes_cycles(name: str) -> None:
    """Heads are kept, the index of the whole sentence is NULL, the sentences around it have theirs."""
    state = State()
    words = columns(read_rows(BAD / f"{name}.conllu", state=state, options=Options(permissive=True))["words"])
    assert None not in words["head"]
    assert words["depth"] == [2, 1, None, None, None, 2, 1]
    assert words["enter"] == [2, 1, None, None, None, 2, 1]
    assert words["leave"] == [2, 2, None, None, None, 2, 2]
    assert words["projective"] == [True, True, None, None, None, True, True]
    assert words["span_start"] == [0, 5, 8, 11, 16, 17, 21]
    assert [(warning.line, warning.what) for warning in state.warnings] == [
        (5, "1 sentence whose heads form a cycle: bad")
    ]


def test_warnings_name_five_sentences(tmp_path: Path) -> None:
    path = tmp_path / "roots.conllu"
    roots = "".join(f"{i}\tw\t_\t_\t_\t_\t0\t_\t_\t_\n" for i in (1, 2))
    path.write_text("".join(f"# sent_id = {i}\n{roots}\n" for i in range(3)) + f"{roots}\n" * 4)
    state = State()
    read_rows(path, state=state)
    [warning] = state.warnings
    assert (warning.line, warning.what) == (1, "7 sentences with several roots: 0, 1, 2, line 13, line 16, ...")


def test_faults_come_in_the_order_of_lines(tmp_path: Path) -> None:
    """Each sentence with its own slip; they are found kind by kind."""
    bodies = [(BAD / f"{name}.conllu").read_text().split("\n\n")[1] for name in ("no_root", "head_open", "id_empty")]
    path = tmp_path / "several.conllu"
    path.write_text("\n\n".join(bodies) + "\n\n")
    assert [fault.line for fault in faults_of(path)] == [2, 9, 13]


GOOD = (FIXTURES / "gold.conllu").read_bytes()


@in_turn(
    ("bad", "line", "what"),
    [
        (b"\xff", 3, "byte 0xff is not UTF-8 here"),
        (b"\xe9", 3, "byte 0xe9 is not UTF-8 here"),
        (b"\x80", 3, "byte 0x80 is not UTF-8 here"),
        (b"\xc3", 3, "byte 0xc3 is not UTF-8 here"),
        (b"\xc0\xaf", 3, "byte 0xc0 is not UTF-8 here"),
        (b"\xed\xa0\x80", 3, "byte 0xed is not UTF-8 here"),
        (b"\xf4\x90\x80\x80", 3, "byte 0xf4 is not UTF-8 here"),
    ],
)
@in_turn("size", [CHUNK_BYTES, 64])
def test_bytes_that_are_not_utf8(tmp_path: Path, bad: bytes, line: int, what: str, size: int) -> None:
    path = tmp_path / "latin.conllu"
    path.write_bytes(GOOD.replace(b"cat", b"c" + bad + b"t", 1))
    [fault] = faults_of(path, size=size)
    assert (fault.line, fault.what) == (line, what)
    assert fault.hint


PACKED = gzip.compress(GOOD, mtime=0)


@in_turn(
    ("data", "what"),
    [
        (PACKED[: len(PACKED) // 2], "this gzip file ends too early"),
        (PACKED[:-1], "this gzip file ends too early"),
        (PACKED[:5], "this gzip file ends too early"),
        (PACKED + PACKED[:20], "this gzip file ends too early"),
        (PACKED[:60] + bytes(9) + PACKED[69:], "this gzip file is damaged"),
        (PACKED[:-6] + b"?" + PACKED[-5:], "this gzip file is damaged"),
        (PACKED + b"more", "this gzip file is damaged"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
    ],
)
@in_turn("size", [CHUNK_BYTES, 50])
def test_gzip_that_cannot_be_read(tmp_path: Path, data: bytes, what: str, size: int) -> None:
    path = tmp_path / "file.conllu.gz"
    path.write_bytes(data)
    [fault] = faults_of(path, size=size)
    assert (fault.path, fault.line, fault.what[: len(what)]) == (str(path), 0, what)
    assert fault.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    [fault] = faults_of(tmp_path / "missing.conllu")
    assert (fault.path, fault.line, fault.what) == (str(tmp_path / "missing.conllu"), 0, "there is no such file")
    assert fault.hint


def test_long_values_are_shown_in_part(tmp_path: Path) -> None:
    """Also where the cut falls into a character."""
    path = tmp_path / "long.conllu"
    path.write_text("x" + "é" * 50 + "\tw" + "\t_" * 4 + "\t0" + "\t_" * 3 + "\n\n", "utf-8")
    [fault] = faults_of(path)
    assert fault.what.startswith("ID `xééé")
    assert fault.what.endswith("...` is not a number")
    assert len(fault.what) < 70
