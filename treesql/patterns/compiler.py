"""Clauses -> one SQL statement.

A node is a row of `words` with an alias of its own, or, where nothing but its position is asked for, merely the `head`
of another's row: an edge of the basic tree is the row of its dependent. Where a node may be the anchor at position 0
(the source of `root`), its row is one of `nodes`, which has the words and the anchors. In the enhanced graph, `nodes`
has the empty nodes as well, and edges are rows of `graph`. Items that filter are EXISTS or NOT EXISTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from treesql.patterns import fields, joins, keys, syntax
from treesql.patterns.conditions import admits_anchor, constrain
from treesql.patterns.fields import POSITIONS
from treesql.patterns.scopes import Edge, Names, Node, Scope, Statement, bound_by, edges_between_nodes
from treesql.patterns.syntax import Clause, Key, Labels, LabelTests, Reference, Request
from treesql.tables import literal, quote

LINE = 100
"""Characters of a line of SQL, roughly."""


@dataclass(frozen=True)
class Wanted:
    """What to select: matches with columns, groups of matches by keys, or their number."""

    columns: tuple[Key, ...] = ()
    by: tuple[Key, ...] = ()
    count: bool = False
    corpora: tuple[str, ...] | None = None
    enhanced: bool = False
    limit: int | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        """All of its keys."""
        return (*self.columns, *self.by)


def compile_request(request: Request, wanted: Wanted, names: Names | None = None) -> str:
    """One statement for a request. Raises RequestError, UnknownName."""
    enhanced = wanted.enhanced or asks_enhanced(request, wanted.keys)
    statement = Statement(names or Names(), enhanced)
    pattern = Scope(statement, None, request.clauses("pattern", "global"), request.text)
    items = [item for item in request.items if item.kind in ("with", "without")]
    filters = [(item, Scope(statement, pattern, item.clauses, request.text)) for item in items]
    whether = {
        key: Scope(statement, pattern, key.term.clauses, key.text)
        for key in wanted.keys
        if isinstance(key.term, syntax.WhetherKey)
    }
    scopes = [pattern, *(scope for _, scope in filters), *whether.values()]
    for prepare in (_bind, _look_ahead):
        for scope in scopes:
            prepare(scope)
    _look_ahead_at_keys(pattern, wanted.keys)
    for scope in scopes:
        _lay_out(scope)
    constrain(pattern)
    for item, scope in filters:
        pattern.conditions.append(joins.exists(scope, negated=item.kind == "without"))
    select, tail = _selection(pattern, wanted, whether)
    if not pattern.tables:
        statement.sentence_row()
    if wanted.corpora is not None:
        pattern.conditions.insert(0, _one_of_corpora(pattern, wanted.corpora))
    body = f"SELECT {select}\n{joins.sources(pattern)}{tail}"
    if not statement.common:
        return body
    recursive = "RECURSIVE " if "reach" in statement.common else ""
    common = ",\n".join(f"{name} AS {sql}" for name, sql in statement.common.items())
    return f"WITH {recursive}{common}\n{body}"


def asks_enhanced(request: Request, among: Iterable[Key] = ()) -> bool:
    """Whether a request speaks of enhanced edges: `E:obj`, `enhanced=yes`, `e.enhanced`."""
    return any(map(_speaks_of_enhanced, all_clauses(request, among)))


def all_clauses(request: Request, among: Iterable[Key] = ()) -> Iterator[Clause]:
    """The clauses of all items and of all `whether`s."""
    for item in request.items:
        yield from item.clauses
    for key in among:
        if isinstance(key.term, syntax.WhetherKey):
            yield from key.term.clauses


def bound(request: Request) -> tuple[list[str], list[str]]:
    """The nodes and the named edges that the pattern binds, in order of appearance."""
    clauses = request.clauses("pattern")
    nodes = dict.fromkeys(name for clause in clauses for name in bound_by(clause))
    edges = dict.fromkeys(clause.name for clause in clauses if isinstance(clause, syntax.Edge) and clause.name)
    return list(nodes), list(edges)


def _speaks_of_enhanced(clause: Clause) -> bool:
    if isinstance(clause, syntax.Edge):
        labels = clause.labels
        if isinstance(labels, LabelTests):
            return any(test.name == "enhanced" and test.operator != "absent" for test in labels.tests)
        return any(isinstance(value, str) and value.startswith("E:") for value in labels.values)
    return isinstance(clause, syntax.Comparison) and clause.left.name == "enhanced"


# Which nodes there are, and which of them need a row of their own.


def _bind(scope: Scope) -> None:
    for clause in scope.clauses:
        for name in bound_by(clause):
            if scope.node(name) is None:
                scope.nodes[name] = Node(name, scope, clause.span)
        if isinstance(clause, syntax.Edge) and clause.name:
            if scope.edge(clause.name):
                raise scope.error(clause.span, f"the edge {clause.name} is bound twice", "choose another name")
            source, target = (scope.required(name, clause.span) for name in (clause.source, clause.target))
            scope.edges[clause.name] = Edge(source, target, scope.statement.enhanced)
    for name in scope.edges:
        if scope.node(name):
            raise scope.error(scope.clauses[0].span, f"{name} is a node and an edge", "choose another name")


def _look_ahead(scope: Scope) -> None:
    """Find out which nodes need rows, and which cannot be the anchor."""
    enhanced = scope.statement.enhanced
    for clause in scope.clauses:
        if isinstance(clause, syntax.Node):
            node = scope.required(clause.name, clause.span)
            node.row |= any(clause.alternatives)
            if node.home is scope and not any(map(admits_anchor, clause.alternatives)):
                node.anchor = False
        elif isinstance(clause, syntax.Edge):
            if clause.target:
                target = scope.required(clause.target, clause.span)
                target.row |= not enhanced
                target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Dominance):
            source, target = (scope.required(name, clause.span) for name in (clause.source, clause.target))
            source.row |= not enhanced or source.home is scope
            target.row |= not enhanced or target.home is scope
            target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Order):
            _look_at_order(scope, clause)
        elif isinstance(clause, syntax.Comparison):
            for reference in (clause.left, clause.right):
                if isinstance(reference, Reference):
                    _look_at(scope, reference)
    for node in scope.nodes.values():
        node.row |= not _stands_at_an_edge(scope, node)


def _look_at_order(scope: Scope, clause: syntax.Order) -> None:
    right = scope.node(clause.right)
    if right and right.home is scope and scope.node(clause.left) and clause.operator in ("<", "<<"):
        right.anchor = False
    left = scope.node(clause.left)
    if left and left.home is scope and scope.edge(clause.right):
        left.anchor = False


def _look_at(scope: Scope, reference: Reference) -> None:
    node = scope.node(reference.owner)
    if node and reference.name not in POSITIONS:
        node.row = True


def _look_ahead_at_keys(pattern: Scope, among: Iterable[Key]) -> None:
    enhanced = pattern.statement.enhanced
    for key in among:
        if isinstance(key.term, syntax.FeatureKey):
            for reference in key.term.references:
                _look_at(pattern, reference)
        elif isinstance(key.term, syntax.NameKey) and enhanced and (node := pattern.node(key.term.name)):
            node.row = True
        elif isinstance(key.term, syntax.RelationKey) and not enhanced:
            for name in (key.term.left, key.term.right):
                if node := pattern.node(name):
                    node.row = True


def _stands_at_an_edge(scope: Scope, node: Node) -> bool:
    """Whether an edge of the scope says where the node stands: from its head, or in the enhanced graph."""
    ends = [(source, target) for _, source, target in edges_between_nodes(scope.clauses) if source != target]
    return any(node.name == source or (scope.statement.enhanced and node.name == target) for source, target in ends)


# Rows of nodes and edges.


def _lay_out(scope: Scope) -> None:
    """Give nodes and edges their rows."""
    statement = scope.statement
    crossing = any(isinstance(clause, syntax.Order) and clause.operator == "><" for clause in scope.clauses)
    for node in scope.nodes.values():
        if node.row:
            node.alias = statement.alias(node.name)
            if statement.enhanced or node.anchor:
                scope.tables[node.alias] = statement.relation("nodes")
            else:
                # Edges of a tree cross only where one of them is not projective, and few sentences have such.
                scope.tables[node.alias] = statement.relation("nonprojective") if crossing else "words"
    for clause, source, target in edges_between_nodes(scope.clauses):
        _lay_out_edge(scope, clause, scope.required(source, clause.span), scope.required(target, clause.span))


def _lay_out_edge(scope: Scope, clause: syntax.Edge, source: Node, target: Node) -> None:
    if scope.statement.enhanced:
        alias = scope.statement.alias(clause.name or f"{source.name}-{target.name}")
        scope.tables[alias] = scope.statement.relation("graph")
        _place(scope, source, f"{alias}.source")
        _place(scope, target, f"{alias}.target")
    else:
        alias = target.alias
        _place(scope, source, f"{alias}.head")
    if clause.name:
        scope.edges[clause.name].alias = alias
    any_label = isinstance(clause.labels, Labels) and not clause.labels.values
    if any_label and not scope.statement.enhanced and source.derived:
        scope.conditions.append(f"{alias}.head IS NOT NULL")
    scope.conditions += fields.labelled(scope, alias, clause.labels)


def _place(scope: Scope, node: Node, position: str) -> None:
    """Say where a node stands: by a condition on its row, or, for the first edge of a node without a row, so."""
    if node.row or node.derived or node.home is not scope:
        scope.conditions.append(f"{position} = {node.position}")
    else:
        node.derived = position


# What is selected.


def _selection(pattern: Scope, wanted: Wanted, whether: dict[Key, Scope]) -> tuple[str, str]:
    """What stands behind SELECT, and what behind the conditions."""
    limit = "" if wanted.limit is None else f"\nLIMIT {wanted.limit}"
    if wanted.count:
        return "count(*) AS count", ""
    grouped = bool(wanted.by)
    chosen = _distinct(wanted.by or wanted.columns)
    columns = [f"{keys.selected(pattern, key, whether, grouped=grouped)} AS {quote(key.name)}" for key in chosen]
    if grouped:
        numbers = ", ".join(str(at) for at in range(1, len(columns) + 1))
        tail = f"\nGROUP BY {numbers}\nORDER BY count DESC, {numbers}{limit}"
        return ", ".join([*columns, "count(*) AS count"]), tail
    home = pattern.home()
    order = [f"{home}.corpus", f"{home}.sentence", *(node.position for node in pattern.nodes.values())]
    order += [edge.label for edge in pattern.edges.values() if edge.enhanced]  # of several between the same words
    between = ", " if sum(map(len, columns)) < LINE else ",\n       "
    return between.join(columns), f"\nORDER BY {', '.join(order)}{limit}"


def _one_of_corpora(pattern: Scope, corpora: Iterable[str]) -> str:
    names = [literal(name) for name in corpora]
    column = f"{pattern.home()}.corpus"
    return f"{column} = {names[0]}" if len(names) == 1 else f"{column} IN ({', '.join(names)})"


def _distinct(among: Iterable[Key]) -> list[Key]:
    """The keys without those whose name has been there."""
    return list({key.name: key for key in reversed(list(among))}.values())[::-1]
