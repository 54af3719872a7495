"""Clauses -> one SQL statement.

A node is a row of `words` with an alias of its own, or, where nothing but its position is asked for, merely the `head`
of another's row: an edge of the basic tree is the row of its dependent. Where a node may be the anchor at position 0
(the source of `root`), its row is one of `nodes`, which has the words and the anchors. In the enhanced graph, `nodes`
has the empty nodes as well, and edges are rows of `graph`. Items that filter are EXISTS or NOT EXISTS.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from treesql.errors import RequestError, UnknownName
from treesql.patterns import relations, syntax, values
from treesql.patterns.relations import ANCHOR
from treesql.patterns.syntax import Clause, Key, Labels, LabelTests, Reference, Request, Span, Test, Value
from treesql.tables import literal, quote

EMPTY = "__EMPTY__"
UNDEFINED = "__undefined__"
COLUMNS = ("form", "lemma", "upos", "xpos")
DERIVED = ("textform", "wordform", "__RAW_MISC__")
POSITIONS = ("__id__", "position")
SENTENCE = ("corpus", "sentence", "sent_id", "text", "file", "line")
LENGTHS = ("length", "delta")
LINE = 100
"""Characters of a line of SQL, roughly."""

_MISC = "__MISC__"


@dataclass(frozen=True)
class Names:
    """What a database says about names: features that MISC alone has, and whether labels have a part behind `@`."""

    misc: frozenset[str] = frozenset()
    deep: bool = False


@dataclass(frozen=True)
class Wanted:
    """What to select: matches with columns, groups of matches by keys, or their number."""

    columns: tuple[Key, ...] = ()
    by: tuple[Key, ...] = ()
    count: bool = False
    corpora: tuple[str, ...] | None = None
    enhanced: bool = False
    limit: int | None = None


@dataclass
class _Node:
    """A node of the request: `row` says that it has a row of its own, `home` where that is."""

    name: str
    home: _Scope
    span: Span
    alias: str = ""
    row: bool = False
    anchor: bool = True
    derived: str | None = None

    @property
    def position(self) -> str:
        return self.derived or f"{self.alias}.{self.home.compiler.position}"


@dataclass
class _Edge:
    """An edge of the request, and the alias of the row that has its label."""

    source: _Node
    target: _Node
    alias: str
    enhanced: bool

    @property
    def ends(self) -> tuple[str, str]:
        one, other = self.source.position, self.target.position
        return f"least({one}, {other})", f"greatest({one}, {other})"

    @property
    def label(self) -> str:
        return f"{self.alias}.{'label' if self.enhanced else 'deprel'}"


@dataclass
class _Condition:
    """A condition, and the aliases of its own scope that it speaks of."""

    sql: str
    aliases: frozenset[str]


@dataclass(eq=False)
class _Scope:
    """The pattern, or an item that filters, with the nodes and edges that are bound in it."""

    compiler: _Compiler
    above: _Scope | None
    clauses: tuple[Clause, ...]
    nodes: dict[str, _Node] = field(default_factory=dict)
    edges: dict[str, _Edge] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)

    def node(self, name: str) -> _Node | None:
        return self.nodes.get(name) or (self.above.node(name) if self.above else None)

    def edge(self, name: str) -> _Edge | None:
        return self.edges.get(name) or (self.above.edge(name) if self.above else None)


def compile_request(request: Request, wanted: Wanted, names: Names | None = None) -> str:
    """One statement for a request. Raises RequestError, UnknownName."""
    return _Compiler(request, wanted, names or Names()).statement()


def asks_enhanced(request: Request, keys: Iterable[Key] = ()) -> bool:
    """Whether a request speaks of enhanced edges: `E:obj`, `enhanced=yes`, `e.enhanced`."""
    for clause in [*all_clauses(request, keys)]:
        if isinstance(clause, syntax.Edge) and isinstance(clause.labels, Labels):
            if any(isinstance(value, str) and value.startswith("E:") for value in clause.labels.values):
                return True
        elif isinstance(clause, syntax.Edge) and isinstance(clause.labels, LabelTests):
            if any(test.name == "enhanced" and test.operator != "absent" for test in clause.labels.tests):
                return True
        elif isinstance(clause, syntax.Comparison) and clause.left.name == "enhanced":
            return True
    return False


def all_clauses(request: Request, keys: Iterable[Key] = ()) -> Iterator[Clause]:
    """The clauses of all items and of all `whether`s."""
    for item in request.items:
        yield from item.clauses
    for key in keys:
        if isinstance(key.term, syntax.WhetherKey):
            yield from key.term.clauses


def bound(request: Request) -> tuple[list[str], list[str]]:
    """The nodes and the named edges that the pattern binds, in order of appearance."""
    nodes: dict[str, None] = {}
    edges: dict[str, None] = {}
    for clause in request.clauses("pattern"):
        for name in _binds(clause):
            nodes.setdefault(name)
        if isinstance(clause, syntax.Edge) and clause.name:
            edges.setdefault(clause.name)
    return list(nodes), list(edges)


def _binds(clause: Clause) -> tuple[str, ...]:
    """The nodes that a clause binds."""
    if isinstance(clause, syntax.Node):
        return (clause.name,)
    if isinstance(clause, syntax.Edge | syntax.Dominance):
        return tuple(name for name in (clause.source, clause.target) if name)
    return ()


class _Compiler:
    def __init__(self, request: Request, wanted: Wanted, names: Names) -> None:
        self.request, self.wanted, self.names = request, wanted, names
        self.text = request.text
        self.keys = (*wanted.columns, *wanted.by)
        self.enhanced = wanted.enhanced or asks_enhanced(request, self.keys)
        self.position = "position" if self.enhanced else "word"
        self.common: dict[str, str] = {}
        self.aliases: set[str] = {"words", "nodes", "graph", "features", "sentences"}
        self.pattern = _Scope(self, None, request.clauses("pattern", "global"))
        filters = [item for item in request.items if item.kind in ("with", "without")]
        self.filters = [(item, _Scope(self, self.pattern, item.clauses)) for item in filters]
        self.whether = {
            id(key): _Scope(self, self.pattern, key.term.clauses)
            for key in self.keys
            if isinstance(key.term, syntax.WhetherKey)
        }
        self.sentence: str | None = None

    @property
    def scopes(self) -> list[_Scope]:
        return [self.pattern, *(scope for _, scope in self.filters), *self.whether.values()]

    def statement(self) -> str:
        for scope in self.scopes:
            self.bind(scope)
        for scope in self.scopes:
            self.look_ahead(scope)
        self.look_ahead_at_keys()
        for scope in self.scopes:
            self.lay_out(scope)
        self.constrain(self.pattern)
        for item, scope in self.filters:
            self.pattern.conditions.append(self.exists(scope, negated=item.kind == "without"))
        select, tail = self.selection()
        if self.sentence is None and not self.pattern.tables:
            self.sentence = self.alias("sentence")
        self.choose_corpora()
        body = f"SELECT {select}\n{self.sources(self.pattern, '')}{tail}"
        if not self.common:
            return body
        recursive = "RECURSIVE " if "reach" in self.common else ""
        common = ",\n".join(f"{name} AS {sql}" for name, sql in self.common.items())
        return f"WITH {recursive}{common}\n{body}"

    # Which nodes there are, and which of them need a row of their own.

    def bind(self, scope: _Scope) -> None:
        for clause in scope.clauses:
            for name in _binds(clause):
                if scope.node(name) is None:
                    scope.nodes[name] = _Node(name, scope, clause.span)
            if isinstance(clause, syntax.Edge) and clause.name:
                if scope.edge(clause.name):
                    raise self.error(clause.span, f"the edge {clause.name} is bound twice", "choose another name")
                source, target = (
                    self.node(scope, clause.source, clause.span),
                    self.node(scope, clause.target, clause.span),
                )
                scope.edges[clause.name] = _Edge(source, target, "", self.enhanced)
        for name in {**scope.edges}:
            if scope.node(name):
                raise self.error(scope.clauses[0].span, f"{name} is a node and an edge", "choose another name")

    def look_ahead(self, scope: _Scope) -> None:
        """Find out which nodes need rows, and which cannot be the anchor."""
        for clause in scope.clauses:
            if isinstance(clause, syntax.Node):
                node = self.node(scope, clause.name, clause.span)
                node.row |= any(clause.alternatives)
                if node.home is scope and not any(map(_admits_anchor, clause.alternatives)):
                    node.anchor = False
            elif isinstance(clause, syntax.Edge):
                if clause.target:
                    target = self.node(scope, clause.target, clause.span)
                    target.row |= not self.enhanced
                    target.anchor &= target.home is not scope
            elif isinstance(clause, syntax.Dominance):
                source, target = (self.node(scope, name, clause.span) for name in (clause.source, clause.target))
                source.row |= not self.enhanced or source.home is scope
                target.row |= not self.enhanced or target.home is scope
                target.anchor &= target.home is not scope
            elif isinstance(clause, syntax.Order):
                self.look_at_order(scope, clause)
            elif isinstance(clause, syntax.Comparison):
                for reference in (clause.left, clause.right):
                    if isinstance(reference, Reference):
                        self.look_at(scope, reference)
        for node in scope.nodes.values():
            node.row |= self.origin(scope, node) is None

    def look_at_order(self, scope: _Scope, clause: syntax.Order) -> None:
        right = scope.node(clause.right)
        if right and right.home is scope and scope.node(clause.left) and clause.operator in ("<", "<<"):
            right.anchor = False
        left = scope.node(clause.left)
        if left and left.home is scope and scope.edge(clause.right):
            left.anchor = False

    def look_at(self, scope: _Scope, reference: Reference) -> None:
        node = scope.node(reference.owner)
        if node and reference.name not in POSITIONS:
            node.row = True

    def look_ahead_at_keys(self) -> None:
        for key in self.keys:
            if isinstance(key.term, syntax.FeatureKey):
                for reference in key.term.references:
                    self.look_at(self.pattern, reference)
            elif isinstance(key.term, syntax.NodeKey) and self.enhanced and (node := self.pattern.node(key.term.name)):
                node.row = True
            elif isinstance(key.term, syntax.RelationKey) and not self.enhanced:
                for name in (key.term.left, key.term.right):
                    if node := self.pattern.node(name):
                        node.row = True

    def origin(self, scope: _Scope, node: _Node) -> tuple[syntax.Edge, str] | None:
        """The first edge of the node's scope that says where it stands: from its head, or in the enhanced graph."""
        for clause in scope.clauses:
            if isinstance(clause, syntax.Edge) and clause.source and clause.target and clause.source != clause.target:
                if clause.source == node.name:
                    return clause, "source"
                if clause.target == node.name and self.enhanced:
                    return clause, "target"
        return None

    # Rows and conditions.

    def lay_out(self, scope: _Scope) -> None:
        """Give nodes and edges their rows."""
        crossing = any(isinstance(clause, syntax.Order) and clause.operator == "><" for clause in scope.clauses)
        for node in scope.nodes.values():
            if node.row:
                node.alias = self.alias(node.name)
                if self.enhanced or node.anchor:
                    scope.tables[node.alias] = self.relation("nodes")
                else:
                    # Edges of a tree cross only where one of them is not projective, and few sentences have such.
                    scope.tables[node.alias] = self.relation("nonprojective") if crossing else "words"
        for clause in scope.clauses:
            if isinstance(clause, syntax.Edge) and clause.source and clause.target:
                self.lay_out_edge(scope, clause)

    def lay_out_edge(self, scope: _Scope, clause: syntax.Edge) -> None:
        source, target = (self.node(scope, name, clause.span) for name in (clause.source, clause.target))
        if self.enhanced:
            alias = self.alias(clause.name or f"{source.name}-{target.name}")
            scope.tables[alias] = self.relation("graph")
            self.place(scope, source, f"{alias}.source")
            self.place(scope, target, f"{alias}.target")
        else:
            alias = target.alias
            self.place(scope, source, f"{alias}.head")
        if clause.name:
            scope.edges[clause.name].alias = alias
        any_label = isinstance(clause.labels, Labels) and not clause.labels.values
        if any_label and not self.enhanced and source.derived:
            scope.conditions.append(f"{alias}.head IS NOT NULL")
        scope.conditions += self.labelled(alias, clause.labels)

    def place(self, scope: _Scope, node: _Node, position: str) -> None:
        """Say where a node stands: by a condition on its row, or, for the first edge of a node without a row, so."""
        if node.row or node.derived or node.home is not scope:
            scope.conditions.append(f"{position} = {node.position}")
        else:
            node.derived = position

    def constrain(self, scope: _Scope) -> None:
        """The conditions of a scope's clauses, other than its edges between nodes, and those of injectivity."""
        for clause in scope.clauses:
            scope.conditions += self.conditions(scope, clause)
        scope.conditions += self.injective(scope)

    def conditions(self, scope: _Scope, clause: Clause) -> list[str]:
        if isinstance(clause, syntax.Node):
            return self.described(self.node(scope, clause.name, clause.span), clause)
        if isinstance(clause, syntax.Edge):
            return self.half_bound(scope, clause) if None in (clause.source, clause.target) else []
        if isinstance(clause, syntax.Dominance):
            return self.dominated(scope, clause)
        if isinstance(clause, syntax.Order):
            return self.ordered(scope, clause)
        if isinstance(clause, syntax.Comparison):
            return [self.compared(scope, clause)]
        if isinstance(clause, syntax.Distance):
            left, right = (self.required(scope, name, clause.span) for name in (clause.left, clause.right))
            return [f"{_distance(clause.measure, left, right)} {clause.operator} {values.written(clause.number)}"]
        if isinstance(clause, syntax.Metadata):
            return [values.tested(self.metadata(clause.test.name), clause.test)]
        return [self.shaped(clause)]

    def described(self, node: _Node, clause: syntax.Node) -> list[str]:
        alternatives = [[self.feature_tested(node, test) for test in tests] for tests in clause.alternatives]
        if not all(alternatives):
            return []
        if len(alternatives) == 1:
            return alternatives[0]
        return ["(" + " OR ".join("(" + " AND ".join(tests) + ")" for tests in alternatives) + ")"]

    def feature_tested(self, node: _Node, test: Test) -> str:
        return values.tested(self.feature(node, test.name, test.span), test)

    def feature(self, node: _Node, name: str, span: Span) -> str:
        """The SQL of a feature's value."""
        if name in COLUMNS:
            return f"{node.alias}.{name}"
        if name in ("deprel", "head", "deps"):
            hint = f"name the edge, `e: ... -> {node.name}`, and say `e.label`"
            raise self.error(span, f"`{name}` belongs to an edge, not to a node", hint)
        if name == "textform":
            return self.textform(node.alias)
        if name == "wordform":
            empty = f"WHEN {node.alias}.index > 0 THEN {literal(EMPTY)} " if self.enhanced else ""
            given = f"coalesce(feature({node.alias}.misc, 'wordform'), feature({node.alias}.feats, 'wordform'))"
            own = f"WHEN {node.alias}.{self.position} > 0 THEN {node.alias}.form"
            return f"CASE WHEN {given} IS NOT NULL THEN {given} {empty}{own} END"
        if name == "__RAW_MISC__":
            whole = f"CASE WHEN regexp_matches({node.alias}.misc, '(^|\\|)[^=|]*(\\||$)') THEN {node.alias}.misc END"
            return whole
        column = "feats"
        if name.startswith(_MISC) and name != _MISC:
            name, column = name.removeprefix(_MISC), "misc"
        written = written_name(name)
        if written in self.names.misc:
            column = "misc"
        return f"feature({node.alias}.{column}, {literal(written)})"

    def textform(self, alias: str) -> str:
        """What stands in the text: a multiword token at its first word, `_` at its others."""
        token = self.alias("token")
        form = (
            f"(SELECT {token}.form FROM tokens AS {token} WHERE {token}.corpus = {alias}.corpus"
            f" AND {token}.sentence = {alias}.sentence AND {token}.first = {alias}.word)"
        )
        own = f"CASE WHEN {alias}.{self.position} > 0 THEN {alias}.form END"
        empty = f"WHEN {alias}.index > 0 THEN '_' " if self.enhanced else ""
        return f"CASE {empty}WHEN {alias}.multiword THEN coalesce({form}, '_') ELSE {own} END"

    def labelled(self, alias: str, labels: Labels | LabelTests) -> list[str]:
        """The conditions on the label of the edge that a row stands for."""
        if isinstance(labels, LabelTests):
            return [values.tested(self.label_part(alias, test.name, test.span), test) for test in labels.tests]
        if not labels.values:
            return []
        value = f"{alias}.{'label' if self.enhanced else 'deprel'}"
        return [values.one_of(value, labels.values, labels.negated)]

    def label_part(self, alias: str, name: str, span: Span) -> str:
        """The SQL of a part of a label: 1 before the colon, 2 behind it, `deep` behind an `@`."""
        label = f"{alias}.deprel"
        if name == "label":
            return f"{alias}.{'label' if self.enhanced else 'deprel'}"
        if name == "1":
            universal = f"{alias}.udeprel"
            return f"string_split({universal}, '@')[1]" if self.names.deep else universal
        if name == "2":
            rest = f"substr({label}, strpos({label}, ':') + 1)"
            rest = f"string_split({rest}, '@')[1]" if self.names.deep else rest
            return f"CASE WHEN contains({label}, ':') THEN {rest} END"
        if name == "deep":
            return f"nullif(string_split({label}, '@')[2], '')"
        if name == "enhanced":
            return f"CASE WHEN {alias}.enhanced THEN 'yes' END" if self.enhanced else "CAST(NULL AS VARCHAR)"
        raise self.unknown(span, "part of a label", name, ("1", "2", "deep", "enhanced", "label", *LENGTHS))

    def half_bound(self, scope: _Scope, clause: syntax.Edge) -> list[str]:
        """`X -[obj]-> *` and `* -[obj]-> X`: there is such an edge, whatever its other end."""
        inner = clause.source is None
        node = self.required(scope, clause.target or clause.source, clause.span)
        if inner and not self.enhanced:
            return [f"{node.alias}.head IS NOT NULL", *self.labelled(node.alias, clause.labels)]
        alias = self.alias("other")
        own = ("target" if inner else "source") if self.enhanced else "head"
        conditions = [*self.same_sentence(alias, scope), f"{alias}.{own} = {node.position}"]
        conditions += self.labelled(alias, clause.labels)
        table = self.relation("graph") if self.enhanced else "words"
        return [f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"]

    def dominated(self, scope: _Scope, clause: syntax.Dominance) -> list[str]:
        source, target = (self.required(scope, name, clause.span) for name in (clause.source, clause.target))
        if not self.enhanced:
            return [f"{target.alias}.enter BETWEEN {source.alias}.enter + 1 AND {source.alias}.leave"]
        alias, table = self.alias("path"), self.relation("reach")
        conditions = [f"{alias}.source = {source.position}", f"{alias}.target = {target.position}"]
        conditions = [*self.same_sentence(alias, scope), *conditions]
        return [f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"]

    def ordered(self, scope: _Scope, clause: syntax.Order) -> list[str]:
        nodes = [scope.node(name) for name in (clause.left, clause.right)]
        edges = [scope.edge(name) for name in (clause.left, clause.right)]
        (one, other), (edge, cover) = nodes, edges
        operator = clause.operator
        if one and other and operator in ("<", "<<"):
            beside = f"{other.position} = {one.position} + 1"
            return [beside if operator == "<" else f"{one.position} < {other.position}"]
        if one and cover and operator == "<<":
            first, last = cover.ends
            return [f"{one.position} > {first}", f"{one.position} < {last}"]
        if edge and cover and operator in ("<<", "><", "<>"):
            (a, b), (c, d) = edge.ends, cover.ends
            if operator == "<>":
                return [f"({b} <= {c} OR {d} <= {a})"]
            if operator == "<<":
                return [f"{c} <= {a}", f"{b} <= {d}", f"{d} - {c} > {b} - {a}"]
            crossing = f"(({a} < {c} AND {c} < {b} AND {b} < {d}) OR ({c} < {a} AND {a} < {d} AND {d} < {b}))"
            return [crossing]
        for name, node, named in zip((clause.left, clause.right), nodes, edges, strict=True):
            if not node and not named:
                raise self.unbound(scope, name, clause.span)
        what = " and ".join("a node" if node else "an edge" for node in nodes)
        raise self.error(clause.span, f"`{operator}` cannot stand between {what}", "see `<<` between nodes, between "
                         "edges, and `X << e` of a node and an edge")  # fmt: skip

    def compared(self, scope: _Scope, clause: syntax.Comparison) -> str:
        left, operator = clause.left, clause.operator
        if isinstance(clause.right, Reference):
            one, other = (self.value(scope, reference) for reference in (left, clause.right))
            numeric = [self.is_number(scope, reference) for reference in (left, clause.right)]
            if operator in ("=", "<>") and not any(numeric):
                return f"{one} {operator} {other}"
            return f"{values.number(one, numeric[0])} {operator} {values.number(other, numeric[1])}"
        value = self.value(scope, left)
        if isinstance(clause.right, float):
            if operator in ("=", "<>") and not self.is_number(scope, left):
                return f"{value} {operator} {literal(values.written(clause.right))}"
            return f"{values.number(value, self.is_number(scope, left))} {operator} {values.written(clause.right)}"
        if self.is_number(scope, left):
            raise self.error(clause.span, f"`{left.owner}.{left.name}` is a number", "compare it with a number")
        return values.one_of(value, (clause.right,), operator == "<>")

    def is_number(self, scope: _Scope, reference: Reference) -> bool:
        if scope.edge(reference.owner):
            return reference.name in LENGTHS
        return reference.name in POSITIONS

    def value(self, scope: _Scope, reference: Reference) -> str:
        """The SQL of `X.lemma`, `e.label` and the like."""
        if edge := scope.edge(reference.owner):
            if reference.name in LENGTHS:
                return _distance(reference.name, edge.source, edge.target)
            return self.label_part(edge.alias, reference.name, reference.span)
        node = self.required(scope, reference.owner, reference.span)
        if reference.name in POSITIONS:
            return node.position
        return self.feature(node, reference.name, reference.span)

    def metadata(self, name: str) -> str:
        """The SQL of a comment's value."""
        row = self.sentence_row()
        if name in ("text", "sent_id"):
            return f"{row}.{name}"
        return f"comment_value({row}.comments, {literal(name)})"

    def shaped(self, clause: syntax.Shape) -> str:
        make = {
            "projective": self.is_projective,
            "cyclic": self.is_cyclic,
            "forest": self.is_forest,
            "tree": self.is_tree,
        }
        found = make[clause.name]()
        return values.negated(found) if clause.negated else found

    def is_projective(self) -> str:
        self.relation("crossings")
        return f"NOT {self.some('crossings')}"

    def is_cyclic(self) -> str:
        if self.enhanced:
            self.relation("reach")
            return self.some("reach", "{0}.source = {0}.target")
        return self.some("words", "{0}.head IS NOT NULL AND {0}.depth IS NULL")

    def is_forest(self) -> str:
        if not self.enhanced:
            return values.negated(self.is_cyclic())
        self.relation("graph")
        self.relation("several_heads")
        return f"(NOT {self.is_cyclic()} AND NOT {self.some('several_heads')})"

    def is_tree(self) -> str:
        if not self.enhanced:
            return f"NOT {self.some('words', '{0}.depth IS NULL')}"
        self.relation("nodes")
        self.relation("graph")
        self.relation("headless")
        return f"({self.is_forest()} AND NOT {self.some('headless')})"

    def some(self, table: str, condition: str = "") -> str:
        """There is a row of this sentence in a table."""
        alias = self.alias("any")
        conditions = [*self.same_sentence(alias, self.pattern), *([condition.format(alias)] if condition else [])]
        return f"EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"

    def injective(self, scope: _Scope) -> list[str]:
        """Nodes differ, those marked by `$` left out, unless other clauses see to that."""
        outer = list(scope.above.nodes.values()) if scope.above else []
        own = list(scope.nodes.values())
        pairs = [*itertools.combinations(own, 2), *((a, b) for b in own for a in outer)]
        apart = _kept_apart(scope, self.enhanced)
        return [
            f"{b.position} <> {a.position}"
            for a, b in pairs
            if not a.name.endswith("$") and not b.name.endswith("$") and frozenset((a.name, b.name)) not in apart
        ]

    def exists(self, scope: _Scope, *, negated: bool) -> str:
        """An item that filters, as a condition."""
        self.constrain(scope)
        if not scope.tables:
            joined = " AND ".join(scope.conditions) or "TRUE"
            return f"({joined}) IS NOT TRUE" if negated else f"({joined})"
        first = next(iter(scope.tables))
        scope.conditions = [*self.same_sentence(first, scope, outer=True), *scope.conditions]
        body = self.sources(scope, "    ")
        return f"{'NOT ' if negated else ''}EXISTS (\n    SELECT 1\n{body}\n  )"

    # The parts of the statement.

    def sources(self, scope: _Scope, indent: str) -> str:
        """FROM, JOIN and WHERE of a scope: every row joins what comes before it in its sentence."""
        conditions = [_Condition(sql, self.spoken_of(scope, sql)) for sql in scope.conditions]
        tables = dict(scope.tables)
        if scope is self.pattern and self.sentence:
            tables = {self.sentence: "sentences", **tables} if not tables else {**tables, self.sentence: "sentences"}
        order = _joined_order(list(tables), conditions)
        lines: list[str] = []
        seen: list[str] = []
        for alias in order:
            source = f"{tables[alias]} AS {alias}"
            if not seen:
                lines.append(f"{indent}FROM {source}")
            else:
                here = {*seen, alias}
                told = [c for c in conditions if alias in c.aliases and c.aliases <= here and len(c.aliases) > 1]
                partner = next((a for c in told for a in seen if a in c.aliases and " = " in c.sql), seen[0])
                on = [f"{alias}.corpus = {partner}.corpus AND {alias}.sentence = {partner}.sentence"]
                on += [c.sql for c in told]
                lines += [f"{indent}JOIN {source}", f"{indent}  ON " + f"\n{indent}  AND ".join(on)]
                conditions = [c for c in conditions if c not in told]
            seen.append(alias)
        rest = [c.sql for c in conditions]
        if rest:
            lines.append(f"{indent}WHERE " + f"\n{indent}  AND ".join(rest))
        return "\n".join(lines)

    def spoken_of(self, scope: _Scope, sql: str) -> frozenset[str]:
        """The aliases of a scope in a condition; a subquery may speak of all."""
        mentioned = frozenset(alias for alias in scope.tables if f"{alias}." in sql)
        return frozenset() if "SELECT" in sql else mentioned

    def same_sentence(self, alias: str, scope: _Scope, *, outer: bool = False) -> list[str]:
        partner = self.home(scope, outer=outer)
        return [f"{alias}.corpus = {partner}.corpus", f"{alias}.sentence = {partner}.sentence"]

    def home(self, scope: _Scope, *, outer: bool = False) -> str:
        """An alias that tells the sentence."""
        if scope.tables and not outer:
            return next(iter(scope.tables))
        if scope.above:
            return self.home(scope.above)
        return next(iter(scope.tables)) if scope.tables else self.sentence_row()

    def sentence_row(self) -> str:
        if self.sentence is None:
            self.sentence = self.alias("sentence")
        return self.sentence

    def choose_corpora(self) -> None:
        if self.wanted.corpora is None:
            return
        home = self.home(self.pattern)
        names = [literal(name) for name in self.wanted.corpora]
        chosen = f"{home}.corpus = {names[0]}" if len(names) == 1 else f"{home}.corpus IN ({', '.join(names)})"
        self.pattern.conditions.insert(0, chosen)

    def selection(self) -> tuple[str, str]:
        """What stands behind SELECT, and what behind the conditions."""
        limit = "" if self.wanted.limit is None else f"\nLIMIT {self.wanted.limit}"
        if self.wanted.count:
            return "count(*) AS count", ""
        if self.wanted.by:
            keys = [f"{self.term(key, grouped=True)} AS {quote(key.name)}" for key in _distinct(self.wanted.by)]
            numbers = ", ".join(str(at) for at in range(1, len(keys) + 1))
            tail = f"\nGROUP BY {numbers}\nORDER BY count DESC, {numbers}{limit}"
            return ", ".join([*keys, "count(*) AS count"]), tail
        columns = [f"{self.term(key)} AS {quote(key.name)}" for key in _distinct(self.wanted.columns)]
        home = self.home(self.pattern)
        order = [f"{home}.corpus", f"{home}.sentence", *(node.position for node in self.pattern.nodes.values())]
        between = ", " if sum(map(len, columns)) < LINE else ",\n       "
        return between.join(columns), f"\nORDER BY {', '.join(order)}{limit}"

    def term(self, key: Key, *, grouped: bool = False) -> str:
        """The SQL of a key. grouped: what is not defined is said so."""
        self.text = key.text
        try:
            sql = self.term_sql(key, key.term)
        finally:
            self.text = self.request.text
        texts = syntax.FeatureKey | syntax.MetadataKey
        if grouped and isinstance(key.term, texts) and not self.gives_number(key.term):
            return f"coalesce({sql}, {literal(UNDEFINED)})"
        return sql

    def gives_number(self, term: syntax.Term) -> bool:
        return (
            isinstance(term, syntax.FeatureKey)
            and term.gap is None
            and all(self.is_number(self.pattern, reference) for reference in term.references)
        )

    def term_sql(self, key: Key, term: syntax.Term) -> str:
        if isinstance(term, syntax.FeatureKey):
            found = [self.value(self.pattern, reference) for reference in term.references]
            value = found[0] if len(found) == 1 else f"coalesce({', '.join(found)})"
            return value if term.gap is None else values.interval(value, term.gap)
        if isinstance(term, syntax.NodeKey):
            return self.of_node_or_sentence(term)
        if isinstance(term, syntax.MetadataKey):
            return self.metadata(term.name)
        if isinstance(term, syntax.DistanceKey):
            left, right = (self.required(self.pattern, name, term.span) for name in (term.left, term.right))
            return _distance(term.measure, left, right)
        if isinstance(term, syntax.OrderKey):
            return self.order_told(term)
        if isinstance(term, syntax.RelationKey):
            return self.relation_told(term)
        scope = self.whether[id(key)]
        return f"CASE WHEN {self.exists(scope, negated=False)} THEN 'Yes' ELSE 'No' END"

    def of_node_or_sentence(self, term: syntax.NodeKey) -> str:
        if node := self.pattern.node(term.name):
            if not self.enhanced:
                return node.position
            alias = node.alias
            return f"CASE WHEN {alias}.index > 0 THEN {alias}.word || '.' || {alias}.index ELSE {alias}.word || '' END"
        if edge := self.pattern.edge(term.name):
            return edge.label
        if term.name in ("corpus", "sentence"):
            return f"{self.home(self.pattern)}.{term.name}"
        if term.name in SENTENCE:
            return f"{self.sentence_row()}.{term.name}"
        raise self.unbound(self.pattern, term.name, term.span, SENTENCE)

    def order_told(self, term: syntax.OrderKey) -> str:
        nodes = [self.required(self.pattern, name, term.span) for name in term.names]
        parts = [f"{{'position': {node.position}, 'name': {literal(node.name)}}}" for node in nodes]
        ordered = f"list_sort([{', '.join(parts)}])"
        return f"array_to_string([one.name for one in {ordered}], ' << ')"

    def relation_told(self, term: syntax.RelationKey) -> str:
        left, right = (self.required(self.pattern, name, term.span) for name in (term.left, term.right))
        if not self.enhanced:
            there = f"WHEN {right.alias}.head = {left.position} THEN {self.head_label(right)}"
            back = f" WHEN {left.alias}.head = {right.position} THEN '-' || {self.head_label(left)}"
            return f"CASE {there}{back if term.both else ''} ELSE '__none__' END"
        alias, table = self.alias("between"), self.relation("graph")
        forward = f"({alias}.source = {left.position} AND {alias}.target = {right.position})"
        backward = f"({alias}.source = {right.position} AND {alias}.target = {left.position})"
        ends = f"({forward} OR {backward})" if term.both else forward
        label = f"CASE WHEN {forward} THEN '' ELSE '-' END || {alias}.label"
        one = f"CASE count(*) WHEN 0 THEN '__none__' WHEN 1 THEN min({label}) ELSE '__multi__' END"
        conditions = [*self.same_sentence(alias, self.pattern), ends]
        return f"(SELECT {one} FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"

    def head_label(self, node: _Node) -> str:
        return f"{node.alias}.deprel"

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

    # Names that are looked up, and errors.

    def node(self, scope: _Scope, name: str | None, span: Span) -> _Node:
        found = scope.node(name or "")
        assert found is not None
        return found

    def required(self, scope: _Scope, name: str | None, span: Span) -> _Node:
        """A node that must have been bound."""
        found = scope.node(name or "")
        if found is None:
            raise self.unbound(scope, name or "", span)
        return found

    def unbound(self, scope: _Scope, name: str, span: Span, others: Iterable[str] = ()) -> RequestError:
        known: list[str] = [*others]
        place: _Scope | None = scope
        while place:
            known += [*place.nodes, *place.edges]
            place = place.above
        near = str(UnknownName("node or edge", name, known)).split("; ", 1)[1]
        hint = near if near.startswith("did") else "bind it by a clause such as `" + name + " [upos=VERB]`"
        return self.error(span, f"`{name}` is not bound by the request", hint)

    def unknown(self, span: Span, kind: str, name: str, known: Sequence[str]) -> RequestError:
        what, hint = str(UnknownName(kind, name, known)).split("; ", 1)
        return self.error(span, what, hint)

    def error(self, span: Span, what: str, hint: str) -> RequestError:
        return RequestError(self.text, span.start, what, hint)


def written_name(name: str) -> str:
    """The name of a feature in a file: `Number[psor]` is `Number__psor` in a request."""
    head, separator, layer = name.partition("__")
    return f"{head}[{layer}]" if head and separator and layer else name


def _admits_anchor(tests: tuple[Test, ...]) -> bool:
    """Whether the anchor, whose form is `__0__` and who has no other feature, may pass these tests."""
    return all(map(_passed_by_anchor, tests))


def _passed_by_anchor(test: Test) -> bool:
    if test.name != "form" or test.operator == "absent":
        return test.name != "form" and test.operator == "absent"
    return not _texts_alone(test.values) or (ANCHOR in test.values) == (test.operator == "=")


def _kept_apart(scope: _Scope, enhanced: bool) -> set[frozenset[str]]:
    """The pairs of nodes that the scope's clauses keep apart anyhow."""
    apart = set()
    targets: list[tuple[str, frozenset[Value]]] = []
    for clause in scope.clauses:
        if isinstance(clause, syntax.Edge) and clause.source and clause.target and not enhanced:
            apart.add(frozenset((clause.source, clause.target)))
            labels = clause.labels
            if isinstance(labels, Labels) and not labels.negated and _texts_alone(labels.values):
                targets.append((clause.target, frozenset(labels.values)))
        elif isinstance(clause, syntax.Dominance) and not enhanced:
            apart.add(frozenset((clause.source, clause.target)))
        elif isinstance(clause, syntax.Order) and scope.node(clause.left) and scope.node(clause.right):
            apart.add(frozenset((clause.left, clause.right)))
        elif isinstance(clause, syntax.Comparison) and isinstance(clause.right, Reference):
            of_places = {clause.left.name, clause.right.name} <= {*POSITIONS}
            if of_places and clause.operator in ("<", ">"):
                apart.add(frozenset((clause.left.owner, clause.right.owner)))
    for (one, of_one), (other, of_other) in itertools.combinations(targets, 2):
        if not of_one & of_other:
            apart.add(frozenset((one, other)))
    fixed = _fixed_values(scope)
    for (one, mine), (other, others) in itertools.combinations(fixed.items(), 2):
        if any(name in others and not mine[name] & others[name] for name in mine):
            apart.add(frozenset((one, other)))
    return apart


def _texts_alone(given: Sequence[Value]) -> bool:
    return bool(given) and all(isinstance(value, str) for value in given)


def _fixed_values(scope: _Scope) -> dict[str, dict[str, frozenset[Value]]]:
    """By node and feature, the texts of which its value must be one."""
    fixed: dict[str, dict[str, frozenset[Value]]] = {}
    clauses = [*scope.clauses, *(scope.above.clauses if scope.above else ())]
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in clause.alternatives[0]:
                if test.operator == "=" and all(isinstance(value, str) for value in test.values):
                    fixed.setdefault(clause.name, {}).setdefault(test.name, frozenset(test.values))
    return fixed


def _distance(measure: str, left: _Node, right: _Node) -> str:
    difference = f"({right.position} - {left.position})"
    return f"abs{difference}" if measure == "length" else difference


def _distinct(keys: Iterable[Key]) -> list[Key]:
    """The keys without those whose name has been there."""
    return list({key.name: key for key in reversed(list(keys))}.values())[::-1]


def _joined_order(aliases: list[str], conditions: Sequence[_Condition]) -> list[str]:
    """The aliases so that each, where that can be, is tied by a condition to one before it."""
    order = aliases[:1]
    while len(order) < len(aliases):
        rest = [alias for alias in aliases if alias not in order]
        tied = (
            alias
            for alias in rest
            if any(alias in c.aliases and c.aliases - {alias} and c.aliases <= {*order, alias} for c in conditions)
        )
        order.append(next(tied, rest[0]))
    return order
