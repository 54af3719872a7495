"""Everything that treesql raises. A message says what was found, where, and what to do.

Messages are written for the command line. Outside of it, public functions rewrite those that they raise, and `issue`
those of warnings, in the words of Python: `corpus=NAME` for `--corpus NAME`. What stands between backticks or quotes
stays as it is: commands to run, and texts of the user's.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Literal

_IN_FUNCTION = re.compile(r"(?:Invalid Input Error: )?Python exception occurred while executing the UDF: ValueError: ")
"""The prefix that DuckDB adds to the message of a SQL function of treesql."""

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _CONTROLS}
"""Escapes of control characters: a message stays on one line, and a terminal obeys nothing in it."""

_BETWEEN = ("treesql", "contextlib")
"""Packages whose lines a warning does not name."""

Severity = Literal["error", "warning"]

FAULTS_SHOWN = 20
"""Maximum number of faults reported per file."""

MAX_NAMED = 5
"""Maximum number of sentences or lines that a warning names."""


FLAGS = frozenset({
    "association", "changes", "ci", "collapse_unary", "comments", "conll18", "corpus_bleu", "count", "delete_traces",
    "enhanced", "errors", "gold_reverse", "greedy", "grid", "list", "long", "macro", "matrix", "null_links",
    "per_million", "permissive", "phrases", "raw_threshold", "replace", "reverse", "strict",
})  # fmt: skip
"""Keywords that are True or False."""

VALUES = frozenset({
    "all", "bleu", "bootstrap", "first", "ger", "last", "missing", "none", "order", "posterior", "score",
    "sent_id", "shuffling", "text", "unpruned",
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


class TreesqlError(Exception):
    """Root of all errors of treesql."""

    def rename_options(self, parameters: Mapping[str, object]) -> None:
        """Name parameters of a function that was called, in place of options of the command line."""

        def renamed(value: Any) -> Any:
            if isinstance(value, str):
                return rename_options(value, parameters)
            if isinstance(value, Diagnostic):
                what, hint = (rename_options(text, parameters) for text in (value.what, value.hint))
                return replace(value, what=what, hint=hint)
            return tuple(map(renamed, value)) if isinstance(value, tuple) else value

        self.args = renamed(self.args)
        for name, value in vars(self).items():
            vars(self)[name] = renamed(value)


@dataclass(frozen=True)
class Diagnostic:
    """One fault or one warning, and the place in a file that it is about.

    path: the file as the user named it, or a corpus; line: 1-based, 0 where no line can be
    named; column: 1-based character in the line, 0 where it does not matter; what: what was found; hint: how to fix it.
    """

    severity: Severity
    path: str
    line: int
    column: int
    what: str
    hint: str

    @classmethod
    def error(cls, path: str, line: int, what: str, hint: str, column: int = 0) -> Diagnostic:
        """A fault: the input is refused."""
        return cls("error", path, line, column, what, hint)

    @classmethod
    def warning(cls, path: str, line: int, what: str, hint: str, column: int = 0) -> Diagnostic:
        """A warning: the input is used."""
        return cls("warning", path, line, column, what, hint)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        if self.column:
            place += f":{self.column}"
        return f"{place}: {rename_options(self.what)}; {rename_options(self.hint)}".translate(_ESCAPES)


Warn = Callable[[Diagnostic], object]
"""A function that is called with every warning."""


class InvalidInput(TreesqlError):
    """Files that cannot be read: `faults` lists what was found, up to FAULTS_SHOWN for each file."""

    def __init__(self, faults: Sequence[Diagnostic]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(list_faults(self.faults))


def list_faults(faults: Sequence[Diagnostic], limit: int = FAULTS_SHOWN, hint: str = "fix these first") -> list[str]:
    """A line for every fault, and for every file of which no more than `limit` were collected. hint: what to do."""
    full = [path for path, n in Counter(fault.path for fault in faults).items() if n >= limit]
    said = f"no more than {limit} errors of a file are listed"
    return [*map(str, faults), *(f"{path}: {said}; {hint}" for path in full)]


class InvalidCorpora(InvalidInput):
    """Corpora that could not be loaded, while others were.

    refused: the errors, by the name of the corpus; loaded: the others, as `load` returns them. The message has a line
    for every error, `faults` all that was found in files.
    """

    def __init__(self, refused: Mapping[str, TreesqlError], loaded: Any) -> None:
        self.refused: dict[str, TreesqlError] = dict(refused)
        self.loaded = loaded
        super().__init__([fault for error in refused.values() for fault in getattr(error, "faults", ())])
        self.args = (self.refused, self.loaded)

    def __str__(self) -> str:
        number, total = len(self.refused), len(self.refused) + len(self.loaded)
        first = f"{number} of {total} corpora {plural(number, 'is', 'are')} not loaded:"
        return "\n".join([first, *map(_in_one_line, self.refused.values())])


def _in_one_line(error: TreesqlError) -> str:
    """The first line of an error, and the number of its other lines."""
    first, *others = str(error).splitlines()
    return f"{first} (and {len(others)} more)" if others else first


class Incomparable(TreesqlError):
    """Two corpora that a metric cannot compare: `faults` has the first differences, `more` counts the others."""

    def __init__(self, faults: Sequence[Diagnostic], more: int) -> None:
        self.faults, self.more = tuple(faults), more
        super().__init__(self.faults, more)

    def __str__(self) -> str:
        lines = [str(fault) for fault in self.faults]
        if self.more:
            lines.append(
                f"{self.faults[0].path}: {self.more} more faults of this kind; fix the first ones and try again"
            )
        return "\n".join(lines)


_COLUMNS_OF_TERMS = {"relation": "deprel", "label": "deprel", "pos": "upos", "tag": "upos", "features": "feats"}
"""What people call columns of words, and the names of CoNLL-U."""


_LIKE, _LIKE_OPTION, _ALMOST_EQUAL = 0.5, 0.6, 0.9
"""Minimum similarities, of difflib, of the names that a message suggests, and of options: names below the last are not
shown beside one above, such as one with a letter more."""


class UnknownName(TreesqlError):
    """A name that does not exist: the message lists the nearest ones that do.

    note: what else helps; place: the treebank that lacks the name, of several.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], note: str = "", place: str = "") -> None:
        self.note, self.place = note, place
        self.kind, self.name, self.known = kind, name, sorted({*known} - {name})
        super().__init__(kind, name)

    def rename_options(self, parameters: Mapping[str, object]) -> None:
        """As for all errors; names stay as they were given."""
        self.kind, self.note = (rename_options(text, parameters) for text in (self.kind, self.note))

    @property
    def near(self) -> list[str]:
        """The known names that are most like the wrong one."""
        import difflib  # here, for it takes as long to import as the rest of this module

        column = _COLUMNS_OF_TERMS.get(self.name.lower())
        if column in self.known:
            return [column]
        known = {name.removeprefix("--"): name for name in self.known}  # what all options begin with makes none alike
        name = self.name.removeprefix("--")
        nearest = difflib.get_close_matches(name, known, n=3, cutoff=_LIKE if name == self.name else _LIKE_OPTION)
        almost_equal = difflib.get_close_matches(name, nearest, n=3, cutoff=_ALMOST_EQUAL)
        return [known[found] for found in almost_equal or nearest]

    @property
    def hint(self) -> str:
        """The nearest names, or those that there are, and what else helps."""
        numbers = sorted(int(name) for name in self.known if name.isdecimal())
        if numbers and len(numbers) == len(self.known) == numbers[-1] - numbers[0] + 1:
            hint = f"their numbers are {numbers[0]} to {numbers[-1]}"
        elif near := self.near:
            hint = "did you mean " + " or ".join(near) + "?"
        elif self.known:
            hint = "known: " + ", ".join(self.known[:20]) + (", ..." if len(self.known) > 20 else "")
        else:
            hint = "none are defined"
        return f"{hint}; {self.note}" if self.note else hint

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{place}unknown {self.kind} {shortened(self.name)!r}; {self.hint}".translate(_ESCAPES)


class RequestError(TreesqlError):
    """A Grew request that cannot be read or makes no sense.

    request: its text; at: offset of the character in question; what: what is wrong; hint: what to do about it.
    """

    def __init__(self, request: str, at: int, what: str, hint: str) -> None:
        self.request, self.at, self.what, self.hint = request, at, what, hint
        super().__init__(request, at, what, hint)

    @property
    def line(self) -> int:
        """1-based line of the request."""
        return self.request.count("\n", 0, self.at) + 1

    @property
    def column(self) -> int:
        """1-based character of that line."""
        return self.at - (self.request.rfind("\n", 0, self.at) + 1) + 1

    def __str__(self) -> str:
        lines = self.request.split("\n")
        place = f"column {self.column}" if len(lines) == 1 else f"line {self.line}, column {self.column}"
        shown, column = _window(lines[self.line - 1].replace("\t", " "), self.column - 1)
        return f"{place}: {shortened(self.what, 300)}; {shortened(self.hint, 300)}\n  {shown}\n  {' ' * column}^"


class TimeLimit(TreesqlError):
    """A statement, request or command that took too long; `costliest` names the clause of a request that costs most."""

    def __init__(self, seconds: float, costliest: str = "") -> None:
        self.seconds, self.costliest = seconds, costliest
        super().__init__(seconds, costliest)

    def __str__(self) -> str:
        hint = f"{self.costliest}; add conditions to this clause" if self.costliest else "narrow the request"
        return f"stopped after {self.seconds:g} seconds; {hint}, or raise --timeout (timeout= in Python)"


class MemoryLimit(TreesqlError):
    """A statement or command that needs more memory than it may take: `size` bytes, None where DuckDB set the limit."""

    def __init__(self, size: int | None) -> None:
        self.size = size
        super().__init__(size)

    def __str__(self) -> str:
        more = "than DuckDB takes by default" if self.size is None else f"than {say_size(self.size)}"
        return f"stopped: this takes more memory {more}; process less at a time, or raise --memory (memory= in Python)"


class UsageError(TreesqlError):
    """A call or command with wrong arguments."""


def not_applicable(names: Sequence[str], where: str) -> UsageError:
    """The error of options that were given where they have no effect."""
    return UsageError(f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not apply to {where}")


class DatabaseError(TreesqlError):
    """A database file that cannot be opened, read or changed."""


class StatementError(DatabaseError):
    """A statement that an engine could not run; carries its message, the statement and the values of its parameters.

    text: the message as one line, with what to do.
    """

    def __init__(self, text: str, message: str, sql: str, parameters: object = None) -> None:
        self.text, self.message, self.sql, self.parameters = text, message, sql, parameters
        super().__init__(text, message, sql, parameters)

    def __str__(self) -> str:
        return self.text

    def of_query(self, name: str) -> QueryError:
        """Return the error of a statement that has a name."""
        return QueryError(self.message, self.sql, name, self.parameters)


class UnknownColumn(StatementError):
    """A statement that names a column that does not exist."""

    def __init__(self, text: str, message: str, sql: str, parameters: object, column: str) -> None:
        super().__init__(text, message, sql, parameters)
        self.args, self.column = (*self.args, column), column


class NumberTooLarge(StatementError):
    """A statement with a number that does not fit its type."""


class Interrupted(Exception):
    """The end of a statement that was interrupted, as by a limit of time or by Ctrl-C."""


class HeaderError(TreesqlError):
    """A query or schema file of the catalogue that breaks the rules of its header."""


TOO_DEEP = "this nests, or chains by operators, more than the 1,000 parts that DuckDB takes; shorten it"
"""What is wrong with SQL, or with a request, whose statement is too deep."""

TOO_NESTED = (
    "a column has lists or structures within more than 60 others, which Arrow lacks; write CAST(... AS VARCHAR)"
)
"""What is wrong with values of such a type."""

_LONG_WORD = re.compile(r"(\S{100})\S{100,}")

_WINDOW = 100
"""Number of characters of a request that an error shows."""

LIST_NAMES = "`DESCRIBE words` lists the columns of a table, `SHOW TABLES` the tables"
_UNKNOWN_COLUMN = re.compile(r'Referenced column "([^"]+)" not found[^\n]*((?:\nCandidate bindings: [^\n]*)?)')
"""Matches the name, and the line of names like it."""

_CANDIDATE = re.compile(r'"(?:[^".]*\.)?([^".]+)"')
_UNKNOWN_NAME = re.compile(r"does not have a column named|Referenced column|Table with name")


_COMPARED_NAME = r'(?:=|<>|\bIN\s*\((?:[^()]*,)?)\s*"?{}(?![\w.(])'
"""Matches a name that a column is compared with."""


def suggest_quotes(sql: str, name: str) -> str:
    """Return how to write an unknown name that stands where texts do, behind `=` or in IN (...); else nothing."""
    if not re.search(_COMPARED_NAME.format(re.escape(name)), sql, re.IGNORECASE):
        return ""
    return f"texts stand in single quotes: '{name}'"


class QueryError(TreesqlError):
    """SQL that failed; carries the statement, the query's name and its parameters."""

    def __init__(self, message: str, sql: str, name: str | None = None, parameters: object = None) -> None:
        message = _IN_FUNCTION.sub("", without_settings(message), count=1).replace("\n\nLINE", "\nLINE")
        message = _LONG_WORD.sub(r"\1...", message)
        self.message, self.sql, self.name, self.parameters = message, sql, name, parameters
        super().__init__(message, sql, name, parameters)

    def __str__(self) -> str:
        if self.name is None:
            return "\n".join(filter(None, [self.message, self._hint]))
        return f"query {self.name} with {self.parameters}: {self.message}\n{self.sql}"

    @property
    def brief(self) -> str:
        """The message without a statement of the catalogue; where a name is unknown, with how to list the names."""
        if self.name is None:
            return f"{self}\n{LIST_NAMES}" if _UNKNOWN_NAME.search(self.message) else str(self)
        lines = [line for line in self.message.split("\nLINE ")[0].splitlines() if line]
        return f"query {self.name}: {' '.join(lines)}; treesql --debug shows the statement"

    @property
    def _hint(self) -> str:
        """What helps where a text is taken for the name of a column, and no column has a name like it."""
        import difflib  # here, for it takes as long to import as the rest of this module

        unknown = _UNKNOWN_COLUMN.search(self.message)
        if unknown is None or difflib.get_close_matches(unknown[1], _CANDIDATE.findall(unknown[2]), cutoff=0.6):
            return ""
        return suggest_quotes(self.sql, unknown[1])


class RefusedStatement(QueryError):
    """SQL that changes a database which is open for reading, or reaches files or a network on a safe connection."""


def without_settings(message: str) -> str:
    """A message of DuckDB, where it is that SQL is nested too deeply without the setting that would allow more.

    It also says what values have that are nested too deeply, where DuckDB names the limit of Arrow's reader.
    """
    if "max_expression_depth" in message:
        return TOO_DEEP
    return TOO_NESTED if "ArrowSchema struct" in message else message


def why_unreadable(error: OSError) -> str:
    """Return why a file cannot be read; of one that is missing in the words of all messages about those."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return error.strerror or str(error)


def shortened(text: str, most: int = 80) -> str:
    """The beginning of a text that is longer than a number of characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _window(line: str, at: int) -> tuple[str, int]:
    """The part of a line around a character, and the place of that character in it."""
    start = max(0, min(at - _WINDOW // 2, len(line) - _WINDOW))
    before, after = "..." if start else "", "..." if start + _WINDOW < len(line) else ""
    return f"{before}{line[start : start + _WINDOW]}{after}", len(before) + at - start


def plural(number: int, singular: str, several: str | None = None) -> str:
    """What goes with a number of things: `word` with 1, else `words`, or `several` where that is no -s."""
    return singular if number == 1 else several or f"{singular}s"


def first_names(names: Sequence[object]) -> str:
    """The first MAX_NAMED of some names, with commas between; `...` stands for the others."""
    return ", ".join([*map(str, names[:MAX_NAMED]), *["..."] * (len(names) > MAX_NAMED)])


def say_size(size: int) -> str:
    """A number of bytes in words: `500 MB`."""
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "KB")):
        if size >= 1000**power:
            return f"{size / 1000**power:.4g} {unit}"
    return f"{size} bytes"


class TreesqlWarning(UserWarning):
    """A warning about input that was used."""


class NothingFound(TreesqlWarning):
    """The reason why a request has no matches."""


Issued = tuple[object, type[TreesqlWarning]]
"""A warning, and its category."""

_collected: ContextVar[list[Issued] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting(warnings: list[Issued]) -> Iterator[None]:
    """Collect warnings of this block in a list, for another thread that issues them."""
    token = _collected.set(warnings)
    try:
        yield
    finally:
        _collected.reset(token)


def issue(warning: object, category: type[TreesqlWarning] = TreesqlWarning) -> None:
    """Issue a warning, which names the line of the program that called treesql."""
    collected = _collected.get()
    if collected is not None:
        collected.append((warning, category))
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    text = str(warning) if isinstance(warning, Diagnostic) else rename_options(str(warning))
    warnings.warn(text, category, stacklevel=level)


@contextmanager
def of_command_line() -> Iterator[None]:
    """Messages of this block are for the command line."""
    token = _for_command_line.set(True)
    try:
        yield
    finally:
        _for_command_line.reset(token)


def is_for_command_line() -> bool:
    """Whether messages are for the command line."""
    return _for_command_line.get()


def written_parameter(name: str) -> str:
    """A parameter as who asked writes it: as an option on the command line."""
    return f"--{name.replace('_', '-')}" if is_for_command_line() else name


def rename_options(text: str, parameters: Mapping[str, object] = {}) -> str:
    """A message with parameters in place of options, unless it is for the command line.

    parameters: of the function that was called, with their defaults.
    """
    if is_for_command_line() or "-" not in text:
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
    if (name, plain) == ("systems", "NAME=FILE"):
        return f'systems={{"NAME": "FILE"}}{end}'
    if _PLACEHOLDER.fullmatch(plain) or _NUMBER.fullmatch(plain):
        return f"{name}={value}"
    takes_name = name in _NAMED or name.endswith("_format")
    if plain in VALUES or (takes_name and plain and plain not in _NO_NAME):
        return f"{name}={plain!r}{end}"
    rest = found[0][found.end("name") - found.start() :]
    return f"{name}={'True' if name in FLAGS or isinstance(parameters.get(name), bool) else ''}{rest}"
