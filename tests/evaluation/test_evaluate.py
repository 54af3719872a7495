"""Systems scored and compared: what happens where words differ, groups, conditions and tables.

The files are in folders of their own; `cut` has the text of `gold` in other words and sentences.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard, thorough_but
from tests.evaluation.systems import GOLD, A, B, rows, same, score
from treesql.errors import Incomparable, UnknownName

ALIGNED = [
    "uas",
    "uas_precision",
    "uas_recall",
    "las",
    "las_precision",
    "las_recall",
    "la",
    "la_precision",
    "la_recall",
]
TOLD = (
    "gold.conllu: its words are not those of every system, and are aligned by their characters; "
    "uas, las, la and wlas are F1, with precision and recall in further columns"
)
across_words = pytest.mark.filterwarnings("ignore:.*its words are not those of every system")
few = pytest.mark.filterwarnings("ignore:.*(only 5 sentences|differ in . of 5 sentences)")


rows_once = cache(rows)
"""For options that are hashed."""


def test_words_that_differ_are_aligned_for_the_systems_that_have_them(cut: str) -> None:
    """The others have the columns that they have alone, and no values in further ones."""
    with heard() as told:
        result = score(A, cut, B)
    assert set(result.columns) >= {"system", "words", "gold_words", "system_words", "aligned_pairs", *ALIGNED}
    assert [name for name in result.columns if name in ALIGNED] == list(ALIGNED)
    first, other, second = result.rows()
    assert [row["uas"] for row in (first, second)] == [25 / 30, 27 / 30]
    for row, system in ((first, A), (second, B)):
        [alone] = rows_once(system)
        assert {name: value for name, value in row.items() if name in alone} == alone
        assert {value for name, value in row.items() if name not in alone} == {None}
    correct = other["uas_recall"] * 30
    assert correct == pytest.approx(other["uas_precision"] * 28)
    assert 0 < other["uas"] == pytest.approx(2 * correct / 58)
    assert other["words"] is None
    assert other["exact_match"] == 0  # every word depends on the root
    assert told == [TOLD]


def test_words_that_are_the_same_are_not_aligned() -> None:
    [row] = rows_once(A)
    assert "uas_precision" not in row


@pytest.mark.spread(3)
@across_words
@pytest.mark.parametrize(
    ("metric", "columns"),
    [
        ("las", ["las"]),
        ("attachment.uas", ["uas"]),
        ("las,uas", ["las", "uas"]),
        (["wlas", "las", "upos_f1"], ["wlas", "las", "upos_f1"]),
    ],
    ids=str,
)
def test_named_scores_are_those_of_aligned_words(cut: str, metric: Any, columns: list[str]) -> None:
    """A system with the words of gold has its scores of equal words, one with other words those of aligned words."""
    result = score(A, cut, metric=metric)
    assert result.columns == ["system", *columns]
    equal = rows_once(A, metric="attachment,weighted_attachment,tagging")
    aligned = rows_once(cut, metric="attachment,weighted_attachment,tagging")
    assert result.rows() == [{name: row[name] for name in ("system", *columns)} for row in equal + aligned]


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize(
    "options",
    [
        {"match": "sent_id"},
        {"metric": "exact_match", "match": "sent_id"},
        {"table": "upos_accuracy", "match": "sent_id"},
    ],
    ids=str,
)
def test_what_cannot_be_had_across_words_is_refused(cut: str, database: str, options: dict[str, Any]) -> None:
    with pytest.raises(Incomparable, match=r"(cut|gold).conllu:\d+: "):
        rows(cut, **options)
    with pytest.raises(Incomparable, match=r"(cut|gold).conllu:\d+: "):
        rows("cut", gold="gold", db=database, **options)


@pytest.mark.slow
def test_words_that_differ_in_a_database(database: str, cut: str) -> None:
    with heard() as told:
        found = rows("parser-a", "cut", gold="gold", db=database)
        from_files = rows(A, cut)
    assert same([{**row, "system": f"{row['system']}.conllu"} for row in found], from_files)
    assert [one.split(",")[0] for one in told] == [
        f"{name}: its words are not those of every system" for name in ("gold", "gold.conllu")
    ]


@across_words
@pytest.mark.slow
def test_by_sentence_and_by_columns_where_words_differ(cut: str) -> None:
    by_sentence = rows(cut, by="sentence")
    assert [row["sent_id"] for row in by_sentence] == ["mat", "know", "hearing", "tea", "hello"]
    [row] = rows(cut)
    by_upos = rows(cut, by="upos")
    assert {row["upos"] for row in by_upos} > {"NOUN", "VERB", None}, "words of the system alone have no gold upos"
    [nouns] = rows(cut, where="upos = 'NOUN'")
    assert nouns["uas_recall"] == next(row["uas_recall"] for row in by_upos if row["upos"] == "NOUN")
    assert row["uas"] != nouns["uas"]


@pytest.mark.slow
@pytest.mark.parametrize("by", thorough_but(["Number", "feats.Number"], "feats.Number"))
@across_words
def test_by_a_feature_where_words_differ(database: str, cut: str, by: str) -> None:
    first, second = (
        [{name: value for name, value in row.items() if name != "system"} for row in rows(*pair, by=by, **options)]
        for pair, options in (((A, cut), {}), (("parser-a", "cut"), {"gold": "gold", "db": database}))
    )
    assert same(first, second)
    assert [row[by] for row in first] == ["Sing", None] * 2
    usual = rows(A, by=by)
    assert [row["uas"] for row in first[:2]] == pytest.approx([row["uas"] for row in usual])


@across_words
@pytest.mark.slow
def test_groups_keep_the_words_that_only_a_system_has(tmp_path: Path) -> None:
    (tmp_path / "g.conllu").write_bytes(conllu("ab:0:root c:1:obj"))
    (tmp_path / "s.conllu").write_bytes(conllu("a:0:root b:1:obl c:1:obj"))
    files = {"gold": str(tmp_path / "g.conllu")}
    [whole] = rows(str(tmp_path / "s.conllu"), **files)
    groups = rows(str(tmp_path / "s.conllu"), **files, by="deprel")
    for count in ("gold_words", "system_words", "aligned_pairs"):
        assert sum(group[count] for group in groups) == whole[count]
    assert {group["deprel"]: group["system_words"] for group in groups} == {"root": 0, "obj": 1, None: 2}


def test_texts_that_differ_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.conllu").write_text(Path(A).read_text().replace("mat", "mats"))
    with pytest.raises(
        Incomparable, match=r"s.conllu:\d+: the texts part here: `mats.*` where the gold text has `mat\."
    ):
        rows(A, str(tmp_path / "s.conllu"), metric="las")


@pytest.mark.filterwarnings("ignore:.*no enhanced dependencies")
@pytest.mark.filterwarnings("ignore:.*of 31 enhanced edges")
def test_conll18_needs_no_falling_back(cut: str, database: str) -> None:
    found = rows(cut, conll18=True, enhanced=True)
    assert [row["metric"] for row in found][:3] == ["Tokens", "Sentences", "Words"]
    assert [row["metric"] for row in found][-2:] == ["ELAS", "EULAS"]
    assert (found[2]["correct"], found[2]["gold_total"], found[2]["system_total"]) == (26, 30, 28)
    assert (found[0]["correct"], found[0]["gold_total"], found[0]["system_total"]) == (27, 29, 28)
    assert (found[1]["correct"], found[1]["gold_total"], found[1]["system_total"]) == (3, 5, 4)
    from_db = rows("cut", gold="gold", db=database, table="conll18", with_="enhanced")
    assert [{**row, "system": "cut.conllu"} for row in from_db] == found


def test_by_a_morphological_feature(database: str) -> None:
    by = "feats.Number"
    found = rows(A, by=by, metric="attachment")
    assert [row[by] for row in found] == ["Sing", None]
    assert [{by if name == "Number" else name: value for name, value in row.items()}
            for row in rows(A, by="Number", metric="attachment")] == found  # fmt: skip
    with treesql.connect(database, read_only=True) as db:
        singular = db.sql(
            "SELECT avg(a.correct_head) AS uas, count(*) AS n FROM attachment('gold', 'parser-a') AS a "
            "JOIN words AS w ON w.corpus = 'gold' AND w.sentence = a.sentence AND w.word = a.word "
            "WHERE w.feats LIKE '%Number=Sing%'"
        ).rows()[0]
    assert (found[0]["uas"], found[0]["words"]) == (pytest.approx(singular["uas"]), singular["n"])
    assert sum(row["words"] for row in found) == 30
    from_db = rows("parser-a", gold="gold", db=database, by=by, metric="attachment")
    assert same([{**row, "system": "parser-a.conllu"} for row in from_db], found)


def test_an_unknown_group_lists_features_as_well(database: str) -> None:
    names = {"Numbr": "Number", "feats.Persn": "Person", "dept": "depth", "sentnce": "sentence", "relation": "deprel"}
    of_files: list[tuple[Any, ...]] = [((A,), {}, name) for name in names]
    loaded = ("parser-a",), {"gold": "gold", "db": database}
    for systems, how, name in [*of_files, (*loaded, "Numbr"), (*loaded, "dept")]:
        with pytest.raises(UnknownName, match=f"unknown column to group by '{name}'; did you mean .*{names[name]}"):
            rows(*systems, **how, by=name, metric="uas")


def test_conditions_name_functions_and_tables_in_any_case() -> None:
    where = "text_key(form) > 0 AND TEXT_KEY(form) > 0 AND Sentence >= (SELECT min(l.sentence) FROM SENTENCES AS l)"
    assert rows(A, metric="attachment", where=where) == rows_once(A, metric="attachment")


@pytest.mark.spread(2)
@pytest.mark.parametrize("metric", ["attachment", "content_attachment", "weighted_attachment", "exact_match"])
def test_a_condition_that_nothing_meets_is_told_and_no_other(metric: str) -> None:
    """Of metrics whose counts are shown, and of those whose are not."""
    rows(A, metric=metric, where="sentence >= 0")
    with heard() as told:
        rows(A, metric=metric, where="sentence > 99")
    assert [one.split(";")[0] for one in told if "condition" in one] == ["gold.conllu: no item meets the condition"]


@pytest.mark.parametrize("gold", ["a:_:_", "a:0:_"])
def test_gold_without_relations(tmp_path: Path, gold: str) -> None:
    (tmp_path / "g.conllu").write_bytes(conllu(gold))
    (tmp_path / "s.conllu").write_bytes(conllu("a:0:root"))
    files = {"gold": tmp_path / "g.conllu", "systems": [tmp_path / "s.conllu"]}
    if gold == "a:_:_":
        with pytest.raises(Incomparable, match="not parsed"):
            treesql.score("dependency", **files)
    else:
        [row] = treesql.score("dependency", **files).rows()
        assert (row["uas"], row["las"], row["wlas"]) == (1, 0, 0)


@few
def test_intervals_stand_beside_their_scores() -> None:
    found = score(A, metric="la,uas", ci=True)
    assert found.columns == ["system", "la", "la_low", "la_high", "uas", "uas_low", "uas_high"]
    [row] = found.rows()
    assert row["la_low"] <= row["la"] <= row["la_high"]


def compared(*systems: str, gold: str = GOLD, **how: Any) -> list[dict[str, Any]]:
    return treesql.compare("dependency", gold=gold, systems=systems, runs=50, **how).rows()


@few
def test_what_is_compared_are_the_main_scores_or_those_that_are_named() -> None:
    assert [row["metric"] for row in compared(A, B)] == ["uas", "las", "la"]
    [row] = compared(A, B, metric="attachment.las")
    assert (row["metric"], row["score_a"], row["score_b"]) == ("las", 24 / 30, 27 / 30)
    several = compared(A, B, metric=["exact_match", "la"])
    assert [row["metric"] for row in several] == ["exact_match", "exact_match_unlabelled", "la"]


def test_comparisons_align_words_that_differ(cut: str) -> None:
    with heard() as told:
        [row] = compared(A, cut, metric="las")
        first, second = rows(A, cut, metric="las")
    assert (row["score_a"], row["score_b"]) == (first["las"], second["las"])
    assert [one for one in told if "of 5 sentences" not in one and "only 5" not in one] == [TOLD, TOLD]
    with heard():
        row, _ = compared(A, cut, metric="exact_match")
    assert (row["score_a"], row["score_b"]) == (1 / 5, 0)
