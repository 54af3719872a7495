"""The reference of the SQL functions that call kernels, in Markdown."""

from __future__ import annotations

from treesql.functions import FUNCTIONS, Function


def functions_reference() -> str:
    """The part of the page of SQL functions that is about those of kernels."""
    parts = [
        "## Kernel functions",
        "",
        "These functions, of `treesql/functions/`, are compiled dynamic programs: connections of treesql have them",
        "(`db.sql`, `treesql sql`), other DuckDB clients do not. Where an argument is NULL, so is the result, unless",
        "the text says otherwise. An argument that a function refuses is an error that names the row.",
        "",
    ]
    return "\n".join([*parts, *map(describe, FUNCTIONS)])


def describe(function: Function) -> str:
    """A function's name, parameters, result and doc, in Markdown."""
    names = ", ".join(name for name, _ in function.parameters)
    parameters = ", ".join(f"`{name}` {kind}" for name, kind in function.parameters)
    doc = f"{function.doc[0].upper()}{function.doc[1:]}."
    return "\n".join([f"### {function.name}({names})", "", doc, f"{parameters}; returns {function.returns}.", ""])
