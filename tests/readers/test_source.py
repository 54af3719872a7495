"""Files as the user names them, and the chunks in which they are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.rules import in_turn
from treesql.errors import InvalidInput
from treesql.readers import source
from treesql.readers.source import Chunk, Source, expand

DATA = b"a\nb\n\nc\n\n\nd\ne\n\n"


def chunks(path: Path, size: int) -> list[bytes]:
    """The data of the chunks, of which only the last is marked as such."""
    found = list(Source(str(path)).chunks(size))
    assert [chunk.last for chunk in found] == [False] * (len(found) - 1) + [True]
    return [chunk.data for chunk in found]


@in_turn(
    ("data", "size", "expected"),
    [
        (b"", 4, [b""]),
        (b"a", 4, [b"a"]),
        (b"a\n\n", 4, [b"a\n\n", b""]),
        (b"a\n\nb\n\n", 3, [b"a\n\n", b"b\n\n", b""]),
        (b"a\n\nb\n\n", 4, [b"a\n\n", b"b\n\n", b""]),
        (b"a\n\nb\n\n", 2, [b"a\n\nb\n\n", b""]),
        (b"a\n\nb\n\n", 100, [b"a\n\nb\n\n", b""]),
        (b"a\r\n\r\nb", 100, [b"a\n\n", b"b"]),
        (b"a\nb\nc", 2, [b"a\nb\nc"]),
    ],
)
def test_chunks(tmp_path: Path, data: bytes, size: int, expected: list[bytes]) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert chunks(path, size) == expected


@given(st.text("a\n", max_size=30), st.integers(1, 12))
def test_chunks_end_with_a_sentence(scratch: Path, text: str, size: int) -> None:
    data = text.encode()
    scratch.write_bytes(data)
    *before, last = chunks(scratch, size)
    assert b"".join([*before, last]) == data
    assert all(chunk.endswith(b"\n\n") for chunk in before)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_digest_and_progress_are_of_the_bytes_on_disk(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(DATA))
    for file in (path, Path(__file__)):
        seen: list[int] = []
        read = Source(str(file), seen.append)
        list(read.chunks(size))
        assert read.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
        assert sum(seen) == file.stat().st_size
        assert max(seen) <= size


def joined(path: Path, size: int) -> bytes:
    return b"".join(chunks(path, size))


def test_a_chunk_of_a_packed_file_is_about_as_large_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that shrinks a hundredfold must not be blown up in memory at once."""
    monkeypatch.setattr(source, "BLOCK_BYTES", 1000)
    path = tmp_path / "file.gz"
    data = DATA * 5000
    path.write_bytes(gzip.compress(data))
    found = chunks(path, 1000)
    assert b"".join(found) == data
    assert max(map(len, found)) < 2000


@in_turn("size", [2, 7, 30, 1000])
@in_turn(
    "members",
    [
        [DATA],
        [DATA[:5], DATA[5:]],
        [DATA[:6], b"", DATA[6:]],
        [DATA, b""],
        [DATA[i : i + 1] for i in range(len(DATA))],
    ],
)
def test_gzip_members_are_joined(tmp_path: Path, members: list[bytes], size: int) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(b"".join(map(gzip.compress, members)))
    assert joined(path, size) == DATA


@in_turn("size", [2, 7, 30, 1000])
def test_gzip_may_be_padded_with_zeros(tmp_path: Path, size: int) -> None:
    """As tapes and some archives do; gzip takes them too."""
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(DATA) + bytes(100))
    assert joined(path, size) == DATA


@in_turn("packed", [False, True])
def test_a_file_is_what_its_first_bytes_say_however_few_are_read_at_a_time(tmp_path: Path, packed: bool) -> None:
    """A text that begins with control characters is one; what has them throughout is none."""
    text, binary = b"\x01\x02" * 20 + b"a word\n" * 500, b"\x01\x02ab" * 1000
    for size in (7, 1000, 1 << 20):
        for data, is_text in ((text, True), (binary, False)):
            (tmp_path / "file").write_bytes(gzip.compress(data) if packed else data)
            read = Source(str(tmp_path / "file")).unpacked_blocks(size)
            if is_text:
                assert b"".join(read) == data
            else:
                with pytest.raises(InvalidInput, match="this is a binary file"):
                    list(read)


def test_packed_or_not_is_told_from_the_bytes(tmp_path: Path) -> None:
    packed, plain = tmp_path / "file.conllu", tmp_path / "plain.gz"
    packed.write_bytes(gzip.compress(DATA))
    plain.write_bytes(DATA)
    assert joined(packed, 100) == joined(plain, 100) == DATA


@pytest.mark.parametrize("data", [DATA, gzip.compress(DATA)], ids=["plain", "packed"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    read = Source("-")
    assert list(read.chunks(100)) == [Chunk(DATA, False), Chunk(b"", True)]
    assert read.name == "<stdin>"
    assert read.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(("name", "what"), [("missing", "there is no such file"), (".", "Is a directory")])
def test_what_cannot_be_opened(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        list(Source(str(tmp_path / name)).chunks())
    [fault] = caught.value.faults
    assert (fault.path, fault.line, fault.what) == (str(tmp_path / name), 0, what)
    assert fault.hint


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with files in it."""
    for name in ("b.conllu", "a.conllu", "notes.txt", "sub/c.conllu.gz", "sub/deep/d.conllu", "odd[1].conllu"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "empty" / "dir.conllu").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@in_turn(
    ("paths", "expected"),
    [
        (["a.conllu"], ["a.conllu"]),
        (["notes.txt"], ["notes.txt"]),
        (["-"], ["-"]),
        (["b.conllu", "a.conllu", "b.conllu"], ["b.conllu", "a.conllu", "b.conllu"]),
        (["sub"], ["sub/c.conllu.gz", "sub/deep/d.conllu"]),
        (["."], ["a.conllu", "b.conllu", "odd[1].conllu", "sub/c.conllu.gz", "sub/deep/d.conllu"]),
        (["*.conllu"], ["a.conllu", "b.conllu", "odd[1].conllu"]),
        (["[ab].conllu"], ["a.conllu", "b.conllu"]),
        (["?.conllu", "sub"], ["a.conllu", "b.conllu", "sub/c.conllu.gz", "sub/deep/d.conllu"]),
        (["sub/**/*.conllu"], ["sub/deep/d.conllu"]),
        (["odd[1].conllu"], ["odd[1].conllu"]),
        ([Path("a.conllu")], ["a.conllu"]),
    ],
)
def test_expand(folder: Path, paths: Iterable[str | Path], expected: list[str]) -> None:
    assert expand(paths, [".conllu"]) == expected


@in_turn(
    ("path", "what"),
    [
        ("missing.conllu", "there is no such file"),
        ("*.conllx", "there is no such file"),
        ("empty", "no .conllu or .conllu.gz file is in this folder"),
        ("", "there is no such file"),
    ],
)
def test_where_nothing_is(folder: Path, path: str, what: str) -> None:
    """All such paths are named, not only the first."""
    with pytest.raises(InvalidInput) as caught:
        expand([path, "a.conllu", "gone"], [".conllu"])
    first, second = caught.value.faults
    assert (first.path, first.line, first.what) == (path, 0, what)
    assert second.path == "gone"
    assert first.hint


def test_a_folder_without_any_of_many_endings(folder: Path) -> None:
    """They are listed where they are few."""
    for endings, what in (
        ([".mrg", ".ptb", ".penn"], "no .mrg, .ptb or .penn file is in this folder"),
        ([f".{n}" for n in range(7)], "no file with the ending of a known format is in this folder"),
    ):
        with pytest.raises(InvalidInput) as caught:
            expand(["empty"], endings)
        assert caught.value.faults[0].what == what
        assert caught.value.faults[0].hint == "check the path, or name its files by a pattern: 'empty/*'"


def test_a_name_that_is_not_utf8(scratch: Path) -> None:
    name = os.fsdecode(bytes(scratch.parent) + b"/x\xff.conllu")
    Path(name).write_bytes(b"")
    with pytest.raises(InvalidInput, match="name is not UTF-8"):
        expand([name], [".conllu"])


def test_a_pipe_is_to_be_given_as_standard_input(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InvalidInput, match="this is not a file but a device or a pipe; give it as standard input"):
        expand([pipe], [".conllu"])
