"""Statistics of words and relations, weighted attachment and class scores: by hand, then against slow, obvious ones."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import conllu
from treesql.errors import Incomparable, TreesqlWarning, UsageError

LN2, LN5 = math.log(2), math.log(5)
DET = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))

SMALL = ("the:2:det cat:3:nsubj sat:0:root", "the:2:det dog:3:nsubj sat:0:root", "the:3:det a:3:det sat:0:root")
"""Five forms; det has the 3 times and a once, nsubj two forms, root one."""

Tree = list[tuple[str, int, str]]


def load(db: treesql.Database, folder: Path, corpus: str, *sentences: str, **options: str) -> None:
    path = folder / f"{corpus}.conllu"
    path.write_bytes(conllu(*sentences).replace(b"~", b":"))  # relations with a subtype are written like nsubj~pass
    db.load(path, corpus=corpus, **options)  # type: ignore[arg-type]


def wde(db: treesql.Database, **options: object) -> dict[str, float]:
    return {row["relation"]: row["wde"] for row in db.query("word_entropy", **options).rows()}


def averaged(db: treesql.Database, **options: object) -> dict[str, float]:
    return {row["relation"]: row["wde"] for row in db.query("averaged_word_entropy", **options).rows()}


def test_word_entropy_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", *SMALL)
    assert wde(db) == pytest.approx({"det": DET / LN5, "nsubj": LN2 / LN5, "root": 0})
    assert wde(db)["det"] == pytest.approx(0.349398, abs=1e-6)
    assert wde(db, vocabulary="relation") == pytest.approx({"det": DET / LN2, "nsubj": 1, "root": 0})
    rows = {row["relation"]: (row["words"], row["types"]) for row in db.query("word_entropy").rows()}
    assert rows == {"det": (4, 2), "nsubj": (2, 2), "root": (3, 1)}


def test_evenly_spread_words_have_entropy_1(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:0:root b:1:root c:1:root")
    assert wde(db) == pytest.approx({"root": 1})


def test_a_treebank_of_one_form_has_entropy_0(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:0:root a:1:root", "a:0:root")
    assert wde(db) == {"root": 0} == wde(db, vocabulary="relation")


def test_subtypes_belong_to_their_relation(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:2:nsubj b:0:root c:2:nsubj~pass d:2:nsubjx")
    assert wde(db) == pytest.approx({"nsubj": 0.5, "nsubjx": 0, "root": 0})


def test_an_absent_relation_counts_a_half_or_not_at_all(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "x", *SMALL)
    load(db, tmp_path, "y", "a:0:root b:1:obj")
    det, nsubj = DET / LN5, LN2 / LN5
    assert averaged(db) == pytest.approx(
        {"det": (det + 0.5) / 2, "nsubj": (nsubj + 0.5) / 2, "obj": 0.25, "root": 0}  # obj is 0 where it is
    )
    assert averaged(db, absent="skip") == pytest.approx({"det": det, "nsubj": nsubj, "obj": 0, "root": 0})


def test_corpora_of_one_treebank_are_one(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "dev", *SMALL[:1], treebank="T")
    load(db, tmp_path, "test", *SMALL[1:], treebank="T")
    assert wde(db) == pytest.approx({"det": DET / LN5, "nsubj": LN2 / LN5, "root": 0})
    [row] = db.query("relation_shares").rows()
    assert (row["treebank"], row["words"]) == ("T", 9)


def test_lower_case_and_lemmas(db: treesql.Database, tmp_path: Path) -> None:
    line = "{}\t{}\t{}\t_\t_\t_\t{}\t{}\t_\t_\n"
    words = [("The", "the", 2, "det"), ("the", "the", 0, "root"), ("THE", "x", 2, "det")]
    text = "".join(line.format(at, *word) for at, word in enumerate(words, 1)) + "\n"
    (tmp_path / "c.conllu").write_text(text)
    db.load(tmp_path / "c.conllu", corpus="c")
    assert wde(db)["det"] == pytest.approx(LN2 / math.log(3))
    assert wde(db, forms="lower") == {"det": 0, "root": 0}
    assert wde(db, forms="lemma") == pytest.approx({"det": 1, "root": 0})
    assert db.query("treebank_statistics").rows()[0]["lemmas"] == 2


def test_final_sigmas_and_dotted_capitals_are_lowered_as_python_does(db: treesql.Database, tmp_path: Path) -> None:
    forms = ["ΘΕΟΣ", "Θεός", "θεος", "Σ", "İYİ", "iyi", "i\u0307yi\u0307"]
    load(db, tmp_path, "c", " ".join(f"{form}:{at and 1}:{'dep' if at else 'root'}" for at, form in enumerate(forms)))
    found = {row["form"] for row in db.sql("SELECT DISTINCT form FROM treebank_forms(forms := 'lower')").rows()}
    assert found == {form.lower() for form in forms}
    assert len(found) == 5


def test_heads_left_open_have_no_length(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:0:root b:1:dep c:1:dep", "d:_:dep e:_:dep")
    assert {r["deprel"]: r["mean_dependency_length"] for r in db.query("relation_inventory").rows()} == {
        "dep": 1.5,
        "root": None,
    }


def test_lemmas_that_are_not_there_are_refused(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", *SMALL)
    with pytest.raises(Incomparable, match="no word of c has a lemma; count forms instead"):
        wde(db, forms="lemma")


def test_type_token_ratio_in_chunks(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:0:root b:1:x", "a:0:root a:1:x", "c:0:root")  # ab aa c
    rows = [db.query("standardised_type_token", chunk=size).rows()[0] for size in (1, 2, 4, 5, 6)]
    assert [row["chunks"] for row in rows] == [5, 2, 1, 1, 0]
    assert [row["sttr"] for row in rows] == [1, (1 + 0.5) / 2, 2 / 4, 3 / 5, None]
    assert db.query("treebank_statistics").rows()[0]["sttr"] is None


def test_statistics_of_a_treebank_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    """To SMALL, with lengths 1 1, 1 1, 2 1 and depths 3, 3, 2, comes b > c > a > d, with lengths 1, 2 and 3, of which
    the last two edges are not projective: c and a are on either side of b, the root, a and d as well."""
    load(db, tmp_path, "c", *SMALL, "a:3:det~poss b:0:root c:2:obj d:1:obj")
    [row] = db.query("treebank_statistics").rows()
    assert row == {
        "treebank": "c", "sentences": 4, "words": 13, "types": 8, "singletons": 5, "lemmas": 0,
        "words_with_features": 0, "sttr": None,
        "words_per_sentence": 13 / 4, "longest_sentence": 4,
        "function_share": 5 / 13, "content_share": 8 / 13, "other_share": 0,
        "universal_relations": 4, "full_relations": 5, "mean_depth": 12 / 4, "deepest": 4,
        "mean_dependency_length": 13 / 9, "non_projective_sentence_share": 1 / 4, "non_projective_edge_share": 2 / 9,
    }  # fmt: skip


def test_types_that_occur_once_features_and_a_vocabulary(tmp_path: Path) -> None:
    """Of a A a b c c (d in another treebank) A and b occur once; two words have features; the text has a, c and d."""
    features = ["_", "Case=Nom", "_", "_", "Number=Sing|Case=Acc", "_"]
    lines = [
        f"{at}\t{form}\t_\t_\t_\t{feats}\t{at - 1}\t{'root' if at == 1 else 'dep'}\t_\t_\n"
        for at, (form, feats) in enumerate(zip("aAabcc", features, strict=True), start=1)
    ]
    (tmp_path / "one.conllu").write_text("".join(lines) + "\n")
    (tmp_path / "two.conllu").write_bytes(conllu("d:0:root"))
    (tmp_path / "vocabulary.txt").write_text("d c c a\nx\n")
    paths = [str(tmp_path / name) for name in ("one.conllu", "two.conllu")]
    vocabulary = str(tmp_path / "vocabulary.txt")
    with pytest.warns(TreesqlWarning, match="fewer than the 1000"):
        found = treesql.stats(*paths, vocabulary=vocabulary)
    chosen = ("types", "singletons", "covered_types", "covered_type_share", "words_with_features")
    assert [[row[name] for name in chosen] for row in found.rows()] == [[4, 2, 2, 0.5, 2 / 6], [1, 1, 1, 1, 0]]
    assert {"covered_type_share", "words_with_features"} <= found.percent
    with treesql.connect(tmp_path / "t.duckdb") as db:
        for path in paths:
            db.load(path, corpus=Path(path).stem, treebank=Path(path).name)
        with pytest.warns(TreesqlWarning, match="fewer than the 1000"):
            assert db.stats(vocabulary=vocabulary).rows() == found.rows()
        with pytest.warns(TreesqlWarning, match="fewer than the 1000"):
            of_itself = db.stats(vocabulary=paths[0])
    assert of_itself["covered_type_share"] == [1, 0]
    with pytest.warns(TreesqlWarning, match="fewer than the 1000"):
        by_database = treesql.stats(paths[0], vocabulary=str(tmp_path / "t.duckdb"))
    assert by_database["covered_types"] == [4]
    with pytest.raises(UsageError, match="does not apply to relation_profile"):
        treesql.stats(*paths, relations=True, vocabulary=vocabulary)
    (tmp_path / "nothing.txt").write_text("\n")
    with pytest.raises(UsageError, match=r"nothing.txt has no words; name a treebank or a text"):
        treesql.stats(*paths, vocabulary=str(tmp_path / "nothing.txt"))


def test_shares_by_hand(examples: treesql.Database) -> None:
    """fixtures/gold.conllu: 30 words, 9 with function relations, 5 of punctuation."""
    [row] = examples.query("relation_shares", corpus_name="gold").rows()
    assert (row["function_share"], row["content_share"], row["other_share"]) == (9 / 30, 16 / 30, 5 / 30)


def test_words_with_a_head_or_a_relation_are_parsed(db: treesql.Database, tmp_path: Path) -> None:
    """b has a head alone, c a relation alone, d neither."""
    load(db, tmp_path, "c", "a:0:root b:1:_", "c:_:det", "d:_:_")
    [row] = db.query("relation_shares").rows()
    assert (row["words"], row["parsed_words"]) == (4, 3)
    assert [row[f"{name}_share"] for name in ("content", "function", "other")] == [1 / 3] * 3


def test_relations_outside_the_classes_are_listed_and_other(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "c", "a:2:weird b:0:root c:2:weird~er d:2:odd")
    found = db.query("unclassified_relations").rows()
    assert [(row["relation"], row["words"]) for row in found] == [("weird", 2), ("odd", 1)]
    assert db.query("relation_shares").rows()[0]["other_share"] == 3 / 4
    profile = {row["relation"]: row for row in db.query("relation_profile").rows()}
    assert [profile[name]["class"] for name in ("weird", "root", "odd")] == ["other", "content", "other"]
    assert (profile["weird"]["words"], profile["weird"]["share"], profile["weird"]["types"]) == (2, 0.5, 2)
    assert (profile["weird"]["mean_dependency_length"], profile["root"]["mean_dependency_length"]) == (1, None)


def test_class_scores_by_hand(examples: treesql.Database) -> None:
    """parser-a errs in 4 of 16 content words and in 2 of 9 function words; classes it never confuses."""
    row = examples.score("relation_class_scores", gold_corpus="gold", system_corpus="parser-a").rows()[0]
    assert row == {
        "content_precision": 12 / 16,
        "content_recall": 12 / 16,
        "function_precision": 7 / 9,
        "function_recall": 7 / 9,
    }


def test_precision_counts_what_is_predicted_and_recall_what_is_gold(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "gold", "a:2:det b:0:root c:2:nmod d:2:punct")
    load(db, tmp_path, "s", "a:2:amod b:0:root c:2:nmod d:2:dep")
    row = db.score("relation_class_scores", gold_corpus="gold", system_corpus="s").rows()[0]
    assert (row["content_precision"], row["content_recall"]) == (2 / 3, 1)
    assert (row["function_precision"], row["function_recall"]) == (None, 0)


def test_a_right_relation_on_a_wrong_head_is_wrong(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "gold", "a:2:det b:0:root c:2:nmod")
    load(db, tmp_path, "s", "a:3:det b:0:root c:2:nmod")
    row = db.score("relation_class_scores", "weighted_attachment", gold_corpus="gold", system_corpus="s").rows()[0]
    assert (row["function_precision"], row["content_recall"], row["wlas"]) == (0, 1, None)  # all entropies are 0


def test_weighted_attachment_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "gold", "a:2:det b:0:root c:2:nsubj~pass d:2:new")
    load(db, tmp_path, "s", "a:2:det b:0:root c:2:nsubj d:1:det")
    db.sql(
        "INSERT INTO relation_weights VALUES ('w', 'det', 0.1), ('w', 'root', 1), ('w', 'nsubj', 0.8), ('v', 'new', 9)"
    )
    pair = {"gold_corpus": "gold", "system_corpus": "s", "weights": "w"}
    row = db.score("weighted_attachment", **pair).rows()[0]
    assert row == pytest.approx({"wlas": 1.9 / 2.4, "wlas_precision": 1.9 / 2.0})  # `new` has no weight: 0.5
    full = db.score("weighted_attachment", **pair, relations="full").rows()[0]
    assert full == pytest.approx({"wlas": 1.1 / 2.4, "wlas_precision": 1.1 / 2.0})
    load(db, tmp_path, "t", "a:2:det b:0:root c:2:nsubj d:2:other")  # nor has `other`
    row = db.score("weighted_attachment", **pair | {"system_corpus": "t"}).rows()[0]
    assert row == pytest.approx({"wlas": 1.9 / 2.4, "wlas_precision": 1.9 / 2.4})


def test_without_a_set_the_gold_corpus_gives_the_weights(db: treesql.Database, tmp_path: Path) -> None:
    load(db, tmp_path, "gold", *SMALL)
    load(db, tmp_path, "s", "the:3:det cat:3:nsubj sat:0:root", *SMALL[1:])
    load(db, tmp_path, "noise", "x:0:det y:1:det z:1:det")  # another corpus changes nothing
    det, nsubj = DET / LN5, LN2 / LN5
    row = db.score("weighted_attachment", gold_corpus="gold", system_corpus="s").rows()[0]
    assert row["wlas"] == pytest.approx((3 * det + 2 * nsubj) / (4 * det + 2 * nsubj))


def test_an_unknown_set_of_weights_is_refused(examples: treesql.Database) -> None:
    with pytest.raises(Incomparable, match="there is no set of weights nonsense"):
        examples.score("weighted_attachment", gold_corpus="gold", system_corpus="parser-a", weights="nonsense")


def trees() -> st.SearchStrategy[Tree]:
    """Forms and relations of one sentence; every word but the first depends on the one before or on the first."""
    forms, relations = st.sampled_from("abcd"), st.sampled_from(["det", "nsubj", "nsubj~pass", "case", "punct", "odd"])
    word = st.tuples(forms, st.integers(0, 1), relations)
    return st.lists(word, min_size=1, max_size=6)


def rendered(tree: Tree) -> str:
    heads = [0 if at == 0 else (1 if far else at) for at, (_, far, _) in enumerate(tree)]
    return " ".join(f"{form}:{head}:{relation}" for (form, _, relation), head in zip(tree, heads, strict=True))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*relations that belong to no class")
@settings(deadline=None, max_examples=5)
@given(st.data())
def test_everything_against_plain_python(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    gold = data.draw(st.lists(trees(), min_size=1, max_size=4))
    system = [
        [
            (form, *data.draw(st.tuples(st.integers(0, 1), st.sampled_from(["det", "nsubj", "odd"]))))
            for form, _, _ in tree
        ]
        for tree in gold
    ]
    folder = tmp_path_factory.mktemp("trees")
    with treesql.connect() as db:
        load(db, folder, "gold", *(rendered(tree) for tree in gold))
        load(db, folder, "s", *(rendered(tree) for tree in system))
        entropies = wde(db, corpus_name="gold")
        row = db.score("weighted_attachment", "relation_class_scores", gold_corpus="gold", system_corpus="s").rows()[0]
    words = [(form, relation.split("~")[0]) for tree in gold for form, _, relation in tree]
    expected = slow_entropies(words)
    assert entropies == pytest.approx(expected, abs=1e-9)
    for name, value in slow_scores(gold, system, expected).items():
        assert row[name] == (None if value is None else pytest.approx(value, abs=1e-9)), name


def slow_entropies(words: list[tuple[str, str]]) -> dict[str, float]:
    types = len({form for form, _ in words})
    found = {}
    for relation in {relation for _, relation in words}:
        counts = Counter(form for form, its in words if its == relation)
        n = sum(counts.values())
        entropy = -sum(count / n * math.log(count / n) for count in counts.values())
        found[relation] = entropy / math.log(types) if types > 1 else 0.0
    return found


def slow_scores(gold: list[Tree], system: list[Tree], weights: dict[str, float]) -> dict[str, float | None]:
    classes = {"det": "function", "case": "function", "nsubj": "content"}
    sums: Counter[str] = Counter()
    for tree, parsed in zip(gold, system, strict=True):
        for at, ((_, far, relation), (_, its_far, its)) in enumerate(zip(tree, parsed, strict=True)):
            relation = relation.split("~")[0]
            same_head = at < 2 or far == its_far
            right = same_head and relation == its
            sums["gold"] += weights.get(relation, 0.5)  # type: ignore[assignment]
            sums["system"] += weights.get(its, 0.5)  # type: ignore[assignment]
            sums["right"] += right * weights.get(relation, 0.5)  # type: ignore[assignment]
            sums[f"gold {classes.get(relation)}"] += 1
            sums[f"system {classes.get(its)}"] += 1
            sums[f"right {classes.get(relation)}"] += right

    def ratio(a: float, b: float) -> float | None:
        return a / b if b else None

    found = {"wlas": ratio(sums["right"], sums["gold"]), "wlas_precision": ratio(sums["right"], sums["system"])}
    for kind in ("content", "function"):
        found[f"{kind}_precision"] = ratio(sums[f"right {kind}"], sums[f"system {kind}"])
        found[f"{kind}_recall"] = ratio(sums[f"right {kind}"], sums[f"gold {kind}"])
    return found


def test_features_are_counted_by_part_of_speech(db: treesql.Database, tmp_path: Path) -> None:
    words = [("go", "VERB", "Tense=Past|Person=3"), ("go", "VERB", "Tense=Past"), ("go", "NOUN", "_"), ("x", "X", "_")]
    lines = [
        f"{at}\t{w}\t{w}\t{u}\t_\t{f}\t{0 if at == 1 else 1}\tdep\t_\t_\n" for at, (w, u, f) in enumerate(words, 1)
    ]
    (tmp_path / "a.conllu").write_text("".join(lines) + "\n", "utf-8")
    db.load(tmp_path / "a.conllu", corpus="a")
    found = [tuple(row.values())[1:] for row in db.query("feature_inventory", corpus_name="a").rows()]
    assert found == [("VERB", "Tense", "Past", 2, 1.0), ("VERB", "Person", "3", 1, 0.5)]
    found = [tuple(row.values())[1:] for row in db.query("ambiguous_lemmas").rows()]
    assert found == [("go", "VERB", 2, 3, 2), ("go", "NOUN", 1, 3, 2)]


def test_lemmas_with_most_words_beside_their_first_part_of_speech_come_first(
    db: treesql.Database, tmp_path: Path
) -> None:
    words = [("go", "VERB"), ("go", "VERB"), ("go", "NOUN"), *[("run", "NOUN"), ("run", "VERB")] * 2]
    lines = [
        f"{at}\t{lemma}\t{lemma}\t{upos}\t_\t_\t{at - 1}\tdep\t_\t_\n" for at, (lemma, upos) in enumerate(words, 1)
    ]
    (tmp_path / "a.conllu").write_text("".join(lines) + "\n")
    db.load(tmp_path / "a.conllu", corpus="a")
    found = [(row["lemma"], row["upos"], row["words"]) for row in db.query("ambiguous_lemmas").rows()]
    assert found == [("run", "NOUN", 2), ("run", "VERB", 2), ("go", "VERB", 2), ("go", "NOUN", 1)]
