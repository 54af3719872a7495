"""Scores of constituency trees: numbers counted by hand, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.errors import Incomparable
from treesql.scoring import evalb_parameters

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

Row = dict[str, Any]

BRACKETS = ("matched", "gold", "test", "crossing")
QUOTE = '(TOP (S (NP (PRP He)) (VP (VBD said) ({tag} ") (S (NP (NN rain))))))\n'


@pytest.fixture(scope="module")
def db() -> Iterator[treesql.Database]:
    """A database in which every test loads its own corpora gold and test."""
    with treesql.connect() as one:
        yield one


@pytest.fixture
def parses(db: treesql.Database) -> treesql.Database:
    """The parses of fixtures/."""
    db.load(FIXTURES / "gold.mrg", FIXTURES / "test.mrg", each="file", replace=True)
    return db


def pair(db: treesql.Database, folder: Path, gold: str, test: str, ending: str = "mrg") -> treesql.Database:
    """A database with two corpora of these texts."""
    files = [folder / f"{side}.{ending}" for side in ("gold", "test")]
    for file, text in zip(files, (gold, test), strict=True):
        file.write_text(text)
    db.load(*files, each="file", replace=True)
    return db


def score(db: treesql.Database, *metrics: str, **how: Any) -> Row:
    [row] = db.score(*metrics, gold_corpus="gold", system_corpus="test", **how).rows()
    return row


def test_brackets_counted_by_hand(parses: treesql.Database) -> None:
    """Gold 6+7+5+6+6 brackets, test 7+7+4+6+6, of which 6+7+3+6+6 are right; 27 of 28 tags."""
    row = score(parses, "evalb", "complete_match")
    assert [row[name] for name in ("sentences", "errors", "skipped", *BRACKETS)] == [5, 0, 0, 28, 30, 30, 0]
    assert row["precision"] == row["recall"] == row["f1"] == 28 / 30
    assert (row["complete_match"], row["no_crossing"], row["average_crossing"]) == (3 / 5, 1, 0)
    assert row["tagging_accuracy"] == 27 / 28
    found = parses.score("evalb", by="sentence", gold_corpus="gold", system_corpus="test").rows()
    assert [[row[name] for name in BRACKETS] for row in found] == [
        [6, 6, 7, 0], [7, 7, 7, 0], [3, 5, 4, 0], [6, 6, 6, 0], [6, 6, 6, 0],
    ]  # fmt: skip
    assert {row["status"] for row in found} == {"ok"}


def test_brackets_as_items(parses: treesql.Database) -> None:
    """What is wrong in the third sentence: its NP is too long, its VP is missing."""
    items = parses.sql("""
        SELECT label, first, last, gold, test, matched FROM evalb('gold', 'test')
        WHERE sentence = 2 AND gold <> test ORDER BY label, last
    """).rows()
    assert [tuple(row.values()) for row in items] == [
        ("NP", 3, 4, 1, 0, 0),
        ("NP", 3, 5, 0, 1, 0),
        ("VP", 5, 5, 1, 0, 0),
    ]
    by_label = {
        row["label"]: row for row in parses.score("evalb", by="label", gold_corpus="gold", system_corpus="test").rows()
    }
    assert (by_label["NP"]["gold"], by_label["NP"]["test"], by_label["NP"]["matched"]) == (8, 9, 7)
    assert "status" not in by_label["NP"]


def test_crossing(db: treesql.Database, tmp_path: Path) -> None:
    """(a b) (c d) against a (b c) d: the one bracket that crosses counts once, though it crosses two."""
    gold = "(S (A (X a) (X b)) (B (X c) (X d)))\n"
    row = score(pair(db, tmp_path, gold, "(S (X a) (C (X b) (X c)) (X d))\n"), "evalb", "complete_match")
    assert [row[name] for name in BRACKETS] == [1, 3, 2, 1]
    assert (row["average_crossing"], row["no_crossing"], row["two_or_less_crossing"]) == (1, 0, 1)


def test_two_crossing_brackets_are_few_and_three_are_not(db: treesql.Database, tmp_path: Path) -> None:
    """(a b) (c d) (e f) against a (b c) (d e) f, and likewise eight words."""
    a, b, c, d, e, f, g, h = (f"(X {form})" for form in "abcdefgh")
    gold = f"(S (A {a} {b}) (A {c} {d}) (A {e} {f}))\n(S (A {a} {b}) (A {c} {d}) (A {e} {f}) (A {g} {h}))\n"
    test = f"(S {a} (A {b} {c}) (A {d} {e}) {f})\n(S {a} (A {b} {c}) (A {d} {e}) (A {f} {g}) {h})\n"
    row = score(pair(db, tmp_path, gold, test), "complete_match")
    assert (row["average_crossing"], row["no_crossing"], row["two_or_less_crossing"]) == (5 / 2, 0, 1 / 2)


def test_duplicate_brackets_are_a_multiset(db: treesql.Database, tmp_path: Path) -> None:
    row = score(pair(db, tmp_path, "(NP (NP (NP (X a))))\n", "(NP (NP (X a)))\n"), "evalb")
    assert [row[name] for name in BRACKETS] == [2, 3, 2, 0]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("gold", "test", "status"),
    [
        ("(S (X a) (X b))", "(S (X a) (X c))", "error"),
        ("(S (X a) (X b))", "(S (X a))", "error"),
        ("(S (X a))", "(())", "skip"),
        ("(S (X a))", "(S (. a))", "skip"),
        ("(S (. a))", "(S (X a))", "error"),
        ("(())", "(())", "skip"),
        ("(S (X a) (, b))", "(S (X a))", "ok"),
        ("(S (X a) (-NONE- b))", "(S (X a))", "ok"),
    ],
)
def test_what_cannot_be_compared(db: treesql.Database, tmp_path: Path, gold: str, test: str, status: str) -> None:
    pair(db, tmp_path, gold + "\n(S (X a))\n", test + "\n(S (X a))\n")
    first, second = db.score("evalb", by="sentence", gold_corpus="gold", system_corpus="test").rows()
    assert (first["status"], second["status"], second["f1"]) == (status, "ok", 1)
    assert first["f1"] == (1 if status == "ok" else None)
    row = score(db, "evalb")
    assert (row["sentences"], row["errors"], row["skipped"]) == (2, status == "error", status == "skip")
    assert row["f1"] == 1


def test_counts_of_trees_are_the_sums_of_their_brackets(parses: treesql.Database, tmp_path: Path) -> None:
    """Without a column of brackets trees are counted, with one brackets are: sentences that have none, too."""
    labels = "label IS NULL OR label IS NOT NULL"
    texts = [(FIXTURES / name).read_text() for name in ("gold.mrg", "test.mrg")]
    errors = "(S (X a) (X b))\n(S (X a))\n", "(S (X a) (X c))\n(())\n"
    for db in (parses, pair(parses, tmp_path, *(text + more for text, more in zip(texts, errors, strict=True)))):
        for by in ((), "length", "sentence"):
            how: dict[str, Any] = {"gold_corpus": "gold", "system_corpus": "test", "by": by}
            assert db.score("evalb", **how).rows() == db.score("evalb", where=labels, **how).rows()
    assert score(parses, "evalb")["errors"] == score(parses, "evalb")["skipped"] == 1


def test_nothing_can_be_compared(db: treesql.Database, tmp_path: Path) -> None:
    row = score(pair(db, tmp_path, "(S (X a))\n", "(S (X b))\n"), "evalb", "robinson_foulds", "quartets")
    assert (row["errors"], row["f1"], row["rfd"], row["rfd_micro"], row["qd"], row["gqd_micro"]) == (1, *[None] * 5)


def test_a_quote_that_one_tagger_mistook(db: treesql.Database, tmp_path: Path) -> None:
    """With new.prm it counts in both trees, though only one tag would delete it."""
    pair(db, tmp_path, QUOTE.format(tag="``"), QUOTE.format(tag="NN"))
    assert score(db, "evalb")["errors"] == 1
    row = score(db, "evalb", "complete_match", rules="new")
    assert (row["errors"], [row[name] for name in BRACKETS], row["tagging_accuracy"]) == (0, [5, 5, 5, 0], 3 / 4)
    last = db.sql("SELECT max(last) AS last FROM evalb('gold', 'test', rules := 'new')").rows()
    assert last == [{"last": 4}]


def test_parameters_that_are_not_there(parses: treesql.Database) -> None:
    with pytest.raises(treesql.errors.QueryError, match="no parameter set mine"):
        score(parses, "evalb", rules="mine")


def test_missing_trees(db: treesql.Database, tmp_path: Path) -> None:
    pair(db, tmp_path, "(S (X a))\n(S (X b))\n", "(S (X a))\n")
    for metric in ("evalb", "robinson_foulds", "quartets", "constituent_tree_edit"):
        with pytest.raises(Incomparable, match="tree 2 has no counterpart in test"):
            score(db, metric)


@pytest.mark.filterwarnings("ignore:.*secondary edge")
def test_phrases_with_gaps(db: treesql.Database) -> None:
    """Brackets are sets of words; the distances compare their leaves."""
    for corpus in ("gold", "test"):
        db.load(FIXTURES / "discontinuous.export", corpus=corpus, replace=True)
    row = score(db, "evalb", "discontinuous_brackets")
    assert (row["f1"], row["crossing"], row["disc_f1"]) == (1, 0, 1)
    row = score(db, "robinson_foulds", "generalised_robinson_foulds", "quartets", "constituent_tree_edit")
    assert (row["rfd"], row["grfd"], row["qd"], row["ted"], row["unlike_leaves"]) == (0, 0, 0, 0, 0)


def test_heights_of_brackets(db: treesql.Database, tmp_path: Path) -> None:
    """A bracket of both trees has the gold tree's height, one that stands twice the larger of its two."""
    pair(db, tmp_path, "(S (A (A (X a) (X b))) (X c))\n", "(S (A (X a) (X b)) (B (C (X c))))\n")
    found = db.score("evalb", by="height", where="height > 0", gold_corpus="gold", system_corpus="test").rows()
    counts = {row["height"]: [row[name] for name in ("matched", "gold", "test")] for row in found}
    assert counts == {1: [0, 0, 1], 2: [1, 2, 2], 3: [1, 1, 1]}


def test_heights_of_brackets_with_gaps(db: treesql.Database, tmp_path: Path) -> None:
    gold = "(S (A (X 0=a) (B (X 2=c) (C (X 3=d) (X 5=f)))) (D (X 1=b) (X 4=e)))\n"
    test = "(S (A (X 0=a) (B (X 2=c) (C (X 3=d) (X 5=f)))) (D (E (X 1=b) (X 4=e))))\n"
    pair(db, tmp_path, gold, test, "discbracket")
    found = db.sql("SELECT label, height, gaps FROM evalb('gold', 'test') WHERE height > 0").rows()
    heights = {"S": (4, 0), "A": (3, 2), "B": (2, 1), "C": (1, 1), "D": (1, 1), "E": (1, 1)}
    assert {row["label"]: (row["height"], row["gaps"]) for row in found} == heights
    row = score(db, "discontinuous_brackets")  # S has none
    assert [row[f"disc_{name}"] for name in ("matched", "gold", "test", "precision")] == [4, 4, 5, 4 / 5]


def test_branching_to_the_left_and_to_the_right(db: treesql.Database, tmp_path: Path) -> None:
    """Without a root they are the same tree; with it all their clusters are in conflict."""
    right = "(S (X a) (S (X b) (S (X c) (S (X d) (X e)))))\n"
    left = "(S (S (S (S (X a) (X b)) (X c)) (X d)) (X e))\n"
    pair(db, tmp_path, right, left)
    rooted = score(db, "robinson_foulds", "generalised_robinson_foulds", "quartets")
    assert (rooted["rfd"], rooted["grfd"], rooted["grfd_exchanged"], rooted["qd"]) == (1, 1, 1, 0)
    unrooted = score(db, "robinson_foulds", "generalised_robinson_foulds", rooting="unrooted")
    assert (unrooted["rfd"], unrooted["grfd"]) == (0, 0)


def test_flat_trees_are_never_in_conflict(db: treesql.Database, tmp_path: Path) -> None:
    """Which is why the exchanged value stands beside it."""
    pair(db, tmp_path, "(S (A (X a) (X b)) (X c) (X d))\n", "(S (X a) (X b) (X c) (X d))\n")
    row = score(db, "robinson_foulds", "generalised_robinson_foulds", "quartets")
    assert (row["rfd"], row["grfd"], row["grfd_exchanged"], row["qd"], row["gqd"]) == (1, 0, 0, 1, 0)


def test_means_and_ratios_of_sums(db: treesql.Database, tmp_path: Path) -> None:
    """2 of 2 sets differ, and 0 of 4: the mean is 1/2, the ratio of sums 2/6."""
    gold = "(S (A (X a) (X b)) (X c))\n(S (A (X a) (X b)) (B (X c) (X d)))\n"
    test = "(S (X a) (B (X b) (X c)))\n(S (A (X a) (X b)) (B (X c) (X d)))\n"
    row = score(pair(db, tmp_path, gold, test), "robinson_foulds")
    assert (row["rfd"], row["rfd_micro"]) == (1 / 2, 2 / 6)


def test_clusters_with_labels(db: treesql.Database, tmp_path: Path) -> None:
    """ab and cd against the same; against ab, cd and abcd, where cd has another chain of labels; ab against bc."""
    gold = "(S (A (X a) (X b)) (B (C (X c) (X d))) (X e))\n" * 2 + "(S (A (X a) (X b)) (X c))\n"
    test = "(S (A (X a) (X b)) (B (C (X c) (X d))) (X e))\n(S (D (A (X a) (X b)) (C (B (X c) (X d)))) (X e))\n"
    pair(db, tmp_path, gold, test + "(S (X a) (A (X b) (X c)))\n")
    rows = db.score("labelled_robinson_foulds", by="sentence", gold_corpus="gold", system_corpus="test").rows()
    assert [row["lrf"] for row in rows] == [0, 2, 2]
    assert [row["lrfd"] for row in rows] == pytest.approx([0, 2 / 5, 1])
    row = score(db, "labelled_robinson_foulds", "robinson_foulds")
    assert row["lrf"] == 4 / 3
    assert [row["lrfd"], row["lrfd_micro"]] == pytest.approx([(2 / 5 + 1) / 3, 4 / 11])
    assert row["rfd"] == pytest.approx((1 / 5 + 1) / 3)


def test_labels_of_clusters_by_rules(db: treesql.Database, tmp_path: Path) -> None:
    """ADVP and PRT are one label by COLLINS, which ignores functions; without the full stop the second is the root."""
    gold = "(S (ADVP (X a) (X b)) (-NONE- *) (X c) (. .))\n(S (VP (X a) (X b)) (. .))\n"
    test = "(S (PRT-TMP (X a) (X b)) (X c) (. .))\n(S (NP (X a) (X b)) (. .))\n"
    pair(db, tmp_path, gold, test)
    assert score(db, "labelled_robinson_foulds")["lrf"] == 1 / 2
    assert score(db, "labelled_robinson_foulds", punctuation="drop")["lrf"] == 0
    path = tmp_path / "own.prm"
    path.write_text("LABELED 1\n")
    rules = evalb_parameters.install_rules(db.engine, str(path))
    assert score(db, "labelled_robinson_foulds", rules=rules)["lrf"] == 1
    assert score(db, "labelled_robinson_foulds", rules="unlabelled")["lrf"] == 0


def test_trees_without_comparable_clusters(db: treesql.Database, tmp_path: Path) -> None:
    pair(db, tmp_path, "(S (X a))\n(())\n(S (X a))\n", "(S (X b))\n(())\n(S (X a))\n")
    row = score(db, "labelled_robinson_foulds")
    assert (row["lrf"], row["lrfd"], row["lrfd_micro"]) == (0, 0, 0)
    rows = db.query("labelled_robinson_foulds", gold_corpus="gold", system_corpus="test").rows()
    assert [(row["comparable"], row["labelled_differences"]) for row in rows] == [(0, None), (0, None), (1, 0)]
    pair(db, tmp_path, "((a,b)x,(c,d)y);\n", "((d,c)y,(b,a)z);\n", "nwk")
    assert score(db, "labelled_robinson_foulds", leaves="name")["lrf"] == 1


def test_leaves_by_name(db: treesql.Database, tmp_path: Path) -> None:
    pair(db, tmp_path, "((a,b),(c,d));\n((a,b),(c,d));\n", "((d,c),(b,a));\n((a,b),(c,x));\n", "nwk")
    one, other = db.score(
        "robinson_foulds", "quartets", by="sentence", gold_corpus="gold", system_corpus="test", leaves="name"
    ).rows()
    assert (one["rfd"], one["qd"], one["unlike_leaves"]) == (0, 0, 0)
    assert (other["rfd"], other["qd"], other["unlike_leaves"]) == (None, None, 1)
    [_, common] = db.query("robinson_foulds", gold_corpus="gold", system_corpus="test", leaves="common").rows()
    assert (common["n_leaves"], common["gold_sets"], common["common_sets"]) == (3, 1, 1)
    for row in db.score("robinson_foulds", by="sentence", gold_corpus="gold", system_corpus="test").rows():
        assert row["unlike_leaves"] == 1  # by order, no two leaves are the same


def test_all_pairs(db: treesql.Database, tmp_path: Path) -> None:
    """Three trees over the leaves a to e in different orders, and one over others."""
    trees = ["(((a,b),c),(d,e));", "((e,d),(c,(b,a)));", "((a,c),b,(d,e));", "((a,b),(c,x));"]
    (tmp_path / "trees.nwk").write_text("\n".join(trees) + "\n")
    db.load(tmp_path / "trees.nwk", corpus="trees")
    found = db.query("robinson_foulds_distances", tree_corpus="trees").rows()
    assert [(row["tree_a"], row["tree_b"], row["differing_sets"]) for row in found] == [
        (0, 1, 0), (0, 2, 3), (0, 3, None), (1, 2, 3), (1, 3, None), (2, 3, None),
    ]  # fmt: skip
    assert [row["differing_share"] for row in found] == [0, 3 / 5, None, 3 / 5, None, None]
    unrooted = db.query("robinson_foulds_distances", tree_corpus="trees", rooting="unrooted").rows()
    assert [row["differing_sets"] for row in unrooted] == [0, 2, None, 2, None, None]
    for rooting, distances in (("rooted", found), ("unrooted", unrooted)):
        all_of_them = db.query("tree_distances", tree_corpus="trees", rooting=rooting).rows()
        assert [row["differing_share"] for row in all_of_them] == [row["differing_share"] for row in distances]
    assert [row["n_leaves"] for row in all_of_them] == [5, 5, None, 5, None, None]
    assert [row["unequal_share"] for row in all_of_them] == [
        0,
        pytest.approx(2 / 5),
        None,
        pytest.approx(2 / 5),
        None,
        None,
    ]


def test_nothing_in_common_is_nothing_to_compare(db: treesql.Database, tmp_path: Path) -> None:
    pair(db, tmp_path, "((a,b),(c,d));\n", "((p,q),(r,s));\n", "nwk")
    row = score(db, "robinson_foulds", "generalised_robinson_foulds", "quartets", leaves="common")
    assert (row["unlike_leaves"], row["rfd"], row["grfd"], row["qd"]) == (1, None, None, None)
    row = score(pair(db, tmp_path, "(())\n", "(())\n"), "evalb", "robinson_foulds")
    assert (row["skipped"], row["rfd"]) == (1, None)


def test_brackets_without_labels_and_equal_words(db: treesql.Database, tmp_path: Path) -> None:
    path = tmp_path / "own.prm"
    path.write_text("LABELED 0\nEQ_WORD Ü ü\n")
    pair(db, tmp_path, "(S (A (X Ü) (X b)) (X c))\n", "(S (B (X ü) (X b)) (X c))\n")
    rules = evalb_parameters.install_rules(db.engine, str(path))
    assert [score(db, "evalb", rules=rules)[name] for name in ("errors", *BRACKETS)] == [0, 2, 2, 2, 0]
    assert score(db, "evalb")["errors"] == 1


def test_values_of_a_corpus(db: treesql.Database, tmp_path: Path) -> None:
    """ab|cd against ac|bd, and ((a b) c) d e against a b c d e: 1 of 1 quartet, and 3 of 5, differ."""
    gold = "(S (A (X a) (X b)) (B (X c) (X d)))\n(S (A (B (X a) (X b)) (X c)) (X d) (X e))\n"
    test = "(S (X a) (A (X b) (X c)) (X d))\n(S (X a) (X b) (X c) (X d) (X e))\n"
    row = score(pair(db, tmp_path, gold, test), "generalised_robinson_foulds", "quartets", "constituent_tree_edit")
    assert (row["qd"], row["qd_micro"]) == (1, 1)
    assert (row["gqd"], row["gqd_micro"]) == (1 / 2, 1 / 6)
    assert (row["grfd"], row["grfd_micro"], row["grfd_exchanged"]) == (1 / 2, 1, 1 / 2)
    assert (row["ted"], row["ted_skeleton"]) == (5 / 2, 5 / 2)


def test_no_parameter_makes_or_unmakes_traces(db: treesql.Database, tmp_path: Path) -> None:
    pair(db, tmp_path, *["(TOP (S (NP (-NONE- *)) (VP (VB go) (PRT up))))\n"] * 2)
    path = tmp_path / "own.prm"
    for equals in ("-NONE- PRT", "PRT -NONE-"):
        path.write_text(f"EQ_LABEL {equals}\n")
        rules = evalb_parameters.install_rules(db.engine, str(path))
        [row] = db.query("robinson_foulds", gold_corpus="gold", system_corpus="test", rules=rules).rows()
        assert row["n_leaves"] == 2


def test_rules_of_labels(db: treesql.Database, tmp_path: Path) -> None:
    """Labels that are equal to others are one, whose brackets are ignored where one of them is; not so the words."""
    path = tmp_path / "own.prm"
    path.write_text(
        "EQ_LABEL A B\nEQ_LABEL B C\nEQ_LABEL X B\nDELETE_LABEL A\nDELETE_LABEL D\nDELETE_LABEL_FOR_LENGTH E\n"
        "QUOTE_LABEL F\nEQ_WORD G D\nDELETE_WORD G\n"
    )
    tree = f"(S {' '.join(f'({tag} {tag})' for tag in 'ABCDEFGX')})\n"
    rules = evalb_parameters.install_rules(pair(db, tmp_path, tree, "(S (X A))\n").engine, str(path))
    given: dict[str, Any] = {"tree_corpus": "gold", "beside": "test", "rules": rules}
    expected = {
        "A": ("X", "left_out", "deleted"), "B": ("X", "left_out"), "C": ("X", "left_out"), "X": ("X", "left_out"),
        "D": ("D", "left_out", "deleted"), "E": ("E", "uncounted"), "F": ("F", "quote"), "G": ("G",), "S": ("S",),
    }  # fmt: skip
    sql = "SELECT l.corpus, l.number, l.label FROM constituent_labels AS l WHERE l.corpus IN ('gold', 'test')"
    label_of = {(row["corpus"], row["number"]): row["label"] for row in db.sql(sql).rows()}
    rows = db.query("evalb_labels", **given).rows()
    assert len(rows) == len(label_of)
    for row in rows:
        said = tuple(name for name in ("left_out", "deleted", "quote", "uncounted", "trace") if row[name])
        assert (row["label"], *said) == expected[label_of[row["corpus"], row["number"]]]


def test_labels_are_numbered_alike_where_some_are_missing(tmp_path: Path) -> None:
    """Also where a setting of DuckDB has rows without a value before others."""
    tree = "(TOP (S (NP (DT the) (NN cat)) (VP (VB ran))))\n"
    with treesql.connect() as own:
        pair(own, tmp_path, tree, tree)
        own.sql("UPDATE words SET xpos = NULL WHERE form = 'the'")
        for order in ("nulls_last", "nulls_first"):
            own.sql(f"SET default_null_order = '{order}'")
            rows = own.score("evalb", by="label", gold_corpus="gold", system_corpus="test").rows()
            assert {row["label"]: row["matched"] for row in rows if row["gold"]} == {"NP": 1, "S": 1, "VP": 1}


def test_similarity_of_the_labels_above_words(db: treesql.Database, tmp_path: Path) -> None:
    """Of a and b one of two labels and a mark differs, that a begins S and b ends A; c ends S in both trees."""
    pair(db, tmp_path, "(S (A (X a) (X b)) (X c))\n(S (X a))\n", "(S (B (X a) (X b)) (X c))\n(S (X a))\n")
    row = score(db, "leaf_ancestor")
    assert row["leaf_ancestor"] == pytest.approx(((2 * (1 - 1 / 6) + 1) / 3 + 1) / 2)
    assert row["leaf_ancestor_micro"] == pytest.approx((2 * (1 - 1 / 6) + 1 + 1) / 4)


def test_brackets_by_the_gaps_of_their_tree(db: treesql.Database, tmp_path: Path) -> None:
    """Of a tree with a gap, and of one without, whose only bracket has another label."""
    gold = "(S (A (X 0=a) (X 2=c)) (X 1=b))\n(S (X 0=a))\n"
    pair(db, tmp_path, gold, gold.replace("\n(S", "\n(T"), "discbracket")
    found = db.score("evalb", by="gold_gap_degree,gold_well_nested", gold_corpus="gold", system_corpus="test").rows()
    rows = [(row["gold_gap_degree"], row["gold_well_nested"], row["gold"], row["matched"]) for row in found]
    assert rows == [(0, True, 1, 0), (1, True, 2, 2)]


def test_rules_have_their_children_in_order(tmp_path: Path) -> None:
    (tmp_path / "t.mrg").write_text("(S (VP (V a)) (NP (N b)))\n(S (NP (N c)) (VP (V d)))\n(S (VP (V e)) (NP (N f)))\n")
    with treesql.connect() as db:
        db.load(tmp_path / "t.mrg", corpus="t")
        rows = db.query("grammar_rules").rows()
    assert [(row["children"], row["phrases"], row["share"]) for row in rows if row["label"] == "S"] == [
        ("VP NP", 2, 2 / 3), ("NP VP", 1, 1 / 3)
    ]  # fmt: skip


def test_functions_counted_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    """SBJ is right, TPC is missing, TMP is LOC instead; the second NP-LOC is no bracket of gold; indices are none."""
    gold = "(S (NP-SBJ-TPC-1 (DT a) (NN b)) (VP (VBD c) (NP-TMP=2 (NN d)) (NP-LOC (NN e) (NN f))))"
    test = "(S (NP-SBJ-3 (DT a) (NN b)) (VP (VBD c) (NP-LOC (NN d)) (NP-LOC (NN e)) (NN f)))"
    pair(db, tmp_path, f"({gold})\n", f"({test})\n")
    row = score(db, "function_tags")
    assert [row[f"function_{one}"] for one in ("matched", "gold", "test")] == [1, 3, 2]
    assert tuple(row[f"function_{one}"] for one in ("tag_precision", "tag_recall", "f1")) == (1 / 2, 1 / 3, 2 / 5)
    by_function = db.score("function_tags", by="function_tag", gold_corpus="gold", system_corpus="test").rows()
    assert {row["function_tag"]: row["function_f1"] for row in by_function} == {"SBJ": 1, "TPC": 0, "TMP": 0, "LOC": 0}
    pair(db, tmp_path, "((S (NP (NN a))))\n", "((S (NP (NN a))))\n")
    assert score(db, "function_tags")["function_f1"] is None


def test_edits_for_each_node_of_both_trees(db: treesql.Database, tmp_path: Path) -> None:
    """(S (NP (D a) (N b)) (V c)) has the phrases S and NP, three tags and three words; NP becomes X, or is lost."""
    tree = "(S (NP (D a) (N b)) (V c))"
    db = pair(db, tmp_path, f"{tree}\n" * 3, f"{tree.replace('NP', 'X')}\n(S (D a) (N b) (V c))\n(S (V c))\n")
    corpora = {"gold_corpus": "gold", "system_corpus": "test"}
    rows = db.query("constituent_tree_edit", **corpora).rows()
    assert [(row["edits"], row["compared_nodes"]) for row in rows] == [(1, 16), (1, 15), (None, None)]
    assert db.score("constituent_tree_edit", **corpora)[0]["ted_normalised"] == 2 / 31
