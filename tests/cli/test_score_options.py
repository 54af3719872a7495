"""The options of `treesql score dependency` that choose what is printed, what weighs and what is grouped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import GOLD, A, B
from tests.conftest import FIXTURES, Run, conllu
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds

CONLL18 = [
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX",
]  # fmt: skip


def rows(done: Run) -> list[dict[str, Any]]:
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, list)
    return found


@pytest.fixture
def score(run):  # type: ignore[no-untyped-def]
    """Run `treesql score dependency` and print JSON."""
    return lambda *arguments: run("score", "dependency", *arguments, "--format", "json")


def test_values_that_cannot_be_name_the_option(run) -> None:  # type: ignore[no-untyped-def]
    links = (str(FIXTURES / "links.pharaoh"), str(FIXTURES / "links-a.pharaoh"))
    step = run("score", "alignment", *links, "--table", "threshold_curve", "--threshold-step", "2")
    assert (step.code, step.err) == (2, "--threshold-step is 2; it is 0, or a number from 0.0001 to 1\n")
    texts = (str(FIXTURES / "hypotheses.txt"), str(FIXTURES / "lattices-2.txt"), "-r", str(FIXTURES / "lattices.txt"))
    longest = run("score", "translation", *texts, "--table", "n_gram_differences", "--longest-n-gram", "x")
    assert (longest.code, longest.err) == (2, "--longest-n-gram of n_gram_differences is a number, not 'x'\n")


@pytest.fixture
def other_words(tmp_path: Path) -> tuple[str, str]:
    """Gold and system with the same text in other words: 3 gold words, 2 of the system, one that both have."""
    (tmp_path / "gold.conllu").write_bytes(conllu("ab:0:root c:1:obj d:1:punct"))
    (tmp_path / "system.conllu").write_bytes(conllu("ab:0:root cd:1:obj"))
    return str(tmp_path / "gold.conllu"), str(tmp_path / "system.conllu")


def test_conll18(score) -> None:  # type: ignore[no-untyped-def]
    found = rows(score(GOLD, A, "--conll18"))
    assert [row["metric"] for row in found] == CONLL18
    assert list(found[0])[:6] == ["system", "metric", "precision", "recall", "f1", "aligned_accuracy"]
    by_metric = {row["metric"]: row for row in found}
    uas, las = by_metric["UAS"], by_metric["LAS"]
    assert [uas[field] for field in ("precision", "recall", "f1", "aligned_accuracy")] == [25 / 30] * 4
    assert [las[field] for field in ("correct", "gold_total", "system_total", "aligned_total")] == [24, 30, 30, 30]
    for name in ("Tokens", "Sentences", "Words"):
        assert (by_metric[name]["f1"], by_metric[name]["aligned_accuracy"]) == (1, None)


def test_conll18_of_other_words_and_systems(score, other_words: tuple[str, str]) -> None:  # type: ignore[no-untyped-def]
    gold, system = other_words
    found = {row["metric"]: row for row in rows(score(gold, system, "--conll18"))}
    assert [found["Words"][field] for field in ("precision", "recall", "f1")] == [1 / 2, 1 / 3, 2 / 5]
    assert [found["LAS"][field] for field in ("f1", "aligned_accuracy")] == [2 / 5, 1]
    several = rows(score(GOLD, A, B, "--conll18"))
    assert [row["system"] for row in several] == ["parser-a.conllu"] * 13 + ["parser-b.conllu"] * 13


def test_conll18_on_the_screen(run) -> None:  # type: ignore[no-untyped-def]
    done = run("score", "dependency", GOLD, A, "--conll18")
    [line] = [line.split() for line in done.out.splitlines() if " UAS " in line]
    assert line[:6] == ["parser-a.conllu", "UAS", "83.33%", "83.33%", "83.33%", "83.33%"]
    assert done.err == ""


def test_enhanced(score) -> None:  # type: ignore[no-untyped-def]
    found = rows(score(GOLD, GOLD, "--conll18", "--enhanced"))
    assert [row["metric"] for row in found] == [*CONLL18, "ELAS", "EULAS"]
    assert [(row["f1"], row["aligned_accuracy"]) for row in found[-2:]] == [(1, None)] * 2
    edges = found[-1]["gold_total"]
    assert 0 < edges < 30, "those from an empty node are left out"
    [row] = rows(score(GOLD, A, "--enhanced"))
    assert (row["uas"], row["exact_match"], row["elas"], row["eulas"]) == (25 / 30, 1 / 5, 0, 0)
    assert rows(score(GOLD, A, "--with", "enhanced")) == [row]
    assert "elas" not in rows(score(GOLD, A))[0]


def test_enhanced_where_words_differ(score, other_words: tuple[str, str]) -> None:  # type: ignore[no-untyped-def]
    [row] = rows(score(*other_words, "--enhanced"))
    assert {"uas_precision", "elas", "eulas"} <= set(row)


def offered(run) -> list[str]:  # type: ignore[no-untyped-def]
    """The names of tables in the help."""
    told = re.search(
        r"Print a table instead: (.*?)\.\s+--", " ".join(run("score", "dependency", "--help", "--all").out.split())
    )
    assert told
    return re.findall(r"\w+", told[1].replace(" or ", " "))


@pytest.mark.slow
def test_every_table_of_the_help(run, score) -> None:  # type: ignore[no-untyped-def]
    names = offered(run)
    assert len(names) == len(set(names)) >= 8
    of_other_words = kinds.kind("dependency").of_other_words
    for name in names:
        found = rows(score(GOLD, A, "--table", name))
        shown = [one.name for one in catalog.query(name).columns if f"{name}.{one.name}" not in of_other_words]
        assert list(found[0]) == ["system", *shown], name
        assert {row["system"] for row in found} == {"parser-a.conllu"}


def test_the_help_lists_every_table(run) -> None:  # type: ignore[no-untyped-def]
    tables = {q.name for q in catalog.all_queries().values() if q.kind == "statistic" and q.family == "dependency"}
    comparing = {name for name in tables if catalog.query(name).reference_corpus == "gold_corpus"}
    assert set(offered(run)) == comparing


def test_tables_take_the_options_of_words(score) -> None:  # type: ignore[no-untyped-def]
    full = rows(score(GOLD, A, "--table", "relation_agreement", "--relations", "full", "--punctuation", "form"))
    relations = {row["relation"]: row for row in full}
    assert "nsubj:pass" in relations
    assert "punct" not in relations


def test_errors_come_with_most_errors_first(score) -> None:  # type: ignore[no-untyped-def]
    found = rows(score(GOLD, A, "--errors"))
    order = [(-row["sentence_errors"], row["sentence"], row["word"]) for row in found]
    assert order == sorted(order)
    assert [row["sentence_errors"] for row in found] == [3, 3, 3, 1, 1, 1]
    assert [(row["sentence"], row["word"]) for row in found[:3]] == [(3, 4), (3, 5), (3, 6)]
    without = rows(score(GOLD, B, "--errors", "--punctuation", "form"))
    assert len(without) == len(rows(score(GOLD, B, "--errors"))) - 1


def test_metric(score) -> None:  # type: ignore[no-untyped-def]
    [row] = rows(score(GOLD, A, "--metric", "tagging", "--metric", "segmentation"))
    assert (row["upos_f1"], row["tokens_f1"], row["sentences_f1"]) == (1, 1, 1)
    assert "uas" not in row
    [named] = rows(score(GOLD, A, "--metric", "uas,uas_recall"))
    assert named == {"system": "parser-a.conllu", "uas": 25 / 30, "uas_recall": 25 / 30}


def test_scores_and_counts_are_chosen_by_name(score) -> None:  # type: ignore[no-untyped-def]
    [row] = rows(score(GOLD, A, "--metric", "las,words", "--metric", "wlas"))
    assert list(row) == ["system", "las", "words", "wlas"]
    assert (row["las"], row["words"]) == (24 / 30, 30)


def test_systems_are_named(score) -> None:  # type: ignore[no-untyped-def]
    found = rows(score(GOLD, "--system", f"one={A}", "--system", f"two={B}", "--metric", "las"))
    assert [(row["system"], row["las"]) for row in found] == [("one", 24 / 30), ("two", 27 / 30)]


def test_weights(score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Everything weighs nothing but det, which parser-a has right."""
    names = ("nsubj", "root", "case", "obl", "punct", "aux", "advmod", "nmod", "obj", "cc", "conj", "orphan", "cop")
    names += ("discourse", "parataxis")
    (tmp_path / "w.csv").write_text("relation,weight\ndet,2\n" + "".join(f"{name},0\n" for name in names))
    scores = ("--metric", "wlas,uas")
    [row] = rows(score(GOLD, A, *scores, "--weights", tmp_path / "w.csv"))
    [usual] = rows(score(GOLD, A, *scores))
    assert (row["wlas"], row["uas"]) == (1, usual["uas"])
    assert usual["wlas"] < 1
    (tmp_path / "one.conllu").write_bytes(conllu("a:2:det b:3:nsubj c:0:root"))
    [both] = rows(score(GOLD, A, *scores, "--weights", GOLD, "--weights", tmp_path / "one.conllu"))
    assert both["wlas"] not in (row["wlas"], usual["wlas"])
    [one] = rows(score(GOLD, A, *scores, "--weights", GOLD))
    assert one["wlas"] == pytest.approx(usual["wlas"])


def test_classes(score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\nobl,function\n")
    done = score(GOLD, A, "--metric", "content_recall,function_recall", "--classes", tmp_path / "c.csv")
    [row] = rows(done)
    assert (row["content_recall"], row["function_recall"]) == (1, 1 / 2)
    line, other = done.err.splitlines()
    assert line.startswith("warning: gold.conllu: relations that belong to no class: ")
    assert other.startswith("warning: parser-a.conllu: relations that belong to no class: ")
    assert "punct (5)" in line
    assert "det (4)" not in line


@pytest.mark.parametrize("by", ["Number", "feats.Number"])
def test_by_a_feature(score, by: str) -> None:  # type: ignore[no-untyped-def]
    found = rows(score(GOLD, A, "--metric", "words", "--by", by))
    assert [(row[by], row["words"]) for row in found] == [("Sing", 10), (None, 20)]


@pytest.mark.slow
def test_standard_input_with_other_words(other_words: tuple[str, str]) -> None:
    """It is read once, whatever the scores turn out to be."""
    gold, system = other_words
    command = [sys.executable, "-m", "treesql", "score", "dependency", "--format", "json"]
    for arguments, text in (([gold, "-"], system), (["-", system], gold)):
        done = subprocess.run(
            [*command, *arguments], input=Path(text).read_text(), capture_output=True, text=True, check=True
        )
        [row] = json.loads(done.stdout)
        assert (row["uas"], row["uas_precision"], row["uas_recall"]) == (2 / 5, 1 / 2, 1 / 3)
        assert row["system"] == ("stdin" if arguments[1] == "-" else "system.conllu")
        assert done.stderr.count("are aligned by their characters") == 1


def test_other_words_are_told_on_standard_error(run, other_words: tuple[str, str]) -> None:  # type: ignore[no-untyped-def]
    done = run("score", "dependency", *other_words, "--signature")
    assert done.code == 0
    assert [line for line in done.err.splitlines() if "aligned by their characters" in line] == [
        "warning: gold.conllu: its words are not those of every system, and are aligned by their characters; "
        "uas, las, la and wlas are F1, with precision and recall in further columns"
    ]
    assert re.search(r",uas,.*\|punctuation:all\|relations:universal\|gold:gold.conllu@", done.out, re.MULTILINE)


@in_turn(
    ("options", "message"),
    [
        (["--conll18", "--table", "upos_accuracy"], "each choose the output"),
        (["--conll18", "--errors"], "each choose the output"),
        (["--errors", "--metric", "attachment"], "each choose the output"),
        (["--table", "upos_accuracy", "--metric", "attachment"], "each choose the output"),
        (["--enhanced", "--errors"], "--with enhanced adds to the default scores, and attachment_errors is a table"),
        (["--enhanced", "--metric", "attachment"], "--with adds to the default metrics, --metric replaces them"),
        (["--conll18", "--by", "upos"], "--by, --where and --ci are for scores"),
        (["--errors", "--where", "word = 1"], "--by, --where and --ci are for scores"),
        (["--table", "upos_acuracy"], "did you mean upos_accuracy"),
        (["--table", "attachment"], "unknown table of the kind dependency 'attachment'"),
        (["--metric", "upos_accuracy"], "upos_accuracy"),
        (["--metric", "atachment"], "did you mean attachment"),
        (["--metric", "attachment.lass"], "unknown score of attachment 'lass'; did you mean las"),
        (["--metric", "las", "--weights", "W"], "--weights does not apply to attachment"),
        (["--metric", "word_pairs"], "word_pairs is a relation and has no scores"),
        (["--by", "Nmber"], "did you mean Number"),
        (["--weights", "W", "--weights", GOLD], "name one table of weights, or treebanks"),
        (["--weights", "no/such.csv"], "no/such.csv: "),
        (["--classes", "no/such.csv"], "no/such.csv: "),
        (["--classes", "W"], "begin with the header `relation,class`"),
        (["--match", "sent_ids"], "invalid value for '--match'"),
    ],
)
def test_bad_options_are_one_line_and_code_2(
    run,  # type: ignore[no-untyped-def]
    tmp_path: Path,
    options: list[str],
    message: str,
) -> None:
    (tmp_path / "w.csv").write_text("relation,weight\nnsubj,1\n")
    done = run("score", "dependency", GOLD, A, *(str(tmp_path / "w.csv") if one == "W" else one for one in options))
    assert (done.code, done.out) == (2, "")
    *usage, last = done.err.strip().splitlines()
    assert message in done.err.replace("\n", " ")
    assert all("w.csv:" in line for line in usage), last


@pytest.mark.slow
def test_differing_texts_are_refused_with_their_place(run, other_words: tuple[str, str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    gold, _ = other_words
    (tmp_path / "other.conllu").write_bytes(conllu("ab:0:root c:1:obj x:1:punct"))
    path = tmp_path / "other.conllu"
    for options in ([], ["--conll18"], ["--enhanced"], ["--metric", "tagging"]):
        done = run("score", "dependency", gold, path, *options)
        assert (done.code, done.out) == (2, "")
        *warnings, line = done.err.splitlines()
        assert len(warnings) == 2 * (options == ["--enhanced"])
        assert all("no enhanced dependencies" in one for one in warnings)
        assert line.startswith(f"{path}:3: the texts part here: `x` where the gold text has `d` ({gold}:3); ")


def test_several_roots_are_refused_if_asked(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "gold.conllu").write_bytes(conllu("a:0:root b:1:x"))
    (tmp_path / "roots.conllu").write_bytes(conllu("a:0:root b:0:root"))
    done = run("score", "dependency", tmp_path / "gold.conllu", tmp_path / "roots.conllu", "--strict", "--conll18")
    assert (done.code, done.out) == (2, "")
    [line] = done.err.splitlines()
    assert line.startswith(f"{tmp_path / 'roots.conllu'}:1: 2 roots")
