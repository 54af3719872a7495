"""The experiment across treebanks: which files belong together, and numbers counted by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.treebanks.folders import GOLD, PARSED, put, put_folders
from treesql.errors import Diagnostic, Incomparable, UsageError
from treesql.results.result import Result
from treesql.scoring import scores, treebank_inputs
from treesql.treebanks.typology import TypologyMeasures, TypologyTask, correlations, cumulative_variance, measure


@pytest.fixture(scope="module")
def heard() -> list[Diagnostic]:
    """The warnings of `measured`."""
    return []


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, heard: list[Diagnostic]) -> TypologyMeasures:
    return measure(TypologyTask(*put_folders(tmp_path_factory.mktemp("folders")), warn=heard.append))


def test_measures_by_hand(measured: TypologyMeasures, heard: list[Diagnostic]) -> None:
    rows = {row["treebank"]: row for row in measured.measures.rows()}
    assert list(rows) == ["X", "Y", "Z", "macro"]
    assert {row["system"] for row in rows.values()} == {"out"}
    x, y, z, macro = rows.values()
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
    assert (macro["words"], macro["sttr"]) == (None, None)
    assert macro["las"] == pytest.approx((4 / 6 + 3 / 4 + 4 / 5) / 3)
    assert macro["function_recall"] == pytest.approx((1 / 2 + z["function_recall"]) / 2), "Y has none"
    # X alone: det the the a, root sat ran mat, nsubj cat dog
    det = (math.log(3) - 2 / 3 * math.log(2)) / seven
    root, nsubj = math.log(3) / seven, math.log(2) / seven
    assert x["wlas_own"] == pytest.approx((det + nsubj + 2 * root) / (2 * det + 2 * nsubj + 2 * root))
    signatures = measured.measures.signatures
    assert "|weights:averaged wde@" in signatures["out:X:wlas"]
    assert "|weights:wde of X@" in signatures["out:X:wlas_own"]
    assert "|average:macro" in signatures["out:macro:wlas_own"]
    assert "fewer than the 1000" in str(heard[0])
    assert len(measured.files) == 7


@pytest.mark.slow
def test_the_whole_treebank_is_counted_as_stats_does(tmp_path: Path) -> None:
    """Chunks of words go on from file to file in the order of their names."""
    forms = [f"w{at % 7 * at % 501}" for at in range(2500)]
    for name in ("T", "U", "V"):
        for file, first in (("a-test", 0), ("b-dev", 700), ("a/x-train", 1400)):
            sentences = (f"{form}:0:root" for form in forms[first : first + 700])
            put(tmp_path / "gold" / name / f"{file}.conllu", *sentences)
        put(tmp_path / "out" / f"{name}.conllu", *(f"{form}:0:root" for form in forms[:700]))
    rows = measure(TypologyTask(str(tmp_path / "gold"), str(tmp_path / "out"))).measures.rows()
    with treebank_inputs.open_treebanks([str(tmp_path / "gold" / "T")], ["treebank_statistics"]) as connection:
        [expected] = scores.run_statistic(connection, "treebank_statistics").rows()
    assert expected["sttr"] is not None
    assert (rows[0]["words"], rows[0]["sttr"]) == (expected["words"], expected["sttr"])


def test_weights_and_classes_of_the_users_own(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "w").write_text("det 1\nnsubj 0\n")
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\n")
    heard: list[str] = []
    task = TypologyTask(
        *treebank_folders,
        weights=str(tmp_path / "w"),
        classes=str(tmp_path / "c.csv"),
        warn=lambda w: heard.append(str(w)),
    )
    x = measure(task).measures.rows()[0]
    assert x["wlas"] == (1 + 2 * 0.5) / (2 + 2 * 0.5)
    assert (x["content_precision"], x["content_share"], x["function_share"]) == (1 / 2, 3 / 8, 0)
    assert "Z: relations without a weight: case (2), root (2), advmod (1); each of their words counts 0.5" in heard
    assert any(one.startswith("Z: relations that belong to no class: case (2), root (2), advmod (1)") for one in heard)


@pytest.mark.spread(3)
@pytest.mark.parametrize(("punctuation", "las"), [("all", 2 / 3), ("form", 1), ("relation", 1)])
def test_punctuation(punctuation: str, las: float, tmp_path: Path) -> None:
    """The full stop is wrong everywhere; shares count it, whatever is scored."""
    for name in ("T", "U", "V"):
        put(tmp_path / "gold" / f"{name}.conllu", "the:2:det end:0:root .:2:punct")
        put(tmp_path / "out" / f"{name}.conllu", "the:2:det end:0:root .:1:punct")
    for row in (
        measure(TypologyTask(str(tmp_path / "gold"), str(tmp_path / "out"), punctuation=punctuation))
        .of_system("out")
        .rows()
    ):
        assert (row["las"], row["function_share"], row["content_share"]) == pytest.approx((las, 1 / 3, 1 / 3))


def test_fewer_than_three_treebanks(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "out" / "X.p.conllu").unlink()
    with pytest.raises(UsageError, match="needs three of them with an output; here are: Y, Z"):
        measure(TypologyTask(*treebank_folders))


def test_other_texts_are_refused(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "out" / "X.p.conllu", "the:2:det cow:3:nsubj sat:0:root", PARSED["X"][1])
    with pytest.raises(Incomparable, match="`cow` where the gold text has `cat`"):
        measure(TypologyTask(*treebank_folders))


@pytest.mark.thorough
def test_each_weighting_stands_beside_the_others(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "w").write_text("det 1\nnsubj 0\n")
    averaged, own, file = (
        measure(TypologyTask(*treebank_folders, weights=weights)).of_system("out")
        for weights in (None, "own", str(tmp_path / "w"))
    )
    assert [name for name in averaged.columns if name.startswith("wlas")] == ["wlas", "wlas_own"]
    assert [name for name in own.columns if name.startswith("wlas")] == ["wlas", "wlas_averaged"]
    assert [name for name in file.columns if name.startswith("wlas")] == ["wlas", "wlas_averaged", "wlas_own"]
    for row, other, third in zip(averaged.rows(), own.rows(), file.rows(), strict=True):
        assert row["wlas"] == other["wlas_averaged"] == third["wlas_averaged"]
        assert row["wlas_own"] == other["wlas"] == third["wlas_own"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_several_systems(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "both"
    for treebank, sentences in PARSED.items():
        put(folder / f"{treebank}.a.conllu", *sentences)
        put(folder / f"{treebank}.b.conllu", *GOLD[treebank])
    put(folder / "X.c.conllu", *PARSED["X"])
    heard: list[str] = []
    task = TypologyTask(treebank_folders[0], str(folder), warn=lambda one: heard.append(one.what))
    found = measure(task)
    assert [(row["system"], row["treebank"]) for row in found.measures.rows()] == [
        *((system, treebank) for system in "ab" for treebank in "XYZ"), ("a", "macro"), ("b", "macro")
    ]  # fmt: skip
    assert [row["las"] for row in found.of_system("a").rows()] == [4 / 6, 3 / 4, 4 / 5]
    assert [row["las"] for row in found.averages.rows()] == pytest.approx([(4 / 6 + 3 / 4 + 4 / 5) / 3, 1])
    assert [row["treebank"] for row in found.treebanks.rows()] == ["X", "Y", "Z"]
    assert "c parsed 1 of the treebanks" in heard
    with pytest.raises(UsageError, match="three of them with an output of c; here are: X"):
        measure(TypologyTask(treebank_folders[0], str(folder), system=["a", "c"]))
    with pytest.raises(UsageError, match="several systems: a, b; choose one: system='a'"):
        treesql.correlate(treebank_folders[0], folder)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_system_without_some_outputs(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "both"
    for treebank in "XY":
        put(folder / f"{treebank}.b.conllu", *GOLD[treebank])
    for treebank, sentences in PARSED.items():
        put(folder / f"{treebank}.a.conllu", *sentences)
    put(tmp_path / "gold" / "W.conllu", *GOLD["X"])
    put(folder / "W.b.conllu", *GOLD["X"])
    heard: list[str] = []
    task = TypologyTask(treebank_folders[0], str(folder), warn=lambda one: heard.append(one.what))
    assert [row["treebank"] for row in measure(task).of_system("b").rows()] == ["W", "X", "Y"]
    assert {"a has no output for W", "b has no output for Z"} <= set(heard)
    assert measure(TypologyTask(treebank_folders[0], str(folder), system="b")).systems == ["b"]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_averages_are_not_correlated(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    rows = treesql.typology(*treebank_folders, tmp_path / "study")
    found = treesql.correlate(rows, columns="las,uas")
    assert [row["n"] for row in found.rows()] == [3]
    assert found.rows() == treesql.correlate(*treebank_folders, columns="las,uas").rows()


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
    found = cumulative_variance(measures(las=[0.5, 0.5, 0.2], wlas=[0.9, 0.1, 0.7]), "las").rows()  # a and b tie
    assert [row["variance"] for row in found if row["metric"] == "wlas"][:2] == pytest.approx([0, 0.16])


def test_correlations_are_those_of_table_3(measured: TypologyMeasures) -> None:
    rows = correlations(measured, "out").rows()
    assert len(rows) == 9 * 8 / 2, "with wlas_own"
    assert rows[0] == {
        "metric_a": "function_share",
        "metric_b": "content_share",
        "method": "pearson",
        "n": 3,
        "r": pytest.approx(-1),
        "r_low": None,
        "r_high": None,
        "p": pytest.approx(0, abs=1e-6),
        "pairs": 3,
        "same_order": 0,
    }


@pytest.mark.parametrize(
    ("file", "table", "told"),
    [
        (
            "gold.conllu", "grammar_rules",
            "grammar_rules is about constituency trees, and gold.conllu has dependency trees; what applies: the "
            "default table, table='all_checks', table='consistency_checks'",
        ),
        ("gold.conllu", "label_gaps", "label_gaps is about constituency trees.*='gap_degrees'"),
        ("gold.mrg", "tree_shapes", "tree_shapes is about dependency trees, and gold.mrg has constituency trees"),
        ("gold.mrg", "single_relations", "is about dependency trees, and gold.mrg has constituency trees; .*_degrees"),
        ("lattices.plf", "variation_tags", "and lattices.plf has lattices; what applies: the default table"),
        ("links.pharaoh", None, "and links.pharaoh has links between words; name treebanks"),
    ],
)  # fmt: skip
def test_it_is_said_what_does_not_apply_and_what_does(file: str, table: str | None, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        treesql.stats(FIXTURES / file, table=table)


def test_sizes_of_lattices() -> None:
    [row] = treesql.stats(FIXTURES / "lattices.plf").rows()
    assert (row["treebank"], row["lattices"], row["nodes"], row["edges"]) == ("lattices.plf", 3, 15, 25)
    assert (row["largest_lattice"], row["words"], row["types"]) == (13, 24, 22)
    assert row["density"] == pytest.approx(25 / 15)


def test_lattices_without_words_have_sizes(tmp_path: Path) -> None:
    (tmp_path / "l.jsonl").write_text('{"n_nodes": 2, "edges": [[0, 1, []]]}\n')
    [row] = treesql.stats(tmp_path / "l.jsonl").rows()
    assert (row["edges"], row["largest_lattice"], row["words"], row["types"]) == (1, 1, 0, 0)


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_table_without_cases_is_none_that_does_not_apply() -> None:
    assert treesql.stats(FIXTURES / "gold.conllu", table="multiple_roots").rows() == []


def test_queries_of_a_database_without_data_of_their_kind() -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        with pytest.warns(treesql.TreesqlWarning, match="grammar_rules is about constituency trees, and gold has dep"):
            assert db.query("grammar_rules").rows() == []
