"""Scores of constituency trees, sentence by sentence, against EVALB and the other tools of cases/constituency."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, both_parses, needs
from treesql.scoring import evalb_parameters
from treesql.treebanks.correlation import correlate_table

FOLDER = CASES / "constituency"
pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

PUNCTUATION = {"all": "keep", "nopunct": "drop"}
EACH = ("hand", *(pytest.param(name, marks=pytest.mark.compiled) for name in ("wsj", "generated")))
"""Trees by hand, and hundreds of trees, on which kernels run compiled."""

Row = dict[str, Any]
Parses = Callable[[str], dict[str, str]]
"""The parameters of queries for the parses of a name, which are loaded when they are first asked for."""


@pytest.fixture(scope="module")
def db() -> Iterator[treesql.Database]:
    with treesql.connect() as db:
        yield db


@pytest.fixture(scope="module")
def parses(db: treesql.Database) -> Parses:
    return both_parses(db, FOLDER, ".", ".mrg.gz")


def cases(name: str) -> list[Row]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows(db: treesql.Database, metric: str, corpora: dict[str, str], **how: Any) -> list[Row]:
    return db.query(metric, **corpora, **how).rows()


@pytest.mark.parametrize(
    ("name", "rules", "expected"),
    [
        pytest.param(name, *rules, marks=() if name == "hand" else marks.get((name, rules[0]), pytest.mark.thorough))
        for marks in [dict.fromkeys([("wsj", "COLLINS"), ("generated", "new")], pytest.mark.compiled)]
        for name in ("hand", "wsj", "generated")
        for rules in [("COLLINS", "evalb"), ("unlabelled", "evalb_unlabelled"), ("new", "evalb_new_prm")]
    ],
)
def test_evalb(db: treesql.Database, parses: Parses, tmp_path: Path, name: str, rules: str, expected: str) -> None:
    if rules == "unlabelled":
        path = tmp_path / "unlabelled.prm"
        collins = [row for row in db.sql("FROM evalb_parameters").rows() if row["parameter_set"] == "COLLINS"]
        lines = [f"{row['parameter']} {row['value']} {row['same_as'] or ''}" for row in collins]
        path.write_text("\n".join(line.replace("LABELED 1", "LABELED 0") for line in lines))
        rules = evalb_parameters.install_rules(db.engine, str(path))
    systems = {**parses(name), "rules": rules}
    found = db.score("evalb", "complete_match", by="sentence", **systems).rows()
    items = {row["sentence"]: row for row in db.query("complete_match", **systems).rows()}
    lengths = {row["sentence"]: row["length"] for row in db.query("evalb", **systems).rows()}
    for row, case in zip(found, cases(f"{name}.expected.jsonl.gz"), strict=True):
        known = case[expected]
        assert row["status"] == known["status"], case["id"]
        assert lengths[row["sentence"]] == known["length"]
        if known["status"] == "ok":
            numbers = {key: row[key] for key in ("matched", "gold", "test", "crossing")}
            numbers |= {"words": items[row["sentence"]]["tags"], "correct_tags": items[row["sentence"]]["correct_tags"]}
            assert numbers == {key: known[key] for key in numbers}, case["id"]
            for score in ("precision", "recall", "f1"):
                assert row[score] == pytest.approx(known[score], abs=1e-12), case["id"]
        else:
            assert row["matched"] == row["gold"] == row["test"] == row["crossing"] == 0
            assert row["precision"] is row["recall"] is row["f1"] is None


def totals(known: list[Row]) -> Row:
    """What EVALB sums up of its numbers of sentences."""
    good = [one for one in known if one["status"] == "ok"]
    found = {key: sum(one[key] for one in good) for key in ("matched", "gold", "test")}
    found |= {
        key: sum(one["status"] == status for one in known) for key, status in (("errors", "error"), ("skips", "skip"))
    }
    precision, recall = found["matched"] / found["test"], found["matched"] / found["gold"]
    return found | {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "complete_match": sum(one["matched"] == one["gold"] == one["test"] for one in good) / len(good),
        "average_crossing": sum(one["crossing"] for one in good) / len(good),
        "no_crossing": sum(one["crossing"] == 0 for one in good) / len(good),
        "two_or_less": sum(one["crossing"] <= 2 for one in good) / len(good),
        "tagging_accuracy": sum(one["correct_tags"] for one in good) / sum(one["words"] for one in good),
    }


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(("rules", "expected"), [("COLLINS", "evalb"), ("new", "evalb_new_prm")])
def test_totals_of_evalb(db: treesql.Database, parses: Parses, name: str, rules: str, expected: str) -> None:
    """Those that it prints; of the trees by hand, for which none are recorded, the sums."""
    known = totals([case[expected] for case in cases(f"{name}.expected.jsonl.gz")])
    if name != "hand":
        printed = json.loads((FOLDER / f"{name}.aggregate.json").read_text())[expected]
        assert known == pytest.approx({key: printed[key] for key in known}, abs=1e-12)
        known = printed
    [row] = db.score("evalb", "complete_match", **parses(name), rules=rules).rows()
    renamed = {"skipped": "skips", "two_or_less_crossing": "two_or_less"}
    for key in ("errors", "skipped", "matched", "gold", "test"):
        assert row[key] == known[renamed.get(key, key)]
    for key in ("precision", "recall", "f1", "complete_match", "average_crossing", "no_crossing"):
        assert row[key] == pytest.approx(known[key], abs=1e-12)
    assert row["two_or_less_crossing"] == pytest.approx(known["two_or_less"], abs=1e-12)
    assert row["tagging_accuracy"] == pytest.approx(known["tagging_accuracy"], abs=1e-12)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("part", PUNCTUATION)
def test_distances(db: treesql.Database, parses: Parses, name: str, part: str) -> None:
    corpora, how = parses(name), {"punctuation": PUNCTUATION[part]}
    for rooting in ("rooted", "unrooted"):
        sets = rows(db, "robinson_foulds", corpora, rooting=rooting, **how)
        conflicts = rows(db, "generalised_robinson_foulds", corpora, rooting=rooting, **how)
        known = cases(f"{name}.expected.jsonl.gz")
        for case, one, other in zip(known, by_sentence(sets), by_sentence(conflicts), strict=True):
            check_sets(case.get(part), rooting, one, other)
    quartets = by_sentence(rows(db, "quartets", corpora, **how))
    edits = by_sentence(rows(db, "constituent_tree_edit", corpora, **how))
    for case, four, edit in zip(known, quartets, edits, strict=True):
        check_quartets(case.get(part), four)
        if part in case:
            skeleton = case["ted"]["skeleton" if part == "all" else "skeleton_nopunct"]
            assert (edit["edits"], edit["skeleton_edits"]) == (case["ted"]["labelled"], skeleton)
        else:
            assert (edit["comparable"], edit["edits"], edit["skeleton_edits"]) == (0, None, None)


@pytest.mark.compiled
def test_newick(db: treesql.Database, tmp_path: Path) -> None:
    """Trees with their leaves in any order, rooted and unrooted."""
    given = {"gold_corpus": "a", "system_corpus": "b", "leaves": "name"}
    trees = cases("newick.jsonl.gz")
    for side in "ab":
        (tmp_path / f"{side}.nwk").write_text("".join(case[side] + "\n" for case in trees))
        db.load(tmp_path / f"{side}.nwk", corpus=side)
    known = [case["expected"] for case in trees]
    assert len(known) == 150
    for rooting in ("rooted", "unrooted"):
        sets = by_sentence(db.query("robinson_foulds", rooting=rooting, **given).rows())
        conflicts = by_sentence(db.query("generalised_robinson_foulds", rooting=rooting, **given).rows())
        for case, one, other in zip(known, sets, conflicts, strict=True):
            check_sets(case, rooting, one, other)
    for case, four in zip(known, by_sentence(db.query("quartets", **given).rows()), strict=True):
        check_quartets(case, four)


@pytest.mark.slow
@pytest.mark.parametrize("part", PUNCTUATION)
@pytest.mark.parametrize("rooting", ["rooted", "unrooted"])
def test_correlations(db: treesql.Database, parses: Parses, part: str, rooting: str) -> None:
    """Of the sentences where everything is defined, as the reference has them."""
    known = json.loads((FOLDER / "wsj.aggregate.json").read_text())["pearson"][f"{part}.{rooting}"]
    columns = ["f1", "rfd", "grfd", "qd", "gqd"]
    metrics = ["evalb", "robinson_foulds", "generalised_robinson_foulds", "quartets"]
    scores = db.score(*metrics, by="sentence", **parses("wsj"), rooting=rooting, punctuation=PUNCTUATION[part]).pl()
    defined = scores.drop_nulls(columns)
    assert len(defined) == known["n"]
    found = {
        tuple(sorted((row["metric_a"], row["metric_b"]))): row
        for row in correlate_table(defined.to_arrow(), columns).rows()
    }
    pairs = [name for name in known if "~" in name]
    assert len(pairs) == 8
    for pair in pairs:
        assert found[tuple(sorted(pair.split("~")))]["r"] == pytest.approx(known[pair], abs=1e-8)
    for name, mean in known["mean"].items():
        assert defined[name].mean() == pytest.approx(mean, abs=1e-9)


def by_sentence(found: list[Row]) -> list[Row]:
    return sorted(found, key=lambda row: row["sentence"])


def check_sets(case: Row | None, rooting: str, sets: Row, conflicts: Row) -> None:
    if case is None or case["n"] == 0:
        assert (sets["unlike_leaves"], sets["comparable"], sets["gold_sets"], conflicts["comparable"]) == (
            1,
            0,
            None,
            0,
        )
        return
    assert sets["n_leaves"] == conflicts["n_leaves"] == case["n"]
    known = case.get(rooting, dict.fromkeys(("gold", "test", "common", "rf", "rfd", "grfd", "grfd_gold"), 0))
    assert [sets[key] for key in ("gold_sets", "test_sets", "common_sets", "differing_sets")] == [
        known[key] for key in ("gold", "test", "common", "rf")
    ]
    assert sets["differing_share"] == pytest.approx(known["rfd"], abs=1e-12)
    assert conflicts["test_conflict_share"] == pytest.approx(known["grfd"], abs=1e-12)
    assert conflicts["gold_conflict_share"] == pytest.approx(known["grfd_gold"], abs=1e-12)


def check_quartets(case: Row | None, found: Row) -> None:
    if case is None or case["quartets"] is None:
        assert (found["comparable"], found["quartets_of_leaves"], found["unequal_share"]) == (0, None, None)
        return
    known = case["quartets"]
    renamed = {"quartets_of_leaves": "total", "same_butterflies": "same", "different_butterflies": "different"}
    for key in (*renamed, "gold_butterflies", "test_butterflies"):
        assert found[key] == known[renamed.get(key, key)]
    assert found["unequal_share"] == pytest.approx(known["qd"], abs=1e-12)
    assert found["different_share"] == pytest.approx(known["gqd"], abs=1e-12)


@pytest.mark.parametrize("name", EACH[:2])
def test_trees_written_as_newick_have_the_same_distances(
    db: treesql.Database, parses: Parses, tmp_path: Path, name: str
) -> None:
    newick = {}
    for parameter, corpus in parses(name).items():
        newick[parameter] = f"newick.{corpus}"
        db.export(tmp_path / f"{corpus}.nwk", corpus=corpus, leaves="numbered", delete_traces=True, collapse_unary=True)
        if not db.sql("FROM corpora WHERE corpus = $corpus", {"corpus": f"newick.{corpus}"}).rows():
            db.load(tmp_path / f"{corpus}.nwk", corpus=f"newick.{corpus}")
    for metric in ("robinson_foulds", "generalised_robinson_foulds", "quartets", "constituent_tree_edit"):
        found, expected = (
            [
                {key: value for key, value in row.items() if key not in ("edits", "compared_nodes")}
                for row in rows(db, metric, corpora, leaves=leaves)
            ]
            for corpora, leaves in ((newick, "name"), (parses(name), "order"))
        )
        assert found == expected
        assert any(row["comparable"] for row in found)
