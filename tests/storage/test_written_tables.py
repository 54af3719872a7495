"""Tables of corpora, as they were read or changed, written to files."""

from __future__ import annotations

import gzip
import io
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
import pytest

import treesql
from tests.conftest import ALIKE, FIXTURES, conllu
from tests.house.rules import in_turn
from treesql import readers, writers
from treesql.errors import InvalidInput, UnknownName, UsageError

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

GOLD = FIXTURES / "gold.conllu"
FORMATS = {
    path.name: form
    for path in sorted(FIXTURES.iterdir())
    if path.is_file() and (form := readers.format_of([str(path)], None)) in writers.formats()
}
"""The format of every fixture that can be written in it."""

NOT_BYTE_FOR_BYTE = {
    "coordination.tigerxml", "discontinuous.export", "links-a.pharaoh", "links.pharaoh", "trees.nwk",
}  # fmt: skip
"""Fixtures that an export does not write as they were: with a header, comments, blanks or links in another order."""


def words() -> tuple[treesql.Tables, pl.DataFrame]:
    tables = treesql.read(GOLD)
    return tables, tables.pl("words")


def written_and_exported(name: str, forms: Iterable[str], folder: Path) -> dict[str, list[bytes]]:
    """By format, the bytes of a fixture that `treesql.write` writes of its tables, and those of an export from a
    database."""
    found: dict[str, list[bytes]] = {form: [] for form in forms}
    tables = treesql.read(FIXTURES / name)
    with treesql.connect() as db:
        db.load(FIXTURES / name, corpus="tables")
        ways: dict[str, Callable[[Path], object]] = {
            "written": lambda path: treesql.write(tables, path),
            "exported": db.export,
        }
        for form, outcomes in found.items():
            for way, call in ways.items():
                path = folder / f"{way}.{form}{writers.formats()[form].suffixes[0]}"
                try:
                    call(path)
                    outcomes.append(path.read_bytes())
                except InvalidInput as error:  # what the format cannot express
                    outcomes.append(error.faults[0].what.encode())
    return found


@in_turn("name", [name for name in FORMATS if name not in ALIKE])
def test_what_was_read_is_written(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    if name in NOT_BYTE_FOR_BYTE:
        own = FORMATS[name]
        written, expected = written_and_exported(name, [own], tmp_path_factory.mktemp("written"))[own]
    else:
        file, expected = io.BytesIO(), (FIXTURES / name).read_bytes()
        treesql.write(treesql.read(FIXTURES / name), file)
        written = file.getvalue()
    assert written == expected


@pytest.mark.slow
@in_turn("name", [name for name in FORMATS if name not in ALIKE])
def test_every_format_is_written_as_by_an_export(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Those of what the fixture holds, but for its own."""
    kind = writers.formats()[FORMATS[name]].kind
    forms = {form for form, one in writers.formats().items() if one.kind == kind} - {FORMATS[name], "parquet"}
    for form, (written, exported) in written_and_exported(name, forms, tmp_path_factory.mktemp("written")).items():
        assert written == exported, form


def test_a_parquet_data_set_is_written(tmp_path: Path) -> None:
    for name in ("gold.conllu", "links.pharaoh"):
        tables = treesql.read(FIXTURES / name)
        treesql.write(tables, tmp_path / name.split(".")[0])
        found = treesql.read(tmp_path / name.split(".")[0])
        assert {table: found[table] for table in tables if table != "corpora"} == {
            table: rows for table, rows in tables.items() if table != "corpora"
        }


LAYOUTS = {
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "no blank line": lambda data: data.removesuffix(b"\n"),
    "no final newline": lambda data: data.removesuffix(b"\n\n"),
    "all": lambda data: b"\xef\xbb\xbf" + data.removesuffix(b"\n\n").replace(b"\n", b"\r\n"),
}


@in_turn("layout", LAYOUTS)
def test_the_layout_of_a_file_is_kept(layout: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("layouts")
    data = LAYOUTS[layout](GOLD.read_bytes())
    (folder / "a.conllu.gz").write_bytes(gzip.compress(data))
    tables = treesql.read(folder / "a.conllu.gz")
    treesql.write({**tables, "words": tables.pl("words")}, folder / "b.conllu")
    assert (folder / "b.conllu").read_bytes() == data
    if layout == "all":
        treesql.write(tables, folder / "b.conllu.gz")
        assert gzip.decompress((folder / "b.conllu.gz").read_bytes()) == data


def test_a_corpus_of_several_files_is_a_folder_of_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(f"{name}:0:root"))
    tables = treesql.read(tmp_path)
    treesql.write(tables, tmp_path / "out", format="conllu")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {
        f"{name}.conllu": conllu(f"{name}:0:root") for name in ("a", "b")
    }
    treesql.write(tables, str(tmp_path / "one.conllu"))
    assert (tmp_path / "one.conllu").read_bytes() == conllu("a:0:root", "b:0:root")


def test_blocks_are_written_one_after_the_other() -> None:
    file = io.BytesIO()
    for block in treesql.scan(GOLD, sentences=2):
        treesql.write(block, file)
    assert file.getvalue() == GOLD.read_bytes()
    columns = FIXTURES / "expressions.conllup"
    for block in treesql.scan(columns, sentences=1):
        file = io.BytesIO()
        treesql.write(block, file)
        assert file.getvalue().split(b"\n")[0] == columns.read_bytes().split(b"\n")[0]


def test_lemmas_are_edited_with_polars_and_pandas(tmp_path: Path) -> None:
    tables, frame = words()
    upper = re.sub(r"(?m)^(\d+\t[^\t]+\t)the\t", r"\1THE\t", GOLD.read_text("utf-8"))
    changed = frame.with_columns(pl.col("lemma").replace("the", "THE"))
    assert changed["lemma"].to_list().count("THE") > 1
    for edited in (changed, changed.to_pandas(), changed.to_arrow(), changed.sample(fraction=1, shuffle=True, seed=1)):
        treesql.write({**tables, "words": edited}, tmp_path / "out.conllu")
        assert (tmp_path / "out.conllu").read_text("utf-8") == upper
    found = treesql.read(tmp_path / "out.conllu")
    assert found["words"]["lemma"].to_pylist() == changed["lemma"].to_list()


def test_what_is_derived_is_derived_anew(tmp_path: Path) -> None:
    """By hand: the second word becomes the root, and the first one hangs on it."""
    text = "1\ta\t_\t_\t_\t_\t0\troot\t0:root\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t1:dep\t_\n\n"
    tables = treesql.read(text.encode(), format="conllu")
    changed = tables.pl("words").with_columns(
        head=pl.Series([2, 0]), deprel=pl.Series(["dep:x", "root"]), deps=pl.Series(["2:dep:x", "0:root"])
    )
    treesql.write({**tables, "words": changed}, tmp_path / "out.conllu")
    expected = "1\ta\t_\t_\t_\t_\t2\tdep:x\t2:dep:x\t_\n2\tb\t_\t_\t_\t_\t0\troot\t0:root\t_\n\n"
    assert (tmp_path / "out.conllu").read_text() == expected
    found = treesql.read({**tables, "words": changed})
    assert found.pl("words").select("depth", "enter", "leave", "udeprel").rows() == [
        (2, 2, 2, "dep"),
        (1, 1, 2, "root"),
    ]
    assert found.pl("enhanced_edges").select("dependent", "head", "deprel").rows() == [(1, 2, "dep:x"), (2, 0, "root")]


def test_sentences_are_left_out() -> None:
    """Also where tables that are derived from others still have their rows."""
    tables, _ = words()
    kept = {name: tables.pl(name).filter(pl.col("sentence") != 1) for name in tables if name != "corpora"}
    blocks = GOLD.read_bytes().split(b"\n\n")
    expected = b"\n\n".join([blocks[0], *blocks[2:]])
    for changed in (kept, {name: rows for name, rows in kept.items() if name != "enhanced_edges"}):
        file = io.BytesIO()
        treesql.write({**tables, **changed}, file)
        assert file.getvalue() == expected


@in_turn("name", ["gold.mrg", "links.pharaoh", "lattices.plf", "expressions.conllup"])
def test_tables_of_every_kind_are_edited(name: str) -> None:
    tables, file = treesql.read(FIXTURES / name), io.BytesIO()
    text = (FIXTURES / name).read_text("utf-8")
    changed: dict[str, pl.DataFrame] = {}
    if name == "gold.mrg":
        changed["constituents"] = tables.pl("constituents").with_columns(pl.col("label").replace("PP", "XP"))
        text = re.sub(r"\(PP\b", "(XP", text)
    elif name == "links.pharaoh":
        changed["alignments"] = tables.pl("alignments").filter(pl.col("sure"))
        text = re.sub(r" ?\d+p\d+", "", text)
        text = re.sub(r"(?m)^ ", "", text)
    elif name == "lattices.plf":
        edges = tables.pl("lattice_edges")
        changed["lattice_edges"] = edges.with_columns(
            pl.col("edge_words").list.eval(pl.element().replace("cat", "dog"))
        )
        text = text.replace("'cat'", "'dog'")
    else:
        changed["word_columns"] = tables.pl("word_columns").with_columns(pl.col("value").replace("1", "2"))
        text = re.sub(r"(?m)\t1\t(\S+)$", r"\t2\t\1", text)
    treesql.write({**tables, **changed}, file)
    assert file.getvalue().decode() == text
    assert text != (FIXTURES / name).read_text("utf-8")


def test_rows_that_break_rules_are_refused(tmp_path: Path) -> None:
    tables, frame = words()
    out = tmp_path / "out.conllu"
    out.write_text("kept")
    second = (pl.col("sentence") == 1) & (pl.col("word") == 2)
    for changed, expected in (
        (frame.with_columns(head=pl.when(pl.col("sentence") == 1).then(pl.col("word") % 3 + 1).otherwise("head")),
         "sentence 1 of words: heads form a cycle, 1 -> 2 -> 3 -> 1"),
        (frame.filter(~second), "sentence 1, word 3 of words: word 3 is not the next one after 1"),
        (frame.with_columns(head=pl.when(second).then(99).otherwise("head")),
         "sentence 1, word 2 of words: head 99 is not a word of the sentence"),
        (frame.with_columns(form=pl.when(second).then(pl.lit("a\tb")).otherwise("form")),
         "sentence 1, word 2 of words: form has a tab"),
        (frame.drop("sentence"), "there is no column sentence"),
        (frame.with_columns(head=pl.lit("one")), "column head of words is string"),
        ([1], "no data frame"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as raised:
            treesql.write({**tables, "words": changed}, out)
        assert expected in str(raised.value)
        assert "\n" not in str(raised.value)
        assert out.read_text() == "kept"
    with pytest.raises(InvalidInput, match="sent_id is `x`, and by its comments `mat`"):
        treesql.write({**tables, "sentences": tables.pl("sentences").with_columns(sent_id=pl.lit("x"))}, out)
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    tables, _ = words()
    for given, out, options, error, expected in (
        (tables, "x.csv", {}, UsageError, "its ending is of no format"),
        (tables, "x.mrg", {}, UsageError, "'tables' has dependency trees, penn is for constituency trees"),
        (tables, "x.conllu", {"format": "csv"}, UnknownName, "known: conllu"),
        (tables, "x.conllu", {"turned_by": "a"}, UsageError, "turned_by is of results"),
        (tables, "none/x.conllu", {}, UsageError, "there is no folder"),
        (tables, ".", {}, UsageError, "exists"),
        ({}, "x.conllu", {}, UsageError, "no tables of a corpus"),
        ({"a": 1}, "x.conllu", {}, UsageError, "no tables of a corpus"),
        (treesql.read(["a b"], format="text"), "x.conllu", {}, UsageError, "words without trees"),
    ):
        with pytest.raises(error, match=expected):
            treesql.write(given, tmp_path / out, **options)
    with pytest.raises(UsageError, match="a Parquet data set is a folder"):
        treesql.write(tables, io.BytesIO(), format="parquet")
    assert not [*tmp_path.iterdir()]


def test_tables_without_a_record(tmp_path: Path) -> None:
    _, frame = words()
    few = frame.filter(sentence=0).select("sentence", "word", "form", "head", "deprel")
    expected = "".join(f"{word}\t{form}\t_\t_\t_\t_\t{head}\t{rel}\t_\t_\n" for _, word, form, head, rel in few.rows())
    treesql.write({"words": few}, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == expected + "\n"
    file = io.BytesIO()
    treesql.write({"words": few}, file)
    assert file.getvalue().decode() == expected + "\n"
    links = pl.DataFrame({"sentence": [4, 5], "source": [1, 2], "target": [2, 1]})
    treesql.write({"alignments": links}, tmp_path / "out.pharaoh")
    assert (tmp_path / "out.pharaoh").read_text() == "0-1\n1-0\n"
    with pytest.raises(InvalidInput, match="sentence 5 has no rows, and there is no table sentences that lists it"):
        treesql.write({"alignments": links.with_columns(sentence=pl.col("source") * 2 + 2)}, tmp_path / "out.pharaoh")
    every = pl.DataFrame({"sentence": [4, 5, 6]})
    links = links.with_columns(sentence=pl.col("source") * 2 + 2)
    treesql.write({"alignments": links, "sentences": every}, tmp_path / "out.pharaoh")
    assert (tmp_path / "out.pharaoh").read_text() == "0-1\n\n1-0\n"


def test_warnings_are_of_what_is_lost_and_of_the_rows(tmp_path: Path) -> None:
    tables, frame = words()
    several = frame.with_columns(head=pl.when(pl.col("sentence") == 0).then(0).otherwise("head"))
    for mapping, expected in (
        ({**tables, "words": several}, "roots"),
        (treesql.read(FIXTURES / "expressions.conllup"), "CoNLL-U has no place for"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            treesql.write(mapping, tmp_path / "out.conllu")
        assert [message for warning in caught if expected in (message := str(warning.message))]


def test_trees_with_cycles_are_written_where_they_were_read_so(tmp_path: Path) -> None:
    text = b"1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    treesql.write(treesql.read(text, format="conllu", permissive=True), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == text
