"""Compiler, clauses -> one SQL statement.

A node is a row of `words` with an alias of its own. A node of which only the position is needed is just the `head` of
another row: an edge of the basic tree is the row of its dependent. A node that may be the anchor at position 0 (the
source of `root`) is a row of `nodes`, which contains the words and the anchors. In the enhanced graph, `nodes` contains
the empty nodes as well, and edges are rows of `graph`. Filtering items become EXISTS or NOT EXISTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from treesql.catalog.schemas import literal, quote
from treesql.search.grew import contexts, fields, relations, syntax, values
from treesql.search.grew.conditions import add_conditions, admits_anchor, is_any_word
from treesql.search.grew.contexts import Place
from treesql.search.grew.fields import POSITIONS, SIZES
from treesql.search.grew.scopes import (
    BoundEdge,
    BoundNode,
    NameProperties,
    Scope,
    StatementBuilder,
    edges_between_nodes,
    names_bound_by,
)
from treesql.search.grew.syntax import Clause, ContextKey, FeatureReference, GrewRequest, Key, Labels, LabelTests
from treesql.search.selection import LENGTH, SHUFFLED, Selection, distinct_keys, group_clauses

MAX_LINE_LENGTH = 100
"""Length from which a list of columns is broken into lines of SQL."""


def compile_request(request: GrewRequest, selection: Selection, names: NameProperties | None = None) -> str:
    """Compile a request to one statement. Raises RequestError, UnknownName."""
    enhanced = selection.enhanced or uses_enhanced_edges(request, selection.keys)
    only = selection.corpora[0] if selection.corpora and len(selection.corpora) == 1 else None
    statement = StatementBuilder(names or NameProperties(), enhanced, only)
    pattern = Scope(statement, None, request.clauses("pattern", "global"), request.text)
    items = [item for item in request.items if item.kind in ("with", "without")]
    filters = [(item, Scope(statement, pattern, item.clauses, request.text)) for item in items]
    whether = {
        key: Scope(statement, pattern, key.term.clauses, key.text)
        for key in selection.keys
        if isinstance(key.term, syntax.WhetherKey)
    }
    scopes = [pattern, *(scope for _, scope in filters), *whether.values()]
    for prepare in (_bind_names, _mark_rows):
        for scope in scopes:
            prepare(scope)
    _mark_keys(pattern, selection.keys)
    for scope in scopes:
        _assign_rows(scope)
        scope.conditions += [bound for alias in scope.tables for bound in _sentence_bounds(alias, selection)]
    _assign_nonprojective_edges(pattern, request)
    add_conditions(pattern)
    for item, scope in filters:
        pattern.conditions.append(exists_condition(scope, negated=item.kind == "without"))
    for key, value in selection.group:
        sql = key_sql(pattern, key, whether, grouped=True)
        pattern.conditions.append(f"CAST({sql} AS VARCHAR) = {literal(value)}")
    head, tail = _head_and_tail(pattern, selection, whether)
    if not pattern.tables:
        statement.sentence_row()
    if selection.corpora is not None:
        pattern.conditions.insert(0, _corpus_condition(pattern, selection.corpora))
    if not pattern.tables:
        pattern.conditions += _sentence_bounds(pattern.home(), selection)
    body = f"{head}\n{from_clause(pattern)}{tail}"
    if not statement.common:
        return body
    recursive = "RECURSIVE " if "reach" in statement.common else ""
    common = ",\n".join(f"{name} AS {sql}" for name, sql in statement.common.items())
    return f"WITH {recursive}{common}\n{body}"


def uses_enhanced_edges(request: GrewRequest, among: Iterable[Key] = ()) -> bool:
    """Whether a request uses enhanced edges: `E:obj`, `enhanced=yes`, `e.enhanced`."""
    return any(map(_uses_enhanced_edges, all_clauses(request, among)))


def has_edges(request: GrewRequest, among: Iterable[Key] = ()) -> bool:
    """Whether a request or a key asks for edges."""
    clauses = all_clauses(request, among)
    return any(isinstance(clause, syntax.Edge | syntax.Dominance) for clause in clauses) or any(
        isinstance(key.term, syntax.RelationKey) for key in among
    )


def all_clauses(request: GrewRequest, among: Iterable[Key] = ()) -> Iterator[Clause]:
    """Yield the clauses of all items and of all `whether` keys."""
    for item in request.items:
        yield from item.clauses
    for key in among:
        if isinstance(key.term, syntax.WhetherKey):
            yield from key.term.clauses


def bound_names(request: GrewRequest) -> tuple[list[str], list[str]]:
    """Return the nodes and the named edges that the pattern binds, in order of appearance."""
    clauses = request.clauses("pattern")
    nodes = dict.fromkeys(name for clause in clauses for name in names_bound_by(clause))
    edges = dict.fromkeys(clause.name for clause in clauses if isinstance(clause, syntax.Edge) and clause.name)
    return list(nodes), list(edges)


def _uses_enhanced_edges(clause: Clause) -> bool:
    if isinstance(clause, syntax.Edge):
        labels = clause.labels
        if isinstance(labels, LabelTests):
            return any(test.name == "enhanced" and test.operator != "absent" for test in labels.tests)
        return any(isinstance(value, str) and value.startswith("E:") for value in labels.values)
    return isinstance(clause, syntax.FeatureComparison) and clause.left.name == "enhanced"


# Binding of nodes, and which of them need a row of their own.


def _bind_names(scope: Scope) -> None:
    for clause in scope.clauses:
        for name in names_bound_by(clause):
            if scope.node(name) is None:
                scope.nodes[name] = BoundNode(name, scope, clause.span)
        if isinstance(clause, syntax.Edge) and clause.name:
            if scope.edge(clause.name):
                raise scope.error(clause.span, f"the edge {clause.name} is bound twice", "choose another name")
            source, target = (scope.require(name, clause.span) for name in (clause.source, clause.target))
            scope.edges[clause.name] = BoundEdge(source, target, scope.statement.enhanced)
    for name in scope.edges:
        if scope.node(name):
            raise scope.error(scope.clauses[0].span, f"{name} is a node and an edge", "choose another name")


def _mark_rows(scope: Scope) -> None:
    """Mark the nodes that need rows, and those that cannot be the anchor."""
    enhanced = scope.statement.enhanced
    for clause in scope.clauses:
        if isinstance(clause, syntax.Node):
            node = scope.require(clause.name, clause.span)
            node.row |= any(clause.alternatives) and not is_any_word(scope.statement, clause)
            if node.home is scope and not any(map(admits_anchor, clause.alternatives)):
                node.anchor = False
        elif isinstance(clause, syntax.Edge):
            if clause.target:
                target = scope.require(clause.target, clause.span)
                target.row |= not enhanced
                target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Dominance):
            source, target = (scope.require(name, clause.span) for name in (clause.source, clause.target))
            source.row |= not enhanced or source.home is scope
            target.row |= not enhanced or target.home is scope
            target.anchor &= target.home is not scope
        elif isinstance(clause, syntax.Order):
            _mark_order(scope, clause)
        elif isinstance(clause, syntax.FeatureTest):
            _mark_reference(scope, clause.reference)
        elif isinstance(clause, syntax.FeatureComparison):
            for reference in (clause.left, clause.right):
                if isinstance(reference, FeatureReference):
                    _mark_reference(scope, reference)
    for node in scope.nodes.values():
        node.row |= not _has_position_from_edge(scope, node)


def _mark_order(scope: Scope, clause: syntax.Order) -> None:
    right = scope.node(clause.right)
    if right and right.home is scope and scope.node(clause.left) and clause.operator in ("<", "<<"):
        right.anchor = False
    left = scope.node(clause.left)
    if left and left.home is scope and scope.edge(clause.right):
        left.anchor = False


def _mark_reference(scope: Scope, reference: FeatureReference) -> None:
    node = scope.node(reference.owner)
    without_row = (*POSITIONS, *(() if scope.statement.enhanced else SIZES))
    if node and not {reference.name, *reference.others} <= {*without_row}:
        node.row = True


def _mark_keys(pattern: Scope, among: Iterable[Key]) -> None:
    enhanced = pattern.statement.enhanced
    for key in among:
        if isinstance(key.term, syntax.FeatureKey):
            for reference in key.term.references:
                _mark_reference(pattern, reference)
        elif isinstance(key.term, syntax.NameKey) and enhanced and (node := pattern.node(key.term.name)):
            node.row = True
        elif isinstance(key.term, syntax.RelationKey) and not enhanced:
            for name in (key.term.left, key.term.right):
                if node := pattern.node(name):
                    node.row = True
        elif isinstance(key.term, ContextKey):
            mark_rows(pattern, key)


def _has_position_from_edge(scope: Scope, node: BoundNode) -> bool:
    """Whether an edge of the scope determines the node's position: as its head or, in the enhanced graph, as either
    end."""
    ends = [(source, target) for _, source, target in edges_between_nodes(scope.clauses) if source != target]
    return any(node.name == source or (scope.statement.enhanced and node.name == target) for source, target in ends)


# Rows of nodes and edges.


def _assign_rows(scope: Scope) -> None:
    """Assign rows to nodes and edges."""
    statement = scope.statement
    if not statement.enhanced:
        _assign_crossings(scope)
    for node in scope.nodes.values():
        if node.row:
            node.alias = statement.alias(node.name)
            with_anchor = statement.enhanced or node.anchor
            scope.tables[node.alias] = statement.relation("nodes") if with_anchor else "words"
    for clause, source, target in edges_between_nodes(scope.clauses):
        _assign_edge_row(scope, clause, scope.require(source, clause.span), scope.require(target, clause.span))


def _assign_crossings(scope: Scope) -> None:
    """Assign rows to pairs of crossing edges, which are few: one edge of each is not projective."""
    for clause in scope.clauses:
        names = (clause.left, clause.right) if isinstance(clause, syntax.Order) and clause.operator == "><" else ()
        if len(names) == 2 and all(map(scope.edge, names)) and any(name in scope.edges for name in names):
            alias = scope.crossings[names] = scope.statement.alias("crossing")
            scope.tables[alias] = scope.statement.relation("crossing_edges")


def _assign_nonprojective_edges(pattern: Scope, request: GrewRequest) -> None:
    """Take the rows of edges that are not projective from a relation of such edges."""
    if not pattern.statement.enhanced:
        for order in contexts.orders_below_nonprojective_edges(request):
            pattern.tables[pattern.edges[order.right].alias] = pattern.statement.relation("nonprojective")


def _assign_edge_row(scope: Scope, clause: syntax.Edge, source: BoundNode, target: BoundNode) -> None:
    if scope.statement.enhanced:
        alias = scope.statement.alias(clause.name or f"{source.name}-{target.name}")
        scope.tables[alias] = scope.statement.relation("graph")
        _set_position(scope, source, f"{alias}.source")
        _set_position(scope, target, f"{alias}.target")
    else:
        alias = target.alias
        _set_position(scope, source, f"{alias}.head")
    if clause.name:
        scope.edges[clause.name].alias = alias
    any_label = isinstance(clause.labels, Labels) and not clause.labels.values
    if any_label and not scope.statement.enhanced and source.derived:
        scope.conditions.append(f"{alias}.head IS NOT NULL")
    scope.conditions += fields.label_conditions(scope, alias, clause.labels)


def _set_position(scope: Scope, node: BoundNode, position: str) -> None:
    """Equate a node's position with an expression: by a condition, or, at the first edge of a node without a row, by
    definition."""
    if node.row or node.derived or node.home is not scope:
        scope.conditions.append(f"{position} = {node.position}")
    else:
        node.derived = position


# What is selected.


def _head_and_tail(pattern: Scope, selection: Selection, whether: dict[Key, Scope]) -> tuple[str, str]:
    """Return the SQL before FROM, and the SQL after the conditions."""
    if selection.count:
        return "SELECT count(*) AS count", ""
    chosen = distinct_keys(selection.by or selection.columns)
    limit = selection.bounds
    groups = group_clauses(len(chosen), selection.ordered) + limit if selection.by else None
    if has_contexts(chosen):
        return surround(
            pattern,
            chosen,
            whether,
            groups=groups,
            order=_order(pattern, selection.order),
            sort=selection.sort,
            limit=limit,
        )
    grouped = groups is not None
    columns = [f"{key_sql(pattern, key, whether, grouped=grouped)} AS {quote(key.name)}" for key in chosen]
    if groups is not None:
        return f"SELECT {', '.join([*columns, 'count(*) AS count'])}", groups
    between = ", " if sum(map(len, columns)) < MAX_LINE_LENGTH else ",\n       "
    return f"SELECT {between.join(columns)}", f"\nORDER BY {', '.join(_order(pattern, selection.order))}{limit}"


def _order(pattern: Scope, chosen: str | None) -> list[str]:
    """Return what orders matches as they stand in the corpora, or by another order of ORDERS."""
    home = pattern.home()
    order = [f"{home}.corpus", f"{home}.sentence", *(node.position for node in pattern.nodes.values())]
    order += [edge.label for edge in pattern.edges.values() if edge.enhanced]  # of several between the same words
    if chosen == LENGTH:
        return [f"{pattern.statement.sentence_row()}.n_words", *order]
    return [f"hash({', '.join(order)})", *order] if chosen == SHUFFLED else order


def _sentence_bounds(alias: str, selection: Selection) -> list[str]:
    """Return the conditions that a row is of the sentences that are searched: DuckDB does not infer them from joins."""
    return [] if selection.before is None else [f"{alias}.sentence < {selection.before}"]


def _corpus_condition(pattern: Scope, corpora: Iterable[str]) -> str:
    names = [literal(name) for name in corpora]
    column = f"{pattern.home()}.corpus"
    return f"{column} = {names[0]}" if len(names) == 1 else f"{column} IN ({', '.join(names)})"


ROW = "hit"
"""Alias of the row of a match."""


def has_contexts(among: Sequence[Key]) -> bool:
    """Whether there is a context among some keys."""
    return any(isinstance(key.term, ContextKey) for key in among)


def mark_rows(pattern: Scope, key: Key) -> None:
    """Mark the nodes that need a row for a context. Raises RequestError if the match has no node, or not this one."""
    assert isinstance(key.term, ContextKey)
    if key.term.side == contexts.TEXT:
        return
    scope = pattern.with_text(key.text)
    if not pattern.nodes:
        hint = "bind a node by a clause such as `X [upos=VERB]`"
        raise scope.error(key.term.span, "a match of this request has no words", hint)
    chosen = [scope.require(key.term.node, key.term.span)] if key.term.node else pattern.nodes.values()
    for node in chosen:
        node.row |= pattern.statement.enhanced


def surround(
    pattern: Scope,
    chosen: Sequence[Key],
    whether: Mapping[Key, Scope],
    *,
    groups: str | None,
    order: Sequence[str],
    sort: ContextKey | None,
    limit: str,
) -> tuple[str, str]:
    """Return the SQL before FROM and after the conditions of a request with contexts among its keys.

    groups: GROUP BY and what follows it, None for a row per match. order: of the matches in the corpora; sort: the
    context by which they are sorted instead.
    """
    home = pattern.home()
    inner = [f"{home}.corpus", f"{home}.sentence"]
    if groups is None:
        inner.append(f"row_number() OVER (ORDER BY {', '.join(order)}) AS number")
    nodes: dict[str, Place] = {}
    for number, (name, place) in enumerate(_places(pattern, chosen, sort).items(), 1):
        inner += [f"{place.first} AS first_{number}", f"{place.last} AS last_{number}"]
        nodes[name] = Place(f"{ROW}.first_{number}", f"{ROW}.last_{number}", place.optional)
    outer = []
    for number, key in enumerate(chosen, 1):
        if isinstance(key.term, ContextKey) and key.term.side == contexts.TEXT:
            inner.append(f"{pattern.statement.sentence_row()}.text AS key_{number}")
            outer.append(f"{contexts.text_sql(f'{ROW}.key_{number}', ROW)} AS {quote(key.name)}")
        elif isinstance(key.term, ContextKey):
            outer.append(f"{contexts.context_sql(key.term, ROW, nodes)} AS {quote(key.name)}")
        else:
            inner.append(f"{key_sql(pattern, key, whether, grouped=groups is not None)} AS key_{number}")
            outer.append(f"{ROW}.key_{number} AS {quote(key.name)}")
    columns, matches = ",\n       ".join(outer), "SELECT " + ",\n       ".join(inner)
    if groups is not None:
        return f"SELECT {columns},\n       count(*) AS count\nFROM (\n{matches}", f"\n) AS {ROW}{groups}"
    if sort is None:
        return f"SELECT {columns}\nFROM (\n{matches}", f"\nORDER BY number{limit}\n) AS {ROW}\nORDER BY {ROW}.number"
    nearest = f"SELECT {ROW}.*, {contexts.order_sql(sort, ROW, nodes)} AS nearest\nFROM (\n{matches}"
    sorting = "ORDER BY nearest NULLS FIRST, number"
    return f"SELECT {columns}\nFROM (\n{nearest}", f"\n) AS {ROW}\n{sorting}{limit}\n) AS {ROW}\n{sorting}"


def _places(pattern: Scope, chosen: Sequence[Key], sort: ContextKey | None) -> dict[str, Place]:
    """Return the places of the nodes that contexts need."""
    terms = [key.term for key in chosen if isinstance(key.term, ContextKey)] + ([sort] if sort else [])
    named = {term.node for term in terms if term.side != contexts.TEXT}
    return {name: contexts.place_of(node) for name, node in pattern.nodes.items() if None in named or name in named}


UNDEFINED = "__undefined__"
SENTENCE_COLUMNS = ("corpus", "sentence", "sent_id", "text", "file", "line", "newdoc", "newpar")


def key_sql(pattern: Scope, key: Key, whether: Mapping[Key, Scope], *, grouped: bool = False) -> str:
    """Return the SQL of a key. whether: the scopes of sub-requests. grouped: undefined values become `__undefined__`.

    Raises RequestError.
    """
    scope, term = pattern.with_text(key.text), key.term
    if isinstance(term, syntax.WhetherKey):
        return f"CASE WHEN {exists_condition(whether[key], negated=False)} THEN 'Yes' ELSE 'No' END"
    sql = _term_sql(scope, term)
    texts = syntax.FeatureKey | syntax.MetadataKey
    lacking = (
        isinstance(term, syntax.NameKey)
        and term.name in ("newdoc", "newpar")
        and not (scope.node(term.name) or scope.edge(term.name))
    )
    if grouped and (isinstance(term, texts) or lacking) and not _is_numeric(scope, term):
        return f"coalesce({sql}, {literal(UNDEFINED)})"
    return sql


def _is_numeric(scope: Scope, term: syntax.Term) -> bool:
    return (
        isinstance(term, syntax.FeatureKey)
        and term.gap is None
        and all(fields.is_number(scope, reference) for reference in term.references)
    )


def _term_sql(scope: Scope, term: syntax.Term) -> str:
    if isinstance(term, syntax.FeatureKey):
        references = [fields.reference_value(scope, reference) for reference in term.references]
        value = references[0] if len(references) == 1 else f"coalesce({', '.join(references)})"
        return value if term.gap is None else values.interval(value, term.gap)
    if isinstance(term, syntax.NameKey):
        return _name_sql(scope, term)
    if isinstance(term, syntax.SentenceKey):
        return f"{scope.home()}.{term.name}"
    if isinstance(term, syntax.MetadataKey):
        return fields.comment_text(scope.statement, term.name)
    if isinstance(term, syntax.Measure):
        return fields.distance_value(scope, term)
    if isinstance(term, syntax.BinKey):
        low = f"CAST(floor({fields.distance_value(scope, term.measure)} / {term.width}.0) AS BIGINT) * {term.width}"
        return f"{low}" if term.width == 1 else f"{low} || '..' || ({low} + {term.width - 1})"
    if isinstance(term, syntax.OrderKey):
        return _order_sql(scope, term.names, term.span, " << ")
    if isinstance(term, syntax.PlacesKey):
        return _places_sql(scope, term)
    assert isinstance(term, syntax.RelationKey)
    return _relation_sql(scope, term)


def _name_sql(scope: Scope, term: syntax.NameKey) -> str:
    """Return the position of a node, the label of an edge, or a property of the sentence."""
    if node := scope.node(term.name):
        if not scope.statement.enhanced:
            return node.position
        alias = node.alias
        return f"CASE WHEN {alias}.index > 0 THEN {alias}.word || '.' || {alias}.index ELSE {alias}.word || '' END"
    if edge := scope.edge(term.name):
        return edge.label
    if term.name in ("corpus", "sentence"):
        return f"{scope.home()}.{term.name}"
    if term.name in ("newdoc", "newpar"):
        return fields.document_name(scope.statement, term.name)
    if term.name in SENTENCE_COLUMNS:
        return f"{scope.statement.sentence_row()}.{term.name}"
    if term.name in relations.CORPUS_KEYS:
        return relations.corpus_key(term.name, f"{scope.home()}.corpus", scope.statement.alias("own_corpus"))
    raise scope.unbound_error(term.name, term.span, (*SENTENCE_COLUMNS, *relations.CORPUS_KEYS))


def _order_sql(scope: Scope, names: Sequence[str], span: syntax.Span, between: str, *, upper: bool = False) -> str:
    """Return the names of nodes in the order of the sentence."""
    nodes = [scope.require(name, span) for name in names]
    written = [literal(name.upper() if upper else name) for name in names]
    parts = [f"{{'position': {node.position}, 'name': {name}}}" for node, name in zip(nodes, written, strict=True)]
    ordered = f"list_sort([{', '.join(parts)}])"
    return f"array_to_string([one.name for one in {ordered}], {literal(between)})"


def _places_sql(scope: Scope, term: syntax.PlacesKey) -> str:
    if term.kind == "order":
        between = "" if all(len(name) == 1 for name in term.names) else "-"
        return _order_sql(scope, term.names, term.span, between, upper=True)
    left, right = (scope.require(name, term.span) for name in term.names)
    return f"CASE WHEN {left.position} < {right.position} THEN 'left' ELSE 'right' END"


def _relation_sql(scope: Scope, term: syntax.RelationKey) -> str:
    left, right = (scope.require(name, term.span) for name in (term.left, term.right))
    statement = scope.statement
    if not statement.enhanced:
        downward = f"WHEN {right.alias}.head = {left.position} THEN {right.alias}.deprel"
        upward = f" WHEN {left.alias}.head = {right.position} THEN '-' || {left.alias}.deprel"
        return f"CASE {downward}{upward if term.both else ''} ELSE '__none__' END"
    alias, table = statement.alias("between"), statement.relation("graph")
    forward = f"({alias}.source = {left.position} AND {alias}.target = {right.position})"
    backward = f"({alias}.source = {right.position} AND {alias}.target = {left.position})"
    ends = f"({forward} OR {backward})" if term.both else forward
    label = f"CASE WHEN {forward} THEN '' ELSE '-' END || {alias}.label"
    relation = f"CASE count(*) WHEN 0 THEN '__none__' WHEN 1 THEN min({label}) ELSE '__multi__' END"
    conditions = [*scope.same_sentence(alias), ends]
    return f"(SELECT {relation} FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"


@dataclass(frozen=True)
class _Condition:
    """A condition, and the aliases of its own scope that it uses."""

    sql: str
    aliases: frozenset[str]


def exists_condition(scope: Scope, *, negated: bool) -> str:
    """Return a filtering item as a condition. Raises RequestError."""
    add_conditions(scope)
    if not scope.tables:
        joined = " AND ".join(scope.conditions) or "TRUE"
        return f"({joined}) IS NOT TRUE" if negated else f"({joined})"
    first = next(iter(scope.tables))
    scope.conditions = [*scope.same_sentence(first, outer=True), *scope.conditions]
    return f"{'NOT ' if negated else ''}EXISTS (\n    SELECT 1\n{from_clause(scope, '    ')}\n  )"


def from_clause(scope: Scope, indent: str = "") -> str:
    """Return the lines of a scope from FROM on; the pattern's include the row of the sentence, if there is one."""
    conditions = [_Condition(sql, _aliases_in(scope, sql)) for sql in scope.conditions]
    tables = dict(scope.tables)
    sentence = scope.statement.sentence
    if scope is scope.pattern and sentence:
        tables[sentence] = "sentences"
    lines: list[str] = []
    joined_aliases: list[str] = []
    for alias in _join_order(list(tables), conditions):
        source = f"{tables[alias]} AS {alias}"
        if not joined_aliases:
            lines.append(f"{indent}FROM {source}")
        else:
            available = {*joined_aliases, alias}
            usable = [c for c in conditions if alias in c.aliases and c.aliases <= available and len(c.aliases) > 1]
            partner = next(
                (a for c in usable for a in joined_aliases if a in c.aliases and " = " in c.sql), joined_aliases[0]
            )
            on = [f"{scope.statement.same_corpus(alias, partner)} AND {alias}.sentence = {partner}.sentence"]
            on += [c.sql for c in usable]
            lines += [f"{indent}JOIN {source}", f"{indent}  ON " + f"\n{indent}  AND ".join(on)]
            conditions = [c for c in conditions if c not in usable]
        joined_aliases.append(alias)
    rest = [c.sql for c in conditions]
    if rest:
        lines.append(f"{indent}WHERE " + f"\n{indent}  AND ".join(rest))
    return "\n".join(lines)


def _aliases_in(scope: Scope, sql: str) -> frozenset[str]:
    """Return the aliases of a scope in a condition; none for a subquery, which may use all."""
    mentioned = frozenset(alias for alias in scope.tables if f"{alias}." in sql)
    return frozenset() if "SELECT" in sql else mentioned


def _join_order(aliases: list[str], conditions: Sequence[_Condition]) -> list[str]:
    """Return the aliases in an order such that each is joined, if possible, by a condition to one before it."""
    order = aliases[:1]
    while len(order) < len(aliases):
        rest = [alias for alias in aliases if alias not in order]
        joined = (
            alias
            for alias in rest
            if any(alias in c.aliases and c.aliases - {alias} and c.aliases <= {*order, alias} for c in conditions)
        )
        order.append(next(joined, rest[0]))
    return order
