"""treesql diff: what changed between two versions of a treebank, by hand, then against slow and obvious formulas."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES, Run, heard
from tests.house.rules import in_turn
from tests.readers.packed import PACK

COLUMNS = ["form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]

OTHERS = dict.fromkeys(["text", "newdoc", "newpar", "range", "empty_node"], (0, 0))
"""Rows of what the sentences here lack."""

OLD = {
    "s1": "1 The the DET 2 det|2 cat cat NOUN 3 nsubj|3 sat sit VERB 0 root",
    "s2": "1 can can AUX 3 aux|2 not not PART 3 advmod|3 go go VERB 0 root|4 home home ADV 3 advmod",
    "s3": "1 Gone go VERB 0 root",
}


def write(path: Path, sentences: dict[str, str], ids: bool = True) -> Path:
    """A CoNLL-U file. Sentences: words `ID FORM LEMMA UPOS HEAD DEPREL [DEPS]`, with bars between, by sent_id."""
    lines = []
    for name, text in sentences.items():
        lines += [f"# sent_id = {name}"] * ids
        for word in text.split("|"):
            number, form, lemma, upos, head, deprel, *deps = word.split(" ")
            lines.append("\t".join([number, form, lemma, upos, "_", "_", head, deprel, *(deps or ["_"]), "_"]))
        lines.append("")
    path.write_text("\n".join(lines) + "\n" * bool(lines), "utf-8")
    return path


def diff(folder: Path, old: dict[str, str], new: dict[str, str], **how: Any) -> list[dict[str, Any]]:
    ids = how.pop("ids", True)
    return treesql.diff(write(folder / "old.conllu", old, ids), write(folder / "new.conllu", new, ids), **how).rows()


def by_column(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    found = {row["column"]: (row["same"], row["changed"]) for row in rows}
    assert found.items() >= OTHERS.items()
    return {column: counts for column, counts in found.items() if column not in OTHERS}


def test_a_version_is_the_same_as_itself(tmp_path: Path) -> None:
    rows = diff(tmp_path, OLD, OLD)
    assert by_column(rows) == {"sentence": (3, 0), "word": (8, 0)} | dict.fromkeys(COLUMNS, (8, 0))
    marks = ["text", "newdoc", "newpar"]
    assert [row["column"] for row in rows] == ["sentence", *marks, "word", *COLUMNS, "range", "empty_node"]
    assert {row["agreement"] for row in rows if row["column"] not in OTHERS} == {1}
    of = {row["column"]: (row["kappa"], row["alpha"]) for row in rows}
    assert of["upos"] == (1, 1)
    assert of["xpos"] == of["head"] == of["deps"] == of["word"] == (None, None)  # one label; positions; no labels
    assert diff(tmp_path, OLD, OLD, changes=True) == diff(tmp_path, OLD, OLD, list=True) == []


@pytest.mark.filterwarnings("ignore:.*repeated sent_id")
def test_ids_that_repeat_in_several_files_are_of_files_of_one_name(tmp_path: Path) -> None:
    """As in folders of parallel treebanks, whose sentences have the same ids in all languages."""
    other = {"s1": "1 Kissa kissa NOUN 2 nsubj|2 istui istua VERB 0 root", "s2": "1 Mene mennä VERB 0 root"}
    changed = other | {"s2": "1 Menkää mennä VERB 0 root"}
    for version, texts in {"old": other, "new": changed}.items():
        (tmp_path / version).mkdir()
        write(tmp_path / version / "fi.conllu", texts)
        write(tmp_path / version / "en.conllu", OLD)
    found = by_column(treesql.diff(tmp_path / "old", tmp_path / "new").rows())
    assert (found["sentence"], found["word"], found["form"], found["upos"]) == ((4, 1), (10, 1), (10, 1), (11, 0))
    (tmp_path / "new" / "en.conllu").unlink()
    [row] = [row for row in treesql.diff(tmp_path / "old", tmp_path / "new").rows() if row["column"] == "sentence"]
    assert (row["same"], row["changed"], row["only_old"], row["only_new"]) == (1, 1, 3, 0)


def test_a_column_that_is_empty_in_one_version_is_one_warning(tmp_path: Path) -> None:
    """Both orders, and not where a few words lack a value, or other columns are asked for."""
    without = {
        name: "|".join(" ".join([*word.split(" ")[:2], "_", "_", *word.split(" ")[4:]]) for word in text.split("|"))
        for name, text in OLD.items()
    }
    with pytest.warns(treesql.TreesqlWarning) as caught:
        assert by_column(diff(tmp_path, OLD, without))["upos"] == (0, 8)
    [warning] = [str(one.message) for one in caught]
    assert re.search(r"new.conllu: this new version has no LEMMA and UPOS throughout, and .*old.conllu has;", warning)
    with pytest.warns(treesql.TreesqlWarning, match=r"old.conllu: this old version has no UPOS throughout"):
        diff(tmp_path, without, OLD, changes=True, column="upos")
    assert diff(tmp_path, without, OLD, changes=True, column="deprel") == []
    enhanced = {name: text.replace("|2 cat cat NOUN", "|2 cat _ NOUN") for name, text in OLD.items()}
    with heard() as found:
        diff(tmp_path, OLD, {**enhanced, "s3": "1 Gone go VERB 0 root 0:root"})
    [told] = found
    assert "no DEPS throughout" in told


def test_retokenised_words_and_shifted_heads_are_no_changes(tmp_path: Path) -> None:
    new = {**OLD, "s2": "1 cannot can AUX 2 aux|2 go go VERB 0 root|3 home home ADV 2 advmod"}
    rows = diff(tmp_path, OLD, new)
    assert by_column(rows) == {"sentence": (2, 1), "word": (6, 0)} | dict.fromkeys(COLUMNS, (6, 0))
    counts = {row["column"]: (row["only_old"], row["only_new"]) for row in rows if row["only_old"] is not None}
    assert counts == {"sentence": (0, 0), "word": (2, 1), "range": (0, 0), "empty_node": (0, 0)}
    listed = diff(tmp_path, OLD, new, list=True)
    assert [(row["old_word"], row["new_word"], row["old"], row["new"]) for row in listed] == [
        (1, None, "can", None), (None, 1, None, "cannot"), (2, None, "not", None)
    ]  # fmt: skip
    assert {(row["sent_id"], row["column"]) for row in listed} == {("s2", "word")}


def test_sentences_in_which_words_only_come_or_go_have_changed(tmp_path: Path) -> None:
    short, long = "1 a a X 0 root", "1 a a X 0 root|2 b b X 1 dep"
    found = by_column(diff(tmp_path, {"s1": short, "s2": long}, {"s1": long, "s2": short}))
    assert (found["sentence"], found["word"]) == ((0, 2), (2, 0))


def test_inserted_and_removed_sentences(tmp_path: Path) -> None:
    new = {"s0": "1 New new ADJ 0 root", "s1": OLD["s1"], "s3": OLD["s3"]}
    rows = diff(tmp_path, OLD, new)
    assert by_column(rows)["word"] == (4, 0)
    assert [(row["only_old"], row["only_new"]) for row in (rows[0], rows[4])] == [(1, 1), (4, 1)]
    listed = diff(tmp_path, OLD, new, list=True)  # the words of such a sentence are not listed again
    assert [(row["sent_id"], row["column"], row["old"], row["new"]) for row in listed] == [
        ("s0", "sentence", None, "New"), ("s2", "sentence", "can not go home", None)
    ]  # fmt: skip


@pytest.mark.slow
def test_changes(tmp_path: Path) -> None:
    new = {
        "s1": "1 The the DET 2 det|2 cat cat PROPN 3 nsubj|3 sat sit VERB 0 root",
        "s2": "1 can can AUX 3 aux|2 not not PART 4 advmod|3 go go VERB 0 root|4 home home ADV 3 obl",
        "s3": "1 Gone go VERB 0 root",
    }
    assert by_column(diff(tmp_path, OLD, new)) == {"sentence": (1, 2), "word": (5, 3)} | dict.fromkeys(
        COLUMNS, (8, 0)
    ) | {"upos": (7, 1), "head": (7, 1), "deprel": (7, 1)}
    assert diff(tmp_path, OLD, new, changes=True) == [
        {"column": "upos", "old": "NOUN", "new": "PROPN", "words": 1},
        {"column": "head", "old": "VERB", "new": "ADV", "words": 1},
        {"column": "deprel", "old": "advmod", "new": "obl", "words": 1},
    ]
    listed = diff(tmp_path, OLD, new, list=True, column="head")
    assert listed == [
        {"sent_id": "s2", "old_word": 2, "new_word": 2, "form": "not", "column": "head", "old": "3 go", "new": "4 home"}
    ]
    assert len(diff(tmp_path, OLD, new, list=True, limit=2)) == 2
    grouped = diff(tmp_path, OLD, new, by="deprel")
    assert [row for row in grouped if row["group"] == "advmod" and row["column"] == "deprel"] == [
        {"group": "advmod", "column": "deprel", "same": 1, "changed": 1, "agreement": 0.5, "kappa": None,
         "alpha": None, "only_old": None, "only_new": None}
    ]  # fmt: skip
    assert [row["group"] for row in diff(tmp_path, OLD, new, by="upos", changes=True)] == ["NOUN", "PART", "ADV"]


def test_heads_in_enhanced_dependencies_are_mapped(tmp_path: Path) -> None:
    old = {"s": "1 not not PART 3 advmod 3:advmod|2 so so ADV 3 advmod 3:advmod|3 go go VERB 0 root 0:root"}
    new = {
        "s": "1 no no ADV 4 dep 4:dep|2 not not PART 4 advmod 4:advmod|3 so so ADV 4 advmod 2:advmod"
        "|4 go go VERB 0 root 0:root"
    }
    assert by_column(diff(tmp_path, old, new))["deps"] == (2, 1)
    assert diff(tmp_path, old, new, changes=True) == [{"column": "deps", "old": "advmod", "new": "advmod", "words": 1}]


def test_changes_name_sentences_by_the_id_that_either_version_has(tmp_path: Path) -> None:
    """Of words that are gone, come or changed alike; without an id in both, by the number in the old version."""
    texts = {
        "gone": "1 {b} b X 0 root",
        "come": "1 {a} a X 2 det|2 {b} b X 0 root|3 c c X 2 dep",
        "changed": "1 {a} a Y 2 det|2 {b} b X 0 root",
    }
    cases = [(kind, ids) for kind in texts for ids in ((True, False), (False, True), (False, False))]
    versions = ["", ""]
    for at, (kind, ids) in enumerate(cases):
        for side, text in enumerate(("1 {a} a X 2 det|2 {b} b X 0 root", texts[kind])):
            sentence = {f"s{at}": text.format(a=f"a{at}", b=f"b{at}")}
            versions[side] += write(tmp_path / "one.conllu", sentence, ids[side]).read_text("utf-8")
    for name, text in zip(("old", "new"), versions, strict=True):
        (tmp_path / f"{name}.conllu").write_text(text, "utf-8")
    with heard():
        rows = treesql.diff(tmp_path / "old.conllu", tmp_path / "new.conllu", list=True).rows()
    expected = {"gone": "word", "come": "word", "changed": "upos"}
    assert {(row["sent_id"], row["column"]) for row in rows if row["column"] in expected.values()} == {
        (f"s{at}" if any(ids) else str(at), expected[kind]) for at, (kind, ids) in enumerate(cases)
    }
    assert len({row["sent_id"] for row in rows}) == len(cases)


def test_sentences_without_sent_id_correspond_by_text_then_by_place(tmp_path: Path) -> None:
    same, typo = "1 Yes yes INTJ 0 root", "1 Yess yes INTJ 0 root"
    old = {"a": same, "b": typo, "c": OLD["s1"], "d": same}
    new = {"a": same, "b": same, "c": OLD["s1"]}
    with pytest.warns(treesql.TreesqlWarning, match="do not share a sent_id: 3 by text"):
        rows = diff(tmp_path, old, new, ids=False)
    assert (rows[0]["same"], rows[0]["only_old"], rows[0]["only_new"]) == (3, 1, 0)
    with pytest.warns(treesql.TreesqlWarning, match="2 by text, 1 by their place"):
        rows = diff(tmp_path, {"a": same, "b": typo, "c": OLD["s1"]}, {"a": same, "b": "1 No no INTJ 0 root", "c": OLD["s1"]}, ids=False)  # fmt: skip  # noqa: E501
    assert by_column(rows)["form"] == (4, 1)


def test_renumbered_sentences_are_noticed(tmp_path: Path) -> None:
    old = {f"s{at}": f"1 w{at}w w X 2 dep|2 v{at}v v X 0 root" for at in range(3)}
    new = {"s0": "1 A a DET 0 root", "s1": old["s0"], "s2": old["s1"], "s3": old["s2"]}
    assert by_column(diff(tmp_path, old, new, match="text"))["sentence"] == (3, 0)
    other = "1 bb b X 0 root|2 cc c X 1 dep|3 dd d X 1 dep"
    with pytest.warns(treesql.TreesqlWarning, match="seem to be of other sentences; .*match='text'"):
        diff(tmp_path, old, dict.fromkeys(old, other))


@pytest.mark.filterwarnings("ignore:.*repeated sent_id")
def test_ids_that_repeat_pair_no_sentences(tmp_path: Path) -> None:
    """The advice is about the ids that repeat, where these are why sentences correspond by text, or do not at all."""

    def repeat(name: str, sentences: Sequence[str]) -> Path:
        parts = [write(tmp_path / "one.conllu", {"s": one}).read_text("utf-8") for one in sentences]
        (tmp_path / name).write_text("".join(parts), "utf-8")
        return tmp_path / name

    old = repeat("old", [f"1 w{at} w X 0 root" for at in range(4)])
    same = repeat("same", [f"1 w{at} w Y 0 root" for at in range(4)])
    other = repeat("other", [f"1 v{at} w Y 0 root" for at in range(4)])
    with pytest.warns(treesql.TreesqlWarning, match="4 by text, and sent_ids that are repeated pair none; make every"):
        treesql.diff(old, same)
    with pytest.warns(treesql.TreesqlWarning, match="no sentence .* repeated pair none; .* unique, or .*match='text'"):
        treesql.diff(old, other)
    assert treesql.diff(old, other, match="text").rows()[0]["changed"] == 4, "by their place"


def test_sentences_that_mostly_have_no_counterpart(tmp_path: Path, run: Callable[..., Run]) -> None:
    """1 of 3 is few, 2 of 4 are not; a version with some of the sentences of the other has all that it can have."""
    numbered = {f"s{at}": f"1 w{at} w X 0 root" for at in range(4)}
    three = dict(list(numbered.items())[1:])
    others = {"s3": numbered["s3"], "t1": "1 v1 w X 0 root", "t2": "1 v2 w X 0 root"}
    with pytest.warns(treesql.TreesqlWarning, match="most .* counterpart, 2 of 3 of .*old.* and 2 of 3 of .*new.*text"):
        diff(tmp_path, three, others)
    with heard() as warnings:
        diff(tmp_path, numbered, {"s2": numbered["s2"], **others})
        diff(tmp_path, numbered, {"s2": numbered["s2"]})
    assert not warnings
    paths = [write(tmp_path / name, one) for name, one in (("old.conllu", numbered), ("new.conllu", three))]
    [counted] = [line for line in run("diff", *paths).out.splitlines() if "counterpart" in line]
    assert counted == f"Without a counterpart: 1 of 4 sentences of {paths[0]}, 0 of 3 sentences of {paths[1]}."
    assert "counterpart" not in run("diff", paths[0], paths[0]).out


def test_nothing_in_common(tmp_path: Path) -> None:
    with pytest.warns(treesql.TreesqlWarning, match="no sentence corresponds"):
        rows = diff(tmp_path, OLD, {"x": "1 A a DET 0 root"})
    assert by_column(rows) == dict.fromkeys(["sentence", "word", *COLUMNS], (0, 0))
    assert {row["agreement"] for row in rows} == {None}
    assert [(row["only_old"], row["only_new"]) for row in (rows[0], rows[4])] == [(3, 1), (8, 1)]


def test_files_with_the_same_sentences_in_a_database(tmp_path: Path) -> None:
    new = {**OLD, "s3": "1 Gone go ADJ 0 root"}
    from_files = diff(tmp_path, OLD, new)
    with treesql.connect(tmp_path / "t.duckdb") as db:
        for name in ("old", "new"):
            db.load(tmp_path / f"{name}.conllu", corpus=name)
        assert db.diff("old", "new").rows() == from_files
        with pytest.raises(treesql.UnknownName, match="nwe"):
            db.diff("old", "nwe")
    assert treesql.diff("old", "new", db=tmp_path / "t.duckdb").rows() == from_files


@in_turn(
    ("how", "message"),
    [
        ({"changes": True, "list": True}, "each choose the rows"),
        ({"by": "upos", "list": True}, "by= groups counts"),
        ({"column": "upos"}, "add changes=True or list=True"),
        ({"limit": -1}, "from 0"),
        ({"by": "lemma"}, "choose one of none, upos, deprel"),
        ({"match": "order"}, "choose one of sent_id, text"),
        ({"list": True, "column": "tag"}, "choose one of any"),
        ({"db": "t.duckdb", "strict": True}, "do not apply to a database"),
    ],
)
def test_options_that_exclude_each_other(tmp_path: Path, how: dict[str, Any], message: str) -> None:
    with pytest.raises(treesql.UsageError, match=message):
        diff(tmp_path, OLD, OLD, **how)


def test_files_without_words_are_refused(tmp_path: Path) -> None:
    old = write(tmp_path / "old.conllu", OLD)
    for name in ("links.pharaoh", "lattices.plf"):
        with pytest.raises(treesql.UsageError, match="and words are compared"):
            treesql.diff(old, FIXTURES / name)


def kappa(pairs: list[tuple[str, str]]) -> float | None:
    """Cohen 1960: (p_o - p_e) / (1 - p_e)."""
    n = len(pairs)
    old, new = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(old[label] / n * (new[label] / n) for label in old)
    return None if expected == 1 else (sum(a == b for a, b in pairs) / n - expected) / (1 - expected)


def alpha(pairs: list[tuple[str, str]]) -> float | None:
    """Krippendorff 2004: 1 - D_o / D_e, from the matrix of coincidences of every unit's two values."""
    coincidences: Counter[tuple[str, str]] = Counter()
    for unit in pairs:
        for one, other in itertools.permutations(unit, 2):
            coincidences[one, other] += 1
    totals: Counter[str] = Counter()
    for (one, _), count in coincidences.items():
        totals[one] += count
    n = sum(totals.values())
    observed = sum(count for (a, b), count in coincidences.items() if a != b) / n
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b) / (n * (n - 1))
    return None if expected == 0 else 1 - observed / expected


def test_coefficients_by_hand() -> None:
    """Cohen's example of two judges in Krippendorff's notation: ten units, two labels."""
    pairs = [("a", "a")] * 4 + [("a", "b")] + [("b", "a")] * 2 + [("b", "b")] * 3
    assert kappa(pairs) == pytest.approx((0.7 - 0.5) / 0.5)
    assert alpha(pairs) == pytest.approx(1 - 19 * 6 / (20 * 20 - (11 * 11 + 9 * 9)))


def test_coefficients_of_a_column(tmp_path: Path) -> None:
    """Of four words a, a, b, b and a, b, b, b: kappa is (3/4 - 1/2) / (1/2); of alpha's 8 values 3 are a and 5 b."""
    old, new = (
        {"s": "|".join(f"{at} w{at} _ {tag} {at - 1} dep" for at, tag in enumerate(tags, 1))}
        for tags in ("AABB", "ABBB")
    )
    [row] = [row for row in diff(tmp_path, old, new) if row["column"] == "upos"]
    assert (row["kappa"], row["alpha"]) == (1 / 2, pytest.approx(1 - 7 * 2 / (8 * 8 - (3 * 3 + 5 * 5))))


def test_sentences_without_ids_correspond_where_they_are_as_many(tmp_path: Path) -> None:
    """Between sentences of the same text, by which those without ids are paired first."""
    a, b, c, d = (f"1 {form} {form} X 0 root" for form in "abcd")
    rows = diff(tmp_path, {"1": a, "2": b, "3": c}, {"1": a, "2": d, "3": c}, ids=False, match="text")
    assert by_column(rows)["form"] == (2, 1)
    rows = diff(tmp_path, {"1": a, "2": b, "3": c}, {"1": a, "2": d, "3": d, "4": c}, ids=False, match="text")
    assert by_column(rows)["form"] == (2, 0)


@pytest.mark.slow
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=12))
def test_coefficients_are_those_of_the_textbooks(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    sides = [
        {"s": "|".join(f"{at} w{at} _ {pair[side]} {at - 1} dep" for at, pair in enumerate(pairs, 1))}
        for side in (0, 1)
    ]
    [row] = [row for row in diff(tmp_path, *sides) if row["column"] == "upos"]
    assert row["kappa"] == pytest.approx(kappa(pairs))
    assert row["alpha"] == pytest.approx(alpha(pairs))


@pytest.mark.parametrize("names", [["a.conllx"], ["a.conllu.xz", "b.conllu.bz2"]], ids=["format", "packed"])
def test_folders_with_other_endings(tmp_path: Path, names: list[str]) -> None:
    """The same treebank in two folders, as another format or compressed, has no change; `stats` reads it too."""
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
    for name in names:
        sentences = {f"{name[0]}-{sentence}": text for sentence, text in OLD.items()}
        data = write(tmp_path / "old" / f"{name[0]}.conllu", sentences).read_bytes()
        packing = Path(name).suffix
        (tmp_path / "new" / name).write_bytes(PACK[packing](data) if packing in PACK else data)
    found = treesql.diff(tmp_path / "old", tmp_path / "new").rows()
    assert {row["column"]: (row["same"], row["changed"]) for row in found}["head"] == (8 * len(names), 0)
    with heard():
        [counted] = treesql.stats(tmp_path / "new").rows()
    assert counted["words"] == 8 * len(names)


def test_patterns_of_corpora_are_paired_by_treebank(tmp_path: Path) -> None:
    """The rows are those of each pair; what has no counterpart is named."""
    new = {**OLD, "s3": "1 Gone go NOUN 0 root"}
    db = tmp_path / "d.duckdb"
    with treesql.connect(db) as opened:
        for corpus, sentences in {"de-v1": OLD, "de-v2": new, "en-v1": new, "en-v2": new, "fr-v2": new}.items():
            opened.load(write(tmp_path / f"{corpus}.conllu", sentences), corpus=corpus)
    with pytest.warns(treesql.TreesqlWarning, match=r"left out, .*: fr-v2; corpora are paired"):
        both = treesql.diff("*-v1", "*-v2", db=db)
    assert both.columns[:2] == ["treebank", "column"]
    alone = treesql.diff("de-v1", "de-v2", db=db).rows()
    assert [row for row in both if row["treebank"] == "de"] == [{"treebank": "de", **row} for row in alone]
    assert {row["treebank"]: row["changed"] for row in both if row["column"] == "upos"} == {"de": 1, "en": 0}
    with treesql.connect(db) as opened:
        [row] = opened.diff("[de]*-v1", "[de]*-v2", changes=True, limit=1)
    assert (row["treebank"], row["old"], row["new"]) == ("de", "VERB", "NOUN")
    with pytest.raises(treesql.UnknownName, match="corpus"):
        treesql.diff("*-v1", "*-v3", db=db)
    with pytest.raises(treesql.UsageError, match="corresponds to one of"):
        treesql.diff("de-v1*", "en-*", db=db)
