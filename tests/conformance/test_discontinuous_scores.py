"""Scores of discontinuous trees equal disco-dop's, sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, both_parses, needs
from treesql.scoring import evalb_parameters

FOLDER = CASES / "discontinuous"

pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

CONFIGURATIONS = ("all", "all.unlabelled", "nopunct", "nopunct.unlabelled", "proper")
EACH_SIZE = pytest.mark.parametrize(
    "prefix", [pytest.param("", id="real", marks=pytest.mark.compiled), pytest.param("hand.", id="hand")]
)
COUNTS = ("matched", "gold", "test")
RATIOS = {"precision": "precision", "recall": "recall", "f1": "f1", "complete_match": "exact_match"}


Corpora = Callable[[str], dict[str, str]]
"""The parameters of queries for the trees of a prefix."""


@pytest.fixture(scope="module")
def database() -> Iterator[treesql.Database]:
    """The trees by hand, and once asked for the real ones."""
    with treesql.connect() as db:
        yield db


@pytest.fixture(scope="module")
def corpora(database: treesql.Database) -> Corpora:
    return both_parses(database, FOLDER, "", ".export")


def installed(db: treesql.Database, recorded: dict[str, Any], name: str, folder: Path) -> str:
    """The name of the rules of a configuration."""
    if name.startswith("proper"):
        return "discodop"
    return evalb_parameters.install_rules(db.engine, rules_of(recorded["settings"], folder))


def rules_of(settings: dict[str, Any], folder: Path) -> str:
    lines = [f"LABELED {settings['LABELED']}", "DELETE_BY gold"]
    lines += [f"DELETE_LABEL {label}" for label in settings.get("DELETE_LABEL", ())]
    (folder / "rules.prm").write_text("\n".join(lines))
    return str(folder / "rules.prm")


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CONFIGURATIONS)
@EACH_SIZE
def test_brackets(database: treesql.Database, corpora: Corpora, prefix: str, name: str, tmp_path: Path) -> None:
    recorded = json.loads((FOLDER / f"{prefix}expected.json").read_text())["configurations"]
    given = corpora(prefix) | {"rules": installed(database, recorded[name], name, tmp_path)}
    asked = ["evalb", "complete_match", "discontinuous_brackets"]
    found = {row["sentence"] + 1: row for row in database.score(*asked, by="sentence", **given).rows()}
    for key, counted in (("", name), ("disc_", f"{name}.disconly")):
        table = recorded[counted]["sentences"]
        for values in table["rows"]:
            expected = dict(zip(table["columns"], values, strict=True))
            row = found[expected["id"]]
            assert [row[key + one] or 0 for one in COUNTS] == [expected[one] for one in COUNTS], expected["id"]
    [row] = database.score(*asked, **given).rows()
    corpus, alone = recorded[name]["corpus"], recorded[f"{name}.disconly"]["corpus"]
    assert {one: row[one] for one in RATIOS} == pytest.approx(
        {one: corpus[other] for one, other in RATIOS.items()}, abs=1e-9
    )
    assert row["tagging_accuracy"] == pytest.approx(corpus["tag_accuracy"], abs=1e-9)
    assert [row[f"disc_{one}"] for one in ("precision", "recall", "f1")] == pytest.approx(
        [alone[one] for one in ("precision", "recall", "f1")], abs=1e-9
    )


@EACH_SIZE
def test_the_root_is_no_bracket(prefix: str, tmp_path: Path) -> None:
    """disco-dop counts it where its label is not deleted: one more bracket that matches, in every sentence."""
    recorded = json.loads((FOLDER / f"{prefix}expected.json").read_text())["configurations"]["all.root"]
    [row] = treesql.score(
        "constituency",
        metric=list(COUNTS),
        gold=FOLDER / f"{prefix}gold.export",
        systems=[FOLDER / f"{prefix}test.export"],
        rules=rules_of(recorded["settings"], tmp_path),
    ).rows()
    counted = {one: recorded["corpus"][one] - recorded["corpus"]["sentences"] for one in COUNTS}
    assert {one: row[one] for one in COUNTS} == counted


@pytest.mark.compiled
def test_dependencies_by_head_edges(db: treesql.Database) -> None:
    folder = FOLDER
    for side in ("gold", "test"):
        db.load(folder / f"{side}.export", corpus=side)
    [row] = db.sql(
        """SELECT count(*) AS words, count(*) FILTER (g.head = t.head) AS heads,
                  count(*) FILTER (g.head = t.head AND g.relation = t.relation) AS edges
           FROM head_dependencies('gold', head_rules := 'negra') AS g
           JOIN head_dependencies('test', head_rules := 'negra') AS t USING (sentence, word)"""
    ).rows()
    expected = json.loads((folder / "expected.json").read_text())["configurations"]["all"]["corpus"]
    assert (row["words"], row["heads"], row["edges"]) == tuple(
        expected[one] for one in ("dependencies", "correct_heads", "correct_dependencies")
    )


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["all", "nopunct", "proper"])
@EACH_SIZE
def test_leaf_ancestor(database: treesql.Database, corpora: Corpora, prefix: str, name: str, tmp_path: Path) -> None:
    recorded = json.loads((FOLDER / f"{prefix}expected.json").read_text())["configurations"][name]
    given = corpora(prefix) | {"rules": installed(database, recorded, name, tmp_path)}
    rows = database.score("leaf_ancestor", by="sentence", **given).rows()
    found = {row["sentence"] + 1: row["leaf_ancestor"] for row in rows}
    columns, values = (recorded["sentences"][one] for one in ("columns", "rows"))
    expected = {row[columns.index("id")]: row[columns.index("leaf_ancestor")] for row in values}
    assert found == pytest.approx({one: score for one, score in expected.items() if score is not None}, abs=1e-8)
    [row] = database.score("leaf_ancestor", **given).rows()
    if (score := recorded["corpus"]["leaf_ancestor"]) is not None:
        assert row["leaf_ancestor"] == pytest.approx(score, abs=1e-9)


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", ["all", "all.disconly", "all.unlabelled", "nopunct", "proper", "proper.disconly"])
@EACH_SIZE
def test_function_tags(database: treesql.Database, corpora: Corpora, prefix: str, name: str, tmp_path: Path) -> None:
    recorded = json.loads((FOLDER / f"{prefix}expected.json").read_text())["configurations"][name]
    given = corpora(prefix) | {"rules": installed(database, recorded, name, tmp_path)}
    where = "carrier = 'word' OR gaps > 0" if name.endswith("disconly") else None
    rows = database.score("function_tags", by="sentence", where=where, **given).rows()
    counts = ("function_matched", "function_gold", "function_test")
    found = {row["sentence"] + 1: [row[one] for one in counts] for row in rows}
    for values in recorded["sentences"]["rows"]:
        expected = dict(zip(recorded["sentences"]["columns"], values, strict=True))
        assert found.get(expected["id"], [0, 0, 0]) == [expected[one] for one in counts], expected["id"]
    [row] = database.score("function_tags", where=where, **given).rows()
    assert row["function_f1"] == pytest.approx(recorded["corpus"]["function_f1"], abs=1e-9)
