"""Dependency trees prepared for drawing: validated, printable, with arcs on both sides of the words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from treesql.drawing.arcs import Arc


@dataclass(frozen=True)
class PreparedTree:
    """A tree in printable texts."""

    forms: list[str]
    upos: list[str]
    highlights: Mapping[int, str]
    tokens: list[tuple[int, int, str]]
    empty: Collection[int]
    notes: Mapping[int, str]
    above: list[Arc]
    below: list[Arc]
    right_to_left: bool
    numbers: Sequence[str]
    links: Sequence[str]

    @property
    def inside(self) -> set[int]:
        """The words, from 0, that are inside a token, before which no row may break."""
        return {at for first, last, _ in self.tokens for at in range(first, last)}


def with_arcs_below(given: PreparedTree) -> PreparedTree:
    """Return the tree with its arcs below the words."""
    return replace(given, above=[], below=given.above)
