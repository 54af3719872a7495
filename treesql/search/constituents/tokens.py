"""Tokens of tree requests, and the parser's place among them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treesql.errors import RequestError
from treesql.search.grew.syntax import Span

END = "the end"

MAX_DEPTH = 60
"""Maximum depth of brackets in a request."""


@dataclass(frozen=True)
class TreeToken:
    """A token: its kind (the name of a group of the expression, a symbol being its own kind), its text, its place."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str, expression: re.Pattern[str], hint: str) -> list[TreeToken]:
    """Return the tokens that an expression with named groups finds between white space, END last. Raises RequestError.

    hint: what helps with characters that are no token. The group `symbol` holds symbols.
    """
    tokens = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = expression.match(text, at)
        if match is None or match.end() == at:
            if text[at] in '/"':
                raise RequestError(text, at, f"`{text[at]}` opens what nothing closes", f"close it by `{text[at]}`")
            raise RequestError(text, at, f"`{text[at]}` has no meaning here", hint)
        kind = match[0] if match.lastgroup == "symbol" else str(match.lastgroup)
        tokens.append(TreeToken(kind, match[0], *match.span()))
        at = match.end()
    return [*tokens, TreeToken(END, "", len(text), len(text))]


class Tokens:
    """The tokens of a text and the place among them. Methods that consume tokens raise RequestError."""

    def __init__(self, text: str, tokens: list[TreeToken]) -> None:
        self.text, self.tokens, self.at, self.depth = text, tokens, 0, 0

    @property
    def token(self) -> TreeToken:
        """The token that comes next."""
        return self.tokens[self.at]

    def peek(self, steps: int = 1) -> TreeToken:
        """Return a later token; the last one is END."""
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    def next(self) -> TreeToken:
        """Consume a token."""
        token = self.token
        self.at += token.kind != END
        return token

    def skip(self, *kinds: str) -> bool:
        """Consume a token if it is of one of some kinds; return whether it was."""
        if self.token.kind in kinds:
            self.at += 1
            return True
        return False

    def take(self, kind: str, expected: str | None = None) -> TreeToken:
        """Consume a token of a kind."""
        if self.token.kind != kind:
            raise self.failure(expected or f"`{kind}`")
        return self.next()

    def enter(self) -> None:
        """Note that a bracket opens. Raises RequestError where they are too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(
                f"brackets are nested more than {MAX_DEPTH} deep", "name nodes, and say more about them later"
            )

    def leave(self) -> None:
        """Note that a bracket closes."""
        self.depth -= 1

    def span(self, start: int) -> Span:
        """Return the span from an offset to the end of the token before."""
        return Span(start, max(start, self.tokens[self.at - 1].end if self.at else start))

    def error(self, what: str, hint: str, start: int | None = None) -> RequestError:
        """Return an error at the next token, or at an offset."""
        return RequestError(self.text, self.token.start if start is None else start, what, hint)

    def failure(self, expected: str) -> RequestError:
        """Return the error that something else was expected here."""
        token = self.token
        what = "the request ends here" if token.kind == END else f"found `{token.text}`"
        return self.error(what, f"expected {expected}")
