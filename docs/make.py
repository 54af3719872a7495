"""Write the lists and pages of reference: python docs/make.py. With pages, also what their commands print: python
docs/make.py docs/tour.md; with --all, that of all transcripts.

The pages in `docs/reference` are not committed; a build of the site makes them, too.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from click.testing import CliRunner

import treesql
from treesql.catalog.schemas import Table, TableColumn, _cell, all_macros, all_tables, all_views
from treesql.cli import WHOLE_HELP, group
from treesql.drawing import Link, Tree, TreePair
from treesql.functions import FUNCTIONS, Function

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


FAMILIES = {
    "alignment": "Word alignments",
    "consistency": "Consistency of a treebank",
    "constituency": "Constituency trees",
    "dependency": "Dependency trees",
    "grammar": "Grammars read off trees",
    "lattice": "Lattices",
    "lexicon": "Words and frequencies",
    "nbest": "N-best lists",
    "newick": "Trees over named leaves",
    "parallel": "Parallel treebanks",
    "paths": "Paths between aligned trees",
    "translation": "Translations",
    "trees": "Edit distances of trees",
    "versions": "Versions of a treebank",
}
"""The kinds of evaluation, by their folders in `queries/`."""

MOST_WANTED_COMMANDS = (
    "treesql load",
    "treesql find",
    "treesql show",
    "treesql sql",
    "treesql score dependency",
    "treesql compare dependency",
    "treesql report dependency",
    "treesql score constituency",
    "treesql score alignment",
    "treesql score lattice",
    "treesql score translation",
    "treesql lattice prune",
    "treesql lattice curve",
    "treesql diff",
    "treesql stats",
    "treesql check",
    "treesql info",
    "treesql export",
    "treesql queries",
    "treesql serve",
)
"""Those that the README and the pages use most."""


def commands_list() -> str:
    """The page that lists the commands: those wanted most, then the others by their group."""
    lines = {name: f"- `{name}`: {first_paragraph(text)}" for name, text in helps().items()}
    groups: dict[str, list[str]] = {}
    for name in lines.keys() - MOST_WANTED_COMMANDS:
        words = name.split()
        groups.setdefault(" ".join(words[:2]) if len(words) > 2 else "Other commands", []).append(name)
    top = [
        "# Commands",
        "",
        "This page lists the commands and exit codes; `treesql COMMAND --help` has two examples and the options that a",
        "first user needs, `treesql COMMAND --help --all` all options.",
        "",
        ENDINGS,
        "",
    ]
    return "\n".join([*top, *_lists(lines, MOST_WANTED_COMMANDS, groups)])


def queries_list() -> str:
    """The page that lists the queries: those wanted most, then the others by kind of evaluation, metrics first."""
    kinds = ["metric", "statistic", "attributes", "relation", "audit"]
    wanted = [task.query for task in treesql.tasks() if task.query]
    entries = sorted(treesql.queries(), key=lambda entry: (kinds.index(entry.kind), entry.name))
    lines = {}
    families: dict[str, list[str]] = {}
    for entry in entries:
        scores = f" Scores: {', '.join(f'`{score}`' for score in entry.scores)}." if entry.scores else ""
        lines[entry.name] = f"- `{entry.name}`, {entry.kind}: {entry.doc.rstrip('.')}.{scores}"
        if entry.name not in wanted:
            families.setdefault(family_title(entry.folder), []).append(entry.name)
    top = [
        "# Queries",
        "",
        "This page lists the queries; `treesql queries NAME` describes one: parameters, columns, scores and source.",
        "Each is a table macro: those of metrics and statistics for any client, those that need a kernel, or that only",
        "other queries read, on connections of treesql alone.",
        "",
    ]
    return "\n".join([*top, *_lists(lines, wanted, families)])


def index() -> str:
    """The first page, with what people ask for and the commands that answer."""
    text = (ROOT / "docs/index.md").read_text("utf-8")
    rows = [
        f"| {task.task} | {f'`{task.query}`' if task.query else ''} | `{task.command}` |" for task in treesql.tasks()
    ]
    table = "\n".join(["| what | query | command |", "|---|---|---|", *rows])
    return re.sub(r"(?<=\n\n)\| what \| query .*?\n(?=\n)", lambda _: f"{table}\n", text, count=1, flags=re.DOTALL)


def family_title(folder: str) -> str:
    """The title of a kind of evaluation."""
    return FAMILIES.get(folder, folder.capitalize())


def _lists(lines: Mapping[str, str], wanted: Iterable[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    """The sections of a page that lists things, the most wanted ones first."""
    sections = ["## Most wanted", "", *(lines[name] for name in wanted), ""]
    for title in sorted(groups):
        sections += [f"## {title}", "", *(lines[name] for name in sorted(groups[title], key=list(lines).index)), ""]
    return sections


def first_paragraph(text: str) -> str:
    """What a command does, from its help: the first paragraph after the usage."""
    return " ".join(text.split("\n\n")[1].split())


def macros_reference() -> str:
    """The reference page of the macros, in Markdown."""
    parts = [
        "# SQL functions",
        "",
        "This page describes the functions that SQL on a database can call, from the headers in `macros/`. They are",
        "macros in every database, for any DuckDB client. A parameter of type WORD takes an alias of `words`:",
        "`FROM words AS v JOIN words AS p ON dominates(v, p)`.",
        "",
    ]
    for macro in all_macros().values():
        [result] = macro.columns
        parts += [f"## {macro.name}({', '.join(p.name for p in macro.parameters)})", ""]
        parts += [macro.doc[0].upper() + macro.doc[1:], ""]
        parts += [f"- `{p.name}` {p.type}: {p.doc}" for p in macro.parameters]
        parts += [f"- returns {result.type}: {result.doc}", f"- source: {macro.source}", ""]
    return "\n".join(parts)


def tables_reference() -> str:
    """The reference page of the tables and views, in Markdown."""
    parts = [
        "# Tables",
        "",
        "This page describes the tables and views of every database, from `schemas/`. A column is NULL where the file",
        "leaves it open, unless it is required. Below a table stand the rules of its rows: a data set, or a change",
        "through SQL, that breaks one is refused; the queries of the rules are in `schemas/`.",
        "",
    ]
    parts += [text for name, text in describe_tables().items() if name in all_tables()]
    parts += ["# Views", ""]
    parts += [text for name, text in describe_tables().items() if name not in all_tables()]
    return "\n".join(parts)


def describe_tables() -> dict[str, str]:
    """The documentation of every table and view by its name, in Markdown."""
    described = {}
    for entry in all_tables().values():
        key = f" Key: {', '.join(f'`{name}`' for name in entry.key)}." if entry.key else ""
        parts = [f"## {entry.name}", "", f"{entry.doc}{key}", ""]
        parts += ["| column | type | | meaning |", "|---|---|---|---|"]
        parts += [f"| `{c.name}` | {c.type} | {_notes(c)} | {_cell(c.doc)} |" for c in entry.columns]
        parts += describe_rules(entry)
        described[entry.name] = "\n".join([*parts, ""])
    for view in all_views().values():
        parts = [f"## {view.name}", "", view.doc, "", "| column | type | meaning |", "|---|---|---|"]
        parts += [f"| `{c.name}` | {c.type} | {_cell(c.doc)} |" for c in view.columns]
        described[view.name] = "\n".join([*parts, "", f"Source: {view.source}.", ""])
    return described


def describe_rules(entry: Table) -> list[str]:
    """What holds for the rows of a table beyond its columns, in lines of Markdown: which rows are refused, and why."""
    lines = []
    if entry.numbered_from is not None:
        lines.append(f"- `{entry.key[-1]}` numbers rows from {entry.numbered_from} without gaps")
    for derived in entry.derived:
        columns = ", ".join(f"`{name}`" for name in derived.columns) or "all rows"
        lines.append(f"- {_of_kinds(derived.kinds)}{columns}: derived from {derived.source}")
    for rule in entry.rules:
        columns_of_rule = " of " + ", ".join(f"`{name}`" for name in rule.columns) if rule.columns else ""
        what = rule.doc or re.sub(r"{(\w+)}", lambda value: value[1].upper(), rule.what.replace("{column}", "it"))
        lines.append(f"- {_of_kinds(rule.kinds)}`{rule.name}`{columns_of_rule}: refused where {what}; {rule.hint}")
    return ["", *lines] if lines else []


def _of_kinds(kinds: Sequence[str]) -> str:
    return f"({', '.join(kinds)}) " if kinds else ""


def _notes(column: TableColumn) -> str:
    notes = ["required"] if column.required else []
    if column.check:
        notes.append(f"`{column.check}`")
    if column.computed:
        notes.append(f"computed at load: `{_cell(column.computed)}`")
    return ", ".join(notes)


def functions_reference() -> str:
    """The part of the page of SQL functions that is about those of kernels."""
    parts = [
        "## Kernel functions",
        "",
        "These functions, of `treesql/functions/`, are compiled dynamic programs: connections of treesql have them",
        "(`db.sql`, `treesql sql`), other DuckDB clients do not. Where an argument is NULL, so is the result, unless",
        "the text says otherwise. An argument that a function refuses is an error that names the row.",
        "",
    ]
    return "\n".join([*parts, *map(_describe, FUNCTIONS)])


def _describe(function: Function) -> str:
    """A function's name, parameters, result and doc, in Markdown."""
    names = ", ".join(name for name, _ in function.parameters)
    parameters = ", ".join(f"`{name}` {kind}" for name, kind in function.parameters)
    doc = f"{function.doc[0].upper()}{function.doc[1:]}."
    return "\n".join([f"### {function.name}({names})", "", doc, f"{parameters}; returns {function.returns}.", ""])


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
    texts: dict[str, str] = {}

    def walk(name: str, command: click.Command) -> None:
        with click.Context(command, info_name=name, help_option_names=["-h", "--help"]) as context:
            if isinstance(command, click.Group):
                for child in command.list_commands(context):
                    subcommand = command.get_command(context, child)
                    assert subcommand is not None
                    walk(f"{name} {child}", subcommand)
            else:
                context.meta[WHOLE_HELP] = True
                texts[name] = command.get_help(context).rstrip()

    walk("treesql", group)
    return texts


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
    return TreePair(english, german, [Link(1, 3), Link(2, 2), Link(3, 1, "costly")]).svg(standalone=True)


LISTS = {
    "docs/index.md": index,
    "docs/tables.md": lambda: with_contents(tables_reference()),
    "docs/queries.md": lambda: with_contents(queries_list()),
    "docs/commands.md": lambda: with_contents(commands_list()),
    "docs/macros.md": lambda: with_contents(f"{macros_reference()}\n{functions_reference()}"),
}
"""The lists and pages of reference that are committed, and what makes them."""

TRANSCRIPTS = [
    path.relative_to(ROOT).as_posix()
    for folder, pattern in ((ROOT, "README.md"), (ROOT / "docs", "*.md"), (ROOT / "docs/reproductions", "*.md"))
    for path in sorted(folder.glob(pattern))
    if "```console" in path.read_text("utf-8") and path.name != "serve.md"  # which needs a server
]
"""The pages with commands and what these print."""

PAGES = {
    **LISTS,
    **{page: partial(rerun, page) for page in TRANSCRIPTS},
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
}


def main() -> None:
    """Write the pages that are asked for."""
    parser = argparse.ArgumentParser(prog="python docs/make.py", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="run its commands again")
    parser.add_argument("--all", action="store_true", help="run the commands of all pages again, which takes minutes")
    given = parser.parse_args()
    unknown = [page for page in given.pages if page not in PAGES]
    if unknown:
        parser.error(f"{unknown[0]} has no commands to run; these have: {', '.join(PAGES)}")
    import site_pages

    site_pages.write(ROOT / "docs")
    pages = PAGES if given.all else dict.fromkeys([*LISTS, *given.pages])
    for page in pages:
        (ROOT / page).write_text(PAGES[page](), "utf-8")


if __name__ == "__main__":
    main()
