"""Scores and comparisons in a browser: the numbers of the front door, and what is behind them."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, quote

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.web.conftest import Get
from tests.web.pages import Links
from treesql import Result
from treesql.reports import score_charts
from treesql.web.pages import scores as scores_page
from treesql.web.site import Site

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

TWO = {"gold": "gold", "system": ["parser-a", "parser-b"]}


@pytest.fixture(scope="module")
def scores(web_database: Path) -> list[dict[str, object]]:
    with treesql.connect(web_database, read_only=True, safe=True) as db:
        return db.score("dependency", gold="gold", systems=["parser-a", "parser-b"], by="upos").rows()


def test_scores_are_those_of_the_front_door(get: Get) -> None:
    found = get("/score/dependency.json", **TWO).json
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    assert [(row["system"], row["words"]) for row in rows] == [("parser-a", 30), ("parser-b", 30)]
    assert [round(row["las"], 4) for row in rows] == [0.8, 0.9]
    page = Links(get("/score/dependency", **TWO, ci=1).text)
    assert "80.00" in page.shown
    assert "treesql score dependency gold parser-a parser-b --db" in page.shown


@pytest.mark.spread(2)
@pytest.mark.parametrize("by", ["upos", "Number", 'meta."newdoc id"', "meta.sent_id"])
def test_the_words_of_a_group_are_behind_its_number(get: Get, by: str) -> None:
    page = Links(get("/score/dependency", gold="gold", system="parser-a", by=by).text)
    links = [(text, href) for text, href in page.found if "where=" in href and "/score/" in href]
    assert links
    for text, href in links[:1]:
        path, _, query = href.partition("?")
        behind = get(path + ".json", **parse_qs(query)).json
        assert sum(row[behind["columns"].index("words")] for row in behind["rows"]) == int(text)
    sentences = Links(get(path, **parse_qs(query)).text)
    drawn = next(href for _, href in sentences.found if href.startswith("/sentences/gold/"))
    assert drawn.endswith("?system=parser-a")
    assert "missed" in get(drawn.partition("?")[0], system="parser-a").text


def test_confusions_are_a_grid_whose_cells_lead_to_sentences(get: Get) -> None:
    page = Links(get("/score/dependency", gold="gold", system="parser-a").text)
    title, href = next((text, href) for text, href in page.found if "grid=1" in href)
    assert title == "Relations"
    path, _, query = href.partition("?")
    grid = Links(get(path, **parse_qs(query)).text)
    cells = [(text, href) for text, href in grid.found if "by=sentence" in href]
    assert sum(int(text) for text, _ in cells) == 30
    text, href = cells[0]
    path, _, query = href.partition("?")
    behind = get(f"{path}.json", **parse_qs(query)).json
    assert sum(row[behind["columns"].index("words")] for row in behind["rows"]) == int(text)


def test_lists_of_errors_lead_to_the_drawings_of_both_trees(get: Get) -> None:
    page = Links(get("/score/dependency", gold="gold", system="parser-a", table="attachment_errors").text)
    assert [href for _, href in page.found if href.startswith("/sentences/gold/") and href.endswith("?system=parser-a")]


def test_splits_have_the_counts_of_their_kind_and_look_untested(get: Get) -> None:
    page = get("/score/constituency", gold="gold.mrg", system="test.mrg", by="label", ci=1).text
    rows = get("/score/constituency.json", gold="gold.mrg", system="test.mrg", by="label").json
    at = {name: number for number, name in enumerate(rows["columns"])}
    expected = {row[at["label"]]: f"{row[at['gold']]:,}" for row in rows["rows"] if row[at["label"]] is not None}
    assert (
        dict(re.findall('<tr><th scope="row" dir="auto">([^<]*)</th><td>.*?</td><td>([^<]*)</td></tr>', page))
        == expected
    )
    assert not re.search('<g class="s. u">', page)
    assert re.search('<g class="s1 u">', get("/score/dependency", **TWO, by="upos", ci=1).text)


def test_the_head_of_a_page_names_what_is_scored_and_its_answer_the_best_system(get: Get) -> None:
    three = {"gold": "gold", "system": ["parser-a", "parser-b", "gold"]}
    for page in (get("/score/dependency", **three, ci=1).text, get("/compare/dependency", **three).text):
        assert "<h1>parser-a, parser-b and gold against gold</h1>" in page
        assert "<h2>las: gold scores better than parser-b by 10.00 points" in page
    alone = get("/score/dependency", gold="gold", system="parser-a", ci=1, where="upos = 'NOUN'").text
    assert re.search(r"<h2>las: [\d.]+%, 95% interval [\d.]+\xa0to\xa0[\d.]+</h2>", alone)
    assert "Only where <code>upos = &#39;NOUN&#39;</code>" in alone


def test_rows_of_a_value_stand_together_and_need_no_intervals_to_be_drawn(get: Get) -> None:
    page = get("/score/dependency", **TWO, by="direction").text
    assert "las by direction of the head" in page
    assert "Lines are 95% intervals" not in page
    of_length = get("/score/dependency", **TWO, by="n_words/double").text
    assert re.search(r'<th scope="row" dir="auto">5\u20138</th>', of_length)
    table = page[page.index("All scores as a table") :]
    rows = re.findall(r'<tr><th scope="row"[^>]*>([^<]*)</th><td[^>]*>(parser-[ab])</td>', table)
    assert ">words of the sentence<" in of_length
    assert "5..8" not in of_length
    assert [system for _, system in rows] == ["parser-a", "parser-b"] * (len(rows) // 2)
    assert [value for value, _ in rows[::2]] == [value for value, _ in rows[1::2]]


def test_a_comparison_in_words_with_its_report(get: Get) -> None:
    text = get("/compare/dependency", **TWO, metric="las").text
    assert re.findall("<small>([^<]* against [^<]*)</small>", text) == ["90.00 against 80.00"]
    page = Links(text)
    assert "las: parser-b scores better than parser-a by 10.00 points" in page.shown
    rows = get("/compare/dependency.json", **TWO, metric="las").json
    assert rows["columns"][:3] == ["metric", "system_a", "system_b"]
    assert len(rows["rows"]) == 1
    href = next(href for _, href in page.found if href.startswith("/report/"))
    path, _, query = href.partition("?")
    report = get(path, **parse_qs(query))
    assert report.text.startswith("<!DOCTYPE html>")
    assert "How this was computed" in report.text


def test_systems_of_several_corpora_are_compared(get: Get) -> None:
    gold = {"gold_a": "gold", "gold_b": "gold", "gold_links": "links"}
    own = {"system_a": ["parser-a", "parser-b"], "system_b": ["parser-b", "gold"], "system_links": "links"}
    text = get("/compare/parallel", **gold, **own).text
    assert "<h1>parser-a + parser-b and parser-b + gold against gold, gold, links</h1>" in text
    assert "joint_f1: parser-b + gold scores better than parser-a + parser-b by" in Links(text).shown
    named = "'parser-a + parser-b=parser-a,parser-b,links' --system 'parser-b + gold=parser-b,gold,links'"
    assert f"treesql compare parallel gold gold links --system {named} --db" in Links(text).shown
    uneven = get("/compare/parallel", **gold, **own | {"system_links": ["links"] * 3})
    assert uneven.status == 400
    assert "system_a is given 2 times, and there are 3 systems" in uneven.text
    form = Links(get("/compare/parallel").text).shown
    assert "The system's trees of a, system 2" in form
    alone = get("/score/parallel", **gold, system_a="parser-a", system_b="parser-b", system_links="links", ci=1)
    assert "treesql score parallel gold parser-a gold parser-b links links --db" in Links(alone.text).shown


def test_forms_offer_the_splits_of_the_asked_metrics(get: Get) -> None:
    assert "Words of the reference" not in get("/score/lattice").text
    assert "Nodes of the lattice" in get("/score/lattice").text
    assert "Words of the reference" in get("/score/lattice", metric="path_edits").text
    assert "Part of speech" in get("/score/dependency", metric="las").text


def test_commands_have_the_parameters_that_are_not_usual(get: Get) -> None:
    shown = Links(
        get("/score/dependency", gold="gold", system="parser-a", punctuation="form", match="order").text
    ).shown
    assert "--punctuation form" in shown
    assert "--match" not in shown


def test_tables_by_sentence_leave_out_what_is_the_same_in_all(get: Get) -> None:
    table = get("/score/constituency", gold="gold.mrg", system="test.mrg", by="sentence").text
    assert ">matched<" in table
    assert ">sentences<" not in table


def test_splits_have_a_row_per_value_whose_number_of_items_leads_to_them(get: Get) -> None:
    page = get("/score/constituency", gold="gold.mrg", system="test.mrg", by="label", ci=1).text
    table = page[page.index("All scores as a table") : page.index("Signature")]
    assert ">gold<" in table
    assert ">sentences<" not in table  # they have no label: a row of the data has them all
    numbers = re.findall(r'<th scope="row" dir="auto">([^<]+)</th>.*?<a href="([^"]*)">([1-9]\d*)</a>', table)
    assert numbers
    assert all(quote(f"\"label\" = '{label}'") in href.replace("+", "%20") for label, href, _ in numbers)
    assert len(numbers) == table.count('<th scope="row"')


def test_a_condition_without_items_has_a_page_without_rows(get: Get) -> None:
    page = get("/score/dependency", gold="gold", system=["parser-a", "parser-b"], by="upos", where="upos = 'none'").text
    assert "Scores by upos" in page


def test_items_of_a_system_alone_are_a_row_without_a_value() -> None:
    """Links that gold lacks: they are scored, though none of them is sure."""
    scores = treesql.score(
        "alignment", FIXTURES / "links.pharaoh", FIXTURES / "links-a.pharaoh", metric="agreement", by="fertility"
    )
    [extra] = [row for row in scores.rows() if row["fertility"] is None]
    assert (extra["sure"], extra["proposed"], extra["aer"]) == (0, 2, 1)
    assert scores_page._without_empty(scores, ["fertility"]).rows() == scores.rows()


def test_bins_of_further_systems_stand_in_their_order() -> None:
    rows = [("a", "0..4"), ("a", "5..9"), ("b", "-5..-1"), ("b", "0..4")]
    scores = Result.of([{"system": system, "distance/5": value, "aer": 0.5} for system, value in rows])
    ordered = scores_page._by_value(scores, ["distance/5"]).rows()
    assert [(row["system"], row["distance/5"]) for row in ordered] == [
        ("b", "-5..-1"), ("a", "0..4"), ("b", "0..4"), ("a", "5..9"),
    ]  # fmt: skip


def test_tables_say_what_they_have(get: Get) -> None:
    table = get("/score/dependency", gold="gold", system="parser-a", table="attachment_errors").text
    assert "<h2>attachment errors</h2>" in table
    assert ">Words with a wrong head or relation or without a counterpart, sorted by errors per sentence" in table
    assert "<h2>Scores by sentence</h2>" in get("/score/dependency", gold="gold", system="parser-a", by="sentence").text


def test_forms_name_roles_and_no_arguments_of_a_command() -> None:
    purpose = scores_page._purpose(treesql.kinds("paths")[0])
    assert purpose.endswith("the dependency trees of the hypothesis and the reference.")
    assert "trees of the reference and the hypothesis: words to" in scores_page._purpose(treesql.kinds("trees")[0])
    assert not re.search("[A-Z]{4,}", " ".join(map(scores_page._purpose, treesql.kinds())))


def test_forms_keep_several_measures(get: Get) -> None:
    two = {"gold": "gold.mrg", "system": "test.mrg"}
    page = get("/score/constituency", **two, metric=["evalb", "robinson_foulds"]).text
    chosen = re.findall('<select name="metric">.*?<option value="([^"]+)" selected>', page)
    assert chosen == ["evalb,robinson_foulds"]
    kept = get("/score/constituency.json", **two, metric=chosen).json
    assert {"f1", "rfd"} <= {*kept["columns"]}


def test_constituency_trees_are_scored(get: Get) -> None:
    found = get("/score/constituency", gold="gold.mrg", system="test.mrg", format="json").json
    assert "f1" in found["columns"]


@pytest.mark.parametrize("page", ["score", "compare"])
def test_every_kind_has_a_form(page: str, get: Get) -> None:
    assert get(f"/{page}").status == 200
    for kind in treesql.kinds():
        assert get(f"/{page}/{kind.name}").status == 200, kind.name


@in_turn(
    ("parameters", "status", "said"),
    [
        ({"gold": "gold", "system": "nope"}, 404, "unknown corpus 'nope'"),
        ({"gold": "fixtures/gold.conllu", "system": "parser-a"}, 404, "unknown corpus"),
        ({"gold": "gold", "system": "parser-a", "weights": "/etc/passwd"}, 400, "unknown parameter 'weights'"),
        ({"gold": "gold", "system": "parser-a", "where": "1 = (SELECT size FROM read_text('/etc/passwd'))"}, 400, ""),
        ({"gold": "gold"}, 400, "there is no system"),
        ({"gold": "gold", "system": "parser-a", "punctuation": "x"}, 400, "punctuation"),
    ],
)  # fmt: skip
def test_only_corpora_are_scored_and_nothing_else_is_read(
    parameters: dict[str, str], status: int, said: str, get: Get
) -> None:
    found = get("/score/dependency.json", **parameters)
    assert found.status == status
    assert said in found.json["error"]
    assert "root:" not in found.text


def test_marks_have_the_scores_and_intervals_that_score_prints(get: Get, site: Site) -> None:
    page = get("/score/dependency", **TWO, ci=1).text
    titles = re.findall("<title>([^<]*, parser-[ab]: [^<]*)</title>", page)
    rows = get("/score/dependency.json", **TWO, ci=1).json
    expected = []
    for row in (dict(zip(rows["columns"], values, strict=True)) for values in rows["rows"]):
        for name in (name for name in rows["columns"] if f"{name}_low" in rows["columns"]):
            low, score, high = (row[key] for key in (f"{name}_low", name, f"{name}_high"))
            if None not in (low, score, high):
                numbers = f"{100 * score:.2f} [{100 * low:.2f}, {100 * high:.2f}]"
                expected.append(f"{name}, {row['system']}: {numbers}")
    assert len(expected) > 10
    assert sorted(titles) == sorted(expected)
    words = site.connect().compare("dependency", gold="gold", systems=["parser-a", "parser-b"]).words()
    shown = Links(page).shown.replace("\xa0", " ")
    assert all(word in shown for word in words)
    assert f"<h2>{next(word for word in words if word.startswith('las:'))}</h2>" in page.replace("\xa0", " ")


def test_forms_offer_what_fits_and_say_what_is_needed(get: Get) -> None:
    page = get("/score/dependency").text
    assert re.search('<select name="gold" required>(<option[^>]*>(gold|parser-a|parser-b)</option>){3}</select>', page)
    assert "gold.mrg" not in page
    assert "<option selected>gold</option>" in page
    assert 'value="parser-a" checked' in page
    [condition] = re.findall('name="where" value="" placeholder="([^"]+)"', page)
    assert get("/score/dependency.json", **TWO, where=unescape(condition)).json["rows"][0][1] > 0
    assert "How relations are compared" in page
    assert "trees</a>" in page
    assert "translation</a>" not in page
    assert "parallel</a>" not in page
    kept = get("/score/dependency", gold="gold", system="parser-a", where="upoz = 'NOUN'")
    assert kept.status == 400
    assert "upoz = &#39;NOUN&#39;" in kept.text
    assert 'value="parser-a" checked' in kept.text


def test_bins_are_in_the_order_of_their_numbers() -> None:
    values = ["33 and more", "0..4", "-5..-1", None, "-30..-26", "1000..9999"]
    assert [score_charts.bin_text(str(value)) for value in sorted(values, key=scores_page._start_of)] == [
        "\u221230 to \u221226", "\u22125 to \u22121", "0\u20134", "33 and more", "1000\u20139999", "None",
    ]  # fmt: skip
