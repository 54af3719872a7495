"""Metrics of a few lines, as files of queries/; files to score."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.conftest import FIXTURES, conllu
from treesql import catalog
from treesql.catalog import header, kinds


@pytest.fixture
def toy_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file more in queries/: the mean length of words in capitals and others."""
    for family in header.folder("queries").iterdir():
        (tmp_path / family.name).symlink_to(family)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "form_length.sql").write_text(
        dedent("""\
        -- form_length: how long words are; one row per word.
        -- kind: metric
        -- parameter text_corpus TEXT: the corpus
        -- column sentence INTEGER: its sentence
        -- column word INTEGER: its position
        -- count words BIGINT: 1 for every word
        -- column characters DOUBLE: its length
        -- score mean_length number neither = sum(characters) / nullif(sum(words), 0): mean length of a word
        -- source: none
        SELECT w.sentence, w.word, 1 AS words, CAST(length(w.form) AS DOUBLE) AS characters
        FROM words AS w
        WHERE w.corpus = $text_corpus
        """)
    )
    (tmp_path / "toy" / "long_forms.sql").write_text(
        dedent("""\
        -- long_forms: words that are longer than they may be; one row per word.
        -- kind: audit
        -- parameter text_corpus TEXT: the corpus
        -- parameter longest INTEGER = 6: so many characters are allowed
        -- column file VARCHAR: where it is
        -- column line BIGINT: its line
        -- column problem VARCHAR: what is wrong
        -- column hint VARCHAR: what to do
        -- source: none
        SELECT 'f' AS file, CAST(w.word AS BIGINT) AS line, w.form || ' is long' AS problem, 'shorten it' AS hint
        FROM words AS w
        WHERE w.corpus = $text_corpus AND length(w.form) > $longest
        """)
    )
    for name, parameter in (
        ("audited", ""),
        ("audited_as_given", "-- parameter longest INTEGER = 6: as in the audit\n"),
    ):
        (tmp_path / "toy" / f"{name}.sql").write_text(
            f"-- {name}: how many words there are; one row per word.\n-- kind: metric\n"
            f"-- parameter text_corpus TEXT: the corpus\n{parameter}-- audit long_forms\n"
            "-- column sentence INTEGER: its sentence\n-- column {name}_words BIGINT: 1 for every word\n"
            "-- score {name}_length number neither = sum({name}_words): words\n-- source: none\n"
            "SELECT w.sentence, 1 AS {name}_words\nFROM words AS w\nWHERE w.corpus = $text_corpus\n".replace(
                "{name}", name
            )
        )
    (tmp_path / "toy" / "kind.toml").write_text(
        'doc = "Score words."\n[[roles]]\nname = "text"\nside = "system"\nreads = "words"\ndoc = "the corpus"\n'
    )
    real = header.folder
    monkeypatch.setattr(header, "folder", lambda name: tmp_path if name == "queries" else real(name))
    for module in (catalog, kinds):
        module.clear_cache()
    yield
    for module in (catalog, kinds):
        module.clear_cache()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixtures, and files that single options need."""
    path = tmp_path_factory.mktemp("files")
    for file in FIXTURES.iterdir():
        if file.is_file():
            shutil.copy(file, path)
    texts = {
        "w.csv": "relation,weight\nnsubj,1\ndet,0\n",
        "v.csv": "relation,weight\nnsubj,0\ndet,1\n",
        "c.csv": "relation,class\nnsubj,content\ndet,other\n",
        "labels.prm": "LABELED 0\n",
        "plain": "1-1 2-2 3-3\n1-1 2-3\n",
        "plain-a": "1-1 2-2 3-2\n1-1 3-2\n",
        "plain-b.talp": "1-1 2-2 3-2\n1-1 3-2\n",
        "null.wpt": "1 1 1\n1 2 2\n1 0 3\n",
        "null-a.wpt": "1 1 1\n1 2 3\n1 0 3\n",
        "one.fst.txt": "0 1 1 1 0.5\n1 2 2 2 0.5\n2\n",
        "one.syms": "<eps> 0\nthe 1\ncat 2\n",
        "other.syms": "<eps> 0\nthe 1\nhat 2\n",
        "empty.txt": "\n",
        "one.txt": "the cat\n",
        "ids.txt": "u1 the cat\nu2 a dog\n",
        "ids-r.txt": "u2 the dog\nu1 the cat\n",
        "brackets": "((a,b),(c,(d,e)));\n",
        "brackets-a": "((a,b),(d,(c,e)));\n",
        "one.nwk": "((a,b),(c,(d,e)));\n",
        "two.nwk": "((a,c),(b,(d,x)));\n",
    }
    for name, text in texts.items():
        (path / name).write_text(text)
    cyclic = conllu("a:2:det b:1:det c:0:root", "x:0:root y:1:obj")
    (path / "cyclic.conllu").write_bytes(cyclic)
    (path / "tree.conllu").write_bytes(conllu("a:2:det b:3:nsubj c:0:root", "x:0:root y:1:obj"))
    return path
