"""Systems compared by the scores of the catalogue. fixtures/: 5 sentences, 30 words, parsers counted by hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.significance.systems import PARSERS
from treesql import catalog
from treesql.errors import Incomparable, TreesqlWarning, UnknownName, UsageError
from treesql.scoring import selection
from treesql.scoring.scores import sentence_sums
from treesql.significance import compare, comparison, strata

METRICS = [query.name for query in catalog.all_queries().values() if query.kind == "metric"]
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
        {"reference_corpus": "references", "other_corpora": "references-2"},
        {name: {"lattice_corpus": name} for name in ("lattices", "decoded")},
    ),
    "translation": (
        {"reference_corpus": "references"},
        {name: {"hypothesis_corpus": name} for name in ("hypotheses", "references-2")},
    ),
}
"""By family, what of the examples is compared with what, as values of parameters."""

STANDARDS: dict[str, dict[str, str]] = {
    "dependency": {"system_corpus": "gold"},
    "constituency": {"system_corpus": "gold parses"},
    "alignment": {"system_corpus": "links"},
    "parallel": {"system_a_corpus": "gold", "system_b_corpus": "gold", "system_links_corpus": "links"},
    "paths": {"hypothesis_corpus": "reference", "alignment_corpus": "every word with itself"},
    "lattice": {"lattice_corpus": "references as lattices"},
    "translation": {"hypothesis_corpus": "references"},
}
"""By family, what systems are compared with, as a system."""

FEW = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
pytestmark = FEW


def sentences(name: str) -> list[str]:
    return (FIXTURES / f"{name}.conllu").read_text().strip().split("\n\n")


def values(name: str, **given: object) -> dict[str, object]:
    return {p.name: given[p.name] for p in catalog.query(name).parameters if p.name in given}


@pytest.fixture(scope="module")
def comparable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """The examples, the best paths of the lattices as lattices, and an alignment that lacks half of the links."""
    folder = tmp_path_factory.mktemp("comparable")
    (folder / "decoded.plf").write_text(
        "((('the',1),),(('cat',1),),(('sat',1),),)\n((('it',1),),(('was',1),),(('red',1),),)\n((('I',1),),(('know',1),),)\n"
    )
    links = (FIXTURES / "reference-hypothesis.align").read_text().splitlines()
    (folder / "fewer.align").write_text("".join(f"{' '.join(line.split()[::2])}\n" for line in links))
    texts = (FIXTURES / "lattices.txt").read_text().splitlines()
    (folder / "references.plf").write_text("".join(f"((('{text}',1),),)\n" for text in texts))
    lengths = [sum(line[:1].isdigit() for line in one.splitlines()) for one in sentences("reference")]
    (folder / "same.align").write_text("".join(f"{' '.join(f'{i}-{i}' for i in range(n))}\n" for n in lengths))
    with treesql.connect() as db:
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


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_compared_and_has_intervals(metric: str, comparable: treesql.Database) -> None:
    """Present and future ones: nothing here names any, but for the corpora of its family."""
    query = catalog.query(metric)
    declared = {parameter.name for parameter in query.parameters}
    shared, systems = SYSTEMS[query.family]
    gold = {name: corpus for name, corpus in shared.items() if name in declared}
    own = {name: {p: corpus for p, corpus in one.items() if p in declared} for name, one in systems.items()}
    if not any(own.values()):
        pytest.skip("it takes no system")
    found = comparable.compare(metric, systems=own, runs=200, **gold)
    assert {row["metric"] for row in found.rows()} == {score.name for score in query.ratios}
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
    for score in query.ratios:
        low, value, high = (b[f"{score.name}{end}"] for end in ("_low", "", "_high"))
        assert (low is None) == (value is None) == (high is None)
        assert value is None or low <= value <= high


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_no_system_is_better_than_what_it_is_compared_with(metric: str, comparable: treesql.Database) -> None:
    """So that every score says rightly whether higher or lower is better."""
    query = catalog.query(metric)
    shared, systems = SYSTEMS[query.family]
    shared = {name: corpus for name, corpus in shared.items() if name != "other_corpora"}
    [best] = comparable.score(metric, **values(metric, **shared, **STANDARDS[query.family])).rows()
    for system in systems.values():
        if system == STANDARDS[query.family]:
            continue
        [row] = comparable.score(metric, **values(metric, **shared, **system)).rows()
        for score in query.ratios:
            ours, theirs = best[score.name], row[score.name]
            if ours is None or theirs is None or score.direction == "neither":
                continue
            if score.direction == "lower":
                assert ours < theirs or ours == 0 <= theirs, score.name
            else:
                assert ours > theirs or ours == 1 >= theirs, score.name


def test_by_hand(examples: treesql.Database) -> None:
    """Of 30 words parser-a has 24 right with their relations, parser-b 27; all exchanges are tried."""
    sums = {}
    for corpus in ("parser-a", "parser-b"):
        [one] = sentence_sums(examples.engine, ["attachment"], {"gold_corpus": "gold", "system_corpus": corpus})
        sums[corpus] = one.values[:, 0, -1].tolist()
    differences = [x - y for x, y in zip(sums["parser-a"], sums["parser-b"], strict=True)]
    assert sum(differences) == 24 - 27
    signed = [0]
    for one in differences:
        signed = [sum_ + one for sum_ in signed] + [sum_ - one for sum_ in signed]
    expected = sum(abs(one) >= 3 for one in signed) / len(signed)
    [row] = examples.compare("attachment.las", **PARSERS).rows()
    assert row["p"] == expected
    assert (row["score_a"], row["score_b"], row["test"]) == (24 / 30, 27 / 30, "exact shuffling")
    assert (row["sentences"], row["strata"], row["runs"], row["seed"]) == (5, 5, 10_000, 12345)


def test_columns_that_scripts_rely_on(examples: treesql.Database) -> None:
    columns = "metric, system_a, system_b, score_a, score_b, difference, p, p_corrected, test"
    assert examples.compare("attachment", **PARSERS).columns[:9] == columns.split(", ")


def test_three_systems_are_corrected_for(examples: treesql.Database) -> None:
    found = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], gold_corpus="gold")
    p = [row["p"] for row in found.rows()]
    corrected = sorted(zip(p, (row["p_corrected"] for row in found.rows()), strict=True))
    assert corrected[0][1] == min(3 * corrected[0][0], 1)
    plain = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], gold_corpus="gold",
                             correction="none")  # fmt: skip
    assert [row["p_corrected"] for row in plain.rows()] == p
    assert [table.columns[0] for table in found.tables()] == ["system", "las ↑"]
    assert any("Holm" in line for line in found.words())
    assert any("not corrected" in line for line in plain.words())


def test_unknown_names(examples: treesql.Database) -> None:
    with pytest.raises(UnknownName, match="column of sentences 'document'"):
        examples.compare("attachment", **PARSERS, stratum="document")
    with pytest.raises(UsageError, match="--stratum newpar: no sentence of gold has a value there"):
        examples.compare("attachment", **PARSERS, stratum="newpar")
    with pytest.raises(UnknownName, match=r"score of attachment 'laas'.*did you mean"):
        examples.compare("attachment.laas", **PARSERS)
    with pytest.raises(UsageError, match=r"attachment\.las"):
        examples.compare("las", **PARSERS)
    with pytest.raises(UnknownName, match="metric or score"):
        examples.compare("lasso", **PARSERS)
    with pytest.raises(UsageError, match="two systems"):
        examples.compare("attachment", systems=["parser-a"], gold_corpus="gold")
    with pytest.raises(UsageError, match="at least one metric"):
        examples.compare(**PARSERS)
    with pytest.raises(UnknownName, match="corpus 'nobody'"):
        examples.compare("attachment", systems=["parser-a", "nobody"], gold_corpus="gold")


def test_counts_that_cannot_be_compared(examples: treesql.Database, db: treesql.Database, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing can be compared: uas has no value for parser-a, parser-b"):
        examples.compare("attachment.uas", **PARSERS, where="words = 0")
    with pytest.raises(UsageError, match="one and the same gold_corpus"):
        examples.compare("attachment", systems={
            "a": {"gold_corpus": "gold", "system_corpus": "parser-a"},
            "b": {"gold_corpus": "parser-b", "system_corpus": "parser-a"},
        })  # fmt: skip
    for corpus, words in (("gold", "a:0:root b:1:x"), ("one", "a:0:root b:1:x"), ("two", "a:0:root c:1:x")):
        (tmp_path / f"{corpus}.conllu").write_bytes(conllu(words))
        db.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    with pytest.raises(Incomparable):
        db.compare("attachment", systems=["one", "two"], gold_corpus="gold")


def test_systems_may_stand_first_and_have_numbers_of_their_own(
    examples: treesql.Database, db: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A metric whose first corpus is the system's, as of lattices."""
    swapped = {name: {"gold_corpus": name, "system_corpus": "gold"} for name in ("parser-a", "parser-b")}
    monkeypatch.setattr(strata, "STANDARDS", ("reference",))
    [row] = examples.compare("attachment.las", systems=swapped).rows()
    assert (row["score_a"], row["score_b"], row["sentences"]) == (24 / 30, 27 / 30, 5)
    for corpus, sentences in (("one", ["a:0:root"]), ("two", ["a:0:root"] * 2)):
        (tmp_path / f"{corpus}.conllu").write_bytes(conllu(*sentences))
        db.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    given = {
        "one": {"gold_corpus": "one", "system_corpus": "one"},
        "two": {"gold_corpus": "two", "system_corpus": "two"},
    }
    with pytest.raises(UsageError, match="one and the same gold_corpus"):
        db.compare("attachment", systems=given)
    with pytest.raises(UsageError, match="numbers differ: two 2, one 1"):
        compare._check_sentence_counts(catalog.query("attachment"), {"two": 2, "one": 1})


def test_a_score_without_a_value_is_left_out(examples: treesql.Database) -> None:
    where = "gold_deprel = 'det' AND system_deprel = 'det'"
    with pytest.warns(TreesqlWarning, match="function_precision|content_precision"):
        found = examples.compare("relation_class_scores", **PARSERS, where=where)
    by_score = {row["metric"]: row for row in found.rows()}
    assert by_score["content_precision"]["p"] is None
    assert by_score["function_recall"]["p"] == 1
    assert any("cannot be compared" in line for line in found.words())
    [how] = [line for line in found.words() if line.startswith("p of ")]
    assert "content_precision" not in how
    assert "function_recall" in how
    assert "p is not corrected for 4 scores; name the one that decides before you compare." in found.words()
    assert found.tables()[1].rows()[0]["95% interval"] == "-"


@pytest.mark.parametrize(
    ("direction", "difference", "said"),
    [
        ("higher", 0.01, "m: a scores better than b by 1.00 points (95% interval 0.50 to 1.50, p = 0.0400): more than"),
        ("higher", -0.01, "m: b scores better than a by 1.00 points (95% interval 0.50 to 1.50, p"),
        ("lower", 0.01, "m: b scores better than a by 1.00 points (lower is better; 95% interval 0.50 to 1.50, p"),
        ("lower", -0.01, "m: a scores better than b by 1.00 points (lower is better; 95% interval 0.50 to 1.50, p"),
        ("higher", 0.00004, "m: a scores better than b by less than 0.01 points (95% interval 0.00 to 0.01, p"),
        ("neither", -0.01, "m: b is 1.00 points above a (95% interval 0.50 to 1.50, p"),
    ],
)
def test_words_say_which_is_better(direction: str, difference: float, said: str) -> None:
    ends = sorted((difference / 2, difference * 3 / 2))
    row = {"metric": "m", "system_a": "a", "system_b": "b", "p_corrected": 0.04, "direction": direction}
    row |= {"difference": difference, "difference_low": ends[0], "difference_high": ends[1]}
    [told] = comparison._conclusions([row], percent=True)
    assert told.startswith(said)


@pytest.mark.parametrize(
    ("a", "b", "difference"),
    [(0.1 + 0.2, 0.3, 0), (-0.3, -0.1 - 0.2, 0), (0, 0, 0), (0.5, 0.25, 0.25), (1e-15, 0, 1e-15), (np.nan, 1, None)],
)
def test_rounding_is_no_difference(a: float, b: float, difference: float | None) -> None:
    assert compare._difference(a, b) == difference


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


def test_the_least_p_of_ten_thousand_runs() -> None:
    """Numbers that four digits can show are shown."""
    assert [comparison._p(p) for p in (1 / 10_001, 0.00004, 0.05, None)] == ["0.0001†", "<0.0001†", "0.0500", "-"]


def test_few_sentences_are_warned_of(examples: treesql.Database) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        examples.compare("attachment.las", **PARSERS)
    told = " ".join(str(one.message) for one in caught)
    assert "only 5 sentences, so that" in told
    assert "differ in 2 of 5 sentences, and no p below 0.5 is possible" in told


def test_signatures_say_how(examples: treesql.Database) -> None:
    found = examples.compare("attachment.las", **PARSERS, seed=7, runs=50)
    text = found.signatures["las:parser-a:parser-b"]
    for part in (
        "gold:gold.conllu@",
        "system:parser-a.conllu@",
        "system:parser-b.conllu@",
        "test:exact shuffling",
        "runs:50",
        "seed:7",
    ):
        assert part in text
    assert "bootstrap:10000|seed:12345|q:" in examples.score("attachment", ci=True, gold_corpus="gold",
                                                             system_corpus="parser-a").signature  # fmt: skip


def test_intervals_of_groups(examples: treesql.Database) -> None:
    given: dict[str, Any] = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    plain = examples.score("attachment", "exact_match", by="upos", **given).rows()
    found = examples.score("attachment", "exact_match", by="upos", ci=True, **given).rows()
    assert [{name: row[name] for name in plain[0]} for row in found] == plain
    by = {row["upos"]: row for row in found}
    assert (by["PUNCT"]["las_low"], by["PUNCT"]["las_high"]) == (1, 1)
    assert by["NOUN"]["las_low"] < by["NOUN"]["las"] < by["NOUN"]["las_high"]
    assert by["NOUN"]["exact_match_low"] is None
    [alone] = examples.score("attachment", where="upos = 'NOUN'", ci=True, **given).rows()
    assert (alone["las_low"], alone["las_high"]) == (by["NOUN"]["las_low"], by["NOUN"]["las_high"])
    with pytest.raises(UsageError, match="leaves nothing to resample"):
        examples.score("attachment", by="sentence", ci=True, **given)


def test_sums_are_those_of_the_scores(examples: treesql.Database) -> None:
    given = {"gold_corpus": "gold", "system_corpus": "parser-b"}
    sums = sentence_sums(examples.engine, ["attachment", "exact_match"], given, by="deprel")
    plain = examples.score("attachment", by="deprel", **given).rows()
    assert sums[0].values.shape == (5, len(plain), 4)
    assert sums[0].values.sum(axis=0)[:, 0].tolist() == [row["words"] for row in plain]
    assert sums[1].values.sum() == 0


def test_choose() -> None:
    def names(*wanted: str) -> list[tuple[str, list[str]]]:
        chosen = selection.select_scores(["attachment", "exact_match"], wanted)
        return [(query.name, [score.name for score in scores]) for query, scores in chosen]

    assert names() == [("attachment", ["uas", "las", "la"])]
    assert names("exact_match", "la", "uas") == [
        ("exact_match", ["exact_match", "exact_match_unlabelled"]), ("attachment", ["uas", "la"]),
    ]  # fmt: skip
    assert names("aligned_attachment.las") == [("aligned_attachment", ["las"])]


def test_links_behind_the_last_gold_sentence_are_counted(tmp_path: Path) -> None:
    """Where the gold file is WPT's, whose last sentences may have no link, and be in no line."""
    for name, lines in (("gold", "1 1 1\n1 2 2 P\n"), ("a", "1 1 1\n2 1 1\n3 2 2\n"), ("b", "1 2 2\n")):
        (tmp_path / f"{name}.wpt").write_text(lines)
    with treesql.connect() as db:
        for name in ("gold", "a", "b"):
            db.load(tmp_path / f"{name}.wpt", corpus=name)
        [row] = db.compare("agreement.precision", gold_corpus="gold", systems=["a", "b"], runs=200).rows()
        [beside] = db.score("agreement", gold_corpus="gold", system_corpus="a", ci=True).rows()
    assert (row["score_a"], row["score_b"], row["sentences"], row["strata"]) == (1 / 3, 1, 3, 3)
    assert row["p"] == 4 / 8  # apart by 2/3 where one has both links of sentences 2 and 3, by 0 where each has one
    assert (beside["proposed"], beside["precision_low"], beside["precision_high"]) == (3, 0, 1)


def test_links_behind_the_last_gold_sentence_are_counted_by_sentence(tmp_path: Path) -> None:
    """Systems have links of sentences 2 and 3 there, each of another."""
    for name, lines in (("gold", "1 1 1\n1 2 2 P\n"), ("a", "1 1 1\n2 1 1\n"), ("b", "1 1 1\n3 2 2\n")):
        (tmp_path / f"{name}.wpt").write_text(lines)
    with treesql.connect() as db:
        for name in ("gold", "a", "b"):
            db.load(tmp_path / f"{name}.wpt", corpus=name)
        [row] = db.compare("agreement.precision", gold_corpus="gold", systems=["a", "b"], runs=200).rows()
    assert (row["score_a"], row["score_b"], row["sentences"], row["strata"]) == (1 / 2, 1 / 2, 3, 3)
    assert min(row["wins_a"], row["wins_b"]) > 0  # where one of them is drawn, and the other is not


def test_scores_of_one_name_are_compared_by_one_metric_at_a_time(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match="attachment and aligned_attachment both have a score las; name one"):
        examples.compare("attachment.las", "aligned_attachment.las", **PARSERS)
