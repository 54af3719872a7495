"""treesql show, as a shell sees it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.test_commands import GOLD, A, db, run  # noqa: F401
from tests.conftest import FIXTURES, conllu


def test_sentences_of_a_file_are_drawn(run) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    done = run("show", GOLD, "mat", "hello")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("mat: The cat sat on the mat.\n\n")
    assert "hello: Hello!\n" in done.out
    assert "\x1b" not in done.out
    assert max(map(len, run("show", GOLD, "hearing", "--width", "30").out.split("\n")[1:])) <= 30
    assert run("show", str(FIXTURES / "trees.nwk"), "0").code == 0


def test_a_sentence_of_a_database_is_drawn(run, db: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    assert run("show", db, "mat", "--corpus", "gold").out == run("show", GOLD, "mat").out
    compared = run("show", db, "mat", "--system", "parser-a")
    assert compared.code == 0
    assert "above: gold, below: parser-a" in compared.out
    assert "✗obl" in compared.out
    assert compared.out.endswith("✗ not in the other tree   ≠ another relation there\n")
    from_file = run("show", db, "mat", "--corpus", "gold", "--system", A)
    assert from_file.out == compared.out.replace("below: parser-a", "below: parser-a.conllu")
    files = run("show", GOLD, "mat", "--system", A)
    assert files.out == from_file.out.replace("above: gold", "above: gold.conllu")
    full = run("show", GOLD, "hearing", "--system", A, "--relations", "full").out
    assert "≠nsubj" in full
    assert "≠nsubj" not in run("show", GOLD, "hearing", "--system", A).out


def test_drawings_go_to_files(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    svg, page, text = (tmp_path / name for name in ("a.svg", "a.html", "a.txt"))
    assert run("show", GOLD, "tea", "mat", "--enhanced", "-o", svg) == (0, "", "")
    root = ET.fromstring(svg.read_text("utf-8"))
    assert {"tea", "mat"} <= {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert run("show", GOLD, "tea", "-o", page).code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run("show", GOLD, "tea", "-o", text).code == 0
    assert text.read_text("utf-8") == run("show", GOLD, "tea").out
    assert run("show", GOLD, "tea", "--svg").out == run("show", GOLD, "tea", "--svg", "--width", "1000").out
    narrow = ET.fromstring(run("show", GOLD, "tea", "--svg", "--width", "200").out)
    assert float(narrow.get("width", "0")) <= 200
    assert "<figure>" in run("show", GOLD, "tea", "--html").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", GOLD, "teaa"], "unknown sentence 'teaa'; did you mean tea?"),
        (["show", "DB", "tea"], "there in several corpora: gold, parser-a; choose one with --corpus NAME"),
        (["show", "DB", "tea", "--corpus", "gould"], "unknown corpus 'gould'; did you mean gold?"),
        (["show", "DB", "tea", "--corpus", "gold", "--system", "parser-q"], "'parser-q'; did you mean parser-a?"),
        (["show", "DB", "tea", "--corpus", "gold", "--permissive"], "of no use with a database"),
        (["show", GOLD, "tea", "--corpus", "gold"], "a file is one corpus"),
        (["show", GOLD, "tea", "--relations", "full"], "name the other one with --system"),
        (["show", GOLD, "tea", "--system", A, "--enhanced"], "choose one of them"),
        (["show", GOLD], "Missing argument 'SENT_ID...'"),
        (["show", "none.conllu", "tea"], "none.conllu: there is no such file"),
        (["show", "none.duckdb", "tea"], "there is no such database"),
        (["show", GOLD, "tea", "-o", "no/such/a.svg"], "name a file that can be written"),
        (["show", str(FIXTURES / "gold.mrg"), "0", "--enhanced"], "has no enhanced dependencies"),
        (["show", str(FIXTURES / "gold.mrg"), "7"], "name one by its number, 0 to 4"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_clear_message_and_code_2(  # type: ignore[no-untyped-def]
    run,  # noqa: F811
    db: Path,  # noqa: F811
    arguments: list[str],
    message: str,
) -> None:
    done = run(*(str(db) if argument == "DB" else argument for argument in arguments))
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_file_without_trees(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:root").replace(b"0\troot", b"_\t_"))
    done = run("show", tmp_path / "a.conllu", "0")
    assert done == (2, "", "sentence '0' of a.conllu has no tree to draw: its words have no heads, "
                           "and no phrases above them\n")  # fmt: skip
