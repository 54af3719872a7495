"""Scopes of a request: nodes and edges bound by the pattern and by filtering items, and the aliases of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql.catalog.schemas import literal, quote
from treesql.errors import RequestError, UnknownName
from treesql.search.grew import relations, syntax
from treesql.search.grew.syntax import Clause, Span


@dataclass(frozen=True)
class NameProperties:
    """Properties of the names in a database: features that only MISC has, whether labels have a part after `@`, further
    columns of CoNLL-U Plus by the names that requests have for them, columns that are NULL in no word, and features
    that a word has twice."""

    misc: frozenset[str] = frozenset()
    deep: bool = False
    further: Mapping[str, str] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()


@dataclass(eq=False)
class StatementBuilder:
    """State shared by all scopes of a statement: its graph, its common table expressions (`common`), and the used
    aliases.

    corpus: the only corpus that is searched, None for several. sentence: the alias of the row of `sentences`, if one is
    needed.
    """

    names: NameProperties
    enhanced: bool
    corpus: str | None = None
    common: dict[str, str] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=lambda: {"words", "nodes", "graph", "features", "sentences"})
    sentence: str | None = None

    @property
    def position(self) -> str:
        """The column with a node's position."""
        return "position" if self.enhanced else "word"

    def relation(self, name: str) -> str:
        """Add a common table expression, and those that it depends on, to the statement; return its name."""
        if name in ("graph", "nodes") and self.enhanced:
            self.common.setdefault("empty_places", relations.EMPTY_PLACES)
        if name in ("reach", "crossings") and self.enhanced:
            self.relation("graph")
        if name == "crossing_edges":
            self.relation("nonprojective")
        definitions = relations.ENHANCED if self.enhanced else relations.BASIC
        self.common.setdefault(name, definitions[name])
        return name

    def same_corpus(self, alias: str, partner: str) -> str:
        """Return the condition that two rows are of the same corpus: of the only one, so that joins compare numbers."""
        return f"{alias}.corpus = {f'{partner}.corpus' if self.corpus is None else literal(self.corpus)}"

    def alias(self, name: str) -> str:
        """Return a quoted alias that is unused in the statement, ignoring case: DuckDB does not distinguish X and x."""
        base = name.removesuffix("$")
        numbered = (f"{base} {number}" for number in itertools.count(2))
        alias = next(
            candidate for candidate in itertools.chain([base], numbered) if candidate.lower() not in self.aliases
        )
        self.aliases.add(alias.lower())
        return quote(alias)

    def sentence_row(self) -> str:
        """Return the alias of the sentence's row, which the statement has from now on."""
        if self.sentence is None:
            self.sentence = self.alias("sentence")
        return self.sentence


@dataclass
class BoundNode:
    """A node of the request. row: whether it needs a row; home: the scope of that row; anchor: whether it may be the
    anchor; derived: its position if it has no row."""

    name: str
    home: Scope
    span: Span
    alias: str = ""
    row: bool = False
    anchor: bool = True
    derived: str | None = None

    @property
    def position(self) -> str:
        """Its position, as SQL."""
        return self.derived or f"{self.alias}.{self.home.statement.position}"


@dataclass
class BoundEdge:
    """An edge of the request, and the alias of the row with its label."""

    source: BoundNode
    target: BoundNode
    enhanced: bool
    alias: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """Its left and its right end, as SQL."""
        source, target = self.source.position, self.target.position
        return f"least({source}, {target})", f"greatest({source}, {target})"

    @property
    def label(self) -> str:
        """Its label, as SQL."""
        return f"{self.alias}.{'label' if self.enhanced else 'deprel'}"


@dataclass(eq=False)
class Scope:
    """The pattern or a filtering item: its bound nodes and edges, its rows (`tables`, by alias) and its conditions.

    text: the text that contains its clauses, for messages. crossings: the aliases of pairs of crossing edges, by both
    names.
    """

    statement: StatementBuilder
    parent: Scope | None
    clauses: tuple[Clause, ...]
    text: str
    nodes: dict[str, BoundNode] = field(default_factory=dict)
    edges: dict[str, BoundEdge] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    crossings: dict[tuple[str, str], str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)

    @property
    def pattern(self) -> Scope:
        """The outermost scope."""
        return self.parent.pattern if self.parent else self

    def with_text(self, text: str) -> Scope:
        """Return the same scope for a key in another text."""
        return replace(self, text=text)

    def node(self, name: str) -> BoundNode | None:
        """Return a node that is bound here or in an outer scope."""
        return self.nodes.get(name) or (self.parent.node(name) if self.parent else None)

    def edge(self, name: str) -> BoundEdge | None:
        """Return an edge that is bound here or in an outer scope."""
        return self.edges.get(name) or (self.parent.edge(name) if self.parent else None)

    def require(self, name: str | None, span: Span) -> BoundNode:
        """Return a node that must be bound. Raises RequestError."""
        node = self.node(name or "")
        if node is None:
            raise self.unbound_error(name or "", span)
        return node

    def home(self, *, outer: bool = False) -> str:
        """Return an alias whose row identifies the sentence. outer: not one of the scope's own."""
        if self.tables and not outer:
            return next(iter(self.tables))
        if self.parent:
            return self.parent.home()
        return next(iter(self.tables)) if self.tables else self.statement.sentence_row()

    def same_sentence(self, alias: str, *, outer: bool = False) -> list[str]:
        """Return the conditions that a row belongs to the scope's sentence."""
        partner = self.home(outer=outer)
        return [self.statement.same_corpus(alias, partner), f"{alias}.sentence = {partner}.sentence"]

    def unbound_error(self, name: str, span: Span, others: Iterable[str] = ()) -> RequestError:
        """Return the error of an unbound name; it suggests the nearest bound one."""
        known: list[str] = [*others]
        place: Scope | None = self
        while place:
            known += [*place.nodes, *place.edges]
            place = place.parent
        near = str(UnknownName("node or edge", name, known)).split("; ", 1)[1]
        hint = near if near.startswith("did") else "bind it by a clause such as `" + name + " [upos=VERB]`"
        return self.error(span, f"`{name}` is not bound by the request", hint)

    def unknown_error(self, span: Span, kind: str, name: str, known: Sequence[str]) -> RequestError:
        """Return the error of an unknown name."""
        what, hint = str(UnknownName(kind, name, known)).split("; ", 1)
        return self.error(span, what, hint)

    def error(self, span: Span, what: str, hint: str) -> RequestError:
        """Return an error in the scope's text."""
        return RequestError(self.text, span.start, what, hint)


def names_bound_by(clause: Clause) -> tuple[str, ...]:
    """Return the nodes that a clause binds."""
    if isinstance(clause, syntax.Node):
        return (clause.name,)
    if isinstance(clause, syntax.Edge | syntax.Dominance):
        return tuple(name for name in (clause.source, clause.target) if name)
    return ()


def edges_between_nodes(clauses: Iterable[Clause]) -> Iterator[tuple[syntax.Edge, str, str]]:
    """Yield the edges whose two ends are nodes, with both names."""
    for clause in clauses:
        if isinstance(clause, syntax.Edge) and clause.source and clause.target:
            yield clause, clause.source, clause.target
