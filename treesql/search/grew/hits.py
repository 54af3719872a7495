"""Statements with contexts: the matches first, as many as are shown, then the words around each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql.catalog.schemas import quote
from treesql.search.grew import contexts, keys
from treesql.search.grew.contexts import Place
from treesql.search.grew.scopes import Scope
from treesql.search.grew.syntax import ContextKey, Key

ROW = "hit"
"""Alias of the row of a match."""


def has_contexts(among: Sequence[Key]) -> bool:
    """Whether there is a context among some keys."""
    return any(isinstance(key.term, ContextKey) for key in among)


def mark_rows(pattern: Scope, key: Key) -> None:
    """Mark the nodes that need a row for a context. Raises RequestError if the match has no node, or not this one."""
    assert isinstance(key.term, ContextKey)
    if key.term.side == contexts.TEXT:
        return
    scope = pattern.with_text(key.text)
    if not pattern.nodes:
        hint = "bind a node by a clause such as `X [upos=VERB]`"
        raise scope.error(key.term.span, "a match of this request has no words", hint)
    chosen = [scope.require(key.term.node, key.term.span)] if key.term.node else pattern.nodes.values()
    for node in chosen:
        node.row |= pattern.statement.enhanced


def surround(
    pattern: Scope,
    chosen: Sequence[Key],
    whether: Mapping[Key, Scope],
    *,
    groups: str | None,
    order: Sequence[str],
    sort: ContextKey | None,
    limit: str,
) -> tuple[str, str]:
    """Return the SQL before FROM and after the conditions of a request with contexts among its keys.

    groups: GROUP BY and what follows it, None for a row per match. order: of the matches in the corpora; sort: the
    context by which they are sorted instead.
    """
    home = pattern.home()
    inner = [f"{home}.corpus", f"{home}.sentence"]
    if groups is None:
        inner.append(f"row_number() OVER (ORDER BY {', '.join(order)}) AS number")
    nodes: dict[str, Place] = {}
    for number, (name, place) in enumerate(_places(pattern, chosen, sort).items(), 1):
        inner += [f"{place.first} AS first_{number}", f"{place.last} AS last_{number}"]
        nodes[name] = Place(f"{ROW}.first_{number}", f"{ROW}.last_{number}", place.optional)
    outer = []
    for number, key in enumerate(chosen, 1):
        if isinstance(key.term, ContextKey) and key.term.side == contexts.TEXT:
            inner.append(f"{pattern.statement.sentence_row()}.text AS key_{number}")
            outer.append(f"{contexts.text_sql(f'{ROW}.key_{number}', ROW)} AS {quote(key.name)}")
        elif isinstance(key.term, ContextKey):
            outer.append(f"{contexts.context_sql(key.term, ROW, nodes)} AS {quote(key.name)}")
        else:
            inner.append(f"{keys.key_sql(pattern, key, whether, grouped=groups is not None)} AS key_{number}")
            outer.append(f"{ROW}.key_{number} AS {quote(key.name)}")
    columns, matches = ",\n       ".join(outer), "SELECT " + ",\n       ".join(inner)
    if groups is not None:
        return f"SELECT {columns},\n       count(*) AS count\nFROM (\n{matches}", f"\n) AS {ROW}{groups}"
    if sort is None:
        return f"SELECT {columns}\nFROM (\n{matches}", f"\nORDER BY number{limit}\n) AS {ROW}\nORDER BY {ROW}.number"
    nearest = f"SELECT {ROW}.*, {contexts.order_sql(sort, ROW, nodes)} AS nearest\nFROM (\n{matches}"
    sorting = "ORDER BY nearest NULLS FIRST, number"
    return f"SELECT {columns}\nFROM (\n{nearest}", f"\n) AS {ROW}\n{sorting}{limit}\n) AS {ROW}\n{sorting}"


def _places(pattern: Scope, chosen: Sequence[Key], sort: ContextKey | None) -> dict[str, Place]:
    """Return the places of the nodes that contexts need."""
    terms = [key.term for key in chosen if isinstance(key.term, ContextKey)] + ([sort] if sort else [])
    named = {term.node for term in terms if term.side != contexts.TEXT}
    return {name: contexts.place_of(node) for name, node in pattern.nodes.items() if None in named or name in named}
