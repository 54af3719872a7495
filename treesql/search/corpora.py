"""The corpora that a request searches."""

from __future__ import annotations

from collections.abc import Sequence

from treesql import readers
from treesql.catalog import formats
from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import DatabaseError, UnknownName, UsageError
from treesql.storage import loading

_TREES = {
    "dependency": ("dependency trees", "this request is for annotated words, such as those of CoNLL-U"),
    "constituency": ("constituency trees", "load some, such as bracketed trees"),
}


def searched_corpora(engine: Engine, chosen: Sequence[str] | None, kind: str) -> tuple[str, ...] | None:
    """Return the corpora to search, None for all. kind: of the corpora that requests are for.

    Words without heads are searched, too: see `check_heads`.

    Raises UnknownName, UsageError, DatabaseError.
    """
    sql = "SELECT c.corpus, c.kind FROM corpora AS c ORDER BY c.loaded_at, c.corpus"
    kinds: dict[str, str] = dict(engine.rows(sql))
    if not kinds:
        raise DatabaseError("the database has no corpus; load one first")
    trees, hint = _TREES[kind]
    for name in chosen or ():
        if name not in kinds:
            raise UnknownName("corpus", name, kinds)
        if kinds[name] != kind:
            raise UsageError(f"{name!r} has {readers.describe_kind(kinds[name])}; this request is for {trees}")
    those = tuple(name for name, of in kinds.items() if of == kind)
    if not those:
        raise DatabaseError(f"the database has no {trees}; {hint}")
    if chosen:
        return tuple(dict.fromkeys(chosen))
    return None if len(those) == len(kinds) else those


def check_heads(engine: Engine, corpora: Sequence[str] | None, *, enhanced: bool) -> None:
    """Raise DatabaseError if no word of the corpora has a head. enhanced: or an enhanced edge."""
    among = "TRUE" if corpora is None else f"w.corpus IN ({', '.join(map(literal, corpora))})"
    tables = {"words": "w.head IS NOT NULL", **({"enhanced_edges": "TRUE"} if enhanced else {})}
    for table, has_head in tables.items():
        if engine.rows(f"SELECT 1 FROM {table} AS w WHERE {among} AND {has_head} LIMIT 1"):
            return
    raise DatabaseError("the database has no dependency trees; requests with edges need words with heads")


def sentence_columns(engine: Engine, corpora: Sequence[str] | None) -> list[str]:
    """Return the columns that identify a sentence: its corpus if there are several, and its number if it has no id."""
    several = len(corpora or loading.corpus_names(engine)) > 1
    unnamed = engine.rows("SELECT 1 FROM sentences AS s WHERE s.sent_id IS NULL LIMIT 1")
    return ["corpus"] * several + ["sentence"] * bool(unnamed) + ["sent_id"]


def head_rules_of(engine: Engine, corpora: Sequence[str] | None) -> dict[str, str]:
    """Return the set of head rules of every searched constituency corpus: by edge labels where its format has them."""
    sql = "SELECT c.corpus, c.format FROM corpora AS c WHERE c.kind = 'constituency' ORDER BY c.loaded_at, c.corpus"
    return {name: formats.head_rules_of(form) for name, form in engine.rows(sql) if corpora is None or name in corpora}
