"""A report on outputs of real parsers: small, and every number that of `score` and `compare`."""

from __future__ import annotations

from typing import Any

import pytest

import treesql
from tests.browser import open_page
from tests.conformance.cases import CASES, needs
from tests.conftest import thorough_but
from tests.reports.pages import cell, check_page
from tests.reports.reading import ReadPage, read_page

FOLDER = CASES / "dependency" / "pairs"
MOST_BYTES = 3_000_000
MOST_BYTES_OF_THREE = 600_000
MOST_PIXELS = 6_000

pytestmark = [needs(FOLDER), pytest.mark.slow, pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]


@pytest.fixture(scope="module", params=[3, pytest.param(8, marks=pytest.mark.thorough)])
def how(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Three parsers on one treebank of 2,077 sentences; by hand four, each a second time as well.

    Eight show that the page stays small.
    """
    files = {name: FOLDER / f"English.{name}.conllu.gz" for name in ("malt", "udpipe", "udpipeB", "maltB")}
    named = {**files, **{f"{name} again": file for name, file in files.items()}}
    systems = dict(list(named.items())[: request.param])
    return {"gold": FOLDER / "English.gold.conllu.gz", "systems": systems}


@pytest.fixture(scope="module")
def made(how: dict[str, Any]) -> treesql.EvaluationReport:
    return treesql.report("dependency", **how)


@pytest.fixture(scope="module")
def page(made: treesql.EvaluationReport) -> ReadPage:
    return read_page(made.html)


def test_the_page_is_small_and_valid(made: treesql.EvaluationReport) -> None:
    assert len(made.html.encode()) < MOST_BYTES
    check_page(made.html)


def test_scores_are_those_of_score(how: dict[str, Any], made: treesql.EvaluationReport, page: ReadPage) -> None:
    scores = treesql.score("dependency", ci=True, **how)
    assert made.tables["scores"].arrow().equals(scores.arrow())
    rows = {row[0]: dict(zip(page.scores.heads, row, strict=True)) for row in page.scores.rows}  # by measure
    for row in scores.rows():
        for name in ("uas", "las", "exact_match", "wlas"):
            ends = (row[name], row[f"{name}_low"], row[f"{name}_high"])
            assert rows[f"{name} (%)"][row["system"]] == cell(*ends)


@pytest.mark.thorough
def test_comparison_is_that_of_compare(how: dict[str, Any], made: treesql.EvaluationReport, page: ReadPage) -> None:
    compared = treesql.compare("dependency", **how)
    assert made.tables["comparison"].arrow().equals(compared.arrow())
    shown = [one.rows for one in page.differences]
    expected = [
        [[" ".join(text.split()) for text in row.values()] for row in one.rows()] for one in compared.tables()[1:]
    ]
    assert shown == expected


@pytest.mark.parametrize(
    ("title", "column"),
    thorough_but(
        [("Relation", "gold_udeprel"), ("Words of the sentence", "n_words/double")], ("Relation", "gold_udeprel")
    ),
)
def test_buckets_are_those_of_by(title: str, column: str, how: dict[str, Any], page: ReadPage) -> None:
    scored = treesql.score("dependency", metric="words,las", by=column, ci=True, **how).rows()
    table = page.table(f"las by {title}, 95% intervals in brackets")
    rows = {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}
    for row in scored:
        row[column] = row[column].replace("..", "\u2013")  # as readers see bins
        if row[column] in rows:
            shown = rows[row[column]]
            assert shown["words"] == f"{row['words']:,}"
            assert shown[row["system"]].replace("†", "") == cell(row["las"], row["las_low"], row["las_high"])
    assert {row[column] for row in scored} == set(rows)


@pytest.mark.thorough
def test_marked_buckets_differ_by_compare(how: dict[str, Any], made: treesql.EvaluationReport) -> None:
    rows = [row for row in made.tables["buckets"].rows() if row["column"] == "upos" and row["value"] == "PUNCT"]
    compared = treesql.compare("dependency", metric="las", where="upos = 'PUNCT'", **how).rows()
    [best] = [row["system"] for row in rows if row["p"] is None]
    assert best == ("maltB" if "maltB" in how["systems"] else "malt")
    pairs = [((row["system_a"], row["system_b"]), row["p"]) for row in compared]
    expected = {system: p for pair, p in pairs if best in pair for system in pair if system != best}
    assert {row["system"]: row["p"] for row in rows if row["p"] is not None} == expected
    assert any(row["differs"] for row in rows) == ("maltB" in how["systems"])


def test_parsers_are_answered_on_a_short_page(
    how: dict[str, Any], made: treesql.EvaluationReport, page: ReadPage, tmp_path: Any
) -> None:
    """Nothing is wider than the window; of three parsers, folded it is at most 6,000 pixels high."""
    are_three = len(how["systems"]) == 3
    if are_three:
        [heading] = [text for level, text in page.headings if level == 1]
        assert heading == "malt is best: las 76.46%, 3.26 points better than udpipeB"
        assert len(made.html.encode()) <= MOST_BYTES_OF_THREE
    made.write(tmp_path / "r.html")
    with open_page(tmp_path / "r.html", tmp_path / "profile", width=1300) as opened:
        shown = opened.page
        if are_three:
            shown.evaluate("for (const one of document.querySelectorAll('details')) one.open = false")
            assert shown.evaluate("document.documentElement.scrollHeight") <= MOST_PIXELS
            assert 0 < shown.locator(".sentences > details").count() <= 10
        shown.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        for width in (320, 400, 768, 1300, 1400, 1920):
            shown.set_viewport_size({"width": width, "height": 900})
            assert (opened.overflows, opened.said, opened.requests) == ([], [], []), width
