"""Costs of the clauses of a request: the words or edges that match each alone, and nodes that no clause joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from treesql.engines import Engine
from treesql.errors import Interrupted, MemoryLimit, StatementError, TimeLimit
from treesql.runtime import limits
from treesql.search import tree_reasons
from treesql.search.grew import syntax
from treesql.search.grew.syntax import Clause, GrewRequest, Item, Order
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.request import PreparedRequest

MAX_SECONDS_PER_CLAUSE = 2.0
"""Maximum number of seconds for the count of one clause."""


@dataclass(frozen=True)
class ClauseCost:
    """A clause and the number of words or edges that match it alone; None if it was not counted."""

    item: str
    clause: str
    matches: int | None
    what: str = "word"


def clause_costs(engine: Engine, prepared: PreparedRequest) -> list[ClauseCost]:
    """Return the costs of all clauses that bind nodes or edges."""
    if prepared.tree is not None:
        return [
            ClauseCost("node", prepared.tree.text_at(node.span), count, "node")
            for node, count in tree_reasons.count_nodes(engine, prepared, prepared.tree)
        ]
    costs = []
    for item in prepared.grew.items:
        for clause in item.clauses:
            binds = isinstance(clause, syntax.Node | syntax.Edge)
            matches = _count_matches(engine, prepared, clause) if binds else None
            what = "edge" if isinstance(clause, syntax.Edge) else "word"
            costs.append(ClauseCost(item.kind, prepared.grew.text_at(clause.span), matches, what))
    return costs


def query_plan(engine: Engine, prepared: PreparedRequest) -> str:
    """Return the engine's query plan of the statement."""
    [(_, plan)] = engine.rows(f"EXPLAIN {prepared.sql}")
    return str(plan).rstrip()


def describe_costliest_clause(engine: Engine, prepared: PreparedRequest) -> str:
    """Return a sentence about the costliest clause for the message of a time limit; empty if that takes too long."""
    try:
        with limits.limited(engine, limits.EXPLAINING):
            return _describe_costliest(engine, prepared)
    except (TimeLimit, MemoryLimit, StatementError, Interrupted):
        return ""


def _describe_costliest(engine: Engine, prepared: PreparedRequest) -> str:
    if prepared.tree is not None:
        node, count = max(tree_reasons.count_nodes(engine, prepared, prepared.tree), key=lambda pair: pair[1])
        return f"`{prepared.tree.text_at(node.span)}` costs most: {count:,} nodes match it"
    request = prepared.grew
    unconnected: list[tuple[int, str]] = []
    connected: list[tuple[int, str]] = []
    patterns = request.clauses("pattern")
    scopes: list[Sequence[Clause]] = [patterns]
    scopes += [item.clauses for item in request.items if item.kind in ("with", "without")]
    for number, scope in enumerate(scopes):
        outer = patterns if number else ()
        groups = _joined_groups([*outer, *scope])
        nodes = {name for clause in scope for name in _node_names(clause)}
        words = {name: _count_words_of_node(engine, prepared, scope, name) for name in nodes}
        for group in groups[: len(groups) if len(groups) > 1 else 0]:
            inside = sorted(group & nodes)
            if inside:
                name = min(inside, key=lambda node: words[node])
                sentence = _describe_unjoined(prepared, [*outer, *scope], group, name, words[name])
                unconnected.append((words[name], sentence))
        for clause in scope:
            if isinstance(clause, syntax.Edge | syntax.Node):
                matches = _count_matches(engine, prepared, clause) or 0
                what = "edges" if isinstance(clause, syntax.Edge) else "words"
                sentence = f"`{request.text_at(clause.span)}` costs most: {matches:,} {what} match it"
                connected.append((matches, sentence))
    if unconnected:
        return max(unconnected)[1]
    return max(connected)[1] if connected else ""


def _describe_unjoined(
    prepared: PreparedRequest, scope: Sequence[Clause], group: set[str], name: str, matches: int
) -> str:
    clause = next(clause for clause in scope if name in _node_names(clause))
    loose = next((c for c in scope if isinstance(c, Order | syntax.Dominance) and group & {*_ends_of_order(c)}), None)
    clause_text = prepared.grew.text_at(clause.span)
    nothing = "no edge" if loose is None else f"nothing but `{prepared.grew.text_at(loose.span)}`"
    return f"`{clause_text}` costs most: {matches:,} words match {name}, and {nothing} connects it to the other nodes"


def _node_names(clause: Clause) -> tuple[str, ...]:
    if isinstance(clause, syntax.Node):
        return (clause.name,)
    if isinstance(clause, syntax.Edge):
        return tuple(name for name in (clause.source, clause.target) if name)
    return ()


def _ends_of_order(clause: Order | syntax.Dominance) -> tuple[str, str]:
    return (clause.left, clause.right) if isinstance(clause, Order) else (clause.source, clause.target)


def _joined_groups(clauses: Sequence[Clause]) -> list[set[str]]:
    """Return the nodes, grouped by the edges and `<` that join them."""
    groups: list[set[str]] = []
    for names in _joins(clauses):
        touched = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*touched)]
    return groups


def _joins(clauses: Sequence[Clause]) -> Iterator[set[str]]:
    for clause in clauses:
        if isinstance(clause, syntax.Node | syntax.Edge):
            yield set(_node_names(clause))
        elif isinstance(clause, Order) and clause.operator == "<":
            yield {clause.left, clause.right}
        elif isinstance(clause, syntax.Distance) and clause.operator == "=":
            yield {clause.measure.left, clause.measure.right}


def _count_words_of_node(engine: Engine, prepared: PreparedRequest, scope: Sequence[Clause], name: str) -> int:
    """Return how many words match a node's own tests; all words if it has none."""
    tests = [clause for clause in scope if isinstance(clause, syntax.Node) and clause.name == name]
    counts = [_count_matches(engine, prepared, clause) for clause in tests]
    known = [matches for matches in counts if matches is not None]
    if known:
        return min(known)
    return Vocabulary(engine, prepared.selection.corpora).count_words()


def _count_matches(engine: Engine, prepared: PreparedRequest, clause: Clause) -> int | None:
    """Return the number of matches of a clause alone, None if the count takes too long."""
    if isinstance(clause, syntax.Edge):
        clause = replace(clause, name=None)
    try:
        with limits.limited(engine, MAX_SECONDS_PER_CLAUSE):
            return count_matches(engine, prepared, [Item("pattern", (clause,), clause.span)])
    except (TimeLimit, StatementError, Interrupted):
        return None


def count_matches(engine: Engine, prepared: PreparedRequest, items: Sequence[Item]) -> int:
    """Return the number of matches of some items alone."""
    part = replace(prepared, request=GrewRequest(prepared.grew.text, tuple(items)))
    [(n,)] = engine.rows(part.select_count().sql)
    return int(n)
