"""Tables that compare a system with the first one: n-grams that one has right, and sentences whose chrF differs."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

import treesql
from tests.reports.pages import check_page

REFERENCE = "the cat sat on the mat\na dog barks\n"
FIRST = "the cat sat on a mat\na dog bites\n"
SECOND = "cat sat the the the mat\na dog barks\n"


def written(folder: Path, **texts: str) -> dict[str, str]:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    return {name: str(folder / f"{name}.txt") for name in texts}


def test_n_grams_by_hand(tmp_path: Path) -> None:
    files = written(tmp_path, r=REFERENCE, a=FIRST, b=SECOND)
    how = {"reference": files["r"], "systems": {"a": files["a"], "b": files["b"]}, "table": "n_gram_differences"}
    rows = treesql.score("translation", longest_n_gram=2, **how).rows()
    # the reference has `the` twice, so that the third one of b is wrong, as is the first `the the`
    assert [tuple(row.values()) for row in rows] == [
        ("b", 2, "dog barks", 0, 1, 1, pytest.approx(2 / 3)),
        ("b", 2, "sat on", 1, 0, -1, pytest.approx(1 / 3)),
        ("b", 2, "the cat", 1, 0, -1, pytest.approx(1 / 3)),
        ("b", 2, "the mat", 0, 1, 1, pytest.approx(2 / 3)),
        ("b", 1, "barks", 0, 1, 1, pytest.approx(2 / 3)),
        ("b", 1, "on", 1, 0, -1, pytest.approx(1 / 3)),
        ("b", 1, "the", 1, 2, 1, pytest.approx(3 / 5)),
    ]
    sharp = treesql.score("translation", longest_n_gram=1, n_gram_smoothing=0.5, limit=2, **how).rows()
    assert [(row["n_gram"], row["matched_share"]) for row in sharp] == [
        ("barks", pytest.approx(1.5 / 2)), ("on", pytest.approx(0.5 / 2)),
    ]  # fmt: skip


def matched(lines: list[list[str]], references: list[list[str]]) -> Counter[str]:
    """Occurrences of n-grams of up to four words that the reference of their sentence has, too, each of these once."""
    total: Counter[str] = Counter()
    for line, reference in zip(lines, references, strict=True):
        for n in range(1, 5):
            of_line, of_reference = (
                Counter(" ".join(words[at : at + n]) for at in range(len(words) - n + 1)) for words in (line, reference)
            )
            total += of_line & of_reference
    return total


def test_n_grams_of_random_texts(tmp_path: Path) -> None:
    draw = random.Random(7)
    texts = {name: [[draw.choice("abc") for _ in range(draw.randint(1, 7))] for _ in range(9)] for name in "rab"}
    files = written(tmp_path, **{name: "".join(f"{' '.join(line)}\n" for line in text) for name, text in texts.items()})
    result = treesql.score("translation", files["a"], files["b"], reference=files["r"], table="n_gram_differences")
    first, second = (matched(texts[name], texts["r"]) for name in "ab")
    assert {
        row["n_gram"]: (row["baseline_matches"], row["matches"], row["matched_share"]) for row in result.rows()
    } == {
        name: (first[name], second[name], pytest.approx((second[name] + 1) / (first[name] + second[name] + 2)))
        for name in first | second
        if first[name] != second[name]
    }
    distances = [round(abs(row["matched_share"] - 0.5), 9) for row in result.rows()]
    assert distances == sorted(distances, reverse=True)
    assert "|baseline:a.txt@" in result.signature


def test_sentences(tmp_path: Path) -> None:
    files = written(tmp_path, r=REFERENCE, a=FIRST, b=SECOND, s="the cat sat on a mat\na dog barked\n")
    how = {"reference": [files["r"], files["s"]], "systems": {"a": files["a"], "b": files["b"]}}
    scores = {
        (row["system"], row["sentence"]): row["chrf"]
        for row in treesql.score("translation", metric="chrf", by="sentence", **how).rows()
    }
    rows = treesql.score("translation", table="translation_differences", **how).rows()
    assert {(row["system"], row["sentence"]): (row["baseline_chrf"], row["chrf"]) for row in rows} == {
        ("b", at): (pytest.approx(scores["a", at]), pytest.approx(scores["b", at])) for at in (0, 1)
    }
    assert all(row["difference"] == row["chrf"] - row["baseline_chrf"] for row in rows)
    assert [abs(row["difference"]) for row in rows] == sorted((abs(row["difference"]) for row in rows), reverse=True)
    lines = {row["sentence"]: (row["reference_line"], row["baseline_line"], row["system_line"]) for row in rows}
    assert lines[1] == ("a dog barks", "a dog bites", "a dog barks")


def test_sentences_that_correspond_by_id(tmp_path: Path) -> None:
    files = written(
        tmp_path, r="x the cat\ny a dog\nz birds\n", a="z birds\nx a cat\ny dogs\n", b="y a dog\nz bird\nx the cat\n"
    )
    how = {"reference": files["r"], "systems": {"a": files["a"], "b": files["b"]}, "ids": "first"}
    rows = treesql.score("translation", table="translation_differences", **how).rows()
    assert {row["sent_id"]: (row["reference_line"], row["baseline_line"], row["system_line"]) for row in rows} == {
        "x": ("the cat", "a cat", "the cat"), "y": ("a dog", "dogs", "a dog"), "z": ("birds", "birds", "bird"),
    }  # fmt: skip


@pytest.mark.slow
def test_in_sql_and_in_a_database(tmp_path: Path) -> None:
    files = written(tmp_path, r=REFERENCE, a=FIRST, b=SECOND)
    with treesql.connect() as db:
        for name, path in files.items():
            db.load(path, corpus=name)
        by_sql = db.sql("SELECT n_gram FROM n_gram_differences('b', 'r', 'a') ORDER BY n_gram").rows()
        scored = db.score("translation", reference="r", systems=["a", "b"], table="n_gram_differences").rows()
    assert [row["n_gram"] for row in by_sql] == sorted(row["n_gram"] for row in scored)


def test_what_is_refused(tmp_path: Path) -> None:
    files = written(tmp_path, r=REFERENCE, a="one line\n", b=SECOND)
    with pytest.raises(treesql.UsageError, match="n_gram_differences compares systems with the first one; name two"):
        treesql.score("translation", files["b"], reference=files["r"], table="n_gram_differences")
    with pytest.raises(treesql.Incomparable, match=r"the last hypothesis of a\.txt number 1"):
        treesql.score("translation", files["a"], files["b"], reference=files["r"], table="n_gram_differences")


def test_reports_have_them_in_both_directions_and_name_references(tmp_path: Path) -> None:
    third = "birds sing in the morning\n"
    files = written(
        tmp_path, r=REFERENCE + third, s="x\na dog bites\nx\n", a=FIRST + third, b=SECOND + "oh yes birds sing\n"
    )
    how = {"reference": [files["r"], files["s"]], "systems": {"a": files["a"], "b": files["b"]}, "seed": 1}
    with pytest.warns(treesql.TreesqlWarning, match="sentences"):
        report = treesql.report("translation", **how)
    page = check_page(report.html)
    scored = treesql.score("translation", table="n_gram_differences", **{**how, "seed": None})
    assert report.tables["n_gram_differences"].arrow().equals(scored.arrow())
    by_sign = {sign: [row["n_gram"] for row in scored.rows() if row["difference"] * sign > 0][:10] for sign in (1, -1)}
    shown = [[row[1] for row in table.rows] for table in page.tables if table.heads[:2] == ["n-gram order", "n-gram"]]
    assert shown == [by_sign[1], by_sign[-1]]
    [worse] = [table for table in page.tables if "chrf of a" in table.heads]  # a is better in no sentence
    assert worse.rows[0][worse.heads.index("text")].endswith("b: oh yes birds sing")
    shown_beside = re.findall(r"<figcaption>(.): [^<]*; against (..txt)", report.html)
    assert set(shown_beside) == {("a", "r.txt"), ("b", "s.txt"), ("b", "r.txt")}
    # insertions have no word of a reference: the third `the`, and three words beside `x`, which r lacks
    left_out = [row["count"] for row in report.tables["buckets"].rows() if row["value"] == "(none)"]
    assert left_out == [0, 0, 1, 1]
    notes = re.findall(r"Not drawn: ([^<]*)\.", report.html)
    assert notes == ["what has no value (1 reference words)", "extra words"]
    assert "(none)" not in report.html
    with pytest.warns(treesql.TreesqlWarning, match="only 2 sentences"):
        report = treesql.report("translation", systems=files["a"], reference=files["r"], seed=1, where="sentence < 2")
    assert "n_gram_differences" not in report.tables
