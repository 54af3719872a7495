"""Functions that one can hold in the head, and one name for one thing."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from tests.conftest import ROOT
from tests.house.rules import assert_none, statements

MODULES = sorted((ROOT / "treesql").rglob("*.py"))
MAX_LINES_OF_FUNCTION = 60


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def definitions() -> list[tuple[Path, ast.FunctionDef | ast.ClassDef]]:
    """Every function and class of the package, without what is in it."""
    found = [
        (path, node)
        for path in MODULES
        for node in statements(path.read_text("utf-8"))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    for _, node in found:
        node.body = []  # that the trees need not be kept
    return found


def test_functions_are_short() -> None:
    """Decorators, the options of a command, do not count; kernels are free."""
    long = [
        f"{name(path)}: {node.name}"
        for path, node in definitions()
        if isinstance(node, ast.FunctionDef) and node.end_lineno and "kernels" not in path.parts
        if node.end_lineno - node.lineno >= MAX_LINES_OF_FUNCTION
    ]
    assert_none(long)


def test_a_class_name_is_used_once() -> None:
    counts = Counter(node.name for _, node in definitions() if isinstance(node, ast.ClassDef))
    assert_none(name for name, n in counts.items() if n > 1)
