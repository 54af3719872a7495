"""McNemar's test: by hand, of items, and where it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from tests.significance.systems import PARSERS
from treesql.errors import TreesqlWarning, UsageError
from treesql.significance import mcnemar
from treesql.significance.mcnemar import mcnemar_p

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")  # few sentences


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid", "chi2"),
    [
        (0, 0, 1, 1, 1),
        (1, 0, 1, 0.5, 1),
        (5, 0, 2 / 32, 1 / 32, 0.0736382701203),  # (5-1)**2 / 5 = 3.2
        (3, 3, 1, 1 - 20 / 64 / 2, 1),
        (2, 6, 2 * (1 + 8 + 28) / 256, (2 * 37 - 28) / 256, 0.2888443663465),  # 9/8
    ],
)
def test_mcnemar_by_hand(b: int, c: int, exact: float, mid: float, chi2: float) -> None:
    for one, other in ((b, c), (c, b)):
        assert mcnemar.mcnemar_p(one, other) == pytest.approx(exact)
        assert mcnemar.mcnemar_p(one, other, "mid-p") == pytest.approx(mid)
        assert mcnemar.mcnemar_p(one, other, "chi2") == pytest.approx(chi2)


def test_mcnemar_counts_words(examples: treesql.Database) -> None:
    """b + c words are right in one parser's output alone; p is of the binomial distribution."""
    sql = """SELECT count(*) FILTER (a.correct_head > b.correct_head) AS b,
                    count(*) FILTER (a.correct_head < b.correct_head) AS c
             FROM attachment('gold', 'parser-a') AS a JOIN attachment('gold', 'parser-b') AS b
             ON a.sentence = b.sentence AND a.word = b.word"""
    [counted] = examples.sql(sql).rows()
    with pytest.warns(TreesqlWarning, match="independent"):
        [row] = examples.compare("attachment.uas", **PARSERS, test="mcnemar").rows()
    assert row["p"] == mcnemar_p(counted["b"], counted["c"])
    [row] = examples.compare("exact_match.exact_match", **PARSERS, test="mcnemar-mid-p").rows()
    assert row["test"] == "McNemar mid-p"


def test_mcnemar_refuses_what_is_no_share_of_items(examples: treesql.Database) -> None:
    with pytest.raises(UsageError, match="shares of items that are right or wrong, and wlas"):
        examples.compare("weighted_attachment.wlas", **PARSERS, test="mcnemar")


def test_mcnemar_refuses_other_items(db: treesql.Database, tmp_path: Path) -> None:
    for corpus, words in (("gold", "ab:0:root c:1:x"), ("one", "ab:0:root c:1:x"), ("two", "a:0:root b:1:x c:1:x")):
        (tmp_path / f"{corpus}.conllu").write_bytes(conllu(words))
        db.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    with pytest.raises(UsageError, match="same items for both systems, and of attachment"):
        db.compare("attachment.las", systems=["one", "two"], gold_corpus="gold", test="mcnemar")
    [row] = db.compare("attachment.las", systems=["one", "two"], gold_corpus="gold").rows()
    assert row["score_a"] == 1
