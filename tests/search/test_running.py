"""db.find: columns, groups, warnings, reasons, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn
from treesql.errors import DatabaseError, RequestError, UnknownName, UsageError


def test_columns(small: treesql.Database) -> None:
    request = "pattern { V [upos=VERB]; e: V -[1=nsubj]-> S }"
    assert small.find(request).rows() == [
        {"sent_id": "one", "V": 4, "V.form": "barks", "S": 3, "S.form": "dog", "e.label": "nsubj"},
        {"sent_id": "two", "V": 2, "V.form": "dog", "S": 1, "S.form": "dogs", "e.label": "nsubj"},
        {"sent_id": "three", "V": 3, "V.form": "b", "S": 1, "S.form": "it", "e.label": "nsubj:pass"},
    ]
    columns = "S.Number, e.2, S.Gloss, text, corpus, sentence, delta(V,S), meta.speaker, V#S, e.length, line, e"
    assert small.find(request, columns=columns, limit=1).rows() == [
        {
            "sent_id": "one", "S.Number": "Sing", "e.2": None, "S.Gloss": "HOUND", "text": "The old dog barks don't",
            "corpus": "small", "sentence": 0, "delta(V,S)": -1, "meta.speaker": "Ann", "V#S": "S << V", "e.length": 1,
            "line": 1, "e": "nsubj",
        }
    ]  # fmt: skip
    assert small.find(request, columns=["V.lemma", "sent_id"]).columns == ["V.lemma", "sent_id"]
    assert small.find("global { is_not_projective }").rows() == [{"sent_id": "three", "text": "it a b c"}]
    assert small.find("pattern { X -[root]-> Y }").rows()[0] == {
        "sent_id": "one", "X": 0, "X.form": "__0__", "Y": 4, "Y.form": "barks",
    }  # fmt: skip


def test_nodes_of_the_enhanced_graph(small: treesql.Database) -> None:
    rows = small.find("pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }").rows()
    assert [(row["X"], row["Y"]) for row in rows] == [("6", "3"), ("5.1", "1")]
    rows = small.find("pattern { X -[E:nsubj]-> Y }", by="X <-> Y").rows()
    assert rows == [{"X <-> Y": "E:nsubj", "count": 2}, {"X <-> Y": "__multi__", "count": 2}]
    assert small.find("pattern { X [upos=VERB] }", count=True, enhanced=True).rows() == [{"count": 4}]


def test_groups(small: treesql.Database) -> None:
    request = "pattern { e: X -> Y; X [upos] }"
    assert small.find(request, by="Y.Number, e.delta", limit=2).rows() == [
        {"Y.Number": "__undefined__", "e.delta": -2, "count": 3},
        {"Y.Number": "__undefined__", "e.delta": -1, "count": 3},
    ]
    assert small.find(request, whether="Y << X").rows() == [
        {"Y << X": "Yes", "count": 9}, {"Y << X": "No", "count": 3},
    ]  # fmt: skip
    rows = small.find(request, by="X.upos", whether=["Y << X", "Y [upos=NOUN]|[upos=PRON]"]).rows()
    assert list(rows[0]) == ["X.upos", "Y << X", "Y [upos=NOUN]|[upos=PRON]", "count"]
    assert sum(row["count"] for row in rows) == 12
    with_rank = "pattern { X [Rank] }"
    assert small.find(with_rank, by="X.Rank[gap=5]").rows() == [
        {"X.Rank[gap=5]": "[0, 5[", "count": 2}, {"X.Rank[gap=5]": "[10, 15[", "count": 1},
    ]  # fmt: skip
    assert small.find(with_rank, by="X.Rank[gap=5, min=5, max=8]").rows() == [
        {"X.Rank[gap=5, min=5, max=8]": "]-∞, 5[", "count": 2}, {"X.Rank[gap=5, min=5, max=8]": "[8, +∞[", "count": 1},
    ]  # fmt: skip
    assert small.find(with_rank, by="X.Rank[gap=4, max=11]").rows() == [
        {"X.Rank[gap=4, max=11]": "[3, 7[", "count": 2}, {"X.Rank[gap=4, max=11]": "[7, 11[", "count": 1},
    ]  # fmt: skip
    assert small.find(with_rank, by="X.Tense/Number").rows() == [
        {"X.Tense/Number": "Sing", "count": 2}, {"X.Tense/Number": "Plur", "count": 1},
    ]  # fmt: skip
    assert small.find(with_rank, by="meta.speaker").rows() == [
        {"meta.speaker": "__undefined__", "count": 2}, {"meta.speaker": "Bob", "count": 1},
    ]  # fmt: skip


@in_turn(
    ("request_", "given", "error", "message"),
    [
        ("pattern { X []; X << Y }", {}, RequestError, "`Y` is not bound by the request"),
        ("pattern { Xx []; X.a = b }", {}, RequestError, "did you mean Xx?"),
        ("pattern { e: X -> Y; e: Y -> Z }", {}, RequestError, "the edge e is bound twice"),
        ("pattern { X: X -> Y }", {}, RequestError, "X is a node and an edge"),
        ("pattern { e: X -> Y; e << X }", {}, RequestError, "`<<` is not allowed between an edge and a node"),
        ("pattern { X []; Y []; X >< Y }", {}, RequestError, "`><` is not allowed between a node and a node"),
        ("pattern { e: X -> Y; e.3 = a }", {}, RequestError, "unknown part of a label '3'"),
        ("pattern { X [deprel=nsubj] }", {}, RequestError, "`deprel` belongs to an edge"),
        ("pattern { e: X -> Y; e.length = a }", {}, RequestError, "`e.length` is a number"),
        ("pattern { X [form=/a(?=b)/] }", {}, RequestError, "the regular expression cannot be used"),
        ("pattern { X [] }", {"by": "Y.lemma"}, RequestError, "`Y` is not bound"),
        ("pattern { X [] }", {"columns": "sentid"}, RequestError, "did you mean sent_id"),
        ("pattern { X [] }", {"by": "X.lema"}, UnknownName, "unknown feature 'lema'; did you mean lemma"),
        ("pattern { X [] }", {"by": "meta.spaker"}, UnknownName, "unknown comment 'spaker'; did you mean speaker?"),
        ("pattern { X [] }", {"by": "X.form", "count": True}, UsageError, "exclude each other"),
        ("pattern { X [] }", {"limit": -1}, UsageError, "the limit is a number of rows"),
        ("pattern { X [] }", {"corpus": "smal"}, UnknownName, "did you mean small?"),
    ],
)
def test_bad_requests(
    small: treesql.Database, request_: str, given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        small.find(request_, **given)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_corpora(examples: treesql.Database, tmp_path: Path, db: treesql.Database) -> None:
    request = "pattern { X [upos=NOUN] }"
    assert examples.find(request, count=True, corpus=["gold", "parser-a", "parser-b"]).rows() == [{"count": 21}]
    assert examples.find(request, count=True).rows()[0]["count"] > 21
    assert examples.find(request, count=True, corpus="gold").rows() == [{"count": 7}]
    assert examples.find(request, corpus=["gold", "parser-a"]).columns[0] == "corpus"
    with pytest.raises(DatabaseError, match="the database has no corpus"):
        db.find(request)
    db.load(FIXTURES / "gold.mrg", corpus="trees")
    with pytest.raises(DatabaseError, match="no dependency trees"):
        db.find(request)
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    assert db.find(request, count=True).rows() == [{"count": 7}]
    with pytest.raises(UsageError, match="'trees' has constituency trees"):
        db.find(request, corpus="trees")


def test_names_mean_what_they_mean_in_the_corpora_asked(db: treesql.Database, tmp_path: Path) -> None:
    row = "# sent_id = {0}\n# {0} = yes\n1\ta\t_\tX\t_\t{1}\t0\t{2}\t_\t{3}\n\n"
    (tmp_path / "one.conllu").write_text(row.format("one", "Kind=A", "root", "_"))
    (tmp_path / "two.conllu").write_text(row.format("two", "_", "root:x", "Kind=B"))
    for name in ("one", "two"):
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    assert db.find("pattern { X [Kind] }", columns="X.Kind", corpus="two").rows() == [{"sent_id": "two", "X.Kind": "B"}]
    assert db.find("pattern { X [Kind] }", columns="X.Kind").rows() == [{"sent_id": "one", "X.Kind": "A"}]
    assert db.find("pattern { X [__MISC__Kind=B] }", count=True).rows() == [{"count": 1}]
    for request, remark in (
        ("pattern { X []; meta.one = yes }", "no sentence has the comment 'one'; known: sent_id, two"),
        ('pattern { X -["root"]-> Y }', "no edge has the relation 'root'; "),
        ("pattern { X [Kind=A] }", "no word has `Kind=A`; "),
    ):
        with pytest.warns(treesql.TreesqlWarning) as told:
            assert not db.find(request, corpus="two")
        assert any(remark in str(one.message) for one in told), [str(one.message) for one in told]


def test_features_that_are_called_like_parts_of_labels(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\tlabel=IAV\n\n")
    db.load(tmp_path / "a.conllu", corpus="a")
    assert db.find("pattern { MWE [label=IAV] }", count=True).rows() == [{"count": 1}]


def test_names_that_sql_takes_for_the_same(small: treesql.Database) -> None:
    rows = small.find("pattern { x [upos=ADJ]; X [upos=NOUN]; X -> x }", columns="x.form, x.lemma").rows()
    assert [row["x.form"] for row in rows] == ["old", "old"]
    rows = small.find("pattern { words [upos=ADJ]; sentence [upos=NOUN]; sentence -> words }", columns="text").rows()
    assert len(rows) == 2


def test_a_database_without_sentence_ids(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:root b:1:det"))
    db.load(tmp_path / "a.conllu", corpus="a")
    assert db.find("pattern { X -[det]-> Y }").columns[:2] == ["sentence", "sent_id"]


def test_heads_in_a_circle(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(conllu("a:2:x b:1:x c:0:root", "a:0:root", "a:3:x b:4:x c:4:x d:1:x"))
    with pytest.warns(treesql.TreesqlWarning, match="cycle"):
        db.load(tmp_path / "a.conllu", corpus="a", permissive=True)
    for request, number in [
        ("is_cyclic", 2), ("is_not_cyclic", 1), ("is_forest", 1), ("is_tree", 1), ("is_not_projective", 1),
    ]:  # fmt: skip
        assert len(db.find(f"global {{ {request} }}")) == number, request
    assert len(db.find("pattern { X -> Y; Y -> X }")) == 2


@pytest.mark.filterwarnings("ignore::treesql.NothingFound")
def test_numbers_of_many_digits_and_shapes_of_enhanced_graphs(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "n.conllu").write_text("1\ta\t_\t_\t_\tRank=1234567\t0\troot\t0:root\t_\n\n")
    db.load(tmp_path / "n.conllu", corpus="n")
    for condition, count in (("X.Rank = 1234567", 1), ("X.Rank < 1234567", 0), ("X.Rank >= 1234567", 1)):
        assert db.find(f"pattern {{ X [Rank]; {condition} }}", count=True).rows() == [{"count": count}]
    for request, count in (
        ("global { is_tree }", 0),
        ("global { is_not_tree }", 1),
    ):  # basic and enhanced edges together
        assert db.find(request, enhanced=True, count=True).rows() == [{"count": count}]


def test_enhanced_edges_between_the_same_words_are_in_the_order_of_their_labels(
    db: treesql.Database, tmp_path: Path
) -> None:
    deps = "|".join(f"2:{label}" for label in "qzxcabpo")
    (tmp_path / "t.conllu").write_text(f"1\tA\t_\t_\t_\t_\t2\tdet\t{deps}\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    db.load(tmp_path / "t.conllu", corpus="t")
    found = db.find("pattern { e: V -> N; V [form=b] }", columns="e.label", enhanced=True).rows()
    assert [row["e.label"] for row in found] == [*(f"E:{label}" for label in sorted("qzxcabpo")), "det"]
