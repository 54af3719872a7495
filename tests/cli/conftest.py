"""Treebanks of fixtures/ by their paths, and a database of two of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import FIXTURES

GOLD, A, B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


@pytest.fixture
def db(gold_and_parser: Path, tmp_path: Path) -> Path:
    """A database with gold and parser-a."""
    return Path(shutil.copy(gold_and_parser, tmp_path))
