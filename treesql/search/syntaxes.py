"""Request languages: their names, the trees that they are for, and how a text shows its language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from treesql.errors import UnknownName, UsageError
from treesql.search.constituents import tiger, tregex
from treesql.search.constituents.syntax import Formula, TreeRequest, nodes_of
from treesql.search.grew.syntax import check_size

GREW, TREGEX, TIGER = SYNTAXES = ("grew", "tregex", "tiger")
"""Names of the request languages."""

KINDS = {GREW: "dependency", TREGEX: "constituency", TIGER: "constituency"}
"""The kind of corpora that requests of a language are for."""

_GREW = re.compile(r"(?:\s|%[^\n]*\n|/\*.*?\*/)*(?:pattern|match|with|without|global)\s*\{", re.DOTALL)
_TIGER = re.compile(r"[\s(]*(?:\[|#\w|(?:root|arity|tokenarity|continuous|discontinuous)\s*\()")
_QUOTED = re.compile(r'/(?:[^/\\\n]|\\.)*/|"(?:[^"\\]|\\.)*"', re.DOTALL)
_EMPTY = re.compile(r"(?:\s|%[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)


def syntax_of(text: str) -> str:
    """Return the language that a request seems to be written in.

    Grew's begin with `pattern {` or the like, TIGERSearch's with `[`, `#name` or a predicate; other texts are Tregex's,
    if they have no braces outside of regular expressions and quoted labels.
    """
    if _GREW.match(text) or _EMPTY.fullmatch(text):
        return GREW
    if _TIGER.match(text):
        return TIGER
    return GREW if "{" in _QUOTED.sub("", text) and "<..." not in text else TREGEX


def chosen_syntax(syntax: str | None, requests: Iterable[str]) -> str:
    """Return the language of requests: the given one, or what the texts show. Raises UnknownName, UsageError."""
    if syntax is not None:
        if syntax not in SYNTAXES:
            raise UnknownName("syntax", syntax, SYNTAXES)
        return syntax
    syntaxes = list(dict.fromkeys(map(syntax_of, requests)))
    if len(syntaxes) > 1:
        raise UsageError(f"these requests are of several languages ({', '.join(syntaxes)}); ask one after the other")
    return syntaxes[0]


def parse_tree_request(text: str, syntax: str) -> TreeRequest:
    """Parse a request of a language for constituency trees. Raises RequestError."""
    request = tiger.parse(text) if syntax == TIGER else tregex.parse(text)
    check_size(text, 1 + sum(1 for _ in nodes_of(request.formula)))
    return request


def parse_tree_relations(text: str, request: TreeRequest, syntax: str) -> Formula:
    """Parse what is asked of the nodes of a request, as Yes or No. Raises RequestError."""
    formula = tiger.parse_relations(text, request) if syntax == TIGER else tregex.parse_relations(text, request)
    check_size(text, sum(1 for _ in nodes_of(formula)))
    return formula
