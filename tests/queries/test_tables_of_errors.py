"""The tables of errors of queries/dependency/, counted by hand on fixtures/ and on corpora of a few words.

gold against parser-a: wrong heads mat 6, hearing 7, tea 4, 5, 6; wrong universal relations mat 6, know 2, hearing 7,
tea 6, and full relations hearing 2 as well. Against parser-b: mat 6, hearing 7 and the head of know's full stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn

TABLES = (
    "relation_agreement", "relation_confusions", "upos_accuracy", "head_directions", "head_distances",
    "error_words", "error_contexts", "frame_confusions", "attachment_errors",
)  # fmt: skip
ONLY_ERRORS = ("error_words", "error_contexts", "frame_confusions", "attachment_errors")


@pytest.fixture(scope="module")
def db() -> Iterator[treesql.Database]:
    """A database in which every test loads its own corpora."""
    with treesql.connect() as one:
        yield one


def rows(db: treesql.Database, query: str, system: str = "parser-a", **options: object) -> list[tuple[Any, ...]]:
    """A query's rows as tuples."""
    found = db.query(query, gold_corpus="gold", system_corpus=system, **options).rows()
    return [tuple(row.values()) for row in found]


def load(db: treesql.Database, folder: Path, gold: str, system: str, **options: bool) -> None:
    """Load two corpora whose sentences stand apart by `|`."""
    files = [folder / "gold.conllu", folder / "system.conllu"]
    for file, sentences in zip(files, (gold, system), strict=True):
        file.write_bytes(conllu(*sentences.split("|")))
    db.load(*files, each="file", replace=True, **options)


def test_relation_agreement(examples: treesql.Database) -> None:
    found = rows(examples, "relation_agreement")
    assert found[:2] == [("punct", 5, 5, 5, 1, 1, 5, 1, 1), ("root", 5, 5, 5, 1, 1, 5, 1, 1)], "most frequent first"
    by_relation = {row[0]: row[1:] for row in found}
    assert by_relation["nsubj"] == (4, 4, 4, 1, 1, 4, 1, 1)
    assert by_relation["obl"] == (2, 2, 1, 0.5, 0.5, 1, 0.5, 0.5)
    assert by_relation["obj"] == (1, 2, 1, 1, 0.5, 1, 1, 0.5)
    assert by_relation["conj"] == (1, 1, 1, 1, 1, 0, 0, 0), "the relation is right, the head is not"
    assert by_relation["nmod"] == (1, 1, 0, 0, 0, 0, 0, 0), "one in each tree, at different words"
    assert by_relation["cop"] == (0, 1, 0, None, 0, 0, None, 0), "no such gold word"
    assert by_relation["orphan"] == (1, 0, 0, 0, None, 0, 0, None), "no such word of the system"
    assert len(found) == 14
    assert sum(row[1] for row in found) == sum(row[2] for row in found) == 30


def test_relation_agreement_of_full_relations(examples: treesql.Database) -> None:
    by_relation = {row[0]: row[1:] for row in rows(examples, "relation_agreement", relations="full")}
    assert by_relation["nsubj"] == (3, 4, 3, 1, 0.75, 3, 1, 0.75)
    assert by_relation["nsubj:pass"] == (1, 0, 0, 0, None, 0, 0, None)
    assert by_relation["obl"] == (1, 1, 0, 0, 0, 0, 0, 0)
    assert by_relation["obl:unmarked"] == (1, 1, 1, 1, 1, 1, 1, 1)


def test_relation_confusions(examples: treesql.Database) -> None:
    found = rows(examples, "relation_confusions")
    assert found[:3] == [("punct", "punct", 5, 5, 1), ("root", "root", 5, 5, 1), ("det", "det", 4, 4, 1)]
    assert [row for row in found if row[0] != row[1]] == [
        ("aux", "cop", 1, 1, 0.5),
        ("nmod", "obl", 1, 0, 1),
        ("obl", "nmod", 1, 0, 0.5),
        ("orphan", "obj", 1, 0, 1),
    ]
    assert ("cc", "cc", 1, 0, 1) in found
    full = rows(examples, "relation_confusions", relations="full")
    assert ("nsubj:pass", "nsubj", 1, 1, 1) in full
    assert ("nsubj", "nsubj", 3, 3, 1) in full


def test_upos_accuracy(examples: treesql.Database) -> None:
    found = {row[0]: row[1:] for row in rows(examples, "upos_accuracy")}
    assert found["NOUN"] == (7, 4, 4, 4, 4 / 7, 4 / 7, 4 / 7)
    assert found["PROPN"] == (2, 1, 2, 1, 0.5, 1, 0.5)
    assert found["AUX"] == (2, 2, 1, 1, 1, 0.5, 0.5)
    assert found["CCONJ"] == (1, 0, 1, 0, 0, 1, 0)
    assert found["PUNCT"] == (5, 5, 5, 5, 1, 1, 1)
    assert "PUNCT" not in {row[0] for row in rows(examples, "upos_accuracy", punctuation="form")}
    full = {row[0]: row[1:] for row in rows(examples, "upos_accuracy", relations="full")}
    assert full["NOUN"] == (7, 4, 3, 3, 4 / 7, 3 / 7, 3 / 7)


def test_head_directions(examples: treesql.Database) -> None:
    """parser-a turns the head of `and` alone to the other side."""
    assert rows(examples, "head_directions") == [
        ("to_root", 5, 5, 5, 1, 1),
        ("left", 11, 12, 11, 1, 11 / 12),
        ("right", 14, 13, 13, 13 / 14, 1),
    ]
    assert rows(examples, "head_directions", punctuation="form")[1] == ("left", 6, 7, 6, 1, 6 / 7)


def test_head_distances(examples: treesql.Database) -> None:
    """Right where the bin is, though the head be wrong: mat 6 moves from 3 words to 4."""
    assert rows(examples, "head_distances") == [
        ("to_root", 5, 5, 5, 1, 1),
        ("1", 13, 12, 12, 12 / 13, 1),
        ("2", 4, 5, 4, 1, 4 / 5),
        ("3-6", 8, 8, 7, 7 / 8, 7 / 8),
    ]


@pytest.mark.parametrize(
    ("gold", "system", "labels"),
    [
        (1, 2, ("1", "2")), (2, 3, ("2", "3-6")), (3, 6, ("3-6", "3-6")), (6, 7, ("3-6", "7-...")),
        (7, 3, ("7-...", "3-6")), (7, 9, ("7-...", "7-...")),
    ],
)  # fmt: skip
def test_the_bins_of_distances(
    db: treesql.Database, tmp_path: Path, gold: int, system: int, labels: tuple[str, str]
) -> None:
    """The last of ten words hangs on another one in each tree, the first is the root, the others hang on it too."""
    others = "w:0:root " + "w:1:x " * 8
    load(db, tmp_path, f"{others}w:{10 - gold}:x", f"{others}w:{10 - system}:x")
    same = {"to_root": 1, "1": 1, "2": 1, "3-6": 4, "7-...": 2}
    assert rows(db, "head_distances", "system") == [
        (label, in_gold, in_system, correct, correct / in_gold, correct / in_system)
        for label, count in same.items()
        for in_gold, in_system in [(count + (label == labels[0]), count + (label == labels[1]))]
        for correct in [count + (labels == (label, label))]
    ]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_word_that_is_its_own_head(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:0:root b:1:x", "a:0:root b:2:x", permissive=True)
    assert rows(db, "head_directions", "system") == [
        ("to_root", 1, 1, 1, 1, 1),
        ("left", 1, 0, 0, 0, None),
        ("self", 0, 1, 0, None, 0),
    ]
    assert rows(db, "head_distances", "system") == [("to_root", 1, 1, 1, 1, 1), ("1", 1, 1, 1, 1, 1)]
    assert rows(db, "frame_confusions", "system") == [("*root* x", "*root*", 1), ("*x*", "x *x*", 1)]


def test_error_words(examples: treesql.Database) -> None:
    assert rows(examples, "error_words") == [
        ("Bob", "PROPN", 1, 1, 1, 0, 0),
        ("and", "CCONJ", 1, 1, 1, 0, 0),
        ("coffee", "NOUN", 1, 1, 1, 1, 1),
        ("do", "AUX", 1, 1, 0, 1, 0),
        ("issue", "NOUN", 1, 1, 1, 1, 1),
        ("mat", "NOUN", 1, 1, 1, 1, 1),
    ]
    assert (".", "PUNCT", 4, 1, 1, 0, 0) in rows(examples, "error_words", "parser-b")
    for rule in ("form", "relation"):
        assert [row[0] for row in rows(examples, "error_words", "parser-b", punctuation=rule)] == ["issue", "mat"]
    assert ("hearing", "NOUN", 1, 1, 0, 1, 0) in rows(examples, "error_words", relations="full")


def test_error_words_with_most_errors_first(db: treesql.Database, tmp_path: Path) -> None:
    """Words apart by part of speech, and `a` and `A` too."""
    gold = "a:2:x:DET b:0:root:N|a:2:x:DET b:0:root:N|a:2:x:PRON b:0:root:N|A:2:x:DET b:0:root:N"
    load(db, tmp_path, gold, gold.replace(":x:", ":y:"))
    assert rows(db, "error_words", "system") == [
        ("a", "DET", 2, 2, 0, 2, 0),
        ("A", "DET", 1, 1, 0, 1, 0),
        ("a", "PRON", 1, 1, 0, 1, 0),
    ]


def test_error_contexts(examples: treesql.Database) -> None:
    found = rows(examples, "error_contexts")
    assert found[:2] == [("before", "the", "DET", 2, 2, 2, 2), ("after", ".", "PUNCT", 2, 2, 2, 2)]
    assert sorted(row for row in found[2:] if row[0] == "before") == [
        ("before", "Bob", "PROPN", 1, 1, 1, 1),
        ("before", "I", "PRON", 1, 0, 1, 0),
        ("before", "and", "CCONJ", 1, 1, 0, 0),
        ("before", "tea", "NOUN", 1, 1, 0, 0),
    ]
    assert sum(row[3] for row in found) == 2 * 6, "every wrong word has one neighbour on each side"
    without = rows(examples, "error_contexts", punctuation="form")
    assert without == found, "the neighbour need not be scored"


def test_error_contexts_at_the_ends_of_a_sentence(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:2:x:X b:0:root:Y|c:0:root:Z", "a:2:y:X b:0:z:Y|c:0:z:Z")
    assert rows(db, "error_contexts", "system") == [
        ("before", ".S", None, 2, 0, 2, 0),
        ("after", ".E", None, 2, 0, 2, 0),
        ("before", "a", "X", 1, 0, 1, 0),
        ("after", "b", "Y", 1, 0, 1, 0),
    ]


def test_frame_confusions(examples: treesql.Database) -> None:
    assert rows(examples, "frame_confusions") == [
        ("*obj*", "*obj* cc conj", 1),
        ("cc *conj* orphan", "*conj*", 1),
        ("det *nsubj*", "det *nsubj* nmod", 1),
        ("det *nsubj* nmod", "det *nsubj*", 1),
        ("nsubj *root* obj conj punct", "nsubj *root* obj obj punct", 1),
        ("nsubj *root* obl punct", "nsubj *root* punct", 1),
        ("nsubj aux *root* obl punct", "nsubj aux *root* obl obl punct", 1),
        ("nsubj aux advmod *root* punct", "nsubj cop advmod *root* punct", 1),
    ]


def test_frame_confusions_of_full_relations(examples: treesql.Database) -> None:
    found = rows(examples, "frame_confusions", relations="full")
    assert ("det *nsubj:pass* nmod", "det *nsubj:pass*", 1) in found, "the gold relation is in stars on both sides"
    assert ("nsubj:pass aux:pass *root* obl:unmarked punct", "nsubj aux:pass *root* obl obl:unmarked punct", 1) in found


def test_frame_confusions_without_punctuation(examples: treesql.Database) -> None:
    assert ("*advmod*", "*advmod* punct", 1) in rows(examples, "frame_confusions", "parser-b")
    assert rows(examples, "frame_confusions", "parser-b", punctuation="form") == [
        ("det *nsubj*", "det *nsubj* nmod", 1),
        ("det *nsubj* nmod", "det *nsubj*", 1),
        ("nsubj *root* obl", "nsubj *root*", 1),
        ("nsubj aux *root* obl", "nsubj aux *root* obl obl", 1),
    ]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_the_frame_of_the_root_above_the_sentence(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:0:root b:1:x|a:0:root b:1:x", "a:0:root b:0:root|a:0:root b:0:root")
    assert rows(db, "frame_confusions", "system") == [("** root", "** root root", 2), ("*root* x", "*root*", 2)]


def test_a_frame_is_the_same_whichever_words_fill_it(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:4:x b:3:x c:4:z d:0:root", "a:3:x b:4:x c:4:z d:0:root")
    assert rows(db, "frame_confusions", "system") == []
    assert len(rows(db, "attachment_errors", "system")) == 2


def test_dependents_of_punctuation_are_in_a_frame_without_stars(db: treesql.Database, tmp_path: Path) -> None:
    """As eval07.pl has it: the bracket is not scored, the word that hangs on it is."""
    load(db, tmp_path, "(:2:punct a:0:root b:2:x", "(:2:punct a:0:root b:1:x")
    assert rows(db, "frame_confusions", "system", punctuation="form") == [("", "x", 1), ("*root* x", "*root*", 1)]
    assert rows(db, "frame_confusions", "system") == [
        ("*punct*", "*punct* x", 1),
        ("punct *root* x", "punct *root*", 1),
    ]


def test_frames_are_in_the_order_of_many_words(db: treesql.Database, tmp_path: Path) -> None:
    """By number, so that word 10 comes after word 9."""
    gold = ["w:6:r" + "abcdefghijkl"[i] if i != 5 else "w:0:root" for i in range(12)]
    load(db, tmp_path, " ".join(gold), " ".join(gold).replace("w:6:rl", "w:6:other"))
    left, right = "ra rb rc rd re", "rg rh ri rj rk"
    assert rows(db, "frame_confusions", "system") == [(f"{left} *root* {right} rl", f"{left} *root* {right} other", 1)]


def test_attachment_errors(examples: treesql.Database) -> None:
    assert rows(examples, "attachment_errors") == [
        (3, "tea", 3, 4, 4, "and", "and", "CCONJ", 0, 1, 5, "Bob", "cc", 3, "tea", "cc"),
        (3, "tea", 3, 5, 5, "Bob", "Bob", "PROPN", 0, 1, 2, "drinks", "conj", 3, "tea", "conj"),
        (3, "tea", 3, 6, 6, "coffee", "coffee", "NOUN", 0, 0, 5, "Bob", "orphan", 2, "drinks", "obj"),
        (0, "mat", 1, 6, 6, "mat", "mat", "NOUN", 0, 0, 3, "sat", "obl", 2, "cat", "nmod"),
        (1, "know", 1, 2, 2, "do", "do", "AUX", 1, 0, 4, "know", "aux", 4, "know", "cop"),
        (2, "hearing", 1, 7, 7, "issue", "issue", "NOUN", 0, 0, 2, "hearing", "nmod", 4, "scheduled", "obl"),
    ]
    full = rows(examples, "attachment_errors", relations="full")
    assert [(row[1], row[2], row[3]) for row in full[3:5]] == [("hearing", 2, 2), ("hearing", 2, 7)]
    assert [row[1] for row in rows(examples, "attachment_errors", "parser-b")] == ["mat", "know", "hearing"]
    without = rows(examples, "attachment_errors", "parser-b", punctuation="form")
    assert [row[1] for row in without] == ["mat", "hearing"]


def test_attachment_errors_at_the_root(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:0:root b:1:x|c:0:root", "a:2:x b:0:root|c:_:_")
    assert rows(db, "attachment_errors", "system") == [
        (0, None, 2, 1, 1, "a", "a", None, 0, 0, 0, "ROOT", "root", 2, "b", "x"),
        (0, None, 2, 2, 2, "b", "b", None, 0, 0, 1, "a", "x", 0, "ROOT", "root"),
        (1, None, 1, 1, 1, "c", "c", None, 0, 0, 0, "ROOT", "root", None, None, None),
    ]


def test_a_system_that_leaves_everything_open(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:0:root b:1:x", "a:_:_ b:_:_")
    assert rows(db, "relation_agreement", "system") == [
        ("root", 1, 0, 0, 0, None, 0, 0, None),
        ("x", 1, 0, 0, 0, None, 0, 0, None),
        ("_", 0, 2, 0, None, 0, 0, None, 0),
    ]
    assert rows(db, "relation_confusions", "system") == [("root", "_", 1, 0, 1), ("x", "_", 1, 0, 1)]
    assert rows(db, "head_directions", "system") == [("to_root", 1, 0, 0, 0, None), ("left", 1, 0, 0, 0, None)]
    assert rows(db, "head_distances", "system") == [("to_root", 1, 0, 0, 0, None), ("1", 1, 0, 0, 0, None)]
    assert rows(db, "frame_confusions", "system") == [("** root", "**", 1), ("*root* x", "*root*", 1)]


def test_relations_left_open_on_both_sides_are_the_same(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "a:0:_ b:1:_", "a:0:_ b:1:_")
    assert rows(db, "relation_agreement", "system") == [("_", 2, 2, 2, 1, 1, 2, 1, 1)]
    assert rows(db, "upos_accuracy", "system") == [(None, 2, 2, 2, 2, 1, 1, 1)]


@in_turn("query", TABLES)
def test_a_corpus_against_itself(examples: treesql.Database, query: str) -> None:
    found = examples.query(query, gold_corpus="gold", system_corpus="gold").rows()
    if query in ONLY_ERRORS:
        assert found == []
    else:
        shares = [value for row in found for name, value in row.items() if isinstance(value, float)]
        assert len(shares) >= len(found) > 0
        assert set(shares) == {1.0}


def test_no_scored_word_no_row(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "!:0:root ?:1:punct", "!:2:punct ?:0:root")
    for query in TABLES:
        assert rows(db, query, "system", punctuation="form") == [], query
        assert rows(db, query, "system") != [], query


@pytest.mark.spread(6)
@pytest.mark.parametrize("query", TABLES)
def test_sentences_that_correspond_by_sent_id(
    db: treesql.Database, examples: treesql.Database, tmp_path: Path, query: str
) -> None:
    """The system's sentences in reverse give the same table."""
    sentences = (FIXTURES / "parser-a.conllu").read_text().removesuffix("\n\n").split("\n\n")
    (tmp_path / "shuffled.conllu").write_text("\n\n".join(sentences[::-1]) + "\n\n")
    db.load(tmp_path / "shuffled.conllu", corpus="parser-a", replace=True)
    db.load(FIXTURES / "gold.conllu", corpus="gold", replace=True)
    assert rows(db, query, match="sent_id") == rows(examples, query)
    with pytest.raises(treesql.TreesqlError, match="the texts part here"):
        rows(db, query)
