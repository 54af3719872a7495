"""Requests of reports on files of fixtures/, and what holds for every page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

import treesql
from tests.evaluation.kinds_by_file import KINDS, given
from tests.reports.reading import ReadPage, read_page
from treesql.results.tables import number_text

HOSTILE = "</p><script>alert(1)</script>"


def whole(kind: str, **how: Any) -> dict[str, Any]:
    """A system in all roles but texts that are only checked against."""
    checked = {role.name for role in treesql.kinds(kind)[0].roles if role.checked}
    return {name: value for name, value in given(kind, **how).items() if name not in checked}


def _twice(kind: str) -> dict[str, Any]:
    """One system by two names."""
    how = whole(kind)
    return {**how, "systems": dict.fromkeys("ab", how["systems"]["a"])}


TWO_SYSTEMS: Mapping[str, dict[str, Any]] = {kind: _twice(kind) for kind in KINDS} | {
    "dependency": {"gold": "gold.conllu", "systems": {"a": "parser-a.conllu", "b": "parser-b.conllu"}},
    "constituency": {"gold": "gold.mrg", "systems": {"a": "test.mrg", "b": "gold.mrg"}},
    "alignment": {"gold": "links.pharaoh", "systems": {"a": "links-a.pharaoh", "b": "links.pharaoh"}},
    "parallel": {
        "gold_a": "gold.conllu", "gold_b": "gold.conllu", "gold_links": "links.pharaoh",
        "systems": {
            "a": ["parser-a.conllu", "parser-b.conllu", "links-a.pharaoh"],
            "b": ["parser-b.conllu", "parser-b.conllu", "links.pharaoh"],
        },
    },
    "paths": {
        "reference": "reference.conllu",
        "systems": {
            "a": ["hypothesis.conllu", "reference-hypothesis.align"],
            "b": ["hypothesis.conllu", "reference-hypothesis.align"],
        },
    },
    "trees": {"reference": "reference.conllu", "systems": {"a": "hypothesis.conllu", "b": "reference.conllu"}},
    "lattice": {"reference": "lattices.txt", "systems": {"a": "lattices.plf", "b": "lattices.plf"}, "phrases": True},
    "translation": {"reference": "lattices.txt", "systems": {"a": "hypotheses.txt", "b": "lattices-2.txt"}},
}  # fmt: skip
"""By kind."""


def cell(value: float | None, low: float | None, high: float | None, *, percent: bool = True) -> str:
    """A score with its interval as tables of a page have it."""
    ends = "" if low is None or value is None else f" [{number_text(low, percent)}, {number_text(high, percent)}]"
    return f"{number_text(value, percent)}{ends}"


def check_page(text: str) -> ReadPage:
    """A page that is valid, loads nothing, has unique ids, links that lead somewhere, and headings in order."""
    page = read_page(text)
    assert not page.faults
    assert len(page.ids) == len(set(page.ids))
    inside = {one.removeprefix("#") for one in page.references if one.startswith("#")}
    assert inside <= set(page.ids)
    assert {one for one in page.references if not one.startswith("#")} <= {"data:,"}
    assert not re.search(r"@import|url\((?!#)|src=", text)
    levels = [level for level, _ in page.headings]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(re.search(r'role="img" aria-label="[^"]|aria-hidden', svg) for svg in re.findall(r"<svg[^>]*>", text))
    assert len(page.scripts) <= 1
    return page
