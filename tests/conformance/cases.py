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


def needs(path: Path) -> pytest.MarkDecorator:
    """Skips where a folder is missing."""
    return pytest.mark.skipif(not path.exists(), reason=f"{path} is not there; set TREESQL_CASES and TREESQL_DATA")
