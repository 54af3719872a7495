"""Paths between aligned words and tree edits: by hand, perfect and hopeless pairs, roots, possible and null links."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

import treesql
from tests.conftest import bare, conllu, heard
from tests.evaluation.aligned_trees import FILES, score, scores, written
from tests.house.rules import in_turn
from treesql.errors import Incomparable, InvalidInput, QueryError

ALIGNED = {
    "reference_corpus": "reference", "hypothesis_corpus": "hypothesis", "alignment_corpus": "reference-hypothesis",
}  # fmt: skip
TREE = conllu("a:2:x b:0:root", "c:0:root")


def test_examples_by_hand() -> None:
    """docs/paths.md works the first sentence. In the second `yesterday` has moved behind all other words: one edge of
    its path turns round. The fourth has one word on a side, the fifth no link.
    """
    rows = score(*FILES, by="sentence").rows()
    columns = ("sent_id", "disparity", "maximum", "distance", "sentences_without_distance", "coverage")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("sherlock", 5, 9, 5 / 9, 0, 10 / 12),
        ("letters", 1, 8, 1 / 8, 0, 1.0),
        ("rain", 0, 2, 0.0, 0, 1.0),
        ("course", 0, 0, None, 1, 1.0),
        ("oh", 0, 0, None, 1, 0.0),
    ]
    assert [row["covered_similarity"] for row in rows] == pytest.approx([4 / 9 * 10 / 12, 7 / 8, 1, None, None])
    row = scores(*FILES)
    assert list(row) == [
        "system", "disparity", "maximum", "distance", "distance_macro", "sentences", "sentences_without_distance",
        "coverage", "covered_similarity",
    ]  # fmt: skip
    assert (row["system"], row["disparity"], row["maximum"], row["distance"]) == ("hypothesis.conllu", 6, 19, 6 / 19)
    assert row["distance_macro"] == pytest.approx((5 / 9 + 1 / 8 + 0) / 3)
    assert (row["sentences"], row["sentences_without_distance"]) == (5, 2)
    assert row["coverage"] == (10 + 10 + 4 + 3 + 0) / (12 + 10 + 4 + 3 + 2)
    assert row["covered_similarity"] == pytest.approx(13 / 19 * 27 / 31)


def test_rows_in_any_order_give_the_same_lists() -> None:
    lists = """SELECT t.corpus, t.sentence, t.form_list, t.head_list, t.relation_list FROM tree_lists AS t
               UNION ALL
               SELECT l.corpus, l.sentence, [], l.source_list, [CAST(x AS VARCHAR) FOR x IN l.target_list]
               FROM link_lists AS l
               ORDER BY 1, 2"""
    with treesql.connect() as db:
        for corpus, file in zip(ALIGNED.values(), FILES, strict=True):
            db.load(file, corpus=corpus)
        expected = db.sql(lists).arrow()
        connection = bare(db)
        [(forms, heads, relations)] = connection.execute(
            """SELECT list(w.form ORDER BY w.word), list(w.head ORDER BY w.word), list(w.deprel ORDER BY w.word)
               FROM words AS w WHERE w.corpus = 'reference' AND w.sentence = 0"""
        ).fetchall()
        for table, order in (("words", "corpus, word DESC"), ("alignments", "target DESC, source")):
            connection.execute(f"CREATE TEMP TABLE shuffled AS SELECT * FROM {table} ORDER BY {order}")
            connection.execute(f"DELETE FROM {table}")
            connection.execute(f"INSERT INTO {table} SELECT * FROM shuffled")
            connection.execute("DROP TABLE shuffled")
        assert db.sql(lists).arrow().equals(expected)
    [first] = [row for row in expected.to_pylist() if (row["corpus"], row["sentence"]) == ("reference", 0)]
    assert (first["form_list"], first["head_list"], first["relation_list"]) == (forms, heads, relations)


def test_items_say_what_was_moved(examples: treesql.Database) -> None:
    items = examples.query("path_disparities", **ALIGNED).rows()
    assert sorted(row["sentence"] for row in items) == [0] * 4 + [1] * 4 + [2, 3]
    [moved] = [row for row in items if row["sentence"] == 1 and row["disparity"]]
    assert "yesterday" in moved["reference_words"]
    assert "yesterday" in moved["hypothesis_words"]
    [worst] = [row for row in items if (row["disparity"], row["maximum"]) == (3, 3)]
    assert worst["reference_words"] == "becoming ... Sherlock"
    assert (worst["reference_path"], worst["hypothesis_path"]) == ("(, alpha, DOBJ CMP)", "(, beta, NSUBJ)")
    assert (worst["reference_first"], worst["reference_last"]) == (4, 6)
    assert (worst["hypothesis_first"], worst["hypothesis_last"]) == (3, 2)
    assert sum(row["weighted_maximum"] for row in items) == pytest.approx(3)


def test_the_graph_of_the_figure(examples: treesql.Database) -> None:
    """Figure 5.2, with the weights of docs/paths.md: pairs c and d are chosen, and each determiner with its noun."""
    rows = examples.query("meta_graph", **ALIGNED).rows()
    figure = {row["reference_words"]: (row["disparity"], row["maximum"], row["chosen"]) for row in rows[:10]}
    assert figure == {
        "the ... detective": (0, 2, True), "the ... becoming": (2, 3, False), "the ... a": (4, 6, False),
        "the ... Sherlock": (4, 5, False), "detective ... becoming": (2, 2, True), "detective ... a": (4, 5, False),
        "detective ... Sherlock": (4, 4, False), "becoming ... a": (3, 4, False), "becoming ... Sherlock": (3, 3, True),
        "a ... Sherlock": (0, 2, True),
    }  # fmt: skip
    chosen = [(row["sentence"], row["disparity"], row["maximum"]) for row in rows if row["chosen"]]
    items = examples.query("path_disparities", **ALIGNED).rows()
    assert sorted(chosen) == sorted((row["sentence"], row["disparity"], row["maximum"]) for row in items)
    links = {0: 5, 1: 5, 2: 2, 3: 2}
    assert len(rows) == sum(n * (n - 1) // 2 for n in links.values())


def test_either_side_may_be_the_reference() -> None:
    found = scores(*FILES)
    exchanged = scores(FILES[1], FILES[0], FILES[2], reverse=True)
    assert {**found, "system": ""} == pytest.approx({**exchanged, "system": ""})


def test_perfect_and_hopeless(tmp_path: Path) -> None:
    tree = conllu("a:2:x b:0:root c:2:y")
    assert scores(*written(tmp_path, tree, tree, "0-0 1-1 2-2\n"))["distance"] == 0
    chain = conllu("a:2:x b:3:x c:0:root")
    row = scores(*written(tmp_path, chain, chain, "0-2 2-0\n"))
    assert (row["disparity"], row["maximum"], row["distance"]) == (5, 5, 1.0)


def test_fewer_than_two_places(tmp_path: Path) -> None:
    """NULL, and counted: no link, one, two of one word, and of the other word. Of a sentence, and of a file."""
    links = ["\n", "0-0\n", "0-0 0-1\n", "0-1 1-1\n"]
    trees = conllu(*["a:2:x b:0:root"] * len(links))
    files = written(tmp_path, trees, trees, "".join(links))
    rows = score(*files, by="sentence").rows()
    assert len(rows) == len(links)
    for n, row in [*((1, row) for row in rows), (len(links), scores(*files))]:
        assert (row["disparity"], row["maximum"], row["distance"], row["distance_macro"]) == (0, 0, None, None)
        assert (row["sentences"], row["sentences_without_distance"]) == (n, n)
        assert row["covered_similarity"] is None


def test_relations_are_compared_whole(tmp_path: Path) -> None:
    reference = conllu("a:2:nmod b:0:root")
    files = written(tmp_path, reference, reference.replace(b"nmod", b"nmod:poss"), "0-0 1-1\n")
    assert scores(*files)["disparity"] == 1


def test_possible_links_count_and_null_links_do_not(tmp_path: Path) -> None:
    tree = conllu("a:2:x b:0:root")
    assert scores(*written(tmp_path, tree, tree, "0-0 1p1\n"))["maximum"] == 2
    files = written(tmp_path, tree, tree, "1 0 1\n1 1 1\n1 2 2\n")
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in zip(("r", "h"), files[:2], strict=True):
            db.load(file, corpus=corpus)
        db.load(files[2], corpus="l", format="wpt", null_links=True)
    wpt = scores("r", "h", "l", db=path)
    assert (wpt["maximum"], wpt["coverage"]) == (2, 1.0)


def test_several_roots_hang_on_one_above(tmp_path: Path) -> None:
    """They are told of, and refused where that is asked."""
    files = written(tmp_path, conllu("a:0:root b:0:root"), conllu("a:0:root b:1:x"), "0-0 1-1\n")
    with heard() as told:
        row = scores(*files)
    assert (row["disparity"], row["maximum"]) == (2, 3)  # (root, alpha, root) and (, alpha, x)
    assert "several roots" in told[0]
    with pytest.raises(InvalidInput, match="2 roots"):
        scores(*files, strict=True)


@pytest.mark.parametrize("costs", ["structure", "deprel", "aligned", "aligned_strict"])
def test_tree_edits(costs: str) -> None:
    """Sherlock: 2 auxiliaries and compounds go. Letters: `yesterday` goes and comes back. Course: a word more."""
    reference, hypothesis, links = FILES
    given = {"reference": reference, "systems": [(hypothesis, links) if "aligned" in costs else hypothesis]}
    [row] = treesql.score("trees", **given, costs=costs).rows()
    expected = {"structure": [2, 2, 0, 1, 0], "deprel": [2, 2, 0, 1, 0], "aligned": [6, 2, 0, 1, 1]}
    expected["aligned_strict"] = [6, 2, 0, 1, 2]
    by_sentence = treesql.score("trees", **given, costs=costs, by="sentence").rows()
    assert [one["tree_edit"] for one in by_sentence] == expected[costs]
    assert row["tree_edit"] == sum(expected[costs])
    assert row["tree_edit_normalised"] == sum(expected[costs]) / 31


def test_paths_that_differ_of_all_sentences() -> None:
    rows = score(*FILES, errors=True).rows()
    assert [(row["system"], row["sent_id"], row["disparity"]) for row in rows] == [
        ("hypothesis.conllu", name, n) for name, n in (("sherlock", 3), ("sherlock", 2), ("letters", 1))
    ]


@in_turn(
    ("reference", "hypothesis", "links", "what"),
    [
        (TREE, TREE, "0-0 1-2\n\n", r"l.align:1: .* word 3 \(counted from 1\) of h.conllu, whose sentence 1 has 2"),
        (TREE, TREE, "\n1-0\n", r"l.align:2: .* word 2 \(counted from 1\) of r.conllu, whose sentence 2 has 1"),
        (TREE, conllu("a:0:root"), "\n\n", r"r.conllu:4: sentence 2 has no counterpart in h.conllu"),
        (conllu("a:0:root"), TREE, "\n", r"h.conllu:4: sentence 2 has no counterpart in r.conllu"),
        (TREE, TREE, "0-0\n", r"r.conllu:4: sentence 2 has no line in the alignment l.align"),
        (TREE, TREE, "0-0\n\n0-0\n", r"l.align:3: the alignment has a sentence 3, r.conllu has not"),
        (TREE, TREE, "", r"l.align: the file is empty"),
        (TREE, TREE, "0-0 x\n\n", r"l.align:1:5: `x` is not a link"),
        (conllu("a:2:x b:1:y"), conllu("a:2:x b:1:y"), "\n", r"r.conllu:1: heads form a cycle"),
        (b"", TREE, "\n", r"r.conllu"),
    ],
)
def test_files_that_do_not_fit(reference: bytes, hypothesis: bytes, links: str, what: str, tmp_path: Path) -> None:
    with pytest.raises((Incomparable, InvalidInput), match=what):
        scores(*written(tmp_path, reference, hypothesis, links))


def test_cycles_that_were_taken(tmp_path: Path) -> None:
    """Loaded with --permissive; paths are still refused, by their sentence and not by a kernel."""
    files = written(tmp_path, conllu("a:0:root", "a:2:x b:1:y"), conllu("a:0:root", "a:2:x b:0:root"), "0-0\n0-0 1-1\n")
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db, heard():
        for corpus, file in zip(("r", "h", "l"), files, strict=True):
            db.load(file, corpus=corpus, permissive=True)
    for kind, system in (("paths", ("h", "l")), ("trees", "h")):
        with pytest.raises(Incomparable, match="the heads of sentence 2 form a cycle"):
            treesql.score(kind, reference="r", systems=[system], db=path)


def test_sentences_that_are_not_parsed(tmp_path: Path) -> None:
    unparsed = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(Incomparable, match="sentence 1 is not parsed"):
        scores(*written(tmp_path, unparsed, conllu("a:0:root"), "0-0\n"))


def test_in_wpt_a_sentence_without_links_has_no_line(tmp_path: Path) -> None:
    assert scores(*written(tmp_path, TREE, TREE, "1 1 1\n1 2 2\n"), alignment_format="wpt")["maximum"] == 2


def test_the_macro_stops_at_bad_links(db: treesql.Database, tmp_path: Path) -> None:
    reference, hypothesis, links = written(tmp_path, TREE, TREE, "0-5\n\n")
    db.load(reference, corpus="r")
    db.load(hypothesis, corpus="h")
    db.load(links, corpus="l")
    with pytest.raises((QueryError, OSError), match="a link is to no word of the sentence"):
        db.sql("FROM path_disparities('r', 'h', 'l')")
    with pytest.raises(Incomparable, match="a link is to word 6"):
        db.score("path_disparities", reference_corpus="r", hypothesis_corpus="h", alignment_corpus="l")
    with pytest.raises(Incomparable, match="a link is to word 6"):
        score(reference, hypothesis, links, errors=True)


def test_the_same_file_on_both_sides(tmp_path: Path) -> None:
    reference, _, links = written(tmp_path, TREE, TREE, "0-0 1-1\n0-0\n")
    row = scores(reference, reference, links)
    assert (row["distance"], row["system"]) == (0, "r.conllu")


def test_numbers_of_sentences_make_no_difference(tmp_path: Path) -> None:
    """The sentences in another order have the same scores."""
    trees = ["a:2:x b:0:root c:2:y", "a:0:root b:1:z", "a:3:x b:3:y c:0:root"]
    others = ["a:2:x b:3:root c:0:y", "a:2:root b:0:z", "c:2:x b:0:y a:2:x"]
    links = ["0-0 1-2 2-1\n", "0-1 1-0\n", "0-2 1-1 2-0\n"]
    found = []
    for order in permutations(range(3)):
        sides = (conllu(*(side[i] for i in order)) for side in (trees, others))
        found.append(scores(*written(tmp_path, *sides, "".join(links[i] for i in order))))
    assert all({**one, "system": 0} == pytest.approx({**found[0], "system": 0}) for one in found)
