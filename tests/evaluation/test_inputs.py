"""The corpora of a task: only what is needed is read of files, and what a role does not read is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard
from tests.evaluation.aligned_trees import FILES, scores
from tests.evaluation.lines import PLF, REFERENCES, lattices, row, written
from tests.evaluation.systems import A, rows, same
from treesql import catalog
from treesql.catalog import kinds
from treesql.errors import Incomparable, InvalidInput, UnknownName, UsageError

KINDS = ("dependency", "constituency")
METRICS = {kind: kinds.kind(kind).all_metrics for kind in KINDS}
TABLES = {kind: kinds.kind(kind).tables for kind in KINDS}
ATTRIBUTES = "distance,system_depth/2,n_children,system_n_words"
pytestmark = pytest.mark.filterwarnings("ignore:.*enhanced (dependencies|edges)")
across_words = pytest.mark.filterwarnings("ignore:.*its words are not those of every system")


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database file with the parses of fixtures/."""
    path = tmp_path_factory.mktemp("parses") / "t.duckdb"
    with treesql.connect(path) as db:
        for side, corpus in (("gold", "gold"), ("test", "test.mrg")):
            db.load(FIXTURES / f"{side}.mrg", corpus=corpus)
    return str(path)


def same_from_files_and_database(database: str, system: str, cut: str, **options: Any) -> list[dict[str, Any]]:
    path = {"parser-a": A, "cut": cut}[system]
    from_files = rows(path, **options)
    from_db = rows(system, gold="gold", db=database, **options)
    assert same([{**row, "system": f"{system}.conllu"} for row in from_db], from_files)
    return from_files


@pytest.mark.spread(9)
@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence", "Number", "xpos", "xpos,Number", ATTRIBUTES])
@pytest.mark.parametrize("metric", METRICS["dependency"])
def test_a_metric_reads_all_that_it_needs(database: str, cut: str, metric: str, by: str | None) -> None:
    """From files only the columns that it names are read, from a database all are there."""
    try:
        found = same_from_files_and_database(database, "parser-a", cut, metric=metric, by=by)
    except UnknownName:
        columns = {column.name for column in catalog.query(metric).columns}
        assert by not in (None, "sentence"), "of words, which this metric has not"
        assert "word" not in columns
        return
    assert found
    if by is None:
        scores = [found[0].get(score.name) for score in catalog.query(metric).scores]
        assert any(score is not None for score in scores)


@pytest.mark.spread(9)
@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence"])
@pytest.mark.parametrize("name", [*METRICS["constituency"], *TABLES["constituency"]])
def test_a_query_of_parses_reads_all_that_it_needs(parses: str, name: str, by: str | None) -> None:
    gold, test = (str(FIXTURES / f"{side}.mrg") for side in ("gold", "test"))
    how: dict[str, Any] = {"table": name} if name in TABLES["constituency"] else {"metric": name, "by": by}
    from_files = treesql.score("constituency", gold=gold, systems=[test], **how).rows()
    from_database = treesql.score("constituency", gold="gold", systems=["test.mrg"], db=parses, **how).rows()
    assert from_files
    assert same(from_files, from_database)


@pytest.mark.spread(9)
@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES["dependency"])
@pytest.mark.parametrize("parameters", [{}, {"punctuation": "form", "relations": "full"}])
def test_a_table_reads_all_that_it_needs(database: str, cut: str, table: str, parameters: dict[str, str]) -> None:
    known = {p.name for p in catalog.query(table).parameters}
    parameters = {name: value for name, value in parameters.items() if name in known}
    assert same_from_files_and_database(database, "parser-a", cut, table=table, **parameters)


@pytest.mark.spread(6)
@across_words
@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence", "Number", "deprel", "xpos,Number", ATTRIBUTES])
def test_metrics_across_words_read_all_that_they_need(database: str, cut: str, by: str | None) -> None:
    others = ("tagging", "content_attachment", "segmentation", "enhanced_attachment")
    assert same_from_files_and_database(database, "cut", cut, metric=["attachment", *others], by=by)
    assert same_from_files_and_database(database, "cut", cut, by=by)


def test_no_query_is_missing_above() -> None:
    assert {"attachment", "tagging", "segmentation", "exact_match"} <= set(METRICS["dependency"])
    tables = {"conll18", "iwpt20", "upos_accuracy", "relation_agreement", "attachment_errors"}
    assert tables <= set(TABLES["dependency"])
    for kind in KINDS:
        of_gold = [one for one in catalog.all_queries().values() if one.reference_corpus == "gold_corpus"]
        of_kind = {one.name for one in of_gold if one.family == kind and one.kind in ("metric", "statistic")}
        assert {*METRICS[kind], *TABLES[kind]} == of_kind


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with aligned trees, and parses."""
    path = tmp_path_factory.mktemp("loaded") / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus in ("reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        db.load(FILES[2], corpus="links", source_corpus="reference", target_corpus="hypothesis")
        db.load(FIXTURES / "gold.mrg", corpus="phrases")
    return str(path)


@pytest.mark.slow
def test_aligned_trees_of_a_database(loaded: str) -> None:
    found = scores("reference", "hypothesis", "links", db=loaded)
    assert {**found, "system": ""} == {**scores(*FILES), "system": ""}
    assert found["system"] == "hypothesis"
    with treesql.connect(loaded, read_only=True) as db:
        assert db.sql(
            "SELECT sum(disparity) AS n FROM path_disparities('reference', 'hypothesis', 'links')"
        ).rows() == [{"n": 6}]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("corpora", "how", "error", "what"),
    [
        (("reference", "hypothesis", "none"), {}, UnknownName, "none"),
        (
            ("reference", "phrases", "links"),
            {},
            UsageError,
            "phrases has constituency trees, and hypothesis is for dependency trees",
        ),
        (
            ("reference", "hypothesis", "reference"),
            {},
            UsageError,
            "reference has dependency trees, and alignment is for links between words",
        ),
        (
            ("reference", "links", "links"),
            {},
            UsageError,
            "links has links between words, and hypothesis is for dependency trees",
        ),
        (
            ("hypothesis", "reference", "links"),
            {},
            Incomparable,
            "loaded for reference and hypothesis; name its source",
        ),
        (("reference", "hypothesis", "links"), {"base": 1}, UsageError, "cannot be combined with db="),
        (("reference", "hypothesis", "links"), {"alignment_format": "wpt"}, UsageError, "cannot be combined with db="),
    ],
    ids=["unknown", "phrases", "trees for links", "links for trees", "exchanged", "base", "format"],
)
def test_corpora_that_do_not_fit(
    corpora: tuple[str, ...], how: dict[str, Any], error: type[Exception], what: str, loaded: str
) -> None:
    with pytest.raises(error, match=what):
        scores(*corpora, db=loaded, **how)


def test_files_of_other_contents_than_their_roles_read(tmp_path: Path) -> None:
    """In the words of corpora of a database."""
    links, trees = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "gold.conllu")
    parallel = {"kind": "parallel", "gold_b": trees, "gold_links": links, "systems": [(trees, trees, links)]}
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {**parallel, "gold_a": links},
            "and gold_a is for dependency trees; those are scored by `treesql score alignment`",
        ),
        (
            {"kind": "lattice", "systems": [trees], "reference": trees},
            "has dependency trees, and lattice is for lattices",
        ),
        (
            {"kind": "translation", "systems": [PLF], "reference": trees},
            "has lattices, and hypothesis is for words",
        ),
        (
            {"kind": "translation", "systems": [trees], "reference": links},
            "has links between words, and reference is for words",
        ),
    ]  # fmt: skip
    for given, message in cases:
        with pytest.raises((UsageError, InvalidInput), match=message):
            treesql.score(**given)


@pytest.mark.slow
def test_references_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with treesql.connect(path) as db:
        db.load(PLF, corpus="lattices", phrases=True)
        for at, name in enumerate(REFERENCES):
            db.load(name, corpus=f"reference-{at}")
    given = {"systems": ["lattices"], "db": path}
    found = row(treesql.score("lattice", **given, reference=["reference-0", "reference-1"], metric=["ger", "swcd"]))
    expected = row(lattices(REFERENCES, metric=["ger", "swcd"]))
    assert {**found, "system": ""} == {**expected, "system": ""}
    with pytest.raises(UnknownName, match="did you mean reference-1"):
        treesql.score("lattice", **given, reference=["reference-0", "reference-3"])
    with treesql.connect(path) as db, pytest.raises(UnknownName, match="did you mean reference-1"):
        db.score("graph_error", lattice_corpus="lattices", reference_corpus="reference-0", other_corpora="reference-3")


def test_a_file_that_is_missing_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"missing.txt: there is no such file"):
        lattices(["missing.txt"])


def test_references_whose_names_have_commas(tmp_path: Path) -> None:
    """The corpora of further references are a list with commas."""
    references = [written(tmp_path / name, line) for name, line in (("z,1.txt", "x"), ("y,2.txt", "a b"))]
    hypothesis = written(tmp_path / "h.txt", "a b")
    found = treesql.score("translation", systems=[hypothesis], reference=references, metric="wer")
    assert row(found)["wer"] == 0


@pytest.mark.slow
def test_several_roots_of_a_loaded_corpus(tmp_path: Path) -> None:
    (tmp_path / "roots.conllu").write_bytes(conllu("a:0:root b:0:root"))
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db, heard():
        db.load(tmp_path / "roots.conllu", corpus="c")
    given = {"gold": "c", "systems": ["c"], "db": path, "metric": "uas"}
    with heard() as told:
        treesql.score("dependency", **given)
    assert [one for one in told if "1 sentence with several roots: line 1" in one] == told
    assert len(told) == 1
    with pytest.raises(InvalidInput, match="1 sentence with several roots: line 1; give one word HEAD 0"):
        treesql.score("dependency", **given, strict=True)
