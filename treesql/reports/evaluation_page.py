"""The page of an evaluation: the answer first, then scores, where systems differ, what they confuse, and sentences.

Systems have a colour and a shape, by their order: as they were named, best first from four on, when charts show the
best three. A hollow mark is a score whose difference from the best system's chance can explain.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from treesql.catalog.schemas import literal
from treesql.drawing import whiskers
from treesql.drawing.whiskers import Interval, Mark, Scale
from treesql.reports import html, score_charts
from treesql.reports.evaluation_tables import NONE, TREEBANK, ChosenSentences, EvaluationTables
from treesql.reports.score_charts import DASH, MAX_COLUMNS, HeatCell, HeatTable, Lane, Panel, ScoreRow, heat_table
from treesql.reports.sentence_drawings import legend_of
from treesql.results import pages
from treesql.results.cells import find_starts
from treesql.results.documents import Cell, DocumentTable, Presentation, arrange
from treesql.results.pages import Figure, counted
from treesql.results.result import Result
from treesql.results.tables import number_text, write_csv
from treesql.runtime.arrays import compute as pc
from treesql.significance.comparison import DAGGER, ComparedPair
from treesql.significance.methods import AVERAGES, LEVEL, RUNS

MAX_LANES = 20
"""Maximum number of values of a column that are drawn, the largest ones; the table has all."""

LANES_OF_HEAD = 3
"""The title and the axis of a panel are about as high as so many lanes."""

MIN_LABEL, MAX_LABEL = 4.0, 11.0
"""Bounds of the width of the names of lanes, in sizes of their font."""

MIN_NOTE = 7.0
"""Minimum width of the counts of lanes, in sizes of the font of their head, which says what is counted."""

MAX_CELLS = 12
"""Maximum number of rows and of columns of a heat table."""

MAX_CONFUSIONS = 10
"""Maximum number of the most frequent confusions."""

MAX_DIFFERENCES, MAX_TEXTS = 10, 5
"""Maximum number of rows of a list of what one system has right and another wrong, and of one whose rows are texts."""

MAX_PANELS_OPEN = 4
"""Maximum number of scores of many systems that are not folded."""

MIN_ID, MAX_ID = 8.0, 23.0
"""Bounds of the width of the headings of folded sentences, in sizes of their font."""

MAX_OPEN_HEIGHT = 900
"""Maximum height of the drawing of a sentence that is not folded, in pixels: about a screen."""

MAX_TEXT = 2_000
"""Maximum number of characters of the text of a sentence."""

Row = dict[str, Any]

ListCommand = Callable[[str, Sequence[str], str], str]
"""The command that scores by columns under a condition: of a metric, the columns, and the condition."""


class ShownSentence(NamedTuple):
    """A sentence that a page shows. number: in its treebank; figures: its drawings."""

    number: int
    sent_id: str | None
    text: str
    figures: Sequence[Figure]
    treebank: str | None


class Stack(NamedTuple):
    """Panels below each other, on one scale."""

    scale: Scale | None
    panels: Sequence[Panel]

    @property
    def label_width(self) -> float:
        """Width of the names of lanes, in sizes of their font; longer names are wrapped."""
        longest = max((len(lane.name) for panel in self.panels for lane in panel.lanes), default=0)
        return min(max(0.62 * longest + 1, MIN_LABEL), MAX_LABEL)

    @property
    def note_width(self) -> float:
        """Width of the counts of lanes, in sizes of the font of their head, which is smaller."""
        longest = max((len(lane.note) for panel in self.panels for lane in panel.lanes), default=0)
        return max(0.75 * longest, MIN_NOTE)


class Confusion(NamedTuple):
    """What is right, what is found instead, and by system how often, with the length of its bar in percent."""

    gold: str
    found: str
    counts: Sequence[tuple[str, float]]


class ConfusionPart(NamedTuple):
    """A table of confusions. heat: by system, none where values hardly repeat; command: lists the sentences of the
    first of the most frequent ones."""

    title: str
    heat: Mapping[str, HeatTable]
    frequent: Sequence[Confusion]
    command: str


@dataclass(frozen=True)
class EvaluationPage:
    """What a page is made of.

    shown: the sentences that the page draws, by number; provenance: headings and lines about what was computed from
    what; notes: the warnings; list_command: see there; where: the condition of the items that are scored.
    """

    tables: EvaluationTables
    chosen: ChosenSentences
    shown: Mapping[int, ShownSentence]
    provenance: Mapping[str, Sequence[str]]
    notes: Sequence[str]
    list_command: ListCommand
    where: str | None

    def html(self) -> str:
        """The whole page."""
        tables = self.tables
        names, n = ", ".join(tables.systems), len(tables.systems)
        sections = {
            "answer": "Answer", "scores": "Scores", "differences": "Where they differ",
            "confusions": "What they confuse", "wins": "What one has right and another wrong",
            "sentences": f"{tables.kind.report.item.capitalize()}s", **html.PROVENANCE,
        }  # fmt: skip
        if n == 1:
            sections |= {"differences": "Where it errs", "confusions": "What it confuses"}
        shown = {
            "differences": self._rows_by_title, "confusions": len(tables.confusions), "wins": tables.differences,
            "sentences": self.chosen.numbers,
        }  # fmt: skip
        return pages.render(
            "evaluation.html", title=f"Evaluation ({tables.kind.name}): {names}", page=self, main=tables.main,
            sections={name: text for name, text in sections.items() if shown.get(name, True)}, systems=tables.systems,
            of_treebanks=self.has_treebanks, dagger=DAGGER, level=LEVEL, runs=RUNS, most_panels=MAX_PANELS_OPEN,
        )  # fmt: skip

    @property
    def kicker(self) -> str:
        """What is scored: the kind, the shared corpora, and their size."""
        tables = self.tables
        name, n_treebanks = self.answer_score, len({row.get(TREEBANK) for row in tables.scores.rows()} - {*AVERAGES})
        parts = [
            tables.kind.name.capitalize(),
            ", ".join(Path(path).name for path in tables.against) if self.has_treebanks else ", ".join(tables.against),
            counted(n_treebanks, "treebank") if self.has_treebanks else "",
            counted(tables.n_sentences, tables.kind.report.item),
            f"only where {self.where}" if self.where else "",
            "" if len(tables.systems) <= MAX_COLUMNS else counted(len(tables.systems), "system"),
            f"{name}: {self.docs[name].partition(',')[0]}" if name in self.docs and len(tables.systems) > 1 else "",
        ]  # fmt: skip
        return " · ".join(filter(None, parts))

    @property
    def has_treebanks(self) -> bool:
        """Whether scores are of several treebanks, and their averages."""
        return TREEBANK in self.tables.scores.columns

    @cached_property
    def answer_score(self) -> str:
        """The score that decides."""
        return _find_answer_score(self.tables)

    @cached_property
    def order(self) -> list[str]:
        """The systems in the order of their colours and shapes."""
        return order_systems(self.tables)

    @property
    def marked(self) -> list[str]:
        """The systems that charts of buckets and lists of confusions show."""
        return self.order[:MAX_COLUMNS]

    @cached_property
    def pairs(self) -> list[ComparedPair]:
        """The pairs of systems in the score that decides."""
        comparison = self.tables.comparison
        return [] if comparison is None else comparison.pairs(self.answer_score)

    @cached_property
    def shown_pairs(self) -> list[ComparedPair]:
        """Those that are drawn: all of few systems, of more the best one with each of the others; best first."""
        ranks = {name: rank for rank, name in enumerate(self._ranked)}
        ordered = sorted(self.pairs, key=lambda pair: (ranks[pair.first], ranks[pair.second]))
        return (
            ordered
            if len(ranks) <= MAX_COLUMNS
            else [pair for pair in ordered if self._ranked[0] in (pair.first, pair.second)]
        )

    @cached_property
    def _ranked(self) -> list[str]:
        return _rank_by_answer(self.tables)

    @property
    def heading(self) -> str:
        """Who is best, by how much."""
        name, percent = self.answer_score, self.answer_score in self.tables.scores.percent
        best = self._ranked[0]
        text = score_charts.rounded_text(_intervals_of(self.tables, name)[best].score, percent) + "%" * percent
        if not self.pairs:
            return f"{best}: {name} {text}"
        first = self.shown_pairs[0]
        both = f"{first.first} and {first.second}"
        if first.difference is None:
            return f"{both} cannot be compared"
        if not first.difference:
            return f"No winner: {both} have the same {name}, {text}"
        if not first.differs:
            return f"No winner: {both} differ by {first.difference_text}, which chance can explain"
        highest, above = ("is highest", "above") if self._direction == "neither" else ("is best", "better than")
        return f"{best} {highest}: {name} {text}, {first.difference_text} {above} {first.second}"

    @property
    def _direction(self) -> str:
        return str(self.tables.scores.directions.get(self.answer_score, self.tables.main.score.direction))

    @property
    def answer(self) -> list[str]:
        """Whether one may conclude it, in sentences."""
        name, percent = self.answer_score, self.answer_score in self.tables.scores.percent
        if not self.pairs:
            [interval] = _intervals_of(self.tables, name).values()
            ends = interval.span(percent, " to ")
            return [
                f"{name}: {self.docs.get(name, '')}{f', 95% interval {ends}' if ends else ''}.",
                "One system is described, not compared: name a second one to learn whether a difference is more than "
                "chance explains.",
            ]  # fmt: skip
        sentences = [self.shown_pairs[0].sentence]
        if len(self.pairs) > 1:
            apart = sum(pair.differs for pair in self.pairs)
            sentences.append(
                f"Of {len(self.pairs)} differences, {apart} {'is' if apart == 1 else 'are'} more than chance explains."
            )
        return sentences

    @cached_property
    def pair_scale(self) -> Scale | None:
        """The scale of differences, with 0 on it."""
        percent = self.answer_score in self.tables.scores.percent
        return score_charts.scale_of_pairs(self.shown_pairs, percent)

    @property
    def pair_lanes(self) -> list[tuple[ComparedPair, Mark | None]]:
        """The pairs that are drawn, with their marks."""
        return score_charts.pair_lanes(self.shown_pairs, self.pair_scale)

    def rank(self, system: str) -> int:
        """The number of a system's colour and shape."""
        return self.order.index(system)

    @cached_property
    def score_names(self) -> list[str]:
        """The scores with intervals."""
        return score_charts.names_with_intervals(self.tables.scores)

    @cached_property
    def score_rows(self) -> list[ScoreRow]:
        """Scores with a value, the one that decides first."""
        tables = self.tables
        return score_charts.score_rows(tables.scores, self.order, tables.comparison, self.answer_score, self.docs)

    @property
    def score_looks(self) -> set[str]:
        """The looks of scores and of their marks that occur."""
        return score_charts.looks_of_scores(self.score_rows)

    @property
    def bucket_looks(self) -> set[str]:
        """The looks of marks of buckets that occur."""
        return score_charts.looks_of(lane for stack in self.stacks for panel in stack.panels for lane in panel.lanes)

    @property
    def tested(self) -> str:
        """The scores that are compared, if not all that are drawn."""
        drawn = [row.name for row in self.score_rows]
        compared = _compared_scores(self.tables)
        return "" if set(drawn) <= {*compared} else ", ".join(name for name in drawn if name in compared)

    @property
    def scale_note(self) -> str:
        """How wide the scales of scores are."""
        return score_charts.scale_note(self.score_rows)

    @cached_property
    def docs(self) -> dict[str, str]:
        """By score, what it is in a few words."""
        return score_charts.score_docs(self.tables.kind.all_metrics)

    @cached_property
    def _rows_by_title(self) -> dict[str, list[Row]]:
        """The rows of buckets by the title of their column, without columns of one value, which has the whole score."""
        rows_by_title: dict[str, list[Row]] = {}
        for row in self.tables.buckets.rows():
            rows_by_title.setdefault(row["attribute"], []).append(row)
        return {title: rows for title, rows in rows_by_title.items() if len({row["value"] for row in rows}) > 1}

    @cached_property
    def _drawn_values(self) -> dict[str, list[list[Row]]]:
        """By title, the rows of all systems of each value that is drawn."""
        return {title: self._values_to_draw(rows) for title, rows in self._rows_by_title.items()}

    @cached_property
    def stacks(self) -> list[Stack]:
        """Panels in two columns: numbers, and names; the last ones move to the column that is shorter by more lanes."""
        rows_by_title, drawn = self._rows_by_title, self._drawn_values
        columns: tuple[list[str], list[str]] = ([], [])
        for title, rows in rows_by_title.items():
            columns[not _are_numbers(rows)].append(title)
        heights = {title: len(values) + LANES_OF_HEAD for title, values in drawn.items()}
        for long, short in (columns, columns[::-1]):
            while len(long) > 1:
                rest, moved = (sum(heights[title] for title in part) for part in (long[:-1], [*short, long[-1]]))
                if moved > rest:
                    break
                short.append(long.pop())
        return [self._stack({title: rows_by_title[title] for title in column}, drawn) for column in columns if column]

    def _stack(self, rows_by_title: Mapping[str, Sequence[Row]], shown: Mapping[str, list[list[Row]]]) -> Stack:
        intervals = [
            _interval(row)
            for title in rows_by_title for rows in shown[title] for row in rows if row["system"] in self.marked
        ]  # fmt: skip
        scale = whiskers.scale_of(intervals, self.tables.main.percent)
        return Stack(scale, [self._panel(title, rows, shown[title], scale) for title, rows in rows_by_title.items()])

    def _values_to_draw(self, rows: Sequence[Row]) -> list[list[Row]]:
        """The rows of all systems by value: of numbers in order, of names the best score first.

        Of too many, those where systems differ by more than chance explains, and the largest others.
        """
        n = len(self.tables.systems)
        values = [list(rows[at : at + n]) for at in range(0, len(rows), n)]
        name = self._name_without(rows)
        values = [one for one in values if (one[0]["value"] != NONE or name) and _is_counted(one)]
        first = sorted(values, key=lambda one: (self._differ(one), _size(one)), reverse=True)[:MAX_LANES]
        values = [one for one in values if one in first]
        if _are_numbers(rows):
            return sorted(values, key=lambda one: one[0]["value"] != NONE)
        best = self.tables.systems.index(self.tables.best)
        lower = self.tables.main.lower
        return sorted(values, key=lambda one: (
            float("inf") if one[best]["score"] is None else one[best]["score"] * (1 if lower else -1)
        ))  # fmt: skip

    def _differ(self, rows: Sequence[Row]) -> bool:
        """Whether a system that charts show differs from the best one by more than chance explains."""
        return any(row["differs"] for row in rows if row["system"] in self.marked)

    def _name_without(self, rows: Sequence[Row]) -> str:
        """What items without a value of a column are called; nothing where they have no name."""
        column = str(rows[0]["column"]).partition("/")[0]
        return self.tables.kind.report.without.get(column, "")

    def _name_of(self, row: Row) -> str:
        """What readers see in place of a value of a column; nothing for none without a name."""
        if row["value"] == NONE:
            return self._name_without([row])
        names = self.tables.kind.report.values.get(str(row["column"]).partition("/")[0], {})
        return names.get(row["value"]) or score_charts.bin_text(row["value"])

    @property
    def _counts_sentences(self) -> bool:
        """Whether the size of a bucket is a number of sentences."""
        return self.tables.main.count in (None, "sentences")

    @property
    def _unit(self) -> str:
        """What the size of a bucket counts."""
        main, report = self.tables.main, self.tables.kind.report
        if main.count is None or self._counts_sentences:
            return f"{report.item}s"
        return report.unit if report.unit and main.count == report.count else main.count.replace("_", " ")

    @property
    def largest_difference(self) -> str:
        """How many differences from the best system chance does not explain, and the largest of the drawn ones."""
        best, main = self.tables.best, self.tables.main
        n_apart = sum(bool(row["differs"]) for row in self.tables.buckets.rows())
        apart = [
            (abs(row["score"] - score), row["score"] > score, row)
            for values in self._drawn_values.values() for rows in values
            for score in [row["score"] for row in rows if row["system"] == best]
            for row in rows if row["differs"] and row["system"] in self.marked
        ]  # fmt: skip
        are = "is" if n_apart <= 1 else "are"
        number, all_tests = f"{n_apart:,}" if n_apart else "None", counted(self.n_tests, "difference")
        told = f"{number} of {all_tests} from {best} {are} more than chance explains." if self.n_tests else ""
        if not apart:
            return told
        difference, is_higher, row = max(apart, key=itemgetter(0))
        points = score_charts.rounded_text(difference, main.percent) + " points" * main.percent
        words = ("above", "below") if main.score.direction == "neither" else ("better than", "worse than")
        place = f"{row['attribute']}: {self._name_of(row)}"
        how = f"{row['system']} is {points} {words[is_higher == main.lower]} {best}"
        return f"{told} The largest in these charts is at {place}, where {how}."

    def _panel(self, title: str, rows: Sequence[Row], drawn: Sequence[Sequence[Row]], scale: Scale | None) -> Panel:
        main, n = self.tables.main, len(self.tables.systems)
        unit, size = self._unit, "count" if main.count else "sentences"
        lanes = []
        for one in drawn:
            name = self._name_of(one[0])
            marks = [self._mark(f"{title} {name}", row, scale) for row in one if scale and row["system"] in self.marked]
            in_order = sorted(filter(None, marks), key=lambda mark: mark.rank)
            lanes.append(Lane(name, in_order, _spread(one, size)))
        without = [] if self._name_without(rows) else [row for row in rows if row["value"] == NONE]
        named = [rows[at : at + n] for at in range(0, len(rows), n) if rows[at] not in without]
        n_values = sum(map(_is_counted, named))
        further = [one for one in named if one not in drawn and _is_counted(one)]
        notes = []
        if further:
            are_largest = max(map(_size, further)) <= min(map(_size, drawn), default=0)
            differ = f"{len(drawn)} of {n_values}: where systems differ, and the largest others."
            notes.append(f"The {len(drawn)} largest of {n_values}." if are_largest else differ)
        left_out = []
        if n_values < len(named):
            left_out.append(f"{counted(len(named) - n_values, 'value')} without {unit}")
        if (size_without := _spread(without, size) if without else "0") != "0":
            left_out.append(f"what has no value ({size_without} {unit})")
        if left_out:
            notes.append(f"Not drawn: {' and '.join(left_out)}.")
        return Panel(title, unit, lanes, self._numbers(title, rows), notes)

    def _mark(self, name: str, row: Row, scale: Scale) -> Mark | None:
        system, best = row["system"], self.tables.best
        hollow, tested = system != best and not row["differs"], system == best or row["p"] is not None
        return whiskers.mark(f"{name}, {system}", self.rank(system), _interval(row), scale, hollow, tested)

    def _numbers(self, title: str, rows: Sequence[Row]) -> DocumentTable:
        """The scores of all values and systems as a table."""
        main, systems = self.tables.main, self.tables.systems
        sizes = ["sentences", *([] if self._counts_sentences else ["count"])]
        heads = [title, f"{self.tables.kind.report.item}s", *([self._unit] if len(sizes) > 1 else []), *systems]
        lines = []
        for at in range(0, len(rows), len(systems)):
            one = rows[at : at + len(systems)]
            cells = [Cell(self._name_of(one[0]) or "no value"), *(Cell(_spread(one, size)) for size in sizes)]
            for row in one:
                dagger, span = DAGGER if row["differs"] else "", _interval(row).span(main.percent)
                cells.append(Cell(number_text(row["score"], main.percent) + dagger, f" [{span}]" if span else ""))
            lines.append(cells)
        caption = f"{main.score.name} by {title}, 95% intervals in brackets"
        return DocumentTable(heads, [False, *[True] * (len(heads) - 1)], lines, caption=caption)

    @property
    def range_note(self) -> str:
        """Why counts are ranges, and what is not drawn."""
        lanes = [lane for stack in self.stacks for panel in stack.panels for lane in panel.lanes]
        has_range = any(DASH in lane.note for lane in lanes)
        is_left_out = any(
            row["value"] == NONE and not self._name_without(rows)
            for rows in self._rows_by_title.values()
            for row in rows
        )
        ranges = f" Ranges of {self._unit}: systems differ in what is counted." if has_range else ""
        unmatched = self.tables.kind.report.unmatched
        left_out = f" Not drawn: {unmatched}." if unmatched else " What gold lacks is in the numbers only."
        return ranges + left_out * is_left_out

    @property
    def n_tests(self) -> int:
        """Number of the differences of buckets that are tested."""
        return sum(row["p"] is not None for row in self.tables.buckets.rows())

    @property
    def confusion_parts(self) -> list[ConfusionPart]:
        """By confusion, a heat table of every system, and the most frequent ones of all."""
        rows_by_title: dict[str, dict[str, list[Row]]] = {}
        for row in self.tables.confusions.rows():
            by_system = rows_by_title.setdefault(row["confusion"], {system: [] for system in self.order})
            by_system[row["system"]].append(row)
        return [self._confusion_part(title, by_system) for title, by_system in rows_by_title.items()]

    def _confusion_part(self, title: str, rows_by_system: Mapping[str, Sequence[Row]]) -> ConfusionPart:
        layout = self.tables.kind.report.confusions[title]
        frequent = _most_frequent({system: rows_by_system[system] for system in self.marked})
        heat = {}
        if _repeat(rows_by_system):
            first = [self.tables.best, *(system for system in self.order if system != self.tables.best)]
            heat = {
                system: _heat_table(f"{title} by {system}", rows_by_system[system], set(self.shown)) for system in first
            }
        command = ""
        if frequent:
            pair = [(layout.rows, frequent[0].gold), (layout.columns, frequent[0].found)]
            condition = " AND ".join(
                [
                    f"{column} = {literal(value)}" if value not in OUTSIDE else f"{column} IS NULL"
                    for column, value in pair
                ]
                + ([] if layout.where is None else [layout.where])
            )
            command = self.list_command(layout.metric, ["sentence", layout.rows, layout.columns], condition)
        return ConfusionPart(title, heat, frequent, command)

    @property
    def wins(self) -> dict[str, dict[str, DocumentTable]]:
        """By title and heading, what differs most from the first system, in either direction."""
        first = self.tables.systems[0]
        return {
            title: {
                f"{better} has more right than {worse}": _largest_differences(result, first, system, sign)
                for system in self.tables.systems[1:]
                for better, worse, sign in ((system, first, 1), (first, system, -1))
            }
            for title, result in self.tables.differences.items()
        }

    @property
    def lists(self) -> dict[str, list[int]]:
        """By title, the sentences of a list that no list above has."""
        above: set[int] = set()
        numbers_by_title = {}
        for sentences in self.chosen.lists:
            numbers_by_title[sentences.title] = [number for number in sentences.numbers if number not in above]
            above.update(sentences.numbers)
        return {title: numbers for title, numbers in numbers_by_title.items() if numbers}

    @cached_property
    def opened(self) -> int | None:
        """The sentence that is not folded: the first whose drawings are short."""
        for number in self.chosen.numbers:
            figures = self.shown[number].figures
            if figures and not any(one.why for one in figures) and self._height(number) <= MAX_OPEN_HEIGHT:
                return number
        return None

    def _height(self, number: int) -> float:
        """How high the drawings of a sentence are on a wide page, in pixels."""
        pictures = (re.search(r' height="([\d.]+)"', figure.svg) for figure in self.shown[number].figures)
        return sum(float(picture[1]) for picture in pictures if picture is not None)

    @property
    def legend(self) -> str:
        """What the marks of the drawings mean; empty without drawings."""
        figures = [figure for number in self.chosen.numbers for figure in self.shown[number].figures]
        return legend_of(self.tables.kind.report.drawing, figures) if figures else ""

    def title_of(self, number: int) -> str:
        """The heading of a sentence."""
        sentence = self.shown[number]
        name = sentence.sent_id or f"{self.tables.kind.report.item} {sentence.number}"
        return f"{sentence.treebank}: {name}" if sentence.treebank else name

    @property
    def id_width(self) -> float:
        """Width of the headings of folded sentences, in sizes of their font; longer ones are cut."""
        longest = max((len(self.title_of(number)) for number in self.chosen.numbers), default=0)
        return round(min(max(0.53 * longest, MIN_ID), MAX_ID), 1)

    def scores_of(self, number: int) -> list[tuple[int, str, str]]:
        """The main score of a sentence by system, with the number of its mark."""
        at = int(self.tables.items.sentences.searchsorted(number))
        scores = dict(zip(self.tables.systems, self.chosen.scores[:, at], strict=True))
        values = {system: None if value != value else float(value) for system, value in scores.items()}
        percent = self.tables.main.percent
        return [(self.rank(name), name, score_charts.rounded_text(values[name], percent)) for name in self.order]

    def text_of(self, number: int) -> str:
        """The text of a sentence, of a very long one the beginning and its length."""
        text = self.shown[number].text
        return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}... ({len(text):,} characters)"

    def copies(self) -> dict[str, str]:
        """By format, the scores to copy."""
        tables = self.tables
        turned = "system" if len(tables.systems) <= MAX_COLUMNS and not self.has_treebanks else None
        copied = tables.scores if tables.comparison is None else tables.comparison
        rows, file = tables.scores.arrow(), io.BytesIO()
        write_csv(rows.schema, [rows], file)
        return {
            "Markdown": copied.markdown(turned_by=turned), "LaTeX": copied.latex(turned_by=turned),
            "CSV": file.getvalue().decode(),
        }  # fmt: skip


def _find_answer_score(tables: EvaluationTables) -> str:
    """The score that decides: the main one, or the first that is compared."""
    name, known = tables.main.score.name, _compared_scores(tables) or score_charts.names_with_intervals(tables.scores)
    return name if name in known or not known else known[0]


def order_systems(tables: EvaluationTables) -> list[str]:
    """The systems in the order of their colours and shapes, which drawings of sentences have as well."""
    return list(tables.systems) if len(tables.systems) <= MAX_COLUMNS else _rank_by_answer(tables)


def _rank_by_answer(tables: EvaluationTables) -> list[str]:
    """The systems by the score that decides, best first."""
    name = _find_answer_score(tables)
    intervals, direction = _intervals_of(tables, name), tables.scores.directions.get(name)
    return sorted(tables.systems, key=lambda system: score_charts.badness(intervals[system], direction))


def _compared_scores(tables: EvaluationTables) -> list[str]:
    rows = [] if tables.comparison is None else tables.comparison.rows()
    return list(dict.fromkeys(row["metric"] for row in rows))


def _intervals_of(tables: EvaluationTables, name: str) -> dict[str, Interval]:
    return {row["system"]: score_charts.interval_of(row, name) for row in score_charts.scored_rows(tables.scores)}


BASELINE, LINE = "baseline_", "_line"
"""The beginning of the columns of the first system, and the end of those of texts, in tables of differences."""


def _largest_differences(result: Result, first: str, system: str, sign: int) -> DocumentTable:
    """The first rows of a system whose difference has a sign, with heads for readers; texts are below each other."""
    rows = result.arrow()
    is_shown = pc.and_(pc.equal(rows["system"], system), pc.equal(pc.sign(rows["difference"]), sign))
    has_texts = any(name.endswith(LINE) for name in rows.column_names)
    rows = rows.filter(is_shown).slice(0, MAX_TEXTS if has_texts else MAX_DIFFERENCES).drop_columns(["system"])
    rows = rows.select([name for name in rows.column_names if rows[name].null_count < len(rows)])
    if "reference" in rows.column_names and pc.count_distinct(rows["reference"]).as_py() == 1:
        rows = rows.drop_columns("reference")
    names = {"baseline": first, "system": system}
    texts = [name for name in rows.column_names if name.endswith(LINE)]
    if texts:
        lines = [_labelled(rows[name], names.get(side := name.removesuffix(LINE), side)) for name in texts]
        rows = rows.drop_columns(texts).append_column("text", pc.binary_join_element_wise(*lines, "\n"))
    of_both = {name for name in rows.column_names if f"{BASELINE}{name}" in rows.column_names}
    heads = {name: name.replace("n_gram", "n-gram").replace("_", " ") for name in rows.column_names}
    heads |= {name: f"{heads[name]} of {system}" for name in of_both}
    heads |= {f"{BASELINE}{name}": f"{name.replace('_', ' ')} of {first}" for name in of_both}
    for at, field in enumerate(rows.schema):
        if pa.types.is_floating(field.type) and field.name not in result.percent:
            rows = rows.set_column(at, field.name, pc.round(rows[field.name], ndigits=4))
    return arrange(rows, Presentation(result.percent, result.directions, heads=heads))


def _labelled(texts: pa.ChunkedArray, label: str) -> pa.ChunkedArray:
    """Texts, each behind what it is of."""
    return pc.binary_join_element_wise(pa.scalar(label), pc.coalesce(texts, pa.scalar("")), ": ")


MISSED, EXTRA = OUTSIDE = ("(missed)", "(extra)")
"""What stands for the other side of items that only gold has, and of those that only the system has."""


def _interval(row: Row) -> Interval:
    return Interval(row["score"], row["low"], row["high"])


def _are_numbers(rows: Iterable[Row]) -> bool:
    values = {row["value"] for row in rows} - {NONE}
    return bool(find_starts(values))


def _size(rows: Sequence[Row]) -> int:
    return max(int(row["sentences"] if row["count"] is None else row["count"]) for row in rows)


def _is_counted(rows: Sequence[Row]) -> bool:
    """Whether the bucket of a value has what the score counts, such as sure links, without which it says nothing."""
    return any(row["count"] != 0 for row in rows)


def _spread(rows: Sequence[Row], name: str) -> str:
    """A number of all systems, or the smallest and the largest one."""
    numbers = {row[name] for row in rows}
    return f"{min(numbers):,}" if len(numbers) == 1 else f"{min(numbers):,}{DASH}{max(numbers):,}"


def _most_frequent(rows_by_system: Mapping[str, Sequence[Row]]) -> list[Confusion]:
    """The most frequent confusions of all systems, with the counts of each."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for system, rows in rows_by_system.items():
        for row in rows:
            if row["gold"] != row["found"]:
                counts.setdefault((row["gold"], row["found"]), {})[system] = row["count"]
    largest = sorted(counts, key=lambda pair: (-max(counts[pair].values()), pair))[:MAX_CONFUSIONS]
    most = max((max(counts[pair].values()) for pair in largest), default=1)
    return [
        Confusion(
            EXTRA if gold == NONE else gold, MISSED if found == NONE else found,
            [
                (f"{counts[gold, found].get(system, 0):,}", round(100 * counts[gold, found].get(system, 0) / most, 1))
                for system in rows_by_system
            ],
        )
        for gold, found in largest
    ]  # fmt: skip


def _repeat(rows_by_system: Mapping[str, Sequence[Row]]) -> bool:
    """Whether what is found in place of something are mostly the values that are right elsewhere, as labels are and
    words are not."""
    rows = [row for rows in rows_by_system.values() for row in rows if NONE not in (row["gold"], row["found"])]
    right = sum(row["count"] for row in rows if row["gold"] == row["found"])
    return bool(2 * right > sum(row["count"] for row in rows))


def _heat_table(caption: str, rows: Sequence[Row], shown: set[int]) -> HeatTable:
    """The values in most confusions, the most frequent first, coloured by the share of the row.

    shown: sentences of the page; a cell leads to one of them that it counts.
    """
    cells = {(row["gold"], row["found"]): row for row in rows}
    totals: dict[str, int] = {}
    wrong: dict[str, int] = {}
    for row in rows:
        totals[row["gold"]] = totals.get(row["gold"], 0) + row["count"]
        if row["gold"] != row["found"]:
            for name in (row["gold"], row["found"]):
                wrong[name] = wrong.get(name, 0) + row["count"]
    confused = sorted((name for name in totals if name != NONE), key=lambda name: (-wrong.get(name, 0), name))
    golds = sorted(confused[:MAX_CELLS], key=lambda name: (-totals[name], name))
    rows_shown = [*golds, NONE] if NONE in totals else golds
    heads = [name for name in (*golds, NONE) if any((gold, name) in cells for gold in rows_shown)]
    rests = {
        gold: totals[gold] - sum(cells[gold, name]["count"] for name in heads if (gold, name) in cells)
        for gold in rows_shown
    }
    has_rest = any(rests.values())
    lines = []
    for gold in rows_shown:
        line = [_heat_cell(cells.get((gold, name)), totals[gold], shown) for name in heads]
        line += [HeatCell(f"{rests[gold]:,}" if rests[gold] else "", mark="all")] * has_rest
        line.append(HeatCell(f"{totals[gold]:,}", mark="all"))
        lines.append((EXTRA if gold == NONE else gold, line))
    return heat_table(
        caption, [*(MISSED if name == NONE else name for name in heads), *["others"] * has_rest, "all"], lines
    )


def _percent_right(share: float) -> str:
    """Return a share as whole percents, of which 0% is none and 100% is all."""
    percent = f"{share:.0%}"
    return {"0%": "<1%", "100%": ">99%"}.get(percent, percent) if 0 < share < 1 else percent


def _heat_cell(row: Row | None, total: int, shown: set[int]) -> HeatCell:
    if row is None:
        return HeatCell("")
    share = row["count"] / total
    if row["gold"] == row["found"]:
        return HeatCell(_percent_right(share), mark="right")
    on_page = next((number for number in row["examples"] if number in shown), None)
    return HeatCell(f"{row['count']:,}", share, None if on_page is None else f"#s{on_page}")
