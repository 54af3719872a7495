"""The site of the documentation: it builds without a warning, its links lead somewhere, and it has all made pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import treesql
from tests.browser import accessibility_faults, axe_script, open_page
from tests.conftest import ROOT
from tests.extras import require_extra
from tests.house.command_tree import commands
from treesql.catalog.schemas import all_tables, all_views

require_extra("docs")
pytestmark = pytest.mark.slow

SOURCES = [
    "docs",
    "benchmarks/README.md",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CITATION.cff",
]


@dataclass
class Page(HTMLParser):
    """The anchors of a page, what it links to, and its headings and pictures."""

    text: str
    anchors: set[str] = field(default_factory=set)
    targets: list[str] = field(default_factory=list)
    headings: int = 0
    language: str | None = None
    pictures_without_text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors |= {value for key, value in attributes if key in {"id", "name"} and value}
        self.targets += [value for key, value in attributes if key in {"href", "src"} and value]
        self.headings += tag == "h1" and given.get("class") != "logo"
        self.language = given.get("lang") if tag == "html" else self.language
        if tag == "img" and not given.get("alt"):
            self.pictures_without_text.append(given.get("src") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy: pages are made into the folder of the sources."""
    folder = tmp_path_factory.mktemp("site")
    for name in SOURCES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("reference", "__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    built = folder / "built"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(folder / "docs"),
        str(built),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    return built


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site, parsed."""
    return {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html") if "_static" not in path.parts}


def test_links_lead_to_a_page_and_an_anchor(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for target in page.targets:
            file, anchor = urldefrag(target)
            if "://" in file or file.startswith(("mailto:", "data:")):
                continue
            where = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not where.exists() or (anchor and where in pages and unquote(anchor) not in pages[where].anchors):
                broken.append(f"{path.relative_to(site)}: {target}")
    assert not broken


def test_there_is_a_page_per_query_command_and_table(site: Path) -> None:
    made = site / "reference"
    expected = {f"queries/{one.name}" for one in treesql.queries()} | {
        f"tables/{name}" for name in (*all_tables(), *all_views())
    }
    expected |= {f"commands/{name.removeprefix('treesql ').replace(' ', '-')}" for name in commands()}
    assert not {name for name in expected if not (made / f"{name}.html").exists()}


def test_python_pages_have_all_public_names(pages: dict[Path, Page]) -> None:
    anchors = set().union(*(page.anchors for page in pages.values()))
    listed = {name for name in treesql.__all__ if name not in {"when_compiling"}}
    assert not {name for name in listed if f"treesql.{name}" not in anchors and f"treesql-{name}" not in anchors}


def test_every_page_has_a_language_a_heading_and_words_for_its_pictures(pages: dict[Path, Page]) -> None:
    found = {path.as_posix().split("/built/")[1]: page for path, page in pages.items()}
    assert not [name for name, page in found.items() if page.language != "en"]
    assert not [name for name, page in found.items() if page.headings != 1 and name not in {"search.html"}]
    assert not {name: page.pictures_without_text for name, page in found.items() if page.pictures_without_text}


def faults_of(site: Path, pages: list[Path], profile: Path) -> dict[str, list[str]]:
    """What an accessibility checker says of pages, opened one after the other in one browser."""
    script = axe_script()
    with open_page(site / "index.html", profile) as opened:
        found = {}
        for path in pages:
            opened.page.goto(path.as_uri())
            found[path.relative_to(site).as_posix()] = accessibility_faults(opened, script)
    return {page: faults for page, faults in found.items() if faults}


def test_a_page_of_each_kind_passes_an_accessibility_checker(site: Path, tmp_path: Path) -> None:
    kinds = ["index", "search", "which-number", "reference/queries/attachment", "reference/tables/sentences",
             "reference/commands/cite", "reference/notebooks/lattice_worth", "reference/python/lattices"]  # fmt: skip
    assert not faults_of(site, [site / f"{name}.html" for name in kinds], tmp_path / "profile")


@pytest.mark.thorough
def test_all_written_pages_pass_an_accessibility_checker(site: Path, tmp_path: Path) -> None:
    written = [*site.glob("*.html"), *(site / "reference" / "notebooks").glob("*.html")]
    written += [*(site / "reproductions").glob("*.html"), *(site / "reference" / "python").glob("*.html")]
    assert not faults_of(site, sorted(written), tmp_path / "profile")
