"""SQL as text: tokens, references to other queries, statements with their common table expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

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
        if not self.expressions:
            return ""
        return "WITH " + ",\n".join(f"{name} AS (\n{indent(sql)}\n)" for name, sql in self.expressions) + "\n"

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


def find_relations(tokens: Sequence[str]) -> Iterator[int]:
    """The places of the tokens that FROM and JOIN name."""
    for at, token in enumerate(tokens):
        if token.upper() in ("FROM", "JOIN"):
            behind = (place for place in range(at + 1, len(tokens)) if not tokens[place].isspace())
            yield from islice(behind, 1)


def replace_relation(sql: str, old: str, new: str) -> str | None:
    """SQL that reads one relation in place of another; None if it does not read that."""
    tokens = split_tokens(sql)
    places = [at for at in find_relations(tokens) if tokens[at] == old]
    for at in places:
        tokens[at] = new
    return "".join(tokens) if places else None


def words(sql: str) -> frozenset[str]:
    """The words and quoted names of SQL, without those in strings and comments."""
    return frozenset(quoted or word for quoted, word in _WORD.findall(sql)) - {""}


def indent(sql: str) -> str:
    """Indent every line that is not empty by four blanks."""
    return "\n".join("    " + line if line else line for line in sql.split("\n"))
