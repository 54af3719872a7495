"""What the rules of the house share: statements of sources, and all that break a rule, not the first alone."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def statements(text: str) -> Iterator[ast.AST]:
    """Every statement of a text, also inside functions and classes; expressions, most of a tree, are not walked."""
    left: list[ast.AST] = [ast.parse(text)]
    while left:
        node = left.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, [])
            left += inside if isinstance(inside, list) else []
        yield node


def imported_modules(text: str) -> Iterator[str]:
    """Every module that a text imports, by its dotted name; of `from a import b` a and a.b."""
    for node in statements(text):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def check_each(check: Callable[[Value], object], values: Mapping[str, Value]) -> None:
    """Call a check for every value, and fail with what it says of all those that it fails for."""
    found = {}
    for name, value in values.items():
        try:
            check(value)
        except (Exception, pytest.fail.Exception) as error:  # of whatever the check calls
            found[name] = f"{type(error).__name__}: {error}"
    assert_none(found)


def in_turn(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable[..., object]], Any]:
    """Give a test each value of a parameter, or tuple of several, one after another: a single test of small checks,
    which fails with all values that it fails for. Fixtures are the same for all of them."""

    def decorate(test: Callable[..., object]) -> Any:
        parameters = inspect.signature(test).parameters
        given = [(one,) for one in values] if isinstance(names, str) else list(values)
        called = (names,) if isinstance(names, str) else names

        @functools.wraps(test)
        def whole(**fixtures: Any) -> None:
            def check(one: tuple[Any, ...]) -> None:
                test(**fixtures, **dict(zip(called, one, strict=True)))

            check_each(check, {f"{at}, {str(one)[:200]}": one for at, one in enumerate(given)})

        left = [parameter for name, parameter in parameters.items() if name not in called]
        whole.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return whole

    return decorate


def assert_none(offenders: Mapping[str, object] | Iterable[str]) -> None:
    """Fail with all that break a rule, a line each; pytest itself cuts a long list."""
    if isinstance(offenders, Mapping):
        offenders = [f"{name}: {what}" for name, what in offenders.items() if what]
    if found := sorted(offenders):
        pytest.fail("\n".join([f"{len(found)} break this rule", *found]))


ALWAYS_CHECKED: set[str] = set()
"""Names that `pytest --check NAME` adds to those that a test of every n-th value has by default."""


def every_nth(n: int, values: Mapping[str, Any], *, slow: int = 1) -> pytest.MarkDecorator:
    """Give a test its parameter `values` several times: every n-th value by default, and those that `--check` names, of
    all others every slow-th marked slow, and what is left by hand."""
    names = list(values)
    by_default = [name for at, name in enumerate(names) if at % n == 0 or name in ALWAYS_CHECKED]
    others = [name for name in names if name not in by_default]
    parts = {f"every-{n}th": (by_default, ()), "others": (others[::slow], pytest.mark.slow)}
    parts["left"] = ([name for name in others if name not in others[::slow]], pytest.mark.thorough)
    return pytest.mark.parametrize(
        "values",
        [
            pytest.param({name: values[name] for name in chosen}, id=which, marks=marks)
            for which, (chosen, marks) in parts.items()
            if chosen
        ],
    )
