"""Reports of evaluations: one HTML page of scores, comparisons, buckets, confusions and drawn sentences."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from treesql import catalog, significance
from treesql._version import __version__
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.errors import Diagnostic, UsageError
from treesql.evaluation.evaluate import alignment_warning, open_and_run
from treesql.evaluation.paired_files import split_by_treebank
from treesql.evaluation.requests import Names, Systems, make_task
from treesql.evaluation.roles import Inputs
from treesql.evaluation.task import Task, check_task
from treesql.readers import sentence_limits
from treesql.reports import html
from treesql.reports.chosen_sentences import ChosenSentences, choose_sentences
from treesql.reports.evaluation_page import EvaluationPage, sentences_of_cells
from treesql.reports.evaluation_tables import MAX_SENTENCES, EvaluationTables, collect_tables
from treesql.reports.sentence_drawings import READ, draw_sentences, queries_of
from treesql.results.result import Result
from treesql.runtime import atomic_files
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.sentences import sentence_texts
from treesql.significance.methods import RUNS, SEED

SENTENCES = 5
"""Number of sentences of each list by default."""

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
    *,
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
    """Report on systems in one HTML page: `report("dependency", gold=..., systems=[...], out="report.html")`.

    The page has the scores with intervals, who is better by which test, scores in buckets, confusions, drawn sentences,
    and what all was computed from. It loads nothing from elsewhere. out: the file to write, None for none; data: a new
    folder for the tables as Parquet and CSV. sentences: number of those in each list; seed: of intervals, tests and
    samples. metric: scores instead of the default ones; buckets and sentences are by the first. Everything else as for
    `treesql.score`. Warns with TreesqlWarning. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError,
    DatabaseError.
    """
    database = None if db is None else str(db)
    with sentence_limits.max_sentence(max_sentence):
        return report_task(
            kind, systems, database, given, metric=metric, with_=with_, where=where, out=out, data=data,
            sentences=sentences, seed=seed,
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
    if split_by_treebank(task) is not None:
        raise UsageError("a report is about one corpus; name files instead of folders or patterns")
    warnings: dict[str, Diagnostic] = {}

    def warn_once(warning: Diagnostic) -> None:
        if str(warning) not in warnings:
            warnings[str(warning)] = warning
            task.warn(warning)

    kind = task.kind
    columns = [one for confusion in kind.report.confusions.values() for one in (confusion.rows, confusion.columns)]
    reading = replace(
        task, by=(*kind.report.buckets.values(), *columns), whole=True, read=READ, warn=warn_once, ci=False
    )

    def run(inputs: Inputs) -> EvaluationReport:
        inputs = replace(inputs, task=replace(inputs.task, by=()))
        if inputs.task.metrics != task.metrics or inputs.task.added != task.added:
            warn_once(alignment_warning(inputs.of_role(kind.shared[0].name)[0]))
        tables = collect_tables(inputs, task, seed)
        if tables.sampled:
            of = f"of a random sample of {MAX_SENTENCES:,}, seed {seed}"
            what = f"{tables.n_sentences:,} sentences, and scores in buckets are those {of}"
            warn_once(Diagnostic.warning(tables.items.gold, 0, what, "scores and comparisons are of all"))
        chosen = choose_sentences(tables, most, seed)
        drawn = draw_sentences(inputs, chosen.numbers, tables.systems[:2])
        named = sorted({*chosen.numbers, *sentences_of_cells(tables.confusions)})
        found = sentence_texts.find_texts(inputs.engine, tables.items.gold, named)
        names = {number: found.get(number, (None, ""))[0] or f"sentence {number}" for number in named}
        texts = {number: found.get(number, (None, ""))[1] for number in named}
        page = EvaluationPage(tables, chosen, drawn, names, texts, _how(inputs, tables, seed, command), list(warnings))
        return EvaluationReport(page.html(), _tables(tables, chosen, found))

    made, _ = open_and_run(reading, run, lambda task: _queries(task))
    return made


def _queries(task: Task) -> list[catalog.Query]:
    """The queries that a report of a task runs."""
    report = task.kind.report
    known = [*task.queries, *queries_of(report.drawing)]
    names = {one.name for one in known}
    further = dict.fromkeys([*(one.metric for one in report.confusions.values()), *filter(None, [report.finer])])
    return [*known, *(catalog.query(name) for name in further if name not in names)]


def _tables(
    tables: EvaluationTables, chosen: ChosenSentences, found: Mapping[int, tuple[str | None, str]]
) -> dict[str, Result]:
    rows = []
    for one in chosen.lists:
        for rank, number in enumerate(one.numbers, 1):
            at = int(tables.items.sentences.searchsorted(number))
            name, text = found.get(number, (None, ""))
            for system, value in zip(tables.systems, chosen.scores[:, at], strict=True):
                score = None if value != value else float(value)
                rows.append(
                    {"list": one.name, "rank": rank, "sentence": number, "sent_id": name, "text": text}
                    | {"system": system, "metric": tables.main.score.name, "score": score}
                )
    comparison = tables.comparison if tables.comparison is not None else significance.compare.without_rows()
    return {
        "scores": tables.scores,
        "comparison": comparison,
        "buckets": tables.buckets,
        "confusions": tables.confusions,
        "sentences": Result(pa.Table.from_pylist(rows, _SENTENCES)),
    }


def _how(inputs: Inputs, tables: EvaluationTables, seed: int, command: str) -> dict[str, list[str]]:
    """Headings and lines about what was computed from what."""
    cited = [*tables.scores.signatures.values(), *(tables.comparison.signatures.values() if tables.comparison else ())]
    signatures = Result(pa.table({}), dict(enumerate(cited))).signature.split("\n")  # type: ignore[arg-type]
    files = []
    for corpus in dict.fromkeys(corpus for _, corpus in inputs.by_role):
        for name, listed in inputs.engine.rows(_FILES, {"corpus": corpus}):
            files += [f"{one.get('sha256') or '-'}  {one['path']}  ({name})" for one in listed or ()]
    options = {**inputs.task.kind.parameters, **inputs.task.parameters}
    chosen = [f"{name}: {json.dumps(value, default=str)}" for name, value in options.items()]
    return {
        "Command": [command],
        "Signatures": signatures,
        "Options": chosen or ["all by default"],
        "Seeds and runs": [f"seed {seed} of samples, intervals and tests", f"{RUNS:,} runs of the bootstrap"],
        "Files (SHA-256)": files,
        "Versions": [
            f"treesql {__version__}", f"{inputs.engine.name} {inputs.engine.version}",
            f"Python {platform.python_version()}",
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
