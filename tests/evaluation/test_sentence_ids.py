"""Sentences of lattices, hypotheses and references that correspond by their ids, in any order."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import heard, thorough_but
from treesql.catalog import kinds
from treesql.errors import Incomparable, InvalidInput, TreesqlError, TreesqlWarning, UsageError
from treesql.evaluation.files import make_task
from treesql.lattices import curve_points
from treesql.readers import FIRST, LAST
from treesql.scoring import items
from treesql.significance import correspondence

WORDS = ["the", "cat", "sat", "on", "mat"]
LATTICE_SCORES = ["ger_rate", "gwer", "pmed", "swcd", "edge_precision_1", "word_recall"]
TEXT_SCORES = ["wer", "per", "bleu"]

Texts = Sequence[Sequence[str]]


def texts(seed: int, n: int = 12) -> list[list[str]]:
    chance = random.Random(seed)
    return [[chance.choice(WORDS) for _ in range(chance.randint(1, 6))] for _ in range(n)]


def shuffled(items: Sequence[str], seed: int) -> list[str]:
    made = list(items)
    random.Random(seed).shuffle(made)
    return made


def lines(of: Texts) -> list[str]:
    return [" ".join(words) for words in of]


def transcripts(of: Texts) -> list[str]:
    return [f"{' '.join(words)} (utt{at})" for at, words in enumerate(of)]


def keyed(of: Texts) -> list[str]:
    return [f"utt{at} {' '.join(words)}" for at, words in enumerate(of)]


def lattices(of: Texts, *, ids: bool = True) -> list[str]:
    """Lattices with a text and another word beside each of its words."""
    made = []
    for at, words in enumerate(of):
        edges = [[place, place + 1, [word]] for place, word in enumerate(words)]
        edges += [[place, place + 1, [WORDS[place % 5]]] for place in range(len(words))]
        name = {"id": f"utt{at}"} if ids else {}
        made.append(json.dumps({**name, "n_nodes": len(words) + 1, "edges": edges}))
    return made


def put(path: Path, content: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in content))
    return str(path)


def scores(kind: str, systems: Any, references: Sequence[str], metric: Any = (), **how: Any) -> list[dict[str, Any]]:
    """Without the names of the systems."""
    rows = treesql.score(kind, systems=systems, reference=references, metric=metric, **how).rows()
    return [{name: value for name, value in row.items() if name != "system"} for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("seed", thorough_but(range(3), 0))
def test_sentences_of_any_order_score_as_in_one_order(tmp_path: Path, seed: int) -> None:
    hypotheses, references, others = texts(seed), texts(seed + 100), texts(seed + 200)
    a = put(tmp_path / "a.txt", lines(hypotheses))
    b, c = put(tmp_path / "b.txt", lines(references)), put(tmp_path / "c.txt", lines(others))
    i = put(tmp_path / "i.trn", shuffled(transcripts(hypotheses), 1))
    j = put(tmp_path / "j.trn", shuffled(transcripts(references), 2))
    k = put(tmp_path / "k.txt", shuffled(keyed(others), 3))
    expected = scores("translation", [a], [b, c], TEXT_SCORES)
    assert scores("translation", [i], [j, k], TEXT_SCORES, ids="first") == expected
    lattice = put(tmp_path / "a.jsonl", lattices(hypotheses, ids=False))
    mixed = put(tmp_path / "b.jsonl", shuffled(lattices(hypotheses), 4))
    expected = scores("lattice", [lattice], [b, c], LATTICE_SCORES)
    assert scores("lattice", [mixed], [j, k], LATTICE_SCORES, ids="first") == [pytest.approx(expected[0])]


@pytest.mark.slow
def test_a_database_and_its_macros_join_by_ids(tmp_path: Path) -> None:
    """Also where one reference has ids and the other goes by the order of the lattices."""
    hypotheses, references, others = texts(1), texts(2), texts(3)
    order = shuffled([str(at) for at in range(12)], 5)
    path = tmp_path / "a.duckdb"
    with treesql.connect(path) as db:
        db.load(put(tmp_path / "a.jsonl", [lattices(hypotheses)[int(at)] for at in order]), corpus="a")
        db.load(put(tmp_path / "b.trn", shuffled(transcripts(references), 2)), corpus="b")
        db.load(put(tmp_path / "c.txt", [lines(others)[int(at)] for at in order]), corpus="c")
        db.load(put(tmp_path / "d.jsonl", lattices(hypotheses, ids=False)), corpus="d")
        db.load(put(tmp_path / "e.txt", lines(references)), corpus="e")
        db.load(put(tmp_path / "f.txt", lines(others)), corpus="f")
        sums = "SELECT sum(ger) AS ger, sum(reference_words) AS n FROM graph_error"
        by_id = db.sql(f"{sums}('a', 'b', other_corpora := 'c')").rows()
        assert by_id == db.sql(f"{sums}('d', 'e', other_corpora := 'f')").rows()
        own = {"lattice_corpus": "a", "reference_corpus": "b", "other_corpora": "c"}
        plain = {"lattice_corpus": "d", "reference_corpus": "e", "other_corpora": "f"}
        for metric in ("graph_error", "word_count_distance", "edge_n_grams", "word_set_graph_error"):
            assert db.score(metric, **own).rows() == [pytest.approx(db.score(metric, **plain).rows()[0])]
        numbers = db.sql("SELECT sentence, sent_id FROM sentences WHERE corpus = 'a' ORDER BY sentence").rows()
        words = {row["sentence"]: row["text_forms"] for row in db.query(
            "reference_texts", reference_corpus="b", numbered_as="a").rows()}  # fmt: skip
        assert [words[row["sentence"]] for row in numbers] == [references[int(at)] for at in order]
    [found] = scores("lattice", ["a"], ["b", "c"], LATTICE_SCORES, db=path)
    files = [str(tmp_path / "e.txt"), str(tmp_path / "f.txt")]
    [expected] = scores("lattice", [str(tmp_path / "d.jsonl")], files, LATTICE_SCORES)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hypotheses", "references", "told"),
    [
        (["a (u1)", "b (u2)"], ["b (u2)"], "a.trn:1: no sentence of b.trn has the id `u1`"),
        (["a (u1)"], ["b (u2)", "a (u1)"], "b.trn:1: no sentence of a.trn has the id `u2`"),
        (["a (u1)", "a (u2)"], ["b (u1)", "a (u3)"], "a.trn:2: no sentence of b.trn has the id `u2`"),
        (["a (u1)", "a (u1)"], ["b (u1)"], "a.trn:2: the id `u1` is in line 1 already"),
        (["a (u1)", "a"], ["b (u1)"], "a.trn:2: no id in parentheses ends this line"),
    ],
)
def test_ids_that_one_side_lacks_are_named(
    tmp_path: Path, hypotheses: list[str], references: list[str], told: str
) -> None:
    files = [put(tmp_path / "a.trn", hypotheses)], [put(tmp_path / "b.trn", references)]
    with pytest.raises((Incomparable, InvalidInput)) as caught:
        scores("translation", *files, "wer")
    assert told in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*has a repeated id")
def test_ids_that_stand_twice_or_lack_in_lattices_are_named(tmp_path: Path) -> None:
    made = lattices(texts(1, 3))
    references = [put(tmp_path / "b.trn", transcripts(texts(2, 3)))]
    twice = put(tmp_path / "a.jsonl", [made[0], made[1], made[1].replace("utt1", "utt0")])
    with pytest.raises(Incomparable, match=r"a\.jsonl:3: the id `utt0` is given twice, first in .*a\.jsonl:1"):
        scores("lattice", [twice], references, ["ger"])
    without = put(tmp_path / "c.jsonl", [made[0], made[1], lattices(texts(1, 3), ids=False)[2]])
    with pytest.raises(Incomparable, match=r"c\.jsonl:3: a sentence of c\.jsonl without an id, where others have one"):
        scores("lattice", [without], references, ["ger"])
    assert scores("lattice", [without], references, ["ger"], ids="none") == scores(
        "lattice", [put(tmp_path / "d.jsonl", made)], references, ["ger"]
    )


def test_where_one_side_has_no_ids_sentences_go_by_order(tmp_path: Path) -> None:
    hypotheses, references = texts(1), texts(2)
    reference = [put(tmp_path / "b.txt", lines(references))]
    plain, named = put(tmp_path / "a.txt", lines(hypotheses)), put(tmp_path / "a.trn", transcripts(hypotheses))
    metrics = ["wer", "per"]
    assert scores("translation", [named], reference, metrics) == scores("translation", [plain], reference, metrics)
    put(tmp_path / "b.txt", lines(references[:-1]))
    with pytest.raises(Incomparable, match=r"has no counterpart in b\.txt"):
        scores("translation", [named], reference, metrics)


def test_audits_run_unless_it_is_known_that_sentences_correspond(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is without ids, where all have the same numbers: of every reference."""
    run: list[bool] = []
    audits = items.audits_of_order
    monkeypatch.setattr(items, "audits_of_order", lambda *given: run.append(not audits(*given)) or audits(*given))

    def score(*references: list[str], ids: str | None = None) -> None:
        systems = {"a": ["w a", "w b"]}
        treesql.score("translation", reference=list(references), systems=systems, metric="wer", ids=ids)

    score(["x a", "x b"])
    score(["x a", "x b"], ["y a", "y b"])
    assert run == [False, False]
    for references, ids in (([["x a"]], None), ([["x a", "x b"], ["x a"]], None), ([["x a", "x b"], []], None)):
        with pytest.raises(TreesqlError):
            score(*references, ids=ids)
    score(["x a", "x b"], ids="last")
    assert all(run[2:])


def test_the_ends_of_many_lines_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    made = random.Random(8)
    lines = [
        "".join(made.choices(["a", "(b)", "é", " ", "\t", "\u00a0", "\x1f"], k=made.randrange(7))) for _ in range(500)
    ]
    few = correspondence._ends_of_lines(pa.chunked_array([[None, *lines]]))
    monkeypatch.setattr(correspondence, "MAX_IN_PYTHON", 0)
    many = correspondence._ends_of_lines(pa.chunked_array([[None, *lines]]))
    words = [[word for word in re.split(r"[ \t]+", line) if word] for line in lines]
    for where, at in ((FIRST, 0), (LAST, -1)):
        assert few[where].to_pylist() == many[where].to_pylist() == [found[at] for found in words if found]


@pytest.mark.thorough
@pytest.mark.parametrize("test", ["shuffling", "bootstrap"])
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_comparisons_pair_sentences_by_ids(tmp_path: Path, test: str) -> None:
    a, b, references = texts(1, 60), texts(2, 60), texts(3, 60)
    plain = [put(tmp_path / f"{name}.txt", lines(one)) for name, one in (("a", a), ("b", b))]
    named = [
        put(tmp_path / f"{name}.trn", shuffled(transcripts(one), seed))
        for name, one, seed in (("a", a, 1), ("b", b, 2))
    ]
    found = [
        treesql.compare(
            "translation", systems=dict(zip("ab", systems, strict=True)), reference=reference, metric=TEXT_SCORES,
            test=test, runs=200,
        ).rows()
        for systems, reference in (
            (plain, put(tmp_path / "r.txt", lines(references))),
            (named, put(tmp_path / "r.trn", transcripts(references))),
        )
    ]  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:McNemar's test")
def test_lattices_are_compared_by_ids_item_by_item(tmp_path: Path) -> None:
    """McNemar's test matches the lattices themselves; sizes have no reference to give an order."""
    a, b, references = texts(1, 60), texts(2, 60), texts(3, 60)
    plain = [put(tmp_path / f"{name}.jsonl", lattices(of, ids=False)) for name, of in (("a", a), ("b", b))]
    named = [
        put(tmp_path / f"{name}.ids.jsonl", shuffled(lattices(of), 7 + at))
        for at, (name, of) in enumerate((("a", a), ("b", b)))
    ]
    found = [
        treesql.compare("lattice", systems=systems, reference=reference, metric="under_bound", test="mcnemar").rows()[0]
        for systems, reference in (
            (plain, put(tmp_path / "r.txt", lines(references))),
            (named, put(tmp_path / "r.trn", shuffled(transcripts(references), 3))),
        )
    ]
    assert (found[0]["p"], found[0]["score_a"]) == (found[1]["p"], found[1]["score_a"])
    in_order = [put(tmp_path / "c.jsonl", lattices(a)), named[1]]
    sizes = [
        treesql.compare("lattice", systems=systems, metric="density").rows()[0]["p"] for systems in (plain, in_order)
    ]
    assert sizes[0] == sizes[1]


def test_two_orders_of_ids_cannot_both_be_that_of_a_reference_without(tmp_path: Path) -> None:
    systems = [put(tmp_path / f"{seed}.trn", shuffled(transcripts(texts(1)), seed)) for seed in (1, 2)]
    reference = put(tmp_path / "r.txt", lines(texts(2)))
    with pytest.raises(
        UsageError, match=r"1\.trn and 2\.trn have the same ids in different orders, and r\.txt has none"
    ):
        scores("translation", systems, [reference])


@pytest.mark.thorough
def test_words_of_oracle_paths_keep_their_ids(tmp_path: Path) -> None:
    a, references = texts(1), texts(2)
    plain = [put(tmp_path / "a.jsonl", lattices(a, ids=False)), put(tmp_path / "b.jsonl", thin(a, ids=False))]
    named = [put(tmp_path / "c.jsonl", shuffled(lattices(a), 1)), put(tmp_path / "d.jsonl", shuffled(thin(a), 2))]
    r, s = put(tmp_path / "r.txt", lines(references)), put(tmp_path / "s.trn", shuffled(transcripts(references), 3))
    found = [
        curve_points.find_points(
            make_task(kinds.kind("lattice"), one, {"reference": reference}), ["ger_rate", "oracle_wer", "oracle_bleu"]
        )
        .result()
        .arrow()
        .drop("system")
        for one, reference in ((plain, r), (named, s))
    ]
    assert found[0].to_pylist() == [pytest.approx(row) for row in found[1].to_pylist()]


def thin(of: Texts, *, ids: bool = True) -> list[str]:
    """The same lattices with the text alone."""
    made = [json.loads(line) for line in lattices(of, ids=ids)]
    return [json.dumps({**one, "edges": one["edges"][: len(one["edges"]) // 2]}) for one in made]


def told(kind: str, systems: Any, references: Sequence[str], **how: Any) -> list[str]:
    """The warnings of words that look like ids, without folders and hints."""
    with heard() as found:
        scores(kind, systems, references, **how)
    shown = [one.split("; ")[0].rpartition("/")[2] for one in found if "looks like an id" in one]
    return [re.sub(r":\d+:", ":", one) for one in shown]


SUSPECT = "every line {} with what looks like an id, as `{}`, and is read as a word"


@pytest.mark.thorough
def test_ids_that_are_read_as_words_are_warned_of(tmp_path: Path) -> None:
    of = texts(1)
    plain = put(tmp_path / "plain.txt", lines(of))
    kaldi = put(tmp_path / "kaldi.txt", keyed(of))
    trn = put(tmp_path / "trn.txt", transcripts(of))
    bare = put(tmp_path / "bare.txt", [f"{line} speaker-{'abcdefghijkl'[at]}" for at, line in enumerate(lines(of))])
    numbered = [put(tmp_path / f"n{name}.txt", [f"{at} {line}" for at, line in enumerate(lines(of))]) for name in "ab"]
    lattice = put(tmp_path / "a.jsonl", lattices(of))
    bare_ids = [line.replace(f'utt{at}"', f'speaker-{"abcdefghijkl"[at]}"') for at, line in enumerate(lattices(of))]
    other = put(tmp_path / "b.jsonl", bare_ids)
    assert told("translation", {"x": plain}, [plain]) == []
    assert told("lattice", [lattice], [plain]) == []
    assert told("lattice", [lattice], [kaldi]) == ["kaldi.txt: " + SUSPECT.format("begins", "utt0")]
    assert told("lattice", [lattice], [trn]) == ["trn.txt: " + SUSPECT.format("ends", "(utt0)")]
    assert told("lattice", [lattice], [bare]) == []
    assert told("lattice", [other], [bare]) == ["bare.txt: " + SUSPECT.format("ends", "speaker-a")]
    assert told("lattice", [lattice], [numbered[0]]) == []
    assert told("translation", [numbered[0]], [numbered[1]]) == [
        f"{name}.txt: " + SUSPECT.format("begins", "0") for name in ("na", "nb")
    ]
    assert told("translation", [kaldi], [plain], ids="none") == []
    with treesql.connect(tmp_path / "a.duckdb") as db:
        db.load(lattice, corpus="a")
        with pytest.warns(TreesqlWarning, match="looks like an id"):
            db.load(kaldi, corpus="k")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            db.load(kaldi, corpus="i", ids="first")
    database = tmp_path / "a.duckdb"
    assert told("lattice", ["a"], ["k"], db=database) == ["kaldi.txt: " + SUSPECT.format("begins", "utt0")]
    assert told("lattice", ["a"], ["i"], db=database) == []


def test_words_that_are_ids_of_another_corpus_are_warned_of(tmp_path: Path) -> None:
    """And numbers where two texts begin with them. Neither looks like an id by itself."""
    of = texts(1)
    numbered = [put(tmp_path / f"n{name}.txt", [f"{at}\t{line}" for at, line in enumerate(lines(of))]) for name in "ab"]
    assert told("translation", [numbered[0]], [numbered[1]]) == [
        f"{name}.txt: " + SUSPECT.format("begins", "0") for name in ("na", "nb")
    ]
    named = put(tmp_path / "named.txt", [f"{line}\tspeaker-{'abcdefghijkl'[at]}" for at, line in enumerate(lines(of))])
    transcribed = [f"{line} (speaker-{'abcdefghijkl'[at]})" for at, line in enumerate(lines(of))]
    other = put(tmp_path / "other.trn", transcribed)
    assert told("translation", [other], [named]) == ["named.txt: " + SUSPECT.format("ends", "speaker-a")]


def test_ends_of_lines_are_those_of_their_words(db: treesql.Database, tmp_path: Path) -> None:
    db.load(put(tmp_path / "a.txt", ["a\tb c", "", " \t", "  x  ", "\u00e9\u00a0f g\t"]), corpus="a")
    record = items.record_of(db.engine, "a")
    by_words = [
        correspondence._ends_of_sentences(db.engine, record._replace(changed=changed), 10) for changed in (False, True)
    ]
    assert by_words[0] == by_words[1]
    assert [words.to_pylist() for words in by_words[0].values()] == [["a", "x", "\u00e9\u00a0f"], ["c", "x", "g"]]


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    "content",
    [
        ["the cat", "a dog"],
        ["12 rooms", "13 rooms"],
        ["room 12", "room 13"],
        ["a1 is first", "a1 is again"],
        ["well (laughs)", "no"],
        ["well (laughs)", "no (laughs)"],
        ["4th of July", "", "5th of May"],
        ["b2b sales"],
        ["utt1", "utt2"],
    ],
)
def test_words_that_are_no_ids(tmp_path: Path, content: list[str]) -> None:
    """Warnings are conservative: few texts of words alone have one."""
    path = put(tmp_path / "a.txt", content)
    with treesql.connect() as db, warnings.catch_warnings():
        warnings.simplefilter("error")
        db.load(path, corpus="a")
    other = put(tmp_path / "b.txt", ["words" for _ in content])
    assert told("translation", [path], [other]) == []


@pytest.mark.parametrize(
    ("name", "ids", "message"),
    [
        ("a.trn", "first", "ids='first' is for plain texts, and these are trn files"),
        ("a.jsonl", "last", "ids='last' is for plain texts, and these are jsonl files"),
        ("a.txt", "second", "unknown place of ids 'second'; known: first, last, none"),
    ],
)
def test_where_ids_are_of_no_use(db: treesql.Database, tmp_path: Path, name: str, ids: str, message: str) -> None:
    path = put(tmp_path / name, ["a (u1)"])
    with pytest.raises(TreesqlError, match=message):
        db.load(path, corpus="a", ids=ids)
    assert db.corpora == []


def test_tasks_without_plain_texts_have_no_use_for_ids(tmp_path: Path) -> None:
    a, b = put(tmp_path / "a.trn", ["a (u1)"]), put(tmp_path / "b.trn", ["a (u1)"])
    with pytest.raises(UsageError, match="ids='first' is for plain texts, and none of these files is one"):
        scores("translation", [a], [b], ids="first")
    with pytest.raises(UsageError, match="cannot be combined with db="):
        scores("translation", ["a"], ["b"], ids="first", db=str(tmp_path / "a.duckdb"))


def test_ids_of_any_format_can_be_left_out(db: treesql.Database, tmp_path: Path) -> None:
    db.load(put(tmp_path / "a.trn", ["a (u1)", "b (u2)"]), corpus="a", ids="none")
    db.load(put(tmp_path / "a.jsonl", lattices(texts(1, 2))), corpus="b", ids="none")
    assert db.sql("SELECT count(*) AS n, count(sent_id) AS named FROM sentences").rows() == [{"n": 4, "named": 0}]


@pytest.mark.slow
@given(st.permutations(range(5)), st.permutations(range(5)))
@settings(deadline=None, max_examples=3)
def test_any_two_orders(tmp_path_factory: pytest.TempPathFactory, one: list[int], other: list[int]) -> None:
    folder = tmp_path_factory.mktemp("orders")
    a, b = transcripts(texts(1, 5)), transcripts(texts(2, 5))
    i, j = put(folder / "a.trn", [a[at] for at in one]), put(folder / "b.trn", [b[at] for at in other])
    x, y = put(folder / "a.txt", lines(texts(1, 5))), put(folder / "b.txt", lines(texts(2, 5)))
    assert scores("translation", [i], [j], ["wer", "bleu"]) == scores("translation", [x], [y], ["wer", "bleu"])
