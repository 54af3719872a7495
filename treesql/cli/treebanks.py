"""Studies of treebanks: treesql stats, wde, typology, diff, correlate."""

from __future__ import annotations

import sys
from typing import Any

import click

from treesql.cli import Command, further_option
from treesql.cli._options import (
    QueryChoice,
    chart_option,
    classes_option,
    corpora_option,
    each_option,
    experiment_options,
    format_of,
    limit_options,
    output_options,
    parameter_option,
    print_picture,
    print_result,
    reading_options,
    signature_option,
    strictness_options,
)
from treesql.errors import UsageError
from treesql.results.tables import DOCUMENTS, FORMATS


@click.command(
    cls=Command,
    examples=[
        "fixtures/gold.conllu --table all_checks",
        "fixtures/gold.conllu fixtures/parser-a.conllu fixtures/parser-b.conllu -o stats.csv",
    ],
)
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@click.option("--relations", is_flag=True, help="Print a row per treebank and relation instead.")
@click.option(
    "--table",
    metavar="NAME",
    help="Print another statistic instead: dependency_lengths, dependency_frames, tree_shapes, gap_degrees, "
    "grammar_rules, subcategorisation_frames, label_gaps, all_checks, consistency_checks, or one of these.",
)
@further_option(
    "--accepted", metavar="FILE", help="Of all_checks: leave out the rows that are in FILE (written by --accept)."
)
@further_option(
    "--accept", metavar="FILE", help="Of all_checks: write the rows that are shown to FILE, as accepted ones."
)
@parameter_option(
    "variation_tags", "forms", "Of --table: what a word is, as written, in lower case or its lemma.", further=True
)
@parameter_option("variation_tags", "tagset", "Of variation_tags: the column of the tags.", further=True)
@parameter_option(
    "variation_relations",
    "surroundings",
    "Of variation_relations: what the contexts of a pair have in common.",
    further=True,
)
@further_option(
    "--vocabulary",
    metavar="FILE",
    help="A treebank, text or database: count the types of TREEBANK that it has, too.",
)
@click.option("--sort", metavar="COLUMN", help="Sort by a column: keys ascending, numbers descending; -COLUMN: turned.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows, after sorting.")
@click.option("--word-tags", metavar="EXPRESSION", help="Of frames: words whose tag has a match.  [default: ^V]")
@click.option("--lemma", metavar="LEMMA", help="Of dependency_frames: words with this lemma alone.")
@click.option("--by", metavar="KEY", help="Of dependency_lengths: language, relation, n_words or sentence; of "
              "dependency_frames: lemma or language.  [default: treebank]")  # fmt: skip
@parameter_option("dependency_lengths", "punctuation", "Of dependency_lengths: whether punctuation is there.")
@further_option("--frame-relations", metavar="core|all|A,B", help="Of dependency_frames: relations that count; core: "
              "subjects, objects and clausal complements.  [default: core]")  # fmt: skip
@click.option("--order", is_flag=True, help="Of dependency_frames: in the order of the text, the word as _.")
@click.option("--case", is_flag=True, help="Of dependency_frames: relations with case and its markers, obl:auf:dat.")
@corpora_option
@each_option
@classes_option
@strictness_options
@limit_options
@output_options
def stats_command(
    treebanks: tuple[str, ...], corpora: tuple[str, ...], form: str | None, out: str | None, **options: Any
) -> None:
    """Count treebanks: sizes, ratios, relations, shapes of the trees.

    A TREEBANK is a file, or a folder whose files are one treebank, or with --each one each, or a .duckdb file with
    several. A table that is too wide for the screen is transposed: a column per treebank.
    """
    import treesql

    result = treesql.stats(*treebanks, corpus=corpora or None, **options)
    print_result(result, form, out, turned_by=None if options["relations"] or options["table"] else "treebank")


QUERY = "averaged_word_entropy"


@click.command(
    cls=Command, examples=["fixtures/gold.conllu", "fixtures/gold.conllu fixtures/parser-a.conllu --long -o wde.csv"]
)
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@parameter_option(QUERY, "forms", "What is counted: word forms, forms in lower case, or lemmas.", default="form")
@parameter_option(
    QUERY,
    "vocabulary",
    "Normalise the entropy by the number of distinct forms of the treebank, or of the relation.",
    default="treebank",
)
@parameter_option(
    QUERY, "absent", "Value of a treebank without the relation in the average: 0.5, or none.", default="half"
)
@click.option("--long", "long", is_flag=True, help="A row per treebank and relation, without the average.")
@chart_option("Draw the averages as a bar chart, also with --long")
@corpora_option
@each_option
@classes_option
@strictness_options
@limit_options
@output_options
def wde_command(
    treebanks: tuple[str, ...],
    corpora: tuple[str, ...],
    chart: str | None,
    form: str | None,
    out: str | None,
    **options: Any,
) -> None:
    """Print word dependency entropy of treebanks. It says how evenly the words of a relation are spread over forms.

    Function relations have low values, content relations high ones. A TREEBANK is a file, or a folder whose
    files are one treebank, or with --each one each, or a .duckdb file with several.
    """
    import treesql

    scores = treesql.wde(*treebanks, corpus=corpora or None, **options)
    if chart:
        print_picture(scores.svg(), chart)
    if options["long"] or format_of(form, out) != "table":
        print_result(scores, form, out)
    elif out is None and sys.stdout.isatty():
        click.echo(scores.coloured_bars())
    else:
        print_result(scores.with_bars(), form, out)


@click.command(
    cls=Command,
    examples=[
        "fixtures/study/gold fixtures/study/parser-a -o typology.html",
        "fixtures/study/gold fixtures/study/parser-a -o study --order las",
    ],
)
@click.argument("gold_dir")
@click.argument("system_dir")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE.html|FOLDER",
    default="typology",
    show_default=True,
    help="The page to write, or a new folder for the page and its data.",
)
@click.option("--data", metavar="DIR", help="A new folder for tables and figures, beside a page FILE.html.")
@click.option(
    "--order",
    type=click.Choice(["las", "uas", "wlas", "content_precision", "content_recall"]),
    help="The score that ranks treebanks in the figure of cumulative variance. [default: each metric itself]",
)
@experiment_options
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the measures. [default: table]")
def typology_command(gold_dir: str, system_dir: str, out: str, form: str | None, **options: Any) -> None:
    """Correlate parsers' scores with properties of the treebanks. The measures are printed.

    GOLD_DIR contains gold treebanks: folders, or files named after treebanks. SYSTEM_DIR contains outputs: NAME.conllu,
    NAME.SYSTEM.conllu (or .gz), or folders NAME with files named after systems. Below the rows of systems and
    treebanks is the macro-average of every system; wlas_own and wlas_averaged have weights that wlas has not.

    The page is one file that loads nothing. DIR receives every table as Parquet and CSV and every figure as SVG; FOLDER
    receives these and report.html. All is written whole or not at all.
    """
    import treesql

    print_result(treesql.typology(gold_dir, system_dir, out, **options), form, None)


@click.command(
    cls=Command,
    examples=[
        "fixtures/gold.conllu fixtures/parser-a.conllu",
        "fixtures/gold.conllu fixtures/parser-a.conllu --changes --column deprel",
    ],
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--db", metavar="DB", help="OLD and NEW are corpora of this database, or patterns: '*-v1' '*-v2'.")
@click.option(
    "--by", type=click.Choice(["upos", "deprel"]), help="A row per column and part of speech, or relation, in OLD."
)
@click.option("--changes", is_flag=True, help="Count the changes instead: old value, new value, words.")
@click.option("--list", "list", is_flag=True, help="List what changed, was added or removed instead.")
@click.option(
    "--column", type=QueryChoice("changed_words", "changed_column"), help="With --changes, --list: only this column."
)
@parameter_option(
    "version_sentences", "match", "Pair sentences by sent_id, or else by text; or by text alone.", default="sent_id"
)
@click.option("--comments", is_flag=True, help="Compare all comments, not only text, newdoc and newpar.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of rows.")
@reading_options()
@signature_option
@limit_options
@output_options
def diff_command(
    old: str, new: str, source_form: str | None, form: str | None, out: str | None, signature: bool, **options: Any
) -> None:
    """List how two versions of a treebank, or annotators, differ. There is a row per column.

    OLD and NEW are files, or folders of treebank files. Sentences correspond by sent_id, words by their characters:
    inserted sentences, other tokens and shifted positions of heads are no changes. Beside words, multiword tokens
    (range), empty nodes and the comments text, newdoc and newpar are compared. kappa is Cohen's, alpha Krippendorff's.

    Of two files of lattices there is a row per lattice: whether its paths have the same word sequences (words), its
    edges are the same, whatever the numbers of nodes (graph), and these have the same scores (scores).
    """
    import treesql

    differences = treesql.diff(old, new, format=source_form, **options)
    print_result(differences, form, out, signature=signature)
    if out is not None or format_of(form, out) != "table":
        return
    if differences.counted:
        click.echo(differences.counted)
        return
    if differences.unpaired:
        click.echo(differences.unpaired)
    if not options["comments"] and options["column"] in (None, "any"):
        click.echo("Comments other than text, newdoc and newpar are not compared; --comments compares them.")


@click.command(
    cls=Command,
    examples=[
        "stats.csv --columns content_share,mean_dependency_length",
        "stats.csv --columns content_share,mean_dependency_length --method spearman --long",
    ],
)
@click.argument("paths", nargs=-1, required=True, metavar="TABLE | GOLD_DIR SYSTEM_DIR")
@click.option(
    "--method",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="Pearson's r of the values, Spearman's rho of their ranks, or Kendall's tau-b of the order of pairs.",
)
@click.option("--columns", metavar="A,B,C", help="The columns to correlate. [default: all with numbers]")
@click.option("--complete", is_flag=True, help="Use only rows in which all of these columns have a value.")
@click.option("--long", "long", is_flag=True, help="Print a row per pair of columns also on the screen.")
@chart_option("Draw the matrix as a heat map")
@experiment_options
@output_options
def correlate_command(
    paths: tuple[str, ...], long: bool, chart: str | None, form: str | None, out: str | None, **options: Any
) -> None:
    """Correlate numeric columns of TABLE, or measures of treebanks.

    TABLE is a .csv, .json or .parquet file, or - for CSV on standard input, with a row per treebank, system or
    sentence; averages, `macro` and `micro` in place of a treebank, are left out. GOLD_DIR and SYSTEM_DIR are folders as
    `treesql typology` reads them. The matrix shows the coefficient r, with * where p < .05 and ** where p < .01,
    two-sided, and its 95% interval; csv, tsv, json, parquet and --long have a row per pair, with the number of rows n,
    and the share of pairs of rows that both columns order alike.
    """
    import treesql

    if len(paths) > 2:
        raise UsageError("name one table, or a folder of gold treebanks and a folder of outputs")
    correlations = treesql.correlate(*paths, **options)
    if chart:
        print_picture(correlations.svg(), chart)
    shown = not long and format_of(form, out) in ("table", *DOCUMENTS)
    print_result(correlations.matrix() if shown else correlations, form, out)
    if shown and out is None and format_of(form, out) == "table":
        click.echo(correlations.rows_text)
