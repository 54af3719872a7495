"""The notation of alignments, from the options of commands that score them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treesql.readers import Notation


def notation(base: int | str | None, reverse: bool, null_links: bool, **corpora: str | None) -> Notation:
    """The notation that these options describe."""
    from treesql.readers import Notation

    return Notation(None if base is None else int(base), reverse, null_links, **corpora)
