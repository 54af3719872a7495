"""SQL as text: tokens, references to other queries, statements with their common table expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|\$\w+|\w+|:=|\s+|.", re.DOTALL)
_WORD = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"|--[^\n]*|\$\w+|(\w+)")


@dataclass(frozen=True)
class Statement:
    """A query and the queries that it refers to: common table expressions in order, then the query itself."""

    expressions: tuple[tuple[str, str], ...]
    body: str

    @property
    def sql(self) -> str:
        """The whole statement."""
        return self.prefix + self.body

    @property
    def prefix(self) -> str:
        """`WITH ...` and a line end, or nothing."""
        return with_clause(self.expressions)

    def replacing(self, expressions: Mapping[str, str]) -> Statement:
        """The statement with other SQL for those of its expressions that have these names."""
        replaced = tuple((name, expressions.get(name, sql)) for name, sql in self.expressions)
        return Statement(replaced, self.body)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Every word of the statement: a superset of the tables and columns that it reads."""
        return words(self.sql)

    def bind(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values that the statement uses: engines refuse others."""
        used = _parameters_of(self.sql)
        return {name: value for name, value in values.items() if name in used}


@lru_cache(maxsize=256)
def _parameters_of(sql: str) -> frozenset[str]:
    """The names of the parameters of SQL. A score asks for those of one statement dozens of times."""
    return frozenset(token[1:] for token in split_tokens(sql) if token.startswith("$"))


def split_tokens(sql: str) -> list[str]:
    """The tokens of SQL: strings, names, words, comments, white space, other characters; together the whole text."""
    return _TOKEN.findall(sql)


def find_relations(tokens: Sequence[str]) -> list[int]:
    """The places of the tokens that FROM and JOIN name."""
    places, named = [], False
    for at, token in enumerate(tokens):
        if named and not token.isspace():
            places.append(at)
        named = token.upper() in ("FROM", "JOIN") or (named and token.isspace())
    return places


def relations_of(sql: str) -> frozenset[str]:
    """The names that FROM and JOIN name in SQL, of tables, views and expressions."""
    return frozenset(relation_names(sql))


def relation_names(sql: str) -> list[str]:
    """The same in their order, each as often as it is named."""
    tokens = split_tokens(sql)
    return [tokens[at] for at in find_relations(tokens)]


def with_clause(expressions: Sequence[tuple[str, str]]) -> str:
    """`WITH ...` and a line end for common table expressions, or nothing."""
    if not expressions:
        return ""
    return "WITH " + ",\n".join(f"{name} AS (\n{indent(sql)}\n)" for name, sql in expressions) + "\n"


_HIDING = " AS NOT MATERIALIZED (\n"


def is_hidden(sql: str, name: str) -> bool:
    """Whether `shadowing` has hidden a table or view in a statement."""
    return f"{name}{_HIDING}" in sql


def shadowing(sql: str, relations: Mapping[str, str]) -> str:
    """A statement in which the names of tables and views stand for other rows: expressions hide what has their name.

    relations: SQL of the rows by name, each after those whose rows it reads.
    """
    if not relations:
        return sql
    hiding = ",\n".join(f"{name}{_HIDING}{body}\n)" for name, body in relations.items())
    for begin in ("WITH RECURSIVE ", "WITH "):
        if sql.startswith(begin):
            return f"{begin}{hiding},\n{sql.removeprefix(begin)}"
    return f"WITH {hiding}\n{sql}"


def words(sql: str) -> frozenset[str]:
    """The words and quoted names of SQL, without those in strings and comments."""
    return frozenset(quoted or word for quoted, word in _WORD.findall(sql)) - {""}


def indent(sql: str) -> str:
    """Indent every line that is not empty by four blanks."""
    return "\n".join("    " + line if line else line for line in sql.split("\n"))
