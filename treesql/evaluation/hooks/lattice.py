"""Lattices: scores that are not defined or not proven."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treesql.errors import Diagnostic
from treesql.evaluation.task import Hook, Inputs

_UNPROVEN = {"unproven": "pmed", "gper_unproven": "gper", "gbleu_unproven": "gbleu"}
"""Counts of lattices whose score is not proven, and that score."""


class LatticeHook(Hook):
    """Warnings of lattices whose scores are uncertain."""

    def find_warnings(
        self, inputs: Inputs, system: str, metrics: Sequence[str], counts: Mapping[str, Any]
    ) -> Iterator[Diagnostic]:
        """Warn of lattices whose scores are not defined, or not proven."""
        yield from find_undefined_lattices(system, int(counts.get("undefined_lattices") or 0))
        for name, score in _UNPROVEN.items():
            unproven = int(counts.get(name) or 0)
            if unproven:
                what = f"{score} of {unproven} lattice{'s' if unproven > 1 else ''} is the best found, and not proven"
                command = f"treesql score lattice --by sentence --metric {score},{name}"
                yield Diagnostic.warning(system, 0, what, f"`{command}` shows which")


HOOK = LatticeHook()


def find_undefined_lattices(system: str, lattices: int) -> Iterator[Diagnostic]:
    """A warning where lattices have empty references."""
    if lattices:
        what = "lattice has an empty reference" if lattices == 1 else "lattices have empty references"
        yield Diagnostic.warning(
            system, 0, f"{lattices} {what}, for which swcd is not defined", "it is that of the others"
        )
