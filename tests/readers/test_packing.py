"""Compressed files: gzip, xz, bzip2, Zstandard."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.readers.packed import PACK
from treesql.errors import InvalidInput
from treesql.readers.source import PACKED_ENDINGS, Source, expand, packing_of

GOLD = (FIXTURES / "gold.conllu").read_bytes()


def content(path: Path, size: int = 1 << 20) -> bytes:
    return b"".join(chunk.data for chunk in Source(str(path)).chunks(size))


def test_every_ending_has_its_test() -> None:
    assert tuple(PACK) == PACKED_ENDINGS


@pytest.mark.parametrize("size", [7, 1 << 20])
@pytest.mark.parametrize("ending", PACK)
def test_what_is_packed_is_read_whatever_its_name(tmp_path: Path, ending: str, size: int) -> None:
    path = tmp_path / "gold.conllu"
    for data in (GOLD, b"", b"a"):
        path.write_bytes(PACK[ending](data))
        assert content(path, size) == data
        path.write_bytes(PACK[ending](data) + PACK[ending](b"b\n"))
        assert content(path, size) == data + b"b\n"


@pytest.mark.spread(2)
@pytest.mark.parametrize("ending", PACK)
def test_bombs_are_refused(tmp_path: Path, ending: str) -> None:
    path, line = tmp_path / "bomb", b"a" * 1023 + b"\n"
    path.write_bytes(PACK[ending](line * (18 << 10)))
    with pytest.raises(InvalidInput, match="unpacks to more than 32 times its size; unpack it first"):
        content(path)
    path.write_bytes(PACK[ending](line * (8 << 10)))
    assert len(content(path)) == 8 << 20, "a small one may be anything"


@pytest.mark.parametrize("ending", PACK)
def test_damaged_and_cut_off_files_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"gold.conllu{ending}"
    packed = PACK[ending](GOLD)
    path.write_bytes(packed[:-9])
    with pytest.raises(InvalidInput) as caught:
        content(path)
    [fault] = caught.value.faults
    assert fault.what.endswith("file ends too early")
    assert fault.hint == "fetch or pack it again"
    path.write_bytes(packed[:20] + bytes([packed[20] ^ 0xFF, packed[21] ^ 0xFF]) + packed[22:])
    with pytest.raises(InvalidInput, match=r"is damaged|ends too early"):
        content(path)


@pytest.mark.spread(2)
@pytest.mark.parametrize("ending", PACK)
def test_a_packed_corpus_is_exported_packed(tmp_path: Path, ending: str) -> None:
    """Format, name and folders know the ending."""
    path = tmp_path / "in" / f"gold.conllu{ending}"
    path.parent.mkdir()
    path.write_bytes(PACK[ending](GOLD))
    assert expand([path.parent], [".conllu"]) == [str(path)]
    with treesql.connect(":memory:") as db:
        assert [one.corpus for one in db.load(path.parent, each="file")] == ["gold"]
        db.export(tmp_path / "out", to="conllu")
        db.export(tmp_path / f"one.conllu{ending}")
    for written in (tmp_path / "out" / path.name, tmp_path / f"one.conllu{ending}"):
        assert packing_of(written.read_bytes()) == packing_of(path.read_bytes())
        assert content(written) == GOLD
