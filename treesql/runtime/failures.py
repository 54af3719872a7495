"""Errors of other libraries as TreesqlError: one clear line each.

Code raises errors of its own where it knows more than the library does. All others are converted here: for Python at
the public functions (`convert_errors`), which check the types of their arguments first, and in the command line
(`as_treesql_error`).
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from treesql.errors import (
    TOO_DEEP,
    TOO_NESTED,
    DatabaseError,
    Interrupted,
    QueryError,
    RefusedStatement,
    RequestError,
    StatementError,
    TreesqlError,
    UsageError,
    without_settings,
)
from treesql.runtime import limits
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
    "CatalogException": "its tables are not as treesql made them; load its corpora again",
    "BinderException": "its tables are not as treesql made them; load its corpora again",
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
    line = next((text_line.strip() for text_line in text.splitlines() if text_line.strip()), type(error).__name__)
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
    return next((matched.expand(cause) for pattern, cause in _CAUSES if (matched := pattern.search(message))), None)


def statement_error(error: Exception, sql: str) -> TreesqlError:
    """An error of the user's own statement as a TreesqlError."""
    message = str(error)
    if any(said in message for said in DISK_FULL_MESSAGES):
        return DatabaseError(describe_error(error))
    if _NO_ACCESS.search(message):
        first = message.splitlines()[0].split(": ", 1)[-1]
        hint = "load files with `treesql load`, or open the database with --write (in Python without safe=True)"
        return RefusedStatement(f"this connection reaches no files and no network: {first}; {hint}", sql)
    if _FOR_READING.search(message):
        hint = "open the database with --write (in Python without read_only=True and safe=True)"
        return RefusedStatement(f"{message.splitlines()[0].rstrip('!')}; {hint}", sql)
    if matched := _OLD_MACRO.search(message):
        hint = "queries align words that differ themselves, where db.align_words has stored which words correspond"
        message = f"{message.splitlines()[0].rstrip('!')}; {hint}: name the one without aligned_ ({matched[1]})"
    return QueryError(message, sql)


def was_interrupted(error: BaseException) -> bool:
    """Whether an error reports Ctrl-C, as DuckDB and numba do in errors of their own."""
    while isinstance(error, SystemError) and error.__cause__ is not None:  # of a function of C, and of its caller
        error = error.__cause__
    if isinstance(error, KeyboardInterrupt | Interrupted) or isinstance(error.__cause__, KeyboardInterrupt):
        return True
    return not isinstance(error, OSError) and any(said in str(error) for said in _INTERRUPTED)


_LONGEST = 40
"""Maximum number of characters of a value in a message."""

_TRUTH_VALUES = ("bool", "bool_")
"""What Python and NumPy call the type of True and False."""

_OF_VALUES = ("builtins", "collections.abc")
"""Modules of the sequences that declare the type of their values first; arrays declare shapes."""

_WORDS = {
    str: ("text", "texts"), int: ("a whole number", "whole numbers"), float: ("a number", "numbers"),
    bool: ("True or False", "True or False"), os.PathLike: ("a path", "paths"), type(None): ("None", "None"),
    bytes: ("bytes", "bytes"), Any: ("a value", "values"),
}  # fmt: skip
"""What a type is called, one and several."""

_WORDS_OF_PROTOCOLS = {"Readable": ("an open file", "open files"), "Frame": ("a data frame", "data frames")}
"""The same of those of storage.corpus_plans, by name."""


def with_checked_arguments(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a public function so that arguments of wrong types raise UsageError, and other errors are its own."""

    @functools.wraps(function)
    def checked(*given: Given.args, **named: Given.kwargs) -> Found:
        check_arguments(function, given, named)
        return function(*given, **named)

    return checked


def check_arguments(function: Callable[..., object], given: Sequence[object], named: Mapping[str, object]) -> None:
    """Check the arguments of a call. Raises UsageError for the first one whose type its parameter does not take.

    The message names the parameter, what it takes, and what was given. Arguments that the function does not have are
    left to Python. Of 23 calls with a wrong type, four would do something else unnoticed without this (`ci="no"`), and
    ten end in errors of Python that do not name the parameter.
    """
    parameters, expected = _declared(function)
    try:
        arguments = parameters.bind_partial(*given, **named).arguments
    except TypeError:
        return
    for name, value in arguments.items():
        kind = parameters.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            for item in value:
                if isinstance(item, list | tuple) and not _fits(item, expected[name]):
                    hint = f"several are arguments of their own, as in {function.__name__}(*{name})"
                    raise UsageError(f"{name} takes {_in_words(expected[name])}, not {shown(item)}; {hint}")
                check_type(name, item, expected[name])
        elif kind is inspect.Parameter.VAR_KEYWORD:
            for key, named_value in value.items():
                check_type(key, named_value, expected.get(f"**{key}", expected[name]))
        else:
            check_type(name, value, expected[name])


def check_type(name: str, value: object, expected: Any) -> None:
    """Raises UsageError unless the value that a parameter was given is of a type."""
    if not _fits(value, expected):
        hint = "; it is lazy: collect it" if hasattr(value, "collect_schema") else ""
        raise UsageError(f"{name} takes {_in_words(expected)}, not {shown(value)}{hint}")


@functools.cache
def _declared(function: Callable[..., object]) -> tuple[inspect.Signature, dict[str, Any]]:
    """The parameters of a function, and their types by name; those of `Unpack[...]` by `**name`."""
    signature, names = inspect.signature(function), _Names(inspect.unwrap(function).__module__)
    expected: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        expected[name] = _resolved(parameter.annotation, names)
        if typing.get_origin(expected[name]) is typing.Unpack:
            [asked] = typing.get_args(expected[name])
            its = _Names(asked.__module__)
            expected |= {f"**{key}": _resolved(annotation, its) for key, annotation in asked.__annotations__.items()}
            expected[name] = Any
    return signature, expected


class _Names(dict[str, Any]):
    """The names of a module, also those that it imports when they are first used."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(sys.modules[module]))

    def __missing__(self, name: str) -> Any:
        """Raise KeyError for a name that the module does not have, such as those of Python."""
        find = self.get("__getattr__")
        if find is None:
            raise KeyError(name)
        try:
            return find(name)
        except AttributeError:
            raise KeyError(name) from None


def _resolved(annotation: Any, names: _Names) -> Any:
    """The type of an annotation; Any where it names what is imported for type checkers alone."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    try:
        return eval(annotation, {}, names)
    except (NameError, AttributeError):
        return Any


def _fits(value: object, expected: Any) -> bool:
    """Whether a value is of a type."""
    origin, inner = typing.get_origin(expected), typing.get_args(expected)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, choice) for choice in inner)
    if origin is typing.Literal:
        return value in inner
    if origin is Callable or expected is Callable:
        return callable(value)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if origin is tuple:
        return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)
    if origin is not None and origin.__module__ not in _OF_VALUES:
        return isinstance(value, origin) or _is_sequence(value)
    if origin is not None:
        return _is_sequence(value) and all(_fits(item, inner[0]) for item in typing.cast(Iterable[object], value))
    return _is_of(value, expected)


def _is_sequence(value: object) -> bool:
    """Whether values can be read from it more than once, in their order: lists, arrays, columns of data frames."""
    listed = hasattr(value, "__iter__") and hasattr(value, "__len__")
    return listed and not isinstance(value, str | bytes | Mapping) and not hasattr(value, "columns")


def _is_of(value: object, expected: Any) -> bool:
    """Whether a value is of a class. Truth values are no numbers."""
    if expected is bool:
        return type(value).__name__ in _TRUTH_VALUES
    if expected in (int, float):
        return isinstance(value, Integral if expected is int else Real) and not isinstance(value, bool)
    if isinstance(expected, type) and issubclass(expected, os.PathLike):
        return isinstance(value, os.PathLike)
    if expected is typing.BinaryIO:
        return hasattr(value, "write")
    unchecked = getattr(expected, "_is_protocol", False) and not getattr(expected, "_is_runtime_protocol", False)
    if expected is Any or not isinstance(expected, type) or unchecked:
        return expected is not None or value is None
    return isinstance(value, expected)


def _in_words(expected: Any, several: bool = False) -> str:
    """A type in words: `text, a sequence of texts or None`."""
    origin, inner = typing.get_origin(expected), typing.get_args(expected)
    if origin in (typing.Union, types.UnionType):
        *first, last = dict.fromkeys(_in_words(choice, several) for choice in _without_none_first(inner))
        return f"{', '.join(first)} or {last}" if first else last
    if origin is typing.Literal:
        return " or ".join(map(repr, inner))
    if origin is Callable or expected is Callable:
        return "functions" if several else "a function"
    if origin is not None and issubclass(origin, Mapping):
        key, value = (_in_words(choice, several=True) for choice in inner)
        return f"{'mappings' if several else 'a mapping'} of {key} to {value}"
    if origin is tuple:
        words = " and ".join(_in_words(choice) for choice in inner if choice is not ...)
        return f"pairs of {_in_words(inner[0], True)}" if several else f"a tuple of {words}"
    if origin is not None and origin.__module__ in _OF_VALUES:
        return f"{'sequences' if several else 'a sequence'} of {_in_words(inner[0], several=True)}"
    if isinstance(expected, type) and issubclass(expected, os.PathLike):
        expected = os.PathLike
    if expected is object:
        expected = Any
    if expected is typing.BinaryIO:
        return "a binary file that is open for writing"
    name = getattr(origin or expected, "__name__", "value")
    called = _WORDS.get(expected) if isinstance(expected, type) or expected is Any else None
    if getattr(expected, "_is_runtime_protocol", False):
        called = _WORDS_OF_PROTOCOLS.get(name)
    return (called or (f"a {name}", f"{name} objects"))[several]


def _without_none_first(inner: Sequence[Any]) -> list[Any]:
    """The members of a union, None last."""
    return sorted(inner, key=lambda choice: choice is type(None))


def shown(value: object) -> str:
    """A value and its type, of which long ones are shortened: `'5' (str)`."""
    if value is None or isinstance(value, bool):
        return repr(value)
    kind = type(value).__name__
    shown = repr(value)
    if len(shown) > _LONGEST or "\n" in shown:
        shown = "" if not isinstance(value, str | bytes) else f"{shown[: _LONGEST - 3]}..."
    return f"{shown} ({kind})" if shown else f"a {kind}"


def convert_errors(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate a public function: arguments of wrong types and errors of other libraries raise TreesqlError."""

    @functools.wraps(function)
    def guarded(*given: Given.args, **named: Given.kwargs) -> Found:
        try:
            check_arguments(function, given, named)
            return function(*given, **named)
        except Exception as error:
            known_error = as_treesql_error(error)
            if isinstance(known_error, TreesqlError) and not isinstance(
                known_error, StatementError | QueryError | RequestError
            ):
                known_error.rename_options(_parameters(function))
            try:
                if known_error is error:
                    raise
                if known_error is None and (
                    isinstance(error, ValueError | ArithmeticError) or type(error) is RuntimeError
                ):
                    known_error = UsageError(f"{_first_line(error)}; check whether the arguments fit")
                if known_error is None:
                    raise
                raise known_error from error
            finally:
                del (
                    known_error
                )  # with it, the error would keep this frame, and connections in others, until the process ends

    return guarded


def _parameters(function: Callable[..., object]) -> dict[str, object]:
    """The parameters of a function, with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def convert_errors_of_class(made: Class) -> Class:
    """Decorate a class so that bad input to public methods and properties raises TreesqlError only."""
    for name, member in list(vars(made).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, property):
            assert member.fget is not None
            setattr(made, name, property(convert_errors(member.fget), member.fset, doc=member.__doc__))
        elif isinstance(member, functools.cached_property):
            member.func = convert_errors(member.func)
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
