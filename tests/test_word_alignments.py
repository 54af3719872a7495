"""Word alignments and parallel treebanks: scores, bounds, base and direction, symmetrisation, files written."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from treesql.cli import main
from treesql.errors import Diagnostic, Incomparable, InvalidInput, TreesqlWarning, UnknownName, UsageError
from treesql.evaluation import parallel_treebanks
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.parallel_treebanks import ParallelTreebank
from treesql.evaluation.task import Alignments, Task
from treesql.readers import Notation

LINKS, LINKS_A = str(FIXTURES / "links.pharaoh"), str(FIXTURES / "links-a.pharaoh")
GOLD, PARSER_A, PARSER_B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))


def score(gold: str, *systems: str, **how: Any) -> list[dict[str, Any]]:
    return evaluate(Task(("agreement",), gold, systems, kind="alignment", **how)).rows()


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command; returns its exit code, what it printed, and what it told."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


# ---------------------------------------------------------------- scores


def test_scores_by_hand(tmp_path: Path) -> None:
    """S = {1-1, 2-2, 3-3}, P = S and {1-2, 4-4}, A = {1-1, 2-2, 4-4, 5-5}: |A and S| = 2, |A and P| = 3."""
    gold = written(tmp_path / "gold", "0-0 0p1 1-1\n2-2 3p3\n")
    [row] = score(gold, written(tmp_path / "system", "0-0 1-1\n3-3 4-4\n"))
    assert row == {
        "system": "system",
        "proposed": 4,
        "sure": 3,
        "possible": 5,
        "precision": 3 / 4,
        "recall": 2 / 3,
        "aer": 1 - 5 / 7,
        "sure_precision": 2 / 4,
        "sure_recall": 2 / 3,
        "sure_f1": 4 / 7,
        "possible_precision": 3 / 4,
        "possible_recall": 3 / 5,
        "possible_f1": 6 / 9,
    }


@pytest.mark.parametrize(
    ("gold", "system", "precision", "recall", "aer"),
    [
        ("0-0 1-1\n", "0-0 1-1\n", 1, 1, 0),
        ("0-0 1p1\n", "0-0 1-1\n", 1, 1, 0),
        ("0-0\n", "1-1\n", 0, 0, 1),
        ("0-0\n", "\n", None, 0, 1),
        ("0p0\n", "0-0\n", 1, None, 0),
        ("\n", "0-0\n", 0, None, 1),
        ("\n", "\n", None, None, None),
    ],
    ids=["same", "possible", "nothing in common", "empty system", "nothing sure", "empty gold", "both empty"],
)
def test_edges(tmp_path: Path, gold: str, system: str, precision: float, recall: float, aer: float) -> None:
    [row] = score(written(tmp_path / "gold", gold), written(tmp_path / "system", system))
    assert (row["precision"], row["recall"], row["aer"]) == (precision, recall, aer)


def test_letters_of_a_system_are_ignored(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "0-0 1-1\n")
    systems = [written(tmp_path / name, text) for name, text in (("a", "0-0 1p1\n"), ("b", "0-0 1-1\n"))]
    one, other = score(gold, *systems)
    assert {**one, "system": "b"} == other


def test_groups_and_conditions() -> None:
    rows = score(LINKS, LINKS_A, by="sentence")
    assert [(row["sentence"], row["proposed"], row["sure"], row["possible"]) for row in rows] == [
        (0, 5, 5, 6), (1, 1, 0, 0), (2, 5, 4, 5), (3, 2, 2, 2), (4, 2, 1, 2),
    ]  # fmt: skip
    assert rows[1]["aer"] == 1
    [row] = score(LINKS, LINKS_A, where="source = 1")
    assert (row["proposed"], row["sure"]) == (6, 3)
    [whole] = score(LINKS, LINKS_A)
    [row] = score(LINKS, LINKS_A, where="proposed = 1")  # leaves out the 3 sure links that are missed, of 12
    assert (row["sure"], row["recall"], row["precision"]) == (9, 1, whole["precision"])
    assert row["aer"] == 1 - (9 + 10) / (15 + 9) < whole["aer"] == 1 - (9 + 10) / (15 + 12)
    [row] = score(LINKS, LINKS_A, where="sure = 1")
    assert (row["proposed"], row["precision"], row["recall"]) == (9, 1, whole["recall"])
    with pytest.raises(UnknownName, match="column to group by"):
        score(LINKS, LINKS_A, by="colour")


def test_a_database_gives_what_files_give(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    with treesql.connect(path) as db:
        db.load(GOLD, corpus="text")
        db.load(LINKS, corpus="gold", source_corpus="text", target_corpus="text")
        db.load(LINKS_A, corpus="links-a.pharaoh")
        assert db.score("agreement", gold_corpus="gold", system_corpus="links-a.pharaoh").rows()[0]["proposed"] == 15
    for by in (None, "sentence", "source"):
        assert score("gold", "links-a.pharaoh", database=path, by=by) == score(LINKS, LINKS_A, by=by)
    bounded = score("gold", "links-a.pharaoh", database=path, alignments=Alignments(source="text", target="text"))
    assert bounded == score(LINKS, LINKS_A)
    with pytest.raises(UnknownName, match="corpus 'golden'; did you mean gold"):
        score("golden", "links-a.pharaoh", database=path)
    with pytest.raises(UnknownName, match="corpus 'nobody'"):
        score("gold", "nobody", database=path)
    with pytest.raises(UnknownName, match="corpus 'txt'"):
        score("gold", "links-a.pharaoh", database=path, alignments=Alignments(source="txt"))
    with pytest.raises(UsageError, match="text has dependency trees, and these scores compare links between words"):
        score("gold", "text", database=path)
    with pytest.raises(UsageError, match="gold has links between words, and these scores compare dependency trees"):
        evaluate(Task(("attachment",), "text", ["gold"], database=path))
    with pytest.raises(UsageError, match="agreement is not a metric of the kind dependency"):
        evaluate(Task(("agreement",), "gold", ["gold"], database=path))


# ---------------------------------------------------------------- sentences, bounds, base and direction


def test_different_numbers_of_sentences(tmp_path: Path) -> None:
    two, three = written(tmp_path / "two", "0-0\n0-0\n"), written(tmp_path / "three", "0-0\n0-0\n0-0\n")
    with pytest.raises(Incomparable, match="three:3: gold sentence 3 has no line in two, which has 2 of 3 sentences"):
        score(three, two)
    told: list[Diagnostic] = []
    with pytest.raises(Incomparable, match="three:3: sentence 3 of three is not among the 2 gold sentences"):
        score(two, three, warn=told.append)
    assert told == []
    wpt = written(tmp_path / "two.wpt", "1 1 1\n2 1 1\n")
    assert [row["recall"] for row in score(three, wpt)] == [2 / 3]
    assert [row["precision"] for row in score(wpt, three, warn=told.append)] == [2 / 3]
    assert [warning.what for warning in told] == ["links of sentences behind the last gold one, 2: 1"]


GIZA = "# Sentence pair (1) source length 1 target length 1 alignment score : 0.1\na\nNULL ({ }) b ({ 1 })\n"
EMPTY_LINE, EMPTY_BRACKETS = "sentence without links is an empty line", "words are followed by nothing but ({ })"


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("one.pharaoh", "0-0\n", EMPTY_LINE),
        ("one.talp", "1-1\n", EMPTY_LINE),
        ("one.A3.final", GIZA, EMPTY_BRACKETS),
    ],
)
def test_each_format_has_its_own_sentences_without_links(
    name: str, text: str, hint: str, db: treesql.Database, tmp_path: Path
) -> None:
    two, one = written(tmp_path / "two.pharaoh", "0-0\n\n"), written(tmp_path / name, text)
    with pytest.raises(Incomparable) as caught:
        score(two, one)
    assert hint in str(caught.value)
    trees = written(tmp_path / "trees.conllu", conllu("a:0:root", "a:0:root").decode())
    for corpus, path in (("two", two), ("one", one), ("trees", trees)):
        db.load(path, corpus=corpus)
    with pytest.raises(Incomparable) as caught:
        db.query("symmetrised", forward_corpus="two", backward_corpus="one")
    assert hint in str(caught.value)
    with pytest.raises(Incomparable) as caught:
        db.score("path_disparities", reference_corpus="trees", hypothesis_corpus="trees", alignment_corpus="one")
    assert ("an empty one where nothing" if hint == EMPTY_LINE else hint) in str(caught.value)


def texts(folder: Path, source: str, target: str) -> Alignments:
    return Alignments(source=written(folder / "source.txt", source), target=written(folder / "target.txt", target))


def test_links_outside_of_their_sentences(tmp_path: Path) -> None:
    how = texts(tmp_path, "a b\nc\n", "x\ny z\n")
    gold = written(tmp_path / "gold", "0-0 1-0\n0-1\n")
    assert score(gold, gold, alignments=how)[0]["aer"] == 0
    with pytest.raises(InvalidInput) as caught:
        score(gold, written(tmp_path / "wrong", "0-0 1-0\n0-1 0-2 3-0\n"), alignments=how)
    assert [(fault.line, fault.what) for fault in caught.value.faults] == [
        (0, "links outside of their sentences: 2 of 5"),
        (2, "a link of target word 3, in a sentence of 2"),
        (2, "a link of source word 4, in a sentence of 1"),
    ]
    short = Alignments(source=written(tmp_path / "short.txt", "a b\n"))
    with pytest.raises(InvalidInput, match="2 sentences, where the source text has 1; give the text that was aligned"):
        score(gold, gold, alignments=short)


@pytest.mark.parametrize(
    ("links", "how", "hint"),
    [
        ("0-0 0-1\n1-0\n", {}, "with --reverse it would be none"),
        ("1-1 2-1\n1-2\n", {}, "with --base 1 it would be none"),
        ("1-1 1-2\n2-1\n", {}, "with --reverse and with --base 1 it would be none"),
        ("0-0 1-0\n0-1\n", {"reverse": True}, "without --reverse it would be none"),
    ],
)
def test_a_wrong_base_or_direction(tmp_path: Path, links: str, how: dict[str, Any], hint: str) -> None:
    given = texts(tmp_path, "a b\nc\n", "x\ny z\n")
    gold = written(tmp_path / "gold", "0-0 1-0\n0-1\n")
    system = written(tmp_path / "system", links)
    with pytest.raises(InvalidInput, match=hint):
        score(gold, system, alignments=Alignments(Notation(**how), source=given.source, target=given.target))
    wrong = Alignments(gold_notation=Notation(**how), source=given.source, target=given.target)
    with pytest.raises(InvalidInput, match=hint.replace("--", "--gold-")):
        score(system, gold, alignments=wrong)


def test_links_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "".join(f"{i}-{i + 2}\n" for i in range(40)))
    turned = written(tmp_path / "turned", "".join(f"{i + 2}-{i}\n" for i in range(40)))
    told: list[Diagnostic] = []
    assert score(gold, turned, warn=told.append)[0]["aer"] == 1
    assert [w.what for w in told] == ["0 of the first 40 links are those of gold; with --reverse it would be 40"]
    told.clear()
    assert score(gold, turned, warn=told.append, alignments=Alignments(Notation(reverse=True)))[0]["aer"] == 0
    assert told == []


@pytest.mark.parametrize(
    ("gold_shift", "shift", "turned", "hint"),
    [
        (1, 0, False, "with --gold-base 1"),
        (1, 0, True, "with --reverse and with --gold-base 1"),
        (0, 1, False, "with --base 1 --gold-base 0"),
        (0, 1, True, "with --reverse and with --base 1 --gold-base 0"),
    ],
)
def test_a_wrong_base_of_either_file_is_doubted(
    gold_shift: int, shift: int, turned: bool, hint: str, output: Any, tmp_path: Path
) -> None:
    """What is told to say gives the better score."""
    pairs = [(i + 3, 2 * i + 1) for i in range(40)]
    gold = written(tmp_path / "gold", "".join(f"{i + gold_shift}-{j + gold_shift}\n" for i, j in pairs))
    sides = [(j, i) if turned else (i, j) for i, j in pairs]
    system = written(tmp_path / "system", "".join(f"{i + shift}-{j + shift}\n" for i, j in sides))
    told: list[Diagnostic] = []
    assert score(gold, system, warn=told.append)[0]["aer"] == 1
    assert [one.what for one in told] == [f"0 of the first 40 links are those of gold; {hint} it would be 40"]
    said = hint.replace("with ", "").replace(" and", "").split()
    _, out, err = output("score", "alignment", gold, system, *said, "--format", "csv")
    assert (next(csv.DictReader(io.StringIO(out)))["aer"], err) == ("0", "")


def test_the_base_is_that_of_both_files_of_one_format(tmp_path: Path) -> None:
    one, zero = written(tmp_path / "one", "1-1\n"), written(tmp_path / "zero", "0-0\n")
    wpt = written(tmp_path / "gold.wpt", "1 1 1\n")
    assert score(one, one, alignments=Alignments(Notation(base=1)))[0]["aer"] == 0
    assert score(wpt, zero, alignments=Alignments(Notation(base=0)))[0]["aer"] == 0
    how = Alignments(Notation(base=1), Notation(base=0))
    assert score(zero, one, alignments=how)[0]["aer"] == 0
    with pytest.raises(InvalidInput, match=r"zero:1: a link of word 0, `0-0`; .* give --gold-base 0"):
        score(zero, one, alignments=Alignments(Notation(base=1)))


def test_loading_looks_at_the_corpora_that_are_linked(db: treesql.Database, tmp_path: Path) -> None:
    db.load(GOLD, corpus="text")
    with pytest.raises(UnknownName, match="corpus 'txt'; did you mean text"):
        db.load(LINKS, corpus="links", source_corpus="txt")
    far = written(tmp_path / "far.pharaoh", "6-0\n\n9-0\n\n\n")
    with pytest.raises(InvalidInput, match="links outside of their sentences: 1 of 2"):
        db.load(far, corpus="far", source_corpus="text")
    assert db.corpora == ["text"]
    assert db.sql("SELECT count(*) AS n FROM alignments").rows() == [{"n": 0}]
    [loaded] = db.load(LINKS, corpus="links", source_corpus="text", target_corpus="text")
    assert (loaded.n_sentences, loaded.n_words, loaded.n_links) == (5, 0, 15)
    sql = """
        SELECT s.form AS source, t.form AS target FROM alignments AS a
        JOIN words AS s ON s.corpus = a.source_corpus AND s.sentence = a.sentence AND s.word = a.source
        JOIN words AS t ON t.corpus = a.target_corpus AND t.sentence = a.sentence AND t.word = a.target
        WHERE a.corpus = 'links' AND a.sentence = 2 AND a.target = 4
    """
    assert db.sql(sql).rows() == [{"source": "is", "target": "scheduled"}]
    with pytest.raises(UsageError, match="conllu files have no links"):
        db.load(GOLD, corpus="again", base=1)
    db.drop("links")
    assert db.sql("SELECT count(*) AS n FROM alignments").rows() == [{"n": 0}]


# ---------------------------------------------------------------- writing, symmetrising


def test_alignments_come_back(db: treesql.Database, tmp_path: Path) -> None:
    db.load(LINKS, corpus="links")
    assert db.export(tmp_path / "out.pharaoh", corpus="links") == [tmp_path / "out.pharaoh"]
    assert (tmp_path / "out.pharaoh").read_text().splitlines()[2] == "0-0 1-1 2p2 2-3 4-4"
    db.export(tmp_path / "out.wpt", corpus="links")
    assert (tmp_path / "out.wpt").read_text().splitlines()[-2:] == ["5 1 1 P", "5 2 2 S"]
    db.load(tmp_path / "out.pharaoh", corpus="pharaoh")
    db.load(tmp_path / "out.wpt", corpus="wpt")
    sql = "SELECT sentence, source, target, sure FROM alignments WHERE corpus = $name ORDER BY ALL"
    assert db.sql(sql, {"name": "links"}).rows() == db.sql(sql, {"name": "pharaoh"}).rows()
    assert db.sql(sql, {"name": "links"}).rows() == db.sql(sql, {"name": "wpt"}).rows()
    with pytest.raises(UsageError, match="'links' has links between words, conllu is for dependency trees"):
        db.export(tmp_path / "out.conllu", corpus="links")


def test_null_links_and_confidences_are_written(db: treesql.Database, tmp_path: Path) -> None:
    text = "1 0 2 S\n1 1 1 P 0.25\n3 2 1 S -0.001\n"
    with pytest.warns(TreesqlWarning, match="1 confidence is below 0 or above 1; they are kept as they are"):
        db.load(written(tmp_path / "in.wpt", text), corpus="links", null_links=True)
    db.export(tmp_path / "out.wpt", corpus="links")
    assert (tmp_path / "out.wpt").read_text() == text
    with pytest.raises(InvalidInput, match="a null link, 0 2; write the corpus as WPT"):
        db.export(tmp_path / "out.pharaoh", corpus="links")


def test_an_alignment_without_links_comes_back(db: treesql.Database, tmp_path: Path) -> None:
    db.load(written(tmp_path / "in.pharaoh", "\n\n"), corpus="empty")
    db.export(tmp_path / "out.wpt", corpus="empty")
    assert (tmp_path / "out.wpt").read_bytes() == b""
    db.export(tmp_path / "data", corpus="empty")
    with treesql.connect() as other:
        assert [one.n_sentences for one in other.load(tmp_path / "data")] == [2]


def test_symmetrised_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    db.load(written(tmp_path / "forward.pharaoh", "0-1 1-2 4-0\n\n"), corpus="forward")
    db.load(written(tmp_path / "backward.pharaoh", "0-1 1-1 4-5\n2-2\n"), corpus="backward")
    expected = {
        "intersection": [(0, 1, 2)],
        "union": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (0, 5, 6), (1, 3, 3)],
        "grow-diag": [(0, 1, 2), (0, 2, 2), (0, 2, 3)],
        "grow-diag-final": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (0, 5, 6), (1, 3, 3)],
        "grow-diag-final-and": [(0, 1, 2), (0, 2, 2), (0, 2, 3), (0, 5, 1), (1, 3, 3)],
    }
    for method, links in expected.items():
        found = db.query("symmetrised", forward_corpus="forward", backward_corpus="backward", method=method)
        assert [tuple(row.values()) for row in found.rows()] == links
    found = db.sql("SELECT count(*) AS n FROM symmetrised('forward', 'backward', method := 'union')")
    assert found.rows() == [{"n": 6}]
    with pytest.raises(UsageError, match="method cannot be 'grow'"):
        db.query("symmetrised", forward_corpus="forward", backward_corpus="backward", method="grow")


# ---------------------------------------------------------------- parallel treebanks


def test_parallel_score_by_hand(tmp_path: Path) -> None:
    """UAS 2/3 without the full stop (3/4 with it), 1/2, and AER 1/3."""
    (tmp_path / "a.gold.conllu").write_bytes(conllu("the:2:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "a.conllu").write_bytes(conllu("the:3:det cat:3:nsubj sat:0:root .:3:punct"))
    (tmp_path / "b.gold.conllu").write_bytes(conllu("die:2:det Katze:0:root"))
    (tmp_path / "b.conllu").write_bytes(conllu("die:2:det Katze:1:root".replace("1:root", "0:root")))
    links = written(tmp_path / "gold.pharaoh", "0-0 1-1\n"), written(tmp_path / "links.pharaoh", "0-0\n")
    gold = ParallelTreebank(str(tmp_path / "a.gold.conllu"), str(tmp_path / "b.gold.conllu"), links[0])
    system = ParallelTreebank(str(tmp_path / "a.conllu"), str(tmp_path / "b.conllu"), links[1])

    def pts(**parameters: object) -> dict[str, Any]:
        [row] = parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": system}, parameters)).rows()
        return row

    found = pts()
    assert found == {"system": "one", "uas_a": 2 / 3, "uas_b": 1.0, "aer": 1 - 2 / 3, "pts": pytest.approx(7 / 9)}
    assert list(found) == ["system", "uas_a", "uas_b", "aer", "pts"]
    assert pts(punctuation="all")["uas_a"] == 3 / 4
    assert pts(weight_a=2, weight_b=0, weight_links=1)["pts"] == pytest.approx(2 / 3)
    with pytest.raises(UsageError, match="all weights are 0"):
        pts(weight_a=0, weight_b=0, weight_links=0)
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match=r"weight_b is .*; a weight is a number, 0 or more"):
            pts(weight_b=wrong)
    with pytest.raises(UsageError, match="has links between words, and gold_a_corpus is for dependency trees"):
        parallel_treebanks.evaluate(
            parallel_treebanks.ParallelTask(ParallelTreebank(links[1], gold.b, links[0]), {"one": system})
        )
    far = ParallelTreebank(system.a, system.b, written(tmp_path / "far.pharaoh", "0-2\n"))
    with pytest.raises(InvalidInput, match="links outside of their sentences: 1 of 1"):
        parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": far}))


def test_a_condition_with_a_query_reads_what_it_needs() -> None:
    """The relations of the words are read by no score of parallel treebanks of all words."""
    gold, system = ParallelTreebank(GOLD, GOLD, LINKS), ParallelTreebank(PARSER_A, PARSER_A, LINKS_A)
    with_obl = "sentence IN (SELECT w.sentence FROM words AS w WHERE w.DEPREL = 'obl')"
    given = {"parameters": {"punctuation": "all"}, "by": "sentence"}
    found = parallel_treebanks.evaluate(
        parallel_treebanks.ParallelTask(gold, {"one": system}, where=with_obl, **given)
    ).rows()
    whole = parallel_treebanks.evaluate(parallel_treebanks.ParallelTask(gold, {"one": system}, **given)).rows()
    with treesql.connect() as db:
        for corpus in (GOLD, PARSER_A):
            db.load(corpus, corpus=corpus)
        chosen = {row["sentence"] for row in db.sql("SELECT sentence FROM words WHERE deprel = 'obl'").rows()}
    assert chosen
    assert [row for row in found if row["uas_a"] is not None] == [row for row in whole if row["sentence"] in chosen]


def test_loaded_alignments_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    """They cannot be read in another way; what is wrong with them is told."""
    links = {"gold": [(at, at + 2) for at in range(40)], "turned": [(at + 2, at) for at in range(40)]}
    path = str(tmp_path / "links.duckdb")
    with treesql.connect(path) as db:
        for name, pairs in links.items():
            text = "".join(f"{source}-{target}\n" for source, target in pairs)
            db.load(written(tmp_path / f"{name}.pharaoh", text), corpus=name)
        shifted = "".join(f"{source + 1}-{target + 1}\n" for source, target in links["gold"])
        db.load(written(tmp_path / "shifted.pharaoh", shifted), corpus="shifted")
    told: list[Diagnostic] = []
    score("gold", "turned", "shifted", database=path, warn=told.append)
    assert [one.what for one in told] == [
        "0 of the first 40 links are those of gold; turned round it would be 40",
        "0 of the first 40 links are those of gold; with every position one lower it would be 40",
    ]


def test_conditions_that_choose_little_or_nothing_are_told(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold", "0-0 1-1\n" * 60)
    told: list[Diagnostic] = []
    score(gold, written(tmp_path / "system", "0-0 1-0\n" * 60), ci=True, where="sentence < 59", warn=told.append)
    assert told == []
    score(gold, written(tmp_path / "system", "0-0 1-0\n" * 60), ci=True, where="sentence < 49", warn=told.append)
    assert [one.what.split(",")[0] for one in told] == ["only 49 sentences of 60 have what is scored"]
    told.clear()
    score(gold, written(tmp_path / "system", "0-0\n" * 60), where="sentence > 99", warn=told.append)
    assert [one.what for one in told] == ["no item meets the condition"]


def test_links_of_parallel_treebanks_that_agree_better_otherwise_are_doubted(tmp_path: Path) -> None:
    """All links are within the sentences, either way round."""
    trees = tmp_path / "trees.conllu"
    trees.write_bytes(conllu(" ".join(f"w{at}:{at}:dep" for at in range(41))))
    gold = written(tmp_path / "gold.pharaoh", " ".join(f"{at}-{at + 1}" for at in range(40)) + "\n")
    turned = written(tmp_path / "turned.pharaoh", " ".join(f"{at + 1}-{at}" for at in range(40)) + "\n")
    systems = {
        "one": ParallelTreebank(str(trees), str(trees), turned),
        "two": ParallelTreebank(str(trees), str(trees), turned),
    }
    told: list[Diagnostic] = []
    task = parallel_treebanks.ParallelTask(ParallelTreebank(str(trees), str(trees), gold), systems, warn=told.append)
    assert [row["aer"] for row in parallel_treebanks.evaluate(task).rows()] == [1, 1]
    assert [one.what for one in told] == [
        "0 of the first 40 links are those of gold.pharaoh; with --reverse it would be 40"
    ]


# ---------------------------------------------------------------- commands


def test_the_command_that_scores_alignments(output: Any, tmp_path: Path) -> None:
    code, out, err = output("score", "alignment", LINKS, LINKS, LINKS_A, "--format", "csv", "--source", GOLD)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0])[:7] == ["system", "proposed", "sure", "possible", "precision", "recall", "aer"]
    assert [(row["system"], row["proposed"]) for row in rows] == [("links.pharaoh", "15"), ("links-a.pharaoh", "15")]
    code, _, err = output("score", "alignment", LINKS, LINKS_A, "--base", "2")
    assert code == 2
    assert "'2' is not one of '0', '1'" in err
    code, _, err = output("score", "alignment", LINKS, written(tmp_path / "empty.pharaoh", ""))
    assert (code, err.split("empty.pharaoh: ")[1].split(";")[0]) == (2, "the file is empty")
    code, _, err = output("score", "alignment", LINKS, GOLD)
    assert (code, "conllu files have no links" in err or "dependency trees" in err) == (2, True)


def test_a_file_that_is_gold_and_system_is_told_of_once(output: Any, tmp_path: Path) -> None:
    null = written(tmp_path / "null.wpt", "1 1 1\n1 0 1\n")
    twice = written(tmp_path / "twice.wpt", "1 1 1\n1 1 1\n")
    trees = written(tmp_path / "trees.conllu", conllu("a:0:root b:0:foo").decode())
    for arguments, told in (
        (("score", "alignment", null, null), ["1 null link is left out"]),
        (("score", "alignment", null, twice, null), ["1 null link is left out", "1 link is repeated"]),
        (("score", "dependency", trees, trees), ["1 sentence with several roots", "relations that belong to no class"]),
        (("score", "parallel", trees, trees, trees, trees, null, null),
         ["1 sentence with several roots", "1 null link is left out"]),
        (("align", "symmetrise", null, null), ["1 null link is left out"]),
    ):  # fmt: skip
        code, _, err = output(*arguments)
        assert code == 0
        assert [one for one in told if err.count(one) != 1] == []
        assert err.count("warning: ") == len(told)


def test_the_command_that_scores_parallel_treebanks(output: Any) -> None:
    files = (GOLD, PARSER_A, GOLD, PARSER_B, LINKS, LINKS_A)
    code, out, err = output("score", "parallel", *files, "--format", "csv", "--weight-links", "0")
    assert (code, err) == (0, "")
    [row] = csv.DictReader(io.StringIO(out))
    assert list(row) == ["system", "uas_a", "uas_b", "aer", "pts"]
    assert row["system"] == "parser-a.conllu + parser-b.conllu + links-a.pharaoh"
    assert float(row["pts"]) == pytest.approx((float(row["uas_a"]) + float(row["uas_b"])) / 2)


def test_the_command_that_symmetrises(output: Any, tmp_path: Path) -> None:
    forward, backward = written(tmp_path / "f", "0-1 1-2\n"), written(tmp_path / "b", "1-0 1-1\n")
    code, out, err = output("align", "symmetrise", forward, backward, "--reverse", "--method", "union")
    assert (code, out, err) == (0, "0-1 1-1 1-2\n", "")
    to = str(tmp_path / "out.wpt")
    code, out, _ = output("align", "symmetrise", forward, backward, "--reverse", "-o", to)
    assert (code, out) == (0, f"{to}: 3 links\n")
    assert Path(to).read_text() == "1 1 2 S\n1 2 2 S\n1 2 3 S\n"
    code, _, err = output(
        "align", "symmetrise", forward, written(tmp_path / "c", "0-0\n0-0\n"), "-o", str(tmp_path / "x")
    )
    assert code == 2
    assert "sentence 2 of the backward alignment has no counterpart in the forward alignment" in err
    for name, what in (("x.talp", "links are written as pharaoh or wpt, not as talp"), ("x.wa.gz", "compressed")):
        code, _, err = output("align", "symmetrise", forward, backward, "--reverse", "-o", str(tmp_path / name))
        assert (code, what in err, (tmp_path / name).exists()) == (2, True, False)
    assert not (tmp_path / "x").exists()


def test_loading_alignments_by_command(output: Any, tmp_path: Path) -> None:
    db = str(tmp_path / "a.duckdb")
    assert output("load", db, GOLD, "--corpus", "text")[0] == 0
    code, out, _ = output("load", db, LINKS, "--corpus", "l", "--source-corpus", "text", "--target-corpus", "text")
    assert (code, out) == (0, "l: 5 sentences, 15 links\n")
    code, _, err = output("load", db, LINKS, "--corpus", "r", "--base", "1")
    assert (code, "a link of word 0, `0-0`" in err) == (2, True)
    assert output("check", LINKS, "--reverse")[0] == 0


def test_an_empty_alignment_is_written(db: treesql.Database, tmp_path: Path) -> None:
    """One of Parquet's, and of WPT's: a system that proposes nothing."""
    with pytest.warns(TreesqlWarning, match="the file is empty"):
        db.load(written(tmp_path / "in.wpt", ""), corpus="links")
    for name in ("out.wpt", "out.pharaoh"):
        db.export(tmp_path / name, corpus="links")
        assert (tmp_path / name).read_bytes() == b""
    db.export(tmp_path / "data", corpus="links")
    with treesql.connect() as other:
        assert [one.n_sentences for one in other.load(tmp_path / "data")] == [0]
