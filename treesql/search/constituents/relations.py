"""Relations between nodes, as SQL over two rows of `tree_nodes`.

In the names of relations the left node is the upper or the earlier one: `A > B` is the relation `child` of B and A.
Sources: Levy & Andrew 2006 (Tregex); König & Lezius 2003, The TIGER language, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treesql import catalog
from treesql.catalog.schemas import literal
from treesql.catalog.sql_text import split_tokens
from treesql.engines import Engine
from treesql.search.constituents.syntax import Relation, Value
from treesql.search.grew.values import membership_condition

TREGEX: Mapping[str, tuple[str, bool]] = {
    "<": ("child", False), ">": ("child", True),
    "<<": ("dominates", False), ">>": ("dominates", True),
    "<<<": ("word_below", False), ">>>": ("word_below", True),
    "<,": ("first_child", False), ">,": ("first_child", True),
    "<-": ("last_child", False), ">-": ("last_child", True),
    "<`": ("last_child", False), ">`": ("last_child", True),
    "<'": ("last_child", False), ">'": ("last_child", True),
    "<:": ("only_child", False), ">:": ("only_child", True),
    "<<,": ("leftmost", False), ">>,": ("leftmost", True),
    "<<-": ("rightmost", False), ">>-": ("rightmost", True),
    "<<`": ("rightmost", False), ">>`": ("rightmost", True),
    "<<'": ("rightmost", False), ">>'": ("rightmost", True),
    "<<:": ("unary_chain", False), ">>:": ("unary_chain", True),
    "<#": ("head_child", False), ">#": ("head_child", True),
    "<<#": ("head_of", False), ">>#": ("head_of", True),
    "$": ("sister", False),
    "$..": ("sister_before", False), "$++": ("sister_before", False),
    "$,,": ("sister_before", True), "$--": ("sister_before", True),
    "$.": ("next_sister", False), "$+": ("next_sister", False),
    "$,": ("next_sister", True), "$-": ("next_sister", True),
    "..": ("precedes", False), ",,": ("precedes", True),
    ".": ("precedes_directly", False), ",": ("precedes_directly", True),
    "==": ("same", False), "<=": ("same_or_child", False),
    ":": ("same_tree", False),
}  # fmt: skip
"""Signs of Tregex: the relation, and whether the node on the right is its left one."""

_CHILDREN = """(SELECT c.corpus, c.sentence, coalesce(c.parent, 0) AS parent, c.first FROM constituents AS c
          UNION ALL
          SELECT w.corpus, w.sentence, coalesce(w.phrase, 0) AS parent, w.word AS first FROM words AS w) AS n
    GROUP BY n.corpus, n.sentence, n.parent"""
"""The children of every phrase, in a group each, 0 the top. A common table expression takes twice the time."""

TOPS_NAME, ROOTED_NAME = "tops", "rooted_nodes"
"""The common table expressions of the tops without a label that branch, and of all nodes with these tops."""

TOPS = """(
    SELECT r.corpus, r.sentence, min(r.first) AS first, max(r.last) AS last
    FROM (SELECT c.corpus, c.sentence, c.first, c.last FROM constituents AS c WHERE c.parent IS NULL
          UNION ALL
          SELECT w.corpus, w.sentence, w.word AS first, w.word AS last FROM words AS w WHERE w.phrase IS NULL) AS r
    JOIN corpora AS k ON k.corpus = r.corpus AND k.kind = 'constituency'
    GROUP BY r.corpus, r.sentence
    HAVING count(*) > 1
  )"""
"""The tops of trees with several roots, of which `constituents` has no row: the brackets around these, and the virtual
roots of export, TIGER-XML and discbracket."""

ROOTED = f"""(
    SELECT n.* REPLACE (CASE WHEN t.corpus IS NULL THEN n.parent ELSE coalesce(n.parent, 0) END AS parent)
    FROM tree_nodes AS n
    LEFT JOIN {TOPS_NAME} AS t ON t.corpus = n.corpus AND t.sentence = n.sentence
    UNION ALL BY NAME
    SELECT t.corpus, t.sentence, 0 AS node, 'phrase' AS kind, '' AS label, '' AS category, t.first, t.last, 0 AS level,
           0 AS phrase
    FROM {TOPS_NAME} AS t
  )"""

HEADS_NAME, HEADS_BELOW_NAME = "heads", "heads_below"
"""The common table expressions of the head child of every node, and of all that lead from a node to its head word."""

HEADS_BELOW = f"""(
    SELECT h.corpus, h.sentence, h.node, h.child FROM {HEADS_NAME} AS h
    UNION ALL
    SELECT o.corpus, o.sentence, o.node, h.child
    FROM {HEADS_BELOW_NAME} AS o
    JOIN {HEADS_NAME} AS h ON h.corpus = o.corpus AND h.sentence = o.sentence AND h.node = o.child
  )"""


def heads(rules: Mapping[str, str]) -> str:
    """Return the common table expression of head children. rules: the set of head rules of every searched corpus."""
    parts = [
        f"SELECT {literal(corpus)} AS corpus, h.sentence, h.node, coalesce(h.child_node, -2 * h.child_word) AS child"
        f"\n    FROM (\n{_head_children(corpus, name)}\n    ) AS h"
        for corpus, name in rules.items()
    ]
    parts.append("SELECT n.corpus, n.sentence, n.node, n.node - 1 AS child FROM tree_nodes AS n WHERE n.kind = 'tag'")
    return "(\n    " + "\n    UNION ALL\n    ".join(parts) + "\n  )"


def _head_children(corpus: str, rules: str) -> str:
    """Return the query of head children, its parameters replaced by their values."""
    query = catalog.query("head_children")
    given = {"tree_corpus": literal(corpus), "head_rules": literal(rules)}
    values = {f"${parameter.name}": given.get(parameter.name) or parameter.literal for parameter in query.parameters}
    return "".join(values.get(token, token) for token in split_tokens(query.statement.sql))


def has_tops(engine: Engine, corpora: Sequence[str] | None) -> bool:
    """Whether a tree of the searched corpora has a top without a label that branches."""
    among = "" if corpora is None else f" WHERE t.corpus IN ({', '.join(map(literal, corpora))})"
    return bool(engine.rows(f"SELECT 1 FROM {TOPS} AS t{among} LIMIT 1"))


def with_tops(sql: str) -> str:
    """Return a statement that reads the nodes with the tops in place of those of `tree_nodes`."""
    return "".join(ROOTED_NAME if token == "tree_nodes" else token for token in split_tokens(sql))


def same_tree(alias: str, other: str) -> str:
    """Return the condition that two rows belong to one sentence."""
    return f"{other}.corpus = {alias}.corpus AND {other}.sentence = {alias}.sentence"


def dominates(a: str, b: str) -> str:
    """Return the condition that a dominates b: b lies in its span, below it, and not in one of its gaps."""
    inside = f"{b}.first >= {a}.first AND {b}.last <= {a}.last AND {b}.level > {a}.level"
    return f"{inside} AND ({a}.leave IS NULL OR {b}.phrase BETWEEN {a}.phrase AND {a}.leave)"


def covers(a: str, word: str) -> str:
    """Return the condition that a word, a row of `words`, is one of a node's words."""
    inside = f"{word}.word BETWEEN {a}.first AND {a}.last"
    return f"{inside} AND ({a}.leave IS NULL OR {word}.phrase BETWEEN {a}.phrase AND {a}.leave)"


def precedes(a: str, b: str) -> str:
    """Return the condition that b begins after a, and a does not dominate b."""
    in_gap = f"{a}.leave IS NOT NULL AND ({b}.phrase IS NULL OR {b}.phrase NOT BETWEEN {a}.phrase AND {a}.leave)"
    return f"{b}.first > {a}.first AND ({b}.first > {a}.last OR ({in_gap}))"


def _child(a: str, b: str) -> str:
    return f"{b}.parent = {a}.node"


def _last_child(a: str, b: str) -> str:
    return f"{_child(a, b)} AND NOT {_any_node('later', a, f'later.parent = {a}.node AND later.first > {b}.first')}"


def _only_child(a: str, b: str) -> str:
    """Return the condition that b is the only child, with all words of its parent; without gaps its ends say so."""
    others = f"{b}.leave IS NOT NULL AND other.parent = {a}.node AND other.node <> {b}.node"
    return f"{_child(a, b)} AND {b}.first = {a}.first AND {b}.last = {a}.last AND NOT {_any_node('other', a, others)}"


def _next_sister(a: str, b: str) -> str:
    between = f"mid.parent = {a}.parent AND mid.first > {a}.first AND mid.first < {b}.first"
    return f"{_sister_before(a, b)} AND NOT {_any_node('mid', a, between)}"


def _sister_before(a: str, b: str) -> str:
    return f"{b}.parent = {a}.parent AND {b}.first > {a}.first"


def _unary_chain(a: str, b: str) -> str:
    missed = f"SELECT 1 FROM words AS w WHERE {same_tree(a, 'w')} AND {covers(a, 'w')} AND NOT ({covers(b, 'w')})"
    gaps = f"({a}.leave IS NULL AND {b}.leave IS NULL) OR NOT EXISTS ({missed})"
    return f"{b}.first = {a}.first AND {b}.last = {a}.last AND {dominates(a, b)} AND ({gaps})"


def _head(source: str, a: str, b: str) -> str:
    where = f"{same_tree(a, 'h')} AND h.node = {a}.node AND h.child = {b}.node"
    return f"EXISTS (SELECT 1 FROM {source} AS h WHERE {where})"


def _any_node(alias: str, beside: str, condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM tree_nodes AS {alias} WHERE {same_tree(beside, alias)} AND {condition})"


_SIMPLE: Mapping[str, Callable[[str, str], str]] = {
    "child": _child,
    "dominates": dominates,
    "word_below": lambda a, b: f"{b}.kind = 'word' AND {dominates(a, b)}",
    "first_child": lambda a, b: f"{_child(a, b)} AND {b}.first = {a}.first",
    "last_child": _last_child,
    "only_child": _only_child,
    "leftmost": lambda a, b: f"{b}.first = {a}.first AND {dominates(a, b)}",
    "rightmost": lambda a, b: f"{b}.last = {a}.last AND {dominates(a, b)}",
    "unary_chain": _unary_chain,
    "sister": lambda a, b: f"{b}.parent = {a}.parent AND {b}.node <> {a}.node",
    "sister_before": _sister_before,
    "next_sister": _next_sister,
    "precedes": precedes,
    "precedes_directly": lambda a, b: f"{b}.first = {a}.last + 1",
    "head_child": lambda a, b: _head(HEADS_NAME, a, b),
    "head_of": lambda a, b: _head(HEADS_BELOW_NAME, a, b),
    "same": lambda a, b: f"{b}.node = {a}.node",
    "same_or_child": lambda a, b: f"({b}.node = {a}.node OR {b}.parent = {a}.node)",
    "same_tree": lambda a, b: "TRUE",
    "left_corner": lambda a, b: f"{b}.first = {a}.first AND {b}.kind <> 'phrase' AND {dominates(a, b)}",
    "right_corner": lambda a, b: f"{b}.last = {a}.last AND {b}.kind <> 'phrase' AND {dominates(a, b)}",
    "starts_before": lambda a, b: f"{b}.first > {a}.first",
}


def relation_sql(relation: Relation, a: str, b: str) -> str:
    """Return the condition that two rows of one sentence, by their aliases, stand in a relation without a chain."""
    if relation.name in _SIMPLE:
        return _SIMPLE[relation.name](a, b)
    return _WITH_VALUES[relation.name](relation, a, b)


def _child_number(relation: Relation, a: str, b: str) -> str:
    [number] = relation.numbers
    if abs(number) == 1:
        return _SIMPLE["first_child" if number > 0 else "last_child"](a, b)
    begin = f"list(n.first ORDER BY n.first)[{number}]"
    parents = (
        f"SELECT n.corpus, n.sentence, n.parent, {begin}\n    FROM {_CHILDREN}\n    HAVING count(*) >= {abs(number)}"
    )
    return f"{_child(a, b)} AND ({b}.corpus, {b}.sentence, {b}.parent, {b}.first) IN ({parents})"


def has_so_many_children(a: str, least: int, most: int) -> str:
    """Return the condition that a node is a phrase with so many children; with `least` 0, also any other node."""
    counted, sign = (f"BETWEEN {least} AND {most}", "IN") if least else (f"> {most}", "NOT IN")
    phrases = f"SELECT n.corpus, n.sentence, n.parent\n    FROM {_CHILDREN}\n    HAVING count(*) {counted}"
    return f"({a}.corpus, {a}.sentence, {a}.node) {sign} ({phrases})"


def has_children(a: str) -> str:
    """Return the condition that a node has children: only words have none."""
    return f"{a}.kind <> 'word'"


def _leaf(relation: Relation, a: str, b: str) -> str:
    [number] = relation.numbers
    side = f"w.word <= {b}.word" if number > 0 else f"w.word >= {b}.word"
    counted = f"SELECT count(*) FROM words AS w WHERE {same_tree(a, 'w')} AND {covers(a, 'w')} AND {side}"
    return f"{_SIMPLE['word_below'](a, b)} AND ({counted}) = {abs(number)}"


def _labelled_child(relation: Relation, a: str, b: str) -> str:
    return f"{_child(a, b)} AND {_label(f'{b}.edge_label', relation.labels)}"


def _secondary(relation: Relation, a: str, b: str) -> str:
    target = f"(e.node = {b}.node OR (e.word = {b}.word AND {b}.kind <> 'phrase'))"
    label = f" AND {_label('e.label', relation.labels)}" if relation.labels else ""
    where = f"{same_tree(a, 'e')} AND e.parent = {a}.node AND {target}{label}"
    return f"EXISTS (SELECT 1 FROM secondary_edges AS e WHERE {where})"


def _starts_before_by(relation: Relation, a: str, b: str) -> str:
    least, most = relation.numbers
    distance = f"{b}.first - {a}.first"
    return f"{distance} = {least}" if least == most else f"{distance} BETWEEN {least} AND {most}"


def _dominates_by(relation: Relation, a: str, b: str) -> str:
    """Return the condition that b lies so many levels below a: as many nodes as levels dominate b and not a."""
    least, most = relation.numbers
    up = f"{same_tree(b, 'up')} AND up.kind = 'phrase' AND {dominates('up', b)} AND up.level >= {a}.level"
    counted = f"(SELECT count(*) FROM tree_nodes AS up WHERE {up})"
    return f"{dominates(a, b)} AND {counted} BETWEEN {least} AND {most}"


def _label(column: str, labels: tuple[Value, ...]) -> str:
    return membership_condition(column, labels, negated=False)


_WITH_VALUES: Mapping[str, Callable[[Relation, str, str], str]] = {
    "child_number": _child_number,
    "leaf": _leaf,
    "labelled_child": _labelled_child,
    "secondary": _secondary,
    "starts_before_by": _starts_before_by,
    "dominates_by": _dominates_by,
}


def gap_between(a: str, b: str, word: str) -> str:
    """Return the condition that a row of `words` stands after a and before b."""
    return f"{word}.word > {a}.last AND {word}.word < {b}.first"
