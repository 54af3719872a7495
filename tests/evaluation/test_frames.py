"""Data frames in place of files: rows of tables, whose scores are those of the files that they are from."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, bare
from tests.house.rules import assert_none, in_turn
from treesql.catalog import kinds, schemas
from treesql.storage import corpus_plans

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

GOLD, PARSER = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
LINKS, LINKS_A = FIXTURES / "links.pharaoh", FIXTURES / "links-a.pharaoh"
LISTS = FIXTURES / "lists.nbest"

FILES: Mapping[str, Mapping[str, Path]] = {
    "alignment": {"gold": LINKS, "system": LINKS_A},
    "constituency": {"gold": FIXTURES / "gold.mrg", "system": FIXTURES / "test.mrg"},
    "dependency": {"gold": GOLD, "system": PARSER},
    "lattice": {"lattice": FIXTURES / "lattices.plf", "reference": FIXTURES / "lattices.txt"},
    "newick": {"gold": FIXTURES / "trees.nwk", "system": FIXTURES / "trees.nwk"},
    "parallel": {
        "gold_a": GOLD, "system_a": PARSER, "gold_b": GOLD, "system_b": FIXTURES / "parser-b.conllu",
        "gold_links": LINKS, "system_links": LINKS_A,
    },
    "paths": {
        "reference": FIXTURES / "reference.conllu", "hypothesis": FIXTURES / "hypothesis.conllu",
        "alignment": FIXTURES / "reference-hypothesis.align",
    },
    "translation": {"hypothesis": FIXTURES / "hypotheses.txt", "reference": FIXTURES / "lattices.txt"},
    "trees": {"reference": FIXTURES / "reference.conllu", "hypothesis": FIXTURES / "hypothesis.conllu"},
}  # fmt: skip
"""By kind of evaluation, the file of every role."""

FRAMES: Mapping[str, Callable[[pa.Table], Any]] = {
    "Arrow": lambda rows: rows,
    "Polars": pl.DataFrame,
    "DuckDB": lambda rows: duckdb.from_arrow(rows),
    "pandas": pa.Table.to_pandas,
}
"""By library, how its frames are made of Arrow tables."""


def loaded(corpus: Any) -> dict[str, pa.Table]:
    """All rows of a corpus, but for its record."""
    with treesql.connect() as db:
        db.load(corpus, corpus="c")
        read = {
            table.name: bare(db).sql(f"SELECT * EXCLUDE (corpus) FROM {table.name}").to_arrow_table()
            for table in schemas.corpus_tables()
            if table.name != "corpora"
        }
    return {name: rows for name, rows in read.items() if len(rows)}


@cache
def tables(path: Path) -> dict[str, pa.Table]:
    """All rows of a file, but for its record."""
    return loaded(path)


def lists(path: Path) -> Any:
    between = "\n\n" if path.suffix == ".conllu" else "\n"
    return path.read_text("utf-8").removesuffix(between).split(between)


def in_frames(frame: Callable[[pa.Table], Any]) -> Callable[[Path], Any]:
    return lambda path: {table: frame(rows) for table, rows in tables(path).items()}


WAYS: Mapping[str, Callable[[Path], Any]] = {
    "path": lambda path: path,
    "bytes": Path.read_bytes,
    "file": lambda path: io.StringIO(path.read_text("utf-8")),
    "list": lists,
    "tables": lambda path: treesql.read(path),
    **{name: in_frames(frame) for name, frame in FRAMES.items()},
}  # fmt: skip
"""The ways in which a corpus goes in."""


def score(kind: str, inputs: Mapping[str, Any], **given: Any) -> treesql.Result:
    """The scores of a system `a`, given the inputs by role."""
    own = {role.name: inputs[role.name] for role in kinds.kind(kind).own if role.name in inputs}
    shared = {name: value for name, value in inputs.items() if name not in own}
    return treesql.score(kind, systems={"a": own}, **shared, **given)


@pytest.mark.parametrize("ways", [("Arrow",), pytest.param(("list", "tables"), marks=pytest.mark.slow)], ids="-".join)
@in_turn("kind", [kind.name for kind in treesql.kinds()])
def test_scores_are_those_of_files(kind: str, ways: Sequence[str]) -> None:
    """For each kind frames and, in the slow test, what else depends on its files; for one kind all ways."""
    if kind == "dependency":
        ways = [way for way in WAYS if way != "path"]
    [metric, *_] = kinds.kind(kind).metrics or kinds.kind(kind).all_metrics
    expected = score(kind, FILES[kind], metric=metric).rows()
    found = {
        way: score(kind, {role: WAYS[way](path) for role, path in FILES[kind].items()}, metric=metric).rows()
        for way in ways
    }
    assert_none({way: f"{rows} instead of {expected}" for way, rows in found.items() if rows != expected})


@in_turn("path", {*(path for paths in FILES.values() for path in paths.values()), LISTS})
def test_frames_of_all_libraries_have_the_same_rows(path: Path) -> None:
    given, *others = (corpus_plans.as_path(WAYS[library](path), "frames").tables for library in FRAMES)
    assert all(other == given for other in others)


WORDS = pl.DataFrame(
    {
        "sentence": [10, 10, 10, 11, 11],
        "word": [1, 2, 3, 1, 2],
        "head": [2, 0, 2, 0, 1],
        "deprel": ["det", "root", "punct", "root", "obj"],
        "form": ["the", "dog", ".", "go", "on"],
    }
)
WRONG = WORDS.with_columns(head=pl.Series([2, 0, 1, 0, 1]))
"""One of five heads is wrong."""

EDGES = pl.DataFrame(
    {
        "sentence": [3, 3, 3],
        "from_node": [0, 0, 1],
        "to_node": [1, 1, 2],
        "edge_words": [["a"], ["the"], ["cat"]],
        "scores": [[1.0], [3.0], [2.0]],
    }
)
LINK_ROWS = pl.DataFrame({"sentence": [5, 5, 7], "source": [1, 2, 1], "target": [1, 2, 2]})


def las(gold: Any, system: Any, **given: Any) -> float:
    [row] = treesql.score("dependency", gold=gold, systems={"a": system}, metric="las", **given).rows()
    return float(row["las"])


def changed(word: int, /, **values: Any) -> pl.DataFrame:
    """WORDS with other values in a word of the first sentence."""
    here = (pl.col("sentence") == 10) & (pl.col("word") == word)
    return WORDS.with_columns(
        pl.when(here).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in values.items()
    )


def test_four_columns_suffice_for_attachment() -> None:
    few = WORDS.drop("form")
    assert las(few, WRONG.drop("form")) == las(WORDS, WRONG) == 4 / 5
    assert las(few, WRONG) == las(WORDS, WRONG.drop("form")) == 4 / 5
    heads = pl.DataFrame(tables(PARSER)["words"]).select("sentence", "word", "head", "deprel")
    assert las(GOLD, heads) == las(GOLD, PARSER)
    assert las(GOLD.read_bytes(), heads.with_columns(pl.col("sentence") + 1)) == las(GOLD, PARSER)


def test_rows_columns_and_types_as_they_come() -> None:
    other = WORDS.sample(fraction=1, shuffle=True, seed=1).with_columns(colour=pl.lit("red"), depth=pl.lit(99))
    floats = WRONG.with_columns(pl.col("head").cast(pl.Float64), pl.col("sentence").cast(pl.Int64))
    categories = WRONG.to_pandas().astype({"deprel": "category"})
    for system in (
        WRONG,
        floats,
        categories,
        WRONG.to_arrow(),
        WRONG.with_columns(pl.col("deprel").cast(pl.Categorical)),
    ):
        assert las(other, system) == 4 / 5
    assert las({"words": WORDS}, {"words": WRONG, "sentences": pl.DataFrame({"sentence": [11, 10]})}) == 4 / 5
    assert treesql.score("dependency", WORDS, {"a": WRONG}, metric="las").rows()[0]["las"] == 4 / 5


def test_signatures_name_the_rows() -> None:
    def cited(gold: Any) -> str:
        signature = treesql.score("dependency", gold=gold, systems={"a": gold}, metric="las").signature
        return signature.split("|gold:")[1].split("|")[0]

    name = cited(WORDS)
    assert re.fullmatch(r"words@[0-9a-f]{6}\(conllu\)", name)
    shuffled = WORDS.sample(fraction=1, shuffle=True, seed=2).with_columns(colour=pl.lit("red"), depth=pl.lit(99))
    for same in (shuffled, WORDS.to_pandas(), WORDS.to_arrow(), {"words": WORDS}, WORDS.with_columns(lemma=None)):
        assert cited(same) == name
    for other in (changed(1, deprel="mod"), changed(1, form="a"), WORDS.with_columns(lemma=pl.lit("x"))):
        assert cited(other) != name


class Dataset:
    """As that of Hugging Face, which gives its rows to Arrow only where it is sliced."""

    def with_format(self, name: str) -> Dataset:
        raise NotImplementedError


@in_turn(
    ("gold", "told"),
    [
        (WORDS.drop("sentence"), "gold: there is no column sentence; words need sentence, word"),
        (WORDS.drop("head"), "gold: there is no column head, which attachment reads"),
        (WORDS.with_columns(head=pl.lit("x")), "gold: column head is string, not int32"),
        (WORDS.with_columns(form=pl.lit(3)), "gold: column form is int32, not string"),
        (WORDS.with_columns(head=pl.col("head") + 0.5), "gold: sentence 10, word 1: head is 2.5, not int32"),
        (
            changed(3, head=float("nan")),
            "gold: sentence 10, word 3: head is nan, not int32; write a whole number of that type, or NULL",
        ),
        (changed(3, head=2**40), "gold: sentence 10, word 3: head is 1099511627776, not int32"),
        (changed(2, word=float("inf")), "gold: row 2: word is inf, not int32; write a whole number"),
        (changed(2, sentence=float("nan")), "gold: row 2: sentence is nan, not int64"),
        (WORDS.filter(pl.col("form") != "dog"), "gold: sentence 10, word 3: word 3 is not the next one after 1"),
        (changed(3, head=9), "gold: sentence 10, word 3: head 9 is not a word of the sentence, which has 3"),
        (changed(3, head=-1), "gold: sentence 10, word 3: head is -1"),
        (changed(3, head=None), "gold: sentence 10, word 3: head is NULL, although other words"),
        (changed(2, head=1), "gold: sentence 10: heads form a cycle, 1 -> 2 -> 1"),
        (changed(2, sentence=None), "gold: row 2: sentence is missing"),
        (pl.concat([WORDS, WORDS.head(1)]), "gold: sentence 10, word 1: it is there twice"),
        (WORDS.clear(), "gold: there are no rows"),
        (WORDS.lazy(), "gold: a LazyFrame is no data frame; it is lazy: collect it"),
        (WORDS["form"], "gold: a Series is one column; give the frame, or texts as a list: .to_list()"),
        (
            pa.chunked_array([["a"]]),
            "gold: a ChunkedArray is one column; give the frame, or texts as a list: .to_pylist()",
        ),
        (Dataset(), 'gold is a Dataset; give its rows: .with_format("arrow")[:]'),
        ({"word": WORDS}, "gold is a mapping without a table: word; give {TABLE: frame}, such as {'words': frame}"),
        (WORDS.with_columns(corpus=pl.col("form")), "gold: words has rows of several corpora"),
        (WORDS.filter(pl.col("sentence") == 10), "gold: sentence 11 is missing, which a has"),
        (
            changed(3, form="!"),
            "a: sentence 10: the texts part here: `.` where the gold text has `!` (gold, sentence 10)",
        ),
        (WORDS.drop("form").head(4), "gold: sentence 11 has 1 words, and 2 in a"),
        (
            WORDS.filter(pl.col("form") != "dog").drop("form"),
            "gold: sentence 10, word 3: word 3 is not the next one after 1",
        ),
        (pl.concat([WORDS, WORDS.head(1)]).drop("form"), "gold: sentence 10, word 1: it is there twice"),
        ({"words": WORDS, "corpora": WORDS}, "gold: corpora has 5 rows"),
        ({"sentences": WORDS.select("sentence").unique()}, "gold: there is no table words"),
        (
            {"words": WORDS, "sentences": pl.DataFrame({"sentence": [10, 10, 11]})},
            "gold: sentence 10: it is there twice",
        ),
        ({"words": WORDS.with_columns(head=pl.lit("x"))}, "gold: column head of words is string, not int32"),
        ({"words": changed(3, head=9)}, "gold: sentence 10, word 3 of words: head 9 is not a word"),
    ],
)
def test_bad_frames_are_one_line(gold: Any, told: str) -> None:
    with pytest.raises(treesql.TreesqlError) as error:
        treesql.score("dependency", gold=gold, systems={"a": WORDS}, metric="las")
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_words_that_a_system_lacks_or_has_twice_are_its_own_fault() -> None:
    """Beside gold words without forms, whose forms are those of the system."""
    hole, twice = WORDS.filter(pl.col("form") != "dog"), pl.concat([WORDS, WORDS.head(1)])
    for system, told in (
        (hole, "a: sentence 10, word 3: word 3 is not"),
        (twice, "a: sentence 10, word 1: it is there"),
    ):
        for given in (system, system.drop("form")):
            with pytest.raises(treesql.InvalidInput, match=f"^{told}"):
                treesql.score("dependency", gold=WORDS.drop("form"), systems={"a": given}, metric="las")


@in_turn(
    ("given", "column"),
    [
        ({"metric": "upos_f1"}, "upos"),
        ({"metric": "lemmas_f1"}, "lemma"),
        ({"metric": "elas"}, "deps"),
    ],
)
def test_metrics_ask_for_the_columns_that_they_compare(given: dict[str, Any], column: str) -> None:
    with pytest.raises(treesql.InvalidInput, match=f"^gold: there is no column {column}, which "):
        treesql.score("dependency", gold=WORDS, systems={"a": WORDS}, **given)
    few = WORDS.drop("form")
    of_forms: list[dict[str, Any]] = [
        {"metric": "wlas"},
        {"metric": "las", "punctuation": "form"},
        {"metric": "tokens_f1"},
        {"by": "form", "metric": "las"},
    ]
    for needing in of_forms:
        with pytest.raises(treesql.InvalidInput, match=r"^gold: there is no column form, which .* reads; add it$"):
            treesql.score("dependency", gold=few, systems={"a": few}, **needing)
    with pytest.raises(treesql.InvalidInput, match=r"; add it, or name the scores without it by metric=: attachment, "):
        treesql.score("dependency", gold=few, systems={"a": few})


def test_links_of_sentences_without_rows() -> None:
    """A sentence without links has none; that all are sure is said of none."""

    def rows(gold: Any, system: Any) -> tuple[Any, ...]:
        [row] = treesql.score("alignment", gold=gold, systems={"a": system}, metric=["precision", "recall"]).rows()
        return row["precision"], row["recall"]

    assert rows(LINK_ROWS, LINK_ROWS.filter(pl.col("sentence") == 5)) == (1, 2 / 3)
    assert rows(LINK_ROWS, LINK_ROWS.clear()) == (None, 0)
    assert rows(LINK_ROWS.clear(), LINK_ROWS.clear()) == (None, None)
    possible = LINK_ROWS.with_columns(sure=pl.Series([True, True, False]))
    assert rows(possible, LINK_ROWS) == (1, 1)
    assert rows(b"0-0 1-1\n\n0-1\n", LINK_ROWS.head(2).with_columns(pl.col("sentence") - 5)) == (1, 2 / 3)
    with pytest.raises(treesql.InvalidInput, match=r"^gold: sentence 5, source 0, target 1: the link 0-1 has no word"):
        rows(LINK_ROWS.with_columns(source=0), LINK_ROWS)
    texts = pl.DataFrame({"sentence": [5, 6], "word": [1, 1], "form": ["x", "y"]})
    with pytest.raises(treesql.Incomparable, match=r"^source: sentence 7 is missing, which gold has"):
        treesql.score("alignment", gold=LINK_ROWS, systems={"a": LINK_ROWS}, source=texts)


def test_texts_and_references() -> None:
    texts = pl.DataFrame({"sentence": [1, 1, 2], "word": [1, 2, 1], "form": ["the", "cat", "hello"]})
    [row] = treesql.score("translation", systems={"a": texts}, reference=[texts, ["a dog", "hi"]], metric="wer").rows()
    assert row["wer"] == 0
    [row] = treesql.score("translation", systems={"a": texts}, reference=["a cat", "hello"], metric="wer").rows()
    assert row["wer"] == 1 / 3
    with pytest.raises(treesql.InvalidInput, match=r"^a: sentence 2, word 1: form `a b` is empty or has a blank"):
        treesql.score(
            "translation", systems={"a": texts.with_columns(form=pl.Series(["x", "y", "a b"]))}, reference=texts
        )


def test_scores_of_edges_are_costs_or_log_likelihoods() -> None:
    oracle = treesql.lattices.oracle
    with pytest.raises(treesql.Incomparable, match="name what they are, score_sense, cost or log_likelihood"):
        oracle(EDGES, measure="score")
    for sense, words in (("cost", ["a", "cat"]), ("log_likelihood", ["the", "cat"])):
        assert oracle(EDGES, measure="score", score_sense=sense).rows()[0]["path_forms"] == words
        given = {"lattice_edges": EDGES, "corpora": pl.DataFrame({"score_sense": [sense]})}
        assert oracle(given, measure="score").rows()[0]["path_forms"] == words
    assert oracle(EDGES.drop("scores"), reference=["the cat"]).rows()[0]["path_errors"] == 0


@pytest.mark.slow
@in_turn("way", ("list", "tables", "Arrow"))
def test_functions_of_lattices_and_lists(way: str) -> None:
    of, lattices, texts, nbest = WAYS[way], FIXTURES / "lattices.plf", FIXTURES / "lattices.txt", LISTS
    found, expected = (
        treesql.lattices.oracle(one, reference=texts).arrow().drop_columns(["reference"])
        for one in (of(lattices), lattices)
    )
    assert found.equals(expected)
    references = texts.read_text("utf-8").splitlines()
    found, expected = (treesql.nbest.oracle(one, reference=references[:3]).rows() for one in (of(nbest), nbest))
    assert found == expected


def test_what_does_not_go_into_lattices() -> None:
    edges = EDGES.with_columns(to_node=pl.Series([1, 1, 1]))
    with pytest.raises(
        treesql.InvalidInput, match=r"^lattices: sentence 3, edge 2: to_node is 1, but to_node > from_node"
    ):
        treesql.lattices.oracle(edges, reference=["the cat"])
    with pytest.raises(treesql.UsageError, match="lattices is a list of files, and one is read"):
        treesql.lattices.oracle([str(FIXTURES / "lattices.plf")], reference=["x"])
    with pytest.raises(treesql.UsageError, match=r"lattices is a DataFrame; name a corpus of the database"):
        treesql.lattices.oracle(EDGES, reference="r", db="x.duckdb")


@in_turn(
    ("given", "told"),
    [
        ({"score": [-1.0, float("nan")]}, "the score nan is not a finite number"),
        ({"score": [-1.0, float("-inf")]}, "the score -inf is not a finite number"),
        ({"features": [[0.5], [float("inf")]], "feature_names": [["F"], ["F"]]}, "the feature's value inf is not a"),
    ],
)
def test_numbers_of_hypotheses_are_finite(given: dict[str, Any], told: str) -> None:
    rows = pl.DataFrame({"sentence": [4, 4], "rank": [1, 2], "text": ["a b", "a"], **given})
    with pytest.raises(treesql.InvalidInput, match=f"^lists: sentence 4, rank 2: {told}"):
        treesql.nbest.oracle(rows, reference=["a"])


def test_empty_nodes_that_deps_name_are_a_table_of_their_own() -> None:
    read = treesql.read(GOLD)
    assert not treesql.check({name: read[name] for name in ("words", "empty_nodes")}).faults
    [fault] = treesql.check({"words": read["words"]}).faults
    assert "in deps of 4, `5.1:cc` has a head that does not exist" in fault.what
    assert fault.hint == "name a word, an empty node that is in empty_nodes, or 0 for the root"


def test_systems_have_names() -> None:
    for systems in (WORDS, [WORDS], tables(GOLD)):
        with pytest.raises(treesql.UsageError, match="what is in memory has no name; name the systems"):
            treesql.score("dependency", gold=WORDS, systems=systems)


@pytest.mark.slow
def test_other_functions_take_frames() -> None:
    frames = tables(GOLD)
    request = "pattern { V -[nsubj]-> S }"
    assert treesql.find(frames, request, count=True).rows() == treesql.find(GOLD, request, count=True).rows()
    words = frames["words"].drop_columns(["deps"])  # which name empty nodes
    assert treesql.find(words, request, count=True).rows() == treesql.find(GOLD, request, count=True).rows()
    assert treesql.diff(frames, tables(PARSER)).rows() == treesql.diff(GOLD, PARSER).rows()
    checked = treesql.check(frames)
    assert (checked.format, checked.faults) == ("conllu", ())
    assert treesql.show(frames, 0).text() == treesql.show(GOLD, 0).text()
    for function in (treesql.stats, treesql.wde):
        [found, *_], [expected, *_] = (function(one).rows() for one in (frames, GOLD))
        assert {**found, "treebank": ""} == {**expected, "treebank": ""}


def test_a_single_frame_is_known_by_its_columns() -> None:
    bad = treesql.check(changed(3, head=9))
    assert [fault.what[:30] for fault in bad.faults] == ["sentence 10, word 3: head 9 is"]
    assert "go     on" in treesql.show(WORDS, 1, system=WRONG.to_pandas()).text()


@in_turn("function", [treesql.stats, treesql.wde, treesql.check, treesql.show])
def test_lazy_frames_are_refused(function: Callable[..., object]) -> None:
    with pytest.raises(treesql.UsageError, match=r"a data frame .*LazyFrame.*; it is lazy: collect it$"):
        function(WORDS.lazy())


@pytest.mark.slow
@in_turn("path", dict.fromkeys(path for paths in FILES.values() for path in paths.values()))
def test_corpora_are_loaded_and_exported_as_their_files(path: Path) -> None:
    file, frames = tables(path), loaded(tables(path))
    assert frames.keys() == file.keys()
    for table in frames.keys() - {"constituent_labels", "constituent_lists"}:
        keys = [(name, "ascending") for name in schemas.table(table).key[1:]]
        assert frames[table].sort_by(keys).equals(file[table]), table


def test_ids_are_comments() -> None:
    """Where there are no comments; where there are, both agree."""
    sentences = pl.DataFrame({"sentence": [10, 11], "sent_id": ["x", None], "newdoc": ["d", None]})
    with treesql.connect() as db:
        db.load({"words": WORDS, "sentences": sentences}, corpus="c")
        rows = db.sql("SELECT sent_id, newdoc, comments FROM sentences ORDER BY sentence").rows()
    assert [row["comments"] for row in rows] == [["# newdoc id = d", "# sent_id = x"], []]
    assert [row["sent_id"] for row in rows] == ["x", None]
    both = sentences.with_columns(comments=pl.Series([["# sent_id = y"], []]))
    with pytest.raises(treesql.InvalidInput, match=r"^gold: sentence 10: sent_id is `x`, and by its comments `y`"):
        las({"words": WORDS, "sentences": both}, WORDS)
