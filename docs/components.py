"""The page of the site that shows each component of pages: macros of `treesql/results/templates`, with their data."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple

from treesql.drawing import whiskers
from treesql.drawing.whiskers import Interval, Mark, Scale
from treesql.reports.evaluation_page import Confusion
from treesql.reports.score_charts import HeatCell, Lane, Panel, ScoreCell, ScoreRow, heat_table, scale_note
from treesql.results import pages
from treesql.results.documents import Cell, DocumentTable
from treesql.results.pages import Figure
from treesql.significance.comparison import DAGGER, ComparedPair

SYSTEMS = ["malt", "udpipe"]
LAS = [Interval(0.7646, 0.755, 0.774), Interval(0.7321, 0.722, 0.742)]
SCALE = Scale([0.70, 0.72, 0.74, 0.76, 0.78], percent=True)
DIFFERENCES = Scale([-0.01, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05], percent=True)
FIRST, SECOND = SYSTEMS


class Component(NamedTuple):
    """A macro of a file of templates, with arguments to show it."""

    file: str
    macro: str
    about: str
    arguments: Sequence[Any]

    @property
    def written(self) -> str:
        """The call, and its arguments."""
        shown = (pformat(argument, width=100, sort_dicts=False) for argument in self.arguments)
        return "\n".join([f'{{% from "{self.file}" import {self.macro} %}}', *shown])


def _marks(hollow: bool) -> list[Mark]:
    made = [whiskers.mark(f"las, {SYSTEMS[at]}", at, LAS[at], SCALE, hollow=bool(at) and hollow) for at in (0, 1)]
    return [one for one in made if one is not None]


def _right(text: str) -> HeatCell:
    return HeatCell(text, mark="right")


def _sum(text: str) -> HeatCell:
    return HeatCell(text, mark="all")


def _components() -> list[Component]:
    pair = ComparedPair(FIRST, SECOND, 0.0326, 0.0249, 0.0403, 0.00005, "3.26 points", "p < 0.0001", "")
    difference = whiskers.mark("malt over udpipe, p < 0.0001", 0, Interval(0.0326, 0.0249, 0.0403), DIFFERENCES)
    cells = [ScoreCell("76.46", "75.50\u201377.40", True, False), ScoreCell("73.21", "72.20\u201374.20", False, True)]
    row = ScoreRow("las", "labelled attachment score", cells, Lane("las", _marks(hollow=False)), SCALE)
    lanes = [Lane("1\u20134", _marks(hollow=True), "1,286"), Lane("5\u20138", _marks(hollow=False), "2,978")]
    table = DocumentTable(["word", "las (%)"], [False, True], [[Cell("a"), Cell("76.46", best=True)]])
    heat = heat_table(
        "Relations by malt", ["nsubj", "obj", "others", "all"],
        [
            ("nsubj", [_right("96%"), HeatCell("48", 48), _sum("31"), _sum("1,990")]),
            ("obj", [HeatCell("20", 20), _right("97%"), _sum(""), _sum("1,163")]),
        ],
    )  # fmt: skip
    return [
        Component("charts.html", "key", "The mark of a system by its rank: a colour and a shape.", [1, "o"]),
        Component("charts.html", "named", "The mark of a system and its name.", [0, FIRST]),
        Component(
            "charts.html", "legend", "Systems, and what the marks that occur are.",
            [SYSTEMS, ["hollow", "pale"], FIRST],
        ),
        Component(
            "charts.html", "lane", "Scores with their intervals on one scale; places are in percent.",
            [_marks(hollow=True), SCALE, "las"],
        ),
        Component("charts.html", "axis", "The numbers of a scale.", [SCALE]),
        Component(
            "charts.html", "pairs", "Differences of pairs of systems, and whether chance can explain them.",
            [[(pair, difference)], DIFFERENCES, "points of las", SYSTEMS.index],
        ),
        Component(
            "charts.html", "score_table", "Scores of up to three systems.",
            [[row], SYSTEMS, DAGGER, scale_note([row])],
        ),
        Component("charts.html", "score_panels", "Scores of more systems.", [[row], SYSTEMS, DAGGER]),
        Component(
            "charts.html", "panel", "A score by the values of a column, with their counts.",
            [Panel("Words of the sentence", "words", lanes, table, []), SCALE],
        ),
        Component("charts.html", "heat_table", "Numbers by two keys: what is found instead of what is right.", [heat]),
        Component(
            "charts.html", "confusions", "The most frequent confusions, a bar for each system.",
            [[Confusion("nsubj", "obj", [("48", 80.0), ("60", 100.0)])], SYSTEMS, "Most frequent"],
        ),
        Component("parts.html", "cells", "A table that scrolls by itself, sorted by its heads.", [table, "Words"]),
        Component("parts.html", "code", "A command, with a button that copies it.", ["treesql report --help"]),
        Component("parts.html", "copyable", "Texts to copy, folded.", [{"CSV": "system,las\nmalt,0.7646\n"}]),
        Component("parts.html", "figure", "A drawing below its caption, or why there is none.",
                  [Figure("malt", why="not drawn: it has 800 words"), "malt"]),
    ]  # fmt: skip


def page() -> str:
    """The page, in which the components stand in a frame with the style sheet of reports."""
    text = (Path(__file__).parent / "components.html").read_text("utf-8")
    shown = pages.render_text(text, title="Components of pages", components=_components())
    shown = shown.replace("@media (prefers-color-scheme: dark)", "@media not all")  # the site is light
    look = "width: 100%; height: 4100px; border: 0"
    frame = f'<iframe title="Components" srcdoc="{escape(shown)}" style="{look}"></iframe>'
    about = (
        "Reports, pages of studies, the browser and notebooks are made of macros of jinja2 in "
        "`treesql/results/templates`, with one style sheet. Each is shown here with its data."
    )
    return f"# Components of pages\n\n{about}\n\n```{{raw}} html\n{frame}\n```\n"
