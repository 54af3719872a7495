"""What is given in memory in place of a file: bytes, open files, lists of sentences. Scores are those of the file."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from treesql.storage import corpus_plans

GOLD, PARSER = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"

KINDS = {
    "dependency": (GOLD, PARSER, "\n\n", "attachment,tagging"),
    "constituency": (FIXTURES / "gold.mrg", FIXTURES / "test.mrg", "\n", "f1"),
    "alignment": (FIXTURES / "links.pharaoh", FIXTURES / "links-a.pharaoh", "\n", "aer"),
    "translation": (FIXTURES / "lattices.txt", FIXTURES / "hypotheses.txt", "\n", "wer"),
}
"""By kind the gold file, a system's, what stands between the sentences of their format, and metrics that read all."""

WAYS: dict[str, Callable[[Path, str], Any]] = {
    "bytes": lambda path, between: path.read_bytes(),
    "packed bytes": lambda path, between: gzip.compress(path.read_bytes()),
    "binary file": lambda path, between: io.BytesIO(path.read_bytes()),
    "text file": lambda path, between: io.StringIO(path.read_text("utf-8")),
    "list": lambda path, between: path.read_text("utf-8").rstrip("\n").split(between),
}


def inputs(kind: str, gold: Any, system: Any) -> dict[str, Any]:
    role = "reference" if kind == "translation" else "gold"
    return {role: gold, "systems": {"a": system}}


@in_turn("kind", KINDS)
def test_scores_are_those_of_files(kind: str) -> None:
    """Bytes are read alike whatever they hold, so that they are tried for one kind, and lists for every format."""
    gold, system, between, metric = KINDS[kind]
    from_files = treesql.score(kind, **inputs(kind, gold, system), metric=metric)
    for way in WAYS if kind == "dependency" else ["list"]:
        given = inputs(kind, *(WAYS[way](path, between) for path in (gold, system)))
        assert treesql.score(kind, **given, metric=metric).rows() == from_files.rows(), way


def test_signatures_name_the_bytes() -> None:
    of_files = treesql.score("dependency", GOLD, PARSER, metric="las").signature
    digests = re.findall(r"@([0-9a-f]{6})", of_files)
    for system, origin in ((PARSER.read_bytes(), "bytes"), (gzip.compress(PARSER.read_bytes()), "bytes")):
        signature = treesql.score("dependency", gold=GOLD.read_bytes(), systems={"a": system}, metric="las").signature
        assert f"gold:bytes@{digests[0]}(conllu)|system:{origin}@{digests[1]}(conllu)" in signature


def test_references_in_lists_of_lists_and_of_files(tmp_path: Path) -> None:
    (tmp_path / "r1.txt").write_text("the dog\nhello\n")
    (tmp_path / "r2.txt").write_text("a cat\nhello there\n")
    lists = [["the dog", "hello"], ["a cat", "hello there"]]
    systems = {"a": ["the cat", "hello there"]}
    for references in (lists, [str(tmp_path / "r1.txt"), str(tmp_path / "r2.txt")], [lists[0], tmp_path / "r2.txt"]):
        [row] = treesql.score("translation", systems=systems, reference=references, metric="wer").rows()
        assert row["wer"] == 1 / 4  # one substitution in four words of the nearest references


HEADS = pl.DataFrame({"sentence": [1, 1], "word": [1, 2], "head": [2, 0], "deprel": ["det", "root"]})


@in_turn(
    ("given", "told"),
    [
        (
            {"gold": "1 x\n\n", "systems": {"a": GOLD}},
            "1 x\\x0a\\x0a: there is no such file; check the path; in Python, a text is given as an open file",
        ),
        ({"gold": 5, "systems": {"a": GOLD}}, "gold is 5 (int)"),
        ({"gold": [], "systems": {"a": GOLD}}, "name the gold: GOLD"),
        ({"gold": GOLD, "system": []}, "system is an empty list"),
        ({"gold": ["1\tx"], "systems": {"a": GOLD}}, "gold:1: 2 fields where CoNLL-U has 10"),
        ({"gold": ["no.conllu"], "systems": {"a": GOLD}}, "no.conllu: there is no such file"),
        ({"gold": [str(GOLD), "some words"], "systems": {"a": GOLD}}, "gold is one file or corpus, and 2 are given"),
        ({"gold": [GOLD.read_text()], "systems": {"a": GOLD}}, "gold: item 1 is not one sentence of conllu"),
        ({"gold": GOLD, "systems": GOLD.read_bytes()}, "a mapping of names"),
        ({"gold": GOLD, "systems": [GOLD.read_bytes()]}, "what is in memory has no name"),
        ({"gold": GOLD, "systems": {"a": 5}}, "a is 5 (int); give a file, bytes, an open file, a list of sentences"),
        (
            {"gold": GOLD, "systems": ["the cat sat"]},
            'the cat sat: there is no such file; sentences are of a system with a name: systems={"a": [...]}',
        ),
        ({"gold": GOLD, "systems": [f"malt={GOLD}"]}, 'a system from systems={"NAME": "FILE"}'),
        ({"gold": GOLD, "systems": [None]}, "system is None; give a file, bytes"),
        ({"gold": "g", "systems": {"a": HEADS}, "db": "x.duckdb"}, "a is a DataFrame; name a corpus of the database"),
        ({"gold": "g", "systems": {"a": b"1"}, "db": "x.duckdb"}, "a is b'1' (bytes); name a corpus of the database"),
        ({"gold": GOLD, "systems": {"a": []}}, "NAME=FILE, and 0 are given"),
        (
            {"gold": GOLD, "systems": {"a": ["a b", "http://a.b/c.stm"]}},
            "and 2 are given; item 2 is taken for a file: http://a.b/c.stm; give sentences as a text that is open",
        ),
        ({"gold": GOLD, "systems": {"a": ["x", None]}}, "and 2 are given; item 2 is None, and a sentence is text"),
        (
            {"gold": ["x", 0.5], "systems": {"a": GOLD}},
            "and 2 are given; item 2 is 0.5 (float), and a sentence is text",
        ),
        ({"gold": GOLD, "systems": {"a": b"%PDF-1.4\n"}}, "a: "),
        ({"gold": GOLD, "systems": {"a": gzip.compress(b"x" * 999)[:-9]}}, "a: "),
    ],
)
def test_what_cannot_be_read_is_one_line(given: dict[str, Any], told: str) -> None:
    with pytest.raises(treesql.TreesqlError) as error:
        treesql.score("dependency", **given)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_lines_of_lists_are_checked() -> None:
    with pytest.raises(treesql.UsageError, match="reference 2 is no list of sentences; item 1 is None, and a sentence"):
        treesql.score("translation", systems={"a": ["x"]}, reference=[["y"], [None]])
    for line in ("y\nz", "y\rz"):
        with pytest.raises(treesql.UsageError, match="a: item 2 has a line break in it"):
            treesql.score("translation", systems={"a": ["x", line]}, reference=["x", "y"])
    with pytest.raises(treesql.Incomparable, match=r"^a:2: hypothesis 2 of a has no counterpart"):
        treesql.score("translation", systems={"a": ["x", "y"]}, reference=["x"])


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_other_functions_take_the_same() -> None:
    sentences = GOLD.read_text("utf-8").rstrip("\n").split("\n\n")
    request = "pattern { V -[nsubj]-> S }"
    assert treesql.find(sentences, request, count=True).rows() == treesql.find(GOLD, request, count=True).rows()
    assert treesql.diff(GOLD.read_bytes(), io.BytesIO(PARSER.read_bytes())).rows() == treesql.diff(GOLD, PARSER).rows()
    assert treesql.check(["(S (NP x))"]).format == "penn"
    drawn = treesql.show(io.StringIO(GOLD.read_text("utf-8")), 0, system=PARSER.read_bytes()).text()
    named = drawn.replace("above: source, below: system", "above: gold.conllu, below: parser-a.conllu")
    assert named == treesql.show(GOLD, 0, system=PARSER).text()
    for function in (treesql.stats, treesql.wde):
        [found, *_], [expected, *_] = (function(one).rows() for one in (sentences, GOLD))
        assert {**found, "treebank": ""} == {**expected, "treebank": ""}
    systems = {"a": PARSER.read_bytes(), "b": GOLD}
    [compared] = treesql.compare("dependency", gold=sentences, systems=systems, metric="las", ci=False).rows()
    assert compared["score_b"] == 1


def test_a_corpus_is_loaded_from_memory_by_a_name() -> None:
    with treesql.connect() as db:
        db.load(GOLD.read_bytes(), corpus="gold")
        db.load(PARSER.read_text("utf-8").rstrip("\n").split("\n\n"), corpus="parser")
        assert db.score("dependency", "gold", ["parser"], metric="attachment").rows() == [
            {**row, "system": "parser"} for row in treesql.score("dependency", GOLD, PARSER, metric="attachment").rows()
        ]
        with pytest.raises(treesql.UsageError, match="a corpus that is given in memory needs a name"):
            db.load(GOLD.read_bytes())
        with pytest.raises(treesql.UsageError, match=r"gold is .* \(bytes\); name a corpus of the database"):
            db.score("dependency", gold=GOLD.read_bytes(), systems={"a": "parser"})


def test_names_of_files_and_folders_beside_it_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gold").mkdir()
    (tmp_path / "a").write_text("no tree")
    monkeypatch.chdir(tmp_path)
    given = {"gold": GOLD.read_bytes(), "systems": {"a": PARSER.read_bytes()}}
    assert treesql.score("dependency", **given, metric="las").rows() == [{"system": "a", "las": 24 / 30}]


def test_among_many_sentences_one_may_be_the_name_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not among few, which may all be names with blanks, and not a word, which is more like a name than a sentence."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "the cat").touch()
    (tmp_path / "cat").touch()
    lines = [*["a dog"] * corpus_plans.MAX_NAMES, "the cat"]
    [row] = treesql.score("translation", reference=lines, systems={"a": lines}, metric="wer").rows()
    assert row["wer"] == 0
    for names in (lines[1:], [*lines, "cat"]):
        with pytest.raises(treesql.UsageError, match=f"and {len(names)} are given"):
            treesql.score("translation", reference=names, systems={"a": names}, metric="wer")


def test_blocks_of_large_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    from treesql.evaluation import evaluate

    whole = treesql.score("dependency", GOLD, PARSER, metric="las").rows()
    monkeypatch.setattr(evaluate, "MIN_BYTES", 0)
    found = treesql.score(
        "dependency", gold=GOLD.read_bytes(), systems={"parser-a.conllu": io.BytesIO(PARSER.read_bytes())}, metric="las"
    )
    assert found.rows() == whole


def test_a_system_may_have_the_name_of_another_input() -> None:
    """Also that of standard input, and of a file that is there."""
    for name in ("gold", "-", str(FIXTURES / "links.pharaoh")):
        [row] = treesql.score("alignment", gold=["0-0 1-1"], systems={name: ["0-1"]}, metric="aer").rows()
        assert (row["system"], row["aer"]) == (name, 1)
    score = treesql.score("alignment", gold=["0-1"], systems={"gold": ["0-1"]}, metric="aer")
    assert score.rows()[0]["aer"] == 0


def test_lines_as_files_yield_them_and_sentences_of_one_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [row] = treesql.score(
        "alignment", gold=["0-0\n", "1-1\r\n"], systems={"a": ["0-0\n", "1-1\n"]}, metric="aer"
    ).rows()
    assert row["aer"] == 0
    with pytest.raises(treesql.UsageError, match="gold: item 1 has a line break in it"):
        treesql.score("alignment", gold=["0-0\n1-1"], systems={"a": ["0-0"]})
    signs = {sign: ["x", sign] for sign in (".", "-", "?", "*", "..", "/")}
    rows = treesql.score("translation", systems=signs, reference=["x", "."], metric="wer").rows()
    assert [row["wer"] for row in rows] == [0] + [1 / 2] * 5
    [row] = treesql.score("translation", systems={"a": ["x", "-"]}, reference=["x", "-"], metric="wer").rows()
    assert row["wer"] == 0
    crlf = [text.replace("\n", "\r\n") for text in GOLD.read_text("utf-8").rstrip("\n").split("\n\n")]
    assert treesql.score("dependency", gold=crlf, systems={"a": GOLD}, metric="las").rows()[0]["las"] == 1


def test_what_python_cannot_read_is_told() -> None:
    closed = GOLD.open("rb")
    closed.close()
    for given in (closed, ["\ud800"]):
        with pytest.raises(treesql.UsageError, match=r"^gold (cannot be read|has a character)"):
            treesql.score("alignment", gold=given, systems={"a": ["0-0"]})


def test_a_system_of_two_roles_in_memory() -> None:
    """Its second one may be left out."""
    reference, hypothesis = (FIXTURES / f"{name}.conllu" for name in ("reference", "hypothesis"))
    [row] = treesql.score("trees", reference, systems={"a": hypothesis.read_bytes()}, metric="tree_edit").rows()
    [expected] = treesql.score("trees", reference, systems={"a": hypothesis}, metric="tree_edit").rows()
    assert row == expected
