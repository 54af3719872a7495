"""queries/ -> Query objects: headers, expansion into one WITH chain, attributes that items are joined with.

A query refers to another by its plain name (`FROM word_pairs AS p`), which passes its own parameters on, or by a call
that sets some of them (`FROM attachment(system_corpus := $other_corpus) AS a`). Every distinct reference becomes one
common table expression. Parameters stay prepared (`$gold_corpus`); only defaults of headers are written into the
text.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path

from treesql.catalog import documents, header, schemas
from treesql.catalog.header import NUMBERS, Column, Header, Parameter
from treesql.catalog.sql_text import (
    Statement,
    find_relations,
    indent,
    relation_names,
    relations_of,
    split_tokens,
    words,
)
from treesql.errors import HeaderError, UnknownName, UsageError, written_parameter

PARTS = ("relation", "audit")
"""The kinds of queries that only others read."""

CORPORA_OF_PAIRS = ("gold_corpus", "system_corpus")
"""Parameters of the corpora whose words are paired."""

_OF_ALIGNMENTS = ("same_words", "text_correspondence", "aligned_words")
"""Queries by which the table of alignments is filled beforehand, where a query reads it."""


@dataclass(frozen=True)
class Query(Header):
    """One file of queries/: its header, its statement and the folder that it lies in."""

    family: str = ""

    @cached_property
    def audit_queries(self) -> tuple[Query, ...]:
        """The queries that must find nothing before this one is scored."""
        return tuple(query(name) for name in self.audits)

    @property
    def totals_query(self) -> Query | None:
        """The relation with the sums of its items, if there is one."""
        return query(self.totals) if self.totals else None

    @cached_property
    def adds_up(self) -> bool:
        """Whether its rows are sums by key over all sentences: those of blocks of sentences add up to those of all."""
        return (
            self.kind != "metric"
            and any(column.shown for column in self.columns)
            and all(column.name != "sentence" for column in self.columns)
        )

    @cached_property
    def reads_sums_alone(self) -> bool:
        """Whether its rows are computed from sums by key, and from nothing else of the corpora."""
        read = [query(piece.name) for piece in _pieces(self.body) if isinstance(piece, Reference)]
        corpus_tables = {table.name for table in schemas.corpus_tables()}
        own_tables = tables_of(relations_of(self.body))
        return (
            bool(read) and all(q.adds_up or q.reads_sums_alone for q in read) and corpus_tables.isdisjoint(own_tables)
        )

    def crosses(self, values: Mapping[str, object]) -> bool:
        """Whether its rows depend on other sentences than their own. values: of parameters, which may rule it out."""
        if not self.crosses_sentences or self.unless is None:
            return bool(self.crosses_sentences)
        name, excluded = self.unless
        [default] = (parameter.default for parameter in self.parameters if parameter.name == name)
        value = values.get(name, default)
        return not value if excluded is None else value != excluded

    @property
    def needs_kernel(self) -> bool:
        """Whether it calls a kernel's function, so that it runs only on connections of treesql."""
        return self.engine.startswith("kernel")

    @property
    def stays_in_files(self) -> bool:
        """Whether databases have its macro, for any client: not if it needs a kernel, or if only other queries read it.

        Each macro makes opening a database slower; connections of treesql make the others where SQL names them.
        """
        return not self.needs_kernel and (self.kind not in PARTS or self.name in _parts_for_people())

    @cached_property
    def counts(self) -> tuple[Column, ...]:
        """The columns that are summed: those shown and those that a score needs, in the order of the header."""
        needed = {name for score in self.scores for name in score.counts}
        return tuple(column for column in self.columns if column.shown or column.name in needed)

    @cached_property
    def shown_counts(self) -> tuple[Column, ...]:
        """The counts that are shown beside the scores."""
        return tuple(column for column in self.columns if column.shown and column.name != schemas.BY_CHARACTERS)

    @cached_property
    def reference_corpus(self) -> str | None:
        """The parameter that names the gold (or only) corpus: the first that ends in `_corpus`."""
        return next((p.name for p in self.parameters if p.name.endswith("_corpus")), None)

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """The attributes of a metric's items by their names; columns of the items come before them."""
        return _find_attributes(self)

    @cached_property
    def statement(self) -> Statement:
        """The query expanded, its parameters prepared."""
        return _expand(self)

    @cached_property
    def sources(self) -> frozenset[str]:
        """The tables that the expanded query reads, also through views."""
        return tables_of(self.statement.identifiers)

    @property
    def sha256(self) -> str:
        """Digest of the expanded statement, the views and macros in it, and the score expressions, for signatures."""
        read = [self.statement, *([self.totals_query.statement] if self.totals_query else [])]
        identifiers = frozenset[str]().union(*(statement.identifiers for statement in read))
        text = "".join(statement.sql for statement in read)
        text += "".join(f"\n{score.name} = {score.expression}" for score in self.scores)
        text += "".join(f"\n{name} = {sql}" for name, sql in sorted(_definitions(identifiers).items()))
        return hashlib.sha256(text.encode()).hexdigest()

    def values(self, given: Mapping[str, object]) -> dict[str, object]:
        """A value for every parameter: those given, else the defaults. Raises UnknownName, UsageError."""
        names = [p.name for p in self.parameters]
        for name in given:
            if name not in names:
                raise UnknownName(f"parameter of {self.name}", name, names)
        return {p.name: self._value(p, given) for p in self.parameters}

    def check(self, given: Mapping[str, object]) -> None:
        """Raises UsageError for values that its parameters cannot have; those of no parameter are ignored."""
        for parameter in self.parameters:
            if parameter.name in given:
                self._value(parameter, given)

    def _value(self, parameter: Parameter, given: Mapping[str, object]) -> object:
        name, value = parameter.name, given.get(parameter.name, parameter.default)
        if value is None:
            raise UsageError(f"{self.name} needs a value for {written_parameter(name)}: {parameter.doc}")
        if parameter.type in NUMBERS and isinstance(value, str):
            try:
                value = NUMBERS[parameter.type](value)
            except ValueError:
                raise UsageError(f"{written_parameter(name)} of {self.name} is a number, not {value!r}") from None
        if isinstance(value, int | float) and parameter.type in NUMBERS and not parameter.accepts(value):
            shown = f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)[:40]
            raise UsageError(f"{written_parameter(name)} is {shown}; it is {parameter.described_values}")
        if parameter.choices and value not in parameter.choices:
            raise UsageError(
                f"{written_parameter(name)} cannot be {value!r}; choose one of {', '.join(parameter.choices)}"
            )
        return value


@cache
def _files() -> dict[str, Path]:
    """The files of queries/ by their names. Raises HeaderError."""
    paths: dict[str, Path] = {}
    for path in sorted(header.folder("queries").glob("*/*.sql")):
        if path.stem in paths:
            raise HeaderError(
                f"{path.parent.name}/{path.name}: {paths[path.stem].parent.name} has a query of this name"
            )
        paths[path.stem] = path
    return paths


def names() -> Collection[str]:
    """The names of all queries."""
    return _files().keys()


@cache
def all_queries() -> dict[str, Query]:
    """Every query of queries/, by name. Raises HeaderError."""
    return {name: query(name) for name in _files()}


@cache
def query(name: str) -> Query:
    """One query. Raises UnknownName, HeaderError."""
    if name not in _files():
        raise UnknownName("query", name, _files(), note_of_old_name(name))
    return _read(name, ())


def note_of_old_name(name: str) -> str:
    """What to write in place of a query that only aligned words; empty for any other name."""
    new = name.removeprefix("aligned_").replace("class_scores", "relation_class_scores")
    return f"{new} aligns words that differ; write {new}" if new != name and new in _files() else ""


def _read(name: str, above: tuple[str, ...]) -> Query:
    """Read a query's file. above: the queries that share fields of this one."""
    path = _files()[name]
    where = f"{path.parent.name}/{path.name}"

    def other(shared: str) -> Query:
        if shared not in _files():
            raise HeaderError(f"{where}: there is no query {shared}, which the header names")
        if shared in (name, *above):
            raise HeaderError(f"{where}: shares fields with itself by way of {' -> '.join((*above, name))}")
        return _read(shared, (*above, name))

    if name in _parsed:
        return _parsed[name]
    entry = header.parse(path.read_text("utf-8"), where, other)
    if entry.name != path.stem:
        raise HeaderError(f"{path.name}: a query is called like its file, this one calls itself {entry.name}")
    _parsed[name] = Query(**vars(entry), family=path.parent.name)
    return _parsed[name]


_parsed: dict[str, Query] = {}
"""Queries that were read, some of them for shared fields alone."""


@cache
def in_folder(family: str, kind: str) -> tuple[Query, ...]:
    """The queries of a folder that are of a kind, without parsing any other file."""
    of_kind = re.compile(rf"^-- kind: {kind}$", re.MULTILINE)
    files = (path for path in _files().values() if path.parent.name == family)
    return tuple(query(path.stem) for path in files if of_kind.search(path.read_text("utf-8")))


def words_of_queries(queries: Iterable[Query], *, aligning: bool = True) -> frozenset[str]:
    """Every word of the SQL of queries, of their audits, and if they are aligning, of what aligns words before."""
    return frozenset().union(*(entry.statement.identifiers for entry in _with_audits(queries, aligning=aligning)))


def columns_read(
    queries: Collection[Query], others: Iterable[str] = (), *, aligning: bool = True
) -> dict[str, frozenset[str]]:
    """By table, the columns that queries may read, themselves or in their audits, and any others that are named.

    aligning: with those by which words are aligned that the queries pair, if they differ.

    A column counts as read where its name occurs, in the SQL of a query, of a view behind it, of a column computed from
    it, or among `others`.
    """
    entries = _with_audits(queries, aligning=aligning)
    sources = frozenset({"corpora"}).union(*(entry.sources for entry in entries))
    named = words_of_queries(queries, aligning=aligning).union(others)
    if not named.isdisjoint(documents.MARKS):
        named |= frozenset(documents.MARKS)  # a paragraph ends where a document does
    for view in schemas.all_views().values():
        if view.name in named:
            named |= frozenset(split_tokens(view.body))
    read = {}
    for table in map(schemas.table, sources):
        computed = [column.computed for column in table.columns if column.computed and column.name in named]
        read[table.name] = frozenset(table.names) & named.union(*map(words, computed))
    return read


WORDS = "words"
"""The table of words."""

JOINED_BY_ID = "references_with_ids"
"""The relation of queries whose sentences correspond by their ids, which has no rows where none has an id."""

CORPORA_OF_WORDS = "corpora_of_words"
"""The relation of corpora whose words are not those of lines of texts."""


def needs_words_of_lines(statement: str) -> bool:
    """Whether SQL may need rows of the table of words that are words of lines of texts, which are their words as well.

    It does not where the table is read in expressions alone, by others alone that declare it, `without_lines`, and by
    no view or macro.
    """
    read = Counter(relation_names(statement))
    entries = [query_of(name) for name in read if name.rpartition("_")[0] in _files() or name in _files()]
    of_entries = [(entry, Counter(relation_names(entry.body))) for entry in entries]
    holders = {entry.name for entry, relations in of_entries if relations[WORDS]}
    declared = {(entry.name, entry.without_lines) for entry in entries}
    for name in (WORDS, *holders):
        variants = {other for other in read if other == name or other.rpartition("_")[0] == name}
        if sum(read[other] for other in variants) != sum(relations[name] for _, relations in of_entries):
            return True  # other SQL reads it as well
    called = schemas.macros_called(words(statement.lower()))
    others = (frozenset(read) - {WORDS}).union(*(relations_of(macro.body) for macro in called))
    return WORDS in tables_of(others) or any(
        (entry.name, name) not in declared for entry, relations in of_entries for name in holders if relations[name]
    )


def cross_sentences(queries: Iterable[Query], values: Mapping[str, object]) -> bool:
    """Whether rows of a query, or of one that it reads, need other sentences than their own, as headers declare.

    values: of parameters, which may rule it out. Sums by key add up, and are no such rows.
    """
    return any(not entry.reads_sums_alone for entry in crossing_queries(queries, values) if not entry.adds_up)


def crossing_queries(queries: Iterable[Query], values: Mapping[str, object]) -> Iterator[Query]:
    """Yield those of queries, and of those that they read, whose rows need other sentences than their own.

    As headers declare, and of sums by key over all sentences. values: of parameters, which may rule it out: what such a
    query reads is not searched.
    """
    entries = {entry.name: entry for entry in queries}
    pending = list(entries.values())
    while pending:
        entry = pending.pop()
        if entry.adds_up or entry.crosses(values):
            yield entry
        if not entry.unless or entry.crosses(values):
            new = {piece.name for piece in _pieces(entry.body) if isinstance(piece, Reference)} - entries.keys()
            entries |= {name: query(name) for name in new}
            pending += [entries[name] for name in new]


def query_of(expression: str) -> Query:
    """The query whose rows a common table expression has: of several bindings of its parameters, it has a number."""
    return query(expression if expression in _files() else expression.rpartition("_")[0])


def contains_query(condition: str | None) -> bool:
    """Whether an SQL condition contains a subquery, which may read anything."""
    return condition is not None and not {"select", "from"}.isdisjoint(words(condition.lower()))


def reads_tables(condition: str | None) -> bool:
    """Whether an SQL condition reads rows beside its own: by a subquery, or by a macro that has one."""
    if condition is None or contains_query(condition):
        return condition is not None
    return any("from" in words(macro.body.lower()) for macro in schemas.macros_called(words(condition.lower())))


def pairs_words(entry: Query) -> bool:
    """Whether a query pairs the words of a gold corpus and a system's, which are aligned beforehand if they differ."""
    is_of_pair = {parameter.name for parameter in entry.parameters}.issuperset(CORPORA_OF_PAIRS)
    return is_of_pair and entry.kind != "audit" and schemas.ALIGNMENTS in entry.statement.identifiers


def _with_audits(queries: Iterable[Query], *, aligning: bool) -> list[Query]:
    entries = [entry_or_audit for entry in queries for entry_or_audit in (entry, *entry.audit_queries)]
    if aligning and any(map(pairs_words, entries)):
        entries += map(query, _OF_ALIGNMENTS)
    return [*entries, *(entry.totals_query for entry in entries if entry.totals_query)]


def clear_cache() -> None:
    """Read queries/ again at the next call."""
    _parsed.clear()
    for remembered in (
        _files, query, all_queries, in_folder, absent_from_files, digest, _pieces, _parts_for_people, _expand_together
    ):  # fmt: skip
        remembered.cache_clear()


@cache
def absent_from_files() -> frozenset[str]:
    """The names of the queries whose macros do not stay in databases."""
    return frozenset(name for name, entry in all_queries().items() if not entry.stays_in_files)


@cache
def _parts_for_people() -> frozenset[str]:
    """The names of the relations and audits that people read by their names."""
    return frozenset(tomllib.loads(tasks_file().read_text("utf-8"))["parts"])


def tasks_file() -> Path:
    """The file of what people ask for."""
    return header.folder("queries") / "tasks.toml"


@cache
def digest() -> str:
    """Digest of everything that views and macros are made from."""
    files = [*_files().values(), tasks_file(), *sorted(header.folder("schemas").iterdir()), *schemas.files()]
    files += sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def expand_together(
    queries: Sequence[Query], calls: Sequence[str] = ()
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Several queries as common table expressions, shared ones only once, and the name of each.

    calls: further queries with values of their parameters, `edge_attributes(tree_corpus := $gold_corpus)`, which may be
    parameters of their own, `linked_source_words(source_words_corpus := $source_words_corpus)`.
    """
    return _expand_together(tuple(entry.name for entry in queries), tuple(calls))


@lru_cache(maxsize=128)
def _expand_together(names: Sequence[str], calls: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    queries, called = [query(name) for name in names], [query(call.partition("(")[0]) for call in calls]
    parameters = {p.name: p for entry in (*called, *queries) for p in entry.parameters}
    body = "".join(f" FROM {source}" for source in (*names, *calls))
    root = replace(queries[0], name="", parameters=tuple(parameters.values()), body=body)
    statement = _expand(root)
    return statement.expressions, tuple(statement.body.split()[1::2])


def _expand(root: Query) -> Statement:
    expressions: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[str, str]] = {}

    def body(entry: Query, bindings: dict[str, str], above: tuple[str, ...]) -> str:
        if entry.name in above:
            raise HeaderError(f"{entry.name}: refers to itself by way of {' -> '.join(above)}")
        out: list[str] = []
        for piece in _pieces(entry.body):
            if isinstance(piece, Reference):
                out.append(expression(piece, entry, bindings, (*above, entry.name)))
            elif piece.startswith("$"):
                if piece[1:] not in bindings:
                    raise HeaderError(f"{entry.name}: uses {piece}, which its header does not declare")
                out.append(bindings[piece[1:]])
            else:
                out.append(piece)
        return "".join(out)

    def expression(ref: Reference, parent: Query, outer: dict[str, str], above: tuple[str, ...]) -> str:
        child = query(ref.name)
        inner = {p.name: _bind(p, ref, parent, outer) for p in child.parameters}
        unknown = set(ref.arguments) - set(inner)
        if unknown:
            raise HeaderError(f"{parent.name}: {ref.name} has no parameter {', '.join(sorted(unknown))}")
        key = (child.name, tuple(inner.items()))
        if key not in expressions:
            sql = body(child, inner, above)
            taken = sum(name == child.name for name, _ in expressions)
            expressions[key] = (f"{child.name}_{taken + 1}" if taken else child.name, sql)
        return expressions[key][0]

    main = body(root, {p.name: f"${p.name}" for p in root.parameters}, ())
    return Statement(tuple(expressions.values()), main)


def _bind(parameter: Parameter, ref: Reference, parent: Query, outer: dict[str, str]) -> str:
    """The value of a child's parameter: the call's argument, the parent's value, or the child's default."""
    if parameter.name in ref.arguments:
        argument = ref.arguments[parameter.name]
        return "".join(outer[t[1:]] if t.startswith("$") else t for t in split_tokens(argument))
    if parameter.name in outer:
        return outer[parameter.name]
    if parameter.default is not None:
        return parameter.literal
    raise HeaderError(f"{parent.name}: {ref.name} needs {parameter.name}")


@dataclass(frozen=True)
class Reference:
    """A place in a query's text that names another query."""

    name: str
    arguments: dict[str, str]


@cache
def _pieces(sql: str) -> tuple[str | Reference, ...]:
    """The text of a statement without comments, cut at its references and parameters."""
    tokens = [token for token in split_tokens(sql) if not token.startswith("--")]
    known = _files().keys()
    cuts = sorted({at for at in find_relations(tokens) if tokens[at] in known}.union(_parameters(tokens)))
    pieces: list[str | Reference] = []
    end = 0
    for at in cuts:
        if at < end:  # a parameter in the brackets of a reference
            continue
        pieces.append("".join(tokens[end:at]))
        if tokens[at].startswith("$"):
            pieces.append(tokens[at])
            end = at + 1
        else:
            arguments, end = _arguments(tokens, at + 1)
            pieces.append(Reference(tokens[at], arguments))
    return (*pieces, "".join(tokens[end:]))


def _parameters(tokens: list[str]) -> Iterator[int]:
    """The places of parameters among tokens."""
    return (at for at, token in enumerate(tokens) if token.startswith("$"))


def _arguments(tokens: list[str], at: int) -> tuple[dict[str, str], int]:
    """The `name := value` pairs of a call that begins at `at`, and where it ends; none where no bracket opens."""
    if at >= len(tokens) or tokens[at] != "(":
        return {}, at
    end = tokens.index(")", at)
    parts = "".join(tokens[at + 1 : end]).split(",")
    pairs = (part.split(":=") for part in parts if part.strip())
    return {name.strip(): value.strip() for name, value in pairs}, end + 1


def tables_of(identifiers: frozenset[str]) -> frozenset[str]:
    """The tables among the words of SQL, also through views."""
    tables = set(identifiers & schemas.all_tables().keys())
    for name in identifiers & schemas.all_views().keys():
        words = frozenset(split_tokens(schemas.all_views()[name].body))
        tables |= tables_of(words - {name})
    return frozenset(tables)


def _definitions(identifiers: frozenset[str]) -> dict[str, str]:
    """The SQL of the views and macros among the words of SQL, and of those that it names in turn."""
    known = {view.name: view.body for view in schemas.all_views().values()}
    known |= schemas.texts()
    definitions: dict[str, str] = {}
    named = set(identifiers)
    while more := (named & known.keys()) - definitions.keys():
        definitions |= {name: known[name] for name in more}
        named = {word for name in more for word in split_tokens(known[name])}
    return definitions


KEYS = ("sentence", "word", "source", "reference_form")
"""Columns of queries of attributes that say what is described: a sentence, a word in it, a source word of links, or a
word wherever it occurs."""

PLACES: Mapping[str, tuple[str, ...]] = {"words": ("sentence", "word"), "sentences": ("sentence",), "corpora": ()}
"""Tables of the gold corpus that items are joined with, and the columns that find their row."""

OF_WORDS = "_words"
"""Ends the name of a corpus whose words a column of items counts: `source_words_corpus`, `source`."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of the items of a metric: a column that is joined with them where a group or a condition names it.

    Attributes are the columns of the queries of the kind `attributes` in a metric's folder. Every corpus of the metric
    has them: `gold_distance` is that of the gold tree, `system_distance` the system's; `distance` is short for the
    first. If the corpus of a query is named as a column of the items, `source`, attributes are those of the word at
    this position in `source_words_corpus`, which need not be a corpus of the metric: `source_upos`.

    name: as groups and conditions have it. query: whose column it is, column: that column; parameter: of the metric or
    of `query` alone, the corpus that is described. keys: pairs of a column of the items and the column of `query` that
    is equal to it.
    """

    name: str
    query: Query
    column: Column
    parameter: str
    keys: tuple[tuple[str, str], ...]

    @property
    def call(self) -> str:
        """The query with the corpus that is described, as queries refer to each other."""
        return f"{self.query.name}({self.query.reference_corpus} := ${self.parameter})"


def attributes_of(metric: Query) -> dict[str, Attribute]:
    """Return the attributes of a metric's items by their names; columns of the items come before them."""
    return metric.attributes


def _find_attributes(metric: Query) -> dict[str, Attribute]:
    columns = {column.name for column in metric.columns}
    attributes: dict[str, Attribute] = {}
    for query in in_folder(metric.family, "attributes"):
        described = [column.name for column in query.columns if column.name in KEYS]
        linked = _side(str(query.reference_corpus)).removesuffix(OF_WORDS)
        if {"sentence", linked} <= columns:
            attributes |= _at_position(query, linked, columns)
            continue
        for parameter in (p.name for p in metric.parameters if p.name.endswith("_corpus")):
            keys = _keys(columns, described, None if parameter == metric.reference_corpus else _side(parameter))
            if keys is None:
                continue
            for column in query.columns:
                names = [f"{_side(parameter)}_{column.name}", *[column.name] * (parameter == metric.reference_corpus)]
                for name in names if column.name not in KEYS else ():
                    if name not in columns:
                        attributes[name] = Attribute(name, query, column, parameter, keys)
    return attributes


def further_corpora(metric: Query, names: Iterable[str] | None = None) -> dict[str, str]:
    """Return the parameters of the corpora that attributes describe and the metric does not declare.

    Each with an attribute of it. names: words of which some are attributes; None for all.
    """
    known = attributes_of(metric)
    named = known if names is None else known.keys() & set(names)
    declared = {parameter.name for parameter in metric.parameters}
    return {known[name].parameter: name for name in sorted(named) if known[name].parameter not in declared}


def reachable_tables(metric: Query) -> list[str]:
    """Return the tables of the gold corpus that a metric's items can be joined with."""
    columns = {column.name for column in metric.columns}
    return [table for table, keys in PLACES.items() if columns.issuperset(keys)]


def attributes_named(metric: Query, names: Iterable[str]) -> list[Attribute]:
    """Return the attributes of a metric's items that are among names, which may be any words of SQL."""
    known = attributes_of(metric)
    return [known[name] for name in sorted(known.keys() & set(names))]


def queries_named(metrics: Iterable[Query], names: Iterable[str]) -> list[Query]:
    """Return the queries of the attributes of several metrics that are among names."""
    wanted = set(names)
    if not wanted:
        return []
    by_name = {
        attribute.query.name: attribute.query for metric in metrics for attribute in attributes_named(metric, wanted)
    }
    return list(by_name.values())


def _at_position(query: Query, side: str, columns: set[str]) -> dict[str, Attribute]:
    """Return the attributes of the words at the positions that a column of the items has. side: that column."""
    keys = (("sentence", "sentence"), (side, "word"))
    names = {f"{side}_{column.name}": column for column in query.columns if column.name not in KEYS}
    parameter = str(query.reference_corpus)
    return {
        name: Attribute(name, query, column, parameter, keys) for name, column in names.items() if name not in columns
    }


def _side(parameter: str) -> str:
    return parameter.removesuffix("_corpus")


def _keys(columns: set[str], described: list[str], side: str | None) -> tuple[tuple[str, str], ...] | None:
    """Return the columns of items that find what is described, by its keys; None if the items lack one.

    side: of a corpus whose sentences may not be those of the items: `system_sentence`, and `system_word` unless the
    words have the same positions.
    """
    if side is None or "sentence" not in described:
        pairs = tuple((key, key) for key in described)
    elif f"{side}_sentence" in columns:
        pairs = tuple((f"{side}_{key}" if f"{side}_{key}" in columns else key, key) for key in described)
    else:
        return None
    return pairs if {column for column, _ in pairs} <= columns else None


def table_macro(query: Query) -> str:
    """Return the statement that installs a query as a table macro.

    A value outside a parameter's choices or ranges is an error, and so is a corpus that is not loaded; of queries
    across tokenisations, so are words that differ and are not aligned.
    """
    declared = ", ".join(p.name if p.default is None else f"{p.name} := {p.literal}" for p in query.parameters)
    sql = _unprepared(query.statement.sql)
    refusals = [_refusal(query, p) for p in query.parameters if p.condition or p.name.endswith("_corpus")]
    if pairs_words(query) and "text_correspondence" in query.audits:
        refusals.append(_refusal_of_unaligned(query))
    if refusals:
        sql = "\nUNION ALL\n".join([f"(\n{indent(sql)}\n)", *refusals])
    return f"CREATE OR REPLACE MACRO {query.name}({declared}) AS TABLE\n{sql}"


def _refusal(entry: Query, parameter: Parameter) -> str:
    """A SELECT that fails where a macro's parameter has a value that it cannot have, and returns no row otherwise."""
    if parameter.condition:
        message = f"'{entry.name}: {parameter.name} must be {parameter.described_values}'"
        wrong = f"{parameter.name} IS NULL OR NOT ({parameter.condition})"
    else:
        message = f"'{entry.name}: there is no corpus ' || coalesce({parameter.name}, 'NULL')"
        wrong = f"NOT EXISTS (SELECT 1 FROM corpora AS c WHERE c.corpus = {parameter.name})"
    return _failing(entry, message, wrong)


def _refusal_of_unaligned(entry: Query) -> str:
    """A SELECT that fails where the words of gold and system differ and are not aligned, so that they are no pairs."""
    message = f"'{entry.name}: the words of ' || gold_corpus || ' and ' || system_corpus || ' differ; "
    message += "align them first, with `treesql align words` or db.align_words'"
    aligned = f"SELECT 1 FROM {schemas.ALIGNMENTS} AS n WHERE n.gold = gold_corpus AND n.system = system_corpus"
    same = f"SELECT e.has_gold_words FROM (\n{_unprepared(query('same_words').statement.sql)}\n) AS e"
    return _failing(entry, message, f"NOT EXISTS ({aligned}) AND ({same}) = 0")


def _failing(entry: Query, message: str, wrong: str) -> str:
    """A SELECT with the columns of a query that fails with a message where a condition holds; else it has no row."""
    first, *others = entry.columns
    columns = ", ".join([f"CAST(error({message}) AS {first.type})", *("NULL" for _ in others)])
    return f"SELECT {columns} WHERE {wrong}"


def _unprepared(sql: str) -> str:
    """SQL with the names of parameters in place of prepared ones, as in a macro."""
    return "".join(token[1:] if token.startswith("$") else token for token in split_tokens(sql))
