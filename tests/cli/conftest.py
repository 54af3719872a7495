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


@pytest.fixture
def folder(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a database, a table and files of lattices."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("treebank,uas,las,words\na,0.8,0.7,10\nb,0.9,0.6,20\nc,0.7,0.65,40\n")
    Path("classes.csv").write_text("relation,class\nnsubj,content\ndet,function\n")
    return tmp_path
