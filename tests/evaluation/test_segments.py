"""Scores of segments and words with times, `.stm` and `.ctm`, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES

STM = "u1 1 s1 0 1 a b\nu1 1 s2 1 2 c\nu1 1 s1 2 3 IGNORE_TIME_SEGMENT_IN_SCORING\nu1 1 s1 3 4 d\n"

pytestmark = pytest.mark.filterwarnings("ignore:.*IGNORE_TIME_SEGMENT")


def errors(folder: Path, endings: str, hypothesis: str, reference: str) -> tuple[float, int]:
    """WER and number of words of the reference. endings: of both files."""
    names = [folder / f"{at}.{ending}" for at, ending in enumerate(endings.split())]
    for path, text in zip(names, (hypothesis, reference), strict=True):
        path.write_text(text)
    [row] = treesql.score("translation", systems=[names[0]], reference=names[1], metric="wer,reference_words").rows()
    return row["wer"], row["reference_words"]


def test_segments_correspond_by_speaker_and_time(tmp_path: Path) -> None:
    """The lines of the hypothesis are in another order; `x` is the one error of 4 words."""
    hypothesis = "u1 1 s1 3.1 4 x\nu1 1 s2 1 2 c\nu1 1 s1 0 1 a b\n"
    assert errors(tmp_path, "stm stm", hypothesis, STM) == (0.25, 4)
    hypothesis += "u1 1 s1 2 3 whatever\n"
    assert errors(tmp_path, "stm stm", hypothesis, STM) == (0.25, 4)


def test_words_are_cut_by_the_segments_of_the_reference(tmp_path: Path) -> None:
    """`b` lies in the second segment by its midpoint, `gone` in the one that is not scored, `late` behind the last."""
    hypothesis = "u1 1 0.1 0.2 a\nu1 1 0.9 0.4 b\nu1 1 2.5 0.1 gone\nu1 1 3.5 0.1 d\nu1 1 5 1 late\n"
    # a b -> a: a deletion; c -> b: a substitution; d -> d late: an insertion
    assert errors(tmp_path, "ctm stm", hypothesis, STM) == (0.75, 4)


def test_files_that_are_exchanged(tmp_path: Path) -> None:
    """Ids of segments and of channels are never the same; by order one of each may correspond."""
    words = "u1 1 0.1 0.2 a\nu1 1 0.9 0.4 b\n"
    with pytest.raises(
        treesql.UsageError, match=r"0.stm has segments.*, and .*1.ctm words with times.* give .*0.stm as"
    ):
        errors(tmp_path, "stm ctm", STM, words)
    names = {"systems": [tmp_path / "0.stm"], "reference": tmp_path / "1.ctm"}
    names["systems"][0].write_text("u1 1 s1 0 2 a x\n")
    [row] = treesql.score("translation", **names, metric="wer", ids="none").rows()
    assert row["wer"] == 0.5


def test_channels_correspond_by_name(tmp_path: Path) -> None:
    hypothesis, reference = "b 1 0 1 x\na 1 1 1 z\na 1 0 1 y\n", "a 1 0 1 y\na 1 1 1 z\nb 1 0 1 w\n"
    assert errors(tmp_path, "ctm ctm", hypothesis, reference) == (pytest.approx(1 / 3), 3)


def test_attributes_of_segments(tmp_path: Path) -> None:
    """Speakers are comments, which scores can be grouped by."""
    with treesql.connect() as db:
        with pytest.warns(treesql.TreesqlWarning):
            db.load(FIXTURES / "segments.stm", corpus="a")
        rows = db.sql(
            "SELECT comment_value(comments, 'speaker') AS speaker, text FROM sentences ORDER BY sentence"
        ).rows()
    assert [(row["speaker"], row["text"]) for row in rows] == [
        ("anna", "the red house"), ("ben", "it is a cat"), ("clara", "no way"),
    ]  # fmt: skip
