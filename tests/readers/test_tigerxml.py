"""TIGER-XML: rows, what other tools write, hostile files, and every fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import columns, faults_of, read_rows
from treesql.readers import Options
from treesql.readers.constituents import tigerxml
from treesql.readers.source import CHUNK_BYTES

T1, T2 = '<t id="1" word="a" pos="A"/>', '<t id="2" word="b" pos="B"/>'


def document(graph: str, *, head: str = "", root: str = "") -> str:
    return f'{head}<corpus><body>\n<s id="s">\n<graph{root}>\n{graph}\n</graph></s></body></corpus>\n'


def parts(terminals: str, nonterminals: str) -> str:
    return f"<terminals>{terminals}</terminals>\n<nonterminals>{nonterminals}</nonterminals>"


@pytest.mark.parametrize("size", [CHUNK_BYTES, 5])
def test_every_column(size: int) -> None:
    tables = read_rows(FIXTURES / "coordination.tigerxml", "tigerxml", size=size)
    found = columns(tables["sentences"])
    assert (found["sent_id"], found["line"], found["n_words"]) == (["s1", "s2"], [8, 29], [5, 3])
    words = columns(tables["words"])
    assert words["form"] == ["Sie", "kommt", "&", "geht", ".", "Das", "liest", "Buch"]
    assert words["lemma"] == ["sie", "kommen", None, "gehen", None, "der", "lesen", "Buch"]
    assert words["xpos"] == ["PPER", "VVFIN", "KON", "VVFIN", "$.", "ART", "VVFIN", "NN"]
    assert words["feats"][:3] == ["3.Sg.Nom.Fem", "3.Sg.Pres.Ind", None]
    assert words["misc"][:3] == ["Function=SB|case=Nom", "Function=HD", "Function=CD"]
    assert words["phrase"] == [2, 2, 1, 3, None, 2, 1, 2]
    assert words["line"][:2] == [11, 14]
    constituents = columns(tables["constituents"])
    assert constituents["label"] == ["CS", "S", "S", "S", "NP"]
    assert constituents["functions"] == [None, "-CJ", "-CJ", None, "-OA"]
    assert constituents["continuous"] == [True, True, True, True, False]
    assert tables["secondary_edges"] == [{"sentence": 0, "word": 1, "node": None, "parent": 3, "label": "SB"}]


def test_an_encoding_that_the_file_names(scratch: Path) -> None:
    text = document(parts('<t id="1" word="é" pos="A"/>', ""), head='<?xml version="1.0" encoding="ISO-8859-1"?>\n')
    scratch.write_bytes(text.encode("latin-1"))
    assert [row["form"] for row in read_rows(scratch, "tigerxml")["words"]] == ["é"]


def test_bars_and_ampersands_in_misc(scratch: Path) -> None:
    words = '<t id="1" word="a" case="x|y&amp;z"/>' + T2
    edges = '<edge idref="1" label="a|b&amp;c"/><edge idref="2" label="a&amp;b"/>'
    scratch.write_text(document(parts(words, f'<nt id="3" cat="S">{edges}</nt>')))
    assert columns(read_rows(scratch, "tigerxml")["words"])["misc"] == [
        "Function=a&#124;b&c|case=x&#124;y&amp;z", "Function=a&b",
    ]  # fmt: skip


def test_labels_that_are_open_or_have_signs(scratch: Path) -> None:
    edges = "".join(f'<edge idref="{at}" label="{label}"/>' for at, label in ((5, "--"), (6, "-"), (7, "=X"), (8, "")))
    phrases = "".join(f'<nt id="{at + 4}" cat="--"><edge idref="{at}"/></nt>' for at in range(1, 5))
    words = "".join(f'<t id="{at}" word="--" pos="--"/>' for at in range(1, 5))
    scratch.write_text(document(parts(words, f'<nt id="9" cat="S">{edges}</nt>{phrases}')))
    tables = read_rows(scratch, "tigerxml")
    assert columns(tables["constituents"])["functions"] == [None, None, "--", "=X", None]
    assert columns(tables["constituents"])["label"] == ["S", None, None, None, None]
    assert {(row["form"], row["xpos"], row["misc"]) for row in tables["words"]} == {("--", None, None)}


@pytest.mark.parametrize("size", [CHUNK_BYTES, 7])
def test_what_xml_may_write(scratch: Path, size: int) -> None:
    """Comments, single quotes, entities, CDATA between elements, blanks and instructions change nothing."""
    plain = document(parts(T1 + '<t id="2" word="&amp;" pos="B"/>', '<nt id="3" cat="S"><edge idref="1"/></nt>'))
    odd = plain.replace('word="a"', "word = '&#97;'").replace("/><t", "/><!-- <t --><t\t")
    odd = odd.replace("<nonterminals>", "<?note <s>?><nonterminals><![CDATA[<nt/>]]>").replace("</graph>", "</graph >")
    scratch.write_text(plain)
    found = read_rows(scratch, "tigerxml")
    scratch.write_text(odd)
    assert read_rows(scratch, "tigerxml", size=size) == found
    assert columns(found["words"])["form"] == ["a", "&"]


def test_sentences_that_are_read_at_once_do_not_change_rows(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and faults are the same however many sentences become rows together."""
    graph = f'<graph>{parts(T1, """<nt id="3" cat="S"><edge idref="1"/></nt>""")}</graph>'
    sentences = [f'<s id="s{at}">{graph}</s>\n' for at in range(6)]
    body = "<corpus><body>\n{}</body></corpus>\n"
    scratch.write_text(body.format("".join(sentences)))
    found = read_rows(scratch, "tigerxml")
    assert columns(found["sentences"])["sent_id"] == [f"s{at}" for at in range(6)]
    sentences[1] = sentences[1].replace('"S"', '"S T"')
    sentences[4] = sentences[4].replace('idref="1"', 'idref="9"')
    broken = scratch.with_name("broken.tigerxml")
    broken.write_text(body.format("".join(sentences)))
    faults = faults_of(broken, "tigerxml")
    monkeypatch.setattr(tigerxml, "WORDS_AT_ONCE", 1)
    assert read_rows(scratch, "tigerxml", size=9) == found
    assert [fault.line for fault in faults_of(broken, "tigerxml", size=9)] == [4, 11]
    assert [fault.line for fault in faults] == [11]


def test_a_secondary_edge_to_a_word_is_that_of_its_parent(scratch: Path) -> None:
    """In Eukalyptus the phrase above has the edge, in TIGER what hangs below; between two phrases it is as in TIGER."""
    phrase = '<nt id="3" cat="S"><edge idref="1" label="HD"/><secedge idref="2" label="SB"/></nt>'
    scratch.write_text(document(parts(T1 + T2, phrase)))
    assert read_rows(scratch, "tigerxml")["secondary_edges"] == [
        {"sentence": 0, "word": 2, "node": None, "parent": 1, "label": "SB"}
    ]


@in_turn(
    ("text", "line", "what"),
    [
        ("", 0, "the file is empty"),
        ("<corpus/>", 0, "the file has no sentences"),
        ("<corpus>", 1, "this is not well-formed XML: no element found"),
        ("<html/>", 1, "<html> as the outermost element, which TIGER-XML does not have"),
        (document("<t/>"), 4, "<t> in <graph>, which TIGER-XML does not have"),
        (document(parts(T1, "<edge/>")), 5, "<edge> in <nonterminals>, which TIGER-XML does not have"),
        (document(parts('<t id="1"/>', "")), 4, "<t> without a word"),
        (document(parts('<t word="a"/>', "")), 4, "an element without an id"),
        (document(parts(T1 + T1, "")), 4, "id `1` is given twice"),
        (document(parts(T1, '<nt id="1" cat="S"/>')), 5, "id `1` is given twice"),
        (document(parts(T1, '<nt id="3" cat="S"><edge idref="9"/></nt>')), 5,
         "an edge of `3` to `9`, which the sentence does not have"),
        (document(parts(T1, '<nt id="3" cat="S"><edge label="x"/></nt>')), 5, "<edge> of `3` without an idref"),
        (document(parts(T1, '<nt id="3" cat="S"><edge idref="1"/><edge idref="1"/></nt>')), 5, "`1` has two parents"),
        (document(parts(T1, '<nt id="3" cat="S"><edge idref="4"/></nt><nt id="4" cat="S"><edge idref="3"/></nt>')), 5,
         "phrase `3` is below itself"),
        (document(parts(T1, '<nt id="3" cat="S"/>')), 5, "phrase `3` has no words"),
        (document(parts(T1 + T2, '<nt id="3" cat="S"><edge idref="1"/></nt><nt id="4" cat="S"><edge idref="2"/></nt>'),
                  root=' root="3"'), 5, "two roots, `3` and `4`"),
        (document(parts(T1, ""), root=' root="9"'), 2, "root `9` does not exist"),
        (document(parts('<t id="1" word="a"><secedge idref="9"/></t>', "")), 4,
         "a secondary edge to `9`, which the sentence does not have"),
        (document(parts('<t id="1" word="a"><secedge idref="2"/></t>' + T2, "")), 4,
         "a secondary edge between two words, or above the root"),
        (document(parts('<t id="1" word="a&#10;b"/>', "")), 4, "a tab or a line break in a value of `a\nb`"),
        (document(parts(T1, '<nt id="3" cat="S T"><edge idref="1"/></nt>')), 2, "a blank in `S T`"),
        (document(parts('<t id="1" word="&nbsp;"/>', "")), 4, "an entity that is not of XML itself"),
        ('<!DOCTYPE corpus [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + document(parts(T1, "")), 1,
         "a document type declaration, which may define entities or name other files"),
        ('<!DOCTYPE corpus SYSTEM "/etc/passwd">' + document(parts(T1, "")), 1,
         "a document type declaration, which may define entities or name other files"),
        (document(parts(T1, ""), head='<?xml version="1.0" encoding="klingon"?>\n'), 1, "unknown encoding: klingon"),
        ('<corpus><body><subcorpus name="x" external="http://localhost/x.xml"/></body></corpus>', 1,
         "the subcorpus is in another file, `http://localhost/x.xml`"),
        ("<corpus><head>" + "<a>" * 100, 1, "more than 64 elements inside each other"),
    ],
)  # fmt: skip
def test_refused(scratch: Path, text: str, line: int, what: str) -> None:
    scratch.write_text(text, "utf-8")
    fault = faults_of(scratch, "tigerxml")[0]
    assert (fault.line, fault.what) == (line, what)
    assert fault.hint


@pytest.mark.slow
def test_a_million_children(scratch: Path) -> None:
    scratch.write_text(document(parts(T1, '<nt id="3" cat="S">' + '<edge label="x" idref="1"/>' * 1_000_000 + "</nt>")))
    [fault] = faults_of(scratch, "tigerxml")
    assert (fault.line, fault.what) == (2, "a sentence of more than 16 MB")
    scratch.write_text('<corpus><head x="' + "a" * (1 << 21))
    [fault] = faults_of(scratch, "tigerxml", options=Options(max_sentence=1 << 20))
    assert fault.what == "a sentence of more than 1 MB"
