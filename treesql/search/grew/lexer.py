"""Lexer, text -> tokens. Other rules apply inside the brackets of an edge, for labels such as `nsubj:pass`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from treesql.errors import RequestError

END = "the end"
NAME, TEXT, NUMBER, REGEX = "a name", "a text", "a number", "a regular expression"

_BLANK = re.compile(r"(?:\s+|%[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TEXT = r'"(?:[^"\\]|\\.)*"'
_REGEX = r"/(?!\*)(?:[^/\\\n]|\\.)*/i?"
_COMMON = rf"(?P<re>re{_TEXT})|(?P<text>{_TEXT})"
_REQUEST = re.compile(
    rf"{_COMMON}|(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<name>[^\W\d](?:[\w'-]*[\w'])?\$?)"
    r"|(?P<symbol>->>|->|-\[\^|-\[|<->|<<|>>|><|<>|<=|>=|≤|≥|[{}\[\]().,;:|!*=<>#/])",
    re.DOTALL,
)
_LABEL = re.compile(rf"{_COMMON}|(?P<name>[\w.*'@-][\w.*':@-]*)|(?P<symbol>\]->|<>|[=|,!^])", re.DOTALL)
_PERL = re.compile(_REGEX)
_BEFORE_A_REGEX = frozenset({"=", "<>", "|", "-[", "-[^"})
_OPENING = ("-[", "-[^")


@dataclass(frozen=True)
class Regex:
    """A regular expression that must match a whole value, in RE2's syntax."""

    pattern: str
    ignore_case: bool = False


@dataclass(frozen=True)
class Token:
    """A token of a request: its kind (a symbol is its own kind), its value, and its position."""

    kind: str
    value: str | Regex
    start: int
    end: int


def tokenize(request: str) -> list[Token]:
    """Return the tokens of a request, END last. Raises RequestError."""
    tokens: list[Token] = []
    at = 0
    in_label = False
    while True:
        at = _skip_blanks(request, at)
        if at == len(request):
            return [*tokens, Token(END, "", at, at)]
        before = tokens[-1].kind if tokens else ""
        perl = _PERL.match(request, at) if before in _BEFORE_A_REGEX else None
        if perl:
            tokens.append(_make_regex_token(request, perl))
        else:
            match = (_LABEL if in_label else _REQUEST).match(request, at)
            if match is None:
                raise _unexpected_character(request, at, in_label)
            tokens.append(_make_token(request, match))
        at = tokens[-1].end
        if tokens[-1].kind in _OPENING:
            in_label = True
        elif tokens[-1].kind == "]->":
            in_label = False


def _skip_blanks(request: str, at: int) -> int:
    """Return the start of the next token, after blanks and comments (`% ...`, `/* ... */`)."""
    blanks = _BLANK.match(request, at)
    assert blanks is not None
    return blanks.end()


def _make_token(request: str, match: re.Match[str]) -> Token:
    start, end = match.span()
    kind, text = str(match.lastgroup), match[0]
    if kind == "re":
        return Token(REGEX, _translate_str_regex(request, start + 3, _unescape(text[3:-1])), start, end)
    if kind == "text":
        return Token(TEXT, _unescape(text[1:-1]), start, end)
    if kind in ("number", "name"):
        return Token(NUMBER if kind == "number" else NAME, text, start, end)
    symbol = {"≤": "<=", "≥": ">="}.get(text, text)
    return Token(symbol, symbol, start, end)


def _make_regex_token(request: str, match: re.Match[str]) -> Token:
    text = match[0]
    ignore_case = text.endswith("i")
    pattern = text[1:-2] if ignore_case else text[1:-1]
    return Token(REGEX, Regex(pattern.replace(r"\/", "/"), ignore_case), *match.span())


def _unescape(text: str) -> str:
    r"""Return a text without the backslashes before `"` and `\`; other backslashes are kept."""
    return re.sub(r'\\(["\\])', r"\1", text)


def _translate_str_regex(request: str, at: int, pattern: str) -> Regex:
    r"""Translate an expression of OCaml's Str, where `\|`, `\(` and `\)` are special and `|`, `(`, `)` are not."""
    out: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            escaped = pattern[position + 1 : position + 2]
            if not escaped:
                raise RequestError(request, at, "the expression ends in a backslash", "write `\\\\` for a backslash")
            if escaped.isdigit():
                raise RequestError(
                    request, at, f"`\\{escaped}` refers back to a group", "such expressions are not supported"
                )
            out.append(
                escaped if escaped in "|()" else rf"\{escaped}" if not escaped.isalnum() or escaped == "b" else escaped
            )
            position += 2
        elif character == "[":
            end = pattern.find("]", position + (3 if pattern.startswith("^", position + 1) else 2))
            if end < 0:
                raise RequestError(
                    request, at, "`[` of the expression is not closed", "close it with `]`, or write `\\[`"
                )
            out.append(_translate_character_set(pattern[position + 1 : end]))
            position = end + 1
        else:
            out.append(rf"\{character}" if character in "|(){}" else character)
            position += 1
    return Regex("".join(out))


def _translate_character_set(members: str) -> str:
    """Translate a character set of Str to RE2's syntax, where a backslash is special and a leading `]` needs one."""
    negated = members.startswith("^")
    characters = members[1:] if negated else members
    return "[" + "^" * negated + characters.replace("\\", r"\\").replace("]", r"\]").replace("[", r"\[") + "]"


def _unexpected_character(request: str, at: int, in_label: bool) -> RequestError:
    character = request[at]
    if character == '"' or request.startswith('re"', at):
        return RequestError(request, at, "a text is not closed", 'close it with `"`')
    if in_label:
        is_open = request.startswith("->", at - 1)
        hint = "labels end in `]->`; " + ("close this one before `->`" if is_open else "quote this one")
        return RequestError(request, at, f"`{character}` is not allowed in a label", hint)
    if character == "-":
        return RequestError(request, at, "`-` alone is not an edge", "an edge is written `->`, `-[label]->` or `->>`")
    return RequestError(request, at, f"`{character}` has no meaning here", "texts with such characters are quoted")
