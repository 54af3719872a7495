"""Token stream of the parser: what comes next, and the errors that name a position and what was expected there."""

from __future__ import annotations

from typing import cast

from treesql.errors import RequestError
from treesql.search.grew import lexer, syntax
from treesql.search.grew.lexer import END, NAME, NUMBER, REGEX, TEXT, Regex, Token
from treesql.search.grew.syntax import Span, Value

EXPECTED_VALUE = 'a value: a name, a quoted text, a number, or re"..."'


class TokenStream:
    """The tokens of a text, and the position in them. All methods that consume tokens raise RequestError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = lexer.tokenize(text)
        self.at = 0

    @property
    def token(self) -> Token:
        """The current token."""
        return self.tokens[self.at]

    def feature(self) -> str:
        """Parse the name of a feature; parts of labels are named by numbers."""
        if self.token.kind == NUMBER and str(self.token.value).isdigit():
            self.at += 1
            return str(self.peek(-1).value)
        return self.name("the name of a feature")

    def value(self, expected: str = EXPECTED_VALUE) -> Value:
        """Consume a value."""
        token = self.token
        if token.kind == REGEX:
            self.at += 1
            return cast(Regex, token.value)
        if token.kind in (NAME, TEXT, NUMBER):
            self.at += 1
            return str(token.value)
        raise self.failure(expected)

    def number(self) -> syntax.Number:
        """Consume a number."""
        token = self.token
        self.take(NUMBER, "a number")
        return syntax.Number(str(token.value))

    def name(self, expected: str) -> str:
        """Consume a name."""
        token = self.token
        self.take(NAME, expected)
        return str(token.value)

    def comment(self, expected: str) -> str:
        """Consume the key of a comment: a name, or any text in quotes."""
        if self.token.kind == TEXT:
            self.at += 1
            return str(self.peek(-1).value)
        return self.name(expected)

    def one_of(self, kinds: tuple[str, ...], expected: str | None = None) -> str:
        """Consume a symbol of some kinds and return it."""
        kind = self.token.kind
        if kind not in kinds:
            self.fail(expected or " or ".join(f"`{one}`" for one in kinds))
        self.at += 1
        return kind

    def skip(self, kind: str) -> bool:
        """Consume a token of a kind if it comes next; return whether it did."""
        if self.token.kind == kind:
            self.at += 1
            return True
        return False

    def take(self, kind: str, expected: str | None = None) -> None:
        """Consume a token of a kind."""
        if self.token.kind != kind:
            self.fail(expected or f"`{kind}`")
        self.at += kind != END

    def peek(self, steps: int) -> Token:
        """Return a later token; the last one is END."""
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    def span(self, start: int) -> Span:
        """Return the span from an offset to the end of the preceding token."""
        return Span(start, self.tokens[self.at - 1].end if self.at else start)

    def fail(self, expected: str) -> None:
        """Raise RequestError at the current token."""
        raise self.failure(expected)

    def failure(self, expected: str) -> RequestError:
        """Return the error at the current token."""
        found = self.text[self.token.start : self.token.end]
        what = "the request ends here" if self.token.kind == END else f"found `{found}`"
        return RequestError(self.text, self.token.start, what, f"expected {expected}")
