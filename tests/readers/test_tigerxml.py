"""TIGER-XML: rows, what other tools write, hostile files, faults, and plain blocks against element by element."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.readers.reading import Rows, columns, faults_of, read_rows
from treesql.errors import InvalidInput
from treesql.readers import Options, tigerxml
from treesql.readers.source import CHUNK_BYTES
from treesql.readers.tiger_plain import read_plain

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


def test_a_million_children(scratch: Path) -> None:
    scratch.write_text(document(parts(T1, '<nt id="3" cat="S">' + '<edge label="x" idref="1"/>' * 1_000_000 + "</nt>")))
    [fault] = faults_of(scratch, "tigerxml")
    assert (fault.line, fault.what) == (2, "a sentence of more than 16 MB")
    scratch.write_text('<corpus><head x="' + "a" * (1 << 21))
    [fault] = faults_of(scratch, "tigerxml", options=Options(max_sentence=1 << 20))
    assert fault.what == "a sentence of more than 1 MB"


HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<corpus id="c">\n<head/>\n<body>\n'
LABELS = (*("HD", "SB", "--", "OA", "=X") * 9, "a|b", "a&amp;b")
N_FILES = 60

CHANGES = (
    ('id="', 'id = "'),
    ('"/>', '" />'), ("<edge", "<!-- <edge -->\n<edge"), ('word="w', 'word="&#119;'), ("<t ", "<t\n"),
    ('pos="', 'pos="a&lt;b'),
    ("</nonterminals>", "</nonterminals >"), ('cat="', "cat='"), ("S'", 'S"'), ("<edge ", "<EDGE "),
    ('idref="', 'idref="x'), ('<nt id="', '<nt id="1" id="'), ("</graph>", "</graph><graph></graph>"), ("</t>", ""),
    ("\n</s>", "</s> "), ('word="w', 'word=""'), ("<terminals>", "<terminals><t/>"), ('label="', 'label="\t'),
    ('cat="', 'cat="A B'), ('lemma="', 'Lemma="'), ('lemma="', 'lemma="a b'), ('root="', 'Root="'), ("w", "\x01"),
    ("w", "\ufffe"), ("<s ", "<subcorpus><s "), ("</s>", "</s><subcorpus name='x'></subcorpus>"), ("=", "=="),
    ('"/>', '"/>x'),
    ("<nt ", "<nt/><nt "), ('word="', 'xml:lang="de" word="'), ('id="', 'id="\u00e9'), ("</s>", "</s>]]>"),
    ('word="', 'word="<'), ('"', "", ), ("</terminals>", ""), ("<secedge", "<edge"), ("<edge", "<secedge"),
)  # fmt: skip
"""What one place of a file is changed to; some of it is XML, and some TIGER-XML."""


def sentence(name: str, random: Random) -> str:
    """A sentence of random words and phrases, with further attributes and secondary edges."""
    n = random.randint(1, 5)
    m = random.randint(0, min(n, 3))
    words = []
    for word in range(1, n + 1):
        more = random.choice(["", ' case="Nom"', ' case="--" number="Sg"', ' number="a&quot;|b" case="Nom"'])
        form = random.choice(["w", "&amp;", "wé", "--", "w w"])
        open_word = f'<t id="{name}_{word}" word="{form}" lemma="--" pos="T{word}" morph="{random.choice("ab|")}"{more}'
        link = f'<secedge label="{random.choice("AB")}" idref="{name}_{500 + random.randrange(max(m, 1))}"/>'
        words.append(f"{open_word}>{link}</t>" if m and random.random() < 0.2 else f"{open_word}/>")
    edges: dict[int, list[str]] = {at: [] for at in range(m + 1)}
    for word in range(1, n + 1):
        at = random.randint(0, m) if word > m else word
        if at:
            edges[at].append(f'{name}_{word}" label="{random.choice(LABELS)}')
    for at in range(2, m + 1):
        edges[random.randint(1, at - 1)].append(f'{name}_{499 + at}" label="{random.choice(LABELS[:4])}')
    phrases = []
    for at in range(1, m + 1):
        more = f'<secedge label="X" idref="{name}_{random.randint(1, n)}"/>' if random.random() < 0.1 else ""
        children = "\n".join(f'<edge idref="{edge}"/>' for edge in edges[at])
        phrases.append(f'<nt id="{name}_{499 + at}" cat="S">\n{children}{more}\n</nt>')
    root = random.choice(["", f' root="{name}_{500 if m else 1}"', ' root=""'])
    lines = [f'<s id="{name}">\n<graph{root}>\n<terminals>', *words, "</terminals>"]
    lines += ["<nonterminals>", *phrases, "</nonterminals>"] if phrases else [random.choice(["", "<nonterminals/>"])]
    return "\n".join([*lines, "</graph>\n</s>\n"])


def outcome(path: Path, size: int) -> Any:
    """The rows of a file, with labels in place of their numbers; or its faults."""
    try:
        tables: dict[str, Rows] = read_rows(path, "tigerxml", size=size)
    except InvalidInput as error:
        return list(error.faults)
    labels = {row["number"]: row["label"] for row in tables.pop("constituent_labels")}
    for row in tables["constituent_lists"]:
        row["labels"] = [labels[at] for at in row.pop("label_list")], [labels[at] for at in row.pop("tag_list")]
    return tables


def test_the_same_rows_and_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(25)
    read, paths = [], []

    def noted(block: bytes, line: int) -> Any:
        found = read_plain(block, line)
        read.append(found is not None)
        return found

    for number in range(N_FILES * 2):
        text = HEAD + "".join(sentence(f"s{at}", random) for at in range(4)) + "</body>\n</corpus>\n"
        if number >= N_FILES:
            old, new = CHANGES[number % len(CHANGES)]
            places = [at for at in range(len(HEAD), len(text)) if text.startswith(old, at)]
            at = random.choice(places) if places else 0
            text = text[:at] + new + text[at + len(old) * bool(places) :]
        paths.append(tmp_path / f"{number}.tigerxml")
        paths[-1].write_text(text, "utf-8")
    paths.append(FIXTURES / "coordination.tigerxml")
    monkeypatch.setattr(tigerxml, "read_plain", noted)
    size = 700
    plain = [outcome(path, size) for path in paths]
    assert read.count(True) > N_FILES // 2
    assert read.count(False) > N_FILES // 4
    monkeypatch.setattr(tigerxml, "read_plain", lambda *_: None)
    for path, found in zip(paths, plain, strict=True):
        assert found == outcome(path, size), path.read_text("utf-8")
    assert sum(isinstance(found, dict) for found in plain) > N_FILES
