"""Reports of evaluations: one HTML page of scores, comparisons, buckets, confusions and drawn sentences."""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from treesql import catalog, readers, significance
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError, Warn
from treesql.evaluation.evaluate import have_aligned_words, open_and_run, warn_of_aligned_words
from treesql.evaluation.files import BETWEEN_INPUTS, Names, Systems, make_task
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
from treesql.reports import SENTENCES, html
from treesql.reports.evaluation_page import EvaluationPage, ShownSentence, order_systems
from treesql.reports.evaluation_tables import (
    MAX_SENTENCES,
    ChosenSentences,
    EvaluationTables,
    ReportCounts,
    choose_sentences,
    count_report,
    find_differences,
    join_counts,
    make_tables,
    score_and_compare,
)
from treesql.reports.sentence_drawings import DRAWING_TABLES, draw_sentences, queries_of
from treesql.results import pages
from treesql.results.pages import Figure
from treesql.results.result import Result
from treesql.runtime import steps
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.sentences import listing
from treesql.significance import correspondence
from treesql.significance.methods import RUNS, SEED, Method
from treesql.significance.strata import find_gold_corpus

MAX_DRAWN = 400_000
"""Maximum number of characters of the drawings of a page, so that it can be sent by mail: most are of 10,000 to 60,000,
as they have forms for wide, narrow and very narrow pages."""

NO_ROOM = "not drawn: other drawings are as large as a page may be"
"""Stands in the place of a drawing."""

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
    if not isinstance(systems, Mapping) and database is None:  # the names are those of files
        names = without_shared_parts(list(task.systems))
        task = replace(task, systems=dict(zip(names, task.systems.values(), strict=True)))
    if task.tables:
        raise UsageError("a report has scores and tables of its own; leave out what chooses a table")
    settings = {**selection, "inputs": None, "sentences": sentences, "seed": seed, "out": out, "data": data}
    with significance.intervals.drawing_once():
        evaluation_report = _make_report(task, sentences, seed, _Commands(task, given, settings))
    if out is not None:
        evaluation_report.write(out, data)
    return evaluation_report


def without_shared_parts(names: Sequence[str]) -> list[str]:
    """Names of files without the endings of formats, and of several without the parts between dots that all share.

    `English.malt.conllu.gz` and `English.udpipe.conllu.gz` are `malt` and `udpipe`. Names that would begin with
    a digit keep their first parts; those that would be the same, or empty, stay as they are.
    """
    inputs = [name.split(BETWEEN_INPUTS) for name in names]
    if len(set(map(len, inputs))) > 1:
        return list(names)
    columns = [_shorten(column) for column in zip(*inputs, strict=True)]
    shortened = [BETWEEN_INPUTS.join(parts) for parts in zip(*columns, strict=True)]
    is_distinct = len(set(shortened)) == len(names) and all(map(all, columns))
    return shortened if is_distinct else list(names)


def _shorten(names: Sequence[str]) -> list[str]:
    parts_by_name = [readers.without_ending(name).split(".") for name in names]
    if len(names) > 1:
        n_last = _n_shared([parts[:0:-1] for parts in parts_by_name])
        parts_by_name = [parts[: len(parts) - n_last] for parts in parts_by_name]
        n_first = _n_shared([parts[:-1] for parts in parts_by_name])
        if all(parts[n_first][:1].isalpha() for parts in parts_by_name):
            parts_by_name = [parts[n_first:] for parts in parts_by_name]
    return [".".join(parts) for parts in parts_by_name]


def _n_shared(lists: Sequence[Sequence[str]]) -> int:
    """The number of elements with which all lists begin."""
    return sum(1 for _ in itertools.takewhile(lambda parts: len(set(parts)) == 1, zip(*lists, strict=False)))


def _make_report(task: Task, most: int, seed: int, commands: _Commands) -> EvaluationReport:
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
        return _report_on_treebanks(task, treebanks, most, seed, commands, warnings)

    def run(inputs: Inputs) -> EvaluationReport:
        inputs = replace(inputs, task=replace(inputs.task, by=()))
        scored, comparison = score_and_compare(inputs, task, seed)
        warn_of_aligned_words(inputs)
        tables = make_tables(task.kind, count_report(inputs), scored, comparison, seed, _shared_corpora(inputs))
        tables = replace(tables, differences=find_differences(inputs))
        _warn_if_sampled(tables, tables.items.gold, seed, warn_once)
        chosen = choose_sentences(tables, most)
        shown = _show_sentences(inputs, tables, chosen.numbers)
        provenance = _provenance(task, tables, seed, commands, _files(inputs), [_engine(inputs)])
        notes = _short_notes(warnings.values(), task)
        page = EvaluationPage(
            tables, chosen, _within_bounds(shown, chosen), provenance, notes, commands.listing, task.where
        )
        return EvaluationReport(page.html(), _make_results(tables, chosen, shown))

    return open_and_run(_task_to_read(task), run, _queries(task))


def _report_on_treebanks(
    task: Task, treebanks: Treebanks, most: int, seed: int, commands: _Commands, warnings: Mapping[str, Diagnostic]
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
    chosen = choose_sentences(tables, most)
    shown: dict[int, ShownSentence] = {}
    for name, first in firsts.items():
        end = min((other for other in firsts.values() if other > first), default=None)
        numbers = [number - first for number in chosen.numbers if number >= first and (end is None or number < end)]
        if numbers:
            run = functools.partial(_show_sentences, tables=tables, numbers=numbers, treebank=name)
            quiet = replace(reading[name], by=(), warn=lambda warning: None)
            part = open_and_run(quiet, run, _queries(quiet))
            shown |= {number + first: sentence for number, sentence in part.items()}
    provenance = _provenance(task, tables, seed, commands, files, engines)
    notes = _short_notes(warnings.values(), task)
    page = EvaluationPage(
        tables, chosen, _within_bounds(shown, chosen), provenance, notes, commands.listing, task.where
    )
    return EvaluationReport(page.html(), _make_results(tables, chosen, shown))


def _show_sentences(
    inputs: Inputs, tables: EvaluationTables, numbers: Sequence[int], treebank: str | None = None
) -> dict[int, ShownSentence]:
    """Draw sentences, and find their names and texts."""
    order = order_systems(tables)
    best = sorted(tables.ranked[:2], key=order.index)
    figures = draw_sentences(inputs, list(numbers), {system: order.index(system) for system in best})
    query = tables.main.query
    gold = find_gold_corpus(query, {name: inputs.values(name, [query]) for name in inputs.systems})
    texts = _find_texts(inputs, query, gold, numbers)
    return {
        number: ShownSentence(number, *texts.get(number, (None, "")), figures.get(number, ()), treebank)
        for number in numbers
    }


def _within_bounds(shown: Mapping[int, ShownSentence], chosen: ChosenSentences) -> dict[int, ShownSentence]:
    """Sentences without the drawings that a page has no room for: the first ones of every list are drawn, in turn."""
    bounded, left = dict(shown), MAX_DRAWN
    turns = itertools.zip_longest(*(sentences.numbers for sentences in chosen.lists))
    for number in dict.fromkeys(number for turn in turns for number in turn if number is not None):
        figures = shown[number].figures
        size = sum(len(figure.svg) for figure in figures)
        if size > left:
            without = [Figure(figure.caption, why=NO_ROOM) for figure in figures]
            bounded[number] = shown[number]._replace(figures=without)
        else:
            left -= size
    return bounded


def _find_texts(
    inputs: Inputs, query: catalog.Query, gold: str, numbers: Sequence[int]
) -> dict[int, tuple[str | None, str]]:
    """The ids and texts of sentences; of lattices and links, which have no text, those of the next shared corpus."""
    texts = listing.find_texts(inputs.engine, gold, numbers)
    others = [corpus for corpus in _shared_corpora(inputs) if corpus != gold]
    if not others or any(text for _, text in texts.values()):
        return texts
    places = correspondence.corresponding_numbers(inputs.engine, query, gold, others[0])
    counterparts = {number: number if places is None else int(places[number]) for number in texts}
    found = listing.find_texts(inputs.engine, others[0], list(counterparts.values()))
    return {number: (name, found.get(counterparts[number], (None, ""))[1]) for number, (name, _) in texts.items()}


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


def _short_notes(warnings: Iterable[Diagnostic], task: Task) -> list[str]:
    """Warnings as a page has them: paths without the folder that all inputs share, which the command has."""
    roles = (*task.shared.values(), *(files.values() for files in task.systems.values()))
    paths = [str(path) for of_role in roles for path in of_role]
    try:
        shared = os.path.commonpath(paths)
    except ValueError:  # of a database, on several drives, or some relative
        shared = ""
    folder = shared and f"{shared}{os.sep}"
    return [str(replace(warning, path=warning.path.removeprefix(folder))) for warning in warnings]


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
            for file in files or ():
                is_named = f" {name}".endswith(f" {Path(file['path']).name}")  # by itself, or after its role
                named = "" if is_named else f"  ({name})"
                lines.append(f"{file.get('sha256') or '-'}  {file['path']}{named}")
    return list(dict.fromkeys(lines))


def _engine(inputs: Inputs) -> str:
    return f"{inputs.engine.name} {inputs.engine.version}"


def _provenance(
    task: Task, tables: EvaluationTables, seed: int, commands: _Commands, files: Sequence[str], engines: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Headings and lines about what was computed from what."""
    signature_parts = [
        *tables.scores.signatures.values(),
        *(tables.comparison.signatures.values() if tables.comparison else ()),
        *(text for result in tables.differences.values() for text in result.signatures.values()),
    ]
    signatures = Result(pa.table({}), dict(enumerate(signature_parts))).signature.split("\n")  # type: ignore[arg-type]
    options = {**task.kind.parameters, **commands.chosen}
    chosen = [f"{name}: {json.dumps(value, default=str)}" for name, value in options.items()]
    return {
        "Command": [commands.report],
        "Signatures": signatures,
        "Options": chosen or ["all by default"],
        "Seeds and runs": [f"seed {seed} of samples, intervals and tests", f"{RUNS:,} runs of the bootstrap"],
        "Files (SHA-256)": files,
        "Versions": html.versions(*engines),
    }


@dataclass(frozen=True)
class _Commands:
    """Command lines with the inputs of a task. given: parameters; settings: of the report, and what it is about."""

    task: Task
    given: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def chosen(self) -> dict[str, object]:
        """What is not as by default: options of the kind, and what the report is about."""
        roles = {role.name for role in self.task.kind.roles}
        options = {name: value for name, value in self.given.items() if name not in roles}
        options |= {name.rstrip("_"): self.settings.get(name) for name in ("metric", "with_", "where")}
        return {name: value for name, value in options.items() if html.is_given(value)}

    @property
    def report(self) -> str:
        """The command that makes the report."""
        return self._line("report", {**self.given, **self.settings})

    def listing(self, metric: str, by: Sequence[str], condition: str) -> str:
        """The command that scores by columns, where a condition holds."""
        where = self.settings.get("where")
        both = f"({where}) AND {condition}" if where else condition
        return self._line("score", {**self.given, "metric": metric, "by": ",".join(by), "where": both})

    def _line(self, verb: str, given: Mapping[str, Any]) -> str:
        task = self.task
        words = ["treesql", verb, task.kind.name]
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
