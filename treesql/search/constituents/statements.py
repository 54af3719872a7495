"""Statements about the matches of a tree request: rows with columns, groups with counts, or their number.

Formulas are compiled so that nodes that are shown become rows of a join, all others subqueries.

A statement selects the matches first: the numbers of the shown nodes, once each. What is asked about them is selected
from these. Where alternatives bind shown nodes, the matches are a UNION of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from treesql.catalog import schemas
from treesql.catalog.documents import DOCUMENT_IDS
from treesql.catalog.schemas import literal, quote
from treesql.errors import RequestError, UnknownName
from treesql.search.constituents import relations
from treesql.search.constituents.relations import dominates, same_tree
from treesql.search.constituents.syntax import (
    AllOf,
    AnyOf,
    Condition,
    Exists,
    Formula,
    Holds,
    Not,
    OneOf,
    Related,
    SameValue,
    Shape,
    TreeNode,
    TreeRequest,
    binds_names,
)
from treesql.search.grew import contexts, syntax
from treesql.search.grew.contexts import Place
from treesql.search.grew.lexer import Regex
from treesql.search.grew.relations import CORPUS_KEYS, DOCUMENTS, corpus_key
from treesql.search.grew.syntax import ContextKey, Key, Span
from treesql.search.selection import LENGTH, SHUFFLED, Selection, distinct_keys, group_clauses

COLUMNS = ("label", "category", "edge_label", "kind", "form", "lemma", "feats", "first", "last", "phrase")
"""Columns of `tree_nodes` that are keys: `N.label`."""

DERIVED = ("text", "words", "parent", "rule")
"""Keys that are computed: the words, their number, the label of the parent, the labels of the children."""

NUMBERS = ("first", "last", "phrase", "words")
"""Keys that are numbers."""

UNDEFINED = "__undefined__"
SENTENCE_COLUMNS = ("corpus", "sentence", "sent_id", "file", "line")
_MATCH, _HIT = "m", "hit"


def compile_statement(
    request: TreeRequest,
    selection: Selection,
    whether: Mapping[str, tuple[Formula, str]],
    head_rules: Mapping[str, str],
    *,
    tops: bool = False,
) -> str:
    """Compile a request to one statement.

    whether: formulas and their texts by the names of keys; head_rules: the set of head rules of every searched corpus,
    for requests with heads; tops: whether a tree has a top without a label that branches. Raises RequestError,
    UnknownName.
    """
    matches = matches_sql(request, selection.corpora)
    if selection.count and not selection.group:
        body = f"SELECT count(*) AS count\nFROM (\n{matches}\n) AS {_MATCH}"
    else:
        body = _Rows(request, selection, whether).statement(matches)
    return with_common_tables(body, head_rules, tops=tops)


class _Rows:
    """Rows of matches, or groups of them: the columns, and the tables that they need beside the matches."""

    def __init__(self, request: TreeRequest, wanted: Selection, whether: Mapping[str, tuple[Formula, str]]) -> None:
        self.request, self.wanted, self.whether = request, wanted, whether
        self.aliases: dict[str, str] = {}
        for name in request.names:
            alias = free_alias(name, {used.strip('"').lower() for used in self.aliases.values()})
            self.aliases[name] = quote(alias)
        self.sentence = False

    def statement(self, matches: str) -> str:
        selection = self.wanted
        chosen = distinct_keys(selection.by or selection.columns)
        columns = [f"{self._key(key, grouped=bool(selection.by))} AS {quote(key.name)}" for key in chosen]
        limit = selection.bounds
        restrictions = [
            f"CAST({self._key(key, grouped=True)} AS VARCHAR) = {literal(value)}" for key, value in selection.group
        ]
        if selection.count:
            select, tail = ["count(*) AS count"], ""
        elif selection.by:
            select, tail = [*columns, "count(*) AS count"], group_clauses(len(chosen), selection.ordered) + limit
        else:
            select, tail = columns, f"\nORDER BY {', '.join(self._order())}{limit}"
        where = f"\nWHERE {' AND '.join(restrictions)}" if restrictions else ""
        return "SELECT " + ",\n       ".join(select) + f"\nFROM (\n{matches}\n) AS {_MATCH}{self._joins()}{where}{tail}"

    def _joins(self) -> str:
        lines = []
        for number, name in enumerate(self.request.names, 1):
            alias = self.aliases[name]
            same = f"{relations.same_tree(_MATCH, alias)} AND {alias}.node = {_MATCH}.node_{number}"
            lines.append(f"\n{'JOIN' if number == 1 else 'LEFT JOIN'} tree_nodes AS {alias} ON {same}")
        if self.sentence:
            lines.append(f"\nJOIN sentences AS s ON {relations.same_tree(_MATCH, 's')}")
        return "".join(lines)

    def _order(self) -> list[str]:
        """Return what orders matches as they stand in the corpora, or by the context that is chosen."""
        order = [f"{_MATCH}.corpus", f"{_MATCH}.sentence"]
        for alias in self.aliases.values():
            order += [f"{alias}.first", f"{alias}.level"]
        if self.wanted.order == SHUFFLED:
            return [f"hash({', '.join(order)})", *order]
        if self.wanted.order == LENGTH:
            self.sentence = True
            return ["s.n_words", *order]
        if self.wanted.sort is None:
            return order
        return [f"{contexts.order_sql(self.wanted.sort, _MATCH, self._places())} NULLS FIRST", *order]

    def _places(self) -> dict[str, Place]:
        """Return the places of nodes; the match of a concordance is the head alone."""
        return {name: Place(f"{alias}.first", f"{alias}.last", False) for name, alias in self.aliases.items()}

    def _key(self, key: Key, *, grouped: bool = False) -> str:
        if key.name in self.whether:
            formula, text = self.whether[key.name]
            rows = {variable_of(name, self.request): alias for name, alias in self.aliases.items()}
            return f"CASE WHEN {holds_sql(self.request, formula, text, rows)} THEN 'Yes' ELSE 'No' END"
        sql = self._term(key)
        texts = isinstance(key.term, syntax.FeatureKey | syntax.NameKey | syntax.MetadataKey)
        numeric = isinstance(key.term, syntax.FeatureKey) and key.term.references[0].name in NUMBERS
        return f"coalesce({sql}, {literal(UNDEFINED)})" if grouped and texts and not numeric else sql

    def _term(self, key: Key) -> str:
        term = key.term
        if isinstance(term, syntax.SentenceKey):
            return f"{_MATCH}.{term.name}"
        if isinstance(term, syntax.NameKey):
            return self._name(key, term)
        if isinstance(term, syntax.FeatureKey) and term.gap is None:
            features = [self._feature(key, reference) for reference in term.references]
            return features[0] if len(features) == 1 else f"coalesce({', '.join(features)})"
        if isinstance(term, syntax.MetadataKey):
            self.sentence = True
            if term.name in DOCUMENT_IDS:
                same = "d.corpus = s.corpus AND d.sentence = s.sentence"
                return f"(SELECT d.{DOCUMENT_IDS[term.name]} FROM {DOCUMENTS} AS d WHERE {same})"
            return "s.text" if term.name == "text" else f"comment_value(s.comments, {literal(term.name)})"
        if isinstance(term, ContextKey):
            return self._context(term, key)
        what, hint = f"`{key.name}` is no key of tree requests", f"keys are a node's {', '.join(COLUMNS + DERIVED)}"
        raise RequestError(key.text, 0, what, hint)

    def _name(self, key: Key, term: syntax.NameKey) -> str:
        if term.name in self.aliases:
            return f"{self.aliases[term.name]}.label"
        if term.name in ("corpus", "sentence"):
            return f"{_MATCH}.{term.name}"
        if term.name == contexts.TEXT:
            self.sentence = True
            return contexts.text_sql("s.text", _MATCH)
        if term.name in SENTENCE_COLUMNS:
            self.sentence = True
            return f"s.{term.name}"
        if term.name in CORPUS_KEYS:
            return corpus_key(term.name, f"{_MATCH}.corpus")
        known = (*self.request.names, *SENTENCE_COLUMNS, *CORPUS_KEYS, contexts.TEXT)
        raise self._unknown("node or column", term.name, known, key, term.span)

    def _feature(self, key: Key, reference: syntax.FeatureReference) -> str:
        if reference.owner not in self.aliases:
            raise self._unknown("node", reference.owner, self.request.names, key, reference.span)
        alias = self.aliases[reference.owner]
        if reference.name in COLUMNS:
            return f"{alias}.{reference.name}"
        if reference.name not in DERIVED:
            raise self._unknown("key of a node", reference.name, COLUMNS + DERIVED, key, reference.span)
        return _derived(reference.name, alias)

    def _context(self, term: ContextKey, key: Key) -> str:
        if term.node is not None and term.node not in self.aliases:
            raise self._unknown("node", term.node, self.request.names, key, term.span)
        head = self.request.names[0]
        places = self._places()
        side = contexts.MATCH if term.side == contexts.MARKED else term.side
        chosen = ContextKey(side, term.words, term.node or head, term.span)
        return contexts.context_sql(chosen, _MATCH, places)

    def _unknown(self, kind: str, name: str, known: Sequence[str], key: Key, span: syntax.Span) -> RequestError:
        what, _, hint = str(UnknownName(kind, name, list(known))).partition("; ")
        return RequestError(key.text, span.start, what, hint)


def variable_of(name: str, request: TreeRequest) -> str:
    """Return the variable of a shown node: the head's own, or else its name."""
    return request.head.variable if name == request.head.name else name


def _derived(name: str, alias: str) -> str:
    same = relations.same_tree(alias, "w")
    words = f"FROM words AS w WHERE {same} AND {relations.covers(alias, 'w')}"
    if name == "words":
        return (
            f"CASE WHEN {alias}.leave IS NULL THEN {alias}.last - {alias}.first + 1 ELSE (SELECT count(*) {words}) END"
        )
    if name == "text":
        apart = f"(SELECT string_agg(w.form, ' ' ORDER BY w.word) {words})"
        whole = f"text_between({alias}, {alias}.first, {alias}.last)"
        return f"CASE WHEN {alias}.leave IS NOT NULL THEN {apart} WHEN {alias}.node IS NOT NULL THEN {whole} END"
    if name == "parent":
        above = f"{relations.same_tree(alias, 'c')} AND c.node = {alias}.parent"
        return f"(SELECT any_value(c.label) FROM tree_nodes AS c WHERE {above})"
    below = f"{relations.same_tree(alias, 'c')} AND c.parent = {alias}.node"
    return f"(SELECT string_agg(c.category, ' ' ORDER BY c.first) FROM tree_nodes AS c WHERE {below})"


NODE_COLUMNS = ("node", "kind", "category", "edge_label", "level")
"""Columns of `tree_nodes` that the tables of its rows do not have."""

_PREFIX = re.compile(r"\^([\w-]+)(?![*?{])(?=[^|]*$)", re.ASCII)
"""The letters with which all that an expression without alternatives finds begins."""

MAX_ALTERNATIVES = 64
"""Maximum number of alternatives of a request that bind different nodes."""


@dataclass
class _Alternative:
    """One way in which shown nodes can be bound: these nodes, and what has to hold beside."""

    nodes: tuple[TreeNode, ...] = ()
    formulas: tuple[Formula, ...] = ()

    def beside(self, other: _Alternative) -> _Alternative:
        return _Alternative(self.nodes + other.nodes, self.formulas + other.formulas)


@dataclass
class _Scope:
    """The aliases of nodes, by variable, and the expressions of values that have to be the same."""

    text: str
    aliases: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def bind(self, node: TreeNode) -> str:
        """Give a node an alias of its own."""
        name = free_alias(node.name or f"n{len(self.used)}", self.used)
        self.used.add(name.lower())
        self.aliases[node.variable] = quote(name)
        return self.aliases[node.variable]

    def alias(self, variable: str, span: Span) -> str:
        if variable not in self.aliases:
            what = f"`{variable}` is not bound in every alternative before this"
            raise RequestError(self.text, span.start, what, "bind it in each, or refer to it there")
        return self.aliases[variable]

    def inner(self) -> _Scope:
        """Return a scope for a subquery, which sees the outer nodes."""
        return _Scope(self.text, {**self.aliases}, {**self.values}, self.used)


_LETTERS = frozenset("wehockmsn")
_TAKEN = (
    frozenset({"up", "mid", "later", "other", "tree_nodes", "heads", "heads_below", "tops", "rooted_nodes"}) | _LETTERS
)
"""Aliases and names in the statements of relations, conditions and keys."""


def free_alias(name: str, used: Container[str]) -> str:
    """Return a name, changed until no table, column or other node of the statement has it. used: in lower case."""
    columns = {
        column.lower() for table in ("words", "constituents", "sentences") for column in schemas.table(table).names
    }
    columns |= {column.lower() for column in NODE_COLUMNS}
    while name.lower() in _TAKEN or name.lower() in used or name.lower() in columns:
        name += "_"
    return name


def matches_sql(request: TreeRequest, corpora: Sequence[str] | None = None) -> str:
    """Return the SELECT of the matches: corpus, sentence and the numbers of the shown nodes, `node_1` the head's.

    Raises RequestError.
    """
    alternatives = _alternatives(request.formula, request)
    parts = [
        _alternative_sql(request, alternative, corpora, distinct=len(alternatives) == 1) for alternative in alternatives
    ]
    return "\nUNION\n".join(parts)


def holds_sql(request: TreeRequest, formula: Formula, text: str, rows: Mapping[str, str]) -> str:
    """Return the condition that a formula holds of a match. rows: aliases of the rows of shown nodes, by variable."""
    scope = _Scope(text, {**rows}, {}, {alias.strip('"').lower() for alias in rows.values()})
    return f"({_formula_sql(formula, scope, rows[request.head.variable])})"


def with_common_tables(sql: str, head_rules: Mapping[str, str], *, tops: bool = False) -> str:
    """Return a statement after the common table expressions that it needs.

    head_rules: by searched corpus. tops: whether a tree has a top without a label that branches.
    """
    common = {}
    if tops:
        common[relations.TOPS_NAME], common[relations.ROOTED_NAME] = relations.TOPS, relations.ROOTED
        sql = relations.with_tops(sql)
    below = f"FROM {relations.HEADS_BELOW_NAME} AS h" in sql
    if below or f"FROM {relations.HEADS_NAME} AS h" in sql:
        common[relations.HEADS_NAME] = relations.heads(head_rules)
    if below:
        common[relations.HEADS_BELOW_NAME] = relations.HEADS_BELOW
    if not common:
        return sql
    tables = ",\n".join(f"{name} AS {table}" for name, table in common.items())
    return f"WITH {'RECURSIVE ' if below else ''}{tables}\n{sql}"


def _alternatives(formula: Formula, request: TreeRequest) -> list[_Alternative]:
    """Return the ways in which the shown nodes of a formula can be bound. Raises RequestError for too many."""
    if not binds_names(formula):
        return [_Alternative(formulas=(formula,))]
    if isinstance(formula, Exists):
        binding = _Alternative((formula.node,))
        return [binding.beside(alternative) for alternative in _alternatives(formula.body, request)]
    assert isinstance(formula, AllOf | AnyOf)
    parts = [_alternatives(part, request) for part in formula.parts]  # type: ignore[arg-type]
    if isinstance(formula, AnyOf):
        alternatives = [alternative for part in parts for alternative in part]
    else:
        n = 1
        for part in parts:
            n *= len(part)
        alternatives = [] if n > MAX_ALTERNATIVES else [_join(ways) for ways in product(*parts)]
    if not alternatives or len(alternatives) > MAX_ALTERNATIVES:
        what = f"the alternatives multiply to more than {MAX_ALTERNATIVES}"
        raise RequestError(request.text, 0, what, "name fewer nodes inside of them, or make several requests")
    return alternatives


def _join(ways: Sequence[_Alternative]) -> _Alternative:
    whole = _Alternative()
    for way in ways:
        whole = whole.beside(way)
    return whole


def _alternative_sql(
    request: TreeRequest, alternative: _Alternative, corpora: Sequence[str] | None, *, distinct: bool
) -> str:
    """Return the SELECT of the matches of one alternative."""
    scope = _Scope(request.text)
    head = scope.bind(request.head)
    lines = [f"FROM tree_nodes AS {head}"]
    conditions = [] if request.head.condition is None else [_condition_sql(request.head.condition, head, scope)]
    if corpora is not None:
        names = ", ".join(map(literal, corpora))
        conditions.insert(0, f"{head}.corpus IN ({names})")
    waiting = [part for formula in alternative.formulas for part in _conjuncts(formula)]
    for node in alternative.nodes:
        alias = scope.bind(node)
        joins, waiting = _split(waiting, scope.aliases)
        on = [same_tree(head, alias)]
        on += [] if node.condition is None else [_condition_sql(node.condition, alias, scope)]
        on += [_formula_sql(part, scope, head) for part in joins]
        lines += [f"JOIN tree_nodes AS {alias}", "  ON " + "\n  AND ".join(on)]
    for part in waiting:
        join, condition = _kept_by(part, scope, head)
        lines += join
        conditions += condition
    if conditions:
        lines.append("WHERE " + "\n  AND ".join(conditions))
    unnamed = any(node.name is None for node in alternative.nodes)
    shown = {node.name: scope.aliases[node.variable] for node in (request.head, *alternative.nodes) if node.name}
    columns = [f"{head}.corpus", f"{head}.sentence"]
    for number, name in enumerate(request.names, 1):
        value = f"{shown[name]}.node" if name in shown else "CAST(NULL AS INTEGER)"
        columns.append(f"{value} AS node_{number}")
    select = "SELECT DISTINCT" if unnamed and distinct else "SELECT"
    return f"{select} {', '.join(columns)}\n" + "\n".join(lines)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, AllOf):
        for part in formula.parts:
            yield from _conjuncts(part)  # type: ignore[arg-type]
    else:
        yield formula


def _split(formulas: Sequence[Formula], known: Mapping[str, str]) -> tuple[list[Formula], list[Formula]]:
    """Return the relations between known nodes, and the other formulas."""
    between_known: list[Formula] = []
    others: list[Formula] = []
    for formula in formulas:
        joins = isinstance(formula, Related) and {formula.left, formula.right} <= known.keys()
        (between_known if joins else others).append(formula)
    return between_known, others


def _formula_sql(formula: Formula, scope: _Scope, anchor: str) -> str:
    """Return a formula as SQL. anchor: the alias of a row of the sentence."""
    if isinstance(formula, Related):
        a, b = scope.alias(formula.left, formula.span), scope.alias(formula.right, formula.span)
        return _related_sql(formula, a, b, scope)
    if isinstance(formula, Holds):
        return _condition_sql(formula.condition, scope.alias(formula.variable, formula.span), scope)
    if isinstance(formula, AllOf):
        return " AND ".join(_formula_sql(part, scope, anchor) for part in formula.parts) or "TRUE"  # type: ignore[arg-type]
    if isinstance(formula, AnyOf):
        ways = [_formula_sql(part, scope.inner(), anchor) for part in formula.parts]  # type: ignore[arg-type]
        return "(" + " OR ".join(f"({way})" if " AND " in way else way for way in ways) + ")"
    if isinstance(formula, Not):
        inside = _formula_sql(formula.part, scope.inner(), anchor)  # type: ignore[arg-type]
        return f"NOT {inside}" if isinstance(formula.part, Exists) else f"NOT coalesce({inside}, FALSE)"
    assert isinstance(formula, Exists)
    return _exists_sql(*_existence(formula, scope.inner(), anchor))


def _kept_by(formula: Formula, scope: _Scope, anchor: str) -> tuple[list[str], list[str]]:
    """Return the join that keeps the rows of which a formula holds, or else the condition.

    DuckDB takes a quarter less time for joins than for EXISTS, a fifth of it where few rows are joined with many, but
    very long for joins with subqueries: those of the joined node alone choose its rows before the join.
    """
    inside = formula.part if isinstance(formula, Not) else formula
    if not isinstance(inside, Exists):
        return [], [_formula_sql(formula, scope, anchor)]
    negated = inside is not formula
    alias, conditions = _existence(inside, scope.inner(), anchor)
    outer = [f"{name}." for name in scope.aliases.values()]
    separate = [
        condition
        for condition in conditions
        if "SELECT" in condition and not any(other in condition for other in outer)
    ]
    joined = [condition for condition in conditions if condition not in separate]
    if alias is None or any("SELECT" in condition for condition in joined):
        return [], [f"{'NOT ' if negated else ''}{_exists_sql(alias, conditions)}"]
    rows = "tree_nodes"
    if separate:
        plain = [condition for condition in joined if not any(other in condition for other in outer)]
        joined = [condition for condition in joined if condition not in plain]
        rows = f"(SELECT {alias}.* FROM tree_nodes AS {alias} WHERE {' AND '.join([*plain, *separate])})"
    on = "\n  AND ".join(joined)
    return [f"{'ANTI' if negated else 'SEMI'} JOIN {rows} AS {alias}\n  ON {on}"], []


def _exists_sql(alias: str | None, conditions: Sequence[str]) -> str:
    condition = " AND ".join(conditions)
    return condition if alias is None else f"EXISTS (SELECT 1 FROM tree_nodes AS {alias} WHERE {condition})"


def _existence(formula: Exists, inner: _Scope, anchor: str) -> tuple[str | None, list[str]]:
    """Return the alias of another node and the conditions on it; None where the condition needs no other node."""
    alias = inner.bind(formula.node)
    parts = list(_conjuncts(formula.body))
    beside = next((part for part in parts if isinstance(part, Related) and alias_of(part, formula.node)), None)
    outer = anchor if beside is None else inner.alias(_other_end(beside, formula.node), beside.span)
    if beside is not None and parts == [beside] and _is_any_child(beside, formula.node):
        return None, [relations.has_children(outer)]
    conditions = [same_tree(outer, alias)]
    if formula.node.condition is not None:
        conditions.append(_condition_sql(formula.node.condition, alias, inner))
    return alias, conditions + [_formula_sql(part, inner, alias) for part in parts]


def _is_any_child(related: Related, node: TreeNode) -> bool:
    """Whether a relation asks for a child, whatever it be."""
    return node.condition is None and related.right == node.variable and related.relation.name == "child"


def alias_of(related: Related, node: TreeNode) -> bool:
    """Whether a relation joins a node with another one."""
    return node.variable in (related.left, related.right) and related.left != related.right


def _other_end(related: Related, node: TreeNode) -> str:
    return related.right if related.left == node.variable else related.left


def _related_sql(formula: Related, a: str, b: str, scope: _Scope) -> str:
    relation = formula.relation
    if relation.name == "dominates_through":
        return _dominates_through(relation.chain, a, b, scope)
    if relation.name == "precedes_through":
        return _precedes_through(relation.chain, a, b, scope)
    return relations.relation_sql(relation, a, b)


def _dominates_through(chain: Condition | None, a: str, b: str, scope: _Scope) -> str:
    """Return the condition that a dominates b and every node between them has a condition."""
    if chain is None:
        return dominates(a, b)
    mid = "mid"
    other = f"NOT coalesce({_condition_sql(chain, mid, scope)}, FALSE)"
    where = f"{same_tree(a, mid)} AND {dominates(a, mid)} AND {dominates(mid, b)} AND {other}"
    return f"{dominates(a, b)} AND NOT EXISTS (SELECT 1 FROM tree_nodes AS {mid} WHERE {where})"


def _precedes_through(chain: Condition | None, a: str, b: str, scope: _Scope) -> str:
    """Return the condition that b begins after a ends, and nodes with a condition fill all words between."""
    if chain is None:
        return f"{b}.first > {a}.last"
    mid = "mid"
    link = f"{same_tree(a, mid)} AND {mid}.first > {a}.last AND {mid}.last < {b}.first"
    covering = f"{link} AND {relations.covers(mid, 'w')} AND {_condition_sql(chain, mid, scope)}"
    uncovered = (
        f"SELECT 1 FROM words AS w WHERE {same_tree(a, 'w')} AND {relations.gap_between(a, b, 'w')}"
        f" AND NOT EXISTS (SELECT 1 FROM tree_nodes AS {mid} WHERE {covering})"
    )
    return f"{b}.first > {a}.last AND NOT EXISTS ({uncovered})"


def _condition_sql(condition: Condition | Formula, alias: str, scope: _Scope) -> str:
    """Return a condition of a node as SQL."""
    if isinstance(condition, AllOf):
        return " AND ".join(_condition_sql(part, alias, scope) for part in condition.parts) or "TRUE"
    if isinstance(condition, AnyOf):
        return "(" + " OR ".join(f"({_condition_sql(part, alias, scope)})" for part in condition.parts) + ")"
    if isinstance(condition, Not):
        return f"NOT coalesce({_condition_sql(condition.part, alias, scope)}, FALSE)"
    if isinstance(condition, OneOf):
        return _one_of_sql(condition, alias)
    if isinstance(condition, SameValue):
        return _same_value_sql(condition, alias, scope)
    assert isinstance(condition, Shape)
    return _SHAPES[condition.name](condition, alias)


def _one_of_sql(condition: OneOf, alias: str) -> str:
    column = f"{alias}.{condition.column}"
    texts = [literal(value) for value in condition.values if isinstance(value, str)]
    parts = []
    if texts:
        parts.append(f"{column} = {texts[0]}" if len(texts) == 1 else f"{column} IN ({', '.join(texts)})")
    expressions = (value.pattern for value in condition.values if isinstance(value, Regex))
    parts += [_matches_sql(column, pattern, condition.find) for pattern in expressions]
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _matches_sql(column: str, pattern: str, find: bool) -> str:
    """Return the condition that a value matches an expression. A prefix in front saves most of the time."""
    matches = f"{'regexp_matches' if find else 'regexp_full_match'}({column}, {literal(pattern)})"
    prefix = _PREFIX.match(pattern) if find else None
    return matches if prefix is None else f"(starts_with({column}, {literal(prefix[1])}) AND {matches})"


def _same_value_sql(condition: SameValue, alias: str, scope: _Scope) -> str:
    value = f"{alias}.{condition.column}"
    if condition.pattern is not None:
        value = f"regexp_extract({value}, {literal(condition.pattern)}, {condition.group})"
    if condition.variable.startswith("="):
        return f"{value} = {scope.alias(condition.variable[1:], condition.span)}.{condition.column}"
    known = scope.values.setdefault(condition.variable, value)
    return "TRUE" if known == value else f"{value} = {known}"


def _count_words(alias: str) -> str:
    words = f"SELECT count(*) FROM words AS w WHERE {same_tree(alias, 'w')} AND {relations.covers(alias, 'w')}"
    return f"CASE WHEN {alias}.leave IS NULL THEN {alias}.last - {alias}.first + 1 ELSE ({words}) END"


_SHAPES: Mapping[str, Callable[[Shape, str], str]] = {
    "root": lambda shape, alias: f"{alias}.parent IS NULL",
    "continuous": lambda shape, alias: f"{alias}.leave IS NULL",
    "discontinuous": lambda shape, alias: f"{alias}.leave IS NOT NULL",
    "phrase": lambda shape, alias: f"{alias}.kind = 'phrase'",
    "word": lambda shape, alias: f"{alias}.kind <> 'phrase'",
    "without_leaves": lambda shape, alias: f"({alias}.kind <> 'word' OR coalesce({alias}.parent, 1) > 0)",
    "arity": lambda shape, alias: relations.has_so_many_children(alias, shape.least, shape.most),
    "tokenarity": lambda shape, alias: f"{_count_words(alias)} BETWEEN {shape.least} AND {shape.most}",
}
"""Conditions on the place of a node in its tree. Without leaves, a word and its tag are one node."""
