"""Formulas of requests: nodes with conditions, and relations between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from treesql.errors import shortened
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import LONGEST_CLAUSE, Span

Value = str | Regex


@dataclass(frozen=True)
class OneOf:
    """A column of `tree_nodes` is one of some texts, or an expression matches all of it, or (`find`) a part."""

    column: str
    values: tuple[Value, ...]
    span: Span
    find: bool = False


@dataclass(frozen=True)
class SameValue:
    """A column has the same value as that of every other node with this variable.

    pattern, group: only the part of it that a group of an expression matches.
    """

    column: str
    variable: str
    span: Span
    pattern: str | None = None
    group: int = 0


@dataclass(frozen=True)
class Shape:
    """`root`, `continuous`, `discontinuous`, `phrase`, `terminal`, or `arity` and `tokenarity` between two numbers."""

    name: str
    span: Span
    least: int = 0
    most: int = 0


@dataclass(frozen=True)
class AllOf:
    """All of some conditions, or formulas, hold."""

    parts: tuple[Condition | Formula, ...]


@dataclass(frozen=True)
class AnyOf:
    """One of some conditions, or formulas, holds at least."""

    parts: tuple[Condition | Formula, ...]


@dataclass(frozen=True)
class Not:
    """A condition, or a formula, does not hold."""

    part: Condition | Formula


@dataclass(frozen=True)
class TreeNode:
    """A node: its variable, its conditions, and the name by which the request shows it; None shows it not."""

    variable: str
    condition: Condition | None
    span: Span
    name: str | None = None


@dataclass(frozen=True)
class Relation:
    """A relation of `relations`, with its numbers, labels of edges, or the condition of the nodes of a chain."""

    name: str
    numbers: tuple[int, ...] = ()
    labels: tuple[Value, ...] = ()
    chain: Condition | None = None


@dataclass(frozen=True)
class Related:
    """Two nodes, by their variables, stand in a relation."""

    left: str
    relation: Relation
    right: str
    span: Span


@dataclass(frozen=True)
class Holds:
    """A node that is bound elsewhere, by its variable, has a condition."""

    variable: str
    condition: Condition
    span: Span


@dataclass(frozen=True)
class Exists:
    """There is a node of which a formula holds."""

    node: TreeNode
    body: Formula


Condition = OneOf | SameValue | Shape | AllOf | AnyOf | Not
Formula = Related | Holds | Exists | AllOf | AnyOf | Not

ALWAYS = AllOf(())
"""What always holds."""


@dataclass(frozen=True)
class TreeRequest:
    """A whole request: its first node, the head, and the formula of it.

    names: the shown names in order of appearance, the head's first. pieces: the parts that restrict the head, each
    with its place in the text.
    """

    text: str
    head: TreeNode
    formula: Formula
    names: tuple[str, ...]
    pieces: tuple[tuple[Formula, Span], ...] = field(default=(), compare=False)

    def text_at(self, span: Span) -> str:
        """Return a range of the request as written, on one line, and its beginning where it is long."""
        return shortened(" ".join(self.text[span.start : span.end].split()), LONGEST_CLAUSE)


def same_as(head: TreeNode, node: TreeNode, formula: Formula) -> Formula:
    """Return the formula that a head is the first node of an alternative; without a name, both have one variable."""
    if node.name is not None:
        return Exists(node, AllOf((Related(head.variable, Relation("same"), node.variable, node.span), formula)))
    return formula if node.condition is None else AllOf((Holds(head.variable, node.condition, node.span), formula))


def nodes_of(formula: Formula | Condition) -> Iterator[TreeNode]:
    """Yield the nodes that a formula binds, at any depth."""
    if isinstance(formula, Exists):
        yield formula.node
        yield from nodes_of(formula.body)
    elif isinstance(formula, AllOf | AnyOf):
        for part in formula.parts:
            yield from nodes_of(part)
    elif isinstance(formula, Not):
        yield from nodes_of(formula.part)


def conditions_of(formula: Formula | Condition | None) -> Iterator[OneOf | SameValue | Shape]:
    """Yield the conditions of a formula or condition, at any depth."""
    if isinstance(formula, OneOf | SameValue | Shape):
        yield formula
    elif isinstance(formula, AllOf | AnyOf):
        for part in formula.parts:
            yield from conditions_of(part)
    elif isinstance(formula, Not):
        yield from conditions_of(formula.part)
    elif isinstance(formula, Exists):
        yield from conditions_of(formula.node.condition)
        yield from conditions_of(formula.body)
    elif isinstance(formula, Holds):
        yield from conditions_of(formula.condition)
    elif isinstance(formula, Related):
        yield from conditions_of(formula.relation.chain)


def binds_names(formula: Formula | Condition) -> bool:
    """Whether a formula binds, outside of negations, nodes that are shown or whose values others must have."""
    if isinstance(formula, Exists):
        shared = (isinstance(condition, SameValue) for condition in conditions_of(formula.node.condition))
        return formula.node.name is not None or any(shared) or binds_names(formula.body)
    return isinstance(formula, AllOf | AnyOf) and any(map(binds_names, formula.parts))
