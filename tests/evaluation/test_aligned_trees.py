"""Scores of aligned dependency trees from files and from a database, what is refused, and why a sentence scores so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from treesql.errors import Diagnostic, Incomparable, InvalidInput, QueryError, UnknownName, UsageError
from treesql.evaluation.aligned_trees import PATHS, AlignedTreesTask, costly_paths, evaluate, explain, tree_edit_metric
from treesql.readers import Notation

FILES = [str(FIXTURES / name) for name in ("reference.conllu", "hypothesis.conllu", "reference-hypothesis.align")]
Files = Callable[..., list[str]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Writes reference, hypothesis and alignment; returns their paths."""

    def write(reference: bytes, hypothesis: bytes, links: str = "") -> list[str]:
        contents = {"r.conllu": reference, "h.conllu": hypothesis, "l.align": links.encode()}
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content)
        return [str(tmp_path / name) for name in contents]

    return write


def scores(*files: str, **how: Any) -> dict[str, Any]:
    [row] = evaluate(AlignedTreesTask(PATHS, *files, **how)).rows()
    return row


def test_examples_by_hand() -> None:
    """docs/paths.md works the first sentence. In the second `yesterday` has moved behind all other words: one edge of
    its path turns round. The fourth has one word on a side, the fifth no link.
    """
    rows = evaluate(AlignedTreesTask(PATHS, *FILES, by="sentence")).rows()
    columns = ("sent_id", "disparity", "maximum", "distance", "sentences_without_distance", "coverage")
    assert [tuple(row[name] for name in columns) for row in rows] == [
        ("sherlock", 5, 10, 0.5, 0, 10 / 12),
        ("letters", 1, 8, 1 / 8, 0, 1.0),
        ("rain", 0, 2, 0.0, 0, 1.0),
        ("course", 0, 0, None, 1, 1.0),
        ("oh", 0, 0, None, 1, 0.0),
    ]
    assert [row["covered_similarity"] for row in rows] == pytest.approx([5 / 12, 7 / 8, 1, None, None])
    row = scores(*FILES)
    assert list(row) == [
        "system", "disparity", "maximum", "distance", "distance_macro", "sentences", "sentences_without_distance",
        "coverage", "covered_similarity",
    ]  # fmt: skip
    assert (row["system"], row["disparity"], row["maximum"], row["distance"]) == ("hypothesis.conllu", 6, 20, 6 / 20)
    assert row["distance_macro"] == pytest.approx((1 / 2 + 1 / 8 + 0) / 3)
    assert (row["sentences"], row["sentences_without_distance"]) == (5, 2)
    assert row["coverage"] == (10 + 10 + 4 + 3 + 0) / (12 + 10 + 4 + 3 + 2)
    assert row["covered_similarity"] == pytest.approx(14 / 20 * 27 / 31)


def test_items_say_what_was_moved(examples: treesql.Database) -> None:
    items = examples.query(
        "path_disparities",
        reference_corpus="reference",
        hypothesis_corpus="hypothesis",
        alignment_corpus="reference-hypothesis",
    ).rows()
    assert sorted(row["sentence"] for row in items) == [0] * 4 + [1] * 4 + [2, 3]
    [moved] = [row for row in items if row["sentence"] == 1 and row["disparity"]]
    assert "yesterday" in moved["reference_words"]
    assert "yesterday" in moved["hypothesis_words"]
    [worst] = [row for row in items if (row["disparity"], row["maximum"]) == (2, 3)]
    assert worst["reference_words"] == "becoming ... a"
    assert (worst["reference_path"], worst["hypothesis_path"]) == ("(, alpha, DOBJ DET)", "(, beta, NSUBJ DET)")
    assert (worst["reference_first"], worst["reference_last"]) == (4, 5)
    assert (worst["hypothesis_first"], worst["hypothesis_last"]) == (3, 1)
    assert sum(row["weighted_maximum"] for row in items) == pytest.approx(3)


def test_either_side_may_be_the_reference() -> None:
    found = scores(*FILES)
    exchanged = scores(FILES[1], FILES[0], FILES[2], notation=Notation(reverse=True))
    assert {**found, "system": ""} == pytest.approx({**exchanged, "system": ""})


def test_perfect_and_hopeless(files: Files) -> None:
    tree = conllu("a:2:x b:0:root c:2:y")
    assert scores(*files(tree, tree, "0-0 1-1 2-2\n"))["distance"] == 0
    chain = conllu("a:2:x b:3:x c:0:root")
    row = scores(*files(chain, chain, "0-2 2-0\n"))
    assert (row["disparity"], row["maximum"], row["distance"]) == (5, 5, 1.0)


@pytest.mark.parametrize(
    "links", ["\n", "0-0\n", "0-0 0-1\n", "0-1 1-1\n"], ids=["none", "one", "one word", "other word"]
)
def test_fewer_than_two_places(links: str, files: Files) -> None:
    """NULL, and counted."""
    row = scores(*files(conllu("a:2:x b:0:root"), conllu("a:2:x b:0:root"), links))
    assert (row["disparity"], row["maximum"], row["distance"], row["distance_macro"]) == (0, 0, None, None)
    assert (row["sentences"], row["sentences_without_distance"]) == (1, 1)
    assert row["covered_similarity"] is None


def test_relations_are_compared_whole(files: Files) -> None:
    reference = conllu("a:2:nmod b:0:root")
    assert scores(*files(reference, reference.replace(b"nmod", b"nmod:poss"), "0-0 1-1\n"))["disparity"] == 1


def test_possible_links_count_and_null_links_do_not(files: Files) -> None:
    tree = conllu("a:2:x b:0:root")
    assert scores(*files(tree, tree, "0-0 1p1\n"))["maximum"] == 2
    reference, hypothesis, links = files(tree, tree, "1 0 1\n1 1 1\n1 2 2\n")
    wpt = scores(reference, hypothesis, links, alignment_form="wpt", notation=Notation(null_links=True))
    assert (wpt["maximum"], wpt["coverage"]) == (2, 1.0)


def test_several_roots_hang_on_one_above(files: Files) -> None:
    """They are told of, and refused where that is asked."""
    warnings: list[Diagnostic] = []
    given = files(conllu("a:0:root b:0:root"), conllu("a:0:root b:1:x"), "0-0 1-1\n")
    row = scores(*given, warn=warnings.append)
    assert (row["disparity"], row["maximum"]) == (2, 3)  # (root, alpha, root) and (, alpha, x)
    assert "several roots" in str(warnings[0])
    with pytest.raises(InvalidInput, match="2 roots"):
        scores(*given, strict=True)


@pytest.mark.parametrize("costs", ["structure", "deprel", "aligned", "aligned_strict"])
def test_tree_edits(costs: str) -> None:
    """Sherlock: 2 auxiliaries and compounds go. Letters: `yesterday` goes and comes back. Course: a word more."""
    metric, parameters = tree_edit_metric(costs, FILES[2] if "aligned" in costs else None)
    task = AlignedTreesTask([metric], *FILES[:2], FILES[2] if "aligned" in costs else None, parameters)
    [row] = evaluate(task).rows()
    expected = {"structure": [2, 2, 0, 1, 0], "deprel": [2, 2, 0, 1, 0], "aligned": [6, 2, 0, 1, 1]}
    expected["aligned_strict"] = [6, 2, 0, 1, 2]
    by_sentence = evaluate(AlignedTreesTask([metric], *FILES[:2], task.alignment, parameters, by="sentence")).rows()
    assert [one["tree_edit"] for one in by_sentence] == expected[costs]
    assert row["tree_edit"] == sum(expected[costs])
    assert row["tree_edit_normalised"] == sum(expected[costs]) / 31


def test_costs_and_alignments_go_together() -> None:
    with pytest.raises(UsageError, match="--alignment FILE"):
        tree_edit_metric("aligned", None)
    with pytest.raises(UsageError, match="cannot be combined with costs"):
        tree_edit_metric("deprel", "links.align")
    with pytest.raises(UsageError, match="path_disparities needs alignment_corpus"):
        evaluate(AlignedTreesTask(PATHS, *FILES[:2]))


def test_why_a_sentence_scores_so() -> None:
    found = explain(AlignedTreesTask(PATHS, *FILES), "sherlock")
    lines = found.drawing.splitlines()
    assert "the detective is  becoming  a  Sherlock Holmes" in lines
    assert " ↓4    ↓!5          ↓!3    ↓!1   ↓!2" in lines
    assert "!NSUBJ" in found.drawing  # on a path that costs
    assert "─DET─" in found.drawing  # the detective's own is on none
    assert [(row["disparity"], row["maximum"]) for row in found.paths.rows()] == [(2, 2), (2, 3), (1, 3)]
    assert explain(AlignedTreesTask(PATHS, *FILES), "0").paths.rows() == found.paths.rows()
    assert not explain(AlignedTreesTask(PATHS, *FILES), "rain").paths.rows()
    assert "↓1,2" in explain(AlignedTreesTask(PATHS, *FILES), "course").drawing
    assert len(explain(AlignedTreesTask(PATHS, *FILES), "oh").paths) == 0
    with pytest.raises(UnknownName, match="did you mean sherlock"):
        explain(AlignedTreesTask(PATHS, *FILES), "sherlok")


def test_costly_paths_of_all_sentences() -> None:
    rows = costly_paths(AlignedTreesTask(PATHS, *FILES)).rows()
    assert [(row["sent_id"], row["disparity"]) for row in rows] == [
        ("sherlock", 2), ("sherlock", 2), ("letters", 1), ("sherlock", 1),
    ]  # fmt: skip


@pytest.fixture
def loaded(tmp_path: Path) -> str:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus in ("reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        db.load(FILES[2], corpus="links", source_corpus="reference", target_corpus="hypothesis")
        db.load(FIXTURES / "gold.mrg", corpus="phrases")
    return str(path)


def test_from_a_database(loaded: str) -> None:
    corpora = ("reference", "hypothesis", "links")
    found = scores(*corpora, database=loaded)
    assert {**found, "system": ""} == {**scores(*FILES), "system": ""}
    assert found["system"] == "hypothesis"
    assert "becoming" in explain(AlignedTreesTask(PATHS, *corpora, database=loaded), "sherlock").drawing
    with treesql.connect(loaded, read_only=True) as db:
        assert db.sql(
            "SELECT sum(disparity) AS n FROM path_disparities('reference', 'hypothesis', 'links')"
        ).rows() == [{"n": 6}]


@pytest.mark.parametrize(
    ("corpora", "how", "error", "what"),
    [
        (("reference", "hypothesis", "none"), {}, UnknownName, "none"),
        (
            ("reference", "phrases", "links"),
            {},
            UsageError,
            "phrases is of the kind constituency; name dependency trees",
        ),
        (("reference", "hypothesis", "reference"), {}, UsageError, "name an alignment here"),
        (("reference", "links", "links"), {}, UsageError, "links is of the kind alignment"),
        (
            ("hypothesis", "reference", "links"),
            {},
            Incomparable,
            "loaded for reference and hypothesis; name its source",
        ),
        (
            ("reference", "hypothesis", "links"),
            {"notation": Notation(base=1)},
            UsageError,
            "cannot be combined with --db",
        ),
        (("reference", "hypothesis", "links"), {"permissive": True}, UsageError, "cannot be combined with --db"),
    ],
    ids=["unknown", "phrases", "trees for links", "links for trees", "exchanged", "base", "permissive"],
)
def test_corpora_that_do_not_fit(
    corpora: tuple[str, ...], how: dict[str, Any], error: type[Exception], what: str, loaded: str
) -> None:
    with pytest.raises(error, match=what):
        scores(*corpora, database=loaded, **how)


TREE = conllu("a:2:x b:0:root", "c:0:root")


@pytest.mark.parametrize(
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
    ids=range(10),
)
def test_files_that_do_not_fit(reference: bytes, hypothesis: bytes, links: str, what: str, files: Files) -> None:
    with pytest.raises((Incomparable, InvalidInput), match=what):
        scores(*files(reference, hypothesis, links))


def test_cycles_that_were_taken(files: Files) -> None:
    """Loaded with --permissive; paths are still refused, by their sentence and not by a kernel."""
    given = files(conllu("a:0:root", "a:2:x b:1:y"), conllu("a:0:root", "a:2:x b:0:root"), "0-0\n0-0 1-1\n")
    for metrics, alignment in ((PATHS, given[2]), (["dependency_tree_edit"], None)):
        with pytest.raises(Incomparable, match="the heads of sentence 2 form a cycle"):
            evaluate(AlignedTreesTask(metrics, *given[:2], alignment, permissive=True))


def test_sentences_that_are_not_parsed(files: Files) -> None:
    unparsed = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(Incomparable, match="sentence 1 is not parsed"):
        scores(*files(unparsed, conllu("a:0:root"), "0-0\n"))


def test_in_wpt_a_sentence_without_links_has_no_line(files: Files) -> None:
    assert scores(*files(TREE, TREE, "1 1 1\n1 2 2\n"), alignment_form="wpt")["maximum"] == 2


def test_the_macro_stops_at_bad_links(db: treesql.Database, files: Files) -> None:
    reference, hypothesis, links = files(TREE, TREE, "0-5\n\n")
    db.load(reference, corpus="r")
    db.load(hypothesis, corpus="h")
    db.load(links, corpus="l")
    with pytest.raises((QueryError, OSError), match="a link is to no word of the sentence"):
        db.sql("FROM path_disparities('r', 'h', 'l')")
    with pytest.raises(Incomparable, match="a link is to word 6"):
        db.score("path_disparities", reference_corpus="r", hypothesis_corpus="h", alignment_corpus="l")
    with pytest.raises(Incomparable, match="a link is to word 6"):
        costly_paths(AlignedTreesTask(PATHS, reference, hypothesis, links))


def test_the_same_file_on_both_sides(files: Files) -> None:
    reference, _, links = files(TREE, TREE, "0-0 1-1\n0-0\n")
    row = scores(reference, reference, links)
    assert row["distance"] == 0
    assert row["system"].startswith("hypothesis ")
    with pytest.raises(UsageError, match="standard input can be read only once"):
        scores("-", "-", links)


def test_numbers_of_sentences_make_no_difference(files: Files) -> None:
    """The sentences in another order have the same scores."""
    trees = ["a:2:x b:0:root c:2:y", "a:0:root b:1:z", "a:3:x b:3:y c:0:root"]
    others = ["a:2:x b:3:root c:0:y", "a:2:root b:0:z", "c:2:x b:0:y a:2:x"]
    links = ["0-0 1-2 2-1\n", "0-1 1-0\n", "0-2 1-1 2-0\n"]
    found = [
        scores(
            *files(*(conllu(*(side[i] for i in order)) for side in (trees, others)), "".join(links[i] for i in order))
        )
        for order in permutations(range(3))
    ]
    assert all({**one, "system": 0} == pytest.approx({**found[0], "system": 0}) for one in found)
