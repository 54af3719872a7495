"""A matcher of requests that is slow and obvious: every assignment of nodes and edges is tried.

Written from Grew's documentation (request, CoNLL-U and graph pages), over graphs that it reads from CoNLL-U by itself.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from treesql.search.grew import syntax
from treesql.search.grew.lexer import Regex

OPERATORS = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
RESERVED = {"Case", "Number", "Typo"}


@dataclass(frozen=True)
class Arc:
    source: int
    target: int
    deprel: str
    enhanced: bool

    @property
    def label(self) -> str:
        return ("E:" if self.enhanced else "") + self.deprel

    @property
    def parts(self) -> dict[str, str]:
        first, colon, rest = self.deprel.partition(":")
        parts = {"1": first, "label": self.label}
        if colon:
            parts["2"] = rest
        if self.enhanced:
            parts["enhanced"] = "yes"
        return parts


@dataclass
class Graph:
    """Nodes by position, 0 the anchor, each with its features; arcs; comments."""

    nodes: list[dict[str, str]]
    arcs: list[Arc]
    comments: dict[str, str] = field(default_factory=dict)


def read(text: str, enhanced: bool) -> list[Graph]:
    return [_graph(block.split("\n"), enhanced) for block in text.strip("\n").split("\n\n")]


def _graph(lines: list[str], enhanced: bool) -> Graph:
    comments = dict(
        re.findall(r"^# *([^=]*?) *= *(.*?) *$", line)[0] for line in lines if "=" in line and line[0] == "#"
    )
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    tokens = {row[0].split("-")[0]: row for row in rows if "-" in row[0]}
    inside = {str(n) for row in rows if "-" in row[0] for n in range(*_range(row[0]))}
    rows = [row for row in rows if "-" not in row[0] and (enhanced or "." not in row[0])]
    place = {"0": 0, **{row[0]: at for at, row in enumerate(rows, 1)}}
    nodes: list[dict[str, str]] = [{"form": "__0__"}]
    arcs = []
    for row in rows:
        own = {
            name: value for name, value in zip(("form", "lemma", "upos", "xpos"), row[1:5], strict=True) if value != "_"
        }
        feats = dict(part.split("=", 1) for part in row[5].split("|") if "=" in part)
        misc = dict(part.split("=", 1) for part in row[9].split("|") if "=" in part)
        own |= {re.sub(r"\[(\w+)\]", r"__\1", name): value for name, value in feats.items()}
        own |= {f"__MISC__{name}" if name in RESERVED else name: value for name, value in misc.items()}
        own["wordform"] = "__EMPTY__" if "." in row[0] else misc.get("wordform", row[1])
        own["textform"] = misc.get("textform", row[1])
        if row[0] in inside or "." in row[0]:
            own["textform"] = tokens[row[0]][1] if row[0] in tokens else "_"
        nodes.append(own)
        if row[6] != "_":
            arcs.append(Arc(place[row[6]], place[row[0]], row[7], False))
        if enhanced and row[8] != "_":
            for part in row[8].split("|"):
                head, _, deprel = part.partition(":")
                arcs.append(Arc(place[head], place[row[0]], deprel, True))
    return Graph(nodes, arcs, comments)


def _range(token: str) -> tuple[int, int]:
    first, last = map(int, token.split("-"))
    return first, last + 1


def count(request: syntax.GrewRequest, graphs: list[Graph]) -> int:
    return sum(1 for graph in graphs for _ in matches(request, graph))


def matches(request: syntax.GrewRequest, graph: Graph) -> Iterator[dict[str, Any]]:
    clauses = request.clauses("pattern", "global")
    filters = [item for item in request.items if item.kind in ("with", "without")]
    for found in extensions(clauses, graph, {}):
        if all(any(True for _ in extensions(f.clauses, graph, found)) == (f.kind == "with") for f in filters):
            yield found


def extensions(clauses: tuple[syntax.Clause, ...], graph: Graph, outer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All ways to bind what the clauses bind beyond what is bound: nodes to positions, edges to arcs."""
    names = {}
    for clause in clauses:
        if isinstance(clause, syntax.Node):
            names[clause.name] = None
        elif isinstance(clause, syntax.Edge | syntax.Dominance):
            names |= {name: None for name in (clause.source, clause.target) if name}
    new = [name for name in names if name not in outer]
    for places in itertools.product(range(len(graph.nodes)), repeat=len(new)):
        nodes = {**outer, **dict(zip(new, places, strict=True))}
        if not injective(nodes, new):
            continue
        bound = [c for c in clauses if isinstance(c, syntax.Edge) and c.source and c.target]
        for arcs in itertools.product(*(fitting(graph, c, nodes) for c in bound)):
            named = {c.name: arc for c, arc in zip(bound, arcs, strict=True) if c.name}
            if all(holds(clause, graph, {**nodes, **named}) for clause in clauses):
                yield {**nodes, **named}


def injective(nodes: dict[str, Any], new: list[str]) -> bool:
    own = {name: place for name, place in nodes.items() if isinstance(place, int) and not name.endswith("$")}
    return all(place != own[name] for name in new if name in own for other, place in own.items() if other != name)


def fitting(graph: Graph, clause: syntax.Edge, nodes: dict[str, Any]) -> list[Arc]:
    return [
        arc
        for arc in graph.arcs
        if clause.source in (None, *(n for n, p in nodes.items() if p == arc.source))
        and clause.target in (None, *(n for n, p in nodes.items() if p == arc.target))
        and labelled(arc, clause.labels)
    ]


def labelled(arc: Arc, labels: syntax.Labels | syntax.LabelTests) -> bool:
    if isinstance(labels, syntax.LabelTests):
        return all(passes(arc.parts.get(test.name), test) for test in labels.tests)
    return any(same(arc.label, value) for value in labels.values) != labels.negated


def same(value: str, wanted: syntax.Value) -> bool:
    if isinstance(wanted, Regex):
        return re.fullmatch(wanted.pattern, value, re.IGNORECASE if wanted.ignore_case else 0) is not None
    return value == wanted


def passes(value: str | None, test: syntax.Test) -> bool:
    if test.operator == "absent" or value is None:
        return test.operator == "absent" and value is None
    if test.operator == "defined":
        return True
    return any(same(value, wanted) for wanted in test.values) == (test.operator == "=")


def holds(clause: syntax.Clause, graph: Graph, bound: dict[str, Any]) -> bool:
    if isinstance(clause, syntax.Node):
        own = graph.nodes[bound[clause.name]]
        return any(all(passes(own.get(test.name), test) for test in tests) for tests in clause.alternatives)
    if isinstance(clause, syntax.Edge):
        return bool(fitting(graph, clause, bound))
    if isinstance(clause, syntax.Dominance):
        return bound[clause.target] in below(graph, bound[clause.source])
    if isinstance(clause, syntax.Order):
        return ordered(clause.operator, bound[clause.left], bound[clause.right])
    if isinstance(clause, syntax.Distance):
        return OPERATORS[clause.operator](
            distance(clause.measure.name, bound[clause.measure.left], bound[clause.measure.right]), clause.number.value
        )
    if isinstance(clause, syntax.FeatureComparison):
        return compared(clause, graph, bound)
    if isinstance(clause, syntax.Metadata):
        return passes(graph.comments.get(clause.test.name), clause.test)
    return shape(clause.name, graph) != clause.negated


def below(graph: Graph, top: int) -> set[int]:
    found: set[int] = set()
    reached = [top]
    while reached:
        node = reached.pop()
        new = {arc.target for arc in graph.arcs if arc.source == node} - found
        found |= new
        reached += new
    return found


def ordered(operator: str, left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return right == left + 1 if operator == "<" else left < right
    c, d = sorted((right.source, right.target))
    if isinstance(left, int):
        return c < left < d
    a, b = sorted((left.source, left.target))
    if operator == "<>":
        return b <= c or d <= a
    if operator == "<<":
        return c <= a and b <= d and (a, b) != (c, d)
    return a < c < b < d or c < a < d < b


def distance(measure: str, left: int, right: int) -> int:
    return abs(right - left) if measure == "length" else right - left


def value_of(reference: syntax.FeatureReference, graph: Graph, bound: dict[str, Any]) -> Any:
    owner = bound[reference.owner]
    if isinstance(owner, Arc):
        if reference.name in ("length", "delta"):
            return distance(reference.name, owner.source, owner.target)
        return owner.parts.get(reference.name)
    return owner if reference.name == "__id__" else graph.nodes[owner].get(reference.name)


def compared(clause: syntax.FeatureComparison, graph: Graph, bound: dict[str, Any]) -> bool:
    left = value_of(clause.left, graph, bound)
    right = value_of(clause.right, graph, bound) if isinstance(clause.right, syntax.FeatureReference) else clause.right
    if left is None or right is None:
        return False
    if isinstance(right, Regex):
        return same(left, right) == (clause.operator == "=")
    if isinstance(right, syntax.Number):
        right = right.text
    if clause.operator not in ("=", "<>") or isinstance(left, int | float):
        try:
            left, right = float(left), float(right)
        except ValueError:
            return False
    return OPERATORS[clause.operator](left, right)


def shape(name: str, graph: Graph) -> bool:
    cyclic = any(node in below(graph, node) for node in range(len(graph.nodes)))
    targets = [arc.target for arc in graph.arcs]
    forest = not cyclic and len(set(targets)) == len(targets)
    spans = [sorted((arc.source, arc.target)) for arc in graph.arcs]
    crossing = any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2))
    roots = len(graph.nodes) - len(set(targets))
    return {"cyclic": cyclic, "forest": forest, "tree": forest and roots == 1, "projective": not crossing}[name]
