"""Files that are recognised by what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.packed import PACK
from tests.readers.reading import faults_of
from treesql import readers
from treesql.errors import InvalidInput, UsageError
from treesql.readers import recognise_format
from treesql.readers.source import describe_foreign

FILES = {
    "gold.conllu": "conllu", "gold.mrg": "penn", "trees.nwk": "newick", "discontinuous.export": "export",
    "links.pharaoh": "pharaoh", "lattices.plf": "plf", "discontinuous.discbracket": "discbracket",
    "coordination.tigerxml": "tigerxml",
}  # fmt: skip


@in_turn("name", FILES)
def test_fixtures_are_recognised_without_their_endings(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file.unknown"
    path.write_bytes((FIXTURES / name).read_bytes())
    assert readers.format_of([str(path)], None) == FILES[name]


@in_turn("text", ["", "# a comment", "the cat", "a\tb\n", "1 2 3", "\n\n"])
def test_what_may_be_anything_is_not_recognised(tmp_path: Path, text: str) -> None:
    assert recognise_format(text.encode()) is None
    path = tmp_path / "file.unknown"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=r"neither its ending nor its content.*format=: conllu, "):
        readers.format_of([str(path)], None)
    assert readers.format_of([str(path)], None, "alignment") == "pharaoh"


@in_turn(
    ("data", "what"),
    [
        (b"\xd6\xfd\xb2\x7e\x06\x00\x00\x00vector", "this is a binary OpenFst file"),
        (b"PK\x03\x04\x14\x00[Content_Types].xml", "this is an xlsx workbook or another Office file"),
        (b"PK\x03\x04\x14\x00a.conllu", "this is a zip archive"),
        (b"%PDF-1.5\n", "this is a PDF file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "this is a picture (PNG, JPEG or GIF)"),
        (b"RIFF\x24\x08\x00\x00WAVEfmt ", "this is a sound file"),
        (b"\x7fELF\x02\x01\x01", "this is a program (ELF)"),
        (b"SQLite format 3\x00\x10\x00", "this is an SQLite database"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", "this is a 7z or rar archive"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': '<i8'", "this is a file of arrays or objects"),
        (bytes(range(256)), "this is a binary file, of none of the formats that are read"),
        ("1\tthe\tthe\tDET".encode("utf-16-le"), "this is a UTF-16 file"),
        (b"PAR1\x00", "this is a Parquet file"),
        ("1\ta".encode("utf-16"), "this is a UTF-16 file"),
        (b'<?xml version="1.0"?>\n<html>', "this is an XML file"),
        (b'<!DOCTYPE html>\n<html lang="en">\n<head>\n', "this is a web page (HTML)"),
        (b"\n<html>\n", "this is a web page (HTML)"),
        (b'<?xml version="1.0"?>\n<html><s>a</s>', "this is an XML file"),
        (
            b'<?xml version="1.0"?>\n<sentences>\n<s id="1">\n <english>a & b</english>\n <czech>a</czech> <sure>1<',
            "this is the XML of the Czech-English Manual Word Alignment",
        ),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML//EN" "">\n<cesAlign version="1.0">',
            "this is the XML of XCES, in which OPUS aligns the sentences of Europarl and others",
        ),
        (b'<tmx version="1.4">\n<header/>', "this is TMX, a translation memory, which has no links between words"),
        (
            b"<?xml version='1.0'?>\n<treex_document xmlns='x'>",
            "this is the XML of Treex or PML, as of the Prague dependency treebanks",
        ),
        (b'<?xml version="1.0"?>\n<!-- a comment -->\n<corpora >', "this is an XML file"),
    ],
)
def test_other_files_are_named(scratch: Path, data: bytes, what: str) -> None:
    scratch.write_bytes(data)
    [fault] = faults_of(scratch)
    assert (fault.line, fault.what) == (0, what)
    assert fault.hint


@in_turn("text", [b"# A title\n\nsome words\n\nand others\n" * 30, b"1 a _ _ _ _ 0 root _ _\n\n" * 30])
def test_a_text_without_a_line_of_the_format_is_one_error(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "text.conllu"
    path.write_bytes(text)
    [fault] = faults_of(path)
    assert fault.what == "1 field where CoNLL-U has 10"
    assert "--from if this is not CoNLL-U" in fault.hint


@in_turn("ending", PACK)
def test_other_files_are_named_when_they_are_packed(scratch: Path, ending: str) -> None:
    packed = PACK[ending]
    for data, what in ((b"\xd6\xfd\xb2\x7e\x06", "a binary OpenFst file"), (packed(b"a"), "file, packed with")):
        scratch.write_bytes(packed(data))
        [fault] = faults_of(scratch)
        assert fault.what.startswith("this is ")
        assert what in fault.what
    scratch.write_bytes(packed(b"\xef\xbb\xbf<?xml version='1.0'?>\n<html id='T'>" + bytes(20 << 20)))
    [fault] = faults_of(scratch)
    assert fault.what.startswith("this is an XML file, packed with "), (
        "it is a bomb, too, but only its head is unpacked"
    )
    scratch.write_bytes(packed(bytes(257) + b"ustar" + b"a" * 9000))
    assert "this is a tar archive, packed with " in faults_of(scratch)[0].what


def test_a_text_may_have_control_characters() -> None:
    """One in twenty bytes, or fewer than eight: such a text has a fault in a line, where it has one."""
    assert describe_foreign(b"a\x00" * 7) is None
    assert describe_foreign(b"a\x00" * 8) == describe_foreign(b"\x00a" * 8) != describe_foreign(bytes(16))
    assert describe_foreign(b"\x00" * 8 + b"a" * 152)
    assert describe_foreign(b"\x00" * 8 + b"a" * 153) is None
    assert describe_foreign(b"\t\n\x1b[1m" * 100) is None


def test_every_file_of_an_unknown_ending_is_looked_at(tmp_path: Path) -> None:
    names = {"a.one": "gold.conllu", "b.two": "gold.mrg", "c.notes": None}
    for name, fixture in names.items():
        (tmp_path / name).write_bytes((FIXTURES / fixture).read_bytes() if fixture else b"a note\n")
    one, two, notes = (str(tmp_path / name) for name in names)
    assert readers.format_of([notes, one], None) == "conllu"
    assert readers.format_of([one, two], "penn") == "penn"
    assert readers.format_of([one, two], None, "constituency") == "penn"
    for files in ([one, two], [two, one], [str(FIXTURES / "gold.conllu"), two]):
        with pytest.raises(UsageError, match=r"several formats \(\S+ is conllu, \S+two is penn\); give those"):
            readers.format_of(files, None)
    assert readers.format_of([str(FIXTURES / "trees.nwk"), two], None) == "newick", "these begin alike"


def test_a_file_of_no_known_format_is_a_fault_for_check(scratch: Path) -> None:
    """Not an error of usage, as a missing file is."""
    unknown = scratch.with_suffix(".unknown")
    for data, what in ((b"a note\n", "neither its ending nor its content"), (b"%PDF-1.5", "this is a PDF file")):
        unknown.write_bytes(data)
        [fault] = treesql.check(unknown).faults
        assert fault.what.startswith(what)
    with pytest.raises(InvalidInput, match="no such file"):
        treesql.check(scratch.with_suffix(".missing"))


def test_a_wrong_format_is_one_error() -> None:
    [fault] = treesql.check(FIXTURES / "gold.mrg", format="conllu").faults
    assert fault.what == "this does not look like conllu: 1 field where CoNLL-U has 10; it looks like penn"
    assert fault.hint == "read it with --from penn"
    [fault] = treesql.check(FIXTURES / "gold.conllu", format="penn").faults
    assert fault.hint == "read it with --from conllu"


def test_a_file_of_the_format_keeps_its_errors(scratch: Path) -> None:
    scratch.write_text("1\ta\t_\t_\t_\t_\tx\troot\t_\t_\n\n", "utf-8")
    [fault] = faults_of(scratch)
    assert fault.what == "HEAD `x` is not a number"


OTHERS = [one.name for one in treesql.formats() if one.name not in ("conllu", "conllup", "parquet", "text")]


@pytest.mark.spread(5)
@pytest.mark.parametrize("form", OTHERS)
def test_a_treebank_read_as_another_format_is_one_error(form: str) -> None:
    """Comments before the first fault, and multiword tokens far behind, do not hide what the file is."""
    with pytest.raises(treesql.InvalidInput) as caught:
        treesql.load(":memory:", FIXTURES / "gold.conllu", corpus="x", format=form)
    [fault] = caught.value.faults
    assert fault.what.startswith(f"this does not look like {form}: ")
    assert fault.what.endswith("; it looks like conllu")
    assert fault.hint == "read it with format='conllu'"


def test_a_treebank_read_as_text_is_a_warning() -> None:
    [warning] = treesql.check(FIXTURES / "gold.conllu", format="text").warnings
    assert warning.what == "this looks like conllu, and every line is read as a sentence"
    assert warning.hint == "read it with --from conllu"
    assert not treesql.check(FIXTURES / "lattices.txt", format="text").warnings
