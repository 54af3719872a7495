"""Which reader takes a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.house.rules import in_turn
from treesql import readers, writers
from treesql.catalog.kinds import ANY_KIND, KINDS, USUAL, FileFormat, formats_in, listed
from treesql.errors import UnknownName, UsageError


@in_turn(
    ("paths", "asked", "form"),
    [
        (["a.conllu", "b.conllu.gz"], None, "conllu"),
        (["a.conllup", "b.cupt.xz"], None, "conllup"),
        (["a.conllx"], None, "conllx"),
        (["a.conll.gz"], None, "conllx"),
        (["a.parquet"], None, "parquet"),
        (["a.mrg", "b.ptb.gz"], None, "penn"),
        (["a.nwk", "b.tre"], None, "newick"),
        (["a.export"], None, "export"),
        (["a.discbracket"], None, "discbracket"),
        (["a.tiger.xml.gz"], None, "tigerxml"),
        (["a.txt", "b.conllx"], None, "conllx"),
        (["a.txt"], None, "text"),
        (["a.pharaoh"], None, "pharaoh"),
        (["a.talp.gz"], None, "talp"),
        (["a.wpt"], None, "wpt"),
        (["a.A3.final"], None, "giza"),
        (["a.plf.gz"], None, "plf"),
        (["a.slf"], None, "slf"),
        (["a.fst.txt"], None, "openfst"),
        (["a.kaldi.lat"], None, "kaldi"),
        (["a.jsonl"], None, "jsonl"),
        (["-"], None, "conllu"),
        ([], None, "conllu"),
        (["a.conllu"], "conllx", "conllx"),
    ],
)
def test_the_format_is_the_one_asked_for_or_told_from_endings(paths: list[str], asked: str | None, form: str) -> None:
    assert readers.format_of(paths, asked) == form


@in_turn(
    ("path", "kind", "form"),
    [
        ("a.txt", "dependency", "conllu"),
        ("a.txt", "text", "text"),
        ("a.txt", "alignment", "pharaoh"),
        ("a.ph0", "alignment", "pharaoh"),
        ("a.txt", "lattice", "plf"),
        ("a.fst.txt", "lattice", "openfst"),
        ("a.conllu", "alignment", "conllu"),
    ],
)
def test_the_usual_format_of_a_kind(path: str, kind: str, form: str) -> None:
    assert readers.format_of([path], None, kind) == form


def test_formats_that_cannot_be_told() -> None:
    with pytest.raises(UsageError, match=r"several formats \(a.conllu is conllu, a.conll is conllx\)"):
        readers.format_of(["a.conllu", "a.conll"], None)
    with pytest.raises(UnknownName, match="did you mean conllu"):
        readers.format_of([], "conlu")


def test_every_format_is_a_module_with_endings_and_a_reader() -> None:
    names = list(readers.formats())
    assert names[0] == "conllu"
    assert names[-1] == "parquet"
    kinds = [readers.kind(name) for name in names]
    assert sorted(kinds, key=(*KINDS, ANY_KIND).index) == kinds
    assert {name for kind, name in USUAL.items() if kinds.index(kind) == names.index(name)} == set(USUAL.values())
    assert all(readers.kind(form) == one.kind for form, one in writers.formats().items())
    for name in readers.formats():
        module = readers.reader_module(name)
        assert all(suffix.startswith(".") for suffix in module.SUFFIXES)
        assert callable(module.read)
        declared = FileFormat(name, module.SUFFIXES, module.KIND, getattr(module, "SCORE_SENSES", ()))
        assert readers.formats()[name] == declared


def test_a_format_is_found_by_its_constants(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(
        'SUFFIXES = (".b",)\nKIND = "lattice"\nSCORE_SENSES = ("cost",)\n\ndef read(): ...\n'
    )
    (tmp_path / "a.py").write_text('SUFFIXES = (".a", ".aa")\nKIND = "any"\n')
    (tmp_path / "helper.py").write_text('KIND = "lattice"\n')
    found = formats_in(str(tmp_path))
    assert list(found.values()) == [
        FileFormat("b", (".b",), "lattice", ("cost",)), FileFormat("a", (".a", ".aa"), "any")
    ]  # fmt: skip
    assert listed(found) == listed(found, "lattice") == "b, a"
    assert listed(found, "text") == "a"


def test_formats_of_the_front_door() -> None:
    found = {one.name: one for one in treesql.formats()}
    assert [one for one in found if found[one].read] == list(readers.formats())
    assert [one for one in found if found[one].written] == list(writers.formats())
    assert found["conllu"] == treesql.Format("conllu", "dependency", (".conllu",), read=True, written=True)
    assert not found["kaldi"].written
    lattices = [one.name for one in treesql.formats("lattice")]
    assert lattices[0] == "plf"
    assert lattices[-1] == "parquet"
    assert {found[name].kind for name in lattices} == {"lattice", ANY_KIND}


def test_what_trees_a_format_has() -> None:
    expected = {
        "dependency": {"conllu", "conllup", "conllx"},
        "constituency": {"discbracket", "export", "newick", "penn", "tigerxml"},
        "text": {"text", "trn", "stm", "ctm"},
        "alignment": {"giza", "pharaoh", "talp", "wpt"},
        "lattice": {"jsonl", "kaldi", "openfst", "plf", "slf"},
    }
    for kind, names in expected.items():
        assert names <= {name for name in readers.formats() if readers.kind(name) == kind}
