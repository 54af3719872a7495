"""Modules and functions that one can hold in the head, and one name for one thing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

MODULES = sorted((ROOT / "treesql").rglob("*.py"))
MAX_LINES = 400
MAX_LINES_OF_FUNCTION = 60


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def nodes(kind: type[ast.AST]) -> Iterator[tuple[Path, ast.AST]]:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, kind):
                yield path, node


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_are_short(path: Path) -> None:
    assert path.read_text("utf-8").count("\n") <= MAX_LINES


def test_functions_are_short() -> None:
    """Decorators, the options of a command, do not count; kernels are free."""
    long = [
        f"{name(path)}: {node.name}"
        for path, node in nodes(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef) and node.end_lineno and "kernels" not in path.parts
        if node.end_lineno - node.lineno >= MAX_LINES_OF_FUNCTION
    ]
    assert not long


def test_a_class_name_is_used_once() -> None:
    counts = Counter(node.name for _, node in nodes(ast.ClassDef) if isinstance(node, ast.ClassDef))
    assert not [name for name, n in counts.items() if n > 1]
