"""Systems compared by the scores of the catalogue. fixtures/: 5 sentences, 30 words, parsers counted by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treesql
from tests.conftest import conllu
from tests.house.rules import in_turn
from tests.significance.systems import PARSERS
from treesql import catalog
from treesql.errors import Incomparable, TreesqlWarning, UnknownName, UsageError
from treesql.scoring.scores import sentence_sums
from treesql.significance import compare, comparison, counted_metrics, strata

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


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
    with pytest.raises(UsageError, match="stratum='newpar': no sentence of gold has a value there"):
        examples.compare("attachment", **PARSERS, stratum="newpar")
    with pytest.raises(UnknownName, match=r"score of attachment 'laas'.*did you mean"):
        examples.compare("attachment.laas", **PARSERS)
    with pytest.raises(UsageError, match=r"write agreement\.precision or evalb\.precision"):
        examples.compare("precision", **PARSERS)
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
        counted_metrics._check_sentence_counts(catalog.query("attachment"), {"two": 2, "one": 1})


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


@in_turn(
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


@in_turn(
    ("a", "b", "difference"),
    [(0.1 + 0.2, 0.3, 0), (-0.3, -0.1 - 0.2, 0), (0, 0, 0), (0.5, 0.25, 0.25), (1e-15, 0, 1e-15), (np.nan, 1, None)],
)
def test_rounding_is_no_difference(a: float, b: float, difference: float | None) -> None:
    assert compare.difference_of(a, b) == difference


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
    sums = sentence_sums(examples.engine, ["attachment", "exact_match"], given, by=["deprel"])
    plain = examples.score("attachment", by="deprel", **given).rows()
    assert sums[0].values.shape == (5, len(plain), 8)
    assert sums[0].values.sum(axis=0)[:, 0].tolist() == [row["words"] for row in plain]
    assert sums[1].values.sum() == 0


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
