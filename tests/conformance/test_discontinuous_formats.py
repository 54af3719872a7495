"""The trees of cases/discontinuous/: the same from export and discbracket, and written back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conformance.cases import CASES, needs
from tests.readers.reading import Rows, read_rows

FOLDER = CASES / "discontinuous"
SETS = {"gold": 300, "test": 300, "hand.gold": 25, "hand.test": 25}
EACH = [pytest.param(name, marks=() if name.startswith("hand.") else pytest.mark.compiled) for name in SETS]
"""Trees by hand, and hundreds of trees, on which kernels run compiled."""

pytestmark = needs(FOLDER)


def compared(rows: Rows) -> Rows:
    """Rows without what only one of the formats has, and without lines."""
    return [{name: value for name, value in row.items() if name not in ("line", "lemma", "feats")} for row in rows]


@pytest.mark.spread(3)
@pytest.mark.parametrize("size", [1 << 21, 999])
@pytest.mark.parametrize("name", EACH)
def test_both_formats_hold_the_same_trees(name: str, size: int) -> None:
    one = read_rows(FOLDER / f"{name}.export", "export", size=size)
    other = read_rows(FOLDER / f"{name}.discbracket", "discbracket", size=size)
    assert len(one["sentences"]) == SETS[name]
    for table in ("words", "constituents"):
        assert compared(one[table]) == compared(other[table])


@pytest.mark.spread(3)
@pytest.mark.parametrize("form", ["export", "discbracket"])
@pytest.mark.parametrize("name", EACH)
def test_files_come_back_byte_for_byte(tmp_path: Path, name: str, form: str) -> None:
    path, out = FOLDER / f"{name}.{form}", tmp_path / f"out.{form}"
    with treesql.connect() as db:
        db.load(path, corpus="a")
        db.export(out)
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", EACH)
def test_tigerxml_holds_the_same_trees(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.tigerxml"
    with treesql.connect() as db:
        db.load(FOLDER / f"{name}.export", corpus="a")
        db.export(out)
    one, other = read_rows(FOLDER / f"{name}.export", "export"), read_rows(out, "tigerxml")
    for table in ("words", "constituents"):
        assert compared(one[table]) == compared(other[table])
