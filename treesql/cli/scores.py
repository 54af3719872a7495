"""treesql score, compare, report: a command for every kind of annotation each, with the same options."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING, Any

import click

import treesql
from treesql.cli import Command, Option, further_option
from treesql.cli._options import (
    KindGroup,
    check_engine,
    completing,
    connect_to_spark,
    destination,
    engine_options,
    format_of,
    inputs_argument,
    keywords,
    kind_options,
    limit_options,
    named_systems,
    output_options,
    picture_format,
    print_picture,
    print_result,
    print_rows,
    scoring_options,
    screen_width,
    signature_option,
    with_options,
)
from treesql.errors import UsageError
from treesql.reports import SENTENCES
from treesql.results.matrix import SHARES
from treesql.results.result import is_too_wide
from treesql.results.tables import DOCUMENT_WIDTH, DOCUMENTS, ENDINGS, PICTURES

if TYPE_CHECKING:
    from treesql import Comparison, Kind, Result


def _score_command_of(kind: Kind) -> click.Command:
    """The command that scores systems of a kind."""
    params: list[click.Parameter] = [inputs_argument(kind), *kind_options(kind)]
    params.append(
        Option(
            ["--by"],
            metavar="COLUMN,...",
            multiple=True,
            shell_complete=completing("columns", kind),
            help=_BY,
            brief="A row per value: of upos, n_words/10.",
        )
    )
    params += [*_wide_options(), *_table_options(kind)]
    if kind.explains:
        text = (
            "Draw a sentence, named by its sent_id or its number ('#2', from 0), with what differs, and list that; "
            "with -o FILE.svg, .png or .pdf the picture, with the graph of all paths."
        )
        brief = "Draw a sentence, named by its sent_id or number ('#2'), with what differs."
        params.append(Option(["--explain"], metavar="SENTENCE", help=text, brief=brief))
    help_text = f"{kind.doc}\n\n{_FOLDERS}"
    made = Command(
        kind.name, callback=lambda **given: _score(kind, **given), params=params, help=help_text,
        examples=kind.examples[:2],
    )  # fmt: skip
    return with_options(made, output_options, scoring_options, engine_options)


_FOLDERS = (
    "Folders or patterns ('out/*.conllu') are paired by file names: a row per treebank, then macro- and micro-averages."
)

_BY = (
    "A row per group: sentence, a column of items, gold words or sentences, an attribute (gold_distance), a "
    'morphological feature (Number), or a comment (meta.speaker, meta."newdoc id"); COLUMN/N for bins of width N '
    "(n_words/10), COLUMN/double or /log for bins that grow. Repeatable, also with commas: a row per combination."
)


@click.group(cls=KindGroup, make=_score_command_of)
def score_command() -> None:
    """Score systems against a gold standard or references."""


def _wide_options() -> list[click.Option]:
    """The options that show systems side by side."""
    wide = (
        "One score (--metric) of all systems side by side, a row per group of --by, or per file of folders, and one of "
        "all: n, SCORE:SYSTEM, and of all but the baseline the difference from it and p (shuffling as of compare), "
        "corrected by Holm's method for all of the table; in markdown, latex and html the best in bold, † at p < 0.05."
    )
    brief = "Systems side by side, differences and p."
    return [
        Option(["--wide"], is_flag=True, help=wide, brief=brief),
        Option(
            ["--baseline"],
            metavar="NAME",
            help="With --wide: the system from which the others differ.  [default: the first]",
            further=True,
        ),
    ]


def _table_options(kind: Kind) -> list[click.Option]:
    """The options that sort and limit rows, or show a table as a matrix."""
    sort = Option(
        ["--sort"], metavar="COLUMN", further=True,
        help="Sort the rows by a column, or a count that is not shown (words): groups ascending, counts and scores "
        "descending; -COLUMN: the other way round.",
    )  # fmt: skip
    tables = " or ".join(kind.matrices)
    of_matrices = [
        Option(["--matrix"], is_flag=True, help=f"Print the table as a matrix with totals: {tables}.", further=True),
        Option(
            ["--share"],
            type=click.Choice(SHARES),
            help="Cells of the matrix as shares of the total of their row, their column or the matrix.",
            further=True,
        ),
    ]
    rows = "Maximum number of rows, after sorting; of a table (--table) for every system"
    in_matrix = "; of values in a matrix, the most frequent, with the sum of all others as other"
    text = f"{rows}{in_matrix if kind.matrices else ''}."
    limit = Option(["--limit"], type=click.IntRange(min=1), metavar="N", help=text, further=True)
    return [*(of_matrices if kind.matrices else []), sort, limit]


def _score(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], form: str | None, out: str | None, signature: bool,
    engine: str, master: str | None, explain: str | None = None, **given: Any,
) -> None:  # fmt: skip
    on_spark = check_engine(engine, master)
    chosen = {**named_systems(named), **keywords(given)}
    if on_spark:
        if explain is not None:
            raise UsageError("--explain draws one sentence; leave out --engine spark")
        format_of(form, out)  # which refuses endings, before anything is computed
        with connect_to_spark(chosen.pop("db", None), master) as database:
            scores = database.score(kind.name, *inputs, **chosen)
        (_print_wide if given["wide"] else print_result)(scores, form, out, signature=signature)
        return
    if explain is not None:
        _explain(kind, explain, inputs, chosen, form, out, signature)
        return
    if chosen.get("table") in kind.curves and picture_format(out, ENDINGS) in PICTURES.values():
        if form or signature:
            raise UsageError(f"{out} is a picture; leave out options that choose how a table is printed")
        print_picture(treesql.score(kind.name, *inputs, **chosen).svg(), out)
        return
    layout = next((flag.layout for name, flag in kind.flags.items() if flag.layout and chosen.get(name)), None)
    if layout:
        n_systems = len(inputs) + len(named) + 1 - sum(not role.option for role in kind.roles)
        if form or signature or n_systems > 1:
            raise UsageError(
                f"--{layout} prints one SYSTEM in its layout; leave out options that choose other rows or columns"
            )
        scores = treesql.score(kind.name, *inputs, **chosen)
        if "treebank" in scores.columns:
            raise UsageError(f"--{layout} prints one file in its layout; name files instead of folders or patterns")
        with destination(out, "table") as file:
            file.write(importlib.import_module(f"treesql.results.{layout}_layout").layout(scores.rows()).encode())
        return
    format_of(form, out)  # as above
    scores = treesql.score(kind.name, *inputs, **chosen)
    screen = next((flag.screen for name, flag in kind.flags.items() if flag.screen and chosen.get(name)), None)
    if screen and form is None and out is None and not signature:
        layout_of = importlib.import_module(f"treesql.results.{screen}_layout").layout
        click.echo(layout_of(scores.rows(), screen_width()), nl=False)  # without colours if it is no terminal
        return
    if given["wide"]:
        _print_wide(scores, form, out, signature=signature)
        return
    one_row_each = "system" if len(scores) == len(set(scores.arrow()["system"].to_pylist())) else None
    print_result(scores, form, out, signature=signature, turned_by=None if given["by"] else one_row_each)


def _print_wide(scores: Result, form: str | None, out: str | None, *, signature: bool) -> None:
    """Print systems side by side; on a screen, what the columns are stands below them, as in documents."""
    print_result(scores, form, out, signature=signature)
    if format_of(form, out) == "table" and out is None:
        for note in scores.notes:
            click.echo(note)


def _explain(
    kind: Kind, sentence: str, inputs: tuple[str, ...], chosen: dict[str, Any], form: str | None, out: str | None,
    signature: bool,
) -> None:  # fmt: skip
    of_scores = {"by", "where", "ci", "metric", "table", "sort", "limit", "wide", "baseline", *kind.flags}
    if signature or not chosen.keys().isdisjoint(of_scores):
        raise UsageError("--explain draws one sentence; leave out options that choose scores and tables")
    drawn = picture_format(out, ENDINGS) in PICTURES.values()
    if drawn and form:
        raise UsageError(f"--format is of tables; {out} is a picture")
    explained = treesql.explain(kind.name, sentence, *inputs, width=shutil.get_terminal_size().columns, **chosen)
    if drawn:
        print_picture(explained.svg(), out)
        return
    if out is None and format_of(form, out) == "table":
        click.echo(explained.drawing)
    print_result(explained.paths, form, out)


def _compare_command_of(kind: Kind) -> click.Command:
    """The command that compares systems of a kind."""
    made = Command(
        kind.name,
        callback=lambda **given: _compare(kind, **given),
        examples=[f"{systems}{more}" for systems in kind.examples[2:] for more in ("", " --format markdown")],
        params=[inputs_argument(kind), *kind_options(kind, compared=True)],
        short_help=f"By the scores of treesql score {kind.name}.",
        help=f"""Compare systems by the scores of `treesql score {kind.name}`: all pairs, with p-values and intervals.

        csv, tsv, json and parquet have a row per score and pair: metric,
        system_a, system_b, score_a, score_b, difference, p, p_corrected, test, then the 95% interval of the difference,
        how often each system scores better in resampled sentences, and whether higher or lower scores are better.
        On folders, they have a row per treebank, macro and micro, too.
        The screen shows the scores with their intervals, the differences, and a conclusion in words; markdown, latex
        and html have a row per system, the best scores bold, a dagger at those that differ from the first system's.
        """,
    )
    for add in reversed(_COMPARE_OPTIONS):
        made = add(made)
    return with_options(made, output_options, limit_options, signature_option, engine_options)


@click.group(cls=KindGroup, make=_compare_command_of)
def compare_command() -> None:
    """Compare systems by any score: is it more than chance?"""


_COMPARE_OPTIONS = (
    click.option(
        "--test",
        type=click.Choice(["shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p"]),
        default="shuffling",
        show_default=True,
        help="The test. shuffling is exact if an exact p-value can be computed.",
    ),
    further_option(
        "--runs",
        type=click.IntRange(1),
        default=10_000,
        show_default=True,
        help="Number of runs of shuffling and of the bootstrap.",
    ),
    further_option(
        "--seed", type=click.IntRange(0), default=12345, show_default=True, help="Seed of their random numbers."
    ),
    further_option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "bh", "by", "none"]),
        default="holm",
        show_default=True,
        help="Correction of p for the number of pairs; bh and by control the false discovery rate.",
    ),
    further_option(
        "--stratum",
        metavar="COLUMN",
        help="Exchange and draw together the sentences with the same value of this column, bin (n_words/10) or comment "
        "(meta.speaker); newdoc: documents.",
    ),
    further_option(
        "--ci/--no-ci",
        default=True,
        show_default=True,
        help="Draw 95% intervals of scores and differences, too; they take longer than p.",
    ),
)


def _compare(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], form: str | None, out: str | None, signature: bool,
    engine: str, master: str | None, ci: bool, **given: Any,
) -> None:  # fmt: skip
    chosen = {**named_systems(named), **keywords(given), "ci": ci}
    form = format_of(form, out)
    if check_engine(engine, master):
        with connect_to_spark(chosen.pop("db", None), master) as database:
            comparison = database.compare(kind.name, *inputs, **chosen)
    else:
        comparison = treesql.compare(kind.name, *inputs, **chosen)
    if form == "table" and out is None:
        _show(comparison)
        if signature:
            click.echo(f"\n{comparison.signature}")
    elif form in DOCUMENTS:
        turned = is_too_wide(comparison.tables()[0], "system", DOCUMENT_WIDTH)
        print_rows(comparison, form, out, turned_by="system" if turned else None)
        if signature:
            click.echo(comparison.signature, err=True)
    else:
        print_result(comparison, form, out, signature=signature)


def _show(comparison: Comparison) -> None:
    for table in comparison.tables():
        one_row_each = "system" in table.columns and "treebank" not in table.columns
        print_result(table, "table", None, turned_by="system" if one_row_each else None)
        click.echo()
    for line in comparison.words():
        click.echo(line)


def _report_command_of(kind: Kind) -> click.Command:
    """The command that reports on systems of a kind."""
    made = Command(
        kind.name,
        callback=lambda **given: _report(kind, **given),
        examples=[f"{inputs} -o report.html" for inputs in kind.examples[::2]],
        params=[inputs_argument(kind), *kind_options(kind, tables=False)],
        short_help=f"On the scores of treesql score {kind.name}.",
        help=f"""Report on systems in one HTML page: the scores of `treesql score {kind.name}` with 95% intervals, who
        is better by which test, scores in buckets, confusions, drawn sentences, and what all was computed from.

        The page loads nothing from elsewhere, and can be read without its script.

        DIR receives scores, comparison, buckets, confusions and sentences, each as .parquet and .csv.
        """,
    )
    for add in reversed(_REPORT_OPTIONS):
        made = add(made)
    return with_options(made, limit_options)


@click.group(cls=KindGroup, make=_report_command_of)
def report_command() -> None:
    """Report on systems in one HTML page: scores, tests, confusions."""


_REPORT_OPTIONS = (
    click.option(
        "-o", "--output", "out", type=click.Path(), required=True, metavar="FILE.html", help="The page to write."
    ),
    click.option("--data", metavar="DIR", help="A new folder for the tables behind the page, as Parquet and CSV."),
    click.option(
        "--sentences",
        type=click.IntRange(0),
        default=SENTENCES,
        show_default=True,
        metavar="N",
        help="Number of sentences to draw: where the best system wins most, where the second does, where all fail.",
    ),
    further_option(
        "--seed",
        type=click.IntRange(0),
        default=12345,
        show_default=True,
        metavar="N",
        help="Seed of the intervals, the tests and the sample.",
    ),
)


def _report(
    kind: Kind, inputs: tuple[str, ...], named: tuple[str, ...], sentences: int, seed: int, **given: Any
) -> None:
    options = {**named_systems(named), **keywords(given)}
    treesql.report(kind.name, *inputs, sentences=sentences, seed=seed, **options)
