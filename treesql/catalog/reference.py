"""The reference pages of tables, queries and macros, in Markdown."""

from __future__ import annotations

from treesql.catalog.header import Parameter, Score
from treesql.catalog.macros import all_macros
from treesql.catalog.queries import Query
from treesql.catalog.schemas import TableColumn, _cell, all_tables, all_views


def describe(entry: Query) -> str:
    """A query's header as documentation, in Markdown."""
    kind = "Attributes" if entry.kind == "attributes" else f"{'An' if entry.kind == 'audit' else 'A'} {entry.kind}"
    parts = [f"## {entry.name}", "", entry.doc, "", f"{kind} of the family {entry.family}."]
    if entry.engine != "portable":
        parts.append(f"Engine: {entry.engine}.")
    call = ", ".join(f"'{p.name.removesuffix('_corpus')}'" for p in entry.parameters if p.default is None)
    parts += ["", f"    FROM {entry.name}({call})", ""]
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
    for audit in entry.audit_queries:
        where = f"`treesql score`, `db.score` and `db.query` raise an error where the audit `{audit.name}` finds"
        parts += [f"{where} {audit.doc} The macro does not check.", ""]
    parts += [f"Source: {entry.source}.", ""]
    return "\n".join(parts)


def _better(score: Score) -> str:
    return "" if score.direction == "neither" else score.direction


def parameter_type(parameter: Parameter) -> str:
    """The choices of a parameter, else its type and ranges, in Markdown."""
    ranges = f", {parameter.described_values}" if parameter.ranges else ""
    return ", ".join(f"`{choice}`" for choice in parameter.choices) or f"{parameter.type}{ranges}"


def _default(parameter: Parameter) -> str:
    return "" if parameter.default is None else f"`{parameter.default}`"


def macros_reference() -> str:
    """The reference page of the macros, in Markdown."""
    parts = [
        "# SQL functions",
        "",
        "This page describes the functions that SQL on a database can call, from the headers in `macros/`. They are",
        "macros in every database, for any DuckDB client. A parameter of type WORD takes an alias of `words`:",
        "`FROM words AS v JOIN words AS p ON dominates(v, p)`.",
        "",
    ]
    for macro in all_macros().values():
        [result] = macro.columns
        parts += [f"## {macro.name}({', '.join(p.name for p in macro.parameters)})", ""]
        parts += [macro.doc[0].upper() + macro.doc[1:], ""]
        parts += [f"- `{p.name}` {p.type}: {p.doc}" for p in macro.parameters]
        parts += [f"- returns {result.type}: {result.doc}", f"- source: {macro.source}", ""]
    return "\n".join(parts)


def tables_reference() -> str:
    """The reference page of the tables and views, in Markdown."""
    parts = [
        "# Tables",
        "",
        "This page describes the tables and views of every database, from `schemas/`. A column is NULL where the file",
        "leaves it open, unless it is required.",
        "",
    ]
    parts += [text for name, text in describe_tables().items() if name in all_tables()]
    parts += ["# Views", ""]
    parts += [text for name, text in describe_tables().items() if name not in all_tables()]
    return "\n".join(parts)


def describe_tables() -> dict[str, str]:
    """The documentation of every table and view by its name, in Markdown."""
    described = {}
    for entry in all_tables().values():
        parts = [f"## {entry.name}", "", entry.doc, ""]
        if entry.key:
            parts += ["Key: " + ", ".join(f"`{name}`" for name in entry.key) + ".", ""]
        parts += ["| column | type | | meaning |", "|---|---|---|---|"]
        parts += [f"| `{c.name}` | {c.type} | {_notes(c)} | {_cell(c.doc)} |" for c in entry.columns]
        described[entry.name] = "\n".join([*parts, ""])
    for view in all_views().values():
        parts = [f"## {view.name}", "", view.doc, "", "| column | type | meaning |", "|---|---|---|"]
        parts += [f"| `{c.name}` | {c.type} | {_cell(c.doc)} |" for c in view.columns]
        described[view.name] = "\n".join([*parts, "", f"Source: {view.source}.", ""])
    return described


def _notes(column: TableColumn) -> str:
    notes = ["required"] if column.required else []
    if column.check:
        notes.append(f"`{column.check}`")
    if column.computed:
        notes.append(f"computed at load: `{_cell(column.computed)}`")
    return ", ".join(notes)
