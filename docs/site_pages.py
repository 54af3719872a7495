"""The pages of the site that are made: one per query, command and table, those of Python, and those of notebooks."""

from __future__ import annotations

import inspect
import json
import os.path
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import components
import make

import treesql

MADE = "reference"
"""The folder of the made pages below the sources of the site."""

REPOSITORY_PAGES = {
    "README.md": "readme",
    "CHANGELOG.md": "changes",
    "SECURITY.md": "security",
    "CONTRIBUTING.md": "contributing",
    "benchmarks/README.md": "benchmark_scripts",
}
"""Pages outside docs/ that the site has, by the names that they get."""


def write(sources: Path) -> None:
    """Write all made pages that differ from those of the last build, and remove those that are no longer made."""
    folder = sources / MADE
    pages = {**query_pages(), **command_pages(), **table_pages(), **python_pages(), **repository_pages(sources.parent)}
    pages |= notebook_pages(sources / "notebooks")
    pages["components"] = components.page()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).with_suffix("").as_posix() not in pages:
            path.unlink()


def query_pages() -> dict[str, str]:
    """A page per query, one per family of queries, and one of all families."""
    families: dict[str, list[treesql.QueryInfo]] = {}
    for query in treesql.queries():
        families.setdefault(query.folder, []).append(query)
    pages = {
        f"queries/{query.name}": _as_page(query.markdown, query.name)
        for queries in families.values()
        for query in queries
    }
    for family, queries in families.items():
        rows = [f"| [{query.name}]({query.name}.md) | {query.kind} | {query.doc} |" for query in queries]
        body = ["The queries of this family, each a table macro in every database.", ""]
        body += ["| query | kind | rows |", "|---|---|---|", *rows, "", _contents(query.name for query in queries)]
        pages[f"queries/{family}_family"] = _page(make.family_title(family), *body)
    names = [f"{family}_family" for family in sorted(families)]
    about = "A metric is a query whose rows are the scored items; relations, statistics and audits are queries, too."
    about += " Each has a page with its parameters, columns, scores and source. Find one by name with the search."
    return pages | {"queries/index": _page("Queries", about, "", _contents(names, hidden=False))}


def command_pages() -> dict[str, str]:
    """A page per command, made from its help, and one of all commands."""
    helps = make.helps()
    pages = {
        f"commands/{_file(name)}": _page(
            name,
            _cell(make.first_paragraph(text)),
            "",
            f"```text\n{text}\n```",
            "",
            "[Exit codes, and completion](index.md)",
        )
        for name, text in helps.items()
    }
    rows = [f"| [{name}]({_file(name)}.md) | {_cell(make.first_paragraph(text))} |" for name, text in helps.items()]
    body = ["The commands, each with its `--help`.", "", "| command | |", "|---|---|", *rows, "", make.ENDINGS, ""]
    return pages | {"commands/index": _page("Commands", *body, _contents(map(_file, helps)))}


def table_pages() -> dict[str, str]:
    """A page per table and view, and one of all of them."""
    texts = make.describe_tables()
    pages = {f"tables/{name}": _as_page(text, name) for name, text in texts.items()}
    rows = [f"| [{name}]({name}.md) | {_cell(text.splitlines()[2])} |" for name, text in texts.items()]
    about = "Tables and views of every database. A column is NULL where the file leaves it open, unless it is required."
    body = [about, "", "| table | |", "|---|---|", *rows, "", _contents(texts)]
    return pages | {"tables/index": _page("Tables", *body)}


def python_pages() -> dict[str, str]:
    """The public names of treesql, from their docstrings."""
    groups: dict[str, list[str]] = {"functions": [], "classes": [], "errors": [], "modules": []}
    for name in treesql.__all__:
        thing = getattr(treesql, name)
        if inspect.ismodule(thing):
            groups["modules"].append(name)
        elif inspect.isclass(thing):
            groups["errors" if issubclass(thing, Exception) else "classes"].append(name)
        elif inspect.isroutine(thing):
            groups["functions"].append(name)
    abouts = {
        "functions": "Functions of `treesql`: they work on files and on databases that are named by a path.",
        "classes": "Classes of `treesql`: an open database, and what functions and methods return.",
        "errors": "Errors and warnings of `treesql`: all are a TreesqlError or a TreesqlWarning.",
    }
    pages = {}
    for group, about in abouts.items():
        directives = [_auto(name, group) for name in groups[group]]
        pages[f"python/{group}"] = _page(group.capitalize(), about, "", *directives)
    for name in groups["modules"]:
        module = getattr(treesql, name)
        listed = getattr(module, "__all__", None) or [key for key in vars(module) if key[0] != "_"]
        public = [key for key in listed if inspect.isroutine(getattr(module, key))]
        public += [key for key in listed if inspect.isclass(getattr(module, key)) and key not in treesql.__all__]
        directives = [_auto(f"{name}.{key}", "functions" if inspect.isroutine(getattr(module, key)) else "classes")
                      for key in public]  # fmt: skip
        pages[f"python/{name}"] = _page(f"treesql.{name}", (module.__doc__ or "").strip(), "", *directives)
    about = "Public names of `treesql`, from their docstrings. [treesql in Python](../../python.md) introduces them."
    return pages | {"python/index": _page("Python", about, "", _contents([*abouts, *groups["modules"]], hidden=False))}


def repository_pages(root: Path) -> dict[str, str]:
    """The pages of the repository outside docs/, with their links as seen from the folder of made pages."""
    return {
        page: _move_links((root / name).read_text("utf-8"), os.path.dirname(name), f"docs/{MADE}")
        for name, page in REPOSITORY_PAGES.items()
    }


def _move_links(text: str, old: str, new: str) -> str:
    """The text of a page of the folder `old` with its links as seen from the folder `new`."""

    def target(match: re.Match[str]) -> str:
        return f"]({os.path.relpath(os.path.join(old, match[1]), new)})"

    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", target, text)


def notebook_pages(folder: Path) -> dict[str, str]:
    """A page per notebook, with the outputs that it was saved with."""
    pages = {}
    for path in sorted(folder.glob("*.ipynb")):
        blocks = []
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                source = _move_links(source, "docs/notebooks", f"docs/{MADE}/notebooks")
            blocks += [source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```", ""]
            blocks += [block for output in cell.get("outputs", []) for block in (_output(output), "")]
        pages[f"notebooks/{path.stem}"] = "\n".join(blocks)
    return pages


def lead_to_pages(text: str, page: str) -> str:
    """A page's text with its links to files that the site has as other pages."""
    depth = "../" * page.count("/")

    def target(match: re.Match[str]) -> str:
        path, _, anchor = match[1].partition("#")
        where = os.path.normpath(f"{Path(page).parent.as_posix()}/{path}")
        name = Path(where).stem
        if where.removeprefix("../") in REPOSITORY_PAGES:
            return f"]({depth}{MADE}/{REPOSITORY_PAGES[where.removeprefix('../')]}.md{'#' * bool(anchor)}{anchor})"
        if where.startswith("notebooks/"):
            return f"]({depth}{MADE}/notebooks/{name}.md)"
        if where in {"queries.md", "commands.md", "tables.md"}:
            anchor_page = _file(anchor) if anchor and anchor != "views" else "index"
            return f"]({depth}{MADE}/{name}/{anchor_page}.md)"
        return match[0]

    return re.sub(r"\]\((?!https?:|#)([^)\s]+)\)", target, text)


def _auto(name: str, group: str) -> str:
    directive = "autofunction" if group == "functions" else "autoexception" if group == "errors" else "autoclass"
    options = "" if group == "functions" else "\n   :members:\n   :inherited-members: Exception, Warning, UserWarning"
    return f"## {name}\n\n```{{eval-rst}}\n.. {directive}:: treesql.{name}{options}\n```\n"


def _output(output: Mapping[str, object]) -> str:
    """An output of a cell: HTML or SVG as it is, else text."""
    data = output.get("data", {})
    assert isinstance(data, dict)
    html = data.get("text/html") or data.get("image/svg+xml")
    if html:
        return f"```{{raw}} html\n{''.join(html)}\n```"
    return f"```text\n{''.join(data.get('text/plain') or output.get('text', ''))}\n```"  # type: ignore[arg-type]


def _contents(names: Iterable[str], *, hidden: bool = True) -> str:
    return "\n".join(["```{toctree}", ":hidden:" if hidden else ":maxdepth: 1", "", *names, "```", ""])


def _page(title: str, *parts: str) -> str:
    return "\n".join([f"# {title}", "", *parts, ""])


def _as_page(text: str, title: str) -> str:
    """A section of a long page as a page of its own; its first sentence begins with a capital."""
    body = text.removeprefix(f"## {title}\n\n")
    return _page(title, body[0].upper() + body[1:])


def _file(name: str) -> str:
    return name.removeprefix("treesql ").removeprefix("treesql-").replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
