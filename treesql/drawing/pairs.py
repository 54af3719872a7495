"""Two dependency trees that face each other, with links between their words: aligned sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from treesql.drawing import dependencies
from treesql.drawing.dependencies import Tree
from treesql.drawing.svg import SIGNS, Drawing, Picture, check_marks


@dataclass(frozen=True)
class Link:
    """A word of the first sentence and one of the second, 1-based. mark: as that of an arc."""

    first: int
    second: int
    mark: str = ""


def check_links(links: Iterable[Link], first: Sequence[str], second: Sequence[str]) -> None:
    """Raise ValueError for a link to a word that does not exist."""
    for link in links:
        if not (1 <= link.first <= len(first) and 1 <= link.second <= len(second)):
            raise ValueError(f"the link {link.first}-{link.second} leads to a word that does not exist")


@dataclass(frozen=True)
class TreePair(Drawing):
    """Two trees and the links between their words.

    To show a path of high cost, mark its edges (`marks` of the trees) and the links at its ends as `costly`. Raises
    ValueError for a link to a word that does not exist, or an unknown mark.
    """

    first: Tree
    second: Tree
    links: Sequence[Link]

    def __post_init__(self) -> None:
        check_links(self.links, self.first.forms, self.second.forms)
        check_marks(link.mark for link in self.links)

    @property
    def title(self) -> str:
        """The words of both."""
        return f"{self.first.title} ~ {self.second.title}"

    def picture(self, width: float | None = None) -> Picture:
        """Return a picture: the first tree's arcs above its words, the second's below, links between; as wide as
        necessary."""
        links = [(link.first, link.second, link.mark) for link in self.links]
        return dependencies.facing(self.first, self.second, links)

    def characters(self, width: int | None = None, colour: bool = False) -> str:
        """Return text: below every word of the first sentence are the numbers of the words linked to it."""
        linked: list[list[str]] = [[] for _ in self.first.forms]
        for link in sorted(self.links, key=lambda link: (link.first, link.second)):
            linked[link.first - 1].append(SIGNS.get(link.mark, "") + str(link.second))
        upper = replace(self.first, links=["↓" + ",".join(numbers) if numbers else "" for numbers in linked])
        lower = replace(self.second, numbers=[str(at) for at in range(1, len(self.second.forms) + 1)])
        return f"{upper.characters(width, colour)}\n{lower.characters(width, colour, turned=True)}"
