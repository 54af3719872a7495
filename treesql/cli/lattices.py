"""treesql lattice and nbest: what is done with lattices and n-best lists besides scoring."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

import treesql
from treesql.cli import Group, Option, further_option
from treesql.cli._options import (
    chart_option,
    destination,
    edge_weights_option,
    edit_cost_options,
    lattice_options,
    listed,
    max_sentence_option,
    names,
    output_options,
    parameter_option,
    picture_format,
    print_picture,
    print_result,
    print_text,
    reference_option,
    scores_option,
)
from treesql.errors import UsageError
from treesql.results.pages import counted
from treesql.results.tables import ENDINGS, FORMATS, PICTURES


@click.group(cls=Group)
def lattice_command() -> None:
    """Find oracle paths, prune, draw, and plot scores over density."""


@click.group(cls=Group)
def nbest_command() -> None:
    """Find out how good n-best lists are."""


@lattice_command.command(
    "oracle",
    examples=[
        "fixtures/lattices.plf -r fixtures/lattices.txt",
        "fixtures/lattices.plf -r fixtures/lattices.txt --format csv",
    ],
)
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@parameter_option(
    "oracle_paths",
    "measure",
    "What is minimal: edits, edits per word of the path, position-independent errors, these per word; or, for bleu, "
    "maximal: sentence BLEU. score: the largest sum of the weighted scores of edges.",
    default="ger",
)
@click.option(
    "--corpus-bleu", is_flag=True, help="With --measure bleu: the paths whose BLEU together is the best found."
)
@edge_weights_option
@edit_cost_options
@lattice_options
@scores_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS]),
    help="How to print; text: the words of a path per line.  [default: by the ending of -o, else text]",
)
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file.")
def oracle_command(lattices: str, source_form: str | None, form: str | None, out: str | None, **options: Any) -> None:
    """Print the path of every lattice that is nearest to a reference: its words on a line, as `treesql score
    translation` reads them; in other formats also its edges, its errors, and whether it is proven. With --measure
    score, print the path with the best scores, for which references are not needed.
    """
    paths = treesql.lattices.oracle(lattices, format=source_form, **options)
    printed = form or {**ENDINGS, ".txt": "text"}.get(Path(out or "").suffix.lower(), "text")
    if printed == "text":
        with destination(out, "text") as file:
            file.writelines(" ".join(words or []).encode() + b"\n" for words in paths.arrow()["path_forms"].to_pylist())
    else:
        print_result(paths, printed, out)


@lattice_command.command(
    "prune",
    examples=[
        "fixtures/lattices.plf -r fixtures/lattices.txt --threshold 0",
        "fixtures/lattices.plf -r fixtures/lattices.txt --threshold 0 -o sparse.jsonl",
    ],
)
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--threshold",
    type=float,
    multiple=True,
    help="Prune edges whose tau is below this, divided by the number of edges of the lattice; repeatable without -o, a "
    "row each.  [default: 0]",
)
@click.option(
    "--density",
    type=float,
    help="Prune, in place of a threshold, as few edges as leave at most this many per node of all lattices.",
)
@click.option(
    "--criterion",
    type=click.Choice(["distance", "posterior"]),
    default="distance",
    show_default=True,
    help="posterior: prune edges whose posterior, by their scores, is below the threshold; without references.",
)
@edge_weights_option
@further_option(
    "--scale", type=float, default=1.0, show_default=True, help="With --criterion posterior: factor of the scores."
)
@further_option("--raw-threshold", is_flag=True, help="Do not divide the threshold.")
@further_option("--greedy", is_flag=True, help="Prune the worst edge, recompute tau, and repeat.")
@further_option(
    "--min-redundancy",
    type=float,
    default=1.0,
    show_default=True,
    help="Minimum redundancy of the references in tau and swcd; 0: no minimum.",
)
@lattice_options
@scores_option
@further_option(
    "--to", "target", metavar="FORMAT", help=f"{listed('lattice', written=True)}. [default: by the ending of OUT]"
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the pruned lattices to this file; by default they are only counted.",
)
@click.option(
    "--report", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print the report."
)
def prune_command(lattices: str, source_form: str | None, target: str | None, report: str, **options: Any) -> None:
    """Prune edges of LATTICES that raise standard word count distance to the references, or that are improbable.

    One path always remains, if necessary the one with the fewest edges to prune. Edges that are then on no path are
    trimmed, nodes are kept. Prints edges, density, graph error and distance before and after, and errors: pruned edges
    of the oracle paths (of the first kind), and kept edges on no oracle path (of the second). OUT is written whole or
    not at all, and replaces an existing file.
    """
    thresholds = options.pop("threshold") or None
    pruned = treesql.lattices.prune(lattices, format=source_form, to=target, threshold=thresholds, **options)
    print_result(pruned, report, None, turned_by="threshold" if len(pruned) > 1 else "system")


@lattice_command.command(
    "tune",
    examples=[
        "fixtures/lattices.plf -r fixtures/lattices.txt",
        "fixtures/lattices.plf -r fixtures/lattices.txt --objective ger --iterations 2",
    ],
)
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--objective",
    type=click.Choice(["bleu", "ger"]),
    default="bleu",
    show_default=True,
    help="BLEU of the paths with the best scores, or their word error rate.",
)
@click.option("--iterations", type=int, default=10, show_default=True, help="Maximum number of rounds.")
@click.option("--seed", type=int, default=12345, show_default=True, help="Seed of the order of weights in a round.")
@click.option(
    "--thresholds",
    metavar="NUMBERS",
    default="0,0.001,0.01,0.05,0.1",
    show_default=True,
    help="Posteriors below which edges may be pruned; 0 alone: never.",
)
@edge_weights_option
@click.option("--scale", type=float, default=1.0, show_default=True, help="Factor of the scores in posteriors.")
@lattice_options
@scores_option
@output_options
def tune_command(lattices: str, source_form: str | None, form: str | None, out: str | None, **options: Any) -> None:
    """Tune the weights of the scores of edges, in turn with pruning, towards BLEU or GER of the best paths.

    A row per step: an exact search for the best value of one weight, for all lattices together, or pruning by
    posteriors. No step makes the objective worse. The last row has the result, weights as --edge-weights takes them:
    those of `lattice prune --criterion posterior`, with the threshold, and those of the path with the best scores in
    what remains, `lattice oracle --measure score`.
    """

    def show(step: treesql.lattices.TuningStep) -> None:
        if sys.stderr.isatty():
            click.echo(f"{step.changed or 'start'}: {step.value:.6f} at density {step.density:.3f}", err=True)

    print_result(treesql.lattices.tune(lattices, format=source_form, progress=show, **options), form, out)


OF_POINTS = ("points", "numbers", "line", "differences")


@lattice_command.command(
    "curve",
    examples=[
        "sparse.jsonl fixtures/lattices.plf -r fixtures/lattices.txt",
        "sparse.jsonl fixtures/lattices.plf -r fixtures/lattices.txt --report curve.html",
    ],
)
@click.argument("lattices", nargs=-1, metavar="[LATTICES...]")
@click.option(
    "--system",
    multiple=True,
    metavar="NAME=FILE,FILE,...",
    help="A system and its lattices, a file per density, instead of LATTICES; repeatable, a curve each.",
)
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and texts as corpora of this database.")
@click.option(
    "--metric",
    cls=Option,
    brief="Columns of `score lattice` and others, separated by commas.  [default: ger_rate,swcd]",
    metavar="NAMES",
    callback=names,
    help="Columns of `score lattice`, of `score translation` for the hypotheses, or these with oracle_ for the words "
    "of the nearest paths, or with best_ for the paths with the best scores of edges, separated by commas.  [default: "
    "ger_rate,swcd]",
)
@further_option(
    "--hypothesis",
    "hypotheses",
    multiple=True,
    metavar="FILE",
    help="The output of a decoder for each of the LATTICES, or of the files of the systems, in their order; "
    "repeatable.",
)
@parameter_option(
    "oracle_paths",
    "measure",
    "The measure that is minimal on the paths of oracle_ metrics.  [default: ger]",
    further=True,
)
@edge_weights_option
@further_option("--macro", is_flag=True, help="Density is the mean over lattices, not edges per node of all lattices.")
@further_option(
    "--min-redundancy",
    type=float,
    multiple=True,
    help="Minimum redundancy of the references in swcd and tau; repeatable, a curve each.  [default: 1]",
)
@click.option(
    "--table",
    cls=Option,
    brief="What to print.",
    type=click.Choice(treesql.lattices.CURVE_TABLES),
    default="points",
    show_default=True,
    help="What to print: the points; numbers from the curve (--at, --between, --fit); the line to a metric (--to); "
    "differences of systems, or of one at --thresholds, at equal density (--at) with 95% intervals; the share of "
    "pruned edges by threshold; the logistic growth fitted to it; the span of tau of every lattice; quantiles of tau.",
)
@click.option(
    "--at", type=float, multiple=True, metavar="DENSITY", help="Interpolate, or compare systems, here; repeatable."
)
@further_option(
    "--between", type=float, nargs=2, multiple=True, metavar="LOW HIGH", help="Integrate between densities; repeatable."
)
@further_option(
    "--fit",
    type=click.Choice(["line", "logarithm", "parabola", "power", "gaussian", "logistic"]),
    multiple=True,
    help="Fit this curve; repeatable. The parabola is over the logarithm of density.",
)
@further_option("--to", metavar="METRIC", help="The metric to predict from every other one by a line.")
@further_option(
    "--thresholds",
    metavar="NUMBERS",
    help="Also prune the lattices at each of these, separated by commas, a curve each; LOW:HIGH is 41 between. "
    "[default for pruned and growth: -8:8]",
)
@further_option("--raw-threshold", is_flag=True, help="Do not divide thresholds by the number of edges of the lattice.")
@further_option(
    "--density-of",
    metavar="NAME",
    help="The density of points: `unpruned`, that of the lattices before pruning at --thresholds; or that of this "
    "system, file by file.",
)
@chart_option("Draw the table, with curves of --fit")
@further_option(
    "--together", multiple=True, metavar="NAMES", help="Draw these metrics in one panel with one axis; repeatable."
)
@further_option(
    "--overlay",
    multiple=True,
    metavar="LEFT,RIGHT",
    help="Draw two metrics in one panel, the second on an axis of its own that fits the first best; repeatable.",
)
@further_option("--log", is_flag=True, help="Draw logarithmic axes of density, and of spans and numbers of edges.")
@click.option(
    "--report",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[FILE.html|FOLDER]",
    help="Write all tables and pictures as one page, or a new folder for the page and its data; without a name, the "
    "page is -o FILE.html.",
)
@click.option("--data", metavar="DIR", help="A new folder for the tables and pictures behind the page of --report.")
@further_option("--signature", is_flag=True, help="Print what each number was computed from.")
@lattice_options
@scores_option
@output_options
def curve_command(
    lattices: tuple[str, ...], table: str, chart: str | None, page: str | None, data: str | None, signature: bool,
    source_form: str | None, form: str | None, out: str | None, **options: Any,
) -> None:  # fmt: skip
    """Score lattices of one corpus at several densities, a row per file by density, with numbers from this curve.

    LATTICES are files of one system with the same sentences, each of another density; they and references correspond by
    their ids if both have some, else by their order. Several systems are named, each with its files: --system.
    """
    from treesql.reports import html
    from treesql.reports.density_curves import write_report

    if table == "line" and not options["to"]:
        raise UsageError("--table line needs the metric to predict: --to METRIC")
    if page == "":
        if out is None:
            raise UsageError("--report needs a page to write: --report FILE.html, or -o FILE.html behind it")
        html.check_page_place(Path(out))
        page, out = out, None
    if data and page is None:
        raise UsageError("--data is for the tables behind a page: --report FILE.html")
    if page is None:
        _check_use(table, chart, options)
    study = treesql.lattices.curve(*lattices, format=source_form, **options)
    if page is not None:
        write_report(study, page, data)
    result = study.table(table)
    if chart:
        print_picture(study.svg(table), chart)
    print_result(result, form, out, signature=signature)


def _check_use(table: str, chart: str | None, options: dict[str, Any]) -> None:
    """Raises UsageError for options that have no effect on the table and the picture."""
    for option, given, use in (
        ("--metric, --hypothesis and --macro are", ("metric", "hypotheses", "macro"), OF_POINTS),
        ("--edge-weights is", ("edge_weights",), OF_POINTS),
        ("--between is", ("between",), ("numbers",)),
        ("--at is", ("at",), ("numbers", "differences")),
        ("--fit is", ("fit",), ("points", "numbers")),
        ("--to is", ("to",), ("line",)),
        ("--density-of is", ("density_of",), OF_POINTS),
        ("--thresholds and --raw-threshold are", ("thresholds", "raw_threshold"), (*OF_POINTS, "pruned", "growth")),
        ("--together and --overlay are", ("together", "overlay"), ("points", "numbers")),
    ):
        if any(options[name] for name in given) and table not in use:
            raise UsageError(f"{option} for --table {' or '.join(use)}, and for --report")
    if options["fit"] and table == "points" and not chart:
        raise UsageError("--fit is for --table numbers, and for the picture of the points: --chart FILE")
    if not chart and (options["together"] or options["overlay"] or options["log"]):
        raise UsageError("--together, --overlay and --log are for pictures: --chart FILE, or --report FILE.html")


@lattice_command.command(
    "examples",
    examples=[
        "fixtures/lattices.plf -r fixtures/lattices.txt --below -1 --above 1 -o extreme.parquet",
        "fixtures/lattices.plf -r fixtures/lattices.txt --below 0 --above 0 -o examples.parquet",
    ],
)
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option(
    "--below", type=float, help="Label `prune` below this tau, divided by the edges of the lattice.  [default: -1]"
)
@click.option("--above", type=float, help="Label `keep` above this tau; edges between have no label.  [default: 1]")
@click.option("--raw-threshold", is_flag=True, help="Do not divide the thresholds by the number of edges.")
@click.option("--min-redundancy", type=float, help="Minimum redundancy of the references in tau.  [default: 1]")
@lattice_options
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write to this file, as Parquet."
)
def examples_command(lattices: str, source_form: str | None, out: str, **options: Any) -> None:
    """Make training examples for an arbiter: a row per edge of LATTICES with features, which need no reference, tau,
    a label by two thresholds of tau, and whether the path nearest to the references takes the edge.
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    examples = treesql.lattices.examples(lattices, format=source_form, out=out, **chosen)
    labels = examples.arrow()["label"].to_pylist()
    labelled = ", ".join(f"{labels.count(label):,} labelled {label}" for label in ("prune", "keep"))
    click.echo(f"{out}: {counted(len(labels), 'edge')}, {labelled}")


@lattice_command.command(
    "fit",
    examples=[
        "examples.parquet -o arbiter.json",
        "examples.parquet --features score_distance_1,entering_edges -o arbiter.json",
    ],
)
@click.argument("examples")
@click.option(
    "--features",
    metavar="NAMES",
    callback=names,
    help="The features to learn from, separated by commas.  [default: all of EXAMPLES]",
)
@click.option(
    "--label",
    type=click.Choice(["path", "tau"]),
    default="path",
    show_default=True,
    help="Learn to keep the path nearest to a reference, or the labels by two thresholds of tau.",
)
@click.option(
    "--learner",
    default="logistic",
    show_default=True,
    metavar="logistic|regression|ranking|NAME",
    help="A logistic regression, a ridge regression of the label (with --label tau of tau), a ranking of the edges of "
    "each lattice, or a classifier of scikit-learn, such as RandomForestClassifier.",
)
@click.option(
    "--regularisation",
    type=float,
    default=1.0,
    show_default=True,
    help="C of the first three: smaller values shrink the coefficients more.",
)
@click.option(
    "--seed", type=int, default=12345, show_default=True, help="Seed of a ranking's sample and of classifiers."
)
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), required=True, help="Write the arbiter to this file."
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the coefficients. [default: table]")
def fit_command(examples: str, form: str | None, **options: Any) -> None:
    """Fit an arbiter to EXAMPLES, a file of `treesql lattice examples`: it judges how much speaks for pruning an edge.
    Prints the coefficients of standardised features, if the learner has some; needs treesql[arbiter].
    """
    print_result(treesql.lattices.fit(examples, **options).weights(), form, None)


@lattice_command.command(
    "apply",
    examples=[
        "arbiter.json fixtures/lattices.plf --share 0.25",
        "arbiter.json fixtures/lattices.plf --share 0.25 -o kept.jsonl",
    ],
)
@click.argument("model")
@click.argument("lattices")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@click.option("--share", type=float, help="Prune this share of the edges of each lattice, from 0 to 1.")
@click.option(
    "--probability", type=float, help="Prune edges whose probability of being pruned is above this.  [default: 0.5]"
)
@click.option("--density", type=float, help="Prune as few edges as leave at most this many per node of all lattices.")
@click.option("--min-redundancy", type=float, help="Minimum redundancy of the references in swcd.  [default: 1]")
@click.option("--seed", type=int, help="Seed of random pruning and of the test.  [default: 12345]")
@lattice_options
@scores_option
@click.option(
    "--to", "target", metavar="FORMAT", help=f"{listed('lattice', written=True)}. [default: by the ending of OUT]"
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the pruned lattices to this file; by default they are only counted.",
)
@click.option(
    "--report", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print the report."
)
@click.option("--signature", is_flag=True, help="Print what the scores were computed from.")
def apply_command(
    model: str, lattices: str, reference: tuple[str, ...], source_form: str | None, target: str | None, report: str,
    signature: bool, **options: Any,
) -> None:  # fmt: skip
    """Prune LATTICES by an arbiter, MODEL, a file of `treesql lattice fit`. No reference is needed.

    One path always remains, and edges that are then on no path are trimmed. References are used for scores only: the
    lattices are also pruned by distance to the references (oracle) and at random, one draw by --seed, to the same
    density, and a shuffling test compares graph error rate and swcd with those of random pruning.
    """
    if signature and not reference:
        raise UsageError("--seed and --signature need references: --reference FILE")
    pruned = treesql.lattices.apply(model, lattices, reference=reference, format=source_form, to=target, **options)
    print_result(pruned, report, None, signature=signature)


@lattice_command.command(
    "show", examples=["fixtures/lattices.plf 1", "fixtures/lattices.plf 1 -r fixtures/lattices.txt -o lattice.svg"]
)
@click.argument("lattices")
@click.argument("sentence")
@reference_option
@click.option("--db", type=click.Path(), help="Take LATTICES and references as corpora of this database.")
@parameter_option(
    "oracle_paths",
    "measure",
    "The measure that is minimal on the marked path, as in `treesql lattice oracle`.",
    default="ger",
)
@edge_weights_option
@lattice_options
@scores_option
@click.option(
    "-o", "--output", "out", type=click.Path(dir_okay=False), help="Write to this file: .svg, .png, .pdf or text."
)
def show_command(lattices: str, sentence: str, source_form: str | None, out: str | None, **options: Any) -> None:
    """Draw one lattice: a line per edge below its first node.

    SENTENCE is the name of the lattice, or its number from 0, such as '#2'. With references the nearest path is marked.
    """
    form = picture_format(out, {".txt": "text"})
    drawing = treesql.lattices.show(lattices, sentence, format=source_form, **options)
    colour = out is None and sys.stdout.isatty()
    if form in PICTURES.values():
        print_picture(drawing.svg(), out)
    else:
        print_text(drawing.text(colour=colour), out)


@nbest_command.command(
    "oracle",
    examples=[
        "fixtures/lists.nbest -r fixtures/lattices.txt",
        "fixtures/lists.nbest -r fixtures/lattices.txt --measure bleu --n 1,2,3",
    ],
)
@click.argument("lists")
@reference_option
@click.option("--db", type=click.Path(), help="Take LISTS and references as corpora of this database.")
@parameter_option("compared_hypotheses", "measure", "By what hypotheses are chosen and scored.", default="wer")
@click.option(
    "--n", default="1,2,5,10", show_default=True, metavar="NUMBERS", help="Numbers of hypotheses, a row each."
)
@click.option(
    "--weights",
    default="",
    metavar="NAME=WEIGHT,...",
    help="Sort lists by the sum of these features, or `score`, the largest first; or a weight for each feature.  "
    "[default: the order of the file]",
)
@parameter_option(
    "compared_hypotheses", "lowercase", "Whether texts are compared in lower case.", default="no", further=True
)
@parameter_option(
    "compared_hypotheses", "punctuation", "Whether punctuation is compared.", default="keep", further=True
)
@parameter_option("compared_hypotheses", "unicode_form", "The Unicode form of texts.", default="given", further=True)
@parameter_option("compared_hypotheses", "tokenize", "BLEU: how words are found.", default="none", further=True)
@click.option(
    "--from",
    "source_form",
    metavar="FORMAT",
    help=f"Format of the lists: {listed('nbest')}. [default: nbest]",
)
@max_sentence_option
@output_options
def nbest_oracle_command(
    lists: str, source_form: str | None, form: str | None, out: str | None, **options: Any
) -> None:
    """Print how good n-best LISTS are: a row per number n, with the score of the best of the first n hypotheses of
    every list, and that of the first hypotheses beside it.

    LISTS are those of Moses, Kaldi, or JSON lines. Lists and references correspond by their ids if both have some, else
    by their order.
    """
    print_result(treesql.nbest.oracle(lists, format=source_form, **options), form, out)
