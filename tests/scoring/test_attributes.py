"""Scores by attributes of gold and system trees, against attributes computed slowly; conditions on them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.scoring.attachment import PAIR
from tests.scoring.random_trees import ATTRIBUTES, Heads, random_tree
from treesql import catalog
from treesql.catalog.queries import attributes_of
from treesql.errors import UnknownName, UsageError

SIDES = ("", "gold_", "system_")


class Trees(NamedTuple):
    """Gold and system trees of the same words, and a database with them.

    The corpus `gold` and the system `same` have them in one order, `shuffled` in another, `cut` with a word cut in two.
    """

    gold: list[Heads]
    system: list[Heads]
    db: treesql.Database


def with_ids(text: bytes, order: list[int]) -> bytes:
    """Sentences in another order, each with its number as sent_id."""
    sentences = text.decode().split("\n\n")[:-1]
    return "".join(f"# sent_id = s{at}\n{sentences[at]}\n\n" for at in order).encode()


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trees]:
    rng = random.Random(5)
    sizes = [1, 2, *(rng.randint(3, 14) for _ in range(60))]
    gold, system = ([random_tree(rng, n) for n in sizes] for _ in range(2))
    system = [one if rng.random() < 0.4 else other for one, other in zip(gold, system, strict=True)]
    texts = [
        conllu(*(" ".join(f"w{n}:{head}:x" for n, head in enumerate(heads)) for heads in side))
        for side in (gold, system)
    ]
    in_order = list(range(len(sizes)))
    folder = tmp_path_factory.mktemp("trees")
    with treesql.connect() as db:
        for name, text, order in (
            ("gold", texts[0], in_order),
            ("same", texts[1], in_order),
            ("shuffled", texts[1], rng.sample(in_order, len(sizes))),
        ):
            (folder / f"{name}.conllu").write_bytes(with_ids(text, order))
            db.load(folder / f"{name}.conllu", corpus=name)
        yield Trees(gold, system, db)


NAMES = [f"{side}{name}" for side in SIDES for name in ATTRIBUTES]


def expected_groups(trees: Trees, name: str) -> dict[object, tuple[int, int]]:
    """By value of an attribute, the numbers of words and of right heads."""
    of = ATTRIBUTES[name.removeprefix("gold_").removeprefix("system_")]
    words: Counter[object] = Counter()
    right: Counter[object] = Counter()
    for gold, system in zip(trees.gold, trees.system, strict=True):
        for word in range(1, len(gold) + 1):
            value = of(system if name.startswith("system_") else gold, word)
            words[value] += 1
            right[value] += gold[word - 1] == system[word - 1]
    return {value: (n, right[value]) for value, n in words.items()}


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize(
    ("name", "match"), [*((name, "order") for name in NAMES), *((name, "sent_id") for name in NAMES[::4])]
)
def test_an_attribute_is_that_of_its_tree(trees: Trees, name: str, match: str) -> None:
    system = "same" if match == "order" else "shuffled"
    given = {"gold_corpus": "gold", "system_corpus": system, "match": match}
    rows = trees.db.score("attachment", by=name, **given).rows()
    found = {row[name]: (row["words"], round(row["uas"] * row["words"])) for row in rows}
    assert found == expected_groups(trees, name)
    values = [row[name] for row in rows]
    assert values == sorted(values, key=lambda value: (value is None, value)), "in the order of their values"


@pytest.mark.parametrize("name", ["system_distance", "n_children"])
def test_conditions_name_attributes(trees: Trees, name: str) -> None:
    kept = {value: n for value, n in expected_groups(trees, name).items() if isinstance(value, int) and value > 1}
    given = {"gold_corpus": "gold", "system_corpus": "same", "where": f"{name.upper()} > 1"}
    [row] = trees.db.score("attachment", **given).rows()
    assert row["words"] == sum(words for words, _ in kept.values()) > 0
    grouped = trees.db.score("attachment", by=[f"{name}/1", "direction"], **given).rows()
    assert sum(row["words"] for row in grouped) == row["words"]
    assert {row[f"{name}/1"] for row in grouped} == set(map(str, kept))


def test_the_length_of_the_systems_sentence(db: treesql.Database, tmp_path: Path) -> None:
    """The words of gold and system differ: a word that the one lacks has no attribute of the other."""
    texts = {"gold": conllu("ab:2:x c:0:root", "d:0:root"), "system": conllu("a:2:x b:3:x c:0:root", "d:0:root")}
    for name, text in texts.items():
        (tmp_path / f"{name}.conllu").write_bytes(text)
        db.load(tmp_path / f"{name}.conllu", corpus=name)
    pair = {"gold_corpus": "gold", "system_corpus": "system"}
    with heard():
        groups = {
            by: [tuple(row.values())[:4] for row in db.score("attachment", by=by, **pair).rows()]
            for by in ("n_words", "system_n_words", "distance", "system_distance")
        }
    assert groups == {  # words of gold, of the system, aligned
        "n_words": [(1, 1, 1, 1), (2, 2, 3, 1)],
        "system_n_words": [(1, 1, 1, 1), (3, 1, 3, 1), (None, 1, 0, 0)],
        "distance": [(1, 1, 0, 0), (None, 2, 4, 2)],
        "system_distance": [(1, 0, 2, 0), (None, 3, 2, 2)],
    }


def test_the_metrics_of_a_table_have_the_attributes_of_their_items(examples: treesql.Database) -> None:
    rows = examples.score("attachment", "exact_match", "weighted_attachment", by="system_direction", **PAIR).rows()
    assert [row["system_direction"] for row in rows] == ["left", "right", "to_root"]
    assert all(row["exact_match"] is None and row["wlas"] is not None for row in rows)
    rows = examples.score("attachment", "exact_match", by="gold_n_words", **PAIR).rows()
    assert all(row["exact_match"] is not None for row in rows), "sentences have a length, too"
    [row] = examples.score("attachment", "exact_match", where="distance > 3", **PAIR).rows()
    assert (row["uas"] is None, row["exact_match"]) == (False, None)


def test_intervals_are_of_the_same_groups(trees: Trees) -> None:
    by = ["gold_distance/3", "direction"]
    pair = {"gold_corpus": "gold", "system_corpus": "same"}
    plain = trees.db.score("attachment", by=by, **pair).rows()
    bounded = trees.db.score("attachment", by=by, ci=True, **pair).rows()
    assert [{name: row[name] for name in plain[0]} for row in bounded] == plain
    assert all(row["uas_low"] <= row["uas"] <= row["uas_high"] for row in bounded)


def test_columns_of_items_come_before_attributes() -> None:
    for query in catalog.all_queries().values():
        if query.kind == "metric":
            assert attributes_of(query).keys().isdisjoint(column.name for column in query.columns)
    assert set(attributes_of(catalog.query("exact_match"))) == {"n_words", "gold_n_words"}, "items are sentences"
    of_trees = {f"gold_{name}" for name in ("gap_degree", "well_nested")}
    assert {name for name in attributes_of(catalog.query("evalb")) if name.startswith("gold_")} == of_trees
    assert "system_distance" in attributes_of(catalog.query("enhanced_attachment"))


def test_unknown_attributes(examples: treesql.Database) -> None:
    with pytest.raises(UnknownName, match="'system_distanc'; did you mean system_distance"):
        examples.score("attachment", by="system_distanc", **PAIR)
    with pytest.raises(UnknownName, match="'n_childern'; did you mean n_children"):
        examples.score("attachment", where="n_childern = 0", **PAIR)
    with pytest.raises(UsageError, match=r"cannot group by direction/2: bins are of numbers, and direction is VARCHAR"):
        examples.score("attachment", by="direction/2", **PAIR)
