"""Questions: one request or several, and what is asked about their matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from treesql.errors import UsageError
from treesql.search.group_tables import SHARES
from treesql.search.selection import ORDERS
from treesql.search.syntaxes import chosen_syntax


class Asked(TypedDict, total=False):
    """What is asked about the matches of requests: the words of `find`."""

    requests: Mapping[str, str]
    columns: str | Sequence[str]
    by: str | Sequence[str]
    whether: str | Sequence[str]
    count: bool
    kwic: int | None
    sort: str | None
    grid: bool
    share: str | None
    ci: bool
    entropy: bool
    per_million: bool
    association: bool
    reference: str | Sequence[str]
    min_count: int
    corpus: str | Sequence[str] | None
    enhanced: bool
    limit: int | None
    syntax: str | None
    group: Mapping[str, str]
    offset: int
    order: str | None


@dataclass(frozen=True)
class Question:
    """A request, or several by name, and what is asked about their matches. The fields are the words of `find`."""

    request: str | None = None
    requests: Mapping[str, str] = field(default_factory=dict)
    columns: str | Sequence[str] = ()
    by: str | Sequence[str] = ()
    whether: str | Sequence[str] = ()
    count: bool = False
    kwic: int | None = None
    sort: str | None = None
    grid: bool = False
    share: str | None = None
    ci: bool = False
    entropy: bool = False
    per_million: bool = False
    association: bool = False
    reference: str | Sequence[str] = ()
    min_count: int = 1
    corpus: str | Sequence[str] | None = None
    enhanced: bool = False
    limit: int | None = None
    syntax: str | None = None
    group: Mapping[str, str] = field(default_factory=dict)
    offset: int = 0
    order: str | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for words that do not go together."""
        if (self.request is None) == (not self.requests):
            raise UsageError("name one request, or several with names (--request NAME=REQUEST)")
        if self.sort is not None and self.kwic is None and (not self.grouped or self.grid):
            raise UsageError(
                "only a concordance (--kwic N) and groups (--by KEY) without --grid are sorted; leave --sort out"
            )
        if self.share is not None and self.share not in SHARES:
            raise UsageError(f"there is no share of {self.share!r}; choose one of {', '.join(SHARES)}")
        if self.min_count < 1:
            raise UsageError("the minimum count is a number of matches, at least 1")
        if self.kwic is not None and self.grouped:
            raise UsageError(
                "a concordance (--kwic) has a row per match, and --by and --whether count groups of matches; choose one"
            )
        self._check_rows()
        self._check_requests()
        self._check_groups()
        self._check_measures()

    @property
    def language(self) -> str:
        """The language of the requests. Raises UnknownName, UsageError."""
        return chosen_syntax(self.syntax, self.requests.values() if self.request is None else [self.request])

    @property
    def grouped(self) -> bool:
        """Whether matches are counted by keys."""
        return bool(self.by or self.whether)

    @property
    def measured(self) -> bool:
        """Whether more is computed from the counts of groups."""
        return (
            bool(self.share or self.per_million or self.association or self.reference or self.sort)
            or self.min_count > 1
        )

    def _check_rows(self) -> None:
        """Raise UsageError for words about rows of matches where there are none."""
        if self.offset < 0:
            raise UsageError(f"the offset is {self.offset}; name a number of matches, at least 0")
        if self.order is not None and self.order not in ORDERS:
            raise UsageError(f"there is no order {self.order!r}; choose one of {', '.join(ORDERS)}")
        if self.order and self.sort:
            raise UsageError("a concordance has one order; leave out --sort or --order")
        words = {"--offset": self.offset, "--order": self.order}
        for word, given in words.items():
            if given and (self.grouped or self.count or self.requests):
                raise UsageError(f"{word} is about rows of matches, and here are counts; leave it out")

    def _check_requests(self) -> None:
        if self.requests and (self.columns or self.count or self.kwic is not None):
            raise UsageError(
                "several requests have counts by corpus, or groups (--by); columns (--columns, --kwic) and --count are "
                "of one request"
            )

    def _check_groups(self) -> None:
        """Raise UsageError for words about groups without any."""
        if self.grouped:
            return
        words = {
            "--grid": self.grid, "--share": self.share, "--association": self.association,
            "--min-count": self.min_count > 1, "--reference": self.reference and not self.requests,
            "--per-million": self.per_million and not (self.requests or self.count),
        }  # fmt: skip
        for word, given in words.items():
            if given:
                raise UsageError(f"{word} is about groups of matches; add the keys that they are counted by (--by KEY)")

    def _check_measures(self) -> None:
        chosen = {
            "--association": self.association,
            "--reference": self.reference,
            "--grid": self.grid,
        }
        names = [name for name, given in chosen.items() if given]
        if len(names) > 1:
            raise UsageError(f"{' and '.join(names)} exclude each other; choose one of them")
        if self.share and self.per_million and self.grid:
            raise UsageError("a grid has shares (--share) or rates (--per-million); choose one of them")
        if (self.share or self.per_million) and self.grouped and (self.association or self.reference):
            word = "--share" if self.share else "--per-million"
            raise UsageError(f"{names[0]} has columns of its own; leave {word} out")
        if self.ci and (self.share is None or self.grid):
            raise UsageError("--ci is of shares of groups; add --share, without --grid")
        if self.entropy and not self.grid:
            raise UsageError("--entropy is a row of a grid; add --grid")
        if self.grid and self.min_count > 1:
            raise UsageError("a grid has all groups, so that its totals are true; leave --min-count out")

    def check_keys(self, names: Sequence[str]) -> None:
        """Raise UsageError for a table that has too few or too many keys. names: the keys of the groups."""
        known_keys = f"here {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"
        if self.grid and len(names) != 2:
            raise UsageError(f"a grid has two keys, of its rows and of its columns (--by KEY,KEY); {known_keys}")
        if self.association and len(names) < 2:
            raise UsageError(f"association is that of two keys (--by KEY,KEY); {known_keys}")
        if self.share in ("row", "column") and len(names) < 2:
            raise UsageError(
                f"the share of a {self.share} needs two keys (--by KEY,KEY); {known_keys}; choose --share all"
            )
        if self.reference and "corpus" in names:
            raise UsageError("keyness compares corpora (--reference); leave the key corpus out")
