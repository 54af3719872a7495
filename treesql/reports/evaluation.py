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

import pyarrow as pa

from treesql import catalog, readers, significance
from treesql._version import __version__
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.evaluation.evaluate import have_aligned_words, open_and_run, warn_of_aligned_words
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.requests import Names, Systems, make_task
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import Task, check_task
from treesql.evaluation.treebanks import (
    Treebanks,
    compare_treebanks,
    evaluate_treebanks,
    naming,
    place_of,
    warn_of_treebanks,
)
from treesql.reports import SENTENCES, html
from treesql.reports.chosen_sentences import ChosenSentences, choose_sentences
from treesql.reports.evaluation_page import EvaluationPage, sentences_of_cells
from treesql.reports.evaluation_tables import (
    MAX_SENTENCES,
    EvaluationTables,
    ReportCounts,
    count_report,
    join_counts,
    make_tables,
    score_and_compare,
)
from treesql.reports.sentence_drawings import READ, Drawings, DrawnLists, draw_sentences, queries_of
from treesql.results.result import Result
from treesql.runtime import atomic_files
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.sentences import sentence_texts
from treesql.significance.methods import RUNS, SEED, Method
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
    found = sentence_texts.find_texts(inputs.engine, gold, named)
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
