"""Search by patterns: text to clauses to one SQL statement.

grew/ parses requests of Grew's language and compiles them. The other modules run requests within limits, and explain
their costs and empty results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.search.planning import plan as plan
    from treesql.search.question import Asked as Asked
    from treesql.search.question import Question as Question
    from treesql.search.searches import Search as Search
    from treesql.search.searches import find_within as find_within
else:  # imported when they are first used: a database that is open may never be searched
    _NAMES = {
        "treesql.search.planning": ("plan",),
        "treesql.search.question": ("Asked", "Question"),
        "treesql.search.searches": ("Search", "find_within"),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
