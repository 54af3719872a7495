"""Pages of reports in a real browser: silent, without requests, within the window, usable by keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import treesql
from tests.browser import accessibility_faults, axe_script, one_browser, open_page
from tests.conftest import FIXTURES, thorough_but
from tests.evaluation.kinds_by_file import KINDS
from tests.lattices.curved_lattices import DENSE, MIDDLE, SPARSE
from tests.reports.pages import HOSTILE, TWO_SYSTEMS, check_page
from treesql.reports.density_curves import write_report

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]


@pytest.fixture(scope="module", autouse=True)
def browser() -> Iterator[None]:
    """One browser for all pages of the module."""
    with one_browser():
        yield


Pages = Callable[[str], Path]
"""The file of a report of a kind, made once."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def make(kind: str) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(FIXTURES)
            treesql.report(kind, out=folder / f"{kind}.html", **TWO_SYSTEMS[kind])
        return folder / f"{kind}.html"

    return make


@pytest.mark.parametrize(
    ("kind", "width"),
    thorough_but(
        [*((kind, 400) for kind in KINDS), ("dependency", 1400)],
        ("lattice", 400), ("dependency", 1400),
    ),
)  # fmt: skip
def test_a_page_is_silent_alone_and_within_the_window(kind: str, width: int, pages: Pages, tmp_path: Path) -> None:
    with open_page(
        pages(kind), tmp_path / "profile", width=width, scheme="dark" if width == 400 else "light"
    ) as opened:
        for folded in opened.page.query_selector_all("details"):
            folded.evaluate("one => { one.open = true; }")
        assert opened.overflows == []
        assert opened.said == []
        assert opened.requests == []


@pytest.mark.parametrize("kind", thorough_but(KINDS, "lattice"))
def test_a_page_passes_an_accessibility_checker(kind: str, pages: Pages, tmp_path: Path) -> None:
    with open_page(pages(kind), tmp_path / "profile") as opened:
        for folded in opened.page.query_selector_all("details"):
            folded.evaluate("one => { one.open = true; }")
        assert accessibility_faults(opened, axe_script()) == []


def test_overflow_messages_and_requests_are_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<!DOCTYPE html><title>x</title><link rel="stylesheet" href="other.css"><body style="margin: 0">'
        '<p style="width: 900px">wide</p><script>console.error("said")</script>'
    )
    with open_page(page, tmp_path / "profile", width=400) as opened:
        assert len(opened.overflows) == 2
        assert "said" in opened.said
        assert [url.rpartition("/")[2] for url in opened.requests] == ["other.css"]


def test_tables_are_sorted_by_script(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile") as opened:
        page = opened.page
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        first = "document.querySelector('.sorted > table').tBodies[0].rows[0].cells[0].textContent"
        rows = "[...document.querySelector('.sorted > table').tBodies[0].rows]"
        counts = f"{rows}.map(row => Number(row.cells[2].textContent))"
        head = page.locator(".sorted > table").first.locator("th button").nth(2)
        head.focus()
        page.keyboard.press("Enter")
        found = page.evaluate(counts)
        assert found == sorted(found, reverse=True)
        page.keyboard.press("Enter")
        found = page.evaluate(counts)
        assert found == sorted(found)
        assert page.evaluate(first)


def test_the_first_key_leads_to_the_skip_link(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile") as opened:
        opened.page.keyboard.press("Tab")
        assert opened.page.evaluate("document.activeElement.className") == "skip"
        opened.page.keyboard.press("Enter")
        assert opened.page.url.endswith("#content")


def test_the_contents_mark_the_section_that_is_read(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile") as opened:
        current = "[...document.querySelectorAll('nav [aria-current]')].map(link => link.hash)"
        assert opened.page.evaluate(current) == ["#answer"]
        opened.page.evaluate("document.getElementById('confusions').scrollIntoView()")
        opened.page.wait_for_function(f"{current}[0] === '#confusions'")


def test_everything_is_read_without_script(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile", scripts=False) as opened:
        text = opened.page.inner_text("body")
        assert "No winner" in text
        assert "How this was computed" in text
        assert not opened.page.locator("button.copy:visible").count()


NAMES_BEYOND_CELLS = """
[...document.querySelectorAll('.lanes th .name')].filter(
    name => name.getBoundingClientRect().right > name.closest('th').getBoundingClientRect().right + 1
        || [...name.children].some(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
).map(name => name.textContent)
"""
"""The names of systems that are wider than their cells."""


@pytest.mark.parametrize("systems", [("malt", "udpipe"), ("malt", "udpipe", "maltparser", "turbo")])
def test_names_stay_beside_the_charts(systems: tuple[str, ...], tmp_path: Path) -> None:
    outputs = [FIXTURES / f"parser-{name}.conllu" for name in "abab"]
    by_name = {f"English.{name}": output for name, output in zip(systems, outputs, strict=False)}
    treesql.report("dependency", gold=FIXTURES / "gold.conllu", systems=by_name, out=tmp_path / "r.html", sentences=0)
    with open_page(tmp_path / "r.html", tmp_path / "profile") as opened:
        for width in (1300, 900, 700, 400):
            opened.page.set_viewport_size({"width": width, "height": 900})
            assert opened.page.evaluate(NAMES_BEYOND_CELLS) == []
            assert opened.overflows == []


def test_texts_are_within_a_narrow_window(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("translation"), tmp_path / "profile", width=400) as opened:
        ends = "[...document.querySelectorAll('[open] .stacked td:last-child')]"
        rights = opened.page.evaluate(f"{ends}.map(cell => cell.getBoundingClientRect().right)")
        assert rights
        assert max(rights) <= 400


def test_the_note_on_scales_of_one_system_is_within_the_smallest_window(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    treesql.report("lattice", out=page, reference=FIXTURES / "lattices.txt", systems={"a": FIXTURES / "lattices.plf"})
    with open_page(page, tmp_path / "profile", width=320) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") == 320


def test_markup_in_words_is_not_run(tmp_path: Path) -> None:
    word = HOSTILE.replace(" ", "").replace("alert", "console.log")
    (tmp_path / "g.conllu").write_text(f"1\t{word}\t_\t{word}\t_\t_\t0\t{word}\t_\t_\n\n", "utf-8")
    gold = tmp_path / "g.conllu"
    treesql.report("dependency", gold=gold, systems={word: gold, "b": gold}, out=tmp_path / "r.html")
    with open_page(tmp_path / "r.html", tmp_path / "profile") as opened:
        assert word in opened.page.inner_text("body")
        assert opened.said == []


def test_print_has_all_that_is_folded_but_what_is_to_be_copied(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile") as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        heights = "[...document.querySelectorAll(selector)].map(one => one.offsetHeight)"
        for selector, is_shown in (
            ("details table", True), ("details figure", True), ("details code", True), (".how .code pre", True),
            ("details pre", False),
        ):  # fmt: skip
            boxes = opened.page.evaluate(f"selector => {heights}", selector)
            assert boxes
            assert {height > 0 for height in boxes} == {is_shown}, selector
        cut = "[...document.querySelectorAll('.sentences .text')].filter(one => one.scrollWidth > one.clientWidth + 1)"
        assert opened.page.evaluate(f"{cut}.length") == 0


def test_print_has_room_for_sentences_and_headings_beside_many_systems(pages: Pages, tmp_path: Path) -> None:
    with open_page(pages("dependency"), tmp_path / "profile", width=718) as opened:
        opened.page.emulate_media(media="print")
        opened.page.evaluate(
            """() => {
              for (const scores of document.querySelectorAll('.sentences .of'))
                scores.innerHTML = scores.innerHTML.repeat(4);
              for (const row of document.querySelectorAll('.stacks .wide tr'))
                for (let at = 0; at < 8; at++) row.append(row.lastElementChild.cloneNode(true));
            }"""
        )
        narrow = (
            "[...document.querySelectorAll('.sentences .text')]"
            ".filter(one => one.offsetWidth < .38 * one.parentElement.offsetWidth)"
        )
        assert opened.page.evaluate(f"{narrow}.length") == 0
        broken = (
            "[...document.querySelectorAll('.stacks .wide thead th:is(:nth-child(2), :nth-child(3)) button')]"
            ".filter(one => one.offsetHeight > 20)"  # two lines
        )
        assert opened.page.evaluate(f"{broken}.length") == 0


@pytest.mark.thorough
def test_pages_of_studies_have_the_same_look(
    treebank_folders: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    treesql.typology(*treebank_folders, "typology.html")
    for name, edges in {"sparse": SPARSE, "middle": MIDDLE, "dense": DENSE}.items():
        Path(f"{name}.jsonl").write_text(json.dumps({"n_nodes": 4, "edges": edges}) + "\n")
    Path("reference.txt").write_text("a b c\n")
    curve = treesql.lattices.curve("sparse.jsonl", "middle.jsonl", "dense.jsonl", reference="reference.txt")
    write_report(curve, "curve.html")
    for study in ("typology", "curve"):
        check_page(Path(f"{study}.html").read_text("utf-8"))
        for width, scheme in ((400, "dark"), (1400, "light")):
            with open_page(tmp_path / f"{study}.html", tmp_path / "profile", width=width, scheme=scheme) as opened:
                for folded in opened.page.query_selector_all("details"):
                    folded.evaluate("one => { one.open = true; }")
                assert opened.overflows == []
                assert opened.said == []
                assert opened.requests == []
                opened.page.screenshot(path=f"{study}-{width}.png")
