"""Write the reference pages and the outputs of all transcripts: python docs/make.py."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

import click
from click.testing import CliRunner

from treesql.catalog import reference
from treesql.cli import group
from treesql.drawing import pairs
from treesql.drawing.dependencies import Tree
from treesql.drawing.pairs import Link
from treesql.functions.reference import functions_reference

ROOT = Path(__file__).parent.parent
ENDINGS = """\
| exit code | |
|---|---|
| 0 | done |
| 1 | a check failed (`treesql check`): a file has errors, cannot be read, or has no format that is recognised |
| 2 | bad usage or bad input: one line per fault on standard error; nothing was changed |
| 130, 143, 129 | interrupted by Ctrl-C, SIGTERM or SIGHUP, and nothing was changed |

Corpora, new databases, files and folders are written whole or not at all. A command ends within a second of a signal;
what it is just making permanent, it completes first. After a signal that comes too late, a command prints "the signal
came too late: this was done" and exits with 0. A process that is killed (SIGKILL) leaves databases unchanged, and
possibly a hidden folder `.treesql-MACHINE-PROCESS-NUMBER`, which the next command that writes to the same folder
removes. With standard output closed (`>&-`) no command starts; `>/dev/null` prints nothing.

Every command takes `--quiet`, which leaves out warnings. The shell completes commands, options, the corpora of the
database on the line, metrics, scores, columns and queries after

```sh
eval "$(_TREESQL_COMPLETE=bash_source treesql)"   # in ~/.bashrc; zsh_source in ~/.zshrc
_TREESQL_COMPLETE=fish_source treesql | source    # in ~/.config/fish/config.fish
```"""


def commands() -> str:
    """The reference page of the commands, from their help."""
    top = [
        "# Commands",
        "",
        "This page has the help of every command, as `treesql COMMAND --help` prints it, and exit codes.",
        "",
        ENDINGS,
        "",
    ]
    return "\n".join([*top, *(f"## {name}\n\n```text\n{text}\n```\n" for name, text in helps().items())])


def with_contents(text: str) -> str:
    """A page with links to its sections below its first paragraph."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^## (.+)$", prose, re.MULTILINE)]
    anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    links = [f"[{title}](#{anchor})" for title, anchor in zip(titles, anchors, strict=True)]
    first = re.match(r"# .*\n+(?!#)(?:.+\n)*", text)
    assert first
    return f"{first[0].rstrip()}\n\nOn this page: {', '.join(links)}.\n{text[first.end() :]}"


def helps() -> dict[str, str]:
    """The help of every command by its full name."""
    found: dict[str, str] = {}

    def walk(name: str, command: click.Command) -> None:
        with click.Context(command, info_name=name, help_option_names=["-h", "--help"]) as context:
            if isinstance(command, click.Group):
                for child in command.list_commands(context):
                    one = command.get_command(context, child)
                    assert one is not None
                    walk(f"{name} {child}", one)
            else:
                found[name] = command.get_help(context).rstrip()

    walk("treesql", group)
    return found


def rerun(page: str) -> str:
    """A page with every `$ treesql ...` of its console blocks run again, in order, in one folder with the fixtures."""
    text = (ROOT / page).read_text("utf-8")
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "fixtures", Path(folder) / "fixtures")
        os.chdir(folder)
        try:
            return re.sub(
                r"(?<=```console\n).*?(?=```)", lambda block: "".join(_steps(block[0])), text, flags=re.DOTALL
            )
        finally:
            os.chdir(before)


def rerun_on_data(page: str, cases: Path, data: Path) -> str:
    """A page with its blocks `console data` and `python data` run again, in order, in one folder.

    The folder has the fixtures, `cases`, which is TREESQL_CASES, and `ud`, which is `ud` of TREESQL_DATA.
    """
    text = (ROOT / page).read_text("utf-8")
    before = Path.cwd()

    def run(block: re.Match[str]) -> str:
        if block[1] == "console":
            return f"```console data\n{''.join(_steps(block[2]))}```"
        exec(compile(block[2], page, "exec"), {})
        return block[0]

    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "fixtures", Path(folder) / "fixtures")
        (Path(folder) / "cases").symlink_to(cases)
        (Path(folder) / "ud").symlink_to(data / "ud")
        os.chdir(folder)
        try:
            return re.sub(r"```(console|python) data\n(.*?)```", run, text, flags=re.DOTALL)
        finally:
            os.chdir(before)


def _steps(block: str) -> list[str]:
    """The commands of a block, each with what it prints."""
    steps = []
    for command in re.findall(r"^\$ treesql (.*)$", block, re.MULTILINE):
        result = CliRunner().invoke(group, shlex.split(command), catch_exceptions=False)
        printed = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-01-01 12:00", result.output)
        steps.append(f"$ treesql {command}\n{printed.rstrip()}\n".replace("\n\n", "\n"))
    return ["\n".join(steps)]


def shown(*arguments: str) -> str:
    """What `treesql show --svg` draws of the fixtures."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return CliRunner().invoke(group, ["show", *arguments, "--svg"], catch_exceptions=False).output
    finally:
        os.chdir(before)


def pair() -> str:
    """Two aligned sentences, with a path that costs much."""
    english = Tree(["Ann", "drinks", "tea"], [2, 0, 2], ["nsubj", "root", "obj"], ["PROPN", "VERB", "NOUN"])
    german = Tree(
        ["Tee", "trinkt", "Ann"], [2, 0, 2], ["obj", "root", "nsubj"], ["NOUN", "VERB", "PROPN"], marks={1: "costly"}
    )
    return pairs.svg(english, german, [Link(1, 3), Link(2, 2), Link(3, 1, "costly")], standalone=True)


PAGES = {
    "docs/tables.md": lambda: with_contents(reference.tables_reference()),
    "docs/queries.md": lambda: with_contents(reference.queries_reference()),
    "docs/commands.md": lambda: with_contents(commands()),
    "docs/macros.md": lambda: with_contents(f"{reference.macros_reference()}\n{functions_reference()}"),
    "README.md": lambda: rerun("README.md"),
    "docs/command_line.md": lambda: rerun("docs/command_line.md"),
    "docs/requests.md": lambda: rerun("docs/requests.md"),
    "docs/tree_requests.md": lambda: rerun("docs/tree_requests.md"),
    "docs/consistency.md": lambda: rerun("docs/consistency.md"),
    "docs/concordances.md": lambda: rerun("docs/concordances.md"),
    "docs/tour.md": lambda: rerun("docs/tour.md"),
    "docs/constituency.md": lambda: rerun("docs/constituency.md"),
    "docs/scores.md": lambda: rerun("docs/scores.md"),
    "docs/drawings.md": lambda: rerun("docs/drawings.md"),
    "docs/drawings/hearing.svg": lambda: shown("fixtures/gold.conllu", "hearing"),
    "docs/drawings/compared.svg": lambda: shown(
        "fixtures/gold.conllu", "hearing", "--system", "fixtures/parser-a.conllu"
    ),
    "docs/drawings/enhanced.svg": lambda: shown("fixtures/gold.conllu", "tea", "--enhanced"),
    "docs/drawings/phrases.svg": lambda: shown("fixtures/gold.mrg", "0"),
    "docs/drawings/aligned.svg": lambda: shown(
        "fixtures/reference.conllu",
        "letters",
        "--aligned",
        "fixtures/hypothesis.conllu",
        "--links",
        "fixtures/reference-hypothesis.align",
    ),
    "docs/drawings/grid.svg": lambda: shown(
        "fixtures/gold.conllu",
        "mat",
        "--aligned",
        "fixtures/gold.conllu",
        "--links",
        "fixtures/links.pharaoh",
        "--system",
        "fixtures/links-a.pharaoh",
        "--grid",
    ),
    "docs/drawings/pair.svg": pair,
    "docs/reports.md": lambda: rerun("docs/reports.md"),
    "docs/alignments.md": lambda: rerun("docs/alignments.md"),
    "docs/paths.md": lambda: rerun("docs/paths.md"),
    "docs/many_treebanks.md": lambda: rerun("docs/many_treebanks.md"),
    "docs/significance.md": lambda: rerun("docs/significance.md"),
    "docs/arbiter.md": lambda: rerun("docs/arbiter.md"),
    "docs/curves.md": lambda: rerun("docs/curves.md"),
    "docs/entropy.md": lambda: rerun("docs/entropy.md"),
    "docs/lattices.md": lambda: rerun("docs/lattices.md"),
    "docs/pruning.md": lambda: rerun("docs/pruning.md"),
    "docs/versions.md": lambda: rerun("docs/versions.md"),
    "docs/large_corpora.md": lambda: rerun("docs/large_corpora.md"),
    "docs/reproductions/000.md": lambda: rerun("docs/reproductions/000.md"),
    "docs/reproductions/001.md": lambda: rerun("docs/reproductions/001.md"),
    "docs/reproductions/002.md": lambda: rerun("docs/reproductions/002.md"),
    "docs/reproductions/003.md": lambda: rerun("docs/reproductions/003.md"),
    "docs/reproductions/004.md": lambda: rerun("docs/reproductions/004.md"),
}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (ROOT / page).write_text(make(), "utf-8")
    if {"TREESQL_CASES", "TREESQL_DATA"} <= os.environ.keys():
        folders = Path(os.environ["TREESQL_CASES"]), Path(os.environ["TREESQL_DATA"])
        for page in (page for page in PAGES if page.startswith("docs/reproductions/")):
            (ROOT / page).write_text(rerun_on_data(page, *folders), "utf-8")
