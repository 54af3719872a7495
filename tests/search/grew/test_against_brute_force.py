"""Statements find what an obvious matcher finds, request by request and for requests made up at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

import treesql
from tests.house.rules import check_each
from tests.search.grew import brute_force
from tests.search.treebank import SENTENCES
from treesql.engines.relations import of_range
from treesql.errors import RequestError
from treesql.search.grew import compiler, parser
from treesql.search.grew.compiler import NameProperties, Selection

GRAPHS = {enhanced: brute_force.read(SENTENCES, enhanced) for enhanced in (False, True)}
NAMES = NameProperties(misc=frozenset({"Gloss", "Rank", "SpaceAfter", "wordform"}), filled=frozenset({"form", "upos"}))

REQUESTS = [
    "pattern { X [] }",
    "pattern { X -> Y }",
    "pattern { X -> Y; X [upos] }",
    "pattern { X -[nsubj]-> Y }",
    "pattern { X -[^nsubj|obj]-> Y }",
    "pattern { X -[1=nsubj]-> Y }",
    "pattern { X -[1=nsubj, !2]-> Y }",
    "pattern { X -[1=nsubj|obj, 2=*]-> Y }",
    "pattern { X -[1<>nsubj, 2<>pass]-> Y }",
    'pattern { X -[re".*subj"]-> Y }',
    'pattern { X -[re"nsubj\\|obj"]-> Y }',
    "pattern { X -[/NSUBJ.*/i]-> Y }",
    "pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }",
    "pattern { X -[enhanced=yes]-> Y }",
    "pattern { X -[!enhanced, 1=nsubj]-> Y }",
    "pattern { X [upos=VERB]|[upos=NOUN, Number=Sing] }",
    "pattern { X [upos=ADV, !ExtPos]|[!upos] }",
    "pattern { X [form<>dog] }",
    'pattern { X [form="__0__"] }',
    "pattern { X [!upos]; X -> Y }",
    'pattern { X [form=re".*o.*"] } with { X [form=re"d.*"] }',
    'pattern { X [lemma=/D.G/i] }',
    "pattern { X [Number__psor=Sing] }",
    "pattern { X [Gloss=HOUND] }",
    "pattern { X [__MISC__Case=Nom] }",
    "pattern { X [Case=Nom] }",
    "pattern { X [Flag] }",
    "pattern { X [textform=re\".*n't\"] }",
    "pattern { X [textform=\"_\"] }",
    "pattern { X []; X.form <> X.wordform }",
    "pattern { X []; X.form <> X.textform }",
    "pattern { X [textform=Ex] }",
    "pattern { X [textform=dogs] }",
    "pattern { X [textform=DO] }",
    'pattern { X [wordform="__EMPTY__"] }',
    "pattern { X [Rank]; Y [Rank]; X.Rank < Y.Rank }",
    "pattern { X [Rank]; X.Rank >= 3 }",
    "pattern { X [Rank]; 3 < X.Rank }",
    "pattern { X.Rank = 3; X [] }",
    "pattern { X.Rank = 03; X [] }",
    "pattern { X.Rank <> 03; X [] }",
    "pattern { X.Rank <= 03; X [] }",
    "pattern { X [Rank=03] }",
    "pattern { X [upos=NOUN]; Y [upos=NOUN] }",
    "pattern { X [upos=NOUN]; Y [upos=NOUN]; X.__id__ < Y.__id__ }",
    "pattern { X [upos=NOUN]; Y$ [upos=NOUN] }",
    "pattern { X -[nsubj]-> Y; X -[obj]-> Z$ }",
    "pattern { X []; Y []; X < Y }",
    "pattern { X []; Y []; X << Y; X [upos] }",
    "pattern { X > Y; X []; Y [] }",
    "pattern { V ->> N; N [upos=NOUN] }",
    "pattern { V [upos=VERB]; V ->> N; N [upos=NOUN] } without { W [upos=VERB]; V ->> W; W ->> N }",
    "pattern { e: X -> Y; f: V -> W; e >< f }",
    "pattern { e: X -> Y; f: V -> W; X [upos]; V [lemma, upos]; e >< f }",
    "pattern { e: X -> Y; X [upos] } without { f: V -> W; e >< f }",
    "pattern { e: X -> Y } with { f: V -> W; V [upos]; f >< e }",
    "pattern { e: X -> Y; W []; W << e } without { X ->> W }",
    "pattern { e: X -> Y; X [upos]; W [upos]; W << e } without { X ->> W }",
    "pattern { e: X -> Y; W []; W << e } without { W ->> X }",
    "pattern { e: X -> Y; W []; W << e } without { X ->> W; W [upos=VERB] }",
    "pattern { e: X -> Y; Z [lemma]; Z -> X; X [form, upos] }",
    "pattern { e: X -> Y } with { X [lemma] }",
    "pattern { e: X -> Y } without { X [upos] }",
    "pattern { e: X -> Y; f: X -> Z; e << f }",
    "pattern { e: X -> Y; f: V -> W; e <> f }",
    "pattern { e: X -> Y; Z []; Z << e }",
    "pattern { e: X -> Y; Z []; Z << e } without { X ->> Z }",
    "pattern { e: X -> Y; Z []; Z << e } without { X ->> Z; X [upos=NOUN] }",
    "pattern { e: X -> Y; f: Y -> Z; e.label = f.label }",
    "pattern { e: X -> Y; f: X -> Z; e.1 <> f.1 }",
    "pattern { e: X -> Y; e.length > 1 }",
    "pattern { e: X -> Y; e.delta = -1 }",
    "pattern { X -> Y; length(X,Y) >= 2; delta(X,Y) < 0 }",
    "pattern { X [upos=VERB]; X -[obj]-> * }",
    "pattern { X [upos=VERB]; * -[root]-> X }",
    "pattern { X [upos=VERB] } without { * -[root]-> X }",
    "pattern { X [upos=VERB] } without { X -[1=nsubj]-> Y }",
    "pattern { X [upos=VERB] } without { X -[obj]-> Y } without { X -[1=nsubj]-> Y }",
    "pattern { X [upos=VERB] } with { X -[obj]-> Y } without { Z -> X; Z [upos] }",
    "pattern { X -> Y } without { Z -> X }",
    "pattern { X -> Y } without { Y -> Z }",
    "pattern { X [lemma]; Y [lemma]; X << Y } without { X.lemma = Y.lemma }",
    "pattern { X -[amod]-> Y; X[Number]; Y[Degree] } without { X.Number = Y.Degree }",
    "pattern { X [] } without { X [upos] }",
    "pattern { meta.speaker = Ann }",
    "pattern { X [upos=VERB]; !meta.speaker }",
    "pattern { X [upos=VERB]; meta.speaker <> Ann }",
    'pattern { meta.text = re".*dog.*" }',
    'global { sent_id = "one" | "two" } pattern { X [upos=NOUN] }',
    "global { is_not_projective }",
    "global { is_projective; is_tree }",
    "global { is_forest }",
    "global { is_cyclic }",
    "pattern { X [upos=NOUN] } without { global.is_projective }",
    "pattern { X -> X }",
    "pattern { X -> Y; Y -> X }",
    "pattern { X -> Y; Z -> Y }",
]  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("patterns") / "small.conllu"
    path.write_text(SENTENCES)
    with treesql.connect() as db:
        with pytest.warns(treesql.TreesqlWarning, match="several roots"):
            db.load(path, corpus="small")
        yield db


def both(db: treesql.Database, text: str, enhanced: bool, in_parts: bool) -> tuple[int, int]:
    """How many matches the statement and the obvious matcher find, in the only corpus and, if asked, in its parts."""
    request = parser.parse(text)
    enhanced = enhanced or compiler.uses_enhanced_edges(request)
    whole = Selection(count=True, enhanced=enhanced)
    sql = compiler.compile_request(request, whole, NAMES)
    [(found,)] = db.engine.rows(sql)
    expected = brute_force.count(request, GRAPHS[enhanced])
    if not in_parts:
        return found, expected
    ranges = [of_range(db.engine, sql, sentences) for sentences in (range(2), range(2, 100))]
    assert found == sum(n for one in ranges for (n,) in db.engine.rows(one))
    before = compiler.compile_request(request, replace(whole, corpora=("small",), before=2), NAMES)
    assert db.engine.rows(before) == db.engine.rows(ranges[0])
    return found, expected


@pytest.mark.parametrize(
    ("enhanced", "nth"),
    [
        pytest.param(False, range(3), id="basic"),
        pytest.param(True, range(1), id="enhanced"),
        pytest.param(True, range(1, 3), marks=pytest.mark.slow, id="others-enhanced"),
    ],
)
def test_requests(small: treesql.Database, enhanced: bool, nth: range) -> None:
    """All on basic trees; on graphs every third, the others in the slow test. nth: places of three that are run."""

    def check(text: str) -> None:
        found, expected = both(small, text, enhanced, in_parts=not enhanced and REQUESTS.index(text) % 4 == 0)
        assert found == expected

    check_each(check, {text: text for at, text in enumerate(REQUESTS) if at % 3 in nth})


CROSSING = {
    "pattern { e: H -> X; W []; W << e } without { H ->> W }": True,
    "pattern { e: H -> X; H [upos]; W [upos]; W << e } without { H ->> W }": True,
    "pattern { e: H -> X; f: K -> W; W << e } without { H ->> W } without { K ->> X }": True,
    "pattern { e: H -> X; f: K -> W; W << e; X << f } without { H ->> W } without { K ->> X }": True,
    "pattern { e: H -> X; f: K -> W; W << e; e >< f } without { H ->> W }": True,
    "pattern { e: H -> X; W []; W << e } without { X ->> W }": False,
    "pattern { e: H -> X; W []; W << e } with { H ->> W }": False,
    "pattern { e: H -> X; W []; W << e } without { H ->> W; H -> W }": False,
}
"""Requests, and whether they imply that an edge is not projective."""

HEADS = st.integers(3, 6).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n))


@pytest.mark.slow
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(HEADS, min_size=1, max_size=4))
def test_edges_that_cannot_be_projective(
    tmp_path_factory: pytest.TempPathFactory, recwarn: pytest.WarningsRecorder, sentences: list[list[int]]
) -> None:
    """Reading only edges that are not projective changes no count, in trees as in sentences with cycles."""
    blocks = [
        "".join(f"{word}\tw\tw\tX\t_\t_\t{head}\tdep\t_\t_\n" for word, head in enumerate(heads, 1))
        for heads in sentences
    ]
    trees = [block for heads, block in zip(sentences, blocks, strict=True) if _is_tree(heads)]
    path = tmp_path_factory.mktemp("heads") / "heads.conllu"
    for texts, expected_by_matcher in ((blocks, False), (trees, True)):
        if not texts:
            continue
        path.write_text("\n".join(texts) + "\n")
        graphs = brute_force.read(path.read_text(), enhanced=False)
        with treesql.connect() as db:
            db.load(path, corpus="heads", permissive=True)
            for text, implied in CROSSING.items():
                request = parser.parse(text)
                sql = compiler.compile_request(request, Selection(count=True, enhanced=False), NAMES)
                assert (" nonprojective AS " in sql) == implied, text
                found = db.engine.rows(sql)
                everywhere = sql.replace("WHERE w.projective IS NOT TRUE", "").replace("b.projective IS TRUE OR ", "")
                assert found == db.engine.rows(everywhere), text
                if expected_by_matcher:
                    assert found == [(brute_force.count(request, graphs),)], text


def _is_tree(heads: list[int]) -> bool:
    """Whether the walk from every word ends at 0."""
    above = dict(enumerate(heads, 1))
    for word in above:
        for _ in heads:
            word = above.get(word, 0)
        if word:
            return False
    return True


NODE = st.sampled_from(["X", "Y", "Z$"])
OUTER = st.sampled_from(["X", "Y", "Z$", "W"])
TESTS = st.sampled_from([
    "", "upos=NOUN", "upos=VERB|AUX", "upos<>NOUN", "!lemma", "lemma", "Number=Sing", "!Number", "Number<>Plur",
    "form=dog", "form<>dog", 'form=re"d.*"', "Rank", "lemma=dog, upos=NOUN",
])  # fmt: skip
LABELS = st.sampled_from([
    "->", "-[nsubj]->", "-[^nsubj]->", "-[1=nsubj]->", "-[1=conj, 2=and]->", "-[!2]->", "-[E:nsubj]->", "-[root|det]->",
    '-[re"n.*"]->', "-[enhanced=yes]->",
])  # fmt: skip


def clauses(node: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{} [{}]".format, node, TESTS),
        st.builds("{} [{}]|[{}]".format, node, TESTS, TESTS),
        st.builds("{} {} {}".format, node, LABELS, node),
        st.builds("{} {} *".format, node, LABELS),
        st.builds("* {} {}".format, LABELS, node),
        st.builds("{} {} {}".format, node, st.sampled_from(["<", "<<", ">", ">>", "->>"]), node),
        st.builds("{}.{} {} {}.{}".format, node, st.sampled_from(["lemma", "upos", "Number"]),
                  st.sampled_from(["=", "<>"]), node, st.sampled_from(["lemma", "form"])),
        st.builds("{}({},{}) {} {}".format, st.sampled_from(["delta", "length"]), node, node,
                  st.sampled_from(["=", ">", "<="]), st.integers(-2, 3)),
    )  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(clauses(NODE), min_size=1, max_size=4),
    st.lists(
        st.tuples(st.sampled_from(["with", "without"]), st.lists(clauses(OUTER), min_size=1, max_size=2)), max_size=2
    ),
    st.booleans(),
)
def test_requests_made_up(
    small: treesql.Database, pattern: list[str], filters: list[tuple[str, list[str]]], enhanced: bool
) -> None:
    text = " ".join(f"{kind} {{ {'; '.join(one)} }}" for kind, one in [("pattern", pattern), *filters])
    try:
        parsed = parser.parse(text)
        compiler.compile_request(parsed, Selection(count=True, enhanced=enhanced), NAMES)
    except RequestError as error:  # a constraint on a node that nothing binds
        event(error.what.split("`")[-1])
        reject()
    found, expected = both(small, text, enhanced, in_parts=True)
    assert found == expected, text
