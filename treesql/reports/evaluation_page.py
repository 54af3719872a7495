"""The page of a report of an evaluation: its sections as HTML, from tables and drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treesql.drawing import score_charts
from treesql.drawing.score_charts import ScorePoint
from treesql.reports import page_frame
from treesql.reports.chosen_sentences import ChosenSentences
from treesql.reports.evaluation_tables import EvaluationTables
from treesql.reports.html import provenance_section
from treesql.reports.item_counts import NONE, TREEBANK
from treesql.reports.page_frame import LEVELS, PageSection, copyable, paragraphs, wide
from treesql.reports.sentence_drawings import DrawnLists
from treesql.results.documents import escape_html as escape
from treesql.results.result import Result
from treesql.results.tables import number_text
from treesql.scoring.bins import find_start
from treesql.significance.comparison import ARROWS, DAGGER
from treesql.significance.methods import LEVEL

MAX_CELLS = 16
"""Maximum number of rows and of columns of a heat map."""

MAX_TURNED = 4
"""Maximum number of systems that are columns of the table of scores, instead of rows."""

MAX_WORDS_OPEN = 16
"""Maximum number of conclusions in words that are not folded."""

MAX_DOTS = 12
"""Maximum number of buckets without an order in a chart, the largest ones; the table has all."""

MAX_TEXT = 400
"""Maximum number of characters of a sentence in the list of sentences."""

MAX_OWN_TEXT = 10_000
"""Maximum number of characters of the text of a sentence that is shown with its scores."""

Row = dict[str, Any]


@dataclass(frozen=True)
class EvaluationPage:
    """What a page is made of.

    names, texts: of the sentences that the page names, by number; how: headings and lines about what was computed from
    what.
    """

    tables: EvaluationTables
    chosen: ChosenSentences
    drawn: DrawnLists
    names: Mapping[int, str]
    texts: Mapping[int, str]
    how: Mapping[str, Sequence[str]]
    notes: Sequence[str] = field(default_factory=tuple)

    def html(self) -> str:
        """The whole page."""
        systems, kind = self.tables.systems, self.tables.kind.name
        title = f"Evaluation ({kind})" + (f": {', '.join(systems)}" if len(systems) <= MAX_TURNED else "")
        n, gold = self.tables.n_sentences, ", ".join(self.tables.against)
        count = f"{n:,} sentence{'s' * (n != 1)}"
        summary = f"<p>{_count(len(systems), 'system')} on {escape(gold)}, {count}: {escape(', '.join(systems))}.</p>"
        sections = [
            PageSection("scores", "Scores", self._scores()),
            PageSection("differences", "Where they differ", self._differences()),
            PageSection("confusions", "What they confuse", self._confusions()),
            PageSection("sentences", "Sentences", self._sentences()),
            provenance_section(self.how),
        ]
        shown = [one for one in sections if one.html]
        return page_frame.frame(title, summary, shown)

    def _scores(self) -> str:
        """Scores with intervals, who is better, and the table to copy."""
        tables = self.tables
        turned = "system" if len(tables.systems) <= MAX_TURNED and TREEBANK not in tables.scores.columns else None
        parts = [_note(line) for line in self.notes]
        text = "Every score with its 95% interval: percentile bootstrap of sentences, 10,000 runs. The best is bold."
        parts.append(f"<p>{text}</p>")
        if TREEBANK in tables.scores.columns:
            text = (
                "Rows macro are means over treebanks, rows micro are of all sentences together, as are the parts below."
            )
            parts.append(f"<p>{text}</p>")
        parts.append(wide(tables.scores.html(turned_by=turned), "Scores: table"))
        if tables.comparison is None:
            parts.append(_note(f"There is one system, {tables.systems[0]}, so nothing is compared."))
            copied = tables.scores
        else:
            copied = tables.comparison
            parts.append("<h3>Who is better</h3>")
            words = tables.comparison.words()
            listed = paragraphs(words)
            if len(words) > MAX_WORDS_OPEN:
                listed = f"<details><summary>{len(words)} conclusions in words</summary>{listed}</details>"
            parts.append(listed)
            for at, table in enumerate(tables.comparison.tables()[1:], 1):
                parts.append(wide(table.html(), f"Differences, table {at}"))
        parts.append("<h3>To copy</h3>")
        parts.append(copyable(copied.markdown(turned_by=turned), "Markdown"))
        parts.append(copyable(copied.latex(turned_by=turned), "LaTeX"))
        return "\n".join(parts)

    def _differences(self) -> str:
        """The main score by every column: a chart and a table each."""
        main, rows = self.tables.main, self.tables.buckets.rows()
        if not rows:
            return ""
        unit = " in percent" if main.percent else ""
        arrow = ARROWS.get(main.score.direction, "")
        parts = [f"<p>{escape(main.score.name)} {arrow}{unit}: {escape(main.score.doc)}.</p>"]
        if self.tables.sampled:
            text = f"A random sample of {self.tables.sampled:,} of {self.tables.n_sentences:,} sentences."
            parts.append(_note(text))
        if len(self.tables.systems) > 1:
            tests = sum(row["p"] is not None for row in rows)
            parts.append(
                f"<p>{DAGGER} differs from {escape(self.tables.systems[0])} by more than chance explains: "
                f"p &lt; {LEVEL} by shuffling of sentences, corrected by Holm's method for all {tests:,} differences "
                "in this section. Intervals are not corrected.</p>"
            )
            parts.append(
                '<label class="filter" hidden><input type="checkbox"> Only rows with a marked difference</label>'
            )
        titles = dict.fromkeys(row["attribute"] for row in rows)
        parts += [self._attribute(title, [row for row in rows if row["attribute"] == title]) for title in titles]
        return "\n".join(parts)

    def _attribute(self, title: str, rows: Sequence[Row]) -> str:
        values = list(dict.fromkeys(row["value"] for row in rows))
        by_value = {value: {row["system"]: row for row in rows if row["value"] == value} for value in values}
        heading = f"<h3>{escape(title)}</h3>"
        chart = self._chart(title, by_value)
        table = wide(self._bucket_table(title, by_value), f"{title}: table")
        return f"{heading}\n{chart}\n{table}"

    def _chart(self, title: str, by_value: Mapping[str, Mapping[str, Row]]) -> str:
        main, factor = self.tables.main, 100.0 if self.tables.main.percent else 1.0
        values = [value for value in by_value if value != NONE]
        ordered = len(values) > 1 and all(find_start(value) is not None for value in values)
        fewer = not ordered and len(values) > MAX_DOTS
        values = values[:MAX_DOTS] if fewer else values
        series = {
            system: [_point(by_value[value][system], factor) for value in values] for system in self.tables.systems
        }
        if not any(one for points in series.values() for one in points):
            return ""
        axis = f"{main.score.name}{' (%)' if main.percent else ''}"
        picture = (
            score_charts.curves(values, series, axis=axis, across=title)
            if ordered
            else score_charts.dots(values, series, axis=axis)
        )
        name = f"{main.score.name} by {title}, with 95% intervals; the table below has the numbers"
        drawn = wide(picture.svg(name, standalone=False), f"{title}: chart")
        caption = f"<figcaption>The {MAX_DOTS} largest; the table has all.</figcaption>" if fewer else ""
        return f"<figure>{drawn}{caption}</figure>"

    def _bucket_table(self, title: str, by_value: Mapping[str, Mapping[str, Row]]) -> str:
        main, systems = self.tables.main, self.tables.systems
        heads = [title, "sentences", *([main.count] if main.count else []), *systems]
        classes = ["", *[' class="n"'] * (len(heads) - 1)]
        head = "".join(f'<th scope="col"{one}>{escape(text)}</th>' for text, one in zip(heads, classes, strict=True))
        body = []
        for value, of_systems in by_value.items():
            rows = [of_systems[system] for system in systems]
            cells = [f'<th scope="row">{escape(value)}</th>']
            for name in ("sentences", *["count"] * (main.count is not None)):
                numbers = [row[name] for row in rows]
                spread = f"{min(numbers)}" if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"
                cells.append(f'<td class="n">{spread}</td>')
            cells += [_score_cell(row, main.percent) for row in rows]
            alike = ' class="alike"' if len(systems) > 1 and not any(row["differs"] for row in rows) else ""
            body.append(f"<tr{alike}>{''.join(cells)}</tr>")
        caption = f"{main.score.name} by {title}, 95% intervals in brackets"
        return (
            f'<table class="sorted"><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>'
            + "\n".join(body)
            + "</tbody></table>"
        )

    def _confusions(self) -> str:
        """Heat maps of pairs of values, each system's, with sentences for every cell."""
        rows = self.tables.confusions.rows()
        parts = []
        for title in dict.fromkeys(row["confusion"] for row in rows):
            parts.append(f"<h3>{escape(title)}</h3>")
            text = (
                "Rows: gold; columns: what the system has; the most frequent values, and the number of items. Colours "
                "are shares of the row. A number leads to a sentence; frames are around what is right."
            )
            parts.append(f"<p>{text}</p>")
            for at, system in enumerate(self.tables.systems):
                of_system = [row for row in rows if row["confusion"] == title and row["system"] == system]
                opened = " open" if at == 0 else ""
                heat = wide(_heat_map(of_system, f"{title} by {system}"), f"{title} by {system}")
                parts.append(f"<details{opened}><summary>{escape(system)}</summary>{heat}</details>")
        return "\n".join(parts)

    def _sentences(self) -> str:
        """Drawn sentences in lists, then the text of all sentences that heat maps lead to."""
        parts = []
        if self.drawn.legend:
            parts.append(f"<p>{escape(self.drawn.legend)}</p>")
        if len(self.tables.systems) > 2:
            two = " and ".join(self.tables.systems[:2])
            parts.append(f"<p>{escape(two)} are drawn; the scores of all systems stand beside.</p>")
        shown: set[int] = set()
        for one in self.chosen.lists:
            parts.append(f"<h3>{escape(one.title)}</h3>")
            if not one.numbers:
                parts.append("<p>None.</p>")
            for number in one.numbers:
                if number in shown:
                    parts.append(f'<p><a href="#s{number}">{escape(self.names[number])}</a>, shown above.</p>')
                else:
                    shown.add(number)
                    parts.append(self._sentence(number))
        others = [number for number in sorted(self.names) if number not in shown]
        if others:
            items = "".join(
                f'<li id="s{number}"><b>{escape(self.names[number])}</b> '
                f'<span dir="auto">{escape(self.texts[number][:MAX_TEXT])}</span></li>'
                for number in others
            )
            text = f"Other sentences that numbers above lead to: {len(others):,}"
            parts.append(
                f"<h3>Examples of confusions</h3>\n<details><summary>{text}</summary><ul>{items}</ul></details>"
            )
        return "\n".join(parts)

    def _sentence(self, number: int) -> str:
        """A sentence with its scores and drawings."""
        main = self.tables.main
        at = int(self.tables.items.sentences.searchsorted(number))
        scores = "".join(
            f'<tr><th scope="row">{escape(system)}</th><td class="n">{_number(float(value), main.percent)}</td></tr>'
            for system, value in zip(self.tables.systems, self.chosen.scores[:, at], strict=True)
        )
        unit = " (%)" if main.percent else ""
        head = (
            f'<thead><tr><th scope="col">system</th><th scope="col" class="n">{main.score.name}{unit}</th></tr></thead>'
        )
        table = wide(f"<table>{head}<tbody>{scores}</tbody></table>", f"Scores of {self.names[number]}")
        text = f'<p dir="auto">{escape(_bounded(self.texts[number]))}</p>' if self.texts[number] else ""
        figures = "".join(
            f"<figure><figcaption>{escape(one.caption)}</figcaption>"
            f"{wide(one.html, f'{self.names[number]}: {one.caption}')}</figure>"
            for one in self.drawn.of.get(number, ())
        )
        return f'<article id="s{number}"><h4>{escape(self.names[number])}</h4>{text}{table}{figures}</article>'


def _bounded(text: str) -> str:
    """A text, of a very long one the beginning and its length."""
    return text if len(text) <= MAX_OWN_TEXT else f"{text[:MAX_OWN_TEXT]}... ({len(text):,} characters)"


def sentences_of_cells(confusions: Result) -> set[int]:
    """The sentences that the cells of heat maps lead to."""
    found: set[int] = set()
    rows = confusions.rows()
    for key in dict.fromkeys((row["confusion"], row["system"]) for row in rows):
        of_map = [row for row in rows if (row["confusion"], row["system"]) == key]
        golds, systems = _axes(of_map)
        for row in of_map:
            if row["gold"] in golds and row["found"] in systems and row["gold"] != row["found"]:
                found.update(row["examples"][:1])
    return found


def _axes(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """The values of the rows and columns of a heat map: the same for both where they share most, the largest first."""
    sums: list[dict[str, int]] = [{}, {}]
    for row in rows:
        for side, name in zip(sums, ("gold", "found"), strict=True):
            side[row[name]] = side.get(row[name], 0) + row["count"]
    golds, systems = (sorted(side, key=lambda name, side=side: (-side[name], name))[:MAX_CELLS] for side in sums)  # type: ignore[misc]
    shared = [name for name in golds if name in sums[1]]
    if 2 * len(shared) > len(golds):
        return golds, golds
    return golds, systems


def _heat_map(rows: Sequence[Row], caption: str) -> str:
    """A table of the most frequent values, coloured by the share of the row; other cells lead to a sentence."""
    golds, systems = _axes(rows)
    cells = {(row["gold"], row["found"]): row for row in rows}
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["gold"]] = totals.get(row["gold"], 0) + row["count"]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in systems)
    lines = []
    for gold in golds:
        line = [f'<th scope="row">{escape(gold)}</th>']
        line += [_heat_cell(cells.get((gold, name)), gold == name, totals[gold]) for name in systems]
        line.append(f"<td>{totals[gold]}</td>")
        lines.append(f"<tr>{''.join(line)}</tr>")
    head = f'<thead><tr><td></td>{head}<th scope="col">all</th></tr></thead>'
    body = "\n".join(lines)
    return f'<table class="heat"><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table>'


def _heat_cell(row: Row | None, right: bool, total: int) -> str:
    if row is None:
        return "<td></td>"
    level = min(int(LEVELS * row["count"] / total), LEVELS - 1)
    named = f'class="h{level}{" right" * right}"'
    if right or not row["examples"]:
        return f"<td {named}>{row['count']}</td>"
    return f'<td {named}><a href="#s{row["examples"][0]}">{row["count"]}</a></td>'


def _score_cell(row: Row, percent: bool) -> str:
    if row["score"] is None:
        return '<td class="n">-</td>'
    ends = ""
    if row["low"] is not None:
        low, high = (number_text(row[end], percent) for end in ("low", "high"))
        ends = f' <span class="interval">[{low}, {high}]</span>'
    value = number_text(row["score"], percent)
    if row["differs"]:
        return f'<td class="n"><span class="differs">{value}{DAGGER}</span>{ends}</td>'
    return f'<td class="n">{value}{ends}</td>'


def _point(row: Row, factor: float) -> ScorePoint | None:
    if row["score"] is None:
        return None
    low, high = (row["score"] if row[end] is None else row[end] for end in ("low", "high"))
    return ScorePoint(factor * row["score"], factor * low, factor * high)


def _number(value: float, percent: bool) -> str:
    return "-" if value != value else number_text(value, percent)


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
