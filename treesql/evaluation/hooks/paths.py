"""Paths between aligned words: the trees and paths behind the score of one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from treesql import catalog
from treesql.catalog.sql_text import with_clause
from treesql.drawing import pairs, svg
from treesql.drawing.dependencies import Tree
from treesql.drawing.graphs import WeightedEdge, WeightedGraph
from treesql.engines import Engine
from treesql.evaluation.task import Hook, Inputs
from treesql.results.result import Explanation, Result
from treesql.scoring import items
from treesql.sentences import sentence_names

COSTLY = "costly"
"""Mark of the edges and links of paths that differ."""

ENDS = ("reference_first", "reference_last", "hypothesis_first", "hypothesis_last")
"""The columns of the words at the ends of a path."""

PATHS, GRAPH, TREES = "path_differences", "meta_graph", "aligned_trees"

_PATHS = """
SELECT i.sentence, l.sent_id, i.reference_words, i.hypothesis_words, i.reference_path, i.hypothesis_path, i.disparity,
       i.maximum, i.reference_first, i.reference_last, i.hypothesis_first, i.hypothesis_last
FROM items AS i
JOIN sentences AS l ON l.corpus = $reference_corpus AND l.sentence = i.sentence
WHERE i.disparity > 0 AND i.sentence = $sentence
ORDER BY i.disparity DESC, i.maximum, i.sentence, i.reference_first, i.reference_last
"""
_OF_SENTENCE = "SELECT * FROM items AS i WHERE i.sentence = $sentence"
_GRAPH_TITLE = "Meta-graph: L/Lmax of every pair of links, and the spanning tree"
_TREE_TITLE = "Spanning tree of the meta-graph, with L/Lmax; the other {:,} pairs of links are not drawn"

MAX_LINKS = 12
"""Maximum number of links whose pairs are all drawn; of more, those on the spanning tree."""


class PathsHook(Hook):
    """Explains the score of a sentence."""

    explained_by = (PATHS, GRAPH, TREES)

    def explain(self, inputs: Inputs, sentence: str | int, width: int | None) -> Explanation:
        """The drawn trees of a sentence with their links, the paths that differ, sorted by difference, and all paths.

        Edges on paths that differ, and the links at their ends, are marked. Raises UnknownName, UsageError,
        Incomparable.
        """
        [system] = inputs.systems
        corpora = {name: value for name, value in inputs.values(system).items() if name.endswith("_corpus")}
        _, number = sentence_names.locate(inputs.engine, sentence, [str(corpora["reference_corpus"])])
        values = {**corpora, "sentence": number}
        for audit in catalog.query("path_disparities").audit_queries:
            items.check_audit(inputs.engine, audit, corpora)
        paths = _rows(inputs.engine, "path_disparities", _PATHS, values)
        [row] = _rows(inputs.engine, TREES, _OF_SENTENCE, values).to_pylist()
        graph = _rows(inputs.engine, GRAPH, _OF_SENTENCE, values)
        trees, edges, title_of_graph = _pair(row, paths.to_pylist()), graph.to_pylist(), _GRAPH_TITLE
        if len(row["reference_links"]) > MAX_LINKS:
            chosen = [edge for edge in edges if edge["chosen"]]
            edges, title_of_graph = chosen, _TREE_TITLE.format(len(edges) - len(chosen))
        drawings: list[tuple[str, svg.Drawable]] = [("", trees), (title_of_graph, _graph(row, edges))]
        drawn = svg.stack((caption, part.picture(svg.WIDTH)) for caption, part in drawings)
        title = f"{' '.join(trees.first.forms)} ~ {' '.join(trees.second.forms)}"
        names = f"{system}: {title}", f"{system}, meta-graph: {title}"
        page = "".join(svg.page_of([drawing], name) for drawing, name in zip(drawings, names, strict=True))
        return Explanation(
            trees.characters(width), Result(paths.drop_columns(list(ENDS))), Result(graph),
            drawn.svg(title, standalone=True), page,
        )  # fmt: skip


HOOK = PathsHook()


def _rows(engine: Engine, query: str, sql: str, values: Mapping[str, object]) -> pa.Table:
    """The rows of a statement over the rows of a query, `items`."""
    statement = catalog.query(query).statement
    return engine.table(with_clause([*statement.expressions, ("items", statement.body)]) + sql, values)


def _pair(row: dict[str, Any], paths: Sequence[dict[str, Any]]) -> pairs.TreePair:
    """The trees of a sentence, with marks on the paths that differ and the links at their ends."""
    trees = []
    for side in ("reference", "hypothesis"):
        heads = row[f"{side}_heads"]
        edges = {word for path in paths for word in _words_on_path(heads, path[f"{side}_first"], path[f"{side}_last"])}
        marks = dict.fromkeys(edges, COSTLY)
        trees.append(Tree(row[f"{side}_forms"], heads, row[f"{side}_relations"], marks=marks))
    ends = {(path[f"reference_{end}"], path[f"hypothesis_{end}"]) for path in paths for end in ("first", "last")}
    linked = zip(row["reference_links"], row["hypothesis_links"], strict=True)
    links = [pairs.Link(*link, mark=COSTLY if link in ends else "") for link in linked]
    return pairs.TreePair(trees[0], trees[1], links)


def _graph(row: dict[str, Any], edges: Sequence[dict[str, Any]]) -> WeightedGraph:
    """The meta-graph of a sentence: a node per link, named after the word of the reference, and its counterpart."""
    linked = list(zip(row["reference_links"], row["hypothesis_links"], strict=True))
    forms = [
        (row["reference_forms"][reference - 1], row["hypothesis_forms"][hypothesis - 1])
        for reference, hypothesis in linked
    ]
    nodes = [reference if reference == hypothesis else f"{reference} ~ {hypothesis}" for reference, hypothesis in forms]
    places = {link: at for at, link in enumerate(linked)}
    ends = [[(edge[f"reference_{end}"], edge[f"hypothesis_{end}"]) for end in ("first", "last")] for edge in edges]
    return WeightedGraph(
        nodes,
        [
            WeightedEdge(
                places[first_link], places[last_link], f"{edge['disparity']}/{edge['maximum']}", edge["chosen"]
            )
            for edge, (first_link, last_link) in zip(edges, ends, strict=True)
        ],
    )


def _words_on_path(heads: Sequence[int], first: int, last: int) -> set[int]:
    """The words whose edges are on the path between two words."""
    ancestors: list[set[int]] = []
    for word in (first, last):
        words = set()
        while word:
            words.add(word)
            word = heads[word - 1]
        ancestors.append(words)
    return ancestors[0] ^ ancestors[1]
