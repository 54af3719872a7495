"""Drawings of matches, beside their tables: the tree, with matched nodes named and matched edges marked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treesql.drawing.arcs import Arc
from treesql.drawing.constituents import PhraseTree
from treesql.drawing.dependencies import Tree
from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.results.pages import Figure
from treesql.search import running
from treesql.search.constituents.syntax import TreeRequest
from treesql.search.grew import compiler, parser, syntax
from treesql.search.grew.syntax import Clause, GrewRequest, Key
from treesql.search.request import PreparedRequest

MAX_WORDS = 1000
"""Maximum number of words of a sentence that is drawn: the time grows with the square."""

DEFAULT_MATCHES = 10
"""Number of matches drawn by default."""

MatchedEdges = set[tuple[int, int, str]]
"""Edges of a match: head, dependent, label."""

Place = tuple[str, int]
"""The corpus and the number of a sentence."""

MakeTree = Callable[[Place, MatchedEdges, dict[int, str]], Tree]
"""Makes the tree of a sentence, with its matched edges and the names of its matched nodes."""

_MATCHED = "matched"


@dataclass(frozen=True)
class DrawnMatch:
    """One match: the title of its sentence, its tree, or why it is not drawn, and the sentence's corpus and number."""

    title: str
    tree: Tree | PhraseTree | str
    corpus: str = ""
    sentence: int = 0

    def text(self, width: int | None, colour: bool) -> str:
        """The drawing for a terminal."""
        return f"{self.tree}\n" if isinstance(self.tree, str) else self.tree.characters(width, colour)

    @property
    def figure(self) -> Figure:
        """The drawing for a page."""
        if isinstance(self.tree, str):
            return Figure(self.title, why=self.tree)
        return Figure(self.title, self.tree.page(), scrolls=False)

    @property
    def in_notebook(self) -> Figure:
        """The drawing for a notebook, which has no style sheet."""
        return self.figure if isinstance(self.tree, str) else Figure(self.title, self.tree.svg())

    def svg(self) -> str:
        """The drawing as an SVG document. Raises UsageError where there is none."""
        if isinstance(self.tree, str):
            raise UsageError(f"{self.title}: {self.tree}")
        return self.tree.svg(self.title, standalone=True)


def draw_matches(
    engine: Engine, prepared: PreparedRequest, seconds: float, *, counted: bool = True
) -> tuple[list[DrawnMatch], int, list[str]]:
    """Return the first matches as drawings, the number of all matches, and the reasons if there are none.

    counted: whether all matches are counted, otherwise those that are drawn.

    Raises TimeLimit, QueryError.
    """
    if prepared.tree is not None:
        return _draw_tree_matches(engine, prepared, prepared.tree, seconds, counted)
    request, edges = _with_named_edges(prepared.grew)
    nodes, _ = compiler.bound_names(request)
    keys = parser.parse_keys(", ".join(["corpus", "sentence", "sent_id", *(f"{node}.__id__" for node in nodes)]))
    keys += [Key(syntax.NameKey(edge.name, edge.span), edge.name, request.text) for edge in edges if edge.name]
    limit = DEFAULT_MATCHES if prepared.selection.limit is None else prepared.selection.limit
    selection = replace(prepared.selection, columns=tuple(keys), by=(), count=False, limit=limit, sort=None)
    named = replace(prepared, request=request).select(selection)
    table, why = running.find_matches(engine, named, seconds)
    if not len(table):
        return [], 0, why
    total = _count(engine, named, seconds) if counted else len(table)
    rows = table.to_pylist()
    several = len({row["corpus"] for row in rows}) > 1
    large = _large_sentences(engine, rows)
    small = [row for row in rows if (row["corpus"], row["sentence"]) not in large]
    make_tree = (_enhanced_trees if prepared.selection.enhanced else _basic_trees)(engine, small)
    drawn = [_draw_match(make_tree, nodes, edges, row, several, large) for row in rows]
    return drawn, total, why


def _count(engine: Engine, prepared: PreparedRequest, seconds: float) -> int:
    """Return the number of all matches."""
    total, _ = running.find_matches(engine, prepared.select_count(), seconds)
    return int(total["count"][0].as_py())


def _draw_tree_matches(
    engine: Engine, prepared: PreparedRequest, request: TreeRequest, seconds: float, counted: bool
) -> tuple[list[DrawnMatch], int, list[str]]:
    """Return the same of a request for constituency trees."""
    limit = DEFAULT_MATCHES if prepared.selection.limit is None else prepared.selection.limit
    names = [f"{name}.{column}" for name in request.names for column in ("kind", "phrase", "first")]
    keys = parser.parse_keys(", ".join(["corpus", "sentence", "sent_id", *names]))
    selection = replace(prepared.selection, columns=tuple(keys), by=(), count=False, limit=limit, sort=None)
    table, why = running.find_matches(engine, prepared.select(selection), seconds)
    if not len(table):
        return [], 0, why
    total = _count(engine, prepared, seconds) if counted else len(table)
    rows = table.to_pylist()
    several = len({row["corpus"] for row in rows}) > 1
    large = _large_sentences(engine, rows)
    drawn = [large.get((row["corpus"], row["sentence"])) or draw(engine, row, request.names) for row in rows]
    matches = [
        DrawnMatch(_title(row, several), tree, row["corpus"], row["sentence"])
        for tree, row in zip(drawn, rows, strict=True)
    ]
    return matches, total, why


def _title(row: Mapping[str, Any], several: bool) -> str:
    """The name of the sentence of a match. several: whether that of the corpus stands before it."""
    name = str(row["sent_id"] or f"sentence {row['sentence']}")
    return f"{row['corpus']}: {name}" if several else name


def _large_sentences(engine: Engine, matches: Sequence[Mapping[str, Any]]) -> dict[Place, str]:
    """The sentences of matches that are too large to be drawn, and why."""
    sql = (
        "SELECT w.sentence, count(*) AS n FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN ({})"
        f" GROUP BY w.sentence HAVING count(*) > {MAX_WORDS}"
    )
    sizes = _rows_of_sentences(engine, sql, matches)
    why = "not drawn: this sentence has {:,} words, and {:,} at most are drawn"
    return {place: why.format(rows[0][0], MAX_WORDS) for place, rows in sizes.items() if rows}


def _with_named_edges(request: GrewRequest) -> tuple[GrewRequest, list[syntax.Edge]]:
    """Return the request with a name for every edge between nodes of its pattern, and these edges."""
    numbers = itertools.count(1)
    edges: list[syntax.Edge] = []

    def named(clause: Clause) -> Clause:
        if not isinstance(clause, syntax.Edge) or not (clause.source and clause.target):
            return clause
        # A name with a blank cannot occur in a request.
        edges.append(clause if clause.name else replace(clause, name=f"edge {next(numbers)}"))
        return edges[-1]

    items = [
        replace(item, clauses=tuple(map(named, item.clauses))) if item.kind == "pattern" else item
        for item in request.items
    ]
    return replace(request, items=tuple(items)), edges


def _draw_match(
    make_tree: MakeTree,
    nodes: Sequence[str],
    edges: Sequence[syntax.Edge],
    row: dict[str, Any],
    several: bool,
    large: Mapping[Place, str],
) -> DrawnMatch:
    sentence = row["corpus"], row["sentence"]
    if sentence in large:
        return DrawnMatch(_title(row, several), large[sentence], *sentence)
    places = {node: int(row[f"{node}.__id__"]) for node in nodes}
    nodes_at: dict[int, list[str]] = {}
    for node, place in places.items():
        if place:
            nodes_at.setdefault(place, []).append(node)
    highlights = {place: ", ".join(names) for place, names in nodes_at.items()}
    matched = {(places[edge.source or ""], places[edge.target or ""], row[edge.name or ""]) for edge in edges}
    return DrawnMatch(_title(row, several), make_tree(sentence, matched, highlights), *sentence)


def _basic_trees(engine: Engine, matches: Sequence[Mapping[str, Any]]) -> MakeTree:
    """Read the sentences of some matches; return what makes their trees."""
    words = _rows_of_sentences(
        engine,
        "SELECT w.sentence, w.form, w.head, w.deprel, w.upos FROM words AS w"
        " WHERE w.corpus = $corpus AND w.sentence IN ({}) ORDER BY w.sentence, w.word",
        matches,
    )
    tokens = _tokens(engine, matches)

    def make_tree(place: Place, matched: MatchedEdges, highlights: dict[int, str]) -> Tree:
        forms, heads, relations, upos = map(list, zip(*words[place], strict=True))
        arcs = enumerate(zip(heads, relations, strict=True), 1)
        marks = {at: _MATCHED for at, (head, relation) in arcs if (head, at, relation) in matched}
        return Tree(forms, heads, relations, upos, highlights, marks, (), tokens[place])

    return make_tree


def _enhanced_trees(engine: Engine, matches: Sequence[Mapping[str, Any]]) -> MakeTree:
    """Read the sentences of some matches with their enhanced graphs; return what makes their trees."""
    nodes = _rows_of_sentences(
        engine,
        """
        SELECT w.sentence, w.word, 0 AS index, w.form, w.head, w.deprel, w.upos
        FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN ({0})
        UNION ALL
        SELECT e.sentence, e.word, e.index, coalesce(e.form, '_'), NULL, NULL, e.upos
        FROM empty_nodes AS e WHERE e.corpus = $corpus AND e.sentence IN ({0})
        ORDER BY 1, 2, 3
        """,
        matches,
    )
    edges = _rows_of_sentences(
        engine,
        "SELECT d.sentence, d.head, d.head_index, d.dependent, d.dependent_index, d.deprel FROM enhanced_edges AS d"
        " WHERE d.corpus = $corpus AND d.sentence IN ({})"
        " ORDER BY d.sentence, d.head, d.head_index, d.dependent, d.dependent_index, d.deprel",
        matches,
    )
    tokens = _tokens(engine, matches)

    def make_tree(place: Place, matched: MatchedEdges, highlights: dict[int, str]) -> Tree:
        return _enhanced_tree(nodes[place], edges[place], tokens[place], matched, highlights)

    return make_tree


def _enhanced_tree(
    rows: Sequence[tuple[Any, ...]],
    edges: Sequence[tuple[Any, ...]],
    tokens: Sequence[tuple[int, int, str]],
    matched: MatchedEdges,
    highlights: dict[int, str],
) -> Tree:
    """Return a tree with the empty nodes among the words, and below them the edges that the basic tree lacks."""
    at_node = {(0, 0): 0, **{(row[0], row[1]): at for at, row in enumerate(rows, 1)}}
    heads = [None if row[3] is None else at_node[row[3], 0] for row in rows]
    relations = [row[4] for row in rows]
    basic = {(head, at, relation) for at, (head, relation) in enumerate(zip(heads, relations, strict=True), 1)}
    marks = {
        at: _MATCHED for head, at, relation in basic if {(head, at, relation), (head, at, f"E:{relation}")} & matched
    }
    below = []
    for head, head_index, dependent, dependent_index, relation in edges:
        ends = at_node[head, head_index], at_node[dependent, dependent_index]
        if (*ends, relation) not in basic:
            below.append(Arc(*ends, relation, _MATCHED if (*ends, f"E:{relation}") in matched else "enhanced"))
    shown = [(at_node[first, 0], at_node[last, 0], form) for first, last, form in tokens]
    empty = {at for (_, index), at in at_node.items() if index}
    return Tree(
        [row[2] for row in rows], heads, relations, [row[5] for row in rows], highlights, marks, below, shown, empty
    )


def _tokens(engine: Engine, matches: Sequence[Mapping[str, Any]]) -> dict[Place, list[Any]]:
    sql = (
        "SELECT t.sentence, t.first, t.last, t.form FROM tokens AS t"
        " WHERE t.corpus = $corpus AND t.sentence IN ({}) ORDER BY t.sentence, t.first"
    )
    return _rows_of_sentences(engine, sql, matches)


def _rows_of_sentences(engine: Engine, sql: str, matches: Sequence[Mapping[str, Any]]) -> dict[Place, list[Any]]:
    """Return the rows of the sentences of some matches, by sentence: a statement per corpus.

    sql: a statement whose first column is the number of the sentence, with braces for the numbers.
    """
    rows: dict[Place, list[Any]] = {(row["corpus"], row["sentence"]): [] for row in matches}
    for corpus in dict.fromkeys(corpus for corpus, _ in rows):
        numbers = ", ".join(str(sentence) for name, sentence in rows if name == corpus)
        for sentence, *values in engine.rows(sql.format(numbers), {"corpus": corpus}):
            rows[corpus, sentence].append(tuple(values))
    return rows


def draw(engine: Engine, row: Mapping[str, Any], names: Sequence[str]) -> PhraseTree:
    """Return the tree of a match. row: its corpus, sentence, and the kind, phrase and first word of every node."""
    key = {"corpus": row["corpus"], "sentence": row["sentence"]}
    words = engine.rows(
        "SELECT w.form, w.xpos, w.phrase FROM words AS w WHERE w.corpus = $corpus AND w.sentence = $sentence"
        " ORDER BY w.word",
        key,
    )
    phrases = engine.rows(
        "SELECT n.label, n.parent FROM tree_nodes AS n WHERE n.corpus = $corpus AND n.sentence = $sentence"
        " AND n.kind = 'phrase' ORDER BY n.node",
        key,
    )
    highlights: dict[int, list[str]] = {}
    highlighted: dict[int, list[str]] = {}
    shown = names if len(names) > 1 else [""]
    for name, label in zip(names, shown, strict=True):
        kind = row[f"{name}.kind"]
        if kind == "phrase":
            highlights.setdefault(int(row[f"{name}.phrase"]), []).append(label)
        elif kind is not None:
            highlighted.setdefault(int(row[f"{name}.first"]), []).append(label)
    return PhraseTree(
        [form for form, _, _ in words],
        [label for label, _ in phrases],
        [parent for _, parent in phrases],
        [phrase for _, _, phrase in words],
        [tag for _, tag, _ in words] if any(tag for _, tag, _ in words) else None,
        {node: ", ".join(filter(None, labels)) for node, labels in highlights.items() if node > 0},
        {word: ", ".join(filter(None, labels)) for word, labels in highlighted.items()},
        {node: "matched" for node in highlights if node > 0},  # the top without a label, 0, is not drawn
    )
