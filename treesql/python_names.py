"""Messages in the words of Python, `corpus=NAME` for `--corpus NAME`: rules of their own, on which `errors` stands.

At the root, as all rooms stand on `errors`, and that on this alone. Messages are written for the command line. Outside
of it, public functions rewrite those that they raise, and `issue` those of warnings. What stands between backticks or
quotes stays as it is: commands to run, and texts of the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

FLAGS = frozenset({
    "association", "changes", "ci", "collapse_unary", "comments", "conll18", "corpus_bleu", "count", "delete_traces",
    "enhanced", "errors", "gold_reverse", "greedy", "grid", "list", "long", "macro", "matrix", "null_links",
    "per_million", "permissive", "phrases", "raw_threshold", "replace", "reverse", "strict",
})  # fmt: skip
"""Keywords that are True or False."""

VALUES = frozenset({
    "all", "bleu", "bootstrap", "first", "ger", "last", "missing", "none", "order", "posterior", "score", "sent_id",
    "shuffling", "text", "unpruned",
})  # fmt: skip
"""Values in lower case that messages name behind an option."""

_NAMED = frozenset({"format", "stratum", "system", "systems", "table"})
"""Parameters of names, which may be any."""

_NO_NAME = frozenset({"alone", "and", "both", "each", "for", "has", "if", "is", "or", "says", "to", "with"})
"""Words behind their options that are no names."""

_NAMES = {"from": "format", "with": "with_"}
_PLURALS = {"hypothesis": "hypotheses"}
_BOTH = re.compile(r"(?:with )?--[a-z-]+ \((?:in Python ([^)]*)|([^)]*) in Python)\)")
"""What a message says of both: `--timeout (timeout= in Python)`."""

_KEPT = re.compile(r"""(`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)"[^"\n]*"(?!\w))""")
"""Matches what stands between backticks or quotes."""

_OPTION = re.compile(r"(?<![\w/-])--?(?P<name>(?<=--)[a-z][a-z0-9-]*[a-z0-9]|o\b)(?:[ =](?P<value>[\w.][\w.=,:-]*))?")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*(?:=[A-Z]+)?[.,]*(?:,[A-Z]+[.,]*)*")
_NUMBER = re.compile(r"-?\d[\w.,:]*")

_for_command_line = ContextVar("_for_command_line", default=False)


@contextmanager
def of_command_line() -> Iterator[None]:
    """Messages of this block are for the command line."""
    token = _for_command_line.set(True)
    try:
        yield
    finally:
        _for_command_line.reset(token)


def rename_options(text: str, parameters: Mapping[str, object] = {}) -> str:
    """A message with parameters in place of options, unless it is for the command line.

    parameters: of the function that was called, with their defaults.
    """
    if _for_command_line.get() or "-" not in text:
        return text
    parts = _KEPT.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = _OPTION.sub(lambda found: _parameter(found, parameters), _BOTH.sub(_of_python, parts[at]))
    return "".join(parts)


def _of_python(found: re.Match[str]) -> str:
    return found[1] or found[2]


def _parameter(found: re.Match[str], parameters: Mapping[str, object]) -> str:
    option, value = found["name"], found["value"] or ""
    name = "out" if option == "o" else _NAMES.get(option, option.replace("-", "_"))
    name = f"{name.removesuffix('_from')}_format" if name.endswith("_from") and name not in parameters else name
    plural = _PLURALS.get(name, f"{name}s")
    name = plural if name not in parameters and plural in parameters else name
    end = value[len(value.rstrip(".,:")) :]
    plain = value.removesuffix(end)
    if _PLACEHOLDER.fullmatch(plain) or _NUMBER.fullmatch(plain):
        return f"{name}={value}"
    takes_name = name in _NAMED or name.endswith("_format")
    if plain in VALUES or (takes_name and plain and plain not in _NO_NAME):
        return f"{name}={plain!r}{end}"
    rest = found[0][found.end("name") - found.start() :]
    return f"{name}={'True' if name in FLAGS or isinstance(parameters.get(name), bool) else ''}{rest}"
