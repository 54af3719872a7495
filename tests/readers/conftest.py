"""A file that the examples of one property can write one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a file that any test may overwrite."""
    return tmp_path_factory.mktemp("readers") / "scratch.conllu"
