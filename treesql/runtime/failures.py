"""Errors of other libraries as TreesqlError: one clear line each.

Code raises errors of its own where it knows more than the library does. All others are converted here: for Python at
the public functions (`convert_errors`), and in the command line (`as_treesql_error`).
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

from treesql.errors import (
    TOO_DEEP,
    TOO_NESTED,
    DatabaseError,
    Interrupted,
    QueryError,
    RequestError,
    StatementError,
    TreesqlError,
    UsageError,
    without_settings,
)
from treesql.runtime import limits
from treesql.runtime.argument_types import check_arguments
from treesql.runtime.atomic_files import DISK_FULL_ERRORS, DISK_FULL_MESSAGES, system_message, without_hidden_folders

Given = ParamSpec("Given")
Found = TypeVar("Found")
Class = TypeVar("Class", bound=type)

_INTERRUPTED = ("Query interrupted", "INTERRUPT Error", "KeyboardInterrupt")
"""Messages of DuckDB and numba where Ctrl-C, or `interrupt()`, ended a statement."""

_NO_ACCESS = re.compile("disabled (?:by|through) configuration")
"""DuckDB's message where a connection may not reach a file, or load an extension."""
_FOR_READING = re.compile("attached in read-only mode|configuration has been locked")
"""DuckDB's message where a connection may not change rows or settings."""

_CAUSES = (
    (re.compile("Connection (?:has )?already (?:been )?closed"), "the database is closed; open it again"),
    (
        re.compile(r'on database "[^\n]*" which is attached in read-only mode[!.]?$', re.M),
        "the database is open for reading alone; open it without read_only=True",
    ),
    (
        re.compile(r'Failed to read file "([^"\n]+/part-[^"\n/]+\.parquet)": ([^\n]*)'),
        r"\1: this part is damaged (\2); restore the folder from a backup, load the corpus again with --replace, "
        "or drop it",
    ),
    (
        re.compile(r"((?:TProtocolException|[\w.]*ZstdIOException): [^\n]*)"),
        r"a Parquet file is damaged (\1); `treesql check` of its folder says which",
    ),
)
"""Messages of DuckDB for which the statement is not to blame, and the true cause."""

_OLD_MACRO = re.compile(r"Table Function with name aligned_(\w+) does not exist")
"""Matches the message of a statement with a query that only aligned words."""

_INNER = re.compile(r'"exception_message":"((?:[^"\\]|\\.)*)"')
"""The message of another thread of DuckDB, within the error that is raised."""

_NULL = re.compile(r"null (byte|character)")
_HINTS = {
    "ConstraintException": "the rows break a rule of their table; fix them, nothing was changed",
    "OutOfMemoryException": "out of memory; process less at a time",
    "IOException": "check whether the file is whole, and can be read and written",
    "SerializationException": "the database is damaged; restore it from a backup, or load its corpora again",
    "InternalException": "the database is damaged, or DuckDB is; restore it from a backup, or load its corpora again",
    "FatalException": "the database is damaged, or DuckDB is; restore it from a backup, or load its corpora again",
    "TransactionException": "nothing was changed; try again",
    "CatalogException": "its tables are not as treesql made them; run `treesql upgrade`, or load its corpora again",
    "BinderException": "its tables are not as treesql made them; run `treesql upgrade`, or load its corpora again",
}
_HINT = "check whether the arguments fit, and whether the database is whole"


def as_treesql_error(error: BaseException) -> BaseException | None:
    """An error of another library as a TreesqlError, or as KeyboardInterrupt where it reports one.

    None for errors that bad input does not explain: a bug of treesql.
    """
    if isinstance(error, StatementError | QueryError) and (cause := _true_cause(error)):
        return DatabaseError(cause)
    if isinstance(error, TreesqlError | KeyboardInterrupt):
        return error
    if was_interrupted(error):
        return KeyboardInterrupt()
    if too_much := limits.as_memory_limit(error):
        return too_much
    duckdb, arrow = sys.modules.get("duckdb"), sys.modules.get("pyarrow")
    if duckdb is not None and isinstance(error, duckdb.Error):
        return DatabaseError(describe_error(error))
    if isinstance(error, OSError):
        return UsageError(_system_error(error))
    if arrow is not None and isinstance(error, arrow.ArrowException):
        return UsageError(f"{_first_line(error)}; check whether the arguments fit")
    if isinstance(error, UnicodeEncodeError):
        return UsageError(f"{_shortened(error.object)} is not UTF-8; write it in UTF-8")
    if isinstance(error, UnicodeDecodeError):
        return UsageError(f"byte {error.start + 1} of a text is not UTF-8; write it in UTF-8")
    if isinstance(error, MemoryError):
        return UsageError("out of memory; process less at a time")
    if isinstance(error, RecursionError):
        return UsageError("this is nested too deeply; simplify it")
    if isinstance(error, OverflowError):
        return UsageError(f"a number is out of range ({_first_line(error)}); name a smaller one")
    if isinstance(error, ValueError) and _NULL.search(str(error)):
        return UsageError("a name has a NUL character in it; leave it out")
    return None


def missing_package(error: ImportError, modules: Collection[str], use: str, install: str) -> UsageError:
    """Return the error of an import: the package is missing, or it is there and its import fails.

    modules: those that the package brings; use: what it is used for, in words; install: how it is installed.
    """
    missing = isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] in modules
    if missing:
        return UsageError(f"{use}: {install}")
    return UsageError(f"{use}, which is installed but cannot be imported ({_first_line(error)}); repair it: {install}")


def describe_error(error: Exception) -> str:
    """An error of DuckDB as one line, with what to do."""
    if cause := _true_cause(error):
        return cause
    text = without_settings(str(error))
    line = next((one.strip() for one in text.splitlines() if one.strip()), type(error).__name__)
    inner = _INNER.search(text)
    if inner:
        line = inner[1].replace('\\"', '"')
    room = next((said for said in DISK_FULL_MESSAGES if said in text), None)
    if room:
        return f"{_without_kind(line)}; make room on the disk, and try again"
    if text in (TOO_DEEP, TOO_NESTED):
        return text
    return f"{_without_kind(line)}; {_HINTS.get(type(error).__name__, _HINT)}"


def _true_cause(error: Exception) -> str | None:
    """What is wrong where an error blames a statement, or the database, for how it is open."""
    message = getattr(error, "message", str(error))
    return next((found.expand(cause) for pattern, cause in _CAUSES if (found := pattern.search(message))), None)


def statement_error(error: Exception, sql: str) -> TreesqlError:
    """An error of the user's own statement as a TreesqlError."""
    message = str(error)
    if any(said in message for said in DISK_FULL_MESSAGES):
        return DatabaseError(describe_error(error))
    if _NO_ACCESS.search(message):
        first = message.splitlines()[0].split(": ", 1)[-1]
        message = (
            f"this connection reaches no files and no network: {first}; "
            "load files with `treesql load`, or open the database with --write (in Python without safe=True)"
        )
    elif found := _OLD_MACRO.search(message):
        hint = "queries align words that differ themselves, where db.align_words has stored which words correspond"
        message = f"{message.splitlines()[0].rstrip('!')}; {hint}: name the one without aligned_ ({found[1]})"
    elif _FOR_READING.search(message):
        hint = "open the database with --write (in Python without read_only=True and safe=True)"
        message = f"{message.splitlines()[0].rstrip('!')}; {hint}"
    return QueryError(message, sql)


def was_interrupted(error: BaseException) -> bool:
    """Whether an error reports Ctrl-C, as DuckDB and numba do in errors of their own."""
    if isinstance(error, KeyboardInterrupt | Interrupted) or isinstance(error.__cause__, KeyboardInterrupt):
        return True
    return not isinstance(error, OSError) and any(said in str(error) for said in _INTERRUPTED)


def convert_errors(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a public function: arguments of wrong types and errors of other libraries raise TreesqlError."""

    @functools.wraps(function)
    def guarded(*given: Given.args, **named: Given.kwargs) -> Found:
        try:
            check_arguments(function, given, named)
            return function(*given, **named)
        except Exception as error:
            found = as_treesql_error(error)
            if isinstance(found, TreesqlError) and not isinstance(found, StatementError | QueryError | RequestError):
                found.rename_options(_parameters(function))
            try:
                if found is error:
                    raise
                if found is None and (isinstance(error, ValueError | ArithmeticError) or type(error) is RuntimeError):
                    found = UsageError(f"{_first_line(error)}; check whether the arguments fit")
                if found is None:
                    raise
                raise found from error
            finally:
                del found  # with it, the error would keep this frame, and connections in others, until the process ends

    return guarded


def _parameters(function: Callable[..., object]) -> dict[str, object]:
    """The parameters of a function, with their defaults."""
    return {name: one.default for name, one in inspect.signature(function).parameters.items()}


def convert_errors_of_class(made: Class) -> Class:
    """Decorate a class so that bad input to public methods and properties raises TreesqlError only."""
    for name, member in list(vars(made).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, property):
            assert member.fget is not None
            setattr(made, name, property(convert_errors(member.fget), member.fset, doc=member.__doc__))
        elif isinstance(member, classmethod):
            setattr(made, name, classmethod(convert_errors(member.__func__)))
        elif inspect.isfunction(member):
            setattr(made, name, convert_errors(member))
    return made


def _system_error(error: OSError) -> str:
    """The system's message and the file that it is about; without a file it is about standard output."""
    what = system_message(error)
    if error.errno in DISK_FULL_ERRORS or any(said in what for said in DISK_FULL_MESSAGES):
        hint = "make room on the disk, or name another place"
    else:
        hint = "name one that can be read and written" if error.filename is not None else "give it another place"
    where = "output" if error.filename is None else _shortened(str(error.filename), quoted=False)
    return f"{where}: {what}; {hint}"


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _without_kind(line: str) -> str:
    """A message of DuckDB without the kind of error before it."""
    return without_hidden_folders(re.sub(r"^([A-Z][A-Za-z-]* )+(Error|exception): ", "", line)).rstrip(".!;: ")


def _shortened(text: str, *, quoted: bool = True) -> str:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return repr(shown) if quoted or not shown.isprintable() else shown
