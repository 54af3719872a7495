"""What is asked of the matches of a request: columns, groups, or their number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treesql.search.grew.syntax import ContextKey, Key

LENGTH, SHUFFLED = ORDERS = ("length", "shuffled")
"""Orders of matches besides that of the corpora: by the number of words of their sentences, or as if by chance, the
same in each run."""


@dataclass(frozen=True)
class Selection:
    """What to select: matches with columns, groups of matches by keys, or their number.

    sort: the context by which matches are sorted; None for their order in the corpora, or that of `order`, one of
    ORDERS. ordered: whether groups are ordered by their counts. group: keys with the values, as groups have them, that
    matches must have. offset: number of rows left out before the first. before: the sentence before which alone is
    searched.
    """

    columns: tuple[Key, ...] = ()
    by: tuple[Key, ...] = ()
    count: bool = False
    corpora: tuple[str, ...] | None = None
    enhanced: bool = False
    limit: int | None = None
    sort: ContextKey | None = None
    ordered: bool = True
    group: tuple[tuple[Key, str], ...] = ()
    offset: int = 0
    order: str | None = None
    before: int | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        """All keys, of columns and groups."""
        return (*self.columns, *self.by, *(key for key, _ in self.group))

    @property
    def bounds(self) -> str:
        """LIMIT and OFFSET, as lines after ORDER BY."""
        limit = "" if self.limit is None else f"\nLIMIT {self.limit}"
        return limit + (f"\nOFFSET {self.offset}" if self.offset else "")


def distinct_keys(among: Iterable[Key]) -> list[Key]:
    """Return the keys without later ones of the same name."""
    return list({key.name: key for key in reversed(list(among))}.values())[::-1]


def group_clauses(n_keys: int, ordered: bool) -> str:
    """Return GROUP BY and, for groups with the highest counts first, ORDER BY."""
    numbers = ", ".join(str(at) for at in range(1, n_keys + 1))
    return f"\nGROUP BY {numbers}" + (f"\nORDER BY count DESC, {numbers}" if ordered else "")
