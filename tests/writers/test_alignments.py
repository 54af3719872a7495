"""Word alignments that are written and read again."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.evaluation.word_alignments import LINKS, written
from treesql.errors import InvalidInput, TreesqlWarning, UsageError


def test_alignments_come_back(db: treesql.Database, tmp_path: Path) -> None:
    db.load(LINKS, corpus="links")
    assert db.export(tmp_path / "out.pharaoh", corpus="links") == [tmp_path / "out.pharaoh"]
    assert (tmp_path / "out.pharaoh").read_text().splitlines()[2] == "0-0 1-1 2p2 2-3 4-4"
    db.export(tmp_path / "out.wpt", corpus="links")
    assert (tmp_path / "out.wpt").read_text().splitlines()[-2:] == ["5 1 1 P", "5 2 2 S"]
    db.load(tmp_path / "out.pharaoh", corpus="pharaoh")
    db.load(tmp_path / "out.wpt", corpus="wpt")
    sql = "SELECT sentence, source, target, sure FROM alignments WHERE corpus = $name ORDER BY ALL"
    assert db.sql(sql, {"name": "links"}).rows() == db.sql(sql, {"name": "pharaoh"}).rows()
    assert db.sql(sql, {"name": "links"}).rows() == db.sql(sql, {"name": "wpt"}).rows()
    with pytest.raises(UsageError, match="'links' has links between words, conllu is for dependency trees"):
        db.export(tmp_path / "out.conllu", corpus="links")


def test_null_links_and_confidences_are_written(db: treesql.Database, tmp_path: Path) -> None:
    text = "1 0 2 S\n1 1 1 P 0.25\n3 2 1 S -0.001\n"
    with pytest.warns(TreesqlWarning, match="1 confidence is below 0 or above 1; they are kept as they are"):
        db.load(written(tmp_path / "in.wpt", text), corpus="links", null_links=True)
    db.export(tmp_path / "out.wpt", corpus="links")
    assert (tmp_path / "out.wpt").read_text() == text
    with pytest.raises(InvalidInput, match="a null link, 0 2; write the corpus as WPT"):
        db.export(tmp_path / "out.pharaoh", corpus="links")


def test_an_alignment_without_links_comes_back(db: treesql.Database, tmp_path: Path) -> None:
    db.load(written(tmp_path / "in.pharaoh", "\n\n"), corpus="empty")
    db.export(tmp_path / "out.wpt", corpus="empty")
    assert (tmp_path / "out.wpt").read_bytes() == b""
    db.export(tmp_path / "data", corpus="empty")
    with treesql.connect() as other:
        assert [one.n_sentences for one in other.load(tmp_path / "data")] == [2]


def test_an_empty_alignment_is_written(db: treesql.Database, tmp_path: Path) -> None:
    """One of Parquet's, and of WPT's: a system that proposes nothing."""
    with pytest.warns(TreesqlWarning, match="the file is empty"):
        db.load(written(tmp_path / "in.wpt", ""), corpus="links")
    for name in ("out.wpt", "out.pharaoh"):
        db.export(tmp_path / name, corpus="links")
        assert (tmp_path / name).read_bytes() == b""
    db.export(tmp_path / "data", corpus="links")
    with treesql.connect() as other:
        assert [one.n_sentences for one in other.load(tmp_path / "data")] == [0]
