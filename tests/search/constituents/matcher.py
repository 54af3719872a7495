"""An independent matcher of requests for constituency trees: every relation by the sets of words below nodes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    """A node: a phrase, the tag of a word, or the word. Children are in the order of their first words."""

    label: str
    kind: str
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    words: list[int] = field(default_factory=list)

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def first(self) -> int:
        return min(self.words)

    @property
    def last(self) -> int:
        return max(self.words)


def read_tree(text: str) -> list[Node]:
    """The nodes of a tree in brackets, whose leaves are `position=word`."""
    nodes: list[Node] = []
    above: list[Node] = []
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            continue
        if token == ")":
            above.pop()
            continue
        position, separator, form = token.partition("=")
        parent = above[-1] if above else None
        node = Node(form if separator else token, "word" if separator else "phrase", parent)
        nodes.append(node)
        if parent is not None:
            parent.children.append(node)
        if separator:
            assert parent is not None
            parent.kind = "tag"
            for one in (node, *node.ancestors()):
                one.words.append(int(position))
        else:
            above.append(node)
    for node in nodes:
        node.children.sort(key=lambda one: one.first)
    return nodes


def dominates(a: Node, b: Node) -> bool:
    return a in b.ancestors()


def precedes(a: Node, b: Node) -> bool:
    return a.first < b.first and not dominates(a, b)


def sisters(a: Node) -> list[Node]:
    return [] if a.parent is None else a.parent.children


def child_number(n: int) -> Callable[[Node, Node], bool]:
    return lambda a, b: len(a.children) >= abs(n) and a.children[n - 1 if n > 0 else n] is b


def unary(a: Node, b: Node) -> bool:
    return dominates(a, b) and a.words == b.words and sorted(a.words) == sorted(b.words)


RELATIONS: Mapping[str, Callable[[Node, Node], bool]] = {
    "<": lambda a, b: b in a.children,
    "<<": dominates,
    "<<<": lambda a, b: b.kind == "word" and dominates(a, b),
    "<,": lambda a, b: a.children[:1] == [b],
    "<-": lambda a, b: a.children[-1:] == [b],
    "<:": lambda a, b: a.children == [b],
    "<2": child_number(2),
    "<3": child_number(3),
    "<-2": child_number(-2),
    "<<,": lambda a, b: dominates(a, b) and a.first == b.first,
    "<<-": lambda a, b: dominates(a, b) and a.last == b.last,
    "<<:": lambda a, b: dominates(a, b) and sorted(a.words) == sorted(b.words),
    "$": lambda a, b: b in sisters(a) and a is not b,
    "$..": lambda a, b: b in sisters(a) and a.first < b.first,
    "$.": lambda a, b: b in sisters(a)[sisters(a).index(a) + 1 :][:1] if a in sisters(a) else False,
    "..": precedes,
    ".": lambda a, b: b.first == a.last + 1,
    "<=": lambda a, b: a is b or b in a.children,
    "==": lambda a, b: a is b,
}
"""Relations of Tregex by their signs; the reverse ones are these with the nodes exchanged."""

REVERSE = {
    ">": "<", ">>": "<<", ">,": "<,", ">-": "<-", ">:": "<:", ">2": "<2", ">-2": "<-2", ">>,": "<<,", ">>-": "<<-",
    ">>:": "<<:", "$,,": "$..", "$,": "$.", ",,": "..", ",": ".",
}  # fmt: skip

TIGER: Mapping[str, Callable[[Node, Node], bool]] = {
    ">": lambda a, b: b in a.children,
    ">*": dominates,
    ">2": lambda a, b: b.parent is not None and b.parent.parent is a,
    ">1,2": lambda a, b: b.parent is a or (b.parent is not None and b.parent.parent is a),
    ">@l": lambda a, b: dominates(a, b) and b.kind != "phrase" and a.first == b.first,
    ">@r": lambda a, b: dominates(a, b) and b.kind != "phrase" and a.last == b.last,
    ".": lambda a, b: b.first == a.first + 1,
    ".*": lambda a, b: b.first > a.first,
    ".2": lambda a, b: b.first == a.first + 2,
    ".1,3": lambda a, b: 1 <= b.first - a.first <= 3,
    "$": lambda a, b: b in sisters(a) and a is not b,
    "$.*": lambda a, b: b in sisters(a) and a.first < b.first,
}


@dataclass
class Pattern:
    """A node with a test of its label, a name, and a formula of it: see `text` for the notation."""

    labels: tuple[str, ...]
    name: str | None = None
    formula: Formula | None = None
    backreference: bool = False

    def text(self) -> str:
        own = f"={self.name}" if self.backreference else "|".join(self.labels) or "__"
        own += f"={self.name}" if self.name and not self.backreference else ""
        return f"({own} {self.formula.text()})" if self.formula else own

    def ways(self, node: Node, names: Mapping[str, Node], tree: list[Node]) -> Iterator[dict[str, Node]]:
        """The bindings of names under which the node matches."""
        if self.backreference:
            if names.get(self.name or "") is not node:
                return
        elif self.labels and node.label not in self.labels:
            return
        found = {**names, self.name: node} if self.name and not self.backreference else dict(names)
        yield from self.formula.ways(node, found, tree) if self.formula else [found]


@dataclass
class Formula:
    """`all` of some parts, `any` of them, `not` one, `maybe` one, or a relation with its sign to a pattern."""

    sign: str
    parts: tuple[Formula, ...] = ()
    target: Pattern | None = None

    def text(self) -> str:
        if self.target is not None:
            return f"{self.sign} {self.target.text()}"
        if self.sign in ("not", "maybe"):
            return f"{'!' if self.sign == 'not' else '?'}{self.parts[0].text()}"
        between = " & " if self.sign == "all" else " | "
        return "[" + between.join(part.text() for part in self.parts) + "]"

    def ways(self, node: Node, names: Mapping[str, Node], tree: list[Node]) -> Iterator[dict[str, Node]]:
        if self.target is not None:
            holds = RELATIONS[REVERSE.get(self.sign, self.sign)]
            for other in tree:
                if holds(other, node) if self.sign in REVERSE else holds(node, other):
                    yield from self.target.ways(other, names, tree)
        elif self.sign == "all":
            found: list[dict[str, Node]] = [dict(names)]
            for part in self.parts:
                found = [way for one in found for way in part.ways(node, one, tree)]
            yield from found
        elif self.sign == "any":
            for part in self.parts:
                yield from part.ways(node, names, tree)
        else:
            some = list(self.parts[0].ways(node, names, tree))
            if self.sign == "maybe":
                yield from some or [dict(names)]
            elif not some:
                yield dict(names)


def count_rows(pattern: Pattern, trees: list[list[Node]]) -> int:
    """The number of different bindings of the head and the names, over all trees."""
    rows = set()
    for number, tree in enumerate(trees):
        for head in tree:
            for way in pattern.ways(head, {}, tree):
                rows.add((number, id(head), *sorted((name, id(node)) for name, node in way.items())))
    return len(rows)


def tiger_nodes(tree: list[Node]) -> list[Node]:
    """The nodes of TIGERSearch: phrases, and words with their tags as one node."""
    return [node for node in tree if node.kind != "word"]


def count_tiger(
    labels: list[str | None], related: list[tuple[int, str, int, bool]], shown: set[int], trees: list[list[Node]]
) -> int:
    """The number of bindings of the shown nodes. labels: of every node, None for any; related: with negations."""
    rows = set()
    for number, tree in enumerate(trees):
        nodes = tiger_nodes(tree)
        fitting = [[node for node in nodes if label in (None, node.label)] for label in labels]
        for chosen in itertools.product(*fitting):
            if all(TIGER[sign](chosen[a], chosen[b]) != negated for a, sign, b, negated in related):
                rows.add((number, *(id(chosen[at]) for at in sorted(shown))))
    return len(rows)
