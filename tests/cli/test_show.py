"""treesql show, as a shell sees it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import treesql
from tests.cli.conftest import GOLD, A
from tests.conftest import FIXTURES, conllu
from treesql.errors import UsageError

ENGLISH, GERMAN = str(FIXTURES / "reference.conllu"), str(FIXTURES / "hypothesis.conllu")
LINKS = str(FIXTURES / "reference-hypothesis.align")


def test_sentences_of_a_file_are_drawn(run) -> None:  # type: ignore[no-untyped-def]
    done = run("show", GOLD, "mat", "hello")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("mat: The cat sat on the mat.\n\n")
    assert "hello: Hello!\n" in done.out
    assert "\x1b" not in done.out
    assert max(map(len, run("show", GOLD, "hearing", "--width", "30").out.split("\n")[1:])) <= 30
    assert run("show", str(FIXTURES / "trees.nwk"), "0").code == 0


@pytest.mark.slow
def test_a_sentence_of_a_database_is_drawn(run, db: Path) -> None:  # type: ignore[no-untyped-def]
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


@pytest.mark.slow
def test_drawings_go_to_files(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    svg, page, text = (tmp_path / name for name in ("a.svg", "a.html", "a.txt"))
    assert run("show", GOLD, "tea", "mat", "--enhanced", "-o", svg) == (0, "", "")
    root = ET.fromstring(svg.read_text("utf-8"))
    assert {"tea", "mat"} <= {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert run("show", GOLD, "tea", "-o", page).code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run("show", GOLD, "tea", "-o", text).code == 0
    assert text.read_text("utf-8") == run("show", GOLD, "tea").out
    assert run("show", GOLD, "tea", "--svg").out == run("show", GOLD, "tea", "--svg", "--width", "1000").out
    narrow = ET.fromstring(run("show", GOLD, "tea", "--svg", "--width", "300").out)
    assert float(narrow.get("width", "0")) <= 300
    assert "<figure>" in run("show", GOLD, "tea", "--html").out


@pytest.mark.slow
def test_heads_and_antecedents_are_drawn(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    svg = run("show", str(FIXTURES / "discontinuous.export"), "1", "--svg").out
    [bold] = (one for one in ET.fromstring(svg).iter() if one.get("font-weight") == "bold")
    assert [text.text for text in bold] == ["arrived", "about"]
    assert "NP-SB" in svg
    (tmp_path / "trace.mrg").write_text("( (S (WHNP-1 (WP What)) (VP (VBP eat) (NP (-NONE- *T*-1)))) )\n")
    svg = run("show", str(tmp_path / "trace.mrg"), "0", "--svg", "--head-rules", "collins").out
    assert svg.count('class="enhanced"') == 1  # the line from the trace
    [heavy] = (one.get("d", "") for one in ET.fromstring(svg).iter() if one.get("stroke-width") == "2.2")
    assert heavy.count("M") == 1  # VP of S
    bold = [one for one in ET.fromstring(svg).iter() if one.get("font-weight") == "bold"]
    assert [text.text for one in bold for text in one] == ["What", "eat", "*T*-1"]


@pytest.mark.slow
def test_aligned_sentences_are_drawn_with_their_links(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("show", ENGLISH, "rain", "--aligned", GERMAN, "--links", LINKS)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("rain: it rains\n\nabove: reference.conllu, below: hypothesis.conllu\n")
    assert done.out.endswith("↓ linked to these words of the other sentence   ? not surely\n")
    path = tmp_path / "a.duckdb"
    for file, *more in (
        (ENGLISH, "--corpus", "en"),
        (GERMAN, "--corpus", "de"),
        (LINKS, "--corpus", "links", "--source-corpus", "en", "--target-corpus", "de"),
    ):
        assert run("load", path, file, *more).code == 0
    of_files = done.out.replace("reference.conllu", "en").replace("hypothesis.conllu", "de")
    assert run("show", path, "rain", "--aligned", "de").out == of_files
    assert run("show", path, "2", "--corpus", "en", "--aligned", "de", "--links", "links").out == of_files
    mixed = run("show", path, "rain", "--corpus", "en", "--aligned", GERMAN, "--links", LINKS)
    assert mixed.out == of_files.replace("below: de", "below: hypothesis.conllu")
    picture = run("show", path, "rain", "letters", "--aligned", "de", "--svg").out
    told = [title.text for title in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}title")]
    assert [one for one in told if one and "~" in one][:3] == ["it ~ it", "rains ~ rains", "yesterday ~ yesterday"]
    dotted = "Dotted lines and ?: links that are not sure."
    assert dotted not in run("show", path, "rain", "--aligned", "de", "--html").out  # every link is sure
    (tmp_path / "unsure.align").write_text("0-0\n0-0\n0-0 1?1\n0-0\n")
    unsure = run("show", ENGLISH, "rain", "--aligned", GERMAN, "--links", tmp_path / "unsure.align", "--html")
    assert (unsure.err, unsure.out.count(dotted)) == ("", 1)
    for more, message in (
        (["--links", "de"], "de has no links between words; alignments are links"),
        (["--links", "links", "--base", "1"], "links is loaded"),
        (["--permissive"], "do not apply to a database"),
        (["--links", "lincs"], "unknown file or corpus 'lincs'; did you mean links?"),
    ):
        failed = run("show", path, "rain", "--corpus", "en", "--aligned", "de", *more)
        assert failed.code == 2
        assert message in failed.err


@pytest.mark.thorough
def test_links_are_drawn_as_a_grid(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The gold links of `tea` link words 1 and 2 to themselves; the system links the first word to both."""
    of_files = ["show", GOLD, "tea", "--aligned", GOLD, "--grid"]
    gold, system = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "links-a.pharaoh")
    done = run(*of_files, "--links", gold)
    assert (done.code, done.err) == (0, "")
    assert "   Ann ■ · · · · · ·\ndrinks · ■ · · · · ·\n" in done.out
    assert done.out.endswith("■ sure   □ possible\n")
    compared = run(*of_files, "--links", gold, "--system", system)
    assert "   Ann ■ ✗ · · · · ·\ndrinks · ○ · · · · ·\n" in compared.out
    picture = tmp_path / "grid.svg"
    assert run(*of_files, "--links", gold, "--system", system, "-o", picture) == (0, "", "")
    drawn = list(ET.fromstring(picture.read_text("utf-8")).iter("{http://www.w3.org/2000/svg}circle"))
    assert len(drawn) == 1  # found; the other is a cross
    assert "Dots: found by the system" in run(*of_files, "--links", gold, "--system", system, "--html").out
    path = tmp_path / "a.duckdb"
    for corpus in ("en", "de"):
        assert run("load", path, GOLD, "--corpus", corpus).code == 0
    for file, corpus in ((gold, "gold"), (system, "system")):
        ends = ("--source-corpus", "en", "--target-corpus", "de")
        assert run("load", path, file, "--corpus", corpus, *ends).code == 0
    asked = ("tea", "--corpus", "en", "--aligned", "de", "--grid", "--links", "gold", "--system", "system")
    of_database = run("show", path, *asked).out
    names = "rows: gold.conllu, columns: gold.conllu", "rows: en, columns: de"
    assert of_database == compared.out.replace(*names)
    with treesql.connect(path) as db:
        found = db.show("tea", corpus="en", aligned="de", links="gold", system="system", grid=True)
        assert found.text() == of_database
        tea = db.sentence("tea", corpus="en")
        pair, other = (db.translation(tea, corpus="de", alignment=one) for one in ("gold", "system"))
        assert tea.characters(aligned=pair, grid=True, system_links=other.links) in of_database
        for wrong in ({"grid": True}, {"system_links": other.links}, {"grid": True, "aligned": pair, "enhanced": True}):
            with pytest.raises(UsageError, match="grid"):
                tea.svg(**wrong)


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", GOLD, "tea", "--grid"], "name it with --aligned"),
        (["show", GOLD, "tea", "--grid", "--aligned", GOLD], "--aligned needs the links between the words"),
        (["show", GOLD, "tea", "--grid", "--aligned", GOLD, "--links", LINKS, "--enhanced"], "--grid draws no trees"),
        (["show", GOLD, "tea", "--grid", "--aligned", GOLD, "--links", LINKS, "--system", A], "has no links between"),
        (["show", GOLD, "teaa"], "unknown sentence 'teaa'; did you mean tea?"),
        (["show", "DB", "tea"], "occurs in several corpora: gold, parser-a; choose one with --corpus NAME"),
        (["show", "DB", "tea", "--corpus", "gould"], "unknown corpus 'gould'; did you mean gold?"),
        (["show", "DB", "tea", "--corpus", "gold", "--system", "parser-q"], "'parser-q'; did you mean parser-a?"),
        (["show", "DB", "tea", "--corpus", "gold", "--permissive"], "do not apply to a database"),
        (["show", GOLD, "tea", "--corpus", "gold"], "a file is one corpus"),
        (["show", GOLD, "tea", "--relations", "full"], "name the other one with --system"),
        (["show", GOLD, "tea", "--system", A, "--enhanced"], "choose one of them"),
        (["show", GOLD, "tea", "-o", "tea.xlsx"], "name a file that ends in .svg, .png, .pdf, .html, .htm or .txt"),
        (["show", GOLD, "tea", "--links", LINKS], "name one with --aligned"),
        (["show", ENGLISH, "rain", "--aligned", GERMAN], "--aligned needs the links between the words: --links FILE"),
        (["show", ENGLISH, "rain", "--aligned", GERMAN, "--system", GERMAN], "choose one of them"),
        (["show", ENGLISH, "rain", "--aligned", GERMAN, "--links", GOLD], "gold.conllu has no links between words"),
        (["show", "DB", "tea", "--corpus", "gold", "--aligned", "parser-a", "--base", "1"], "name it with --links"),
        (["show", "DB", "tea", "--corpus", "gold", "--aligned", "parser-a"], "no alignment was loaded as one of gold"),
        (["show", GOLD], "missing argument 'SENT_ID...'"),
        (["show", "none.conllu", "tea"], "none.conllu: there is no such file"),
        (["show", "none.duckdb", "tea"], "there is no such database"),
        (["show", GOLD, "tea", "-o", "no/such/a.svg"], "name a place that can be written"),
        (["show", str(FIXTURES / "gold.mrg"), "0", "--enhanced"], "has no enhanced dependencies"),
        (["show", GOLD, "tea", "--head-rules", "collins"], "--head-rules is for phrases"),
        (["show", str(FIXTURES / "gold.mrg"), "0", "--head-rules", "colins"], "rules 'colins'; did you mean collins?"),
        (["show", str(FIXTURES / "gold.mrg"), "7"], "name one by its number, '#0' to '#4'"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_clear_message_and_code_2(  # type: ignore[no-untyped-def]
    run,
    db: Path,
    arguments: list[str],
    message: str,
) -> None:
    done = run(*(str(db) if argument == "DB" else argument for argument in arguments))
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_file_without_trees(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:root").replace(b"0\troot", b"_\t_"))
    done = run("show", tmp_path / "a.conllu", "0")
    assert done == (2, "", "sentence '0' of a.conllu has no tree to draw: its words have no heads, "
                           "and no phrases above them\n")  # fmt: skip
