"""The warning about secondary edges that a format does not hold."""

from __future__ import annotations

from treesql.engines import Engine
from treesql.errors import Diagnostic


def warn_of_secondary_edges(engine: Engine, corpus: str, form: str) -> list[Diagnostic]:
    """A warning where a corpus has secondary edges, which are not written."""
    sql = "SELECT count(*) FROM secondary_edges AS e WHERE e.corpus = $corpus"
    [(n,)] = engine.rows(sql, {"corpus": corpus})
    if not n:
        return []
    what = f"{form} has no place for {n} secondary edge{'s' if n > 1 else ''} of the corpus"
    return [Diagnostic.warning(corpus, 0, what, "write it as export, tigerxml or parquet to keep them")]
