"""Where tests lie: in the folder of what they test, and what they share in conftest.py and in helper modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

TESTS = ROOT / "tests"
MODULES = sorted(TESTS.rglob("*.py"))
ROOMS = {path.relative_to(ROOT / "treesql").parent.as_posix() for path in (ROOT / "treesql").rglob("*.py")} - {"."}
OTHERS = {"conformance", "house", "queries", "robustness"}
"""Folders of tests of more than one room: other tools' numbers, the product as a whole, queries/, hostile input."""


def name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def imported_modules(text: str) -> Iterator[str]:
    """Every module that a text imports, by its dotted name; of `from a import b` a and a.b."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def imported_tests(text: str) -> list[str]:
    """Those of them that are test modules."""
    found = (module.lstrip(".").split(".") for module in imported_modules(text))
    return [".".join(parts) for parts in found if "tests" in parts[:1] and any(p.startswith("test_") for p in parts)]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_imports_from_a_test_module(path: Path) -> None:
    """A fixture belongs into a conftest.py, all else that is shared into a module of another name."""
    assert not imported_tests(path.read_text("utf-8"))


def test_imports_of_test_modules_are_found() -> None:
    text = "import tests.cli.test_show\nfrom tests.cli import test_find\nfrom tests.cli.test_load import run"
    assert len(imported_tests(text)) == 4
    assert not imported_tests("from tests.conftest import ROOT\nimport treesql.significance.tests")


def test_relative_imports_are_not_used() -> None:
    for path in MODULES:
        assert not any(module.startswith(".") for module in imported_modules(path.read_text("utf-8"))), name(path)


@pytest.mark.parametrize("path", [path for path in MODULES if path.name.startswith("test_")], ids=name)
def test_every_test_module_lies_in_a_room(path: Path) -> None:
    assert path.parent.relative_to(TESTS).as_posix() in ROOMS | OTHERS
