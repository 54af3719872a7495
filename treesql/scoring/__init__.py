"""Scoring: items to sums to scores; statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.scoring.items import align_words as align_words
    from treesql.scoring.scores import run_and_warn as run_and_warn
else:  # imported when they are first used: SQL needs none of them
    _NAMES = {
        "treesql.scoring.scores": ("run_and_warn",),
        "treesql.scoring.items": ("align_words",),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
