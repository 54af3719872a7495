"""Lattices of every format: what is read of good files, and what is told of bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.house.rules import in_turn
from tests.kernels import lattices as slow
from tests.readers.files import JSONL, KALDI, LATTICE_FILES, OPENFST, PLF, SLF, SYMBOLS
from tests.readers.reading import faults_of, read_rows
from treesql.errors import FAULTS_SHOWN, InvalidInput
from treesql.readers import Options, State
from treesql.readers.source import CHUNK_BYTES

Edges = list[tuple[int, int, list[str], list[float]]]
sizes = st.sampled_from([CHUNK_BYTES, 50, 7])
"""Bytes that are read at a time."""


def read(path: Path, text: str, form: str, **options: Any) -> tuple[dict[str, Any], State]:
    path.write_text(text)
    state = State()
    return read_rows(path, form, state=state, options=Options(**options)), state


def edges(tables: dict[str, Any], sentence: int = 0) -> Edges:
    rows = [row for row in tables["lattice_edges"] if row["sentence"] == sentence]
    assert [row["edge"] for row in rows] == list(range(len(rows)))
    return [(row["from_node"], row["to_node"], row["edge_words"], row["scores"]) for row in rows]


def test_plf(scratch: Path) -> None:
    tables, state = read(scratch, PLF, "plf")
    expected = [(0, 1, ["the"], [-0.5]), (0, 1, ["a"], [-1.0]), (1, 2, ["cat"], [-0.25]), (1, 2, [], [0.0])]
    assert edges(tables) == expected
    assert tables["lattices"] == [{"sentence": 0, "n_nodes": 3, "n_edges": 4, "n_finals": 1, "dead_edges": 0}]
    [sentence] = tables["sentences"]
    assert (sentence["sent_id"], sentence["line"], sentence["n_words"]) == (None, 1, 0)
    words = [(row["edge"], row["position"], row["form"]) for row in tables["lattice_words"]]
    assert words == [(0, 1, "the"), (1, 1, "a"), (2, 1, "cat")]
    assert not state.warnings


@in_turn(
    ("text", "words"),
    [
        ("((('a\tb',1,1),),)", ["a\tb"]),
        ("((('don\\'t',1,1),),)", ["don't"]),
        ('((("don\'t",1,1),),)', ["don't"]),
        ("((('a\\\\b',1,1),),)", ["a\\b"]),
        ("((('a\\nb',1,1),),)", ["a\\nb"]),
        ("((('new york',1,1),),)", ["new york"]),
        ("((('',1,1),),)", []),
        ("((('*EPS*',1,1),),)", []),
        ("  ( ( ( 'a' , 1e-3 , 1 ) ) )  ", ["a"]),
        ("((('a',{'f':0.1, 'g':-2,},1),),)", ["a"]),
        ("((('a',1),),)", ["a"]),
        ("((('漢字',1.,+1,),),)", ["漢字"]),
    ],
)
def test_words_of_plf(scratch: Path, text: str, words: list[str]) -> None:
    tables, _ = read(scratch, text, "plf")
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [words]


def test_scores_of_plf(scratch: Path) -> None:
    tables, _ = read(scratch, "((('a',1),('b',{'f':0.1,'g':-2},1),('c',.5,2e2,1),),)", "plf")
    assert [row["scores"] for row in tables["lattice_edges"]] == [[], [0.1, -2.0], [0.5, 200.0]]


def test_labels_that_are_phrases(scratch: Path) -> None:
    tables, _ = read(scratch, "((('new  york\\'s ',1,1),('a\\tb c\td',1,1),),)", "plf", phrases=True)
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [["new", "york's"], ["a\\tb", "c", "d"]]


def test_empty_lattices(scratch: Path) -> None:
    tables, _ = read(scratch, "()\n\n((('a',1,1),),)\n", "plf")
    assert [(row["n_nodes"], row["n_edges"]) for row in tables["lattices"]] == [(1, 0), (1, 0), (2, 1)]
    assert [row["line"] for row in tables["sentences"]] == [1, 2, 3]


def test_edges_on_no_complete_path_are_a_warning(scratch: Path) -> None:
    tables, state = read(scratch, PLF + "((('a',1,2),),(('b',1,1),),)\n", "plf")
    assert [row["dead_edges"] for row in tables["lattices"]] == [0, 1]
    [warning] = state.warnings
    assert (warning.line, warning.what.split(",")[0]) == (2, "1 edge lies on no path from the first node to the last")


def test_slf(scratch: Path) -> None:
    tables, _ = read(scratch, SLF, "slf")
    none = [0.0, 0.0]
    expected = [(0, 1, ["the"], [-1.5, -2.0]), (0, 2, [], none), (1, 3, ["cat"], none), (2, 3, ["#hat"], none)]
    assert edges(tables) == expected
    assert tables["sentences"][0]["sent_id"] == "one two"


def test_nodes_of_slf_are_put_in_order(scratch: Path) -> None:
    text = "VERSION=1.0\nstart=9 end=3\nI=3\nI=7\nI=9\nJ=0 START=7 END=3 WORD=b\nJ=1 START=9 END=7 WORD=a\n"
    tables, _ = read(scratch, text, "slf")
    assert edges(tables) == [(1, 2, ["b"], []), (0, 1, ["a"], [])]


def test_openfst(scratch: Path) -> None:
    tables, _ = read(scratch, OPENFST, "openfst")
    expected = [(0, 1, ["the"], [0.5]), (0, 2, ["a"], [0.0]), (1, 3, ["cat"], [0.0]), (2, 3, [], [0.0])]
    assert edges(tables) == expected


@in_turn(
    ("text", "words", "scores"),
    [
        ("0 1 the 0.5\n1\n", ["the"], [0.5]),
        ("0 1 the\n1\n", ["the"], [0.0]),
        ("0 1 le the\n1\n", ["the"], [0.0]),
        ("0 1 le the 2\n1\n", ["the"], [2.0]),
        ("0 1 1 2\n1\n", ["2"], [0.0]),
        ("0 1 le 0.5\n0 1 la\n1\n", ["le"], [0.5]),
        ("0 1 7 2\n0 1 8 0.5\n1\n", ["7"], [2.0]),
    ],
)
def test_fields_of_openfst(scratch: Path, text: str, words: list[str], scores: list[float]) -> None:
    tables, _ = read(scratch, text, "openfst")
    assert edges(tables)[0][2:] == (words, scores)


def test_several_final_states_are_joined(scratch: Path) -> None:
    tables, _ = read(scratch, "0 1 a a\n0 2 b b\n1 0.5\n2\n\n0 1 a a\n1 2 b b\n1\n2\n\n0\n", "openfst")
    assert edges(tables) == [(0, 1, ["a"], [0.0]), (0, 2, ["b"], [0.0]), (1, 3, [], [0.5]), (2, 3, [], [0.0])]
    assert edges(tables, 1) == [(0, 1, ["a"], [0.0]), (1, 2, ["b"], [0.0]), (1, 3, [], [0.0]), (2, 3, [], [0.0])]
    assert [(row["n_nodes"], row["n_finals"]) for row in tables["lattices"]] == [(4, 2), (4, 2), (1, 1)]


def test_a_final_state_that_is_left_is_not_the_last(scratch: Path) -> None:
    tables, _ = read(scratch, "0 1 a a\n1 2 b b\n1 0.5\n", "openfst")
    assert edges(tables) == [(0, 1, ["a"], [0.0]), (1, 2, ["b"], [0.0]), (1, 3, [], [0.5])]


def test_missing_weights_are_one(scratch: Path) -> None:
    """One of the tropical semiring is 0: of arcs, of final states, and in lattices that have no weight at all."""
    tables, state = read(scratch, "0 1 the the 0.7\n0 1 a a\n1\n\n0 1 a a\n1\n", "openfst")
    assert edges(tables) == [(0, 1, ["the"], [0.7]), (0, 1, ["a"], [0.0])]
    assert edges(tables, 1) == [(0, 1, ["a"], [0.0])]
    assert [row["final_scores"] for row in tables["lattices"]] == [[0.0], [0.0]]
    assert not state.warnings
    tables, state = read(scratch, "u\n0 1 the 0.5,1\n0 1 a\n1\n\nv\n0 1 a\n1 0.25,0,\n\n", "kaldi")
    assert edges(tables) == [(0, 1, ["the"], [0.5, 1.0]), (0, 1, ["a"], [0.0, 0.0])]
    assert edges(tables, 1) == [(0, 1, ["a"], [0.0, 0.0])]
    assert [row["final_scores"] for row in tables["lattices"]] == [[0.0, 0.0], [0.25, 0.0]]
    assert not state.warnings


@pytest.mark.parametrize(("form", "text"), [("openfst", "0 1 a a\n1\n"), ("kaldi", "u\n0 1 a\n1\n\n")])
def test_lattices_without_any_weight_are_a_warning_where_scores_are_read(scratch: Path, form: str, text: str) -> None:
    _, state = read(scratch, text, form)
    assert [one.what for one in state.warnings] == ["no arc and no final state has a weight, so that all cost 0"]
    _, state = read(scratch, text, form, columns={"lattice_edges": frozenset(["edge_words"])})
    assert not state.warnings


def test_edges_to_the_first_node_from_nodes_that_no_path_reaches(scratch: Path) -> None:
    tables, state = read(scratch, "0 1 a a 0.5\n5 0 b b 8.2\n6 5 c c 1\n1\n\n0 1 x x\n1\n", "openfst")
    assert [row[2:] for row in edges(tables)] == [(["a"], [0.5]), (["c"], [1.0])]
    assert [row[2:] for row in edges(tables, 1)] == [(["x"], [0.0])]
    assert [row["dead_edges"] for row in tables["lattices"]] == [1, 0]
    assert [(one.line, one.what.split(",")[0]) for one in state.warnings] == [
        (2, "1 edge leads to a first node"), (1, "1 edge lies on no path from the first node to the last"),
    ]  # fmt: skip
    text = "start=0\nI=0\nI=1\nI=2\nJ=0 S=2 E=0 W=b a=-2\nJ=1 S=0 E=1 W=a a=-1\n"
    tables, state = read(scratch, text + "J=2 S=2 E=0 W=c\n", "slf")
    assert [row[2:] for row in edges(tables)] == [(["a"], [-1.0])]
    assert [(one.line, one.what.split(",")[0]) for one in state.warnings] == [(5, "2 edges lead to a first node")]


@in_turn(
    ("header", "scores"),
    [
        ("", [-1.0, -2.0]),
        ("base=1.0", [-1.0, -2.0]),
        ("base=10", [-2.302585092994046, -4.605170185988092]),
        ("base=2", [-0.6931471805599453, -1.3862943611198906]),
        ("base=2.718281828459045", [-1.0, -2.0]),
    ],
)
def test_base_of_slf(scratch: Path, header: str, scores: list[float]) -> None:
    """Natural logarithms: the factor of logarithms to a base is its natural logarithm."""
    tables, _ = read(scratch, f"{header}\nI=0\nI=1\nJ=0 S=0 E=1 W=x a=-1 l=-2\nJ=1 S=0 E=1 W=y l=-1\n", "slf")
    assert edges(tables)[0][3] == pytest.approx(scores, rel=1e-15)
    assert edges(tables)[1][3] == pytest.approx([0, scores[0]], rel=1e-15)


def test_probabilities_of_slf(scratch: Path) -> None:
    text = "base=0\nI=0\nI=1\nJ=0 S=0 E=1 W=x a=0.5\nJ=1 S=0 E=1 W=y\n"
    tables, _ = read(scratch, text, "slf")
    assert [row[3] for row in edges(tables)] == [[-0.6931471805599453], [0.0]]
    scratch.write_text(text.replace("0.5", "0"))
    [fault] = faults_of(scratch, "slf")
    assert (fault.line, fault.what) == (4, "0 is no probability that a path can have")


@in_turn("header", ["base=-2", "base=e", "base=10 base=2", "base=inf", "base=nan", "base="])
def test_bases_of_slf_that_are_refused(scratch: Path, header: str) -> None:
    scratch.write_text(f"VERSION=1.0\n{header}\nI=0\nI=1\nJ=0 S=0 E=1 W=x a=-1\n")
    [fault] = faults_of(scratch, "slf")
    assert fault.line == 2
    assert fault.what.startswith("the header says base=")


@in_turn(
    ("written", "word"),
    [
        (r"\'cause", "'cause"), (r"\303\204rger", "Ärger"), (r"'it\'s'", "it's"), (r"a\\b", r"a\b"),
        ('"it is"', "it is"),
        ("'it is'", "it is"), (r'"a \"b\" c"', 'a "b" c'), ("'say \"a\"'", 'say "a"'), ('"it\'s"', "it's"),
        ("'cause", "'cause"), ('"', '"'), ("'", "'"), ("''cause'", "'cause"), (r"\101\1021", "AB1"), (r"\9", "9"),
        ("rock'n'roll", "rock'n'roll"), (r"'\303\204'", "Ä"), (r"\043x", "#x"),
    ],
)  # fmt: skip
def test_quotes_and_escapes_of_slf(scratch: Path, written: str, word: str) -> None:
    """Both kinds of quotes, octal bytes, and apostrophes that begin a word where no quote closes them."""
    tables, _ = read(scratch, f"UTTERANCE={written}\nI=0\nI=1\nJ=0 S=0 E=1 W={written} a=-1\n", "slf")
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [[word]]
    assert [row["scores"] for row in tables["lattice_edges"]] == [[-1.0]]
    assert tables["sentences"][0]["sent_id"] == word


@in_turn(
    ("written", "what"),
    [
        (r"\304rger", "has escapes that are not UTF-8"),
        (r"a\000", "has a NUL byte"),
        (r"\30", "has an escape without three octal digits"),
        (r"\400", "has an escape without three octal digits"),
    ],
)
def test_escapes_of_slf_that_are_refused(scratch: Path, written: str, what: str) -> None:
    scratch.write_text(f"I=0\nI=1\nJ=0 S=0 E=1 W=\\'a\nJ=1 S=0 E=1 W={written}\n")
    [fault] = faults_of(scratch, "slf")
    assert (fault.line, fault.what) == (4, f"`{written}` {what}")


def test_fields_of_slf_that_are_not_applied(scratch: Path) -> None:
    header = "VERSION=1.0\nlmname=x lmscale=12.5 wdpenalty=-10\nacscale=1.00 prscale=1 foo=3\n"
    text = header + "I=0\nI=1\nJ=0 S=0 E=1 W=x a=-1 r=-0.1 x2=4 d=:a,0.1:\n"
    _, state = read(scratch, text, "slf")
    assert [(one.line, one.what) for one in state.warnings] == [
        (2, "lmscale=12.5 of the header is not applied"), (2, "wdpenalty=-10 of the header is not applied"),
        (3, "foo=3 of the header is not applied"), (6, "the scores r= of links are not read"),
        (6, "the scores x2= of links are not read"),
    ]  # fmt: skip
    assert all("--edge-weights" in one.hint for one in state.warnings[:3])
    read_rows(scratch, "slf", state=state)
    assert len(state.warnings) == 5, "once in a corpus"
    _, state = read(scratch, text, "slf", columns={"lattice_edges": frozenset(["edge_words"])})
    assert not state.warnings


@in_turn(
    ("form", "text"),
    [
        ("plf", "((('<s>',0,1),),(('a',0,1),),)\n"),
        ("slf", "I=0\nI=1 W=!SENT_START\nJ=0 S=0 E=1\n"),
        ("openfst", "0 1 a a 1\n1 2 </s> </s> 1\n2\n"),
        ("kaldi", "u\n0 1 !SENT_END 1,2\n1\n\n"),
        ("jsonl", '{"n_nodes": 2, "edges": [[0, 1, ["<s>", "a"]]]}\n'),
    ],
)
def test_marks_of_sentences_are_words(scratch: Path, form: str, text: str) -> None:
    tables, state = read(scratch, text, form)
    [warning] = state.warnings
    assert (warning.line, warning.what.partition(" ")[2]) == (1, "counts as a word")
    assert warning.what.split()[0] in [word for row in tables["lattice_edges"] for word in row["edge_words"]]


def test_symbols(scratch: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(SYMBOLS)
    symbols = str(tmp_path / "words.txt")
    tables, _ = read(scratch, "0 1 1 1\n1 2 0 0\n2 3 2 2\n3\n", "openfst", symbols=symbols)
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [["the"], [], ["cat"]]
    tables, _ = read(scratch, "0 1 the the\n1\n", "openfst", symbols=symbols)
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [["the"]]
    scratch.write_text("0 1 the dog\n1\n")
    [fault] = faults_of(scratch, "openfst", options=Options(symbols=symbols))
    assert fault.what == "symbol `dog` is not in the table of symbols"
    (tmp_path / "words.txt").write_text("the\n")
    [fault] = faults_of(scratch, "openfst", options=Options(symbols=symbols))
    assert (fault.path, fault.line, fault.what) == (symbols, 1, "this line is `the`")


def test_labels_that_are_numbers_are_a_warning(scratch: Path) -> None:
    tables, state = read(scratch, "0 1 7 7 1\n1 2 0 0\n2\n", "openfst")
    assert [row["edge_words"] for row in tables["lattice_edges"]] == [["7"], []]
    assert [warning.what for warning in state.warnings] == ["the labels are numbers"]


def test_kaldi(scratch: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(SYMBOLS)
    tables, _ = read(scratch, KALDI, "kaldi", symbols=str(tmp_path / "words.txt"))
    assert edges(tables) == [(0, 1, ["the"], [0.5, 1.25]), (1, 2, ["cat"], [0.0, 0.0])]
    assert edges(tables, 1) == [(0, 1, ["hat"], [1.0, 2.0])]
    assert [row["sent_id"] for row in tables["sentences"]] == ["one two", "three"]
    assert [row["line"] for row in tables["sentences"]] == [1, 6]


def test_jsonl(scratch: Path) -> None:
    tables, _ = read(scratch, JSONL, "jsonl")
    assert edges(tables) == [(0, 1, ["the", "café"], [-0.5]), (1, 2, [], [])]
    assert tables["sentences"][0]["sent_id"] == "a"


@given(st.lists(slow.lattices(), min_size=1, max_size=4), st.booleans(), sizes)
@settings(deadline=None, max_examples=40)
def test_random_lattices_of_jsonl(scratch: Path, lattices: list[slow.Lattice], ascii: bool, size: int) -> None:
    vocabulary = ["a", "é", '"', "\\", "漢 字"]
    named = [
        (n, [[start, to, [vocabulary[word] for word in words]] for start, to, words in edges]) for n, edges in lattices
    ]
    lines = [json.dumps({"edges": edges, "n_nodes": n}, ensure_ascii=ascii) for n, edges in named]
    scratch.write_text("\n".join(lines) + "\n")
    tables = read_rows(scratch, "jsonl", size=size)
    assert [row["n_nodes"] for row in tables["lattices"]] == [n for n, _ in named]
    for at, (_, expected) in enumerate(named):
        rows = [row for row in tables.get("lattice_edges", []) if row["sentence"] == at]
        assert [[row["from_node"], row["to_node"], row["edge_words"]] for row in rows] == expected


# (line, column, what) of every fault.
BAD = {
    "plf": {
        "the cat\n": (1, 1, "expected the beginning of a lattice, found `the`"),
        PLF + "((('a',1,1),)": (2, 13, "a bracket that is not closed at the end of the line"),
        "((('a',1,1),),) ((('b',1,1),),)": (1, 17, "`(` comes after the bracket that closes the lattice"),
        "((('a',1,0),),)": (1, 10, "step `0` is below 1"),
        "((('a',1,-1),),)": (1, 10, "step `-1` is below 1"),
        "((('a',1,1.0),),)": (1, 10, "step `1.0` is not a whole number"),
        "((('a'),),)": (1, 3, "an edge without a step, a whole number after its scores"),
        "((('a',1,2),),)": (1, 3, "an edge leads to node 2, beyond the last"),
        "((('a',1e999,1),),)": (1, 8, "`1e999` is not a finite number"),
        "((('a',-inf,1),),)": (1, 8, "`-inf` is not a finite number"),
        "((('a',x,1),),)": (1, 8, "`x` is not a number"),
        "((('a,1,1),),)": (1, 4, "a quote that is not closed in its line"),
        "(((a,1,1),),)": (1, 4, "`a` is not a word in quotes"),
        "((('a' 1,1),),)": (1, 8, "expected a comma or a bracket, found `1`"),
        "((('a',{'f' 1},1),),)": (1, 13, "expected a comma or a bracket, found `1`"),
        "((('a',1,1),),(),)": (1, 0, "no path leads from the first node to the last"),
        "": (0, 0, "the file is empty"),
        "((('a',1,1),),)\n((('a',1,1),),)\r\n": (2, 0, "this line ends in CR LF, the lines before in LF"),
    },
    "slf": {
        "VERSION=1.0\nI=0\nI=1\nJ=0 S=0 E=1 W=a\nVERSION=1.0\n": (5, 0, "a header after links"),
        "VERSION=1.0\nJ=0 S=0 E=1 W=a\n": (1, 0, "a lattice without nodes"),
        "I=0\nI=1\nI=1\nJ=0 S=0 E=1 W=a\n": (3, 0, "node 1 is given twice"),
        "I=0\nI=1\nJ=0 S=0 W=a\n": (3, 0, "a link without E="),
        "I=0\nI=x\nJ=0 S=0 E=1 W=a\n": (2, 0, "`x` is not a state number"),
        "I=0\nI=1\nI=2\nJ=0 S=0 E=2 W=a\nJ=1 S=1 E=2 W=b\n": (
            1, 0, "no link leads to nodes 0, 1: paths could begin at any of them",
        ),
        "start=0 start=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n": (1, 0, "several nodes are declared: start=0 and start=1"),
        "end=4\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n": (1, 0, "node 4 does not exist"),
        "I=0\nI=1 L=x\nJ=0 S=0 E=1 W=a\n": (2, 0, "a node that stands for another lattice"),
        "I=0\nI=1\nJ=0 S=0 E=1 W=a a=nan\n": (3, 0, "score `nan` is not a finite number"),
        "I=0\nI=1\nhello\nJ=0 S=0 E=1 W=a\n": (3, 0, "`hello` is not KEY=VALUE"),
        "": (0, 0, "the file is empty"),
    },
    "openfst": {
        "0 1 a a\n1 0 b b\n1\n": (1, 0, "a cycle leads through node 1"),
        "0 0 a a\n0\n": (1, 0, "a cycle leads through node 0"),
        "0 1 a a\n": (1, 0, "a lattice without a final node"),
        "0 1 a a\n2 0 b b\n0 2 c c\n1\n": (3, 0, "a cycle leads through node 2"),
        "0 1 a a\n3\n": (1, 0, "no path leads from the first node to the last"),
        "0 x a a\n1\n": (1, 0, "`x` is not a state number"),
        "0 1 a a Infinity\n1\n": (1, 0, "weight `Infinity` is not a finite number"),
        "0 1 a a 1 2\n1\n": (1, 0, "6 fields in this line"),
        "0 1 a\n0 1 a a 1\n1\n": (1, 0, "3 fields in this line, where others have 5"),
        "\n\n": (0, 0, "the file is empty"),
    },
    "kaldi": {
        "u\n0 1 5 1.0\n1\n\n": (2, 0, "weight `1.0` is not of two or three parts"),
        "u\n0 1 5 1.0,x,\n1\n\n": (2, 0, "cost `x` is not a finite number"),
        "u\n0 1 5\n1\nv\n0 1 5\n1\n\n": (4, 0, "`v` is not a state number"),
        "u\n\n": (1, 0, "a lattice without a final node"),
        "VERSION=1.0\n": (1, 0, "this is a lattice in HTK's format"),
    },
    "jsonl": {
        "[]\n": (1, 0, "expected an object, found `[]`"),
        "{]\n": (1, 2, "this is not JSON: Expecting property name enclosed in double quotes"),
        "[" * 100_000 + "\n": (1, 0, "this is not JSON"),
        '{"n_nodes": 2}\n': (1, 0, "a lattice without `edges`"),
        '{"edges": []}\n': (1, 0, "a lattice without `n_nodes`"),
        '{"n_nodes": 0, "edges": []}\n': (1, 0, "`0` is not a number of nodes"),
        '{"n_nodes": true, "edges": []}\n': (1, 0, "`true` is not a number of nodes"),
        '{"n_nodes": 2.0, "edges": []}\n': (1, 0, "`2.0` is not a number of nodes"),
        '{"n_nodes": 1, "edges": {}}\n': (1, 0, "`edges` is `{}`, no list"),
        '{"id": [], "n_nodes": 2, "edges": []}\n': (1, 0, "[] is not an id"),
        '{"n_nodes": 2, "edges": [[0, 1, []], [0, 1]]}\n': (1, 0, "edge 2 of `edges`, `[0, 1]`: not a complete edge"),
        '{"n_nodes": 2, "edges": [[0, 1, []], 5]}\n': (1, 0, "edge 2 of `edges`, `5`: not a complete edge"),
        '{"n_nodes": 2, "edges": [["0", 1, []]]}\n':
            (1, 0, 'edge 1 of `edges`, `["0", 1, []]`: not the numbers of two nodes'),
        '{"n_nodes": 2, "edges": [[-1, 1, []]]}\n':
            (1, 0, "edge 1 of `edges`, `[-1, 1, []]`: not the numbers of two nodes"),
        '{"n_nodes": 2, "edges": [[0, 1, "a"]]}\n':
            (1, 0, 'edge 1 of `edges`, `[0, 1, "a"]`: its words are no list of texts'),
        '{"n_nodes": 2, "edges": [[0, 1, ["a", 1]]]}\n':
            (1, 0, 'edge 1 of `edges`, `[0, 1, ["a", 1]]`: its words are no list of texts'),
        '{"n_nodes": 2, "edges": [[0, 1, [""]]]}\n': (1, 0, 'edge 1 of `edges`, `[0, 1, [""]]`: an empty word'),
        '{"n_nodes": 2, "edges": [[1, 0, ["a"]]]}\n':
            (1, 0, 'edge 1 of `edges`, `[1, 0, ["a"]]`: it leads back, or to its own node'),
        '{"n_nodes": 2, "edges": [[0, 1, ["a"]], [0, 2, ["a"]]]}\n':
            (1, 0, 'edge 2 of `edges`, `[0, 2, ["a"]]`: it leads to node 2, which does not exist'),
        '{"n_nodes": 2, "edges": [[0, 1, ["a"], 1, NaN]]}\n':
            (1, 0, 'edge 1 of `edges`, `[0, 1, ["a"], 1, NaN]`: a score that is not a number below 1e+300'),
        '{"n_nodes": 2, "edges": [[0, 1, ["a"], true]]}\n':
            (1, 0, 'edge 1 of `edges`, `[0, 1, ["a"], true]`: a score that is not a number below 1e+300'),
        '{"n_nodes": 2, "edges": [[0, 1, ["\\ud"]]]}\n': (1, 36, "this is not JSON: Invalid \\uXXXX escape"),
        '{"n_nodes": 2, "n_nodes": 2, "edges": []}\n': (1, 0, "the key `n_nodes` is given twice"),
        '{"n_nodes": 2, "edges": []}\n': (1, 0, "no path leads from the first node to the last"),
        "\n": (1, 0, "expected an object, found the end of the line"),
    },
}  # fmt: skip
CASES = [(form, text) for form, cases in BAD.items() for text in cases]


@in_turn("size", [CHUNK_BYTES, 5])
@in_turn(("form", "text"), CASES)
def test_refused(scratch: Path, form: str, text: str, size: int) -> None:
    scratch.write_bytes(text.encode())
    [fault] = faults_of(scratch, form, size=size)
    assert (fault.line, fault.column, fault.what) == BAD[form][text]
    assert fault.hint


def test_more_faults_than_are_told(scratch: Path) -> None:
    scratch.write_text("(((x\n" * 30)
    assert len(faults_of(scratch, "plf")) == FAULTS_SHOWN


def check(path: Path, form: str, size: int) -> None:
    """Rows that fit each other, or faults; the same rows whatever the size of the chunks."""
    state = State()
    try:
        tables = read_rows(path, form, state=state, size=size)
    except InvalidInput:
        faults = faults_of(path, form)
        assert 1 <= len(faults) <= FAULTS_SHOWN
        assert all(fault.what and fault.hint for fault in faults)
        return
    assert len(tables["sentences"]) == len(tables["lattices"]) == state.sentences > 0
    assert sum(row["n_edges"] for row in tables["lattices"]) == len(tables["lattice_edges"])
    n_words = sum(len(row["edge_words"]) for row in tables["lattice_edges"])
    assert n_words == len(tables["lattice_words"])
    assert all(row["from_node"] < row["to_node"] for row in tables["lattice_edges"])
    assert all(row["form"] for row in tables["lattice_words"])
    assert tables == read_rows(path, form)


@given(
    st.text("()',1 ab\n\\\"{}:.-", max_size=40) | st.text('{}[]",:01 n_odesg\\\n', max_size=60)
    | st.text("01 \nJISENLW=a#\"", max_size=60),
    st.sampled_from(sorted(LATTICE_FILES)),
    sizes,
)  # fmt: skip
@settings(max_examples=40)
def test_any_signs(scratch: Path, text: str, form: str, size: int) -> None:
    scratch.write_bytes(text.encode())
    check(scratch, form, size)


def test_control_characters(scratch: Path) -> None:
    scratch.write_bytes(b"I=0\nI=1\nJ=0 S=0 E=1 W=a\x02\x01b\x00\n")
    assert {fault.line for fault in faults_of(scratch, "slf")} == {3}
