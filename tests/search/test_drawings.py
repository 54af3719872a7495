"""Matches drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.reports.pages import check_page
from treesql.search import drawings, planning


def test_drawings(small: treesql.Database) -> None:
    question = planning.prepare(small.engine, "pattern { V [upos=VERB]; V -[obj]-> O }")
    [drawn], matches, why = drawings.draw_matches(small.engine, question, 10)
    assert (matches, why, drawn.title) == (1, [], "two")
    assert drawn.tree.highlights == {2: "V", 5: "O"}
    assert drawn.tree.marks == {5: "matched"}
    page = treesql.DrawnMatches((drawn,), matches, question.request.text).html()
    check_page(page)
    assert "<svg" in page
    assert "pattern { V [upos=VERB]; V -[obj]-&gt; O }" in page


def test_drawings_of_the_enhanced_graph(small: treesql.Database) -> None:
    question = planning.prepare(small.engine, "pattern { X -[E:nsubj]-> Y } without { X -[nsubj]-> Y }")
    drawn, matches, _ = drawings.draw_matches(small.engine, question, 10)
    assert matches == 2
    tree = drawn[1].tree
    assert list(tree.forms) == ["dogs", "dog", "the", "old", "dogs", "dog"]
    assert tree.highlights == {6: "X", 1: "Y"}
    assert list(tree.empty) == [6]
    assert [(arc.head, arc.dependent, arc.relation, arc.mark) for arc in tree.below] == [
        (2, 6, "conj:and", "enhanced"), (6, 1, "nsubj", "matched"),
    ]  # fmt: skip


def test_of_parallel_edges_those_of_the_match_are_marked(db: treesql.Database, tmp_path: Path) -> None:
    deps = "2:conj:and|2:nsubj|2:obj"
    (tmp_path / "p.conllu").write_text(f"1\ta\t_\tX\t_\t_\t2\tobj\t{deps}\t_\n2\tb\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n")
    db.load(tmp_path / "p.conllu", corpus="p")

    def marked(request: str) -> tuple[list[int], list[str]]:
        [drawn], _, _ = drawings.draw_matches(db.engine, planning.prepare(db.engine, request, enhanced=True), 10)
        return list(drawn.tree.marks), [arc.relation for arc in drawn.tree.below if arc.mark == "matched"]

    assert marked("pattern { X -[E:nsubj]-> Y }") == ([], ["nsubj"])
    assert marked("pattern { e: X -[1=conj]-> Y }") == ([], ["conj:and"])
    assert marked("pattern { X -[obj]-> Y }") == ([1], [])
    assert marked("pattern { X -[E:obj]-> Y; X -[E:nsubj]-> Y }") == ([1], ["nsubj"])


def test_a_notebook_draws_the_first_matches_above_their_table(small: treesql.Database) -> None:
    found = small.find("pattern { V [upos=VERB]; V -[obj]-> O }")
    assert isinstance(found, treesql.Matches)
    html = found._repr_html_()
    assert (html.count("<svg"), html.count("<table")) == (1, 1)
    assert 'stroke="currentColor"' in html  # without a style sheet
    assert len(small.find("pattern { X [upos] }").draw(4)) == 4  # type: ignore[attr-defined]
    for how in ({"by": "V.lemma"}, {"count": True}, {"kwic": 2}):
        other = small.find("pattern { V [upos=VERB]; V -[obj]-> O }", **how)  # type: ignore[arg-type]
        assert not isinstance(other, treesql.Matches)
        assert "<svg" not in other._repr_html_()


def test_matches_outlive_their_database_without_drawings(tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    found = treesql.find(tmp_path / "t.conllu", "pattern { X [upos=X] }")
    assert "<svg" not in found._repr_html_()
    assert "<table" in found._repr_html_()
    with pytest.raises(treesql.TreesqlError):
        found.draw()  # type: ignore[attr-defined]
