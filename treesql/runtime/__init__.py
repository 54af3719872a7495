"""Around every call: interrupts, limits of time and memory, files written whole, errors of other libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


class LazyModule:
    """A module that is imported when a name of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self._name), name)


def lazy_names(
    package: str, names: Mapping[str, Iterable[str]], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    names: by module, the names that the package has from it. modules: by name, modules that the package has themselves.
    """
    places = {name: module for module, members in names.items() for name in members}

    def find(name: str) -> object:
        if modules and name in modules:
            attribute: object = import_module(modules[name])
        elif name in places:
            attribute = getattr(import_module(places[name]), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, attribute)
        return attribute

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places, *(modules or ())})

    return find, listed
