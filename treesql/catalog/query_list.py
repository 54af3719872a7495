"""The queries of the catalogue as objects for programs: names, parameters and meaning, without an engine; their
documentation in Markdown; and the tasks for which people need most of them, as queries/tasks.toml lists them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from treesql.catalog import kinds
from treesql.catalog.header import Column, Parameter, Score
from treesql.catalog.queries import PARTS, Query, all_queries, attributes_of, query, tasks_file
from treesql.errors import UnknownName
from treesql.runtime.failures import with_checked_arguments


@dataclass(frozen=True)
class QueryInfo:
    """A query of the catalogue.

    kind: metric, relation, statistic, audit or attributes. folder: of queries/, the kind of annotation described.
    parameters: each with `name`, `type`, `choices`, `default` and `doc`. columns: names of the columns of its rows.
    scores: names of the scores of a metric.
    """

    name: str
    kind: str
    folder: str
    doc: str
    parameters: tuple[Parameter, ...]
    columns: tuple[str, ...]
    scores: tuple[str, ...]

    @property
    def attributes(self) -> list[str]:
        """Names of the attributes of a metric's items: further columns that groups and conditions may name."""
        return sorted(attributes_of(query(self.name))) if self.scores else []

    @property
    def sql(self) -> str:
        """The statement with all queries that it uses; parameters are `$name`."""
        return query(self.name).statement.sql

    @property
    def markdown(self) -> str:
        """The documentation of the query."""
        return describe(query(self.name)).rstrip()

    def __str__(self) -> str:
        return self.markdown


@with_checked_arguments
def queries(*names: str, kind: str | None = None, like: str | None = None) -> list[QueryInfo]:
    """Describe the queries of the catalogue: those named, or all.

    kind: only those of this kind of annotation or evaluation, a folder of queries/, without what only other queries
    read, or those of a kind of query (metric, relation, statistic, audit, attributes). like: only those with all these
    words in the names or descriptions of themselves, their scores, columns or parameters, or in their tasks, in upper
    or lower case; those that are for people come first. Raises UnknownName.
    """
    chosen = list(map(query, names) if names else all_queries().values())
    if kind is not None:
        known = sorted({name for entry in all_queries().values() for name in (entry.kind, entry.family)})
        if kind not in known:
            raise UnknownName("kind of queries", kind, known)
        chosen = [q for q in chosen if kind == q.kind or (kind == q.family and q.kind not in PARTS)]
    if like is not None:
        of_tasks = {entry.query: entry.task for entry in tasks()}
        words = like.lower().split()
        mentioning = (q for q in chosen if _mentions(q, of_tasks.get(q.name, ""), words))
        chosen = sorted(mentioning, key=lambda q: q.kind in PARTS)
    return [_describe(entry) for entry in chosen]


def _mentions(entry: Query, task: str, words: Sequence[str]) -> bool:
    parts: tuple[Query | Score | Column | Parameter, ...] = (entry, *entry.scores, *entry.columns, *entry.parameters)
    text = "\n".join((task, *(f"{part.name}\n{part.doc}" for part in parts))).lower()
    return all(word in text for word in words)


@dataclass(frozen=True)
class CommonTask:
    """What people ask for. query: that answers it, or None; command: that prints the answer, on the fixtures; job: its
    name where it is one of the first, else empty."""

    task: str
    command: str
    query: str | None = None
    job: str = ""


def tasks() -> list[CommonTask]:
    """List what people ask for most, by task, with the query and the command that answer."""
    given = tomllib.loads(tasks_file().read_text("utf-8"))
    return [CommonTask(**entry) for entry in given["tasks"]]


def _describe(entry: Query) -> QueryInfo:
    columns, scores = (tuple(each.name for each in listed) for listed in (entry.columns, entry.scores))
    return QueryInfo(entry.name, entry.kind, entry.family, entry.doc, entry.parameters, columns, scores)


def describe(entry: Query) -> str:
    """A query's header as documentation, in Markdown."""
    kind = "Attributes" if entry.kind == "attributes" else f"{'An' if entry.kind == 'audit' else 'A'} {entry.kind}"
    parts = [f"## {entry.name}", "", entry.doc, "", f"{kind} of the family {entry.family}."]
    if entry.engine != "portable":
        parts.append(f"Engine: {entry.engine}.")
    if not (entry.needs_kernel or entry.stays_in_files):
        parts.append("Other queries read it; SQL finds it only on connections of treesql.")
    call = ", ".join(f"'{p.name.removesuffix('_corpus')}'" for p in entry.parameters if p.default is None)
    parts += ["", *(f"    {command}" for command in _commands_of(entry)), f"    FROM {entry.name}({call})", ""]
    if entry.parameters:
        parts += ["| parameter | type | default | meaning |", "|---|---|---|---|"]
        parts += [f"| `{p.name}` | {parameter_type(p)} | {_default(p)} | {p.doc} |" for p in entry.parameters]
        parts.append("")
    parts += ["| column | type | meaning |", "|---|---|---|"]
    parts += [f"| `{c.name}` | {c.type} | {c.doc} |" for c in entry.columns]
    parts.append("")
    if entry.scores:
        parts += ["| score | is | better | meaning |", "|---|---|---|---|"]
        parts += [f"| `{s.name}` | `{s.written}` | {_better(s)} | {s.doc} |" for s in entry.scores]
        parts.append("")
    if entry.terms:
        parts += ["| in scores | is |", "|---|---|"]
        parts += [f"| `{{{name}}}` | `{expression}` |" for name, expression in entry.terms]
        parts.append("")
    if entry.matrix:
        rows, columns, count = (f"`{name}`" for name in vars(entry.matrix).values())
        parts += [f"As a matrix: a row per {rows}, a column per {columns}, sums of {count}.", ""]
    if entry.curve:
        lines = ", ".join(f"`{name}`" for name in entry.curve.lines)
        parts += [f"As a picture: {lines} over `{entry.curve.over}`.", ""]
    for audit in entry.audit_queries:
        where = f"`treesql score`, `db.score` and `db.query` raise an error where the audit `{audit.name}` finds"
        parts += [f"{where} {audit.doc} The macro does not check.", ""]
    parts += [f"Source: {entry.source}.", ""]
    return "\n".join(parts)


FOLDERS_OF_STATS = ("consistency", "grammar")
"""The folders of queries whose statistics are the tables of `stats`."""

NAMES_IN_QUERIES = {"order": "in_order", "case": "with_case", "by": "grouped_by", "lemma": "of_lemma"}
"""Parameters of `stats`, and what queries call them, where words of SQL and columns cannot be names."""


def _commands_of(entry: Query) -> list[str]:
    """Return the commands that print the rows, or the scores, of a query."""
    commands = []
    if entry.kind == "statistic" and entry.family in FOLDERS_OF_STATS:
        written = {name: option for option, name in NAMES_IN_QUERIES.items()}
        names = [written.get(p.name, p.name).replace("_", "-") for p in entry.parameters if p.name != "corpus_name"]
        options = "".join(f" [--{name}]" for name in names)
        commands.append(f"treesql stats TREEBANK... --table {entry.name}{options}")
    for kind in kinds.all_kinds().values():
        option = {entry.name in kind.tables: "--table", entry.name in kind.all_metrics: "--metric"}.get(True)
        if option:
            inputs = " ".join(role.written for role in kind.roles if not role.option)
            commands.append(f"treesql score {kind.name} {inputs} {option} {entry.name}")
    return commands


def _better(score: Score) -> str:
    return "" if score.direction == "neither" else score.direction


def parameter_type(parameter: Parameter) -> str:
    """The choices of a parameter, else its type and ranges, in Markdown."""
    ranges = f", {parameter.described_values}" if parameter.ranges else ""
    return ", ".join(f"`{choice}`" for choice in parameter.choices) or f"{parameter.type}{ranges}"


def _default(parameter: Parameter) -> str:
    return "" if parameter.default is None else f"`{parameter.default}`"
