"""Where tests lie: in the folder of what they test, and what they share in conftest.py and in helper modules."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ROOT
from tests.house.rules import assert_none, imported_modules

TESTS = ROOT / "tests"
MODULES = sorted(TESTS.rglob("*.py"))
ROOMS = {path.relative_to(ROOT / "treesql").parent.as_posix() for path in (ROOT / "treesql").rglob("*.py")} - {"."}
OTHERS = {"conformance", "house", "queries", "robustness"}
"""Folders of tests of more than one room: other tools' numbers, the product as a whole, queries/, hostile input."""


def name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def imported_tests(text: str) -> list[str]:
    """Those of them that are test modules."""
    found = (module.lstrip(".").split(".") for module in imported_modules(text))
    return [".".join(parts) for parts in found if "tests" in parts[:1] and any(p.startswith("test_") for p in parts)]


def test_no_module_imports_from_a_test_module() -> None:
    """A fixture belongs into a conftest.py, all else that is shared into a module of another name.

    A text without the name of any test module imports none; the others are parsed.
    """
    names = re.compile(rf"\b(?:{'|'.join({path.stem for path in MODULES if path.stem.startswith('test_')})})\b")
    texts = {name(path): path.read_text("utf-8") for path in MODULES}
    assert_none({module: imported_tests(text) for module, text in texts.items() if names.search(text)})


def test_imports_of_test_modules_are_found() -> None:
    text = "import tests.cli.test_show\nfrom tests.cli import test_find\nfrom tests.cli.test_load import run"
    assert len(imported_tests(text)) == 4
    assert not imported_tests("from tests.conftest import ROOT\nimport treesql.significance.tests")


def test_relative_imports_are_not_used() -> None:
    """A text without these words has none; the others are parsed."""
    texts = {name(path): path.read_text("utf-8") for path in MODULES}
    suspects = {module: text for module, text in texts.items() if "from ." in text}
    imported = {module: list(imported_modules(text)) for module, text in suspects.items()}
    assert_none(module for module, names in imported.items() if any(one.startswith(".") for one in names))


def test_every_test_module_lies_in_a_room() -> None:
    tests = [path for path in MODULES if path.name.startswith("test_")]
    assert_none(name(path) for path in tests if path.parent.relative_to(TESTS).as_posix() not in ROOMS | OTHERS)
