"""Limits: a sentence of any format is bounded, packed files are read in pieces, and an option raises the bounds."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.house.rules import in_turn
from tests.readers.files import ROW, SMALL_SENTENCES
from tests.readers.reading import faults_of, read_rows
from treesql.cli import group
from treesql.errors import InvalidInput, UsageError
from treesql.readers import Options, default_max_sentence, formats, parse_max_sentence
from treesql.readers.dependencies.columns import SeenTexts
from treesql.readers.source import Source

KB = 1 << 10


def large(form: str, n: int) -> str:
    each = range(n)
    giza = f"# Sentence pair (2) source length {n} target length {n} alignment score : 1\n"
    giza += "a " * n + "\nNULL ({ })" + "".join(f" b ({{ {at + 1} }})" for at in each) + "\n"
    slf = f"N=2 L={n}\nI=0\nI=1\n" + "".join(f"J={at} S=0 E=1 W=a\n" for at in each)
    return {
        "conllu": "".join(ROW.format(at + 1, at) for at in each) + "\n",
        "conllx": "".join(ROW.format(at + 1, at) for at in each) + "\n",
        "penn": "(S " + "(A a)" * n + ")\n",
        "newick": "(" + ",".join(f"a{at}" for at in each) + ");\n",
        "export": "#BOS 2\n" + "a\tA\t--\t--\t0\n" * n + "#EOS 2\n",
        "discbracket": "(S" + "".join(f" (A {at}=a)" for at in each) + ")\n",
        "text": "a " * n + "\n",
        "pharaoh": " ".join(f"{at}-{at}" for at in each) + "\n",
        "talp": " ".join(f"{at + 1}-{at + 1}" for at in each) + "\n",
        "wpt": "".join(f"2 {at + 1} {at + 1}\n" for at in each),
        "giza": giza,
        "plf": "((" + "('a',1,1)," * n + "),)\n",
        "openfst": "0 1 a\n" * n + "1\n\n",
        "kaldi": "k\n" + "0 1 a 1,2,\n" * n + "1\n\n",
        "jsonl": '{"n_nodes": 2, "edges": [' + ",".join(['[0,1,["a"]]'] * n) + "]}\n",
        "slf": slf,
        "trn": "a " * n + "(t)\n",
        "stm": "r 1 s 1 2 " + "a " * n + "\n",
        "ctm": "r 2 0 1 a\n" * n,
    }[form]


@in_turn("form", sorted(formats().keys() - {"parquet"}))
def test_every_format_bounds_what_it_reads_at_once(form: str, scratch: Path) -> None:
    begin = '<corpus id="' if form == "tigerxml" else ""
    scratch.write_text(begin + "a " * (8 * KB))
    fault = faults_of(scratch, form, options=Options(max_sentence=KB))[0]
    assert fault.what == "a sentence of more than 1 kB"
    assert "--max-sentence" in fault.hint


@in_turn("form", SMALL_SENTENCES)
def test_a_sentence_beyond_the_limit_is_refused_with_its_line_and_the_option(form: str, scratch: Path) -> None:
    scratch.write_text(SMALL_SENTENCES[form] + large(form, 600))
    limit = Options(max_sentence=KB)
    fault = faults_of(scratch, form, options=limit)[0]
    assert fault.line == SMALL_SENTENCES[form].count("\n") + 1
    assert fault.what in ("a sentence of more than 1 kB", f"600 {noun(form)}, more than the 64 of --max-sentence 1kB")
    assert "--max-sentence" in fault.hint
    assert read_rows(scratch, form, options=Options(max_sentence=1 << 20))["sentences"]


@in_turn("form", SMALL_SENTENCES)
def test_many_small_sentences_are_no_large_one(form: str, scratch: Path) -> None:
    if form not in ("slf", "giza", "wpt", "trn", "ctm"):
        scratch.write_text(SMALL_SENTENCES[form] * 500)
        assert read_rows(scratch, form, options=Options(max_sentence=KB))["sentences"]


def noun(form: str) -> str:
    if form in ("pharaoh", "talp", "wpt", "giza"):
        return "links"
    return "edges" if form in ("plf", "openfst", "kaldi", "jsonl", "slf") else "words"


def test_words_are_bounded_where_bytes_are_not_many(scratch: Path) -> None:
    scratch.write_text("a\n" + "a " * 65 + "\n")
    [fault] = faults_of(scratch, "text", options=Options(max_sentence=KB))
    assert str(fault) == (
        f"{scratch}:2: 65 words, more than the 64 of max_sentence=1kB; "
        "check whether lines are missing; max_sentence=1MB takes them"
    )
    scratch.write_text("a\n" + "a " * 64 + "\n")
    assert len(read_rows(scratch, "text", options=Options(max_sentence=KB))["words"]) == 65


def test_the_words_of_an_edge_are_bounded(scratch: Path) -> None:
    words = ",".join(['"a"'] * 65)
    scratch.write_text(f'{{"n_nodes": 2, "edges": [[0, 1, [{words}]]]}}\n')
    [fault] = faults_of(scratch, "jsonl", options=Options(max_sentence=KB))
    assert fault.what.startswith("65 words, more than the 64")


@in_turn(
    ("text", "size"),
    [("64MB", 64 << 20), ("500 kB", 500 << 10), ("1g", 1 << 30), ("1GiB", 1 << 30), ("4096", 4096), (4096, 4096)],
)
def test_sizes(text: str | int, size: int) -> None:
    assert parse_max_sentence(text) == size


@in_turn("text", ["", "0", "-1", "2GB", "1.5MB", "1e6", "64 MB x", "1_0", "٣MB", "64TB", 0])
def test_what_is_no_size(text: str | int) -> None:
    with pytest.raises(UsageError, match="write a size below 2 GB, such as 64MB"):
        parse_max_sentence(text)


def test_the_limit_from_python(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a " * 100 + "\n")
    with treesql.connect() as db:
        with pytest.raises(InvalidInput, match="100 words, more than the 64 of max_sentence=1kB"):
            db.load(tmp_path / "a.txt", corpus="a", max_sentence="1kB")
        assert db.load(tmp_path / "a.txt", corpus="a", max_sentence=2 * KB)[0].n_words == 100


def test_the_limit_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a " * 100 + "\n")
    for command in (
        ["load", str(tmp_path / "a.duckdb"), "--corpus", "a"],
        ["score", "translation", "-r", str(tmp_path / "a.txt")],
    ):
        with pytest.raises(InvalidInput, match="more than the 64 of"):
            group.main([*command, str(tmp_path / "a.txt"), "--max-sentence", "1kB"], standalone_mode=False)
        assert default_max_sentence() == 16 << 20, "for this command alone"
    with pytest.raises(UsageError, match="cannot be 'x'"):
        group.main(["check", str(tmp_path / "a.txt"), "--max-sentence", "x"], standalone_mode=False)


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for own in command.list_commands(context):
            found = command.get_command(context, own)
            assert found
            yield from commands(found, f"{name} {own}".strip())
    else:
        yield name, command


READ_NO_SENTENCES = {
    "align words", "cite", "compile", "drop", "export", "info", "queries", "serve", "sql", "lattice fit",
}  # fmt: skip


def test_every_command_that_reads_files_has_the_option() -> None:
    has = {name: sum("--max-sentence" in option.opts for option in command.params) for name, command in commands(group)}
    assert {name for name, n in has.items() if not n} == READ_NO_SENTENCES
    assert set(has.values()) == {0, 1}


def test_a_packed_file_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a\n" * (20 << 20)))
    source = Source(str(path))
    with pytest.raises(InvalidInput, match="unpacks to more than 32 times its size; unpack it first"):
        for _ in source.chunks():
            pass
    path.write_bytes(gzip.compress(b"a\n" * (4 << 20)))
    assert sum(len(chunk.data) for chunk in Source(str(path)).chunks()) == 8 << 20, "a small one may be anything"
    path.write_bytes(gzip.compress(b"a\n" * (4 << 20)) * 3)
    with pytest.raises(InvalidInput, match="more than 32 times"):
        list(Source(str(path)).chunks())


def test_a_packed_sentence_is_refused_before_all_of_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(b"x" * (12 << 20)))
    chunks = Source(str(path)).chunks(limit=1 << 20)
    with pytest.raises(InvalidInput, match="a sentence of more than 1 MB"):
        list(chunks)


@pytest.mark.parametrize(("nodes", "taken"), [(2, True), (768, True), (769, False), (10_000_000, False)])
def test_nodes_without_edges_are_bounded_by_the_bytes_of_the_line(scratch: Path, nodes: int, taken: bool) -> None:
    """Pruning leaves nodes without edges, which count in densities; but a line of 48 bytes must not take 9 GB."""
    line = f'{{"n_nodes": {nodes}, "edges": [[0, {nodes - 1}, []]]}}'
    line = line.ljust(48)
    scratch.write_text(line + "\n")
    if taken:
        assert read_rows(scratch, "jsonl")["lattices"][0]["n_nodes"] == nodes
        return
    [fault] = faults_of(scratch, "jsonl")
    assert fault.what == f"more than {16 * len(line)} nodes, 16 for each byte of the line"


TEXTS = st.lists(st.one_of(st.none(), st.text("ab", max_size=3)), max_size=8)


@given(st.lists(TEXTS, max_size=12))
def test_as_a_set_has_them(batches: list[list[str | None]]) -> None:
    seen, known = SeenTexts(), set[str]()
    for batch in batches:
        expected = []
        for text in batch:
            expected.append(text is not None and text in known)
            known |= set() if text is None else {text}
        padded = pa.array([None, *batch], pa.string_view()).slice(1)  # as readers have them, inside of longer buffers
        assert seen.add(padded).tolist() == expected
