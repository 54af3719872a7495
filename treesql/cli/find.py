"""treesql find."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from treesql.cli._limits import limit_time, memory_option
from treesql.cli._output import (
    counted,
    destination,
    format_by_ending,
    print_result,
    screen_width,
    warn,
)
from treesql.cli._treebanks import corpora_option, strictness_options
from treesql.cli._waiting import run_interruptibly
from treesql.errors import UsageError
from treesql.results.tables import ENDINGS, FORMATS
from treesql.runtime.limits import GRACE

if TYPE_CHECKING:
    from treesql.engines.duckdb import DuckDB
    from treesql.search.request import PreparedRequest

CONLLU, TEXT = "conllu", "text"
ENDINGS_OF_DRAWINGS = {".svg": "svg", ".html": "html", ".htm": "html", ".txt": TEXT}

Found = TypeVar("Found")


@click.command()
@click.argument("db", metavar="DB|FILE", type=click.Path())
@click.argument("request", required=False)
@click.option("-f", "--file", "file", type=click.Path(), help="Read the request from a file; - for standard input.")
@click.option("--count", is_flag=True, help="Print the number of matches alone.")
@click.option("--by", metavar="KEY,...", multiple=True, help="Count matches by keys such as V.lemma, e.label, X#Y.")
@click.option(
    "--whether", metavar="CLAUSES", multiple=True, help="Count matches with and without these clauses, as Yes and No."
)
@click.option("--columns", metavar="KEY,...", help="Columns such as V.form,e.label,text. [default: the nodes]")
@click.option("--enhanced", is_flag=True, help="Search the enhanced graph: E: edges and empty nodes.")
@corpora_option
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows, or sentences.")
@click.option("--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS",
              help="Stop after this many seconds; 0: never.")  # fmt: skip
@memory_option
@click.option("--sql", "show_sql", is_flag=True, help="Print the SQL without running it.")
@click.option("--explain", is_flag=True, help="Print the number of words that match each clause, and DuckDB's plan.")
@click.option(
    "--draw", is_flag=True, help="Draw the first 10 matches, or --limit; -o FILE.svg or FILE.html for a file."
)
@strictness_options
@click.option("--format", "form", type=click.Choice([*FORMATS, CONLLU]),
              help="How to print; conllu: the sentences.  [default: by the ending of -o, else table]")  # fmt: skip
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
@click.pass_context
def command(
    ctx: click.Context, db: str, request: str | None, file: str | None, count: bool, by: tuple[str, ...],
    whether: tuple[str, ...], columns: str | None, enhanced: bool, corpora: tuple[str, ...], limit: int | None,
    timeout: float, show_sql: bool, explain: bool, draw: bool, permissive: bool, strict: bool, form: str | None,
    out: str | None,
) -> None:  # fmt: skip
    """Find the matches of a Grew REQUEST: pattern { V [upos=VERB]; V -[obj]-> O } without { V -[nsubj]-> S }.

    DB is a database, or a CoNLL-U file or a folder of such. The output has a row for every match, or with --by a row
    for every group of matches, with its count.
    """
    from treesql.scoring.treebank_inputs import open_database_or_treebank
    from treesql.search import preparation

    text = _request(request, file)
    outputs = {"--sql": show_sql, "--explain": explain, "--draw": draw}
    form = _form(form, out, [name for name, chosen in outputs.items() if chosen])
    _check_columns(form, draw, bool(count or by or whether or columns))
    limit_time(ctx, timeout, GRACE)
    with open_database_or_treebank(db, warn=lambda one: warn([one]), permissive=permissive, strict=strict) as engine:
        question = preparation.prepare(
            engine, text, columns=columns or (), by=by, whether=whether, count=count, corpora=corpora or None,
            enhanced=enhanced, limit=limit,
        )  # fmt: skip
        for remark in question.warnings:
            click.echo(f"warning: {remark}", err=True)
        if show_sql or explain:
            text = _explain(engine, question) if explain else question.sql
            with destination(out, form) as target:
                target.write(f"{text}\n".encode())
        elif draw:
            _draw(engine, question, timeout, form, out)
        else:
            (_write_sentences if form == CONLLU else _write_rows)(engine, question, timeout, form, out)


def _request(request: str | None, file: str | None) -> str:
    if (request is None) == (file is None):
        raise UsageError("name one request: on the command line, or a file with -f")
    if request is not None:
        return request
    assert file is not None
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; name a file that contains a request") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: this is not UTF-8; name a file that contains a request") from None


def _form(form: str | None, out: str | None, outputs: Sequence[str]) -> str:
    """The format of the output. outputs: options that choose another output than rows."""
    if len(outputs) > 1:
        raise UsageError(f"{' and '.join(outputs)} exclude each other; choose one of them")
    if outputs and form:
        raise UsageError(f"--format is for rows and sentences, not for {outputs[0]}; leave one of them out")
    if outputs == ["--draw"]:
        return format_by_ending(out, ENDINGS_OF_DRAWINGS) or TEXT
    if outputs:
        return format_by_ending(out, {".sql": TEXT, ".txt": TEXT}) or TEXT
    return form or format_by_ending(out, {**ENDINGS, ".conllu": CONLLU}) or "table"


def _check_columns(form: str, draw: bool, grouped: bool) -> None:
    if form == CONLLU and grouped:
        raise UsageError("sentences (--format conllu) have no columns, groups or counts; choose another format")
    if draw and grouped:
        raise UsageError("drawings (--draw) have no columns, groups or counts; leave them out")


def _write_rows(engine: DuckDB, question: PreparedRequest, timeout: float, form: str, out: str | None) -> None:
    from treesql.results.result import Result
    from treesql.search import running

    table, reasons = _run(engine, lambda: running.find_matches(engine, question, timeout))
    _report_reasons(reasons)
    if question.selection.count and form == "table":
        with destination(out, form) as target:
            target.write(f"{table['count'][0].as_py()}\n".encode())
    else:
        print_result(Result(table), form, out)


def _write_sentences(engine: DuckDB, question: PreparedRequest, timeout: float, form: str, out: str | None) -> None:
    from treesql.search import running
    from treesql.writers import conllu

    found, reasons = _run(engine, lambda: running.find_sentences(engine, question, timeout))
    _report_reasons(reasons)
    with destination(out, form) as target:
        for corpus, sentences in found.items():
            conllu.write_chosen(engine, corpus, sentences, target)


def _draw(engine: DuckDB, question: PreparedRequest, timeout: float, form: str, out: str | None) -> None:
    from treesql.search import drawings

    drawn, matches, reasons = _run(engine, lambda: drawings.draw_matches(engine, question, timeout))
    _report_reasons(reasons)
    if form == "svg" and len(drawn) != 1:
        raise UsageError(f"an SVG file has one drawing, and here are {len(drawn)}; choose -o FILE.html or --limit 1")
    if form == "svg":
        text = drawn[0].tree.picture().svg(drawn[0].title, standalone=True)
    elif form == "html":
        text = drawings.html_page(drawn, question.request.text)
    else:
        on_screen = out is None and sys.stdout.isatty()
        text = "\n".join(f"{one.title}\n\n{one.tree.characters(screen_width(), on_screen)}" for one in drawn)
    with destination(out, form) as target:
        target.write(text.encode())
    if len(drawn) < matches and question.selection.limit is None:
        click.echo(f"{matches - len(drawn):,} more matches; --limit N draws N", err=True)


def _explain(engine: DuckDB, question: PreparedRequest) -> str:
    """The number of words that match each clause, the statement, and DuckDB's plan."""
    from treesql.search import costs

    clauses, plan = _run(engine, lambda: (costs.clause_costs(engine, question), costs.query_plan(engine, question)))
    lines = []
    for cost in clauses:
        matches = "" if cost.matches is None else f"  -- {counted(cost.matches, cost.what)}"
        lines.append(f"{cost.item} {{ {cost.clause} }}{matches}")
    return "\n".join([*lines, "", question.sql, "", plan])


def _report_reasons(reasons: Sequence[str]) -> None:
    for reason in reasons:
        click.echo(f"nothing found: {reason}", err=True)


def _run(engine: DuckDB, work: Callable[[], Found]) -> Found:
    """Run the work and return its result; Ctrl-C ends it at once."""
    found: list[Found] = []
    run_interruptibly(engine, lambda: found.append(work()))
    return found[0]
