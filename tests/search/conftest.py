"""The treebank of the tests, loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.search.treebank import SENTENCES


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("finding") / "small.conllu"
    path.write_text(SENTENCES.split("# sent_id = four")[0])
    with treesql.connect() as db:
        db.load(path, corpus="small")
        yield db
