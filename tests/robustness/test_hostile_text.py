"""Text of strangers in pictures, pages and names of files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from tests.storage.parts import restamp

SCRIPT = "<script>alert(1)</script>\"'&]]>"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A sentence whose every field is a script."""
    fields = ["1", SCRIPT, SCRIPT, "X", SCRIPT, "_", "0", SCRIPT, "_", "_"]
    path = tmp_path / "hostile.conllu"
    path.write_text(f"# sent_id = {SCRIPT}\n# text = {SCRIPT}\n" + "\t".join(fields) + "\n\n")
    return path


def test_no_picture_holds_a_script(  # type: ignore[no-untyped-def]
    run,
    hostile: Path,
    tmp_path: Path,
) -> None:
    with treesql.connect() as db:
        db.load(hostile, corpus=SCRIPT)
        sentence = db.sentence(0)
        drawn = [sentence.svg(), sentence._repr_html_(), db.sql("FROM words")._repr_html_()]
    for number, arguments in enumerate(
        (["show", hostile, SCRIPT], ["find", hostile, "pattern { X [upos=X] }", "--draw"])
    ):
        for ending in ("svg", "html"):
            page = tmp_path / f"{number}.{ending}"
            assert run(*arguments, "-o", page).code == 0
            drawn.append(page.read_text())
    assert all("alert(1)" in one for one in drawn)
    assert not any("<script" in one for one in drawn)


@pytest.mark.filterwarnings("ignore:.*repeated sent_id")
def test_exported_files_stay_in_their_folder(hostile: Path, tmp_path: Path) -> None:
    (tmp_path / "other.conllu").write_bytes(hostile.read_bytes())
    with treesql.connect() as db:
        db.load(hostile, tmp_path / "other.conllu", corpus="c")
        db.export(tmp_path / "set", to="parquet")
    for path in (tmp_path / "set").rglob("*.parquet"):
        table = pq.read_table(path, partitioning=None)
        if "file" in table.column_names:
            names = [f"../../{Path(name).name}" for name in table["file"].to_pylist()]
            at = table.column_names.index("file")
            pq.write_table(table.set_column(at, table.schema.field(at), pa.array(names, pa.string())), path)
    restamp(tmp_path / "set")
    with treesql.connect() as db:
        db.load(tmp_path / "set")
        assert {row["file"] for row in db.sql("SELECT file FROM sentences").rows()} == {
            "../../hostile.conllu",
            "../../other.conllu",
        }
        (tmp_path / "deep").mkdir()
        written = db.export(tmp_path / "deep" / "out", to="conllu")
    assert sorted(one.relative_to(tmp_path) for one in written) == [
        Path("deep/out/hostile.conllu"),
        Path("deep/out/other.conllu"),
    ]
    assert sorted(one.name for one in (tmp_path / "deep").iterdir()) == ["out"]


def test_names_with_line_ends_stay_on_the_line_of_an_error() -> None:
    known = ["a\nb", "\x1b[31m", "c\r\n\r\nd", "\u2028"]
    told = str(treesql.UnknownName("corpus", "x\ny", known, note="e\nf"))
    assert told == r"unknown corpus 'x\ny'; known: \x1b[31m, a\x0ab, c\x0d\x0a\x0d\x0ad, \u2028; e\x0af"
    assert str(treesql.UnknownName("corpus", "a\nc", known)) == r"unknown corpus 'a\nc'; did you mean a\x0ab?"
