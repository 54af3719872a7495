"""`--by sentence` names the sentences of every kind: by their own ids, or those of the text that a kind declares."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, heard
from treesql import catalog
from treesql.catalog import header, kinds

GOLD, LINKS, LINKS_A = (str(FIXTURES / name) for name in ("gold.conllu", "links.pharaoh", "links-a.pharaoh"))
IDS = ["mat", "know", "hearing", "tea", "hello"]


def test_alignments_have_the_ids_of_their_source_text(examples: treesql.Database) -> None:
    """Of the file that is named, or of the corpus for which the links were loaded; with intervals, too."""
    how = {"by": "sentence", "metric": "aer"}
    assert treesql.score("alignment", LINKS, LINKS_A, source=GOLD, **how)["sent_id"] == IDS
    assert examples.score("alignment", "links", "links-a", **how)["sent_id"] == IDS
    assert examples.score("agreement", gold_corpus="links", system_corpus="links-a", by="sentence")["sent_id"] == IDS
    assert treesql.score("alignment", LINKS, LINKS_A, **how)["sent_id"] == [None] * 5
    found = treesql.score("alignment", LINKS, LINKS_A, source=GOLD, by="sentence,source", metric="aer").rows()
    assert {row["sentence"]: row["sent_id"] for row in found} == dict(enumerate(IDS))


def test_sentences_of_wpt_are_named_by_their_numbers(db: treesql.Database, tmp_path: Path) -> None:
    """Also those without links, after a load and an export; a text that is named does not rename them."""
    (tmp_path / "gold.wpt").write_text("1 1 1 S\n3 2 1 P\n3 1 1 S\n")
    (tmp_path / "text.conllu").write_bytes(Path(GOLD).read_bytes())
    gold = str(tmp_path / "gold.wpt")
    with heard():
        assert treesql.score("alignment", gold, gold, by="sentence", metric="aer")["sent_id"] == ["1", "2", "3"]
    db.load(gold, corpus="gold")
    db.export(tmp_path / "data", to="parquet")
    with treesql.connect() as again:
        again.load(tmp_path / "data")
        assert again.sql("SELECT sent_id FROM sentences ORDER BY sentence")["sent_id"] == ["1", "2", "3"]
    db.export(tmp_path / "out.wpt")
    assert (tmp_path / "out.wpt").read_text() == "1 1 1 S\n3 1 1 S\n3 2 1 P\n"


def test_a_kind_declares_the_text_that_names_its_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a line in kind.toml: without it, sentences that have no id have none."""
    kind = """
doc = "Score links, a row per SYSTEM: the share of links that are gold."
metrics = ["link_share"]
[[roles]]
name = "gold"
side = "gold"
reads = "alignment"
doc = "the gold links"
[[roles]]
name = "system"
side = "system"
reads = "alignment"
doc = "the system's links"
[[roles]]
name = "text"
side = "gold"
reads = "words"
option = true
checked = true
names = true
doc = "the text"
"""
    metric = """-- link_share: whether links are gold; one row per link of the system.
-- kind: metric
-- parameter gold_corpus TEXT: the gold links
-- parameter system_corpus TEXT: the system's links
-- column sentence INTEGER: the sentence
-- count links BIGINT: 1 for every link
-- column gold_links BIGINT: 1 if it is gold
-- score gold_share percent higher = sum(gold_links) / nullif(sum(links), 0): share of gold links
-- source: Och & Ney 2003, A systematic comparison of various statistical alignment models
SELECT s.sentence, CAST(1 AS BIGINT) AS links,
       CAST(CASE WHEN g.sentence IS NULL THEN 0 ELSE 1 END AS BIGINT) AS gold_links
FROM alignments AS s
LEFT JOIN (SELECT a.sentence, a.source, a.target FROM alignments AS a WHERE a.corpus = $gold_corpus) AS g
    ON g.sentence = s.sentence AND g.source = s.source AND g.target = s.target
WHERE s.corpus = $system_corpus
"""
    (tmp_path / "toy_links").mkdir()
    (tmp_path / "toy_links" / "kind.toml").write_text(kind)
    (tmp_path / "toy_links" / "link_share.sql").write_text(metric)
    for path in header.folder("queries").iterdir():
        if path.is_dir():
            (tmp_path / path.name).symlink_to(path)
    folder = header.folder
    monkeypatch.setattr(header, "folder", lambda name: tmp_path if name == "queries" else folder(name))
    try:
        catalog.clear_cache()
        kinds.clear_cache()
        found = treesql.score("toy_links", LINKS, LINKS_A, text=GOLD, by="sentence")
        assert found["sent_id"] == IDS
        # of five links of mat four are gold, and the one of know is none
        assert found["gold_share"][:2] == [4 / 5, 0]
        assert treesql.score("toy_links", LINKS, LINKS_A, by="sentence")["sent_id"] == [None] * 5
    finally:
        monkeypatch.undo()
        catalog.clear_cache()
        kinds.clear_cache()


def test_groups_by_id_have_no_sentence_to_name() -> None:
    """Links have no ids of their own: all are one group, also beside texts that have some."""
    [alone] = treesql.score("alignment", gold=LINKS, systems=[LINKS_A], by="sent_id").rows()
    [beside] = treesql.score("alignment", LINKS, LINKS_A, source=GOLD, target=GOLD, by="sent_id").rows()
    assert beside == alone
    assert beside["sent_id"] is None
