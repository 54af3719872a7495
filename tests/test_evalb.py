"""EVALB's parameter files: those that treesql has, every parameter, every fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from treesql import evalb
from treesql.errors import InvalidInput, UnknownName

PUNCTUATION = (",", ":", "``", "''", ".")


def test_the_parameters_of_collins() -> None:
    assert evalb.names() == ("COLLINS", "new")
    found = evalb.find("COLLINS")
    assert found == evalb.Parameters(
        labelled=True,
        deleted=("TOP", "-NONE-", *PUNCTUATION),
        deleted_for_length=("-NONE-",),
        equal_labels=(("ADVP", "PRT"),),
        cutoff_length=40,
        max_error=10,
        debug=0,
    )
    assert evalb.find("COLLINS.prm") == found


def test_the_newer_parameters_add_marks_and_quotes() -> None:
    collins, new = evalb.find("COLLINS"), evalb.find("new.prm")
    assert set(new.deleted) - set(collins.deleted) == {"S1", "?", "!"}
    assert set(collins.deleted) < set(new.deleted)
    assert {"``", "''", "POS"} <= set(new.quotes)
    assert (new.deleted_for_length, new.equal_labels) == (collins.deleted_for_length, collins.equal_labels)


def test_every_parameter(tmp_path: Path) -> None:
    path = tmp_path / "my.prm"
    path.write_text(
        "## a comment\n\nDEBUG 2\nMAX_ERROR\t100  \n  CUTOFF_LEN 70\nLABELED 0\nDELETE_LABEL #\n"
        "DELETE_LABEL_FOR_LENGTH -NONE-\nQUOTE_LABEL POS\nEQ_LABEL A B\nEQ_LABEL C D\nEQ_WORD Ü ü\nDISC_ONLY 1\n"
    )
    found = evalb.find(str(path))
    assert found == evalb.Parameters(
        False, ("#",), ("-NONE-",), ("POS",), (("A", "B"), ("C", "D")), (("Ü", "ü"),), 70, 100, 2
    )
    assert [(note.line, note.column, note.what) for note in found.notes] == [(13, 1, "DISC_ONLY is passed over")]


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.prm").write_text("")
    assert evalb.read(tmp_path / "empty.prm") == evalb.Parameters()


@pytest.mark.parametrize(
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
        ("LABELED 2", 9, "LABELED is `2`", "write 1 for labelled"),
        ("DEBUG 1", 1, "DEBUG stands twice", "give it once"),
        ("LABELED\xff 1", 0, "byte 0xff is not UTF-8 here", "convert"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, line: str, column: int, what: str, hint: str) -> None:
    path = tmp_path / "bad.prm"
    path.write_bytes(b"DEBUG 0\n# comment\n" + line.encode("latin-1") + b"\nMAX_ERROR 1\n")
    with pytest.raises(InvalidInput) as caught:
        evalb.read(path)
    fault = caught.value.faults[0]
    assert (fault.line, fault.column, fault.what) == (3, column, what)
    assert fault.hint.startswith(hint)


def test_names_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown parameter file 'COLINS'; did you mean COLLINS"):
        evalb.find("COLINS")
    with pytest.raises(InvalidInput, match="No such file"):
        evalb.read(tmp_path / "missing.prm")
