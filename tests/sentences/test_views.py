"""What of a sentence is drawn: its trees, enhanced graphs, and what a parser has wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.reports.pages import check_page
from tests.sentences.reading import sentence
from treesql.drawing import dependencies
from treesql.drawing.pairs import TreePair
from treesql.errors import UsageError
from treesql.readers import Options
from treesql.sentences import lookup, views
from treesql.sentences import sentence as sentences_sentence
from treesql.sentences.drawn_sentences import DrawnSentences


def tree(drawings: views.Captioned) -> dependencies.Tree:
    [(_, drawing)] = drawings
    assert isinstance(drawing, dependencies.Tree)
    return drawing


def test_words_tell_what_they_are_when_pointed_at(examples: treesql.Database) -> None:
    svg = examples.sentence("know", corpus="gold").svg()
    assert "<title>not\nRB\nPolarity=Neg</title>n&#x27;t" in svg
    tree = examples.sentence("hearing", corpus="gold")
    compared = tree.svg(system=examples.sentence("hearing", corpus="parser-a"))
    assert "missed: nmod of hearing\nwrong: obl of scheduled</title>issue<" in compared


def test_enhanced_graphs_have_empty_nodes_and_mark_what_the_tree_has_not(examples: treesql.Database) -> None:
    drawn = tree(examples.sentence("tea", corpus="gold").drawings(enhanced=True))
    assert drawn.forms == ["Ann", "drinks", "tea", "and", "Bob", "drinks", "coffee", "."]
    assert drawn.empty == [6]
    assert drawn.heads == [2, 0, 2, 5, 2, None, 5, 2]
    edges = {(arc.head, arc.dependent, arc.relation): arc.mark for arc in drawn.below}
    assert edges == {
        (2, 1, "nsubj"): "",
        (0, 2, "root"): "",
        (2, 3, "obj"): "",
        (6, 4, "cc"): "enhanced",
        (6, 5, "nsubj"): "enhanced",
        (2, 6, "conj:and"): "enhanced",
        (6, 7, "obj"): "enhanced",
        (2, 8, "punct"): "",
    }


def test_a_parser_is_drawn_against_the_gold_tree(examples: treesql.Database) -> None:
    gold, parser = (examples.sentence("hearing", corpus=name) for name in ("gold", "parser-a"))
    [(caption, _)] = gold.drawings(system=parser)
    assert caption == "above: gold, below: parser-a"
    drawn = tree(gold.drawings(system=parser))
    assert drawn.marks == {7: "missed"}  # nsubj for nsubj:pass is right up to the colon
    assert {arc.dependent: arc.mark for arc in drawn.below if arc.mark} == {7: "wrong"}
    drawn = tree(gold.drawings(system=parser, relations="full"))
    assert drawn.marks == {2: "mislabelled", 7: "missed"}
    with pytest.raises(UsageError, match="choose one"):
        gold.svg(system=parser, enhanced=True)
    with pytest.raises(UsageError, match="not 'some'"):
        gold.svg(relations="some")


def test_marks_agree_with_the_scores(examples: treesql.Database) -> None:
    """A word is marked exactly where the items of `attachment` say that its edge is wrong."""
    for parser in ("parser-a", "parser-b"):
        items = examples.query("attachment", gold_corpus="gold", system_corpus=parser).rows()
        wrong = {(row["sentence"], row["word"]) for row in items if not row["correct_edge"]}
        marked = set()
        for number in range(5):
            gold, system = (examples.sentence(number, corpus=name) for name in ("gold", parser))
            marked |= {(number, word) for word in tree(gold.drawings(system=system)).marks}
        assert marked == wrong


def test_a_parser_with_other_words_has_a_line_of_its_own(tmp_path: Path) -> None:
    gold = sentence(conllu("I:4:nsubj do:4:aux n't:4:advmod know:0:root"), tmp_path / "gold.conllu")
    parser = sentence(conllu("I:3:nsubj don't:3:aux know:0:root"), tmp_path / "parser.conllu")
    [(_, drawing)] = gold.drawings(system=parser)
    assert isinstance(drawing, TreePair)
    links = {(link.first, link.second): link.mark for link in drawing.links}
    assert links == {(1, 1): "", (2, 2): "wrong", (3, 2): "wrong", (4, 3): ""}
    assert drawing.first.marks == {2: "missed", 3: "missed"}
    assert drawing.second.marks == {2: "wrong"}


def test_another_text_cannot_be_compared(tmp_path: Path) -> None:
    gold = sentence(conllu("good:0:root morning:1:obj"), tmp_path / "gold.conllu")
    parser = sentence(conllu("good:0:root mourning:1:obj"), tmp_path / "parser.conllu")
    with pytest.raises(UsageError, match="'goodmorning' against 'goodmourning'; name an output for the same text"):
        gold.svg(system=parser)
    phrases = sentence(b"(S (NN good) (NN morning))\n", tmp_path / "a.mrg")
    with pytest.raises(UsageError, match="no trees of one kind"):
        gold.svg(system=phrases)


def test_phrases_are_compared_by_label_and_words_without_traces() -> None:
    with (
        lookup.open_file(str(FIXTURES / "gold.mrg"), Options()) as (gold, gold_name),
        lookup.open_file(str(FIXTURES / "test.mrg"), Options()) as (test, name),
    ):
        [one] = lookup.find_sentences(gold, ["2"], gold_name)
        [other] = lookup.find_counterparts(test, [one], name)
    text = one.characters(system=other)
    assert "-NONE-" in one.characters()
    assert "-NONE-" not in text
    assert [word for word in text.replace("│", " ").split() if "✗" in word] == ["✗NP-SBJ", "✗VP", "✗NP"]
    assert ET.fromstring(one.svg(system=other)) is not None


def test_legends_have_the_marks_that_are_drawn(examples: treesql.Database) -> None:
    def legends(name: str, system: str) -> tuple[str, str]:
        shown = examples.show(name, corpus="gold", system=system)
        return shown.legends[0], shown.figure.caption

    of_trees = "✗ not in the other tree   ≠ another relation there"
    of_errors = "Grey: in both. Dashed and violet: only in the one above. Red: only in the one below."
    assert legends("know", "parser-b") == (of_trees, of_errors)
    assert legends("mat", "parser-a") == (of_trees, f"{of_errors} ≠:\N{NO-BREAK SPACE}another label there.")
    assert legends("tea", "parser-b") == (of_trees, views.NO_DIFFERENCES)
    phrases = treesql.show(FIXTURES / "gold.mrg", "2", system=FIXTURES / "test.mrg")
    assert phrases.legends[0] == "✗ not in the other tree"
    assert "relation" not in phrases.figure.caption
    assert ("≠" in phrases.figure.caption) == ("≠" in phrases.figure.svg)


def test_legends_of_errors_name_only_what_is_drawn(tmp_path: Path) -> None:
    legend = f"{views.LEGEND_OF_COLOURS} {views.LEGEND_OF_LABELS} {views.LEGEND_OF_SUBTYPES}"
    grey = "Above: gold; grey where the system agrees"
    words = {
        "gold": "a:2:nsubj b:0:root c:2:obj", "subtype": "a:2:nsubj/pass b:0:root c:2:obj",
        "label": "a:2:nsubj b:0:root c:2:obl", "head": "a:2:nsubj b:0:root c:1:obj",
    }  # fmt: skip
    gold, *systems = (
        sentence(conllu(text).replace(b"/", b":"), tmp_path / f"{name}.conllu") for name, text in words.items()
    )
    said = [views.legend_of_pictures(legend, gold.svg(system=system)) for system in [gold, *systems]]
    assert said == [
        f"{grey}.",
        f"{grey}. ~:\N{NO-BREAK SPACE}another subtype, which counts as the same.",
        f"{grey}. ≠:\N{NO-BREAK SPACE}right place, another label.",
        f"{grey}, dashed and violet where it misses it. Below, red: the system's, wrong.",
    ]


def test_words_are_no_marks() -> None:
    assert views.legend_of_pictures(views.LEGEND_OF_LINES, '<text x="0">dotted</text>') == ""
    assert views.legend_of_pictures(views.LEGEND_OF_LINES, '<path class="line dotted" d=""/>') == views.LEGEND_OF_LINES


def test_a_notebook_and_a_print_show_the_tree(examples: treesql.Database) -> None:
    found = examples.sentence("know", corpus="gold")
    html = found._repr_html_()
    assert html.startswith("<div")
    assert "don&#x27;t" in html
    assert "<style" not in html
    assert ET.fromstring(str(found._repr_svg_())).get("aria-label") == "I don't know."
    assert "└don't┘" in str(found)
    assert found.svg() == found._repr_svg_()


def test_a_sentence_without_trees_shows_its_text_but_cannot_be_drawn(tmp_path: Path) -> None:
    found = sentence(b"1\tHi\t_\t_\t_\t_\t_\t_\t_\t_\n2\t<b>\t_\t_\t_\t_\t_\t_\t_\t_\n\n", tmp_path / "a.conllu")
    assert str(found) == "Hi <b>"
    assert found._repr_html_() == '<p dir="auto">Hi &lt;b&gt;</p>\n'
    assert found._repr_svg_() is None
    with pytest.raises(UsageError, match=r"sentence '0' of a\.conllu has no tree to draw"):
        found.svg()
    with pytest.raises(UsageError, match="no enhanced dependencies"):
        found.svg(enhanced=True)


def test_a_sentence_too_long_to_be_drawn(examples: treesql.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text is printed, and SQL is named that shows its rows; so is that of the sentence beside it."""
    found = examples.sentence("tea", corpus="gold")
    short = examples.sentence(0, corpus="hypothesis")
    assert found._repr_svg_() is not None
    monkeypatch.setattr(sentences_sentence, "MAX_WORDS", 5)
    what = "sentence 'tea' of gold has 7 words, and 5 at most are drawn; .* WHERE corpus = 'gold' AND sentence = 3 "
    with pytest.raises(UsageError, match=what):
        found.svg()
    with pytest.raises(UsageError, match=what):
        short.svg(system=found)
    assert short.svg()
    assert str(found) == "Ann drinks tea and Bob coffee."
    assert found._repr_svg_() is None


def test_a_page_holds_every_drawing_and_nothing_from_elsewhere(examples: treesql.Database) -> None:
    found = [replace(examples.sentence(name, corpus="gold"), corpus="a < b") for name in ("mat", "tea")]
    page = DrawnSentences(tuple((one, one.drawings()) for one in found), ("", "legend")).html()
    check_page(page)
    assert page.count(">legend</p>") == 1
    assert page.count('<div class="drawn"') == 2
    assert all(page.count(f'class="{look}"') == 2 for look in ("at-wide at-middle", "at-narrow"))
    assert "<h1>a &lt; b</h1>" in page
    assert "color-scheme: light dark" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
