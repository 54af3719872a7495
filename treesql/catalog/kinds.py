"""Kinds of corpora with the formats of their files, as the modules of readers/ and writers/ declare them; and kinds of
evaluation, as queries/KIND/kind.toml declares them: what is compared, by which metrics, with what options.

doc = "Score ..., a row per SYSTEM: ..."     # of `score KIND`; blank lines end paragraphs
metrics = ["attachment", ...]                # scored where none is named; by default all of the folder
shown = ["wer", ...]                         # columns that are shown where none is named; by default all of metrics
shown_by_sentence = [...]                    # further ones in a row per sentence
compared = ["las", ...]                      # scores or metrics that `compare` tests; by default the first metric
alternatives = true                          # one of the metrics is scored: the first that the inputs are for
only = true                                  # no other metrics are allowed, not even those of the folder
named_by = ["system_a", ...]                 # roles whose files name a system; by default its first
parameters = { leaves = "name" }             # values that differ from the defaults of the queries
of_same_words = ["words"]                    # columns of systems whose words are the gold words, unless they are named
of_other_words = ["gold_words", ...]         # columns of those whose words are aligned by their characters, likewise;
                                             # of a table: "attachment_errors.system_word"
usual_format = "newick"                      # of files where none is named
acyclic = true                               # cycles of heads are never accepted
explains = true                              # a sentence can be explained, by the hook of the kind
first = ["tokenize"]                         # parameters that `--help` describes, others with --all; by default all
examples = ["gold.conllu a.conllu", ...]     # in `--help`, inputs in the folder of the fixtures: of a score, of another
                                             # with options, and of two systems

[[roles]]
name = "gold"               # the parameter is gold_corpus
side = "gold"               # "gold": the same for all systems; "system": each has its own
reads = "dependency"        # a kind of corpora (KINDS), or "words": any with words
doc = "..."
argument = "GOLD"           # its name as an argument; by default the role's in capitals
option = true               # it is an option of the command line, --NAME
adds = ["decoder_search"]   # metrics that are scored, too, where it has inputs and none is named
checked = true              # no parameter of metrics: it is checked against, and attributes describe its words
names = true                # sentences of the other roles without a sent_id have that of its corpus in scores
one_corpus = true           # a folder of its files is one corpus, unless other roles have folders, too
several = "other_corpora"   # the parameter of further corpora: the role may have several
format = "gold_format"      # the option that names the format of its files; by default `format`
notation = "gold_"          # the prefix of --base and --reverse; for alignments

[with.ted]                  # --with ted: metrics in addition to the default ones
metrics = ["constituent_tree_edit"]
tables = { conll18 = "iwpt20" }              # or a further table where a table is shown

[flags.errors]              # --errors: short for other options
table = "attachment_errors"                  # or with = "...", or parameters = { ... }
layout = "evalb"                             # how the table is printed: by results/LAYOUT_layout.py
screen = "edits"                             # the same, but only on a screen, where no format is named
doc = "..."

[options.weights]           # an option that the hook of the kind reads
multiple = true
metavar = "X"
doc = "..."

[several.edge_weights]      # a parameter with several values: `score` has a row for each
metrics = ["best_error_rate"]                # scored then where none is named
compared = "agreement"                       # a score that is added then, of each value and the first one,
first = "compared_weights"                   # which is the value of this parameter

[report]                        # what a report shows
score = "attachment.las"        # of buckets and sentences; by default the first score of the first metric
finer = "path_edits"            # a metric with the counts of the score whose items have further columns of buckets
count = "words"                 # the size of a bucket; by default the first count that the metric shows
unit = "gold brackets"          # what `count` counts, for readers; by default its name
drawing = "trees"               # how sentences are drawn; by default they are not
item = "tree"                   # what a sentence is called; by default `sentence`
unmatched = "extra words"       # what items of systems alone, which have no value of a column, are called in notes

[report.buckets]                # by title, what `--by` takes
"Relation" = "gold_udeprel"

[report.without]                # by column of buckets, what items without a value are called; others are not drawn
distance = "root"

[report.values]                 # by column of buckets, what readers see in place of its values
direction = { to_root = "root" }

[report.confusions."Relations"]   # by title, a heat map
metric = "attachment"           # whose items are counted
beside = "evalb"                # a metric that it is shown with; by default the same
rows = "gold_udeprel"           # what is right
columns = "system_udeprel"      # what the system has instead
count = "gold_words + system_words - aligned_pairs"    # the counts that are added and subtracted in a cell
where = "..."                   # a condition on the items; by default none

[report.differences]            # by title, a table that compares systems with the first one, with a column `difference`
"N-grams" = "n_gram_differences"
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from treesql.catalog import header, queries, schemas
from treesql.catalog.header import Parameter
from treesql.catalog.queries import Query
from treesql.errors import HeaderError, UnknownName, UsageError
from treesql.runtime.failures import with_checked_arguments

COST, LOG_LIKELIHOOD = SENSES = ("cost", "log_likelihood")
"""Costs: smaller is better. Log-likelihoods: larger is better."""

KINDS = ("dependency", "constituency", "text", "alignment", "lattice", "nbest")
"""Kinds of corpora, in the order in which formats are listed."""

USUAL = {
    "dependency": "conllu", "constituency": "penn", "text": "text", "alignment": "pharaoh", "lattice": "plf",
    "nbest": "nbest",
}  # fmt: skip
"""By kind, the format of files with unknown endings."""

ANY_KIND = "any"
"""The kind of formats that hold corpora of every kind."""

_CONSTANT = re.compile(r"^(SUFFIXES|KIND|SCORE_SENSES) = (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class FileFormat:
    """A file format. suffixes: endings of its files; kind: of KINDS, or ANY_KIND; score_senses: see readers; module:
    its own, below the folder that it was found in."""

    name: str
    suffixes: tuple[str, ...]
    kind: str
    score_senses: tuple[str, ...] = ()
    module: str = field(default="", compare=False)


@dataclass(frozen=True)
class Format:
    """A file format. kind: of KINDS, or ANY_KIND; endings: of its files; read, written: whether treesql does that."""

    name: str
    kind: str
    endings: tuple[str, ...]
    read: bool
    written: bool


@with_checked_arguments
def formats(kind: str | None = None) -> list[Format]:
    """Return the file formats, or those that hold corpora of a kind, the usual format of every kind first.

    kind: dependency, constituency, text, alignment, lattice or nbest. Raises UnknownName.
    """
    if kind not in (None, *KINDS):
        raise UnknownName("kind", str(kind), KINDS)
    package = Path(__file__).parent.parent
    read, written = (formats_in(str(package / folder)) for folder in ("readers", "writers"))
    return [
        Format(
            file_format.name,
            file_format.kind,
            file_format.suffixes,
            file_format.name in read,
            file_format.name in written,
        )
        for file_format in _sorted({**written, **read}.values())
        if kind in (None, file_format.kind) or file_format.kind == ANY_KIND
    ]


@cache
def formats_in(folder: str) -> Mapping[str, FileFormat]:
    """The formats whose modules lie below a folder, by name: sorted by kind, the usual format of a kind first.

    A module declares a format by the constants SUFFIXES, KIND and SCORE_SENSES, each a literal on one line.
    """
    file_formats = []
    for path in Path(folder).rglob("*.py"):
        constants = {name: ast.literal_eval(value) for name, value in _CONSTANT.findall(path.read_text("utf-8"))}
        if "SUFFIXES" in constants:
            senses = constants.get("SCORE_SENSES", ())
            module = ".".join(path.relative_to(folder).with_suffix("").parts)
            file_formats.append(FileFormat(path.stem, constants["SUFFIXES"], constants["KIND"], senses, module))
    return {file_format.name: file_format for file_format in _sorted(file_formats)}


def _sorted(formats: Iterable[FileFormat]) -> list[FileFormat]:
    order = {kind: at for at, kind in enumerate((*KINDS, ANY_KIND))}
    return sorted(
        formats,
        key=lambda file_format: (
            order[file_format.kind],
            file_format.name != USUAL.get(file_format.kind),
            file_format.name,
        ),
    )


def listed(formats: Mapping[str, FileFormat], kind: str | None = None) -> str:
    """The names of formats that hold corpora of a kind (None: of any), as a help text lists them."""
    return ", ".join(
        file_format.name
        for file_format in formats.values()
        if kind in (None, file_format.kind) or file_format.kind == ANY_KIND
    )


def head_rules_of(form: str) -> str:
    """The set of head rules for trees of a format, where none is named: of its edge labels, or of Penn's labels."""
    return "negra" if form in ("export", "tigerxml", "discbracket") else "collins"


DRAWINGS = ("trees", "pairs", "links", "parallel", "paths", "lattices", "edits")
"""How the sentences of a kind are drawn: trees of one text, trees of two, links, all three, paths between links,
lattices with the path nearest to a reference, edit operations."""


@dataclass(frozen=True)
class ConfusionLayout:
    """A table of confusions: the items of a metric counted by two columns; see the head of this module."""

    metric: str
    rows: str
    columns: str
    count: str
    where: str | None = None
    beside: str | None = None

    @property
    def terms(self) -> dict[str, int]:
        """The counts that a cell sums, each 1 or -1 times."""
        return {name: -1 if sign == "-" else 1 for sign, name in re.findall(r"([+-]?)\s*(\w+)", self.count)}


@dataclass(frozen=True)
class ReportLayout:
    """What a report shows of a kind; see the head of this module."""

    score: str | None = None
    count: str | None = None
    unit: str | None = None
    finer: str | None = None
    drawing: str | None = None
    item: str = "sentence"
    unmatched: str | None = None
    buckets: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    confusions: Mapping[str, ConfusionLayout] = field(default_factory=dict)
    differences: Mapping[str, str] = field(default_factory=dict)

    @property
    def condition(self) -> str:
        """An example of a condition on the items: that of the first number that they are split by."""
        numbers = [bucket.partition("/")[0] for bucket in self.buckets.values() if "/" in bucket]
        return f"{numbers[0]} >= 5" if numbers else ""

    def buckets_of(self, metrics: Iterable[str]) -> dict[str, str]:
        """The buckets whose columns the items of one of some metrics have, by title."""
        known = set[str]().union(*map(_columns, metrics))
        return {title: bucket for title, bucket in self.buckets.items() if bucket.partition("/")[0] in known}

    def find_unknown(self, default: str) -> Iterator[str]:
        """What is declared that no query has, a line each. default: the metric where none is declared."""
        if self.drawing not in (None, *DRAWINGS):
            yield f"sentences of a report are not drawn as {self.drawing}"
        metric = (self.score or default).partition(".")[0]
        finer = _columns(self.finer) if self.finer and self.finer in queries.names() else set()
        used = [
            (metric, name)
            for name in (bucket.partition("/")[0] for bucket in self.buckets.values())
            if name not in finer
        ]
        used += [
            (confusion.metric, name)
            for confusion in self.confusions.values()
            for name in (confusion.rows, confusion.columns, *confusion.terms)
        ]
        for name, column in used:
            if name not in queries.names():
                yield f"{name} of its report is no metric"
            elif column not in _columns(name):
                yield f"{column} of its report is no column of the items of {name}"


def _columns(metric: str) -> set[str]:
    """The columns that items of a metric are grouped by: their own, attributes, those of gold words or sentences."""
    query = queries.query(metric)
    column_names = {column.name for column in query.columns}
    joined = (schemas.table(table).names for table in queries.reachable_tables(query))
    return column_names.union(queries.attributes_of(query), *joined)


FILE = "kind.toml"

GOLD, SYSTEM = SIDES = ("gold", "system")
"""Sides of roles: one for all systems, or each system's own."""

BASELINE = "baseline_corpus"
"""The parameter of tables that compare a system with the first one, which is their first system's corpus: that of the
first role of systems."""

WORDS = "words"
"""What a role reads whose corpora may be of any kind with words."""


@dataclass(frozen=True)
class Role:
    """A role of corpora in a kind of evaluation; see the head of this module."""

    name: str
    side: str
    reads: str
    doc: str
    argument: str = ""
    option: bool = False
    adds: tuple[str, ...] = ()
    checked: bool = False
    names: bool = False
    one_corpus: bool = False
    several: str | None = None
    format: str = "format"
    notation: str = ""

    @property
    def parameter(self) -> str | None:
        """The parameter of metrics that names the role's corpus; None if it is only checked against."""
        return None if self.checked else self.corpus

    @property
    def corpus(self) -> str:
        """The parameter of metrics, or of their attributes, that names the role's corpus."""
        return f"{self.name}{queries.OF_WORDS if self.checked else ''}_corpus"

    @property
    def written(self) -> str:
        """The role as an argument."""
        return self.argument or self.name.upper()

    @property
    def title(self) -> str:
        """What forms call the role: the beginning of its description."""
        text = re.split("[,;:]", self.doc)[0].replace("--", "").rstrip(".")
        return text[:1].upper() + text[1:]

    @property
    def is_alignment(self) -> bool:
        """Whether its corpora are links between words."""
        return self.reads == "alignment"


@dataclass(frozen=True)
class Addition:
    """Metrics that `--with NAME` adds to the default ones, and the tables that it adds to others."""

    metrics: tuple[str, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    doc: str = ""


@dataclass(frozen=True)
class Flag:
    """A flag that stands for other options. layout, screen: how the table is printed, if not as a table."""

    doc: str = ""
    table: str | None = None
    with_: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    layout: str | None = None
    screen: str | None = None


@dataclass(frozen=True)
class HookOption:
    """An option that the hook of a kind reads."""

    doc: str
    metavar: str = "X"
    multiple: bool = False


@dataclass(frozen=True)
class SeveralValues:
    """What `score` shows for several values of a parameter; see the head of this module."""

    metrics: tuple[str, ...]
    compared: str
    first: str


@dataclass(frozen=True)
class Kind:
    """A kind of evaluation; see the head of this module."""

    name: str
    doc: str
    roles: tuple[Role, ...]
    metrics: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    shown_by_sentence: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    alternatives: bool = False
    only: bool = False
    named_by: tuple[str, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    usual_format: str | None = None
    acyclic: bool = False
    explains: bool = False
    first: tuple[str, ...] | None = None
    examples: tuple[str, ...] = ()
    of_same_words: tuple[str, ...] = ()
    of_other_words: tuple[str, ...] = ()
    with_: Mapping[str, Addition] = field(default_factory=dict)
    flags: Mapping[str, Flag] = field(default_factory=dict)
    options: Mapping[str, HookOption] = field(default_factory=dict)
    several: Mapping[str, SeveralValues] = field(default_factory=dict)
    report: ReportLayout = field(default_factory=ReportLayout)

    def role(self, name: str) -> Role:
        """The role of a name. Raises UnknownName."""
        for role in self.roles:
            if role.name == name:
                return role
        raise UnknownName(f"role of the kind {self.name}", name, [role.name for role in self.roles])

    @property
    def shared(self) -> list[Role]:
        """The roles whose corpora are the same for all systems."""
        return [role for role in self.roles if role.side == GOLD]

    @cached_property
    def needed(self) -> list[Role]:
        """The roles without whose corpora nothing is scored: those that are no options, or that every default metric
        has as a parameter without a default value."""
        parameters = [
            {parameter.name for parameter in queries.query(name).parameters if parameter.default is None}
            for name in self.metrics or self.all_metrics
        ]
        return [role for role in self.roles if not role.option or all(role.parameter in names for names in parameters)]

    @property
    def own(self) -> list[Role]:
        """The roles of which each system has corpora of its own."""
        return [role for role in self.roles if role.side == SYSTEM]

    @cached_property
    def family(self) -> frozenset[str]:
        """The families of queries whose metrics are of this kind."""
        return frozenset({self.name, *(queries.query(name).family for name in self.metrics)})

    @cached_property
    def all_metrics(self) -> tuple[str, ...]:
        """The metrics of the kind: those scored by default, then the others of the folder."""
        others = [query.name for query in queries.in_folder(self.name, "metric")]
        listed = self.metrics or tuple(others)
        return listed if self.only else tuple(dict.fromkeys([*listed, *others]))

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The statistics of the kind whose corpora are those of its required roles, those that compare systems with the
        first one, and those that flags name."""
        roles = {role.parameter for role in self.roles if role.parameter and not role.option}
        of_flags = {flag.table for flag in self.flags.values()}

        def is_table(query: Query) -> bool:
            corpora = {parameter.name for parameter in query.parameters if parameter.name.endswith("_corpus")}
            return query.name in of_flags or corpora == roles or BASELINE in corpora

        return tuple(query.name for query in queries.in_folder(self.name, "statistic") if is_table(query))

    @cached_property
    def matrices(self) -> tuple[str, ...]:
        """The tables of the kind that can be shown as matrices."""
        return tuple(name for name in self.tables if queries.query(name).matrix)

    @cached_property
    def curves(self) -> tuple[str, ...]:
        """The tables of the kind that can be drawn."""
        return tuple(name for name in self.tables if queries.query(name).curve)

    @cached_property
    def declared(self) -> Mapping[str, Parameter]:
        """The parameters of the metrics and tables except corpora, by name; those of several queries as one."""
        corpora = {BASELINE, *(parameter for role in self.roles for parameter in (role.parameter, role.several))}
        parameters: dict[str, Parameter] = {}
        for query in map(queries.query, (*self.all_metrics, *self.tables)):
            for declared_parameter in query.parameters:
                if declared_parameter.name in corpora or declared_parameter.name in self.options:
                    continue
                known = parameters.setdefault(declared_parameter.name, declared_parameter)
                choices = tuple(dict.fromkeys((*known.choices, *declared_parameter.choices)))
                parameters[declared_parameter.name] = replace(known, choices=choices)
        return parameters

    @property
    def written_system(self) -> str:
        """How a system is named: `NAME=FILE`, or `NAME=B[,FILE]` for a system of several files."""
        first, *rest = self.own
        parts = [f"[,{role.written}]" if role.option else f",{role.written}" for role in rest]
        return "".join(["NAME=", first.written if rest else "FILE", *parts])

    @cached_property
    def reading(self) -> tuple[str, ...]:
        """The options of how files of the kind are read, by their words in Python."""
        read = [role for role in self.roles if not role.checked]
        links = [role for role in read if role.is_alignment]
        contents = {role.reads for role in read}
        trees = not contents.isdisjoint({"dependency", "constituency"})
        options = [role.format for role in read]
        options += [f"{role.notation}{name}" for role in links for name in ("base", "reverse")]
        options += ["null_links"] * any(role.side == GOLD for role in links)
        options += ["permissive"] * ("dependency" in contents and not self.acyclic) + ["strict"] * trees
        options += ["phrases", "symbols"] * ("lattice" in contents) + ["ids"] * (WORDS in contents)
        return tuple(dict.fromkeys(options))

    def columns(self, metric: str) -> list[str]:
        """The columns that a metric of the kind shows: counts, then scores."""
        return self.columns_of_metrics[metric]

    @cached_property
    def columns_of_metrics(self) -> dict[str, list[str]]:
        """The same of every metric, by its name."""
        return {
            query.name: [*(count.name for count in query.shown_counts), *(score.name for score in query.scores)]
            for query in map(queries.query, self.all_metrics)
        }


@cache
def names() -> tuple[str, ...]:
    """The names of the kinds, sorted."""
    return tuple(sorted(file.parent.name for file in header.folder("queries").glob(f"*/{FILE}")))


def all_kinds() -> Mapping[str, Kind]:
    """The kinds by name, sorted. Raises HeaderError."""
    return {name: kind(name) for name in names()}


@cache
def kind(name: str) -> Kind:
    """The kind of a name. Raises UnknownName, HeaderError."""
    if name not in names():
        raise UnknownName("kind of evaluation", name, names())
    return _parse(name, (header.folder("queries") / name / FILE).read_text("utf-8"))


@with_checked_arguments
def kinds(*names: str) -> list[Kind]:
    """Describe the kinds of evaluation: those named, or all, sorted by name. Raises UnknownName, HeaderError."""
    return [kind(name) for name in names] if names else list(all_kinds().values())


def kind_of_metric(query: Query) -> Kind:
    """The kind that a metric belongs to. Raises UsageError."""
    if query.family not in names():
        raise UsageError(f"{query.name} is of no kind of evaluation; add {FILE} to queries/{query.family}")
    return kind(query.family)


def clear_cache() -> None:
    """Read the files again at the next call."""
    for remembered in (names, kind):
        remembered.cache_clear()


def _parse(name: str, text: str) -> Kind:
    where = f"queries/{name}/{FILE}"
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HeaderError(f"{where}: {error}") from None
    declarations: dict[str, Any] = {"name": name, **{_field(key): _frozen(value) for key, value in given.items()}}
    declarations["roles"] = tuple(_make(Role, where, role) for role in given.get("roles", ()))
    for key, table_class in (
        ("with", Addition), ("flags", Flag), ("options", HookOption), ("several", SeveralValues)
    ):  # fmt: skip
        declarations[_field(key)] = {
            title: _make(table_class, where, values) for title, values in given.get(key, {}).items()
        }
    report = dict(given.get("report", {}))
    tables = report.get("confusions", {})
    report["confusions"] = {title: _make(ConfusionLayout, where, values) for title, values in tables.items()}
    declarations["report"] = _make(ReportLayout, where, report)
    kind: Kind = _make(Kind, where, declarations)
    return kind


def _make(table_class: Any, where: str, given: Mapping[str, Any]) -> Any:
    """An object of a class from a table of TOML. Raises HeaderError for unknown and missing keys."""
    known = {known_field.name for known_field in fields(table_class)}
    values = {_field(key): _frozen(value) for key, value in given.items()}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise HeaderError(f"{where}: {', '.join(unknown)} is not known here; known: {', '.join(sorted(known))}")
    try:
        return table_class(**values)
    except TypeError as error:
        raise HeaderError(f"{where}: {str(error).split(') ', 1)[-1]}") from None


def _field(key: str) -> str:
    return "with_" if key == "with" else key


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def find_contradictions(kind: Kind) -> list[str]:
    """What a kind declares that its queries contradict, a line each, which names both."""
    where = f"queries/{kind.name}/{FILE}"
    added = [name for addition in kind.with_.values() for name in addition.metrics]
    metrics = {query.name for query in queries.all_queries().values() if query.kind == "metric"}
    contradictions = [
        f"{where}: the side of {role.name} is {role.side}" for role in kind.roles if role.side not in SIDES
    ]
    contents = (*KINDS, WORDS)
    wrong = [role for role in kind.roles if role.reads not in contents]
    contradictions += [f"{where}: {role.name} reads {role.reads}, no kind of corpora" for role in wrong]
    named = (*kind.metrics, *added)
    contradictions += [f"{where}: {name} is no metric in queries/" for name in named if name not in metrics]
    if not kind.own:
        contradictions.append(f"{where}: no role is a system's")
    return contradictions or [f"{where}: {what}" for what in (*_find_wrong_roles(kind), *_find_unknown_names(kind))]


def _find_wrong_roles(kind: Kind) -> Iterator[str]:
    """Parameters of corpora without a role, and roles without a parameter."""
    declared = {parameter_name for role in kind.roles for parameter_name in (role.parameter, role.several)}
    read: set[str] = set()
    for query in map(queries.query, kind.all_metrics):
        read.update(parameter.name for parameter in query.parameters)
        for parameter in query.parameters:
            if parameter.name.endswith(("_corpus", "_corpora")) and parameter.name not in declared:
                yield f"no role is {parameter.name} of queries/{query.family}/{query.name}.sql"
    for role in kind.roles:
        for name in (role.parameter, role.several):
            if name and name not in read:
                yield f"no metric has the parameter {name} of the role {role.name}"


def _names_in(table: str) -> set[str]:
    """The names of the parameters and columns of a table."""
    query = queries.query(table)
    return {parameter.name for parameter in query.parameters} | {column.name for column in query.columns}


def _find_unknown_names(kind: Kind) -> Iterator[str]:
    """Columns, tables, parameters and roles that no query of the kind has."""
    columns = {column for name in kind.all_metrics for column in kind.columns_of_metrics[name]} | set(kind.all_metrics)
    of_tables = {f"{name}.{column.name}" for name in kind.tables for column in queries.query(name).columns}
    for name in (*kind.of_same_words, *kind.of_other_words):
        if name not in columns | of_tables:
            yield f"{name} is no column of the kind"
    of_several = [name for values in kind.several.values() for name in (*values.metrics, values.compared)]
    for name in (*kind.shown, *kind.shown_by_sentence, *kind.compared, *of_several):
        if name not in columns:
            yield f"{name} is no metric or column of the kind"
    of_flags = [flag.table for flag in kind.flags.values() if flag.table]
    of_additions = [name for addition in kind.with_.values() for pair in addition.tables.items() for name in pair]
    for name in (*of_flags, *of_additions):
        if name not in kind.tables:
            yield f"{name} is no table of the kind"
    of_parameters = [name for flag in kind.flags.values() for name in flag.parameters]
    of_parameters += [name for parameter, values in kind.several.items() for name in (parameter, values.first)]
    for name in (*kind.parameters, *of_parameters):
        if name not in kind.declared:
            yield f"no query has the parameter {name}"
    for name in kind.report.differences.values():
        if name not in kind.tables or not {BASELINE, "difference"} <= _names_in(name):
            yield f"{name} of its report is no table that compares systems with the first one"
    yield from kind.report.find_unknown(kind.all_metrics[0])
    for name in kind.named_by:
        if name not in {role.name for role in kind.own}:
            yield f"{name} names systems, and is no role of theirs"
