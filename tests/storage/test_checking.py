"""What treesql check finds in texts, and sent_ids that files of one corpus share."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu

CHILD, HOUSE = "\u05d9\u05dc\u05d3", "\u05d1\u05d9\u05ea"


def three(*words: str) -> str:
    """A sentence of three words, and its text."""
    lines = [f"{at}\t{word}\t_\tX\t_\t_\t{at - 1}\tdep\t_\t_\n" for at, word in enumerate(words, 1)]
    return f"# sent_id = three\n# text = {' '.join(words)}\n{''.join(lines)}\n"


FRENCH = """\
# a comment
# sent_id = fr
# text = Au parc !
1-2	Au	_	_	_	_	_	_	_	_
1	à	_	ADP	_	_	3	case	_	_
2	le	_	DET	_	_	3	det	_	_
3	parc	_	NOUN	_	_	0	root	_	_
3.1	grand	_	ADJ	_	_	_	_	3:amod	_
4	!	_	PUNCT	_	_	3	punct	_	_

"""


def found(folder: Path, text: str) -> list[tuple[int, str]]:
    (folder / "a.conllu").write_text(text, "utf-8")
    return [(one.line, one.what) for one in treesql.check(folder / "a.conllu").warnings]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Au parc !", "Au  parc\u00a0! "),  # whatever blanks
        ("# text = Au parc !\n", ""),
        ("3\tparc\t_\tNOUN\t_\t_\t0\troot\t_\t_", "3\tparc\t_\tNOUN\t_\t_\t0\troot\t_\tSpacesAfter=\\s\\s"),
    ],
)
def test_texts_of_their_words(tmp_path: Path, old: str, new: str) -> None:
    assert old in FRENCH
    assert found(tmp_path, FRENCH.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("parc !\n", "parc!\n", "character 8: '!', in its words ' !'"),
        ("4\t!\t_\tPUNCT", "4\t?\t_\tPUNCT", "character 9: '!', in its words '?'"),
        ("\troot\t_\t_", "\troot\t_\tSpaceAfter=No", "character 8: ' !', in its words '!'"),
        ("parc !\n", "parc\n", "character 8: '', in its words ' !'"),
        ("1-2\tAu\t_\t_\t_\t_\t_\t_\t_\t_\n", "", "character 1: 'Au parc !', in its words 'à le parc !'"),
    ],
)
def test_a_text_that_is_not_that_of_its_words(tmp_path: Path, old: str, new: str, place: str) -> None:
    assert old in FRENCH
    right = FRENCH.replace("= fr", "= right")
    what = f"1 sentence whose # text is not FORM and SpaceAfter: fr ({place})"
    assert found(tmp_path, right + FRENCH.replace(old, new)) == [(right.count("\n") + 3, what)]


def test_the_line_is_that_of_the_text_and_not_of_other_comments(tmp_path: Path) -> None:
    wrong = FRENCH.replace("# text = Au parc !", "# text_en = To the park!\n#text = Au parc!")
    [(line, _)] = found(tmp_path, wrong)
    assert line == 4


def test_without_misc_nothing_says_where_blanks_are(tmp_path: Path) -> None:
    lines = ["# text = Au parc!", "1\tAu\t2\tcase", "2\tparc\t0\troot", "3\t!\t2\tpunct", "", ""]
    for columns, expected in (("ID FORM HEAD DEPREL", 0), ("ID FORM HEAD DEPREL MISC", 1)):
        rows = [line + "\t_" * ("\t" in line and expected) for line in lines]
        (tmp_path / "a.conllup").write_text("\n".join([f"# global.columns = {columns}", *rows]), "utf-8")
        assert len(treesql.check(tmp_path / "a.conllup").warnings) == expected


def test_a_text_that_begins_in_the_other_direction(tmp_path: Path) -> None:
    what = "1 sentence whose text begins with a letter of the other direction of writing: three"
    assert found(tmp_path, FRENCH + three("PC", CHILD, HOUSE)) == [(FRENCH.count("\n") + 2, what)]
    assert found(tmp_path, three(CHILD, "hello", "world")) == [(2, what)]
    assert found(tmp_path, three("1", CHILD, HOUSE)) == []  # digits have no direction of their own
    assert found(tmp_path, three("hello", "world", CHILD)) == []


def test_ids_that_files_of_a_corpus_share(tmp_path: Path, db: treesql.Database) -> None:
    paths = [tmp_path / f"{name}.conllu" for name in "ab"]
    for path in paths:
        path.write_text(FRENCH, "utf-8")
    with pytest.warns(treesql.TreesqlWarning, match="b.conllu:1: 1 sentence with a repeated sent_id: fr; make every"):
        db.load(*paths, corpus="one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        db.load(paths[0], corpus="a")
        db.load(paths[1], corpus="b")
        assert treesql.check(*paths).warnings == ()  # they may be a gold file and a parser's
    db.export(tmp_path / "exported", corpus="one")
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence with a repeated sent_id: fr"):
        db.load(tmp_path / "exported", corpus="again")


def test_files_of_no_format_hide_no_errors_of_others(tmp_path: Path) -> None:
    picture, wrong, fine = (tmp_path / name for name in ("p.png", "wrong.conllu", "fine.conllu"))
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    wrong.write_text("1\ta\n")
    fine.write_bytes(conllu("a:0:root"))
    found = treesql.check(fine, picture, wrong)
    assert [(Path(fault.path).name, fault.line) for fault in found.faults] == [("p.png", 0), ("wrong.conllu", 1)]
    assert [Path(fault.path).name for fault in treesql.check(picture, fine).faults] == ["p.png"]
    assert [Path(fault.path).name for fault in treesql.check(picture, picture).faults] == ["p.png"]
