"""Reports of evaluations: one HTML page of scores, comparisons, buckets, confusions and drawn sentences."""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from treesql import catalog, readers, significance
from treesql._version import __version__
from treesql.catalog import kinds
from treesql.drawing import score_charts
from treesql.drawing.score_charts import ScorePoint
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.evaluation.evaluate import have_aligned_words, open_and_run, warn_of_aligned_words
from treesql.evaluation.files import Names, Systems, make_task
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.task import Inputs, Task, check_task
from treesql.evaluation.treebanks import (
    Treebanks,
    compare_treebanks,
    evaluate_treebanks,
    naming,
    place_of,
    warn_of_treebanks,
)
from treesql.kernels.arrays import Floats
from treesql.reports import SENTENCES, html, page_frame
from treesql.reports.evaluation_tables import (
    MAX_SENTENCES,
    NONE,
    TREEBANK,
    EvaluationTables,
    ReportCounts,
    count_report,
    join_counts,
    make_tables,
    sample,
    score_and_compare,
    sentence_scores,
)
from treesql.reports.html import provenance_section
from treesql.reports.page_frame import LEVELS, PageSection, copyable, paragraphs, wide
from treesql.reports.sentence_drawings import READ, Drawings, DrawnLists, draw_sentences, queries_of
from treesql.results.documents import escape_html as escape
from treesql.results.result import Result
from treesql.results.tables import number_text
from treesql.runtime import atomic_files
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.scoring.items import find_start
from treesql.sentences import listing
from treesql.significance.comparison import ARROWS, DAGGER
from treesql.significance.methods import LEVEL, RUNS, SEED, Method
from treesql.significance.strata import find_gold_corpus

_FILES = "SELECT c.corpus, c.files FROM corpora AS c WHERE c.corpus = $corpus"
_SENTENCES = pa.schema(
    [
        ("list", pa.string()), ("rank", pa.int64()), ("sentence", pa.int64()), ("sent_id", pa.string()),
        ("text", pa.string()), ("system", pa.string()), ("metric", pa.string()), ("score", pa.float64()),
    ]
)  # fmt: skip


@dataclass(frozen=True)
@convert_errors_of_class
class EvaluationReport:
    """A report: its page, and the tables behind it by name.

    tables: `scores` as `score --ci` has them, `comparison` as `compare` has it, with no rows for one system, `buckets`,
    `confusions`, `sentences`.
    """

    html: str
    tables: Mapping[str, Result]

    def write(self, out: str | Path, data: str | Path | None = None) -> None:
        """Write the page, and the tables as Parquet and CSV to a folder; whole or not at all. Raises UsageError."""
        html.check_page_place(Path(out), None if data is None else Path(data))
        with ExitStack() as stack:
            if data is not None:
                folder = stack.enter_context(atomic_files.write_whole(Path(data), final=False))
                folder.mkdir()
                for name, table in self.tables.items():
                    html.write_table(table, folder / name)
            page = stack.enter_context(atomic_files.write_whole(Path(out)))
            page.write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        return f"<p>{len(self.html):,} characters of HTML; .write('report.html') writes the page</p>"


@convert_errors
def report(
    kind: str,
    *inputs: Systems,
    systems: Systems = (),
    db: str | Path | None = None,
    metric: Names = (),
    with_: Names = (),
    where: str | None = None,
    out: str | Path | None = None,
    data: str | Path | None = None,
    sentences: int = SENTENCES,
    seed: int = SEED,
    max_sentence: int | str | None = None,
    **given: Any,
) -> EvaluationReport:
    """Report on systems in one HTML page: `report("dependency", gold, system, out="report.html")`.

    The page has the scores with intervals, who is better by which test, scores in buckets, confusions, drawn sentences,
    and what all was computed from. It loads nothing from elsewhere. out: the file to write, None for none; data: a new
    folder for the tables as Parquet and CSV. sentences: number of those in each list; seed: of intervals, tests and
    samples. metric: scores instead of the default ones; buckets and sentences are by the first. Everything else as for
    `treesql.score`. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError,
    DatabaseError.
    """
    database = None if db is None else str(db)
    with readers.max_sentence(max_sentence):
        return report_task(
            kind, systems, database, given, inputs=inputs, metric=metric, with_=with_, where=where, out=out,
            data=data, sentences=sentences, seed=seed,
        )  # fmt: skip


def report_task(
    kind: str,
    systems: Systems,
    database: str | Engine | None,
    given: Mapping[str, Any],
    *,
    out: str | Path | None,
    data: str | Path | None,
    sentences: int,
    seed: int,
    **how: Any,
) -> EvaluationReport:
    """Report on files, corpora of a database that is named, or corpora of an engine; see `report`."""
    if type(sentences) is not int or sentences < 0:
        raise UsageError(f"sentences is {sentences!r}; name a whole number, 0 or more")
    if type(seed) is not int or seed < 0:
        raise UsageError(f"seed is {seed!r}; name a whole number, 0 or more")
    if out is None and data is not None:
        raise UsageError("data is written beside a page; name its file: out")
    if out is not None:
        html.check_page_place(Path(out), None if data is None else Path(data))
    task = make_task(kinds.kind(kind), systems, given, database, **how)
    if task.tables:
        raise UsageError("a report has scores and tables of its own; leave out what chooses a table")
    settings = {**how, "sentences": sentences, "seed": seed, "out": out, "data": data}
    made = _make_report(task, sentences, seed, _command(task, {**given, **settings}))
    if out is not None:
        made.write(out, data)
    return made


def _make_report(task: Task, most: int, seed: int, command: str) -> EvaluationReport:
    """Compute a report. Raises what `evaluate` and `compare` raise."""
    check_task(task)
    warn, warnings = task.warn, dict[str, Diagnostic]()

    def warn_once(warning: Diagnostic) -> None:
        if str(warning) not in warnings:
            warnings[str(warning)] = warning
            warn(warning)

    task = replace(task, warn=warn_once)
    treebanks = split_by_treebank(task)
    if treebanks is not None:
        return _report_on_treebanks(task, treebanks, most, seed, command, warnings)

    def run(inputs: Inputs) -> EvaluationReport:
        inputs = replace(inputs, task=replace(inputs.task, by=()))
        scored, comparison = score_and_compare(inputs, task, seed)
        warn_of_aligned_words(inputs)
        tables = make_tables(task.kind, count_report(inputs), scored, comparison, seed, _shared(inputs))
        _warn_if_sampled(tables, tables.items.gold, seed, warn_once)
        chosen = choose_sentences(tables, most, seed)
        shown = _show_sentences(inputs, tables, chosen.numbers, sorted(_named(tables, chosen)))
        how = _how(task, tables, seed, command, _files(inputs), [_engine(inputs)])
        return _finish(tables, chosen, shown, how, list(warnings))

    return open_and_run(_to_read(task), run, _queries(task))


def _report_on_treebanks(
    task: Task, treebanks: Treebanks, most: int, seed: int, command: str, warnings: Mapping[str, Diagnostic]
) -> EvaluationReport:
    """Report on systems on several treebanks: buckets and confusions are of all sentences together."""
    scored = evaluate_treebanks(
        replace(task, ci=True), {name: replace(one, ci=True) for name, one in treebanks.items()}
    )
    comparison = compare_treebanks(task, treebanks, Method(seed=seed)) if len(task.systems) > 1 else None
    files: list[str] = []
    engines: list[str] = []
    aligned: list[str] = []

    def count(inputs: Inputs) -> ReportCounts:
        files.extend(one for one in _files(inputs) if one not in files)
        engines[:] = [_engine(inputs)]
        counted = count_report(replace(inputs, task=replace(inputs.task, by=())))
        aligned.extend([name] * have_aligned_words(inputs))
        return counted

    reading = {name: _to_read(one) for name, one in treebanks.items()}
    of_treebanks: dict[str, ReportCounts] = {}
    for name, one in reading.items():
        with naming(name):
            of_treebanks[name] = open_and_run(one, count, _queries(one))
    warn_of_treebanks(task, aligned)
    counts, firsts = join_counts(of_treebanks)
    against = list(dict.fromkeys(path for role in task.kind.shared for path in task.shared.get(role.name, ())))
    tables = make_tables(task.kind, counts, scored, comparison, seed, against)
    _warn_if_sampled(tables, place_of(task), seed, task.warn)
    chosen = choose_sentences(tables, most, seed)
    named = sorted(_named(tables, chosen))
    shown = ShownSentences({}, {}, {})
    for name, first in firsts.items():
        end = min((other for other in firsts.values() if other > first), default=None)
        own = [number for number in named if number >= first and (end is None or number < end)]
        drawn = [number - first for number in chosen.numbers if number in own]
        if own:
            run = functools.partial(
                _show_sentences, tables=tables, drawn=drawn, named=[one - first for one in own], treebank=name
            )
            quiet = replace(reading[name], by=(), warn=lambda warning: None)
            part = open_and_run(quiet, run, _queries(quiet))
            shown = shown.joined(part, first)
    return _finish(tables, chosen, shown, _how(task, tables, seed, command, files, engines), list(warnings))


@dataclass(frozen=True)
class ShownSentences:
    """Sentences that a page names, by number: their drawings, their sent_ids, their texts; legend: of the drawings."""

    drawn: Drawings
    names: Mapping[int, str | None]
    texts: Mapping[int, str]
    legend: str = ""
    treebanks: Mapping[int, str] = field(default_factory=dict)

    def joined(self, other: ShownSentences, first: int) -> ShownSentences:
        """These and those of another treebank, whose numbers are counted from `first`."""

        def moved(of: Mapping[int, Any]) -> dict[int, Any]:
            return {number + first: one for number, one in of.items()}

        return ShownSentences(
            {**self.drawn, **moved(other.drawn)}, {**self.names, **moved(other.names)},
            {**self.texts, **moved(other.texts)}, other.legend or self.legend,
            {**self.treebanks, **moved(other.treebanks)},
        )  # fmt: skip

    def title(self, number: int) -> str:
        """The heading of a sentence."""
        name = self.names.get(number) or f"sentence {number}"
        return f"{self.treebanks[number]}: {name}" if number in self.treebanks else name


def _show_sentences(
    inputs: Inputs, tables: EvaluationTables, drawn: Sequence[int], named: Sequence[int], treebank: str | None = None
) -> ShownSentences:
    """Draw sentences, and find the names and texts of all that a page names."""
    inputs = replace(inputs, task=replace(inputs.task, by=()))
    pictures = draw_sentences(inputs, list(drawn), tables.systems[:2])
    query = tables.main.query
    gold = find_gold_corpus(query, {name: inputs.values(name, [query]) for name in inputs.systems})
    found = listing.find_texts(inputs.engine, gold, named)
    names = {number: found.get(number, (None, ""))[0] for number in named}
    texts = {number: found.get(number, (None, ""))[1] for number in named}
    return ShownSentences(
        pictures.of, names, texts, pictures.legend, {} if treebank is None else dict.fromkeys(named, treebank)
    )


def _named(tables: EvaluationTables, chosen: ChosenSentences) -> set[int]:
    return {*chosen.numbers, *sentences_of_cells(tables.confusions)}


def _finish(
    tables: EvaluationTables, chosen: ChosenSentences, shown: ShownSentences, how: Mapping[str, Sequence[str]],
    notes: Sequence[str],
) -> EvaluationReport:  # fmt: skip
    titles = {number: shown.title(number) for number in shown.names}
    page = EvaluationPage(tables, chosen, DrawnLists(shown.drawn, shown.legend), titles, shown.texts, how, notes)
    return EvaluationReport(page.html(), _tables(tables, chosen, shown))


def _to_read(task: Task) -> Task:
    """The task that reads all that a report shows."""
    report = task.kind.report
    columns = [one for confusion in report.confusions.values() for one in (confusion.rows, confusion.columns)]
    return replace(task, by=(*report.buckets.values(), *columns), whole=True, read=READ, ci=False)


def _warn_if_sampled(tables: EvaluationTables, place: str, seed: int, warn: Warn) -> None:
    if tables.sampled:
        of = f"of a random sample of {MAX_SENTENCES:,}, seed {seed}"
        what = f"{tables.n_sentences:,} sentences, and scores in buckets are those {of}"
        warn(Diagnostic.warning(place, 0, what, "scores and comparisons are of all"))


def _shared(inputs: Inputs) -> list[str]:
    return list(dict.fromkeys(corpus for role in inputs.task.kind.shared for corpus in inputs.of_role(role.name)))


def _queries(task: Task) -> list[catalog.Query]:
    """The queries that a report of a task runs."""
    report = task.kind.report
    known = [*task.queries, *queries_of(report.drawing)]
    names = {one.name for one in known}
    further = dict.fromkeys([*(one.metric for one in report.confusions.values()), *filter(None, [report.finer])])
    return [*known, *(catalog.query(name) for name in further if name not in names)]


def _tables(tables: EvaluationTables, chosen: ChosenSentences, shown: ShownSentences) -> dict[str, Result]:
    rows: list[dict[str, Any]] = []
    for one in chosen.lists:
        for rank, number in enumerate(one.numbers, 1):
            at = int(tables.items.sentences.searchsorted(number))
            name, text = shown.names[number], shown.texts[number]
            treebank = {"treebank": shown.treebanks.get(number)} if shown.treebanks else {}
            for system, value in zip(tables.systems, chosen.scores[:, at], strict=True):
                score = None if value != value else float(value)
                rows.append(
                    {"list": one.name, "rank": rank, **treebank, "sentence": number, "sent_id": name, "text": text}
                    | {"system": system, "metric": tables.main.score.name, "score": score}
                )
    fields = [
        *list(_SENTENCES)[:2],
        *([pa.field("treebank", pa.string())] * bool(shown.treebanks)),
        *list(_SENTENCES)[2:],
    ]
    comparison = tables.comparison if tables.comparison is not None else significance.compare.without_rows()
    return {
        "scores": tables.scores,
        "comparison": comparison,
        "buckets": tables.buckets,
        "confusions": tables.confusions,
        "sentences": Result(pa.Table.from_pylist(rows, pa.schema(fields))),
    }


def _files(inputs: Inputs) -> list[str]:
    """The files that corpora were read from, with their digests."""
    found = []
    for corpus in dict.fromkeys(corpus for _, corpus in inputs.by_role):
        for name, listed in inputs.engine.rows(_FILES, {"corpus": corpus}):
            found += [f"{one.get('sha256') or '-'}  {one['path']}  ({name})" for one in listed or ()]
    return found


def _engine(inputs: Inputs) -> str:
    return f"{inputs.engine.name} {inputs.engine.version}"


def _how(
    task: Task, tables: EvaluationTables, seed: int, command: str, files: Sequence[str], engines: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Headings and lines about what was computed from what."""
    cited = [*tables.scores.signatures.values(), *(tables.comparison.signatures.values() if tables.comparison else ())]
    signatures = Result(pa.table({}), dict(enumerate(cited))).signature.split("\n")  # type: ignore[arg-type]
    options = {**task.kind.parameters, **task.parameters}
    chosen = [f"{name}: {json.dumps(value, default=str)}" for name, value in options.items()]
    return {
        "Command": [command],
        "Signatures": signatures,
        "Options": chosen or ["all by default"],
        "Seeds and runs": [f"seed {seed} of samples, intervals and tests", f"{RUNS:,} runs of the bootstrap"],
        "Files (SHA-256)": files,
        "Versions": [
            f"treesql {__version__}", *engines, f"Python {platform.python_version()}",
        ],
    }  # fmt: skip


def _command(task: Task, given: Mapping[str, Any]) -> str:
    """The command line that makes the report."""
    words = ["treesql", "report", task.kind.name]
    options: dict[str, object] = {}
    for role in task.kind.shared:
        paths = list(task.shared.get(role.name, ()))
        if role.option:
            options[role.name] = paths
        else:
            words += paths
    options["system"] = [f"{name}={','.join(own.values())}" for name, own in task.systems.items()]
    options["db"] = task.database if isinstance(task.database, str) else None
    roles = {role.name for role in task.kind.roles}
    for name, value in given.items():
        if name not in roles:
            written = {"with_": "with", "out": "-o"}.get(name, name.replace("_", "-").replace("format", "from"))
            several = isinstance(value, Sequence) and not isinstance(value, str)
            options[written] = list(value) if several else value
    return html.command_line(words, options)


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


@dataclass(frozen=True)
class SentenceList:
    """Sentences under a heading. name: of the list in data; numbers: of the sentences."""

    name: str
    title: str
    numbers: Sequence[int]


@dataclass(frozen=True)
class ChosenSentences:
    """Lists of sentences. scores: the main score of all sentences by system, NaN for none, float64[systems, n]."""

    lists: Sequence[SentenceList]
    scores: Floats

    @property
    def numbers(self) -> list[int]:
        """The sentences of all lists, each once."""
        return list(dict.fromkeys(number for one in self.lists for number in one.numbers))


def choose_sentences(tables: EvaluationTables, most: int, seed: int) -> ChosenSentences:
    """Choose at most so many sentences for each list.

    The first system wins most where the difference of the scores times the size of the sentence is largest; all fail
    where the best system loses most, likewise.
    """
    scores, sizes = sentence_scores(tables)
    better = -scores if tables.main.lower else scores
    numbers = tables.items.sentences
    first = tables.systems[0]

    def largest(gains: Floats) -> list[int]:
        known = np.where(np.isnan(gains), 0.0, gains)
        order = np.argsort(-known, kind="stable")[:most]
        return [int(numbers[at]) for at in order if known[at] > 0]

    lists = []
    if len(tables.systems) > 1:
        second = tables.systems[1]
        gains = (better[0] - better[1]) * sizes
        lists.append(SentenceList("first_wins", f"Where {first} wins most over {second}", largest(gains)))
        lists.append(SentenceList("second_wins", f"Where {second} wins most over {first}", largest(-gains)))
    known = np.where(np.isnan(better), -np.inf, better).max(axis=0)
    loss = np.where(np.isinf(known), 0.0, (1.0 - known if not tables.main.lower else -known)) * sizes
    title = "Where all systems fail" if len(tables.systems) > 1 else f"Where {first} fails most"
    lists.append(SentenceList("all_fail", title, largest(loss)))
    drawn = [int(number) for number in sample(numbers, most, seed)]
    lists.append(SentenceList("random", f"A random sample, seed {seed}", drawn))
    return ChosenSentences(lists, scores)
