"""EVALB's parameter files: those that treesql has, every parameter, every fault."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import bare
from tests.house.rules import in_turn
from treesql.errors import Diagnostic, InvalidInput, UnknownName
from treesql.scoring import evalb_parameters

PUNCTUATION = (",", ":", "``", "''", ".")


def test_the_parameters_of_collins() -> None:
    with treesql.connect() as db:
        found = rows_of(db, "COLLINS")
        assert (
            evalb_parameters.install_rules(db.engine, "COLLINS")
            == evalb_parameters.install_rules(db.engine, "COLLINS.prm")
            == evalb_parameters.install_rules(db.engine, "collins")
            == "COLLINS"
        )
    expected = evalb_parameters.EvalbParameters(
        labelled=True,
        deleted=("TOP", "-NONE-", *PUNCTUATION),
        deleted_for_length=("-NONE-",),
        equal_labels=(("ADVP", "PRT"),),
        cutoff_length=40,
        max_error=10,
    )
    assert found == set(expected.rows)


def test_the_newer_parameters_add_marks_and_quotes() -> None:
    with treesql.connect() as db:
        collins, new = rows_of(db, "COLLINS"), rows_of(db, "new")
    added = {(parameter, value) for parameter, value, _ in new - collins}
    assert {value for parameter, value in added if parameter == "DELETE_LABEL"} == {"S1", "?", "!"}
    assert {parameter for parameter, _ in added} == {"DELETE_LABEL", "QUOTE_LABEL"}
    assert {("QUOTE_LABEL", "``"), ("QUOTE_LABEL", "''"), ("QUOTE_LABEL", "POS")} <= added
    assert collins - new == {("MAX_ERROR", "10", None)}


def rows_of(db: treesql.Database, name: str) -> set[tuple[str, str, str | None]]:
    """A parameter set of the database."""
    sql = "SELECT parameter, value, same_as FROM evalb_parameters WHERE parameter_set = ?"
    return set(bare(db).execute(sql, [name]).fetchall())


def test_every_parameter(tmp_path: Path) -> None:
    path = tmp_path / "my.prm"
    path.write_text(
        "## a comment\n\nDEBUG 2\nMAX_ERROR\t100  \n  CUTOFF_LEN 70\nLABELED 0\nDELETE_LABEL #\n"
        "DELETE_LABEL_FOR_LENGTH -NONE-\nQUOTE_LABEL POS\nEQ_LABEL A B\nEQ_LABEL C D\nEQ_WORD Ü ü\nDISC_ONLY 1\n"
    )
    found = evalb_parameters.read_parameters(path)
    assert found == evalb_parameters.EvalbParameters(
        False, ("#",), ("-NONE-",), ("POS",), (), (), (("A", "B"), ("C", "D")), (("Ü", "ü"),), 70, 100, 2
    )
    assert [(note.line, note.column, note.what) for note in found.notes] == [(13, 1, "DISC_ONLY is ignored")]


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.prm").write_text("")
    assert evalb_parameters.read_parameters(tmp_path / "empty.prm") == evalb_parameters.EvalbParameters()


@in_turn(
    ("line", "column", "what", "hint"),
    [
        ("DELETE_LABLE TOP", 1, "unknown parameter `DELETE_LABLE`", "did you mean DELETE_LABEL"),
        (" labeled 1", 2, "unknown parameter `labeled`", "did you mean LABELED"),
        ("XYZ", 1, "unknown parameter `XYZ`", "known: CUTOFF_LEN, DEBUG"),
        ("DELETE_LABEL", 1, "DELETE_LABEL has 0 values where it needs 1", "write DELETE_LABEL LABEL"),
        ("DELETE_LABEL TOP S1", 1, "DELETE_LABEL has 2 values where it needs 1", "write DELETE_LABEL LABEL"),
        ("EQ_LABEL ADVP", 1, "EQ_LABEL has 1 value where it needs 2", "write EQ_LABEL LABEL LABEL"),
        ("CUTOFF_LEN  forty", 13, "CUTOFF_LEN is `forty`", "write a number"),
        ("CUTOFF_LEN -1", 12, "CUTOFF_LEN is `-1`", "write a number"),
        ("DELETE_BY test", 11, "DELETE_BY is `test`", "write own or gold"),
        ("LABELED 2", 9, "LABELED is `2`", "write 1 for labelled"),
        ("DEBUG 1", 1, "DEBUG is given twice", "give it once"),
        ("LABELED\xff 1", 0, "byte 0xff is not UTF-8 here", "convert"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, line: str, column: int, what: str, hint: str) -> None:
    path = tmp_path / "bad.prm"
    path.write_bytes(b"DEBUG 0\n# comment\n" + line.encode("latin-1") + b"\nMAX_ERROR 1\n")
    with pytest.raises(InvalidInput) as caught:
        evalb_parameters.read_parameters(path)
    fault = caught.value.faults[0]
    assert (fault.line, fault.column, fault.what) == (3, column, what)
    assert fault.hint.startswith(hint)


def test_names_that_are_not_there(tmp_path: Path) -> None:
    with treesql.connect() as db, pytest.raises(UnknownName, match="parameter set 'COLINS'; did you mean COLLINS"):
        evalb_parameters.install_rules(db.engine, "COLINS")
    with pytest.raises(InvalidInput, match="there is no such file"):
        evalb_parameters.read_parameters(tmp_path / "missing.prm")


def test_a_file_becomes_a_set(tmp_path: Path) -> None:
    """Labels that pairs make equal form a class; a database file stays as it is."""
    path = tmp_path / "my.prm"
    lines = [
        "LABELED 0",
        "EQ_LABEL A B",
        "EQ_LABEL C D",
        "EQ_LABEL B D",
        "DELETE_LABEL X",
        "DELETE_LABEL X",
        "DISC_ONLY 1",
    ]
    path.write_text("\n".join(lines))
    notes: list[Diagnostic] = []
    with treesql.connect(tmp_path / "t.duckdb"):
        pass
    before = (tmp_path / "t.duckdb").read_bytes()
    with treesql.connect(tmp_path / "t.duckdb", read_only=True) as db:
        name = evalb_parameters.install_rules(db.engine, str(path), notes.append)
        found = rows_of(db, name)
    assert name == "my"
    assert [note.what for note in notes] == ["DISC_ONLY is ignored"]
    classes = {(value, same_as) for parameter, value, same_as in found if parameter == "EQ_LABEL"}
    assert classes == {("A", "C"), ("B", "C"), ("D", "C")} or len({same for _, same in classes}) == 1
    assert {value for value, _ in classes} | {str(same) for _, same in classes} == set("ABCD")
    assert {("LABELED", "0", None), ("DELETE_LABEL", "X", None), ("CUTOFF_LEN", "40", None)} <= found
    assert (tmp_path / "t.duckdb").read_bytes() == before


def test_the_rules_of_spmrl_count_punctuation(db: treesql.Database, tmp_path: Path) -> None:
    """Both have S and VP, NP of one is PP of the other; without `,` both VP have the same words."""
    (tmp_path / "gold.mrg").write_text("(ROOT (S (NP (NN a)) (VP (VB b) (, ,))))\n")
    (tmp_path / "test.mrg").write_text("(ROOT (S (PP (NN a)) (VP (VB b)) (, ,)))\n")
    counts = ("matched", "gold", "test")
    for rules, expected in (("spmrl", [1, 3, 3]), ("COLLINS", [3, 4, 4])):
        [row] = treesql.score(
            "constituency", gold=tmp_path / "gold.mrg", systems=[tmp_path / "test.mrg"], metric="evalb", rules=rules
        ).rows()
        assert [row[one] for one in counts] == expected


def test_switches_of_disco_dop_are_ignored_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "own.prm").write_text("DEBUG 0\nTED 1\nDEP 1\nDISC_ONLY 0\nDELETE_WORD .\n")
    parameters = evalb_parameters.read_parameters(tmp_path / "own.prm")
    assert [note.what for note in parameters.notes] == ["TED is ignored", "DEP is ignored", "DISC_ONLY is ignored"]
    assert ("DELETE_BY", "gold", None) in parameters.rows


def test_parameters_of_discodop(tmp_path: Path) -> None:
    """What its documentation lists is read, ignored with a reason, or refused by name where it changes scores."""
    path = tmp_path / "a.prm"
    path.write_text("LA 1\nTED 0\nDELETE_ROOT_PRETERMS 0\nDELETE_WORD x\n")
    found = evalb_parameters.read_parameters(path)
    assert [(note.line, note.what) for note in found.notes] == [(1, "LA is ignored"), (2, "TED is ignored")]
    assert found.deleted_words == ("x",)
    path.write_text("DELETE_LABEL A\nDELETE_ROOT_PRETERMS 1\n")
    with pytest.raises(InvalidInput, match=r"a\.prm:2:1: DELETE_ROOT_PRETERMS, words directly below the root left out"):
        evalb_parameters.read_parameters(path)
