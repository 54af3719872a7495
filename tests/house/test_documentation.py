"""The docs: pages as they are made, transcripts real, commands documented, examples that run."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import click
import pytest

import treesql
from tests.conftest import ROOT, thorough_but
from tests.house.command_tree import PROSE, commands
from tests.house.rules import assert_none
from treesql.functions import FUNCTIONS

MAKE = runpy.run_path(str(ROOT / "docs" / "make.py"))
PAGES, LISTS = MAKE["PAGES"], MAKE["LISTS"]
PYTHON_PAGES = [
    "README.md",
    "docs/many_treebanks.md",
    "docs/tour.md",
    "docs/python.md",
    "docs/drawings.md",
    "docs/significance.md",
    "docs/reports.md",
    "docs/pruning.md",
    "docs/curves.md",
    "docs/other_clients.md",
]
CORE_PAGES = ("README.md", "docs/tour.md", "docs/python.md", "docs/other_clients.md")
"""Of these, those whose Python is not that of the commands beside it."""

RUN_ELSEWHERE = {
    "docs/serve.md": {"console"},  # needs a server, which tests/web start
    "docs/spark.md": {"python"},  # needs Spark, which tests/engines starts
    "docs/training.md": {"python"},  # needs other libraries, or what stands for them: tests/evaluation
}
"""Blocks that other tests run."""

TESTED = {"sql"}
"""Languages of which all blocks are run here."""

QUESTIONS = {"docs/questions.md": {"grew"}, "docs/tree_questions.md": {"tregex", "tiger"}}
"""Requests that the tests of these pages run."""

SHOWN = {"text", "json", "r", "sh", "{toctree}"}
"""Languages of blocks that show something to read, or lines for other programs."""


def test_lists_are_up_to_date() -> None:
    """`python docs/make.py` writes them."""
    assert_none(page for page, make in LISTS.items() if (ROOT / page).read_text("utf-8") != make())


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page not in LISTS])
def test_transcripts_are_up_to_date(page: str) -> None:
    assert (ROOT / page).read_text("utf-8") == PAGES[page](), f"run `python docs/make.py {page}`"


def test_every_command_has_help_and_stands_in_the_docs() -> None:
    reference = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name, command in commands().items():
        assert command.help, name
        assert f"- `{name}`: " in reference
        assert all(p.help for p in command.params if isinstance(p, click.Option)), name


def test_every_function_of_a_kernel_has_a_doc_and_stands_on_the_page_of_functions() -> None:
    page = (ROOT / "docs" / "macros.md").read_text("utf-8")
    for function in FUNCTIONS:
        assert function.doc, function.name
        assert not function.doc.endswith("."), function.name
        doc = function.doc[:1].upper() + function.doc[1:]
        assert f"### {function.name}({', '.join(name for name, _ in function.parameters)})\n\n{doc}.\n" in page


def test_every_documented_command_exists() -> None:
    known = commands()
    groups = {name.rsplit(" ", 1)[0] for name in known}
    texts = {page.name: page.read_text("utf-8") for page in PROSE} | MAKE["helps"]()
    for page, text in texts.items():
        for line in re.findall(r"^\s*\$? ?(treesql [a-z][^\n]*)$", text, re.MULTILINE):
            words = line.split()
            name = " ".join(words[:3] if " ".join(words[:2]) in groups and len(words) > 2 else words[:2])
            assert name in known or name in groups, (page, line)


@pytest.mark.slow
@pytest.mark.parametrize("page", thorough_but(PYTHON_PAGES, *CORE_PAGES))
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_python_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), {})


def test_every_block_is_run() -> None:
    """Those of a language without a test show what cannot be run here, and say their language."""
    for page in PROSE:
        name = page.relative_to(ROOT).as_posix()
        run = TESTED | RUN_ELSEWHERE.get(name, set()) | QUESTIONS.get(name, set())
        run |= ({"console"} if name in PAGES else set()) | ({"python"} if name in PYTHON_PAGES else set())
        blocks = re.findall(r"^```([^\n`]*)\n.*?^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        assert set(blocks) <= run | SHOWN, name
        for block in re.findall(r"^```console\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
            assert name in RUN_ELSEWHERE or not re.search(r"^\$ (?!treesql )", block, re.MULTILINE), name


@pytest.mark.slow
def test_sql_examples_run(examples: treesql.Database) -> None:
    for page in PROSE:
        for block in re.findall(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if not block.startswith("--"):
                examples.sql(block.replace("'ewt'", "'gold'"))


def test_every_page_begins_with_what_it_is_for() -> None:
    """Its title, then a paragraph of a sentence at least."""
    for page in PROSE:
        assert re.match(r"# .+\n\n[A-Z`*][^|\n]*[^|]*?[.:]\s", page.read_text("utf-8")), page.name


def test_long_pages_begin_with_their_contents() -> None:
    """Three screens are some 150 lines."""
    for page in PROSE:
        text = page.read_text("utf-8")
        if text.count("\n") > 150:
            sections = len(re.findall(r"^## ", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE))
            assert text.split("\n## ")[0].count("](#") >= sections, page.name


def test_links_between_pages_lead_somewhere() -> None:
    for page in PROSE:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)
