"""What a request wants that no sentence can have."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.patterns import syntax
from treesql.patterns.scopes import edges_between_nodes
from treesql.patterns.syntax import Clause, Request, Span, Test, Value


def told(request: Request, enhanced: bool) -> list[str]:
    """What no sentence can have, whatever it is."""
    clauses = request.clauses("pattern")
    found = _contradicting_tests(request, clauses) + _circular_order(request, clauses)
    if not enhanced:
        found += _no_tree(request, clauses)
    return list(dict.fromkeys(found))


def _contradicting_tests(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Tests of one feature of one node that exclude each other."""
    told = []
    tests: dict[tuple[str, str], list[Test]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in clause.alternatives[0]:
                tests.setdefault((clause.name, test.name), []).append(test)
    for (node, name), own in tests.items():
        if len(own) > 1 and not _can_be(own):
            both = " and ".join(f"`{request.told(test.span)}`" for test in own)
            told.append(f"{name} of {node} cannot be {both} at once")
    return told


def _can_be(tests: Sequence[Test]) -> bool:
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


def _circular_order(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Nodes that would stand before themselves."""
    after: dict[str, dict[str, Span]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Order) and clause.operator in ("<", "<<"):
            after.setdefault(clause.left, {})[clause.right] = clause.span
    told = []
    for start in after:
        seen, reached = set(), list(after[start])
        while reached:
            node = reached.pop()
            if node == start:
                told.append(f"{start} cannot stand before itself, as the order of the nodes wants")
                return told
            if node not in seen:
                seen.add(node)
                reached += after.get(node, {})
    return told


def _no_tree(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Edges that a tree cannot have: two heads of a word, or a circle."""
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
            return [f"{above} cannot be below itself: the basic tree has no circles"]
    return []
