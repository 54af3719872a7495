"""Studies of treebanks: correlation, typology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treesql.runtime import lazy_names

if TYPE_CHECKING:
    from treesql.treebanks.descriptions import Entropies as Entropies
    from treesql.treebanks.descriptions import TableParameters as TableParameters
    from treesql.treebanks.descriptions import stats_of as stats_of
    from treesql.treebanks.descriptions import wde_of as wde_of
    from treesql.treebanks.versions import VersionRequest as VersionRequest
    from treesql.treebanks.versions import diff_of as diff_of
else:  # imported when they are first used: a database that is open may never be described
    _NAMES = {
        "treesql.treebanks.descriptions": ("Entropies", "TableParameters", "stats_of", "wde_of"),
        "treesql.treebanks.versions": ("VersionRequest", "diff_of"),
    }
    __getattr__, __dir__ = lazy_names(__name__, _NAMES)
