"""CoNLL-X and CoNLL 2007: 8 or 10 columns, made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.rules import in_turn
from tests.readers.files import EIGHT_COLUMNS, TEN_COLUMNS
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import State
from treesql.readers.dependencies.sentences import describe_cycle, find_cycle
from treesql.readers.source import CHUNK_BYTES


def table_of(path: Path, file: str) -> dict[str, list[dict[str, object]]]:
    path.write_text(file, "utf-8")
    return read_rows(path, "conllx")


@pytest.mark.parametrize(
    ("file", "misc"),
    [(TEN_COLUMNS, ["PHEAD=2|PDEPREL=SB", "PDEPREL=ROOT", "PHEAD=1", None, None]), (EIGHT_COLUMNS, [None] * 5)],
    ids=["ten columns", "eight columns"],
)
def test_words(scratch: Path, file: str, misc: list[str | None]) -> None:
    assert columns(table_of(scratch, file)["words"]) == {
        "sentence": [0, 0, 0, 0, 1],
        "word": [1, 2, 3, 4, 1],
        "form": ["Das", "ist", "ü b", "_", "Ja"],
        "lemma": ["das", None, None, "_", None],
        "upos": ["ART", "V", "ADV", "P", None],
        "xpos": ["PDS", "VAFIN", "ADV", "P", None],
        "feats": ["case=nom|num=sg", None, None, None, None],
        "head": [2, 0, 2, 2, 0],
        "deprel": ["SB", "ROOT", "MO", "PUNC", "ROOT"],
        "deps": [None] * 5,
        "misc": misc,
        "depth": [2, 1, 2, 2, 1],
        "enter": [2, 1, 3, 4, 1],
        "leave": [2, 4, 3, 4, 1],
        "projective": [True] * 5,
        "span_start": [0, 3, 6, 8, 9],
        "span_end": [3, 6, 8, 9, 11],
        "multiword": [False] * 5,
        "line": [1, 2, 3, 4, 7],
    }


@pytest.mark.parametrize("file", [TEN_COLUMNS, EIGHT_COLUMNS], ids=["ten columns", "eight columns"])
def test_other_tables(scratch: Path, file: str) -> None:
    tables = table_of(scratch, file)
    assert columns(tables["sentences"]) == {
        "sentence": [0, 1],
        "sent_id": [None, None],
        "text": [None, None],
        "newdoc": [None, None],
        "newpar": [None, None],
        "comments": [[], ["# a comment"]],
        "file": [str(scratch)] * 2,
        "line": [1, 6],
        "n_words": [4, 1],
    }
    assert not any(tables.get(name) for name in ("tokens", "empty_nodes", "enhanced_edges"))


@in_turn("file", [TEN_COLUMNS, EIGHT_COLUMNS])
@in_turn("missing", [1, 2])
def test_the_end_may_miss_its_blank_line(scratch: Path, file: str, missing: int) -> None:
    assert table_of(scratch, file[:-missing]) == table_of(scratch, file)


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("file", [TEN_COLUMNS, EIGHT_COLUMNS], ids=["ten columns", "eight columns"])
def test_the_same_rows_whatever_the_size_of_chunks(scratch: Path, file: str) -> None:
    whole = table_of(scratch, file)
    for size in range(2, len(file.encode()) + 1, 3):
        assert read_rows(scratch, "conllx", size=size) == whole


@in_turn(
    ("line", "what"),
    [
        ("1-2\tim\t_\t_\t_\t_\t_\t_", "ID `1-2` is not a number"),
        ("1.1\tim\t_\t_\t_\t_\t_\t_", "ID `1.1` is not a number"),
        ("2\tim\t_\t_\t_\t_\t0\tROOT", "ID `2` is not the next one"),
        ("1\tim\t_\t\t_\t_\t0\tROOT", "CPOSTAG is empty"),
        ("1\tim\t_\t_\t_\t_\t2\tROOT", "HEAD `2` is not a word of the sentence"),
        ("1\tim\t_\t_\t_\t_\t0\tROOT\t_", "9 fields where CoNLL-X has 8 or 10"),
        ("1\tim\t_\t_\t_\t_\t0\tROOT\t_\t_", "this line has another number of fields than the lines before"),
    ],
)
@in_turn("size", [CHUNK_BYTES, 64, 7])
def test_faults(scratch: Path, line: str, what: str, size: int) -> None:
    scratch.write_text(EIGHT_COLUMNS + line + "\n\n" + EIGHT_COLUMNS, "utf-8")
    [fault] = faults_of(scratch, "conllx", size=size)
    assert (fault.line, fault.what) == (9, what)
    assert fault.hint


@pytest.mark.parametrize("size", [CHUNK_BYTES, 7])
def test_a_fault_in_the_first_line_says_nothing_of_the_others(scratch: Path, size: int) -> None:
    """The number of fields of the file is that of its first good line."""
    scratch.write_text("1\tthree\tfields\n\n" + EIGHT_COLUMNS, "utf-8")
    [fault] = faults_of(scratch, "conllx", size=size)
    assert (fault.line, fault.what) == (1, "3 fields where CoNLL-X has 8 or 10")


def test_files_of_eight_and_of_ten_columns_make_one_corpus(scratch: Path) -> None:
    state = State()
    for file in (EIGHT_COLUMNS, TEN_COLUMNS):
        scratch.write_text(file, "utf-8")
        read_rows(scratch, "conllx", state=state)
    assert (state.sentences, state.characters) == (4, 22)


@in_turn(
    ("heads", "expected"),
    [
        ([], []),
        ([0], []),
        ([2, 0, 2], []),
        ([1], [1]),
        ([2, 1], [1, 2]),
        ([0, 4, 2, 3], [2, 4, 3]),
        ([3, 0, 4, 3], [3, 4]),
        ([-5, 3, 2], [2, 3]),
        ([2, 1, 4, 3], [1, 2]),
    ],
)
def test_the_first_cycle_begins_with_its_smallest_word(heads: list[int], expected: list[int]) -> None:
    assert find_cycle(heads) == expected


def test_long_cycles_are_cut_off() -> None:
    assert describe_cycle([2, 3]) == "heads form a cycle, 2 -> 3 -> 2"
    assert describe_cycle(range(1, 10)) == "heads form a cycle, 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> ... -> 1"
