"""Tree requests on small trees, with counts and rows made by hand; errors; columns, groups, concordances, drawings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn

TREES = """\
(ROOT (S (NP-SBJ-1 (DT The) (JJ old) (NN dog))
  (VP (VBZ barks) (ADVP (RB loudly)) (PP-LOC (IN in) (NP (DT the) (NN yard)))) (. .)))
(ROOT (SBARQ (WHNP-2 (WP What)) (SQ (VBD did) (NP-SBJ (PRP he)) (VP (VB say) (NP (-NONE- *T*-2)))) (. ?)))
(ROOT (S (NP (NNP Ann)) (CC and) (NP (NNP Bob)) (VP (VBD met))))
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("requests") / "trees.mrg"
    path.write_text(TREES)
    with treesql.connect() as db:
        db.load(path, corpus="trees")
        yield db


def count(db: treesql.Database, request: str, **asked: Any) -> int:
    return int(db.find(request, count=True, **asked).rows()[0]["count"])


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """Trees for the requests of Tregex's documentation."""
    path: Path = tmp_path_factory.mktemp("manual") / "trees.mrg"
    path.write_text(
        "(ROOT (S (NP (NP (NNP Ann)) (, ,) (NP (DT a) (NN chemist)) (, ,)) (VP (VBZ reads) (NP (NNS books)))))\n"
        "(ROOT (MWV (IN out) (NN of)))\n"
        "(ROOT (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (PRP he)) (VP (VB say) (NP (-NONE- *T*-1))))))\n"
        "(ROOT (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (PRP he)) (VP (VB say) (NP (-NONE- *T*-2))))))\n"
    )
    with treesql.connect() as db:
        db.load(path, corpus="trees")
        yield db


@in_turn(
    ("request_text", "expected"),
    [
        ("/^MW/ < IN", 1),
        ("(S < VP < NP)", 1),
        ("S < (NP $++ VP)", 1),
        ("S < (VP < NP)", 3),
        ("S << NP == S << VP", 3),
        ("(NP < NN | < NNS)", 2),
        ("(NP > S & $++ VP)", 1),
        ("NP [< NN | < NNS] & > VP", 1),
        ("(S < VP & < NP)", 1),
        ("(VP [< VV | [< NP & < VB] ] )", 2),
        ("(NP !< NNP)", 5),
        ("(NP < !NNP|NNS)", 4),
        ("(@NP < @/NN.?/)", 3),
        ("S : NP", 3),
        ("(NP < NNP=name)", 1),
        ("(@NP <, (@NP $+ (/,/ $+ (@NP $+ /,/=comma))) <- =comma)", 1),
        ("@SBAR < /^WH.*-([0-9]+)$/#1%index << (__=empty < (/^-NONE-/ < /^\\*T\\*-([0-9]+)$/#1%index))", 1),
        ("NP=a | NNP=b", 7),
        ("__ <<: NNP", 1),
        ("NP <... { DT ; NN }", 1),
    ],
)
def test_the_examples_of_the_documentation_of_tregex(
    manual: treesql.Database, request_text: str, expected: int
) -> None:
    assert count(manual, request_text, syntax="tregex") == expected


def test_alternatives_with_names_have_a_column_each(manual: treesql.Database) -> None:
    columns = ["verb.label", "noun.label", "noun.text"]
    found = [tuple(row[name] for name in columns) for row in manual.find("MWV=verb | NNS=noun", columns=columns).rows()]
    assert found == [(None, "NNS", "books"), ("MWV", None, None)]


def test_alternatives_split_matches(db: treesql.Database) -> None:
    """Whether two phrases stand in one order or the other: alternatives that bind no further node, or one."""
    for whether, yes in [("#a $.* #b | #b $.* #a", 2), ('#a > [pos="DT"] | #a > [pos="NNP"]', 8)]:
        rows = db.find('#a:[cat="NP"] & #b:[cat="NP"] & #a !> #b', syntax="tiger", whether=whether).rows()
        found = {row[f"whether {whether}"]: row["count"] for row in rows}
        assert found["Yes"] == yes, found


def test_tags_have_categories_and_functions(tmp_path: Path) -> None:
    path = tmp_path / "tags.mrg"
    path.write_text("(TOP (S (NP-SB (ART-NK das) (NN-NK Haus)) (VVFIN-HD steht) (-LRB- -LRB-) (PPER|PRF er)))\n")
    with treesql.connect() as db:
        db.load(path, corpus="tags")
        for request, expected in [("@NN", 1), ("NN-NK", 1), ("@/^-LRB-$/", 2), ("@/^PPER/", 1)]:
            assert count(db, request, syntax="tregex") == expected
        [row] = db.find("@S", syntax="tregex", columns=["node.rule"]).rows()
        assert row["node.rule"] == "NP VVFIN -LRB- PPER|PRF"


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("NP", 4),  # NP-SBJ-1 and NP-SBJ are other labels
        ("@NP", 6),
        ("/^NP/", 6),
        ("/^NPX?/", 6),
        ("/^NP-SBJ{0,1}/", 2),
        ("/^NP-*S/", 2),
        ("/^(NP|VP)/", 9),
        ("/^NP|^VP/", 9),
        ("/^VB[DZ]$/", 3),
        ("NP-SBJ", 1),
        ('"NP-SBJ-1"', 1),
        ("NP|VP", 7),
        ("@NP|VP", 9),
        ("!NP > S", 5),
        ("/-NONE-/", 1),
        ("-NONE- < /^\\*T\\*/", 1),
        ('"."', 3),
        ("/^\\./", 3),
        ("DT . NN", 1),
        ("DT .. NN", 2),
        ("NN , DT", 1),
        ("NN ,, DT", 2),
        ("VP < VBZ < PP-LOC", 1),
        ("VP < (PP-LOC < NP) !< NP", 1),
        ("VP !< __", 0),
        ("VP [< VBZ | < VBD]", 2),
        ("VP < VBZ | < VBD", 2),
        ("VP ![< VBZ | < VBD]", 1),
        ("VP < VBZ & < ADVP", 1),
        ("VP (< VBZ | < VBD)", 2),
        ("VP !(< VBZ | < VBD)", 1),
        ("VP ?(< VBZ)", 3),
        ("NP | VP", 7),
        ("(NP) | (VP)", 7),
        ("VP < VBZ | VP < VBD", 2),
        ("VP < VBZ | (SQ < VBD)", 2),
        ("@NP | WHNP-2 < WP", 7),
        ("VP=v < VBZ=w | SQ=q", 2),
        ("VP=v < VBZ | VP=v < VBD", 2),
        ("_ROOT_", 3),
        ("__ > _ROOT_", 3),
        ("!_ROOT_ < S", 0),
        ("VP <<< yard", 1),
        ("__ >>> PP-LOC", 3),
        ("VP <+[/NP|PP/] NN", 1),
        ("VP <+/NP|PP/ NN", 1),
        ("VP <+!/NP/ NN", 0),
        ("S < (@NP $.. VP)", 2),
        ("S < (@NP=n $.. VP)", 3),  # Ann and Bob both stand before the verb phrase
        ("NP=a $.. NP=b", 1),
        ("NP=a $.. (NP=b $.. VP=c)", 1),
        ("NP $.. (CC $.. NP)", 1),
        ("NP=a . (CC . =a)", 0),
        ("NP $ ~x : __=x", None),
        ("@NP=x $ ~x", 2),
        ("S <1 @NP <-1 VP", 1),
        ("S <2 CC", 1),
        ("S <-2 VP", 1),
        ("@S <<, DT", 1),
        ("S <<- yard", 0),
        ("S <<- met", 1),
        ("VP <: VBD", 1),
        ("NP <<: Ann", 1),
        ("NP >>: S", 0),
        ("NP <... { NNP }", 2),
        ("NP <... { DT ; NN }", 1),
        ("NP <... { DT }", 0),
        ("S <<<2 old", 1),
        ("S <<<-1 met", 1),
        ("S <+(VP) VBZ", 1),
        ("S <+(VP) IN", 0),
        ("S <+(VP|PP-LOC) IN", 1),
        ("DT .+(JJ) NN", 2),
        ("DT .+(NN) NN", 1),
        ("NN ,+(JJ) DT", 2),
        ("NP == NP", 4),
        ("NP=x == =x", 4),
        ("PP-LOC <= NP", 1),
        ("NP <= NP", 4),
        ("NNP : CC", 2),
        ("(/^WHNP-([0-9]+)$/#1%i) : (/-NONE-/ < /^\\*T\\*-([0-9]+)$/#1%i)", 1),
        ("(/^NP-SBJ-([0-9]+)$/#1%i) : (/-NONE-/ < /^\\*T\\*-([0-9]+)$/#1%i)", 0),
        ("VP ?< ADVP=a", 3),
        ("NP$NP", 2),
        ("* < dog", 1),
        ("@NP <# NN", 2),
        ("@NP <# DT", 0),
        ("VP <# /^VB/", 3),
        ("VBZ ># VP", 1),
        ("S <<# barks", 1),
        ("S <<# VBZ=head", 1),
        ("S <<# dog", 0),
        ("dog >># @NP", 1),
    ],
)
def test_tregex(db: treesql.Database, request_text: str, expected: int | None) -> None:
    if expected is None:
        with pytest.raises(treesql.RequestError):
            count(db, request_text, syntax="tregex")
    else:
        assert count(db, request_text, syntax="tregex") == expected


@in_turn(
    ("request_text", "expected"),
    [
        ('[cat="NP"]', 6),
        ('[cat=("NP"|"VP")]', 9),
        ("[cat=/N./]", 6),
        ("[NT] > [T]", 16),
        ("[T]", 19),
        ("[word=/.*ar.*/]", 2),
        ('[pos="NN" & word!="dog"]', 1),
        ('[pos="NN" & !(word="dog")]', 1),
        ('[pos=(!"NN" & /N.*/)]', 2),
        ('#n:[cat="NP"] >SBJ-1 [T]', 0),
        ('[cat="S"] >SBJ-1 #n', 1),
        ('[edge="LOC"]', 1),
        ('#a:[cat="NP"] $.* #b:[cat="NP"]', 1),
        ("arity(#n:[NT],4,9)", 1),
        ("arity(#n:[],0)", 19),
        ("arity(#n:[NT],0,3)", 18),
        ("arity(#n:[NT],1)", 10),
        ("#n:[NT] & tokenarity(#n,3)", 2),
        ("root(#n)", 3),
        ("#n:[NT] & discontinuous(#n)", 0),
        ("[word=#w] .* [word=#w]", 0),
        ('#s:[cat="S"] & (#s > [pos="CC"] | #s > [word="."])', 2),
        ('#s:[cat="S"] & (#s > #x:[pos="CC"] | #s > #x:[word="."])', 2),
        ('[cat="NP"] | [cat="VP"]', 9),
        ('#n:[cat="NP"] | [cat="VP"]', 9),
        ('([cat="S"] >* [pos="CC"]) | ([cat="VP"] > [pos="VB"])', 2),
        ('[pos=#p:("NNP"|"NN")] .* [pos=#p]', 2),
    ],
)
def test_tigersearch(db: treesql.Database, request_text: str, expected: int) -> None:
    assert count(db, request_text) == expected


@in_turn(
    ("request_text", "column", "what"),
    [
        ("NP < ", 6, "the request ends here; expected a label"),
        ("NP < < NN", 6, "found `<`; expected a label"),
        ("NP <0 NN", 4, "names no child"),
        ("NP (", 5, "expected a relation such as"),
        ("(NP < NN", 9, "expected a relation or `)`"),
        ("NP < (=x < NN)", 7, "`=x` refers to a node that is not named before"),
        ("NP < ~x", 8, "`~x` refers to a node that is not named before"),
        ("NP < /(/", 6, "the regular expression cannot be used"),
        ("NP < %", 6, "`%` has no meaning here"),
        ("NP < /a", 6, "`/` opens what nothing closes"),
        ("NP < NN &", 10, "expected a relation such as"),
        ("NP < /a(b)/#2%x", 12, "the expression has no group 2"),
        ("NP < /([[:alpha:]])/#2%x", 21, "the expression has no group 2"),
        ("NP < /a(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)/#10%x", 39, "the expression has no group 10"),
        ("NP < (NN | )", 10, "expected a relation or `)`"),
        ("NP | < ", 6, "found `<`; expected a label"),
        ("[] & arity(#n:[],3,2)", 6, "arity has the numbers 3 and 2"),
        ("!__ < NN", 1, "`!__` matches no node"),
        ("NP [< NN=x | < NNP] < (VP . =x)", 27, "not bound in every alternative"),
        ("NP " + " ".join(f"[< NN=x{n} | < DT=x{n}]" for n in range(7)), 1, "multiply to more than 64"),
        ("(" * 70 + "NP" + ")" * 70, 62, "nested more than 60 deep"),
        ('[cat="NP"', 10, "the request ends here"),
        ('[kat="NP"]', 2, "unknown feature 'kat'; did you mean cat?"),
        ("#n > ", 6, "expected a node"),
        ("[cat=\"NP\"] >3,2 [T]", 12, "is no distance"),
        ("rooot(#n)", 1, "unknown predicate 'rooot'; did you mean root?"),
        ("#n:[NT] & arity(#n)", 11, "arity has 0 numbers"),
        ('[#f:(pos="NN")]', 2, "expected a feature: cat, word"),
    ],
)  # fmt: skip
def test_errors_have_a_place(db: treesql.Database, request_text: str, column: int, what: str) -> None:
    syntax = "tiger" if request_text[0] in "[#r" else "tregex"
    with pytest.raises(treesql.RequestError, match=r"column") as raised:
        count(db, request_text, syntax=syntax)
    assert what in str(raised.value)
    assert f"column {column}:" in str(raised.value)


def test_columns_groups_and_contexts(db: treesql.Database) -> None:
    [row] = db.find("VP < (PP-LOC=place < IN)").rows()
    assert row == {
        "sentence": 0, "sent_id": None, "node.label": "VP", "node.text": "barks loudly in the yard",
        "place.label": "PP-LOC", "place.text": "in the yard",
    }  # fmt: skip
    keys = "node.category, node.edge_label, node.words, node.parent, node.rule, node.first, node.last, node.kind"
    [row] = db.find("NP-SBJ-1", columns=keys).rows()
    assert list(row.values())[1:] == ["NP", "SBJ-1", 3, "S", "DT JJ NN", 1, 3, "phrase"]
    assert db.find("@NP", by="node").rows()[0] == {"node": "NP", "count": 4}
    assert [row["count"] for row in db.find("@NP < /^NN/=n", by="n.form").rows()] == [1, 1, 1, 1]
    whether = db.find("@NP", whether="$.. VP").rows()
    assert [(row["whether $.. VP"], row["count"]) for row in whether] == [("Yes", 4), ("No", 2)]
    whether = db.find('#n:[cat="NP"]', whether='#n $.* [cat="VP"]').rows()
    assert [tuple(row.values()) for row in whether] == [("Yes", 4), ("No", 2)]
    [row] = db.find("PP-LOC", kwic=2).rows()
    assert (row["left"], row["match"], row["right"]) == ("barks loudly", "in the yard", ".")
    assert db.find("VP ?< ADVP=a", columns="a.text").rows()[1] == {"sent_id": None, "a.text": None}
    with pytest.raises(treesql.RequestError, match=r"unknown key of a node 'lable'; did you mean label"):
        db.find("NP", columns="node.lable")


def test_the_other_questions(db: treesql.Database, tmp_path: Path) -> None:
    table = db.find(requests={"noun": "@NP", "verb": "VP"}).rows()
    assert [(row["request"], row["matches"], row["sentences"]) for row in table] == [("noun", 6, 3), ("verb", 3, 3)]
    grid = db.find("@NP", by="node.words,node.parent", grid=True).rows()
    assert sum(row["total"] for row in grid[:-1]) == grid[-1]["total"] == 6
    assert db.find("@NP", count=True, per_million=True).rows()[0]["count"] == 6
    drawn = treesql.prepare(FIXTURES / "gold.mrg", "@VP < @NP=object").draw()
    assert "object" in drawn.text()
    assert "<svg" in drawn.html()
    costs = str(db.prepare("VP < PP-LOC").explain())
    assert "node { VP }  -- 3 nodes" in costs


def test_reasons_of_an_empty_result(db: treesql.Database) -> None:
    with pytest.warns(treesql.NothingFound, match=r"no node matches `NQ`; did you mean"):
        db.find("VP < NQ")
    with pytest.warns(
        treesql.NothingFound, match=r"`< ADVP` leaves none of the 1 node that match what stands before it"
    ):
        db.find("VP < VBD < ADVP")


def test_requests_and_corpora_fit(db: treesql.Database, tmp_path: Path) -> None:
    with pytest.raises(treesql.DatabaseError, match="no dependency trees"):
        db.find("pattern { X [upos=VERB] }")
    with pytest.raises(treesql.DatabaseError, match="no constituency trees"):
        treesql.find(FIXTURES / "gold.conllu", "NP < NN")
    with pytest.raises(treesql.UsageError, match="enhanced graphs are those of dependency trees"):
        db.find("NP", enhanced=True)
    with pytest.raises(treesql.UsageError, match="several languages"):
        db.find(requests={"a": "NP", "b": '[cat="NP"]'})
    with pytest.raises(treesql.UsageError, match="CoNLL-U"):
        db.prepare("NP").sentences()


def test_secondary_edges(tmp_path: Path) -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "coordination.tigerxml", corpus="tiger")
        edges = db.sql("SELECT count(*) AS n FROM secondary_edges").rows()[0]["n"]
        assert edges > 0
        assert count(db, "#a:[NT] >~ #b") == edges
        label = db.sql("SELECT label FROM secondary_edges ORDER BY label LIMIT 1").rows()[0]["label"]
        wanted = db.sql(f"SELECT count(*) AS n FROM secondary_edges AS e WHERE e.label = '{label}'").rows()[0]["n"]
        assert count(db, f"#a:[NT] >~{label} #b") == wanted


def test_rules_and_frames(db: treesql.Database) -> None:
    rules = {
        (row["label"], row["children"]): (row["phrases"], row["share"])
        for row in db.stats(table="grammar_rules").rows()
    }
    assert rules["NP", "DT NN"] == (1, pytest.approx(1 / 6))
    assert rules["NP", "NNP"] == (2, pytest.approx(2 / 6))
    assert rules["ROOT", "S"] == (2, pytest.approx(2 / 3))
    frames = [tuple(row.values()) for row in db.stats(table="subcategorisation_frames", forms="lower").rows()]
    assert sorted(frames) == [
        ("trees", "barks", "_ ADVP PP", 1), ("trees", "did", "_ NP VP", 1), ("trees", "met", "_", 1),
        ("trees", "say", "_ NP", 1),
    ]  # fmt: skip
    nouns = [tuple(row.values()) for row in db.stats(table="subcategorisation_frames", word_tags="^NN$").rows()]
    assert sorted(nouns) == [("trees", "dog", "DT JJ _", 1), ("trees", "yard", "DT _", 1)]
