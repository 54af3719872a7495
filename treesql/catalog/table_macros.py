"""Queries as table macros, which check the values of their parameters."""

from __future__ import annotations

from treesql.catalog import queries, schemas
from treesql.catalog.header import Parameter
from treesql.catalog.queries import Query
from treesql.catalog.sql_text import indent, split_tokens


def table_macro(query: Query) -> str:
    """Return the statement that installs a query as a table macro.

    A value outside a parameter's choices or ranges is an error, and so is a corpus that is not loaded; of queries
    across tokenisations, so are words that differ and are not aligned.
    """
    declared = ", ".join(p.name if p.default is None else f"{p.name} := {p.literal}" for p in query.parameters)
    sql = _unprepared(query.statement.sql)
    refusals = [_refusal(query, p) for p in query.parameters if p.condition or p.name.endswith("_corpus")]
    if queries.pairs_words(query) and "text_correspondence" in query.audits:
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
    same = f"SELECT e.has_gold_words FROM (\n{_unprepared(queries.query('same_words').statement.sql)}\n) AS e"
    return _failing(entry, message, f"NOT EXISTS ({aligned}) AND ({same}) = 0")


def _failing(entry: Query, message: str, wrong: str) -> str:
    """A SELECT with the columns of a query that fails with a message where a condition holds; else it has no row."""
    first, *others = entry.columns
    columns = ", ".join([f"CAST(error({message}) AS {first.type})", *("NULL" for _ in others)])
    return f"SELECT {columns} WHERE {wrong}"


def _unprepared(sql: str) -> str:
    """SQL with the names of parameters in place of prepared ones, as in a macro."""
    return "".join(token[1:] if token.startswith("$") else token for token in split_tokens(sql))
