"""The pages of reproductions: every number of ours is in an output of its page, and outputs on other data are real.

Blocks of the fixtures are run by the test of all made pages; those marked `data` here, if the data is at hand.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.conformance.cases import CASES, DATA, needs
from tests.conftest import ROOT, thorough_but

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "reproductions").glob("*.md"))
WITH_DATA = [page for page in PAGES if "```console data\n" in (ROOT / page).read_text("utf-8")]
LONG = ("docs/reproductions/002.md",)
"""Pages whose commands take minutes."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_every_source_has_a_page() -> None:
    assert [Path(page).name for page in PAGES] == [f"{number:03}.md" for number in range(5)]
    assert len(WITH_DATA) == 3


def rows(text: str) -> list[dict[str, str]]:
    """The rows of the first table of a page."""
    lines = re.findall(r"^\|(.*)\|$", text.split("\n## ")[0], re.MULTILINE)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


@pytest.mark.parametrize("page", PAGES)
def test_numbers_of_ours_are_in_outputs(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    blocks = "".join(re.findall(r"```console(?: data)?\n(.*?)```", text, re.DOTALL))
    printed = set(NUMBER.findall(re.sub(r"^\$.*$", "", blocks, flags=re.MULTILINE)))
    table = rows(text)
    assert len(table) >= 5
    for row in table:
        assert list(row) == ["figure", "shows", "command", "source", "ours", "remarks"]
        assert printed.issuperset(NUMBER.findall(row["ours"])), row


@pytest.mark.slow
@needs(CASES)
@needs(DATA)
@pytest.mark.parametrize("page", thorough_but(WITH_DATA, *[page for page in WITH_DATA if page not in LONG][:1]))
def test_outputs_on_data_are_up_to_date(page: str) -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make.py"))["rerun_on_data"](page, CASES, DATA)
    again = f"run `python docs/make.py {page}` with TREESQL_CASES and TREESQL_DATA"
    assert (ROOT / page).read_text("utf-8") == made, again
