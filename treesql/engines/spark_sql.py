"""DuckDB's SQL -> Spark's: sqlglot's translation, and what it leaves different."""

from __future__ import annotations

from functools import lru_cache

from treesql.catalog import Query
from treesql.catalog.sql_text import split_tokens
from treesql.engines.spark_types import spark_type
from treesql.errors import StatementError


@lru_cache(maxsize=512)
def to_spark(statement: str, function: str | None = None) -> str:
    """Return Spark's SQL for a SELECT in DuckDB's, with parameters `:name` for `$name`.

    function: the one that it is the body of, whose parameters are written with its name. Raises
    StatementError where it cannot be parsed.
    """
    from sqlglot.errors import SqlglotError

    from treesql.engines import spark_rules

    try:
        tree = spark_rules.parse(_with_names(statement, spark_rules.PARAMETER))
        return spark_rules.rewritten(tree, function).sql(dialect="spark", comments=False)
    except SqlglotError as error:
        what = str(error).splitlines()[0]
        raise StatementError(f"this SQL has no translation for Spark: {what}", str(error), statement) from None


def _with_names(statement: str, prefix: str) -> str:
    """Return a statement with a column's name for every `$name`: sqlglot reads `$a + $` as the quotes of a text.

    The length of a list has another name than that of a text.
    """
    found = []
    for token in split_tokens(statement):
        if token.startswith("$"):
            token = prefix + token[1:]
        elif token.lower() == "len":
            token = "list_length"
        found.append(token)
    return "".join(found)


def table_function(query: Query) -> str:
    """Return the statement that makes a function of a query, which Spark's SQL calls in FROM.

    Its parameters are named with the function, as no column is. Raises StatementError.
    """
    declared = ", ".join(
        f"{one.name} {spark_type(one.type)}" + ("" if one.default is None else f" DEFAULT {one.literal}")
        for one in query.parameters
    )
    columns = ", ".join(f"`{one.name}` {spark_type(one.type)}" for one in query.columns)
    body = to_spark(query.statement.sql, query.name)
    return f"CREATE OR REPLACE TEMPORARY FUNCTION {query.name}({declared})\nRETURNS TABLE ({columns})\nRETURN {body}"
