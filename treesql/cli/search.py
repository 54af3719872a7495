"""treesql find and show: sentences by request or by name, as rows and as drawings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treesql.cli import Command, further_option
from treesql.cli._options import (
    DEFAULT_WIDTH,
    base_option,
    check_engine,
    completing,
    connect_to_spark,
    corpora_option,
    destination,
    each_option,
    engine_options,
    limit_time,
    listed,
    memory_option,
    picture_format,
    print_picture,
    print_result,
    print_text,
    query_bar,
    read_standard_input,
    reading_options,
    screen_width,
    strictness_options,
)
from treesql.errors import UsageError, why_unreadable
from treesql.results.matrix import SHARES
from treesql.results.tables import ENDINGS, FORMATS, PICTURES, format_by_ending

if TYPE_CHECKING:
    from treesql import Search


CONLLU, TEXT = "conllu", "text"
DRAWN_TEXTS = {".html": "html", ".htm": "html", ".txt": TEXT}
"""Formats of drawings that are no pictures, by the ending of the file."""


@click.command(
    cls=Command,
    examples=[
        "fixtures/gold.conllu 'pattern { V -[nsubj]-> S }'",
        "fixtures/gold.conllu 'pattern { V -[nsubj]-> S }' --by S.upos,S.lemma",
    ],
)
@click.argument("inputs", nargs=-1, required=True, metavar="DB|FILE... REQUEST")
@click.option("-f", "--file", "file", type=click.Path(), help="Read the request from a file; - for standard input.")
@click.option("--count", is_flag=True, help="Print the number of matches alone.")
@click.option(
    "--by",
    metavar="KEY,...",
    multiple=True,
    help="Count matches by keys such as V.lemma, e.label, order(S,V,O), language.",
)
@further_option(
    "--whether", metavar="CLAUSES", multiple=True, help="Count matches with and without these clauses, as Yes and No."
)
@click.option("--columns", metavar="KEY,...", help="Columns such as V.form,e.label,text. [default: the nodes]")
@click.option("--kwic", type=click.IntRange(min=0), metavar="N", help="Print a concordance with N words of context.")
@click.option("--sort", metavar="COLUMN", help="Sort groups by a column, or a concordance.")
@click.option("--grid", is_flag=True, help="Print groups by two keys as a table of rows and columns, with totals.")
@click.option(
    "--share", type=click.Choice(SHARES),
    help="Shares of a row (the same keys but the last), of a column (the same last key), or of all.",
)  # fmt: skip
@further_option("--ci", is_flag=True, help="95% intervals of shares (Wilson), share_low and share_high.")
@further_option("--entropy", is_flag=True, help="With --grid: a row of the entropies of the columns, in bits.")
@further_option("--per-million", is_flag=True, help="Rates per million words.")
@further_option("--association", is_flag=True, help="PMI, logDice and G2 of two keys.")
@further_option("--request", "requests", metavar="NAME=REQUEST", multiple=True,
              help="A request with a name; repeatable: a row per request and corpus, or with --by a key.")  # fmt: skip
@further_option("--reference", metavar="NAME", multiple=True, shell_complete=completing("corpora"),
              help="A corpus that the others are compared with, by keyness (G2, log ratio); repeatable.")  # fmt: skip
@further_option("--min-count", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Minimum number of matches of a group.")  # fmt: skip
@further_option("--enhanced", is_flag=True, help="Search the enhanced graph: E: edges and empty nodes.")
@further_option("--syntax", type=click.Choice(("grew", "tregex", "tiger")),
              help="Language of the request.  [default: what its text shows]")  # fmt: skip
@corpora_option
@each_option
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows, or sentences.")
@further_option("--offset", type=click.IntRange(min=0), default=0, metavar="N",
              help="Number of matches left out before the first.")  # fmt: skip
@further_option("--order", type=click.Choice(("length", "shuffled")),
              help="Order of matches: by the length of sentences, or shuffled.  [default: corpora's]")  # fmt: skip
@further_option("--group", "group", metavar="KEY=VALUE", multiple=True,
              help="Find only the matches of a group: X.lemma=go; repeatable.")  # fmt: skip
@further_option("--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS",
              help="Stop after this many seconds; 0: never.")  # fmt: skip
@memory_option
@engine_options
@further_option("--sql", "show_sql", is_flag=True, help="Print the SQL without running it.")
@further_option("--explain", is_flag=True, help="Print the number of words or nodes of each clause, and DuckDB's plan.")
@click.option(
    "--draw",
    is_flag=True,
    help="Draw the first 10 matches, or --limit; -o FILE for one that ends in .svg, .png, .pdf or .html.",
)
@strictness_options
@click.option("--format", "form", type=click.Choice([*FORMATS, CONLLU]),
              help="How to print; conllu: the sentences.  [default: by the ending of -o, else table]")  # fmt: skip
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
@click.pass_context
def find_command(
    ctx: click.Context, /, inputs: tuple[str, ...], file: str | None, requests: tuple[str, ...],
    corpora: tuple[str, ...], timeout: float, show_sql: bool, explain: bool, draw: bool, form: str | None,
    out: str | None, group: tuple[str, ...], engine: str, master: str | None, **options: Any,
) -> None:  # fmt: skip
    """Find the matches of a REQUEST in treebanks. It is Grew's for dependency trees, pattern { V -[obj]-> O },
    Tregex's, NP < (NN $.. PP), or TIGERSearch's, [cat="NP"] > [pos="NN"], for constituency trees.

    DB is a database. A FILE is a file, or a folder whose files are one treebank, or with --each one each. The output
    has a row for every match (with --kwic, as a concordance), with --by a row for every group of matches, with its
    count, or with --request a row for every request and corpus, with the number of matches and their rate.
    """
    import treesql

    named = _named_requests(requests)
    sources, request = _split_inputs(inputs, is_last=file is None and not named)
    text = None if named and request is None and file is None else _request(request, file)
    outputs = {"--sql": show_sql, "--explain": explain, "--draw": draw}
    form = _form(form, out, [name for name, chosen in outputs.items() if chosen])
    shown = ("count", "by", "whether", "columns", "sort", "per_million")
    _check_columns(form, draw, options["kwic"] is not None or any(options[name] for name in shown))
    limit_time(ctx, timeout, interrupted=True)
    options["columns"] = options["columns"] or ()
    options["group"] = _values_of_keys(group)
    prepare: Callable[..., Search] = partial(
        treesql.prepare, sources[0] if len(sources) == 1 else list(map(Path, sources))
    )
    with ExitStack() as stack:
        if check_engine(engine, master):
            others = explain, draw, form == CONLLU, *(options.pop(name) for name in ("each", "permissive", "strict"))
            if any(others):
                what = "leave it out for sentences, drawings, --explain and files"
                raise UsageError(f"--engine spark counts and lists matches in a folder of Parquet; {what}")
            if len(sources) > 1:
                raise UsageError("--engine spark searches one folder of Parquet; name one")
            prepare = stack.enter_context(connect_to_spark(sources[0], master)).prepare
        search = stack.enter_context(prepare(text, requests=named, corpus=corpora or None, **options))
        if show_sql:
            print_text(f"{search.sql}\n", out)
        elif explain:
            with query_bar() as progress:
                costs = search.explain(progress=progress)
            print_text(f"{costs}\n", out)
        elif draw:
            _draw(search, timeout, form, out, limited=options["limit"] is not None)
        elif form == CONLLU:
            with query_bar() as progress:
                sentences = search.sentences(timeout=timeout, progress=progress)
            with destination(out, form) as target:
                target.writelines(sentences)
        else:
            with query_bar() as progress:
                matches = search.matches(timeout=timeout, progress=progress)
            if options["count"] and not options["per_million"] and form == "table":
                print_text(f"{matches.rows()[0]['count']}\n", out)
            else:
                print_result(matches, form, out)


def _split_inputs(inputs: Sequence[str], *, is_last: bool) -> tuple[list[str], str | None]:
    """What is searched, and the request, None without one. is_last: whether it is the last argument, as no option has
    one; otherwise one that is there as well, which is an error, is known by its signs."""
    *sources, last = inputs
    if sources and is_last and Path(last).exists():
        raise UsageError(f"{last} is a file or folder, and the last argument is the request; add one behind it")
    if sources and (is_last or (set(last) & set("{}[]<>$") and not Path(last).exists())):
        return sources, last
    return list(inputs), None


def _named_requests(given: Sequence[str]) -> dict[str, str]:
    """The requests by the names before the first `=`."""
    named: dict[str, str] = {}
    for text in given:
        name, separator, request = text.partition("=")
        name = name.strip()
        if not separator or not name or set(name) & set("{}[];"):
            raise UsageError(f"--request {text!r} has no name; write NAME=REQUEST, such as nouns='pattern {{ ... }}'")
        if name in named:
            raise UsageError(f"two requests have the name {name!r}; choose another one")
        named[name] = request
    return named


def _values_of_keys(given: Sequence[str]) -> dict[str, str]:
    """The values by their keys, which end at the first `=`; those of `whether CLAUSES` at the last one."""
    values: dict[str, str] = {}
    for text in given:
        key, separator, value = text.rpartition("=") if text.startswith("whether ") else text.partition("=")
        if not separator or not key.strip():
            raise UsageError(f"--group {text!r} has no key; write KEY=VALUE, such as X.lemma=go")
        values[key.strip()] = value
    return values


def _request(request: str | None, file: str | None) -> str:
    if (request is None) == (file is None):
        raise UsageError("name one request: on the command line, or a file with -f; or several with --request")
    if request is not None:
        return request
    assert file is not None
    try:
        return read_standard_input("a request") if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{file}: {why_unreadable(error)}; name a file that contains a request") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: this is not UTF-8; name a file that contains a request") from None


def _form(form: str | None, out: str | None, outputs: Sequence[str]) -> str:
    """The format of the output. outputs: options that choose another output than rows."""
    if len(outputs) > 1:
        raise UsageError(f"{' and '.join(outputs)} exclude each other; choose one of them")
    if outputs and form:
        raise UsageError(f"--format is for rows and sentences, not for {outputs[0]}; leave one of them out")
    if outputs == ["--draw"]:
        return picture_format(out, DRAWN_TEXTS) or TEXT
    if outputs:
        return format_by_ending(out, {".sql": TEXT, ".txt": TEXT}) or TEXT
    return form or format_by_ending(out, {**ENDINGS, ".conllu": CONLLU}) or "table"


def _check_columns(form: str, draw: bool, grouped: bool) -> None:
    if form == CONLLU and grouped:
        raise UsageError("sentences (--format conllu) have no columns, groups or counts; choose another format")
    if draw and grouped:
        raise UsageError("drawings (--draw) have no columns, groups or counts; leave them out")


def _draw(search: Search, timeout: float, form: str, out: str | None, *, limited: bool) -> None:
    with query_bar() as progress:
        drawing = search.draw(timeout=timeout, progress=progress)
    if form == TEXT:
        print_text(drawing.text(width=screen_width(), colour=out is None and sys.stdout.isatty()), out)
    elif form in PICTURES.values():
        print_picture(drawing.svg(), out)
    else:
        print_text(drawing.html(), out)
    if len(drawing) < drawing.matches and not limited:
        click.echo(f"{drawing.matches - len(drawing):,} more matches; --limit N draws N", err=True)


@click.command(
    cls=Command,
    examples=[
        "fixtures/gold.conllu hearing",
        "fixtures/gold.conllu hearing --system fixtures/parser-a.conllu -o tree.svg",
    ],
)
@click.argument("source", metavar="DB|FILE", type=click.Path())
@click.argument("names", nargs=-1, required=True, metavar="SENT_ID...")
@further_option("--corpus", metavar="NAME", shell_complete=completing("corpora"),
              help="A corpus of the database, or a pattern. [default: the one that has the sentence]")  # fmt: skip
@click.option(
    "--system",
    metavar="FILE|NAME",
    help="A parser's output, or a corpus of the database, to compare with; with --grid another alignment.",
)
@further_option(
    "--relations",
    type=click.Choice(["universal", "full"]),
    help="How relations are compared with the system's. [default: universal]",
)
@click.option("--aligned", metavar="FILE|NAME", help="A translation, drawn below with links between the words.")
@click.option(
    "--links",
    metavar="FILE|NAME",
    help="The links to the words of the translation: 0-0 1-2, a line per sentence. "
    "[default: the database's alignment of the two]",
)
@further_option("--links-from", "links_form", metavar="FORMAT", help=f"Format of --links: {listed('alignment')}.")
@base_option
@click.option("--reverse", is_flag=True, help="Alignments: the word of the translation comes first.")
@click.option("--grid", is_flag=True, help="Draw the links to the words of the translation as a grid, without trees.")
@further_option("--enhanced", is_flag=True, help="Also draw the enhanced graph, below the words.")
@further_option(
    "--head-rules",
    metavar="NAME",
    help="The set of head rules, such as collins or negra, by which pictures of phrases show heads. "
    "[default: the heads that the treebank marks]",
)
@click.option("--svg", is_flag=True, help="Draw as SVG.")
@click.option("--html", is_flag=True, help="Write a page.")
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(dir_okay=False),
    help="Write to this file: .svg, .png, .pdf, .html or text.",
)
@click.option(
    "--width",
    type=click.IntRange(min=0),
    help="Width in columns (SVG, HTML: pixels) at which a sentence breaks; 0: never. [default: the screen; 1000]",
)
@reading_options()
def show_command(
    source: str, names: tuple[str, ...], links_form: str | None, svg: bool, html: bool, out: str | None,
    width: int | None, source_form: str | None, **options: Any,
) -> None:  # fmt: skip
    """Draw sentences: dependency trees, constituency trees, or both.

    A sentence is named by its sent_id, or by its number in the corpus from 0, as in the tables: '#2', in quotes, is the
    third sentence, whatever sent_ids there are. With --system, gold edges are above the words and the system's below;
    wrong and missed edges have a cross and are drawn in colour. If the system has other words, its tree is drawn below
    with links between the words. With --aligned, the tree of the translation, the sentence of the same number, is drawn
    below.

    With --grid, the links are drawn as a grid, words of the sentence by words of the translation: squares, filled if
    they are sure. --system is then another alignment, whose links are discs; wrong and missed ones are drawn in colour.
    """
    import treesql

    form = _drawing_form(svg, html, out)
    drawing = treesql.show(source, *names, links_from=links_form, format=source_form, **options)
    pixels = {} if width is None else {"width": width or None}
    if form in PICTURES.values():
        print_picture(drawing.svg(**pixels), out, form)
    elif form == "html":
        print_text(drawing.html(**pixels), out)
    else:
        screen = out is None and sys.stdout.isatty()
        columns = (screen_width() if screen else DEFAULT_WIDTH) if width is None else width or None
        print_text(drawing.text(width=columns, colour=screen and "NO_COLOR" not in os.environ), out)


def _drawing_form(svg: bool, html: bool, out: str | None) -> str:
    """The format of the drawing: as named, else by the ending of the file. Raises UsageError where they differ."""
    by_ending = picture_format(out, DRAWN_TEXTS)
    named = [name for name, given in (("svg", svg), ("html", html)) if given]
    if len(named) > 1:
        raise UsageError("--svg and --html exclude each other; choose one of them")
    if named and by_ending not in (None, *named):
        raise UsageError(f"--{named[0]} does not go with the ending of {out}; leave one of them out")
    return (named or [by_ending or "text"])[0]
