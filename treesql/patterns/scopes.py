"""What is bound where: nodes and edges of the pattern and of the items that filter, and the aliases of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from treesql.errors import RequestError, UnknownName
from treesql.patterns import relations, syntax
from treesql.patterns.syntax import Clause, Span
from treesql.tables import quote


@dataclass(frozen=True)
class Names:
    """What a database says about names: features that MISC alone has, and whether labels have a part behind `@`."""

    misc: frozenset[str] = frozenset()
    deep: bool = False


@dataclass(eq=False)
class Statement:
    """What all scopes of a statement share: its graph, the relations that it defines (`common`), the aliases taken.

    sentence: the alias of the row of `sentences`, where one is needed.
    """

    names: Names
    enhanced: bool
    common: dict[str, str] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=lambda: {"words", "nodes", "graph", "features", "sentences"})
    sentence: str | None = None

    @property
    def position(self) -> str:
        """The column that tells where a node stands."""
        return "position" if self.enhanced else "word"

    def relation(self, name: str) -> str:
        """A relation that the statement defines for itself; those that it rests on come first."""
        if name in ("graph", "nodes") and self.enhanced:
            self.common.setdefault("empty_places", relations.EMPTY_PLACES)
        if name in ("reach", "crossings") and self.enhanced:
            self.relation("graph")
        definitions = relations.ENHANCED if self.enhanced else relations.BASIC
        self.common.setdefault(name, definitions[name])
        return name

    def alias(self, name: str) -> str:
        """A quoted alias that nothing else in the statement has: DuckDB takes X and x for the same."""
        own = name.removesuffix("$")
        numbered = (f"{own} {number}" for number in itertools.count(2))
        alias = next(one for one in itertools.chain([own], numbered) if one.lower() not in self.aliases)
        self.aliases.add(alias.lower())
        return quote(alias)

    def sentence_row(self) -> str:
        """The alias of the sentence's row, which there is from now on."""
        if self.sentence is None:
            self.sentence = self.alias("sentence")
        return self.sentence


@dataclass
class Node:
    """A node of the request: `row` says that it has a row of its own, `home` where that is, `anchor` whether it may be
    the anchor, `derived` where it stands if it has no row."""

    name: str
    home: Scope
    span: Span
    alias: str = ""
    row: bool = False
    anchor: bool = True
    derived: str | None = None

    @property
    def position(self) -> str:
        """Where it stands, as SQL."""
        return self.derived or f"{self.alias}.{self.home.statement.position}"


@dataclass
class Edge:
    """An edge of the request, and the alias of the row that has its label."""

    source: Node
    target: Node
    enhanced: bool
    alias: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """Its left and its right end, as SQL."""
        one, other = self.source.position, self.target.position
        return f"least({one}, {other})", f"greatest({one}, {other})"

    @property
    def label(self) -> str:
        """Its label, as SQL."""
        return f"{self.alias}.{'label' if self.enhanced else 'deprel'}"


@dataclass(eq=False)
class Scope:
    """The pattern, or an item that filters: what is bound in it, its rows (`tables`, by alias) and its conditions.

    text: what its clauses stand in, for messages.
    """

    statement: Statement
    above: Scope | None
    clauses: tuple[Clause, ...]
    text: str
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)

    @property
    def pattern(self) -> Scope:
        """The scope above all."""
        return self.above.pattern if self.above else self

    def read_in(self, text: str) -> Scope:
        """The same, as what a key in another text speaks of."""
        return replace(self, text=text)

    def node(self, name: str) -> Node | None:
        """A node that is bound here or above."""
        return self.nodes.get(name) or (self.above.node(name) if self.above else None)

    def edge(self, name: str) -> Edge | None:
        """An edge that is bound here or above."""
        return self.edges.get(name) or (self.above.edge(name) if self.above else None)

    def required(self, name: str | None, span: Span) -> Node:
        """A node that must have been bound. Raises RequestError."""
        found = self.node(name or "")
        if found is None:
            raise self.unbound(name or "", span)
        return found

    def home(self, *, outer: bool = False) -> str:
        """An alias that tells the sentence. outer: not one of the scope's own."""
        if self.tables and not outer:
            return next(iter(self.tables))
        if self.above:
            return self.above.home()
        return next(iter(self.tables)) if self.tables else self.statement.sentence_row()

    def same_sentence(self, alias: str, *, outer: bool = False) -> list[str]:
        """The conditions that a row is of the scope's sentence."""
        partner = self.home(outer=outer)
        return [f"{alias}.corpus = {partner}.corpus", f"{alias}.sentence = {partner}.sentence"]

    def unbound(self, name: str, span: Span, others: Iterable[str] = ()) -> RequestError:
        """The error of a name that is not bound; it tells the nearest that is."""
        known: list[str] = [*others]
        place: Scope | None = self
        while place:
            known += [*place.nodes, *place.edges]
            place = place.above
        near = str(UnknownName("node or edge", name, known)).split("; ", 1)[1]
        hint = near if near.startswith("did") else "bind it by a clause such as `" + name + " [upos=VERB]`"
        return self.error(span, f"`{name}` is not bound by the request", hint)

    def unknown(self, span: Span, kind: str, name: str, known: Sequence[str]) -> RequestError:
        """The error of a name that there is not."""
        what, hint = str(UnknownName(kind, name, known)).split("; ", 1)
        return self.error(span, what, hint)

    def error(self, span: Span, what: str, hint: str) -> RequestError:
        """An error in its text."""
        return RequestError(self.text, span.start, what, hint)


def bound_by(clause: Clause) -> tuple[str, ...]:
    """The nodes that a clause binds."""
    if isinstance(clause, syntax.Node):
        return (clause.name,)
    if isinstance(clause, syntax.Edge | syntax.Dominance):
        return tuple(name for name in (clause.source, clause.target) if name)
    return ()


def edges_between_nodes(clauses: Iterable[Clause]) -> Iterator[tuple[syntax.Edge, str, str]]:
    """The edges both of whose ends are nodes, with these."""
    for clause in clauses:
        if isinstance(clause, syntax.Edge) and clause.source and clause.target:
            yield clause, clause.source, clause.target
