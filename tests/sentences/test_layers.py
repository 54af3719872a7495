"""What other corpora have of a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql

WORD = "{}\t{}\t_\t_\t_\t_\t{}\tdep\t_\t_\n"


def _tree(name: str, words: str, *, text: bool = True) -> str:
    """A sentence of which every word depends on the one before."""
    comments = f"# sent_id = {name}\n" * bool(name) + f"# text = {words}\n" * text
    lines = [WORD.format(number, word, number - 1) for number, word in enumerate(words.split(), 1)]
    return comments + "".join(lines).replace("\t0\tdep", "\t0\troot") + "\n"


@pytest.fixture
def database(tmp_path: Path) -> treesql.Database:
    database = treesql.connect()
    for name, text in {
        "gold.conllu": _tree("a", "I see it") + _tree("b", "Yes"),
        "parser.conllu": _tree("b", "Yes") + _tree("a", "I see it"),
        "bare.conllu": _tree("", "I see it", text=False) + _tree("", "Yes", text=False),
        "other.conllu": _tree("a", "You see it") + _tree("b", "No"),
        "short.conllu": _tree("", "I see it", text=False),
        "german.conllu": _tree("de", "Ich sehe es") + _tree("ja", "Ja"),
        "tree.mrg": "(S (NP (PRP I)) (VP (VB see) (NP (PRP it))))\n(S (UH Yes))\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
        database.load(tmp_path / name, corpus=name.partition(".")[0])
    (tmp_path / "links.pharaoh").write_text("0-0 1-1 2-2\n0-0\n", "utf-8")
    database.load(tmp_path / "links.pharaoh", corpus="links", source_corpus="gold", target_corpus="german")
    return database


def test_layers_are_trees_of_the_same_words_and_linked_translations(database: treesql.Database) -> None:
    with database:
        rows = [tuple(row.values()) for row in database.layers(database.sentence("a", corpus="gold")).rows()]
        assert rows == [
            ("same words", "bare", "dependency", 0, None),
            ("same words", "parser", "dependency", 1, None),
            ("same words", "tree", "constituency", 0, None),
            ("translation", "german", "dependency", 0, "links"),
        ]
        back = database.layers(database.sentence("ja", corpus="german")).rows()
        assert [(row["layer"], row["corpus"], row["links"]) for row in back if row["links"]] == [
            ("translation", "gold", "links")
        ]
        linked = database.layers(database.sentence(0, corpus="links")).rows()
        assert [(row["layer"], row["corpus"], row["sentence"], row["links"]) for row in linked] == [
            ("source", "gold", 0, "links"),
            ("target", "german", 0, "links"),
        ]


def test_texts_have_those_of_as_many_sentences(tmp_path: Path) -> None:
    for name, text in {"a.txt": "one two\nthree\n", "b.txt": "one\nfour\n", "c.txt": "one\n"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "l.plf").write_text("((('one',0,1),),)\n((('yes',0,1),),)\n", "utf-8")
    with treesql.connect() as database:
        for name in ("a.txt", "b.txt", "c.txt", "l.plf"):
            database.load(tmp_path / name, corpus=name[0])
        rows = database.layers(database.sentence(1, corpus="a")).rows()
        assert [(row["layer"], row["corpus"], row["kind"]) for row in rows] == [
            ("same number", "b", "text"), ("same number", "l", "lattice"),
        ]  # fmt: skip
        assert database.layers(database.sentence(1, corpus="l")).rows() == []
