"""Damaged files: whatever the bytes, rows come out or a list of faults, never another error or a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from tests.readers import valid
from tests.readers.reading import read_rows
from tests.readers.test_alignments import GIZA
from tests.readers.test_conllu import FULL
from tests.readers.test_conllx import EIGHT, TEN
from treesql.errors import InvalidInput
from treesql.readers import FAULTS_SHOWN, Options, State
from treesql.readers.source import CHUNK_BYTES

place = st.floats(0, 1, exclude_max=True)
"""Where in a file, as a share of it."""

# Bytes that mean something to the reader, and any.
marks = [bytes([byte]) for byte in b"\t\n _#|:-.019()[];,'\x80\xc2"] + [b"\n\n", b"\r\n", b"9" * 11]
piece = st.sampled_from(marks) | st.binary(min_size=1, max_size=3)

changes = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), place, piece),
        st.tuples(st.just("replace"), place, piece),
        st.tuples(st.just("delete"), place, st.integers(1, 4)),
        st.tuples(st.just("repeat line"), place, place),
        st.tuples(st.just("delete line"), place, st.none()),
        st.tuples(st.just("cut off"), place, st.none()),
    ),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, changes: list[tuple[str, float, Any]]) -> bytes:
    for change, share, what in changes:
        at = int(share * len(data))
        lines = data.splitlines(keepends=True) or [b""]
        line = int(share * len(lines))
        match change:
            case "insert":
                data = data[:at] + what + data[at:]
            case "replace":
                data = data[:at] + what + data[at + len(what) :]
            case "delete":
                data = data[:at] + data[at + what :]
            case "repeat line":
                lines.insert(line, lines[int(what * len(lines))])
                data = b"".join(lines)
            case "delete line":
                data = b"".join(lines[:line] + lines[line + 1 :])
            case "cut off":
                data = data[:at]
    return data


def check(path: Path, data: bytes, form: str, size: int, options: Options) -> None:
    path.write_bytes(data)
    state, faults = State(), None
    try:
        tables = read_rows(path, form, state=state, size=size, options=options)
    except InvalidInput as error:
        faults = error.faults
    if faults is None:
        assert len(tables["sentences"]) == state.sentences > 0
        assert sum(row["n_words"] for row in tables["sentences"]) == len(tables.get("words", []))
        return
    assert 1 <= len(faults) <= FAULTS_SHOWN
    one_after_the_last = data.count(b"\n") + data.count(b"\r") + 2
    for fault in faults:
        assert fault.path == str(path)
        assert 0 <= fault.line <= one_after_the_last
        assert fault.what
        assert fault.hint


sizes = st.sampled_from([CHUNK_BYTES, 50, 7])
options = st.builds(Options, permissive=st.booleans(), strict=st.booleans())


@given(st.sampled_from([FULL.encode(), (FIXTURES / "gold.conllu").read_bytes()]), changes, sizes, options)
@settings(deadline=None, max_examples=150)
def test_damaged_files(scratch: Path, file: bytes, changes: list[Any], size: int, options: Options) -> None:
    check(scratch, damaged(file, changes), "conllu", size, options)


@given(valid.files, changes, sizes)
@settings(deadline=None, max_examples=30)
def test_damaged_random_files(scratch: Path, file: str, changes: list[Any], size: int) -> None:
    check(scratch, damaged(file.encode(), changes), "conllu", size, Options())


@given(st.sampled_from([EIGHT.encode(), TEN.encode()]), changes, sizes)
@settings(deadline=None)
def test_damaged_conllx_files(scratch: Path, file: bytes, changes: list[Any], size: int) -> None:
    check(scratch, damaged(file, changes), "conllx", size, Options())


CONSTITUENCY = [("penn", "gold.mrg"), ("penn", "test.mrg"), ("newick", "trees.nwk"), ("export", "discontinuous.export")]


@given(st.sampled_from(CONSTITUENCY), changes, sizes, options)
@example(("export", "discontinuous.export"), [("delete", 0.25, 1)], 50, Options())  # a tag that is not there
@settings(deadline=None, max_examples=200)
def test_damaged_constituency_trees(
    scratch: Path, given_file: tuple[str, str], changes: list[Any], size: int, options: Options
) -> None:
    """Whatever comes out, comes out whatever the size of the chunks."""
    form, name = given_file
    data = damaged((FIXTURES / name).read_bytes(), changes)
    check(scratch, data, form, size, options)
    assert outcome(scratch, form, size, options) == outcome(scratch, form, CHUNK_BYTES, options)


def outcome(path: Path, form: str, size: int, options: Options) -> object:
    try:
        return read_rows(path, form, size=size, options=options)
    except InvalidInput as error:
        return [str(fault) for fault in error.faults]


LINKS = [
    ("pharaoh", b"0-0 1-2 2p1\n\n0?3 12-1:P 4-4:S\n"),
    ("talp", b"1-1 2-2 2-2\n3p1"),
    ("wpt", b"0001 1 1 S\n1 2 1 p 0.5\n3 4 5\n3 0 1 1e-3\n"),
    ("giza", GIZA),
    ("text", "the  cat\n\n\tsat\u00a0here \n".encode()),
]


@given(st.sampled_from(LINKS), changes, sizes)
@example(("giza", GIZA), [("insert", 0.0, b"\r")], 50)  # a line more, after which pairs would be cut elsewhere
@settings(deadline=None, max_examples=300)
def test_damaged_alignments_and_texts(
    scratch: Path, given_file: tuple[str, bytes], changes: list[Any], size: int
) -> None:
    """Whatever comes out, comes out whatever the size of the chunks."""
    form, data = given_file
    data = damaged(data, changes)
    if form == "wpt" and not data:
        return
    check(scratch, data, form, size, Options())
    assert outcome(scratch, form, size, Options()) == outcome(scratch, form, CHUNK_BYTES, Options())


@given(st.text("01-p?:S \n", max_size=30).map(str.encode), sizes, st.sampled_from(["pharaoh", "talp", "wpt"]))
@settings(deadline=None, max_examples=300)
def test_any_links(scratch: Path, data: bytes, size: int, form: str) -> None:
    if form == "wpt" and not data:
        return
    check(scratch, data, form, size, Options())
    assert outcome(scratch, form, size, Options()) == outcome(scratch, form, CHUNK_BYTES, Options())


@given(st.text("()[]';:,aS \n", max_size=40).map(str.encode), sizes, st.sampled_from(["penn", "newick"]))
@settings(deadline=None, max_examples=300)
def test_any_brackets(scratch: Path, data: bytes, size: int, form: str) -> None:
    check(scratch, data, form, size, Options())
    assert outcome(scratch, form, size, Options()) == outcome(scratch, form, CHUNK_BYTES, Options())


@given(
    st.binary(max_size=40) | st.text("1\t\n_#-.0", max_size=60).map(str.encode),
    sizes,
    st.sampled_from(["conllu", "conllx", "penn", "newick", "export", "text", "pharaoh", "talp", "giza"]),
)
@settings(deadline=None, max_examples=150)
def test_any_bytes(scratch: Path, data: bytes, size: int, form: str) -> None:
    check(scratch, data, form, size, Options())
