"""Links that a system calls sure or possible count the same; those of the gold alignment do not."""

from __future__ import annotations

from pathlib import Path

import treesql


def test_links_of_systems_are_all_equivalent(db: treesql.Database, tmp_path: Path) -> None:
    """Gold has two sure links and a possible one; the system calls one of the sure ones possible."""
    for name, line in {"gold": "0-0 1-1 2?2", "system": "0-0 1?1 2?2", "sure": "0-0 1-1 2-2"}.items():
        (tmp_path / f"{name}.pharaoh").write_text(f"{line}\n")
        db.load(tmp_path / f"{name}.pharaoh", corpus=name)
    how = {"gold_corpus": "gold"}
    items = db.query("agreement", system_corpus="system", **how)
    assert items["matched_sure"] == [1, 1, 0]
    assert items["matched_possible"] == [1, 1, 1]
    [found], [sure] = (db.score("agreement", system_corpus=name, **how).rows() for name in ("system", "sure"))
    assert found == sure
    assert (found["precision"], found["recall"], found["aer"]) == (1, 1, 0)
    assert (found["sure_precision"], found["proposed"], found["sure"], found["possible"]) == (2 / 3, 3, 2, 3)
