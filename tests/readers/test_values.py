"""Values that Python or C would take and users do not mean: refused, or taken with a warning, never in silence."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
import pytest

from tests.house.command_tree import commands
from tests.house.rules import in_turn
from tests.readers.files import SMALL_SENTENCES
from tests.readers.reading import faults_of, read_rows
from treesql.cli import group
from treesql.errors import InvalidInput
from treesql.readers import Options, State
from treesql.scoring import relation_tables

LATTICE = '{"n_nodes": 2, "edges": [[0, 1, ["a"]]]}\n'


@in_turn("form", [form for form in SMALL_SENTENCES if "a" in SMALL_SENTENCES[form]])
def test_nul_bytes_are_refused_in_every_text_format(form: str, scratch: Path) -> None:
    scratch.write_text(SMALL_SENTENCES[form] + SMALL_SENTENCES[form].replace("a", "a\0", 1))
    faults = faults_of(scratch, form)
    first = SMALL_SENTENCES[form].count("\n") + 1
    line = first + SMALL_SENTENCES[form].partition("a")[0].count("\n")
    [fault] = [fault for fault in faults if fault.what == "a NUL byte"]
    assert (fault.line, fault.hint) == (line, "remove it; a file that has many is of UTF-16, or no text")


def test_nul_bytes_in_a_table_of_symbols(scratch: Path, tmp_path: Path) -> None:
    scratch.write_text("0 1 1\n1\n\n")
    (tmp_path / "words.txt").write_bytes(b"<eps> 0\na\0b 1\n")
    with pytest.raises(InvalidInput, match=r"words.txt:2: a NUL byte"):
        read_rows(scratch, "openfst", options=Options(symbols=str(tmp_path / "words.txt")))


@in_turn(
    ("table", "line", "what"),
    [
        (b"<eps> 0\na 1\nb 1\n", 3, "`1` is given twice"),
        (b"<eps> 0\na 1\na 2\n", 3, "`a` is given twice"),
        (b"a 1_0\n", 1, "this line is `a 1_0`"),
        ("a ٣\n".encode(), 1, "this line is `a ٣`"),
        (b"a -1\n", 1, "this line is `a -1`"),
        (b"a " + b"1" * 5000 + b"\n", 1, f"this line is `a {'1' * 58}`"),
        (b"\xff 1\n", 1, "byte 0xff is not UTF-8 here"),
    ],
)
def test_tables_of_symbols(scratch: Path, tmp_path: Path, table: bytes, line: int, what: str) -> None:
    scratch.write_text("0 1 1\n1\n\n")
    (tmp_path / "words.txt").write_bytes(table)
    with pytest.raises(InvalidInput) as caught:
        read_rows(scratch, "openfst", options=Options(symbols=str(tmp_path / "words.txt")))
    fault = caught.value.faults[0]
    assert (fault.line, fault.what) == (line, what)


@pytest.mark.parametrize("confidence", ["1e999", "-1e999", "9" * 400])
def test_confidences_are_finite(scratch: Path, confidence: str) -> None:
    scratch.write_text(f"1 1 1 0.5\n1 2 2 {confidence}\n")
    [fault] = faults_of(scratch, "wpt")
    assert (fault.line, fault.what) == (2, f"the confidence `{confidence[:60]}` is not finite")


def test_confidences_that_are_no_shares_are_kept_with_a_warning(scratch: Path) -> None:
    state = State()
    scratch.write_text("1 1 1 -3\n1 2 2 1.5\n1 3 3 1\n1 4 4 0\n1 5 5 1e-999\n")
    rows = read_rows(scratch, "wpt", state=state)["alignments"]
    assert [row["confidence"] for row in rows] == [-3, 1.5, 1, 0, 0]
    assert [warning.what for warning in state.warnings] == ["2 confidences are below 0 or above 1"]


@in_turn("weight", ["1_0", "٣", "nan", "inf", "1e999", "0x1", "", "1 e2"])
def test_weights_are_plain_finite_numbers(tmp_path: Path, weight: str) -> None:
    (tmp_path / "weights.csv").write_text(f"relation,weight\nnsubj,0.5\nobj,{weight}\n")
    with pytest.raises(InvalidInput, match=r"weights.csv:3: the weight `.*` is not a number"):
        relation_tables.read_weights(str(tmp_path / "weights.csv"))


@in_turn("weight", ["1", "+1.", ".5", "1e-3", "0"])
def test_weights_that_are_taken(tmp_path: Path, weight: str) -> None:
    (tmp_path / "weights.csv").write_text(f"relation,weight\nobj,{weight}\n")
    assert relation_tables.read_weights(str(tmp_path / "weights.csv")) == [("obj", float(weight))]


@in_turn(
    "arguments",
    [
        ["score", "parallel", *"abcdef", "--weight-a", "1_0"],
        ["compare", "dependency", "a", "b", "--seed", "1_0"],
        ["compare", "dependency", "a", "b", "--runs", "٣"],
        ["lattice", "prune", "a", "-r", "b", "-o", "c", "--threshold", "1_0"],
        ["find", "a", "b", "--limit", "1_0"],
        ["find", "a", "b", "--timeout", "1_0"],
    ],
)
def test_options_take_plain_numbers(arguments: list[str]) -> None:
    with pytest.raises(click.BadParameter, match="is not a number; write it in digits"):
        group.main(arguments, standalone_mode=False)


def test_numbers_of_options_are_finite() -> None:
    """Of all commands: no number is nan, infinite, or too large for the integers of an engine."""
    refused: dict[str, list[str]] = {}
    numeric = (click.INT.__class__, click.FLOAT.__class__)
    for name, command in commands().items():
        for option in (one for one in command.params if isinstance(one.type, numeric)):
            refused[f"{name} {option.opts[0]}"] = []
            for text in ("nan", "inf", "-inf", "1e400", str(1 << 63)):
                with suppress(click.BadParameter):
                    refused[f"{name} {option.opts[0]}"].append(str(option.type.convert(text, option, None)))
    assert len(refused) > 50
    taken = {name: found for name, found in refused.items() if found not in ([], [str(float(1 << 63))])}
    assert not taken


@in_turn("score", ["1" * 301, "1e300", "12e299", "0." + "0" * 10 + "1e311x", "nan", "inf", "1_0", "٣"])
def test_scores_are_finite_plain_numbers(scratch: Path, score: str) -> None:
    scratch.write_text(f"((('a',{score},1),),)\n")
    assert faults_of(scratch, "plf")
    scratch.write_text(f"0 1 a a {score}\n1\n\n")
    assert faults_of(scratch, "openfst")
    scratch.write_text(LATTICE.replace("]]]", f"], {score}]]"))
    assert faults_of(scratch, "jsonl")


@in_turn("score", ["1" * 300, "1e299", "0" * 400 + "1", "1" * 310 + "e-20", "1e-999"])
def test_large_scores_that_are_taken(scratch: Path, score: str) -> None:
    scratch.write_text(f"((('a',{score},1),),)\n")
    assert read_rows(scratch, "plf")["lattice_edges"][0]["scores"] == [float(score)]


@in_turn("number", ["+1", "01", ".5", "1.", "-01", "1.e5"])
def test_numbers_that_json_does_not_know(scratch: Path, number: str) -> None:
    for line in (LATTICE.replace("]]]", f"], {number}]]"), LATTICE.replace(" 2,", f" {number},")):
        scratch.write_text(line)
        assert len(faults_of(scratch, "jsonl")) == 1
    scratch.write_text(LATTICE.replace("]]]", "], -0.5e+1, 0, -0, 10]]"))
    assert read_rows(scratch, "jsonl")["lattice_edges"][0]["scores"] == [-5, 0, 0, 10]


@in_turn("word", [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud800a", r"\u0000", r"\ud83d\u0041", r"\u12g4"])
def test_escapes_that_stand_for_no_character(scratch: Path, word: str) -> None:
    scratch.write_text(LATTICE.replace('"a"', f'"{word}"'))
    [fault] = faults_of(scratch, "jsonl")
    assert fault.what.endswith(
        ("a word with a NUL or half a character in it", "this is not JSON: Invalid \\uXXXX escape")
    )


def test_escapes_that_stand_for_characters(scratch: Path) -> None:
    scratch.write_text(LATTICE.replace('"a"', r'"\ud83d\ude00", "\u00E9\uFFFD", "\ud7ff\ue000"'))
    assert read_rows(scratch, "jsonl")["lattice_edges"][0]["edge_words"] == ["😀", "é\ufffd", "\ud7ff\ue000"]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("jsonl", LATTICE + "".join(LATTICE.replace("{", f'{{"id": "{name}", ') for name in "abaa")),
        ("kaldi", "0 \n1\n\n" + "".join(f"{name}\n0 1 x 1,2,\n1\n\n" for name in "abaa")),
    ],
)
def test_two_lattices_of_one_id_are_a_warning(scratch: Path, form: str, text: str) -> None:
    state = State()
    scratch.write_text(text)
    n = len(read_rows(scratch, form, state=state, size=40)["sentences"])
    [warning] = state.warnings
    assert (warning.what, n) == ("2 lattices have a repeated id: a, a", 5)
    assert warning.line == (4 if form == "jsonl" else 12)


def test_ids_are_known_over_all_files_of_a_corpus(scratch: Path) -> None:
    state = State()
    scratch.write_text("UTTERANCE=u\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n")
    read_rows(scratch, "slf", state=state)
    assert not state.warnings
    read_rows(scratch, "slf", state=state)
    assert [warning.what for warning in state.warnings] == ["1 lattice has a repeated id: u"]


@in_turn(
    ("feats", "warned"),
    [("A=1|A=2", True), ("A=1|A=1", True), ("A|B|A", True), ("A=1,2|B=1", False), ("Aa=1|A=1", False), ("_", False)],
)
def test_features_that_stand_twice_are_a_warning(scratch: Path, feats: str, warned: bool) -> None:
    state = State()
    rows = [
        f"# sent_id = {name}\n1\ta\t_\t_\t_\t{value}\t0\tx\t_\tA=1|A=2\n\n"
        for name, value in (("s", "_"), ("t", feats))
    ]
    scratch.write_text("".join(rows))
    read_rows(scratch, state=state, size=30)
    told = [(warning.line, warning.what) for warning in state.warnings]
    assert told == ([(5, "1 sentence with a repeated feature in FEATS: t (line 5)")] if warned else [])


def test_features_of_tokens_and_empty_nodes_count_as_well(scratch: Path) -> None:
    state = State()
    first = (
        "1-2\tab\t_\t_\t_\tA=1|A=2\t_\t_\t_\t_\n1\ta\t_\t_\t_\tA=1|A=2\t0\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    )
    second = "1\ta\t_\t_\t_\t_\t0\tx\t_\t_\n1.1\tb\t_\t_\t_\tA=1|A=2\t_\t_\t1:x\t_\n\n"
    scratch.write_text(first + second)
    read_rows(scratch, state=state)
    what = "2 sentences with a repeated feature in FEATS: line 1, line 6"
    assert [warning.what for warning in state.warnings] == [what]


@in_turn("data", [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xf8\x88\x80\x80\x80"])
def test_overlong_forms_surrogates_and_what_is_beyond_unicode_are_not_utf_8(scratch: Path, data: bytes) -> None:
    scratch.write_bytes(b"a\nb " + data + b"\n")
    [fault] = faults_of(scratch, "text")
    assert (fault.line, fault.what) == (2, f"byte 0x{data[0]:02x} is not UTF-8 here")


def test_what_a_terminal_would_obey_is_escaped_in_messages(scratch: Path) -> None:
    """One line for each fault, whatever stands in the file."""
    scratch.write_text("1\ta\t_\t_\t_\t_\t\x1b[31m\rb\u202e\u2028\x85\tx\t_\t_\n\n", "utf-8", newline="")
    [fault] = faults_of(scratch)
    shown = r"`\x1b[31m\x0db\u202e\u2028\x85`"
    assert str(fault) == f"{scratch}:1: HEAD {shown} is not a number; write 0 for a root, else the ID of the head"
