"""Strata of sentences that are exchanged together."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")  # few sentences


@pytest.fixture
def documents(db: treesql.Database, tmp_path: Path) -> treesql.Database:
    """Two documents of two sentences; the system a is right in the first, b in the second one."""
    right, wrong = "a:0:root b:1:obj", "a:2:x b:0:root"
    for corpus, sentences in (
        ("gold", [right] * 4),
        ("a", [right] * 2 + [wrong] * 2),
        ("b", [wrong] * 2 + [right] * 2),
    ):
        marked = b"".join(
            (b"# newdoc id = d%d\n" % at if at in (0, 2) else b"") + conllu(one) for at, one in enumerate(sentences)
        )
        (tmp_path / f"{corpus}.conllu").write_bytes(marked)
        db.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    return db


@pytest.mark.parametrize(
    ("stratum", "n"),
    [
        pytest.param(None, 4, marks=pytest.mark.slow),
        ("newdoc", 2),
        pytest.param("line", 4, marks=pytest.mark.slow),
        ("file", 1),
    ],
)
def test_strata_are_exchanged_together(stratum: str | None, n: int, documents: treesql.Database) -> None:
    [row] = documents.compare("attachment.las", systems=["a", "b"], gold_corpus="gold", stratum=stratum).rows()
    assert (row["sentences"], row["strata"]) == (4, n)
    assert row["difference"] == 0
    assert row["p"] == 1
    [row] = documents.compare("attachment.las", systems=["a", "gold"], gold_corpus="gold", stratum=stratum).rows()
    assert row["p"] == 1 if stratum == "newdoc" else 0.5  # two of four exchanges, or one sentence of two
