"""Byte order marks, CR LF line ends and missing final line ends: read with a warning, stored, written back."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.readers.reading import faults_of, read_rows
from tests.readers.valid import sentences
from treesql.errors import InvalidInput
from treesql.readers.source import MARK, FileLayout, plain_blocks

layouts = st.builds(FileLayout, st.booleans(), st.booleans()).flatmap(
    lambda one: st.sampled_from(["", "no_blank_line", "no_newline"]).map(lambda end: FileLayout.parse(f"{one} {end}"))
)


def written(plain: bytes, layout: FileLayout) -> bytes:
    """The bytes of a file in a layout: the slow and obvious way."""
    left_out = 2 if layout.no_newline else int(layout.no_blank_line)
    for _ in range(left_out):
        plain = plain.removesuffix(b"\n")
    return (MARK if layout.bom else b"") + (plain.replace(b"\n", b"\r\n") if layout.crlf else plain)


@given(st.lists(sentences(), min_size=1, max_size=3), layouts, st.integers(1, 40))
def test_rows_are_those_of_the_plain_file(scratch: Path, texts: list[str], layout: FileLayout, size: int) -> None:
    plain = "".join(texts).encode()
    scratch.write_bytes(plain)
    expected = read_rows(scratch)
    scratch.write_bytes(written(plain, layout))
    assert read_rows(scratch, size=size) == expected


@pytest.mark.slow
@given(st.lists(sentences(), min_size=1, max_size=3), layouts)
@settings(deadline=None, max_examples=10)
def test_a_corpus_is_exported_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], layout: FileLayout
) -> None:
    folder = tmp_path_factory.mktemp("layouts")
    data = written("".join(texts).encode(), layout)
    (folder / "a.conllu").write_bytes(data)
    with treesql.connect(":memory:") as db, warnings.catch_warnings():
        warnings.simplefilter("ignore", treesql.TreesqlWarning)
        db.load(folder / "a.conllu", corpus="a")
        db.export(folder / "b.conllu")
    assert (folder / "b.conllu").read_bytes() == data


@given(st.lists(st.sampled_from([b"a\n", b"\n", b"a", b"\r"])), layouts, st.data())
def test_a_file_is_restored_from_pieces(lines: list[bytes], layout: FileLayout, data: st.DataObject) -> None:
    plain = b"".join(lines)
    out = io.BytesIO()
    file = layout.restored(out)
    at = 0
    while at < len(plain):
        n = data.draw(st.integers(1, 4))
        file.write(plain[at : at + n])
        at += n
    file.close()
    assert out.getvalue() == written(plain, layout)


@given(st.lists(st.sampled_from([b"a", b"\r\n", b"\r", b"\n", MARK])), st.integers(1, 5))
def test_blocks_are_those_of_the_whole_file(pieces: list[bytes], size: int) -> None:
    """The first line end decides; one of the other kind is refused (LF) or left for the reader (CR LF)."""
    data = b"".join(pieces)
    content = data.removeprefix(MARK)
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    layout = FileLayout()
    first = content.partition(b"\n")[0]
    crlf = b"\n" in content and first.endswith(b"\r")
    if crlf and content.count(b"\n") > content.count(b"\r\n"):
        lone = next(at for at, line in enumerate(content.split(b"\n"), 1) if not line.endswith(b"\r"))
        with pytest.raises(InvalidInput) as caught:
            list(plain_blocks(blocks, layout, "f"))
        assert [fault.line for fault in caught.value.faults] == [lone]
        return
    assert b"".join(plain_blocks(blocks, layout, "f")) == (content.replace(b"\r\n", b"\n") if crlf else content)
    assert (layout.bom, layout.crlf) == (data.startswith(MARK), crlf)


def test_mixed_line_ends_are_refused(scratch: Path) -> None:
    word = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"
    scratch.write_bytes(f"{word}\r\n\r\n{word}\n\n".encode())
    [fault] = faults_of(scratch)
    assert (fault.line, fault.what) == (3, "this line ends in LF, the lines before in CR LF")
    scratch.write_bytes(f"{word}\n\n{word}\r\n\r\n".encode())
    [fault] = faults_of(scratch)
    assert (fault.line, fault.what) == (3, "this line ends in CR LF, the lines before in LF")


def test_check_reports_what_is_read_with_a_warning() -> None:
    path = FIXTURES / "bad" / "carriage_returns.conllu"
    [fault] = treesql.check(path).faults
    assert (fault.severity, fault.what) == ("error", "lines end in CR LF")
    assert not treesql.check(FIXTURES / "gold.conllu").faults


@pytest.mark.filterwarnings("ignore:.*repeated sent_id")
def test_layouts_are_stored_per_file_and_written_to_a_folder(tmp_path: Path) -> None:
    """One file of the files has another layout; all of them as one file are plain."""
    plain = (FIXTURES / "gold.conllu").read_bytes()
    (tmp_path / "a.conllu").write_bytes(plain)
    (tmp_path / "b.conllu").write_bytes(written(plain, FileLayout(crlf=True)))
    with treesql.connect(":memory:") as db:
        with pytest.warns(treesql.TreesqlWarning, match="b.conllu: lines end in CR LF"):
            db.load(tmp_path / "a.conllu", tmp_path / "b.conllu", corpus="c")
        assert db.sql("SELECT layouts FROM corpora").rows() == [{"layouts": ["", "crlf"]}]
        db.export(tmp_path / "out", to="conllu")
        db.export(tmp_path / "one.conllu")
    assert [path.read_bytes() for path in sorted((tmp_path / "out").iterdir())] == [
        plain, (tmp_path / "b.conllu").read_bytes(),
    ]  # fmt: skip
    assert (tmp_path / "one.conllu").read_bytes() == plain + plain
