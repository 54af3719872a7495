"""Discontinuous trees in brackets: rows, odd but valid lines, and every fault with its place."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import Options
from treesql.readers.source import CHUNK_BYTES


def test_every_column() -> None:
    tables = read_rows(FIXTURES / "discontinuous.discbracket", "discbracket")
    found = columns(tables["sentences"])
    assert (found["line"], found["n_words"]) == ([1, 2, 3], [6, 6, 0])
    assert found["comments"] == [[], ["a comment"], []]
    words = columns(tables["words"])
    assert words["form"] == ["A", "book", "arrived", "about", "bees", ".", "Bees", "hum", "(", "loud", "ly", ")"]
    assert words["xpos"] == ["DT", "NN", "VBD", "IN", "NNS", ".", "NNS", "VBP", "#LRB#", None, None, "#RRB#"]
    functions = ["NK", "NK", "HD", "HD", "NK", None, "NK", "HD", None, None, None, None]
    assert words["misc"] == [name and f"Function={name}" for name in functions]
    assert words["phrase"] == [2, 2, 1, 3, 3, None, 2, 1, 3, 4, 4, 3]
    constituents = columns(tables["constituents"])
    assert constituents["label"] == ["S", "NP", "PP", "S", "NP", "PRN", "NP"]
    assert constituents["functions"] == [None, "-SB", "-MNR", None, "-SB", None, "=2"]
    assert constituents["parent"] == [None, 1, 2, None, 1, 1, 3]
    assert constituents["continuous"] == [True, False, True, True, True, True, True]


@in_turn(
    ("text", "phrases", "tags"),
    [
        ("(A 0=a)", [], ["A"]),
        ("(ROOT 0=a)", [], ["ROOT"]),
        ("(ROOT (A 0=a))", [], ["A"]),
        ("((A 0=a))", [], ["A"]),
        ("(S 0=a 1=b)", ["S"], [None, None]),
        ("(ROOT 0=a 1=b)", [], [None, None]),
        ("(S (A 1=a) 0=b)", ["S"], [None, "A"]),
        ("( S\t(A  0==) )  ", ["S"], ["A"]),
        ("(ROOT (ROOT (A 0=a)))", ["ROOT"], ["A"]),
        ("(-X- (-LRB- 0=-))", ["-X-"], ["-LRB-"]),
        ("()", [], []),
        ("( ( ) )", [], []),
    ],
)
@in_turn("size", [CHUNK_BYTES, 3])
def test_odd_but_valid(scratch: Path, text: str, phrases: list[str], tags: list[str | None], size: int) -> None:
    scratch.write_text(f"\n{text}\n\n")
    tables = read_rows(scratch, "discbracket", size=size)
    assert [row["label"] for row in tables["constituents"]] == phrases
    assert [row["xpos"] for row in tables["words"]] == tags


@in_turn(
    ("line", "column", "what"),
    [
        ("(S (A 0=a)", 1, "this tree is not closed at the end of its line"),
        ("(S (A 0=a)))", 12, "`)` closes no bracket"),
        ("é (S (A 0=a))", 1, "`é` is outside of all brackets"),
        ("(S (A 0=a)) (S (A 0=a))", 13, "a second tree in this line"),
        ("(S ((A 0=a)))", 5, "a bracket without a label"),
        ("(S (A 0=a) ())", 13, "a bracket without a label"),
        ("(() (A 0=a))", 3, "a bracket without a label"),
        ("(S (Ä a))", 7, "`a` is not a word with its index"),
        ("(S (A -1=a))", 7, "`-1=a` is not a word with its index"),
        ("(S (A 01=a))", 7, "`01=a` is not a word with its index"),
        ("(S (A 0=))", 7, "`0=` is not a word with its index"),
        ("(S (A 99999999999=a))", 7, "`99999999999=a` is not a word with its index"),
        ("(S (NP) (A 0=a))", 5, "`NP` holds no word and no phrase"),
        ("(ROOT)", 2, "`ROOT` holds no word and no phrase"),
        ("(S (A 0=a) (B 0=b))", 17, "index 0 is given twice"),
        ("(S (A 0=a) (B 2=b))", 1, "no word has index 1"),
        ("(S (A 1=a))", 1, "no word has index 0"),
    ],
)
def test_refused(scratch: Path, line: str, column: int, what: str) -> None:
    scratch.write_text(f"(S (A 0=a))\n{line}\n(S (A 0=a))\n", "utf-8")
    for size in (CHUNK_BYTES, 5):
        [fault] = faults_of(scratch, "discbracket", size=size)
        assert (fault.line, fault.column, fault.what) == (2, column, what)
        assert fault.hint


def test_a_tree_may_be_deep_and_is_bounded(scratch: Path) -> None:
    scratch.write_text("(S " * 20_000 + "(A 0=a)" + ")" * 20_000 + "\n")
    assert len(read_rows(scratch, "discbracket", options=Options(columns={"constituents": frozenset()}))) > 0
    scratch.write_text("(S" + "".join(f" {at}=a" for at in range(1000)) + ")\n")
    [fault] = faults_of(scratch, "discbracket", options=Options(max_sentence=1 << 13))
    assert "more than the 512" in fault.what
