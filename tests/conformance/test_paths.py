"""Paths between aligned dependency trees and tree edit distances: the reference numbers of cases/align."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import treesql
from tests.conformance.cases import CASES, needs
from tests.conftest import bare, thorough_but

FOLDER = CASES / "align"
pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

Tree = Sequence[tuple[int, str]]
FIXED_POINT = 2.0**-40
"""How far a mean may be off whose terms are summed in units of this."""

COSTS = ("structure", "deprel", "aligned", "aligned_strict")


@cache
def content(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


def trees(case: dict[str, Any], side: int) -> Tree:
    return list(zip(case[f"heads{side}"], case[f"labels{side}"], strict=True))


def write(folder: Path, references: Sequence[Tree], hypotheses: Sequence[Tree], links: Sequence[str]) -> list[str]:
    """Two CoNLL-U files and a Pharaoh file; their paths."""
    for name, several in (("reference.conllu", references), ("hypothesis.conllu", hypotheses)):
        lines = []
        for tree in several:
            words = enumerate(tree, 1)
            lines += [f"{at}\tw{at}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n" for at, (head, label) in words]
            lines.append("\n")
        (folder / name).write_text("".join(lines))
    (folder / "links.align").write_text("".join(line + "\n" for line in links))
    return [str(folder / name) for name in ("reference.conllu", "hypothesis.conllu", "links.align")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    cases = content("paths.json")["cases"]
    links = [" ".join(f"{i - 1}-{j - 1}" for i, j in case["links"]) for case in cases]
    folder = tmp_path_factory.mktemp("paths")
    return write(folder, [trees(case, 1) for case in cases], [trees(case, 2) for case in cases], links)


def scores(reference: str, hypothesis: str, links: str, **how: Any) -> list[dict[str, Any]]:
    return treesql.score("paths", reference=reference, systems=[(hypothesis, links)], **how).rows()


def test_totals_of_every_sentence(files: list[str]) -> None:
    cases = content("paths.json")["cases"]
    rows = scores(*files, by="sentence")
    for row, case in zip(rows, cases, strict=True):
        assert (row["disparity"], row["maximum"]) == (case["mst_L"], case["mst_Lmax"]), case["id"]
        assert row["distance"] == case["distance"]
        assert row["distance_macro"] == (None if case["distance"] is None else pytest.approx(case["distance"]))
        assert row["sentences_without_distance"] == (case["distance"] is None)
        assert row["coverage"] == pytest.approx(case["coverage"], abs=1e-15)


def test_totals_of_the_corpus_from_either_side(files: list[str]) -> None:
    expected = content("paths.json")["corpus"]
    reference, hypothesis, links = files
    for [row] in (scores(*files), scores(hypothesis, reference, links, reverse=True)):
        assert (row["disparity"], row["maximum"]) == (expected["sum_L"], expected["sum_Lmax"])
        assert row["sentences"] - row["sentences_without_distance"] == expected["scored"]
        assert row["distance"] == expected["micro_distance"]
        assert row["distance_macro"] == pytest.approx(expected["macro_distance"], abs=FIXED_POINT)


@pytest.mark.compiled
def test_weight_of_every_pair_of_links() -> None:
    """By the functions of SQL: of two links alone, and of their two encoded paths."""
    cases = content("paths.json")["cases"]
    pairs = [(case, case["links"][edge[0]], case["links"][edge[1]]) for case in cases for edge in case["edges"]]
    expected = [(edge[2], edge[3]) for case in cases for edge in case["edges"]]
    numbers, texts = pa.list_(pa.int32()), pa.list_(pa.string())
    columns = {
        "place": pa.array(range(len(pairs)), pa.int32()),
        **{name: pa.array([case[name] for case, _, _ in pairs], numbers) for name in ("heads1", "heads2")},
        **{name: pa.array([case[name] for case, _, _ in pairs], texts) for name in ("labels1", "labels2")},
        **{name: pa.array([one[side] for _, one, _ in pairs], pa.int32()) for side, name in enumerate("ij")},
        **{name: pa.array([other[side] for _, _, other in pairs], pa.int32()) for side, name in enumerate("kl")},
    }
    with treesql.connect() as db:
        bare(db).register("pairs", pa.table(columns))
        found = db.sql("""
            SELECT p.tree[1].disparity AS l, p.tree[1].maximum AS lmax, p.two.disparity AS l2, p.two.maximum AS lmax2
            FROM (SELECT place, spanning_tree(heads1, labels1, heads2, labels2, [i, k], [j, l]) AS tree,
                         path_disparity(path_encoding(heads1, labels1, i, k),
                                        path_encoding(heads2, labels2, j, l)) AS two
                  FROM pairs) AS p
            ORDER BY p.place
        """).rows()
    assert len(found) == 3613
    assert [(row["l"], row["lmax"]) for row in found] == expected
    assert [(row["l2"], row["lmax2"]) for row in found] == expected


def pud(name: str) -> Iterator[Tree]:
    for line in (FOLDER / "pts" / name).read_text("utf-8").splitlines():
        pairs = [word.split(":", 1) for word in line.split()]
        yield [(int(head), relation) for head, relation in pairs]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "run",
    thorough_but(
        ["gold-gold|inter", "gold-gold|gdfa", "sysC-gold|inter", "sysC-gold|gdfa"], "gold-gold|inter", "sysC-gold|gdfa"
    ),
)
def test_real_pairs(run: str, tmp_path: Path) -> None:
    """English and German trees of 500 sentences, one to one and many to many."""
    expected = content("paths_pud.json")[run]
    systems, links = run.split("|")
    system, other = systems.split("-")
    lines = (FOLDER / "pts" / f"ende.{links}.ph0").read_text().splitlines()
    files = write(tmp_path, list(pud(f"en.{system}")), list(pud(f"de.{other}")), lines)
    rows = scores(*files, by="sentence")
    assert [row["disparity"] for row in rows] == expected["L"]
    assert [row["maximum"] for row in rows] == expected["Lmax"]
    [row] = scores(*files)
    assert (row["disparity"], row["maximum"]) == (expected["sum_L"], expected["sum_Lmax"])
    assert row["sentences"] - row["sentences_without_distance"] == expected["scored"]
    assert row["distance"] == expected["micro_distance"]
    assert row["distance_macro"] == pytest.approx(expected["macro_distance"], abs=FIXED_POINT)
    assert row["coverage"] == pytest.approx(expected["micro_coverage"], abs=1e-15)


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("costs", COSTS)
def test_tree_edit_distances(costs: str, files: list[str]) -> None:
    """zss and apted agree on all of them."""
    reference, hypothesis, links = files
    system = (hypothesis, links) if costs.startswith("aligned") else hypothesis
    rows = treesql.score("trees", reference=reference, systems=[system], costs=costs, by="sentence").rows()
    assert [row["tree_edit"] for row in rows] == [case[costs] for case in content("ted.json")["cases"]]
