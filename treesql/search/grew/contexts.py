"""Words before, in and after a match, as SQL; and which nodes of a request its clauses join with others.

A node stands at the places of its words, from `first` to `last`. An empty node has no word, so that its first place
comes after its last. The anchor has no place; a match of the anchor alone ends before the first word.

A statement joins few words of a sentence where clauses join the nodes. An edge joins its ends, `X < Y` joins
neighbours, and equal features join two nodes; an order of words, a distance or a path between two nodes joins none: all
words of a sentence are then combined with all others, twenty or thirty for a word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from treesql.catalog.schemas import literal
from treesql.search.grew import syntax
from treesql.search.grew.scopes import BoundNode, edges_between_nodes, names_bound_by
from treesql.search.grew.syntax import Clause, ContextKey, FeatureComparison, FeatureReference, GrewRequest, Key, Order

MATCH = "match"
SIDES = ("left", MATCH, "right")
"""Keys without a number of words: all of the sentence before the match, the match, and all that follows it."""

TEXT = "text"
"""The key of the sentence's text: a context where sentences have no comment with it, and their words give it."""

MARKED = "marked"
"""The side of a match that has each word of its nodes, behind their names, between MARKS."""

MARKS = ("\ufdd0", "\ufdd1", "\ufdd2")
"""Characters before the names of nodes with a space before each, between these and the matched word, and behind it.
Unicode reserves them for internal use, so that no text has them."""

_LAST_WORD = 2_147_483_647


@dataclass(frozen=True)
class Place:
    """The first and the last place of a node, as SQL. optional: whether it may be the anchor, which has none."""

    first: str
    last: str
    optional: bool


def with_contexts(keys: Sequence[Key], sides: Collection[str], names: Collection[str]) -> list[Key]:
    """Return keys with those named like a side as contexts, unless a node or an edge has this name."""
    contexts = []
    for key in keys:
        if isinstance(key.term, syntax.NameKey) and key.term.name in sides and key.term.name not in names:
            key = Key(ContextKey(key.term.name, None, None, key.term.span), key.name, key.text)
        contexts.append(key)
    return contexts


def place_of(node: BoundNode) -> Place:
    """Return the place of a node."""
    if not node.home.statement.enhanced:
        word = f"nullif({node.position}, 0)" if node.anchor else node.position
        return Place(word, word, node.anchor)
    word = f"nullif({node.alias}.word, 0)" if node.anchor else f"{node.alias}.word"
    return Place(f"{word} + least({node.alias}.index, 1)", word, node.anchor)


def context_sql(term: ContextKey, row: str, nodes: Mapping[str, Place]) -> str:
    """Return the text of a context. row: an alias of the sentence; nodes: all of the match, by name."""
    first, last = _ends_of(_chosen(term, nodes))
    if term.side == MATCH:
        return f"text_between({row}, {first}, {last})"
    if term.side == MARKED:
        return _marked_sql(row, first, last, {name: node.last for name, node in nodes.items()})
    if term.side == "left":
        return f"text_between({row}, {'1' if term.words is None else f'{first} - {term.words}'}, {first} - 1)"
    return f"text_between({row}, {last} + 1, {_LAST_WORD if term.words is None else f'{last} + {term.words}'})"


def text_sql(comment: str, row: str) -> str:
    """Return the text of the sentence: that of its comment, or else its words."""
    return f"coalesce({comment}, text_between({row}, 1, {_LAST_WORD}))"


def order_sql(term: ContextKey, row: str, nodes: Mapping[str, Place]) -> str:
    """Return what a context is sorted by: its words in lower case, those next to the match first."""
    if term.side == MATCH:
        return f"lower({context_sql(term, row, nodes)})"
    first, last = _ends_of(_chosen(term, nodes))
    left = term.side == "left"
    bounds = f"{first} - {term.words} AND {first} - 1" if left else f"{last} + 1 AND {last} + {term.words}"
    return (
        f"(SELECT list(lower(c.form) ORDER BY c.word{' DESC' * left}) FROM words AS c"
        f" WHERE c.corpus = {row}.corpus AND c.sentence = {row}.sentence AND c.word BETWEEN {bounds})"
    )


def _chosen(term: ContextKey, nodes: Mapping[str, Place]) -> list[Place]:
    return [nodes[term.node]] if term.node else list(nodes.values())


def _ends_of(nodes: Sequence[Place]) -> tuple[str, str]:
    """Return the first and the last place of some nodes."""
    firsts, lasts = list(dict.fromkeys(n.first for n in nodes)), list(dict.fromkeys(n.last for n in nodes))
    first = firsts[0] if len(firsts) == 1 else f"least({', '.join(firsts)})"
    last = lasts[0] if len(lasts) == 1 else f"greatest({', '.join(lasts)})"
    if all(node.optional for node in nodes):
        return f"coalesce({first}, 1)", f"coalesce({last}, 0)"
    return first, last


def _marked_sql(row: str, first: str, last: str, words: Mapping[str, str]) -> str:
    """Return the text of a match with marks: as text_between, a multiword token marked if one of its words is.

    words: the places of matched words, by the names of their nodes.
    """
    begin, between, end = map(literal, MARKS)
    whole = f"t.first >= {first} AND t.last <= {last}"
    form, misc, low, high = (
        f"CASE WHEN {whole} THEN t.{of_token} ELSE c.{of_word} END"
        for of_token, of_word in (("form", "form"), ("misc", "misc"), ("first", "word"), ("last", "word"))
    )
    places = {name: f"{word} BETWEEN {low} AND {high}" for name, word in words.items()}
    matched = " OR ".join(dict.fromkeys(places.values()))
    names = " || ".join(f"CASE WHEN {place} THEN {literal(f' {name}')} ELSE '' END" for name, place in places.items())
    return f"""coalesce((
    SELECT rtrim(string_agg(
      CASE WHEN {whole} AND t.first < c.word THEN ''
           ELSE CASE WHEN {matched} THEN {begin} || {names} || {between} || {form} || {end} ELSE {form} END
                || CASE WHEN contains('|' || {misc} || '|', '|SpaceAfter=No|') THEN '' ELSE ' ' END
      END, '' ORDER BY c.word))
    FROM words AS c
    LEFT JOIN tokens AS t
      ON t.corpus = c.corpus AND t.sentence = c.sentence AND c.multiword AND c.word BETWEEN t.first AND t.last
    WHERE c.corpus = {row}.corpus AND c.sentence = {row}.sentence AND c.word BETWEEN {first} AND {last}), '')"""


def joins_all_words(request: GrewRequest, *, enhanced: bool = False) -> bool:
    """Whether the pattern, or a filtering item by itself, has nodes that no clauses join.

    enhanced: whether edges are those of the enhanced graph, of which many may cross.
    """
    pattern = request.clauses("pattern", "global")
    few = [] if enhanced else list(orders_below_nonprojective_edges(request))
    outer = _nodes(pattern)
    filters = [item.clauses for item in request.items if item.kind in ("with", "without")]
    scopes = [(pattern, outer), *((clauses, _nodes(clauses) - outer) for clauses in filters)]
    return any(_n_groups(clauses, nodes, few, enhanced) > 1 for clauses, nodes in scopes)


def orders_below_nonprojective_edges(request: GrewRequest) -> Iterator[Order]:
    """Yield the clauses `X << e` of the pattern for which `without { H ->> X }`, with H the head of e, says that e is
    not projective in the basic tree."""
    pattern = request.clauses("pattern", "global")
    nodes = _nodes(pattern)
    heads = {clause.name: source for clause, source, _ in edges_between_nodes(pattern) if clause.name}
    alone = [item.clauses[0] for item in request.items if item.kind == "without" and len(item.clauses) == 1]
    outside = {(clause.source, clause.target) for clause in alone if isinstance(clause, syntax.Dominance)}
    for order in (clause for clause in pattern if isinstance(clause, Order)):
        of_a_node = order.operator == "<<" and order.left in nodes
        if of_a_node and (heads.get(order.right), order.left) in outside:
            yield order


def _nodes(clauses: Iterable[Clause]) -> set[str]:
    return {name for clause in clauses for name in names_bound_by(clause)}


def _n_groups(clauses: Sequence[Clause], nodes: set[str], few: Sequence[Order], enhanced: bool) -> int:
    """Return the number of connected components of the nodes, joined by clauses."""
    groups = [{name} for name in nodes]
    for names in _join_graph(clauses, few, enhanced):
        joined = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + ([set().union(*joined)] if joined else [])
    return len(groups)


def _join_graph(clauses: Sequence[Clause], few: Sequence[Order], enhanced: bool) -> Iterator[set[str]]:
    """Yield the edges of the join graph: the names of nodes that a clause joins."""
    ends = {}
    for edge, source, target in edges_between_nodes(clauses):
        yield {source, target}
        if edge.name:
            ends[edge.name] = {source, target}
    for clause in clauses:
        if isinstance(clause, Order):
            is_crossing = clause.operator == "><" and not enhanced and {clause.left, clause.right} <= ends.keys()
            if clause.operator == "<" or clause in few or is_crossing:
                yield ends.get(clause.left, {clause.left}) | ends.get(clause.right, {clause.right})
        elif isinstance(clause, FeatureComparison) and isinstance(clause.right, FeatureReference):
            left, right = clause.left.owner, clause.right.owner
            if clause.operator == "=":
                yield ends.get(left, {left}) | ends.get(right, {right})
