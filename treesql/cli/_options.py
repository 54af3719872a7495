"""What commands share. Options: limits, engines, what is read and scored, and all options of a kind; and output: tables
in any format, texts and pictures, to standard output or a file.

Options of a kind are made from its declaration, and those that are parameters of queries from the queries' headers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

import treesql
from treesql import drawing, process
from treesql.cli import Group, Option, complete, further_option
from treesql.errors import UnknownName, UsageError
from treesql.results.result import is_too_wide, render, transpose
from treesql.results.tables import (
    DOCUMENT_WIDTH,
    DOCUMENTS,
    ENDINGS,
    FORMATS,
    PICTURES,
    format_by_ending,
    open_whole,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from click.shell_completion import CompletionItem

    from treesql import Database, Kind, Parameter, Result, Role


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
"""What a parameter of click takes as `shell_complete`."""


def completing(what: str, kind: Kind | None = None) -> Completer:
    """Completes by a function of `_completion`, which only a shell that completes needs. kind: whose names it has."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from treesql.cli import _completion

        items: list[CompletionItem] = getattr(_completion, what)(kind or ctx, incomplete)
        return items

    return complete


def limit_options(command: Decorated) -> Decorated:
    """`--timeout` and `--memory`, which end the process when exceeded."""
    timeout = further_option(
        "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", callback=_limit_time, expose_value=False,
        help="Stop after this many seconds.  [default: never]",
    )  # fmt: skip
    return timeout(memory_option(command))


def memory_option(command: Decorated) -> Decorated:
    """`--memory` alone, for commands with a time limit of their own."""
    return further_option(
        "--memory", type=_check_size, metavar="SIZE", callback=_limit_memory, expose_value=False,
        help="Stop if more memory is needed than this: 500MB, 2GB, 1GiB.  [default: DuckDB's; 1.5GB for a folder]",
    )(command)  # fmt: skip


def limit_time(ctx: click.Context, seconds: float | None, *, interrupted: bool = False) -> None:
    """End the process after some seconds, unless the command is done. interrupted: whether statements are as well."""
    if seconds:
        ctx.call_on_close(process.unlimit)
        process.limit(seconds=seconds, interrupted=interrupted)


def _check_size(text: str) -> int:
    try:
        return process.check_size(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def _limit_time(ctx: click.Context, param: click.Parameter, seconds: float | None) -> None:
    limit_time(ctx, None if ctx.resilient_parsing else seconds)


def _limit_memory(ctx: click.Context, param: click.Parameter, size: int | None) -> None:
    if size and not ctx.resilient_parsing:
        ctx.call_on_close(process.unlimit)
        process.limit(memory=size)


SPARK = "spark"


def engine_options(command: Decorated) -> Decorated:
    """`--engine` and `--master`."""
    engine = further_option(
        "--engine", type=click.Choice(["duckdb", SPARK]), default="duckdb",
        help="What runs the queries. spark: Apache Spark, on a folder of Parquet.  [default: duckdb]",
    )  # fmt: skip
    master = further_option(
        "--master", metavar="URL",
        help="With --engine spark: local[4], spark://host:7077 or another.  [default: spark-submit's, or local[*]]",
    )  # fmt: skip
    return engine(master(command))


def check_engine(engine: str, master: str | None) -> bool:
    """Whether queries run on Spark. Raises UsageError for an address without it."""
    if master is not None and engine != SPARK:
        raise UsageError("--master is the address of a Spark cluster; add --engine spark")
    return engine == SPARK


def connect_to_spark(db: str | None, master: str | None, *, existing: bool = True, **options: Any) -> Database:
    """The database of a folder on Spark. existing: whether it has to exist. Raises UsageError without a folder."""
    if db is None:
        raise UsageError("--engine spark reads a folder of Parquet: name it by --db, and corpora in place of files")
    return treesql.connect(db, spark=master or "", existing=existing, **options)


def listed(kind: str | None = None, *, written: bool = False) -> str:
    """The names of the formats that are read, or written; kind: of their corpora, None for any."""
    return ", ".join(form.name for form in treesql.formats(kind) if (form.written if written else form.read))


def read_standard_input(what: str) -> str:
    """The text on standard input. what: it is. Raises UsageError where it is not UTF-8."""
    try:
        text = sys.stdin.read()
        text.encode()  # also finds bytes that were read as half surrogate pairs
    except UnicodeError:
        raise UsageError(f"standard input is not UTF-8; give {what} as text") from None
    return text


_READING: Mapping[str, dict[str, Any]] = {
    "base": {
        "type": click.Choice(["0", "1"]),
        "callback": lambda context, option, value: None if value is None else int(value),
        "help": "Alignments: the number of a sentence's first word.  "
        "[default: 0 for pharaoh, 1 for talp, wpt and giza]",
    },
    "reverse": {"is_flag": True, "help": "Alignments: the target word comes first."},
    "null_links": {"is_flag": True, "help": "Alignments: keep links to the empty word, 0 in wpt, NULL in giza."},
    "permissive": {"is_flag": True, "help": "Accept sentences whose heads form a cycle."},
    "strict": {
        "is_flag": True,
        "help": "Refuse sentences with several roots, and blank lines among trees that have a line each.",
    },
    "phrases": {"is_flag": True, "help": "PLF: a label with blanks is several words."},
    "symbols": {
        "type": click.Path(), "help": "OpenFst, Kaldi: the table of symbols of the labels, such as words.txt."
    },
    "ids": {
        "type": click.Choice(["first", "last", "none"]),
        "help": "Plain text: the first or the last word of every line is its id; none: no ids, sentences of all files "
        "correspond by their order.",
    },
}  # fmt: skip
"""What click takes for the options of reading that are the same for all roles, by their words in Python."""


def _reading_decorator(name: str) -> Callable[[Decorated], Decorated]:
    return further_option(f"--{name.replace('_', '-')}", **_READING[name])


base_option, ids_option = _reading_decorator("base"), _reading_decorator("ids")


def _set_max_sentence(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Set the maximum size of sentences while the command runs."""
    if value is not None:
        context.with_resource(treesql.max_sentence(value))


max_sentence_option = further_option(
    "--max-sentence",
    metavar="SIZE",
    expose_value=False,
    callback=_set_max_sentence,
    help="Files: the maximum size of a sentence, tree or lattice, which may have a word or edge per 16 bytes. "
    "[default: 16MB]",
)


def notation_options(command: Decorated) -> Decorated:
    """`--base`, `--reverse` and `--null-links` of commands that read alignments."""
    return base_option(_reading_decorator("reverse")(_reading_decorator("null_links")(command)))


scores_option = further_option(
    "--scores",
    type=click.Choice(["cost", "log-likelihood"]),
    callback=lambda context, option, value: value and value.replace("-", "_"),
    help="PLF, JSON lines, n-best lists: what the scores are.  [default: log-likelihood]",
)
"""Of commands that store or write lattices."""


def label_options(command: Decorated) -> Decorated:
    """`--phrases` and `--symbols` of commands that read lattices."""
    return _reading_decorator("phrases")(_reading_decorator("symbols")(command))


def reading_options(kind: str | None = None) -> Callable[[Decorated], Decorated]:
    """`--from`, `--permissive`, `--strict` and `--max-sentence`. kind: of the corpora that are read, None: any."""
    permissive = _reading_decorator("permissive")
    return lambda command: permissive(acyclic_reading_options(kind)(command))


def acyclic_reading_options(kind: str | None = None) -> Callable[[Decorated], Decorated]:
    """`--from`, `--strict` and `--max-sentence`, for commands that never accept cycles; kind: see reading_options."""
    options = (
        max_sentence_option,
        _reading_decorator("strict"),
        further_option(
            "--from",
            "source_form",
            metavar="FORMAT",
            help=f"Format of the files: {listed(kind)}. [default: by ending]",
        ),
    )

    def add(command: Decorated) -> Decorated:
        for option in options:
            command = option(command)
        return command

    return add


signature_option = further_option("--signature", is_flag=True, help="Print what each number was computed from.")

ci_option = click.option(
    "--ci",
    cls=Option,
    is_flag=True,
    brief="Add 95% intervals (bootstrap).",
    help="Add 95% intervals, SCORE_low and SCORE_high: the bootstrap over sentences, 10,000 runs, seed 12345.",
)


def scoring_options(command: Decorated) -> Decorated:
    """`--ci`, `--signature`, `--timeout` and `--memory`."""
    return ci_option(signature_option(limit_options(command)))


class QueryChoice(click.Choice[str]):
    """The choices of a parameter of a query, which is read when they are needed: `treesql --help` shows none."""

    def __init__(self, query: str, parameter: str) -> None:
        self.query, self.parameter, self.case_sensitive = query, parameter, True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The values."""
        [named] = [
            parameter for parameter in treesql.queries(self.query)[0].parameters if parameter.name == self.parameter
        ]
        return named.choices


def parameter_option(query: str, name: str, help: str, **more: Any) -> Callable[[Decorated], Decorated]:
    """An option for a parameter with choices of a query of the catalogue. more: other arguments of `click.option`."""
    return click.option(
        f"--{name.replace('_', '-')}",
        cls=Option,
        type=QueryChoice(query, name),
        help=help,
        **{"show_default": "default" in more, **more},
    )


def edit_cost_options(command: Decorated) -> Decorated:
    """`--substitution-cost`, `--insertion-cost`, `--deletion-cost` and `--reordering`."""
    reordering = parameter_option(
        "oracle_paths",
        "reordering",
        "With --measure ger: swap: two neighbouring words of the path in exchanged order cost 1.",
        default="none",
    )
    command = reordering(command)
    for name, what in (
        ("deletion", "a word of the reference that the path lacks"),
        ("insertion", "an extra word of the path"),
        ("substitution", "another word"),
    ):
        text = f"With --measure ger: cost of {what}."
        option = further_option(f"--{name}-cost", type=float, default=1.0, show_default=True, help=text)
        command = option(command)
    return command


def reference_option(command: Decorated) -> Decorated:
    """`--reference`, repeatable, `--empty-references` and `--ids`."""
    text = "References: a sentence per line, or any file with words; repeatable."
    option = click.option("-r", "--reference", multiple=True, metavar="FILE", help=text)
    empty = parameter_option(
        "reference_sentences",
        "empty_references",
        "Missing: of several references of a sentence, those without words are none.  [default: count]",
        further=True,
    )
    return option(empty(ids_option(command)))


def lattice_options(command: Decorated) -> Decorated:
    """`--from`, `--phrases`, `--symbols` and `--max-sentence`."""
    form = further_option(
        "--from",
        "source_form",
        metavar="FORMAT",
        help=f"Format of the lattices: {listed('lattice')}. [default: by ending, else plf]",
    )
    return form(label_options(max_sentence_option(command)))


edge_weights_option = further_option(
    "--edge-weights",
    default="",
    metavar="NUMBERS",
    help="Weights of the scores of an edge, in the order of the file, separated by commas.  [default: -1 for costs, 1 "
    "for log-likelihoods]",
)


def names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


classes_option = further_option(
    "--classes", metavar="FILE", help="CSV with relation,class: which relations are function, content or other."
)

corpora_option = click.option(
    "--corpus", "corpora", metavar="NAME", multiple=True, shell_complete=completing("corpora"),
    help="A corpus, or a pattern such as 'de_*'; repeatable.  [default: all]",
)  # fmt: skip


each_option = further_option(
    "--each",
    type=click.Choice(["file", "folder"]),
    help="Folders, patterns: what becomes a treebank, named as by `treesql load`.  [default: what is named]",
)
"""Of commands that read treebanks as they are named."""


def strictness_options(command: Decorated) -> Decorated:
    """`--permissive`, `--strict` and `--max-sentence`."""
    strict = further_option("--strict", is_flag=True, help="Refuse sentences with several roots.")
    return _reading_decorator("permissive")(strict(max_sentence_option(command)))


def experiment_options(command: Decorated) -> Decorated:
    """The options of studies across treebanks: systems, classes, weights, punctuation, reading and limits."""
    for option in (
        limit_options,
        strictness_options,
        further_option(
            "--punctuation",
            type=click.Choice(["all", "form", "relation"]),
            default="all",
            show_default=True,
            help="Which words are scored: all; form, without words of punctuation characters alone; relation, without "
            "those with deprel punct or upos PUNCT in the gold tree.",
        ),
        further_option(
            "--weights",
            metavar="averaged|own|FILE",
            help="Weights of relations in wlas: word dependency entropies averaged over the gold treebanks, those of "
            "each treebank, or a file. [default: averaged]",
        ),
        classes_option,
        click.option(
            "--system",
            metavar="NAME",
            multiple=True,
            help="A system, of outputs TREEBANK.NAME.conllu; repeatable. [default: all]",
        ),
    ):
        command = option(command)
    return command


Make = Callable[["Kind"], click.Command]
"""Makes the command of a kind."""


class KindGroup(Group):
    """A group with a command for every kind."""

    def __init__(self, *args: Any, make: Make, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.make = make
        self.made: dict[str, click.Command] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds."""
        return [kind.name for kind in treesql.kinds()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a kind, or None."""
        if cmd_name not in self.made:
            try:
                [kind] = treesql.kinds(cmd_name)
            except UnknownName:
                return None
            self.made[cmd_name] = complete(self.make(kind))
        return self.made[cmd_name]


class _Addition(click.Choice[str]):
    """A name of `--with`; others are refused by `treesql.score`, which knows the kinds that have them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(value, param, ctx) if value in self.choices else str(value)


def inputs_argument(kind: Kind) -> click.Argument:
    """The files or corpora of a command: all roles in order, the last repeated where a system has one file."""
    roles = [role for role in kind.roles if not role.option]
    last = "..." if _takes_several(kind) else ""
    return click.Argument(
        ["inputs"],
        nargs=-1,
        metavar=" ".join(role.written for role in roles) + last,
        shell_complete=completing("inputs"),
    )


def named_systems(named: Sequence[str]) -> dict[str, Any]:
    """The systems that --system names, as a keyword of the public API; none without. Raises UsageError."""
    systems = dict(map(_split_system, named))
    if len(systems) < len(named):
        raise UsageError("a system is named twice; name each once")
    return {"systems": systems} if systems else {}


def kind_options(kind: Kind, *, compared: bool = False, tables: bool = True) -> list[click.Option]:
    """The options of a kind: roles, parameters, flags, and how files are read.

    compared: those of `compare` alone; tables: whether those that print a table instead of scores are among them.
    """
    with_systems = not compared
    tables = tables and with_systems
    options = [_role_option(role) for role in kind.roles if role.option and (with_systems or role.side != "system")]
    text = "Take all inputs as corpora of this database."
    options.append(click.Option(["--db"], type=click.Path(), help=text))
    options.append(_system_option(kind))
    options.append(_metric_option(kind, compared))
    if kind.with_:
        additions = "; ".join(f"{name}, {addition.doc}" for name, addition in kind.with_.items())
        choice = _Addition(list(kind.with_))
        options.append(
            Option(
                ["--with", "with_"], multiple=True, type=choice, help=f"Add to the default scores: {additions}.",
                further=any(flag.with_ for flag in kind.flags.values()),
            )
        )  # fmt: skip
    several = kind.several if tables else ()
    options += [_parameter_option(kind, parameter, several) for parameter in kind.declared.values()]
    for name, flag in kind.flags.items():
        if tables or not flag.table:
            options.append(click.Option([f"--{name}"], is_flag=True, help=flag.doc))
    for name, option in kind.options.items():
        options.append(
            Option(
                [f"--{name}"],
                metavar=option.metavar,
                multiple=option.multiple,
                help=option.doc,
                further=kind.first is not None and name not in kind.first,
            )
        )
    if tables and kind.tables:
        text = f"Print a table instead: {_enumerated(kind.tables)}."
        some = [*kind.tables[:2], "others"] if len(kind.tables) > 3 else kind.tables
        brief = f"Print a table instead: {_enumerated(some)}."
        complete = completing("tables", kind)
        options.append(Option(["--table"], metavar="NAME", shell_complete=complete, help=text, brief=brief))
    where = (
        "Score only the items that meet this condition; its columns are what groups of scores name: upos, "
        "gold_distance, Number, meta.speaker."
    )
    brief = "Score only these items: upos = 'NOUN'."
    options.append(Option(["--where"], metavar="SQL", help=where, brief=brief))
    options += [_reading_option(kind, name) for name in kind.reading]
    return options


def keywords(given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in given.items() if not any(value is absent for absent in (None, False, ()))}


def _own(kind: Kind) -> list[str]:
    return [role.written for role in kind.own if not role.option]


def _takes_several(kind: Kind) -> bool:
    """Whether systems have one argument each, so that several can be given."""
    return len(_own(kind)) == 1


def _split_system(text: str) -> tuple[str, Any]:
    name, separator, rest = text.partition("=")
    parts = rest.split(",")
    if not (name and separator and all(parts)):
        raise UsageError(f"--system {text}: write NAME=FILE, or NAME=FILE,FILE for a system of several files")
    return name, parts if len(parts) > 1 else parts[0]


def _system_option(kind: Kind) -> click.Option:
    return Option(
        ["--system", "named"], metavar="NAME=FILE", multiple=True,
        brief=f"A system with a name, instead of {' '.join(_own(kind))}.",
        help=f"A system and its name, instead of {' '.join(_own(kind))}: {kind.written_system}. Repeatable.",
    )  # fmt: skip


def _metric_option(kind: Kind, compared: bool) -> click.Option:
    scored = "the main scores of the kind" if compared else "the scores above"
    known, further = ", ".join(kind.all_metrics), f"; repeatable, also with commas.  [default: {scored}]"
    return Option(
        ["--metric"], metavar="NAME", multiple=True, shell_complete=completing("metrics", kind),
        brief="A metric or a score; repeatable.", help=f"A metric, or a score of one ({known}){further}",
    )  # fmt: skip


def _role_option(role: Role) -> click.Option:
    short = ["-r"] if role.name == "reference" else []
    return click.Option([*short, f"--{role.name}"], metavar=role.written, multiple=bool(role.several), help=role.doc)


def _parameter_option(kind: Kind, parameter: Parameter, several: Collection[str] = ()) -> click.Option:
    values: Any = click.Choice(parameter.choices) if parameter.choices else float if parameter.type == "DOUBLE" else str
    doc = parameter.doc[:1].upper() + parameter.doc[1:].rstrip(".")
    usual = kind.parameters.get(parameter.name, parameter.default)
    default = f"  [default: {usual}]" if usual else ""
    name = parameter.name.replace("_", "-")
    repeatable = parameter.name in several
    doc += "; repeatable, a row each" * repeatable
    further = kind.first is not None and parameter.name not in kind.first
    brief = f"{doc.partition(':')[0]}.{default}"
    return Option(
        [f"--{name}", parameter.name],
        type=values,
        multiple=repeatable,
        help=f"{doc}.{default}",
        brief=brief,
        further=further,
    )


def _reading_option(kind: Kind, name: str) -> click.Option:
    if name.endswith("format"):
        return _format_option(kind, name)
    declared = _READING[name.removeprefix("gold_")]
    if name not in _READING:
        declared = {**declared, "help": f"Gold links: {declared['help'].split(': ', 1)[1]}"}
    return Option([f"--{name.replace('_', '-')}"], further=True, **declared)


def _format_option(kind: Kind, name: str) -> click.Option:
    roles = [role for role in kind.roles if role.format == name]
    content = roles[0].reads
    known = [form.name for form in treesql.formats(None if content == "words" else content) if form.read]
    usual = kind.usual_format or ("text" if content == "words" else known[0])
    text = f"Format of {_enumerated([role.written for role in roles], 'and')}: {', '.join(known)}."
    written = f"--{name.removesuffix('format').replace('_', '-')}from"
    return Option([written, name], metavar="FORMAT", help=f"{text}  [default: by ending, else {usual}]", further=True)


def _enumerated(names: Sequence[str], word: str = "or") -> str:
    *known, last = names
    return f"{', '.join(known)} {word} {last}" if known else last


def with_options(command: click.Command, *decorators: Callable[[Any], Any]) -> click.Command:
    """The command with options that all commands of this sort have."""
    for add in (max_sentence_option, *decorators):
        command = add(command)
    return command


ROWS_ON_SCREEN = 1000
DEFAULT_WIDTH = 120
"""Characters per line if standard output is not a terminal."""


def output_options(command: Decorated) -> Decorated:
    """`--format` and `-o` for a command that prints a table."""
    of_file = f"Write to this file; its ending chooses the format: {', '.join(ENDINGS)}."
    brief = "A file to write; its ending is the format."
    command = click.option(
        "-o", "--output", "out", cls=Option, type=click.Path(dir_okay=False), callback=_in_a_folder, help=of_file,
        brief=brief,
    )(command)  # fmt: skip
    kinds = click.Choice(FORMATS)
    return click.option(
        "--format",
        "form",
        cls=Option,
        type=kinds,
        brief="How to print.",
        help="How to print.  [default: by the ending of -o, else table]",
    )(command)


def _in_a_folder(context: click.Context, option: click.Parameter, out: str | None) -> str | None:
    """Raise UsageError before anything is computed if the folder of a file is not there."""
    if out is not None and not os.path.isdir(os.path.dirname(out) or "."):
        raise UsageError(f"{out}: there is no such folder; name a place that can be written")
    return out


def print_result(
    result: Result, form: str | None, out: str | None, *, signature: bool = False, turned_by: str | None = None
) -> None:
    """Print a table. Only screens and documents show shares as percentages.

    turned_by: the column whose values become column names if the table is too wide for the screen, or for a document.
    """
    form = format_of(form, out)
    folded = form == "table" and out is None and sys.stdout.isatty()
    width = screen_width() if form == "table" else DOCUMENT_WIDTH
    turned = turned_by if turned_by and form in ("table", *DOCUMENTS) else None
    if turned and not is_too_wide(result, turned, width, folded=folded):
        turned = None
    if turned and form == "table":
        print_rows(transpose(result, turned), form, out)
    else:
        print_rows(result, form, out, turned_by=turned)
    if signature:
        click.echo(result.signature, err=form != "table" or out is not None)


def print_rows(
    rows: Result | pa.RecordBatchReader, form: str | None, out: str | None, *, turned_by: str | None = None
) -> None:
    """Print a result, or batches as they come; only tables of screens and documents are in memory as a whole."""
    import treesql

    form = format_of(form, out)
    if out is not None:
        treesql.write(rows, out, format=form, turned_by=turned_by)
        return
    with destination(out, form) as file:
        if form == "table" and sys.stdout.isatty():
            _print_on_screen(rows if isinstance(rows, treesql.Result) else treesql.Result(rows.read_all()))
        else:
            treesql.write(rows, file, format=form, turned_by=turned_by)


def _print_on_screen(result: Result) -> None:
    sys.stdout.buffer.write(render(result.head(ROWS_ON_SCREEN), screen=screen_width()).encode())
    if len(result) > ROWS_ON_SCREEN:
        click.echo(f"{len(result) - ROWS_ON_SCREEN} more rows; --format csv prints all", err=True)


@contextmanager
def bytes_bar(what: str) -> Iterator[Callable[[int, int | None], object] | None]:
    """Show a progress bar of bytes on standard error; yields None if that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with process.working(f"MB ({what})") as work:
        yield lambda done, total: work.set(done / (1 << 20), (total or 0) / (1 << 20))


@contextmanager
def query_bar() -> Iterator[Callable[[float, float], object]]:
    """Show a progress bar of a query on standard error; yields a function that does nothing if that is no terminal."""
    with process.working("percent of a query") as work:
        yield work.set


def format_of(form: str | None, out: str | None) -> str:
    """The format to print: as named, else by the ending of the file. Raises UsageError for unknown endings."""
    return form or format_by_ending(out, ENDINGS) or "table"


def screen_width() -> int:
    """Characters per line of the terminal, or DEFAULT_WIDTH."""
    if not sys.stdout.isatty():
        return DEFAULT_WIDTH
    from rich.console import Console

    return Console().width


@contextmanager
def destination(out: str | None, form: str) -> Iterator[BinaryIO]:
    """Open standard output, or a file that is written whole or not at all; devices and pipes are opened directly."""
    if out is not None:
        with open_whole(out) as file:
            yield file
        return
    if form == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal; name a file with -o")
    yield sys.stdout.buffer
    sys.stdout.flush()


def chart_option(help: str) -> Callable[[Decorated], Decorated]:
    """`--chart FILE`, which is `--svg FILE` too. help: what is drawn."""
    endings = " or ".join(PICTURES)
    return click.option("--chart", metavar="FILE", callback=_checked, help=f"{help} ({endings}).")


def _checked(context: click.Context, option: click.Parameter, out: str | None) -> str | None:
    """Raise UsageError before anything is computed if pictures cannot be written to a file."""
    if out is not None:
        drawing.check_format(out)
    return out


def picture_format(out: str | None, texts: Mapping[str, str]) -> str | None:
    """The format of a drawing by the ending of its file: svg, png, pdf, or one of texts; None without an ending.

    texts: by ending, other formats. Raises UsageError, before anything is computed.
    """
    form = format_by_ending(out, {**PICTURES, **texts})
    if out is not None and form in PICTURES.values():
        drawing.check_format(out)
    return form


def print_picture(svg: str, out: str | None, form: str | None = None) -> None:
    """Print an SVG document to standard output, or write it to a file: as SVG if that is the format, else by its
    ending."""
    if out is None or form == "svg":
        print_text(svg, out)
    else:
        drawing.write(svg, out)


def print_text(text: str | bytes, out: str | None) -> None:
    """Print a text to standard output or a file."""
    with destination(out, "text") as file:
        file.write(text.encode() if isinstance(text, str) else text)
