"""Drawings of the sentences of a report, which need no page: gold against systems, by what a kind compares."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treesql import catalog, readers
from treesql.drawing import svg
from treesql.drawing.grids import POSSIBLE, AlignmentGrid
from treesql.drawing.lattices import DrawnEdge, Lattice
from treesql.drawing.pairs import Link
from treesql.drawing.svg import SYSTEM_SIGNS
from treesql.errors import TreesqlError
from treesql.evaluation.task import Inputs
from treesql.results import edits_layout
from treesql.results.pages import Figure, counted
from treesql.runtime.arrays import compute as pc
from treesql.scoring import scores
from treesql.sentences import lookup, views
from treesql.sentences.sentence import Sentence, Translation
from treesql.sentences.sentence_names import number_name
from treesql.sentences.views import (
    LEGEND_OF_COLOURS,
    LEGEND_OF_LABELS,
    LEGEND_OF_LATTICE,
    LEGEND_OF_LINES,
    LEGEND_OF_SUBTYPES,
    LEGENDS_OF_COMPARED_GRID,
    Captioned,
)
from treesql.significance import correspondence
from treesql.significance.strata import find_gold_corpus

MAX_EDGES = 400
"""Maximum number of edges of a lattice that is drawn."""

MAX_TREE_WORDS = 75
"""Maximum number of words of a tree that is drawn on a page: more would fill several screens, and a sixth of a page."""

MAX_WORDS = 200
"""Maximum number of words of a sentence whose links or edits are drawn on a page."""

DRAWING_TABLES = ("tokens", "empty_nodes", "enhanced_edges", "constituents", "lattices", "lattice_edges", "alignments")
"""Tables that drawings read."""

_LARGE = """
SELECT w.sentence, count(*) AS n FROM words AS w
WHERE w.corpus = $corpus AND w.sentence IN {sentences} GROUP BY w.sentence HAVING count(*) > {most}
"""
_LINKS = """
SELECT a.sentence, a.source, a.target, a.sure FROM alignments AS a
WHERE a.corpus = $corpus AND a.sentence IN {sentences} ORDER BY a.sentence, a.source, a.target
"""
_EDGES = """
SELECT e.sentence, e.edge, e.from_node, e.to_node, e.edge_words FROM lattice_edges AS e
WHERE e.corpus = $corpus AND e.sentence IN {sentences} ORDER BY e.sentence, e.edge
"""
_SCORED = "SELECT c.corpus FROM corpora AS c WHERE c.corpus = $corpus AND c.score_sense IS NOT NULL"
_NODES = """
SELECT l.sentence, l.n_nodes FROM lattices AS l
WHERE l.corpus = $corpus AND l.sentence IN {sentences} ORDER BY l.sentence
"""


Drawings = Mapping[int, Sequence[Figure]]
"""By sentence, its drawings."""

DrawSystems = Callable[[Inputs, Sequence[int], Mapping[str, int]], Drawings]
"""Draws sentences of systems, which have the numbers of their marks."""


def queries_of(drawing: str | None) -> list[catalog.Query]:
    """The queries that drawings of a sort run."""
    names = {
        "lattices": ("oracle_paths", "lattice_shapes", "weighted_edges", "nearest_path_steps", "best_paths"),
        "paths": ("path_differences", "meta_graph", "aligned_trees", "path_disparities"),
        "edits": ("edit_operations",),
    }
    return [catalog.query(name) for name in names.get(drawing or "", ())]


def draw_sentences(inputs: Inputs, numbers: Sequence[int], systems: Mapping[str, int]) -> Drawings:
    """Draw sentences of some systems against gold. A sentence that cannot be drawn has the reason in its place.

    systems: with the numbers of their marks, which the page has beside their scores.
    """
    drawing = inputs.task.kind.report.drawing
    if drawing is None or not numbers:
        return {}
    draw, _ = _DRAWINGS[drawing]
    return draw(inputs, numbers, systems)


def _one_by_one(draw: Callable[[Inputs, Sequence[int], str], Drawings]) -> DrawSystems:
    """Draw each system by itself."""

    def draw_systems(inputs: Inputs, numbers: Sequence[int], systems: Mapping[str, int]) -> Drawings:
        drawings: dict[int, list[Figure]] = {number: [] for number in numbers}
        for system in systems:
            for number, figures in draw(inputs, numbers, system).items():
                drawings[number] += figures
        return drawings

    return draw_systems


def legend_of(drawing: str | None, figures: Sequence[Figure]) -> str:
    """The meaning of the marks of drawings of a sort; figures: those drawn, which may lack a mark."""
    legend = "" if drawing is None else _DRAWINGS[drawing][1]
    return views.legend_of_pictures(legend, "".join(figure.svg for figure in figures))


def _compare_trees(
    inputs: Inputs, numbers: Sequence[int], systems: Mapping[str, int], gold: str = "gold", role: str = "system"
) -> Drawings:
    """The trees of systems upon the gold ones, differences marked. gold, role: of the corpora."""
    relations = str(inputs.task.parameters.get("relations", "universal"))

    def draw(sentence: Sentence, others: Mapping[int, Sentence], system: str) -> Captioned:
        other = others.get(sentence.sentence)
        if other is None or other.surface != sentence.surface:
            [other] = lookup.find_counterparts(inputs.engine, [sentence], inputs.of_role(role, system)[0])
        try:
            return sentence.drawings(system=other, relations=relations)
        except TreesqlError:
            in_order = views.in_order_of(other, sentence)
            if in_order is not None:
                return views.draw_comparison(sentence, in_order, relations, {})
            return [(side.corpus, tree) for side in (sentence, other) for _, tree in side.drawings()]

    return _draw_pairs(inputs, numbers, systems, (gold, role), draw)


def _pairs(inputs: Inputs, numbers: Sequence[int], systems: Mapping[str, int]) -> Drawings:
    """The trees of two texts, linked where there is an alignment."""
    alignments = {system: inputs.of_role("alignment", system) for system in systems}
    links = {system: _links(inputs, corpora[0], numbers) if corpora else {} for system, corpora in alignments.items()}

    def draw(sentence: Sentence, others: Mapping[int, Sentence], system: str) -> Captioned:
        other = others[sentence.sentence]
        if not alignments[system] and sentence.surface == other.surface:
            return sentence.drawings(system=other, relations="full")
        return sentence.drawings(aligned=Translation(other, tuple(links[system].get(sentence.sentence, ()))))

    return _draw_pairs(inputs, numbers, systems, ("reference", "hypothesis"), draw)


def _draw_pairs(
    inputs: Inputs,
    numbers: Sequence[int],
    systems: Mapping[str, int],
    roles: tuple[str, str],
    draw: Callable[[Sentence, Mapping[int, Sentence], str], Captioned],
) -> Drawings:
    """The drawings of sentences of a corpus with those of systems, in one picture where that can be, or why there is
    none.

    draw: of a sentence of the first corpus and those of a system by number. Large sentences are not even read.
    """
    gold = inputs.of_role(roles[0])[0]
    corpora = {system: inputs.of_role(roles[1], system)[0] for system in systems}
    sql = _LARGE.format(sentences=_listed(numbers), most=MAX_TREE_WORDS)
    sizes = dict(row for name in (gold, *corpora.values()) for row in inputs.engine.rows(sql, {"corpus": name}))
    why = "it has {:,} words, and {} at most are drawn here"
    drawings: dict[int, Sequence[Figure]] = {
        number: [_not_drawn(", ".join(systems), why.format(size, MAX_TREE_WORDS))] for number, size in sizes.items()
    }
    small = [number for number in numbers if number not in sizes]
    others = {
        system: {sentence.sentence: sentence for sentence in lookup.find_numbered(inputs.engine, corpus, small)}
        for system, corpus in corpora.items()
    }
    for sentence in lookup.find_numbered(inputs.engine, gold, small):
        drawn: dict[str, Captioned] = {}
        figures = []
        for system in systems:
            try:
                drawn[system] = draw(sentence, others[system], system)
            except (TreesqlError, ValueError) as error:
                figures.append(_not_drawn(system, str(error)))
        text = sentence.text or sentence.name
        signs = "".join(SYSTEM_SIGNS[systems[system] % len(SYSTEM_SIGNS)] for system in drawn)
        for caption, parts in views.combine(drawn, gold, signs):
            if len(parts) == 1 and parts[0][0]:
                [(caption, drawing)] = parts
                parts = [("", drawing)]
            figures.append(Figure(caption, svg.page_of(parts, f"{caption}: {text}"), scrolls=False))
        drawings[sentence.sentence] = figures
    return drawings


def _grids(
    inputs: Inputs,
    numbers: Sequence[int],
    system: str,
    roles: tuple[str, str] = ("gold", "system"),
    texts: tuple[str, str] = ("source", "target"),
) -> Drawings:
    """A system's links with the gold ones as a grid; words have their numbers where no texts are given."""
    gold = _links(inputs, inputs.of_role(roles[0])[0], numbers)
    proposed = _links(inputs, inputs.of_role(roles[1], system)[0], numbers)
    forms: list[dict[int, list[str]]] = []
    for text in texts:
        corpora = inputs.of_role(text)
        sentences = lookup.find_numbered(inputs.engine, corpora[0], numbers) if corpora else []
        forms.append({sentence.sentence: [str(word["form"]) for word in sentence.words] for sentence in sentences})
    drawings = {}
    for number in numbers:
        links = [*gold.get(number, ()), *proposed.get(number, ())]
        sides = [max((link.first for link in links), default=0), max((link.second for link in links), default=0)]
        words = [
            words_of_text.get(number, [str(at) for at in range(1, n + 1)])
            for words_of_text, n in zip(forms, sides, strict=True)
        ]
        if max(map(len, words), default=0) > MAX_WORDS:
            drawings[number] = [_not_drawn(system, f"more than {MAX_WORDS} words")]
            continue
        grid = AlignmentGrid(words[0], words[1], gold.get(number, []), proposed.get(number, []))
        title = f"links of sentence {number} by {system}"
        drawings[number] = [Figure(system, grid.page(title), scrolls=False)]
    return drawings


def _links(inputs: Inputs, corpus: str, numbers: Sequence[int]) -> dict[int, list[Link]]:
    links: dict[int, list[Link]] = {}
    for number, source, target, sure in inputs.engine.rows(
        _LINKS.format(sentences=_listed(numbers)), {"corpus": corpus}
    ):
        if source and target:
            links.setdefault(number, []).append(Link(source, target, "" if sure else POSSIBLE))
    return links


def _parallel(inputs: Inputs, numbers: Sequence[int], systems: Mapping[str, int]) -> Drawings:
    """The trees of both sides, and the links between them of each system."""
    roles, texts = ("gold_links", "system_links"), ("gold_a", "gold_b")
    parts = {
        "trees of a; ": _compare_trees(inputs, numbers, systems, "gold_a", "system_a"),
        "trees of b; ": _compare_trees(inputs, numbers, systems, "gold_b", "system_b"),
        "links of ": _one_by_one(functools.partial(_grids, roles=roles, texts=texts))(inputs, numbers, systems),
    }
    return {
        number: [
            replace(figure, caption=f"{name}{figure.caption}")
            for name, part in parts.items()
            for figure in part.get(number, ())
        ]
        for number in numbers
    }


def _paths(inputs: Inputs, numbers: Sequence[int], system: str) -> Drawings:
    """The linked trees, with the paths that differ."""
    system_inputs = replace(inputs, task=replace(inputs.task, systems={system: inputs.task.systems[system]}))
    hook = inputs.task.hook
    drawings = {}
    for number in numbers:
        try:
            drawn = hook.explain(system_inputs, number_name(number), None).page
            drawings[number] = [Figure(system, drawn, scrolls=False)]
        except TreesqlError as error:
            drawings[number] = [_not_drawn(system, str(error))]
    return drawings


def _numbers_in_gold(inputs: Inputs, query: catalog.Query, numbers: Sequence[int], system: str) -> dict[int, int]:
    """The numbers that sentences have in a system's corpus, by its own number: others where they correspond by id."""
    values = {name: inputs.values(name, [query]) for name in inputs.systems}
    gold = find_gold_corpus(query, values)
    corpus = str(values[system][str(query.reference_corpus)])
    places = correspondence.corresponding_numbers(inputs.engine, query, corpus, gold)
    if places is None:
        return {number: number for number in numbers}
    return {at: int(number) for at, number in enumerate(places) if int(number) in set(numbers)}


def _lattices(inputs: Inputs, numbers: Sequence[int], system: str) -> Drawings:
    """A system's lattices with the path nearest to a reference, its errors, and the best path if edges have scores."""
    corpus = inputs.of_role("lattice", system)[0]
    query = catalog.query("oracle_paths")
    shown = _numbers_in_gold(inputs, query, numbers, system)
    numbers = list(shown)

    def by_sentence(query: catalog.Query, **further: str) -> dict[int, dict[str, Any]]:
        rows = scores.run_query(inputs.engine, query, {**inputs.values(system, [query]), **further})
        return {row["sentence"]: row for row in rows.filter(pc.field("sentence").isin(numbers)).to_pylist()}

    paths = by_sentence(query, measure="ger")
    wrong = by_sentence(catalog.query("nearest_path_steps"))
    values = inputs.values(system, [catalog.query("best_paths")])
    scored = values.get("edge_weights") or inputs.engine.rows(_SCORED, {"corpus": corpus})
    best = by_sentence(catalog.query("best_paths")) if scored else {}
    edges: dict[int, list[DrawnEdge]] = {}
    for number, *edge in inputs.engine.rows(_EDGES.format(sentences=_listed(numbers)), {"corpus": corpus}):
        edges.setdefault(number, []).append(DrawnEdge(*edge))
    drawings = {}
    for number, n_nodes in inputs.engine.rows(_NODES.format(sentences=_listed(numbers)), {"corpus": corpus}):
        drawn_edges, path = edges.get(number, []), paths.get(number, {})
        if len(drawn_edges) > MAX_EDGES:
            why = f"it has {len(drawn_edges)} edges, and {MAX_EDGES} at most are drawn"
            drawings[shown[number]] = [_not_drawn(system, why)]
            continue
        title = f"lattice {number} of {system}"
        lattice = Lattice(
            n_nodes, drawn_edges, path.get("path_edges") or (), best.get(number, {}).get("path_edges") or ()
        )
        reference = str(path.get("reference") or "reference")
        caption = f"{system}: nearest path, {counted(path.get('path_errors') or 0, 'error')}, against {reference}"
        steps = edits_layout.steps(wrong[number]) if number in wrong else ()
        rows = readers.without_ending(reference), "nearest path"
        drawings[shown[number]] = [Figure(caption, lattice.page(title), edits=steps, rows=rows, scrolls=False)]
    return drawings


_SIDES = {"operations": "operation", "reference_words": "reference_form", "hypothesis_words": "hypothesis_form"}
"""The lists of an aligned translation, and the columns of its steps."""


def _edits(inputs: Inputs, numbers: Sequence[int], system: str) -> Drawings:
    """A translation below its reference, with the words to insert, delete and replace."""
    query = catalog.query("edit_operations")
    shown = _numbers_in_gold(inputs, query, numbers, system)
    numbers = list(shown)
    columns = ["sentence", "step", "reference", "operation", "hypothesis_form", "reference_form"]
    where = f"sentence IN {_listed(numbers)}"
    rows = scores.select_items(inputs.engine, query.name, inputs.values(system, [query]), columns, where=where)
    aligned: dict[int, dict[str, list[str]]] = {number: {name: [] for name in _SIDES} for number in numbers}
    references: dict[int, str] = {}
    for row in rows.sort_by([("sentence", "ascending"), ("step", "ascending")]).to_pylist():
        references[row["sentence"]] = row["reference"]
        for name, column in _SIDES.items():
            aligned[row["sentence"]][name].append(row[column] or "***")
    return {
        shown[number]: [_draw_edits(system, references.get(number, "reference"), rows_of_sides)]
        for number, rows_of_sides in aligned.items()
    }


def _draw_edits(system: str, reference: str, aligned: Mapping[str, Sequence[str]]) -> Figure:
    steps = len(aligned["operations"])
    if steps > MAX_WORDS:
        return _not_drawn(system, f"it has {steps:,} words and edits, and {MAX_WORDS} at most are drawn here")
    caption = f"{system}: {edits_layout.count_edits(aligned['operations'])}; against {reference}"
    return Figure(caption, edits=edits_layout.steps(aligned), rows=(readers.without_ending(reference), system))


def _not_drawn(system: str, why: str) -> Figure:
    return Figure(system, why=f"not drawn: {why}")


def _listed(numbers: Sequence[int]) -> str:
    return f"({', '.join(str(int(number)) for number in numbers)})"


_LEGEND_OF_TREES = f"{LEGEND_OF_COLOURS} {LEGEND_OF_LABELS} {LEGEND_OF_SUBTYPES}"

_DRAWINGS: Mapping[str, tuple[DrawSystems, str]] = {
    "trees": (_compare_trees, _LEGEND_OF_TREES),
    "pairs": (_pairs, f"Trees of the same words are drawn as one. {_LEGEND_OF_TREES} {LEGEND_OF_LINES}"),
    "links": (_one_by_one(_grids), LEGENDS_OF_COMPARED_GRID[1]),
    "parallel": (_parallel, f"{_LEGEND_OF_TREES} {LEGENDS_OF_COMPARED_GRID[1]}"),
    "paths": (_one_by_one(_paths), "Pink, or !: edges of paths that differ, and the links at their ends."),
    "lattices": (_one_by_one(_lattices), f"{LEGEND_OF_LATTICE} {edits_layout.LEGEND}"),
    "edits": (_one_by_one(_edits), edits_layout.LEGEND),
}  # fmt: skip
"""By the sort of a drawing, what draws it and what its marks mean."""
