"""The experiment across treebanks: which files belong together, and numbers counted by hand."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pyarrow as pa
import pytest

from tests.conftest import conllu
from treesql.errors import Diagnostic, Incomparable, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.evaluation.pairs import Pair, find_pairs
from treesql.reports.typology import write_report
from treesql.results.result import Result
from treesql.scoring import statistics
from treesql.treebanks.typology import TypologyTask, correlations, cumulative_variance, measure

GOLD = {
    "X": ("the:2:det cat:3:nsubj sat:0:root", "a:2:det dog:3:nsubj ran:0:root"),
    "Y": ("kissa:2:nsubj istui:0:root", "koira:2:nsubj juoksi:0:root"),
    "Z": ("on:2:case mat:0:root", "in:2:case box:0:root now:2:advmod"),
}
PARSED = {
    "X": ("the:2:det cat:3:nsubj sat:0:root", "a:3:det dog:3:obj ran:0:root"),
    "Y": ("kissa:2:nsubj istui:0:root", "koira:2:det juoksi:0:root"),
    "Z": ("on:2:case mat:0:root", "in:2:case box:0:root now:1:advmod"),
}


def put(path: Path, *sentences: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = conllu(*sentences)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """Gold treebanks X (two files), Y and Z (a file), and the outputs of `p`."""
    put(tmp_path / "gold" / "X" / "x-dev.conllu", "the:2:det mat:0:root")
    put(tmp_path / "gold" / "X" / "x-test.conllu", *GOLD["X"])
    put(tmp_path / "gold" / "Y" / "y.conllu", *GOLD["Y"])
    put(tmp_path / "gold" / "Z.conllu.gz", *GOLD["Z"])
    put(tmp_path / "out" / "X.p.conllu", *PARSED["X"])
    put(tmp_path / "out" / "Y.conllu.gz", *PARSED["Y"])
    put(tmp_path / "out" / "Z" / "anything.conllu", *PARSED["Z"])
    return str(tmp_path / "gold"), str(tmp_path / "out")


def test_pairs(folders: tuple[str, str]) -> None:
    gold, out = map(Path, folders)
    heard: list[Diagnostic] = []
    assert find_pairs(*folders, warn=heard.append) == [
        Pair("X", (gold / "X/x-dev.conllu", gold / "X/x-test.conllu"), gold / "X/x-test.conllu", out / "X.p.conllu"),
        Pair("Y", (gold / "Y/y.conllu",), gold / "Y/y.conllu", out / "Y.conllu.gz"),
        Pair("Z", (gold / "Z.conllu.gz",), gold / "Z.conllu.gz", out / "Z/anything.conllu"),
    ]
    assert not heard


def test_gold_files_among_outputs(tmp_path: Path) -> None:
    for name in ("A.gold", "A.p", "A.q", "B.gold", "B.q", "C.p"):
        put(tmp_path / f"{name}.conllu", "a:0:root")
    folder = str(tmp_path)
    heard: list[str] = []
    pairs = find_pairs(folder, folder, "q", lambda one: heard.append(one.what))
    assert [(pair.treebank, pair.scored.name, pair.system.name) for pair in pairs] == [
        ("A", "A.gold.conllu", "A.q.conllu"),
        ("B", "B.gold.conllu", "B.q.conllu"),
    ]
    assert not heard
    with pytest.raises(
        UsageError, match=r"several outputs for A: .*A.p.conllu, .*A.q.conllu; choose one: --system p \| q$"
    ):
        find_pairs(folder, folder)
    assert [pair.treebank for pair in find_pairs(folder, folder, "p", lambda one: heard.append(one.what))] == ["A"]
    assert heard == [f"the treebank B has no output in {folder}", f"there is no gold treebank C in {folder}"]
    with pytest.raises(UnknownName, match="unknown system 'r'; known: p, q"):
        find_pairs(folder, folder, "r")


def test_the_gold_file_that_was_parsed(folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "gold" / "Y" / "y2.conllu", *GOLD["Y"])
    with pytest.raises(UsageError, match=r"Y has several gold files \(y.conllu, y2.conllu\), none of which"):
        find_pairs(*folders)
    (tmp_path / "out" / "Y.conllu.gz").unlink()
    put(tmp_path / "out" / "Y" / "y2.conllu", *PARSED["Y"])
    assert find_pairs(*folders)[1].scored.name == "y2.conllu"
    put(tmp_path / "gold" / "X" / "x-test2.conllu", *GOLD["X"])
    with pytest.raises(UsageError, match="X has several gold files"):
        find_pairs(*folders)


def test_folders_that_hold_nothing(folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cases: list[tuple[tuple[str, str], type[TreesqlError], str]] = [
        ((str(tmp_path / "none"), folders[1]), InvalidInput, "there is no such folder"),
        ((folders[0], str(tmp_path / "gold" / "Z.conllu.gz")), InvalidInput, "this is a file"),
        ((str(tmp_path / "empty"), folders[1]), UsageError, "has no treebank"),
    ]
    for (gold, out), kind, message in cases:
        with pytest.raises(kind, match=message):
            find_pairs(gold, out)
    put(tmp_path / "gold" / "X.conllu", "a:0:root")
    with pytest.raises(UsageError, match="several gold treebanks are called X"):
        find_pairs(*folders)


def test_measures_by_hand(folders: tuple[str, str]) -> None:
    heard: list[Diagnostic] = []
    measured = measure(TypologyTask(*folders, warn=heard.append))
    rows = {row["treebank"]: row for row in measured.measures.rows()}
    assert list(rows) == ["X", "Y", "Z"]
    x, y, z = rows.values()
    assert (x["words"], x["sttr"], x["function_share"], x["content_share"]) == (8, None, 3 / 8, 5 / 8)  # dev and test
    assert (x["uas"], x["las"], y["uas"], y["las"], z["las"]) == (5 / 6, 4 / 6, 1, 3 / 4, 4 / 5)
    assert (x["content_precision"], x["content_recall"]) == (3 / 4, 3 / 4)
    assert (x["function_precision"], x["function_recall"]) == (1 / 2, 1 / 2)
    assert (y["content_precision"], y["content_recall"], y["function_precision"], y["function_recall"]) == (
        1,
        3 / 4,
        0,
        None,
    )
    # X: the the a of 7 forms are det, sat ran mat root, cat dog nsubj; Y: 4 forms; Z: 5 forms
    seven, four, five = math.log(7), math.log(4), math.log(5)
    det = ((math.log(3) - 2 / 3 * math.log(2)) / seven + 0.5 + 0.5) / 3
    root = (math.log(3) / seven + math.log(2) / four + math.log(2) / five) / 3
    nsubj = (math.log(2) / seven + math.log(2) / four + 0.5) / 3
    assert x["wlas"] == pytest.approx((det + nsubj + 2 * root) / (2 * det + 2 * nsubj + 2 * root))
    assert y["wlas"] == pytest.approx((nsubj + 2 * root) / (2 * nsubj + 2 * root))
    assert "fewer than the 1000" in str(heard[0])
    assert len(measured.files) == 7


def test_the_whole_treebank_is_counted_as_stats_does(tmp_path: Path) -> None:
    """Chunks of words go on from file to file in the order of their names."""
    forms = [f"w{at % 7 * at % 501}" for at in range(2500)]
    for name in ("T", "U", "V"):
        for file, first in (("a-test", 0), ("b-dev", 700), ("a/x-train", 1400)):
            sentences = (f"{form}:0:root" for form in forms[first : first + 700])
            put(tmp_path / "gold" / name / f"{file}.conllu", *sentences)
        put(tmp_path / "out" / f"{name}.conllu", *(f"{form}:0:root" for form in forms[:700]))
    rows = measure(TypologyTask(str(tmp_path / "gold"), str(tmp_path / "out"))).measures.rows()
    with statistics.open_treebanks([str(tmp_path / "gold" / "T")], ["treebank_statistics"]) as connection:
        [expected] = statistics.statistic(connection, "treebank_statistics").rows()
    assert expected["sttr"] is not None
    assert (rows[0]["words"], rows[0]["sttr"]) == (expected["words"], expected["sttr"])


def test_weights_and_classes_of_the_users_own(folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "w").write_text("det 1\nnsubj 0\n")
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\n")
    heard: list[str] = []
    task = TypologyTask(
        *folders, weights=str(tmp_path / "w"), classes=str(tmp_path / "c.csv"), warn=lambda w: heard.append(str(w))
    )
    x = measure(task).measures.rows()[0]
    assert x["wlas"] == (1 + 2 * 0.5) / (2 + 2 * 0.5)
    assert (x["content_precision"], x["content_share"], x["function_share"]) == (1 / 2, 3 / 8, 0)
    assert "Z: relations without a weight: case (2), root (2), advmod (1); each of their words counts 0.5" in heard
    assert any(one.startswith("Z: relations that belong to no class: case (2), root (2), advmod (1)") for one in heard)


def test_fewer_than_three_treebanks(folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "out" / "X.p.conllu").unlink()
    with pytest.raises(UsageError, match="needs three of them with an output; here are: Y, Z"):
        measure(TypologyTask(*folders))


def test_other_words_are_refused(folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "out" / "X.p.conllu", "the:2:det cow:3:nsubj sat:0:root", PARSED["X"][1])
    with pytest.raises(Incomparable, match="word 2 is `cow`, in the gold sentence `cat`"):
        measure(TypologyTask(*folders))


def measures(**columns: list[float | None]) -> Result:
    names = [chr(ord("a") + at) for at in range(len(columns["las"]))]
    nothing: list[float | None] = [None] * len(names)
    scores = ("las", "wlas", "content_precision", "content_recall")
    values = {score: pa.array(columns.get(score, nothing), pa.float64()) for score in scores}
    return Result(pa.table({"treebank": names, **values}))


def test_cumulative_variance_by_hand() -> None:
    found = cumulative_variance(measures(las=[0.2, 0.8, 0.5], wlas=[0.9, None, 0.7])).rows()
    las = [row for row in found if row["metric"] == "las"]
    assert [(row["k"], row["treebank"], row["score"]) for row in las] == [(1, "b", 0.8), (2, "c", 0.5), (3, "a", 0.2)]
    assert [row["variance"] for row in las] == pytest.approx([0, 0.15**2, 0.06])
    wlas = [row for row in found if row["metric"] == "wlas"]
    assert [(row["k"], row["treebank"]) for row in wlas] == [(1, "a"), (2, "c")]
    assert {row["metric"] for row in found} == {"las", "wlas"}


def test_cumulative_variance_in_the_order_of_one_score() -> None:
    found = cumulative_variance(measures(las=[0.2, 0.8, 0.5], wlas=[0.9, 0.1, 0.7]), "las").rows()
    assert [row["treebank"] for row in found] == ["b", "c", "a", "b", "c", "a"]
    assert [row["variance"] for row in found if row["metric"] == "wlas"][:2] == pytest.approx([0, 0.09])


@pytest.mark.slow
def test_a_report_is_whole_and_the_same_again(folders: tuple[str, str], tmp_path: Path) -> None:
    heard: list[Diagnostic] = []
    found = write_report(TypologyTask(*folders, warn=heard.append), tmp_path / "one")
    write_report(TypologyTask(*folders), tmp_path / "two")
    names = {path.name for path in (tmp_path / "one").iterdir()}
    tables = {"table1", "figure2", "measures", "table3", "figure3", "figure4", "figure5"}
    drawn = tables - {"table1", "measures"}
    assert names == {f"{n}.{e}" for n in tables for e in ("csv", "parquet")} | {f"{n}.svg" for n in drawn} | {
        "report.html"
    }
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    assert [row["las"] for row in found.rows()] == [4 / 6, 3 / 4, 4 / 5]
    page = (tmp_path / "one" / "report.html").read_text()
    for text in ("Averaged word dependency entropy", "66.67%", "las|match:order", "x-test.conllu", "treesql 0"):
        assert text in page
    with pytest.raises(UsageError, match="exists and is not empty"):
        write_report(TypologyTask(*folders), tmp_path / "one")


def test_nothing_is_left_of_a_report_that_fails(folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "out" / "X.p.conllu", "other:0:root")
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(Incomparable):
        write_report(TypologyTask(*folders), tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_correlations_are_those_of_table_3(folders: tuple[str, str]) -> None:
    rows = correlations(measure(TypologyTask(*folders))).rows()
    assert len(rows) == 8 * 7 / 2
    assert rows[0] == {
        "metric_a": "function_share",
        "metric_b": "content_share",
        "n": 3,
        "r": pytest.approx(-1),
        "p": pytest.approx(0, abs=1e-6),
    }
