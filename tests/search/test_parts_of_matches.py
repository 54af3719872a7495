"""Parts of the matches: a group of them, those after an offset, other orders, the first ones of many."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, bare
from tests.house.rules import in_turn
from treesql import UsageError
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.search import running
from treesql.search.grew import contexts, parser

EDGES = "pattern { e: H -> X; H [upos] }"


@in_turn(
    ("by", "whether"),
    [("H.upos, e.label", ()), ("e.length", ("H << X",)), ("H#X", ()), ("X.Number", ()), ("corpus", ()), ("H -> X", ())],
)
def test_every_group_has_the_matches_that_it_counts(
    by: str, whether: tuple[str, ...], examples: treesql.Database
) -> None:
    found = examples.find(EDGES, by=by, whether=whether, corpus=["gold", "parser-a"])
    names = [*(key.strip() for key in by.split(",")), *(f"whether {one}" for one in whether)]
    for row in found.rows():
        group = {name: str(value) for name, value in zip(names, row.values(), strict=False)}
        counted = examples.find(EDGES, group=group, count=True, corpus=["gold", "parser-a"])
        assert counted.rows() == [{"count": row["count"]}], group


def test_groups_of_trees_of_constituents(examples: treesql.Database) -> None:
    request, corpus = "NP=N < __=X", ["gold parses"]
    groups = examples.find(request, by="X.label", whether="> VP", corpus=corpus).rows()
    assert len(groups) > 2
    for row in groups:
        label, inside, count = row.values()
        group = {"X.label": label, "whether > VP": inside}
        assert len(examples.find(request, group=group, corpus=corpus)) == count


def test_offsets_and_limits_make_all_rows(examples: treesql.Database) -> None:
    for how in ({}, {"order": "length"}, {"order": "shuffled"}, {"kwic": 2, "sort": "right"}):
        whole = examples.find(EDGES, corpus="gold", **how).rows()  # type: ignore[arg-type]
        parts = [examples.find(EDGES, corpus="gold", limit=7, offset=at, **how).rows() for at in range(0, 28, 7)]  # type: ignore[arg-type]
        assert [row for part in parts for row in part] == whole
        assert len(whole) == 25
    drawn = examples.prepare(EDGES, corpus="gold", limit=2, offset=3).draw()
    assert [(one.corpus, one.sentence) for one in drawn.drawn] == [("gold", 0), ("gold", 0)]
    assert drawn.matches == 25
    assert examples.prepare(EDGES, corpus="gold", limit=2).draw(counted=False).matches == 2


def test_orders(examples: treesql.Database) -> None:
    columns = "sent_id, X"
    rows = examples.find(EDGES, corpus="gold", columns=columns, order="length").rows()
    assert list(dict.fromkeys(row["sent_id"] for row in rows)) == [
        "hello",
        "know",
        "mat",
        "tea",
        "hearing",
    ]
    shuffled = examples.find(EDGES, corpus="gold", columns=columns, order="shuffled").rows()
    in_order = examples.find(EDGES, corpus="gold", columns=columns).rows()
    assert shuffled != in_order
    assert sorted(map(str, shuffled)) == sorted(map(str, in_order))
    assert shuffled == examples.find(EDGES, corpus="gold", columns=columns, order="shuffled").rows()


@in_turn(
    "how",
    [
        {"offset": -1}, {"order": "nonsense"}, {"order": "length", "kwic": 2, "sort": "left"},
        {"offset": 1, "count": True},
        {"order": "length", "by": "e.label"}, {"group": {"left(2)": "x"}}, {"group": {"H, X": "x"}},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(how: dict[str, object], examples: treesql.Database) -> None:
    with pytest.raises(UsageError):
        examples.find(EDGES, **how)  # type: ignore[arg-type]


@pytest.mark.spread(9)
@pytest.mark.parametrize("part", [1, 2, 4])
@pytest.mark.parametrize("corpus", [None, "gold", ["parser-b", "gold"]])
def test_the_first_rows_are_the_same_where_the_first_sentences_have_them(
    part: int, corpus: str | list[str] | None, examples: treesql.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = (EDGES, "pattern { X [upos=NOUN] }", "pattern { }")
    asked = [(text, limit, offset) for text in requests for limit in (1, 9) for offset in (0, 2)]
    usual = [examples.find(text, limit=limit, offset=at, corpus=corpus).rows() for text, limit, at in asked]
    monkeypatch.setattr(running, "MANY_SENTENCES", 1)
    monkeypatch.setattr(running, "FIRST_PART", part)
    assert [examples.find(text, limit=limit, offset=at, corpus=corpus).rows() for text, limit, at in asked] == usual


def test_all_matches_are_counted_whatever_rows_are_asked_for(examples: treesql.Database) -> None:
    number = len(examples.find(EDGES, corpus="gold"))
    for how in ({"limit": 1}, {"offset": 2, "order": "length"}, {"kwic": 2, "sort": "left"}, {"columns": "H.upos"}):
        with examples.prepare(EDGES, corpus="gold", **how) as search:  # type: ignore[arg-type]
            assert search.count() == number > 1
    with pytest.warns(treesql.NothingFound), examples.prepare("pattern { X [upos=NOUN, upos=VERB] }") as search:
        assert search.count() == 0


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    ("name", "requests"),
    [
        (
            "SENTENCES_OF_PAIRS",
            [
                "pattern { e: H -> X; H [upos]; W [upos]; W << e } without { H ->> W }",
                "pattern { A []; B []; A << B }",
                "pattern { A []; B []; A << B } without { B -> A }",
            ],
        ),
        (
            "SENTENCES_AT_A_TIME",
            ["pattern { A [] }", "pattern { A -> B }", "pattern { X [upos] } without { X -> Y; Y [upos=DET] }"],
        ),
    ],
)
def test_counts_of_parts_add_up(
    examples: treesql.Database, monkeypatch: pytest.MonkeyPatch, name: str, requests: list[str]
) -> None:
    usual = [[examples.find(text, count=True, corpus=corpus).rows() for text in requests] for corpus in (None, "gold")]
    assert usual[0][1][0]["count"] > usual[1][1][0]["count"] > 0
    searched = []
    run = running._run

    def watched(engine: Engine, sql: str, request: str) -> pa.Table:
        searched.append(sql)
        return run(engine, sql, request)

    monkeypatch.setattr(running, "_run", watched)
    for size in (1, 2):
        monkeypatch.setattr(running, name, size)
        for corpus, rows in zip((None, "gold"), usual, strict=True):
            assert [examples.find(text, count=True, corpus=corpus).rows() for text in requests] == rows
    assert len(searched) > 4 * len(requests)


def test_parts_of_sentences_with_gaps_in_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    with treesql.connect() as db:
        for corpus in ("gold", "again"):
            db.load(FIXTURES / "gold.conllu", corpus=corpus)
        tables = [table for table in schemas.corpus_tables() if "sentence" in table.names]
        for table in tables:
            bare(db).execute(f"UPDATE {schemas.quote(table.name)} SET sentence = 10 * sentence WHERE corpus = 'gold'")
        request = "pattern { A []; B []; A << B }"
        usual = db.find(request, count=True).rows()
        for size in (1, 7, 15, 25):
            monkeypatch.setattr(running, "SENTENCES_OF_PAIRS", size)
            assert db.find(request, count=True).rows() == usual


@in_turn(
    ("request_", "joins_all"),
    [
        ("pattern { A []; B []; A << B }", True), ("pattern { A -> B; C [upos=NOUN]; C << A }", True),
        ("pattern { A ->> B }", True), ("pattern { A []; B []; length(A,B) = 3 }", True),
        ("pattern { A []; B []; A.lemma <> B.lemma }", True), ("pattern { e: A -> B; f: C -> D; e << f }", True),
        ("pattern { A -> B; C -> D; B < C; E [] }", True), ("pattern { A -> B } without { C -> D; D << A }", False),
        ("pattern { A -> B } without { C []; D []; C << D }", True),
        ("pattern { e: H -> D; X []; X << e } without { D ->> X }", True),
        ("pattern { A -> B; B -> C }", False), ("pattern { A []; B []; A < B }", False),
        ("pattern { A [upos=NOUN] }", False), ("pattern { A -> B; A -> C; D -> B }", False),
        ("pattern { A []; B []; A.lemma = B.lemma }", False), ("pattern { A -> B; C -> D; B < C }", False),
        ("pattern { e: A -> B; f: C -> D; e.label = f.label }", False),
        ("pattern { e: A -> B; f: C -> D; e >< f }", False),
        ("pattern { e: H -> D; X []; X << e } without { H ->> X }", False),
        ("global { is_projective } pattern { A [] }", False),
        ('pattern { A []; A.lemma = "be"; meta.text = re".*" }', False),
    ],
)  # fmt: skip
def test_joins_of_a_word_with_all_others_of_its_sentence(request_: str, joins_all: bool) -> None:
    assert contexts.joins_all_words(parser.parse(request_)) is joins_all


def test_crossing_edges_are_many_in_enhanced_graphs() -> None:
    for request in (
        "pattern { e: A -> B; f: C -> D; e >< f }",
        "pattern { e: H -> D; X []; X << e } without { H ->> X }",
    ):
        assert contexts.joins_all_words(parser.parse(request), enhanced=True)


def test_an_edge_within_another_is_no_node_below_it(tmp_path: Path) -> None:
    """`without { H ->> f }` binds a node f of its own, whatever edge of the pattern has that name."""
    heads = {1: "0\troot", 2: "3\tdep", 3: "4\tdep", 4: "1\tdep"}
    lines = [f"{word}\tw\tw\tX\t_\t_\t{head}\t_\t_" for word, head in heads.items()]
    file = tmp_path / "c.conllu"
    file.write_text("\n".join([*lines, "", ""]))
    with treesql.connect() as db:
        db.load(file)
        for name in ("f", "Z"):
            request = f"pattern {{ e: H -> D; f: A -> B; f << e }} without {{ H ->> {name} }}"
            assert db.find(request, count=True).rows() == [{"count": 1}]
