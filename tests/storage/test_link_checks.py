"""Links of word alignments checked: sentences that correspond, bounds, base and direction."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.evaluation.word_alignments import GOLD, LINKS, score, written
from treesql.errors import Incomparable, InvalidInput, UnknownName, UsageError, rename_options


def test_different_numbers_of_sentences(tmp_path: Path) -> None:
    two, three = written(tmp_path / "two", "0-0\n0-0\n"), written(tmp_path / "three", "0-0\n0-0\n0-0\n")
    with pytest.raises(Incomparable, match="three:3: gold sentence 3 has no line in two, which has 2 of 3 sentences"):
        score(three, two)
    with pytest.raises(Incomparable, match="three:3: sentence 3 of three is not among the 2 gold sentences"):
        score(two, three)
    wpt = written(tmp_path / "two.wpt", "1 1 1\n2 1 1\n")
    assert [row["recall"] for row in score(three, wpt)] == [2 / 3]
    with heard() as told:
        assert [row["precision"] for row in score(wpt, three)] == [2 / 3]
    [warning] = told
    assert "three: links of sentences after the last gold one, 2: 1; " in warning


GIZA = "# Sentence pair (1) source length 1 target length 1 alignment score : 0.1\na\nNULL ({ }) b ({ 1 })\n"
EMPTY_LINE, EMPTY_BRACKETS = "sentence without links is an empty line", "words are followed by nothing but ({ })"


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("one.pharaoh", "0-0\n", EMPTY_LINE),
        ("one.talp", "1-1\n", EMPTY_LINE),
        ("one.A3.final", GIZA, EMPTY_BRACKETS),
    ],
)
def test_each_format_has_its_own_sentences_without_links(
    name: str, text: str, hint: str, db: treesql.Database, tmp_path: Path
) -> None:
    two, one = written(tmp_path / "two.pharaoh", "0-0\n\n"), written(tmp_path / name, text)
    with pytest.raises(Incomparable) as caught:
        score(two, one)
    assert hint in str(caught.value)
    trees = written(tmp_path / "trees.conllu", conllu("a:0:root", "a:0:root").decode())
    for corpus, path in (("two", two), ("one", one), ("trees", trees)):
        db.load(path, corpus=corpus)
    with pytest.raises(Incomparable) as caught:
        db.query("symmetrised", forward_corpus="two", backward_corpus="one")
    assert hint in str(caught.value)
    with pytest.raises(Incomparable) as caught:
        db.score("path_disparities", reference_corpus="trees", hypothesis_corpus="trees", alignment_corpus="one")
    assert ("an empty one where nothing" if hint == EMPTY_LINE else hint) in str(caught.value)


def texts(folder: Path, source: str, target: str) -> dict[str, Any]:
    return {"source": written(folder / "source.txt", source), "target": written(folder / "target.txt", target)}


def test_links_outside_of_their_sentences(tmp_path: Path) -> None:
    how = texts(tmp_path, "a b\nc\n", "x\ny z\n")
    gold = written(tmp_path / "gold", "0-0 1-0\n0-1\n")
    assert score(gold, gold, **how)[0]["aer"] == 0
    with pytest.raises(InvalidInput) as caught:
        score(gold, written(tmp_path / "wrong", "0-0 1-0\n0-1 0-2 3-0\n"), **how)
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (0, "links outside of their sentences: 2 of 5"),
        (2, "a link of target word 3, in a sentence of 2"),
        (2, "a link of source word 4, in a sentence of 1"),
    ]
    short = written(tmp_path / "short.txt", "a b\n")
    with pytest.raises(InvalidInput, match=r"2 sentences, where short\.txt has 1; give the text that was aligned"):
        score(gold, gold, source=short)


@pytest.mark.parametrize(
    ("links", "how", "hint"),
    [
        ("0-0 0-1\n1-0\n", {}, "with reverse=True it would be none"),
        ("1-1 2-1\n1-2\n", {}, "with base=1 it would be none"),
        ("1-1 1-2\n2-1\n", {}, "with reverse=True and with base=1 it would be none"),
        ("0-0 1-0\n0-1\n", {"reverse": True}, "without reverse=True it would be none"),
    ],
)
def test_a_wrong_base_or_direction(tmp_path: Path, links: str, how: dict[str, Any], hint: str) -> None:
    given = texts(tmp_path, "a b\nc\n", "x\ny z\n")
    gold = written(tmp_path / "gold", "0-0 1-0\n0-1\n")
    system = written(tmp_path / "system", links)
    with pytest.raises(InvalidInput, match=hint):
        score(gold, system, **given, **how)
    of_gold = {f"gold_{name}": value for name, value in how.items()}
    with pytest.raises(InvalidInput, match=re.sub(r"(reverse|base)=", r"gold_\1=", hint)):
        score(system, gold, **given, **of_gold)


def test_links_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "".join(f"{i}-{i + 2}\n" for i in range(40)))
    turned = written(tmp_path / "turned", "".join(f"{i + 2}-{i}\n" for i in range(40)))
    with heard() as told:
        assert score(gold, turned)[0]["aer"] == 1
    [doubt] = told
    assert "0 of the first 40 links are those of gold; with reverse=True it would be 40" in doubt
    assert score(gold, turned, reverse=True)[0]["aer"] == 0


@pytest.mark.parametrize(
    ("gold_shift", "shift", "turned", "hint"),
    [
        (1, 0, False, "with --gold-base 1"),
        (1, 0, True, "with --reverse and with --gold-base 1"),
        (0, 1, False, "with --base 1 --gold-base 0"),
        (0, 1, True, "with --reverse and with --base 1 --gold-base 0"),
    ],
)
def test_a_wrong_base_of_either_file_is_doubted(
    gold_shift: int, shift: int, turned: bool, hint: str, run, tmp_path: Path
) -> None:
    """What is told to say gives the better score."""
    pairs = [(i + 3, 2 * i + 1) for i in range(40)]
    gold = written(tmp_path / "gold", "".join(f"{i + gold_shift}-{j + gold_shift}\n" for i, j in pairs))
    sides = [(j, i) if turned else (i, j) for i, j in pairs]
    system = written(tmp_path / "system", "".join(f"{i + shift}-{j + shift}\n" for i, j in sides))
    with heard() as told:
        assert score(gold, system)[0]["aer"] == 1
    [doubt] = told
    assert f"0 of the first 40 links are those of gold; {rename_options(hint)} it would be 40" in doubt
    said = hint.replace("with ", "").replace(" and", "").split()
    _, out, err = run("score", "alignment", gold, system, *said, "--format", "csv")
    assert (next(csv.DictReader(io.StringIO(out)))["aer"], err) == ("0", "")


def test_the_base_is_that_of_both_files_of_one_format(tmp_path: Path) -> None:
    one, zero = written(tmp_path / "one", "1-1\n"), written(tmp_path / "zero", "0-0\n")
    wpt = written(tmp_path / "gold.wpt", "1 1 1\n")
    assert score(one, one, base=1)[0]["aer"] == 0
    assert score(wpt, zero, base=0)[0]["aer"] == 0
    assert score(zero, one, base=1, gold_base=0)[0]["aer"] == 0
    with pytest.raises(InvalidInput, match=r"zero:1: a link of word 0, `0-0`; .* give gold_base=0"):
        score(zero, one, base=1)


def test_loading_looks_at_the_corpora_that_are_linked(db: treesql.Database, tmp_path: Path) -> None:
    db.load(GOLD, corpus="text")
    with pytest.raises(UnknownName, match="corpus 'txt'; did you mean text"):
        db.load(LINKS, corpus="links", source_corpus="txt")
    far = written(tmp_path / "far.pharaoh", "6-0\n\n9-0\n\n\n")
    with pytest.raises(InvalidInput, match="links outside of their sentences: 1 of 2"):
        db.load(far, corpus="far", source_corpus="text")
    assert db.corpora == ["text"]
    assert db.sql("SELECT count(*) AS n FROM alignments").rows() == [{"n": 0}]
    [loaded] = db.load(LINKS, corpus="links", source_corpus="text", target_corpus="text")
    assert (loaded.n_sentences, loaded.n_words, loaded.n_links) == (5, 0, 15)
    sql = """
        SELECT s.form AS source, t.form AS target FROM alignments AS a
        JOIN words AS s ON s.corpus = a.source_corpus AND s.sentence = a.sentence AND s.word = a.source
        JOIN words AS t ON t.corpus = a.target_corpus AND t.sentence = a.sentence AND t.word = a.target
        WHERE a.corpus = 'links' AND a.sentence = 2 AND a.target = 4
    """
    assert db.sql(sql).rows() == [{"source": "is", "target": "scheduled"}]
    with pytest.raises(UsageError, match="conllu files have no links"):
        db.load(GOLD, corpus="again", base=1)
    db.drop("links")
    assert db.sql("SELECT count(*) AS n FROM alignments").rows() == [{"n": 0}]


def test_loaded_alignments_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    """They cannot be read in another way; what is wrong with them is told."""
    links = {"gold": [(at, at + 2) for at in range(40)], "turned": [(at + 2, at) for at in range(40)]}
    path = str(tmp_path / "links.duckdb")
    with treesql.connect(path) as db:
        for name, pairs in links.items():
            text = "".join(f"{source}-{target}\n" for source, target in pairs)
            db.load(written(tmp_path / f"{name}.pharaoh", text), corpus=name)
        shifted = "".join(f"{source + 1}-{target + 1}\n" for source, target in links["gold"])
        db.load(written(tmp_path / "shifted.pharaoh", shifted), corpus="shifted")
    with heard() as told:
        score("gold", "turned", "shifted", db=path)
    turned, lower = told
    assert "0 of the first 40 links are those of gold; turned round it would be 40" in turned
    assert "0 of the first 40 links are those of gold; with every position one lower it would be 40" in lower
