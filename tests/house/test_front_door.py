"""One front door: the command line calls `treesql`, with its words, and nothing below; docs and README neither."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Unpack, get_args, get_origin, get_type_hints

import click
import pytest

import treesql
from tests.conftest import ROOT
from tests.house.command_tree import PROSE, commands
from tests.house.rules import assert_none, check_each
from treesql import lattices, web
from treesql.cli._options import QueryChoice

ALLOWED = (
    "treesql",
    "treesql.errors",
    "treesql._version",
    "treesql.cli",
    "treesql.web",
    "treesql.results",
    "treesql.reports",
)
"""Modules and packages that commands and the web page may import."""

PACKAGES = {"treesql": treesql, "treesql.lattices": lattices, "treesql.drawing": treesql.drawing}
"""Public packages whose names are resolved at first use."""


def face_modules() -> dict[str, Path]:
    """The modules of the command line and of the web page by their dotted names."""
    found = {}
    for path in sorted([*(ROOT / "treesql" / "cli").rglob("*.py"), *(ROOT / "treesql" / "web").rglob("*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def below_the_door(text: str) -> list[str]:
    """What a text imports or uses that is of treesql, and neither public nor of ALLOWED."""
    return [name for name in _used(ast.parse(text)) if not _is_public(name)]


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("treesql", "treesql.lattices"):
            yield ast.unparse(node)


def _is_public(name: str) -> bool:
    package, _, last = name.rpartition(".")
    if name.split(".")[0] != "treesql":
        return name.split(".")[0] != "duckdb"
    if package in ("treesql", "treesql.lattices") and last in PACKAGES[package].__all__:
        return True
    return name == "treesql" or any(name.startswith(f"{one}.") for one in ALLOWED[1:])


def test_faces_import_the_front_door_alone() -> None:
    found = {module: below_the_door(path.read_text("utf-8")) for module, path in face_modules().items()}
    assert_none(found)


def test_what_is_below_the_door_is_found() -> None:
    text = """
import treesql, duckdb, treesql.storage
from treesql import connect, storage
from treesql.lattices import prune, pruning
from treesql.errors import UsageError
from treesql.results.tables import FORMATS
treesql.readers.formats(), treesql.find, treesql.lattices.pruning.read
"""
    assert sorted(below_the_door(text)) == [
        "duckdb", "treesql.lattices.pruning", "treesql.lattices.pruning", "treesql.readers", "treesql.storage",
        "treesql.storage",
    ]  # fmt: skip


def test_examples_import_the_front_door_alone() -> None:
    def check(page: Path) -> None:
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            used = below_the_door(block)
            if page.name == "other_clients.md":  # which shows what DuckDB does alone
                used = [name for name in used if name != "duckdb"]
            assert not used
            inside = tuple(f"{one}." for one in ALLOWED[1:])
            assert not [name for name in _used(ast.parse(block)) if name.startswith(inside)], (
                "import from treesql itself"
            )

    check_each(check, {str(page): page for page in PROSE})


@pytest.mark.parametrize("package", PACKAGES)
def test_the_names_of_a_package_are_listed_in_one_way(package: str) -> None:
    """For type checkers, for Python, and for `from treesql import *`."""
    module = PACKAGES[package]
    assert module.__file__ is not None
    [condition] = [
        node for node in ast.parse(Path(module.__file__).read_text("utf-8")).body if isinstance(node, ast.If)
    ]
    imported = [alias.asname or alias.name for node in condition.body for alias in node.names]  # type: ignore[attr-defined]
    resolved = [
        *getattr(module, "_MODULES", ()),
        *(n for names in getattr(module, "_NAMES", {}).values() for n in names),
    ]
    assert sorted(imported) == sorted(resolved)
    assert set(resolved) <= set(dir(module))
    assert all(getattr(module, name) is not None for name in resolved)
    if hasattr(module, "__all__"):
        assert sorted(module.__all__) == sorted(resolved)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


def test_every_public_error_is_in_the_front_door() -> None:
    from treesql import errors

    defined = {
        name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception | Warning)
    }
    internal = {"HeaderError", "Interrupted", "NumberTooLarge", "StatementError", "UnknownColumn"}  # never reach users
    assert defined - internal <= set(treesql.__all__)


PLACES: dict[str, ModuleType | type] = {"lattice": lattices, "align": treesql, "nbest": treesql.nbest}
"""By group of commands, where its functions are; those of METHODS are one function for all kinds."""

METHODS = ("score", "compare", "report")

LONGER = {"treesql align words": treesql.Database.align_words}
"""Functions whose names say what their commands have in the name of the group."""

WORDS = {"from": "format", "output": "out", "hypothesis": "hypotheses", "metrics": "metric", "request": "requests"}
"""Words of options that are others in Python: `format` is that of files, and several things have a plural."""

PRINTED = {
    "all", "chart", "data", "draw", "engine", "explain", "file", "format", "html", "long", "master", "memory", "output",
    "quiet", "report", "signature", "sql", "svg", "table", "timeout", "warnings_as_errors", "width", "write",
}  # fmt: skip
"""Options of how a command prints what a function returns, of the limits of its process, and of what runs queries."""

OTHERWISE = {"decide", "metrics", "parameters", "progress", "score_sense", "tables"}
"""Parameters that no command has: functions, values and tables for SQL, what data frames do not say themselves, and
another word for `metric`."""


def function_of(command: str) -> Callable[..., object]:
    """The function or the method of Database that does what a command does."""
    _, first, *rest = command.split()
    name = first if not rest or first in METHODS else rest[0]
    if name == "serve":
        return web.serve
    if command in LONGER:
        return LONGER[command]
    if rest and first in PLACES:
        found: Callable[..., object] = getattr(PLACES[first], name)
        return found
    return getattr(treesql, name) if name in treesql.__all__ else getattr(treesql.Database, name)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by their long names, in Python's spelling."""
    return {
        max(one.opts, key=len).lstrip("-").replace("-", "_"): one
        for one in command.params
        if isinstance(one, click.Option) and one.name != "help"
    }


def test_every_command_has_a_function_of_its_name() -> None:
    def check(command: str) -> None:
        function = function_of(command)
        assert callable(function)
        assert function.__doc__

    check_each(check, {name: name for name in commands()})


def keywords_of(name: str) -> dict[str, click.Option]:
    """The options of a command that its function has as keywords, by keyword."""
    function = function_of(name)
    parameters = {*inspect.signature(function).parameters}
    for hint in get_type_hints(function).values() if "Unpack" in str(inspect.signature(function)) else ():
        parameters.update(get_args(hint)[0].__annotations__ if get_origin(hint) is Unpack else ())
    options = {
        WORDS.get(option, option): one for option, one in options_of(commands()[name]).items() if option != "format"
    }
    return {word: one for word, one in options.items() if word in parameters}


def test_defaults_of_parameters_of_queries_are_those_of_the_queries() -> None:
    options = [one for command in commands().values() for one in options_of(command).values()]
    found = [one for one in options if isinstance(one.type, QueryChoice)]
    assert len(found) >= 7
    for one in found:
        assert isinstance(one.type, QueryChoice)
        [parameter] = [p for p in treesql.queries(one.type.query)[0].parameters if p.name == one.type.parameter]
        assert tuple(one.type.choices) == parameter.choices
        assert not isinstance(one.default, str) or one.default == parameter.default


NAMED = {name: name for name in commands() if name.split()[1] not in METHODS}


def test_options_and_keywords_are_the_same_words() -> None:
    def check(name: str) -> None:
        keywords = keywords_of(name)
        others = {option for option, one in options_of(commands()[name]).items() if one not in keywords.values()}
        assert others <= PRINTED, "options without a keyword"
        of_python = {
            parameter.name
            for parameter in inspect.signature(function_of(name)).parameters.values()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        assert of_python - OTHERWISE <= set(keywords), "keywords without an option"

    check_each(check, NAMED)


def test_options_and_keywords_have_the_same_defaults() -> None:
    def check(name: str) -> None:
        parameters = inspect.signature(function_of(name)).parameters
        for word, option in keywords_of(name).items():
            if isinstance(option.default, str | int | float) and parameters[word].default is not None:
                assert option.default == parameters[word].default, word

    check_each(check, NAMED)
