"""db.find: columns, groups, remarks, reasons, limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.patterns.treebank import SENTENCES
from treesql.errors import DatabaseError, RequestError, TimeLimit, UnknownName, UsageError
from treesql.search import costs, drawings, preparation


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("finding") / "small.conllu"
    path.write_text(SENTENCES.split("# sent_id = four")[0])
    with treesql.connect() as db:
        db.load(path, corpus="small")
        yield db


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


@pytest.mark.parametrize(
    ("request_", "remark"),
    [
        ("pattern { X [!Numbr] }", "no word has the feature 'Numbr'; did you mean Number"),
        ("pattern { X -[^nsbj]-> Y }", "no edge has the relation 'nsbj'; did you mean nsubj"),
        ("pattern { X -[1=ojb|det]-> Y }", "no edge has the relation 'ojb'; did you mean"),
        ("pattern { X []; !meta.spaeker }", "no sentence has the comment 'spaeker'; did you mean speaker?"),
        ("pattern { X -[E:nsbj|det]-> Y }", "no enhanced edge has the relation 'nsbj'; did you mean nsubj"),
    ],
)
def test_unknown_names_are_told(small: treesql.Database, request_: str, remark: str) -> None:
    with pytest.warns(treesql.TreesqlWarning) as warned:
        assert len(small.find(request_))
    assert [str(one.message)[: len(remark)] for one in warned] == [remark]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ("pattern { X [upos=VRB] }", "no word has `upos=VRB`; did you mean VERB?"),
        ("pattern { X [Number=Snig] }", "no word has `Number=Snig`; did you mean Sing?"),
        ("pattern { X [upos=ADJ, Number=Sing] }", "no word matches `X [upos=ADJ, Number=Sing]`"),
        ("pattern { X -[2=passs]-> Y }", "no edge matches `X -[2=passs]-> Y`"),
        ("pattern { X [upos=ADJ]; X [upos=DET] }", "upos of X cannot be `upos=ADJ` and `upos=DET` at once"),
        ("pattern { X [upos=ADJ, !upos] }", "upos of X cannot be `upos=ADJ` and `!upos` at once"),
        ("pattern { X []; Y []; Z []; X << Y; Y < Z; Z << X }", "X cannot precede itself"),
        ("pattern { X -> Y; Z -> Y }", "Y cannot have both X and Z as heads"),
        ("pattern { X -> Y; Y -> X }", "cannot be below itself: the basic tree has no cycles"),
        (
            "pattern { X [upos=VERB] } without { X [] }",
            "the pattern alone has 3 matches; `without { X [] }` leaves none",
        ),
        (
            "pattern { X [upos=VERB] } with { X -[obj]-> Y } with { X -[conj]-> Y }",
            "the pattern alone has 3 matches; the",
        ),
    ],
)
def test_why_nothing_is_found(small: treesql.Database, request_: str, why: str) -> None:
    with pytest.warns(treesql.TreesqlWarning) as warned:
        assert not len(small.find(request_))
    assert any(why in str(one.message) for one in warned), [str(one.message) for one in warned]


@pytest.mark.parametrize(
    ("request_", "given", "error", "message"),
    [
        ("pattern { X []; X << Y }", {}, RequestError, "`Y` is not bound by the request"),
        ("pattern { Xx []; X.a = b }", {}, RequestError, "did you mean Xx?"),
        ("pattern { e: X -> Y; e: Y -> Z }", {}, RequestError, "the edge e is bound twice"),
        ("pattern { X: X -> Y }", {}, RequestError, "X is a node and an edge"),
        ("pattern { e: X -> Y; e << X }", {}, RequestError, "`<<` cannot stand between an edge and a node"),
        ("pattern { X []; Y []; X >< Y }", {}, RequestError, "`><` cannot stand between a node and a node"),
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


def test_the_limit_names_the_costliest_clause(db: treesql.Database, tmp_path: Path) -> None:
    words = " ".join(["w:0:root:NOUN", *(f"w:{at}:det:NOUN" for at in range(1, 400))])
    (tmp_path / "long.conllu").write_bytes(conllu(*[words] * 5))
    db.load(tmp_path / "long.conllu", corpus="long")
    with pytest.raises(TimeLimit) as raised:
        db.find("pattern { A [upos=NOUN]; B [upos=NOUN]; C []; D -[det]-> E; B << C }", count=True, timeout=0.2)
    assert "stopped after 0.2 seconds; `C []` costs most" in str(raised.value)
    assert "nothing but `B << C` connects it" in str(raised.value)
    assert db.find("pattern { A [upos=NOUN] }", count=True).rows() == [{"count": 2000}]


def test_costs_of_clauses(small: treesql.Database) -> None:
    question = preparation.prepare(small.connection, "pattern { V [upos=VERB]; V -[nsubj]-> S } without { V << S }")
    found = [
        (cost.item, cost.clause, cost.matches, cost.what) for cost in costs.clause_costs(small.connection, question)
    ]
    assert found == [
        ("pattern", "V [upos=VERB]", 3, "word"),
        ("pattern", "V -[nsubj]-> S", 2, "edge"),
        ("without", "V << S", None, "word"),
    ]
    assert "words" in costs.query_plan(small.connection, question)


def test_drawings(small: treesql.Database) -> None:
    question = preparation.prepare(small.connection, "pattern { V [upos=VERB]; V -[obj]-> O }")
    [drawn], matches, why = drawings.draw_matches(small.connection, question, 10)
    assert (matches, why, drawn.title) == (1, [], "two")
    assert drawn.tree.highlights == {2: "V", 5: "O"}
    assert drawn.tree.marks == {5: "matched"}
    page = drawings.html_page([drawn], question.request.text)
    assert "<svg" in page
    assert "pattern { V [upos=VERB]; V -[obj]-&gt; O }" in page


def test_drawings_of_the_enhanced_graph(small: treesql.Database) -> None:
    question = preparation.prepare(small.connection, "pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }")
    drawn, matches, _ = drawings.draw_matches(small.connection, question, 10)
    assert matches == 2
    tree = drawn[1].tree
    assert list(tree.forms) == ["dogs", "dog", "the", "old", "dogs", "dog"]
    assert tree.highlights == {6: "X", 1: "Y"}
    assert list(tree.empty) == [6]
    assert [(arc.head, arc.dependent, arc.relation, arc.mark) for arc in tree.below] == [
        (2, 6, "conj:and", "enhanced"), (6, 1, "nsubj", "matched"),
    ]  # fmt: skip


def test_of_parallel_edges_those_of_the_match_are_marked(db: treesql.Database, tmp_path: Path) -> None:
    deps = "2:conj:and|2:nsubj|2:obj"
    (tmp_path / "p.conllu").write_text(f"1\ta\t_\tX\t_\t_\t2\tobj\t{deps}\t_\n2\tb\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n")
    db.load(tmp_path / "p.conllu", corpus="p")

    def marked(request: str) -> tuple[list[int], list[str]]:
        [drawn], _, _ = drawings.draw_matches(
            db.connection, preparation.prepare(db.connection, request, enhanced=True), 10
        )
        return list(drawn.tree.marks), [arc.relation for arc in drawn.tree.below if arc.mark == "matched"]

    assert marked("pattern { X -[E:nsubj]-> Y }") == ([], ["nsubj"])
    assert marked("pattern { e: X -[1=conj]-> Y }") == ([], ["conj:and"])
    assert marked("pattern { X -[obj]-> Y }") == ([1], [])
    assert marked("pattern { X -[E:obj]-> Y; X -[E:nsubj]-> Y }") == ([1], ["nsubj"])


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
