"""Conditions of a request that no sentence can satisfy."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.search.grew import syntax
from treesql.search.grew.scopes import edges_between_nodes
from treesql.search.grew.syntax import Clause, GrewRequest, Span, Test, Value


def find_contradictions(request: GrewRequest, enhanced: bool) -> list[str]:
    """Return descriptions of the conditions that no sentence can satisfy, whatever the corpus."""
    clauses = request.clauses("pattern")
    found = _contradicting_tests(request, clauses) + _circular_order(request, clauses)
    if not enhanced:
        found += _impossible_tree(request, clauses)
    return list(dict.fromkeys(found))


def _contradicting_tests(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe tests of one feature of one node that exclude each other."""
    found = []
    tests: dict[tuple[str, str], list[Test]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in (one for one in clause.alternatives[0] if one.otherwise is None):
                tests.setdefault((clause.name, test.name), []).append(test)
    for (node, name), own in tests.items():
        if len(own) > 1 and not _is_satisfiable(own):
            both = " and ".join(f"`{request.text_at(test.span)}`" for test in own)
            found.append(f"{name} of {node} cannot be {both} at once")
    return found


def _is_satisfiable(tests: Sequence[Test]) -> bool:
    if any(test.operator == "absent" for test in tests):
        return all(test.operator == "absent" for test in tests)
    allowed: set[Value] | None = None
    for test in tests:
        if test.operator == "=" and all(isinstance(value, str) for value in test.values):
            allowed = set(test.values) if allowed is None else allowed & set(test.values)
    for test in tests:
        if test.operator == "<>" and allowed is not None:
            allowed -= set(test.values)
    return allowed is None or bool(allowed)


def _circular_order(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe nodes that would precede themselves."""
    after: dict[str, dict[str, Span]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Order) and clause.operator in ("<", "<<"):
            after.setdefault(clause.left, {})[clause.right] = clause.span
    for start in after:
        seen, reached = set(), list(after[start])
        while reached:
            node = reached.pop()
            if node == start:
                return [f"{start} cannot precede itself, as the order of the nodes requires"]
            if node not in seen:
                seen.add(node)
                reached += after.get(node, {})
    return []


def _impossible_tree(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe edges that no tree can have: two heads of a word, or a cycle."""
    heads: dict[str, set[str]] = {}
    for _, source, target in edges_between_nodes(clauses):
        heads.setdefault(target, set()).add(source)
    for node, own in heads.items():
        injective = {name for name in own if not name.endswith("$")}
        if len(injective) > 1:
            names = " and ".join(sorted(injective))
            return [f"{node} cannot have both {names} as heads: a word of the basic tree has one (--enhanced has more)"]
    for node in heads:
        above, seen = node, set()
        while above in heads and above not in seen:
            seen.add(above)
            above = min(heads[above])
        if above in seen:
            return [f"{above} cannot be below itself: the basic tree has no cycles"]
    return []
