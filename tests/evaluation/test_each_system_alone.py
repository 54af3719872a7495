"""Several systems, some with other words than the gold ones: each is scored as if it were the only one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql

RANGE = "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
WORDS = [
    "1\tOn\ton\tPRON\t_\t_\t2\tnsubj\t_\t_\n", "2\tparle\tparler\tVERB\t_\t_\t0\troot\t_\t_\n", RANGE,
    "3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_\n", "4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_\n",
    "5\tsujet\tsujet\tNOUN\t_\t_\t2\tobl\t_\t_\n",
]  # fmt: skip
TREES = {
    "gold": "".join(WORDS),
    "bare": "".join(WORDS).replace(RANGE, "").replace("obl", "obj"),  # gold words, without the multiword token
    "split": "".join(WORDS[:5])
    + "5\tsu\tsu\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No\n6\tjet\tjet\tX\t_\t_\t5\tdep\t_\t_\n",
}
"""LAS of bare: 4 of 5 words. Of split: 2 right edges of 5 gold words and 6 of its own, F1 2 * 2 / 11."""

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    found = {name: folder / f"{name}.conllu" for name in TREES}
    for name, path in found.items():
        path.write_text(f"{TREES[name]}\n", "utf-8")
    return found


def values(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By system, what its rows have."""
    return {
        row["system"].partition(".")[0]: {
            name: one for name, one in row.items() if one is not None and name != "system"
        }
        for row in rows
    }


@cache
def scored_alone(gold: Path, system: Path, **how: Any) -> list[dict[str, Any]]:
    return treesql.score("dependency", gold=gold, systems=system, **how).rows()


@pytest.mark.spread(3)
@pytest.mark.parametrize("order", [["bare", "split"], ["split", "bare"]])
@pytest.mark.parametrize("how", [{"metric": "attachment"}, {}, {"metric": "las", "ci": True}], ids=str)
def test_systems_together_have_the_scores_of_each_alone(
    files: dict[str, Path], order: list[str], how: dict[str, Any]
) -> None:
    together = treesql.score("dependency", gold=files["gold"], systems=[files[name] for name in order], **how).rows()
    assert list(values(together)) == order
    for name in order:
        alone = scored_alone(files["gold"], files[name], **how)
        assert values(together)[name] == values(alone)[name]
    assert values(together)["bare"]["las"] == 0.8
    assert values(together)["split"]["las"] == pytest.approx(4 / 11)


@pytest.mark.slow
def test_systems_of_a_database_compared_and_in_tables(files: dict[str, Path]) -> None:
    with treesql.connect() as db:
        for name, path in files.items():
            db.load(path, corpus=name)
        rows = db.score("dependency", gold="gold", systems=["bare", "split"], metric="las").rows()
        assert [row["las"] for row in rows] == [0.8, pytest.approx(4 / 11)]
        compared = db.compare("dependency", gold="gold", systems=["bare", "split"], metric="las,uas,wlas", ci=False)
        assert [row["score_a"] for row in compared.rows()][:2] == [0.8, 1]
        errors = db.score("dependency", gold="gold", systems=["bare", "split"], errors=True).rows()
        assert [(row["system"], row["form"]) for row in errors if row["system"] == "bare"] == [("bare", "sujet")]


@pytest.fixture(scope="module")
def folders(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Treebanks xx and yy; in yy, both systems are the gold trees."""
    folder = tmp_path_factory.mktemp("folders")
    for name, path in files.items():
        (folder / name).mkdir()
        (folder / name / "xx.conllu").write_bytes(path.read_bytes())
        (folder / name / "yy.conllu").write_bytes(files["gold"].read_bytes())
    return {name: folder / name for name in files}


def test_systems_of_folders(folders: dict[str, Path]) -> None:
    how: dict[str, Any] = {"gold": folders["gold"], "metric": "attachment"}
    together = treesql.score("dependency", systems=[folders["split"], folders["bare"]], **how).rows()
    assert [(row["treebank"], row["system"]) for row in together] == [
        *((treebank, system) for treebank in ("xx", "yy") for system in ("split", "bare")),
        *((system_average, system) for system in ("split", "bare") for system_average in ("macro", "micro")),
    ]
    for system in ("split", "bare"):
        alone = treesql.score("dependency", systems=folders[system], **how).rows()
        ours = [row for row in together if row["system"] == system]
        assert [{name: row[name] for name in alone[0]} for row in ours] == alone


@pytest.mark.slow
def test_a_report_and_wlas(files: dict[str, Path], tmp_path: Path) -> None:
    """wlas of a system with the gold words is the correct share of the gold weight, also beside others.

    All weights are 1 but those of case and det, 1/2. Of bare 3 of 4 are right: obl is not. Of split nsubj and root are
    right, of 4 of the gold trees and 5 of its own: dep stands for obl, and obl for no word.
    """
    (tmp_path / "w").write_text("nsubj 1\nroot 1\ncase 0.5\ndet 0.5\nobl 1\nobj 1\ndep 1\n")
    given: dict[str, Any] = {"gold": files["gold"], "systems": [files["bare"], files["split"]]}
    tables = treesql.report("dependency", **given, metric="las,wlas", weights=tmp_path / "w").tables
    scored = values(tables["scores"].rows())
    assert (scored["bare"]["las"], scored["split"]["las"]) == (0.8, pytest.approx(4 / 11))
    assert (scored["bare"]["wlas"], scored["split"]["wlas"]) == (3 / 4, pytest.approx(2 * 2 / (4 + 5)))
