"""macros/ -> SQL functions without a kernel. They are stored in the database, for any client.

A parameter of type WORD takes an alias of `words`. DuckDB replaces a parameter by an alias everywhere but inside a
subquery, so such a macro becomes two: one that takes columns, and one that passes them to the first. An alias inside a
subquery must be one that no user has: it would capture the columns that are passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path

from treesql.catalog import header, resources
from treesql.catalog.header import Header
from treesql.catalog.sql_text import split_tokens

WORD = "WORD"


@dataclass(frozen=True)
class Macro(Header):
    """One file of macros/."""

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The statements that install it."""
        names = [p.name for p in self.parameters]
        words = "|".join(p.name for p in self.parameters if p.type == WORD)
        columns = list(dict.fromkeys(re.findall(rf"\b(?:{words})\.\w+", self.body))) if words else []
        if not columns or "SELECT" not in self.body:
            return (_statement(self.name, names, self.body),)
        body = re.sub(rf"\b({words})\.(\w+)", r"\1_\2", self.body)
        others = [p.name for p in self.parameters if p.type != WORD]
        passed = ", ".join([*columns, *others])
        plain = _statement(f"{self.name}_of_columns", [*(c.replace(".", "_") for c in columns), *others], body)
        return plain, _statement(self.name, names, f"{self.name}_of_columns({passed})")


@cache
def all_macros() -> dict[str, Macro]:
    """Every macro of macros/, by name."""
    return {entry.name: Macro(**vars(entry)) for entry in header.parse_files(files())}


@cache
def texts() -> dict[str, str]:
    """The statements that install every macro of macros/, by name."""
    return {name: "\n".join(macro.statements) for name, macro in all_macros().items()}


def files() -> list[Path]:
    """The files of macros/."""
    return sorted(resources.folder("macros").glob("*.sql"))


def macros_called(named: Iterable[str]) -> list[Macro]:
    """The macros among names, and those that these call in turn."""
    found: dict[str, Macro] = {}
    left = set(named) & all_macros().keys()
    while left:
        found |= {name: all_macros()[name] for name in left}
        words = set(split_tokens("\n".join(found[name].body for name in left)))
        left = all_macros().keys() & words - found.keys()
    return [macro for name, macro in all_macros().items() if name in found]


def statements(among: Iterable[Macro], *, temporary: bool) -> list[str]:
    """The statements that install macros, in the database or temporarily.

    Those that others call come first, as DuckDB binds a macro when it is created.
    """
    by_name = {macro.name: macro for macro in among}
    calls = {name: sorted(by_name.keys() & set(split_tokens(one.body)) - {name}) for name, one in by_name.items()}
    found = [one for name in TopologicalSorter(calls).static_order() for one in by_name[name].statements]
    return [one.replace(" MACRO ", " TEMP MACRO ", 1) for one in found] if temporary else found


def _statement(name: str, parameters: list[str], body: str) -> str:
    return f"CREATE OR REPLACE MACRO {name}({', '.join(parameters)}) AS\n{body}"
