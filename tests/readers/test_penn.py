"""Penn brackets: every column on a small file, odd but valid files, random files against a naive reader."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers import trees
from tests.readers.reading import columns, faults_of, read_rows
from treesql.kernels.scanning import brackets
from treesql.readers import Options, State
from treesql.readers.source import CHUNK_BYTES

PRETTY = """\

( (S
    (NP-SBJ-1 (DT The) (NN Übung))
    (VP=2 (VBZ ends)
      (-X- (-NONE- *T*-1)))
    (. .)))

(NN yes)
(())
( (NP (NN a)) (. !)) (NP (NP (-LRB- -LRB-)))
"""


def read(path: Path, text: str | bytes, **options: Any) -> dict[str, list[dict[str, Any]]]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_rows(path, "penn", **options)


def test_every_column(scratch: Path) -> None:
    tables = read(scratch, PRETTY)
    assert columns(tables["sentences"]) == {
        "sentence": [0, 1, 2, 3, 4],
        "comments": [[]] * 5,
        "file": [str(scratch)] * 5,
        "line": [2, 8, 9, 10, 10],
        "n_words": [5, 1, 0, 2, 1],
    }
    assert columns(tables["words"]) == {
        "sentence": [0, 0, 0, 0, 0, 1, 3, 3, 4],
        "word": [1, 2, 3, 4, 5, 1, 1, 2, 1],
        "form": ["The", "Übung", "ends", "*T*-1", ".", "yes", "a", "!", "-LRB-"],
        "xpos": ["DT", "NN", "VBZ", "-NONE-", ".", "NN", "NN", ".", "-LRB-"],
        "deprel": [None] * 9,
        "phrase": [2, 2, 3, 4, 1, None, 1, None, 2],
        "span_start": [0, 3, 8, 12, 17, 18, 21, 22, 23],
        "span_end": [3, 8, 12, 17, 18, 21, 22, 23, 28],
        "multiword": [False] * 9,
        "line": [3, 3, 4, 5, 6, 8, 10, 10, 10],
    }
    assert columns(tables["constituents"]) == {
        "sentence": [0, 0, 0, 0, 3, 4, 4],
        "node": [1, 2, 3, 4, 1, 1, 2],
        "parent": [None, 1, 1, 3, None, None, 1],
        "label": ["S", "NP", "VP", "-X-", "NP", "NP", "NP"],
        "functions": [None, "-SBJ-1", "=2", None, None, None, None],
        "first": [1, 1, 3, 4, 1, 1, 1],
        "last": [5, 2, 4, 4, 1, 1, 1],
        "depth": [1, 2, 2, 3, 1, 1, 2],
        "continuous": [True] * 7,
    }


@in_turn(
    ("text", "lines"),
    [
        ("(A a)", ["(A a)"]),
        ("(A a)(A b)", ["(A a)", "(A b)"]),
        ("((A a))", ["(A a)"]),
        ("( (S (A a)) )", ["(S (A a))"]),
        ("()", ["(())"]),
        ("( )\n(())\n( ( ) )\n", ["(())"] * 3),
        ("(S\n(A a)\n(B b)\n)\n(S\n(A a)\n)\n", ["(S (A a) (B b))", "(S (A a))"]),
        ("(S (A a))\n\n\n(S (B b))\n\n", ["(S (A a))", "(S (B b))"]),
        ("( S ( A a ) ( B b ) )", ["(S (A a) (B b))"]),
        ("(S(A a)(B b))", ["(S (A a) (B b))"]),
        ("((S (A a)) (S (B b)))", ["((S (A a)) (S (B b)))"]),
        ("((A a) (B b))", ["((A a) (B b))"]),
        ("(A a\u2028b\u00a0c\x0b)", ["(A a\u2028b\u00a0c\x0b)"]),
    ],
)
@in_turn("size", [CHUNK_BYTES, 7])
def test_odd_but_valid(scratch: Path, text: str, lines: list[str], size: int) -> None:
    tables = read(scratch, text, size=size)
    assert _lines(tables) == lines


def _lines(tables: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The sentences of tables in brackets again, by walking through them."""

    def below(sentence: int, node: int | None) -> list[str]:
        phrases = [
            (row["first"], f"({row['label']}{row['functions'] or ''} {' '.join(below(sentence, row['node']))})")
            for row in tables["constituents"]
            if (row["sentence"], row["parent"]) == (sentence, node)
        ]
        words = [
            (row["word"], f"({row['xpos']} {row['form']})")
            for row in tables["words"]
            if (row["sentence"], row["phrase"]) == (sentence, node)
        ]
        return [text for _, text in sorted(phrases + words)]

    found = [below(row["sentence"], None) for row in tables["sentences"]]
    return [parts[0] if len(parts) == 1 else f"({' '.join(parts)})" if parts else "(())" for parts in found]


@pytest.mark.slow
@given(trees.files(), st.sampled_from([CHUNK_BYTES, 40, 7, 1]))
@settings(deadline=None, max_examples=30)
def test_random_files_against_a_naive_reader(
    scratch: Path, file: tuple[str, list[list[trees.Tree]]], size: int
) -> None:
    text, sentences = file
    tables = read(scratch, text, size=size)
    expected = trees.naive(sentences)
    for name, rows in expected.items():
        left_out = {"deprel", "span_start", "span_end", "multiword", "line"}
        found = [tuple(v for k, v in row.items() if k not in left_out) for row in tables[name]]
        assert found == rows, name
    assert [row["n_words"] for row in tables["sentences"]] == [
        sum(row[0] == number for row in expected["words"]) for number in range(len(sentences))
    ]
    end = 0
    for row in tables["words"]:
        width = sum(sign != "\u00a0" for sign in row["form"])
        assert (row["span_start"], row["span_end"]) == (end, end + width)
        end += width


@in_turn("size", [1, 7, 64, 1000])
@in_turn("name", ["gold.mrg", "test.mrg"])
def test_rows_do_not_depend_on_where_chunks_are_cut(name: str, size: int) -> None:
    assert read_rows(FIXTURES / name, "penn", size=size) == read_rows(FIXTURES / name, "penn")


@pytest.mark.parametrize(
    ("text", "depth", "found"),
    [
        (b"(a)\n(b)\n(c", 0, (8, 1)),
        (b"(a (b)\n", 0, (0, 1)),
        (b"b)\n(c", 1, (3, 1)),
        (b"(a)(b", 0, (3, 1)),
        (b"(a)\n)(b)\n(c", 0, (9, 1)),
        (b"", 2, (0, 2)),
    ],
)
def test_where_a_block_is_split(text: bytes, depth: int, found: tuple[int, int]) -> None:
    """Behind the last line outside of brackets, else the last tree; a bracket that closes none has no effect."""
    assert brackets.find_split(np.frombuffer(text, np.uint8), depth) == found


def test_a_first_tree_whose_lines_are_not_indented_allows_others(scratch: Path) -> None:
    """The same, begun by a tree in one line, is taken for brackets that are not closed."""
    free = "(S\n(A a)\n(B b)\n)\n"
    assert len(read(scratch, free * 3)["sentences"]) == 3
    scratch.write_text("(S (A a))\n" + free)
    assert next((fault.line, fault.what) for fault in faults_of(scratch, "penn")) == (
        2,
        "this tree is not closed before the next begins, in line 3",
    )


@in_turn(
    ("text", "blank"),
    [
        ("(A a)\n\n(A b)\n(A c)\n", [2]),
        ("\n(A a)\n(A b)\n", [1]),
        ("(A a)\n(A b)\n\n\n(A c)\n\n\n\n(A d)\n", [3, 4, 6, 7, 8]),
        ("(A a)\n(A b)\n\n", None),
        ("(A a)\n\n(A b)\n\n(A c)\n", None),
        ("(S\n  (A a))\n\n(A b)\n(A c)\n", None),
        ("(A a) (A b)\n\n(A b)\n(A c)\n", None),
    ],
)
@in_turn("size", [CHUNK_BYTES, 6])
def test_blank_lines_among_trees_one_a_line(scratch: Path, text: str, blank: list[int] | None, size: int) -> None:
    """They are no sentences; EVALB takes them for such. Told where they stand here and there."""
    state = State()
    read(scratch, text, state=state, size=size)
    assert [warning.line for warning in state.warnings] == (blank or [])[:1]
    if blank:
        [warning] = state.warnings
        assert warning.what.endswith("between trees with one line each: " + ", ".join(map(str, blank)))
        assert [fault.line for fault in faults_of(scratch, "penn", options=Options(strict=True))] == blank[:1]


def test_several_files_are_counted_on(tmp_path: Path) -> None:
    state = State()
    found = [read(tmp_path / f"{i}.mrg", f"(S (A é{'x' * i}))\n(())\n", state=state) for i in range(3)]
    assert [row["sentence"] for tables in found for row in tables["sentences"]] == [0, 1, 2, 3, 4, 5]
    assert [row["sentence"] for tables in found for row in tables["constituents"]] == [0, 2, 4]
    assert [row["span_start"] for tables in found for row in tables["words"]] == [0, 1, 3]
    assert (state.sentences, state.characters) == (6, 6)


def test_every_column_alone(scratch: Path) -> None:
    """A column does not depend on which others are wanted."""
    for table, rows in read(scratch, PRETTY).items():
        for column in rows[0]:
            alone = read_rows(scratch, "penn", options=Options(columns={table: frozenset({column})}))[table]
            assert [row[column] for row in alone] == [row[column] for row in rows], (table, column)
    assert "constituents" not in read_rows(scratch, "penn", options=Options(columns={"words": frozenset()}))


def test_packed_files(tmp_path: Path) -> None:
    path = tmp_path / "gold.mrg.gz"
    path.write_bytes(gzip.compress((FIXTURES / "gold.mrg").read_bytes()))
    assert read_rows(path, "penn")["words"] == read_rows(FIXTURES / "gold.mrg", "penn")["words"]


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["many trees", "one tree", "one deep tree"])
def test_ten_megabytes_in_one_line(scratch: Path, kind: str) -> None:
    tree = "(S (NP (DT the) (NN cat)) (VP (VBD sat)))"
    n = 10_000_000 // len(tree)
    text = {
        "many trees": tree * n,
        "one tree": f"(TOP {tree * n})",
        "one deep tree": "(S " * 2_000_000 + "(A a)" + ")" * 2_000_000,
    }[kind]
    scratch.write_text(text)
    wanted = Options(columns={"constituents": frozenset({"depth"})})
    read(scratch.with_suffix(".mrg"), tree)  # compiles the scanner
    start = time.perf_counter()
    rows = list(_batches(scratch, wanted))
    assert time.perf_counter() - start < 2
    assert sum(rows) == (2_000_000 if kind == "one deep tree" else 3 * n + (kind == "one tree"))


def _batches(path: Path, options: Options) -> list[int]:
    from treesql.readers import read as read_batches
    from treesql.readers.source import Source

    return [batch["constituents"].num_rows for batch in read_batches(Source(str(path)), "penn", State(), options)]


@pytest.mark.slow
def test_a_tree_that_never_ends(scratch: Path) -> None:
    """A bracket that is open must not make the rest of a large file one chunk."""
    scratch.write_bytes(b"(S (A a))\n(S (A a)\n" + b"  (B b)\n" * 300_000)
    [fault] = faults_of(scratch, "penn", size=1 << 16, options=Options(max_sentence=1 << 20))
    assert (fault.line, fault.what) == (2, "a sentence of more than 1 MB")
    assert fault.hint == "check whether something is left open; --max-sentence 4MB takes larger ones"
