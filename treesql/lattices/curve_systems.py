"""What makes several curves in one study: systems with files of their own, thresholds, bounds of the redundancy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treesql import catalog
from treesql.errors import UsageError

Systems = Mapping[str, str | Path | Sequence[str | Path]] | Sequence[str]
"""Files or corpora by the name of their system, or texts `NAME=FILE,FILE`."""

N_THRESHOLDS = 41
"""Number of thresholds of a range."""

DEFAULT_RANGE = (-8.0, 8.0)
"""The default first and last threshold: those of the thesis."""

UNPRUNED = "unpruned"
"""The name of lattices as they are, whose density pruned ones may stand at."""


@dataclass(frozen=True)
class Variants:
    """Variants of the lattices of each system, a curve each.

    thresholds: lattices as they are, and pruned at each of these, which are not divided by the number of edges if
    `raw`. redundancies: bounds of the redundancy; empty for that of the task. density_of: UNPRUNED, or a system whose
    densities those of all systems are replaced by, file by file.
    """

    thresholds: Sequence[float] = ()
    raw: bool = False
    redundancies: Sequence[float] = ()
    density_of: str | None = None

    def check(self, systems: Mapping[str, Sequence[str]]) -> None:
        """Raises UsageError for densities that there are not."""
        if self.density_of is None:
            return
        if self.density_of == UNPRUNED and UNPRUNED not in systems:
            if not self.thresholds:
                raise UsageError("--density-of unpruned is for lattices pruned here: name --thresholds, or a system")
            return
        if self.density_of not in systems:
            named = ", ".join([*systems, UNPRUNED] if self.thresholds else systems) or "none is named"
            raise UsageError(f"--density-of {self.density_of} is no system of this curve: {named}")
        n = len(systems[self.density_of])
        for name, files in systems.items():
            if len(files) != n:
                what = f"the system {name} has {_files(len(files))} and {self.density_of} has {n}"
                raise UsageError(f"{what}; --density-of {self.density_of} needs one file per density of each")


NO_VARIANTS = Variants()
"""Lattices as they are, with the redundancy of the task."""


def parse_systems(given: Systems) -> dict[str, list[str]]:
    """Files by system. Raises UsageError for a system that is named twice or has no files."""
    found: dict[str, list[str]] = {}
    for name, files in _named_files(given):
        hint = f"write --system {name or 'NAME'}=FILE,FILE,..., a file per density"
        if not name:
            raise UsageError(f"a system has no name; {hint}")
        if name in found:
            raise UsageError(f"the system {name} is named twice; name it once, with all its files")
        if not files:
            raise UsageError(f"the system {name} has no files; {hint}")
        if not all(files):
            raise UsageError(f"the system {name} has an empty name among its files; {hint}")
        found[name] = files
    owners = [(file, name) for name, files in found.items() for file in files]
    for at, (file, name) in enumerate(owners):
        for other in (other for same, other in owners[:at] if same == file):
            if other == name:
                raise UsageError(f"{file} is given twice; name each file once")
            hint = "name a copy of it, or a link to it, for one of them"
            raise UsageError(f"{file} is of the systems {other} and {name}; {hint}")
    return found


def _named_files(given: Systems) -> list[tuple[str, list[str]]]:
    if isinstance(given, Mapping):
        return [
            (str(name), [str(files)] if isinstance(files, str | Path) else [str(file) for file in files])
            for name, files in given.items()
        ]
    found = []
    for text in [given] if isinstance(given, str) else given:
        name, sign, files = text.partition("=")
        if not sign:
            raise UsageError(f"--system {text}: write NAME=FILE,FILE,..., a file per density")
        found.append((name.strip(), [file.strip() for file in files.split(",")] if files.strip() else []))
    return found


def parse_thresholds(given: str | Sequence[float]) -> list[float]:
    """Thresholds, ascending. given: numbers, with commas between; LOW:HIGH for N_THRESHOLDS between.

    Raises UsageError.
    """
    found: list[float] = []
    for one in given.split(",") if isinstance(given, str) else given:
        low, sign, high = str(one).partition(":")
        found += thresholds_between(_number(low, one), _number(high, one)) if sign else [_number(low, one)]
    if not found:
        raise UsageError("name at least one threshold: --thresholds -1,0,1")
    for one in found:
        if found.count(one) > 1:
            raise UsageError(f"the threshold {one:g} is given twice; name each once")
    return sorted(found)


def thresholds_between(low: float, high: float) -> list[float]:
    """N_THRESHOLDS equidistant thresholds. Raises UsageError."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"thresholds go from a smaller to a greater number, not from {low:g} to {high:g}")
    return [round(float(one), 12) for one in np.linspace(low, high, N_THRESHOLDS)]


def check_redundancies(given: Sequence[float]) -> None:
    """Raises UsageError for bounds that are negative or given twice."""
    for one in given:
        catalog.query("tau_span").check({"min_redundancy": one})
        if list(given).count(one) > 1:
            raise UsageError(f"--min-redundancy {one:g} is given twice; name each once")


def _number(text: str, given: object) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        several = " with commas between, -1,0,1, or a range, -8:8" if isinstance(given, str) else ""
        raise UsageError(f"`{given}` is no threshold; write finite numbers{several}")
    return number


def _files(n: int) -> str:
    return "1 file" if n == 1 else f"{n} files"
