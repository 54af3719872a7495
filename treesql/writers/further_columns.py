"""The columns of sentences beyond those of CoNLL-U, as tables have them."""

from __future__ import annotations

from treesql.engines import Engine
from treesql.errors import MAX_NAMED, Diagnostic

TABLES = ("word_columns", "token_columns", "empty_node_columns")


def find_further_columns(engine: Engine, corpus: str, sentences: range | None = None) -> list[str]:
    """The names of columns with values in a range of sentences (None: in all), sorted."""
    within = "" if sentences is None else f" AND c.sentence BETWEEN {sentences.start} AND {sentences.stop - 1}"
    parts = [f"SELECT c.name FROM {table} AS c WHERE c.corpus = $corpus{within}" for table in TABLES]
    return [name for (name,) in engine.rows(" UNION ".join(parts) + " ORDER BY name", {"corpus": corpus})]


def warn_of_further_columns(engine: Engine, corpus: str) -> list[Diagnostic]:
    """A warning where a corpus has columns beyond those of CoNLL-U, which are not written."""
    names = find_further_columns(engine, corpus)
    if not names:
        return []
    listed = ", ".join(names[:MAX_NAMED]) + (", ..." if len(names) > MAX_NAMED else "")
    what = f"CoNLL-U has no place for {len(names)} column{'s' if len(names) > 1 else ''} of the corpus: {listed}"
    return [Diagnostic.warning(corpus, 0, what, "write it as conllup or parquet to keep them")]
