"""Clauses -> SQL conditions, once their nodes and edges have rows, and those on the graph of a whole sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from treesql.catalog.schemas import literal
from treesql.search.grew import fields, syntax, values
from treesql.search.grew.fields import POSITIONS
from treesql.search.grew.relations import ANCHOR
from treesql.search.grew.scopes import BoundNode, Scope, StatementBuilder, edges_between_nodes
from treesql.search.grew.syntax import Clause, FeatureReference, GraphShape, Labels, Test, Value


def add_conditions(scope: Scope) -> None:
    """Add the conditions of a scope's clauses, other than its edges between nodes, and those of injectivity.

    Raises RequestError.
    """
    for clause in scope.clauses:
        scope.conditions += _clause_conditions(scope, clause)
    scope.conditions += _injectivity_conditions(scope)


def admits_anchor(tests: Sequence[Test]) -> bool:
    """Whether the anchor, whose form is `__0__` and which has no other feature, may pass these tests."""
    return all(map(_anchor_passes, tests))


def is_any_word(statement: StatementBuilder, clause: syntax.Node) -> bool:
    """Whether every word, but not the anchor, is what a clause such as `X [upos]` asks for."""
    tests = clause.alternatives[0] if len(clause.alternatives) == 1 else ()
    filled = statement.names.filled
    return (
        not statement.enhanced
        and bool(tests)
        and all(test.operator == "defined" and test.name in filled for test in tests)
    )


def _clause_conditions(scope: Scope, clause: Clause) -> list[str]:
    if isinstance(clause, syntax.Node):
        return _node_conditions(scope, clause)
    if isinstance(clause, syntax.Edge):
        return _one_ended_edge_conditions(scope, clause) if None in (clause.source, clause.target) else []
    if isinstance(clause, syntax.Dominance):
        return [_dominance_condition(scope, clause)]
    if isinstance(clause, syntax.Order):
        return _order_conditions(scope, clause)
    if isinstance(clause, syntax.FeatureComparison):
        return [_comparison_condition(scope, clause)]
    if isinstance(clause, syntax.FeatureTest):
        value = fields.reference_value(scope, clause.reference)
        return [f"{value} IS {'NOT ' * clause.defined}NULL"]
    if isinstance(clause, syntax.Distance):
        return [
            f"{fields.distance_value(scope, clause.measure)} {clause.operator}"
            f" {values.number_literal(clause.number.value)}"
        ]
    if isinstance(clause, syntax.Metadata):
        return [values.test_condition(fields.comment_text(scope.statement, clause.test.name), clause.test)]
    return [shape_condition(scope, clause)]


def _node_conditions(scope: Scope, clause: syntax.Node) -> list[str]:
    node = scope.require(clause.name, clause.span)
    if node.derived and is_any_word(scope.statement, clause):
        return [f"{node.position} > 0"]

    def tested(test: Test) -> str:
        value = fields.feature_value(scope, node, test.name, test.span)
        condition = fields.value_condition(scope, node, test.name, test.span, test)
        if test.otherwise is None:
            return condition
        return f"CASE WHEN {value} IS NOT NULL THEN {condition} ELSE {tested(test.otherwise)} END"

    alternatives = [list(map(tested, tests)) for tests in clause.alternatives]
    if not all(alternatives):
        return []
    if len(alternatives) == 1:
        return alternatives[0]
    return ["(" + " OR ".join("(" + " AND ".join(tests) + ")" for tests in alternatives) + ")"]


def _one_ended_edge_conditions(scope: Scope, clause: syntax.Edge) -> list[str]:
    """Return the conditions of `X -[obj]-> *` and `* -[obj]-> X`: such an edge exists, whatever its other end."""
    statement = scope.statement
    comes_in = clause.source is None
    node = scope.require(clause.target or clause.source, clause.span)
    if comes_in and not statement.enhanced:
        return [f"{node.alias}.head IS NOT NULL", *fields.label_conditions(scope, node.alias, clause.labels)]
    alias = statement.alias("other")
    end = ("target" if comes_in else "source") if statement.enhanced else "head"
    conditions = [*scope.same_sentence(alias), f"{alias}.{end} = {node.position}"]
    conditions += fields.label_conditions(scope, alias, clause.labels)
    table = statement.relation("graph") if statement.enhanced else "words"
    return [_exists(table, alias, conditions)]


def _dominance_condition(scope: Scope, clause: syntax.Dominance) -> str:
    source, target = (scope.require(name, clause.span) for name in (clause.source, clause.target))
    if not scope.statement.enhanced:
        return f"{target.alias}.enter BETWEEN {source.alias}.enter + 1 AND {source.alias}.leave"
    alias, table = scope.statement.alias("path"), scope.statement.relation("reach")
    ends = [f"{alias}.source = {source.position}", f"{alias}.target = {target.position}"]
    return _exists(table, alias, [*scope.same_sentence(alias), *ends])


def _exists(table: str, alias: str, conditions: Sequence[str]) -> str:
    return f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"


def _order_conditions(scope: Scope, clause: syntax.Order) -> list[str]:
    left_node, right_node = (scope.node(name) for name in (clause.left, clause.right))
    edge, cover = (scope.edge(name) for name in (clause.left, clause.right))
    operator = clause.operator
    if left_node and right_node and operator in ("<", "<<"):
        beside = f"{right_node.position} = {left_node.position} + 1"
        return [beside if operator == "<" else f"{left_node.position} < {right_node.position}"]
    if left_node and cover and operator == "<<":
        first, last = cover.ends
        return [f"{left_node.position} > {first}", f"{left_node.position} < {last}"]
    crossing = scope.crossings.get((clause.left, clause.right))
    if crossing and edge and cover:
        return [f"{crossing}.one = {edge.target.position}", f"{crossing}.other = {cover.target.position}"]
    if edge and cover and operator in ("<<", "><", "<>"):
        (a, b), (c, d) = edge.ends, cover.ends
        if operator == "<>":
            return [f"({b} <= {c} OR {d} <= {a})"]
        if operator == "<<":
            return [f"{c} <= {a}", f"{b} <= {d}", f"{d} - {c} > {b} - {a}"]
        return [f"(({a} < {c} AND {c} < {b} AND {b} < {d}) OR ({c} < {a} AND {a} < {d} AND {d} < {b}))"]
    for name, bound in ((clause.left, left_node or edge), (clause.right, right_node or cover)):
        if bound is None:
            raise scope.unbound_error(name, clause.span)
    what = " and ".join("a node" if node else "an edge" for node in (left_node, right_node))
    hint = "see `<<` between nodes, between edges, and `X << e` of a node and an edge"
    raise scope.error(clause.span, f"`{operator}` is not allowed between {what}", hint)


def _comparison_condition(scope: Scope, clause: syntax.FeatureComparison) -> str:
    left, right, operator = clause.left, clause.right, clause.operator
    value, numeric = fields.reference_value(scope, left), fields.is_number(scope, left)
    if isinstance(right, FeatureReference):
        other, others_numeric = fields.reference_value(scope, right), fields.is_number(scope, right)
        if operator in ("=", "<>") and not (numeric or others_numeric):
            return f"{value} {operator} {other}"
        return f"{values.as_number(value, numeric)} {operator} {values.as_number(other, others_numeric)}"
    if isinstance(right, syntax.Number):
        if operator in ("=", "<>") and not numeric:
            return f"{value} {operator} {literal(right.text)}"
        return f"{values.as_number(value, numeric)} {operator} {values.number_literal(right.value)}"
    if numeric:
        raise scope.error(clause.span, f"`{left.owner}.{left.name}` is a number", "compare it with a number")
    node = None if scope.edge(left.owner) or left.others else scope.node(left.owner)
    if node is not None and left.name not in POSITIONS:
        test = Test(left.name, operator, (right,), left.span)
        return fields.value_condition(scope, node, left.name, left.span, test)
    return values.membership_condition(value, (right,), operator == "<>")


def _injectivity_conditions(scope: Scope) -> list[str]:
    """Return the conditions that nodes differ, unless marked with `$` or implied by other clauses."""
    outer = list(scope.parent.nodes.values()) if scope.parent else []
    nodes = list(scope.nodes.values())
    pairs: list[tuple[BoundNode, BoundNode]] = [
        *itertools.combinations(nodes, 2),
        *((a, b) for b in nodes for a in outer),
    ]
    distinct = _distinct_pairs(scope)
    return [
        f"{b.position} <> {a.position}"
        for a, b in pairs
        if not a.name.endswith("$") and not b.name.endswith("$") and frozenset((a.name, b.name)) not in distinct
    ]


def _distinct_pairs(scope: Scope) -> set[frozenset[str]]:
    """Return the pairs of nodes that differ because of the scope's clauses."""
    distinct = set()
    for clause in scope.clauses:
        if isinstance(clause, syntax.Dominance) and not scope.statement.enhanced:
            distinct.add(frozenset((clause.source, clause.target)))
        elif isinstance(clause, syntax.Order) and scope.node(clause.left) and scope.node(clause.right):
            distinct.add(frozenset((clause.left, clause.right)))
        elif isinstance(clause, syntax.FeatureComparison) and isinstance(clause.right, FeatureReference):
            of_places = {clause.left.name, clause.right.name} <= {*POSITIONS}
            if of_places and clause.operator in ("<", ">"):
                distinct.add(frozenset((clause.left.owner, clause.right.owner)))
    if not scope.statement.enhanced:
        distinct |= _pairs_distinct_by_edges(scope)
    fixed = _fixed_values(scope)
    for (node, mine), (other, others) in itertools.combinations(fixed.items(), 2):
        if any(name in others and not mine[name] & others[name] for name in mine):
            distinct.add(frozenset((node, other)))
    return distinct


def _pairs_distinct_by_edges(scope: Scope) -> set[frozenset[str]]:
    """Return the ends of every edge of a tree, and the targets of edges with different labels."""
    distinct = set()
    targets: list[tuple[str, frozenset[Value]]] = []
    for clause, source, target in edges_between_nodes(scope.clauses):
        distinct.add(frozenset((source, target)))
        labels = clause.labels
        if isinstance(labels, Labels) and not labels.negated and _only_texts(labels.values):
            targets.append((target, frozenset(labels.values)))
    for (node, node_labels), (other, other_labels) in itertools.combinations(targets, 2):
        if not node_labels & other_labels:
            distinct.add(frozenset((node, other)))
    return distinct


def _fixed_values(scope: Scope) -> dict[str, dict[str, frozenset[Value]]]:
    """Return, by node and feature, the texts that its value must be one of."""
    fixed: dict[str, dict[str, frozenset[Value]]] = {}
    clauses = [*scope.clauses, *(scope.parent.clauses if scope.parent else ())]
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in clause.alternatives[0]:
                if test.operator == "=" and _only_texts(test.values) and test.otherwise is None:
                    fixed.setdefault(clause.name, {}).setdefault(test.name, frozenset(test.values))
    return fixed


def _only_texts(given: Sequence[Value]) -> bool:
    return bool(given) and all(isinstance(value, str) for value in given)


def _anchor_passes(test: Test) -> bool:
    if test.otherwise is not None and test.name != "form":
        return _anchor_passes(test.otherwise)
    if test.name != "form" or test.operator == "absent":
        return test.name != "form" and test.operator == "absent"
    return not _only_texts(test.values) or (ANCHOR in test.values) == (test.operator == "=")


def shape_condition(scope: Scope, clause: GraphShape) -> str:
    """Return the condition that the sentence's graph has a shape, or does not."""
    condition = _SHAPES[clause.name](scope.pattern)
    return values.negate(condition) if clause.negated else condition


def _is_projective(pattern: Scope) -> str:
    return f"NOT {_sentence_has(pattern, pattern.statement.relation('crossings'))}"


def _is_cyclic(pattern: Scope) -> str:
    if pattern.statement.enhanced:
        return _sentence_has(pattern, pattern.statement.relation("reach"), "{0}.source = {0}.target")
    return _sentence_has(pattern, "words", "{0}.head IS NOT NULL AND {0}.depth IS NULL")


def _is_forest(pattern: Scope) -> str:
    if not pattern.statement.enhanced:
        return values.negate(_is_cyclic(pattern))
    pattern.statement.relation("graph")
    several_heads = _sentence_has(pattern, pattern.statement.relation("several_heads"))
    return f"(NOT {_is_cyclic(pattern)} AND NOT {several_heads})"


def _is_tree(pattern: Scope) -> str:
    if not pattern.statement.enhanced:
        return f"NOT {_sentence_has(pattern, 'words', '{0}.depth IS NULL')}"
    for name in ("nodes", "graph"):
        pattern.statement.relation(name)
    headless = _sentence_has(pattern, pattern.statement.relation("headless"))
    return f"({_is_forest(pattern)} AND NOT {headless})"


_SHAPES: dict[str, Callable[[Scope], str]] = {
    "projective": _is_projective,
    "cyclic": _is_cyclic,
    "forest": _is_forest,
    "tree": _is_tree,
}


def _sentence_has(pattern: Scope, table: str, condition: str = "") -> str:
    """Return the condition that a table has a row of this sentence."""
    alias = pattern.statement.alias("any")
    conditions = [*pattern.same_sentence(alias), *([condition.format(alias)] if condition else [])]
    return f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"
