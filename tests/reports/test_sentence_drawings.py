"""Drawings of reports: as many marks as the queries count, every system's in one picture, small enough to be mailed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import treesql
from treesql.drawing.arcs import Arc
from treesql.drawing.constituents import ComparedPhrases
from treesql.drawing.dependencies import ComparedTrees, Tree
from treesql.drawing.svg import SYSTEM_SIGNS
from treesql.sentences import views

PARSERS = ("parser-a", "parser-b")


def compare(db: treesql.Database, number: int) -> ComparedTrees:
    gold = db.sentence(number, corpus="gold")
    drawn = {name: gold.drawings(system=db.sentence(number, corpus=name)) for name in PARSERS}
    [(caption, [(_, drawing)])] = views.combine(drawn, "gold")
    assert caption == "above: gold, below: ●\u00a0parser-a, ■\u00a0parser-b"
    assert isinstance(drawing, ComparedTrees)
    return drawing


def signs_in(text: str) -> list[str]:
    """The systems that a text names by their signs; all where it names none."""
    return [name for name, sign in zip(PARSERS, SYSTEM_SIGNS, strict=False) if sign in text] or list(PARSERS)


@pytest.mark.parametrize("relations", ["universal"])
def test_arcs_are_marked_as_often_as_errors_are_counted(examples: treesql.Database, relations: str) -> None:
    """For each system, wrong heads are missed above and wrong below, and wrong relations stand behind `≠`."""
    drawn: Counter[tuple[str, str]] = Counter()
    for number in range(5):
        tree = compare(examples, number).prepare()
        for arc in tree.above:
            missed, *relabelled = arc.other.split("≠")
            if arc.mark == "missed":
                drawn.update((name, "missed") for name in signs_in(missed))
            drawn.update((name, "relabelled") for part in relabelled for name in signs_in(part))
        for arc in tree.below:
            assert arc.mark == "wrong"
            drawn.update((name, "wrong") for name in signs_in(arc.other))
    counted: Counter[tuple[str, str]] = Counter()
    for name in PARSERS:
        for row in examples.query("attachment", gold_corpus="gold", system_corpus=name, relations=relations).rows():
            if not row["correct_head"]:
                counted.update([(name, "missed"), (name, "wrong")])
            elif not row["correct_edge"]:
                counted[name, "relabelled"] += 1
    assert drawn == counted
    assert drawn["parser-a", "relabelled"] > 0


def test_nothing_right_is_drawn_twice(examples: treesql.Database) -> None:
    """Above are the gold arcs, each once; below are only those that gold lacks, each once for all systems."""
    for number in range(5):
        tree = compare(examples, number).prepare()
        gold = {(arc.head, arc.dependent) for arc in tree.above}
        assert len(gold) == len(tree.above) == len(tree.forms)
        assert len({(arc.head, arc.dependent, arc.relation) for arc in tree.below}) == len(tree.below)
        assert not gold & {(arc.head, arc.dependent) for arc in tree.below}


def test_brackets_are_marked_as_often_as_they_are_counted(examples: treesql.Database) -> None:
    rows = examples.query("bracket_labels", gold_corpus="gold parses", system_corpus="test parses").rows()
    counted: Counter[tuple[int, str]] = Counter()
    for row in rows:
        kind = "wrong" if row["gold_label"] is None else "missed" if row["system_label"] is None else ""
        if kind:
            counted[row["sentence"], kind] += row["brackets"]
    drawn: Counter[tuple[int, str]] = Counter()
    for number in range(5):
        gold, test = (examples.sentence(number, corpus=f"{name} parses") for name in ("gold", "test"))
        [(_, drawing)] = gold.drawings(system=test)
        assert isinstance(drawing, ComparedPhrases)
        whole = drawing.prepare()
        drawn.update((number, bracket.mark) for bracket in (*whole.above, *whole.below) if bracket.mark)
        small = whole.folded()
        assert [one.mark for one in small.below] == [one.mark for one in whole.below]
        assert sum(one.mark == "missed" for one in small.above) == drawn[number, "missed"]
    assert drawn.pop((3, "mislabelled")) == 1  # PRT for ADVP, which the rules of EVALB take for the same
    assert drawn == counted
    assert counted


def test_leaves_in_another_order_are_compared_in_one_picture(tmp_path: Path) -> None:
    """Newick trees have no order of leaves: a phrase is right if it has the leaves of a gold one."""
    drawn = []
    with treesql.connect() as db:
        for name, tree in (("gold", "((a,b),(c,d));"), ("same", "((d,c),(b,a));"), ("other", "((c,a),(b,d));")):
            (tmp_path / f"{name}.nwk").write_text(f"{tree}\n", "utf-8")
            db.load(tmp_path / f"{name}.nwk", corpus=name)
        gold = db.sentence(0, corpus="gold")
        for name in ("same", "other"):
            in_order = views.in_order_of(db.sentence(0, corpus=name), gold)
            assert in_order is not None
            [(_, drawing)] = views.draw_comparison(gold, in_order, "universal", {})
            assert isinstance(drawing, ComparedPhrases)
            brackets = drawing.prepare()
            drawn.append([[one.mark for one in side if one.mark] for side in (brackets.above, brackets.below)])
        repeated = replace(gold, words=(*gold.words, {**gold.words[0], "word": len(gold.words) + 1}))
        assert views.in_order_of(gold, repeated) is None
        assert views.in_order_of(repeated, gold) is None
        assert views.in_order_of(repeated, repeated) is None
    assert drawn == [[[], []], [["missed", "missed"], ["wrong", "wrong"]]]


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")  # few sentences
def test_edits_are_marked_as_often_as_they_are_counted(tmp_path: Path) -> None:
    (tmp_path / "ref1").write_text("a b c d\nx y\no p\n\u05d2\u05dd \u05d0\u05ea \u05d0\n", "utf-8")
    (tmp_path / "ref2").write_text("q r\nx z\nu\n\u05d2\u05dd\n", "utf-8")
    (tmp_path / "mt").write_text("a c e d f\nx z w\nv\n\u05d2\u05dd \u05d0\n", "utf-8")
    inputs = {"reference": [tmp_path / "ref1", tmp_path / "ref2"], "systems": {"mt": tmp_path / "mt"}}
    formats = {"format": "text", "reference_format": "text"}
    html = treesql.report("translation", **inputs, **formats, sentences=4).html
    errors = treesql.score("translation", **inputs, **formats, table="translation_errors").rows()
    assert errors
    figures = re.findall(r"<figcaption>(mt: [^<]*)</figcaption>\s*<ol class=\"edits\"(.*?)</ol>", html, re.DOTALL)
    marks = [len(re.findall(r'class="(?:substitution|insertion|deletion)"', drawn)) for _, drawn in figures]
    assert sorted(marks) == sorted(row["edits"] for row in errors)
    for caption, drawn in figures:
        n = len(re.findall(r'class="(?:substitution|insertion|deletion)"', drawn))
        assert caption.startswith(f"mt: {n} edit")
        [reference] = {row["reference"] for row in errors if caption.endswith(f"; against {row['reference']}")}
        assert f'title="{reference} / mt"' in drawn
        assert ('dir="rtl"' in drawn) == ("\u05d2\u05dd" in drawn)


def test_ten_sentences_by_three_systems_are_small() -> None:
    """All widths together; of 25 words, each system has ten wrong heads and some wrong relations."""
    size = 0
    for number in range(10):
        forms = ["".join("etaoinshr"[(number + at * letter) % 9] for letter in range(2 + at % 6)) for at in range(25)]
        heads = [0 if at == 10 else at + 1 if at < 10 else at - at % 5 - (at % 5 == 0) for at in range(1, 26)]
        relations = ["nsubj", "obj", "det:poss", "case", "punct"] * 5
        trees = {}
        for system in range(3):
            moved = {at for at in range(1, 26) if (at * 7 + number + system // 2) % 25 < 10 and at != 10}
            renamed = {at for at in range(1, 26) if (at * 11 + system) % 25 < 4} - moved
            below = [Arc(10, at, "dep", "wrong") for at in sorted(moved)]
            below += [Arc(heads[at - 1], at, "obl", "mislabelled") for at in sorted(renamed)]
            marks = dict.fromkeys(moved, "missed") | dict.fromkeys(renamed, "mislabelled")
            notes = {at: f"{form}\nNOUN\nNN\nNumber=Sing" for at, form in enumerate(forms, 1)}
            trees[f"system{system}"] = Tree(forms, heads, relations, ["NOUN"] * 25, {}, marks, below, notes=notes)
        size += len(ComparedTrees(trees).page().encode())
    assert size < 250_000
