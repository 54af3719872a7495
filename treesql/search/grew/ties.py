"""Which nodes of a request are tied to others by its clauses, so that few words of a sentence are joined with one.

An edge ties its ends, `X < Y` ties neighbours, and equal features tie two nodes; an order of words, a distance or a
path between two nodes ties nothing: all words of a sentence are joined with all others, twenty or thirty for a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from treesql.search.grew import syntax
from treesql.search.grew.scopes import edges_between_nodes, names_bound_by
from treesql.search.grew.syntax import Clause, FeatureComparison, FeatureReference, GrewRequest, Order


def joins_all_words(request: GrewRequest, *, enhanced: bool = False) -> bool:
    """Whether the pattern, or a filtering item by itself, has nodes that no clauses tie together.

    enhanced: whether edges are those of the enhanced graph, of which many may cross.
    """
    pattern = request.clauses("pattern", "global")
    few = [] if enhanced else list(orders_below_nonprojective_edges(request))
    outer = _nodes(pattern)
    filters = [item.clauses for item in request.items if item.kind in ("with", "without")]
    scopes = [(pattern, outer), *((clauses, _nodes(clauses) - outer) for clauses in filters)]
    return any(_n_groups(clauses, nodes, few, enhanced) > 1 for clauses, nodes in scopes)


def orders_below_nonprojective_edges(request: GrewRequest) -> Iterator[Order]:
    """Yield the clauses `X << e` of the pattern for which `without { H ->> X }`, with H the head of e, says that e is
    not projective in the basic tree."""
    pattern = request.clauses("pattern", "global")
    nodes = _nodes(pattern)
    heads = {clause.name: source for clause, source, _ in edges_between_nodes(pattern) if clause.name}
    alone = [item.clauses[0] for item in request.items if item.kind == "without" and len(item.clauses) == 1]
    outside = {(clause.source, clause.target) for clause in alone if isinstance(clause, syntax.Dominance)}
    for order in (clause for clause in pattern if isinstance(clause, Order)):
        of_a_node = order.operator == "<<" and order.left in nodes
        if of_a_node and (heads.get(order.right), order.left) in outside:
            yield order


def _nodes(clauses: Iterable[Clause]) -> set[str]:
    return {name for clause in clauses for name in names_bound_by(clause)}


def _n_groups(clauses: Sequence[Clause], nodes: set[str], few: Sequence[Order], enhanced: bool) -> int:
    """Return the number of groups of nodes that clauses tie together."""
    groups = [{name} for name in nodes]
    for names in _tied(clauses, few, enhanced):
        joined = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + ([set().union(*joined)] if joined else [])
    return len(groups)


def _tied(clauses: Sequence[Clause], few: Sequence[Order], enhanced: bool) -> Iterator[set[str]]:
    """Yield the names of nodes that a clause ties."""
    ends = {}
    for edge, source, target in edges_between_nodes(clauses):
        yield {source, target}
        if edge.name:
            ends[edge.name] = {source, target}
    for clause in clauses:
        if isinstance(clause, Order):
            is_crossing = clause.operator == "><" and not enhanced and {clause.left, clause.right} <= ends.keys()
            if clause.operator == "<" or clause in few or is_crossing:
                yield ends.get(clause.left, {clause.left}) | ends.get(clause.right, {clause.right})
        elif isinstance(clause, FeatureComparison) and isinstance(clause.right, FeatureReference):
            left, right = clause.left.owner, clause.right.owner
            if clause.operator == "=":
                yield ends.get(left, {left}) | ends.get(right, {right})
