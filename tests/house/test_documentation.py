"""The docs: reference pages as generated, commands documented, transcripts real, examples that run."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import treesql
from tests.conftest import ROOT
from treesql.cli import group

PAGES = runpy.run_path(str(ROOT / "docs" / "make.py"))
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> dict[str, click.Command]:
    """Every command by its full name."""
    found: dict[str, click.Command] = {}

    def walk(prefix: str, command: click.Command) -> None:
        if isinstance(command, click.Group):
            with click.Context(command) as context:
                for name in command.list_commands(context):
                    child = command.get_command(context, name)
                    assert child is not None
                    walk(f"{prefix} {name}", child)
        else:
            found[prefix] = command

    walk("treesql", group)
    return found


@pytest.mark.parametrize("name", PAGES["PAGES"])
def test_reference_pages_are_up_to_date(name: str) -> None:
    made = PAGES["PAGES"][name]()
    assert (ROOT / "docs" / name).read_text("utf-8") == made, "run `python docs/make.py`"


def test_every_command_has_help_and_stands_in_the_docs() -> None:
    reference = (ROOT / "docs" / "commands.md").read_text("utf-8")
    for name, command in commands().items():
        assert command.help, name
        assert f"## {name}\n" in reference
        assert all(p.help for p in command.params if isinstance(p, click.Option)), name


def test_every_documented_command_exists() -> None:
    known = commands()
    groups = {name.rsplit(" ", 1)[0] for name in known}
    for page in PROSE:
        for line in re.findall(r"^\s*\$? ?(treesql [a-z][^\n]*)$", page.read_text("utf-8"), re.MULTILINE):
            words = line.split()
            name = " ".join(words[:3] if " ".join(words[:2]) in groups and len(words) > 2 else words[:2])
            assert name in known or name in groups, (page.name, line)


def transcripts(page: str) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with what it says is printed."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, printed) for command, _, printed in (step.partition("\n") for step in steps)]


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md"])
def test_transcripts_are_real(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `$ treesql ...` is run in order in one folder and prints what the page says."""
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    steps = transcripts(page)
    assert steps
    for command, printed in steps:
        arguments = shlex.split(command.replace("\\\n", ""))
        assert arguments[0] == "treesql", command
        result = CliRunner().invoke(group, arguments[1:], catch_exceptions=False)
        assert _stable(result.output).strip() == _stable(printed).strip(), command


def _stable(text: str) -> str:
    """Without the time of a load."""
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DATE", text)


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md", "docs/python.md"])
def test_python_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), {})


def test_sql_examples_run(examples: treesql.Database) -> None:
    for page in PROSE:
        for block in re.findall(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            if not block.startswith("--"):
                examples.sql(block.replace("'ewt'", "'gold'"))


def test_links_between_pages_lead_somewhere() -> None:
    for page in PROSE:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)
