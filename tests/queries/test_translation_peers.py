"""Metrics of translations: equal to those of sacrebleu 2.6 and jiwer 4.0 on hard texts, and by hand."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.evaluation.lines import row, written
from tests.house.rules import in_turn
from treesql import catalog

pytestmark = pytest.mark.filterwarnings("ignore:.*empty reference beside others:treesql.TreesqlWarning")

HYPOTHESES = [
    "", "  two  blanks ", "tab\there", "no\u00a0break space", "ΟΔΟΣ ΣΟΦΟΣ İstanbul",
    "&quot;x&amp;lt; <skipped> 3.5, 4,5 it's", "漢字 かな、テスト。12", "(hi) !a! ... -- 5-6",
    "🎉 👨\u200d👩 e\u0301 é",
    "x", "a b c d e f g a b c d", "the same line", "\u2028line\u3000sep", " .5 first", "'s's 's", "1\U0001cc00 \u1b4e",
]  # fmt: skip
FIRST = [
    "", "two blanks", "tab here", "no break space", "οδος σοφος istanbul", '"x&lt; 3.5 , 4,5 its',
    "漢字かな テスト 12。",
    "(hi ) ! a ! … - 5 - 6", "🎉 👨 é e\u0301", "", "g a b c d a b c d e f", "the same line", "line sep", ".5 first",
    "'s", "1 \U0001cc00 \u1b4e",
]  # fmt: skip
SECOND = [
    "x", "two  blanks", " tab  there", "no\u00a0break", "οδοσ", "x", "字 漢 か な", "hi", "🎉", "y",
    "d c b a g f e d c b a",
    "The same line", "line\u2028sep", "5", "", "\u1b4e",
]  # fmt: skip
YES = {True: "yes", False: "no"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("texts")
    return [written(folder / name, *lines) for name, lines in [("h", HYPOTHESES), ("a", FIRST), ("b", SECOND)]]


def of_sacrebleu(metric: str, **options: Any) -> Any:
    """A metric of sacrebleu, which is imported for the tests that run, not for those that are collected."""
    return getattr(importlib.import_module("sacrebleu.metrics"), metric)(**options)


Score = Callable[..., Any]
"""A score of a text against the first of its references, times 100, or with `by` those of each group."""


@pytest.fixture(scope="module")
def score() -> Iterator[Score]:
    """Files are loaded once."""
    with treesql.connect() as db:

        @cache
        def load(path: str) -> str:
            return db.load(path, corpus=f"c{load.cache_info().misses}", format="text")[0].corpus

        def call(files: list[str], name: str, n_references: int, by: str | None = None, **options: Any) -> Any:
            hypothesis, reference, *others = map(load, files[: n_references + 1])
            corpora = {
                "hypothesis_corpus": hypothesis,
                "reference_corpus": reference,
                "other_corpora": ",".join(others),
            }
            found = [float(100 * one[name]) for one in db.score(metric_of(name), by=by, **corpora, **options).rows()]
            return found if by else found[0]

        yield call


def metric_of(name: str) -> str:
    [found] = [one.name for one in catalog.all_queries().values() if name in {score.name for score in one.scores}]
    return found


@pytest.mark.spread(6)
@pytest.mark.parametrize("tokenize", ["none", "13a", "intl", "zh", "char"])
@pytest.mark.parametrize("n_references", [1, 2])
def test_bleu_is_that_of_sacrebleu(score: Score, files: list[str], tokenize: str, n_references: int) -> None:
    peer = of_sacrebleu("BLEU", tokenize=tokenize, force=True)
    wanted = peer.corpus_score(HYPOTHESES, [FIRST, SECOND][:n_references]).score
    assert score(files, "bleu", n_references, tokenize=tokenize) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("smooth", "value"), [("none", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 2.5)]
)
def test_smoothing_is_that_of_sacrebleu(score: Score, tmp_path: Path, smooth: str, value: float | None) -> None:
    """Of a corpus, and of sentences, over the orders that they have."""
    hypotheses, references = ["a b c d", "a b", "x a"], ["a b x d", "a b c", "a y"]
    paths = [written(tmp_path / "h", *hypotheses), written(tmp_path / "r", *references)]
    options: dict[str, Any] = {"smooth": smooth} | ({} if value is None else {"smooth_value": value})
    wanted = (
        of_sacrebleu("BLEU", tokenize="none", smooth_method=smooth, smooth_value=value)
        .corpus_score(hypotheses, [references])
        .score
    )
    assert score(paths, "bleu", 1, **options) == pytest.approx(wanted, rel=1e-12, abs=1e-9)
    found = score(paths, "bleu_effective", 1, by="sentence", **options)
    peer = of_sacrebleu("BLEU", tokenize="none", smooth_method=smooth, smooth_value=value, effective_order=True)
    each = [peer.sentence_score(one, [other]).score for one, other in zip(hypotheses, references, strict=True)]
    assert found == pytest.approx(each, rel=1e-12, abs=1e-9)


@pytest.mark.spread(8)
@pytest.mark.parametrize(
    "options",
    [
        {}, {"word_order": 2}, {"char_order": 4, "beta": 3}, {"char_order": 8, "word_order": 4}, {"whitespace": True},
        {"lowercase": True}, {"eps_smoothing": True}, {"eps_smoothing": True, "word_order": 1},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("n_references", [1, 2])
def test_chrf_is_that_of_sacrebleu(score: Score, files: list[str], options: dict[str, Any], n_references: int) -> None:
    wanted = of_sacrebleu("CHRF", **options).corpus_score(HYPOTHESES, [FIRST, SECOND][:n_references]).score
    own = {name: YES[value] if isinstance(value, bool) else value for name, value in options.items()}
    assert score(files, "chrf", n_references, **own) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("n_references", [1, 2])
def test_chrf_with_words_is_that_of_sacrebleu(score: Score, files: list[str], n_references: int) -> None:
    wanted = of_sacrebleu("CHRF", word_order=2).corpus_score(HYPOTHESES, [FIRST, SECOND][:n_references]).score
    assert score(files, "chrf_pp", n_references) == pytest.approx(wanted, rel=1e-12)


@in_turn(
    ("options", "n_references"),
    [
        ((), 1),
        ((), 2),
        (("case_sensitive",), 2),
        (("normalized",), 1),
        (("no_punct",), 2),
        (("normalized", "no_punct", "asian_support"), 2),
    ],
)
def test_ter_is_that_of_sacrebleu(score: Score, files: list[str], options: tuple[str, ...], n_references: int) -> None:
    wanted = (
        of_sacrebleu("TER", **dict.fromkeys(options, True))
        .corpus_score(HYPOTHESES, [FIRST, SECOND][:n_references])
        .score
    )
    assert score(files, "ter", n_references, **dict.fromkeys(options, "yes")) == pytest.approx(wanted, rel=1e-12)


def test_error_rates_are_those_of_jiwer(score: Score, tmp_path: Path) -> None:
    """Where words stand between single blanks, and one alignment alone has fewest edits."""
    import jiwer

    hypotheses, references = (
        ["the cat sits", "é 漢 x", "a b c d", "", "extra word"],
        ["the cat sat", "e 漢", "a c d", "x", "word"],
    )
    paths = [written(tmp_path / "h", *hypotheses), written(tmp_path / "r", *references)]
    words = jiwer.process_words(references, hypotheses)
    for name, wanted in [
        ("wer", words.wer),
        ("mer", words.mer),
        ("wil", words.wil),
        ("cer", jiwer.cer(references, hypotheses)),
    ]:
        assert score(paths, name, 1) == pytest.approx(100 * wanted), name
    assert score(paths, "ser", 1) == 100


def test_empty_texts(tmp_path: Path) -> None:
    metrics = ["ter", "chrf", "cer", "ser"]
    expected = {
        ("", ""): [0, 0, None, 0],
        ("a", ""): [1, 0, None, 1],
        ("", "a"): [1, 0, 1, 1],
        ("a b",) * 2: [0, 1, 0, 0],
    }
    hypotheses, references = zip(*expected, strict=True)
    paths = [written(tmp_path / "h", *hypotheses), written(tmp_path / "r", *references)]
    given = {"systems": paths[:1], "reference": paths[1], "metric": metrics}
    for found, texts in zip(treesql.score("translation", **given, by="sentence").rows(), expected, strict=True):
        assert [found[name] for name in metrics] == pytest.approx(expected[texts]), texts
    paths = [written(tmp_path / "h", ""), written(tmp_path / "r", "")]
    found = row(treesql.score("translation", **given))
    assert [found[name] for name in metrics] == expected["", ""]


def test_the_first_of_the_nearest_references_counts(score: Score, tmp_path: Path) -> None:
    """`ab` and `a b` are one letter and one word away from both references, of which the first is that of the rate."""
    same = [written(tmp_path / name, line) for name, line in (("h", "a b"), ("r", "a"), ("s", "a b"))]
    assert [score(same, "ser", n) for n in (1, 2)] == [100, 0]
    for metric, texts in {"cer": ("ab", "abc", "b"), "per": ("a b", "a b c", "a")}.items():
        hypothesis, longer, shorter = (written(tmp_path / f"{metric}-{at}", text) for at, text in enumerate(texts))
        assert score([hypothesis, longer, shorter], metric, 2) == pytest.approx(100 / 3)
        assert score([hypothesis, shorter, longer], metric, 2) == 100


def test_nist_by_hand(score: Score, tmp_path: Path) -> None:
    """Reference `a b a`: a has log2(3 / 2) bits, b log2(3), `a b` log2(2 / 1), `b a` log2(1 / 1)."""
    paths = [written(tmp_path / "h", "a b c"), written(tmp_path / "r", "a b a")]
    assert score(paths, "nist", 1) / 100 == pytest.approx((math.log2(3 / 2) + math.log2(3)) / 3 + 1 / 2)
    short = [written(tmp_path / "s", "a b"), paths[1]]
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(2 / 3) ** 2)
    assert penalty == pytest.approx(1 / 2)
    assert score(short, "nist", 1) / 100 == pytest.approx(penalty * ((math.log2(3 / 2) + math.log2(3)) / 2 + 1))
    twice = [written(tmp_path / "t", "b b"), paths[1]]  # of which the reference has one
    assert score(twice, "nist", 1) / 100 == pytest.approx(penalty * math.log2(3) / 2)
    empty = [written(tmp_path / "u", "b"), paths[1], written(tmp_path / "e", "")]  # 3 / 2 words on average
    assert score(empty, "nist", 2) / 100 == pytest.approx(penalty * math.log2(3))


def test_melamed_takes_the_reference_of_the_best_f(score: Score, tmp_path: Path) -> None:
    paths = [written(tmp_path / name, line) for name, line in [("h", "a b c d"), ("r", "a x y z"), ("s", "d c b a")]]
    found = row(treesql.score("translation", systems=paths[:1], reference=paths[1:], metric="melamed", exponent=2))
    assert (found["melamed_precision"], found["melamed_recall"], found["melamed_f"]) == (1 / 2, 1 / 2, 1 / 2)
    assert score(paths, "melamed_f", 2) == 100


def test_weights_of_sclite(tmp_path: Path) -> None:
    """Two substitutions weigh 8 there, an insertion and a deletion 6; here two edits each, of which a pair matches."""
    paths = [written(tmp_path / "h", "x y", "x y a b"), written(tmp_path / "r", "y z", "y c d e")]
    given = {"systems": paths[:1], "reference": paths[1], "metric": "edit_operations", "by": "sentence"}
    for weights in ("equal", "sclite"):
        first, second = treesql.score("translation", **given, edit_weights=weights).rows()
        counts = ("hits", "substitutions", "insertions", "deletions")
        assert [first[name] for name in counts] == [1, 0, 1, 1], weights
        assert [second[name] for name in counts] == [1, 2, 1, 1], weights


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"metric": "chrf", "char_order": 9}, "char_order is 9; it is a number from 0 to 8"),
        ({"metric": "melamed", "exponent": 0.5}, "exponent is 0.5; it is a number from 1 to 100"),
        ({"metric": "bleu", "tokenize": "13b"}, "tokenize cannot be '13b'; choose one of none, 13a, intl, zh, char"),
    ],
)
def test_options_out_of_range_are_refused(files: list[str], options: dict[str, Any], what: str) -> None:
    with pytest.raises(treesql.TreesqlError, match=re.escape(what)):
        treesql.score("translation", systems=files[:1], reference=files[1], **options)


@pytest.mark.slow
def test_normalisation_is_declared(score: Score, tmp_path: Path) -> None:
    paths = [written(tmp_path / "h", "Caf\u00e9, oui !"), written(tmp_path / "r", "cafe\u0301 oui")]
    options = {"lowercase": "yes", "punctuation": "remove", "unicode_form": "nfc"}
    for metric in ("wer", "per", "cer", "ser"):
        assert score(paths, metric, 1) > 0
        assert score(paths, metric, 1, **options) == 0, metric
    found = treesql.score("translation", systems=paths[:1], reference=paths[1], metric="wer", **options)
    [signature] = found.signatures.values()
    assert "|lowercase:yes|punctuation:remove|unicode_form:nfc|" in signature


def test_white_space_of_unicode_separates_words_for_bleu_alone(score: Score, tmp_path: Path) -> None:
    paths = [written(tmp_path / "h", "a\u00a0b c d e"), written(tmp_path / "r", "a b c d e")]
    assert score(paths, "bleu", 1) == 100
    assert score(paths, "wer", 1) == 40
    assert score([written(tmp_path / "t", "a\tb c d e"), paths[1]], "wer", 1) == 0
