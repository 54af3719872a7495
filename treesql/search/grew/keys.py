"""Columns and clustering keys -> SQL."""

from __future__ import annotations

from collections.abc import Mapping

from treesql.catalog.schemas import literal
from treesql.search.grew import fields, joins, syntax, values
from treesql.search.grew.scopes import Scope
from treesql.search.grew.syntax import Key

UNDEFINED = "__undefined__"
SENTENCE_COLUMNS = ("corpus", "sentence", "sent_id", "text", "file", "line", "newdoc", "newpar")


def key_sql(pattern: Scope, key: Key, whether: Mapping[Key, Scope], *, grouped: bool = False) -> str:
    """Return the SQL of a key. whether: the scopes of sub-requests. grouped: undefined values become `__undefined__`.

    Raises RequestError.
    """
    scope, term = pattern.with_text(key.text), key.term
    if isinstance(term, syntax.WhetherKey):
        return f"CASE WHEN {joins.exists_condition(whether[key], negated=False)} THEN 'Yes' ELSE 'No' END"
    sql = _term_sql(scope, term)
    texts = syntax.FeatureKey | syntax.MetadataKey
    is_document = isinstance(term, syntax.NameKey) and term.name in ("newdoc", "newpar") and not scope.node(term.name)
    if grouped and (isinstance(term, texts) or is_document) and not _is_numeric(scope, term):
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
        found = [fields.reference_value(scope, reference) for reference in term.references]
        value = found[0] if len(found) == 1 else f"coalesce({', '.join(found)})"
        return value if term.gap is None else values.interval(value, term.gap)
    if isinstance(term, syntax.NameKey):
        return _name_sql(scope, term)
    if isinstance(term, syntax.SentenceKey):
        return f"{scope.home()}.{term.name}"
    if isinstance(term, syntax.MetadataKey):
        return fields.comment_text(scope.statement, term.name)
    if isinstance(term, syntax.Measure):
        return fields.distance_value(scope, term)
    if isinstance(term, syntax.OrderKey):
        return _order_sql(scope, term)
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
    raise scope.unbound_error(term.name, term.span, SENTENCE_COLUMNS)


def _order_sql(scope: Scope, term: syntax.OrderKey) -> str:
    nodes = [scope.require(name, term.span) for name in term.names]
    parts = [f"{{'position': {node.position}, 'name': {literal(node.name)}}}" for node in nodes]
    ordered = f"list_sort([{', '.join(parts)}])"
    return f"array_to_string([one.name for one in {ordered}], ' << ')"


def _relation_sql(scope: Scope, term: syntax.RelationKey) -> str:
    left, right = (scope.require(name, term.span) for name in (term.left, term.right))
    statement = scope.statement
    if not statement.enhanced:
        there = f"WHEN {right.alias}.head = {left.position} THEN {right.alias}.deprel"
        back = f" WHEN {left.alias}.head = {right.position} THEN '-' || {left.alias}.deprel"
        return f"CASE {there}{back if term.both else ''} ELSE '__none__' END"
    alias, table = statement.alias("between"), statement.relation("graph")
    forward = f"({alias}.source = {left.position} AND {alias}.target = {right.position})"
    backward = f"({alias}.source = {right.position} AND {alias}.target = {left.position})"
    ends = f"({forward} OR {backward})" if term.both else forward
    label = f"CASE WHEN {forward} THEN '' ELSE '-' END || {alias}.label"
    one = f"CASE count(*) WHEN 0 THEN '__none__' WHEN 1 THEN min({label}) ELSE '__multi__' END"
    conditions = [*scope.same_sentence(alias), ends]
    return f"(SELECT {one} FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"
