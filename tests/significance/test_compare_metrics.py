"""Every metric of the catalogue is compared, and says which of its scores are better."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql import catalog
from treesql.catalog import kinds
from treesql.catalog.header import Score

METRICS = [query.name for query in catalog.all_queries().values() if query.kind == "metric"]
OF_SCORED_EDGES = "decoder_search"
"""The metric that has a value only where edges have scores, which those of the corpus `decoded` have not."""

SYSTEMS: dict[str, tuple[dict[str, str], dict[str, dict[str, str]]]] = {
    "dependency": ({"gold_corpus": "gold"}, {name: {"system_corpus": name} for name in ("parser-a", "parser-b")}),
    "constituency": (
        {"gold_corpus": "gold parses"},
        {name: {"system_corpus": name} for name in ("gold parses", "test parses")},
    ),
    "alignment": ({"gold_corpus": "links"}, {name: {"system_corpus": name} for name in ("links", "links-a")}),
    "parallel": (
        {"gold_a_corpus": "gold", "gold_b_corpus": "gold", "gold_links_corpus": "links"},
        {
            name: {"system_a_corpus": "parser-a", "system_b_corpus": name, "system_links_corpus": "links-a"}
            for name in ("parser-a", "parser-b")
        },
    ),
    "paths": (
        {"reference_corpus": "reference"},
        {
            name: {"hypothesis_corpus": "hypothesis", "alignment_corpus": name}
            for name in ("reference-hypothesis", "fewer links")
        },
    ),
    "lattice": (
        {"reference_corpus": "references", "other_corpora": "references-2", "hypothesis_corpus": "hypotheses"},
        {name: {"lattice_corpus": name} for name in ("lattices", "decoded")},
    ),
    "translation": (
        {"reference_corpus": "references"},
        {name: {"hypothesis_corpus": name} for name in ("hypotheses", "references-2")},
    ),
}
SYSTEMS["trees"] = SYSTEMS["paths"]
SYSTEMS["discontinuous_brackets"] = (
    {"gold_corpus": "gold with gaps"},
    {name: {"system_corpus": name} for name in ("gold with gaps", "test with gaps")},
)
"""By family, or by metric where its family differs, what is compared with what, as values of parameters."""

STANDARDS: dict[str, dict[str, str]] = {
    "dependency": {"system_corpus": "gold"},
    "constituency": {"system_corpus": "gold parses"},
    "alignment": {"system_corpus": "links"},
    "parallel": {"system_a_corpus": "gold", "system_b_corpus": "gold", "system_links_corpus": "links"},
    "paths": {"hypothesis_corpus": "reference", "alignment_corpus": "every word with itself"},
    "lattice": {"lattice_corpus": "references as lattices"},
    "translation": {"hypothesis_corpus": "references"},
}
STANDARDS["trees"] = STANDARDS["paths"]
STANDARDS["discontinuous_brackets"] = {"system_corpus": "gold with gaps"}
"""By family or metric, what systems are compared with, as a system."""


def shown_ratios(query: catalog.Query) -> list[Score]:
    """The scores of a metric that are shown where words do not differ, as here."""
    hidden = kinds.kind_of_metric(query).of_other_words if query.family in kinds.names() else ()
    return [score for score in query.ratios if score.name not in hidden]


def compared_as(query: catalog.Query) -> str:
    """The metric or the family that says what is compared."""
    return query.name if query.name in SYSTEMS else query.family


pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


def sentences(name: str) -> list[str]:
    return (FIXTURES / f"{name}.conllu").read_text().strip().split("\n\n")


def values(name: str, **given: object) -> dict[str, object]:
    return {p.name: given[p.name] for p in catalog.query(name).parameters if p.name in given}


@pytest.fixture(scope="module")
def comparable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """The examples, the best paths of the lattices as lattices, and an alignment that lacks half of the links."""
    folder = tmp_path_factory.mktemp("comparable")
    (folder / "decoded.plf").write_text(
        "((('the',0,1),),(('cat',0,1),),(('sat',0,1),),)\n((('it',0,1),),(('was',0,1),),(('red',0,1),),)\n"
        "((('I',0,1),),(('know',0,1),),)\n"
    )
    links = (FIXTURES / "reference-hypothesis.align").read_text().splitlines()
    (folder / "fewer.align").write_text("".join(f"{' '.join(line.split()[::2])}\n" for line in links))
    texts = (FIXTURES / "lattices.txt").read_text().splitlines()
    (folder / "references.plf").write_text("".join(f"((('{text}',0,1),),)\n" for text in texts))
    lengths = [sum(line[:1].isdigit() for line in one.splitlines()) for one in sentences("reference")]
    (folder / "same.align").write_text("".join(f"{' '.join(f'{i}-{i}' for i in range(n))}\n" for n in lengths))
    with treesql.connect() as db:
        for side, gap in (("gold", "(S (X 0=a 2=c) 1=b 3=d)"), ("test", "(S (X 0=a 2=c 3=d) 1=b)")):
            crossing = "(S (X 0=a (Y 1=b 3=d)) 2=c)"
            (folder / f"{side}.discbracket").write_text(f"{crossing}\n{gap}\n{crossing}\n")
            db.load(folder / f"{side}.discbracket", corpus=f"{side} with gaps")
        db.load(folder / "references.plf", corpus="references as lattices", phrases=True)
        db.load(folder / "same.align", corpus="every word with itself")
        for corpus in ("gold", "parser-a", "parser-b", "reference", "hypothesis"):
            db.load(FIXTURES / f"{corpus}.conllu", corpus=corpus)
        for side in ("gold", "test"):
            db.load(FIXTURES / f"{side}.mrg", corpus=f"{side} parses")
        for corpus in ("links", "links-a"):
            db.load(FIXTURES / f"{corpus}.pharaoh", corpus=corpus)
        db.load(FIXTURES / "reference-hypothesis.align", corpus="reference-hypothesis")
        db.load(folder / "fewer.align", corpus="fewer links")
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(folder / "decoded.plf", corpus="decoded")
        for corpus, name in (("references", "lattices"), ("references-2", "lattices-2"), ("hypotheses", "hypotheses")):
            db.load(FIXTURES / f"{name}.txt", corpus=corpus)
        yield db


@pytest.mark.spread(12)
@pytest.mark.slow
@pytest.mark.parametrize("metric", [name for name in METRICS if name != OF_SCORED_EDGES])
def test_every_metric_can_be_compared_and_has_intervals(metric: str, comparable: treesql.Database) -> None:
    """Present and future ones: nothing here names any, but for the corpora of its family."""
    query = catalog.query(metric)
    declared = {parameter.name for parameter in query.parameters}
    shared, systems = SYSTEMS[compared_as(query)]
    gold = {name: corpus for name, corpus in shared.items() if name in declared}
    own = {name: {p: corpus for p, corpus in one.items() if p in declared} for name, one in systems.items()}
    if not any(own.values()):
        pytest.skip("it takes no system")
    found = comparable.compare(metric, systems=own, runs=200, **gold)
    shown = {row["metric"] for row in found.rows()}
    assert shown == {score.name for score in shown_ratios(query)}
    [a], [b] = (comparable.score(metric, **gold, **one, ci=at > 0).rows() for at, one in enumerate(own.values()))
    for row in found.rows():
        of_a, of_b = a[row["metric"]], b[row["metric"]]
        if of_a is None or of_b is None:
            assert (row["score_a"] is None, row["score_b"] is None, row["p"]) == (of_a is None, of_b is None, None)
            continue
        assert (row["score_a"], row["score_b"]) == pytest.approx((of_a, of_b), rel=1e-14)
        assert row["difference"] == row["score_a"] - row["score_b"]
        assert 0 < row["p"] == row["p_corrected"] <= 1
        assert 0 < row["wins_a"] + row["ties"] + row["wins_b"] <= 200
    for score in shown_ratios(query):
        low, value, high = (b[f"{score.name}{end}"] for end in ("_low", "", "_high"))
        assert (low is None) == (value is None) == (high is None)
        assert value is None or low <= value <= high


@pytest.mark.spread(8)
@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_no_system_is_better_than_what_it_is_compared_with(metric: str, comparable: treesql.Database) -> None:
    """So that every score says rightly whether higher or lower is better."""
    query = catalog.query(metric)
    shared, systems = SYSTEMS[compared_as(query)]
    shared = {name: corpus for name, corpus in shared.items() if name != "other_corpora"}
    [best] = comparable.score(metric, **values(metric, **shared, **STANDARDS[compared_as(query)])).rows()
    for system in systems.values():
        if system == STANDARDS[compared_as(query)]:
            continue
        [row] = comparable.score(metric, **values(metric, **shared, **system)).rows()
        for score in shown_ratios(query):
            ours, theirs = best[score.name], row[score.name]
            if ours is None or theirs is None or score.direction == "neither":
                continue
            if score.direction == "lower":
                assert ours < theirs or ours == 0 <= theirs, score.name
            else:
                assert ours > theirs or ours == 1 >= theirs, score.name


def test_fewer_errors_win(comparable: treesql.Database) -> None:
    """`links` is the gold alignment, which no resample of another one beats; of sizes the greater one wins."""
    found = comparable.compare("agreement", systems=["links", "links-a"], gold_corpus="links", runs=100)
    for row in found.rows():
        assert (row["wins_a"], row["wins_b"]) == (100, 0)
        assert row["direction"] == ("lower" if row["metric"] == "aer" else "higher")
        assert (row["difference"] > 0) == (row["metric"] != "aer")
    assert {"aer ↓", "recall ↑"} < set(found.tables()[0].columns)
    assert any("↑ higher is better. ↓ lower is better." in line for line in found.words())
    assert found.words()[-1] == "Differences in tables: links minus links-a."
    systems = {name: {"lattice_corpus": name} for name in ("decoded", "lattices")}
    found = comparable.compare("lattice_size.density", systems=systems, runs=100)
    assert found.tables()[0].columns == ["system", "density"]
    [row] = found.rows()
    assert (row["direction"], row["wins_a"]) == ("neither", 0)
    assert " above decoded " in found.words()[0]
    assert "is better" not in " ".join(found.words())
