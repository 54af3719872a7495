"""Plain blocks of TIGER-XML make the rows and the faults that reading from element to element makes."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import FIXTURES
from tests.readers.reading import Rows, read_rows
from treesql.errors import InvalidInput
from treesql.readers import tigerxml
from treesql.readers.tiger_plain import read_plain

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
