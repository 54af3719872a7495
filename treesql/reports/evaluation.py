"""Reports of evaluations: one HTML page of scores, comparisons, buckets, confusions and drawn sentences."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from treesql import catalog, readers, significance
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.evaluation.evaluate import have_aligned_words, open_and_run, warn_of_aligned_words
from treesql.evaluation.files import Names, Systems, make_task
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.sources import summed_once
from treesql.evaluation.task import Inputs, Task, check_task
from treesql.evaluation.treebanks import (
    Treebanks,
    TreebanksToCompare,
    TreebanksToScore,
    naming,
    place_of,
    warn_of_treebanks,
)
from treesql.kernels.arrays import Floats
from treesql.reports import SENTENCES, html
from treesql.reports.evaluation_tables import (
    MAX_SENTENCES,
    TREEBANK,
    EvaluationTables,
    ReportCounts,
    count_report,
    find_differences,
    join_counts,
    make_tables,
    sample,
    score_and_compare,
    sentence_scores,
)
from treesql.reports.sentence_drawings import DRAWING_TABLES, draw_sentences, legend_of, queries_of
from treesql.results import pages
from treesql.results.documents import Cell, DocumentTable
from treesql.results.pages import HEAT_LEVELS, Figure, counted
from treesql.results.result import Result
from treesql.results.tables import number_text
from treesql.runtime import steps
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors, convert_errors_of_class
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
    `confusions`, `sentences`, and those that compare systems with the first one, such as `n_gram_differences`.
    """

    html: str
    tables: Mapping[str, Result]

    def write(self, out: str | Path, data: str | Path | None = None) -> None:
        """Write the page, and the tables as Parquet and CSV to a folder; whole or not at all. Raises UsageError."""
        folder = None if data is None else Path(data)
        html.check_page_place(Path(out), folder)
        html.write_files(Path(out), self.html, self.tables, {}, folder)

    def _repr_html_(self) -> str:
        text = f"{len(self.html):,} characters of HTML; .write('report.html') writes the page"
        return pages.notebook(Figure(text=text))


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
    **selection: Any,
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
    task = make_task(kinds.kind(kind), systems, given, database, **selection)
    if task.tables:
        raise UsageError("a report has scores and tables of its own; leave out what chooses a table")
    settings = {**selection, "sentences": sentences, "seed": seed, "out": out, "data": data}
    with significance.intervals.drawing_once():
        evaluation_report = _make_report(task, sentences, seed, _command(task, {**given, **settings}))
    if out is not None:
        evaluation_report.write(out, data)
    return evaluation_report


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
        tables = make_tables(task.kind, count_report(inputs), scored, comparison, seed, _shared_corpora(inputs))
        tables = replace(tables, differences=find_differences(inputs))
        _warn_if_sampled(tables, tables.items.gold, seed, warn_once)
        chosen = choose_sentences(tables, most, seed)
        shown = _show_sentences(inputs, tables, chosen.numbers, sorted(_named_sentences(tables, chosen)))
        provenance = _provenance(task, tables, seed, command, _files(inputs), [_engine(inputs)])
        page = EvaluationPage(tables, chosen, shown, provenance, list(warnings))
        return EvaluationReport(page.html(), _make_results(tables, chosen, shown))

    return open_and_run(_task_to_read(task), run, _queries(task))


def _report_on_treebanks(
    task: Task, treebanks: Treebanks, most: int, seed: int, command: str, warnings: Mapping[str, Diagnostic]
) -> EvaluationReport:
    """Report on systems on several treebanks: buckets and confusions are of all sentences together."""
    to_score = TreebanksToScore(replace(task, ci=True), treebanks)
    to_compare = TreebanksToCompare(task, treebanks, Method(seed=seed)) if len(task.systems) > 1 else None
    files: list[str] = []
    engines: list[str] = []
    aligned: list[str] = []

    def score_and_count(inputs: Inputs, name: str) -> ReportCounts:
        with summed_once(replace(inputs, task=replace(treebanks[name], ci=True))) as summed:
            to_score.add(name, summed)
            if to_compare is not None:
                to_compare.add(name, summed)
        files.extend(line for line in _files(inputs) if line not in files)
        engines[:] = [_engine(inputs)]
        aligned.extend([name] * have_aligned_words(inputs))
        return count_report(replace(inputs, task=replace(inputs.task, by=())))

    reading = {name: _task_to_read(treebank_task) for name, treebank_task in treebanks.items()}
    counts_by_treebank: dict[str, ReportCounts] = {}
    for name, treebank_task in steps.each(reading.items(), "treebanks"):
        with naming(name):
            counts_by_treebank[name] = open_and_run(
                treebank_task, functools.partial(score_and_count, name=name), _queries(treebank_task)
            )
    scored, comparison = to_score.result(), None if to_compare is None else to_compare.result()
    warn_of_treebanks(task, aligned)
    counts, firsts = join_counts(counts_by_treebank)
    against = list(dict.fromkeys(path for role in task.kind.shared for path in task.shared.get(role.name, ())))
    tables = make_tables(task.kind, counts, scored, comparison, seed, against)
    _warn_if_sampled(tables, place_of(task), seed, task.warn)
    chosen = choose_sentences(tables, most, seed)
    named = sorted(_named_sentences(tables, chosen))
    shown: dict[int, ShownSentence] = {}
    for name, first in firsts.items():
        end = min((other for other in firsts.values() if other > first), default=None)
        numbers = [number for number in named if number >= first and (end is None or number < end)]
        drawn = [number - first for number in chosen.numbers if number in numbers]
        if numbers:
            run = functools.partial(
                _show_sentences, tables=tables, drawn=drawn, named=[number - first for number in numbers], treebank=name
            )
            quiet = replace(reading[name], by=(), warn=lambda warning: None)
            part = open_and_run(quiet, run, _queries(quiet))
            shown |= {number + first: sentence for number, sentence in part.items()}
    page = EvaluationPage(
        tables, chosen, shown, _provenance(task, tables, seed, command, files, engines), list(warnings)
    )
    return EvaluationReport(page.html(), _make_results(tables, chosen, shown))


class ShownSentence(NamedTuple):
    """A sentence that a page names. figures: its drawings, none of one that is only named."""

    sent_id: str | None
    text: str
    figures: Sequence[Figure]
    treebank: str | None


def _show_sentences(
    inputs: Inputs, tables: EvaluationTables, drawn: Sequence[int], named: Sequence[int], treebank: str | None = None
) -> dict[int, ShownSentence]:
    """Draw sentences, and find the names and texts of all that a page names."""
    figures = draw_sentences(inputs, list(drawn), tables.systems[:2])
    query = tables.main.query
    gold = find_gold_corpus(query, {name: inputs.values(name, [query]) for name in inputs.systems})
    texts = listing.find_texts(inputs.engine, gold, named)
    return {
        number: ShownSentence(*texts.get(number, (None, "")), figures.get(number, ()), treebank) for number in named
    }


def _named_sentences(tables: EvaluationTables, chosen: ChosenSentences) -> set[int]:
    return {*chosen.numbers, *sentences_of_cells(tables)}


def _task_to_read(task: Task) -> Task:
    """The task that reads all that a report shows."""
    report = task.kind.report
    columns = [column for confusion in report.confusions.values() for column in (confusion.rows, confusion.columns)]
    return replace(task, by=(*report.buckets.values(), *columns), whole=True, read=DRAWING_TABLES, ci=False)


def _warn_if_sampled(tables: EvaluationTables, place: str, seed: int, warn: Warn) -> None:
    if tables.sampled:
        sample_size = f"of a random sample of {MAX_SENTENCES:,}, seed {seed}"
        what = f"{tables.n_sentences:,} sentences, and scores in buckets are those {sample_size}"
        warn(Diagnostic.warning(place, 0, what, "scores and comparisons are of all"))


def _shared_corpora(inputs: Inputs) -> list[str]:
    return list(dict.fromkeys(corpus for role in inputs.task.kind.shared for corpus in inputs.of_role(role.name)))


def _queries(task: Task) -> list[catalog.Query]:
    """The queries that a report of a task runs."""
    report = task.kind.report
    known = [*task.queries, *queries_of(report.drawing)]
    names = {query.name for query in known}
    further = dict.fromkeys(
        [*(confusion.metric for confusion in report.confusions.values()), *filter(None, [report.finer])]
        + (list(report.differences.values()) if len(task.systems) > 1 else [])
    )
    return [*known, *(catalog.query(name) for name in further if name not in names)]


def _make_results(
    tables: EvaluationTables, chosen: ChosenSentences, shown: Mapping[int, ShownSentence]
) -> dict[str, Result]:
    has_treebanks = any(sentence.treebank for sentence in shown.values())
    rows: list[dict[str, Any]] = []
    for sentences in chosen.lists:
        for rank, number in enumerate(sentences.numbers, 1):
            sentence, at = shown[number], int(tables.items.sentences.searchsorted(number))
            row = {"list": sentences.name, "rank": rank, "treebank": sentence.treebank, "sentence": number}
            row |= {"sent_id": sentence.sent_id, "text": sentence.text, "metric": tables.main.score.name}
            for system, value in zip(tables.systems, chosen.scores[:, at], strict=True):
                rows.append({**row, "system": system, "score": None if value != value else float(value)})
    schema = _SENTENCES.insert(2, pa.field("treebank", pa.string())) if has_treebanks else _SENTENCES
    comparison = tables.comparison if tables.comparison is not None else significance.compare.without_rows()
    return {
        "scores": tables.scores,
        "comparison": comparison,
        "buckets": tables.buckets,
        "confusions": tables.confusions,
        "sentences": Result(pa.Table.from_pylist(rows, schema)),
        **{tables.kind.report.differences[title]: result for title, result in tables.differences.items()},
    }


def _files(inputs: Inputs) -> list[str]:
    """The files that corpora were read from, with their digests."""
    lines = []
    for corpus in dict.fromkeys(corpus for _, corpus in inputs.by_role):
        for name, files in inputs.engine.rows(_FILES, {"corpus": corpus}):
            lines += [f"{file.get('sha256') or '-'}  {file['path']}  ({name})" for file in files or ()]
    return lines


def _engine(inputs: Inputs) -> str:
    return f"{inputs.engine.name} {inputs.engine.version}"


def _provenance(
    task: Task, tables: EvaluationTables, seed: int, command: str, files: Sequence[str], engines: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Headings and lines about what was computed from what."""
    signature_parts = [
        *tables.scores.signatures.values(),
        *(tables.comparison.signatures.values() if tables.comparison else ()),
        *(text for result in tables.differences.values() for text in result.signatures.values()),
    ]
    signatures = Result(pa.table({}), dict(enumerate(signature_parts))).signature.split("\n")  # type: ignore[arg-type]
    options = {**task.kind.parameters, **task.parameters}
    chosen = [f"{name}: {json.dumps(value, default=str)}" for name, value in options.items()]
    return {
        "Command": [command],
        "Signatures": signatures,
        "Options": chosen or ["all by default"],
        "Seeds and runs": [f"seed {seed} of samples, intervals and tests", f"{RUNS:,} runs of the bootstrap"],
        "Files (SHA-256)": files,
        "Versions": html.versions(*engines),
    }


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
    options["system"] = [f"{name}={','.join(files.values())}" for name, files in task.systems.items()]
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

MAX_DIFFERENCES = 10
"""Maximum number of rows of a list of what one system has right and another wrong."""

MAX_SYSTEM_COLUMNS = 4
"""Maximum number of systems that are columns of the table of scores, instead of rows."""

MAX_WORDS_OPEN = 16
"""Maximum number of conclusions in words that are not folded."""

SCALE = 280
"""Width of the scale of scores in tables of buckets, in pixels."""

MAX_TEXT = 400
"""Maximum number of characters of a sentence in the list of sentences."""

MAX_TEXT_WITH_SCORES = 10_000
"""Maximum number of characters of the text of a sentence that is shown with its scores."""

Row = dict[str, Any]


@dataclass(frozen=True)
class EvaluationPage:
    """What a page is made of.

    shown: the sentences that the page names, by number; provenance: headings and lines about what was computed from
    what; notes: the warnings.
    """

    tables: EvaluationTables
    chosen: ChosenSentences
    shown: Mapping[int, ShownSentence]
    provenance: Mapping[str, Sequence[str]]
    notes: Sequence[str]

    def html(self) -> str:
        """The whole page."""
        tables = self.tables
        names, n = ", ".join(tables.systems), len(tables.systems)
        title = f"Evaluation ({tables.kind.name})" + (f": {names}" if n <= MAX_SYSTEM_COLUMNS else "")
        on = f"{', '.join(tables.against)}, {counted(tables.n_sentences, 'sentence')}"
        sections = {
            "scores": "Scores", "differences": "Where they differ", "confusions": "What they confuse",
            "wins": "What one has right and another wrong",
            "sentences": "Sentences", **html.PROVENANCE,
        }  # fmt: skip
        shown = {"differences": len(tables.buckets), "confusions": len(tables.confusions)}
        shown["wins"] = len(tables.differences)
        return pages.render(
            "evaluation.html", title=title, summary=f"{counted(n, 'system')} on {on}: {names}.", page=self,
            sections={name: text for name, text in sections.items() if shown.get(name, True)},
            main=tables.main, systems=tables.systems, of_treebanks=TREEBANK in tables.scores.columns,
            dagger=DAGGER, level=LEVEL, scale=SCALE, runs=RUNS, arrow=ARROWS.get(tables.main.score.direction, ""),
            most_words=MAX_WORDS_OPEN, most_characters=MAX_TEXT,
        )  # fmt: skip

    @property
    def turned(self) -> str | None:
        """The column whose values are the heads of the table of scores, if it has a row per score."""
        few = len(self.tables.systems) <= MAX_SYSTEM_COLUMNS and TREEBANK not in self.tables.scores.columns
        return "system" if few else None

    @property
    def n_tests(self) -> int:
        """Number of the differences of buckets that are tested."""
        return sum(row["p"] is not None for row in self.tables.buckets.rows())

    @property
    def bucket_tables(self) -> list[BucketTable]:
        """The main score by every column."""
        rows = self.tables.buckets.rows()
        titles = dict.fromkeys(row["attribute"] for row in rows)
        return [
            _bucket_table(title, [row for row in rows if row["attribute"] == title], self.tables) for title in titles
        ]

    @property
    def wins(self) -> dict[str, dict[str, Result]]:
        """By title and heading, what differs most from the first system, in either direction."""
        first = self.tables.systems[0]
        headed = {}
        for title, result in self.tables.differences.items():
            table = result.arrow()
            headed[title] = {
                f"{better} has more right than {worse}": replace(result, _table=_largest_of(table, system, sign))
                for system in self.tables.systems[1:]
                for better, worse, sign in ((system, first, 1), (first, system, -1))
            }
        return headed

    @property
    def heat_maps(self) -> dict[str, dict[str, DocumentTable]]:
        """By confusion and system, pairs of values, with a sentence for every cell."""
        return {
            title: {system: _heat_map(rows, f"{title} by {system}") for system, rows in rows_by_system.items()}
            for title, rows_by_system in _rows_of_maps(self.tables).items()
        }

    @property
    def lists(self) -> dict[str, list[tuple[int, bool]]]:
        """By title, the sentences of a list, and whether another list above has them."""
        numbers_by_title: dict[str, list[tuple[int, bool]]] = {}
        above: set[int] = set()
        for sentences in self.chosen.lists:
            numbers_by_title[sentences.title] = [(number, number in above) for number in sentences.numbers]
            above.update(sentences.numbers)
        return numbers_by_title

    @property
    def others(self) -> list[int]:
        """The sentences that heat maps lead to, besides those that are drawn."""
        return sorted(set(self.shown) - set(self.chosen.numbers))

    @property
    def legend(self) -> str:
        """What the marks of the drawings mean; empty without drawings."""
        return legend_of(self.tables.kind.report.drawing) if self.chosen.numbers else ""

    def title_of(self, number: int) -> str:
        """The heading of a sentence."""
        sentence = self.shown[number]
        name = sentence.sent_id or f"sentence {number}"
        return f"{sentence.treebank}: {name}" if sentence.treebank else name

    def scores_of(self, number: int) -> DocumentTable:
        """The main score of a sentence by system."""
        main, at = self.tables.main, int(self.tables.items.sentences.searchsorted(number))
        heads = ["system", f"{main.score.name}{' (%)' if main.percent else ''}"]
        values = [None if value != value else float(value) for value in self.chosen.scores[:, at]]
        rows = [
            [Cell(system), Cell(number_text(value, main.percent))]
            for system, value in zip(self.tables.systems, values, strict=True)
        ]
        return DocumentTable(heads, [False, True], rows)

    def text_of(self, number: int) -> str:
        """The text of a sentence, of a very long one the beginning and its length."""
        text = self.shown[number].text
        return (
            text
            if len(text) <= MAX_TEXT_WITH_SCORES
            else f"{text[:MAX_TEXT_WITH_SCORES]}... ({len(text):,} characters)"
        )


def _largest_of(table: pa.Table, system: str, sign: int) -> pa.Table:
    """The first rows of a system whose difference has a sign."""
    is_shown = pc.and_(pc.equal(table["system"], system), pc.equal(pc.sign(table["difference"]), sign))
    return table.filter(is_shown).slice(0, MAX_DIFFERENCES).drop_columns(["system"])


class BucketCell(NamedTuple):
    """The score of a system in a bucket as text, with its interval.

    places: of the lower end, the score and the upper end on the scale of its table, from 0 to SCALE; empty for none.
    """

    text: str
    interval: str
    differs: bool
    places: Sequence[float] = ()


class Bucket(NamedTuple):
    """A value of a column with the scores of all systems. sizes: its sentences, and its count if the score has one;
    alike: whether no system is marked as different."""

    value: str
    sizes: Sequence[str]
    scores: Sequence[BucketCell]
    alike: bool


class BucketTable(NamedTuple):
    """The main score by the values of a column. ticks: numbers on the scale by their places, none without scores;
    left_out: counts without a value."""

    title: str
    sizes: Sequence[str]
    ticks: Mapping[float, str]
    buckets: Sequence[Bucket]
    left_out: str = ""


def _bucket_table(title: str, rows: Sequence[Row], tables: EvaluationTables) -> BucketTable:
    percent, n = tables.main.percent, len(tables.systems)
    ends = [row[end] for row in rows for end in ("low", "score", "high") if row[end] is not None]
    ticks = _round_numbers(min(ends), max(ends)) if ends else []
    start, width = (ticks[0], ticks[-1] - ticks[0]) if ticks else (0.0, 1.0)

    def place(value: float) -> float:
        return round(SCALE * (value - start) / width, 1)

    def score(row: Row) -> BucketCell:
        text = number_text(row["score"], percent)
        if row["score"] is None:
            return BucketCell(text, "", False)
        low, high = row["low"], row["high"]
        interval = "" if low is None else f"[{number_text(low, percent)}, {number_text(high, percent)}]"
        bounds = [row["score"] if end is None else end for end in (low, row["score"], high)]
        return BucketCell(text, interval, bool(row["differs"]), [place(end) for end in bounds])

    sizes = ["sentences", *filter(None, [tables.main.count])]
    by_value = [rows[at : at + n] for at in range(0, len(rows), n)]
    return BucketTable(
        title, sizes, {place(tick): f"{100 * tick if percent else tick:.4g}" for tick in ticks},
        [
            Bucket(
                system_rows[0]["value"], [_spread(system_rows, name) for name in ("sentences", "count")[: len(sizes)]],
                [score(row) for row in system_rows], n > 1 and not any(row["differs"] for row in system_rows),
            )
            for system_rows in by_value
        ],
        tables.left_out.get(title, ""),
    )  # fmt: skip


def _spread(rows: Sequence[Row], name: str) -> str:
    """A number of all systems, or the smallest and the largest one."""
    numbers = {row[name] for row in rows}
    return f"{min(numbers)}" if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"


def _round_numbers(low: float, high: float) -> list[float]:
    """About six round numbers, from one that is not above the lowest value to one that is not below the highest."""
    if high <= low:
        low, high = low - 0.5, high + 0.5
    power = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= (high - low) / 5)
    first, last = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return [step * at for at in range(first, last + 1)]


def _rows_of_maps(tables: EvaluationTables) -> dict[str, dict[str, list[Row]]]:
    """By confusion and system, the rows of a heat map."""
    rows_by_confusion: dict[str, dict[str, list[Row]]] = {}
    for row in tables.confusions.rows():
        rows_by_system = rows_by_confusion.setdefault(row["confusion"], {system: [] for system in tables.systems})
        rows_by_system[row["system"]].append(row)
    return rows_by_confusion


def sentences_of_cells(tables: EvaluationTables) -> set[int]:
    """The sentences that the cells of heat maps lead to."""
    numbers: set[int] = set()
    for rows in (rows for rows_by_system in _rows_of_maps(tables).values() for rows in rows_by_system.values()):
        golds, systems = _axes(rows)
        for row in rows:
            if row["gold"] in golds and row["found"] in systems and row["gold"] != row["found"]:
                numbers.update(row["examples"][:1])
    return numbers


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


def _heat_map(rows: Sequence[Row], caption: str) -> DocumentTable:
    """A table of the most frequent values, coloured by the share of the row; other cells lead to a sentence."""
    golds, systems = _axes(rows)
    cells = {(row["gold"], row["found"]): row for row in rows}
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["gold"]] = totals.get(row["gold"], 0) + row["count"]
    lines = [
        [Cell(gold), *(_heat_cell(cells.get((gold, name)), totals[gold]) for name in systems), Cell(str(totals[gold]))]
        for gold in golds
    ]
    return DocumentTable(["", *systems, "all"], [False, *[True] * (len(systems) + 1)], lines, caption=caption)


def _heat_cell(row: Row | None, total: int) -> Cell:
    if row is None:
        return Cell("")
    level, right = min(int(HEAT_LEVELS * row["count"] / total), HEAT_LEVELS - 1), row["gold"] == row["found"]
    href = None if right or not row["examples"] else f"#s{row['examples'][0]}"
    return Cell(str(row["count"]), href=href, mark=f"h{level}{' right' * right}")


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
        return list(dict.fromkeys(number for sentences in self.lists for number in sentences.numbers))


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
