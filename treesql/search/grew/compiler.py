"""Compiler, clauses -> one SQL statement.

A node is a row of `words` with an alias of its own. A node of which only the position is needed is just the `head` of
another row: an edge of the basic tree is the row of its dependent. A node that may be the anchor at position 0 (the
source of `root`) is a row of `nodes`, which contains the words and the anchors. In the enhanced graph, `nodes` contains
the empty nodes as well, and edges are rows of `graph`. Filtering items become EXISTS or NOT EXISTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treesql.catalog.schemas import literal, quote
from treesql.search.grew import fields, hits, joins, keys, syntax, ties
from treesql.search.grew.conditions import add_conditions, admits_anchor, is_any_word
from treesql.search.grew.fields import POSITIONS, SIZES
from treesql.search.grew.scopes import (
    BoundEdge,
    BoundNode,
    NameProperties,
    Scope,
    StatementBuilder,
    edges_between_nodes,
    names_bound_by,
)
from treesql.search.grew.syntax import Clause, ContextKey, FeatureReference, GrewRequest, Key, Labels, LabelTests
from treesql.search.selection import LENGTH, SHUFFLED, Selection, distinct_keys, group_clauses

MAX_LINE_LENGTH = 100
"""Length from which a list of columns is broken into lines of SQL."""


def compile_request(request: GrewRequest, wanted: Selection, names: NameProperties | None = None) -> str:
    """Compile a request to one statement. Raises RequestError, UnknownName."""
    enhanced = wanted.enhanced or uses_enhanced_edges(request, wanted.keys)
    only = wanted.corpora[0] if wanted.corpora and len(wanted.corpora) == 1 else None
    statement = StatementBuilder(names or NameProperties(), enhanced, only)
    pattern = Scope(statement, None, request.clauses("pattern", "global"), request.text)
    items = [item for item in request.items if item.kind in ("with", "without")]
    filters = [(item, Scope(statement, pattern, item.clauses, request.text)) for item in items]
    whether = {
        key: Scope(statement, pattern, key.term.clauses, key.text)
        for key in wanted.keys
        if isinstance(key.term, syntax.WhetherKey)
    }
    scopes = [pattern, *(scope for _, scope in filters), *whether.values()]
    for prepare in (_bind_names, _mark_rows):
        for scope in scopes:
            prepare(scope)
    _mark_keys(pattern, wanted.keys)
    for scope in scopes:
        _assign_rows(scope)
        scope.conditions += [bound for alias in scope.tables for bound in _sentence_bounds(alias, wanted)]
    _assign_nonprojective_edges(pattern, request)
    add_conditions(pattern)
    for item, scope in filters:
        pattern.conditions.append(joins.exists_condition(scope, negated=item.kind == "without"))
    for key, value in wanted.group:
        sql = keys.key_sql(pattern, key, whether, grouped=True)
        pattern.conditions.append(f"CAST({sql} AS VARCHAR) = {literal(value)}")
    head, tail = _head_and_tail(pattern, wanted, whether)
    if not pattern.tables:
        statement.sentence_row()
    if wanted.corpora is not None:
        pattern.conditions.insert(0, _corpus_condition(pattern, wanted.corpora))
    if not pattern.tables:
        pattern.conditions += _sentence_bounds(pattern.home(), wanted)
    body = f"{head}\n{joins.from_clause(pattern)}{tail}"
    if not statement.common:
        return body
    recursive = "RECURSIVE " if "reach" in statement.common else ""
    common = ",\n".join(f"{name} AS {sql}" for name, sql in statement.common.items())
    return f"WITH {recursive}{common}\n{body}"


def uses_enhanced_edges(request: GrewRequest, among: Iterable[Key] = ()) -> bool:
    """Whether a request uses enhanced edges: `E:obj`, `enhanced=yes`, `e.enhanced`."""
    return any(map(_uses_enhanced_edges, all_clauses(request, among)))


def has_edges(request: GrewRequest, among: Iterable[Key] = ()) -> bool:
    """Whether a request or a key asks for edges."""
    clauses = all_clauses(request, among)
    return any(isinstance(one, syntax.Edge | syntax.Dominance) for one in clauses) or any(
        isinstance(key.term, syntax.RelationKey) for key in among
    )


def all_clauses(request: GrewRequest, among: Iterable[Key] = ()) -> Iterator[Clause]:
    """Yield the clauses of all items and of all `whether` keys."""
    for item in request.items:
        yield from item.clauses
    for key in among:
        if isinstance(key.term, syntax.WhetherKey):
            yield from key.term.clauses


def bound_names(request: GrewRequest) -> tuple[list[str], list[str]]:
    """Return the nodes and the named edges that the pattern binds, in order of appearance."""
    clauses = request.clauses("pattern")
    nodes = dict.fromkeys(name for clause in clauses for name in names_bound_by(clause))
    edges = dict.fromkeys(clause.name for clause in clauses if isinstance(clause, syntax.Edge) and clause.name)
    return list(nodes), list(edges)


def _uses_enhanced_edges(clause: Clause) -> bool:
    if isinstance(clause, syntax.Edge):
        labels = clause.labels
        if isinstance(labels, LabelTests):
            return any(test.name == "enhanced" and test.operator != "absent" for test in labels.tests)
        return any(isinstance(value, str) and value.startswith("E:") for value in labels.values)
    return isinstance(clause, syntax.FeatureComparison) and clause.left.name == "enhanced"


# Binding of nodes, and which of them need a row of their own.


def _bind_names(scope: Scope) -> None:
    for clause in scope.clauses:
        for name in names_bound_by(clause):
            if scope.node(name) is None:
                scope.nodes[name] = BoundNode(name, scope, clause.span)
        if isinstance(clause, syntax.Edge) and clause.name:
            if scope.edge(clause.name):
                raise scope.error(clause.span, f"the edge {clause.name} is bound twice", "choose another name")
            source, target = (scope.require(name, clause.span) for name in (clause.source, clause.target))
            scope.edges[clause.name] = BoundEdge(source, target, scope.statement.enhanced)
    for name in scope.edges:
        if scope.node(name):
            raise scope.error(scope.clauses[0].span, f"{name} is a node and an edge", "choose another name")


def _mark_rows(scope: Scope) -> None:
    """Mark the nodes that need rows, and those that cannot be the anchor."""
    enhanced = scope.statement.enhanced
    for clause in scope.clauses:
        if isinstance(clause, syntax.Node):
            node = scope.require(clause.name, clause.span)
            node.row |= any(clause.alternatives) and not is_any_word(scope.statement, clause)
            if node.home is scope and not any(map(admits_anchor, clause.alternatives)):
                node.anchor = False
        elif isinstance(clause, syntax.Edge):
            if clause.target:
                target = scope.require(clause.target, clause.span)
                target.row |= not enhanced
                target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Dominance):
            source, target = (scope.require(name, clause.span) for name in (clause.source, clause.target))
            source.row |= not enhanced or source.home is scope
            target.row |= not enhanced or target.home is scope
            target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Order):
            _mark_order(scope, clause)
        elif isinstance(clause, syntax.FeatureTest):
            _mark_reference(scope, clause.reference)
        elif isinstance(clause, syntax.FeatureComparison):
            for reference in (clause.left, clause.right):
                if isinstance(reference, FeatureReference):
                    _mark_reference(scope, reference)
    for node in scope.nodes.values():
        node.row |= not _has_position_from_edge(scope, node)


def _mark_order(scope: Scope, clause: syntax.Order) -> None:
    right = scope.node(clause.right)
    if right and right.home is scope and scope.node(clause.left) and clause.operator in ("<", "<<"):
        right.anchor = False
    left = scope.node(clause.left)
    if left and left.home is scope and scope.edge(clause.right):
        left.anchor = False


def _mark_reference(scope: Scope, reference: FeatureReference) -> None:
    node = scope.node(reference.owner)
    without_row = (*POSITIONS, *(() if scope.statement.enhanced else SIZES))
    if node and not {reference.name, *reference.others} <= {*without_row}:
        node.row = True


def _mark_keys(pattern: Scope, among: Iterable[Key]) -> None:
    enhanced = pattern.statement.enhanced
    for key in among:
        if isinstance(key.term, syntax.FeatureKey):
            for reference in key.term.references:
                _mark_reference(pattern, reference)
        elif isinstance(key.term, syntax.NameKey) and enhanced and (node := pattern.node(key.term.name)):
            node.row = True
        elif isinstance(key.term, syntax.RelationKey) and not enhanced:
            for name in (key.term.left, key.term.right):
                if node := pattern.node(name):
                    node.row = True
        elif isinstance(key.term, ContextKey):
            hits.mark_rows(pattern, key)


def _has_position_from_edge(scope: Scope, node: BoundNode) -> bool:
    """Whether an edge of the scope determines the node's position: as its head or, in the enhanced graph, as either
    end."""
    ends = [(source, target) for _, source, target in edges_between_nodes(scope.clauses) if source != target]
    return any(node.name == source or (scope.statement.enhanced and node.name == target) for source, target in ends)


# Rows of nodes and edges.


def _assign_rows(scope: Scope) -> None:
    """Assign rows to nodes and edges."""
    statement = scope.statement
    if not statement.enhanced:
        _assign_crossings(scope)
    for node in scope.nodes.values():
        if node.row:
            node.alias = statement.alias(node.name)
            with_anchor = statement.enhanced or node.anchor
            scope.tables[node.alias] = statement.relation("nodes") if with_anchor else "words"
    for clause, source, target in edges_between_nodes(scope.clauses):
        _assign_edge_row(scope, clause, scope.require(source, clause.span), scope.require(target, clause.span))


def _assign_crossings(scope: Scope) -> None:
    """Assign rows to pairs of crossing edges, which are few: one edge of each is not projective."""
    for clause in scope.clauses:
        names = (clause.left, clause.right) if isinstance(clause, syntax.Order) and clause.operator == "><" else ()
        if len(names) == 2 and all(map(scope.edge, names)) and any(name in scope.edges for name in names):
            alias = scope.crossings[names] = scope.statement.alias("crossing")
            scope.tables[alias] = scope.statement.relation("crossing_edges")


def _assign_nonprojective_edges(pattern: Scope, request: GrewRequest) -> None:
    """Take the rows of edges that are not projective from a relation of such edges."""
    if not pattern.statement.enhanced:
        for order in ties.orders_below_nonprojective_edges(request):
            pattern.tables[pattern.edges[order.right].alias] = pattern.statement.relation("nonprojective")


def _assign_edge_row(scope: Scope, clause: syntax.Edge, source: BoundNode, target: BoundNode) -> None:
    if scope.statement.enhanced:
        alias = scope.statement.alias(clause.name or f"{source.name}-{target.name}")
        scope.tables[alias] = scope.statement.relation("graph")
        _set_position(scope, source, f"{alias}.source")
        _set_position(scope, target, f"{alias}.target")
    else:
        alias = target.alias
        _set_position(scope, source, f"{alias}.head")
    if clause.name:
        scope.edges[clause.name].alias = alias
    any_label = isinstance(clause.labels, Labels) and not clause.labels.values
    if any_label and not scope.statement.enhanced and source.derived:
        scope.conditions.append(f"{alias}.head IS NOT NULL")
    scope.conditions += fields.label_conditions(scope, alias, clause.labels)


def _set_position(scope: Scope, node: BoundNode, position: str) -> None:
    """Equate a node's position with an expression: by a condition, or, at the first edge of a node without a row, by
    definition."""
    if node.row or node.derived or node.home is not scope:
        scope.conditions.append(f"{position} = {node.position}")
    else:
        node.derived = position


# What is selected.


def _head_and_tail(pattern: Scope, wanted: Selection, whether: dict[Key, Scope]) -> tuple[str, str]:
    """Return the SQL before FROM, and the SQL after the conditions."""
    if wanted.count:
        return "SELECT count(*) AS count", ""
    chosen = distinct_keys(wanted.by or wanted.columns)
    limit = wanted.bounds
    groups = group_clauses(len(chosen), wanted.ordered) + limit if wanted.by else None
    if hits.has_contexts(chosen):
        return hits.surround(
            pattern, chosen, whether, groups=groups, order=_order(pattern, wanted.order), sort=wanted.sort, limit=limit
        )
    grouped = groups is not None
    columns = [f"{keys.key_sql(pattern, key, whether, grouped=grouped)} AS {quote(key.name)}" for key in chosen]
    if groups is not None:
        return f"SELECT {', '.join([*columns, 'count(*) AS count'])}", groups
    between = ", " if sum(map(len, columns)) < MAX_LINE_LENGTH else ",\n       "
    return f"SELECT {between.join(columns)}", f"\nORDER BY {', '.join(_order(pattern, wanted.order))}{limit}"


def _order(pattern: Scope, chosen: str | None) -> list[str]:
    """Return what orders matches as they stand in the corpora, or by another order of ORDERS."""
    home = pattern.home()
    order = [f"{home}.corpus", f"{home}.sentence", *(node.position for node in pattern.nodes.values())]
    order += [edge.label for edge in pattern.edges.values() if edge.enhanced]  # of several between the same words
    if chosen == LENGTH:
        return [f"{pattern.statement.sentence_row()}.n_words", *order]
    return [f"hash({', '.join(order)})", *order] if chosen == SHUFFLED else order


def _sentence_bounds(alias: str, wanted: Selection) -> list[str]:
    """Return the conditions that a row is of the sentences that are searched: DuckDB does not infer them from joins."""
    return [] if wanted.before is None else [f"{alias}.sentence < {wanted.before}"]


def _corpus_condition(pattern: Scope, corpora: Iterable[str]) -> str:
    names = [literal(name) for name in corpora]
    column = f"{pattern.home()}.corpus"
    return f"{column} = {names[0]}" if len(names) == 1 else f"{column} IN ({', '.join(names)})"
