"""Where the cases and treebanks of the conformance tests lie: TREESQL_CASES and TREESQL_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import ROOT


def folder(variable: str, default: str) -> Path:
    """A folder named by a variable of the environment, beside the checkout if it is not set."""
    return Path(os.environ.get(variable, ROOT.parent / "shared" / default))


CASES = folder("TREESQL_CASES", "cases")
DATA = folder("TREESQL_DATA", "data")


def missing(path: Path) -> str:
    """Which folder lacks a path of CASES or DATA, and the variable that names this folder."""
    variable, root = ("TREESQL_DATA", DATA) if path.is_relative_to(DATA) else ("TREESQL_CASES", CASES)
    return f"{path.relative_to(root)} is missing in the folder {root}; set {variable} to the folder that has it"


def needs(path: Path) -> pytest.MarkDecorator:
    """Skips where a folder is missing."""
    return pytest.mark.skipif(not path.exists(), reason=missing(path))
