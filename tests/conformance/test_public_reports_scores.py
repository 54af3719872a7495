"""Inputs made after public bug reports: what `diff` lists, and what scores and tables say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, DATA, needs

REPORTS = CASES / "reports"
FRENCH = DATA / "ud" / "r2" / "French-PUD" / "fr_pud-ud-test.conllu.gz"

pytestmark = needs(REPORTS)


def changes(old: Path, new: Path, **how: Any) -> list[tuple[Any, ...]]:
    return [(row["column"], row["old"], row["new"]) for row in treesql.diff(old, new, list=True, **how).rows()]


CHANGES: dict[str, list[tuple[Any, ...]]] = {
    "range": [("range", "3-4 du", None)],
    "misc": [("range_misc", "SpaceAfter=No", "_")],
    "form": [("text", "On parle du!", "On parle DU!"), ("range_form", "du", "DU")],
    "text": [("text", "On parle du!", r"On \u0020parle du !")],
    "empty": [("empty_node", None, "4.1 sujet"), ("deps", "2:punct", "4.1:punct")],
    "doc": [("newdoc", "_", "# newdoc id = d"), ("newpar", "_", "# newpar")],
}
"""Of each file its changes; a document that begins goes on to the end, so that it is the last one."""


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_diff_lists_the_change(tmp_path: Path) -> None:
    """The old sentence before each of the new ones, in one file, with a number in its identifier."""
    old, new = tmp_path / "old.conllu", tmp_path / "new.conllu"
    for path, names in ((old, ["old"] * len(CHANGES)), (new, list(CHANGES))):
        texts = [(REPORTS / f"diff.{name}.conllu").read_text("utf-8") for name in names]
        path.write_text("".join(text.replace("= h1\n", f"= h{at}\n") for at, text in enumerate(texts)), "utf-8")
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in CHANGES}
    for row in treesql.diff(old, new, list=True).rows():
        found[list(CHANGES)[int(row["sent_id"][1:])]].append((row["column"], row["old"], row["new"]))
    assert found == CHANGES
    counts = Counter(column for expected in CHANGES.values() for column, *_ in expected)
    counts["range"] += counts["range_form"] + counts["range_misc"]  # a range is changed if one of these is
    rows = {row["column"]: row for row in treesql.diff(old, new).rows()}
    for column, n in counts.items():
        assert sum(rows[column][count] or 0 for count in ("changed", "only_old", "only_new")) == n


@pytest.mark.slow
@needs(FRENCH)
def test_every_range_that_goes_is_listed(tmp_path: Path) -> None:
    import gzip
    import re

    text = gzip.decompress(FRENCH.read_bytes()).decode()
    ranges = re.findall(r"^\d+-\d+\t.*\n", text, re.MULTILINE)
    for name, content in (("old", text), ("new", re.sub(r"^\d+-\d+\t.*\n", "", text, flags=re.MULTILINE))):
        (tmp_path / f"{name}.conllu").write_text(content, "utf-8")
    found = changes(tmp_path / "old.conllu", tmp_path / "new.conllu")
    assert len(ranges) == 595
    assert found == [("range", " ".join(line.split("\t")[:2]), None) for line in ranges]


SYSTEMS = ["words.no-ranges", "words.split"]


@pytest.mark.parametrize("names", [SYSTEMS, SYSTEMS[::-1], SYSTEMS[:1], SYSTEMS[1:]], ids="-".join)
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_each_system_has_the_scores_that_it_has_alone(names: list[str]) -> None:
    paths = [REPORTS / f"{name}.conllu" for name in names]
    rows = treesql.score("dependency", gold=REPORTS / "words.gold.conllu", systems=paths, metric="attachment").rows()
    expected = dict(zip(SYSTEMS, (0.8, 4 / 11), strict=True))
    assert [row["las"] for row in rows] == pytest.approx([expected[name] for name in names])


def test_links_of_the_probability_of_a_threshold_are_kept() -> None:
    rows = treesql.score(
        "alignment", gold=REPORTS / "thresholds.gold.pharaoh", systems=REPORTS / "thresholds.pharaoh",
        table="threshold_curve",
    ).rows()  # fmt: skip
    proposed = {row["threshold"]: row["proposed"] for row in rows}
    assert [proposed[threshold] for threshold in (0.7, 0.6, 0.3)] == [2, 3, 4]
