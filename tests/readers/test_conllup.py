"""CoNLL-U Plus: columns in any order, further ones, and first lines that cannot be."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql import readers
from treesql.errors import InvalidInput, UsageError
from treesql.readers import STANDARD_COLUMNS, State

EXPRESSIONS = FIXTURES / "expressions.conllup"
REORDERED = FIXTURES / "reordered.cupt"


def plus(*lines: str, names: str = "ID FORM X:Y") -> str:
    return "\n".join([f"# global.columns = {names}", *(line.replace(" ", "\t") for line in lines), "", ""])


def rearranged(text: str, names: list[str]) -> str:
    """A CoNLL-U file with these columns, the values of others being made of the IDs."""
    out = [f"# global.columns = {' '.join(names)}"]
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            known = dict(zip(STANDARD_COLUMNS, line.split("\t"), strict=True))
            line = "\t".join(known.get(name, f"{name}={known['ID']}") for name in names)
        out.append(line)
    return "\n".join(out)


def test_further_columns_have_rows_of_words_tokens_and_empty_nodes() -> None:
    tables = read_rows(EXPRESSIONS, "conllup")
    words = [(row["sentence"], row["word"], row["name"], row["value"]) for row in tables["word_columns"]]
    assert words[:5] == [
        (0, 1, "PARSEME:MWE", "*"), (0, 2, "PARSEME:MWE", "1:VPC.full"), (0, 3, "PARSEME:MWE", "*"),
        (0, 3, "DEMO:NE", "B-EVENT"), (0, 4, "PARSEME:MWE", "*"),
    ]  # fmt: skip
    assert len(words) == 13 + 3  # none of the second sentence, where all is open
    assert columns(tables["token_columns"]) == {
        "sentence": [0, 0], "first": [3, 3], "name": ["PARSEME:MWE", "DEMO:NE"], "value": ["*", "B-EVENT"],
    }  # fmt: skip
    assert columns(tables["empty_node_columns"]) == {
        "sentence": [0, 0, 0], "word": [10, 10, 10], "index": [1, 2, 2],
        "name": ["DEMO:NE", "PARSEME:MWE", "DEMO:NE"], "value": ["GAP", "2:VPC.full;3", "GAP"],
    }  # fmt: skip


def test_columns_in_another_order_are_those_of_conllu() -> None:
    [first, second] = read_rows(REORDERED, "conllup")["words"]
    own = ("word", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "line")
    assert [first[name] for name in own] == [
        1, "it", "it", "PRON", None, "Number=Sing", 2, "nsubj", "2:nsubj", "SpaceAfter=No", 4
    ]  # fmt: skip
    assert [second[name] for name in own] == [2, "rains", "rain", "VERB", "VBZ", None, 0, "root", "0:root", None, 5]


@pytest.mark.parametrize("size", [1, 40, 1 << 20])
def test_any_order_of_all_columns_gives_the_rows_of_conllu(scratch: Path, size: int) -> None:
    for seed, name in enumerate(("gold.conllu", "parser-a.conllu")):
        text = (FIXTURES / name).read_text("utf-8")
        scratch.write_text(text, "utf-8")
        expected = read_rows(scratch)
        names = [*STANDARD_COLUMNS, "A:B", "C:D-2"]
        Random(seed).shuffle(names)
        scratch.write_text(rearranged(text, names), "utf-8")
        found = read_rows(scratch, "conllup", size=size)
        further = {table: found.pop(table) for table in list(found) if table.endswith("_columns")}
        for rows in found.values():
            for row in rows:
                if "line" in row:
                    row["line"] -= 1
        assert found == expected
        for table, of in (("word", "words"), ("token", "tokens"), ("empty_node", "empty_nodes")):
            assert len(further[f"{table}_columns"]) == 2 * len(expected[of])
        for row in further["empty_node_columns"]:
            assert row["value"] == f"{row['name']}={row['word']}.{row['index']}"
        for row in further["word_columns"]:
            assert row["value"] == f"{row['name']}={row['word']}"


def test_columns_that_are_not_there_are_null(scratch: Path) -> None:
    scratch.write_text(plus("1 _ a", "2 b _"))
    state = State()
    tables = read_rows(scratch, "conllup", state=state)
    empty = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "depth", "projective")
    assert all(row[name] is None for row in tables["words"] for name in empty)
    assert [row["form"] for row in tables["words"]] == ["_", "b"]
    assert columns(tables["word_columns"])["value"] == ["a"]
    assert state.layouts[0].columns == "# global.columns = ID FORM X:Y"
    assert tables["sentences"][0]["comments"] == []
    assert not state.warnings


def test_without_further_columns_there_are_no_rows_of_them(scratch: Path) -> None:
    scratch.write_text(plus("1 a 0", names="ID FORM HEAD"))
    assert set(read_rows(scratch, "conllup")) == {"sentences", "words", "tokens", "empty_nodes", "enhanced_edges"}


@in_turn(
    ("names", "what"),
    [
        ("Id FORM", "there is no column `Id`"),
        ("ID FORM LEMA", "there is no column `LEMA`"),
        ("ID FORM X:Y FORM", "column `FORM` is named 2 times"),
        ("ID FORM X:Y X:Y", "column `X:Y` is named 2 times"),
        ("FORM X:Y", "there is no column ID"),
        ("ID X:Y", "there is no column FORM"),
        ("ID  FORM", "a column has an empty name"),
        ("ID FORM ", "a column has an empty name"),
        ("ID FORM X:", "there is no column `X:`"),
        ("ID FORM x:y", "there is no column `x:y`"),
        ("ID FORM X:Ä", "there is no column `X:Ä`"),
        ("ID FORM X:'Y", "there is no column `X:'Y`"),
        ("ID FORM IDENTITY", "there is no column `IDENTITY`"),
    ],
)
def test_names_that_cannot_be(scratch: Path, names: str, what: str) -> None:
    scratch.write_text(plus("1 a b", names=names), "utf-8")
    [fault] = faults_of(scratch, "conllup")
    assert (fault.line, fault.what) == (1, what)


def test_hints_name_the_column_that_may_be_meant(scratch: Path) -> None:
    for names, hint in {
        "ID FORM Lemma": "did you mean LEMMA?",
        "ID FORM x:y": "write it in capital letters, X:Y",
        "ID FORM NER": "is called PROJECT:NAME",
        "ID FORM HEAD\tDEPREL": "separate the names by single spaces, not tabs",
    }.items():
        scratch.write_text(plus("1 a b", names=names))
        [fault] = faults_of(scratch, "conllup")
        assert hint in fault.hint


def test_no_names_at_all(scratch: Path) -> None:
    scratch.write_text(plus("1 a b", names=""))
    assert [fault.what for fault in faults_of(scratch, "conllup")] == [
        "there is no column ID", "there is no column FORM"
    ]  # fmt: skip


def test_columns_are_named_in_the_first_line_alone(scratch: Path) -> None:
    scratch.write_text("# sent_id = a\n" + plus("1 a b"))
    [fault] = faults_of(scratch, "conllup")
    assert (fault.line, fault.what) == (2, "the columns are named after the first line")
    scratch.write_text("# sent_id = a\n1\ta\tb\n\n")
    [fault] = faults_of(scratch, "conllup")
    assert (fault.line, fault.what) == (1, "the first line does not name the columns")
    scratch.write_text(plus("1 a b") + plus("1 a b"))
    for size in (1, 20, 1 << 20):
        [fault] = faults_of(scratch, "conllup", size=size)
        assert (fault.line, fault.what) == (4, "this line names columns again")


def test_lines_with_other_numbers_of_fields(scratch: Path) -> None:
    scratch.write_text(plus("1 a b", "2 a", "", "1 a b c"))
    assert [(fault.line, fault.what) for fault in faults_of(scratch, "conllup")] == [
        (3, "2 fields where the first line names 3"), (5, "4 fields where the first line names 3"),
    ]  # fmt: skip


def test_faults_name_the_column_of_the_file(scratch: Path) -> None:
    scratch.write_text("# global.columns = X:Y ID HEAD FORM\n*\t1\t0\ta\n\t2\t1\tb\n\n*\t1\tx\ta\n\n")
    assert [(fault.line, fault.what) for fault in faults_of(scratch, "conllup")] == [
        (3, "X:Y is empty"), (5, "HEAD `x` is not a number"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "# global.columns = ID FORM", "# global.columns = ID FORM\n"])
def test_a_file_without_sentences_is_empty(scratch: Path, text: str) -> None:
    scratch.write_text(text)
    [fault] = faults_of(scratch, "conllup")
    assert fault.what == "the file is empty"


def test_bytes_that_are_no_text(scratch: Path) -> None:
    scratch.write_bytes(b"# global.columns = ID FORM X:\xff\n1\ta\tb\n\n")
    assert [fault.line for fault in faults_of(scratch, "conllup")] == [1, 1]
    scratch.write_bytes(b"# global.columns = ID FORM\r1\ta\r\r")
    assert faults_of(scratch, "conllup")[0].what == "lines end in CR alone"


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_conllu_file_with_other_columns_is_told_by_its_first_line(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.conllu{ending}"
    data = REORDERED.read_bytes()
    path.write_bytes(gzip.compress(data) if ending else data)
    assert readers.format_of([str(path)], None) == "conllup"
    assert readers.format_of([str(path)], "conllu") == "conllu"
    plain = tmp_path / f"b.conllu{ending}"
    data = f"# global.columns = {' '.join(STANDARD_COLUMNS)}\n".encode() + (FIXTURES / "gold.conllu").read_bytes()
    plain.write_bytes(gzip.compress(data) if ending else data)
    assert readers.format_of([str(plain)], None) == "conllu"
    with pytest.raises(UsageError, match=r"is conllu, .* is conllup"):
        readers.format_of([str(path), str(plain)], None)
    (tmp_path / "c.conllu").write_bytes(b"%PDF-1.4")
    assert readers.format_of([str(tmp_path / "c.conllu")], None) == "conllu"


def test_other_formats_name_this_one(scratch: Path) -> None:
    scratch.write_bytes(REORDERED.read_bytes())
    [fault] = faults_of(scratch, "conllu")
    assert "it looks like conllup" in fault.what
    assert fault.hint == "read it with --from conllup"
    scratch.write_bytes((FIXTURES / "gold.conllu").read_bytes())
    [fault] = faults_of(scratch, "conllup")
    assert "it looks like conllu" in fault.what


def test_scores_are_those_of_conllu(tmp_path: Path) -> None:
    """Gold and systems need not have the same columns."""
    gold, system = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
    names = ["X:Y", "HEAD", "ID", "DEPREL", "FORM", "UPOS"]
    (tmp_path / "gold.conllup").write_text(rearranged(gold.read_text("utf-8"), names), "utf-8")
    (tmp_path / "a.cupt").write_text(rearranged(system.read_text("utf-8"), names[1:]), "utf-8")
    metrics = ["uas", "las", "exact_match"]
    expected = treesql.score("dependency", gold=gold, systems=[system], metric=metrics).rows()
    for other in (tmp_path / "a.cupt", system):
        found = treesql.score("dependency", gold=tmp_path / "gold.conllup", systems=[other], metric=metrics).rows()
        assert [{**row, "system": ""} for row in found] == [{**row, "system": ""} for row in expected]


def test_faults_reach_the_user_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.conllup").write_text(plus("1 a b", names="ID FORM LEMA"))
    with treesql.connect() as db:
        with pytest.raises(InvalidInput, match=r"a\.conllup:1: there is no column `LEMA`; did you mean LEMMA\?"):
            db.load(tmp_path / "a.conllup", corpus="a")
        assert db.info().rows() == []


@pytest.mark.parametrize(
    ("request_", "by", "expected"),
    [
        ("pattern { X [upos=VERB] }", "X.PARSEME__MWE", {"1:VPC.full": 1}),
        ('pattern { X [PARSEME__MWE<>"*"] }', "X.form,X.PARSEME__MWE", {"gibt": 1, "auf": 1}),
        ('pattern { X [DEMO__NE=re".*EVENT"] }', "X.DEMO__NE", {"I-EVENT": 2, "B-EVENT": 1}),
    ],
)
def test_requests_name_further_columns(request_: str, by: str, expected: dict[str, int]) -> None:
    """`PARSEME__MWE` is the column PARSEME:MWE."""
    found = treesql.find(FIXTURES / "expressions.conllup", request_, by=by).rows()
    assert {row[by.split(",")[0]]: row["count"] for row in found} == expected


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(treesql.UnknownName, match="did you mean PARSEME__MWE"):
        treesql.find(FIXTURES / "expressions.conllup", "pattern { X [] }", by="X.PARSEME_MWE")
