"""Evaluations: from the inputs of a task to the scores of every system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.evaluation.candidates import find_candidates as find_candidates
    from treesql.evaluation.databases import align_loaded as align_loaded
    from treesql.evaluation.databases import compare_loaded as compare_loaded
    from treesql.evaluation.databases import score_loaded as score_loaded
else:  # imported when they are first used: a database that is open may never be scored
    _NAMES = {
        "treesql.evaluation.candidates": ("find_candidates",),
        "treesql.evaluation.databases": ("align_loaded", "compare_loaded", "score_loaded"),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
