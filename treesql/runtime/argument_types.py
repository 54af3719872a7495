"""Arguments of public functions against the types that their parameters declare."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from treesql.errors import UsageError

Given = ParamSpec("Given")
Found = TypeVar("Found")

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
    left to Python.
    """
    parameters, expected = _declared(function)
    try:
        arguments = parameters.bind_partial(*given, **named).arguments
    except TypeError:
        return
    for name, value in arguments.items():
        kind = parameters.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            for one in value:
                if isinstance(one, list | tuple) and not _fits(one, expected[name]):
                    hint = f"several are arguments of their own, as in {function.__name__}(*{name})"
                    raise UsageError(f"{name} takes {_in_words(expected[name])}, not {_shown(one)}; {hint}")
                check_type(name, one, expected[name])
        elif kind is inspect.Parameter.VAR_KEYWORD:
            for key, one in value.items():
                check_type(key, one, expected.get(f"**{key}", expected[name]))
        else:
            check_type(name, value, expected[name])


def check_type(name: str, value: object, expected: Any) -> None:
    """Raises UsageError unless the value that a parameter was given is of a type."""
    if not _fits(value, expected):
        raise UsageError(f"{name} takes {_in_words(expected)}, not {_shown(value)}")


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
            expected |= {f"**{key}": _resolved(one, its) for key, one in asked.__annotations__.items()}
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
        return any(_fits(value, one) for one in inner)
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
        return _is_sequence(value) and all(_fits(one, inner[0]) for one in typing.cast(Iterable[object], value))
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
    if expected is Any or not isinstance(expected, type) or getattr(expected, "_is_protocol", False):
        return expected is not None or value is None
    return isinstance(value, expected)


def _in_words(expected: Any, several: bool = False) -> str:
    """A type in words: `text, a sequence of texts or None`."""
    origin, inner = typing.get_origin(expected), typing.get_args(expected)
    if origin in (typing.Union, types.UnionType):
        *first, last = dict.fromkeys(_in_words(one, several) for one in _without_none_first(inner))
        return f"{', '.join(first)} or {last}" if first else last
    if origin is typing.Literal:
        return " or ".join(map(repr, inner))
    if origin is Callable or expected is Callable:
        return "functions" if several else "a function"
    if origin is not None and issubclass(origin, Mapping):
        key, value = (_in_words(one, several=True) for one in inner)
        return f"{'mappings' if several else 'a mapping'} of {key} to {value}"
    if origin is tuple:
        words = " and ".join(_in_words(one) for one in inner if one is not ...)
        return f"pairs of {_in_words(inner[0], True)}" if several else f"a tuple of {words}"
    if origin is not None and origin.__module__ in _OF_VALUES:
        return f"{'sequences' if several else 'a sequence'} of {_in_words(inner[0], several=True)}"
    if isinstance(expected, type) and issubclass(expected, os.PathLike):
        expected = os.PathLike
    if expected is object:
        expected = Any
    if expected is typing.BinaryIO:
        return "a binary file that is open for writing"
    called = _WORDS.get(expected) if isinstance(expected, type) or expected is Any else None
    name = getattr(origin or expected, "__name__", "value")
    return (called or (f"a {name}", f"{name} objects"))[several]


def _without_none_first(inner: Sequence[Any]) -> list[Any]:
    """The members of a union, None last."""
    return sorted(inner, key=lambda one: one is type(None))


def _shown(value: object) -> str:
    """A value and its type, of which long ones are shortened: `'5' (str)`."""
    if value is None or isinstance(value, bool):
        return repr(value)
    kind = type(value).__name__
    shown = repr(value)
    if len(shown) > _LONGEST or "\n" in shown:
        shown = "" if not isinstance(value, str | bytes) else f"{shown[: _LONGEST - 3]}..."
    return f"{shown} ({kind})" if shown else f"a {kind}"
