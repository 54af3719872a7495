"""A kind of evaluation that is declared by files alone: CONTRIBUTING's "Add a kind of evaluation", tried."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import treesql
from tests.conftest import ROOT
from treesql import catalog
from treesql.catalog import header, kinds
from treesql.cli import group

KIND = '''
doc = """
Score tags, a row per SYSTEM: the share of words with the gold part of speech.

GOLD and SYSTEM have the same words.
"""

[[roles]]
name = "gold"
side = "gold"
reads = "dependency"
doc = "the gold tags"

[[roles]]
name = "system"
side = "system"
reads = "dependency"
doc = "the system's tags"
'''

METRIC = """
-- tag_accuracy: whether words have the gold tag; one row per word.
-- kind: metric
-- parameter gold_corpus TEXT: corpus of the gold tags
-- parameter system_corpus TEXT: corpus of the system's tags
-- parameter tags TEXT(upos|xpos) = upos: which tags are compared
-- column sentence INTEGER: the sentence
-- column word INTEGER: position in the sentence
-- count words BIGINT: 1 for every word
-- column right_tag BIGINT: 1 if the tag is right
-- score tag_accuracy_share percent higher = sum(right_tag) / nullif(sum(words), 0): share of right tags
-- source: Brants 2000, TnT: a statistical part-of-speech tagger
SELECT g.sentence, g.word, CAST(1 AS BIGINT) AS words,
       CAST(CASE WHEN ($tags = 'upos' AND g.upos = s.upos) OR ($tags = 'xpos' AND g.xpos = s.xpos) THEN 1 ELSE 0 END
            AS BIGINT) AS right_tag
FROM words AS g
JOIN words AS s ON s.sentence = g.sentence AND s.word = g.word
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus
"""

GOLD = "1\tdogs\tdog\tNOUN\tNN\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


def forget() -> None:
    catalog.clear_cache()
    kinds.clear_cache()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Gold, right and wrong tags, in a copy of queries/ with a further kind."""
    queries = tmp_path / "queries"
    shutil.copytree(ROOT / "queries", queries)
    (queries / "toy_tags").mkdir()
    (queries / "toy_tags" / "kind.toml").write_text(KIND)
    (queries / "toy_tags" / "tag_accuracy.sql").write_text(METRIC.lstrip())
    folder = header.folder
    monkeypatch.setattr(header, "folder", lambda name: queries if name == "queries" else folder(name))
    forget()
    (tmp_path / "gold.conllu").write_text(GOLD * 3)
    (tmp_path / "right.conllu").write_text(GOLD * 3)
    (tmp_path / "wrong.conllu").write_text(GOLD * 2 + GOLD.replace("VERB", "NOUN"))
    yield tmp_path
    forget()


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 0, result.output
    return result


def files(toy: Path) -> list[str]:
    return [str(toy / f"{name}.conllu") for name in ("gold", "right", "wrong")]


def test_nothing_contradicts_its_queries(toy: Path) -> None:
    assert kinds.find_contradictions(kinds.kind("toy_tags")) == []


def test_score(toy: Path) -> None:
    heads, *rows = csv.reader(run("score", "toy_tags", *files(toy), "--format", "csv").stdout.splitlines())
    assert heads == ["system", "words", "tag_accuracy_share"]
    assert [(name, int(words), float(share)) for name, words, share in rows] == [
        ("right.conllu", 6, 1.0),
        ("wrong.conllu", 6, 5 / 6),
    ]


def test_by_a_column_of_the_gold_words(toy: Path) -> None:
    gold, _, wrong = files(toy)
    found = treesql.score("toy_tags", gold=gold, systems=[wrong], by="upos").rows()
    assert [(row["upos"], row["words"], row["tag_accuracy_share"]) for row in found] == [
        ("NOUN", 3, 1.0),
        ("VERB", 3, 2 / 3),
    ]


def test_intervals(toy: Path) -> None:
    gold, _, wrong = files(toy)
    with pytest.warns(treesql.TreesqlWarning, match="only 3 sentences"):
        [row] = treesql.score("toy_tags", gold=gold, systems=[wrong], ci=True).rows()
    assert row["tag_accuracy_share_low"] <= row["tag_accuracy_share"] <= row["tag_accuracy_share_high"]


def test_a_parameter_of_the_metric_is_an_option(toy: Path) -> None:
    found = run("score", "toy_tags", *files(toy), "--tags", "xpos", "--format", "json", "--signature").output
    assert found.count('"tag_accuracy_share":1.0') == 2
    assert "tags:xpos" in found


def test_compare(toy: Path) -> None:
    gold, right, wrong = files(toy)
    with pytest.warns(treesql.TreesqlWarning):
        found = treesql.compare("toy_tags", gold=gold, systems=[right, wrong], metric="tag_accuracy_share")
    [row] = found.rows()
    assert (row["metric"], row["difference"]) == ("tag_accuracy_share", pytest.approx(1 / 6))
    assert "--tags [upos|xpos]" in run("compare", "toy_tags", "--help").stdout


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_report(toy: Path) -> None:
    gold, right, wrong = files(toy)
    made = treesql.report("toy_tags", gold=gold, systems=[right, wrong])
    assert "right scores better than wrong by 16.67 points" in made.html
    assert "Where they differ" not in made.html
    assert {row["metric"] for row in made.tables["sentences"].rows()} == {"tag_accuracy_share"}


REPORT = """
[report]
score = "tag_accuracy.tag_accuracy_share"
drawing = "trees"

[report.buckets]
"Tag" = "upos"
"""


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_report_with_buckets_and_drawings_that_are_declared(toy: Path) -> None:
    file = header.folder("queries") / "toy_tags" / kinds.FILE
    file.write_text(KIND + REPORT)
    kinds.clear_cache()
    assert kinds.find_contradictions(kinds.kind("toy_tags")) == []
    gold, right, wrong = files(toy)
    made = treesql.report("toy_tags", gold=gold, systems=[right, wrong])
    found = {(row["value"], row["system"]): row["score"] for row in made.tables["buckets"].rows()}
    assert found == {
        ("NOUN", "right"): 1.0, ("NOUN", "wrong"): 1.0, ("VERB", "right"): 1.0,
        ("VERB", "wrong"): 2 / 3,
    }  # fmt: skip
    assert "above: gold.conllu, below: ●\u00a0right, ■\u00a0wrong" in made.html


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("tag_accuracy.", "tag_acuracy.", "tag_acuracy of its report is no metric"),
        ('drawing = "trees"', 'drawing = "tree"', "sentences of a report are not drawn as tree"),
        ('"upos"', '"gender/2"', "gender of its report is no column of the items of tag_accuracy"),
    ],
)
def test_a_report_that_contradicts_the_queries(toy: Path, before: str, after: str, fault: str) -> None:
    (header.folder("queries") / "toy_tags" / kinds.FILE).write_text(KIND + REPORT.replace(before, after))
    kinds.clear_cache()
    assert any(fault in found for found in kinds.find_contradictions(kinds.kind("toy_tags")))


def test_help(toy: Path) -> None:
    text = run("score", "toy_tags", "--help").stdout
    assert "GOLD SYSTEM..." in text
    assert "Which tags are compared. [default: upos]" in " ".join(text.split())
    assert "toy_tags" in run("score", "--help").stdout


def test_from_a_database(toy: Path) -> None:
    with treesql.connect() as db:
        for name in ("gold", "right", "wrong"):
            db.load(toy / f"{name}.conllu", corpus=name)
        found = db.score("toy_tags", gold="gold", systems=["right", "wrong"])
        assert [row["tag_accuracy_share"] for row in found.rows()] == [1.0, 5 / 6]
        assert db.score("tag_accuracy", gold_corpus="gold", system_corpus="wrong").rows() == [
            {"words": 6, "tag_accuracy_share": 5 / 6}
        ]


def test_the_pages_have_it(toy: Path) -> None:
    [query] = treesql.queries("tag_accuracy")
    assert "tag_accuracy_share" in query.markdown
