"""db.find with shares, rates, keyness, association, grids and several requests: values computed by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.house.rules import in_turn
from treesql.errors import RequestError, UnknownName, UsageError
from treesql.results.result import render

ONE = ["dogs:2:nsubj:NOUN bark:0:root:VERB loudly:2:advmod:ADV", "cats:2:nsubj:NOUN see:0:root:VERB dogs:2:obj:NOUN"]
TWO = ["it:2:nsubj:PRON barks:0:root:VERB", "she:2:nsubj:PRON sees:0:root:VERB"]
EDGES = "pattern { e: H -> X; H [upos] }"
"""ONE has VERB nsubj NOUN twice, VERB advmod ADV, VERB obj NOUN; TWO has VERB nsubj PRON twice."""


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """Corpora one (6 words) and two (4 words), and three, which is two again."""
    folder: Path = tmp_path_factory.mktemp("groups")
    with treesql.connect() as db:
        for name, sentences in (("one", ONE), ("two", TWO), ("three", TWO)):
            (folder / f"{name}.conllu").write_bytes(conllu(*sentences))
            db.load(folder / f"{name}.conllu", corpus=name)
        yield db


BOTH = {"corpus": ["one", "two"]}


def test_shares(treebanks: treesql.Database) -> None:
    found = treebanks.find(EDGES, by="e.label", share="all", **BOTH)  # type: ignore[arg-type]
    assert found.rows() == [
        {"e.label": "nsubj", "count": 4, "share": 4 / 6},
        {"e.label": "advmod", "count": 1, "share": 1 / 6},
        {"e.label": "obj", "count": 1, "share": 1 / 6},
    ]
    assert found.percent == {"share"}

    def shares(share: str, **more: Any) -> dict[tuple[str, str], float]:
        rows = treebanks.find(EDGES, by="X.upos, e.label", share=share, **BOTH, **more).rows()
        return {(row["X.upos"], row["e.label"]): row["share"] for row in rows}

    assert shares("row") == {
        ("NOUN", "nsubj"): 2 / 3, ("NOUN", "obj"): 1 / 3, ("PRON", "nsubj"): 1.0, ("ADV", "advmod"): 1.0,
    }  # fmt: skip
    assert shares("column") == {
        ("NOUN", "nsubj"): 0.5, ("NOUN", "obj"): 1.0, ("PRON", "nsubj"): 0.5, ("ADV", "advmod"): 1.0,
    }  # fmt: skip
    assert shares("row", min_count=2) == {("NOUN", "nsubj"): 2 / 3, ("PRON", "nsubj"): 1.0}
    assert shares("all", limit=1) == {("NOUN", "nsubj"): 2 / 6}


def test_rates(treebanks: treesql.Database) -> None:
    rows = treebanks.find(EDGES, by="X.upos", per_million=True, min_count=2, **BOTH).rows()  # type: ignore[arg-type]
    assert rows == [
        {"X.upos": "NOUN", "count": 3, "per_million": 300_000.0},
        {"X.upos": "PRON", "count": 2, "per_million": 200_000.0},
    ]
    rows = treebanks.find(EDGES, by="corpus", per_million=True, **BOTH).rows()  # type: ignore[arg-type]
    assert rows == [
        {"corpus": "one", "count": 4, "per_million": pytest.approx(4e6 / 6)},
        {"corpus": "two", "count": 2, "per_million": 500_000.0},
    ]
    rows = treebanks.find(EDGES, count=True, per_million=True, corpus="two").rows()
    assert rows == [{"count": 2, "per_million": 500_000.0}]


def test_keyness_of_every_value(treebanks: treesql.Database) -> None:
    rows = treebanks.find(EDGES, by="X.upos", corpus="one", reference="two").rows()
    noun = 2 * 3 * math.log(3 / (6 * 3 / 10))
    pronoun = 2 * 2 * math.log(2 / (4 * 2 / 10))
    assert [row["X.upos"] for row in rows] == ["PRON", "NOUN", "ADV"]
    assert rows[:2] == [
        {
            "X.upos": "PRON", "count": 0, "reference_count": 2, "per_million": 0.0, "reference_per_million": 500_000.0,
            "g2": pytest.approx(pronoun), "log_ratio": pytest.approx(math.log2(0.5 / 6 / (2 / 4))),
        },
        {
            "X.upos": "NOUN", "count": 3, "reference_count": 0, "per_million": 500_000.0, "reference_per_million": 0.0,
            "g2": pytest.approx(noun), "log_ratio": pytest.approx(math.log2(3 / 6 / (0.5 / 4))),
        },
    ]  # fmt: skip
    assert treebanks.find(EDGES, by="X.upos", corpus=["one", "two"], reference="two").rows() == rows
    pooled = treebanks.find(EDGES, by="X.upos", corpus="one", reference=["two", "three"], min_count=4).rows()
    assert [(row["X.upos"], row["count"], row["reference_count"]) for row in pooled] == [("PRON", 0, 4)]
    assert pooled[0]["reference_per_million"] == 500_000.0
    rest = treebanks.find(EDGES, by="X.upos", reference="one", min_count=3).rows()
    assert [(row["X.upos"], row["count"], row["reference_count"]) for row in rest] == [("NOUN", 0, 3), ("PRON", 4, 0)]


def test_association(treebanks: treesql.Database) -> None:
    rows = treebanks.find(EDGES, by="X.upos, e.label", association=True, **BOTH).rows()  # type: ignore[arg-type]
    assert list(rows[0]) == ["X.upos", "e.label", "count", "expected", "pmi", "log_dice", "g2"]
    found = {(row["X.upos"], row["e.label"]): row for row in rows}
    # 6 edges, 3 with a noun, 4 with nsubj, 2 with both: cells 2, 1, 2, 1 where 2, 1, 2, 1 are expected.
    noun = found["NOUN", "nsubj"]
    assert (noun["count"], noun["expected"], noun["pmi"], noun["g2"]) == (2, 2.0, 0.0, pytest.approx(0, abs=1e-12))
    assert noun["log_dice"] == pytest.approx(14 + math.log2(4 / 7))
    # The only adverb is the only advmod: cells 1, 0, 0, 5.
    adverb = found["ADV", "advmod"]
    assert (adverb["expected"], adverb["log_dice"]) == (pytest.approx(1 / 6), 14.0)
    assert adverb["pmi"] == pytest.approx(math.log2(6))
    assert adverb["g2"] == pytest.approx(2 * (math.log(6) + 5 * math.log(6 / 5)))
    assert [row["g2"] for row in rows] == sorted((row["g2"] for row in rows), reverse=True)
    frequent = treebanks.find(EDGES, by="X.upos, e.label", association=True, min_count=2, **BOTH)  # type: ignore[arg-type]
    assert [row for row in rows if row["count"] > 1] == frequent.rows()
    first = treebanks.find(EDGES, by="X.upos, e.label", association=True, limit=1, **BOTH)  # type: ignore[arg-type]
    assert first.rows() == rows[:1]


def test_a_grid(treebanks: treesql.Database) -> None:
    by = "X.upos, e.label"
    assert treebanks.find(EDGES, by=by, grid=True, **BOTH).rows() == [  # type: ignore[arg-type]
        {"X.upos": "NOUN", "nsubj": 2, "advmod": 0, "obj": 1, "total": 3},
        {"X.upos": "PRON", "nsubj": 2, "advmod": 0, "obj": 0, "total": 2},
        {"X.upos": "ADV", "nsubj": 0, "advmod": 1, "obj": 0, "total": 1},
        {"X.upos": "total", "nsubj": 4, "advmod": 1, "obj": 1, "total": 6},
    ]
    found = treebanks.find(EDGES, by=by, grid=True, share="row", limit=1, **BOTH)  # type: ignore[arg-type]
    assert found.rows() == [
        {"X.upos": "NOUN", "nsubj": 2 / 3, "advmod": 0.0, "obj": 1 / 3, "total": 1.0},
        {"X.upos": "total", "nsubj": 4 / 6, "advmod": 1 / 6, "obj": 1 / 6, "total": 1.0},
    ]
    assert found.percent == {"nsubj", "advmod", "obj", "total"}
    column = treebanks.find(EDGES, by=by, grid=True, share="column", limit=1, **BOTH).rows()  # type: ignore[arg-type]
    assert column[0] == {"X.upos": "NOUN", "nsubj": 0.5, "advmod": 0.0, "obj": 1.0, "total": 0.5}
    all_ = treebanks.find(EDGES, by=by, grid=True, share="all", limit=0, **BOTH).rows()  # type: ignore[arg-type]
    assert all_ == [{"X.upos": "total", "nsubj": 4 / 6, "advmod": 1 / 6, "obj": 1 / 6, "total": 1.0}]


def test_a_grid_of_rates_counts_in_the_words_of_each_corpus(treebanks: treesql.Database) -> None:
    found = treebanks.find(EDGES, by="e.1, corpus", grid=True, per_million=True, limit=1, **BOTH)  # type: ignore[arg-type]
    assert found.rows() == [
        {"e.1": "nsubj", "one": pytest.approx(2e6 / 6), "two": 500_000.0, "total": 400_000.0},
        {"e.1": "total", "one": pytest.approx(4e6 / 6), "two": 500_000.0, "total": 600_000.0},
    ]
    turned = treebanks.find(EDGES, by="corpus, e.1", grid=True, per_million=True, limit=1, **BOTH)  # type: ignore[arg-type]
    assert turned.rows()[0] == {
        "corpus": "one", "nsubj": pytest.approx(2e6 / 6), "advmod": pytest.approx(1e6 / 6),
        "obj": pytest.approx(1e6 / 6), "total": pytest.approx(4e6 / 6),
    }  # fmt: skip


def test_names_of_columns_of_a_grid_are_distinct(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(conllu("total:0:root:x Total:1:a:x _:1:a:X X.upos:1:a:x"))
    db.load(tmp_path / "a.conllu", corpus="a")
    found = db.find("pattern { X [upos] }", by="X.upos, X.form", grid=True)
    assert found.columns == ["X.upos", "Total 2", "X.upos 2", "_", "total 3", "total"]
    assert [row["X.upos"] for row in found.rows()] == ["x", "X", "total"]


def test_a_grid_of_nothing(treebanks: treesql.Database) -> None:
    with heard() as reasons:
        found = treebanks.find("pattern { X [upos=DET]; Y [] }", by="X.upos, Y.upos", grid=True)
    assert found.rows() == [{"X.upos": "total", "total": 0}]
    assert reasons


REQUESTS = {"nouns": "pattern { N [upos=NOUN] }", "none": "pattern { X [upos=PRON]; X -[obj]-> Y }"}


def test_several_requests(treebanks: treesql.Database) -> None:
    rows = treebanks.find(requests=REQUESTS).rows()
    assert rows[:2] == [
        {"request": "nouns", "corpus": "one", "matches": 3, "sentences": 2, "per_million": 500_000.0},
        {"request": "nouns", "corpus": "two", "matches": 0, "sentences": 0, "per_million": 0.0},
    ]
    assert [(row["request"], row["corpus"], row["matches"]) for row in rows[2:]] == [
        ("nouns", "three", 0), ("none", "one", 0), ("none", "two", 0), ("none", "three", 0),
    ]  # fmt: skip
    assert treebanks.find(requests=REQUESTS, limit=1).rows() == rows[:1]
    assert len(treebanks.find(requests={"nouns": REQUESTS["nouns"]}, corpus="one")) == 1


def test_several_requests_with_a_reference(treebanks: treesql.Database) -> None:
    g2 = pytest.approx(2 * 3 * math.log(3 / (6 * 3 / 10)))
    ratio = pytest.approx(math.log2(3 / 6 / (0.5 / 4)))
    rows = treebanks.find(requests=REQUESTS, corpus=["one", "two"]).rows()
    assert [(row["corpus"], row["g2"], row["log_ratio"]) for row in rows] == [
        ("one", g2, ratio), ("two", None, None), ("one", 0.0, None), ("two", None, None),
    ]  # fmt: skip
    assert treebanks.find(requests=REQUESTS, corpus="one", reference="two").rows() == rows
    turned = treebanks.find(requests=REQUESTS, corpus=["two", "one"]).rows()
    assert turned[0] == {**rows[1], "g2": g2, "log_ratio": pytest.approx(-math.log2(3 / 6 / (0.5 / 4)))}
    rest = treebanks.find(requests=REQUESTS, reference=["two", "three"]).rows()
    assert [row["corpus"] for row in rest if row["g2"] is not None] == ["one", "one"]
    assert rest[0]["g2"] == pytest.approx(2 * 3 * math.log(3 / (6 * 3 / 14)))


def test_nodes_may_have_the_names_of_columns(treebanks: treesql.Database) -> None:
    requests = {"nouns": "pattern { corpus -> sentence; sentence [upos=NOUN]; corpus [upos] }"}
    rows = treebanks.find(requests=requests, corpus="one").rows()
    assert (rows[0]["corpus"], rows[0]["matches"], rows[0]["sentences"]) == ("one", 3, 2)
    rows = treebanks.find(requests["nouns"], by="sentence.upos", corpus="one", reference="two").rows()
    assert [(row["count"], row["reference_count"]) for row in rows] == [(3, 0)]
    assert len(b"".join(treebanks.prepare(requests["nouns"], corpus="one").sentences()).split(b"\n\n")) == 3


def test_the_request_is_a_key(treebanks: treesql.Database) -> None:
    requests = {"subjects": "pattern { V -[nsubj]-> N }", "objects": "pattern { V -[obj]-> N }"}
    rows = treebanks.find(requests=requests, by="N.upos", corpus=["one", "two"]).rows()
    assert rows == [
        {"request": "subjects", "N.upos": "NOUN", "count": 2}, {"request": "subjects", "N.upos": "PRON", "count": 2},
        {"request": "objects", "N.upos": "NOUN", "count": 1},
    ]  # fmt: skip
    grid = treebanks.find(requests=requests, by="N.upos", grid=True, corpus=["one", "two"]).rows()
    assert grid[0] == {"request": "subjects", "NOUN": 2, "PRON": 2, "total": 4}
    shares = treebanks.find(requests=requests, by="N.upos", share="row", corpus=["one", "two"]).rows()
    assert [row["share"] for row in shares] == [0.5, 0.5, 1.0]
    pairs = treebanks.find(requests=requests, by="V.upos, N.upos", association=True, corpus=["one", "two"]).rows()
    assert {(row["request"], row["N.upos"]): row["expected"] for row in pairs} == {
        ("subjects", "NOUN"): 2.0, ("subjects", "PRON"): 2.0, ("objects", "NOUN"): 1.0,
    }  # fmt: skip
    key = treebanks.find(requests=requests, by="N.upos", reference="two", corpus="one").rows()
    assert {(row["request"], row["N.upos"]): (row["count"], row["reference_count"]) for row in key} == {
        ("subjects", "NOUN"): (2, 0), ("subjects", "PRON"): (0, 2), ("objects", "NOUN"): (1, 0),
    }  # fmt: skip


def test_statements_run_as_they_are_shown(treebanks: treesql.Database) -> None:
    for asked in (
        {"by": "X.upos", "share": "all", "per_million": True}, {"by": "X.upos", "reference": "two"},
        {"by": "X.upos, e.label", "association": True}, {"count": True, "per_million": True},
    ):  # fmt: skip
        search = treebanks.prepare(EDGES, **asked)  # type: ignore[arg-type]
        assert treebanks.sql(search.sql).rows() == search.matches().rows()
    search = treebanks.prepare(requests=REQUESTS, reference="two")
    assert treebanks.sql(search.sql).rows() == search.matches().rows()


@in_turn(
    ("given", "error", "message"),
    [
        ({"requests": REQUESTS}, UsageError, "name one request, or several with names"),
        ({"by": "X.upos", "grid": True}, UsageError, "a grid has two keys, of its rows and of its columns"),
        ({"grid": True}, UsageError, "grid=True is about groups of matches; add the keys"),
        ({"share": "all"}, UsageError, "share= is about groups of matches"),
        ({"association": True}, UsageError, "association=True is about groups"),
        ({"reference": "two"}, UsageError, "reference= is about groups"),
        ({"per_million": True}, UsageError, "per_million=True is about groups"),
        ({"min_count": 2}, UsageError, "min_count= is about groups"),
        ({"by": "X.upos", "min_count": 0}, UsageError, "at least 1"),
        ({"by": "X.upos", "share": "row"}, UsageError, "the share of a row needs two keys"),
        ({"by": "X.upos", "share": "each"}, UsageError, "choose one of row, column, all"),
        ({"by": "X.upos", "association": True}, UsageError, "association is that of two keys"),
        ({"by": "X.upos, e.1", "association": True, "grid": True}, UsageError, "exclude each other"),
        ({"by": "X.upos, e.1", "association": True, "share": "row"}, UsageError, "leave share= out"),
        ({"by": "X.upos", "reference": "two", "per_million": True}, UsageError, "leave per_million=True out"),
        ({"by": "X.upos, e.1", "grid": True, "share": "row", "per_million": True}, UsageError, "choose one of them"),
        ({"by": "X.upos, e.1", "grid": True, "min_count": 2}, UsageError, "leave min_count= out"),
        ({"by": "X.upos", "reference": "tow"}, UnknownName, "did you mean two?"),
        ({"by": "X.upos", "corpus": "two", "reference": "two"}, UsageError, "compared with itself"),
        ({"by": "corpus", "reference": "two"}, UsageError, "leave the key corpus out"),
        ({"by": "left(3)", "corpus": "four"}, UnknownName, "unknown corpus 'four'"),
    ],
)
def test_bad_tables(
    treebanks: treesql.Database, given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        treebanks.find(EDGES, **given)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_bad_requests_among_several(treebanks: treesql.Database) -> None:
    with pytest.raises(UsageError, match="name one request"):
        treebanks.find()
    for asked in ({"count": True}, {"kwic": 3}, {"columns": "X"}):
        with pytest.raises(UsageError, match="are of one request"):
            treebanks.find(requests=REQUESTS, **asked)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="`V` is not bound"):
        treebanks.find(requests=REQUESTS, by="V.upos")
    search = treebanks.prepare(requests=REQUESTS)
    for ask in (search.sentences, search.draw, search.explain):
        with pytest.raises(UsageError, match="are those of one request"):
            ask()


def test_a_grid_of_too_many_columns(treebanks: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from treesql.search import planning

    monkeypatch.setattr(planning, "MAX_COLUMNS", 2)
    with pytest.raises(UsageError, match=r"e.label has 3 values, and a grid at most 2 columns; exchange the keys"):
        treebanks.find(EDGES, by="X.upos, e.label", grid=True)
    monkeypatch.setattr(planning, "MAX_COLUMNS", 9)
    monkeypatch.setattr(planning, "MAX_CELLS", 5)
    with pytest.raises(UsageError, match="is too large"):
        treebanks.find(EDGES, by="X.upos, e.label", grid=True)


WORDS = ["s:2:nsubj:NOUN v:0:root:VERB o:2:obj:NOUN", "o:3:obj:NOUN s:3:nsubj:NOUN v:0:root:VERB",
         "s:5:nsubj:NOUN a:5:advmod:ADV b:5:advmod:ADV o:5:obj:NOUN v:0:root:VERB"]  # fmt: skip
TRANSITIVE = "pattern { V -[nsubj]-> S; V -[obj]-> O }"


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """SVO in en_a, OSV and SOV in ja_a; en_b, of no language, is en_a again."""
    with treesql.connect() as db:
        db.load(conllu(WORDS[0]), corpus="en_a", language="en", treebank="English")
        db.load(conllu(*WORDS[1:]), corpus="ja_a", language="ja", treebank="Japanese")
        db.load(conllu(WORDS[0]), corpus="en_b")
        yield db


@pytest.mark.parametrize(
    ("by", "counts"),
    [
        ("language", {("en",): 1, ("ja",): 2, ("en_b",): 1}),
        ("treebank", {("English",): 1, ("Japanese",): 2, ("en_b",): 1}),
        ("order(S,V,O),language", {
            ("SVO", "en"): 1, ("OSV", "ja"): 1, ("SOV", "ja"): 1, ("SVO", "en_b"): 1,
        }),
        ("direction(V,O)", {("left",): 2, ("right",): 2}),
        ("length(S,V)/2", {("0..1",): 3, ("4..5",): 1}),
        ("delta(O,V)/3, length(S,V)/1", {
            ("-3..-1", "1"): 2, ("0..2", "1"): 1, ("0..2", "4"): 1,
        }),
    ],
)  # fmt: skip
def test_orders_and_corpora_as_keys(languages: treesql.Database, by: str, counts: dict[tuple[str, ...], int]) -> None:
    rows = languages.find(TRANSITIVE, by=by).rows()
    assert {tuple(map(str, row.values()))[:-1]: row["count"] for row in rows} == counts


def test_order_of_longer_names_and_of_a_node_with_the_name_of_a_key(languages: treesql.Database) -> None:
    request = "pattern { language -[nsubj]-> order; language -[obj]-> O }"
    rows = languages.find(request, by="order(order, language, O), language", corpus="en_a").rows()
    assert rows == [{"order(order, language, O)": "ORDER-LANGUAGE-O", "language": 2, "count": 1}]


def test_documents_and_comments_as_keys() -> None:
    """Alone, and with other keys; a document reaches to the next mark. A node with the name of a key goes first."""
    texts = ["# newdoc id = d1\n# speaker = Ann\n", "# speaker = Bob\n", "# newdoc id = d2\n# speaker = Ann\n", ""]
    treebank = b"".join(text.encode() + conllu(words) for text, words in zip(texts, [WORDS[0]] * 4, strict=True))

    def counts(by: str, request: str = TRANSITIVE) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in treesql.find(treebank, request, by=by).rows()]

    assert counts("newdoc") == [("d1", 2), ("d2", 2)]
    assert counts("meta.speaker") == [("Ann", 2), ("Bob", 1), ("__undefined__", 1)]
    assert counts("V.form, newdoc") == [("v", "d1", 2), ("v", "d2", 2)]
    assert counts("newdoc, meta.speaker, order(S,V,O)") == [
        ("d1", "Ann", "SVO", 1), ("d1", "Bob", "SVO", 1), ("d2", "Ann", "SVO", 1), ("d2", "__undefined__", "SVO", 1)
    ]  # fmt: skip
    for key in ("newdoc", "corpus", "treebank", "text"):
        assert counts(key, f"pattern {{ V -[obj]-> {key} }}") == [(3, 4)], key


@pytest.mark.parametrize(
    ("key", "expected"),
    [("order(S)", "another node"), ("direction(S,V,O)", "two nodes"), ("length(S,V)/0", "whole number"),
     ("length(S,V)/x", "number"), ("languag", "did you mean language")],
)  # fmt: skip
def test_bad_keys_of_order(languages: treesql.Database, key: str, expected: str) -> None:
    with pytest.raises(RequestError, match=expected):
        languages.find(TRANSITIVE, by=key)


def test_patterns_of_corpora(languages: treesql.Database) -> None:
    assert languages.find(TRANSITIVE, count=True, corpus="en_*").rows() == [{"count": 2}]
    shapes = languages.stats(table="tree_shapes", corpus=["ja*", "en_a"])
    assert shapes.arrow()["treebank"].to_pylist() == ["English", "Japanese"]
    with pytest.raises(UnknownName, match=r"fr_\*"):
        languages.find(TRANSITIVE, count=True, corpus="fr_*")


def test_sorted_groups(languages: treesql.Database) -> None:
    def values(sort: str, **more: Any) -> list[Any]:
        by = more.pop("by", "order(S,V,O)")
        return [row[by] for row in languages.find(TRANSITIVE, by=by, sort=sort, **more).rows()]

    assert values("order(S,V,O)") == ["OSV", "SOV", "SVO"]
    assert values("-order(S,V,O)") == ["SVO", "SOV", "OSV"]
    assert values("count") == ["SVO", "OSV", "SOV"]
    assert values("-count", limit=2) == ["OSV", "SOV"]
    assert values("share", share="all")[0] == values("per_million", per_million=True)[0] == "SVO"
    assert values("delta(O,V)/1", by="delta(O,V)/1") == [-1, 1, 2]  # by number
    with pytest.raises(UnknownName, match="column to sort by"):
        values("share")
    with pytest.raises(UsageError, match="sorted"):
        languages.find(TRANSITIVE, sort="count")


def test_intervals_of_shares(languages: treesql.Database) -> None:
    """Wilson 1927."""
    rows = languages.find(TRANSITIVE, by="order(S,V,O)", share="all", ci=True).rows()
    z = 1.959963984540054
    for row in rows:
        p, n = row["share"], 4
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        assert row["share_low"] == pytest.approx((middle - half) / (1 + z * z / n))
        assert row["share_high"] == pytest.approx((middle + half) / (1 + z * z / n))
    with pytest.raises(UsageError, match="share"):
        languages.find(TRANSITIVE, by="order(S,V,O)", ci=True)


def test_entropies_of_a_grid(languages: treesql.Database) -> None:
    grid = languages.find(TRANSITIVE, by="order(S,V,O), language", grid=True, entropy=True, limit=1)
    last = grid.rows()[-1]
    assert last == {"order(S,V,O)": "entropy", "ja": 1.0, "en_b": 0.0, "en": 0.0, "total": 1.5}
    with pytest.raises(UsageError, match="grid"):
        languages.find(TRANSITIVE, by="order(S,V,O)", entropy=True)


def test_bins_of_a_grid_are_in_the_order_of_their_numbers(languages: treesql.Database) -> None:
    """The positions of dependents less those of heads are -4, -3, -2 twice, -1 four times, and 1 twice."""
    grid = languages.find("pattern { e: H -> D; H [upos] }", by="delta(H,D)/3, length(H,D)/2", grid=True)
    assert grid.columns == ["delta(H,D)/3", "0..1", "2..3", "4..5", "total"]
    assert grid["delta(H,D)/3"] == ["-6..-4", "-3..-1", "0..2", "total"]
    assert grid["total"] == [1, 7, 2, 10]


def test_a_grid_shows_entropies_as_bits_below_counts_and_shares(languages: treesql.Database) -> None:
    def lines(**how: Any) -> list[list[str]]:
        grid = languages.find(TRANSITIVE, by="order(S,V,O), language", grid=True, entropy=True, **how)
        assert render(grid.head(4)).split()[-5:] == render(grid).split()[-10:-5]  # the total
        return [line.split() for line in render(grid).splitlines()[2:]]

    assert lines()[-2:] == [["total", "2", "1", "1", "4"], ["entropy", "1.000", "0.000", "0.000", "1.500"]]
    shares = lines(share="column")
    assert shares[0] == ["SVO", "0.00%", "100.00%", "100.00%", "50.00%"]
    assert shares[-1] == ["entropy", "1.000", "0.000", "0.000", "1.500"]
    grid = languages.find(TRANSITIVE, by="order(S,V,O), language", grid=True, entropy=True, share="column")
    assert grid.markdown().splitlines()[-1].replace(" ", "") == "|entropy|1.000|0.000|0.000|1.500|"
    assert grid.rows()[0]["ja"] == 0.0
    assert render(grid.tail(1)).split()[-5:] == ["entropy", "1.000", "0.000", "0.000", "1.500"]
