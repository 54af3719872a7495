"""Functions that one can hold in the head, and one name for one thing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from tests.conftest import ROOT
from tests.house.rules import assert_none, statements

MODULES = sorted((ROOT / "treesql").rglob("*.py"))
MAX_LINES_OF_FUNCTION = 60
DEFINITION = re.compile(r"^ *(def |class |@)", re.MULTILINE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def may_be_long(text: str) -> bool:
    """Whether a function of a text may be too long: whether the next definition that is no deeper is that far away."""
    found = [
        (match.start(1) - match.start(), text.count("\n", 0, match.start())) for match in DEFINITION.finditer(text)
    ]
    ends = [*found, (0, text.count("\n"))]
    return any(
        next(line for depth, line in ends[at + 1 :] if depth <= own) - begin >= MAX_LINES_OF_FUNCTION
        for at, (own, begin) in enumerate(found)
    )


def long_functions(text: str) -> list[str]:
    """Decorators, the options of a command, do not count. A text that can have none is not parsed."""
    return [
        node.name
        for node in (statements(text) if may_be_long(text) else ())
        if isinstance(node, ast.FunctionDef) and node.end_lineno
        if node.end_lineno - node.lineno >= MAX_LINES_OF_FUNCTION
    ]


def test_functions_are_short() -> None:
    """Kernels are free."""
    texts = {name(path): path.read_text("utf-8") for path in MODULES if "kernels" not in path.parts}
    assert_none({module: ", ".join(long_functions(text)) for module, text in texts.items()})


def test_long_functions_are_found() -> None:
    body = "    x = 1\n" * MAX_LINES_OF_FUNCTION
    assert long_functions(f"def f():\n{body}\nY = 2\n\n\ndef g():\n    pass\n") == ["f"]
    nested = (
        f"class A:\n    @property\n    def f(self):\n        def g():\n            pass\n{body.replace(' x', '     x')}"
    )
    assert long_functions(nested) == ["f"]
    assert long_functions(f"def f():\n{body[10:]}\n\ndef g():\n    pass\n") == []


def test_a_class_name_is_used_once() -> None:
    """Names are those at the beginning of a line; strings have none."""
    found = [match for path in MODULES for match in re.findall(r"(?m)^ *class (\w+)[(:]", path.read_text("utf-8"))]
    assert found
    assert_none(name for name, n in Counter(found).items() if n > 1)
