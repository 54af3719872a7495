"""The pages in a real browser, as a linguist uses them: by mouse, by keyboard, on a narrow screen, without script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.browser import OpenPage, accessibility_faults, axe_script, one_browser, open_address, why_not
from tests.conftest import thorough_but
from tests.web.servers import ENDLESS, become_busy, serving

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not())]

REQUEST = "pattern { e: H -> X; H [upos] }"


@pytest.fixture(scope="module", autouse=True)
def browser() -> Iterator[None]:
    """One browser for all pages of the module."""
    with one_browser():
        yield


@pytest.fixture(scope="module")
def address(web_database: Path) -> Iterator[str]:
    with serving(web_database) as found:
        yield found


@pytest.fixture
def opened(address: str, tmp_path: Path) -> Iterator[OpenPage]:
    with open_address(address, tmp_path / "profile") as page:
        yield page
        assert page.said == []


def test_a_search_from_the_first_page_to_a_sentence(opened: OpenPage) -> None:
    page = opened.page
    page.fill("#q", REQUEST)
    page.select_option("form[role=search] select[name=corpus]", "")
    page.select_option("form[role=search] select[name=show]", "trees")
    page.click("form[role=search] button")
    assert page.inner_text("#found") == "75 hits"
    assert not page.is_visible("input[name=by]")
    page.select_option("select[name=show]", "groups")
    page.fill("input[name=by]", "H.upos, e.label")
    page.click("summary:has-text('More choices')")
    page.check("input[name=grid]")
    page.click("form button")
    cell = page.locator("tbody td a").first
    number = cell.inner_text()
    cell.click()
    assert page.inner_text("#found").startswith(f"{number} hits")
    page.click("nav[aria-label=Views] >> text=as trees")
    page.locator("figure.hit figcaption a").first.click()
    assert page.locator("main > figure svg:visible").count() == 1
    page.keyboard.press("n")
    page.wait_for_selector("h1:has-text('know')")
    page.keyboard.press("p")
    page.wait_for_selector("h1:has-text('mat')")
    page.keyboard.press("?")
    assert page.is_visible("dialog >> text=write a request")
    page.click("dialog button")
    page.keyboard.press("/")
    page.wait_for_url("**/search")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("n?")
    assert "n?" in page.input_value("#q")


def test_a_concordance_is_sorted_by_a_click_and_by_its_links(opened: OpenPage, address: str) -> None:
    page = opened.page
    page.goto(f"{address}search?corpus=gold&show=concordance&q={quote(REQUEST)}")
    page.click("th button:has-text('match')")
    found = page.locator("tbody tr td:last-child").all_inner_texts()
    assert found == sorted(found, key=str.lower)
    page.select_option("select[name=sort]", "right")
    page.click("form button")
    assert "sort=right" in page.url


@pytest.mark.parametrize("how", thorough_but(["button", "Escape"], "button"))
def test_a_query_is_stopped(how: str, opened: OpenPage, address: str) -> None:
    page = opened.page
    page.goto(f"{address}sql")
    page.fill("#q", ENDLESS)
    shown = "one => { one.hidden = false; const box = one.lastElementChild.getBoundingClientRect(); one.hidden = true;"
    x, y = page.locator("#running").evaluate(f"{shown} return [box.x + box.width / 2, box.y + box.height / 2]; }}")
    page.locator("form button").click(no_wait_after=True)
    assert become_busy(1)
    if how == "button":
        page.mouse.click(x, y)  # input does not wait for the end of the navigation, as scripts of a test do
    else:
        page.keyboard.press("Escape")
    assert become_busy(0)
    assert page.url == f"{address}sql"
    assert page.evaluate("document.getElementById('running').hidden")
    assert httpx.get(f"{address}sql.json?q=SELECT+1", timeout=10).status_code == 200


def test_a_closed_tab_stops_its_query(opened: OpenPage, address: str) -> None:
    tab = opened.page.context.new_page()
    tab.goto(f"{address}sql?q=SELECT+1")
    tab.fill("#q", ENDLESS)
    tab.locator("form button").click(no_wait_after=True)
    assert become_busy(1)
    tab.close()
    assert become_busy(0)


def test_two_parsers_are_compared_and_their_report_is_saved(opened: OpenPage, tmp_path: Path) -> None:
    page = opened.page
    page.click("nav >> text=Compare")
    page.click("nav >> text=dependency")
    page.select_option("select[name=gold]", "gold")
    for system in ("parser-a", "parser-b"):
        page.check(f"input[name=system][value={system}]")
    page.uncheck("input[name=system][value=gold]")
    page.click("form button")
    assert "parser-b scores better than parser-a" in page.inner_text("main")
    with page.expect_download() as download:
        page.click("text=The report of these systems")
    download.value.save_as(tmp_path / "report.html")
    assert "How this was computed" in (tmp_path / "report.html").read_text("utf-8")
    with page.expect_download() as download:
        page.goto(page.url)
        page.evaluate("document.querySelector('p.soft a[href*=\".csv\"]').setAttribute('download', '')")
        page.click("p.soft >> text=csv")
    assert download.value.suggested_filename.endswith(".csv")


def test_everything_is_reached_by_keyboard(opened: OpenPage, address: str) -> None:
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.focus("#q")
    page.keyboard.press("Control+A")
    page.keyboard.type("pattern { V [upos=VERB] }")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#found")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('tbody') !== null"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text(':')")
    assert "/sentences/" in page.url


PATHS = (
    "", "corpora/gold", "corpora/gold?table=relations", f"search?q={quote(REQUEST)}", "sentences/gold/tea",
    f"search?show=concordance&q={quote(REQUEST)}", f"search?by=H.upos,e.label&grid=1&q={quote(REQUEST)}",
    "score/dependency?gold=gold&system=parser-a&system=parser-b&ci=1",
    "compare/dependency?gold=gold&system=parser-a&system=parser-b",
    "sql?q=SELECT+*+FROM+words", "sentences/gold/tea?system=parser-a", "score", "sql?q=SELECT+upoos+FROM+words",
    f"search?q={quote('pattern { V -[objj]-> O }')}", "search?q=pattern+%7B",
    "search?show=groups&q=pattern+%7BX%5B%5D%7D",
)  # fmt: skip


@pytest.mark.parametrize("scripts", thorough_but([True, False], True))
def test_no_page_is_wider_than_a_narrow_screen(scripts: bool, address: str, tmp_path: Path) -> None:
    with open_address(address, tmp_path / "profile", width=400, scheme="dark", scripts=scripts) as opened:
        for path in PATHS:
            opened.page.goto(address + path)
            for width in (320, 400, 768, 1300, 1920):
                opened.page.set_viewport_size({"width": width, "height": 900})
                assert opened.overflows == [] if scripts else opened.page.inner_text("main"), (path, width)
                height = opened.page.evaluate("document.documentElement.scrollHeight")
                assert width != 1300 or height <= 8000, (path, height)
        assert [one for one in opened.said if "400 (Bad Request)" not in one] == []


def test_pages_pass_an_accessibility_checker(opened: OpenPage, address: str) -> None:
    script = axe_script()
    two = "gold=gold&system=parser-a&system=parser-b"
    search = f"search?q={quote(REQUEST)}"
    pages = [
        "", "score", f"{search}&corpus=gold", f"{search}&corpus=gold&show=concordance", f"{search}&show=groups",
        "search?q=pattern+%7B", "search?q=pattern+%7BX[upos=VRB]%7D", f"score/dependency?{two}&ci=1",
        f"compare/dependency?{two}&metric=las", "sql?q=FROM+corpora", "sql?q=SELECT+upoos+FROM+words",
        "sentences/gold/mat",
    ]  # fmt: skip
    found = {}
    for page in pages:
        opened.page.goto(address + page)
        found[page] = accessibility_faults(opened, script)
    assert not {page: faults for page, faults in found.items() if faults}
    opened.said[:] = [one for one in opened.said if "400 (Bad Request)" not in one]
